/* SPDX-License-Identifier: MIT */
/* Events of many bodies of any shape, found pair by pair: in place of
 * event_next, with the same answers to rounding.
 *
 * An impact changes the motion of two bodies. So each body keeps the series of
 * its motion since then, and each pair keeps what is known of it: a time before
 * which it cannot touch, or its next touch. A heap orders the pairs. When the
 * time of a pair comes it is asked again: balls around both bodies, then a
 * bound of their speeds against the gap, then the series of the gap (event.h).
 * What an event did not touch is not asked again.
 *
 * Whose motion has changed is read off the state: a body that stands where it
 * was put moves on as before. Bodies that other ones hold are left to
 * event_next, with all their contacts. */
#ifndef IMP_RUNTIME_LOCAL_LOCAL_H
#define IMP_RUNTIME_LOCAL_LOCAL_H

#include "runtime/events/event.h"

struct local;

/* NULL where bodies do not move by their weight alone. end: of the whole run;
 * no pair is asked beyond it. The memory belongs to run->arena. */
struct local *local_new(struct rt *run, double end);
/* As event_next without each_step; EVENT_EXCLUDED is told as EVENT_NONE at
 * `until`, which is finite. */
int local_next(struct local *local, const enum event_watch *watch, double until,
               struct event *out, struct event *more, uint32_t *n_more);
/* Is this contact to be looked at where local_next has come to, because its
 * bodies are near one another, and a body of an event there, or one that is
 * held, is of it? All that are near where there was no event. Others are as the
 * search knows them. */
bool local_concerns(const struct local *local, uint32_t contact);

#endif
