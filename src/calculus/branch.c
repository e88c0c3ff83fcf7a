/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that choose between formulas (abs, min, max, comparisons, floor, tables
 * and the like), by the GUARD column of abi/ops.def. */
#include <assert.h>
#include <math.h>

#include "abi/lists.h"
#include "calculus/expr.h"

#define GUARD_NONE(g, e) NULL
#define GUARD_C(g, e)                                                          \
    NULL /* its condition has switching functions of its own */
#define GUARD_ROWS(g, e) NULL /* it has two: ex_rows */
#define GUARD_A(g, e) (e)->a
#define GUARD_AB(g, e) ex_sub(g, (e)->a, (e)->b)
#define GUARD_INT(g, e)                                                        \
    ((e)->op == IMP_OP_MOD ? ex_div(g, (e)->a, (e)->b) : (e)->a)

const expr *
ex_branch(struct graph *graph, const expr *formula)
{
    assert(graph && formula);
    switch ((enum imp_op)formula->op) {
#define OP(name, word, arity, dim, series, guard, eval, deriv)                 \
    case IMP_OP_##name:                                                        \
        return GUARD_##guard(graph, formula);
#include "abi/ops.def"
    default:
        return NULL;
    }
}

static uint32_t
rows(const expr *place)
{
    return place->b->j & ~IMP_TABLE_BELOW;
}

/* The number of the row that lies so many behind the one that is found. */
static const expr *
row(struct graph *graph, const expr *place, double behind)
{
    return ex_op(graph, IMP_OP_ENTRY,
                 ex_add(graph, place, ex_num(graph, behind)),
                 ex_sym(graph, SYM_SLOT, place->b->i, rows(place)), NULL);
}

void
ex_rows(struct graph *graph, const expr *place, const expr **below,
        const expr **above)
{
    assert(graph && place && place->op == IMP_OP_PLACE && below && above);
    *below = ex_sub(graph, place->a, row(graph, place, 0));
    *above = ex_sub(graph, place->a, row(graph, place, 1));
}

const expr *
ex_rows_met(struct graph *graph, const expr *place)
{
    assert(graph && place && place->op == IMP_OP_PLACE);
    double last = (double)rows(place) - 1;
    const expr *below, *above, *pi = ex_num(graph, acos(-1.0));
    if (last < 1)
        return NULL;
    ex_rows(graph, place, &below, &above);
    const expr *width = ex_sub(graph, below, above);
    const expr *is_last =
        ex_op(graph, IMP_OP_EQ, place, ex_num(graph, last), NULL);
    const expr *is_first =
        ex_op(graph, IMP_OP_EQ, place, ex_num(graph, 0), NULL);
    const expr *before = ex_div(graph, ex_neg(graph, above), width);
    const expr *behind = ex_div(
        graph, below,
        ex_sub(graph, row(graph, place, 0), row(graph, place, -1)));
    const expr *within = ex_op(
        graph, IMP_OP_SIN,
        ex_mul(graph, pi, ex_div(graph, below, width)), NULL, NULL);
    return ex_op(graph, IMP_OP_SELECT, is_first, before,
                 ex_op(graph, IMP_OP_SELECT, is_last, behind, within));
}
