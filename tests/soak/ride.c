/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ride.h. */
#include "ride.h"

#include <math.h>

#include "print.h"
#include "vector.h"

bool
ride_turns(const struct ride *ride)
{
    return ride->rate != 0 || ride->size != 0;
}

bool
ride_is_rest(const struct ride *ride)
{
    return !ride_turns(ride) && length(ride->acceleration) == 0;
}

double
ride_angle(const struct ride *ride, double time)
{
    return ride->rate * time +
           ride->size * sin(ride->frequency * time + ride->phase);
}

double
ride_spin(const struct ride *ride, double time)
{
    return ride->rate + ride->size * ride->frequency *
                            cos(ride->frequency * time + ride->phase);
}

void
ride_along(const struct ride *ride, double time, double place[3],
           double velocity[3])
{
    double turn[3][3], spin = ride_spin(ride, time);
    angle_matrix(ride_angle(ride, time), turn);
    rotate(turn, place, place);
    rotate(turn, velocity, velocity);
    velocity[0] -= spin * place[1];
    velocity[1] += spin * place[0];
    add_scaled(place, time * time / 2, ride->acceleration, place);
    add_scaled(velocity, time, ride->acceleration, velocity);
}

void
ride_back(const struct ride *ride, double time, double place[3],
          double velocity[3])
{
    double turn[3][3], spin = ride_spin(ride, time);
    add_scaled(place, -time * time / 2, ride->acceleration, place);
    add_scaled(velocity, -time, ride->acceleration, velocity);
    velocity[0] += spin * place[1];
    velocity[1] -= spin * place[0];
    angle_matrix(ride_angle(ride, time), turn);
    rotate_back(turn, place, place);
    rotate_back(turn, velocity, velocity);
}

/* "(A [1/s])*t + B*sin((C [1/s])*t + D)" and its derivatives */
static void
print_turn(const struct ride *ride, int order, FILE *out)
{
    static const char *const units[] = {"", " [1/s]", " [1/s^2]"};
    double size = ride->size * pow(ride->frequency, order);
    fputs("((", out);
    print_number(out, order == 2 ? 0 : ride->rate);
    fprintf(out, " [%s])%s", order == 2 ? "1/s^2" : "1/s",
            order == 0 ? "*t" : "");
    if (ride->size != 0) {
        fputs(" + (", out);
        print_number(out, order == 2 ? -size : size);
        fprintf(out, "%s)*%s((", units[order], order == 1 ? "cos" : "sin");
        print_number(out, ride->frequency);
        fputs(" [1/s])*t + ", out);
        print_number(out, ride->phase);
        fputs(")", out);
    }
    fputs(")", out);
}

void
ride_print_angle(const struct ride *ride, FILE *out)
{
    print_turn(ride, 0, out);
}

void
ride_print_spin(const struct ride *ride, FILE *out)
{
    print_turn(ride, 1, out);
}

void
ride_print_growth(const struct ride *ride, FILE *out)
{
    print_turn(ride, 2, out);
}
