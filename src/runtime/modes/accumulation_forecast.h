/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts of bodies (accumulation points), foreseen
 * from one instant. */
#ifndef IMP_RUNTIME_MODES_ACCUMULATION_FORECAST_H
#define IMP_RUNTIME_MODES_ACCUMULATION_FORECAST_H

#include "runtime/accumulation/limit_joins.h"
#include "runtime/ballistic/ballistic.h"
#include "runtime/modes/mode_select.h"

/* memory that forecasts share; zero at first. Motions for pairs of sizes (n, m)
 * that have been asked for of late are in an arena, which its owner frees. */
#define FORECAST_LINES 16
struct forecast_memory {
    struct arena *arena; /* of the lines; NULL: none yet */
    int n;
    struct ballistic *line[FORECAST_LINES];
    /* of the last forecast: forecast_limit.on_way; has it followed points that
     * count as one each by itself? */
    struct accumulation_limit *on_way;
    bool apart;
    int points; /* for twice so many there is room in on_way */
};
struct forecast_question {
    int n; /* number of points */
    const struct contact_point_state *p;
    const struct contact_point *spot; /* whose points they are */
    const double *G;           /* the Delassus matrix of contact_point_states */
    const double *e;           /* restitution of each point */
    const bool *bounces;       /* the points that have been hit before */
    const double *place;       /* sizes of the terms of the gaps (m) */
    struct limit_joins *joins; /* of its points, noted on the way; or NULL */
    enum ballistic_policy policy;
    int most;      /* events that the forecast follows at most */
    int beyond;    /* the same, beyond the first limit within the window */
    int compared;  /* the same, beyond the window: what is found there is
                      compared with the next forecast */
    double ahead;  /* the greatest time (s) from now that is of interest */
    double window; /* within this time (s) from now the parabola is the motion
                      to rounding */
    double until;  /* friction_forecast: the points are followed at rest from
                      their limit until this time (s) from now, if it is later */
    struct friction_memory *memory; /* friction_forecast: of the choices of
                                       modes that it makes; NULL: none */
};
/* Lists have an entry for each point of the question. */
struct forecast_limit {
    bool found;       /* false: no limit, and the rest is not set */
    double remaining; /* time (s) from now; 0: infinitely many impacts of
                         closed points take no time */
    bool *group;
    /* at the limit: points that are closed and have no rate; points that
     * impacts on the way have moved, with their gaps (m) and rates (m/s) */
    bool *closed, *moved;
    double *gap, *rate;
    struct accumulation_limit chatter;
    bool blurred;  /* no further impact makes the limit better known */
    double change; /* the greatest of the last changes of its prediction (s) */
    /* other points that had a limit of their own on the way, after which
     * nothing has hit them: its time (s) from now; 0 for all others */
    double *earlier;
    const struct accumulation_limit *on_way; /* these limits */
};
/* Returns room for a limit of n points, not found, in run->brief. */
struct forecast_limit forecast_limit_room(struct rt *run, int n);
/* Looks for the limit of all points that are hit on the way, and for the last
 * limit of some of them within the window: the limit of limits of all points
 * that bounce, and the first limit of some. False if there is neither. */
bool accumulation_forecast(struct rt *run, struct forecast_memory *lines,
                           const struct forecast_question *ask,
                           struct forecast_limit *all,
                           struct forecast_limit *some);

/* Which points of the question count as one, as they fly alike and are hit at
 * once: group[i] is the number of the group of point i. */
void forecast_groups(struct rt *run, const struct forecast_question *ask,
                     int *group);

/* The way of the points of a question to a limit that has been foreseen: their
 * flights, one by one. */
struct forecast_way;
/* Begins it now; what the last forecast has left in `lines` is lost, but for
 * its limits. NULL: it cannot be followed. Memory: run->brief. */
struct forecast_way *forecast_way_begin(struct rt *run,
                                        struct forecast_memory *lines,
                                        const struct forecast_question *ask);
/* Goes on to `time` seconds from the beginning, which come before the limit and
 * ascend. Of each point: has it been hit, or is it held, so far, and with which
 * gap (m) and rate (m/s) is it there? */
void forecast_way_to(struct forecast_way *way, double time, bool *moved,
                     double *gap, double *rate);

#endif
