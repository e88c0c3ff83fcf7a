/* SPDX-License-Identifier: MIT */
/* Runs the commands of a compiled model, in order. One file per question;
 * analysis/driver/table.c is generated from abi/commands.def by macro: a
 * command X is the function cmd_X. */
#ifndef IMP_ANALYSIS_COMMAND_ANALYSIS_H
#define IMP_ANALYSIS_COMMAND_ANALYSIS_H

#include "output/out.h"
#include "runtime/instance/run.h"

/* The running model, compiled with other values of structural params. `make`
 * gets all params, by their number in the model that runs, and returns NULL, or
 * a reason (in `a`) why there is no such model; then nothing is to be dropped.
 * One call at a time; memory's end jumps. */
struct model_made {
    const imp_image *image;
    const imp_code *code;
    struct rt_tier *tier; /* as for rt_new_tier */
    void *owner;
};
struct model_maker {
    const char *(*make)(void *ctx, const double *params, struct arena *a,
                        struct model_made *m);
    void (*drop)(void *ctx, struct model_made *m);
    void *ctx;
};
/* how sweeps run; nothing of it shows in what they find */
struct sweep_options {
    int threads;   /* 0: as many as processors */
    bool resume;   /* go on with a sweep that was ended before its time */
    bool progress; /* a line on standard error */
    const struct model_maker *maker; /* NULL: structural params are fixed */
};
struct analysis {
    struct rt *rt;
    struct output *out;
    struct diags *ds;
    struct record **recs; /* per command of the image */
    int failed_expects;
    int plots; /* numbers for default plot names */
    struct sweep_options sweeps;
};
/* Runs all commands that are not `done`. Records of `done` commands must be in
 * a->recs. Prints as it goes (in JSON mode every command prints one object).
 * Stops at the first command that fails. Returns enum imp_status; diagnostics
 * (also of failed expects: they are DIAG errors of their own code, counted in
 * failed_expects) are in ds. */
int analysis_run(struct analysis *a);

typedef int (*analysis_fn)(struct analysis *a, const imp_command *c,
                           struct record *out);

/* option and argument access (analysis/command/args.c) */
const imp_val *arg_option(const struct analysis *a, const imp_command *c,
                          enum imp_option_id id); /* NULL if not given */
/* numbers of a value at the present state (fills slots, gaps) */
int arg_numbers(struct analysis *a, const imp_val *v, double *out);
/* NUM option as one number, or dflt */
int arg_number(struct analysis *a, const imp_command *c, enum imp_option_id id,
               double dflt, double *out);

#endif
