/* SPDX-License-Identifier: MIT */
/* The kinds of files that hold tables, and what all of them say. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "table/table_priv.h"

static const struct table_kind kinds[] = {
    {".csv", csv_head, csv_rows},
    {".tsv", csv_head, csv_rows},
    {".jsonl", json_rows_head, json_rows},
    {".h5", NULL, NULL},
    {".hdf5", NULL, NULL},
};
#define N_KINDS (sizeof kinds / sizeof kinds[0])

static const char packed[] = ".gz";

bool
table_is_packed(const char *file)
{
    assert(file);
    size_t n = strlen(file), ending = strlen(packed);
    return n > ending && !strcmp(file + n - ending, packed);
}

const struct table_kind *
table_kind_of(const char *file)
{
    assert(file);
    size_t n = strlen(file) - (table_is_packed(file) ? strlen(packed) : 0);
    for (size_t i = 0; i < N_KINDS; i++) {
        size_t ending = strlen(kinds[i].ending);
        if (n > ending && !memcmp(file + n - ending, kinds[i].ending, ending))
            return &kinds[i];
    }
    return NULL;
}

bool
table_is_hdf5(const struct table_kind *kind)
{
    assert(kind);
    return !kind->head;
}

const char *
table_endings(void)
{
    return ".csv, .tsv, .jsonl (an object per line), or .h5, and all but the "
           "last "
           "one also with .gz";
}

bool
table_read_head(const struct table_kind *kind, const struct table_h5 *hdf5,
                struct arena *arena, const char *text, size_t n,
                struct table_head *head, struct table_error *error)
{
    assert(kind && arena && (text || !n) && head && error);
    *head = (struct table_head){0};
    if (!n)
        return table_wrong(error, 0, 0, "the file is empty",
                           kind->head ? "its first line names the columns"
                                      : NULL);
    if (kind->head)
        return kind->head(arena, text, n, head, error);
    bool good = hdf5_head(hdf5, arena, text, n, head, error);
    error->no_place = !good;
    return good;
}

bool
table_read_rows(const struct table_kind *kind, const struct table_h5 *hdf5,
                struct arena *arena, const char *text, size_t n,
                const struct table_head *head, struct table_column *columns,
                size_t n_columns, const char *missing, size_t *n_rows,
                struct table_error *error)
{
    assert(kind && arena && text && head && columns && n_rows);
    assert(n_columns > 0);
    *n_rows = 0;
    bool good = kind->rows ? kind->rows(arena, text, n, head, columns,
                                        n_columns, missing, n_rows, error)
                           : hdf5_rows(hdf5, arena, text, n, columns, n_columns,
                                       missing, n_rows, error);
    if (!good || (!kind->rows && !*n_rows)) {
        if (good)
            table_wrong(error, 0, 0, "its columns have no entries", NULL);
        error->no_place = !kind->rows;
        return false;
    }
    for (size_t i = 0; i < n_columns; i++)
        if (columns[i].text)
            table_order_words(arena, &columns[i], *n_rows);
    if (!*n_rows)
        return table_wrong(error, 0, n < 60 ? n : 60,
                           "the file has no rows behind its header",
                           "each further line is one row of numbers");
    return true;
}

void
table_scale(double *numbers, size_t n, double num, double den)
{
    assert(numbers || !n);
    for (size_t i = 0; i < n && num != den; i++)
        numbers[i] = numbers[i] * num / den;
}
