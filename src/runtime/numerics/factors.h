/* SPDX-License-Identifier: MIT */
/* Factors of small matrices, in a fixed order of operations: generated code
 * and the evaluator call the same functions (I6). The caller owns all memory.
 */
#ifndef IMP_RUNTIME_NUMERICS_FACTORS_H
#define IMP_RUNTIME_NUMERICS_FACTORS_H

/* Replaces a (n x n, row-major, n at most 16) by its factors, by LU with
 * partial pivoting; piv has n entries. The form of the factors is private to
 * lu.c. Returns nonzero if an entry of the column of a pivot is not finite, or
 * if a pivot is subnormal or below n*eps of the terms that it is the sum of. */
int imp_lu_factor(int n, double *a, int *piv);
/* Solves in place: b := A^-1 b. */
void imp_lu_solve(int n, const double *a, const int *piv, double *b);

/* The same for a symmetric positive semidefinite matrix, n at most
 * IMP_UNKNOWN_MAX. Rows may depend on others: these are left out (they come
 * last, with piv = -1), and imp_ldlt_solve gives 0 for them. Returns nonzero
 * if an entry is not finite. */
int imp_ldlt_factor(int n, double *a, int *piv);
int imp_ldlt_rank(int n, const int *piv);
void imp_ldlt_solve(int n, const double *a, const int *piv, double *b);

/* The same for a symmetric matrix that is not semidefinite: [A B; B' -J] with
 * A and J semidefinite (saddle.c). */
int imp_saddle_factor(int n, double *a, int *piv);
int imp_saddle_rank(int n, const int *piv);
void imp_saddle_solve(int n, const double *a, const int *piv, double *b);

/* The same for a matrix that is not symmetric, and of which rows may depend on
 * others (lu.c): then the right-hand sides must have a solution, and of all
 * solutions the one of least norm is given. */
int imp_rank_factor(int n, double *a, int *piv);
void imp_rank_solve(int n, const double *a, const int *piv, double *b);

#endif
