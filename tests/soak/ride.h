/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a whole scene is carried along: it turns about the origin, and is pushed
 * with a constant acceleration; one of both. */
#ifndef SOAK_RIDE_H
#define SOAK_RIDE_H

#include <stdbool.h>
#include <stdio.h>

/* The angle is rate*t + size*sin(frequency*t + phase). */
struct ride {
    double rate, size, frequency, phase;
    double acceleration[3];
};

bool ride_turns(const struct ride *ride);
bool ride_is_rest(const struct ride *ride);
double ride_angle(const struct ride *ride, double time);
double ride_spin(const struct ride *ride, double time);
/* A place and a velocity on the ground, as they are beside it; `back`: the
 * other way. */
void ride_along(const struct ride *ride, double time, double place[3],
                double velocity[3]);
void ride_back(const struct ride *ride, double time, double place[3],
               double velocity[3]);
/* The angle, its rate and the rate of that as texts of Imp. */
void ride_print_angle(const struct ride *ride, FILE *out);
void ride_print_spin(const struct ride *ride, FILE *out);
void ride_print_growth(const struct ride *ride, FILE *out);

#endif
