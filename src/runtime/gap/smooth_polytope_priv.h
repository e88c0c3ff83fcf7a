/* SPDX-License-Identifier: MIT */
/* Inside the contacts of a smooth body A with a polytope B
 * (corner_smooth*.c). Vectors have 3 entries, in the plane the third is 0;
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
#define CS_PAST 1e-9

#define CS_UNKNOWN 5 /* most unknowns of a feature: x, gamma, s */
#define CS_LOCAL 11  /* with an edge's numbers */

struct cs_feature {
    unsigned kind; /* CORNER_VERTEX, CORNER_EDGE, CORNER_FACE */
    uint32_t index;
};
struct cs_pair {
    struct rt *r;
    const imp_contact *k;
    uint32_t contact;
    int d;
    struct support_body A, b; /* b: pose of B */
    const struct polytope *B;
    double Q[3][3], c[3]; /* A's axes and mass centre */
    double length;        /* of both */
    double past[2];       /* CS_PAST for normals, for places (m) */
};
/* nearest points for one feature */
struct cs_answer {
    struct cs_feature f;
    double u[CS_UNKNOWN];
    double gap, p[3], n[3], foot[3];
    double violated;        /* worst condition, in units of CS_PAST; < 0 */
    struct cs_feature next; /* whose feature lies beyond it */
};
/* value of a.n (of_normal) or a.p + c; the feature is nearest while it is not
 * negative; `next` takes over beyond */
struct cs_condition {
    bool of_normal;
    double a[3], c;
    struct cs_feature next;
};

void cs_pair_get(struct rt *r, uint32_t contact, struct cs_pair *s);
/* numbers of the feature behind the unknowns in local; returns how many
 * unknowns there are */
int cs_local(const struct cs_pair *s, struct cs_feature f, double *local);
/* conditions one after the other: *at = 0 at first; false after the last */
bool cs_condition(const struct cs_pair *s, struct cs_feature f, uint32_t *at,
                  struct cs_condition *o);
/* point of B nearest to x, and its feature; inside: the face of least depth
 * and the foot on it. n: from x to it, or against that face's normal. */
struct cs_feature cs_project(const struct cs_pair *s, const double x[3],
                             double y[3], double n[3]);
/* the vertex of B furthest against n */
uint32_t cs_vertex(const struct cs_pair *s, const double n[3]);
/* half the width of B along n */
double cs_half_width(const struct cs_pair *s, const double n[3]);
/* places and directions of A */
void cs_from_a(const struct cs_pair *s, const double x[3], double p[3]);
void cs_turn_to_a(const struct cs_pair *s, const double n[3], double m[3]);

/* -- smooth_polytope_newton.c -- */
/* an answer is taken when its worst condition is below this (CS_PAST) */
#define CS_TAKEN 0.5
/* overlap up to this share of the length is rounding */
#define CS_ROUNDING 1e-14
/* as CL_DEEP of smooth_smooth.c, with the width of B */
#define CS_DEEP 0.1
/* Newton's method for feature f from u: u, gap, p, n of o */
enum support_fault cs_newton(const struct cs_pair *s, struct cs_feature f,
                             double *u, struct cs_answer *o);
/* the other entries of o; SUPPORT_FINE when it is a nearest point of the
 * feature, whether or not that is the nearest one (violated) */
enum support_fault cs_check(const struct cs_pair *s, struct cs_answer *o);
/* Newton's method from the point p of A for feature f, and on to neighbours
 * whose conditions are the worst violated, at most so many times */
enum support_fault cs_walk(const struct cs_pair *s, struct cs_feature f,
                           const struct support_point *p, int most,
                           struct cs_answer *o);
/* an overlap so deep that another direction may be the greatest */
bool cs_deep(const struct cs_pair *s, const struct cs_answer *o);

/* -- corner_smooth.c -- */
/* A warm start is the unknowns of the last answer in r->contact_u, its feature
 * behind them: kept and restored with them */
struct cs_feature cs_kept(const struct rt *r, uint32_t contact);

#endif
