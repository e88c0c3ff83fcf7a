/* SPDX-License-Identifier: MIT */
/* Joints while bodies move: the multipliers that the series of the motion
 * starts from, and the projection that keeps rounding errors from adding up. */
#ifndef IMP_RUNTIME_JOINTS_JOINTS_H
#define IMP_RUNTIME_JOINTS_JOINTS_H

#include "runtime/instance/run.h"

/* -- joints with friction (joint_friction.c) --------------------------------
 * Blocks of which imp_block.n_rub is not 0. Modes stand in env. */

/* What is known of joint i of the block (in the order of its joints with
 * friction) since the last solution: IMP_RUB_TOLD numbers. */
const double *joint_friction_told(const struct rt *run, uint32_t block,
                                  uint32_t i);
/* Reads these numbers at the present state, with unknowns `x`, or those of the
 * last solution (NULL). Status of the tape. */
int joint_friction_read(struct rt *run, uint32_t block, const double *x);
/* Says how great the greatest force (N) of the joints has been in the last
 * step.
 */
void joint_friction_had(struct rt *run, uint32_t block, double force);
/* The size (N) by which forces of joint i are rounding or not: of the masses
 * times accelerations of its bodies, or of the forces of the last steps, as all
 * of these may pass 0 together. */
double joint_friction_size(const struct rt *run, uint32_t block, uint32_t i);
/* Solves for the unknowns (n_unknown; they belong to the run) in the modes that
 * env states, and sets LOAD and SIDE there. impulse: NULL, or what the bodies
 * of the block get without joints, as `change` of joints_response: then these
 * are impulses, and the answers to them. IMP_SINGULAR: there is no solution, or
 * it is not unique. */
int joint_friction_solve(struct rt *run, uint32_t block, const double *impulse,
                         const double **x);
/* After that: the greatest friction of joint i for a coefficient of 1 (the grip
 * of mechanics/joint_friction.c), at the unknowns x. */
double joint_friction_grip(const struct rt *run, const imp_joint *joint,
                           const double *x);
/* After that: by how much the rate of joint i of the block changes, per second,
 * or at once by impulses. */
double joint_friction_change(const struct rt *run, uint32_t block, uint32_t i);
const double *joint_friction_unknowns(const struct rt *run, uint32_t block);
/* The derivatives of one row of the equations by the unknowns, as read last. */
const double *joint_friction_slope(const struct rt *run, uint32_t block,
                                   uint32_t row);
/* Solves the equations of the present modes, linearised at the last solution,
 * for the right-hand side b (n_unknown), in place. IMP_SINGULAR. */
int joint_friction_linear(struct rt *run, uint32_t block, double *b);
/* Adds what unknowns do to the velocities of the bodies to `change` (as of
 * joints_response). */
int joint_friction_push(struct rt *run, uint32_t block, const double *x,
                        double *change);
/* What impulses do to the bodies of a block, as of joints_response, with the
 * frictions of the joints, linearised at the last solution. Status;
 * IMP_SINGULAR. */
int joint_friction_response(struct rt *run, uint32_t block, double *change);
/* Keeps that solution, or (back) makes what was kept the last one again, after
 * joints_response, which leaves its own behind. */
void joint_friction_keep(struct rt *run, uint32_t block, bool back);
/* By how much such a change of the velocities changes the rates of the joints
 * with friction (n_rub). Status of the tape. */
int joint_friction_rates(struct rt *run, uint32_t block, const double *change,
                         double *rate);
/* Before a step along the series made last: adds the work that friction does in
 * it. */
void joint_friction_work(struct rt *run, int order, double dt);

/* The memory for run->joints; NULL if no joint holds a moving body. Memory:
 * run->own. */
struct joint_projection *joints_new(struct rt *run);
/* At the end of set-up: fixes the points and frames of joints to their bodies,
 * from the initial poses. */
void joints_start(struct rt *run);
/* The multipliers of a block at the present state, for its motion tape; NULL
 * if it has none. They belong to the run. IMP_FAILED after E0604 where the
 * number of independent conditions is not that of the start. */
int joints_multipliers(struct rt *run, uint32_t block, const double **lambda);
/* The same where places and velocities alone are asked for, which do not depend
 * on them: friction may leave them open without the forces of contacts. */
int joints_multipliers_any(struct rt *run, uint32_t block,
                           const double **lambda);
/* What the joints of a block tell that have no friction (imp_block.told), for
 * its multipliers; x NULL: nothing but the question whether these forces are
 * determined. The numbers belong to the run. IMP_FAILED after E0568 where they
 * are not, because joints hold what others hold already. */
int joints_told(struct rt *run, uint32_t block, const double *x,
                const double **numbers);
/* Moves poses and velocities of all blocks back onto their joints by the least
 * change in the metric of the masses. */
void joints_project(struct rt *run);
/* Does so for one block; nothing where it has no joints. */
void joints_project_block(struct rt *run, uint32_t block);
/* The greatest error of a condition of joints at the present state: of
 * positions (m, or rad for directions), and of velocities. Either may be NULL;
 * 0 without joints. Status of the tapes. */
int joints_errors(struct rt *run, double *position, double *velocity);
/* The greatest error of positions that was left after a step and its
 * projection since the run was set to its start (rt_reset). */
double joints_greatest_error(const struct rt *run);
void joints_reset(struct rt *run);
/* What impulses do to the bodies of a block, which its joints answer. change: 6
 * entries per body of the model, velocity in world axes, spin in body axes (in
 * the plane entry 5). On entry it is what the impulses would do without joints,
 * but the moment instead of the spin where IMP_BODYF_HELD is set; afterwards
 * the change of all velocities. Status of the tapes. */
int joints_response(struct rt *run, uint32_t block, double *change);
/* Moves the pose or the velocities of one body by such a change. */
void joints_shift_body(struct rt *run, uint32_t body, const double change[6],
                       bool velocity);
/* Rows for a motion series of a block beside run->rows.block, which may be in
 * use as dense output; NULL where the block has no joints. They belong to the
 * run. */
double *joints_rows(const struct rt *run, uint32_t block);

#endif
