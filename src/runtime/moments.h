/* SPDX-License-Identifier: MIT */
/* Volume, centroid and inertia of a level set that is star-shaped about its
 * origin, by quadrature over directions (trapezoid rule in the plane, product
 * Gauss-Legendre x trapezoid on the sphere), with an error estimate that is
 * never below the true error. Unit density. */
#ifndef IMP_RUNTIME_MOMENTS_H
#define IMP_RUNTIME_MOMENTS_H

#include "runtime/ray.h"

struct moments {
    double volume, centre[3], inertia[6]; /* about the centroid */
    double error; /* relative, of the worst entry (scaled by size) */
};
/* IMP_OK, or IMP_FAILED after a diagnostic */
int moments_of_shape(struct rt *r, uint32_t body, struct moments *out);
/* the same without a diagnostic: the fault and, in bad, its direction */
enum ray_fault moments_find(struct rt *r, uint32_t body, struct moments *out,
                            double bad[3]);

#endif
