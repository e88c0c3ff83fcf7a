/* SPDX-License-Identifier: MIT */
/* The formats of files (formats.def): which one a name asks for, and saving
 * columns in it. */
#include <assert.h>
#include <string.h>

#include "abi/status.h"
#include "output/writer.h"

#define FORMAT(ending, takes, writer) extern const struct out_writer writer;
#include "output/formats.def"

static const struct out_format formats[] = {
#define FORMAT(ending, takes, writer) {"." #ending, OUT_##takes, &(writer)},
#include "output/formats.def"
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *
out_default_ending(enum out_takes takes)
{
    size_t k = 0;
    while (k + 1 < FORMATS && formats[k].takes != takes)
        k++;
    assert(formats[k].takes == takes);
    return formats[k].ending;
}

/* ".csv, .json, .jsonl or .h5" */
static void
list_endings(struct buf *buf, enum out_takes takes)
{
    size_t last = 0;
    for (size_t k = 0; k < FORMATS; k++)
        last = formats[k].takes == takes ? k : last;
    for (size_t k = 0; k < FORMATS; k++)
        if (formats[k].takes == takes)
            buf_printf(buf, "%s%s",
                       !buf->n     ? ""
                       : k == last ? " or "
                                   : ", ",
                       formats[k].ending);
}

const struct out_format *
out_format_of(struct diags *ds, imp_range where, const char *file,
              enum out_takes takes)
{
    assert(file != NULL);
    const char *dflt = out_default_ending(takes);
    const char *why = out_file_bad_name(file);
    if (why) {
        struct diag *diag =
            diag_add(ds, DIAG_E0850, where, "file name \"%s\" is refused: %s",
                     file, why);
        diag_help(ds, diag,
                  "files are written below the folder of --out only: give a "
                  "name such as \"results/run1%s\"",
                  dflt);
        return NULL;
    }
    size_t n = strlen(file);
    for (size_t k = 0; k < FORMATS; k++) {
        size_t m = strlen(formats[k].ending);
        if (formats[k].takes == takes && n > m &&
            !strcmp(file + n - m, formats[k].ending))
            return &formats[k];
    }
    struct buf buf = {0};
    list_endings(&buf, takes);
    struct diag *message =
        diag_add(ds, DIAG_E0851, where, "file name \"%s\" ends in none of %s",
                 file, buf_str(&buf));
    diag_help(ds, message, "the ending says what is written: use \"%.*s%s\"",
              (int)strcspn(file, "."), file, dflt);
    buf_free(&buf);
    return NULL;
}

int
out_save_name(const struct output *output, struct diags *ds, imp_range where,
              const char *file)
{
    assert(file != NULL);
    const struct out_format *format =
        out_format_of(ds, where, file, OUT_COLUMNS);
    if (!format)
        return IMP_BADMODEL;
    return output->dir && format->writer->available
               ? format->writer->available(output, ds, where, file)
               : IMP_OK;
}

/* the line that says what was written */
static void
saved(struct output *output, const char *file, const struct out_table *table)
{
    struct buf buf = {0};
    if (output->json) {
        buf_puts(&buf, "{\"command\": \"save\", \"name\": \"\", \"file\": ");
        buf_json(&buf, file, strlen(file));
        buf_printf(&buf, ", \"written\": true, \"rows\": %zu, \"columns\": [",
                   table->n_rows);
        for (size_t j = 0; j < table->n_columns; j++) {
            if (j)
                buf_puts(&buf, ", ");
            buf_json(&buf, table->columns[j].name,
                     strlen(table->columns[j].name));
        }
        buf_puts(&buf, "], \"units\": {");
        bool first = true;
        for (size_t j = 0; j < table->n_columns; j++) {
            const struct out_column *column = &table->columns[j];
            if (!out_has_unit(column->unit))
                continue;
            if (!first)
                buf_puts(&buf, ", ");
            first = false;
            buf_json(&buf, column->name, strlen(column->name));
            buf_puts(&buf, ": ");
            buf_json(&buf, column->unit, strlen(column->unit));
        }
        buf_puts(&buf, "}}\n");
    } else {
        buf_printf(&buf, "%s: %zu row%s, %zu column%s\n", file, table->n_rows,
                   table->n_rows == 1 ? "" : "s", table->n_columns,
                   table->n_columns == 1 ? "" : "s");
    }
    out_write(output, buf.s, buf.n);
    buf_free(&buf);
}

int
out_save_grid(struct output *output, struct diags *ds, imp_range where,
              const char *file, const struct out_column *cols, size_t n_cols,
              const struct out_grid *grid)
{
    assert(output && ds && file && (cols || !n_cols));
    const struct out_format *format =
        out_format_of(ds, where, file, OUT_COLUMNS);
    struct out_table table = {cols, n_cols, 0, grid};
    if (!format)
        return IMP_BADMODEL;
    if (!output->dir) {
        out_not_written(output, "save", file);
        return IMP_OK;
    }
    for (size_t j = 0; j < n_cols; j++)
        table.n_rows = cols[j].n > table.n_rows ? cols[j].n : table.n_rows;
    int st = format->writer->save(output, ds, where, file, &table);
    if (!st)
        saved(output, file, &table);
    return st;
}

int
out_save(struct output *output, struct diags *ds, imp_range where,
         const char *file, const struct out_column *cols, size_t n_cols)
{
    return out_save_grid(output, ds, where, file, cols, n_cols, NULL);
}
