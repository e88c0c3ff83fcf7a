/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion: what the grammar allows after the text so far, and the names
 * that may stand there. */
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "cli/cli.h"
#include "cli/repl_priv.h"
#include "syntax/parse.h"

struct search {
    struct repl *r;
    struct completions *out;
    const char *text; /* of the whole input */
    size_t word, n;   /* the partly typed word is text[word, n) */
    bool names, units, keys;
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

static void
name(void *ctx, const char *kind, const char *what)
{
    struct search *s = ctx;

    if (strcmp(kind, "unit") == 0      ? s->units
        : strcmp(kind, "key") == 0     ? s->keys
        : strcmp(kind, "keyword") == 0 ? false
                                       : s->names)
        offer(s, what);
}

/* after `r.`: the fields of the result r */
static bool
fields(struct search *s)
{
    size_t hi = s->word, lo;

    if (hi == 0 || s->text[hi - 1] != '.')
        return false;
    lo = --hi;
    while (lo > 0 &&
           (s->text[lo - 1] == '_' || (s->text[lo - 1] & 0x80) ||
            (s->text[lo - 1] >= '0' && s->text[lo - 1] <= '9') ||
            ((s->text[lo - 1] | 32) >= 'a' && (s->text[lo - 1] | 32) <= 'z')))
        lo--;
    for (size_t i = 0; i < s->r->results.n; i++) {
        const struct tm_command *c = s->r->results.v[i].command;
        if (strlen(c->bound) != hi - lo ||
            memcmp(c->bound, s->text + lo, hi - lo) != 0)
            continue;
        for (size_t k = 0; k < c->n_fields; k++)
            offer(s, c->fields[k].name);
        return true;
    }
    return false;
}

static int
work(void *ctx)
{
    struct search *s = ctx;

    parse_expected(s->text, s->word, expected, s);
    if (fields(s) || !(s->names || s->units || s->keys))
        return IMP_EXIT_OK;
    repl_open(s->r);
    struct check_input in = session_input(&s->r->s);
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
    while (s.word > 0) {
        char c = t[s.word - 1];
        if (c != '_' && !(c & 0x80) && !(c >= '0' && c <= '9') &&
            !((c | 32) >= 'a' && (c | 32) <= 'z'))
            break;
        s.word--;
    }
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
