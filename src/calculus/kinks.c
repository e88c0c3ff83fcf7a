/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See kinks.h. The one-sided derivative of max(a, b) where a = b is max(a',
 * b'), that of |a| where a = 0 is |a'|. */
#include "calculus/kinks.h"

#include <assert.h>

#include "calculus/graph_priv.h"

static const expr *
op2(struct graph *graph, enum imp_op op, const expr *a, const expr *b)
{
    return ex_op(graph, op, a, b, NULL);
}

/* Is the size below 0, or 0 and about to fall? */
static const expr *
falls(struct graph *graph, const expr *size, const expr *rate)
{
    const expr *zero = ex_num(graph, 0);
    return op2(graph, IMP_OP_OR, op2(graph, IMP_OP_LT, size, zero),
               op2(graph, IMP_OP_AND, op2(graph, IMP_OP_EQ, size, zero),
                   op2(graph, IMP_OP_LT, rate, zero)));
}

const expr *
ex_kinks_ahead(struct graph *graph, const expr *formula,
               const expr *(*rate)(void *ctx, const expr *operand), void *ctx)
{
    assert(graph && formula && rate);
    struct walk *walk = walk_begin(graph);
    imp_range keep = graph->origin;
    walk_collect(graph, walk, &formula, 1, NULL, NULL);
    for (uint32_t k = 0; k < walk->n; k++) {
        const expr *old = walk->order[k], *new = old;
        const expr *a = old->a ? walk->val[old->a->id] : NULL,
                   *b = old->b ? walk->val[old->b->id] : NULL,
                   *c = old->c ? walk->val[old->c->id] : NULL;
        enum imp_op op = (enum imp_op)old->op;
        bool turns = op == IMP_OP_ABS || op == IMP_OP_MIN || op == IMP_OP_MAX;
        graph->origin = old->origin;
        if (a != old->a || b != old->b || c != old->c)
            new = ex_op(graph, op, a, b, c);
        /* the size that chooses: the second branch where it is below 0 */
        const expr *size = op == IMP_OP_ABS   ? a
                           : op == IMP_OP_MIN ? op2(graph, IMP_OP_SUB, b, a)
                           : op == IMP_OP_MAX ? op2(graph, IMP_OP_SUB, a, b)
                                              : NULL,
                   *change = turns ? rate(ctx, size) : NULL;
        if (change)
            new = ex_op(graph, IMP_OP_SELECT, falls(graph, size, change),
                        op == IMP_OP_ABS ? ex_neg(graph, a) : b, a);
        walk->val[old->id] = new;
    }
    const expr *ahead = walk->val[formula->id];
    graph->origin = keep;
    walk_end(graph, walk);
    return ahead;
}
