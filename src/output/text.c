/* SPDX-License-Identifier: MIT */
/* Records and values as tables for people:
 *
 *   r = classify touch
 *     time        0 s
 *     class       C00
 *     P           (-1.51185789204, -0.654653670708) m
 *     overlap_end absent: the overlap lies before the touch
 *
 * Numbers have OUT_DIGITS significant digits at most (out_number). Lists wrap
 * at the width of the output; in a record a list of more than LIST_FULL
 * entries shows its ends only, `show r.field` prints all of it. */
#include <math.h>
#include <string.h>

#include "output/out_priv.h"

#define LIST_FULL 24 /* entries of a list that a record prints in full */
#define LIST_HEAD 6  /* entries before the gap of a longer one */
#define LIST_TAIL 2  /* and behind it */

/* a line under construction: words are put after one another and wrapped */
struct para {
    struct buf *b;
    size_t indent, col, width;
    bool start; /* nothing on this line yet */
};

static void
spaces(struct buf *b, size_t n)
{
    while (n--)
        buf_putc(b, ' ');
}

static void
word(struct para *p, const char *w)
{
    size_t n = out_display_width(w);
    if (!p->start && p->col + 1 + n > p->width) {
        buf_putc(p->b, '\n');
        spaces(p->b, p->indent);
        p->col = p->indent;
        p->start = true;
    }
    if (!p->start) {
        buf_putc(p->b, ' ');
        p->col++;
    }
    buf_puts(p->b, w);
    p->col += n;
    p->start = false;
}

/* a number; "-" where a run of a sweep gave none */
static void
put_number(struct buf *b, double x)
{
    char s[NUM_TEXT];
    buf_puts(b, isnan(x) ? "-" : out_number(s, x));
}

/* "(x, y, z)" or a bare number for n = 1 */
static void
put_vector(struct buf *b, const double *x, size_t n)
{
    if (n == 1) {
        put_number(b, x[0]);
        return;
    }
    buf_putc(b, '(');
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_puts(b, ", ");
        put_number(b, x[i]);
    }
    buf_putc(b, ')');
}

/* n items, each made by `item`, in brackets and separated by commas */
static void
put_list(struct para *p, size_t n, bool full, const char *open,
         const char *close,
         void (*item)(struct buf *b, const void *v, size_t i), const void *v)
{
    struct buf w = {0};
    if (n == 0) {
        buf_puts(&w, open);
        buf_puts(&w, close);
        word(p, buf_str(&w));
    }
    bool cut = !full && n > LIST_FULL;
    for (size_t i = 0; i < n; i++) {
        buf_clear(&w);
        if (cut && i == LIST_HEAD) {
            buf_puts(&w, "...,");
            word(p, buf_str(&w));
            i = n - LIST_TAIL;
            buf_clear(&w);
        }
        if (i == 0)
            buf_puts(&w, open);
        item(&w, v, i);
        buf_puts(&w, i + 1 < n ? "," : close);
        word(p, buf_str(&w));
    }
    if (cut) {
        buf_clear(&w);
        buf_printf(&w, "(%zu values)", n);
        word(p, buf_str(&w));
    }
    buf_free(&w);
}

struct rows {
    const double *x;
    size_t cols;
};
static void
item_row(struct buf *b, const void *v, size_t i)
{
    const struct rows *r = v;
    put_vector(b, r->x + i * r->cols, r->cols);
}

/* the words of a sentence */
static void
put_words(struct para *p, const char *s)
{
    struct buf w = {0};
    while (*s) {
        size_t n = strcspn(s, " ");
        buf_clear(&w);
        buf_put(&w, s, n);
        word(p, buf_str(&w));
        s += n;
        s += *s == ' ';
    }
    buf_free(&w);
}

/* short texts in a row; sentences one below the other */
static void
put_texts(struct para *p, const struct field_value *v, bool full)
{
    struct buf w = {0};
    if (v->n == 0)
        word(p, "none");
    bool cut = !full && v->n > LIST_FULL;
    for (size_t i = 0; i < v->n; i++) {
        const char *s = v->texts[i];
        if (cut && i == LIST_HEAD) {
            word(p, "...,");
            i = v->n - LIST_TAIL;
            s = v->texts[i];
        }
        if (out_display_width(s) > 24 && i) {
            buf_putc(p->b, '\n');
            spaces(p->b, p->indent);
            p->col = p->indent;
            p->start = true;
        }
        buf_clear(&w);
        buf_puts(&w, *s ? s : "-");
        buf_puts(&w, i + 1 == v->n               ? ""
                     : out_display_width(s) > 24 ? ";"
                                                 : ",");
        put_words(p, buf_str(&w));
    }
    buf_free(&w);
}

/* the units of entries one behind the other: "(1/s, 1/s, m/s)" */
static void
put_unit(struct para *p, const char *unit)
{
    struct buf w = {0};
    size_t n;
    if (!out_units_differ(unit)) {
        if (out_has_unit(unit))
            word(p, unit);
        return;
    }
    for (const char *s = unit;; s += n + 1) {
        s = out_unit(s, 0, &n);
        buf_clear(&w);
        if (s == unit)
            buf_putc(&w, '(');
        buf_put(&w, n ? s : "-", n ? n : 1);
        buf_putc(&w, s[n] ? ',' : ')');
        word(p, buf_str(&w));
        if (!s[n])
            break;
    }
    buf_free(&w);
}

/* the unit behind a number of a matrix, of *n bytes */
static const char *
cell_unit(const char *unit, size_t k, size_t *n)
{
    const char *s = out_unit(unit, k, n);
    if (!out_units_differ(unit) || (*n == 1 && *s == '1'))
        *n = 0;
    return s;
}

/* A matrix, one row per line, columns aligned to the right; the rows begin
 * below each other, behind the label or, where that is too long, below it. The
 * unit follows, or each number has its own. */
static void
put_matrix(struct para *p, const double *x, size_t rows, size_t cols,
           const char *unit)
{
    char s[NUM_TEXT];
    size_t w = 0, wide = 2, n;
    for (size_t i = 0; i < rows * cols; i++) {
        n = strlen(out_number(s, x[i]));
        w = n > w ? n : w;
    }
    for (size_t j = 0; j < cols; j++) {
        size_t u = 0;
        for (size_t i = 0; i < rows; i++) {
            cell_unit(unit, i * cols + j, &n);
            u = n + 1 > u && n ? n + 1 : u;
        }
        wide += w + 2 + u;
    }
    size_t at = p->col;
    bool below = at > p->indent && at + wide > p->width;
    if (below) {
        at = p->indent;
        p->b->n -= p->b->n && p->b->s[p->b->n - 1] == ' ';
    }
    for (size_t i = 0; i < rows; i++) {
        if (i || below) {
            buf_putc(p->b, '\n');
            spaces(p->b, at);
        }
        buf_puts(p->b, i ? " [" : "[[");
        for (size_t j = 0; j < cols; j++) {
            size_t u = 0, most = 0;
            for (size_t k = 0; k < rows; k++) {
                cell_unit(unit, k * cols + j, &u);
                most = u > most ? u : most;
            }
            const char *own = cell_unit(unit, i * cols + j, &u);
            out_number(s, x[i * cols + j]);
            spaces(p->b, (j ? 2 : 0) + w - strlen(s));
            buf_puts(p->b, s);
            spaces(p->b, u > 0);
            buf_put(p->b, own, u);
            spaces(p->b, most - u + (most && !u));
        }
        buf_puts(p->b, i + 1 < rows ? "]" : "]]");
    }
    p->start = false;
    p->col = at + wide;
    if (!out_units_differ(unit))
        put_unit(p, unit);
}

static void
put_field(struct para *p, const imp_image *im, const imp_field *f,
          const struct field_value *v, bool full)
{
    struct buf w = {0};
    if (v->why) {
        word(p, "absent:");
        put_words(p, v->why);
        buf_free(&w);
        return;
    }
    switch (f->kind) {
    case IMP_FIELD_NUM:
        put_vector(&w, v->num, 1);
        word(p, buf_str(&w));
        break;
    case IMP_FIELD_BOOL:
        word(p, v->num[0] != 0.0 ? "true" : "false");
        break;
    case IMP_FIELD_TEXT:
        word(p, v->text);
        break;
    case IMP_FIELD_TEXTS:
        put_texts(p, v, full);
        break;
    case IMP_FIELD_VEC:
    case IMP_FIELD_SPIN:
        put_vector(&w, v->num, f->width);
        word(p, buf_str(&w));
        break;
    case IMP_FIELD_LIST:
        put_list(p, v->n, full, "[", "]", item_row, &(struct rows){v->num, 1});
        break;
    case IMP_FIELD_VECS:
        put_list(p, v->n, full, "[", "]", item_row,
                 &(struct rows){v->num, v->cols});
        break;
    default:
        if (v->n)
            put_matrix(p, v->num, v->n, v->cols, "");
        else
            word(p, "none"); /* no joints, no null space */
    }
    const char *unit = imp_text(im, f->unit);
    if (!(v->n == 0 && (f->kind == IMP_FIELD_LIST || f->kind == IMP_FIELD_MAT)))
        put_unit(p, unit);
    buf_free(&w);
}

static size_t
out_width(const struct output *o)
{
    return o->width > 20 ? (size_t)o->width : 80;
}

void
out_record_text(struct output *o, const imp_image *im, const struct record *r,
                const char *label)
{
    struct buf b = {0};
    size_t wide = 0;
    for (size_t i = 0; i < r->n; i++) {
        size_t n = out_display_width(imp_text(im, r->schema[i].name));
        wide = n > wide ? n : wide;
    }
    buf_printf(&b, "%s\n", label);
    for (size_t i = 0; i < r->n; i++) {
        const char *name = imp_text(im, r->schema[i].name);
        spaces(&b, 2);
        buf_puts(&b, name);
        spaces(&b, wide + 2 - out_display_width(name));
        struct para p = {&b, wide + 4, wide + 4, out_width(o), true};
        put_field(&p, im, &r->schema[i], &r->v[i], false);
        buf_putc(&b, '\n');
    }
    out_write(o, b.s, b.n);
    buf_free(&b);
}

/* "label = " and the paragraph behind it */
static struct para
headed(struct buf *b, const struct output *o, const char *label)
{
    buf_printf(b, "%s = ", label);
    size_t n = out_display_width(label) + 3;
    return (struct para){b, n < 24 ? n : 4, n, out_width(o), true};
}

void
out_value(struct output *o, const char *label, const char *unit,
          const double *x, size_t rows, size_t cols, bool truth)
{
    struct buf b = {0};
    if (o->json) {
        buf_puts(&b, "{\"command\": \"show\", \"name\": \"\", "
                     "\"expression\": ");
        buf_json(&b, label, strlen(label));
        buf_puts(&b, ", \"value\": ");
        if (truth)
            buf_puts(&b, x[0] != 0.0 ? "true" : "false");
        else
            out_json_matrix(&b, x, rows, cols);
        buf_puts(&b, ", \"units\": {");
        if (out_has_unit(unit)) {
            buf_puts(&b, "\"value\": ");
            out_json_unit(&b, unit, rows, cols);
        }
        buf_puts(&b, "}}\n");
    } else {
        struct para p = headed(&b, o, label);
        if (truth) {
            word(&p, x[0] != 0.0 ? "true" : "false");
        } else if (cols > 1) {
            put_matrix(&p, x, rows, cols, unit);
        } else if (rows <= 4) {
            struct buf w = {0};
            put_vector(&w, x, rows);
            word(&p, buf_str(&w));
            buf_free(&w);
        } else {
            put_list(&p, rows, true, "(", ")", item_row, &(struct rows){x, 1});
        }
        if (cols == 1 || truth)
            put_unit(&p, unit);
        buf_putc(&b, '\n');
    }
    out_write(o, b.s, b.n);
    buf_free(&b);
}

void
out_field(struct output *o, const imp_image *im, const struct record *r,
          size_t field, const char *label)
{
    struct buf b = {0};
    if (o->json) {
        /* a record of this one field, so that values look alike everywhere */
        imp_command bare = *r->command;
        bare.args.n = 0;
        bare.bound.n = 0;
        struct record one = {.command = &bare,
                             .schema = r->schema + field,
                             .v = r->v + field,
                             .n = 1,
                             .present = true};
        buf_puts(&b, "{");
        out_json_record(&b, im, &one, "show");
        buf_puts(&b, ", \"expression\": ");
        buf_json(&b, label, strlen(label));
        buf_puts(&b, "}\n");
    } else {
        struct para p = headed(&b, o, label);
        put_field(&p, im, &r->schema[field], &r->v[field], true);
        buf_putc(&b, '\n');
    }
    out_write(o, b.s, b.n);
    buf_free(&b);
}
