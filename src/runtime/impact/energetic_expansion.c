/* SPDX-License-Identifier: MIT */
/* The expansion phase of the energetic law at several contacts. Stronge (1990)
 * asks of one contact that the work of expansion be -e^2 times the work of
 * compression. At several contacts we ask it of each, with both phases along a
 * straight line in the space of impulses: after compression by Pc the velocity
 * is G s x at the share s of expansion, so contact i does the work
 * x_i (G x)_i/2, and
 *     x_i (G x)_i = b_i,    b_i = e_i^2 Pc_i (-v0_i) >= 0.
 * This scaling of a positive semidefinite matrix has the solution that
 * minimises x.G x/2 - sum b_i ln x_i   over x >= 0, a convex function: x_i is
 * unique where b_i > 0, and G x is (Marshall & Olkin 1968). Equal e: x = e Pc,
 * as the other laws have it. Each contact gives back at most what it took, so
 * energy never grows for e <= 1.
 *
 * Method: primal-dual interior points, s = G x, x_i s_i = max(b_i, mu), mu to
 * zero; then Newton on the equations themselves.
 *
 * Letters: n contacts; G, b, x, s as above, g and c the scaled G and b; A the
 * matrix of Newton's equations, d the step of x, y = G x or the step of s. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/dense.h"

#define STEPS 400

size_t
impact_energetic_room(int n)
{
    assert(n >= 0);
    size_t k = (size_t)n;
    return 3 * k * k + 10 * k;
}

/* Solves A x = b in place for a definite matrix A (n x n, lower triangle).
 * Returns 1 where A is singular. */
static int
solve(int n, double *A, double *rd, double *b)
{
    int first[IMPACT_CONTACTS_MAX] = {0}, rank;
    dense_cholesky(n, A, n, first, NULL, n * DBL_EPSILON, rd, &rank);
    dense_forward(n, A, n, first, rd, 0, b);
    dense_backward(n, A, n, first, rd, b);
    return rank < n;
}

static void
times(int n, const double *G, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = dense_dot(n, G + i * n, x);
}

/* Improves x by Newton's method on x_i (G x)_i = b_i (b_i > 0), (G x)_i = 0
 * (free), x_i = 0 (active), which is symmetric after division by x_i. */
static void
polish(int n, const double *G, const double *b, const int *active, double *x,
       double *A, double *rd, double *d, double *y)
{
    for (int round = 0; round < 3; round++) {
        times(n, G, x, y);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++)
                A[i * n + j] = active[i] || active[j] ? i == j : G[i * n + j];
            d[i] = active[i] ? -x[i] : -y[i];
            if (!active[i] && b[i] > 0) {
                A[i * n + i] += b[i] / x[i] / x[i];
                d[i] += b[i] / x[i];
            }
        }
        if (solve(n, A, rd, d))
            return;
        for (int i = 0; i < n; i++)
            if (!(x[i] + d[i] >= (b[i] > 0 ? x[i] / 2 : -1e-9 * fabs(x[i]))))
                return;
        for (int i = 0; i < n; i++)
            x[i] = fmax(0, x[i] + d[i]);
    }
}

int
impact_energetic_expand(int n, const double *G, const double *b, double *x,
                        double *room)
{
    assert(n > 0 && n <= IMPACT_CONTACTS_MAX);
    double *g = room, *A = g + n * n, *s = A + n * n, *d = s + n, *y = d + n,
           *rd = y + n, *scale = rd + n, *c = scale + n, big = 0, most = 0;
    int active[IMPACT_CONTACTS_MAX];
    memset(x, 0, sizeof *x * (size_t)n);
    for (int i = 0; i < n; i++)
        big = fmax(big, b[i]);
    if (!(big > 0))
        return 0;
    /* unit diagonal, b at most 1: x_i of size 1 */
    for (int i = 0; i < n; i++)
        most = fmax(most, G[i * n + i]);
    for (int i = 0; i < n; i++) {
        double q = G[i * n + i];
        scale[i] = q > 1e-14 * most ? 1 / sqrt(q) : 1 / sqrt(most);
    }
    for (int i = 0; i < n; i++) {
        c[i] = b[i] / big;
        x[i] = 1;
        for (int j = 0; j < n; j++)
            g[i * n + j] = G[i * n + j] * scale[i] * scale[j];
        /* This bounds x where impulses move nothing and b is 0. */
        g[i * n + i] += 1e-14;
    }
    times(n, g, x, y);
    for (int i = 0; i < n; i++)
        s[i] = fmax(0.1, y[i]);
    double mu = 1;
    int steps = 0;
    for (; steps < STEPS; steps++) {
        double off = 0, gap = 0;
        times(n, g, x, y);
        for (int i = 0; i < n; i++) {
            double aim = fmax(c[i], mu);
            off = fmax(off, fabs(x[i] * s[i] - aim) / aim);
            gap = fmax(gap, fabs(s[i] - y[i]));
        }
        if (off < 0.1 && gap < 1e-8 + mu) {
            if (mu < 1e-26 && off < 1e-12)
                break;
            if (mu >= 1e-26)
                mu *= 0.1;
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++)
                A[i * n + j] = g[i * n + j];
            A[i * n + i] += s[i] / x[i];
            d[i] = fmax(c[i], mu) / x[i] - y[i];
        }
        solve(n, A, rd, d);
        double step = 1;
        for (int i = 0; i < n; i++) {
            double ds = fmax(c[i], mu) / x[i] - s[i] - s[i] / x[i] * d[i];
            if (d[i] < 0)
                step = fmin(step, -0.95 * x[i] / d[i]);
            if (ds < 0)
                step = fmin(step, -0.95 * s[i] / ds);
            y[i] = ds;
        }
        for (int i = 0; i < n; i++) {
            x[i] += step * d[i];
            s[i] += step * y[i];
        }
    }
    for (int i = 0; i < n; i++)
        active[i] = !(c[i] > 0) && x[i] < s[i];
    polish(n, g, c, active, x, A, rd, d, y);
    for (int i = 0; i < n; i++)
        x[i] *= scale[i] * sqrt(big);
    return steps == STEPS;
}
