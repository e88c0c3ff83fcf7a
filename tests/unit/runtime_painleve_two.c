/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two contacts that slip: the 144 subclasses of Varkonyi, with the rows of
 * Table 4 of Champneys and Varkonyi (specification painleve.md, 12.3), made
 * anew from random vectors; and the numbers of its panels A and B. */
#include "base/arena.h"
#include "impact_help.h"
#include "runtime/friction/friction.h"
#include "runtime/friction/painleve.h"

/* of a class: s3 where a mode is consistent, as digits */
static const struct row {
    int class, dual;
    const char *modes[PAINLEVE_TWO_MODES];
    enum painleve_stability both;
} table[] = {{11, 11, {"5", "2", "126", "234"}, PAINLEVE_UNSTABLE},
             {12, 12, {"5", "2", "16", "34"}, PAINLEVE_STABLE},
             {13, 41, {"5", "23", "16", "4"}, PAINLEVE_UNDECIDED},
             {14, 31, {"45", "234", "16", "4"}, PAINLEVE_UNDECIDED},
             {15, 32, {"45", "156", "16", "4"}, PAINLEVE_UNSTABLE},
             {16, 21, {"4", "16", "156", "45"}, PAINLEVE_UNSTABLE},
             {22, 45, {"5", "3", "45", "34"}, PAINLEVE_UNSTABLE},
             {23, 46, {"5", "3", "345", "4"}, PAINLEVE_UNDECIDED},
             {24, 36, {"45", "34", "345", "4"}, PAINLEVE_UNSTABLE},
             {25, 25, {"4", "345", "34", "45"}, PAINLEVE_UNSTABLE},
             {26, 26, {"4", "126", "34", "45"}, PAINLEVE_UNSTABLE},
             {33, 44, {"45", "34", "5", "3"}, PAINLEVE_UNSTABLE},
             {34, 34, {"345", "4", "5", "3"}, PAINLEVE_UNSTABLE},
             {35, 35, {"345", "4", "45", "34"}, PAINLEVE_UNSTABLE},
             {42, 42, {"4", "126", "5", "3"}, PAINLEVE_STABLE},
             {43, 43, {"4", "345", "5", "3"}, PAINLEVE_UNSTABLE}};

static int
bits_of(const struct painleve_two *two)
{
    int bits = 0;
    for (int m = 0; m < PAINLEVE_TWO_MODES; m++)
        bits |= two->consistent[m] << m;
    return bits;
}

static void
draw(uint64_t *seed, struct painleve_two_in *in)
{
    for (int k = 0; k < 4; k++)
        in->p[k] = multi_random(seed, -1, 1);
    for (int k = 0; k < 2; k++)
        in->b[k] = multi_random(seed, -1, 1);
}

static void
subclasses(void **state)
{
    (void)state;
    uint64_t seed = 3;
    static int bits[7][7][7], dual[7][7], stability[7][7];
    memset(bits, -1, sizeof bits);
    for (int i = 0; i < 100000; i++) {
        struct painleve_two_in in;
        struct painleve_two two;
        draw(&seed, &in);
        painleve_two_find(&in, &two);
        const int *c = two.class;
        assert_true(c[0] >= 1 && c[0] <= 4);
        assert_true(c[1] >= 1 && c[1] <= 6 && c[2] >= 1 && c[2] <= 6);
        int *seen = &bits[c[0]][c[1]][c[2]], now = bits_of(&two);
        if (*seen < 0) {
            *seen = now;
            dual[c[0]][c[1]] = 10 * two.dual[0] + two.dual[1];
            stability[c[0]][c[1]] = (int)two.stability[PAINLEVE_SS];
        }
        assert_true(*seen == now);
        assert_true(dual[c[0]][c[1]] == 10 * two.dual[0] + two.dual[1]);
        assert_true(stability[c[0]][c[1]] == (int)two.stability[PAINLEVE_SS]);
    }
    int count[5] = {0}, of_all = 0;
    for (int a = 1; a <= 4; a++)
        for (int b = 1; b <= 6; b++)
            for (int c = 1; c <= 6; c++) {
                int n = 0;
                assert_true(bits[a][b][c] >= 0);
                for (int m = 0; m < PAINLEVE_TWO_MODES; m++)
                    n += bits[a][b][c] >> m & 1;
                count[n]++;
                of_all++;
            }
    static const int expected[5] = {44, 44, 48, 4, 4};
    assert_int_equal(of_all, 144);
    assert_memory_equal(count, expected, sizeof expected);
    for (size_t r = 0; r < sizeof table / sizeof *table; r++) {
        const struct row *row = table + r;
        int a = row->class / 10, b = row->class % 10;
        assert_int_equal(dual[a][b], row->dual);
        assert_int_equal(stability[a][b], (int)row->both);
        for (int m = 0; m < PAINLEVE_TWO_MODES; m++)
            for (int c = 1; c <= 6; c++)
                assert_int_equal(bits[a][b][c] >> m & 1,
                                 strchr(row->modes[m], '0' + c) != NULL);
    }
}

/* friction_choose enumerates modes of its own at the same points. */
static void
against_the_search(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < 20000; i++) {
        struct arena *arena = arena_new();
        double J[12], W[16], free[4], terms[4] = {1, 1, 1, 1};
        for (int k = 0; k < 12; k++)
            J[k] = multi_random(&seed, -1, 1);
        for (int r = 0; r < 4; r++)
            free[r] = multi_random(&seed, -1, 1);
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) {
                W[4 * r + c] = r == c ? 1e-3 : 0.0;
                for (int d = 0; d < 3; d++)
                    W[4 * r + c] += J[3 * r + d] * J[3 * c + d];
            }
        struct friction_point point[2];
        struct painleve_two_in in = {.b = {free[0], free[2]}};
        struct painleve_two two;
        struct friction_choice choice;
        for (int k = 0; k < 2; k++) {
            double mu = multi_random(&seed, 0, 3);
            point[k] = (struct friction_point){
                .mu_static = mu,
                .mu_dynamic = mu,
                .slip = multi_random(&seed, 0, 1) < .5 ? -1.0 : 1.0};
        }
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 2; c++)
                in.p[2 * r + c] = W[8 * r + 2 * c] - point[c].slip *
                                                         point[c].mu_dynamic *
                                                         W[8 * r + 2 * c + 1];
        painleve_two_find(&in, &two);
        struct friction_instant instant = {2, point, W, free, terms, false};
        friction_choose(arena, &instant, &choice);
        int bits = 0;
        for (int k = 0; k < choice.n; k++) {
            const enum contact_mode *mode = choice.set[k].mode;
            bits |=
                1 << (mode[0] == CONTACT_FREE
                          ? mode[1] == CONTACT_FREE ? PAINLEVE_FF : PAINLEVE_FS
                      : mode[1] == CONTACT_FREE ? PAINLEVE_SF
                                                : PAINLEVE_SS);
        }
        assert_int_equal(bits, bits_of(&two));
        arena_free(arena);
    }
}

static void
panels(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct painleve_two two;
    double one[2] = {1, 1}, out[8];
    struct painleve_two_in a = {{-.055, .088, .055, -.036}, {-1, -1}};
    painleve_two_find(&a, &two);
    static const int of_a[] = {2, 6, 1};
    assert_memory_equal(two.class, of_a, sizeof of_a);
    assert_true(fabs(two.force[2 * PAINLEVE_SS] - 43.356643356643) < 1e-11);
    assert_true(fabs(two.force[2 * PAINLEVE_SS + 1] - 38.461538461538) < 1e-11);
    assert_true(bits_of(&two) == 1 << PAINLEVE_SS);
    assert_true(two.stability[PAINLEVE_SS] == PAINLEVE_UNSTABLE);
    assert_true(two.first && two.second);
    assert_true(painleve_two_eigenvalues(arena, &a, one, one, out));
    assert_true(fabs(out[0] - .40291333) < 1e-8);
    assert_true(fabs(out[2] + .28719759) < 1e-8);
    assert_true(fabs(out[4] + .01235787) < 1e-8);
    assert_true(fabs(fabs(out[5]) - .15672595) < 1e-8);
    struct painleve_two_in b = {{3.051, -1.677, 1.555, -.375}, {-1, -.727}};
    double k[2] = {1, 3}, q[2] = {1.2, 1.2}, most = -1.0;
    static const int of_b[] = {1, 4, 2};
    painleve_two_find(&b, &two);
    assert_memory_equal(two.class, of_b, sizeof of_b);
    assert_true(two.stability[PAINLEVE_SS] == PAINLEVE_UNDECIDED);
    assert_true(painleve_two_eigenvalues(arena, &b, k, q, out));
    for (int i = 0; i < 4; i++)
        most = fmax(most, out[2 * i]);
    assert_true(fabs(most - .02468) < 5e-6);
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(subclasses),
                                       cmocka_unit_test(against_the_search),
                                       cmocka_unit_test(panels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
