/* SPDX-License-Identifier: MIT */
/* The record of a sweep: columns with a row per run that is done (those of a
 * summary: summary_record.c). The checker makes the schema in the same order
 * (src/check). A number that a run did not give is NaN. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/sweep/summary.h"
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
    const char **t = NEW_N(arena, const char *, sweep->texts.n);
    for (size_t i = 0; i < sweep->texts.n; i++)
        t[i] = arena_strdup(arena, sweep->texts.text[i]);
    return t;
}

static void
set_column(struct record *record, uint32_t column_number, struct field_value v)
{
    struct field_value *value = column(record, column_number);
    if (value)
        *value = v;
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
        sweep_fill_summary(sweep, record, all, failed);
    else
        put_rows(sweep, record, all, rows, failed);
}
