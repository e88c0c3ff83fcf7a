/* SPDX-License-Identifier: MIT */
/* What a sweep keeps of a run: numbers, and texts by number. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/sweep/summary.h"
#include "base/arena.h"

struct sweep_rows
sweep_rows_like(const struct sweep_rows *like, size_t n, struct arena *arena)
{
    struct sweep_rows rows = *like;
    rows.field = arena_copy(arena, like->field,
                            (like->n_fields + 1) * sizeof *like->field);
    rows.error = NEW_N(arena, uint32_t, n + 1);
    rows.state = NEW_N(arena, unsigned char, n + 1);
    for (size_t k = 0; k < rows.n_fields; k++) {
        struct sweep_field *field = &rows.field[k];
        if (field->text)
            field->text = NEW_N(arena, uint32_t, n + 1);
        else
            field->numbers = NEW_N(arena, double, n * field->width + 1);
    }
    return rows;
}

/* Returns the number of a text, of a column whose last one is there. */
static uint32_t
number_of(struct sweep_texts *texts, const struct field_value *value,
          struct sweep_last_text *last)
{
    const char *text = value->text;
    if (value->lasting && text == last->lasting)
        return last->number;
    last->lasting = NULL;
    if (!last->n || strcmp(last->s, text) != 0) {
        size_t n = strlen(text);
        last->number = sweep_text_number(texts, text);
        last->n = n < sizeof last->s ? (uint32_t)n : 0;
        memcpy(last->s, text, last->n);
        last->s[last->n] = 0;
    }
    if (value->lasting)
        last->lasting = text;
    return last->number;
}

void
sweep_keep_record(struct sweep_rows *rows, size_t row,
                  const struct record *record, struct sweep_last_text *last)
{
    assert(rows && record && last);
    for (size_t k = 0; k < rows->n_fields; k++) {
        const struct sweep_field *field = &rows->field[k];
        if (field->calculated)
            continue;
        const struct field_value *value = &record->v[field->field];
        if (field->text)
            field->text[row] =
                value->why ? 0 : number_of(rows->texts, value, &last[k]);
        for (size_t j = 0; j < field->width && !field->text; j++)
            field->numbers[row * field->width + j] =
                value->why ? NAN : value->num[j];
    }
    rows->error[row] = 0;
    rows->state[row] = SWEEP_DONE;
}

void
sweep_keep_error(struct sweep *sweep, struct sweep_rows *rows, size_t row,
                 uint32_t known, const char *why)
{
    assert(rows && why);
    for (size_t k = 0; k < rows->n_fields; k++) {
        const struct sweep_field *field = &rows->field[k];
        for (size_t j = 0; j < field->width && !field->text; j++)
            field->numbers[row * field->width + j] = NAN;
        if (field->text)
            field->text[row] = 0;
    }
    rows->error[row] =
        known ? known : sweep_text_number(rows->texts, *why ? why : "failed");
    rows->state[row] = SWEEP_DONE;
    atomic_fetch_add(&sweep->shared.failed, 1);
}

bool
sweep_run_done(const struct sweep *sweep, uint64_t run)
{
    return sweep->resumed &&
           (sweep->summary ? sweep_summary_done(sweep, run)
                           : sweep->rows.state[run] == SWEEP_DONE);
}
