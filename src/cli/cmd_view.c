/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp view: runs a model and shows its simulations as pages. imp replay: shows
 * a run that was saved, without running anything. */
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "analysis/trace/run_read.h"
#include "base/io.h"
#include "base/num.h"
#include "cli/commands.h"
#include "cli/session/open_page.h"
#include "cli/session/runopts.h"
#include "view/page.h"

/* -- a page -----------------------------------------------------------------
 */

/* The name of a file without folders and without this ending. */
static char *
stem(struct arena *arena, const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name) - (page_ends(name, ending) ? strlen(ending) : 0);
    return arena_strndup(arena, name, n);
}

/* Does the run end before the time of a picture ("t=0.4")? Then that is told.
 */
static bool
beyond_end(struct arena *arena, const char *path, const void *run, size_t n,
           const char *hash)
{
    struct run_read read;
    double t = 0.0;
    char asked[NUM_TEXT], end[NUM_TEXT];
    num_read(hash + 2, strlen(hash + 2), &t);
    if (run_read(arena, run, n, &read) || t <= read.end)
        return false;
    num_shortest(end, read.end);
    cli_error(DIAG_E0835, arena_printf(arena, "as in --png %s", end),
              "cannot make the picture `%s`: the run ends at t = %s s, before "
              "%s s",
              path, end, num_shortest(asked, t));
    return true;
}

/* Takes a picture of a run at the time that --png names; `hash` NULL: a moving
 * one of all of it. Where none can be made, the page is kept in its place.
 * Returns an exit status. */
static int
picture(struct arena *arena, const char *path, const char *title,
        const void *run, size_t n, const char *hash)
{
    if (hash && beyond_end(arena, path, run, n, hash))
        return IMP_EXIT_RUN;
    struct buf page = {0};
    bool missing;
    out_page_put(&page, view_page(), title, run, n);
    const char *why = hash ? page_picture(page.s, page.n, hash, path, &missing)
                           : page_movie(page.s, page.n, path, &missing);
    buf_free(&page);
    if (!why) {
        cli_say("%s\n", path);
        return IMP_EXIT_OK;
    }
    const char *dot = strrchr(path, '.');
    struct page_file file = {
        arena_printf(arena, "%.*s.html",
                     (int)(dot && !strchr(dot, '/') ? (size_t)(dot - path)
                                                    : strlen(path)),
                     path),
        false, 0.0};
    cli_error(DIAG_E0835,
              arena_printf(arena,
                           "%sthe page `%s` shows the run in any browser",
                           missing ? "install chromium; " : "", file.path),
              "cannot make the picture `%s`: %s", path, why);
    return cli_worst(IMP_EXIT_RUN,
                     page_show(&file, stem(arena, file.path, ".html"), run, n));
}

/* -- imp view ---------------------------------------------------------------
 */

enum { VIEW_OUT = RUNOPT_COUNT, VIEW_EVERY, VIEW_PNG, VIEW_MOVIE, VIEW_QUIET };
#define EVERY                                                                  \
    {                                                                          \
        "--every", "TIME", "s between the times of .pvd and .h5 (1/200)"       \
    }
static const struct cli_opt view_opts[] = {
    RUNOPTS,
    {"-o", "FILE",
     "the page to write (MODEL.html), or the run file (.imprun), glTF (.glb), "
     "VTK (.pvd), HDF5 (.h5)"},
    EVERY,
    {"--png", "TIME", "a picture instead, at this time (s), by a browser"},
    {"--movie", "FILE.gif|FILE.webm", "a moving picture instead, by a browser"},
    {"--no-open", NULL, "write the page, and do not open it"},
};

struct view_job {
    struct session_options o;
    struct session s;
    const char *path, *out;
    double every;
    const char *png; /* "t=0.4": the time of a picture; NULL: a page */
    char hash[NUM_TEXT + 2];
    bool movie; /* `out` is a moving picture */
    bool quiet;
};

/* The name of the page of a result: of several, each has a page of its own. */
static const char *
page_name(struct view_job *job, const imp_command *command, size_t number,
          bool several)
{
    struct arena *arena = job->s.arena;
    const char *bound = imp_text(job->s.image, command->bound);
    const char *first = job->out
                            ? job->out
                            : arena_printf(arena, "%s.%s",
                                           strcmp(job->path, "-")
                                               ? stem(arena, job->path, ".imp")
                                               : "model",
                                           job->png ? "png" : "html");
    if (!several)
        return first;
    const char *ending = page_ends(first, ".imprun") ? ".imprun"
                         : page_is_other(first)      ? strrchr(first, '.')
                         : job->png                  ? ".png"
                         : page_ends(first, ".webm") ? ".webm"
                         : job->movie                ? ".gif"
                                                     : ".html";
    int n =
        (int)(strlen(first) - (page_ends(first, ending) ? strlen(ending) : 0));
    return *bound ? arena_printf(arena, "%.*s-%s%s", n, first, bound, ending)
                  : arena_printf(arena, "%.*s-%zu%s", n, first, number, ending);
}

static int
show_runs(struct view_job *job)
{
    const imp_image *image = job->s.image;
    const imp_command *all = IMP_ARRAY(image, image->commands, imp_command);
    int status = IMP_EXIT_OK;
    size_t runs = 0, number = 0;
    for (uint32_t i = 0; i < image->commands.n && job->s.result.recs; i++)
        runs += job->s.result.recs[i] && job->s.result.recs[i]->motion;
    for (uint32_t i = 0; i < image->commands.n && runs; i++) {
        const struct record *record = job->s.result.recs[i];
        if (!record || !record->motion)
            continue;
        const char *name = page_name(job, &all[i], ++number, runs > 1);
        const char *title = stem(job->s.arena, name, ".html");
        struct page_file file = {name, !job->quiet, job->every};
        int st =
            job->png || job->movie
                ? picture(job->s.arena, name, title, record->motion,
                          record->n_motion, job->png)
                : page_show(&file, title, record->motion, record->n_motion);
        status = cli_worst(status, st);
    }
    if (!runs) {
        cli_error(DIAG_E0833, "`imp run` shows its results",
                  "no `simulate` of `%s` has run: there is nothing to view",
                  job->path);
        status = IMP_EXIT_MODEL;
    }
    return status;
}

static int
view_work(void *ctx)
{
    struct view_job *job = ctx;
    session_open(&job->s, &job->o);
    job->s.sink.write = cli_write;
    if (!session_add_file(&job->s, job->path))
        return IMP_EXIT_MODEL;
    int status = session_all(&job->s);
    return job->s.image && job->s.result.driver
               ? cli_worst(status, show_runs(job))
               : status;
}

/* "0.4" or "t=0.4" */
static bool
picture_time(struct view_job *job, const char *value)
{
    const char *digits = !strncmp(value, "t=", 2) ? value + 2 : value;
    double t;
    size_t n = strlen(digits);
    if (!n || num_read(digits, n, &t) != n || !(t >= 0.0 && t <= DBL_MAX)) {
        cli_error(DIAG_E0804, "as in --png 0.4",
                  "--png wants a time in seconds, not `%s`", value);
        return false;
    }
    memcpy(job->hash, "t=", 2);
    num_shortest(job->hash + 2, t);
    job->png = job->hash;
    return true;
}

/* The value of --every. */
static bool
read_every(const char *value, double *every)
{
    size_t n = strlen(value);
    if (n && num_read(value, n, every) == n && *every > 0.0 &&
        *every <= DBL_MAX)
        return true;
    cli_error(DIAG_E0804, "as in --every 0.01",
              "--every wants a time in seconds above 0, not `%s`", value);
    return false;
}

/* Is there a file of this ending, and does --every fit to it? */
static bool
out_fits(double every, const char *out, bool png)
{
    if (png && out && !page_ends(out, ".png")) {
        cli_error(DIAG_E0804, "as in --png 0.4 -o x.png",
                  "--png wants a name that ends in .png behind -o, not `%s`",
                  out);
        return false;
    }
    if (!png && out && !page_ends(out, ".html") && !page_ends(out, ".htm") &&
        !page_ends(out, ".imprun") && !page_is_other(out)) {
        cli_error(DIAG_E0804, "as in -o x.html",
                  "-o wants a name that ends in .html, .imprun, .glb, .pvd or "
                  ".h5, not `%s`",
                  out);
        return false;
    }
    if (every == 0.0 || (!png && out && page_has_times(out)))
        return true;
    cli_error(DIAG_E0804, "as in -o x.pvd --every 0.01",
              "--every is for files that hold poses at times: .pvd and .h5");
    return false;
}

static bool
movie_name(struct view_job *job, const char *value)
{
    if (!page_ends(value, ".gif") && !page_ends(value, ".webm")) {
        cli_error(DIAG_E0804, "as in --movie x.gif",
                  "--movie wants the name of a .gif or a .webm, not `%s`",
                  value);
        return false;
    }
    job->out = value;
    job->movie = true;
    return true;
}

static bool
view_take(void *ctx, int which, const char *value)
{
    struct view_job *job = ctx;
    if (which == CLI_WORD)
        return cli_one(&cli_view, &job->path, value);
    if (which == VIEW_OUT)
        job->out = value;
    else if (which == VIEW_EVERY)
        return read_every(value, &job->every);
    else if (which == VIEW_PNG)
        return picture_time(job, value);
    else if (which == VIEW_MOVIE)
        return movie_name(job, value);
    else if (which == VIEW_QUIET)
        job->quiet = true;
    else
        return runopts_apply(&job->o, which, value);
    return true;
}

static int
view(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct view_job job = {0};
    session_defaults(&job.o);
    job.o.stop = cli_stop_flag();
    job.o.trace_all = true;
    int status = cli_read(&a, view_take, &job);
    if (status < 0 && job.movie && job.png) {
        cli_error(DIAG_E0804, "leave out one of them",
                  "--png and --movie are two pictures: one run makes one");
        status = IMP_EXIT_MODEL;
    } else if (status < 0 && !job.movie &&
               !out_fits(job.every, job.out, job.png != NULL)) {
        status = IMP_EXIT_MODEL;
    } else if (status < 0 && job.path) {
        status = cli_guard(view_work, &job);
        status = cli_worst(status, cli_flush());
        session_end(&job.s);
    } else if (status < 0) {
        cli_error(DIAG_E0822, "`imp view MODEL`", "`imp view` wants a model");
        status = IMP_EXIT_MODEL;
    }
    runopts_free(&job.o);
    return status;
}

const struct cli_command cli_view = {
    .name = "view",
    .run = view,
    .words = "MODEL",
    .doc = "run a model and show its motion as a page",
    .text =
        "The page is one HTML file that holds the motion and the viewer; it "
        "needs no\nnetwork. Results go to the standard output as with `imp "
        "run`.\n",
    .opts = view_opts,
    .n_opts = sizeof view_opts / sizeof *view_opts,
};

/* -- imp replay -------------------------------------------------------------
 */

enum { REPLAY_OUT, REPLAY_EVERY, REPLAY_QUIET };
static const struct cli_opt replay_opts[] = {
    {"-o", "FILE",
     "the page to write (FILE.html in this folder), or glTF (.glb), VTK "
     "(.pvd), "
     "HDF5 (.h5)"},
    EVERY,
    {"--no-open", NULL, "print what happened, and write no page without -o"},
};

struct replay_job {
    struct arena *arena;
    char *bytes;
    size_t n;
    const char *path, *out;
    double every;
    bool quiet;
};

/* The texts of a list. */
static const char **
texts(struct arena *arena, const struct json *list)
{
    const char **text = NEW_N(arena, const char *, list->n + 1), **to = text;
    for (const struct json *item = list->first; item; item = item->next)
        *to++ = item->text;
    return text;
}

/* One line per event, as the record of the run has them. */
static void
print_run(struct arena *arena, const struct run_read *run)
{
    const struct json *events = json_get(run->top, "events");
    const struct json *status = json_get(run->top, "status"),
                      *model = json_get(run->top, "model");
    char t[NUM_TEXT], impulse[NUM_TEXT];
    struct buf text = {0};
    buf_printf(&text, "%s: %s at t = %s s, %zu events\n",
               model && model->kind == JSON_TEXT ? model->text : "a run",
               status && status->kind == JSON_TEXT ? status->text : "",
               num_shortest(t, run->end), run->n_events);
    const struct json *kinds = json_get(events, "kinds");
    const char **kind = texts(arena, kinds),
               **contact = run_read_event_contacts(arena, run);
    for (size_t i = 0; i < run->n_events; i++) {
        size_t k = (size_t)run_read_number(run, json_get(events, "kind"), i);
        double P = run_read_number(run, json_get(events, "impulse"), i);
        buf_printf(
            &text, "%-18s %-14s %s",
            num_digits(t, run_read_number(run, json_get(events, "t"), i), 12),
            kind[k], contact[i]);
        if (P != 0.0)
            buf_printf(&text, "  %s N s", num_digits(impulse, P, 9));
        buf_putc(&text, '\n');
    }
    cli_puts(buf_str(&text));
    buf_free(&text);
}

static int
replay_work(void *ctx)
{
    struct replay_job *job = ctx;
    struct run_read run;
    job->arena = arena_new();
    int error = page_read(job->path, &job->bytes, &job->n);
    if (error) {
        cli_error(DIAG_E0805,
                  "`save r { file = \"r.imprun\" }` writes one under --out",
                  "cannot read `%s`: %s", job->path, strerror(error));
        return IMP_EXIT_MODEL;
    }
    const char *why = run_read(job->arena, job->bytes, job->n, &run);
    if (why) {
        cli_error(DIAG_E0834, "`save r { file = \"r.imprun\" }` writes it anew",
                  "`%s` cannot be shown: %s", job->path, why);
        return IMP_EXIT_MODEL;
    }
    print_run(job->arena, &run);
    char *name = stem(job->arena, job->path, ".imprun");
    if (job->quiet && !job->out)
        return IMP_EXIT_OK;
    struct page_file file = {
        job->out ? job->out : arena_printf(job->arena, "%s.html", name),
        !job->quiet, job->every};
    return page_show(&file, name, job->bytes, job->n);
}

static bool
replay_take(void *ctx, int which, const char *value)
{
    struct replay_job *job = ctx;
    if (which == CLI_WORD)
        return cli_one(&cli_replay, &job->path, value);
    if (which == REPLAY_OUT)
        job->out = value;
    else if (which == REPLAY_EVERY)
        return read_every(value, &job->every);
    else
        job->quiet = true;
    return true;
}

static int
replay(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct replay_job job = {0};
    int status = cli_read(&a, replay_take, &job);
    if (status < 0 && !out_fits(job.every, job.out, false)) {
        status = IMP_EXIT_MODEL;
    } else if (status < 0 && job.path) {
        status = cli_guard(replay_work, &job);
        status = cli_worst(status, cli_flush());
        arena_free(job.arena);
        free(job.bytes);
    } else if (status < 0) {
        cli_error(DIAG_E0822, "`imp replay FILE.imprun`",
                  "`imp replay` wants a run file");
        status = IMP_EXIT_MODEL;
    }
    return status;
}

const struct cli_command cli_replay = {
    .name = "replay",
    .run = replay,
    .words = "FILE.imprun",
    .doc = "show a run that was saved, without running it",
    .text = "A model writes such a file with `save r { file = \"r.imprun\" "
            "}`.\n",
    .opts = replay_opts,
    .n_opts = sizeof replay_opts / sizeof *replay_opts,
};
