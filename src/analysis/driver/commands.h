/* SPDX-License-Identifier: MIT */
/* All commands, and running those of a model. */
#ifndef IMP_ANALYSIS_DRIVER_COMMANDS_H
#define IMP_ANALYSIS_DRIVER_COMMANDS_H

#include "analysis/command/analysis.h"

/* by number; NULL: not available in this build */
extern const struct command_functions *const all_commands[IMP_CMD_COUNT];

/* Runs, in order, all commands of the model that are not `done`. Records of
 * `done` commands must be in analysis->recs. Prints as it goes (in JSON mode
 * every command prints one object). Stops at the first command that fails.
 * Returns enum imp_status; diagnostics are in analysis->ds, also those of
 * failed expects: these are errors of their own code, counted in
 * analysis->failed_expects. */
int commands_run(struct analysis *analysis);

#endif
