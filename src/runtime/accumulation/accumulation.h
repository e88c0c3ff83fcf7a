/* SPDX-License-Identifier: MIT */
/* Infinitely many impacts in finite time. accumulation_next follows a ballistic
 * motion from event to event and reports the limits of accumulations (chatter,
 * Zeno behaviour) as events. ballistic_run alone would resolve impacts one by
 * one for ever. */
#ifndef IMP_RUNTIME_ACCUMULATION_ACCUMULATION_H
#define IMP_RUNTIME_ACCUMULATION_ACCUMULATION_H

#include "runtime/ballistic/ballistic.h"

/* Follows the motion to the next event at or before the time `until` (s). */
enum ballistic_event accumulation_next(struct ballistic *motion, double until);
/* The same, but up to `most` single impacts in a row may be resolved at once;
 * only the last of them is reported, and motion->impacts tells their number. */
enum ballistic_event accumulation_run(struct ballistic *motion, double until,
                                      long most);
/* Takes the limit of impacts at one contact, which were the last ones, where it
 * comes by the time `until` (s), however few have been resolved. True: it is
 * taken, as if accumulation_next had returned BALLISTIC_ACCUMULATION. */
bool accumulation_bounces(struct ballistic *motion, double until);
/* Limits are taken as soon as they are known to rounding, but not before
 * `least` impacts of the pattern have been resolved one by one (default
 * ACCUMULATION_RESOLVE). */
void accumulation_resolve(struct ballistic *motion, long least);
/* The same, of impacts from now on: limits of limits are not taken for those
 * that came before. */
void accumulation_one_by_one(struct ballistic *motion, long least);
/* Nobody reads ratio, speed and contraction of a limit: they are not refined.
 */
void accumulation_skip_rates(struct ballistic *motion, bool brief);
/* Without acceleration a limit LIMIT_BELOW_ROUNDING does not prove that the
 * impacts never end. It is never taken where an order repeats, and not before
 * `least` impacts (default 0). */
void accumulation_doubt(struct ballistic *motion, long least);
/* A limit is good enough when its remaining time is known to this relative
 * error (default 0: to rounding). */
void accumulation_accept_error(struct ballistic *motion, double error);
/* A limit of a repeated order is good enough when its time is known to this
 * error, in s (default 0: to rounding). */
void accumulation_accept_time(struct ballistic *motion, double error);
/* Only the existence of a limit is of interest, not its time: a period map need
 * only be sure of it (default: false). */
void accumulation_verdict_only(struct ballistic *motion, bool alone);

#endif
