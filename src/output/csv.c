/* SPDX-License-Identifier: MIT */
/* Columns as files: CSV with a header of names and units and 17 significant
 * digits, so that every double reads back; or JSON lines, one object per row
 * with shortest-that-reads-back numbers. Columns may differ in length: cells
 * beyond the end of one are empty (CSV) or null. Rows become text in pieces, by
 * as many threads as a sweep has, and are written in their order. HDF5:
 * hdf5.c. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/parts.h"
#include "output/out_priv.h"

static const char *const endings[] = {".csv", ".jsonl", ".json", ".h5", NULL};

/* a CSV cell: quoted where it holds a comma, a quote or a line break */
static void
csv_text(struct buf *b, const char *s)
{
    if (!s[strcspn(s, ",\"\r\n")]) {
        buf_puts(b, s);
        return;
    }
    buf_putc(b, '"');
    for (; *s; s++) {
        if (*s == '"')
            buf_putc(b, '"');
        buf_putc(b, *s);
    }
    buf_putc(b, '"');
}

/* A cell with the comma or line break behind it. A number has 24 characters at
 * most; all of s is copied, since a length known to the compiler costs least.
 */
struct cell {
    char s[31];
    unsigned char n; /* 0: unused */
};
/* texts that come again and again: of numbers, of texts by their address */
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
    const struct out_column *c;
    char end;
    /* an axis of a grid: its n values come again, each `step` rows long */
    const struct cell *axis;
    uint64_t step, n;
};
/* where a piece is on an axis: which value, and rows until the next */
struct place {
    uint64_t k, left;
};
/* memory of one thread */
struct hand {
    struct memo *memo;
    struct word *word;
    struct place *at; /* per column */
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
    char s[NUM_TEXT];
    size_t n = isfinite(x) ? strlen(out_digits_17(s, x)) : 0;
    memcpy(to->s, s, n);
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
    m->cell.s[m->cell.n - 1] = end; /* another column's may stand there */
    return &m->cell;
}

static struct word *
word(const struct hand *h, const char *text)
{
    return &h->word[(uintptr_t)text / 16 % WORDS];
}

/* to the end of b, and kept if it is short enough */
static void
put_text(struct buf *b, struct word *w, const char *t, char end)
{
    size_t from = b->n;
    csv_text(b, t);
    buf_putc(b, end);
    if (b->n - from > sizeof w->cell.s)
        return;
    *w = (struct word){.text = t, .end = end};
    w->cell.n = (unsigned char)(b->n - from);
    memcpy(w->cell.s, b->s + from, b->n - from);
}

static const struct cell *
axis(const struct column *c, struct place *at)
{
    const struct cell *cell = &c->axis[at->k];
    if (!--at->left) {
        at->left = c->step;
        at->k = at->k + 1 < c->n ? at->k + 1 : 0;
    }
    return cell;
}

/* n bytes of room, to be filled from the end of b on */
static char *
room(struct buf *b, size_t n)
{
    if (b->cap - b->n <= n) {
        (void)buf_room(b, n);
        b->n -= n;
    }
    return b->s + b->n;
}

static void
csv_row(struct buf *b, const struct column *c, size_t n, size_t i,
        const struct hand *h)
{
    static const struct cell none[2] = {{",", 1}, {"\n", 1}};
    const struct cell *x;
    char *p = room(b, n * sizeof x->s);
    for (size_t j = 0; j < n; j++, c++) {
        if (c->axis)
            x = axis(c, &h->at[j]);
        else if (i >= c->c->n)
            x = &none[c->end == '\n'];
        else if (!c->c->texts)
            x = number(h->memo, c->c->x[i], c->end);
        else {
            const char *t = c->c->texts[i];
            struct word *w = word(h, t);
            x = &w->cell;
            if (!x->n || w->text != t || w->end != c->end) {
                b->n = (size_t)(p - b->s);
                put_text(b, w, t, c->end);
                p = room(b, (n - j) * sizeof x->s);
                continue;
            }
        }
        memcpy(p, x->s, sizeof x->s);
        p += x->n;
    }
    b->n = (size_t)(p - b->s);
}

static void
json_row(struct buf *b, const struct out_column *cols, size_t n, size_t i)
{
    buf_putc(b, '{');
    for (size_t j = 0; j < n; j++) {
        if (j)
            buf_puts(b, ", ");
        buf_json(b, cols[j].name, strlen(cols[j].name));
        buf_puts(b, ": ");
        if (i < cols[j].n && cols[j].texts)
            buf_json(b, cols[j].texts[i], strlen(cols[j].texts[i]));
        else if (i < cols[j].n)
            out_json_number(b, cols[j].x[i]);
        else
            buf_puts(b, "null");
    }
    buf_puts(b, "}\n");
}

int
out_save_name(const struct output *o, struct diags *ds, imp_range where,
              const char *file)
{
    int st = out_file_check_name(ds, where, file, endings);
    return st ? st : out_hdf5_there(o, ds, where, file);
}

/* -- rows in pieces, by some threads ----------------------------------------
 * In rounds: while the pieces of one become text, those of the round before are
 * written, in their order. */

enum { PIECE = 2048 /* rows */, PIECES = 8 /* of a round, per thread */ };
struct rows {
    const struct out_column *cols;
    struct column *column; /* CSV; NULL: JSON lines */
    size_t n_cols, n;      /* columns, rows */
    struct hand *hand;     /* per thread */
    struct buf *piece[2];  /* of rounds with even and odd numbers */
    size_t pieces, round;
    struct out_file *file;
    int error; /* of a write */
};

static size_t
pieces_of(const struct rows *r, size_t round)
{
    size_t all = (r->n + PIECE - 1) / PIECE, from = round * r->pieces;
    return from >= all ? 0 : all - from < r->pieces ? all - from : r->pieces;
}

static void
write_round(struct rows *r, size_t round)
{
    size_t n = pieces_of(r, round);
    for (size_t k = 0; k < n && !r->error; k++) {
        const struct buf *b = &r->piece[round % 2][k];
        r->error = out_file_write(r->file, b->s, b->n);
    }
}

static void
make_piece(const struct rows *r, struct hand *h, size_t k)
{
    struct buf *b = &r->piece[r->round % 2][k];
    size_t from = (r->round * r->pieces + k) * PIECE,
           to = r->n - from < PIECE ? r->n : from + PIECE;
    b->n = 0;
    for (size_t j = 0; r->column && j < r->n_cols; j++)
        if (r->column[j].axis)
            h->at[j] =
                (struct place){from / r->column[j].step % r->column[j].n,
                               r->column[j].step - from % r->column[j].step};
    for (size_t i = from; i < to; i++)
        if (r->column)
            csv_row(b, r->column, r->n_cols, i, h);
        else
            json_row(b, r->cols, r->n_cols, i);
}

/* the first part of a round writes the one before */
static void
part(void *ctx, int worker, size_t k)
{
    struct rows *r = ctx;
    if (k || !r->round)
        make_piece(r, &r->hand[worker], r->round ? k - 1 : k);
    else
        write_round(r, r->round - 1);
}

/* Is a column an axis whose values come again? Then they become text once. */
static void
plan_axis(struct arena *a, struct column *c, const struct out_grid *g, size_t k,
          size_t rows)
{
    uint64_t step = 1, all = 1;
    for (size_t j = 0; j < g->n_axes; j++) {
        all *= g->shape[j];
        step *= j > k ? g->shape[j] : 1;
    }
    if (all != rows || c->c->n != rows || g->shape[k] > rows / 16)
        return;
    struct cell *cell = NEW_N(a, struct cell, g->shape[k]);
    for (uint64_t i = 0; i < g->shape[k]; i++)
        number_cell(&cell[i], c->c->x[i * step], c->end);
    c->axis = cell;
    c->step = step;
    c->n = g->shape[k];
}

static void
plan_rows(struct arena *a, struct rows *r, bool csv, const struct out_grid *g,
          int threads)
{
    r->hand = NEW_N(a, struct hand, threads);
    r->pieces = PIECES * (size_t)threads;
    r->pieces = pieces_of(r, 0);
    for (int k = 0; k < 2; k++)
        r->piece[k] = NEW_N(a, struct buf, r->pieces + 1);
    if (!csv)
        return;
    r->column = NEW_N(a, struct column, r->n_cols + 1);
    for (size_t j = 0; j < r->n_cols; j++) {
        r->column[j] = (struct column){.c = &r->cols[j],
                                       .end = j + 1 < r->n_cols ? ',' : '\n'};
        if (g && j < g->n_axes)
            plan_axis(a, &r->column[j], g, j, r->n);
    }
    for (int k = 0; k < threads; k++) {
        r->hand[k].memo = NEW_N(a, struct memo, MEMO);
        r->hand[k].word = NEW_N(a, struct word, WORDS);
        r->hand[k].at = NEW_N(a, struct place, r->n_cols + 1);
    }
}

static void
write_head(struct rows *r)
{
    struct buf b = {0};
    for (size_t j = 0; j < r->n_cols; j++) {
        csv_text(&b, r->cols[j].name);
        buf_putc(&b, r->column[j].end);
    }
    if (!r->n_cols)
        buf_putc(&b, '\n');
    r->error = out_file_write(r->file, b.s, b.n);
    buf_free(&b);
}

static void
write_rows(struct rows *r, int threads)
{
    if (r->column)
        write_head(r);
    for (r->round = 0; !r->error && pieces_of(r, r->round); r->round++)
        parts_run(threads, pieces_of(r, r->round) + (r->round > 0), part, r);
    if (!r->error && r->round)
        write_round(r, r->round - 1);
}

static void
free_rows(struct rows *r)
{
    for (size_t k = 0; k < r->pieces; k++) {
        buf_free(&r->piece[0][k]);
        buf_free(&r->piece[1][k]);
    }
}

/* as text, row by row */
static int
save_rows(struct output *o, struct diags *ds, imp_range where, const char *file,
          struct rows *r, const struct out_grid *g)
{
    int threads = g && g->threads > 1 ? g->threads : 1;
    struct out_file f;
    struct oom_guard guard;
    plan_rows(ds->arena, r, !strcmp(file + strlen(file) - 4, ".csv"), g,
              threads);
    int st = out_file_open(o, ds, where, file, &f);
    if (st)
        return st;
    r->file = &f;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        free_rows(r);
        (void)out_file_close(&f, ds, where, file, -1);
        oom_raise();
    }
    oom_enter(&guard);
    write_rows(r, threads);
    oom_leave(&guard);
    free_rows(r);
    return out_file_close(&f, ds, where, file, r->error);
}

/* the line that says what was written */
static void
saved(struct output *o, const char *file, const struct out_column *cols,
      size_t n_cols, size_t rows)
{
    struct buf b = {0};
    if (o->json) {
        buf_puts(&b, "{\"command\": \"save\", \"name\": \"\", \"file\": ");
        buf_json(&b, file, strlen(file));
        buf_printf(&b, ", \"written\": true, \"rows\": %zu, \"columns\": [",
                   rows);
        for (size_t j = 0; j < n_cols; j++) {
            if (j)
                buf_puts(&b, ", ");
            buf_json(&b, cols[j].name, strlen(cols[j].name));
        }
        buf_puts(&b, "], \"units\": {");
        bool first = true;
        for (size_t j = 0; j < n_cols; j++)
            if (out_has_unit(cols[j].unit)) {
                if (!first)
                    buf_puts(&b, ", ");
                first = false;
                buf_json(&b, cols[j].name, strlen(cols[j].name));
                buf_puts(&b, ": ");
                buf_json(&b, cols[j].unit, strlen(cols[j].unit));
            }
        buf_puts(&b, "}}\n");
    } else {
        buf_printf(&b, "%s: %zu row%s, %zu column%s\n", file, rows,
                   rows == 1 ? "" : "s", n_cols, n_cols == 1 ? "" : "s");
    }
    out_write(o, b.s, b.n);
    buf_free(&b);
}

int
out_save_grid(struct output *o, struct diags *ds, imp_range where,
              const char *file, const struct out_column *cols, size_t n_cols,
              const struct out_grid *grid)
{
    int st = out_file_check_name(ds, where, file, endings);
    size_t rows = 0;
    if (st)
        return st;
    if (!o->dir) {
        out_not_written(o, "save", file);
        return IMP_OK;
    }
    for (size_t j = 0; j < n_cols; j++)
        rows = cols[j].n > rows ? cols[j].n : rows;
    struct rows r = {.cols = cols, .n_cols = n_cols, .n = rows};
    st = out_is_hdf5(file) ? out_hdf5(o, ds, where, file, cols, n_cols, grid)
                           : save_rows(o, ds, where, file, &r, grid);
    if (!st)
        saved(o, file, cols, n_cols, rows);
    return st;
}

int
out_save(struct output *o, struct diags *ds, imp_range where, const char *file,
         const struct out_column *cols, size_t n_cols)
{
    return out_save_grid(o, ds, where, file, cols, n_cols, NULL);
}
