/* SPDX-License-Identifier: MIT */
/* Makes the maps and the sets C_j of an invariant cone problem from a symmetry.
 * The sets follow from the gradients of the gaps: a flight from a point of
 * facet 0 of the feasible set to a point of facet j has the velocity q_j - q_0,
 * so C_j = (facet j - facet 0) and {x_0 <= 0}. For feet of a regular polygon
 * these are the four rays of Lemma 3 (chatter.md 2.5). */
#include "runtime/returnmap/invariant_cone.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/vec3.h"

/* cosines are data with 9 digits (symmetry.c) */
#define INVARIANT_CONE_SAME 1e-9
/* The coordinates of the plane are turned by this angle in radians, which is no
 * simple fraction of a turn. Otherwise edges that repeat, as those of the sets
 * C_j do, could be upright, and corners with equal x have no safe order. */
#define INVARIANT_CONE_TURN 0.4567

/* 3 x 3 */
/* The coordinates x are turned, so that edges that occur often (those of C_j)
 * are not vertical: that would disturb the sorting of corners. */
static void
coordinates(struct invariant_cone_problem *problem,
            const struct symmetry *symmetry)
{
    bool two = problem->dim == 2;
    double co = two ? 1.0 : cos(INVARIANT_CONE_TURN),
           si = two ? 0.0 : sin(INVARIANT_CONE_TURN);
    double e = problem->e, one = !two;
    /* F_0 is a cosine in each mode, a pair has one scale */
    double a = fabs(symmetry->F[0]), b = fabs(symmetry->F[1]);
    double X[9] = {a, 0, 0, 0, b, 0, 0, 0, one * b};
    double modes[9] = {1.0 / a, 0, 0, 0, 1.0 / b, 0, 0, 0, one / b};
    double x_of[9] = {1, 0, 0, co / e, co / e, -si, si / e, si / e, one * co};
    double rates[9] = {1, 0, 0, -1, e * co, e * si, 0, -si, one * co};
    memcpy(problem->x_of, x_of, sizeof x_of);
    memcpy(problem->rates, rates, sizeof rates);
    mat3_product(x_of, X, problem->to);
    mat3_product(modes, rates, problem->back);
}

/* Makes the turn R^k in the coordinates X; with 2 dimensions, in the upper left
 * corner. */
static void
turn(const struct invariant_cone_problem *problem,
     const struct symmetry *symmetry, int k, double *R)
{
    double small[9];
    symmetry_turn(symmetry, k, small);
    memset(R, 0, 9 * sizeof *R);
    for (int i = 0; i < problem->dim; i++)
        for (int j = 0; j < problem->dim; j++)
            R[3 * i + j] = small[i * problem->dim + j];
}

/* Makes the map that gives x of U_0 R^-j p from x of p. With v = u_0 of R^-j p,
 * which is u_j of p, the impact leaves X_0 - (1 + e) F_00^2 v, u_0 = -e v and
 * X_2. Letters: R = R^-j, A = U_0 R^-j, B = A times the rates of x, T turns to
 * x. */
static void
impact_map(const struct invariant_cone_problem *problem,
           const struct symmetry *symmetry, int j, double *map)
{
    double R[9], A[9], B[9], u[3],
        f = (1.0 + problem->e) * symmetry->F[0] * symmetry->F[0];
    turn(problem, symmetry, -j, R);
    for (int c = 0; c < 3; c++) {
        u[c] = R[c] + R[3 + c];
        A[c] = R[c] - f * u[c];
        A[3 + c] = -u[c]; /* u_0/e */
        A[6 + c] = R[6 + c];
    }
    mat3_product(A, problem->rates, B);
    /* (X_0, u_0/e, X_2) to x: a turn */
    double T[9] = {1,
                   0,
                   0,
                   0,
                   problem->x_of[4] * problem->e,
                   problem->x_of[5],
                   0,
                   problem->x_of[7] * problem->e,
                   problem->x_of[8]};
    mat3_product(T, B, map);
}

/* Is v already among the n vectors? All of them are unit vectors. */
static bool
among(double (*w)[3], int n, const double *v)
{
    assert(n >= 0 && n <= 6);
    for (int i = 0; i < n; i++) {
        double d[3] = {v[0] - w[i][0], v[1] - w[i][1], v[2] - w[i][2]};
        if (vec3_norm(d) <= INVARIANT_CONE_SAME)
            return true;
    }
    return false;
}

/* Finds the edges of the feasible set on facet 0, scaled to x_0 = 1: ray[0 ..
 * 1] (one in 2 dimensions). Returns how many there are. */
static int
edges(const struct invariant_cone_problem *problem, double (*ray)[3])
{
    double unit[2][3];
    int found = 0;
    for (int contact = 1; contact < problem->m; contact++) {
        double direction[3], sign = 1.0;
        if (problem->dim == 3) {
            vec3_cross(problem->gap[0], problem->gap[contact], direction);
        } else {
            direction[0] = -problem->gap[0][1];
            direction[1] = problem->gap[0][0];
            direction[2] = 0.0;
        }
        double size = vec3_norm(direction);
        if (!(size > INVARIANT_CONE_SAME))
            continue;
        if ((problem->dim == 3
                 ? direction[0]
                 : vec3_dot(problem->gap[contact], direction)) < 0.0)
            sign = -1.0;
        bool edge = true;
        for (int i = 0; i < 3; i++)
            direction[i] *= sign / size;
        for (int l = 0; l < problem->m && edge; l++)
            edge = vec3_dot(problem->gap[l], direction) >= -INVARIANT_CONE_SAME;
        if (!edge || !(direction[0] > INVARIANT_CONE_SAME) ||
            among(unit, found, direction))
            continue;
        if (found == problem->dim - 1)
            return 0;
        memcpy(unit[found], direction, sizeof direction);
        for (int i = 0; i < 3; i++)
            ray[found][i] = direction[i] / direction[0];
        found++;
    }
    return found;
}

/* Turns normal.X >= 0 into inward.x >= 0. The condition on u_0 is taken from
 * the gap itself, because x has more digits of u_0 than X. */
static void
side(const struct invariant_cone_problem *problem, const double *normal,
     double *inward)
{
    double l = vec3_norm(problem->gap[0]), d[3];
    for (int k = 0; k < 3; k++)
        d[k] = normal[k] - problem->gap[0][k] / l;
    const double *v =
        vec3_norm(d) <= INVARIANT_CONE_SAME ? problem->gap[0] : normal;
    for (int k = 0; k < 3; k++)
        inward[k] = v[0] * problem->rates[k] + v[1] * problem->rates[3 + k] +
                    v[2] * problem->rates[6 + k];
    double size = vec3_norm(inward);
    for (int k = 0; k < 3; k++)
        inward[k] /= size;
}

/* The half-spaces of the cone of rays: planes through two of them (one in 2
 * dimensions) with all others on one side. */
static void
half_spaces(const struct invariant_cone_problem *problem,
            struct invariant_cone_flight *flight)
{
    double unit[6][3], normal[6][3];
    for (int i = 0; i < flight->n_ray; i++)
        for (int k = 0; k < 3; k++)
            unit[i][k] = flight->ray[i][k] / vec3_norm(flight->ray[i]);
    flight->n = flight->n_clip = 0;
    for (int i = 0; i < flight->n_ray; i++)
        for (int j = problem->dim == 3 ? 0 : i;
             j <= (problem->dim == 3 ? i - 1 : i); j++) {
            double candidate[3] = {-unit[i][1], unit[i][0], 0.0};
            if (problem->dim == 3)
                vec3_cross(unit[i], unit[j], candidate);
            double size = vec3_norm(candidate), lo = 0.0, hi = 0.0;
            if (!(size > INVARIANT_CONE_SAME))
                continue;
            for (int k = 0; k < flight->n_ray; k++) {
                lo = fmin(lo, vec3_dot(candidate, unit[k]));
                hi = fmax(hi, vec3_dot(candidate, unit[k]));
            }
            if (fmin(-lo, hi) > INVARIANT_CONE_SAME * size)
                continue;
            for (int k = 0; k < 3; k++)
                candidate[k] *= (hi > -lo ? 1.0 : -1.0) / size;
            if (flight->n < 6 && !among(normal, flight->n, candidate))
                memcpy(normal[flight->n++], candidate, sizeof candidate);
        }
    for (int level = 0; level < 2; level++)
        for (int i = 0; i < flight->n; i++)
            if ((normal[i][0] < INVARIANT_CONE_SAME - 1.0) == level) {
                side(problem, normal[i],
                     flight->h[level ? flight->n - 1 : flight->n_clip].c);
                flight->n_clip += !level;
            }
}

/* Makes C_j from the edges of facets 0 and j; rays are scaled to x_0 = 1 or -1.
 */
static void
flight_cone(const struct invariant_cone_problem *problem, double (*from)[3],
            double (*to)[3], int n, struct invariant_cone_flight *flight)
{
    flight->n_ray = 0;
    for (int i = 0; i < n; i++, flight->n_ray++)
        for (int k = 0; k < 3; k++)
            flight->ray[flight->n_ray][k] = -from[i][k];
    /* sums of one ray from each facet, where x_0 does not change */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double *d = flight->ray[flight->n_ray];
            for (int k = 0; k < 3; k++)
                d[k] = to[i][k] - from[j][k];
            d[0] = 0.0;
            flight->n_ray += vec3_norm(d) > INVARIANT_CONE_SAME;
        }
    half_spaces(problem, flight);
}

static enum invariant_cone_refused
suits(const struct symmetry *symmetry, struct invariant_cone_problem *problem)
{
    if (symmetry->found != SYMMETRY_YES)
        return INVARIANT_CONE_NO_SYMMETRY;
    if (symmetry->m > INVARIANT_CONE_CONTACTS)
        return INVARIANT_CONE_TOO_MANY;
    for (int k = 1; k < symmetry->m; k++)
        if (symmetry->cosine[k] >= 1.0 - INVARIANT_CONE_SAME) {
            problem->first = symmetry->order[0];
            problem->second = symmetry->order[k];
            return INVARIANT_CONE_ALIKE;
        }
    /* the mode that does not turn comes first, if there is one */
    if (symmetry->R[0] != 1.0 ||
        (symmetry->rank > 1 && symmetry->R[symmetry->rank] != 0.0))
        return INVARIANT_CONE_NO_MEAN;
    if (symmetry->rank != 2 && symmetry->rank != 3)
        return INVARIANT_CONE_DIMENSION;
    return symmetry->e > 0.0 ? INVARIANT_CONE_FITS : INVARIANT_CONE_NO_REBOUND;
}

enum invariant_cone_refused
invariant_cone_problem(struct arena *arena, const struct symmetry *symmetry,
                       struct invariant_cone_problem *problem)
{
    assert(arena && symmetry && problem);
    *problem = (struct invariant_cone_problem){
        .m = symmetry->m, .dim = symmetry->rank, .e = symmetry->e};
    enum invariant_cone_refused why = suits(symmetry, problem);
    if (why)
        return why;
    int contacts = problem->m, n_edge;
    double R[9], from[2][3] = {{0}}, to[2][3];
    problem->deviation = symmetry->deviation;
    problem->gap = arena_alloc(arena, (size_t)contacts * sizeof *problem->gap);
    problem->flight = NEW_N(arena, struct invariant_cone_flight, contacts);
    coordinates(problem, symmetry);
    for (int j = 0; j < contacts; j++) {
        /* F_j divided by the scales, so that F_0 is 1 in each */
        problem->gap[j][0] = 1.0;
        for (int c = 1; c < problem->dim; c++)
            problem->gap[j][c] =
                symmetry->F[j * problem->dim + c] / fabs(symmetry->F[1]);
    }
    /* u_0 = e */
    problem->after[0] =
        (1.0 + problem->e) * symmetry->F[0] * symmetry->F[0] - 1.0;
    problem->after[1] = problem->x_of[4] * problem->e;
    problem->after[2] = problem->x_of[7] * problem->e;
    n_edge = edges(problem, from);
    if (n_edge != problem->dim - 1)
        return INVARIANT_CONE_DIMENSION;
    for (int j = 1; j < contacts; j++) {
        turn(problem, symmetry, j, R);
        for (int i = 0; i < n_edge; i++)
            mat3_apply(R, from[i], to[i]);
        flight_cone(problem, from, to, n_edge, &problem->flight[j]);
        impact_map(problem, symmetry, j, problem->flight[j].map);
    }
    return INVARIANT_CONE_FITS;
}
