/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp fmt: models in the one canonical layout, in place and atomically. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "base/io.h"
#include "cli/commands.h"
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

/* the new text beside the file, then in its place; keeps its mode. A link is
 * followed: the file it leads to is replaced, not the link. */
static bool
replace(struct session *session, const char *path, const struct buf *buf)
{
    struct stat st;
    char *real = realpath(path, NULL);
    const char *target = real ? real : path;
    char *tmp = arena_printf(session->arena, "%s.XXXXXX", target);
    int fd = mkostemp(tmp, O_CLOEXEC);
    bool ok = fd >= 0;

    if (ok && stat(target, &st) == 0)
        ok = fchmod(fd, st.st_mode & 07777) == 0;
    int e = ok ? io_write(fd, buf->s, buf->n) : errno;
    if (fd >= 0) {
        if (!e && fsync(fd) != 0 && errno != EINVAL)
            e = errno;
        if (close(fd) != 0 && !e)
            e = errno;
        if (!e && rename(tmp, target) != 0)
            e = errno;
        if (e)
            unlink(tmp);
    }
    if (e)
        diag_add(&session->ds, DIAG_E0819, IMP_NOWHERE, "cannot write `%s`: %s",
                 path, strerror(e));
    free(real);
    return !e;
}

static int
work(void *ctx)
{
    struct job *job = ctx;
    const char *text;
    size_t n;

    session_open(&job->s, &job->o);
    if (!session_read(&job->s, job->path, &text, &n))
        return IMP_EXIT_MODEL;
    bool is_stdin = strcmp(job->path, "-") == 0;
    uint32_t file =
        sources_add(job->s.sources, is_stdin ? "<stdin>" : job->path, text, n);
    if (!fmt_file(job->s.arena, &job->s.ds, file, &job->text))
        return IMP_EXIT_MODEL;
    bool same =
        job->text.n == n && (n == 0 || memcmp(job->text.s, text, n) == 0);
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
take(void *ctx, int k, const char *value)
{
    struct job *job = ctx;
    (void)value;
    job->files += k == CLI_WORD;
    job->check |= k == OPT_CHECK;
    job->print |= k == OPT_STDOUT;
    return true;
}

static int
run(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct cli_args b = a;
    struct job j = {0};
    int k;

    session_defaults(&j.o);
    int status = cli_read(&a, take, &j);
    if (status >= 0)
        return status;
    if (j.files == 0) {
        cli_error(DIAG_E0822,
                  "`imp fmt MODEL...`, or `-` for the standard "
                  "input",
                  "`imp fmt` wants at least one model");
        return IMP_EXIT_MODEL;
    }
    status = IMP_EXIT_OK;
    while ((k = cli_next(&b)) != CLI_END) {
        if (k != CLI_WORD)
            continue;
        j.path = b.value;
        status = cli_worst(status, cli_guard(work, &j));
        buf_free(&j.text);
        session_end(&j.s);
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
