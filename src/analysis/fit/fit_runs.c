/* SPDX-License-Identifier: MIT */
/* `fit` of what a run tells. A run has no derivatives with respect to params,
 * so the search is led by secants: differences of runs beside the present
 * params, on both sides. They choose its steps alone; the sum of squares, which
 * is compared, is that of the runs themselves. The standard errors are told by
 * secants over plus and minus one standard error: what a change of the param by
 * its error does to the run. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/fit/fit_priv.h"

/* Half of the width of a secant of the search, as a share of the param, or of
 * its bounds: what the curve of a run adds to it, of the second order, is less
 * than 1e-9, and what rounding adds 1e-7. */
#define SECANT 0x1p-17
/* Values of runs are followed to this share of their terms. */
#define RUN_ROUNDING 0x1p-42

struct runs {
    struct fit *fit;
    struct trial trial;
    double *base, *low,
        *high;     /* m rows of 2: the list, the list less the data */
    double *width; /* per param */
    double *p;     /* n: of a secant */
};

/* What reads the lists of one run. */
struct reading {
    struct runs *runs;
    double *rows;
};

static int
read_rows(void *ctx, struct analysis *analysis)
{
    const struct reading *reading = ctx;
    const struct fit *fit = reading->runs->fit;
    struct list_values list;
    int st = column_values_of(analysis, fit->column, &list);
    if (st)
        return st;
    assert(list.width == 2);
    for (size_t i = 0; i < 2 * list.n; i++)
        if (!isfinite(list.x[i]))
            return IMP_NONFINITE;
    if (list.n != fit->m)
        return IMP_NONFINITE;
    memcpy(reading->rows, list.x, 2 * list.n * sizeof(double));
    return IMP_OK;
}

static int
ask(struct runs *runs, const double *p, double *rows, bool *there)
{
    struct reading reading = {runs, rows};
    return trial_ask(&runs->trial, p, read_rows, &reading, there);
}

/* Puts the secant over param k at p, of the residuals, into column[i]. The run
 * at p is runs->base. */
static int
secant(struct runs *runs, const double *p, uint32_t k, double *column)
{
    const struct fit *fit = runs->fit;
    double lo = fmax(p[k] - runs->width[k], fit->lo[k]),
           hi = fmin(p[k] + runs->width[k], fit->hi[k]);
    const double *low = runs->base, *high = runs->base;
    bool there = false;
    memset(column, 0, fit->m * sizeof *column);
    memcpy(runs->p, p, fit->n * sizeof *p);
    runs->p[k] = lo;
    int st = lo < p[k] ? ask(runs, runs->p, runs->low, &there) : IMP_OK;
    if (st)
        return st;
    if (there)
        low = runs->low;
    else
        lo = p[k];
    runs->p[k] = hi;
    there = false;
    st = hi > p[k] ? ask(runs, runs->p, runs->high, &there) : IMP_OK;
    if (st)
        return st;
    if (there)
        high = runs->high;
    else
        hi = p[k];
    if (!(hi > lo))
        return IMP_NONFINITE;
    for (size_t i = 0; i < fit->m; i++) {
        double weight = fit->errors ? 1 / fit->errors[i] : 1;
        column[i] = weight * (high[2 * i + 1] - low[2 * i + 1]) / (hi - lo);
    }
    return IMP_OK;
}

static int
secants(struct runs *runs, const double *p, double *jacobian)
{
    int st = IMP_OK;
    for (uint32_t k = 0; k < runs->fit->n && !st; k++)
        st = secant(runs, p, k, jacobian + k * runs->fit->m);
    return st;
}

/* least_squares.evaluate */
static int
residuals_at(void *ctx, const double *p, double *residual, double *jacobian,
             double *rounding)
{
    struct runs *runs = ctx;
    struct fit *fit = runs->fit;
    bool there;
    int st = ask(runs, p, runs->base, &there);
    if (st || !there)
        return st ? st : IMP_NONFINITE;
    for (size_t i = 0; i < fit->m; i++) {
        double weight = fit->errors ? 1 / fit->errors[i] : 1;
        const double *row = runs->base + 2 * i;
        residual[i] = weight * row[1];
        rounding[i] =
            weight * RUN_ROUNDING * (fabs(row[0]) + fabs(row[0] - row[1]));
    }
    return secants(runs, p, jacobian);
}

/* least_squares.errors: secants over the standard errors. */
static int
errors_at(void *ctx, const double *p, const double *covariance, double squares,
          double *jacobian)
{
    struct runs *runs = ctx;
    struct fit *fit = runs->fit;
    double degrees = (double)fit->m - (double)fit->n;
    double variance = fit->errors ? 1 : degrees > 0 ? squares / degrees : 0;
    bool there;
    for (uint32_t k = 0; k < fit->n; k++)
        runs->width[k] =
            fmax(runs->width[k], sqrt(variance * covariance[k * fit->n + k]));
    int st = ask(runs, p, runs->base, &there);
    if (st || !there)
        return st ? st : IMP_NONFINITE;
    for (size_t i = 0; i < fit->m; i++)
        fit->fitted[i] = runs->base[2 * i];
    return secants(runs, p, jacobian);
}

static int
count_rows(void *ctx, struct analysis *analysis)
{
    struct fit *fit = ctx;
    struct list_values list;
    int st = column_values_of(analysis, fit->column, &list);
    if (st)
        return st;
    fit->m = list.n;
    for (size_t i = 0; i < list.n; i++)
        if (isnan(list.x[2 * i]) || isnan(list.x[2 * i + 1])) {
            fit->empty = true;
            struct diag *diag =
                diag_add(analysis->ds, DIAG_E0761, fit->column->range,
                         "entry number %zu has no value", i);
            diag_help(analysis->ds, diag,
                      "select the same entries of both lists: a[present(a)]");
            return IMP_FAILED;
        }
    return fit_errors(fit, analysis);
}

/* How many entries have both lists at the start? What is wrong there is told as
 * it is. */
static int
first_run(struct runs *runs)
{
    struct fit *fit = runs->fit;
    struct arena *arena = record_arena(fit->analysis);
    const imp_image *im = fit->analysis->rt->im;
    double *p = NEW_N(arena, double, fit->n);
    bool there;
    for (uint32_t k = 0; k < fit->n; k++)
        p[k] = fit->analysis->rt->env[im->layout.params + fit->over[k].ref];
    int st = trial_ask(&runs->trial, p, count_rows, fit, &there);
    if (st)
        return st;
    fit->why = runs->trial.why;
    fit->found.end = LEAST_SQUARES_START;
    if (!there)
        return IMP_OK;
    if ((st = fit_few_data(fit)))
        return st;
    if ((st = fit_prepare(fit)))
        return st;
    runs->base = NEW_N(arena, double, 2 * fit->m);
    runs->low = NEW_N(arena, double, 2 * fit->m);
    runs->high = NEW_N(arena, double, 2 * fit->m);
    runs->width = NEW_N(arena, double, fit->n);
    runs->p = NEW_N(arena, double, fit->n);
    for (uint32_t k = 0; k < fit->n; k++) {
        double between = fit->hi[k] - fit->lo[k];
        double scale =
            fmax(fabs(fit->found.p[k]), isfinite(between) ? between / 16 : 0);
        runs->width[k] = SECANT * (scale > 0 ? scale : 1);
    }
    fit->found.end = LEAST_SQUARES_DONE;
    return IMP_OK;
}

static int
search(struct runs *runs, size_t most_steps)
{
    struct fit *fit = runs->fit;
    int st = trial_open(&runs->trial);
    if (st || (st = first_run(runs)) || fit->found.end != LEAST_SQUARES_DONE)
        return st;
    struct least_squares problem = {.n_rows = fit->m,
                                    .n_params = fit->n,
                                    .evaluate = residuals_at,
                                    .errors = errors_at,
                                    .ctx = runs,
                                    .lo = fit->lo,
                                    .hi = fit->hi,
                                    .most_steps = most_steps};
    st = least_squares_search(&problem, record_arena(fit->analysis),
                              &fit->found);
    fit->why = runs->trial.why;
    return st;
}

int
fit_runs(struct fit *fit, const imp_command *question, size_t most_steps)
{
    assert(fit && question && fit->n > 0);
    struct arena *arena = record_arena(fit->analysis);
    uint32_t *param = NEW_N(arena, uint32_t, fit->n);
    for (uint32_t k = 0; k < fit->n; k++)
        param[k] = fit->over[k].ref;
    struct runs runs = {.fit = fit,
                        .trial = {.of = fit->analysis,
                                  .value = fit->column,
                                  .question = question,
                                  .n = fit->n,
                                  .param = param}};
    struct oom_guard guard;
    struct runs *volatile kept = &runs;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        trial_close(&kept->trial);
        oom_raise();
    }
    oom_enter(&guard);
    int st = search(&runs, most_steps);
    trial_tell(&runs.trial, fit->command->range);
    oom_leave(&guard);
    trial_close(&runs.trial);
    return st;
}
