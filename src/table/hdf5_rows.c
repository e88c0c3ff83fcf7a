/* SPDX-License-Identifier: MIT */
/* Columns of HDF5 files, through the library that knows these. A mistake has no
 * place in the file that one could look at. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "table/h5.h"
#include "table/table_priv.h"

static struct h5_file *
open_file(const struct table_h5 *library, struct arena *arena,
          const char *bytes, size_t n, struct table_error *error)
{
    const char *why = "this program reads no HDF5 files";
    struct h5_file *file = library ? library->open(bytes, n, &why) : NULL;
    if (!file)
        table_wrong(error, 0, 0, arena_strdup(arena, why),
                    library ? "h5ls lists what a file holds"
                            : "write the columns as CSV");
    return file;
}

bool
hdf5_head(const struct table_h5 *library, struct arena *arena,
          const char *bytes, size_t n, struct table_head *head,
          struct table_error *error)
{
    assert(arena && bytes && head && error);
    struct h5_file *file = open_file(library, arena, bytes, n, error);
    if (!file)
        return false;
    size_t count = library->count(file);
    head->names = NEW_N(arena, const char *, count + 1);
    head->lo = NEW_N(arena, size_t, count + 1);
    head->hi = NEW_N(arena, size_t, count + 1);
    head->units = NEW_N(arena, const char *, count + 1);
    bool *texts = NEW_N(arena, bool, 2 * count + 1), *empty = texts + count,
         any = false;
    head->texts = texts;
    for (head->n = 0; head->n < count; head->n++) {
        struct h5_table_column shape = library->shape(file, head->n);
        head->names[head->n] = arena_strdup(arena, shape.name);
        texts[head->n] = shape.text;
        empty[head->n] = !shape.why && shape.n == 0;
        any |= shape.n > 0;
        if (shape.unit)
            head->units[head->n] = arena_strdup(arena, shape.unit);
    }
    head->empty = any ? empty : NULL;
    library->close(file);
    return count > 0 || table_wrong(error, 0, 0, "it holds no datasets", NULL);
}

struct filling {
    struct arena *arena;
    struct table_column *column;
    const char *missing;
};

static void
take_text(void *ctx, size_t row, const char *text, size_t len)
{
    struct filling *filling = ctx;
    const char *missing = filling->missing;
    bool absent =
        missing && strlen(missing) == len && !memcmp(missing, text, len);
    filling->column->numbers[row] =
        absent ? NAN
               : table_word(filling->arena, &filling->column->words, text, len);
}

/* Are all numbers finite, or stated as missing? */
static bool
good_numbers(struct arena *arena, const char *name, const double *x, size_t n,
             const char *missing, struct table_error *error)
{
    for (size_t i = 0; i < n; i++) {
        if (isinf(x[i]))
            return table_wrong(
                error, 0, 0,
                arena_printf(arena, "entry %zu of `%s` is not finite", i, name),
                NULL);
        if (isnan(x[i]) && !missing)
            return table_wrong(
                error, 0, 0,
                arena_printf(arena, "entry %zu of `%s` is not a number (NaN)",
                             i, name),
                "if that says that there is no value, state it: missing = "
                "\"NaN\"");
    }
    return true;
}

static bool
take_column(const struct table_h5 *library, struct h5_file *file,
            struct filling *filling, size_t rows, struct table_error *error)
{
    struct arena *arena = filling->arena;
    struct table_column *column = filling->column;
    struct h5_table_column shape = library->shape(file, column->number);
    const char *name = arena_strdup(arena, shape.name), *what = NULL;
    if (shape.why)
        what = arena_printf(arena, "`%s` is no column: %s", name, shape.why);
    else if (shape.text != column->text)
        what = arena_printf(arena, "`%s` holds %s", name,
                            shape.text ? "texts, no numbers"
                                       : "numbers, no texts");
    else if (shape.n != rows)
        what = arena_printf(arena,
                            "the columns have different lengths: `%s` has %zu "
                            "entries, others have %zu",
                            name, shape.n, rows);
    const char *remedy =
        shape.why ? "a column is a dataset of one dimension that holds numbers "
                    "or texts; NAME[k] is one of a dataset with two"
        : shape.text == column->text ? "take columns of one length"
        : shape.text                 ? "say so: column NAME : text = \"...\""
                                     : "state a unit, or none";
    if (what)
        return table_wrong(error, 0, 0, what, remedy);
    column->numbers = NEW_N(arena, double, rows + 1);
    bool good = column->text
                    ? library->texts(file, column->number, take_text, filling)
                    : library->numbers(file, column->number, column->numbers);
    if (!good)
        return table_wrong(
            error, 0, 0,
            arena_printf(arena, "the entries of `%s` cannot be read", name),
            "the file was cut short or changed, or packed by a filter that "
            "HDF5 lacks here");
    return column->text || good_numbers(arena, name, column->numbers, rows,
                                        filling->missing, error);
}

bool
hdf5_rows(const struct table_h5 *library, struct arena *arena,
          const char *bytes, size_t n, struct table_column *columns,
          size_t n_columns, const char *missing, size_t *n_rows,
          struct table_error *error)
{
    assert(arena && bytes && columns && n_columns && n_rows && error);
    struct h5_file *file = open_file(library, arena, bytes, n, error);
    if (!file)
        return false;
    *n_rows = library->shape(file, columns[0].number).n;
    bool good = true;
    for (size_t i = 0; i < n_columns && good; i++) {
        struct filling filling = {arena, &columns[i], missing};
        good = take_column(library, file, &filling, *n_rows, error);
    }
    library->close(file);
    return good;
}
