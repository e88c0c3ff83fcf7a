/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact derivatives on the graph. The rules are the DERIV column of
 * abi/ops.def. One forward pass over the nodes below an expression gives its
 * derivative. It is remembered per node and leaf, so gradients, Hessians and
 * third derivatives pay only once for what they share. */
#include <assert.h>
#include <string.h>

#include "calculus/graph_priv.h"

/* p f(u, p - 1), a factor of the derivative of a power f(u, p). Where p is not
 * a literal and is 0 at run time, the factor is 0, also where f(u, -1) is
 * infinite. */
static const expr *
power_factor(struct graph *graph, enum imp_op op, const expr *a, const expr *p)
{
    const expr *one = ex_num(graph, 1), *zero = ex_num(graph, 0);
    const expr *low = ex_op(graph, op, a, ex_sub(graph, p, one), NULL);
    const expr *f = ex_mul(graph, p, low);
    if (ex_is_const(p))
        return f;
    const expr *none = ex_op(graph, IMP_OP_EQ, p, zero, NULL);
    return ex_op(graph, IMP_OP_SELECT, none, zero, f);
}

/* A factor times the derivative of a branch, which may be 0 on one side: then
 * the product is 0 there, however large the factor is. The second derivative of
 * max(0, u)^1.5 has a factor max(0, u)^-0.5. */
static const expr *
times_branch(struct graph *graph, const expr *factor, const expr *d)
{
    if (d->op != IMP_OP_SELECT || (!ex_is_num(d->b, 0) && !ex_is_num(d->c, 0)))
        return ex_mul(graph, factor, d);
    return ex_op(graph, IMP_OP_SELECT, d->a, times_branch(graph, factor, d->b),
                 times_branch(graph, factor, d->c));
}

/* The derivative of a^b, |a|^b or sgn(a)|a|^b. The logarithm appears only where
 * b varies. */
static const expr *
power_rule(struct graph *graph, const expr *power, enum imp_op lower,
           const expr *dA, const expr *dB)
{
    const expr *zero = ex_num(graph, 0), *sum = zero;
    if (!ex_is_num(dA, 0))
        sum = times_branch(graph,
                           power_factor(graph, lower, power->a, power->b), dA);
    if (!ex_is_num(dB, 0)) {
        const expr *size = power->a;
        if (power->op != IMP_OP_POW)
            size = ex_op(graph, IMP_OP_ABS, size, NULL, NULL);
        const expr *l =
            ex_mul(graph, power, ex_op(graph, IMP_OP_LOG, size, NULL, NULL));
        /* u^b log u tends to 0 with u */
        const expr *at0 = ex_op(graph, IMP_OP_EQ, power->a, zero, NULL);
        l = ex_op(graph, IMP_OP_SELECT, at0, zero, l);
        sum = ex_add(graph, sum, ex_mul(graph, l, dB));
    }
    return sum;
}

const expr *
ex_rule(struct graph *graph, const expr *y, const expr *dA, const expr *dB,
        const expr *dC)
{
    assert(y);
    const expr *A = y->a, *B = y->b, *Y = y;
    (void)B;
    (void)dC;
#define ADD(p, q) ex_add(graph, p, q)
#define SUB(p, q) ex_sub(graph, p, q)
#define NEG(p) ex_neg(graph, p)
#define MUL(p, q) ex_mul(graph, p, q)
#define DIV(p, q) ex_div(graph, p, q)
#define NUM(x) ex_num(graph, x)
#define FN(op, p) ex_op(graph, IMP_OP_##op, p, NULL, NULL)
#define FN2(op, p, q) ex_op(graph, IMP_OP_##op, p, q, NULL)
#define LT(p, q) ex_op(graph, IMP_OP_LT, p, q, NULL)
#define SEL(s, p, q) ex_op(graph, IMP_OP_SELECT, s, p, q)
#define ZERO ex_num(graph, 0)
#define DPOW power_rule(graph, Y, IMP_OP_POW, dA, dB)
#define DABSPOW power_rule(graph, Y, IMP_OP_SGNPOW, dA, dB)
#define DSGNPOW power_rule(graph, Y, IMP_OP_ABSPOW, dA, dB)
    switch ((enum imp_op)y->op) {
#define OP(name, word, arity, dim, series, guard, eval, deriv)                 \
    case IMP_OP_##name:                                                        \
        return deriv;
#include "abi/ops.def"
    case IMP_OP_COUNT:
        break;
    }
#undef ADD
#undef SUB
#undef NEG
#undef MUL
#undef DIV
#undef NUM
#undef FN
#undef FN2
#undef LT
#undef SEL
#undef ZERO
#undef DPOW
#undef DABSPOW
#undef DSGNPOW
    return ex_num(graph, 0);
}

/* -- memory of derivatives ------------------------------------------------- */

static uint32_t
memo_at(const struct memo *m, uint32_t cap, uint32_t node, uint32_t leaf)
{
    uint64_t h = (((uint64_t)node << 32) | leaf) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(h >> 32) & (cap - 1);
    while (m[at].d && (m[at].node != node || m[at].leaf != leaf))
        at = (at + 1) & (cap - 1);
    return at;
}

static const expr *
memo_get(const struct graph *graph, const expr *node, const expr *leaf)
{
    return graph
        ->memo[memo_at(graph->memo, graph->memo_cap, node->id, leaf->id)]
        .d;
}

static void
memo_put(struct graph *graph, const expr *node, const expr *leaf,
         const expr *derivative)
{
    if (graph->memo_n >= graph->memo_cap / 2) {
        uint32_t cap = graph->memo_cap * 2;
        struct memo *m = NEW_N(graph->arena, struct memo, cap);
        for (uint32_t i = 0; i < graph->memo_cap; i++) {
            struct memo *o = &graph->memo[i];
            if (o->d)
                m[memo_at(m, cap, o->node, o->leaf)] = *o;
        }
        graph->memo = m;
        graph->memo_cap = cap;
    }
    uint32_t at = memo_at(graph->memo, graph->memo_cap, node->id, leaf->id);
    graph->memo[at] = (struct memo){node->id, leaf->id, derivative};
    graph->memo_n++;
}

struct known {
    struct graph *g;
    const expr *leaf;
};

static bool
known_or_leaf(void *ctx, const expr *node)
{
    struct known *k = ctx;
    return !node->a || memo_get(k->g, node, k->leaf) != NULL;
}

/* The derivative of an operand: of a leaf, or remembered. */
static const expr *
operand(struct graph *graph, const expr *node, const expr *leaf,
        const expr *zero, const expr *one)
{
    if (!node)
        return zero;
    if (!node->a)
        return node == leaf ? one : zero;
    return memo_get(graph, node, leaf);
}

const expr *
ex_diff(struct graph *graph, const expr *node, const expr *leaf)
{
    assert(graph && node && leaf && leaf->op == IMP_OP_ENV);
    const expr *zero = ex_num(graph, 0), *one = ex_num(graph, 1);
    const expr *have = operand(graph, node, leaf, zero, one);
    if (have)
        return have;
    struct known k = {graph, leaf};
    struct walk *walk = walk_begin(graph);
    imp_range keep = graph->origin;
    walk_collect(graph, walk, &node, 1, known_or_leaf, &k);
    for (uint32_t i = 0; i < walk->n; i++) {
        const expr *y = walk->order[i];
        const expr *dA = operand(graph, y->a, leaf, zero, one);
        const expr *dB = operand(graph, y->b, leaf, zero, one);
        const expr *dC = operand(graph, y->c, leaf, zero, one);
        const expr *d = zero;
        if (dA != zero || dB != zero || dC != zero) {
            graph->origin = y->origin;
            d = ex_rule(graph, y, dA, dB, dC);
        }
        memo_put(graph, y, leaf, d);
    }
    graph->origin = keep;
    walk_end(graph, walk);
    return memo_get(graph, node, leaf);
}

const expr *
ex_diff_along(struct graph *graph, const expr *node, const expr *const *leaf,
              const expr *const *rate, size_t n)
{
    assert(graph && node && (n == 0 || (leaf && rate)));
    const expr *zero = ex_num(graph, 0);
    struct walk *walk = walk_begin(graph);
    imp_range keep = graph->origin;
    walk_collect(graph, walk, &node, 1, NULL, NULL);
    for (uint32_t i = 0; i < walk->n; i++)
        walk->val[walk->order[i]->id] = zero;
    for (size_t i = 0; i < n; i++)
        if (leaf[i]->id < walk->cap && walk->mark[leaf[i]->id] == walk->epoch)
            walk->val[leaf[i]->id] = rate[i];
    for (uint32_t i = 0; i < walk->n; i++) {
        const expr *y = walk->order[i];
        if (!y->a)
            continue;
        const expr *dA = walk->val[y->a->id];
        const expr *dB = y->b ? walk->val[y->b->id] : zero;
        const expr *dC = y->c ? walk->val[y->c->id] : zero;
        if (dA != zero || dB != zero || dC != zero) {
            graph->origin = y->origin;
            walk->val[y->id] = ex_rule(graph, y, dA, dB, dC);
        }
    }
    const expr *d = walk->val[node->id];
    graph->origin = keep;
    walk_end(graph, walk);
    return d;
}
