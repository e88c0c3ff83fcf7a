/* SPDX-License-Identifier: MIT */
/* The record of a sweep with `summary`: a row per combination of which some run
 * is done. The checker makes the schema in the same order (src/check). */
#include "analysis/sweep/summary.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"

/* The rows of which some run is done, and where the columns go. */
struct filling {
    const struct sweep *sweep;
    struct record *record;
    struct arena *arena;
    const char *const *texts;
    uint64_t *row;
    size_t n;
    uint32_t column; /* the next one */
};

static void
put(struct filling *filling, struct field_value value)
{
    struct record *record = filling->record;
    for (size_t i = 0; i < record->n; i++)
        if (record->schema[i].column == filling->column) {
            record->v[i] = value;
            break;
        }
    filling->column++;
}

/* Puts a column of `width` numbers per row, of which row r has those at
 * r*stride + first. */
static void
put_numbers(struct filling *filling, const double *numbers, size_t stride,
            size_t first, size_t width)
{
    double *to = NEW_N(filling->arena, double, filling->n *width + 1);
    for (size_t i = 0; i < filling->n; i++)
        memcpy(to + i * width, numbers + filling->row[i] * stride + first,
               width * sizeof *to);
    put(filling,
        (struct field_value){.num = to, .n = filling->n, .cols = width});
}

static void
put_texts(struct filling *filling, const uint32_t *text)
{
    const char **to = NEW_N(filling->arena, const char *, filling->n + 1);
    for (size_t i = 0; i < filling->n; i++)
        to[i] = filling->texts[text[filling->row[i]]];
    put(filling, (struct field_value){.texts = to, .n = filling->n, .cols = 1});
}

/* Puts the values of an axis: in the first run of each row, or in the worst. */
static void
put_axis(struct filling *filling, size_t axis, bool worst)
{
    const struct sweep *sweep = filling->sweep;
    double *to = NEW_N(filling->arena, double, filling->n + 1);
    for (size_t i = 0; i < filling->n; i++) {
        uint64_t run = worst ? sweep->summary->worst[filling->row[i]]
                             : filling->row[i] * sweep->grid.per_row;
        to[i] = run < sweep->grid.total
                    ? sweep_grid_value(&sweep->grid, axis, run)
                    : NAN;
    }
    put(filling, (struct field_value){.num = to, .n = filling->n, .cols = 1});
}

/* Puts the options of `imp run` with which the worst run is made again: its seed
 * and number, from which draws of starts follow, and its params. */
static void
put_worst_run(struct filling *filling)
{
    const struct sweep *sweep = filling->sweep;
    const struct sweep_grid *grid = &sweep->grid;
    const imp_image *im = sweep->analysis->rt->im;
    const imp_param *params = IMP_ARRAY(im, im->params, imp_param);
    const char **to = NEW_N(filling->arena, const char *, filling->n + 1);
    char digits[NUM_TEXT];
    for (size_t i = 0; i < filling->n; i++) {
        uint64_t run = sweep->summary->worst[filling->row[i]];
        const char *text = "";
        if (run < grid->total && im->draws.n)
            text = arena_printf(filling->arena, " --seed=%s --run=%" PRIu64,
                                num_shortest(digits, sweep_seed(sweep, run)),
                                run);
        for (size_t k = 0; k < grid->n_axes && run < grid->total; k++)
            text = arena_printf(
                filling->arena, "%s --set %s=%s", text,
                imp_text(im, params[grid->axis[k].param].name),
                num_shortest(digits, sweep_grid_value(grid, k, run)));
        to[i] = *text ? text + 1 : text;
    }
    put(filling, (struct field_value){.texts = to, .n = filling->n, .cols = 1});
}

static void
put_field(struct filling *filling, size_t k)
{
    const struct sweep_summary *summary = filling->sweep->summary;
    const struct summary_field *found = &summary->field[k];
    size_t width = filling->sweep->rows.field[k].width;
    if (found->text) {
        put_texts(filling, found->text);
        put_numbers(filling, found->text_share, 1, 0, 1);
        return;
    }
    for (int which = 0; which < SUMMARY_OF; which++)
        put_numbers(filling, found->number[which], width, 0, width);
    for (size_t j = 0; found->quantile && j < summary->n_shares; j++)
        put_numbers(filling, found->quantile, summary->n_shares, j, 1);
}

void
sweep_fill_summary(struct sweep *sweep, struct record *record,
                   const char *const *texts, size_t failed)
{
    assert(sweep->summary && record && texts);
    const struct sweep_summary *summary = sweep->summary;
    struct filling filling = {
        .sweep = sweep,
        .record = record,
        .arena = record_arena(sweep->analysis),
        .texts = texts,
        .row = NEW_N(sweep->analysis->rt->arena, uint64_t, summary->rows + 1),
        .column = 1};
    for (uint64_t row = 0; row < summary->rows; row++)
        if (summary->some[row])
            filling.row[filling.n++] = row;
    const struct sweep_axis *axis = sweep->grid.axis;
    for (size_t k = 0; k < sweep->grid.n_axes; k++)
        if (!axis[k].random && !axis[k].within)
            put_axis(&filling, k, false);
    put_numbers(&filling, summary->runs, 1, 0, 1);
    for (size_t k = 0; k < sweep->rows.n_fields; k++)
        put_field(&filling, k);
    for (size_t k = 0; k < summary->n_bins; k++)
        put_numbers(&filling, summary->bins[k].count, summary->bins[k].n, 0,
                    summary->bins[k].n);
    for (size_t k = 0;
         k < sweep->grid.n_axes && summary->worst_field != SIZE_MAX; k++)
        if (axis[k].random || axis[k].within)
            put_axis(&filling, k, true);
    if (summary->worst_field != SIZE_MAX)
        put_worst_run(&filling);
    int error = record_index(record, "error");
    record->v[error] = (struct field_value){0};
    if (!failed)
        return;
    const char **why = NEW_N(filling.arena, const char *, filling.n + 1);
    for (size_t i = 0; i < filling.n; i++)
        why[i] = texts[summary->error[filling.row[i]]];
    record->v[error] = (struct field_value){.texts = why, .n = filling.n};
}
