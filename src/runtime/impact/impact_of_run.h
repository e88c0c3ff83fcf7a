/* SPDX-License-Identifier: MIT */
/* Impact problems from a running model, and the velocities of jointed bodies
 * at the start. */
#ifndef IMP_RUNTIME_IMPACT_IMPACT_OF_RUN_H
#define IMP_RUNTIME_IMPACT_IMPACT_OF_RUN_H

#include "runtime/friction/friction.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/impact/impact.h"
#include "runtime/instance/run.h"

/* An impact at the present state. The bodies of the contacts come first, in
 * the order of the contacts, then those that joints add, in the order of the
 * model. A contact of polytopes may have several points: each of them is a
 * contact of the problem. Places of the problem are counted from `origin`, near
 * the first contact: far from the world's origin levers keep their digits. */
struct impact_of_run {
    struct impact_problem p;
    struct impact_restitution varies; /* of p */
    double origin[3];
    uint32_t *body;    /* the model's number of each body */
    uint32_t *joint;   /* of each joint */
    uint32_t *contact; /* of each contact of the problem */
    /* Its last rows are friction of joints, not points; of each of these: the
     * joint of the problem. */
    uint32_t n_rough, *rough;
    /* the first contact whose normal is not unique, and the normals to choose
     * from; such a contact is no part of the problem. IMP_WORLD: there is none
     */
    uint32_t open;
    struct contact_manifold *choice;
    /* of all of them: which of the contacts that were read, and how many
     * normals there are to choose from */
    uint32_t n_open, *which, *choices;
};
/* The tolerance of directions where touching points come from shapes: closest
 * points, and what was read from the model, carry about 11 digits. */
#define IMPACT_SHAPE_TOLERANCE (RT_GAP_SHARE * RT_TOLERANCE)

/* Reads n contacts from the model at its present state, with the closest
 * points of shapes; n = 0 reads all bodies and joints without contacts. The
 * memory belongs to the arena of the run. Returns a status as
 * closest_points_find does, after a diagnostic if it is not IMP_OK. */
int impact_of_run_read(struct rt *run, const uint32_t *contact,
                       uint32_t n_contact, struct impact_of_run *out);
/* The same with a choice of normals: pick[i] is the number of the one that
 * contact[i] takes where its normal is not unique. */
int impact_of_run_read_picked(struct rt *run, const uint32_t *contact,
                              uint32_t n_contact, const uint32_t *pick,
                              struct impact_of_run *out);
/* The restitution of a contact of the run `context` (impact_restitution). */
double impact_restitution_of_run(void *context, uint32_t contact,
                                 double approach);
/* Lets the laws of the problem ask for restitutions that depend on the
 * approach. `out` must stay where it is. */
void impact_of_run_restitution(struct rt *run, struct impact_of_run *out);
/* Writes the velocities after an impact, `twist` of an impact_solver, into the
 * state of the run. */
void impact_of_run_write(struct rt *run, const struct impact_of_run *in,
                         const double *twist);

/* The end of set-up. Bodies that state no velocity get the one that their
 * joints and `rate`s imply. Velocities that are stated must agree with the
 * joints: if they do not, the function returns IMP_BADMODEL after a
 * diagnostic, or projects them with a warning where the world says so.
 * Redundant joints are reported. */
int start_joints(struct rt *run);

/* Checks S^T eta Q = 0 for every joint of the problem. IMP_BADMODEL after a
 * diagnostic. */
int impact_of_run_reciprocal(struct rt *run,
                             const struct impact_of_run *problem);

#endif
