/* SPDX-License-Identifier: MIT */
/* Formulas of the motion that change their branch (abs, min, max, if, sign,
 * floor ...). A series holds up to the change only, so a step ends there. It
 * ends just beyond the change, by the rounding of the value that the choice
 * depends on, so that the next step is on the other side. The compiler calls
 * these values guards (imp_guard). */
#ifndef IMP_RUNTIME_MOTION_SWITCHING_H
#define IMP_RUNTIME_MOTION_SWITCHING_H

#include "runtime/instance/run.h"

struct switching; /* per block, then per contact; r->switching */

/* The least step at the present time that a clock of doubles can see. */
double switching_least(const struct rt *run);
/* The present time as it is told: what changes its branch right behind the
 * start, by the least step, does so at time 0. */
double switching_told_time(const struct rt *run);
/* NULL if no formula has branches. Memory: run->own. */
struct switching *switching_new(struct rt *run);
/* To be called before another run. */
void switching_reset(struct rt *run);
/* To be called after the series of a block has been made to this order:
 * shortens the step *step (s, may be infinite) to where a branch ends, or to
 * where the accelerations are no longer those of the series (crossing_bounded).
 * *which: the number of the guard of the branch, or -1. IMP_FAILED after the
 * diagnostic of a motion that is driven back to the change from both sides. */
int switching_end(struct rt *run, uint32_t block, int order, double *step,
                  int *which);
/* The same of the friction of a contact between bodies that are held at each
 * other, after its series has been made; rows: as of imp_contact.rub. */
int switching_of_friction(struct rt *run, uint32_t contact,
                          const double *const *rows, int order, double *step);
/* The same of its compliance; rows: as of imp_contact.press. */
int switching_of_compliance(struct rt *run, uint32_t contact,
                            const double *const *rows, int order, double *step);
/* On which side of their changes the formulas of these blocks are at the
 * present state. Memory: run->brief; NULL if none of them has branches. What is
 * within its rounding of a change is on no side. */
struct switching_sides;
struct switching_sides *switching_sides_now(struct rt *run, const bool *block);
/* Is one of them on another side now than it was then? */
bool switching_sides_left(struct rt *run, const struct switching_sides *then);
/* After how long, at most `span`, does a formula of the block change its branch
 * next, by the series of its rows to this order? INFINITY: it does not. Nothing
 * is noted of that, so that the motion stays what it is. */
double switching_next(struct rt *run, uint32_t block, int order, double span);
/* Returns the number of guards of a block. */
uint32_t switching_count(const struct rt *run, uint32_t block);

/* Chooses the relays (runtime/relays) of all bodies that contacts hold, beside
 * these. Status as of rt_eval. */
int switching_relays_held(struct rt *run);

#endif
