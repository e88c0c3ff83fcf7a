/* SPDX-License-Identifier: MIT */
/* The shortest solutions of square equations with few entries per row, of which
 * some may depend on others: what least_square_factor and its sisters
 * (runtime/numerics/dense.h) are for a matrix of all entries. */
#ifndef IMP_RUNTIME_SPARSE_SPARSE_LEAST_H
#define IMP_RUNTIME_SPARSE_SPARSE_LEAST_H

#include <stdbool.h>

struct arena;
struct sparse_least; /* the factors of one matrix */

/* Of fewer equations factors of all entries take no longer. */
#define SPARSE_LEAST 64

/* Memory: the arena, as much as the largest matrix needs. */
struct sparse_least *sparse_least_new(struct arena *arena);
/* Factors A (n x n, column-major), of which nothing is kept but the address:
 * it stays as it is while there are questions. symmetric: it is its own
 * transpose. False: what pivots leave is neither independent of them by 1e-8
 * nor given by them to least_square_rounding; there is nothing to ask then. */
bool sparse_least_factor(struct sparse_least *least, int n, const double *A,
                         bool symmetric);
/* Returns how many rows are independent. */
int sparse_least_rank(const struct sparse_least *least);
/* Finds the x of least length with |A x - b| least; n entries each, and x may
 * be b. */
void sparse_least_solve(struct sparse_least *least, const double *b, double *x);
/* Finds an x with A^T x = b, which must have a solution. x is not b. */
void sparse_least_solve_turned(struct sparse_least *least, const double *b,
                               double *x);

#endif
