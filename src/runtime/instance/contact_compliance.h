/* SPDX-License-Identifier: MIT */
/* The compliance of a contact at one instant: its normal force as a function of
 * how deep it is pressed in, and how fast. */
#ifndef IMP_RUNTIME_INSTANCE_CONTACT_COMPLIANCE_H
#define IMP_RUNTIME_INSTANCE_CONTACT_COMPLIANCE_H

#include "runtime/instance/run.h"

/* rows of imp_contact.press: depth, speed, impulse, compression; scaled */
#define COMPLIANCE_ROWS 4

/* Before a run: looks whether the law has a Taylor series where the contact
 * just touches, and at its scale (contact_compliance_scale). */
int contact_compliance_start(struct rt *run, uint32_t contact, double *scale);
/* Does the contact yield now, so that its force is that of its law, and no part
 * of what is chosen? */
bool contact_compliance_gives(const struct rt *run, uint32_t contact);
/* Has it none? */
bool contact_compliance_rough(const struct rt *run, uint32_t contact);
/* Of a law that has none: how near to the touch it is asked for, with this gap
 * and its rate, which has such a rounding; least: the least step of the clock.
 */
void contact_compliance_beside(struct rt *run, uint32_t contact, double scale,
                               double rounding, const double gap[2],
                               double least);
/* The scale of the compliance, after a look at the law where the contact just
 * touches. IMP_BADMODEL after E0386: the scale is none, or the contact pushes
 * there and would never let go. */
int contact_compliance_scale(struct rt *run, uint32_t contact, double *scale);
/* The law at this gap (m) and rate (m/s), or in the units of the system: force
 * (negative: none), and its derivatives by the scaled depth and speed. */
int contact_compliance_at(struct rt *run, uint32_t contact, double scale,
                          double gap, double rate, double out[3]);
/* The law at scaled depth, speed, impulse and compression: force, derivatives
 * by depth and by speed, scale. Status of the tape; says nothing. */
int contact_compliance_law(struct rt *run, uint32_t contact,
                           const double at[COMPLIANCE_ROWS], double out[4]);
/* IMP_BADMODEL after E0386 where it does not grow with the depth there, or
 * falls with the speed. */
int contact_compliance_check(struct rt *run, uint32_t contact, double scale,
                             double gap, double rate);

/* The forces of the law at this gap (m) on both sides of speed 0: on the way
 * back, and on the way in (not negative), with what it remembers (2, in units
 * of the system). True if it jumps up there, so that the contact may be at rest
 * under any force in between. */
bool contact_compliance_sides(struct rt *run, uint32_t contact, double scale,
                              double gap, const double memory[2],
                              double force[2]);

/* What the contact gives back at this gap if it is let go slowly: the work of
 * the law at speed 0. */
int contact_compliance_energy(struct rt *run, uint32_t contact, double gap,
                              double *out);

#endif
