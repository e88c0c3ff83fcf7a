/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommand `imp repl`: its options, and where its lines come from. */
#include <unistd.h>

#include "abi/status.h"
#include "cli/repl/repl.h"
#include "cli/repl/repl_priv.h"
#include "cli/session/runopts.h"

/* ---- the subcommand -------------------------------------------------------
 */

static const struct cli_opt opts[] = {RUNOPTS};

static bool
take(void *ctx, int k, const char *value)
{
    struct repl *repl = ctx;
    if (k != CLI_WORD)
        return runopts_apply(&repl->o, k, value);
    if (repl->first) {
        cli_error(DIAG_E0822, NULL,
                  "`imp repl` starts with one model; "
                  "`:load FILE` takes more");
        return false;
    }
    repl->first = value;
    return true;
}

static int
run(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct repl r = {0};

    session_defaults(&r.o);
    int status = cli_read(&a, take, &r);
    if (status >= 0)
        goto done;
    if (r.o.n_sets && !r.first) {
        cli_error(DIAG_E0822, "`imp repl MODEL --set NAME=VALUE`",
                  "`--set` changes a param of a model, but none is given");
        status = IMP_EXIT_MODEL;
        goto done;
    }
    r.tty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (r.first) {
        struct buf b = {0};
        buf_printf(&b, ":load %s", r.first);
        (void)repl_entry(&r, b.s, b.n);
        buf_free(&b);
    }
    status = r.tty ? repl_lines_tty(&r) : repl_lines_pipe(&r);
done:
    repl_free(&r);
    return status;
}

const struct cli_command cli_repl = {
    .name = "repl",
    .run = run,
    .words = "[MODEL]",
    .doc = "ask questions one at a time",
    .text = "`:help` lists the commands of the prompt, `?NAME` explains a "
            "name. Through a\npipe there are no prompts, and the status is "
            "that of the worst entry.\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
};
