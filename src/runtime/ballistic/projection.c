/* SPDX-License-Identifier: MIT */
/* Equations with the matrix W of a set of contacts, and what is made with them:
 * projections, orthogonal in the metric of M, onto the states in which the gaps
 * or rates of these contacts vanish; and the coordinates y found anew from gaps
 * that are known more precisely. */
#include <string.h>

#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/dense.h"

/* The rounding error of y before the state falls comes from one flight and one
 * impact for each contact that was hit, of `rank` products each. A correction
 * of y beyond this many units does not come from that rounding error: the gaps
 * in question then depend on each other. */
#define REGAIN_NOISE 256.0

int
projection_factor(const struct ballistic *motion, const bool *sel)
{
    assert(motion && motion->work);
    assert(sel || motion->model.m == 0);
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m, count = 0;
    for (int i = 0; i < contacts; i++)
        if (sel[i])
            work->set.index[count++] = i;
    /* rounding must not make more of the contacts independent than there are
     * dimensions */
    double tol = dense_tolerance(count, count);
    do {
        for (int i = 0; i < count; i++) {
            work->set.first[i] = 0;
            for (int j = 0; j < count; j++)
                work->set.W[i * count + j] =
                    motion->matrices
                        .W[work->set.index[i] * contacts + work->set.index[j]];
        }
        dense_cholesky(count, work->set.W, count, work->set.first, NULL, tol,
                       work->set.reciprocal, &work->set.rank);
        tol *= 16.0;
    } while (work->set.rank > motion->matrices.rank && tol < 1.0);
    return count;
}

void
projection_solve(const struct ballistic *motion, int count, const double *x)
{
    assert(count >= 0 && count <= motion->model.m);
    struct ballistic_workspace *work = motion->work;
    for (int i = 0; i < count; i++)
        work->set.solution[i] =
            work->set.reciprocal[i] == 0.0 ? 0.0 : x[work->set.index[i]];
    dense_forward(count, work->set.W, count, work->set.first,
                  work->set.reciprocal, 0, work->set.solution);
    dense_backward(count, work->set.W, count, work->set.first,
                   work->set.reciprocal, work->set.solution);
}

/* set.solution := W^-1 (gaps or rates y of the factored contacts, plus off) */
static void
solve(const struct ballistic *motion, int count, const double *y,
      const double *off)
{
    struct ballistic_workspace *work = motion->work;
    for (int i = 0; i < count; i++)
        work->set.solution[i] =
            work->set.reciprocal[i] == 0.0
                ? 0.0
                : ballistic_of(motion, work->set.index[i], y) +
                      (off ? off[work->set.index[i]] : 0.0);
    dense_forward(count, work->set.W, count, work->set.first,
                  work->set.reciprocal, 0, work->set.solution);
    dense_backward(count, work->set.W, count, work->set.first,
                   work->set.reciprocal, work->set.solution);
}

void
projection_apply(const struct ballistic *motion, int count, double *vector,
                 const double *off)
{
    assert(count >= 0 && count <= motion->model.m);
    struct ballistic_workspace *work = motion->work;
    int rank = motion->matrices.rank;
    solve(motion, count, vector, off);
    for (int coordinate = 0; coordinate < rank; coordinate++) {
        double s = 0.0, size = fabs(vector[coordinate]);
        for (int i = 0; i < count; i++) {
            double d =
                motion->matrices.H[work->set.index[i] * rank + coordinate] *
                work->set.solution[i];
            s += d;
            size += fabs(d);
        }
        vector[coordinate] -= s;
        if (fabs(vector[coordinate]) <=
            BALLISTIC_NOISE * (count + 1) * DBL_EPSILON * size)
            vector[coordinate] = 0.0;
    }
    for (int i = 0; i < count && motion->matrices.direct; i++)
        vector[work->set.index[i]] = off ? -off[work->set.index[i]] : 0.0;
}

void
projection_regain(struct ballistic *motion, int first, double was)
{
    assert(first >= 0 && first < motion->model.m);
    assert(was >= 0.0);
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m, rank = motion->matrices.rank;
    double by = 0.0;
    work->scratch.known[first] = true;
    for (int i = 0; i < contacts; i++)
        work->scratch.offset[i] =
            motion->local.gap_offset[i] - (i == first ? 0.0 : motion->gap[i]);
    int count = projection_factor(motion, work->scratch.known);
    work->flight.regained = work->set.rank == rank;
    memcpy(work->scratch.y, motion->y, (size_t)rank * sizeof *motion->y);
    if (work->flight.regained) /* nothing of the former y is left */
        memset(motion->y, 0, (size_t)rank * sizeof *motion->y);
    projection_apply(motion, count, motion->y, work->scratch.offset);
    for (int j = 0; j < rank; j++)
        by += fabs(motion->y[j] - work->scratch.y[j]);
    if (!(by <= REGAIN_NOISE * DBL_EPSILON * was)) {
        memcpy(motion->y, work->scratch.y, (size_t)rank * sizeof *motion->y);
        work->flight.regained = false;
        memset(work->scratch.known, 0, (size_t)contacts);
    }
    for (int i = 0; i < contacts; i++)
        if (!work->scratch.known[i])
            motion->gap[i] = ballistic_of(motion, i, motion->y) +
                             motion->local.gap_offset[i];
}

double
projection_uncertainty(struct ballistic *motion, int contact, int first)
{
    assert(first >= 0 && first < motion->model.m);
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m, count = 0, tries = 0;
    memset(work->set.closed, 0, (size_t)contacts);
    double *off = work->scratch.offset, *response = work->scratch.acc,
           sum = 0.0, ys = 0.0;
    bool *tried = work->scratch.known;
    memset(tried, 0, (size_t)contacts);
    for (int j = 0; j < motion->matrices.rank; j++)
        ys += fabs(motion->y[j]);
    double late = fabs(motion->greatest[first] / motion->rate[first]);
    for (int j = 0; j < contacts; j++) {
        double now =
            ys * motion->matrices.root[j] + fabs(motion->local.gap_offset[j]);
        off[j] = j == first ? now
                            : greater(motion->greatest[j], now) +
                                  fabs(motion->rate[j]) * late;
        response[j] = motion->matrices.W[j * contacts + contact];
    }
    while (count < motion->matrices.rank && tries++ < contacts) {
        int b = -1;
        for (int j = 0; j < contacts; j++)
            if (!tried[j] && (b < 0 || off[j] * motion->matrices.root[b] <
                                           off[b] * motion->matrices.root[j]))
                b = j;
        tried[b] = work->set.closed[b] = true;
        if (projection_factor(motion, work->set.closed),
            work->set.rank == count + 1)
            count++;
        else
            work->set.closed[b] = false;
    }
    if (count < motion->matrices.rank)
        return INFINITY; /* the contacts leave a direction open */
    count = projection_factor(motion, work->set.closed);
    projection_solve(motion, count, response);
    for (int j = 0; j < count; j++)
        sum += fabs(work->set.solution[j]) * off[work->set.index[j]];
    return isfinite(sum) ? BALLISTIC_NOISE * DBL_EPSILON * sum
                         : (double)INFINITY;
}

void
projection_average(struct ballistic *motion, const struct ballistic *after,
                   double *y, double *z)
{
    bool *sel = motion->work->set.closed;
    for (int i = 0; i < motion->model.m; i++)
        sel[i] = after->event.group[i] || motion->mode.persistent[i];
    int count = projection_factor(motion, sel);
    projection_apply(motion, count, y, motion->local.gap_offset);
    projection_apply(motion, count, z, motion->local.rate_offset);
}
