/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces along a line. */
#include "rail.h"

#include <math.h>

#include "print.h"

bool
rail_is_none(const struct rail *rail)
{
    return rail->damper == 0 && rail->dry == 0 && rail->stop == 0;
}

/* Who feels the force: a body of that name in a world of that dimension, or
 * (`name` is NULL) the one of that number of a system. */
struct whose {
    const char *name;
    int dimension, number;
};

/* "(1, 2)" */
static void
print_axis(const struct rail *rail, int dimension, FILE *out)
{
    for (int k = 0; k < dimension; k++) {
        fputs(k ? ", " : "(", out);
        print_number(out, rail->axis[k]);
    }
    fputs(")", out);
}

/* The place, or the speed, along the axis. */
static void
print_along(const struct rail *rail, const struct whose *whose, bool speed,
            FILE *out)
{
    if (whose->name) {
        fprintf(out, "dot(%s.%s, ", whose->name,
                speed ? "velocity" : "position");
        print_axis(rail, whose->dimension, out);
        fputs(")", out);
        return;
    }
    for (int k = 0; k < 2; k++) {
        fputs(k ? " + (" : "((", out);
        print_number(out, rail->axis[k]);
        fprintf(out, ")*%c%d%s", "xy"[k], whose -> number, speed ? "'" : "");
    }
    fputs(")", out);
}

static void
print_factor(double factor, const char *unit, FILE *out)
{
    fputs("(", out);
    print_number(out, factor);
    fprintf(out, " [%s])", unit);
}

/* The force along the axis, with a sign before each of its terms. */
static void
print_terms(const struct rail *rail, const struct whose *whose, FILE *out)
{
    bool name = whose->name != NULL;
    if (rail->damper != 0) {
        fputs(" - ", out);
        print_factor(rail->damper, name ? "N" : "1/s^2", out);
        fputs("*sign(", out);
        print_along(rail, whose, true, out);
        fputs(")*(abs(", out);
        print_along(rail, whose, true, out);
        fprintf(out, ")/(1 [%s]))^", name ? "m/s" : "1/s");
        print_number(out, rail->power);
    }
    if (rail->dry != 0) {
        fputs(" - ", out);
        print_factor(rail->dry, name ? "N" : "1/s^2", out);
        fputs("*sign(", out);
        print_along(rail, whose, true, out);
        fputs(")", out);
    }
    if (rail->stop != 0) {
        fputs(" - ", out);
        print_factor(rail->stop, name ? "N/m" : "1/s^2", out);
        fputs(name ? "*max(0 [m], " : "*max(0, ", out);
        print_along(rail, whose, false, out);
        fputs(" - ", out);
        print_factor(rail->stop_at, name ? "m" : "1", out);
        fputs(")", out);
    }
}

void
rail_print_force(const struct rail *rail, int dimension, const char *name,
                 FILE *out)
{
    const struct whose whose = {.name = name, .dimension = dimension};
    fputs("(0 [N]", out);
    print_terms(rail, &whose, out);
    fputs(")*", out);
    print_axis(rail, dimension, out);
}

void
rail_print_as_system(const struct rail *rail, int number, FILE *out)
{
    const struct whose whose = {.number = number};
    print_terms(rail, &whose, out);
}

void
rail_scale(struct rail *rail, double shift, double mass, double length,
           double time)
{
    double force = mass * length / (time * time);
    rail->damper *= force * pow(length / time, -rail->power);
    rail->dry *= force;
    rail->stop *= force / length;
    rail->stop_at = (rail->stop_at + shift) * length;
}
