/* SPDX-License-Identifier: MIT */
/* See held.h. */
#include "runtime/held/held.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A gradient depends on others if what is left of its square beside them is
 * this share of it. */
#define PARTING_DEPENDS 1e-12
/* Terms of a gap that is held by others are rounding up to this share of what
 * it is made of, and its value, which may come from data of 9 digits, up to
 * that one. */
#define PARTING_NOISE 1e-11
#define PARTING_OFF 1e-8
/* A share of one gradient in another one that is rounding. */
#define PARTING_SHARE 1e-9
/* Rates of gaps that are held are rounding up to this share of the rates with
 * which the ground moves, and that one of all that they are made of. */
#define AGREE_DRIFT 1e-9
#define AGREE_SIZE 1e-12

/* Writes the gradient of the gap of contact i into v, in units of the masses.
 */
static void
gradient(const struct held *of, uint32_t i, double *v)
{
    for (uint32_t j = 0; j < of->n; j++)
        v[j] = of->N[(size_t)i * of->n + j] /
               sqrt(of->mass[(size_t)j * (of->n + 1)]);
}

static double
product(uint32_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (uint32_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

/* Closed contacts whose gradients do not depend on each other, at most n. Those
 * are sums of orthogonal unit vectors. */
struct span {
    uint32_t n, count;
    uint32_t *contact; /* n */
    double *unit;      /* n vectors */
    double *share; /* n x n: of unit vector i (row) in gradient k (column) */
    double *of;    /* n: what the last gradient that was asked about is a
                      sum of: times unit vectors, then times gradients */
    double *v;     /* n */
};

static void
span_new(struct arena *arena, uint32_t n, struct span *span)
{
    span->n = n;
    span->count = 0;
    span->contact = NEW_N(arena, uint32_t, n + 1);
    span->unit = NEW_N(arena, double, 2 * (size_t)n * (n + 1) + 1);
    span->share = span->unit + (size_t)n * n;
    span->of = span->share + (size_t)n * n;
    span->v = span->of + n;
}

/* Does the gradient of contact i depend on the others? Then span->of is told.
 * If not it becomes one of them. */
static bool
depends(const struct held *held, struct span *span, uint32_t i)
{
    uint32_t n = span->n, last = span->count;
    double *v = span->v, *of = span->of;
    gradient(held, i, v);
    double all = product(n, v, v), left;
    memset(of, 0, n * sizeof *of);
    for (int round = 0; round < 2; round++)
        for (uint32_t k = 0; k < last; k++) {
            const double *unit = span->unit + (size_t)k * n;
            double share = product(n, v, unit);
            of[k] += share;
            for (uint32_t j = 0; j < n; j++)
                v[j] -= share * unit[j];
        }
    left = product(n, v, v);
    if (last == n || !(left > PARTING_DEPENDS * all)) {
        for (uint32_t k = last; k-- > 0;) {
            for (uint32_t j = k + 1; j < last; j++)
                of[k] -= span->share[(size_t)k * n + j] * of[j];
            of[k] /= span->share[(size_t)k * (n + 1)];
        }
        return true;
    }
    for (uint32_t k = 0; k < last; k++)
        span->share[(size_t)k * n + last] = of[k];
    span->share[(size_t)last * (n + 1)] = sqrt(left);
    for (uint32_t j = 0; j < n; j++)
        span->unit[(size_t)last * n + j] = v[j] / sqrt(left);
    span->contact[span->count++] = i;
    return false;
}

double
held_steepness(const struct held *of, uint32_t i)
{
    assert(of && i < of->m);
    double sum = 0.0;
    for (uint32_t j = 0; j < of->n; j++) {
        double N = of->N[(size_t)i * of->n + j];
        sum += N * N / of->mass[(size_t)j * (of->n + 1)];
    }
    return sqrt(sum);
}

bool
held_depend(struct arena *arena, const struct held *of, const bool *closed)
{
    assert(arena && of && closed);
    struct span span;
    uint32_t count = 0;
    for (uint32_t i = 0; i < of->m; i++)
        count += closed[i];
    if (count < 2)
        return false;
    span_new(arena, of->n, &span);
    for (uint32_t i = 0; i < of->m; i++)
        if (closed[i] && depends(of, &span, i))
            return true;
    return false;
}

int
held_turns(const double *gap, int order, double size, double length)
{
    assert(gap && order >= 1);
    double power = length;
    if (fabs(gap[0]) > PARTING_OFF * size)
        return gap[0] < 0.0 ? -1 : 1;
    for (int k = 1; k <= order; k++, power *= length)
        if (fabs(gap[k]) * power > PARTING_NOISE * size)
            return gap[k] < 0.0 ? -k : k;
    return 0;
}

bool
held_opens(struct arena *arena, const struct held *of, const bool *still,
           const double *load, uint32_t which, bool falls, uint32_t *out)
{
    assert(arena && of && still && load && out && which < of->m);
    struct span span;
    span_new(arena, of->n, &span);
    for (uint32_t i = 0; i < of->m; i++)
        if (still[i])
            depends(of, &span, i);
    if (!depends(of, &span, which))
        return false;
    double least = falls ? INFINITY : load[which];
    *out = falls ? of->m : which;
    for (uint32_t k = 0; k < span.count; k++) {
        double share = falls ? span.of[k] : -span.of[k];
        if (!(share > PARTING_SHARE))
            continue;
        double most = load[span.contact[k]] / share;
        if (most < least) {
            least = most;
            *out = span.contact[k];
        }
    }
    return true;
}

bool
held_agree(const struct held *of, const double *drift, const double *v,
           bool *on, bool *parts)
{
    assert(of && drift && v && on && parts);
    double most = 0.0;
    bool agree = true;
    *parts = false;
    for (uint32_t i = 0; i < of->m; i++)
        if (on[i])
            most = fmax(most, fabs(drift[i]));
    for (uint32_t i = 0; i < of->m && most > 0.0; i++) {
        double rate = drift[i], size = fabs(rate);
        for (uint32_t j = 0; j < of->n; j++) {
            double term = of->N[(size_t)i * of->n + j] * v[j];
            rate += term;
            size += fabs(term);
        }
        if (!on[i] || fabs(rate) <= AGREE_DRIFT * most + AGREE_SIZE * size)
            continue;
        if (rate > 0.0)
            *parts = !(on[i] = false);
        else
            agree = false;
    }
    return agree;
}
