/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Impacts without collision, against numbers of Champneys and Varkonyi
 * (specification painleve.md, 4.1) and against the impact with a collision
 * whose speed goes to zero. */
#include "impact_help.h"
#include "runtime/friction/friction.h"
#include "runtime/friction/paradox.h"

static void
references(void **state)
{
    (void)state;
    static const struct {
        double mu, r, energetic, poisson;
    } of[] = {{3, 1, .316227766016838, .5},
              {3, .7, .221359436211787, .35},
              {2.5, .5, .125, .25}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (double side = -1; side <= 1; side += 2) {
            struct friction_impact_point point = {.mu = of[i].mu,
                                                  .e = of[i].r,
                                                  .law = FRICTION_ENERGETIC,
                                                  .slip = side};
            struct friction_impact out;
            paradox_jump(1, side * .5, 1, &point, &out);
            assert_true(fabs(out.after[0] - of[i].energetic) < 1e-14);
            assert_true(out.after[1] == 0.0);
            assert_true(out.region == (side > 0 ? 5 : 6));
            point.law = FRICTION_POISSON;
            paradox_jump(1, side * .5, 1, &point, &out);
            assert_true(fabs(out.after[0] - of[i].poisson) < 1e-14);
            point.law = FRICTION_NEWTON;
            paradox_jump(1, side * .5, 1, &point, &out);
            assert_true(out.after[0] == 0.0);
        }
}

/* The impulses make the velocities after it, no energy is gained, and a
 * collision with almost no speed does the same. */
static void
random_points(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 2000; i++) {
        double A = multi_random(&seed, .1, 3), C = multi_random(&seed, .1, 3),
               B = multi_random(&seed, -.95, .95) * sqrt(A * C);
        double sign = B > 0 ? 1 : -1, u = sign * multi_random(&seed, .1, 2);
        struct friction_impact_point point = {
            .mu = C / fabs(B) * multi_random(&seed, 1.05, 3),
            .e = multi_random(&seed, 0, 1),
            .law = i % 2 ? FRICTION_POISSON : FRICTION_ENERGETIC,
            .slip = u};
        struct friction_impact jump, hit;
        paradox_jump(A, B, C, &point, &jump);
        double N = jump.normal[0] + jump.normal[1], T = jump.tangential;
        double size = fabs(u) + jump.after[0];
        assert_true(fabs(B * T + C * N - jump.after[0]) <
                    1e-12 * size * A * C / (A * C - B * B) * point.mu);
        assert_true(jump.work[0] + jump.work[1] <= 1e-14);
        point.normal = -1e-9 * fabs(u);
        friction_impact_one(A, B, C, &point, &hit);
        assert_true(fabs(hit.after[0] - jump.after[0]) < 1e-3 * size);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(references),
                                       cmocka_unit_test(random_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
