/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one call of the checker reads: the parsed files, the values of params
 * that the command line sets, and the results of earlier commands. */
#ifndef IMP_CHECK_CONTEXT_CHECK_INPUT_H
#define IMP_CHECK_CONTEXT_CHECK_INPUT_H

#include "check/context/typed_model.h"

/* structural parameter values from --set NAME=VALUE come before checking */
struct check_set {
    const char *name;
    double value; /* SI */
    imp_range range;
};
/* an earlier result the REPL carries over: its schema; it becomes command
 * number k of the model with done = true */
struct check_prior {
    const char *bound;
    const struct tm_command *command; /* fields, id */
};
struct table_h5;
struct check_input {
    struct arena *arena;
    struct intern *names;
    struct sources *sources; /* `use` adds files here */
    struct diags *ds;
    const char *model_name;
    /* items in order; a later declaration of the same name replaces an earlier
     * one when `redefine` is set (REPL), else it is an error */
    const struct ast_file *const *files;
    size_t n_files;
    bool redefine;
    const char *allow_read; /* `use` reads below this folder, too; or NULL */
    /* Loads what reads HDF5 files (table/h5.h); NULL after *error, or where
     * nothing does. */
    const struct table_h5 *(*hdf5)(const char **error);
    const struct check_set *sets;
    size_t n_sets;
    const struct check_prior *priors;
    size_t n_priors;
};

#endif
