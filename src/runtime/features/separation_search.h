/* SPDX-License-Identifier: MIT */
/* The direction in which two smooth bodies are separated best. */
#ifndef IMP_RUNTIME_FEATURES_SEPARATION_SEARCH_H
#define IMP_RUNTIME_FEATURES_SEPARATION_SEARCH_H

#include "runtime/geometry/support.h"

/* Direction of greatest separation, to a few hundredths of a radian, from the
 * line of centres (or from the normal of a plane) on: pair->n, the support
 * points and sigma there. */
enum support_fault separation_search(struct support_pair *pair);
/* The same for a deep overlap, where the separation has several maxima: the
 * greatest of those that an even spread of directions leads to, and of the one
 * that *best holds. */
void separation_search_all(struct support_pair *best);

#endif
