/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model may ask of its bodies (one.velocity, energy ...) as functions
 * of the state. */
#include <assert.h>
#include <stdlib.h>

#include "mechanics/formula/formula.h"

const expr *
body_kinetic(struct mech *mech, const struct mbody *body)
{
    assert(mech && body);
    struct graph *graph = mech->graph;
    const expr *lin = sc_mul(graph, body->form->inertia.mass,
                             v3_dot(graph, body->form->v, body->form->v));
    const expr *rot = m3_form(graph, body->form->w_body, body->form->inertia.J,
                              body->form->w_body);
    const expr *own =
        sc_mul(graph, ex_num(graph, 0.5), sc_add(graph, lin, rot));
    return sc_add(graph, own, rotor_kinetic(mech, body));
}

/* J w_body, with the rotors */
static vec3
body_spinning(struct mech *mech, const struct mbody *body)
{
    return v3_add(
        mech->graph,
        m3_apply(mech->graph, body->form->inertia.J, body->form->w_body),
        rotor_angular(mech, body));
}

const expr *
body_potential(struct mech *mech, const struct mbody *body)
{
    assert(mech);
    return sc_neg(mech->graph, sc_mul(mech->graph, body->form->inertia.mass,
                                      v3_dot(mech->graph, mech->gravity,
                                             body->form->pose.c)));
}

vec3
body_momentum(struct mech *mech, const struct mbody *body)
{
    assert(mech && body);
    return v3_scale(mech->graph, body->form->inertia.mass, body->form->v);
}

vec3
body_angular(struct mech *mech, const struct mbody *body)
{
    assert(mech && body);
    struct graph *graph = mech->graph;
    vec3 orbit = v3_cross(graph, body->form->pose.c, body_momentum(mech, body));
    vec3 own = body_spinning(mech, body);
    if (mech->dim == 3)
        own = m3_apply(graph, body->form->pose.R, own);
    return v3_add(graph, orbit, own);
}

static const expr *
vec_entry(struct mech *mech, vec3 v, uint32_t entry)
{
    return entry < 3 ? v.v[entry] : sc_zero(mech->graph);
}

/* Spins and angular momenta are scalars in the plane. */
static const expr *
spin_entry(struct mech *mech, vec3 v, uint32_t entry)
{
    return mech->dim == 2 ? v.v[2] : vec_entry(mech, v, entry);
}

static const expr *
angle_of(struct mech *mech, const struct mbody *body)
{
    struct graph *graph = mech->graph;
    if (mech->dim == 2)
        return body->form->angle;
    /* the angle of rotation, between 0 and 2 pi */
    vec3 im = v3(body->form->pose.q.q[1], body->form->pose.q.q[2],
                 body->form->pose.q.q[3]);
    return sc_mul(graph, ex_num(graph, 2.0),
                  ex_op(graph, IMP_OP_ATAN2, v3_norm(graph, im),
                        body->form->pose.q.q[0], NULL));
}

static const expr *
body_quantity(struct mech *mech, const struct mbody *body, uint32_t quantity,
              uint32_t entry)
{
    struct graph *graph = mech->graph;
    uint32_t first = body->env.body;
    switch ((enum body_quantity)quantity) {
    case BODYQ_POSITION:
        return vec_entry(mech, body->form->pose.c, entry);
    case BODYQ_VELOCITY:
        return vec_entry(mech, body->form->v, entry);
    case BODYQ_SPIN:
        return spin_entry(mech, body->form->w, entry);
    case BODYQ_ANGLE:
        return angle_of(mech, body);
    case BODYQ_ENERGY:
        return sc_add(graph, body_kinetic(mech, body),
                      body_potential(mech, body));
    case BODYQ_MOMENTUM:
        return vec_entry(mech, body_momentum(mech, body), entry);
    case BODYQ_ANGULAR_MOMENTUM:
        return spin_entry(mech, body_angular(mech, body), entry);
    case BODYQ_MASS:
        return sym_env(mech, first + IMP_BODY_MASS);
    case BODYQ_VOLUME:
        return sym_env(mech, first + IMP_BODY_VOLUME);
    case BODYQ_INERTIA:
        return rotor_whole_inertia(mech, body, entry);
    case BODYQ_CENTRE:
        return sym_env(mech, first + IMP_BODY_CENTRE + entry);
    case BODYQ_QUATERNION:
        return mech->dim == 3 && entry < 4 ? body->form->pose.q.q[entry]
                                           : sc_zero(graph);
    case BODYQ_AXES:
        return body->form->pose.R.m[entry / mech->dim][entry % mech->dim];
    case BODYQ_BODY_VELOCITY:
        return vec_entry(
            mech, m3_apply_t(graph, body->form->pose.R, body->form->v), entry);
    case BODYQ_BODY_SPIN:
        return spin_entry(mech, body->form->w_body, entry);
    case BODYQ_BODY_MOMENTUM:
        return vec_entry(
            mech,
            m3_apply_t(graph, body->form->pose.R, body_momentum(mech, body)),
            entry);
    case BODYQ_BODY_ANGULAR_MOMENTUM:
        return spin_entry(mech, body_spinning(mech, body), entry);
    }
    abort();
}

static const expr *
total_quantity(struct mech *mech, uint32_t what)
{
    struct graph *graph = mech->graph;
    const expr *sum = sc_zero(graph);
    for (size_t i = 0; i < mech->model->n_bodies; i++) {
        const struct mbody *body = mech->bodies + i;
        mech->form(mech, mech->bodies + i);
        if (what != TOTAL_POTENTIAL)
            sum = sc_add(graph, sum, body_kinetic(mech, body));
        if (what != TOTAL_KINETIC)
            sum = sc_add(graph, sum, body_potential(mech, body));
    }
    for (size_t i = 0; i < mech->model->n_systems; i++) {
        if (what != TOTAL_POTENTIAL)
            sum = sc_add(graph, sum, mech->systems[i].kinetic);
        if (what != TOTAL_KINETIC)
            sum = sc_add(graph, sum, mech->systems[i].potential);
    }
    return sum;
}

const expr *
quantity_leaf(void *ctx, const expr *leaf)
{
    assert(ctx != NULL && leaf != NULL);
    struct mech *mech = ctx;
    if (leaf->sym == SYM_BODY)
        mech->form(mech, mech->bodies + leaf->i);
    if (leaf->sym == SYM_BODY)
        return body_quantity(mech, mech->bodies + leaf->i,
                             leaf->j / BODYQ_STRIDE, leaf->j % BODYQ_STRIDE);
    if (leaf->sym == SYM_ROTOR)
        return rotor_quantity(mech, mech->rotors + leaf->i, leaf->j);
    if (leaf->sym == SYM_TOTAL)
        return total_quantity(mech, leaf->i);
    return system_leaf(mech, leaf);
}
