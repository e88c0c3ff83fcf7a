/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that choose between formulas (abs, min, max, comparisons, floor and the
 * like), by the GUARD column of abi/ops.def. */
#include <assert.h>

#include "calculus/expr.h"

#define GUARD_NONE(g, e) NULL
#define GUARD_C(g, e)                                                          \
    NULL /* its condition has switching functions of its own */
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
