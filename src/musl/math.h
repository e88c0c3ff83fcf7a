/* SPDX-License-Identifier: MIT */
/* What `#include <math.h>` finds in the rooms of Imp: the system's header and,
 * behind it, the elementary functions under the names that they have in the
 * object which musl.cmake makes. Functions that every C library computes
 * exactly (sqrt, fabs, floor, rint, ldexp, frexp and so on) are not here: any
 * of them gives the same bits. */
#ifndef IMP_MUSL_MATH_H
#define IMP_MUSL_MATH_H
#pragma GCC system_header
#include_next <math.h>

/* The greater and the lesser of two numbers, of which one may be no number, as
 * the C library has them; it is called for each, which took 2 to 3 of 100 of a
 * run. */
static inline double
imp_fmax(double one, double other)
{
    return one > other || other != other ? one : other;
}

static inline double
imp_fmin(double one, double other)
{
    return one < other || other != other ? one : other;
}

#define fmax(x, y) imp_fmax(x, y)
#define fmin(x, y) imp_fmin(x, y)

#ifdef IMP_MUSL
double imp_musl_acos(double);
double imp_musl_acosh(double);
double imp_musl_asin(double);
double imp_musl_asinh(double);
double imp_musl_atan(double);
double imp_musl_atanh(double);
double imp_musl_cbrt(double);
double imp_musl_cos(double);
double imp_musl_cosh(double);
double imp_musl_erf(double);
double imp_musl_erfc(double);
double imp_musl_exp(double);
double imp_musl_exp2(double);
double imp_musl_expm1(double);
double imp_musl_log(double);
double imp_musl_log10(double);
double imp_musl_log1p(double);
double imp_musl_log2(double);
double imp_musl_sin(double);
double imp_musl_sinh(double);
double imp_musl_tan(double);
double imp_musl_tanh(double);
double imp_musl_tgamma(double);
double imp_musl_atan2(double, double);
double imp_musl_fmod(double, double);
double imp_musl_hypot(double, double);
double imp_musl_pow(double, double);
double imp_musl_lgamma_r(double, int *);

#define acos(x) imp_musl_acos(x)
#define acosh(x) imp_musl_acosh(x)
#define asin(x) imp_musl_asin(x)
#define asinh(x) imp_musl_asinh(x)
#define atan(x) imp_musl_atan(x)
#define atanh(x) imp_musl_atanh(x)
#define cbrt(x) imp_musl_cbrt(x)
#define cos(x) imp_musl_cos(x)
#define cosh(x) imp_musl_cosh(x)
#define erf(x) imp_musl_erf(x)
#define erfc(x) imp_musl_erfc(x)
#define exp(x) imp_musl_exp(x)
#define exp2(x) imp_musl_exp2(x)
#define expm1(x) imp_musl_expm1(x)
#define log(x) imp_musl_log(x)
#define log10(x) imp_musl_log10(x)
#define log1p(x) imp_musl_log1p(x)
#define log2(x) imp_musl_log2(x)
#define sin(x) imp_musl_sin(x)
#define sinh(x) imp_musl_sinh(x)
#define tan(x) imp_musl_tan(x)
#define tanh(x) imp_musl_tanh(x)
#define tgamma(x) imp_musl_tgamma(x)
#define atan2(x, y) imp_musl_atan2(x, y)
#define fmod(x, y) imp_musl_fmod(x, y)
#define hypot(x, y) imp_musl_hypot(x, y)
#define pow(x, y) imp_musl_pow(x, y)
#define lgamma_r(x, sign) imp_musl_lgamma_r(x, sign)
#endif

#endif
