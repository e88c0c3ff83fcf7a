/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Balance of forces in cones of friction, against closed forms and against what
 * must hold of random points. */
#include "base/arena.h"
#include "impact_help.h"
#include "runtime/balance/balance.h"

static struct arena *arena;

static int
set_up(void **state)
{
    (void)state;
    arena = arena_new();
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

/* A block on a slope: two corners, rows (along x, along y, moment). */
static void
block_on_slope(void **state)
{
    (void)state;
    for (int k = 1; k < 8; k++) {
        double alpha = 0.1 * k, c = cos(alpha), s = sin(alpha), w = 1, h = 0.3;
        /* normal (-s, c), along the slope (c, s); corners at -w and w, the
         * centre h above */
        double normal[6] = {-s, c, -w, -s, c, w};
        double along[6] = {c, s, h, c, s, h};
        double load[3] = {0, -9.81, 0}, mu[2] = {0.5, 0.5};
        struct balance_problem in = {2, 0, 3, normal, along, NULL, load, mu};
        struct balance out;
        balance_find(arena, &in, &out);
        CLOSE(out.critical, tan(alpha) / 0.5, 1e-9);
        assert_int_equal(out.possible, tan(alpha) <= 0.5);
        if (!out.possible)
            continue;
        /* normal forces follow from the balance, friction is shared */
        CLOSE(out.normal[0] + out.normal[1], 9.81 * c, 1e-9);
        CLOSE(out.normal_most[0] - out.normal_least[0], 0, 1e-8);
        CLOSE(out.tangential[0] + out.tangential[1], 9.81 * s, 1e-9);
        assert_true(out.tangential_most[0] > out.tangential[0] + 1e-3);
        assert_false(out.unique);
    }
}

/* uniform ladder between floor and wall: friction.md, 3 */
static void
ladder(void **state)
{
    (void)state;
    double mu[2] = {0.4, 0.3}, load[3] = {0, -9.81, 0};
    double angle = atan((1 - mu[0] * mu[1]) / (2 * mu[0]));
    for (int k = -1; k <= 1; k++) {
        double a = angle + 0.05 * k, c = cos(a), s = sin(a);
        double normal[6] = {0, 1, c, 1, 0, -s}, along[6] = {1, 0, s, 0, 1, -c};
        struct balance_problem in = {2, 0, 3, normal, along, NULL, load, mu};
        struct balance out;
        balance_find(arena, &in, &out);
        if (k == 0)
            CLOSE(out.critical, 1, 1e-9);
        else
            assert_int_equal(out.possible, k > 0);
        /* the factor f of both mu: tan = (1 - f^2 m n)/(2 f m) */
        double m = mu[0], n = mu[1], t = tan(a),
               f = (-t * m + sqrt(t * t * m * m + m * n)) / (m * n);
        CLOSE(out.critical, f, 1e-9);
        if (k > 0)
            assert_true(out.normal_most[1] > out.normal_least[1] + 1e-3);
    }
}

/* Two jaws that squeeze a block wedge it: forces have no greatest value. */
static void
jaws(void **state)
{
    (void)state;
    double normal[6] = {1, 0, 0, -1, 0, 0}, along[6] = {0, -1, 1, 0, 1, 1};
    double load[3] = {0, -9.81, 0}, mu[2] = {0.4, 0.4};
    struct balance_problem in = {2, 0, 3, normal, along, NULL, load, mu};
    struct balance out;
    balance_find(arena, &in, &out);
    assert_true(out.possible);
    CLOSE(out.normal_least[0], 9.81 / 0.8, 1e-8);
    assert_true(isinf(out.normal_most[0]));
    CLOSE(out.tangential_most[0], -9.81 / 2, 1e-8);
}

/* A load that is made of forces in the cones can be held; the answer balances
 * it, and lies between its extremes. */
static void
random_points(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int held = 0, loose = 0;
    for (int t = 0; t < 3000; t++) {
        int n = 1 + t % 6, rows = t % 2 ? 3 : 6, joints = t % 3;
        double normal[36], along[36], joint[18], load[6] = {0}, mu[6];
        for (int i = 0; i < n * rows; i++) {
            normal[i] = multi_random(&seed, -1, 1);
            along[i] = multi_random(&seed, -1, 1);
        }
        for (int i = 0; i < joints * rows; i++)
            joint[i] = multi_random(&seed, -1, 1);
        for (int i = 0; i < n; i++)
            mu[i] = multi_random(&seed, 0, 1);
        bool made = t % 4 != 0;
        for (int r = 0; r < rows; r++) {
            load[r] = made ? 0.0 : multi_random(&seed, -1, 1);
            for (int i = 0; i < n && made; i++)
                load[r] -= normal[i * rows + r] +
                           (i % 2 ? 0.5 : -0.9) * mu[i] * along[i * rows + r];
            for (int k = 0; k < joints && made; k++)
                load[r] -= 0.3 * joint[k * rows + r];
        }
        struct balance_problem in = {n,     joints, rows, normal,
                                     along, joint,  load, mu};
        struct balance out;
        balance_find(arena, &in, &out);
        assert_true(out.possible || !made);
        assert_int_equal(out.possible, out.critical <= 1 + 1e-9);
        held += out.possible;
        loose += !out.possible;
        for (int i = 0; i < n && out.possible; i++) {
            double N = out.normal[i], T = out.tangential[i];
            assert_true(N >= -1e-7 && fabs(T) <= mu[i] * N + 1e-7);
            assert_true(N >= out.normal_least[i] - 1e-6 * (1 + fabs(N)));
            assert_true(N <= out.normal_most[i] + 1e-6 * (1 + fabs(N)));
        }
        arena_clear(arena);
    }
    assert_true(held > 2000 && loose > 100);
}

/* Random arches of stones with random weights on a floor. Coefficients that are
 * a factor greater have a critical factor that much smaller, and forces exist
 * on the one side of it alone. */
static void
arches(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int held = 0, loose = 0;
    for (int t = 0; t < 300; t++) {
        int stones = 3 + t % 5, n = 2 * (stones + 1), rows = 3 * stones;
        double normal[16 * 21] = {0}, along[16 * 21] = {0}, load[21] = {0},
                           mu[16], thick = multi_random(&seed, 0.06, 0.3),
                           half = M_PI / (2 * stones), rho = cos(half);
        for (int s = 0; s < stones; s++)
            load[3 * s + 1] = -multi_random(&seed, 50, 150);
        for (int i = 0; i < n; i++) {
            /* joint j lies between stones j - 1 and j; two corners each */
            int j = i / 2;
            double a = 2 * half * j, r = 1 + (i % 2 ? 0.5 : -0.5) * thick,
                   x = r * cos(a), y = r * sin(a), u = -sin(a), v = cos(a);
            for (int side = 0; side < 2; side++) {
                int s = side ? j : j - 1;
                if (s < 0 || s >= stones)
                    continue;
                double m = half * (2 * s + 1), sign = side ? 1 : -1,
                       px = x - rho * cos(m), py = y - rho * sin(m);
                double *N = normal + i * rows + 3 * s,
                       *T = along + i * rows + 3 * s;
                N[0] = sign * u;
                N[1] = sign * v;
                N[2] = sign * (px * v - py * u);
                T[0] = sign * v;
                T[1] = -sign * u;
                T[2] = sign * (-px * u - py * v);
            }
            mu[i] = 0.2 + 0.1 * (t % 7);
        }
        struct balance_problem in = {n, 0, rows, normal, along, NULL, load, mu};
        struct balance one, two;
        balance_find(arena, &in, &one);
        double factor = multi_random(&seed, 0.5, 2);
        for (int i = 0; i < n; i++)
            mu[i] *= factor;
        balance_find(arena, &in, &two);
        assert_int_equal(isinf(one.critical), isinf(two.critical));
        /* what is missing to the load, known to 1e-13 of it, grows by some 1e-4
         * of the factor where the line of thrust is steep */
        if (isfinite(one.critical))
            CLOSE(two.critical * factor / one.critical, 1, 1e-8);
        assert_int_equal(one.possible, one.critical <= 1);
        assert_int_equal(two.possible, two.critical <= 1);
        held += one.possible;
        loose += isinf(one.critical);
        arena_clear(arena);
    }
    assert_true(held > 50 && loose > 10);
}

static double
determinant(const double *a, const double *b, const double *c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) -
           a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Can forces along three edges of the cones hold the load? (Caratheodory: if
 * any can, three can.) */
static bool
three_hold(const struct balance_problem *in, double factor)
{
    double edge[8][3];
    int n = 2 * in->n;
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 3; r++)
            edge[i][r] = in->normal[i / 2 * 3 + r] +
                         (i % 2 ? factor : -factor) * in->mu[i / 2] *
                             in->tangential[i / 2 * 3 + r];
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = j + 1; k < n; k++) {
                double D = -determinant(edge[i], edge[j], edge[k]);
                if (determinant(in->load, edge[j], edge[k]) / D >= 0 &&
                    determinant(edge[i], in->load, edge[k]) / D >= 0 &&
                    determinant(edge[i], edge[j], in->load) / D >= 0)
                    return true;
            }
    return false;
}

/* The critical factor of points that wedge a body: forces there grow beyond all
 * bounds as the factor falls to it. */
static void
wedged(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int finite = 0, jams = 0;
    for (int t = 0; t < 3000; t++) {
        int n = 2 + t % 3;
        double normal[12], along[12], load[3], mu[4], size = 0;
        for (int i = 0; i < n; i++) {
            double a = multi_random(&seed, 0, 2 * M_PI),
                   x = multi_random(&seed, -1, 1),
                   y = multi_random(&seed, -1, 1);
            double *N = normal + 3 * i, *T = along + 3 * i;
            N[0] = T[1] = cos(a);
            N[1] = sin(a);
            T[0] = -N[1];
            N[2] = x * N[1] - y * N[0];
            T[2] = x * T[1] - y * T[0];
            mu[i] = multi_random(&seed, 0, 1);
        }
        for (int r = 0; r < 3; r++)
            load[r] = multi_random(&seed, -1, 1);
        struct balance_problem in = {n, 0, 3, normal, along, NULL, load, mu};
        struct balance out;
        balance_find(arena, &in, &out);
        /* beyond 100 the edges of all cones are alike to 1e-4, and rounding
         * counts 1e4 times */
        if (out.critical < 100 && out.critical > 0) {
            finite++;
            assert_true(three_hold(&in, out.critical * (1 + 1e-7)));
            assert_false(three_hold(&in, out.critical * (1 - 1e-7)));
            for (int i = 0; i < n; i++)
                mu[i] *= out.critical * (1 + 1e-6);
            balance_find(arena, &in, &out);
            assert_true(out.possible);
            for (int i = 0; i < n; i++)
                size = fmax(size, out.normal[i]);
            jams += size > 1e4;
        }
        arena_clear(arena);
    }
    assert_true(finite > 500 && jams > 50);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(block_on_slope, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ladder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(jaws, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wedged, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
