/* SPDX-License-Identifier: MIT */
/* Columns as CSV: a header of names, then rows with 17 significant digits, so
 * that every double reads back. Cells beyond the end of a column are empty.
 * Making the text of a number takes most of the time, so each thread remembers
 * texts that it made, and axes of a sweep become text only once. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "output/writer.h"

/* a CSV cell: quoted where it holds a comma, a quote or a line break */
static void
csv_text(struct buf *buf, const char *s)
{
    if (!s[strcspn(s, ",\"\r\n")]) {
        buf_puts(buf, s);
        return;
    }
    buf_putc(buf, '"');
    for (; *s; s++) {
        if (*s == '"')
            buf_putc(buf, '"');
        buf_putc(buf, *s);
    }
    buf_putc(buf, '"');
}

/* A cell with the comma or line break behind it. A number has 24 characters at
 * most. All of s is copied, because the compiler then knows the length. */
struct cell {
    char s[31];
    unsigned char n; /* 0: unused */
};
/* tables of texts that were made before: of numbers, by their bits, and of
 * texts, by their address */
enum { MEMO_BITS = 14, MEMO = 1 << MEMO_BITS, WORDS = 256 };
struct memo {
    double x;
    struct cell cell;
};
struct word {
    const char *text;
    char end;
    struct cell cell;
};

/* a column as it is written */
struct column {
    const struct out_column *data;
    char end; /* of its cells: a comma, or a line break */
    /* an axis of a grid, else NULL: its n values come again and again, each
     * `step` rows long */
    const struct cell *axis;
    uint64_t step, n;
};
/* where a piece is on an axis: which value, and rows until the next */
struct place {
    uint64_t value, left;
};
/* memory of one thread */
struct hand {
    struct memo *memo;
    struct word *word;
    struct place *at; /* per column */
};
/* memory of the writer */
struct csv {
    struct column *column;
    struct hand *hand; /* per thread */
};

static void
end_cell(struct cell *to, size_t n, char end)
{
    to->s[n] = end;
    to->n = (unsigned char)(n + 1);
}

static void
number_cell(struct cell *to, double x, char end)
{
    char digits[NUM_TEXT];
    size_t n = isfinite(x) ? strlen(out_digits_17(digits, x)) : 0;
    memcpy(to->s, digits, n);
    end_cell(to, n, end);
}

static const struct cell *
number(struct memo *memo, double x, char end)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    struct memo *m =
        &memo[(bits * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - MEMO_BITS)];
    if (!m->cell.n || memcmp(&m->x, &x, sizeof x) != 0) {
        m->x = x;
        number_cell(&m->cell, x, end);
    }
    m->cell.s[m->cell.n - 1] =
        end; /* The cell may have been made for another column before. */
    return &m->cell;
}

static struct word *
word(const struct hand *h, const char *text)
{
    return &h->word[(uintptr_t)text / 16 % WORDS];
}

/* appends a text to buf, and remembers it if it is short enough */
static void
put_text(struct buf *buf, struct word *w, const char *t, char end)
{
    size_t from = buf->n;
    csv_text(buf, t);
    buf_putc(buf, end);
    if (buf->n - from > sizeof w->cell.s)
        return;
    *w = (struct word){.text = t, .end = end};
    w->cell.n = (unsigned char)(buf->n - from);
    memcpy(w->cell.s, buf->s + from, buf->n - from);
}

static const struct cell *
axis(const struct column *c, struct place *at)
{
    assert(at->left > 0 && at->value < c->n);
    const struct cell *cell = &c->axis[at->value];
    if (!--at->left) {
        at->left = c->step;
        at->value = at->value + 1 < c->n ? at->value + 1 : 0;
    }
    return cell;
}

/* room for n bytes at the end of b, which the caller fills */
static char *
room(struct buf *buf, size_t n)
{
    if (buf->cap - buf->n <= n) {
        (void)buf_room(buf, n);
        buf->n -= n;
    }
    return buf->s + buf->n;
}

static void
csv_row(struct buf *buf, const struct column *column, size_t n_columns,
        size_t row, const struct hand *hand)
{
    static const struct cell none[2] = {{",", 1}, {"\n", 1}};
    const struct cell *cell;
    char *end = room(buf, n_columns * sizeof cell->s);
    for (size_t which = 0; which < n_columns; which++, column++) {
        if (column->axis)
            cell = axis(column, &hand->at[which]);
        else if (row >= column->data->n)
            cell = &none[column->end == '\n'];
        else if (!column->data->texts)
            cell = number(hand->memo, column->data->x[row], column->end);
        else {
            const char *t = column->data->texts[row];
            struct word *w = word(hand, t);
            cell = &w->cell;
            if (!cell->n || w->text != t || w->end != column->end) {
                buf->n = (size_t)(end - buf->s);
                put_text(buf, w, t, column->end);
                end = room(buf, (n_columns - which) * sizeof cell->s);
                continue;
            }
        }
        memcpy(end, cell->s, sizeof cell->s);
        end += cell->n;
    }
    buf->n = (size_t)(end - buf->s);
}

/* If the column is an axis of the grid whose values come again, they become
 * text once. */
static void
plan_axis(struct arena *arena, struct column *column,
          const struct out_grid *grid, size_t which, size_t rows)
{
    uint64_t step = 1, all = 1;
    assert(which < grid->n_axes);
    for (size_t j = 0; j < grid->n_axes; j++) {
        all *= grid->shape[j];
        step *= j > which ? grid->shape[j] : 1;
    }
    if (all != rows || column->data->n != rows ||
        grid->shape[which] > rows / 16)
        return;
    struct cell *cell = NEW_N(arena, struct cell, grid->shape[which]);
    for (uint64_t i = 0; i < grid->shape[which]; i++)
        number_cell(&cell[i], column->data->x[i * step], column->end);
    column->axis = cell;
    column->step = step;
    column->n = grid->shape[which];
}

static void *
csv_begin(struct arena *arena, const struct out_table *table, int threads)
{
    const struct out_grid *g = table->grid;
    size_t n_columns = table->n_columns;
    struct csv *csv = NEW(arena, struct csv);
    csv->column = NEW_N(arena, struct column, n_columns + 1);
    csv->hand = NEW_N(arena, struct hand, threads);
    for (size_t j = 0; j < n_columns; j++) {
        csv->column[j] = (struct column){.data = &table->columns[j],
                                         .end = j + 1 < n_columns ? ',' : '\n'};
        if (g && j < g->n_axes)
            plan_axis(arena, &csv->column[j], g, j, table->n_rows);
    }
    for (int k = 0; k < threads; k++) {
        csv->hand[k].memo = NEW_N(arena, struct memo, MEMO);
        csv->hand[k].word = NEW_N(arena, struct word, WORDS);
        csv->hand[k].at = NEW_N(arena, struct place, n_columns + 1);
    }
    return csv;
}

static void
csv_head(struct buf *buf, const struct out_table *table)
{
    for (size_t j = 0; j < table->n_columns; j++) {
        csv_text(buf, table->columns[j].name);
        buf_putc(buf, j + 1 < table->n_columns ? ',' : '\n');
    }
    if (!table->n_columns)
        buf_putc(buf, '\n');
}

static void
csv_rows(struct buf *buf, const struct out_table *table, void *memory,
         int thread, size_t from, size_t to)
{
    assert(from < to && to <= table->n_rows);
    const struct csv *csv = memory;
    const struct hand *hand = &csv->hand[thread];
    for (size_t j = 0; j < table->n_columns; j++) {
        const struct column *c = &csv->column[j];
        if (c->axis)
            hand->at[j] =
                (struct place){from / c->step % c->n, c->step - from % c->step};
    }
    for (size_t row = from; row < to; row++)
        csv_row(buf, csv->column, table->n_columns, row, hand);
}

static int
save(struct output *output, struct diags *ds, imp_range where, const char *file,
     const struct out_table *table)
{
    static const struct out_row_writer writer = {csv_begin, csv_head, csv_rows};
    return out_rows_save(output, ds, where, file, table, &writer);
}

const struct out_writer out_csv = {.save = save};
