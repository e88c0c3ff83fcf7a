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
list_endings(struct buf *b, enum out_takes takes)
{
    size_t last = 0;
    for (size_t k = 0; k < FORMATS; k++)
        last = formats[k].takes == takes ? k : last;
    for (size_t k = 0; k < FORMATS; k++)
        if (formats[k].takes == takes)
            buf_printf(b, "%s%s",
                       !b->n       ? ""
                       : k == last ? " or "
                                   : ", ",
                       formats[k].ending);
}

const struct out_format *
out_format_of(struct diags *ds, imp_range where, const char *file,
              enum out_takes takes)
{
    const char *dflt = out_default_ending(takes);
    const char *why = out_file_bad_name(file);
    if (why) {
        struct diag *d = diag_add(ds, DIAG_E0850, where,
                                  "file name \"%s\" is refused: %s", file, why);
        diag_help(ds, d,
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
    struct buf b = {0};
    list_endings(&b, takes);
    struct diag *d =
        diag_add(ds, DIAG_E0851, where, "file name \"%s\" ends in none of %s",
                 file, buf_str(&b));
    diag_help(ds, d, "the ending says what is written: use \"%.*s%s\"",
              (int)strcspn(file, "."), file, dflt);
    buf_free(&b);
    return NULL;
}

int
out_save_name(const struct output *o, struct diags *ds, imp_range where,
              const char *file)
{
    const struct out_format *format =
        out_format_of(ds, where, file, OUT_COLUMNS);
    if (!format)
        return IMP_BADMODEL;
    return o->dir && format->writer->available
               ? format->writer->available(o, ds, where, file)
               : IMP_OK;
}

/* the line that says what was written */
static void
saved(struct output *o, const char *file, const struct out_table *t)
{
    struct buf b = {0};
    if (o->json) {
        buf_puts(&b, "{\"command\": \"save\", \"name\": \"\", \"file\": ");
        buf_json(&b, file, strlen(file));
        buf_printf(&b, ", \"written\": true, \"rows\": %zu, \"columns\": [",
                   t->n_rows);
        for (size_t j = 0; j < t->n_columns; j++) {
            if (j)
                buf_puts(&b, ", ");
            buf_json(&b, t->columns[j].name, strlen(t->columns[j].name));
        }
        buf_puts(&b, "], \"units\": {");
        bool first = true;
        for (size_t j = 0; j < t->n_columns; j++) {
            const struct out_column *column = &t->columns[j];
            if (!out_has_unit(column->unit))
                continue;
            if (!first)
                buf_puts(&b, ", ");
            first = false;
            buf_json(&b, column->name, strlen(column->name));
            buf_puts(&b, ": ");
            buf_json(&b, column->unit, strlen(column->unit));
        }
        buf_puts(&b, "}}\n");
    } else {
        buf_printf(&b, "%s: %zu row%s, %zu column%s\n", file, t->n_rows,
                   t->n_rows == 1 ? "" : "s", t->n_columns,
                   t->n_columns == 1 ? "" : "s");
    }
    out_write(o, b.s, b.n);
    buf_free(&b);
}

int
out_save_grid(struct output *o, struct diags *ds, imp_range where,
              const char *file, const struct out_column *cols, size_t n_cols,
              const struct out_grid *grid)
{
    assert(o && ds && file && (cols || !n_cols));
    const struct out_format *format =
        out_format_of(ds, where, file, OUT_COLUMNS);
    struct out_table table = {cols, n_cols, 0, grid};
    if (!format)
        return IMP_BADMODEL;
    if (!o->dir) {
        out_not_written(o, "save", file);
        return IMP_OK;
    }
    for (size_t j = 0; j < n_cols; j++)
        table.n_rows = cols[j].n > table.n_rows ? cols[j].n : table.n_rows;
    int st = format->writer->save(o, ds, where, file, &table);
    if (!st)
        saved(o, file, &table);
    return st;
}

int
out_save(struct output *o, struct diags *ds, imp_range where, const char *file,
         const struct out_column *cols, size_t n_cols)
{
    return out_save_grid(o, ds, where, file, cols, n_cols, NULL);
}
