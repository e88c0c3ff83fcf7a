/* SPDX-License-Identifier: MIT */
/* Columns as JSON lines: one object per row, numbers in the shortest form that
 * reads back, null where a column has no value. */
#include <string.h>

#include "output/writer.h"

static void
json_row(struct buf *b, const struct out_table *t, size_t row)
{
    buf_putc(b, '{');
    for (size_t j = 0; j < t->n_columns; j++) {
        const struct out_column *column = &t->columns[j];
        if (j)
            buf_puts(b, ", ");
        buf_json(b, column->name, strlen(column->name));
        buf_puts(b, ": ");
        if (row < column->n && column->texts)
            buf_json(b, column->texts[row], strlen(column->texts[row]));
        else if (row < column->n)
            out_json_number(b, column->x[row]);
        else
            buf_puts(b, "null");
    }
    buf_puts(b, "}\n");
}

static void
json_rows(struct buf *b, const struct out_table *t, void *memory, int thread,
          size_t from, size_t to)
{
    (void)memory;
    (void)thread;
    for (size_t row = from; row < to; row++)
        json_row(b, t, row);
}

static int
save(struct output *o, struct diags *ds, imp_range where, const char *file,
     const struct out_table *t)
{
    static const struct out_row_writer writer = {.rows = json_rows};
    return out_rows_save(o, ds, where, file, t, &writer);
}

const struct out_writer out_json_lines = {.save = save};
