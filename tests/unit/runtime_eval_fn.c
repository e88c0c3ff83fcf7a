/* SPDX-License-Identifier: MIT */
/* Functions of the operator table, LU, and the evaluator's error paths. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_psi.h>

#include "calculus_help.h"
#include "runtime/numerics/factors.h"
#include "runtime/tape/functions.h"

static void
test_polygamma(void **state)
{
    (void)state;
    gsl_set_error_handler_off();
    for (int n = 0; n <= 24; n++)
        for (int i = 0; i < 200; i++) {
            double x = i < 100 ? rnd(0.05, 3) : rnd(3, 60);
            double want = gsl_sf_psi_n(n, x), got = imp_polygamma(n, x);
            /* psi has a root at 1.46: absolute there */
            double size = n == 0 ? fmax(fabs(want), 1) : fabs(want);
            assert_true(fabs(got - want) <= 4e-14 * size);
        }
    /* psi(1) = -Euler's constant, psi'(1) = pi^2/6, psi'(1/2) = pi^2/2 */
    assert_true(fabs(imp_polygamma(0, 1) + 0.57721566490153286061) < 1e-15);
    assert_true(fabs(imp_polygamma(1, 1) - M_PI * M_PI / 6) < 2e-15);
    assert_true(fabs(imp_polygamma(1, 0.5) - M_PI * M_PI / 2) < 5e-15);
    /* psi(-1/2) = psi(1/2) + 2; psi'(-1/2) = psi'(1/2) + 4 */
    assert_true(fabs(imp_polygamma(0, -0.5) - imp_polygamma(0, 0.5) - 2) <
                1e-14);
    assert_true(fabs(imp_polygamma(1, -0.5) - imp_polygamma(1, 0.5) - 4) <
                1e-14);
    assert_true(isnan(imp_polygamma(0, -2)) && isnan(imp_polygamma(0.5, 1)));
}

static void
test_definitions(void **state)
{
    (void)state;
    assert_true(imp_abspow(0, 0) == 1 && imp_abspow(-2, 3) == 8);
    assert_true(isinf(imp_abspow(0, -1)));
    assert_true(imp_sgnpow(0, 0) == 0 && imp_sgnpow(0, 2) == 0);
    assert_true(isnan(imp_sgnpow(0, -1)) && imp_sgnpow(-2, 2) == -4);
    assert_true(imp_sign(-0.0) == 0 && isnan(imp_sign((double)NAN)));
    assert_true(isnan(imp_min((double)NAN, 1)) && imp_min(1, -1) == -1);
    assert_true(imp_min((double)NAN, 1) != 1 && imp_max(2, 3) == 3);
    assert_true(imp_bool(7) == 1 && imp_bool(0) == 0);
    assert_true(imp_gamma(5) == 24 &&
                fabs(imp_lgamma(10) - log(362880)) < 1e-14);
    assert_true(eval_op(IMP_OP_SELECT, 1, 2, (double)NAN) == 2);
    assert_true(eval_op(IMP_OP_LT, 1, 2, 0) == 1);
}

static void
test_lu(void **state)
{
    (void)state;
    for (int n = 1; n <= 12; n++)
        for (int round = 0; round < 100; round++) {
            double a[144], f[144], x[12], b[12] = {0};
            int piv[12];
            for (int i = 0; i < n * n; i++)
                a[i] = f[i] = rnd(-1, 1);
            for (int i = 0; i < n; i++)
                x[i] = rnd(-1, 1);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    b[i] += a[i * n + j] * x[j];
            double keep[12];
            memcpy(keep, b, sizeof keep);
            if (imp_lu_factor(n, f, piv))
                continue;
            imp_lu_solve(n, f, piv, b);
            /* small residual, whatever the condition */
            for (int i = 0; i < n; i++) {
                double r = -keep[i], size = fabs(keep[i]);
                for (int j = 0; j < n; j++) {
                    r += a[i * n + j] * b[j];
                    size += fabs(a[i * n + j] * b[j]);
                }
                assert_true(fabs(r) <= 1e-14 * n * size + 1e-13);
            }
        }
    double s[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, z[4] = {0}, bad[1] = {NAN};
    int piv[3];
    assert_int_not_equal(imp_lu_factor(3, s, piv), 0);
    assert_int_not_equal(imp_lu_factor(2, z, piv), 0);
    assert_int_not_equal(imp_lu_factor(1, bad, piv), 0);
    /* rows of very different size are no singularity */
    double scaled[4] = {1e-20, 0, 0, 1e20};
    assert_int_equal(imp_lu_factor(2, scaled, piv), 0);
}

/* I5: the culprit is named, not what became of it */
static void
test_trace(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct graph *g = graph_new(a);
    const expr *x = ex_sym(g, SYM_PARAM, 0, 0);
    graph_origin(g, (imp_range){1, 10, 16});
    const expr *l = ex_op(g, IMP_OP_LOG, x, NULL, NULL);
    graph_origin(g, (imp_range){1, 0, 30});
    const expr *zero = ex_num(g, 0);
    const expr *safe =
        ex_op(g, IMP_OP_SELECT, ex_op(g, IMP_OP_LE, x, zero, NULL), zero,
              ex_op(g, IMP_OP_SQRT, x, NULL, NULL));
    const expr *out = ex_add(g, ex_mul(g, l, x), safe);
    struct tape_spec spec = {.outs = &out, .n_outs = 1};
    struct help_tape h = help_build(g, spec);
    double env[2] = {0, -1}, y, va, vb;
    imp_range where;
    enum imp_op op;
    assert_int_equal(eval_tape(h.im, h.t, env, NULL, &y), IMP_NONFINITE);
    assert_true(eval_trace(h.im, h.t, env, NULL, NULL, &where, &op, &va, &vb) >=
                0);
    assert_int_equal(op, IMP_OP_LOG);
    assert_int_equal(where.lo, 10);
    assert_true(va == -1);
    env[1] = 2;
    assert_int_equal(eval_tape(h.im, h.t, env, NULL, &y), IMP_OK);
    assert_int_equal(
        eval_trace(h.im, h.t, env, NULL, NULL, &where, &op, &va, &vb), -1);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polygamma), cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_lu), cmocka_unit_test(test_trace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
