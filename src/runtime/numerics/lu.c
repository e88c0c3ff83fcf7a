/* SPDX-License-Identifier: MIT */
/* LU factors with partial pivoting for the small dense systems of implicit
 * blocks. One fixed order of operations: evaluator and generated code call the
 * same function, so the bits agree (I6).
 *
 * A pair of bodies has 6 unknowns in the plane and 8 in space; for these sizes
 * the compiler gets loops of known length. A series solves once per order:
 * the diagonal of U is kept as reciprocals, and solving goes by columns, so
 * that no product waits for a sum.
 *
 * Letters: P A = L U (Golub & Van Loan 2013, 3.4); a is A (n x n, by rows) and
 * then its factors, b the right-hand side and then the solution, r a row and c
 * a column. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "runtime/numerics/factors.h"

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")
#else
#define ALWAYS_INLINE static inline
#define UNROLL
#endif

/* most rows, as of implicit blocks (eval_series.c) */
#define LU_MAX 16

/* Eliminates one column; returns 1 if there is no pivot in it. weight:
 * 1/largest entry of each row at first; size: the sum of the sizes of the
 * terms that each entry is made of. */
ALWAYS_INLINE int
column(int n, int c, double *restrict a, int *restrict piv,
       double *restrict weight, double *restrict size)
{
    int best_row = c;
    double best = -1;
    UNROLL
    for (int r = c; r < n; r++) {
        double v = fabs(a[r * n + c]);
        if (!(v <= DBL_MAX))
            return 1;
        v *= weight[r];
        if (v > best) {
            best = v;
            best_row = r;
        }
    }
    double pivot = fabs(a[best_row * n + c]);
    if (!(pivot >= DBL_MIN) || pivot < n * DBL_EPSILON * size[best_row * n + c])
        return 1;
    piv[c] = best_row;
    if (best_row != c) {
        UNROLL
        for (int j = 0; j < n; j++) {
            double t = a[c * n + j];
            a[c * n + j] = a[best_row * n + j];
            a[best_row * n + j] = t;
            size[best_row * n + j] = size[c * n + j];
        }
        weight[best_row] = weight[c];
    }
    double inverse = a[c * n + c] = 1 / a[c * n + c];
    UNROLL
    for (int r = c + 1; r < n; r++) {
        double f = a[r * n + c] * inverse;
        a[r * n + c] = f;
        if (f == 0)
            continue;
        UNROLL
        for (int j = c + 1; j < n; j++) {
            double x = f * a[c * n + j];
            a[r * n + j] -= x;
            size[r * n + j] += fabs(x);
        }
    }
    return 0;
}

ALWAYS_INLINE int
factor(int n, double *restrict a, int *restrict piv, double *restrict weight,
       double *restrict size)
{
    for (int r = 0; r < n; r++) {
        double most = 0;
        UNROLL
        for (int j = 0; j < n; j++) {
            double v = size[r * n + j] = fabs(a[r * n + j]);
            most = v > most ? v : most;
        }
        weight[r] = most >= DBL_MIN ? 1 / most : 0;
    }
    UNROLL
    for (int c = 0; c < n; c++)
        if (column(n, c, a, piv, weight, size))
            return 1;
    return 0;
}

ALWAYS_INLINE void
solve(int n, const double *restrict a, const int *restrict piv,
      double *restrict b)
{
    UNROLL
    for (int c = 0; c < n; c++) {
        double t = b[piv[c]];
        b[piv[c]] = b[c];
        b[c] = t;
    }
    UNROLL
    for (int c = 0; c < n; c++) {
        UNROLL
        for (int r = c + 1; r < n; r++)
            b[r] -= a[r * n + c] * b[c];
    }
    UNROLL
    for (int c = n - 1; c >= 0; c--) {
        b[c] *= a[c * n + c];
        UNROLL
        for (int r = 0; r < c; r++)
            b[r] -= a[r * n + c] * b[c];
    }
}

/* PA = LU in place, row-major, 1/U on the diagonal; piv[c] is the row exchanged
 * with row c. Rows are weighed by their largest entry, as they have different
 * units: which pivot is taken does not depend on the unit of length. A pivot
 * below n*eps of the terms it is the sum of carries no digit of the matrix any
 * more: the system counts as singular (1).
 */
int
imp_lu_factor(int n, double *a, int *piv)
{
    assert(n > 0 && n <= LU_MAX);
    assert(a != NULL && piv != NULL);
    double weight[8], size[64];
    switch (n) {
    case 6:
        return factor(6, a, piv, weight, size);
    case 8:
        return factor(8, a, piv, weight, size);
    default: {
        double w[LU_MAX], z[LU_MAX * LU_MAX];
        return n > LU_MAX ? 1 : factor(n, a, piv, w, z);
    }
    }
}

/* b becomes the solution */
void
imp_lu_solve(int n, const double *a, const int *piv, double *b)
{
    assert(n > 0 && n <= LU_MAX);
    assert(a != NULL && piv != NULL && b != NULL);
    switch (n) {
    case 6:
        solve(6, a, piv, b);
        break;
    case 8:
        solve(8, a, piv, b);
        break;
    default:
        solve(n, a, piv, b);
    }
}
