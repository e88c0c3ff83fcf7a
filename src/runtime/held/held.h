/* SPDX-License-Identifier: MIT */
/* Closed contacts whose gaps depend on each other: feet that share a load, a
 * body between a table and a lid that comes down on it. The forces of some of
 * them hold the gaps of all, as long as these do not contradict each other. A
 * ground that moves may make them do so at any instant, without a force that
 * ceases and without an impact. Where a gap falls while the others are held
 * another contact has to open, or the system is squeezed and has no motion;
 * where it rises the ground leaves. */
#ifndef IMP_RUNTIME_HELD_HELD_H
#define IMP_RUNTIME_HELD_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* m contacts of a system of n coordinates: the gradients N of their gaps (m x
 * n) and the mass matrix (n x n), of which the diagonal alone is read. */
struct held {
    uint32_t n, m;
    const double *N, *mass;
};

/* The length of the gradient of contact i, in units of the masses. */
double held_steepness(const struct held *of, uint32_t i);
/* Does the gap of one of these closed contacts (m) depend on those of the
 * others? */
bool held_depend(struct arena *arena, const struct held *of,
                 const bool *closed);
/* The order of the first term by which the gap of a closed contact, a series of
 * this order, leaves 0 within `length` s, times its sign; 0: it stays 0 up to
 * rounding. size: what it is made of, m. */
int held_turns(const double *gap, int order, double size, double length);
/* The gap of contact `which` falls or rises while those of the contacts `still`
 * (m) are held, which bear loads (m, N; 0 or more). Which contact opens, so
 * that the forces of all others go on to push? A gap that falls has its contact
 * take over what one of the others bears, as a floor does that rises beside
 * another one. *out is m where there is none: the system is squeezed. False:
 * the gap does not depend on the others. */
bool held_opens(struct arena *arena, const struct held *of, const bool *still,
                const double *load, uint32_t which, bool falls, uint32_t *out);
/* The contacts `on` (m) are held at the rates v (n) of the coordinates; drift
 * (m): rates of their gaps beyond N v. Takes those out whose gaps rise all the
 * same, as the ground leaves them: *parts. False: the gap of one falls, so they
 * cannot all be held. */
bool held_agree(const struct held *of, const double *drift, const double *v,
                bool *on, bool *parts);

#endif
