/* SPDX-License-Identifier: MIT */
/* What a sweep keeps of a run, at the run's number: numbers, and texts by
 * number. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/sweep/sweep_priv.h"

/* number of a text, of a column whose last one is there */
static uint32_t
number_of(struct sweep_texts *texts, const struct field_value *value,
          struct sweep_last_text *last)
{
    const char *s = value->text;
    if (value->lasting && s == last->lasting)
        return last->number;
    last->lasting = NULL;
    if (!last->n || strcmp(last->s, s) != 0) {
        size_t n = strlen(s);
        last->number = sweep_text_number(texts, s);
        last->n = n < sizeof last->s ? (uint32_t)n : 0;
        memcpy(last->s, s, last->n);
        last->s[last->n] = 0;
    }
    if (value->lasting)
        last->lasting = s;
    return last->number;
}

void
sweep_keep_record(struct sweep *sweep, uint64_t i, const struct record *record,
                  struct sweep_last_text *last)
{
    assert(i < sweep->grid.total && last);
    for (size_t k = 0; k < sweep->rows.n_fields; k++) {
        const struct sweep_field *field = &sweep->rows.field[k];
        if (field->calculated)
            continue;
        const struct field_value *value = &record->v[field->field];
        if (field->text)
            field->text[i] =
                value->why ? 0 : number_of(&sweep->rows.texts, value, &last[k]);
        for (size_t j = 0; j < field->width && !field->text; j++)
            field->numbers[i * field->width + j] =
                value->why ? NAN : value->num[j];
    }
    sweep->rows.state[i] = SWEEP_DONE;
}

void
sweep_keep_error(struct sweep *sweep, uint64_t i, const char *why)
{
    assert(i < sweep->grid.total && why);
    for (size_t k = 0; k < sweep->rows.n_fields; k++) {
        const struct sweep_field *field = &sweep->rows.field[k];
        for (size_t j = 0; j < field->width && !field->text; j++)
            field->numbers[i * field->width + j] = NAN;
        if (field->text)
            field->text[i] = 0;
    }
    sweep->rows.error[i] =
        sweep_text_number(&sweep->rows.texts, *why ? why : "failed");
    sweep->rows.state[i] = SWEEP_DONE;
    atomic_fetch_add(&sweep->shared.failed, 1);
}
