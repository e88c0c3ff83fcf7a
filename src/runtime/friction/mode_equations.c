/* SPDX-License-Identifier: MIT */
/* The equations of one choice of modes. Unknown are the normal force of every
 * closed point and the tangential force of every sticking one; the equations
 * say that these rows have no acceleration. Rows and unknowns are scaled to a
 * unit diagonal of W, so that one tolerance serves bodies of any mass. Where
 * the points depend on each other (four legs, a ladder) the forces are a
 * family. Equations of many unknowns have few entries in each row, as few
 * points share a body; those of few are eliminated whole. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"
#include "runtime/numerics/dense.h"
#include "runtime/sparse/sparse.h"

/* Of so many unknowns entries that are 0 are left out: of fewer the elimination
 * of all takes less time. */
#define SPARSE_UNKNOWNS 64

double *
mode_room_for(struct arena *arena, struct mode_room *room, size_t n)
{
    if (n > room->n)
        *room = (struct mode_room){NEW_N(arena, double, n), n};
    return room->v;
}

struct mode_scratch *
mode_scratch_new(struct arena *arena, const struct mode_problem *in)
{
    assert(arena && in && in->n > 0);
    struct mode_scratch *scratch = NEW(arena, struct mode_scratch);
    scratch->arena = arena;
    int most = 2 * in->n;
    size_t rows = (size_t)most;
    scratch->unknown = NEW_N(arena, int, 3 * rows);
    scratch->order = scratch->unknown + rows;
    scratch->which = scratch->order + rows;
    scratch->along = NEW_N(arena, double, 6 * rows);
    scratch->scale = scratch->along + rows;
    scratch->rhs = scratch->scale + rows;
    scratch->x = scratch->rhs + rows;
    scratch->work = scratch->x + rows;
    scratch->base = scratch->work + rows;
    scratch->bound = NEW_N(arena, struct mode_bound, 3 * rows);
    for (int r = 0; r < most; r++) {
        double w = in->W[r * (most + 1)];
        scratch->scale[r] = w > 0.0 ? 1.0 / sqrt(w) : 1.0;
    }
    return scratch;
}

void
mode_unknowns(struct mode_scratch *scratch, const struct mode_problem *in,
              const struct point_state *state)
{
    assert(scratch && in && state);
    scratch->k = 0;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        int *which = scratch->which + 2 * i;
        which[0] = which[1] = -1;
        double along = mode_slip_sign(state[i].tangent) * point->mu_slip;
        scratch->base[2 * i] = point->offset;
        scratch->base[2 * i + 1] = along * point->offset;
        if (state[i].closed) {
            scratch->along[scratch->k] = along;
            which[0] = scratch->k;
            scratch->unknown[scratch->k++] = 2 * i;
        }
        if (state[i].tangent == TANGENT_STICK) {
            scratch->along[scratch->k] = 0.0;
            which[1] = scratch->k;
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

/* The entry of equation i and unknown j, without scales, where the row of W has
 * w at the unknown's force and along its point's friction. */
static double
entry(const struct mode_scratch *scratch, int j, double w, double friction)
{
    return scratch->along[j] != 0.0 ? w + scratch->along[j] * friction : w;
}

/* Writes equation i of many. */
static void
sparse_equation(struct mode_scratch *scratch, const struct mode_problem *in,
                int i)
{
    int row = scratch->unknown[i];
    const double *w = in->W + (size_t)row * 2 * (size_t)in->n;
    const int *first = in->pattern->first + row;
    scratch->sparse->right[i] = scratch->rhs[i];
    for (int p = first[0]; p < first[1]; p++) {
        int N = 2 * in->pattern->point[p];
        for (int part = 0; part < 2; part++) {
            int j = scratch->which[N + part];
            double value = j < 0 ? 0.0
                                 : entry(scratch, j, w[N + part], w[N + 1]) *
                                       scratch->scale[row] *
                                       scratch->scale[N + part];
            if (value != 0.0)
                sparse_put(scratch->sparse, i, j, value);
        }
    }
}

/* Makes the equations K x = rhs in scaled unknowns. */
static void
equations(struct mode_scratch *scratch, const struct mode_problem *in)
{
    int rows = 2 * in->n, k = scratch->k;
    scratch->many = in->pattern && k >= SPARSE_UNKNOWNS;
    if (scratch->many && !scratch->sparse)
        scratch->sparse = sparse_new(scratch->arena, rows);
    if (scratch->many)
        sparse_clear(scratch->sparse, k);
    double *K = scratch->many ? NULL
                              : mode_room_for(scratch->arena, &scratch->K,
                                              (size_t)k * (size_t)k);
    for (int i = 0; i < k; i++) {
        int row = scratch->unknown[i];
        const double *w = in->W + (size_t)row * (size_t)rows;
        double si = scratch->scale[row];
        scratch->rhs[i] =
            -si * mode_row_sum(in, row, in->free[row], scratch->base);
        if (scratch->many)
            sparse_equation(scratch, in, i);
        for (int j = 0; j < k && !scratch->many; j++) {
            int column = scratch->unknown[j];
            double friction = scratch->along[j] != 0.0 ? w[column + 1] : 0.0;
            K[i * k + j] = si * entry(scratch, j, w[column], friction) *
                           scratch->scale[column];
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
    double *matrix = scratch->K.v;
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
eliminate_whole(struct mode_scratch *scratch)
{
    int k = scratch->k;
    double *matrix = scratch->K.v, *most = scratch->work, first = 0.0;
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
            x[i] -= scratch->K.v[i * k + j] * x[j];
        x[i] /= scratch->K.v[i * k + i];
    }
}

/* Eliminates the equations; scratch->least: the share of the least pivot.
 * Returns the rank. */
static int
eliminate(struct mode_scratch *scratch)
{
    if (!scratch->many)
        return eliminate_whole(scratch);
    sparse_eliminate(scratch->sparse, scratch->zero);
    scratch->least = scratch->sparse->least;
    memcpy(scratch->rhs, scratch->sparse->right,
           sizeof *scratch->rhs * (size_t)scratch->k);
    int free = scratch->sparse->rank;
    for (int j = 0; j < scratch->k; j++)
        if (scratch->sparse->place[j] < 0)
            scratch->order[free++] = j;
    return scratch->sparse->rank;
}

/* One solution: unknowns beyond the rank are 0. */
static void
one_solution(struct mode_scratch *scratch, int rank)
{
    int k = scratch->k;
    double *x = scratch->work;
    for (int i = 0; i < k; i++)
        x[i] = i < rank && !scratch->many ? scratch->rhs[i] : 0.0;
    if (scratch->many)
        sparse_back(scratch->sparse, scratch->sparse->right, x);
    else
        back_substitute(scratch, rank, x);
    for (int i = 0; i < k; i++) {
        int own = scratch->many ? i : scratch->order[i];
        scratch->x[own] = x[i] * scratch->scale[scratch->unknown[own]];
    }
}

/* Are the equations beyond the rank satisfied, to the tolerance? Their right
 * sides are what the elimination has left of them. */
static bool
rest_is_zero(const struct mode_scratch *scratch, const struct mode_problem *in,
             int rank)
{
    double size = 0.0, left = 0.0;
    for (int j = 0; j < scratch->k; j++) {
        int row = scratch->unknown[j];
        double terms = in->terms ? in->terms[row] : fabs(in->free[row]);
        size = fmax(size, scratch->scale[row] * terms);
    }
    for (int i = 0; i < scratch->k; i++) {
        bool pivot = scratch->many ? scratch->sparse->slot[i] < 0 : i < rank;
        double *most = pivot ? &size : &left;
        *most = fmax(*most, fabs(scratch->rhs[i]));
    }
    return !(left > FRICTION_DEPENDS * size);
}

/* The unknowns of a direction that leaves the equations as they are: the d-th
 * unknown beyond the rank is 1. Into scratch->work. */
static void
null_unknowns(struct mode_scratch *scratch, int rank, int d)
{
    int k = scratch->k;
    double *y = scratch->rhs, *x = scratch->work;
    if (scratch->many) {
        memset(x, 0, sizeof *x * (size_t)k);
        x[scratch->order[d]] = 1.0;
        sparse_back(scratch->sparse, NULL, x);
        for (int j = 0; j < k; j++)
            x[j] *= scratch->scale[scratch->unknown[j]];
        return;
    }
    for (int i = 0; i < rank; i++)
        y[i] = -scratch->K.v[i * k + d];
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
    double *null = mode_room_for(scratch->arena, &scratch->null,
                                 (size_t)(k - rank) * (size_t)rows);
    for (int column = rank; column < k; column++) {
        double *direction = null + (size_t)count * (size_t)rows, length = 0.0;
        memset(direction, 0, sizeof *direction * (size_t)rows);
        null_unknowns(scratch, rank, column);
        spread_unknowns(scratch, scratch->work, direction);
        for (int r = 0; r < rows; r++)
            length = fmax(length, fabs(direction[r]));
        for (int r = 0; r < rows && length > 0.0; r++)
            direction[r] /= length;
        for (int twice = 0; twice < 2; twice++)
            for (int e = 0; e < count; e++) {
                const double *earlier = null + (size_t)e * (size_t)rows;
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
        const double *q = null + (size_t)e * (size_t)rows;
        double dot = dense_dot(rows, q, force);
        dot -= in->near ? dense_dot(rows, q, in->near) : 0.0;
        for (int r = 0; r < rows; r++)
            force[r] -= dot * q[r];
    }
    return count;
}

int
mode_equations(struct mode_scratch *scratch, const struct mode_problem *in,
               double *force)
{
    assert(scratch && in && force);
    memcpy(force, scratch->base, sizeof *force * 2 * (size_t)in->n);
    scratch->least = INFINITY;
    if (scratch->k == 0)
        return 0;
    equations(scratch, in);
    int rank = eliminate(scratch);
    one_solution(scratch, rank);
    spread_unknowns(scratch, scratch->x, force);
    if (rank < scratch->k && !rest_is_zero(scratch, in, rank))
        return -1;
    return null_directions(scratch, in, rank, force);
}

int
mode_null(struct mode_scratch *scratch, const struct mode_problem *in)
{
    assert(scratch && in);
    equations(scratch, in);
    return null_directions(scratch, in, eliminate(scratch), NULL);
}

double
mode_force_terms(const struct mode_problem *in)
{
    assert(in);
    double most = 0.0;
    int rows = 2 * in->n;
    for (int r = 0; r < rows; r++) {
        double own = in->W[(size_t)r * (size_t)(rows + 1)],
               terms = in->terms ? in->terms[r] : fabs(in->free[r]);
        if (own > 0.0)
            most = fmax(most, terms / own);
    }
    return most;
}
