/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One point with friction on random input, against Tables 2 and 3 of Champneys
 * and Varkonyi as they are printed (specification painleve.md, 3 and 7), with
 * what holds for all points: at most one of p and k is not positive, mirror
 * images, and that chatter does not end in a slip with p < 0. */
#include "impact_help.h"
#include "runtime/friction/painleve.h"

#define POINTS 100000

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

enum { F = 1, T = 2, P = 4, M = 8, IWC = 16 }; /* P, M: S+ and S- */

/* Table 3 by the row (1 to 6) and the column (1 to 3) of a point; of those with
 * "or" the friction cone decides: inside; right and left of it. */
static int
table_3(const struct painleve *found, bool inside, bool right)
{
    static const int with_slip[7][2] = {{0, 0}, {F, F},   {F, F | IWC},
                                        {F | IWC, F}, {P, M}, {P, IWC}, {IWC, M}};
    int row = found->row;
    if (found->column != 2)
        return with_slip[row][found->column == 3];
    return row == 1   ? F
           : row <= 3 ? (inside ? F | T : F)
           : inside   ? T
           : row == 4 ? (right ? P : M)
           : row == 5 ? P
                      : M;
}

static struct painleve_point
random_point(uint64_t *seed, int number)
{
    struct painleve_point in = {.A = multi_random(seed, 0.1, 2),
                                .C = multi_random(seed, 0.1, 2),
                                .a = multi_random(seed, -2, 2),
                                .b = multi_random(seed, -1, 1),
                                .mu = multi_random(seed, 0.05, 4),
                                .slip = number % 3 - 1,
                                .restitution = multi_random(seed, 0, 1),
                                .law = number % 2 ? FRICTION_POISSON
                                                  : FRICTION_ENERGETIC};
    in.B = multi_random(seed, -0.99, 0.99) * sqrt(in.A * in.C);
    in.a_terms = fabs(in.a);
    in.b_terms = fabs(in.b);
    return in;
}

static void
tables(void **state)
{
    (void)state;
    static const char *const rows[] = {"(i)",  "(ii)", "(iii)",
                                       "(iv)", "(v)",  "(vi)"};
    static const char *const columns[] = {"I", "II", "III"};
    uint64_t seed = 11;
    int met[3][6] = {{0}};
    for (int i = 0; i < POINTS; i++) {
        struct painleve_point in = random_point(&seed, i);
        struct painleve out;
        painleve_find(arena, &in, &out);
        int row = (in.b < 0) * 3 + (out.p_minus < 0 ? 1 : out.p_plus < 0 ? 2 : 0),
            column = in.slip > 0 ? 0 : in.slip < 0 ? 2 : 1;
        char cell[16];
        snprintf(cell, sizeof cell, "%s%s", columns[column], rows[row]);
        assert_string_equal(painleve_cell(&out), cell);
        met[column][row]++;
        double edge[2] = {in.a * out.p_plus + in.b * out.k_plus,
                          -in.a * out.p_minus + in.b * out.k_minus};
        bool inside = edge[0] < 0 && edge[1] < 0;
        assert_int_equal(out.outcomes, table_3(&out, inside, edge[0] >= 0));
        assert_true((out.p_plus <= 0) + (out.p_minus <= 0) + (out.k_plus <= 0) +
                        (out.k_minus <= 0) <=
                    1);
        assert_true(out.D > 0 && out.margin >= 0 && out.margin <= 1);
        arena_clear(arena);
    }
    for (int i = 0; i < 18; i++)
        assert_true(met[i / 6][i % 6] > 100);
}

/* The mirror image: u, a and B change their signs. */
static void
mirror_images(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int i = 0; i < POINTS / 10; i++) {
        struct painleve_point in = random_point(&seed, i), other = in;
        other.a = -in.a;
        other.B = -in.B;
        other.slip = -in.slip;
        struct painleve one, two;
        painleve_find(arena, &in, &one);
        painleve_find(arena, &other, &two);
        assert_true(one.p_plus == two.p_minus && one.k_plus == two.k_minus);
        assert_true(one.sigma == two.sigma && one.mu_P == two.mu_P);
        assert_true(one.choice.verdict == two.choice.verdict);
        assert_true(fabs(one.margin - two.margin) <= 1e-15);
        unsigned swapped = (one.outcomes & ~(P | M)) |
                           (one.outcomes & P ? M : 0) |
                           (one.outcomes & M ? P : 0);
        assert_int_equal(two.outcomes, swapped);
        if (in.b < 0) {
            assert_true(fabs(one.chatter - two.chatter) <= 1e-14 * one.chatter);
            assert_int_equal((one.chatter_region - 1) ^ 1,
                             two.chatter_region - 1);
        }
        arena_clear(arena);
    }
}

/* With p < 0 for slip u > 0 every impact ends such a slip, and turns no other
 * slip into one: chatter ends in stick, or in slip the other way (section 5.2
 * of the paper). */
static void
chatter_ends_elsewhere(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int i = 0; i < POINTS; i++) {
        double A = multi_random(&seed, .1, 3), C = multi_random(&seed, .1, 3),
               B = multi_random(&seed, -.95, .95) * sqrt(A * C),
               side = B > 0 ? 1 : -1;
        struct friction_impact_point point = {
            .mu = C / fabs(B) * multi_random(&seed, 1.001, 3),
            .e = multi_random(&seed, 0, 1),
            .law = i % 2 ? FRICTION_POISSON : FRICTION_ENERGETIC,
            .normal = -multi_random(&seed, .001, 1),
            .slip = multi_random(&seed, -1, 1)};
        struct friction_impact out;
        friction_impact_one(A, B, C, &point, &out);
        if (side * point.slip > 0)
            assert_true(out.after[1] == 0.0);
        else
            assert_true(side * out.after[1] <= 0.0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mirror_images, set_up, tear_down),
        cmocka_unit_test(chatter_ends_elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
