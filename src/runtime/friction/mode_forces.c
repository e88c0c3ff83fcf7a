/* SPDX-License-Identifier: MIT */
/* The forces of one choice of modes (mode_equations.c), and whether they
 * satisfy its inequalities. Where the forces are a family the member of least
 * norm that does is taken (linear_program.h). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"
#include "runtime/numerics/dense.h"
#include "runtime/programs/linear_program.h"

/* A pivot below this share of the first belongs to points that depend on each
 * other: a sine of 3e-6 between their directions; rounding makes 10^-4 of it.
 */
#define PIVOT_ZERO 1e-11
/* Pivots up to this share belong to points that nearly do: the lattice to which
 * equal discs come has sines of 1e-4 and less. What makes conditions contradict
 * each other by 1e-12 of their terms, such as the tolerance of gaps, makes
 * forces as great as all others of them. Where no forces hold then, those are
 * asked that leave these conditions to FRICTION_DEPENDS. */
#define PIVOT_NEARLY 1e-8

static void
accelerations(const struct mode_problem *in, const double *force, double *acc)
{
    for (int i = 0; i < 2 * in->n; i++)
        acc[i] = mode_row_sum(in, i, in->free[i], force);
}

/* -- inequalities -----------------------------------------------------------
 */

static struct mode_bound *
bound_new(struct mode_scratch *scratch)
{
    struct mode_bound *bound = scratch->bound + scratch->n_bound++;
    *bound = (struct mode_bound){{-1, -1}, -1, {0.0, 0.0}, 0.0, 0.0};
    return bound;
}

/* Lists what a choice of modes claims. */
static void
bounds(struct mode_scratch *scratch, const struct mode_problem *in,
       const struct point_state *state)
{
    scratch->n_bound = 0;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        assert(!point->driven || !state[i].closed);
        struct mode_bound *bound = point->driven ? NULL : bound_new(scratch);
        if (state[i].closed) {
            bound->row[0] = 2 * i;
            bound->factor[0] = 1.0;
            bound->offset = -point->offset;
        } else if (bound) {
            bound->acc = 2 * i;
            bound->acc_sign = 1.0;
        }
        for (int side = 0; side < 2 && state[i].tangent == TANGENT_STICK;
             side++) {
            bound = bound_new(scratch);
            bound->row[0] = 2 * i;
            bound->factor[0] = point->mu_stick;
            bound->row[1] = 2 * i + 1;
            bound->factor[1] = side ? 1.0 : -1.0;
        }
        if (point->slip == 0.0 && mode_slip_sign(state[i].tangent) != 0.0) {
            bound = bound_new(scratch);
            bound->acc = 2 * i + 1;
            bound->acc_sign = -mode_slip_sign(state[i].tangent);
        }
    }
}

/* The value of a bound; solution->acc is not asked. */
double
mode_bound_value(const struct mode_bound *bound, const struct mode_problem *in,
                 const double *force)
{
    double value = bound->offset;
    for (int j = 0; j < 2 && bound->row[j] >= 0; j++)
        value += bound->factor[j] * force[bound->row[j]];
    if (bound->acc >= 0)
        value = bound->acc_sign *
                mode_row_sum(in, bound->acc, in->free[bound->acc], force);
    return value;
}

/* The size of the terms of a bound. A force is known as well as the
 * acceleration that it answers to. */
static double
mode_bound_size(const struct mode_bound *bound, const struct mode_problem *in,
                const double *force)
{
    double size = 0.0;
    for (int j = 0; j < 2 && bound->row[j] >= 0; j++) {
        int row = bound->row[j];
        double w = in->W[row * (2 * in->n + 1)];
        size = fmax(size, fabs(bound->factor[j] * force[row]));
        if (w > 0.0)
            size = fmax(size, fabs(bound->factor[j]) *
                                  mode_row_size(in, force, row) / w);
    }
    if (bound->acc >= 0)
        size = mode_row_size(in, force, bound->acc);
    return size;
}

/* Like mode_bound_size, without the terms of the accelerations: these are parts
 * that cancel, and differ from frame to frame. */
double
mode_bound_scale(const struct mode_bound *bound, const struct mode_problem *in,
                 const double *force)
{
    struct mode_problem forces = *in;
    forces.terms = NULL;
    return mode_bound_size(bound, &forces, force);
}

static int
bound_point(const struct mode_bound *bound)
{
    return (bound->row[0] >= 0 ? bound->row[0] : bound->acc) / 2;
}

/* What rounding leaves of a bound. Where an impact presses nothing of a body of
 * a pile, all terms of its bounds are such: forces of 1e-17 of the others, and
 * what they do. A force is known as well as the acceleration that it answers
 * to. */
static double
bound_noise(const struct mode_bound *bound, const struct mode_problem *in)
{
    double noise = bound->acc >= 0 ? mode_row_noise(in, bound->acc) : 0.0;
    for (int j = 0; j < 2 && bound->row[j] >= 0; j++) {
        int row = bound->row[j];
        double w = in->W[row * (2 * in->n + 1)];
        if (w > 0.0)
            noise = fmax(noise,
                         fabs(bound->factor[j]) * mode_row_noise(in, row) / w);
    }
    return noise;
}

/* Do all bounds hold, to the scales of their points but to `most` at most? */
static bool
bounds_hold(const struct mode_scratch *scratch, const struct mode_problem *in,
            const double *force, double most)
{
    for (int b = 0; b < scratch->n_bound; b++) {
        const struct mode_bound *bound = scratch->bound + b;
        double value = mode_bound_value(bound, in, force),
               share = fmin(most, in->point[bound_point(bound)].scale);
        if (!(value >= 0.0 ||
              value >= -share * mode_bound_size(bound, in, force) ||
              value >= -bound_noise(bound, in)))
            return false;
    }
    return true;
}

/* Returns the least share of its terms by which a bound holds. */
static double
least_margin(const struct mode_scratch *scratch, const struct mode_problem *in,
             const double *force)
{
    double margin = INFINITY;
    for (int b = 0; b < scratch->n_bound; b++) {
        double value = mode_bound_value(scratch->bound + b, in, force),
               size = mode_bound_size(scratch->bound + b, in, force);
        margin = fmin(margin, value > 0.0 ? value / size : 0.0);
    }
    return margin;
}

/* Returns the derivative of a bound along a direction of forces. */
double
mode_bound_along(const struct mode_bound *bound, const struct mode_problem *in,
                 const double *direction)
{
    double sum = 0.0;
    for (int j = 0; j < 2 && bound->row[j] >= 0; j++)
        sum += bound->factor[j] * direction[bound->row[j]];
    if (bound->acc >= 0)
        sum += bound->acc_sign * mode_row_sum(in, bound->acc, 0.0, direction);
    return sum;
}

/* Returns the size of the derivatives of a bound by forces. */
double
mode_bound_weight(const struct mode_bound *bound, const struct mode_problem *in)
{
    double weight = 0.0;
    for (int j = 0; j < 2 && bound->row[j] >= 0; j++)
        weight = fmax(weight, fabs(bound->factor[j]));
    return bound->acc < 0 ? weight
                          : fmax(weight, mode_row_greatest(in, bound->acc));
}

/* Finds scratch->t, the shortest way along the null directions to forces that
 * keep the bounds by a share `slack` of their terms. False: there are none. */
static bool
way_within(struct mode_scratch *scratch, const struct mode_problem *in,
           int count, const double *force, double slack)
{
    int rows = 2 * in->n, m = 0;
    if (count > LEAST_DISTANCE_MOST)
        return false;
    size_t most = (size_t)scratch->n_bound, size_d = (size_t)count;
    double *A = mode_room_for(scratch->arena, &scratch->A, most * size_d);
    double *h = mode_room_for(scratch->arena, &scratch->h, most + size_d);
    scratch->t = h + most;
    for (int b = 0; b < scratch->n_bound; b++) {
        double size = mode_bound_size(scratch->bound + b, in, force),
               keep = slack * mode_bound_scale(scratch->bound + b, in, force),
               length = 0.0;
        double value = mode_bound_value(scratch->bound + b, in, force) - keep;
        double *slope = A + (size_t)m * size_d;
        for (int d = 0; d < count; d++) {
            slope[d] =
                mode_bound_along(scratch->bound + b, in,
                                 scratch->null.v + (size_t)d * (size_t)rows);
            length = hypot(length, slope[d]);
        }
        if (!(length >
              FRICTION_TOLERANCE * mode_bound_weight(scratch->bound + b, in))) {
            if (value < -FRICTION_TOLERANCE * size &&
                value < -bound_noise(scratch->bound + b, in))
                return false;
            continue;
        }
        for (int d = 0; d < count; d++)
            slope[d] /= length;
        h[m++] = -value / length;
    }
    return least_distance(m, count, A, h, FRICTION_TOLERANCE, scratch->t,
                          mode_room_for(scratch->arena, &scratch->room,
                                        least_distance_room(m, count)));
}

/* Moves forces by the way that has been found. */
static void
go(const struct mode_scratch *scratch, int rows, int count, double *force)
{
    for (int d = 0; d < count; d++)
        for (int r = 0; r < rows; r++)
            force[r] += scratch->t[d] *
                        scratch->null.v[(size_t)d * (size_t)rows + (size_t)r];
}

/* Moves along the null directions to the least forces that satisfy the bounds.
 * False: there are none. */
static bool
least_within(struct mode_scratch *scratch, const struct mode_problem *in,
             int count, double *force)
{
    if (!way_within(scratch, in, count, force, 0.0))
        return false;
    go(scratch, 2 * in->n, count, force);
    return true;
}

/* May forces that are all 0 grow along a null direction, one way or the other,
 * within the bounds? */
static bool
may_grow(const struct mode_scratch *scratch, const struct mode_problem *in,
         const double *direction)
{
    bool up = true, down = true;
    for (int b = 0; b < scratch->n_bound; b++) {
        double slope = mode_bound_along(scratch->bound + b, in, direction),
               small = FRICTION_TOLERANCE *
                       mode_bound_weight(scratch->bound + b, in);
        if (mode_bound_value(scratch->bound + b, in, scratch->base) > small)
            continue;
        up &= slope >= -small;
        down &= slope <= small;
    }
    return up || down;
}

/* Are all forces 0 that the bounds allow? */
static bool
none_but_zero(const struct mode_scratch *scratch, const struct mode_problem *in,
              int count, const double *force)
{
    size_t rows = 2 * (size_t)in->n;
    for (size_t r = 0; r < rows; r++)
        if (force[r] != 0.0)
            return false;
    for (int d = 0; d < count; d++)
        if (may_grow(scratch, in, scratch->null.v + (size_t)d * rows))
            return false;
    return true;
}

/* Are forces all 0, to the rounding of what they do to their own rows? */
static bool
none_bears(const struct mode_problem *in, const double *force)
{
    int rows = 2 * in->n;
    for (int r = 0; r < rows; r++)
        if (fabs(force[r]) * in->W[r * (rows + 1)] > mode_row_noise(in, r))
            return false;
    return true;
}

/* Do the null directions move accelerations, for forces of this size, by more
 * than rounding? Forces that are all 0 may grow to any size. */
static bool
loads_move(const struct mode_scratch *scratch, const struct mode_problem *in,
           int count, const double *force)
{
    int rows = 2 * in->n;
    double weight = sqrt(dense_dot(rows, force, force));
    if (weight == 0.0 || none_bears(in, force))
        weight = INFINITY;
    for (int d = 0; d < count; d++) {
        const double *z = scratch->null.v + (size_t)d * (size_t)rows;
        for (int r = 0; r < rows; r++) {
            double moved = mode_row_sum(in, r, 0.0, z),
                   terms = mode_row_terms(in, r, 0.0, z);
            if (fabs(moved) > FRICTION_SAME * terms &&
                fabs(moved) * weight > mode_row_noise(in, r))
                return true;
        }
    }
    return false;
}

/* Moves forces that are not unique off all bounds, by the greatest of the
 * shares 1/2, 1/4, ... of their terms that they can keep. */
static void
off_edges(struct mode_scratch *scratch, const struct mode_problem *in,
          int count, struct mode_solution *solution)
{
    int low = 1, most = (int)-log2(FRICTION_ROOMY), high = most + 1;
    while (low < high) { /* forces that can keep 2^-k can keep less */
        int k = (low + high) / 2;
        if (way_within(scratch, in, count, solution->force, ldexp(1.0, -k)))
            high = k;
        else
            low = k + 1;
    }
    double slack = ldexp(1.0, -high);
    if (high <= most && way_within(scratch, in, count, solution->force, slack))
        go(scratch, 2 * in->n, count, solution->force);
    solution->margin = least_margin(scratch, in, solution->force);
}

/* Finds forces of the modes, with pivots up to the share scratch->zero as those
 * of points that depend on each other. Returns in how many directions these are
 * free; -1: no forces obey the modes. */
static int
obeying_forces(struct mode_scratch *scratch, const struct mode_problem *in,
               struct mode_solution *solution)
{
    int k = scratch->k, count = mode_equations(scratch, in, solution->force);
    if (count < 0)
        return -1; /* no forces hold these rows */
    if (!bounds_hold(scratch, in, solution->force, INFINITY) &&
        (count == 0 || !least_within(scratch, in, count, solution->force) ||
         !bounds_hold(scratch, in, solution->force, INFINITY)))
        return -1;
    accelerations(in, solution->force, solution->acc);
    double held = count > 0 ? FRICTION_DEPENDS : FRICTION_TOLERANCE;
    for (int j = 0; j < k; j++) {
        int row = scratch->unknown[j];
        if (fabs(solution->acc[row]) >
                held * mode_row_size(in, solution->force, row) &&
            fabs(solution->acc[row]) > mode_row_noise(in, row))
            return -1; /* no forces hold these rows */
    }
    return count;
}

void
mode_forces(struct mode_scratch *scratch, const struct mode_problem *in,
            const struct point_state *state, struct mode_solution *solution)
{
    assert(scratch && in && state && solution);
    mode_unknowns(scratch, in, state);
    bounds(scratch, in, state);
    solution->consistent = solution->shared = solution->loads = solution->pace =
        solution->roomy = false;
    scratch->zero = PIVOT_ZERO;
    int count = obeying_forces(scratch, in, solution);
    if (count < 0 && scratch->least < PIVOT_NEARLY) {
        scratch->zero = PIVOT_NEARLY;
        count = obeying_forces(scratch, in, solution);
    }
    if (count < 0)
        return;
    for (int j = 0; j < scratch->k; j++)
        solution->acc[scratch->unknown[j]] = 0.0;
    solution->consistent = true;
    solution->tight =
        bounds_hold(scratch, in, solution->force, FRICTION_TOLERANCE);
    count = none_but_zero(scratch, in, count, solution->force) ? 0 : count;
    solution->shared = count > 0;
    solution->margin = least_margin(scratch, in, solution->force);
    if (count == 0)
        return;
    solution->loads = loads_move(scratch, in, count, solution->force);
    solution->pace = dense_along(2 * in->n, in->W, count, scratch->null.v,
                                 solution->acc, FRICTION_SAME);
    solution->roomy =
        solution->margin >= FRICTION_ROOMY ||
        way_within(scratch, in, count, solution->force, FRICTION_ROOMY);
    if (in->inner && solution->roomy && !solution->loads)
        off_edges(scratch, in, count, solution);
}
