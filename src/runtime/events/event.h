/* SPDX-License-Identifier: MIT */
/* The first touch of two bodies along their motion, whatever the multiplicity
 * of the root (I3): a crossing (simple root), a tangential touch (double
 * root), a C00 (triple root), or several of them within one step. */
#ifndef IMP_RUNTIME_EVENTS_EVENT_H
#define IMP_RUNTIME_EVENTS_EVENT_H

#include "runtime/instance/run.h"

enum event_kind {
    EVENT_NONE,     /* nothing until the given time */
    EVENT_EXCLUDED, /* No touch can ever happen from here on; `time` is the
                       present time. Never returned when each_step is given: the
                       run goes on to `until` then. */
    EVENT_CROSS,    /* simple root of the gap, closing */
    EVENT_OPEN,     /* simple root, opening (contacts passed through) */
    EVENT_TANGENT   /* gap and its rate vanish within tolerance */
};
struct event {
    enum event_kind kind;
    uint32_t contact;
    double time;
};
/* how the search treats a contact */
enum event_watch {
    WATCH_OFF,
    WATCH_CLOSE, /* the bodies are apart: report the first touch */
    WATCH_OPEN,  /* the bodies overlap and pass through each other: report when
                    the gap opens */
    WATCH_LEAVE  /* The bodies touch, because an impact or a touch was just
                    handled: report the next touch after the gap has opened. If
                    the gap closes again from here on, that is reported at once.
                  */
};
/* An event at this contact has been dealt with at the present time, by an
 * impulse or without: while it is watched to leave, it has no other one at once
 * unless it sinks by its tolerance. */
void event_handled(struct rt *run, uint32_t contact);
/* After that: nothing presses its bodies together or parts them, and its gap
 * stays within its tolerance. Until the time goes on, it has no event. */
void event_rests(struct rt *run, uint32_t contact);
/* The gap of this contact is held closed at the present time: when it is let
 * go, it comes back to where it is then, not to where it was hit before. */
void event_held(struct rt *run, uint32_t contact);
/* Moves the run from the present time to the first event at or before `until`
 * (or to `until`), and leaves it there. watch: one entry per contact.
 * each_step (may be NULL) is called for every accepted step with the time
 * interval for which run->rows.block holds the series of the motion, so that
 * records can be read from it. Other events that happen at the same time,
 * within the tolerance, are returned in more[0..*n_more), which has room for
 * one event per contact. IMP_STOPPED, or IMP_FAILED after a diagnostic. */
int event_next(struct rt *run, const enum event_watch *watch, double until,
               int (*each_step)(void *ctx, double t0, double t1), void *ctx,
               struct event *out, struct event *more, uint32_t *n_more);
/* The same for one contact, watched as stated, and the motion of its two bodies
 * alone, which are moved; all others stay where they are. It goes on for so
 * many steps at most: nothing happens before out->time, to which the bodies
 * have come then. *entry: when the gap comes within its tolerance, at most
 * out->time. *open: the gap has been seen to be open. Only of bodies that move
 * by their weight alone. */
int event_of_pair(struct rt *run, uint32_t contact, enum event_watch watch,
                  double until, uint32_t steps, struct event *out,
                  double *entry, bool *open);
/* The same as event_next for the contacts contact[0..n), which are all those of
 * the bodies that motion_only lets move, and for one step: where no event comes
 * in it, the run stands at its end. Times that run->looks asks for are passed
 * over. left, per contact: at the end of which step (s) its gap has been open
 * since its last touch; infinite: of none yet. */
int event_of_part(struct rt *run, const uint32_t *contact, uint32_t n,
                  const enum event_watch *watch, double *left, double until,
                  struct event *out, struct event *more, uint32_t *n_more);
/* Forgets what is known of a contact, which is now one of other bodies. */
void event_forget(struct rt *run, uint32_t contact);
/* For how long (s) balls around the bodies of a contact, or a plane and a ball,
 * stay apart from the present state on, if they move by their weight alone; 0:
 * they are near. */
double event_apart(struct rt *run, uint32_t contact);
/* Are the bodies of a contact far from each other now: do balls around them, or
 * a half-plane or half-space that rests and a ball, not even nearly touch? */
bool event_far(struct rt *run, uint32_t contact);
/* Does a contact take part in an impact on its bodies now: closed, or of smooth
 * bodies and open by no more than `reach` (m)? *open: it is open. */
bool event_takes_part(struct rt *run, uint32_t contact, double reach,
                      bool *open);
/* The same as event_apart by the gap at the present state, and a bound of the
 * speeds. *below: the gap is below its band: the bodies have been nearer than
 * closed. */
double event_apart_by_gap(struct rt *run, uint32_t contact, bool *below);
/* By how much a gap may close before the pair has to be asked (m): less than
 * the gap, where that is large beside bodies that move; else 0. Of bodies that
 * move none may be a half-space. */
double event_open_by(struct rt *run, uint32_t contact);
/* How far (m) a point in world axes is above a half-plane or half-space that
 * rests; false: the body is none. */
bool event_room(struct rt *run, uint32_t body, const double point[3],
                double *room);
/* Finds the gap (m) at the present state. IMP_FAILED after diagnostic E0620
 * when the bodies overlap by more than the tolerance, or after another
 * diagnostic. *gap is set with IMP_OK and with E0620. */
int event_start_check(struct rt *run, uint32_t contact, double *gap);
/* What follows a touch whose rate, discriminant D and jerk count as none: does
 * the gap leave the band |gap| <= tolerance by the higher orders within the
 * time `most` (s), as far as its series holds? Status as contact_gap_series. */
enum event_ahead {
    AHEAD_RESTS, /* the gap stays in the band */
    AHEAD_RISES,
    AHEAD_DRIFTS, /* the gap falls, but only by its rate, which counts as none
                   */
    AHEAD_FALLS
};
int event_ahead(struct rt *run, uint32_t contact, double most,
                enum event_ahead *out);
/* Returns the default horizon (s): 1e3 times the longest time scale of the
 * model. */
double event_horizon(struct rt *run);

/* -- place_jump.c: bodies whose place is a formula of time -- */
/* Has a body of this contact come to another place at once within the last dt
 * seconds? */
bool event_place_jumps(struct rt *run, uint32_t contact, double dt);
/* Ends the run: such a body is now within another one (gap < 0). IMP_FAILED. */
int event_jumps_into(struct rt *run, uint32_t contact, double gap);

#endif
