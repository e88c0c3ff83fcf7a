/* SPDX-License-Identifier: MIT */
/* The search for the nearest features of two convex polytopes
 * (nearest_features.h). The features of the last call are kept if the
 * conditions of nearest points hold, which are sufficient for convex bodies
 * apart. Otherwise all pairs are compared, so that the answer does not depend
 * on the order of a search. Apart: the least distance of the pairs whose
 * points lie inside both features. Overlapping: the greatest separation
 * sigma(n) = min_1 n.x - max_0 n.x over the normals of faces and of pairs of
 * edges whose arcs of normals cross on the sphere, because it can be greatest
 * nowhere else (Gottschalk, Lin and Manocha 1996). Letters: P, Q nearest points
 * of body 0 and of body 1, n unit normal of a face or of two edges. */
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

/* Turns a direction of body 1 into the axes of body 0. */
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
polytope_neighbour(const struct polytope *polytope, uint32_t vertex, uint32_t i)
{
    assert(vertex < polytope->n_vertex);
    assert(i < polytope->at[vertex + 1] - polytope->at[vertex]);
    const struct polytope_face *face =
        polytope->face + polytope->around[polytope->at[vertex] + i];
    const uint32_t *l = polytope->loop + face->first;
    for (uint32_t k = 0; k < face->count; k++)
        if (l[k] == vertex)
            return l[(k + 1) % face->count];
    return vertex;
}

/* Gives the plane normal.x = d of a face of a body in the axes of body 0; n
 * points out of the body. */
static void
plane(const struct polytope_scene *scene, int body, uint32_t f,
      double normal[3], double *d)
{
    const struct polytope_face *face = scene->p[body]->face + f;
    *d = face->d;
    if (body == 0) {
        memcpy(normal, face->n, sizeof face->n);
        return;
    }
    turn(scene, face->n, normal);
    *d += vec3_dot(normal, scene->c);
}

static const double *
vertex(const struct polytope_scene *scene, int body, uint32_t v)
{
    return body == 0 ? scene->p[0]->vertex[v] : scene->point[v];
}

/* Returns the least n.x over the vertices x of a body, and the vertex. */
static double
lowest(const struct polytope_scene *scene, int body, const double n[3],
       uint32_t *at)
{
    double least = INFINITY;
    for (uint32_t v = 0; v < scene->p[body]->n_vertex; v++) {
        double x = vec3_dot(n, vertex(scene, body, v));
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
    for (int body = 0; body < 2; body++) {
        double away[3], outward[3], offset;
        for (int i = 0; i < 3; i++)
            away[i] = body == 0 ? -n[i] : n[i];
        at[body] = UINT32_MAX;
        if (scene->p[body]->n_vertex > 0) {
            sum += lowest(scene, body, away, &at[body]);
            continue;
        }
        /* a half-space is bounded along its normal only */
        plane(scene, body, 0, outward, &offset);
        for (int i = 0; i < 3; i++)
            if (fabs(outward[i] + away[i]) > FIND_TOUCH)
                return -INFINITY;
        sum -= offset;
    }
    return sum;
}

/* -- one pair ------------------------------------------------------------- */

static void
set_pair(struct feature_pair *pair, int body, enum feature_kind k0, uint32_t i0,
         enum feature_kind k1, uint32_t i1)
{
    pair->kind[body] = (unsigned char)k0;
    pair->index[body] = i0;
    pair->kind[1 - body] = (unsigned char)k1;
    pair->index[1 - body] = i1;
}

/* Gives points and normal of a face of `body` and a vertex of the other. */
static void
face_points(const struct polytope_scene *scene, int body, uint32_t face,
            uint32_t corner, struct nearest_features *nearest)
{
    double n[3], d;
    plane(scene, body, face, n, &d);
    const double *x = vertex(scene, 1 - body, corner);
    nearest->gap = vec3_dot(n, x) - d;
    for (int i = 0; i < 3; i++) {
        double foot = x[i] - nearest->gap * n[i];
        nearest->P[i] = body == 0 ? foot : x[i];
        nearest->Q[i] = body == 0 ? x[i] : foot;
        nearest->n[i] = body == 0 ? n[i] : -n[i];
    }
    set_pair(&nearest->pair, body, FEATURE_FACE, face, FEATURE_VERTEX, corner);
}

void
polytope_edge_points(const struct polytope_scene *scene, uint32_t e0,
                     uint32_t e1, double P[3], double Q[3])
{
    assert(e0 < scene->p[0]->n_edge && e1 < scene->p[1]->n_edge);
    const struct polytope_edge *edge0 = scene->p[0]->edge + e0,
                               *edge1 = scene->p[1]->edge + e1;
    const double *start0 = scene->p[0]->vertex[edge0->v[0]],
                 *start1 = scene->point[edge1->v[0]];
    double dir1[3], m[3], q[3], c[3], m2;
    turn(scene, edge1->dir, dir1);
    vec3_cross(edge0->dir, dir1, m);
    m2 = vec3_dot(m, m);
    vec3_sub(start1, start0, q);
    vec3_cross(q, dir1, c);
    double t0 = vec3_dot(c, m) / m2;
    vec3_cross(q, edge0->dir, c);
    double t1 = vec3_dot(c, m) / m2;
    for (int i = 0; i < 3; i++) {
        P[i] = start0[i] + t0 * edge0->dir[i];
        Q[i] = start1[i] + t1 * dir1[i];
    }
}

/* Gives the points of two edges whose common normal is n. */
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

/* An edge of body 1 in the axes of body 0: its direction and the normals of its
 * two faces. */
static void
turn_edge(const struct polytope_scene *scene, uint32_t e1,
          struct polytope_turned_edge *out)
{
    const struct polytope *polytope = scene->p[1];
    const struct polytope_edge *edge = polytope->edge + e1;
    turn(scene, edge->dir, out->dir);
    turn(scene, polytope->face[edge->face[0]].n, out->n[0]);
    turn(scene, polytope->face[edge->face[1]].n, out->n[1]);
}

void
polytope_turn_edges(const struct polytope_scene *scene,
                    struct polytope_turned *out)
{
    assert(scene != NULL && out != NULL);
    out->n = scene->p[1]->n_edge < POLYTOPE_TURNED ? scene->p[1]->n_edge
                                                   : POLYTOPE_TURNED;
    for (uint32_t e = 0; e < out->n; e++)
        turn_edge(scene, e, &out->edge[e]);
}

static bool
cross(const struct polytope_scene *scene, uint32_t e0,
      const struct polytope_turned_edge *edge1, double normal[3])
{
    const struct polytope *p0 = scene->p[0];
    const struct polytope_edge *edge0 = p0->edge + e0;
    const double *na = p0->face[edge0->face[0]].n,
                 *nb = p0->face[edge0->face[1]].n, *dir1 = edge1->dir,
                 *nc = edge1->n[0], *nd = edge1->n[1];
    /* the arcs from na to nb and from -nc to -nd cross if each crosses the
     * great circle of the other, ... */
    if (vec3_dot(nc, edge0->dir) * vec3_dot(nd, edge0->dir) >= 0.0 ||
        vec3_dot(na, dir1) * vec3_dot(nb, dir1) >= 0.0)
        return false;
    vec3_cross(edge0->dir, dir1, normal);
    double l = vec3_norm(normal),
           side = vec3_dot(normal, na) + vec3_dot(normal, nb);
    if (!(l > FIND_PARALLEL))
        return false;
    for (int i = 0; i < 3; i++)
        normal[i] *= (side < 0.0 ? -1.0 : 1.0) / l;
    /* ... on the same side of the sphere */
    return vec3_dot(normal, nc) + vec3_dot(normal, nd) < 0.0;
}

bool
polytope_turned_cross(const struct polytope_scene *scene,
                      const struct polytope_turned *turned, uint32_t e0,
                      uint32_t e1, double normal[3])
{
    assert(turned != NULL);
    return e1 < turned->n ? cross(scene, e0, &turned->edge[e1], normal)
                          : polytope_edges_cross(scene, e0, e1, normal);
}

bool
polytope_edges_cross(const struct polytope_scene *scene, uint32_t e0,
                     uint32_t e1, double normal[3])
{
    assert(scene->dim == 3);
    assert(e0 < scene->p[0]->n_edge && e1 < scene->p[1]->n_edge);
    struct polytope_turned_edge edge1;
    turn_edge(scene, e1, &edge1);
    return cross(scene, e0, &edge1, normal);
}

/* Finds the greatest separation among the normals of faces and of pairs of
 * edges. */
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
    struct polytope_turned turned;
    polytope_turn_edges(scene, &turned);
    for (uint32_t i = 0; i < scene->p[0]->n_edge; i++)
        for (uint32_t j = 0; j < scene->p[1]->n_edge; j++) {
            double n[3];
            struct nearest_features other;
            if (!polytope_turned_cross(scene, &turned, i, j, n))
                continue;
            edge_points(scene, i, j, n, &other);
            if (!(other.gap > best->gap + FIND_ROUNDING * scene->size))
                continue;
            /* The points of edges that are all but parallel lie far away, and
             * their difference is rounding. What the bodies' own corners leave
             * between them along n is never more than the separation. */
            uint32_t at[2];
            other.gap = fmin(other.gap, polytope_separation(scene, n, at));
            if (other.gap > best->gap + FIND_ROUNDING * scene->size)
                *best = other;
        }
}

/* -- apart ------------------------------------------------------------------
 */

/* Does `place` lie over face f of `body`? */
static bool
over(const struct polytope_scene *scene, int body, uint32_t f,
     const double normal[3], const double place[3])
{
    const struct polytope *polytope = scene->p[body];
    const uint32_t *l = polytope->loop + polytope->face[f].first;
    uint32_t count = polytope->face[f].count;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = vertex(scene, body, l[i]);
        const double *c = vertex(scene, body, l[(i + 1) % count]);
        double e[3], in[3], q[3];
        vec3_sub(c, a, e);
        vec3_sub(place, a, q);
        if (scene->dim == 2) {
            if (vec3_dot(e, q) < 0.0)
                return false;
            continue;
        }
        vec3_cross(normal, e, in);
        if (vec3_dot(in, q) < 0.0)
            return false;
    }
    return true;
}

/* A vertex that is below a face by rounding touches it: with the bodies apart
 * it must not be left to pairs that are farther away. */
static void
near_faces(const struct polytope_scene *scene, int body, double tie,
           struct nearest_features *best)
{
    for (uint32_t f = 0; f < scene->p[body]->n_face; f++) {
        double n[3], d;
        plane(scene, body, f, n, &d);
        for (uint32_t v = 0; v < scene->p[1 - body]->n_vertex; v++) {
            const double *x = vertex(scene, 1 - body, v);
            double gap = vec3_dot(n, x) - d;
            if (gap >= -FIND_ROUNDING * scene->size && gap < best->gap - tie &&
                over(scene, body, f, n, x))
                face_points(scene, body, f, v, best);
        }
    }
}

static void
near_edges(const struct polytope_scene *scene, double tie,
           struct nearest_features *best)
{
    for (uint32_t e0 = 0; e0 < scene->p[0]->n_edge; e0++)
        for (uint32_t e1 = 0; e1 < scene->p[1]->n_edge; e1++) {
            const struct polytope_edge *edge0 = scene->p[0]->edge + e0;
            const struct polytope_edge *edge1 = scene->p[1]->edge + e1;
            const double *start0 = scene->p[0]->vertex[edge0->v[0]];
            const double *start1 = scene->point[edge1->v[0]];
            double dir1[3], normal[3], q[3], l;
            turn(scene, edge1->dir, dir1);
            vec3_cross(edge0->dir, dir1, normal);
            vec3_sub(start1, start0, q);
            l = vec3_norm(normal);
            double m = vec3_dot(q, normal);
            if (!(l > FIND_PARALLEL) || fabs(m) >= (best->gap - tie) * l)
                continue;
            for (int k = 0; k < 3; k++)
                normal[k] *= (m < 0.0 ? -1.0 : 1.0) / l;
            struct nearest_features other;
            edge_points(scene, e0, e1, normal, &other);
            double u[3], v[3];
            vec3_sub(scene->p[0]->vertex[edge0->v[1]], other.P, u);
            vec3_sub(other.P, start0, v);
            if (vec3_dot(u, edge0->dir) < 0.0 || vec3_dot(v, edge0->dir) < 0.0)
                continue;
            vec3_sub(scene->point[edge1->v[1]], other.Q, u);
            vec3_sub(other.Q, start1, v);
            if (vec3_dot(u, dir1) < 0.0 || vec3_dot(v, dir1) < 0.0)
                continue;
            /* Where the normal of edges that are all but parallel is rounding,
             * it does not lead from one point to the other. */
            vec3_sub(other.Q, other.P, q);
            if (other.gap < best->gap - tie && vec3_norm(q) <= other.gap + tie)
                *best = other;
        }
}

/* Notes that x of the other body is nearest at `foot` of `body`. */
static void
foot_pair(int body, const double foot[3], const double x[3], double gap,
          struct nearest_features *nearest)
{
    memcpy(body == 0 ? nearest->P : nearest->Q, foot, sizeof nearest->P);
    memcpy(body == 0 ? nearest->Q : nearest->P, x, sizeof nearest->P);
    nearest->gap = gap;
    /* Points in one place leave n open: nearest_features_find takes another
     * pair then. */
    for (int i = 0; i < 3; i++)
        nearest->n[i] = gap > 0.0 ? (nearest->Q[i] - nearest->P[i]) / gap : 0.0;
}

/* Looks at the edges of `body` and the vertices of the other. */
static void
near_edge_vertex(const struct polytope_scene *scene, int body, double tie,
                 struct nearest_features *best)
{
    for (uint32_t index = 0; index < scene->p[body]->n_edge; index++) {
        const struct polytope_edge *edge = scene->p[body]->edge + index;
        const double *start = vertex(scene, body, edge->v[0]);
        double dir[3], end[3];
        if (body == 0)
            memcpy(dir, edge->dir, sizeof dir);
        else
            turn(scene, edge->dir, dir);
        vec3_sub(vertex(scene, body, edge->v[1]), start, end);
        double length = vec3_dot(end, dir);
        for (uint32_t corner = 0; corner < scene->p[1 - body]->n_vertex;
             corner++) {
            const double *point = vertex(scene, 1 - body, corner);
            double away[3], foot[3], way[3];
            vec3_sub(point, start, away);
            double t = vec3_dot(away, dir);
            if (t < 0.0 || t > length)
                continue;
            for (int i = 0; i < 3; i++)
                foot[i] = start[i] + t * dir[i];
            vec3_sub(point, foot, way);
            double gap = vec3_norm(way);
            if (!(gap < best->gap - tie))
                continue;
            foot_pair(body, foot, point, gap, best);
            set_pair(&best->pair, body, FEATURE_EDGE, index, FEATURE_VERTEX,
                     corner);
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

/* Gives points, normal and gap of given features. Returns false if they have
 * none. */
static bool
points_of(const struct polytope_scene *scene, const struct feature_pair *pair,
          struct nearest_features *nearest)
{
    int body = pair->kind[0] < pair->kind[1]
                   ? 1
                   : 0; /* the body whose feature has the higher dimension */
    uint32_t own = pair->index[body], other = pair->index[1 - body];
    if (pair->kind[body] == FEATURE_FACE) {
        face_points(scene, body, own, other, nearest);
        return true;
    }
    if (pair->kind[1 - body] == FEATURE_EDGE) {
        double w[3], normal[3];
        turn(scene, scene->p[1]->edge[pair->index[1]].dir, w);
        vec3_cross(scene->p[0]->edge[pair->index[0]].dir, w, normal);
        double l = vec3_norm(normal);
        if (!(l > FIND_PARALLEL))
            return false;
        const struct polytope_edge *begin = scene->p[0]->edge + pair->index[0];
        double side = vec3_dot(normal, scene->p[0]->face[begin->face[0]].n) +
                      vec3_dot(normal, scene->p[0]->face[begin->face[1]].n);
        for (int k = 0; k < 3; k++)
            normal[k] *= (side < 0.0 ? -1.0 : 1.0) / l;
        edge_points(scene, pair->index[0], pair->index[1], normal, nearest);
        return isfinite(nearest->gap);
    }
    double foot[3], way[3];
    const double *point = vertex(scene, 1 - body, other);
    if (pair->kind[body] == FEATURE_EDGE) {
        const struct polytope_edge *edge = scene->p[body]->edge + own;
        const double *begin = vertex(scene, body, edge->v[0]);
        double u[3], away[3];
        if (body == 0)
            memcpy(u, edge->dir, sizeof u);
        else
            turn(scene, edge->dir, u);
        vec3_sub(point, begin, away);
        double t = vec3_dot(away, u);
        for (int k = 0; k < 3; k++)
            foot[k] = begin[k] + t * u[k];
    } else {
        memcpy(foot, vertex(scene, body, own), sizeof foot);
    }
    vec3_sub(point, foot, way);
    double gap = vec3_norm(way);
    if (!(gap > 0.0))
        return false;
    foot_pair(body, foot, point, gap, nearest);
    nearest->pair = *pair;
    return true;
}

/* Do the conditions of nearest points hold for these features? */
static bool
still_nearest(const struct polytope_scene *scene,
              const struct feature_pair *pair, struct nearest_features *nearest)
{
    struct taylor centre[3], turn[9], gap;
    struct feature_validity validity = {.order = 0, .worst = INFINITY};
    bool half = scene->p[0]->n_vertex == 0 || scene->p[1]->n_vertex == 0;
    double way[3];
    if (!points_of(scene, pair, nearest) ||
        (!half && !(nearest->gap > FIND_TOUCH * scene->size)))
        return false;
    vec3_sub(nearest->Q, nearest->P, way);
    if (!half && vec3_norm(way) > nearest->gap + FIND_ROUNDING * scene->size)
        return false; /* edges whose normal is rounding */
    for (int i = 0; i < 3; i++)
        centre[i].c[0] = scene->c[i];
    for (int i = 0; i < 9; i++)
        turn[i].c[0] = scene->R[i];
    return feature_gap_series(scene, pair, centre, turn, &validity, &gap) &&
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
