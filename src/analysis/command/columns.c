/* SPDX-License-Identifier: MIT */
/* Values as columns of numbers, for plots and files: lists of a record,
 * recorded columns of `simulate` (also named by their expression: `plot
 * gap(touch)` is the column of the last run that recorded it), whole records,
 * single numbers. Vectors give one column per entry. */
#include <assert.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/command.h"
#include "analysis/command/lists.h"

/* The text of entry `which` of a tuple of `width` entries, "(a, f(b, c))"; NULL
 * where the name is no such text. */
static const char *
entry_text(struct arena *arena, const char *name, size_t width, size_t which)
{
    size_t length = strlen(name), begin = 1, lo = 0, hi = 0, n = 0;
    int depth = 0;
    if (length < 2 || name[0] != '(' || name[length - 1] != ')')
        return NULL;
    for (size_t i = 0; i < length; i++) {
        if (strchr("([{", name[i]))
            depth++;
        if (strchr(")]}", name[i]) && --depth == 0 && i + 1 < length)
            return NULL; /* (a, b) + (c, d) */
        if (depth > 1 || (name[i] != ',' && i + 1 < length) ||
            (name[i] == ',' && depth != 1))
            continue;
        if (n++ == which) {
            lo = begin;
            hi = i;
        }
        begin = i + 1;
    }
    while (lo < hi && name[lo] == ' ')
        lo++;
    return n == width && hi > lo ? arena_strndup(arena, name + lo, hi - lo)
                                 : NULL;
}

/* The name of entry `which` of `width`, which are `member` for each member of a
 * family, or 0. */
static const char *
entry_name(struct arena *arena, const char *name, const char *unit,
           size_t width, size_t which, const imp_field *field)
{
    static const char *const axis[] = {"x", "y", "z"};
    const char *own = entry_text(arena, name, width, which);
    if (own)
        return own;
    size_t member = field ? field->member : 0, length = strlen(name);
    if (member) {
        long index = (long)(which / member) + field->first;
        const char *of = arena_printf(arena, "%s[%ld]", name, index);
        return member == 1
                   ? of
                   : entry_name(arena, of, unit, member, which % member, NULL);
    }
    /* the entries of a screw are not x, y and z, nor are those of the list of
     * all places x of a family */
    bool part = length > 2 && name[length - 2] == '.' &&
                strchr("xyz", name[length - 1]);
    return width <= 3 && !strchr(unit, ';') && !part
               ? arena_printf(arena, "%s.%s", name, axis[which])
               : arena_printf(arena, "%s[%zu]", name, which);
}

/* Adds entry k of n rows with `width` entries each as a column; field: that of
 * the record, or NULL. */
static void
add(struct analysis *analysis, struct columns *cols, const char *name,
    const char *unit, const double *numbers, size_t rows, size_t width,
    size_t which, const imp_field *field)
{
    assert(which < width);
    struct out_column column = {name, unit, numbers, rows, NULL};
    if (width > 1) {
        size_t len;
        const char *own = out_unit(unit, which, &len);
        column.unit = arena_strndup(analysis->rt->arena, own, len);
        double *y = NEW_N(analysis->rt->arena, double, rows ? rows : 1);
        for (size_t i = 0; i < rows; i++)
            y[i] = numbers[i * width + which];
        column.x = y;
        column.name =
            entry_name(analysis->rt->arena, name, unit, width, which, field);
    }
    VEC_PUSH_IN(analysis->rt->arena, cols, column);
}

static bool
has_numbers(const imp_field *field, const struct field_value *value)
{
    return !value->why && field->kind != IMP_FIELD_TEXT &&
           field->kind != IMP_FIELD_TEXTS;
}

static void
add_field(struct analysis *analysis, struct columns *cols,
          const struct record *record, size_t i, const char *label)
{
    const imp_field *field = &record->schema[i];
    const struct field_value *value = &record->v[i];
    const char *unit = imp_text(analysis->rt->im, field->unit);
    size_t rows = value->n, width = 1;
    switch (field->kind) {
    case IMP_FIELD_VEC:
    case IMP_FIELD_SPIN:
        rows = 1;
        width = field->width;
        break;
    case IMP_FIELD_VECS:
    case IMP_FIELD_MAT:
        width = value->cols;
        break;
    default:
        break;
    }
    for (size_t k = 0; k < width; k++)
        add(analysis, cols, label, unit, value->num, rows, width, k, field);
}

/* Adds a column of texts. */
static bool
add_texts(struct analysis *analysis, struct columns *cols,
          const struct record *record, size_t i, const char *label)
{
    static const char *const none[] = {""};
    const struct field_value *value = &record->v[i];
    if (!cols->texts || record->schema[i].kind != IMP_FIELD_TEXTS || value->why)
        return false;
    VEC_PUSH_IN(analysis->rt->arena, cols,
                (struct out_column){label, "", NULL, value->n,
                                    value->texts ? value->texts : none});
    return true;
}

size_t
columns_of_field(struct analysis *analysis, const struct record *record,
                 size_t field, struct out_column *columns)
{
    assert(columns && field < record->n);
    const imp_image *im = analysis->rt->im;
    const struct field_value *value = &record->v[field];
    const char *name = imp_text(im, record->schema[field].name);
    struct columns cols = {0};
    if (record->schema[field].kind == IMP_FIELD_TEXTS && !value->why) {
        static const char *const none[] = {""};
        *columns = (struct out_column){name, "", NULL, value->n,
                                       value->texts ? value->texts : none};
        return 1;
    }
    if (!has_numbers(&record->schema[field], value))
        return 0;
    add_field(analysis, &cols, record, field, name);
    size_t n = cols.n;
    memcpy(columns, cols.v, n * sizeof *columns);
    return n;
}

/* The column of the only param that a sweep varies, or -1. */
static int
only_param(const struct analysis *analysis, const struct record *record)
{
    int found = -1, params = 0;
    for (size_t i = 0; i < record->n; i++) {
        const char *doc = imp_text(analysis->rt->im, record->schema[i].doc);
        bool over = !strcmp(doc, "param of the run");
        if (!record->schema[i].column ||
            (!over && strcmp(doc, "param of the run, drawn")))
            continue;
        params++;
        found = over ? (int)i : found;
    }
    return params == 1 && record_index(record, "repeat") < 0 ? found : -1;
}

/* Finds what a record's lists are naturally plotted against. */
static void
natural_axis(struct analysis *analysis, const struct record *record,
             struct out_column *time)
{
    const int at[] = {record_index(record, "t"), record_index(record, "phi"),
                      only_param(analysis, record)};
    for (size_t i = 0; time && i < sizeof at / sizeof at[0]; i++) {
        int k = at[i];
        if (k >= 0 && !record->v[k].why) {
            *time = (struct out_column){
                imp_text(analysis->rt->im, record->schema[k].name),
                imp_text(analysis->rt->im, record->schema[k].unit),
                record->v[k].num, record->v[k].n, NULL};
            return;
        }
    }
}

/* What a list that is made of recorded columns is plotted against: what the
 * first of them is, if both have `n` entries. */
static void
axis_of_lists(struct analysis *analysis, const imp_val *value, size_t n,
              struct out_column *time)
{
    const imp_image *im = analysis->rt->im;
    const imp_cell *cell = IMP_ARRAY(im, value->cells, imp_cell);
    for (uint32_t i = 0; time && i < value->cells.n; i++) {
        const imp_list *list =
            IMP_ARRAY(im, im->lists, imp_list) + cell[i].list;
        const struct record *record =
            list->kind == IMP_LIST_FIELD ? analysis->recs[list->command] : NULL;
        if (!record || !record->present ||
            !record->schema[list->field].column ||
            record->v[list->field].n != n)
            continue;
        natural_axis(analysis, record, time);
        return;
    }
}

static int
no_columns(struct analysis *analysis, const imp_val *value, const char *why)
{
    struct diag *diag = diag_add(analysis->ds, DIAG_E0715, value->range,
                                 "`%s` is no column of numbers: %s",
                                 imp_text(analysis->rt->im, value->label), why);
    diag_help(analysis->ds, diag,
              !strcmp(why, "it is a text")
                  ? "texts of a sweep are shown on a map: plot s.verdict { "
                    "against = (s.x, s.y) }"
                  : "record it with `simulate { record = ... }` or name a "
                    "list of a record");
    return IMP_FAILED;
}

static int
whole_record(struct analysis *analysis, const imp_val *value,
             const struct record *record, struct columns *cols)
{
    const imp_image *im = analysis->rt->im;
    bool rows = imp_command_has(record->command->id, IMP_TRAIT_ROWS);
    size_t before = cols->n;
    for (size_t i = 0; i < record->n; i++) {
        const char *name = imp_text(im, record->schema[i].name);
        /* of a record of rows, only the columns of the rows */
        if (rows && !record->schema[i].column && strcmp(name, "t"))
            continue;
        if (!(record->schema[i].column &&
              add_texts(analysis, cols, record, i, name)) &&
            has_numbers(&record->schema[i], &record->v[i]))
            add_field(analysis, cols, record, i, name);
    }
    if (cols->n == before)
        return no_columns(analysis, value, "the record has no numbers");
    return IMP_OK;
}

/* Finds the column in which the latest run that did so recorded this
 * expression. */
static bool
recorded(struct analysis *analysis, const imp_val *value,
         const struct record **record, size_t *field)
{
    const imp_image *im = analysis->rt->im;
    const imp_command *cmd = IMP_ARRAY(im, im->commands, imp_command);
    for (uint32_t which = im->commands.n; which-- > 0;) {
        if (!imp_command_has(cmd[which].id, IMP_TRAIT_RECORDS_MOTION) ||
            !analysis->recs[which] || !analysis->recs[which]->present)
            continue;
        const imp_opt *option = IMP_ARRAY(im, cmd[which].opts, imp_opt);
        for (uint32_t j = 0; j < cmd[which].opts.n; j++) {
            if (option[j].id != IMP_OPT_simulate_record)
                continue;
            const imp_val *item = val_items(analysis, &option[j].val);
            for (uint32_t m = 0; m < option[j].val.items.n; m++)
                if (!strcmp(imp_text(im, item[m].label),
                            imp_text(im, value->label)))
                    for (size_t f = 0; f < analysis->recs[which]->n; f++)
                        if (analysis->recs[which]->schema[f].column == m + 1) {
                            *record = analysis->recs[which];
                            *field = f;
                            return true;
                        }
        }
    }
    return false;
}

int
columns_of_value(struct analysis *analysis, const imp_val *value,
                 struct columns *cols, struct out_column *time)
{
    assert(analysis && value && cols);
    const struct record *record;
    const char *label = imp_text(analysis->rt->im, value->label);
    size_t recorded_field;
    int st;
    switch (value->kind) {
    case IMP_VAL_FIELD:
        if (!(record = arg_record(analysis, value)))
            return IMP_FAILED;
        if (record->v[value->field].why)
            return no_columns(analysis, value, record->v[value->field].why);
        if (!add_texts(analysis, cols, record, value->field, label)) {
            if (!has_numbers(&record->schema[value->field],
                             &record->v[value->field]))
                return no_columns(analysis, value, "it is a text");
            add_field(analysis, cols, record, value->field, label);
        }
        natural_axis(analysis, record, time);
        return IMP_OK;
    case IMP_VAL_RESULT:
        if (!(record = arg_record(analysis, value)))
            return IMP_FAILED;
        natural_axis(analysis, record, time);
        return whole_record(analysis, value, record, cols);
    case IMP_VAL_LIST: {
        const imp_val *item = val_items(analysis, value);
        for (uint32_t k = 0; k < value->items.n; k++)
            if ((st = columns_of_value(analysis, &item[k], cols, time)))
                return st;
        return IMP_OK;
    }
    case IMP_VAL_COLUMN: {
        struct list_values values;
        if ((st = column_values_of(analysis, value, &values)))
            return st;
        for (size_t k = 0; k < values.width; k++)
            add(analysis, cols, label, imp_text(analysis->rt->im, value->unit),
                values.x, values.n, values.width, k, NULL);
        axis_of_lists(analysis, value, values.n, time);
        return IMP_OK;
    }
    case IMP_VAL_NUM:
    case IMP_VAL_PARAM: {
        if (recorded(analysis, value, &record, &recorded_field)) {
            natural_axis(analysis, record, time);
            if (record->v[recorded_field].why)
                return no_columns(analysis, value,
                                  record->v[recorded_field].why);
            add_field(analysis, cols, record, recorded_field, label);
            return IMP_OK;
        }
        size_t rows = arg_is_empty(value) ? 0
                      : value->rows       ? value->rows
                                          : 1,
               w = value->cols ? value->cols : 1;
        double *x = NEW_N(analysis->rt->arena, double, rows *w + 1);
        if ((st = arg_numbers(analysis, value, x)))
            return st;
        for (size_t k = 0; k < w; k++)
            add(analysis, cols, label, imp_text(analysis->rt->im, value->unit),
                x, rows, w, k, NULL);
        return IMP_OK;
    }
    default:
        return no_columns(analysis, value, "it is neither a list nor a number");
    }
}
