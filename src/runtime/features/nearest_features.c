/* SPDX-License-Identifier: MIT */
/* The search for the nearest features of two convex polytopes
 * (nearest_features.h). The features of the last call are kept if the
 * conditions of nearest points hold, which are sufficient for convex bodies
 * apart. Otherwise all pairs are compared, so that the answer does not depend
 * on the order of a search. Apart: the least distance of the pairs whose
 * points lie inside both features. Overlapping: the greatest separation
 * sigma(n) = min_1 n.x - max_0 n.x over the normals of faces and of pairs of
 * edges whose arcs of normals cross on the sphere, because it can be greatest
 * nowhere else (Gottschalk, Lin and Manocha 1996). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/features/nearest_features.h"
#include "runtime/geometry/support.h"
#include "runtime/numerics/vec3.h"

/* Points of a body are known to this share of the size of the coordinates: a
 * product with a rotation, two roundings for each term. */
#define FIND_ROUNDING (16.0 * DBL_EPSILON)
/* If two points are nearer than this share of the size, the direction between
 * them is rounding. The bodies count as in touch then, and the normal comes
 * from faces and edges. */
#define FIND_TOUCH (256.0 * DBL_EPSILON)
/* two edges are parallel if the sine between them is below this */
#define FIND_PARALLEL (8.0 * DBL_EPSILON)

/* turns a direction of body 1 into the axes of body 0 */
static void
turn(const struct polytope_scene *scene, const double w[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = vec3_dot(scene->R + 3 * i, w);
}

void
polytope_scene_place(struct polytope_scene *scene)
{
    assert(scene != NULL && scene->p[0] != NULL && scene->p[1] != NULL);
    const struct polytope *polytope = scene->p[1];
    for (uint32_t v = 0; v < polytope->n_vertex; v++) {
        turn(scene, polytope->vertex[v], scene->point[v]);
        for (int i = 0; i < 3; i++)
            scene->point[v][i] += scene->c[i];
    }
    scene->size = vec3_norm(scene->c);
    for (int i = 0; i < 2; i++)
        if (isfinite(scene->p[i]->radius))
            scene->size += scene->p[i]->radius;
        else if (scene->p[i]->n_face > 0)
            scene->size += fabs(scene->p[i]->face[0].d);
}

uint32_t
polytope_neighbour(const struct polytope *polytope, uint32_t v, uint32_t i)
{
    assert(v < polytope->n_vertex);
    assert(i < polytope->at[v + 1] - polytope->at[v]);
    const struct polytope_face *face =
        polytope->face + polytope->around[polytope->at[v] + i];
    const uint32_t *l = polytope->loop + face->first;
    for (uint32_t k = 0; k < face->count; k++)
        if (l[k] == v)
            return l[(k + 1) % face->count];
    return v;
}

/* the plane n.x = d of a face of body b in the axes of body 0; n points out of
 * b */
static void
plane(const struct polytope_scene *scene, int b, uint32_t f, double n[3],
      double *d)
{
    const struct polytope_face *face = scene->p[b]->face + f;
    *d = face->d;
    if (b == 0) {
        memcpy(n, face->n, sizeof face->n);
        return;
    }
    turn(scene, face->n, n);
    *d += vec3_dot(n, scene->c);
}

static const double *
vertex(const struct polytope_scene *scene, int b, uint32_t v)
{
    return b == 0 ? scene->p[0]->vertex[v] : scene->point[v];
}

/* the least n.x over the vertices of body b, and the vertex */
static double
lowest(const struct polytope_scene *scene, int b, const double n[3],
       uint32_t *at)
{
    double least = INFINITY;
    for (uint32_t v = 0; v < scene->p[b]->n_vertex; v++) {
        double x = vec3_dot(n, vertex(scene, b, v));
        if (x < least) {
            least = x;
            *at = v;
        }
    }
    return least;
}

double
polytope_separation(const struct polytope_scene *scene, const double n[3],
                    uint32_t at[2])
{
    assert(scene->dim == 2 || scene->dim == 3);
    double sum = 0.0;
    for (int b = 0; b < 2; b++) {
        double o[3], m[3], d;
        for (int i = 0; i < 3; i++)
            o[i] = b == 0 ? -n[i] : n[i];
        at[b] = UINT32_MAX;
        if (scene->p[b]->n_vertex > 0) {
            sum += lowest(scene, b, o, &at[b]);
            continue;
        }
        /* a half-space is bounded along its normal only */
        plane(scene, b, 0, m, &d);
        for (int i = 0; i < 3; i++)
            if (fabs(m[i] + o[i]) > FIND_TOUCH)
                return -INFINITY;
        sum -= d;
    }
    return sum;
}

/* -- one pair ------------------------------------------------------------- */

static void
set_pair(struct feature_pair *pair, int b, enum feature_kind k0, uint32_t i0,
         enum feature_kind k1, uint32_t i1)
{
    pair->kind[b] = (unsigned char)k0;
    pair->index[b] = i0;
    pair->kind[1 - b] = (unsigned char)k1;
    pair->index[1 - b] = i1;
}

/* points and normal of a face of body b and a vertex of the other */
static void
face_points(const struct polytope_scene *scene, int b, uint32_t f, uint32_t v,
            struct nearest_features *nearest)
{
    double n[3], d;
    plane(scene, b, f, n, &d);
    const double *x = vertex(scene, 1 - b, v);
    nearest->gap = vec3_dot(n, x) - d;
    for (int i = 0; i < 3; i++) {
        double foot = x[i] - nearest->gap * n[i];
        nearest->P[i] = b == 0 ? foot : x[i];
        nearest->Q[i] = b == 0 ? x[i] : foot;
        nearest->n[i] = b == 0 ? n[i] : -n[i];
    }
    set_pair(&nearest->pair, b, FEATURE_FACE, f, FEATURE_VERTEX, v);
}

void
polytope_edge_points(const struct polytope_scene *scene, uint32_t e0,
                     uint32_t e1, double P[3], double Q[3])
{
    assert(e0 < scene->p[0]->n_edge && e1 < scene->p[1]->n_edge);
    const struct polytope_edge *a = scene->p[0]->edge + e0,
                               *b = scene->p[1]->edge + e1;
    const double *x = scene->p[0]->vertex[a->v[0]], *y = scene->point[b->v[0]];
    double w[3], m[3], q[3], c[3], m2;
    turn(scene, b->dir, w);
    vec3_cross(a->dir, w, m);
    m2 = vec3_dot(m, m);
    vec3_sub(y, x, q);
    vec3_cross(q, w, c);
    double t0 = vec3_dot(c, m) / m2;
    vec3_cross(q, a->dir, c);
    double t1 = vec3_dot(c, m) / m2;
    for (int i = 0; i < 3; i++) {
        P[i] = x[i] + t0 * a->dir[i];
        Q[i] = y[i] + t1 * w[i];
    }
}

/* points of two edges whose common normal is n */
static void
edge_points(const struct polytope_scene *scene, uint32_t e0, uint32_t e1,
            const double n[3], struct nearest_features *nearest)
{
    double q[3];
    polytope_edge_points(scene, e0, e1, nearest->P, nearest->Q);
    vec3_sub(nearest->Q, nearest->P, q);
    memcpy(nearest->n, n, sizeof nearest->n);
    nearest->gap = vec3_dot(q, n);
    set_pair(&nearest->pair, 0, FEATURE_EDGE, e0, FEATURE_EDGE, e1);
}

/* -- overlapping ------------------------------------------------------------
 */

bool
polytope_edges_cross(const struct polytope_scene *scene, uint32_t e0,
                     uint32_t e1, double n[3])
{
    assert(scene->dim == 3);
    assert(e0 < scene->p[0]->n_edge && e1 < scene->p[1]->n_edge);
    const struct polytope *p0 = scene->p[0], *p1 = scene->p[1];
    const struct polytope_edge *a = p0->edge + e0, *b = p1->edge + e1;
    double w[3], c[3], d[3];
    const double *na = p0->face[a->face[0]].n, *nb = p0->face[a->face[1]].n;
    turn(scene, b->dir, w);
    turn(scene, p1->face[b->face[0]].n, c);
    turn(scene, p1->face[b->face[1]].n, d);
    /* the arcs from na to nb and from -c to -d cross if each crosses the great
     * circle of the other, ... */
    double ca = vec3_dot(c, a->dir), da = vec3_dot(d, a->dir);
    double aw = vec3_dot(na, w), bw = vec3_dot(nb, w);
    if (ca * da >= 0.0 || aw * bw >= 0.0)
        return false;
    vec3_cross(a->dir, w, n);
    double l = vec3_norm(n), side = vec3_dot(n, na) + vec3_dot(n, nb);
    if (!(l > FIND_PARALLEL))
        return false;
    for (int i = 0; i < 3; i++)
        n[i] *= (side < 0.0 ? -1.0 : 1.0) / l;
    /* ... on the same side of the sphere */
    return vec3_dot(n, c) + vec3_dot(n, d) < 0.0;
}

/* the greatest separation among the normals of faces and of pairs of edges */
static void
separate(const struct polytope_scene *scene, struct nearest_features *best)
{
    best->gap = -INFINITY;
    bool half = scene->p[0]->n_vertex == 0 || scene->p[1]->n_vertex == 0;
    for (int b = 0; b < 2; b++) {
        if (half && scene->p[b]->n_vertex > 0)
            continue;
        for (uint32_t f = 0; f < scene->p[b]->n_face; f++) {
            double n[3], d;
            uint32_t v = 0;
            plane(scene, b, f, n, &d);
            double gap = lowest(scene, 1 - b, n, &v) - d;
            if (gap > best->gap)
                face_points(scene, b, f, v, best);
        }
    }
    if (half || scene->dim == 2)
        return;
    for (uint32_t i = 0; i < scene->p[0]->n_edge; i++)
        for (uint32_t j = 0; j < scene->p[1]->n_edge; j++) {
            double n[3];
            struct nearest_features other;
            if (!polytope_edges_cross(scene, i, j, n))
                continue;
            edge_points(scene, i, j, n, &other);
            if (other.gap > best->gap + FIND_ROUNDING * scene->size)
                *best = other;
        }
}

/* -- apart ------------------------------------------------------------------
 */

/* does x lie over face f of body b? */
static bool
over(const struct polytope_scene *scene, int b, uint32_t f, const double n[3],
     const double x[3])
{
    const struct polytope *polytope = scene->p[b];
    const uint32_t *l = polytope->loop + polytope->face[f].first;
    uint32_t count = polytope->face[f].count;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = vertex(scene, b, l[i]);
        const double *c = vertex(scene, b, l[(i + 1) % count]);
        double e[3], in[3], q[3];
        vec3_sub(c, a, e);
        vec3_sub(x, a, q);
        if (scene->dim == 2) {
            if (vec3_dot(e, q) < 0.0)
                return false;
            continue;
        }
        vec3_cross(n, e, in);
        if (vec3_dot(in, q) < 0.0)
            return false;
    }
    return true;
}

static void
near_faces(const struct polytope_scene *scene, int b, double tie,
           struct nearest_features *best)
{
    for (uint32_t f = 0; f < scene->p[b]->n_face; f++) {
        double n[3], d;
        plane(scene, b, f, n, &d);
        for (uint32_t v = 0; v < scene->p[1 - b]->n_vertex; v++) {
            const double *x = vertex(scene, 1 - b, v);
            double gap = vec3_dot(n, x) - d;
            if (gap >= 0.0 && gap < best->gap - tie && over(scene, b, f, n, x))
                face_points(scene, b, f, v, best);
        }
    }
}

static void
near_edges(const struct polytope_scene *scene, double tie,
           struct nearest_features *best)
{
    for (uint32_t i = 0; i < scene->p[0]->n_edge; i++)
        for (uint32_t j = 0; j < scene->p[1]->n_edge; j++) {
            const struct polytope_edge *a = scene->p[0]->edge + i;
            const struct polytope_edge *b = scene->p[1]->edge + j;
            const double *x = scene->p[0]->vertex[a->v[0]];
            const double *y = scene->point[b->v[0]];
            double w[3], n[3], q[3], l;
            turn(scene, b->dir, w);
            vec3_cross(a->dir, w, n);
            vec3_sub(y, x, q);
            l = vec3_norm(n);
            double m = vec3_dot(q, n);
            if (!(l > FIND_PARALLEL) || fabs(m) >= (best->gap - tie) * l)
                continue;
            for (int k = 0; k < 3; k++)
                n[k] *= (m < 0.0 ? -1.0 : 1.0) / l;
            struct nearest_features other;
            edge_points(scene, i, j, n, &other);
            double u[3], v[3];
            vec3_sub(scene->p[0]->vertex[a->v[1]], other.P, u);
            vec3_sub(other.P, x, v);
            if (vec3_dot(u, a->dir) < 0.0 || vec3_dot(v, a->dir) < 0.0)
                continue;
            vec3_sub(scene->point[b->v[1]], other.Q, u);
            vec3_sub(other.Q, y, v);
            if (vec3_dot(u, w) < 0.0 || vec3_dot(v, w) < 0.0)
                continue;
            if (other.gap < best->gap - tie)
                *best = other;
        }
}

/* x of body 1 - b is nearest at foot of body b */
static void
foot_pair(int b, const double foot[3], const double x[3], double gap,
          struct nearest_features *nearest)
{
    memcpy(b == 0 ? nearest->P : nearest->Q, foot, sizeof nearest->P);
    memcpy(b == 0 ? nearest->Q : nearest->P, x, sizeof nearest->P);
    nearest->gap = gap;
    /* Points in one place leave n open: nearest_features_find takes another
     * pair then. */
    for (int i = 0; i < 3; i++)
        nearest->n[i] = gap > 0.0 ? (nearest->Q[i] - nearest->P[i]) / gap : 0.0;
}

/* edges of body b and vertices of the other */
static void
near_edge_vertex(const struct polytope_scene *scene, int b, double tie,
                 struct nearest_features *best)
{
    for (uint32_t e = 0; e < scene->p[b]->n_edge; e++) {
        const struct polytope_edge *edge = scene->p[b]->edge + e;
        const double *a = vertex(scene, b, edge->v[0]);
        double u[3], end[3];
        if (b == 0)
            memcpy(u, edge->dir, sizeof u);
        else
            turn(scene, edge->dir, u);
        vec3_sub(vertex(scene, b, edge->v[1]), a, end);
        double l = vec3_dot(end, u);
        for (uint32_t v = 0; v < scene->p[1 - b]->n_vertex; v++) {
            const double *x = vertex(scene, 1 - b, v);
            double q[3], foot[3], r[3];
            vec3_sub(x, a, q);
            double t = vec3_dot(q, u);
            if (t < 0.0 || t > l)
                continue;
            for (int i = 0; i < 3; i++)
                foot[i] = a[i] + t * u[i];
            vec3_sub(x, foot, r);
            double gap = vec3_norm(r);
            if (!(gap < best->gap - tie))
                continue;
            foot_pair(b, foot, x, gap, best);
            set_pair(&best->pair, b, FEATURE_EDGE, e, FEATURE_VERTEX, v);
        }
    }
}

static void
near_vertices(const struct polytope_scene *scene, double tie,
              struct nearest_features *best)
{
    for (uint32_t i = 0; i < scene->p[0]->n_vertex; i++)
        for (uint32_t j = 0; j < scene->p[1]->n_vertex; j++) {
            const double *a = scene->p[0]->vertex[i], *x = scene->point[j];
            double q[3];
            vec3_sub(x, a, q);
            double gap = vec3_norm(q);
            if (!(gap < best->gap - tie))
                continue;
            foot_pair(0, a, x, gap, best);
            set_pair(&best->pair, 0, FEATURE_VERTEX, i, FEATURE_VERTEX, j);
        }
}

/* -- all --------------------------------------------------------------------
 */

/* points, normal and gap of given features; false if they have none */
static bool
points_of(const struct polytope_scene *scene, const struct feature_pair *pair,
          struct nearest_features *nearest)
{
    int b = pair->kind[0] < pair->kind[1]
                ? 1
                : 0; /* the body whose feature has the higher dimension */
    uint32_t i = pair->index[b], j = pair->index[1 - b];
    if (pair->kind[b] == FEATURE_FACE) {
        face_points(scene, b, i, j, nearest);
        return true;
    }
    if (pair->kind[1 - b] == FEATURE_EDGE) {
        double w[3], n[3], q[3];
        turn(scene, scene->p[1]->edge[pair->index[1]].dir, w);
        vec3_cross(scene->p[0]->edge[pair->index[0]].dir, w, n);
        double l = vec3_norm(n);
        if (!(l > FIND_PARALLEL))
            return false;
        const struct polytope_edge *a = scene->p[0]->edge + pair->index[0];
        double side = vec3_dot(n, scene->p[0]->face[a->face[0]].n) +
                      vec3_dot(n, scene->p[0]->face[a->face[1]].n);
        for (int k = 0; k < 3; k++)
            n[k] *= (side < 0.0 ? -1.0 : 1.0) / l;
        edge_points(scene, pair->index[0], pair->index[1], n, nearest);
        vec3_sub(nearest->Q, nearest->P, q);
        return isfinite(nearest->gap);
    }
    double foot[3], r[3];
    const double *x = vertex(scene, 1 - b, j);
    if (pair->kind[b] == FEATURE_EDGE) {
        const struct polytope_edge *edge = scene->p[b]->edge + i;
        const double *a = vertex(scene, b, edge->v[0]);
        double u[3], q[3];
        if (b == 0)
            memcpy(u, edge->dir, sizeof u);
        else
            turn(scene, edge->dir, u);
        vec3_sub(x, a, q);
        double t = vec3_dot(q, u);
        for (int k = 0; k < 3; k++)
            foot[k] = a[k] + t * u[k];
    } else {
        memcpy(foot, vertex(scene, b, i), sizeof foot);
    }
    vec3_sub(x, foot, r);
    double gap = vec3_norm(r);
    if (!(gap > 0.0))
        return false;
    foot_pair(b, foot, x, gap, nearest);
    nearest->pair = *pair;
    return true;
}

/* do the conditions of nearest points hold for these features? */
static bool
still_nearest(const struct polytope_scene *scene,
              const struct feature_pair *pair, struct nearest_features *nearest)
{
    struct taylor c[3], R[9], gap;
    struct feature_validity validity = {.order = 0, .worst = INFINITY};
    bool half = scene->p[0]->n_vertex == 0 || scene->p[1]->n_vertex == 0;
    if (!points_of(scene, pair, nearest) ||
        (!half && !(nearest->gap > FIND_TOUCH * scene->size)))
        return false;
    for (int i = 0; i < 3; i++)
        c[i].c[0] = scene->c[i];
    for (int i = 0; i < 9; i++)
        R[i].c[0] = scene->R[i];
    return feature_gap_series(scene, pair, c, R, &validity, &gap) &&
           validity.worst >= -FIND_ROUNDING * scene->size;
}

void
nearest_features_find(const struct polytope_scene *scene,
                      const struct feature_pair *first,
                      struct nearest_features *out)
{
    assert(scene != NULL && out != NULL);
    assert(scene->p[0]->n_face > 0 && scene->p[1]->n_face > 0);
    if (first != NULL && still_nearest(scene, first, out))
        return;
    separate(scene, out);
    if (scene->p[0]->n_vertex == 0 || scene->p[1]->n_vertex == 0 ||
        !(out->gap > 0.0))
        return;
    /* The bodies are apart: the face or the edges that separate them best may
     * be nearest as they are. */
    struct nearest_features other;
    if (still_nearest(scene, &out->pair, &other))
        return;
    double tie = FIND_ROUNDING * scene->size;
    struct nearest_features best = {.gap = INFINITY};
    near_faces(scene, 0, 0.0, &best);
    near_faces(scene, 1, tie, &best);
    near_edges(scene, tie, &best);
    near_edge_vertex(scene, 0, tie, &best);
    near_edge_vertex(scene, 1, tie, &best);
    near_vertices(scene, tie, &best);
    if (best.gap > FIND_TOUCH * scene->size && isfinite(best.gap))
        *out = best;
}
