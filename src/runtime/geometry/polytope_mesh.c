/* SPDX-License-Identifier: MIT */
/* Polytopes put together: edges, faces around corners, planes; from corners,
 * and from half-spaces by duality. Seen from a point c well inside, the half-
 * space a.x <= b is the point a/(b - a.c); faces of the hull of these points
 * are the corners of the polytope, their planes' half-spaces meet there. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/geometry/polytope_hull.h"
#include "runtime/numerics/vec3.h"

/* A corner may lie outside other half-spaces by this share of its distance from
 * the inner point. It is the rounding error of solving for the corner, where
 * planes meet at angles down to 1e-6. */
#define PLANES_SLACK 1e-9
/* When the dual points of half-spaces lie in one plane with the inner point,
 * within this share of their distances (rounding), the half-spaces leave the
 * direction across them open. */
#define PLANES_OPEN 1e-13
/* In so many steps the inner point is moved to the middle of chords along the
 * axes. */
#define CENTRE_STEPS 12

/* -- how faces hang together ---------------------------------------------- */

struct half { /* an edge of one face */
    uint32_t lo, hi, at;
};

static int
by_ends(const void *a, const void *b)
{
    const struct half *p = a, *q = b;
    if (p->lo != q->lo)
        return p->lo < q->lo ? -1 : 1;
    if (p->hi != q->hi)
        return p->hi < q->hi ? -1 : 1;
    return p->at < q->at ? -1 : p->at > q->at;
}

/* Makes the mesh. False: the faces do not form a closed surface. */
static bool
mesh_build(struct arena *arena, uint32_t n_vertex, uint32_t n_face,
           const uint32_t *first, const uint32_t *loop, struct mesh *out)
{
    uint32_t n_point = first[n_face];
    struct half *halves = NEW_N(arena, struct half, n_point + 1);
    uint32_t *face = NEW_N(arena, uint32_t, n_point + 1);
    uint32_t *prev = NEW_N(arena, uint32_t, n_point + 1);
    uint32_t *start = NEW_N(arena, uint32_t, n_vertex + 1);
    out->twin = NEW_N(arena, uint32_t, n_point + 1);
    out->at = NEW_N(arena, uint32_t, n_vertex + 1);
    out->around = NEW_N(arena, uint32_t, n_point + 1);
    for (uint32_t f = 0; f < n_face; f++)
        for (uint32_t i = first[f]; i < first[f + 1]; i++) {
            uint32_t next = i + 1 < first[f + 1] ? i + 1 : first[f];
            uint32_t v = loop[i], w = loop[next];
            halves[i] = (struct half){v < w ? v : w, v < w ? w : v, i};
            face[i] = f;
            prev[next] = i;
            start[v] = i;
            out->at[v + 1]++;
        }
    qsort(halves, n_point, sizeof *halves, by_ends);
    for (uint32_t i = 0; i < n_point; i += 2) {
        if (i + 1 == n_point || halves[i].lo != halves[i + 1].lo ||
            halves[i].hi != halves[i + 1].hi ||
            loop[halves[i].at] == loop[halves[i + 1].at])
            return false;
        out->twin[halves[i].at] = halves[i + 1].at;
        out->twin[halves[i + 1].at] = halves[i].at;
    }
    for (uint32_t v = 0; v < n_vertex; v++) {
        uint32_t count = out->at[v + 1], i = start[v];
        out->at[v + 1] += out->at[v];
        for (uint32_t k = 0; k < count; k++) {
            out->around[out->at[v] + k] = face[i];
            i = out->twin[prev[i]];
            /* Do all faces at each corner form one ring? */
            if ((i == start[v]) != (k + 1 == count))
                return false;
        }
    }
    return true;
}

/* Makes edges and rings of a polytope in space whose faces and loops are known.
 */
static bool
finish(struct arena *arena, struct polytope *polytope)
{
    uint32_t n_vertex = 0;
    uint32_t *first = NEW_N(arena, uint32_t, polytope->n_face + 1);
    struct mesh mesh;
    for (uint32_t f = 0; f < polytope->n_face; f++)
        first[f + 1] = first[f] + polytope->face[f].count;
    if (!mesh_build(arena, polytope->n_vertex, polytope->n_face, first,
                    polytope->loop, &mesh))
        return false;
    polytope->at = mesh.at;
    polytope->around = mesh.around;
    polytope->edge =
        NEW_N(arena, struct polytope_edge, first[polytope->n_face] / 2 + 1);
    for (uint32_t face = 0; face < polytope->n_face; face++)
        for (uint32_t i = first[face]; i < first[face + 1]; i++) {
            if (mesh.twin[i] < i)
                continue;
            uint32_t next = i + 1 < first[face + 1] ? i + 1 : first[face];
            uint32_t g = face;
            while (first[g + 1] <= mesh.twin[i])
                g++;
            struct polytope_edge *e = polytope->edge + n_vertex++;
            *e = (struct polytope_edge){
                .v = {polytope->loop[i], polytope->loop[next]},
                .face = {face, g}};
            for (int k = 0; k < 3; k++)
                e->dir[k] =
                    polytope->vertex[e->v[1]][k] - polytope->vertex[e->v[0]][k];
            vec3_normalise(e->dir);
        }
    polytope->n_edge = n_vertex;
    return polytope->n_vertex + polytope->n_face == n_vertex + 2;
}

/* Makes sides and corners of a polygon whose vertices are in order. */
static void
polygon_sides(struct arena *arena, struct polytope *polytope)
{
    uint32_t n_side = polytope->n_vertex;
    polytope->n_face = n_side;
    polytope->loop = NEW_N(arena, uint32_t, 2 * n_side);
    polytope->at = NEW_N(arena, uint32_t, n_side + 1);
    polytope->around = NEW_N(arena, uint32_t, 2 * n_side);
    for (uint32_t i = 0; i < n_side; i++) {
        polytope->face[i].first = 2 * i;
        polytope->face[i].count = 2;
        polytope->loop[2 * i] = i;
        polytope->loop[2 * i + 1] = (i + 1) % n_side;
        polytope->at[i + 1] = 2 * i + 2;
        polytope->around[2 * i] = (i + n_side - 1) % n_side;
        polytope->around[2 * i + 1] = i;
    }
}

/* -- from corners --------------------------------------------------------- */

/* Makes the plane of a face through its corners (Newell's method, about their
 * mean). */
static void
face_plane(struct polytope *polytope, struct polytope_face *face)
{
    double mid[3] = {0, 0, 0}, normal[3] = {0, 0, 0};
    const uint32_t *loop = polytope->loop + face->first;
    for (uint32_t i = 0; i < face->count; i++)
        for (int k = 0; k < 3; k++)
            mid[k] += polytope->vertex[loop[i]][k] / face->count;
    if (polytope->dim == 2) {
        normal[0] = polytope->vertex[loop[1]][1] - polytope->vertex[loop[0]][1];
        normal[1] = polytope->vertex[loop[0]][0] - polytope->vertex[loop[1]][0];
    }
    for (uint32_t i = 0; i < face->count && polytope->dim == 3; i++) {
        double a[3], b[3], c[3];
        for (int k = 0; k < 3; k++) {
            a[k] = polytope->vertex[loop[i]][k] - mid[k];
            b[k] = polytope->vertex[loop[(i + 1) % face->count]][k] - mid[k];
        }
        vec3_cross(a, b, c);
        for (int k = 0; k < 3; k++)
            normal[k] += c[k];
    }
    vec3_normalise(normal);
    memcpy(face->n, normal, sizeof normal);
    face->d = vec3_dot(normal, mid);
}

enum hull_fault
polytope_points(struct arena *arena, int dim, const double (*points)[3],
                uint32_t n_point, struct polytope *out, uint32_t bad[2])
{
    assert(dim == 2 || dim == 3);
    assert(points != NULL && out != NULL);
    struct hull hull;
    enum hull_fault fault = hull_find(arena, dim, points, n_point, &hull);
    memset(out, 0, sizeof *out);
    memcpy(bad, hull.bad, sizeof hull.bad);
    for (uint32_t i = 0; i < n_point && fault == HULL_OK; i++)
        if (!hull.corner[i]) {
            bad[0] = i;
            fault = HULL_NO_CORNER;
        }
    if (fault != HULL_OK)
        return fault;
    out->dim = dim;
    out->n_vertex = n_point;
    out->vertex = arena_alloc(arena, n_point * sizeof *out->vertex);
    out->face =
        NEW_N(arena, struct polytope_face, dim == 2 ? n_point : hull.n_face);
    if (dim == 2) {
        for (uint32_t i = 0; i < n_point; i++)
            memcpy(out->vertex[i], points[hull.loop[i]], sizeof *out->vertex);
        polygon_sides(arena, out);
    } else {
        memcpy(out->vertex, points, n_point * sizeof *out->vertex);
        out->n_face = hull.n_face;
        out->loop = hull.loop;
        for (uint32_t i = 0; i < hull.n_face; i++) {
            out->face[i].first = hull.first[i];
            out->face[i].count = hull.first[i + 1] - hull.first[i];
        }
        if (!finish(arena, out))
            return HULL_LOST;
    }
    for (uint32_t i = 0; i < out->n_face; i++)
        face_plane(out, out->face + i);
    return HULL_OK;
}

/* -- from half-spaces ----------------------------------------------------- */

struct vertex_planes {
    struct arena *a;
    int dim;
    uint32_t n;
    double (*h)[4]; /* unit normals; bounds about c */
    double (*dual)[3];
    double c[3];
};

/* Moves the bounds to the point c, which lies well inside. */
static enum hull_fault
find_inside(struct vertex_planes *planes)
{
    for (int step = 0; step < CENTRE_STEPS; step++) {
        double by = 0, far = 0;
        for (int axis = 0; axis < planes->dim; axis++) {
            double up = INFINITY, down = INFINITY;
            for (uint32_t i = 0; i < planes->n; i++) {
                double u = planes->h[i][axis], t = planes->h[i][3] / fabs(u);
                if (u > 0)
                    up = fmin(up, t);
                else if (u < 0)
                    down = fmin(down, t);
            }
            if (isinf(up) || isinf(down))
                return HULL_UNBOUNDED;
            double move = 0.5 * (up - down);
            planes->c[axis] += move;
            by = fmax(by, fabs(move));
            far = fmax(far, up + down);
            for (uint32_t i = 0; i < planes->n; i++)
                planes->h[i][3] -= planes->h[i][axis] * move;
        }
        if (by <= 0.05 * far)
            break;
    }
    return HULL_OK;
}

/* Finds the corner, about c, where the half-spaces in `at` meet. Three of them
 * are used: the first, the one most across it, and the one most across both. */
static bool
corner(const struct vertex_planes *planes, const uint32_t *at, uint32_t n_plane,
       double point[3])
{
    const double *first = planes->h[at[0]], *second = NULL, *third = NULL;
    double best = 0, ab[3] = {0, 0, 1}, bc[3], ca[3];
    for (uint32_t i = 1; i < n_plane; i++) {
        double r[3];
        vec3_cross(first, planes->h[at[i]], r);
        if (vec3_dot(r, r) > best) {
            best = vec3_dot(r, r);
            second = planes->h[at[i]];
            memcpy(ab, r, sizeof ab);
        }
    }
    if (!second)
        return false;
    if (planes->dim == 2) {
        double det = ab[2];
        point[0] = (first[3] * second[1] - second[3] * first[1]) / det;
        point[1] = (first[0] * second[3] - second[0] * first[3]) / det;
        point[2] = 0;
        return true;
    }
    best = 0;
    for (uint32_t i = 1; i < n_plane; i++)
        if (fabs(vec3_dot(ab, planes->h[at[i]])) > fabs(best)) {
            best = vec3_dot(ab, planes->h[at[i]]);
            third = planes->h[at[i]];
        }
    if (!third)
        return false;
    vec3_cross(second, third, bc);
    vec3_cross(third, first, ca);
    for (int k = 0; k < 3; k++)
        point[k] =
            (first[3] * bc[k] + second[3] * ca[k] + third[3] * ab[k]) / best;
    return true;
}

/* Is c inside the plane through the dual points of the half-spaces `at`, which
 * are in order around a face of their hull? If not, these half-spaces do not
 * close. */
static bool
encloses(const struct vertex_planes *planes, const uint32_t *at, uint32_t n)
{
    double sum = 0, big = 0, cross[3];
    const double *start = planes->dual[at[0]];
    for (uint32_t i = 1; i + 1 < (planes->dim == 2 ? 3 : n); i++) {
        const double *second = planes->dual[at[i]];
        vec3_cross(start, second, cross);
        if (planes->dim == 2) {
            sum += cross[2];
            big += sqrt(vec3_dot(start, start) * vec3_dot(second, second));
            continue;
        }
        const double *third = planes->dual[at[i + 1]];
        sum += vec3_dot(cross, third);
        big += sqrt(vec3_dot(start, start) * vec3_dot(second, second) *
                    vec3_dot(third, third));
    }
    return sum > PLANES_OPEN * big;
}

/* Does x lie inside all half-spaces? */
static bool
holds(const struct vertex_planes *planes, const double x[3])
{
    double far = sqrt(vec3_dot(x, x));
    if (!isfinite(far))
        return false;
    for (uint32_t i = 0; i < planes->n; i++)
        if (vec3_dot(planes->h[i], x) - planes->h[i][3] > PLANES_SLACK * far)
            return false;
    return true;
}

static enum hull_fault
put_vertex(const struct vertex_planes *planes, struct polytope *out, uint32_t v,
           const uint32_t *at, uint32_t n)
{
    double x[3];
    if (!encloses(planes, at, n))
        return HULL_UNBOUNDED;
    if (!corner(planes, at, n, x) || !holds(planes, x))
        return HULL_LOST;
    for (int k = 0; k < 3; k++)
        out->vertex[v][k] = x[k] + planes->c[k];
    return HULL_OK;
}

static void
put_face(const struct vertex_planes *planes, struct polytope_face *face,
         uint32_t i)
{
    memcpy(face->n, planes->h[i], sizeof face->n);
    face->d = planes->h[i][3] + vec3_dot(planes->h[i], planes->c);
}

static enum hull_fault
planes_polygon(const struct vertex_planes *planes, const struct hull *hull,
               struct polytope *out)
{
    uint32_t n = hull->first[1];
    out->n_vertex = n;
    out->vertex = arena_alloc(planes->a, n * sizeof *out->vertex);
    out->face = NEW_N(planes->a, struct polytope_face, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at[2] = {hull->loop[(i + n - 1) % n], hull->loop[i]};
        enum hull_fault fault = put_vertex(planes, out, i, at, 2);
        if (fault != HULL_OK)
            return fault;
        put_face(planes, out->face + i, hull->loop[i]);
    }
    polygon_sides(planes->a, out);
    return HULL_OK;
}

static enum hull_fault
planes_polyhedron(const struct vertex_planes *planes, const struct hull *hull,
                  struct polytope *out)
{
    struct mesh mesh;
    uint32_t n_vertex = 0;
    if (!mesh_build(planes->a, planes->n, hull->n_face, hull->first, hull->loop,
                    &mesh))
        return HULL_LOST;
    out->n_vertex = hull->n_face;
    out->vertex = arena_alloc(planes->a, hull->n_face * sizeof *out->vertex);
    for (uint32_t v = 0; v < hull->n_face; v++) {
        enum hull_fault fault =
            put_vertex(planes, out, v, hull->loop + hull->first[v],
                       hull->first[v + 1] - hull->first[v]);
        if (fault != HULL_OK)
            return fault;
    }
    out->face = NEW_N(planes->a, struct polytope_face, planes->n);
    for (uint32_t i = 0; i < planes->n; i++) {
        if (mesh.at[i] == mesh.at[i + 1])
            continue; /* This half-space bounds nothing. */
        struct polytope_face *face = out->face + n_vertex++;
        put_face(planes, face, i);
        face->first = mesh.at[i];
        face->count = mesh.at[i + 1] - mesh.at[i];
    }
    out->n_face = n_vertex;
    out->loop = mesh.around;
    return finish(planes->a, out) ? HULL_OK : HULL_LOST;
}

/* Takes the half-spaces that say something, with unit normals and bounds about
 * the origin. */
static enum hull_fault
take(struct vertex_planes *planes, const double (*half_spaces)[4],
     uint32_t n_plane, uint32_t bad[2])
{
    planes->h = arena_alloc(planes->a, (n_plane + 1) * sizeof *planes->h);
    for (uint32_t plane = 0; plane < n_plane; plane++) {
        double normal[3] = {half_spaces[plane][0], half_spaces[plane][1],
                            half_spaces[plane][2]};
        double big =
            fmax(fabs(normal[0]), fmax(fabs(normal[1]), fabs(normal[2])));
        bad[0] = plane;
        if (!(big > 0)) {
            if (half_spaces[plane][3] < 0)
                return HULL_EMPTY;
            continue;
        }
        for (int k = 0; k < 3; k++)
            normal[k] /= big;
        double l = vec3_normalise(normal), b = half_spaces[plane][3] / big / l;
        memcpy(planes->h[planes->n], normal, sizeof normal);
        planes->h[planes->n++][3] = b;
        if (n_plane > 1 && !(b > 0))
            return HULL_EMPTY;
    }
    return HULL_OK;
}

enum hull_fault
polytope_planes(struct arena *arena, int dim, const double (*h)[4],
                uint32_t count, struct polytope *out, uint32_t bad[2])
{
    assert(dim == 2 || dim == 3);
    assert(out != NULL && bad != NULL);
    struct vertex_planes planes = {.a = arena, .dim = dim};
    struct hull hull;
    memset(out, 0, sizeof *out);
    out->dim = dim;
    enum hull_fault fault = take(&planes, h, count, bad);
    if (fault != HULL_OK)
        return fault;
    if (count == 1 && planes.n == 1) {
        out->face = NEW_N(arena, struct polytope_face, 1);
        put_face(&planes, out->face, 0);
        out->n_face = 1;
        out->at = NEW_N(arena, uint32_t, 1);
        out->radius = (double)INFINITY;
        return HULL_OK;
    }
    fault = planes.n ? find_inside(&planes) : HULL_UNBOUNDED;
    if (fault != HULL_OK)
        return fault;
    planes.dual = arena_alloc(arena, (planes.n + 1) * sizeof *planes.dual);
    do {
        for (uint32_t i = 0; i < planes.n; i++)
            for (int k = 0; k < 3; k++)
                planes.dual[i][k] = planes.h[i][k] / planes.h[i][3];
        fault = hull_find(arena, dim, (const double(*)[3])planes.dual, planes.n,
                          &hull);
        if (fault == HULL_SAME) /* The same half-space was given twice. */
            memmove(planes.h[hull.bad[1]], planes.h[--planes.n],
                    sizeof *planes.h);
    } while (fault == HULL_SAME);
    if (fault != HULL_OK)
        return fault == HULL_FLAT ? HULL_UNBOUNDED : fault;
    return dim == 2 ? planes_polygon(&planes, &hull, out)
                    : planes_polyhedron(&planes, &hull, out);
}
