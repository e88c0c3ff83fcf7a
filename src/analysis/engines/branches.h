/* SPDX-License-Identifier: MIT */
/* Runs that branch where friction leaves the motion open. */
#ifndef IMP_ANALYSIS_ENGINES_BRANCHES_H
#define IMP_ANALYSIS_ENGINES_BRANCHES_H

#include "analysis/simulate/simulate_priv.h"

/* Follows all branches of a simulation that is prepared, and fills the record.
 * Status of the command. */
int simulate_branches(struct simulation *sim, struct record *out);
/* Fills their fields for a run that does not branch. */
void branches_put_none(struct record *out);

#endif
