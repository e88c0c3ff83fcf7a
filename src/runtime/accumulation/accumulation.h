/* SPDX-License-Identifier: MIT */
/* Infinitely many impacts in finite time. Whoever follows a ballistic motion
 * by accumulation_next meets the limits of accumulations (chatter, Zeno
 * behaviour) as events; runtime/ballistic alone would resolve impacts for
 * ever. */
#ifndef IMP_RUNTIME_ACCUMULATION_ACCUMULATION_H
#define IMP_RUNTIME_ACCUMULATION_ACCUMULATION_H

#include "runtime/ballistic/ballistic.h"

/* the next event at or before `until` */
enum ballistic_event accumulation_next(struct ballistic *motion, double until);
/* The same, but up to `most` single impacts in a row may come at once: of them
 * only the last is told (l->impacts has their number). */
enum ballistic_event accumulation_run(struct ballistic *motion, double until,
                                      long most);
/* Take limits of chatter as soon as they are known to rounding, but not before
 * this many impacts of the pattern have been resolved. */
void accumulation_resolve(struct ballistic *motion, long least);
/* Of limits of chatter nobody looks at ratio, speed and contraction: they are
 * left as they are when the limit is known. */
void accumulation_skip_rates(struct ballistic *motion, bool brief);
/* Without acceleration a limit that is LIMIT_BELOW_ROUNDING does not show that
 * its impacts never end: it is never taken where an order repeats, and not
 * before this many impacts (default 0). */
void accumulation_doubt(struct ballistic *motion, long least);
/* Limits are good enough when what remains is known to this relative error
 * (default 0: to rounding). For whoever asks for no digits. */
void accumulation_accept_error(struct ballistic *motion, double error);
/* Nobody looks at the limit but whether there is one: a map of a period need
 * only be sure of it (default: no). */
void accumulation_verdict_only(struct ballistic *motion, bool alone);

#endif
