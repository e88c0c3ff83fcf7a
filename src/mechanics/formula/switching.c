/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas that change their branch along the motion: abs, min, max, if, sign,
 * floor and the like. A Taylor series holds on one side of a change only. What
 * the choice depends on is a switching function u of the state and the time;
 * its zeros (for floor its whole numbers) end a step (runtime/events). Here the
 * functions u are gathered from the formulas of a block's motion, each once, by
 * the GUARD column of abi/ops.def, and become one series tape. Beside u goes
 * the size of the terms whose sum it is, because the rounding error of u is
 * measured by that size. What grows by orders of magnitude ends steps in the
 * same way, where no branch changes (growth.c). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "mechanics/formula/switching_priv.h"

static uint32_t
kind_of(const expr *formula)
{
    switch ((enum imp_op)formula->op) {
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

bool
formula_moves(struct mech *mech, const expr *formula)
{
    assert(mech && formula);
    static const enum expr_sym of[] = {SYM_STATE, SYM_TIME, SYM_UNKNOWN,
                                       SYM_ROW};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (ex_depends(mech->graph, formula, of[i], UINT32_MAX, UINT32_MAX))
            return true;
    return false;
}

void
guards_add(struct guards *found, const expr *formula, uint32_t kind,
           const expr *level)
{
    assert(found && formula && level);
    for (size_t i = 0; i < found->n; i++)
        if (found->u[i] == level && found->g[i].kind == kind) {
            found->g[i].gap |= found->gaps;
            return;
        }
    if (found->n == found->cap) {
        size_t cap = found->cap ? 2 * found->cap : 8;
        const expr **us = NEW_N(found->mech->arena, const expr *, cap);
        imp_guard *g = NEW_N(found->mech->arena, imp_guard, cap);
        if (found->n) {
            memcpy(us, found->u, found->n * sizeof *us);
            memcpy(g, found->g, found->n * sizeof *g);
        }
        found->u = us;
        found->g = g;
        found->cap = cap;
    }
    found->u[found->n] = level;
    found->g[found->n++] = (imp_guard){kind, 0, formula->origin};
}

/* What is looked up in a table changes its row. */
static void
add_rows(struct guards *found, const expr *place)
{
    const expr *below, *above;
    ex_rows(found->mech->graph, place, &below, &above);
    guards_add(found, place, IMP_GUARD_SIGN, below);
    guards_add(found, place, IMP_GUARD_SIGN, above);
    guards_add(found, place, IMP_GUARD_ROW, place);
}

/* Gathers the switching functions below the formulas; each node is visited
 * once. */
static void
gather(struct guards *found, const expr *const *formula, size_t n_formula)
{
    struct mech *mech = found->mech;
    bool any = false;
    for (size_t i = 0; i < n_formula; i++)
        any |= formula[i] && formula[i]->a;
    if (!any) /* numbers and leaves have no branches */
        return;
    uint32_t top = graph_size(mech->graph);
    bool *seen = NEW_N(mech->arena, bool, top + 1);
    /* what is to be done at the front, what has been seen at the back */
    const expr **todo = NEW_N(mech->arena, const expr *, top + 1),
               **done = todo + top + 1;
    size_t n_todo = 0;
    for (size_t i = 0; i < n_formula; i++)
        if (formula[i] && !seen[formula[i]->id]) {
            seen[formula[i]->id] = true;
            todo[n_todo++] = formula[i];
        }
    while (n_todo > 0) {
        const expr *node = todo[--n_todo],
                   *level = ex_branch(mech->graph, node);
        if (level && formula_moves(mech, level))
            guards_add(found, node, kind_of(node), level);
        if (node->op == IMP_OP_PLACE && formula_moves(mech, node))
            add_rows(found, node);
        if (!found->branches_alone) {
            growth_add(found, node);
            growth_add_ends(found, node);
        }
        *--done = node;
        const expr *const below[3] = {node->a, node->b, node->c};
        for (int i = 0; i < 3; i++)
            if (below[i] && !seen[below[i]->id]) {
                seen[below[i]->id] = true;
                todo[n_todo++] = below[i];
            }
    }
    if (!found->branches_alone)
        growth_add_powers(found, done, (size_t)(todo + top + 1 - done));
}

bool
switching_in(struct mech *mech, const expr *formula)
{
    assert(formula != NULL);
    struct guards o = {.mech = mech, .branches_alone = true};
    gather(&o, &formula, 1);
    return o.n > 0;
}

/* The size of the terms whose sum a formula is. Sums that lie deeper than
 * `depth` count as one term. */
static const expr *
size_of(struct graph *graph, const expr *formula, int depth)
{
    if (depth > 0)
        switch ((enum imp_op)formula->op) {
        case IMP_OP_ADD:
        case IMP_OP_SUB:
            return sc_add(graph, size_of(graph, formula->a, depth - 1),
                          size_of(graph, formula->b, depth - 1));
        case IMP_OP_NEG:
            return size_of(graph, formula->a, depth - 1);
        case IMP_OP_MUL:
            return sc_mul(graph, size_of(graph, formula->a, depth - 1),
                          size_of(graph, formula->b, depth - 1));
        case IMP_OP_DIV:
            return ex_div(graph, size_of(graph, formula->a, depth - 1),
                          ex_op(graph, IMP_OP_ABS, formula->b, NULL, NULL));
        default:
            break;
        }
    return ex_op(graph, IMP_OP_ABS, formula, NULL, NULL);
}
#define SIZE_DEPTH 8

static const expr *rounding_of(struct graph *graph, const expr *formula,
                               int depth);

/* The same of a formula that is one of its operands; NULL: it is none. */
static const expr *
rounding_of_branch(struct graph *graph, const expr *formula, int depth)
{
    const expr *a = formula->a, *b = formula->b, *c = formula->c;
    switch ((enum imp_op)formula->op) {
    case IMP_OP_NEG:
    case IMP_OP_ABS:
        return rounding_of(graph, a, depth - 1);
    case IMP_OP_MIN:
    case IMP_OP_MAX: {
        bool least = formula->op == IMP_OP_MIN;
        const expr *takes_b =
            ex_op(graph, IMP_OP_LT, least ? b : a, least ? a : b, NULL);
        return ex_op(graph, IMP_OP_SELECT, takes_b,
                     rounding_of(graph, b, depth - 1),
                     rounding_of(graph, a, depth - 1));
    }
    case IMP_OP_SELECT:
        return ex_op(graph, IMP_OP_SELECT, a, rounding_of(graph, b, depth - 1),
                     rounding_of(graph, c, depth - 1));
    default:
        return NULL;
    }
}

/* What a formula of rounded arguments is off by, in roundings: sums add up what
 * their terms are off by, products follow the first order of theirs, and
 * branches are off by what the operand is that they take. What lies deeper than
 * `depth` is rounded once. */
static const expr *
rounding_of(struct graph *graph, const expr *formula, int depth)
{
    const expr *a = formula->a, *b = formula->b, *off_a, *off_b,
               *branch =
                   depth > 0 ? rounding_of_branch(graph, formula, depth) : NULL;
    enum imp_op op = depth > 0 ? (enum imp_op)formula->op : IMP_OP_ABS;
    if (branch)
        return branch;
    if (op != IMP_OP_ADD && op != IMP_OP_SUB && op != IMP_OP_MUL &&
        op != IMP_OP_DIV)
        return ex_op(graph, IMP_OP_ABS, formula, NULL, NULL);
    off_a = rounding_of(graph, a, depth - 1);
    off_b = rounding_of(graph, b, depth - 1);
    if (op == IMP_OP_MUL) {
        off_a = sc_mul(graph, off_a, ex_op(graph, IMP_OP_ABS, b, NULL, NULL));
        off_b = sc_mul(graph, off_b, ex_op(graph, IMP_OP_ABS, a, NULL, NULL));
    } else if (op == IMP_OP_DIV) {
        const expr *by = ex_op(graph, IMP_OP_ABS, b, NULL, NULL);
        off_a = ex_div(graph, off_a, by);
        off_b = ex_div(
            graph,
            sc_mul(graph, off_b, ex_op(graph, IMP_OP_ABS, formula, NULL, NULL)),
            by);
    }
    return sc_add(graph, off_a, off_b);
}

const expr *
formula_rounding(struct mech *mech, const expr *formula)
{
    assert(mech && formula);
    return rounding_of(mech->graph, formula, SIZE_DEPTH);
}

struct rows_of {
    struct mech *mech;
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
            return ex_sym(o->mech->graph, SYM_ROW, 0, o->rows[i]);
    if (leaf->sym == SYM_UNKNOWN)
        return ex_sym(o->mech->graph, SYM_ROW, 0, o->rows[o->n + leaf->i]);
    return NULL;
}

/* The switching functions that were found, in the rows that `leaf` gives, as a
 * tape. */
static void
build(struct guards *found, const char *name,
      const expr *(*leaf)(void *, const expr *), void *ctx, uint32_t *guard,
      imp_ref *guards)
{
    struct mech *mech = found->mech;
    *guard = IMP_NO_TAPE;
    if (!found->n)
        return;
    const expr **level = NEW_N(mech->arena, const expr *, 2 * found->n);
    for (size_t i = 0; i < found->n; i++) {
        level[i] = ex_subst(mech->graph, found->u[i], leaf, ctx);
        level[found->n + i] =
            ex_subst(mech->graph, size_of(mech->graph, found->u[i], SIZE_DEPTH),
                     leaf, ctx);
    }
    struct tape_spec spec = {
        .name = name, .outs = level, .n_outs = 2 * found->n};
    *guard = mech_series_tape(mech, spec, NULL);
    *guards = image_array(mech->image, found->g, found->n, sizeof *found->g);
}

struct guard_levels
switching_build(struct mech *mech, imp_block *out, const char *name,
                const expr *const *leaf, const uint32_t *rows, size_t n,
                const expr *const *f, size_t n_f, size_t n_gap)
{
    assert(out && name && (leaf || n == 0) && f && n_gap <= n_f);
    struct guards found = {.mech = mech};
    struct rows_of by = {mech, leaf, rows, n};
    gather(&found, f, n_f);
    found.gaps = true;
    gather(&found, f + (n_f - n_gap), n_gap);
    build(&found, name, row_leaf, &by, &out->guard, &out->guards);
    return (struct guard_levels){found.u, found.g, found.n, 0};
}

void
switching_of_contact(struct mech *mech, uint32_t *guard, imp_ref *guards,
                     const char *name, const expr *const *formula,
                     size_t n_formula,
                     const expr *(*leaf)(void *, const expr *), void *ctx)
{
    assert(guard && guards && name && formula && leaf);
    struct guards found = {.mech = mech};
    gather(&found, formula, n_formula);
    build(&found, name, leaf, ctx, guard, guards);
}
