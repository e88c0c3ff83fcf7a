/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols of the expression graph, the entries of env that they stand for, and
 * the way from expressions to tapes of the image. */
#include "mechanics/formula/formula.h"

#include <assert.h>

imp_range
mech_range(imp_range r, imp_range otherwise)
{
    return r.file ? r : otherwise;
}

const expr *
sym_env(struct mech *mech, uint32_t i)
{
    assert(mech);
    return ex_sym(mech->graph, SYM_ENV, i, 0);
}

const expr *
sym_state(struct mech *mech, uint32_t i)
{
    assert(mech);
    return ex_sym(mech->graph, SYM_STATE, i, 0);
}

bool
mech_leaf_given(const struct mech *mech, const expr *leaf)
{
    assert(mech && leaf);
    return leaf->sym == SYM_SLOT && mech->model->slots[leaf->i].given;
}

const expr *
sym_time(struct mech *mech)
{
    assert(mech);
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
    case SYM_JOINT:
        return mech->layout.joint + leaf->i * IMP_JOINT_SIZE + leaf->j;
    case SYM_SLOT:
        if (mech->given)
            mech->given[leaf->i] = true;
        return mech->layout.slots + mech->slot_at[leaf->i];
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
    assert(name && outs && n_outs > 0);
    struct tape_spec spec = {.name = name,
                             .n_local = n_local,
                             .outs = outs,
                             .n_outs = n_outs,
                             .env_of = mech_env_of,
                             .ctx = mech};
    return tape_build(mech->graph, mech->image, &spec, NULL);
}

uint32_t
mech_series_tape(struct mech *mech, struct tape_spec spec, uint32_t *rows)
{
    assert(spec.name && spec.outs && spec.n_outs > 0);
    spec.series = true;
    spec.env_of = mech_env_of;
    spec.ctx = mech;
    return tape_build(mech->graph, mech->image, &spec, rows);
}

bool
mech_simulates(const struct mech *mech)
{
    for (size_t i = 0; i < mech->model->n_commands; i++)
        if (imp_command_has(mech->model->commands[i].id,
                            IMP_TRAIT_CLOSED_CONTACTS))
            return true;
    return false;
}
