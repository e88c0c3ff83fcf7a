/* SPDX-License-Identifier: MIT */
/* Impact problems from a running model, and the start of jointed bodies. */
#ifndef IMP_RUNTIME_IMPACT_IMPACT_OF_RUN_H
#define IMP_RUNTIME_IMPACT_IMPACT_OF_RUN_H

#include "runtime/gap/polytope_contact.h"
#include "runtime/impact/impact.h"
#include "runtime/instance/run.h"

/* An impact at the present state. Bodies in the order of the contacts' own
 * bodies, then those that joints add, in the model's order. A contact of bodies
 * with corners may have several points: each is a contact of the problem. */
struct impact_of_run {
    struct impact_problem p;
    uint32_t *body;    /* the model's number of each body */
    uint32_t *joint;   /* of each joint */
    uint32_t *contact; /* of each contact of the problem */
    /* the first contact whose normal is not unique, and what there is to choose
     * from (it is no part of the problem then); IMP_WORLD: none */
    uint32_t open;
    struct contact_manifold *choice;
};
/* tolerance of directions when points come from shapes: closest points and
 * what was read from the model carry about 11 digits */
#define IMPACT_SHAPE_TOLERANCE (RT_GAP_SHARE * RT_TOLERANCE)

/* Reads contacts (n > 0) from the model at its present state; closest points
 * of contacts with shapes are computed. Memory: the run's arena. Status as
 * closest_points_find (with a diagnostic). n = 0: all bodies and joints. */
int impact_of_run_read(struct rt *run, const uint32_t *contact,
                       uint32_t n_contact, struct impact_of_run *out);
/* velocities after into the state of the run */
void impact_of_run_write(struct rt *run, const struct impact_of_run *in,
                         const double *twist);

/* End of set-up: bodies that state no velocity get the one their joints and
 * `rate`s give them; what is stated must agree with the joints (IMP_BADMODEL
 * after a diagnostic otherwise), or is projected, with a warning, where the
 * world says so; redundant joints are told. */
int start_joints(struct rt *run);

/* S^T eta Q = 0 for every joint of o; IMP_BADMODEL after a diagnostic */
int impact_of_run_reciprocal(struct rt *run,
                             const struct impact_of_run *problem);

#endif
