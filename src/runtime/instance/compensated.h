/* SPDX-License-Identifier: MIT */
/* Compensated sums of the state, for those who write it: motion.c, joints.c. */
#ifndef IMP_RUNTIME_INSTANCE_COMPENSATED_H
#define IMP_RUNTIME_INSTANCE_COMPENSATED_H

/* x + lo += d without loss (Neumaier) */
static inline void
state_add(double *x, double *lo, double d)
{
    double s = *x + d, back = s - *x;
    double e = (*x - (s - back)) + (d - back) + *lo;
    *x = s + e;
    *lo = e - (*x - s);
}

/* x x - p for p = x x rounded, |x| about 1 (Dekker 1971; a call of fma costs
 * more where the processor at hand is not known) */
static inline double
state_square_rest(double x, double p)
{
    double c = 134217729.0 * x, hi = c - (c - x), lo = x - hi;
    return ((hi * hi - p) + 2.0 * hi * lo) + lo * lo;
}

/* |q| = 1 to more than double precision: s = |q|^2 - 1 with exact products,
 * q -= q s/2 */
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
