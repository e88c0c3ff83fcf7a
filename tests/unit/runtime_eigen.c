/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eigenvalues and eigenvectors of small matrices: prescribed ones that are
 * multiple, with and without as many vectors, GSL's beside them, matrices on
 * which QR steps are slow, and the relabelled maps of 2 to 8 feet. */
#include <gsl/gsl_eigen.h>
#include <float.h>
#include <math.h>

#include "base/arena.h"
#include "impact_help.h"
#include "runtime/numerics/eigen.h"

#define MOST 12
static const double pi = 3.14159265358979323846;

static double
norm_of(int n, const double *A)
{
    double s = 0.0;
    for (int i = 0; i < n * n; i++)
        s = hypot(s, A[i]);
    return s;
}

/* |A x - l x| of eigenvector i */
static double
residual(int n, const double *A, const struct eigen *e, int i)
{
    const double *x = e->x + i * n, *y = e->y + i * n;
    double size = 0.0;
    for (int k = 0; k < n; k++) {
        double rx = e->im[i] * y[k] - e->re[i] * x[k],
               ry = -e->im[i] * x[k] - e->re[i] * y[k];
        for (int j = 0; j < n; j++) {
            rx += A[k * n + j] * x[j];
            ry += A[k * n + j] * y[j];
        }
        size = hypot(size, hypot(rx, ry));
    }
    return size;
}

/* converges, in falling modulus, conjugates side by side and equal to the last
 * bit, unit vectors with a residual of rounding */
static void
sound(int n, const double *A, const struct eigen *e)
{
    double norm = norm_of(n, A);
    for (int i = 0; i < n; i++) {
        double size = 0.0;
        for (int j = 0; j < n; j++)
            size = hypot(size, hypot(e->x[i * n + j], e->y[i * n + j]));
        assert_true(fabs(size - 1.0) < 1e-12);
        assert_true(residual(n, A, e, i) <= 1e-13 * n * norm + 2 * e->error[i]);
        /* to the rounding of two functions `hypot`: musl's sorts, the system's
         * is asked here */
        assert_true(!i || hypot(e->re[i], e->im[i]) <=
                              hypot(e->re[i - 1], e->im[i - 1]) *
                                  (1.0 + 4.0 * DBL_EPSILON));
        if (e->im[i] > 0.0) {
            assert_true(i + 1 < n && e->re[i + 1] == e->re[i]);
            assert_true(e->im[i + 1] == -e->im[i]);
        }
    }
}

/* largest distance of the eigenvalues re, im (n of them) to those of e, over
 * their errors, each taken once */
static double
distance(const struct eigen *e, const double *re, const double *im)
{
    bool taken[MOST] = {0};
    double worst = 0.0;
    for (int i = 0; i < e->n; i++) {
        int best = -1;
        double least = INFINITY;
        for (int j = 0; j < e->n; j++) {
            double d = hypot(e->re[j] - re[i], e->im[j] - im[i]);
            if (!taken[j] && d < least) {
                least = d;
                best = j;
            }
        }
        taken[best] = true;
        worst = fmax(worst, least / e->error[best]);
    }
    return worst;
}

/* A = Q J Q^T or T J T^-1, Q of reflections, T of them and of scales */
static void
similar(uint64_t *seed, int n, double *A, bool scaled)
{
    for (int t = 0; t < 3; t++) {
        double v[MOST], s = 0.0;
        for (int i = 0; i < n; i++) {
            v[i] = multi_random(seed, -1, 1);
            s += v[i] * v[i];
        }
        for (int i = 0; i < n && scaled && t == 1; i++) {
            double f = pow(10.0, multi_random(seed, -1, 1));
            for (int j = 0; j < n; j++) {
                A[i * n + j] *= f;
                A[j * n + i] /= f;
            }
        }
        for (int j = 0; j < n; j++) {
            double d = 0.0;
            for (int i = 0; i < n; i++)
                d += v[i] * A[i * n + j];
            for (int i = 0; i < n; i++)
                A[i * n + j] -= 2.0 * d * v[i] / s;
        }
        for (int i = 0; i < n; i++) {
            double d = 0.0;
            for (int j = 0; j < n; j++)
                d += v[j] * A[i * n + j];
            for (int j = 0; j < n; j++)
                A[i * n + j] -= 2.0 * d * v[j] / s;
        }
    }
}

/* the rank of the vectors of eigenvalue l, by Gram and Schmidt */
static int
vectors_of(const struct eigen *e, double re, double im)
{
    int n = e->n, k = 0;
    double basis[MOST][2 * MOST];
    for (int i = 0; i < n; i++) {
        if (hypot(e->re[i] - re, e->im[i] - im) > 1e-3)
            continue;
        double *z = basis[k], size = 0.0;
        memcpy(z, e->x + i * n, (size_t)n * sizeof *z);
        memcpy(z + n, e->y + i * n, (size_t)n * sizeof *z);
        for (int p = 0; p < k; p++) {
            double a = 0.0, b = 0.0;
            for (int j = 0; j < n; j++) {
                a += basis[p][j] * z[j] + basis[p][n + j] * z[n + j];
                b += basis[p][j] * z[n + j] - basis[p][n + j] * z[j];
            }
            for (int j = 0; j < n; j++) {
                z[j] -= a * basis[p][j] - b * basis[p][n + j];
                z[n + j] -= a * basis[p][n + j] + b * basis[p][j];
            }
        }
        for (int j = 0; j < 2 * n; j++)
            size = hypot(size, z[j]);
        if (size < 1e-3)
            continue;
        for (int j = 0; j < 2 * n; j++)
            z[j] /= size;
        k++;
    }
    return k;
}

/* 1 with multiplicity m and as many vectors, others anywhere */
static void
multiple(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int t = 0; t < 2000; t++) {
        struct arena *a = arena_new();
        int n = 2 + t % (MOST - 1), m = 1 + t / 11 % n;
        double A[MOST * MOST] = {0}, re[MOST], im[MOST] = {0};
        for (int i = 0; i < n; i++) {
            re[i] = i < m ? 1.0 : multi_random(&seed, -.9, .9);
            A[i * (n + 1)] = re[i];
        }
        similar(&seed, n, A, t % 3 == 0);
        struct eigen e;
        assert_int_equal(eigen_solve(a, n, A, &e), 0);
        sound(n, A, &e);
        assert_true(distance(&e, re, im) <= 1.0);
        assert_int_equal(vectors_of(&e, 1.0, 0.0), m);
        for (int i = 0; i < m && t % 3; i++)
            assert_true(fabs(e.re[i] - 1.0) + fabs(e.im[i]) < 1e-13 * n &&
                        e.error[i] < 1e-12 * n);
        arena_free(a);
    }
}

/* Jordan blocks: one vector each, and an error as their root of rounding */
static void
defective(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int t = 0; t < 2000; t++) {
        struct arena *a = arena_new();
        int n = 2 + t % (MOST - 1), m = 2 + t / 11 % 3;
        double A[MOST * MOST] = {0}, re[MOST], im[MOST] = {0};
        m = m < n ? m : n;
        for (int i = 0; i < n; i++) {
            re[i] = i < m ? 1.0 : multi_random(&seed, -.8, .8);
            A[i * (n + 1)] = re[i];
            if (i + 1 < m)
                A[i * n + i + 1] = 1.0;
        }
        similar(&seed, n, A, false);
        struct eigen e;
        assert_int_equal(eigen_solve(a, n, A, &e), 0);
        sound(n, A, &e);
        assert_true(distance(&e, re, im) <= 1.0);
        assert_int_equal(vectors_of(&e, 1.0, 0.0), 1);
        arena_free(a);
    }
}

/* pairs on one circle, several of them equal */
static void
circles(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int t = 0; t < 500; t++) {
        struct arena *a = arena_new();
        int h = 1 + t % (MOST / 2), n = 2 * h;
        double A[MOST * MOST] = {0}, re[MOST], im[MOST], first = 0.0;
        for (int i = 0; i < h; i++) {
            double f = i && t % 2 ? first : multi_random(&seed, .1, 3.0);
            first = f;
            double c = cos(f), s = sin(f);
            A[2 * i * (n + 1)] = A[(2 * i + 1) * (n + 1)] = c;
            A[2 * i * n + 2 * i + 1] = s;
            A[(2 * i + 1) * n + 2 * i] = -s;
            re[2 * i] = re[2 * i + 1] = c;
            im[2 * i] = s;
            im[2 * i + 1] = -s;
        }
        similar(&seed, n, A, false);
        struct eigen e;
        assert_int_equal(eigen_solve(a, n, A, &e), 0);
        sound(n, A, &e);
        assert_true(distance(&e, re, im) <= 1.0);
        if (t % 2)
            assert_int_equal(vectors_of(&e, re[0], im[0]), h);
        arena_free(a);
    }
}

/* integers, zeros, permutations, companions: nothing to shift by */
static void
awkward(void **state)
{
    (void)state;
    uint64_t seed = 19;
    for (int t = 0; t < 4000; t++) {
        struct arena *a = arena_new();
        int n = 1 + t % MOST;
        double A[MOST * MOST] = {0};
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                switch (t % 5) {
                case 0:
                    A[i * n + j] = floor(multi_random(&seed, -2, 2));
                    break;
                case 1:
                    A[i * n + j] = j == (i + 1) % n;
                    break;
                case 2:
                    A[i * n + j] = j == i + 1 || i == n - 1;
                    break;
                case 3:
                    A[i * n + j] = j > i ? 1.0 : 0.0;
                    break;
                default:
                    A[i * n + j] = multi_random(&seed, -1, 1) *
                                   pow(10.0, floor(multi_random(&seed, -9, 9)));
                }
        struct eigen e;
        assert_int_equal(eigen_solve(a, n, A, &e), 0);
        sound(n, A, &e);
        double trace = 0.0, sum = 0.0, room = 0.0;
        for (int i = 0; i < n; i++) {
            trace += A[i * (n + 1)];
            sum += e.re[i];
            room += e.error[i];
        }
        assert_true(fabs(trace - sum) <= room + 1e-13 * norm_of(n, A));
        arena_free(a);
    }
}

static void
gsl(int n, const double *A, double *re, double *im)
{
    gsl_matrix *M = gsl_matrix_alloc((size_t)n, (size_t)n);
    gsl_vector_complex *z = gsl_vector_complex_alloc((size_t)n);
    gsl_eigen_nonsymm_workspace *w = gsl_eigen_nonsymm_alloc((size_t)n);
    for (int i = 0; i < n * n; i++)
        gsl_matrix_set(M, (size_t)(i / n), (size_t)(i % n), A[i]);
    assert_int_equal(gsl_eigen_nonsymm(M, z, w), 0);
    for (int i = 0; i < n; i++) {
        gsl_complex g = gsl_vector_complex_get(z, (size_t)i);
        re[i] = GSL_REAL(g);
        im[i] = GSL_IMAG(g);
    }
    gsl_eigen_nonsymm_free(w);
    gsl_vector_complex_free(z);
    gsl_matrix_free(M);
}

/* The map of velocities of all m contacts from impact to impact, k-th neighbour
 * next: U relabelled. Its eigenvalues beside those of the three dimensions that
 * the gaps move in are roots of unity, 1 among them, of the relabelling alone.
 * And of whole orders, not relabelled: then 1 is many times one. */
static void
feet(void **state)
{
    (void)state;
    uint64_t seed = 23;
    for (int t = 0; t < 6000; t++) {
        struct arena *a = arena_new();
        int m = 2 + t % 7;
        double rho = multi_random(&seed, .02, 1.2),
               e = multi_random(&seed, 0.0, 1.0), q = rho * rho;
        double A[MOST * MOST], B[MOST * MOST], re[MOST], im[MOST];
        int steps = t % 3 ? 1 + (int)multi_random(&seed, 0, 12) : 1, last = 0,
            k = 1 + (int)multi_random(&seed, 0, m - 1);
        for (int i = 0; i < m * m; i++)
            A[i] = i % (m + 1) == 0;
        for (int s = 0; s < steps; s++) {
            /* A := U_last A */
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++) {
                    double b = 2.0 * pi * (i - last) / m;
                    double w = m == 2 ? (i == last ? 1.0 : (q - 1) / (q + 1))
                                      : (cos(b) + q) / (1.0 + q);
                    B[i * m + j] =
                        A[i * m + j] - (1.0 + e) * w * A[last * m + j];
                }
            memcpy(A, B, sizeof A);
            last = (last + 1 + (int)multi_random(&seed, 0, m - 1)) % m;
        }
        for (int i = 0; i < m && t % 3 == 0; i++) /* relabelled by k */
            for (int j = 0; j < m; j++)
                B[i * m + j] = A[(i + k) % m * m + j];
        struct eigen ei;
        assert_int_equal(eigen_solve(a, m, B, &ei), 0);
        sound(m, B, &ei);
        gsl(m, B, re, im);
        assert_true(distance(&ei, re, im) <= 2.0);
        if (t % 3)
            assert_true(vectors_of(&ei, 1.0, 0.0) >= m - 3);
        arena_free(a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiple), cmocka_unit_test(defective),
        cmocka_unit_test(circles),  cmocka_unit_test(awkward),
        cmocka_unit_test(feet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
