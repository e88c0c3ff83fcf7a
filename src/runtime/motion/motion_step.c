/* SPDX-License-Identifier: MIT */
/* The length of a step of the motion's series (Jorba & Zou 2005, sec. 3.2, with
 * the order fixed): the greatest h for which the last two coefficients of every
 * variable stay below MOTION_TRUNCATION of the size of that variable. The size
 * is that of the vector the variable belongs to (a position, a quaternion, a
 * velocity or a spin), so that a component that passes through zero does not
 * stop the motion. Where all coefficients beyond some order vanish, as in free
 * flight in the plane, the series is the motion itself and h is infinite. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/motion/motion_priv.h"
#include "runtime/numerics/taylor.h"

/* The largest last term, as a share of the size of the variable. The terms
 * left out are smaller again by h over the radius of convergence, about 1/5,
 * and together less than half a unit in the last place. Their signs change
 * along the motion. */
#define MOTION_TRUNCATION 4e-16
/* A velocity that dies out is told to its last digits down to this; its
 * coefficients grow by a hundred powers of two at the most before they end in
 * the least numbers that there are. */
#define MOTION_LEAST 0x1p-900

/* A step that is a 20th root needs no more than rough logarithms, and calls of
 * libm took as long as the series. */
static double
rough_exp2(double x)
{
    int n = (int)x - (x < 0.0); /* This is floor(x), or one less. */
    double f = x - n, y;
    uint64_t u = (uint64_t)(n + 1023) << 52;
    memcpy(&y, &u, sizeof y);
    return y * (1.0 + f * (0.6565 + f * 0.3435));
}

static bool
is_normal(double x)
{
    return x >= DBL_MIN && x <= DBL_MAX;
}

/* The least of (MOTION_TRUNCATION size / last)^(1/order) and the same for the
 * coefficient before the last. A coefficient of 0 sets no limit. */
static double
root_step(double size, double last, double before, int order)
{
    double least = MOTION_TRUNCATION * fmax(size, MOTION_LEAST),
           by_last = INFINITY, by_before = INFINITY;
    if (!is_normal(least) || (last != 0.0 && !is_normal(last)) ||
        (before != 0.0 && !is_normal(before))) {
        if (last > 0.0)
            by_last = exp((log(least) - log(last)) / order);
        if (before > 0.0)
            by_before = exp((log(least) - log(before)) / (order - 1));
        return fmin(by_last, by_before);
    }
    double l = rough_log2(least);
    if (last > 0.0)
        by_last = (l - rough_log2(last)) / order;
    if (before > 0.0)
        by_before = (l - rough_log2(before)) / (order - 1);
    by_last = by_last < by_before ? by_last : by_before;
    return by_last < 1000.0 && by_last > -1000.0 ? rough_exp2(by_last)
                                                 : exp2(by_last);
}

static inline double
larger(double a, double b)
{
    return a < b ? b : a;
}

/* Returns the greatest |c_k| of a group. */
static inline double
largest(const double *const *row, int k)
{
    return larger(larger(fabs(row[0][k]), fabs(row[1][k])),
                  larger(fabs(row[2][k]), fabs(row[3][k])));
}

/* Returns the greatest |c_k| h^k of a group for k = 1 .. to, and at least s. */
static double
largest_term(const double *const *row, int to, double h, double s)
{
    double hk = h;
    for (int k = 1; k <= to; k++, hk *= h)
        s = larger(s, largest(row, k) * hk);
    return s;
}

/* Returns the step for which the last two coefficients of a group stay below
 * the truncation. */
static double
group_step(const double *const *row, int order)
{
    double last = largest(row, order), before = largest(row, order - 1);
    double size = largest(row, 0), step = INFINITY;
    if (last == 0.0 && before == 0.0)
        return INFINITY;
    /* If the motion starts from rest, the size is what one step gives it; a
     * few rounds settle it. */
    for (int round = 0; round < 4; round++) {
        double grown = size;
        if (isfinite(step)) {
            /* the size stays as it is if the first terms do not change it */
            if (largest_term(row, 3, step, grown) == grown)
                break;
            grown = largest_term(row, order, step, grown);
        }
        /* from rest: the size of the first coefficient that is not 0 */
        for (int k = 1; k < order && grown == 0.0; k++)
            grown = largest(row, k);
        double was = step;
        step = root_step(grown, last, before, order);
        if (fabs(step - was) <= 0.05 * step)
            break;
    }
    return step;
}

/* The same for blocks with closed contacts. The forces leave a body that rests
 * with the rounding errors of the accelerations `push` that they give; these
 * are no motion. So a size counts at least as what these accelerations would
 * make of it in one step. */
static double
held_step(const double *const *row, int order, double push, bool rate)
{
    double last = largest(row, order), before = largest(row, order - 1);
    double size = largest(row, 0), step = 1.0;
    if (last == 0.0 && before == 0.0)
        return INFINITY;
    for (int round = 0; round < 8; round++) {
        double grown = largest_term(row, 4, step, size), was = step;
        grown = larger(grown, push * step * (rate ? 1.0 : 0.5 * step));
        for (int k = 1; k < order && grown == 0.0; k++)
            grown = largest(row, k);
        step = root_step(grown, last, before, order);
        if (fabs(step - was) <= 0.05 * step)
            break;
    }
    return step;
}

/* Does the series of a variable end? It may be a constant or a polynomial: all
 * its higher coefficients are 0 then. */
static bool
row_ends(const double *row, int order)
{
    return row[order] == 0.0 && motion_zeros(row, (order + 1) / 2, order);
}

void
motion_step(const struct rt *run, uint32_t block, int order, double *step)
{
    assert(run);
    const struct motion_block *moving = motion_block_of(run, block);
    const double *work = run->rows.block[block];
    double push[2];
    bool held = persistent_moves(run, block);
    *step = INFINITY;
    if (held) {
        persistent_accelerations(run, block, push);
        *step = persistent_series_hold(run, block);
    }
    for (uint32_t i = 0; i < moving->n_groups; i++) {
        const struct motion_group *group = moving->groups + i;
        const double *row[GROUP_MAX];
        bool ends = true;
        for (uint32_t j = 0; j < GROUP_MAX; j++) {
            row[j] = work + group->row[j];
            ends = ends && (!group->series[j] || row_ends(row[j], order));
        }
        if (!ends) {
            double hg =
                held ? held_step(row, order, push[group->spin], group->rate)
                     : group_step(row, order);
            *step = hg < *step ? hg : *step;
        }
    }
}

double
motion_place_size(const struct rt *run, uint32_t block, uint32_t velocity)
{
    assert(run && block < run->im->blocks.n);
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *state = IMP_ARRAY(run->im, at->state, uint32_t),
                   *body = IMP_ARRAY(run->im, at->bodies, uint32_t);
    double size = 0.0;
    if (moving->system != IMP_NO_SYSTEM)
        return fabs(run->env[state[velocity - at->state.n / 2]]);
    if (moving->what[velocity] == MOTION_SPIN)
        return 1.0;
    for (uint32_t b = 0; b < at->bodies.n; b++)
        for (uint32_t d = 0; d < run->im->dim; d++)
            size = fmax(size,
                        fabs(run->env[rt_body(run, body[b])->env_state + d]));
    return size;
}

bool
motion_lacks(const struct rt *run, uint32_t block, const double *rows,
             uint32_t variable, int from, int order)
{
    assert(run && block < run->im->blocks.n);
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const double *row =
        rows +
        (size_t)IMP_ARRAY(run->im, at->rows, uint32_t)[variable] *
            IMP_ROW_STRIDE +
        IMP_ROW_PAD;
    if (from <= order && row[order] != 0.0)
        return false;
    bool velocity = moving->system != IMP_NO_SYSTEM
                        ? variable >= at->state.n / 2
                        : moving->what[variable] != MOTION_POSE;
    return velocity && motion_zeros(row, from, order);
}

bool
motion_cut(struct rt *run, uint32_t block, int order)
{
    assert(run && block < run->im->blocks.n);
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *row = IMP_ARRAY(run->im, at->rows, uint32_t);
    uint32_t n_rows = rt_tape(run, moving->tape)->n_rows;
    bool finite = true;
    for (uint32_t i = 0; i < n_rows; i++) {
        double *series =
            run->rows.block[block] + (size_t)i * IMP_ROW_STRIDE + IMP_ROW_PAD;
        for (int k = 3; k <= order; k++)
            series[k] = 0.0;
    }
    for (uint32_t i = 0; i < at->state.n; i++) {
        double *series = run->rows.block[block] +
                         (size_t)row[i] * IMP_ROW_STRIDE + IMP_ROW_PAD;
        if (moving->observer                  ? !isfinite(series[2])
            : moving->system != IMP_NO_SYSTEM ? i >= at->state.n / 2
                                              : moving->what[i] != MOTION_POSE)
            series[2] = 0.0;
        finite = finite && isfinite(series[1]) && isfinite(series[2]);
    }
    return finite;
}

bool
motion_died_out(const struct rt *run, uint32_t block, int order)
{
    assert(run && block < run->im->blocks.n);
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *row = IMP_ARRAY(run->im, at->rows, uint32_t);
    const double *rows = run->rows.block[block];
    double most = 0.0;
    for (uint32_t i = 0; i < at->state.n && most < MOTION_LEAST; i++) {
        bool velocity = motion_lacks(run, block, rows, i, 1, 0);
        for (int k = 0; k <= order && velocity && most < MOTION_LEAST; k++)
            most = fmax(most, fabs(rows[(size_t)row[i] * IMP_ROW_STRIDE +
                                        IMP_ROW_PAD + (size_t)k]));
    }
    return most > 0.0 && most < MOTION_LEAST;
}
