/* SPDX-License-Identifier: MIT */
/* The motion of bodies from an impact to a limit of impacts that was foreseen
 * (accumulation_forecast.h), without the impacts between. */
#ifndef IMP_RUNTIME_MODES_LIMIT_PATH_H
#define IMP_RUNTIME_MODES_LIMIT_PATH_H

#include "runtime/accumulation/flight_history.h"
#include "runtime/modes/accumulation_forecast.h"

/* The points that the limit is about, at the instant of the forecast. */
struct limit_points {
    int n;
    const struct contact_point *spot;
    const struct contact_point_state *point;
    const double *G;     /* their Delassus matrix (contact_point_states) */
    const double *place; /* sizes of the terms of the gaps (m) */
    const bool *body;    /* per body of the model: does it take part? */
};
/* Which part each point belongs to: points of different parts do not act on
 * each other. Returns how many parts there are. */
int limit_parts(struct rt *run, const struct limit_points *points, int *part);
/* A number that stands for the points of a part at rest at the limit; part:
 * NULL: for all points. */
uint64_t limit_signature(const struct limit_points *points,
                         const struct forecast_limit *limit, const int *part,
                         int which);
/* What the limit says of a part, but for the time now. Its own limit may come
 * before that of all. left < 0: it has none. */
struct limit_prediction limit_of_part(const struct limit_points *points,
                                      const struct forecast_limit *limit,
                                      const int *part, int which);
/* Do the impacts at point i of the forecast, at `spot`, end at the limit? They
 * do too where its last flights there are so low that the choice of modes takes
 * the point for one that rests: a limit of its own within rounding of this one.
 */
bool limit_ends(struct rt *run, const struct forecast_limit *limit, int i,
                const struct contact_point *spot,
                const struct contact_point_state *state);
/* The speed (m/s) with which a point whose gap is open comes down under its
 * free acceleration, from rest, too; 0: it does not, or touches now. */
double limit_landing(const struct contact_point_state *state);
/* Begins the path from the present impact to the limit: points that are closed
 * slide from here on, and the others are sent to where the limit finds them.
 * False: it cannot be begun; then state and held points are anything. */
bool limit_path_begin(struct rt *run, const struct limit_points *points,
                      const struct forecast_limit *limit);
/* The state of all bodies: its length, and the numbers. */
size_t limit_path_state_size(const struct rt *run);
void limit_path_state(const struct rt *run, double *state);
/* The greatest difference of such a state from the present one, over the bodies
 * that take part: of places as a share of the lengths of the motion, of
 * velocities as a share of its speeds, which are those of now and what the
 * accelerations make of rest during `flight` seconds. */
double limit_path_apart(const struct rt *run, const struct limit_points *points,
                        const double *state, double flight);

#endif
