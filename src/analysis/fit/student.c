/* SPDX-License-Identifier: MIT */
/* Quantiles of Student's t, from the beta distribution. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "analysis/command/beta.h"
#include "analysis/fit/fit_priv.h"
#include "runtime/tape/functions.h"

/* P(|T| > t) */
static double
outside(double t, double degrees)
{
    if (isinf(degrees))
        return imp_erfc(t / imp_sqrt(2.0));
    return beta_below(degrees / 2, 0.5, degrees / (degrees + t * t));
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
