/* SPDX-License-Identifier: MIT */
/* Formulas of the motion that change their branch (abs, min, max, if, sign,
 * floor ...): a series holds until there, so that is where a step ends. It ends
 * just beyond, by the rounding of what the choice depends on, so that the next
 * step is on the other side. */
#ifndef IMP_RUNTIME_MOTION_SWITCHING_H
#define IMP_RUNTIME_MOTION_SWITCHING_H

#include "runtime/instance/run.h"

struct switching; /* per block; r->switching */

/* memory, of r->own; NULL where no formula has branches */
struct switching *switching_new(struct rt *run);
/* before another run */
void switching_reset(struct rt *run);
/* After the series of a block to that order, at the time in env: shortens the
 * step *h (which may be infinite) to where a branch ends. *which: the number of
 * its guard, or -1. IMP_OK, or IMP_FAILED after the diagnostic of a motion that
 * is driven back to the change from both sides. */
int switching_end(struct rt *run, uint32_t block, int order, double *h,
                  int *which);
/* how many the block has */
uint32_t switching_count(const struct rt *run, uint32_t block);

#endif
