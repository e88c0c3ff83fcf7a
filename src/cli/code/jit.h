/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine code of one image in this process: from the cache or freshly
 * generated, loaded by the code generator's library. */
#ifndef IMP_CLI_JIT_H
#define IMP_CLI_JIT_H

#include <stdbool.h>

#include "abi/image.h"

struct rt_tier;
struct session_code;
/* NULL and *error (static or of the code generator's library) on failure; the
 * caller frees */
struct session_code *session_code_new(const imp_image *im, int opt, bool cache,
                                      const char **error);
/* The evaluator at first, machine code when it has worked so long that making
 * the code takes no longer. Needs a guard. */
struct session_code *session_code_later(const imp_image *im, int opt,
                                        bool cache);
void session_code_free(struct session_code *c);
const imp_code *session_code_table(const struct session_code *c); /* NULL: NULL */
/* NULL: the code is there, or there will be none */
struct rt_tier *session_code_tier(struct session_code *c);

#endif
