/* SPDX-License-Identifier: MIT */
/* The impact handler of the compiled model: the impulse at one contact of two
 * free or fixed bodies with shapes (Palffy-Muhoray et al. 2018, eqs (1)-(10),
 * spec 0.A). */
#ifndef IMP_ANALYSIS_IMPACT_IMPACT_HANDLER_H
#define IMP_ANALYSIS_IMPACT_IMPACT_HANDLER_H

#include "abi/contact.h"
#include "analysis/command/command.h"

/* Evaluates the handler at the present state. alpha: the impulse in N*s; NULL:
 * that of the contact's law. cs: all outputs, enum IMP_CS_... IMP_FAILED after
 * the diagnostic of an expression that is not finite (I5). */
int impact_handler_compute(struct analysis *analysis, uint32_t contact,
                           const double *alpha, double cs[IMP_CS_SIZE]);
/* Puts the velocities after the impact into the state. */
void impact_handler_apply(struct analysis *analysis, uint32_t contact,
                          const double cs[IMP_CS_SIZE]);
/* The greatest relative change of momentum and of angular momentum, with the
 * impulses on fixed bodies counted (I1); infinity when they cannot be
 * evaluated. */
double impact_handler_momentum_error(struct analysis *analysis,
                                     uint32_t contact,
                                     const double cs[IMP_CS_SIZE]);

#endif
