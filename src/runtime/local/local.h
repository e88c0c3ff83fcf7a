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

/* NULL where a contact needs the search over all of them: one that is stated,
 * that yields, or whose friction has branches. end: of the whole run;
 * no pair is asked beyond it. reach: pairs are near from this gap on (m). The
 * memory belongs to run->arena. */
struct local *local_new(struct rt *run, double end, double reach);
/* Where contacts are made as bodies come near (run->table): makes those of the
 * present state, before the first search. Status; errors are told. */
int local_begin(struct local *local);
/* From now on an event brings to its time only its bodies, and those that may
 * touch them; the other ones stay as they were written last (local_all). Not
 * where bodies are held, nor where the motion is traced. */
void local_leaves_behind(struct local *local);
/* Brings the bodies that were left behind to the time of the last event, which
 * is the present one. Status; errors are told. NULL: there is none. */
int local_all(struct local *local);
/* Others have brought the run to the present time, and know what comes next. */
void local_passed_over(struct local *local);
/* There: the contact of two bodies, which is made if they have none; NO_CONTACT
 * where there is no room. */
uint32_t local_contact(struct local *local, uint32_t one, uint32_t two);
/* As event_next without each_step; EVENT_EXCLUDED is told as EVENT_NONE at
 * `until`, which is finite. changed[0..n_changed): contacts of which alone the
 * watch may be another one than in the last search; NULL and the number of all
 * contacts: any. */
int local_next(struct local *local, const enum event_watch *watch,
               const uint32_t *changed, uint32_t n_changed, double until,
               struct event *out, struct event *more, uint32_t *n_more);
/* The contact is watched from a touch on that was handled now. NULL: nothing
 * to tell. */
void local_touches(struct local *local, uint32_t contact);
/* Contacts of a body: all that are not proved to be farther apart than `reach`
 * at the present time, to which their bodies are brought. Returns how many
 * there are. */
uint32_t local_near(struct local *local, uint32_t body, const uint32_t **list);
/* The contacts that are to be looked at where local_next has come to: of the
 * bodies of an event there, and of those that are held; NULL and all contacts
 * where there was no event. The others are as the search knows them. Returns
 * how many there are. */
uint32_t local_concerned(const struct local *local, const uint32_t **list);

#endif
