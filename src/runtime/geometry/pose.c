/* SPDX-License-Identifier: MIT */
/* See pose.h. */
#include "runtime/geometry/pose.h"

#include <assert.h>
#include <string.h>

#include "runtime/numerics/vec3.h"
#include "runtime/tape/functions.h"

void
pose_attitude(bool plane, const double *state, double R[9])
{
    assert(state != NULL && R != NULL);
    if (plane)
        mat3_of_angle(imp_cos(state[2]), imp_sin(state[2]), R);
    else
        mat3_of_quaternion(state + 3, R);
}

void
pose_rotation(const struct rt *r, uint32_t body, double R[9])
{
    pose_attitude(r->im->dim == 2, r->env + rt_body(r, body)->env_state, R);
}

void
pose_carry(const struct rt *r, uint32_t body, bool turn, const double x[3],
           double out[3])
{
    memcpy(out, x, 3 * sizeof *out);
    if (body == IMP_WORLD || r->state0 == NULL)
        return;
    bool plane = r->im->dim == 2;
    uint32_t at = rt_body(r, body)->env_state, d = r->im->dim;
    const double *s = r->env + at, *s0 = r->state0 + (at - r->im->layout.state);
    if (rt_time(r) == 0 || !memcmp(s, s0, (plane ? 3 : 7) * sizeof *s))
        return;
    double R0[9], R[9], y[3], z[3];
    pose_attitude(plane, s0, R0);
    pose_attitude(plane, s, R);
    for (uint32_t i = 0; i < 3; i++)
        y[i] = x[i] - (turn || i >= d ? 0 : s0[i]);
    mat3_apply_transposed(R0, y, z);
    for (uint32_t i = 0; i < 3; i++)
        out[i] = R[3 * i] * z[0] + R[3 * i + 1] * z[1] + R[3 * i + 2] * z[2] +
                 (turn || i >= d ? 0 : s[i]);
}
