/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Powers. An integer literal exponent becomes one fixed chain of products, the
 * same in evaluator and generated code (I6); abs(u)^p and (u^2)^(p/2) become
 * ABSPOW, whose derivatives and series are right at u = 0; everything else
 * stays POW. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "calculus/graph_priv.h"
#include "runtime/tape/eval.h"

/* The largest literal exponent that becomes a chain: 2 log2(1024) products at
 * most. Beyond it imp_pow is faster. */
#define POW_CHAIN_MAX 1024

/* a^n for n >= 1: a square where n is even, otherwise a times the even power.
 */
static const expr *
chain(struct graph *graph, const expr *left, long n)
{
    if (n == 1)
        return left;
    if (n % 2) {
        return ex_mul(graph, left, chain(graph, left, n - 1));
    }
    const expr *h = chain(graph, left, n / 2);
    return ex_mul(graph, h, h);
}

static bool
chain_exponent(const expr *right)
{
    return ex_is_const(right) && right->num == rint(right->num) &&
           fabs(right->num) <= POW_CHAIN_MAX;
}

static const expr *
power(struct graph *graph, const expr *left, double p)
{
    long n = (long)p;
    if (n == 0)
        return ex_num(graph, 1);
    const expr *y = chain(graph, left, labs(n));
    return n < 0 ? ex_div(graph, ex_num(graph, 1), y) : y;
}

static const expr *
node(struct graph *graph, enum imp_op op, const expr *left, const expr *right)
{
    if (ex_is_const(left) && ex_is_const(right)) {
        double y = eval_op(op, left->num, right->num, 0);
        if (isfinite(y))
            return ex_num(graph, y);
    }
    return graph_cons(graph, (uint16_t)op, 0, 0, 0, 0, left, right, NULL);
}

const expr *
ex_pow(struct graph *graph, const expr *left, const expr *right)
{
    assert(graph && left && right);
    if (left->op == IMP_OP_ABS)
        return ex_abspow(graph, left->a, right);
    if (chain_exponent(right))
        return power(graph, left, right->num);
    /* (u^2)^p = |u|^(2p), whose derivatives are right at u = 0 */
    if (left->op == IMP_OP_MUL && left->a == left->b && ex_is_const(right))
        return ex_abspow(graph, left->a, ex_num(graph, 2 * right->num));
    if (ex_is_num(right, 0.5))
        return ex_op(graph, IMP_OP_SQRT, left, NULL, NULL);
    if (ex_is_num(right, -0.5))
        return ex_div(graph, ex_num(graph, 1),
                      ex_op(graph, IMP_OP_SQRT, left, NULL, NULL));
    return node(graph, IMP_OP_POW, left, right);
}

/* x without its factor w; NULL: it has none. */
static const expr *
without(struct graph *graph, const expr *x, const expr *w)
{
    const expr *rest;
    if (x == w)
        return ex_num(graph, 1);
    if (x->op == IMP_OP_NEG)
        return (rest = without(graph, x->a, w)) ? ex_neg(graph, rest) : NULL;
    if (x->op == IMP_OP_DIV)
        return (rest = without(graph, x->a, w)) ? ex_div(graph, rest, x->b)
                                                : NULL;
    if (x->op != IMP_OP_MUL)
        return NULL;
    if ((rest = without(graph, x->a, w)))
        return ex_mul(graph, rest, x->b);
    return (rest = without(graph, x->b, w)) ? ex_mul(graph, x->a, rest) : NULL;
}

const expr *
ex_times_power(struct graph *graph, const expr *x, const expr *power)
{
    assert(graph != NULL && x != NULL && power != NULL);
    if (power->op != IMP_OP_ABSPOW)
        return NULL;
    const expr *w = power->a, *c = power->b,
               *rest =
                   without(graph, x, ex_op(graph, IMP_OP_SIGN, w, NULL, NULL));
    if (rest)
        return ex_mul(graph, rest, ex_sgnpow(graph, w, c));
    if (ex_is_const(c) && !(c->num > -1.0 && c->num < 0.0))
        return NULL;
    rest = without(graph, x, w);
    return rest
               ? ex_mul(graph, rest,
                        ex_sgnpow(graph, w, ex_add(graph, c, ex_num(graph, 1))))
               : NULL;
}

const expr *
ex_abspow(struct graph *graph, const expr *left, const expr *right)
{
    assert(left != NULL && right != NULL);
    if (left->op == IMP_OP_NEG || left->op == IMP_OP_ABS)
        return ex_abspow(graph, left->a, right);
    if (chain_exponent(right)) {
        if (right->num == 1)
            return ex_op(graph, IMP_OP_ABS, left, NULL, NULL);
        if (fmod(right->num, 2) == 0)
            return power(graph, left, right->num);
    }
    return node(graph, IMP_OP_ABSPOW, left, right);
}

const expr *
ex_sgnpow(struct graph *graph, const expr *left, const expr *right)
{
    assert(left != NULL && right != NULL);
    if (left->op == IMP_OP_NEG)
        return ex_neg(graph, ex_sgnpow(graph, left->a, right));
    if (chain_exponent(right)) {
        if (right->num == 0)
            return ex_op(graph, IMP_OP_SIGN, left, NULL, NULL);
        if (fmod(right->num, 2) != 0)
            return power(graph, left, right->num);
    }
    return node(graph, IMP_OP_SGNPOW, left, right);
}
