/* SPDX-License-Identifier: MIT */
/* Values as columns of numbers, for plots and files: lists of a record,
 * recorded columns of `simulate` (also named by their expression: `plot
 * gap(touch)` is the column of the last run that recorded it), whole records,
 * single numbers. Vectors give one column per entry. */
#include <string.h>

#include "abi/status.h"
#include "analysis/command/analysis_priv.h"

/* column number k of rows with `width` entries, n rows */
static void
add(struct analysis *a, struct columns *cols, const char *name,
    const char *unit, const double *x, size_t n, size_t width, size_t k)
{
    static const char *const axis[] = {"x", "y", "z"};
    struct out_column c = {name, unit, x, n, NULL};
    if (width > 1) {
        size_t len;
        const char *own = out_unit(unit, k, &len);
        c.unit = arena_strndup(a->rt->arena, own, len);
        double *y = NEW_N(a->rt->arena, double, n ? n : 1);
        for (size_t i = 0; i < n; i++)
            y[i] = x[i * width + k];
        c.x = y;
        /* a screw's entries are no x, y, z */
        c.name = width <= 3 && !strchr(unit, ';')
                     ? arena_printf(a->rt->arena, "%s.%s", name, axis[k])
                     : arena_printf(a->rt->arena, "%s[%zu]", name, k);
    }
    VEC_PUSH_IN(a->rt->arena, cols, c);
}

static bool
has_numbers(const imp_field *f, const struct field_value *v)
{
    return !v->why && f->kind != IMP_FIELD_TEXT && f->kind != IMP_FIELD_TEXTS;
}

static void
add_field(struct analysis *a, struct columns *cols, const struct record *r,
          size_t i, const char *label)
{
    const imp_field *f = &r->schema[i];
    const struct field_value *v = &r->v[i];
    const char *unit = imp_text(a->rt->im, f->unit);
    size_t n = v->n, width = 1;
    switch (f->kind) {
    case IMP_FIELD_VEC:
    case IMP_FIELD_SPIN:
        n = 1;
        width = f->width;
        break;
    case IMP_FIELD_VECS:
    case IMP_FIELD_MAT:
        width = v->cols;
        break;
    default:
        break;
    }
    for (size_t k = 0; k < width; k++)
        add(a, cols, label, unit, v->num, n, width, k);
}

/* a column of texts */
static bool
add_texts(struct analysis *a, struct columns *cols, const struct record *r,
          size_t i, const char *label)
{
    static const char *const none[] = {""};
    const struct field_value *v = &r->v[i];
    if (!cols->texts || r->schema[i].kind != IMP_FIELD_TEXTS || v->why)
        return false;
    VEC_PUSH_IN(
        a->rt->arena, cols,
        (struct out_column){label, "", NULL, v->n, v->texts ? v->texts : none});
    return true;
}

size_t
columns_of_field(struct analysis *a, const struct record *r, size_t field,
                 struct out_column *v)
{
    const imp_image *im = a->rt->im;
    const struct field_value *f = &r->v[field];
    const char *name = imp_text(im, r->schema[field].name);
    struct columns cols = {0};
    if (r->schema[field].kind == IMP_FIELD_TEXTS && !f->why) {
        static const char *const none[] = {""};
        *v = (struct out_column){name, "", NULL, f->n,
                                 f->texts ? f->texts : none};
        return 1;
    }
    if (!has_numbers(&r->schema[field], f))
        return 0;
    add_field(a, &cols, r, field, name);
    size_t n = cols.n;
    memcpy(v, cols.v, n * sizeof *v);
    return n;
}

/* what a record's lists are naturally plotted against */
static void
natural_axis(struct analysis *a, const struct record *r,
             struct out_column *time)
{
    static const char *const names[] = {"t", "phi"};
    for (size_t i = 0; time && i < 2; i++) {
        int k = record_index(r, names[i]);
        if (k >= 0 && !r->v[k].why) {
            *time = (struct out_column){imp_text(a->rt->im, r->schema[k].name),
                                        imp_text(a->rt->im, r->schema[k].unit),
                                        r->v[k].num, r->v[k].n, NULL};
            return;
        }
    }
}

static int
no_columns(struct analysis *a, const imp_val *v, const char *why)
{
    struct diag *d = diag_add(a->ds, DIAG_E0715, v->range,
                              "`%s` is no column of numbers: %s",
                              imp_text(a->rt->im, v->label), why);
    diag_help(a->ds, d,
              !strcmp(why, "it is a text")
                  ? "texts of a sweep are shown on a map: plot s.verdict { "
                    "against = (s.x, s.y) }"
                  : "record it with `simulate { record = ... }` or name a "
                    "list of a record");
    return IMP_FAILED;
}

static int
whole_record(struct analysis *a, const imp_val *v, const struct record *r,
             struct columns *cols)
{
    const imp_image *im = a->rt->im;
    bool rows = imp_command_has(r->command->id, IMP_TRAIT_ROWS);
    size_t before = cols->n;
    for (size_t i = 0; i < r->n; i++) {
        const char *name = imp_text(im, r->schema[i].name);
        /* of a simulation, a sweep: its rows */
        if (rows && !r->schema[i].column && strcmp(name, "t"))
            continue;
        if (!(r->schema[i].column && add_texts(a, cols, r, i, name)) &&
            has_numbers(&r->schema[i], &r->v[i]))
            add_field(a, cols, r, i, name);
    }
    if (cols->n == before)
        return no_columns(a, v, "the record has no numbers");
    return IMP_OK;
}

/* the column that an expression was recorded in, latest run first */
static bool
recorded(struct analysis *a, const imp_val *v, const struct record **r,
         size_t *i)
{
    const imp_image *im = a->rt->im;
    const imp_command *cmd = IMP_ARRAY(im, im->commands, imp_command);
    for (uint32_t k = im->commands.n; k-- > 0;) {
        if (!imp_command_has(cmd[k].id, IMP_TRAIT_RECORDS_MOTION) ||
            !a->recs[k] || !a->recs[k]->present)
            continue;
        const imp_opt *o = IMP_ARRAY(im, cmd[k].opts, imp_opt);
        for (uint32_t j = 0; j < cmd[k].opts.n; j++) {
            if (o[j].id != IMP_OPT_simulate_record)
                continue;
            const imp_val *item = val_items(a, &o[j].val);
            for (uint32_t m = 0; m < o[j].val.items.n; m++)
                if (!strcmp(imp_text(im, item[m].label),
                            imp_text(im, v->label)))
                    for (size_t f = 0; f < a->recs[k]->n; f++)
                        if (a->recs[k]->schema[f].column == m + 1) {
                            *r = a->recs[k];
                            *i = f;
                            return true;
                        }
        }
    }
    return false;
}

int
columns_of_value(struct analysis *a, const imp_val *v, struct columns *cols,
                 struct out_column *time)
{
    const struct record *r;
    const char *label = imp_text(a->rt->im, v->label);
    size_t i;
    int st;
    switch (v->kind) {
    case IMP_VAL_FIELD:
        if (!(r = arg_record(a, v)))
            return IMP_FAILED;
        if (r->v[v->field].why)
            return no_columns(a, v, r->v[v->field].why);
        if (!add_texts(a, cols, r, v->field, label)) {
            if (!has_numbers(&r->schema[v->field], &r->v[v->field]))
                return no_columns(a, v, "it is a text");
            add_field(a, cols, r, v->field, label);
        }
        natural_axis(a, r, time);
        return IMP_OK;
    case IMP_VAL_RESULT:
        if (!(r = arg_record(a, v)))
            return IMP_FAILED;
        natural_axis(a, r, time);
        return whole_record(a, v, r, cols);
    case IMP_VAL_LIST: {
        const imp_val *item = val_items(a, v);
        for (uint32_t k = 0; k < v->items.n; k++)
            if ((st = columns_of_value(a, &item[k], cols, time)))
                return st;
        return IMP_OK;
    }
    case IMP_VAL_NUM:
    case IMP_VAL_PARAM: {
        if (recorded(a, v, &r, &i)) {
            natural_axis(a, r, time);
            if (r->v[i].why)
                return no_columns(a, v, r->v[i].why);
            add_field(a, cols, r, i, label);
            return IMP_OK;
        }
        size_t rows = v->rows ? v->rows : 1, w = v->cols ? v->cols : 1;
        double *x = NEW_N(a->rt->arena, double, rows *w);
        if ((st = arg_numbers(a, v, x)))
            return st;
        for (size_t k = 0; k < w; k++)
            add(a, cols, label, imp_text(a->rt->im, v->unit), x, rows, w, k);
        return IMP_OK;
    }
    default:
        return no_columns(a, v, "it is neither a list nor a number");
    }
}
