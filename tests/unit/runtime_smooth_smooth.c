/* SPDX-License-Identifier: MIT */
/* Closest points: random pairs of many shapes, far apart to overlapping,
 * against a dense scan of the separation; faults are told. */
#include "rt_fixture.h"

#include "runtime/geometry/support.h"

static const double unit_inertia[3] = {1.0, 1.0, 1.0};

/* greatest separation over many directions, each a lower bound of the gap */
static double
scan(struct fix *f, double length)
{
    struct support_pair s;
    double best = -INFINITY;
    memset(&s, 0, sizeof s);
    support_body_get(f->rt, 0, &s.b[0]);
    support_body_get(f->rt, 1, &s.b[1]);
    s.length = length;
    int many = f->d == 2 ? 120 : 200;
    for (int i = 0; i < many; i++) {
        double n[3] = {0, 0, 0};
        if (f->d == 2) {
            n[0] = cos(6.283185307179586 * i / many);
            n[1] = sin(6.283185307179586 * i / many);
        } else {
            double z = 1.0 - (2 * i + 1) / (double)many;
            n[0] = sqrt(1 - z * z) * cos(2.399963229728653 * i);
            n[1] = sqrt(1 - z * z) * sin(2.399963229728653 * i);
            n[2] = z;
        }
        s.have[0] = s.have[1] = false;
        assert_int_equal(support_separation(&s, n), SUPPORT_FINE);
        best = fmax(best, s.sigma);
    }
    return best;
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
    } else {
        double l = 0.0;
        for (int i = 3; i < 7; i++) {
            s[i] = fix_between(seed, -1.0, 1.0);
            l += s[i] * s[i];
        }
        for (int i = 3; i < 7; i++)
            s[i] /= sqrt(l);
    }
}

static void
check_pair(const char *name, int d, fix_shape s0, fix_shape s1, double p0,
           double p1, double ratio, int cases)
{
    struct fix f;
    uint64_t seed = 42;
    int flat = 0, done = 0;
    double worst = 0.0;
    fix_open(&f, d, s0, s1, 0);
    for (int it = 0; it < cases; it++) {
        double a[2][4], R[2];
        for (int b = 0; b < 2; b++) {
            for (int i = 0; i < 3; i++)
                a[b][i] = exp(fix_between(&seed, 0.0, log(ratio)));
            a[b][3] = b == 0 ? p0 : p1;
            R[b] = 0.0;
            for (int i = 0; i < d; i++)
                R[b] += a[b][i] * a[b][i];
            R[b] = 1.8 * sqrt(R[b]);
            fix_body(&f, (uint32_t)b, a[b], R[b], unit_inertia);
        }
        double n[3], c0[3] = {0.3, -0.2, 0.1}, c1[3];
        fix_unit(&seed, d, n);
        place(&f, &seed, 0, c0);
        /* far, near, touching, overlapping a little */
        double far = it % 4 == 0 ? 1e3 : it % 4 == 1 ? 4.0 : 2.0;
        for (int i = 0; i < 3; i++)
            c1[i] = c0[i] + far * (R[0] + R[1]) * n[i];
        place(&f, &seed, 1, c1);
        fix_fresh(&f, 0.0);
        struct closest_points c;
        int st = closest_points_find(f.rt, 0, &c, false);
        if (st == IMP_SINGULAR) {
            flat++;
            continue;
        }
        if (st != IMP_OK) {
            closest_points_find(f.rt, 0, &c, true);
            fix_say(&f);
            print_message("%s: case %d\n", name, it);
        }
        assert_int_equal(st, IMP_OK);
        if (it % 4 >= 2) {
            /* move to a gap of 0 or -1% and look again, warm and cold */
            double want = it % 4 == 2 ? 0.0 : -0.01 * (a[0][0] + a[1][0]);
            double *s = fix_state(&f, 1);
            for (int k = 0; k < d; k++)
                s[k] -= (c.gap - want) * c.n[k];
            memset(f.rt->closest.warm, it & 4 ? 1 : 0, 1);
            st = closest_points_find(f.rt, 0, &c, false);
            if (st != IMP_OK) {
                closest_points_find(f.rt, 0, &c, true);
                fix_say(&f);
                print_message("%s: case %d\n", name, it);
            }
            assert_int_equal(st, IMP_OK);
            /* shifted along the normal the gap changes by as much, unless
             * thin bodies are parted more easily in another direction */
            double tiny = 1e-11 * (R[0] + R[1]);
            assert_true(c.gap > want - tiny);
            assert_true(c.gap < want + tiny || c.deep);
        }
        double low = scan(&f, R[0] + R[1]);
        if (c.gap < low - 1e-10 * fabs(low) - 1e-12)
            print_message("%s: case %d gap %.17g scan %.17g\n", name, it, c.gap,
                          low);
        assert_true(c.gap >= low - 1e-10 * fabs(low) - 1e-12);
        /* both points on their surfaces, the gap between them, along n */
        double e = 0.0;
        for (int k = 0; k < 3; k++)
            e = fmax(e, fabs(c.Q[k] - c.P[k] - c.gap * c.n[k]));
        worst = fmax(worst, e / (fabs(c.gap) + R[0] + R[1]));
        done++;
    }
    print_message("%-28s %4d pairs, %d flat, worst residual %.1e\n", name, done,
                  flat, worst);
    assert_true(worst < 1e-14 * 50);
    assert_true(flat * 20 <= cases);
    fix_close(&f);
}

static void
many_shapes(void **state)
{
    (void)state;
    int n = fix_cases(60);
    if (n > 200)
        n = 200; /* twenty kinds of pairs, each against a scan */
    check_pair("ellipses", 2, fix_quadric2, fix_quadric2, 2, 2, 3, n);
    check_pair("thin ellipses", 2, fix_quadric2, fix_quadric2, 2, 2, 30, n);
    check_pair("quartics", 2, fix_super2, fix_super2, 4, 4, 3, n);
    check_pair("quartic and ellipse", 2, fix_super2, fix_quadric2, 4, 2, 3, n);
    check_pair("power 2.5", 2, fix_super2, fix_super2, 2.5, 2.5, 3, n);
    check_pair("power 1.6", 2, fix_super2, fix_quadric2, 1.6, 2, 3, n);
    check_pair("power 8", 2, fix_super2, fix_super2, 8, 8, 2, n);
    check_pair("cosh ovals", 2, fix_exp2, fix_exp2, 2, 2, 3, n);
    check_pair("eggs", 2, fix_egg2, fix_egg2, 2, 2, 3, n);
    check_pair("egg and power 3.3", 2, fix_egg2, fix_super2, 2, 3.3, 3, n);
    check_pair("ellipsoids", 3, fix_quadric3, fix_quadric3, 2, 2, 3, n);
    check_pair("thin ellipsoids", 3, fix_quadric3, fix_quadric3, 2, 2, 20, n);
    check_pair("quartics in space", 3, fix_super3, fix_super3, 4, 4, 3, n);
    check_pair("quartic and ellipsoid", 3, fix_super3, fix_quadric3, 4, 2, 3,
               n);
    check_pair("power 2.5 in space", 3, fix_super3, fix_super3, 2.5, 2.5, 3, n);
    check_pair("off-centre origins", 3, fix_shifted3, fix_shifted3, 2, 2, 3, n);
    check_pair("exponential of a root", 2, fix_warped2, fix_warped2, 2, 2, 3,
               n);
    check_pair("logarithm", 3, fix_log3, fix_log3, 2, 2, 3, n);
    check_pair("power 20", 2, fix_super2, fix_quadric2, 20, 2, 2, n);
    check_pair("power 1.4", 2, fix_super2, fix_quadric2, 1.4, 2, 2, n);
}

/* the gap's series against closest points at nearby times */
static void
gap_series(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; d++) {
        struct fix f;
        uint64_t seed = 7;
        fix_open(&f, d, d == 2 ? fix_quadric2 : fix_quadric3,
                 d == 2 ? fix_egg2 : fix_quadric3, 0);
        for (int it = 0; it < 20; it++) {
            double g[MOTION_STEP_ORDER + 1], h, n[3], zero[3] = {0, 0, 0}, c[3];
            const double I[3] = {1.0, 1.3, 1.7};
            for (uint32_t b = 0; b < 2; b++) {
                double a[4] = {fix_between(&seed, 1, 2),
                               fix_between(&seed, 1, 2),
                               fix_between(&seed, 1, 2), 2};
                fix_body(&f, b, a, 4.0, I);
            }
            fix_unit(&seed, d, n);
            for (int i = 0; i < 3; i++)
                c[i] = 5.0 * n[i];
            place(&f, &seed, 0, zero);
            place(&f, &seed, 1, c);
            for (uint32_t b = 0; b < 2; b++) {
                double *s = fix_state(&f, b);
                for (int i = d == 2 ? 3 : 7; i < (d == 2 ? 6 : 13); i++)
                    s[i] = fix_between(&seed, -1, 1);
            }
            fix_fresh(&f, 0.0);
            struct closest_points cl;
            assert_int_equal(motion_series_all(f.rt, MOTION_STEP_ORDER, &h),
                             IMP_OK);
            assert_int_equal(closest_points_find(f.rt, 0, &cl, true), IMP_OK);
            assert_int_equal(contact_gap_series(f.rt, 0, MOTION_STEP_ORDER, g),
                             IMP_OK);
            assert_true(fabs(g[0] - cl.gap) < 1e-14 * 10);
            for (double t = -0.05; t < 0.06; t += 0.1) {
                double want = 0.0;
                for (int k = MOTION_STEP_ORDER; k >= 0; k--)
                    want = want * t + g[k];
                assert_int_equal(motion_to(f.rt, t), IMP_OK);
                assert_int_equal(closest_points_find(f.rt, 0, &cl, true),
                                 IMP_OK);
                assert_true(fabs(want - cl.gap) < 1e-13 * 10);
            }
        }
        fix_close(&f);
    }
}

static void
faults(void **state)
{
    (void)state;
    struct fix f;
    struct closest_points c;
    const double a[4] = {1, 1, 1, 4};
    /* flat points face each other */
    fix_open(&f, 2, fix_super2, fix_super2, 0);
    fix_body(&f, 0, a, 1.5, unit_inertia);
    fix_body(&f, 1, a, 1.5, unit_inertia);
    fix_state(&f, 1)[0] = 3.0;
    fix_fresh(&f, 0.0);
    assert_int_equal(closest_points_find(f.rt, 0, &c, false), IMP_SINGULAR);
    assert_true(fabs(c.gap - 1.0) < 1e-6);
    assert_int_equal(closest_points_find(f.rt, 0, &c, true), IMP_FAILED);
    assert_int_equal(f.ds.first->code, DIAG_E0610);
    fix_close(&f);
    /* a waist */
    fix_open(&f, 2, fix_bean2, fix_quadric2, 0);
    fix_body(&f, 0, a, 1.5, unit_inertia);
    const double small[4] = {0.2, 0.2, 0.2, 2};
    fix_body(&f, 1, small, 0.2, unit_inertia);
    fix_state(&f, 1)[1] = 1.0;
    fix_fresh(&f, 0.0);
    assert_int_equal(closest_points_find(f.rt, 0, &c, true), IMP_FAILED);
    assert_int_equal(f.ds.first->code, DIAG_E0611);
    fix_close(&f);
    /* no number at all (I5) */
    fix_open(&f, 2, fix_quadric2, fix_quadric2, 0);
    const double none[4] = {0, 1, 1, 2};
    fix_body(&f, 0, none, 1.5, unit_inertia);
    fix_body(&f, 1, a, 1.5, unit_inertia);
    fix_state(&f, 1)[0] = 3.0;
    fix_fresh(&f, 0.0);
    assert_int_equal(closest_points_find(f.rt, 0, &c, true), IMP_FAILED);
    assert_int_equal(f.ds.first->code, DIAG_E0601);
    assert_non_null(strstr(f.ds.first->message, "zero divided by zero"));
    fix_close(&f);
    /* half-plane and ellipse */
    fix_open(&f, 2, fix_plane, fix_quadric2, 1);
    fix_body(&f, 0, a, INFINITY, unit_inertia);
    const double oval[4] = {2, 1, 1, 2};
    fix_body(&f, 1, oval, 2, unit_inertia);
    fix_state(&f, 1)[0] = 5.0;
    fix_state(&f, 1)[1] = 1.5;
    fix_fresh(&f, 0.0);
    assert_int_equal(closest_points_find(f.rt, 0, &c, true), IMP_OK);
    assert_true(fabs(c.gap - 0.5) < 1e-15);
    assert_true(fabs(c.P[0] - 5.0) < 1e-12 && fabs(c.n[1] - 1.0) < 1e-15);
    fix_close(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_shapes),
                                       cmocka_unit_test(gap_series),
                                       cmocka_unit_test(faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
