/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer entry on scanner, parser, diagnostics, formatter and the REPL's
 * questions. Build with the preset `fuzz`. What must hold: no crash, no leak,
 * every diagnostic prints, and what formats is a fixed point. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "syntax/fmt.h"
#include "syntax/parse.h"

static void
ignore(void *ctx, const char *what)
{
    (void)ctx;
    (void)what;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    /* the first byte chooses between a file and a line of the REPL */
    if (n == 0)
        return 0;
    const char *text = (const char *)data + 1;
    n--;
    struct arena *a = arena_new();
    struct sources *s = sources_new(a);
    struct diags ds;
    diags_init(&ds, a, s);
    uint32_t file = sources_add(s, "fuzz.imp", text, n);
    parse_file(a, intern_new(a), &ds, file, data[0] & 1);
    struct buf out = {0}, once = {0}, twice = {0};
    diags_print(&ds, &out, DIAG_TEXT, true);
    diags_print(&ds, &out, DIAG_LINES, false);
    diags_print(&ds, &out, DIAG_JSON, false);
    struct diags again;
    diags_init(&again, a, s);
    if (fmt_file(a, &again, file, &once)) {
        uint32_t f2 = sources_add(s, "once", buf_str(&once), once.n);
        if (!fmt_file(a, &again, f2, &twice) || once.n != twice.n ||
            strcmp(buf_str(&once), buf_str(&twice)) != 0)
            abort();
    }
    parse_probe(text, n);
    parse_expected(text, n, ignore, NULL);
    buf_free(&out);
    buf_free(&once);
    buf_free(&twice);
    arena_free(a);
    return 0;
}
