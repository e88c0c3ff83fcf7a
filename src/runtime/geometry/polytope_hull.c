/* SPDX-License-Identifier: MIT */
/* Convex hulls by gift wrapping (Chand & Kapur 1970): across each edge of a
 * face the next plane is the one that the farthest point around the edge
 * spans, and all points in that plane make one face, whatever their number.
 * So faces with many corners need no merging afterwards. Work: faces x points.
 *
 * Coordinates are scaled to the box that holds the points: extents 1 along
 * each axis. A point lies in a plane or on a line when it is within `tol` of
 * it. Points that turn out to be no corners (inside a face, on an edge) are
 * dropped from everything, so that neighbouring faces agree about their edge;
 * if a face that stands already uses one, all starts anew without it. */
#include "runtime/geometry/polytope_hull.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/vec3.h"

/* What counts as one plane, relative to the extents: coordinates from formulas
 * are off by some tens of roundings (1e-14), which a plane through three
 * corners of a small face enlarges up to a hundred times. */
#define HULL_FLATNESS 1e-12
/* roundings of coordinates relative to their own size, not to the extents */
#define HULL_ROUNDING (16 * DBL_EPSILON)
/* above this the points have no thickness to speak of */
#define HULL_TOO_FLAT 1e-4

struct wrap {
    struct arena *a;
    int dim;
    uint32_t n;
    double (*p)[3]; /* scaled */
    double tol;
    bool *dropped; /* no corner */
    /* faces found; first has n_face + 1 entries */
    uint32_t n_face, n_loop, face_cap, loop_cap;
    uint32_t *first, *loop;
    double (*normal)[3];
    /* directed edges: open addressing, key v * n + w + 1 */
    uint64_t *key;
    uint32_t *edge_face, edges, slots;
    /* scratch of one face */
    uint32_t *in, *chain;
    double (*flat)[2];
};

/* -- the plane ------------------------------------------------------------ */

struct sorter {
    double x, y;
    uint32_t i;
};

static int
by_place(const void *a, const void *b)
{
    const struct sorter *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return p->i < q->i ? -1 : p->i > q->i;
}

/* is b on the left of, or within tol of, the line from a to c? then it is no
 * corner of a chain that turns left */
static bool
no_corner(const struct sorter *a, const struct sorter *b,
          const struct sorter *c, double tol)
{
    double ux = c->x - a->x, uy = c->y - a->y;
    double vx = b->x - a->x, vy = b->y - a->y;
    double l = hypot(ux, uy);
    return ux * vy - uy * vx >= -tol * l;
}

/* Corners of m points counter-clockwise (Andrew 1979); `id` names them. Returns
 * how many; fewer than 3: they lie on a line. */
static uint32_t
chain_find(struct arena *a, const double (*q)[2], const uint32_t *id,
           uint32_t m, double tol, uint32_t *out)
{
    struct sorter *s = NEW_N(a, struct sorter, m + 1);
    struct sorter *c = NEW_N(a, struct sorter, 2 * (size_t)m + 2);
    for (uint32_t i = 0; i < m; i++)
        s[i] = (struct sorter){q[i][0], q[i][1], id[i]};
    qsort(s, m, sizeof *s, by_place);
    uint32_t n = 0, low = 1;
    for (uint32_t i = 0; i < m; i++) {
        while (n >= 2 && no_corner(c + n - 2, c + n - 1, s + i, tol))
            n--;
        c[n++] = s[i];
    }
    low = n;
    for (uint32_t i = m - 1; i-- > 0;) {
        while (n > low && no_corner(c + n - 2, c + n - 1, s + i, tol))
            n--;
        c[n++] = s[i];
    }
    n--; /* the first once more */
    /* the two ends of the chains may lie on a side themselves */
    for (bool again = true; again && n >= 3;) {
        again = false;
        for (uint32_t i = 0; i < n && n >= 3; i++)
            if (no_corner(c + (i + n - 1) % n, c + i, c + (i + 1) % n, tol)) {
                memmove(c + i, c + i + 1, (n - i - 1) * sizeof *c);
                n--;
                again = true;
            }
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] = c[i].i;
    return n;
}

/* -- edges ---------------------------------------------------------------- */

static uint32_t
slot_of(const struct wrap *w, uint32_t v, uint32_t u)
{
    uint64_t k = (uint64_t)v * w->n + u + 1;
    uint32_t i = (uint32_t)((k * 0x9e3779b97f4a7c15u) >> 32) & (w->slots - 1);
    while (w->key[i] && w->key[i] != k)
        i = (i + 1) & (w->slots - 1);
    return i;
}

static void edge_put(struct wrap *w, uint32_t v, uint32_t u, uint32_t face);

static void
edges_grow(struct wrap *w)
{
    uint32_t n = w->slots;
    uint64_t *key = w->key;
    uint32_t *face = w->edge_face;
    w->slots = n ? 2 * n : 64;
    w->key = NEW_N(w->a, uint64_t, w->slots);
    w->edge_face = NEW_N(w->a, uint32_t, w->slots);
    w->edges = 0;
    for (uint32_t i = 0; i < n; i++)
        if (key[i])
            edge_put(w, (uint32_t)((key[i] - 1) / w->n),
                     (uint32_t)((key[i] - 1) % w->n), face[i]);
}

static void
edge_put(struct wrap *w, uint32_t v, uint32_t u, uint32_t face)
{
    if (2 * (w->edges + 1) > w->slots)
        edges_grow(w);
    uint32_t i = slot_of(w, v, u);
    w->edges += !w->key[i];
    w->key[i] = (uint64_t)v * w->n + u + 1;
    w->edge_face[i] = face;
}

static bool
edge_known(const struct wrap *w, uint32_t v, uint32_t u)
{
    return w->slots && w->key[slot_of(w, v, u)] != 0;
}

/* -- faces ---------------------------------------------------------------- */

/* points within tol of the plane n.x = d into w->in; greatest height over it
 * in *over, that point in *top */
static uint32_t
in_plane(struct wrap *w, const double n[3], double d, double *over,
         uint32_t *top)
{
    uint32_t m = 0;
    *over = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->dropped[i])
            continue;
        double h = vec3_dot(n, w->p[i]) - d;
        if (fabs(h) <= w->tol)
            w->in[m++] = i;
        if (h > *over) {
            *over = h;
            *top = i;
        }
    }
    return m;
}

/* normal and offset of the plane through a loop of points (Newell) */
static bool
loop_plane(const struct wrap *w, const uint32_t *loop, uint32_t m, double n[3],
           double *d)
{
    double mid[3] = {0, 0, 0}, s[3] = {0, 0, 0};
    for (uint32_t i = 0; i < m; i++)
        for (int k = 0; k < 3; k++)
            mid[k] += w->p[loop[i]][k] / m;
    for (uint32_t i = 0; i < m; i++) {
        double a[3], b[3], c[3];
        vec3_sub(w->p[loop[i]], mid, a);
        vec3_sub(w->p[loop[(i + 1) % m]], mid, b);
        vec3_cross(a, b, c);
        for (int k = 0; k < 3; k++)
            s[k] += c[k];
    }
    if (!(vec3_normalise(s) > 0))
        return false;
    memcpy(n, s, sizeof s);
    *d = vec3_dot(n, mid);
    return true;
}

/* two unit vectors across n, right-handed with it */
static void
across(const double n[3], double u[3], double v[3])
{
    int k = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    if (fabs(n[2]) < fabs(n[k]))
        k = 2;
    for (int i = 0; i < 3; i++)
        u[i] = (i == k) - n[k] * n[i];
    vec3_normalise(u);
    vec3_cross(n, u, v);
}

/* corners of the m points in w->in, which lie in the plane with normal n, in
 * order around it */
static uint32_t
in_order(struct wrap *w, const double n[3], uint32_t m)
{
    double u[3], v[3];
    across(n, u, v);
    for (uint32_t i = 0; i < m; i++) {
        w->flat[i][0] = vec3_dot(u, w->p[w->in[i]]);
        w->flat[i][1] = vec3_dot(v, w->p[w->in[i]]);
    }
    return chain_find(w->a, (const double(*)[2])w->flat, w->in, m, w->tol,
                      w->chain);
}

enum step { STEP_OK, STEP_AGAIN, STEP_LOST };

/* drops the points of w->in that are not in the chain of m; STEP_AGAIN if a
 * face that stands uses one */
static enum step
drop_others(struct wrap *w, uint32_t in, uint32_t m)
{
    enum step s = STEP_OK;
    for (uint32_t i = 0; i < in; i++) {
        bool found = false;
        for (uint32_t k = 0; k < m && !found; k++)
            found = w->chain[k] == w->in[i];
        if (found)
            continue;
        w->dropped[w->in[i]] = true;
        for (uint32_t k = 0; k < w->n_loop; k++)
            if (w->loop[k] == w->in[i])
                s = STEP_AGAIN;
    }
    return s;
}

/* the face that lies about in the plane n.x = d, which passes through the
 * points p and q; the plane is made better until nothing lies over it */
static enum step
face_add(struct wrap *w, double n[3], double d)
{
    uint32_t m = 0, in = 0, top = 0;
    for (int pass = 0;; pass++) {
        double over, best[3], off;
        in = in_plane(w, n, d, &over, &top);
        m = in >= 3 ? in_order(w, n, in) : 0;
        if (m < 3 || !loop_plane(w, w->chain, m, best, &off))
            return STEP_LOST;
        double change = 1 - vec3_dot(best, n);
        memcpy(n, best, sizeof best);
        d = off;
        if (pass > 0 && change <= 4 * DBL_EPSILON && over <= w->tol)
            break;
        if (pass == 6) {
            if (over > w->tol)
                return STEP_LOST;
            break;
        }
    }
    enum step s = drop_others(w, in, m);
    if (s != STEP_OK)
        return s;
    if (w->n_face + 2 > w->face_cap) {
        uint32_t cap = w->face_cap ? 2 * w->face_cap : 16;
        uint32_t *first = NEW_N(w->a, uint32_t, cap + 1);
        double(*normal)[3] = arena_alloc(w->a, cap * sizeof *normal);
        if (w->n_face) {
            memcpy(first, w->first, (w->n_face + 1) * sizeof *first);
            memcpy(normal, w->normal, w->n_face * sizeof *normal);
        }
        w->first = first;
        w->normal = normal;
        w->face_cap = cap;
    }
    if (w->n_loop + m > w->loop_cap) {
        uint32_t cap = 2 * (w->n_loop + m) + 64;
        uint32_t *loop = NEW_N(w->a, uint32_t, cap);
        if (w->n_loop)
            memcpy(loop, w->loop, w->n_loop * sizeof *loop);
        w->loop = loop;
        w->loop_cap = cap;
    }
    for (uint32_t i = 0; i < m; i++) {
        uint32_t v = w->chain[i], u = w->chain[(i + 1) % m];
        if (edge_known(w, v, u))
            return STEP_LOST;
        edge_put(w, v, u, w->n_face);
        w->loop[w->n_loop++] = v;
    }
    memcpy(w->normal[w->n_face], n, sizeof w->normal[0]);
    w->first[++w->n_face] = w->n_loop;
    return STEP_OK;
}

/* The plane across the edge from p to q of a face with normal n that lies on
 * the left of it: of all points the one farthest around the edge spans it.
 * Points on the edge's line have no angle. */
static bool
pivot(const struct wrap *w, uint32_t p, uint32_t q, const double n[3],
      double out[3], double *d)
{
    double e[3], l[3], up[3], ca = 0, sa = -1;
    vec3_sub(w->p[q], w->p[p], e);
    if (!(vec3_normalise(e) > 0))
        return false;
    vec3_cross(n, e, l);
    vec3_normalise(l);
    vec3_cross(e, l, up);
    bool any = false;
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->dropped[i] || i == p || i == q)
            continue;
        double s[3];
        vec3_sub(w->p[i], w->p[p], s);
        double c = vec3_dot(s, l), a = -vec3_dot(s, up);
        double r = hypot(c, a);
        if (r <= 2 * w->tol)
            continue;
        /* rounding puts points of the face itself under or over it */
        if (a <= w->tol && c > 0)
            a = 0;
        c /= r;
        a /= r;
        if (!any || ca * a - sa * c > 0) {
            ca = c;
            sa = a;
            any = true;
        }
    }
    for (int k = 0; k < 3; k++)
        out[k] = -sa * l[k] - ca * up[k];
    vec3_normalise(out);
    *d = 0.5 * (vec3_dot(out, w->p[p]) + vec3_dot(out, w->p[q]));
    return any;
}

/* a first face: over an edge of the hull of the projections along z */
static enum step
first_face(struct wrap *w)
{
    uint32_t m = 0;
    for (uint32_t i = 0; i < w->n; i++)
        if (!w->dropped[i]) {
            w->flat[m][0] = w->p[i][0];
            w->flat[m][1] = w->p[i][1];
            w->in[m++] = i;
        }
    m = chain_find(w->a, (const double(*)[2])w->flat, w->in, m, w->tol,
                   w->chain);
    if (m < 3)
        return STEP_LOST;
    uint32_t a = w->chain[0], b = w->chain[1];
    const double *p = w->p[a], *q = w->p[b];
    double n[3] = {q[1] - p[1], p[0] - q[0], 0}, over, d;
    vec3_normalise(n);
    /* of the points over that edge two that lie far apart */
    uint32_t top, in = in_plane(w, n, vec3_dot(n, p), &over, &top);
    if (in >= 3 && in_order(w, n, in) >= 3)
        return face_add(w, n, vec3_dot(n, p));
    /* an edge of the hull, or part of one: which side the inside is does not
     * matter, the plane through z has all points on one side */
    if (!pivot(w, a, b, n, n, &d))
        return STEP_LOST;
    return face_add(w, n, d);
}

static enum step
wrap_all(struct wrap *w)
{
    w->n_face = w->n_loop = w->edges = 0;
    if (w->slots)
        memset(w->key, 0, w->slots * sizeof *w->key);
    enum step s = first_face(w);
    for (uint32_t f = 0; f < w->n_face && s == STEP_OK; f++) {
        uint32_t lo = w->first[f], hi = w->first[f + 1];
        for (uint32_t i = lo; i < hi && s == STEP_OK; i++) {
            uint32_t v = w->loop[i], u = w->loop[i + 1 < hi ? i + 1 : lo];
            double n[3], d;
            if (edge_known(w, u, v))
                continue;
            if (!pivot(w, v, u, w->normal[f], n, &d))
                return STEP_LOST;
            s = face_add(w, n, d);
            if (s == STEP_OK && !edge_known(w, u, v))
                s = STEP_LOST;
        }
        /* Euler: no more than 2 n - 4 faces */
        if (w->n_face > 2 * w->n)
            return STEP_LOST;
    }
    return s;
}

/* every edge twice, v - e + f = 2 */
static bool
closed(const struct wrap *w, bool *corner)
{
    uint32_t v = 0;
    for (uint32_t i = 0; i < w->n_loop; i++)
        corner[w->loop[i]] = true;
    for (uint32_t i = 0; i < w->n; i++)
        v += corner[i];
    return w->n_loop % 2 == 0 && v + w->n_face == w->n_loop / 2 + 2;
}

/* -- both ----------------------------------------------------------------- */

/* do all points lie in one plane? spans the widest triangle and looks */
static bool
one_plane(const struct wrap *w)
{
    uint32_t far[2] = {0, 0};
    double best = 0, e[3], n[3] = {0, 0, 0};
    for (uint32_t i = 1; i < w->n; i++) {
        double s[3];
        vec3_sub(w->p[i], w->p[0], s);
        if (vec3_dot(s, s) > best) {
            best = vec3_dot(s, s);
            far[0] = i;
        }
    }
    vec3_sub(w->p[far[0]], w->p[0], e);
    if (!(vec3_normalise(e) > 0))
        return true;
    best = 0;
    for (uint32_t i = 1; i < w->n; i++) {
        double s[3], c[3];
        vec3_sub(w->p[i], w->p[0], s);
        vec3_cross(e, s, c);
        if (vec3_dot(c, c) > best) {
            best = vec3_dot(c, c);
            memcpy(n, c, sizeof n);
        }
    }
    if (w->dim == 2 || !(sqrt(best) > 4 * w->tol))
        return !(sqrt(best) > 4 * w->tol);
    vec3_normalise(n);
    best = 0;
    for (uint32_t i = 1; i < w->n; i++) {
        double s[3];
        vec3_sub(w->p[i], w->p[0], s);
        best = fmax(best, fabs(vec3_dot(n, s)));
    }
    return !(best > 4 * w->tol);
}

/* to coordinates of extent 1; false if they have none in some direction */
static bool
rescale(struct wrap *w, const double (*p)[3])
{
    double lo[3], hi[3], big = 0, least = INFINITY;
    memcpy(lo, p[0], sizeof lo);
    memcpy(hi, p[0], sizeof hi);
    for (uint32_t i = 1; i < w->n; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], p[i][k]);
            hi[k] = fmax(hi[k], p[i][k]);
        }
    for (int k = 0; k < w->dim; k++) {
        big = fmax(big, fmax(fabs(lo[k]), fabs(hi[k])));
        least = fmin(least, hi[k] - lo[k]);
    }
    if (!(least > 0) || !isfinite(big))
        return false;
    w->tol = fmax(HULL_FLATNESS, HULL_ROUNDING * big / least);
    if (w->tol > HULL_TOO_FLAT)
        return false;
    for (uint32_t i = 0; i < w->n; i++)
        for (int k = 0; k < w->dim; k++)
            w->p[i][k] = (p[i][k] - 0.5 * (lo[k] + hi[k])) / (hi[k] - lo[k]);
    return true;
}

static bool
same_points(const struct wrap *w, uint32_t same[2])
{
    struct sorter *s = NEW_N(w->a, struct sorter, w->n);
    for (uint32_t i = 0; i < w->n; i++)
        s[i] = (struct sorter){w->p[i][0], 0, i};
    qsort(s, w->n, sizeof *s, by_place);
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = i + 1; k < w->n && s[k].x - s[i].x <= w->tol; k++) {
            double d[3];
            vec3_sub(w->p[s[k].i], w->p[s[i].i], d);
            if (vec3_dot(d, d) > w->tol * w->tol)
                continue;
            same[0] = s[i].i < s[k].i ? s[i].i : s[k].i;
            same[1] = s[i].i < s[k].i ? s[k].i : s[i].i;
            return true;
        }
    return false;
}

static enum hull_fault
plane_hull(struct wrap *w, struct hull *out)
{
    for (uint32_t i = 0; i < w->n; i++) {
        w->flat[i][0] = w->p[i][0];
        w->flat[i][1] = w->p[i][1];
        w->in[i] = i;
    }
    uint32_t m = chain_find(w->a, (const double(*)[2])w->flat, w->in, w->n,
                            w->tol, w->chain);
    if (m < 3)
        return HULL_FLAT;
    out->n_face = 1;
    out->first = NEW_N(w->a, uint32_t, 2);
    out->first[1] = m;
    out->loop = arena_copy(w->a, w->chain, m * sizeof *w->chain);
    for (uint32_t i = 0; i < m; i++)
        out->corner[w->chain[i]] = true;
    return HULL_OK;
}

enum hull_fault
hull_find(struct arena *a, int dim, const double (*p)[3], uint32_t n,
          struct hull *out)
{
    struct wrap w = {.a = a, .dim = dim, .n = n};
    memset(out, 0, sizeof *out);
    out->dim = dim;
    out->corner = NEW_N(a, bool, n + 1);
    if (n < (uint32_t)dim + 1)
        return HULL_FLAT;
    w.p = arena_alloc(a, n * sizeof *w.p);
    w.flat = arena_alloc(a, n * sizeof *w.flat);
    w.dropped = NEW_N(a, bool, n);
    w.in = NEW_N(a, uint32_t, n);
    w.chain = NEW_N(a, uint32_t, 2 * (size_t)n + 2);
    if (!rescale(&w, p))
        return HULL_FLAT;
    if (same_points(&w, out->bad))
        return HULL_SAME;
    if (one_plane(&w))
        return HULL_FLAT;
    if (dim == 2)
        return plane_hull(&w, out);
    /* slivers of faces a little wider than tol: with less or more of it they
     * are faces, or parts of their neighbours; what closes is right within it
     */
    static const double more[] = {1, 0.125, 8, 0.015625, 64, 512};
    const double tol = w.tol;
    for (size_t t = 0; t < sizeof more / sizeof *more; t++) {
        enum step s = STEP_AGAIN;
        w.tol = tol * more[t];
        memset(w.dropped, 0, n * sizeof *w.dropped);
        memset(out->corner, 0, n * sizeof *out->corner);
        /* each round but the last drops a point */
        for (uint32_t round = 0; round <= n && s == STEP_AGAIN; round++)
            s = wrap_all(&w);
        if (s != STEP_OK || !closed(&w, out->corner))
            continue;
        out->n_face = w.n_face;
        out->first = w.first;
        out->loop = w.loop;
        return HULL_OK;
    }
    return HULL_LOST;
}
