/* SPDX-License-Identifier: MIT */
/* What the commands of a compiled model share: the run, where results go, the
 * records of earlier commands. */
#ifndef IMP_ANALYSIS_COMMAND_ANALYSIS_H
#define IMP_ANALYSIS_COMMAND_ANALYSIS_H

#include "output/out.h"
#include "runtime/instance/run.h"

/* Compiles the running model with other values of structural params. `make`
 * gets all params, by their number in the running model. It returns NULL, or
 * the reason why there is no such model, in the memory of `a`; then nothing
 * must be dropped. There is one call at a time; where memory ends, it jumps. */
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
/* how sweeps run; their results do not depend on it */
struct sweep_options {
    int threads;                     /* 0: as many as processors */
    bool resume;                     /* continue a sweep that was interrupted */
    bool progress;                   /* show a line on standard error */
    const struct model_maker *maker; /* NULL: structural params are fixed */
};
struct analysis;
struct gsl_api;
/* What runs a command. The own file of command NAME defines command_NAME;
 * driver/table.c lists them by the number of the command. */
struct command_functions {
    /* Answers the command, which starts from the state that rt_reset gives, and
     * sets the fields of its record. Returns enum imp_status. */
    int (*run)(struct analysis *a, const imp_command *c, struct record *out);
    /* Both NULL, or: what the command can do at once for n runs to come, which
     * differ from the last run in restitutions alone. `restitution` holds those
     * of all contacts of the model, run after run. batch_prepare says of which
     * runs it knows the answer already; batch_answer fills the record of the
     * k-th of these as `run` would, or returns false: then `run` must be asked
     * after all. No answer depends on whether a batch was prepared. */
    void (*batch_prepare)(struct analysis *a, const imp_command *c,
                          const double *restitution, int n, bool *known);
    bool (*batch_answer)(struct analysis *a, int k, struct record *out);
};
#define COMMAND(name, args, avail, rules, traits, doc)                         \
    extern const struct command_functions command_##name;
#include "abi/commands.def"

/* Data of another file: columns of as many rows, in SI units. */
struct data_columns {
    const struct table_column *column; /* NULL: those of the model */
    size_t rows;
};

/* The commands of one run of a model. */
struct analysis {
    struct rt *rt;
    struct output *out;
    struct diags *ds;
    struct record **recs; /* per command of the model; NULL: not run yet */
    /* per number of a command (enum imp_command_id); NULL: not available */
    const struct command_functions *const *commands;
    int failed_expects;
    int plots; /* plots so far, for their default names */
    /* a run of a sweep that draws or sums up: shares and means are asked for,
     * and what is uncertain in one run is not told */
    bool statistics;
    bool trace_all;     /* every `simulate` keeps its motion */
    bool trace_in_case; /* the same, but what is stopped soon ends */
    size_t trace_limit; /* bytes of it at most; 0: as many as usual */
    struct sweep_options sweeps;
    /* per table of the model: columns that take the place of its own, unless
     * they are NULL; NULL: none do */
    const struct data_columns *data;
    /* loads the second engine of motion (analysis/engines/gsl_api.h), or NULL:
     * there is none here */
    const struct gsl_api *(*gsl)(const char **error);
};

#endif
