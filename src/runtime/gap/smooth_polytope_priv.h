/* SPDX-License-Identifier: MIT */
/* Inside the contacts of a smooth body A with a polytope B
 * (smooth_polytope*.c). Vectors have 3 entries, in the plane the third is 0;
 * unless said, they are in B's axes about its mass centre, where the features
 * rest. n: unit, outward of A, towards B. */
#ifndef IMP_RUNTIME_GAP_SMOOTH_POLYTOPE_PRIV_H
#define IMP_RUNTIME_GAP_SMOOTH_POLYTOPE_PRIV_H

#include "runtime/gap/polytope_contact.h"
#include "runtime/geometry/support.h"

/* A feature counts as the nearest until the foot is past its end by this share
 * of the length (its normals: by this angle): there the gap is off by the
 * square of it over the radii of curvature, below rounding. It is taken only
 * within half of that, so that every step from feature to feature takes time.
 */
#define FEATURE_PAST 1e-9

#define SMOOTH_POLYTOPE_UNKNOWNS                                               \
    5                             /* most unknowns of a feature: x, gamma, s   \
                                   */
#define SMOOTH_POLYTOPE_LOCALS 11 /* with an edge's numbers */

struct polytope_feature {
    unsigned kind; /* FEATURE_VERTEX, FEATURE_EDGE, FEATURE_FACE */
    uint32_t index;
};
struct smooth_polytope {
    struct rt *r;
    const imp_contact *k;
    uint32_t contact;
    int d;
    struct support_body A, b; /* b: pose of B */
    const struct polytope *B;
    double Q[3][3], c[3]; /* A's axes and mass centre */
    double length;        /* of both */
    double past[2];       /* FEATURE_PAST for normals, for places (m) */
};
/* nearest points for one feature */
struct smooth_polytope_nearest {
    struct polytope_feature f;
    double u[SMOOTH_POLYTOPE_UNKNOWNS];
    double gap, p[3], n[3], foot[3];
    double violated; /* worst condition, in units of FEATURE_PAST; < 0 */
    struct polytope_feature next; /* whose feature lies beyond it */
};
/* value of a.n (of_normal) or a.p + c; the feature is nearest while it is not
 * negative; `next` takes over beyond */
struct feature_condition {
    bool of_normal;
    double a[3], c;
    struct polytope_feature next;
};

void smooth_polytope_get(struct rt *run, uint32_t contact,
                         struct smooth_polytope *pair);
/* numbers of the feature behind the unknowns in local; returns how many
 * unknowns there are */
int smooth_polytope_local(const struct smooth_polytope *pair,
                          struct polytope_feature feature, double *local);
/* conditions one after the other: *at = 0 at first; false after the last */
bool smooth_polytope_condition(const struct smooth_polytope *pair,
                               struct polytope_feature feature, uint32_t *at,
                               struct feature_condition *o);
/* point of B nearest to x, and its feature; inside: the face of least depth
 * and the foot on it. n: from x to it, or against that face's normal. */
struct polytope_feature
smooth_polytope_project(const struct smooth_polytope *pair, const double x[3],
                        double y[3], double n[3]);
/* the vertex of B furthest against n */
uint32_t smooth_polytope_vertex(const struct smooth_polytope *pair,
                                const double n[3]);
/* half the width of B along n */
double smooth_polytope_half_width(const struct smooth_polytope *pair,
                                  const double n[3]);
/* places and directions of A */
void smooth_polytope_from_smooth(const struct smooth_polytope *pair,
                                 const double x[3], double p[3]);
void smooth_polytope_turn_to_smooth(const struct smooth_polytope *pair,
                                    const double n[3], double m[3]);

/* -- smooth_polytope_newton.c -- */
/* an answer is taken when its worst condition is below this (FEATURE_PAST) */
#define FEATURE_TAKEN 0.5
/* overlap up to this share of the length is rounding */
#define SMOOTH_POLYTOPE_ROUNDING 1e-14
/* as SMOOTH_GAP_DEEP of smooth_smooth.c, with the width of B */
#define SMOOTH_POLYTOPE_DEEP 0.1
/* Newton's method for feature f from u: u, gap, p, n of o */
enum support_fault
smooth_polytope_newton(const struct smooth_polytope *pair,
                       struct polytope_feature feature, double *u,
                       struct smooth_polytope_nearest *nearest);
/* the other entries of o; SUPPORT_FINE when it is a nearest point of the
 * feature, whether or not that is the nearest one (violated) */
enum support_fault
smooth_polytope_check(const struct smooth_polytope *pair,
                      struct smooth_polytope_nearest *nearest);
/* Newton's method from the point p of A for feature f, and on to neighbours
 * whose conditions are the worst violated, at most so many times */
enum support_fault
smooth_polytope_walk(const struct smooth_polytope *pair,
                     struct polytope_feature feature,
                     const struct support_point *p, int most,
                     struct smooth_polytope_nearest *nearest);
/* an overlap so deep that another direction may be the greatest */
bool smooth_polytope_deep(const struct smooth_polytope *pair,
                          const struct smooth_polytope_nearest *o);

/* -- smooth_polytope.c -- */
/* A warm start is the unknowns of the last answer in r->contact_u, its feature
 * behind them: kept and restored with them */
struct polytope_feature smooth_polytope_warm_feature(const struct rt *run,
                                                     uint32_t contact);

#endif
