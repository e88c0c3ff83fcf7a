/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts of bodies, predicted from one instant. */
#ifndef IMP_RUNTIME_MODES_ACCUMULATION_FORECAST_H
#define IMP_RUNTIME_MODES_ACCUMULATION_FORECAST_H

#include "runtime/ballistic/ballistic.h"
#include "runtime/modes/mode_select.h"

/* memory that predictions share; zeroed at first */
#define FORECAST_MEMORIES 32
struct forecast_memory {
    int n;
    struct ballistic *line[FORECAST_MEMORIES];
    double *room, *mass;
};
struct forecast_question {
    int n; /* points, at most CONTACT_POINTS_MOST */
    const struct contact_point_state *p;
    const double *G;     /* of contact_point_states */
    const double *e;     /* restitution */
    const double *place; /* m: sizes of the numbers that the gaps come from */
    enum ballistic_policy policy;
    double ahead;  /* no further than this time from now */
    double window; /* until then from now the parabola is the motion */
};
struct forecast_limit {
    double remaining; /* time from now; 0: none */
    bool group[CONTACT_POINTS_MOST];
    /* then: closed without rate; moved on the way, with gap and rate */
    bool closed[CONTACT_POINTS_MOST], moved[CONTACT_POINTS_MOST];
    double gap[CONTACT_POINTS_MOST], rate[CONTACT_POINTS_MOST];
    struct accumulation_limit chatter;
};
/* The limit of all points that are hit on the way, and the last limit of some
 * of them within the window. False: neither */
bool accumulation_forecast(struct rt *run, struct forecast_memory *lines,
                           const struct forecast_question *ask,
                           struct forecast_limit *all,
                           struct forecast_limit *some);

/* Accelerations of the gaps (n) while those points push that are closed without
 * rate (both 0). False: no forces keep them closed */
bool forecast_accelerations(struct rt *run, int n,
                            const struct contact_point_state *p,
                            const double *G, double *acc);

#endif
