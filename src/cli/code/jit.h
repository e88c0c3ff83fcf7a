/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine code of one image in this process: from the cache or freshly
 * generated, loaded by the code generator's library. */
#ifndef IMP_CLI_CODE_JIT_H
#define IMP_CLI_CODE_JIT_H

#include <stdbool.h>

#include "abi/image.h"

struct rt_tier;
struct model_code;
/* NULL and *error (static or of the code generator's library) on failure; the
 * caller frees */
struct model_code *model_code_new(const imp_image *image, int opt, bool cache,
                                  const char **error);
/* The evaluator at first, machine code when it has worked so long that making
 * the code takes no longer. Needs a guard. */
struct model_code *model_code_later(const imp_image *image, int opt,
                                    bool cache);
void model_code_free(struct model_code *code);
const imp_code *
model_code_table(const struct model_code *code); /* NULL: NULL */
/* NULL: the code is there, or there will be none */
struct rt_tier *model_code_tier(struct model_code *code);

#endif
