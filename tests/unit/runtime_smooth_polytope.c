/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smooth bodies against random convex polytopes, made here by brute force:
 * nearest points against the nearest point of a polytope to a point (balls)
 * and against dense scans of the separation (all others), far apart to
 * overlapping; series along the motion against nearest points later on. */
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

static void
cross(const double a[3], const double b[3], double r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

static void
unit(double *a)
{
    double l = vec3_norm(a);
    for (int i = 0; i < 3; i++)
        a[i] /= l;
}

/* face n.x = d of the hull with the given vertices, put in order around n */
static void
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
static void
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
static void
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

static void
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

static void
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
static void
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
static double
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

/* distance of the ball's centre from the polytope by the definition */
static double
ball_gap(struct duo *o, double r)
{
    struct smooth_polytope s;
    double y[3], n[3], w[3];
    smooth_polytope_get(o->f.rt, 0, &s);
    smooth_polytope_project(&s, s.c, y, n);
    for (int i = 0; i < 3; i++)
        w[i] = y[i] - s.c[i];
    return vec3_dot(w, n) - r;
}

/* nearest of very many points of the surface: an upper bound of the distance
 * of x; here only to trust smooth_polytope_project */
static double
sampled(const struct polytope *p, const double *x, uint64_t *seed)
{
    double best = INFINITY;
    for (uint32_t f = 0; f < p->n_face; f++)
        for (int it = 0; it < 300; it++) {
            double sum = 0.0, y[3] = {0, 0, 0}, w[3];
            for (uint32_t i = 0; i < p->face[f].count; i++) {
                double k = -log(1.0 - fix_rand(seed));
                sum += k;
                for (int j = 0; j < 3; j++)
                    y[j] += k * p->vertex[p->loop[p->face[f].first + i]][j];
            }
            for (int j = 0; j < 3; j++)
                w[j] = y[j] / sum - x[j];
            best = fmin(best, vec3_norm(w));
        }
    return best;
}

static void
projection(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int d = 2; d <= 3; d++)
        for (int it = 0; it < 60; it++) {
            struct pt t = {0};
            struct smooth_polytope s = {.d = d, .B = &t.p};
            double x[3], y[3], n[3], w[3];
            random_polytope(&t, d, &seed);
            fix_unit(&seed, d, x);
            double far = fix_between(&seed, 0.0, 4.0);
            for (int i = 0; i < 3; i++)
                x[i] *= far;
            smooth_polytope_project(&s, x, y, n);
            for (int i = 0; i < 3; i++)
                w[i] = y[i] - x[i];
            double gap = vec3_dot(w, n), most = -INFINITY;
            for (uint32_t f = 0; f < t.p.n_face; f++)
                most = fmax(most, vec3_dot(t.face[f].n, x) - t.face[f].d);
            assert_true(fabs(fabs(gap) - vec3_norm(w)) < 1e-14 * (1 + far));
            if (most <= 0.0) {
                assert_true(fabs(gap - most) < 1e-14);
                continue;
            }
            double near = sampled(&t.p, x, &seed);
            assert_true(gap <= near + 1e-14 && gap > near - 0.5);
            /* y is in B and all of B lies beyond it */
            for (uint32_t v = 0; v < t.p.n_vertex; v++) {
                double h = 0.0;
                for (int i = 0; i < 3; i++)
                    h += n[i] * (t.vertex[v][i] - y[i]);
                assert_true(h > -1e-14 * (1 + far));
            }
        }
}

static void
say(struct duo *o, const char *name, int it, int st,
    const struct nearest_features *c)
{
    struct nearest_features again;
    print_message("%s: case %d status %d gap %.17g kinds %d %d\n", name, it, st,
                  c->gap, c->pair.kind[0], c->pair.kind[1]);
    smooth_polytope_closest(o->f.rt, 0, &again, true);
    fix_say(&o->f);
}

/* balls: everything is known */
static void
balls(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int cases = fix_cases(2500), kinds[3] = {0};
    double worst = 0.0, wrong = 0.0;
    for (int q = 0; q < 4; q++) {
        struct duo o;
        int d = q < 2 ? 2 : 3;
        duo_open(&o, d, d == 2 ? fix_quadric2 : fix_quadric3, q % 2, 0);
        for (int it = 0; it < cases; it++) {
            double r = exp(fix_between(&seed, -3.0, 1.0));
            double a[4] = {r, r, r, 2.0};
            static const double far[] = {1e3, 2.0, 1.0, 0.6};
            struct nearest_features c;
            duo_case(&o, &seed, a, r, far[it % 4]);
            double want = ball_gap(&o, r);
            int st = smooth_polytope_closest(o.f.rt, 0, &c, false);
            if (st != IMP_OK)
                say(&o, "ball", it, st, &c);
            assert_int_equal(st, IMP_OK);
            if (it % 2 == 1) {
                /* to a touch, or a little overlap */
                double *s = fix_state(&o.f, 1);
                double to = it % 8 < 4 ? 0.0 : -0.04 * fmin(r, 0.2);
                for (int k = 0; k < d; k++)
                    s[k] -= (c.gap - to) * c.n[k];
                if (it & 16)
                    fix_fresh(&o.f, 0.0);
                want = ball_gap(&o, r);
                st = smooth_polytope_closest(o.f.rt, 0, &c, false);
                if (st != IMP_OK)
                    say(&o, "ball", it, st, &c);
                assert_int_equal(st, IMP_OK);
            }
            double size = r + o.t.p.radius + fabs(want);
            wrong = fmax(wrong, fabs(c.gap - want) / size);
            if (fabs(c.gap - want) > 1e-13 * size)
                say(&o, "ball, wrong", it, st, &c);
            assert_true(fabs(c.gap - want) <= 1e-13 * size);
            worst = fmax(worst, residual(&o, &c));
            kinds[c.pair.kind[1 - o.smooth]]++;
        }
        fix_close(&o.f);
    }
    print_message("balls: %d cases (vertex %d, edge %d, face %d), gap off by "
                  "%.1e, residual %.1e\n",
                  4 * cases, kinds[0], kinds[1], kinds[2], wrong, worst);
    assert_true(worst < 1e-13);
    for (int i = 0; i < 3; i++)
        assert_true(kinds[i] * 25 > cases);
}

/* greatest separation over many directions: a lower bound of the gap */
static double
scan(struct duo *o)
{
    struct smooth_polytope s;
    double best = -INFINITY;
    smooth_polytope_get(o->f.rt, 0, &s);
    int many = o->f.d == 2 ? 120 : 200;
    for (int i = 0; i < many + (int)s.B->n_face; i++) {
        double n[3] = {0, 0, 0}, m[3], p[3];
        struct support_point at;
        if (i >= many) {
            for (int j = 0; j < 3; j++)
                n[j] = -s.B->face[i - many].n[j];
        } else if (o->f.d == 2) {
            n[0] = cos(6.283185307179586 * i / many);
            n[1] = sin(6.283185307179586 * i / many);
        } else {
            double z = 1.0 - (2 * i + 1) / (double)many;
            n[0] = sqrt(1 - z * z) * cos(2.399963229728653 * i);
            n[1] = sqrt(1 - z * z) * sin(2.399963229728653 * i);
            n[2] = z;
        }
        smooth_polytope_turn_to_smooth(&s, n, m);
        assert_int_equal(support_find(&s.A, m, 1e-14, false, &at),
                         SUPPORT_FINE);
        smooth_polytope_from_smooth(&s, at.x, p);
        best =
            fmax(best, vec3_dot(n, s.B->vertex[smooth_polytope_vertex(&s, n)]) -
                           vec3_dot(n, p));
    }
    return best;
}

static void
check_shape(const char *name, int d, fix_shape shape, double power,
            double ratio, int cases)
{
    uint64_t seed = 42;
    int flat = 0, done = 0, kinds[3] = {0};
    double worst = 0.0;
    for (uint32_t smooth = 0; smooth < 2; smooth++) {
        struct duo o;
        duo_open(&o, d, shape, smooth, 0);
        for (int it = 0; it < cases; it++) {
            double a[4], R = 0.0, size = exp(fix_between(&seed, -2.5, 0.5));
            for (int i = 0; i < 3; i++) {
                a[i] = size * exp(fix_between(&seed, 0.0, log(ratio)));
                R += i < d ? a[i] * a[i] : 0.0;
            }
            a[3] = power;
            R = 1.8 * sqrt(R);
            static const double fars[] = {1e3, 2.0, 1.01, 1.05, 0.5};
            double far = fars[it % 5];
            struct nearest_features c;
            duo_case(&o, &seed, a, R, far);
            int st = smooth_polytope_closest(o.f.rt, 0, &c, false);
            if (st == IMP_SINGULAR) {
                flat++;
                continue;
            }
            if (st != IMP_OK)
                say(&o, name, it, st, &c);
            assert_int_equal(st, IMP_OK);
            if (it % 5 == 2 || it % 5 == 3) {
                double want = it % 5 == 2 ? 0.0 : -0.01 * size;
                double *s = fix_state(&o.f, 1);
                for (int k = 0; k < d; k++)
                    s[k] -= (c.gap - want) * c.n[k];
                if (it & 4)
                    fix_fresh(&o.f, 0.0);
                st = smooth_polytope_closest(o.f.rt, 0, &c, false);
                if (st == IMP_SINGULAR) {
                    flat++;
                    continue;
                }
                if (st != IMP_OK)
                    say(&o, name, it, st, &c);
                assert_int_equal(st, IMP_OK);
                if (!(c.gap > want - 1e-11 * (R + o.t.p.radius)))
                    say(&o, name, it, st, &c);
                assert_true(c.gap > want - 1e-11 * (R + o.t.p.radius));
            }
            double low = scan(&o);
            if (!(c.gap >= low - 1e-10 * fabs(low) - 1e-12)) {
                print_message("scan %.17g\n", low);
                say(&o, name, it, st, &c);
            }
            assert_true(c.gap >= low - 1e-10 * fabs(low) - 1e-12);
            worst = fmax(worst, residual(&o, &c));
            kinds[c.pair.kind[1 - smooth]]++;
            done++;
        }
        fix_close(&o.f);
    }
    print_message("%-24s %4d pairs (%d %d %d), %d flat, worst residual %.1e\n",
                  name, done, kinds[0], kinds[1], kinds[2], flat, worst);
    assert_true(worst < 1e-13);
    assert_true(flat * 20 <= 2 * cases);
}

static void
many_shapes(void **state)
{
    (void)state;
    int n = fix_cases(30);
    if (n > 500)
        n = 500;
    check_shape("ellipses", 2, fix_quadric2, 2, 3, n);
    check_shape("thin ellipses", 2, fix_quadric2, 2, 30, n);
    check_shape("quartics", 2, fix_super2, 4, 3, n);
    check_shape("power 2.5", 2, fix_super2, 2.5, 3, n);
    check_shape("power 1.6", 2, fix_super2, 1.6, 3, n);
    check_shape("power 8", 2, fix_super2, 8, 2, n);
    check_shape("cosh ovals", 2, fix_exp2, 2, 3, n);
    check_shape("eggs", 2, fix_egg2, 2, 3, n);
    check_shape("exponential of a root", 2, fix_warped2, 2, 3, n);
    check_shape("ellipsoids", 3, fix_quadric3, 2, 3, n);
    check_shape("thin ellipsoids", 3, fix_quadric3, 2, 20, n);
    check_shape("quartics in space", 3, fix_super3, 4, 3, n);
    check_shape("power 2.5 in space", 3, fix_super3, 2.5, 3, n);
    check_shape("off-centre origins", 3, fix_shifted3, 2, 3, n);
    check_shape("logarithm", 3, fix_log3, 2, 3, n);
    check_shape("power 20", 2, fix_super2, 20, 2, n);
    check_shape("power 1.4", 2, fix_super2, 1.4, 2, n);
    check_shape("very thin ellipses", 2, fix_quadric2, 2, 300, n);
    check_shape("very thin ellipsoids", 3, fix_quadric3, 2, 100, n);
}

/* a box of half-edges 1, 0.8, 0.6 */
static void
make_box(struct duo *o)
{
    int d = o->f.d;
    o->t.p.n_vertex = d == 2 ? 4 : 8;
    for (int i = 0; i < (d == 2 ? 4 : 8); i++)
        for (int j = 0; j < 3; j++)
            o->t.vertex[i][j] =
                j < d ? (i >> j & 1 ? 1 : -1) * (1 - 0.2 * j) : 0.0;
    make_polytope(&o->t, d);
}

/* a body over the middle of a face, an edge, a corner of a box, or exactly
 * over the end of one: turned by so little that rounding rules, or not at all
 */
static void
aligned(void **state)
{
    (void)state;
    uint64_t seed = 17;
    static const double tilts[] = {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3};
    static const double powers[] = {2, 4, 2.5, 8};
    int flat = 0, done = 0;
    for (int q = 0; q < 8; q++) {
        struct duo o;
        int d = q < 4 ? 2 : 3;
        double p = powers[q % 4];
        duo_open(&o, d, d == 2 ? fix_super2 : fix_super3, 0, 0);
        make_box(&o);
        for (int it = 0; it < 6 * 27; it++) {
            double a[4] = {0.5, 0.4, 0.3, p}, tilt = tilts[it % 6];
            fix_body(&o.f, 0, a, 1.0, unit_inertia);
            fix_body(&o.f, 1, a, 2.0, unit_inertia);
            double *A = fix_state(&o.f, 0), *B = fix_state(&o.f, 1);
            memset(A, 0, sizeof(double) * (d == 2 ? 6 : 13));
            memset(B, 0, sizeof(double) * (d == 2 ? 6 : 13));
            int place3 = it / 6;
            for (int j = 0; j < d; j++, place3 /= 3)
                A[j] = (place3 % 3 - 1) * (j == d - 1 ? 2.0 : 1 - 0.2 * j);
            A[d - 1] = A[d - 1] == 0.0 ? 2.0 : A[d - 1];
            if (d == 2) {
                A[2] = tilt;
            } else {
                double n[3];
                fix_unit(&seed, 3, n);
                A[3] = B[3] = 1.0;
                for (int j = 0; j < 3; j++)
                    A[4 + j] = 0.5 * tilt * n[j];
                double l = sqrt(1.0 + 0.25 * tilt * tilt);
                for (int j = 3; j < 7; j++)
                    A[j] /= l;
            }
            fix_fresh(&o.f, 0.0);
            struct nearest_features c;
            int st = smooth_polytope_closest(o.f.rt, 0, &c, false);
            if (st != IMP_OK && st != IMP_SINGULAR)
                say(&o, d == 2 ? "aligned 2" : "aligned 3", it, st, &c);
            assert_true(st == IMP_OK || st == IMP_SINGULAR);
            assert_true(st == IMP_OK || p > 2.0);
            /* support points in nearly flat places are told to 1e-12 only */
            double low = scan(&o);
            if (!(c.gap >= low - 1e-11))
                say(&o, "aligned", it, st, &c);
            assert_true(c.gap >= low - 1e-11);
            assert_true(st != IMP_OK || residual(&o, &c) < 1e-13);
            flat += st != IMP_OK;
            done++;
        }
        fix_close(&o.f);
    }
    print_message("aligned: %d cases, %d flat\n", done, flat);
    assert_true(flat > 0);
}

/* which body stands first makes no difference but the sign of n */
static void
order_of_bodies(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; d++) {
        struct duo o[2];
        uint64_t seed = 23;
        for (uint32_t k = 0; k < 2; k++)
            duo_open(&o[k], d, d == 2 ? fix_egg2 : fix_quadric3, k, 0);
        for (int it = 0; it < fix_cases(300); it++) {
            double a[4] = {fix_between(&seed, 0.3, 2),
                           fix_between(&seed, 0.3, 2),
                           fix_between(&seed, 0.3, 2), 2};
            struct nearest_features c[2];
            duo_case(&o[0], &seed, a, 4.0, fix_between(&seed, 0.3, 1.0));
            uint64_t rest = seed;
            duo_case(&o[1], &rest, a, 4.0, 1.0);
            o[1].t = o[0].t;
            make_polytope(&o[1].t, d);
            fix_body(&o[1].f, 0, a, o[0].t.p.radius, unit_inertia);
            for (uint32_t b = 0; b < 2; b++)
                memcpy(fix_state(&o[1].f, b), fix_state(&o[0].f, 1 - b),
                       sizeof(double) * (d == 2 ? 6 : 13));
            fix_fresh(&o[1].f, 0.0);
            for (uint32_t k = 0; k < 2; k++)
                assert_int_equal(
                    smooth_polytope_closest(o[k].f.rt, 0, &c[k], true), IMP_OK);
            assert_true(c[0].gap == c[1].gap);
            for (int i = 0; i < 3; i++) {
                assert_true(c[0].n[i] == -c[1].n[i]);
                assert_true(c[0].P[i] == c[1].Q[i] && c[0].Q[i] == c[1].P[i]);
            }
        }
        fix_close(&o[0].f);
        fix_close(&o[1].f);
    }
}

/* velocities and spins of the case's size */
static void
set_moving(struct duo *o, uint64_t *seed, double speed)
{
    const double I[3] = {1.0, 1.3, 1.7};
    for (uint32_t b = 0; b < 2; b++) {
        double *s = fix_state(&o->f, b), *k = o->f.rt->env;
        k += rt_body(o->f.rt, b)->env_body;
        for (int i = 0; i < 3; i++) {
            k[IMP_BODY_INERTIA + i] = I[i];
            k[IMP_BODY_INVINERTIA + i] = 1.0 / I[i];
        }
        for (int i = o->f.d == 2 ? 3 : 7; i < (o->f.d == 2 ? 6 : 13); i++)
            s[i] = speed * fix_between(seed, -1, 1);
    }
    fix_fresh(&o->f, 0.0);
}

/* time for which the polynomial is the gap to rounding */
static double
trusted(const double *g)
{
    double t = INFINITY;
    for (int k = MOTION_STEP_ORDER - 3; k <= MOTION_STEP_ORDER; k++)
        if (g[k] != 0.0)
            t = fmin(t, exp(log(1e-14 / fabs(g[k])) / k));
    return t;
}

/* the series of a feature holds until `valid`; there its neighbour takes over
 * with the same gap and the same rate */
static void
series(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int cases = fix_cases(80), crossed = 0, steps = 0;
    double worst = 0.0, jump = 0.0;
    for (int q = 0; q < 4; q++) {
        struct duo o;
        int d = q < 2 ? 2 : 3;
        duo_open(&o, d, d == 2 ? fix_egg2 : fix_quadric3, q % 2, 0);
        struct rt *r = o.f.rt;
        for (int it = 0; it < cases; it++) {
            double a[4] = {fix_between(&seed, 0.3, 1),
                           fix_between(&seed, 0.3, 1),
                           fix_between(&seed, 0.3, 1), 2};
            duo_case(&o, &seed, a, 2.0, fix_between(&seed, 0.8, 1.5));
            set_moving(&o, &seed, 1.0);
            for (int step = 0; step < 12; step++, steps++) {
                double g[MOTION_STEP_ORDER + 1], g2[MOTION_STEP_ORDER + 1], h,
                    valid, v2;
                struct nearest_features c;
                double t0 = rt_time(r);
                assert_int_equal(motion_series_all(r, MOTION_STEP_ORDER, &h),
                                 IMP_OK);
                assert_int_equal(smooth_polytope_closest(r, 0, &c, true),
                                 IMP_OK);
                if (c.gap < 0.0)
                    break;
                assert_int_equal(
                    smooth_polytope_series(r, 0, MOTION_STEP_ORDER, g, &valid),
                    IMP_OK);
                assert_true(valid > 0.0);
                assert_true(fabs(g[0] - c.gap) < 1e-14);
                double end = fmin(fmin(h, trusted(g)), 0.5);
                bool cross = valid < end;
                end = fmin(end, valid);
                for (int part = 1; part <= 4; part++) {
                    double dt = end * part / 4.0, want = g[MOTION_STEP_ORDER];
                    for (int k = MOTION_STEP_ORDER - 1; k >= 0; k--)
                        want = want * dt + g[k];
                    assert_int_equal(motion_to(r, t0 + dt), IMP_OK);
                    if (it & 1)
                        memset(r->contact_warm, 0, 1);
                    assert_int_equal(smooth_polytope_closest(r, 0, &c, true),
                                     IMP_OK);
                    worst = fmax(worst, fabs(c.gap - want));
                    if (fabs(c.gap - want) > 1e-12)
                        print_message("case %d step %d part %d: %g %g valid %g "
                                      "end %g off %g\n",
                                      it, step, part, c.gap, want, valid, end,
                                      c.gap - want);
                    assert_true(fabs(c.gap - want) < 1e-12);
                }
                if (!cross)
                    continue;
                /* the next one, from its own series */
                crossed++;
                assert_int_equal(motion_series_all(r, MOTION_STEP_ORDER, &h),
                                 IMP_OK);
                assert_int_equal(
                    smooth_polytope_series(r, 0, MOTION_STEP_ORDER, g2, &v2),
                    IMP_OK);
                double rate = 0.0;
                for (int k = MOTION_STEP_ORDER; k >= 1; k--)
                    rate = rate * end + k * g[k];
                jump = fmax(jump, fabs(rate - g2[1]));
                assert_true(fabs(rate - g2[1]) < 1e-7);
            }
        }
        fix_close(&o.f);
    }
    print_message(
        "series: %d steps, %d to the next feature, off by %.1e, rates "
        "there by %.1e\n",
        steps, crossed, worst, jump);
    assert_true(crossed > steps / 50);
}

/* one call per accepted step: how many features' series a flight takes */
static int
count_step(void *ctx, double t0, double t1)
{
    (void)t0;
    (void)t1;
    ++*(int *)ctx;
    return IMP_OK;
}

/* first touches of random flights against a dense look at the gap */
static void
flights(void **state)
{
    (void)state;
    uint64_t seed = 77;
    int cases = fix_cases(40), hit = 0, grazed = 0, steps = 0, most = 0;
    double worst = 0.0;
    for (int q = 0; q < 4; q++) {
        struct duo o;
        int d = q < 2 ? 2 : 3;
        duo_open(&o, d, d == 2 ? fix_egg2 : fix_quadric3, q % 2, 0);
        struct rt *r = o.f.rt;
        for (int it = 0; it < cases; it++) {
            double a[4] = {fix_between(&seed, 0.3, 1),
                           fix_between(&seed, 0.3, 1),
                           fix_between(&seed, 0.3, 1), 2};
            duo_case(&o, &seed, a, 2.0, 1.2);
            set_moving(&o, &seed, 1.5);
            /* towards each other, spins as they are */
            double *A = fix_state(&o.f, 0), *B = fix_state(&o.f, 1);
            for (int i = 0; i < d; i++) {
                int v = d == 2 ? 3 : 7;
                A[v + i] = 0.3 * A[v + i] + 0.5 * (B[i] - A[i]);
                B[v + i] = 0.3 * B[v + i];
            }
            fix_fresh(&o.f, 0.0);
            double start[2][13];
            for (uint32_t b = 0; b < 2; b++)
                memcpy(start[b], fix_state(&o.f, b),
                       sizeof(double) * (d == 2 ? 6 : 13));
            struct event e, more[1];
            enum event_watch w = WATCH_CLOSE;
            uint32_t n;
            int count = 0;
            int st = event_next(r, &w, 6.0, count_step, &count, &e, more, &n);
            if (st != IMP_OK)
                fix_say(&o.f);
            assert_int_equal(st, IMP_OK);
            double end = e.kind == EVENT_NONE ? 6.0 : e.time, rate = 0.0;
            struct nearest_features c;
            steps += count;
            most = count > most ? count : most;
            if (e.kind != EVENT_NONE) {
                assert_int_equal(polytope_contact_closest(r, 0, &c, true),
                                 IMP_OK);
                worst = fmax(worst, fabs(c.gap));
                assert_true(fabs(c.gap) < 1e-11);
                hit++;
                grazed += e.kind == EVENT_TANGENT;
                rate = c.gap;
                assert_int_equal(motion_to(r, e.time + 1e-6), IMP_OK);
                assert_int_equal(polytope_contact_closest(r, 0, &c, true),
                                 IMP_OK);
                rate = c.gap - rate;
                assert_true(e.kind == EVENT_TANGENT || rate < 0.0);
            }
            /* nothing before */
            for (uint32_t b = 0; b < 2; b++)
                memcpy(fix_state(&o.f, b), start[b],
                       sizeof(double) * (d == 2 ? 6 : 13));
            fix_fresh(&o.f, 0.0);
            for (int k = 0; k < 400; k++) {
                assert_int_equal(motion_to(r, end * k / 400.0), IMP_OK);
                assert_int_equal(polytope_contact_closest(r, 0, &c, true),
                                 IMP_OK);
                if (!(c.gap > -1e-11))
                    print_message("d %d case %d: event %d at %g, gap %g at "
                                  "%g\n",
                                  d, it, e.kind, e.time, c.gap,
                                  end * k / 400.0);
                assert_true(c.gap > -1e-11);
            }
        }
        fix_close(&o.f);
    }
    print_message("flights: %d, %d touch (%d grazing), gap there %.1e, %d "
                  "steps, at most %d in one\n",
                  4 * cases, hit, grazed, worst, steps, most);
    assert_true(hit > cases);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection),      cmocka_unit_test(balls),
        cmocka_unit_test(many_shapes),     cmocka_unit_test(aligned),
        cmocka_unit_test(order_of_bodies), cmocka_unit_test(series),
        cmocka_unit_test(flights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
