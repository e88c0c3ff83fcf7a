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
sym_env(struct mech *k, uint32_t i)
{
    return ex_sym(k->g, SYM_ENV, i, 0);
}

const expr *
sym_state(struct mech *k, uint32_t i)
{
    return ex_sym(k->g, SYM_STATE, i, 0);
}

const expr *
sym_time(struct mech *k)
{
    return ex_sym(k->g, SYM_TIME, 0, 0);
}

uint32_t
mech_env_of(void *ctx, const expr *leaf)
{
    const struct mech *k = ctx;
    switch (leaf->sym) {
    case SYM_TIME:
        return k->layout.time;
    case SYM_PARAM:
        return k->layout.params + leaf->i;
    case SYM_CONTACT:
        return k->layout.contact + leaf->i * IMP_CONTACT_SIZE + leaf->j;
    case SYM_SLOT:
        return k->layout.slots + leaf->i;
    case SYM_DRAW:
        return k->layout.draws + leaf->i;
    case SYM_SERIES:
        return k->series_env[leaf->i] + leaf->j;
    default:
        return leaf->i;
    }
}

uint32_t
mech_eval_tape(struct mech *k, const char *name, uint32_t n_local,
               const expr *const *outs, size_t n_outs)
{
    struct tape_spec spec = {.name = name,
                             .n_local = n_local,
                             .outs = outs,
                             .n_outs = n_outs,
                             .env_of = mech_env_of,
                             .ctx = k};
    return tape_build(k->g, k->ib, &spec, NULL);
}

/* entries in env of what a polytope states */
static uint32_t
poly_size(const struct tm_body *b)
{
    return b->n_point ? 3 * b->n_point : 4 * b->n_plane;
}

static void
make_layout(struct mech *k)
{
    const struct tm_model *m = k->m;
    imp_layout *l = &k->layout;
    uint32_t at = 0, nb = (uint32_t)m->n_bodies;
    l->time = at;
    l->params = at += 1;
    l->raw = at += (uint32_t)m->n_params;
    l->body = at += nb * IMP_RAW_SIZE;
    l->state = at += nb * IMP_BODY_SIZE;
    l->contact = at += nb * k->n_state + 2 * (uint32_t)m->n_coordinates;
    l->joint = at += (uint32_t)m->n_contacts * IMP_CONTACT_SIZE;
    l->poly = at += (uint32_t)m->n_joints * IMP_JOINT_SIZE;
    for (size_t i = 0; i < nb; i++)
        at += poly_size(m->bodies + i);
    l->slots = at;
    l->series = at += (uint32_t)m->n_slots;
    l->draws = series_layout(k, at);
    l->n_env = l->draws + (uint32_t)m->n_draws;
}

bool
mech_simulates(const struct mech *k)
{
    for (size_t i = 0; i < k->m->n_commands; i++)
        if (k->m->commands[i].id == IMP_CMD_simulate)
            return true;
    return false;
}

/* contact and world data that read the motion */
struct data_check {
    struct mech *k;
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
    struct diag *d =
        diag_add(c->k->ds, DIAG_E0513, mech_range(leaf->origin, c->range),
                 "%s does not stay what it is during the motion", c->what);
    diag_help(c->k->ds, d, "write %s in numbers and params%s", c->what,
              c->time_ok ? " and t" : "");
}

static bool
data_ok(struct mech *k, const char *what, const expr *const *e, size_t n,
        imp_range range, bool time_ok)
{
    struct data_check c = {k, what, range, time_ok, true};
    for (size_t i = 0; i < n; i++)
        if (e[i])
            ex_leaves(k->g, e + i, 1, data_leaf, &c);
    return c.ok;
}

static bool
world_ok(struct mech *k)
{
    const struct tm_model *m = k->m;
    bool ok = data_ok(k, "gravity", m->world.gravity.e, m->world.gravity.n,
                      m->world.gravity.range, true);
    ok &= data_ok(k, "the tolerance", &m->world.tolerance.e, 1,
                  m->world.tolerance.range, false);
    ok &=
        data_ok(k, "the seed", &m->world.seed.e, 1, m->world.seed.range, false);
    for (size_t i = 0; i < m->n_contacts; i++) {
        const struct tm_contact *c = m->contacts + i;
        ok &= data_ok(k, "a restitution", &c->e.e, 1,
                      mech_range(c->e.range, c->range), false);
        ok &= data_ok(k, "a coefficient of friction", &c->mu.e, 1,
                      mech_range(c->mu.range, c->range), false);
        ok &= data_ok(k, "the point of a contact", c->at.e, c->at.n,
                      mech_range(c->at.range, c->range), true);
        ok &= data_ok(k, "the normal of a contact", c->direction.e,
                      c->direction.n, mech_range(c->direction.range, c->range),
                      false);
        ok &= data_ok(k, "a priority", &c->priority.e, 1,
                      mech_range(c->priority.range, c->range), false);
    }
    for (size_t i = 0; i < m->n_joints; i++) {
        const struct tm_joint *j = m->joints + i;
        const struct tm_vec *v[] = {&j->at, &j->axis, &j->axis2, &j->rate};
        static const char *const what[] = {
            "the point of a joint", "the axis of a joint",
            "the axis of a joint", "the rate of a joint"};
        for (size_t n = 0; n < 4; n++)
            ok &= data_ok(k, what[n], v[n]->e, v[n]->n,
                          mech_range(v[n]->range, j->range), n == 0);
        ok &= data_ok(k, "the screws of a joint", j->user, 6 * j->n_user,
                      j->range, false);
    }
    return ok;
}

/* -- the image
 * -------------------------------------------------------------------- */

static imp_ref
image_sources(struct mech *k)
{
    const struct sources *s = k->m->sources;
    uint32_t n = s ? sources_count(s) : 0;
    imp_source *v = NEW_N(k->arena, imp_source, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const struct source *f = source_get(s, i + 1);
        v[i].name = image_text(k->ib, f->name);
        v[i].text = image_textn(k->ib, f->text, f->len);
    }
    return image_array(k->ib, v, n, sizeof *v);
}

static imp_ref
image_params(struct mech *k)
{
    size_t n = k->m->n_params;
    imp_param *v = NEW_N(k->arena, imp_param, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct tm_param *p = k->m->params + i;
        v[i] = (imp_param){.name = image_text(k->ib, p->name),
                           .doc = image_text(k->ib, p->doc ? p->doc : ""),
                           .unit = image_text(k->ib, p->unit ? p->unit : ""),
                           .dflt = p->dflt,
                           .lo = p->lo,
                           .hi = p->hi,
                           .structural = p->structural,
                           .has_range = p->has_range,
                           .range = p->range};
    }
    return image_array(k->ib, v, n, sizeof *v);
}

static imp_ref
image_bodies(struct mech *k)
{
    size_t n = k->m->n_bodies;
    imp_body *v = NEW_N(k->arena, imp_body, n + 1);
    uint32_t poly = k->layout.poly;
    for (size_t i = 0; i < n; i++) {
        const struct mbody *b = k->bodies + i;
        const struct tm_body *t = b->tm;
        imp_range r = t->range;
        v[i] = (imp_body){.name = image_text(k->ib, t->name),
                          .flags = b->flags,
                          .orient = b->orient,
                          .env_raw = b->env_raw,
                          .env_body = b->env_body,
                          .env_state = b->env_state,
                          .block = b->block,
                          .g0 = b->g0,
                          .g2 = b->g2,
                          .g3 = b->g3,
                          .kinematics = b->kinematics,
                          .energy = b->energy,
                          .refresh = b->refresh,
                          .n_point = t->n_point,
                          .n_plane = t->n_point ? 0 : t->n_plane,
                          .env_poly = poly,
                          .range = r,
                          .range_shape = mech_range(t->range_shape, r),
                          .range_mass = mech_range(
                              t->mass.e ? t->mass.range : t->density.range, r),
                          .range_inertia = mech_range(t->inertia.range, r),
                          .range_centre = mech_range(t->centre.range, r),
                          .range_position = mech_range(t->position.range, r),
                          .range_orient = mech_range(t->orient.range, r),
                          .range_velocity = mech_range(t->velocity.range, r),
                          .range_spin = mech_range(t->spin.range, r)};
        for (int j = 0; j < 7; j++)
            v[i].pose[j] = b->pose_row[j];
        poly += poly_size(t);
    }
    return image_array(k->ib, v, n, sizeof *v);
}

static imp_ref
image_blocks(struct mech *k)
{
    imp_block *v = NEW_N(k->arena, imp_block, k->n_blocks + 1);
    for (size_t i = 0; i < k->n_blocks; i++)
        v[i] = k->blocks[i].out;
    return image_array(k->ib, v, k->n_blocks, sizeof *v);
}

static bool
make_bodies(struct mech *k)
{
    const struct tm_model *m = k->m;
    bool ok = true;
    k->bodies = NEW_N(k->arena, struct mbody, m->n_bodies + 1);
    for (size_t i = 0; i < m->n_contacts; i++)
        for (int j = 0; j < 2 && !m->contacts[i].at.n && !m->contacts[i].system;
             j++)
            k->bodies[m->contacts[i].body[j]].touches = true;
    for (uint32_t i = 0; i < m->n_bodies; i++) {
        struct mbody *b = k->bodies + i;
        b->tm = m->bodies + i;
        b->index = i;
        b->env_raw = k->layout.raw + i * IMP_RAW_SIZE;
        b->env_body = k->layout.body + i * IMP_BODY_SIZE;
        b->env_state = k->layout.state + i * k->n_state;
        for (int j = 0; j < 7; j++)
            b->pose_row[j] = IMP_NO_ROW;
        ok &= body_build(k, b);
    }
    return ok;
}

const imp_image *
mech_compile(struct tm_model *m, struct diags *ds)
{
    struct mech k = {.m = m,
                     .g = m->graph,
                     .arena = m->arena,
                     .ib = image_new(m->arena),
                     .ds = ds};
    int errors = ds->errors;
    imp_range origin = graph_origin_get(k.g);
    k.d = m->dim == 2 ? 2 : 3;
    k.n_state = k.d == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    make_layout(&k);
    k.gravity = v3_zero(k.g);
    for (uint32_t i = 0; i < m->world.gravity.n && i < k.d; i++)
        k.gravity.v[i] = m->world.gravity.e[i];

    imp_image head = {.dim = m->dim,
                      .name = image_text(k.ib, m->name ? m->name : ""),
                      .layout = k.layout,
                      .policy = (uint32_t)m->world.policy,
                      .has_policy = m->world.has_policy,
                      .gain_allowed = m->world.gain_allowed,
                      .start_projected = m->world.start_projected,
                      .forbid = m->world.forbid,
                      .has_tolerance = m->world.tolerance.e != NULL,
                      .impact_law = (uint32_t)m->world.impact_law,
                      .range_gravity = m->world.gravity.range,
                      .range_tolerance = m->world.tolerance.range};
    k.event_row =
        arena_alloc(k.arena, (m->n_contacts + 1) * sizeof *k.event_row);
    bool ok = world_ok(&k);
    ok &= make_bodies(&k);
    ok = ok && block_build(&k) && system_build(&k);
    imp_contact *contacts = NEW_N(k.arena, imp_contact, m->n_contacts + 1);
    for (uint32_t i = 0; ok && i < m->n_contacts; i++)
        ok = contact_build(&k, i, contacts + i) && ok;
    graph_origin(k.g, origin);
    if (!ok || ds->errors > errors)
        return NULL;

    head.setup = setup_tape(&k);
    head.joints = image_joints(&k);
    head.coordinates = image_coordinates(&k);
    head.systems = image_systems(&k);
    head.draws = image_draws(&k);
    head.commands = lower_commands(&k);
    head.slots = lower_slots(&k);
    head.series = series_tapes(&k);
    head.sources = image_sources(&k);
    head.params = image_params(&k);
    head.bodies = image_bodies(&k);
    head.blocks = image_blocks(&k);
    head.contacts =
        image_array(k.ib, contacts, m->n_contacts, sizeof *contacts);
    graph_origin(k.g, origin);
    return image_finish(k.ib, &head);
}
