/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts as projections. All impulses of a chatter
 * lie in span M^-1 N^T of its group, so velocity and position at the limit are
 * the projections, orthogonal in the metric of M, of what free motion would
 * give: v* = P (v + a T),   x* = P (x + v T + a T^2/2),   N_group P = 0,
 * whatever the impacts in between: what follows the limit is the projected
 * parabola, and does not depend on T. */
#include <string.h>

#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/dense.h"

/* Roundings of y before a fall: of a flight and an impact each, r products at
 * as many as it took to be hit from all sides. A correction beyond that comes
 * from gaps that say nearly the same, not from what y has lost. */
#define REGAIN_NOISE 256.0

/* contacts `sel` into w->index, W of them factored into w->G */
int
projection_factor(const struct ballistic *l, const bool *sel)
{
    struct ballistic_workspace *w = l->w;
    int m = l->model.m, k = 0;
    for (int i = 0; i < m; i++)
        if (sel[i])
            w->index[k++] = i;
    /* rounding of many contacts that depend on each other must not make more of
     * them independent than there are */
    double tol = dense_tolerance(k, k);
    do {
        for (int i = 0; i < k; i++) {
            w->first[i] = 0;
            for (int j = 0; j < k; j++)
                w->G[i * k + j] = l->k.W[w->index[i] * m + w->index[j]];
        }
        dense_cholesky(k, w->G, k, w->first, NULL, tol, w->rd, &w->rank);
        tol *= 16.0;
    } while (w->rank > l->k.r && tol < 1.0);
    return k;
}

/* w->f := W^-1 x for the factored contacts */
void
projection_solve(const struct ballistic *l, int k, const double *x)
{
    struct ballistic_workspace *w = l->w;
    for (int i = 0; i < k; i++)
        w->f[i] = w->rd[i] == 0.0 ? 0.0 : x[w->index[i]];
    dense_forward(k, w->G, k, w->first, w->rd, 0, w->f);
    dense_backward(k, w->G, k, w->first, w->rd, w->f);
}

/* w->f := W^-1 (gaps or rates y of the factored contacts, + off) */
static void
solve(const struct ballistic *l, int k, const double *y, const double *off)
{
    struct ballistic_workspace *w = l->w;
    for (int i = 0; i < k; i++)
        w->f[i] = w->rd[i] == 0.0 ? 0.0
                                  : ballistic_of(l, w->index[i], y) +
                                        (off ? off[w->index[i]] : 0.0);
    dense_forward(k, w->G, k, w->first, w->rd, 0, w->f);
    dense_backward(k, w->G, k, w->first, w->rd, w->f);
}

/* y := y - H^T W^-1 (gaps + off) for the factored contacts */
void
projection_apply(const struct ballistic *l, int k, double *y, const double *off)
{
    struct ballistic_workspace *w = l->w;
    int r = l->k.r;
    solve(l, k, y, off);
    for (int j = 0; j < r; j++) {
        double s = 0.0, size = fabs(y[j]);
        for (int i = 0; i < k; i++) {
            double d = l->k.H[w->index[i] * r + j] * w->f[i];
            s += d;
            size += fabs(d);
        }
        y[j] -= s;
        if (fabs(y[j]) <= BALLISTIC_NOISE * (k + 1) * DBL_EPSILON * size)
            y[j] = 0.0;
    }
    for (int i = 0; i < k && l->k.direct; i++)
        y[w->index[i]] = off ? -off[w->index[i]] : 0.0;
}

void
projection_regain(struct ballistic *l, int first, double was)
{
    struct ballistic_workspace *w = l->w;
    int m = l->model.m, r = l->k.r;
    double by = 0.0;
    w->slight[first] = true;
    for (int i = 0; i < m; i++)
        w->ds[i] = l->c0l[i] - (i == first ? 0.0 : l->gap[i]);
    int k = projection_factor(l, w->slight);
    w->regained = w->rank == r;
    memcpy(w->ys, l->y, (size_t)r * sizeof *l->y);
    if (w->regained) /* nothing of what it was is left */
        memset(l->y, 0, (size_t)r * sizeof *l->y);
    projection_apply(l, k, l->y, w->ds);
    for (int j = 0; j < r; j++)
        by += fabs(l->y[j] - w->ys[j]);
    if (!(by <= REGAIN_NOISE * DBL_EPSILON * was)) {
        memcpy(l->y, w->ys, (size_t)r * sizeof *l->y);
        w->regained = false;
        memset(w->slight, 0, (size_t)m);
    }
    for (int i = 0; i < m; i++)
        if (!w->slight[i])
            l->gap[i] = ballistic_of(l, i, l->y) + l->c0l[i];
}

double
projection_uncertainty(struct ballistic *l, int i, int first)
{
    struct ballistic_workspace *w = l->w;
    int m = l->model.m, k = 0, n = 0;
    memset(w->closed, 0, (size_t)m);
    double *off = w->ds, *x = w->as, sum = 0.0, ys = 0.0;
    bool *tried = w->slight;
    memset(tried, 0, (size_t)m);
    for (int j = 0; j < l->k.r; j++)
        ys += fabs(l->y[j]);
    double late = fabs(l->big[first] / l->rate[first]);
    for (int j = 0; j < m; j++) {
        double now = ys * l->k.root[j] + fabs(l->c0l[j]);
        off[j] = j == first ? now
                            : greater(l->big[j], now) + fabs(l->rate[j]) * late;
        x[j] = l->k.W[j * m + i];
    }
    while (k < l->k.r && n++ < m) {
        int b = -1;
        for (int j = 0; j < m; j++)
            if (!tried[j] &&
                (b < 0 || off[j] * l->k.root[b] < off[b] * l->k.root[j]))
                b = j;
        tried[b] = w->closed[b] = true;
        if (projection_factor(l, w->closed), w->rank == k + 1)
            k++;
        else
            w->closed[b] = false;
    }
    if (k < l->k.r)
        return INFINITY; /* they leave a direction open */
    k = projection_factor(l, w->closed);
    projection_solve(l, k, x);
    for (int j = 0; j < k; j++)
        sum += fabs(w->f[j]) * off[w->index[j]];
    return isfinite(sum) ? BALLISTIC_NOISE * DBL_EPSILON * sum
                         : (double)INFINITY;
}

void
projection_average(struct ballistic *l, const struct ballistic *after,
                   double *y, double *z)
{
    bool *sel = l->w->closed;
    for (int i = 0; i < l->model.m; i++)
        sel[i] = after->group[i] || l->on[i];
    int k = projection_factor(l, sel);
    projection_apply(l, k, y, l->c0l);
    projection_apply(l, k, z, l->d0l);
}
