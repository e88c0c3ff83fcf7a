/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observers of a system: further variables u with equations
 *   u^(k) = f(q, q', q'', u, .., u^(k-1), t),  k = 1 or 2,
 * where q'' is that of the motion, forces of sliding contacts included. Motion
 * and observers together are a block of their own. So the block of the motion,
 * and its numbers, are the same with and without observers. At an impact the
 * jump tape gives what is added to u and u'. */
#include "mechanics/mech_priv.h"

#include <assert.h>

struct lowering {
    struct mech *mech;
    const struct msystem *s;
};

static const expr *
felt_leaf(void *ctx, const expr *leaf)
{
    const struct lowering *lowering = ctx;
    const struct tm_system *decl = lowering->s->decl;
    if (leaf->sym != SYM_COORD)
        return NULL;
    uint32_t which = leaf->i - decl->first, part = leaf->j;
    bool observer = which >= decl->n;
    switch (part) {
    case COORD_ACCELERATION:
        return lowering->s->rate[decl->n + which];
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

void
observer_build(struct mech *mech, struct msystem *system)
{
    assert(system && system->leaf && system->rate);
    const struct tm_system *decl = system->decl;
    struct lowering low = {mech, system};
    uint32_t count = 2 * decl->n, n_observed = observer_size(mech, decl),
             at = 0;
    bool jumps = false;
    system->observer = IMP_NO_BLOCK;
    system->jump = IMP_NO_TAPE;
    system->n_observed = n_observed;
    if (!n_observed)
        return;
    const expr **leaf = NEW_N(mech->arena, const expr *, count + n_observed);
    const expr **rate = NEW_N(mech->arena, const expr *, count + n_observed);
    const expr **add = NEW_N(mech->arena, const expr *, n_observed);
    for (uint32_t i = 0; i < count; i++) {
        leaf[i] = system->leaf[i];
        rate[i] = system->rate[i];
    }
    for (uint32_t i = 0; i < decl->n_observer; i++) {
        const struct tm_coordinate *observer =
            mech->model->coordinates + decl->first + decl->n + i;
        const struct tm_num *const rule[2] = {&observer->jump,
                                              &observer->jump_rate};
        for (uint32_t d = 0; d < observer->order; d++, at++) {
            leaf[count + at] = sym_state(mech, system->env_state + count + at);
            rate[count + at] =
                d + 1 < observer->order
                    ? sym_state(mech, system->env_state + count + at + 1)
                    : ex_subst(mech->graph, observer->equation.e, felt_leaf,
                               &low);
            add[at] = rule[d]->e
                          ? ex_subst(mech->graph, rule[d]->e, felt_leaf, &low)
                          : sc_zero(mech->graph);
            jumps |= rule[d]->e != NULL;
        }
    }
    system->observer = (uint32_t)mech->n_blocks++;
    system->observed = system_block(
        mech, system->observer,
        arena_printf(mech->arena, "%s.observer", decl->name), system->env_state,
        leaf, rate, count + n_observed, &system->slide);
    switching_build(mech, &mech->blocks[system->observer].out,
                    arena_printf(mech->arena, "%s.observer.guard", decl->name),
                    leaf, system->observed, count + n_observed, rate,
                    count + n_observed, 0);
    if (jumps)
        system->jump = mech_eval_tape(
            mech, arena_printf(mech->arena, "%s.jump", decl->name), count, add,
            n_observed);
}
