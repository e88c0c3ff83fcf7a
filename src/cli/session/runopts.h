/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that everything that runs a model has in common: `imp run`,
 * `imp test`, `imp repl`, the C API and `:set`. One table, one reader. */
#ifndef IMP_CLI_SESSION_RUNOPTS_H
#define IMP_CLI_SESSION_RUNOPTS_H

#include "cli/session/args.h"
#include "cli/session/session.h"

/* options by number, in the order of RUNOPTS below */
enum runopt {
    RUNOPT_SET,
    RUNOPT_JSON,
    RUNOPT_OUT,
    RUNOPT_BACKEND,
    RUNOPT_OPT,
    RUNOPT_NO_CACHE,
    RUNOPT_SEED,
    RUNOPT_RUN,
    RUNOPT_DATA,
    RUNOPT_THREADS,
    RUNOPT_RESUME,
    RUNOPT_DIAGNOSTICS,
    RUNOPT_ALLOW_READ,
    RUNOPT_COUNT
};
#define RUNOPTS                                                                \
    {"--set", "NAME=VALUE", "change a param: SI, or with a unit '3 [mm]'"},    \
        {"--json", NULL, "one JSON object per command and line"},              \
        {"--out", "DIR", "folder for files and plots"},                        \
        {"--backend", "auto|eval|jit", "evaluator or machine code (auto)"},    \
        {"--opt", "0|1|2", "how hard the code generator tries (1)"},           \
        {"--no-cache", NULL, "do not use the object cache on disk"},           \
        {"--seed", "N", "seed of random numbers"},                             \
        {"--run", "N", "starts are drawn as in this run of a sweep (0)"},      \
        {"--data", "NAME=FILE", "read data of the model from another file"},   \
        {"--threads", "N", "threads of a sweep (as many as processors)"},      \
        {"--resume", NULL, "go on with a sweep that was ended early"},         \
        {"--diagnostics", "text|lines|json", "form of messages (text)"},       \
    {                                                                          \
        "--allow-read", "DIR", "`use` may read files below this folder, too"   \
    }

/* Applies option number `which`. False after a message on stderr. options->sets
 * is on the heap: see runopts_free. */
bool runopts_apply(struct session_options *options, int k, const char *value);
void runopts_free(struct session_options *options);

#endif
