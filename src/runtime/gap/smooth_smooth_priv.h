/* SPDX-License-Identifier: MIT */
/* Inside the contacts of two smooth bodies: closest points and the series of
 * the gap (smooth_smooth.c). The search starts from the direction of greatest
 * separation (runtime/features/separation_search.h). */
#ifndef IMP_RUNTIME_GAP_SMOOTH_SMOOTH_PRIV_H
#define IMP_RUNTIME_GAP_SMOOTH_SMOOTH_PRIV_H

#include "runtime/gap/closest_points.h"
#include "runtime/geometry/support.h"

/* These three do for two smooth bodies what closest_points_find,
 * closest_points_predict and contact_gap_series do for all contacts. */
int smooth_smooth_closest(struct rt *run, uint32_t contact,
                          struct closest_points *out, bool loud);
void smooth_smooth_forget(struct rt *run, uint32_t contact);
/* The last answers of all contacts, in run->brief; NULL: there is none. */
void *smooth_smooth_remember(struct rt *run);
/* n: contacts that there were */
void smooth_smooth_recall(struct rt *run, const void *memory, uint32_t n);
/* The same of one contact. */
void *smooth_smooth_remember_one(struct rt *run, uint32_t contact);
void smooth_smooth_recall_one(struct rt *run, uint32_t contact,
                              const void *memory);
void smooth_smooth_predict(struct rt *run, uint32_t contact, int order,
                           double dt);
int smooth_smooth_series(struct rt *run, uint32_t contact, int order,
                         double *gap);

#endif
