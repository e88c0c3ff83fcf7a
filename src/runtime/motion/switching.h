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
/* To be called at time 0, before a run: where formulas of the motion are just
 * at a change of their branch that time alone brings (`if t > 0`,
 * sign(sin(w*t))), the run begins the least step behind it, on the side onto
 * which they go. */
void switching_begin(struct rt *run);
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

/* -- crossing.c -------------------------------------------------------------
 * Places where the motion has no Taylor series that leads on: a branch begins
 * here with a fractional power (Hertz' force s^1.5), or the series that is
 * followed belongs to the other side of a change of branch. What is followed
 * may be used for a while all the same: for as long as the rates that it
 * misses change nothing beyond rounding. */

/* For how long may the rows of a block (of that order, in run->work[block]) be
 * followed? At least `least`, at most `limit`, both in s. Only rates of
 * velocities are compared, so what a gap is made of must not change there.
 * Rows and state are the same afterwards. */
double crossing_length(struct rt *run, uint32_t block, int order, double least,
                       double limit);
/* Replaces the rows of a block, which are not finite or hold for less than the
 * clock can see, by the parabola of the present accelerations, 0 beyond it to
 * this order. *length: for how long it may be followed. IMP_NONFINITE if
 * that is no time at all, or if there are no accelerations. Not for blocks
 * with closed contacts of bodies. */
int crossing_parabola(struct rt *run, uint32_t block, int order,
                      double *length);
/* How long (s) the rows made last hold if their last orders, of which the
 * length of a step is read off, are all 0 for all velocities: by symmetry, or
 * because the next order that is not 0 is beyond the last one (from rest, a
 * force 1 - x^10 has the orders 2, 22, 42 ...). The motion is followed for as
 * long as it obeys the accelerations. Infinite: where this is not so, and where
 * accelerations do not depend on the state or the time. */
double crossing_sparse(struct rt *run, uint32_t block, int order);
/* So many of the last orders are asked for the length of a step. */
#define CROSSING_ASKED_OF_BODIES 2
#define CROSSING_ASKED_OF_SYSTEMS 8
/* A step whose length the last orders of the rows have told, or a shorter one:
 * a power of a variable that is small here may have terms beyond the last order
 * that are greater than those (x^14 where x has passed 0). It is shortened
 * until the motion at its end obeys the accelerations. Not for blocks with
 * joints or closed contacts. */
double crossing_checked(struct rt *run, uint32_t block, int order, double step);
/* The same of blocks with joints, closed contacts or branches, after the step
 * (which may be infinite) ends where branches change: where a velocity lacks
 * the last orders of its row. Not for contacts that yield. */
double crossing_bounded(struct rt *run, uint32_t block, int order, double step);

/* Where the next step is no longer than some of the clock: leads velocities of
 * the block that come to 0 in that time to it and no further, where no force
 * pushes them on, as dampers do that go with a power below 1 of the speed.
 * Returns after what time (s); 0: there are none, and the rows are as before.
 */
double crossing_stops(struct rt *run, uint32_t block, int order);
/* Does so if the step is that short, which becomes that time. Has it? */
bool crossing_stops_soon(struct rt *run, uint32_t block, int order,
                         double *step);
/* The rows of a block, or of a group of closed contacts, are the parabolas of
 * the present accelerations: for how long (s) they change nothing beyond
 * rounding, as at rest. 0: for less than some steps of the clock. */
double crossing_rests(struct rt *run, uint32_t block);
/* The same of a group, where its contacts push at the end as they do now, else
 * 0: these forces are followed as constants. Its rows are to be made again. */
struct persistent_group;
double crossing_rests_alike(struct rt *run, struct persistent_group *group);

#endif
