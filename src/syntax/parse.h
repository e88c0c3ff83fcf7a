/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text to syntax tree, and the questions a REPL asks of the grammar. */
#ifndef IMP_SYNTAX_PARSE_H
#define IMP_SYNTAX_PARSE_H

#include "base/diag.h"
#include "base/intern.h"
#include "base/source.h"
#include "syntax/ast.h"

struct arena;

/* Parses file number `file` of ds->sources. Always returns a tree (of what
 * could be parsed, after error recovery at item boundaries); errors are in
 * ds. Owned by the arena. `bare`: a bare expression at top level is an item
 * COMMAND show (the REPL). */
struct ast_file *parse_file(struct arena *arena, struct intern *names,
                            struct diags *diags, uint32_t file, bool bare);

/* Does this text parse as whole items (DONE), could more text complete it
 * (MORE), or is it wrong (WRONG)? */
enum parse_state { PARSE_DONE, PARSE_MORE, PARSE_WRONG };
enum parse_state parse_probe(const char *text, size_t len);
/* Is this nothing but texts (and comments), which may document what follows? */
bool parse_is_documentation(const char *text, size_t len);

/* Is this one of the commonest units? */
bool word_is_unit(const char *s);

/* What may stand next after this text, from the grammar: calls back with each
 * keyword or punctuation spelled as the user would type it, and with
 * "<name>", "<number>", "<string>", "<unit>", "<key>" for the classes. The
 * last, partly typed word of `text` is left out by the caller. */
void parse_expected(const char *text, size_t len,
                    void (*each)(void *ctx, const char *what), void *ctx);

#endif
