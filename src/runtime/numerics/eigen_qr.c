/* SPDX-License-Identifier: MIT */
/* See eigen_qr.h. Balancing by powers of 2 (Parlett & Reinsch 1969),
 * Householder's Hessenberg form, Francis' implicit double shift (Golub & Van
 * Loan 2013, 7.4.3 and 7.5.2). A subdiagonal entry is dropped where that
 * changes no digit of the 2 x 2 block about it (Ahues & Tisseur 1997); a step
 * begins behind two small ones in a row; of two real shifts the one next to the
 * last entry counts twice; and every tenth step takes shifts of its own, which
 * leaves cycles. A multiple eigenvalue may leave entries of the size of
 * rounding that steps only move about: after some steps these are dropped, too,
 * a backward error as that of the steps themselves.
 *
 * Letters: a is A (n x n, by rows), I - b v v^T a reflector of k entries, x the
 * column from which it is made; p, q, s, t the entries of a 2 x 2 block by
 * rows. */
#include "runtime/numerics/eigen_qr.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* After so many steps without an eigenvalue: shifts of another kind are taken,
 * entries of the size of rounding are dropped, the search is given up. */
#define QR_ODD 10
#define QR_COARSE 20
#define QR_MOST 300

/* Scales rows and columns to similar sizes. */
static void
balance(int n, double *a)
{
    for (bool more = true; more;) {
        more = false;
        for (int which = 0; which < n; which++) {
            double row = 0.0, column = 0.0, factor = 1.0;
            for (int j = 0; j < n; j++)
                if (j != which) {
                    row += fabs(a[which * n + j]);
                    column += fabs(a[j * n + which]);
                }
            if (!(row > DBL_MIN && column > DBL_MIN))
                continue;
            double sum = row + column;
            int by = (ilogb(row) - ilogb(column)) / 2;
            factor = ldexp(1.0, by);
            if (by == 0 || !(column * factor + row / factor < 0.95 * sum))
                continue;
            more = true;
            for (int j = 0; j < n; j++) {
                a[which * n + j] /= factor;
                a[j * n + which] *= factor;
            }
        }
    }
}

/* Makes the reflector v (k entries), such that (I - b v v^T) x lies along the
 * first axis. Returns b; 0: x already lies there. */
static double
reflector(int k, const double *x, double *v)
{
    double big = 0.0, rest = 0.0, square = 0.0;
    for (int i = 0; i < k; i++)
        big = fmax(big, fabs(x[i]));
    for (int i = 1; i < k; i++)
        rest = fmax(rest, fabs(x[i]));
    if (rest == 0.0)
        return 0.0;
    for (int i = 0; i < k; i++) {
        v[i] = x[i] / big;
        square += v[i] * v[i];
    }
    double norm = sqrt(square);
    v[0] += copysign(norm, v[0]);
    square = 0.0;
    for (int i = 0; i < k; i++)
        square += v[i] * v[i];
    return 2.0 / square;
}

/* Multiplies by I - b v v^T: rows first .. first+k-1 of columns from .. n-1,
 * then columns first .. first+k-1 of rows 0 .. to. */
static void
reflect(int n, double *a, int first, int k, const double *v, double b, int from,
        int to)
{
    for (int j = from; j < n; j++) {
        double product = 0.0;
        for (int i = 0; i < k; i++)
            product += v[i] * a[(first + i) * n + j];
        for (int i = 0; i < k; i++)
            a[(first + i) * n + j] -= b * product * v[i];
    }
    for (int i = 0; i <= to; i++) {
        double product = 0.0;
        for (int j = 0; j < k; j++)
            product += v[j] * a[i * n + first + j];
        for (int j = 0; j < k; j++)
            a[i * n + first + j] -= b * product * v[j];
    }
}

static void
hessenberg(int n, double *a, double *x, double *v)
{
    for (int k = 0; k + 2 < n; k++) {
        int m = n - k - 1;
        for (int i = 0; i < m; i++)
            x[i] = a[(k + 1 + i) * n + k];
        double b = reflector(m, x, v);
        if (b != 0.0)
            reflect(n, a, k + 1, m, v, b, k, n - 1);
        for (int i = k + 2; i < n; i++)
            a[i * n + k] = 0.0;
    }
}

/* Finds both eigenvalues of the 2 x 2 block at row r. */
static void
pair(int n, const double *a, int r, double *re, double *im)
{
    double p = a[r * n + r], q = a[r * n + r + 1], s = a[(r + 1) * n + r],
           t = a[(r + 1) * n + r + 1];
    double h = 0.5 * (p - t), d = h * h + q * s;
    im[r] = im[r + 1] = 0.0;
    if (d < 0.0) {
        re[r] = re[r + 1] = 0.5 * (p + t);
        im[r] = sqrt(-d);
        im[r + 1] = -im[r];
        return;
    }
    /* One eigenvalue comes from a sum without cancellation, the other from the
     * product of both. */
    double z = h + copysign(sqrt(d), h);
    re[r] = t + z;
    re[r + 1] = z == 0.0 ? t : t - q * s / z;
}

/* May entry (k, k - 1) be dropped? */
static bool
negligible(int n, const double *a, int k, double coarse)
{
    double low = fabs(a[k * n + k - 1]), up = fabs(a[(k - 1) * n + k]);
    double here = fabs(a[k * (n + 1)]);
    double apart = fabs(a[(k - 1) * (n + 1)] - a[k * (n + 1)]);
    double size = here + fabs(a[(k - 1) * (n + 1)]);
    if (low <= coarse || low <= DBL_MIN)
        return true;
    if (size == 0.0) {
        size += k > 1 ? fabs(a[(k - 1) * n + k - 2]) : 0.0;
        size += k + 1 < n ? fabs(a[(k + 1) * n + k]) : 0.0;
    }
    if (low > DBL_EPSILON * size)
        return false;
    double ab = fmax(low, up), ba = fmin(low, up), aa = fmax(here, apart),
           bb = fmin(here, apart), s = aa + ab;
    return ba * (ab / s) <= fmax(DBL_MIN, DBL_EPSILON * (bb * (aa / s)));
}

struct shifts {
    double sum, product;
};

static struct shifts
shifts_of(double p, double q, double s, double t)
{
    double h = 0.5 * (p - t), d = h * h + q * s;
    if (d < 0.0)
        return (struct shifts){p + t, p * t - q * s};
    double z = h + copysign(sqrt(d), h);
    double one = t + z, two = z == 0.0 ? t : t - q * s / z;
    double near = fabs(one - t) < fabs(two - t) ? one : two;
    return (struct shifts){2.0 * near, near * near};
}

/* Makes the first column of the shifted square at row r, up to a factor. */
static void
first_column(int n, const double *a, int r, struct shifts f, double *x)
{
    double h = a[r * (n + 1)], g = a[(r + 1) * n + r];
    x[0] = h * h + a[r * n + r + 1] * g - f.sum * h + f.product;
    x[1] = g * (h + a[(r + 1) * (n + 1)] - f.sum);
    x[2] = g * a[(r + 2) * n + r + 1];
}

/* Takes one step on the rows low .. hi. */
static void
francis(int n, double *a, int low, int hi, struct shifts f)
{
    double x[3], v[3];
    int from = hi - 2;
    for (;; from--) {
        first_column(n, a, from, f, x);
        if (from == low)
            break;
        double s = fabs(a[(from - 1) * (n + 1)]) + fabs(a[from * (n + 1)]) +
                   fabs(a[(from + 1) * (n + 1)]);
        if (fabs(a[from * n + from - 1]) * (fabs(x[1]) + fabs(x[2])) <=
            DBL_EPSILON * fabs(x[0]) * s)
            break;
    }
    for (int k = from; k < hi; k++) {
        int m = k + 2 <= hi ? 3 : 2;
        double b = reflector(m, x, v);
        if (b != 0.0)
            reflect(n, a, k, m, v, b, k > low ? k - 1 : low,
                    k + 3 < hi ? k + 3 : hi);
        if (k > from)
            for (int i = 1; i < m; i++)
                a[(k + i) * n + k - 1] = 0.0;
        for (int i = 0; i < 3; i++)
            x[i] = k + 1 + i <= hi ? a[(k + 1 + i) * n + k] : 0.0;
    }
    /* Clears what a step that began behind small entries leaves below the
     * diagonal. */
    for (int k = low; k + 2 <= hi; k++)
        for (int i = k + 2; i <= hi && i <= k + 3; i++)
            a[i * n + k] = 0.0;
}

int
eigen_qr(int n, double *a, double *room, double *re, double *im)
{
    assert(n >= 0);
    assert(n == 0 || (a != NULL && room != NULL && re != NULL && im != NULL));
    double norm = 0.0;
    int hi = n - 1, steps = 0;
    balance(n, a);
    hessenberg(n, a, room, room + n);
    for (int i = 0; i < n * n; i++)
        norm = hypot(norm, a[i]);
    if (!isfinite(norm))
        return 1;
    while (hi >= 0) {
        double coarse = DBL_EPSILON * norm * (steps / QR_COARSE);
        int low = hi;
        while (low > 0 && !negligible(n, a, low, coarse))
            low--;
        if (low > 0)
            a[low * n + low - 1] = 0.0;
        if (low >= hi - 1) {
            if (low == hi) {
                re[hi] = a[hi * (n + 1)];
                im[hi] = 0.0;
            } else {
                pair(n, a, low, re, im);
            }
            hi = low - 1;
            steps = 0;
            continue;
        }
        if (++steps > QR_MOST)
            return 1;
        struct shifts f = shifts_of(a[(hi - 1) * (n + 1)], a[(hi - 1) * n + hi],
                                    a[hi * n + hi - 1], a[hi * (n + 1)]);
        if (steps % QR_ODD == 0) {
            int r = steps % (2 * QR_ODD) ? low : hi - 2;
            double w = fabs(a[(r + 1) * n + r]) + fabs(a[(r + 2) * n + r + 1]);
            double d =
                a[(steps % (2 * QR_ODD) ? low : hi) * (n + 1)] + 0.75 * w;
            f = shifts_of(d, -0.4375 * w, w, d);
        }
        francis(n, a, low, hi, f);
    }
    return 0;
}
