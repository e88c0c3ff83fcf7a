/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coefficients of friction between two bodies that change along the motion:
 * formulas of the speed of slip, of t, and of the places and velocities of
 * these bodies. One tape gives them at an instant, one as series, and one says
 * where they change their branch. */
#include "mechanics/mech_priv.h"

#include <assert.h>

bool
friction_varies(struct mech *mech, const expr *mu)
{
    static const enum expr_sym moving[] = {SYM_COORD, SYM_SLIP, SYM_TIME,
                                           SYM_BODY};
    for (int i = 0; i < 4; i++)
        if (mu &&
            ex_depends(mech->graph, mu, moving[i], UINT32_MAX, UINT32_MAX))
            return true;
    return false;
}

struct at {
    struct mech *mech;
    const struct tm_contact *decl;
};

/* The formula at an instant: the speed of slip is the local 0. */
static const expr *
now_leaf(void *ctx, const expr *leaf)
{
    const struct at *at = ctx;
    if (leaf->sym == SYM_SLIP)
        return ex_sym(at->mech->graph, SYM_UNKNOWN, 0, 0);
    return leaf->sym == SYM_BODY ? quantity_leaf(at->mech, leaf) : NULL;
}

/* The same along the motion of both bodies. */
static const expr *
along_leaf(void *ctx, const expr *leaf)
{
    const struct at *at = ctx;
    struct mech *mech = at->mech;
    if (leaf->sym == SYM_UNKNOWN)
        return ex_sym(mech->graph, SYM_ROW, 2, 0);
    if (leaf->sym != SYM_STATE)
        return NULL;
    uint32_t entry = leaf->i - mech->layout.state;
    const struct mbody *body = mech->bodies + entry / mech->n_state;
    return ex_sym(mech->graph, SYM_ROW, body->index == at->decl->body[1],
                  body->row.state[entry % mech->n_state]);
}

void
body_friction_build(struct mech *mech, const struct tm_contact *decl,
                    imp_contact *out)
{
    assert(mech && out && !decl->system);
    const struct tm_num *mu[] = {&decl->mu, &decl->mu_static, &decl->mu_impact};
    const expr *now[3], *along[2];
    struct at at = {mech, decl};
    bool varies = false;
    for (int i = 0; i < 3; i++) {
        graph_origin(mech->graph, mech_range(mu[i]->range, decl->range));
        varies |= friction_varies(mech, mu[i]->e);
        now[i] = mu[i]->e ? ex_subst(mech->graph, mu[i]->e, now_leaf, &at)
                          : sc_zero(mech->graph);
    }
    if (!varies)
        return;
    for (int i = 0; i < 2; i++)
        along[i] = ex_subst(mech->graph, now[i], along_leaf, &at);
    out->rub_now = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.friction", decl->name), 1, now, 3);
    struct tape_spec spec = {
        .name = arena_printf(mech->arena, "%s.friction along", decl->name),
        .outs = along,
        .n_outs = 2};
    uint32_t rows[2];
    out->rub = mech_series_tape(mech, spec, rows);
    switching_of_contact(
        mech, &out->rub_guard, &out->rub_guards,
        arena_printf(mech->arena, "%s.friction guard", decl->name), now, 2,
        along_leaf, &at);
}

/* -- compliance ------------------------------------------------------------ */

/* depth and speed as rows */
static const expr *
pressed_leaf(void *ctx, const expr *leaf)
{
    const struct mech *mech = ctx;
    return leaf->sym == SYM_UNKNOWN ? ex_sym(mech->graph, SYM_ROW, 0, leaf->i)
                                    : NULL;
}

void
body_compliance_build(struct mech *mech, const struct tm_contact *decl,
                      imp_contact *out)
{
    assert(mech && out && !decl->system && decl->compliance.e);
    struct graph *graph = mech->graph;
    graph_origin(graph, mech_range(decl->compliance.range, decl->range));
    const expr *argument[COMPLIANCE_ARGUMENTS];
    for (uint32_t k = 0; k < COMPLIANCE_ARGUMENTS; k++)
        argument[k] = ex_sym(graph, SYM_UNKNOWN, k, 0);
    const expr *f[2] = {compliance_force(mech, decl, argument)};
    /* where a contact that remembers has been pressed in furthest its speed
     * changes its sign */
    if (decl->remembers)
        f[1] = compression_rate(mech, ex_neg(graph, argument[1]), argument[0]);
    out->compliance = system_compliance_tape(mech, decl);
    out->range_compliance = mech_range(decl->compliance.range, decl->range);
    out->press = out->compliance_series = compliance_series_tape(mech, decl);
    switching_of_contact(
        mech, &out->press_guard, &out->press_guards,
        arena_printf(mech->arena, "%s.press guard", decl->name), f,
        1 + decl->remembers, pressed_leaf, mech);
}
