/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp fmt: models in the one canonical layout, in place and atomically. */
#include <stdio.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "cli/commands.h"
#include "cli/session/put_file.h"
#include "cli/session/session.h"
#include "syntax/fmt.h"

enum { OPT_CHECK, OPT_STDOUT };
static const struct cli_opt opts[] = {
    {"--check", NULL, "write nothing; name the files that would change"},
    {"--stdout", NULL, "print the formatted text instead of writing it"},
};

struct job {
    struct session_options o;
    struct session s;
    struct buf text;
    const char *path;
    bool check, print;
    int files;
};

static bool
replace(struct session *session, const char *path, const struct buf *buf)
{
    int error = cli_put_file(path, buf->s, buf->n);
    if (error)
        diag_help(&session->ds,
                  diag_add(&session->ds, DIAG_E0819, IMP_NOWHERE,
                           "cannot write `%s`: %s", path, strerror(error)),
                  "%s", cli_write_remedy(error));
    return !error;
}

static int
work(void *ctx)
{
    struct job *job = ctx;
    const char *text;
    size_t len;

    session_open(&job->s, &job->o);
    if (!session_read(&job->s, job->path, &text, &len))
        return IMP_EXIT_MODEL;
    bool is_stdin = strcmp(job->path, "-") == 0;
    uint32_t file = sources_add(job->s.text.sources,
                                is_stdin ? "<stdin>" : job->path, text, len);
    oom_watch(job->s.stop); /* until there is something to write */
    bool whole = fmt_file(job->s.arena, &job->s.ds, file, &job->text);
    oom_watch(NULL);
    if (!whole)
        return IMP_EXIT_MODEL;
    bool same =
        job->text.n == len && (len == 0 || memcmp(job->text.s, text, len) == 0);
    if (job->check) {
        if (same)
            return IMP_EXIT_OK;
        printf("%s\n", is_stdin ? "<stdin>" : job->path);
        return IMP_EXIT_EXPECT;
    }
    if (is_stdin || job->print) {
        (void)cli_write(NULL, buf_str(&job->text), job->text.n);
        return IMP_EXIT_OK;
    }
    return same || replace(&job->s, job->path, &job->text) ? IMP_EXIT_OK
                                                           : IMP_EXIT_RUN;
}

static bool
take(void *ctx, int which, const char *value)
{
    struct job *job = ctx;
    (void)value;
    job->files += which == CLI_WORD;
    job->check |= which == OPT_CHECK;
    job->print |= which == OPT_STDOUT;
    return true;
}

static int
run(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct cli_args args = a;
    struct job job = {0};

    session_defaults(&job.o);
    job.o.stop = cli_stop_flag();
    int status = cli_read(&a, take, &job);
    if (status >= 0)
        return status;
    if (job.files == 0) {
        cli_error(DIAG_E0822,
                  "`imp fmt MODEL...`, or `-` for the standard "
                  "input",
                  "`imp fmt` wants at least one model");
        return IMP_EXIT_MODEL;
    }
    status = IMP_EXIT_OK;
    while ((job.path = cli_next_word(&args))) {
        status = cli_worst(status, cli_guard(work, &job));
        buf_free(&job.text);
        session_end(&job.s);
    }
    return cli_worst(status, cli_flush());
}

const struct cli_command cli_fmt = {
    .name = "fmt",
    .run = run,
    .words = "MODEL...",
    .doc = "bring models into the canonical layout",
    .text = "Files are changed in place, all at once or not at all; `-` reads "
            "the standard\ninput and writes the standard output. With --check "
            "the status is 1 when a file\nwould change.\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
};
