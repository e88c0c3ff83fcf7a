/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What main.c and the subcommands share: the table of subcommands, the option
 * reader, printing of diagnostics, and the stop flag of Ctrl-C. Each
 * subcommand is one file cmd_X.c (build.c for `build`) with one function that
 * gets the words after its own name and returns an exit status (abi/status.h).
 */
#ifndef IMP_CLI_SESSION_ARGS_H
#define IMP_CLI_SESSION_ARGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

struct cli_opt {
    const char *name; /* "--set"; a single dash and letter is allowed too */
    const char *arg;  /* "NAME=VALUE"; NULL: takes no value */
    const char *doc;
};
struct cli_command {
    const char *name;
    int (*run)(const struct cli_command *self, int argc, char **argv);
    const char *words; /* "MODEL..." for the usage line */
    const char *doc;   /* one line */
    const char *text;  /* further help, or NULL */
    const struct cli_opt *opts;
    size_t n_opts;
};

/* -- options -------------------------------------------------------------- */

enum { CLI_END = -1, CLI_WORD = -2, CLI_BAD = -3, CLI_HELP = -4 };
struct cli_args {
    const struct cli_command *cmd;
    int argc, i;
    char **argv;
    bool words_only;   /* after "--" */
    const char *value; /* of the option or the word just read */
};
/* the next option's index in cmd->opts, CLI_WORD, CLI_END; CLI_BAD after a
 * message (exit 2); CLI_HELP after printing the help (exit 0). "--opt value"
 * and "--opt=value" are the same. */
int cli_next(struct cli_args *args);
/* All of them, in order, to take(ctx, k, value), k an index or CLI_WORD, until
 * one is refused (false, after a message). -1: go on; else the status to end
 * with. */
typedef bool cli_take_fn(void *ctx, int k, const char *value);
int cli_read(struct cli_args *args, cli_take_fn *take, void *ctx);
/* the model of a command that takes one; false after a message: a second one */
bool cli_one(const struct cli_command *command, const char **model,
             const char *word);
/* number of `word` among the n choices, or -1 after a message */
int cli_choice(const char *option, const char *word, const char *const *choices,
               size_t n);

/* -- messages ------------------------------------------------------------- */

/* one diagnostic without a place, on stderr, in text form; help may be NULL */
void cli_error(enum diag_code code, const char *help, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* stdout: buffered; the sink of struct output. cli_flush returns IMP_EXIT_OK or
 * IMP_EXIT_RUN after a message */
int cli_write(void *ctx, const char *s, size_t n);
int cli_flush(void);
void cli_puts(const char *s);

/* the flag that Ctrl-C sets (driver_signals, called once) */
atomic_int *cli_stop_flag(void);
/* stderr, uncoloured */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Runs fn(ctx) with an out-of-memory guard: status 3 and E0817 if memory
 * ends. What fn holds on the heap must hang on ctx. */
int cli_guard(int (*fn)(void *ctx), void *ctx);

static inline int
cli_worst(int a, int b)
{
    return a > b ? a : b;
}

#endif
