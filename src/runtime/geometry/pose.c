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
pose_rotation(const struct rt *run, uint32_t body, double R[9])
{
    assert(body < run->im->bodies.n);
    pose_attitude(run->im->dim == 2, run->env + rt_body(run, body)->env_state,
                  R);
}

void
pose_carry(const struct rt *run, uint32_t body, bool turn,
           const double given[3], double out[3])
{
    assert(body == IMP_WORLD || body < run->im->bodies.n);
    assert(given != NULL && out != NULL);
    memcpy(out, given, 3 * sizeof *out);
    if (body == IMP_WORLD || run->start.state == NULL)
        return;
    bool plane = run->im->dim == 2;
    uint32_t at = rt_body(run, body)->env_state, dim = run->im->dim;
    const double *state = run->env + at,
                 *s0 = run->start.state + (at - run->im->layout.state);
    if (rt_time(run) == 0 ||
        !memcmp(state, s0, (plane ? 3 : 7) * sizeof *state))
        return;
    double R0[9], R[9], y[3], z[3];
    pose_attitude(plane, s0, R0);
    pose_attitude(plane, state, R);
    for (uint32_t i = 0; i < 3; i++)
        y[i] = given[i] - (turn || i >= dim ? 0 : s0[i]);
    mat3_apply_transposed(R0, y, z);
    for (uint32_t i = 0; i < 3; i++)
        out[i] = R[3 * i] * z[0] + R[3 * i + 1] * z[1] + R[3 * i + 2] * z[2] +
                 (turn || i >= dim ? 0 : state[i]);
}
