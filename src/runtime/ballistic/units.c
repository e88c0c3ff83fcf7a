/* SPDX-License-Identifier: MIT */
/* The units of a ballistic motion. Gaps and rates are mantissas with one
 * binary exponent each, which follows the sizes, so that thousands of impacts
 * of shrinking size lose no digits and never underflow. "Local" numbers are
 * those in these units (workspace.h). */
#include "runtime/ballistic/workspace.h"

/* exponents change in steps of this many bits */
#define UNITS_STEP 40
/* exponents beyond: nothing is left of the numbers */
#define UNITS_EXPONENTS 100000000
/* local accelerations are kept below this */
#define UNITS_STEEP 0x1p200

void
ballistic_units(struct ballistic *motion)
{
    struct ballistic_workspace *work = motion->work;
    work->units.time = power2(motion->length_exponent - motion->rate_exponent);
    work->units.rate = power2(motion->rate_exponent);
    work->units.acc =
        power2(motion->length_exponent - 2 * motion->rate_exponent);
    work->flight.unaccelerated =
        motion->model.m > 0 && motion->model.m <= BALLISTIC_LANES;
    for (int i = 0; i < motion->model.m; i++) {
        motion->local.gap_acc[i] =
            motion->mode.gap_acc[i] == 0.0
                ? 0.0
                : motion->mode.gap_acc[i] * work->units.acc;
        motion->local.gap_offset[i] =
            motion->matrices.gap_offset[i] == 0.0
                ? 0.0
                : times2(motion->matrices.gap_offset[i],
                         -motion->length_exponent);
        motion->local.rate_offset[i] =
            motion->matrices.rate_offset[i] == 0.0
                ? 0.0
                : times2(motion->matrices.rate_offset[i],
                         -motion->rate_exponent);
        work->flight.unaccelerated &= motion->local.gap_acc[i] == 0.0 &&
                                      motion->local.rate_offset[i] == 0.0;
    }
    for (int j = 0; j < motion->matrices.rank; j++) {
        motion->local.y_acc[j] = motion->mode.y_acc[j] == 0.0
                                     ? 0.0
                                     : motion->mode.y_acc[j] * work->units.acc;
        work->flight.unaccelerated &= motion->local.y_acc[j] == 0.0;
    }
}

static double
largest(const double *x, int n)
{
    double m = 0.0;
    for (int i = 0; i < n; i++)
        m = greater(fabs(x[i]), m);
    return m;
}

/* mantissas x of size back into their range by changes of *e; `least`: no
 * further down */
static bool
fit(double *x, int n, int *e, int least)
{
    double size = largest(x, n);
    int by = 0;
    while (size < UNITS_SMALL && size > 0.0 && *e + by > least) {
        size *= 0x1p40;
        by -= UNITS_STEP;
    }
    while (size > 0x1p60 && isfinite(size)) {
        size *= 0x1p-40;
        by += UNITS_STEP;
    }
    for (int i = 0; i < n && by; i++)
        x[i] = times2(x[i], -by);
    *e += by;
    return by != 0;
}

void
ballistic_rescale(struct ballistic *motion)
{
    struct ballistic_workspace *work = motion->work;
    int r = motion->matrices.rank, m = motion->model.m,
        ex = motion->length_exponent, ev = motion->rate_exponent;
    double a = largest(motion->mode.gap_acc, m);
    bool any, rest = !(largest(motion->y, r) > 0.0);
    /* local accelerations a 2^(ex - 2 ev) stay finite */
    int least = -UNITS_EXPONENTS;
    any = fit(motion->y, r, &motion->length_exponent, least);
    if (a > 0.0 && !rest)
        least = (motion->length_exponent + ilogb(a) - ilogb(UNITS_STEEP)) / 2 +
                UNITS_STEP;
    any |= fit(motion->z, r, &motion->rate_exponent, least);
    if (any && rest) /* no length: that of the speed */
        motion->length_exponent =
            a > 0.0 ? 2 * motion->rate_exponent : motion->rate_exponent;
    work->units.low_rate = UNITS_SMALL;
    if (!any)
        return;
    for (int i = 0; i < m; i++) {
        motion->gap[i] = times2(motion->gap[i], ex - motion->length_exponent);
        motion->greatest[i] =
            times2(motion->greatest[i], ex - motion->length_exponent);
        motion->rate[i] = times2(motion->rate[i], ev - motion->rate_exponent);
        work->rate_terms[i] =
            times2(work->rate_terms[i], ev - motion->rate_exponent);
    }
    ballistic_units(motion);
    work->flight.coasts &= work->flight.unaccelerated;
}

bool
ballistic_plain_units(struct ballistic *motion)
{
    int r = motion->matrices.rank, m = motion->model.m,
        ex = motion->length_exponent, ev = motion->rate_exponent;
    if (ex == 0 && ev == 0)
        return false;
    motion->length_exponent = motion->rate_exponent = 0;
    for (int j = 0; j < r; j++) {
        motion->y[j] = times2(motion->y[j], ex);
        motion->z[j] = times2(motion->z[j], ev);
    }
    ballistic_units(motion);
    for (int i = 0; i < m; i++) {
        motion->gap[i] = isfinite(motion->gap[i])
                             ? times2(motion->gap[i], ex)
                             : ballistic_of(motion, i, motion->y) +
                                   motion->local.gap_offset[i];
        motion->greatest[i] =
            isfinite(motion->greatest[i])
                ? times2(motion->greatest[i], ex)
                : fabs(motion->gap[i]) + fabs(motion->local.gap_offset[i]);
        motion->rate[i] = times2(motion->rate[i], ev);
        motion->work->rate_terms[i] = times2(motion->work->rate_terms[i], ev);
    }
    return true;
}
