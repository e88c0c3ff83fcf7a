/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp build: the subcommand. Values of --set become the simulator's defaults;
 * those of structural params are compiled in. */
#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "cli/build.h"
#include "cli/commands.h"
#include "cli/session/runopts.h"

#include <string.h>

enum {
    OPT_OUT,
    OPT_EMIT,
    OPT_CPU,
    OPT_OPT,
    OPT_SET,
    OPT_DIAGNOSTICS,
    OPT_ALLOW_READ
};
static const struct cli_opt opts[] = {
    {"-o", "FILE", "the file to write (needed)"},
    {"--emit", "exe|obj|llvm|asm", "what to write (exe)"},
    {"--cpu", "NAME", "processor, or `host` (x86-64-v2: every PC since 2009)"},
    {"--opt", "0|1|2", "how hard the code generator tries (1)"},
    {"--set", "NAME=VALUE",
     "new default of a param; structural ones are fixed"},
    {"--diagnostics", "text|lines|json", "form of messages (text)"},
    {"--allow-read", "DIR", "`use` may read files below this folder, too"},
};

struct job {
    struct session_options o;
    struct session s;
    struct build_options b;
    const char *path, *out;
};

/* A copy of the image whose defaults are the chosen values. */
static const imp_image *
with_defaults(struct session *session)
{
    imp_image *image =
        arena_copy(session->arena, session->image, session->image->size);
    imp_param *p = (imp_param *)((char *)image + image->params.off);

    for (uint32_t i = 0; i < image->params.n; i++)
        p[i].dflt = session->params[i];
    return image;
}

static int
work(void *ctx)
{
    struct job *job = ctx;
    int status = session_load(&job->s, &job->o, job->path);

    if (status == IMP_EXIT_OK)
        status = build_simulator(with_defaults(&job->s), job->out, &job->b,
                                 &job->s.ds);
    return status;
}

static bool
take(void *ctx, int which, const char *value)
{
    static const char *const emits[] = {"exe", "obj", "llvm", "asm"};
    static const int common[] = {[OPT_OPT] = RUNOPT_OPT,
                                 [OPT_SET] = RUNOPT_SET,
                                 [OPT_DIAGNOSTICS] = RUNOPT_DIAGNOSTICS,
                                 [OPT_ALLOW_READ] = RUNOPT_ALLOW_READ};
    struct job *job = ctx;
    int choice;

    switch (which) {
    case CLI_WORD:
        return cli_one(&cli_build, &job->path, value);
    case OPT_OUT:
        job->out = value;
        return true;
    case OPT_EMIT:
        if ((choice = cli_choice("--emit", value, emits, 4)) < 0)
            return false;
        job->b.emit = (enum build_emit)choice;
        return true;
    case OPT_CPU:
        job->b.cpu = value;
        return true;
    default:
        return runopts_apply(&job->o, common[which], value);
    }
}

static int
run(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct job job = {0};

    session_defaults(&job.o);
    job.o.stop = cli_stop_flag();
    int status = cli_read(&a, take, &job);
    if (status < 0 && job.path && job.out && job.out[0]) {
        job.b.opt = job.o.opt;
        job.b.stop = job.o.stop;
        status = cli_guard(work, &job);
        session_end(&job.s);
    } else if (status < 0) {
        cli_error(DIAG_E0822, "`imp build MODEL -o SIM`",
                  job.path ? "`imp build` wants a name for what it writes: -o"
                           : "`imp build` wants a model");
        status = IMP_EXIT_MODEL;
    }
    runopts_free(&job.o);
    return status;
}

const struct cli_command cli_build = {
    .name = "build",
    .run = run,
    .words = "MODEL",
    .doc = "make a standalone simulator of a model",
    .text =
        "The simulator needs neither imp nor LLVM nor the model; its params "
        "are flags\n(`SIM --help`). It prints what `imp run` prints, byte "
        "for byte.\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
};
