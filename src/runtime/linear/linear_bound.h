/* SPDX-License-Identifier: MIT */
/* How great a sum of multiples of the variables of a linear block can still
 * become, if nothing more acts on them. */
#ifndef IMP_RUNTIME_LINEAR_LINEAR_BOUND_H
#define IMP_RUNTIME_LINEAR_LINEAR_BOUND_H

#include "runtime/linear/linear_block.h"

struct linear_bound;

/* Of the sum of weight[i] x[i]. NULL: there is no bound, as the variables that
 * it depends on grow, do not die away, are many, or are driven by constants. */
struct linear_bound *linear_bound_new(const struct linear_block *linear,
                                      const double *weight);
/* What the size of the sum does not pass from the variables x on. */
double linear_bound(const struct linear_bound *bound, const double *x);

#endif
