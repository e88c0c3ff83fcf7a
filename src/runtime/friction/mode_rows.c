/* SPDX-License-Identifier: MIT */
/* The rows of W among many points. A row has entries at the few points alone
 * that share a body with its own one: which these are is found once for all
 * sums along rows. Sums over them have the bits of sums over all points, since
 * the terms that are left out are 0. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "runtime/friction/friction_priv.h"
#include "runtime/numerics/dense.h"

/* Of fewer points to look for the entries takes longer than the sums do. */
#define PATTERN_POINTS 12

/* roundings of the sums that make an acceleration */
#define ROW_ROUNDING 64

/* What rounding leaves of any row, in the norm of the energy. */
static double
noise_of(const struct mode_problem *in)
{
    int rows = 2 * in->n;
    double most = 0.0;
    for (int r = 0; r < rows; r++) {
        double w = in->W[r * (rows + 1)],
               terms = in->terms ? in->terms[r] : fabs(in->free[r]);
        if (w > 0.0)
            most = fmax(most, terms / sqrt(w));
    }
    return ROW_ROUNDING * DBL_EPSILON * most;
}

void
mode_find_pattern(struct arena *arena, struct mode_problem *in)
{
    assert(arena && in && !in->pattern);
    if (in->n < PATTERN_POINTS)
        return;
    struct mode_pattern *pattern = NEW(arena, struct mode_pattern);
    size_t n = (size_t)in->n, rows = 2 * n;
    struct {
        int *v;
        size_t n, cap;
    } found = {0};
    int *first = NEW_N(arena, int, rows + 1);
    for (size_t r = 0; r < rows; r++) {
        const double *w = in->W + r * rows;
        for (size_t j = 0; j < n; j++)
            if (w[2 * j] != 0.0 || w[2 * j + 1] != 0.0)
                VEC_PUSH_IN(arena, &found, (int)j);
        first[r + 1] = (int)found.n;
    }
    *pattern = (struct mode_pattern){first, found.v, noise_of(in)};
    in->pattern = pattern;
}

double
mode_row_noise(const struct mode_problem *in, int row)
{
    assert(in && in->n > 0 && row >= 0 && row < 2 * in->n);
    double noise = in->pattern ? in->pattern->noise : noise_of(in);
    return noise * sqrt(fmax(in->W[row * (2 * in->n + 1)], 0.0));
}

double
friction_row_noise(const struct friction_instant *in, int row)
{
    assert(in);
    struct mode_problem problem = {
        .n = in->n, .W = in->W, .free = in->free, .terms = in->terms};
    return mode_row_noise(&problem, row);
}

double
mode_row_sum(const struct mode_problem *in, int row, double start,
             const double *x)
{
    assert(in && x && row >= 0 && row < 2 * in->n);
    int rows = 2 * in->n;
    const double *w = in->W + (size_t)row * (size_t)rows;
    double sum = start;
    if (!in->pattern) {
        for (int c = 0; c < rows; c++)
            sum += w[c] * x[c];
        return sum;
    }
    const int *first = in->pattern->first + row;
    for (int k = first[0]; k < first[1]; k++) {
        int N = 2 * in->pattern->point[k];
        sum += w[N] * x[N];
        sum += w[N + 1] * x[N + 1];
    }
    return sum;
}

double
mode_row_terms(const struct mode_problem *in, int row, double start,
               const double *x)
{
    assert(in && x && row >= 0 && row < 2 * in->n);
    int rows = 2 * in->n;
    const double *w = in->W + (size_t)row * (size_t)rows;
    double sum = start;
    if (!in->pattern) {
        for (int c = 0; c < rows; c++)
            sum += fabs(w[c] * x[c]);
        return sum;
    }
    const int *first = in->pattern->first + row;
    for (int k = first[0]; k < first[1]; k++) {
        int N = 2 * in->pattern->point[k];
        sum += fabs(w[N] * x[N]);
        sum += fabs(w[N + 1] * x[N + 1]);
    }
    return sum;
}

double
mode_row_size(const struct mode_problem *in, const double *force, int row)
{
    assert(in && force);
    return mode_row_terms(
        in, row, in->terms ? in->terms[row] : fabs(in->free[row]), force);
}

double
mode_row_greatest(const struct mode_problem *in, int row)
{
    assert(in && row >= 0 && row < 2 * in->n);
    return dense_greatest(2 * in->n, in->W + (size_t)row * 2 * (size_t)in->n);
}
