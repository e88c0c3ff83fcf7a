/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two contact points with friction: all choices of modes written down one by
 * one, each as four linear equations, against what the machine says. */
#include "impact_help.h"
#include "runtime/friction/friction.h"

/* Choices nearer to a border of their inequalities than this share are left
 * out: there both sides may be right. */
#define BORDER 1e-7
#define PAIRS 100000

enum { FREE, STICK, FORWARD, BACKWARD, MODES };

struct two {
    double W[16], free[4], mu[2], slip[2];
};

static void
draw(uint64_t *seed, struct two *two)
{
    double J[4][5], f[5];
    for (int d = 0; d < 5; d++)
        f[d] = multi_random(seed, -1, 1);
    for (int r = 0; r < 4; r++)
        for (int d = 0; d < 5; d++)
            J[r][d] = multi_random(seed, -1, 1);
    for (int r = 0; r < 4; r++) {
        two->free[r] = 0;
        for (int d = 0; d < 5; d++)
            two->free[r] += J[r][d] * f[d];
        for (int c = 0; c < 4; c++) {
            two->W[4 * r + c] = 0;
            for (int d = 0; d < 5; d++)
                two->W[4 * r + c] += J[r][d] * J[c][d];
        }
    }
    for (int i = 0; i < 2; i++) {
        double kind = multi_random(seed, 0, 3);
        two->mu[i] = multi_random(seed, .05, 2);
        two->slip[i] = kind < 1.5 ? 0 : kind < 2.25 ? 1 : -1;
    }
}

/* Gauss's elimination with pivots; false: singular. */
static bool
solve(double A[4][5])
{
    for (int k = 0; k < 4; k++) {
        int best = k;
        for (int r = k; r < 4; r++)
            if (fabs(A[r][k]) > fabs(A[best][k]))
                best = r;
        if (fabs(A[best][k]) < 1e-9)
            return false;
        for (int c = 0; c < 5; c++) {
            double swap = A[k][c];
            A[k][c] = A[best][c];
            A[best][c] = swap;
        }
        for (int r = 0; r < 4; r++)
            for (int c = 4; c >= k && r != k; c--)
                A[r][c] -= A[r][k] / A[k][k] * A[k][c];
    }
    for (int k = 0; k < 4; k++)
        A[k][4] /= A[k][k];
    return true;
}

/* The forces and accelerations of a choice. 1: it holds, 0: it does not, -1: it
 * is too near to a border to say. */
static int
holds(const struct two *two, const int mode[2], double acc[4])
{
    double A[4][5] = {{0}}, force[4], least = 1;
    for (int i = 0; i < 2; i++) {
        double *normal = A[2 * i], *tangent = A[2 * i + 1];
        if (mode[i] == FREE) {
            normal[2 * i] = 1;
        } else {
            memcpy(normal, two->W + 8 * i, 4 * sizeof *normal);
            normal[4] = -two->free[2 * i];
        }
        if (mode[i] == STICK) {
            memcpy(tangent, two->W + 8 * i + 4, 4 * sizeof *tangent);
            tangent[4] = -two->free[2 * i + 1];
        } else {
            tangent[2 * i + 1] = 1;
            tangent[2 * i] = mode[i] == FORWARD    ? two->mu[i]
                             : mode[i] == BACKWARD ? -two->mu[i]
                                                   : 0;
        }
    }
    if (!solve(A))
        return -1;
    for (int r = 0; r < 4; r++)
        force[r] = A[r][4];
    for (int r = 0; r < 4; r++) {
        acc[r] = two->free[r];
        for (int c = 0; c < 4; c++)
            acc[r] += two->W[4 * r + c] * force[c];
    }
    for (int i = 0; i < 2; i++) {
        double N = force[2 * i], T = force[2 * i + 1], mu = two->mu[i];
        double claim[3] = {1, 1, 1};
        claim[0] = mode[i] == FREE ? acc[2 * i] : N;
        if (mode[i] == STICK) {
            claim[1] = mu * N - T;
            claim[2] = mu * N + T;
        } else if (mode[i] != FREE && two->slip[i] == 0) {
            claim[1] = mode[i] == FORWARD ? acc[2 * i + 1] : -acc[2 * i + 1];
        }
        for (int k = 0; k < 3; k++)
            least = fmin(least, claim[k]);
    }
    return least > BORDER ? 1 : least < -BORDER ? 0 : -1;
}

/* How many different motions there are; -1: too near to a border to say. */
static int
count(const struct two *two)
{
    double seen[16][4];
    int n = 0;
    for (int a = 0; a < MODES; a++)
        for (int b = 0; b < MODES; b++) {
            int mode[2] = {a, b};
            bool may = true;
            for (int i = 0; i < 2; i++)
                may &= two->slip[i] == 0 || mode[i] == FREE ||
                       mode[i] == (two->slip[i] > 0 ? FORWARD : BACKWARD);
            int here = may ? holds(two, mode, seen[n]) : 0;
            if (here < 0)
                return -1;
            n += here;
        }
    return n;
}

static void
verdicts(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    uint64_t seed = 17;
    int told[17] = {0}, border = 0;
    for (int t = 0; t < PAIRS; t++) {
        struct two two;
        draw(&seed, &two);
        int n = count(&two);
        if (n < 0) {
            border++;
            continue;
        }
        struct friction_point point[2];
        for (int i = 0; i < 2; i++)
            point[i] = (struct friction_point){.mu_static = two.mu[i],
                                               .mu_dynamic = two.mu[i],
                                               .slip = two.slip[i]};
        double terms[4];
        for (int r = 0; r < 4; r++)
            terms[r] = fabs(two.free[r]);
        struct friction_instant in = {.n = 2,
                                      .point = point,
                                      .W = two.W,
                                      .free = two.free,
                                      .terms = terms};
        struct friction_choice *choice = NEW(arena, struct friction_choice);
        friction_choose(arena, &in, choice);
        assert_int_equal(choice->n, n);
        assert_int_equal(choice->verdict, n == 0   ? FRICTION_NONE
                                          : n == 1 ? FRICTION_UNIQUE
                                                   : FRICTION_SEVERAL);
        told[n]++;
        arena_clear(arena);
    }
    assert_true(border < PAIRS / 100);
    assert_true(told[0] > 100 && told[1] > PAIRS / 2 && told[2] > 100);
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
