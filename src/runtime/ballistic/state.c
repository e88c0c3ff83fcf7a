/* SPDX-License-Identifier: MIT */
/* What can be asked of the state of a ballistic motion: coordinates, gaps,
 * rates. Invariants: gap and rate are those of y and z but for contacts that
 * stay closed (0) or were just hit (the rate of the law of impact, exactly). */
#include "runtime/ballistic/workspace.h"

void
ballistic_sense(struct ballistic *l)
{
    for (int i = 0; i < l->model.m; i++) {
        l->gap[i] = l->on[i] ? 0.0 : ballistic_of(l, i, l->y) + l->c0l[i];
        l->rate[i] = l->on[i] ? 0.0 : ballistic_of(l, i, l->z) + l->d0l[i];
    }
}

/* q and v at time `after` the state (y, z) now */
static void
put(const struct ballistic *l, double after, const double *y, const double *z,
    double *q, double *v)
{
    double s = l->t - l->start + l->t_lo + after;
    for (int i = 0; i < l->model.n; i++) {
        const double *E = l->k.E + i * l->k.r;
        q[i] = l->k.origin[i] +
               (l->xp[i] + (l->vp[i] + 0.5 * l->k.ap[i] * s) * s) +
               times2(dot_of(l->k.r, E, y), l->ex);
        v[i] =
            (l->vp[i] + l->k.ap[i] * s) + times2(dot_of(l->k.r, E, z), l->ev);
    }
}

void
ballistic_state(const struct ballistic *l, double *q, double *v)
{
    put(l, 0.0, l->y, l->z, q, v);
}

void
ballistic_between(struct ballistic *l, const struct ballistic *after, double t,
                  double *q, double *v)
{
    struct ballistic_workspace *w = l->w;
    /* a time within the rounding of now is now: in local time it may be far */
    double dt = t == l->t ? 0.0 : t - l->t - l->t_lo;
    double s = times2(dt, l->ev - l->ex);
    for (int i = 0; i < l->k.r; i++) {
        w->ys[i] = l->y[i] + (l->z[i] + 0.5 * l->yal[i] * s) * s;
        w->zs[i] = l->z[i] + l->yal[i] * s;
    }
    if (after)
        projection_average(l, after, w->ys, w->zs);
    put(l, dt, w->ys, w->zs, q, v);
}

double
ballistic_gap(const struct ballistic *l, int i)
{
    return l->on[i] || l->fresh[i] ? 0.0 : times2(l->gap[i], l->ex);
}

double
ballistic_rate(const struct ballistic *l, int i, int *exponent)
{
    double u = l->on[i] ? 0.0 : l->rate[i];
    if (exponent) {
        *exponent = l->ev;
        return u;
    }
    return times2(u, l->ev);
}

void
ballistic_advance(struct ballistic *l, double s)
{
    for (int j = 0; j < l->k.r; j++) {
        l->y[j] += (l->z[j] + 0.5 * l->yal[j] * s) * s;
        l->z[j] += l->yal[j] * s;
    }
    ballistic_add_time(l, times2(s, l->ex - l->ev));
}
