/* SPDX-License-Identifier: MIT */
/* Records and values as tables for people:
 *
 *   r = classify touch
 *     time        0 s
 *     class       C00
 *     P           (-1.51185789204, -0.654653670708) m
 *     absent      overlap_end: the overlap lies before the touch
 *
 * Numbers have OUT_DIGITS significant digits at most (out_number). Lists wrap
 * at the width of the output; in a record a list of more than LIST_FULL
 * entries shows its ends only, `show r.field` prints all of it. A record shows
 * what is there: lists without entries are left out, and fields that are absent
 * stand at its end, together where the reason is the same. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "output/out_priv.h"

enum {
    LIST_FULL = 12, /* entries of a list that a record prints in full */
    LIST_HEAD = 6,  /* entries that are shown before the gap of a longer list */
    LIST_TAIL = 2   /* entries that are shown behind it */
};

/* a line that grows word by word and is wrapped */
struct para {
    struct buf *b;
    size_t indent, col, width;
    bool start; /* nothing on this line yet */
};

static void
spaces(struct buf *buf, size_t n)
{
    while (n--)
        buf_putc(buf, ' ');
}

static void
word(struct para *paragraph, const char *text)
{
    size_t length = out_display_width(text);
    if (!paragraph->start && paragraph->col + 1 + length > paragraph->width) {
        buf_putc(paragraph->b, '\n');
        spaces(paragraph->b, paragraph->indent);
        paragraph->col = paragraph->indent;
        paragraph->start = true;
    }
    if (!paragraph->start) {
        buf_putc(paragraph->b, ' ');
        paragraph->col++;
    }
    buf_puts(paragraph->b, text);
    paragraph->col += length;
    paragraph->start = false;
}

/* a number, or "-" where a run of a sweep gave none */
static void
put_number(struct buf *buf, double x)
{
    char digits[NUM_TEXT];
    buf_puts(buf, isnan(x) ? "-" : out_number(digits, x));
}

/* "(x, y, z)" or a bare number for n = 1 */
static void
put_vector(struct buf *buf, const double *x, size_t n)
{
    if (n == 1) {
        put_number(buf, x[0]);
        return;
    }
    buf_putc(buf, '(');
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_puts(buf, ", ");
        put_number(buf, x[i]);
    }
    buf_putc(buf, ')');
}

/* n items, which `item` writes, in brackets and separated by commas */
static void
put_list(struct para *paragraph, size_t count, bool full, const char *open,
         const char *close,
         void (*item)(struct buf *b, const void *values, size_t i),
         const void *values)
{
    struct buf words = {0};
    if (count == 0) {
        buf_puts(&words, open);
        buf_puts(&words, close);
        word(paragraph, buf_str(&words));
    }
    bool cut = !full && count > LIST_FULL;
    for (size_t which = 0; which < count; which++) {
        buf_clear(&words);
        if (cut && which == LIST_HEAD) {
            buf_puts(&words, "...,");
            word(paragraph, buf_str(&words));
            which = count - LIST_TAIL;
            buf_clear(&words);
        }
        if (which == 0)
            buf_puts(&words, open);
        item(&words, values, which);
        buf_puts(&words, which + 1 < count ? "," : close);
        word(paragraph, buf_str(&words));
    }
    if (cut) {
        buf_clear(&words);
        buf_printf(&words, "(%zu values)", count);
        word(paragraph, buf_str(&words));
    }
    buf_free(&words);
}

struct rows {
    const double *x;
    size_t cols;
};
static void
item_row(struct buf *buf, const void *v, size_t i)
{
    const struct rows *rows = v;
    put_vector(buf, rows->x + i * rows->cols, rows->cols);
}

/* the words of a sentence */
static void
put_words(struct para *paragraph, const char *s)
{
    struct buf words = {0};
    while (*s) {
        size_t n = strcspn(s, " ");
        buf_clear(&words);
        buf_put(&words, s, n);
        word(paragraph, buf_str(&words));
        s += n;
        s += *s == ' ';
    }
    buf_free(&words);
}

/* a list of texts: short ones in a row, sentences one below the other */
static void
put_texts(struct para *paragraph, const struct field_value *value, bool full)
{
    struct buf words = {0};
    if (value->n == 0)
        word(paragraph, "none");
    bool cut = !full && value->n > LIST_FULL;
    for (size_t which = 0; which < value->n; which++) {
        const char *text = value->texts[which];
        if (cut && which == LIST_HEAD) {
            word(paragraph, "...,");
            which = value->n - LIST_TAIL;
            text = value->texts[which];
        }
        if (out_display_width(text) > 24 && which) {
            buf_putc(paragraph->b, '\n');
            spaces(paragraph->b, paragraph->indent);
            paragraph->col = paragraph->indent;
            paragraph->start = true;
        }
        buf_clear(&words);
        buf_puts(&words, *text ? text : "-");
        buf_puts(&words, which + 1 == value->n          ? ""
                         : out_display_width(text) > 24 ? ";"
                                                        : ",");
        put_words(paragraph, buf_str(&words));
    }
    buf_free(&words);
}

/* the units of entries as a list: "(1/s, 1/s, m/s)" */
static void
put_unit(struct para *paragraph, const char *unit)
{
    struct buf words = {0};
    size_t length;
    if (!out_units_differ(unit)) {
        if (out_has_unit(unit))
            word(paragraph, unit);
        return;
    }
    for (const char *s = unit;; s += length + 1) {
        s = out_unit(s, 0, &length);
        buf_clear(&words);
        if (s == unit)
            buf_putc(&words, '(');
        buf_put(&words, length ? s : "-", length ? length : 1);
        buf_putc(&words, s[length] ? ',' : ')');
        word(paragraph, buf_str(&words));
        if (!s[length])
            break;
    }
    buf_free(&words);
}

/* the unit behind a number of a matrix, which has *n bytes */
static const char *
cell_unit(const char *unit, size_t k, size_t *n)
{
    const char *s = out_unit(unit, k, n);
    if (!out_units_differ(unit) || (*n == 1 && *s == '1'))
        *n = 0;
    return s;
}

/* A matrix, one row per line, with columns aligned to the right. The rows begin
 * behind the label or, where it is too long, below it. The unit follows the
 * matrix, or each number has its own unit. */
static void
put_matrix(struct para *paragraph, const double *numbers, size_t rows,
           size_t cols, const char *unit)
{
    char digits[NUM_TEXT];
    size_t width = 0, wide = 2, n;
    for (size_t row = 0; row < rows * cols; row++) {
        n = strlen(out_number(digits, numbers[row]));
        width = n > width ? n : width;
    }
    for (size_t j = 0; j < cols; j++) {
        size_t unit_length = 0;
        for (size_t row = 0; row < rows; row++) {
            cell_unit(unit, row * cols + j, &n);
            unit_length = n + 1 > unit_length && n ? n + 1 : unit_length;
        }
        wide += width + 2 + unit_length;
    }
    size_t at = paragraph->col;
    bool below = at > paragraph->indent && at + wide > paragraph->width;
    if (below) {
        at = paragraph->indent;
        paragraph->b->n -=
            paragraph->b->n && paragraph->b->s[paragraph->b->n - 1] == ' ';
    }
    for (size_t row = 0; row < rows; row++) {
        if (row || below) {
            buf_putc(paragraph->b, '\n');
            spaces(paragraph->b, at);
        }
        buf_puts(paragraph->b, row ? " [" : "[[");
        for (size_t j = 0; j < cols; j++) {
            size_t unit_length = 0, most = 0;
            for (size_t k = 0; k < rows; k++) {
                cell_unit(unit, k * cols + j, &unit_length);
                most = unit_length > most ? unit_length : most;
            }
            const char *own = cell_unit(unit, row * cols + j, &unit_length);
            out_number(digits, numbers[row * cols + j]);
            spaces(paragraph->b, (j ? 2 : 0) + width - strlen(digits));
            buf_puts(paragraph->b, digits);
            spaces(paragraph->b, unit_length > 0);
            buf_put(paragraph->b, own, unit_length);
            spaces(paragraph->b, most - unit_length + (most && !unit_length));
        }
        buf_puts(paragraph->b, row + 1 < rows ? "]" : "]]");
    }
    paragraph->start = false;
    paragraph->col = at + wide;
    if (!out_units_differ(unit))
        put_unit(paragraph, unit);
}

static void
put_field(struct para *paragraph, const imp_image *im, const imp_field *field,
          const struct field_value *value, bool full)
{
    struct buf words = {0};
    if (value->why) {
        word(paragraph, "absent:");
        put_words(paragraph, value->why);
        buf_free(&words);
        return;
    }
    switch (field->kind) {
    case IMP_FIELD_NUM:
        put_vector(&words, value->num, 1);
        word(paragraph, buf_str(&words));
        break;
    case IMP_FIELD_BOOL:
        word(paragraph, value->num[0] != 0.0 ? "true" : "false");
        break;
    case IMP_FIELD_TEXT:
        put_words(paragraph, value->text);
        break;
    case IMP_FIELD_TEXTS:
        put_texts(paragraph, value, full);
        break;
    case IMP_FIELD_VEC:
    case IMP_FIELD_SPIN:
        put_vector(&words, value->num, field->width);
        word(paragraph, buf_str(&words));
        break;
    case IMP_FIELD_LIST:
        put_list(paragraph, value->n, full, "[", "]", item_row,
                 &(struct rows){value->num, 1});
        break;
    case IMP_FIELD_VECS:
        put_list(paragraph, value->n, full, "[", "]", item_row,
                 &(struct rows){value->num, value->cols});
        break;
    default:
        if (value->n)
            put_matrix(paragraph, value->num, value->n, value->cols, "");
        else
            word(paragraph, "none"); /* no joints, no null space */
    }
    const char *unit = imp_text(im, field->unit);
    if (!(value->n == 0 &&
          (field->kind == IMP_FIELD_LIST || field->kind == IMP_FIELD_MAT)))
        put_unit(paragraph, unit);
    buf_free(&words);
}

static size_t
out_width(const struct output *output)
{
    return output->width > 20 ? (size_t)output->width : 80;
}

/* Does the field hold nothing that could be shown? */
static bool
is_empty(const imp_field *field, const struct field_value *value)
{
    return !value->why && value->n == 0 &&
           (field->kind == IMP_FIELD_LIST || field->kind == IMP_FIELD_TEXTS ||
            field->kind == IMP_FIELD_VECS || field->kind == IMP_FIELD_MAT);
}

/* A line of a record: the name, and room for what stands behind it. A longer
 * name, such as that of an expression, has a line of its own. */
static struct para
record_line(struct buf *buf, const struct output *output, const char *name,
            size_t wide)
{
    size_t n = out_display_width(name);
    spaces(buf, 2);
    buf_puts(buf, name);
    if (n > wide)
        buf_putc(buf, '\n');
    spaces(buf, n > wide ? wide + 4 : wide + 2 - n);
    return (struct para){buf, wide + 4, wide + 4, out_width(output), true};
}

/* Why the field is listed as absent, or NULL. So is a column of which no entry
 * has a value, as of a sweep none of whose runs has it. */
static const char *
reason(const struct record *record, size_t field)
{
    const struct field_value *value = &record->v[field];
    if (value->why || value->n == 0 ||
        !(record->schema[field].kind == IMP_FIELD_LIST ||
          record->schema[field].kind == IMP_FIELD_VECS))
        return value->why;
    for (size_t i = 0; i < value->n * value->cols; i++)
        if (!isnan(value->num[i]))
            return NULL;
    return "no entry has a value";
}

/* Is an earlier field of the record absent for the same reason? */
static bool
reason_stands(const struct record *record, size_t field, const char *why)
{
    for (size_t i = 0; i < field; i++) {
        const char *earlier = reason(record, i);
        if (earlier && !strcmp(earlier, why))
            return true;
    }
    return false;
}

/* "a, b: reason", a line per reason */
static void
put_absent(struct buf *buf, const struct output *output, const imp_image *im,
           const struct record *record, size_t wide)
{
    const char *name = "absent";
    for (size_t i = 0; i < record->n; i++) {
        const char *why = reason(record, i);
        if (!why || reason_stands(record, i, why))
            continue;
        struct para line = record_line(buf, output, name, wide);
        struct buf words = {0};
        for (size_t k = i; k < record->n; k++) {
            const char *same = reason(record, k);
            if (same && !strcmp(same, why))
                buf_printf(&words, "%s%s", k > i ? ", " : "",
                           imp_text(im, record->schema[k].name));
        }
        buf_printf(&words, ": %s", why);
        put_words(&line, buf_str(&words));
        buf_putc(buf, '\n');
        buf_free(&words);
        name = "";
    }
}

void
out_record_text(struct output *output, const imp_image *im,
                const struct record *record, const char *label)
{
    assert(im != NULL && record != NULL);
    struct buf buf = {0};
    size_t wide = strlen("absent"), most = out_width(output) / 2;
    for (size_t i = 0; i < record->n; i++) {
        if (reason(record, i) || is_empty(&record->schema[i], &record->v[i]))
            continue;
        size_t n = out_display_width(imp_text(im, record->schema[i].name));
        wide = n > wide && n <= most ? n : wide;
    }
    buf_printf(&buf, "%s\n", label);
    for (size_t i = 0; i < record->n; i++) {
        if (reason(record, i) || is_empty(&record->schema[i], &record->v[i]))
            continue;
        struct para line = record_line(
            &buf, output, imp_text(im, record->schema[i].name), wide);
        put_field(&line, im, &record->schema[i], &record->v[i], false);
        buf_putc(&buf, '\n');
    }
    put_absent(&buf, output, im, record, wide);
    out_write(output, buf.s, buf.n);
    buf_free(&buf);
}

/* "label = " and the value behind it */
static struct para
headed(struct buf *buf, const struct output *output, const char *label)
{
    buf_printf(buf, "%s = ", label);
    size_t n = out_display_width(label) + 3;
    return (struct para){buf, n < 24 ? n : 4, n, out_width(output), true};
}

void
out_value(struct output *output, const char *label, const char *unit,
          const double *numbers, size_t rows, size_t cols, bool truth)
{
    assert(rows > 0 && cols > 0);
    struct buf buf = {0};
    if (output->json) {
        buf_puts(&buf, "{\"command\": \"show\", \"name\": \"\", "
                       "\"expression\": ");
        buf_json(&buf, label, strlen(label));
        buf_puts(&buf, ", \"value\": ");
        if (truth)
            buf_puts(&buf, numbers[0] != 0.0 ? "true" : "false");
        else
            out_json_matrix(&buf, numbers, rows, cols);
        buf_puts(&buf, ", \"units\": {");
        if (out_has_unit(unit)) {
            buf_puts(&buf, "\"value\": ");
            out_json_unit(&buf, unit, rows, cols);
        }
        buf_puts(&buf, "}}\n");
    } else {
        struct para paragraph = headed(&buf, output, label);
        if (truth) {
            word(&paragraph, numbers[0] != 0.0 ? "true" : "false");
        } else if (cols > 1) {
            put_matrix(&paragraph, numbers, rows, cols, unit);
        } else if (rows <= 4) {
            struct buf words = {0};
            put_vector(&words, numbers, rows);
            word(&paragraph, buf_str(&words));
            buf_free(&words);
        } else {
            put_list(&paragraph, rows, true, "(", ")", item_row,
                     &(struct rows){numbers, 1});
        }
        if (cols == 1 || truth)
            put_unit(&paragraph, unit);
        buf_putc(&buf, '\n');
    }
    out_write(output, buf.s, buf.n);
    buf_free(&buf);
}

void
out_field(struct output *output, const imp_image *im,
          const struct record *record, size_t field, const char *label)
{
    assert(field < record->n);
    struct buf buf = {0};
    if (output->json) {
        /* writes a record of this one field, so that values look the same
         * everywhere */
        imp_command bare = *record->command;
        bare.args.n = 0;
        bare.bound.n = 0;
        struct record one = {.command = &bare,
                             .schema = record->schema + field,
                             .v = record->v + field,
                             .n = 1,
                             .present = true};
        buf_puts(&buf, "{");
        out_json_record(&buf, im, &one, "show");
        buf_puts(&buf, ", \"expression\": ");
        buf_json(&buf, label, strlen(label));
        buf_puts(&buf, "}\n");
    } else {
        struct para p = headed(&buf, output, label);
        put_field(&p, im, &record->schema[field], &record->v[field], true);
        buf_putc(&buf, '\n');
    }
    out_write(output, buf.s, buf.n);
    buf_free(&buf);
}
