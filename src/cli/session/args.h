/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all subcommands share: the reader of options, messages without a place
 * in a source, and the flag that Ctrl-C sets. A subcommand is a row (struct
 * cli_command) with one function, which gets the words after the subcommand's
 * name and returns an exit status (abi/status.h). */
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

/* -- options --------------------------------------------------------------- */

enum { CLI_END = -1, CLI_WORD = -2, CLI_BAD = -3, CLI_HELP = -4 };
struct cli_args {
    const struct cli_command *cmd;
    int argc, i;
    char **argv;
    bool words_only;   /* after "--" */
    const char *value; /* of the option or the word just read */
};
/* The index of the next option in cmd->opts, CLI_WORD, or CLI_END; CLI_BAD
 * after a message (exit 2); CLI_HELP after the help was printed (exit 0).
 * "--opt value" and "--opt=value" are the same. */
int cli_next(struct cli_args *args);
/* Reads all options in order and gives each to take(ctx, k, value), where k is
 * an index or CLI_WORD, until one is refused (false, after a message). Returns
 * -1 to go on, or the status to end with. */
typedef bool cli_take_fn(void *ctx, int k, const char *value);
int cli_read(struct cli_args *args, cli_take_fn *take, void *ctx);
/* The next word among the options, which have been read; NULL behind the last.
 */
const char *cli_next_word(struct cli_args *args);
/* Stores the model of a command that takes one model; false, after a message,
 * if there is a second one. */
bool cli_one(const struct cli_command *command, const char **model,
             const char *word);
/* The number of `word` among the n choices, or -1 after a message. */
int cli_choice(const char *option, const char *word, const char *const *choices,
               size_t n);

/* -- messages -------------------------------------------------------------- */

/* Prints one diagnostic without a place on stderr, as text. help may be NULL.
 */
void cli_error(enum diag_code code, const char *help, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* E0819: why a file cannot be written; `error` is an errno. cli_write_remedy
 * says what to do about it. */
void cli_cannot_write(const char *path, int error);
const char *cli_write_remedy(int error);
/* Writes to stdout, which is buffered; the sink of struct output. cli_flush
 * returns IMP_EXIT_OK, or IMP_EXIT_RUN after a message. */
int cli_write(void *ctx, const char *s, size_t n);
int cli_flush(void);
void cli_puts(const char *s);

/* The flag that Ctrl-C sets (driver_signals, called once). */
atomic_int *cli_stop_flag(void);
/* Prints to stderr, without colours. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Runs fn(ctx) with a guard: returns status 3 after E0817 if memory runs out.
 * ctx must own what fn holds on the heap. */
int cli_guard(int (*fn)(void *ctx), void *ctx);

static inline int
cli_worst(int a, int b)
{
    return a > b ? a : b;
}

#endif
