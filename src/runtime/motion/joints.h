/* SPDX-License-Identifier: MIT */
/* Joints while bodies move: their multipliers, which the motion series starts
 * from, and the projection that keeps rounding from adding up. */
#ifndef IMP_RUNTIME_MOTION_JOINTS_H
#define IMP_RUNTIME_MOTION_JOINTS_H

#include "runtime/instance/run.h"

/* for r->joints, owned by r->own; NULL where no joint holds a moving body */
struct joint_projection *joints_new(struct rt *run);
/* end of set-up: what joints fix to their bodies, from the initial poses */
void joints_start(struct rt *run);
/* multipliers of a block at the present state, for its motion tape; NULL where
 * it has none. IMP_FAILED after E0604 where the joints' conditions are not as
 * many independent ones as at the start */
int joints_multipliers(struct rt *run, uint32_t block, const double **lambda);
/* poses and velocities of all blocks back onto their joints: least change in
 * the metric of the masses */
void joints_project(struct rt *run);
/* greatest error of a joint's condition at the present state: of positions (m,
 * or rad of directions), of velocities; status of the tapes. Either may be
 * NULL. 0 without joints */
int joints_errors(struct rt *run, double *position, double *velocity);
/* greatest error of positions that a step left, after its projection, since
 * the run was set to its start (rt_reset) */
double joints_greatest_error(const struct rt *run);
void joints_reset(struct rt *run);
/* A change of velocities (per body of the model 6: world axes, then body axes;
 * plane: entry 5) by forces, to which the joints of the block answer: theirs is
 * added. At the present state; status of the tapes */
int joints_response(struct rt *run, uint32_t block, double *change);
/* one body: its pose, or its velocities, moved by such a change */
void joints_shift_body(struct rt *run, uint32_t body, const double change[6],
                       bool velocity);
/* Rows for a motion series of a block beside run->work, which may be in use as
 * dense output; NULL where the block has no joints. They belong to the run. */
double *joints_rows(const struct rt *run, uint32_t block);

#endif
