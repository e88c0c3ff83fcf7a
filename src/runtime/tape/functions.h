/* SPDX-License-Identifier: MIT */
/* The only way to libm for evaluator and generated code, so that no compiler
 * sees a library call that it could replace. Values at signed zero and NaN are
 * as written here. Also the series of operators whose rule is HELPER. */
#ifndef IMP_RUNTIME_TAPE_FUNCTIONS_H
#define IMP_RUNTIME_TAPE_FUNCTIONS_H

#include <stdint.h>

/* one function per distinct imp_* name in the EVAL column of abi/ops.def:
 * imp_sqrt(a) ... imp_pow(a, b) ...; truth values are imp_bool. sqrt, fabs,
 * min, max, sign, bool may be emitted inline by codegen if the bits agree.
 * imp_min(a, b) = b < a ? b : a; imp_max(a, b) = a < b ? b : a; imp_sign(+-0)
 * = 0; NaN goes through. imp_abspow(0, 0) = 1, imp_sgnpow(0, b>=0) = 0,
 * imp_abspow(0, b<0) = inf. imp_polygamma(n, x), integer n >= 0. */
double imp_sqrt(double a), imp_cbrt(double a), imp_pow(double a, double b),
    imp_abspow(double a, double b), imp_sgnpow(double a, double b),
    imp_hypot(double a, double b), imp_exp(double a), imp_exp2(double a),
    imp_expm1(double a), imp_log(double a), imp_log2(double a),
    imp_log10(double a), imp_log1p(double a), imp_sin(double a),
    imp_cos(double a), imp_tan(double a), imp_asin(double a),
    imp_acos(double a), imp_atan(double a), imp_atan2(double a, double b),
    imp_sinh(double a), imp_cosh(double a), imp_tanh(double a),
    imp_asinh(double a), imp_acosh(double a), imp_atanh(double a),
    imp_erf(double a), imp_erfc(double a), imp_gamma(double a),
    imp_lgamma(double a), imp_polygamma(double a, double b), imp_fabs(double a),
    imp_min(double a, double b), imp_max(double a, double b),
    imp_sign(double a), imp_floor(double a), imp_ceil(double a),
    imp_round(double a), imp_trunc(double a), imp_fmod(double a, double b),
    imp_bool(int truth);

/* The numbers of a table lie `stride` apart and rise in imp_place, which returns
 * which of them is the last that is not above a, of n + IMP_TABLE_BELOW numbers
 * the last below a: 0 also where none is. imp_entry
 * returns that of number a, the nearest where there is no such one. NaN goes
 * through. */
double imp_place(double a, const double *table, uint32_t n, uint32_t stride),
    imp_entry(double a, const double *table, uint32_t n, uint32_t stride);

/* Returns the order-k coefficient (k >= 1) of a HELPER operator. a, b: rows of
 * the operands (coefficient 0 at a[0]; entries up to k are known), y: row of
 * the result (up to k-1 known). Where the function is not analytic along these
 * series the result is NaN. */
double imp_series_op(uint32_t op, const double *a, const double *b,
                     const double *y, int k);

#endif
