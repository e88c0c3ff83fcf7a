/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbols that loaded code may call: all of runtime/tape/functions.h, and
 * the three functions that LLVM's passes make of loops that copy (LLVM 14 does
 * at O2). Included by whoever loads code (cli/jit.c, tests); no LLVM here. */
#ifndef IMP_CODEGEN_SYMBOLS_H
#define IMP_CODEGEN_SYMBOLS_H

#include <stddef.h>
#include <string.h>

#include "codegen/gen.h"
#include "runtime/numerics/factors.h"
#include "runtime/tape/functions.h"

#define SYM(name)                                                              \
    {                                                                          \
#name, __extension__(void *) name                                      \
    }
static const struct gen_symbol gen_symbols[] = {
    SYM(imp_sqrt),       SYM(imp_cbrt),      SYM(imp_pow),
    SYM(imp_abspow),     SYM(imp_sgnpow),    SYM(imp_hypot),
    SYM(imp_exp),        SYM(imp_exp2),      SYM(imp_expm1),
    SYM(imp_log),        SYM(imp_log2),      SYM(imp_log10),
    SYM(imp_log1p),      SYM(imp_sin),       SYM(imp_cos),
    SYM(imp_tan),        SYM(imp_asin),      SYM(imp_acos),
    SYM(imp_atan),       SYM(imp_atan2),     SYM(imp_sinh),
    SYM(imp_cosh),       SYM(imp_tanh),      SYM(imp_asinh),
    SYM(imp_acosh),      SYM(imp_atanh),     SYM(imp_erf),
    SYM(imp_erfc),       SYM(imp_gamma),     SYM(imp_lgamma),
    SYM(imp_fabs),       SYM(imp_polygamma), SYM(imp_min),
    SYM(imp_max),        SYM(imp_sign),      SYM(imp_floor),
    SYM(imp_ceil),       SYM(imp_round),     SYM(imp_trunc),
    SYM(imp_fmod),       SYM(imp_bool),      SYM(imp_series_op),
    SYM(imp_lu_factor),  SYM(imp_lu_solve),  SYM(imp_ldlt_factor),
    SYM(imp_ldlt_solve), SYM(memcpy),        SYM(memmove),
    SYM(memset),         {NULL, NULL}};
#undef SYM

#endif
