/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which terms of a series may set the length of a step (taylor.h): the least
 * time by all of them is that by those which rough logarithms let through, to
 * the last bit, for coefficients of any size, and few are let through. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/numerics/taylor.h"

#define ORDER 20
#define FROM 13
#define TRUNCATION 4e-16

/* The least time by the terms that are asked for. */
static double
least(const double *c, double size, uint32_t asked)
{
    double time = INFINITY;
    for (int k = FROM; k <= ORDER; k++)
        if (c[k] != 0.0 && rough_asks(asked, k))
            time = fmin(time, exp((log(size) - log(fabs(c[k]))) / k +
                                  log(TRUNCATION) /
                                      (k < ORDER - 1 ? ORDER : k)));
    return time;
}

static uint32_t
asked_of(const double *c, double size)
{
    struct rough_terms terms;
    rough_terms_make(&terms, c, FROM, ORDER, log2(TRUNCATION));
    return rough_least(&terms, size);
}

static double
uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void
test_least(void **unused)
{
    const char *cases = getenv("IMP_TEST_CASES");
    long n = cases ? atol(cases) : 20000, let = 0;
    uint64_t state = 5;
    (void)unused;
    for (long i = 0; i < n; i++) {
        double c[ORDER + 1], radius = pow(2.0, 40.0 * uniform(&state) - 20.0),
                             scatter = 60.0 * uniform(&state) * (i % 3),
                             size = pow(2.0, 200.0 * uniform(&state) - 100.0);
        for (int k = 0; k <= ORDER; k++) {
            c[k] = uniform(&state) < 0.2
                       ? 0.0
                       : (uniform(&state) - 0.5) * size * pow(radius, k) *
                             pow(2.0, scatter * (uniform(&state) - 0.5));
            if (i % 50 == 0) /* subnormal numbers, too */
                c[k] *= 0x1p-1000;
        }
        uint32_t asked = asked_of(c, size);
        double all = least(c, size, 0), some = least(c, size, asked);
        assert_true(all == some);
        for (int k = FROM; k <= ORDER; k++)
            let += asked >> k & 1;
    }
    assert_true(let < 2 * n);
}

/* The least of many times, with a logarithm for each or for few. */
static void
test_term_time(void **unused)
{
    uint64_t state = 11;
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        double plain = INFINITY, few = INFINITY, scale = i % 10 ? 1 : 0x1p-1000;
        for (int k = 1; k <= ORDER; k++) {
            double c = pow(2.0, 200.0 * uniform(&state) - 100.0) * scale,
                   most = uniform(&state) * pow(2.0, 40.0 * uniform(&state)) *
                          (i % 7 ? 1 : scale);
            c *= i % 3 ? pow(2.0, 2.0 * k) : 1.0;
            plain = fmin(plain, exp(log(most / c) / k));
            few = term_time(few, k % 2 ? c : -c, k, most);
            few = term_time(few, 0.0, k, most);
        }
        assert_true(plain == few);
    }
}

/* What has no logarithm asks for all. */
static void
test_without(void **unused)
{
    double c[ORDER + 1] = {[FROM] = 1.0, [ORDER] = NAN};
    (void)unused;
    assert_true(rough_asks(asked_of(c, 1.0), ORDER));
    c[ORDER] = INFINITY;
    assert_true(rough_asks(asked_of(c, 1.0), ORDER));
    c[ORDER] = 0.0;
    assert_true(rough_asks(asked_of(c, 0.0), FROM));
}

/* Rough logarithms are as exact as they say. */
static void
test_logarithm(void **unused)
{
    (void)unused;
    for (int e = -1073; e < 1023; e += 3)
        for (double x = 1.0; x < 2.0; x += 0.037) {
            double value = ldexp(x, e);
            assert_true(fabs(rough_log2(value) - log2(value)) < ROUGH_ERROR);
        }
}

/* The coefficients of u'' = -w^2 u - 2 d u' about u, u'. */
static void
oscillator(double w, double d, double *c)
{
    for (int k = 0; k + 2 <= ORDER; k++)
        c[k + 2] = -(w * w * c[k] + 2.0 * d * (k + 1) * c[k + 1]) /
                   ((k + 1.0) * (k + 2.0));
}

static double
value(const double *c, int order, double s)
{
    double sum = 0.0;
    for (int k = order; k >= 0; k--)
        sum = sum * s + c[k];
    return sum;
}

/* A short piece of few terms: what they leave out is rounding, and where they
 * do not hold, that is told. */
static void
test_few(void **unused)
{
    uint64_t state = 7;
    long few = 0;
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        double w = pow(2.0, 20.0 * uniform(&state) - 10.0),
               d = w * uniform(&state) * 3.0,
               c[ORDER + 1] = {uniform(&state) - 0.5,
                               w * (uniform(&state) - 0.5)};
        if (i % 7 == 0)
            c[0] = 0.0;
        oscillator(w, d, c);
        double full = series_holds(c, ORDER),
               about = series_holds_about(c, ORDER);
        assert_true(fabs(about - full) <= 0.05 * full);
        assert_true(series_holds_for(c, ORDER, 0.9 * full));
        assert_false(series_holds_for(c, ORDER, 1.2 * full));
        double span = full * pow(2.0, -40.0 * uniform(&state));
        int order = series_order_for(span, full, ORDER);
        assert_true(order >= SERIES_ORDER_LEAST && order <= ORDER);
        if (order == ORDER || !series_holds_for(c, order, span))
            continue;
        few++;
        double size = fmax(fabs(c[0]), fabs(c[1]) * span);
        assert_true(fabs(value(c, ORDER, span) - value(c, order, span)) <=
                    4.0 * TRUNCATION * size);
    }
    assert_true(few > 10000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least), cmocka_unit_test(test_few),
        cmocka_unit_test(test_without), cmocka_unit_test(test_term_time),
        cmocka_unit_test(test_logarithm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
