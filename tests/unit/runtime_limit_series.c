/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits of limits from the times of limits: of random series whose sum is
 * known, and of such as are hidden near their end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/accumulation/limit_series.h"
#include "runtime/numerics/random.h"

struct random_stream {
    double seed;
    uint64_t drawn;
};

static double
next(struct random_stream *random)
{
    return random_unit(random->seed, 0, random->drawn++);
}

/* limits in turns at two contacts, of which `scale` is left at the first */
struct turns {
    double end, scale, ratio, second;
};

static struct turns
draw(struct random_stream *random)
{
    return (struct turns){.end = 1.0 + next(random),
                          .scale = 0.1 + next(random),
                          .ratio = 0.1 + 0.6 * next(random),
                          .second = 0.3 + 0.6 * next(random)};
}

/* The time of the limit of this number. The share of the square of what is left
 * makes the times no geometric sequence. */
static double
time_of(const struct turns *turns, int number)
{
    double left = turns->scale * pow(turns->ratio, number / 2);
    if (number % 2)
        left *= turns->ratio + (1.0 - turns->ratio) * turns->second;
    return turns->end - left - 0.05 * left * left;
}

/* Adds limits while more than `least` is left. Returns their number. */
static int
add(struct limit_series *series, const struct turns *turns, double least)
{
    int number = 0;
    for (; turns->end - time_of(turns, number) > least; number++)
        limit_series_add(series, time_of(turns, number), 1e-15, 0.0,
                         3 + (uint32_t)(number % 2));
    return number;
}

static void
the_end_is_within_its_error(void **state)
{
    (void)state;
    struct random_stream random = {.seed = 27};
    for (int i = 0; i < 200; i++) {
        struct turns turns = draw(&random);
        struct limit_series series = {0};
        add(&series, &turns, 1e-6);
        assert_true(series.known && series.period == 2);
        assert_true(fabs(series.meet - turns.end) <= series.error);
        assert_true(series.error < 1e-10);
    }
}

/* What is told to be left at the last limit reaches the end, whether a
 * prediction stands or not. */
static void
the_time_left_reaches_the_end(void **state)
{
    (void)state;
    struct random_stream random = {.seed = 30};
    for (int i = 0; i < 200; i++) {
        struct turns turns = draw(&random);
        struct limit_series series = {0};
        assert_true(limit_series_left(&series) == 0.0);
        int number = add(&series, &turns, 1e-6);
        double left = turns.end - time_of(&turns, number - 1);
        for (int known = 1; known >= 0; known--) {
            series.known = known;
            double told = limit_series_left(&series);
            assert_true(told >= left * (1.0 - 1e-6) && told < 2.0 * left);
        }
    }
}

/* A blow sets limits apart, after which they come as fast as before; and two
 * periods that are alike to the rounding of their limits say little. What is
 * told to be left is of the size of the last turns. */
static void
the_time_left_is_that_of_the_last_turns(void **state)
{
    (void)state;
    struct random_stream random = {.seed = 31};
    for (int i = 0; i < 200; i++) {
        struct turns turns = draw(&random);
        struct limit_series blown = {0}, alike = {0};
        int number = add(&blown, &turns, 1e-6);
        double now = time_of(&turns, number - 1) + 1e-3;
        for (int k = 0; k < 2; k++, number++, now += 1e-8)
            limit_series_add(&blown, now, 1e-15, 0.0,
                             3 + (uint32_t)(number % 2));
        blown.known = false;
        assert_true(limit_series_left(&blown) <= 1e-7);
        number = add(&alike, &turns, 1e-6);
        double last = alike.time[0] - alike.time[2];
        for (int k = 0; k < 2; k++, number++)
            limit_series_add(&alike, alike.time[1] + last * (1.0 - 1e-6), 1e-15,
                             0.0, 3 + (uint32_t)(number % 2));
        alike.known = false;
        assert_true(limit_series_left(&alike) <= 50.0 * last);
    }
}

/* Near the end contacts are hit too early: limits come at any time, in any
 * order. They change nothing, until the end has passed. */
static void
hidden_limits_say_nothing(void **state)
{
    (void)state;
    struct random_stream random = {.seed = 28};
    for (int i = 0; i < 200; i++) {
        struct turns turns = draw(&random);
        struct limit_series series = {0};
        int number = add(&series, &turns, 1e-5);
        double meet = series.meet, error = series.error,
               now = time_of(&turns, number - 1);
        for (int k = 0; k < 8; k++) {
            now += 0.1 * next(&random) * (turns.end - now);
            limit_series_add(&series, now, 1e-6, 1e-6,
                             3 + (next(&random) < 0.5));
            assert_true(series.known && series.hidden);
            assert_true(series.meet == meet && series.error == error);
        }
        limit_series_add(&series, turns.end + 1e-3, 1e-15, 0.0, 3);
        assert_false(series.hidden || series.known);
    }
}

/* A contact of another kind, or limits that are found one by one, are a change
 * of the motion. */
static void
another_order_is_another_motion(void **state)
{
    (void)state;
    struct random_stream random = {.seed = 29};
    for (int i = 0; i < 200; i++) {
        struct turns turns = draw(&random);
        struct limit_series series = {0};
        int number = add(&series, &turns, 1e-5);
        limit_series_add(&series, time_of(&turns, number), 1e-15, 0.0,
                         3 + (uint32_t)((number + 1) % 2));
        assert_false(series.known);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_is_within_its_error),
        cmocka_unit_test(the_time_left_reaches_the_end),
        cmocka_unit_test(the_time_left_is_that_of_the_last_turns),
        cmocka_unit_test(hidden_limits_say_nothing),
        cmocka_unit_test(another_order_is_another_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
