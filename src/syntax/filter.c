/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between scanner and parser: is a command word a command or a name? Is a
 * keyword a field's name? One token back and one ahead decide:
 *
 * - after `.` every word is a name; after the keywords of declarations and
 *   `use`, and before `=`, a command word is a name;
 * - where an operand is due (after an operator, an opening bracket, a comma) it
 *   is a name, but after `=` it is a command unless the next token could only
 *   follow an operand;
 * - behind a complete operand, or at the beginning, it is a command, for two
 *   operands never stand side by side;
 * - `over` between an operand and a name is the word of `threshold S over x`;
 *   between an operand of `fit` or `minimise` and a bracket, too, and `to`
 *   between two operands of `fit`;
 * - `contacts` behind a complete operand begins a declaration before `(` and
 *   before a name, and there the word `between` has a meaning;
 * - `data` and `column` behind a complete operand and before a name begin a
 *   declaration;
 * - `shape`, `body`, `contact` and `joint` before `=` in a block are names of keys,
 *   which no block has;
 * - behind the command `compare` it is the command that is compared. */
#include <assert.h>
#include <string.h>

#include "imp_parser.h"
#include "syntax/syntax_priv.h"

void
filter_open(struct filter *f, struct scan *scan)
{
    assert(f);
    *f = (struct filter){.scan = scan};
    f->prev.kind = IMP_YYEND;
}

/* Can the token end an operand? */
static bool
ends_operand(int kind)
{
    switch (kind) {
    case IMP_YYNAME:
    case IMP_YYNUMBER:
    case IMP_YYSTRING:
    case IMP_YYTRUE:
    case IMP_YYFALSE:
    case IMP_YYPRIME:
    case IMP_YYRPAREN:
    case IMP_YYRBRACK:
    case IMP_YYRBRACE:
    case IMP_YYLBRACE:
    case IMP_YYBAD:
    case IMP_YYEND: /* the beginning */
        return true;
    default:
        return false;
    }
}

/* Can the token stand only behind an operand? */
static bool
follows_operand(int kind)
{
    switch (kind) {
    case IMP_YYPLUS:
    case IMP_YYTIMES:
    case IMP_YYSLASH:
    case IMP_YYHAT:
    case IMP_YYPRIME:
    case IMP_YYDOT:
    case IMP_YYDOTDOT:
    case IMP_YYEQ:
    case IMP_YYNE:
    case IMP_YYLT:
    case IMP_YYLE:
    case IMP_YYGT:
    case IMP_YYGE:
    case IMP_YYAND:
    case IMP_YYOR:
    case IMP_YYCOMMA:
    case IMP_YYRPAREN:
    case IMP_YYRBRACK:
    case IMP_YYIN:
    case IMP_YYTHEN:
    case IMP_YYELSE:
        return true;
    default:
        return false;
    }
}

static bool
is_command(const struct filter *filter, const struct token *token)
{
    int prev = filter->prev.kind, next = filter->ahead.kind;
    if (!word_is_command(token->text) || word_declares(prev) ||
        prev == IMP_YYDOT || next == IMP_YYASSIGN || next == IMP_YYDOT ||
        next == IMP_YYPRIME)
        return false;
    bool inner = prev == IMP_YYCMD && filter->prev.text &&
                 !strcmp(filter->prev.text, "compare");
    if (prev == IMP_YYASSIGN || inner)
        return !follows_operand(next);
    return ends_operand(prev);
}

/* Is this a search in another spelling than ours, `let m = maximise -(F)`? A
 * difference, `maximise - 1`, has a blank behind its minus. */
static bool
is_search(const struct filter *filter, const struct token *token)
{
    const struct scan *scan = filter->scan;
    const struct token *next = &filter->ahead;
    bool greatest =
        !strcmp(token->text, "maximise") || !strcmp(token->text, "maximize");
    return filter->prev.kind == IMP_YYASSIGN &&
           (greatest || !strcmp(token->text, "minimize")) &&
           !follows_operand(next->kind) &&
           (next->kind != IMP_YYMINUS ||
            (next->range.lo > token->range.hi && next->range.hi < scan->len &&
             scan->text[next->range.hi] != ' ')) &&
           !next->first;
}

/* The words that are keywords at one place only: what the word `token` is where
 * it stands. */
static int
kind_at_place(const struct filter *filter, const struct token *token)
{
    int prev = filter->prev.kind, next = filter->ahead.kind;
    bool is_to = !strcmp(token->text, "to");
    if (!strcmp(token->text, "over") &&
        (((next == IMP_YYNAME || next == IMP_YYNUMBER) &&
          (prev == IMP_YYNAME || prev == IMP_YYRBRACK)) ||
         ((filter->fits || filter->minimises) && ends_operand(prev) &&
          (next == IMP_YYLPAREN || next == IMP_YYNAME))))
        return IMP_YYOVER;
    if (is_to && filter->fits && ends_operand(prev) && !follows_operand(next) &&
        next != IMP_YYASSIGN)
        return IMP_YYTO;
    if (!strcmp(token->text, "contacts") && ends_operand(prev) &&
        (next == IMP_YYLPAREN || next == IMP_YYNAME || next == IMP_YYLBRACK))
        return IMP_YYCONTACTS;
    if (prev == IMP_YYCONTACTS && !strcmp(token->text, "between"))
        return IMP_YYBETWEEN;
    if (next == IMP_YYNAME && ends_operand(prev)) {
        if (!strcmp(token->text, "data"))
            return IMP_YYDATA;
        if (!strcmp(token->text, "column"))
            return IMP_YYCOLUMN;
        if (!strcmp(token->text, "rotor"))
            return IMP_YYROTOR;
        if (!strcmp(token->text, "law"))
            return IMP_YYLAW;
    }
    return IMP_YYNAME;
}

/* Does the keyword name a thing that others may be thought to have, as a body
 * its shape? */
static bool
is_thing(int kind)
{
    return kind == IMP_YYSHAPE || kind == IMP_YYBODY ||
           kind == IMP_YYCONTACT || kind == IMP_YYJOINT;
}

void
filter_next(struct filter *filter, struct token *token)
{
    assert(filter && filter->scan && token);
    if (!filter->primed) {
        scan_next(filter->scan, &filter->ahead);
        filter->primed = true;
    }
    *token = filter->ahead;
    if (token->kind != IMP_YYEND)
        scan_next(filter->scan, &filter->ahead);
    int prev = filter->prev.kind;
    const char *word = word_spelling(token->kind);
    bool letters = word && (word[0] | 32) >= 'a' && (word[0] | 32) <= 'z';
    /* a field may have the name of a keyword; `in` is also the unit inch; what
     * is given a value is a key, of which the checker says where it belongs */
    if (letters &&
        (prev == IMP_YYDOT ||
         (filter->blocks && is_thing(token->kind) && !word_declares(prev) &&
          filter->ahead.kind == IMP_YYASSIGN) ||
         (token->kind == IMP_YYIN &&
          (prev == IMP_YYLBRACK || prev == IMP_YYTIMES ||
           prev == IMP_YYSLASH)))) {
        token->kind = IMP_YYNAME;
        token->text = intern_str(filter->scan->names, word);
    } else if (token->kind == IMP_YYNAME && is_search(filter, token)) {
        /* the other spelling; what follows is read as if it were right */
        scan_spelling(filter->scan, token->range, "minimise",
                      token->text[1] == 'a'
                          ? "the greatest value of F is the least one of -F: "
                            "let m = minimise -(F) over (a in [0, 1])"
                          : NULL);
        token->kind = IMP_YYCMD;
        token->text = intern_str(filter->scan->names, "minimise");
        filter->minimises = true;
    } else if (token->kind == IMP_YYNAME && is_command(filter, token)) {
        token->kind = IMP_YYCMD;
        filter->fits = !strcmp(token->text, "fit");
        filter->minimises = !strcmp(token->text, "minimise");
    } else if (token->kind == IMP_YYNAME) {
        token->kind = kind_at_place(filter, token);
        if (token->kind == IMP_YYTO)
            filter->minimises = true; /* what follows is like its operand */
        if (token->kind == IMP_YYTO || token->kind == IMP_YYOVER)
            filter->fits = false;
        if (token->kind == IMP_YYOVER)
            filter->minimises = false;
    }
    if (token->kind == IMP_YYLBRACE)
        filter->blocks++;
    if (token->kind == IMP_YYRBRACE && filter->blocks)
        filter->blocks--;
    filter->prev = *token;
}
