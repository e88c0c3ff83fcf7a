/* SPDX-License-Identifier: MIT */
/* The compliance of a contact at one instant: its normal force as a function of
 * how deep it is pressed in, and how fast. */
#ifndef IMP_RUNTIME_INSTANCE_CONTACT_COMPLIANCE_H
#define IMP_RUNTIME_INSTANCE_CONTACT_COMPLIANCE_H

#include "runtime/instance/run.h"

/* The scale of the compliance, after a look at the law where the contact just
 * touches. IMP_BADMODEL after E0386: the scale is none, or the contact pushes
 * there and would never let go. */
int contact_compliance_scale(struct rt *run, uint32_t contact, double *scale);
/* The law at this gap (m) and rate (m/s), or in the units of the system: force
 * (negative: none), and its derivatives by the scaled depth and speed. */
int contact_compliance_at(struct rt *run, uint32_t contact, double scale,
                          double gap, double rate, double out[3]);
/* IMP_BADMODEL after E0386 where it does not grow with the depth there, or falls
 * with the speed. */
int contact_compliance_check(struct rt *run, uint32_t contact, double scale,
                             double gap, double rate);

#endif
