/* SPDX-License-Identifier: MIT */
/* Series rules of the operators that are more than one convolution: powers
 * with any exponent, hypot, atan2, fmod, the gamma functions. Each call gives
 * coefficient k from the rows of the operands (to k) and of the result (to
 * k - 1). u' etc. are derivatives in time; k c_k are the coefficients of
 * s y'(s).
 *
 * Letters: y is the row of the result; a and b, or u and its exponent p, are
 * the rows of the operands. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/image.h"
#include "runtime/tape/functions.h"

#define N (IMP_ORDER_MAX + 1)

static int
all_zero(const double *a, int from, int to)
{
    for (int j = from; j <= to; j++)
        if (a[j] != 0)
            return 0;
    return 1;
}

/* Returns coefficient k >= 1 of z = w^p, where w_0 != 0, from z_0 .. z_{k-1}.
 * From w z' = p w' z follows k w_0 z_k = sum_j (p j - (k - j)) w_j z_{k-j}. */
static double
power_step(const double *w, double p, const double *z, int k)
{
    double sum = 0;
    for (int j = 1; j <= k; j++)
        sum += (p * (double)j - (double)(k - j)) * w[j] * z[k - j];
    return sum / ((double)k * w[0]);
}

/* Returns a coefficient of u^p, |u|^p or sgn(u)|u|^p where u_0 = 0. Then u =
 * s^zeros w with w_0 != 0, and from here on (s > 0) the power is s^leading w^p,
 * where leading = zeros p: a series if that is whole. */
static double
power_at_zero(uint32_t op, const double *u, double p, int k)
{
    int zeros = 1;
    while (zeros <= k && u[zeros] == 0)
        zeros++;
    if (zeros > k)
        return p >= 0 ? 0 : (double)NAN;
    double leading = p * (double)zeros;
    if (leading < 0)
        return (double)NAN;
    if ((double)k < leading)
        return 0;
    int ok = op == IMP_OP_POW && u[zeros] < 0 ? p == rint(p)
                                              : leading == rint(leading);
    int last = k - (int)leading;
    /* For p < 1 coefficients of u beyond k would be needed. */
    if (!ok || last + zeros > k)
        return (double)NAN;
    const double *w = u + zeros;
    double z[N];
    if (op == IMP_OP_POW)
        z[0] = imp_pow(w[0], p);
    else
        z[0] = imp_abspow(w[0], p);
    if (op == IMP_OP_SGNPOW && w[0] < 0)
        z[0] = -z[0];
    for (int j = 1; j <= last; j++)
        z[j] = power_step(w, p, z, j);
    return z[last];
}

/* The power u^p whose exponent changes in time: y' = y e', where e = p log|u|.
 */
static double
power_general(const double *u, const double *p, const double *y, int k)
{
    double logarithm[N], sum = 0;
    logarithm[0] = imp_log(imp_fabs(u[0]));
    for (int i = 1; i <= k; i++) {
        double t = 0;
        for (int j = 1; j < i; j++)
            t += (double)j * logarithm[j] * u[i - j];
        logarithm[i] = (u[i] - t / (double)i) / u[0];
    }
    for (int j = 1; j <= k; j++) {
        double e = 0;
        for (int i = 0; i <= j; i++)
            e += p[i] * logarithm[j - i];
        sum += (double)j * e * y[k - j];
    }
    return sum / (double)k;
}

static double
power(uint32_t op, const double *u, const double *p, const double *y, int k)
{
    int fixed = all_zero(p, 1, k);
    /* where the power of a small u_0 underflows its series would be 0 */
    int none =
        u[0] == 0 || (p[0] > 0 && fabs(u[0]) < 1 && fabs(y[0]) < DBL_MIN);
    if (none)
        return fixed ? power_at_zero(op, u, p[0], k) : (double)NAN;
    if (fixed)
        return power_step(u, p[0], y, k);
    if (op == IMP_OP_POW && u[0] < 0)
        return (double)NAN;
    return power_general(u, p, y, k);
}

/* From y^2 = a^2 + b^2 follows y y' = a a' + b b'. Where both begin as a power
 * of s, (a, b) = s^zeros (A, B), the length is s^zeros hypot(A, B) from here
 * on. */
static double
hypot_step(const double *a, const double *b, const double *y, int k)
{
    double sum = 0;
    int zeros = 0;
    while (zeros <= k && a[zeros] == 0 && b[zeros] == 0)
        zeros++;
    if (zeros > k)
        return 0;
    if (zeros == k)
        return imp_hypot(a[k], b[k]);
    a += zeros;
    b += zeros;
    y += zeros;
    k -= zeros;
    for (int j = 1; j <= k; j++)
        sum += (double)j * (a[j] * a[k - j] + b[j] * b[k - j]);
    for (int j = 1; j < k; j++)
        sum -= (double)j * y[j] * y[k - j];
    return sum / ((double)k * y[0]);
}

/* For y = atan2(a, b): (a^2 + b^2) y' = b a' - a b'. */
static double
atan2_step(const double *a, const double *b, const double *y, int k)
{
    double d[N], sum = 0;
    for (int i = 0; i < k; i++) {
        d[i] = 0;
        for (int j = 0; j <= i; j++)
            d[i] += a[j] * a[i - j] + b[j] * b[i - j];
    }
    for (int j = 1; j <= k; j++)
        sum += (double)j * (a[j] * b[k - j] - b[j] * a[k - j]);
    for (int j = 1; j < k; j++)
        sum -= (double)j * y[j] * d[k - j];
    return sum / ((double)k * d[0]);
}

/* The series of psi^(n)(u(s)) to order k, by Horner's rule on the Taylor series
 * at u_0. */
static void
polygamma_of(double n, const double *u, int k, double *out)
{
    double taylor[N], product[N], factorial = 1;
    for (int i = 0; i <= k; i++) {
        factorial *= i ? (double)i : 1;
        taylor[i] = imp_polygamma(n + (double)i, u[0]) / factorial;
    }
    memset(out, 0, sizeof(double) * (size_t)(k + 1));
    for (int i = k; i >= 0; i--) {
        /* Multiply by (u - u_0) and add taylor_i; orders above k are left out.
         */
        for (int m = 0; m <= k; m++) {
            product[m] = 0;
            for (int j = 1; j <= m; j++)
                product[m] += u[j] * out[m - j];
        }
        memcpy(out, product, sizeof(double) * (size_t)(k + 1));
        out[0] += taylor[i];
    }
}

/* Uses lgamma' = psi(u) u', and gamma' = gamma psi(u) u'. */
static double
gamma_step(uint32_t op, const double *u, const double *y, int k)
{
    double psi[N], e[N], sum = 0;
    polygamma_of(0, u, k - 1, psi);
    for (int j = 1; j <= k; j++) {
        e[j] = 0; /* Returns j times coefficient j of lgamma(u). */
        for (int i = 1; i <= j; i++)
            e[j] += (double)i * u[i] * psi[j - i];
    }
    if (op == IMP_OP_LGAMMA)
        return e[k] / (double)k;
    for (int j = 1; j <= k; j++)
        sum += e[j] * y[k - j];
    return sum / (double)k;
}

double
imp_series_op(uint32_t op, const double *a, const double *b, const double *y,
              int k)
{
    assert(a != NULL && b != NULL && y != NULL);
    assert(k >= 1 && k <= IMP_ORDER_MAX);
    double out[N];
    switch (op) {
    case IMP_OP_POW:
    case IMP_OP_ABSPOW:
    case IMP_OP_SGNPOW:
        return power(op, a, b, y, k);
    case IMP_OP_HYPOT:
        return hypot_step(a, b, y, k);
    case IMP_OP_ATAN2:
        return atan2_step(a, b, y, k);
    case IMP_OP_MOD:
        return a[k] - imp_trunc(a[0] / b[0]) * b[k];
    case IMP_OP_GAMMA:
    case IMP_OP_LGAMMA:
        return gamma_step(op, a, y, k);
    case IMP_OP_POLYGAMMA:
        if (!all_zero(a, 1, k))
            return (double)NAN;
        polygamma_of(a[0], b, k, out);
        return out[k];
    default:
        return (double)NAN;
    }
}
