/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formatter. Its output depends only on the tokens and comments, so texts
 * with equal tokens and comments give equal bytes, and formatting twice changes
 * nothing. Where a comment stands follows from its spelling (fmt.c): one that
 * begins with a capital letter stands above the next item, others behind the
 * one before. */
#ifndef IMP_SYNTAX_FMT_H
#define IMP_SYNTAX_FMT_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/intern.h"

/* Appends the formatted text of file number `file`. False, with diagnostics,
 * when it does not parse. */
bool fmt_file(struct arena *arena, struct diags *diags, uint32_t file,
              struct buf *out);
/* The text of an expression on one line with the standard blanks, for labels.
 * Its names are added to `names`, or found there. */
struct ast_expr;
char *fmt_expr(struct arena *arena, struct intern *names,
               const struct sources *sources, const struct ast_expr *e);

#endif
