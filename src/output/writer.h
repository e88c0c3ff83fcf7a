/* SPDX-License-Identifier: MIT */
/* What writes a file of one format (formats.def). A new format is a row of
 * that table and a file that defines its struct out_writer. */
#ifndef IMP_OUTPUT_WRITER_H
#define IMP_OUTPUT_WRITER_H

#include "output/out_priv.h"

/* Columns that become one file. They may differ in length: the table has as
 * many rows as its longest column, and the cells beyond a column's end are
 * empty. */
struct out_table {
    const struct out_column *columns;
    size_t n_columns, n_rows;
    const struct out_grid *grid; /* NULL: the rows are no sweep */
};

struct out_writer {
    /* COLUMNS: writes the table as `file` under --out. IMP_OK, or IMP_FAILED
     * after a diagnostic at `where`; then there is no file. */
    int (*save)(struct output *o, struct diags *ds, imp_range where,
                const char *file, const struct out_table *t);
    /* COLUMNS: can this program write the format at all? IMP_OK, or IMP_FAILED
     * after a diagnostic. NULL: always. */
    int (*available)(const struct output *o, struct diags *ds, imp_range where,
                     const char *file);
    /* PICTURE: what gnuplot's `set terminal` gets */
    const char *gnuplot_terminal;
    bool page; /* PICTURE: a page that draws it, without gnuplot */
};

struct out_format {
    const char *ending; /* with its dot */
    enum out_takes takes;
    const struct out_writer *writer;
};
/* The format that the ending of `file` names, if the name is one that may stand
 * under --out: relative, without `..`. NULL after a diagnostic at `where`. */
const struct out_format *out_format_of(struct diags *ds, imp_range where,
                                       const char *file, enum out_takes takes);

/* -- formats that are written row by row (rows.c) --------------------------
 * Rows become text in pieces, by as many threads as a sweep has, and are
 * written in their order. */

struct out_row_writer {
    /* Memory of the writer, from the arena; NULL where it needs none. */
    void *(*begin)(struct arena *a, const struct out_table *t, int threads);
    /* appends what stands before the first row; or NULL */
    void (*head)(struct buf *b, const struct out_table *t);
    /* appends rows from .. to - 1. Threads do so at the same time, each with a
     * number of its own, and each piece begins anew. */
    void (*rows)(struct buf *b, const struct out_table *t, void *memory,
                 int thread, size_t from, size_t to);
};
/* struct out_writer.save of such a format */
int out_rows_save(struct output *output, struct diags *ds, imp_range where,
                  const char *file, const struct out_table *table,
                  const struct out_row_writer *w);

#endif
