/* SPDX-License-Identifier: MIT */
/* Between accumulation.c, which takes limits, next.c, which asks for them, and
 * period_map.c, which finds them from the map of a period. */
#ifndef IMP_RUNTIME_ACCUMULATION_ACCUMULATION_PRIV_H
#define IMP_RUNTIME_ACCUMULATION_ACCUMULATION_PRIV_H

#include "runtime/ballistic/workspace.h"

/* Takes the limit of an accumulation before the time `until` if its pattern has
 * converged; true: it is taken. */
bool accumulation_take(struct ballistic *motion, double until);

/* -- period_map.c ---------------------------------------------------------- */

/* The fixed point of the map of the last `period` entries of the history.
 * False: there is none near, or the next period is another one. */
bool period_map_limit(struct ballistic *motion, int period, const bool *group,
                      struct fixed_point *out);
/* To be called right after it: improves ratio, rate_ratio and contraction, so
 * that they are nearer to those of the fixed point. */
void period_map_refine(struct ballistic *motion, int period,
                       struct fixed_point *out);
/* Does a pattern of single impacts at all contacts come to rest, without
 * accelerations? Its time is not asked. 1: yes, with ratio, rate_ratio and
 * contraction; -1: not from here; 0: it cannot be told. */
int period_map_order(struct ballistic *motion, int period, const bool *group,
                     struct fixed_point *out);

#endif
