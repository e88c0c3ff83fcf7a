/* SPDX-License-Identifier: MIT */
/* Inside the room: the matrix of a linear block. */
#ifndef IMP_RUNTIME_LINEAR_LINEAR_PRIV_H
#define IMP_RUNTIME_LINEAR_LINEAR_PRIV_H

#include "runtime/linear/linear_bound.h"

/* Its run, and its p x p matrix A in rows of *ld; NULL where x' = A x + b has a
 * b. */
const double *linear_block_matrix(const struct linear_block *linear,
                                  struct arena **arena, uint32_t *p,
                                  uint32_t *ld);
/* Changes the units of the variables, by powers of two, until rows and columns
 * are of one size (Parlett & Reinsch 1969). exponent, where it is not NULL
 * (p, 0 at first): of the new units. */
void linear_balance(double *matrix, uint32_t p, int *exponent);

#endif
