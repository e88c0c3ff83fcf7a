/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building nodes. What is exact, or changes only a rounding, is simplified on
 * the way. Literals are folded by the reference evaluator, and only where the
 * value is finite: a literal 1/0 must stay, so that the message at run time can
 * name it. Literal factors move to the front of powers and equal terms are
 * gathered, which keeps third derivatives short. */
#include <assert.h>
#include <math.h>

#include "calculus/graph_priv.h"
#include "runtime/tape/eval.h"

static const expr *
raw(struct graph *graph, enum imp_op op, const expr *left, const expr *right,
    const expr *c)
{
    return graph_cons(graph, (uint16_t)op, 0, 0, 0, 0, left, right, c);
}

/* the literal value of op on literals, or NULL */
static const expr *
fold(struct graph *graph, enum imp_op op, const expr *left, const expr *right,
     const expr *c)
{
    if (!ex_is_const(left) || (right && !ex_is_const(right)) ||
        (c && !ex_is_const(c)))
        return NULL;
    double y = eval_op(op, left->num, right ? right->num : 0, c ? c->num : 0);
    return isfinite(y) ? ex_num(graph, y) : NULL;
}

double
ex_number(enum imp_op op, double left, double right)
{
    assert(op < IMP_OP_COUNT && ex_arity(op) <= 2);
    return eval_op(op, left, right, 0);
}

/* A literal that a product may absorb: the product neither vanishes nor becomes
 * infinite by it. */
static bool
good(double x)
{
    return isnormal(x) != 0;
}

/* e = coefficient * rest */
static double
split(const expr *node, const expr **rest)
{
    if (node->op == IMP_OP_MUL && ex_is_const(node->a)) {
        *rest = node->b;
        return node->a->num;
    }
    *rest = node;
    return 1;
}

/* (ca + s cb) x where a = ca x and b = cb x; NULL if they have no such x. */
static const expr *
like(struct graph *graph, const expr *left, const expr *right, double s)
{
    const expr *x, *y;
    double ca = split(left, &x), cb = split(right, &y);
    if (x != y || ex_is_const(x))
        return NULL;
    double k = ca + s * cb;
    if (k == 0)
        return ex_num(graph, 0);
    return good(k) ? ex_mul(graph, ex_num(graph, k), x) : NULL;
}

const expr *
ex_add(struct graph *graph, const expr *left, const expr *right)
{
    assert(left != NULL && right != NULL);
    const expr *node = fold(graph, IMP_OP_ADD, left, right, NULL);
    if (node)
        return node;
    if (ex_is_num(left, 0))
        return right;
    if (ex_is_num(right, 0))
        return left;
    if (right->op == IMP_OP_NEG)
        return ex_sub(graph, left, right->a);
    if (left->op == IMP_OP_NEG)
        return ex_sub(graph, right, left->a);
    if ((node = like(graph, left, right, 1)))
        return node;
    return left->id <= right->id ? raw(graph, IMP_OP_ADD, left, right, NULL)
                                 : raw(graph, IMP_OP_ADD, right, left, NULL);
}

const expr *
ex_sub(struct graph *graph, const expr *left, const expr *right)
{
    assert(left != NULL && right != NULL);
    const expr *node = fold(graph, IMP_OP_SUB, left, right, NULL);
    if (node)
        return node;
    if (left == right)
        return ex_num(graph, 0);
    if (ex_is_num(right, 0))
        return left;
    if (ex_is_num(left, 0))
        return ex_neg(graph, right);
    if (right->op == IMP_OP_NEG)
        return ex_add(graph, left, right->a);
    if (left->op == IMP_OP_NEG)
        return ex_neg(graph, ex_add(graph, left->a, right));
    if ((node = like(graph, left, right, -1)))
        return node;
    return raw(graph, IMP_OP_SUB, left, right, NULL);
}

const expr *
ex_neg(struct graph *graph, const expr *left)
{
    assert(left != NULL);
    if (ex_is_const(left))
        return ex_num(graph, -left->num);
    if (left->op == IMP_OP_NEG)
        return left->a;
    if (left->op == IMP_OP_SUB)
        return ex_sub(graph, left->b, left->a);
    if (left->op == IMP_OP_MUL && ex_is_const(left->a))
        return ex_mul(graph, ex_num(graph, -left->a->num), left->b);
    return raw(graph, IMP_OP_NEG, left, NULL, NULL);
}

/* True if one is the other, or a product with the other as a factor. */
static bool
kin(const expr *x, const expr *y)
{
    return x == y || (x->op == IMP_OP_MUL && (x->a == y || x->b == y)) ||
           (y->op == IMP_OP_MUL && (y->a == x || y->b == x));
}

/* Is it a sum of squares, with no factor below 0? */
static bool
of_squares(const expr *node)
{
    if (ex_is_const(node))
        return node->num >= 0;
    if (node->op == IMP_OP_ADD)
        return of_squares(node->a) && of_squares(node->b);
    return node->op == IMP_OP_MUL &&
           (node->a == node->b ||
            (ex_is_const(node->a) && node->a->num >= 0 && of_squares(node->b)));
}

const expr *
ex_mul(struct graph *graph, const expr *left, const expr *right)
{
    assert(left != NULL && right != NULL);
    /* the square of a length is smooth where the length is not */
    if (left == right && left->op == IMP_OP_SQRT && of_squares(left->a))
        return left->a;
    if (left == right && left->op == IMP_OP_HYPOT)
        return ex_add(graph, ex_mul(graph, left->a, left->a),
                      ex_mul(graph, left->b, left->b));
    if (ex_is_const(right) && !ex_is_const(left)) {
        const expr *t = left;
        left = right;
        right = t;
    }
    const expr *node = fold(graph, IMP_OP_MUL, left, right, NULL);
    if (node || (node = ex_times_power(graph, left, right)) ||
        (node = ex_times_power(graph, right, left)))
        return node;
    if (ex_is_const(left)) {
        if (left->num == 0)
            return ex_num(graph, 0);
        if (left->num == 1)
            return right;
        if (left->num == -1)
            return ex_neg(graph, right);
        if (right->op == IMP_OP_NEG)
            return ex_mul(graph, ex_num(graph, -left->num), right->a);
        if ((right->op == IMP_OP_MUL || right->op == IMP_OP_DIV) &&
            ex_is_const(right->a)) {
            double k = left->num * right->a->num;
            if (good(k))
                return right->op == IMP_OP_MUL
                           ? ex_mul(graph, ex_num(graph, k), right->b)
                           : ex_div(graph, ex_num(graph, k), right->b);
        }
        return raw(graph, IMP_OP_MUL, left, right, NULL);
    }
    if (left->op == IMP_OP_NEG)
        return ex_neg(graph, ex_mul(graph, left->a, right));
    if (right->op == IMP_OP_NEG)
        return ex_neg(graph, ex_mul(graph, left, right->a));
    /* Literal factors move to the front, but only within powers of one
     * expression: c*(x*y) elsewhere would hide the product from the sum that it
     * belongs to. */
    if (left != right && left->op == IMP_OP_MUL && ex_is_const(left->a) &&
        kin(left->b, right))
        return ex_mul(graph, left->a, ex_mul(graph, left->b, right));
    if (left != right && right->op == IMP_OP_MUL && ex_is_const(right->a) &&
        kin(right->b, left))
        return ex_mul(graph, right->a, ex_mul(graph, left, right->b));
    return left->id <= right->id ? raw(graph, IMP_OP_MUL, left, right, NULL)
                                 : raw(graph, IMP_OP_MUL, right, left, NULL);
}

const expr *
ex_div(struct graph *graph, const expr *left, const expr *right)
{
    assert(left != NULL && right != NULL);
    const expr *node = fold(graph, IMP_OP_DIV, left, right, NULL);
    if (node)
        return node;
    if (ex_is_num(left, 0) && !ex_is_num(right, 0))
        return left;
    if (ex_is_num(right, 1))
        return left;
    if (ex_is_num(right, -1))
        return ex_neg(graph, left);
    if (left->op == IMP_OP_NEG)
        return ex_neg(graph, ex_div(graph, left->a, right));
    if (right->op == IMP_OP_NEG)
        return ex_neg(graph, ex_div(graph, left, right->a));
    if (ex_is_const(right)) {
        /* dividing by a power of two is exact */
        int k;
        if (good(right->num) && fabs(frexp(right->num, &k)) == 0.5 &&
            k > -1000 && k < 1000)
            return ex_mul(graph, ex_num(graph, 1 / right->num), left);
    }
    return raw(graph, IMP_OP_DIV, left, right, NULL);
}

static const expr *
halve(struct graph *graph, const expr *node)
{
    return ex_mul(graph, ex_num(graph, 0.5), node);
}

/* right = left * f, for f a cosine or sine: f, else NULL. */
static const expr *
turned(const expr *left, const expr *right)
{
    const expr *base, *rest, *f = NULL;
    double k = split(right, &rest);
    if (right->op == IMP_OP_MUL && (right->a == left || right->b == left))
        f = right->a == left ? right->b : right->a;
    else if (ex_is_const(left) && left->num == k)
        f = rest;
    else if (split(left, &base) == k && rest->op == IMP_OP_MUL &&
             (rest->a == base || rest->b == base))
        f = rest->a == base ? rest->b : rest->a;
    return f && (f->op == IMP_OP_COS || f->op == IMP_OP_SIN) ? f : NULL;
}

/* s and *scale with node = scale s^2, where node is written as a difference
 * that cancels at s = 0: 1 - cos(u) = 2 sin(u/2)^2 and its like, and products
 * with such a factor. Else NULL. The root of the difference keeps half of the
 * digits, and its derivatives none: |s| keeps all. */
static const expr *
square_of(struct graph *graph, const expr *node, const expr **scale)
{
    const expr *left = node->a, *right = node->b, *f, *s;
    if (node->op == IMP_OP_MUL && (s = square_of(graph, right, scale))) {
        *scale = ex_mul(graph, left, *scale);
        return s;
    }
    if (((node->op == IMP_OP_MUL && left != right) || node->op == IMP_OP_DIV) &&
        (s = square_of(graph, left, scale))) {
        *scale = node->op == IMP_OP_MUL ? ex_mul(graph, *scale, right)
                                        : ex_div(graph, *scale, right);
        return s;
    }
    if (node->op != IMP_OP_SUB && node->op != IMP_OP_ADD)
        return NULL;
    if (node->op == IMP_OP_SUB && ex_is_num(left, 1) &&
        right->op == IMP_OP_MUL && right->a == right->b &&
        (right->a->op == IMP_OP_COS || right->a->op == IMP_OP_SIN)) {
        *scale = ex_num(graph, 1);
        return ex_op(graph,
                     right->a->op == IMP_OP_COS ? IMP_OP_SIN : IMP_OP_COS,
                     right->a->a, NULL, NULL);
    }
    if (!(f = turned(left, right)) && node->op == IMP_OP_ADD) {
        left = node->b;
        f = turned(left, node->a);
    }
    if (!f)
        return NULL;
    *scale = ex_mul(graph, ex_num(graph, 2), left);
    s = halve(graph, f->a);
    if (f->op == IMP_OP_COS)
        return ex_op(graph, node->op == IMP_OP_SUB ? IMP_OP_SIN : IMP_OP_COS, s,
                     NULL, NULL);
    s = node->op == IMP_OP_SUB ? ex_sub(graph, s, ex_num(graph, M_PI / 4))
                               : ex_add(graph, s, ex_num(graph, M_PI / 4));
    return ex_op(graph, IMP_OP_SIN, s, NULL, NULL);
}

static const expr *
root(struct graph *graph, const expr *left)
{
    const expr *scale, *s = square_of(graph, left, &scale);
    return s ? ex_mul(graph, ex_op(graph, IMP_OP_SQRT, scale, NULL, NULL),
                      ex_op(graph, IMP_OP_ABS, s, NULL, NULL))
             : raw(graph, IMP_OP_SQRT, left, NULL, NULL);
}

/* acos(cos(u)) and asin(sin(u)): u, folded at multiples of pi and at odd ones
 * of pi/2, where acos and asin have no derivative. */
static const expr *
folded(struct graph *graph, enum imp_op op, const expr *u)
{
    double period = op == IMP_OP_ACOS ? 2 * M_PI : M_PI;
    const expr *turns =
        ex_op(graph, IMP_OP_ROUND, ex_div(graph, u, ex_num(graph, period)),
              NULL, NULL);
    const expr *whole = ex_mul(graph, ex_num(graph, period), turns),
               *left = ex_sub(graph, u, whole);
    if (op == IMP_OP_ACOS)
        return ex_op(graph, IMP_OP_ABS, left, NULL, NULL);
    return ex_mul(graph, left, ex_op(graph, IMP_OP_COS, whole, NULL, NULL));
}

static const expr *
swap_ids(struct graph *graph, enum imp_op op, const expr *left,
         const expr *right)
{
    return left->id <= right->id ? raw(graph, op, left, right, NULL)
                                 : raw(graph, op, right, left, NULL);
}

const expr *
ex_op(struct graph *graph, enum imp_op op, const expr *left, const expr *right,
      const expr *third)
{
    assert(op < IMP_OP_COUNT);
    unsigned n = ex_arity(op);
    if (n < 2)
        right = NULL;
    if (n < 3)
        third = NULL;
    switch (op) {
    case IMP_OP_ADD:
        return ex_add(graph, left, right);
    case IMP_OP_SUB:
        return ex_sub(graph, left, right);
    case IMP_OP_NEG:
        return ex_neg(graph, left);
    case IMP_OP_MUL:
        return ex_mul(graph, left, right);
    case IMP_OP_DIV:
        return ex_div(graph, left, right);
    case IMP_OP_POW:
        return ex_pow(graph, left, right);
    case IMP_OP_ABSPOW:
        return ex_abspow(graph, left, right);
    case IMP_OP_SGNPOW:
        return ex_sgnpow(graph, left, right);
    default:
        break;
    }
    const expr *node = fold(graph, op, left, right, third);
    if (node)
        return node;
    switch (op) {
    case IMP_OP_SQRT:
        return root(graph, left);
    case IMP_OP_ACOS:
    case IMP_OP_ASIN:
        if (left->op == (op == IMP_OP_ACOS ? IMP_OP_COS : IMP_OP_SIN))
            return folded(graph, op, left->a);
        break;
    case IMP_OP_ABS:
        if (left->op == IMP_OP_ABS)
            return left;
        if (left->op == IMP_OP_NEG)
            return raw(graph, op, left->a, NULL, NULL);
        break;
    case IMP_OP_MIN:
    case IMP_OP_MAX:
        if (left == right)
            return left;
        break;
    case IMP_OP_SELECT:
        if (right == third)
            return right;
        if (ex_is_const(left))
            return left->num != 0 ? right : third;
        break;
    case IMP_OP_HYPOT:
    case IMP_OP_EQ:
    case IMP_OP_NE:
    case IMP_OP_AND:
    case IMP_OP_OR:
        return swap_ids(graph, op, left, right);
    default:
        break;
    }
    return raw(graph, op, left, right, third);
}
