/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The driver: pushes tokens into the parser, keeps track of what is open, and
 * after an error skips to where the next item begins. The same grammar answers
 * the REPL's questions: is this text complete, what may stand next?
 *
 * Invariants: the parser's own heap (its stacks) is freed on every way out,
 * also when memory runs out in an action; nothing here recurses, whatever the
 * input; a text of n bytes costs O(n) tokens. */
#include "syntax/parse.h"

#include <string.h>

#include "imp_parser.h"
#include "syntax/syntax_priv.h"

int imp_parser_expected(imp_yypstate *ps, int *tokens, int most);
bool imp_parser_is_deep(const imp_yypstate *ps);

enum { PUSH_MORE = 4 }; /* bison's YYPUSH_MORE */

struct driver {
    struct parse p;
    struct scan scan;
    struct filter filter;
    imp_yypstate *ps;
    int status;
};

/* -- brackets ------------------------------------------------------------- */

static int
closer_of(char what)
{
    return what == '{'   ? IMP_YYRBRACE
           : what == '(' ? IMP_YYRPAREN
                         : IMP_YYRBRACK;
}

/* notes a bracket that the parser has taken */
static void
track(struct parse *p, const struct token *t)
{
    char what = t->kind == IMP_YYLBRACE   ? '{'
                : t->kind == IMP_YYLPAREN ? '('
                : t->kind == IMP_YYLBRACK ? '['
                                          : 0;
    if (what) {
        if (p->n_open == p->cap_open) {
            size_t cap = p->cap_open ? 2 * p->cap_open : 16;
            struct open_bracket *v = NEW_N(p->arena, struct open_bracket, cap);
            if (p->n_open)
                memcpy(v, p->open, p->n_open * sizeof *v);
            p->open = v;
            p->cap_open = cap;
        }
        p->open[p->n_open++] = (struct open_bracket){what, t->range};
        if (p->n_open > MAX_NESTING)
            too_deep(p, t->range);
    } else if (p->n_open > 0 &&
               t->kind == closer_of(p->open[p->n_open - 1].what)) {
        p->n_open--;
    }
}

/* after an error the parser is back in the innermost block */
static void
drop_to_block(struct parse *p)
{
    while (p->n_open > 0 && p->open[p->n_open - 1].what != '{')
        p->n_open--;
}

/* -- recovery ------------------------------------------------------------- */

static bool
begins_declaration(int kind)
{
    switch (kind) {
    case IMP_YYUSE:
    case IMP_YYPARAM:
    case IMP_YYLET:
    case IMP_YYFN:
    case IMP_YYSHAPE:
    case IMP_YYBODY:
    case IMP_YYSYSTEM:
    case IMP_YYJOINT:
    case IMP_YYCONTACT:
    case IMP_YYPOINT:
    case IMP_YYCOORDINATE:
        return true;
    default:
        return false;
    }
}

/* skips from t, the token in error, to the first token of the next item, or to
 * the end of the enclosing block or text, which is left in *t */
static void
skip_item(struct driver *d, struct token *t)
{
    struct parse *p = &d->p;
    size_t braces = 0, brackets = 0;
    bool moved = false;
    for (;; moved = true, filter_next(&d->filter, t)) {
        int next = d->filter.ahead.kind;
        switch (t->kind) {
        case IMP_YYEND:
            return;
        case IMP_YYLBRACE:
            braces++;
            continue;
        case IMP_YYRBRACE:
            if (braces == 0 && p->n_open > 0)
                return;
            if (braces > 0)
                braces--;
            brackets = 0;
            continue;
        case IMP_YYLPAREN:
        case IMP_YYLBRACK:
            brackets++;
            continue;
        case IMP_YYRPAREN:
        case IMP_YYRBRACK:
            if (brackets > 0)
                brackets--;
            continue;
        default:
            break;
        }
        if (braces > 0)
            continue;
        /* a declaration or command at the beginning of a line is a new item
         * whatever bracket was left open */
        if (begins_declaration(t->kind) && moved && (t->first || !brackets))
            return;
        if (begins_declaration(t->kind) && t->first)
            return;
        if (t->kind == IMP_YYCMD && t->first && p->n_open == 0)
            return;
        if (t->kind == IMP_YYNAME && (t->first || !brackets) &&
            (next == IMP_YYASSIGN || next == IMP_YYLBRACE) &&
            (p->n_open > 0 ? moved || t->first
                           : next == IMP_YYLBRACE && t->first))
            return;
    }
}

/* -- pushing -------------------------------------------------------------- */

static int
push(struct driver *d, int kind, const struct token *t)
{
    IMP_YYSTYPE value;
    memset(&value, 0, sizeof value);
    imp_range at = t->range;
    if (kind == IMP_YYNUMBER)
        value.IMP_YYNUMBER = t->num;
    else if (kind == IMP_YYNAME || kind == IMP_YYCMD || kind == IMP_YYSTRING)
        value.IMP_YYNAME = t->text;
    d->status = imp_yypush_parse(d->ps, kind, &value, &at, &d->p);
    if (d->status == 2) {
        if (!imp_parser_is_deep(d->ps))
            oom_raise();
        too_deep(&d->p, t->range);
    }
    return d->status;
}

static void
open_driver(struct driver *d, struct arena *a, struct intern *names,
            struct diags *ds, uint32_t file, const char *text, size_t n,
            bool bare)
{
    scan_open(&d->scan, a, names, ds, file, text, n);
    filter_open(&d->filter, &d->scan);
    d->p = (struct parse){
        .arena = a, .names = names, .ds = ds, .file = file, .text = text};
    d->p.prev.kind = IMP_YYEND;
    d->ps = imp_yypstate_new();
    if (!d->ps)
        oom_raise();
    struct token start = {.range = {file, d->scan.pos, d->scan.pos}};
    push(d, bare ? IMP_YYBARE : IMP_YYFILE_, &start);
}

/* a declaration at the margin inside a block: perhaps the block was meant to be
 * closed before it */
static void
suspect(struct parse *p, const struct token *t)
{
    uint32_t lo = t->range.lo;
    if (t->first && p->n_open > 0 && !p->suspect.file &&
        begins_declaration(t->kind) && (lo == 0 || p->text[lo - 1] == '\n'))
        p->suspect = t->range;
}

/* pushes one token; false when the parser takes no more */
static bool
feed(struct driver *d, const struct token *t)
{
    struct parse *p = &d->p;
    p->found = *t;
    if (++p->item_tokens > MAX_TOKENS) {
        struct diag *e =
            parse_error(p, DIAG_E0982, p->head.kind ? p->head.range : t->range,
                        "this declaration has more than %d tokens", MAX_TOKENS);
        if (e)
            diag_help(p->ds, e, "large tables belong in a file of data");
        p->fatal = true;
        return false;
    }
    suspect(p, t);
    push(d, t->kind, t);
    if (p->recovering)
        return d->status == PUSH_MORE && !p->fatal;
    if (t->kind == IMP_YYLBRACE && p->n_open == 0)
        sentence_block(p);
    track(p, t);
    p->before[1] = p->before[0];
    p->before[0] = p->prev;
    p->prev = *t;
    if (begins_declaration(t->kind) || t->kind == IMP_YYCMD)
        p->head = *t;
    else if (t->kind == IMP_YYLBRACE)
        p->head.kind = IMP_YYEND;
    d->scan.head = p->head.kind;
    return d->status == PUSH_MORE && !p->fatal;
}

/* pushes t; after an error skips to the next item and goes on there, if
 * `recover`. False when there is nothing more to do. */
static bool
step(struct driver *d, struct token t, bool recover)
{
    struct parse *p = &d->p;
    bool synced = false;
    for (;;) {
        bool more = feed(d, &t);
        if (!p->recovering)
            return more;
        if (!more || !recover || p->error_at_end)
            return false;
        drop_to_block(p);
        if (synced && t.kind != IMP_YYEND)
            filter_next(&d->filter, &t); /* always forwards */
        /* what cannot be read in an item already in error is not told */
        struct diags *ds = d->scan.ds;
        d->scan.ds = NULL;
        skip_item(d, &t);
        d->scan.ds = ds;
        p->recovering = false;
        p->item_tokens = 0;
        struct token sync = {.kind = IMP_YYSYNC, .range = t.range};
        push(d, IMP_YYSYNC, &sync);
        if (d->status != PUSH_MORE || p->recovering)
            return false;
        p->prev = p->before[0] = p->before[1] = sync;
        synced = true;
    }
}

static void
run(struct driver *d, bool recover)
{
    struct token t;
    do
        filter_next(&d->filter, &t);
    while (step(d, t, recover) && t.kind != IMP_YYEND);
}

/* runs `work` with the parser's stacks freed whatever happens */
static void
guarded(struct driver *d, void (*work)(struct driver *d, void *arg), void *arg)
{
    struct oom_guard g;
    oom_enter(&g);
    if (setjmp(g.env)) {
        imp_yypstate_delete(d->ps);
        oom_raise();
    }
    work(d, arg);
    oom_leave(&g);
    imp_yypstate_delete(d->ps);
    d->ps = NULL;
}

/* -- what is asked -------------------------------------------------------- */

struct text {
    struct arena *arena;
    struct intern *names;
    struct diags *ds;
    uint32_t file;
    const char *s;
    size_t n;
    bool bare;
};

static void
open_and_run(struct driver *d, void *arg)
{
    const struct text *t = arg;
    open_driver(d, t->arena, t->names, t->ds, t->file, t->s, t->n, t->bare);
    if (!d->scan.fatal)
        run(d, t->ds != NULL);
}

struct ast_file *
parse_file(struct arena *a, struct intern *names, struct diags *ds,
           uint32_t file, bool bare)
{
    const struct source *src = source_get(ds->sources, file);
    struct ast_file *f = NEW(a, struct ast_file);
    f->file = file;
    if (!src)
        return f;
    struct driver *d = NEW(a, struct driver);
    struct text t = {a, names, ds, file, src->text, src->len, bare};
    guarded(d, open_and_run, &t);
    f->items = d->p.items.v;
    f->n_items = d->p.items.n;
    return f;
}

enum parse_state
parse_probe(const char *text, size_t n)
{
    struct arena *a = arena_new();
    struct oom_guard g;
    oom_enter(&g);
    if (setjmp(g.env)) {
        arena_free(a);
        oom_raise();
    }
    struct driver *d = NEW(a, struct driver);
    struct text t = {a, intern_new(a), NULL, 1, arena_strndup(a, text, n),
                     n, true};
    guarded(d, open_and_run, &t);
    enum parse_state state = d->scan.fatal || d->scan.errors > 0 ? PARSE_WRONG
                             : d->p.error_at_end                 ? PARSE_MORE
                             : d->p.errors > 0                   ? PARSE_WRONG
                                                                 : PARSE_DONE;
    oom_leave(&g);
    arena_free(a);
    return state;
}

struct expected {
    struct text text;
    int tokens[128];
    int n;
    int prev;
};

static void
open_and_ask(struct driver *d, void *arg)
{
    struct expected *x = arg;
    const struct text *t = &x->text;
    open_driver(d, t->arena, t->names, NULL, 1, t->s, t->n, true);
    if (d->scan.fatal)
        return;
    for (;;) {
        struct token k;
        filter_next(&d->filter, &k);
        if (k.kind == IMP_YYEND)
            break;
        /* what was wrong before does not matter for what may stand next:
         * the parser recovers and goes on */
        if (!step(d, k, true))
            return;
    }
    x->prev = d->p.prev.kind;
    x->n = imp_parser_expected(d->ps, x->tokens, 128);
}

void
parse_expected(const char *text, size_t n,
               void (*each)(void *ctx, const char *what), void *ctx)
{
    struct arena *a = arena_new();
    struct oom_guard g;
    oom_enter(&g);
    if (setjmp(g.env)) {
        arena_free(a);
        oom_raise();
    }
    struct driver *d = NEW(a, struct driver);
    struct expected *x = NEW(a, struct expected);
    x->text = (struct text){
        a, intern_new(a), NULL, 1, arena_strndup(a, text, n), n, true};
    guarded(d, open_and_ask, x);
    bool has_string = false, has_number = false, has_brace = false;
    for (int i = 0; i < x->n; i++) {
        has_string |= x->tokens[i] == IMP_YYSTRING;
        has_number |= x->tokens[i] == IMP_YYNUMBER;
        has_brace |= x->tokens[i] == IMP_YYRBRACE;
    }
    for (int i = 0; i < x->n; i++) {
        int k = x->tokens[i];
        if (k == IMP_YYNAME && has_number && !has_string)
            each(ctx, "<unit>");
        else if (k == IMP_YYNAME && has_brace)
            each(ctx, "<key>");
        if (k == IMP_YYNAME && !(has_brace && !has_number) &&
            !(has_number && !has_string))
            each(ctx, "<name>");
        else if (k == IMP_YYNUMBER)
            each(ctx, "<number>");
        else if (k == IMP_YYSTRING)
            each(ctx, "<string>");
        else if (k == IMP_YYCMD)
            for (size_t c = 0; word_command(c); c++)
                each(ctx, word_command(c));
        else if (word_spelling(k))
            each(ctx, word_spelling(k));
    }
    oom_leave(&g);
    arena_free(a);
}
