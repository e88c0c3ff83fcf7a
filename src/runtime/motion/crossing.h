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

#endif
