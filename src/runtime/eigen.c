/* SPDX-License-Identifier: MIT */
/* See eigen.h. Householder's Hessenberg form, Francis' implicit double shift
 * (Golub & Van Loan 2013, 7.4.3 and 7.5.2), eigenvectors of both sides by
 * inverse iteration. */
#include "runtime/eigen.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"

/* Francis steps per eigenvalue before it is given up; every tenth takes shifts
 * of its own, which leaves cycles */
#define EIGEN_STEPS 90
/* Householder transformations and shifts leave a backward error of some n units
 * of rounding of the norm (Golub & Van Loan 2013, 7.5.6) */
#define EIGEN_NOISE 16.0

static double
frobenius(int n, const double *a)
{
    double s = 0.0;
    for (int i = 0; i < n * n; i++)
        s = hypot(s, a[i]);
    return s;
}

/* v (k entries) := reflector with (I - b v v^T) x along the first axis; 0: x is
 * so already */
static double
reflector(int k, const double *x, double *v)
{
    double big = 0.0, s = 0.0;
    for (int i = 0; i < k; i++)
        big = fmax(big, fabs(x[i]));
    if (big == 0.0)
        return 0.0;
    for (int i = 0; i < k; i++) {
        v[i] = x[i] / big;
        s += v[i] * v[i];
    }
    double norm = sqrt(s);
    v[0] += copysign(norm, v[0]);
    s = 0.0;
    for (int i = 0; i < k; i++)
        s += v[i] * v[i];
    return 2.0 / s;
}

/* rows r .. r+k-1 of columns from .. n-1, columns r .. r+k-1 of rows 0 .. to */
static void
reflect(int n, double *a, int r, int k, const double *v, double b, int from,
        int to)
{
    for (int j = from; j < n; j++) {
        double s = 0.0;
        for (int i = 0; i < k; i++)
            s += v[i] * a[(r + i) * n + j];
        for (int i = 0; i < k; i++)
            a[(r + i) * n + j] -= b * s * v[i];
    }
    for (int i = 0; i <= to; i++) {
        double s = 0.0;
        for (int j = 0; j < k; j++)
            s += v[j] * a[i * n + r + j];
        for (int j = 0; j < k; j++)
            a[i * n + r + j] -= b * s * v[j];
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
        reflect(n, a, k + 1, m, v, b, k, n - 1);
        for (int i = k + 2; i < n; i++)
            a[i * n + k] = 0.0;
    }
}

/* both eigenvalues of the 2 x 2 block at row r */
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
    /* the one without cancellation, and the other by the product */
    double z = h + copysign(sqrt(d), h);
    re[r] = t + z;
    re[r + 1] = z == 0.0 ? t : t - q * s / z;
}

/* one step on rows l .. hi; sum and product of its shifts */
static void
francis(int n, double *a, int l, int hi, double sum, double product)
{
    double x[3] = {0}, v[3];
    double h = a[l * n + l], g = a[(l + 1) * n + l];
    x[0] = h * h + a[l * n + l + 1] * g - sum * h + product;
    x[1] = g * (h + a[(l + 1) * n + l + 1] - sum);
    x[2] = g * a[(l + 2) * n + l + 1];
    for (int k = l; k < hi; k++) {
        int m = k + 2 <= hi ? 3 : 2;
        double b = reflector(m, x, v);
        reflect(n, a, k, m, v, b, k > l ? k - 1 : l, k + 3 < hi ? k + 3 : hi);
        if (k > l)
            for (int i = 1; i < m; i++)
                a[(k + i) * n + k - 1] = 0.0;
        for (int i = 0; i < 3; i++)
            x[i] = k + 1 + i <= hi ? a[(k + 1 + i) * n + k] : 0.0;
    }
}

/* a is Hessenberg and is destroyed */
static int
values(int n, double *a, double *re, double *im)
{
    double norm = frobenius(n, a);
    int hi = n - 1, steps = 0;
    if (!isfinite(norm))
        return 1;
    while (hi >= 0) {
        int l = hi;
        for (; l > 0; l--) {
            double s = fabs(a[l * n + l]) + fabs(a[(l - 1) * (n + 1)]);
            if (fabs(a[l * n + l - 1]) <= DBL_EPSILON * (s > 0.0 ? s : norm))
                break;
        }
        if (l > 0)
            a[l * n + l - 1] = 0.0;
        if (l == hi) {
            re[hi] = a[hi * n + hi];
            im[hi--] = 0.0;
            steps = 0;
            continue;
        }
        if (l == hi - 1) {
            pair(n, a, l, re, im);
            hi -= 2;
            steps = 0;
            continue;
        }
        if (++steps > EIGEN_STEPS)
            return 1;
        double p = a[(hi - 1) * (n + 1)], q = a[(hi - 1) * n + hi],
               s = a[hi * n + hi - 1], t = a[hi * (n + 1)];
        double sum = p + t, product = p * t - q * s;
        if (steps % 10 == 0) {
            double w = fabs(s) + fabs(a[(hi - 1) * n + hi - 2]);
            sum = 1.5 * w;
            product = w * w;
        }
        francis(n, a, l, hi, sum, product);
    }
    return 0;
}

static void
sorted(struct eigen *e)
{
    for (int i = 1; i < e->n; i++)
        for (int j = i; j > 0; j--) {
            double a = hypot(e->re[j - 1], e->im[j - 1]),
                   b = hypot(e->re[j], e->im[j]);
            bool later = b > a || (b == a && e->re[j] > e->re[j - 1]);
            if (!later)
                break;
            double r = e->re[j], m = e->im[j];
            e->re[j] = e->re[j - 1];
            e->im[j] = e->im[j - 1];
            e->re[j - 1] = r;
            e->im[j - 1] = m;
        }
}

/* z := (A - lambda)^-1 z, row exchanges; transposed: of A^T. A pivot of 0 is
 * replaced by `small`: z is then what it should be. */
static void
inverse(int n, const double *a, bool transposed, double complex lambda,
        double small, double complex *b, double complex *z)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i * n + j] = (transposed ? a[j * n + i] : a[i * n + j]) -
                           (i == j ? lambda : 0.0);
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(b[i * n + k]) > cabs(b[p * n + k]))
                p = i;
        for (int j = 0; j < n && p != k; j++) {
            double complex t = b[k * n + j];
            b[k * n + j] = b[p * n + j];
            b[p * n + j] = t;
        }
        double complex t = z[k];
        z[k] = z[p];
        z[p] = t;
        if (cabs(b[k * n + k]) < small)
            b[k * n + k] = small;
        for (int i = k + 1; i < n; i++) {
            double complex f = b[i * n + k] / b[k * n + k];
            for (int j = k; j < n; j++)
                b[i * n + j] -= f * b[k * n + j];
            z[i] -= f * z[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            z[k] -= b[k * n + j] * z[j];
        z[k] /= b[k * n + k];
    }
}

static void
unit(int n, double complex *z)
{
    double s = 0.0;
    int big = 0;
    for (int i = 0; i < n; i++) {
        s = hypot(s, cabs(z[i]));
        /* the first of equal ones, whatever rounding makes of them */
        if (cabs(z[i]) > (1.0 + 1e-9) * cabs(z[big]))
            big = i;
    }
    double complex f = conj(z[big]) / cabs(z[big]) / s;
    for (int i = 0; i < n; i++)
        z[i] *= f;
}

static void
vector(int n, const double *a, bool transposed, double complex lambda,
       double small, double complex *b, double complex *z)
{
    for (int i = 0; i < n; i++)
        z[i] = 1.0 / (1.0 + i);
    for (int k = 0; k < 3; k++) {
        inverse(n, a, transposed, lambda, small, b, z);
        unit(n, z);
    }
}

int
eigen_solve(struct arena *arena, int n, const double *a, struct eigen *e)
{
    size_t un = (size_t)n;
    double *h = NEW_N(arena, double, un *un + 2 * un + 1);
    double complex *b = NEW_N(arena, double complex, un *un + 2 * un + 1);
    double complex *left = b + un * un, *right = left + un;
    e->n = n;
    e->re = NEW_N(arena, double, un + 1);
    e->im = NEW_N(arena, double, un + 1);
    e->error = NEW_N(arena, double, un + 1);
    e->x = NEW_N(arena, double, un *un + 1);
    e->y = NEW_N(arena, double, un *un + 1);
    memcpy(h, a, un * un * sizeof *h);
    hessenberg(n, h, h + un * un, h + un * un + un);
    if (values(n, h, e->re, e->im))
        return 1;
    sorted(e);
    double norm = frobenius(n, a);
    double small = DBL_EPSILON * (norm > 0.0 ? norm : 1.0);
    double noise = EIGEN_NOISE * n * DBL_EPSILON;
    for (int i = 0; i < n; i++) {
        double complex l = e->re[i] + I * e->im[i], s = 0.0;
        vector(n, a, false, l, small, b, right);
        vector(n, a, true, l, small, b, left);
        for (int j = 0; j < n; j++) {
            s += left[j] * right[j];
            e->x[i * n + j] = creal(right[j]);
            e->y[i * n + j] = e->im[i] == 0.0 ? 0.0 : cimag(right[j]);
        }
        /* first order: |y A' x| / |y x|; at most what a defect of order n
         * leaves */
        e->error[i] = fmin(noise * norm / cabs(s),
                           pow(noise, 1.0 / (n > 0 ? n : 1)) * norm);
    }
    return 0;
}

/* -- the Elsner-Vandergraft condition (spec/chatter.md 2.3) -----------------
 */

/* how many eigenvalues are eigenvalue i within both errors; *loose: one of them
 * is not exactly so */
static int
multiplicity(const struct eigen *e, int i, bool *loose)
{
    int k = 0;
    for (int j = 0; j < e->n; j++) {
        double d = hypot(e->re[i] - e->re[j], e->im[i] - e->im[j]);
        if (d > e->error[i] + e->error[j])
            continue;
        k++;
        *loose |= j != i;
    }
    return k;
}

struct eigen_cone
eigen_cone(const struct eigen *e)
{
    struct eigen_cone c = {EIGEN_ZERO, true, false};
    double top = e->n ? hypot(e->re[0], e->im[0]) : 0.0;
    int positive = -1, most = 0, first = -1, other = 0;
    if (!(top > (e->n ? e->error[0] : 0.0)))
        return c;
    for (int i = 0; i < e->n; i++) {
        double r = hypot(e->re[i], e->im[i]);
        if (r < top - e->error[0] - e->error[i])
            continue;
        int k = multiplicity(e, i, &c.tied);
        bool real = fabs(e->im[i]) <= e->error[i];
        if (real && e->im[i] != 0.0)
            c.tied = true;
        if (real && e->re[i] > 0.0) {
            positive = i;
            most = k > most ? k : most;
            continue;
        }
        if (first < 0)
            first = i;
        other = k > other ? k : other;
    }
    if (positive >= 0 && other)
        c.tied = true;
    c.cone = positive >= 0 && most >= other;
    c.dominant = positive >= 0                           ? EIGEN_POSITIVE
                 : fabs(e->im[first]) <= e->error[first] ? EIGEN_NEGATIVE
                                                         : EIGEN_COMPLEX;
    return c;
}
