/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Powers. An integer literal exponent becomes one fixed chain of products, the
 * same in evaluator and generated code (I6); abs(u)^p becomes ABSPOW, whose
 * derivatives and series are right at u = 0; everything else stays POW. */
#include <math.h>
#include <stdlib.h>

#include "calculus/graph_priv.h"
#include "runtime/tape/eval.h"

/* longest chain: 2 log2(1024) products; beyond, imp_pow is the better one */
#define POW_CHAIN_MAX 1024

/* a^n, n >= 1: squares where n is even, else a times the even power */
static const expr *
chain(struct graph *graph, const expr *a, long n)
{
    if (n == 1)
        return a;
    if (n % 2) {
        return ex_mul(graph, a, chain(graph, a, n - 1));
    }
    const expr *h = chain(graph, a, n / 2);
    return ex_mul(graph, h, h);
}

static bool
chain_exponent(const expr *b)
{
    return ex_is_const(b) && b->num == rint(b->num) &&
           fabs(b->num) <= POW_CHAIN_MAX;
}

static const expr *
power(struct graph *graph, const expr *a, double p)
{
    long n = (long)p;
    if (n == 0)
        return ex_num(graph, 1);
    const expr *y = chain(graph, a, labs(n));
    return n < 0 ? ex_div(graph, ex_num(graph, 1), y) : y;
}

static const expr *
node(struct graph *graph, enum imp_op op, const expr *a, const expr *b)
{
    if (ex_is_const(a) && ex_is_const(b)) {
        double y = eval_op(op, a->num, b->num, 0);
        if (isfinite(y))
            return ex_num(graph, y);
    }
    return graph_cons(graph, (uint16_t)op, 0, 0, 0, 0, a, b, NULL);
}

const expr *
ex_pow(struct graph *graph, const expr *a, const expr *b)
{
    if (a->op == IMP_OP_ABS)
        return ex_abspow(graph, a->a, b);
    if (chain_exponent(b))
        return power(graph, a, b->num);
    if (ex_is_num(b, 0.5))
        return ex_op(graph, IMP_OP_SQRT, a, NULL, NULL);
    if (ex_is_num(b, -0.5))
        return ex_div(graph, ex_num(graph, 1),
                      ex_op(graph, IMP_OP_SQRT, a, NULL, NULL));
    return node(graph, IMP_OP_POW, a, b);
}

const expr *
ex_abspow(struct graph *graph, const expr *a, const expr *b)
{
    if (a->op == IMP_OP_NEG || a->op == IMP_OP_ABS)
        return ex_abspow(graph, a->a, b);
    if (chain_exponent(b)) {
        if (b->num == 1)
            return ex_op(graph, IMP_OP_ABS, a, NULL, NULL);
        if (fmod(b->num, 2) == 0)
            return power(graph, a, b->num);
    }
    return node(graph, IMP_OP_ABSPOW, a, b);
}

const expr *
ex_sgnpow(struct graph *graph, const expr *a, const expr *b)
{
    if (a->op == IMP_OP_NEG)
        return ex_neg(graph, ex_sgnpow(graph, a->a, b));
    if (chain_exponent(b)) {
        if (b->num == 0)
            return ex_op(graph, IMP_OP_SIGN, a, NULL, NULL);
        if (fmod(b->num, 2) != 0)
            return power(graph, a, b->num);
    }
    return node(graph, IMP_OP_SGNPOW, a, b);
}
