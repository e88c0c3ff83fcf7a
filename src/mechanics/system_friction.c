/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coulomb's friction at contacts of a system: the slip of a contact at one
 * instant as a tape, and its part in the equations of the motion with closed
 * contacts. There, entries of env say for each contact whether it sticks, or in
 * which direction it slips, so that one tape serves all modes. */
#include "mechanics/mech_priv.h"

#include <assert.h>

bool
contact_rubs(const struct tm_contact *decl)
{
    const struct tm_num *mu[] = {&decl->mu, &decl->mu_static, &decl->mu_impact};
    for (int i = 0; i < 3; i++)
        if (mu[i]->e && !ex_is_num(mu[i]->e, 0))
            return true;
    return false;
}

uint32_t
system_rubbing(const struct mech *mech, const struct tm_system *decl)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < decl->n_contact; i++)
        n += contact_rubs(mech->model->contacts + decl->contact + i);
    return n;
}

struct speed {
    struct mech *mech;
    const expr *value;
};
static const expr *
speed_leaf(void *ctx, const expr *leaf)
{
    const struct speed *speed = ctx;
    return leaf->sym == SYM_SLIP ? speed->value : NULL;
}

/* A coefficient of friction as a function of the state. */
static const expr *
coefficient(struct mech *mech, const struct tm_num *mu, const expr *speed)
{
    struct speed at = {mech, speed};
    const expr *e = ex_subst(mech->graph, mu->e, speed_leaf, &at);
    return system_formula(mech, e);
}

static const expr *
entry(struct mech *mech, uint32_t contact, uint32_t which)
{
    return sym_env(mech,
                   mech->layout.contact + contact * IMP_CONTACT_SIZE + which);
}

const expr *
system_slip_formula(struct mech *mech, const struct msystem *system, uint32_t i,
                    const expr **T)
{
    assert(i < system->decl->n_contact);
    uint32_t n = system->decl->n;
    const expr *slip = system_formula(
        mech, mech->model->contacts[system->decl->contact + i].slip.e);
    for (uint32_t j = 0; T && j < n; j++)
        T[j] = ex_diff(mech->graph, slip,
                       sym_state(mech, system->env_state + n + j));
    return slip;
}

void
system_friction_mu(struct mech *mech, const struct msystem *system, uint32_t i,
                   const expr *mu[2])
{
    assert(i < system->decl->n_contact && mu);
    uint32_t contact = system->decl->contact + i;
    const struct tm_contact *decl = mech->model->contacts + contact;
    const expr *speed =
        sc_mul(mech->graph, entry(mech, contact, IMP_CONTACT_SIGN),
               system_slip_formula(mech, system, i, NULL));
    mu[0] = coefficient(mech, &decl->mu, speed);
    mu[1] = coefficient(mech, &decl->mu_static, speed);
}

const expr *
system_friction_row(struct mech *mech, const struct msystem *system, uint32_t i,
                    const expr *slip_rate, const expr *normal,
                    const expr *tangential)
{
    assert(slip_rate && normal && tangential);
    struct graph *graph = mech->graph;
    uint32_t contact = system->decl->contact + i;
    const expr *sticks = entry(mech, contact, IMP_CONTACT_STICK);
    const expr *sign = entry(mech, contact, IMP_CONTACT_SIGN);
    const expr *mu[2];
    system_friction_mu(mech, system, i, mu);
    const expr *slips = sc_add(
        graph, tangential, sc_mul(graph, sign, sc_mul(graph, mu[0], normal)));
    const expr *off = sc_sub(graph, ex_num(graph, 1.0), sticks);
    return sc_add(graph, sc_mul(graph, sticks, slip_rate),
                  sc_mul(graph, off, slips));
}

uint32_t
system_slip_tape(struct mech *mech, const struct msystem *system, uint32_t i)
{
    assert(mech && system);
    struct graph *graph = mech->graph;
    uint32_t n = system->decl->n;
    const struct tm_contact *decl =
        mech->model->contacts + system->decl->contact + i;
    if (!decl->slip.e)
        return IMP_NO_TAPE;
    graph_origin(graph, mech_range(decl->slip.range, decl->range));
    const expr **out = NEW_N(mech->arena, const expr *, n + 5);
    const expr *slip = system_slip_formula(mech, system, i, out + 5);
    const expr *bias = ex_diff(graph, slip, sym_time(mech));
    for (uint32_t j = 0; j < n; j++)
        bias = sc_add(
            graph, bias,
            sc_mul(graph,
                   ex_diff(graph, slip, sym_state(mech, system->env_state + j)),
                   sym_state(mech, system->env_state + n + j)));
    const expr *speed = ex_op(graph, IMP_OP_ABS, slip, NULL, NULL);
    const struct tm_num *mu[] = {&decl->mu, &decl->mu_static, &decl->mu_impact};
    out[0] = slip;
    out[1] = bias;
    for (int k = 0; k < 3; k++) {
        graph_origin(graph, mech_range(mu[k]->range, decl->range));
        out[2 + k] =
            mu[k]->e ? coefficient(mech, mu[k], speed) : sc_zero(graph);
    }
    return mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.slip", decl->name), 0, out, n + 5);
}
