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

/* One mode by itself: normal forces, and whether they push and the gaps do not
 * close, `least` aside. False: its equations have no one solution. */
static bool
mode_of(const struct painleve_two_in *in, enum painleve_two_mode mode,
        double least, double force[2], bool *consistent)
{
    const double *p = in->p, *b = in->b;
    bool pushes[2] = {mode == PAINLEVE_SS || mode == PAINLEVE_SF,
                      mode == PAINLEVE_SS || mode == PAINLEVE_FS};
    double det = p[0] * p[3] - p[1] * p[2];
    force[0] = force[1] = 0.0;
    if (mode == PAINLEVE_SS) {
        if (det == 0.0)
            return false;
        force[0] = (p[1] * b[1] - p[3] * b[0]) / det;
        force[1] = (p[2] * b[0] - p[0] * b[1]) / det;
    }
    for (int k = 0; k < 2 && mode != PAINLEVE_SS; k++)
        if (pushes[k]) {
            if (p[3 * k] == 0.0)
                return false;
            force[k] = -b[k] / p[3 * k];
        }
    *consistent = true;
    for (int k = 0; k < 2; k++) {
        double acc = b[k] + p[2 * k] * force[0] + p[2 * k + 1] * force[1];
        *consistent &= pushes[k] ? force[k] > least : acc > least;
    }
    return true;
}

static int
bits_of(const struct painleve_two_in *in)
{
    int bits = 0;
    double force[2];
    bool consistent;
    for (int m = 0; m < PAINLEVE_TWO_MODES; m++)
        if (mode_of(in, (enum painleve_two_mode)m, 0.0, force, &consistent))
            bits |= consistent << m;
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
        int *seen = &bits[c[0]][c[1]][c[2]], now = bits_of(&in);
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
        struct friction_instant instant = {
            .n = 2, .point = point, .W = W, .free = free, .terms = terms};
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
        assert_int_equal(bits, bits_of(&in));
        arena_free(arena);
    }
}

/* Small whole numbers, so that many points lie on a border exactly: a mode
 * whose force, or whose acceleration, is just 0 counts, and modes with the same
 * accelerations are one motion. */
static void
borders(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int counts[5] = {0}, on_border = 0;
    for (int i = 0; i < 20000; i++) {
        struct arena *arena = arena_new();
        double J[12], W[16], free[4], terms[4];
        for (int k = 0; k < 12; k++)
            J[k] = floor(multi_random(&seed, -2, 3));
        for (int r = 0; r < 4; r++)
            free[r] = floor(multi_random(&seed, -2, 3));
        for (int r = 0; r < 4; r++) {
            terms[r] = 3.0;
            for (int c = 0; c < 4; c++) {
                W[4 * r + c] = r == c ? 1.0 : 0.0;
                for (int d = 0; d < 3; d++)
                    W[4 * r + c] += J[3 * r + d] * J[3 * c + d];
            }
        }
        double mu[2] = {1.0 + floor(multi_random(&seed, 0, 3)),
                        1.0 + floor(multi_random(&seed, 0, 3))};
        struct friction_point point[2] = {
            {.mu_static = mu[0], .mu_dynamic = mu[0], .slip = 1.0},
            {.mu_static = mu[1], .mu_dynamic = mu[1], .slip = -1.0}};
        struct painleve_two_in in = {.b = {free[0], free[2]}};
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 2; c++)
                in.p[2 * r + c] = W[8 * r + 2 * c] -
                                  point[c].slip * mu[c] * W[8 * r + 2 * c + 1];
        double motion[PAINLEVE_TWO_MODES][2], force[2];
        int motions = 0;
        bool known = true, consistent;
        for (int m = 0; m < PAINLEVE_TWO_MODES && known; m++) {
            known = mode_of(&in, (enum painleve_two_mode)m, -1e-9, force,
                            &consistent);
            if (!known || !consistent)
                continue;
            double acc[2];
            bool new = true;
            for (int k = 0; k < 2; k++)
                acc[k] = in.p[2 * k] * force[0] + in.p[2 * k + 1] * force[1];
            for (int k = 0; k < motions; k++)
                new &= fabs(motion[k][0] - acc[0]) > 1e-9 ||
                       fabs(motion[k][1] - acc[1]) > 1e-9;
            if (new)
                memcpy(motion[motions++], acc, sizeof acc);
        }
        struct friction_instant instant = {
            .n = 2, .point = point, .W = W, .free = free, .terms = terms};
        struct friction_choice choice;
        struct painleve_two two;
        if (known) {
            friction_choose(arena, &instant, &choice);
            assert_int_equal(choice.n, motions);
            counts[motions]++;
            painleve_two_find(&in, &two);
            on_border += two.margin == 0.0;
            if (two.margin == 0.0)
                assert_int_equal(two.class[0], 0);
        }
        arena_free(arena);
    }
    assert_true(on_border > 1000 && counts[0] > 100 && counts[1] > 1000 &&
                counts[2] > 100 && counts[3] > 10);
}

/* No number that changes by less than the margin changes the modes. */
static void
margins(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int i = 0; i < 20000; i++) {
        struct painleve_two_in in, other;
        struct painleve_two two;
        draw(&seed, &in);
        painleve_two_find(&in, &two);
        assert_true(two.margin > 0.0 && two.margin <= 1.0);
        for (int k = 0; k < 12; k++) {
            other = in;
            double share = (k % 2 ? 0.999 : -0.999) * two.margin;
            *(k < 8 ? other.p + k / 2 : other.b + (k - 8) / 2) *= 1.0 + share;
            assert_int_equal(bits_of(&in), bits_of(&other));
        }
    }
}

static void
panels(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct painleve_two two;
    double one[2] = {1, 1}, out[8];
    struct painleve_two_in a = {.p = {-.055, .088, .055, -.036}, .b = {-1, -1}};
    painleve_two_find(&a, &two);
    static const int of_a[] = {2, 6, 1};
    assert_memory_equal(two.class, of_a, sizeof of_a);
    assert_true(bits_of(&a) == 1 << PAINLEVE_SS);
    assert_true(two.stability[PAINLEVE_SS] == PAINLEVE_UNSTABLE);
    assert_true(two.first && two.second);
    assert_true(painleve_two_eigenvalues(arena, &a, one, one, out));
    assert_true(fabs(out[0] - .40291333) < 1e-8);
    assert_true(fabs(out[2] + .28719759) < 1e-8);
    assert_true(fabs(out[4] + .01235787) < 1e-8);
    assert_true(fabs(fabs(out[5]) - .15672595) < 1e-8);
    struct painleve_two_in b = {.p = {3.051, -1.677, 1.555, -.375},
                                .b = {-1, -.727}};
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subclasses), cmocka_unit_test(against_the_search),
        cmocka_unit_test(borders), cmocka_unit_test(margins),
        cmocka_unit_test(panels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
