/* SPDX-License-Identifier: MIT */
/* Where a ray leaves a body: the root of the level set along a half-line from
 * a point inside. Coordinates are shape coordinates, in m. */
#ifndef IMP_RUNTIME_GEOMETRY_RAY_H
#define IMP_RUNTIME_GEOMETRY_RAY_H

#include "runtime/instance/run.h"

enum ray_fault {
    RAY_OK,
    RAY_OUTSIDE,   /* the start is not inside: G >= 0 there */
    RAY_NO_END,    /* G stays negative: unbounded */
    RAY_UNDEFINED, /* G is not a number before it becomes positive */
    RAY_TANGENT,   /* G does not rise through zero: not star-shaped */
    RAY_REENTERS   /* the ray enters the body again: not star-shaped */
};
struct ray_hit {
    double rho;  /* distance */
    double x[3]; /* the point, shape coordinates */
    double g[3]; /* gradient of G there */
};
/* The point where the ray from o along the unit vector d leaves the body
 * (third entries 0 in the plane). guess: a first distance, 0 if none is known.
 * Accurate to the rounding of G. */
enum ray_fault ray_hit(struct rt *run, uint32_t body, const double origin[3],
                       const double along_ray[3], double guess,
                       struct ray_hit *out);
/* After a hit at distance rho: does G keep its sign before and beyond it, at
 * samples? */
enum ray_fault ray_star(struct rt *run, uint32_t body, const double origin[3],
                        const double along_ray[3], double rho);
/* The level set at x; NaN where it is not defined. */
double ray_level(struct rt *run, uint32_t body, const double x[3]);
/* Adds the diagnostic of a fault along d; `why` says what the surface is
 * needed for. */
void ray_diag(struct rt *run, uint32_t body, enum ray_fault fault,
              const double along_ray[3], const char *why);

#endif
