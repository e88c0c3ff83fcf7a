/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the page of the playground calls: a model, which is a file of the page's
 * own file system, is checked or run; texts, plots and motions are read
 * afterwards. Everything that these functions return belongs to this file and
 * lasts until the next call of play_check or play_run. One page, one thread:
 * the state is this file's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <emscripten.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "cli/code/version.h"
#include "cli/repl/repl_priv.h"
#include "cli/session/args.h"
#include "cli/session/session.h"

#define EXPORT EMSCRIPTEN_KEEPALIVE

static struct play {
    struct session_options options;
    struct session session;
    const char *path;
    bool only_check;
    bool pictures; /* plots are data, and all motions are kept */
    struct buf output, said, plots;
} play;

static int
to_output(void *ctx, const char *s, size_t n)
{
    (void)ctx;
    buf_put(&play.output, s, n);
    return 0;
}

/* Plots are one line of JSON each. */
static int
to_plots(void *ctx, const char *json, size_t n)
{
    (void)ctx;
    buf_put(&play.plots, json, n);
    return 0;
}

static int
work(void *ctx)
{
    (void)ctx;
    session_open(&play.session, &play.options);
    play.session.sink.write = to_output;
    play.session.sink.picture = play.pictures ? to_plots : NULL;
    if (!session_add_file(&play.session, play.path))
        return IMP_EXIT_MODEL;
    return play.only_check ? session_check(&play.session)
                           : session_all(&play.session);
}

/* Forgets the last model. */
static void
begin(const char *path)
{
    session_close(&play.session);
    memset(&play.session, 0, sizeof play.session);
    free(play.options.sets);
    buf_clear(&play.output);
    buf_clear(&play.said);
    buf_clear(&play.plots);
    session_defaults(&play.options);
    play.options.backend = SESSION_EVAL;
    play.options.cache = false;
    play.options.sweeps.threads = 1;
    play.path = path;
}

static int
finish(enum diag_format format)
{
    int status = cli_guard(work, NULL);
    if (play.session.ds.arena)
        diags_print(&play.session.ds, &play.said, format, false);
    return status;
}

/* Checks the model of a file; play_said has what is wrong, one line of JSON
 * each. */
EXPORT int
play_check(const char *path)
{
    begin(path);
    play.only_check = true;
    play.pictures = false;
    return finish(DIAG_JSON);
}

/* Runs a model. pictures 0: as `imp run` does, with plots as text. 1: plots are
 * data (play_plots), motions are kept (play_motion), files are written below
 * /out; `sets` are params "NAME=VALUE", one in each line. */
EXPORT int
play_run(const char *path, int pictures, const char *sets)
{
    static char *copy;
    begin(path);
    play.only_check = false;
    play.pictures = pictures != 0;
    play.options.trace_all = play.pictures;
    play.options.dir = play.pictures ? "/out" : NULL;
    free(copy);
    copy = strdup(sets);
    size_t lines = 1;
    for (const char *s = sets; *s; s++)
        lines += *s == '\n';
    play.options.sets = calloc(lines, sizeof *play.options.sets);
    char *save = NULL;
    for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL;
         line && play.options.sets; line = strtok_r(NULL, "\n", &save)) {
        char *equal = strchr(line, '=');
        if (!equal)
            continue;
        *equal = 0;
        play.options.sets[play.options.n_sets++] =
            (struct session_set){.name = line, .value = equal + 1};
    }
    return finish(pictures ? DIAG_JSON : DIAG_TEXT);
}

EXPORT const char *
play_output(void)
{
    return buf_str(&play.output);
}

EXPORT const char *
play_said(void)
{
    return buf_str(&play.said);
}

EXPORT const char *
play_plots(void)
{
    return buf_str(&play.plots);
}

/* The k-th record with a motion, or NULL; *name: of the result, "" without one.
 */
static const struct record *
motion(int k, const char **name)
{
    const struct session *session = &play.session;
    if (!session->image || !session->result.driver || !session->result.recs)
        return NULL;
    const imp_command *all =
        IMP_ARRAY(session->image, session->image->commands, imp_command);
    for (uint32_t i = 0; i < session->image->commands.n; i++) {
        const struct record *record = session->result.recs[i];
        if (!record || !record->motion || k-- > 0)
            continue;
        *name = imp_text(session->image, all[i].bound);
        return record;
    }
    return NULL;
}

/* The run file of the k-th motion; NULL: there are no more. */
EXPORT const void *
play_motion(int k)
{
    const char *name;
    const struct record *record = motion(k, &name);
    return record ? record->motion : NULL;
}

EXPORT size_t
play_motion_size(int k)
{
    const char *name;
    const struct record *record = motion(k, &name);
    return record ? record->n_motion : 0;
}

EXPORT const char *
play_motion_name(int k)
{
    const char *name = "";
    return motion(k, &name) ? name : "";
}

static struct repl prompt; /* for completion and documentation */

/* What could stand at the end of a text, one per line; the first line is the
 * number of the byte at which the word begins. */
EXPORT const char *
play_complete(const char *text)
{
    struct completions found = {0};
    size_t word = 0;
    session_defaults(&prompt.o);
    repl_complete(&prompt, text, strlen(text), &found, &word);
    buf_clear(&play.output);
    buf_printf(&play.output, "%zu\n", word);
    for (size_t i = 0; i < found.n; i++)
        buf_printf(&play.output, "%s\n", found.v[i]);
    completions_free(&found);
    return buf_str(&play.output);
}

struct question {
    const char *path, *name;
    struct session session;
};

static int
answer(void *ctx)
{
    struct question *question = ctx;
    session_open(&question->session, &play.options);
    if (!session_add_file(&question->session, question->path))
        return IMP_EXIT_MODEL;
    struct check_input in = session_input(&question->session);
    return check_doc(&in, question->name, &play.output) ? IMP_EXIT_OK
                                                        : IMP_EXIT_MODEL;
}

/* The documentation of a name, in the model of a file; "" where there is none.
 */
EXPORT const char *
play_doc(const char *path, const char *name)
{
    struct question question = {.path = path, .name = name};
    buf_clear(&play.output);
    session_defaults(&play.options);
    if (cli_guard(answer, &question) != IMP_EXIT_OK)
        buf_clear(&play.output);
    session_close(&question.session);
    return buf_str(&play.output);
}

/* What a diagnostic code means; "" for a code that is none. */
EXPORT const char *
play_explain(const char *code)
{
    buf_clear(&play.output);
    enum diag_code found = diag_code_find(code);
    if (found != DIAG_NONE)
        buf_printf(&play.output, "%s: %s\n\n%s", code, diag_code_title(found),
                   diag_code_text(found));
    return buf_str(&play.output);
}

EXPORT const char *
play_version(void)
{
    return version_of_imp();
}

static void
word(void *ctx, const char *kind, const char *name)
{
    buf_printf(ctx, "%s\t%s\n", kind, name);
}

static int
words(void *ctx)
{
    struct question *question = ctx;
    session_open(&question->session, &play.options);
    struct check_input in = session_input(&question->session);
    check_names(&in, word, &play.output);
    return IMP_EXIT_OK;
}

/* All words that Imp itself knows, "kind TAB name" in each line (check_names),
 * for the colours of the editor. */
EXPORT const char *
play_words(void)
{
    struct question question = {0};
    buf_clear(&play.output);
    session_defaults(&play.options);
    cli_guard(words, &question);
    session_close(&question.session);
    return buf_str(&play.output);
}
