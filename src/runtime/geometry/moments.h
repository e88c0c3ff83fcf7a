/* SPDX-License-Identifier: MIT */
/* Volume, centroid and inertia of a level set that is star-shaped about its
 * origin, by quadrature over directions (trapezoid rule in the plane, product
 * Gauss-Legendre x trapezoid on the sphere), with an error estimate that is
 * never below the true error. Unit density. */
#ifndef IMP_RUNTIME_GEOMETRY_MOMENTS_H
#define IMP_RUNTIME_GEOMETRY_MOMENTS_H

#include "runtime/geometry/ray.h"

struct moments {
    double volume, centre[3], inertia[6]; /* about the centroid */
    double error; /* relative, of the worst entry (scaled by size) */
};
/* Returns RAY_OK; otherwise, `bad` (if it is not NULL) is the direction of the
 * fault. */
enum ray_fault moments_find(struct rt *run, uint32_t body, struct moments *out,
                            double bad[3]);

#endif
