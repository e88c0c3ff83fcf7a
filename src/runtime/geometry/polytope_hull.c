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

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/vec3.h"

/* Points count as lying in one plane within this share of the extents.
 * Coordinates from formulas are off by some tens of roundings (1e-14), and a
 * plane through three corners of a small face enlarges that up to a hundred
 * times. */
#define HULL_FLATNESS 1e-12
/* How far rounding may move a coordinate, relative to its own size and not to
 * the extents. */
#define HULL_ROUNDING (16 * DBL_EPSILON)
/* If the tolerance would have to be greater than this, the points have no
 * thickness. */
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

/* Is b on the left of the line from a to c, or within tol of it? Then b is no
 * corner of a chain that turns left. */
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
chain_find(struct arena *arena, const double (*q)[2], const uint32_t *id,
           uint32_t n_point, double tol, uint32_t *out)
{
    struct sorter *sorted = NEW_N(arena, struct sorter, n_point + 1);
    struct sorter *chain = NEW_N(arena, struct sorter, 2 * (size_t)n_point + 2);
    for (uint32_t i = 0; i < n_point; i++)
        sorted[i] = (struct sorter){q[i][0], q[i][1], id[i]};
    qsort(sorted, n_point, sizeof *sorted, by_place);
    uint32_t n_chain = 0, low = 1;
    for (uint32_t i = 0; i < n_point; i++) {
        while (n_chain >= 2 && no_corner(chain + n_chain - 2,
                                         chain + n_chain - 1, sorted + i, tol))
            n_chain--;
        chain[n_chain++] = sorted[i];
    }
    low = n_chain;
    for (uint32_t i = n_point - 1; i-- > 0;) {
        while (n_chain > low && no_corner(chain + n_chain - 2,
                                          chain + n_chain - 1, sorted + i, tol))
            n_chain--;
        chain[n_chain++] = sorted[i];
    }
    n_chain--; /* The last point of the chain is the first one again. */
    /* The two ends of the chains may lie on a side of the polygon. */
    for (bool again = true; again && n_chain >= 3;) {
        again = false;
        for (uint32_t i = 0; i < n_chain && n_chain >= 3; i++)
            if (no_corner(chain + (i + n_chain - 1) % n_chain, chain + i,
                          chain + (i + 1) % n_chain, tol)) {
                memmove(chain + i, chain + i + 1,
                        (n_chain - i - 1) * sizeof *chain);
                n_chain--;
                again = true;
            }
    }
    for (uint32_t i = 0; i < n_chain; i++)
        out[i] = chain[i].i;
    return n_chain;
}

/* -- edges ---------------------------------------------------------------- */

static uint32_t
slot_of(const struct wrap *wrap, uint32_t v, uint32_t u)
{
    uint64_t k = (uint64_t)v * wrap->n + u + 1;
    uint32_t i =
        (uint32_t)((k * 0x9e3779b97f4a7c15u) >> 32) & (wrap->slots - 1);
    while (wrap->key[i] && wrap->key[i] != k)
        i = (i + 1) & (wrap->slots - 1);
    return i;
}

static void edge_put(struct wrap *wrap, uint32_t v, uint32_t u, uint32_t face);

static void
edges_grow(struct wrap *wrap)
{
    uint32_t n = wrap->slots;
    uint64_t *key = wrap->key;
    uint32_t *face = wrap->edge_face;
    wrap->slots = n ? 2 * n : 64;
    wrap->key = NEW_N(wrap->a, uint64_t, wrap->slots);
    wrap->edge_face = NEW_N(wrap->a, uint32_t, wrap->slots);
    wrap->edges = 0;
    for (uint32_t i = 0; i < n; i++)
        if (key[i])
            edge_put(wrap, (uint32_t)((key[i] - 1) / wrap->n),
                     (uint32_t)((key[i] - 1) % wrap->n), face[i]);
}

static void
edge_put(struct wrap *wrap, uint32_t v, uint32_t u, uint32_t face)
{
    if (2 * (wrap->edges + 1) > wrap->slots)
        edges_grow(wrap);
    uint32_t i = slot_of(wrap, v, u);
    wrap->edges += !wrap->key[i];
    wrap->key[i] = (uint64_t)v * wrap->n + u + 1;
    wrap->edge_face[i] = face;
}

static bool
edge_known(const struct wrap *wrap, uint32_t v, uint32_t u)
{
    return wrap->slots && wrap->key[slot_of(wrap, v, u)] != 0;
}

/* -- faces ---------------------------------------------------------------- */

/* Collects the points within tol of the plane n.x = d in w->in. *over gets the
 * greatest height over the plane, *top that point. */
static uint32_t
in_plane(struct wrap *wrap, const double n[3], double d, double *over,
         uint32_t *top)
{
    uint32_t n_inside = 0;
    *over = 0;
    for (uint32_t i = 0; i < wrap->n; i++) {
        if (wrap->dropped[i])
            continue;
        double h = vec3_dot(n, wrap->p[i]) - d;
        if (fabs(h) <= wrap->tol)
            wrap->in[n_inside++] = i;
        if (h > *over) {
            *over = h;
            *top = i;
        }
    }
    return n_inside;
}

/* Makes normal and offset of the plane through a loop of points (Newell's
 * method). */
static bool
loop_plane(const struct wrap *wrap, const uint32_t *loop, uint32_t count,
           double normal[3], double *offset)
{
    double mid[3] = {0, 0, 0}, sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            mid[k] += wrap->p[loop[i]][k] / count;
    for (uint32_t i = 0; i < count; i++) {
        double a[3], b[3], c[3];
        vec3_sub(wrap->p[loop[i]], mid, a);
        vec3_sub(wrap->p[loop[(i + 1) % count]], mid, b);
        vec3_cross(a, b, c);
        for (int k = 0; k < 3; k++)
            sum[k] += c[k];
    }
    if (!(vec3_normalise(sum) > 0))
        return false;
    memcpy(normal, sum, sizeof sum);
    *offset = vec3_dot(normal, mid);
    return true;
}

/* Makes two unit vectors across n, which are right-handed with it. */
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

/* Finds the corners of the m points in w->in, which lie in the plane with
 * normal n, and puts them in order around it. */
static uint32_t
in_order(struct wrap *wrap, const double n[3], uint32_t m)
{
    double u[3], v[3];
    across(n, u, v);
    for (uint32_t i = 0; i < m; i++) {
        wrap->flat[i][0] = vec3_dot(u, wrap->p[wrap->in[i]]);
        wrap->flat[i][1] = vec3_dot(v, wrap->p[wrap->in[i]]);
    }
    return chain_find(wrap->a, (const double(*)[2])wrap->flat, wrap->in, m,
                      wrap->tol, wrap->chain);
}

enum step { STEP_OK, STEP_AGAIN, STEP_LOST };

/* Drops the points of w->in that are not in the chain of m. STEP_AGAIN: a face
 * that has been found uses one of them. */
static enum step
drop_others(struct wrap *wrap, uint32_t in, uint32_t m)
{
    enum step step = STEP_OK;
    for (uint32_t i = 0; i < in; i++) {
        bool found = false;
        for (uint32_t k = 0; k < m && !found; k++)
            found = wrap->chain[k] == wrap->in[i];
        if (found)
            continue;
        wrap->dropped[wrap->in[i]] = true;
        for (uint32_t k = 0; k < wrap->n_loop; k++)
            if (wrap->loop[k] == wrap->in[i])
                step = STEP_AGAIN;
    }
    return step;
}

/* Adds the face that lies about in the plane outward.x = offset, which passes
 * through both ends of an edge. The plane is improved until no point lies over
 * it. */
static enum step
face_add(struct wrap *wrap, double outward[3], double offset)
{
    uint32_t n_inside = 0, in = 0, top = 0;
    for (int pass = 0;; pass++) {
        double over, best[3], off;
        in = in_plane(wrap, outward, offset, &over, &top);
        n_inside = in >= 3 ? in_order(wrap, outward, in) : 0;
        if (n_inside < 3 ||
            !loop_plane(wrap, wrap->chain, n_inside, best, &off))
            return STEP_LOST;
        double change = 1 - vec3_dot(best, outward);
        memcpy(outward, best, sizeof best);
        offset = off;
        if (pass > 0 && change <= 4 * DBL_EPSILON && over <= wrap->tol)
            break;
        if (pass == 6) {
            if (over > wrap->tol)
                return STEP_LOST;
            break;
        }
    }
    enum step step = drop_others(wrap, in, n_inside);
    if (step != STEP_OK)
        return step;
    if (wrap->n_face + 2 > wrap->face_cap) {
        uint32_t cap = wrap->face_cap ? 2 * wrap->face_cap : 16;
        uint32_t *first = NEW_N(wrap->a, uint32_t, cap + 1);
        double(*normal)[3] = arena_alloc(wrap->a, cap * sizeof *normal);
        if (wrap->n_face) {
            memcpy(first, wrap->first, (wrap->n_face + 1) * sizeof *first);
            memcpy(normal, wrap->normal, wrap->n_face * sizeof *normal);
        }
        wrap->first = first;
        wrap->normal = normal;
        wrap->face_cap = cap;
    }
    if (wrap->n_loop + n_inside > wrap->loop_cap) {
        uint32_t cap = 2 * (wrap->n_loop + n_inside) + 64;
        uint32_t *loop = NEW_N(wrap->a, uint32_t, cap);
        if (wrap->n_loop)
            memcpy(loop, wrap->loop, wrap->n_loop * sizeof *loop);
        wrap->loop = loop;
        wrap->loop_cap = cap;
    }
    for (uint32_t i = 0; i < n_inside; i++) {
        uint32_t v = wrap->chain[i], u = wrap->chain[(i + 1) % n_inside];
        if (edge_known(wrap, v, u))
            return STEP_LOST;
        edge_put(wrap, v, u, wrap->n_face);
        wrap->loop[wrap->n_loop++] = v;
    }
    memcpy(wrap->normal[wrap->n_face], outward, sizeof wrap->normal[0]);
    wrap->first[++wrap->n_face] = wrap->n_loop;
    return STEP_OK;
}

/* Finds the plane across an edge, which goes from `first` to `second` of a face
 * with normal n on its left. It passes through the point that is farthest
 * around the edge. Points on the line of the edge have no angle. */
static bool
pivot(const struct wrap *wrap, uint32_t first, uint32_t second,
      const double n[3], double out[3], double *offset)
{
    double e[3], left[3], up[3], ca = 0, sa = -1;
    oom_look();
    vec3_sub(wrap->p[second], wrap->p[first], e);
    if (!(vec3_normalise(e) > 0))
        return false;
    vec3_cross(n, e, left);
    vec3_normalise(left);
    vec3_cross(e, left, up);
    bool any = false;
    for (uint32_t i = 0; i < wrap->n; i++) {
        if (wrap->dropped[i] || i == first || i == second)
            continue;
        double s[3];
        vec3_sub(wrap->p[i], wrap->p[first], s);
        double cosine = vec3_dot(s, left), sine = -vec3_dot(s, up);
        double r = hypot(cosine, sine);
        if (r <= 2 * wrap->tol)
            continue;
        /* By rounding, points of the face itself may lie under or over its
         * plane. */
        if (sine <= wrap->tol && cosine > 0)
            sine = 0;
        cosine /= r;
        sine /= r;
        if (!any || ca * sine - sa * cosine > 0) {
            ca = cosine;
            sa = sine;
            any = true;
        }
    }
    for (int k = 0; k < 3; k++)
        out[k] = -sa * left[k] - ca * up[k];
    vec3_normalise(out);
    *offset =
        0.5 * (vec3_dot(out, wrap->p[first]) + vec3_dot(out, wrap->p[second]));
    return any;
}

/* Finds a first face, over an edge of the hull of the projections along z. */
static enum step
first_face(struct wrap *wrap)
{
    uint32_t m = 0;
    for (uint32_t i = 0; i < wrap->n; i++)
        if (!wrap->dropped[i]) {
            wrap->flat[m][0] = wrap->p[i][0];
            wrap->flat[m][1] = wrap->p[i][1];
            wrap->in[m++] = i;
        }
    m = chain_find(wrap->a, (const double(*)[2])wrap->flat, wrap->in, m,
                   wrap->tol, wrap->chain);
    if (m < 3)
        return STEP_LOST;
    uint32_t start = wrap->chain[0], b = wrap->chain[1];
    const double *p = wrap->p[start], *q = wrap->p[b];
    double normal[3] = {q[1] - p[1], p[0] - q[0], 0}, over, distance;
    vec3_normalise(normal);
    /* Of the points over that edge the plane needs two that lie far apart. */
    uint32_t top, in = in_plane(wrap, normal, vec3_dot(normal, p), &over, &top);
    if (in >= 3 && in_order(wrap, normal, in) >= 3)
        return face_add(wrap, normal, vec3_dot(normal, p));
    /* Only an edge of the hull, or a part of one, lies there. Which side the
     * inside is on does not matter, because the plane along z has all points on
     * one side. */
    if (!pivot(wrap, start, b, normal, normal, &distance))
        return STEP_LOST;
    return face_add(wrap, normal, distance);
}

static enum step
wrap_all(struct wrap *wrap)
{
    wrap->n_face = wrap->n_loop = wrap->edges = 0;
    if (wrap->slots)
        memset(wrap->key, 0, wrap->slots * sizeof *wrap->key);
    enum step step = first_face(wrap);
    for (uint32_t f = 0; f < wrap->n_face && step == STEP_OK; f++) {
        uint32_t lo = wrap->first[f], hi = wrap->first[f + 1];
        for (uint32_t i = lo; i < hi && step == STEP_OK; i++) {
            uint32_t v = wrap->loop[i], u = wrap->loop[i + 1 < hi ? i + 1 : lo];
            double n[3], d;
            if (edge_known(wrap, u, v))
                continue;
            if (!pivot(wrap, v, u, wrap->normal[f], n, &d))
                return STEP_LOST;
            step = face_add(wrap, n, d);
            if (step == STEP_OK && !edge_known(wrap, u, v))
                step = STEP_LOST;
        }
        /* By Euler's formula there are no more than 2 n - 4 faces. */
        if (wrap->n_face > 2 * wrap->n)
            return STEP_LOST;
    }
    return step;
}

/* Is the surface closed? Then every edge occurs twice, and v - e + f = 2. */
static bool
closed(const struct wrap *wrap, bool *corner)
{
    uint32_t v = 0;
    for (uint32_t i = 0; i < wrap->n_loop; i++)
        corner[wrap->loop[i]] = true;
    for (uint32_t i = 0; i < wrap->n; i++)
        v += corner[i];
    return wrap->n_loop % 2 == 0 && v + wrap->n_face == wrap->n_loop / 2 + 2;
}

/* -- both ----------------------------------------------------------------- */

/* Do all points lie in one plane? The widest triangle spans it. */
static bool
one_plane(const struct wrap *wrap)
{
    uint32_t far[2] = {0, 0};
    double best = 0, edge[3], normal[3] = {0, 0, 0};
    for (uint32_t i = 1; i < wrap->n; i++) {
        double arm[3];
        vec3_sub(wrap->p[i], wrap->p[0], arm);
        if (vec3_dot(arm, arm) > best) {
            best = vec3_dot(arm, arm);
            far[0] = i;
        }
    }
    vec3_sub(wrap->p[far[0]], wrap->p[0], edge);
    if (!(vec3_normalise(edge) > 0))
        return true;
    best = 0;
    for (uint32_t i = 1; i < wrap->n; i++) {
        double arm[3], c[3];
        vec3_sub(wrap->p[i], wrap->p[0], arm);
        vec3_cross(edge, arm, c);
        if (vec3_dot(c, c) > best) {
            best = vec3_dot(c, c);
            memcpy(normal, c, sizeof normal);
        }
    }
    if (wrap->dim == 2 || !(sqrt(best) > 4 * wrap->tol))
        return !(sqrt(best) > 4 * wrap->tol);
    vec3_normalise(normal);
    best = 0;
    for (uint32_t i = 1; i < wrap->n; i++) {
        double arm[3];
        vec3_sub(wrap->p[i], wrap->p[0], arm);
        best = fmax(best, fabs(vec3_dot(normal, arm)));
    }
    return !(best > 4 * wrap->tol);
}

/* Scales the coordinates to extents of 1. False: in some direction the points
 * have no extent. */
static bool
rescale(struct wrap *wrap, const double (*points)[3])
{
    double lo[3], hi[3], big = 0, least = INFINITY;
    memcpy(lo, points[0], sizeof lo);
    memcpy(hi, points[0], sizeof hi);
    for (uint32_t i = 1; i < wrap->n; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], points[i][k]);
            hi[k] = fmax(hi[k], points[i][k]);
        }
    for (int k = 0; k < wrap->dim; k++) {
        big = fmax(big, fmax(fabs(lo[k]), fabs(hi[k])));
        least = fmin(least, hi[k] - lo[k]);
    }
    if (!(least > 0) || !isfinite(big))
        return false;
    wrap->tol = fmax(HULL_FLATNESS, HULL_ROUNDING * big / least);
    if (wrap->tol > HULL_TOO_FLAT)
        return false;
    for (uint32_t i = 0; i < wrap->n; i++)
        for (int k = 0; k < wrap->dim; k++)
            wrap->p[i][k] =
                (points[i][k] - 0.5 * (lo[k] + hi[k])) / (hi[k] - lo[k]);
    return true;
}

static bool
same_points(const struct wrap *wrap, uint32_t same[2])
{
    struct sorter *sorted = NEW_N(wrap->a, struct sorter, wrap->n);
    for (uint32_t i = 0; i < wrap->n; i++)
        sorted[i] = (struct sorter){wrap->p[i][0], 0, i};
    qsort(sorted, wrap->n, sizeof *sorted, by_place);
    for (uint32_t i = 0; i < wrap->n; i++)
        for (uint32_t k = i + 1;
             k < wrap->n && sorted[k].x - sorted[i].x <= wrap->tol; k++) {
            double d[3];
            vec3_sub(wrap->p[sorted[k].i], wrap->p[sorted[i].i], d);
            if (vec3_dot(d, d) > wrap->tol * wrap->tol)
                continue;
            same[0] = sorted[i].i < sorted[k].i ? sorted[i].i : sorted[k].i;
            same[1] = sorted[i].i < sorted[k].i ? sorted[k].i : sorted[i].i;
            return true;
        }
    return false;
}

static enum hull_fault
plane_hull(struct wrap *wrap, struct hull *out)
{
    for (uint32_t i = 0; i < wrap->n; i++) {
        wrap->flat[i][0] = wrap->p[i][0];
        wrap->flat[i][1] = wrap->p[i][1];
        wrap->in[i] = i;
    }
    uint32_t m = chain_find(wrap->a, (const double(*)[2])wrap->flat, wrap->in,
                            wrap->n, wrap->tol, wrap->chain);
    if (m < 3)
        return HULL_FLAT;
    out->n_face = 1;
    out->first = NEW_N(wrap->a, uint32_t, 2);
    out->first[1] = m;
    out->loop = arena_copy(wrap->a, wrap->chain, m * sizeof *wrap->chain);
    for (uint32_t i = 0; i < m; i++)
        out->corner[wrap->chain[i]] = true;
    return HULL_OK;
}

enum hull_fault
hull_find(struct arena *arena, int dim, const double (*points)[3],
          uint32_t n_point, struct hull *out)
{
    assert(dim == 2 || dim == 3);
    assert(points != NULL && out != NULL);
    struct wrap wrap = {.a = arena, .dim = dim, .n = n_point};
    memset(out, 0, sizeof *out);
    out->dim = dim;
    out->corner = NEW_N(arena, bool, n_point + 1);
    if (n_point < (uint32_t)dim + 1)
        return HULL_FLAT;
    wrap.p = arena_alloc(arena, n_point * sizeof *wrap.p);
    wrap.flat = arena_alloc(arena, n_point * sizeof *wrap.flat);
    wrap.dropped = NEW_N(arena, bool, n_point);
    wrap.in = NEW_N(arena, uint32_t, n_point);
    wrap.chain = NEW_N(arena, uint32_t, 2 * (size_t)n_point + 2);
    if (!rescale(&wrap, points))
        return HULL_FLAT;
    if (same_points(&wrap, out->bad))
        return HULL_SAME;
    if (one_plane(&wrap))
        return HULL_FLAT;
    if (dim == 2)
        return plane_hull(&wrap, out);
    /* Faces that are a little wider than tol may count as faces of their own,
     * or as parts of their neighbours, when tol is smaller or greater. Every
     * hull that closes is right within its own tol, so several values of tol
     * are tried. */
    static const double more[] = {1, 0.125, 8, 0.015625, 64, 512};
    const double tol = wrap.tol;
    for (size_t t = 0; t < sizeof more / sizeof *more; t++) {
        enum step step = STEP_AGAIN;
        wrap.tol = tol * more[t];
        memset(wrap.dropped, 0, n_point * sizeof *wrap.dropped);
        memset(out->corner, 0, n_point * sizeof *out->corner);
        /* Every round but the last drops a point, so there are at most n + 1.
         */
        for (uint32_t round = 0; round <= n_point && step == STEP_AGAIN;
             round++)
            step = wrap_all(&wrap);
        if (step != STEP_OK || !closed(&wrap, out->corner))
            continue;
        out->n_face = wrap.n_face;
        out->first = wrap.first;
        out->loop = wrap.loop;
        return HULL_OK;
    }
    return HULL_LOST;
}
