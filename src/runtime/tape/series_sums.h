/* SPDX-License-Identifier: MIT */
/* Sums of products of coefficients, in the four lanes of docs/tape.md. */
#ifndef IMP_RUNTIME_TAPE_SERIES_SUMS_H
#define IMP_RUNTIME_TAPE_SERIES_SUMS_H

#include <stdint.h>
#include <string.h>

/* Four lanes as two pairs of doubles, which compilers keep in registers. */
typedef double pair __attribute__((vector_size(16)));
typedef long long pair_mask __attribute__((vector_size(16)));
struct lanes {
    pair lo, hi;
};

static inline pair
load(const double *p)
{
    pair v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline pair
swapped(pair v)
{
    return (pair){v[1], v[0]};
}

/* Returns v with those bits alone that the mask has. */
static inline pair
masked(pair v, const long long *mask)
{
    pair_mask m;
    memcpy(&m, mask, sizeof m);
    return (pair)((pair_mask)v & m);
}

/* Returns the terms j .. j + 3 of a_j b_{k-j}, where a_k and those behind it
 * count as 0. */
static inline struct lanes
four_terms(const double *a, const double *b, int j, int k)
{
    static const long long first[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
    pair x = load(a + j), y = load(a + j + 2);
    if (j + 3 >= k) {
        x = masked(x, first + 4 - (k - j));
        y = masked(y, first + 6 - (k - j));
    }
    return (struct lanes){x * swapped(load(b + k - j - 1)),
                          y * swapped(load(b + k - j - 3))};
}

static inline double
lanes_sum(struct lanes l)
{
    pair s = l.lo + l.hi;
    return s[0] + s[1];
}

/* Below this order most of the lanes are empty: those that have a term are
 * taken one by one. Lanes begin at +0, so that a sum of lanes is never -0, and
 * the lane of a_k, which counts as 0, adds 0 b_0: +0, or NaN. */
#define ORDER_LANES 5

/* A product of a DOT: the rows of its operands from `work` on. */
struct dot_pair {
    uint32_t x, y, minus;
};

/* Returns coefficient k >= 1 of a sum of +- products: inner terms j = 1 .. k -
 * 1 in four lanes, then the outer ones, which alone need coefficients k. */
double dot_coefficient(const double *work, const struct dot_pair *of,
                       uint32_t n, int k);

/* Returns the sum over j = 1 .. k - 1 of a_j b_{k-j}. */
static inline double
inner_sum(const double *a, const double *b, int k)
{
    struct lanes lane = {{0, 0}, {0, 0}};
    switch (k) {
    case 1:
        return 0.0 + 0.0 * b[0];
    case 2:
        return (0.0 + a[1] * b[1]) + 0.0 * b[0];
    case 3:
        return ((0.0 + a[1] * b[2]) + 0.0 * b[0]) + (0.0 + a[2] * b[1]);
    case 4:
        return ((0.0 + a[1] * b[3]) + (0.0 + a[3] * b[1])) +
               ((0.0 + a[2] * b[2]) + 0.0 * b[0]);
    default:
        break;
    }
    for (int j = 1; j < k; j += 4) {
        struct lanes p = four_terms(a, b, j, k);
        lane.lo += p.lo;
        lane.hi += p.hi;
    }
    return lanes_sum(lane);
}

/* What does not move has no derivatives, although w may be infinite: the root
 * of a force that is 0 on this side of its branch. */
static inline double
chain_sum(const double *u, const double *w, int k)
{
    double s = 0, x = 1; /* x = j */
    for (int j = 1; j <= k; j++, x += 1)
        s += u[j] == 0 ? 0 : (x * u[j]) * w[k - j];
    return s / (double)k;
}

#endif
