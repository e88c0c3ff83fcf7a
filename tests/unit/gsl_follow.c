/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libimpgsl.so alone, as `imp` loads it: motions whose events are known in
 * closed form. Gaps that close and open again within one step, touches, falls
 * that begin at zero, functions without a known rate, and right-hand sides that
 * fail. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/engines/gsl_api.h"
#include "runtime/numerics/random.h"

static const struct gsl_api *api;

/* the i-th random number of a test, even in [low, high) */
static double
draw(int test, int i, double low, double high)
{
    static uint64_t count;
    return low + (high - low) * random_unit(test, (uint64_t)i, count++);
}

/* y = (place, speed) under a constant acceleration; what is watched is a
 * function of the time, so that it may be as wild as the test wants. */
struct fall {
    double acceleration;
    double (*value)(double t, const double *y, double *rate);
    bool rate_known;
    double fails_from; /* the right-hand side has no value from this time on */
    long asked;
};

static int
rates(void *ctx, double t, const double *y, double *rate)
{
    struct fall *fall = ctx;
    fall->asked++;
    rate[0] = y[1];
    rate[1] = fall->acceleration;
    return t >= fall->fails_from ? 7 : 0;
}

static int
place(void *ctx, double t, double *y)
{
    (void)ctx, (void)t, (void)y;
    return 0;
}

static int
look(void *ctx, double t, const double *y, double *value, double *rate)
{
    struct fall *fall = ctx;
    *value = fall->value(t, y, rate);
    if (!fall->rate_known)
        *rate = NAN;
    return 0;
}

static int
run(struct fall *fall, double *y, double until, struct gsl_event *event,
    double *t)
{
    static const struct gsl_number number[2] = {{0, 1.0, INFINITY},
                                                {1, 1.0, INFINITY}};
    struct gsl_watch watch = {.closed = 1e-15, .touch = 1e-11};
    struct gsl_motion motion = {.ctx = fall,
                                .n = 2,
                                .number = number,
                                .tolerance = 1e-13,
                                .longest = until,
                                .rates = rates,
                                .place = place,
                                .look = look,
                                .n_watch = 1,
                                .watch = &watch};
    struct gsl_engine *engine = api->open(2, 1);
    assert_non_null(engine);
    *t = 0.0;
    int st = api->follow(engine, &motion, t, y, until, event);
    api->close(engine);
    return st;
}

static double
height(double t, const double *y, double *rate)
{
    (void)t;
    *rate = y[1];
    return y[0];
}

/* Free fall from random heights, also from zero and upwards. */
static void
test_falls(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct fall fall = {-draw(7, i, 0.1, 20), height, i % 3 != 0, INFINITY,
                            0};
        double h = i % 4 ? draw(7, i, 0, 10) : 0.0, v = draw(7, i, 0.1, 9);
        double y[2] = {h, v}, t,
               want = (v + sqrt(v * v - 2 * fall.acceleration * h)) /
                      -fall.acceleration;
        struct gsl_event event;
        assert_int_equal(run(&fall, y, 1000, &event, &t), 0);
        assert_int_equal(event.found, GSL_FALLS);
        assert_true(fabs(t - want) < 1e-13 * (1 + want));
        assert_true(fabs(y[1] - (v + fall.acceleration * want)) <
                    1e-12 * (1 + fabs(y[1])));
    }
}

/* A gap of y alone that is below zero for a short time in the middle of a step.
 */
static double dip_depth, dip_width;
static double
dip(double t, const double *y, double *rate)
{
    (void)t;
    double x = (y[0] - 3.7) / dip_width, bell = exp(-x * x);
    *rate = dip_depth * 2 * x / dip_width * bell * y[1];
    return 1 - dip_depth * bell;
}

static void
test_dips(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        struct fall fall = {0, dip, true, INFINITY, 0};
        double y[2] = {0, 1}, t;
        struct gsl_event event;
        dip_width = draw(11, i, 0.2, 2);
        dip_depth = i % 2 ? draw(11, i, 1.0001, 3) : draw(11, i, 0.2, 0.999);
        assert_int_equal(run(&fall, y, 10, &event, &t), 0);
        if (i % 2) {
            double want = 3.7 - dip_width * sqrt(log(dip_depth));
            assert_int_equal(event.found, GSL_FALLS);
            assert_true(fabs(t - want) < 1e-10);
        } else {
            assert_int_equal(event.found, GSL_NOTHING);
            assert_true(t == 10);
        }
    }
}

static double
parabola(double t, const double *y, double *rate)
{
    (void)t;
    *rate = 2 * (y[0] - 2) * y[1];
    return (y[0] - 2) * (y[0] - 2);
}

/* A touch is told once, and the motion goes on behind it. */
static void
test_touch(void **state)
{
    (void)state;
    struct fall fall = {0, parabola, true, INFINITY, 0};
    double y[2] = {0, 1}, t;
    struct gsl_event event;
    assert_int_equal(run(&fall, y, 5, &event, &t), 0);
    assert_true(event.found == GSL_TOUCHES || event.found == GSL_FALLS);
    assert_true(fabs(t - 2) < 1e-5);
    assert_int_equal(run(&fall, y, 5, &event, &t), 0);
    assert_int_equal(event.found, GSL_NOTHING);
}

/* The right-hand side has no value behind the event: the event is found.
 * Without an event the status comes back. */
static void
test_no_value(void **state)
{
    (void)state;
    struct fall fall = {-2, height, true, 1.05, 0};
    double y[2] = {1, 0}, t;
    struct gsl_event event;
    assert_int_equal(run(&fall, y, 10, &event, &t), 0);
    assert_int_equal(event.found, GSL_FALLS);
    assert_true(fabs(t - 1) < 1e-13);
    fall.acceleration = 2;
    y[0] = 1;
    y[1] = 0;
    assert_int_equal(run(&fall, y, 10, &event, &t), 7);
    assert_int_equal(event.found, GSL_STUCK);
    assert_true(t <= 1.05 && t > 1.04);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls), cmocka_unit_test(test_dips),
        cmocka_unit_test(test_touch), cmocka_unit_test(test_no_value)};
    union {
        void *object;
        gsl_entry_fn function;
    } entry = {NULL};
    void *handle = dlopen(IMP_BINARY_DIR "/libimpgsl.so", RTLD_NOW);
    if (handle)
        entry.object = dlsym(handle, GSL_ENTRY);
    if (!entry.object)
        return 77; /* built without GSL */
    api = entry.function();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
