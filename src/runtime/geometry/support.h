/* SPDX-License-Identifier: MIT */
/* For the search for closest points: bodies as level sets with a pose, points
 * of their surfaces, support points, and the direction of greatest separation.
 * All vectors have three entries; in the plane the third is 0. Lengths in m. */
#ifndef IMP_RUNTIME_GEOMETRY_SUPPORT_H
#define IMP_RUNTIME_GEOMETRY_SUPPORT_H

#include <float.h>

#include "runtime/instance/run.h"
#include "runtime/numerics/vec3.h"

/* Why a search failed: what the diagnostic says. */
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
/* What support_body_get would say of it, without its pose. */
bool support_is_flat(const imp_body *body);
double support_size(const struct rt *run, const imp_body *body);
/* The radius of a body whose level set is a disc or a sphere about its mass
 * centre; 0: it is none. */
double support_ball_radius(struct rt *run, uint32_t body);
/* The level set at x (shape coordinates) with its gradient and second
 * derivatives, into `point`. SUPPORT_NONFINITE if G or its gradient is not
 * finite. */
enum support_fault support_level(const struct support_body *body,
                                 const double x[3],
                                 struct support_point *point);
/* Has G no second derivative at x, as |x|^p has none with 1 < p < 2 at x = 0?
 * Then the surface is sharper there than any sphere, and that is told (E0613)
 * with the body that it faces. */
bool support_tell_sharp(const struct support_body *body, const double x[3],
                        const imp_body *other, imp_range where);
/* The support point in direction n (unit, shape axes). With `warm`, `point`
 * holds a first guess on the surface. At the result the tangential part of n
 * is at most tol. */
enum support_fault support_find(const struct support_body *body,
                                const double n[3], double tol, bool warm,
                                struct support_point *point);
/* -- how well closest points are known: shares of the sizes -----------------
 */

/* A step of Newton's method below this is rounding: the method has converged.
 */
#define SUPPORT_STEP (8.0 * DBL_EPSILON)
/* So is a step below this that is no shorter than a quarter of the one before.
 */
#define SUPPORT_SETTLED 1e-11
/* Surfaces count as flat where the smallest eigenvalue of K1 + K2, times the
 * length, is below this. At this value the closest points are known to
 * 1e-16 / 1e-9 = 1e-7 of the length, and the gap still to rounding. */
#define SUPPORT_FLATNESS 1e-9
/* Steps that shrink no more are rounding over that curvature, and as large as
 * this at most. */
#define SUPPORT_FLAT_STEP (SUPPORT_STEP / SUPPORT_FLATNESS)
/* A point that is farther from the surface than this, by G/|grad G|, is none of
 * it. */
#define SUPPORT_OFF 1e-10
/* A curvature below minus this share of the greatest one, and of 1/length, is
 * that of a dent. */
#define SUPPORT_DENT 1e-7
/* Radii of curvature are no greater than the length over this. */
#define SUPPORT_STRAIGHT 1e-9

/* Steps of Newton's method, of up to SUPPORT_STEPS unknowns. Over a place where
 * a second derivative is infinite, as that of |x|^p with 1 < p < 2 at x = 0,
 * they go to and fro, without end where p is 3/2. A share of such a step comes
 * near to the place. */
#define SUPPORT_STEPS 8
struct support_steps {
    double last[SUPPORT_STEPS], move, share;
    int turns;
};
/* How much of a step to take: all of it, until steps turn round again and
 * again. `move` is the size of the step, of which steps up to `rounding` say
 * nothing. The structure begins as zeros. */
double support_steps_share(struct support_steps *steps, int n,
                           const double *step, double move, double rounding);
void support_to_world(const struct support_body *body, const double x[3],
                      double w[3]);
void support_rotate(const struct support_body *body, const double x[3],
                    double w[3]);
void support_rotate_back(const struct support_body *body, const double w[3],
                         double x[3]);
/* The dim - 1 unit tangents of a unit normal n. */
void support_tangents(int dim, const double n[3], double T[2][3]);
/* The curvature matrix (K11 K12 K22) of the surface at a point, in the
 * tangents T (shape axes). */
void support_curvature(const struct support_body *body,
                       const struct support_point *point, double T[2][3],
                       double K[3]);
/* The eigenvalues of (K11 K12 K22), ascending; in the plane both are K11. */
void support_principal_curvatures(int dim, const double K[3], double e[2]);

/* The inverse of K, after eigenvalues below `least` were raised to it. */
void support_radii(int dim, const double K[3], double least, double W[3]);
/* Does no surface G = 0 lie between the origin and x (shape axes)? Some level
 * sets have another branch outside the body. */
bool support_first_on_ray(const struct support_body *body, const double *x);
/* Two bodies and a direction n (unit, world): support_separation sets the
 * support points and sigma(n) = n.(c2 - c1) - h1(n) - h2(-n);
 * support_separation_maximise moves n until the gradient of sigma is below
 * tol, relative to `length`, in at most `most` steps. */
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

/* The sum of the sizes of two bodies; 1 if both are unbounded. */
double support_length(const struct support_body *a,
                      const struct support_body *body);

#endif
