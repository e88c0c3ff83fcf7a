/* SPDX-License-Identifier: MIT */
/* Inside the contacts of a smooth body A with a polytope B
 * (smooth_polytope*.c). Vectors have 3 entries; in the plane the third is 0.
 * Unless another frame is named they are in the axes of B about its mass
 * centre, where the features of B are at rest. n is the unit normal outward of
 * A, towards B. */
#ifndef IMP_RUNTIME_GAP_SMOOTH_POLYTOPE_PRIV_H
#define IMP_RUNTIME_GAP_SMOOTH_POLYTOPE_PRIV_H

#include "runtime/gap/polytope_contact.h"
#include "runtime/geometry/support.h"

/* A feature counts as the nearest until the foot of the nearest point is past
 * its end by this share of the length (for normals: by this angle). The gap is
 * then off by the square of that over the radii of curvature, which is below
 * rounding. A feature is taken up only within half of that, so that the change
 * from feature to feature and back takes time. */
#define FEATURE_PAST 1e-9

#define SMOOTH_POLYTOPE_UNKNOWNS                                               \
    5 /* most unknowns of one feature: x, gamma, s */
#define SMOOTH_POLYTOPE_LOCALS 11 /* unknowns and the numbers of an edge */

struct polytope_feature {
    unsigned kind; /* FEATURE_VERTEX, FEATURE_EDGE, FEATURE_FACE */
    uint32_t index;
};
struct smooth_polytope {
    struct rt *r;
    const imp_contact *k;
    uint32_t contact;
    int d;
    struct support_body A, b; /* b: the pose of B */
    const struct polytope *B;
    double Q[3][3], c[3]; /* axes and mass centre of A */
    double length;        /* of both */
    double past[2]; /* FEATURE_PAST for normals (rad) and for places (m) */
};
/* nearest points of A and of one feature of B */
struct smooth_polytope_nearest {
    struct polytope_feature f;
    double u[SMOOTH_POLYTOPE_UNKNOWNS];
    double gap, p[3], n[3], foot[3];
    double violated; /* the worst condition, in units of FEATURE_PAST; below 0
                        if all hold */
    struct polytope_feature
        next; /* the feature that takes over beyond that condition */
};
/* A condition: a.n + c if of_normal, else a.p + c. The feature is the nearest
 * while no condition is negative; beyond it the feature `next` takes over. */
struct feature_condition {
    bool of_normal;
    double a[3], c;
    struct polytope_feature next;
};

void smooth_polytope_get(struct rt *run, uint32_t contact,
                         struct smooth_polytope *pair);
/* Writes the numbers of the feature behind its unknowns in local. Returns the
 * number of unknowns. */
int smooth_polytope_local(const struct smooth_polytope *pair,
                          struct polytope_feature feature, double *local);
/* The conditions of a feature, one after the other: *at is 0 at first. False
 * after the last one. */
bool smooth_polytope_condition(const struct smooth_polytope *pair,
                               struct polytope_feature feature, uint32_t *at,
                               struct feature_condition *condition);
/* Sets `nearest` to the point of B nearest to `point`, and returns its feature.
 * direction: the unit vector from the one to the other. If `point` lies inside
 * B: the face of least depth, the foot on it, and minus its normal. */
struct polytope_feature
smooth_polytope_project(const struct smooth_polytope *pair,
                        const double point[3], double nearest[3],
                        double direction[3]);
/* Returns the vertex of B that lies furthest in the direction -n. */
uint32_t smooth_polytope_vertex(const struct smooth_polytope *pair,
                                const double n[3]);
/* Returns half the width of B along n. */
double smooth_polytope_half_width(const struct smooth_polytope *pair,
                                  const double n[3]);
/* Turns places and directions from the axes of A's shape into those of B. */
void smooth_polytope_from_smooth(const struct smooth_polytope *pair,
                                 const double x[3], double p[3]);
void smooth_polytope_turn_to_smooth(const struct smooth_polytope *pair,
                                    const double n[3], double m[3]);

/* -- smooth_polytope_newton.c -- */
/* an answer is taken if its worst condition is below this (in units of
 * FEATURE_PAST) */
#define FEATURE_TAKEN 0.5
/* an overlap of up to this share of the length is rounding */
#define SMOOTH_POLYTOPE_ROUNDING 1e-14
/* as SMOOTH_GAP_DEEP of smooth_smooth.c, with half the width of B as well */
#define SMOOTH_POLYTOPE_DEEP 0.1
/* Newton's method for one feature from the unknowns on: fills u, gap, p and
 * n of *nearest. */
enum support_fault
smooth_polytope_newton(const struct smooth_polytope *pair,
                       struct polytope_feature feature, double *unknowns,
                       struct smooth_polytope_nearest *nearest);
/* Fills the other entries. SUPPORT_FINE if this is a nearest point of the
 * feature, whether or not the feature is the nearest one (see `violated`). */
enum support_fault
smooth_polytope_check(const struct smooth_polytope *pair,
                      struct smooth_polytope_nearest *nearest);
/* Newton's method for a feature from the point p of A, and on to the neighbour
 * beyond the worst condition, at most `most` times. */
enum support_fault
smooth_polytope_walk(const struct smooth_polytope *pair,
                     struct polytope_feature feature,
                     const struct support_point *point, int most,
                     struct smooth_polytope_nearest *nearest);
/* Is the overlap so deep that another direction may separate the bodies
 * better? */
bool smooth_polytope_deep(const struct smooth_polytope *pair,
                          const struct smooth_polytope_nearest *nearest);

/* -- smooth_polytope.c -- */
/* The feature of the last answer. run->closest.unknowns holds its unknowns, and
 * behind them (entries 6 and 7) the feature, so that both are saved and
 * restored together. */
struct polytope_feature smooth_polytope_warm_feature(const struct rt *run,
                                                     uint32_t contact);

#endif
