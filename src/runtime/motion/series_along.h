/* SPDX-License-Identifier: MIT */
/* Time derivatives of expressions along the motion: the coefficients of the
 * image's series (imp_series) at the present state, into env. */
#ifndef IMP_RUNTIME_MOTION_SERIES_ALONG_H
#define IMP_RUNTIME_MOTION_SERIES_ALONG_H

#include "runtime/instance/run.h"

/* memory of its own for the series, so that the motion a caller steps along
 * stays as it is; NULL if the model has none. Owned by r->own. */
struct series_along *series_along_new(struct rt *run);
/* All series of v, for a value whose contacts are at their closest points
 * (closest_points_to_env). IMP_FAILED after a diagnostic; else IMP_OK or the
 * status of a contact's event series. */
int series_along_fill(struct rt *run, const imp_val *v);

#endif
