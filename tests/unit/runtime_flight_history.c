/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much too early impacts are that come beside others, within the tolerance
 * of a gap: by the speed and by the fall of the last flight. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/accumulation/flight_history.h"

#define FALL 10.0      /* m/s^2 */
#define FLIGHT 1e-6    /* s */
#define HEIGHT 1e-12   /* m, that the gap is open */
#define ROUNDING 1e-16 /* m */
#define EXACT 4.5e-16  /* share: a few roundings */
#define SLOW 1e-9      /* m/s */

/* A flight under FALL between two impacts at 1 s and FLIGHT later: at the
 * latter the gap is closed but for `gap`, and would go on at `speed`. */
static double
early(double gap, double speed)
{
    struct flight_history flights = {.last = 1.0};
    double u = 0.5 * FALL * FLIGHT;
    struct gap_left first = {.time = 1.0,
                             .before = -2.0 * u,
                             .after = u,
                             .speed = 2.0 * u,
                             .rounding = ROUNDING},
                    second = {.time = 1.0 + FLIGHT,
                              .gap = gap,
                              .before = -u,
                              .after = 0.5 * u,
                              .speed = speed,
                              .rounding = ROUNDING};
    flight_history_note_gap(&flights, &first);
    assert_true(flights.early_now == 0.0);
    flight_history_note_gap(&flights, &second);
    assert_true(flights.early == flights.early_now && flights.gap == gap);
    return flights.early_now;
}

/* at the speed alone a nanometre per second would take a millisecond */
static void
test_slow_ones_fall(void **state)
{
    (void)state;
    double from_rest = sqrt(2.0 * HEIGHT / FALL), took = early(HEIGHT, SLOW);
    assert_true(took <= from_rest && took >= from_rest - SLOW / FALL);
    /* the time of the flight is a difference of times near 1 s */
    double way = SLOW * took + 0.5 * FALL * took * took;
    assert_true(fabs(way - HEIGHT) <= 4.0 * EXACT / FLIGHT * HEIGHT);
}

static void
test_fast_ones_pass(void **state)
{
    (void)state;
    double took = early(HEIGHT, 1.0);
    assert_true(fabs(took - HEIGHT) <= FALL * HEIGHT * HEIGHT + EXACT * HEIGHT);
}

/* An overlap may have begun at any speed, or at rest. */
static void
test_overlaps(void **state)
{
    (void)state;
    double from_rest = sqrt(2.0 * HEIGHT / FALL);
    assert_true(fabs(early(-HEIGHT, SLOW) - from_rest) <=
                4.0 * EXACT / FLIGHT * from_rest);
    assert_true(fabs(early(-HEIGHT, 1.0) - 2.0 * HEIGHT) <=
                EXACT * 2.0 * HEIGHT);
}

static void
test_rounding_is_none(void **state)
{
    (void)state;
    assert_true(early(ROUNDING, SLOW) == 0.0);
}

/* Nothing is known of the fall where the last impact was at the same time. */
static void
test_no_flight(void **state)
{
    (void)state;
    struct flight_history flights = {.last = 1.0};
    struct gap_left left = {.time = 1.0,
                            .gap = HEIGHT,
                            .before = -SLOW,
                            .speed = SLOW,
                            .rounding = ROUNDING};
    flight_history_note_gap(&flights, &left);
    assert_true(fabs(flights.early - HEIGHT / SLOW) <= EXACT * HEIGHT / SLOW);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_ones_fall),
        cmocka_unit_test(test_fast_ones_pass),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_rounding_is_none),
        cmocka_unit_test(test_no_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
