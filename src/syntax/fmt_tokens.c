/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formatter's view of tokens: which have a blank between them, and where a
 * line may break. Both follow from the tokens alone: a bracket behind a name is
 * a call or an index and has no blank before it, one behind a literal or a
 * bracketed value is a unit and has one. */
#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "imp_parser.h"
#include "syntax/fmt_priv.h"

/* What stands behind a closing bracket or another token. */
enum behind {
    NOTHING, /* an operand is due */
    REF,     /* a name, call or index: brackets go on with it */
    LITERAL  /* a number or bracketed value: brackets are a unit */
};

static size_t
cells_of(const char *s, size_t n)
{
    size_t cells = 0;
    for (size_t i = 0; i < n;) {
        uint32_t c = 0;
        size_t len = utf8_decode(s + i, n - i, &c);
        cells += len ? (size_t)utf8_cells(c) : 1;
        i += len ? len : 1;
    }
    return cells;
}

static void
add_piece(struct pieces *ps, struct arena *arena, struct piece p)
{
    if (ps->n == ps->cap) {
        size_t cap = ps->cap ? 2 * ps->cap : 256;
        struct piece *v = NEW_N(arena, struct piece, cap);
        if (ps->n)
            memcpy(v, ps->v, ps->n * sizeof *v);
        ps->v = v;
        ps->cap = cap;
    }
    ps->v[ps->n++] = p;
}

/* The penalty of a line break before an operator: the looser it binds, the
 * lower. */
static int
looseness(int kind)
{
    switch (kind) {
    case IMP_YYOR:
        return 2;
    case IMP_YYTHEN:
    case IMP_YYELSE:
    case IMP_YYAND:
        return 3;
    case IMP_YYEQ:
    case IMP_YYNE:
    case IMP_YYLT:
    case IMP_YYLE:
    case IMP_YYGT:
    case IMP_YYGE:
        return 4;
    case IMP_YYPLUS:
    case IMP_YYMINUS:
        return 5;
    case IMP_YYDOTDOT:
        return 6;
    case IMP_YYTIMES:
    case IMP_YYSLASH:
        return 8;
    default:
        return 0;
    }
}

struct walk {
    char *stack; /* what stands behind each closing bracket */
    size_t depth, cap;
    enum behind behind;
    int prev;
    bool unary; /* the token before was a sign before its operand */
    bool any;
};

static void
open_bracket(struct walk *walk, struct arena *arena, enum behind closed)
{
    if (walk->depth == walk->cap) {
        size_t cap = walk->cap ? 2 * walk->cap : 64;
        char *v = arena_alloc(arena, cap);
        if (walk->depth)
            memcpy(v, walk->stack, walk->depth);
        walk->stack = v;
        walk->cap = cap;
    }
    walk->stack[walk->depth++] = (char)closed;
    walk->behind = NOTHING;
}

/* Sets blank and penalty of the next token, and goes on past it. */
static void
place_piece(struct walk *walk, struct arena *arena, struct piece *piece)
{
    int kind = piece->kind, prev = walk->prev;
    int deep = 10 * (int)(walk->depth < 1000 ? walk->depth : 1000);
    bool due = walk->behind == NOTHING;
    piece->blank = walk->any;
    piece->penalty = FMT_NEVER;
    bool unary = false;
    enum behind after = NOTHING;
    switch (kind) {
    case IMP_YYCOMMA:
    case IMP_YYSEMI:
    case IMP_YYDOT:
    case IMP_YYPRIME:
        piece->blank = false;
        after = kind == IMP_YYPRIME ? REF : NOTHING;
        break;
    case IMP_YYLPAREN:
        piece->blank = piece->blank && walk->behind != REF;
        open_bracket(walk, arena, walk->behind == REF ? REF : LITERAL);
        break;
    case IMP_YYLBRACK:
        piece->blank = piece->blank && walk->behind != REF;
        open_bracket(walk, arena, walk->behind == REF ? REF : LITERAL);
        break;
    case IMP_YYRPAREN:
    case IMP_YYRBRACK:
        piece->blank = false;
        if (walk->depth > 0)
            after = (enum behind)walk->stack[--walk->depth];
        break;
    case IMP_YYTIMES:
    case IMP_YYSLASH:
    case IMP_YYHAT:
        piece->blank = false;
        break;
    case IMP_YYPLUS:
    case IMP_YYMINUS:
        unary = due;
        break;
    case IMP_YYNAME:
    case IMP_YYCONTACTS:
        after = REF;
        break;
    case IMP_YYNUMBER:
    case IMP_YYSTRING:
    case IMP_YYTRUE:
    case IMP_YYFALSE:
        after = LITERAL;
        break;
    default:
        break;
    }
    /* no blank between an opening bracket, a sign or a tight operator and what
     * follows */
    if (prev == IMP_YYLPAREN || prev == IMP_YYLBRACK || prev == IMP_YYDOT ||
        prev == IMP_YYTIMES || prev == IMP_YYSLASH || prev == IMP_YYHAT ||
        walk->unary)
        piece->blank = false;
    if (!due && looseness(kind))
        piece->penalty = deep + looseness(kind);
    else if (prev == IMP_YYSEMI)
        piece->penalty = deep;
    else if (prev == IMP_YYCOMMA || kind == IMP_YYBAR || kind == IMP_YYIN)
        piece->penalty = deep + 1;
    else if (prev == IMP_YYASSIGN)
        piece->penalty = deep + 7;
    if (prev == IMP_YYDOT || kind == IMP_YYDOT)
        piece->penalty = FMT_NEVER;
    walk->unary = unary;
    walk->prev = kind;
    walk->any = true;
    if (kind != IMP_YYLPAREN && kind != IMP_YYLBRACK)
        walk->behind = after;
}

void
fmt_scan(struct pieces *ps, struct arena *arena, struct intern *names,
         uint32_t file, const char *text, size_t len, uint32_t base, bool part)
{
    assert(ps && (text || len == 0));
    /* scan twice: once with comments, once through the filter, which tells
     * command words from names */
    struct scan with, without;
    struct filter filter;
    scan_open(&with, arena, names, NULL, file, text, len);
    with.comments = true;
    scan_open(&without, arena, names, NULL, file, text, len);
    filter_open(&filter, &without);
    if (part) /* of an expression: what follows is an operand */
        filter.prev.kind = IMP_YYCOMMA;
    struct walk walk = {0};
    struct token token, filtered;
    for (;;) {
        scan_next(&with, &token);
        if (token.kind == IMP_YYEND)
            break;
        struct piece piece = {.kind = token.kind,
                              .lo = base + token.range.lo,
                              .hi = base + token.range.hi,
                              .text = text + token.range.lo,
                              .len = token.range.hi - token.range.lo,
                              .blank = true,
                              .penalty = FMT_NEVER};
        if (token.kind == IMP_YYCOMMENT) {
            piece.alone = token.first;
            while (piece.len > 0 &&
                   strchr(" \t\r\f\v", piece.text[piece.len - 1]))
                piece.len--;
        } else {
            filter_next(&filter, &filtered);
            piece.kind = filtered.kind;
            if (filtered.kind == IMP_YYNAME) {
                piece.text = filtered.text;
                piece.len = strlen(filtered.text);
            }
            place_piece(&walk, arena, &piece);
        }
        piece.cells = cells_of(piece.text, piece.len);
        add_piece(ps, arena, piece);
    }
}
