/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mech_compile: lays out the environment, builds bodies, blocks, contacts and
 * commands in this order, and puts the image together. */
#include "mechanics/mech.h"

#include <assert.h>

#include "base/source.h"
#include "mechanics/mech_priv.h"

uint32_t
poly_size(const struct tm_body *b)
{
    assert(b);
    return b->shape.n_point ? 3 * b->shape.n_point : 4 * b->shape.n_plane;
}

uint32_t
corners_size(const struct tm_contact *contact)
{
    assert(contact);
    return 3 * contact->n_corner;
}

uint32_t
corners_at(const struct mech *mech, uint32_t contact)
{
    assert(mech && contact < mech->model->n_contacts);
    uint32_t at = mech->layout.slots;
    for (size_t i = contact; i < mech->model->n_contacts; i++)
        at -= corners_size(mech->model->contacts + i);
    return at;
}

/* Are both members of one family? */
static bool
same_declaration(const struct tm_body *one, const struct tm_body *two)
{
    return one->range.lo == two->range.lo && one->range.file == two->range.file;
}

static void
make_layout(struct mech *mech)
{
    const struct tm_model *model = mech->model;
    imp_layout *layout = &mech->layout;
    uint32_t at = 0, nb = (uint32_t)model->n_bodies;
    layout->time = at;
    layout->params = at += 1;
    layout->body = at += (uint32_t)model->n_params;
    layout->state = at += nb * IMP_BODY_SIZE;
    layout->contact = at += nb * mech->n_state +
                            2 * (uint32_t)model->n_coordinates +
                            (uint32_t)model->n_rotors;
    layout->joint = at += (uint32_t)model->n_contacts * IMP_CONTACT_SIZE;
    layout->rotor = at += (uint32_t)model->n_joints * IMP_JOINT_SIZE;
    layout->poly = at += (uint32_t)model->n_rotors * IMP_ROTOR_SIZE;
    for (size_t i = 0; i < nb; i++)
        at += poly_size(model->bodies + i);
    for (size_t i = 0; i < model->n_contacts; i++)
        at += corners_size(model->contacts + i);
    layout->slots = at;
    mech->slot_at = NEW_N(mech->arena, uint32_t, model->n_slots + 1);
    for (size_t i = 0; i < model->n_slots; i++) {
        mech->slot_at[i] = at - layout->slots;
        at += model->slots[i].n;
    }
    layout->series = at;
    layout->draws = series_layout(mech, at);
    layout->pair = layout->draws + (uint32_t)model->n_draws;
    layout->self = layout->pair + 2 * IMP_PAIR_SIZE(mech->dim);
    layout->n_env = layout->self + IMP_PAIR_SIZE(mech->dim);
}

/* Makes the formulas of a body that were left for later. */
static void
form(struct mech *mech, struct mbody *body)
{
    if (!body->later)
        return;
    body->later = false;
    imp_range origin = graph_origin_get(mech->graph);
    graph_origin(mech->graph, body->decl->range);
    body_formulas(mech, body);
    if (mech->blocks)
        body_rates(mech, body);
    graph_origin(mech->graph, origin);
}

/* Members of a family, after the first, that no contact and no joint names: who
 * reads their formulas asks for them. */
static void
later_bodies(struct mech *mech)
{
    const struct tm_model *model = mech->model;
    for (size_t i = 1; i < model->n_bodies; i++)
        mech->bodies[i].later =
            same_declaration(model->bodies + i - 1, model->bodies + i);
    for (size_t i = 0; i < model->n_contacts; i++)
        for (int j = 0; j < 2 && !model->contacts[i].system; j++)
            if (model->contacts[i].body[j] != IMP_WORLD)
                mech->bodies[model->contacts[i].body[j]].later = false;
    for (size_t i = 0; i < model->n_joints; i++)
        for (uint32_t j = 0; j < 3; j++) {
            uint32_t body = joint_body(model->joints + i, j);
            if (body != IMP_WORLD)
                mech->bodies[body].later = false;
        }
}

static bool
make_bodies(struct mech *mech)
{
    const struct tm_model *model = mech->model;
    bool ok = true, built = true;
    uint32_t env_poly = mech->layout.poly;
    mech->bodies = NEW_N(mech->arena, struct mbody, model->n_bodies + 1);
    for (size_t i = 0; i < model->n_contacts; i++)
        for (int j = 0;
             j < 2 && !model->contacts[i].at.n && !model->contacts[i].system;
             j++)
            mech->bodies[model->contacts[i].body[j]].touches = true;
    for (size_t i = 0; i < model->n_bodies; i++)
        mech->bodies[i].touches |= model->bodies[i].sides != 0;
    later_bodies(mech);
    for (uint32_t i = 0; i < model->n_bodies; i++) {
        struct mbody *body = mech->bodies + i;
        body->decl = model->bodies + i;
        body->index = i;
        body->env.body = mech->layout.body + i * IMP_BODY_SIZE;
        body->env.state = mech->layout.state + i * mech->n_state;
        body->env.poly = env_poly;
        env_poly += poly_size(body->decl);
        for (int j = 0; j < 7; j++)
            body->row.pose[j] = IMP_NO_ROW;
        /* what is wrong with a family is told of its first member */
        if (i > 0 && !built && same_declaration(body[-1].decl, body->decl))
            continue;
        built = body_build(mech, body);
        ok &= built;
    }
    return ok;
}

const imp_image *
mech_compile(struct tm_model *model, struct diags *ds)
{
    assert(model && model->graph && model->arena && ds);
    struct mech mech = {.model = model,
                        .graph = model->graph,
                        .arena = model->arena,
                        .image = image_new(model->arena),
                        .diags = ds,
                        .form = form};
    int errors = ds->errors;
    imp_range origin = graph_origin_get(mech.graph);
    mech.dim = model->dim == 2 ? 2 : 3;
    mech.n_state = mech.dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    make_layout(&mech);
    bool *given = mech.given = NEW_N(mech.arena, bool, model->n_slots + 1);
    mech.gravity = v3_zero(mech.graph);
    for (uint32_t i = 0; i < model->world.gravity.n && i < mech.dim; i++)
        mech.gravity.v[i] = model->world.gravity.e[i];

    imp_image head = {
        .dim = model->dim,
        .name = image_text(mech.image, model->name ? model->name : ""),
        .layout = mech.layout,
        .policy = (uint32_t)model->world.policy,
        .has_policy = model->world.has_policy,
        .gain_allowed = model->world.gain_allowed,
        .start_projected = model->world.start_projected,
        .forbid = model->world.forbid,
        .has_tolerance = model->world.tolerance.e != NULL,
        .impact_law = (uint32_t)model->world.impact_law,
        .paradox = model->world.paradox,
        .loads = model->world.loads,
        .corners = model->world.corners,
        .range_tolerance = model->world.tolerance.range};
    bool ok = data_world_ok(&mech);
    rotors_build(&mech);
    ok &= make_bodies(&mech);
    ok = ok && block_build(&mech) && system_build(&mech);
    ok = ok && contact_kinds_find(&mech);
    imp_contact *contacts = NEW_N(mech.arena, imp_contact, mech.n_contacts + 1);
    for (uint32_t i = 0; ok && i < mech.n_contacts; i++)
        ok = contact_build(&mech, i, contacts + i) && ok;
    graph_origin(mech.graph, origin);
    if (!ok || ds->errors > errors)
        return NULL;

    setup_tape(&mech, &head);
    head.joints = image_joints(&mech);
    head.rotors = rotor_table(&mech);
    head.coordinates = image_coordinates(&mech);
    head.systems = image_systems(&mech);
    head.draws = image_draws(&mech);
    mech.given = NULL;
    head.given = command_numbers(&mech, given, model->n_slots);
    head.commands = command_table(&mech);
    head.lists = list_table(&mech);
    head.tables = data_table(&mech);
    head.slots = slot_table(&mech);
    head.series = series_tapes(&mech);
    head.sources = image_sources(&mech);
    head.params = image_params(&mech);
    head.bodies = image_bodies(&mech, &head.places);
    head.blocks = image_blocks(&mech);
    head.contacts =
        image_array(mech.image, contacts, model->n_contacts, sizeof *contacts);
    head.stated = head.contacts;
    head.patterns = contact_kinds_patterns(&mech, contacts);
    head.n_kinds = contact_kinds_count(&mech);
    head.layout = mech.layout; /* with what was asked for on the way */
    graph_origin(mech.graph, origin);
    return image_finish(mech.image, &head);
}
