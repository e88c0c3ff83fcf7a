/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time derivatives of what a model says. Each entry of the table of series
 * becomes a series tape over the motion. Its leaves are rows: the state from
 * the motion of the blocks, the gap and the closest points of a contact from
 * its event series, coefficients of other series from their derived rows
 * (imp_series). So one rule serves every expression and every order. Forces
 * define the motion, so in forces derivatives are taken on the graph instead,
 * as far as they need no forces. */
#include "mechanics/mech_priv.h"

#include <assert.h>

uint32_t
series_layout(struct mech *mech, uint32_t at)
{
    assert(mech);
    mech->series_env = NEW_N(mech->arena, uint32_t, mech->model->n_series + 1);
    for (size_t i = 0; i < mech->model->n_series; i++) {
        mech->series_env[i] = at;
        at += mech->model->series[i].order + 1;
    }
    return at;
}

/* -- along the motion ------------------------------------------------------ */

static const expr *
state_row(struct mech *mech, uint32_t env)
{
    uint32_t at = env - mech->layout.state, block, row;
    if (system_row(mech, env, &block, &row))
        return ex_sym(mech->graph, SYM_ROW, block, row);
    for (size_t i = 0; i < mech->model->n_rotors; i++)
        if (mech->rotors[i].state == env)
            return ex_sym(mech->graph, SYM_ROW, mech->rotors[i].block,
                          mech->rotors[i].row);
    const struct mbody *body = mech->bodies + at / mech->n_state;
    return ex_sym(mech->graph, SYM_ROW, body->block,
                  body->row.state[at % mech->n_state]);
}

static const expr *
state_leaf(void *ctx, const expr *leaf)
{
    return leaf->sym == SYM_STATE ? state_row(ctx, leaf->i) : NULL;
}

static const expr *
along(struct mech *mech, const expr *e)
{
    return ex_subst(mech->graph, e, state_leaf, mech);
}

/* Entry `what` of a contact of polytopes. The runtime makes its rows, in the
 * axes of the first body about its mass centre (runtime/gap). */
static const expr *
corner_entry(struct mech *mech, const struct mbody *body, uint32_t source,
             uint32_t what)
{
    if (what == IMP_CONTACT_GAP)
        return ex_sym(mech->graph, SYM_ROW, source, what);
    uint32_t first = what < IMP_CONTACT_Q        ? IMP_CONTACT_P
                     : what < IMP_CONTACT_NORMAL ? IMP_CONTACT_Q
                                                 : IMP_CONTACT_NORMAL;
    vec3 x = v3_zero(mech->graph);
    for (uint32_t i = 0; i < mech->dim; i++)
        x.v[i] = ex_sym(mech->graph, SYM_ROW, source, first + i);
    vec3 v = m3_apply(mech->graph, body->form->pose.R, x);
    if (first != IMP_CONTACT_NORMAL)
        v = v3_add(mech->graph, body->form->pose.c, v);
    return along(mech, v.v[what - first]);
}

/* Entry `what` of a contact (imp_contactenv) from its event series: output 0 is
 * the gap, then come the unknowns x and y. */
static const expr *
contact_row(struct mech *mech, uint32_t contact, uint32_t what)
{
    struct graph *graph = mech->graph;
    const struct tm_contact *decl = mech->model->contacts + contact;
    const uint32_t *row = mech->event_row[contact];
    uint32_t source = (uint32_t)mech->n_blocks + contact;
    const struct mbody *b0 = mech->bodies + decl->body[0];
    for (int i = 0; i < 2; i++)
        mech->form(mech, mech->bodies + decl->body[i]);
    if (!decl->at.n && (body_has_corners(b0) ||
                        body_has_corners(mech->bodies + decl->body[1])))
        return corner_entry(mech, b0, source, what);
    if (what == IMP_CONTACT_GAP)
        return ex_sym(graph, SYM_ROW, source, row[0]);
    bool second = what >= IMP_CONTACT_Q && what < IMP_CONTACT_NORMAL;
    const struct mbody *body = mech->bodies + decl->body[second];
    vec3 point = v3_zero(graph);
    for (uint32_t i = 0; i < mech->dim; i++)
        point.v[i] = ex_sym(graph, SYM_ROW, source,
                            row[1 + i + (second ? mech->dim : 0)]);
    mat3 R = pose_calm(mech, body, body->form->pose).R;
    vec3 value;
    if (what >= IMP_CONTACT_NORMAL) {
        value = m3_apply(graph, R, surface_gradient(mech, body, point));
        value = v3_scale(
            graph, ex_div(graph, ex_num(graph, 1.0), v3_norm(graph, value)),
            value);
        what -= IMP_CONTACT_NORMAL;
    } else {
        value = m3_apply(graph, R, v3_sub(graph, point, body->shape.centre));
        value = v3_add(graph, body->form->pose.c, value);
        what -= second ? IMP_CONTACT_Q : IMP_CONTACT_P;
    }
    return along(mech, value.v[what]);
}

/* The velocity of the matter of a body of a contact at its closest point. */
static vec3
velocity_at(struct mech *mech, uint32_t contact, uint32_t number)
{
    struct graph *graph = mech->graph;
    const struct mbody *body =
        mech->bodies + mech->model->contacts[contact].body[number];
    vec3 point = v3_zero(graph);
    for (uint32_t i = 0; i < mech->dim; i++)
        point.v[i] = contact_row(mech, contact,
                                 (number ? IMP_CONTACT_Q : IMP_CONTACT_P) + i);
    vec3 v = v3_add(graph, body->form->v,
                    v3_cross(graph, body->form->w,
                             v3_sub(graph, point, body->form->pose.c)));
    for (uint32_t i = 0; i < mech->dim; i++)
        v.v[i] = along(mech, v.v[i]);
    return v;
}

/* How fast the closest points of a contact of the plane pass each other along
 * the normal turned by -90 degrees. */
static const expr *
open_slip(struct mech *mech, uint32_t contact)
{
    struct graph *graph = mech->graph;
    const expr *n[2];
    for (uint32_t i = 0; i < 2; i++)
        n[i] = contact_row(mech, contact, IMP_CONTACT_NORMAL + i);
    vec3 v = v3_sub(graph, velocity_at(mech, contact, 1),
                    velocity_at(mech, contact, 0));
    return sc_sub(graph, sc_mul(graph, n[1], v.v[0]),
                  sc_mul(graph, n[0], v.v[1]));
}

/* What the run tells of a contact or a joint (imp_series). NULL: it is another
 * entry of env. */
static const expr *
told_row(struct mech *mech, const expr *leaf)
{
    struct graph *graph = mech->graph;
    size_t contacts =
               mech->n_blocks + mech->model->n_contacts + mech->model->n_series,
           joints = contacts + mech->model->n_contacts;
    if (leaf->sym == SYM_JOINT)
        return ex_sym(graph, SYM_ROW, (uint32_t)joints + leaf->i,
                      leaf->j - IMP_JOINT_FORCE);
    if (leaf->j < IMP_CONTACT_NORMAL_FORCE || leaf->j > IMP_CONTACT_MODE)
        return NULL;
    uint32_t source = (uint32_t)contacts + leaf->i;
    const expr *row =
        ex_sym(graph, SYM_ROW, source, leaf->j - IMP_CONTACT_NORMAL_FORCE);
    if (leaf->j != IMP_CONTACT_SLIP || mech->model->contacts[leaf->i].at.n)
        return row; /* nobody watches a stated contact that is open */
    return sc_add(graph, row,
                  sc_mul(graph,
                         ex_sym(graph, SYM_ROW, source, IMP_CONTACTROW_OPEN),
                         open_slip(mech, leaf->i)));
}

static const expr *
row_leaf(void *ctx, const expr *leaf)
{
    struct mech *mech = ctx;
    switch (leaf->sym) {
    case SYM_BODY:
    case SYM_ROTOR:
    case SYM_TOTAL:
    case SYM_COORD:
    case SYM_SYSTEM:
        return along(mech, quantity_leaf(mech, leaf));
    case SYM_CONTACT:
        return leaf->j < IMP_CONTACT_E ? contact_row(mech, leaf->i, leaf->j)
                                       : told_row(mech, leaf);
    case SYM_JOINT:
        return told_row(mech, leaf);
    case SYM_SERIES:
        return ex_sym(mech->graph, SYM_ROW,
                      (uint32_t)(mech->n_blocks + mech->model->n_contacts) +
                          leaf->i,
                      leaf->j);
    default:
        return NULL;
    }
}

imp_ref
series_tapes(struct mech *mech)
{
    assert(mech);
    size_t count = mech->model->n_series;
    imp_series *table = NEW_N(mech->arena, imp_series, count + 1);
    for (size_t which = 0; which < count; which++) {
        const struct tm_series *series = mech->model->series + which;
        graph_origin(mech->graph, series->range);
        const expr *e = ex_subst(mech->graph, series->e, row_leaf, mech);
        struct tape_spec spec = {
            .name = arena_printf(mech->arena, "series %zu", which),
            .outs = &e,
            .n_outs = 1};
        table[which] = (imp_series){.order = series->order,
                                    .env = mech->series_env[which],
                                    .range = series->range};
        table[which].tape = mech_series_tape(mech, spec, &table[which].row);
    }
    return image_array(mech->image, table, count, sizeof *table);
}

/* -- what a value reads ---------------------------------------------------- */

struct wants {
    const struct mech *mech;
    uint32_t *order; /* per series; 0: not wanted */
    uint32_t base;   /* order wanted of the series whose leaves these are */
    bool *contact, *slot;
};

static void
want_leaf(void *ctx, const expr *leaf)
{
    struct wants *wants = ctx;
    bool slip = leaf->sym == SYM_CONTACT && leaf->j == IMP_CONTACT_SLIP &&
                wants->base && !wants->mech->model->contacts[leaf->i].at.n;
    if (slip || (leaf->sym == SYM_CONTACT && leaf->j < IMP_CONTACT_E))
        wants->contact[leaf->i] = true;
    if (leaf->sym == SYM_SLOT)
        wants->slot[leaf->i] = true;
    if (leaf->sym == SYM_SERIES &&
        wants->order[leaf->i] < leaf->j + wants->base)
        wants->order[leaf->i] = leaf->j + wants->base;
}

imp_ref
series_wants(struct mech *mech, const expr *const *outs, size_t n_out,
             bool *contact, bool *slot)
{
    assert(contact && slot && (outs || n_out == 0));
    size_t n_series = mech->model->n_series, n_wanted = 0;
    if (!n_series)
        return (imp_ref){0, 0};
    struct wants wants = {mech, NEW_N(mech->arena, uint32_t, n_series), 0,
                          contact, slot};
    ex_leaves(mech->graph, outs, n_out, want_leaf, &wants);
    /* a series reads only series with lower numbers */
    for (size_t i = n_series; i-- > 0;) {
        wants.base = wants.order[i];
        if (wants.base)
            ex_leaves(mech->graph, &mech->model->series[i].e, 1, want_leaf,
                      &wants);
    }
    imp_want *table = NEW_N(mech->arena, imp_want, n_series);
    for (size_t i = 0; i < n_series; i++)
        if (wants.order[i])
            table[n_wanted++] = (imp_want){(uint32_t)i, wants.order[i]};
    return image_array(mech->image, table, n_wanted, sizeof *table);
}

/* -- in forces ------------------------------------------------------------- */

struct force {
    struct mech *mech;
    imp_range where;
    const char *body;
    bool failed;
};

static void
velocity_leaf(void *ctx, const expr *leaf)
{
    struct force *force = ctx;
    const struct mech *mech = force->mech;
    uint32_t pose = mech->dim == 2 ? 3 : 7, at = leaf->i - mech->layout.state;
    bool body = at < mech->model->n_bodies * mech->n_state;
    force->failed |=
        leaf->sym == SYM_STATE && (!body || at % mech->n_state >= pose);
}

/* A Taylor coefficient by derivatives along the poses; zero after E0529. */
static const expr *
force_leaf(void *ctx, const expr *leaf)
{
    struct force *force = ctx;
    struct mech *mech = force->mech;
    if (leaf->sym != SYM_SERIES)
        return quantity_leaf(mech, leaf);
    const expr *e = ex_subst(mech->graph, mech->model->series[leaf->i].e,
                             force_leaf, force);
    for (uint32_t n = 1; n <= leaf->j && !force->failed; n++) {
        ex_leaves(mech->graph, &e, 1, velocity_leaf, force);
        if (force->failed)
            break;
        e = ex_diff_along(mech->graph, e, mech->leaf, mech->rate, mech->n_leaf);
        e = ex_div(mech->graph, e, ex_num(mech->graph, n));
    }
    return force->failed ? sc_zero(mech->graph) : e;
}

const expr *
series_in_force(struct mech *mech, const expr *e, imp_range where,
                const char *body)
{
    assert(mech && e && body);
    struct force f = {mech, where, body, false};
    e = ex_subst(mech->graph, e, force_leaf, &f);
    if (!f.failed)
        return e;
    struct diag *diag =
        diag_add(mech->diags, DIAG_E0529, where,
                 "the force on `%s` reads an acceleration", body);
    diag_help(mech->diags, diag,
              "accelerations follow from the forces: take first derivatives "
              "of positions and angles only, which are velocities");
    return sc_zero(mech->graph);
}
