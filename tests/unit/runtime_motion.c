/* SPDX-License-Identifier: MIT */
/* Free motion by series: invariants of an asymmetric top over 1000 rotations,
 * both directions of time, exact plane flight. */
#include "rt_fixture.h"
#include "runtime/setup/new_run.h"

static const double sphere[4] = {1.0, 1.0, 1.0, 2.0};

static void
world_momentum(const double *s, const double *I, double *L)
{
    double w = s[3], x = s[4], y = s[5], z = s[6];
    double m[3] = {I[0] * s[10], I[1] * s[11], I[2] * s[12]};
    double R[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; i++)
        L[i] = R[i][0] * m[0] + R[i][1] * m[1] + R[i][2] * m[2];
}

static void
asymmetric_top(void **state)
{
    (void)state;
    struct fix f;
    const double I[3] = {1.0, 2.0, 3.0};
    fix_open(&f, 3, fix_quadric3, fix_quadric3, 0);
    fix_body(&f, 0, sphere, 1.0, I);
    fix_body(&f, 1, sphere, 1.0, I);
    double *s = fix_state(&f, 0), start[13], L0[3], L[3];
    const double first[13] = {0.1, 0.2, 0.3, 1,   0,   0,   0,
                              0.5, 0,   0,   0.4, 1.0, -0.3};
    memcpy(s, first, sizeof first);
    double *o = fix_state(&f, 1);
    memcpy(o, first, sizeof first);
    o[0] = 100.0;
    o[10] = o[11] = o[12] = 0.0;
    fix_fresh(&f, 0.0);
    memcpy(start, s, sizeof start);
    double E0 = 0.0, E;
    for (int i = 0; i < 3; i++)
        E0 += 0.5 * I[i] * s[10 + i] * s[10 + i];
    world_momentum(s, I, L0);
    double l0 = sqrt(L0[0] * L0[0] + L0[1] * L0[1] + L0[2] * L0[2]);
    double worst_e = 0.0, worst_l = 0.0;
    double turn = 2.0 * 3.14159265358979 / sqrt(0.16 + 1.0 + 0.09);
    for (int k = 1; k <= 20; k++) {
        assert_int_equal(motion_to(f.rt, 50.0 * k * turn), IMP_OK);
        E = 0.0;
        for (int i = 0; i < 3; i++)
            E += 0.5 * I[i] * s[10 + i] * s[10 + i];
        world_momentum(s, I, L);
        worst_e = fmax(worst_e, fabs(E / E0 - 1.0));
        for (int i = 0; i < 3; i++)
            worst_l = fmax(worst_l, fabs(L[i] - L0[i]) / l0);
    }
    print_message("1000 rotations: energy %.1e, angular momentum %.1e\n",
                  worst_e, worst_l);
    assert_true(worst_e < 1e-13);
    assert_true(worst_l < 1e-13);
    double q = s[3] * s[3] + s[4] * s[4] + s[5] * s[5] + s[6] * s[6];
    assert_true(fabs(q - 1.0) < 4e-16);
    struct motion_totals t;
    assert_int_equal(motion_totals(f.rt, &t), IMP_OK);
    assert_true(fabs(t.kinetic - (E + 0.25)) < 1e-12);

    /* there and back: 10 rotations each way */
    memcpy(s, start, sizeof start);
    fix_fresh(&f, 0.0);
    assert_int_equal(motion_to(f.rt, 10.0 * turn), IMP_OK);
    assert_int_equal(motion_to(f.rt, -3.0), IMP_OK);
    assert_int_equal(motion_to(f.rt, 0.0), IMP_OK);
    for (int i = 0; i < 13; i++)
        assert_true(fabs(s[i] - start[i]) < 1e-12);
    fix_close(&f);
}

static void
plane_flight(void **state)
{
    (void)state;
    struct fix f;
    const double I[3] = {1.0, 1.0, 1.0};
    fix_open(&f, 2, fix_quadric2, fix_quadric2, 0);
    fix_body(&f, 0, sphere, 1.0, I);
    fix_body(&f, 1, sphere, 1.0, I);
    double *s = fix_state(&f, 0);
    const double first[6] = {0, 0, 0, 1e-3, 2.0, 0.7};
    memcpy(s, first, sizeof first);
    fix_fresh(&f, 0.0);
    double h;
    assert_int_equal(motion_series_all(f.rt, MOTION_STEP_ORDER, &h), IMP_OK);
    assert_true(isinf(h));
    assert_int_equal(motion_to(f.rt, 1e6), IMP_OK);
    assert_true(fabs(s[0] - 1e3) < 1e-12);
    assert_true(s[1] == 2e6);
    assert_true(fabs(s[2] - 7e5) < 1e-9);
    rt_reset(f.rt);
    assert_true(rt_time(f.rt) == 0.0);
    fix_close(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(asymmetric_top),
                                       cmocka_unit_test(plane_flight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
