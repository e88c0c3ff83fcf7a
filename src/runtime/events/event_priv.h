/* SPDX-License-Identifier: MIT */
/* Inside the search for touches: tolerances of a contact, bounds from balls
 * and speeds, the shape of the gap near a touch. */
#ifndef IMP_RUNTIME_EVENTS_EVENT_PRIV_H
#define IMP_RUNTIME_EVENTS_EVENT_PRIV_H

#include "runtime/events/event.h"
#include "runtime/gap/smooth_smooth.h"
#include "runtime/motion/motion.h"

/* tolerances of one contact at the present state */
struct ev_tol {
    double length;
    double gap;   /* |gap| up to this counts as closed */
    double rate;  /* |gap rate| up to this counts as none */
    double still; /* the same where the second derivative is zero */
    double noise; /* rounding of the gap */
    double quiet; /* rounding of its rate */
};
void ev_tolerances(struct rt *r, uint32_t contact, struct ev_tol *out);

/* -- advancement.c -- */
/* Time from now on for which balls (or a plane and a ball) around the bodies
 * stay apart, from the motion series, at most `most`; 0 when they are near.
 * Infinite when they stay apart for ever. h: how long the series hold. */
double ev_far(struct rt *r, uint32_t contact, double h, double most);
/* no touch before this time, nor an opening: |gap| over a bound of the speed
 * at which it can change (conservative advancement); 0 where there is none */
double ev_safe(struct rt *r, uint32_t contact, double gap, double most);

/* rate of the gap from the velocities of the contact points (G without t) */
double ev_rate(struct rt *r, uint32_t contact, const struct closest *c);

/* -- root.c -- */
/* gap series at the present state (motion series made), and the time for
 * which it holds to `rest`; status as closest_gap_series */
int ev_series(struct rt *r, uint32_t contact, const struct ev_tol *tol,
              double *g, double *h);

/* What the gap does on [0, h] once it has entered the band |g| <= tol at
 * `from`. sign: +1 closing is looked for, -1 opening (g is negated). */
struct ev_touch {
    enum event_kind kind; /* EVENT_NONE: the band is not left within h */
    double s;
    int order; /* 0: root of g, 1: of g', 2: of g'' gives s; -1: s as it is */
};
void ev_band(const double *g, double h, const struct ev_tol *tol, int sign,
             struct ev_touch *out);
/* s of a touch found before, on a fresh series at about that time */
bool ev_polish(const double *g, int order, double reach, double *s);

#endif
