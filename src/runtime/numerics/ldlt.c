/* SPDX-License-Identifier: MIT */
/* Factors of Gram matrices J = C M^-1 C^T, symmetric and positive semidefinite,
 * of which rows may depend on others (redundant joints): J = L D L^T with the
 * largest pivot first, each measured by its row's own diagonal entry, so that
 * neither the units of a condition nor its scale choose. What is left when the
 * pivots have shrunk to rounding depends on what was taken: its unknowns are 0.
 * One fixed order of operations: evaluator and generated code call the same
 * function, so the bits agree (I6).
 *
 * Letters: a is J (n x n, by rows) and then its factors, b the right-hand side
 * and then the solution, k the step of the elimination. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "abi/image.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/factors.h"

/* A pivot over its diagonal entry is the square of the sine of the angle
 * between the row and those taken before, in the metric M^-1. Its own rounding
 * is n eps times the growth of the factors, for which Higham (2002, sec. 10.3)
 * finds less than 10 in practice; sines below 4e-7 at 8 rows count as 0. */
#define LDLT_GROWTH 10

int
imp_ldlt_factor(int n, double *a, int *piv)
{
    assert(n >= 0 && n <= IMP_UNKNOWN_MAX);
    assert(n == 0 || (a != NULL && piv != NULL));
    double weight[IMP_UNKNOWN_MAX];
    const double least = LDLT_GROWTH * n * DBL_EPSILON;
    if (n > IMP_UNKNOWN_MAX)
        return 1;
    for (int i = 0; i < n; i++) {
        double d = a[i * n + i];
        for (int j = 0; j < n; j++)
            if (!(fabs(a[i * n + j]) <= DBL_MAX))
                return 1;
        weight[i] = d >= DBL_MIN ? 1 / d : 0;
        piv[i] = -1;
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        double best = -1;
        for (int i = k; i < n; i++) {
            double v = a[i * n + i] * weight[i];
            if (v > best) {
                best = v;
                pivot = i;
            }
        }
        if (!(best > least))
            break;
        piv[k] = pivot;
        dense_exchange(n, a, weight, k, pivot);
        double inverse = a[k * n + k] = 1 / a[k * n + k];
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] * inverse;
            if (f == 0)
                continue;
            for (int j = i; j < n; j++) {
                double x = f * a[k * n + j];
                a[i * n + j] -= x;
                a[j * n + i] = a[i * n + j];
            }
        }
        for (int j = k + 1; j < n; j++)
            a[k * n + j] *= inverse;
    }
    return 0;
}

static void
exchange(double *b, int i, int j)
{
    double t = b[i];
    b[i] = b[j];
    b[j] = t;
}

int
imp_ldlt_rank(int n, const int *piv)
{
    assert(n >= 0 && (n == 0 || piv != NULL));
    int rank = n; /* those left out come last */
    while (rank > 0 && piv[rank - 1] < 0)
        rank--;
    return rank;
}

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")
#else
#define ALWAYS_INLINE static inline
#define UNROLL
#endif

/* Solves with the rows of an n x n matrix of which `rank` were taken. */
ALWAYS_INLINE void
solve(int n, int rank, const double *restrict a, const int *restrict piv,
      double *restrict b)
{
    UNROLL
    for (int k = 0; k < rank; k++)
        exchange(b, k, piv[k]);
    UNROLL
    for (int k = rank; k < n; k++)
        b[k] = 0;
    UNROLL
    for (int k = 0; k < rank; k++) {
        UNROLL
        for (int j = k + 1; j < rank; j++)
            b[j] -= a[k * n + j] * b[k];
        b[k] *= a[k * n + k];
    }
    UNROLL
    for (int k = rank - 1; k >= 0; k--) {
        UNROLL
        for (int j = k + 1; j < rank; j++)
            b[k] -= a[k * n + j] * b[j];
    }
    UNROLL
    for (int k = rank - 1; k >= 0; k--)
        exchange(b, k, piv[k]);
}

/* A series solves once per order: for the sizes of small linkages of full rank
 * the compiler gets loops of known length. */
void
imp_ldlt_solve(int n, const double *a, const int *piv, double *b)
{
    assert(n >= 0 && n <= IMP_UNKNOWN_MAX);
    int rank = imp_ldlt_rank(n, piv);
    switch (rank == n ? n : 0) {
    case 1:
        solve(1, 1, a, piv, b);
        break;
    case 2:
        solve(2, 2, a, piv, b);
        break;
    case 3:
        solve(3, 3, a, piv, b);
        break;
    case 4:
        solve(4, 4, a, piv, b);
        break;
    case 5:
        solve(5, 5, a, piv, b);
        break;
    case 6:
        solve(6, 6, a, piv, b);
        break;
    case 8:
        solve(8, 8, a, piv, b);
        break;
    default:
        solve(n, rank, a, piv, b);
    }
}
