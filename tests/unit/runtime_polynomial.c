/* SPDX-License-Identifier: MIT */
/* Polynomial roots: random products of known roots, multiple ones included. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/numerics/polynomial.h"

static uint64_t seed = 1;
static double
uniform(double lo, double hi)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lo + (hi - lo) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int
times_root(double *c, int n, double r)
{
    c[n + 1] = c[n];
    for (int k = n; k >= 1; k--)
        c[k] = c[k - 1] - r * c[k];
    c[0] *= -r;
    return n + 1;
}

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void
simple_roots(void **state)
{
    (void)state;
    for (int it = 0; it < 3000; it++) {
        double c[POLYNOMIAL_MAX + 1] = {1.0}, want[8], got[POLYNOMIAL_MAX];
        int n = 0, m = 1 + it % 5;
        double h = uniform(0.5, 4.0);
        for (int i = 0; i < m; i++) {
            want[i] = h * (i + uniform(0.1, 0.9)) / m;
            n = times_root(c, n, want[i]);
        }
        /* roots outside and complex pairs do not count */
        n = times_root(c, n, -uniform(0.1, 2.0));
        n = times_root(c, n, h + uniform(0.1, 2.0));
        qsort(want, (size_t)m, sizeof *want, by_value);
        int k = polynomial_roots(c, n, h, 0.0, got, POLYNOMIAL_MAX);
        assert_int_equal(k, m);
        for (int i = 0; i < m; i++)
            assert_true(fabs(got[i] - want[i]) < 1e-9 * h);
        double s;
        /* the first descent through zero from a positive start */
        if (c[0] < 0.0)
            for (int i = 0; i <= n; i++)
                c[i] = -c[i];
        assert_true(polynomial_below(c, n, 0.0, h, 0.0, &s));
        assert_true(fabs(s - want[0]) < 1e-9 * h);
    }
}

static void
multiple_roots(void **state)
{
    (void)state;
    for (int it = 0; it < 2000; it++) {
        double c[POLYNOMIAL_MAX + 1] = {1.0}, got[POLYNOMIAL_MAX], s;
        int n = 0, m = 2 + it % 3;
        double r = uniform(0.1, 0.9);
        for (int i = 0; i < m; i++)
            n = times_root(c, n, r);
        n = times_root(c, n, 1.5);
        n = times_root(c, n, -0.5);
        int k = polynomial_roots(c, n, 1.0, 1e-15, got, POLYNOMIAL_MAX);
        assert_true(k >= 1);
        /* a cluster: known to the m-th root of the noise */
        for (int i = 0; i < k; i++)
            assert_true(fabs(got[i] - r) < 3.0 * pow(1e-15, 1.0 / m));
        /* grazing from above: seen at any distance above rounding */
        if (m % 2 == 0) {
            double sign = polynomial_value(c, n, 0.0) > 0.0 ? 1.0 : -1.0;
            for (int i = 0; i <= n; i++)
                c[i] *= sign;
            c[0] += 1e-12;
            assert_true(polynomial_below(c, n, 0.0, 1.0, 2e-12, &s));
            assert_true(fabs(s - r) < 1e-2);
            assert_false(polynomial_below(c, n, 0.0, 1.0, 0.5e-12, &s));
        }
    }
}

static void
corner_cases(void **state)
{
    (void)state;
    double zero[3] = {0.0, 0.0, 0.0}, one[1] = {1.0}, r[4], s;
    assert_int_equal(polynomial_roots(zero, 2, 1.0, 0.0, r, 4), -1);
    assert_int_equal(polynomial_roots(one, 0, 1.0, 0.0, r, 4), 0);
    assert_false(polynomial_below(one, 0, 0.0, 1.0, 0.5, &s));
    assert_true(polynomial_below(one, 0, 0.25, 1.0, 1.0, &s));
    assert_true(s == 0.25);
    double line[2] = {1.0, -1.0};
    assert_int_equal(polynomial_roots(line, 1, 2.0, 0.0, r, 4), 1);
    assert_true(fabs(r[0] - 1.0) < 1e-15);
    /* from beyond the root */
    double up[3] = {0.02, -0.3, 1.0}; /* (s - 0.1)(s - 0.2) */
    assert_true(polynomial_below(up, 2, 0.0, 1.0, 0.0, &s));
    assert_true(fabs(s - 0.1) < 1e-14);
    assert_false(polynomial_below(up, 2, 0.25, 1.0, 0.0, &s));
    /* The last power of the horizon is beyond all numbers, its term is not. */
    double slow[21] = {1.0, 1e-15};
    slow[20] = -4.9406564584124654e-324;
    assert_false(polynomial_below(slow, 20, 0.0, 3e15, 0.0, &s));
    slow[1] = -1e-15;
    assert_true(polynomial_below(slow, 20, 0.0, 3e15, 0.0, &s));
    assert_true(fabs(s - 1e15) < 1.0);
    s = 0.21;
    assert_true(polynomial_newton(up, 2, 0.05, &s));
    assert_true(fabs(s - 0.2) < 1e-15);
}

/* The cheap bound never says too much, and sees also polynomials that lose more
 * than they begin with, but gain it before. */
static void
clearly_above(void **state)
{
    (void)state;
    const double dips[] = {1.0, -1.2, 1.0};
    assert_true(polynomial_clearly_above(dips, 2, 1.0, 0.0));
    assert_false(polynomial_clearly_above(dips, 2, 1.0, 0.64));
    int seen = 0;
    for (int it = 0; it < 20000; it++) {
        int n = 1 + it % POLYNOMIAL_MAX;
        double c[POLYNOMIAL_MAX + 1], h = uniform(0.1, 2.0), power = 1.0,
                                      level = uniform(-1.0, 1.0), s;
        for (int k = 0; k <= n; k++, power *= h)
            c[k] = uniform(k ? -1.5 : 0.0, k ? 2.0 : 3.0) / (power * (k + 1));
        if (!polynomial_clearly_above(c, n, h, level))
            continue;
        seen++;
        for (int k = 0; k <= 256; k++)
            assert_true(polynomial_value(c, n, h * k / 256) > level);
        assert_false(polynomial_below(c, n, 0.0, h, level, &s));
    }
    assert_true(seen > 2000);
}

/* Where the sizes of the terms show that a polynomial comes down once, nothing
 * is subdivided. Beginning a hair later it is, and the root is the same to the
 * last bit. */
static void
comes_down(void **state)
{
    (void)state;
    int seen = 0;
    for (int it = 0; it < 20000; it++) {
        int n = 2 + it % (POLYNOMIAL_MAX - 1);
        double c[POLYNOMIAL_MAX + 1], h = uniform(0.1, 2.0), power = 1.0,
                                      share = uniform(0.1, 0.7), s, other;
        for (int k = 0; k <= n; k++, power *= share / h)
            c[k] = uniform(-1.0, 1.0) * power;
        c[0] = uniform(0.0, 1.0);
        c[it % 2 + 1] = -uniform(0.5, 4.0) / (it % 2 ? h * h : h);
        bool found = polynomial_below(c, n, 0.0, h, 0.0, &s);
        assert_int_equal(found,
                         polynomial_below(c, n, DBL_MIN, h, 0.0, &other));
        if (!found)
            continue;
        seen++;
        assert_true(s == other);
        assert_true(polynomial_value(c, n, 0.999 * s) > 0.0);
    }
    assert_true(seen > 2000);
}

/* However long the interval is, the same root is first. */
static void
far_ends(void **state)
{
    (void)state;
    for (int it = 0; it < 2000; it++) {
        double c[POLYNOMIAL_MAX + 1] = {1.0}, first = INFINITY, near, far,
                                  unit = pow(10.0, uniform(-5.0, 5.0)),
                                  h = unit * pow(10.0, uniform(2.0, 150.0));
        int n = 0;
        for (int i = 0; i < 1 + it % 4; i++) {
            double root = unit * uniform(0.5, 2.0) * (it % 5 && i ? -1 : 1);
            first = root > 0.0 ? fmin(first, root) : first;
            n = times_root(c, n, root);
        }
        for (int i = n; i >= 0 && c[0] < 0.0; i--)
            c[i] = -c[i];
        assert_true(polynomial_below(c, n, 0.0, 4.0 * unit, 0.0, &near));
        assert_true(polynomial_below(c, n, 0.0, h, 0.0, &far));
        assert_true(fabs(far - near) < 1e-9 * unit);
        assert_true(fabs(far - first) < 1e-3 * unit);
        assert_true(polynomial_reach(c, n, h, 0.0) >= 2.0 * unit);
        double behind = polynomial_reach(c, n, h, 0.0);
        assert_true(behind == h ||
                    !polynomial_below(c, n, behind, h, 0.0, &far) ||
                    polynomial_value(c, n, behind) <= 0.0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_roots),  cmocka_unit_test(multiple_roots),
        cmocka_unit_test(clearly_above), cmocka_unit_test(comes_down),
        cmocka_unit_test(corner_cases),  cmocka_unit_test(far_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
