/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observers of a system: variables u with equations
 *   u^(k) = f(q, q', q'', u, .., u^(k-1), t),  k = 1 or 2,
 * in which q'' is the motion's own, forces of sliding contacts included. They
 * are a block of their own: the motion and the variables together, so that the
 * motion's block and its numbers stay what they are without observers. At an
 * impact the jump tape gives what is added to u and u'. */
#include "mechanics/mech_priv.h"

uint32_t
observer_size(const struct mech *k, const struct tm_system *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_observer; i++)
        n += k->m->coordinates[t->first + t->n + i].order;
    return n;
}

struct lowering {
    struct mech *k;
    const struct msystem *s;
};

static const expr *
felt_leaf(void *ctx, const expr *l)
{
    const struct lowering *o = ctx;
    const struct tm_system *t = o->s->tm;
    if (l->sym != SYM_COORD)
        return NULL;
    uint32_t i = l->i - t->first, part = l->j;
    bool observer = i >= t->n;
    switch (part) {
    case COORD_ACCELERATION:
        return o->s->rate[t->n + i];
    case COORD_BEFORE:
        if (!observer)
            return ex_sym(o->k->g, SYM_LOCAL, i, 0);
        part = COORD_RATE;
        break;
    case COORD_AFTER:
        return ex_sym(o->k->g, SYM_LOCAL, t->n + i, 0);
    default:
        break;
    }
    return sym_state(o->k, system_env(o->k, l->i, part));
}

void
observer_build(struct mech *k, struct msystem *s)
{
    const struct tm_system *t = s->tm;
    struct lowering low = {k, s};
    uint32_t n = 2 * t->n, p = observer_size(k, t), at = 0;
    bool jumps = false;
    s->observer = IMP_NO_BLOCK;
    s->jump = IMP_NO_TAPE;
    s->n_observed = p;
    if (!p)
        return;
    const expr **leaf = NEW_N(k->arena, const expr *, n + p);
    const expr **rate = NEW_N(k->arena, const expr *, n + p);
    const expr **add = NEW_N(k->arena, const expr *, p);
    for (uint32_t i = 0; i < n; i++) {
        leaf[i] = s->leaf[i];
        rate[i] = s->rate[i];
    }
    for (uint32_t i = 0; i < t->n_observer; i++) {
        const struct tm_coordinate *u = k->m->coordinates + t->first + t->n + i;
        const struct tm_num *const rule[2] = {&u->jump, &u->jump_rate};
        for (uint32_t d = 0; d < u->order; d++, at++) {
            leaf[n + at] = sym_state(k, s->env_state + n + at);
            rate[n + at] = d + 1 < u->order
                               ? sym_state(k, s->env_state + n + at + 1)
                               : ex_subst(k->g, u->equation.e, felt_leaf, &low);
            add[at] = rule[d]->e ? ex_subst(k->g, rule[d]->e, felt_leaf, &low)
                                 : sc_zero(k->g);
            jumps |= rule[d]->e != NULL;
        }
    }
    s->observer = (uint32_t)k->n_blocks++;
    s->observed = system_block(k, s->observer,
                               arena_printf(k->arena, "%s.observer", t->name),
                               s->env_state, leaf, rate, n + p, &s->slide);
    guard_build(k, &k->blocks[s->observer].out,
                arena_printf(k->arena, "%s.observer.guard", t->name), leaf,
                s->observed, n + p, rate, n + p);
    if (jumps)
        s->jump = mech_eval_tape(k, arena_printf(k->arena, "%s.jump", t->name),
                                 n, add, p);
}
