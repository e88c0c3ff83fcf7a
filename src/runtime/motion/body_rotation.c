/* SPDX-License-Identifier: MIT */
/* The rotation of a body as a series, from the series of its quaternion. */
#include <assert.h>
#include <string.h>

#include "runtime/instance/run.h"
#include "runtime/motion/contact_point.h"

void
body_rotation(const struct rt *run, uint32_t body, int from, int order,
              struct taylor R[9])
{
    assert(run != NULL && from >= 0 && from <= order && R != NULL);
    const imp_body *image_body = rt_body(run, body);
    const double *work = run->rows.block[image_body->block];
    struct taylor q[4], product[16];
    bool plane = run->im->dim == 2;
    for (int i = 2; i < 9 && plane; i++)
        if (i % 3 == 2 || i >= 6)
            taylor_const_from(from, order, i == 8, &R[i]);
    for (int i = 0; i < (plane ? 2 : 4); i++)
        memcpy(q[i].c,
               work +
                   (size_t)image_body->pose[(plane ? 2 : 3) + i] *
                       IMP_ROW_STRIDE +
                   IMP_ROW_PAD,
               sizeof(double) * (size_t)(order + 1));
    if (plane) {
        R[0] = R[4] = q[0];
        R[3] = q[1];
        taylor_scale_from(from, order, -1.0, &q[1], &R[1]);
        return;
    }
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++)
            taylor_mul_from(from, order, &q[i], &q[j], &product[4 * i + j]);
    for (int row = 0; row < 3; row++) {
        int next = (row + 1) % 3, k = (row + 2) % 3;
        /* 1 - 2 (qj qj + qk qk) */
        taylor_add_from(from, order, &product[5 * (next + 1)],
                        &product[5 * (k + 1)], &R[4 * row]);
        taylor_scale_from(from, order, -2.0, &R[4 * row], &R[4 * row]);
        if (from == 0)
            R[4 * row].c[0] += 1.0;
        /* 2 (qi qj -+ q0 qk) */
        int lo = row < next ? row : next, hi = row < next ? next : row;
        struct taylor *xy = &product[4 * (lo + 1) + hi + 1],
                      *w = &product[k + 1];
        taylor_sub_from(from, order, xy, w, &R[3 * row + next]);
        taylor_scale_from(from, order, 2.0, &R[3 * row + next],
                          &R[3 * row + next]);
        taylor_add_from(from, order, xy, w, &R[3 * next + row]);
        taylor_scale_from(from, order, 2.0, &R[3 * next + row],
                          &R[3 * next + row]);
    }
}
