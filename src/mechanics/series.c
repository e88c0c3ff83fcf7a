/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time derivatives of what a model says: each entry of the table of series
 * becomes a series tape over the motion. Its leaves are rows: the state from
 * the motion of the blocks, the gap and the closest points of a contact from
 * its event series, coefficients of other series from their derived rows
 * (imp_series). So one rule serves every expression and every order. In forces,
 * which define the motion, derivatives are taken on the graph instead, as far
 * as they need no forces. */
#include "mechanics/mech_priv.h"

uint32_t
series_layout(struct mech *k, uint32_t at)
{
    k->series_env = NEW_N(k->arena, uint32_t, k->m->n_series + 1);
    for (size_t i = 0; i < k->m->n_series; i++) {
        k->series_env[i] = at;
        at += k->m->series[i].order + 1;
    }
    return at;
}

/* -- along the motion ----------------------------------------------------- */

static const expr *
state_row(struct mech *k, uint32_t env)
{
    uint32_t at = env - k->layout.state, block, row;
    if (system_row(k, env, &block, &row))
        return ex_sym(k->g, SYM_ROW, block, row);
    const struct mbody *b = k->bodies + at / k->n_state;
    return ex_sym(k->g, SYM_ROW, b->block, b->state_row[at % k->n_state]);
}

static const expr *
state_leaf(void *ctx, const expr *leaf)
{
    return leaf->sym == SYM_STATE ? state_row(ctx, leaf->i) : NULL;
}

static const expr *
along(struct mech *k, const expr *e)
{
    return ex_subst(k->g, e, state_leaf, k);
}

/* entry `what` of a contact of corners: the runtime makes rows of them, in the
 * axes of the first body b about its mass centre (runtime/gap/polytope_rows.c)
 */
static const expr *
corner_entry(struct mech *k, const struct mbody *b, uint32_t source,
             uint32_t what)
{
    if (what == IMP_CONTACT_GAP)
        return ex_sym(k->g, SYM_ROW, source, what);
    uint32_t first = what < IMP_CONTACT_Q        ? IMP_CONTACT_P
                     : what < IMP_CONTACT_NORMAL ? IMP_CONTACT_Q
                                                 : IMP_CONTACT_NORMAL;
    vec3 x = v3_zero(k->g);
    for (uint32_t i = 0; i < k->d; i++)
        x.v[i] = ex_sym(k->g, SYM_ROW, source, first + i);
    vec3 v = m3_apply(k->g, b->pose.R, x);
    if (first != IMP_CONTACT_NORMAL)
        v = v3_add(k->g, b->pose.c, v);
    return along(k, v.v[what - first]);
}

/* entry `what` of a contact (imp_contactenv) from its event series, whose
 * output 0 is the gap, 1 .. the unknowns x, y */
static const expr *
contact_row(struct mech *k, uint32_t c, uint32_t what)
{
    struct graph *g = k->g;
    const struct tm_contact *t = k->m->contacts + c;
    const uint32_t *row = k->event_row[c];
    uint32_t source = (uint32_t)k->n_blocks + c;
    const struct mbody *b0 = k->bodies + t->body[0];
    if (!t->at.n &&
        (body_has_corners(b0) || body_has_corners(k->bodies + t->body[1])))
        return corner_entry(k, b0, source, what);
    if (what == IMP_CONTACT_GAP)
        return ex_sym(g, SYM_ROW, source, row[0]);
    bool second = what >= IMP_CONTACT_Q && what < IMP_CONTACT_NORMAL;
    const struct mbody *b = k->bodies + t->body[second];
    vec3 x = v3_zero(g);
    for (uint32_t i = 0; i < k->d; i++)
        x.v[i] = ex_sym(g, SYM_ROW, source, row[1 + i + (second ? k->d : 0)]);
    vec3 v;
    if (what >= IMP_CONTACT_NORMAL) {
        v = m3_apply(g, b->pose.R, contact_gradient(k, b, x));
        v = v3_scale(g, ex_div(g, ex_num(g, 1.0), v3_norm(g, v)), v);
        what -= IMP_CONTACT_NORMAL;
    } else {
        v = m3_apply(g, b->pose.R, v3_sub(g, x, b->shape_centre));
        v = v3_add(g, b->pose.c, v);
        what -= second ? IMP_CONTACT_Q : IMP_CONTACT_P;
    }
    return along(k, v.v[what]);
}

static const expr *
row_leaf(void *ctx, const expr *leaf)
{
    struct mech *k = ctx;
    switch (leaf->sym) {
    case SYM_BODY:
    case SYM_TOTAL:
    case SYM_COORD:
    case SYM_SYSTEM:
        return along(k, lower_leaf(k, leaf));
    case SYM_CONTACT:
        return leaf->j < IMP_CONTACT_E ? contact_row(k, leaf->i, leaf->j)
                                       : NULL;
    case SYM_SERIES:
        return ex_sym(k->g, SYM_ROW,
                      (uint32_t)(k->n_blocks + k->m->n_contacts) + leaf->i,
                      leaf->j);
    default:
        return NULL;
    }
}

imp_ref
series_tapes(struct mech *k)
{
    size_t n = k->m->n_series;
    imp_series *v = NEW_N(k->arena, imp_series, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct tm_series *s = k->m->series + i;
        graph_origin(k->g, s->range);
        const expr *e = ex_subst(k->g, s->e, row_leaf, k);
        struct tape_spec spec = {.name =
                                     arena_printf(k->arena, "series %zu", i),
                                 .series = true,
                                 .outs = &e,
                                 .n_outs = 1,
                                 .env_of = mech_env_of,
                                 .ctx = k};
        v[i] = (imp_series){
            .order = s->order, .env = k->series_env[i], .range = s->range};
        v[i].tape = tape_build(k->g, k->ib, &spec, &v[i].row);
    }
    return image_array(k->ib, v, n, sizeof *v);
}

/* -- what a value reads --------------------------------------------------- */

struct wants {
    uint32_t *order; /* per series; 0: not wanted */
    uint32_t base;   /* order wanted of the series whose leaves these are */
    bool *contact, *slot;
};

static void
want_leaf(void *ctx, const expr *leaf)
{
    struct wants *w = ctx;
    if (leaf->sym == SYM_CONTACT && leaf->j < IMP_CONTACT_E)
        w->contact[leaf->i] = true;
    if (leaf->sym == SYM_SLOT)
        w->slot[leaf->i] = true;
    if (leaf->sym == SYM_SERIES && w->order[leaf->i] < leaf->j + w->base)
        w->order[leaf->i] = leaf->j + w->base;
}

imp_ref
series_wants(struct mech *k, const expr *const *outs, size_t n, bool *contact,
             bool *slot)
{
    size_t n_series = k->m->n_series, m = 0;
    if (!n_series)
        return (imp_ref){0, 0};
    struct wants w = {NEW_N(k->arena, uint32_t, n_series), 0, contact, slot};
    ex_leaves(k->g, outs, n, want_leaf, &w);
    /* series read lower numbers only */
    for (size_t i = n_series; i-- > 0;) {
        w.base = w.order[i];
        if (w.base)
            ex_leaves(k->g, &k->m->series[i].e, 1, want_leaf, &w);
    }
    imp_want *v = NEW_N(k->arena, imp_want, n_series);
    for (size_t i = 0; i < n_series; i++)
        if (w.order[i])
            v[m++] = (imp_want){(uint32_t)i, w.order[i]};
    return image_array(k->ib, v, m, sizeof *v);
}

/* -- in forces ------------------------------------------------------------ */

struct force {
    struct mech *k;
    imp_range where;
    const char *body;
    bool failed;
};

static void
velocity_leaf(void *ctx, const expr *leaf)
{
    struct force *f = ctx;
    const struct mech *k = f->k;
    uint32_t pose = k->d == 2 ? 3 : 7;
    f->failed |= leaf->sym == SYM_STATE &&
                 (leaf->i - k->layout.state) % k->n_state >= pose;
}

/* coefficient by derivatives along the poses; zero after E0529 */
static const expr *
force_leaf(void *ctx, const expr *leaf)
{
    struct force *f = ctx;
    struct mech *k = f->k;
    if (leaf->sym != SYM_SERIES)
        return lower_leaf(k, leaf);
    const expr *e = ex_subst(k->g, k->m->series[leaf->i].e, force_leaf, f);
    for (uint32_t n = 1; n <= leaf->j && !f->failed; n++) {
        ex_leaves(k->g, &e, 1, velocity_leaf, f);
        if (f->failed)
            break;
        e = ex_diff_along(k->g, e, k->leaf, k->rate, k->n_leaf);
        e = ex_div(k->g, e, ex_num(k->g, n));
    }
    return f->failed ? sc_zero(k->g) : e;
}

const expr *
series_in_force(struct mech *k, const expr *e, imp_range where,
                const char *body)
{
    struct force f = {k, where, body, false};
    e = ex_subst(k->g, e, force_leaf, &f);
    if (!f.failed)
        return e;
    struct diag *d = diag_add(k->ds, DIAG_E0529, where,
                              "the force on `%s` reads an acceleration", body);
    diag_help(k->ds, d,
              "accelerations follow from the forces: take first derivatives "
              "of positions and angles only, which are velocities");
    return sc_zero(k->g);
}
