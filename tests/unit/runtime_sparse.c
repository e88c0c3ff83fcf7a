/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elimination with few entries per row against singular values, and its fill.
 */
#include "base/arena.h"
#include "impact_help.h"
#include "runtime/numerics/dense.h"
#include "runtime/sparse/sparse.h"
#include "runtime/sparse/sparse_least.h"

#define N 60

/* W = J J^T of n rows, each of which meets two of `free` neighbours in a row of
 * places: rows depend on others where more meet than there are freedoms. */
static void
chain(uint64_t *seed, int n, int freedoms, double *W)
{
    double J[N][N + 4] = {{0}};
    for (int r = 0; r < n; r++) {
        int at = (int)multi_random(seed, 0, freedoms - 3);
        for (int d = 0; d < 4; d++)
            J[r][at + d] = multi_random(seed, -1, 1);
    }
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            W[r * n + c] = 0.0;
            for (int d = 0; d < freedoms; d++)
                W[r * n + c] += J[r][d] * J[c][d];
        }
}

static struct sparse_system *
system_of(struct arena *arena, int n, const double *W, const double *right)
{
    struct sparse_system *system = sparse_new(arena, N);
    sparse_clear(system, n);
    for (int r = 0; r < n; r++) {
        system->right[r] = right[r];
        for (int c = 0; c < n; c++)
            if (W[r * n + c] != 0.0)
                sparse_put(system, r, c, W[r * n + c]);
    }
    return system;
}

static double
row_of(int n, const double *W, int row, const double *x)
{
    double sum = 0.0;
    for (int c = 0; c < n; c++)
        sum += W[row * n + c] * x[c];
    return sum;
}

/* Ranks are those of singular values, solutions hold all equations, and what is
 * left free leaves them as they are. */
static void
ranks_and_solutions(void **state)
{
    (void)state;
    uint64_t seed = 5;
    static double W[N * N], U[N * N], V[N * N];
    int deficient = 0;
    for (int t = 0; t < 200; t++) {
        struct arena *arena = arena_new();
        int n = 8 + t % (N - 8), rank = 0;
        double y[N], right[N], x[N], s[N];
        chain(&seed, n, 5 + (t * 7) % N, W);
        for (int r = 0; r < n; r++)
            y[r] = multi_random(&seed, -1, 1);
        for (int r = 0; r < n; r++)
            right[r] = row_of(n, W, r, y);
        memcpy(U, W, sizeof *U * (size_t)(n * n));
        assert_true(dense_svd(n, n, U, V, s) > 0);
        while (rank < n && s[rank] > 1e-11 * s[0])
            rank++;
        struct sparse_system *system = system_of(arena, n, W, right);
        sparse_eliminate(system, 1e-11);
        bool clear = rank == n || s[rank] < 1e-14 * s[0];
        if (clear && s[rank - 1] > 1e-8 * s[0]) {
            assert_int_equal(system->rank, rank);
            deficient += rank < n;
            for (int r = 0; r < n; r++)
                if (system->slot[r] >= 0)
                    assert_true(fabs(system->right[r]) < 1e-10);
            memset(x, 0, sizeof x);
            sparse_back(system, system->right, x);
            for (int r = 0; r < n; r++)
                assert_true(fabs(row_of(n, W, r, x) - right[r]) < 1e-9);
            for (int r = 0; r < n; r++)
                y[r] = 2.0 * right[r];
            sparse_forward(system, y);
            memset(x, 0, sizeof x);
            sparse_back(system, y, x);
            for (int r = 0; r < n; r++)
                assert_true(fabs(row_of(n, W, r, x) - 2.0 * right[r]) < 2e-9);
            for (int c = 0; c < n; c++)
                if (system->place[c] < 0) {
                    memset(x, 0, sizeof x);
                    x[c] = 1.0;
                    sparse_back(system, NULL, x);
                    double most = dense_greatest(n, x);
                    assert_true(x[c] == 1.0);
                    for (int r = 0; r < n; r++)
                        assert_true(fabs(row_of(n, W, r, x)) < 1e-9 * most);
                }
        }
        arena_free(arena);
    }
    assert_true(deficient > 50);
}

/* The shortest solutions are those of singular values, of equations that
 * contradict each other, too, and of such as are not symmetric, as points that
 * slip make them; and turned equations are met. */
static void
shortest_solutions(void **state)
{
    (void)state;
    uint64_t seed = 7;
    static double W[N * N], U[N * N], V[N * N];
    int deficient = 0;
    for (int t = 0; t < 200; t++) {
        struct arena *arena = arena_new();
        struct sparse_least *least = sparse_least_new(arena);
        int n = 8 + t % (N - 8), rank = 0;
        bool symmetric = t % 2 == 0;
        double b[N], x[N], y[N], s[N], work[N], turned[N];
        chain(&seed, n, 5 + (t * 7) % N, W);
        for (int c = 0; c < n && !symmetric; c += 3)
            for (int r = 0; r < n; r++)
                W[c * n + r] += 0.3 * W[(c + 1) % n * n + r];
        memcpy(U, W, sizeof *U * (size_t)(n * n));
        assert_true(dense_svd(n, n, U, V, s) > 0);
        while (rank < n && s[rank] > 1e-11 * s[0])
            rank++;
        bool clear = rank == n || s[rank] < 1e-14 * s[0];
        if (clear && s[rank - 1] > 1e-5 * s[0]) {
            assert_true(sparse_least_factor(least, n, W, symmetric));
            assert_int_equal(sparse_least_rank(least), rank);
            deficient += rank < n;
            for (int r = 0; r < n; r++)
                b[r] = multi_random(&seed, -1, 1);
            dense_svd_solve(n, n, U, V, s, rank, b, y, work);
            sparse_least_solve(least, b, x);
            double most = dense_greatest(n, y);
            for (int r = 0; r < n; r++)
                assert_true(fabs(x[r] - y[r]) <
                            1e-9 * most * s[0] / s[rank - 1]);
            for (int c = 0; c < n; c++) {
                turned[c] = 0.0;
                for (int r = 0; r < n; r++)
                    turned[c] += W[c * n + r] * b[r];
            }
            sparse_least_solve_turned(least, turned, x);
            for (int c = 0; c < n; c++) {
                for (int r = 0; r < n; r++)
                    turned[c] -= W[c * n + r] * x[r];
                assert_true(fabs(turned[c]) < 1e-9);
            }
        }
        arena_free(arena);
    }
    assert_true(deficient > 50);
}

/* A grid of springs: without an order that keeps the fill low its elimination
 * would leave half of all entries. */
static void
little_fill(void **state)
{
    (void)state;
    enum { SIDE = 30, ALL = SIDE * SIDE };
    struct arena *arena = arena_new();
    struct sparse_system *system = sparse_new(arena, ALL);
    sparse_clear(system, ALL);
    for (int i = 0; i < ALL; i++) {
        int at[4] = {i - SIDE, i % SIDE ? i - 1 : -1,
                     (i + 1) % SIDE ? i + 1 : -1, i + SIDE};
        sparse_put(system, i, i, 4.01);
        for (int k = 0; k < 4; k++)
            if (at[k] >= 0 && at[k] < ALL)
                sparse_put(system, i, at[k], -1.0);
        system->right[i] = 1.0;
    }
    sparse_eliminate(system, 1e-11);
    size_t entries = 0;
    for (int i = 0; i < ALL; i++)
        entries += system->row[i].n;
    assert_int_equal(system->rank, ALL);
    assert_true(entries < 30 * ALL);
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_and_solutions),
                                       cmocka_unit_test(shortest_solutions),
                                       cmocka_unit_test(little_fill)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
