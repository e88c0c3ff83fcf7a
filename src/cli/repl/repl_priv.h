/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the prompt, shared by the files of this room.
 *
 * The state is text: the entries that were accepted, with a mark per item that
 * tells whether it still holds, and the results of commands. Each entry is
 * checked as one model made of all items that hold and the new one. So an entry
 * that is wrong changes nothing. A command runs once, because its result is
 * given to the checker as a prior. */
#ifndef IMP_CLI_REPL_REPL_PRIV_H
#define IMP_CLI_REPL_REPL_PRIV_H

#include "cli/session/session.h"

/* a text that was accepted */
struct repl_chunk {
    char *name, *text; /* heap */
    size_t n;
    bool *keep; /* per item of the parsed text */
    size_t n_items;
};
/* a declaration that waits for others, to be checked with them */
struct repl_held {
    char *text; /* heap */
    size_t n;
    int number; /* of the entry */
};
/* a result; everything lies in its own arena */
struct repl_result {
    struct arena *arena;
    struct tm_command *command;
    struct record *rec;
    unsigned changes; /* of the model, when it was computed */
};
struct repl {
    struct session_options o;
    const char *first; /* the model of the command line; or NULL */
    struct {
        struct repl_chunk *v;
        size_t n, cap;
    } chunks;
    struct {
        struct repl_result *v;
        size_t n, cap;
    } results;
    struct {
        struct repl_held *v;
        size_t n, cap;
    } held;
    struct session s; /* of the present entry; closed between entries */
    /* the trees of the chunks, with what no longer holds; in s's arena */
    struct ast_file *whole;
    unsigned changes; /* of what was declared before: results get old */
    char *ans;        /* heap: the last expression, for `ans`; NULL: none */
    int entries;      /* number of the last one, for its name */
    int worst;        /* exit status so far */
    bool tty, quit;
};

/* The commands: name, words, documentation. */
#define REPL_COMMANDS(X)                                                       \
    X(help, "", "print this")                                                  \
    X(show, "[NAME]", "the declarations so far, or one, or a result")          \
    X(load, "FILE", "take a model's declarations and run its commands")        \
    X(save, "[!] FILE", "write the declarations so far; ! overwrites")         \
    X(set, "[NAME=VALUE]", "change a param or an option")                      \
    X(view, "[RESULT]", "show the motion of a run as a page: the last one")      \
    X(time, "ENTRY", "how long an entry takes")                                \
    X(ir, "[NAME|llvm]", "the tapes of the model, one tape, or LLVM IR")       \
    X(complete, "TEXT", "what could stand at the end of a text")               \
    X(quit, "", "leave")

/* Takes one entry: Imp text, a :command or ?name. Prints results and messages.
 * Returns its exit status, which also goes into repl->worst. */
int repl_entry(struct repl *repl, const char *text, size_t n);
/* The same for Imp text only. name: stands in messages. */
int repl_eval(struct repl *repl, const char *name, const char *text, size_t n,
              bool bare);
/* Takes those entries that are held, from the first up to that before `to`,
 * all at once. False, and nothing is changed, if anything is to be said. */
bool repl_eval_held(struct repl *repl, size_t from, size_t to);
void repl_free(struct repl *repl);

/* repl_batch.c: keeps an entry for later, with others; false if it is no
 * declaration that can wait. The caller has more entries, and calls repl_flush
 * before it does anything else. */
bool repl_hold(struct repl *repl, const char *text, size_t n);
/* Takes the entries that are held. False if something was wrong. */
bool repl_flush(struct repl *repl);

/* Opens repl->s and adds all items that hold, for :commands and completion. The
 * caller closes repl->s. */
void repl_open(struct repl *repl);
/* Calls `each` for each item that holds, with its text. */
void repl_items(struct repl *repl,
                void (*each)(void *ctx, const struct ast_item *item,
                             const char *text, size_t n),
                void *ctx);
/* Is the character part of a name? */
bool repl_letter(char c);
/* Does the word stand in the text? */
bool repl_mentions(const char *text, size_t n, const char *word);
/* Prints the diagnostics of repl->s. */
void repl_say(struct repl *repl);

/* What could stand at the end of `text`: candidates that begin with the last
 * word, which is partly typed; sorted, on the heap (completions_free). *word is
 * where that word begins. */
struct completions {
    char **v;
    size_t n, cap;
};
void repl_complete(struct repl *repl, const char *text, size_t n,
                   struct completions *out, size_t *word);
void completions_free(struct completions *c);

/* lines */
int repl_lines_tty(struct repl *repl);
int repl_lines_pipe(struct repl *repl);

/* ir.c: appends the tapes whose name is `name` or begins with `name` and a
 * point or blank; all names if `name` is empty. False if there is none. */
struct buf;
bool ir_tapes(const imp_image *image, const char *name, struct buf *out);

#endif
