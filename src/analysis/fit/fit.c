/* SPDX-License-Identifier: MIT */
/* The command `fit`: a list made of params is brought as near to data as it can
 * be, by the sum of the squares of the differences. Its argument is a column of
 * n + 2 numbers: the list, the list less the data, and the derivatives of that
 * with respect to the n params. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/fit/fit_priv.h"

static const imp_param *
param_of(const struct fit *fit, uint32_t k)
{
    const imp_image *im = fit->analysis->rt->im;
    return IMP_ARRAY(im, im->params, imp_param) + fit->over[k].ref;
}

static double *
param_value(const struct fit *fit, uint32_t k)
{
    struct rt *run = fit->analysis->rt;
    return &run->env[run->im->layout.params + fit->over[k].ref];
}

/* least_squares.evaluate */
static int
residuals_at(void *ctx, const double *p, double *residual, double *jacobian,
             double *rounding)
{
    struct fit *fit = ctx;
    size_t m = fit->m;
    for (uint32_t k = 0; k < fit->n; k++)
        *param_value(fit, k) = p[k];
    if (rt_stopped(fit->analysis->rt))
        return IMP_STOPPED;
    for (size_t i = 0; i < m; i++) {
        column_locals(&fit->cells, i, fit->local);
        int st = rt_eval(fit->analysis->rt, fit->column->tape, fit->local,
                         fit->entry);
        if (st)
            return st;
        double weight = fit->errors ? 1 / fit->errors[i] : 1;
        double data = fit->entry[0] - fit->entry[1];
        fit->fitted[i] = fit->entry[0];
        residual[i] = weight * fit->entry[1];
        rounding[i] =
            weight * 2 * DBL_EPSILON * (fabs(fit->entry[0]) + fabs(data));
        for (uint32_t k = 0; k < fit->n; k++)
            jacobian[k * m + i] = weight * fit->entry[2 + k];
    }
    return IMP_OK;
}

/* -- what is given --------------------------------------------------------- */

static int
take_bounds(struct fit *fit)
{
    for (uint32_t k = 0; k < fit->n; k++) {
        int st = trial_bounds(fit->analysis, &fit->over[k], &fit->lo[k],
                              &fit->hi[k]);
        if (st)
            return st;
        double start = *param_value(fit, k);
        fit->start[k] = start;
        fit->found.p[k] = fmin(fmax(start, fit->lo[k]), fit->hi[k]);
    }
    return IMP_OK;
}

/* The first list of which the cells that were just read have no value. */
static const imp_list *
lacking_list(const struct fit *fit)
{
    const imp_image *im = fit->analysis->rt->im;
    const imp_cell *cell = IMP_ARRAY(im, fit->column->cells, imp_cell);
    uint32_t k = 0;
    while (k + 1 < fit->cells.n_cells && !isnan(fit->local[k]))
        k++;
    return IMP_ARRAY(im, im->lists, imp_list) + cell[k].list;
}

/* Are all entries there, and enough of them? */
static int
check_data(struct fit *fit)
{
    struct analysis *analysis = fit->analysis;
    size_t lacking = 0, first = 0;
    for (size_t i = fit->cells.n; i-- > 0;)
        if (!column_locals(&fit->cells, i, fit->local)) {
            lacking++;
            first = i;
        }
    if (lacking) {
        column_locals(&fit->cells, first, fit->local);
        const imp_list *list = lacking_list(fit);
        struct diag *diag = diag_add(
            analysis->ds, DIAG_E0761, list->range,
            "%zu of %zu entries have no value, the first of them is number %zu",
            lacking, fit->cells.n, first);
        const char *name = imp_text(analysis->rt->im, list->name);
        diag_help(analysis->ds, diag,
                  "select the same entries of all lists: a[present(%s)] in "
                  "place of a",
                  *name ? name : "a");
        return IMP_FAILED;
    }
    return fit_few_data(fit);
}

int
fit_few_data(const struct fit *fit)
{
    assert(fit && fit->n > 0);
    if (fit->m >= fit->n)
        return IMP_OK;
    struct diag *diag =
        diag_add(fit->analysis->ds, DIAG_E0764, fit->column->range,
                 "%zu entr%s of data cannot determine %u params", fit->m,
                 fit->m == 1 ? "y" : "ies", fit->n);
    diag_help(fit->analysis->ds, diag, "fit fewer params, or take more data");
    return IMP_FAILED;
}

int
fit_errors(struct fit *fit, struct analysis *analysis)
{
    assert(fit && analysis);
    const imp_val *option =
        arg_option(fit->analysis, fit->command, IMP_OPT_fit_errors);
    struct list_values errors;
    if (!option)
        return IMP_OK;
    int st = column_values_of(analysis, option, &errors);
    if (st)
        return st;
    if (errors.n != fit->m) {
        diag_add(analysis->ds, DIAG_E0760, option->range,
                 "there are %zu errors for %zu entries of data", errors.n,
                 fit->m);
        return IMP_FAILED;
    }
    for (size_t i = 0; i < errors.n; i++)
        if (!(errors.x[i] > 0)) {
            struct diag *diag =
                diag_add(analysis->ds, DIAG_E0763, option->range,
                         "a standard error is positive, but entry %zu is %g", i,
                         errors.x[i]);
            diag_help(analysis->ds, diag,
                      "leave out `errors` where they are not known");
            return IMP_FAILED;
        }
    fit->errors = arena_copy(record_arena(fit->analysis), errors.x,
                             errors.n * sizeof *errors.x);
    return IMP_OK;
}

int
fit_prepare(struct fit *fit)
{
    assert(fit && fit->n > 0);
    struct arena *arena = record_arena(fit->analysis);
    size_t m = fit->m, n = fit->n;
    fit->entry = NEW_N(arena, double, n + 2);
    fit->fitted = NEW_N(arena, double, m + 1);
    fit->lo = NEW_N(arena, double, n);
    fit->hi = NEW_N(arena, double, n);
    fit->start = NEW_N(arena, double, n);
    fit->found =
        (struct least_squares_result){.p = NEW_N(arena, double, n),
                                      .residual = NEW_N(arena, double, m + 1),
                                      .covariance = NEW_N(arena, double, n *n),
                                      .at_bound = NEW_N(arena, bool, n)};
    return take_bounds(fit);
}

/* Reads the lists of a fit without a run. */
static int
prepare(struct fit *fit)
{
    int st = arg_ready(fit->analysis, fit->column);
    if (!st)
        st = column_cells_of(fit->analysis, fit->column, &fit->cells);
    if (st)
        return st;
    fit->m = fit->cells.n;
    fit->local =
        NEW_N(record_arena(fit->analysis), double, fit->cells.n_cells + 1);
    if ((st = check_data(fit)) || (st = fit_errors(fit, fit->analysis)))
        return st;
    return fit_prepare(fit);
}

/* -- what was found -------------------------------------------------------- */

static int
search_failed(struct fit *fit)
{
    struct analysis *analysis = fit->analysis;
    const struct least_squares_result *found = &fit->found;
    struct diag *diag;
    switch (found->end) {
    case LEAST_SQUARES_DONE:
        return IMP_OK;
    case LEAST_SQUARES_START:
        diag = diag_add(analysis->ds, DIAG_E0766, fit->column->range,
                        "this has no value at the params with which the fit "
                        "begins");
        if (fit->why)
            diag_note(analysis->ds, diag, fit->command->range,
                      "the run says: %s", fit->why);
        diag_help(analysis->ds, diag,
                  fit->empty
                      ? "where cells are empty, take the others on both sides: "
                        "fit r_h[present(d.h)] to d.h[present(d.h)]"
                  : fit->why
                      ? "where lengths differ, take rows at the times of "
                        "the data alone: at = d.t  keep = 0"
                      : "the defaults of the params are the start; "
                        "--set changes them");
        return IMP_FAILED;
    case LEAST_SQUARES_SINGULAR:
        diag = diag_add(
            analysis->ds, DIAG_E0764, fit->over[found->open].range,
            "the data do not determine `%s`: it can change, alone or together "
            "with other params, while what is fitted stays the same",
            imp_text(analysis->rt->im,
                     param_of(fit, (uint32_t)found->open)->name));
        diag_help(
            analysis->ds, diag, "leave it out of `over`%s",
            trial_of_a_run(analysis->rt->im, arg_option(analysis, fit->command,
                                                        IMP_OPT_fit_run)));
        return IMP_FAILED;
    default:
        diag = diag_add(analysis->ds, DIAG_E0765, fit->column->range,
                        "the fit comes to no end: %zu steps did not lead to a "
                        "least sum of squares",
                        found->steps);
        for (uint32_t k = 0; k < fit->n; k++)
            diag_note(analysis->ds, diag, fit->over[k].range,
                      "`%s` has come to %g",
                      imp_text(analysis->rt->im, param_of(fit, k)->name),
                      found->p[k]);
        diag_help(analysis->ds, diag,
                  "begin nearer to the estimates, or state bounds: over (a in "
                  "[0, 1])");
        return IMP_FAILED;
    }
}

/* Do all params have an error? */
static bool
has_intervals(const struct fit *fit, double variance)
{
    bool any = isfinite(variance);
    for (uint32_t k = 0; k < fit->n; k++)
        any = any && !fit->found.at_bound[k];
    return any;
}

/* Sets the params as columns of their own, and as lists. */
static void
set_params(struct fit *fit, double variance, struct record *out)
{
    const struct analysis *analysis = fit->analysis;
    struct arena *arena = record_arena(analysis);
    uint32_t n = fit->n;
    const char **names = NEW_N(arena, const char *, n);
    double *errors = NEW_N(arena, double, n);
    double *covariance = NEW_N(arena, double, (size_t)n *n);
    for (uint32_t k = 0; k < n; k++) {
        names[k] = imp_text(analysis->rt->im, param_of(fit, k)->name);
        for (uint32_t j = 0; j < n; j++)
            covariance[k * n + j] = variance * fit->found.covariance[k * n + j];
        errors[k] = sqrt(covariance[k * n + k]);
        const char *error = arena_printf(arena, "%s_error", names[k]);
        SET_NUM(names[k], fit->found.p[k]);
        if (fit->found.at_bound[k])
            SET_ABSENT(error, "the param is at its bound");
        else if (isfinite(variance))
            SET_NUM(error, errors[k]);
        else
            SET_ABSENT(error, "as many params as entries of data leave no "
                              "residuals to tell errors from");
    }
    SET_TEXTS("params", names, n);
    SET_LIST("estimates", fit->found.p, n);
    if (!has_intervals(fit, variance)) {
        static const char *const none[] = {"errors", "covariance",
                                           "confidence"};
        record_set_absent_all(out, none, 3,
                              isfinite(variance)
                                  ? "a param is at its bound; those of the "
                                    "others stand under their names"
                                  : "no degrees of freedom are left");
        return;
    }
    SET_LIST("errors", errors, n);
    SET_MAT("covariance", covariance, n, n);
}

static int
set_confidence(struct fit *fit, double variance, double degrees,
               struct record *out)
{
    double level;
    int st = arg_number(fit->analysis, fit->command, IMP_OPT_fit_level, 0.95,
                        &level);
    if (st)
        return st;
    if (!(level > 0 && level < 1)) {
        diag_add(fit->analysis->ds, DIAG_E0763, fit->command->range,
                 "`level` lies between 0 and 1");
        return IMP_FAILED;
    }
    double t = student_two_sided(level, fit->errors ? INFINITY : degrees);
    double *bounds =
        NEW_N(record_arena(fit->analysis), double, 2 * (size_t)fit->n);
    for (uint32_t k = 0; k < fit->n; k++) {
        double half =
            t * sqrt(variance * fit->found.covariance[k * fit->n + k]);
        bounds[2 * k] = fit->found.p[k] - half;
        bounds[2 * k + 1] = fit->found.p[k] + half;
    }
    SET_MAT("confidence", bounds, fit->n, 2);
    return IMP_OK;
}

static void
set_bounds_told(struct fit *fit, struct record *out)
{
    struct analysis *analysis = fit->analysis;
    struct arena *arena = record_arena(analysis);
    const char **names = NEW_N(arena, const char *, fit->n);
    const char *warning = NULL;
    size_t n = 0;
    for (uint32_t k = 0; k < fit->n; k++)
        if (fit->found.at_bound[k]) {
            names[n++] = imp_text(analysis->rt->im, param_of(fit, k)->name);
            warning = arena_printf(arena, "%s%s`%s` ended at its bound",
                                   warning ? warning : "", warning ? ", " : "",
                                   names[n - 1]);
        }
    SET_TEXTS("at_bound", names, n);
    SET_TEXTS("warnings", &warning, warning != NULL);
    if (!warning)
        return;
    struct diag *diag = diag_add(analysis->ds, DIAG_W0764, fit->command->range,
                                 "%s: the best params lie beyond", warning);
    diag_help(analysis->ds, diag, "widen the bounds if they may");
}

static int
set_record(struct fit *fit, struct record *out)
{
    size_t m = fit->m;
    double degrees = (double)m;
    for (uint32_t k = 0; k < fit->n; k++)
        degrees -= !fit->found.at_bound[k];
    double squares = fit->found.squares;
    double variance = fit->errors ? 1 : degrees > 0 ? squares / degrees : NAN;
    double *residual = fit->found.residual;
    if (fit->errors)
        for (size_t i = 0; i < m; i++)
            residual[i] *= fit->errors[i];
    double unweighted = 0;
    for (size_t i = 0; i < m; i++)
        unweighted += residual[i] * residual[i];
    set_params(fit, variance, out);
    SET_LIST("fitted", fit->fitted, m);
    SET_LIST("residuals", residual, m);
    if (degrees > 0)
        SET_NUM("deviation", sqrt(unweighted / degrees));
    else
        SET_ABSENT("deviation", "no degrees of freedom are left");
    SET_NUM("chi_square", squares);
    SET_NUM("degrees", degrees);
    SET_NUM("steps", (double)fit->found.steps);
    set_bounds_told(fit, out);
    return has_intervals(fit, variance)
               ? set_confidence(fit, variance, degrees, out)
               : IMP_OK;
}

/* Fits an expression, whose derivatives are known. */
static int
fit_expression(struct fit *fit, size_t most_steps)
{
    int st = prepare(fit);
    if (st)
        return st;
    struct least_squares problem = {.n_rows = fit->m,
                                    .n_params = fit->n,
                                    .evaluate = residuals_at,
                                    .ctx = fit,
                                    .lo = fit->lo,
                                    .hi = fit->hi,
                                    .most_steps = most_steps};
    struct arena *arena = record_arena(fit->analysis);
    st = least_squares_search(&problem, arena, &fit->found);
    /* the fitted list at the estimates, and the derivatives of its errors */
    if (!st && fit->found.end == LEAST_SQUARES_DONE) {
        double *ignored = NEW_N(arena, double, fit->m *(fit->n + 2));
        st = residuals_at(fit, fit->found.p, ignored, ignored + fit->m,
                          ignored + fit->m * (fit->n + 1));
    }
    for (uint32_t k = 0; k < fit->n; k++)
        *param_value(fit, k) = fit->start[k];
    return st;
}

static int
cmd_fit(struct analysis *analysis, const imp_command *command,
        struct record *out)
{
    const imp_image *im = analysis->rt->im;
    const imp_val *over = arg_option(analysis, command, IMP_OPT_fit_over),
                  *question = arg_option(analysis, command, IMP_OPT_fit_run);
    assert(over && command->args.n == 1);
    struct fit fit = {.analysis = analysis,
                      .command = command,
                      .column = arg_items(analysis, command),
                      .over = val_items(analysis, over),
                      .n = over->items.n};
    double steps;
    int st = arg_number(analysis, command, IMP_OPT_fit_steps, 1000, &steps);
    if (st)
        return st;
    st =
        question
            ? fit_runs(&fit,
                       IMP_ARRAY(im, im->commands, imp_command) + question->ref,
                       (size_t)steps)
            : fit_expression(&fit, (size_t)steps);
    if (!st)
        st = search_failed(&fit);
    return st ? st : set_record(&fit, out);
}

const struct command_functions command_fit = {.run = cmd_fit};
