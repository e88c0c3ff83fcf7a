/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The algebra of dimensions: identities on random dimensions with variables,
 * unification, text and back; units. */
#include <math.h>

#include "check/values/values.h"
#include "check_common.h"

static uint32_t seed = 12345;
static int
draw(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (unsigned)n);
}
static struct ratio
draw_ratio(void)
{
    return ratio_make(draw(9) - 4, 1 + draw(3));
}
static const struct dim *
draw_dim(struct dims *ds, const struct dim **vars, int n)
{
    const struct dim *d = dim_pure(ds);
    for (int i = 0; i < DIM_BASES; i++)
        if (draw(2))
            d = dim_mul(
                ds, d,
                dim_pow(ds, dim_unit(ds, (enum dim_base)i), draw_ratio()));
    for (int i = 0; i < n; i++)
        if (draw(2))
            d = dim_mul(ds, d, dim_pow(ds, vars[i], draw_ratio()));
    return d;
}
static bool
same(struct dims *ds, const struct dim *a, const struct dim *b)
{
    return dim_is_pure(ds, dim_div(ds, a, b));
}

static void
test_algebra(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    for (int k = 0; k < 2000; k++) {
        struct dims *ds = dims_new(a);
        const struct dim *vars[3];
        for (int i = 0; i < 3; i++)
            vars[i] = dim_fresh(ds, IMP_NOWHERE);
        const struct dim *x = draw_dim(ds, vars, 3);
        const struct dim *y = draw_dim(ds, vars, 3);
        const struct dim *z = draw_dim(ds, vars, 3);
        struct ratio r = draw_ratio();
        assert_true(same(ds, dim_mul(ds, x, y), dim_mul(ds, y, x)));
        assert_true(same(ds, dim_mul(ds, dim_mul(ds, x, y), z),
                         dim_mul(ds, x, dim_mul(ds, y, z))));
        assert_true(same(ds, dim_pow(ds, dim_mul(ds, x, y), r),
                         dim_mul(ds, dim_pow(ds, x, r), dim_pow(ds, y, r))));
        assert_true(same(ds, dim_mul(ds, dim_div(ds, x, y), y), x));
        assert_false(dims_overflowed(ds));
    }
    arena_free(a);
}

static void
test_unify(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    int solved = 0, refused = 0;
    for (int k = 0; k < 2000; k++) {
        struct dims *ds = dims_new(a);
        const struct dim *vars[3];
        for (int i = 0; i < 3; i++)
            vars[i] = dim_fresh(ds, IMP_NOWHERE);
        for (int i = 0; i < 4; i++) {
            const struct dim *x = draw_dim(ds, vars, 3);
            const struct dim *y = draw_dim(ds, vars, 3);
            /* solvable unless no free variable is left in x/y */
            const struct dim *q = dim_resolve(ds, dim_div(ds, x, y));
            bool can = q->n_vars || dim_is_pure(ds, q);
            assert_int_equal(dim_unify(ds, x, y, IMP_NOWHERE), can);
            assert_int_equal(same(ds, x, y), can);
            can ? solved++ : refused++;
        }
    }
    assert_true(solved > 1000 && refused > 1000);
    arena_free(a);
}

static void
test_text(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct dims *ds = dims_new(a);
    struct unit u;
    for (int k = 0; k < 2000; k++) {
        const struct dim *x = draw_dim(ds, NULL, 0);
        const char *s = dim_text(ds, x);
        assert_true(unit_of_text(ds, s, &u));
        assert_true(same(ds, x, u.dim));
        assert_string_equal(s, dim_text(ds, u.dim));
    }
    assert_string_equal(dim_text(ds, dim_mks(ds, 1, 0, -2)), "m/s^2");
    assert_string_equal(dim_text(ds, dim_mks(ds, 2, 1, 0)), "kg*m^2");
    assert_string_equal(dim_text(ds, dim_mks(ds, 0, 0, -1)), "1/s");
    assert_string_equal(dim_text(ds, dim_pure(ds)), "");
    arena_free(a);
}

static void
test_units(void **state)
{
    (void)state;
    static const struct {
        double x;
        const char *text;
        double si;
        const char *unit;
    } rows[] = {
        {3, "mm", 0.003, "m"},
        {1, "km", 1000, "m"},
        {1, "kg", 1, "kg"},
        {1, "g", 0.001, "kg"},
        {7, "mg", 7e-6, "kg"},
        {2, "t", 2000, "kg"},
        {1, "\xc2\xb5s", 1e-6, "s"},
        {1, "us", 1e-6, "s"},
        {1, "min", 60, "s"},
        {2, "h", 7200, "s"},
        {180, "deg", 3.14159265358979323846, ""},
        {1, "turn", 6.28318530717958647693, ""},
        {60, "rpm", 6.28318530717958647693, "1/s"},
        {1, "N", 1, "N"},
        {1, "kJ", 1000, "J"},
        {9.81, "m/s^2", 9.81, "m/s^2"},
        {1, "GPa", 1e9, "Pa"},
        {1, "kg*m^2", 1, "kg*m^2"},
        {-2, "1/s", -2, "1/s"},
        {5, "1", 5, ""},
        {1, "mN", 0.001, "N"},
        {1, "m^(1/2)", 1, "m^(1/2)"},
        {1, "cd", 1, "cd"},
        {1, "mmol", 0.001, "mol"},
    };
    struct arena *a = arena_new();
    struct dims *ds = dims_new(a);
    struct unit u;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(unit_of_text(ds, rows[i].text, &u));
        double x = rows[i].x * u.num / u.den;
        if (fabs(x - rows[i].si) > 2.3e-16 * fabs(x))
            print_message("%g %s gives %.17g\n", rows[i].x, rows[i].text, x);
        /* exact but for factors of pi, which round once more */
        assert_true(fabs(x - rows[i].si) <= 2.3e-16 * fabs(x));
        assert_string_equal(dim_text(ds, u.dim), rows[i].unit);
    }
    assert_false(unit_of_text(ds, "parsec", &u));
    assert_false(unit_of_text(ds, "m/", &u));
    assert_false(unit_of_text(ds, "m s", &u));
    assert_true(unit_of_text(ds, "", &u) && u.num == 1 && u.den == 1);
    arena_free(a);
}

static void
test_ratio(void **state)
{
    (void)state;
    struct ratio r;
    assert_true(ratio_of(1.0 / 3.0, &r) && r.p == 1 && r.q == 3);
    assert_true(ratio_of(-2.5, &r) && r.p == -5 && r.q == 2);
    assert_true(ratio_of(4, &r) && r.p == 4 && r.q == 1);
    assert_false(ratio_of(3.14159265358979, &r));
    assert_false(ratio_of(NAN, &r));
}

/* What stands for units of other systems is a unit, also where its number is
 * told, and no word of the table is a unit here. */
static void
test_foreign_units(void **state)
{
    (void)state;
    static const struct {
        const char *word, *ours, *help;
    } rows[] = {
#include "check/foreign_units.def"
    };
    struct arena *a = arena_new();
    struct dims *ds = dims_new(a);
    struct unit u;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_false(unit_of_text(ds, rows[i].word, &u));
        assert_true((rows[i].ours != NULL) != (rows[i].help != NULL));
        if (rows[i].ours)
            assert_true(unit_of_text(ds, rows[i].ours, &u));
        for (const char *p = rows[i].help; p && (p = strchr(p, '['));) {
            const char *end = strchr(++p, ']');
            assert_non_null(end);
            assert_true(
                unit_of_text(ds, arena_strndup(a, p, (size_t)(end - p)), &u));
        }
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(rows[i].word, rows[k].word);
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_algebra), cmocka_unit_test(test_unify),
        cmocka_unit_test(test_text),    cmocka_unit_test(test_units),
        cmocka_unit_test(test_ratio),   cmocka_unit_test(test_foreign_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
