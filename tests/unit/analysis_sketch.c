/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sketch of a distribution: exact where few numbers differ, a function of
 * the numbers and not of their order, and close to the quantiles of all numbers
 * where there are many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/sweep/sketch.h"
#include "base/arena.h"

static uint64_t seed = 7;
static double
uniform(void)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Draws of several kinds: even, of both signs, over many sizes, far from 0. */
static double
draw(int kind)
{
    double u = uniform();
    return kind == 0   ? u
           : kind == 1 ? 2 * u - 1
           : kind == 2 ? exp(40 * (u - 0.5))
                       : 1e6 + u;
}

static void
compare(int kind, size_t n, double allowed)
{
    static const double share[] = {0, 1e-3, 0.05, 0.3, 0.5, 0.9, 0.999, 1};
    struct arena *arena = arena_new();
    struct sketch there, back;
    double *x = NEW_N(arena, double, n);
    sketch_init(&there, n, arena);
    sketch_init(&back, n, arena);
    for (size_t i = 0; i < n; i++)
        sketch_add(&there, x[i] = draw(kind));
    for (size_t i = n; i-- > 0;)
        sketch_add(&back, x[i]);
    qsort(x, n, sizeof *x, by_value);
    for (size_t k = 0; k < sizeof share / sizeof *share; k++) {
        double place = share[k] * (double)(n - 1), part = place - floor(place);
        size_t at = (size_t)place;
        double want =
            at + 1 < n ? (1 - part) * x[at] + part * x[at + 1] : x[at];
        double found = sketch_quantile(&there, share[k]);
        assert_true(found == sketch_quantile(&back, share[k]));
        assert_true(found >= x[0] && found <= x[n - 1]);
        assert_true(fabs(found - want) <= allowed * fabs(want));
    }
    arena_free(arena);
}

static void
few_are_exact(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (size_t n = 1; n < 2000; n = 3 * n + 1)
            compare(kind, n, 0);
}

/* An even spread of n numbers over (0, 1) fills the octave below 2^-k with
 * n/2^k of them: for 2^19 numbers at 2^15 intervals those above 2^-9 have 2^10
 * or more intervals each, half as many where both signs or many sizes share
 * them. */
static void
many_are_close(void **state)
{
    (void)state;
    compare(0, 400000, 0x1p-10);
    compare(1, 400000, 0x1p-9);
    compare(2, 400000, 0x1p-9);
    compare(3, 400000, 1e-10);
}

/* Any number of numbers, of which few differ, are exact. */
static void
repeated(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct sketch sketch;
    sketch_init(&sketch, UINT64_MAX, arena);
    for (int i = 0; i < 300000; i++)
        sketch_add(&sketch, (i * 7 % 11) / 10.0);
    assert_true(sketch_quantile(&sketch, 0.5) == 0.5);
    assert_true(sketch_quantile(&sketch, 0) == 0);
    assert_true(sketch_quantile(&sketch, 1) == 1);
    assert_int_equal(sketch.level, 0);
    arena_free(arena);
}

/* A number that comes often stays what it is where many others differ; a
 * negative zero is 0. */
static void
often(void **state)
{
    (void)state;
    static const double atom[] = {0, -0.0, 1, -0.3};
    for (size_t k = 0; k < sizeof atom / sizeof *atom; k++) {
        struct arena *arena = arena_new();
        struct sketch sketch;
        sketch_init(&sketch, UINT64_MAX, arena);
        for (int i = 0; i < 200000; i++)
            sketch_add(&sketch, i % 5 < 3 ? atom[k] : 4 + uniform());
        assert_true(sketch.level > 0);
        for (int i = 0; i < 60; i++)
            assert_true(sketch_quantile(&sketch, i / 100.0) == atom[k]);
        assert_false(signbit(sketch_quantile(&sketch, 0.1)) && !atom[k]);
        assert_true(sketch_quantile(&sketch, 0.61) > 4);
        arena_free(arena);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_exact),
        cmocka_unit_test(many_are_close),
        cmocka_unit_test(repeated),
        cmocka_unit_test(often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
