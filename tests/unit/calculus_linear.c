/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which level sets are the greatest of linear functions, and of which. A
 * formula is compared at random points with the half-spaces found for it. */
#include "calculus/linear.h"

#include "model.h"

static uint64_t rng = 4711;

static double
between(double lo, double hi)
{
    rng = rng * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * ((double)(rng >> 11) / 9007199254740992.0);
}

static double at[3], param[4];

static double
leaf(void *ctx, const expr *l)
{
    (void)ctx;
    return l->sym == SYM_LOCAL ? at[l->i] : param[l->i];
}

static struct graph *g;

static const expr *
op2(enum imp_op op, const expr *a, const expr *b)
{
    return ex_op(g, op, a, b, NULL);
}
static const expr *
mag(const expr *a)
{
    return ex_op(g, IMP_OP_ABS, a, NULL, NULL);
}
static const expr *
x(uint32_t i)
{
    return ex_sym(g, SYM_LOCAL, i, 0);
}
static const expr *
p(uint32_t i)
{
    return ex_sym(g, SYM_PARAM, i, 0);
}
static const expr *
n(double v)
{
    return ex_num(g, v);
}
#define MAX2(a, b) op2(IMP_OP_MAX, a, b)
#define MIN2(a, b) op2(IMP_OP_MIN, a, b)

/* e <= 0 exactly where all half-spaces hold, or a sign condition fails (then
 * e is something else) */
static void
same_set(const expr *e, size_t pieces, size_t conditions)
{
    const expr **row = NULL;
    size_t m = ex_half_spaces(g, e, 3, &row);
    assert_int_equal(m, pieces + conditions);
    for (int c = 0; c < 300; c++) {
        for (int i = 0; i < 4; i++)
            param[i] = between(-2, 2);
        for (int i = 0; i < 3; i++)
            at[i] = between(-2, 2);
        double most = -INFINITY, signs = INFINITY;
        for (size_t i = 0; i < m; i++) {
            double s = -ex_value(g, row[4 * i + 3], leaf, NULL);
            for (uint32_t k = 0; k < 3; k++)
                s += ex_value(g, row[4 * i + k], leaf, NULL) * at[k];
            if (i < pieces)
                most = fmax(most, s);
            else
                signs = fmin(signs, -s);
        }
        double v = ex_value(g, e, leaf, NULL);
        if (signs >= 0)
            assert_true(fabs(v - most) <= 1e-12 * (1 + fabs(v)));
    }
}

static void
polytopes(void **unused)
{
    (void)unused;
    struct arena *a = arena_new();
    g = graph_new(a);
    const expr *X = x(0), *Y = x(1), *Z = x(2);
    /* half-space; its normal of any sign */
    same_set(ex_add(g, ex_mul(g, p(0), X), ex_sub(g, Y, p(1))), 1, 0);
    /* boxes: 2|x|/w, |2x/w|, |x - c| */
    const expr *w = ex_div(g, ex_mul(g, n(2), mag(X)), p(0));
    const expr *h = mag(ex_div(g, ex_mul(g, n(2), Y), p(1)));
    const expr *d = mag(ex_sub(g, Z, p(2)));
    same_set(ex_sub(g, MAX2(w, MAX2(h, d)), n(1)), 6, 1);
    same_set(ex_sub(g, MAX2(h, d), n(1)), 4, 0);
    /* octahedron: sum of magnitudes; 1 - min(..) */
    const expr *sum = ex_add(g, mag(X), ex_add(g, mag(Y), mag(Z)));
    same_set(ex_sub(g, ex_div(g, sum, p(0)), n(1)), 8, 1);
    same_set(ex_sub(g, n(1), MIN2(X, MIN2(ex_neg(g, Y), Z))), 3, 0);
    same_set(ex_neg(g, MIN2(ex_sub(g, X, n(1)), Y)), 2, 0);
    /* certain signs need no condition */
    same_set(ex_sub(g, ex_mul(g, n(3), mag(X)), n(1)), 2, 0);
    same_set(ex_sub(g, ex_div(g, mag(X), ex_add(g, n(1), mag(p(0)))), p(1)), 2,
             0);
    same_set(ex_mul(g, n(-2), MIN2(X, Y)), 2, 0);
    /* a factor around the whole */
    same_set(ex_mul(g, p(3), MAX2(X, ex_sub(g, Y, p(1)))), 2, 1);
    arena_free(a);
}

static void
others(void **unused)
{
    (void)unused;
    struct arena *a = arena_new();
    g = graph_new(a);
    const expr *X = x(0), *Y = x(1), *Z = x(2), **row;
    const expr *t = ex_sym(g, SYM_TIME, 0, 0);
    const expr *no[] = {
        ex_sub(g, ex_mul(g, X, X), n(1)),          /* curved */
        MAX2(ex_sub(g, ex_mul(g, X, X), n(1)), Y), /* in part */
        MIN2(X, Y),                                /* not convex */
        ex_sub(g, n(1), mag(X)),                   /* outside */
        ex_sub(g, mag(X), mag(Y)),                 /* a double cone */
        mag(ex_sub(g, mag(X), n(1))),              /* two slabs */
        ex_sub(g, MAX2(mag(X), mag(Y)), t),        /* moves */
        ex_div(g, X, Y),                           /* a quotient */
        ex_op(g, IMP_OP_SELECT, op2(IMP_OP_LT, X, n(0)), Y, Z), /* a choice */
        ex_mul(g, mag(X), mag(Y)),
        p(0),
    };
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_int_equal(ex_half_spaces(g, no[i], 3, &row), 0);
    /* deep and wide formulas end */
    const expr *e = X;
    for (int i = 0; i < 60; i++)
        e = ex_mul(g, p((uint32_t)i % 4), MAX2(e, ex_sub(g, Y, n(i))));
    ex_half_spaces(g, e, 3, &row);
    e = mag(X);
    for (int i = 0; i < 60; i++)
        e = ex_add(g, e, mag(ex_sub(g, ex_mul(g, n(i), X), Y)));
    assert_int_equal(ex_half_spaces(g, e, 3, &row), 0); /* too many */
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polytopes),
        cmocka_unit_test(others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
