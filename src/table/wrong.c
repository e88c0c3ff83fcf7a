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
        : missing ? arena_printf(arena,
                               "a cell without a value is written \"%s\" here",
                               missing)
                : arena_printf(arena,
                               "if that says that there is no value, state it: "
                               "missing = \"%.*s\"",
                               shown, cell);
    return table_wrong(error, lo, lo + (len ? len : 1), message, help);
}
