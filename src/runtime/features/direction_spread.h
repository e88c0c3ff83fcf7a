/* SPDX-License-Identifier: MIT */
/* Directions that are spread evenly, for searches that must not miss one. */
#ifndef IMP_RUNTIME_FEATURES_DIRECTION_SPREAD_H
#define IMP_RUNTIME_FEATURES_DIRECTION_SPREAD_H

#include <assert.h>
#include <math.h>

/* Sets `direction` to number i of `many`, as a unit vector with 3 entries: in
 * the plane (dim 2) at equal angles, in space on a spiral of golden angles on
 * the sphere. */
static inline void
direction_of_spread(int dim, int number, int many, double direction[3])
{
    assert(number >= 0 && number < many);
    direction[2] = 0.0;
    if (dim == 2) {
        double angle = 6.283185307179586 * (number + 0.25) / many;
        direction[0] = cos(angle);
        direction[1] = sin(angle);
    } else {
        double z = 1.0 - (2 * number + 1) / (double)many;
        double q = sqrt(1.0 - z * z), angle = 2.399963229728653 * number;
        direction[0] = q * cos(angle);
        direction[1] = q * sin(angle);
        direction[2] = z;
    }
}

#endif
