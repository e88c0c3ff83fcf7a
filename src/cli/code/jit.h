/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine code of one image in this process: from the cache or freshly
 * generated, loaded by the code generator's library. */
#ifndef IMP_CLI_CODE_JIT_H
#define IMP_CLI_CODE_JIT_H

#include <stdbool.h>

#include "abi/image.h"

struct rt_tier;
struct model_code;
/* Machine code at once. NULL and *error (static, or of the code generator's
 * library) on failure. The caller frees it with model_code_free. */
struct model_code *model_code_new(const imp_image *image, int opt, bool cache,
                                  const char **error);
/* The evaluator at first, and machine code after it has worked as long as it
 * takes to make code. Needs a guard. The caller frees it with model_code_free.
 */
struct model_code *model_code_later(const imp_image *image, int opt,
                                    bool cache);
void model_code_free(struct model_code *code);
const imp_code *model_code_table(
    const struct model_code *code); /* NULL where there is no code */
/* NULL where the code is there, or there will be none */
struct rt_tier *model_code_tier(struct model_code *code);

#endif
