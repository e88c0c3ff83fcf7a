/* SPDX-License-Identifier: MIT */
/* JSON lines: one object per line, whose members are the cells of a row. The
 * first line names the columns; members that are null, or that a later line
 * lacks, are missing. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "table/table_priv.h"

/* The line that begins at *at, without blanks at its ends; *at goes behind it.
 */
static void
take_line(const char *text, size_t n, size_t *at, size_t *lo, size_t *hi)
{
    size_t end = *at;
    while (end < n && text[end] != '\n')
        end++;
    *lo = *at;
    *hi = end;
    while (*lo < *hi && strchr(" \t\r", text[*lo]))
        ++*lo;
    while (*hi > *lo && strchr(" \t\r", text[*hi - 1]))
        --*hi;
    *at = end < n ? end + 1 : end;
}

static const struct json *
object_of(struct arena *arena, const char *text, size_t lo, size_t hi,
          struct table_error *error)
{
    const struct json *object = json_read(arena, text + lo, hi - lo);
    if (object && object->kind == JSON_OBJECT)
        return object;
    table_wrong(error, lo, hi, "this line is not one JSON object",
                "each line is one row: {\"time\": 0.1, \"x\": 2}");
    return NULL;
}

bool
json_rows_head(struct arena *arena, const char *text, size_t n,
               struct table_head *head, struct table_error *error)
{
    assert(arena && text && head && error);
    size_t at = 0, lo = 0, hi = 0;
    while (at < n && lo == hi)
        take_line(text, n, &at, &lo, &hi);
    const struct json *object =
        lo < hi ? object_of(arena, text, lo, hi, error) : NULL;
    if (!object)
        return lo < hi ? false
                       : table_wrong(error, 0, 0, "the file is empty",
                                     "each line is one row, a JSON object");
    head->names = NEW_N(arena, const char *, object->n + 1);
    head->lo = NEW_N(arena, size_t, object->n + 1);
    head->hi = NEW_N(arena, size_t, object->n + 1);
    for (const struct json *j = object->first; j; j = j->next) {
        head->names[head->n] = j->key;
        head->lo[head->n] = lo;
        head->hi[head->n] = hi;
        head->n++;
    }
    return true;
}

/* Puts one member of a line's object into *x. */
static bool
take_member(struct arena *arena, const struct json *member, const char *name,
            const char *missing, size_t lo, size_t hi,
            struct table_column *column, size_t row, struct table_error *error)
{
    double *x = &column->numbers[row];
    bool absent = !member || member->kind == JSON_NULL ||
                  (member->kind == JSON_TEXT && missing &&
                   !strcmp(member->text, missing));
    if (absent && missing) {
        *x = NAN;
        return true;
    }
    bool truth =
        member && (member->kind == JSON_TRUE || member->kind == JSON_FALSE);
    if (absent)
        return table_wrong(
            error, lo, hi,
            arena_printf(arena, "this row has no value of `%s`", name),
            "if rows may lack values, state it: missing = \"null\"");
    if (column->open &&
        (member->kind == JSON_TEXT || member->kind == JSON_NUMBER || truth))
        table_takes(column, member->kind != JSON_TEXT,
                    member->kind == JSON_TEXT ? member->text : "", 0,
                    member->kind == JSON_TEXT ? strlen(member->text) : 0);
    if (column->text && member->kind == JSON_TEXT) {
        *x = table_word(arena, &column->words, member->text,
                        strlen(member->text));
        return true;
    }
    if (column->text)
        return table_wrong(
            error, lo, hi,
            arena_printf(arena, "`%s` is no text in this row", name),
            "a column holds texts or numbers, in all rows alike");
    if (truth) {
        *x = member->kind == JSON_TRUE;
        return true;
    }
    if (member->kind != JSON_NUMBER || !isfinite(member->number))
        return table_wrong(
            error, lo, hi,
            arena_printf(arena, "`%s` is no finite number in this row", name),
            "a column holds texts or numbers, in all rows alike; null says "
            "that "
            "there is no value, with missing = \"null\" in the block of the "
            "data");
    *x = member->number;
    return true;
}

bool
json_rows(struct arena *arena, const char *text, size_t n,
          const struct table_head *head, struct table_column *columns,
          size_t n_columns, const char *missing, size_t *n_rows,
          struct table_error *error)
{
    assert(arena && text && head && columns && n_rows && error);
    size_t lines = 1, row = 0;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    for (size_t i = 0; i < n_columns; i++)
        columns[i].numbers = NEW_N(arena, double, lines);
    bool ok = true;
    for (size_t at = 0; at < n && ok;) {
        size_t lo, hi;
        take_line(text, n, &at, &lo, &hi);
        if (lo == hi)
            continue;
        const struct json *object = object_of(arena, text, lo, hi, error);
        ok = object != NULL;
        for (size_t i = 0; i < n_columns && ok; i++) {
            const char *name = head->names[columns[i].number];
            ok = take_member(arena, json_get(object, name), name, missing, lo,
                             hi, &columns[i], row, error);
        }
        row++;
    }
    *n_rows = row;
    return ok;
}
