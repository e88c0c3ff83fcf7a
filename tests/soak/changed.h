/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of the tests and examples with one or two changes. Nothing is known of
 * their answers, but they end by themselves or are stopped, say what is wrong,
 * and tell the same by machine code. */
#ifndef SOAK_CHANGED_H
#define SOAK_CHANGED_H

#include "compare.h"
#include "random.h"
#include "run.h"

/* The models below a folder, sorted by name. */
struct models {
    char **path;
    size_t n;
};
/* Those of tests/run and of examples below this folder. False: there are none.
 */
bool models_find(const char *root, struct models *out);
/* The text of one of them, changed; the caller frees it. *from: which one. */
char *changed_text(const struct models *models, uint64_t seed,
                   const char **from);
/* Runs such a text. finding->kind is "" if all is well. */
void changed_check(const struct runner *runner, const char *text, uint64_t seed,
                   struct finding *finding);

#endif
