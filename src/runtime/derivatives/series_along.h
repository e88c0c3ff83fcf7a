/* SPDX-License-Identifier: MIT */
/* Time derivatives of expressions along the motion: writes the coefficients of
 * the image's series (imp_series) at the present state into env. */
#ifndef IMP_RUNTIME_DERIVATIVES_SERIES_ALONG_H
#define IMP_RUNTIME_DERIVATIVES_SERIES_ALONG_H

#include "runtime/instance/run.h"

/* Memory for these series, so that the series that a caller steps along stays
 * as it is; NULL if the model has none. Memory: run->own. */
struct series_along *series_along_new(struct rt *run);
/* Fills all series that the value reads. Its contacts must be at their
 * closest points (closest_points_to_env). IMP_FAILED after a diagnostic, or
 * the status of a contact's series. */
int series_along_fill(struct rt *run, const imp_val *val);

/* Between both calls, with true and then false, the state of the run stays as
 * it is: what several expressions need of the motion is made once. */
void series_along_same(struct rt *run, bool same);
/* From here on nobody asks an IMP_VAL_ALONG for more than its value: all other
 * coefficients are 0. */
void series_along_values(struct rt *run, bool only);
/* Between them: room for the series of the coordinates and rates of a system
 * about the present time, 2n rows of IMP_ROW_STRIDE; NULL if the model has no
 * series. Who has this series writes it there and says so, and when the system
 * changes its branch next: it is not made again then. */
double *series_along_room(struct rt *run, uint32_t system);
void series_along_given(struct rt *run, uint32_t system, double switches);

/* When, at most `span` from now, does a formula that the motion follows change
 * its branch next, by the series that were made between both calls? INFINITY:
 * none does. */
double series_along_switch(struct rt *run, double span);

/* Does a series read what contacts or joints of bodies tell? That is to stand in
 * env (IMP_CONTACT_NORMAL_FORCE and behind, IMP_JOINT_FORCE and behind) before
 * series_along_fill; what contacts of systems tell does. */
bool series_along_forces(const struct rt *run);
/* The greatest force of contacts and joints that are read, as it is told. */
double series_along_greatest_force(const struct rt *run);
/* Does this value read what contacts and joints tell? */
bool series_along_reads_force(const struct rt *run, const imp_val *val);

#endif
