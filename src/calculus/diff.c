/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact derivatives on the graph. The rules are the DERIV column of
 * abi/ops.def; one forward pass over the nodes below an expression gives its
 * derivative, remembered per (node, leaf), so that gradients, Hessians and
 * third derivatives cost what they share only once. */
#include <string.h>

#include "calculus/graph_priv.h"

/* p f(p - 1), the derivative's factor of a power; where p is not a literal and
 * happens to be 0 at run time it is 0, also where f(-1) is infinite */
static const expr *
power_factor(struct graph *g, enum imp_op op, const expr *a, const expr *p)
{
    const expr *one = ex_num(g, 1), *zero = ex_num(g, 0);
    const expr *low = ex_op(g, op, a, ex_sub(g, p, one), NULL);
    const expr *f = ex_mul(g, p, low);
    if (ex_is_const(p))
        return f;
    const expr *none = ex_op(g, IMP_OP_EQ, p, zero, NULL);
    return ex_op(g, IMP_OP_SELECT, none, zero, f);
}

/* d(a^b), d(|a|^b), d(sgn(a)|a|^b); the logarithm only where b varies */
static const expr *
power_rule(struct graph *g, const expr *y, enum imp_op lower, const expr *dA,
           const expr *dB)
{
    const expr *zero = ex_num(g, 0), *d = zero;
    if (!ex_is_num(dA, 0))
        d = ex_mul(g, power_factor(g, lower, y->a, y->b), dA);
    if (!ex_is_num(dB, 0)) {
        const expr *size = y->a;
        if (y->op != IMP_OP_POW)
            size = ex_op(g, IMP_OP_ABS, size, NULL, NULL);
        const expr *l = ex_mul(g, y, ex_op(g, IMP_OP_LOG, size, NULL, NULL));
        /* u^b log u vanishes with u */
        const expr *at0 = ex_op(g, IMP_OP_EQ, y->a, zero, NULL);
        l = ex_op(g, IMP_OP_SELECT, at0, zero, l);
        d = ex_add(g, d, ex_mul(g, l, dB));
    }
    return d;
}

const expr *
ex_rule(struct graph *g, const expr *y, const expr *dA, const expr *dB,
        const expr *dC)
{
    const expr *A = y->a, *B = y->b, *Y = y;
    (void)B;
    (void)dC;
#define ADD(p, q) ex_add(g, p, q)
#define SUB(p, q) ex_sub(g, p, q)
#define NEG(p) ex_neg(g, p)
#define MUL(p, q) ex_mul(g, p, q)
#define DIV(p, q) ex_div(g, p, q)
#define NUM(x) ex_num(g, x)
#define FN(op, p) ex_op(g, IMP_OP_##op, p, NULL, NULL)
#define FN2(op, p, q) ex_op(g, IMP_OP_##op, p, q, NULL)
#define LT(p, q) ex_op(g, IMP_OP_LT, p, q, NULL)
#define SEL(s, p, q) ex_op(g, IMP_OP_SELECT, s, p, q)
#define ZERO ex_num(g, 0)
#define DPOW power_rule(g, Y, IMP_OP_POW, dA, dB)
#define DABSPOW power_rule(g, Y, IMP_OP_SGNPOW, dA, dB)
#define DSGNPOW power_rule(g, Y, IMP_OP_ABSPOW, dA, dB)
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
    return ex_num(g, 0);
}

/* ---- memory of derivatives ----------------------------------------------- */

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
memo_get(const struct graph *g, const expr *e, const expr *leaf)
{
    return g->memo[memo_at(g->memo, g->memo_cap, e->id, leaf->id)].d;
}

static void
memo_put(struct graph *g, const expr *e, const expr *leaf, const expr *d)
{
    if (g->memo_n >= g->memo_cap / 2) {
        uint32_t cap = g->memo_cap * 2;
        struct memo *m = NEW_N(g->arena, struct memo, cap);
        for (uint32_t i = 0; i < g->memo_cap; i++) {
            struct memo *o = &g->memo[i];
            if (o->d)
                m[memo_at(m, cap, o->node, o->leaf)] = *o;
        }
        g->memo = m;
        g->memo_cap = cap;
    }
    uint32_t at = memo_at(g->memo, g->memo_cap, e->id, leaf->id);
    g->memo[at] = (struct memo){e->id, leaf->id, d};
    g->memo_n++;
}

struct known {
    struct graph *g;
    const expr *leaf;
};

static bool
known_or_leaf(void *ctx, const expr *e)
{
    struct known *k = ctx;
    return !e->a || memo_get(k->g, e, k->leaf) != NULL;
}

/* derivative of an operand: a leaf, or remembered */
static const expr *
operand(struct graph *g, const expr *e, const expr *leaf, const expr *zero,
        const expr *one)
{
    if (!e)
        return zero;
    if (!e->a)
        return e == leaf ? one : zero;
    return memo_get(g, e, leaf);
}

const expr *
ex_diff(struct graph *g, const expr *e, const expr *leaf)
{
    const expr *zero = ex_num(g, 0), *one = ex_num(g, 1);
    const expr *have = operand(g, e, leaf, zero, one);
    if (have)
        return have;
    struct known k = {g, leaf};
    struct walk *w = walk_begin(g);
    imp_range keep = g->origin;
    walk_collect(g, w, &e, 1, known_or_leaf, &k);
    for (uint32_t i = 0; i < w->n; i++) {
        const expr *y = w->order[i];
        const expr *dA = operand(g, y->a, leaf, zero, one);
        const expr *dB = operand(g, y->b, leaf, zero, one);
        const expr *dC = operand(g, y->c, leaf, zero, one);
        const expr *d = zero;
        if (dA != zero || dB != zero || dC != zero) {
            g->origin = y->origin;
            d = ex_rule(g, y, dA, dB, dC);
        }
        memo_put(g, y, leaf, d);
    }
    g->origin = keep;
    walk_end(g, w);
    return memo_get(g, e, leaf);
}

const expr *
ex_diff_along(struct graph *g, const expr *e, const expr *const *leaf,
              const expr *const *rate, size_t n)
{
    const expr *zero = ex_num(g, 0);
    struct walk *w = walk_begin(g);
    imp_range keep = g->origin;
    walk_collect(g, w, &e, 1, NULL, NULL);
    for (uint32_t i = 0; i < w->n; i++)
        w->val[w->order[i]->id] = zero;
    for (size_t i = 0; i < n; i++)
        if (leaf[i]->id < w->cap && w->mark[leaf[i]->id] == w->epoch)
            w->val[leaf[i]->id] = rate[i];
    for (uint32_t i = 0; i < w->n; i++) {
        const expr *y = w->order[i];
        if (!y->a)
            continue;
        const expr *dA = w->val[y->a->id];
        const expr *dB = y->b ? w->val[y->b->id] : zero;
        const expr *dC = y->c ? w->val[y->c->id] : zero;
        if (dA != zero || dB != zero || dC != zero) {
            g->origin = y->origin;
            w->val[y->id] = ex_rule(g, y, dA, dB, dC);
        }
    }
    const expr *d = w->val[e->id];
    g->origin = keep;
    walk_end(g, w);
    return d;
}
