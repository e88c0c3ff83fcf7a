/* SPDX-License-Identifier: MIT */
/* The state after a limit of infinitely many impacts. All impulses of an
 * accumulation lie in the span of M^-1 N^T of its group of contacts, so
 * velocity and position at the limit are the projections, orthogonal in the
 * metric of M, of what free motion would give:
 *     v* = P (v + a T),   x* = P (x + v T + a T^2/2),   N_group P = 0,
 * whatever the impacts in between are. The motion after the limit is the
 * projected parabola; it does not depend on T (spec/chatter.md 2.2). */
#include <string.h>

#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/dense.h"

/* Other contacts must stay clear of the accumulation by this many times what
 * the present motion of the group does to them. */
#define PROJECTION_CLEARANCE 4.0

void
ballistic_stick(struct ballistic *l, const bool *closed)
{
    int k = projection_factor(l, closed);
    projection_apply(l, k, l->y, l->c0l);
    projection_apply(l, k, l->z, l->d0l);
    l->n_on = 0;
    for (int i = 0; i < l->model.m; i++) {
        l->on[i] = closed[i];
        l->n_on += closed[i];
    }
    ballistic_sense(l);
}

/* least of g + u s + a s^2/2 for s in 0 .. T */
static double
lowest(double g, double u, double a, double T)
{
    double least = fmin(g, g + (u + 0.5 * a * T) * T), s = -u / a;
    if (a > 0.0 && s > 0.0 && s < T)
        least = fmin(least, g + 0.5 * u * s);
    return least;
}

/* Is the gap of contact i, which no impact of the k factored ones has met so
 * far, 0 where theirs are, however the system moves? Where their impacts repeat
 * it shrinks as they do, and is closed with them in the end. */
static bool
follows(struct ballistic *l, int k, int i)
{
    struct ballistic_workspace *w = l->w;
    int m = l->model.m;
    double left = l->k.W[i * (m + 1)];
    for (int j = 0; j < m; j++)
        w->ys[j] = l->k.W[j * m + i];
    projection_solve(l, k, w->ys);
    for (int j = 0; j < k; j++)
        left -= l->k.W[i * m + w->index[j]] * w->f[j];
    bool none = w->still && l->c0l[i] == 0.0; /* offsets at the limit */
    for (int j = 0; j < k; j++)
        none &= l->c0l[w->index[j]] == 0.0;
    return none && left <= dense_tolerance(m, m) * l->k.W[i * (m + 1)];
}

/* Do the contacts outside the group (w->closed) stay open until the limit, T
 * from now? Along the projected parabola, and by what the group's gaps and
 * rates do to them. */
bool
projection_others_stay_open(struct ballistic *l, double T)
{
    struct ballistic_workspace *w = l->w;
    int m = l->model.m, others = 0;
    int k = projection_factor(l, w->closed);
    for (int i = 0; i < m; i++) {
        w->slight[i] = !w->closed[i] && follows(l, k, i);
        others += !w->closed[i] && !w->slight[i];
    }
    for (int i = 0; i < m; i++)
        w->closed[i] |= w->slight[i];
    if (!others)
        return true;
    k = projection_factor(l, w->closed);
    memset(w->ds, 0, (size_t)m * sizeof *w->ds);
    /* from the gaps, which are known better than y */
    const double *part[] = {l->gap, l->rate, l->nal};
    double *left[] = {w->ys, w->zs, w->as}, unit[] = {1.0, T, 0.5 * T * T};
    for (int s = 0; s < 3; s++) {
        projection_solve(l, k, part[s]);
        for (int i = 0; i < m; i++) {
            left[s][i] = part[s][i];
            for (int j = 0; j < k; j++) {
                double d = l->k.W[i * m + w->index[j]] * w->f[j];
                left[s][i] -= d;
                w->ds[i] += fabs(d) * unit[s];
            }
        }
    }
    for (int i = 0; i < m; i++) {
        if (w->closed[i])
            continue;
        double g = w->ys[i], u = w->zs[i], a = w->as[i];
        bool ahead = lowest(g, u, a, T) > PROJECTION_CLEARANCE * w->ds[i];
        /* closed to rounding, and opening */
        bool opens = g <= 0.0 && u * T > PROJECTION_CLEARANCE * w->ds[i] &&
                     lowest(0.0, u, a, T) >= 0.0;
        if (!ahead && !opens)
            return false;
    }
    return true;
}

/* all contacts are closed at the limit, and can be: nothing is left */
static bool
take_all(struct ballistic *l, double T)
{
    struct ballistic_workspace *w = l->w;
    int m = l->model.m;
    for (int i = 0; i < m; i++)
        if (!w->closed[i] || l->c0l[i] != 0.0 || l->d0l[i] != 0.0)
            return false;
    ballistic_add_time(l, times2(T, l->ex - l->ev));
    memset(l->y, 0, (size_t)l->k.r * sizeof *l->y);
    memset(l->z, 0, (size_t)l->k.r * sizeof *l->z);
    memset(l->fresh, 0, (size_t)m);
    memset(l->impulse, 0, (size_t)m * sizeof *l->impulse);
    memcpy(l->on, w->closed, (size_t)m);
    ballistic_sense(l);
    bool loaded = false; /* contacts that are on may carry what is still */
    for (int i = 0; i < m; i++)
        loaded |= l->k.nf[i] != 0.0;
    if (loaded || !w->still) {
        active_set_settle(l);
        ballistic_rescale(l);
        return true;
    }
    /* and nothing moves it from there */
    l->n_on = m;
    memset(l->force, 0, (size_t)m * sizeof *l->force);
    memset(l->big, 0, (size_t)m * sizeof *l->big);
    w->low_v = INFINITY;
    return true;
}

/* small gaps and rates of the contacts outside go on by themselves, as in
 * flights */
void
projection_take_limit(struct ballistic *l, double T)
{
    struct ballistic_workspace *w = l->w;
    if (take_all(l, T))
        return;
    int m = l->model.m, k = projection_factor(l, w->closed);
    for (int i = 0; i < m; i++) {
        w->ys[i] = l->gap[i] + (l->rate[i] + 0.5 * l->nal[i] * T) * T;
        w->zs[i] = l->rate[i] + l->nal[i] * T;
    }
    double *part[] = {w->ys, w->zs};
    bool any = false;
    for (int s = 0; s < 2; s++) {
        projection_solve(l, k, part[s]);
        for (int i = 0; i < m; i++) {
            double size = fabs(part[s][i]);
            for (int j = 0; j < k; j++) {
                double d = l->k.W[i * m + w->index[j]] * w->f[j];
                part[s][i] -= d;
                size += fabs(d);
            }
            /* no rate beside that of the group: none at all */
            w->calm[i] = fabs(part[s][i]) <=
                         BALLISTIC_NOISE * (k + 1) * DBL_EPSILON * size;
            any |= s == 1 && w->calm[i] && !w->closed[i];
        }
    }
    ballistic_advance(l, T);
    projection_apply(l, k, l->y, l->c0l);
    projection_apply(l, any ? projection_factor(l, w->calm) : k, l->z, l->d0l);
    memset(l->fresh, 0, (size_t)m);
    memset(l->impulse, 0, (size_t)m * sizeof *l->impulse);
    memcpy(l->on, w->closed, (size_t)m);
    ballistic_sense(l);
    double ys = 0.0, zs = 0.0;
    for (int j = 0; j < l->k.r; j++) {
        ys += fabs(l->y[j]);
        zs += fabs(l->z[j]);
    }
    for (int i = 0; i < m && !l->k.direct; i++) {
        double size = l->k.root[i];
        if (l->on[i])
            continue;
        if (fabs(w->ys[i]) < BALLISTIC_MINOR * (ys * size + fabs(l->c0l[i])))
            l->gap[i] = w->ys[i];
        if (w->calm[i])
            l->rate[i] = 0.0;
        else if (fabs(w->zs[i]) < BALLISTIC_MINOR * zs * size)
            l->rate[i] = w->zs[i];
    }
    active_set_settle(l);
    ballistic_rescale(l);
}
