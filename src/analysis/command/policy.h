/* SPDX-License-Identifier: MIT */
/* How contacts of one system that close at one time follow a law of impact. */
#ifndef IMP_ANALYSIS_COMMAND_POLICY_H
#define IMP_ANALYSIS_COMMAND_POLICY_H

#include "abi/laws.h"
#include "analysis/command/analysis.h"
#include "runtime/ballistic/ballistic.h"

/* The policy of a law: the column POLICY of abi/laws.def. An undeclared law
 * does not say what several contacts do. */
enum ballistic_policy impact_law_policy(enum imp_impact_law law);
/* The policy of the world's law. */
enum ballistic_policy simultaneous_policy(const struct analysis *analysis);
/* The same for verdicts of chatter: where no law is stated, a contact that
 * closes while others rest leaves the verdict open. */
enum ballistic_policy chatter_policy(const struct analysis *analysis);

#endif
