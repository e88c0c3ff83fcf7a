/* SPDX-License-Identifier: MIT */
/* The kinds of files that hold tables, and what all of them say. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "table/table_priv.h"

static const struct table_kind kinds[] = {
    {".csv", csv_head, csv_rows},
    {".jsonl", json_rows_head, json_rows},
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

const char *
table_endings(void)
{
    return ".csv or .jsonl, or these and .gz";
}

bool
table_wrong(struct table_error *error, size_t lo, size_t hi,
            const char *message, const char *help)
{
    assert(error && message);
    *error = (struct table_error){lo, hi, message, help};
    return false;
}

bool
table_no_number(struct arena *arena, struct table_error *error, size_t lo,
                const char *cell, size_t len, const char *column,
                const char *missing)
{
    assert(arena && error && cell && column);
    int shown = len > 40 ? 40 : (int)len;
    const char *message =
        len ? arena_printf(arena, "this cell of `%s` is no number: %.*s%s",
                           column, shown, cell, len > 40 ? "..." : "")
            : arena_printf(arena, "this cell of `%s` is empty", column);
    const char *help =
        missing ? arena_printf(arena,
                               "a cell without a value is written \"%s\" here",
                               missing)
                : arena_printf(arena,
                               "if that says that there is no value, state it: "
                               "missing = \"%.*s\"",
                               shown, cell);
    return table_wrong(error, lo, lo + (len ? len : 1), message, help);
}

bool
table_read_head(const struct table_kind *kind, struct arena *arena,
                const char *text, size_t n, struct table_head *head,
                struct table_error *error)
{
    assert(kind && arena && (text || !n) && head && error);
    *head = (struct table_head){0};
    if (!n)
        return table_wrong(error, 0, 0, "the file is empty",
                           "its first line names the columns");
    return kind->head(arena, text, n, head, error);
}

bool
table_read_rows(const struct table_kind *kind, struct arena *arena,
                const char *text, size_t n, const struct table_head *head,
                struct table_column *columns, size_t n_columns,
                const char *missing, size_t *n_rows, struct table_error *error)
{
    assert(kind && arena && text && head && columns && n_rows);
    assert(n_columns > 0);
    *n_rows = 0;
    if (!kind->rows(arena, text, n, head, columns, n_columns, missing, n_rows,
                    error))
        return false;
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
