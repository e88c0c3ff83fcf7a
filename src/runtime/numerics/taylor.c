/* SPDX-License-Identifier: MIT */
/* Arithmetic of truncated power series (taylor.h): the rules of the series
 * functions of tapes (Moore 1966), for formulas that are chosen while a run
 * goes on. */
#include "runtime/numerics/taylor.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void
taylor_const_from(int from, int order, double x, struct taylor *out)
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    for (int k = from; k <= order; k++)
        out->c[k] = 0.0;
    if (from == 0)
        out->c[0] = x;
}

void
taylor_add_from(int from, int order, const struct taylor *a,
                const struct taylor *b, struct taylor *out)
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    for (int k = from; k <= order; k++)
        out->c[k] = a->c[k] + b->c[k];
}

void
taylor_sub_from(int from, int order, const struct taylor *a,
                const struct taylor *b, struct taylor *out)
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    for (int k = from; k <= order; k++)
        out->c[k] = a->c[k] - b->c[k];
}

void
taylor_scale_from(int from, int order, double s, const struct taylor *a,
                  struct taylor *out)
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    for (int k = from; k <= order; k++)
        out->c[k] = s * a->c[k];
}

/* Two coefficients, which a processor works on at once. */
typedef double pair __attribute__((vector_size(16)));

static inline pair
load(const double *p)
{
    pair v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void
save(pair v, double *p)
{
    memcpy(p, &v, sizeof v);
}

static inline pair
both(double x)
{
    return (pair){x, x};
}

/* Adds coefficients k .. k + 3 of the product a b. Each is a sum of its own, in
 * the order of a's coefficients. */
static inline void
add_four(const double *a, const double *b, int k, double sum[4])
{
    pair low = load(sum), high = load(sum + 2);
    for (int j = 0; j <= k; j++) {
        low += both(a[j]) * load(b + k - j);
        high += both(a[j]) * load(b + k + 2 - j);
    }
    high += both(a[k + 1]) * load(b + 1);
    high += both(a[k + 2]) * load(b);
    sum[0] = low[0];
    sum[1] = low[1] + a[k + 1] * b[0];
    sum[2] = high[0];
    sum[3] = high[1] + a[k + 3] * b[0];
}

/* Returns coefficient k of the product a b, added to the sum. */
static inline double
add_one(const double *a, const double *b, int k, double sum)
{
    for (int j = 0; j <= k; j++)
        sum += a[j] * b[k - j];
    return sum;
}

void
taylor_mul_from(int from, int order, const struct taylor *a,
                const struct taylor *b, struct taylor *out)
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    int k = from;
    for (; k + 3 <= order; k += 4) {
        double sum[4] = {0.0, 0.0, 0.0, 0.0};
        add_four(a->c, b->c, k, sum);
        memcpy(out->c + k, sum, sizeof sum);
    }
    for (; k <= order; k++)
        out->c[k] = add_one(a->c, b->c, k, 0.0);
}

void
taylor_div_from(int from, int order, const struct taylor *a,
                const struct taylor *b, struct taylor *out)
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    for (int k = from; k <= order; k++) {
        double s = a->c[k];
        for (int j = 1; j <= k; j++)
            s -= b->c[j] * out->c[k - j];
        out->c[k] = s / b->c[0];
    }
}

void
taylor_sqrt_from(int from, int order, const struct taylor *a,
                 struct taylor *out)
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    if (from == 0)
        out->c[0] = sqrt(a->c[0]);
    /* y y = a: 2 y_0 y_k = a_k - sum_{j=1..k-1} y_j y_{k-j} */
    for (int k = from > 0 ? from : 1; k <= order; k++) {
        double s = a->c[k];
        for (int j = 1; j < k; j++)
            s -= out->c[j] * out->c[k - j];
        out->c[k] = s / (2.0 * out->c[0]);
    }
}

double
taylor_at(int order, const struct taylor *a, double t)
{
    assert(order >= 0 && order <= IMP_ORDER_MAX);
    double y = a->c[order];
    for (int k = order - 1; k >= 0; k--)
        y = y * t + a->c[k];
    return y;
}

void
taylor_dot_from(int from, int order, const struct taylor a[3],
                const struct taylor b[3], struct taylor *out)
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    int k = from;
    for (; k + 3 <= order; k += 4) {
        double sum[4] = {0.0, 0.0, 0.0, 0.0};
        for (int i = 0; i < 3; i++)
            add_four(a[i].c, b[i].c, k, sum);
        memcpy(out->c + k, sum, sizeof sum);
    }
    for (; k <= order; k++) {
        double sum = 0.0;
        for (int i = 0; i < 3; i++)
            sum = add_one(a[i].c, b[i].c, k, sum);
        out->c[k] = sum;
    }
}

void
taylor_dot_const_from(int from, int order, const struct taylor a[3],
                      const double b[3], struct taylor *out)
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    for (int k = from; k <= order; k++)
        out->c[k] = a[0].c[k] * b[0] + a[1].c[k] * b[1] + a[2].c[k] * b[2];
}

void
taylor_cross_from(int from, int order, const struct taylor a[3],
                  const struct taylor b[3], struct taylor out[3])
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    const double *a0 = a[0].c, *a1 = a[1].c, *a2 = a[2].c, *b0 = b[0].c,
                 *b1 = b[1].c, *b2 = b[2].c;
    int k = from;
    for (; k < order; k += 2) {
        pair x = {0.0, 0.0}, y = x, z = x;
        for (int j = 0, i = k; j <= k; j++, i--) {
            pair u = load(b0 + i), v = load(b1 + i), w = load(b2 + i);
            x += both(a1[j]) * w - both(a2[j]) * v;
            y += both(a2[j]) * u - both(a0[j]) * w;
            z += both(a0[j]) * v - both(a1[j]) * u;
        }
        double d0 = a0[k + 1], d1 = a1[k + 1], d2 = a2[k + 1];
        x[1] += d1 * b2[0] - d2 * b1[0];
        y[1] += d2 * b0[0] - d0 * b2[0];
        z[1] += d0 * b1[0] - d1 * b0[0];
        save(x, out[0].c + k);
        save(y, out[1].c + k);
        save(z, out[2].c + k);
    }
    if (k > order)
        return;
    double x = 0.0, y = 0.0, z = 0.0;
    for (int j = 0, i = k; j <= k; j++, i--) {
        x += a1[j] * b2[i] - a2[j] * b1[i];
        y += a2[j] * b0[i] - a0[j] * b2[i];
        z += a0[j] * b1[i] - a1[j] * b0[i];
    }
    out[0].c[k] = x;
    out[1].c[k] = y;
    out[2].c[k] = z;
}

/* The coefficients of A + B (l - s)^p in powers of s have the ratios
 * (k + 1) c[k+1]/c[k] = (k - p)/l, which are linear in k: two of them give l
 * and p, a third one says whether it is so. Other terms fall off with l, which
 * is near to rounding where a motion cannot go on. A logarithm has p = 0. */

/* How far three ratios may be off a line, as a share of its slope. */
#define BENT 1e-3

bool
singularity_of(const double *c, int order, struct singularity *out)
{
    assert(c && out && order >= 5);
    double ratio[3];
    for (int i = 0; i < 3; i++) {
        int k = order - 3 + i;
        ratio[i] = (k + 1) * (c[k + 1] / c[k]);
        if (!isfinite(ratio[i]))
            return false;
    }
    double early = ratio[1] - ratio[0], late = ratio[2] - ratio[1];
    if (!(late > 0) || !(fabs(early - late) < BENT * late))
        return false;
    double before = order - 2 - ratio[1] / early;
    out->left = 1 / late;
    out->left_error = fabs(1 / early - out->left);
    out->exponent = order - 1 - ratio[2] * out->left;
    out->exponent_error = fabs(out->exponent - before);
    return true;
}

void
taylor_turn_from(int dim, int from, int order, const struct taylor A[9],
                 bool back, const struct taylor x[3], struct taylor out[3])
{
    for (int i = 0; i < dim; i++) {
        int k = from, at = back ? i : 3 * i, next = back ? 3 : 1;
        for (; k + 3 <= order; k += 4) {
            double sum[4] = {0.0, 0.0, 0.0, 0.0};
            for (int j = 0; j < dim; j++)
                add_four(A[at + j * next].c, x[j].c, k, sum);
            memcpy(out[i].c + k, sum, sizeof sum);
        }
        for (; k <= order; k++) {
            double sum = 0.0;
            for (int j = 0; j < dim; j++)
                sum = add_one(A[at + j * next].c, x[j].c, k, sum);
            out[i].c[k] = sum;
        }
    }
    if (dim == 2)
        taylor_const_from(from, order, 0.0, &out[2]);
}

void
taylor_turn_fixed(int dim, int from, int order, const struct taylor A[9],
                  bool back, const double x[3], struct taylor out[3])
{
    for (int i = 0; i < dim; i++) {
        const double *a = A[back ? i : 3 * i].c,
                     *b = A[back ? 3 + i : 3 * i + 1].c,
                     *c = A[back ? 6 + i : 3 * i + 2].c;
        int k = from;
        for (; k < order; k += 2)
            save(load(a + k) * both(x[0]) + load(b + k) * both(x[1]) +
                     load(c + k) * both(x[2]),
                 out[i].c + k);
        if (k == order)
            out[i].c[k] = a[k] * x[0] + b[k] * x[1] + c[k] * x[2];
    }
    if (dim == 2)
        taylor_const_from(from, order, 0.0, &out[2]);
}

void
taylor_cross_fixed(int dim, int from, int order, const struct taylor a[3],
                   const double x[3], double sign, struct taylor out[3])
{
    for (int i = dim == 2 ? 2 : 0; i < 3; i++) {
        const double *u = a[(i + 1) % 3].c, *v = a[(i + 2) % 3].c,
                     y = x[(i + 2) % 3], z = x[(i + 1) % 3];
        for (int k = from; k <= order; k++)
            out[i].c[k] = sign * (u[k] * y - v[k] * z);
    }
}

/* -- how long the series of a variable holds ---------------------------------
 */

#define TRUNCATION_LOG2 (-51.15) /* to ROUGH_ERROR */
#define TRUNCATION_LN (-35.45506712678484)
/* the most orders of a row, and the last that its size is taken of */
#define ORDERS (IMP_ORDER_MAX + 1)
#define SIZE_ORDER 4
/* rounds to find the size of a variable that begins near 0 */
#define SIZE_ROUNDS 40
/* The radius of convergence may fall by this factor from piece to piece. */
#define RADIUS_FALLS 2.0

/* The first of the orders that are asked for the radius of convergence. */
static int
asked_from(int order)
{
    int from = 2 * order / 3;
    return from > SIZE_ORDER ? from : SIZE_ORDER;
}

/* The logarithms of the terms of a row, as far as they have been asked for. */
struct term_logs {
    uint32_t known; /* bits 1 << k */
    double log[ORDERS];
};

/* The time for which the terms of a row stay below the truncation of this
 * size. */
static double
terms_time(const double *row, const struct rough_terms *terms, double size,
           struct term_logs *logs)
{
    double time = INFINITY, of_size = log(size);
    uint32_t asked = rough_least(terms, size);
    for (int k = terms->from; k <= terms->order; k++)
        if (row[k] != 0.0 && rough_asks(asked, k)) {
            if (!(logs->known >> k & 1))
                logs->log[k] = log(fabs(row[k]));
            logs->known |= 1u << k;
            double root = (of_size - logs->log[k]) / k;
            time = fmin(time, exp(root + TRUNCATION_LN / (k < terms->order - 1
                                                              ? terms->order
                                                              : k)));
        }
    return time;
}

/* The same to a few of 100. */
static double
terms_time_about(const struct rough_terms *terms, double size)
{
    double least = INFINITY, of_size = rough_log2(size);
    if (!terms->finite || !(size <= DBL_MAX))
        return 0.0;
    for (int k = terms->from; k <= terms->order; k++)
        if (terms->any >> k & 1)
            least = fmin(least, terms->part[k] * of_size + terms->at[k]);
    return exp2(least);
}

/* The size of a row `time` from its beginning; of infinite time: at it. */
static double
size_at(const double *row, int order, double time)
{
    double size = fabs(row[0]), power = time;
    int from = asked_from(order),
        last = from - 1 < SIZE_ORDER ? from - 1 : SIZE_ORDER;
    /* a variable that is held at 0 may begin with the rounding of a high order
     */
    if (isfinite(time))
        for (int k = 1; k <= last || (size == 0.0 && k < from);
             k++, power *= time)
            size = fmax(size, fabs(row[k]) * power);
    else
        for (int k = 1; k <= order && size == 0.0; k++)
            size = fabs(row[k]);
    return size;
}

static double
holds(const double *row, int order, bool about)
{
    double time = INFINITY, was;
    int round = 0;
    struct rough_terms terms;
    struct term_logs logs = {.known = 0};
    rough_terms_make(&terms, row, asked_from(order), order, TRUNCATION_LOG2);
    do {
        double size = size_at(row, order, time);
        was = time;
        time = INFINITY;
        if (size == 0.0)
            break;
        time = about ? terms_time_about(&terms, size)
                     : terms_time(row, &terms, size, &logs);
    } while (fabs(time - was) > 0.05 * time && ++round < SIZE_ROUNDS);
    return time;
}

double
series_holds(const double *row, int order)
{
    assert(row && order >= SERIES_ORDER_LEAST && order <= IMP_ORDER_MAX);
    return holds(row, order, false);
}

double
series_holds_about(const double *row, int order)
{
    assert(row && order >= SERIES_ORDER_LEAST && order <= IMP_ORDER_MAX);
    return holds(row, order, true);
}

bool
series_holds_for(const double *row, int order, double span)
{
    assert(row && order >= SERIES_ORDER_LEAST && order <= IMP_ORDER_MAX);
    if (!isfinite(span))
        return false;
    double size = size_at(row, order, span), power = 1.0, far = 1.0,
           reach = span * exp(-TRUNCATION_LN / order);
    for (int k = 1; k <= order; k++) {
        power *= span;
        far *= reach;
        if (row[k] == 0.0 || k < asked_from(order))
            continue;
        if (!(k < order - 1 ? fabs(row[k]) * far <= size
                            : fabs(row[k]) * power <= SERIES_TRUNCATION * size))
            return false;
    }
    return true;
}

int
series_order_for(double span, double holds, int order)
{
    assert(span >= 0.0 && order >= SERIES_ORDER_LEAST);
    /* beyond `holds` terms fall with the radius of convergence */
    double radius = holds * exp(-TRUNCATION_LN / order),
           least = -TRUNCATION_LN / log(radius / (RADIUS_FALLS * span));
    if (!(radius > RADIUS_FALLS * span) || !(least < order))
        return order;
    return least > SERIES_ORDER_LEAST ? (int)ceil(least) : SERIES_ORDER_LEAST;
}
