/* SPDX-License-Identifier: MIT */
/* See eigen.h. eigen_qr.c gives the eigenvalues, and inverse iteration the
 * eigenvectors of both sides; the vectors of an eigenvalue that has several
 * are made one after the other, each orthogonal to those before. The vectors
 * of both sides give the two-sided Rayleigh quotient y A x/(y x), whose error
 * is of second order (Ostrowski 1959). It is formed in long double and
 * replaces the eigenvalue that QR found, if this eigenvalue stands alone.
 *
 * Letters: a is A (n x n, by rows), b the factors of A - lambda, x and y right
 * and left eigenvectors, z a vector on its way to one of them. */
#include "runtime/numerics/eigen.h"

#include <assert.h>
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/eigen_qr.h"

/* Householder transformations and shifts leave a backward error of some n units
 * of rounding of the norm (Golub & Van Loan 2013, 7.5.6) */
#define EIGEN_NOISE 16.0

/* the condition, in units of rounding, up to which several vectors belong to
 * one eigenvalue */
#define EIGEN_REGULAR 1e3
/* If less than this is left of a vector after others were subtracted, the rest
 * is rounding error. */
#define EIGEN_APART 1e-8
/* A vector whose residual (A - lambda) x is greater than this, in units of
 * rounding of the norm, is no eigenvector besides those before. */
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
sorted(struct eigen *eigen)
{
    int n = eigen->n;
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0; j--) {
            double a = hypot(eigen->re[j - 1], eigen->im[j - 1]),
                   b = hypot(eigen->re[j], eigen->im[j]);
            bool later = b > a || (b == a && eigen->re[j] > eigen->re[j - 1]);
            if (!later)
                break;
            swap(eigen->re + j - 1, eigen->re + j, 1);
            swap(eigen->im + j - 1, eigen->im + j, 1);
            swap(eigen->error + j - 1, eigen->error + j, 1);
            swap(eigen->x + (j - 1) * n, eigen->x + j * n, n);
            swap(eigen->y + (j - 1) * n, eigen->y + j * n, n);
        }
}

/* Modulus and quotient are written out here, since C libraries and compilers scale
 * them in different ways, and so round differently. */
static double
modulus(double complex z)
{
    return hypot(creal(z), cimag(z));
}

static double complex
quotient(double complex a, double complex b)
{
    double size = modulus(b);
    return a * (conj(b) / size) / size;
}

/* Sets z := (A - lambda)^-1 z, with row exchanges; transposed: of A^T. A pivot
 * of 0 is replaced by `small`: z is then what it should be. */
static void
inverse(int n, const double *a, bool transposed, double complex lambda,
        double small, double complex *b, double complex *z)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i * n + j] = (transposed ? a[j * n + i] : a[i * n + j]) -
                           (i == j ? lambda : 0.0);
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (modulus(b[i * n + k]) > modulus(b[pivot * n + k]))
                pivot = i;
        for (int j = 0; j < n && pivot != k; j++) {
            double complex t = b[k * n + j];
            b[k * n + j] = b[pivot * n + j];
            b[pivot * n + j] = t;
        }
        double complex t = z[k];
        z[k] = z[pivot];
        z[pivot] = t;
        if (modulus(b[k * n + k]) < small)
            b[k * n + k] = small;
        for (int i = k + 1; i < n; i++) {
            double complex f = quotient(b[i * n + k], b[k * n + k]);
            for (int j = k; j < n; j++)
                b[i * n + j] -= f * b[k * n + j];
            z[i] -= f * z[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            z[k] -= b[k * n + j] * z[j];
        z[k] = quotient(z[k], b[k * n + k]);
    }
}

static void
unit(int n, double complex *z)
{
    double s = 0.0;
    int big = 0;
    for (int i = 0; i < n; i++) {
        s = hypot(s, modulus(z[i]));
        /* the first of several entries that are equal up to rounding */
        if (modulus(z[i]) > (1.0 + 1e-9) * modulus(z[big]))
            big = i;
    }
    double complex f = conj(z[big]) / modulus(z[big]) / s;
    for (int i = 0; i < n; i++)
        z[i] *= f;
}

/* Subtracts from z its components along the k unit vectors of `others`, n
 * apart. */
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

/* Returns |(A - lambda) z|, with sums in long double. */
static double
residual(const struct work *work, bool transposed, double complex lambda,
         const double complex *z)
{
    double size = 0.0;
    for (int i = 0; i < work->n; i++) {
        long double complex s = -(long double complex)lambda * z[i];
        for (int j = 0; j < work->n; j++)
            s += work->a[transposed ? j * work->n + i : i * work->n + j] *
                 (long double complex)z[j];
        size = hypot(size, modulus((double complex)s));
    }
    return size;
}

static double
length(int n, const double complex *z)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s = hypot(s, modulus(z[i]));
    return s;
}

/* Eigenvector into z, orthogonal to the n_others in front of it, if there is
 * one more of this eigenvalue; else the first of them again. A step that makes
 * the residual greater, as those behind the first do where vectors are missing,
 * is the last (Ipsen 1997). */
static void
vector(const struct work *work, bool transposed, double complex lambda,
       int n_others, double complex *z)
{
    int n = work->n;
    const double complex *others = z - n_others * n;
    double least = INFINITY;
    double complex *best = work->best;
    for (int i = 0; i < n; i++)
        z[i] = 1.0 / (1.0 + (i + n_others) % n);
    for (int step = 0; step < 3; step++) {
        inverse(n, work->a, transposed, lambda, work->small, work->b, z);
        unit(n, z);
        for (int twice = 0; twice < 3; twice++) {
            apart(n, others, n_others, z);
            if (!(length(n, z) > EIGEN_APART))
                for (int i = 0; i < n; i++)
                    z[i] = i == (n_others + step) % n;
            unit(n, z);
        }
        double r = residual(work, transposed, lambda, z);
        if (!(length(n, z) > 0.5 && r < least))
            break;
        least = r;
        memcpy(best, z, (size_t)n * sizeof *z);
    }
    bool one = least <= EIGEN_RESIDUAL * n * DBL_EPSILON * work->norm;
    memcpy(z, n_others && !one ? others : best, (size_t)n * sizeof *z);
}

/* Returns y A x / (y x). */
static double complex
rayleigh(const struct work *work, const double complex *y,
         const double complex *x)
{
    int n = work->n;
    long double complex s = 0.0L, d = 0.0L;
    for (int i = 0; i < n; i++) {
        long double complex r = 0.0L;
        for (int j = 0; j < n; j++)
            r += work->a[i * n + j] * (long double complex)x[j];
        s += y[i] * r;
        d += (long double complex)y[i] * x[i];
    }
    return (double complex)(s * conjl(d) /
                            (creall(d) * creall(d) + cimagl(d) * cimagl(d)));
}

/* First order: |P A' P| <= |A'| |(Y^T X)^-1| of the n_vectors eigenvectors of
 * an eigenvalue, |y A' x| / |y x| of one. |(Y^T X)^-1| is about n_vectors over
 * its least pivot; INFINITY where there are fewer vectors. */
static double
error_of(const struct work *work, int n_vectors)
{
    int n = work->n;
    double noise = EIGEN_NOISE * n * DBL_EPSILON, least = INFINITY;
    double complex *gram = work->b;
    for (int step = 0; step < n_vectors; step++)
        for (int q = 0; q < n_vectors; q++) {
            gram[step * n_vectors + q] = 0.0;
            for (int j = 0; j < n; j++)
                gram[step * n_vectors + q] +=
                    work->left[step * n + j] * work->right[q * n + j];
        }
    for (int step = 0; step < n_vectors; step++) {
        int row = step, column = step;
        for (int m = step; m < n_vectors; m++)
            for (int q = step; q < n_vectors; q++)
                if (modulus(gram[m * n_vectors + q]) >
                    modulus(gram[row * n_vectors + column])) {
                    row = m;
                    column = q;
                }
        for (int q = 0; q < n_vectors; q++) {
            double complex t = gram[step * n_vectors + q];
            gram[step * n_vectors + q] = gram[row * n_vectors + q];
            gram[row * n_vectors + q] = t;
        }
        for (int m = 0; m < n_vectors; m++) {
            double complex t = gram[m * n_vectors + step];
            gram[m * n_vectors + step] = gram[m * n_vectors + column];
            gram[m * n_vectors + column] = t;
        }
        least = fmin(least, modulus(gram[step * n_vectors + step]) / n_vectors);
        for (int m = step + 1; m < n_vectors && least > 0.0; m++)
            for (int q = n_vectors - 1; q >= step; q--)
                gram[m * n_vectors + q] -=
                    quotient(gram[m * n_vectors + step],
                             gram[step * n_vectors + step]) *
                    gram[step * n_vectors + q];
    }
    return noise * work->norm / least;
}

/* The eigenvalue whose conjugate is eigenvalue i (with a negative imaginary
 * part), and which has no conjugate yet. */
static int
mate(const struct eigen *eigen, int i, const int *group)
{
    int j = 0;
    while (eigen->re[j] != eigen->re[i] || eigen->im[j] != -eigen->im[i] ||
           group[j] >= 0)
        j++;
    return j;
}

/* Lists the eigenvalues without vectors that are nearer to eigenvalue i than
 * its error, i first: they may be one eigenvalue. Returns their number. */
static int
alike(const struct work *work, const struct eigen *eigen, int i, double error,
      int *list)
{
    int k = 0;
    list[k++] = i;
    for (int j = i + 1; j < work->n; j++)
        if (!(eigen->error[j] > 0.0) &&
            hypot(eigen->re[i] - eigen->re[j], eigen->im[i] - eigen->im[j]) <=
                error)
            list[k++] = j;
    return k;
}

/* Finds k vectors of eigenvalue l, in the first rows of w, and returns the
 * error of l. */
static double
find(struct work *work, double complex l, int k)
{
    for (int j = 0; j < k; j++) {
        vector(work, false, l, j, work->right + j * work->n);
        vector(work, true, l, j, work->left + j * work->n);
    }
    return error_of(work, k);
}

/* Takes eigenvalue i with its vector, or several that are the same, as their
 * mean, with theirs. */
static void
group(struct work *work, struct eigen *eigen, int i, int *list)
{
    int n = work->n;
    double complex lambda = eigen->re[i] + I * eigen->im[i], mean = 0.0;
    double error = find(work, lambda, 1);
    double least = EIGEN_NOISE * n * DBL_EPSILON * work->norm;
    int count = alike(work, eigen, i, fmax(error, least), list);
    for (int j = 0; j < count; j++)
        mean += (eigen->re[list[j]] + I * eigen->im[list[j]]) / count;
    if (fabs(cimag(mean)) <= count * least)
        mean = creal(mean);
    double of_all = count > 1 ? find(work, mean, count) : INFINITY;
    if (of_all <= fmax(error, EIGEN_REGULAR * least) && isfinite(of_all)) {
        error = of_all;
        lambda = mean;
    } else if (count > 1) {
        count = 1;
        error = find(work, lambda, 1);
    }
    if (count == 1) {
        double complex r = rayleigh(work, work->left, work->right);
        if (modulus(r - lambda) <= error && error <= EIGEN_REGULAR * least)
            lambda = r;
    }
    /* at most what a defect of order n leaves */
    error =
        fmin(error, pow(EIGEN_NOISE * n * DBL_EPSILON, 1.0 / n) * work->norm);
    for (int j = 0; j < count; j++) {
        int at = list[j];
        bool real = count > 1 ? cimag(lambda) == 0.0 : eigen->im[at] == 0.0;
        double side = eigen->im[at] < 0.0 && !real ? -1.0 : 1.0;
        eigen->error[at] = error;
        eigen->re[at] = creal(lambda);
        eigen->im[at] = real ? 0.0 : side * fabs(cimag(lambda));
        for (int c = 0; c < n; c++) {
            eigen->x[at * n + c] = creal(work->right[j * n + c]);
            eigen->y[at * n + c] =
                real ? 0.0 : side * cimag(work->right[j * n + c]);
        }
    }
}

/* Finds the vectors of all eigenvalues. list and mates have n entries. */
static void
vectors(struct work *work, struct eigen *eigen, int *list, int *mates)
{
    int n = work->n;
    for (int i = 0; i < n; i++)
        mates[i] = -1;
    for (int i = 0; i < n; i++)
        if (eigen->im[i] < 0.0) {
            mates[i] = mate(eigen, i, mates);
            mates[mates[i]] = i;
        }
    for (int i = 0; i < n; i++) {
        if (eigen->im[i] < 0.0 || eigen->error[i] > 0.0)
            continue;
        group(work, eigen, i, list);
    }
    for (int i = 0; i < n; i++) {
        int j = mates[i];
        if (!(eigen->im[i] < 0.0))
            continue;
        eigen->re[i] = eigen->re[j];
        eigen->im[i] = -eigen->im[j];
        eigen->error[i] = eigen->error[j];
        for (int c = 0; c < n; c++) {
            eigen->x[i * n + c] = eigen->x[j * n + c];
            eigen->y[i * n + c] = -eigen->y[j * n + c];
        }
    }
}

int
eigen_solve(struct arena *arena, int n, const double *a, struct eigen *eigen)
{
    assert(arena != NULL && eigen != NULL);
    assert(n >= 0 && (n == 0 || a != NULL));
    size_t un = (size_t)n;
    double *hessenberg = NEW_N(arena, double, un *un + 2 * un + 1);
    struct work work = {.n = n, .a = a};
    work.b = NEW_N(arena, double complex, 3 * un * un + un + 1);
    work.left = work.b + un * un;
    work.right = work.left + un * un;
    work.best = work.right + un * un;
    eigen->n = n;
    eigen->re = NEW_N(arena, double, un + 1);
    eigen->im = NEW_N(arena, double, un + 1);
    eigen->error = NEW_N(arena, double, un + 1);
    eigen->x = NEW_N(arena, double, un *un + 1);
    eigen->y = NEW_N(arena, double, un *un + 1);
    memcpy(hessenberg, a, un * un * sizeof *hessenberg);
    for (size_t i = 0; i < un * un; i++)
        work.norm = hypot(work.norm, a[i]);
    if (!isfinite(work.norm) ||
        eigen_qr(n, hessenberg, hessenberg + un * un, eigen->re, eigen->im))
        return 1;
    sorted(eigen);
    work.small = DBL_EPSILON * (work.norm > 0.0 ? work.norm : 1.0);
    int *list = NEW_N(arena, int, 2 * un + 1);
    vectors(&work, eigen, list, list + n);
    sorted(eigen);
    return 0;
}

/* -- the Elsner-Vandergraft condition (spec/chatter.md 2.3) -----------------
 */

/* Returns how many eigenvalues are eigenvalue i within both errors; *loose: one
 * of them is not exactly so. */
static int
multiplicity(const struct eigen *eigen, int i, bool *loose)
{
    int k = 0;
    for (int j = 0; j < eigen->n; j++) {
        double d =
            hypot(eigen->re[i] - eigen->re[j], eigen->im[i] - eigen->im[j]);
        if (d > eigen->error[i] + eigen->error[j])
            continue;
        k++;
        *loose |= j != i;
    }
    return k;
}

struct eigen_cone
eigen_cone(const struct eigen *eigen)
{
    assert(eigen != NULL && eigen->n > 0);
    struct eigen_cone cone = {EIGEN_ZERO, true, false};
    double top = eigen->n ? hypot(eigen->re[0], eigen->im[0]) : 0.0;
    int positive = -1, most = 0, first = -1, other = 0;
    if (!(top > (eigen->n ? eigen->error[0] : 0.0)))
        return cone;
    for (int which = 0; which < eigen->n; which++) {
        double r = hypot(eigen->re[which], eigen->im[which]);
        if (r < top - eigen->error[0] - eigen->error[which])
            continue;
        int multiple = multiplicity(eigen, which, &cone.tied);
        bool real = fabs(eigen->im[which]) <= eigen->error[which];
        if (real && eigen->im[which] != 0.0)
            cone.tied = true;
        if (real && eigen->re[which] > 0.0) {
            positive = which;
            most = multiple > most ? multiple : most;
            continue;
        }
        if (first < 0)
            first = which;
        other = multiple > other ? multiple : other;
    }
    if (positive >= 0 && other)
        cone.tied = true;
    cone.cone = positive >= 0 && most >= other;
    cone.dominant = positive >= 0 ? EIGEN_POSITIVE
                    : fabs(eigen->im[first]) <= eigen->error[first]
                        ? EIGEN_NEGATIVE
                        : EIGEN_COMPLEX;
    return cone;
}
