/* SPDX-License-Identifier: MIT */
/* Directions that are spread evenly, for searches that must not miss one. */
#ifndef IMP_RUNTIME_FEATURES_DIRECTION_SPREAD_H
#define IMP_RUNTIME_FEATURES_DIRECTION_SPREAD_H

#include <assert.h>
#include <math.h>

/* n: direction i of `many`, as a unit vector with 3 entries. In the plane
 * (dim 2) equal angles; in space a spiral of golden angles on the sphere. */
static inline void
direction_of_spread(int dim, int i, int many, double n[3])
{
    assert(i >= 0 && i < many);
    n[2] = 0.0;
    if (dim == 2) {
        double angle = 6.283185307179586 * (i + 0.25) / many;
        n[0] = cos(angle);
        n[1] = sin(angle);
    } else {
        double z = 1.0 - (2 * i + 1) / (double)many;
        double q = sqrt(1.0 - z * z), angle = 2.399963229728653 * i;
        n[0] = q * cos(angle);
        n[1] = q * sin(angle);
        n[2] = z;
    }
}

#endif
