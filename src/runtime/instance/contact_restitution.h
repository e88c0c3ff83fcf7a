/* SPDX-License-Identifier: MIT */
/* Restitution of a contact at one instant, and what is left of the flights at
 * one that is hit alone, again and again. */
#ifndef IMP_RUNTIME_INSTANCE_CONTACT_RESTITUTION_H
#define IMP_RUNTIME_INSTANCE_CONTACT_RESTITUTION_H

#include "runtime/accumulation/flight_sum.h"
#include "runtime/instance/run.h"

/* Does the restitution depend on the speed of approach? */
bool contact_restitution_varies(const struct rt *run, uint32_t contact);

/* The restitution of an impact with this speed of approach (m/s, or the rate of
 * the system's gap); a speed that is not positive counts as vanishing.
 * IMP_FAILED after E0517 or E0602, with *restitution 0. */
int contact_restitution_at(struct rt *run, uint32_t contact, double approach,
                           double *restitution);

/* The same for laws that have no way to fail: 0 then, and run->law_status is
 * set. */
double contact_restitution_of(struct rt *run, uint32_t contact,
                              double approach);

/* The same for an impact that may come: where there is none for this speed, the
 * one for a vanishing speed, and nothing is told. */
double contact_restitution_ahead(struct rt *run, uint32_t contact,
                                 double approach);

/* How many times longer do the flights that begin with this speed take together
 * than they would under the restitution of this speed? INFINITY: for ever. */
double contact_restitution_slower(struct rt *run, uint32_t contact,
                                  double speed);

/* Is the restitution 1 or more at all speeds? Not known of impulses that follow
 * a law of their own: false. */
bool contact_restitution_elastic(struct rt *run, uint32_t contact);

/* Is the restitution of all impacts below this speed the one of a vanishing
 * speed, to rounding? */
bool contact_restitution_settled(struct rt *run, uint32_t contact,
                                 double speed);

/* The flights at this contact that begin with this positive speed. */
void contact_restitution_flights(struct rt *run, uint32_t contact, double speed,
                                 struct flight_sum *out);

#endif
