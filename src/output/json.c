/* SPDX-License-Identifier: MIT */
/* Results as JSON: one object per command and line. It has the names of the
 * record's fields, SI numbers in the shortest form that reads back, the `units`
 * of fields that have one, and null for an absent field with the reason under
 * `why`. It has neither NaN nor infinity. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "output/out_priv.h"

void
out_json_number(struct buf *buf, double x)
{
    assert(buf != NULL);
    char digits[NUM_TEXT];
    buf_puts(buf, isfinite(x) ? out_exact(digits, x) : "null");
}

void
out_json_numbers(struct buf *buf, const double *x, size_t n)
{
    assert(buf != NULL && (x != NULL || n == 0));
    buf_putc(buf, '[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_puts(buf, ", ");
        out_json_number(buf, x[i]);
    }
    buf_putc(buf, ']');
}

void
out_json_matrix(struct buf *buf, const double *numbers, size_t rows,
                size_t cols)
{
    assert(numbers);
    if (rows == 1 && cols == 1) {
        out_json_number(buf, numbers[0]);
    } else if (cols == 1) {
        out_json_numbers(buf, numbers, rows);
    } else {
        buf_putc(buf, '[');
        for (size_t i = 0; i < rows; i++) {
            if (i)
                buf_puts(buf, ", ");
            out_json_numbers(buf, numbers + i * cols, cols);
        }
        buf_putc(buf, ']');
    }
}

const char *
out_unit(const char *unit, size_t k, size_t *n)
{
    assert(unit && n);
    const char *s = unit;
    while (k-- && strchr(unit, ';')) {
        s += strcspn(s, ";");
        s += *s == ';';
    }
    *n = strcspn(s, ";");
    return s;
}

void
out_json_unit(struct buf *buf, const char *unit, size_t rows, size_t cols)
{
    assert(buf != NULL && unit != NULL && rows > 0 && cols > 0);
    size_t n;
    if (!out_units_differ(unit)) {
        buf_json(buf, unit, strlen(unit));
        return;
    }
    for (size_t k = 0; k < rows * cols; k++) {
        const char *s = out_unit(unit, k, &n);
        buf_puts(buf, k == 0 ? "[" : k % cols || cols == 1 ? ", " : "");
        if (cols > 1 && k % cols == 0)
            buf_puts(buf, k ? "], [" : "[");
        buf_json(buf, s, n);
    }
    buf_puts(buf, cols > 1 ? "]]" : "]");
}

static void
key(struct buf *buf, const char *s, bool first)
{
    if (!first)
        buf_puts(buf, ", ");
    buf_json(buf, s, strlen(s));
    buf_puts(buf, ": ");
}

static void
value(struct buf *buf, const imp_field *field, const struct field_value *found)
{
    if (found->why) {
        buf_puts(buf, "null");
        return;
    }
    switch (field->kind) {
    case IMP_FIELD_NUM:
        out_json_number(buf, found->num[0]);
        break;
    case IMP_FIELD_BOOL:
        buf_puts(buf, found->num[0] != 0.0 ? "true" : "false");
        break;
    case IMP_FIELD_TEXT:
        buf_json(buf, found->text, strlen(found->text));
        break;
    case IMP_FIELD_TEXTS:
        buf_putc(buf, '[');
        for (size_t i = 0; i < found->n; i++) {
            if (i)
                buf_puts(buf, ", ");
            buf_json(buf, found->texts[i], strlen(found->texts[i]));
        }
        buf_putc(buf, ']');
        break;
    case IMP_FIELD_VEC:
    case IMP_FIELD_SPIN:
        if (field->width == 1)
            out_json_number(buf, found->num[0]);
        else
            out_json_numbers(buf, found->num, field->width);
        break;
    case IMP_FIELD_LIST:
        out_json_numbers(buf, found->num, found->n);
        break;
    default: /* VECS, MAT: always an array of arrays */
        buf_putc(buf, '[');
        for (size_t i = 0; i < found->n; i++) {
            if (i)
                buf_puts(buf, ", ");
            out_json_numbers(buf, found->num + i * found->cols, found->cols);
        }
        buf_putc(buf, ']');
    }
}

void
out_json_record(struct buf *buf, const imp_image *im,
                const struct record *record, const char *command)
{
    assert(record);
    key(buf, "command", true);
    buf_json(buf, command, strlen(command));
    key(buf, "name", false);
    buf_json(buf, imp_text(im, record->command->bound),
             record->command->bound.n);
    if (record->command->args.n) {
        const imp_val *arg = IMP_ARRAY(im, record->command->args, imp_val);
        key(buf, "of", false);
        buf_putc(buf, '[');
        for (uint32_t i = 0; i < record->command->args.n; i++) {
            if (i)
                buf_puts(buf, ", ");
            buf_json(buf, imp_text(im, arg[i].label), arg[i].label.n);
        }
        buf_putc(buf, ']');
    }
    for (size_t i = 0; i < record->n; i++) {
        key(buf, imp_text(im, record->schema[i].name), false);
        value(buf, &record->schema[i], &record->v[i]);
    }
    bool first = true;
    key(buf, "units", false);
    buf_putc(buf, '{');
    for (size_t i = 0; i < record->n; i++)
        if (out_has_unit(imp_text(im, record->schema[i].unit))) {
            key(buf, imp_text(im, record->schema[i].name), first);
            out_json_unit(buf, imp_text(im, record->schema[i].unit),
                          record->schema[i].width, 1);
            first = false;
        }
    buf_putc(buf, '}');
    first = true;
    for (size_t i = 0; i < record->n; i++)
        if (record->v[i].why) {
            if (first) {
                key(buf, "why", false);
                buf_putc(buf, '{');
            }
            key(buf, imp_text(im, record->schema[i].name), first);
            buf_json(buf, record->v[i].why, strlen(record->v[i].why));
            first = false;
        }
    if (!first)
        buf_putc(buf, '}');
}

static void
record_line(struct output *output, const imp_image *im,
            const struct record *record, const char *command, const char *label)
{
    struct buf buf = {0};
    buf_putc(&buf, '{');
    out_json_record(&buf, im, record, command);
    if (label) {
        key(&buf, "expression", false);
        buf_json(&buf, label, strlen(label));
    }
    buf_puts(&buf, "}\n");
    out_write(output, buf.s, buf.n);
    buf_free(&buf);
}

void
out_record_json(struct output *output, const imp_image *im,
                const struct record *record)
{
    assert(output->json);
    record_line(output, im, record, imp_command_word(record->command->id),
                NULL);
}

void
out_record_shown(struct output *output, const imp_image *im,
                 const struct record *record, const char *label)
{
    record_line(output, im, record, "show", label);
}

void
out_not_written(struct output *output, const char *command, const char *file)
{
    assert(command != NULL && file != NULL);
    struct buf buf = {0};
    if (output->json) {
        buf_printf(&buf,
                   "{\"command\": \"%s\", \"name\": \"\", \"file\": ", command);
        buf_json(&buf, file, strlen(file));
        buf_puts(&buf, ", \"written\": false, \"why\": {\"written\": \"no "
                       "--out\"}}\n");
    } else {
        buf_printf(&buf, "%s: not written: no --out\n", file);
    }
    out_write(output, buf.s, buf.n);
    buf_free(&buf);
}
