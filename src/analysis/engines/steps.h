/* SPDX-License-Identifier: MIT */
/* `engine = steps`: discs and spheres in steps of one length
 * (runtime/balls/balls_steps.h). */
#ifndef IMP_ANALYSIS_ENGINES_STEPS_H
#define IMP_ANALYSIS_ENGINES_STEPS_H

#include "analysis/simulate/simulate_priv.h"

/* Reads the length of a step (s) and refuses options that this engine does not
 * know. Status. */
int steps_options(struct analysis *analysis, const imp_command *command,
                  double *length);
/* The run. */
int steps_run(struct simulation *sim, double length);

#endif
