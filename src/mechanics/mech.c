/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mech_compile: lays out the environment, builds bodies, blocks, contacts and
 * commands in this order, and puts the image together. */
#include "mechanics/mech.h"

#include "base/source.h"
#include "mechanics/mech_priv.h"

imp_range
mech_range(imp_range r, imp_range otherwise)
{
    return r.file ? r : otherwise;
}

const expr *
sym_env(struct mech *mech, uint32_t i)
{
    return ex_sym(mech->graph, SYM_ENV, i, 0);
}

const expr *
sym_state(struct mech *mech, uint32_t i)
{
    return ex_sym(mech->graph, SYM_STATE, i, 0);
}

const expr *
sym_time(struct mech *mech)
{
    return ex_sym(mech->graph, SYM_TIME, 0, 0);
}

uint32_t
mech_env_of(void *ctx, const expr *leaf)
{
    const struct mech *mech = ctx;
    switch (leaf->sym) {
    case SYM_TIME:
        return mech->layout.time;
    case SYM_PARAM:
        return mech->layout.params + leaf->i;
    case SYM_CONTACT:
        return mech->layout.contact + leaf->i * IMP_CONTACT_SIZE + leaf->j;
    case SYM_SLOT:
        return mech->layout.slots + leaf->i;
    case SYM_DRAW:
        return mech->layout.draws + leaf->i;
    case SYM_SERIES:
        return mech->series_env[leaf->i] + leaf->j;
    default:
        return leaf->i;
    }
}

uint32_t
mech_eval_tape(struct mech *mech, const char *name, uint32_t n_local,
               const expr *const *outs, size_t n_outs)
{
    struct tape_spec spec = {.name = name,
                             .n_local = n_local,
                             .outs = outs,
                             .n_outs = n_outs,
                             .env_of = mech_env_of,
                             .ctx = mech};
    return tape_build(mech->graph, mech->image, &spec, NULL);
}

/* entries in env of what a polytope states */
static uint32_t
poly_size(const struct tm_body *b)
{
    return b->n_point ? 3 * b->n_point : 4 * b->n_plane;
}

static void
make_layout(struct mech *mech)
{
    const struct tm_model *model = mech->model;
    imp_layout *layout = &mech->layout;
    uint32_t at = 0, nb = (uint32_t)model->n_bodies;
    layout->time = at;
    layout->params = at += 1;
    layout->raw = at += (uint32_t)model->n_params;
    layout->body = at += nb * IMP_RAW_SIZE;
    layout->state = at += nb * IMP_BODY_SIZE;
    layout->contact = at +=
        nb * mech->n_state + 2 * (uint32_t)model->n_coordinates;
    layout->joint = at += (uint32_t)model->n_contacts * IMP_CONTACT_SIZE;
    layout->poly = at += (uint32_t)model->n_joints * IMP_JOINT_SIZE;
    for (size_t i = 0; i < nb; i++)
        at += poly_size(model->bodies + i);
    layout->slots = at;
    layout->series = at += (uint32_t)model->n_slots;
    layout->draws = series_layout(mech, at);
    layout->n_env = layout->draws + (uint32_t)model->n_draws;
}

bool
mech_simulates(const struct mech *mech)
{
    for (size_t i = 0; i < mech->model->n_commands; i++)
        if (imp_command_has(mech->model->commands[i].id,
                            IMP_TRAIT_RECORDS_MOTION))
            return true;
    return false;
}

/* contact and world data that read the motion */
struct data_check {
    struct mech *mech;
    const char *what;
    imp_range range;
    bool time_ok, ok;
};

static void
data_leaf(void *ctx, const expr *leaf)
{
    struct data_check *c = ctx;
    if (leaf->sym == SYM_PARAM || (leaf->sym == SYM_TIME && c->time_ok) ||
        !c->ok)
        return;
    c->ok = false;
    struct diag *diag =
        diag_add(c->mech->diags, DIAG_E0513, mech_range(leaf->origin, c->range),
                 "%s does not stay what it is during the motion", c->what);
    diag_help(c->mech->diags, diag, "write %s in numbers and params%s", c->what,
              c->time_ok ? " and t" : "");
}

static bool
data_ok(struct mech *mech, const char *what, const expr *const *e, size_t n,
        imp_range range, bool time_ok)
{
    struct data_check c = {mech, what, range, time_ok, true};
    for (size_t i = 0; i < n; i++)
        if (e[i])
            ex_leaves(mech->graph, e + i, 1, data_leaf, &c);
    return c.ok;
}

static bool
world_ok(struct mech *mech)
{
    const struct tm_model *model = mech->model;
    bool ok = data_ok(mech, "gravity", model->world.gravity.e,
                      model->world.gravity.n, model->world.gravity.range, true);
    ok &= data_ok(mech, "the tolerance", &model->world.tolerance.e, 1,
                  model->world.tolerance.range, false);
    ok &= data_ok(mech, "the seed", &model->world.seed.e, 1,
                  model->world.seed.range, false);
    for (size_t i = 0; i < model->n_contacts; i++) {
        const struct tm_contact *contact = model->contacts + i;
        ok &= data_ok(mech, "a restitution", &contact->e.e, 1,
                      mech_range(contact->e.range, contact->range), false);
        ok &= data_ok(mech, "a coefficient of friction", &contact->mu.e, 1,
                      mech_range(contact->mu.range, contact->range), false);
        ok &= data_ok(mech, "the point of a contact", contact->at.e,
                      contact->at.n,
                      mech_range(contact->at.range, contact->range), true);
        ok &= data_ok(mech, "the normal of a contact", contact->direction.e,
                      contact->direction.n,
                      mech_range(contact->direction.range, contact->range),
                      false);
        ok &=
            data_ok(mech, "a priority", &contact->priority.e, 1,
                    mech_range(contact->priority.range, contact->range), false);
    }
    for (size_t i = 0; i < model->n_joints; i++) {
        const struct tm_joint *joint = model->joints + i;
        const struct tm_vec *v[] = {&joint->at, &joint->axis, &joint->axis2,
                                    &joint->rate};
        static const char *const what[] = {
            "the point of a joint", "the axis of a joint",
            "the axis of a joint", "the rate of a joint"};
        for (size_t n = 0; n < 4; n++)
            ok &= data_ok(mech, what[n], v[n]->e, v[n]->n,
                          mech_range(v[n]->range, joint->range), n == 0);
        ok &= data_ok(mech, "the screws of a joint", joint->user,
                      6 * joint->n_user, joint->range, false);
    }
    return ok;
}

/* -- the image
 * -------------------------------------------------------------------- */

static imp_ref
image_sources(struct mech *mech)
{
    const struct sources *s = mech->model->sources;
    uint32_t count = s ? sources_count(s) : 0;
    imp_source *table = NEW_N(mech->arena, imp_source, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct source *f = source_get(s, i + 1);
        table[i].name = image_text(mech->image, f->name);
        table[i].text = image_textn(mech->image, f->text, f->len);
    }
    return image_array(mech->image, table, count, sizeof *table);
}

static imp_ref
image_params(struct mech *mech)
{
    size_t count = mech->model->n_params;
    imp_param *table = NEW_N(mech->arena, imp_param, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_param *param = mech->model->params + i;
        table[i] = (imp_param){
            .name = image_text(mech->image, param->name),
            .doc = image_text(mech->image, param->doc ? param->doc : ""),
            .unit = image_text(mech->image, param->unit ? param->unit : ""),
            .dflt = param->dflt,
            .lo = param->lo,
            .hi = param->hi,
            .structural = param->structural,
            .has_range = param->has_range,
            .range = param->range};
    }
    return image_array(mech->image, table, count, sizeof *table);
}

static imp_ref
image_bodies(struct mech *mech)
{
    size_t count = mech->model->n_bodies;
    imp_body *table = NEW_N(mech->arena, imp_body, count + 1);
    uint32_t poly = mech->layout.poly;
    for (size_t which = 0; which < count; which++) {
        const struct mbody *body = mech->bodies + which;
        const struct tm_body *decl = body->decl;
        imp_range range = decl->range;
        table[which] = (imp_body){
            .name = image_text(mech->image, decl->name),
            .flags = body->flags,
            .orient = body->orient,
            .env_raw = body->env_raw,
            .env_body = body->env_body,
            .env_state = body->env_state,
            .block = body->block,
            .g0 = body->g0,
            .g2 = body->g2,
            .g3 = body->g3,
            .kinematics = body->kinematics,
            .energy = body->energy,
            .refresh = body->refresh,
            .n_point = decl->n_point,
            .n_plane = decl->n_point ? 0 : decl->n_plane,
            .env_poly = poly,
            .range = range,
            .range_shape = mech_range(decl->range_shape, range),
            .range_mass = mech_range(
                decl->mass.e ? decl->mass.range : decl->density.range, range),
            .range_inertia = mech_range(decl->inertia.range, range),
            .range_centre = mech_range(decl->centre.range, range),
            .range_position = mech_range(decl->position.range, range),
            .range_orient = mech_range(decl->orient.range, range),
            .range_velocity = mech_range(decl->velocity.range, range),
            .range_spin = mech_range(decl->spin.range, range)};
        for (int j = 0; j < 7; j++)
            table[which].pose[j] = body->pose_row[j];
        poly += poly_size(decl);
    }
    return image_array(mech->image, table, count, sizeof *table);
}

static imp_ref
image_blocks(struct mech *mech)
{
    imp_block *table = NEW_N(mech->arena, imp_block, mech->n_blocks + 1);
    for (size_t i = 0; i < mech->n_blocks; i++)
        table[i] = mech->blocks[i].out;
    return image_array(mech->image, table, mech->n_blocks, sizeof *table);
}

static bool
make_bodies(struct mech *mech)
{
    const struct tm_model *model = mech->model;
    bool ok = true;
    mech->bodies = NEW_N(mech->arena, struct mbody, model->n_bodies + 1);
    for (size_t i = 0; i < model->n_contacts; i++)
        for (int j = 0;
             j < 2 && !model->contacts[i].at.n && !model->contacts[i].system;
             j++)
            mech->bodies[model->contacts[i].body[j]].touches = true;
    for (uint32_t i = 0; i < model->n_bodies; i++) {
        struct mbody *body = mech->bodies + i;
        body->decl = model->bodies + i;
        body->index = i;
        body->env_raw = mech->layout.raw + i * IMP_RAW_SIZE;
        body->env_body = mech->layout.body + i * IMP_BODY_SIZE;
        body->env_state = mech->layout.state + i * mech->n_state;
        for (int j = 0; j < 7; j++)
            body->pose_row[j] = IMP_NO_ROW;
        ok &= body_build(mech, body);
    }
    return ok;
}

const imp_image *
mech_compile(struct tm_model *model, struct diags *ds)
{
    struct mech mech = {.model = model,
                        .graph = model->graph,
                        .arena = model->arena,
                        .image = image_new(model->arena),
                        .diags = ds};
    int errors = ds->errors;
    imp_range origin = graph_origin_get(mech.graph);
    mech.dim = model->dim == 2 ? 2 : 3;
    mech.n_state = mech.dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    make_layout(&mech);
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
        .range_gravity = model->world.gravity.range,
        .range_tolerance = model->world.tolerance.range};
    mech.event_row = arena_alloc(mech.arena, (model->n_contacts + 1) *
                                                 sizeof *mech.event_row);
    bool ok = world_ok(&mech);
    ok &= make_bodies(&mech);
    ok = ok && block_build(&mech) && system_build(&mech);
    imp_contact *contacts =
        NEW_N(mech.arena, imp_contact, model->n_contacts + 1);
    for (uint32_t i = 0; ok && i < model->n_contacts; i++)
        ok = contact_build(&mech, i, contacts + i) && ok;
    graph_origin(mech.graph, origin);
    if (!ok || ds->errors > errors)
        return NULL;

    head.setup = setup_tape(&mech);
    head.joints = image_joints(&mech);
    head.coordinates = image_coordinates(&mech);
    head.systems = image_systems(&mech);
    head.draws = image_draws(&mech);
    head.commands = lower_commands(&mech);
    head.slots = lower_slots(&mech);
    head.series = series_tapes(&mech);
    head.sources = image_sources(&mech);
    head.params = image_params(&mech);
    head.bodies = image_bodies(&mech);
    head.blocks = image_blocks(&mech);
    head.contacts =
        image_array(mech.image, contacts, model->n_contacts, sizeof *contacts);
    graph_origin(mech.graph, origin);
    return image_finish(mech.image, &head);
}
