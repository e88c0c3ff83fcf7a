/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smooth bodies against random convex polytopes in motion: series of gaps
 * against nearest points later on, first touches against a dense look at the
 * gap. */
#include "smooth_polytope_help.h"

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
                assert_int_equal(smooth_polytope_series(
                                     r, 0, 0, MOTION_STEP_ORDER, g, &valid),
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
                        memset(r->closest.warm, 0, 1);
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
                    smooth_polytope_series(r, 0, 0, MOTION_STEP_ORDER, g2, &v2),
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
        cmocka_unit_test(series),
        cmocka_unit_test(flights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
