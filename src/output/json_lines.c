/* SPDX-License-Identifier: MIT */
/* Columns as JSON lines: one object per row, numbers in the shortest form that
 * reads back, null where a column has no value. */
#include <assert.h>
#include <string.h>

#include "output/writer.h"

static void
json_row(struct buf *buf, const struct out_table *table, size_t row)
{
    buf_putc(buf, '{');
    for (size_t j = 0; j < table->n_columns; j++) {
        const struct out_column *column = &table->columns[j];
        if (j)
            buf_puts(buf, ", ");
        buf_json(buf, column->name, strlen(column->name));
        buf_puts(buf, ": ");
        if (row < column->n && column->texts)
            buf_json(buf, column->texts[row], strlen(column->texts[row]));
        else if (row < column->n)
            out_json_number(buf, column->x[row]);
        else
            buf_puts(buf, "null");
    }
    buf_puts(buf, "}\n");
}

static void
json_rows(struct buf *buf, const struct out_table *table, void *memory,
          int thread, size_t from, size_t to)
{
    assert(from < to && to <= table->n_rows);
    (void)memory;
    (void)thread;
    for (size_t row = from; row < to; row++)
        json_row(buf, table, row);
}

static int
save(struct output *output, struct diags *ds, imp_range where, const char *file,
     const struct out_table *table)
{
    static const struct out_row_writer writer = {.rows = json_rows};
    return out_rows_save(output, ds, where, file, table, &writer);
}

const struct out_writer out_json_lines = {.save = save};
