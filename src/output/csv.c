/* SPDX-License-Identifier: MIT */
/* Columns as files: CSV with a header of names and units and 17 significant
 * digits, so that every double reads back; or JSON lines, one object per row
 * with shortest-that-reads-back numbers. Columns may differ in length: cells
 * beyond the end of one are empty (CSV) or null. HDF5: hdf5.c. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
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

/* texts of numbers that come again and again: params of a sweep, counts */
enum { MEMO_BITS = 14, MEMO = 1 << MEMO_BITS };
struct memo {
    double x;
    size_t n; /* 0: unused */
    char s[NUM_TEXT];
};

static void
csv_number(struct buf *b, struct memo *memo, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    struct memo *m =
        &memo[(bits * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - MEMO_BITS)];
    if (!m->n || memcmp(&m->x, &x, sizeof x) != 0) {
        m->x = x;
        m->n = strlen(out_17(m->s, x));
    }
    buf_put(b, m->s, m->n);
}

static void
csv_row(struct buf *b, struct memo *memo, const struct out_column *cols,
        size_t n, size_t i)
{
    for (size_t j = 0; j < n; j++) {
        if (j)
            buf_putc(b, ',');
        if (i >= cols[j].n)
            continue;
        if (cols[j].texts)
            csv_text(b, cols[j].texts[i]);
        else if (isfinite(cols[j].x[i]))
            csv_number(b, memo, cols[j].x[i]);
    }
    buf_putc(b, '\n');
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
out_save_name(const struct out *o, struct diags *ds, imp_range where,
              const char *file)
{
    int st = outfile_check(ds, where, file, endings);
    return st ? st : out_hdf5_there(o, ds, where, file);
}

/* as text, row by row */
static int
save_rows(struct out *o, struct diags *ds, imp_range where, const char *file,
          const struct out_column *cols, size_t n_cols, size_t rows)
{
    struct memo *memo = NEW_N(ds->arena, struct memo, MEMO);
    struct outfile f;
    int st = outfile_open(o, ds, where, file, &f);
    if (st)
        return st;
    bool csv = !strcmp(file + strlen(file) - 4, ".csv");
    struct buf b = {0};
    for (size_t j = 0; csv && j < n_cols; j++) {
        if (j)
            buf_putc(&b, ',');
        csv_text(&b, cols[j].name);
    }
    if (csv)
        buf_putc(&b, '\n');
    int error = 0;
    for (size_t i = 0; i < rows && !error; i++) {
        if (csv)
            csv_row(&b, memo, cols, n_cols, i);
        else
            json_row(&b, cols, n_cols, i);
        if (b.n > 1u << 16) {
            error = outfile_write(&f, b.s, b.n);
            buf_clear(&b);
        }
    }
    if (!error)
        error = outfile_write(&f, buf_str(&b), b.n);
    buf_free(&b);
    return outfile_close(&f, ds, where, file, error);
}

/* the line that says what was written */
static void
saved(struct out *o, const char *file, const struct out_column *cols,
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
out_save_grid(struct out *o, struct diags *ds, imp_range where,
              const char *file, const struct out_column *cols, size_t n_cols,
              const struct out_grid *grid)
{
    int st = outfile_check(ds, where, file, endings);
    size_t rows = 0;
    if (st)
        return st;
    if (!o->dir) {
        out_not_written(o, "save", file);
        return IMP_OK;
    }
    for (size_t j = 0; j < n_cols; j++)
        rows = cols[j].n > rows ? cols[j].n : rows;
    st = out_is_hdf5(file) ? out_hdf5(o, ds, where, file, cols, n_cols, grid)
                           : save_rows(o, ds, where, file, cols, n_cols, rows);
    if (!st)
        saved(o, file, cols, n_cols, rows);
    return st;
}

int
out_save(struct out *o, struct diags *ds, imp_range where, const char *file,
         const struct out_column *cols, size_t n_cols)
{
    return out_save_grid(o, ds, where, file, cols, n_cols, NULL);
}
