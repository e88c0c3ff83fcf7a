/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the formatter: tokens with the blanks between them (fmt_tokens.c),
 * laid out by the tree (fmt.c). */
#ifndef IMP_SYNTAX_FMT_PRIV_H
#define IMP_SYNTAX_FMT_PRIV_H

#include "syntax/syntax_priv.h"

enum { FMT_WIDTH = 80, FMT_INDENT = 2, FMT_CONTINUE = 4, FMT_NEVER = 1 << 30 };

/* a token or comment as it is printed */
struct piece {
    int kind;
    uint32_t lo, hi;  /* in the source */
    const char *text; /* as printed */
    size_t len, cells;
    bool alone;  /* a comment: the first on its line */
    bool blank;  /* one blank before it, within a line */
    int penalty; /* of a line break before it; FMT_NEVER: none */
};
struct pieces {
    struct piece *v;
    size_t n, cap;
};

/* the tokens and comments of a text that scans without errors; `part`: it is
 * an expression, not items */
void fmt_scan(struct pieces *ps, struct arena *arena, struct intern *names,
              uint32_t file, const char *text, size_t len, uint32_t base,
              bool part);

#endif
