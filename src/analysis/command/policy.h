/* SPDX-License-Identifier: MIT */
/* What the world says about contacts of one system that close at one time. */
#ifndef IMP_ANALYSIS_COMMAND_POLICY_H
#define IMP_ANALYSIS_COMMAND_POLICY_H

#include "analysis/command/analysis.h"
#include "runtime/ballistic/ballistic.h"

/* What a law of impact says about contacts of one system that close at one
 * time. */
enum ballistic_policy impact_law_policy(enum imp_impact_law law);
/* The world's policy for contacts of one system that close at one time. */
enum ballistic_policy simultaneous_policy(const struct analysis *a);

#endif
