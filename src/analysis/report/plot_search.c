/* SPDX-License-Identifier: MIT */
/* What `plot` shows of a whole record of `fit` or `minimise`: data and the
 * fitted list; the values of a grid over its params. */
#include <assert.h>
#include <string.h>

#include "analysis/report/plot_priv.h"

const struct record *
plot_search_record(struct analysis *analysis, const imp_command *command)
{
    assert(analysis && command);
    const imp_val *value = arg_items(analysis, command);
    if (command->args.n != 1 || value->kind != IMP_VAL_RESULT)
        return NULL;
    const struct record *record = arg_record(analysis, value);
    return record && (record->command->id == IMP_CMD_fit ||
                      record->command->id == IMP_CMD_minimise)
               ? record
               : NULL;
}

static struct out_column
column_of(struct analysis *analysis, const struct record *record, int field)
{
    const imp_field *of = &record->schema[field];
    return (struct out_column){imp_text(analysis->rt->im, of->name),
                               imp_text(analysis->rt->im, of->unit),
                               record->v[field].num, record->v[field].n, NULL};
}

static int
fit_columns(struct analysis *analysis, const struct record *record,
            struct columns *ys)
{
    struct arena *arena = analysis->rt->arena;
    struct out_column fitted =
        column_of(analysis, record, record_index(record, "fitted"));
    const double *off = record->v[record_index(record, "residuals")].num;
    double *x = NEW_N(arena, double, fitted.n + 1);
    for (size_t i = 0; i < fitted.n; i++)
        x[i] = fitted.x[i] + off[i];
    struct out_column data = {"data", fitted.unit, x, fitted.n, NULL};
    VEC_PUSH_IN(arena, ys, data);
    VEC_PUSH_IN(arena, ys, fitted);
    return IMP_OK;
}

/* Is the field a param of the grid? */
static bool
is_grid(const struct analysis *analysis, const struct record *record, int i)
{
    static const char ending[] = "_grid";
    const char *name = imp_text(analysis->rt->im, record->schema[i].name);
    size_t n = strlen(name), k = sizeof ending - 1;
    return record->schema[i].column && n > k && !strcmp(name + n - k, ending);
}

int
plot_search(struct analysis *analysis, const imp_command *command,
            const struct record *record, struct columns *ys,
            struct columns *axes)
{
    assert(analysis && command && record && ys && axes);
    struct arena *arena = analysis->rt->arena;
    if (record->command->id == IMP_CMD_fit)
        return fit_columns(analysis, record, ys);
    int values = record_index(record, "grid_values");
    for (int i = 0; i < (int)record->n && !record->v[values].why; i++)
        if (is_grid(analysis, record, i))
            VEC_PUSH_IN(arena, axes, column_of(analysis, record, i));
    if (axes->n == 1 || axes->n == 2) {
        VEC_PUSH_IN(arena, ys, column_of(analysis, record, values));
        return IMP_OK;
    }
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0715, command->range,
                 axes->n ? "a grid over %zu params is no curve and no map"
                         : "no grid of values was asked for that could be "
                           "plotted",
                 axes->n);
    diag_help(analysis->ds, diag,
              axes->n ? "plot m.grid_values { against = (m.a_grid, m.b_grid) } "
                        "shows them over two params"
                      : "minimise F over (a in [0, 1]) { grid = 21 }");
    return IMP_FAILED;
}
