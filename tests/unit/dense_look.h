/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A second opinion on a simulation of bodies that fly freely between impacts:
 * own formulas for motion and overlap, which share nothing with src/runtime.
 * A flight is followed from a recorded row to the next one. Bodies that are
 * apart by s along some direction cannot meet before s over a bound of their
 * speeds, so the look advances by such times (never by less than LOOK_FLOOR)
 * and sees every overlap that lasts longer than that. */
#ifndef IMP_TESTS_DENSE_LOOK_H
#define IMP_TESTS_DENSE_LOOK_H

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define LOOK_VERTICES 16
#define LOOK_PLANES 64
#define LOOK_EDGES 64
/* shortest step (s) */
#define LOOK_FLOOR 1e-5

enum look_kind {
    LOOK_POLYTOPE, /* the hull of n vertices */
    LOOK_SMOOTH,   /* an ellipse or ellipsoid with these semi-axes */
    LOOK_FLAT      /* the half-plane y <= 0 or half-space z <= 0 */
};
struct look_shape {
    enum look_kind kind;
    int dim, n;
    double vertex[LOOK_VERTICES][3], semi[3];
    double radius; /* of a ball about the mass centre (the origin) */
    /* of a polytope: outward planes through triangles of vertices (space) or
     * pairs (plane), and the directions of edges */
    int n_plane, n_edge;
    struct look_plane {
        int v[3];
        double n[3], d;
    } plane[LOOK_PLANES];
    double edge[LOOK_EDGES][3];
    double mass, inertia[3]; /* principal; in the plane the third */
    bool fixed;
};
struct look_pose {
    double x[3], v[3], q[4], w[3]; /* place, velocity, attitude, spin (world) */
};

/* -- small algebra --------------------------------------------------------- */

static inline double
look_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void
look_cross(const double *a, const double *b, double *out)
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
           z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}
static inline double
look_norm(const double *a)
{
    return sqrt(look_dot(a, a));
}
/* the matrix of a unit quaternion q = (scalar, vector), by rows */
static inline void
look_matrix(const double *q, double R[9])
{
    double a = q[0], b = q[1], c = q[2], d = q[3];
    double M[9] = {a * a + b * b - c * c - d * d, 2 * (b * c - a * d),
                   2 * (b * d + a * c),           2 * (b * c + a * d),
                   a * a - b * b + c * c - d * d, 2 * (c * d - a * b),
                   2 * (b * d - a * c),           2 * (c * d + a * b),
                   a * a - b * b - c * c + d * d};
    memcpy(R, M, sizeof M);
}
static inline void
look_turn(const double R[9], const double *x, double *out)
{
    double y[3];
    for (int i = 0; i < 3; i++)
        y[i] = look_dot(R + 3 * i, x);
    memcpy(out, y, sizeof y);
}
static inline void
look_turn_back(const double R[9], const double *x, double *out)
{
    double y[3];
    for (int i = 0; i < 3; i++)
        y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
    memcpy(out, y, sizeof y);
}

/* -- shapes ---------------------------------------------------------------- */

static inline void
look_add_edge(struct look_shape *s, int a, int b)
{
    double e[3], c[3];
    for (int k = 0; k < 3; k++)
        e[k] = s->vertex[b][k] - s->vertex[a][k];
    double l = look_norm(e);
    for (int i = 0; i < s->n_edge; i++) {
        look_cross(e, s->edge[i], c);
        if (look_norm(c) <= 1e-12 * l)
            return;
    }
    assert(s->n_edge < LOOK_EDGES);
    for (int k = 0; k < 3; k++)
        s->edge[s->n_edge][k] = e[k] / l;
    s->n_edge++;
}

/* planes and edges of the hull, found by trying all pairs or triples */
static inline void
look_hull(struct look_shape *s)
{
    s->n_plane = s->n_edge = 0;
    s->radius = 0;
    for (int i = 0; i < s->n; i++)
        s->radius = fmax(s->radius, look_norm(s->vertex[i]));
    for (int i = 0; i < s->n; i++)
        for (int j = i + 1; j < s->n; j++)
            for (int k = s->dim == 2 ? j : j + 1;
                 k < (s->dim == 2 ? j + 1 : s->n); k++) {
                double a[3], b[3], n[3], hi = -INFINITY, lo = INFINITY;
                for (int m = 0; m < 3; m++) {
                    a[m] = s->vertex[j][m] - s->vertex[i][m];
                    b[m] = s->vertex[k][m] - s->vertex[i][m];
                }
                if (s->dim == 2) {
                    b[0] = b[1] = 0;
                    b[2] = 1;
                }
                look_cross(a, b, n);
                double l = look_norm(n);
                if (!(l > 1e-9 * s->radius * s->radius))
                    continue;
                for (int m = 0; m < 3; m++)
                    n[m] /= l;
                double d = look_dot(n, s->vertex[i]);
                for (int v = 0; v < s->n; v++) {
                    double h = look_dot(n, s->vertex[v]) - d;
                    hi = fmax(hi, h);
                    lo = fmin(lo, h);
                }
                double tol = 1e-10 * s->radius;
                if (hi > tol && lo < -tol)
                    continue;
                double sign = hi > tol ? -1 : 1;
                assert(s->n_plane < LOOK_PLANES);
                struct look_plane *p = &s->plane[s->n_plane++];
                p->v[0] = i;
                p->v[1] = j;
                p->v[2] = k;
                for (int m = 0; m < 3; m++)
                    p->n[m] = sign * n[m];
                p->d = sign * d;
                if (s->dim == 3) {
                    look_add_edge(s, i, j);
                    look_add_edge(s, j, k);
                    look_add_edge(s, i, k);
                }
            }
}

/* -- separation ------------------------------------------------------------ */

/* how far the body reaches along n (world axes) */
static inline double
look_reach(const struct look_shape *s, const struct look_pose *p,
           const double R[9], const double *n)
{
    double m[3], h = -INFINITY;
    look_turn_back(R, n, m);
    if (s->kind == LOOK_SMOOTH) {
        h = 0;
        for (int i = 0; i < s->dim; i++)
            h += s->semi[i] * m[i] * s->semi[i] * m[i];
        h = sqrt(h);
    } else {
        for (int i = 0; i < s->n; i++)
            h = fmax(h, look_dot(m, s->vertex[i]));
    }
    return h + look_dot(n, p->x);
}

/* n.(b) - reach: how far b lies beyond a along n */
static inline double
look_along(const struct look_shape *a, const struct look_pose *pa,
           const double Ra[9], const struct look_shape *b,
           const struct look_pose *pb, const double Rb[9], const double *n)
{
    double back[3] = {-n[0], -n[1], -n[2]};
    return -look_reach(b, pb, Rb, back) - look_reach(a, pa, Ra, n);
}

/* the least distance of the origin from a segment */
static inline double
look_segment(const double *a, const double *b)
{
    double e[3], t = 0, x[3];
    for (int k = 0; k < 3; k++)
        e[k] = b[k] - a[k];
    double l = look_dot(e, e);
    if (l > 0)
        t = fmin(fmax(-look_dot(a, e) / l, 0), 1);
    for (int k = 0; k < 3; k++)
        x[k] = a[k] + t * e[k];
    return look_norm(x);
}

/* distance of the origin from a triangle */
static inline double
look_triangle(const double *a, const double *b, const double *c)
{
    double u[3], v[3], n[3], best;
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    look_cross(u, v, n);
    best =
        fmin(look_segment(a, b), fmin(look_segment(b, c), look_segment(a, c)));
    double l = look_norm(n), x[3], y[3];
    if (!(l > 0))
        return best;
    const double *corner[4] = {a, b, c, a};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            x[k] = corner[i + 1][k] - corner[i][k];
            y[k] = -corner[i][k];
        }
        double z[3];
        look_cross(x, y, z);
        if (look_dot(z, n) < 0)
            return best;
    }
    return fmin(best, fabs(look_dot(n, a)) / l);
}

/* A polytope p and an ellipsoid s: the ellipsoid is mapped to the unit ball,
 * and its distance from the mapped polytope is scaled back by the least
 * semi-axis, which makes a lower bound where they are apart. */
static inline double
look_polytope_smooth(const struct look_shape *p, const struct look_pose *pp,
                     const double Rp[9], const struct look_shape *s,
                     const struct look_pose *ps, const double Rs[9])
{
    double x[LOOK_VERTICES][3], far = -INFINITY, out = INFINITY,
                                least = INFINITY;
    for (int i = 0; i < p->n; i++) {
        look_turn(Rp, p->vertex[i], x[i]);
        for (int k = 0; k < 3; k++)
            x[i][k] += pp->x[k] - ps->x[k];
        look_turn_back(Rs, x[i], x[i]);
        for (int k = 0; k < 3; k++)
            x[i][k] = k < s->dim ? x[i][k] / s->semi[k] : 0;
    }
    for (int k = 0; k < s->dim; k++)
        least = fmin(least, s->semi[k]);
    for (int f = 0; f < p->n_plane; f++) {
        const struct look_plane *plane = &p->plane[f];
        const double *a = x[plane->v[0]], *b = x[plane->v[1]],
                     *c = x[plane->v[2]];
        double u[3], v[3], n[3], hi = -INFINITY;
        for (int k = 0; k < 3; k++) {
            u[k] = b[k] - a[k];
            v[k] = p->dim == 2 ? (k == 2) : c[k] - a[k];
        }
        look_cross(u, v, n);
        double l = look_norm(n), d;
        for (int k = 0; k < 3; k++)
            n[k] /= l;
        d = look_dot(n, a);
        for (int i = 0; i < p->n; i++)
            if (fabs(look_dot(n, x[i]) - d) > fabs(hi) || isinf(hi))
                hi = look_dot(n, x[i]) - d;
        far = fmax(far, hi > 0 ? d : -d); /* origin beyond the plane if > 0 */
        out = fmin(out,
                   p->dim == 2 ? look_segment(a, b) : look_triangle(a, b, c));
    }
    return far > 0 ? (out - 1) * least : -(out + 1) * least;
}

/* The greatest separation over directions that decide it; axis: where to begin,
 * and the best direction found. If the first direction already separates, the
 * others are not tried. */
static inline double
look_apart(const struct look_shape *a, const struct look_pose *pa,
           const struct look_shape *b, const struct look_pose *pb,
           double axis[3])
{
    double Ra[9], Rb[9], best = -INFINITY;
    look_matrix(pa->q, Ra);
    look_matrix(pb->q, Rb);
    if (a->kind == LOOK_FLAT || b->kind == LOOK_FLAT) {
        bool first = a->kind == LOOK_FLAT;
        const struct look_pose *flat = first ? pa : pb;
        double up[3] = {0, a->dim == 2, a->dim == 3}, n[3];
        look_turn(first ? Ra : Rb, up, n);
        double down[3] = {-n[0], -n[1], -n[2]};
        memcpy(axis, first ? n : down, sizeof n);
        return -look_dot(n, flat->x) - (first ? look_reach(b, pb, Rb, down)
                                              : look_reach(a, pa, Ra, down));
    }
    if (a->kind == LOOK_SMOOTH && b->kind == LOOK_POLYTOPE)
        return look_polytope_smooth(b, pb, Rb, a, pa, Ra);
    if (a->kind == LOOK_POLYTOPE && b->kind == LOOK_SMOOTH)
        return look_polytope_smooth(a, pa, Ra, b, pb, Rb);
    assert(a->kind == LOOK_POLYTOPE && b->kind == LOOK_POLYTOPE);
    double e0 = look_norm(axis);
    if (e0 > 0.5 && (best = look_along(a, pa, Ra, b, pb, Rb, axis)) > 1e-3)
        return best;
    best = -INFINITY;
    for (int which = 0; which < 2; which++) {
        const struct look_shape *s = which ? b : a;
        for (int f = 0; f < s->n_plane; f++) {
            double n[3];
            look_turn(which ? Rb : Ra, s->plane[f].n, n);
            for (int k = 0; k < 3 && which; k++)
                n[k] = -n[k];
            double h = look_along(a, pa, Ra, b, pb, Rb, n);
            if (h > best) {
                best = h;
                memcpy(axis, n, sizeof n);
            }
        }
    }
    for (int i = 0; i < a->n_edge && a->dim == 3; i++)
        for (int j = 0; j < b->n_edge; j++) {
            double u[3], v[3], n[3];
            look_turn(Ra, a->edge[i], u);
            look_turn(Rb, b->edge[j], v);
            look_cross(u, v, n);
            double l = look_norm(n);
            if (l < 1e-9)
                continue;
            for (int turn = 0; turn < 2; turn++) {
                for (int k = 0; k < 3; k++)
                    n[k] /= turn ? -1 : l;
                double h = look_along(a, pa, Ra, b, pb, Rb, n);
                if (h > best) {
                    best = h;
                    memcpy(axis, n, sizeof n);
                }
            }
        }
    return best;
}

/* -- motion ---------------------------------------------------------------- */

static inline void
look_rates(const struct look_shape *s, const double *y, double *dy)
{
    /* y: quaternion, spin in body axes */
    const double *q = y, *w = y + 4, *I = s->inertia;
    dy[0] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
    dy[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    dy[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    dy[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        dy[4 + i] = s->dim == 2 ? 0 : (I[j] - I[k]) * w[j] * w[k] / I[i];
    }
}

/* free flight for the time dt under the constant acceleration g */
static inline void
look_fly(const struct look_shape *s, struct look_pose *p, const double *g,
         double dt)
{
    double R[9], y[7], k[4][7], z[7];
    if (s->fixed)
        return;
    for (int i = 0; i < 3; i++) {
        p->x[i] += dt * (p->v[i] + 0.5 * dt * g[i]);
        p->v[i] += dt * g[i];
    }
    look_matrix(p->q, R);
    memcpy(y, p->q, sizeof p->q);
    look_turn_back(R, p->w, y + 4);
    int steps = 1 + (int)(100 * look_norm(p->w) * dt);
    double h = dt / steps;
    for (int n = 0; n < steps; n++) {
        look_rates(s, y, k[0]);
        for (int m = 1; m < 4; m++) {
            for (int i = 0; i < 7; i++)
                z[i] = y[i] + (m == 3 ? h : 0.5 * h) * k[m - 1][i];
            look_rates(s, z, k[m]);
        }
        for (int i = 0; i < 7; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    double l = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
    for (int i = 0; i < 4; i++)
        p->q[i] = y[i] / l;
    look_matrix(p->q, R);
    look_turn(R, y + 4, p->w);
}

/* A bound of the speed at which points of the body move within a time dt; the
 * spin of a free body in space grows at most by the square root of the ratio of
 * its moments. */
static inline double
look_speed(const struct look_shape *s, const struct look_pose *p,
           const double *g, double dt)
{
    double more = 1;
    if (s->fixed)
        return 0;
    if (s->dim == 3)
        more = sqrt(fmax(s->inertia[0], fmax(s->inertia[1], s->inertia[2])) /
                    fmin(s->inertia[0], fmin(s->inertia[1], s->inertia[2])));
    return look_norm(p->v) + dt * look_norm(g) +
           more * look_norm(p->w) * s->radius;
}

struct look_pair {
    int body[2];
    double axis[3];
};
/* Follows all bodies for the time dt and tells the deepest overlap (m) of the
 * pairs, at which time and of which pair. The poses are moved on. */
static inline double
look_flight(const struct look_shape *s, struct look_pose *p, int n_body,
            struct look_pair *pair, int n_pair, const double *g, double dt,
            double *when, int *which)
{
    double now = 0, deepest = 0;
    *when = 0;
    *which = -1;
    for (;;) {
        double step = dt - now, floor = LOOK_FLOOR;
        for (int k = 0; k < n_pair; k++) {
            int a = pair[k].body[0], b = pair[k].body[1];
            double apart = look_apart(&s[a], &p[a], &s[b], &p[b], pair[k].axis);
            if (apart < -deepest) {
                deepest = -apart;
                *when = now;
                *which = k;
            }
            double speed = look_speed(&s[a], &p[a], g, dt - now) +
                           look_speed(&s[b], &p[b], g, dt - now);
            step = fmin(step, fmax(apart / fmax(speed, 1e-300), floor));
        }
        if (!(now < dt))
            return deepest;
        if (now + step > dt - 1e-12)
            step = dt - now;
        for (int i = 0; i < n_body; i++)
            look_fly(&s[i], &p[i], g, step);
        now = step == dt - now ? dt : now + step;
    }
}

#endif
