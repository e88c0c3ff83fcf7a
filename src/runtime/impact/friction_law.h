/* SPDX-License-Identifier: MIT */
/* What a contact of bodies states about its impacts with friction. */
#ifndef IMP_RUNTIME_IMPACT_FRICTION_LAW_H
#define IMP_RUNTIME_IMPACT_FRICTION_LAW_H

#include "runtime/friction/friction.h"
#include "runtime/instance/run.h"

/* Coefficients, law and priority of a contact; the velocities are 0. See
 * friction_law_of_point. */
void friction_law_point(const struct rt *run, uint32_t contact,
                        struct friction_impact_point *out);

#endif
