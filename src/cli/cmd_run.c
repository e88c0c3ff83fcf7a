/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp run: a model's commands, in order; results to stdout. */
#include <unistd.h>

#include "abi/status.h"
#include "analysis/driver.h"
#include "cli/runopts.h"

static const struct cli_opt opts[] = {RUNOPTS};

struct job {
    struct session_options o;
    struct session s;
    const char *path;
};

static int
work(void *ctx)
{
    struct job *j = ctx;

    session_open(&j->s, &j->o);
    j->s.write = cli_write;
    j->s.stop = cli_stop_flag();
    if (!session_add_file(&j->s, j->path))
        return IMP_EXIT_MODEL;
    return session_all(&j->s);
}

static int
run(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct job j = {0};
    int status = IMP_EXIT_MODEL;
    int k;

    session_defaults(&j.o);
    while ((k = cli_next(&a)) != CLI_END) {
        if (k == CLI_HELP) {
            status = IMP_EXIT_OK;
            goto done;
        }
        if (k == CLI_WORD && !j.path) {
            j.path = a.value;
        } else if (k == CLI_WORD) {
            cli_error(DIAG_E0822, NULL,
                      "`imp run` runs one model; found a second one, `%s`",
                      a.value);
            goto done;
        } else if (k < 0 || !runopts_apply(&j.o, k, a.value)) {
            goto done;
        }
    }
    if (!j.path) {
        cli_error(DIAG_E0822, "`imp run MODEL`, or `-` for the standard input",
                  "`imp run` wants a model");
        goto done;
    }
    j.o.sweeps.progress = isatty(STDERR_FILENO);
    status = cli_guard(work, &j);
    /* results before messages, also where both go to one terminal */
    status = cli_worst(status, cli_flush());
    if (j.s.arena)
        driver_print(&j.s.ds, j.o.diagnostics);
    session_close(&j.s);
done:
    runopts_free(&j.o);
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
