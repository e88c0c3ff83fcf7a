/* SPDX-License-Identifier: MIT */
/* Records: what a command found out, field by field. The compiled model
 * carries the schema (abi/commands.def, and the recorded columns of
 * `simulate`). A field holds data or the reason of its absence, never both,
 * and never a number that is not finite. */
#include "runtime/instance/record.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static const char not_computed[] = "not computed";

struct record *
record_new(struct arena *arena, const imp_image *im, const imp_command *command)
{
    assert(command);
    struct record *record = NEW(arena, struct record);
    record->image = im;
    record->arena = arena;
    record->command = command;
    record->schema = IMP_ARRAY(im, command->fields, imp_field);
    record->n = command->fields.n;
    record->first = record->n;
    record->v = NEW_N(arena, struct field_value, record->n ? record->n : 1);
    for (size_t i = 0; i < record->n; i++)
        record->v[i].why = not_computed;
    return record;
}

/* The bit of the first letter of a name: most fields that are set in a sweep
 * are not asked for, and begin with another one. */
static uint64_t
letter(const char *name)
{
    return UINT64_C(1) << ((unsigned char)name[0] & 63);
}

void
record_want(struct record *record, const bool *wanted)
{
    assert(record && wanted);
    record->wanted = wanted;
    record->asked = NEW_N(record->arena, size_t, record->n + 1);
    record->n_asked = 0;
    record->letters = 0;
    for (size_t i = 0; i < record->n; i++)
        if (wanted[i]) {
            record->asked[record->n_asked++] = i;
            record->letters |=
                letter(imp_text(record->image, record->schema[i].name));
        }
}

void
record_clear(struct record *record)
{
    for (size_t i = record->first; i < record->end; i++)
        record->v[i] = (struct field_value){.why = not_computed};
    record->first = record->n;
    record->end = record->hint = 0;
    record->present = record->partial = false;
    record->motion = NULL;
    record->n_motion = 0;
}

static bool
is_called(const struct record *record, size_t i, const char *field)
{
    imp_str s = record->schema[i].name;
    const char *name = imp_text(record->image, s);
    return name[0] == field[0] && !strncmp(name, field, s.n) && !field[s.n];
}

int
record_index(const struct record *record, const char *field)
{
    assert(field != NULL);
    /* fields are mostly asked for in their order, so the search begins after
     * the last one */
    size_t i = record->hint;
    for (size_t k = 0; k < record->n; k++, i++) {
        if (i >= record->n)
            i = 0;
        if (is_called(record, i, field))
            return (int)i;
    }
    return -1;
}

/* The number of a field among those that are asked for; -1: it is not. Few
 * are, so that this is quicker than the search among all. */
static int
asked_index(const struct record *record, const char *field)
{
    if (!(record->letters & letter(field)))
        return -1;
    for (size_t k = 0; k < record->n_asked; k++)
        if (is_called(record, record->asked[k], field))
            return (int)record->asked[k];
    return -1;
}

bool
record_wants_beyond(const struct record *record, const char *const *fields,
                    size_t n)
{
    assert(record != NULL && (fields != NULL || n == 0));
    for (size_t i = 0; i < record->n && record->wanted; i++) {
        const char *name = imp_text(record->image, record->schema[i].name);
        size_t k = 0;
        while (record->wanted[i] && k < n && strcmp(fields[k], name) != 0)
            k++;
        if (record->wanted[i] && k == n)
            return true;
    }
    return record->wanted == NULL;
}

static const char *
command_name(const struct record *record)
{
    const char *word = imp_command_word(record->command->id);
    return word ? word : "?";
}

/* Is this field wanted? The setters of unwanted fields do nothing. */
static bool
record_wants(const struct record *record, const char *field)
{
    assert(record && field);
    return !record->wanted || asked_index(record, field) >= 0;
}

bool
record_wants_any(const struct record *record, const char *const *fields,
                 size_t n)
{
    assert(record && fields);
    size_t i = 0;
    while (i < n && !record_wants(record, fields[i]))
        i++;
    return i < n;
}

/* The field to set, or NULL if nobody looks at it. */
static struct field_value *
empty_slot(struct record *record, size_t i)
{
    assert(i < record->n);
    record->hint = i + 1;
    if (record->wanted && !record->wanted[i])
        return NULL;
    record->first = i < record->first ? i : record->first;
    record->end = record->hint > record->end ? record->hint : record->end;
    record->v[i] = (struct field_value){0};
    return &record->v[i];
}

/* The same by name. A name that the schema lacks is our own mistake. */
static struct field_value *
slot(struct record *record, const char *field)
{
    if (record->wanted) {
        int k = asked_index(record, field);
        return k < 0 ? NULL : empty_slot(record, (size_t)k);
    }
    int i = record_index(record, field);
    if (i < 0) {
        fprintf(stderr, "imp: a record of `%s` has no field `%s`\n",
                command_name(record), field);
        abort();
    }
    return empty_slot(record, (size_t)i);
}

/* Copies the numbers, or makes the field absent when one of them is not
 * finite. */
static void
set_numbers(struct record *record, struct field_value *value,
            const double *numbers, size_t count)
{
    assert(numbers != NULL || count == 0);
    if (!value)
        return;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i])) {
            *value =
                (struct field_value){.why = "the value is not a finite number"};
            return;
        }
    value->num =
        count ? arena_copy(record->arena, numbers, count * sizeof *numbers)
              : arena_alloc(record->arena, sizeof *numbers);
    value->n = count;
}

void
record_set_number(struct record *record, const char *field, double x)
{
    set_numbers(record, slot(record, field), &x, 1);
}

void
record_set_bool(struct record *record, const char *field, bool x)
{
    double d = x ? 1.0 : 0.0;
    set_numbers(record, slot(record, field), &d, 1);
}

void
record_set_vector(struct record *record, const char *field, const double *x)
{
    assert(field != NULL && x != NULL);
    struct field_value *value = slot(record, field);
    if (value)
        set_numbers(record, value, x, record->schema[value - record->v].width);
}

/* LIST: n numbers. VECS: n vectors of the schema's width. */
void
record_set_list(struct record *record, const char *field, const double *x,
                size_t n)
{
    assert(field != NULL && (x != NULL || n == 0));
    struct field_value *value = slot(record, field);
    if (!value)
        return;
    const imp_field *s = &record->schema[value - record->v];
    size_t w = s->kind == IMP_FIELD_VECS && s->width ? s->width : 1;
    set_numbers(record, value, x, n * w);
    if (!value->why) {
        value->n = n;
        value->cols = w;
    }
}

void
record_set_matrix(struct record *record, const char *field, const double *x,
                  size_t rows, size_t cols)
{
    assert(cols > 0 || rows == 0);
    struct field_value *value = slot(record, field);
    set_numbers(record, value, x, rows * cols);
    if (value && !value->why) {
        value->n = rows;
        value->cols = cols;
    }
}

void
record_set_text(struct record *record, const char *field, const char *s)
{
    assert(field != NULL && s != NULL);
    struct field_value *value = slot(record, field);
    if (value)
        value->text = arena_strdup(record->arena, s);
}

void
record_set_lasting_text(struct record *record, size_t field, const char *s)
{
    struct field_value *value = empty_slot(record, field);
    if (!value)
        return;
    value->text = s;
    value->lasting = true;
}

void
record_set_texts(struct record *record, const char *field,
                 const char *const *texts, size_t n)
{
    assert(field != NULL && (texts != NULL || n == 0));
    struct field_value *value = slot(record, field);
    if (value)
        value->n = n;
    if (!value || n == 0)
        return;
    const char **t = NEW_N(record->arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        t[i] = arena_strdup(record->arena, texts[i]);
    value->texts = t;
}

void
record_set_absent(struct record *record, const char *field, const char *why)
{
    assert(field != NULL && why != NULL);
    struct field_value *value = slot(record, field);
    if (value)
        value->why = arena_strdup(record->arena, why);
}

void
record_set_absent_all(struct record *record, const char *const *fields,
                      size_t n, const char *why)
{
    for (size_t i = 0; i < n; i++)
        record_set_absent(record, fields[i], why);
}

size_t
field_value_count(const imp_field *field, const struct field_value *value)
{
    assert(field != NULL && value != NULL);
    switch ((enum imp_field_kind)field->kind) {
    case IMP_FIELD_NUM:
    case IMP_FIELD_BOOL:
        return 1;
    case IMP_FIELD_VEC:
    case IMP_FIELD_SPIN:
        return field->width;
    case IMP_FIELD_LIST:
    case IMP_FIELD_TEXTS:
        return value->n;
    case IMP_FIELD_VECS:
        return value->n * field->width;
    case IMP_FIELD_MAT:
        return value->n * value->cols;
    case IMP_FIELD_TEXT:
        break;
    }
    return 0;
}
