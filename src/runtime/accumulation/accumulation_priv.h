/* SPDX-License-Identifier: MIT */
/* Between accumulation.c, which takes limits, next.c, which asks for them, and
 * period_map.c, which finds them from the map of a period. */
#ifndef IMP_RUNTIME_ACCUMULATION_ACCUMULATION_PRIV_H
#define IMP_RUNTIME_ACCUMULATION_ACCUMULATION_PRIV_H

#include "runtime/ballistic/workspace.h"

/* takes the limit of a chatter when its pattern has converged; true: done */
bool accumulation_take(struct ballistic *motion, double until);

/* -- period_map.c: the fixed point of a pattern of the last `period` entries -
 */

/* false: there is none near, or the next period is another */
bool period_map_limit(struct ballistic *motion, int period, const bool *group,
                      struct fixed_point *out);
/* right after it: ratio, speed and contraction from nearer to the fixed point
 */
void period_map_refine(struct ballistic *motion, int period,
                       struct fixed_point *out);
/* Does a pattern of single impacts at all contacts, without accelerations, come
 * to rest, whenever that is? 1: yes, then ratio, speed and contraction; -1: not
 * from here; 0: it cannot tell */
int period_map_order(struct ballistic *motion, int period, const bool *group,
                     struct fixed_point *out);

#endif
