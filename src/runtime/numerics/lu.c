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
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "abi/image.h"
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

/* Turns b into the solution. */
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

/* -- matrices that need not be regular -------------------------------------
 *
 * The equations of contacts with friction are neither symmetric nor always
 * regular: rows may depend on others (four feet that stick). Complete pivoting,
 * each entry measured by the largest of its row and of its column at first, so
 * that neither the units of a condition nor those of a force choose. What is
 * left when the pivots have shrunk to rounding depends on what was taken: its
 * rows are left out, and of all solutions the one of least norm is given. */

/* Rounding of a pivot is n eps times the growth of the entries, which for
 * complete pivoting stays below 10 in practice (Higham 2002, sec. 9.4); the
 * entries themselves are sums of several terms. */
#define RANK_GROWTH 64
/* piv[k] holds the row and the column that were exchanged with k; -1 from the
 * rank on */
#define RANK_COLUMN 65536
/* most rows whose scales are matched where their greatest entries tell of a
 * lower rank */
#define RANK_MATCHED 48

/* The scales of rows and of columns. False: an entry is not finite. */
static int
scales(int n, const double *a, double *row, double *col)
{
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) {
            double size = fabs(a[i * n + j]);
            if (!(size <= DBL_MAX))
                return 0;
            most = size > most ? size : most;
        }
        row[i] = most >= DBL_MIN ? 1 / most : 0;
    }
    for (int j = 0; j < n; j++) {
        double most = 0;
        for (int i = 0; i < n; i++) {
            double size = fabs(a[i * n + j]) * row[i];
            most = size > most ? size : most;
        }
        col[j] = most >= DBL_MIN ? 1 / most : 0;
    }
    return 1;
}

/* Exchanges row k with row i and column k with column j. */
static void
exchange(int n, double *a, double *row, double *col, int k, int i, int j)
{
    double kept = row[k];
    row[k] = row[i];
    row[i] = kept;
    kept = col[k];
    col[k] = col[j];
    col[j] = kept;
    for (int c = 0; c < n && i != k; c++) {
        kept = a[k * n + c];
        a[k * n + c] = a[i * n + c];
        a[i * n + c] = kept;
    }
    for (int r = 0; r < n && j != k; r++) {
        kept = a[r * n + k];
        a[r * n + k] = a[r * n + j];
        a[r * n + j] = kept;
    }
}

static int
rank_of(int n, const int *piv)
{
    int rank = 0;
    while (rank < n && piv[rank] >= 0)
        rank++;
    return rank;
}

static double
dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* The rows of `a` beyond the rank hold nothing that is needed: they take
 * orthonormal directions that change no equation, in the order of the pivots.
 * Each is made orthogonal to those before it, twice against rounding. */
static void
null_directions(int n, double *a, int rank)
{
    for (int d = rank; d < n; d++) {
        double *z = a + d * n, own[IMP_UNKNOWN_MAX];
        for (int k = rank - 1; k >= 0; k--) {
            own[k] = -a[k * n + d];
            for (int j = k + 1; j < rank; j++)
                own[k] -= a[k * n + j] * own[j];
            own[k] *= a[k * n + k];
        }
        for (int k = 0; k < n; k++)
            z[k] = k < rank ? own[k] : k == d;
        for (int twice = 0; twice < 2; twice++)
            for (int e = rank; e < d; e++) {
                double along = dot(n, a + e * n, z);
                for (int k = 0; k < n; k++)
                    z[k] -= along * a[e * n + k];
            }
        double length = sqrt(dot(n, z, z));
        for (int k = 0; k < n; k++)
            z[k] /= length;
    }
}

/* The exponents by which rows and columns are scaled such that no entry is
 * above 1 and n of them, one in each row and column, are not below 1/2: those
 * of greatest product, by the dual of the assignment problem (Kuhn 1955; Duff
 * and Koster 2001). Whatever the units of conditions and forces are, the scaled
 * matrix is the same but for powers of two. False: the matrix has no such
 * entries. */
static bool
matched_scales(int n, const double *a, int *row, int *col)
{
    int at[RANK_MATCHED + 1], way[RANK_MATCHED + 1], least[RANK_MATCHED + 1];
    int u[RANK_MATCHED + 1] = {0}, v[RANK_MATCHED + 1] = {0};
    for (int j = 0; j <= n; j++)
        at[j] = 0; /* the row, from 1, of a column; column 0 is none */
    for (int i = 1; i <= n; i++) {
        bool used[RANK_MATCHED + 1] = {false};
        int j = 0;
        at[0] = i;
        for (int k = 0; k <= n; k++)
            least[k] = INT_MAX;
        do {
            int from = at[j], step = INT_MAX, next = 0;
            used[j] = true;
            for (int k = 1; k <= n; k++) {
                double entry = a[(from - 1) * n + k - 1];
                int exponent;
                if (used[k])
                    continue;
                frexp(entry, &exponent);
                int cost = entry != 0 ? -exponent - u[from] - v[k] : INT_MAX;
                if (cost < least[k]) {
                    least[k] = cost;
                    way[k] = j;
                }
                if (least[k] < step) {
                    step = least[k];
                    next = k;
                }
            }
            if (step == INT_MAX)
                return false;
            for (int k = 0; k <= n; k++)
                if (used[k]) {
                    u[at[k]] += step;
                    v[k] -= step;
                } else if (least[k] != INT_MAX) {
                    least[k] -= step;
                }
            j = next;
        } while (at[j] != 0);
        for (; j; j = way[j])
            at[j] = at[way[j]];
    }
    for (int i = 0; i < n; i++) {
        row[i] = u[i + 1];
        col[i] = v[i + 1];
    }
    return true;
}

/* Complete pivoting by scaled entries. Returns the rank. */
static int
eliminate(int n, double *a, int *piv, double *row, double *col)
{
    const double least = RANK_GROWTH * n * DBL_EPSILON;
    for (int k = 0; k < n; k++)
        piv[k] = -1;
    for (int k = 0; k < n; k++) {
        int at_row = k, at_col = k;
        double best = -1;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++) {
                double v = fabs(a[i * n + j]) * row[i] * col[j];
                if (v > best) {
                    best = v;
                    at_row = i;
                    at_col = j;
                }
            }
        if (!(best > least))
            return k;
        piv[k] = at_row + RANK_COLUMN * at_col;
        exchange(n, a, row, col, k, at_row, at_col);
        double inverse = a[k * n + k] = 1 / a[k * n + k];
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] *= inverse;
            for (int j = k + 1; j < n && f != 0; j++)
                a[i * n + j] -= f * a[k * n + j];
        }
    }
    return n;
}

/* Tries `kept`, the matrix that was found to have this rank, by the scales of
 * its greatest product. What has a higher rank takes the place of its factors:
 * rows of several units, as forces, accelerations and turns, look dependent
 * where the greatest entries alone measure them. */
static void
try_matched(int n, double *kept, int rank, double *a, int *piv)
{
    int row[RANK_MATCHED], col[RANK_MATCHED], own[RANK_MATCHED];
    double by_row[RANK_MATCHED], by_col[RANK_MATCHED];
    if (!matched_scales(n, kept, row, col))
        return;
    for (int i = 0; i < n; i++) {
        by_row[i] = ldexp(1.0, row[i]);
        by_col[i] = ldexp(1.0, col[i]);
    }
    if (eliminate(n, kept, own, by_row, by_col) <= rank)
        return;
    memcpy(a, kept, sizeof *a * (size_t)n * (size_t)n);
    memcpy(piv, own, sizeof *piv * (size_t)n);
}

/* One over the greater of two sizes; 0: both are 0. */
static double
one_over(double x, double y)
{
    double most = y > x ? y : x;
    return most >= DBL_MIN ? 1 / most : 0;
}

/* imp_rank_factor of two unknowns, one contact with friction, that do not
 * depend on each other: the same operations, without loops. False: they do, or
 * an entry is not finite; nothing is changed. */
static bool
factor_two(double *a, int *piv)
{
    const double least = RANK_GROWTH * 2 * DBL_EPSILON;
    double size[4], best = -1;
    unsigned at = 0;
    for (int i = 0; i < 4; i++) {
        size[i] = fabs(a[i]);
        if (!(size[i] <= DBL_MAX))
            return false;
    }
    double row[2] = {one_over(size[0], size[1]), one_over(size[2], size[3])};
    double col[2] = {one_over(size[0] * row[0], size[2] * row[1]),
                     one_over(size[1] * row[0], size[3] * row[1])};
    for (unsigned i = 0; i < 4; i++) {
        double scaled = size[i] * row[i / 2] * col[i % 2];
        at = scaled > best ? i : at;
        best = scaled > best ? scaled : best;
    }
    if (!(best > least))
        return false;
    /* the pivot, its row, its column, and the entry across */
    double inverse = 1 / a[at], beside = a[at ^ 1], below = a[at ^ 2] * inverse,
           last = a[at ^ 3];
    if (below != 0)
        last -= below * beside;
    if (!(fabs(last) * row[1 - at / 2] * col[1 - at % 2] > least))
        return false;
    a[0] = inverse;
    a[1] = beside;
    a[2] = below;
    a[3] = 1 / last;
    piv[0] = (int)(at / 2 + RANK_COLUMN * (at % 2));
    piv[1] = 1 + RANK_COLUMN;
    return true;
}

int
imp_rank_factor(int n, double *a, int *piv)
{
    assert(n >= 0 && n <= IMP_UNKNOWN_MAX);
    assert(n == 0 || (a != NULL && piv != NULL));
    if (n == 2 && factor_two(a, piv))
        return 0;
    double row[IMP_UNKNOWN_MAX], col[IMP_UNKNOWN_MAX];
    double kept[RANK_MATCHED * RANK_MATCHED];
    if (n > IMP_UNKNOWN_MAX || !scales(n, a, row, col))
        return 1;
    if (n <= RANK_MATCHED)
        memcpy(kept, a, sizeof *a * (size_t)n * (size_t)n);
    int rank = eliminate(n, a, piv, row, col);
    if (rank < n && n <= RANK_MATCHED)
        try_matched(n, kept, rank, a, piv);
    null_directions(n, a, rank_of(n, piv));
    return 0;
}

/* imp_rank_solve for two unknowns that do not depend on each other, one contact
 * with friction: the same operations, without loops. */
static void
solve_two(const double *a, const int *piv, double *b)
{
    unsigned both = (unsigned)piv[0], rows = both % RANK_COLUMN,
             cols = both / RANK_COLUMN;
    double first = b[rows], second = b[1 - rows];
    second -= a[2] * first;
    second *= a[3];
    first -= a[1] * second;
    first *= a[0];
    b[cols] = first;
    b[1 - cols] = second;
}

static __attribute__((noinline)) void
solve_many(int n, const double *a, const int *piv, double *b)
{
    int rank = rank_of(n, piv);
    for (int k = 0; k < rank; k++) {
        int i = piv[k] % RANK_COLUMN;
        double kept = b[i];
        b[i] = b[k];
        b[k] = kept;
    }
    for (int k = 0; k < rank; k++)
        for (int i = k + 1; i < rank; i++)
            b[i] -= a[i * n + k] * b[k];
    for (int k = rank; k < n; k++)
        b[k] = 0;
    for (int k = rank - 1; k >= 0; k--) {
        for (int j = k + 1; j < rank; j++)
            b[k] -= a[k * n + j] * b[j];
        b[k] *= a[k * n + k];
    }
    for (int d = rank; d < n; d++) {
        double along = dot(n, a + d * n, b);
        for (int k = 0; k < n; k++)
            b[k] -= along * a[d * n + k];
    }
    for (int k = rank - 1; k >= 0; k--) {
        int j = piv[k] / RANK_COLUMN;
        double kept = b[j];
        b[j] = b[k];
        b[k] = kept;
    }
}

void
imp_rank_solve(int n, const double *a, const int *piv, double *b)
{
    assert(n == 0 || (a != NULL && piv != NULL && b != NULL));
    if (n == 2 && piv[0] >= 0 && piv[1] >= 0)
        solve_two(a, piv, b);
    else
        solve_many(n, a, piv, b);
}
