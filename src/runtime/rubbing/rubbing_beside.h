/* SPDX-License-Identifier: MIT */
/* Joints with friction beside closed contacts, as further points of the choice
 * of modes (runtime/friction): a unit of the tangential force of such a point
 * is a unit of friction at the radius of a hinge, or along a slider. */
#ifndef IMP_RUNTIME_RUBBING_RUBBING_BESIDE_H
#define IMP_RUNTIME_RUBBING_RUBBING_BESIDE_H

#include "runtime/friction/friction.h"
#include "runtime/instance/run.h"

struct pin;
struct pins;

/* One joint with friction among others. */
struct rubbing_joint {
    struct pins *pins;
    struct pin *pin;
    uint32_t number; /* among those of its block */
    double unit;     /* of its friction, for a unit of force: a radius, or 1 */
    double natural;  /* m/s: what gravity makes of rest over the pin or bush */
    double rate, noise;        /* m/s: of its slip; below `noise` it is none */
    double free;               /* m/s^2, without friction */
    struct friction_grip grip; /* without forces of contacts; `by` is NULL */
    enum contact_mode before;
    double mu, mu_static, mu_rest; /* mu_static: now; mu_rest: once it rests */
};
/* All joints with friction of these blocks; they lie in run->brief. */
uint32_t rubbing_joints(struct rt *run, const uint32_t *block, uint32_t n_block,
                        struct rubbing_joint **out);
uint32_t rubbing_joint_block(const struct rubbing_joint *joint);
/* its number in the model */
uint32_t rubbing_joint_of(const struct rubbing_joint *joint);
/* Reads modes, rates and coefficients. Status of the tapes. */
int rubbing_joints_read(struct rubbing_joint *joint, uint32_t n);
/* From here to rubbing_joints_keep all of them move without friction. */
void rubbing_joints_let_go(struct rubbing_joint *joint, uint32_t n);
void rubbing_joints_keep(struct rubbing_joint *joint, uint32_t n);
/* While they are let go: reads `free` and the loads. Status of the tapes. */
int rubbing_joints_free(struct rubbing_joint *joint, uint32_t n);
/* While they are let go: what a unit of force at joint i does, to all bodies of
 * its block (change, as of joints_response). Status. */
int rubbing_joint_push(struct rubbing_joint *joint, double *change);
/* Right after that, or (x is NULL) after joints_response with this change: what
 * it does to the slips of all joints of this block, and to what loads them. x:
 * unknowns of the block. Status. */
int rubbing_joint_feel(struct rubbing_joint *joint, uint32_t n, uint32_t block,
                       const double *x, const double *change, double *slip,
                       double (*load)[2]);
/* the unknowns of the last rubbing_joint_push */
const double *rubbing_joint_unknowns(const struct rubbing_joint *joint);

/* Has the mode of a joint just ended, so that it is to be chosen anew?
 * FRICTION_..., as whoever asks says: it keeps this until it is told
 * otherwise. */
enum rubbing_end { RUBBING_HOLDS, RUBBING_HAS_STOPPED, RUBBING_GAVE_WAY };
enum rubbing_end rubbing_joint_end(const struct rubbing_joint *joint);
/* An impact has just changed its rate, so that no mode of before goes on. */
bool rubbing_joint_struck(const struct rubbing_joint *joint);
/* Has the joint no friction, now and later? */
bool rubbing_joint_smooth(const struct rubbing_joint *joint);
/* Does it stick, and hold itself? */
bool rubbing_joint_holds(const struct rubbing_joint *joint);
/* Was it held on the edge of its cone, or at a share of it, by others? */
bool rubbing_joint_tied(const struct rubbing_joint *joint);

/* An impact gives it this impulse (at the radius of a hinge), which does this
 * work, and leaves it this rate. Moves the bodies of its block. Between
 * rubbing_joints_let_go and _keep. Status. */
int rubbing_joint_strike(struct rubbing_joint *joint, double impulse);
/* Behind that, and after rubbing_joints_keep: its rate is `after`, exactly 0 if
 * it has come to rest; modes are chosen anew. */
void rubbing_joint_after(struct rubbing_joint *joint, double after,
                         double work);

/* From now on it has this mode. share: where it sticks and others hold it, its
 * friction as a share of the greatest, with its sign; NAN: it holds itself. */
void rubbing_joint_set(struct rubbing_joint *joint, enum contact_mode mode,
                       double share);
/* Its slip begins from rest now; an acceleration of it below `small`, as of
 * its friction, is rounding. */
void rubbing_joint_begins(struct rubbing_joint *joint, double small);
/* The series of the motion with closed contacts stand: do the ends of its bush
 * push to other sides than its friction took them to? Then they are turned, and
 * the series are to be made anew. */
bool rubbing_joint_turns(struct rubbing_joint *joint);
/* These series stand: does it stick by more than its friction can give, after
 * rubbing_joints_read? */
bool rubbing_joint_overloaded(const struct rubbing_joint *joint);

#endif
