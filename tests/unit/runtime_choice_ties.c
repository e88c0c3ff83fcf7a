/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which slips others hold, among few rows and among many: a chain of points
 * whose rows are combinations of neighbouring freedoms. */
#include "base/arena.h"
#include "impact_help.h"
#include "runtime/choice/choice.h"
#include "runtime/numerics/dense.h"

#define MOST 60
#define DEPENDS 1e-11

struct chain {
    double J[2 * MOST][2 * MOST + 8], W[4 * MOST * MOST];
    bool on[MOST], sticks[MOST];
};

/* Rows of n points over `freedoms` unit masses, four neighbours each. Some
 * tangential rows are sums of two rows of neighbours that stick. */
static void
make_chain(uint64_t *seed, int n, int freedoms, struct chain *chain)
{
    memset(chain, 0, sizeof *chain);
    for (int r = 0; r < 2 * n; r++) {
        int at = (r * (freedoms - 4)) / (2 * n);
        for (int d = 0; d < 4; d++)
            chain->J[r][at + d] = multi_random(seed, -1, 1);
    }
    for (int i = 2; i < n; i += 5)
        for (int d = 0; d < freedoms; d++)
            chain->J[2 * i + 1][d] =
                0.7 * chain->J[2 * i - 1][d] + 0.4 * chain->J[2 * i - 2][d];
    for (int r = 0; r < 2 * n; r++)
        for (int c = 0; c < 2 * n; c++)
            for (int d = 0; d < freedoms; d++)
                chain->W[r * 2 * n + c] += chain->J[r][d] * chain->J[c][d];
    for (int i = 0; i < n; i++) {
        chain->on[i] = multi_random(seed, 0, 1) < 0.95;
        chain->sticks[i] = multi_random(seed, 0, 1) < 0.8;
    }
}

/* What all held rows but that of the point leave of its own, by singular
 * values, over its size. *doubt: their rank is not clear. */
static double
left_of(int n, const struct chain *chain, int point, bool *doubt)
{
    static double G[4 * MOST * MOST], V[4 * MOST * MOST];
    double s[2 * MOST], b[2 * MOST], x[2 * MOST], work[2 * MOST];
    int row[2 * MOST], k = 0, rank = 0, self = 2 * point + 1, all = 2 * n;
    for (int i = 0; i < n; i++) {
        if (chain->on[i])
            row[k++] = 2 * i;
        if (chain->on[i] && chain->sticks[i] && i != point)
            row[k++] = 2 * i + 1;
    }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            G[i * k + j] = chain->W[row[i] * all + row[j]];
    assert_true(dense_svd(k, k, G, V, s) > 0);
    while (rank < k && s[rank] > DEPENDS * s[0])
        rank++;
    *doubt = s[rank - 1] < 1e-8 * s[0] || (rank < k && s[rank] > 1e-14 * s[0]);
    for (int i = 0; i < k; i++)
        b[i] = chain->W[row[i] * all + self];
    dense_svd_solve(k, k, G, V, s, rank, b, x, work);
    double own = chain->W[self * (all + 1)], left = own;
    for (int i = 0; i < k; i++)
        left -= b[i] * x[i];
    return left / own;
}

static void
held_slips(void **state)
{
    (void)state;
    uint64_t seed = 3;
    static struct chain chain;
    int held = 0, loose = 0, many = 0;
    for (int t = 0; t < 40; t++) {
        struct arena *arena = arena_new();
        int n = 20 + t, freedoms = 2 * n - (t % 3) * 8;
        struct friction_point point[MOST] = {{0}};
        make_chain(&seed, n, freedoms, &chain);
        struct choice_group group = {
            .arena = arena,
            .instant = {.n = n, .point = point, .W = chain.W},
            .point = point};
        for (int i = 0; i < n; i += 1 + t % 4) {
            bool doubt;
            double left = left_of(n, &chain, i, &doubt);
            if (doubt || (left > 1e-13 && left < 1e-8))
                continue;
            assert_int_equal(choice_depends(&group, chain.on, chain.sticks, i),
                             left < DEPENDS);
            held += left < DEPENDS;
            loose += left >= DEPENDS;
            many += n > 45;
        }
        arena_free(arena);
    }
    assert_true(held > 50 && loose > 50 && many > 50);
}

/* Points at the edges of their cones are tied to them if others hold their
 * slips, also where one factorisation answers for all that stand alone. */
static void
ties(void **state)
{
    (void)state;
    uint64_t seed = 9;
    static struct chain chain;
    int tied = 0, alone = 0;
    for (int t = 0; t < 20; t++) {
        struct arena *arena = arena_new();
        int n = 40 + t, order[MOST], side[MOST] = {0};
        double normal[MOST], tangential[MOST];
        enum contact_mode mode[MOST];
        bool sticks[MOST], doubt = false;
        struct friction_point point[MOST] = {{0}};
        make_chain(&seed, n, 2 * n, &chain);
        struct choice_group group = {
            .arena = arena,
            .instant = {.n = n, .point = point, .W = chain.W},
            .point = point};
        struct friction_set set = {
            .mode = mode, .normal = normal, .tangential = tangential};
        for (int i = 0; i < n; i++) {
            order[i] = i;
            point[i].mu_static = point[i].mu_dynamic = 0.5;
            normal[i] = 1.0;
            tangential[i] = i % 2 ? 0.5 : -0.5;
            mode[i] = CONTACT_STICK;
            sticks[i] = chain.on[i] && chain.sticks[i];
        }
        choice_tie(&group, &set, NULL, -1, order, n, chain.on, sticks, side);
        /* one by one, in the order in which they are asked */
        for (int i = 0; i < n && !doubt; i++) {
            bool one;
            if (!chain.on[i] || !chain.sticks[i])
                continue;
            double left = left_of(n, &chain, i, &one);
            doubt = one || (left > 1e-13 && left < 1e-8);
            if (doubt)
                break;
            assert_int_equal(side[i] != 0, left < DEPENDS);
            if (left < DEPENDS)
                chain.sticks[i] = false;
            tied += left < DEPENDS;
            alone += left >= DEPENDS;
        }
        arena_free(arena);
    }
    assert_true(tied > 30 && alone > 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(held_slips),
                                       cmocka_unit_test(ties)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
