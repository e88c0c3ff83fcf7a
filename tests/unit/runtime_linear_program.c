/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear programs whose least values are known: for a feasible x and any y,
 * costs c = A' y + s, with s >= 0 where x is 0 and 0 elsewhere, have the least
 * value c.x = b.y. Most sides are 0 and most of s is, so that steps stand still
 * and there are many least vertices. Thousands of questions are put to one
 * program, each of which begins where the one before has ended. */
#include "base/arena.h"
#include "impact_help.h"
#include "runtime/numerics/dense.h"
#include "runtime/programs/linear_program.h"

#define ROWS 60
#define COLUMNS 130
#define QUESTIONS 400

struct data {
    int m, n;
    double A[ROWS * COLUMNS], b[ROWS], x[COLUMNS];
};

/* Bounds of few directions, each with a slack of its own, as those of forces
 * that are not unique: t >= 0 in d directions and their negatives. cone: all
 * sides are 0, so that no step gains anything, and they have to be shifted. */
static void
random_data(uint64_t *seed, int m, int d, bool cone, struct data *data)
{
    *data = (struct data){.m = m, .n = 2 * d + m};
    for (int j = 0; j < d && !cone; j++)
        data->x[2 * j] = multi_random(seed, 0, 1);
    for (int i = 0; i < m; i++) {
        double *row = data->A + i * data->n, value = 0.0;
        for (int j = 0; j < d; j++) {
            row[2 * j] = multi_random(seed, -1, 1);
            row[2 * j + 1] = -row[2 * j];
            value += row[2 * j] * data->x[2 * j];
        }
        row[2 * d + i] = value < 0.0 ? 1.0 : -1.0;
        /* two of three bounds hold with equality: the side is their value */
        double slack = i % 3 ? 0.0 : fabs(value);
        data->x[2 * d + i] = slack;
        data->b[i] = value + row[2 * d + i] * slack;
    }
}

/* Costs with a known least value, which is returned. */
static double
random_costs(uint64_t *seed, const struct data *data, double *c)
{
    double least = 0.0;
    for (int j = 0; j < data->n; j++)
        c[j] = data->x[j] == 0.0 && multi_random(seed, 0, 1) < 0.3
                   ? multi_random(seed, 0, 1)
                   : 0.0;
    for (int i = 0; i < data->m; i++) {
        double y = multi_random(seed, -1, 1);
        least += data->b[i] * y;
        for (int j = 0; j < data->n; j++)
            c[j] += data->A[i * data->n + j] * y;
    }
    return least;
}

/* Is x feasible, and is c.x what was said? */
static void
check(const struct data *data, const double *c, const double *x, double least)
{
    double value = 0.0, size = 1.0;
    for (int j = 0; j < data->n; j++) {
        assert_true(x[j] >= 0.0);
        value += c[j] * x[j];
        size += fabs(c[j] * x[j]);
    }
    CLOSE(value, least, 1e-9 * size);
    for (int i = 0; i < data->m; i++) {
        double sum = -data->b[i], terms = 1.0;
        for (int j = 0; j < data->n; j++) {
            sum += data->A[i * data->n + j] * x[j];
            terms += fabs(data->A[i * data->n + j] * x[j]);
        }
        assert_true(fabs(sum) <= 1e-9 * terms);
    }
}

static void
known_values(void **state)
{
    (void)state;
    uint64_t seed = 7;
    static struct data data;
    double c[COLUMNS], x[COLUMNS];
    for (int t = 0; t < 12; t++) {
        struct arena *arena = arena_new();
        random_data(&seed, 10 + 5 * (t % 11), 3 + 3 * (t % 11), t % 3 == 2,
                    &data);
        struct linear_program *program = linear_program_new(
            arena, data.m, data.n, 0, data.A, data.b, LINEAR_PROGRAM_ZERO);
        assert_non_null(program);
        for (int k = 0; k < QUESTIONS; k++) {
            double least = random_costs(&seed, &data, c);
            CLOSE(linear_program_least(program, c, x), least,
                  1e-9 * (1.0 + fabs(least)));
            check(&data, c, x, least);
        }
        arena_free(arena);
    }
}

/* The bounds of random_data as inequalities, or, every other one that holds
 * with equality, as equations, which come last: rows whose slacks have no
 * columns. Returns how many inequalities there are. */
static int
without_columns(const struct data *data, double *A, double *b)
{
    int d = (data->n - data->m) / 2, row = 0, slacks = 0;
    for (int equations = 0; equations < 2; equations++)
        for (int i = 0; i < data->m; i++) {
            const double *from = data->A + i * data->n;
            if ((i % 6 == 1) != (equations == 1))
                continue;
            for (int j = 0; j < 2 * d; j++)
                A[row * 2 * d + j] = -from[2 * d + i] * from[j];
            b[row++] = -from[2 * d + i] * data->b[i];
            slacks += !equations;
        }
    return slacks;
}

static void
slacks_without_columns(void **state)
{
    (void)state;
    uint64_t seed = 11;
    static struct data data;
    static double A[ROWS * COLUMNS];
    double b[ROWS], c[COLUMNS], x[COLUMNS];
    for (int t = 0; t < 12; t++) {
        struct arena *arena = arena_new();
        int d = 3 + 3 * (t % 11);
        random_data(&seed, 10 + 5 * (t % 11), d, t % 3 == 2, &data);
        int slacks = without_columns(&data, A, b);
        struct linear_program *program = linear_program_new(
            arena, data.m, 2 * d, slacks, A, b, LINEAR_PROGRAM_ZERO);
        assert_non_null(program);
        for (int k = 0; k < QUESTIONS; k++) {
            double least = random_costs(&seed, &data, c), size = 1.0;
            for (int i = 0; i < data.m; i++) { /* what slacks cost */
                double *row = data.A + i * data.n, own = c[2 * d + i];
                least -= own * row[2 * d + i] * data.b[i];
                size += fabs(own * data.b[i]);
                for (int j = 0; j < 2 * d; j++)
                    c[j] -= own * row[2 * d + i] * row[j];
            }
            CLOSE(linear_program_least(program, c, x), least,
                  1e-9 * (size + fabs(least)));
            for (int i = 0; i < data.m; i++) {
                double left = dense_dot(2 * d, A + i * 2 * d, x) - b[i];
                assert_true(left >= -1e-9 * size);
                assert_true(i < slacks || left <= 1e-9 * size);
            }
        }
        arena_free(arena);
    }
}

/* Kuhn's example, in which steps of steepest descent may come back to where
 * they were (M. L. Balinski and A. W. Tucker 1969): the least value is -2. */
static void
steps_that_stand_still(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    const double A[] = {-2,     -9, 1,       9,   1, 0, 0, /**/
                        1 / 3., 1,  -1 / 3., -2,  0, 1, 0, /**/
                        2,      3,  -1,      -12, 0, 0, 1},
                 b[] = {0, 0, 2}, c[] = {-2, -3, 1, 12, 0, 0, 0};
    double x[7];
    struct linear_program *program =
        linear_program_new(arena, 3, 7, 0, A, b, LINEAR_PROGRAM_ZERO);
    assert_non_null(program);
    CLOSE(linear_program_least(program, c, x), -2.0, 1e-14);
    arena_free(arena);
}

/* No least value, and no feasible point. */
static void
without_answer(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    const double A[] = {1, -1, 0, 0, 1, 1}, b[] = {1, 2}, none[] = {1, -1},
                 c[] = {-1, -1, 0};
    struct linear_program *program =
        linear_program_new(arena, 1, 3, 0, A, b, LINEAR_PROGRAM_ZERO);
    assert_non_null(program);
    assert_true(linear_program_least(program, c, NULL) == -INFINITY);
    assert_null(
        linear_program_new(arena, 2, 3, 0, A, none, LINEAR_PROGRAM_ZERO));
    arena_free(arena);
}

/* The nearest point to the origin is known where it is a sum of rows with
 * weights above 0 whose inequalities hold with equality, among many others. */
static void
nearest_points(void **state)
{
    (void)state;
    enum { MOST = 60, SIDES = 150 };
    uint64_t seed = 11;
    static double A[SIDES * MOST];
    for (int t = 0; t < 20; t++) {
        struct arena *arena = arena_new();
        int d = 3 + 3 * t, m = 2 * d + t, active = 1 + d / 2;
        double known[MOST] = {0}, h[SIDES], found[MOST];
        for (int i = 0; i < m; i++) {
            double weight = i < active ? multi_random(&seed, 0.1, 1) : 0.0;
            for (int j = 0; j < d; j++) {
                A[i * d + j] = multi_random(&seed, -1, 1) / sqrt(d);
                known[j] += weight * A[i * d + j];
            }
        }
        for (int i = 0; i < m; i++) {
            h[i] = i < active ? 0.0 : -multi_random(&seed, 0.1, 1);
            for (int j = 0; j < d; j++)
                h[i] += A[i * d + j] * known[j];
        }
        assert_true(
            least_distance(m, d, A, h, 1e-10, found,
                           NEW_N(arena, double, least_distance_room(m, d))));
        for (int j = 0; j < d; j++)
            CLOSE(found[j], known[j], 1e-9);
        arena_free(arena);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(slacks_without_columns),
        cmocka_unit_test(steps_that_stand_still),
        cmocka_unit_test(without_answer),
        cmocka_unit_test(nearest_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
