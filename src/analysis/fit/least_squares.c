/* SPDX-License-Identifier: MIT */
/* Levenberg and Marquardt's search for the least sum of squares. Each step
 * solves min |J s + r|^2 + mu |D s|^2 by orthogonal transformations, with D the
 * greatest lengths of the columns of J so far (More 1978) and mu by the ratio of
 * the reduction that came to the one that was foreseen (Nielsen 1999). A param
 * at a bound that the step would leave is held. Steps whose foreseen reduction
 * is within the rounding of the sum end the search; a few of Gauss and Newton's
 * follow, as long as they shrink, because the sum knows a minimum to half of
 * its digits only, and the derivatives know it to all. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/fit/fit_priv.h"
#include "runtime/numerics/dense.h"

struct search {
    const struct least_squares *problem;
    struct least_squares_result *result;
    size_t m, n;
    double *jacobian, *rounding; /* at the present p */
    double *trial_p, *trial_residual, *trial_jacobian, *trial_rounding;
    double *work;     /* m x n, and the right side (m) behind it */
    double *r, *q;    /* n x n, column-major: R of J; Q^T r */
    double *stack;    /* 2 n x n, and its right side */
    double *scale;    /* D */
    double *step;     /* n */
    bool *held;
};

/* Householder's transformation of the m x n matrix a (column-major, ld = m) to
 * R, also of the right side b. Columns of length 0 are left as they are. */
static void
reduce(size_t m, size_t n, double *a, double *b)
{
    for (size_t k = 0; k < n && k < m; k++) {
        double *column = a + k * m, length = 0;
        for (size_t i = k; i < m; i++)
            length = hypot(length, column[i]);
        if (!(length > 0))
            continue;
        double alpha = column[k] > 0 ? -length : length;
        double head = column[k] - alpha;
        column[k] = alpha;
        /* v = (head, column[k+1 ..]), v.v = -2 alpha head */
        double scale = -1 / (alpha * head);
        for (size_t j = k + 1; j <= n; j++) {
            double *other = j < n ? a + j * m : b;
            double dot = head * other[k];
            for (size_t i = k + 1; i < m; i++)
                dot += column[i] * other[i];
            dot *= scale;
            other[k] -= dot * head;
            for (size_t i = k + 1; i < m; i++)
                other[i] -= dot * column[i];
        }
        for (size_t i = k + 1; i < m; i++)
            column[i] = 0;
    }
}

static double
squares_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* R and Q^T r of the Jacobian, with the columns of held params made 0. */
static void
factor(struct search *search)
{
    size_t m = search->m, n = search->n;
    double *b = search->work + m * n;
    memcpy(search->work, search->jacobian, m * n * sizeof *b);
    memcpy(b, search->result->residual, m * sizeof *b);
    for (size_t j = 0; j < n; j++)
        if (search->held[j])
            memset(search->work + j * m, 0, m * sizeof *b);
    reduce(m, n, search->work, b);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++)
            search->r[j * n + i] = i <= j ? search->work[j * m + i] : 0;
        search->q[j] = b[j];
    }
}

/* Holds the params that are at a bound and would be led out of it. */
static void
hold(struct search *search)
{
    const struct least_squares *problem = search->problem;
    for (size_t j = 0; j < search->n; j++) {
        double slope = dense_dot((int)search->m, search->jacobian + j * search->m,
                                 search->result->residual);
        double p = search->result->p[j];
        search->held[j] = (p <= problem->lo[j] && slope >= 0) ||
                          (p >= problem->hi[j] && slope <= 0);
    }
}

/* The step for the damping mu into search->step; returns the reduction of the
 * sum of squares that it foresees. */
static double
damped_step(struct search *search, double mu)
{
    size_t n = search->n, ld = 2 * n;
    double *a = search->stack, *b = a + ld * n, *s = search->step;
    memset(a, 0, (ld * n + ld) * sizeof *a);
    for (size_t j = 0; j < n; j++) {
        memcpy(a + j * ld, search->r + j * n, n * sizeof *a);
        a[j * ld + n + j] = sqrt(mu) * search->scale[j];
        b[j] = -search->q[j];
    }
    reduce(ld, n, a, b);
    for (size_t j = n; j-- > 0;) {
        double rest = b[j];
        for (size_t k = j + 1; k < n; k++)
            rest -= a[k * ld + j] * s[k];
        s[j] = search->held[j] || a[j * ld + j] == 0 ? 0 : rest / a[j * ld + j];
    }
    /* |q|^2 - |q + R s|^2 = -(R s).(2 q + R s) */
    double foreseen = 0;
    for (size_t i = 0; i < n; i++) {
        double rs = 0;
        for (size_t j = i; j < n; j++)
            rs += search->r[j * n + i] * s[j];
        foreseen -= rs * (2 * search->q[i] + rs);
    }
    return foreseen;
}

static int
evaluate_trial(struct search *search, double *squares)
{
    const struct least_squares *problem = search->problem;
    for (size_t j = 0; j < search->n; j++) {
        double p = search->result->p[j] + search->step[j];
        search->trial_p[j] = fmin(fmax(p, problem->lo[j]), problem->hi[j]);
    }
    int st = problem->evaluate(problem->ctx, search->trial_p,
                               search->trial_residual, search->trial_jacobian,
                               search->trial_rounding);
    *squares = st == IMP_OK ? squares_of(search->trial_residual, search->m)
                            : INFINITY;
    return st == IMP_NONFINITE ? IMP_OK : st;
}

static void
swap(double **a, double **b)
{
    double *was = *a;
    *a = *b;
    *b = was;
}

static void
accept(struct search *search, double squares)
{
    size_t n = search->n, m = search->m;
    memcpy(search->result->p, search->trial_p, n * sizeof(double));
    memcpy(search->result->residual, search->trial_residual, m * sizeof(double));
    swap(&search->jacobian, &search->trial_jacobian);
    swap(&search->rounding, &search->trial_rounding);
    search->result->squares = squares;
    for (size_t j = 0; j < n; j++) {
        double length =
            sqrt(squares_of(search->jacobian + j * m, m));
        search->scale[j] = fmax(search->scale[j], length);
    }
}

/* What rounding of the residuals may change the sum by. */
static double
sum_rounding(const struct search *search)
{
    double sum = 0;
    for (size_t i = 0; i < search->m; i++) {
        double error = search->rounding[i];
        sum += error * (2 * fabs(search->result->residual[i]) + error);
    }
    return sum + DBL_EPSILON * (double)search->m * search->result->squares;
}

/* Gauss and Newton's steps at the end, while they shrink by half at least. */
static int
polish(struct search *search)
{
    double before = INFINITY;
    for (int k = 0; k < 20; k++) {
        double squares, length = 0;
        hold(search);
        factor(search);
        damped_step(search, 0);
        for (size_t j = 0; j < search->n; j++)
            length = hypot(length, search->scale[j] * search->step[j]);
        if (!(length < before / 2))
            return IMP_OK;
        before = length;
        double most = search->result->squares + 2 * sum_rounding(search);
        int st = evaluate_trial(search, &squares);
        if (st || !(squares <= most))
            return st;
        accept(search, squares);
    }
    return IMP_OK;
}

static int
descend(struct search *search)
{
    struct least_squares_result *result = search->result;
    double mu = 1e-3, grow = 2;
    for (result->steps = 0; result->steps < search->problem->most_steps;) {
        hold(search);
        factor(search);
        for (;;) {
            double squares, foreseen = damped_step(search, mu);
            if (foreseen <= sum_rounding(search)) {
                /* Is it the minimum, or has nothing but the damping made the
                 * step so small? */
                double undamped = damped_step(search, 0);
                if (undamped <= sqrt(DBL_EPSILON) * result->squares +
                                    sum_rounding(search))
                    return polish(search);
                result->end = LEAST_SQUARES_STEPS;
                return IMP_OK;
            }
            result->steps++;
            int st = evaluate_trial(search, &squares);
            if (st)
                return st;
            double ratio = (result->squares - squares) / foreseen;
            if (ratio > 0) {
                double twist = 2 * ratio - 1;
                accept(search, squares);
                mu *= fmax(1.0 / 3, 1 - twist * twist * twist);
                grow = 2;
                break;
            }
            mu *= grow;
            grow *= 2;
            if (result->steps >= search->problem->most_steps)
                break;
        }
    }
    result->end = LEAST_SQUARES_STEPS;
    return IMP_OK;
}

/* The covariance at the end, or the param that the data leave open: columns of J
 * are made of length 1 first, so that units do not count. */
static void
covariance(struct search *search, struct arena *arena)
{
    struct least_squares_result *result = search->result;
    size_t n = search->n, free = 0;
    double *length = NEW_N(arena, double, n), *inverse = NEW_N(arena, double, n * n);
    double *a = NEW_N(arena, double, n * n), *tau = NEW_N(arena, double, n);
    double *norm = NEW_N(arena, double, 2 * n);
    int *perm = NEW_N(arena, int, n);
    hold(search);
    factor(search);
    for (size_t j = 0; j < n; j++) {
        result->at_bound[j] = search->held[j];
        length[j] = sqrt(squares_of(search->r + j * n, n));
        for (size_t i = 0; i < n; i++)
            a[j * n + i] =
                length[j] > 0 ? search->r[j * n + i] / length[j] : 0;
        free += !search->held[j];
    }
    int rank = dense_qr((int)n, (int)n, a, tau, perm, norm,
                        dense_tolerance((int)search->m, (int)n));
    memset(result->covariance, 0, n * n * sizeof(double));
    if ((size_t)rank < free) {
        result->end = LEAST_SQUARES_SINGULAR;
        for (size_t k = (size_t)rank; k < n; k++)
            if (!search->held[perm[k]])
                result->open = (size_t)perm[k];
        return;
    }
    /* columns of R^-1, in the order of perm; a holds R in its upper triangle */
    for (int k = 0; k < rank; k++)
        for (int i = k; i >= 0; i--) {
            double rest = i == k;
            for (int j = i + 1; j <= k; j++)
                rest -= a[(size_t)j * n + (size_t)i] * inverse[(size_t)k * n + (size_t)j];
            inverse[(size_t)k * n + (size_t)i] = rest / a[(size_t)i * n + (size_t)i];
        }
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < rank; j++) {
            double sum = 0;
            for (int k = i > j ? i : j; k < rank; k++)
                sum += inverse[(size_t)k * n + (size_t)i] * inverse[(size_t)k * n + (size_t)j];
            size_t one = (size_t)perm[i], two = (size_t)perm[j];
            result->covariance[one * n + two] = sum / (length[one] * length[two]);
        }
}

int
least_squares_search(const struct least_squares *problem, struct arena *arena,
                     struct least_squares_result *result)
{
    assert(problem && arena && result);
    assert(problem->n_params > 0 && problem->n_rows >= problem->n_params);
    size_t m = problem->n_rows, n = problem->n_params;
    struct search search = {
        .problem = problem,
        .result = result,
        .m = m,
        .n = n,
        .jacobian = NEW_N(arena, double, m *n),
        .rounding = NEW_N(arena, double, m),
        .trial_p = NEW_N(arena, double, n),
        .trial_residual = NEW_N(arena, double, m),
        .trial_jacobian = NEW_N(arena, double, m *n),
        .trial_rounding = NEW_N(arena, double, m),
        .work = NEW_N(arena, double, m *n + m),
        .r = NEW_N(arena, double, n *n),
        .q = NEW_N(arena, double, n),
        .stack = NEW_N(arena, double, 2 * n * n + 2 * n),
        .scale = NEW_N(arena, double, n),
        .step = NEW_N(arena, double, n),
        .held = NEW_N(arena, bool, n),
    };
    result->end = LEAST_SQUARES_DONE;
    double squares;
    memcpy(search.trial_p, result->p, n * sizeof(double));
    memset(search.step, 0, n * sizeof(double));
    int st = evaluate_trial(&search, &squares);
    if (st)
        return st;
    if (!isfinite(squares)) {
        result->end = LEAST_SQUARES_START;
        return IMP_OK;
    }
    accept(&search, squares);
    if ((st = descend(&search)) || result->end != LEAST_SQUARES_DONE)
        return st;
    covariance(&search, arena);
    if (result->end != LEAST_SQUARES_DONE || !problem->errors)
        return IMP_OK;
    st = problem->errors(problem->ctx, result->p, result->covariance,
                         result->squares, search.jacobian);
    if (st == IMP_OK)
        covariance(&search, arena);
    return st == IMP_NONFINITE ? IMP_OK : st;
}
