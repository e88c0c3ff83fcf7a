/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold of rotors, and of joints with friction: Coulomb's law at every
 * row, by the force that the joint bears, and sums over rows: their work is
 * what friction gives along the rate, and what they give makes up the momenta.
 */
#include <math.h>
#include <string.h>

#include "audit.h"
#include "vector.h"

/* Relative to forces near to 1, and rates. */
static const double FORCE = 1e-7, SLIP = 1e-8, MOMENTUM = 1e-9;

/* What closes at last takes the rate that is left of it: of a rotor's momentum
 * this share. */
static const double CLOSURE = 1e-7;

static const struct bearing *
bearing_at(const struct result *result, int row, int joint)
{
    return &result->bearing[row * result->joints + joint];
}

/* The load of which friction can be a share: the force times the radius of the
 * pin, or the sum of the forces at both ends of the bush. */
static double
load_on(const struct joint *joint, const struct bearing *bearing)
{
    if (!joint->slider)
        return joint->arm * length(bearing->force);
    return fmax(fabs(bearing->across), 2 * fabs(bearing->moment) / joint->arm);
}

void
audit_bearings(const struct model *model, const struct result *result, int row,
               struct finding *finding)
{
    for (int i = 0; i < model->joints; i++) {
        const struct joint *joint = &model->joint[i];
        const struct bearing *bearing = bearing_at(result, row, i);
        if (!joint->there || joint->friction == 0 || bearing->mode < 0)
            continue;
        double load = load_on(joint, bearing), scale = FORCE * (1 + load);
        double greatest = fmax(joint->friction, joint->static_friction) * load;
        double slips = joint->friction * load;
        const char *wrong = NULL;
        if (fabs(bearing->friction) > greatest + scale)
            wrong = "more friction than the joint can have";
        else if (bearing->mode == 1 && fabs(bearing->rate) > SLIP)
            wrong = "what sticks slips";
        else if ((bearing->mode == 2 && bearing->rate < -SLIP) ||
                 (bearing->mode == 3 && bearing->rate > SLIP))
            wrong = "it slips in the other direction";
        else if (bearing->mode == 2 && fabs(bearing->friction + slips) > scale)
            wrong = "slip forward without its friction";
        else if (bearing->mode == 3 && fabs(bearing->friction - slips) > scale)
            wrong = "slip backward without its friction";
        if (wrong)
            finding_set(finding, "joint's friction",
                        "%s at t = %.17g: %s (load %.17g, friction %.17g, rate "
                        "%.3g, mode %d)",
                        joint->name, result->t[row], wrong, load,
                        bearing->friction, bearing->rate, bearing->mode);
    }
}

/* Where the joint is: a point that goes with its first body. */
static void
place_of(const struct model *model, const struct result *result, int row,
         const struct joint *joint, double out[3])
{
    const struct body *body = &model->body[joint->first];
    const struct state *state = result_state(result, row, joint->first);
    double turn[3][3];
    angle_matrix(body->angle, turn);
    add_scaled(joint->at, -1, body->position, out);
    rotate_back(turn, out, out);
    memcpy(turn, state->turn, sizeof turn);
    rotate(turn, out, out);
    add_scaled(state->position, 1, out, out);
}

/* Adds what the joints do to a body: a force, and in [2] a torque about its
 * mass centre. False: one of them tells of none. */
static bool
joints_load(const struct model *model, const struct result *result, int row,
            int body, double out[3])
{
    for (int i = 0; i < model->joints; i++) {
        const struct joint *joint = &model->joint[i];
        const struct bearing *bearing = bearing_at(result, row, i);
        if (!joint->there || (joint->first != body && joint->second != body))
            continue;
        if (joint->friction == 0 || bearing->mode < 0)
            return false;
        double side = joint->first == body ? 1 : -1, arm[3];
        place_of(model, result, row, joint, arm);
        add_scaled(arm, -1, result_state(result, row, body)->position, arm);
        for (int k = 0; k < 2; k++)
            out[k] += side * bearing->force[k];
        out[2] += side * (bearing->moment + arm[0] * bearing->force[1] -
                          arm[1] * bearing->force[0]);
    }
    return true;
}

/* NaN: not known here. */
static double
inertia_of(const struct body *body, double mass)
{
    const double *size = body->size;
    if (body->density == 0)
        return body->inertia;
    return body->shape == SHAPE_BALL ? mass * size[0] * size[0] / 2
           : body->shape == SHAPE_BOX
               ? mass * (size[0] * size[0] + size[1] * size[1]) / 12
               : NAN;
}

/* The sign of the force at one end of the bush of a slider. */
static bool
end_pushes(const struct result *result, int row, int joint, double arm,
           double side)
{
    const struct bearing *bearing = bearing_at(result, row, joint);
    return bearing->across / 2 + side * bearing->moment / arm > 0;
}

/* Does an end of a bush change its side between three rows? The friction of the
 * rail has a kink there. A kink at the share s of the first of two steps makes
 * an error of 3 s - 2 times what separates Simpson's rule from the trapezoidal
 * one. */
static bool
is_kink(const struct model *model, const struct result *result, int row,
        const double rate[3], double error)
{
    double step = result->t[row + 2] - result->t[row];
    double apart = step * (rate[0] - 2 * rate[1] + rate[2]) / 12;
    for (int i = 0; i < model->joints && fabs(error) <= 2 * fabs(apart); i++) {
        const struct joint *joint = &model->joint[i];
        if (!joint->there || !joint->slider || joint->friction == 0 ||
            bearing_at(result, row, i)->mode < 0)
            continue;
        for (int side = -1; side <= 1; side += 2)
            for (int k = 1; k < 3; k++)
                if (end_pushes(result, row, i, joint->arm, side) !=
                    end_pushes(result, row + k, i, joint->arm, side))
                    return true;
    }
    return false;
}

static void
audit_body(const struct model *model, const struct result *result,
           const double *mass, int row, int index, audit_sum *balances,
           struct finding *finding)
{
    const struct body *body = &model->body[index];
    const struct state *now = result_state(result, row, index);
    const struct state *next = result_state(result, row + 2, index);
    double load[3][3] = {{0}}, error;
    for (int k = 0; k < 3; k++) {
        bool torque = true;
        for (int m = 0; m < 2; m++)
            load[k][m] = mass[index] * model->gravity[m];
        if (!joints_load(model, result, row + k, index, load[k]) ||
            !audit_contacts_load(model, result, row + k, index, load[k],
                                 &torque))
            return;
        load[k][2] = torque ? load[k][2] : NAN;
    }
    for (int m = 0; m < 3; m++) {
        double rate[3] = {load[0][m], load[1][m], load[2][m]};
        double change =
            m < 2 ? mass[index] * (next->velocity[m] - now->velocity[m])
                  : inertia_of(body, mass[index]) *
                        (next->spin[2] - now->spin[2]);
        if (!isnan(rate[0] + rate[1] + rate[2] + change) &&
            !balances(result->t[row + 2] - result->t[row], rate, change,
                      &error) &&
            !is_kink(model, result, row, rate, error))
            finding_set(finding, "balance",
                        "the momentum (%d) of %s changes by %.17g from t = "
                        "%.17g to %.17g, which the forces that are told miss "
                        "by %.3g",
                        m, body->name, change, result->t[row],
                        result->t[row + 2], error);
    }
}

void
audit_joint_sums(const struct model *model, const struct result *result,
                 const double *mass, int row, audit_sum *balances,
                 struct finding *finding)
{
    static const struct load none;
    for (int i = 0; i < model->joints; i++) {
        const struct joint *joint = &model->joint[i];
        double rate[3], error;
        if (!joint->there || joint->friction == 0 ||
            bearing_at(result, row, i)->mode < 0)
            continue;
        for (int k = 0; k < 3; k++) {
            const struct bearing *bearing = bearing_at(result, row + k, i);
            rate[k] = bearing->friction * bearing->rate;
        }
        double change = bearing_at(result, row + 2, i)->work -
                        bearing_at(result, row, i)->work;
        if (!balances(result->t[row + 2] - result->t[row], rate, change,
                      &error) &&
            !is_kink(model, result, row, rate, error))
            finding_set(finding, "work",
                        "the work of %s changes by %.17g from t = %.17g to "
                        "%.17g: off by %.3g",
                        joint->name, change, result->t[row], result->t[row + 2],
                        error);
    }
    for (int i = 0; i < model->bodies; i++)
        if (body_moves(model, i) && body_is_jointed(model, i) &&
            model->dimension == 2 && model->body[i].rotor.inertia == 0 &&
            !memcmp(&model->body[i].load, &none, sizeof none))
            audit_body(model, result, mass, row, i, balances, finding);
}

double
audit_joint_work(const struct model *model, const struct result *result,
                 int row)
{
    double sum = 0;
    for (int i = 0; i < model->joints; i++)
        if (model->joint[i].there && model->joint[i].friction != 0)
            sum += bearing_at(result, row, i)->work;
    return sum;
}

/* Is there an event between two times, or at one of them? */
static bool
any_event(const struct result *result, double from, double to)
{
    for (int i = 0; i < result->events; i++)
        if (result->event[i].time >= from && result->event[i].time <= to)
            return true;
    return false;
}

/* Does a limit between two times, or near to one, leave impacts out? */
static bool
any_limit(const struct result *result, double from, double to)
{
    for (int i = 0; i < result->limits; i++)
        if (result->limit[i].time >= from && result->limit[i].time <= to)
            return true;
    return is_summed(result, from) || is_summed(result, to);
}

/* The momentum that the motor gives the wheel within a step. */
static double
motor_gives(const struct rotor *rotor, double time, double step)
{
    double turn = rotor->frequency * time + rotor->phase;
    if (rotor->motor == 0)
        return 0;
    return rotor->motor * (cos(turn) - cos(turn + rotor->frequency * step)) /
           rotor->frequency;
}

void
audit_rotors(const struct model *model, const struct result *result,
             struct finding *finding)
{
    for (int i = 0; i < model->bodies * (model->dimension == 2); i++) {
        const struct rotor *rotor = &model->body[i].rotor;
        if (!body_moves(model, i) || rotor->inertia == 0)
            continue;
        for (int row = 0; row + 1 < result->rows; row++) {
            double step = result->t[row + 1] - result->t[row], own[2], rate[2];
            if (any_limit(result, result->t[row], result->t[row + 1]))
                continue;
            for (int k = 0; k < 2; k++) {
                rate[k] = result->rotor[(row + k) * result->bodies + i];
                own[k] = rotor->inertia *
                         (rate[k] + result_state(result, row + k, i)->spin[2]);
            }
            double change =
                own[1] - own[0] - motor_gives(rotor, result->t[row], step);
            double most = rotor->friction * step;
            double scale = (step > 0 ? MOMENTUM : CLOSURE) *
                           (rotor->inertia + fabs(own[0]) + most);
            bool slips = rate[0] * rate[1] > 0 &&
                         !any_event(result, result->t[row], result->t[row + 1]);
            double gives = rate[0] > 0 ? -most : most;
            if (!(fabs(change) <= most + scale) ||
                (slips && !(fabs(change - gives) <= scale)))
                finding_set(finding, "rotor",
                            "the momentum of the rotor of %s changes by %.17g "
                            "from t = %.17g to %.17g, by a friction of %.17g",
                            model->body[i].name, change, result->t[row],
                            result->t[row + 1], rotor->friction);
        }
    }
}
