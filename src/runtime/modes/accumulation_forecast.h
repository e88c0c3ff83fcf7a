/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts of bodies, predicted from one instant. */
#ifndef IMP_RUNTIME_MODES_ACCUMULATION_FORECAST_H
#define IMP_RUNTIME_MODES_ACCUMULATION_FORECAST_H

#include "runtime/ballistic/ballistic.h"
#include "runtime/motion/persistent.h"

/* memory that predictions share; zeroed at first */
#define SLIDE_LINES 32
struct slide_lines {
    int n;
    struct ballistic *line[SLIDE_LINES];
    double *room, *mass;
};
struct limit_ask {
    int n; /* points, at most SLIDE_MOST */
    const struct slide_point *p;
    const double *G;     /* of slide_look */
    const double *e;     /* restitution */
    const double *place; /* m: sizes of the numbers that the gaps come from */
    enum ballistic_policy policy;
    double ahead;  /* no further than this time from now */
    double window; /* until then from now the parabola is the motion */
};
struct limit_found {
    double remaining; /* time from now; 0: none */
    bool group[SLIDE_MOST];
    /* then: closed without rate; moved on the way, with gap and rate */
    bool closed[SLIDE_MOST], moved[SLIDE_MOST];
    double gap[SLIDE_MOST], rate[SLIDE_MOST];
    struct accumulation_limit chatter;
};
/* The limit of all points that are hit on the way, and the last limit of some
 * of them within the window. False: neither */
bool slide_limit(struct rt *r, struct slide_lines *lines,
                 const struct limit_ask *ask, struct limit_found *all,
                 struct limit_found *some);

/* Accelerations of the gaps (n) while those points push that are closed without
 * rate (both 0). False: no forces keep them closed */
bool slide_accelerations(struct rt *r, int n, const struct slide_point *p,
                         const double *G, double *acc);

#endif
