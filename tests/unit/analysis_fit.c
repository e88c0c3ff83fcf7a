/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches and statistics against GSL's, on random data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "abi/status.h"
#include "analysis/command/lists.h"
#include "analysis/fit/fit_priv.h"
#include "base/arena.h"
#include "runtime/numerics/random.h"

#ifdef HAVE_GSL
#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_statistics_double.h>

/* y = p0 exp(-p1 x) + p2 at n places */
struct decay {
    size_t n;
    double x[40], y[40];
};

static double
drawn(uint64_t run, uint64_t stream, double lo, double hi)
{
    return lo + (hi - lo) * random_unit(7.0, run, stream);
}

static int
evaluate(void *ctx, const double *p, double *residual, double *jacobian,
         double *rounding)
{
    const struct decay *decay = ctx;
    size_t n = decay->n;
    for (size_t i = 0; i < n; i++) {
        double e = exp(-p[1] * decay->x[i]);
        residual[i] = p[0] * e + p[2] - decay->y[i];
        jacobian[i] = e;
        jacobian[n + i] = -p[0] * decay->x[i] * e;
        jacobian[2 * n + i] = 1;
        rounding[i] = 1e-15 * (fabs(p[0] * e) + fabs(p[2]));
        if (!isfinite(residual[i]))
            return IMP_NONFINITE;
    }
    return IMP_OK;
}

static int
gsl_f(const gsl_vector *p, void *data, gsl_vector *f)
{
    const struct decay *decay = data;
    for (size_t i = 0; i < decay->n; i++)
        gsl_vector_set(f, i,
                       gsl_vector_get(p, 0) *
                               exp(-gsl_vector_get(p, 1) * decay->x[i]) +
                           gsl_vector_get(p, 2) - decay->y[i]);
    return GSL_SUCCESS;
}

static int
gsl_df(const gsl_vector *p, void *data, gsl_matrix *J)
{
    const struct decay *decay = data;
    for (size_t i = 0; i < decay->n; i++) {
        double e = exp(-gsl_vector_get(p, 1) * decay->x[i]);
        gsl_matrix_set(J, i, 0, e);
        gsl_matrix_set(J, i, 1, -gsl_vector_get(p, 0) * decay->x[i] * e);
        gsl_matrix_set(J, i, 2, 1);
    }
    return GSL_SUCCESS;
}

static void
gsl_search(struct decay *decay, const double start[3], double p[3],
           double covariance[9])
{
    gsl_multifit_nlinear_parameters parameters =
        gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *work = gsl_multifit_nlinear_alloc(
        gsl_multifit_nlinear_trust, &parameters, decay->n, 3);
    gsl_multifit_nlinear_fdf fdf = {
        .f = gsl_f, .df = gsl_df, .n = decay->n, .p = 3, .params = decay};
    gsl_vector_const_view x = gsl_vector_const_view_array(start, 3);
    int info;
    gsl_multifit_nlinear_init(&x.vector, &fdf, work);
    gsl_multifit_nlinear_driver(500, 1e-14, 1e-14, 0, NULL, NULL, &info, work);
    gsl_matrix_view cov = gsl_matrix_view_array(covariance, 3, 3);
    gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(work), 0, &cov.matrix);
    for (size_t k = 0; k < 3; k++)
        p[k] = gsl_vector_get(work->x, k);
    gsl_multifit_nlinear_free(work);
}

static void
test_least_squares(void **state)
{
    (void)state;
    for (uint64_t run = 0; run < 200; run++) {
        struct arena *arena = arena_new();
        struct decay decay = {.n = 8 + run % 30};
        double truth[3] = {drawn(run, 0, 1, 5), drawn(run, 1, 0.5, 2),
                           drawn(run, 2, -1, 1)};
        for (size_t i = 0; i < decay.n; i++) {
            decay.x[i] = 4.0 * (double)i / (double)decay.n;
            decay.y[i] = truth[0] * exp(-truth[1] * decay.x[i]) + truth[2] +
                         drawn(run, 10 + i, -0.05, 0.05);
        }
        const double start[3] = {2, 1, 0};
        const double lo[3] = {-INFINITY, -INFINITY, -INFINITY};
        const double hi[3] = {INFINITY, INFINITY, INFINITY};
        struct least_squares problem = {.n_rows = decay.n,
                                        .n_params = 3,
                                        .evaluate = evaluate,
                                        .ctx = &decay,
                                        .lo = lo,
                                        .hi = hi,
                                        .most_steps = 1000};
        double p[3] = {start[0], start[1], start[2]}, residual[40];
        double covariance[9], other[3], other_covariance[9];
        bool at_bound[3];
        struct least_squares_result result = {.p = p,
                                              .residual = residual,
                                              .covariance = covariance,
                                              .at_bound = at_bound};
        assert_int_equal(least_squares_search(&problem, arena, &result),
                         IMP_OK);
        assert_int_equal(result.end, LEAST_SQUARES_DONE);
        gsl_search(&decay, start, other, other_covariance);
        for (int k = 0; k < 3; k++) {
            double error = sqrt(covariance[4 * k]);
            assert_true(fabs(p[k] - other[k]) < 1e-6 * error);
            for (int j = 0; j < 3; j++)
                assert_true(fabs(covariance[3 * k + j] -
                                 other_covariance[3 * k + j]) <
                            1e-5 * error * sqrt(covariance[4 * j]));
        }
        /* the gradient vanishes to rounding, which GSL's need not */
        double jacobian[120], rounding[40];
        evaluate(&decay, p, residual, jacobian, rounding);
        for (int k = 0; k < 3; k++) {
            double slope = 0, size = 0;
            for (size_t i = 0; i < decay.n; i++) {
                slope += jacobian[(size_t)k * decay.n + i] * residual[i];
                size += fabs(jacobian[(size_t)k * decay.n + i] * residual[i]);
            }
            assert_true(fabs(slope) < 1e-11 * size);
        }
        arena_free(arena);
    }
}

static void
test_student(void **state)
{
    (void)state;
    for (int degrees = 1; degrees < 200; degrees += 1 + degrees / 4)
        for (double level = 0.05; level < 1; level += 0.0499) {
            double t = gsl_cdf_tdist_Pinv((1 + level) / 2, degrees);
            assert_true(fabs(student_two_sided(level, degrees) / t - 1) <
                        1e-10);
        }
    assert_true(fabs(student_two_sided(0.95, INFINITY) - 1.959963984540054) <
                1e-13);
}

static void
test_statistics(void **state)
{
    (void)state;
    for (uint64_t run = 0; run < 200; run++) {
        struct arena *arena = arena_new();
        size_t n = 3 + run % 60;
        double x[64], y[64], sorted[64], line[5], r;
        for (size_t i = 0; i < n; i++) {
            x[i] = drawn(run, 2 * i, -3, 5) + 1e3;
            y[i] = 0.3 * x[i] + drawn(run, 2 * i + 1, -1, 1);
        }
        size_t order[64];
        list_order(arena, x, n, order);
        for (size_t i = 0; i < n; i++)
            sorted[i] = x[order[i]];
        assert_true(fabs(list_mean(x, n, 1) / gsl_stats_mean(x, 1, n) - 1) <
                    1e-15);
        assert_true(
            fabs(list_variance(x, n) / gsl_stats_variance(x, 1, n) - 1) <
            1e-9);
        double p = drawn(run, 999, 0, 1);
        assert_true(fabs(list_quantile(sorted, n, p) -
                         gsl_stats_quantile_from_sorted_data(sorted, 1, n, p)) <
                    1e-11);
        assert_true(list_correlation(x, y, n, &r));
        assert_true(fabs(r - gsl_stats_correlation(x, 1, y, 1, n)) < 1e-9);
        double c0, c1, v00, v01, v11, squares;
        gsl_fit_linear(x, 1, y, 1, n, &c0, &c1, &v00, &v01, &v11, &squares);
        assert_true(list_regression(x, y, n, line));
        assert_true(fabs(line[1] - c1) < 1e-6 * sqrt(v11) + 1e-12);
        assert_true(fabs(line[0] - c0) < 1e-6 * sqrt(v00) + 1e-9);
        assert_true(fabs(line[3] / sqrt(v11) - 1) < 1e-8);
        assert_true(fabs(line[2] / sqrt(v00) - 1) < 1e-6);
        arena_free(arena);
    }
}
#else
static void
test_nothing(void **state)
{
    (void)state;
    skip();
}
#endif

/* The area between two distribution functions, by the mean of differences of
 * sorted entries, where both lists are of one length. */
static void
test_distance(void **state)
{
    (void)state;
    for (uint64_t run = 0; run < 100; run++) {
        struct arena *arena = arena_new();
        size_t n = 1 + run % 20, order[40];
        double a[40], b[40], sa[40], sb[40], mean = 0;
        for (size_t i = 0; i < n; i++) {
            a[i] = floor(10 * random_unit(3, run, 2 * i));
            b[i] = floor(10 * random_unit(3, run, 2 * i + 1));
        }
        list_order(arena, a, n, order);
        for (size_t i = 0; i < n; i++)
            sa[i] = a[order[i]];
        list_order(arena, b, n, order);
        for (size_t i = 0; i < n; i++)
            sb[i] = b[order[i]];
        for (size_t i = 0; i < n; i++)
            mean += fabs(sa[i] - sb[i]) / (double)n;
        assert_true(fabs(list_emd(sa, n, sb, n) - mean) < 1e-13);
        arena_free(arena);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),
#ifdef HAVE_GSL
        cmocka_unit_test(test_least_squares),
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_statistics),
#else
        cmocka_unit_test(test_nothing),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
