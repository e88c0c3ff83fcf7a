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
ballistic_units(struct ballistic *l)
{
    struct ballistic_workspace *w = l->w;
    w->tunit = power2(l->ex - l->ev);
    w->vunit = power2(l->ev);
    w->aunit = power2(l->ex - 2 * l->ev);
    w->still = l->model.m > 0 && l->model.m <= BALLISTIC_LANES;
    for (int i = 0; i < l->model.m; i++) {
        l->nal[i] = l->na[i] == 0.0 ? 0.0 : l->na[i] * w->aunit;
        l->c0l[i] = l->k.c0[i] == 0.0 ? 0.0 : times2(l->k.c0[i], -l->ex);
        l->d0l[i] = l->k.d0[i] == 0.0 ? 0.0 : times2(l->k.d0[i], -l->ev);
        w->still &= l->nal[i] == 0.0 && l->d0l[i] == 0.0;
    }
    for (int j = 0; j < l->k.r; j++) {
        l->yal[j] = l->ya[j] == 0.0 ? 0.0 : l->ya[j] * w->aunit;
        w->still &= l->yal[j] == 0.0;
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
ballistic_rescale(struct ballistic *l)
{
    struct ballistic_workspace *w = l->w;
    int r = l->k.r, m = l->model.m, ex = l->ex, ev = l->ev;
    double a = largest(l->na, m);
    bool any, rest = !(largest(l->y, r) > 0.0);
    /* local accelerations a 2^(ex - 2 ev) stay finite */
    int least = -UNITS_EXPONENTS;
    any = fit(l->y, r, &l->ex, least);
    if (a > 0.0 && !rest)
        least = (l->ex + ilogb(a) - ilogb(UNITS_STEEP)) / 2 + UNITS_STEP;
    any |= fit(l->z, r, &l->ev, least);
    if (any && rest) /* no length: that of the speed */
        l->ex = a > 0.0 ? 2 * l->ev : l->ev;
    w->low_v = UNITS_SMALL;
    if (!any)
        return;
    for (int i = 0; i < m; i++) {
        l->gap[i] = times2(l->gap[i], ex - l->ex);
        l->big[i] = times2(l->big[i], ex - l->ex);
        l->rate[i] = times2(l->rate[i], ev - l->ev);
        w->rsize[i] = times2(w->rsize[i], ev - l->ev);
    }
    ballistic_units(l);
    w->coasts &= w->still;
}

bool
ballistic_plain_units(struct ballistic *l)
{
    int r = l->k.r, m = l->model.m, ex = l->ex, ev = l->ev;
    if (ex == 0 && ev == 0)
        return false;
    l->ex = l->ev = 0;
    for (int j = 0; j < r; j++) {
        l->y[j] = times2(l->y[j], ex);
        l->z[j] = times2(l->z[j], ev);
    }
    ballistic_units(l);
    for (int i = 0; i < m; i++) {
        l->gap[i] = isfinite(l->gap[i]) ? times2(l->gap[i], ex)
                                        : ballistic_of(l, i, l->y) + l->c0l[i];
        l->big[i] = isfinite(l->big[i]) ? times2(l->big[i], ex)
                                        : fabs(l->gap[i]) + fabs(l->c0l[i]);
        l->rate[i] = times2(l->rate[i], ev);
        l->w->rsize[i] = times2(l->w->rsize[i], ev);
    }
    return true;
}
