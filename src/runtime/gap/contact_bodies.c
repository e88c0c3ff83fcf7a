/* SPDX-License-Identifier: MIT */
/* See contact_bodies.h. */
#include "runtime/gap/contact_bodies.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"

#include "runtime/geometry/pose.h"
#include "runtime/geometry/support.h"
#include "runtime/numerics/vec3.h"

/* Rates of two bodies are the same to this, of the sizes they are made of. */
#define AS_ONE 0x1p-40

bool
body_rests(const imp_body *body)
{
    assert(body != NULL);
    return (body->flags & IMP_BODYF_FIXED) &&
           !(body->flags & IMP_BODYF_PRESCRIBED);
}

/* How a driven body moves at this instant: its mass centre, the velocity of
 * that, and its spin, in world axes. */
struct rigid_rates {
    double place[3], velocity[3], spin[3];
};

static bool
is_driven(const imp_body *body)
{
    return (body->flags & IMP_BODYF_FIXED) && !body_rests(body);
}

static struct rigid_rates
rates_of(const struct rt *run, uint32_t b)
{
    const double *s = run->env + rt_body(run, b)->env_state;
    struct rigid_rates rates = {.spin = {0.0, 0.0, 0.0}};
    bool plane = run->im->dim == 2;
    for (uint32_t i = 0; i < run->im->dim; i++) {
        rates.place[i] = s[i];
        rates.velocity[i] = s[(plane ? 3 : 7) + i];
    }
    if (plane) {
        rates.spin[2] = s[5];
        return rates;
    }
    double R[9];
    pose_attitude(false, s, R);
    for (int i = 0; i < 3; i++)
        rates.spin[i] = vec3_dot(R + 3 * i, s + 10);
    return rates;
}

/* Do both move as one rigid body at this instant? Velocities that are formulas
 * of time differ by the rounding of their terms. */
static bool
move_as_one(const struct rigid_rates *one, const struct rigid_rates *two)
{
    double arm[3], carried[3], off[3], turn[3];
    for (int i = 0; i < 3; i++) {
        arm[i] = two->place[i] - one->place[i];
        turn[i] = two->spin[i] - one->spin[i];
    }
    vec3_cross(one->spin, arm, carried);
    for (int i = 0; i < 3; i++)
        off[i] = two->velocity[i] - one->velocity[i] - carried[i];
    double spin = vec3_norm(one->spin) + vec3_norm(two->spin);
    double size = vec3_norm(one->velocity) + vec3_norm(two->velocity) +
                  spin * (vec3_norm(one->place) + vec3_norm(two->place));
    return vec3_norm(turn) <= AS_ONE * spin && vec3_norm(off) <= AS_ONE * size;
}

/* The first driven body that moves as this one does, this one included. */
static uint32_t
driven_with(const struct rt *run, const uint32_t *group, uint32_t b)
{
    const struct rigid_rates rates = rates_of(run, b);
    for (uint32_t a = 0; a < b; a++) {
        if (group[a] != a || !is_driven(rt_body(run, a)))
            continue;
        const struct rigid_rates before = rates_of(run, a);
        if (move_as_one(&before, &rates))
            return a;
    }
    return b;
}

const uint32_t *
rigid_groups(struct rt *run)
{
    assert(run != NULL);
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    uint32_t *group = NEW_N(run->brief, uint32_t, run->im->bodies.n + 1);
    for (uint32_t b = 0; b < run->im->bodies.n; b++)
        group[b] = body_rests(rt_body(run, b))  ? IMP_WORLD
                   : is_driven(rt_body(run, b)) ? driven_with(run, group, b)
                                                : b;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t j = 0; j < run->im->joints.n; j++) {
            if (joint[j].kind != IMP_JOINT_WELD)
                continue;
            uint32_t of[2];
            for (int s = 0; s < 2; s++) {
                uint32_t b = joint[j].body[s];
                of[s] = b == IMP_WORLD ? IMP_WORLD : group[b];
            }
            if (of[0] == of[1])
                continue;
            uint32_t one = of[0] == IMP_WORLD   ? IMP_WORLD
                           : of[1] == IMP_WORLD ? IMP_WORLD
                           : of[0] < of[1]      ? of[0]
                                                : of[1];
            for (int s = 0; s < 2; s++)
                if (joint[j].body[s] != IMP_WORLD)
                    group[joint[j].body[s]] = one;
            again = true;
        }
    }
    return group;
}

void
body_speeds(const struct rt *run, const imp_body *body, double *speed,
            double *spin)
{
    assert(run != NULL && speed != NULL && spin != NULL);
    *speed = *spin = 0.0;
    if (body_rests(body))
        return;
    const double *s = run->env + body->env_state;
    int d = (int)run->im->dim;
    const double *v = s + (d == 2 ? 3 : 7), *w = s + (d == 2 ? 5 : 10);
    for (int i = 0; i < d; i++)
        *speed = hypot(*speed, v[i]);
    *spin = d == 2 ? fabs(w[0]) : vec3_norm(w);
}

void
body_add_velocity(const struct rt *run, const imp_body *body, double sign,
                  double velocity[3])
{
    assert(sign == 1.0 || sign == -1.0);
    const double *s = run->env + body->env_state + (run->im->dim == 2 ? 3 : 7);
    for (uint32_t j = 0; j < run->im->dim && !body_rests(body); j++)
        velocity[j] += sign * s[j];
}

bool
contact_moves_as_one(const struct rt *run, const imp_contact *image_contact,
                     double length, double tol)
{
    assert(run != NULL && image_contact != NULL);
    bool plane = run->im->dim == 2;
    double spin[2][3] = {{0.0}}, apart[3] = {0.0}, turn[3], moves[3] = {0.0};
    for (int side = 0; side < 2; side++) {
        const imp_body *body = rt_body(run, image_contact->body[side]);
        const double *state = run->env + body->env_state;
        double sign = side ? 1.0 : -1.0;
        if (!body_rests(body) && plane) {
            spin[side][2] = state[5];
        } else if (!body_rests(body)) {
            double R[9];
            mat3_of_quaternion(state + 3, R);
            mat3_apply(R, state + 10, spin[side]);
        }
        body_add_velocity(run, body, sign, moves);
        for (int i = 0; i < (plane ? 2 : 3); i++)
            apart[i] += sign * state[i];
    }
    vec3_cross(spin[0], apart, turn);
    for (int i = 0; i < 3; i++)
        if (fabs(moves[i] - turn[i]) > tol ||
            fabs(spin[1][i] - spin[0][i]) * length > tol)
            return false;
    return true;
}

size_t
contact_bodies_state(const struct rt *run, const imp_contact *image_contact,
                     double *state)
{
    assert(run != NULL && image_contact != NULL && state != NULL);
    size_t n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    for (int i = 0; i < 2; i++)
        memcpy(state + (size_t)i * n,
               run->env + rt_body(run, image_contact->body[i])->env_state,
               n * sizeof *state);
    return 2 * n * sizeof *state;
}

void
contact_bodies_enter(struct rt *run, const imp_contact *image_contact)
{
    assert(run != NULL && image_contact != NULL);
    if (!(image_contact->flags & IMP_CONTACTF_ALIKE))
        return;
    uint32_t dim = run->im->dim;
    for (uint32_t side = 0; side < 2; side++) {
        const imp_body *body = rt_body(run, image_contact->body[side]);
        double *to =
            run->env + run->im->layout.pair + side * IMP_PAIR_SIZE(dim);
        memcpy(to + IMP_BODY_CENTRE,
               run->env + body->env_body + IMP_BODY_CENTRE, 3 * sizeof *to);
        memcpy(to + IMP_BODY_SIZE, run->env + body->env_state,
               (dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE) * sizeof *to);
    }
}

void
contact_bodies_rows(const struct rt *run, const imp_contact *image_contact,
                    const double *rows[2])
{
    assert(run != NULL && image_contact != NULL);
    for (int i = 0; i < 2; i++) {
        uint32_t block = rt_body(run, image_contact->body[i])->block;
        rows[i] = block != IMP_NO_BLOCK && block < run->im->blocks.n
                      ? run->rows.block[block]
                      : NULL;
    }
}

double *
contact_work(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    if (run->rows.contact[contact] == NULL) {
        size_t rows = rt_tape(run, rt_gap_tape(run, contact))->n_rows;
        run->rows.contact[contact] =
            NEW_N(run->own, double, (rows + 1) * IMP_ROW_STRIDE);
    }
    return run->rows.contact[contact];
}

const double *
tape_output_row(const struct rt *run, uint32_t tape, const double *work,
                uint32_t i)
{
    assert(tape < run->im->tapes.n);
    const imp_tape *image_tape =
        IMP_ARRAY(run->im, run->im->tapes, imp_tape) + tape;
    uint32_t reg = IMP_ARRAY(run->im, image_tape->outs, uint32_t)[i];
    const imp_instr *instr =
        IMP_ARRAY(run->im, image_tape->code, imp_instr) + reg;
    return work + (size_t)instr->row * IMP_ROW_STRIDE + IMP_ROW_PAD;
}
