/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smooth bodies against random convex polytopes at one time: nearest points
 * against the nearest point of a polytope to a point (balls) and against dense
 * scans of the separation (all others), far apart to overlapping. */
#include "smooth_polytope_help.h"

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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection),      cmocka_unit_test(balls),
        cmocka_unit_test(many_shapes),     cmocka_unit_test(aligned),
        cmocka_unit_test(order_of_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
