/* SPDX-License-Identifier: MIT */
/* Places where the motion has no Taylor series that leads on: a branch begins
 * here with a fractional power (Hertz' force s^1.5), or the series that is
 * followed belongs to the other side of a change of branch. What is followed
 * may be used for a while all the same: for as long as the rates that it
 * misses change nothing beyond rounding. */
#ifndef IMP_RUNTIME_MOTION_CROSSING_H
#define IMP_RUNTIME_MOTION_CROSSING_H

#include "runtime/instance/run.h"

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

#endif
