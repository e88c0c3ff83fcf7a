/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small dense algebra against GSL, and ranks of matrices of known rank. */
#include <gsl/gsl_linalg.h>

#include "base/arena.h"
#include "impact_help.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/lcp.h"

#define N 12

static double
gauss(uint64_t *s)
{
    return multi_random(s, -1, 1) + multi_random(s, -1, 1);
}

/* column-major m x n of rank k, entries about 1 */
static void
of_rank(uint64_t *s, int m, int n, int k, double *a)
{
    double l[N * N], r[N * N];
    for (int i = 0; i < N * N; i++) {
        l[i] = gauss(s);
        r[i] = gauss(s);
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            a[j * m + i] = 0;
            for (int q = 0; q < k; q++)
                a[j * m + i] += l[i * N + q] * r[j * N + q];
        }
}

/* The shortest least squares by QR are those by singular values, of any rank;
 * a rank that is not clear is refused. */
static void
least_squares(void **state)
{
    (void)state;
    uint64_t s = 11;
    double room[1000];
    assert_true(least_square_room(N, N) <= sizeof room / sizeof *room);
    for (int t = 0; t < 500; t++) {
        int n = 1 + t % N, k = 1 + (t * 5) % n, rank = 0;
        double a[N * N], u[N * N], v[N * N], sv[N], b[N], x[N], y[N],
            work[2 * N];
        of_rank(&s, n, n, k, a);
        memcpy(u, a, sizeof u);
        assert_true(dense_svd(n, n, u, v, sv) > 0);
        while (rank < n && sv[rank] > 1e-11 * sv[0])
            rank++;
        assert_int_equal(rank, k);
        if (sv[k - 1] < 1e-3 * sv[0])
            continue;
        struct least_square of;
        assert_true(
            least_square_factor(n, n, a, least_square_rounding(n), &of, room));
        assert_int_equal(of.rank, k);
        for (int i = 0; i < n; i++)
            b[i] = gauss(&s);
        least_square_solve(&of, b, x, work);
        dense_svd_solve(n, n, u, v, sv, rank, b, y, work);
        double size = 0;
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(y[i]));
        for (int i = 0; i < n; i++)
            CLOSE(x[i], y[i], 1e-9 * size);
        /* the transposed problem, for what is a multiple of the rows */
        double rows[N], turned[2][N];
        for (int j = 0; j < n; j++)
            rows[j] = dense_dot(n, a + j * n, x);
        least_square_solve_turned(&of, rows, turned[0]);
        dense_svd_solve_turned(n, n, u, v, sv, rank, rows, turned[1]);
        for (int j = 0; j < n; j++)
            for (int way = 0; way < 2; way++) {
                CLOSE(dense_dot(n, a + j * n, turned[way]), rows[j],
                      1e-9 * size * sv[0]);
                CLOSE(turned[way][j], turned[0][j], 1e-9 * size);
            }
        /* what is no multiple of the rows: its nearest one, and the rest is
         * what the matrix takes to 0 */
        double near[N], null[N];
        memcpy(near, b, sizeof near);
        least_square_project(&of, near, work);
        least_square_solve_turned(&of, near, turned[0]);
        for (int j = 0; j < n; j++)
            CLOSE(dense_dot(n, a + j * n, turned[0]), near[j], 1e-9);
        for (int i = 0; i < n; i++) {
            double left = 0;
            for (int j = 0; j < n; j++)
                left += a[j * n + i] * (b[j] - near[j]);
            CLOSE(left, 0, 1e-9 * sv[0]);
        }
        for (int d = 0; d < n - k; d++) {
            least_square_null(&of, d, null);
            for (int i = 0; i < n; i++) {
                double left = 0, terms = 0;
                for (int j = 0; j < n; j++) {
                    left += a[j * n + i] * null[j];
                    terms += fabs(a[j * n + i] * null[j]);
                }
                CLOSE(left, 0, 1e-11 * terms);
            }
        }
        if (2 * k > n)
            continue;
        /* a column that differs from another one by 1e-9 of itself, off
         * what the others span */
        int least = 0;
        double norm = sqrt(dense_dot(n, a, a));
        for (int i = 0; i < n; i++) {
            least = fabs(a[i]) < fabs(a[least]) ? i : least;
            a[n + i] = a[i];
        }
        a[n + least] += 1e-9 * norm;
        assert_false(
            least_square_factor(n, n, a, least_square_rounding(n), &of, room));
    }
}

static void
svd(void **state)
{
    (void)state;
    uint64_t s = 1;
    for (int t = 0; t < 500; t++) {
        int n = 1 + t % N, m = 1 + (t * 7) % N, k = (n < m ? n : m);
        if (t % 3 == 0 && k > 1)
            k--;
        double a[N * N], u[N * N], v[N * N], sv[N];
        of_rank(&s, m, n, k, a);
        memcpy(u, a, sizeof u);
        assert_true(dense_svd(m, n, u, v, sv) > 0);
        /* A V = U S, V orthogonal */
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                double x = 0;
                for (int q = 0; q < n; q++)
                    x += a[q * m + i] * v[j * n + q];
                CLOSE(x, u[j * m + i], 1e-13 * (1 + sv[0]));
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                CLOSE(dense_dot(n, v + i * n, v + j * n), i == j, 1e-14);
        /* singular values as GSL has them (m >= n there) */
        int M = m > n ? m : n, rank = 0;
        gsl_matrix *A = gsl_matrix_calloc((size_t)M, (size_t)n),
                   *V = gsl_matrix_alloc((size_t)n, (size_t)n);
        gsl_vector *S = gsl_vector_alloc((size_t)n);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                gsl_matrix_set(A, (size_t)i, (size_t)j, a[j * m + i]);
        gsl_linalg_SV_decomp_jacobi(A, V, S);
        for (int i = 0; i < n; i++)
            CLOSE(sv[i], gsl_vector_get(S, (size_t)i), 1e-13 * (1 + sv[0]));
        gsl_matrix_free(A);
        gsl_matrix_free(V);
        gsl_vector_free(S);
        while (rank < n && sv[rank] > dense_tolerance(m, n) * sv[0])
            rank++;
        assert_int_equal(rank, k);
        /* QR with pivoting finds the same rank */
        double tau[N], norm[2 * N];
        int perm[N];
        assert_int_equal(
            dense_qr(m, n, a, tau, perm, norm, dense_tolerance(m, n)), k);
    }
}

/* columns of very different size keep their digits */
static void
graded(void **state)
{
    (void)state;
    double a[4] = {1, 1e-8, 1e-12, -1e-12}, v[4], s[2];
    /* columns (1, 1e-8), (1e-12, -1e-12); the product is |det| */
    dense_svd(2, 2, a, v, s);
    CLOSE(s[1] / (1e-12 * (1 + 1e-8) / s[0]), 1, 1e-14);
}

static void
cholesky(void **state)
{
    (void)state;
    uint64_t s = 2;
    for (int t = 0; t < 500; t++) {
        int n = 1 + t % N, rank, first[N] = {0};
        double b[N * N], a[N * N], l[N * N], rd[N], x[N], y[N];
        int k = t % 4 == 0 && n > 1 ? n - 1 : n;
        of_rank(&s, N, n, k, b);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i * n + j] = dense_dot(N, b + i * N, b + j * N);
        memcpy(l, a, sizeof l);
        double worst = dense_cholesky(n, l, n, first, NULL,
                                      dense_tolerance(N, n), rd, &rank);
        /* a Gram matrix knows small angles to half the digits only: a
         * singular one is told by the ratio, not by the count */
        if (k < n) {
            assert_true(rank == k || worst < 1e-10);
            continue;
        }
        assert_int_equal(rank, n);
        for (int i = 0; i < n; i++)
            y[i] = gauss(&s);
        memcpy(x, y, sizeof x);
        dense_forward(n, l, n, first, rd, 0, x);
        dense_backward(n, l, n, first, rd, x);
        for (int i = 0; i < n; i++) {
            double r = -y[i], size = fabs(y[i]);
            for (int j = 0; j < n; j++) {
                r += a[i * n + j] * x[j];
                size += fabs(a[i * n + j] * x[j]);
            }
            CLOSE(r, 0, 1e-13 * size);
        }
        assert_true(worst > 0 && worst <= 1);
    }
}

/* w = G z + q >= 0, z >= 0, z.w = 0; singular G too */
static void
complementarity(void **state)
{
    (void)state;
    uint64_t s = 3;
    static double room[4096];
    for (int t = 0; t < 3000; t++) {
        int n = 1 + t % 8, k = t % 3 ? n : 1 + n / 2;
        double b[N * N], G[N * N], q[N], z[N];
        of_rank(&s, N, n, k, b);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                G[i * n + j] = dense_dot(N, b + i * N, b + j * N);
        /* a right-hand side in the range: a solution exists */
        double x[N];
        for (int i = 0; i < N; i++)
            x[i] = gauss(&s);
        for (int i = 0; i < n; i++)
            q[i] = dense_dot(N, b + i * N, x);
        int st = lcp_solve(n, G, q, z, room);
        if (st & 1)
            fail_msg("%d: st %d n %d k %d", t, st, n, k);
        for (int i = 0; i < n; i++) {
            double w = q[i], size = fabs(q[i]);
            for (int j = 0; j < n; j++) {
                w += G[i * n + j] * z[j];
                size += fabs(G[i * n + j] * z[j]);
            }
            assert_true(z[i] >= 0);
            assert_true(w >= -1e-9 * (1 + size));
            CLOSE(z[i] * w, 0, 1e-8 * (1 + size) * (1 + z[i]));
        }
    }
}

/* Equal discs in a triangular lattice between walls, hit by random speeds: more
 * contacts than motions. Impulses are many, motions one, whatever the order of
 * the contacts; what cannot be solved is said to be so. */
static void
lattice(void **state)
{
    (void)state;
    enum { WIDE = 10, HIGH = 8, WAYS = 2 * WIDE * HIGH, MOST = 4 * WAYS };
    static double rows[MOST * WAYS], G[MOST * MOST], q[MOST], z[MOST];
    static double rates[2][MOST];
    uint64_t s = 8;
    double *room = malloc(lcp_room(MOST) * sizeof *room), v[WAYS];
    assert_non_null(room);
    for (int t = 0; t < 4; t++) {
        int n = 0;
        memset(rows, 0, sizeof rows);
        for (int i = 0; i < WAYS; i++)
            v[i] = gauss(&s) - (i & 1);
        for (int disc = 0; disc < WIDE * HIGH; disc++) {
            int y = disc / WIDE, x = disc % WIDE, odd = y & 1;
            /* to the left, and down on both sides; walls and floor */
            double way[3][2] = {{1, 0}, {0.5, sqrt(0.75)}, {-0.5, sqrt(0.75)}};
            int at[3] = {x, x + odd - 1, x + odd};
            for (int k = 0; k < 3; k++) {
                double *row = rows + n * WAYS;
                bool in = k ? at[k] >= 0 && at[k] < WIDE : x > 0;
                if (k && y == 0 && k == 1)
                    row[2 * disc + 1] = 1;
                else if (k == 0 && (x == 0 || x == WIDE - 1) && !in)
                    row[2 * disc] = 1;
                else if (!in || (k && y == 0))
                    continue;
                else
                    for (int c = 0; c < 2; c++) {
                        int other = k ? disc - WIDE + odd - (k == 1) : disc - 1;
                        row[2 * disc + c] = way[k][c];
                        row[2 * other + c] = -way[k][c];
                    }
                n++;
            }
            if (x == WIDE - 1)
                rows[n++ * WAYS + 2 * disc] = -1;
        }
        assert_true(n > WAYS);
        for (int turn = 0; turn < 2; turn++) {
            for (int i = 0; i < n; i++) {
                const double *a = rows + (turn ? n - 1 - i : i) * WAYS;
                q[i] = dense_dot(WAYS, a, v);
                for (int j = 0; j < n; j++)
                    G[i * n + j] = dense_dot(
                        WAYS, a, rows + (turn ? n - 1 - j : j) * WAYS);
            }
            assert_int_equal(turn ? lcp_solve(n, G, q, z, room)
                                  : lcp_solve_any(n, G, q, z, room),
                             turn ? 2 : 4);
            for (int i = 0; i < n; i++) {
                double w = q[i] + dense_dot(n, G + i * n, z);
                rates[turn][turn ? n - 1 - i : i] = w;
                assert_true(z[i] >= 0 && w >= -1e-12);
                CLOSE(z[i] * w, 0, 1e-12);
            }
        }
        for (int i = 0; i < n; i++)
            CLOSE(rates[0][i], rates[1][i], 1e-12);
        memset(G, 0, sizeof *G * (size_t)(2 * n + 2));
        q[1] = -1;
        for (int i = 0; i < n; i++)
            G[i * n] = G[i * n + 1] = 0;
        assert_int_equal(lcp_solve_any(n, G, q, z, room), 1);
    }
    free(room);
}

/* Stacked plates fall together, and the lowest meets the floor: all points but
 * those of the floor have no acceleration but rounding. Many points depend on
 * each other. */
static void
stacked_plates(void **state)
{
    (void)state;
    enum { PLATES = 6, MOST = 4, ROWS = PLATES * MOST, WAYS = 3 * PLATES };
    uint64_t s = 4;
    static double rows[ROWS * WAYS], G[ROWS * ROWS], q[ROWS], z[ROWS];
    static double room[16384];
    assert_true(lcp_room(ROWS) <= sizeof room / sizeof *room);
    for (int t = 0; t < 3000; t++) {
        int n = 0, plates = 2 + t % (PLATES - 1);
        memset(rows, 0, sizeof rows);
        for (int plate = 0; plate < plates; plate++) {
            int most = plate ? 1 + (int)multi_random(&s, 0, MOST) : MOST;
            double shift[2] = {multi_random(&s, 0, 0.3),
                               multi_random(&s, 0, 0.3)};
            for (int point = 0; point < most; point++, n++) {
                double x = point & 1 ? 0.5 : -0.5, y = point & 2 ? 0.5 : -0.5;
                for (int e = plate ? -1 : 0; e < 1; e++) {
                    double *row = rows + n * WAYS + 3 * (plate + e);
                    double sign = e ? -1 : 1, over = plate && !e ? 1 : 0;
                    row[0] = sign;
                    row[1] = sign * (x + over * shift[0]) * sqrt(12);
                    row[2] = sign * (y + over * shift[1]) * sqrt(12);
                }
                q[n] =
                    plate ? pow(10, -(double)(10 + t % 11)) * gauss(&s) : -9.81;
            }
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                G[i * n + j] =
                    dense_dot(WAYS, rows + i * WAYS, rows + j * WAYS);
        int st = lcp_solve(n, G, q, z, room);
        assert_true(st == 0 || st == 2);
        double weight = 0;
        for (int i = 0; i < n; i++) {
            double w = q[i] + dense_dot(n, G + i * n, z);
            assert_true(z[i] >= 0);
            assert_true(w >= -1e-7 && z[i] * w <= 1e-6);
            weight += i < MOST ? z[i] : 0;
        }
        assert_true(weight > 9.81);
    }
}

/* What is solved without singular values is what these find: the rank, and the
 * least solution. Most matrices of contacts are of this kind, whatever rank
 * they have. A singular value that comes near the share is never decided. */
static void
semidefinite(void **state)
{
    (void)state;
    uint64_t s = 6;
    const double share = 1e-11;
    static double room[1024];
    int decided = 0, runs = 3000;
    assert_true(semidefinite_room(N) <= sizeof room / sizeof *room);
    for (int t = 0; t < runs; t++) {
        int n = 1 + t % N, k = 1 + (t * 5) % n, rank = 0;
        double ways[N * N], scale[N], G[N * N], U[N * N], V[N * N], sv[N];
        double b[N], x[N], want[N], work[3 * N];
        struct semidefinite factors;
        for (int i = 0; i < N * N; i++)
            ways[i] = gauss(&s);
        for (int i = 0; i < N; i++)
            scale[i] = pow(10, t % 2 ? multi_random(&s, -6, 0)
                                     : multi_random(&s, -1, 0));
        for (int i = 0; i < n; i++) {
            b[i] = 0;
            for (int j = 0; j < n; j++) {
                G[i * n + j] = 0;
                for (int q = 0; q < k; q++)
                    G[i * n + j] +=
                        ways[i * N + q] * ways[j * N + q] * scale[q] * scale[q];
            }
        }
        for (int i = 0; i < n; i++) /* what some forces do */
            for (int j = 0; j < n; j++)
                b[i] += G[i * n + j] * scale[j] * (j % 3 - 1.5);
        if (!semidefinite_factor(n, G, share, &factors, room))
            continue;
        decided++;
        memcpy(U, G, sizeof U);
        assert_true(dense_svd(n, n, U, V, sv) > 0);
        while (rank < n && sv[rank] > share * sv[0])
            rank++;
        assert_int_equal(factors.rank, rank);
        dense_svd_solve(n, n, U, V, sv, rank, b, want, work);
        semidefinite_solve(&factors, b, x, work);
        double size = 0;
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(want[i]));
        for (int i = 0; i < n; i++)
            CLOSE(x[i], want[i], 1e-12 * sv[0] / sv[rank - 1] * size);
    }
    assert_true(decided > runs / 2);
}

/* What the vectors v (rows of N, but not row `out`) leave of the vector e: its
 * square. Vectors of which nothing is left beside others count once. *least:
 * the least share of a square that was left of one, of those that count. */
static double
left_beside(int n, const double *v, int out, const double *e, int *kept)
{
    double base[N * N], rest[N], square = 0;
    int rank = 0;
    for (int i = 0; i <= n; i++) {
        if (i == out)
            continue;
        memcpy(rest, i < n ? v + i * N : e, sizeof rest);
        double whole = dense_dot(N, rest, rest);
        for (int twice = 0; twice < 2; twice++)
            for (int k = 0; k < rank; k++)
                dense_add(N, -dense_dot(N, rest, base + k * N), base + k * N,
                          rest);
        square = dense_dot(N, rest, rest);
        if (!(square > 1e-20 * whole))
            square = 0;
        for (int j = 0; j < N && i < n && square > 0; j++)
            base[rank * N + j] = rest[j] / sqrt(square);
        rank += i < n && square > 0;
    }
    *kept = rank;
    return square;
}

/* Pivots tell what rows leave of another one, and which rows are given by none
 * of the others, where one nearly depends on another one, by a sine of 1e-3. */
static void
pivots(void **state)
{
    (void)state;
    uint64_t s = 9;
    static double room[1024];
    int asked = 0, alone = 0, dependent = 0;
    for (int t = 0; t < 3000; t++) {
        int n = 2 + t % (N - 2), k = 1 + (t / 3) % n;
        double v[N * N] = {0}, e[N] = {0}, G[N * N], b[N], work[2 * N];
        struct semidefinite factors;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < k; j++)
                v[i * N + j] =
                    i == 2 ? v[(i - 1) * N + j] + 1e-3 * gauss(&s) : gauss(&s);
        for (int j = 0; j < (t % 2 ? k : N); j++)
            e[j] = gauss(&s);
        for (int i = 0; i < n; i++) {
            b[i] = dense_dot(N, v + i * N, e);
            for (int j = 0; j < n; j++)
                G[i * n + j] = dense_dot(N, v + i * N, v + j * N);
        }
        semidefinite_pivots(n, G, 1e-11, &factors, room);
        int rank;
        double own = dense_dot(N, e, e),
               want = left_beside(n, v, n + 1, e, &rank);
        if (factors.rank != rank)
            continue; /* near the share at which pivots end */
        asked++;
        /* what rounding is of the least pivot */
        int last = factors.pivot[rank - 1];
        double noise = DBL_EPSILON * G[factors.pivot[0] * (n + 1)] /
                       pow(factors.L[last * n + rank - 1], 2);
        CLOSE(semidefinite_left(&factors, b, own, work), want,
              100 * noise * own);
        for (int i = 0; i < n; i++) {
            double left, whole = G[i * (n + 1)],
                         share = semidefinite_beside(&factors, i, &left, work),
                         truth = left_beside(n, v, i, v + i * N, &rank);
            bool says = share <= 1e-7 && left > 1e-10 * whole;
            assert_true(says || !(truth > 1e-3 * whole));
            assert_true(!says || truth > 1e-11 * whole);
            alone += says;
            dependent += truth == 0;
        }
    }
    assert_true(asked > 2500 && alone > 3000 && dependent > 3000);
}

/* Two rows act against each other and ask for more than both can have, beside
 * rows that have nothing to do with it, of which some stand twice: no impulses
 * exist, however far one goes. */
static void
contradictions(void **state)
{
    (void)state;
    enum { ROWS = 6, WAYS = 6 };
    uint64_t s = 5;
    static double room[2048];
    assert_true(lcp_room(ROWS) <= sizeof room / sizeof *room);
    for (int t = 0; t < 20000; t++) {
        double rows[ROWS * WAYS], G[ROWS * ROWS], q[ROWS], z[ROWS];
        int n = 3 + t % (ROWS - 2);
        double against = pow(10, multi_random(&s, -1, 1));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < WAYS; j++)
                rows[i * WAYS + j] = i == 1  ? -against * rows[j]
                                     : i > 3 ? rows[(i - 2) * WAYS + j]
                                             : gauss(&s);
        for (int i = 0; i < n; i++)
            q[i] = i > 3 ? q[i - 2] : gauss(&s);
        q[1] = -against * q[0] - against * multi_random(&s, 0.05, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                G[i * n + j] =
                    dense_dot(WAYS, rows + i * WAYS, rows + j * WAYS);
        assert_int_equal(lcp_solve(n, G, q, z, room), 1);
    }
}

/* Points of faces, three to five on each, of which more than three depend on
 * each other. Returns how many there are. */
static int
faces(uint64_t *s, double *G, double *q)
{
    double rows[N * N] = {0};
    int n = 0, bodies = 1 + (int)multi_random(s, 0, 3);
    for (int body = 0; body < bodies; body++)
        for (int points = 3 + (int)multi_random(s, 0, 3); points > 0 && n < N;
             points--, n++) {
            double *row = rows + n * N + 3 * body;
            row[0] = 1;
            row[1] = multi_random(s, -1, 1);
            row[2] = multi_random(s, -1, 1);
            if (body > 0) {
                row[-3] = -1;
                row[-2] = multi_random(s, -1, 1);
            }
        }
    double rates[N];
    for (int i = 0; i < N; i++)
        rates[i] = i % 3 ? 0.3 * gauss(s) : -1 + 0.5 * gauss(s);
    for (int i = 0; i < n; i++) {
        q[i] = dense_dot(N, rows + i * N, rates);
        for (int j = 0; j < n; j++)
            G[i * n + j] = dense_dot(N, rows + i * N, rows + j * N);
    }
    return n;
}

/* Rows that depend on each other leave G z + q as Lemke's method finds it. */
static void
dependent_rows(void **state)
{
    (void)state;
    uint64_t s = 7;
    static double room[4096];
    int several = 0;
    for (int t = 0; t < 3000; t++) {
        double G[N * N], q[N], z[N], other[N];
        int n = faces(&s, G, q), st = lcp_solve(n, G, q, z, room);
        if (st & 1 || lcp_lemke(n, G, q, other, room))
            continue;
        several += st == 2;
        for (int i = 0; i < n; i++)
            CLOSE(dense_dot(n, G + i * n, z), dense_dot(n, G + i * n, other),
                  1e-9);
    }
    assert_true(several > 500);
}

/* A question that is asked again has the same answer to the last bit, and one
 * that differs from it by one bit has its own. */
static void
asked_again(void **state)
{
    (void)state;
    enum { QUESTIONS = 40 };
    uint64_t s = 8;
    static double room[4096], G[QUESTIONS][N * N], q[QUESTIONS][N];
    struct arena *arena = arena_new();
    struct lcp_memory *memory = lcp_memory_new(arena, N);
    int n[QUESTIONS];
    for (int i = 0; i < QUESTIONS; i++) {
        n[i] = i ? n[i - 1] : faces(&s, G[i], q[i]);
        if (i % 3 == 0)
            n[i] = faces(&s, G[i], q[i]);
        else {
            memcpy(G[i], G[i - 1], sizeof G[i]);
            memcpy(q[i], q[i - 1], sizeof q[i]);
            double *changes = i % 3 == 1 ? &q[i][n[i] - 1] : &G[i][0];
            *changes = nextafter(*changes, 10);
        }
    }
    for (int t = 0; t < 5000; t++) {
        int i = (int)multi_random(&s, 0, t % 2 ? QUESTIONS : QUESTIONS / 4);
        double z[N], want[N];
        int st = lcp_solve(n[i], G[i], q[i], want, room);
        assert_int_equal(lcp_solve_again(memory, n[i], G[i], q[i], z, room),
                         st);
        assert_memory_equal(z, want, sizeof *z * (size_t)n[i]);
    }
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asked_again),    cmocka_unit_test(dependent_rows),
        cmocka_unit_test(contradictions), cmocka_unit_test(semidefinite),
        cmocka_unit_test(stacked_plates), cmocka_unit_test(svd),
        cmocka_unit_test(least_squares),  cmocka_unit_test(graded),
        cmocka_unit_test(cholesky),       cmocka_unit_test(complementarity),
        cmocka_unit_test(lattice),        cmocka_unit_test(pivots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
