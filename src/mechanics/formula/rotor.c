/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rotors are asked for, as functions of the state (mechanics/rotor.c). */
#include <assert.h>

#include "mechanics/formula/formula.h"

/* 1 while it turns freely, 0 while it is held */
static const expr *
turns(struct mech *mech, const struct mrotor *rotor)
{
    return sc_sub(mech->graph, ex_num(mech->graph, 1.0), rotor->held);
}

/* the rate of a rotor against its body */
static const expr *
rotor_rate(struct mech *mech, const struct mrotor *rotor)
{
    assert(mech && rotor);
    const expr *spin = v3_dot(mech->graph, rotor->axis,
                              mech->bodies[rotor->body].form->w_body);
    return sc_sub(mech->graph, rotor->z,
                  sc_mul(mech->graph, turns(mech, rotor), spin));
}

const expr *
rotor_quantity(struct mech *mech, const struct mrotor *rotor, uint32_t quantity)
{
    assert(mech && rotor);
    const expr *rate = rotor_rate(mech, rotor);
    if (quantity == ROTORQ_RATE)
        return rate;
    const expr *spin = v3_dot(mech->graph, rotor->axis,
                              mech->bodies[rotor->body].form->w_body);
    return sc_mul(mech->graph, rotor->inertia, sc_add(mech->graph, rate, spin));
}

const expr *
rotor_kinetic(struct mech *mech, const struct mbody *body)
{
    assert(mech && body);
    struct graph *graph = mech->graph;
    const expr *sum = sc_zero(graph);
    for (size_t i = 0; i < mech->model->n_rotors; i++) {
        const struct mrotor *rotor = mech->rotors + i;
        if (rotor->body != body->index)
            continue;
        const expr *half = sc_mul(graph, ex_num(graph, 0.5), rotor->z),
                   *spin = v3_dot(graph, rotor->axis, body->form->w_body);
        half = sc_add(graph, half, sc_mul(graph, rotor->held, spin));
        sum = sc_add(
            graph, sum,
            sc_mul(graph, rotor->inertia, sc_mul(graph, rotor->z, half)));
    }
    return sum;
}

vec3
rotor_angular(struct mech *mech, const struct mbody *body)
{
    assert(mech && body);
    struct graph *graph = mech->graph;
    vec3 sum = v3_zero(graph);
    for (size_t i = 0; i < mech->model->n_rotors; i++) {
        const struct mrotor *rotor = mech->rotors + i;
        if (rotor->body == body->index)
            sum =
                v3_add(graph, sum,
                       v3_scale(graph, sc_mul(graph, rotor->inertia, rotor->z),
                                rotor->axis));
    }
    return sum;
}

const expr *
rotor_whole_inertia(struct mech *mech, const struct mbody *body, uint32_t entry)
{
    assert(mech && body && entry < 6);
    for (size_t i = 0; i < mech->model->n_rotors; i++)
        if (mech->rotors[i].body == body->index)
            return sym_env(mech, mech->rotors[i].env + IMP_ROTOR_WHOLE + entry);
    return sym_env(mech, body->env.body + IMP_BODY_INERTIA + entry);
}
