/* SPDX-License-Identifier: MIT */
/* Polytopes put together: edges, faces around corners, planes; from corners,
 * and from half-spaces by duality. Seen from a point c well inside, the half-
 * space a.x <= b is the point a/(b - a.c); faces of the hull of these points
 * are the corners of the polytope, their planes' half-spaces meet there. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/geometry/polytope_hull.h"
#include "runtime/numerics/vec3.h"

/* a corner may break other half-spaces by this share of its distance from the
 * inner point: what solving for it rounds, up to flat angles of 1e-6 */
#define PLANES_SLACK 1e-9
/* half-spaces whose dual points lie in a plane with the inner point, within
 * this share of their distances (roundings), leave the direction across open */
#define PLANES_OPEN 1e-13
/* steps that move the inner point to the middle of chords along the axes */
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

/* false: not a closed surface */
static bool
mesh_build(struct arena *a, uint32_t n_vertex, uint32_t n_face,
           const uint32_t *first, const uint32_t *loop, struct mesh *out)
{
    uint32_t n = first[n_face];
    struct half *h = NEW_N(a, struct half, n + 1);
    uint32_t *face = NEW_N(a, uint32_t, n + 1);
    uint32_t *prev = NEW_N(a, uint32_t, n + 1);
    uint32_t *start = NEW_N(a, uint32_t, n_vertex + 1);
    out->twin = NEW_N(a, uint32_t, n + 1);
    out->at = NEW_N(a, uint32_t, n_vertex + 1);
    out->around = NEW_N(a, uint32_t, n + 1);
    for (uint32_t f = 0; f < n_face; f++)
        for (uint32_t i = first[f]; i < first[f + 1]; i++) {
            uint32_t next = i + 1 < first[f + 1] ? i + 1 : first[f];
            uint32_t v = loop[i], w = loop[next];
            h[i] = (struct half){v < w ? v : w, v < w ? w : v, i};
            face[i] = f;
            prev[next] = i;
            start[v] = i;
            out->at[v + 1]++;
        }
    qsort(h, n, sizeof *h, by_ends);
    for (uint32_t i = 0; i < n; i += 2) {
        if (i + 1 == n || h[i].lo != h[i + 1].lo || h[i].hi != h[i + 1].hi ||
            loop[h[i].at] == loop[h[i + 1].at])
            return false;
        out->twin[h[i].at] = h[i + 1].at;
        out->twin[h[i + 1].at] = h[i].at;
    }
    for (uint32_t v = 0; v < n_vertex; v++) {
        uint32_t count = out->at[v + 1], i = start[v];
        out->at[v + 1] += out->at[v];
        for (uint32_t k = 0; k < count; k++) {
            out->around[out->at[v] + k] = face[i];
            i = out->twin[prev[i]];
            /* all faces at a corner are one ring */
            if ((i == start[v]) != (k + 1 == count))
                return false;
        }
    }
    return true;
}

/* edges and rings of a polytope in space whose faces and loops are known */
static bool
finish(struct arena *a, struct polytope *p)
{
    uint32_t n = 0;
    uint32_t *first = NEW_N(a, uint32_t, p->n_face + 1);
    struct mesh m;
    for (uint32_t f = 0; f < p->n_face; f++)
        first[f + 1] = first[f] + p->face[f].count;
    if (!mesh_build(a, p->n_vertex, p->n_face, first, p->loop, &m))
        return false;
    p->at = m.at;
    p->around = m.around;
    p->edge = NEW_N(a, struct polytope_edge, first[p->n_face] / 2 + 1);
    for (uint32_t f = 0; f < p->n_face; f++)
        for (uint32_t i = first[f]; i < first[f + 1]; i++) {
            if (m.twin[i] < i)
                continue;
            uint32_t next = i + 1 < first[f + 1] ? i + 1 : first[f];
            uint32_t g = f;
            while (first[g + 1] <= m.twin[i])
                g++;
            struct polytope_edge *e = p->edge + n++;
            *e = (struct polytope_edge){.v = {p->loop[i], p->loop[next]},
                                        .face = {f, g}};
            for (int k = 0; k < 3; k++)
                e->dir[k] = p->vertex[e->v[1]][k] - p->vertex[e->v[0]][k];
            vec3_normalise(e->dir);
        }
    p->n_edge = n;
    return p->n_vertex + p->n_face == n + 2;
}

/* sides and corners of a polygon whose vertices are in order */
static void
polygon_sides(struct arena *a, struct polytope *p)
{
    uint32_t n = p->n_vertex;
    p->n_face = n;
    p->loop = NEW_N(a, uint32_t, 2 * n);
    p->at = NEW_N(a, uint32_t, n + 1);
    p->around = NEW_N(a, uint32_t, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        p->face[i].first = 2 * i;
        p->face[i].count = 2;
        p->loop[2 * i] = i;
        p->loop[2 * i + 1] = (i + 1) % n;
        p->at[i + 1] = 2 * i + 2;
        p->around[2 * i] = (i + n - 1) % n;
        p->around[2 * i + 1] = i;
    }
}

/* -- from corners --------------------------------------------------------- */

/* plane of a face through its corners (Newell; about their mean) */
static void
face_plane(struct polytope *p, struct polytope_face *f)
{
    double mid[3] = {0, 0, 0}, n[3] = {0, 0, 0};
    const uint32_t *l = p->loop + f->first;
    for (uint32_t i = 0; i < f->count; i++)
        for (int k = 0; k < 3; k++)
            mid[k] += p->vertex[l[i]][k] / f->count;
    if (p->dim == 2) {
        n[0] = p->vertex[l[1]][1] - p->vertex[l[0]][1];
        n[1] = p->vertex[l[0]][0] - p->vertex[l[1]][0];
    }
    for (uint32_t i = 0; i < f->count && p->dim == 3; i++) {
        double a[3], b[3], c[3];
        for (int k = 0; k < 3; k++) {
            a[k] = p->vertex[l[i]][k] - mid[k];
            b[k] = p->vertex[l[(i + 1) % f->count]][k] - mid[k];
        }
        vec3_cross(a, b, c);
        for (int k = 0; k < 3; k++)
            n[k] += c[k];
    }
    vec3_normalise(n);
    memcpy(f->n, n, sizeof n);
    f->d = vec3_dot(n, mid);
}

enum hull_fault
polytope_points(struct arena *a, int dim, const double (*p)[3], uint32_t n,
                struct polytope *out, uint32_t bad[2])
{
    struct hull h;
    enum hull_fault f = hull_find(a, dim, p, n, &h);
    memset(out, 0, sizeof *out);
    memcpy(bad, h.bad, sizeof h.bad);
    for (uint32_t i = 0; i < n && f == HULL_OK; i++)
        if (!h.corner[i]) {
            bad[0] = i;
            f = HULL_NO_CORNER;
        }
    if (f != HULL_OK)
        return f;
    out->dim = dim;
    out->n_vertex = n;
    out->vertex = arena_alloc(a, n * sizeof *out->vertex);
    out->face = NEW_N(a, struct polytope_face, dim == 2 ? n : h.n_face);
    if (dim == 2) {
        for (uint32_t i = 0; i < n; i++)
            memcpy(out->vertex[i], p[h.loop[i]], sizeof *out->vertex);
        polygon_sides(a, out);
    } else {
        memcpy(out->vertex, p, n * sizeof *out->vertex);
        out->n_face = h.n_face;
        out->loop = h.loop;
        for (uint32_t i = 0; i < h.n_face; i++) {
            out->face[i].first = h.first[i];
            out->face[i].count = h.first[i + 1] - h.first[i];
        }
        if (!finish(a, out))
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

/* moves the bounds to the point c, which lies well inside */
static enum hull_fault
find_inside(struct vertex_planes *p)
{
    for (int step = 0; step < CENTRE_STEPS; step++) {
        double by = 0, far = 0;
        for (int k = 0; k < p->dim; k++) {
            double up = INFINITY, down = INFINITY;
            for (uint32_t i = 0; i < p->n; i++) {
                double u = p->h[i][k], t = p->h[i][3] / fabs(u);
                if (u > 0)
                    up = fmin(up, t);
                else if (u < 0)
                    down = fmin(down, t);
            }
            if (isinf(up) || isinf(down))
                return HULL_UNBOUNDED;
            double move = 0.5 * (up - down);
            p->c[k] += move;
            by = fmax(by, fabs(move));
            far = fmax(far, up + down);
            for (uint32_t i = 0; i < p->n; i++)
                p->h[i][3] -= p->h[i][k] * move;
        }
        if (by <= 0.05 * far)
            break;
    }
    return HULL_OK;
}

/* corner where the half-spaces in `at` meet: of these the first, the one most
 * across it, and the one most across both. About c. */
static bool
corner(const struct vertex_planes *p, const uint32_t *at, uint32_t n,
       double x[3])
{
    const double *a = p->h[at[0]], *b = NULL, *c = NULL;
    double best = 0, ab[3] = {0, 0, 1}, bc[3], ca[3];
    for (uint32_t i = 1; i < n; i++) {
        double r[3];
        vec3_cross(a, p->h[at[i]], r);
        if (vec3_dot(r, r) > best) {
            best = vec3_dot(r, r);
            b = p->h[at[i]];
            memcpy(ab, r, sizeof ab);
        }
    }
    if (!b)
        return false;
    if (p->dim == 2) {
        double det = ab[2];
        x[0] = (a[3] * b[1] - b[3] * a[1]) / det;
        x[1] = (a[0] * b[3] - b[0] * a[3]) / det;
        x[2] = 0;
        return true;
    }
    best = 0;
    for (uint32_t i = 1; i < n; i++)
        if (fabs(vec3_dot(ab, p->h[at[i]])) > fabs(best)) {
            best = vec3_dot(ab, p->h[at[i]]);
            c = p->h[at[i]];
        }
    if (!c)
        return false;
    vec3_cross(b, c, bc);
    vec3_cross(c, a, ca);
    for (int k = 0; k < 3; k++)
        x[k] = (a[3] * bc[k] + b[3] * ca[k] + c[3] * ab[k]) / best;
    return true;
}

/* Is c inside the plane through the dual points of half-spaces `at`, which are
 * in order around a face of their hull? If not, these do not close. */
static bool
encloses(const struct vertex_planes *p, const uint32_t *at, uint32_t n)
{
    double s = 0, big = 0, r[3];
    const double *a = p->dual[at[0]];
    for (uint32_t i = 1; i + 1 < (p->dim == 2 ? 3 : n); i++) {
        const double *b = p->dual[at[i]];
        vec3_cross(a, b, r);
        if (p->dim == 2) {
            s += r[2];
            big += sqrt(vec3_dot(a, a) * vec3_dot(b, b));
            continue;
        }
        const double *c = p->dual[at[i + 1]];
        s += vec3_dot(r, c);
        big += sqrt(vec3_dot(a, a) * vec3_dot(b, b) * vec3_dot(c, c));
    }
    return s > PLANES_OPEN * big;
}

/* lies x inside all half-spaces? */
static bool
holds(const struct vertex_planes *p, const double x[3])
{
    double far = sqrt(vec3_dot(x, x));
    if (!isfinite(far))
        return false;
    for (uint32_t i = 0; i < p->n; i++)
        if (vec3_dot(p->h[i], x) - p->h[i][3] > PLANES_SLACK * far)
            return false;
    return true;
}

static enum hull_fault
put_vertex(const struct vertex_planes *p, struct polytope *out, uint32_t v,
           const uint32_t *at, uint32_t n)
{
    double x[3];
    if (!encloses(p, at, n))
        return HULL_UNBOUNDED;
    if (!corner(p, at, n, x) || !holds(p, x))
        return HULL_LOST;
    for (int k = 0; k < 3; k++)
        out->vertex[v][k] = x[k] + p->c[k];
    return HULL_OK;
}

static void
put_face(const struct vertex_planes *p, struct polytope_face *f, uint32_t i)
{
    memcpy(f->n, p->h[i], sizeof f->n);
    f->d = p->h[i][3] + vec3_dot(p->h[i], p->c);
}

static enum hull_fault
planes_polygon(const struct vertex_planes *p, const struct hull *h,
               struct polytope *out)
{
    uint32_t n = h->first[1];
    out->n_vertex = n;
    out->vertex = arena_alloc(p->a, n * sizeof *out->vertex);
    out->face = NEW_N(p->a, struct polytope_face, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at[2] = {h->loop[(i + n - 1) % n], h->loop[i]};
        enum hull_fault f = put_vertex(p, out, i, at, 2);
        if (f != HULL_OK)
            return f;
        put_face(p, out->face + i, h->loop[i]);
    }
    polygon_sides(p->a, out);
    return HULL_OK;
}

static enum hull_fault
planes_polyhedron(const struct vertex_planes *p, const struct hull *h,
                  struct polytope *out)
{
    struct mesh m;
    uint32_t n = 0;
    if (!mesh_build(p->a, p->n, h->n_face, h->first, h->loop, &m))
        return HULL_LOST;
    out->n_vertex = h->n_face;
    out->vertex = arena_alloc(p->a, h->n_face * sizeof *out->vertex);
    for (uint32_t v = 0; v < h->n_face; v++) {
        enum hull_fault f = put_vertex(p, out, v, h->loop + h->first[v],
                                       h->first[v + 1] - h->first[v]);
        if (f != HULL_OK)
            return f;
    }
    out->face = NEW_N(p->a, struct polytope_face, p->n);
    for (uint32_t i = 0; i < p->n; i++) {
        if (m.at[i] == m.at[i + 1])
            continue; /* it bounds nothing */
        struct polytope_face *f = out->face + n++;
        put_face(p, f, i);
        f->first = m.at[i];
        f->count = m.at[i + 1] - m.at[i];
    }
    out->n_face = n;
    out->loop = m.around;
    return finish(p->a, out) ? HULL_OK : HULL_LOST;
}

/* unit normals, those that say something; bounds about the origin */
static enum hull_fault
take(struct vertex_planes *p, const double (*h)[4], uint32_t n, uint32_t bad[2])
{
    p->h = arena_alloc(p->a, (n + 1) * sizeof *p->h);
    for (uint32_t i = 0; i < n; i++) {
        double a[3] = {h[i][0], h[i][1], h[i][2]};
        double big = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
        bad[0] = i;
        if (!(big > 0)) {
            if (h[i][3] < 0)
                return HULL_EMPTY;
            continue;
        }
        for (int k = 0; k < 3; k++)
            a[k] /= big;
        double l = vec3_normalise(a), b = h[i][3] / big / l;
        memcpy(p->h[p->n], a, sizeof a);
        p->h[p->n++][3] = b;
        if (n > 1 && !(b > 0))
            return HULL_EMPTY;
    }
    return HULL_OK;
}

enum hull_fault
polytope_planes(struct arena *a, int dim, const double (*h)[4], uint32_t n,
                struct polytope *out, uint32_t bad[2])
{
    struct vertex_planes p = {.a = a, .dim = dim};
    struct hull hull;
    memset(out, 0, sizeof *out);
    out->dim = dim;
    enum hull_fault f = take(&p, h, n, bad);
    if (f != HULL_OK)
        return f;
    if (n == 1 && p.n == 1) {
        out->face = NEW_N(a, struct polytope_face, 1);
        put_face(&p, out->face, 0);
        out->n_face = 1;
        out->at = NEW_N(a, uint32_t, 1);
        out->radius = (double)INFINITY;
        return HULL_OK;
    }
    f = p.n ? find_inside(&p) : HULL_UNBOUNDED;
    if (f != HULL_OK)
        return f;
    p.dual = arena_alloc(a, (p.n + 1) * sizeof *p.dual);
    do {
        for (uint32_t i = 0; i < p.n; i++)
            for (int k = 0; k < 3; k++)
                p.dual[i][k] = p.h[i][k] / p.h[i][3];
        f = hull_find(a, dim, (const double(*)[3])p.dual, p.n, &hull);
        if (f == HULL_SAME) /* the same half-space twice */
            memmove(p.h[hull.bad[1]], p.h[--p.n], sizeof *p.h);
    } while (f == HULL_SAME);
    if (f != HULL_OK)
        return f == HULL_FLAT ? HULL_UNBOUNDED : f;
    return dim == 2 ? planes_polygon(&p, &hull, out)
                    : planes_polyhedron(&p, &hull, out);
}
