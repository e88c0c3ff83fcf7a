/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features of polytopes in random poses. Nearest points are proved: P lies in
 * the one body, Q in the other, and the plane across PQ keeps the bodies apart
 * by its length, so that no other points are nearer. Depths are compared with
 * the separation along every normal of faces and pairs of edges. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/numerics/polynomial.h"

#define MOST 16
struct solid {
    struct polytope p;
    double vertex[MOST][3];
    struct polytope_edge edge[3 * MOST];
    struct polytope_face face[2 * MOST];
    uint32_t loop[8 * MOST], at[MOST + 1], around[8 * MOST];
};

static uint64_t seed = 7;
static double
uniform(double lo, double hi)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lo + (hi - lo) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static int
cases(int n)
{
    const char *e = getenv("IMP_TEST_CASES");
    return e ? atoi(e) : n;
}
static double
dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void
cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}
static void
unit(double a[3])
{
    double l = sqrt(dot(a, a));
    for (int i = 0; i < 3; i++)
        a[i] /= l;
}
static void
random_unit(int d, double n[3])
{
    for (int i = 0; i < 3; i++)
        n[i] = i < d ? uniform(-1, 1) : 0.0;
    unit(n);
}

/* everything from vertices and loops of faces */
static void
finish(struct solid *s, int dim, uint32_t nv, uint32_t nf)
{
    s->p.dim = dim;
    s->p.n_vertex = nv;
    s->p.n_face = nf;
    s->p.n_edge = 0;
    s->p.vertex = s->vertex;
    s->p.edge = s->edge;
    s->p.face = s->face;
    s->p.loop = s->loop;
    s->p.at = s->at;
    s->p.around = s->around;
    s->p.radius = 0;
    for (uint32_t v = 0; v < nv; v++)
        s->p.radius = fmax(s->p.radius, sqrt(dot(s->vertex[v], s->vertex[v])));
    uint32_t n = 0;
    for (uint32_t v = 0; v < nv; v++) {
        s->at[v] = n;
        for (uint32_t f = 0; f < nf; f++)
            for (uint32_t k = 0; k < s->face[f].count; k++)
                if (s->loop[s->face[f].first + k] == v)
                    s->around[n++] = f;
    }
    s->at[nv] = n;
    for (uint32_t f = 0; f < nf && dim == 3; f++)
        for (uint32_t g = f + 1; g < nf; g++)
            for (uint32_t k = 0; k < s->face[f].count; k++)
                for (uint32_t m = 0; m < s->face[g].count; m++) {
                    const struct polytope_face *F = s->face + f,
                                               *G = s->face + g;
                    uint32_t a = s->loop[F->first + k];
                    uint32_t b = s->loop[F->first + (k + 1) % F->count];
                    if (s->loop[G->first + m] != b ||
                        s->loop[G->first + (m + 1) % G->count] != a)
                        continue;
                    struct polytope_edge *e = &s->edge[s->p.n_edge++];
                    e->v[0] = a;
                    e->v[1] = b;
                    e->face[0] = f;
                    e->face[1] = g;
                    for (int i = 0; i < 3; i++)
                        e->dir[i] = s->vertex[b][i] - s->vertex[a][i];
                    unit(e->dir);
                }
}

static void
box(struct solid *s, double a, double b, double c)
{
    static const uint32_t l[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                     {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const double half[3] = {a / 2, b / 2, c / 2};
    for (uint32_t v = 0; v < 8; v++)
        for (uint32_t i = 0; i < 3; i++)
            s->vertex[v][i] = v >> i & 1 ? half[i] : -half[i];
    for (uint32_t f = 0; f < 6; f++) {
        struct polytope_face *F = &s->face[f];
        memset(F, 0, sizeof *F);
        F->n[f / 2] = f % 2 ? 1 : -1;
        F->d = half[f / 2];
        F->first = 4 * f;
        F->count = 4;
        memcpy(s->loop + 4 * f, l[f], sizeof l[f]);
    }
    finish(s, 3, 8, 6);
}

/* hull of random points on an ellipsoid: all are corners */
static void
rock(struct solid *s, uint32_t nv)
{
    double axes[3] = {uniform(0.3, 1), uniform(0.3, 1), uniform(0.3, 1)};
    for (uint32_t v = 0; v < nv; v++) {
        random_unit(3, s->vertex[v]);
        for (int i = 0; i < 3; i++)
            s->vertex[v][i] *= axes[i];
    }
    uint32_t nf = 0;
    for (uint32_t a = 0; a < nv; a++)
        for (uint32_t b = 0; b < nv; b++)
            for (uint32_t c = 0; c < nv; c++) {
                double u[3], w[3], n[3], most = -INFINITY;
                if (a == b || a == c || b == c || a > b || a > c)
                    continue;
                for (int i = 0; i < 3; i++) {
                    u[i] = s->vertex[b][i] - s->vertex[a][i];
                    w[i] = s->vertex[c][i] - s->vertex[a][i];
                }
                cross(u, w, n);
                unit(n);
                double d = dot(n, s->vertex[a]);
                for (uint32_t v = 0; v < nv; v++)
                    if (v != a && v != b && v != c)
                        most = fmax(most, dot(n, s->vertex[v]));
                if (most >= d)
                    continue;
                struct polytope_face *F = &s->face[nf];
                memcpy(F->n, n, sizeof n);
                F->d = d;
                F->first = 3 * nf;
                F->count = 3;
                s->loop[3 * nf] = a;
                s->loop[3 * nf + 1] = b;
                s->loop[3 * nf + 2] = c;
                nf++;
            }
    assert_int_equal(nf, 2 * nv - 4);
    finish(s, 3, nv, nf);
}

static void
polygon(struct solid *s, uint32_t nv)
{
    double a = uniform(0.3, 1), b = uniform(0.3, 1), from = uniform(0, 6);
    for (uint32_t v = 0; v < nv; v++) {
        double phi = from + 6.283185307179586 * (v + uniform(0.1, 0.9)) / nv;
        s->vertex[v][0] = a * cos(phi);
        s->vertex[v][1] = b * sin(phi);
        s->vertex[v][2] = 0;
    }
    for (uint32_t v = 0; v < nv; v++) {
        struct polytope_face *F = &s->face[v];
        const double *p = s->vertex[v], *q = s->vertex[(v + 1) % nv];
        F->n[0] = q[1] - p[1];
        F->n[1] = p[0] - q[0];
        F->n[2] = 0;
        unit(F->n);
        F->d = dot(F->n, p);
        F->first = 2 * v;
        F->count = 2;
        s->loop[2 * v] = v;
        s->loop[2 * v + 1] = (v + 1) % nv;
    }
    finish(s, 2, nv, nv);
}

static void
ground(struct solid *s, int dim)
{
    memset(s, 0, sizeof *s);
    s->p.dim = dim;
    s->p.n_face = 1;
    s->p.face = s->face;
    s->p.radius = INFINITY;
    random_unit(dim, s->face[0].n);
    s->face[0].d = uniform(-1, 1);
}

static void
shape(struct solid *s, int dim)
{
    if (dim == 2)
        polygon(s, 3 + (uint32_t)uniform(0, 6));
    else if (uniform(0, 1) < 0.4)
        box(s, uniform(0.2, 2), uniform(0.2, 2), uniform(0.2, 2));
    else
        rock(s, 4 + (uint32_t)uniform(0, 7));
}

static void
rotation(int dim, double R[9])
{
    double q[4] = {uniform(-1, 1), 0, 0, uniform(-1, 1)}, l;
    if (dim == 3) {
        q[1] = uniform(-1, 1);
        q[2] = uniform(-1, 1);
    }
    l = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] /= l;
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),
                         2 * (x * z + w * y),     2 * (x * y + w * z),
                         1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),
                         1 - 2 * (x * x + y * y)};
    memcpy(R, m, sizeof m);
}

struct pose_of {
    struct solid a, b;
    struct polytope_scene s;
    double point[MOST][3];
};

static void
place(struct pose_of *o, int dim, double away)
{
    memset(&o->s, 0, sizeof o->s);
    o->s.dim = dim;
    o->s.p[0] = &o->a.p;
    o->s.p[1] = &o->b.p;
    o->s.point = o->point;
    random_unit(dim, o->s.c);
    for (int i = 0; i < 3; i++)
        o->s.c[i] *= away;
    rotation(dim, o->s.R);
    polytope_scene_place(&o->s);
}

/* how far x (axes of body 0) is outside of body b */
static double
outside(const struct polytope_scene *s, int b, const double x[3])
{
    double y[3], d[3], most = -INFINITY;
    for (int i = 0; i < 3; i++)
        d[i] = x[i] - s->c[i];
    for (int i = 0; i < 3; i++)
        y[i] = b == 0
                   ? x[i]
                   : s->R[i] * d[0] + s->R[3 + i] * d[1] + s->R[6 + i] * d[2];
    for (uint32_t f = 0; f < s->p[b]->n_face; f++)
        most = fmax(most, dot(s->p[b]->face[f].n, y) - s->p[b]->face[f].d);
    return most;
}

/* separation by all vertices, written anew */
static double
sigma(const struct polytope_scene *s, const double n[3])
{
    double lo = INFINITY, hi = -INFINITY;
    for (uint32_t v = 0; v < s->p[0]->n_vertex; v++)
        hi = fmax(hi, dot(n, s->p[0]->vertex[v]));
    for (uint32_t v = 0; v < s->p[1]->n_vertex; v++)
        lo = fmin(lo, dot(n, s->point[v]));
    return lo - hi;
}

/* The greatest separation along the normals of faces. */
static double
deepest_of_faces(const struct polytope_scene *s)
{
    double best = -INFINITY;
    for (int b = 0; b < 2; b++)
        for (uint32_t f = 0; f < s->p[b]->n_face; f++) {
            const double *m = s->p[b]->face[f].n;
            double n[3];
            for (int i = 0; i < 3; i++)
                n[i] = b == 0 ? m[i] : -dot(s->R + 3 * i, m);
            best = fmax(best, sigma(s, n));
        }
    return best;
}

static double
deepest(const struct polytope_scene *s)
{
    double best = deepest_of_faces(s), n[3];
    for (uint32_t i = 0; i < s->p[0]->n_edge; i++)
        for (uint32_t j = 0; j < s->p[1]->n_edge; j++) {
            double w[3];
            for (int k = 0; k < 3; k++)
                w[k] = dot(s->R + 3 * k, s->p[1]->edge[j].dir);
            cross(s->p[0]->edge[i].dir, w, n);
            if (!(dot(n, n) > 1e-12))
                continue;
            unit(n);
            best = fmax(best, sigma(s, n));
            for (int k = 0; k < 3; k++)
                n[k] = -n[k];
            best = fmax(best, sigma(s, n));
        }
    return best;
}

static void
check(const struct polytope_scene *s, const struct nearest_features *o, int it)
{
    double tol = 2e-15 * s->size, d[3], n[3];
    for (int i = 0; i < 3; i++) {
        d[i] = o->Q[i] - o->P[i];
        n[i] = o->n[i];
    }
    bool bad = fabs(dot(n, n) - 1) > 1e-14;
    /* the direction of two points rounds as they do over their distance */
    double lean = o->gap > 0 ? 1 + s->size / o->gap : 1;
    bad = bad || fabs(sigma(s, n) - o->gap) > 4 * tol * lean;
    if (o->gap > 0) {
        bad = bad || outside(s, 0, o->P) > 4 * tol ||
              outside(s, 1, o->Q) > 4 * tol;
        bad = bad || fabs(sqrt(dot(d, d)) - o->gap) > 4 * tol;
    } else {
        bad = bad || fabs(deepest(s) - o->gap) > 4 * tol;
    }
    if (bad)
        fail_msg("case %d: gap %.17g, sigma %.17g, |PQ| %.17g, outside %g %g, "
                 "depth %.17g, features %d %d",
                 it, o->gap, sigma(s, n), sqrt(dot(d, d)), outside(s, 0, o->P),
                 outside(s, 1, o->Q), deepest(s), o->pair.kind[0],
                 o->pair.kind[1]);
}

/* touching: body 1 moved along n so that the gap is almost nothing */
static void
nearest(void **state)
{
    (void)state;
    int n = cases(3000);
    unsigned seen[3][3] = {{0}};
    for (int it = 0; it < n; it++) {
        struct pose_of o;
        struct nearest_features c, w;
        int dim = it % 3 ? 3 : 2;
        shape(&o.a, dim);
        shape(&o.b, dim);
        place(&o, dim, it % 7 ? uniform(0, 3) : uniform(0, 100));
        nearest_features_find(&o.s, NULL, &c);
        check(&o.s, &c, it);
        if (c.gap > 0)
            seen[c.pair.kind[0]][c.pair.kind[1]]++;
        /* nearer and nearer, from the features before */
        for (int k = 0; k < 4; k++) {
            double by = k == 3 ? 1.0 : 0.99;
            for (int i = 0; i < 3; i++)
                o.s.c[i] -= by * c.gap * c.n[i];
            polytope_scene_place(&o.s);
            nearest_features_find(&o.s, &c.pair, &w);
            if (k < 3)
                check(&o.s, &w, it);
            else
                assert_true(fabs(w.gap) < 1e-13 * o.s.size);
            nearest_features_find(&o.s, NULL, &c);
            assert_true(fabs(w.gap - c.gap) < 1e-13 * o.s.size);
        }
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if ((i == FEATURE_FACE) + (j == FEATURE_FACE) < 2 &&
                !(i == FEATURE_FACE && j == FEATURE_EDGE) &&
                !(j == FEATURE_FACE && i == FEATURE_EDGE))
                assert_true(n < 1000 || seen[i][j] > 0);
}

static void
face_centre(const struct solid *s, uint32_t face, double out[3])
{
    const struct polytope_face *f = &s->face[face];
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (uint32_t k = 0; k < f->count; k++)
            out[i] += s->vertex[s->loop[f->first + k]][i] / f->count;
    }
}

/* Turns b so that its face lies on that of a, centre on centre. */
static void
put_face_on_face(struct pose_of *o, uint32_t own, uint32_t other)
{
    const double *n = o->a.face[own].n, *from = o->b.face[other].n;
    double axis[3], to[3] = {-n[0], -n[1], -n[2]}, centre[2][3];
    cross(from, to, axis);
    double cosine = dot(from, to);
    const double K[9] = {0,        -axis[2], axis[1], axis[2], 0,
                         -axis[0], -axis[1], axis[0], 0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double square = 0;
            for (int m = 0; m < 3; m++)
                square += K[3 * i + m] * K[3 * m + k];
            o->s.R[3 * i + k] = (i == k) + K[3 * i + k] + square / (1 + cosine);
        }
    face_centre(&o->a, own, centre[0]);
    face_centre(&o->b, other, centre[1]);
    for (int i = 0; i < 3; i++)
        o->s.c[i] = centre[0][i] - dot(o->s.R + 3 * i, centre[1]);
    polytope_scene_place(&o->s);
}

/* Faces that lie on one another: the gap is rounding, whatever its sign, though
 * corners may be far from each other. */
static void
flat(void **state)
{
    (void)state;
    for (int it = 0; it < cases(3000); it++) {
        struct pose_of o;
        struct nearest_features c, w;
        int dim = it % 3 ? 3 : 2;
        shape(&o.a, dim);
        shape(&o.b, dim);
        place(&o, dim, 1);
        uint32_t own = (uint32_t)uniform(0, o.a.p.n_face);
        uint32_t other = (uint32_t)uniform(0, o.b.p.n_face);
        if (dot(o.a.face[own].n, o.b.face[other].n) > 0.9)
            continue;
        put_face_on_face(&o, own, other);
        nearest_features_find(&o.s, NULL, &c);
        assert_true(fabs(c.gap) < 1e-13 * o.s.size);
        nearest_features_find(&o.s, &c.pair, &w);
        assert_true(fabs(w.gap) < 1e-13 * o.s.size);
    }
}

/* Turns a solid within its own axes. */
static void
turn_solid(struct solid *s, const double R[9])
{
    double x[3];
    for (uint32_t v = 0; v < s->p.n_vertex; v++) {
        memcpy(x, s->vertex[v], sizeof x);
        for (int i = 0; i < 3; i++)
            s->vertex[v][i] = dot(R + 3 * i, x);
    }
    for (uint32_t f = 0; f < s->p.n_face; f++) {
        memcpy(x, s->face[f].n, sizeof x);
        for (int i = 0; i < 3; i++)
            s->face[f].n[i] = dot(R + 3 * i, x);
    }
    finish(s, 3, s->p.n_vertex, s->p.n_face);
}

/* Boxes on one another whose edges are parallel but for a tiny turn: the common
 * normal of such edges, and their nearest points, are rounding, and must not
 * tell a gap. */
static void
nearly_parallel(void **state)
{
    (void)state;
    for (int it = 0; it < cases(20000); it++) {
        struct pose_of o;
        struct nearest_features found;
        double half[2][3], axis[3], turn = pow(10, uniform(-17, -9)),
                                    height = uniform(-1e-10, 1e-10);
        for (int b = 0; b < 2; b++) {
            for (int i = 0; i < 3; i++)
                half[b][i] = uniform(0.1, 1);
            box(b ? &o.b : &o.a, 2 * half[b][0], 2 * half[b][1],
                2 * half[b][2]);
        }
        place(&o, 3, 1);
        random_unit(3, axis);
        double tilt = pow(10, uniform(-10, 0)), own[9], local[3];
        for (int i = 0; i < 3; i++)
            axis[i] *= i < 2 ? tilt * turn : turn;
        for (int i = 0; i < 2; i++)
            local[i] = uniform(-0.98, 0.98) * (half[0][i] + half[1][i]);
        local[2] = half[0][2] + half[1][2] + (it % 2 ? height : 0.0);
        rotation(3, own);
        turn_solid(&o.a, own);
        turn_solid(&o.b, own);
        for (int i = 0; i < 3; i++) {
            double along[3], across[3];
            for (int k = 0; k < 3; k++)
                along[k] = k == i;
            o.s.c[i] = dot(own + 3 * i, local);
            for (int k = 0; k < 3; k++)
                across[k] = dot(own + 3 * k, axis);
            for (int k = 0; k < 3; k++)
                o.s.R[3 * i + k] = along[k];
            o.s.R[3 * i + (i + 1) % 3] = -across[(i + 2) % 3];
            o.s.R[3 * i + (i + 2) % 3] = across[(i + 1) % 3];
        }
        double want = it % 2 ? height : 0.0;
        polytope_scene_place(&o.s);
        nearest_features_find(&o.s, NULL, &found);
        if (!(fabs(found.gap - want) < 4 * turn + 1e-14 * o.s.size))
            fail_msg("case %d: gap %.17g, not %.17g, turned by %g; features "
                     "%d %d",
                     it, found.gap, want, turn, found.pair.kind[0],
                     found.pair.kind[1]);
    }
}

static void
half_space(void **state)
{
    (void)state;
    for (int it = 0; it < 300; it++) {
        struct pose_of o;
        struct nearest_features c;
        int dim = it % 2 ? 3 : 2, b = it / 2 % 2;
        shape(b ? &o.a : &o.b, dim);
        ground(b ? &o.b : &o.a, dim);
        place(&o, dim, uniform(0, 2));
        nearest_features_find(&o.s, NULL, &c);
        const struct solid *s = b ? &o.a : &o.b;
        double n[3], d = o.s.p[b]->face[0].d, least = INFINITY;
        for (int i = 0; i < 3; i++)
            n[i] = b ? dot(o.s.R + 3 * i, o.s.p[1]->face[0].n)
                     : o.s.p[0]->face[0].n[i];
        d += b ? dot(n, o.s.c) : 0;
        for (uint32_t v = 0; v < s->p.n_vertex; v++)
            least = fmin(least, dot(n, b ? s->vertex[v] : o.point[v]) - d);
        assert_true(fabs(least - c.gap) < 1e-15 * o.s.size);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(c.n[i] - (b ? -n[i] : n[i])) < 1e-15);
    }
}

/* the other way round, and moved as one */
static void
exchange(void **state)
{
    (void)state;
    for (int it = 0; it < 1000; it++) {
        struct pose_of o, e;
        struct nearest_features c, x;
        int dim = it % 3 ? 3 : 2;
        shape(&o.a, dim);
        shape(&o.b, dim);
        place(&o, dim, uniform(0, 3));
        nearest_features_find(&o.s, NULL, &c);
        e.a = o.b;
        e.b = o.a;
        place(&e, dim, 1);
        finish(&e.a, dim, e.a.p.n_vertex, e.a.p.n_face);
        finish(&e.b, dim, e.b.p.n_vertex, e.b.p.n_face);
        for (int i = 0; i < 3; i++) {
            e.s.c[i] = -(o.s.R[i] * o.s.c[0] + o.s.R[3 + i] * o.s.c[1] +
                         o.s.R[6 + i] * o.s.c[2]);
            for (int j = 0; j < 3; j++)
                e.s.R[3 * i + j] = o.s.R[3 * j + i];
        }
        polytope_scene_place(&e.s);
        nearest_features_find(&e.s, NULL, &x);
        assert_true(fabs(x.gap - c.gap) < 1e-14 * o.s.size);
    }
}

/* -- series ---------------------------------------------------------------- */

#define ORDER 20

/* body 1 turns about a fixed axis of body 0 and flies straight on */
static void
pose_series(const struct polytope_scene *s, const double v[3],
            const double w[3], struct taylor c[3], struct taylor R[9])
{
    double m[9], next[9];
    memcpy(m, s->R, sizeof m);
    for (int k = 0; k <= ORDER; k++) {
        for (int i = 0; i < 9; i++)
            R[i].c[k] = m[i];
        for (int j = 0; j < 3; j++) {
            const double col[3] = {m[j], m[3 + j], m[6 + j]};
            double t[3];
            cross(w, col, t);
            for (int i = 0; i < 3; i++)
                next[3 * i + j] = t[i] / (k + 1);
        }
        memcpy(m, next, sizeof m);
        for (int i = 0; i < 3; i++)
            c[i].c[k] = k == 0 ? s->c[i] : k == 1 ? v[i] : 0.0;
    }
}

static void
along(void **state)
{
    (void)state;
    int n = cases(1000), used = 0, held = 0;
    for (int it = 0; it < n; it++) {
        struct pose_of o;
        struct polytope_scene later;
        double point[MOST][3], v[3], w[3];
        struct taylor c[3], R[9], gap;
        struct nearest_features now, then;
        int dim = it % 3 ? 3 : 2;
        shape(&o.a, dim);
        shape(&o.b, dim);
        place(&o, dim, uniform(0.5, 2.5));
        random_unit(dim, v);
        for (int i = 0; i < 3; i++)
            w[i] = dim == 3 || i == 2 ? uniform(-1, 1) : 0.0;
        pose_series(&o.s, v, w, c, R);
        nearest_features_find(&o.s, NULL, &now);
        if (!(now.gap > 1e-3))
            continue;
        struct feature_validity t = {.order = ORDER,
                                     .horizon = 0.3,
                                     .slack = 1e-13,
                                     .worst = INFINITY,
                                     .first = INFINITY};
        assert_true(feature_gap_series(&o.s, &now.pair, c, R, &t, &gap));
        assert_true(fabs(gap.c[0] - now.gap) < 1e-14);
        double end = fmin(t.first, 0.3);
        /* the series itself may hold for less */
        for (int k = ORDER - 3; k <= ORDER; k++)
            if (gap.c[k] != 0.0)
                end = fmin(end, pow(1e-14 / fabs(gap.c[k]), 1.0 / k));
        held += t.first > end;
        /* until they touch */
        double touch;
        if (polynomial_below(gap.c, ORDER, 0.0, end, 1e-9, &touch))
            end = touch;
        for (int k = 1; k <= 5; k++) {
            double dt = end * k / 5;
            later = o.s;
            later.point = point;
            for (int i = 0; i < 3; i++)
                later.c[i] = taylor_at(ORDER, &c[i], dt);
            for (int i = 0; i < 9; i++)
                later.R[i] = taylor_at(ORDER, &R[i], dt);
            polytope_scene_place(&later);
            nearest_features_find(&later, NULL, &then);
            if (!(then.gap > 1e-9))
                break;
            used++;
            if (fabs(taylor_at(ORDER, &gap, dt) - then.gap) > 2e-12)
                fail_msg("case %d, time %g of %g: %.17g by the series, "
                         "%.17g; features %d %d",
                         it, dt, end, taylor_at(ORDER, &gap, dt), then.gap,
                         now.pair.kind[0], now.pair.kind[1]);
        }
        /* beyond it other features are nearer, or apart by more */
        if (t.first < 0.29 && t.first <= end) {
            double dt = t.first + 1e-3;
            later = o.s;
            later.point = point;
            for (int i = 0; i < 3; i++)
                later.c[i] = taylor_at(ORDER, &c[i], dt);
            for (int i = 0; i < 9; i++)
                later.R[i] = taylor_at(ORDER, &R[i], dt);
            polytope_scene_place(&later);
            nearest_features_find(&later, NULL, &then);
            assert_true(then.gap < 1e-9 ||
                        memcmp(&then.pair, &now.pair, sizeof now.pair) != 0);
        }
    }
    assert_true(n < 100 || (used > n && held > n / 4));
}

static void
scene_at(const struct polytope_scene *now, const struct taylor c[3],
         const struct taylor R[9], double t, double (*point)[3],
         struct polytope_scene *out)
{
    *out = *now;
    out->point = point;
    for (int i = 0; i < 3; i++)
        out->c[i] = taylor_at(ORDER, &c[i], t);
    for (int i = 0; i < 9; i++)
        out->R[i] = taylor_at(ORDER, &R[i], t);
    polytope_scene_place(out);
}

/* Bodies that overlap: for as long as a pair is told to decide, no face keeps
 * them further apart than its series says, and in the plane that of the pair
 * does. (In space edges may begin to cross on the way, which whoever moves on
 * finds at the end of its step.) */
static void
overlapping(void **state)
{
    (void)state;
    int n = cases(600), used = 0, ends = 0;
    for (int it = 0; it < n; it++) {
        struct pose_of o;
        struct polytope_scene later, soon;
        double point[MOST][3], v[3], w[3], valid;
        struct taylor c[3], R[9], gap;
        struct nearest_features now;
        int dim = it % 3 ? 2 : 3;
        shape(&o.a, dim);
        shape(&o.b, dim);
        place(&o, dim, uniform(0.1, 1.5));
        random_unit(dim, v);
        for (int i = 0; i < 3; i++) {
            v[i] *= uniform(0.1, 3);
            w[i] = dim == 3 || i == 2 ? uniform(-4, 4) : 0.0;
        }
        pose_series(&o.s, v, w, c, R);
        nearest_features_find(&o.s, NULL, &now);
        if (!(now.gap < -1e-3))
            continue;
        scene_at(&o.s, c, R, 1e-7, point, &soon);
        if (!polytope_pair_follow(&o.s, &soon, &now.pair, c, R, ORDER, 0.3,
                                  1e-13, true, &gap, &valid))
            continue;
        assert_true(fabs(gap.c[0] - now.gap) < 1e-14);
        ends += valid < 0.3;
        /* the series itself may hold for less */
        for (int k = ORDER - 3; k <= ORDER; k++)
            if (gap.c[k] != 0.0)
                valid = fmin(valid, pow(1e-14 / fabs(gap.c[k]), 1.0 / k));
        for (int k = 1; k <= 5; k++) {
            double dt = valid * k / 5, by_faces,
                   by_series = taylor_at(ORDER, &gap, dt);
            scene_at(&o.s, c, R, dt, point, &later);
            by_faces = deepest_of_faces(&later);
            used++;
            if (!(by_series > by_faces - 2e-12) ||
                (dim == 2 && !(by_series < by_faces + 2e-12)))
                fail_msg("case %d, time %g of %g: %.17g by the series, "
                         "%.17g; features %d %d",
                         it, dt, valid, by_series, by_faces, now.pair.kind[0],
                         now.pair.kind[1]);
        }
    }
    assert_true(n < 100 || (used > n && ends > n / 8 && ends < n));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest),         cmocka_unit_test(flat),
        cmocka_unit_test(nearly_parallel), cmocka_unit_test(half_space),
        cmocka_unit_test(exchange),        cmocka_unit_test(along),
        cmocka_unit_test(overlapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
