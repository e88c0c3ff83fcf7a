/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommand `imp repl`: its options, and where its lines come from. */
#include <unistd.h>

#include "abi/status.h"
#include "cli/repl/repl.h"
#include "cli/repl/repl_priv.h"
#include "cli/session/runopts.h"

/* -- the subcommand -------------------------------------------------------- */

static const struct cli_opt opts[] = {RUNOPTS};

static bool
take(void *ctx, int which, const char *value)
{
    struct repl *repl = ctx;
    if (which != CLI_WORD)
        return runopts_apply(&repl->o, which, value);
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
    struct repl repl = {0};

    session_defaults(&repl.o);
    int status = cli_read(&a, take, &repl);
    if (status >= 0)
        goto done;
    if (repl.o.n_sets && !repl.first) {
        cli_error(DIAG_E0822, "`imp repl MODEL --set NAME=VALUE`",
                  "`--set` changes a param of a model, but none is given");
        status = IMP_EXIT_MODEL;
        goto done;
    }
    repl.tty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    repl.o.trace_in_case = repl.tty; /* for :view */
    if (repl.first) {
        struct buf text = {0};
        buf_printf(&text, ":load %s", repl.first);
        (void)repl_entry(&repl, text.s, text.n);
        buf_free(&text);
    }
    status = repl.tty ? repl_lines_tty(&repl) : repl_lines_pipe(&repl);
done:
    repl_free(&repl);
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
