/* SPDX-License-Identifier: MIT */
/* Inside the search for closest points: bodies as level sets with a pose,
 * surface points, support points, the direction of greatest separation. All
 * vectors have 3 entries; in the plane the third is 0. */
#ifndef IMP_RUNTIME_GEOMETRY_SUPPORT_H
#define IMP_RUNTIME_GEOMETRY_SUPPORT_H

#include "runtime/gap/smooth_smooth.h"

/* why a search failed; for the diagnostic */
enum cl_fault {
    CL_FINE,
    CL_NO_ROOT,    /* E0612 */
    CL_NOT_CONVEX, /* E0611 */
    CL_FLAT,       /* E0610 */
    CL_LOST,       /* E0613 */
    CL_NONFINITE   /* E0601, already given when loud */
};

struct cl_body {
    struct rt *r;
    const imp_body *b;
    uint32_t index;
    int d;
    bool flat;
    double c[3];      /* mass centre, world */
    double R[3][3];   /* body -> world */
    double centre[3]; /* mass centre, shape coordinates */
    double size;      /* a length of the body's own; 0 if it is unbounded */
};
/* a point of the surface with the level set there */
struct cl_point {
    double x[3]; /* shape coordinates */
    double G, g[3], H[3][3];
    double norm; /* |g| */
};

void cl_body_get(struct rt *r, uint32_t body, struct cl_body *out);
/* level set at x into p; CL_NO_ROOT etc. on values that are not finite */
enum cl_fault cl_level(const struct cl_body *b, const double x[3],
                       struct cl_point *p);
/* support point in direction n (unit, shape axes): p holds a first guess on
 * the surface if `warm`. |tangential part of n| <= tol at the result */
enum cl_fault cl_support(const struct cl_body *b, const double n[3], double tol,
                         bool warm, struct cl_point *p);
void cl_to_world(const struct cl_body *b, const double x[3], double w[3]);
void cl_turn(const struct cl_body *b, const double x[3], double w[3]);
void cl_turn_back(const struct cl_body *b, const double w[3], double x[3]);
/* d - 1 unit tangents of unit n */
void cl_tangents(int d, const double n[3], double T[2][3]);
/* curvature matrix (K11 K12 K22) of p in shape-axes tangents T */
void cl_curvature(const struct cl_body *b, const struct cl_point *p,
                  double T[2][3], double K[3]);
/* eigenvalues of (K11 K12 K22), ascending; in the plane both are K11 */
void cl_eigen(int d, const double K[3], double e[2]);

/* inverse of K, its eigenvalues lifted to at least `least` first */
void cl_radii(int d, const double K[3], double least, double W[3]);
/* moves the warm start of a contact by dt along the series of its closest
 * points made last (closest_gap_series) */
void cl_predict(struct rt *r, uint32_t contact, int order, double dt);

/* direction of greatest separation from n (unit, world) on: maximises sigma
 * until its gradient is below tol (relative to length). n, points, sigma are
 * updated. */
struct cl_pair {
    struct cl_body b[2];
    double length;
    struct cl_point p[2];
    bool have[2]; /* p holds points of the surfaces */
    double n[3], sigma, slope;
};
enum cl_fault cl_sigma(struct cl_pair *s, const double n[3]);
enum cl_fault cl_climb(struct cl_pair *s, double tol, int most);

double cl_dot(const double a[3], const double b[3]);
double cl_norm(const double a[3]);
/* sum of the sizes, 1 if there is none */
double cl_length(const struct cl_body *a, const struct cl_body *b);

#endif
