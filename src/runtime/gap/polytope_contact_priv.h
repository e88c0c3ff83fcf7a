/* SPDX-License-Identifier: MIT */
/* Inside the contacts of corners: memory of a contact, the part for a smooth
 * body against a polytope. A contact is of two polytopes when both bodies have
 * an entry in r->polytope, else the one without is smooth. */
#ifndef IMP_RUNTIME_GAP_POLYTOPE_CONTACT_PRIV_H
#define IMP_RUNTIME_GAP_POLYTOPE_CONTACT_PRIV_H

#include "runtime/gap/polytope_contact.h"
#include "runtime/numerics/taylor.h"

/* what a contact keeps from one call to the next, in r->own; zeroed at
 * first. The answer to a question does not depend on it beyond rounding */
struct polytope_contact_memo {
    bool warm; /* last is there: features to begin with */
    struct nearest_features last;
    /* polytopes: where last holds; room for the vertices of body 1, twice, and
     * of polytope_manifold.c */
    double time, state[2 * IMP_STATE_SPACE];
    uint32_t room, spot_room;
    double (*point)[3];
    void *spot;
    void *smooth; /* for smooth_polytope.c */
};
struct polytope_contact_memo *polytope_contact_memo(struct rt *run,
                                                    uint32_t contact);

static inline bool
polytope_contact_is_smooth(const struct rt *run,
                           const imp_contact *image_contact)
{
    return run->polytope[image_contact->body[0]] == NULL ||
           run->polytope[image_contact->body[1]] == NULL;
}
/* the scene at the present state; vertices lie in the contact's memory, in its
 * first or (second) second half */
void polytope_scene_get(struct rt *run, uint32_t contact, bool second,
                        struct polytope_scene *scene);
/* a gap series is left to another pair of features where it would be off by
 * this (m): a hundredth of what counts as closed, ten times under what
 * event.c's check of a step allows */
double polytope_contact_slack(struct rt *run, uint32_t contact);
/* The pose of body 1 in the axes of body 0 as series: c (3), R by rows; plane:
 * filled up with z. Needs the motion series made to this order. *holds: time
 * for which the terms left out stay below rounding. Status of rt_series */
int polytope_relative_pose(struct rt *run, uint32_t contact, int order,
                           struct taylor c[3], struct taylor R[9],
                           double *holds);

/* nearest features of two polytopes at the present state, in world axes:
 * IMP_OK, or IMP_DIVERGED where the poses are not finite (polytope_pair.c) */
int polytope_pair_closest(struct rt *run, uint32_t contact,
                          struct nearest_features *out);
/* two polytopes: polytope_series.c, from the features `first` on, valid may be
 * NULL; and
 * polytope_manifold.c */
int polytope_pair_series(struct rt *run, uint32_t contact, int order,
                         const struct feature_pair *first, double *gap,
                         double *valid);
int polytope_pair_manifold(struct rt *run, uint32_t contact, double tol,
                           struct contact_manifold *out);

/* smooth_polytope.c: as the functions of polytope_contact.h without _smooth,
 * for a smooth body (either one of the two) against a polytope */
int smooth_polytope_closest(struct rt *run, uint32_t contact,
                            struct nearest_features *out, bool loud);
int smooth_polytope_series(struct rt *run, uint32_t contact, int order,
                           double *gap, double *valid);
int smooth_polytope_manifold(struct rt *run, uint32_t contact, double tol,
                             struct contact_manifold *out);
/* moves the warm start by dt along the last series */
void smooth_polytope_predict(struct rt *run, uint32_t contact, int order,
                             double dt);
/* point and normal (gradient) of the smooth body in the axes of the polytope,
 * from the last smooth_polytope_series, of no higher order */
void smooth_polytope_point_series(struct rt *run, uint32_t contact, int order,
                                  struct taylor p[3], struct taylor N[3]);

#endif
