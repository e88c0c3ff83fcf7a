/* SPDX-License-Identifier: MIT */
/* Velocity, acceleration and jerk of a body (body_kinematics.h). A free body
 * has a tape for them. Where joints, relays or closed contacts act on the body,
 * they are read off the series of its motion. */
#include "runtime/derivatives/body_kinematics.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/geometry/pose.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/numerics/vec3.h"
#include "runtime/relays/relays.h"

int
body_kinematics(struct rt *run, uint32_t body, double out[18])
{
    assert(run != NULL && out != NULL && body < run->im->bodies.n);
    const imp_body *image_body = rt_body(run, body);
    if (image_body->kinematics != IMP_NO_TAPE &&
        !(image_body->block != IMP_NO_BLOCK &&
          (persistent_moves(run, image_body->block) ||
           relays_act(run, image_body->block)))) {
        rt_enter(run, body);
        return rt_eval(run, image_body->kinematics, NULL, out);
    }
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + image_body->block;
    const uint32_t *state = IMP_ARRAY(run->im, block->state, uint32_t);
    const uint32_t *rows = IMP_ARRAY(run->im, block->rows, uint32_t);
    double *keep = run->rows.block[image_body->block], step;
    double *work = !persistent_moves(run, image_body->block)
                       ? joints_rows(run, image_body->block)
                       : NULL;
    if (!work) {
        size_t order =
            IMP_ARRAY(run->im, run->im->tapes, imp_tape)[block->motion].n_rows;
        work = NEW_N(run->brief, double, (order + 1) * IMP_ROW_STRIDE);
    }
    /* run->rows.block may be in use: the rows give states within the last step.
     */
    run->rows.block[image_body->block] = work;
    /* where a friction of joints has no series its motion is a parabola, which
     * only higher orders tell */
    int st = motion_series(run, image_body->block,
                           block->n_rub ? MOTION_STEP_ORDER : 2, &step);
    run->rows.block[image_body->block] = keep;
    if (st)
        return st;
    bool plane = run->im->dim == 2;
    uint32_t first = image_body->env_state + (plane ? 3 : 7);
    double derivative[3][6] = {
        {0}}; /* derivative; velocity, spin in body axes */
    for (uint32_t i = 0; i < block->state.n; i++) {
        if (state[i] < first || state[i] >= first + (plane ? 3 : 6))
            continue;
        uint32_t at = state[i] - first;
        if (plane && at == 2)
            at = 5;
        const double *row =
            work + (size_t)rows[i] * IMP_ROW_STRIDE + IMP_ROW_PAD;
        for (int order = 0; order < 3; order++)
            derivative[order][at] = row[order] * (order == 2 ? 2 : 1);
    }
    double R[9], gyro[3];
    pose_rotation(run, body, R);
    /* w = R w_b: w' = R w_b', w'' = R (w_b'' + w_b x w_b') */
    vec3_cross(derivative[0] + 3, derivative[1] + 3, gyro);
    for (int i = 0; i < 3; i++)
        derivative[2][3 + i] += gyro[i];
    for (int order = 0; order < 3; order++) {
        memcpy(out + 3 * order, derivative[order], 3 * sizeof *out);
        mat3_apply(R, derivative[order] + 3, out + 9 + 3 * order);
    }
    return IMP_OK;
}
