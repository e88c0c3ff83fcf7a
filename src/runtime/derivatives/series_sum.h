/* SPDX-License-Identifier: MIT */
/* Expressions that are sums of multiples of variables. */
#ifndef IMP_RUNTIME_DERIVATIVES_SERIES_SUM_H
#define IMP_RUNTIME_DERIVATIVES_SERIES_SUM_H

#include "runtime/instance/run.h"

/* Is an IMP_VAL_ALONG a constant and a sum of multiples of the variables of one
 * block, of a system or of observers? *block: which; weight: room for as many
 * numbers as it has variables, at most `most`. */
bool series_sum(const struct rt *run, const imp_val *val, uint32_t *block,
                double *weight, uint32_t most, double *constant);

#endif
