/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formatter: a function of the token stream and its comments only, so
 * texts of equal tokens and comments format to equal bytes; idempotent. Where a
 * comment stands is decided by its spelling (see fmt.c): one that begins with a
 * capital letter stands above the next item, others behind the one before. */
#ifndef IMP_SYNTAX_FMT_H
#define IMP_SYNTAX_FMT_H

#include "base/buf.h"
#include "base/diag.h"

/* appends the formatted text of file number `file`; false (and diagnostics in
 * ds) when it does not parse */
bool fmt_file(struct arena *arena, struct diags *diags, uint32_t file,
              struct buf *out);
/* an expression's source text on one line, canonical blanks: labels */
struct ast_expr;
char *fmt_expr(struct arena *arena, const struct sources *sources,
               const struct ast_expr *e);

#endif
