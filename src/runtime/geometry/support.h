/* SPDX-License-Identifier: MIT */
/* Inside the search for closest points: bodies as level sets with a pose,
 * surface points, support points, the direction of greatest separation. All
 * vectors have 3 entries; in the plane the third is 0. */
#ifndef IMP_RUNTIME_GEOMETRY_SUPPORT_H
#define IMP_RUNTIME_GEOMETRY_SUPPORT_H

#include "runtime/instance/run.h"
#include "runtime/numerics/vec3.h"

/* why a search failed; for the diagnostic */
enum support_fault {
    SUPPORT_FINE,
    SUPPORT_NO_ROOT,    /* E0612 */
    SUPPORT_NOT_CONVEX, /* E0611 */
    SUPPORT_FLAT,       /* E0610 */
    SUPPORT_LOST,       /* E0613 */
    SUPPORT_NONFINITE   /* E0601, already given when loud */
};

struct support_body {
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
struct support_point {
    double x[3]; /* shape coordinates */
    double G, g[3], H[3][3];
    double norm; /* |g| */
};

void support_body_get(struct rt *run, uint32_t body, struct support_body *out);
/* level set at x into p; SUPPORT_NO_ROOT etc. on values that are not finite */
enum support_fault support_level(const struct support_body *body,
                                 const double x[3],
                                 struct support_point *point);
/* support point in direction n (unit, shape axes): p holds a first guess on
 * the surface if `warm`. |tangential part of n| <= tol at the result */
enum support_fault support_find(const struct support_body *body,
                                const double n[3], double tol, bool warm,
                                struct support_point *point);
void support_to_world(const struct support_body *body, const double x[3],
                      double w[3]);
void support_rotate(const struct support_body *body, const double x[3],
                    double w[3]);
void support_rotate_back(const struct support_body *body, const double w[3],
                         double x[3]);
/* d - 1 unit tangents of unit n */
void support_tangents(int d, const double n[3], double T[2][3]);
/* curvature matrix (K11 K12 K22) of p in shape-axes tangents T */
void support_curvature(const struct support_body *body,
                       const struct support_point *point, double T[2][3],
                       double K[3]);
/* eigenvalues of (K11 K12 K22), ascending; in the plane both are K11 */
void support_principal_curvatures(int d, const double K[3], double e[2]);

/* inverse of K, its eigenvalues lifted to at least `least` first */
void support_radii(int d, const double K[3], double least, double W[3]);
/* direction of greatest separation from n (unit, world) on: maximises sigma
 * until its gradient is below tol (relative to length). n, points, sigma are
 * updated. */
struct support_pair {
    struct support_body b[2];
    double length;
    struct support_point p[2];
    bool have[2]; /* p holds points of the surfaces */
    double n[3], sigma, slope;
};
enum support_fault support_separation(struct support_pair *pair,
                                      const double n[3]);
enum support_fault support_separation_maximise(struct support_pair *pair,
                                               double tol, int most);

/* sum of the sizes, 1 if there is none */
double support_length(const struct support_body *a,
                      const struct support_body *body);

#endif
