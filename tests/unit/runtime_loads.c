/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts that can share their loads in many ways: of all solutions of a
 * singular system the least one, and the bounds of forces that are not unique
 * against members of the family that are drawn at random. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "impact_help.h"
#include "runtime/friction/friction.h"
#include "runtime/numerics/factors.h"

#define MOST 6

/* -- least norm ------------------------------------------------------------ */

/* A = B C with n x rank and rank x n, so that what C takes to 0 changes no
 * equation: the least solution is C^T y. */
static void
least_of_singular(void **state)
{
    (void)state;
    uint64_t seed = 11;
    double worst = 0.0;
    for (int t = 0; t < 20000; t++) {
        int n = 1 + (int)multi_random(&seed, 0, MOST), piv[MOST],
            rank = (int)multi_random(&seed, 0, n + 1);
        double B[MOST][MOST], C[MOST][MOST],
            a[MOST * MOST] = {0}, b[MOST], least[MOST] = {0}, size = 0.0;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < rank; k++) {
                B[i][k] = multi_random(&seed, -1, 1) + 2.0 * (i == k);
                C[k][i] = multi_random(&seed, -1, 1) + 2.0 * (i == k);
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < rank; k++)
                    a[i * n + j] += B[i][k] * C[k][j];
        for (int k = 0; k < rank; k++) {
            double y = multi_random(&seed, -1, 1);
            for (int j = 0; j < n; j++)
                least[j] += y * C[k][j];
        }
        for (int i = 0; i < n; i++) {
            b[i] = 0.0;
            for (int j = 0; j < n; j++)
                b[i] += a[i * n + j] * least[j];
            size = fmax(size, fabs(least[i]));
        }
        assert_int_equal(imp_rank_factor(n, a, piv), 0);
        imp_rank_solve(n, a, piv, b);
        for (int i = 0; i < n; i++)
            worst = fmax(worst, fabs(b[i] - least[i]) / (size + DBL_MIN));
    }
    print_message("least norm: to %.1e\n", worst);
    assert_true(worst < 1e-9); /* conditions of B C to 1e6 */
}

/* Rows and columns in other units: a regular matrix of which some entries are 0
 * is solved as well as without units. */
static void
rank_in_any_units(void **state)
{
    (void)state;
    uint64_t seed = 12;
    double worst = 0.0;
    for (int t = 0; t < 20000; t++) {
        int n = 2 + (int)multi_random(&seed, 0, MOST - 1), piv[MOST];
        double unit[2][MOST], a[MOST * MOST], was[MOST * MOST], b[MOST],
            x[MOST], size[MOST] = {0};
        for (int i = 0; i < n * n; i++)
            was[i] = multi_random(&seed, 0, 1) < 0.4 && i % (n + 1)
                         ? 0.0
                         : multi_random(&seed, -1, 1) + 3.0 * !(i % (n + 1));
        for (int i = 0; i < n; i++)
            for (int side = 0; side < 2; side++)
                unit[side][i] = ldexp(1.0, (int)multi_random(&seed, -60, 60));
        for (int i = 0; i < n; i++)
            x[i] = multi_random(&seed, -1, 1) / unit[1][i];
        for (int i = 0; i < n; i++) {
            b[i] = 0.0;
            for (int j = 0; j < n; j++) {
                a[i * n + j] = was[i * n + j] * unit[0][i] * unit[1][j];
                b[i] += a[i * n + j] * x[j];
                size[i] = fmax(size[i], fabs(a[i * n + j] * x[j]));
            }
        }
        memcpy(was, a, sizeof *a * (size_t)(n * n));
        memcpy(x, b, sizeof *x * (size_t)n);
        assert_int_equal(imp_rank_factor(n, a, piv), 0);
        imp_rank_solve(n, a, piv, b);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                x[i] -= was[i * n + j] * b[j];
            worst = fmax(worst, fabs(x[i]) / (size[i] + DBL_MIN));
        }
    }
    print_message("equations in any units: to %.1e\n", worst);
    assert_true(worst < 1e-9); /* conditions to 1e6 without units */
}

/* Two unknowns are solved by the operations of more of them: with a third one
 * that stands by itself, whose pivot is the first or the last, the bits of the
 * solution are the same. */
static void
two_as_more(void **state)
{
    (void)state;
    uint64_t seed = 13;
    int singular = 0;
    for (int t = 0; t < 20000; t++) {
        double two[4], more[9] = {0}, b[2], c[3];
        int piv[3];
        for (int i = 0; i < 4; i++)
            two[i] = multi_random(&seed, 0, 1) < 0.2
                         ? 0.0
                         : ldexp(multi_random(&seed, -1, 1),
                                 (int)multi_random(&seed, -20, 20));
        for (int i = 0; i < 2; i++) {
            b[i] = c[i] = multi_random(&seed, -1, 1);
            for (int j = 0; j < 2; j++)
                more[3 * i + j] = two[2 * i + j];
        }
        more[8] = 3.0;
        c[2] = 6.0;
        assert_int_equal(imp_rank_factor(2, two, piv), 0);
        singular += piv[0] < 0 || piv[1] < 0;
        imp_rank_solve(2, two, piv, b);
        assert_int_equal(imp_rank_factor(3, more, piv), 0);
        imp_rank_solve(3, more, piv, c);
        assert_true(c[2] == 6.0 * (1.0 / 3.0));
        assert_true(b[0] == c[0] && b[1] == c[1]);
    }
    print_message("two unknowns: %d of 20000 depend on each other\n", singular);
    assert_true(singular > 100);
}

/* -- bounds ---------------------------------------------------------------- */

/* Points at places of a bar that slides along the ground, above which its mass
 * centre stands: two equations for n forces. */
struct bar {
    int n;
    double place[MOST], mu[MOST], height, inertia;
    double W[4 * MOST * MOST], free[2 * MOST];
    struct friction_point point[MOST];
};

static void
random_bar(uint64_t *seed, struct bar *bar)
{
    bar->n = 3 + (int)multi_random(seed, 0, 3);
    bar->height = multi_random(seed, 0, 0.3);
    bar->inertia = multi_random(seed, 0.1, 1);
    bool same = multi_random(seed, 0, 1) < 0.3;
    for (int i = 0; i < bar->n; i++) {
        bar->place[i] = i - 0.5 * (bar->n - 1) + multi_random(seed, -.3, .3);
        bar->mu[i] = same && i ? bar->mu[0] : multi_random(seed, 0, 0.8);
        bar->point[i] =
            (struct friction_point){bar->mu[i],   bar->mu[i], 1.0, false, false,
                                    CONTACT_FREE, false,      0.0, false, 0.0};
        bar->free[2 * i] = -1.0;
        bar->free[2 * i + 1] = 0.0;
    }
    int rows = 2 * bar->n;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < rows; c++) {
            double turn = (r % 2 ? bar->height : bar->place[r / 2]) *
                          (c % 2 ? bar->height : bar->place[c / 2]);
            bar->W[r * rows + c] = (r % 2 == c % 2) + turn / bar->inertia;
        }
}

/* A member: draws n - 2 forces, finds the two of the ends. False: one pulls. */
static bool
draw_member(uint64_t *seed, const struct bar *bar, double *N)
{
    double force = 1.0, moment = 0.0, arm[MOST];
    for (int i = 0; i < bar->n; i++)
        arm[i] = bar->place[i] - bar->mu[i] * bar->height;
    for (int i = 1; i < bar->n - 1; i++) {
        N[i] = multi_random(seed, 0, 1) < 0.3 ? 0.0 : multi_random(seed, 0, 1);
        force -= N[i];
        moment -= N[i] * arm[i];
    }
    int last = bar->n - 1;
    N[last] = (moment - force * arm[0]) / (arm[last] - arm[0]);
    N[0] = force - N[last];
    return N[0] >= 0.0 && N[last] >= 0.0;
}

/* Whether accelerations differ by more than some number is asked of few rows:
 * it is so where all rows say it. */
static void
spread_of_all(struct arena *arena, const struct friction_choice *choice)
{
    static const double share[] = {1e-9, 0.5, 0.99, 1.01, 2.0};
    if (choice->verdict != FRICTION_LOADS)
        return;
    double all = friction_spread(arena, choice, INFINITY);
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
        double enough = share[i] * all;
        assert_int_equal(friction_spread(arena, choice, enough) > enough,
                         all > enough);
    }
}

static void
bounds_of_members(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    uint64_t seed = 5;
    int families = 0, moves = 0, drawn = 0;
    for (int t = 0; t < 2000; t++) {
        struct bar bar;
        struct friction_choice choice;
        struct friction_range range[MOST];
        random_bar(&seed, &bar);
        struct friction_instant in = {.n = bar.n,
                                      .point = bar.point,
                                      .W = bar.W,
                                      .free = bar.free,
                                      .terms = NULL};
        friction_choose(arena, &in, &choice);
        /* one motion, or one family: never several beside each other */
        assert_true(choice.verdict != FRICTION_SEVERAL);
        families += choice.verdict == FRICTION_SHARED;
        moves += choice.verdict == FRICTION_LOADS;
        spread_of_all(arena, &choice);
        bool whole = choice.n == 1;
        for (int i = 0; i < bar.n && whole; i++)
            whole = choice.set[0].mode[i] == CONTACT_SLIP_POSITIVE;
        if (!whole) {
            arena_clear(arena);
            continue;
        }
        friction_ranges(arena, &in, &choice.set[0], range);
        double least = 0.0;
        for (int i = 0; i < bar.n; i++) {
            double N = choice.set[0].normal[i];
            least += N * N * (1.0 + bar.mu[i] * bar.mu[i]);
            assert_true(range[i].normal[0] <= N + 1e-9 &&
                        N <= range[i].normal[1] + 1e-9);
        }
        for (int k = 0; k < 50; k++) {
            double N[MOST], slip = 0.0, turn = 0.0, norm = 0.0;
            if (!draw_member(&seed, &bar, N))
                continue;
            drawn++;
            for (int i = 0; i < bar.n; i++) {
                norm += N[i] * N[i] * (1.0 + bar.mu[i] * bar.mu[i]);
                slip -= bar.mu[i] * N[i];
                turn += N[i] * (bar.place[i] - bar.mu[i] * bar.height);
            }
            slip += bar.height * turn / bar.inertia;
            assert_true(norm >= least - 1e-9);
            for (int i = 0; i < bar.n; i++) {
                assert_true(range[i].normal[0] <= N[i] + 1e-9 &&
                            N[i] <= range[i].normal[1] + 1e-9);
                assert_true(range[i].slip[0] <= slip + 1e-9 &&
                            slip <= range[i].slip[1] + 1e-9);
            }
        }
        arena_clear(arena);
    }
    print_message("%d families of one motion, %d of many, %d members\n",
                  families, moves, drawn);
    assert_true(families > 300 && moves > 500 && drawn > 5000);
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_of_singular),
        cmocka_unit_test(rank_in_any_units),
        cmocka_unit_test(two_as_more),
        cmocka_unit_test(bounds_of_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
