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

/* The attitude of a body at the start and now. False: they are the same. */
static bool
attitudes(const struct rt *run, uint32_t body, double R0[9], double R[9])
{
    if (body == IMP_WORLD || run->start.state == NULL)
        return false;
    bool plane = run->im->dim == 2;
    uint32_t at = rt_body(run, body)->env_state;
    const double *state = run->env + at,
                 *s0 = run->start.state + (at - run->im->layout.state);
    if (rt_time(run) == 0 ||
        !memcmp(state, s0, (plane ? 3 : 7) * sizeof *state))
        return false;
    pose_attitude(plane, s0, R0);
    pose_attitude(plane, state, R);
    return true;
}

void
pose_turn_back(const struct rt *run, uint32_t body, const double now[3],
               double out[3])
{
    assert(now != NULL && out != NULL);
    double R0[9], R[9], z[3];
    memcpy(out, now, 3 * sizeof *out);
    if (!attitudes(run, body, R0, R))
        return;
    mat3_apply_transposed(R, now, z);
    for (int i = 0; i < 3; i++)
        out[i] = R0[3 * i] * z[0] + R0[3 * i + 1] * z[1] + R0[3 * i + 2] * z[2];
}

void
pose_carry(const struct rt *run, uint32_t body, bool turn,
           const double given[3], double out[3])
{
    assert(body == IMP_WORLD || body < run->im->bodies.n);
    assert(given != NULL && out != NULL);
    memcpy(out, given, 3 * sizeof *out);
    double R0[9], R[9], y[3], z[3];
    if (!attitudes(run, body, R0, R))
        return;
    uint32_t at = rt_body(run, body)->env_state, dim = run->im->dim;
    const double *state = run->env + at,
                 *s0 = run->start.state + (at - run->im->layout.state);
    for (uint32_t i = 0; i < 3; i++)
        y[i] = given[i] - (turn || i >= dim ? 0 : s0[i]);
    mat3_apply_transposed(R0, y, z);
    for (uint32_t i = 0; i < 3; i++)
        out[i] = R[3 * i] * z[0] + R[3 * i + 1] * z[1] + R[3 * i + 2] * z[2] +
                 (turn || i >= dim ? 0 : state[i]);
}
