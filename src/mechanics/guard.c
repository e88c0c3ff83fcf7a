/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas that change their branch along the motion: abs, min, max, if, sign,
 * floor and their like. A Taylor series holds on one side only, so what the
 * choice depends on is a function u of the state and the time, whose zeros (or
 * whole numbers) end a step (runtime/motion/switching.h). Here these u are
 * gathered from the formulas of a block's motion, each once, by the GUARD
 * column of abi/ops.def, and become one series tape. Beside u goes the size of
 * the terms it is a sum of, since that is what its rounding is measured by. */
#include <string.h>

#include "mechanics/mech_priv.h"

#define GUARD_NONE(g, e) NULL
#define GUARD_C(g, e) NULL /* its condition has guards of its own */
#define GUARD_A(g, e) (e)->a
#define GUARD_AB(g, e) sc_sub(g, (e)->a, (e)->b)
#define GUARD_INT(g, e)                                                        \
    ((e)->op == IMP_OP_MOD ? ex_div(g, (e)->a, (e)->b) : (e)->a)

/* what the branch of e itself depends on; NULL: it has none */
static const expr *
argument(struct graph *g, const expr *e)
{
    switch ((enum imp_op)e->op) {
#define OP(name, word, arity, dim, series, guard, eval, deriv)                 \
    case IMP_OP_##name:                                                        \
        return GUARD_##guard(g, e);
#include "abi/ops.def"
    default:
        return NULL;
    }
}

static uint32_t
kind_of(const expr *e)
{
    switch ((enum imp_op)e->op) {
    case IMP_OP_FLOOR:
    case IMP_OP_CEIL:
    case IMP_OP_TRUNC:
    case IMP_OP_MOD:
        return IMP_GUARD_WHOLE;
    case IMP_OP_ROUND:
        return IMP_GUARD_HALF;
    default:
        return IMP_GUARD_SIGN;
    }
}

static bool
moves(struct mech *k, const expr *e)
{
    static const enum expr_sym of[] = {SYM_STATE, SYM_TIME, SYM_UNKNOWN};
    for (int i = 0; i < 3; i++)
        if (ex_depends(k->g, e, of[i], UINT32_MAX, UINT32_MAX))
            return true;
    return false;
}

struct guards {
    struct mech *k;
    const expr **u;
    imp_guard *g;
    size_t n, cap;
};

static void
add(struct guards *o, const expr *e, const expr *u)
{
    uint32_t kind = kind_of(e);
    for (size_t i = 0; i < o->n; i++)
        if (o->u[i] == u && o->g[i].kind == kind)
            return;
    if (o->n == o->cap) {
        size_t cap = o->cap ? 2 * o->cap : 8;
        const expr **us = NEW_N(o->k->arena, const expr *, cap);
        imp_guard *g = NEW_N(o->k->arena, imp_guard, cap);
        if (o->n) {
            memcpy(us, o->u, o->n * sizeof *us);
            memcpy(g, o->g, o->n * sizeof *g);
        }
        o->u = us;
        o->g = g;
        o->cap = cap;
    }
    o->u[o->n] = u;
    o->g[o->n++] = (imp_guard){kind, e->origin};
}

/* all guards below the formulas f; each node is seen once */
static void
gather(struct guards *o, const expr *const *f, size_t n_f)
{
    struct mech *k = o->k;
    uint32_t top = graph_size(k->g);
    bool *seen = NEW_N(k->arena, bool, top + 1);
    const expr **todo = NEW_N(k->arena, const expr *, top + n_f + 1);
    size_t n = 0;
    for (size_t i = 0; i < n_f; i++)
        if (f[i] && !seen[f[i]->id]) {
            seen[f[i]->id] = true;
            todo[n++] = f[i];
        }
    while (n > 0) {
        const expr *e = todo[--n], *u = argument(k->g, e);
        if (u && moves(k, u))
            add(o, e, u);
        const expr *const below[3] = {e->a, e->b, e->c};
        for (int i = 0; i < 3; i++)
            if (below[i] && !seen[below[i]->id]) {
                seen[below[i]->id] = true;
                todo[n++] = below[i];
            }
    }
}

bool
guard_in(struct mech *k, const expr *e)
{
    struct guards o = {.k = k};
    gather(&o, &e, 1);
    return o.n > 0;
}

/* size of the terms that e is a sum of; sums that are deeper count as one */
static const expr *
size_of(struct graph *g, const expr *e, int depth)
{
    if (depth > 0)
        switch ((enum imp_op)e->op) {
        case IMP_OP_ADD:
        case IMP_OP_SUB:
            return sc_add(g, size_of(g, e->a, depth - 1),
                          size_of(g, e->b, depth - 1));
        case IMP_OP_NEG:
            return size_of(g, e->a, depth - 1);
        case IMP_OP_MUL:
            return sc_mul(g, size_of(g, e->a, depth - 1),
                          size_of(g, e->b, depth - 1));
        case IMP_OP_DIV:
            return ex_div(g, size_of(g, e->a, depth - 1),
                          ex_op(g, IMP_OP_ABS, e->b, NULL, NULL));
        default:
            break;
        }
    return ex_op(g, IMP_OP_ABS, e, NULL, NULL);
}
#define SIZE_DEPTH 8

struct rows_of {
    struct mech *k;
    const expr *const *leaf;
    const uint32_t *rows;
    size_t n;
};

static const expr *
row_leaf(void *ctx, const expr *leaf)
{
    const struct rows_of *o = ctx;
    for (size_t i = 0; leaf->sym == SYM_STATE && i < o->n; i++)
        if (o->leaf[i]->sym == SYM_STATE && o->leaf[i]->i == leaf->i)
            return ex_sym(o->k->g, SYM_ROW, 0, o->rows[i]);
    if (leaf->sym == SYM_UNKNOWN)
        return ex_sym(o->k->g, SYM_ROW, 0, o->rows[o->n + leaf->i]);
    return NULL;
}

void
guard_build(struct mech *k, imp_block *out, const char *name,
            const expr *const *leaf, const uint32_t *rows, size_t n,
            const expr *const *f, size_t n_f)
{
    struct guards o = {.k = k};
    struct rows_of by = {k, leaf, rows, n};
    out->guard = IMP_NO_TAPE;
    gather(&o, f, n_f);
    if (!o.n)
        return;
    const expr **u = NEW_N(k->arena, const expr *, 2 * o.n);
    for (size_t i = 0; i < o.n; i++) {
        u[i] = ex_subst(k->g, o.u[i], row_leaf, &by);
        u[o.n + i] =
            ex_subst(k->g, size_of(k->g, o.u[i], SIZE_DEPTH), row_leaf, &by);
    }
    struct tape_spec spec = {.name = name,
                             .series = true,
                             .outs = u,
                             .n_outs = 2 * o.n,
                             .env_of = mech_env_of,
                             .ctx = k};
    out->guard = tape_build(k->g, k->ib, &spec, NULL);
    out->guards = image_array(k->ib, o.g, o.n, sizeof *o.g);
}
