/* SPDX-License-Identifier: MIT */
/* Inside the contacts of two smooth bodies: closest points and the series of
 * the gap (smooth_smooth.c), and the search for the direction of greatest
 * separation that they start from (smooth_smooth_search.c). */
#ifndef IMP_RUNTIME_GAP_SMOOTH_SMOOTH_PRIV_H
#define IMP_RUNTIME_GAP_SMOOTH_SMOOTH_PRIV_H

#include "runtime/gap/closest_points.h"
#include "runtime/geometry/support.h"

/* These three do for two smooth bodies what closest_points_find,
 * closest_points_predict and contact_gap_series do for all contacts. */
int smooth_smooth_closest(struct rt *run, uint32_t contact,
                          struct closest_points *out, bool loud);
void smooth_smooth_forget(struct rt *run, uint32_t contact);
void smooth_smooth_predict(struct rt *run, uint32_t contact, int order,
                           double dt);
int smooth_smooth_series(struct rt *run, uint32_t contact, int order,
                         double *gap);

/* Direction of greatest separation, to a few hundredths of a radian, from the
 * line of centres (or from the normal of a plane) on: pair->n, the support
 * points and sigma there. */
enum support_fault smooth_smooth_search(struct support_pair *pair);
/* The same for a deep overlap, where the separation has several maxima: the
 * greatest of those that an even spread of directions leads to, and of the one
 * that *best holds. */
void smooth_smooth_search_all(struct support_pair *best);

#endif
