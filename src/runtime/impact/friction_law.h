/* SPDX-License-Identifier: MIT */
/* Which law of impact holds at points with friction, and the impulses under it.
 */
#ifndef IMP_RUNTIME_IMPACT_FRICTION_LAW_H
#define IMP_RUNTIME_IMPACT_FRICTION_LAW_H

#include "runtime/friction/friction.h"
#include "runtime/instance/run.h"

/* Coefficients, law and priority of a contact; the velocities are 0. A bare
 * number as restitution means the energetic law. */
void friction_law_point(const struct rt *run, uint32_t contact,
                        struct friction_impact_point *out);
/* The impulses (2 n) of an impact under the law of the world; one point has a
 * law of its own. Where none is stated for several points that approach, two
 * laws have to agree; one that approaches while others rest is Moreau's
 * complementarity. speed: the greatest of the velocities' terms. Returns NULL,
 * or why the outcome is not determined. */
const char *friction_law_impulses(struct rt *run, int n, const double *W,
                                  const struct friction_impact_point *point,
                                  double speed, double *P);

#endif
