/* SPDX-License-Identifier: MIT */
/* Free motion by Taylor series: one step of a block, dense output, and moving
 * the whole model to a given time. Order and step from the decay of the
 * coefficients, each state variable scaled by its own size (Jorba & Zou
 * 2005); state sums are compensated. */
#ifndef IMP_RUNTIME_MOTION_MOTION_H
#define IMP_RUNTIME_MOTION_MOTION_H

#include "runtime/instance/run.h"

#define MOTION_STEP_ORDER 20

/* what steps need of the image, for r->motion; owned by r->own */
struct motion_plan *motion_plan_new(struct rt *run);
/* series of block b at the current time into r->work[b]; *h receives the time
 * for which it holds to rounding (infinite when the series ends) */
int motion_series(struct rt *run, uint32_t block, int order, double *h);
/* series of all blocks; *h: the least */
int motion_series_all(struct rt *run, int order, double *h);
/* state of all blocks at (current time + dt) from the series made last, into
 * env, compensated; time is set to `t` exactly; quaternions renormalised */
void motion_advance(struct rt *run, double dt, double t);
/* the same for series of another order than MOTION_STEP_ORDER */
void motion_advance_by(struct rt *run, int order, double dt, double t);
/* moves the model from the current time to t (either direction), without
 * events */
int motion_to(struct rt *run, double t);
/* total energy, kinetic, potential, momentum, angular momentum */
struct motion_totals {
    double kinetic, potential, momentum[3], angular[3];
};
int motion_totals(struct rt *run, struct motion_totals *out);

#endif
