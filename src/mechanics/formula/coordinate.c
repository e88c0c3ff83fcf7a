/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coordinates of systems: the entries of env and the rows of the motion where
 * they and their rates stand. The state of a system is q (n), q' (n), then its
 * observers with their lower derivatives. */
#include "mechanics/formula/formula.h"

#include <assert.h>

uint32_t
observer_size(const struct mech *mech, const struct tm_system *decl)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < decl->n_observer; i++)
        n += mech->model->coordinates[decl->first + decl->n + i].order;
    return n;
}

uint32_t
system_env(const struct mech *mech, uint32_t coordinate, uint32_t order)
{
    assert(coordinate < mech->model->n_coordinates && order <= 1);
    for (size_t i = 0; i < mech->model->n_systems; i++) {
        const struct tm_system *decl = mech->model->systems + i;
        uint32_t at = mech->systems[i].env_state,
                 n = decl->n + decl->n_observer;
        if (coordinate < decl->first || coordinate >= decl->first + n)
            continue;
        if (coordinate < decl->first + decl->n)
            return at + order * decl->n + coordinate - decl->first;
        at += 2 * decl->n;
        for (uint32_t c = decl->first + decl->n; c < coordinate; c++)
            at += mech->model->coordinates[c].order;
        return at + order;
    }
    return 0;
}

const expr *
system_leaf(struct mech *mech, const expr *leaf)
{
    assert(leaf != NULL);
    if (leaf->sym == SYM_COORD)
        return sym_state(mech, system_env(mech, leaf->i, leaf->j));
    if (leaf->sym != SYM_SYSTEM)
        return NULL;
    const struct msystem *system = mech->systems + leaf->i;
    const expr *e = sc_zero(mech->graph);
    if (leaf->j != TOTAL_POTENTIAL)
        e = sc_add(mech->graph, e, system->kinetic);
    if (leaf->j != TOTAL_KINETIC)
        e = sc_add(mech->graph, e, system->potential);
    return e;
}

bool
system_row(const struct mech *mech, uint32_t env, uint32_t *block,
           uint32_t *row)
{
    assert(block != NULL && row != NULL);
    for (size_t i = 0; i < mech->model->n_systems; i++) {
        const struct msystem *system = mech->systems + i;
        uint32_t n = 2 * system->decl->n, at = env - system->env_state;
        if (env < system->env_state || at >= n + system->n_observed)
            continue;
        *block = at < n ? system->block : system->observer;
        *row = at < n ? system->row[at] : system->observed[at - n];
        return true;
    }
    return false;
}

/* Of bodies, a gap of a system reads constants alone, such as a mass centre. */
static const expr *
coord_leaf(void *ctx, const expr *leaf)
{
    if (leaf->sym == SYM_BODY)
        return quantity_leaf(ctx, leaf);
    return leaf->sym == SYM_COORD ? system_leaf(ctx, leaf) : NULL;
}

/* a formula of the system on the state; 0 when absent */
const expr *
system_formula(struct mech *mech, const expr *e)
{
    return e ? ex_subst(mech->graph, e, coord_leaf, mech)
             : sc_zero(mech->graph);
}
