/* SPDX-License-Identifier: MIT */
/* Complementarity by sets of rows (lcp_sets.h): by exchanges where rows hardly
 * depend on each other, else from an interior point. Rows of heaps are sparse,
 * and factors keep their envelope.
 *
 * Letters: g z + p = w with n rows, as in lcp.c. */
#include "runtime/numerics/lcp_sets.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/numerics/dense.h"

/* -- the order of rows --------------------------------------------------------
 */

/* Walks from row to row that is joined to it, and writes them from order[from]
 * on; at[i] becomes true. Returns where it ends. */
static int
walk(int n, const double *G, int start, int from, int *order, bool *at)
{
    int end = from;
    order[end++] = start;
    at[start] = true;
    for (int next = from; next < end; next++)
        for (int j = 0; j < n; j++)
            if (!at[j] && G[order[next] * n + j] != 0.0) {
                at[j] = true;
                order[end++] = j;
            }
    return end;
}

void
lcp_order(int n, const double *G, int *order, bool *at)
{
    assert(n >= 0 && order != NULL && at != NULL);
    memset(at, 0, (size_t)n * sizeof *at);
    for (int i = 0, from = 0; i < n; i++) {
        if (at[i])
            continue;
        /* the second walk begins at an end of them */
        int end = walk(n, G, i, from, order, at), last = order[end - 1];
        for (int k = from; k < end; k++)
            at[order[k]] = false;
        from = walk(n, G, last, from, order, at);
    }
}

/* -- by principal pivots ----------------------------------------------------
 */

/* Most sets that are tried, and of these the most in a row of which none has
 * fewer rows with a wrong sign than any before. */
#define SETS_TRIED 40
#define SETS_NO_BETTER 4

struct pivots {
    int n, n_set, *set, *first; /* n */
    const double *g, *p;
    double *z, *slack;             /* n */
    double *a, *size, *reciprocal; /* n x n, n, n */
    bool dependent;                /* rows of the last set depend on others */
};

/* Solves the rows of the set for z, and finds w of the others. Rows that depend
 * on those before get z = 0, and count as solved. */
static void
solve_set(struct pivots *pivots, const int *in)
{
    int n = pivots->n, m = 0, rank;
    for (int i = 0; i < n; i++)
        if (in[i])
            pivots->set[m++] = i;
    for (int i = 0; i < m; i++) {
        const double *g = pivots->g + pivots->set[i] * n;
        int first = i;
        pivots->size[i] = g[pivots->set[i]];
        pivots->slack[i] = -pivots->p[pivots->set[i]];
        for (int j = i; j >= 0; j--) {
            double entry = g[pivots->set[j]];
            pivots->a[i * m + j] = entry;
            first = entry != 0.0 ? j : first;
        }
        /* most bodies of a heap do not touch */
        pivots->first[i] = n > LCP_ROWS_MANY ? first : 0;
    }
    dense_cholesky(m, pivots->a, m, pivots->first, pivots->size, LCP_PIVOT_ZERO,
                   pivots->reciprocal, &rank);
    pivots->dependent = rank < m;
    dense_forward(m, pivots->a, m, pivots->first, pivots->reciprocal, 0,
                  pivots->slack);
    dense_backward(m, pivots->a, m, pivots->first, pivots->reciprocal,
                   pivots->slack);
    memset(pivots->z, 0, sizeof *pivots->z * (size_t)n);
    for (int i = 0; i < m; i++)
        pivots->z[pivots->set[i]] = pivots->slack[i];
    for (int i = 0; i < n; i++)
        pivots->slack[i] =
            in[i] ? 0.0
                  : pivots->p[i] + dense_dot(n, pivots->g + i * n, pivots->z);
}

/* Exchanges all rows with a wrong sign at once while that helps, else the last
 * of them alone (Judice & Pires 1994; the latter by itself comes to an end,
 * Murty 1974). Takes a few factors of the set, where Lemke's method pivots the
 * whole tableau for each row. */
bool
lcp_exchange_sets(int n, const double *g, const double *p, double size,
                  double *z, int *in, double *room, bool *dependent)
{
    assert(n >= 0 && in != NULL && dependent != NULL);
    struct pivots pivots = {.n = n, .g = g, .p = p, .z = z, .a = room};
    pivots.slack = room + n * n;
    pivots.size = pivots.slack + n;
    pivots.reciprocal = pivots.size + n;
    pivots.set = (int *)(pivots.reciprocal + n);
    pivots.first = pivots.set + n;
    int fewest = n + 1, worse = 0;
    for (int k = 0; k < SETS_TRIED; k++) {
        int wrong = 0, last = -1;
        solve_set(&pivots, in);
        for (int i = 0; i < n; i++)
            if ((in[i] ? z[i] : pivots.slack[i]) < -LCP_PIVOT_ZERO * size) {
                wrong++;
                last = i;
            }
        for (int i = 0; i < n && wrong == 0; i++)
            z[i] = fmax(z[i], 0.0);
        *dependent |= pivots.dependent;
        if (wrong == 0)
            return true;
        worse = wrong < fewest ? 0 : worse + 1;
        fewest = wrong < fewest ? wrong : fewest;
        for (int i = worse < SETS_NO_BETTER ? 0 : last; i <= last; i++)
            if ((in[i] ? z[i] : pivots.slack[i]) < -LCP_PIVOT_ZERO * size)
                in[i] = !in[i];
    }
    return false;
}

bool
lcp_is_solved(int n, const double *g, const double *p, double none,
              const double *z, const int *in)
{
    for (int i = 0; i < n; i++) {
        double w = p[i] + dense_dot(n, g + i * n, z);
        if (!(w >= -none) || (in[i] && !(w <= none)))
            return false;
    }
    return true;
}

/* -- by an interior point ---------------------------------------------------
 */

#define INNER_ROUNDS 60   /* some 20 are seen */
#define INNER_SHORT 0.995 /* of the way to where a z or w gets 0 */
#define INNER_END 1e-14   /* z w at the end */
#define NEAR_DAMPED 1e-5  /* share of the diagonal */
#define NEAR_NONE 1e-13   /* share of p that ends the rounds early */
#define NEAR_ROUNDS 8

struct inner {
    int n, *first;                  /* n */
    double *a, *reciprocal;         /* n x n, n: the factors */
    double *z, *w, *left, *dz, *dw; /* left: w - g z - p */
};

/* Returns the part of the step, at most 1, that leaves no z or w below 0. */
static double
inner_most(const struct inner *inner)
{
    double most = 1.0;
    for (int i = 0; i < inner->n; i++)
        most = fmax(most, fmax(-inner->dz[i] / inner->z[i],
                               -inner->dw[i] / inner->w[i]));
    return 1.0 / most;
}

/* Finds the step that changes z w, to first order, by what dw holds, and leaves
 * w = g z + p. */
static void
inner_step(struct inner *inner)
{
    int n = inner->n;
    for (int i = 0; i < n; i++) {
        inner->dw[i] /= inner->z[i];
        inner->dz[i] = inner->dw[i] + inner->left[i];
    }
    dense_forward(n, inner->a, n, inner->first, inner->reciprocal, 0,
                  inner->dz);
    dense_backward(n, inner->a, n, inner->first, inner->reciprocal, inner->dz);
    for (int i = 0; i < n; i++)
        inner->dw[i] -= inner->w[i] / inner->z[i] * inner->dz[i];
}

static void
inner_factor(struct inner *inner, const double *g)
{
    int n = inner->n, rank;
    for (int i = 0; i < n; i++) {
        memcpy(inner->a + i * n, g + i * n, sizeof *g * (size_t)(i + 1));
        inner->a[i * n + i] += inner->w[i] / inner->z[i];
    }
    dense_cholesky(n, inner->a, n, inner->first, NULL, 0.0, inner->reciprocal,
                   &rank);
}

/* Goes inside z > 0 and w > 0 towards z w = 0 (Mehrotra 1992, for this problem
 * Wright 1997, chapter 8): rows that depend on each other, and rows with z = w
 * = 0 at the end, cost it no more than others. z then is nearly right, and `in`
 * the set where it is the greater one. */
static void
interior_point(int n, const double *g, const double *p, double size, double *z,
               int *in, double *room)
{
    double *work = room + n * n;
    struct inner inner = {n,        in,           room,         work,        z,
                          work + n, work + 2 * n, work + 3 * n, work + 4 * n};
    for (int i = 0; i < n; i++) {
        z[i] = inner.w[i] = size;
        for (in[i] = 0; in[i] < i && g[i * n + in[i]] == 0.0;)
            in[i]++;
    }
    for (int round = 0; round < INNER_ROUNDS; round++) {
        double sum = 0.0, ahead = 0.0;
        for (int i = 0; i < n; i++) {
            inner.left[i] = inner.w[i] - p[i] - dense_dot(n, g + i * n, z);
            sum += z[i] * inner.w[i];
            inner.dw[i] = -z[i] * inner.w[i];
        }
        if (sum <= INNER_END * n * size * size)
            break;
        inner_factor(&inner, g);
        inner_step(&inner);
        double most = inner_most(&inner);
        for (int i = 0; i < n; i++)
            ahead +=
                (z[i] + most * inner.dz[i]) * (inner.w[i] + most * inner.dw[i]);
        double share = ahead / sum, mean = share * share * share * sum / n;
        for (int i = 0; i < n; i++)
            inner.dw[i] = mean - z[i] * inner.w[i] - inner.dz[i] * inner.dw[i];
        inner_step(&inner);
        most = inner_most(&inner);
        most = most < 1.0 ? INNER_SHORT * most : 1.0;
        for (int i = 0; i < n; i++) {
            z[i] += most * inner.dz[i];
            inner.w[i] += most * inner.dw[i];
        }
    }
    for (int i = 0; i < n; i++) {
        in[i] = z[i] > inner.w[i];
        z[i] = in[i] ? z[i] : 0.0;
    }
}

/* (g + d) z + p - d y stands in place of g z + p, where y is the z before
 * (Rockafellar 1976): no row of g + d depends on others, and sets hardly
 * change. */
bool
lcp_from_inside(int n, const double *g, const double *p, double size, double *z,
                int *in, double *room, double *matrix)
{
    double *shifted = matrix + n * n;
    bool dependent = false;
    interior_point(n, g, p, size, z, in, room);
    memcpy(matrix, g, sizeof *g * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        matrix[i * n + i] += NEAR_DAMPED;
    for (int k = 0;
         k < NEAR_ROUNDS && !lcp_is_solved(n, g, p, NEAR_NONE * size, z, in);
         k++) {
        for (int i = 0; i < n; i++)
            shifted[i] = p[i] - NEAR_DAMPED * z[i];
        if (!lcp_exchange_sets(n, matrix, shifted, size, z, in, room,
                               &dependent))
            return false;
        for (int i = 0; i < n; i++)
            in[i] = z[i] > 0.0;
    }
    return lcp_is_solved(n, g, p, LCP_SLACK_ZERO * size, z, in);
}

/* Rows of the set in falling order of z; those that depend on the ones before
 * as sums of these. */
struct basis {
    int m, *row, *first; /* n */
    double *a, *size, *reciprocal, *sums;
};

/* Writes what each dependent row is of the others into sums, a row of m numbers
 * each. Returns how many there are; their places come first in `first`. */
static int
dependent_rows(int n, const double *g, const double *z, const int *in,
               struct basis *basis)
{
    int count = 0, rank;
    basis->m = 0;
    for (int i = 0; i < n; i++) {
        int at = basis->m;
        if (!in[i])
            continue;
        for (; at > 0 && z[basis->row[at - 1]] < z[i]; at--)
            basis->row[at] = basis->row[at - 1];
        basis->row[at] = i;
        basis->m++;
    }
    int m = basis->m;
    for (int i = 0; i < m; i++) {
        const double *of = g + basis->row[i] * n;
        for (int j = 0; j <= i; j++)
            basis->a[i * m + j] = of[basis->row[j]];
        basis->size[i] = of[basis->row[i]];
        basis->first[i] = 0;
    }
    dense_cholesky(m, basis->a, m, basis->first, basis->size, LCP_PIVOT_ZERO,
                   basis->reciprocal, &rank);
    for (int i = 0; i < m; i++) {
        if (basis->reciprocal[i] != 0.0)
            continue;
        double *sum = basis->sums + count * m;
        for (int j = 0; j < m; j++)
            sum[j] = g[basis->row[i] * n + basis->row[j]];
        dense_forward(m, basis->a, m, basis->first, basis->reciprocal, 0, sum);
        dense_backward(m, basis->a, m, basis->first, basis->reciprocal, sum);
        basis->size[count++] = i;
    }
    return count;
}

/* z of one row after another goes to others, until it or one of these is 0. */
void
lcp_take_out(int n, const double *g, double *z, int *in, double *room)
{
    struct basis basis = {.a = room, .sums = room + n * n};
    basis.size = basis.sums + n * n;
    basis.reciprocal = basis.size + n;
    basis.row = (int *)(basis.reciprocal + n);
    basis.first = basis.row + n;
    int count = dependent_rows(n, g, z, in, &basis), m = basis.m;
    for (int k = 0; k < count; k++) {
        double *sum = basis.sums + k * m;
        int from = basis.row[(int)basis.size[k]], leaves = -1;
        double most = z[from];
        for (int i = 0; i < m; i++)
            if (sum[i] < 0.0 && z[basis.row[i]] < -sum[i] * most) {
                most = z[basis.row[i]] / -sum[i];
                leaves = i;
            }
        for (int i = 0; i < m; i++)
            if (sum[i] != 0.0)
                z[basis.row[i]] = fmax(z[basis.row[i]] + most * sum[i], 0.0);
        z[from] -= most;
        int out = leaves < 0 ? from : basis.row[leaves];
        z[out] = 0.0;
        in[out] = 0;
        if (leaves < 0)
            continue;
        basis.row[leaves] = from;
        for (int j = k + 1; j < count; j++) {
            double *other = basis.sums + j * m,
                   share = other[leaves] / sum[leaves];
            for (int i = 0; i < m && share != 0.0; i++)
                other[i] -= share * sum[i];
            other[leaves] = share;
        }
    }
}
