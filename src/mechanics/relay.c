/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relays (abi/relays.h): the rates of a block in which sign(u) and comparisons
 * with 0 stand as shares s, the value of which is free where u = 0. Rates must
 * be linear in them:
 *   x' = f + sum D_i s_i,   u_i' = r_i + sum K_ij s_j.
 * Where relays are held, their shares solve u' = 0. What depends on the side of
 * u without a jump, as abs(u), goes by the side. */
#include "abi/relays.h"

#include <assert.h>
#include <string.h>

#include "mechanics/mech_priv.h"

struct relays {
    struct mech *mech;
    const expr *const *leaf, **rate; /* of the state */
    size_t n_state;
    const struct relay_bodies *bodies; /* NULL: a system */
    const expr *const *level;          /* the guards of the block */
    const imp_guard *guard;
    size_t n_guard;
    const expr *u[IMP_RELAYS_MAX];
    uint32_t n, number[2 * IMP_RELAYS_MAX];
    bool too_many;
    const expr **to; /* per node: what it has become */
    uint32_t top;
    const expr **in_shares; /* the rates */
    const expr **push;      /* n x n_state: what the shares add to them */
    imp_relays out;
};

/* The side of relay i, and its share, while formulas are made. */
static const expr *
side_of(const struct relays *relays, uint32_t i)
{
    return ex_sym(relays->mech->graph, SYM_LOCAL, i, 0);
}

static const expr *
share_of(const struct relays *relays, uint32_t i)
{
    return ex_sym(relays->mech->graph, SYM_LOCAL, IMP_RELAYS_MAX + i, 0);
}

/* -- which there are ------------------------------------------------------- */

static uint32_t
guard_number(const struct relays *relays, const expr *level)
{
    for (size_t i = 0; i < relays->n_guard; i++)
        if (relays->level[i] == level &&
            relays->guard[i].kind == IMP_GUARD_SIGN && !relays->guard[i].gap)
            return (uint32_t)i;
    return IMP_NO_GUARD;
}

/* The relay of this switching function, *negative: of its negative; n: none. */
static uint32_t
relay_of(const struct relays *relays, const expr *level, bool *negative)
{
    const expr *other = ex_neg(relays->mech->graph, level);
    for (uint32_t i = 0; i < relays->n; i++) {
        *negative = relays->u[i] == other;
        if (relays->u[i] == level || *negative)
            return i;
    }
    return relays->n;
}

/* Do forces reach the rate of this function directly? */
static bool
is_driven(const struct relays *relays, const expr *level)
{
    struct graph *graph = relays->mech->graph;
    for (size_t i = 0; i < relays->n_state; i++) {
        bool constant = relays->rate[i]->op == IMP_OP_ENV &&
                        relays->rate[i]->sym == SYM_STATE;
        if (!constant &&
            ex_depends(graph, level, SYM_STATE, relays->leaf[i]->i, UINT32_MAX))
            return true;
    }
    return false;
}

static void
find(void *ctx, const expr *node)
{
    struct relays *relays = ctx;
    if (node->op != IMP_OP_SIGN && node->op != IMP_OP_LT &&
        node->op != IMP_OP_LE && node->op != IMP_OP_ABS)
        return;
    bool negative;
    const expr *level = ex_branch(relays->mech->graph, node);
    uint32_t number = guard_number(relays, level);
    if (number == IMP_NO_GUARD || !is_driven(relays, level))
        return;
    uint32_t i = relay_of(relays, level, &negative);
    relays->too_many |= i == IMP_RELAYS_MAX;
    if (relays->too_many)
        return;
    if (i == relays->n) {
        relays->u[relays->n++] = level;
        relays->number[2 * i + 1] = IMP_NO_GUARD;
        negative = false;
    }
    relays->number[2 * i + negative] = number;
}

/* -- formulas in shares ---------------------------------------------------- */

/* a/u, where u is a factor of a; NULL: it is none. */
static const expr *
without(struct graph *graph, const expr *a, const expr *u)
{
    if (a == u)
        return ex_num(graph, 1.0);
    if (a->op == IMP_OP_NEG) {
        const expr *rest = without(graph, a->a, u);
        return rest ? ex_neg(graph, rest) : NULL;
    }
    if (a->op != IMP_OP_MUL && a->op != IMP_OP_DIV)
        return NULL;
    const expr *rest = without(graph, a->a, u);
    if (rest)
        return ex_op(graph, (enum imp_op)a->op, rest, a->b, NULL);
    rest = a->op == IMP_OP_MUL ? without(graph, a->b, u) : NULL;
    return rest ? ex_mul(graph, a->a, rest) : NULL;
}

/* What a node that branches at relay i becomes; b, d: its operands now. */
static const expr *
at_relay(const struct relays *relays, const expr *node, uint32_t i,
         bool negative, const expr *a, const expr *b)
{
    struct graph *graph = relays->mech->graph;
    const expr *share = share_of(relays, i), *side = side_of(relays, i),
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

static bool
has_shares(const struct relays *relays, const expr *node)
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
    uint32_t i = level ? relay_of(relays, level, &negative) : relays->n;
    const expr *new =
        i < relays->n ? at_relay(relays, node, i, negative, a, b) : NULL;
    if (new)
        return new;
    if (node->op == IMP_OP_DIV && node->b->op == IMP_OP_ABS &&
        (i = relay_of(relays, node->b->a, &negative)) < relays->n) {
        const expr *rest = without(graph, node->a, node->b->a);
        if (rest && node->a->id < relays->top) {
            const expr *share = share_of(relays, i);
            return ex_mul(graph, rest, negative ? ex_neg(graph, share) : share);
        }
    }
    if (a == node->a && b == node->b && c == node->c)
        return node;
    if (has_shares(relays, a) || (b && has_shares(relays, b)))
        switch ((enum imp_op)node->op) {
        case IMP_OP_SELECT:
            if (has_shares(relays, a))
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

/* -- equations ------------------------------------------------------------- */

struct relay_equations {
    const struct relays *of;
    const expr **free;   /* the rates without shares */
    const expr **push;   /* n x n_state: D */
    const expr **r, **K; /* rates of u */
    const expr **share;  /* solved */
    const expr **rate;   /* with these */
};

/* The rate of u_i, where these are the rates of the state. */
static const expr *
rate_along(const struct relays *relays, uint32_t i, const expr *const *rate,
           bool clock)
{
    struct mech *mech = relays->mech;
    const expr *sum = ex_diff_along(mech->graph, relays->u[i], relays->leaf,
                                    rate, relays->n_state);
    return clock ? ex_add(mech->graph, sum,
                          ex_diff(mech->graph, relays->u[i], sym_time(mech)))
                 : sum;
}

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
    struct at_side at = {graph, share_of(relays, i), 1.0};
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

static const expr *
no_share(void *ctx, const expr *leaf)
{
    const struct relays *relays = ctx;
    return leaf->sym == SYM_LOCAL && leaf->i >= IMP_RELAYS_MAX
               ? ex_num(relays->mech->graph, 0.0)
               : NULL;
}

/* What closed contacts add to the free rates. */
static void
add_pushes(struct relay_equations *eq)
{
    const struct relays *relays = eq->of;
    struct graph *graph = relays->mech->graph;
    for (size_t k = 0; relays->bodies && k < relays->n_state; k++)
        eq->free[k] = sc_add(graph, eq->free[k], relays->bodies->pushed[k]);
    for (uint32_t i = 0; relays->bodies && i < relays->n; i++)
        eq->r[i] = rate_along(relays, i, eq->free, true);
}

/* Takes the rates apart; false: they are not linear in the shares. */
static bool
take_apart(struct relay_equations *eq, const expr *const *rate)
{
    const struct relays *relays = eq->of;
    struct graph *graph = relays->mech->graph;
    uint32_t n = relays->n;
    size_t n_state = relays->n_state;
    for (size_t k = 0; k < n_state; k++) {
        for (uint32_t i = 0; i < n; i++) {
            const expr *slope = ex_diff(graph, rate[k], share_of(relays, i));
            if (has_shares(relays, slope))
                return false;
            eq->push[i * n_state + k] = slope;
        }
        eq->free[k] = ex_subst(graph, rate[k], no_share, (void *)relays);
    }
    for (uint32_t i = 0; i < n; i++) {
        eq->r[i] = rate_along(relays, i, eq->free, true);
        for (uint32_t j = 0; j < n; j++)
            eq->K[i * n + j] =
                rate_along(relays, i, eq->push + j * n_state, false);
    }
    return true;
}

/* Leaves out relays at which nothing jumps; false: there are none. */
static bool
leave_out_smooth(const struct relay_equations *eq, struct relays *relays)
{
    uint32_t n = relays->n, left = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (ex_is_num(eq->K[i * n + i], 0.0))
            continue;
        relays->u[left] = relays->u[i];
        relays->number[2 * left] = relays->number[2 * i];
        relays->number[2 * left + 1] = relays->number[2 * i + 1];
        left++;
    }
    relays->n = left;
    return left < n;
}

static const expr *
held_row(const struct relays *relays, uint32_t i)
{
    return ex_sym(relays->mech->graph, SYM_ROW, IMP_RELAY_MODES, i);
}

static const expr *
side_row(const struct relays *relays, uint32_t i)
{
    return ex_sym(relays->mech->graph, SYM_ROW, IMP_RELAY_MODES, relays->n + i);
}

/* Solves K s = -r in the rows of relays that are held, s = side in others. */
static void
solve(struct relay_equations *eq)
{
    const struct relays *relays = eq->of;
    struct graph *graph = relays->mech->graph;
    uint32_t n = relays->n;
    const expr **A = NEW_N(relays->mech->arena, const expr *, n *n),
               **s = eq->share;
    for (uint32_t i = 0; i < n; i++) {
        const expr *held = held_row(relays, i);
        for (uint32_t j = 0; j < n; j++) {
            const expr *other = ex_num(graph, i == j), *k = eq->K[i * n + j];
            A[i * n + j] = i != j && ex_is_num(k, 0.0)
                               ? k
                               : ex_op(graph, IMP_OP_SELECT, held, k, other);
        }
        s[i] = ex_op(graph, IMP_OP_SELECT, held, ex_neg(graph, eq->r[i]),
                     side_row(relays, i));
    }
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t i = p + 1; i < n; i++) {
            if (ex_is_num(A[i * n + p], 0.0))
                continue;
            const expr *by = ex_div(graph, A[i * n + p], A[p * n + p]);
            for (uint32_t j = p + 1; j < n; j++)
                A[i * n + j] = sc_sub(graph, A[i * n + j],
                                      sc_mul(graph, by, A[p * n + j]));
            s[i] = sc_sub(graph, s[i], sc_mul(graph, by, s[p]));
        }
    for (uint32_t p = n; p-- > 0;) {
        for (uint32_t j = p + 1; j < n; j++)
            s[p] = sc_sub(graph, s[p], sc_mul(graph, A[p * n + j], s[j]));
        s[p] = ex_div(graph, s[p], A[p * n + p]);
    }
}

/* While relay i is held, the rate of one variable follows from those of others,
 * so that u' is 0 to the bit. Others that are read so are fixed. */
static void
hold_exactly(const struct relays *relays, uint32_t i, const expr *held,
             const expr **rate, bool *fixed)
{
    struct mech *mech = relays->mech;
    struct graph *graph = mech->graph;
    size_t n_state = relays->n_state, at = n_state;
    const expr **slope = NEW_N(mech->arena, const expr *, n_state);
    for (size_t k = 0; k < n_state; k++) {
        slope[k] = ex_diff(graph, relays->u[i], relays->leaf[k]);
        if (at == n_state && ex_is_const(slope[k]) &&
            !ex_is_num(slope[k], 0.0) && !fixed[k] &&
            !ex_is_num(relays->push[i * n_state + k], 0.0))
            at = k;
    }
    if (at == n_state)
        return;
    const expr *sum = ex_diff(graph, relays->u[i], sym_time(mech));
    for (size_t k = 0; k < n_state; k++) {
        if (ex_is_num(slope[k], 0.0))
            continue;
        fixed[k] = true;
        if (k != at)
            sum = sc_add(graph, sum, sc_mul(graph, slope[k], rate[k]));
    }
    rate[at] = ex_op(graph, IMP_OP_SELECT, held,
                     ex_neg(graph, ex_div(graph, sum, slope[at])), rate[at]);
}

static const expr *
series_leaf(void *ctx, const expr *leaf)
{
    const struct relay_equations *eq = ctx;
    if (leaf->sym != SYM_LOCAL)
        return NULL;
    return leaf->i < IMP_RELAYS_MAX ? side_row(eq->of, leaf->i)
                                    : eq->share[leaf->i - IMP_RELAYS_MAX];
}

/* The rates with the shares that hold. */
static void
join(struct relay_equations *eq, const expr *const *rate)
{
    const struct relays *relays = eq->of;
    struct graph *graph = relays->mech->graph;
    bool *fixed = NEW_N(relays->mech->arena, bool, relays->n_state);
    for (uint32_t i = 0; i < relays->n; i++)
        eq->share[i] = ex_subst(graph, eq->share[i], series_leaf, eq);
    for (size_t k = 0; k < relays->n_state; k++)
        eq->rate[k] = ex_subst(graph, rate[k], series_leaf, eq);
    for (size_t k = 0; relays->bodies && k < relays->n_state; k++)
        eq->rate[k] = sc_add(graph, eq->rate[k], relays->bodies->pushed[k]);
    for (uint32_t i = 0; i < relays->n; i++)
        hold_exactly(relays, i, held_row(relays, i), eq->rate, fixed);
}

/* -- tapes ----------------------------------------------------------------- */

/* The tape of one instant, before the pushes of contacts are added. */
static void
now_tape(const struct relay_equations *eq, const char *name, imp_relays *out)
{
    const struct relays *relays = eq->of;
    struct mech *mech = relays->mech;
    size_t n = relays->n, n_state = relays->n_state, told = 0;
    const expr **outs =
        NEW_N(mech->arena, const expr *, n *(IMP_RELAY_TOLD + n + 2 * n_state));
    for (size_t i = 0; i < n; i++) {
        outs[told++] = relays->u[i];
        outs[told++] = formula_rounding(mech, relays->u[i]);
        outs[told++] = eq->r[i];
        outs[told++] = formula_rounding(mech, eq->r[i]);
    }
    for (size_t i = 0; i < n * n; i++)
        outs[told++] = eq->K[i];
    for (size_t i = 0; i < n * n_state; i++)
        outs[told++] = eq->push[i];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_state; k++)
            outs[told++] = ex_diff(mech->graph, relays->u[i], relays->leaf[k]);
    out->now =
        mech_eval_tape(mech, arena_printf(mech->arena, "%s relays now", name),
                       IMP_RELAYS_MAX, outs, told);
}

static void
series_tape(const struct relay_equations *eq, const char *name, imp_relays *out)
{
    const struct relays *relays = eq->of;
    struct mech *mech = relays->mech;
    size_t n = relays->n, n_state = relays->n_state,
           n_more = relays->bodies ? relays->bodies->n_more : 0,
           n_out = n_state + 2 * n + n_more;
    const expr **outs = NEW_N(mech->arena, const expr *, n_out);
    uint32_t *rows = NEW_N(mech->arena, uint32_t, n_out);
    for (size_t k = 0; k < n_state; k++)
        outs[k] = relays->leaf[k];
    for (size_t i = 0; i < n; i++) {
        outs[n_state + i] = eq->share[i];
        outs[n_state + n + i] = relays->u[i];
    }
    for (size_t i = 0; i < n_more; i++)
        outs[n_state + 2 * n + i] = relays->bodies->more[i];
    struct tape_spec spec = {.name =
                                 arena_printf(mech->arena, "%s relays", name),
                             .outs = outs,
                             .n_outs = n_out,
                             .states = relays->leaf,
                             .rates = eq->rate,
                             .n_states = n_state};
    out->tape = mech_series_tape(mech, spec, rows);
    out->rows = image_array(mech->image, rows, n_out, sizeof *rows);
}

static struct relay_equations
equations_new(const struct relays *relays)
{
    struct arena *arena = relays->mech->arena;
    size_t n = relays->n, n_state = relays->n_state;
    return (struct relay_equations){
        .of = relays,
        .free = NEW_N(arena, const expr *, n_state),
        .push = NEW_N(arena, const expr *, n *n_state),
        .r = NEW_N(arena, const expr *, n),
        .K = NEW_N(arena, const expr *, n *n),
        .share = NEW_N(arena, const expr *, n),
        .rate = NEW_N(arena, const expr *, n_state)};
}

static void
rates_in_shares(struct relays *relays, const expr **out)
{
    struct mech *mech = relays->mech;
    relays->top = graph_size(mech->graph);
    relays->to = NEW_N(mech->arena, const expr *, relays->top + 1);
    for (size_t k = 0; k < relays->n_state; k++) {
        ex_nodes(mech->graph, relays->rate[k], rebuild, relays);
        out[k] = relays->to[relays->rate[k]->id];
        for (uint32_t i = 0; i < relays->n; i++)
            out[k] = straight(relays, i, out[k]);
    }
}

const struct relays *
relays_build(struct mech *mech, imp_block *block, const char *name,
             const struct guard_levels *guards, const expr *const *leaf,
             const expr *const *rate, size_t n,
             const struct relay_bodies *bodies)
{
    assert(mech && block && name && guards && (leaf || !n) && (rate || !n));
    struct relays *relays = NEW(mech->arena, struct relays);
    *relays = (struct relays){.mech = mech,
                              .leaf = leaf,
                              .rate = NEW_N(mech->arena, const expr *, n + 1),
                              .n_state = n,
                              .bodies = bodies,
                              .level = guards->u,
                              .guard = guards->guard,
                              .n_guard = guards->n};
    memcpy(relays->rate, rate, n * sizeof *rate);
    for (size_t k = 0; k < n && guards->n > 0; k++)
        ex_nodes(mech->graph, rate[k], find, relays);
    relays->in_shares = NEW_N(mech->arena, const expr *, n + 1);
    struct relay_equations eq;
    do {
        if (relays->n == 0 || relays->too_many)
            return NULL;
        eq = equations_new(relays);
        rates_in_shares(relays, relays->in_shares);
        if (!take_apart(&eq, relays->in_shares))
            return NULL;
    } while (leave_out_smooth(&eq, relays));
    relays->push = eq.push;
    relays->out = (imp_relays){.n = relays->n,
                               .n_state = (uint32_t)n,
                               .modal = IMP_NO_TAPE,
                               .solve = IMP_NO_TAPE};
    now_tape(&eq, name, &relays->out);
    add_pushes(&eq);
    solve(&eq);
    join(&eq, relays->in_shares);
    series_tape(&eq, name, &relays->out);
    relays->out.guards =
        image_array(mech->image, relays->number, 2 * (size_t)relays->n,
                    sizeof *relays->number);
    block->relays =
        image_array(mech->image, &relays->out, 1, sizeof relays->out);
    return relays;
}

/* -- beside closed contacts ------------------------------------------------ */

uint32_t
relays_count(const struct relays *relays)
{
    return relays ? relays->n : 0;
}

const expr *
relays_level(const struct relays *relays, uint32_t i)
{
    assert(relays && i < relays->n);
    return relays->u[i];
}

struct given {
    const expr *const *share, *const *side;
};

static const expr *
given_leaf(void *ctx, const expr *leaf)
{
    const struct given *given = ctx;
    if (leaf->sym != SYM_LOCAL)
        return NULL;
    return leaf->i < IMP_RELAYS_MAX ? given->side[leaf->i]
                                    : given->share[leaf->i - IMP_RELAYS_MAX];
}

void
relays_rates(const struct relays *relays, const expr *const *share,
             const expr *const *side, const expr **rate)
{
    assert(relays && share && side && rate);
    struct given given = {share, side};
    for (size_t k = 0; k < relays->n_state; k++)
        rate[k] = ex_subst(relays->mech->graph, relays->in_shares[k],
                           given_leaf, &given);
}

const expr *
relays_level_rate(const struct relays *relays, uint32_t i,
                  const expr *const *rate)
{
    assert(relays && i < relays->n && rate);
    return rate_along(relays, i, rate, true);
}

void
relays_hold(const struct relays *relays, const expr *const *held,
            const expr **rate)
{
    assert(relays && held && rate);
    bool *fixed = NEW_N(relays->mech->arena, bool, relays->n_state);
    for (uint32_t i = 0; i < relays->n; i++)
        hold_exactly(relays, i, held[i], rate, fixed);
}

void
relays_modal(const struct relays *relays, imp_block *block, uint32_t modal,
             uint32_t solve, imp_ref rows)
{
    assert(relays && block);
    imp_relays out = relays->out;
    out.modal = modal;
    out.solve = solve;
    out.modal_rows = rows;
    block->relays = image_array(relays->mech->image, &out, 1, sizeof out);
}
