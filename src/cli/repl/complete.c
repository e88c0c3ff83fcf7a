/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion: what the grammar allows after the text so far, and the names
 * that may stand there. */
#include <assert.h>
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
    size_t word, n;   /* the word that is partly typed is text[word, n) */
    bool names, units, keys;
    bool topics;    /* behind `?`: keywords and fields too */
    bool known;     /* block is one with keys of its own */
    size_t owner;   /* the name before the point begins here */
    char of[16];    /* and this is what it names: "body", "system" ... or "" */
    char block[32]; /* the word that opens the block around: "body", "" */
};

static void
offer(struct search *search, const char *what)
{
    size_t n = search->n - search->word;

    if (strncmp(what, search->text + search->word, n) != 0 || strlen(what) == n)
        return;
    for (size_t i = 0; i < search->out->n; i++)
        if (strcmp(search->out->v[i], what) == 0)
            return;
    char *copy = mem_alloc(strlen(what) + 1);
    memcpy(copy, what, strlen(what));
    VEC_PUSH(search->out, copy);
}

static void
expected(void *ctx, const char *what)
{
    struct search *search = ctx;

    if (what[0] != '<' || what[1] == 0 || what[1] == '=') {
        /* Only words are completed; punctuation is not. */
        if ((what[0] >= 'a' && what[0] <= 'z'))
            offer(search, what);
    } else if (strcmp(what, "<name>") == 0) {
        search->names = true;
    } else if (strcmp(what, "<unit>") == 0) {
        search->units = true;
    } else if (strcmp(what, "<key>") == 0) {
        search->keys = true;
    }
}

/* Is the word text[lo, hi) the text `what`? */
static bool
reads(const struct search *search, size_t lo, size_t hi, const char *what)
{
    return strlen(what) == hi - lo &&
           memcmp(search->text + lo, what, hi - lo) == 0;
}

static void
name(void *ctx, const char *kind, const char *what)
{
    struct search *search = ctx;
    size_t len = strlen(kind);

    if (len > 2 && kind[len - 1] == '{') {
        /* A key: of this block, or of any block where the block is not known.
         */
        if (search->keys &&
            (!search->block[0] || (strlen(search->block) == len - 2 &&
                                   memcmp(search->block, kind, len - 2) == 0)))
            offer(search, what);
    } else if (strcmp(kind, "unit") == 0) {
        if (search->units)
            offer(search, what);
    } else if (len > 2 && kind[len - 1] == '.') {
        return;
    } else if (strcmp(kind, "keyword") != 0 && strcmp(kind, "field") != 0) {
        if (search->names)
            offer(search, what);
    } else if (search->topics) {
        offer(search, what);
    }
}

/* The kind of the declaration that the name before the point belongs to. */
static void
owner(void *ctx, const char *kind, const char *what)
{
    struct search *search = ctx;

    if (reads(search, search->owner, search->word - 1, what) &&
        (strcmp(kind, "body") == 0 || strcmp(kind, "contact") == 0 ||
         strcmp(kind, "joint") == 0 || strcmp(kind, "rotor") == 0 ||
         strcmp(kind, "system") == 0))
        memcpy(search->of, kind, strlen(kind) + 1);
}

static void
part(void *ctx, const char *kind, const char *what)
{
    struct search *search = ctx;
    size_t n = strlen(kind);

    if (n > 2 && kind[n - 1] == '.' && strlen(search->of) == n - 2 &&
        memcmp(search->of, kind, n - 2) == 0)
        offer(search, what);
}

/* What a system has of its own. */
static void
own(void *ctx, const char *kind, const char *what)
{
    (void)kind;
    offer(ctx, what);
}

/* Is the name before the point a contact of the system before it? */
static void
contact_of(void *ctx, const char *kind, const char *what)
{
    struct search *search = ctx;

    if (strcmp(kind, "contact") == 0 &&
        reads(search, search->owner, search->word - 1, what))
        memcpy(search->of, kind, strlen(kind) + 1);
}

bool
repl_letter(char c)
{
    return c == '_' || (c & 0x80) || (c >= '0' && c <= '9') ||
           ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* The name that ends here, in the memory of the session. */
static const char *
word_before(const struct search *search, size_t hi)
{
    size_t lo = hi;

    while (lo > 0 && repl_letter(search->text[lo - 1]))
        lo--;
    return arena_strndup(search->r->s.arena, search->text + lo, hi - lo);
}

/* After `r.` the fields of the result r, after `one.` what may be asked of a
 * body, a contact or a system, after `one.floor.` of a contact of a system. */
static bool
fields(struct search *search)
{
    size_t hi = search->word, lo;

    if (hi == 0 || search->text[hi - 1] != '.')
        return false;
    lo = --hi;
    while (lo > 0 && repl_letter(search->text[lo - 1]))
        lo--;
    for (size_t i = 0; i < search->r->results.n; i++) {
        const struct tm_command *c = search->r->results.v[i].command;
        if (!reads(search, lo, hi, c->bound))
            continue;
        for (size_t k = 0; k < c->n_fields; k++)
            offer(search, c->fields[k].name);
        return true;
    }
    search->owner = lo;
    repl_open(search->r);
    struct check_input in = session_input(&search->r->s);
    bool nested = lo > 0 && lo < hi && search->text[lo - 1] == '.';
    if (nested) {
        check_parts(&in, word_before(search, lo - 1), contact_of, search);
    } else {
        check_names(&in, owner, search);
        if (strcmp(search->of, "system") == 0)
            check_parts(&in, word_before(search, hi), own, search);
    }
    if (search->of[0])
        check_names(&in, part, search);
    return nested || search->of[0];
}

/* the word that opens the block in which the text ends: the first word of the
 * line or of the text before its `{`, behind `let r =` */
static void
find_block(struct search *search)
{
    size_t depth = 0, at = search->word, lo, hi;

    while (at > 0 && (search->text[at - 1] != '{' || depth)) {
        at--;
        depth += search->text[at] == '}';
        depth -= search->text[at] == '{' && depth;
    }
    if (at == 0)
        return;
    lo = at - 1;
    while (lo > 0 && !strchr("\n{}", search->text[lo - 1]))
        lo--;
    for (;;) {
        while (lo < at && strchr(" \t", search->text[lo]))
            lo++;
        for (hi = lo; hi < at && repl_letter(search->text[hi]); hi++)
            ;
        if (!reads(search, lo, hi, "let"))
            break;
        while (hi < at && search->text[hi] != '=')
            hi++;
        lo = hi + 1;
    }
    if (hi > lo && hi - lo < sizeof search->block)
        memcpy(search->block, search->text + lo, hi - lo);
}

/* Is the word that opens the block one that has keys of its own? */
static void
has_keys(void *ctx, const char *kind, const char *what)
{
    struct search *search = ctx;
    size_t n = strlen(kind);

    (void)what;
    if (n > 2 && kind[n - 1] == '{' && strlen(search->block) == n - 2 &&
        memcmp(search->block, kind, n - 2) == 0)
        search->known = true;
}

static int
work(void *ctx)
{
    struct search *search = ctx;

    size_t at = strspn(search->text, " \t");

    if (search->text[at] == ':' && search->word == at + 1) {
#define OFFER(name, words, doc) offer(search, #name);
        REPL_COMMANDS(OFFER)
#undef OFFER
        return IMP_EXIT_OK;
    }
    search->topics = search->text[at] == '?';
    if (search->topics)
        search->names = search->units = search->keys = true;
    else
        parse_expected(search->text, search->word, expected, search);
    if (fields(search) || !(search->names || search->units || search->keys))
        return IMP_EXIT_OK;
    repl_open(search->r);
    struct check_input in = session_input(&search->r->s);
    if (!search->topics)
        find_block(search);
    check_names(&in, has_keys, search);
    if (!search->known)
        search->block[0] = 0;
    check_names(&in, name, search);
    for (size_t i = 0; search->names && i < search->r->results.n; i++)
        if (search->r->results.v[i].command->bound[0])
            offer(search, search->r->results.v[i].command->bound);
    return IMP_EXIT_OK;
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the letter that a name behind a backslash stands for, \theta; NULL:
 * none. */
static const char *
symbol_of(const char *name, size_t n)
{
    static const char *const symbols[][2] = {
        {"alpha", "\xce\xb1"}, {"beta", "\xce\xb2"},    {"gamma", "\xce\xb3"},
        {"delta", "\xce\xb4"}, {"epsilon", "\xce\xb5"}, {"zeta", "\xce\xb6"},
        {"eta", "\xce\xb7"},   {"theta", "\xce\xb8"},   {"iota", "\xce\xb9"},
        {"kappa", "\xce\xba"}, {"lambda", "\xce\xbb"},  {"mu", "\xce\xbc"},
        {"nu", "\xce\xbd"},    {"xi", "\xce\xbe"},      {"pi", "\xcf\x80"},
        {"rho", "\xcf\x81"},   {"sigma", "\xcf\x83"},   {"tau", "\xcf\x84"},
        {"phi", "\xcf\x86"},   {"chi", "\xcf\x87"},     {"psi", "\xcf\x88"},
        {"omega", "\xcf\x89"}, {"Gamma", "\xce\x93"},   {"Delta", "\xce\x94"},
        {"Theta", "\xce\x98"}, {"Lambda", "\xce\x9b"},  {"Xi", "\xce\x9e"},
        {"Pi", "\xce\xa0"},    {"Sigma", "\xce\xa3"},   {"Phi", "\xce\xa6"},
        {"Psi", "\xce\xa8"},   {"Omega", "\xce\xa9"},
    };
    assert(name || n == 0);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (strlen(symbols[i][0]) == n && !memcmp(symbols[i][0], name, n))
            return symbols[i][1];
    return NULL;
}

void
repl_complete(struct repl *repl, const char *text, size_t n,
              struct completions *out, size_t *word)
{
    assert(repl && text && out && word);
    char *text_end = mem_alloc(n + 1);
    struct search search = {.r = repl, .out = out, .text = text_end, .n = n};

    if (n)
        memcpy(text_end, text, n);
    search.word = n;
    while (search.word > 0 && repl_letter(text_end[search.word - 1]))
        search.word--;
    const char *symbol =
        search.word && text_end[search.word - 1] == '\\'
            ? symbol_of(text_end + search.word, n - search.word)
            : NULL;
    if (symbol) {
        *word = search.word - 1;
        char *copy = mem_alloc(strlen(symbol) + 1);
        memcpy(copy, symbol, strlen(symbol));
        VEC_PUSH(out, copy);
        free(text_end);
        return;
    }
    *word = search.word;
    (void)cli_guard(work, &search);
    session_close(&repl->s);
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_text);
    free(text_end);
}

void
completions_free(struct completions *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->v[i]);
    free(c->v);
    *c = (struct completions){0};
}
