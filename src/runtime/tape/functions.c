/* SPDX-License-Identifier: MIT */
/* The functions of the operator table: calls of libm, so that evaluator and
 * generated code run the same code, and the few functions that C lacks. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "abi/lists.h"
#include "runtime/tape/functions.h"

#define COVER(name)                                                            \
    double imp_##name(double a)                                                \
    {                                                                          \
        return name(a);                                                        \
    }
COVER(sqrt)
COVER(cbrt)
COVER(exp)
COVER(exp2)
COVER(expm1)
COVER(log)
COVER(log2)
COVER(log10)
COVER(log1p)
COVER(asin)
COVER(acos)
COVER(atan)
COVER(sinh)
COVER(cosh)
COVER(tanh)
COVER(asinh)
COVER(acosh)
COVER(atanh)
COVER(erf)
COVER(erfc)
COVER(fabs)
COVER(floor)
COVER(ceil)
COVER(round)
COVER(trunc)
#undef COVER

/* pi is no double, so that the angles of quarter and eighth turns are rounded:
 * the sine of the double nearest to pi is 1.2e-16, and a wall turned by the one
 * nearest to pi/2 leans by 6e-17. A double that is the nearest to k pi/4 stands
 * for this angle, whose sine and cosine are known. That is a change of the
 * angle by half of its last digit at most. True, with k mod 8 in *eighth, up to
 * two turns both ways, where k pi/4 made by products, quotients and degrees is
 * mostly that double. Thirds and sixths of a half turn are left as they are:
 * sqrt(3)/2 is no double, so that what is turned by them leans in any case. */
static bool
is_eighth_turn(double angle, unsigned *eighth)
{
    const double quarter_pi = 0x1.921fb54442d18p-1;
    if (!(fabs(angle) < 12.6))
        return false;
    int k = (int)(angle / quarter_pi + (angle < 0.0 ? -0.5 : 0.5));
    *eighth = (unsigned)k & 7U;
    return k != 0 && angle == k * quarter_pi;
}

static const double eighth_sines[8] = {0.0, M_SQRT1_2,  1.0,  M_SQRT1_2,
                                       0.0, -M_SQRT1_2, -1.0, -M_SQRT1_2};

double
imp_sin(double a)
{
    unsigned eighth;
    return is_eighth_turn(a, &eighth) ? eighth_sines[eighth] : sin(a);
}

double
imp_cos(double a)
{
    unsigned eighth;
    return is_eighth_turn(a, &eighth) ? eighth_sines[(eighth + 2U) & 7U]
                                      : cos(a);
}

/* At odd multiples of pi/2 it is infinite, and no number near to 1e16. */
double
imp_tan(double a)
{
    unsigned eighth;
    return is_eighth_turn(a, &eighth)
               ? eighth_sines[eighth] / eighth_sines[(eighth + 2U) & 7U]
               : tan(a);
}

double
imp_pow(double a, double b)
{
    return pow(a, b);
}

double
imp_hypot(double a, double b)
{
    return hypot(a, b);
}

double
imp_atan2(double a, double b)
{
    return atan2(a, b);
}

double
imp_fmod(double a, double b)
{
    return fmod(a, b);
}

double
imp_min(double a, double b)
{
    return b < a ? b : a;
}

double
imp_max(double a, double b)
{
    return a < b ? b : a;
}

double
imp_sign(double a)
{
    if (a > 0)
        return 1;
    if (a < 0)
        return -1;
    return a != a ? a : 0;
}

double
imp_bool(int truth)
{
    return truth ? 1.0 : 0.0;
}

/* Returns |a|^b; 0^0 = 1 and 0^b = inf for b < 0, as pow has it. */
double
imp_abspow(double a, double b)
{
    return pow(fabs(a), b);
}

/* Returns sgn(a)|a|^b; at a = 0: 0 for b >= 0, without a value for b < 0. */
double
imp_sgnpow(double a, double b)
{
    if (a == 0)
        return b >= 0 ? 0 : (double)NAN;
    double y = pow(fabs(a), b);
    return a < 0 ? -y : y;
}

double
imp_gamma(double a)
{
    return tgamma(a);
}

double
imp_lgamma(double a)
{
    int sign;
    return lgamma_r(a, &sign);
}

/* ---- polygamma ----------------------------------------------------------- */

/* B_2j for j = 1 .. 12 */
static const double bernoulli[] = {
    1.0 / 6,       -1.0 / 30,       1.0 / 42,       -1.0 / 30,
    5.0 / 66,      -691.0 / 2730,   7.0 / 6,        -3617.0 / 510,
    43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730};
#define BERNOULLI_N 12

/* below this argument the recurrence climbs; the asymptotic series then ends
 * under rounding level (terms fall like ((2j + n)/(2 pi x))^2j) */
#define POLYGAMMA_LARGE 16.0
/* steps of the recurrence that are worth taking for negative arguments */
#define POLYGAMMA_STEPS 20000.0

static double
digamma(double x)
{
    if (x <= 0) {
        if (x == rint(x))
            return (double)NAN;
        /* reflection, DLMF 5.5.4; the fraction first, for its digits */
        double f = x - rint(x);
        return digamma(1 - x) - M_PI / tan(M_PI * f);
    }
    double sum = 0;
    while (x < POLYGAMMA_LARGE) {
        sum -= 1 / x;
        x += 1;
    }
    /* DLMF 5.11.2 */
    double q = 1 / (x * x), t = 0;
    for (int j = BERNOULLI_N; j >= 1; j--)
        t = q * (bernoulli[j - 1] / (2 * j) + t);
    return sum + (log(x) - 0.5 / x - t);
}

/* Computes psi^(n)(x) by psi^(n)(x + 1) = psi^(n)(x) + (-1)^n n!/x^(n+1) (DLMF
 * 5.15.5) and the asymptotic series (5.15.8). */
double
imp_polygamma(double order, double x)
{
    if (!(order >= 0) || order != rint(order) || order > 150 || x != x)
        return (double)NAN;
    if (order == 0)
        return x == (double)INFINITY ? x : digamma(x);
    if ((x <= 0 && x == rint(x)) || x < -POLYGAMMA_STEPS)
        return (double)NAN;
    if (x == (double)INFINITY)
        return 0;
    int degree = (int)order;
    double large = POLYGAMMA_LARGE + order, sum = 0;
    double factorial = tgamma(order + 1);
    /* all terms over n!, smallest last */
    while (x < large) {
        sum += pow(x, -(order + 1));
        x += 1;
    }
    /* (n-1)!/x^n + n!/(2 x^(n+1)) + sum B_2j (2j+n-1)!/((2j)! x^(2j+n)) */
    double q = 1 / (x * x), c = 1, t = 0;
    for (int j = 1; j <= BERNOULLI_N; j++) {
        /* c = (2j + n - 1)!/((n - 1)! (2j)!) x^-2j */
        c *= (double)(2 * j + degree - 2) * (double)(2 * j + degree - 1) /
             ((double)(2 * j - 1) * (double)(2 * j)) * q;
        double term = bernoulli[j - 1] * c;
        t += term;
        if (fabs(term) < DBL_EPSILON * 1e-3)
            break;
    }
    double tail = pow(x, -order) * (1 + order / (2 * x) + t) / order;
    double y = factorial * (sum + tail);
    return degree % 2 ? y : -y;
}

/* -- tables ---------------------------------------------------------------- */

double
imp_place(double a, const double *table, uint32_t n, uint32_t stride)
{
    if (isnan(a))
        return a;
    uint32_t low = 0,
             high = n & ~IMP_TABLE_BELOW; /* a number above a, or none */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        double at = table[(size_t)middle * stride];
        if (at < a || (at == a && !(n & IMP_TABLE_BELOW)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

double
imp_entry(double a, const double *table, uint32_t n, uint32_t stride)
{
    if (isnan(a))
        return a;
    double last = (double)(n - 1), at = a < 0 ? 0 : a > last ? last : a;
    return table[(size_t)at * stride];
}
