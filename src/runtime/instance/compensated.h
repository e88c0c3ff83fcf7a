/* SPDX-License-Identifier: MIT */
/* Sums without loss, for the state of a run: a number x with a low part lo,
 * |lo| below the rounding of x. */
#ifndef IMP_RUNTIME_INSTANCE_COMPENSATED_H
#define IMP_RUNTIME_INSTANCE_COMPENSATED_H

/* Adds d to x + lo without loss (Neumaier 1974). */
static inline void
state_add(double *x, double *lo, double d)
{
    double s = *x + d, back = s - *x;
    double e = (*x - (s - back)) + (d - back) + *lo;
    *x = s + e;
    *lo = e - (*x - s);
}

/* What rounding took from p = x x, |x| about 1 (Dekker 1971). A call of fma
 * would cost more where the processor is not known when the program is made. */
static inline double
state_square_rest(double x, double p)
{
    double c = 134217729.0 * x, hi = c - (c - x), lo = x - hi;
    return ((hi * hi - p) + 2.0 * hi * lo) + lo * lo;
}

/* Scales a quaternion to |q| = 1, beyond double precision: with s = |q|^2 - 1
 * from exact products, q becomes q - q s/2. */
static inline void
state_renormalise(double *q, double *lo)
{
    double hi = -1.0, rest = 0.0;
    for (int i = 0; i < 4; i++) {
        double p = q[i] * q[i], pe = state_square_rest(q[i], p);
        double s = hi + p, back = s - hi;
        rest += (hi - (s - back)) + (p - back) + pe + 2.0 * q[i] * lo[i];
        hi = s;
    }
    double half = 0.5 * (hi + rest);
    for (int i = 0; i < 4; i++)
        state_add(&q[i], &lo[i], -half * q[i]);
}

#endif
