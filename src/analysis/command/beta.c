/* SPDX-License-Identifier: MIT */
/* The incomplete beta function by its continued fraction. */
#include "analysis/command/beta.h"

#include <assert.h>
#include <float.h>
#include <math.h>

static double
off_zero(double x)
{
    const double tiny = DBL_MIN / DBL_EPSILON;

    return fabs(x) < tiny ? tiny : x;
}

/* The continued fraction DLMF 8.17.22 by Lentz's method (1976), for
 * x < (a + 1)/(a + b + 2), where it takes some sqrt(max(a, b)) terms. */
static double
fraction(double a, double b, double x)
{
    double c = 1, d = 1 / off_zero(1 - (a + b) * x / (a + 1)), h = d;
    double most = 100 + 10 * sqrt(a + b);

    for (double m = 1; m < most; m += 1) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd =
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / off_zero(1 + even * d);
        c = off_zero(1 + even / c);
        h *= d * c;
        d = 1 / off_zero(1 + odd * d);
        c = off_zero(1 + odd / c);
        h *= d * c;
        if (fabs(d * c - 1) < 4 * DBL_EPSILON)
            break;
    }
    return h;
}

static double
log_gamma(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}

double
beta_below(double a, double b, double x)
{
    assert(a > 0 && b > 0);
    if (!(x > 0) || !(x < 1))
        return x > 0;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) +
                       a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
                                     : 1 - front * fraction(b, a, 1 - x) / b;
}
