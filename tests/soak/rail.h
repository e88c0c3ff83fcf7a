/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces on a body along one line, which depend on its place and speed along
 * it: dampers of powers, dry friction as a force, soft stops. */
#ifndef SOAK_RAIL_H
#define SOAK_RAIL_H

#include <stdbool.h>
#include <stdio.h>

/* With x and v the place and the velocity along the unit vector `axis`, the
 * force along it is -damper*sign(v)*|v|^power - dry*sign(v) -
 * stop*max(0, x - stop_at). */
struct rail {
    double axis[3];
    double damper, power; /* N, at 1 m/s */
    double dry;           /* N */
    double stop, stop_at; /* N/m, m */
};

bool rail_is_none(const struct rail *rail);
/* The force as a vector of a body of that name in a world of that dimension, or
 * along the axis as a number of the body p`number` of a system without
 * dimensions. */
void rail_print_force(const struct rail *rail, int dimension, const char *name,
                      FILE *out);
void rail_print_as_system(const struct rail *rail, int number, FILE *out);
/* The same in units of mass, length and time that are so much smaller; the axis
 * is turned by whoever calls, and the origin moved by `shift` along it. */
void rail_scale(struct rail *rail, double shift, double mass, double length,
                double time);

#endif
