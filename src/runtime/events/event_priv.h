/* SPDX-License-Identifier: MIT */
/* Inside the search for touches: tolerances of a contact, bounds from balls
 * and speeds, the shape of the gap near a touch. */
#ifndef IMP_RUNTIME_EVENTS_EVENT_PRIV_H
#define IMP_RUNTIME_EVENTS_EVENT_PRIV_H

#include "runtime/events/event.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/motion/motion.h"

/* -- conservative_advancement.c -- */
/* Time from now on for which balls (or a plane and a ball) around the bodies
 * stay apart, from the motion series, at most `most`; 0 when they are near.
 * Infinite when they stay apart for ever. h: how long the series hold. */
double advancement_apart(struct rt *run, uint32_t contact, double h,
                         double most);
/* no touch before this time, nor an opening: |gap| over a bound of the speed
 * at which it can change (conservative advancement); 0 where there is none */
double advancement_safe(struct rt *run, uint32_t contact, double gap,
                        double most);

/* -- contact_root.c -- */
/* gap series at the present state (motion series made), and the time for
 * which it holds to `rest`; status as contact_gap_series */
int contact_root_series(struct rt *run, uint32_t contact,
                        const struct gap_tolerance *tol, double *g, double *h);

/* What the gap does on [0, h] once it has entered the band |g| <= tol at
 * `from`. sign: +1 closing is looked for, -1 opening (g is negated). */
struct contact_root {
    enum event_kind kind; /* EVENT_NONE: the band is not left within h */
    double s;
    int order; /* 0: root of g, 1: of g', 2: of g'' gives s; -1: s as it is */
};
void contact_root_in_band(const double *g, double h,
                          const struct gap_tolerance *tol, int sign,
                          struct contact_root *out);
/* s of a touch found before, on a fresh series at about that time */
bool contact_root_polish(const double *g, int order, double reach, double *s);

#endif
