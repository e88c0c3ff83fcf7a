/* SPDX-License-Identifier: MIT */
/* Singular values by rotations of pairs of columns, and semidefinite matrices
 * that need none. See dense.h, which says what the letters are; x and y are the
 * pair of columns. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime/numerics/dense.h"

#define SWEEPS 60
/* Beyond this the square of the cotangent of twice the angle overflows, and 1
 * is no part of it. */
#define FAR_APART 1e100

static void
rotate(int n, double *x, double *y, double c, double s)
{
    for (int i = 0; i < n; i++) {
        double p = x[i], q = y[i];
        x[i] = c * p - s * q;
        y[i] = s * p + c * q;
    }
}

static void
swap(int n, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

int
dense_svd(int m, int n, double *a, double *v, double *s)
{
    assert(m >= 0 && n >= 0);
    assert(n == 0 || (a != NULL && v != NULL && s != NULL));
    int sweep = 1;
    double tol = DBL_EPSILON * sqrt((double)(m > 1 ? m : 1)), big = 0;
    for (int left = 0; left < n * n; left++)
        v[left] = left % (n + 1) == 0;
    for (int left = 0; left < m * n; left++)
        big = fmax(big, fabs(a[left]));
    /* A number below this counts as zero, because its products underflow. */
    double tiny = big * 1e-150;
    for (; sweep <= SWEEPS; sweep++) {
        int turned = 0;
        for (int left = 0; left < n - 1; left++)
            for (int right = left + 1; right < n; right++) {
                double *x = a + left * m, *y = a + right * m;
                double xx = dense_dot(m, x, x), yy = dense_dot(m, y, y);
                /* larger columns go first (de Rijk 1989) */
                if (xx < yy) {
                    swap(m, x, y);
                    swap(n, v + left * n, v + right * n);
                    turned = 1; /* The pairs seen so far have other columns. */
                    double t = xx;
                    xx = yy;
                    yy = t;
                }
                if (!(yy > tiny * tiny))
                    continue;
                double xy = dense_dot(m, x, y);
                if (!(fabs(xy) > tol * sqrt(xx) * sqrt(yy)))
                    continue;
                turned = 1;
                double z = (yy - xx) / (2 * xy);
                double t = fabs(z) > FAR_APART
                               ? 0.5 / z
                               : (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z));
                double c = 1 / sqrt(1 + t * t);
                rotate(m, x, y, c, c * t);
                rotate(n, v + left * n, v + right * n, c, c * t);
            }
        if (!turned)
            break;
    }
    for (int right = 0; right < n; right++)
        s[right] = sqrt(dense_dot(m, a + right * m, a + right * m));
    for (int right = 1; right < n; right++)
        for (int k = right; k > 0 && s[k] > s[k - 1]; k--) {
            swap(1, s + k, s + k - 1);
            swap(m, a + k * m, a + (k - 1) * m);
            swap(n, v + k * n, v + (k - 1) * n);
        }
    return sweep <= SWEEPS ? sweep : 0;
}

void
dense_svd_solve(int m, int n, const double *a, const double *v, const double *s,
                int rank, const double *b, double *x, double *work)
{
    assert(m >= 0 && rank >= 0 && rank <= n);
    for (int k = 0; k < rank; k++)
        work[k] = dense_dot(m, a + k * m, b) / s[k] / s[k];
    for (int i = 0; i < n; i++) {
        double t = 0;
        for (int k = 0; k < rank; k++)
            t += v[k * n + i] * work[k];
        x[i] = t;
    }
}

void
dense_svd_solve_turned(int m, int n, const double *a, const double *v,
                       const double *s, int rank, const double *b, double *x)
{
    assert(m >= 0 && rank >= 0 && rank <= n);
    memset(x, 0, sizeof *x * (size_t)m);
    for (int k = 0; k < rank; k++) {
        double along = dense_dot(n, v + k * n, b) / s[k] / s[k];
        for (int i = 0; i < m; i++)
            x[i] += along * a[k * m + i];
    }
}

/* -- semidefinite matrices of known rank --------------------------------------
 *
 * Letters: G = L L^T + S after `rank` pivots. The singular
 * values that L L^T leaves out are those of S, at most its trace; the least one
 * that it keeps is at least 1 / |K^-1|^2 (Frobenius), where K is the Cholesky
 * factor of L^T L, and L itself if no row is left. Rounding errors of the
 * pivots are smaller than any share that is asked for here (dense_tolerance).
 */

/* The least solution divides by L^T L twice: its error is 2^-52 times the
 * square of the condition, and each step of refinement multiplies it by as
 * much. So many steps bring it below 2^-52 times the condition up to this
 * condition. */
#define SQUARED 1e7

size_t
semidefinite_room(int n)
{
    assert(n >= 0);
    size_t k = (size_t)n;
    return 3 * k * k + 3 * k + 4;
}

/* Makes L by pivots above `least`. Returns the trace of what is left. rest: n
 * doubles; pivot: n; held: n, the columns of L where a row is not zero, modulo
 * 64: rows of contacts that are apart share none, and have no product. */
static double
by_pivots(int n, const double *G, double least, struct semidefinite *out,
          double *rest, int *pivot, uint64_t *held)
{
    double *L = out->L, left = 0.0;
    for (int i = 0; i < n; i++) {
        rest[i] = G[i * (n + 1)];
        held[i] = 0;
    }
    for (out->rank = 0; out->rank < n; out->rank++) {
        int k = out->rank, row = -1;
        for (int i = 0; i < n; i++)
            if (rest[i] > least && (row < 0 || rest[i] > rest[row]))
                row = i;
        if (row < 0)
            break;
        double root = sqrt(rest[row]);
        for (int i = 0; i < n; i++) {
            /* a row that has been taken depends on the columns before */
            bool taken = isinf(rest[i]);
            double along = taken || !(held[i] & held[row])
                               ? 0.0
                               : dense_dot(k, L + i * n, L + row * n);
            double x = taken ? 0.0 : (G[i * n + row] - along) / root;
            L[i * n + k] = i == row ? root : x;
            if (x != 0.0 && i != row)
                held[i] |= (uint64_t)1 << (k % 64);
            rest[i] -= taken || i == row ? 0.0 : x * x;
        }
        rest[row] = -INFINITY;
        pivot[k] = row;
    }
    for (int i = 0; i < n; i++)
        left += isinf(rest[i]) ? 0.0 : fabs(rest[i]);
    return left;
}

/* Lays the factors out in `room`. Returns what follows L and `inner` there. */
static double *
lay_out(int n, const double *G, struct semidefinite *out, double *room)
{
    size_t square = (size_t)n * (size_t)n;
    double *rest = room + 3 * square;
    *out = (struct semidefinite){.n = n,
                                 .G = G,
                                 .pivot = (int *)(rest + 2 * (size_t)n),
                                 .L = room,
                                 .inner = room + square};
    return rest;
}

static double
greatest_diagonal(int n, const double *G)
{
    double greatest = 0.0;
    for (int i = 0; i < n; i++)
        greatest = fmax(greatest, G[i * (n + 1)]);
    return greatest;
}

void
semidefinite_pivots(int n, const double *G, double share,
                    struct semidefinite *out, double *room)
{
    assert(n >= 0 && share > 0.0 && out != NULL);
    assert(n == 0 || (G != NULL && room != NULL));
    double *rest = lay_out(n, G, out, room);
    (void)by_pivots(n, G, share * greatest_diagonal(n, G), out, rest,
                    (int *)(rest + 2 * (size_t)n), (uint64_t *)(rest + n));
}

double
semidefinite_left(const struct semidefinite *factors, const double *b,
                  double own, double *work)
{
    assert(factors != NULL && b != NULL && work != NULL);
    int n = factors->n;
    for (int k = 0; k < factors->rank; k++) {
        const double *row = factors->L + factors->pivot[k] * n;
        work[k] = (b[factors->pivot[k]] - dense_dot(k, row, work)) / row[k];
        own -= work[k] * work[k];
    }
    return own;
}

double
semidefinite_beside(const struct semidefinite *factors, int row, double *left,
                    double *work)
{
    assert(factors != NULL && row >= 0 && row < factors->n && left && work);
    int n = factors->n, rank = factors->rank, at = 0;
    const double *L = factors->L;
    double *along = work, *pivots = work + n, share = 0.0, sum = 0.0;
    *left = 0.0;
    while (at < rank && factors->pivot[at] != row)
        at++;
    if (at == rank)
        return INFINITY;
    for (int i = 0; i < n; i++)
        pivots[i] = 0.0;
    for (int k = 0; k < rank; k++) {
        const double *l = L + factors->pivot[k] * n;
        pivots[factors->pivot[k]] = 1.0;
        if (k < at)
            continue;
        along[k] = ((k == at) - dense_dot(k - at, l + at, along + at)) / l[k];
        sum += along[k] * along[k];
    }
    *left = 1.0 / sum;
    double own = factors->G[row * (n + 1)];
    for (int i = 0; i < n; i++) {
        double size = factors->G[i * (n + 1)];
        if (pivots[i] == 0.0 && size > 0.0)
            share = fmax(share, sqrt(own / size) *
                                    fabs(dense_dot(rank - at, L + i * n + at,
                                                   along + at)));
    }
    return share;
}

/* Returns |K^-1|^2 (Frobenius) of a lower triangle whose row k is K + at(k) n;
 * order: NULL, or where its rows stand. inverse: size x size. */
static double
inverse_size(int n, int size, const double *K, const int *order,
             double *inverse)
{
    double sum = 0.0;
    for (int row = 0; row < size; row++) {
        const double *k = K + (order ? order[row] : row) * n;
        double *out = inverse + row * size, reciprocal = 1.0 / k[row];
        for (int j = 0; j <= row; j++)
            out[j] = 0.0;
        for (int i = 0; i < row; i++)
            if (k[i] != 0.0)
                dense_add(i + 1, -k[i], inverse + i * size, out);
        out[row] = 1.0;
        for (int j = 0; j <= row; j++) {
            out[j] *= reciprocal;
            sum += out[j] * out[j];
        }
    }
    return sum;
}

/* Makes the Cholesky factor of L^T L. False: it is not positive definite. */
static bool
make_inner(struct semidefinite *out)
{
    int n = out->n, rank = out->rank;
    double *K = out->inner;
    for (int row = 0; row < rank; row++)
        for (int column = 0; column <= row; column++)
            K[row * n + column] = 0.0;
    for (int i = 0; i < n; i++) {
        const double *l = out->L + i * n;
        for (int row = 0; row < rank; row++)
            if (l[row] != 0.0)
                dense_add(row + 1, l[row], l, K + row * n);
    }
    for (int row = 0; row < rank; row++)
        for (int column = 0; column <= row; column++) {
            double sum = K[row * n + column] -
                         dense_dot(column, K + row * n, K + column * n);
            if (column == row && !(sum > 0.0))
                return false;
            K[row * n + column] =
                column == row ? sqrt(sum) : sum / K[column * n + column];
        }
    return true;
}

bool
semidefinite_factor(int n, const double *G, double share,
                    struct semidefinite *out, double *room)
{
    assert(n >= 0 && share >= 0.0 && out != NULL);
    assert(n == 0 || (G != NULL && room != NULL));
    double *rest = lay_out(n, G, out, room),
           *inverse = rest - (size_t)n * (size_t)n;
    uint64_t *held = (uint64_t *)(rest + n);
    int *pivot = (int *)(held + n);
    double greatest = greatest_diagonal(n, G), norm = 0.0;
    for (int i = 0; i < n; i++)
        norm += dense_dot(n, G + i * n, G + i * n);
    norm = sqrt(norm);
    if (!(norm < INFINITY))
        return false;
    double left = by_pivots(n, G, 0.5 * share / (n + 1) * greatest, out, rest,
                            pivot, held);
    if (!(left <= share * greatest))
        return false;
    bool whole = out->rank == n;
    if (!whole && !make_inner(out))
        return false;
    double condition =
        norm * inverse_size(n, out->rank, whole ? out->L : out->inner,
                            whole ? pivot : NULL, inverse);
    double error = DBL_EPSILON * condition * condition;
    double off = error * error;
    for (out->steps = 1; off > DBL_EPSILON * condition && condition < SQUARED;
         out->steps++)
        off *= error;
    return condition * share < 1.0 && (whole || condition < SQUARED);
}

/* Solves K K^T y = y in place; `order` as in inverse_size. */
static void
both_triangles(int n, int size, const double *K, const int *order, double *y)
{
    for (int row = 0; row < size; row++) {
        const double *k = K + (order ? order[row] : row) * n;
        y[row] = (y[row] - dense_dot(row, k, y)) / k[row];
    }
    for (int row = size - 1; row >= 0; row--) {
        const double *k = K + (order ? order[row] : row) * n;
        y[row] /= k[row];
        dense_add(row, -y[row], k, y);
    }
}

/* Sets out = L (L^T L)^-2 L^T b; out may be b. work: rank doubles. */
static void
least(const struct semidefinite *factors, const double *b, double *out,
      double *work)
{
    int n = factors->n, rank = factors->rank;
    for (int k = 0; k < rank; k++)
        work[k] = 0.0;
    for (int i = 0; i < n; i++)
        dense_add(rank, b[i], factors->L + i * n, work);
    both_triangles(n, rank, factors->inner, NULL, work);
    both_triangles(n, rank, factors->inner, NULL, work);
    for (int i = 0; i < n; i++)
        out[i] = dense_dot(rank, factors->L + i * n, work);
}

void
semidefinite_solve(const struct semidefinite *factors, const double *b,
                   double *x, double *work)
{
    assert(factors != NULL && factors->rank <= factors->n);
    int n = factors->n, rank = factors->rank;
    if (rank == n) {
        for (int k = 0; k < n; k++)
            work[k] = b[factors->pivot[k]];
        both_triangles(n, n, factors->L, factors->pivot, work);
        for (int k = 0; k < n; k++)
            x[factors->pivot[k]] = work[k];
        return;
    }
    double *first = work + n, *rest = first + n;
    least(factors, b, first, work);
    for (int step = 0; step < factors->steps; step++) {
        for (int i = 0; i < n; i++)
            rest[i] = b[i] - dense_dot(n, factors->G + i * n, first);
        least(factors, rest, rest, work);
        for (int i = 0; i < n; i++)
            first[i] += rest[i];
    }
    memcpy(x, first, (size_t)n * sizeof *x);
}

/* -- clear ranks ------------------------------------------------------------
 * Matrices that need be neither square nor symmetric nor regular: the shortest
 * x with the least |A x - b| by QR with pivots of columns (Golub & Van Loan
 * 2013, 5.5), at a tenth of the cost of singular values. With A P = Q [R11 R12;
 * 0 0] one such x is P [R11^-1 (Q^T b); 0], and N = P [-R11^-1 R12; 1] spans
 * what A takes to 0: the part along N is taken out. */

/* Columns of which a share above this is left are independent; a share that is
 * rounding is none. What lies between is left to singular values. */
#define INDEPENDENT 1e-8
/* Null directions whose products have such pivots depend on each other. */
#define DEPENDENT 1e-12

size_t
least_square_room(int m, int n)
{
    assert(m >= 0 && n >= 0);
    size_t k = (size_t)n;
    return (size_t)m * k + 2 * k * k + 7 * k + 4;
}

/* Solves R11 y = y, in place. */
static void
back(const struct least_square *of, double *y)
{
    for (int i = of->rank - 1; i >= 0; i--) {
        for (int j = i + 1; j < of->rank; j++)
            y[i] -= of->qr[j * of->m + i] * y[j];
        y[i] /= of->qr[i * of->m + i];
    }
}

/* The null directions, and the factors of their products. False: they depend on
 * each other. */
static bool
find_null(struct least_square *of, double *size)
{
    int n = of->n, rank = of->rank, k = n - rank, kept;
    for (int d = 0; d < k; d++) {
        double *null = of->null + d * n;
        memset(null, 0, sizeof *null * (size_t)n);
        for (int i = 0; i < rank; i++)
            null[i] = -of->qr[(rank + d) * of->m + i];
        back(of, null);
        null[rank + d] = 1.0;
    }
    for (int d = 0; d < k; d++) {
        of->first[d] = 0;
        for (int e = 0; e <= d; e++)
            of->inner[d * k + e] =
                dense_dot(n, of->null + d * n, of->null + e * n);
        size[d] = of->inner[d * k + d];
    }
    dense_cholesky(k, of->inner, k, of->first, size, DEPENDENT, of->reciprocal,
                   &kept);
    return kept == k;
}

bool
least_square_factor(int m, int n, const double *A, double rounding,
                    struct least_square *out, double *room)
{
    assert(m >= 0 && n >= 0 && out);
    assert(m == 0 || n == 0 || (A && room));
    size_t k = (size_t)n, all = (size_t)m * k;
    *out =
        (struct least_square){.m = m, .n = n, .qr = room, .null = room + all};
    out->inner = out->null + k * k;
    out->tau = out->inner + k * k;
    out->reciprocal = out->tau + k;
    double *norm = out->reciprocal + k;
    out->perm = (int *)(norm + 2 * k);
    out->first = out->perm + n;
    memcpy(out->qr, A, sizeof *A * all);
    out->rank = dense_qr(m, n, out->qr, out->tau, out->perm, norm, INDEPENDENT);
    for (int j = out->rank; j < n; j++) {
        const double *rest = out->qr + j * m + out->rank;
        double left = sqrt(dense_dot(m - out->rank, rest, rest));
        if (left > rounding * norm[out->perm[j]])
            return false;
    }
    return find_null(out, norm);
}

/* Takes the null part off y, by order of columns. along: n doubles. */
static void
take_off_null(const struct least_square *of, double *y, double *along)
{
    int n = of->n, k = n - of->rank;
    for (int d = 0; d < k; d++)
        along[d] = dense_dot(n, of->null + d * n, y);
    dense_forward(k, of->inner, k, of->first, of->reciprocal, 0, along);
    dense_backward(k, of->inner, k, of->first, of->reciprocal, along);
    for (int d = 0; d < k; d++)
        for (int i = 0; i < n; i++)
            y[i] -= along[d] * of->null[d * n + i];
}

void
least_square_solve(const struct least_square *factors, const double *b,
                   double *x, double *work)
{
    assert(factors && (factors->n == 0 || (b && x && work)));
    int m = factors->m, n = factors->n, rank = factors->rank;
    double *y = work, *along = work + (m > n ? m : n);
    memcpy(y, b, sizeof *y * (size_t)m);
    dense_qr_qt(m, rank, factors->qr, factors->tau, y);
    back(factors, y);
    memset(y + rank, 0, sizeof *y * (size_t)(n - rank));
    take_off_null(factors, y, along);
    for (int i = 0; i < n; i++)
        x[factors->perm[i]] = y[i];
}

void
least_square_solve_turned(const struct least_square *factors, const double *b,
                          double *x)
{
    assert(factors && (factors->n == 0 || (b && x && x != b)));
    int m = factors->m, rank = factors->rank;
    for (int i = 0; i < rank; i++) {
        const double *column = factors->qr + (size_t)i * (size_t)m;
        x[i] = (b[factors->perm[i]] - dense_dot(i, column, x)) / column[i];
    }
    memset(x + rank, 0, sizeof *x * (size_t)(m - rank));
    dense_qr_q(m, rank, factors->qr, factors->tau, x);
}

void
least_square_project(const struct least_square *factors, double *b,
                     double *work)
{
    assert(factors && (factors->n == 0 || (b && work)));
    for (int i = 0; i < factors->n; i++)
        work[i] = b[factors->perm[i]];
    take_off_null(factors, work, work + factors->n);
    for (int i = 0; i < factors->n; i++)
        b[factors->perm[i]] = work[i];
}

void
least_square_null(const struct least_square *factors, int d, double *out)
{
    assert(factors && out && d >= 0 && d < factors->n - factors->rank);
    for (int i = 0; i < factors->n; i++)
        out[factors->perm[i]] = factors->null[d * factors->n + i];
}
