/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observers of a system: further variables u with equations
 *   u^(k) = f(q, q', q'', u, .., u^(k-1), t),  k = 1 or 2,
 * where q'' is that of the motion, forces of sliding contacts included. They
 * are a block of their own, which reads the series of the motion as rows (ROW
 * source 1) and has nothing of its equations. So the motion, and its numbers,
 * are the same with and without observers, and where the motion has a branch
 * they have none. At an impact the jump tape gives what is added to u and u'.
 * Where a rate jumps back and forth, as u' = -sign(u), they have relays. */
#include "mechanics/mech_priv.h"

#include <assert.h>

struct lowering {
    struct mech *mech;
    const struct msystem *s;
};

/* Leaves of an equation: the motion is read from its rows. */
static const expr *
felt_leaf(void *ctx, const expr *leaf)
{
    const struct lowering *lowering = ctx;
    const struct tm_system *decl = lowering->s->decl;
    if (leaf->sym != SYM_COORD)
        return NULL;
    uint32_t which = leaf->i - decl->first;
    if (which >= decl->n)
        return sym_state(lowering->mech,
                         system_env(lowering->mech, leaf->i, leaf->j));
    uint32_t order = leaf->j == COORD_ACCELERATION ? 2
                     : leaf->j == COORD_RATE       ? 1
                                                   : 0;
    return ex_sym(lowering->mech->graph, SYM_ROW, IMP_OBSERVER_MOTION,
                  order * decl->n + which);
}

/* Leaves of a rule for impacts. */
static const expr *
jump_leaf(void *ctx, const expr *leaf)
{
    const struct lowering *lowering = ctx;
    const struct tm_system *decl = lowering->s->decl;
    if (leaf->sym != SYM_COORD)
        return NULL;
    uint32_t which = leaf->i - decl->first, part = leaf->j;
    bool observer = which >= decl->n;
    switch (part) {
    case COORD_BEFORE:
        if (!observer)
            return ex_sym(lowering->mech->graph, SYM_LOCAL, which, 0);
        part = COORD_RATE;
        break;
    case COORD_AFTER:
        return ex_sym(lowering->mech->graph, SYM_LOCAL, decl->n + which, 0);
    default:
        break;
    }
    return sym_state(lowering->mech, system_env(lowering->mech, leaf->i, part));
}

/* The equations and rules of one variable, whose entries of the state begin at
 * number `at` of the observed ones. True if it has a rule. */
static bool
variable(struct lowering *low, const struct tm_coordinate *observer,
         uint32_t at, const expr **leaf, const expr **rate, const expr **add)
{
    struct mech *mech = low->mech;
    uint32_t env = low->s->env_state + 2 * low->s->decl->n + at;
    const struct tm_num *const rule[2] = {&observer->jump,
                                          &observer->jump_rate};
    bool jumps = false;
    for (uint32_t d = 0; d < observer->order; d++) {
        leaf[at + d] = sym_state(mech, env + d);
        rate[at + d] =
            d + 1 < observer->order
                ? sym_state(mech, env + d + 1)
                : ex_subst(mech->graph, observer->equation.e, felt_leaf, low);
        add[at + d] = rule[d]->e
                          ? ex_subst(mech->graph, rule[d]->e, jump_leaf, low)
                          : sc_zero(mech->graph);
        jumps |= rule[d]->e != NULL;
    }
    return jumps;
}

void
observer_build(struct mech *mech, struct msystem *system)
{
    assert(system && system->leaf && system->rate);
    const struct tm_system *decl = system->decl;
    const struct implicit none = {0, NULL, NULL, false};
    struct lowering low = {mech, system};
    uint32_t count = observer_size(mech, decl), at = 0;
    bool jumps = false;
    system->observer = IMP_NO_BLOCK;
    system->jump = IMP_NO_TAPE;
    system->n_observed = count;
    if (!count)
        return;
    const expr **leaf = NEW_N(mech->arena, const expr *, count);
    const expr **rate = NEW_N(mech->arena, const expr *, count);
    const expr **add = NEW_N(mech->arena, const expr *, count);
    for (uint32_t i = 0; i < decl->n_observer; i++) {
        const struct tm_coordinate *observer =
            mech->model->coordinates + decl->first + decl->n + i;
        jumps |= variable(&low, observer, at, leaf, rate, add);
        at += observer->order;
    }
    system->observer = (uint32_t)mech->n_blocks++;
    system->observed =
        system_block(mech, system->observer,
                     arena_printf(mech->arena, "%s.observer", decl->name),
                     system->env_state + 2 * decl->n, leaf, rate, count, &none);
    const char *name = arena_printf(mech->arena, "%s.observer", decl->name);
    imp_block *out = &mech->blocks[system->observer].out;
    struct guard_levels levels =
        switching_build(mech, out, arena_printf(mech->arena, "%s.guard", name),
                        leaf, system->observed, count, rate, count, 0);
    levels.n_felt = decl->n;
    relays_build(mech, out, name, &levels, leaf, rate, count, NULL);
    if (jumps)
        system->jump = mech_eval_tape(
            mech, arena_printf(mech->arena, "%s.jump", decl->name), 2 * decl->n,
            add, count);
}
