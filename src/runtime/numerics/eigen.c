/* SPDX-License-Identifier: MIT */
/* See eigen.h. Eigenvalues by eigen_qr.c, eigenvectors of both sides by inverse
 * iteration, of an eigenvalue with several of them one after the other,
 * orthogonal to those before. Both together give the two-sided Rayleigh
 * quotient y A x/(y x), whose error is of second order (Ostrowski 1959): it is
 * formed in long double and takes the place of what QR left of an eigenvalue
 * that stands alone. */
#include "runtime/numerics/eigen.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/eigen_qr.h"

/* Householder transformations and shifts leave a backward error of some n units
 * of rounding of the norm (Golub & Van Loan 2013, 7.5.6) */
#define EIGEN_NOISE 16.0

/* condition up to which several vectors are of one eigenvalue, in rounding */
#define EIGEN_REGULAR 1e3
/* what is left of a vector when others are taken out: less is rounding */
#define EIGEN_APART 1e-8
/* what is left of (A - lambda) x of a vector, in units of rounding of the norm,
 * that is no other than those before */
#define EIGEN_RESIDUAL 1e4

static void
swap(double *a, double *b, int n)
{
    for (int i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

static void
sorted(struct eigen *e)
{
    int n = e->n;
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0; j--) {
            double a = hypot(e->re[j - 1], e->im[j - 1]),
                   b = hypot(e->re[j], e->im[j]);
            bool later = b > a || (b == a && e->re[j] > e->re[j - 1]);
            if (!later)
                break;
            swap(e->re + j - 1, e->re + j, 1);
            swap(e->im + j - 1, e->im + j, 1);
            swap(e->error + j - 1, e->error + j, 1);
            swap(e->x + (j - 1) * n, e->x + j * n, n);
            swap(e->y + (j - 1) * n, e->y + j * n, n);
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

/* z without what it has of the k unit vectors of `others`, n apart */
static void
apart(int n, const double complex *others, int k, double complex *z)
{
    for (int i = 0; i < k; i++) {
        double complex s = 0.0;
        for (int j = 0; j < n; j++)
            s += conj(others[i * n + j]) * z[j];
        for (int j = 0; j < n; j++)
            z[j] -= s * others[i * n + j];
    }
}

struct work {
    int n;
    const double *a;
    double norm, small;
    double complex *b;            /* n x n */
    double complex *left, *right; /* n x n: rows are vectors */
    double complex *best;         /* n */
};

/* |(A - lambda) z|, long double sums */
static double
residual(const struct work *w, bool transposed, double complex lambda,
         const double complex *z)
{
    double size = 0.0;
    for (int i = 0; i < w->n; i++) {
        long double complex s = -(long double complex)lambda * z[i];
        for (int j = 0; j < w->n; j++)
            s += w->a[transposed ? j * w->n + i : i * w->n + j] *
                 (long double complex)z[j];
        size = hypot(size, (double)cabsl(s));
    }
    return size;
}

static double
length(int n, const double complex *z)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s = hypot(s, cabs(z[i]));
    return s;
}

/* Eigenvector into z, orthogonal to the k in front of it, if there is one more
 * of this eigenvalue; else the first of them again. A step that makes the
 * residual greater, as those behind the first do where vectors are missing, is
 * the last (Ipsen 1997). */
static void
vector(const struct work *w, bool transposed, double complex lambda, int k,
       double complex *z)
{
    int n = w->n;
    const double complex *others = z - k * n;
    double least = INFINITY;
    double complex *best = w->best;
    for (int i = 0; i < n; i++)
        z[i] = 1.0 / (1.0 + (i + k) % n);
    for (int step = 0; step < 3; step++) {
        inverse(n, w->a, transposed, lambda, w->small, w->b, z);
        unit(n, z);
        for (int twice = 0; twice < 3; twice++) {
            apart(n, others, k, z);
            if (!(length(n, z) > EIGEN_APART))
                for (int i = 0; i < n; i++)
                    z[i] = i == (k + step) % n;
            unit(n, z);
        }
        double r = residual(w, transposed, lambda, z);
        if (!(length(n, z) > 0.5 && r < least))
            break;
        least = r;
        memcpy(best, z, (size_t)n * sizeof *z);
    }
    bool one = least <= EIGEN_RESIDUAL * n * DBL_EPSILON * w->norm;
    memcpy(z, k && !one ? others : best, (size_t)n * sizeof *z);
}

/* y A x / (y x) */
static double complex
rayleigh(const struct work *w, const double complex *y, const double complex *x)
{
    int n = w->n;
    long double complex s = 0.0L, d = 0.0L;
    for (int i = 0; i < n; i++) {
        long double complex r = 0.0L;
        for (int j = 0; j < n; j++)
            r += w->a[i * n + j] * (long double complex)x[j];
        s += y[i] * r;
        d += (long double complex)y[i] * x[i];
    }
    return (double complex)(s / d);
}

/* First order: |P A' P| <= |A'| |(Y^T X)^-1| of the k eigenvectors of an
 * eigenvalue, |y A' x| / |y x| of one. |(Y^T X)^-1| is about k over its least
 * pivot; INFINITY where there are less than k vectors. */
static double
error_of(const struct work *w, int k)
{
    int n = w->n;
    double noise = EIGEN_NOISE * n * DBL_EPSILON, least = INFINITY;
    double complex *s = w->b;
    for (int p = 0; p < k; p++)
        for (int q = 0; q < k; q++) {
            s[p * k + q] = 0.0;
            for (int j = 0; j < n; j++)
                s[p * k + q] += w->left[p * n + j] * w->right[q * n + j];
        }
    for (int p = 0; p < k; p++) {
        int r = p, c = p;
        for (int m = p; m < k; m++)
            for (int q = p; q < k; q++)
                if (cabs(s[m * k + q]) > cabs(s[r * k + c])) {
                    r = m;
                    c = q;
                }
        for (int q = 0; q < k; q++) {
            double complex t = s[p * k + q];
            s[p * k + q] = s[r * k + q];
            s[r * k + q] = t;
        }
        for (int m = 0; m < k; m++) {
            double complex t = s[m * k + p];
            s[m * k + p] = s[m * k + c];
            s[m * k + c] = t;
        }
        least = fmin(least, cabs(s[p * k + p]) / k);
        for (int m = p + 1; m < k && least > 0.0; m++)
            for (int q = k - 1; q >= p; q--)
                s[m * k + q] -= s[m * k + p] / s[p * k + p] * s[p * k + q];
    }
    return noise * w->norm / least;
}

/* the eigenvalue whose conjugate i is, with a negative imaginary part, and
 * which no other has yet */
static int
mate(const struct eigen *e, int i, const int *group)
{
    int j = 0;
    while (e->re[j] != e->re[i] || e->im[j] != -e->im[i] || group[j] >= 0)
        j++;
    return j;
}

/* Those without vectors yet that are as near to eigenvalue i as its error, into
 * list[], i the first: they may be one eigenvalue. How many. */
static int
alike(const struct work *w, const struct eigen *e, int i, double error,
      int *list)
{
    int k = 0;
    list[k++] = i;
    for (int j = i + 1; j < w->n; j++)
        if (!(e->error[j] > 0.0) &&
            hypot(e->re[i] - e->re[j], e->im[i] - e->im[j]) <= error)
            list[k++] = j;
    return k;
}

/* k vectors of eigenvalue l in the first rows of w; the error of l */
static double
find(struct work *w, double complex l, int k)
{
    for (int j = 0; j < k; j++) {
        vector(w, false, l, j, w->right + j * w->n);
        vector(w, true, l, j, w->left + j * w->n);
    }
    return error_of(w, k);
}

/* eigenvalue i with its vector, or several that are the same, as their mean,
 * with theirs */
static void
group(struct work *w, struct eigen *e, int i, int *list)
{
    int n = w->n;
    double complex l = e->re[i] + I * e->im[i], mean = 0.0;
    double error = find(w, l, 1);
    double least = EIGEN_NOISE * n * DBL_EPSILON * w->norm;
    int k = alike(w, e, i, fmax(error, least), list);
    for (int j = 0; j < k; j++)
        mean += (e->re[list[j]] + I * e->im[list[j]]) / k;
    if (fabs(cimag(mean)) <= k * least)
        mean = creal(mean);
    double of_all = k > 1 ? find(w, mean, k) : INFINITY;
    if (of_all <= fmax(error, EIGEN_REGULAR * least) && isfinite(of_all)) {
        error = of_all;
        l = mean;
    } else if (k > 1) {
        k = 1;
        error = find(w, l, 1);
    }
    if (k == 1) {
        double complex r = rayleigh(w, w->left, w->right);
        if (cabs(r - l) <= error && error <= EIGEN_REGULAR * least)
            l = r;
    }
    /* at most what a defect of order n leaves */
    error = fmin(error, pow(EIGEN_NOISE * n * DBL_EPSILON, 1.0 / n) * w->norm);
    for (int j = 0; j < k; j++) {
        int at = list[j];
        bool real = k > 1 ? cimag(l) == 0.0 : e->im[at] == 0.0;
        double side = e->im[at] < 0.0 && !real ? -1.0 : 1.0;
        e->error[at] = error;
        e->re[at] = creal(l);
        e->im[at] = real ? 0.0 : side * fabs(cimag(l));
        for (int c = 0; c < n; c++) {
            e->x[at * n + c] = creal(w->right[j * n + c]);
            e->y[at * n + c] = real ? 0.0 : side * cimag(w->right[j * n + c]);
        }
    }
}

/* list, mates: n */
static void
vectors(struct work *w, struct eigen *e, int *list, int *mates)
{
    int n = w->n;
    for (int i = 0; i < n; i++)
        mates[i] = -1;
    for (int i = 0; i < n; i++)
        if (e->im[i] < 0.0) {
            mates[i] = mate(e, i, mates);
            mates[mates[i]] = i;
        }
    for (int i = 0; i < n; i++) {
        if (e->im[i] < 0.0 || e->error[i] > 0.0)
            continue;
        group(w, e, i, list);
    }
    for (int i = 0; i < n; i++) {
        int j = mates[i];
        if (!(e->im[i] < 0.0))
            continue;
        e->re[i] = e->re[j];
        e->im[i] = -e->im[j];
        e->error[i] = e->error[j];
        for (int c = 0; c < n; c++) {
            e->x[i * n + c] = e->x[j * n + c];
            e->y[i * n + c] = -e->y[j * n + c];
        }
    }
}

int
eigen_solve(struct arena *arena, int n, const double *a, struct eigen *e)
{
    size_t un = (size_t)n;
    double *h = NEW_N(arena, double, un *un + 2 * un + 1);
    struct work w = {.n = n, .a = a};
    w.b = NEW_N(arena, double complex, 3 * un * un + un + 1);
    w.left = w.b + un * un;
    w.right = w.left + un * un;
    w.best = w.right + un * un;
    e->n = n;
    e->re = NEW_N(arena, double, un + 1);
    e->im = NEW_N(arena, double, un + 1);
    e->error = NEW_N(arena, double, un + 1);
    e->x = NEW_N(arena, double, un *un + 1);
    e->y = NEW_N(arena, double, un *un + 1);
    memcpy(h, a, un * un * sizeof *h);
    for (size_t i = 0; i < un * un; i++)
        w.norm = hypot(w.norm, a[i]);
    if (!isfinite(w.norm) || eigen_qr(n, h, h + un * un, e->re, e->im))
        return 1;
    sorted(e);
    w.small = DBL_EPSILON * (w.norm > 0.0 ? w.norm : 1.0);
    int *list = NEW_N(arena, int, 2 * un + 1);
    vectors(&w, e, list, list + n);
    sorted(e);
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
