/* SPDX-License-Identifier: MIT */
/* Balance of forces in cones of friction (balance.h). A force in the cone of a
 * point is a sum of its two edges, normal + mu tangential and normal - mu
 * tangential, with factors >= 0; a reaction of a joint is the difference of two
 * such factors. So extremes are linear programs, and the forces of least norm
 * are a problem of least distance. */
#include "runtime/balance/balance.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/dense.h"
#include "runtime/programs/linear_program.h"

/* halvings of the factor of friction: to the last bits */
#define HALVINGS 60
/* the greatest factor that is tried: beyond it no friction is enough */
#define FACTOR_MOST 1e9
/* The critical factor is the border, so it is asked without the room that
 * `possible` has for rounding: beyond what least squares leave. */
#define CRITICAL_ZERO 1e-13
/* a force counts as unique if its extremes differ by less than this share */
#define BALANCE_UNIQUE 1e-9

struct edges {
    int n; /* columns: two per point, two per joint reaction */
    double *A, *b;
};

static struct edges
edges_of(struct arena *arena, const struct balance_problem *in, double factor)
{
    struct edges edges = {2 * in->n + 2 * in->joints, NULL, NULL};
    edges.A = NEW_N(arena, double, in->rows *edges.n + 1);
    edges.b = NEW_N(arena, double, in->rows + 1);
    for (int r = 0; r < in->rows; r++) {
        double *row = edges.A + (size_t)r * (size_t)edges.n;
        edges.b[r] = -in->load[r];
        for (int i = 0; i < in->n; i++) {
            double normal = in->normal[i * in->rows + r],
                   rub = factor * in->mu[i] * in->tangential[i * in->rows + r];
            row[2 * i] = normal + rub;
            row[2 * i + 1] = normal - rub;
        }
        for (int k = 0; k < in->joints; k++) {
            double reaction = in->joint[k * in->rows + r];
            row[2 * (in->n + k)] = reaction;
            row[2 * (in->n + k) + 1] = -reaction;
        }
    }
    return edges;
}

static struct linear_program *
program_of(struct arena *arena, const struct balance_problem *in, double factor,
           double zero)
{
    struct edges edges = edges_of(arena, in, factor);
    return linear_program_new(arena, in->rows, edges.n, 0, edges.A, edges.b,
                              zero);
}

/* Could the load be held if tangential forces were as great as they need to be,
 * wherever there is friction? */
static bool
without_slip(struct arena *arena, const struct balance_problem *in)
{
    /* cones that are half-planes: the normal, and both tangents */
    struct edges wide = {3 * in->n + 2 * in->joints, NULL, NULL};
    wide.A = NEW_N(arena, double, in->rows *wide.n + 1);
    wide.b = NEW_N(arena, double, in->rows + 1);
    for (int r = 0; r < in->rows; r++) {
        double *row = wide.A + (size_t)r * (size_t)wide.n;
        wide.b[r] = -in->load[r];
        for (int i = 0; i < in->n; i++) {
            double rub =
                in->mu[i] > 0.0 ? in->tangential[i * in->rows + r] : 0.0;
            row[3 * i] = in->normal[i * in->rows + r];
            row[3 * i + 1] = rub;
            row[3 * i + 2] = -rub;
        }
        for (int k = 0; k < in->joints; k++) {
            double reaction = in->joint[k * in->rows + r];
            row[3 * in->n + 2 * k] = reaction;
            row[3 * in->n + 2 * k + 1] = -reaction;
        }
    }
    return linear_program_new(arena, in->rows, wide.n, 0, wide.A, wide.b,
                              LINEAR_PROGRAM_ZERO) != NULL;
}

/* Returns the least factor of friction with which the load can be held. */
static double
critical(struct arena *arena, const struct balance_problem *in)
{
    double low = 0.0, high = 1.0;
    if (program_of(arena, in, 0.0, CRITICAL_ZERO))
        return 0.0;
    if (!without_slip(arena, in))
        return INFINITY;
    while (!program_of(arena, in, high, CRITICAL_ZERO)) {
        low = high;
        high *= 2.0;
        if (high > FACTOR_MOST)
            return INFINITY;
    }
    for (int k = 0; k < HALVINGS && high - low > 1e-15 * high; k++) {
        double mid = 0.5 * (low + high);
        *(program_of(arena, in, mid, CRITICAL_ZERO) ? &high : &low) = mid;
    }
    return high;
}

/* Orthonormal changes of the forces at the contacts that leave the balance as
 * it is, with some reactions of the joints. Returns how many there are. */
static int
free_directions(struct arena *arena, const struct balance_problem *in,
                double *direction)
{
    int forces = 2 * in->n, all = forces + in->joints;
    /* null space of the balance, in the forces and reactions themselves */
    double *equation =
        NEW_N(arena, double, (size_t)all *(size_t)(all + in->rows) + 1);
    double *right = NEW_N(arena, double, (size_t)all *(size_t)all + 1);
    double *singular = NEW_N(arena, double, all + 1);
    for (int c = 0; c < all; c++)
        for (int r = 0; r < in->rows; r++)
            equation[c * in->rows + r] =
                c >= forces ? in->joint[(c - forces) * in->rows + r]
                : c % 2     ? in->tangential[c / 2 * in->rows + r]
                            : in->normal[c / 2 * in->rows + r];
    dense_svd(in->rows, all, equation, right, singular);
    int rank = 0;
    while (rank < all && rank < in->rows &&
           singular[rank] > dense_tolerance(in->rows, all) * singular[0])
        rank++;
    int count = 0;
    for (int k = rank; k < all; k++) { /* orthonormal over the contact forces */
        double *change = direction + (size_t)count * (size_t)forces;
        memcpy(change, right + (size_t)k * (size_t)all,
               sizeof *change * (size_t)forces);
        for (int twice = 0; twice < 2; twice++)
            for (int e = 0; e < count; e++) {
                const double *p = direction + (size_t)e * (size_t)forces;
                double dot = dense_dot(forces, p, change);
                for (int i = 0; i < forces; i++)
                    change[i] -= dot * p[i];
            }
        double length = sqrt(dense_dot(forces, change, change));
        if (length < 1e-8)
            continue;
        for (int i = 0; i < forces; i++)
            change[i] /= length;
        count++;
    }
    return count;
}

/* The forces of least norm: the point of the cones that is nearest to the
 * origin. `vertex` is one solution, in forces along the edges of the cones. */
static void
least_forces(struct arena *arena, const struct balance_problem *in,
             const double *vertex, struct balance *out)
{
    int forces = 2 * in->n, all = forces + in->joints, m = 3 * in->n;
    double *direction = NEW_N(arena, double, (size_t)all *(size_t)forces + 1);
    int count = free_directions(arena, in, direction);
    double *force = NEW_N(arena, double, forces + 1);
    for (int i = 0; i < in->n; i++) {
        force[2 * i] = vertex[2 * i] + vertex[2 * i + 1];
        force[2 * i + 1] = in->mu[i] * (vertex[2 * i] - vertex[2 * i + 1]);
    }
    for (int e = 0; e < count; e++) {
        double dot =
            dense_dot(forces, direction + (size_t)e * (size_t)forces, force);
        for (int i = 0; i < forces; i++)
            force[i] -= dot * direction[e * forces + i];
    }
    double *row = NEW_N(arena, double, (size_t)m *(size_t)(count + 1));
    double *least = NEW_N(arena, double, m + 1),
           *along = NEW_N(arena, double, count + 1);
    double *room = NEW_N(arena, double, least_distance_room(m, count));
    for (int i = 0; i < in->n; i++)
        for (int side = 0; side < 3; side++) {
            double a[2] = {side < 2 ? in->mu[i] : 1.0, side == 0   ? 1.0
                                                       : side == 1 ? -1.0
                                                                   : 0.0};
            least[3 * i + side] =
                -(a[0] * force[2 * i] + a[1] * force[2 * i + 1]);
            for (int e = 0; e < count; e++)
                row[(3 * i + side) * count + e] =
                    a[0] * direction[e * forces + 2 * i] +
                    a[1] * direction[e * forces + 2 * i + 1];
        }
    if (count <= LEAST_DISTANCE_MOST &&
        least_distance(m, count, row, least, BALANCE_UNIQUE, along, room))
        for (int i = 0; i < forces; i++)
            for (int e = 0; e < count; e++)
                force[i] += along[e] * direction[e * forces + i];
    else /* the vertex itself is one of the answers */
        for (int i = 0; i < in->n; i++) {
            force[2 * i] = vertex[2 * i] + vertex[2 * i + 1];
            force[2 * i + 1] = in->mu[i] * (vertex[2 * i] - vertex[2 * i + 1]);
        }
    for (int i = 0; i < in->n; i++) {
        double cone = in->mu[i] * force[2 * i]; /* beyond it by rounding only */
        out->normal[i] = force[2 * i];
        out->tangential[i] = fmax(-cone, fmin(cone, force[2 * i + 1]));
    }
}

/* Finds the least and the greatest value of one force of point i: the factors
 * of its two edges. */
static void
extremes(struct arena *arena, struct linear_program *program, int columns,
         int i, const double edge[2], double *least, double *most)
{
    double *c = NEW_N(arena, double, columns + 1);
    c[2 * i] = edge[0];
    c[2 * i + 1] = edge[1];
    *least = linear_program_least(program, c, NULL);
    c[2 * i] = -edge[0];
    c[2 * i + 1] = -edge[1];
    *most = -linear_program_least(program, c, NULL);
}

void
balance_find(struct arena *arena, const struct balance_problem *in,
             struct balance *out)
{
    assert(arena && in && out && in->n > 0 && in->rows > 0);
    int n = in->n, columns = 2 * n + 2 * in->joints;
    *out = (struct balance){.normal = NEW_N(arena, double, n),
                            .tangential = NEW_N(arena, double, n),
                            .normal_least = NEW_N(arena, double, n),
                            .normal_most = NEW_N(arena, double, n),
                            .tangential_least = NEW_N(arena, double, n),
                            .tangential_most = NEW_N(arena, double, n)};
    struct linear_program *program =
        program_of(arena, in, 1.0, LINEAR_PROGRAM_ZERO);
    out->possible = program != NULL;
    out->critical = critical(arena, in);
    if (!program)
        return;
    double *vertex = NEW_N(arena, double, columns + 1),
           *none = NEW_N(arena, double, columns + 1), size = 0.0;
    linear_program_least(program, none, vertex);
    least_forces(arena, in, vertex, out);
    out->unique = true;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(out->normal[i]));
    for (int i = 0; i < n; i++) {
        double normal[2] = {1.0, 1.0}, rub[2] = {in->mu[i], -in->mu[i]};
        extremes(arena, program, columns, i, normal, &out->normal_least[i],
                 &out->normal_most[i]);
        extremes(arena, program, columns, i, rub, &out->tangential_least[i],
                 &out->tangential_most[i]);
        out->unique &= out->normal_most[i] - out->normal_least[i] <=
                           BALANCE_UNIQUE * size &&
                       out->tangential_most[i] - out->tangential_least[i] <=
                           BALANCE_UNIQUE * size;
    }
}
