/* SPDX-License-Identifier: MIT */
/* Effectively invariant cones of relabelled maps (chatter.md 2.3, 2.5,
 * 2.9, Theorem 5): K with U_0 R^-j (K and C_j) in K for every j, where C_j are
 * the velocities with which a flight from contact 0 can end at contact j.
 *
 * All comes from struct symmetry. Rates are X, the modes scaled so that the
 * normalised rates of the contacts are u_j = X_0 + X_1 cos(b_j) + X_2 sin(b_j)
 * (X_0 +- X_1 in 2 dimensions), X_0 the mean (the functional u_3 of the paper,
 * the one that the symmetry leaves alone: X_0 > 0 on K would let all gaps
 * open). In them the gaps' feasible set {u >= 0} is a cone of 2 or 3
 * dimensions, whose facets and edges give the C_j. After an impact u_0 is as
 * small as the restitution: x = (X_0, u_0/e, X_2), turned about the first axis,
 * keeps its digits. Cones with x_0 < 0 are polygons of the plane x_0 = -1
 * (intervals, in 2 dimensions). */
#ifndef IMP_RUNTIME_RETURNMAP_INVARIANT_CONE_H
#define IMP_RUNTIME_RETURNMAP_INVARIANT_CONE_H

#include "runtime/returnmap/symmetry.h"

/* the greatest number of contacts: the work for the C_j grows with its square
 */
#define INVARIANT_CONE_CONTACTS 200
/* the greatest number of generators of a cone */
#define INVARIANT_CONE_MOST 500

enum invariant_cone_refused {
    INVARIANT_CONE_FITS,
    INVARIANT_CONE_NO_SYMMETRY,
    INVARIANT_CONE_NO_MEAN,   /* no functional that the symmetry leaves alone */
    INVARIANT_CONE_DIMENSION, /* the gaps move in another number of dimensions
                               */
    INVARIANT_CONE_ALIKE,     /* contacts `first` and `second` have the same gap
                               */
    INVARIANT_CONE_TOO_MANY,
    INVARIANT_CONE_NO_REBOUND /* restitution 0 */
};

struct invariant_cone_plane { /* c.x >= 0 */
    double c[3];
};
struct invariant_cone_flight {        /* to contact j */
    double map[9];                    /* U_0 R^-j */
    struct invariant_cone_plane h[6]; /* C_j; the first n_clip without x_0 <= 0,
                               which holds in the plane x_0 = -1 anyway */
    int n, n_clip;
    double ray[6][3]; /* generators of C_j before any is dropped, as X */
    int n_ray;
};
struct invariant_cone_problem {
    int m, dim;
    double e, deviation;
    double to[9], back[9];    /* x = to z of the modes z, z = back x; 3 x 3 */
    double x_of[9], rates[9]; /* x = x_of X, X = rates x */
    double (*gap)[3];         /* m: u_j = gap_j.X */
    double after[3]; /* -U_0 u_3 as x: a flat drop after its first impact */
    struct invariant_cone_flight *flight; /* [1 .. m-1] */
    int first, second;                    /* INVARIANT_CONE_ALIKE */
};
/* Makes the problem of a symmetry, in memory of the arena; FITS, or why there
 * is none. */
enum invariant_cone_refused
invariant_cone_problem(struct arena *arena, const struct symmetry *symmetry,
                       struct invariant_cone_problem *problem);

/* -- the search -------------------------------------------------------------
 */

enum invariant_cone_verdict {
    INVARIANT_CONE_YES, /* there is one: `proven` holds it */
    INVARIANT_CONE_NO, /* each cone that holds the start has a motion with x_0 >
                        * 0 */
    INVARIANT_CONE_OPEN, /* neither was found within the iterations */
    INVARIANT_CONE_STOPPED,
    INVARIANT_CONE_LEVEL, /* an image has x_0 = 0 within rounding */
    INVARIANT_CONE_LOOSE  /* the search has ended, but no cone around what it
                   found could  be shown to be invariant */
};
struct polygon2d_point {
    double x, y;
    bool old; /* its images are known to be inside */
    int id;   /* of the certificate of a NO */
};
struct invariant_cone_set {
    struct polygon2d_point *v; /* x_0 = -1, counter-clockwise */
    int n, low;                /* v[0] is the leftmost, v[low] the rightmost */
    double angle;              /* solid angle, or angle, in the coordinates x */
};
struct invariant_cone_options {
    double tolerance; /* growth of the angle in one step, as a share of it */
    int iterations;
    const struct polygon2d_point *from; /* n_from generators to start from;
                                   NULL: the ray `after` */
    int n_from;
    bool any_order; /* C_j are all velocities: a common invariant cone (Theorem
                       4) */
    bool (*stop)(const void *); /* asked now and then; NULL: never */
    const void *stop_arg;
};
/* One image: of a generator of K and C_j. YES: it is the sum of weight[i] times
 * generator g[i]. NO: what it is of is that sum, g[i] counting the origins and
 * then the images in front of it: each of these is in every effectively
 * invariant cone that holds the origins, and the last has x_0 > 0. */
struct invariant_cone_image {
    int j;
    struct polygon2d_point of;
    double x[3]; /* U_0 R^-j (-1, of) */
    int g[3];
    double weight[3]; /* >= 0 */
    double residual;  /* what the sum lacks */
};
struct invariant_cone_result {
    enum invariant_cone_verdict verdict;
    int iterations, contact; /* of the last image: which flight, NO and LEVEL */
    double growth;
    double slack; /* images out of the cone by less were left out, and corners
                     that stood out by less: 0 unless it has a round edge */
    struct invariant_cone_set least;  /* what the search found */
    struct invariant_cone_set proven; /* YES: enlarged, so that it holds its
                               images with a margin; else empty */
    double enlarged; /* share of the way to the middle that was added */
    double margin;   /* every image is at least this share of the middle's
                        distance away from every edge */
    double rounding; /* bound of what is wrong in `margin` */
    struct polygon2d_point
        *origin; /* what the search began with; NULL: x_0 >= 0 */
    int n_origin;
    struct invariant_cone_image
        *image; /* of `proven` (YES); NO: see above (none: the
         last one opens too little); else of `least` */
    int n_image;
};
/* Searches for the cone. Memory comes from the arena; with `certificate` the
 * images and weights are kept, too. */
void invariant_cone_find(struct arena *arena,
                         const struct invariant_cone_problem *problem,
                         const struct invariant_cone_options *options,
                         bool certificate,
                         struct invariant_cone_result *result);

#endif
