/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sum of flights at one contact whose restitution depends on the speed:
 * against closed forms, and against the equation that it solves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/accumulation/flight_sum.h"
#include "runtime/numerics/random.h"

/* e = limit - fall u^power; asked counts the calls */
struct power_law {
    double limit, fall, power;
    long asked;
};

static int
power_law(void *context, double speed, double law[2])
{
    struct power_law *of = context;
    double less = of->fall * pow(speed, of->power);
    of->asked++;
    law[0] = of->limit - less;
    law[1] = -of->power * less / speed;
    return law[0] >= 0.0 ? 0 : 7;
}

static void
constant_restitution_is_a_geometric_sum(void **state)
{
    (void)state;
    for (double e = 0.0; e < 0.999; e += 0.037) {
        struct power_law law = {.limit = e, .power = 1.0};
        struct flight_sum sum;
        assert_int_equal(flight_sum(power_law, &law, 3.0, &sum), 0);
        assert_true(sum.ends);
        assert_true(fabs(sum.sum * (1.0 - e) - 1.0) < 1e-14 / (1.0 - e));
    }
}

/* S(u) = u + S(e u), in multiples of u, for laws that come to a limit below 1
 * and for laws that come to 1 more slowly than the speed. */
static void
the_sum_solves_its_equation(void **state)
{
    (void)state;
    for (int k = 0; k < 300; k++) {
        bool below = k % 2;
        struct power_law law = {
            .limit = below ? 0.1 + 0.8 * random_unit(1.0, (uint64_t)k, 1) : 1.0,
            .fall = 0.05 + 0.1 * random_unit(1.0, (uint64_t)k, 2),
            .power = below ? 0.2 + 2.0 * random_unit(1.0, (uint64_t)k, 3)
                           : 0.6 * random_unit(1.0, (uint64_t)k, 4)};
        double speed = 0.3 * random_unit(1.0, (uint64_t)k, 5) + 1e-3, at[2];
        struct flight_sum here, there;
        if (power_law(&law, speed, at))
            continue;
        assert_int_equal(flight_sum(power_law, &law, speed, &here), 0);
        assert_int_equal(flight_sum(power_law, &law, at[0] * speed, &there), 0);
        assert_true(here.ends && there.ends);
        assert_true(here.error < 1e-5);
        double off = fabs(1.0 + at[0] * there.sum - here.sum) / here.sum;
        assert_true(off <= here.error + there.error);
    }
}

/* 20000 flights and their remainder with 30 digits, by mpmath */
static void
the_viscoelastic_law_ends(void **state)
{
    (void)state;
    struct power_law law = {.limit = 1.0, .fall = 0.1, .power = 0.2};
    double speed = sqrt(2.0 * 9.81), end = 7.8358392751662019551;
    struct flight_sum sum;
    assert_int_equal(flight_sum(power_law, &law, speed, &sum), 0);
    assert_true(sum.ends);
    double all = speed / 9.81 * (2.0 * sum.sum - 1.0);
    assert_true(fabs(all - end) < 4e-15 * end + sum.error * end);
    assert_true(sum.error < 1e-12);
}

static void
what_loses_too_little_does_not_end(void **state)
{
    (void)state;
    for (double power = 1.0; power < 3.0; power += 0.5) {
        struct power_law law = {.limit = 1.0, .fall = 0.1, .power = power};
        struct flight_sum sum;
        assert_int_equal(flight_sum(power_law, &law, 1.0, &sum), 0);
        assert_false(sum.ends);
        assert_int_equal(law.asked, 2);
    }
    struct power_law elastic = {.limit = 1.0, .power = 1.0};
    struct flight_sum sum;
    assert_int_equal(flight_sum(power_law, &elastic, 1.0, &sum), 0);
    assert_false(sum.ends);
    struct power_law negative = {.limit = 0.5, .fall = 1.0, .power = 1.0};
    assert_int_equal(flight_sum(power_law, &negative, 1.0, &sum), 7);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_restitution_is_a_geometric_sum),
        cmocka_unit_test(the_sum_solves_its_equation),
        cmocka_unit_test(the_viscoelastic_law_ends),
        cmocka_unit_test(what_loses_too_little_does_not_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
