/* SPDX-License-Identifier: MIT */
/* What a sweep keeps of a run, at the run's number: numbers, and texts by
 * number. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/sweep/sweep_priv.h"

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
sweep_keep_record(struct sweep *sweep, uint64_t run,
                  const struct record *record, struct sweep_last_text *last)
{
    assert(run < sweep->grid.total && last);
    for (size_t k = 0; k < sweep->rows.n_fields; k++) {
        const struct sweep_field *field = &sweep->rows.field[k];
        if (field->calculated)
            continue;
        const struct field_value *value = &record->v[field->field];
        if (field->text)
            field->text[run] =
                value->why ? 0 : number_of(&sweep->rows.texts, value, &last[k]);
        for (size_t j = 0; j < field->width && !field->text; j++)
            field->numbers[run * field->width + j] =
                value->why ? NAN : value->num[j];
    }
    sweep->rows.state[run] = SWEEP_DONE;
}

void
sweep_keep_error(struct sweep *sweep, uint64_t run, const char *why)
{
    assert(run < sweep->grid.total && why);
    for (size_t k = 0; k < sweep->rows.n_fields; k++) {
        const struct sweep_field *field = &sweep->rows.field[k];
        for (size_t j = 0; j < field->width && !field->text; j++)
            field->numbers[run * field->width + j] = NAN;
        if (field->text)
            field->text[run] = 0;
    }
    sweep->rows.error[run] =
        sweep_text_number(&sweep->rows.texts, *why ? why : "failed");
    sweep->rows.state[run] = SWEEP_DONE;
    atomic_fetch_add(&sweep->shared.failed, 1);
}
