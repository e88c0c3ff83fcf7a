/* SPDX-License-Identifier: MIT */
/* Lists that are made of the entries of one list: running sums, distances, and
 * entries by their numbers. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/command.h"
#include "analysis/command/lists.h"
#include "base/arena.h"
#include "table/table.h"

int
list_no_such_entry(struct analysis *analysis, const imp_list *list,
                   imp_range range, size_t n, double at)
{
    const char *name = imp_text(analysis->rt->im, list->name);
    struct diag *diag =
        at != 0 ? diag_add(analysis->ds, DIAG_E0702, range,
                           "`%s`: the list has %zu entr%s, and none has the "
                           "number %.17g",
                           name, n, n == 1 ? "y" : "ies", at)
                : diag_add(analysis->ds, DIAG_E0702, range,
                           "`%s`: the list has %zu entr%s, so there is no "
                           "such one",
                           name, n, n == 1 ? "y" : "ies");
    if (n)
        diag_help(analysis->ds, diag,
                  "entries are numbered 0 to %zu, or -1 to -%zu from the end",
                  n - 1, n);
    return IMP_FAILED;
}

int
list_selects_as_many(struct analysis *analysis, const imp_list *list, size_t n)
{
    assert(analysis && list);
    if (!list->column || n == list->column)
        return IMP_OK;
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0760, list->range,
                 "`%s` has %zu entries now, but %u in this model, which goes "
                 "through them along the motion, term by term",
                 imp_text(analysis->rt->im, list->name), n, list->column);
    diag_help(analysis->ds, diag,
              "name the file in the model itself: the data that it is made "
              "with decide how many terms there are");
    return IMP_FAILED;
}

/* a[places]: negative numbers count from the end, as in a[-1] */
int
list_picked(struct analysis *analysis, const imp_list *list,
            const struct list_values *in, struct list_values *out)
{
    size_t width = in[0].width, n = in[1].n;
    double *x = NEW_N(record_arena(analysis), double, n *width + 1);
    for (size_t i = 0; i < n; i++) {
        double all = (double)in[0].n, at = in[1].x[i];
        double place = at < 0 ? all + at : at;
        if (!(place >= 0 && place < all) || place != floor(place))
            return list_no_such_entry(analysis, list, list->range, in[0].n, at);
        memcpy(x + i * width, in[0].x + (size_t)place * width,
               width * sizeof *x);
    }
    *out = (struct list_values){x, n, width};
    return IMP_OK;
}

/* a[1 .. -1]: from one entry to one that is counted from the end. None lies
 * between 5 and -1 of five entries, but there is no 6 in them, and no -6. */
int
list_sliced(struct analysis *analysis, const imp_list *list,
            const struct list_values *in, struct list_values *out)
{
    size_t width = in[0].width;
    double all = (double)in[0].n, from = in[1].x[0], to = in[1].x[1];
    if (from > all)
        return list_no_such_entry(analysis, list, list->range, in[0].n, from);
    if (all + to < from - 1.0 && all + to < 0.0)
        return list_no_such_entry(analysis, list, list->range, in[0].n, to);
    size_t first = (size_t)from,
           n = all + to < from ? 0 : (size_t)(all + to - from) + 1;
    *out = (struct list_values){in[0].x + first * width, n, width};
    return IMP_OK;
}

/* cumulative, differences */
void
list_running(struct analysis *analysis, const imp_list *list,
             const struct list_values *in, struct list_values *out)
{
    bool sums = list->kind == IMP_LIST_CUMULATIVE;
    size_t width = in->width, n = sums || !in->n ? in->n : in->n - 1;
    double *x = NEW_N(record_arena(analysis), double, n *width + 1);
    for (size_t k = 0; k < width; k++) {
        double sum = 0, rest = 0; /* as in list_sum */
        for (size_t i = 0; i < n; i++) {
            double term = in->x[i * width + k], next = sum + term;
            if (!sums) {
                x[i * width + k] = in->x[(i + 1) * width + k] - term;
                continue;
            }
            rest += fabs(sum) >= fabs(term) ? (sum - next) + term
                                            : (term - next) + sum;
            sum = next;
            x[i * width + k] = sum + rest;
        }
    }
    *out = (struct list_values){x, n, width};
}

/* The distances of all pairs of places of each entry. */
int
list_distances(struct analysis *analysis, const imp_list *list,
               const struct list_values *in, struct list_values *out)
{
    /* the numbers of one vector are a list, too */
    size_t rows = in->width == 1 ? 1 : in->n,
           width = in->width == 1 ? in->n : in->width,
           dim = analysis->rt->im->dim == 3 ? 3 : 2, n = width / dim, count = 0;
    if (width % dim) {
        struct diag *diag = diag_add(
            analysis->ds, DIAG_E0763, list->range,
            "`distances` takes places of %zu numbers each, and %zu numbers are "
            "no whole number of these",
            dim, width);
        diag_help(analysis->ds, diag,
                  "record the places of a family: record = disc.position, then "
                  "distances(r.disc_position)");
        return IMP_FAILED;
    }
    double *x = NEW_N(record_arena(analysis), double,
                      (n ? rows * (n * (n - 1) / 2) : 0) + 1);
    for (size_t row = 0; row < rows; row++) {
        const double *place = in->x + row * width;
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++) {
                double square = 0.0;
                for (size_t k = 0; k < dim; k++) {
                    double apart = place[j * dim + k] - place[i * dim + k];
                    square += apart * apart;
                }
                x[count++] = sqrt(square);
            }
    }
    *out = (struct list_values){x, count, 1};
    return IMP_OK;
}

/* -- texts ----------------------------------------------------------------- */

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The texts of the record, which is there, that a list of kind NAMES reads: all
 * of a list, or the only one of a field. */
static const char *const *
texts_of(const struct analysis *analysis, const imp_list *list, size_t *n)
{
    const struct record *record = analysis->recs[list->command];
    const struct field_value *all = &record->v[list->field];
    bool one = record->schema[list->field].kind == IMP_FIELD_TEXT;
    *n = one ? 1 : all->n;
    return one ? (const char *const *)&all->text : all->texts;
}

/* The different texts of the record that a list of kind NAMES reads, in order.
 */
static struct list_words
words_of_record(const struct analysis *analysis, const imp_list *list)
{
    const struct record *record = analysis->recs[list->command];
    struct list_words words = {0};
    if (!record || !record->present || record->v[list->field].why)
        return words; /* its values have been asked for, and it was reported */
    size_t n = 0;
    const char *const *texts = texts_of(analysis, list, &n);
    words.text = NEW_N(record_arena(analysis), const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        words.text[i] = texts[i];
    qsort(words.text, n, sizeof *words.text, by_text);
    for (size_t i = 0; i < n; i++)
        if (!words.n || strcmp(words.text[words.n - 1], words.text[i]) != 0)
            words.text[words.n++] = words.text[i];
    return words;
}

struct list_words
list_words(const struct analysis *analysis, uint32_t table, uint32_t column)
{
    assert(analysis);
    const imp_image *im = analysis->rt->im;
    if (table == IMP_RECORD_TEXTS) {
        assert(column < im->lists.n);
        return words_of_record(analysis,
                               IMP_ARRAY(im, im->lists, imp_list) + column);
    }
    assert(table < im->tables.n);
    const imp_table *of = IMP_ARRAY(im, im->tables, imp_table) + table;
    assert(column < of->columns.n);
    const struct data_columns *other =
        analysis->data ? &analysis->data[table] : NULL;
    if (other && other->column) /* of another file than the model's own */
        return (struct list_words){other->column[column].words.v,
                                   other->column[column].words.n};
    imp_ref own = IMP_ARRAY(im, of->columns, imp_table_column)[column].words;
    struct list_words words = {
        NEW_N(record_arena(analysis), const char *, own.n + 1), own.n};
    for (uint32_t i = 0; i < own.n; i++)
        words.text[i] = imp_text(im, IMP_ARRAY(im, own, imp_str)[i]);
    return words;
}

double *
list_names(const struct analysis *analysis, const imp_list *list, size_t *n)
{
    assert(analysis && list && list->kind == IMP_LIST_NAMES && n);
    const struct list_words words = words_of_record(analysis, list);
    const char *const *texts = texts_of(analysis, list, n);
    double *x = NEW_N(record_arena(analysis), double, *n + 1);
    for (size_t i = 0; i < *n; i++)
        x[i] = (double)((const char **)bsearch(&texts[i], words.text, words.n,
                                               sizeof *words.text, by_text) -
                        words.text);
    return x;
}

size_t
list_word(const struct analysis *analysis, const imp_list *list)
{
    assert(analysis && list && list->kind == IMP_LIST_WORD);
    const struct list_words words =
        list_words(analysis, list->table, list->column);
    const char *text = imp_text(analysis->rt->im, list->text);
    for (size_t i = 0; i < words.n; i++)
        if (!strcmp(words.text[i], text))
            return i;
    return SIZE_MAX;
}

void
list_same(struct analysis *analysis, const imp_list *list,
          const struct list_values *in, struct list_values *out)
{
    assert(analysis && list && list->kind == IMP_LIST_SAME && in && out);
    const imp_val *input = IMP_ARRAY(analysis->rt->im, list->inputs, imp_val);
    struct list_words words[2];
    size_t n = list->column & 1 ? in[1].n : in[0].n;
    double *is = NEW_N(record_arena(analysis), double, n + 1);
    for (int k = 0; k < 2; k++)
        words[k] = list_words(analysis, input[k].words - 1, input[k].field);
    for (size_t i = 0; i < n; i++) {
        double one = in[0].x[list->column & 1 ? 0 : i],
               two = in[1].x[list->column & 2 ? 0 : i];
        is[i] = !isnan(one) && !isnan(two) &&
                !strcmp(words[0].text[(size_t)one], words[1].text[(size_t)two]);
    }
    *out = (struct list_values){is, n, 1};
}

void
list_distinct(struct analysis *analysis, const imp_list *list,
              const struct list_values *in, struct list_values *out)
{
    assert(analysis && list && in && out && in->width == 1);
    struct arena *arena = record_arena(analysis);
    size_t *order = NEW_N(arena, size_t, in->n + 1), n = 0;
    double *x = NEW_N(arena, double, in->n + 1),
           *count = NEW_N(arena, double, in->n + 1);
    list_order(arena, in->x, in->n, order);
    for (size_t i = 0; i < in->n; i++) {
        double entry = in->x[order[i]];
        if (!n || entry != x[n - 1])
            x[n++] = entry;
        count[n - 1]++;
    }
    *out =
        (struct list_values){list->kind == IMP_LIST_COUNTS ? count : x, n, 1};
}
