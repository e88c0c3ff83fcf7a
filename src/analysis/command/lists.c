/* SPDX-License-Identifier: MIT */
/* Lists of a run: their entries, and the numbers that are made of them. */
#include "analysis/command/lists.h"
#include "table/table.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/command.h"

static const imp_list *
list_at(const imp_image *im, uint32_t list)
{
    assert(list < im->lists.n);
    return IMP_ARRAY(im, im->lists, imp_list) + list;
}

static const imp_val *
inputs_of(const imp_image *im, const imp_list *list)
{
    return IMP_ARRAY(im, list->inputs, imp_val);
}

static double *
numbers(struct analysis *analysis, size_t n)
{
    return NEW_N(record_arena(analysis), double, n + 1);
}

/* -- columns --------------------------------------------------------------- */

static int
lengths_differ(struct analysis *analysis, const imp_val *column, uint32_t one,
               size_t n_one, uint32_t two, size_t n_two)
{
    const imp_image *im = analysis->rt->im;
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0760, column->range,
                 "these lists have different lengths: %zu and %zu entries",
                 n_one, n_two);
    diag_note(analysis->ds, diag, list_at(im, one)->range, "`%s` has %zu",
              imp_text(im, list_at(im, one)->name), n_one);
    diag_note(analysis->ds, diag, list_at(im, two)->range, "`%s` has %zu",
              imp_text(im, list_at(im, two)->name), n_two);
    diag_help(analysis->ds, diag,
              "lists are combined entry by entry: select the same entries of "
              "both");
    return IMP_FAILED;
}

static int list_values_of(struct analysis *, uint32_t, struct list_values *);

int
column_cells_of(struct analysis *analysis, const imp_val *column,
                struct column_cells *out)
{
    assert(analysis && column && column->kind == IMP_VAL_COLUMN && out);
    struct arena *arena = record_arena(analysis);
    const imp_cell *cell = IMP_ARRAY(analysis->rt->im, column->cells, imp_cell);
    uint32_t n = column->cells.n;
    struct list_values like;
    int st = list_values_of(analysis, column->ref, &like);
    if (st)
        return st;
    *out = (struct column_cells){NEW_N(arena, struct list_values, n + 1),
                                 NEW_N(arena, uint32_t, n + 1), n, like.n};
    for (uint32_t k = 0; k < n; k++) {
        uint32_t same = 0; /* components of one list stand side by side */
        while (same < k && cell[same].list != cell[k].list)
            same++;
        out->component[k] = cell[k].component;
        if (same < k)
            out->list[k] = out->list[same];
        else if ((st = list_values_of(analysis, cell[k].list, &out->list[k])))
            return st;
        if (out->list[k].n != like.n)
            return lengths_differ(analysis, column, column->ref, like.n,
                                  cell[k].list, out->list[k].n);
    }
    return IMP_OK;
}

bool
column_locals(const struct column_cells *cells, size_t i, double *local)
{
    assert(cells && local && i < cells->n);
    bool all = true;
    for (uint32_t k = 0; k < cells->n_cells; k++) {
        const struct list_values *list = &cells->list[k];
        local[k] = list->x[i * list->width + cells->component[k]];
        all &= !isnan(local[k]);
    }
    return all;
}

/* Evaluates the entries of a column for which mask holds (NULL: all). */
static int
column_entries(struct analysis *analysis, const imp_val *column,
               const double *mask, size_t n_mask, bool truth,
               struct list_values *out)
{
    struct column_cells cells;
    int st = arg_ready(analysis, column);
    if (!st)
        st = column_cells_of(analysis, column, &cells);
    if (st)
        return st;
    assert(!mask || n_mask == cells.n);
    (void)n_mask;
    size_t width = column->rows;
    double *x = numbers(analysis, cells.n * width);
    double *local = numbers(analysis, cells.n_cells);
    *out = (struct list_values){x, 0, width};
    for (size_t i = 0; i < cells.n; i++) {
        if (mask && mask[i] == 0.0)
            continue;
        double *entry = x + width * out->n++;
        /* A comparison with what has no value does not hold. */
        if (!column_locals(&cells, i, local) && !truth) {
            for (size_t k = 0; k < width; k++)
                entry[k] = NAN;
            continue;
        }
        st = rt_eval(analysis->rt, column->tape, local, entry);
        if (st == IMP_NONFINITE) {
            rt_nonfinite(analysis->rt, column->tape, local);
            if (analysis->ds->last)
                diag_note(analysis->ds, analysis->ds->last, column->range,
                          "in entry %zu of this list", i);
            return IMP_FAILED;
        }
        if (st)
            return st;
    }
    return IMP_OK;
}

int
column_values_of(struct analysis *analysis, const imp_val *column,
                 struct list_values *out)
{
    assert(analysis && column && out);
    return column_entries(analysis, column, NULL, 0, column->compare, out);
}

/* -- sources --------------------------------------------------------------- */

static int
source_field(struct analysis *analysis, const imp_list *list,
             struct list_values *out)
{
    const imp_val value = {.kind = IMP_VAL_FIELD,
                           .ref = list->command,
                           .field = list->field,
                           .label = list->name,
                           .range = list->range};
    const struct record *record = arg_record(analysis, &value);
    if (!record)
        return IMP_FAILED;
    const struct field_value *found = &record->v[list->field];
    if (found->why) {
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0701, list->range,
                     "`%s` is absent, so nothing can be calculated with it",
                     imp_text(analysis->rt->im, list->name));
        diag_note(analysis->ds, diag, IMP_NOWHERE, "it is absent because: %s",
                  found->why);
        return IMP_FAILED;
    }
    if (list->kind == IMP_LIST_NAMES) {
        size_t n = 0;
        double *x = list_names(analysis, list, &n);
        *out = (struct list_values){x, n, 1};
        return IMP_OK;
    }
    if (list->kind == IMP_LIST_TEXT) {
        double *is = numbers(analysis, found->n);
        for (size_t i = 0; i < found->n; i++)
            is[i] = !strcmp(found->texts[i],
                            imp_text(analysis->rt->im, list->text));
        *out = (struct list_values){is, found->n, 1};
        return IMP_OK;
    }
    *out = (struct list_values){found->num, found->n, list->width};
    return IMP_OK;
}

static int
source_table(struct analysis *analysis, const imp_list *list,
             struct list_values *out)
{
    const imp_image *im = analysis->rt->im;
    const imp_table *table = IMP_ARRAY(im, im->tables, imp_table) + list->table;
    assert(list->table < im->tables.n && list->column < table->columns.n);
    const imp_table_column *column =
        IMP_ARRAY(im, table->columns, imp_table_column) + list->column;
    const struct data_columns *other =
        analysis->data ? &analysis->data[list->table] : NULL;
    *out = other && other->column
               ? (struct list_values){other->column[list->column].numbers,
                                      other->rows, 1}
               : (struct list_values){IMP_ARRAY(im, column->values, double),
                                      column->values.n, 1};
    return IMP_OK;
}

/* A text of data against one that is written out; a missing one is another. */
static int
source_word(struct analysis *analysis, const imp_list *list,
            struct list_values *out)
{
    struct list_values all;
    size_t word = list_word(analysis, list);
    int st = list->inputs.n
                 ? column_values_of(analysis, inputs_of(analysis->rt->im, list),
                                    &all)
                 : source_table(analysis, list, &all);
    if (st)
        return st;
    double *is = numbers(analysis, all.n);
    for (size_t i = 0; i < all.n; i++)
        is[i] = word != SIZE_MAX && all.x[i] == (double)word;
    *out = (struct list_values){is, all.n, 1};
    return IMP_OK;
}

/* -- lists of lists -------------------------------------------------------- */

/* An input as values: a column, or numbers as a list. */
static int
input_values(struct analysis *analysis, const imp_val *input,
             struct list_values *out)
{
    if (input->kind == IMP_VAL_COLUMN)
        return column_values_of(analysis, input, out);
    double *x = numbers(analysis, input->rows);
    int st = arg_numbers(analysis, input, x);
    *out = (struct list_values){x, input->rows, 1};
    return st;
}

/* E0761: entries without a value */
static int
all_there(struct analysis *analysis, const imp_list *list,
          const struct list_values *values)
{
    size_t lacking = 0, first = 0;
    for (size_t i = values->n; i-- > 0;)
        if (isnan(values->x[i * values->width])) {
            lacking++;
            first = i;
        }
    if (!lacking)
        return IMP_OK;
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0761, list->range,
        "%zu of %zu entries of this list have no value, the first of them is "
        "number %zu",
        lacking, values->n, first);
    diag_help(analysis->ds, diag,
              "select those that have one: a[present(a)] instead of a");
    return IMP_FAILED;
}

/* E0762: too few entries */
static int
enough(struct analysis *analysis, const imp_list *list, size_t n, size_t least)
{
    if (n >= least)
        return IMP_OK;
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0762, list->range,
                 "`%s` needs a list of %zu entr%s or more, but this one has "
                 "%zu",
                 imp_text(analysis->rt->im, list->name), least,
                 least == 1 ? "y" : "ies", n);
    diag_help(analysis->ds, diag,
              "show length(list), and look at what selects its entries");
    return IMP_FAILED;
}

static struct list_values
sorted(struct analysis *analysis, const struct list_values *values)
{
    size_t *order = NEW_N(record_arena(analysis), size_t, values->n + 1);
    double *x = numbers(analysis, values->n);
    list_order(record_arena(analysis), values->x, values->n, order);
    for (size_t i = 0; i < values->n; i++)
        x[i] = values->x[order[i]];
    return (struct list_values){x, values->n, 1};
}

/* Are the inputs number `first` and the next as long as each other? */
static int
lists_of_one_length(struct analysis *analysis, const imp_list *list,
                    const struct list_values *in, uint32_t first)
{
    const struct list_values *one = in + first, *two = one + 1;
    if (one->n == two->n)
        return IMP_OK;
    const imp_val *input = inputs_of(analysis->rt->im, list) + first;
    return lengths_differ(analysis, &(imp_val){.range = list->range},
                          input[0].ref, one->n, input[1].ref, two->n);
}

static int
make_select(struct analysis *analysis, const imp_list *list,
            struct list_values *out)
{
    const imp_val *input = inputs_of(analysis->rt->im, list);
    struct list_values mask;
    struct column_cells cells;
    int st = column_entries(analysis, &input[1], NULL, 0, true, &mask);
    if (st || (st = column_cells_of(analysis, &input[0], &cells)))
        return st;
    if (mask.n != cells.n)
        return lengths_differ(analysis, &(imp_val){.range = list->range},
                              input[0].ref, cells.n, input[1].ref, mask.n);
    st = column_entries(analysis, &input[0], mask.x, mask.n, input[0].compare,
                        out);
    return st ? st : list_selects_as_many(analysis, list, out->n);
}

static int
make_sorted(struct analysis *analysis, const imp_list *list,
            const struct list_values *in, struct list_values *out)
{
    const struct list_values *by = list->inputs.n > 1 ? &in[1] : &in[0];
    if (by->n != in[0].n)
        return lists_of_one_length(analysis, list, in, 0);
    size_t width = in[0].width, n = in[0].n;
    size_t *order = NEW_N(record_arena(analysis), size_t, n + 1);
    double *key = numbers(analysis, n), *x = numbers(analysis, n * width);
    for (size_t i = 0; i < n; i++)
        key[i] = by->x[i * by->width];
    list_order(record_arena(analysis), key, n, order);
    for (size_t i = 0; i < n; i++)
        memcpy(x + i * width, in[0].x + order[i] * width, width * sizeof *x);
    *out = (struct list_values){x, n, width};
    return IMP_OK;
}

static int
make_cdf(struct analysis *analysis, const imp_list *list,
         const struct list_values *in, struct list_values *out)
{
    int st = enough(analysis, list, in[0].n, 1);
    if (st)
        return st;
    struct list_values all = sorted(analysis, &in[0]);
    double *x = numbers(analysis, in[1].n);
    for (size_t i = 0; i < in[1].n; i++) {
        x[i] = (double)list_at_most(all.x, all.n, in[1].x[i]) / (double)all.n;
        if (list->kind == IMP_LIST_CDF_ERROR) /* of a binomial share */
            x[i] = sqrt(x[i] * (1 - x[i]) / (double)all.n);
    }
    *out = (struct list_values){x, in[1].n, 1};
    return IMP_OK;
}

/* All numbers of all vectors, one after the other. */
static void
make_entries(const struct list_values *in, struct list_values *out)
{
    *out = (struct list_values){in->x, in->n * in->width, 1};
}

static int
make_histogram(struct analysis *analysis, const imp_list *list,
               const struct list_values *in, struct list_values *out)
{
    int st = enough(analysis, list, in[1].n, 2);
    if (st)
        return st;
    size_t bins = in[1].n - 1;
    for (size_t i = 0; i < bins; i++)
        if (!(in[1].x[i + 1] > in[1].x[i])) {
            struct diag *diag = diag_add(
                analysis->ds, DIAG_E0763, list->range,
                "the edges of the bins do not rise: edge %zu is not above the "
                "one before it",
                i + 1);
            diag_help(analysis->ds, diag,
                      "as in histogram(d.x, linspace(0, 1, 11))");
            return IMP_FAILED;
        }
    double *x = numbers(analysis, bins);
    for (size_t i = 0; i < in[0].n; i++) {
        size_t at = list_at_most(in[1].x, in[1].n, in[0].x[i]);
        if (at == bins + 1 && in[0].x[i] == in[1].x[bins])
            at = bins;
        if (at > 0 && at <= bins)
            x[at - 1] += 1;
    }
    for (size_t i = 0; list->kind == IMP_LIST_HISTOGRAM_ERROR && i < bins; i++)
        x[i] = sqrt(x[i] * (1 - x[i] / (double)in[0].n)); /* of a binomial */
    *out = (struct list_values){x, bins, 1};
    return IMP_OK;
}

/* -- numbers of lists ------------------------------------------------------ */

static int
make_quantile(struct analysis *analysis, const imp_list *list,
              const struct list_values *in, struct list_values *out)
{
    bool error = list->kind == IMP_LIST_QUANTILE_ERROR;
    int st = enough(analysis, list, in[0].n, error ? 2 : 1);
    if (st)
        return st;
    struct list_values all = sorted(analysis, &in[0]);
    double *x = numbers(analysis, in[1].n);
    for (size_t i = 0; i < in[1].n; i++) {
        double p = in[1].x[i];
        if (!(p >= 0 && p <= 1)) {
            diag_help(analysis->ds,
                      diag_add(analysis->ds, DIAG_E0763, list->range,
                               "the share of a quantile lies between 0 and 1"),
                      "95 of 100 entries lie below quantile(a, 0.95)");
            return IMP_FAILED;
        }
        if (error && (p <= 0 || p >= 1)) {
            diag_add(analysis->ds, DIAG_E0763, list->range,
                     "the least and the greatest entry have no standard error: "
                     "a list does not tell what may lie beyond them");
            return IMP_FAILED;
        }
        x[i] = error ? list_quantile_error(all.x, all.n, p)
                     : list_quantile(all.x, all.n, p);
    }
    *out = (struct list_values){x, in[1].n, 1};
    return IMP_OK;
}

/* How many entries what is made of two lists needs. */
static size_t
least_of_two(uint32_t kind)
{
    return kind == IMP_LIST_EMD                                         ? 1
           : kind == IMP_LIST_EMD_ERROR || kind == IMP_LIST_CORRELATION ? 2
                                                                        : 3;
}

/* correlation, regression, emd, and their errors */
static int
make_of_two(struct analysis *analysis, const imp_list *list,
            const struct list_values *in, struct list_values *out)
{
    double *x = numbers(analysis, 5);
    uint32_t kind = list->kind;
    bool emd = kind == IMP_LIST_EMD || kind == IMP_LIST_EMD_ERROR;
    size_t least = least_of_two(kind);
    int st = enough(analysis, list, in[0].n, least);
    if (!st)
        st = enough(analysis, list, in[1].n, least);
    if (!st && !emd)
        st = lists_of_one_length(analysis, list, in, 0);
    if (st)
        return st;
    *out = (struct list_values){x, 1, list->width};
    if (emd) {
        struct list_values a = sorted(analysis, &in[0]);
        struct list_values b = sorted(analysis, &in[1]);
        x[0] = list_emd(a.x, a.n, b.x, b.n);
        if (kind == IMP_LIST_EMD)
            return IMP_OK;
        if (!(x[0] > 0)) {
            diag_add(analysis->ds, DIAG_E0763, list->range,
                     "both distributions are the same, so nothing tells by how "
                     "much their distance scatters");
            return IMP_FAILED;
        }
        x[0] = list_emd_error(record_arena(analysis), a.x, a.n, b.x, b.n);
        return IMP_OK;
    }
    if (kind == IMP_LIST_CORRELATION
            ? list_correlation(in[0].x, in[1].x, in[0].n, x)
        : kind == IMP_LIST_CORRELATION_ERROR
            ? list_correlation_error(in[0].x, in[1].x, in[0].n, x)
            : list_regression(in[0].x, in[1].x, in[0].n, x))
        return IMP_OK;
    diag_add(analysis->ds, DIAG_E0763, list->range,
             "all entries of one list are equal, so nothing depends on them");
    return IMP_FAILED;
}

/* The statistics about the mean of n > 1 numbers. */
static double
spread_of(uint32_t kind, const double *x, size_t n)
{
    switch (kind) {
    case IMP_LIST_VARIANCE:
        return list_variance(x, n);
    case IMP_LIST_VARIANCE_ERROR:
        return list_variance_error(x, n);
    case IMP_LIST_DEVIATION:
        return list_deviation(x, n);
    case IMP_LIST_DEVIATION_ERROR:
        return list_deviation_error(x, n);
    default: /* IMP_LIST_MEAN_ERROR */
        return list_mean_error(x, n);
    }
}

static int
make_number(struct analysis *analysis, const imp_list *list,
            const struct list_values *in, struct list_values *out)
{
    size_t n = in->n, width = list->width;
    bool spread = list->kind == IMP_LIST_VARIANCE ||
                  list->kind == IMP_LIST_VARIANCE_ERROR ||
                  list->kind == IMP_LIST_DEVIATION ||
                  list->kind == IMP_LIST_DEVIATION_ERROR ||
                  list->kind == IMP_LIST_MEAN_ERROR;
    bool any = list->kind == IMP_LIST_SUM || list->kind == IMP_LIST_LENGTH ||
               list->kind == IMP_LIST_COUNT;
    int st = enough(analysis, list, n, spread ? 2 : any ? 0 : 1);
    if (st)
        return st;
    double *x = numbers(analysis, width);
    for (size_t k = 0; k < width; k++) {
        const double *from = in->x + k;
        switch (list->kind) {
        case IMP_LIST_LENGTH:
            x[k] = (double)n;
            break;
        case IMP_LIST_SUM:
        case IMP_LIST_COUNT:
            x[k] = list_sum(from, n, in->width);
            break;
        case IMP_LIST_MEAN:
            x[k] = list_mean(from, n, in->width);
            break;
        case IMP_LIST_MIN:
        case IMP_LIST_MAX:
            x[k] = *from;
            for (size_t i = 1; i < n; i++)
                x[k] = list->kind == IMP_LIST_MIN
                           ? fmin(x[k], from[i * in->width])
                           : fmax(x[k], from[i * in->width]);
            break;
        default:
            x[k] = spread_of(list->kind, from, n);
        }
    }
    *out = (struct list_values){x, 1, width};
    return IMP_OK;
}

static void
make_present(struct analysis *analysis, const struct list_values *in,
             struct list_values *out)
{
    double *x = numbers(analysis, in->n);
    for (size_t i = 0; i < in->n; i++)
        x[i] = !isnan(in->x[i * in->width]);
    *out = (struct list_values){x, in->n, 1};
}

static int
make_lookup(struct analysis *analysis, const imp_list *list,
            const struct list_values *in, struct list_values *out)
{
    int st = enough(analysis, list, in[2].n, 1);
    if (!st && in[1].n != in[2].n + 1) /* else the end of the last row */
        st = lists_of_one_length(analysis, list, in, 1);
    if (!st)
        list_looked_up(analysis, in, out);
    return st;
}

/* May entries of input i have no value? */
static bool
may_lack(const imp_list *list, uint32_t i)
{
    return list->kind == IMP_LIST_SAME || list->kind == IMP_LIST_PRESENT ||
           list->kind == IMP_LIST_VALUES || list->kind == IMP_LIST_LENGTH ||
           (i == 0 &&
            (list->kind == IMP_LIST_PICK || list->kind == IMP_LIST_SLICE));
}

static int
make(struct analysis *analysis, uint32_t number, struct list_values *out)
{
    const imp_list *list = list_at(analysis->rt->im, number);
    const imp_val *input = inputs_of(analysis->rt->im, list);
    struct list_values in[3] = {{0}};
    int st;
    if (list->kind == IMP_LIST_FIELD || list->kind == IMP_LIST_TEXT ||
        list->kind == IMP_LIST_NAMES)
        return source_field(analysis, list, out);
    if (list->kind == IMP_LIST_TABLE)
        return source_table(analysis, list, out);
    if (list->kind == IMP_LIST_WORD)
        return source_word(analysis, list, out);
    if (list->kind == IMP_LIST_SELECT)
        return make_select(analysis, list, out);
    for (uint32_t i = 0; i < list->inputs.n; i++) {
        st = input_values(analysis, &input[i], &in[i]);
        if (!st && !may_lack(list, i))
            st = all_there(analysis, list, &in[i]);
        if (!st && list->kind == IMP_LIST_LOOKUP && i == 1)
            st = list_rises(analysis, input[i].ref, &in[i]);
        if (st)
            return st;
    }
    switch (list->kind) {
    case IMP_LIST_SAME:
        if (!list->column && (st = lists_of_one_length(analysis, list, in, 0)))
            return st;
        list_same(analysis, list, in, out);
        return IMP_OK;
    case IMP_LIST_VALUES:
        *out = in[0];
        return IMP_OK;
    case IMP_LIST_PRESENT:
        make_present(analysis, &in[0], out);
        return IMP_OK;
    case IMP_LIST_PICK:
        return list_picked(analysis, list, in, out);
    case IMP_LIST_SLICE:
        return list_sliced(analysis, list, in, out);
    case IMP_LIST_ENTRIES:
        make_entries(&in[0], out);
        return IMP_OK;
    case IMP_LIST_DISTANCES:
        return list_distances(analysis, list, &in[0], out);
    case IMP_LIST_CUMULATIVE:
    case IMP_LIST_DIFFERENCES:
        list_running(analysis, list, &in[0], out);
        return IMP_OK;
    case IMP_LIST_DISTINCT:
    case IMP_LIST_COUNTS:
        list_distinct(analysis, list, &in[0], out);
        return IMP_OK;
    case IMP_LIST_SORT:
        return make_sorted(analysis, list, in, out);
    case IMP_LIST_CDF:
    case IMP_LIST_CDF_ERROR:
        return make_cdf(analysis, list, in, out);
    case IMP_LIST_HISTOGRAM:
    case IMP_LIST_HISTOGRAM_ERROR:
        return make_histogram(analysis, list, in, out);
    case IMP_LIST_QUANTILE:
    case IMP_LIST_QUANTILE_ERROR:
        return make_quantile(analysis, list, in, out);
    case IMP_LIST_LOOKUP:
        return make_lookup(analysis, list, in, out);
    case IMP_LIST_EMD:
    case IMP_LIST_EMD_ERROR:
    case IMP_LIST_CORRELATION:
    case IMP_LIST_CORRELATION_ERROR:
    case IMP_LIST_REGRESSION:
        return make_of_two(analysis, list, in, out);
    default:
        return make_number(analysis, list, &in[0], out);
    }
}

static int
list_values_of(struct analysis *analysis, uint32_t number,
               struct list_values *out)
{
    assert(analysis && out);
    enum imp_list_kind kind =
        (enum imp_list_kind)list_at(analysis->rt->im, number)->kind;
    bool given = kind == IMP_LIST_FIELD || kind == IMP_LIST_TEXT ||
                 kind == IMP_LIST_NAMES || kind == IMP_LIST_TABLE;
    if (!given && list_memo_get(analysis->rt, number, out))
        return IMP_OK;
    int st = make(analysis, number, out);
    if (!st && !given)
        list_memo_put(analysis->rt, number, out);
    return st;
}

/* -- slots ----------------------------------------------------------------- */

int
list_slot_value(struct analysis *analysis, const imp_slot *slot, double *out)
{
    assert(analysis && slot && slot->kind == IMP_SLOT_LIST && out);
    const imp_list *list = list_at(analysis->rt->im, slot->command);
    struct list_values values;
    int st = list_values_of(analysis, slot->command, &values);
    if (st)
        return st;
    if (slot->n > 1)
        return list_tabulated(analysis, list, slot, &values, out);
    long all = (long)(values.n * values.width);
    long place = slot->index < 0 ? all + slot->index : slot->index;
    if (place < 0 || place >= all)
        return list_no_such_entry(analysis, list, slot->range, values.n, 0);
    *out = values.x[place];
    if (!isnan(*out))
        return IMP_OK;
    diag_add(analysis->ds, DIAG_E0761, slot->range,
             "this entry of the list has no value");
    return IMP_FAILED;
}

int
list_slots_given(struct rt *run, const void *ctx)
{
    assert(run && run->ds);
    struct analysis analysis = {.rt = run, .ds = run->ds, .data = ctx};
    const imp_image *im = run->im;
    const uint32_t *number = IMP_ARRAY(im, im->given, uint32_t);
    int st = IMP_OK;
    for (uint32_t i = 0; i < im->given.n && !st; i++) {
        const imp_slot *slot = IMP_ARRAY(im, im->slots, imp_slot) + number[i];
        st = list_slot_value(&analysis, slot,
                             &run->env[im->layout.slots + slot->at]);
    }
    if (st && run->ds->last && run->ds->last->code == DIAG_E0761)
        diag_help(
            run->ds, run->ds->last,
            "the model needs this number before anything moves: fill the "
            "cell, or select the rows that have one of each of its lists, "
            "as in a[present(a)]");
    return st;
}

/* What one walk over lists has seen, so that none is walked twice. */
struct reads {
    const imp_image *im;
    void (*each)(void *ctx, uint32_t command, uint32_t field);
    void *ctx;
};

static void list_reads(const struct reads *reads, uint32_t number);

static void
value_reads(const struct reads *reads, const imp_val *value)
{
    const imp_image *im = reads->im;
    const imp_cell *cell = IMP_ARRAY(im, value->cells, imp_cell);
    const uint32_t *slot = IMP_ARRAY(im, value->slots, uint32_t);
    if (value->kind == IMP_VAL_COLUMN)
        list_reads(reads, value->ref);
    for (uint32_t i = 0; i < value->cells.n; i++)
        list_reads(reads, cell[i].list);
    for (uint32_t i = 0; i < value->slots.n; i++)
        slot_reads(im, IMP_ARRAY(im, im->slots, imp_slot) + slot[i],
                   reads->each, reads->ctx);
}

static void
list_reads(const struct reads *reads, uint32_t number)
{
    const imp_list *list = list_at(reads->im, number);
    const imp_val *input = inputs_of(reads->im, list);
    if (list->kind == IMP_LIST_FIELD || list->kind == IMP_LIST_TEXT ||
        list->kind == IMP_LIST_NAMES)
        reads->each(reads->ctx, list->command, list->field);
    for (uint32_t i = 0; i < list->inputs.n; i++)
        value_reads(reads, &input[i]);
}

void
slot_reads(const imp_image *im, const imp_slot *slot,
           void (*each)(void *ctx, uint32_t command, uint32_t field), void *ctx)
{
    assert(im && slot && each);
    struct reads reads = {im, each, ctx};
    if (slot->kind == IMP_SLOT_LIST)
        list_reads(&reads, slot->command);
    else
        each(ctx, slot->command, slot->field);
}

/* What a question is read for. */
struct wants {
    uint32_t command;
    bool *wanted;
};

static void
want(void *ctx, uint32_t command, uint32_t field)
{
    struct wants *wants = ctx;
    if (command == wants->command)
        wants->wanted[field] = true;
}

void
value_wants(const imp_image *im, const imp_command *question,
            const imp_val *value, bool *wanted)
{
    assert(im && question && value && wanted);
    struct wants wants = {
        (uint32_t)(question - IMP_ARRAY(im, im->commands, imp_command)),
        wanted};
    const struct reads reads = {im, want, &wants};
    if (value->kind == IMP_VAL_FIELD && value->ref == wants.command)
        wanted[value->field] = true;
    value_reads(&reads, value);
}
