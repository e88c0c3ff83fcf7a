/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The set-up tape: the values of the user's expressions for bodies, contacts,
 * joints and the world, in the order of imp_image.setup. In the plane vectors
 * get z = 0, and axes are along z. */
#include "mechanics/mech_priv.h"

#include <assert.h>

static void
raw_vec(const expr **raw, uint32_t at, const struct tm_vec *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        raw[at + i] = v->e[i];
}

/* An inertia as xx yy zz xy xz yz, from 1, 3 (diagonal), 6 or 9 entries. */
static void
raw_inertia(const expr **raw, uint32_t at, const struct tm_vec *v)
{
    static const uint8_t of9[6] = {0, 4, 8, 1, 2, 5};
    for (uint32_t i = 0; i < 6 && v->n == 9; i++)
        raw[at + i] = v->e[of9[i]];
    if (v->n != 9)
        raw_vec(raw, at, v);
}

static void
raw_body(const struct tm_body *decl, const expr **raw)
{
    if (decl->stated.mass.e || decl->stated.density.e)
        raw[IMP_RAW_MASS] =
            decl->stated.mass.e ? decl->stated.mass.e : decl->stated.density.e;
    if (decl->shape.volume.e)
        raw[IMP_RAW_VOLUME] = decl->shape.volume.e;
    raw_vec(raw, IMP_RAW_SCENTRE, &decl->shape.centre);
    raw_inertia(raw, IMP_RAW_SINERTIA, &decl->shape.inertia);
    raw_vec(raw, IMP_RAW_CENTRE, &decl->stated.centre);
    raw_inertia(raw, IMP_RAW_INERTIA, &decl->stated.inertia);
    raw_vec(raw, IMP_RAW_POSITION, &decl->start.position);
    raw_vec(raw, IMP_RAW_ORIENT, &decl->start.orient);
    raw_vec(raw, IMP_RAW_VELOCITY, &decl->start.velocity);
    raw_vec(raw, IMP_RAW_SPIN, &decl->start.spin);
    if (decl->apart.e)
        raw[IMP_RAW_APART] = decl->apart.e;
}

/* -- contacts and joints --------------------------------------------------- */

/* Coefficients that are formulas follow from tapes of their own. */
static const expr *
friction_number(struct mech *mech, const expr *mu)
{
    return friction_varies(mech, mu) ? sc_zero(mech->graph) : mu;
}

static void
raw_contact(struct mech *mech, const struct tm_contact *contact,
            const expr **out)
{
    out[0] = contact->e.e ? restitution_at_rest(mech, contact->e.e)
                          : ex_num(mech->graph, 1.0);
    if (contact->mu.e)
        out[1] = friction_number(mech, contact->mu.e);
    raw_vec(out, 2, &contact->at);
    raw_vec(out, 5, &contact->direction);
    if (contact->priority.e)
        out[8] = contact->priority.e;
    if (contact->mu_static.e)
        out[9] = friction_number(mech, contact->mu_static.e);
    if (contact->mu_impact.e)
        out[10] = friction_number(mech, contact->mu_impact.e);
    if (contact->stiffness.e)
        out[11] = contact->stiffness.e;
    out[12] =
        contact->exponent.e ? contact->exponent.e : ex_num(mech->graph, 1.5);
}

/* A joint, IMP_JOINT_RAW entries; a screw of the plane is (fx, fy, moment). */
static void
raw_joint(struct mech *mech, const struct tm_joint *joint, const expr **out)
{
    raw_vec(out, IMP_JOINT_AT, &joint->at);
    raw_vec(out, IMP_JOINT_AXIS, &joint->axis);
    raw_vec(out, IMP_JOINT_AXIS2, &joint->axis2);
    raw_vec(out, IMP_JOINT_RATE, &joint->rate);
    if (mech->dim == 2 && joint->kind == IMP_JOINT_HINGE)
        out[IMP_JOINT_AXIS + 2] = ex_num(mech->graph, 1.0);
    for (uint32_t i = 0; i < 6 * joint->n_user; i++)
        out[IMP_JOINT_USER + i] = joint->user[i];
    if (!joint->mu.e)
        return;
    out[IMP_JOINT_WIDTH] = joint->width.e;
    out[IMP_JOINT_MU] = friction_number(mech, joint->mu.e);
    out[IMP_JOINT_MU_STATIC] = friction_number(mech, joint->mu_static.e);
}

static void
raw_rotor(struct mech *mech, const struct tm_rotor *rotor, const expr **out)
{
    raw_vec(out, IMP_ROTOR_AXIS, &rotor->axis);
    if (mech->dim == 2)
        out[IMP_ROTOR_AXIS + 2] = ex_num(mech->graph, 1.0);
    out[IMP_ROTOR_INERTIA] = rotor->inertia.e;
    if (rotor->rate.e)
        out[IMP_ROTOR_RATE] = rotor->rate.e;
}

/* Vertices or half-spaces of a polytope. Returns how many entries. */
static size_t
raw_poly(struct mech *mech, const struct tm_body *decl, const expr **out)
{
    size_t n = decl->shape.n_point ? decl->shape.n_point : decl->shape.n_plane;
    size_t wide = decl->shape.n_point ? 3 : 4;
    const expr *const *e = decl->shape.poly;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < mech->dim; j++)
            out[i * wide + j] = *e++;
        if (!decl->shape.n_point)
            out[i * wide + 3] = *e++;
    }
    return n * wide;
}

uint32_t
setup_tape(struct mech *mech)
{
    assert(mech && mech->bodies);
    const struct tm_model *model = mech->model;
    size_t count =
        model->n_bodies * IMP_RAW_SIZE + IMP_CONTACT_OUTS * model->n_contacts +
        IMP_JOINT_RAW * model->n_joints + IMP_ROTOR_RAW * model->n_rotors + 5 +
        mech->layout.slots - mech->layout.poly +
        2 * (model->n_coordinates + model->n_draws);
    const expr **out = NEW_N(mech->arena, const expr *, count);
    const expr *zero = sc_zero(mech->graph);
    for (size_t i = 0; i < count; i++)
        out[i] = zero;
    for (size_t i = 0; i < model->n_bodies; i++)
        raw_body(model->bodies + i, out + i * IMP_RAW_SIZE);
    size_t at = model->n_bodies * IMP_RAW_SIZE;
    for (size_t i = 0; i < model->n_contacts; i++, at += IMP_CONTACT_OUTS)
        raw_contact(mech, model->contacts + i, out + at);
    for (size_t i = 0; i < model->n_joints; i++, at += IMP_JOINT_RAW)
        raw_joint(mech, model->joints + i, out + at);
    for (size_t i = 0; i < model->n_rotors; i++, at += IMP_ROTOR_RAW)
        raw_rotor(mech, model->rotors + i, out + at);
    for (uint32_t i = 0; i < 3; i++)
        out[at++] = mech->gravity.v[i];
    out[at++] = model->world.tolerance.e ? model->world.tolerance.e : zero;
    out[at++] = model->world.seed.e ? model->world.seed.e : zero;
    for (size_t i = 0; i < model->n_bodies; i++)
        at += raw_poly(mech, model->bodies + i, out + at);
    for (size_t i = 0; i < model->n_coordinates; i++) {
        out[at++] = model->coordinates[i].start.e;
        out[at++] = model->coordinates[i].start_rate.e;
    }
    for (size_t i = 0; i < model->n_draws; i++) {
        out[at++] = model->draws[i].lo;
        out[at++] = model->draws[i].hi;
    }
    uint32_t tape = mech_eval_tape(mech, "setup", 0, out, count);
    arena_drop(mech->arena, out);
    return tape;
}
