/* SPDX-License-Identifier: MIT */
/* Where the bodies of a run stand: their attitudes, and points and directions
 * that move with them. */
#ifndef IMP_RUNTIME_GEOMETRY_POSE_H
#define IMP_RUNTIME_GEOMETRY_POSE_H

#include "runtime/instance/run.h"

/* The rotation matrix (row-major, shape axes to world axes) of a stored state
 * of a body: x, y, angle in the plane; x, y, z and a unit quaternion in space.
 */
void pose_attitude(bool plane, const double *state, double R[9]);
/* The same of a body (not the world) in the present state of the run. */
void pose_rotation(const struct rt *run, uint32_t body, double R[9]);
/* The present place (m, world axes) of a point that was at `given` when the
 * run started and is fixed to the body; with `turn`, the same of a direction.
 * Points of the world stay where they are. */
void pose_carry(const struct rt *run, uint32_t body, bool turn,
                const double given[3], double out[3]);
/* What a direction that is fixed to the body, and is `now` at present, was when
 * the run started. */
void pose_turn_back(const struct rt *run, uint32_t body, const double now[3],
                    double out[3]);

#endif
