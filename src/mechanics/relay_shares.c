/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas in the shares of relays: sign(u) and comparisons with 0 are shares,
 * what depends on the side of u without a jump goes by the side. */
#include "mechanics/relay_priv.h"

/* the side of relay i, while formulas are made */
static const expr *
relays_side(const struct relays *relays, uint32_t i)
{
    return ex_sym(relays->mech->graph, SYM_LOCAL, i, 0);
}

const expr *
relays_share(const struct relays *relays, uint32_t i)
{
    return ex_sym(relays->mech->graph, SYM_LOCAL, IMP_RELAYS_MAX + i, 0);
}

uint32_t
relays_of_level(const struct relays *relays, const expr *level, bool *negative)
{
    const expr *other = ex_neg(relays->mech->graph, level);
    for (uint32_t i = 0; i < relays->n; i++) {
        *negative = relays->u[i] == other;
        if (relays->disc[i] == IMP_NO_DISC &&
            (relays->u[i] == level || *negative))
            return i;
    }
    return relays->n;
}

const expr *
relays_without(struct graph *graph, const expr *a, const expr *u)
{
    if (a == u)
        return ex_num(graph, 1.0);
    if (a->op == IMP_OP_NEG) {
        const expr *rest = relays_without(graph, a->a, u);
        return rest ? ex_neg(graph, rest) : NULL;
    }
    if (a->op != IMP_OP_MUL && a->op != IMP_OP_DIV)
        return NULL;
    const expr *rest = relays_without(graph, a->a, u);
    if (rest)
        return ex_op(graph, (enum imp_op)a->op, rest, a->b, NULL);
    rest = a->op == IMP_OP_MUL ? relays_without(graph, a->b, u) : NULL;
    return rest ? ex_mul(graph, a->a, rest) : NULL;
}

/* What a node that branches at relay i becomes; b, d: its operands now. */
static const expr *
at_relay(const struct relays *relays, const expr *node, uint32_t i,
         bool negative, const expr *a, const expr *b)
{
    struct graph *graph = relays->mech->graph;
    const expr *share = relays_share(relays, i), *side = relays_side(relays, i),
               *half = ex_num(graph, 0.5);
    if (negative) {
        share = ex_neg(graph, share);
        side = ex_neg(graph, side);
    }
    switch ((enum imp_op)node->op) {
    case IMP_OP_SIGN:
        return share;
    case IMP_OP_ABS:
        return ex_mul(graph, side, a);
    case IMP_OP_LT: /* a - b < 0 */
    case IMP_OP_LE:
        return ex_mul(graph, half, ex_sub(graph, ex_num(graph, 1.0), share));
    case IMP_OP_EQ:
        return ex_num(graph, 0.0);
    case IMP_OP_NE:
        return ex_num(graph, 1.0);
    case IMP_OP_MIN:
    case IMP_OP_MAX: {
        const expr *off = ex_mul(graph, side, ex_sub(graph, a, b));
        return ex_mul(graph, half,
                      ex_op(graph,
                            node->op == IMP_OP_MAX ? IMP_OP_ADD : IMP_OP_SUB,
                            ex_add(graph, a, b), off, NULL));
    }
    default:
        return NULL;
    }
}

bool
relays_has_shares(const struct relays *relays, const expr *node)
{
    for (uint32_t i = 0; i < relays->n; i++)
        if (ex_depends(relays->mech->graph, node, SYM_LOCAL, IMP_RELAYS_MAX + i,
                       UINT32_MAX))
            return true;
    return false;
}

/* A choice by a condition that holds shares: the mean of both. */
static const expr *
mixed(const struct relays *relays, const expr *a, const expr *b, const expr *c)
{
    struct graph *graph = relays->mech->graph;
    return ex_add(graph, c, ex_mul(graph, a, ex_sub(graph, b, c)));
}

static const expr *
rebuilt(const struct relays *relays, const expr *node, const expr *a,
        const expr *b, const expr *c)
{
    struct graph *graph = relays->mech->graph;
    bool negative;
    const expr *level = ex_branch(graph, node);
    uint32_t i = level ? relays_of_level(relays, level, &negative) : relays->n;
    const expr *new =
        i < relays->n ? at_relay(relays, node, i, negative, a, b) : NULL;
    if (new)
        return new;
    if (node->op == IMP_OP_DIV && node->b->op == IMP_OP_ABS &&
        (i = relays_of_level(relays, node->b->a, &negative)) < relays->n) {
        const expr *rest = relays_without(graph, node->a, node->b->a);
        if (rest && node->a->id < relays->top) {
            const expr *share = relays_share(relays, i);
            return ex_mul(graph, rest, negative ? ex_neg(graph, share) : share);
        }
    }
    if (node->op == IMP_OP_DIV &&
        (new = relays_over_length(relays, a, node->b)))
        return new;
    if (a == node->a && b == node->b && c == node->c)
        return node;
    if (relays_has_shares(relays, a) || (b && relays_has_shares(relays, b)))
        switch ((enum imp_op)node->op) {
        case IMP_OP_SELECT:
            if (relays_has_shares(relays, a))
                return mixed(relays, a, b, c);
            break;
        case IMP_OP_NOT:
            return ex_sub(graph, ex_num(graph, 1.0), a);
        case IMP_OP_AND:
            return ex_mul(graph, a, b);
        case IMP_OP_OR:
            return ex_sub(graph, ex_add(graph, a, b), ex_mul(graph, a, b));
        default:
            break;
        }
    return ex_op(graph, (enum imp_op)node->op, a, b, c);
}

static void
rebuild(void *ctx, const expr *node)
{
    struct relays *relays = ctx;
    if (node->id >= relays->top || relays->to[node->id])
        return;
    const expr *a = node->a ? relays->to[node->a->id] : NULL,
               *b = node->b ? relays->to[node->b->id] : NULL,
               *c = node->c ? relays->to[node->c->id] : NULL;
    relays->to[node->id] = a ? rebuilt(relays, node, a, b, c) : node;
}

/* -- what observers read --------------------------------------------------- */

static const expr *
felt(const struct relays *relays, uint32_t which)
{
    return ex_sym(relays->mech->graph, SYM_ROW, IMP_OBSERVER_MOTION, which);
}

const expr *
relays_given_rate(const struct relays *relays, const expr *u)
{
    struct graph *graph = relays->mech->graph;
    const expr *sum = ex_diff(graph, u, sym_time(relays->mech));
    for (uint32_t k = 0; k < 2 * relays->n_felt; k++)
        sum = sc_add(graph, sum,
                     sc_mul(graph, ex_diff(graph, u, felt(relays, k)),
                            felt(relays, k + relays->n_felt)));
    return sum;
}

bool
relays_is_rough(const struct relays *relays, const expr *u)
{
    for (uint32_t k = 0; k < relays->n_felt; k++)
        if (ex_depends(relays->mech->graph, u, SYM_ROW, IMP_OBSERVER_MOTION,
                       2 * relays->n_felt + k))
            return true;
    return false;
}

static const expr *
local_leaf(void *ctx, const expr *leaf)
{
    const struct relays *relays = ctx;
    return leaf->sym == SYM_ROW && leaf->i == IMP_OBSERVER_MOTION
               ? ex_sym(relays->mech->graph, SYM_LOCAL,
                        IMP_RELAYS_MAX + leaf->j, 0)
               : NULL;
}

const expr *
relays_in_locals(const struct relays *relays, const expr *formula)
{
    return relays->n_felt ? ex_subst(relays->mech->graph, formula, local_leaf,
                                     (void *)relays)
                          : formula;
}

/* -- straight lines -------------------------------------------------------- */

struct at_side {
    struct graph *graph;
    const expr *share;
    double value;
};

static const expr *
side_leaf(void *ctx, const expr *leaf)
{
    const struct at_side *at = ctx;
    return leaf == at->share ? ex_num(at->graph, at->value) : NULL;
}

/* A formula as a straight line between its values on both sides of relay i:
 * powers of a share are those of 1 and -1. */
static const expr *
straight(const struct relays *relays, uint32_t i, const expr *formula)
{
    struct graph *graph = relays->mech->graph;
    struct at_side at = {graph, relays_share(relays, i), 1.0};
    const expr *slope = ex_diff(graph, formula, at.share);
    if (!ex_depends(graph, slope, SYM_LOCAL, at.share->i, UINT32_MAX))
        return formula;
    const expr *up = ex_subst(graph, formula, side_leaf, &at);
    at.value = -1.0;
    const expr *down = ex_subst(graph, formula, side_leaf, &at),
               *half = ex_num(graph, 0.5);
    return sc_add(
        graph, sc_mul(graph, half, sc_add(graph, up, down)),
        sc_mul(graph, at.share, sc_mul(graph, half, sc_sub(graph, up, down))));
}

void
relays_in_shares(struct relays *relays, const expr **out)
{
    struct mech *mech = relays->mech;
    relays->top = graph_size(mech->graph);
    relays->to = NEW_N(mech->arena, const expr *, relays->top + 1);
    for (size_t k = 0; k < relays->n_rate; k++) {
        ex_nodes(mech->graph, relays->rate[k], rebuild, relays);
        out[k] = relays->to[relays->rate[k]->id];
        for (uint32_t i = 0; i < relays->n; i++)
            if (relays->disc[i] == IMP_NO_DISC)
                out[k] = straight(relays, i, out[k]);
    }
}
