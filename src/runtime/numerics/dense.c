/* SPDX-License-Identifier: MIT */
/* Cholesky factors with an envelope and with dropped pivots, and Householder QR
 * with column pivoting. See dense.h, which says what the letters are; k is the
 * step of the elimination. */
#include "runtime/numerics/dense.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

double
dense_cholesky(int n, double *a, int ld, const int *first, const double *ref,
               double tol, double *rd, int *rank)
{
    assert(n >= 0 && ld >= n);
    assert(rank != NULL);
    assert(n == 0 || (a != NULL && first != NULL && rd != NULL));
    double worst = 1;
    *rank = 0;
    for (int row = 0; row < n; row++) {
        double *ai = a + row * ld, measure = ref ? ref[row] : ai[row];
        int f = first[row];
        for (int j = f; j < row; j++) {
            const double *aj = a + j * ld;
            int k = first[j] > f ? first[j] : f;
            ai[j] = (ai[j] - (k < j ? dense_dot(j - k, ai + k, aj + k) : 0)) *
                    rd[j];
        }
        double d = ai[row] - dense_dot(row - f, ai + f, ai + f);
        if (!(d > tol * measure)) {
            rd[row] = 0;
            ai[row] = 0;
            continue;
        }
        if (d < worst * measure)
            worst = d / measure;
        ai[row] = sqrt(d);
        rd[row] = 1 / ai[row];
        ++*rank;
    }
    return worst;
}

void
dense_exchange(int n, double *a, double *weight, int i, int j)
{
    assert(i >= 0 && i < n && j >= 0 && j < n);
    double kept = weight[i];
    if (i == j)
        return;
    weight[i] = weight[j];
    weight[j] = kept;
    for (int k = 0; k < n; k++) {
        kept = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = kept;
    }
    for (int k = 0; k < n; k++) {
        kept = a[k * n + i];
        a[k * n + i] = a[k * n + j];
        a[k * n + j] = kept;
    }
}

void
dense_forward(int n, const double *l, int ld, const int *first,
              const double *rd, int start, double *b)
{
    assert(n >= 0 && ld >= n && start >= 0);
    for (int i = start; i < n; i++) {
        int k = first[i] > start ? first[i] : start;
        double s = k < i ? dense_dot(i - k, l + i * ld + k, b + k) : 0;
        b[i] = (b[i] - s) * rd[i];
    }
}

void
dense_backward(int n, const double *l, int ld, const int *first,
               const double *rd, double *b)
{
    assert(n >= 0 && ld >= n);
    for (int i = n - 1; i >= 0; i--) {
        double x = b[i] *= rd[i];
        if (x != 0)
            for (int j = first[i]; j < i; j++)
                b[j] -= l[i * ld + j] * x;
    }
}

static double
length(int n, const double *x)
{
    double big = 0, s = 0;
    for (int i = 0; i < n; i++)
        big = fmax(big, fabs(x[i]));
    if (!(big > 0))
        return 0;
    for (int i = 0; i < n; i++)
        s += (x[i] / big) * (x[i] / big);
    return big * sqrt(s);
}

/* Sets b := (1 - tau h h^T) b with h = (1, x[1..]). False: it stays as it is.
 */
static bool
reflect(int n, double tau, const double *x, double *b)
{
    double s = b[0];
    for (int i = 1; i < n; i++)
        s += x[i] * b[i];
    if (s == 0.0)
        return false;
    s *= tau;
    b[0] -= s;
    for (int i = 1; i < n; i++)
        b[i] -= s * x[i];
    return true;
}

/* The same for four columns, m apart: sums in the same order each, side by
 * side.
 */
static bool
reflect_four(int n, double tau, const double *x, double *b, int m)
{
    double *b1 = b + m, *b2 = b1 + m, *b3 = b2 + m;
    double s0 = b[0], s1 = b1[0], s2 = b2[0], s3 = b3[0];
    for (int i = 1; i < n; i++) {
        s0 += x[i] * b[i];
        s1 += x[i] * b1[i];
        s2 += x[i] * b2[i];
        s3 += x[i] * b3[i];
    }
    if (s0 == 0.0 && s1 == 0.0 && s2 == 0.0 && s3 == 0.0)
        return false;
    s0 *= tau;
    s1 *= tau;
    s2 *= tau;
    s3 *= tau;
    b[0] -= s0;
    b1[0] -= s1;
    b2[0] -= s2;
    b3[0] -= s3;
    for (int i = 1; i < n; i++) {
        b[i] -= s0 * x[i];
        b1[i] -= s1 * x[i];
        b2[i] -= s2 * x[i];
        b3[i] -= s3 * x[i];
    }
    return true;
}

/* Sums of squares within these bounds are as exact as their terms; roundings of
 * such a length and of a scaled one differ by less than LENGTH_NOISE. */
#define SQUARES_LEAST 1e-250
#define SQUARES_MOST 1e250
#define LENGTH_NOISE 1e-10

/* Is the length of x less than `least`, without a doubt? Most columns are told
 * from the longest one by this, at a part of the cost of `length`. */
static bool
is_shorter(int n, const double *x, double least)
{
    double s = dense_dot(n, x, x);
    return s > SQUARES_LEAST && s < SQUARES_MOST &&
           sqrt(s) * (1 + LENGTH_NOISE) < least;
}

int
dense_qr(int m, int n, double *a, double *tau, int *perm, double *norm,
         double tol)
{
    assert(m >= 0 && n >= 0 && tol >= 0);
    int k = 0, most = m < n ? m : n;
    /* what is left of each column, by places; negative: not known. Columns of
     * sparse matrices stay as they are for many steps */
    double *left = norm + n;
    for (int j = 0; j < n; j++) {
        perm[j] = j;
        norm[j] = left[j] = length(m, a + j * m);
    }
    for (; k < most; k++) {
        /* the column of which the largest share is left */
        int best = -1;
        double share = tol;
        for (int j = k; j < n; j++) {
            double whole = norm[perm[j]];
            const double *rest = a + j * m + k;
            if (!(whole > 0) ||
                (left[j] < 0.0 && is_shorter(m - k, rest, share * whole)))
                continue;
            if (left[j] < 0.0)
                left[j] = length(m - k, rest);
            double s = left[j] / whole;
            if (s > share) {
                share = s;
                best = j;
            }
        }
        if (best < 0)
            break;
        if (best != k) {
            int p = perm[k];
            perm[k] = perm[best];
            perm[best] = p;
            for (int i = 0; i < m; i++) {
                double t = a[k * m + i];
                a[k * m + i] = a[best * m + i];
                a[best * m + i] = t;
            }
            left[best] = left[k];
        }
        double *x = a + k * m + k, beta = length(m - k, x);
        if (x[0] > 0)
            beta = -beta;
        tau[k] = (beta - x[0]) / beta;
        double head = x[0] - beta;
        for (int i = 1; i < m - k; i++)
            x[i] /= head;
        int j = k + 1;
        for (; j + 4 <= n; j += 4)
            if (reflect_four(m - k, tau[k], x, a + j * m + k, m))
                left[j] = left[j + 1] = left[j + 2] = left[j + 3] = -1.0;
        for (; j < n; j++)
            if (reflect(m - k, tau[k], x, a + j * m + k))
                left[j] = -1.0;
        for (j = k + 1; j < n; j++) /* this row is no part of what is left */
            if (a[j * m + k] != 0.0)
                left[j] = -1.0;
        x[0] = beta;
    }
    return k;
}

void
dense_qr_qt(int m, int rank, const double *a, const double *tau, double *b)
{
    assert(rank >= 0 && rank <= m);
    for (int k = 0; k < rank; k++)
        reflect(m - k, tau[k], a + k * m + k, b + k);
}

void
dense_qr_q(int m, int rank, const double *a, const double *tau, double *b)
{
    assert(rank >= 0 && rank <= m);
    for (int k = rank - 1; k >= 0; k--)
        reflect(m - k, tau[k], a + k * m + k, b + k);
}

bool
dense_along(int n, const double *W, int count, const double *z,
            const double *to, double share)
{
    assert(n >= 0 && W && z && to);
    for (int d = 0; d < count; d++, z += n) {
        double along = 0.0, square = 0.0;
        for (int r = 0; r < n; r++) {
            double weight = W[r * n + r];
            if (!(weight > 0.0))
                continue;
            along += dense_dot(n, W + (size_t)(r * n), z) * to[r] / weight;
            square += to[r] * to[r] / weight;
        }
        double times = square > 0.0 ? along / square : 0.0;
        for (int r = 0; r < n; r++) {
            double moved = 0.0, terms = 0.0;
            for (int c = 0; c < n; c++) {
                moved += W[r * n + c] * z[c];
                terms += fabs(W[r * n + c] * z[c]);
            }
            if (fabs(moved - times * to[r]) > share * terms)
                return false;
        }
    }
    return true;
}
