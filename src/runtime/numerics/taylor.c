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

void
taylor_mul_from(int from, int order, const struct taylor *a,
                const struct taylor *b, struct taylor *out)
{
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    for (int k = from; k <= order; k++) {
        double s = 0.0;
        for (int j = 0; j <= k; j++)
            s += a->c[j] * b->c[k - j];
        out->c[k] = s;
    }
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
    for (int k = from; k <= order; k++) {
        double s = 0.0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j <= k; j++)
                s += a[i].c[j] * b[i].c[k - j];
        out->c[k] = s;
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
    for (int k = from; k <= order; k++)
        for (int i = 0; i < 3; i++) {
            const struct taylor *a1 = a + (i + 1) % 3, *a2 = a + (i + 2) % 3;
            const struct taylor *b1 = b + (i + 1) % 3, *b2 = b + (i + 2) % 3;
            double s = 0.0;
            for (int j = 0; j <= k; j++)
                s += a1->c[j] * b2->c[k - j] - a2->c[j] * b1->c[k - j];
            out[i].c[k] = s;
        }
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
    for (int i = 0; i < dim; i++)
        for (int k = from; k <= order; k++) {
            double s = 0.0;
            for (int j = 0; j < dim; j++) {
                const double *a = A[back ? 3 * j + i : 3 * i + j].c;
                for (int l = 0; l <= k; l++)
                    s += a[l] * x[j].c[k - l];
            }
            out[i].c[k] = s;
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
        for (int k = from; k <= order; k++)
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
