/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp test: runs every model below a folder that states what it expects. One
 * line per model, the messages of those that fail, and a count. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "cli/commands.h"
#include "cli/session/runopts.h"

enum { OPT_DIAGNOSTICS, OPT_BACKEND, OPT_OPT, OPT_NO_CACHE, OPT_ALLOW_READ };
static const struct cli_opt opts[] = {
    {"--diagnostics", "text|lines|json", "form of messages (text)"},
    {"--backend", "auto|eval|jit", "evaluator or machine code (auto)"},
    {"--opt", "0|1|2", "how hard the code generator tries (1)"},
    {"--no-cache", NULL, "do not use the object cache on disk"},
    {"--allow-read", "DIR", "`use` may read files below this folder, too"},
};
static const int to_runopt[] = {RUNOPT_DIAGNOSTICS, RUNOPT_BACKEND, RUNOPT_OPT,
                                RUNOPT_NO_CACHE, RUNOPT_ALLOW_READ};

struct paths {
    char **v;
    size_t n, cap;
};

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Collects the files *.imp below a folder. Links to folders are not followed,
 * so there is no circle. */
static bool
collect(struct paths *ps, const char *dir)
{
    DIR *stream = opendir(dir);
    struct dirent *entry;

    if (!stream) {
        cli_error(DIAG_E0805, NULL, "cannot open folder `%s`: %s", dir,
                  strerror(errno));
        return false;
    }
    bool ok = true;
    while (ok && (entry = readdir(stream))) {
        struct buf path = {0};
        struct stat st;
        size_t len = strlen(entry->d_name);
        if (entry->d_name[0] == '.')
            continue;
        size_t nd = strlen(dir);
        if (strcmp(dir, ".") == 0)
            buf_puts(&path, entry->d_name);
        else
            buf_printf(&path, "%s%s%s", dir, dir[nd - 1] == '/' ? "" : "/",
                       entry->d_name);
        if (lstat(path.s, &st) != 0) {
            buf_free(&path);
            continue;
        }
        if (S_ISDIR(st.st_mode)) {
            ok = collect(ps, path.s);
            buf_free(&path);
        } else if (S_ISREG(st.st_mode) && len > 4 &&
                   strcmp(entry->d_name + len - 4, ".imp") == 0) {
            VEC_PUSH(ps, buf_take(&path));
        } else {
            buf_free(&path);
        }
    }
    closedir(stream);
    return ok;
}

static bool
word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* Is there the word `expect` outside comments and texts? */
static bool
has_expect(const char *source, size_t len)
{
    bool comment = false, text = false;

    for (size_t at = 0; at < len; at++) {
        if (source[at] == '\n')
            comment = text = false;
        else if (comment)
            continue;
        else if (text && source[at] == '\\')
            at++;
        else if (source[at] == '"')
            text = !text;
        else if (source[at] == '#' && !text)
            comment = true;
        else if (!text && source[at] == 'e' && len - at >= 6 &&
                 memcmp(source + at, "expect", 6) == 0 &&
                 (at == 0 ||
                  (!word_char(source[at - 1]) && source[at - 1] != '.')) &&
                 (len - at == 6 || !word_char(source[at + 6])))
            return true;
    }
    return false;
}

struct job {
    struct session_options o;
    struct session s;
    struct paths paths;
    bool any, bad; /* there were words, and one of them is no folder */
    const char *path;
    bool expects;
};

static int
silent(void *ctx, const char *s, size_t n)
{
    (void)ctx;
    (void)s;
    (void)n;
    return 0;
}

static int
work(void *ctx)
{
    struct job *job = ctx;
    const char *text;
    size_t len;

    job->expects = false;
    session_open(&job->s, &job->o);
    job->s.sink.write = silent;
    if (!session_read(&job->s, job->path, &text, &len)) {
        job->expects = true; /* a model that cannot be read has failed */
        return IMP_EXIT_MODEL;
    }
    job->expects = has_expect(text, len);
    if (!job->expects)
        return IMP_EXIT_OK;
    job->s.text.model_name = job->path;
    session_add_text(&job->s, job->path, text, len, false);
    return session_all(&job->s);
}

static int
run_all(struct job *job)
{
    const struct paths *ps = &job->paths;
    static const char *const words[] = {"ok", "expect failed", "model wrong",
                                        "run failed"};
    int models = 0, failed = 0;
    bool stopped = false;

    for (size_t i = 0; i < ps->n && !stopped; i++) {
        job->path = ps->v[i];
        int status = cli_guard(work, job);
        stopped = *cli_stop_flag() != 0;
        if (job->expects) {
            models++;
            failed += status != IMP_EXIT_OK;
            printf("%-14s %s\n", words[status], job->path);
            fflush(stdout);
            if (job->s.arena && status != IMP_EXIT_OK)
                driver_print_messages(&job->s.ds, job->o.diagnostics);
        }
        session_close(&job->s);
    }
    if (stopped) {
        cli_error(DIAG_E0824, NULL, "stopped after %d of the models", models);
        return IMP_EXIT_RUN;
    }
    if (models == 0) {
        cli_error(
            DIAG_E0818,
            "a model is tested by what it expects: expect r.status == \"done\"",
            "no model with an `expect` was found");
        return IMP_EXIT_MODEL;
    }
    printf("%d model%s, %d passed, %d failed\n", models, models == 1 ? "" : "s",
           models - failed, failed);
    return failed ? IMP_EXIT_EXPECT : IMP_EXIT_OK;
}

static bool
take(void *ctx, int which, const char *value)
{
    struct job *job = ctx;
    struct stat st;

    if (which != CLI_WORD)
        return runopts_apply(&job->o, to_runopt[which], value);
    job->any = true;
    if (stat(value, &st) != 0 || !S_ISREG(st.st_mode)) {
        job->bad |= !collect(&job->paths, value);
        return true;
    }
    char *p = mem_alloc(strlen(value) + 1);
    memcpy(p, value, strlen(value));
    VEC_PUSH(&job->paths, p);
    return true;
}

static int
run(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct job job = {0};
    struct paths *ps = &job.paths;

    session_defaults(&job.o);
    job.o.stop = cli_stop_flag();
    int status = cli_read(&a, take, &job);
    if (status < 0 && !job.any)
        job.bad = !collect(ps, ".");
    if (status < 0 && job.bad) {
        status = IMP_EXIT_MODEL;
    } else if (status < 0) {
        if (ps->n)
            qsort(ps->v, ps->n, sizeof *ps->v, by_name);
        status = run_all(&job);
        status = cli_worst(status, cli_flush());
    }
    for (size_t i = 0; i < ps->n; i++)
        free(ps->v[i]);
    free(ps->v);
    return status;
}

const struct cli_command cli_test = {
    .name = "test",
    .run = run,
    .words = "[DIR]...",
    .doc = "run every model that states what it expects",
    .text = "Runs every file *.imp below DIR (the current folder) whose text "
            "has an\n`expect`. Status 1 when any of them fails, for whatever "
            "reason.\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
};
