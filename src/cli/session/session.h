/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chain from text to results, shared by `imp`, the prompt and the C API:
 *   text -> tree -> typed model -> image -> code -> run.
 * A session is one model on its way. Each step needs the one before and returns
 * an exit status (abi/status.h); diagnostics collect in session->ds. The
 * model's memory is session->arena. What a run makes (records, messages) is in
 * session->result.arena and goes with the next run, so a session can be run any
 * number of times with other params. If memory runs out, control jumps to the
 * caller's guard (cli_guard, or the API's); after that the session can only be
 * closed. */
#ifndef IMP_CLI_SESSION_SESSION_H
#define IMP_CLI_SESSION_SESSION_H

#include <stdatomic.h>

#include "abi/image.h"
#include "analysis/command/analysis.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/source.h"
#include "check/check.h"
#include "runtime/instance/record.h"

#define SESSION_FILE_LIMIT (64u << 20) /* bytes of one source file */

/* AUTO: the evaluator, and machine code once that pays */
enum session_backend { SESSION_AUTO, SESSION_JIT, SESSION_EVAL };
struct session_set {
    const char *name, *value; /* value as text: a number, or with a unit */
    double number;            /* SI, where value is NULL */
};
struct session_options {
    enum session_backend backend;
    int opt; /* 0, 1, 2 */
    bool cache, json;
    bool trace_all;         /* every `simulate` keeps its motion */
    bool trace_in_case;     /* the same, but what Ctrl-C stops soon ends */
    const char *dir;        /* --out, or NULL */
    const char *allow_read; /* `use` reads below this folder, too; or NULL */
    bool has_seed;
    double seed;
    uint64_t run;             /* whose draws the starts take */
    struct session_set *sets; /* owned by whoever holds this struct */
    size_t n_sets;
    const char **data; /* n_data of --data, NAME=FILE; owned alike */
    size_t n_data;
    enum diag_format diagnostics;
    struct sweep_options sweeps;
    atomic_int *stop; /* stops the session where it is not 0; may be NULL */
};
/* The evaluator until machine code pays, a cache, and nothing else asked for.
 */
void session_defaults(struct session_options *options);

/* The texts of the model, and their trees. */
struct session_texts {
    struct sources *sources;
    struct intern *names;
    const char *model_name;
    const struct ast_file **files;
    size_t n_files, room;
    uint32_t n_sources; /* before the model was checked */
};
/* What a prompt knows from earlier lines. */
struct session_earlier {
    bool redefine; /* a name may be declared again */
    const struct check_prior *priors;
    size_t n_priors;
    /* results of `done` commands, in the order of priors */
    struct record *const *recs;
};
/* Where results go. */
struct session_sink {
    int (*write)(void *ctx, const char *s, size_t n);
    int (*picture)(void *ctx, const char *json, size_t n); /* output/out.h */
    void *ctx;
};
/* What the last run made. */
struct session_result {
    struct arena *arena;
    struct diags model_ds; /* the session's ds as it was before the first run */
    struct record **recs;  /* by command number */
    int failed_expects;
    struct driver *driver; /* open for the next run */
};
struct session {
    struct session_options o;
    struct arena *arena;
    struct diags ds;
    struct session_texts text;
    struct session_earlier earlier;
    const struct model_maker *maker; /* of session_run */
    struct tm_model *model;
    struct arena *model_arena; /* of `model` alone */
    const imp_image *image;
    double *params;          /* SI, as many as the image has */
    struct model_code *code; /* loaded code, or NULL */
    struct session_sink sink;
    atomic_int *stop;
    struct session_result result;
};
/* The session must be zeroed. Needs a guard, as do all functions that follow.
 */
void session_open(struct session *session,
                  const struct session_options *options);
void session_close(
    struct session *session); /* may be half open, may be closed already */
/* prints the diagnostics, and closes */
void session_end(struct session *session);

/* Reads a file ("-" is stdin) into arena memory. False and a diagnostic when
 * it is missing, unreadable, a folder, over SESSION_FILE_LIMIT. */
bool session_read(struct session *session, const char *path, const char **text,
                  size_t *len);
/* Adds and parses a text. `bare`: a bare expression means `show`. Returns the
 * tree, also after errors. */
struct ast_file *session_add_text(struct session *session, const char *name,
                                  const char *text, size_t n, bool bare);
/* Reads a file and adds its text. */
struct ast_file *session_add_file(struct session *session, const char *path);

/* opens a session and takes the model of a file to its image */
int session_load(struct session *session, const struct session_options *options,
                 const char *path);
int session_check(struct session *session);   /* to s->model */
int session_compile(struct session *session); /* to s->image, s->params */
int session_code(struct session *session); /* loads code, unless the backend is
                                              the evaluator */
/* Runs all commands that are not done yet. May be called again and again:
 * records and messages of the last run go, those of the model stay. */
int session_run(struct session *session);
/* Forgets the last run: its records, and its messages in s->ds. */
void session_clear(struct session *session);
/* Gives a param of the compiled model another value, in SI units, for the next
 * run. SET_DONE; SET_WRONG after a diagnostic; SET_STRUCTURAL if the model must
 * be checked and compiled with the value, and nothing was changed. */
enum session_set_status { SET_DONE, SET_WRONG, SET_STRUCTURAL };
enum session_set_status session_put(struct session *session, const char *name,
                                    double x);
/* Drops the code, because the options have changed; session_code makes it
 * again. */
void session_drop_code(struct session *session);
/* check, compile, code and run */
int session_all(struct session *session);
/* what check_model, check_doc and check_names need */
struct check_input session_input(struct session *session);

/* The value of `text` ("3", "3 [mm]", "pi/4") in SI units. *unit is its SI
 * unit, or NULL for a bare number. False after a diagnostic that names the
 * param.
 */
bool session_quantity(struct session *session, const char *param,
                      const char *text, double *x, const char **unit);
/* Diagnostics of a value that does not fit: it is no number (returns false), or
 * its unit has another dimension than the param's own (both units as SI texts).
 */
bool session_not_a_value(struct session *session, const char *param,
                         const char *text);
void session_wrong_unit(struct session *session, imp_range where,
                        const char *param, const char *given, const char *own);

#endif
