/* SPDX-License-Identifier: MIT */
/* The command `plot`: columns against time, against another column (`against`),
 * or against the numbers 0, 1, ... of their entries. Against two columns it is
 * a map. With `per` or `overlay` it has curves, each with places of its own.
 * The plot is a file under --out, or else text. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/report/plot_priv.h"
#include "analysis/trace/run_file.h"

/* The name of the model without folder and ending, as part of a file's name. */
static const char *
model_stem(struct analysis *analysis)
{
    enum { LONGEST = 120 }; /* The bytes of the name that are kept. */
    const char *path = imp_text(analysis->rt->im, analysis->rt->im->name);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    name += *name == '<'; /* <stdin>, <repl> */
    size_t n = strlen(name);
    if (n > 4 && !strcmp(name + n - 4, ".imp"))
        n -= 4;
    n = n < LONGEST ? n : LONGEST;
    while (n && ((unsigned char)name[n] & 0xc0u) == 0x80u)
        n--; /* The text must not end within a character. */
    char *stem = arena_strndup(analysis->rt->arena, name, n);
    for (char *s = stem; *s; s++)
        if ((unsigned char)*s < 32 || *s == 127 || *s == '\\')
            *s = '_';
    stem[strcspn(stem, ">")] = 0;
    return *stem && *stem != '.' ? stem : "model";
}

/* Returns "MODEL-plot-N.svg", where N counts the plots of the run: models that
 * share a folder of --out do not write over each other's pictures. */
static const char *
default_name(struct analysis *analysis, enum out_takes takes)
{
    return arena_printf(analysis->rt->arena, "%s-%s-%d%s", model_stem(analysis),
                        takes == OUT_VIEW ? "view" : "plot", analysis->plots,
                        out_default_ending(takes));
}

static const char *
default_title(struct analysis *analysis, const imp_command *command)
{
    const imp_val *value = arg_items(analysis, command);
    struct buf buf = {0};
    for (uint32_t i = 0; i < command->args.n; i++)
        buf_printf(&buf, "%s%s", i ? ", " : "",
                   imp_text(analysis->rt->im, value[i].label));
    const char *s = arena_strdup(analysis->rt->arena, buf_str(&buf));
    buf_free(&buf);
    return s;
}

/* Draws a map of one column, which may be texts, against two columns. found:
 * the column; NULL: it is that of the command. */
static int
map(struct analysis *analysis, const imp_command *command,
    const struct columns *axes, const struct out_column *found)
{
    assert(axes->n == 2);
    const imp_val *value = arg_items(analysis, command);
    struct out_column values[8];
    const struct record *record = !found && value->kind == IMP_VAL_FIELD
                                      ? arg_record(analysis, value)
                                      : NULL;
    bool one = found ||
               (command->args.n == 1 && record &&
                record->schema[value->field].width <= 3 &&
                columns_of_field(analysis, record, value->field, values) == 1);
    if (found)
        values[0] = *found;
    if (!one || values[0].n != axes->v[0].n || values[0].n != axes->v[1].n) {
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0715, command->range,
                     "a map shows one column over two others of the same "
                     "record, all of one length");
        diag_help(analysis->ds, diag,
                  "as in plot s.verdict { against = (s.rho, s.gamma) }");
        return IMP_FAILED;
    }
    struct plot_curves curves = {0};
    struct out_column x_axis = axes->v[0], y_axis = axes->v[1];
    int st =
        plot_contours(analysis, command, &x_axis, &y_axis, &values[0], &curves);
    if (!st)
        st = plot_overlay(analysis, command, &x_axis, &y_axis, &curves);
    plot_merge_repeats(analysis->rt->arena, &x_axis, &y_axis, &values[0]);
    if (!st)
        st = out_map(analysis->out, analysis->ds, command->range,
                     arg_text(analysis, command, IMP_OPT_plot_file,
                              default_name(analysis, OUT_PICTURE)),
                     arg_text(analysis, command, IMP_OPT_plot_title,
                              default_title(analysis, command)),
                     &x_axis, &y_axis, &values[0], curves.v, curves.n);
    return st;
}

/* Finds the column that `per` names, of as many rows as x. */
static int
per_column(struct analysis *analysis, const imp_command *command,
           const imp_val *value, const struct out_column *x_axis,
           struct out_column *per)
{
    struct out_column z[8];
    const imp_val *one = val_items(analysis, value);
    const struct record *record =
        one->kind == IMP_VAL_FIELD ? arg_record(analysis, one) : NULL;
    if (value->items.n == 1 && record &&
        record->schema[one->field].width <= 3 &&
        columns_of_field(analysis, record, one->field, z) == 1 &&
        z[0].n == x_axis->n) {
        *per = z[0];
        return IMP_OK;
    }
    struct diag *diag = diag_add(analysis->ds, DIAG_E0715, command->range,
                                 "`per` names one column of the same record as "
                                 "the curves, as long as they are");
    diag_help(analysis->ds, diag,
              "as in plot s.impacts { against = s.gamma  per = s.rho }");
    return IMP_FAILED;
}

/* Is this column one of a sweep? Its rows are values over params, in any order;
 * those of other records are one after the other, as places of a motion. */
static bool
of_sweep(const struct analysis *analysis, const imp_val *column)
{
    const imp_image *im = analysis->rt->im;
    const imp_command *commands = IMP_ARRAY(im, im->commands, imp_command);
    const imp_val *one = val_items(analysis, column);
    return one->kind == IMP_VAL_FIELD &&
           imp_command_has(commands[one->ref].id, IMP_TRAIT_VARIES_PARAMS);
}

/* Draws the columns ys over x as curves, and what lies over them. */
static int
curves(struct analysis *analysis, const imp_command *command,
       const struct out_column *x_axis, const struct columns *ys)
{
    const imp_val *value = arg_option(analysis, command, IMP_OPT_plot_per);
    struct plot_curves all = {0};
    struct out_column per = {0};
    bool as_told = value && !of_sweep(analysis, value);
    int st =
        value ? per_column(analysis, command, value, x_axis, &per) : IMP_OK;
    for (size_t j = 0; j < ys->n && !st; j++) {
        if (!value) {
            VEC_PUSH_IN(analysis->rt->arena, &all,
                        (struct out_curve){.x = *x_axis, .y = ys->v[j]});
        } else if (!plot_curves_per_value(analysis->rt->arena, &per, x_axis,
                                          &ys->v[j], ys->n > 1, as_told,
                                          &all)) {
            struct diag *diag =
                diag_add(analysis->ds, DIAG_E0715, command->range,
                         "`%s` has more than %d values, and a "
                         "curve for each would not be told apart",
                         per.name, PLOT_CURVES);
            diag_help(analysis->ds, diag, "sweep fewer, or make a map of both");
            st = IMP_FAILED;
        }
    }
    if (!st)
        st = plot_overlay(analysis, command, x_axis, NULL, &all);
    if (!st)
        st = out_curves(analysis->out, analysis->ds, command->range,
                        arg_text(analysis, command, IMP_OPT_plot_file,
                                 default_name(analysis, OUT_PICTURE)),
                        arg_text(analysis, command, IMP_OPT_plot_title,
                                 default_title(analysis, command)),
                        x_axis, ys->n == 1 ? &ys->v[0] : NULL, all.v, all.n);
    return st;
}

/* Refuses options that belong to the other kind of picture. */
static int
unused(struct analysis *analysis, const imp_command *command, bool is_map)
{
    static const struct {
        enum imp_option_id id;
        const char *name;
        bool map;
    } options[] = {{IMP_OPT_plot_per, "per", false},
                   {IMP_OPT_plot_contours, "contours", true},
                   {IMP_OPT_plot_levels, "levels", true}};
    for (int option = 0; option < 3; option++) {
        const imp_val *value =
            arg_option(analysis, command, options[option].id);
        if (!value || options[option].map == is_map)
            continue;
        struct diag *diag = diag_add(
            analysis->ds, DIAG_E0715, value->range,
            options[option].map ? "`%s` belongs to a map, and this is none"
                                : "`%s` belongs to curves, and this is a map",
            options[option].name);
        diag_help(analysis->ds, diag,
                  options[option].map
                      ? "a map is against two columns: against = (s.rho, "
                        "s.gamma)"
                      : "curves are against one column: against = "
                        "s.gamma");
        return IMP_FAILED;
    }
    return IMP_OK;
}

/* Have the columns as many entries as the axis, and any at all? */
static bool
lengths_fit(struct analysis *analysis, const imp_command *command,
            const struct out_column *axis, const struct columns *ys)
{
    for (size_t j = 0; j < ys->n; j++) {
        const struct out_column *y = &ys->v[j];
        if (y->n && y->n == axis->n)
            continue;
        struct diag *diag =
            !y->n ? diag_add(analysis->ds, DIAG_E0715, command->range,
                             "`%s` has no entries, so there is nothing to plot",
                             y->name)
                  : diag_add(analysis->ds, DIAG_E0715, command->range,
                             "`%s` has %zu entries, the horizontal axis `%s` "
                             "has %zu",
                             y->name, y->n, axis->name, axis->n);
        diag_help(analysis->ds, diag, "%s",
                  !y->n ? "look at what selects or records its entries"
                        : "plot columns of one record together, or give the "
                          "axis with `against`");
        return false;
    }
    return true;
}

static int
cmd_plot(struct analysis *analysis, const imp_command *command,
         struct record *out)
{
    (void)out;
    const imp_val *value = arg_items(analysis, command);
    struct columns ys = {0}, xs = {0}, own = {0};
    struct out_column x_axis = {0};
    int st = IMP_OK;
    const imp_val *against =
        arg_option(analysis, command, IMP_OPT_plot_against);
    analysis->plots++;
    if (arg_option(analysis, command, IMP_OPT_plot_as))
        return run_file_view(analysis, command,
                             arg_text(analysis, command, IMP_OPT_plot_file,
                                      default_name(analysis, OUT_VIEW)),
                             arg_text(analysis, command, IMP_OPT_plot_title,
                                      default_title(analysis, command)));
    if (against && (st = columns_of_value(analysis, against, &xs, NULL)))
        return st;
    const struct record *search = plot_search_record(analysis, command);
    if (search && (st = plot_search(analysis, command, search, &ys,
                                    against ? &own : &xs)))
        return st;
    if ((st = unused(analysis, command, xs.n == 2)))
        return st;
    if (xs.n == 2)
        return map(analysis, command, &xs, search ? ys.v : NULL);
    for (uint32_t i = 0; i < command->args.n && !st && !search; i++)
        st = columns_of_value(analysis, &value[i], &ys, &x_axis);
    if (st)
        return st;
    if (search && !against && xs.n == 1)
        x_axis = xs.v[0];
    if (against) {
        if (xs.n != 1) {
            diag_add(analysis->ds, DIAG_E0715, against->range,
                     "a plot is against one column of numbers, a map against "
                     "two; `%s` has %zu",
                     imp_text(analysis->rt->im, against->label), xs.n);
            return IMP_FAILED;
        }
        x_axis = xs.v[0];
    } else if (!x_axis.x) {
        size_t n = 1;
        for (size_t j = 0; j < ys.n; j++)
            n = ys.v[j].n > n ? ys.v[j].n : n;
        double *k = NEW_N(analysis->rt->arena, double, n);
        for (size_t i = 0; i < n; i++)
            k[i] = (double)i;
        x_axis = (struct out_column){"entry", "", k, n, NULL};
    }
    /* the column of the axis is no curve itself, unless it is the only one */
    for (size_t j = 0; j < ys.n && ys.n > 1; j++)
        if (ys.v[j].x == x_axis.x && !strcmp(ys.v[j].name, x_axis.name)) {
            memmove(ys.v + j, ys.v + j + 1, (ys.n - j - 1) * sizeof *ys.v);
            ys.n--;
            j--;
        }
    if (!lengths_fit(analysis, command, &x_axis, &ys))
        return IMP_FAILED;
    if (arg_option(analysis, command, IMP_OPT_plot_per) ||
        arg_option(analysis, command, IMP_OPT_plot_overlay))
        return curves(analysis, command, &x_axis, &ys);
    return out_plot(analysis->out, analysis->ds, command->range,
                    arg_text(analysis, command, IMP_OPT_plot_file,
                             default_name(analysis, OUT_PICTURE)),
                    arg_text(analysis, command, IMP_OPT_plot_title,
                             default_title(analysis, command)),
                    &x_axis, ys.v, ys.n);
}

const struct command_functions command_plot = {.run = cmd_plot};
