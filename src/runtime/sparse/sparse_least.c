/* SPDX-License-Identifier: MIT */
/* See sparse_least.h. Rows and columns are scaled to a unit diagonal first.
 * With the directions N that A takes to 0, and M those that A^T does, the
 * shortest x with the least |A x - b| is found in three steps: the part of b
 * along M is taken off, the equations of the pivots are solved, and the part of
 * the solution along N is taken off (Golub & Van Loan 2013, 5.5.5). */
#include "runtime/sparse/sparse_least.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/dense.h"
#include "runtime/sparse/sparse.h"

/* Pivots above this share of the first one are of independent rows, as those of
 * least_square_factor. */
#define INDEPENDENT 1e-8
/* Directions whose products have such pivots depend on each other. */
#define DEPENDENT 1e-12

/* Some directions, and the Cholesky factor of their products. */
struct directions {
    int n, count;
    double *v; /* count rows of n */
    double *inner, *reciprocal;
    int *first;
    size_t room; /* doubles in v */
    int most;    /* directions that the rest has room for */
};

struct sparse_least {
    struct arena *arena;
    struct sparse_system *system;
    int n;
    const double *A;
    double *scale, *work; /* n; 3 n */
    bool symmetric;
    struct directions null, turned; /* N; M, unless A is symmetric */
};

struct sparse_least *
sparse_least_new(struct arena *arena)
{
    assert(arena);
    struct sparse_least *least = NEW(arena, struct sparse_least);
    least->arena = arena;
    return least;
}

/* -- directions ------------------------------------------------------------ */

static void
room_for(struct arena *arena, struct directions *of, int n, int count)
{
    size_t size = (size_t)n * (size_t)count, k = (size_t)count;
    of->n = n;
    of->count = count;
    if (size >= of->room) {
        of->room = 2 * size + 1;
        of->v = NEW_N(arena, double, of->room);
    }
    if (count > of->most) {
        of->most = 2 * count;
        k *= 2;
        of->inner = NEW_N(arena, double, k *k + 2 * k);
        of->reciprocal = of->inner + k * k;
        of->first = NEW_N(arena, int, k);
    }
}

/* Factors the products. False: directions depend on each other. */
static bool
factor_products(struct directions *of)
{
    int n = of->n, count = of->count, kept;
    double *size = of->reciprocal + count;
    for (int d = 0; d < count; d++) {
        of->first[d] = 0;
        for (int e = 0; e <= d; e++)
            of->inner[d * count + e] =
                dense_dot(n, of->v + (size_t)d * (size_t)n,
                          of->v + (size_t)e * (size_t)n);
        size[d] = of->inner[d * count + d];
    }
    dense_cholesky(count, of->inner, count, of->first, size, DEPENDENT,
                   of->reciprocal, &kept);
    return kept == count;
}

/* Takes the part along the directions off x. along: as many doubles. */
static void
take_off(const struct directions *of, double *x, double *along)
{
    int n = of->n, count = of->count;
    for (int d = 0; d < count; d++)
        along[d] = dense_dot(n, of->v + (size_t)d * (size_t)n, x);
    dense_forward(count, of->inner, count, of->first, of->reciprocal, 0, along);
    dense_backward(count, of->inner, count, of->first, of->reciprocal, along);
    for (int d = 0; d < count; d++)
        dense_add(n, -along[d], of->v + (size_t)d * (size_t)n, x);
}

/* Rows and unknowns have scales, and directions are of the matrix without. */
static void
unscale(const struct sparse_least *least, double *x)
{
    for (int i = 0; i < least->n; i++)
        x[i] *= least->scale[i];
}

/* Finds N, and M. */
static bool
find_directions(struct sparse_least *least)
{
    struct sparse_system *system = least->system;
    int n = least->n, count = n - system->rank, found = 0;
    room_for(least->arena, &least->null, n, count);
    room_for(least->arena, &least->turned, n, least->symmetric ? 0 : count);
    memset(least->null.v, 0, sizeof(double) * (size_t)n * (size_t)count);
    for (int j = 0; j < n; j++) {
        double *null = least->null.v + (size_t)found * (size_t)n;
        if (system->place[j] >= 0)
            continue;
        null[j] = 1.0;
        sparse_back(system, NULL, null);
        unscale(least, null);
        found++;
    }
    found = 0;
    for (int i = 0; i < n && !least->symmetric; i++) {
        double *turned = least->turned.v + (size_t)found * (size_t)n;
        if (system->slot[i] < 0)
            continue;
        memset(turned, 0, sizeof *turned * (size_t)n);
        turned[i] = 1.0;
        sparse_forward_turned(system, turned);
        unscale(least, turned);
        found++;
    }
    return factor_products(&least->null) && factor_products(&least->turned);
}

/* -- factors --------------------------------------------------------------- */

static void
begin(struct sparse_least *least, int n, const double *A, bool symmetric)
{
    least->n = n;
    least->A = A;
    least->symmetric = symmetric;
    if (!least->system || n > least->system->most) {
        least->system = sparse_new(least->arena, 2 * n);
        least->scale = NEW_N(least->arena, double, 8 * (size_t)n);
        least->work = least->scale + 2 * n;
    }
    sparse_clear(least->system, n);
    for (int i = 0; i < n; i++) {
        double own = fabs(A[(size_t)i * (size_t)(n + 1)]);
        least->scale[i] = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    }
}

bool
sparse_least_factor(struct sparse_least *least, int n, const double *A,
                    bool symmetric)
{
    assert(least && n >= 0 && (n == 0 || A));
    begin(least, n, A, symmetric);
    for (int j = 0; j < n; j++) {
        const double *column = A + (size_t)j * (size_t)n;
        for (int i = 0; i < n; i++) {
            if (!isfinite(column[i]))
                return false;
            double scaled = least->scale[i] * column[i] * least->scale[j];
            if (scaled != 0.0)
                sparse_put(least->system, i, j, scaled);
        }
    }
    sparse_eliminate(least->system, least_square_rounding(n));
    return least->system->least >= INDEPENDENT && find_directions(least);
}

int
sparse_least_rank(const struct sparse_least *least)
{
    assert(least && least->system);
    return least->system->rank;
}

/* Solves the equations of the pivots for x; b may be x. */
static void
solve(struct sparse_least *least, const double *b, double *x)
{
    double *right = least->work;
    for (int i = 0; i < least->n; i++)
        right[i] = least->scale[i] * b[i];
    sparse_forward(least->system, right);
    memset(x, 0, sizeof *x * (size_t)least->n);
    sparse_back(least->system, right, x);
    unscale(least, x);
}

void
sparse_least_solve(struct sparse_least *least, const double *b, double *x)
{
    assert(least && least->system && (least->n == 0 || (b && x)));
    size_t n = (size_t)least->n;
    double *rest = least->work + n, *more = rest + n;
    const struct directions *turned =
        least->symmetric ? &least->null : &least->turned;
    memcpy(rest, b, sizeof *rest * n);
    take_off(turned, rest, least->work);
    solve(least, rest, x);
    /* One step of refinement: pivots have let entries grow. */
    for (size_t j = 0; j < n; j++)
        if (x[j] != 0.0)
            dense_add((int)n, -x[j], least->A + j * n, rest);
    take_off(turned, rest, least->work);
    solve(least, rest, more);
    for (size_t j = 0; j < n; j++)
        x[j] += more[j];
    take_off(&least->null, x, least->work);
}

void
sparse_least_solve_turned(struct sparse_least *least, const double *b,
                          double *x)
{
    assert(least && least->system && (least->n == 0 || (b && x && x != b)));
    double *right = least->work;
    for (int j = 0; j < least->n; j++)
        right[j] = least->scale[j] * b[j];
    sparse_back_turned(least->system, right, x);
    sparse_forward_turned(least->system, x);
    unscale(least, x);
}
