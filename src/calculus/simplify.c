/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building nodes: what is exact, or changes nothing but a rounding, is
 * simplified on the way. Literals are folded by the reference evaluator and
 * only where the value is finite (a literal 1/0 must stay to be named when it
 * is met at run time). Literal factors move to the front of powers and equal
 * terms are gathered, which is what keeps third derivatives short. */
#include <math.h>

#include "calculus/graph_priv.h"
#include "runtime/tape/eval.h"

static const expr *
raw(struct graph *graph, enum imp_op op, const expr *a, const expr *b,
    const expr *c)
{
    return graph_cons(graph, (uint16_t)op, 0, 0, 0, 0, a, b, c);
}

/* the literal value of op on literals, or NULL */
static const expr *
fold(struct graph *graph, enum imp_op op, const expr *a, const expr *b,
     const expr *c)
{
    if (!ex_is_const(a) || (b && !ex_is_const(b)) || (c && !ex_is_const(c)))
        return NULL;
    double y = eval_op(op, a->num, b ? b->num : 0, c ? c->num : 0);
    return isfinite(y) ? ex_num(graph, y) : NULL;
}

/* a literal that a product may absorb: neither lost nor made infinite */
static bool
good(double x)
{
    return isnormal(x) != 0;
}

/* e = coefficient * rest */
static double
split(const expr *e, const expr **rest)
{
    if (e->op == IMP_OP_MUL && ex_is_const(e->a)) {
        *rest = e->b;
        return e->a->num;
    }
    *rest = e;
    return 1;
}

/* (ca + s cb) x where a = ca x and b = cb x, or NULL */
static const expr *
like(struct graph *graph, const expr *a, const expr *b, double s)
{
    const expr *x, *y;
    double ca = split(a, &x), cb = split(b, &y);
    if (x != y || ex_is_const(x))
        return NULL;
    double k = ca + s * cb;
    if (k == 0)
        return ex_num(graph, 0);
    return good(k) ? ex_mul(graph, ex_num(graph, k), x) : NULL;
}

const expr *
ex_add(struct graph *graph, const expr *a, const expr *b)
{
    const expr *e = fold(graph, IMP_OP_ADD, a, b, NULL);
    if (e)
        return e;
    if (ex_is_num(a, 0))
        return b;
    if (ex_is_num(b, 0))
        return a;
    if (b->op == IMP_OP_NEG)
        return ex_sub(graph, a, b->a);
    if (a->op == IMP_OP_NEG)
        return ex_sub(graph, b, a->a);
    if ((e = like(graph, a, b, 1)))
        return e;
    return a->id <= b->id ? raw(graph, IMP_OP_ADD, a, b, NULL)
                          : raw(graph, IMP_OP_ADD, b, a, NULL);
}

const expr *
ex_sub(struct graph *graph, const expr *a, const expr *b)
{
    const expr *e = fold(graph, IMP_OP_SUB, a, b, NULL);
    if (e)
        return e;
    if (a == b)
        return ex_num(graph, 0);
    if (ex_is_num(b, 0))
        return a;
    if (ex_is_num(a, 0))
        return ex_neg(graph, b);
    if (b->op == IMP_OP_NEG)
        return ex_add(graph, a, b->a);
    if (a->op == IMP_OP_NEG)
        return ex_neg(graph, ex_add(graph, a->a, b));
    if ((e = like(graph, a, b, -1)))
        return e;
    return raw(graph, IMP_OP_SUB, a, b, NULL);
}

const expr *
ex_neg(struct graph *graph, const expr *a)
{
    if (ex_is_const(a))
        return ex_num(graph, -a->num);
    if (a->op == IMP_OP_NEG)
        return a->a;
    if (a->op == IMP_OP_SUB)
        return ex_sub(graph, a->b, a->a);
    if (a->op == IMP_OP_MUL && ex_is_const(a->a))
        return ex_mul(graph, ex_num(graph, -a->a->num), a->b);
    return raw(graph, IMP_OP_NEG, a, NULL, NULL);
}

/* one is the other, or a product with the other as a factor */
static bool
kin(const expr *x, const expr *y)
{
    return x == y || (x->op == IMP_OP_MUL && (x->a == y || x->b == y)) ||
           (y->op == IMP_OP_MUL && (y->a == x || y->b == x));
}

const expr *
ex_mul(struct graph *graph, const expr *a, const expr *b)
{
    if (ex_is_const(b) && !ex_is_const(a)) {
        const expr *t = a;
        a = b;
        b = t;
    }
    const expr *e = fold(graph, IMP_OP_MUL, a, b, NULL);
    if (e)
        return e;
    if (ex_is_const(a)) {
        if (a->num == 0)
            return ex_num(graph, 0);
        if (a->num == 1)
            return b;
        if (a->num == -1)
            return ex_neg(graph, b);
        if (b->op == IMP_OP_NEG)
            return ex_mul(graph, ex_num(graph, -a->num), b->a);
        if ((b->op == IMP_OP_MUL || b->op == IMP_OP_DIV) && ex_is_const(b->a)) {
            double k = a->num * b->a->num;
            if (good(k))
                return b->op == IMP_OP_MUL
                           ? ex_mul(graph, ex_num(graph, k), b->b)
                           : ex_div(graph, ex_num(graph, k), b->b);
        }
        return raw(graph, IMP_OP_MUL, a, b, NULL);
    }
    if (a->op == IMP_OP_NEG)
        return ex_neg(graph, ex_mul(graph, a->a, b));
    if (b->op == IMP_OP_NEG)
        return ex_neg(graph, ex_mul(graph, a, b->a));
    /* literal factors to the front, within powers of one expression: c*(x*y)
     * elsewhere would hide the product from the sums it belongs to */
    if (a != b && a->op == IMP_OP_MUL && ex_is_const(a->a) && kin(a->b, b))
        return ex_mul(graph, a->a, ex_mul(graph, a->b, b));
    if (a != b && b->op == IMP_OP_MUL && ex_is_const(b->a) && kin(b->b, a))
        return ex_mul(graph, b->a, ex_mul(graph, a, b->b));
    return a->id <= b->id ? raw(graph, IMP_OP_MUL, a, b, NULL)
                          : raw(graph, IMP_OP_MUL, b, a, NULL);
}

const expr *
ex_div(struct graph *graph, const expr *a, const expr *b)
{
    const expr *e = fold(graph, IMP_OP_DIV, a, b, NULL);
    if (e)
        return e;
    if (ex_is_num(a, 0) && !ex_is_num(b, 0))
        return a;
    if (ex_is_num(b, 1))
        return a;
    if (ex_is_num(b, -1))
        return ex_neg(graph, a);
    if (a->op == IMP_OP_NEG)
        return ex_neg(graph, ex_div(graph, a->a, b));
    if (b->op == IMP_OP_NEG)
        return ex_neg(graph, ex_div(graph, a, b->a));
    if (ex_is_const(b)) {
        /* a power of two divides exactly */
        int k;
        if (good(b->num) && fabs(frexp(b->num, &k)) == 0.5 && k > -1000 &&
            k < 1000)
            return ex_mul(graph, ex_num(graph, 1 / b->num), a);
    }
    return raw(graph, IMP_OP_DIV, a, b, NULL);
}

static const expr *
swap_ids(struct graph *graph, enum imp_op op, const expr *a, const expr *b)
{
    return a->id <= b->id ? raw(graph, op, a, b, NULL)
                          : raw(graph, op, b, a, NULL);
}

const expr *
ex_op(struct graph *graph, enum imp_op op, const expr *a, const expr *b,
      const expr *c)
{
    unsigned n = ex_arity(op);
    if (n < 2)
        b = NULL;
    if (n < 3)
        c = NULL;
    switch (op) {
    case IMP_OP_ADD:
        return ex_add(graph, a, b);
    case IMP_OP_SUB:
        return ex_sub(graph, a, b);
    case IMP_OP_NEG:
        return ex_neg(graph, a);
    case IMP_OP_MUL:
        return ex_mul(graph, a, b);
    case IMP_OP_DIV:
        return ex_div(graph, a, b);
    case IMP_OP_POW:
        return ex_pow(graph, a, b);
    case IMP_OP_ABSPOW:
        return ex_abspow(graph, a, b);
    case IMP_OP_SGNPOW:
        return ex_sgnpow(graph, a, b);
    default:
        break;
    }
    const expr *e = fold(graph, op, a, b, c);
    if (e)
        return e;
    switch (op) {
    case IMP_OP_ABS:
        if (a->op == IMP_OP_ABS)
            return a;
        if (a->op == IMP_OP_NEG)
            return raw(graph, op, a->a, NULL, NULL);
        break;
    case IMP_OP_MIN:
    case IMP_OP_MAX:
        if (a == b)
            return a;
        break;
    case IMP_OP_SELECT:
        if (b == c)
            return b;
        if (ex_is_const(a))
            return a->num != 0 ? b : c;
        break;
    case IMP_OP_HYPOT:
    case IMP_OP_EQ:
    case IMP_OP_NE:
    case IMP_OP_AND:
    case IMP_OP_OR:
        return swap_ids(graph, op, a, b);
    default:
        break;
    }
    return raw(graph, op, a, b, c);
}
