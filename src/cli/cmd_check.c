/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp check: are the models right? Names, kinds, dimensions, and whether the
 * mechanics can be set up; no code is generated, so LLVM is not loaded. */
#include "abi/status.h"
#include "analysis/driver.h"
#include "cli/runopts.h"

enum { OPT_SET, OPT_DIAGNOSTICS };
static const struct cli_opt opts[] = {
    {"--set", "NAME=VALUE", "change a param: SI, or with a unit '3 [mm]'"},
    {"--diagnostics", "text|lines|json", "form of messages (text)"},
};

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
    if (!session_add_file(&j->s, j->path))
        return IMP_EXIT_MODEL;
    int status = session_check(&j->s);
    if (status == IMP_EXIT_OK)
        status = session_compile(&j->s);
    return status;
}

static int
run(const struct cli_command *self, int argc, char **argv)
{
    struct cli_args a = {.cmd = self, .argc = argc, .argv = argv};
    struct cli_args b = a;
    struct job j = {0};
    int status = IMP_EXIT_MODEL, models = 0;
    int k;

    /* options first: they hold for all models */
    session_defaults(&j.o);
    while ((k = cli_next(&a)) != CLI_END) {
        if (k == CLI_HELP) {
            status = IMP_EXIT_OK;
            goto done;
        }
        if (k == CLI_WORD) {
            models++;
            continue;
        }
        if (k < 0 ||
            !runopts_apply(&j.o, k == OPT_SET ? RUNOPT_SET : RUNOPT_DIAGNOSTICS,
                           a.value))
            goto done;
    }
    if (models == 0) {
        cli_error(DIAG_E0822, "`imp check MODEL...`",
                  "`imp check` wants at least one model");
        goto done;
    }
    status = IMP_EXIT_OK;
    while ((k = cli_next(&b)) != CLI_END) {
        if (k != CLI_WORD)
            continue;
        j.path = b.value;
        status = cli_worst(status, cli_guard(work, &j));
        if (j.s.arena)
            driver_print(&j.s.ds, j.o.diagnostics);
        session_close(&j.s);
    }
done:
    runopts_free(&j.o);
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
