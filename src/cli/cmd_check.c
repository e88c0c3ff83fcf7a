/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp check: are the models right? Names, kinds, dimensions, and whether the
 * mechanics can be set up; no code is generated, so LLVM is not loaded. */
#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "cli/commands.h"
#include "cli/session/runopts.h"

enum { OPT_SET, OPT_DIAGNOSTICS, OPT_ALLOW_READ };
static const struct cli_opt opts[] = {
    {"--set", "NAME=VALUE", "change a param: SI, or with a unit '3 [mm]'"},
    {"--diagnostics", "text|lines|json", "form of messages (text)"},
    {"--allow-read", "DIR", "`use` may read files below this folder, too"},
};

struct job {
    struct session_options o;
    struct session s;
    const char *path;
    int models;
};

static int
work(void *ctx)
{
    struct job *job = ctx;

    return session_load(&job->s, &job->o, job->path);
}

static bool
take(void *ctx, int which, const char *value)
{
    static const int common[] = {[OPT_SET] = RUNOPT_SET,
                                 [OPT_DIAGNOSTICS] = RUNOPT_DIAGNOSTICS,
                                 [OPT_ALLOW_READ] = RUNOPT_ALLOW_READ};
    struct job *job = ctx;
    job->models += which == CLI_WORD;
    return which == CLI_WORD || runopts_apply(&job->o, common[which], value);
}

static int
run(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct cli_args args = a;
    struct job job = {0};

    /* read the options first, because they hold for all models */
    session_defaults(&job.o);
    job.o.stop = cli_stop_flag();
    int status = cli_read(&a, take, &job);
    if (status < 0 && job.models == 0) {
        cli_error(DIAG_E0822, "`imp check MODEL...`",
                  "`imp check` wants at least one model");
        status = IMP_EXIT_MODEL;
    } else if (status < 0) {
        status = IMP_EXIT_OK;
        while ((job.path = cli_next_word(&args))) {
            status = cli_worst(status, cli_guard(work, &job));
            session_end(&job.s);
        }
    }
    runopts_free(&job.o);
    return status;
}

const struct cli_command cli_check = {
    .name = "check",
    .run = run,
    .words = "MODEL...",
    .doc = "say what is wrong with models",
    .text = "Says nothing about a model that is right. What depends on values "
            "(a mass of\nzero, an overlap at the start) is found by `imp "
            "run`.\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
};
