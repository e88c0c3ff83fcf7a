/* SPDX-License-Identifier: MIT */
/* Records: what a command found out, field by field, after the schema that the
 * compiled model carries (abi/commands.def, plus the recorded columns of
 * `simulate`). A field holds data or a reason for its absence, never both and
 * never a number that is not finite. */
#include "runtime/instance/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static const char not_computed[] = "not computed";

struct record *
record_new(struct arena *a, const imp_image *im, const imp_command *c)
{
    struct record *r = NEW(a, struct record);
    r->image = im;
    r->arena = a;
    r->command = c;
    r->schema = IMP_ARRAY(im, c->fields, imp_field);
    r->n = c->fields.n;
    r->first = r->n;
    r->v = NEW_N(a, struct field_value, r->n ? r->n : 1);
    for (size_t i = 0; i < r->n; i++)
        r->v[i].why = not_computed;
    return r;
}

void
record_clear(struct record *r)
{
    for (size_t i = r->first; i < r->end; i++)
        r->v[i] = (struct field_value){.why = not_computed};
    r->first = r->n;
    r->end = r->hint = 0;
    r->present = r->partial = false;
}

int
record_index(const struct record *r, const char *field)
{
    /* fields are mostly asked for in their order */
    size_t i = r->hint;
    for (size_t k = 0; k < r->n; k++, i++) {
        if (i >= r->n)
            i = 0;
        imp_str s = r->schema[i].name;
        const char *name = imp_text(r->image, s);
        if (name[0] == field[0] && !strncmp(name, field, s.n) && !field[s.n])
            return (int)i;
    }
    return -1;
}

bool
record_wants_beyond(const struct record *r, const char *const *fields, size_t n)
{
    for (size_t i = 0; i < r->n && r->wanted; i++) {
        const char *name = imp_text(r->image, r->schema[i].name);
        size_t k = 0;
        while (r->wanted[i] && k < n && strcmp(fields[k], name) != 0)
            k++;
        if (r->wanted[i] && k == n)
            return true;
    }
    return r->wanted == NULL;
}

static const char *
command_name(const struct record *r)
{
    const char *word = imp_command_word(r->command->id);
    return word ? word : "?";
}

bool
record_wants(const struct record *r, const char *field)
{
    int i = r->wanted ? record_index(r, field) : -1;
    return i < 0 || r->wanted[i];
}

/* the field to set; NULL: nobody looks at it */
static struct field_value *
empty_slot(struct record *r, size_t i)
{
    r->hint = i + 1;
    if (r->wanted && !r->wanted[i])
        return NULL;
    r->first = i < r->first ? i : r->first;
    r->end = r->hint > r->end ? r->hint : r->end;
    r->v[i] = (struct field_value){0};
    return &r->v[i];
}

/* the same by name; one that the schema lacks is our own mistake */
static struct field_value *
slot(struct record *r, const char *field)
{
    int i = record_index(r, field);
    if (i < 0) {
        fprintf(stderr, "imp: a record of `%s` has no field `%s`\n",
                command_name(r), field);
        abort();
    }
    return empty_slot(r, (size_t)i);
}

/* copies n numbers, or makes the field absent when one is not finite */
static void
set_numbers(struct record *r, struct field_value *v, const double *x, size_t n)
{
    if (!v)
        return;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) {
            *v =
                (struct field_value){.why = "the value is not a finite number"};
            return;
        }
    v->num = n ? arena_copy(r->arena, x, n * sizeof *x)
               : arena_alloc(r->arena, sizeof *x);
    v->n = n;
}

void
record_set_number(struct record *r, const char *field, double x)
{
    set_numbers(r, slot(r, field), &x, 1);
}

void
record_set_bool(struct record *r, const char *field, bool x)
{
    double d = x ? 1.0 : 0.0;
    set_numbers(r, slot(r, field), &d, 1);
}

void
record_set_vector(struct record *r, const char *field, const double *x)
{
    struct field_value *v = slot(r, field);
    if (v)
        set_numbers(r, v, x, r->schema[v - r->v].width);
}

/* LIST: n numbers; VECS: n vectors of the schema's width */
void
record_set_list(struct record *r, const char *field, const double *x, size_t n)
{
    struct field_value *v = slot(r, field);
    if (!v)
        return;
    const imp_field *s = &r->schema[v - r->v];
    size_t w = s->kind == IMP_FIELD_VECS && s->width ? s->width : 1;
    set_numbers(r, v, x, n * w);
    if (!v->why) {
        v->n = n;
        v->cols = w;
    }
}

void
record_set_matrix(struct record *r, const char *field, const double *x,
                  size_t rows, size_t cols)
{
    struct field_value *v = slot(r, field);
    set_numbers(r, v, x, rows * cols);
    if (v && !v->why) {
        v->n = rows;
        v->cols = cols;
    }
}

void
record_set_text(struct record *r, const char *field, const char *s)
{
    struct field_value *v = slot(r, field);
    if (v)
        v->text = arena_strdup(r->arena, s);
}

void
record_set_lasting_text(struct record *r, size_t field, const char *s)
{
    struct field_value *v = empty_slot(r, field);
    if (!v)
        return;
    v->text = s;
    v->lasting = true;
}

void
record_set_texts(struct record *r, const char *field, const char *const *s,
                 size_t n)
{
    struct field_value *v = slot(r, field);
    if (v)
        v->n = n;
    if (!v || n == 0)
        return;
    const char **t = NEW_N(r->arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        t[i] = arena_strdup(r->arena, s[i]);
    v->texts = t;
}

void
record_set_absent(struct record *r, const char *field, const char *why)
{
    struct field_value *v = slot(r, field);
    if (v)
        v->why = arena_strdup(r->arena, why);
}

void
record_set_absent_all(struct record *r, const char *const *fields, size_t n,
                      const char *why)
{
    for (size_t i = 0; i < n; i++)
        record_set_absent(r, fields[i], why);
}
