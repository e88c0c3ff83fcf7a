/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another way to look at the same motion. */
#include "frame.h"

#include <math.h>
#include <string.h>

#include "vector.h"

struct frame
frame_same(void)
{
    return (struct frame){
        .length = 1, .time = 1, .mass = 1, .quaternion = {1, 0, 0, 0}};
}

/* The mirror is diag(-1, 1, 1), which leaves half-planes and half-spaces the
 * same in their own axes. */
static void
frame_turn(const struct frame *frame, int dimension, double turn[3][3])
{
    if (dimension == 2)
        angle_matrix(frame->angle, turn);
    else
        quaternion_matrix(frame->quaternion, turn);
    for (int i = 0; frame->mirror && i < 3; i++)
        turn[i][0] = -turn[i][0];
}

static void
scale(double factor, double v[3])
{
    for (int k = 0; k < 3; k++)
        v[k] *= factor;
}

struct transformation {
    const struct frame *frame;
    double turn[3][3], hand;
    double length, time, mass;
    int dimension;
};

static void
turn_vector(struct transformation *by, double factor, double v[3])
{
    rotate(by->turn, v, v);
    scale(factor, v);
}

/* a velocity against the world */
static void
turn_velocity(struct transformation *by, double v[3])
{
    rotate(by->turn, v, v);
    add_scaled(v, 1, by->frame->boost, v);
    scale(by->length / by->time, v);
}

static void
turn_place(struct transformation *by, double x[3])
{
    rotate(by->turn, x, x);
    add_scaled(x, 1, by->frame->shift, x);
    scale(by->length, x);
}

static void
turn_load(struct transformation *by, struct load *load)
{
    double force = by->mass * by->length / (by->time * by->time);
    double moment = force * by->length;
    turn_vector(by, force, load->constant);
    load->spring *= force / by->length;
    turn_place(by, load->anchor);
    if (load->spring != 0)
        turn_velocity(by, load->anchor_rate);
    load->drag *= by->mass / by->time;
    if (load->drag != 0)
        turn_velocity(by, load->wind);
    turn_vector(by, force, load->wave);
    load->frequency /= by->time;
    turn_vector(by, by->hand * moment, load->torque);
    load->torque_drag *= moment * by->time;
}

static void
turn_attitude(struct transformation *by, struct body *body)
{
    if (by->dimension == 2) {
        body->angle =
            by->frame->angle + (by->frame->mirror ? -body->angle : body->angle);
        return;
    }
    /* the mirror on both sides of a turn reverses two parts of its axis */
    if (by->frame->mirror) {
        body->quaternion[2] = -body->quaternion[2];
        body->quaternion[3] = -body->quaternion[3];
    }
    quaternion_product(by->frame->quaternion, body->quaternion,
                       body->quaternion);
}

static void
turn_body(struct transformation *by, struct body *body)
{
    for (int i = 0; i < body->corners; i++) {
        if (by->frame->mirror)
            body->corner[i][0] = -body->corner[i][0];
        scale(by->length, body->corner[i]);
    }
    scale(by->length, body->size);
    body->density *= by->mass / pow(by->length, by->dimension);
    turn_place(by, body->position);
    turn_velocity(by, body->velocity);
    if (body->fixed)
        turn_velocity(by, body->carry);
    turn_vector(by, by->hand / by->time, body->spin);
    turn_attitude(by, body);
    turn_load(by, &body->load);
}

void
frame_apply(const struct frame *frame, struct model *model)
{
    struct transformation by = {.frame = frame,
                                .hand = frame->mirror ? -1 : 1,
                                .length = frame->length,
                                .time = frame->time,
                                .mass = frame->mass,
                                .dimension = model->dimension};
    frame_turn(frame, model->dimension, by.turn);
    turn_vector(&by, frame->length / (frame->time * frame->time),
                model->gravity);
    for (int i = 0; i < model->bodies; i++)
        turn_body(&by, &model->body[i]);
    model->until *= frame->time;
    for (int i = 0; i < model->times; i++)
        model->at[i] *= frame->time;
}

double
frame_time(const struct frame *frame, double time)
{
    return (time - frame->start) * frame->time;
}

double
frame_undo_time(const struct frame *frame, double time)
{
    return time / frame->time + frame->start;
}

void
frame_undo(const struct frame *frame, int dimension, double time,
           const struct state *in, struct state *out)
{
    double turn[3][3];
    struct state state = *in;
    frame_turn(frame, dimension, turn);
    scale(1 / frame->length, state.position);
    add_scaled(state.position, -1, frame->shift, state.position);
    add_scaled(state.position, -(time - frame->start), frame->boost,
               state.position);
    rotate_back(turn, state.position, state.position);
    scale(frame->time / frame->length, state.velocity);
    add_scaled(state.velocity, -1, frame->boost, state.velocity);
    rotate_back(turn, state.velocity, state.velocity);
    rotate_back(turn, state.spin, state.spin);
    scale(frame->time * (frame->mirror ? -1 : 1), state.spin);
    double inverse[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            inverse[i][k] = turn[k][i];
    multiply(inverse, state.turn, state.turn);
    for (int i = 0; frame->mirror && i < 3; i++)
        state.turn[i][0] = -state.turn[i][0];
    *out = state;
}

void
model_restart(struct model *model, const struct result *result, int row)
{
    double start = result->t[row];
    for (int i = 0; i < model->bodies; i++) {
        struct body *body = &model->body[i];
        struct load *load = &body->load;
        add_scaled(body->position, start, body->carry, body->position);
        add_scaled(load->anchor, start, load->anchor_rate, load->anchor);
        load->phase += load->frequency * start;
        if (!body_moves(model, i))
            continue;
        const struct state *state = result_state(result, row, i);
        memcpy(body->position, state->position, sizeof body->position);
        memcpy(body->velocity, state->velocity, sizeof body->velocity);
        memcpy(body->spin, state->spin, sizeof body->spin);
        memcpy(body->quaternion, state->quaternion, sizeof body->quaternion);
        body->angle = state->angle;
    }
    int left = 0;
    for (int i = 0; i < model->times; i++)
        if (model->at[i] >= start)
            model->at[left++] = model->at[i] - start;
    model->times = left;
    model->until -= start;
}
