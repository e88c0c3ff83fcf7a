/* SPDX-License-Identifier: MIT */
/* Inside the search for touches: bounds from balls and speeds
 * (conservative_advancement.c), the shape of the gap near a touch
 * (contact_root.c), the time and kind of a touch (touch_time.c), steps that are
 * taken back (saved_step.c), and what an impact acts on (acts_on.c). */
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
/* The same where bodies are driven by formulas of time, whose speeds are looked
 * at until `most`, which should be short; of a gap > 0. */
double advancement_safe_driven(struct rt *run, uint32_t contact, double gap,
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

/* After that, and before the motion goes on by dt: where the closest points
 * will be. */
void contact_root_predict(struct rt *run, uint32_t contact, double dt);

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
struct event_state;
void saved_step_new(struct rt *run, struct saved_step *saved);
void saved_step_take(struct rt *run, const struct event_state *ev,
                     struct saved_step *saved);
void saved_step_restore(struct rt *run, const struct event_state *ev,
                        struct saved_step *saved);

/* the state of the two bodies of a contact, and what is known of it */
struct saved_pair {
    double time, state[2][IMP_STATE_SPACE], lo[2][IMP_STATE_SPACE], u[8];
    unsigned char warm;
};
void saved_pair_take(const struct rt *run, uint32_t contact,
                     struct saved_pair *saved);
/* puts back the time and the state; and what is known of closest points */
void saved_pair_state(struct rt *run, uint32_t contact,
                      const struct saved_pair *saved);
void saved_pair_known(struct rt *run, uint32_t contact,
                      const struct saved_pair *saved);

/* -- acts_on.c -- */
/* The contacts, in run->brief, of bodies on which an impact at `contact` may
 * act at once, through joints and through other contacts that are closed. */
const bool *event_acts_on(struct rt *run, uint32_t contact, const bool *closed);
/* Does an impact end all rates at the contact? Then flights shrink fast, and no
 * other contact is hit with it before its own time. */
bool event_sticks(const struct rt *run, uint32_t contact);

/* -- place_jump.c -- */
/* E0621: the search for the next touch of this contact does not go on.
 * IMP_FAILED. */
int event_stuck(struct rt *run, uint32_t contact);

/* -- event.c, touch_time.c -- */
struct near {
    enum event_watch mode;
    int sign;     /* 1: a closing gap is looked for, -1: an opening one */
    bool begun;   /* this search has looked at it before */
    bool inside;  /* the gap has not left the band since its last touch */
    double floor; /* while inside: sign * gap when it touches again */
    bool handled; /* while inside: now, so it is not hit at once again */
    bool rests;   /* handled, and event_rests */
    bool far;     /* balls show that nothing happens within this step */
    bool series;  /* g holds */
    struct closest_points at;
    struct gap_tolerance tol;
    double g[MOTION_STEP_ORDER + 1];
    double h, safe;
    double rises; /* from here on within the step, the gap has left the band */
    /* a candidate for an event of this step; times from the start of the step
     */
    bool candidate, refined;
    double entry, s;
    enum event_kind kind;
};
/* What is kept of a contact from search to search; zeros: nothing. */
struct kept {
    bool inside, handled; /* it was in its band; event_handled, */
    double floor, time;   /* with this near.floor; and when, s */
    bool rests;           /* event_rests, then */
    double cut; /* the last step of a search of the part that begins with it, if
                   that was far shorter than its series said (s); else 0 */
};
struct event_state {
    struct near *near;
    struct saved_step step, look;
    uint32_t *all, n_all;    /* all contacts, as far as they were asked for */
    const uint32_t *contact; /* n contacts that are searched */
    uint32_t n;
    struct kept *kept;    /* per contact */
    const uint32_t *body; /* two bodies which alone are moved; NULL: all are */
    bool part; /* of these contacts alone, on the way to later times */
};

/* The gap at the end of a step may differ from its polynomial by this share of
 * the tolerance: ten times what the terms left out allow. */
#define EVENT_CHECK 0.1

/* The series of all that is moved; *step: the time for which they hold. */
static inline int
event_expand(const struct event_state *ev, struct rt *run, double *step)
{
    return ev->body ? motion_series_two(run, ev->body, MOTION_STEP_ORDER, step)
                    : motion_series_all(run, MOTION_STEP_ORDER, step);
}

/* Moves it by dt, to the time t. */
static inline void
event_move(const struct event_state *ev, struct rt *run, double dt, double t)
{
    if (ev->body)
        motion_advance_two(run, ev->body, MOTION_STEP_ORDER, dt, t);
    else
        motion_advance(run, dt, t);
}

/* The gap of a contact at the present state. A body that is not convex there,
 * or has no surface, ends the search with a diagnostic. */
int event_look(struct rt *run, uint32_t contact, struct closest_points *out);
/* The kind of a touch from the rate of sign * gap. */
enum event_kind event_kind_of(const struct near *watched, double rate);
/* The kind and the time of the touch of a contact whose gap enters the band at
 * watched->entry, after t0. *trust is false if the expansion there contradicts
 * that of the step. The state and the series are left somewhere near. */
int event_refine(const struct event_state *ev, struct rt *run, uint32_t contact,
                 double t0, bool *trust);
/* The same by the series of the step (which holds for hm), about another time:
 * for a gap that crosses its band where bodies are held, whose motion would
 * have to be made anew with that of all they touch. Neither the state nor the
 * series change. False: it has to be refined. */
bool event_refine_along(const struct event_state *ev, struct rt *run,
                        uint32_t contact, double hm);

#endif
