/* SPDX-License-Identifier: MIT */
/* Inside the contacts of corners: memory of a contact, the part for a smooth
 * body against a polytope. A contact is of two polytopes when both bodies have
 * an entry in r->polytope, else the one without is smooth. */
#ifndef IMP_RUNTIME_CORNER_PRIV_H
#define IMP_RUNTIME_CORNER_PRIV_H

#include "runtime/corner.h"
#include "runtime/jet.h"

/* what a contact keeps from one call to the next; zeroed at first. The answer
 * to a question does not depend on it beyond rounding */
struct corner_memo {
    bool warm; /* last is there: features to begin with */
    struct corner last;
    double (*point)[3]; /* polytopes: room for the vertices of body 1 */
    void *smooth;       /* for corner_smooth.c */
};
struct corner_memo *corner_memo(struct rt *r, uint32_t contact);

static inline bool
corner_is_smooth(const struct rt *r, const imp_contact *k)
{
    return r->polytope[k->body[0]] == NULL || r->polytope[k->body[1]] == NULL;
}
/* a gap series is left to another pair of features where it would be off by
 * this (m): a hundredth of what counts as closed, ten times under what
 * event.c's check of a step allows */
double corner_slack(struct rt *r, uint32_t contact);
/* The pose of body 1 in the axes of body 0 as series: c (3), R by rows; plane:
 * filled up with z. Needs the motion series made to this order. *holds: time
 * for which the terms left out stay below rounding. Status of rt_series */
int corner_pose(struct rt *r, uint32_t contact, int order, struct jet c[3],
                struct jet R[9], double *holds);

/* corner_smooth.c: as the functions of corner.h without _smooth, for a smooth
 * body (either one of the two) against a polytope */
int corner_smooth_closest(struct rt *r, uint32_t contact, struct corner *out,
                          bool loud);
int corner_smooth_series(struct rt *r, uint32_t contact, int order, double *gap,
                         double *valid);
int corner_smooth_touch(struct rt *r, uint32_t contact, double tol,
                        struct corner_touch *out);

#endif
