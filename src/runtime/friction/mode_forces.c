/* SPDX-License-Identifier: MIT */
/* The forces of one choice of modes. Unknown are the normal force of every
 * closed point and the tangential force of every sticking one; the equations
 * say that these rows have no acceleration. Rows and unknowns are scaled to a
 * unit diagonal of W, so that one tolerance serves bodies of any mass. Where
 * the points depend on each other (four legs, a ladder) the forces are a
 * family; the member of least norm that satisfies the inequalities is taken
 * (linear_program.h). */
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

/* roundings of the sums that make an acceleration */
#define ROW_ROUNDING 64

double
mode_row_noise(const struct mode_problem *in, int row)
{
    assert(in && in->n > 0 && row >= 0 && row < 2 * in->n);
    int rows = 2 * in->n;
    double most = 0.0;
    for (int r = 0; r < rows; r++) {
        double w = in->W[r * (rows + 1)],
               terms = in->terms ? in->terms[r] : fabs(in->free[r]);
        if (w > 0.0)
            most = fmax(most, terms / sqrt(w));
    }
    return ROW_ROUNDING * DBL_EPSILON * most *
           sqrt(fmax(in->W[row * (rows + 1)], 0.0));
}

struct mode_scratch *
mode_scratch_new(struct arena *arena, const struct mode_problem *in)
{
    assert(arena && in && in->n > 0);
    struct mode_scratch *scratch = NEW(arena, struct mode_scratch);
    scratch->arena = arena;
    int most = 2 * in->n;
    size_t rows = (size_t)most;
    size_t room = least_distance_room(3 * most, most);
    scratch->unknown = NEW_N(arena, int, 2 * rows);
    scratch->order = scratch->unknown + rows;
    scratch->along = NEW_N(arena, double, 5 * rows * rows + 10 * rows + room);
    scratch->scale = scratch->along + rows;
    scratch->K = scratch->scale + rows;
    scratch->rhs = scratch->K + rows * rows;
    scratch->x = scratch->rhs + rows;
    scratch->work = scratch->x + rows;
    scratch->base = scratch->work + rows;
    scratch->null = scratch->base + rows;
    scratch->A = scratch->null + rows * rows;
    scratch->h = scratch->A + 3 * rows * rows;
    scratch->t = scratch->h + 3 * rows;
    scratch->room = scratch->t + rows;
    scratch->bound = NEW_N(arena, struct mode_bound, 3 * rows);
    for (int r = 0; r < most; r++) {
        double w = in->W[r * (most + 1)];
        scratch->scale[r] = w > 0.0 ? 1.0 / sqrt(w) : 1.0;
    }
    return scratch;
}

/* Returns the sign of T against N where the point slips: T = sign mu N. */
static double
slip_sign(enum tangential_state tangent)
{
    return tangent == TANGENT_FORWARD    ? -1.0
           : tangent == TANGENT_BACKWARD ? 1.0
                                         : 0.0;
}

/* Lists the unknowns, and the forces that are there without them. */
static void
unknowns(struct mode_scratch *scratch, const struct mode_problem *in,
         const struct point_state *state)
{
    scratch->k = 0;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        double along = slip_sign(state[i].tangent) * point->mu_slip;
        scratch->base[2 * i] = point->offset;
        scratch->base[2 * i + 1] = along * point->offset;
        if (state[i].closed) {
            scratch->along[scratch->k] = along;
            scratch->unknown[scratch->k++] = 2 * i;
        }
        if (state[i].tangent == TANGENT_STICK) {
            scratch->along[scratch->k] = 0.0;
            scratch->unknown[scratch->k++] = 2 * i + 1;
        }
    }
}

/* Adds to the base of the forces what the unknowns x (unscaled) make. */
static void
spread_unknowns(const struct mode_scratch *scratch, const double *x,
                double *force)
{
    for (int j = 0; j < scratch->k; j++) {
        force[scratch->unknown[j]] += x[j];
        if (scratch->along[j] != 0.0)
            force[scratch->unknown[j] + 1] += scratch->along[j] * x[j];
    }
}

static void
accelerations(const struct mode_problem *in, const double *force, double *acc)
{
    int rows = 2 * in->n;
    for (int i = 0; i < rows; i++) {
        acc[i] = in->free[i];
        for (int j = 0; j < rows; j++)
            acc[i] += in->W[i * rows + j] * force[j];
    }
}

/* Makes the equations K x = rhs in scaled unknowns. */
static void
equations(struct mode_scratch *scratch, const struct mode_problem *in)
{
    int rows = 2 * in->n, k = scratch->k;
    for (int i = 0; i < k; i++) {
        int row = scratch->unknown[i];
        const double *w = in->W + (size_t)row * (size_t)rows;
        double si = scratch->scale[row], right = in->free[row];
        for (int j = 0; j < rows; j++)
            right += w[j] * scratch->base[j];
        scratch->rhs[i] = -si * right;
        for (int j = 0; j < k; j++) {
            int column = scratch->unknown[j];
            double value = w[column];
            if (scratch->along[j] != 0.0)
                value += scratch->along[j] * w[column + 1];
            scratch->K[i * k + j] = si * value * scratch->scale[column];
        }
    }
}

static void
swap_doubles(double *a, double *b, int n)
{
    for (int j = 0; j < n; j++) {
        double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

/* Brings the greatest entry of the rows and columns from c on to place (c, c).
 * most: of each row, its greatest entry from that column on. */
static double
bring_pivot(struct mode_scratch *scratch, int place, double *most)
{
    int k = scratch->k, row = place, column = place;
    double *matrix = scratch->K;
    for (int i = place + 1; i < k; i++)
        if (most[i] > most[row])
            row = i;
    const double *found = matrix + (size_t)row * (size_t)k;
    while (column < k - 1 && fabs(found[column]) < most[row])
        column++;
    if (row != place) {
        swap_doubles(matrix + (size_t)place * (size_t)k,
                     matrix + (size_t)row * (size_t)k, k);
        swap_doubles(scratch->rhs + place, scratch->rhs + row, 1);
        swap_doubles(most + place, most + row, 1);
    }
    for (int i = 0; i < k && column != place; i++)
        swap_doubles(matrix + i * k + place, matrix + i * k + column, 1);
    int unknown = scratch->order[place];
    scratch->order[place] = scratch->order[column];
    scratch->order[column] = unknown;
    return fabs(matrix[place * k + place]);
}

/* Gauss elimination with complete pivoting, in place, up to the first pivot
 * below the share scratch->zero of the first one. Returns the rank. */
static int
eliminate(struct mode_scratch *scratch)
{
    int k = scratch->k;
    double *matrix = scratch->K, *most = scratch->work, first = 0.0;
    for (int place = 0; place < k; place++) {
        scratch->order[place] = place;
        most[place] = dense_greatest(k, matrix + place * k);
    }
    for (int place = 0; place < k; place++) {
        double pivot = bring_pivot(scratch, place, most);
        first = place ? first : pivot;
        if (!(pivot > scratch->zero * first))
            return place;
        scratch->least = pivot / first;
        const double *from = matrix + (size_t)place * (size_t)k;
        for (int i = place + 1; i < k; i++) {
            double *row = matrix + (size_t)i * (size_t)k,
                   share = row[place] / from[place];
            if (share != 0.0) {
                for (int j = place + 1; j < k; j++)
                    row[j] -= share * from[j];
                scratch->rhs[i] -= share * scratch->rhs[place];
            }
            if (row[place] != 0.0)
                most[i] = dense_greatest(k - place - 1, row + place + 1);
        }
    }
    return k;
}

/* Solves the triangle of the first `rank` columns for a right-hand side, which
 * stands in x by order of pivots; the other unknowns keep what they have. */
static void
back_substitute(const struct mode_scratch *scratch, int rank, double *x)
{
    int k = scratch->k;
    for (int i = rank - 1; i >= 0; i--) {
        for (int j = i + 1; j < rank; j++)
            x[i] -= scratch->K[i * k + j] * x[j];
        x[i] /= scratch->K[i * k + i];
    }
}

/* One solution: unknowns beyond the rank are 0. */
static void
one_solution(struct mode_scratch *scratch, int rank)
{
    for (int i = 0; i < scratch->k; i++)
        scratch->work[i] = i < rank ? scratch->rhs[i] : 0.0;
    back_substitute(scratch, rank, scratch->work);
    for (int i = 0; i < scratch->k; i++)
        scratch->x[scratch->order[i]] =
            scratch->work[i] *
            scratch->scale[scratch->unknown[scratch->order[i]]];
}

/* Are the equations beyond the rank satisfied, to the tolerance? Their right
 * sides are what the elimination has left of them. */
static bool
rest_is_zero(const struct mode_scratch *scratch, const struct mode_problem *in,
             int rank)
{
    double size = 0.0;
    for (int j = 0; j < scratch->k; j++) {
        int row = scratch->unknown[j];
        double terms = in->terms ? in->terms[row] : fabs(in->free[row]);
        size = fmax(size, scratch->scale[row] * terms);
    }
    for (int i = 0; i < rank; i++)
        size = fmax(size, fabs(scratch->rhs[i]));
    for (int i = rank; i < scratch->k; i++)
        if (fabs(scratch->rhs[i]) > FRICTION_DEPENDS * size)
            return false;
    return true;
}

/* The unknowns of a direction that leaves the equations as they are: the d-th
 * unknown beyond the rank is 1. Into scratch->work. */
static void
null_unknowns(struct mode_scratch *scratch, int rank, int d)
{
    int k = scratch->k;
    double *y = scratch->rhs, *x = scratch->work;
    for (int i = 0; i < rank; i++)
        y[i] = -scratch->K[i * k + d];
    back_substitute(scratch, rank, y);
    for (int i = 0; i < k; i++)
        x[scratch->order[i]] =
            (i < rank ? y[i]
             : i == d ? 1.0
                      : 0.0) *
            scratch->scale[scratch->unknown[scratch->order[i]]];
}

/* Orthonormal directions of forces that leave the equations as they are;
 * makes `force` (if not NULL) orthogonal to them, or as far along them as
 * in->near. Returns how many there are. */
static int
null_directions(struct mode_scratch *scratch, const struct mode_problem *in,
                int rank, double *force)
{
    int rows = 2 * in->n, k = scratch->k, count = 0;
    for (int column = rank; column < k; column++) {
        double *direction = scratch->null + (size_t)count * (size_t)rows,
               length = 0.0;
        memset(direction, 0, sizeof *direction * (size_t)rows);
        null_unknowns(scratch, rank, column);
        spread_unknowns(scratch, scratch->work, direction);
        for (int r = 0; r < rows; r++)
            length = fmax(length, fabs(direction[r]));
        for (int r = 0; r < rows && length > 0.0; r++)
            direction[r] /= length;
        for (int twice = 0; twice < 2; twice++)
            for (int e = 0; e < count; e++) {
                const double *earlier =
                    scratch->null + (size_t)e * (size_t)rows;
                double dot = dense_dot(rows, earlier, direction);
                for (int r = 0; r < rows; r++)
                    direction[r] -= dot * earlier[r];
            }
        length = sqrt(dense_dot(rows, direction, direction));
        if (!(length > 1e-8))
            continue;
        for (int r = 0; r < rows; r++)
            direction[r] /= length;
        count++;
    }
    for (int e = 0; e < count && force; e++) {
        const double *q = scratch->null + (size_t)e * (size_t)rows;
        double dot = dense_dot(rows, q, force);
        dot -= in->near ? dense_dot(rows, q, in->near) : 0.0;
        for (int r = 0; r < rows; r++)
            force[r] -= dot * q[r];
    }
    return count;
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
        if (point->slip == 0.0 && slip_sign(state[i].tangent) != 0.0) {
            bound = bound_new(scratch);
            bound->acc = 2 * i + 1;
            bound->acc_sign = -slip_sign(state[i].tangent);
        }
    }
}

/* The value of a bound; solution->acc is not asked. */
double
mode_bound_value(const struct mode_bound *bound, const struct mode_problem *in,
                 const double *force)
{
    double value = bound->offset;
    int rows = 2 * in->n;
    for (int j = 0; j < 2 && bound->row[j] >= 0; j++)
        value += bound->factor[j] * force[bound->row[j]];
    if (bound->acc >= 0) {
        const double *w = in->W + (size_t)bound->acc * (size_t)rows;
        value = in->free[bound->acc];
        for (int j = 0; j < rows; j++)
            value += w[j] * force[j];
        value *= bound->acc_sign;
    }
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
    int rows = 2 * in->n;
    double sum = 0.0;
    for (int j = 0; j < 2 && bound->row[j] >= 0; j++)
        sum += bound->factor[j] * direction[bound->row[j]];
    for (int c = 0; c < rows && bound->acc >= 0; c++)
        sum += bound->acc_sign * in->W[bound->acc * rows + c] * direction[c];
    return sum;
}

/* Returns the size of the derivatives of a bound by forces. */
double
mode_bound_weight(const struct mode_bound *bound, const struct mode_problem *in)
{
    int rows = 2 * in->n;
    double weight = 0.0;
    for (int j = 0; j < 2 && bound->row[j] >= 0; j++)
        weight = fmax(weight, fabs(bound->factor[j]));
    for (int c = 0; c < rows && bound->acc >= 0; c++)
        weight = fmax(weight, fabs(in->W[bound->acc * rows + c]));
    return weight;
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
    for (int b = 0; b < scratch->n_bound; b++) {
        double size = mode_bound_size(scratch->bound + b, in, force),
               keep = slack * mode_bound_scale(scratch->bound + b, in, force),
               length = 0.0;
        double value = mode_bound_value(scratch->bound + b, in, force) - keep;
        double *slope = scratch->A + (size_t)m * (size_t)count;
        for (int d = 0; d < count; d++) {
            slope[d] =
                mode_bound_along(scratch->bound + b, in,
                                 scratch->null + (size_t)d * (size_t)rows);
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
        scratch->h[m++] = -value / length;
    }
    return least_distance(m, count, scratch->A, scratch->h, FRICTION_TOLERANCE,
                          scratch->t, scratch->room);
}

/* Moves forces by the way that has been found. */
static void
go(const struct mode_scratch *scratch, int rows, int count, double *force)
{
    for (int d = 0; d < count; d++)
        for (int r = 0; r < rows; r++)
            force[r] += scratch->t[d] *
                        scratch->null[(size_t)d * (size_t)rows + (size_t)r];
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
        if (may_grow(scratch, in, scratch->null + (size_t)d * rows))
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
        const double *z = scratch->null + (size_t)d * (size_t)rows;
        for (int r = 0; r < rows; r++) {
            double moved = 0.0, terms = 0.0;
            for (int c = 0; c < rows; c++) {
                moved += in->W[r * rows + c] * z[c];
                terms += fabs(in->W[r * rows + c] * z[c]);
            }
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
    int rows = 2 * in->n, k = scratch->k, count = 0;
    memcpy(solution->force, scratch->base, sizeof(double) * (size_t)rows);
    scratch->least = INFINITY;
    if (k > 0) {
        equations(scratch, in);
        int rank = eliminate(scratch);
        one_solution(scratch, rank);
        spread_unknowns(scratch, scratch->x, solution->force);
        if (rank < k && !rest_is_zero(scratch, in, rank))
            return -1; /* no forces hold these rows */
        count = null_directions(scratch, in, rank, solution->force);
    }
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
    unknowns(scratch, in, state);
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
    solution->pace = dense_along(2 * in->n, in->W, count, scratch->null,
                                 solution->acc, FRICTION_SAME);
    solution->roomy =
        solution->margin >= FRICTION_ROOMY ||
        way_within(scratch, in, count, solution->force, FRICTION_ROOMY);
    if (in->inner && solution->roomy && !solution->loads)
        off_edges(scratch, in, count, solution);
}

int
mode_null(struct mode_scratch *scratch, const struct mode_problem *in)
{
    assert(scratch && in);
    equations(scratch, in);
    return null_directions(scratch, in, eliminate(scratch), NULL);
}
