/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The driver. It pushes tokens into the parser, keeps track of open brackets,
 * and after an error skips to where the next item begins. The same grammar
 * answers the questions of the prompt: is this text complete, and what may
 * stand next?
 *
 * Invariants: the parser's own heap (its stacks) is freed on every way out,
 * also when memory runs out in an action. Nothing here recurses, whatever the
 * input is. A text of n bytes costs O(n) tokens. */
#include "syntax/parse.h"

#include <assert.h>
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

/* -- brackets -------------------------------------------------------------- */

static int
closer_of(char what)
{
    return what == '{'   ? IMP_YYRBRACE
           : what == '(' ? IMP_YYRPAREN
                         : IMP_YYRBRACK;
}

/* Records a bracket that the parser has taken. */
static void
track(struct parse *parse, const struct token *token)
{
    char what = token->kind == IMP_YYLBRACE   ? '{'
                : token->kind == IMP_YYLPAREN ? '('
                : token->kind == IMP_YYLBRACK ? '['
                                              : 0;
    if (what) {
        if (parse->n_open == parse->cap_open) {
            size_t cap = parse->cap_open ? 2 * parse->cap_open : 16;
            struct open_bracket *v =
                NEW_N(parse->arena, struct open_bracket, cap);
            if (parse->n_open)
                memcpy(v, parse->open, parse->n_open * sizeof *v);
            parse->open = v;
            parse->cap_open = cap;
        }
        parse->open[parse->n_open++] =
            (struct open_bracket){what, token->range};
        if (parse->n_open > MAX_NESTING)
            too_deep(parse, token->range);
    } else if (parse->n_open > 0 &&
               token->kind == closer_of(parse->open[parse->n_open - 1].what)) {
        parse->n_open--;
    }
}

/* After an error the parser is back in the innermost block. */
static void
drop_to_block(struct parse *parse)
{
    while (parse->n_open > 0 && parse->open[parse->n_open - 1].what != '{')
        parse->n_open--;
}

/* -- recovery -------------------------------------------------------------- */

/* Skips from the token in error, *t, to the first token of the next item, or to
 * the end of the enclosing block or text. That token is left in *t. */
static void
skip_item(struct driver *driver, struct token *token)
{
    struct parse *parse = &driver->p;
    size_t braces = 0, brackets = 0;
    bool moved = false;
    for (;; moved = true, filter_next(&driver->filter, token)) {
        int next = driver->filter.ahead.kind;
        switch (token->kind) {
        case IMP_YYEND:
            return;
        case IMP_YYLBRACE:
            braces++;
            continue;
        case IMP_YYRBRACE:
            if (braces == 0 && parse->n_open > 0)
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
        /* a declaration or command at the beginning of a line is a new item,
         * whatever bracket is still open */
        if (word_declares(token->kind) && moved &&
            (token->first ||
             (!brackets && next == IMP_YYNAME && !driver->filter.ahead.first)))
            return;
        if (word_declares(token->kind) && token->first)
            return;
        if (token->kind == IMP_YYCMD && token->first && parse->n_open == 0)
            return;
        if (token->kind == IMP_YYNAME && (token->first || !brackets) &&
            (next == IMP_YYASSIGN || next == IMP_YYLBRACE) &&
            (parse->n_open > 0 ? moved || token->first
                               : next == IMP_YYLBRACE && token->first))
            return;
    }
}

/* -- pushing --------------------------------------------------------------- */

static int
push(struct driver *driver, int kind, const struct token *token)
{
    IMP_YYSTYPE value;
    memset(&value, 0, sizeof value);
    imp_range at = token->range;
    if (kind == IMP_YYNUMBER)
        value.IMP_YYNUMBER = token->num;
    else if (kind == IMP_YYNAME || kind == IMP_YYCMD || kind == IMP_YYSTRING)
        value.IMP_YYNAME = token->text;
    driver->status =
        imp_yypush_parse(driver->ps, kind, &value, &at, &driver->p);
    if (driver->status == 2) {
        if (!imp_parser_is_deep(driver->ps))
            oom_raise();
        too_deep(&driver->p, token->range);
    }
    return driver->status;
}

static void
open_driver(struct driver *driver, struct arena *arena, struct intern *names,
            struct diags *diags, uint32_t file, const char *text, size_t n,
            bool bare)
{
    scan_open(&driver->scan, arena, names, diags, file, text, n);
    filter_open(&driver->filter, &driver->scan);
    driver->p = (struct parse){.arena = arena,
                               .names = names,
                               .ds = diags,
                               .file = file,
                               .text = text,
                               .len = n};
    driver->p.prev.kind = IMP_YYEND;
    driver->ps = imp_yypstate_new();
    if (!driver->ps)
        oom_raise();
    struct token start = {.range = {file, driver->scan.pos, driver->scan.pos}};
    push(driver, bare ? IMP_YYBARE : IMP_YYFILE_, &start);
}

/* a declaration at the margin inside a block: perhaps the block should have
 * been closed before it */
static void
suspect(struct parse *parse, const struct token *token)
{
    uint32_t lo = token->range.lo;
    if (token->first && parse->n_open > 0 && !parse->suspect.file &&
        word_declares(token->kind) && (lo == 0 || parse->text[lo - 1] == '\n'))
        parse->suspect = token->range;
}

/* Pushes one token; false when the parser takes no more. */
static bool
feed(struct driver *driver, const struct token *token)
{
    struct parse *parse = &driver->p;
    parse->found = *token;
    if (++parse->item_tokens > MAX_TOKENS) {
        struct diag *e =
            parse_error(parse, DIAG_E0982,
                        parse->head.kind ? parse->head.range : token->range,
                        "this declaration has more than %d tokens", MAX_TOKENS);
        if (e)
            diag_help(parse->ds, e, "large tables belong in a file of data");
        parse->fatal = true;
        return false;
    }
    suspect(parse, token);
    push(driver, token->kind, token);
    if (parse->recovering)
        return driver->status == PUSH_MORE && !parse->fatal;
    if (token->kind == IMP_YYLBRACE && parse->n_open == 0)
        sentence_block(parse);
    track(parse, token);
    parse->before[1] = parse->before[0];
    parse->before[0] = parse->prev;
    parse->prev = *token;
    if (word_declares(token->kind) || token->kind == IMP_YYCMD)
        parse->head = *token;
    else if (token->kind == IMP_YYLBRACE)
        parse->head.kind = IMP_YYEND;
    driver->scan.head = parse->head.kind;
    return driver->status == PUSH_MORE && !parse->fatal;
}

/* Pushes a token. After an error skips to the next item and goes on there, if
 * `recover`. False when there is nothing left to do. */
static bool
step(struct driver *driver, struct token next, bool recover)
{
    struct parse *parse = &driver->p;
    bool synced = false;
    for (;;) {
        bool more = feed(driver, &next);
        if (!parse->recovering)
            return more;
        if (!more || !recover || parse->error_at_end)
            return false;
        drop_to_block(parse);
        if (synced && next.kind != IMP_YYEND)
            filter_next(&driver->filter,
                        &next); /* skipping always goes forwards */
        /* in an item that is in error already, nothing more is reported */
        struct diags *diags = driver->scan.ds;
        driver->scan.ds = NULL;
        skip_item(driver, &next);
        driver->scan.ds = diags;
        parse->recovering = false;
        parse->item_tokens = 0;
        struct token sync = {.kind = IMP_YYSYNC, .range = next.range};
        push(driver, IMP_YYSYNC, &sync);
        if (driver->status != PUSH_MORE || parse->recovering)
            return false;
        parse->prev = parse->before[0] = parse->before[1] = sync;
        synced = true;
    }
}

static void
run(struct driver *driver, bool recover)
{
    struct token token;
    do
        filter_next(&driver->filter, &token);
    while (step(driver, token, recover) && token.kind != IMP_YYEND);
}

/* Runs `work`; the parser's stacks are freed whatever happens. */
static void
guarded(struct driver *driver, void (*work)(struct driver *driver, void *arg),
        void *arg)
{
    struct oom_guard guard;
    oom_enter(&guard);
    if (setjmp(guard.env)) {
        imp_yypstate_delete(driver->ps);
        oom_raise();
    }
    work(driver, arg);
    oom_leave(&guard);
    imp_yypstate_delete(driver->ps);
    driver->ps = NULL;
}

/* -- what is asked --------------------------------------------------------- */

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
open_and_run(struct driver *driver, void *arg)
{
    const struct text *t = arg;
    open_driver(driver, t->arena, t->names, t->ds, t->file, t->s, t->n,
                t->bare);
    if (!driver->scan.fatal)
        run(driver, t->ds != NULL);
}

struct parse_errors
parse_count(struct arena *arena, const char *text, size_t len, bool bare,
            size_t lo, size_t hi)
{
    assert(arena && (text || len == 0) && lo <= hi);
    struct driver *d = NEW(arena, struct driver);
    struct sources *none = sources_new(arena);
    struct diags diags;
    diags_init(&diags, arena, none);
    struct text t = {arena, intern_new(arena), &diags, 1, text, len, bare};
    guarded(d, open_and_run, &t);
    struct parse_errors errors = {.all = diags.errors};
    for (const struct diag *diag = diags.first; diag; diag = diag->next)
        errors.between += diag->severity == DIAG_ERROR &&
                          diag->range.lo <= hi && diag->range.hi >= lo;
    return errors;
}

struct ast_file *
parse_file(struct arena *arena, struct intern *names, struct diags *diags,
           uint32_t file, bool bare)
{
    assert(arena && names && diags && diags->sources);
    struct diag *before = diags->last;
    int errors = diags->errors;
    const struct source *src = source_get(diags->sources, file);
    struct ast_file *tree = NEW(arena, struct ast_file);
    tree->file = file;
    if (!src)
        return tree;
    struct driver *d = NEW(arena, struct driver);
    struct text t = {arena, names, diags, file, src->text, src->len, bare};
    guarded(d, open_and_run, &t);
    struct diag *first = before ? before->next : diags->first;
    if (diags->errors > errors && first)
        remedies_try(diags, first, file, src->text, src->len, bare,
                     diags->errors - errors);
    tree->items = d->p.items.v;
    tree->n_items = d->p.items.n;
    return tree;
}

enum parse_state
parse_probe(const char *text, size_t len)
{
    assert(text || len == 0);
    struct arena *arena = arena_new();
    struct oom_guard guard;
    oom_enter(&guard);
    if (setjmp(guard.env)) {
        arena_free(arena);
        oom_raise();
    }
    struct driver *d = NEW(arena, struct driver);
    struct text t = {
        arena, intern_new(arena), NULL, 1, arena_strndup(arena, text, len), len,
        true};
    guarded(d, open_and_run, &t);
    enum parse_state state = d->scan.fatal || d->scan.errors > 0 ? PARSE_WRONG
                             : d->p.error_at_end                 ? PARSE_MORE
                             : d->p.errors > 0                   ? PARSE_WRONG
                                                                 : PARSE_DONE;
    oom_leave(&guard);
    arena_free(arena);
    return state;
}

struct only_texts {
    struct text text;
    bool any, other;
};

static void
open_and_look(struct driver *driver, void *arg)
{
    struct only_texts *only = arg;
    const struct text *t = &only->text;
    open_driver(driver, t->arena, t->names, NULL, 1, t->s, t->n, true);
    struct token token = {0};
    while (!driver->scan.fatal && !only->other) {
        filter_next(&driver->filter, &token);
        if (token.kind == IMP_YYEND)
            return;
        only->any = true;
        only->other = token.kind != IMP_YYSTRING;
    }
    only->other = true;
}

bool
parse_is_documentation(const char *text, size_t len)
{
    assert(text || len == 0);
    if (!len || !memchr(text, '"', len))
        return false;
    struct arena *arena = arena_new();
    struct oom_guard guard;
    oom_enter(&guard);
    if (setjmp(guard.env)) {
        arena_free(arena);
        oom_raise();
    }
    struct driver *d = NEW(arena, struct driver);
    struct only_texts *only = NEW(arena, struct only_texts);
    only->text = (struct text){
        arena, intern_new(arena), NULL, 1, arena_strndup(arena, text, len), len,
        true};
    guarded(d, open_and_look, only);
    bool found = only->any && !only->other && d->scan.errors == 0;
    oom_leave(&guard);
    arena_free(arena);
    return found;
}

struct expected {
    struct text text;
    int tokens[128];
    int n;
    int prev;
};

static void
open_and_ask(struct driver *driver, void *arg)
{
    struct expected *expected = arg;
    const struct text *t = &expected->text;
    open_driver(driver, t->arena, t->names, NULL, 1, t->s, t->n, true);
    if (driver->scan.fatal)
        return;
    for (;;) {
        struct token k;
        filter_next(&driver->filter, &k);
        if (k.kind == IMP_YYEND)
            break;
        /* What was wrong before does not matter for what may stand next, so the
         * parser recovers and goes on. */
        if (!step(driver, k, true))
            return;
    }
    expected->prev = driver->p.prev.kind;
    expected->n = imp_parser_expected(driver->ps, expected->tokens, 128);
}

void
parse_expected(const char *text, size_t len,
               void (*each)(void *ctx, const char *what), void *ctx)
{
    assert((text || len == 0) && each);
    struct arena *arena = arena_new();
    struct oom_guard guard;
    oom_enter(&guard);
    if (setjmp(guard.env)) {
        arena_free(arena);
        oom_raise();
    }
    struct driver *d = NEW(arena, struct driver);
    struct expected *ask = NEW(arena, struct expected);
    ask->text = (struct text){
        arena, intern_new(arena), NULL, 1, arena_strndup(arena, text, len), len,
        true};
    guarded(d, open_and_ask, ask);
    bool has_string = false, has_number = false, has_brace = false;
    for (int i = 0; i < ask->n; i++) {
        has_string |= ask->tokens[i] == IMP_YYSTRING;
        has_number |= ask->tokens[i] == IMP_YYNUMBER;
        has_brace |= ask->tokens[i] == IMP_YYRBRACE;
    }
    for (int i = 0; i < ask->n; i++) {
        int kind = ask->tokens[i];
        if (kind == IMP_YYNAME && has_number && !has_string)
            each(ctx, "<unit>");
        else if (kind == IMP_YYNAME && has_brace)
            each(ctx, "<key>");
        if (kind == IMP_YYNAME && !(has_brace && !has_number) &&
            !(has_number && !has_string))
            each(ctx, "<name>");
        else if (kind == IMP_YYNUMBER)
            each(ctx, "<number>");
        else if (kind == IMP_YYSTRING)
            each(ctx, "<string>");
        else if (kind == IMP_YYCMD)
            for (size_t c = 0; word_command(c); c++)
                each(ctx, word_command(c));
        else if (word_spelling(kind))
            each(ctx, word_spelling(kind));
    }
    oom_leave(&guard);
    arena_free(arena);
}
