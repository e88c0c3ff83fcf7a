/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion: what the grammar allows after the text so far, and the names
 * that may stand there. */
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "cli/repl/repl_priv.h"
#include "cli/session/args.h"
#include "syntax/parse.h"

struct search {
    struct repl *r;
    struct completions *out;
    const char *text; /* of the whole input */
    size_t word, n;   /* the partly typed word is text[word, n) */
    bool names, units, keys;
    bool topics;    /* behind `?`: keywords and fields too */
    bool known;     /* block is one with keys of its own */
    size_t owner;   /* the name before the point begins here */
    char of[16];    /* and this is what it names: "body", "system" ... or "" */
    char block[32]; /* the word that opens the block around: "body", "" */
};

static void
offer(struct search *s, const char *what)
{
    size_t n = s->n - s->word;

    if (strncmp(what, s->text + s->word, n) != 0 || strlen(what) == n)
        return;
    for (size_t i = 0; i < s->out->n; i++)
        if (strcmp(s->out->v[i], what) == 0)
            return;
    char *copy = mem_alloc(strlen(what) + 1);
    memcpy(copy, what, strlen(what));
    VEC_PUSH(s->out, copy);
}

static void
expected(void *ctx, const char *what)
{
    struct search *s = ctx;

    if (what[0] != '<' || what[1] == 0 || what[1] == '=') {
        /* punctuation is only a hint: words are completed */
        if ((what[0] >= 'a' && what[0] <= 'z'))
            offer(s, what);
    } else if (strcmp(what, "<name>") == 0) {
        s->names = true;
    } else if (strcmp(what, "<unit>") == 0) {
        s->units = true;
    } else if (strcmp(what, "<key>") == 0) {
        s->keys = true;
    }
}

/* does the word text[lo, hi) read as `what`? */
static bool
reads(const struct search *s, size_t lo, size_t hi, const char *what)
{
    return strlen(what) == hi - lo && memcmp(s->text + lo, what, hi - lo) == 0;
}

static void
name(void *ctx, const char *kind, const char *what)
{
    struct search *s = ctx;
    size_t n = strlen(kind);

    if (n > 2 && kind[n - 1] == '{') {
        /* a key: of this block, or of any where the block is not known */
        if (s->keys && (!s->block[0] || (strlen(s->block) == n - 2 &&
                                         memcmp(s->block, kind, n - 2) == 0)))
            offer(s, what);
    } else if (strcmp(kind, "unit") == 0) {
        if (s->units)
            offer(s, what);
    } else if (n > 2 && kind[n - 1] == '.') {
        return;
    } else if (strcmp(kind, "keyword") != 0 && strcmp(kind, "field") != 0) {
        if (s->names)
            offer(s, what);
    } else if (s->topics) {
        offer(s, what);
    }
}

/* the kind of the declaration before the point */
static void
owner(void *ctx, const char *kind, const char *what)
{
    struct search *s = ctx;

    if (reads(s, s->owner, s->word - 1, what) &&
        (strcmp(kind, "body") == 0 || strcmp(kind, "contact") == 0 ||
         strcmp(kind, "joint") == 0 || strcmp(kind, "system") == 0))
        memcpy(s->of, kind, strlen(kind) + 1);
}

static void
part(void *ctx, const char *kind, const char *what)
{
    struct search *s = ctx;
    size_t n = strlen(kind);

    if (n > 2 && kind[n - 1] == '.' && strlen(s->of) == n - 2 &&
        memcmp(s->of, kind, n - 2) == 0)
        offer(s, what);
}

static bool
letter(char c)
{
    return c == '_' || (c & 0x80) || (c >= '0' && c <= '9') ||
           ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* after `r.`: the fields of the result r; after `one.`: what may be asked of
 * a body or contact */
static bool
fields(struct search *s)
{
    size_t hi = s->word, lo;

    if (hi == 0 || s->text[hi - 1] != '.')
        return false;
    lo = --hi;
    while (lo > 0 && letter(s->text[lo - 1]))
        lo--;
    for (size_t i = 0; i < s->r->results.n; i++) {
        const struct tm_command *c = s->r->results.v[i].command;
        if (!reads(s, lo, hi, c->bound))
            continue;
        for (size_t k = 0; k < c->n_fields; k++)
            offer(s, c->fields[k].name);
        return true;
    }
    s->owner = lo;
    repl_open(s->r);
    struct check_input in = session_input(&s->r->s);
    check_names(&in, owner, s);
    if (!s->of[0])
        return false;
    check_names(&in, part, s);
    return true;
}

/* the word that opens the block in which the text ends: the first word of the
 * line or of the text before its `{`, behind `let r =` */
static void
find_block(struct search *s)
{
    size_t depth = 0, i = s->word, lo, hi;

    while (i > 0 && (s->text[i - 1] != '{' || depth)) {
        i--;
        depth += s->text[i] == '}';
        depth -= s->text[i] == '{' && depth;
    }
    if (i == 0)
        return;
    lo = i - 1;
    while (lo > 0 && !strchr("\n{}", s->text[lo - 1]))
        lo--;
    for (;;) {
        while (lo < i && strchr(" \t", s->text[lo]))
            lo++;
        for (hi = lo; hi < i && letter(s->text[hi]); hi++)
            ;
        if (!reads(s, lo, hi, "let"))
            break;
        while (hi < i && s->text[hi] != '=')
            hi++;
        lo = hi + 1;
    }
    if (hi > lo && hi - lo < sizeof s->block)
        memcpy(s->block, s->text + lo, hi - lo);
}

/* is the block's first word one that has keys of its own? */
static void
has_keys(void *ctx, const char *kind, const char *what)
{
    struct search *s = ctx;
    size_t n = strlen(kind);

    (void)what;
    if (n > 2 && kind[n - 1] == '{' && strlen(s->block) == n - 2 &&
        memcmp(s->block, kind, n - 2) == 0)
        s->known = true;
}

static int
work(void *ctx)
{
    struct search *s = ctx;

    size_t at = strspn(s->text, " \t");

    if (s->text[at] == ':' && s->word == at + 1) {
#define OFFER(name, words, doc) offer(s, #name);
        REPL_COMMANDS(OFFER)
#undef OFFER
        return IMP_EXIT_OK;
    }
    s->topics = s->text[at] == '?';
    if (s->topics)
        s->names = s->units = s->keys = true;
    else
        parse_expected(s->text, s->word, expected, s);
    if (fields(s) || !(s->names || s->units || s->keys))
        return IMP_EXIT_OK;
    repl_open(s->r);
    struct check_input in = session_input(&s->r->s);
    if (!s->topics)
        find_block(s);
    check_names(&in, has_keys, s);
    if (!s->known)
        s->block[0] = 0;
    check_names(&in, name, s);
    for (size_t i = 0; s->names && i < s->r->results.n; i++)
        if (s->r->results.v[i].command->bound[0])
            offer(s, s->r->results.v[i].command->bound);
    return IMP_EXIT_OK;
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void
repl_complete(struct repl *r, const char *text, size_t n,
              struct completions *out, size_t *word)
{
    char *t = mem_alloc(n + 1);
    struct search s = {.r = r, .out = out, .text = t, .n = n};

    if (n)
        memcpy(t, text, n);
    s.word = n;
    while (s.word > 0 && letter(t[s.word - 1]))
        s.word--;
    *word = s.word;
    (void)cli_guard(work, &s);
    session_close(&r->s);
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_text);
    free(t);
}

void
completions_free(struct completions *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->v[i]);
    free(c->v);
    *c = (struct completions){0};
}
