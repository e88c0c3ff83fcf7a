/* SPDX-License-Identifier: MIT */
/* The gap of one pair of features of two polytopes as series in time, and the
 * conditions under which the pair is the nearest (polytope_contact_priv.h):
 *   face n.x = d, vertex y     gap = n.y - d
 *   edges along u, w           gap = (b - a).m/|m|, m = u x w
 *   edge along u, vertex y     gap = |y - a - u u.(y - a)|
 *   vertices                   gap = |y - x|
 * The nearest points of convex bodies apart are those P, Q inside their
 * features with Q - P in the cone of normals at P and P - Q in that at Q
 * (Mirtich 1998). Overlapping, the pair gives the greatest separation: its
 * vertices are the support along its normal, and no other normal does better.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/geometry/support.h"
#include "runtime/numerics/polynomial.h"

/* edges with a smaller sine between them have no common normal to speak of:
 * its series would be rounding */
#define GAP_PARALLEL 1e-12

/* body b seen from body a: x of b is at c + R x */
struct view {
    const struct polytope *a, *b;
    struct taylor c[3], R[9];
    int order;
    struct feature_validity *t;
    bool apart;
};

void
feature_validity_add(struct feature_validity *t, const struct taylor *condition)
{
    double s;
    t->worst = fmin(t->worst, condition->c[0]);
    if (t->horizon > 0.0 && t->first > 0.0 &&
        polynomial_below(condition->c, t->order, 0.0,
                         fmin(t->horizon, t->first), -t->slack, &s))
        t->first = s;
}

/* condition s*x + add */
static void
put(struct view *v, double s, const struct taylor *x, double add)
{
    struct taylor y;
    taylor_scale(v->order, s, x, &y);
    y.c[0] += add;
    feature_validity_add(v->t, &y);
}

static void
turned(const struct view *v, const double x[3], struct taylor out[3])
{
    for (int i = 0; i < 3; i++)
        taylor_dot_const(v->order, v->R + 3 * i, x, &out[i]);
}

static void
placed(const struct view *v, const double x[3], struct taylor out[3])
{
    turned(v, x, out);
    for (int i = 0; i < 3; i++)
        taylor_add(v->order, &out[i], &v->c[i], &out[i]);
}

/* vertex i of b stays ahead of its neighbours against the normal n */
static void
support_of_b(struct view *v, uint32_t i, const struct taylor n[3])
{
    const struct polytope *b = v->b;
    for (uint32_t k = 0; k < b->at[i + 1] - b->at[i]; k++) {
        const double *x = b->vertex[polytope_neighbour(b, i, k)];
        double e[3];
        struct taylor w[3], c;
        for (int j = 0; j < 3; j++)
            e[j] = x[j] - b->vertex[i][j];
        turned(v, e, w);
        taylor_dot(v->order, n, w, &c);
        put(v, 1.0, &c, 0.0);
    }
}

static void
support_of_a(struct view *v, uint32_t i, const struct taylor n[3])
{
    const struct polytope *a = v->a;
    for (uint32_t k = 0; k < a->at[i + 1] - a->at[i]; k++) {
        const double *x = a->vertex[polytope_neighbour(a, i, k)];
        double e[3];
        struct taylor c;
        for (int j = 0; j < 3; j++)
            e[j] = a->vertex[i][j] - x[j];
        taylor_dot_const(v->order, n, e, &c);
        put(v, 1.0, &c, 0.0);
    }
}

static void
face_vertex(struct view *v, uint32_t f, uint32_t i, struct taylor *gap)
{
    const struct polytope_face *face = v->a->face + f;
    struct taylor y[3], c, n[3];
    placed(v, v->b->vertex[i], y);
    taylor_dot_const(v->order, y, face->n, gap);
    gap->c[0] -= face->d;
    for (int j = 0; j < 3; j++)
        taylor_const(v->order, face->n[j], &n[j]);
    support_of_b(v, i, n);
    for (uint32_t k = 0; k < face->count && v->apart; k++) {
        const uint32_t *l = v->a->loop + face->first;
        const double *p = v->a->vertex[l[k]];
        const double *q = v->a->vertex[l[(k + 1) % face->count]];
        double e[3], in[3];
        for (int j = 0; j < 3; j++)
            e[j] = q[j] - p[j];
        double len = vec3_norm(e);
        for (int j = 0; j < 3; j++) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            in[j] =
                (v->a->dim == 2 ? e[j]
                                : face->n[j1] * e[j2] - face->n[j2] * e[j1]) /
                len;
        }
        taylor_dot_const(v->order, y, in, &c);
        put(v, 1.0, &c, -vec3_dot(in, p));
    }
}

/* in face side (0, 1) of an edge, away from it */
static void
into_face(const struct polytope *p, const struct polytope_edge *e, int side,
          double out[3])
{
    const double *n = p->face[e->face[side]].n, *u = e->dir;
    const double *o = p->face[e->face[1 - side]].n;
    for (int j = 0; j < 3; j++) {
        int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        out[j] = n[j1] * u[j2] - n[j2] * u[j1];
    }
    double sign = vec3_dot(out, o) > 0.0 ? -1.0 : 1.0;
    for (int j = 0; j < 3; j++)
        out[j] *= sign;
}

static double
edge_length(const struct polytope *p, const struct polytope_edge *e)
{
    double d[3];
    for (int j = 0; j < 3; j++)
        d[j] = p->vertex[e->v[1]][j] - p->vertex[e->v[0]][j];
    return vec3_norm(d);
}

/* unit n within the normals of an edge of a; lengths by the body's radius */
static void
cone_of_a(struct view *v, const struct polytope_edge *e,
          const struct taylor n[3])
{
    for (int side = 0; side < 2; side++) {
        double in[3];
        struct taylor c;
        into_face(v->a, e, side, in);
        taylor_dot_const(v->order, n, in, &c);
        put(v, -v->a->radius, &c, 0.0);
    }
}

static bool
edge_edge(struct view *v, uint32_t i, uint32_t k, struct taylor *gap)
{
    const struct polytope_edge *a = v->a->edge + i, *b = v->b->edge + k;
    struct taylor u[3], w[3], m[3], q[3], y[3], x[3], m2, l, n[3], g;
    int N = v->order;
    for (int j = 0; j < 3; j++)
        taylor_const(N, a->dir[j], &u[j]);
    turned(v, b->dir, w);
    taylor_cross(N, u, w, m);
    double side = 0.0, sine = 0.0;
    for (int j = 0; j < 3; j++) {
        side += m[j].c[0] *
                (v->a->face[a->face[0]].n[j] + v->a->face[a->face[1]].n[j]);
        sine += m[j].c[0] * m[j].c[0];
    }
    if (!(sine > GAP_PARALLEL * GAP_PARALLEL))
        return false;
    for (int j = 0; j < 3 && side < 0.0; j++)
        taylor_scale(N, -1.0, &m[j], &m[j]);
    taylor_dot(N, m, m, &m2);
    taylor_sqrt(N, &m2, &l);
    for (int j = 0; j < 3; j++)
        taylor_div(N, &m[j], &l, &n[j]);
    /* where the points are along the edges: s u - t w = q - gap n */
    placed(v, v->b->vertex[b->v[0]], y);
    for (int j = 0; j < 3; j++) {
        q[j] = y[j];
        q[j].c[0] -= v->a->vertex[a->v[0]][j];
    }
    double sign = side < 0.0 ? -1.0 : 1.0, at[2];
    for (int e = 0; e < 2; e++) {
        struct taylor s;
        taylor_cross(N, q, e == 0 ? w : u, x);
        taylor_dot(N, x, m, &g);
        taylor_div(N, &g, &m2, &s);
        taylor_scale(N, sign, &s, &s);
        at[e] = s.c[0];
        if (!v->apart)
            continue;
        put(v, 1.0, &s, 0.0);
        put(v, -1.0, &s, edge_length(e == 0 ? v->a : v->b, e == 0 ? a : b));
    }
    /* from these points on, so that little cancels */
    for (int j = 0; j < 3; j++) {
        taylor_scale(N, at[1], &w[j], &x[j]);
        taylor_add(N, &q[j], &x[j], &q[j]);
        q[j].c[0] -= at[0] * a->dir[j];
    }
    taylor_dot(N, q, n, gap);
    cone_of_a(v, a, n);
    for (int e = 0; e < 2; e++) {
        double in[3];
        into_face(v->b, b, e, in);
        turned(v, in, x);
        taylor_dot(N, n, x, &g);
        put(v, v->b->radius, &g, 0.0);
    }
    return true;
}

/* unit n and length of q */
static void
direction(int N, const struct taylor q[3], struct taylor n[3], struct taylor *l)
{
    struct taylor q2;
    taylor_dot(N, q, q, &q2);
    taylor_sqrt(N, &q2, l);
    for (int j = 0; j < 3; j++)
        taylor_div(N, &q[j], l, &n[j]);
}

static bool
edge_vertex(struct view *v, uint32_t i, uint32_t k, struct taylor *gap)
{
    const struct polytope_edge *a = v->a->edge + i;
    struct taylor q[3], n[3], s, x;
    int N = v->order;
    placed(v, v->b->vertex[k], q);
    for (int j = 0; j < 3; j++)
        q[j].c[0] -= v->a->vertex[a->v[0]][j];
    taylor_dot_const(N, q, a->dir, &s);
    put(v, 1.0, &s, 0.0);
    put(v, -1.0, &s, edge_length(v->a, a));
    for (int j = 0; j < 3; j++) {
        taylor_scale(N, a->dir[j], &s, &x);
        taylor_sub(N, &q[j], &x, &q[j]);
    }
    direction(N, q, n, gap);
    for (int side = 0; side < 2; side++) {
        double in[3];
        into_face(v->a, a, side, in);
        taylor_dot_const(N, q, in, &x);
        put(v, -1.0, &x, 0.0);
    }
    support_of_b(v, k, n);
    return gap->c[0] > 0.0;
}

static bool
vertex_vertex(struct view *v, uint32_t i, uint32_t k, struct taylor *gap)
{
    struct taylor q[3], n[3];
    placed(v, v->b->vertex[k], q);
    for (int j = 0; j < 3; j++)
        q[j].c[0] -= v->a->vertex[i][j];
    direction(v->order, q, n, gap);
    support_of_a(v, i, n);
    support_of_b(v, k, n);
    return gap->c[0] > 0.0;
}

bool
feature_gap_series(const struct polytope_scene *s,
                   const struct feature_pair *pair, const struct taylor c[3],
                   const struct taylor R[9], struct feature_validity *t,
                   struct taylor *gap)
{
    struct view v;
    int N = t->order, big = pair->kind[0] < pair->kind[1] ? 1 : 0;
    v.order = N;
    v.t = t;
    v.a = s->p[big];
    v.b = s->p[1 - big];
    /* conditions where the features end matter while the bodies are apart */
    v.apart = true;
    if (big == 0) {
        memcpy(v.c, c, sizeof v.c);
        memcpy(v.R, R, sizeof v.R);
    } else {
        /* x0 = R^T (x - c) */
        for (int i = 0; i < 3; i++) {
            const struct taylor column[3] = {R[i], R[3 + i], R[6 + i]};
            for (int j = 0; j < 3; j++)
                v.R[3 * i + j] = column[j];
            taylor_dot(N, column, c, &v.c[i]);
            taylor_scale(N, -1.0, &v.c[i], &v.c[i]);
        }
    }
    uint32_t i = pair->index[big], j = pair->index[1 - big];
    if (s->p[0]->n_vertex == 0 || s->p[1]->n_vertex == 0 || t->overlap)
        v.apart = false;
    switch (pair->kind[big]) {
    case FEATURE_FACE:
        face_vertex(&v, i, j, gap);
        return true;
    case FEATURE_EDGE:
        return pair->kind[1 - big] == FEATURE_EDGE ? edge_edge(&v, i, j, gap)
                                                   : edge_vertex(&v, i, j, gap);
    default:
        return vertex_vertex(&v, i, j, gap);
    }
}
