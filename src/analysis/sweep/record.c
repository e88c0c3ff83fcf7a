/* SPDX-License-Identifier: MIT */
/* The record of a sweep: columns with a row per run that is done, or per
 * combination (summary). The checker makes the schema in the same order
 * (src/check). A number that a run did not give is NaN. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"
#include "base/parts.h"

static struct field_value *
column(struct record *record, uint32_t column_number)
{
    for (size_t i = 0; i < record->n; i++)
        if (record->schema[i].column == column_number)
            return &record->v[i];
    return NULL;
}

/* -- rows of runs, by the sweep's threads ------------------------------------
 */

enum { PART = 1 << 16 /* rows */ };
struct rows {
    const struct sweep *sweep;
    const uint64_t *run; /* the run of every row; NULL: all runs are done, row i
                          * is run i */
    size_t n;
    const char *const *texts;
    double **axis; /* columns of the axes, and of the repetition */
    size_t n_axis;
    double **num; /* columns of numbers, per field; NULL: it is a column of
                   * texts */
    const char ***text;
    const char **error; /* the column of reasons; NULL: no run failed */
};

static uint64_t
run_of(const struct rows *rows, size_t row)
{
    assert(row < rows->n);
    return rows->run ? rows->run[row] : row;
}

/* The column of an axis where all runs are done: each value comes as often as
 * the axes behind it have combinations. */
static void
put_axis(const struct rows *rows, size_t which, size_t from, size_t to)
{
    const struct sweep *sweep = rows->sweep;
    const struct sweep_axis *axis = &sweep->grid.axis[which];
    uint64_t often = sweep->grid.repeat;
    for (size_t j = which + 1; j < sweep->grid.n_axes; j++)
        often *= sweep->grid.axis[j].random ? 1 : sweep->grid.axis[j].n;
    size_t digit = from / often % axis->n, left = often - from % often;
    for (size_t i = from; i < to; left = often) {
        size_t end = to - i < left ? to : i + left;
        for (double v = axis->values[digit]; i < end; i++)
            rows->axis[which][i] = v;
        digit = digit + 1 < axis->n ? digit + 1 : 0;
    }
}

/* Puts the column of a random axis, of the repetitions, or of any axis where
 * some runs are missing. */
static void
put_axis_by_run(const struct rows *rows, size_t k, size_t from, size_t to)
{
    const struct sweep *sweep = rows->sweep;
    for (size_t i = from; i < to; i++) {
        uint64_t run = run_of(rows, i);
        rows->axis[k][i] = k < sweep->grid.n_axes
                               ? sweep_grid_value(&sweep->grid, k, run)
                               : (double)(run % sweep->grid.repeat);
    }
}

static void
put_texts(const struct rows *rows, const uint32_t *text, const char **to,
          size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        to[i] = rows->texts[text[run_of(rows, i)]];
}

static void
put_part(void *ctx, int worker, size_t k)
{
    const struct rows *rows = ctx;
    const struct sweep *sweep = rows->sweep;
    size_t from = k * PART, to = rows->n - from < PART ? rows->n : from + PART;
    (void)worker;
    for (size_t j = 0; j < rows->n_axis; j++)
        if (rows->run || j == sweep->grid.n_axes || sweep->grid.axis[j].random)
            put_axis_by_run(rows, j, from, to);
        else
            put_axis(rows, j, from, to);
    for (size_t j = 0; j < sweep->rows.n_fields; j++) {
        const struct sweep_field *field = &sweep->rows.field[j];
        if (field->text)
            put_texts(rows, field->text, rows->text[j], from, to);
        for (size_t i = from; i < to && rows->num[j] != field->numbers; i++)
            memcpy(rows->num[j] + i * field->width,
                   field->numbers + run_of(rows, i) * field->width,
                   field->width * sizeof *field->numbers);
    }
    if (rows->error)
        put_texts(rows, sweep->rows.error, rows->error, from, to);
}

/* Copies all texts into the record's memory. */
static const char *const *
lasting(const struct sweep *sweep)
{
    struct arena *arena = record_arena(sweep->analysis);
    const char **t = NEW_N(arena, const char *, sweep->rows.texts.n);
    for (size_t i = 0; i < sweep->rows.texts.n; i++)
        t[i] = arena_strdup(arena, sweep->rows.texts.text[i]);
    return t;
}

static void
set_column(struct record *record, uint32_t column_number, struct field_value v)
{
    struct field_value *value = column(record, column_number);
    if (value)
        *value = v;
}

/* -- summary: of the runs of each combination that are done -----------------
 */

struct groups {
    uint64_t *first; /* the first run of each combination of which some run is
                      * done */
    size_t n;
};

static struct groups
groups_of(const struct sweep *sweep)
{
    struct groups groups = {NEW_N(sweep->analysis->rt->arena, uint64_t,
                                  sweep->grid.total / sweep->grid.repeat + 1),
                            0};
    for (uint64_t i = 0; i < sweep->grid.total; i += sweep->grid.repeat)
        for (uint64_t k = i; k < i + sweep->grid.repeat; k++)
            if (sweep->rows.state[k] == SWEEP_DONE) {
                groups.first[groups.n++] = i;
                break;
            }
    return groups;
}

/* Mean, smallest, greatest and standard deviation (of at least two values) of
 * one entry of the numbers that the runs of a combination gave, summed in the
 * order of the runs. */
static void
statistics(const struct sweep *sweep, uint64_t first,
           const struct sweep_field *field, size_t entry, double found[4])
{
    assert(entry < field->width &&
           first + sweep->grid.repeat <= sweep->grid.total);
    double sum = 0, square = 0;
    size_t values = 0;
    found[0] = found[1] = found[2] = found[3] = NAN;
    for (uint64_t i = first; i < first + sweep->grid.repeat; i++) {
        double value = field->numbers[i * field->width + entry];
        if (sweep->rows.state[i] != SWEEP_DONE || !isfinite(value))
            continue;
        values++;
        sum += value;
        found[1] = values == 1 ? value : fmin(found[1], value);
        found[2] = values == 1 ? value : fmax(found[2], value);
    }
    if (!values)
        return;
    found[0] = sum / (double)values;
    for (uint64_t i = first; i < first + sweep->grid.repeat; i++) {
        double deviation = field->numbers[i * field->width + entry] - found[0];
        if (sweep->rows.state[i] == SWEEP_DONE && isfinite(deviation))
            square += deviation * deviation;
    }
    if (values > 1)
        found[3] = sqrt(square / (double)(values - 1));
}

/* Returns the text that comes most often, the first of several, and its share
 * of all texts. */
static uint32_t
commonest(const struct sweep *sweep, uint64_t first, const uint32_t *text,
          double *share)
{
    assert(first + sweep->grid.repeat <= sweep->grid.total);
    uint32_t best = 0;
    size_t most = 0, all = 0;
    for (uint64_t i = first; i < first + sweep->grid.repeat; i++) {
        uint32_t t = text[i];
        size_t n = 0;
        if (sweep->rows.state[i] != SWEEP_DONE || !t)
            continue;
        all++;
        for (uint64_t k = i; k < first + sweep->grid.repeat; k++)
            n += sweep->rows.state[k] == SWEEP_DONE && text[k] == t;
        if (n > most) {
            most = n;
            best = t;
        }
    }
    *share = all ? (double)most / (double)all : NAN;
    return best;
}

static uint32_t
text_columns(struct sweep *sweep, struct record *record,
             const struct groups *groups, const struct sweep_field *field,
             const char *const *all, uint32_t column_number)
{
    struct arena *arena = record_arena(sweep->analysis);
    const char **t = NEW_N(arena, const char *, groups->n + 1);
    double *share = NEW_N(arena, double, groups->n + 1);
    for (size_t j = 0; j < groups->n; j++)
        t[j] = all[commonest(sweep, groups->first[j], field->text, &share[j])];
    set_column(
        record, column_number++,
        (struct field_value){.texts = t, .n = groups->n, .cols = field->width});
    set_column(record, column_number++,
               (struct field_value){.num = share, .n = groups->n, .cols = 1});
    return column_number;
}

static uint32_t
number_columns(struct sweep *sweep, struct record *record,
               const struct groups *groups, const struct sweep_field *field,
               uint32_t column_number)
{
    double *numbers[4], one[4];
    for (int m = 0; m < 4; m++)
        numbers[m] = NEW_N(record_arena(sweep->analysis), double,
                           groups->n * field->width + 1);
    for (size_t j = 0; j < groups->n; j++)
        for (size_t w = 0; w < field->width; w++) {
            statistics(sweep, groups->first[j], field, w, one);
            for (int m = 0; m < 4; m++)
                numbers[m][j * field->width + w] = one[m];
        }
    for (int m = 0; m < 4; m++)
        set_column(record, column_number++,
                   (struct field_value){.num = numbers[m],
                                        .n = groups->n,
                                        .cols = field->width});
    return column_number;
}

/* Adds the columns per combination: how many runs gave values, and the reason
 * of the first that did not. */
static void
outcome(struct sweep *sweep, struct record *record, const struct groups *groups,
        const char *const *all, uint32_t column_number, size_t failed)
{
    struct arena *arena = record_arena(sweep->analysis);
    double *runs = NEW_N(arena, double, groups->n + 1);
    const char **why = NEW_N(arena, const char *, groups->n + 1);
    for (size_t j = 0; j < groups->n; j++) {
        why[j] = "";
        for (uint64_t i = groups->first[j];
             i < groups->first[j] + sweep->grid.repeat; i++) {
            if (sweep->rows.state[i] != SWEEP_DONE)
                continue;
            runs[j] += !sweep->rows.error[i];
            if (sweep->rows.error[i] && !*why[j])
                why[j] = all[sweep->rows.error[i]];
        }
    }
    set_column(record, column_number,
               (struct field_value){.num = runs, .n = groups->n, .cols = 1});
    int e = record_index(record, "error");
    record->v[e] = (struct field_value){0};
    if (failed)
        record->v[e] = (struct field_value){.texts = why, .n = groups->n};
}

static void
put_summary(struct sweep *sweep, struct record *record, const char *const *all,
            size_t failed)
{
    struct groups groups = groups_of(sweep);
    uint32_t column_number = 1;
    for (size_t i = 0; i < sweep->grid.n_axes; i++) {
        if (sweep->grid.axis[i].random)
            continue;
        double *x = NEW_N(record_arena(sweep->analysis), double, groups.n + 1);
        for (size_t j = 0; j < groups.n; j++)
            x[j] = sweep_grid_value(&sweep->grid, i, groups.first[j]);
        set_column(record, column_number++,
                   (struct field_value){.num = x, .n = groups.n, .cols = 1});
    }
    outcome(sweep, record, &groups, all, column_number++, failed);
    for (size_t i = 0; i < sweep->rows.n_fields; i++)
        column_number =
            sweep->rows.field[i].text
                ? text_columns(sweep, record, &groups, &sweep->rows.field[i],
                               all, column_number)
                : number_columns(sweep, record, &groups, &sweep->rows.field[i],
                                 column_number);
}

/* Returns the numbers of the runs that are done; NULL: all of them are. */
static const uint64_t *
done_runs(const struct sweep *sweep, size_t rows)
{
    if (rows == sweep->grid.total)
        return NULL;
    uint64_t *run = NEW_N(sweep->analysis->rt->arena, uint64_t, rows + 1);
    size_t n = 0;
    for (uint64_t i = 0; i < sweep->grid.total; i++)
        if (sweep->rows.state[i] == SWEEP_DONE)
            run[n++] = i;
    return run;
}

static void
put_rows(struct sweep *sweep, struct record *record, const char *const *all,
         size_t n_rows, size_t failed)
{
    struct arena *arena = sweep->analysis->rt->arena,
                 *to = record_arena(sweep->analysis);
    struct rows rows = {.sweep = sweep,
                        .run = done_runs(sweep, n_rows),
                        .n = n_rows,
                        .texts = all,
                        .n_axis =
                            sweep->grid.n_axes + (sweep->grid.repeat > 1)};
    uint32_t column_number = 1;
    rows.axis = NEW_N(arena, double *, rows.n_axis + 1);
    rows.num = NEW_N(arena, double *, sweep->rows.n_fields + 1);
    rows.text = NEW_N(arena, const char **, sweep->rows.n_fields + 1);
    for (size_t i = 0; i < rows.n_axis; i++) {
        rows.axis[i] = NEW_N(to, double, n_rows + 1);
        set_column(
            record, column_number++,
            (struct field_value){.num = rows.axis[i], .n = n_rows, .cols = 1});
    }
    for (size_t index = 0; index < sweep->rows.n_fields; index++) {
        const struct sweep_field *field = &sweep->rows.field[index];
        if (field->text)
            rows.text[index] = NEW_N(to, const char *, n_rows + 1);
        else
            rows.num[index] = rows.run
                                  ? NEW_N(to, double, n_rows * field->width + 1)
                                  : field->numbers;
        set_column(record, column_number++,
                   (struct field_value){.num = rows.num[index],
                                        .texts = rows.text[index],
                                        .n = n_rows,
                                        .cols = field->width});
    }
    if (failed)
        rows.error = NEW_N(to, const char *, n_rows + 1);
    parts_run(sweep->threads, (n_rows + PART - 1) / PART, put_part, &rows);
    int e = record_index(record, "error");
    record->v[e] = (struct field_value){0};
    if (failed)
        record->v[e] = (struct field_value){.texts = rows.error, .n = n_rows};
}

void
sweep_fill_record(struct sweep *sweep, struct record *record, size_t rows,
                  size_t failed)
{
    assert(rows <= sweep->grid.total && failed <= rows);
    const char *const *all = lasting(sweep);
    record_set_number(record, "points", (double)rows);
    record_set_number(record, "failed", (double)failed);
    if (sweep->summary)
        put_summary(sweep, record, all, failed);
    else
        put_rows(sweep, record, all, rows, failed);
}
