/* SPDX-License-Identifier: MIT */
/* A smooth body and one feature of a polytope: Newton's method on the
 * conditions of nearest points (mechanics/smooth_polytope.c), and whether their
 * solution is the one that was asked for. Apart, the conditions with those of
 * the feature (smooth_polytope_feature.c) are sufficient, since both bodies are
 * convex; overlapping, they hold at every stationary direction of the
 * separation, and its greatest ones are told by the curvatures. Letters: K
 * curvature matrix of A in the tangents T, e its eigenvalues, N unit normal. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/smooth_polytope_priv.h"
#include "runtime/numerics/factors.h"
#include "runtime/tape/functions.h"

/* outputs of a feature_kkt tape */
#define SMOOTH_POLYTOPE_OUT                                                    \
    (SMOOTH_POLYTOPE_UNKNOWNS +                                                \
     SMOOTH_POLYTOPE_UNKNOWNS * SMOOTH_POLYTOPE_UNKNOWNS + 1 + 6)

/* Sets the unknowns with which Newton's method begins: a point of A with its
 * gradient (B's axes), and the feature's point nearest to it. */
static void
begin(const struct smooth_polytope *pair, struct polytope_feature feature,
      const struct support_point *point, double *unknowns)
{
    const struct polytope *polytope = pair->B;
    double place[3], gradient[3], way[3];
    for (int i = 0; i < pair->d; i++)
        unknowns[i] = point->x[i];
    for (int i = 0; i < 3; i++)
        gradient[i] = vec3_dot(pair->Q[i], point->g);
    if (feature.kind == FEATURE_FACE) {
        unknowns[pair->d] = point->norm;
        return;
    }
    smooth_polytope_from_smooth(pair, point->x, place);
    const double *b =
        feature.kind == FEATURE_VERTEX
            ? polytope->vertex[feature.index]
            : polytope->vertex[polytope->edge[feature.index].v[0]];
    for (int i = 0; i < 3; i++)
        way[i] = b[i] - place[i];
    if (feature.kind == FEATURE_EDGE) {
        /* where the edge's line is nearest to the normal's line */
        const double *w = polytope->edge[feature.index].dir;
        double along = -vec3_dot(way, w);
        unknowns[pair->d + 1] = along;
        for (int i = 0; i < 3; i++)
            way[i] += along * w[i];
    }
    unknowns[pair->d] = vec3_dot(way, gradient) / (point->norm * point->norm);
}

enum support_fault
smooth_polytope_newton(const struct smooth_polytope *pair,
                       struct polytope_feature feature, double *unknowns,
                       struct smooth_polytope_nearest *nearest)
{
    assert(feature.kind <= FEATURE_FACE);
    double local[SMOOTH_POLYTOPE_LOCALS], out[SMOOTH_POLYTOPE_OUT],
        jacobian[SMOOTH_POLYTOPE_UNKNOWNS * SMOOTH_POLYTOPE_UNKNOWNS];
    double last = INFINITY;
    struct support_steps steps = {0};
    int piv[SMOOTH_POLYTOPE_UNKNOWNS],
        count = smooth_polytope_local(pair, feature, local), dim = pair->d;
    uint32_t tape = pair->k->feature_kkt[feature.kind];
    memcpy(local, unknowns, sizeof(double) * (size_t)count);
    contact_bodies_enter(pair->r, pair->k);
    for (int it = 0; it < 60; it++) {
        if (rt_eval(pair->r, tape, local, out) != IMP_OK)
            return SUPPORT_NONFINITE;
        memcpy(jacobian, out + count, sizeof(double) * (size_t)(count * count));
        if (imp_lu_factor(count, jacobian, piv) != 0)
            return SUPPORT_FLAT;
        imp_lu_solve(count, jacobian, piv, out);
        double move = 0.0, scale = pair->length;
        for (int i = 0; i < count; i++) {
            if (!isfinite(out[i]))
                return SUPPORT_LOST;
            if (i < dim) {
                move = fmax(move, fabs(out[i]));
                scale = fmax(scale, fabs(local[i]));
            }
            if (i > dim)
                move = fmax(move, fabs(out[i]));
        }
        if (move > 8.0 * scale)
            return SUPPORT_LOST;
        double share = support_steps_share(&steps, dim, out, move,
                                           SUPPORT_SETTLED * scale);
        for (int i = 0; i < count; i++)
            local[i] -= share * out[i];
        bool small = move <= SUPPORT_STEP * scale;
        if (small || (move < SUPPORT_SETTLED * scale && move >= 0.25 * last))
            break;
        bool stays = it > 12 && move > 0.95 * last;
        if (stays && move <= SUPPORT_FLAT_STEP * scale)
            break;
        if (it == 59 || (stays && share == 1.0))
            return SUPPORT_LOST;
        last = move;
    }
    if (rt_eval(pair->r, tape, local, out) != IMP_OK)
        return SUPPORT_NONFINITE;
    memset(nearest, 0, sizeof *nearest);
    nearest->f = feature;
    memcpy(nearest->u, local, sizeof(double) * (size_t)count);
    const double *more = out + count + count * count;
    nearest->gap = more[0];
    for (int i = 0; i < dim; i++) {
        nearest->p[i] = more[1 + i];
        nearest->n[i] = more[1 + dim + i];
    }
    double norm = vec3_norm(nearest->n);
    if (!(norm > 0.0))
        return SUPPORT_LOST;
    for (int i = 0; i < 3; i++)
        nearest->n[i] /= norm;
    return SUPPORT_FINE;
}

/* Finds the worst of the conditions of the feature. */
static void
judge(const struct smooth_polytope *pair,
      struct smooth_polytope_nearest *nearest)
{
    struct feature_condition condition;
    uint32_t at = 0;
    nearest->violated = -INFINITY;
    while (smooth_polytope_condition(pair, nearest->f, &at, &condition)) {
        double v = vec3_dot(condition.a,
                            condition.of_normal ? nearest->n : nearest->p) +
                   condition.c;
        v = -v / pair->past[condition.of_normal ? 0 : 1];
        if (v > nearest->violated) {
            nearest->violated = v;
            nearest->next = condition.next;
        }
    }
}

/* Curvatures of A at p. For an edge the first tangent lies along the edge. */
static void
curvatures(const struct smooth_polytope *pair,
           const struct smooth_polytope_nearest *nearest,
           const struct support_point *point, double shape[3])
{
    double N[3], tangent[2][3];
    for (int i = 0; i < 3; i++)
        N[i] = point->g[i] / point->norm;
    support_tangents(pair->d, N, tangent);
    if (nearest->f.kind == FEATURE_EDGE) {
        smooth_polytope_turn_to_smooth(
            pair, pair->B->edge[nearest->f.index].dir, tangent[0]);
        tangent[1][0] = N[1] * tangent[0][2] - N[2] * tangent[0][1];
        tangent[1][1] = N[2] * tangent[0][0] - N[0] * tangent[0][2];
        tangent[1][2] = N[0] * tangent[0][1] - N[1] * tangent[0][0];
    }
    support_curvature(&pair->A, point, tangent, shape);
}

/* The radius of curvature that an overlap is compared with: for a vertex the
 * least one, for an edge the one across it (of the projection along the edge:
 * an entry of K^-1), for a face none. */
static double
least_radius(const struct smooth_polytope *pair,
             const struct smooth_polytope_nearest *nearest, const double K[3])
{
    double W[3], e[2];
    if (nearest->f.kind == FEATURE_FACE)
        return INFINITY;
    support_radii(pair->d, K, SUPPORT_STRAIGHT / pair->length, W);
    if (nearest->f.kind == FEATURE_EDGE)
        return W[2];
    support_principal_curvatures(pair->d, W, e);
    return e[0];
}

/* Checks what kind of stationary point it is, and fills its foot. */
static enum support_fault
finish(const struct smooth_polytope *pair,
       struct smooth_polytope_nearest *nearest)
{
    double x[3] = {0.0, 0.0, 0.0}, shape[3], eigenvalue[2];
    struct support_point point;
    memcpy(x, nearest->u, sizeof(double) * (size_t)pair->d);
    if (nearest->f.kind == FEATURE_FACE && !(nearest->u[pair->d] > 0.0))
        return SUPPORT_LOST;
    if (support_level(&pair->A, x, &point) != SUPPORT_FINE ||
        !(point.norm > 0.0) ||
        fabs(point.G) >
            SUPPORT_OFF * point.norm * (pair->length + vec3_norm(x)) ||
        !support_first_on_ray(&pair->A, x))
        return SUPPORT_LOST;
    for (int i = 0; i < 3; i++)
        nearest->foot[i] = nearest->p[i] + nearest->gap * nearest->n[i];
    curvatures(pair, nearest, &point, shape);
    support_principal_curvatures(pair->d, shape, eigenvalue);
    if (eigenvalue[0] <
        -SUPPORT_DENT * (1.0 / pair->length + fabs(eigenvalue[1])))
        return SUPPORT_NOT_CONVEX;
    double along = nearest->f.kind == FEATURE_EDGE   ? shape[0]
                   : nearest->f.kind == FEATURE_FACE ? eigenvalue[0]
                                                     : INFINITY;
    if (along * pair->length < SUPPORT_FLATNESS)
        return SUPPORT_FLAT;
    if (nearest->gap < 0.0 &&
        least_radius(pair, nearest, shape) + nearest->gap <= 0.0)
        return SUPPORT_LOST;
    return SUPPORT_FINE;
}

bool
smooth_polytope_deep(const struct smooth_polytope *pair,
                     const struct smooth_polytope_nearest *nearest)
{
    assert(pair != NULL && nearest != NULL);
    double place[3] = {0.0, 0.0, 0.0}, shape[3], eigenvalue[2], gradient[3];
    struct support_point point;
    if (nearest->gap >= -SMOOTH_POLYTOPE_ROUNDING * pair->length)
        return false;
    memcpy(place, nearest->u, sizeof(double) * (size_t)pair->d);
    if (support_level(&pair->A, place, &point) != SUPPORT_FINE ||
        !(point.norm > 0.0))
        return true;
    for (int i = 0; i < 3; i++)
        gradient[i] = point.g[i] / point.norm;
    double scale = fmin(vec3_dot(gradient, place),
                        smooth_polytope_half_width(pair, nearest->n));
    curvatures(pair, nearest, &point, shape);
    support_principal_curvatures(pair->d, shape, eigenvalue);
    if (eigenvalue[1] > 0.0)
        scale = fmin(scale, 1.0 / eigenvalue[1]);
    return nearest->gap < -SMOOTH_POLYTOPE_DEEP * scale;
}

enum support_fault
smooth_polytope_check(const struct smooth_polytope *pair,
                      struct smooth_polytope_nearest *nearest)
{
    assert(nearest->f.kind <= FEATURE_FACE);
    judge(pair, nearest);
    return finish(pair, nearest);
}

enum support_fault
smooth_polytope_walk(const struct smooth_polytope *pair,
                     struct polytope_feature feature,
                     const struct support_point *point, int most,
                     struct smooth_polytope_nearest *nearest)
{
    assert(most >= 0 && point != NULL);
    struct support_point at = *point;
    enum support_fault fault = SUPPORT_LOST;
    for (int i = 0; i <= most; i++) {
        double u[SMOOTH_POLYTOPE_UNKNOWNS];
        struct smooth_polytope_nearest next;
        begin(pair, feature, &at, u);
        fault = smooth_polytope_newton(pair, feature, u, &next);
        if (fault != SUPPORT_FINE)
            return fault;
        fault = smooth_polytope_check(pair, &next);
        *nearest = next;
        if (next.violated <= FEATURE_TAKEN)
            return fault;
        feature = next.next;
        if (fault == SUPPORT_FINE) {
            double x[3] = {0.0, 0.0, 0.0};
            memcpy(x, next.u, sizeof(double) * (size_t)pair->d);
            if (support_level(&pair->A, x, &at) != SUPPORT_FINE)
                return SUPPORT_LOST;
        }
    }
    return SUPPORT_LOST;
}
