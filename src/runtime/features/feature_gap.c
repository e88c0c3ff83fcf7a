/* SPDX-License-Identifier: MIT */
/* The gap of one pair of features of two polytopes as series in time, and the
 * conditions under which the pair is the nearest (nearest_features.h):
 *   face n.x = d, vertex y     gap = n.y - d
 *   edges along u, w           gap = (b - a).m/|m|, m = u x w
 *   edge along u, vertex y     gap = |y - a - u u.(y - a)|
 *   vertices                   gap = |y - x|
 * The nearest points of convex bodies apart are those P, Q inside their
 * features with Q - P in the cone of normals at P and P - Q in that at Q
 * (Mirtich 1998). Overlapping, the pair gives the greatest separation: its
 * vertices are the support along its normal, and no other normal does better.
 * Letters beyond these: n also the unit normal m/|m| or the direction of the
 * gap; q = b - a or y - a; c, R the pose c + R x of one body seen from the
 * other. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/features/nearest_features.h"
#include "runtime/geometry/support.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/vec3.h"

/* If the sine between two edges is below this, the series of their common
 * normal would be rounding. */
#define GAP_PARALLEL 1e-12

/* body b seen from body a: the point x of b is at c + R x in the axes of a */
struct view {
    const struct polytope *a, *b;
    struct taylor c[3], R[9];
    int order;
    struct feature_validity *t;
    bool apart;
};

void
feature_validity_add(struct feature_validity *validity,
                     const struct taylor *condition)
{
    assert(validity->order >= 0 && validity->order <= IMP_ORDER_MAX);
    double s;
    validity->worst = fmin(validity->worst, condition->c[0]);
    if (validity->horizon > 0.0 && validity->first > 0.0 &&
        polynomial_below(condition->c, validity->order, 0.0,
                         fmin(validity->horizon, validity->first),
                         -validity->slack, &s))
        validity->first = s;
}

/* Adds the condition s*x + add. */
static void
put(struct view *view, double s, const struct taylor *x, double add)
{
    struct taylor y;
    taylor_scale(view->order, s, x, &y);
    y.c[0] += add;
    feature_validity_add(view->t, &y);
}

static void
turned(const struct view *view, const double x[3], struct taylor out[3])
{
    for (int i = 0; i < 3; i++)
        taylor_dot_const(view->order, view->R + 3 * i, x, &out[i]);
}

static void
placed(const struct view *view, const double x[3], struct taylor out[3])
{
    turned(view, x, out);
    for (int i = 0; i < 3; i++)
        taylor_add(view->order, &out[i], &view->c[i], &out[i]);
}

/* Adds the conditions that vertex i of b stays the lowest along `normal` among
 * its neighbours. */
static void
support_of_b(struct view *view, uint32_t i, const struct taylor normal[3])
{
    const struct polytope *b = view->b;
    for (uint32_t k = 0; k < b->at[i + 1] - b->at[i]; k++) {
        const double *x = b->vertex[polytope_neighbour(b, i, k)];
        double e[3];
        struct taylor w[3], c;
        for (int j = 0; j < 3; j++)
            e[j] = x[j] - b->vertex[i][j];
        turned(view, e, w);
        taylor_dot(view->order, normal, w, &c);
        put(view, 1.0, &c, 0.0);
    }
}

static void
support_of_a(struct view *view, uint32_t i, const struct taylor n[3])
{
    const struct polytope *a = view->a;
    for (uint32_t k = 0; k < a->at[i + 1] - a->at[i]; k++) {
        const double *x = a->vertex[polytope_neighbour(a, i, k)];
        double e[3];
        struct taylor c;
        for (int j = 0; j < 3; j++)
            e[j] = a->vertex[i][j] - x[j];
        taylor_dot_const(view->order, n, e, &c);
        put(view, 1.0, &c, 0.0);
    }
}

/* The gap of a face of body `big` and of a vertex of the other one, and the
 * conditions that this vertex stays the lowest of its neighbours: all along the
 * normal m of the face, as the other body sees it. */
static void
face_gap(const struct polytope_scene *scene, const struct feature_pair *pair,
         int big, const struct taylor c[3], const struct taylor R[9],
         struct feature_validity *validity, struct taylor *gap)
{
    const struct polytope_face *face = scene->p[big]->face + pair->index[big];
    const struct polytope *other = scene->p[1 - big];
    uint32_t i = pair->index[1 - big];
    int order = validity->order;
    struct taylor m[3], condition;
    for (int j = 0; j < 3; j++)
        for (int k = 0; k <= order; k++)
            m[j].c[k] = big == 0 ? R[j].c[k] * face->n[0] +
                                       R[3 + j].c[k] * face->n[1] +
                                       R[6 + j].c[k] * face->n[2]
                                 : R[3 * j].c[k] * face->n[0] +
                                       R[3 * j + 1].c[k] * face->n[1] +
                                       R[3 * j + 2].c[k] * face->n[2];
    /* n.(c + R x) - d, or n.R^T (x - c) - d */
    taylor_dot_const(order, m, other->vertex[i], gap);
    if (big == 0)
        taylor_dot_const(order, c, face->n, &condition);
    else
        taylor_dot(order, m, c, &condition);
    if (big == 0)
        taylor_add(order, gap, &condition, gap);
    else
        taylor_sub(order, gap, &condition, gap);
    gap->c[0] -= face->d;
    for (uint32_t k = 0; k < other->at[i + 1] - other->at[i]; k++) {
        const double *x = other->vertex[polytope_neighbour(other, i, k)];
        double e[3];
        for (int j = 0; j < 3; j++)
            e[j] = x[j] - other->vertex[i][j];
        taylor_dot_const(order, m, e, &condition);
        feature_validity_add(validity, &condition);
    }
}

/* Adds the conditions that vertex i of b stays before a face of a. */
static void
before_face(struct view *view, uint32_t f, uint32_t i)
{
    const struct polytope_face *face = view->a->face + f;
    struct taylor place[3], condition;
    placed(view, view->b->vertex[i], place);
    for (uint32_t k = 0; k < face->count; k++) {
        const uint32_t *l = view->a->loop + face->first;
        const double *from = view->a->vertex[l[k]];
        const double *to = view->a->vertex[l[(k + 1) % face->count]];
        double e[3], in[3];
        for (int j = 0; j < 3; j++)
            e[j] = to[j] - from[j];
        double len = vec3_norm(e);
        for (int j = 0; j < 3; j++) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            in[j] = (view->a->dim == 2
                         ? e[j]
                         : face->n[j1] * e[j2] - face->n[j2] * e[j1]) /
                    len;
        }
        taylor_dot_const(view->order, place, in, &condition);
        put(view, 1.0, &condition, -vec3_dot(in, from));
    }
}

/* Gives the direction in face `side` (0, 1) of an edge, across the edge and
 * away from it. */
static void
into_face(const struct polytope *polytope, const struct polytope_edge *edge,
          int side, double out[3])
{
    const double *n = polytope->face[edge->face[side]].n, *u = edge->dir;
    const double *o = polytope->face[edge->face[1 - side]].n;
    vec3_cross(n, u, out);
    double sign = vec3_dot(out, o) > 0.0 ? -1.0 : 1.0;
    for (int j = 0; j < 3; j++)
        out[j] *= sign;
}

static double
edge_length(const struct polytope *polytope, const struct polytope_edge *edge)
{
    double d[3];
    for (int j = 0; j < 3; j++)
        d[j] =
            polytope->vertex[edge->v[1]][j] - polytope->vertex[edge->v[0]][j];
    return vec3_norm(d);
}

/* Adds the conditions that the unit vector n stays within the cone of normals
 * of an edge of a. The radius of the body makes lengths of them. */
static void
cone_of_a(struct view *view, const struct polytope_edge *edge,
          const struct taylor n[3])
{
    for (int side = 0; side < 2; side++) {
        double in[3];
        struct taylor c;
        into_face(view->a, edge, side, in);
        taylor_dot_const(view->order, n, in, &c);
        put(view, -view->a->radius, &c, 0.0);
    }
}

static bool
edge_edge(struct view *view, uint32_t i, uint32_t k, struct taylor *gap)
{
    const struct polytope_edge *edge_a = view->a->edge + i,
                               *edge_b = view->b->edge + k;
    struct taylor along[3], other_along[3], across[3], apart[3], start[3],
        part[3], m2, length, n[3], condition;
    int order = view->order;
    for (int j = 0; j < 3; j++)
        taylor_const(order, edge_a->dir[j], &along[j]);
    turned(view, edge_b->dir, other_along);
    taylor_cross(order, along, other_along, across);
    double side = 0.0, sine = 0.0;
    for (int j = 0; j < 3; j++) {
        side += across[j].c[0] * (view->a->face[edge_a->face[0]].n[j] +
                                  view->a->face[edge_a->face[1]].n[j]);
        sine += across[j].c[0] * across[j].c[0];
    }
    if (!(sine > GAP_PARALLEL * GAP_PARALLEL))
        return false;
    for (int j = 0; j < 3 && side < 0.0; j++)
        taylor_scale(order, -1.0, &across[j], &across[j]);
    taylor_dot(order, across, across, &m2);
    taylor_sqrt(order, &m2, &length);
    for (int j = 0; j < 3; j++)
        taylor_div(order, &across[j], &length, &n[j]);
    /* the points along the edges: s along - t other_along = apart - gap n */
    placed(view, view->b->vertex[edge_b->v[0]], start);
    for (int j = 0; j < 3; j++) {
        apart[j] = start[j];
        apart[j].c[0] -= view->a->vertex[edge_a->v[0]][j];
    }
    double sign = side < 0.0 ? -1.0 : 1.0, at[2];
    for (int which = 0; which < 2; which++) {
        struct taylor s;
        taylor_cross(order, apart, which == 0 ? other_along : along, part);
        taylor_dot(order, part, across, &condition);
        taylor_div(order, &condition, &m2, &s);
        taylor_scale(order, sign, &s, &s);
        at[which] = s.c[0];
        if (!view->apart)
            continue;
        put(view, 1.0, &s, 0.0);
        put(view, -1.0, &s,
            edge_length(which == 0 ? view->a : view->b,
                        which == 0 ? edge_a : edge_b));
    }
    /* from these points on, so that cancellation costs few digits */
    for (int j = 0; j < 3; j++) {
        taylor_scale(order, at[1], &other_along[j], &part[j]);
        taylor_add(order, &apart[j], &part[j], &apart[j]);
        apart[j].c[0] -= at[0] * edge_a->dir[j];
    }
    taylor_dot(order, apart, n, gap);
    cone_of_a(view, edge_a, n);
    for (int which = 0; which < 2; which++) {
        double in[3];
        into_face(view->b, edge_b, which, in);
        turned(view, in, part);
        taylor_dot(order, n, part, &condition);
        put(view, view->b->radius, &condition, 0.0);
    }
    return true;
}

/* Gives the unit vector n and the length of q. */
static void
direction(int order, const struct taylor q[3], struct taylor n[3],
          struct taylor *length)
{
    struct taylor q2;
    taylor_dot(order, q, q, &q2);
    taylor_sqrt(order, &q2, length);
    for (int j = 0; j < 3; j++)
        taylor_div(order, &q[j], length, &n[j]);
}

static bool
edge_vertex(struct view *view, uint32_t index, uint32_t vertex,
            struct taylor *gap)
{
    const struct polytope_edge *edge = view->a->edge + index;
    struct taylor apart[3], normal[3], s, part;
    int order = view->order;
    placed(view, view->b->vertex[vertex], apart);
    for (int j = 0; j < 3; j++)
        apart[j].c[0] -= view->a->vertex[edge->v[0]][j];
    taylor_dot_const(order, apart, edge->dir, &s);
    put(view, 1.0, &s, 0.0);
    put(view, -1.0, &s, edge_length(view->a, edge));
    for (int j = 0; j < 3; j++) {
        taylor_scale(order, edge->dir[j], &s, &part);
        taylor_sub(order, &apart[j], &part, &apart[j]);
    }
    direction(order, apart, normal, gap);
    for (int side = 0; side < 2; side++) {
        double in[3];
        into_face(view->a, edge, side, in);
        taylor_dot_const(order, apart, in, &part);
        put(view, -1.0, &part, 0.0);
    }
    support_of_b(view, vertex, normal);
    return gap->c[0] > 0.0;
}

static bool
vertex_vertex(struct view *view, uint32_t i, uint32_t k, struct taylor *gap)
{
    struct taylor q[3], n[3];
    placed(view, view->b->vertex[k], q);
    for (int j = 0; j < 3; j++)
        q[j].c[0] -= view->a->vertex[i][j];
    direction(view->order, q, n, gap);
    support_of_a(view, i, n);
    support_of_b(view, k, n);
    return gap->c[0] > 0.0;
}

bool
feature_gap_series(const struct polytope_scene *scene,
                   const struct feature_pair *pair,
                   const struct taylor centre[3], const struct taylor turn[9],
                   struct feature_validity *validity, struct taylor *gap)
{
    assert(scene != NULL && pair != NULL && gap != NULL);
    assert(pair->kind[0] <= FEATURE_FACE && pair->kind[1] <= FEATURE_FACE);
    struct view view;
    int order = validity->order, big = pair->kind[0] < pair->kind[1] ? 1 : 0;
    uint32_t own = pair->index[big], other = pair->index[1 - big];
    /* the ends of the features matter only while the bodies are apart */
    bool apart = scene->p[0]->n_vertex > 0 && scene->p[1]->n_vertex > 0 &&
                 !validity->overlap;
    if (pair->kind[big] == FEATURE_FACE) {
        face_gap(scene, pair, big, centre, turn, validity, gap);
        if (!apart)
            return true;
    }
    view.order = order;
    view.t = validity;
    view.a = scene->p[big];
    view.b = scene->p[1 - big];
    view.apart = apart;
    if (big == 0) {
        memcpy(view.c, centre, sizeof view.c);
        memcpy(view.R, turn, sizeof view.R);
    } else {
        /* x0 = R^T (x - c) */
        for (int i = 0; i < 3; i++) {
            const struct taylor column[3] = {turn[i], turn[3 + i], turn[6 + i]};
            for (int j = 0; j < 3; j++)
                view.R[3 * i + j] = column[j];
            taylor_dot(order, column, centre, &view.c[i]);
            taylor_scale(order, -1.0, &view.c[i], &view.c[i]);
        }
    }
    switch (pair->kind[big]) {
    case FEATURE_FACE:
        before_face(&view, own, other);
        return true;
    case FEATURE_EDGE:
        return pair->kind[1 - big] == FEATURE_EDGE
                   ? edge_edge(&view, own, other, gap)
                   : edge_vertex(&view, own, other, gap);
    default:
        return vertex_vertex(&view, own, other, gap);
    }
}
