/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The addresses of the functions that generated code may call
 * (abi/symbols.def), for whoever loads such code. */
#ifndef IMP_CLI_CODE_SYMBOLS_H
#define IMP_CLI_CODE_SYMBOLS_H

#include <stddef.h>
#include <string.h>

#include "codegen/gen.h"
#include "runtime/numerics/factors.h"
#include "runtime/tape/functions.h"

/* clang-format off */
static const struct gen_symbol gen_symbols[] = {
#define SYMBOL(name) {#name, __extension__(void *)name},
#include "abi/symbols.def"
    {NULL, NULL}};
/* clang-format on */

#endif
