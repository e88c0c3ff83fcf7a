/* SPDX-License-Identifier: MIT */
/* Derivatives of the motion of one body at the present state. */
#ifndef IMP_RUNTIME_DERIVATIVES_BODY_KINEMATICS_H
#define IMP_RUNTIME_DERIVATIVES_BODY_KINEMATICS_H

#include "runtime/instance/run.h"

/* What imp_body.kinematics gives, for any body, in world axes: velocity,
 * acceleration and jerk of the mass centre (out[0..8], m/s^n), then the spin
 * and its first two derivatives (out[9..17], rad/s^n). Status of the tapes. */
int body_kinematics(struct rt *run, uint32_t body, double out[18]);

#endif
