/* SPDX-License-Identifier: MIT */
/* See eigen.h. QR steps give the eigenvalues, and inverse iteration the
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
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

/* -- eigenvalues --------------------------------------------------------------
 *
 * Balancing by powers of 2 (Parlett & Reinsch 1969), Householder's Hessenberg
 * form, Francis' implicit double shift (Golub & Van Loan 2013, 7.4.3 and
 * 7.5.2). A subdiagonal entry is dropped where that changes no digit of the 2 x
 * 2 block about it (Ahues & Tisseur 1997); a step begins behind two small ones
 * in a row; of two real shifts the one next to the last entry counts twice; and
 * every tenth step takes shifts of its own, which leaves cycles. A multiple
 * eigenvalue may leave entries of the size of rounding that steps only move
 * about: after some steps these are dropped, too, a backward error as that of
 * the steps themselves.
 *
 * Letters: a is A (n x n, by rows), I - b v v^T a reflector of k entries, x the
 * column from which it is made; p, q, s, t the entries of a 2 x 2 block by
 * rows. */

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

/* Finds the eigenvalues of a, n x n, row-major, which is destroyed; room has 2
 * n numbers. re and im (n) hold conjugate pairs side by side, the positive
 * imaginary part first. Returns 0, or 1 where it does not converge. */
static int
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

/* -- eigenvectors ------------------------------------------------------------
 */

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

/* Modulus and quotient are written out here, since C libraries and compilers
 * scale them in different ways, and so round differently. */
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

/* -- the Elsner-Vandergraft condition (chatter.md 2.3) -----------------
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
