/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where series say nothing about what comes, though no branch is written:
 * growth, and ends of domains (growth_add_ends).
 *
 * Functions that grow by orders of magnitude within one step, from what is
 * below all rounding: the first terms of their series do not show it, and a
 * barrier exp(-x^2), a wall x^40 or a core r^-12 would be passed without a
 * trace. So a step ends where the logarithm of the function has changed by
 * GROWTH_STEP: up to there the last terms of order 20 bound those that are left
 * out, as these shrink by 8/20 and more. Below exp(-GROWTH_LEAST) = 1e-52
 * nothing is looked at. tanh comes to its ends as exp(-2 |u|), erf as
 * exp(-u^2).
 *
 * Powers. Products of equal factors are counted together, since x^40 is a chain
 * of products. A positive power of up to 20 has all its terms in the series.
 * Negative ones have a pole, which the series does not see while they are below
 * rounding: no step may come near it. Low ones grow so slowly that they are
 * seen long before, unless lengths differ by 1e5 and more. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "mechanics/formula/switching_priv.h"

#define GROWTH_STEP 8.0
#define GROWTH_LEAST 120.0
/* Ends at 0, where symmetric motions turn, would be touched, not passed. */
#define GROWTH_BESIDE 0.3

void
growth_add(struct guards *found, const expr *formula)
{
    assert(found && formula);
    struct graph *graph = found->mech->graph;
    const expr *u = formula->a, *level;
    double step = GROWTH_STEP, low = -GROWTH_LEAST, high = INFINITY;
    switch ((enum imp_op)formula->op) {
    case IMP_OP_EXP:
    case IMP_OP_EXPM1:
        break;
    case IMP_OP_EXP2:
        u = sc_mul(graph, u, ex_num(graph, log(2.0)));
        break;
    case IMP_OP_SINH:
    case IMP_OP_COSH:
        low = -INFINITY;
        break;
    case IMP_OP_ERF:
    case IMP_OP_ERFC:
        u = ex_neg(graph, ex_mul(graph, u, u));
        break;
    case IMP_OP_TANH:
        step = GROWTH_STEP / 2.0;
        high = GROWTH_LEAST / 2.0;
        low = -high;
        break;
    default:
        return;
    }
    if (!formula_moves(found->mech, u))
        return;
    level = u;
    if (isfinite(low)) {
        guards_add(found, formula, IMP_GUARD_GROWTH_SIGN,
                   sc_sub(graph, u, ex_num(graph, low)));
        level = ex_op(graph, IMP_OP_MAX, level, ex_num(graph, low), NULL);
    }
    if (isfinite(high)) {
        guards_add(found, formula, IMP_GUARD_GROWTH_SIGN,
                   sc_sub(graph, u, ex_num(graph, high)));
        level = ex_op(graph, IMP_OP_MIN, level, ex_num(graph, high), NULL);
    }
    guards_add(found, formula, IMP_GUARD_GROWTH_WHOLE,
               sc_add(graph, ex_div(graph, level, ex_num(graph, step)),
                      ex_num(graph, GROWTH_BESIDE)));
}

/* -- ends of domains ------------------------------------------------------- */

/* how deep sums and products are looked into for their sign */
#define SIGN_DEPTH 16

/* Is the formula above 0 wherever it is, by its form alone? *zero: it may also
 * be 0. */
static bool
is_positive(const expr *formula, int depth, bool *zero)
{
    bool one = false, two = false;
    *zero = false;
    if (depth == 0)
        return false;
    switch ((enum imp_op)formula->op) {
    case IMP_OP_CONST:
        *zero = formula->num == 0.0;
        return formula->num >= 0.0;
    case IMP_OP_EXP:
    case IMP_OP_COSH:
        return true;
    case IMP_OP_ABS:
    case IMP_OP_SQRT:
        *zero = true;
        return true;
    case IMP_OP_MUL:
        *zero = true;
        if (formula->a == formula->b)
            return true;
        if (!is_positive(formula->a, depth - 1, &one) ||
            !is_positive(formula->b, depth - 1, &two))
            return false;
        *zero = one || two;
        return true;
    case IMP_OP_ADD:
        if (!is_positive(formula->a, depth - 1, &one) ||
            !is_positive(formula->b, depth - 1, &two))
            return false;
        *zero = one && two;
        return true;
    default:
        return false;
    }
}

/* u' = -u^p, with p between 0 and 1, comes to 0 as (t_end - t)^(1/(1 - p)), and
 * its series may go on from there, up again: a step ends where u^(1 - p) does.
 */
static void
add_stop(struct guards *found, const expr *power)
{
    struct graph *graph = found->mech->graph;
    const expr *one = ex_num(graph, 1.0), *less = ex_sub(graph, one, power->b);
    if (formula_moves(found->mech, power->b) ||
        !formula_moves(found->mech, power->a) ||
        (ex_is_const(less) && !(less->num > 0.0 && less->num < 1.0)))
        return;
    /* a power that is none of these touches 0 and goes on */
    const expr *is = ex_op(graph, IMP_OP_LT, power->b, one, NULL);
    less = ex_op(graph, IMP_OP_SELECT, is, less, ex_num(graph, 2.0));
    guards_add(found, power, IMP_GUARD_GROWTH_SIGN,
               ex_op(graph, IMP_OP_ABSPOW, power->a, less, NULL));
}

/* A root of what touches 0 without passing it, as r = sqrt(x^2 + y^2) on a line
 * through the centre, is |s|: its series goes on below 0. The same holds for
 * odd powers of such roots, for angles that turn back at the end of the range
 * of acos and asin, and at the cut of atan2, where the angle jumps. There the
 * series of the function itself tells the side: a branch changes where `level`
 * passes 0. */
void
growth_add_ends(struct guards *found, const expr *formula)
{
    assert(found && formula);
    struct graph *graph = found->mech->graph;
    const expr *level = formula;
    bool zero;
    switch ((enum imp_op)formula->op) {
    case IMP_OP_SQRT:
        if (is_positive(formula->a, SIGN_DEPTH, &zero) && !zero)
            return;
        break;
    case IMP_OP_POW:
        add_stop(found, formula);
        if ((ex_is_const(formula->b) &&
             fmod(fabs(2.0 * formula->b->num), 2.0) != 1.0) ||
            !is_positive(formula->a, SIGN_DEPTH, &zero) || !zero)
            return;
        break;
    case IMP_OP_SGNPOW:
        add_stop(found, formula);
        return;
    case IMP_OP_HYPOT:
        break;
    case IMP_OP_ACOS:
        level = ex_op(graph, IMP_OP_SIN, formula, NULL, NULL);
        break;
    case IMP_OP_ASIN:
        level = ex_op(graph, IMP_OP_COS, formula, NULL, NULL);
        break;
    case IMP_OP_ATAN2:
        level = ex_op(graph, IMP_OP_COS,
                      ex_mul(graph, formula, ex_num(graph, 0.5)), NULL, NULL);
        break;
    default:
        return;
    }
    if (!formula_moves(found->mech, formula))
        return;
    guards_add(found, formula, IMP_GUARD_END, level);
    if (formula->op == IMP_OP_ATAN2) /* through the centre it jumps by pi */
        guards_add(found, formula, IMP_GUARD_END,
                   ex_op(graph, IMP_OP_HYPOT, formula->a, formula->b, NULL));
}

/* -- powers ---------------------------------------------------------------- */

/* The greatest power whose terms a series of order 20 has, and the least
 * negative power, in lengths, whose pole is looked at. */
#define POWER_SEEN 20.0
#define POWER_POLE (-4.0)
/* A step may come half the way to the pole. */
#define POWER_STEP 0.69

/* What a node is: a power of another one, times a constant. */
struct power {
    const expr *base; /* NULL: it does not move */
    double exponent;
    double degree; /* of the node as a polynomial of the coordinates, or what
                      that would be */
    /* of a base: the extremes of its exponents, and who has them */
    double least, most;
    const expr *from;
};

/* n nodes in the order of their numbers, and what they are */
struct powers {
    const expr *const *node;
    struct power *power;
    size_t n;
};

static struct power *
power_at(const struct powers *all, const expr *node)
{
    size_t low = 0, high = all->n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (all->node[middle]->id <= node->id)
            low = middle;
        else
            high = middle;
    }
    assert(all->node[low] == node);
    return &all->power[low];
}

static void
note(const struct powers *all, const struct power *of, double exponent,
     const expr *from)
{
    if (!of->base)
        return;
    struct power *base = power_at(all, of->base);
    if (exponent < base->least || exponent > base->most)
        base->from = from;
    base->least = fmin(base->least, exponent);
    base->most = fmax(base->most, exponent);
}

/* The product of one power and another one, whose exponent counts `sign`
 * times. False: it is no power. */
static bool
product(struct power *out, const struct power *one, const struct power *two,
        double sign)
{
    if (one->base && two->base && one->base != two->base)
        return false;
    out->base = one->base ? one->base : two->base;
    out->exponent = (one->base ? one->exponent : 0.0) +
                    (two->base ? sign * two->exponent : 0.0);
    return true;
}

static void
read_power(const struct powers *all, const expr *node, struct power *out)
{
    const struct power *a = node->a ? power_at(all, node->a) : NULL,
                       *b = node->b ? power_at(all, node->b) : NULL,
                       *c = node->c ? power_at(all, node->c) : NULL;
    double root = 0.0, degree = 0.0;
    bool is_power = false;
    const struct power *const below[3] = {a, b, c};
    bool any = node->op == IMP_OP_ENV &&
               (node->sym == SYM_STATE || node->sym == SYM_TIME ||
                node->sym == SYM_UNKNOWN || node->sym == SYM_ROW);
    degree = any;
    for (int i = 0; i < 3; i++)
        if (below[i] && below[i]->base) {
            any = true;
            degree = fmax(degree, below[i]->degree);
        }
    out->base = NULL;
    out->degree = 0.0;
    if (!any)
        return;
    switch ((enum imp_op)node->op) {
    case IMP_OP_NEG:
    case IMP_OP_ABS:
        root = 1.0;
        break;
    case IMP_OP_SQRT:
        root = 0.5;
        break;
    case IMP_OP_CBRT:
        root = 1.0 / 3.0;
        break;
    case IMP_OP_POW:
    case IMP_OP_ABSPOW:
    case IMP_OP_SGNPOW:
        root = ex_is_const(node->b) ? node->b->num : 0.0;
        break;
    case IMP_OP_ADD: /* of equal powers, as in derivatives */
    case IMP_OP_SUB:
        is_power = a->base && a->base == b->base && a->exponent == b->exponent;
        out->exponent = a->exponent;
        out->base = a->base;
        break;
    case IMP_OP_MUL:
        is_power = product(out, a, b, 1.0);
        degree = a->degree + b->degree;
        break;
    case IMP_OP_DIV:
        note(all, b, -b->exponent, node);
        is_power = product(out, a, b, -1.0);
        degree = a->degree + b->degree;
        break;
    default:
        degree = 1.0;
        break;
    }
    if (root != 0.0 && a->base) {
        is_power = true;
        out->base = a->base;
        out->exponent = root * a->exponent;
        degree = root * a->degree;
    }
    out->degree = fabs(degree);
    if (!is_power) {
        out->base = node;
        out->exponent = 1.0;
    }
    note(all, out, out->exponent, node);
}

/* A step ends where |u|^exponent has grown, or comes nearer to its pole. The
 * exponent may be a formula of params, which grows where it is outside of POLE
 * .. POWER_SEEN. */
static void
add_power(struct guards *found, const expr *from, const expr *u,
          const expr *exponent, double pole)
{
    struct graph *graph = found->mech->graph;
    const expr *high = ex_op(graph, IMP_OP_LT, ex_num(graph, POWER_SEEN),
                             exponent, NULL),
               *low =
                   ex_op(graph, IMP_OP_LE, exponent, ex_num(graph, pole), NULL),
               *grows = ex_op(graph, IMP_OP_OR, high, low, NULL);
    const expr *end = ex_op(
        graph, IMP_OP_EXP,
        ex_div(graph, ex_num(graph, -GROWTH_LEAST),
               ex_op(graph, IMP_OP_SELECT, grows, exponent, ex_num(graph, 1))),
        NULL, NULL);
    const expr *step =
        ex_op(graph, IMP_OP_SELECT, high, ex_num(graph, GROWTH_STEP),
              ex_op(graph, IMP_OP_MIN, ex_num(graph, GROWTH_STEP),
                    ex_mul(graph, ex_num(graph, -POWER_STEP), exponent), NULL));
    const expr *size = ex_op(graph, IMP_OP_ABS, u, NULL, NULL),
               *kept = ex_op(graph, IMP_OP_SELECT, high,
                             ex_op(graph, IMP_OP_MAX, size, end, NULL),
                             ex_op(graph, IMP_OP_MIN, size, end, NULL));
    const expr *level = ex_mul(graph, ex_div(graph, exponent, step),
                               ex_op(graph, IMP_OP_LOG, kept, NULL, NULL));
    const expr *never = ex_num(graph, 1.0);
    guards_add(
        found, from, IMP_GUARD_GROWTH_SIGN,
        ex_op(graph, IMP_OP_SELECT, grows, ex_sub(graph, u, end), never));
    guards_add(
        found, from, IMP_GUARD_GROWTH_SIGN,
        ex_op(graph, IMP_OP_SELECT, grows, ex_add(graph, u, end), never));
    guards_add(
        found, from, IMP_GUARD_GROWTH_WHOLE,
        ex_add(graph,
               ex_op(graph, IMP_OP_SELECT, grows, level, ex_num(graph, 0.0)),
               ex_num(graph, GROWTH_BESIDE)));
}

static int
by_number(const void *one, const void *two)
{
    uint32_t a = (*(const expr *const *)one)->id,
             b = (*(const expr *const *)two)->id;
    return (a > b) - (a < b);
}

void
growth_add_powers(struct guards *found, const expr **node, size_t n)
{
    assert(found && (node || n == 0));
    /* operands have lower numbers */
    qsort(node, n, sizeof *node, by_number);
    struct powers all = {node, NEW_N(found->mech->arena, struct power, n + 1),
                         n};
    for (size_t i = 0; i < n; i++)
        read_power(&all, node[i], &all.power[i]);
    for (size_t i = 0; i < n; i++) {
        const struct power *base = &all.power[i];
        if (base->base != node[i])
            continue;
        double pole = POWER_POLE / fmax(base->degree, 1.0);
        struct graph *graph = found->mech->graph;
        if (base->most > POWER_SEEN)
            add_power(found, base->from, node[i], ex_num(graph, base->most),
                      pole);
        if (base->least <= pole)
            add_power(found, base->from, node[i], ex_num(graph, base->least),
                      pole);
    }
    for (size_t i = 0; i < n; i++) {
        const expr *u = node[i]->a, *exponent = node[i]->b;
        if ((node[i]->op == IMP_OP_POW || node[i]->op == IMP_OP_ABSPOW ||
             node[i]->op == IMP_OP_SGNPOW) &&
            !ex_is_const(exponent) && !power_at(&all, exponent)->base &&
            power_at(&all, u)->base)
            add_power(found, node[i], u, exponent,
                      POWER_POLE / fmax(power_at(&all, u)->degree, 1.0));
    }
}
