/* SPDX-License-Identifier: MIT */
/* What is said of a wrong file. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "table/table_priv.h"

bool
table_wrong(struct table_error *error, size_t lo, size_t hi,
            const char *message, const char *help)
{
    assert(error && message);
    *error = (struct table_error){lo, hi, message, help, false};
    return false;
}

/* Is it a number with a comma for its decimal point? */
static bool
decimal_comma(const char *cell, size_t len)
{
    size_t commas = 0, others = 0;
    for (size_t i = 0; i < len; i++) {
        commas += cell[i] == ',';
        others += !strchr("0123456789+-eE,", cell[i]) || !cell[i];
    }
    return commas == 1 && !others && len > 1;
}

/* Does the cell say that there is no number, in the words of other programs? */
static bool
says_none(const char *cell, size_t len)
{
    static const char *const words[] = {
        "nan", "na", "n/a", "null", "none", "inf", "infinity", "-", "--"};
    size_t sign = len > 1 && (*cell == '-' || *cell == '+');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t at = 0;
        while (at + sign < len && words[i][at] &&
               (cell[at + sign] | (cell[at + sign] >= 'A' ? 32 : 0)) ==
                   words[i][at])
            at++;
        if (!words[i][at] && at + sign == len)
            return true;
    }
    return false;
}

/* Does the cell begin as a number does? */
static bool
begins_as_number(const char *cell, size_t len)
{
    size_t at = 0;
    while (at < len && strchr("+-.", cell[at]))
        at++;
    return at < len && cell[at] >= '0' && cell[at] <= '9';
}

/* What is to be done about a cell that begins as a number does. */
static const char *
number_remedy(struct arena *arena, const char *cell, size_t len,
              const char *column)
{
    size_t commas = 0, apart = 0, blanks = 0;
    for (size_t i = 1; i < len; i++) {
        bool digits = cell[i - 1] >= '0' && cell[i - 1] <= '9';
        commas += cell[i] == ',';
        blanks += cell[i] == ' ';
        apart += digits && (cell[i] == ':' || cell[i] == '-' || cell[i] == '/');
    }
    if (apart)
        return arena_printf(arena,
                            "dates and times of day are no numbers: write how "
                            "many seconds, hours or days have passed, or take "
                            "them as texts, column NAME : text = \"%s\"",
                            column);
    if (commas)
        return "numbers have a decimal point, and nothing between thousands";
    if (blanks && strchr(column, ' '))
        return "the cells of a line are divided by commas, semicolons or tabs";
    if (len > 2 && memchr(cell + 1, 'd', len - 1))
        return "an exponent is written with e, as in 1e3";
    return "a cell holds a number alone, as 1, -2.5 or 1e3: a unit stands in "
           "the header, as in `x [mm]`, or in the block of the data";
}

bool
table_takes(struct table_column *column, bool number, const char *text,
            size_t lo, size_t hi)
{
    assert(column && text);
    if (number) {
        column->n_numbers++;
        return !column->text;
    }
    if (column->text)
        return true;
    if (!column->open || column->n_numbers || lo == hi ||
        begins_as_number(text + lo, hi - lo) || says_none(text + lo, hi - lo))
        return false;
    column->text_lo = lo;
    column->text_hi = hi;
    return column->text = true;
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
        decimal_comma(cell, len)
            ? "numbers have a decimal point, and nothing between thousands"
        : begins_as_number(cell, len) ? number_remedy(arena, cell, len, column)
        : missing
            ? arena_printf(arena,
                           "a cell without a value is written \"%s\" here%s",
                           missing,
                           len ? "; a column of texts is one with `: text` "
                                 "behind its name"
                               : "")
        : len
            ? arena_printf(arena,
                           "if that says that there is no value, state it: "
                           "missing = \"%.*s\"; a column of texts is one with "
                           "`: text` behind its name",
                           shown, cell)
            : "if that says that there is no value, state it: missing = "
              "\"\"";
    return table_wrong(error, lo, lo + (len ? len : 1), message, help);
}
