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
    load->drag *= load->drag_law == DRAG_LINEAR   ? by->mass / by->time
                  : load->drag_law == DRAG_SQUARE ? by->mass / by->length
                                                  : force;
    if (load->drag != 0)
        turn_velocity(by, load->wind);
    turn_vector(by, force, load->wave);
    load->frequency /= by->time;
    table_shift(&load->table, 0, by->time);
    turn_vector(by, force, load->pull);
    turn_vector(by, by->hand * moment, load->torque);
    load->torque_drag *= moment * by->time;
    rotate(by->turn, load->rail.axis, load->rail.axis);
    rail_scale(&load->rail, dot(load->rail.axis, by->frame->shift), by->mass,
               by->length, by->time);
}

static void
turn_ride(struct transformation *by, struct ride *ride)
{
    ride->rate *= by->hand / by->time;
    ride->size *= by->hand;
    ride->frequency /= by->time;
    turn_vector(by, by->length / (by->time * by->time), ride->acceleration);
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
    body->mass *= by->mass;
    body->inertia *= by->mass * by->length * by->length;
    scale(by->mass * by->length * by->length, body->moments);
    turn_place(by, body->position);
    turn_velocity(by, body->velocity);
    if (body->fixed)
        turn_velocity(by, body->carry);
    turn_vector(by, by->length, body->swing);
    body->swing_rate /= by->time;
    table_shift(&body->path, 0, by->time);
    turn_vector(by, by->length / by->time, body->along);
    turn_vector(by, by->hand / by->time, body->spin);
    turn_attitude(by, body);
    turn_ride(by, &body->turning);
    turn_load(by, &body->load);
    body->rotor.inertia *= by->mass * by->length * by->length;
    body->rotor.rate *= by->hand / by->time;
    double moment = by->mass * by->length * by->length / (by->time * by->time);
    body->rotor.friction *= moment;
    body->rotor.motor *= by->hand * moment;
    body->rotor.frequency /= by->time;
}

/* Solves matrix*x = x for the n unknowns, by elimination with pivots. */
static void
solve(int n, double matrix[MAX_COORDINATES][MAX_COORDINATES], double *x)
{
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int k = i; k < n; k++)
            if (fabs(matrix[k][i]) > fabs(matrix[best][i]))
                best = k;
        for (int k = 0; k < n; k++) {
            double keep = matrix[i][k];
            matrix[i][k] = matrix[best][k];
            matrix[best][k] = keep;
        }
        double keep = x[i];
        x[i] = x[best];
        x[best] = keep;
        for (int k = 0; k < n; k++) {
            double factor = k == i ? 0 : matrix[k][i] / matrix[i][i];
            for (int m = 0; m < n; m++)
                matrix[k][m] -= factor * matrix[i][m];
            x[k] -= factor * x[i];
        }
    }
    for (int i = 0; i < n; i++)
        x[i] /= matrix[i][i];
}

/* The chart of a system in the frame: the same coordinates unless stated. */
static struct substitution
chart_of(const struct frame *frame, const struct model *model, int index)
{
    struct substitution chart = {.coordinates =
                                     model->system[index].coordinates};
    if (frame->charted)
        chart = frame->chart[index];
    for (int i = 0; !frame->charted && i < MAX_COORDINATES; i++)
        chart.matrix[i][i] = 1;
    chart.rate_factor = frame->time;
    chart.time_factor = 1 / frame->time;
    return chart;
}

static void
frame_apply_systems(const struct frame *frame, struct model *model)
{
    for (int s = 0; s < model->systems; s++) {
        struct coordinate_system *system = &model->system[s];
        struct substitution by = chart_of(frame, model, s);
        struct formulas from = system->formulas, *to = &system->formulas;
        if (!frame->charted && frame->time == 1)
            continue;
        to->count = 0;
        system->kinetic = formula_substitute(&from, system->kinetic, &by, to);
        if (system->potential)
            system->potential =
                formula_substitute(&from, system->potential, &by, to);
        if (system->dissipation)
            system->dissipation = formula_scaled(
                to, 1 / frame->time,
                formula_substitute(&from, system->dissipation, &by, to));
        if (system->dry)
            system->dry =
                formula_scaled(to, 1 / frame->time,
                               formula_substitute(&from, system->dry, &by, to));
        for (int i = 0; i < model->contacts; i++)
            if (model->contact[i].system == s + 1) {
                struct contact *contact = &model->contact[i];
                contact->gap = formula_substitute(&from, contact->gap, &by, to);
                contact->slide =
                    formula_substitute(&from, contact->slide, &by, to);
                contact->belt /= frame->time;
            }
        double copy[MAX_COORDINATES][MAX_COORDINATES];
        for (int i = 0; i < system->coordinates; i++) {
            system->start[i] -= by.offset[i];
            system->rate[i] /= frame->time;
        }
        memcpy(copy, by.matrix, sizeof copy);
        solve(system->coordinates, copy, system->start);
        memcpy(copy, by.matrix, sizeof copy);
        solve(system->coordinates, copy, system->rate);
    }
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
    turn_ride(&by, &model->ground);
    for (int i = 0; i < model->joints; i++) {
        turn_place(&by, model->joint[i].at);
        model->joint[i].rate *=
            (model->joint[i].slider ? by.length : by.hand) / by.time;
        model->joint[i].arm *= by.length;
        turn_vector(&by, 1, model->joint[i].axis);
        turn_vector(&by, by.hand / by.time, model->joint[i].spin);
    }
    frame_apply_systems(frame, model);
    for (int i = 0; i < model->contacts; i++) {
        model->contact[i].approach_speed *= by.length / by.time;
        model->contact[i].stribeck_speed *= by.length / by.time;
    }
    model->until *= frame->time;
    for (int i = 0; i < model->times; i++)
        model->at[i] *= frame->time;
}

void
frame_undo_place(const struct frame *frame, const struct model *model,
                 int system, const struct place *in, struct place *out)
{
    struct substitution by = chart_of(frame, model, system);
    struct place place = {{0}, {0}};
    for (int i = 0; i < by.coordinates; i++) {
        place.q[i] = by.offset[i];
        for (int k = 0; k < by.coordinates; k++) {
            place.q[i] += by.matrix[i][k] * in->q[k];
            place.rate[i] += by.matrix[i][k] * in->rate[k] * frame->time;
        }
    }
    *out = place;
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
sway_at(const struct sway *sway, double time, double place[3], double rate[3])
{
    double turn = sway->rate * time + sway->phase;
    for (int k = 0; k < 3; k++) {
        place[k] = sway->size[k] * sin(turn);
        rate[k] = sway->size[k] * sway->rate * cos(turn);
    }
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
    double place[3], rate[3];
    sway_at(&frame->sway, time - frame->start, place, rate);
    add_scaled(state.position, -1, place, state.position);
    add_scaled(state.velocity, -1, rate, state.velocity);
    if (!ride_is_rest(&frame->ride)) {
        double angle = ride_angle(&frame->ride, time - frame->start);
        ride_back(&frame->ride, time - frame->start, state.position,
                  state.velocity);
        angle_matrix(-angle, inverse);
        multiply(inverse, state.turn, state.turn);
        state.spin[2] -= ride_spin(&frame->ride, time - frame->start);
    }
    for (int i = 0; frame->mirror && i < 3; i++)
        state.turn[i][0] = -state.turn[i][0];
    *out = state;
}

/* The speed along a slider's axis of the point of a body at a place. */
static double
slider_rate(const struct model *model, const struct result *result, int row,
            int body, const double place[3], const struct joint *joint)
{
    const struct state *state = result_state(result, row, body);
    double axis[3], arm[3];
    slider_axis(model, result, row, joint, axis);
    add_scaled(place, -1, state->position, arm);
    return axis[0] * (state->velocity[0] - state->spin[2] * arm[1]) +
           axis[1] * (state->velocity[1] + state->spin[2] * arm[0]) +
           axis[2] * state->velocity[2];
}

/* The point goes with the first body, whose place in `model` is that of its
 * start still. */
static void
restart_joint(const struct model *model, const struct result *result, int row,
              struct joint *joint)
{
    const struct body *body = &model->body[joint->first];
    const struct state *state = result_state(result, row, joint->first);
    double start[3][3], now[3][3], arm[3], spin[3];
    if (model->dimension == 2)
        angle_matrix(body->angle, start);
    else
        quaternion_matrix(body->quaternion, start);
    memcpy(now, state->turn, sizeof now);
    add_scaled(joint->at, -1, body->position, arm);
    rotate_back(start, arm, arm);
    rotate(now, arm, arm);
    if (joint->second >= 0 || joint->slider)
        add_scaled(state->position, 1, arm, joint->at);
    if (joint->slider) {
        joint->rate =
            slider_rate(model, result, row, joint->first, joint->at, joint);
        if (joint->second >= 0)
            joint->rate -= slider_rate(model, result, row, joint->second,
                                       joint->at, joint);
        slider_axis(model, result, row, joint, joint->axis);
        return;
    }
    memcpy(spin, state->spin, sizeof spin);
    if (joint->second >= 0)
        add_scaled(spin, -1, result_state(result, row, joint->second)->spin,
                   spin);
    joint->rate = spin[2];
    if (model->dimension == 2)
        return;
    rotate_back(start, joint->axis, joint->axis);
    rotate(now, joint->axis, joint->axis);
    joint->rate = dot(spin, joint->axis) / length(joint->axis);
    memcpy(joint->spin, spin, sizeof spin);
}

/* What the ground has turned so far at its rate is in the angles of the fixed
 * bodies. */
static void
restart_ground(struct model *model, double start)
{
    struct ride turned = {.size = model->ground.rate * start,
                          .phase = 3.14159265358979323846 / 2};
    struct ride *ride = &model->ground;
    for (int i = 0; i < model->bodies; i++) {
        struct body *body = &model->body[i];
        double none[3] = {0};
        if (!body->fixed)
            continue;
        ride_along(&turned, 0, body->position, none);
        /* they begin at the speed that they have come to */
        add_scaled(body->position, -start * start / 2, ride->acceleration,
                   body->position);
        add_scaled(body->carry, start, ride->acceleration, body->carry);
        body->angle += ride->rate * start;
    }
    ride->phase += ride->frequency * start;
}

void
model_restart(struct model *model, const struct result *result, int row)
{
    double start = result->t[row];
    restart_ground(model, start);
    for (int i = 0; i < model->joints; i++)
        restart_joint(model, result, row, &model->joint[i]);
    for (int i = 0; i < model->bodies; i++) {
        struct body *body = &model->body[i];
        struct load *load = &body->load;
        add_scaled(body->position, start, body->carry, body->position);
        add_scaled(load->anchor, start, load->anchor_rate, load->anchor);
        load->phase += load->frequency * start;
        body->rotor.phase += body->rotor.frequency * start;
        body->swing_phase += body->swing_rate * start;
        body->angle += body->turning.rate * start;
        body->turning.phase += body->turning.frequency * start;
        if (body->path.knots)
            add_scaled(body->position, table_integral(&body->path, start),
                       body->along, body->position);
        table_shift(&body->path, start, 1);
        table_shift(&load->table, start, 1);
        if (!body_moves(model, i))
            continue;
        const struct state *state = result_state(result, row, i);
        memcpy(body->position, state->position, sizeof body->position);
        memcpy(body->velocity, state->velocity, sizeof body->velocity);
        memcpy(body->spin, state->spin, sizeof body->spin);
        memcpy(body->quaternion, state->quaternion, sizeof body->quaternion);
        body->angle = state->angle;
        if (body->rotor.inertia != 0)
            body->rotor.rate = result->rotor[row * result->bodies + i];
    }
    for (int i = 0; i < model->systems; i++) {
        const struct place *place = &result->place[row * MAX_SYSTEMS + i];
        memcpy(model->system[i].start, place->q, sizeof place->q);
        memcpy(model->system[i].rate, place->rate, sizeof place->rate);
        formula_shift_time(&model->system[i].formulas, start);
    }
    int left = 0;
    for (int i = 0; i < model->times; i++)
        if (model->at[i] >= start)
            model->at[left++] = model->at[i] - start;
    model->times = left;
    model->until -= start;
}
