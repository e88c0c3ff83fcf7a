/* SPDX-License-Identifier: MIT */
/* Truncated power series in time, c[0] + c[1] t + ... + c[order] t^order, for
 * the gaps of features (polytope_contact.h). All functions take the order, at
 * most IMP_ORDER_MAX; entries beyond it are neither read nor written. The
 * result may be an operand of taylor_add, taylor_sub and taylor_scale only. */
#ifndef IMP_RUNTIME_NUMERICS_TAYLOR_H
#define IMP_RUNTIME_NUMERICS_TAYLOR_H

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "abi/image.h"

struct taylor {
    double c[IMP_ORDER_MAX + 1];
};

/* -- series whose coefficients below `from` stand already: order by order ----
 */

void taylor_const_from(int from, int order, double x, struct taylor *out);
void taylor_add_from(int from, int order, const struct taylor *a,
                     const struct taylor *b, struct taylor *out);
void taylor_sub_from(int from, int order, const struct taylor *a,
                     const struct taylor *b, struct taylor *out);
void taylor_scale_from(int from, int order, double s, const struct taylor *a,
                       struct taylor *out);
void taylor_mul_from(int from, int order, const struct taylor *a,
                     const struct taylor *b, struct taylor *out);
/* The result is not finite where b(0) = 0. */
void taylor_div_from(int from, int order, const struct taylor *a,
                     const struct taylor *b, struct taylor *out);
/* The result is not finite where a(0) <= 0. */
void taylor_sqrt_from(int from, int order, const struct taylor *a,
                      struct taylor *out);
/* These are for vectors of three. */
void taylor_dot_from(int from, int order, const struct taylor a[3],
                     const struct taylor b[3], struct taylor *out);
void taylor_dot_const_from(int from, int order, const struct taylor a[3],
                           const double b[3], struct taylor *out);
void taylor_cross_from(int from, int order, const struct taylor a[3],
                       const struct taylor b[3], struct taylor out[3]);

/* -- whole series ------------------------------------------------------------
 */

static inline void
taylor_const(int order, double x, struct taylor *out)
{
    taylor_const_from(0, order, x, out);
}
static inline void
taylor_add(int order, const struct taylor *a, const struct taylor *b,
           struct taylor *out)
{
    taylor_add_from(0, order, a, b, out);
}
static inline void
taylor_sub(int order, const struct taylor *a, const struct taylor *b,
           struct taylor *out)
{
    taylor_sub_from(0, order, a, b, out);
}
static inline void
taylor_scale(int order, double s, const struct taylor *a, struct taylor *out)
{
    taylor_scale_from(0, order, s, a, out);
}
static inline void
taylor_mul(int order, const struct taylor *a, const struct taylor *b,
           struct taylor *out)
{
    taylor_mul_from(0, order, a, b, out);
}
static inline void
taylor_dot(int order, const struct taylor a[3], const struct taylor b[3],
           struct taylor *out)
{
    taylor_dot_from(0, order, a, b, out);
}
static inline void
taylor_dot_const(int order, const struct taylor a[3], const double b[3],
                 struct taylor *out)
{
    taylor_dot_const_from(0, order, a, b, out);
}
static inline void
taylor_cross(int order, const struct taylor a[3], const struct taylor b[3],
             struct taylor out[3])
{
    taylor_cross_from(0, order, a, b, out);
}

static inline void
taylor_div(int order, const struct taylor *a, const struct taylor *b,
           struct taylor *out)
{
    taylor_div_from(0, order, a, b, out);
}
static inline void
taylor_sqrt(int order, const struct taylor *a, struct taylor *out)
{
    taylor_sqrt_from(0, order, a, out);
}
double taylor_at(int order, const struct taylor *a, double t);

/* -- one coefficient, of series that are made order by order; their
 * coefficients 0 .. k stand
 * ------------------------------------------------------------- */

/* Returns coefficient k of a b. */
static inline double
taylor_product_at(const double *a, const double *b, int k)
{
    double sum = 0.0;
    for (int j = 0; j <= k; j++)
        sum += a[j] * b[k - j];
    return sum;
}

/* Returns coefficient k of a b + c d, as one sum. */
static inline double
taylor_products_at(const double *a, const double *b, const double *c,
                   const double *d, int k)
{
    double sum = taylor_product_at(a, b, k);
    for (int j = 0; j <= k; j++)
        sum += c[j] * d[k - j];
    return sum;
}

/* Makes coefficient k of a vector that is turned by a cosine and a sine. Four
 * sums of products, two at a time, each from its first term on. */
static inline void
taylor_turned_at(const double *cosine, const double *sine, const double *x,
                 const double *y, int k, double out[2])
{
    double first = 0.0, second = 0.0;
    for (int j = 0; j <= k; j++) {
        first += cosine[j] * x[k - j];
        second += sine[j] * x[k - j];
    }
    for (int j = 0; j <= k; j++) {
        first -= sine[j] * y[k - j];
        second += cosine[j] * y[k - j];
    }
    out[0] = first;
    out[1] = second;
}

/* Returns coefficient k of a d, less that of b c; both sums at once. */
static inline double
taylor_crossed_at(const double *a, const double *b, const double *c,
                  const double *d, int k)
{
    double first = 0.0, second = 0.0;
    for (int j = 0; j <= k; j++) {
        first += a[j] * d[k - j];
        second += b[j] * c[k - j];
    }
    return first - second;
}

/* -- for how long a series holds ---------------------------------------------
 * The length of a step is the least of some ten roots of quotients. Logarithms
 * to base 2 that are known to ROUGH_ERROR say which of them may be it, so that
 * exact ones are taken of one or two. */

#define ROUGH_ERROR 0.01

/* For 0 < x, finite. */
static inline double
rough_log2(double x)
{
    uint64_t bits;
    double scaled = 0.0;
    if (x < DBL_MIN) { /* a subnormal number, made a normal one */
        x *= 0x1p64;
        scaled = 64.0;
    }
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&x, &bits, sizeof x);
    /* a parabola that is 0 at 1 and 1 at 2 */
    return exponent - scaled + (x - 1.0) * (1.3547 - 0.3548 * (x - 1.0));
}

/* The terms of orders from .. order of a series, to be asked with several sizes
 * of it. */
struct rough_terms {
    int from, order;
    uint32_t any; /* bits 1 << k of those that are not 0 */
    bool finite;  /* all are */
    double part[32],
        at[32]; /* log2 of the time of order k: part log2(size) + at */
};

/* Two numbers at once. */
typedef double rough_pair __attribute__((vector_size(16)));
typedef uint64_t rough_bits __attribute__((vector_size(16)));

/* rough_log2 of two normal numbers. An exponent becomes a number as the last
 * bits of one that has no others. */
static inline rough_pair
rough_log2_pair(rough_pair x)
{
    rough_bits bits, exponent;
    rough_pair size, rest;
    memcpy(&bits, &x, sizeof bits);
    exponent = (bits >> 52) | 0x4330000000000000u;
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&size, &exponent, sizeof size);
    memcpy(&rest, &bits, sizeof rest);
    rest -= 1.0;
    return size - 0x1p52 - 1023.0 + rest * (1.3547 - 0.3548 * rest);
}

static inline void
rough_terms_make(struct rough_terms *terms, const double *c, int from,
                 int order, double log2_truncation)
{
    static const double inverse[] = {
        0.0,      1.0,      1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,
        1.0 / 7,  1.0 / 8,  1.0 / 9,  1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13,
        1.0 / 14, 1.0 / 15, 1.0 / 16, 1.0 / 17, 1.0 / 18, 1.0 / 19, 1.0 / 20,
        1.0 / 21, 1.0 / 22, 1.0 / 23, 1.0 / 24, 1.0 / 25, 1.0 / 26, 1.0 / 27,
        1.0 / 28, 1.0 / 29, 1.0 / 30, 1.0 / 31};
    assert(from >= 1 && from <= order && order < 32);
    terms->from = from;
    terms->order = order;
    terms->any = 0;
    terms->finite = true;
    double before = log2_truncation * inverse[order];
    for (int k = from; k <= order; k++) {
        double a = fabs(c[k]), b = k + 1 < order - 1 ? fabs(c[k + 1]) : 0.0;
        terms->part[k] = inverse[k];
        if (a >= DBL_MIN && a <= DBL_MAX && b >= DBL_MIN && b <= DBL_MAX) {
            rough_pair both = {a, b}, part, at;
            memcpy(&part, inverse + k, sizeof part);
            at = before - part * rough_log2_pair(both);
            memcpy(terms->part + k, &part, sizeof part);
            memcpy(terms->at + k, &at, sizeof at);
            terms->any |= 3u << k++;
            continue;
        }
        terms->at[k] = INFINITY;
        if (a == 0.0)
            continue;
        if (!(a <= DBL_MAX)) {
            terms->finite = false;
            return;
        }
        terms->at[k] = (k < order - 1 ? before : log2_truncation * inverse[k]) -
                       terms->part[k] * rough_log2(a);
        terms->any |= 1u << k;
    }
}

/* For which k may the time for which |c_k| time^k stays below the truncation of
 * `size` be the least? As bits 1 << k of the answer. Orders before the last two
 * count with root `order` of the truncation. 0: no c_k, or all may, because
 * numbers are not finite. */
static inline uint32_t
rough_least(const struct rough_terms *terms, double size)
{
    double time[32], least = INFINITY;
    uint32_t which = 0;
    if (!terms->finite || !terms->any || !(size > 0.0 && size <= DBL_MAX))
        return 0;
    double of_size = rough_log2(size);
    for (int k = terms->from; k <= terms->order; k++) {
        time[k] = terms->part[k] * of_size + terms->at[k];
        least = time[k] < least ? time[k] : least;
    }
    least += 4.0 * ROUGH_ERROR / terms->from;
    for (int k = terms->from; k <= terms->order; k++)
        which |= (uint32_t)(time[k] <= least) << k;
    return which;
}

/* The lesser of `time` and of the time at which |c| time^k comes to `most` >=
 * 0. A logarithm is taken only where that may be the second. */
static inline double
term_time(double time, double c, int k, double most)
{
    assert(k >= 1 && !(most < 0.0));
    double power = 1.0, base = time, at;
    if (c == 0.0)
        return time;
    for (int n = k; n > 0; n >>= 1, base *= base)
        power *= n & 1 ? base : 1.0;
    /* power is off by a few rounding errors; what is subnormal has none */
    if (power >= DBL_MIN && fabs(c) * power < most * (1.0 - 1e-9))
        return time;
    at = exp(log(most / fabs(c)) / k);
    return at < time ? at : time;
}

/* Is order k asked for? */
static inline bool
rough_asks(uint32_t which, int k)
{
    return which == 0 || (which >> k & 1);
}

/* -- how long the series of a variable holds that has no size but its own --
 * Its last terms stay below the truncation SERIES_TRUNCATION of that size, and
 * those before them, by which a symmetry that makes the last ones 0 does not
 * pass, below that of a series that has this radius of convergence. The size is
 * what the first terms make of the variable by then: right after an impact it
 * may be much smaller than what its rate soon makes of it. */

/* below the rounding of a state (compare MOTION_TRUNCATION) */
#define SERIES_TRUNCATION 4e-16
/* The least order that is tried. */
#define SERIES_ORDER_LEAST 6

/* For how long a row of this order holds. */
double series_holds(const double *row, int order);
/* The same to a few of 100. */
double series_holds_about(const double *row, int order);
/* Does it hold for as long as `span`? */
bool series_holds_for(const double *row, int order, double span);
/* The order to which a series for `span` is likely to hold, at most `order`, to
 * which it holds for `holds`. */
int series_order_for(double span, double holds, int order);

/* -- singularities that a motion reaches in finite time -- */

/* What goes as A + B (left - s)^exponent, s the time from now on. */
struct singularity {
    double left, left_error; /* s */
    double exponent, exponent_error;
};
/* What the coefficients c[0] .. c[order], order >= 5, tell; false: they are not
 * those of such a function. */
bool singularity_of(const double *c, int order, struct singularity *out);

/* Sets out = A x, or A^T x, from this order on; A by rows. dim 2: what lies
 * across the plane is 0. */
void taylor_turn_from(int dim, int from, int order, const struct taylor A[9],
                      bool back, const struct taylor x[3],
                      struct taylor out[3]);
/* Does the same for a constant vector. */
void taylor_turn_fixed(int dim, int from, int order, const struct taylor A[9],
                       bool back, const double x[3], struct taylor out[3]);
/* Sets out to sign (a x x), where x is constant; in the plane the last entry
 * alone, as the others are 0. */
void taylor_cross_fixed(int dim, int from, int order, const struct taylor a[3],
                        const double x[3], double sign, struct taylor out[3]);

#endif
