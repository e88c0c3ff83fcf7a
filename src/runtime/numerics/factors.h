/* SPDX-License-Identifier: MIT */
/* Factors of small matrices, in a fixed order of operations: generated code
 * and the evaluator call the same functions (I6). The caller owns all memory.
 */
#ifndef IMP_RUNTIME_NUMERICS_FACTORS_H
#define IMP_RUNTIME_NUMERICS_FACTORS_H

/* LU with partial pivoting of n x n row-major a in place (for imp_lu_solve, how
 * it is kept is lu.c's affair); piv n entries.
 * n at most 16. Nonzero when an entry of the pivot's column is not finite, or
 * the pivot is subnormal or below n*eps of the terms it is the sum of. */
int imp_lu_factor(int n, double *a, int *piv);
/* solves in place: b := A^-1 b */
void imp_lu_solve(int n, const double *a, const int *piv, double *b);

/* The same for a symmetric positive semidefinite matrix, rows of which may
 * depend on others: these are left out (pivots last; piv = -1), and
 * imp_ldlt_solve gives 0 for them. n at most IMP_UNKNOWN_MAX. Nonzero when an
 * entry is not finite. */
int imp_ldlt_factor(int n, double *a, int *piv);
int imp_ldlt_rank(int n, const int *piv);
void imp_ldlt_solve(int n, const double *a, const int *piv, double *b);

#endif
