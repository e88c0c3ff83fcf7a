/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the syntax room: tokens, the scanner's and the parser's state, the
 * builders of tree nodes. The chain is
 *   text -> flex scanner (grammar/imp.l, scan.c) -> token filter (filter.c:
 *   command words in context) -> push parser (grammar/imp.y, build.c), with
 *   parse.c pushing and recovering, sentences.c speaking about errors. */
#ifndef IMP_SYNTAX_PRIV_H
#define IMP_SYNTAX_PRIV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/source.h"
#include "syntax/ast.h"

/* limits of the language, each with a diagnostic */
enum {
    MAX_NESTING = 1000,   /* open brackets; depth of an expression's tree */
    MAX_TOKENS = 1000000, /* in one declaration */
    MAX_NAME = 200,       /* bytes of a name */
    MAX_BYTES = 1 << 29   /* of a file */
};

struct token {
    int kind; /* of imp_parser.h */
    imp_range range;
    double num;       /* NUMBER */
    const char *text; /* NAME, CMD: interned; STRING: unescaped */
    bool first;       /* first token of its line */
};

/* -- scanner --------------------------------------------------------------- */

struct scan {
    struct arena *arena;
    struct intern *names;
    struct diags *ds; /* NULL: errors are only counted */
    uint32_t file;
    const char *text; /* the whole text */
    uint32_t len, pos;
    int errors;
    bool comments; /* COMMENT tokens are wanted (the formatter) */
    bool fatal;    /* not a text: nothing was scanned */
    bool fresh;    /* a line break since the last token */
    int last;      /* kind of the last token */
    int head;      /* what the item began with, as in struct parse */
    void *flex;
};
/* Opens a text. On a fatal error (a binary file) scan->fatal is set, and the
 * first token is END. */
void scan_open(struct scan *scan, struct arena *arena, struct intern *names,
               struct diags *diags, uint32_t file, const char *text,
               size_t len);
/* Gives the next token; COMMENT tokens only when asked for; at the end END
 * again and again. */
void scan_next(struct scan *scan, struct token *token);

/* For grammar/imp.l: what the actions do. n bytes before scan->pos were
 * matched. Where a size is returned, the token takes only so many of them. */
size_t scan_word(struct scan *scan, struct token *token,
                 size_t n); /* kind -1: blank */
void scan_number(struct scan *scan, struct token *token, size_t n);
size_t scan_junk(struct scan *scan, struct token *token, size_t n); /* 2x */
size_t scan_two_ways(struct scan *scan, struct token *token,
                     size_t n); /* 1..2 */
size_t scan_pointed(struct scan *scan, struct token *token, size_t n); /* 1. */
void scan_string(struct scan *scan, struct token *token, size_t n, bool closed);
/* Reports a spelling of other languages, with `ours` as the fix. */
void scan_foreign(struct scan *scan, size_t n, const char *ours,
                  const char *why);
void scan_stray(struct scan *scan, size_t n);
void scan_dots(struct scan *scan, size_t n);
/* E0030: a command in another spelling than ours, or, where `help` is not NULL,
 * what says the same in ours. */
void scan_spelling(struct scan *scan, imp_range range, const char *ours,
                   const char *help);

/* -- words ----------------------------------------------------------------- */

/* The token kind of a keyword; 0 if it is none. */
int word_keyword(const char *s, size_t n);
/* The token kind of a sign; 0 if it is none. */
int word_sign(const char *s);
bool word_is_command(const char *s);
/* Does this kind of token begin a declaration? */
bool word_declares(int kind);
/* Command word number i, in the order of abi/commands.def; NULL beyond the end.
 */
const char *word_command(size_t i);
/* A command that has an option of this name, or NULL. */
const char *word_command_with(const char *option);
/* How a user types this kind of token; NULL for classes. */
const char *word_spelling(int kind);

/* -- token filter ---------------------------------------------------------- */

struct filter {
    struct scan *scan;
    struct token prev, ahead;
    bool primed;
    /* a command that has not come to its `to`, its `over` */
    bool fits, minimises;
    uint32_t blocks; /* that are open */
};
void filter_open(struct filter *filter, struct scan *scan);
/* Gives the next token, with command words and keywords told from names by
 * their context. */
void filter_next(struct filter *filter, struct token *token);

/* -- parser ---------------------------------------------------------------- */

struct exprs { /* growing lists, in the arena */
    struct ast_expr **v;
    size_t n, cap;
};
struct items {
    struct ast_item **v;
    size_t n, cap;
};
struct argv {
    struct ast_arg *v;
    size_t n, cap;
};
struct formals {
    struct ast_formal *v;
    size_t n, cap;
};
struct namev {
    struct ast_name *v;
    size_t n, cap;
};
struct rows {
    struct exprs all;
    size_t cols, rows;
};

struct open_bracket {
    char what; /* { ( [ */
    imp_range range;
};
struct parse {
    struct arena *arena;
    struct intern *names;
    struct diags *ds; /* NULL when probing */
    uint32_t file;
    const char *text; /* `len` bytes */
    size_t len;
    struct items items;
    int errors;      /* syntax errors, whether reported or not */
    bool recovering; /* set by an error report, cleared at SYNC */
    bool fatal;      /* parsing cannot go on */
    bool error_at_end;
    size_t item_tokens; /* since the last item at top level */
    struct token prev, found;
    struct token before[2]; /* the two tokens before prev, nearest first */
    struct token head;      /* keyword or command the current item began with */
    struct open_bracket *open;
    size_t n_open, cap_open;
    imp_range suspect; /* a declaration at a line's start inside a block */
};

/* Parses a text, whose names and tree go with the arena, and counts its errors:
 * all, and those that lie between two of its bytes. */
struct parse_errors {
    int all, between;
};
struct parse_errors parse_count(struct arena *arena, const char *text,
                                size_t len, bool bare, size_t lo, size_t hi);
/* Takes the fix from every diagnostic, from `from` on, that would leave its
 * line wrong (remedies.c). errors: of the text as it is. */
void remedies_try(struct diags *diags, struct diag *from, uint32_t file,
                  const char *text, size_t n, bool bare, int errors);

/* Reports a syntax error. kinds: the n_kinds symbols that could have stood
 * there. */
void sentence_report(struct parse *parse, const int *expected, int n_kinds);
/* special.c: the same where no row of the table fits. doc: behind a text that
 * stands alone. False: nothing was reported. */
bool sentence_special(struct parse *parse, bool doc);
/* Says what stands here for a word of other languages, `elif` or `for` in a list.
 */
bool sentence_foreign_word(struct parse *parse, enum diag_code code,
                           struct diag *diag);
/* Says what is meant by a word that stands behind a value on the line of a
 * command, where that is known. */
bool sentence_word_behind(struct parse *parse, struct diag *diag);
/* Are all brackets of kind { closed by the end of the text? Counts from the
 * error on; comments and texts in quotes are skipped. */
bool sentence_blocks_closed(const struct parse *parse);
/* Reports a brace behind two names, as in `let r = clasify c {`: the grammar
 * takes that for a block. */
void sentence_block(struct parse *parse);

struct ast_expr *build_expr(struct parse *parse, enum ast_expr_kind kind,
                            imp_range range);
struct ast_expr *build_num(struct parse *parse, imp_range literal,
                           imp_range range, double num, struct ast_expr *unit);
struct ast_expr *build_text(struct parse *parse, imp_range range,
                            const char *text);
struct ast_expr *build_name(struct parse *parse, struct ast_name name);
struct ast_expr *build_unary(struct parse *parse, enum ast_expr_kind kind,
                             imp_range range, struct ast_expr *a);
struct ast_expr *build_binary(struct parse *parse, enum ast_binary op,
                              imp_range op_range, imp_range range,
                              struct ast_expr *a, struct ast_expr *b);
struct ast_expr *build_if(struct parse *parse, imp_range range,
                          struct ast_expr *a, struct ast_expr *b,
                          struct ast_expr *c);
struct ast_expr *build_list(struct parse *parse, enum ast_expr_kind kind,
                            imp_range range, struct ast_expr *a,
                            struct exprs list, struct ast_expr *unit);
struct ast_expr *build_args(struct parse *parse, enum ast_expr_kind kind,
                            imp_range range, struct ast_expr *a,
                            struct argv args);
struct ast_expr *build_matrix(struct parse *parse, imp_range range,
                              struct rows rows, struct ast_expr *unit);
struct ast_item *build_item(struct parse *parse, enum ast_item_kind kind,
                            imp_range range, imp_range head,
                            struct ast_name name);
void build_formals(struct ast_item *it, struct formals f);
void build_block(struct parse *parse, struct ast_item *it, struct items block,
                 imp_range range);
/* `over arg` of a command, as a key of its block */
/* The key `over` with these args: params, alone or with `in`. */
struct ast_item *build_over_all(struct parse *parse, imp_range word,
                                imp_range at, struct argv args);
struct ast_item *build_over(struct parse *parse, imp_range word, imp_range at,
                            struct ast_arg arg);
void build_param_range(struct parse *parse, struct ast_item *it,
                       struct ast_expr *lo, struct ast_expr *hi,
                       struct ast_expr *unit);
void build_family(struct parse *parse, struct ast_item *it,
                  struct ast_name index, struct ast_expr *range);
/* The block `contacts` of these bodies; between: that word, or nothing. */
struct ast_item *build_contacts(struct parse *parse, imp_range range,
                                imp_range word, struct exprs bodies,
                                struct ast_name between);
/* a key with its primes: "phix'" */
struct ast_name build_primed(struct parse *parse, struct ast_name name,
                             size_t primes, imp_range range);
const char *build_docs(struct parse *parse, const char *above,
                       const char *below);

void exprs_push(struct parse *parse, struct exprs *l, struct ast_expr *e);
void items_push(struct parse *parse, struct items *l, struct ast_item *it);
void argv_push(struct parse *parse, struct argv *l, struct ast_arg a);
void formals_push(struct parse *parse, struct formals *l, struct ast_formal f);
void namev_push(struct parse *parse, struct namev *l, struct ast_name n);
void rows_push(struct parse *parse, struct rows *rows, struct exprs row,
               imp_range range);

/* a diagnostic of the parser; NULL when probing */
struct diag *parse_error(struct parse *parse, enum diag_code code,
                         imp_range range, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void too_deep(struct parse *parse, imp_range range);

#endif
