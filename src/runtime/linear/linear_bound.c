/* SPDX-License-Identifier: MIT */
/* How great a sum of variables with x' = A x can still become.
 *
 * In balanced units let M = exp(A s) with |A| s = 1/8, in the norm of the
 * greatest entry. If |M^k| <= 1 for some k, then |exp(A t)| at any time t is at
 * most exp(1/8) times the greatest of |M^j|, j < k: whole multiples of k steps
 * let nothing grow, and nor does the part of a step beyond exp(1/8). Only the
 * variables that the sum depends on, directly or by the rates of others,
 * count. */
#include "runtime/linear/linear_priv.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"

/* more variables have no bound */
#define BOUND_MOST 8
/* |A| times the step, and exp of it, with room for rounding. Where A is 0
 * nothing changes at all. */
#define BOUND_STEP 0.125
#define BOUND_GROWS 1.1332
/* terms of exp(A s): the next is below rounding */
#define BOUND_TERMS 12
/* powers one by one, and then so many squarings, each of which may double the
 * bound */
#define BOUND_POWERS 64
#define BOUND_SQUARINGS 24

struct linear_bound {
    uint32_t n;
    uint32_t variable[BOUND_MOST];
    double unit[BOUND_MOST]; /* x is so many units */
    double size;             /* the bound, for greatest variables of 1 */
};

/* The variables that the sum depends on. False: they are many. */
static bool
depends_on(const double *A, uint32_t p, uint32_t ld, const double *weight,
           struct linear_bound *bound)
{
    bound->n = 0;
    for (uint32_t i = 0; i < p; i++)
        if (weight[i] != 0.0) {
            if (bound->n == BOUND_MOST)
                return false;
            bound->variable[bound->n++] = i;
        }
    for (uint32_t k = 0; k < bound->n; k++)
        for (uint32_t j = 0; j < p; j++) {
            bool known = A[(size_t)bound->variable[k] * ld + j] == 0.0;
            for (uint32_t i = 0; i < bound->n && !known; i++)
                known = bound->variable[i] == j;
            if (!known && bound->n == BOUND_MOST)
                return false;
            if (!known)
                bound->variable[bound->n++] = j;
        }
    return true;
}

static double
norm_of(const double *A, uint32_t n)
{
    double norm = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (uint32_t j = 0; j < n; j++)
            sum += fabs(A[(size_t)i * n + j]);
        norm = fmax(norm, sum);
    }
    return norm;
}

/* out = A B */
static void
multiply(uint32_t n, const double *A, const double *B, double *out)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (uint32_t k = 0; k < n; k++)
                sum += A[(size_t)i * n + k] * B[(size_t)k * n + j];
            out[(size_t)i * n + j] = sum;
        }
}

/* M = exp(A), |A| <= BOUND_STEP */
static void
exponential(uint32_t n, const double *A, double *M)
{
    double term[BOUND_MOST * BOUND_MOST], next[BOUND_MOST * BOUND_MOST];
    for (uint32_t i = 0; i < n * n; i++)
        M[i] = term[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    for (int order = 1; order <= BOUND_TERMS; order++) {
        multiply(n, A, term, next);
        for (uint32_t i = 0; i < n * n; i++) {
            term[i] = next[i] / order;
            M[i] += term[i];
        }
    }
}

/* How great |M^j| becomes at most; INFINITY: no bound is found. */
static double
growth(uint32_t n, const double *M)
{
    double power[BOUND_MOST * BOUND_MOST], next[BOUND_MOST * BOUND_MOST],
        most = 1.0;
    memcpy(power, M, (size_t)n * n * sizeof *power);
    for (int k = 1; k < BOUND_POWERS; k++) {
        double norm = norm_of(power, n);
        if (norm <= 1.0)
            return most;
        most = fmax(most, norm);
        multiply(n, M, power, next);
        memcpy(power, next, (size_t)n * n * sizeof *power);
    }
    for (int k = 0; k < BOUND_SQUARINGS; k++) {
        double norm = norm_of(power, n);
        if (norm <= 1.0)
            return most;
        most *= norm;
        multiply(n, power, power, next);
        memcpy(power, next, (size_t)n * n * sizeof *power);
    }
    return INFINITY;
}

struct linear_bound *
linear_bound_new(const struct linear_block *linear, const double *weight)
{
    assert(linear && weight);
    struct arena *arena;
    uint32_t p, ld;
    const double *matrix = linear_block_matrix(linear, &arena, &p, &ld);
    struct linear_bound found = {.n = 0}, *bound;
    double A[BOUND_MOST * BOUND_MOST], M[BOUND_MOST * BOUND_MOST], sum = 0.0;
    int exponent[BOUND_MOST] = {0};
    if (!matrix || !depends_on(matrix, p, ld, weight, &found))
        return NULL;
    uint32_t n = found.n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            A[(size_t)i * n + j] =
                matrix[(size_t)found.variable[i] * ld + found.variable[j]];
    linear_balance(A, n, exponent);
    double norm = norm_of(A, n);
    for (uint32_t i = 0; i < n * n && norm > 0.0; i++)
        A[i] *= BOUND_STEP / norm;
    exponential(n, A, M);
    for (uint32_t i = 0; i < n; i++) {
        found.unit[i] = ldexp(1.0, -exponent[i]);
        sum += fabs(weight[found.variable[i]]) / found.unit[i];
    }
    found.size = (norm > 0.0 ? BOUND_GROWS * growth(n, M) : 1.0) * sum;
    if (!isfinite(found.size))
        return NULL;
    bound = NEW(arena, struct linear_bound);
    *bound = found;
    return bound;
}

double
linear_bound(const struct linear_bound *bound, const double *x)
{
    assert(bound && x);
    double most = 0.0;
    for (uint32_t i = 0; i < bound->n; i++)
        most = fmax(most, bound->unit[i] * fabs(x[bound->variable[i]]));
    return bound->size * most;
}
