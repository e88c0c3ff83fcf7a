/* SPDX-License-Identifier: MIT */
/* Curves on a picture: level lines of columns, and what the option `overlay`
 * names. An expression is calculated at PLOT_POINTS places of the horizontal
 * axis, with the param of the axis in the environment. The zeros of an equation
 * are drawn as level lines over PLOT_FINE x PLOT_FINE places. Where a value
 * cannot be calculated the curve has a gap. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/report/plot_priv.h"
#include "base/arena.h"

enum { PLOT_POINTS = 401, PLOT_FINE = 201 };

/* -- level lines ------------------------------------------------------------
 */

static int
numbers_of(struct analysis *analysis, const imp_val *value, double **x,
           size_t *n)
{
    *n = value->rows ? value->rows : 1;
    *x = NEW_N(analysis->rt->arena, double, *n);
    return arg_numbers(analysis, value, *x);
}

static int
contour(struct analysis *analysis, const imp_command *command,
        const struct out_column *x_axis, const struct out_column *y_axis,
        struct out_column values, struct plot_curves *to)
{
    assert(x_axis->n == y_axis->n && values.n == x_axis->n);
    struct out_column x_merged = *x_axis, y_merged = *y_axis;
    const imp_val *given = arg_option(analysis, command, IMP_OPT_plot_levels);
    double round[OUT_LEVELS], *level = round;
    size_t n_levels;
    int st;
    plot_merge_repeats(analysis->rt->arena, &x_merged, &y_merged, &values);
    if (!given)
        n_levels = out_levels(&values, round);
    else if ((st = numbers_of(analysis, given, &level, &n_levels)))
        return st;
    struct out_curve *level_lines =
        NEW_N(analysis->rt->arena, struct out_curve, n_levels + 1);
    if (!out_contours(analysis->rt->arena, &x_merged, &y_merged, &values, level,
                      n_levels, level_lines)) {
        struct diag *diag = diag_add(analysis->ds, DIAG_E0715, command->range,
                                     "level lines need values on a grid, and "
                                     "these places are none");
        diag_help(analysis->ds, diag,
                  "sweep both params of the axes in `over`, with two values "
                  "each at least");
        return IMP_FAILED;
    }
    for (size_t k = 0; k < n_levels; k++)
        VEC_PUSH_IN(analysis->rt->arena, to, level_lines[k]);
    return IMP_OK;
}

int
plot_contours(struct analysis *analysis, const imp_command *command,
              const struct out_column *x_axis, const struct out_column *y_axis,
              const struct out_column *values, struct plot_curves *curves)
{
    assert(x_axis && y_axis && values);
    const imp_val *value = arg_option(analysis, command, IMP_OPT_plot_contours);
    struct columns cols = {0};
    int st = IMP_OK;
    if (!value && !arg_option(analysis, command, IMP_OPT_plot_levels))
        return IMP_OK;
    if (!value && values->texts) {
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0715, command->range,
                     "`%s` is a column of texts and has no level "
                     "lines",
                     values->name);
        diag_help(analysis->ds, diag,
                  "name a column of numbers: contours = s.impacts");
        return IMP_FAILED;
    }
    if (!value)
        return contour(analysis, command, x_axis, y_axis, *values, curves);
    st = columns_of_value(analysis, value, &cols, NULL);
    for (size_t k = 0; k < cols.n && !st; k++) {
        if (cols.v[k].n != x_axis->n) {
            diag_add(analysis->ds, DIAG_E0715, value->range,
                     "`%s` has %zu entries, the axes of the map have %zu",
                     cols.v[k].name, cols.v[k].n, x_axis->n);
            st = IMP_FAILED;
        } else {
            st = contour(analysis, command, x_axis, y_axis, cols.v[k], curves);
        }
    }
    return st;
}

/* -- overlay ----------------------------------------------------------------
 */

static void
ends(const struct out_column *column, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < column->n; i++)
        if (isfinite(column->x[i])) {
            *lo = fmin(*lo, column->x[i]);
            *hi = fmax(*hi, column->x[i]);
        }
}

/* Returns n even places from the smallest to the greatest value of a column. */
static double *
places(struct analysis *analysis, const struct out_column *column, size_t n)
{
    assert(n > 1);
    double lo, hi, *x = NEW_N(analysis->rt->arena, double, n);
    ends(column, &lo, &hi);
    for (size_t i = 0; i < n; i++)
        x[i] = i + 1 < n ? lo + (hi - lo) * (double)i / (double)(n - 1) : hi;
    return x;
}

static double *
param_at(struct analysis *analysis, uint32_t param)
{
    return param == UINT32_MAX
               ? NULL
               : &analysis->rt->env[analysis->rt->im->layout.params + param];
}

static const char *
label_of(const struct analysis *analysis, const imp_val *value)
{
    return imp_text(analysis->rt->im, value->label);
}

static void
expression(struct analysis *analysis, const imp_val *value,
           const struct out_column *x_axis, struct plot_curves *curves)
{
    double *p = param_at(analysis, value->ref), was = *p;
    double *at = places(analysis, x_axis, PLOT_POINTS);
    double *values = NEW_N(analysis->rt->arena, double, PLOT_POINTS);
    for (size_t i = 0; i < PLOT_POINTS; i++) {
        *p = at[i];
        if (rt_eval(analysis->rt, value->tape, NULL, &values[i]) != IMP_OK)
            values[i] = NAN;
    }
    *p = was;
    VEC_PUSH_IN(
        analysis->rt->arena, curves,
        (struct out_curve){.x = {"", "", at, PLOT_POINTS, NULL},
                           .y = {label_of(analysis, value),
                                 imp_text(analysis->rt->im, value->unit),
                                 values, PLOT_POINTS, NULL}});
}

/* Draws where left - right is 0, over the fine grid. */
static void
equation(struct analysis *analysis, const imp_val *value,
         const struct out_column *x_axis, const struct out_column *y_axis,
         struct plot_curves *curves)
{
    size_t steps = PLOT_FINE, all = steps * steps;
    double *x_param = param_at(analysis, value->ref),
           *y_param = param_at(analysis, value->field);
    double was_p = x_param ? *x_param : 0, was_q = y_param ? *y_param : 0,
           out[3];
    double *px = places(analysis, x_axis, steps),
           *py = places(analysis, y_axis, steps), zero = 0;
    double *gx = NEW_N(analysis->rt->arena, double, all),
           *gy = NEW_N(analysis->rt->arena, double, all),
           *gz = NEW_N(analysis->rt->arena, double, all);
    for (size_t k = 0; k < all; k++) {
        gx[k] = px[k % steps];
        gy[k] = py[k / steps];
        if (x_param)
            *x_param = gx[k];
        if (y_param)
            *y_param = gy[k];
        gz[k] = rt_eval(analysis->rt, value->tape, NULL, out) == IMP_OK
                    ? out[1] - out[2]
                    : NAN;
    }
    if (x_param)
        *x_param = was_p;
    if (y_param)
        *y_param = was_q;
    struct out_curve c;
    struct out_column cx = {"", "", gx, all, NULL},
                      cy = {"", "", gy, all, NULL},
                      cz = {"", "", gz, all, NULL};
    if (!out_contours(analysis->rt->arena, &cx, &cy, &cz, &zero, 1, &c))
        return; /* an axis has one value only */
    c.level = NULL;
    c.y.name = label_of(analysis, value);
    VEC_PUSH_IN(analysis->rt->arena, curves, c);
}

/* Draws a column of a sweep over one param, against that param. */
static int
column_curve(struct analysis *analysis, const imp_val *value,
             struct plot_curves *curves)
{
    const struct record *record = arg_record(analysis, value);
    struct columns cols = {0};
    if (!record)
        return IMP_FAILED;
    int st = columns_of_value(analysis, value, &cols, NULL);
    for (size_t i = 0; !st && i < record->n; i++)
        if (record->schema[i].column == 1 && !record->v[i].why)
            VEC_PUSH_IN(
                analysis->rt->arena, curves,
                (struct out_curve){
                    .x = {"", "", record->v[i].num, record->v[i].n, NULL},
                    .y = {label_of(analysis, value), cols.v->unit, cols.v->x,
                          cols.v->n, NULL}});
    return st;
}

static bool
visible(const struct out_curve *c, const struct out_column *x_axis,
        const struct out_column *y_axis)
{
    double xlo, xhi, ylo = -INFINITY, yhi = INFINITY;
    ends(x_axis, &xlo, &xhi);
    if (y_axis)
        ends(y_axis, &ylo, &yhi);
    for (size_t i = 0; i < c->x.n; i++)
        if (c->x.x[i] >= xlo && c->x.x[i] <= xhi && c->y.x[i] >= ylo &&
            c->y.x[i] <= yhi)
            return true;
    return false;
}

int
plot_overlay(struct analysis *analysis, const imp_command *command,
             const struct out_column *x_axis, const struct out_column *y_axis,
             struct plot_curves *curves)
{
    assert(x_axis);
    const imp_val *list = arg_option(analysis, command, IMP_OPT_plot_overlay);
    const imp_val *value = list ? val_items(analysis, list) : NULL;
    for (uint32_t which = 0; value && which < list->items.n; which++) {
        size_t before = curves->n;
        int st = value[which].kind == IMP_VAL_FIELD
                     ? column_curve(analysis, &value[which], curves)
                     : arg_ready(analysis, &value[which]);
        if (st)
            return st;
        if (value[which].kind != IMP_VAL_FIELD && value[which].compare &&
            y_axis)
            equation(analysis, &value[which], x_axis, y_axis, curves);
        else if (value[which].kind != IMP_VAL_FIELD && !value[which].compare)
            expression(analysis, &value[which], x_axis, curves);
        if (curves->n == before || !visible(&curves->v[before], x_axis, y_axis))
            diag_add(analysis->ds, DIAG_W0744, value[which].range,
                     "nothing of the curve `%s` lies in the picture",
                     label_of(analysis, &value[which]));
    }
    return IMP_OK;
}
