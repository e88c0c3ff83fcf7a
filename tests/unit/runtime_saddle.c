/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors of [A B; B' -J] (runtime/numerics/saddle.c) on random input: the
 * equations hold to the rounding of their terms, whatever the size of J, zero
 * included, as long as the rows hold the spins; rows that depend on others are
 * counted and left out; units do not matter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/numerics/factors.h"

enum { MOST = 24 };

static uint64_t seed = 7;
static double
uniform(double lo, double hi)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lo + (hi - lo) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

/* A body of three velocities and three spins per `bodies`, rows of C, the last
 * `same` of which are sums of others; K of them. */
static int
matrix(int rows, int same, int bodies, const double *inertia, double *K)
{
    double C[MOST][MOST];
    int n = rows + 3 * bodies;
    memset(K, 0, sizeof *K * (size_t)(n * n));
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < 6 * bodies; c++) {
            C[i][c] = uniform(-1, 1);
            if (i >= rows - same)
                C[i][c] = C[0][c] - 2 * C[i - same][c];
        }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            for (int b = 0; b < bodies; b++)
                for (int c = 0; c < 3; c++)
                    K[i * n + j] += C[i][6 * b + c] * C[j][6 * b + c];
    for (int b = 0; b < bodies; b++)
        for (int c = 0; c < 3; c++) {
            int at = rows + 3 * b + c;
            for (int i = 0; i < rows; i++)
                K[i * n + at] = K[at * n + i] = C[i][6 * b + 3 + c];
            K[at * n + at] = -inertia[b];
        }
    return n;
}

/* the greatest |K x - f| against the sizes of its terms */
static double
off(int n, const double *K, const double *x, const double *f)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        long double sum = -(long double)f[i];
        double size = fabs(f[i]);
        for (int j = 0; j < n; j++) {
            sum += (long double)K[i * n + j] * x[j];
            size += fabs(K[i * n + j] * x[j]);
        }
        if (size > 0)
            worst = fmax(worst, fabs((double)sum) / size);
    }
    return worst;
}

static void
light_bodies(void **state)
{
    (void)state;
    for (int trial = 0; trial < 3000; trial++) {
        double K[MOST * MOST], F[MOST * MOST], f[MOST] = {0}, x[MOST];
        double inertia[3];
        int bodies = 1 + trial % 3, same = trial % 4 == 0 ? 1 : 0;
        int piv[MOST], rows = 3 * bodies + same + trial % 2;
        for (int b = 0; b < bodies; b++)
            inertia[b] = trial % 5 ? pow(10, uniform(-18, 1)) : 0;
        int n = matrix(rows, same, bodies, inertia, K);
        /* a right-hand side that has a solution */
        for (int j = 0; j < n; j++)
            x[j] = uniform(-1, 1);
        for (int i = 0; i < n; i++) {
            f[i] = 0;
            for (int j = 0; j < n; j++)
                f[i] += K[i * n + j] * x[j];
        }
        memcpy(F, K, sizeof F);
        assert_int_equal(imp_saddle_factor(n, F, piv), 0);
        assert_int_equal(imp_saddle_rank(n, piv), n - same);
        memcpy(x, f, sizeof x);
        imp_saddle_solve(n, F, piv, x);
        assert_true(off(n, K, x, f) < 1e-11);
    }
}

/* The same equations in other units: K_ij s_i s_j. */
static void
units(void **state)
{
    (void)state;
    for (int trial = 0; trial < 500; trial++) {
        double K[MOST * MOST], F[MOST * MOST], inertia[3], unit[MOST];
        int piv[MOST], bodies = 1 + trial % 3, rows = 3 * bodies + trial % 2;
        for (int b = 0; b < bodies; b++)
            inertia[b] = pow(10, uniform(-12, 1));
        int n = matrix(rows, trial % 2, bodies, inertia, K);
        for (int i = 0; i < n; i++)
            unit[i] = pow(10, uniform(-40, 40));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                F[i * n + j] = K[i * n + j] * unit[i] * unit[j];
        assert_int_equal(imp_saddle_factor(n, F, piv), 0);
        assert_int_equal(imp_saddle_rank(n, piv), n - trial % 2);
    }
}

static void
not_finite(void **state)
{
    (void)state;
    double K[4] = {1, NAN, NAN, 1}, zero[4] = {0, 0, 0, 0}, x[2] = {1, 2};
    int piv[2];
    assert_int_not_equal(imp_saddle_factor(2, K, piv), 0);
    assert_int_equal(imp_saddle_factor(2, zero, piv), 0);
    assert_int_equal(imp_saddle_rank(2, piv), 0);
    imp_saddle_solve(2, zero, piv, x);
    assert_true(x[0] == 0 && x[1] == 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_bodies),
        cmocka_unit_test(units),
        cmocka_unit_test(not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
