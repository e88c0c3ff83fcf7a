/* SPDX-License-Identifier: MIT */
/* Inside the search for touches: bounds from balls and speeds
 * (conservative_advancement.c), the shape of the gap near a touch
 * (contact_root.c), steps that are taken back (saved_step.c), and what an
 * impact acts on (acts_on.c). */
#ifndef IMP_RUNTIME_EVENTS_EVENT_PRIV_H
#define IMP_RUNTIME_EVENTS_EVENT_PRIV_H

#include "runtime/events/event.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/motion/motion.h"

/* -- conservative_advancement.c -- */
/* The time (s) from now on for which balls around both bodies (or a plane and
 * a ball) stay apart, from the series of the motion, at most `most`. 0 if they
 * are near; infinite if they stay apart for ever. horizon: the time for which
 * the series hold. */
double advancement_apart(struct rt *run, uint32_t contact, double horizon,
                         double most);
/* A time (s) before which the gap cannot become 0: |gap| over a bound of the
 * speed at which it can change (conservative advancement). 0 if there is no
 * bound. */
double advancement_safe(struct rt *run, uint32_t contact, double gap,
                        double most);
/* Of a pair whose gap is more than this share of the sizes of its bodies no
 * series is made: a bound of the speeds passes over most of it. */
#define EVENT_NEAR 0.05

/* -- contact_root.c -- */
/* The series of the gap at the present state, and the time *horizon for which
 * its last terms stay small beside the tolerance. The series of the motion must
 * have been made. Status as contact_gap_series. */
int contact_root_series(struct rt *run, uint32_t contact,
                        const struct gap_tolerance *tol, double *gap,
                        double *horizon);

/* What the gap does on [0, horizon] after it has entered the band |gap| <=
 * tol->gap. sign: 1 if a closing gap is looked for, -1 if an opening one (the
 * gap is negated then). */
struct contact_root {
    enum event_kind kind; /* EVENT_NONE: the gap does not leave the band within
                             the horizon */
    double s;
    int order; /* s is a root of the gap (0), of its rate (1), of its second
                  derivative (2), or is kept as it is (-1) */
};
void contact_root_in_band(const double *gap, double horizon,
                          const struct gap_tolerance *tol, int sign,
                          struct contact_root *out);
/* A gap within its band, which has not left it since it was `floor` at an event
 * of its contact: the time *s within the horizon at which it comes back to
 * that, at a rate that counts. Where it is there now, that root is divided out,
 * and a double one where it has no rate: the gap less its value at 0 is a power
 * of the time times a polynomial of a lower degree. handled: that event is now.
 * False: it does not come back, or falls from an event that is now. */
bool contact_root_returns(const double *signed_gap, double floor, bool handled,
                          const struct gap_tolerance *tol, double horizon,
                          double *s);
/* The time s of a touch again, from a series that was made at about that time.
 * False if the root is not within `reach`. */
bool contact_root_polish(const double *gap, int order, double reach, double *s);

/* -- saved_step.c -- */
struct saved_step {
    double time, *state, *lo, *u, *work;
    unsigned char *warm;
    size_t trace; /* the length of the log of the motion that is kept */
};
/* pair: the contact that is searched alone, or NULL. */
void saved_step_new(struct rt *run, struct saved_step *saved);
void saved_step_take(const struct rt *run, const uint32_t *pair,
                     struct saved_step *saved);
void saved_step_restore(struct rt *run, const uint32_t *pair,
                        struct saved_step *saved);

/* -- acts_on.c -- */
/* The contacts, in run->brief, of bodies on which an impact at `contact` may
 * act at once, through joints and through other contacts that are closed. */
const bool *event_acts_on(struct rt *run, uint32_t contact, const bool *closed);
/* Does an impact end all rates at the contact? Then flights shrink fast, and no
 * other contact is hit with it before its own time. */
bool event_sticks(const struct rt *run, uint32_t contact);
/* Per contact that does not stick: does one of its bodies that move have
 * another contact that is closed? */
const bool *event_crowded(struct rt *run, const bool *closed);

/* -- place_jump.c -- */
/* E0621: the search for the next touch of this contact does not go on.
 * IMP_FAILED. */
int event_stuck(struct rt *run, uint32_t contact);

#endif
