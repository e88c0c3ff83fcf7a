/* SPDX-License-Identifier: MIT */
/* Curves over a picture: level lines of columns, and what `overlay` names.
 * Expressions are calculated at PLOT_POINTS places of the horizontal axis, with
 * its param in the environment; of equations the zeros are drawn as level lines
 * over PLOT_FINE x PLOT_FINE places. Where nothing can be calculated there is
 * no curve. */
#include <math.h>

#include "abi/status.h"
#include "analysis/report/plot_priv.h"
#include "base/arena.h"

enum { PLOT_POINTS = 401, PLOT_FINE = 201 };

/* -- level lines ------------------------------------------------------------
 */

static int
numbers_of(struct analysis *a, const imp_val *v, double **x, size_t *n)
{
    *n = v->rows ? v->rows : 1;
    *x = NEW_N(a->rt->arena, double, *n);
    return arg_numbers(a, v, *x);
}

static int
contour(struct analysis *a, const imp_command *c, const struct out_column *x,
        const struct out_column *y, struct out_column z, struct plot_curves *l)
{
    struct out_column p = *x, q = *y;
    const imp_val *given = arg_option(a, c, IMP_OPT_plot_levels);
    double round[OUT_LEVELS], *level = round;
    size_t n;
    int st;
    plot_merge_repeats(a->rt->arena, &p, &q, &z);
    if (!given)
        n = out_levels(&z, round);
    else if ((st = numbers_of(a, given, &level, &n)))
        return st;
    struct out_curve *v = NEW_N(a->rt->arena, struct out_curve, n + 1);
    if (!out_contours(a->rt->arena, &p, &q, &z, level, n, v)) {
        struct diag *d = diag_add(a->ds, DIAG_E0715, c->range,
                                  "level lines need values on a grid, and "
                                  "these places are none");
        diag_help(a->ds, d,
                  "sweep both params of the axes in `over`, with two values "
                  "each at least");
        return IMP_FAILED;
    }
    for (size_t k = 0; k < n; k++)
        VEC_PUSH_IN(a->rt->arena, l, v[k]);
    return IMP_OK;
}

int
plot_contours(struct analysis *a, const imp_command *c,
              const struct out_column *x, const struct out_column *y,
              const struct out_column *z, struct plot_curves *l)
{
    const imp_val *v = arg_option(a, c, IMP_OPT_plot_contours);
    struct columns cols = {0};
    int st = IMP_OK;
    if (!v && !arg_option(a, c, IMP_OPT_plot_levels))
        return IMP_OK;
    if (!v && z->texts) {
        struct diag *d = diag_add(a->ds, DIAG_E0715, c->range,
                                  "`%s` is a column of texts and has no level "
                                  "lines",
                                  z->name);
        diag_help(a->ds, d, "name a column of numbers: contours = s.impacts");
        return IMP_FAILED;
    }
    if (!v)
        return contour(a, c, x, y, *z, l);
    st = columns_of_value(a, v, &cols, NULL);
    for (size_t k = 0; k < cols.n && !st; k++) {
        if (cols.v[k].n != x->n) {
            diag_add(a->ds, DIAG_E0715, v->range,
                     "`%s` has %zu entries, the axes of the map have %zu",
                     cols.v[k].name, cols.v[k].n, x->n);
            st = IMP_FAILED;
        } else {
            st = contour(a, c, x, y, cols.v[k], l);
        }
    }
    return st;
}

/* -- overlay ----------------------------------------------------------------
 */

static void
ends(const struct out_column *c, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < c->n; i++)
        if (isfinite(c->x[i])) {
            *lo = fmin(*lo, c->x[i]);
            *hi = fmax(*hi, c->x[i]);
        }
}

/* n places from end to end of a column */
static double *
places(struct analysis *a, const struct out_column *c, size_t n)
{
    double lo, hi, *x = NEW_N(a->rt->arena, double, n);
    ends(c, &lo, &hi);
    for (size_t i = 0; i < n; i++)
        x[i] = i + 1 < n ? lo + (hi - lo) * (double)i / (double)(n - 1) : hi;
    return x;
}

static double *
param_at(struct analysis *a, uint32_t param)
{
    return param == UINT32_MAX ? NULL
                               : &a->rt->env[a->rt->im->layout.params + param];
}

static const char *
label_of(const struct analysis *a, const imp_val *v)
{
    return imp_text(a->rt->im, v->label);
}

static void
expression(struct analysis *a, const imp_val *v, const struct out_column *x,
           struct plot_curves *l)
{
    double *p = param_at(a, v->ref), was = *p;
    double *at = places(a, x, PLOT_POINTS);
    double *y = NEW_N(a->rt->arena, double, PLOT_POINTS);
    for (size_t i = 0; i < PLOT_POINTS; i++) {
        *p = at[i];
        if (rt_eval(a->rt, v->tape, NULL, &y[i]) != IMP_OK)
            y[i] = NAN;
    }
    *p = was;
    VEC_PUSH_IN(
        a->rt->arena, l,
        (struct out_curve){.x = {"", "", at, PLOT_POINTS, NULL},
                           .y = {label_of(a, v), imp_text(a->rt->im, v->unit),
                                 y, PLOT_POINTS, NULL}});
}

/* left - right over the fine grid */
static void
equation(struct analysis *a, const imp_val *v, const struct out_column *x,
         const struct out_column *y, struct plot_curves *l)
{
    size_t n = PLOT_FINE, all = n * n;
    double *p = param_at(a, v->ref), *q = param_at(a, v->field);
    double was_p = p ? *p : 0, was_q = q ? *q : 0, out[3];
    double *px = places(a, x, n), *py = places(a, y, n), zero = 0;
    double *gx = NEW_N(a->rt->arena, double, all),
           *gy = NEW_N(a->rt->arena, double, all),
           *gz = NEW_N(a->rt->arena, double, all);
    for (size_t k = 0; k < all; k++) {
        gx[k] = px[k % n];
        gy[k] = py[k / n];
        if (p)
            *p = gx[k];
        if (q)
            *q = gy[k];
        gz[k] = rt_eval(a->rt, v->tape, NULL, out) == IMP_OK ? out[1] - out[2]
                                                             : NAN;
    }
    if (p)
        *p = was_p;
    if (q)
        *q = was_q;
    struct out_curve c;
    struct out_column cx = {"", "", gx, all, NULL},
                      cy = {"", "", gy, all, NULL},
                      cz = {"", "", gz, all, NULL};
    if (!out_contours(a->rt->arena, &cx, &cy, &cz, &zero, 1, &c))
        return; /* an axis of one value */
    c.level = NULL;
    c.y.name = label_of(a, v);
    VEC_PUSH_IN(a->rt->arena, l, c);
}

/* a column of a sweep over one param, against that */
static int
column_curve(struct analysis *a, const imp_val *v, struct plot_curves *l)
{
    const struct record *r = arg_record(a, v);
    struct columns cols = {0};
    if (!r)
        return IMP_FAILED;
    int st = columns_of_value(a, v, &cols, NULL);
    for (size_t i = 0; !st && i < r->n; i++)
        if (r->schema[i].column == 1 && !r->v[i].why)
            VEC_PUSH_IN(
                a->rt->arena, l,
                (struct out_curve){.x = {"", "", r->v[i].num, r->v[i].n, NULL},
                                   .y = {label_of(a, v), cols.v->unit,
                                         cols.v->x, cols.v->n, NULL}});
    return st;
}

static bool
visible(const struct out_curve *c, const struct out_column *x,
        const struct out_column *y)
{
    double xlo, xhi, ylo = -INFINITY, yhi = INFINITY;
    ends(x, &xlo, &xhi);
    if (y)
        ends(y, &ylo, &yhi);
    for (size_t i = 0; i < c->x.n; i++)
        if (c->x.x[i] >= xlo && c->x.x[i] <= xhi && c->y.x[i] >= ylo &&
            c->y.x[i] <= yhi)
            return true;
    return false;
}

int
plot_overlay(struct analysis *a, const imp_command *c,
             const struct out_column *x, const struct out_column *y,
             struct plot_curves *l)
{
    const imp_val *list = arg_option(a, c, IMP_OPT_plot_overlay);
    const imp_val *v = list ? val_items(a, list) : NULL;
    for (uint32_t i = 0; v && i < list->items.n; i++) {
        size_t n = l->n;
        int st = v[i].kind == IMP_VAL_FIELD ? column_curve(a, &v[i], l)
                                            : arg_ready(a, &v[i]);
        if (st)
            return st;
        if (v[i].kind != IMP_VAL_FIELD && v[i].compare && y)
            equation(a, &v[i], x, y, l);
        else if (v[i].kind != IMP_VAL_FIELD && !v[i].compare)
            expression(a, &v[i], x, l);
        if (l->n == n || !visible(&l->v[n], x, y))
            diag_add(a->ds, DIAG_W0744, v[i].range,
                     "nothing of the curve `%s` lies in the picture",
                     label_of(a, &v[i]));
    }
    return IMP_OK;
}
