/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evaluation of entries, and what is kept of them. See repl_priv.h for the
 * idea. */
#include <assert.h>
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

/* -- what is kept ---------------------------------------------------------- */

static bool
is_command(const struct ast_item *i)
{
    return i->kind == AST_COMMAND || (i->kind == AST_LET && i->command);
}

/* Does the later item replace the earlier one? */
static bool
replaces(const struct ast_item *earlier, const struct ast_item *later)
{
    const char *x = earlier->name.text, *y = later->name.text;

    if (!x || !y || strcmp(x, y) != 0)
        return false;
    if (earlier->kind == AST_POINT || later->kind == AST_POINT)
        return earlier->kind == later->kind && earlier->name2.text &&
               later->name2.text &&
               strcmp(earlier->name2.text, later->name2.text) == 0;
    if (earlier->kind == AST_BLOCK || later->kind == AST_BLOCK ||
        earlier->kind == AST_USE || later->kind == AST_USE)
        return ast_same_block(earlier, later);
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
result_drop(struct repl *repl, size_t i)
{
    arena_free(repl->results.v[i].arena);
    repl->results.n--;
    memmove(&repl->results.v[i], &repl->results.v[i + 1],
            (repl->results.n - i) * sizeof *repl->results.v);
}

void
repl_free(struct repl *repl)
{
    session_close(&repl->s);
    for (size_t i = 0; i < repl->chunks.n; i++)
        chunk_free(&repl->chunks.v[i]);
    free(repl->chunks.v);
    while (repl->results.n)
        result_drop(repl, repl->results.n - 1);
    free(repl->results.v);
    for (size_t i = 0; i < repl->held.n; i++)
        free(repl->held.v[i].text);
    free(repl->held.v);
    free(repl->ans);
    runopts_free(&repl->o);
}

void
repl_say(struct repl *repl)
{
    fflush(stdout);
    if (repl->s.arena)
        driver_print_messages(&repl->s.ds, repl->o.diagnostics);
}

/* -- the model so far ------------------------------------------------------ */

void
repl_open(struct repl *repl)
{
    assert(repl);
    session_close(&repl->s);
    session_open(&repl->s, &repl->o);
    repl->s.text.model_name = "<repl>";
    repl->s.earlier.redefine = true;
    repl->s.sink.write = cli_write;
    repl->whole = NEW_N(repl->s.arena, struct ast_file,
                        repl->chunks.n + repl->held.n + 1);
    for (size_t i = 0; i < repl->chunks.n; i++) {
        const struct repl_chunk *c = &repl->chunks.v[i];
        struct ast_file *file =
            session_add_text(&repl->s, c->name, c->text, c->n, true);
        struct ast_item **held =
            NEW_N(repl->s.arena, struct ast_item *, file->n_items + 1);
        size_t n = 0;
        repl->whole[i] = *file;
        for (size_t k = 0; k < file->n_items && k < c->n_items; k++)
            if (c->keep[k])
                held[n++] = file->items[k];
        file->items = held;
        file->n_items = n;
    }
}

void
repl_items(struct repl *repl,
           void (*each)(void *ctx, const struct ast_item *item,
                        const char *text, size_t n),
           void *ctx)
{
    assert(repl && each);
    for (size_t i = 0; i < repl->s.text.n_files; i++) {
        const struct ast_file *file = repl->s.text.files[i];
        const struct source *src = source_get(repl->s.text.sources, file->file);
        for (size_t k = 0; k < file->n_items; k++) {
            const struct ast_item *it = file->items[k];
            uint32_t lo = it->range.lo, hi = it->range.hi;
            if (it->doc && it->doc_range.file == file->file &&
                it->doc_range.lo < lo)
                lo = it->doc_range.lo;
            each(ctx, it, src->text + lo, hi - lo);
        }
    }
}

/* Gives the session, as priors, the results that the new items do not replace.
 */
static void
add_priors(struct repl *repl, const struct ast_file *file)
{
    struct check_prior *priors =
        NEW_N(repl->s.arena, struct check_prior, repl->results.n + 1);
    struct record **recs =
        NEW_N(repl->s.arena, struct record *, repl->results.n + 1);
    size_t n_priors = 0;

    for (size_t result = 0; result < repl->results.n; result++) {
        const char *bound = repl->results.v[result].command->bound;
        bool gone = false;
        for (size_t k = 0; k < file->n_items && bound[0]; k++)
            gone |= file->items[k]->name.text &&
                    file->items[k]->kind != AST_COMMAND &&
                    strcmp(file->items[k]->name.text, bound) == 0;
        if (gone)
            continue;
        priors[n_priors].bound = bound;
        priors[n_priors].command = repl->results.v[result].command;
        recs[n_priors++] = repl->results.v[result].rec;
    }
    repl->s.earlier.priors = priors;
    repl->s.earlier.recs = recs;
    repl->s.earlier.n_priors = n_priors;
}

/* Takes those earlier items out of the model that a new result of the same name
 * hides. */
static void
hide(struct repl *repl, const struct ast_file *news)
{
    for (size_t i = 0; i + 1 < repl->s.text.n_files; i++) {
        struct ast_file *file = (struct ast_file *)repl->s.text.files[i];
        size_t n = 0;
        for (size_t k = 0; k < file->n_items; k++) {
            bool gone = false;
            for (size_t j = 0; j < news->n_items; j++)
                gone |= news->items[j]->kind == AST_LET &&
                        news->items[j]->command &&
                        replaces(file->items[k], news->items[j]);
            if (!gone)
                file->items[n++] = file->items[k];
        }
        file->n_items = n;
    }
}

/* -- keeping results ------------------------------------------------------- */

static struct field_value
copy_value(struct arena *arena, const imp_field *field,
           const struct field_value *value)
{
    struct field_value copy = {.n = value->n, .cols = value->cols};

    if (value->why)
        copy.why = arena_strdup(arena, value->why);
    if (value->num)
        copy.num =
            arena_copy(arena, value->num,
                       field_value_count(field, value) * sizeof *value->num);
    if (value->text)
        copy.text = arena_strdup(arena, value->text);
    if (value->texts) {
        const char **t = NEW_N(arena, const char *, value->n + 1);
        for (size_t i = 0; i < value->n; i++)
            t[i] = arena_strdup(arena, value->texts[i]);
        copy.texts = t;
    }
    return copy;
}

static void
keep_result(struct repl *repl, const struct tm_command *command,
            const struct record *from)
{
    struct arena *arena = arena_new();
    struct tm_command *kept = NEW(arena, struct tm_command);
    struct record *copy = NEW(arena, struct record);

    kept->id = command->id;
    bool named = command->bound && command->bound[0];
    kept->bound = named ? arena_strdup(arena, command->bound) : "ans";
    kept->n_fields = command->n_fields;
    kept->fields = NEW_N(arena, struct tm_field, command->n_fields + 1);
    kept->done = true;
    kept->n_args = command->n_args;
    kept->args = NEW_N(arena, struct tm_val, command->n_args + 1);
    for (size_t i = 0; i < command->n_args; i++) /* as the result is named */
        kept->args[i].label = command->args[i].label
                                  ? arena_strdup(arena, command->args[i].label)
                                  : NULL;
    for (size_t i = 0; i < command->n_fields; i++) {
        const struct tm_field *f = &command->fields[i];
        kept->fields[i] = *f;
        kept->fields[i].name = arena_strdup(arena, f->name);
        kept->fields[i].unit = f->unit ? arena_strdup(arena, f->unit) : NULL;
        kept->fields[i].doc = f->doc ? arena_strdup(arena, f->doc) : NULL;
    }
    copy->n = from->n;
    copy->present = true;
    copy->v = NEW_N(arena, struct field_value, from->n + 1);
    for (size_t i = 0; i < from->n; i++)
        copy->v[i] = copy_value(arena, &from->schema[i], &from->v[i]);
    if (from->motion)
        copy->motion = arena_copy(arena, from->motion, from->n_motion);
    copy->n_motion = from->n_motion;
    for (size_t i = repl->results.n; i-- > 0;) {
        const struct tm_command *o = repl->results.v[i].command;
        bool other = o->id != kept->id &&
                     imp_command_has(o->id, IMP_TRAIT_RECORDS_MOTION);
        if (!named && other && !strcmp(o->bound, "ans"))
            /* its columns can be plotted still */
            repl->results.v[i].command->bound = "";
        else if (!strcmp(o->bound, kept->bound) ||
                 (!named && !o->bound[0] && o->id == kept->id))
            result_drop(repl, i);
    }
    if (!named) { /* `ans` is a record now, no expression */
        free(repl->ans);
        repl->ans = NULL;
    }
    VEC_PUSH(&repl->results,
             (struct repl_result){arena, kept, copy, repl->changes});
}

/* Is the item part of what moves, so that an earlier result is of another
 * model? */
static bool
adds_to_motion(const struct ast_item *item)
{
    return item->kind == AST_BODY || item->kind == AST_CONTACT ||
           item->kind == AST_JOINT || item->kind == AST_ROTOR ||
           item->kind == AST_SYSTEM || item->kind == AST_BLOCK;
}

bool
repl_mentions(const char *text, size_t n, const char *word)
{
    assert(word && (text || n == 0));
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= n; i++)
        if (!memcmp(text + i, word, length) &&
            (i == 0 || (!repl_letter(text[i - 1]) && text[i - 1] != '.')) &&
            (i + length == n || !repl_letter(text[i + length])))
            return true;
    return false;
}

/* an expression alone, which is shown */
static bool
is_bare_expression(const struct ast_item *item, const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && strchr(" \t\r\n", text[i]))
        i++;
    return item->kind == AST_COMMAND && item->name.text &&
           !strcmp(item->name.text, "show") && item->n_args == 1 &&
           (n - i < 4 || memcmp(text + i, "show", 4) != 0);
}

/* Does the entry give this name a value itself? */
static bool
declares(const struct ast_file *entry, const char *name)
{
    for (size_t i = 0; i < entry->n_items; i++)
        if (entry->items[i]->name.text &&
            entry->items[i]->kind != AST_COMMAND &&
            !strcmp(entry->items[i]->name.text, name))
            return true;
    return false;
}

/* W0825: a result that the entry shows is older than the model. One that the
 * entry asks for again is not. */
static void
warn_of_old(struct repl *repl, const struct ast_file *entry, const char *text,
            size_t n)
{
    for (size_t i = 0; i < repl->results.n; i++) {
        const struct repl_result *result = &repl->results.v[i];
        const char *bound = result->command->bound;
        if (result->changes == repl->changes || !bound[0] ||
            declares(entry, bound) || !repl_mentions(text, n, bound))
            continue;
        struct diag *diag =
            diag_add(&repl->s.ds, DIAG_W0825, IMP_NOWHERE,
                     "`%s` was computed before the model was changed", bound);
        diag_help(&repl->s.ds, diag, "ask again: let %s = %s ...", bound,
                  imp_command_word(result->command->id));
    }
}

/* Keeps an expression that was shown, for `ans`. An earlier `ans` in it becomes
 * what it stood for. */
static void
keep_expression(struct repl *repl, const char *text, size_t n)
{
    struct buf all = {0};
    for (size_t i = 0; i < n;) {
        bool here = repl->ans && i + 3 <= n && !memcmp(text + i, "ans", 3) &&
                    (i == 0 || !repl_letter(text[i - 1])) &&
                    (i + 3 == n || !repl_letter(text[i + 3]));
        if (here)
            buf_printf(&all, "(%s)", repl->ans);
        else
            buf_putc(&all, text[i]);
        i += here ? 3 : 1;
    }
    while (all.n && strchr(" \t\r\n", all.s[all.n - 1]))
        all.n--;
    free(repl->ans);
    buf_putc(&all, 0);
    repl->ans = buf_take(&all);
    for (size_t i = repl->results.n; i-- > 0;)
        if (!strcmp(repl->results.v[i].command->bound, "ans"))
            result_drop(repl, i);
}

/* The entry is accepted: items and results that it replaces go, its own items
 * come. */
static void
accept(struct repl *repl, const struct ast_file *file, const char *name,
       const char *text, size_t len)
{
    for (size_t i = 0; i < repl->chunks.n; i++) {
        struct repl_chunk *c = &repl->chunks.v[i];
        const struct ast_file *old = &repl->whole[i];
        for (size_t k = 0; k < old->n_items && k < c->n_items; k++)
            for (size_t j = 0; j < file->n_items; j++)
                if (file->items[j]->kind != AST_COMMAND &&
                    (file->items[j]->kind != AST_USE) &&
                    replaces(old->items[k], file->items[j]) && c->keep[k]) {
                    c->keep[k] = false;
                    repl->changes++;
                }
    }
    for (size_t i = repl->results.n; i-- > 0;) {
        const char *bound = repl->results.v[i].command->bound;
        for (size_t j = 0; j < file->n_items; j++)
            if (bound[0] && file->items[j]->kind != AST_COMMAND &&
                file->items[j]->name.text &&
                strcmp(file->items[j]->name.text, bound) == 0) {
                result_drop(repl, i);
                break;
            }
    }
    bool any = false;
    for (size_t j = 0; j < file->n_items; j++) {
        any |= !is_command(file->items[j]);
        repl->changes += adds_to_motion(file->items[j]);
        if (!is_command(file->items[j]) && file->items[j]->name.text &&
            !strcmp(file->items[j]->name.text, "ans")) {
            free(repl->ans); /* a name of the user's own now */
            repl->ans = NULL;
        }
    }
    if (!any)
        return;
    struct repl_chunk chunk = {0};
    chunk.name = mem_alloc(strlen(name) + 1);
    memcpy(chunk.name, name, strlen(name));
    chunk.text = mem_alloc(len + 1);
    memcpy(chunk.text, text, len);
    chunk.n = len;
    chunk.n_items = file->n_items;
    chunk.keep = mem_alloc(file->n_items + 1);
    for (size_t j = 0; j < file->n_items; j++) {
        chunk.keep[j] = !is_command(file->items[j]);
        for (size_t k = j + 1; k < file->n_items; k++)
            if (replaces(file->items[j], file->items[k]) &&
                file->items[k]->kind != AST_USE &&
                file->items[k]->kind != AST_COMMAND)
                chunk.keep[j] = false;
    }
    repl->whole[repl->chunks.n] = *file;
    VEC_PUSH(&repl->chunks, chunk);
}

/* -- one entry ------------------------------------------------------------- */

/* Moves what `:set` has changed of names that the entry declares again to the
 * end, for the newer one holds. Returns how many go on. Those of the command
 * line are of the first model. */
static size_t
sets_that_hold(struct repl *repl, const struct ast_file *file)
{
    struct session_set *set = repl->o.sets;
    size_t n = 0;
    if (repl->chunks.n == 0)
        return repl->o.n_sets;
    for (size_t i = 0; i < repl->o.n_sets; i++) {
        bool again = false;
        for (size_t j = 0; j < file->n_items; j++)
            again |= !is_command(file->items[j]) && file->items[j]->name.text &&
                     !strcmp(file->items[j]->name.text, set[i].name);
        if (again)
            continue;
        struct session_set held = set[i];
        memmove(set + n + 1, set + n, (i - n) * sizeof *set);
        set[n++] = held;
    }
    return n;
}

/* Forgets those behind the first n. */
static void
drop_sets(struct repl *repl, size_t n)
{
    for (size_t i = n; i < repl->o.n_sets; i++) {
        free((char *)repl->o.sets[i].name);
        free((char *)repl->o.sets[i].value);
    }
    repl->o.n_sets = n;
}

/* An error in an earlier entry, to which what the present one declares again
 * does not fit: it is the present one that is refused. */
static void
tell_of_earlier(struct repl *repl, const struct ast_file *file,
                const struct ast_file *entry)
{
    struct diag *first = repl->s.ds.first;
    while (first && first->severity != DIAG_ERROR)
        first = first->next;
    const char *name = NULL;
    for (size_t i = 0; i < entry->n_items && !name; i++)
        for (size_t k = 0; k < repl->chunks.n && !name; k++)
            for (size_t j = 0; j < repl->whole[k].n_items && !name; j++)
                if (repl->chunks.v[k].keep[j] &&
                    replaces(repl->whole[k].items[j], entry->items[i]))
                    name = entry->items[i]->name.text;
    for (size_t i = 0; i < repl->results.n && !name; i++)
        if (declares(entry, repl->results.v[i].command->bound))
            name = repl->results.v[i].command->bound;
    if (!first || !first->range.file || first->range.file >= file->file ||
        !name)
        return;
    diag_note(&repl->s.ds, first, entry->items[0]->range,
              "so this entry is not taken: what was declared before reads "
              "`%s`",
              name);
    if (!first->help && !first->fix_text)
        diag_help(&repl->s.ds, first,
                  "declare both again in one entry, on one line");
}

struct eval_job {
    struct repl *r;
    const char *name, *text;
    size_t n;
    bool bare;
};

static int
eval_work(void *ctx)
{
    struct eval_job *job = ctx;
    struct repl *repl = job->r;
    bool commands = false;

    repl_open(repl);
    if (repl->ans && repl_mentions(job->text, job->n, "ans")) {
        struct buf text = {0};
        buf_printf(&text, "let ans = %s", repl->ans);
        const char *copy = arena_strndup(repl->s.arena, text.s, text.n);
        size_t n = text.n;
        buf_free(&text);
        session_add_text(&repl->s, "<ans>", copy, n, false);
    }
    /* do not clear the flag here: Ctrl-C may have come since the line ended */
    repl->s.stop = cli_stop_flag();
    struct ast_file *file =
        session_add_text(&repl->s, job->name, job->text, job->n, job->bare);
    /* all its items, before the session leaves some out */
    struct ast_file all = *file;
    if (repl->s.ds.errors)
        return IMP_EXIT_MODEL;
    for (size_t i = 0; i < file->n_items; i++)
        commands |= is_command(file->items[i]);
    hide(repl, file);
    add_priors(repl, file);
    size_t n_sets = repl->s.o.n_sets = sets_that_hold(repl, &all);
    int status = session_check(&repl->s);
    if (status == IMP_EXIT_OK)
        status = session_compile(&repl->s);
    if (status == IMP_EXIT_OK && commands)
        status = session_code(&repl->s);
    if (status == IMP_EXIT_OK && commands)
        status = session_run(&repl->s);
    if (status == IMP_EXIT_MODEL) {
        tell_of_earlier(repl, file, &all);
        return status;
    }
    warn_of_old(repl, &all, job->text, job->n);
    accept(repl, &all, job->name, job->text, job->n);
    drop_sets(repl, n_sets);
    /* what is asked of the record `ans` leaves it in place */
    bool of_record = !repl->ans && repl_mentions(job->text, job->n, "ans");
    if (status == IMP_EXIT_OK && all.n_items == 1 && !of_record &&
        is_bare_expression(all.items[0], job->text, job->n))
        keep_expression(repl, job->text, job->n);
    for (size_t i = 0; repl->s.result.recs && i < repl->s.model->n_commands;
         i++) {
        const struct tm_command *c = &repl->s.model->commands[i];
        const struct record *rec = repl->s.result.recs[i];
        if (!c->done && rec && rec->present && rec->n &&
            ((c->bound && c->bound[0]) ||
             imp_command_has(c->id, IMP_TRAIT_RECORD)))
            keep_result(repl, c, rec);
    }
    return status;
}

int
repl_eval(struct repl *repl, const char *name, const char *text, size_t n,
          bool bare)
{
    assert(repl && name && (text || n == 0));
    struct eval_job j = {repl, name, text, n, bare};
    int status = cli_guard(eval_work, &j);

    if (cli_flush() != IMP_EXIT_OK) {
        status = IMP_EXIT_RUN;
        repl->quit = true;
    }
    repl_say(repl);
    session_close(&repl->s);
    /* Ctrl-C stops a command, not the session; the flag of a terminal is looked
     * at before the next prompt (repl_line.c) */
    if (!repl->tty) {
        int stop = atomic_exchange(cli_stop_flag(), 0);
        repl->quit = repl->quit || stop == SIGTERM || stop == SIGHUP;
    }
    return status;
}

/* -- several declarations -------------------------------------------------- */

struct held_job {
    struct repl *r;
    size_t from, to;
    bool taken;
};

static int
held_work(void *ctx)
{
    struct held_job *job = ctx;
    struct repl *repl = job->r;
    size_t n = job->to - job->from;

    repl_open(repl);
    repl->s.stop = cli_stop_flag();
    const char **names = NEW_N(repl->s.arena, const char *, n);
    /* all their items, before the session leaves some out */
    struct ast_file *all = NEW_N(repl->s.arena, struct ast_file, n);
    for (size_t i = 0; i < n; i++) {
        const struct repl_held *held = &repl->held.v[job->from + i];
        names[i] = arena_printf(repl->s.arena, "<%d>", held->number);
        all[i] =
            *session_add_text(&repl->s, names[i], held->text, held->n, true);
    }
    add_priors(repl, &all[0]);
    if (repl->s.ds.first || session_check(&repl->s) != IMP_EXIT_OK ||
        session_compile(&repl->s) != IMP_EXIT_OK || repl->s.ds.first)
        return IMP_EXIT_MODEL;
    for (size_t i = 0; i < n; i++) {
        const struct repl_held *held = &repl->held.v[job->from + i];
        accept(repl, &all[i], names[i], held->text, held->n);
    }
    job->taken = true;
    return IMP_EXIT_OK;
}

bool
repl_eval_held(struct repl *repl, size_t from, size_t to)
{
    assert(repl && from < to && to <= repl->held.n);
    struct held_job job = {repl, from, to, false};

    (void)cli_guard(held_work, &job);
    session_close(&repl->s);
    return job.taken;
}
