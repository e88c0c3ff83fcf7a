/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp run: a model's commands, in order; results to stdout. */
#include <stdio.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "cli/commands.h"
#include "cli/session/runopts.h"

static const struct cli_opt opts[] = {RUNOPTS};

struct job {
    struct session_options o;
    struct session s;
    const char *path;
};

static int
work(void *ctx)
{
    struct job *job = ctx;

    session_open(&job->s, &job->o);
    job->s.sink.write = cli_write;
    if (!session_add_file(&job->s, job->path))
        return IMP_EXIT_MODEL;
    return session_all(&job->s);
}

static bool
take(void *ctx, int which, const char *value)
{
    struct job *job = ctx;
    return which == CLI_WORD ? cli_one(&cli_run, &job->path, value)
                             : runopts_apply(&job->o, which, value);
}

static int
run(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct job job = {0};

    session_defaults(&job.o);
    job.o.stop = cli_stop_flag();
    int status = cli_read(&a, take, &job);
    if (status < 0 && job.path && job.o.sweeps.resume && !job.o.dir) {
        cli_error(DIAG_E0822, "name the folder that the sweep has been kept in",
                  "`--resume` needs `--out DIR`");
        status = IMP_EXIT_MODEL;
    }
    if (status < 0 && job.path) {
        job.o.sweeps.progress = isatty(STDERR_FILENO);
        status = cli_guard(work, &job);
        /* results come before messages, also where both go to one terminal */
        if (job.s.result.driver && job.s.result.driver->out.error) {
            (void)fflush(stdout); /* the reason has been reported */
            clearerr(stdout);
        } else {
            status = cli_worst(status, cli_flush());
        }
        session_end(&job.s);
    } else if (status < 0) {
        cli_error(DIAG_E0822, "`imp run MODEL`, or `-` for the standard input",
                  "`imp run` wants a model");
        status = IMP_EXIT_MODEL;
    }
    runopts_free(&job.o);
    return status;
}

const struct cli_command cli_run = {
    .name = "run",
    .run = run,
    .words = "MODEL",
    .doc = "run a model's commands",
    .text = "Results go to the standard output, messages to the standard "
            "error. Without\n--out no file is written and plots are text.\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
};
