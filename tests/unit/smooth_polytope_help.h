/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A smooth body and a random convex polytope, whose faces are found here by
 * brute force, in random poses (runtime/gap/smooth_polytope.c). */
#ifndef SMOOTH_POLYTOPE_HELP_H
#define SMOOTH_POLYTOPE_HELP_H

#include "rt_fixture.h"

#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/gap/smooth_polytope_priv.h"

static const double unit_inertia[3] = {1.0, 1.0, 1.0};

/* -- polytopes ------------------------------------------------------------ */

#define PT_V 64
#define PT_F 256
struct pt {
    struct polytope p;
    double vertex[PT_V][3];
    struct polytope_face face[PT_F];
    struct polytope_edge edge[PT_F];
    uint32_t loop[4 * PT_F], at[PT_V + 1], around[4 * PT_F];
};

static inline void
cross(const double a[3], const double b[3], double r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void
unit(double *a)
{
    double l = vec3_norm(a);
    for (int i = 0; i < 3; i++)
        a[i] /= l;
}

/* face n.x = d of the hull with the given vertices, put in order around n */
static inline void
add_face(struct pt *t, const double n[3], double d, uint32_t *v, uint32_t m)
{
    struct polytope_face *f = &t->face[t->p.n_face];
    double mid[3] = {0, 0, 0}, a[3], b[3], angle[PT_V];
    for (uint32_t i = 0; i < m; i++)
        for (int j = 0; j < 3; j++)
            mid[j] += t->vertex[v[i]][j] / m;
    for (int j = 0; j < 3; j++)
        a[j] = t->vertex[v[0]][j] - mid[j];
    cross(n, a, b);
    for (uint32_t i = 0; i < m; i++) {
        double w[3];
        for (int j = 0; j < 3; j++)
            w[j] = t->vertex[v[i]][j] - mid[j];
        angle[i] = atan2(vec3_dot(w, b), vec3_dot(w, a));
    }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1; j < m; j++)
            if (angle[j] < angle[i]) {
                double x = angle[i];
                uint32_t y = v[i];
                angle[i] = angle[j], angle[j] = x;
                v[i] = v[j], v[j] = y;
            }
    memcpy(f->n, n, sizeof f->n);
    f->d = d;
    f->first = t->p.n_face ? f[-1].first + f[-1].count : 0;
    f->count = m;
    memcpy(t->loop + f->first, v, m * sizeof *v);
    t->p.n_face++;
}

/* vertices m, ..: all are corners of the hull, the origin lies inside */
static inline void
make_polytope(struct pt *t, int d)
{
    uint32_t m = t->p.n_vertex;
    t->p.dim = d;
    t->p.vertex = t->vertex;
    t->p.face = t->face;
    t->p.edge = t->edge;
    t->p.loop = t->loop;
    t->p.at = t->at;
    t->p.around = t->around;
    t->p.n_face = t->p.n_edge = 0;
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1; j < m; j++)
            for (uint32_t k = d == 2 ? j : j + 1; k < (d == 2 ? j + 1 : m);
                 k++) {
                double e[3], w[3], n[3], h;
                for (int c = 0; c < 3; c++) {
                    e[c] = t->vertex[j][c] - t->vertex[i][c];
                    w[c] = d == 2 ? c == 2 : t->vertex[k][c] - t->vertex[i][c];
                }
                cross(e, w, n);
                if (vec3_norm(n) < 1e-12)
                    continue;
                unit(n);
                h = vec3_dot(n, t->vertex[i]);
                if (h < 0.0) {
                    h = -h;
                    for (int c = 0; c < 3; c++)
                        n[c] = -n[c];
                }
                uint32_t on[PT_V], many = 0;
                bool good = true;
                for (uint32_t v = 0; v < m; v++) {
                    double x = vec3_dot(n, t->vertex[v]) - h;
                    good = good && x < 1e-9;
                    if (fabs(x) < 1e-9)
                        on[many++] = v;
                }
                for (uint32_t f = 0; f < t->p.n_face; f++)
                    good = good && vec3_dot(t->face[f].n, n) < 1.0 - 1e-12;
                if (good)
                    add_face(t, n, h, on, many);
            }
    /* edges: pairs of faces that share two vertices */
    for (uint32_t f = 0; f < t->p.n_face && d == 3; f++)
        for (uint32_t i = 0; i < t->face[f].count; i++) {
            uint32_t a = t->loop[t->face[f].first + i];
            uint32_t b = t->loop[t->face[f].first + (i + 1) % t->face[f].count];
            for (uint32_t g = f + 1; g < t->p.n_face; g++)
                for (uint32_t j = 0; j < t->face[g].count; j++) {
                    uint32_t c = t->loop[t->face[g].first + j];
                    uint32_t e =
                        t->loop[t->face[g].first + (j + 1) % t->face[g].count];
                    if (c != b || e != a)
                        continue;
                    struct polytope_edge *q = &t->edge[t->p.n_edge++];
                    *q = (struct polytope_edge){.v = {a, b}, .face = {f, g}};
                    for (int k = 0; k < 3; k++)
                        q->dir[k] = t->vertex[b][k] - t->vertex[a][k];
                    unit(q->dir);
                }
        }
    uint32_t n = 0;
    t->p.radius = 0.0;
    for (uint32_t v = 0; v < m; v++) {
        t->p.radius = fmax(t->p.radius, vec3_norm(t->vertex[v]));
        t->at[v] = n;
        for (uint32_t f = 0; f < t->p.n_face; f++)
            for (uint32_t i = 0; i < t->face[f].count; i++)
                if (t->loop[t->face[f].first + i] == v)
                    t->around[n++] = f;
    }
    t->at[m] = n;
}

/* corners on an ellipsoid (all are corners of the hull), or a box */
static inline void
random_polytope(struct pt *t, int d, uint64_t *seed)
{
    double a[3];
    bool box = fix_rand(seed) < 0.3;
    for (int i = 0; i < 3; i++)
        a[i] = fix_between(seed, 0.4, 2.0);
    for (;;) {
        bool inside = true;
        t->p.n_vertex =
            box ? (d == 2 ? 4 : 8)
                : (uint32_t)fix_between(seed, d == 2 ? 3 : 4, d == 2 ? 9 : 14);
        for (uint32_t i = 0; i < t->p.n_vertex; i++) {
            double n[3];
            fix_unit(seed, d, n);
            for (int j = 0; j < 3; j++)
                t->vertex[i][j] =
                    box ? (i >> j & 1 ? a[j] : -a[j]) : n[j] * a[j];
            if (d == 2)
                t->vertex[i][2] = 0.0;
        }
        make_polytope(t, d);
        for (uint32_t f = 0; f < t->p.n_face; f++)
            inside = inside && t->face[f].d > 0.05;
        /* closed surface: Euler */
        if (inside && (d == 2 ? t->p.n_face == t->p.n_vertex
                              : t->p.n_vertex + t->p.n_face == t->p.n_edge + 2))
            return;
    }
}

/* -- pairs ---------------------------------------------------------------- */

struct duo {
    struct fix f;
    uint32_t smooth;
    struct pt t;
};

static inline void
duo_open(struct duo *o, int d, fix_shape s, uint32_t smooth, int fixed)
{
    memset(o, 0, sizeof *o);
    o->smooth = smooth;
    fix_open(&o->f, d, smooth == 0 ? s : NULL, smooth == 0 ? NULL : s, fixed);
    assert_true(rt_contact(o->f.rt, 0)->flags & IMP_CONTACTF_CORNERS);
    assert_int_equal(rt_contact(o->f.rt, 0)->smooth, smooth);
    if (o->f.rt->polytope == NULL)
        o->f.rt->polytope = NEW_N(o->f.rt->own, struct polytope *, 2);
    o->f.rt->polytope[smooth] = NULL;
    o->f.rt->polytope[1 - smooth] = &o->t.p;
}

static inline void
place(struct fix *f, uint64_t *seed, uint32_t b, const double *c)
{
    double *s = fix_state(f, b);
    memset(s, 0, sizeof(double) * (f->d == 2 ? 6 : 13));
    for (int i = 0; i < f->d; i++)
        s[i] = c[i];
    if (f->d == 2) {
        s[2] = fix_between(seed, 0.0, 6.28);
        return;
    }
    double l = 0.0;
    for (int i = 3; i < 7; i++) {
        s[i] = fix_between(seed, -1.0, 1.0);
        l += s[i] * s[i];
    }
    for (int i = 3; i < 7; i++)
        s[i] /= sqrt(l);
}

/* a new pair, far or near: smooth body at `far` sizes from the polytope */
static inline void
duo_case(struct duo *o, uint64_t *seed, const double *a, double R, double far)
{
    struct fix *f = &o->f;
    double n[3], c0[3] = {0.3, -0.2, 0.1}, c1[3];
    random_polytope(&o->t, f->d, seed);
    fix_body(f, o->smooth, a, R, unit_inertia);
    fix_body(f, 1 - o->smooth, a, o->t.p.radius, unit_inertia);
    fix_unit(seed, f->d, n);
    for (int i = 0; i < 3; i++)
        c1[i] = c0[i] + far * (R + o->t.p.radius) * n[i];
    place(f, seed, 0, c0);
    place(f, seed, 1, c1);
    fix_fresh(f, 0.0);
}

/* P on body 0 and Q on body 1, gap and normal between them */
static inline double
residual(struct duo *o, const struct nearest_features *c)
{
    struct smooth_polytope s;
    smooth_polytope_get(o->f.rt, 0, &s);
    const double *A = o->smooth == 0 ? c->P : c->Q;
    const double *B = o->smooth == 0 ? c->Q : c->P;
    double e = 0.0, w[3], x[3], out = -INFINITY;
    for (int i = 0; i < 3; i++)
        e = fmax(e, fabs(c->Q[i] - c->P[i] - c->gap * c->n[i]));
    struct support_point p;
    for (int i = 0; i < 3; i++)
        w[i] = A[i] - s.A.c[i];
    support_rotate_back(&s.A, w, x);
    assert_int_equal(support_level(&s.A, x, &p), SUPPORT_FINE);
    e = fmax(e, fabs(p.G) / p.norm);
    for (int i = 0; i < 3; i++)
        w[i] = B[i] - s.b.c[i];
    support_rotate_back(&s.b, w, x);
    for (uint32_t f = 0; f < s.B->n_face; f++)
        out = fmax(out, vec3_dot(s.B->face[f].n, x) - s.B->face[f].d);
    assert_true(fabs(out) < 1e-8 * s.length); /* in the surface of B */
    return e / (s.length + fabs(c->gap));
}

static inline void
say(struct duo *o, const char *name, int it, int st,
    const struct nearest_features *c)
{
    struct nearest_features again;
    print_message("%s: case %d status %d gap %.17g kinds %d %d\n", name, it, st,
                  c->gap, c->pair.kind[0], c->pair.kind[1]);
    smooth_polytope_closest(o->f.rt, 0, &again, true);
    fix_say(&o->f);
}

#endif
