/* SPDX-License-Identifier: MIT */
/* Truncated power series in time, c[0] + c[1] t + ... + c[order] t^order, for
 * the gaps of features (polytope_contact.h). All functions take the order;
 * entries beyond it are not read and not written. The result may be an operand
 * of add, sub, scale only. */
#ifndef IMP_RUNTIME_NUMERICS_TAYLOR_H
#define IMP_RUNTIME_NUMERICS_TAYLOR_H

#include "abi/image.h"

struct jet {
    double c[IMP_ORDER_MAX + 1];
};

void jet_const(int order, double x, struct jet *out);
void jet_add(int order, const struct jet *a, const struct jet *b,
             struct jet *out);
void jet_sub(int order, const struct jet *a, const struct jet *b,
             struct jet *out);
void jet_scale(int order, double s, const struct jet *a, struct jet *out);
void jet_mul(int order, const struct jet *a, const struct jet *b,
             struct jet *out);
/* not finite where b(0) = 0 */
void jet_div(int order, const struct jet *a, const struct jet *b,
             struct jet *out);
/* not finite where a(0) <= 0 */
void jet_sqrt(int order, const struct jet *a, struct jet *out);
double jet_at(int order, const struct jet *a, double t);

/* vectors of three */
void jet_dot(int order, const struct jet a[3], const struct jet b[3],
             struct jet *out);
void jet_dotc(int order, const struct jet a[3], const double b[3],
              struct jet *out);
void jet_cross(int order, const struct jet a[3], const struct jet b[3],
               struct jet out[3]);

#endif
