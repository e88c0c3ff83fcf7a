/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine code of one image in this process: from the cache or freshly
 * generated, loaded by the code generator's library. */
#ifndef IMP_CLI_JIT_H
#define IMP_CLI_JIT_H

#include <stdbool.h>

#include "abi/image.h"

struct session_code;
/* NULL and *error (static or of the code generator's library) on failure; the
 * caller frees */
struct session_code *session_code_new(const imp_image *im, int opt, bool cache,
                                      const char **error);
void session_code_free(struct session_code *c);
const imp_code *session_code_table(const struct session_code *c); /* NULL: NULL */

#endif
