/* SPDX-License-Identifier: MIT */
/* Dense algebra at the sizes of contact problems (up to about a hundred).
 * Factor first; an SVD only where the condition estimate asks for it. The
 * caller owns all memory; nothing here allocates. */
#ifndef IMP_RUNTIME_NUMERICS_DENSE_H
#define IMP_RUNTIME_NUMERICS_DENSE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* A singular value counts as zero at or under this share of the columns'
 * original length: each of the max(m, n) terms of a column carries half a unit
 * of rounding, a factor of 16 covers the rotations (Golub & Van Loan 2013,
 * 5.5.8). */
static inline double
dense_tolerance(int m, int n)
{
    return 16.0 * (m > n ? m : n) * DBL_EPSILON;
}

/* Returns the size of the greatest of n entries; 0: there are none. */
static inline double
dense_greatest(int n, const double *entry)
{
    double most[4] = {0.0, 0.0, 0.0, 0.0};
    int j = 0;
    for (; j + 4 <= n; j += 4)
        for (int lane = 0; lane < 4; lane++) {
            double size = fabs(entry[j + lane]);
            most[lane] = size > most[lane] ? size : most[lane];
        }
    for (; j < n; j++)
        most[0] = fmax(most[0], fabs(entry[j]));
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

/* Returns the dot product in four lanes, of fixed order. */
static inline double
dense_dot(int n, const double *left, const double *right)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += left[i] * right[i];
        s1 += left[i + 1] * right[i + 1];
        s2 += left[i + 2] * right[i + 2];
        s3 += left[i + 3] * right[i + 3];
    }
    for (; i < n; i++)
        s0 += left[i] * right[i];
    return (s0 + s2) + (s1 + s3);
}

/* Adds factor x to y; the two do not overlap. */
static inline void
dense_add(int n, double factor, const double *restrict x, double *restrict y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        double a = factor * x[i], b = factor * x[i + 1], c = factor * x[i + 2],
               d = factor * x[i + 3];
        y[i] += a;
        y[i + 1] += b;
        y[i + 2] += c;
        y[i + 3] += d;
    }
    for (; i < n; i++)
        y[i] += factor * x[i];
}

/* Cholesky factors A = L L^T in place, lower triangle, row-major with `ld`
 * entries per row; first[i] is the first column of row i that is not zero
 * (rows keep that envelope). ref[i] > 0 is what pivot i is measured by (the
 * size of its row before any elimination; NULL: the diagonal). A pivot at or
 * under tol*ref[i] is dropped: its row and column count as dependent, and
 * rd[i] = 0, otherwise rd[i] = 1/L[i][i]. Returns the smallest ratio of a kept
 * pivot to its measure (1 for n = 0): an estimate of 1/condition of the scaled
 * matrix from above. *rank: pivots kept. */
double dense_cholesky(int n, double *a, int ld, const int *first,
                      const double *ref, double tol, double *rd, int *rank);
/* Exchanges rows i and j of the n x n matrix, its columns, and their weights,
 * before a pivot. */
void dense_exchange(int n, double *a, double *weight, int i, int j);
/* L y = b in place, from entry `start` on (b is zero before it) */
void dense_forward(int n, const double *l, int ld, const int *first,
                   const double *rd, int start, double *b);
/* Solves L^T x = b in place; entries of dropped pivots become 0. */
void dense_backward(int n, const double *l, int ld, const int *first,
                    const double *rd, double *b);

/* Householder QR with column pivoting of the m x n matrix a (column-major, ld
 * = m): A P = Q R. Stops where the rest of every column is at or under
 * tol*norm[j], norm[j] the length of column j at first (written here; columns
 * of length 0 are never taken; another n entries of norm are room). R and the
 * reflectors stay in a, tau and perm have min(m, n) and n entries. Returns the
 * rank. (Businger & Golub 1965) */
int dense_qr(int m, int n, double *a, double *tau, int *perm, double *norm,
             double tol);
/* Sets b (m entries) := Q^T b. */
void dense_qr_qt(int m, int rank, const double *a, const double *tau,
                 double *b);
/* Sets b (m entries) := Q b. */
void dense_qr_q(int m, int rank, const double *a, const double *tau, double *b);

/* One-sided Jacobi (Hestenes 1958): A V = U diag(s), m x n, column-major, any
 * m and n; a becomes U diag(s), v (n x n, column-major) orthogonal, s in
 * falling order. Singular values are right to rounding relative to the columns'
 * own sizes (Demmel & Veselic 1992). Returns the number of sweeps, 0 when 60
 * were not enough. */
int dense_svd(int m, int n, double *a, double *v, double *s);

/* Finds the x (n) of least length with |A x - b| least; a, v, s are those of
 * dense_svd, of which the first `rank` singular values are kept. work has n
 * entries. */
void dense_svd_solve(int m, int n, const double *a, const double *v,
                     const double *s, int rank, const double *b, double *x,
                     double *work);
/* The same for A^T x = b: b has n entries, x has m. */
void dense_svd_solve_turned(int m, int n, const double *a, const double *v,
                            const double *s, int rank, const double *b,
                            double *x);

/* Are W z multiples of the vector `to` for all of these vectors z (count rows
 * of n), up to this share of their terms? W is semidefinite; numbers of `to`
 * are weighed by its diagonal, as their units may differ. */
bool dense_along(int n, const double *W, int count, const double *z,
                 const double *to, double share);

/* Symmetric positive semidefinite matrices whose rank is beyond doubt: solved
 * by a Cholesky factor with pivots, at a hundredth of the cost of singular
 * values, which decide the others. */
struct semidefinite {
    int n, rank;
    const double *G;
    const int *pivot; /* rank rows, in their order */
    double *L;        /* n x rank, rows of n: G = L L^T */
    double *inner;    /* rank < n: the Cholesky factor of L^T L, rows of n */
    int steps;        /* rank < n: of refinement */
};

/* Doubles that the factors of n rows need. */
size_t semidefinite_room(int n);
/* Factors the symmetric matrix G (row-major n x n), which must stay. False if
 * it is not proven that as many singular values as there are pivots lie above
 * `share` of the greatest, and the others below it. The factors lie in `room`.
 */
bool semidefinite_factor(int n, const double *G, double share,
                         struct semidefinite *out, double *room);
/* Finds the x of least length with |G x - b| least. work: 3 n doubles; x may be
 * b. */
void semidefinite_solve(const struct semidefinite *factors, const double *b,
                        double *x, double *work);

/* Takes pivots of the symmetric matrix G (row-major n x n), the greatest first,
 * as long as more than `share` of the greatest of its diagonal is left of one.
 * Of the singular values of G, which are in doubt where semidefinite_factor has
 * said so, nothing is proven. For semidefinite_left; `room` as there. */
void semidefinite_pivots(int n, const double *G, double share,
                         struct semidefinite *out, double *room);
/* Returns what the rows of the pivots leave of a further row of a semidefinite
 * matrix, whose diagonal is `own` and whose entries in the columns of G are b
 * (n). work: n doubles. */
double semidefinite_left(const struct semidefinite *factors, const double *b,
                         double own, double *work);

/* What others leave of a row that was a pivot itself: *left, of its diagonal,
 * beside the other pivots. Returns its greatest share in a row that was none,
 * over the square roots of the diagonals: with such a share it may take the
 * place of that row, and depend on the others. INFINITY: it was no pivot. work:
 * 2 n doubles. */
double semidefinite_beside(const struct semidefinite *factors, int row,
                           double *left, double *work);

/* Matrices of m rows and n columns, square and symmetric or not, whose rank is
 * clear. */
struct least_square {
    int m, n, rank;
    double *qr, *tau;           /* of dense_qr */
    double *null;               /* n - rank directions, by order of columns */
    double *inner, *reciprocal; /* of their products, as of dense_cholesky */
    int *perm, *first;
};

/* What rounding leaves of a column of n products that depends on others, over
 * the column. */
static inline double
least_square_rounding(int n)
{
    return 1e-12 * n;
}

/* Doubles that the factors of n columns of m entries need. */
size_t least_square_room(int m, int n);
/* Factors A (m x n, column-major), which stays. False where columns are left
 * that are neither independent of the others by 1e-8 of themselves nor given by
 * them up to this share of themselves. The factors lie in `room`. */
bool least_square_factor(int m, int n, const double *A, double rounding,
                         struct least_square *out, double *room);
/* Finds the x of least length with |A x - b| least. b has m entries, x has n;
 * x may be b. work: the greater of m and n, and n more. */
void least_square_solve(const struct least_square *factors, const double *b,
                        double *x, double *work);
/* Finds the x of least length with A^T x = b, which must have a solution. b has
 * n entries, x has m and is not b. */
void least_square_solve_turned(const struct least_square *factors,
                               const double *b, double *x);
/* Takes the part of b (n entries) off that A takes to 0: with what is left
 * A^T x = b has a solution. work: 2 n doubles. */
void least_square_project(const struct least_square *factors, double *b,
                          double *work);
/* Writes direction d < n - rank of those that A takes to 0, by columns. */
void least_square_null(const struct least_square *factors, int d, double *out);

#endif
