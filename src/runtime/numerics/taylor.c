/* SPDX-License-Identifier: MIT */
/* Arithmetic of truncated power series (taylor.h): the rules of the series
 * functions of tapes (Moore 1966), for formulas that are chosen while a run
 * goes on. */
#include "runtime/numerics/taylor.h"

#include <math.h>
#include <string.h>

void
jet_const(int order, double x, struct jet *out)
{
    memset(out->c, 0, sizeof(double) * (size_t)(order + 1));
    out->c[0] = x;
}

void
jet_add(int order, const struct jet *a, const struct jet *b, struct jet *out)
{
    for (int k = 0; k <= order; k++)
        out->c[k] = a->c[k] + b->c[k];
}

void
jet_sub(int order, const struct jet *a, const struct jet *b, struct jet *out)
{
    for (int k = 0; k <= order; k++)
        out->c[k] = a->c[k] - b->c[k];
}

void
jet_scale(int order, double s, const struct jet *a, struct jet *out)
{
    for (int k = 0; k <= order; k++)
        out->c[k] = s * a->c[k];
}

void
jet_mul(int order, const struct jet *a, const struct jet *b, struct jet *out)
{
    for (int k = 0; k <= order; k++) {
        double s = 0.0;
        for (int j = 0; j <= k; j++)
            s += a->c[j] * b->c[k - j];
        out->c[k] = s;
    }
}

void
jet_div(int order, const struct jet *a, const struct jet *b, struct jet *out)
{
    for (int k = 0; k <= order; k++) {
        double s = a->c[k];
        for (int j = 1; j <= k; j++)
            s -= b->c[j] * out->c[k - j];
        out->c[k] = s / b->c[0];
    }
}

void
jet_sqrt(int order, const struct jet *a, struct jet *out)
{
    out->c[0] = sqrt(a->c[0]);
    /* y y = a: 2 y_0 y_k = a_k - sum_{j=1..k-1} y_j y_{k-j} */
    for (int k = 1; k <= order; k++) {
        double s = a->c[k];
        for (int j = 1; j < k; j++)
            s -= out->c[j] * out->c[k - j];
        out->c[k] = s / (2.0 * out->c[0]);
    }
}

double
jet_at(int order, const struct jet *a, double t)
{
    double y = a->c[order];
    for (int k = order - 1; k >= 0; k--)
        y = y * t + a->c[k];
    return y;
}

void
jet_dot(int order, const struct jet a[3], const struct jet b[3],
        struct jet *out)
{
    for (int k = 0; k <= order; k++) {
        double s = 0.0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j <= k; j++)
                s += a[i].c[j] * b[i].c[k - j];
        out->c[k] = s;
    }
}

void
jet_dotc(int order, const struct jet a[3], const double b[3], struct jet *out)
{
    for (int k = 0; k <= order; k++)
        out->c[k] = a[0].c[k] * b[0] + a[1].c[k] * b[1] + a[2].c[k] * b[2];
}

void
jet_cross(int order, const struct jet a[3], const struct jet b[3],
          struct jet out[3])
{
    for (int k = 0; k <= order; k++)
        for (int i = 0; i < 3; i++) {
            const struct jet *a1 = a + (i + 1) % 3, *a2 = a + (i + 2) % 3;
            const struct jet *b1 = b + (i + 1) % 3, *b2 = b + (i + 2) % 3;
            double s = 0.0;
            for (int j = 0; j <= k; j++)
                s += a1->c[j] * b2->c[k - j] - a2->c[j] * b1->c[k - j];
            out[i].c[k] = s;
        }
}
