/* SPDX-License-Identifier: MIT */
/* Parts of a model that do nothing to each other between events, each with a
 * clock of its own: in place of mode_change_next for all that is held and
 * watched, with the same answers to rounding (README.md). */
#ifndef IMP_RUNTIME_CLOCKS_CLOCKS_H
#define IMP_RUNTIME_CLOCKS_CLOCKS_H

#include "runtime/modes/mode_change.h"

struct clocks;

/* With fewer bodies all series begin anew at each event. */
#define CLOCKS_BODIES 8

/* NULL where all have to go together. end: of the whole run. The memory belongs
 * to run->arena. */
struct clocks *clocks_new(struct rt *run, double end);
/* As mode_change_next, from the present state. What has not changed since the
 * last call is not looked at. */
int clocks_next(struct clocks *clocks, double until, const bool *blind,
                const struct watched_contact *over, uint32_t n_over,
                struct mode_change *out);
/* Moves the run to this time, not after the change that clocks_next has told;
 * keeps the states that run->looks asks for on the way. What is held of parts
 * that were not asked at all their contacts is taken back onto these. */
void clocks_go(struct clocks *clocks, double t);

#endif
