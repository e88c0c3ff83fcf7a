/* SPDX-License-Identifier: MIT */
/* JSON: one object per command and line, with the record's own field names, SI
 * numbers in the shortest form that reads back, the `units` of the fields that
 * have one, and null with a reason under `why` for what is absent. There is no
 * NaN and no infinity in it. */
#include <math.h>
#include <string.h>

#include "output/out_priv.h"

void
out_json_number(struct buf *b, double x)
{
    char s[NUM_TEXT];
    buf_puts(b, isfinite(x) ? out_exact(s, x) : "null");
}

void
out_json_numbers(struct buf *b, const double *x, size_t n)
{
    buf_putc(b, '[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_puts(b, ", ");
        out_json_number(b, x[i]);
    }
    buf_putc(b, ']');
}

void
out_json_matrix(struct buf *b, const double *x, size_t rows, size_t cols)
{
    if (rows == 1 && cols == 1) {
        out_json_number(b, x[0]);
    } else if (cols == 1) {
        out_json_numbers(b, x, rows);
    } else {
        buf_putc(b, '[');
        for (size_t i = 0; i < rows; i++) {
            if (i)
                buf_puts(b, ", ");
            out_json_numbers(b, x + i * cols, cols);
        }
        buf_putc(b, ']');
    }
}

const char *
out_unit(const char *unit, size_t k, size_t *n)
{
    const char *s = unit;
    while (k-- && strchr(unit, ';')) {
        s += strcspn(s, ";");
        s += *s == ';';
    }
    *n = strcspn(s, ";");
    return s;
}

void
out_json_unit(struct buf *b, const char *unit, size_t rows, size_t cols)
{
    size_t n;
    if (!out_units_differ(unit)) {
        buf_json(b, unit, strlen(unit));
        return;
    }
    for (size_t k = 0; k < rows * cols; k++) {
        const char *s = out_unit(unit, k, &n);
        buf_puts(b, k == 0 ? "[" : k % cols || cols == 1 ? ", " : "");
        if (cols > 1 && k % cols == 0)
            buf_puts(b, k ? "], [" : "[");
        buf_json(b, s, n);
    }
    buf_puts(b, cols > 1 ? "]]" : "]");
}

static void
key(struct buf *b, const char *s, bool first)
{
    if (!first)
        buf_puts(b, ", ");
    buf_json(b, s, strlen(s));
    buf_puts(b, ": ");
}

static void
value(struct buf *b, const imp_field *f, const struct field_value *v)
{
    if (v->why) {
        buf_puts(b, "null");
        return;
    }
    switch (f->kind) {
    case IMP_FIELD_NUM:
        out_json_number(b, v->num[0]);
        break;
    case IMP_FIELD_BOOL:
        buf_puts(b, v->num[0] != 0.0 ? "true" : "false");
        break;
    case IMP_FIELD_TEXT:
        buf_json(b, v->text, strlen(v->text));
        break;
    case IMP_FIELD_TEXTS:
        buf_putc(b, '[');
        for (size_t i = 0; i < v->n; i++) {
            if (i)
                buf_puts(b, ", ");
            buf_json(b, v->texts[i], strlen(v->texts[i]));
        }
        buf_putc(b, ']');
        break;
    case IMP_FIELD_VEC:
    case IMP_FIELD_SPIN:
        if (f->width == 1)
            out_json_number(b, v->num[0]);
        else
            out_json_numbers(b, v->num, f->width);
        break;
    case IMP_FIELD_LIST:
        out_json_numbers(b, v->num, v->n);
        break;
    default: /* VECS, MAT: always an array of arrays */
        buf_putc(b, '[');
        for (size_t i = 0; i < v->n; i++) {
            if (i)
                buf_puts(b, ", ");
            out_json_numbers(b, v->num + i * v->cols, v->cols);
        }
        buf_putc(b, ']');
    }
}

void
out_json_record(struct buf *b, const imp_image *im, const struct record *r,
                const char *command)
{
    key(b, "command", true);
    buf_json(b, command, strlen(command));
    key(b, "name", false);
    buf_json(b, imp_text(im, r->command->bound), r->command->bound.n);
    if (r->command->args.n) {
        const imp_val *arg = IMP_ARRAY(im, r->command->args, imp_val);
        key(b, "of", false);
        buf_putc(b, '[');
        for (uint32_t i = 0; i < r->command->args.n; i++) {
            if (i)
                buf_puts(b, ", ");
            buf_json(b, imp_text(im, arg[i].label), arg[i].label.n);
        }
        buf_putc(b, ']');
    }
    for (size_t i = 0; i < r->n; i++) {
        key(b, imp_text(im, r->schema[i].name), false);
        value(b, &r->schema[i], &r->v[i]);
    }
    bool first = true;
    key(b, "units", false);
    buf_putc(b, '{');
    for (size_t i = 0; i < r->n; i++)
        if (out_has_unit(imp_text(im, r->schema[i].unit))) {
            key(b, imp_text(im, r->schema[i].name), first);
            out_json_unit(b, imp_text(im, r->schema[i].unit),
                          r->schema[i].width, 1);
            first = false;
        }
    buf_putc(b, '}');
    first = true;
    for (size_t i = 0; i < r->n; i++)
        if (r->v[i].why) {
            if (first) {
                key(b, "why", false);
                buf_putc(b, '{');
            }
            key(b, imp_text(im, r->schema[i].name), first);
            buf_json(b, r->v[i].why, strlen(r->v[i].why));
            first = false;
        }
    if (!first)
        buf_putc(b, '}');
}

static void
record_line(struct output *o, const imp_image *im, const struct record *r,
            const char *command, const char *label)
{
    struct buf b = {0};
    buf_putc(&b, '{');
    out_json_record(&b, im, r, command);
    if (label) {
        key(&b, "expression", false);
        buf_json(&b, label, strlen(label));
    }
    buf_puts(&b, "}\n");
    out_write(o, b.s, b.n);
    buf_free(&b);
}

void
out_record_json(struct output *o, const imp_image *im, const struct record *r)
{
    record_line(o, im, r, imp_command_word(r->command->id), NULL);
}

void
out_record_shown(struct output *o, const imp_image *im, const struct record *r,
                 const char *label)
{
    record_line(o, im, r, "show", label);
}

void
out_not_written(struct output *o, const char *command, const char *file)
{
    struct buf b = {0};
    if (o->json) {
        buf_printf(&b,
                   "{\"command\": \"%s\", \"name\": \"\", \"file\": ", command);
        buf_json(&b, file, strlen(file));
        buf_puts(&b, ", \"written\": false, \"why\": {\"written\": \"no "
                     "--out\"}}\n");
    } else {
        buf_printf(&b, "%s: not written: no --out\n", file);
    }
    out_write(o, b.s, b.n);
    buf_free(&b);
}
