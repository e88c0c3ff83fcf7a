/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evaluation of entries, and what is kept of them. See repl_priv.h for the
 * idea. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "cli/repl/repl_priv.h"
#include "cli/session/args.h"
#include "cli/session/runopts.h"
#include "syntax/parse.h"

/* ---- what is kept -------------------------------------------------------- */

static bool
is_command(const struct ast_item *i)
{
    return i->kind == AST_COMMAND || (i->kind == AST_LET && i->command);
}

/* two items of which the later replaces the earlier */
static bool
replaces(const struct ast_item *a, const struct ast_item *b)
{
    const char *x = a->name.text, *y = b->name.text;

    if (!x || !y || strcmp(x, y) != 0)
        return false;
    if (a->kind == AST_POINT || b->kind == AST_POINT)
        return a->kind == b->kind && a->name2.text && b->name2.text &&
               strcmp(a->name2.text, b->name2.text) == 0;
    if (a->kind == AST_BLOCK || b->kind == AST_BLOCK || a->kind == AST_USE ||
        b->kind == AST_USE)
        return a->kind == b->kind;
    return true;
}

static void
chunk_free(struct repl_chunk *c)
{
    free(c->name);
    free(c->text);
    free(c->keep);
}

static void
result_drop(struct repl *r, size_t i)
{
    arena_free(r->results.v[i].arena);
    r->results.n--;
    memmove(&r->results.v[i], &r->results.v[i + 1],
            (r->results.n - i) * sizeof *r->results.v);
}

void
repl_free(struct repl *r)
{
    session_close(&r->s);
    for (size_t i = 0; i < r->chunks.n; i++)
        chunk_free(&r->chunks.v[i]);
    free(r->chunks.v);
    while (r->results.n)
        result_drop(r, r->results.n - 1);
    free(r->results.v);
    runopts_free(&r->o);
}

void
repl_say(struct repl *r)
{
    fflush(stdout);
    if (r->s.arena)
        driver_print_messages(&r->s.ds, r->o.diagnostics);
}

/* ---- the model so far ---------------------------------------------------- */

void
repl_open(struct repl *r)
{
    session_close(&r->s);
    session_open(&r->s, &r->o);
    r->s.model_name = "<repl>";
    r->s.redefine = true;
    r->s.write = cli_write;
    for (size_t i = 0; i < r->chunks.n; i++) {
        const struct repl_chunk *c = &r->chunks.v[i];
        struct ast_file *f =
            session_add_text(&r->s, c->name, c->text, c->n, true);
        size_t n = 0;
        for (size_t k = 0; k < f->n_items && k < c->n_items; k++)
            if (c->keep[k])
                f->items[n++] = f->items[k];
        f->n_items = n;
    }
}

void
repl_items(struct repl *r,
           void (*each)(void *ctx, const struct ast_item *item,
                        const char *text, size_t n),
           void *ctx)
{
    for (size_t i = 0; i < r->s.n_files; i++) {
        const struct ast_file *f = r->s.files[i];
        const struct source *src = source_get(r->s.sources, f->file);
        for (size_t k = 0; k < f->n_items; k++) {
            const struct ast_item *it = f->items[k];
            uint32_t lo = it->range.lo, hi = it->range.hi;
            if (it->doc && it->doc_range.file == f->file &&
                it->doc_range.lo < lo)
                lo = it->doc_range.lo;
            each(ctx, it, src->text + lo, hi - lo);
        }
    }
}

/* results that the new items do not replace, as priors of the session */
static void
add_priors(struct repl *r, const struct ast_file *f)
{
    struct check_prior *p =
        NEW_N(r->s.arena, struct check_prior, r->results.n + 1);
    struct record **recs = NEW_N(r->s.arena, struct record *, r->results.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < r->results.n; i++) {
        const char *bound = r->results.v[i].command->bound;
        bool gone = false;
        for (size_t k = 0; k < f->n_items && bound[0]; k++)
            gone |= f->items[k]->name.text &&
                    f->items[k]->kind != AST_COMMAND &&
                    strcmp(f->items[k]->name.text, bound) == 0;
        if (gone)
            continue;
        p[n].bound = bound;
        p[n].command = r->results.v[i].command;
        recs[n++] = r->results.v[i].rec;
    }
    r->s.priors = p;
    r->s.prior_recs = recs;
    r->s.n_priors = n;
}

/* earlier items that a new result of the same name hides leave the model */
static void
hide(struct repl *r, const struct ast_file *news)
{
    for (size_t i = 0; i + 1 < r->s.n_files; i++) {
        struct ast_file *f = (struct ast_file *)r->s.files[i];
        size_t n = 0;
        for (size_t k = 0; k < f->n_items; k++) {
            bool gone = false;
            for (size_t j = 0; j < news->n_items; j++)
                gone |= news->items[j]->kind == AST_LET &&
                        news->items[j]->command &&
                        replaces(f->items[k], news->items[j]);
            if (!gone)
                f->items[n++] = f->items[k];
        }
        f->n_items = n;
    }
}

/* ---- keeping results ------------------------------------------------------
 */

static size_t
numbers_of(const imp_field *f, const struct field_value *v)
{
    switch ((enum imp_field_kind)f->kind) {
    case IMP_FIELD_NUM:
    case IMP_FIELD_BOOL:
        return 1;
    case IMP_FIELD_VEC:
    case IMP_FIELD_SPIN:
        return f->width;
    case IMP_FIELD_LIST:
        return v->n;
    case IMP_FIELD_VECS:
        return v->n * f->width;
    case IMP_FIELD_MAT:
        return v->n * v->cols;
    case IMP_FIELD_TEXT:
    case IMP_FIELD_TEXTS:
        break;
    }
    return 0;
}

static struct field_value
copy_value(struct arena *a, const imp_field *f, const struct field_value *v)
{
    struct field_value c = {.n = v->n, .cols = v->cols};

    if (v->why)
        c.why = arena_strdup(a, v->why);
    if (v->num)
        c.num = arena_copy(a, v->num, numbers_of(f, v) * sizeof *v->num);
    if (v->text)
        c.text = arena_strdup(a, v->text);
    if (v->texts) {
        const char **t = NEW_N(a, const char *, v->n + 1);
        for (size_t i = 0; i < v->n; i++)
            t[i] = arena_strdup(a, v->texts[i]);
        c.texts = t;
    }
    return c;
}

static void
keep_result(struct repl *r, const struct tm_command *c,
            const struct record *rec)
{
    struct arena *a = arena_new();
    struct tm_command *k = NEW(a, struct tm_command);
    struct record *q = NEW(a, struct record);

    k->id = c->id;
    k->bound = arena_strdup(a, c->bound ? c->bound : "");
    k->n_fields = c->n_fields;
    k->fields = NEW_N(a, struct tm_field, c->n_fields + 1);
    k->done = true;
    for (size_t i = 0; i < c->n_fields; i++) {
        const struct tm_field *f = &c->fields[i];
        k->fields[i] = *f;
        k->fields[i].name = arena_strdup(a, f->name);
        k->fields[i].unit = f->unit ? arena_strdup(a, f->unit) : NULL;
        k->fields[i].doc = f->doc ? arena_strdup(a, f->doc) : NULL;
    }
    q->n = rec->n;
    q->present = true;
    q->v = NEW_N(a, struct field_value, rec->n + 1);
    for (size_t i = 0; i < rec->n; i++)
        q->v[i] = copy_value(a, &rec->schema[i], &rec->v[i]);
    for (size_t i = r->results.n; i-- > 0;) {
        const struct tm_command *o = r->results.v[i].command;
        if (strcmp(o->bound, k->bound) == 0 && (k->bound[0] || o->id == k->id))
            result_drop(r, i);
    }
    VEC_PUSH(&r->results, (struct repl_result){a, k, q});
}

/* the entry holds: replaced items and results go, new ones come */
static void
accept(struct repl *r, const struct ast_file *f, const char *name,
       const char *text, size_t n, size_t n_chunks)
{
    /* session files are the chunks in order, filtered: walk both */
    for (size_t i = 0; i < n_chunks; i++) {
        struct repl_chunk *c = &r->chunks.v[i];
        const struct ast_file *old = parse_file(
            r->s.arena, r->s.names, &r->s.ds, r->s.files[i]->file, true);
        for (size_t k = 0; k < old->n_items && k < c->n_items; k++)
            for (size_t j = 0; j < f->n_items; j++)
                if (f->items[j]->kind != AST_COMMAND &&
                    (f->items[j]->kind != AST_USE) &&
                    replaces(old->items[k], f->items[j]))
                    c->keep[k] = false;
    }
    for (size_t i = r->results.n; i-- > 0;) {
        const char *bound = r->results.v[i].command->bound;
        for (size_t j = 0; j < f->n_items; j++)
            if (bound[0] && f->items[j]->kind != AST_COMMAND &&
                f->items[j]->name.text &&
                strcmp(f->items[j]->name.text, bound) == 0) {
                result_drop(r, i);
                break;
            }
    }
    bool any = false;
    for (size_t j = 0; j < f->n_items; j++)
        any |= !is_command(f->items[j]);
    if (!any)
        return;
    struct repl_chunk c = {0};
    c.name = mem_alloc(strlen(name) + 1);
    memcpy(c.name, name, strlen(name));
    c.text = mem_alloc(n + 1);
    memcpy(c.text, text, n);
    c.n = n;
    c.n_items = f->n_items;
    c.keep = mem_alloc(f->n_items + 1);
    for (size_t j = 0; j < f->n_items; j++) {
        c.keep[j] = !is_command(f->items[j]);
        for (size_t k = j + 1; k < f->n_items; k++)
            if (replaces(f->items[j], f->items[k]) &&
                f->items[k]->kind != AST_USE &&
                f->items[k]->kind != AST_COMMAND)
                c.keep[j] = false;
    }
    VEC_PUSH(&r->chunks, c);
}

/* ---- one entry ------------------------------------------------------------
 */

struct eval_job {
    struct repl *r;
    const char *name, *text;
    size_t n;
    bool bare;
};

static int
eval_work(void *ctx)
{
    struct eval_job *j = ctx;
    struct repl *r = j->r;
    size_t n_chunks = r->chunks.n;
    bool commands = false;

    repl_open(r);
    struct ast_file *f =
        session_add_text(&r->s, j->name, j->text, j->n, j->bare);
    /* its own items, before the session filters any */
    struct ast_file all = *f;
    if (r->s.ds.errors)
        return IMP_EXIT_MODEL;
    for (size_t i = 0; i < f->n_items; i++)
        commands |= is_command(f->items[i]);
    hide(r, f);
    add_priors(r, f);
    /* not cleared here: Ctrl-C may have come since the line ended */
    r->s.stop = cli_stop_flag();
    int status = session_check(&r->s);
    if (status == IMP_EXIT_OK)
        status = session_compile(&r->s);
    if (status == IMP_EXIT_OK && commands)
        status = session_code(&r->s);
    if (status == IMP_EXIT_OK && commands)
        status = session_run(&r->s);
    if (status == IMP_EXIT_MODEL)
        return status;
    accept(r, &all, j->name, j->text, j->n, n_chunks);
    for (size_t i = 0; r->s.recs && i < r->s.model->n_commands; i++) {
        const struct tm_command *c = &r->s.model->commands[i];
        const struct record *rec = r->s.recs[i];
        if (!c->done && rec && rec->present && rec->n &&
            ((c->bound && c->bound[0]) ||
             imp_command_has(c->id, IMP_TRAIT_RECORDS_MOTION)))
            keep_result(r, c, rec);
    }
    return status;
}

int
repl_eval(struct repl *r, const char *name, const char *text, size_t n,
          bool bare)
{
    struct eval_job j = {r, name, text, n, bare};
    int status = cli_guard(eval_work, &j);

    if (cli_flush() != IMP_EXIT_OK) {
        status = IMP_EXIT_RUN;
        r->quit = true;
    }
    repl_say(r);
    session_close(&r->s);
    /* Ctrl-C stops a command, not the session; the flag of a terminal is looked
     * at before the next prompt (repl_line.c) */
    if (!r->tty && atomic_exchange(cli_stop_flag(), 0) == SIGTERM)
        r->quit = true;
    return status;
}
