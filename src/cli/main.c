/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp: the program's entry. Finds the subcommand and leaves with its status:
 * 0 fine, 1 an `expect` failed, 2 the model or the command line is wrong, 3 the
 * computation failed; nothing else, and never by a signal. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/commands.h"
#include "abi/status.h"
#include "base/arena.h"
#include "base/io.h"
#include "base/stack.h"
#include "cli/code/version.h"
#include "cli/commands.h"
#include "cli/repl/repl.h"

static const struct cli_command *const table[] = {
    &cli_run,  &cli_repl,   &cli_build,   &cli_check, &cli_fmt, &cli_test,
    &cli_view, &cli_replay, &cli_explain, &cli_doc,   &cli_lsp,
};
#define N_TABLE (sizeof table / sizeof *table)

static void
help(void)
{
    printf("Imp: a language for rigid bodies that collide.\n\n"
           "Usage: imp SUBCOMMAND ...\n\n");
    for (size_t i = 0; i < N_TABLE; i++) {
        struct buf text = {0};
        buf_printf(&text, "%s %s", table[i]->name, table[i]->words);
        printf("  imp %-22s  %s\n", buf_str(&text), table[i]->doc);
        buf_free(&text);
    }
    printf("\n`imp SUBCOMMAND --help` says more. Exit status: 0 fine, 1 an "
           "`expect` failed,\n2 the model or the command line is wrong, 3 the "
           "computation failed.\n");
}

/* A fault of our own (a bad access, an abort) must not kill by a signal. */
static void
on_fault(int sig)
{
    static const char text[] =
        "imp: internal error: please report this with the model\n";
    (void)sig;
    ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    (void)n;
    _exit(IMP_EXIT_RUN);
}

static void
catch_faults(void)
{
    static char stack[65536]; /* The handler gets a stack of its own, because
                                 the fault may be that the stack is full. */
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction sa = {0};

    sigaltstack(&ss, NULL);
    sa.sa_handler = on_fault;
    sa.sa_flags = SA_ONSTACK;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], &sa, NULL);
}

struct call {
    int argc;
    char **argv;
};

/* The subcommand of this name, or NULL. */
static const struct cli_command *
subcommand(const char *name)
{
    for (size_t i = 0; i < N_TABLE; i++)
        if (strcmp(name, table[i]->name) == 0)
            return table[i];
    return NULL;
}

/* Is this the word of a command of the language? */
static bool
asks_in_a_model(const char *word)
{
    bool any = false;
    for (uint32_t id = 0; id < IMP_CMD_COUNT; id++)
        any |= strcmp(word, imp_command_word(id)) == 0;
    return any;
}

/* Says that there is none of this name, and what may be meant. */
static int
no_subcommand(const char *word)
{
    const char *names[N_TABLE];
    for (size_t i = 0; i < N_TABLE; i++)
        names[i] = table[i]->name;
    size_t n = strlen(word);
    bool model =
        (n > 4 && strcmp(word + n - 4, ".imp") == 0) || access(word, F_OK) == 0;
    bool asks = asks_in_a_model(word);
    const char *near = model || asks ? NULL : suggest(word, names, N_TABLE);
    struct buf help = {0};
    if (model)
        buf_printf(&help, "`imp run %s` runs a model", word);
    else if (asks)
        buf_printf(&help,
                   "`%s` is a command of a model, and `imp run MODEL` carries "
                   "out all of them; `imp doc %s` tells more",
                   word, word);
    else if (strcmp(word, "version") == 0 || strcmp(word, "-v") == 0 ||
             strcmp(word, "-V") == 0)
        buf_printf(&help, "`imp --version` prints the version");
    else
        buf_printf(&help, "`imp --help` lists the subcommands");
    cli_error(DIAG_E0801, buf_str(&help), "`imp` has no subcommand `%s`%s%s%s",
              word, near ? ": did you mean `" : "", near ? near : "",
              near ? "`?" : "");
    buf_free(&help);
    return IMP_EXIT_MODEL;
}

static int
dispatch(void *ctx)
{
    struct call *call = ctx;
    const struct cli_command *command;

    /* `imp help run` is `imp run --help`. */
    if (call->argc > 2 && strcmp(call->argv[1], "help") == 0) {
        static char help_option[] = "--help";
        char *words[] = {help_option, NULL};
        command = subcommand(call->argv[2]);
        return command ? command->run(command, 1, words)
                       : no_subcommand(call->argv[2]);
    }
    if (call->argc < 2 || strcmp(call->argv[1], "--help") == 0 ||
        strcmp(call->argv[1], "-h") == 0 ||
        strcmp(call->argv[1], "help") == 0) {
        help();
        return call->argc < 2 ? IMP_EXIT_MODEL : IMP_EXIT_OK;
    }
    if (strcmp(call->argv[1], "--version") == 0) {
        struct buf text = {0};
        version_print(&text);
        cli_puts(buf_str(&text));
        buf_free(&text);
        return IMP_EXIT_OK;
    }
    command = subcommand(call->argv[1]);
    return command ? command->run(command, call->argc - 2, call->argv + 2)
                   : no_subcommand(call->argv[1]);
}

static int
work(void *ctx)
{
#ifndef IMP_SANITIZED
    catch_faults();
#else
    (void)catch_faults;
#endif
    (void)cli_stop_flag();
    int status = cli_guard(dispatch, ctx);
    return cli_worst(status, cli_flush());
}

int
main(int argc, char **argv)
{
    struct call call = {.argc = argc, .argv = argv};

    io_open_standard();
    return stack_call(work, &call);
}
