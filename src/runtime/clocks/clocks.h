/* SPDX-License-Identifier: MIT */
/* Parts of a model that do nothing to each other between events, each with a
 * clock of its own: in place of mode_change_next and event_next, with the same
 * answers to rounding (README.md). */
#ifndef IMP_RUNTIME_CLOCKS_CLOCKS_H
#define IMP_RUNTIME_CLOCKS_CLOCKS_H

#include "runtime/events/event.h"
#include "runtime/modes/mode_change.h"

struct clocks;

/* With fewer bodies all series begin anew at each event. */
#define CLOCKS_BODIES 8

/* NULL where all have to go together. end: of the whole run. The memory belongs
 * to run->arena. */
struct clocks *clocks_new(struct rt *run, double end);
/* NULL if they do not go any longer, as something has come that they do not
 * follow: then clocks_next tells the present time. */
struct clocks *clocks_on(struct clocks *clocks);
/* The contact is watched from a touch on that was handled now. NULL: nothing
 * to tell. */
void clocks_touches(struct clocks *clocks, uint32_t contact);
/* What is asked: as mode_change_next; and per contact, what event_next looks
 * for. */
struct clocks_question {
    const bool *blind;
    const struct watched_contact *over;
    uint32_t n_over;
    const enum event_watch *watch;
};
/* As mode_change_next and, before the change that it finds, event_next, from
 * the present state, which stays. What has not changed since the last call is
 * not looked at. */
int clocks_next(struct clocks *clocks, double until,
                const struct clocks_question *asked, struct mode_change *out);
/* The events at out->time, if there are any; else *found stays as it is. */
void clocks_found(const struct clocks *clocks, struct event *found,
                  struct event *more, uint32_t *n_more);
/* Moves the run to this time, not after what clocks_next has told; keeps the
 * states that run->looks asks for on the way. What is held of parts that were
 * not asked at all their contacts is taken back onto these. */
void clocks_go(struct clocks *clocks, double t);
/* There: the contacts of the parts whose pieces end there; the others are as
 * the search knows them. NULL and all contacts where others have brought the
 * run. Returns how many there are. */
uint32_t clocks_concerned(const struct clocks *clocks, const uint32_t **list);

#endif
