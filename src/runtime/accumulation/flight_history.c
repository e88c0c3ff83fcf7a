/* SPDX-License-Identifier: MIT */
/* See flight_history.h. */
#include "runtime/accumulation/flight_history.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

/* The ratio of flights is constant to this share of itself. */
#define FLIGHTS_STEADY 0.05

bool
flight_history_add(struct flight_history *flights, double time)
{
    assert(flights != NULL);
    double flight = time - flights->last, early = flights->early_now;
    flights->last = time;
    flights->early_now = 0.0;
    if (flights->impacts++ == 0) {
        flights->n_known = 0;
        flights->flight[0] = flight;
        flights->meet = -INFINITY;
        flights->off = INFINITY;
        flights->far = INFINITY;
        flights->group = flights->some = 0;
        flights->flat = 0.0;
        flights->early = early;
        return false;
    }
    flights->flight[3] = flights->flight[2];
    flights->flight[2] = flights->flight[1];
    flights->flight[1] = flights->flight[0];
    flights->flight[0] = flight;
    if (flights->n_known == 0 || flight >= flights->flight[1]) {
        flights->first = flight;
        flights->early = early;
    }
    flights->n_known++;
    return true;
}

void
flight_history_note_gap(struct flight_history *flights, double gap,
                        double speed, double rounding)
{
    assert(flights != NULL && speed > 0.0 && rounding >= 0.0);
    double change = fabs(gap - flights->gap);
    flights->early_now = change > rounding ? change / speed : 0.0;
    flights->early += flights->early_now;
    flights->gap = gap;
}

bool
flight_history_is_geometric(const struct flight_history *flights, double *ratio)
{
    assert(flights != NULL && ratio != NULL);
    if (flights->n_known < 3 || !(flights->flight[0] < flights->flight[1] &&
                                  flights->flight[1] < flights->flight[2]))
        return false;
    *ratio = flights->flight[0] / flights->flight[1];
    return fabs(*ratio - flights->flight[1] / flights->flight[2]) <=
           FLIGHTS_STEADY * *ratio;
}

bool
flight_history_is_steady(const struct flight_history *flights, double *off)
{
    assert(flights != NULL && off != NULL);
    const double *t = flights->flight;
    double ratio;
    if (flights->n_known < 4 || !flight_history_is_geometric(flights, &ratio) ||
        !(t[2] < t[3] && fabs(ratio - t[2] / t[3]) <= FLIGHTS_STEADY * ratio))
        return false;
    *off = 2.0 * FLIGHTS_STEADY * t[0];
    return true;
}

double
flight_history_left(const struct flight_history *flights)
{
    assert(flights != NULL);
    const double *t = flights->flight;
    int known = flights->impacts > 0 ? flights->n_known : 0;
    double ratio = known > 1 ? t[0] / t[1] : 0.0;
    if (known > 2)
        ratio = fmax(ratio, t[1] / t[2]) + fabs(ratio - t[1] / t[2]);
    return known < 1                    ? 0.0
           : ratio > 0.0 && ratio < 1.0 ? t[0] * ratio / (1.0 - ratio)
                                        : t[0];
}
