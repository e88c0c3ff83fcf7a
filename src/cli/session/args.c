/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the subcommands, help, and messages that have no source place.
 * The tables in cmd_*.c are the only list of options: reader, help and
 * "did you mean" all work from them. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "cli/session/args.h"
#include "output/out.h"

void
cli_error(enum diag_code code, const char *help, const char *fmt, ...)
{
    assert(code > DIAG_NONE && code < DIAG_COUNT && fmt);
    struct arena *arena = arena_new();
    struct diags ds;
    struct buf text = {0};
    va_list ap;

    va_start(ap, fmt);
    buf_vprintf(&text, fmt, ap);
    va_end(ap);
    diags_init(&ds, arena, NULL);
    struct diag *diag = diag_add(&ds, code, IMP_NOWHERE, "%s", buf_str(&text));
    if (help)
        diag_help(&ds, diag, "%s", help);
    driver_print_messages(&ds, DIAG_TEXT);
    buf_free(&text);
    arena_free(arena);
}

void
cli_say(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
}

int
cli_write(void *ctx, const char *s, size_t n)
{
    (void)ctx;
    errno = 0;
    if (fwrite(s, 1, n, stdout) == n)
        return 0;
    return errno ? errno : EIO;
}

void
cli_puts(const char *s)
{
    (void)cli_write(NULL, s, strlen(s));
}

const char *
cli_write_remedy(int error)
{
    const char *remedy = out_remedy(error);
    return remedy ? remedy
           : error == ENOENT
               ? "make the folder first: the path leads to one that does not "
                 "exist"
           : error == EISDIR  ? "a folder has this name: choose another"
           : error == ENOTDIR ? "a part of the path is a file: choose another"
                              : "choose a place where you may write";
}

void
cli_cannot_write(const char *path, int error)
{
    assert(path && error);
    cli_error(DIAG_E0819, cli_write_remedy(error), "cannot write `%s`: %s",
              path, strerror(error));
}

int
cli_flush(void)
{
    errno = 0;
    bool bad = ferror(stdout) != 0;
    if (fflush(stdout) != 0 || bad) {
        /* where an earlier write failed, its reason is no longer known */
        cli_error(DIAG_E0855, "is its disk full, or its reader gone?",
                  "cannot write to the standard output%s%s", errno ? ": " : "",
                  errno ? strerror(errno) : "");
        clearerr(stdout);
        return IMP_EXIT_RUN;
    }
    return IMP_EXIT_OK;
}

atomic_int *
cli_stop_flag(void)
{
    return driver_signals();
}

int
cli_guard(int (*fn)(void *ctx), void *ctx)
{
    assert(fn);
    struct oom_guard guard;

    if (setjmp(guard.env)) {
        oom_watch(NULL);
        oom_leave(&guard);
        fputs(oom_stopped() ? "error[E0717]: stopped before the run began\n"
                            : "error[E0817]: out of memory\n",
              stderr);
        return IMP_EXIT_RUN;
    }
    oom_enter(&guard);
    int status = fn(ctx);
    oom_leave(&guard);
    return status;
}

int
cli_choice(const char *option, const char *word, const char *const *choices,
           size_t n)
{
    assert(option && word && (choices || n == 0));
    struct buf text = {0};

    for (size_t i = 0; i < n; i++)
        if (strcmp(word, choices[i]) == 0)
            return (int)i;
    const char *near = suggest(word, choices, n);
    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "%s%s", i ? i + 1 < n ? ", " : " or " : "",
                   choices[i]);
    cli_error(DIAG_E0804, NULL, "`%s` takes %s; found `%s`%s%s%s", option,
              buf_str(&text), word, near ? ": did you mean `" : "",
              near ? near : "", near ? "`?" : "");
    buf_free(&text);
    return -1;
}

static void
print_options(const struct cli_opt *opts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct buf text = {0};
        buf_printf(&text, "%s%s%s", opts[i].name,
                   opts[i].arg ? opts[i].name[1] == '-' ? "=" : " " : "",
                   opts[i].arg ? opts[i].arg : "");
        printf("  %-30s  %s\n", buf_str(&text), opts[i].doc);
        buf_free(&text);
    }
}

static void
cli_help(const struct cli_command *command)
{
    printf("Usage: imp %s%s%s%s\n\n%s\n", command->name,
           command->n_opts ? " [OPTION]..." : "", command->words[0] ? " " : "",
           command->words, command->doc);
    if (command->text)
        printf("\n%s", command->text);
    printf("\nOptions:\n");
    print_options(command->opts, command->n_opts);
    printf("  %-30s  %s\n", "--help", "print this");
}

static int
unknown(struct cli_args *args, const char *word, size_t n)
{
    const struct cli_command *command = args->cmd;
    const char **names = mem_alloc((command->n_opts + 1) * sizeof *names);
    char *copy = mem_alloc(n + 1);
    char help[160];

    memcpy(copy, word, n);
    for (size_t i = 0; i < command->n_opts; i++)
        names[i] = command->opts[i].name;
    names[command->n_opts] = "--help";
    const char *near = suggest(copy, names, command->n_opts + 1);
    bool sets = false;
    for (size_t i = 0; i < command->n_opts; i++)
        sets |= strcmp(command->opts[i].name, "--set") == 0;
    if (sets && !near && n > 2 && word[n] == '=')
        snprintf(help, sizeof help,
                 "`imp %s --help` lists the options; a param of the model is "
                 "set by --set NAME=VALUE",
                 command->name);
    else
        snprintf(help, sizeof help, "`imp %s --help` lists the options",
                 command->name);
    cli_error(DIAG_E0802, help, "`imp %s` has no option `%s`%s%s%s",
              command->name, copy, near ? ": did you mean `" : "",
              near ? near : "", near ? "`?" : "");
    free(copy);
    free(names);
    return CLI_BAD;
}

int
cli_next(struct cli_args *args)
{
    assert(args && args->cmd && args->i <= args->argc);
    if (args->i >= args->argc)
        return CLI_END;
    const char *word = args->argv[args->i++];
    args->value = word;
    if (args->words_only || word[0] != '-' || word[1] == 0)
        return CLI_WORD;
    if (strcmp(word, "--") == 0) {
        args->words_only = true;
        return cli_next(args);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cli_help(args->cmd);
        return CLI_HELP;
    }
    const char *eq = word[1] == '-' ? strchr(word, '=') : NULL;
    size_t len = eq ? (size_t)(eq - word) : strlen(word);
    for (size_t which = 0; which < args->cmd->n_opts; which++) {
        const struct cli_opt *opt = &args->cmd->opts[which];
        if (strlen(opt->name) != len || memcmp(opt->name, word, len) != 0)
            continue;
        if (!opt->arg && eq) {
            cli_error(DIAG_E0803, NULL, "`%s` is a switch and takes no value",
                      opt->name);
            return CLI_BAD;
        }
        if (!opt->arg) {
            args->value = NULL;
        } else if (eq) {
            args->value = eq + 1;
        } else if (args->i < args->argc) {
            args->value = args->argv[args->i++];
        } else {
            cli_error(DIAG_E0803, NULL, "`%s` needs a value: %s=%s", opt->name,
                      opt->name, opt->arg);
            return CLI_BAD;
        }
        return (int)which;
    }
    return unknown(args, word, len);
}

int
cli_read(struct cli_args *args, cli_take_fn *take, void *ctx)
{
    assert(args && take);
    int k;

    while ((k = cli_next(args)) != CLI_END) {
        if (k == CLI_HELP)
            return IMP_EXIT_OK;
        if (k == CLI_BAD || !take(ctx, k, args->value))
            return IMP_EXIT_MODEL;
    }
    return -1;
}

const char *
cli_next_word(struct cli_args *args)
{
    int which = cli_next(args);

    while (which != CLI_END && which != CLI_WORD)
        which = cli_next(args);
    return which == CLI_WORD ? args->value : NULL;
}

bool
cli_one(const struct cli_command *command, const char **model, const char *word)
{
    assert(command && model && word);
    if (*model)
        cli_error(
            DIAG_E0822,
            strchr(word, '=') ? "a param is set by --set NAME=VALUE" : NULL,
            "`imp %s` takes one %s; found a second one, `%s`", command->name,
            strcmp(command->name, "replay") ? "model" : "run file", word);
    else
        *model = word;
    return *model == word;
}
