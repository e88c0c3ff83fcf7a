/* SPDX-License-Identifier: MIT */
/* What is said of a wrong file. */
#include <assert.h>

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
