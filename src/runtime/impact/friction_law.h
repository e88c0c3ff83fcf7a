/* SPDX-License-Identifier: MIT */
/* What a contact of bodies states about its impacts with friction. */
#ifndef IMP_RUNTIME_IMPACT_FRICTION_LAW_H
#define IMP_RUNTIME_IMPACT_FRICTION_LAW_H

#include "runtime/accumulation/flight_sum.h"
#include "runtime/friction/friction.h"
#include "runtime/instance/run.h"

/* Coefficients, law and priority of a contact whose point comes down with this
 * slip (m/s) at this normal velocity (m/s, negative), where the world, or a
 * command, has this law. See friction_law_of_point. IMP_FAILED after a
 * diagnostic about the coefficients. */
int friction_law_point(struct rt *run, uint32_t contact,
                       enum imp_impact_law law, double normal, double slip,
                       struct friction_impact_point *out);

/* A point of bodies whose joints have friction: a law of its own, which knows
 * how they answer without that, says nothing of them. IMP_FAILED after E0563.
 */
int friction_own_beside_joints(struct rt *run,
                               const struct friction_impact_point *point);

/* Its restitution where that depends on the approach, else NULL. */
const struct impact_restitution *friction_varying_law(struct rt *run,
                                                      uint32_t contact);

/* The law of the contact's own, in the memory until the end of the event; NULL
 * where it states none, or the world, or a command, has one of one point. */
const struct impact_own_law *friction_own_law(struct rt *run, uint32_t contact,
                                              enum imp_impact_law law);

/* What the impacts of a law of the contact's own leave of an approach. */
struct own_flights {
    struct flight_sum sum; /* contact_restitution_flights */
    bool normal;           /* it has no tangential impulse, at any speed */
};

/* Flights that begin with this positive speed at the point, whose A, B and C
 * are those of friction_impact_one. Where the point has no law of its own they
 * are those of its restitution. sum.ends is false, too, where the law depends
 * on the slip, which changes from impact to impact; nothing is told of what the
 * law fails to say. */
void own_flights_find(struct rt *run, const struct friction_impact_point *point,
                      double A, double B, double C, double speed,
                      struct own_flights *out);

/* The restitution of an impact at this speed alone; 1 where the law says none.
 */
double own_flights_restitution(struct rt *run,
                               const struct friction_impact_point *point,
                               double A, double B, double C, double speed);

#endif
