/* SPDX-License-Identifier: MIT */
/* How contacts of one system that close at one time follow a law of impact. */
#ifndef IMP_ANALYSIS_COMMAND_POLICY_H
#define IMP_ANALYSIS_COMMAND_POLICY_H

#include "abi/laws.h"
#include "analysis/command/analysis.h"
#include "runtime/ballistic/ballistic.h"

/* The policy of the world's law. */
enum ballistic_policy simultaneous_policy(const struct analysis *analysis);
/* The same for verdicts of chatter: where no law is stated, a contact that
 * closes while others rest leaves the verdict open. */
enum ballistic_policy chatter_policy(const struct analysis *analysis);

#endif
