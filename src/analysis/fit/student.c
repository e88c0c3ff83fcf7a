/* SPDX-License-Identifier: MIT */
/* Quantiles of Student's t, from the incomplete beta function. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "analysis/fit/fit_priv.h"
#include "runtime/tape/functions.h"

/* The continued fraction of the incomplete beta function (Lentz 1976, as in
 * Press et al. 2007, 6.4). It converges for x < (a + 1)/(a + b + 2). */
static double
beta_fraction(double a, double b, double x)
{
    const double tiny = DBL_MIN / DBL_EPSILON;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd =
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        h *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        double change = d * c;
        h *= change;
        if (fabs(change - 1) < 4 * DBL_EPSILON)
            break;
    }
    return h;
}

/* The incomplete beta function I_x(a, b). */
static double
beta_share(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = imp_exp(imp_lgamma(a + b) - imp_lgamma(a) - imp_lgamma(b) +
                           a * imp_log(x) + b * imp_log1p(-x));
    return x < (a + 1) / (a + b + 2)
               ? front * beta_fraction(a, b, x) / a
               : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* P(|T| > t) */
static double
outside(double t, double degrees)
{
    if (isinf(degrees))
        return imp_erfc(t / imp_sqrt(2.0));
    return beta_share(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double
student_two_sided(double level, double degrees)
{
    assert(level > 0 && level < 1 && degrees > 0);
    double share = 1 - level, lo = 0, hi = 1;
    while (outside(hi, degrees) > share && hi < DBL_MAX / 4)
        hi *= 2;
    /* halved until neighbouring doubles are left */
    for (;;) {
        double middle = lo + (hi - lo) / 2;
        if (!(middle > lo && middle < hi))
            return hi;
        if (outside(middle, degrees) > share)
            lo = middle;
        else
            hi = middle;
    }
}
