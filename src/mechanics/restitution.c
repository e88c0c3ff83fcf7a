/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of impacts that a contact states: restitution that depends on the speed
 * of the impact, and laws of its own, which give the impulses. A tape gives it, with
 * its derivative, for a speed of approach; the set-up knows its value for a
 * vanishing one, by which limits of chatter go. */
#include <assert.h>

#include "mechanics/mech_priv.h"

bool
restitution_varies(struct mech *mech, const struct tm_contact *decl)
{
    assert(mech && decl);
    return decl->e.e && ex_depends(mech->graph, decl->e.e, SYM_APPROACH,
                                   UINT32_MAX, UINT32_MAX);
}

/* the leaf that stands for the approach, and what takes its place */
struct approach {
    const expr *value;
};
static const expr *
approach_leaf(void *ctx, const expr *leaf)
{
    const struct approach *approach = ctx;
    return leaf->sym == SYM_APPROACH ? approach->value : NULL;
}

const expr *
restitution_at_rest(struct mech *mech, const expr *restitution)
{
    assert(mech && restitution);
    struct approach none = {sc_zero(mech->graph)};
    return ex_subst(mech->graph, restitution, approach_leaf, &none);
}

uint32_t
restitution_tape(struct mech *mech, const struct tm_contact *decl)
{
    if (!restitution_varies(mech, decl))
        return IMP_NO_TAPE;
    if (mech->bounce.law == decl->e.e)
        return mech->bounce.tape; /* one law of many contacts */
    struct graph *graph = mech->graph;
    struct approach speed = {ex_sym(graph, SYM_UNKNOWN, 0, 0)};
    graph_origin(graph, mech_range(decl->e.range, decl->range));
    const expr *out[2];
    out[0] = ex_subst(graph, decl->e.e, approach_leaf, &speed);
    out[1] = ex_diff(graph, out[0], speed.value);
    mech->bounce.law = decl->e.e;
    mech->bounce.tape = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.restitution", decl->name), 1, out,
        2);
    return mech->bounce.tape;
}

static const expr *
argument_leaf(void *ctx, const expr *leaf)
{
    struct mech *mech = ctx;
    return leaf->sym == SYM_APPROACH
               ? ex_sym(mech->graph, SYM_UNKNOWN, leaf->i, 0)
               : NULL;
}

uint32_t
impact_law_named(struct mech *mech, const char *name, imp_range where,
                 const expr *const impulse[2])
{
    assert(mech && name && impulse);
    const expr *out[2];
    graph_origin(mech->graph, where);
    for (int i = 0; i < 2; i++)
        out[i] = ex_subst(mech->graph, impulse[i], argument_leaf, mech);
    return mech_eval_tape(mech, arena_printf(mech->arena, "%s.law", name),
                          IMPACT_ARGUMENTS, out, 2);
}

uint32_t
impact_law_tape(struct mech *mech, const struct tm_contact *decl)
{
    assert(mech && decl);
    if (!decl->own[0].e)
        return IMP_NO_TAPE;
    const expr *const impulse[2] = {decl->own[0].e, decl->own[1].e};
    return impact_law_named(mech, decl->name,
                            mech_range(decl->own[0].range, decl->range),
                            impulse);
}
