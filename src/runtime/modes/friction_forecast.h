/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts of plane bodies with friction, foreseen
 * from one instant in the space of the contact rows: W and the accelerations
 * are constant, flights are parabolas, and impacts and modes are those of
 * runtime/friction. */
#ifndef IMP_RUNTIME_MODES_FRICTION_FORECAST_H
#define IMP_RUNTIME_MODES_FRICTION_FORECAST_H

#include "runtime/bounces/bounces.h"
#include "runtime/modes/accumulation_forecast.h"

struct friction_rows;
/* Sets the slip (m/s) of a point as it will be where the point comes down, and
 * in `rows` how fast it changes in flight, without forces. */
void friction_forecast_slip(struct friction_rows *rows,
                            const struct forecast_question *ask, int point,
                            double *slip);
/* What forces and impulses have done until the limit, per row (2 n). */
struct friction_forecast {
    double *impulse; /* N s */
    double *moment;  /* the sum of impulses times the time left after each */
    double *slip;    /* per point: slip at the limit; exactly 0: it sticks */
    double *work;    /* per point: work of friction until the limit (J) */
    double *normal;  /* per point: rate of the gap at the limit (m/s) */
};
/* Looks for the limit of the points ask->p, which may have friction: into
 * *all, and what leads there until ask->until into *out. False if there is
 * none, or if it is beyond ask->ahead. Memory: run->brief. */
bool friction_forecast(struct rt *run, const struct forecast_question *ask,
                       const struct contact_point *spot,
                       struct forecast_limit *all,
                       struct friction_forecast *out);
/* The coefficients of friction of these points at the present time and place,
 * three each, for slips as at the limit: a forecast takes them as they are when
 * it is made. NULL: all of them are numbers. Memory: run->brief. */
double *
friction_forecast_coefficients(struct rt *run, const struct contact_point *spot,
                               int n, const struct friction_forecast *forecast);
/* By how much the greatest of them has changed since then; INFINITY: unknown.
 */
double friction_forecast_changed(struct rt *run,
                                 const struct contact_point *spot, int n,
                                 const struct friction_forecast *forecast,
                                 const double *then);
/* The way of these points to a limit that has been foreseen. */
struct friction_way;
/* Begins it now. NULL: it cannot be followed. Memory: run->brief. */
struct friction_way *friction_way_begin(struct rt *run,
                                        const struct forecast_question *ask,
                                        const struct contact_point *spot);
/* Goes on to `time` seconds from the beginning; such times come before the
 * limit and ascend. *out: what has been done until then; rests: which points
 * (n) are closed there and have no rate. False: the way is not determined. */
bool friction_way_to(struct friction_way *way, double time,
                     struct friction_forecast *out, bool *rests);
/* Gives the bodies the impulses of a forecast at its limit, where they have
 * moved freely: velocities, and places by the moments. Status of the tapes. */
int friction_forecast_apply(struct rt *run, const struct contact_point *spot,
                            int n, const struct friction_forecast *forecast);

#endif
