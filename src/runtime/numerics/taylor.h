/* SPDX-License-Identifier: MIT */
/* Truncated power series in time, c[0] + c[1] t + ... + c[order] t^order, for
 * the gaps of features (polytope_contact.h). All functions take the order, at
 * most IMP_ORDER_MAX; entries beyond it are neither read nor written. The
 * result may be an operand of taylor_add, taylor_sub and taylor_scale only. */
#ifndef IMP_RUNTIME_NUMERICS_TAYLOR_H
#define IMP_RUNTIME_NUMERICS_TAYLOR_H

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

/* The result is not finite where b(0) = 0. */
void taylor_div(int order, const struct taylor *a, const struct taylor *b,
                struct taylor *out);
/* The result is not finite where a(0) <= 0. */
void taylor_sqrt(int order, const struct taylor *a, struct taylor *out);
double taylor_at(int order, const struct taylor *a, double t);

#endif
