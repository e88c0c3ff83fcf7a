/* SPDX-License-Identifier: MIT */
/* Small matrices and tangents of period_map.c. Everything is inline: where
 * sizes are constants, loops have constant length. n is even: gaps and rates of
 * n/2 contacts. Each number is the one that plain loops would give. */
#ifndef IMP_RUNTIME_ACCUMULATION_SMALL_MATRIX_H
#define IMP_RUNTIME_ACCUMULATION_SMALL_MATRIX_H

#include <math.h>

#include "runtime/numerics/simd.h"

/* length of a row of the n equations of eliminate(), right side included */
#define SMALL_LD(n) (((n) + 2) & ~1)

/* Solves A x = b by elimination with pivots; A is n x SMALL_LD(n), b its column
 * n. The result is a correction of second order at the fixed point. Entries
 * below a pivot are not set to zero. False: A is singular. */
LANES_INLINE bool
eliminate(int n, double *A, double *x)
{
    int ld = SMALL_LD(n);
    for (int column = 0; column < n; column++) {
        int pivot = column;
        double most = fabs(A[column * ld + column]);
        for (int i = column + 1; i < n; i++)
            if (fabs(A[i * ld + column]) > most) {
                pivot = i;
                most = fabs(A[i * ld + column]);
            }
        if (!(most > 0.0))
            return false;
        double *from = A + column * ld, *with = A + pivot * ld;
        int begin = column & ~(2 - 1);
        for (int j = begin; j < ld && pivot != column; j += 2) {
            pair keep = pair_load(from + j);
            pair_store(from + j, pair_load(with + j));
            pair_store(with + j, keep);
        }
        double rd = 1.0 / from[column];
        for (int i = column + 1; i < n; i++) {
            double *to = A + i * ld, f = to[column] * rd;
            for (int j = begin; j < ld && f != 0.0; j += 2)
                pair_store(to + j, pair_load(to + j) -
                                       pair_of(f) * pair_load(from + j));
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        double s = A[i * ld + n];
        for (int j = i + 1; j < n; j++)
            s -= A[i * ld + j] * x[j];
        x[i] = s / A[i * ld + i];
        if (!isfinite(x[i]))
            return false;
    }
    return true;
}

LANES_INLINE double
norm(const double *x, int n)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    return sqrt(s);
}

/* Returns the same to rounding, faster, of an even number n. */
LANES_INLINE double
size_of(const double *x, int n)
{
    pair s[3] = {pair_of(0.0), pair_of(0.0), pair_of(0.0)};
    int i = 0;
    for (; i + 3 * 2 <= n; i += 3 * 2)
        for (int v = 0; v < 3; v++)
            s[v] += pair_load(x + i + 2 * v) * pair_load(x + i + 2 * v);
    for (; i < n; i += 2)
        s[0] += pair_load(x + i) * pair_load(x + i);
    s[0] += s[1] + s[2];
    return sqrt(s[0][0] + s[0][1]);
}

/* Sets Q := D D. */
LANES_INLINE void
square(int n, const double *restrict D, double *restrict Q)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j += 2) {
            pair q = pair_of(D[i * n]) * pair_load(D + j);
            for (int inner = 1; inner < n; inner++)
                q += pair_of(D[i * n + inner]) * pair_load(D + inner * n + j);
            pair_store(Q + i * n + j, q);
        }
}

/* Tangents are stored by coordinate: r rows of n. Makes F x, the tangents of
 * one contact's gap or rate. */
LANES_INLINE void
seen(int n, int rank, const double *F, const double *x, double *to)
{
    for (int i = 0; i < n; i += 2) {
        pair s = pair_of(0.0);
        for (int j = 0; j < rank; j++)
            s += pair_of(F[j]) * pair_load(x + j * n + i);
        pair_store(to + i, s);
    }
}

/* Adds f[j] y to x[j], for the r rows. */
LANES_INLINE void
along(int n, int rank, double *x, const double *f, const double *y)
{
    for (int j = 0; j < rank; j++)
        for (int i = 0; i < n; i += 2)
            pair_store(x + j * n + i, pair_load(x + j * n + i) +
                                          pair_of(f[j]) * pair_load(y + i));
}

#endif
