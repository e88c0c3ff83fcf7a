/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that come in a row, pasted or through a pipe, are checked
 * together: each entry is checked with all that holds, so that one by one a
 * thousand of them would check half a million.
 *
 * Invariant: nothing of that shows. Together are those entries alone whose
 * order says nothing, since none of them declares a name that one before it
 * mentions; and where anything is to be said about some of them, they are
 * checked in halves, down to one by one. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "cli/repl/repl_priv.h"
#include "cli/session/args.h"
#include "syntax/parse.h"

/* at most so many at a time: each is compared with those before it */
enum { MOST_HELD = 256 };

/* Is it a declaration whose place among others says nothing? Libraries and
 * blocks such as `world` change what others mean. */
static bool
stands_alone(const struct ast_item *item)
{
    return (item->kind == AST_LET && !item->command) ||
           item->kind == AST_PARAM || item->kind == AST_FN ||
           item->kind == AST_SHAPE || item->kind == AST_BODY ||
           item->kind == AST_CONTACT || item->kind == AST_JOINT ||
           item->kind == AST_ROTOR || item->kind == AST_SYSTEM;
}

/* Is the name one of a result, or of what was shown last? */
static bool
is_result(const struct repl *repl, const char *name)
{
    bool found = !strcmp(name, "ans");
    for (size_t i = 0; i < repl->results.n && !found; i++)
        found = !strcmp(repl->results.v[i].command->bound, name);
    return found;
}

struct hold_job {
    struct repl *r;
    const char *text;
    size_t n;
    bool may, later; /* it may be held; but not with those that are held */
};

static int
hold_work(void *ctx)
{
    struct hold_job *job = ctx;
    struct repl *repl = job->r;

    session_close(&repl->s);
    session_open(&repl->s, &repl->o);
    const struct ast_file *file =
        session_add_text(&repl->s, "", job->text, job->n, true);
    job->may = !repl->s.ds.first && file->n_items > 0;
    for (size_t i = 0; i < file->n_items && job->may; i++) {
        const char *name = file->items[i]->name.text;
        job->may =
            stands_alone(file->items[i]) && name && !is_result(repl, name);
        for (size_t k = 0; k < repl->held.n && job->may && !job->later; k++)
            job->later =
                repl_mentions(repl->held.v[k].text, repl->held.v[k].n, name);
    }
    return IMP_EXIT_OK;
}

bool
repl_hold(struct repl *repl, const char *text, size_t n)
{
    assert(repl && (text || n == 0));
    struct hold_job job = {.r = repl, .text = text, .n = n};

    if (repl->o.n_sets || repl_mentions(text, n, "ans"))
        return false;
    int status = cli_guard(hold_work, &job);
    session_close(&repl->s);
    if (status != IMP_EXIT_OK || !job.may)
        return false;
    if (job.later || repl->held.n == MOST_HELD)
        repl_flush(repl);
    struct repl_held held = {.n = n, .number = ++repl->entries};
    held.text = mem_alloc(n + 1);
    memcpy(held.text, text, n);
    VEC_PUSH(&repl->held, held);
    return true;
}

/* Takes the entries from, from + 1, ... below `to`. */
static void
take(struct repl *repl, size_t from, size_t to)
{
    if (to - from > 1) {
        if (repl_eval_held(repl, from, to))
            return;
        take(repl, from, from + (to - from) / 2);
        take(repl, from + (to - from) / 2, to);
    } else if (to > from && !repl->quit) {
        const struct repl_held *held = &repl->held.v[from];
        char name[32];
        snprintf(name, sizeof name, "<%d>", held->number);
        int status = repl_eval(repl, name, held->text, held->n, true);
        repl->worst = cli_worst(repl->worst, status);
    }
}

bool
repl_flush(struct repl *repl)
{
    assert(repl);
    int worst = repl->worst;

    repl->worst = IMP_EXIT_OK;
    take(repl, 0, repl->held.n);
    bool fine = repl->worst == IMP_EXIT_OK;
    repl->worst = cli_worst(worst, repl->worst);
    for (size_t i = 0; i < repl->held.n; i++)
        free(repl->held.v[i].text);
    repl->held.n = 0;
    return fine;
}
