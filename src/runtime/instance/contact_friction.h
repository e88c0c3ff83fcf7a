/* SPDX-License-Identifier: MIT */
/* Coefficients of friction between bodies at one instant. */
#ifndef IMP_RUNTIME_INSTANCE_CONTACT_FRICTION_H
#define IMP_RUNTIME_INSTANCE_CONTACT_FRICTION_H

#include "runtime/instance/run.h"

/* mu: while the contact slips with this speed (m/s, not negative), while it
 * sticks, of an impact. IMP_FAILED after E0518, where a formula is negative, or
 * E0602. */
int contact_friction_now(struct rt *run, uint32_t contact, double speed,
                         double mu[3]);

/* A coefficient of friction is not negative: IMP_FAILED after E0518 where this
 * one is. */
int contact_friction_sign(struct rt *run, uint32_t contact, double mu);

/* Static friction of a contact that does not slip must not be below its dynamic
 * friction: IMP_FAILED after E0518 where it is. Lifts what is rounding. */
int contact_friction_at_rest(struct rt *run, uint32_t contact, double time,
                             double mu_dynamic, double *mu_static);

#endif
