/* SPDX-License-Identifier: MIT */
/* Infinitely many impacts in finite time. The impacts of a chatter repeat a
 * pattern of contacts, and the times of successive patterns shrink by a ratio
 * that converges; nothing is compared with an absolute speed or time. Once the
 * ratio is known to rounding the rest of the series is a geometric sum, and the
 * limit follows from the impulses' directions alone: all of them lie in
 * span M^-1 N^T of the group, so velocity and position at the limit are the
 * projections, orthogonal in the metric of M, of what free motion would give:
 *     v* = P (v + a T),   x* = P (x + v T + a T^2/2),   N_group P = 0.
 * A single contact under constant acceleration has the ratio e at once
 * (spec/chatter.md 2.2, 2.6). */
#include <string.h>

#include "runtime/dense.h"
#include "runtime/line_priv.h"

/* two successive ratios agree to this: the flights of a pattern are differences
 * of positions known to a few roundings */
#define LINE_CONVERGED 64.0
/* other contacts must stay clear of the chatter by this many times the present
 * deviation from its limit */
#define LINE_CLEAR 4.0

static const struct line_impact *
kept(const struct line_work *w, long back)
{
    return &w->ring[(w->n_ring - 1 - back) % LINE_KEPT];
}

void
line_note(struct line *l, int contact, double flight)
{
    struct line_work *w = l->w;
    struct line_impact *i = &w->ring[w->n_ring++ % LINE_KEPT];
    *i = (struct line_impact){contact, l->ex - l->ev, flight};
    for (int p = 1; p <= w->longest && p < w->n_ring; p++)
        w->match[p] = kept(w, p)->contact == contact ? w->match[p] + 1 : 0;
}

/* the flights of `period` impacts, `back` ones before the last, in the local
 * time of now */
static double
sum_of(const struct line *l, int period, int back)
{
    double s = 0.0;
    for (int i = back + period - 1; i >= back; i--) {
        const struct line_impact *f = kept(l->w, i);
        s += ldexp(f->flight, f->exponent - (l->ex - l->ev));
    }
    return s;
}

/* ratio of the pattern of this period, and how far it is from converged */
static bool
ratio_of(const struct line *l, int p, double *ratio, double *error)
{
    const struct line_work *w = l->w;
    int c = kept(w, 0)->contact;
    /* a flight under the acceleration that it leaves with: 2 u/a */
    if (p == 1 && c < l->model.m && w->match[1] >= 2 && l->na[c] < 0.0) {
        *ratio = l->model.e[c];
        *error = DBL_EPSILON;
        return *ratio < 1.0;
    }
    if (w->match[p] < 2 * p || w->n_ring < 3 * p + 1)
        return false;
    double now = sum_of(l, p, 0), before = sum_of(l, p, p),
           last = sum_of(l, p, 2 * p);
    if (!(now < before && before < last && now > 0.0))
        return false;
    *ratio = now / before;
    *error = fabs(*ratio - before / last) / *ratio;
    return *error <= LINE_CONVERGED * p * DBL_EPSILON / (1.0 - *ratio);
}

/* An order that never repeats: the flights of the last impacts against as many
 * before. The sum that is left is taken when it is lost in the rounding of the
 * time since the chatter began; *T is that sum (local). */
static bool
irregular(const struct line *l, double *ratio, double *T)
{
    const struct line_work *w = l->w;
    int k = LINE_KEPT / 4;
    if (w->n_ring < 2 * k || w->n_ring % k)
        return false;
    double now = sum_of(l, k, 0), before = sum_of(l, k, k);
    if (!(now < 0.99 * before))
        return false;
    *ratio = now / before;
    *T = now * *ratio / (1.0 - *ratio);
    return ldexp(*T, l->ex - l->ev) <= 0.25 * DBL_EPSILON * (l->t - w->began);
}

/* x := x - M^-1 N^T W^-1 (N x + off) for the contacts of the group and those
 * that slide; off NULL: 0 */
static void
project(const struct line *l, double *x, const double *off)
{
    struct line_work *w = l->w;
    int n = l->model.n, m = l->model.m, k = 0, rank;
    for (int i = 0; i < m; i++)
        if (l->group[i] || l->on[i])
            w->index[k++] = i;
    for (int i = 0; i < k; i++) {
        w->first[i] = 0;
        w->y[i] = line_dot(n, l->model.N + w->index[i] * n, x) +
                  (off ? off[w->index[i]] : 0.0);
        for (int j = 0; j < k; j++)
            w->G[i * k + j] = l->W[w->index[i] * m + w->index[j]];
    }
    dense_cholesky(k, w->G, k, w->first, NULL, dense_tolerance(k, k), w->rd,
                   &rank);
    for (int i = 0; i < k; i++)
        if (w->rd[i] == 0.0)
            w->y[i] = 0.0;
    dense_forward(k, w->G, k, w->first, w->rd, 0, w->y);
    dense_backward(k, w->G, k, w->first, w->rd, w->y);
    for (int j = 0; j < n; j++) {
        double s = 0.0, size = fabs(x[j]);
        for (int i = 0; i < k; i++) {
            double d = l->B[w->index[i] * n + j] * w->y[i];
            s += d;
            size += fabs(d);
        }
        x[j] -= s;
        if (fabs(x[j]) <= LINE_NOISE * (k + 1) * DBL_EPSILON * size)
            x[j] = 0.0;
    }
}

void
line_stick(struct line *l, const bool *closed)
{
    memcpy(l->group, closed, (size_t)l->model.m);
    project(l, l->x, l->c0);
    project(l, l->v, NULL);
    memcpy(l->on, closed, (size_t)l->model.m);
}

/* Do the contacts outside the group stay open until the limit, T from now
 * (local)? Along the projected parabola, and by the deviation from it. */
static bool
clear(struct line *l, double T)
{
    struct line_work *w = l->w;
    int n = l->model.n;
    double *x = w->xs, *v = w->vs;
    memcpy(x, l->x, (size_t)n * sizeof *x);
    memcpy(v, l->v, (size_t)n * sizeof *v);
    project(l, x, NULL);
    project(l, v, NULL);
    for (int i = 0; i < l->model.m; i++) {
        if (l->group[i] || l->on[i])
            continue;
        const double *N = l->model.N + i * n;
        double off = 0.0, g = line_dot(n, N, x), u = line_dot(n, N, v);
        for (int j = 0; j < n; j++)
            off +=
                fabs(N[j]) * (fabs(l->x[j] - x[j]) + fabs(l->v[j] - v[j]) * T);
        g += l->c0[i] == 0.0 ? 0.0 : ldexp(l->c0[i], -l->ex);
        /* accelerations: of the group's forces too; bounded by twice the free
         */
        double al = 2.0 * line_abs(n, N, l->model.acc) * w->scale;
        double least = g + fmin(u, 0.0) * T - 0.5 * al * T * T;
        if (!(least > LINE_CLEAR * off))
            return false;
    }
    return true;
}

static void
take(struct line *l, double T)
{
    struct line_work *w = l->w;
    int n = l->model.n, m = l->model.m;
    line_advance(l, T);
    project(l, l->x, NULL);
    project(l, l->v, NULL);
    for (int i = 0; i < m; i++) {
        w->closed[i] = l->group[i] || l->on[i];
        l->fresh[i] = false;
        l->impulse[i] = 0.0;
    }
    (void)n;
    line_settle(l);
    line_rescale(l);
}

void
line_average(struct line *l, const struct line *after, double *q, double *v)
{
    memcpy(l->group, after->group, (size_t)l->model.m);
    project(l, q, NULL);
    project(l, v, NULL);
}

bool
line_limit(struct line *l, double until)
{
    struct line_work *w = l->w;
    double ratio = 0.0, error = 0.0;
    int p = 1;
    for (; p <= w->longest; p++)
        if (w->n_ring > p && w->match[p] >= 2 * p &&
            w->match[p] + p >= w->least && ratio_of(l, p, &ratio, &error))
            break;
    double T;
    if (p > w->longest) {
        if (!irregular(l, &ratio, &T))
            return false;
        p = LINE_KEPT / 4;
        error = 1.0;
    } else {
        T = sum_of(l, p, 0) * ratio / (1.0 - ratio);
    }
    if (kept(w, 0)->contact < l->model.m && p == 1 &&
        l->na[kept(w, 0)->contact] < 0.0) {
        /* from the speed that the last impact left, not from a flight */
        int c = kept(w, 0)->contact;
        T = 2.0 * rate_of(l, c) / (-l->na[c] * w->scale) / (1.0 - ratio);
    }
    double real = ldexp(T, l->ex - l->ev);
    if (!(T >= 0.0) || !(l->t + l->t_lo + real <= until))
        return false;
    memset(l->group, 0, (size_t)l->model.m);
    for (int i = 0; i < p; i++)
        l->group[kept(w, i)->contact % l->model.m] = true;
    if (!clear(l, T))
        return false;
    l->hit = kept(w, 0)->contact % l->model.m;
    l->chatter = (struct line_chatter){
        .impacts = error < 1.0 ? w->match[p] + p : w->n_ring,
        .period = error < 1.0 ? p : 0,
        .ratio = ratio,
        .remaining = real,
        .error = error < 1.0 ? error / (1.0 - ratio) + DBL_EPSILON : 1.0};
    int composite = l->model.m + l->hit;
    take(l, T);
    memset(w->match, 0, sizeof w->match);
    line_note(l, composite, T);
    w->began = l->t;
    return true;
}
