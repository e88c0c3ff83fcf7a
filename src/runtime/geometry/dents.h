/* SPDX-License-Identifier: MIT */
/* Is a level set convex? Contacts are found from one pair of closest points,
 * which says little of a body with dents or lobes. */
#ifndef IMP_RUNTIME_GEOMETRY_DENTS_H
#define IMP_RUNTIME_GEOMETRY_DENTS_H

#include "runtime/instance/run.h"

/* Does a part of the surface lie beyond the tangent plane of another part, at
 * samples? *far: by how much at most (m). Says false of half-planes, polytopes
 * and quadrics, which are convex, and where rays find no surface. */
bool shape_has_dents(struct rt *run, uint32_t body, double *far);

#endif
