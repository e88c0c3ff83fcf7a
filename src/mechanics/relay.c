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
#include "mechanics/relay_priv.h"

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
    if (number == IMP_NO_GUARD || !is_driven(relays, level) ||
        relays_is_rough(relays, level))
        return;
    uint32_t i = relays_of_level(relays, level, &negative);
    relays->too_many |= i == IMP_RELAYS_MAX;
    if (relays->too_many)
        return;
    if (i == relays->n) {
        relays->disc[relays->n] = IMP_NO_DISC;
        relays->frame[relays->n] = IMP_NO_FRAME;
        relays->formula[relays->n] = level;
        relays->u[relays->n++] = level;
        relays->number[2 * i + 1] = IMP_NO_GUARD;
        negative = false;
    }
    relays->number[2 * i + negative] = number;
}

/* -- equations ------------------------------------------------------------- */

struct relay_equations {
    const struct relays *of;
    const expr **free;   /* the rates without shares */
    const expr **push;   /* n x n_state: D */
    const expr **r, **K; /* rates of u */
    const expr **share;  /* solved */
    const expr **rate;   /* with these */
    /* of bodies with joints: the unknowns of these, then the shares; residuals
     * and Jacobian */
    uint32_t n_unknown;
    const expr **residual;
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
                          relays_given_rate(relays, relays->u[i]))
                 : sum;
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
            const expr *slope =
                ex_diff(graph, rate[k], relays_share(relays, i));
            if (relays_has_shares(relays, slope))
                return false;
            eq->push[i * n_state + k] = slope;
        }
        eq->free[k] = ex_subst(graph, rate[k], no_share, (void *)relays);
    }
    for (size_t k = n_state; k < relays->n_rate; k++)
        for (uint32_t i = 0; i < n; i++)
            if (relays_has_shares(
                    relays, ex_diff(graph, rate[k], relays_share(relays, i))))
                return false;
    for (uint32_t i = 0; i < n; i++) {
        eq->r[i] = rate_along(relays, i, eq->free, true);
        for (uint32_t j = 0; j < n; j++)
            eq->K[i * n + j] =
                rate_along(relays, i, eq->push + j * n_state, false);
    }
    return true;
}

static bool
is_jointed(const struct relays *relays)
{
    return relays->bodies && relays->bodies->n_unknown > 0;
}

/* One leaf of the state, and what it is where u of a relay is 0. */
struct leaf_at_zero {
    const expr *leaf, *value;
};

static const expr *
at_zero(void *ctx, const expr *leaf)
{
    const struct leaf_at_zero *zero = ctx;
    return leaf == zero->leaf ? zero->value : NULL;
}

/* The expression where u of relay i is 0, if u is linear in a leaf of the state
 * by a number; else as it is. */
static const expr *
where_zero(const struct relays *relays, uint32_t i, const expr *node)
{
    struct graph *graph = relays->mech->graph;
    for (size_t k = 0; k < relays->n_state; k++) {
        const expr *slope = ex_diff(graph, relays->u[i], relays->leaf[k]);
        if (slope->op != IMP_OP_CONST || slope->num == 0.0)
            continue;
        struct leaf_at_zero zero = {relays->leaf[k], ex_num(graph, 0.0)};
        const expr *rest = ex_subst(graph, relays->u[i], at_zero, &zero);
        zero.value = ex_div(graph, ex_neg(graph, rest), slope);
        return ex_subst(graph, node, at_zero, &zero);
    }
    return node;
}

/* Does nothing jump at relay i? A damper that differs between both directions
 * does not, nor do powers of u. */
static bool
is_smooth(const struct relay_equations *eq, uint32_t i)
{
    const struct relays *relays = eq->of;
    const expr *share = relays_share(relays, i);
    if (!is_jointed(relays))
        return ex_is_num(where_zero(relays, i, eq->K[i * relays->n + i]), 0.0);
    for (size_t k = 0; k < relays->n_rate; k++)
        if (ex_depends(relays->mech->graph, relays->in_shares[k], SYM_LOCAL,
                       share->i, UINT32_MAX))
            return false;
    return true;
}

/* Leaves out relays at which nothing jumps, and the discs of these; false:
 * there are none. */
static bool
leave_out_smooth(const struct relay_equations *eq, struct relays *relays)
{
    uint32_t n = relays->n, left = 0, to[IMP_RELAYS_MAX];
    bool smooth[IMP_RELAYS_MAX];
    for (uint32_t i = 0; i < n; i++)
        smooth[i] = is_smooth(eq, i);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            smooth[i] |= smooth[j] && relays->disc[i] != IMP_NO_DISC &&
                         relays->disc[i] == relays->disc[j];
    for (uint32_t i = 0; i < n; i++) {
        if (smooth[i])
            continue;
        to[i] = left;
        relays->u[left] = relays->u[i];
        relays->formula[left] = relays->formula[i];
        relays->frame[left] = relays->frame[i];
        relays->disc[left] =
            relays->disc[i] == IMP_NO_DISC ? IMP_NO_DISC : to[relays->disc[i]];
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
                     relays_side_told(relays, i, side_row(relays, i)));
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

/* Do the forces that hold relay i reach the rate of variable k? */
static bool
reaches(const struct relays *relays, uint32_t i, size_t k)
{
    if (!is_jointed(relays))
        return !ex_is_num(relays->push[i * relays->n_state + k], 0.0);
    return ex_depends(relays->mech->graph, relays->in_shares[k], SYM_UNKNOWN,
                      UINT32_MAX, UINT32_MAX);
}

/* While relay i is held, the rate of one variable follows from those of others,
 * so that u' is 0 to the bit; of a disc in the frame of its formula. Others
 * that are read so are fixed. */
static void
hold_exactly(const struct relays *relays, uint32_t i, const expr *held,
             const expr **rate, bool *fixed)
{
    struct mech *mech = relays->mech;
    struct graph *graph = mech->graph;
    size_t n_state = relays->n_state, at = n_state;
    const expr **slope = NEW_N(mech->arena, const expr *, n_state);
    held = relays_held_alone(relays, i, held);
    for (size_t k = 0; k < n_state; k++) {
        slope[k] = ex_diff(graph, relays->formula[i], relays->leaf[k]);
        if (at == n_state && ex_is_const(slope[k]) &&
            !ex_is_num(slope[k], 0.0) && !fixed[k] && reaches(relays, i, k))
            at = k;
    }
    if (at == n_state)
        return;
    const expr *sum = relays_given_rate(relays, relays->formula[i]);
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

/* -- bodies with joints ---------------------------------------------------- */

/* Where the modes of relays stand: rows of a series, or locals behind the
 * unknowns. */
struct modes {
    const expr *held[IMP_RELAYS_MAX], *side[IMP_RELAYS_MAX],
        *share[IMP_RELAYS_MAX];
};

static struct modes
modes_of(const struct relays *relays, bool series)
{
    struct graph *graph = relays->mech->graph;
    struct modes modes;
    uint32_t n = relays->n, first = relays->bodies->n_unknown;
    for (uint32_t i = 0; i < n; i++) {
        modes.share[i] = ex_sym(graph, SYM_UNKNOWN, first + i, 0);
        modes.held[i] = series ? held_row(relays, i)
                               : ex_sym(graph, SYM_LOCAL, first + n + i, 0);
        modes.side[i] = relays_side_told(
            relays, i,
            series ? side_row(relays, i)
                   : ex_sym(graph, SYM_LOCAL, first + 2 * n + i, 0));
    }
    return modes;
}

/* The conditions of the joints, then of relays: their rate, or what the share
 * lacks to the side; and the Jacobian. Sets the rates of the state. */
static void
jointed_equations(struct relay_equations *eq, bool series)
{
    const struct relays *relays = eq->of;
    const struct relay_bodies *bodies = relays->bodies;
    struct graph *graph = relays->mech->graph;
    uint32_t n_unknown = eq->n_unknown = bodies->n_unknown + relays->n;
    struct modes modes = modes_of(relays, series);
    const expr **in = NEW_N(relays->mech->arena, const expr *, relays->n_rate),
               **residual = eq->residual =
                   NEW_N(relays->mech->arena, const expr *,
                         (size_t)n_unknown *(n_unknown + 1)),
               **jacobian = residual + n_unknown,
               *const *pushed = series ? bodies->pushed : bodies->pushed_now;
    const expr **conditions = in + relays->n_state;
    relays_rates(relays, modes.share, modes.side, in);
    for (size_t k = 0; k < relays->n_state; k++)
        eq->rate[k] = sc_add(graph, in[k], pushed[k]);
    for (uint32_t i = 0; i < bodies->n_unknown; i++)
        residual[i] = conditions[series ? i : bodies->n_unknown + i];
    for (uint32_t i = 0; i < relays->n; i++) {
        eq->share[i] = modes.share[i];
        residual[bodies->n_unknown + i] =
            ex_op(graph, IMP_OP_SELECT, modes.held[i],
                  rate_along(relays, i, eq->rate, true),
                  sc_sub(graph, modes.share[i], modes.side[i]));
    }
    for (uint32_t i = 0; i < n_unknown; i++)
        for (uint32_t j = 0; j < n_unknown; j++)
            jacobian[i * n_unknown + j] =
                ex_diff(graph, residual[i], ex_sym(graph, SYM_UNKNOWN, j, 0));
    if (series)
        relays_hold(relays, modes.held, eq->rate);
}

/* -- tapes ----------------------------------------------------------------- */

static const expr *
no_unknown(void *ctx, const expr *leaf)
{
    const struct mech *mech = ctx;
    return leaf->sym == SYM_UNKNOWN ? ex_num(mech->graph, 0.0) : NULL;
}

/* The tape of one instant, before the pushes of contacts are added. */
static void
now_tape(const struct relay_equations *eq, const char *name, imp_relays *out)
{
    const struct relays *relays = eq->of;
    struct mech *mech = relays->mech;
    size_t n = relays->n, n_state = relays->n_state, told = 0;
    bool jointed = is_jointed(relays); /* then solve_tape tells more */
    const expr *zero = ex_num(mech->graph, 0.0);
    const expr **outs =
        NEW_N(mech->arena, const expr *, n *(IMP_RELAY_TOLD + n + 2 * n_state));
    for (size_t i = 0; i < n; i++) {
        outs[told++] = relays->u[i];
        outs[told++] = formula_rounding(mech, relays->u[i]);
        outs[told++] = jointed ? zero : eq->r[i];
        outs[told++] = formula_rounding(
            mech, jointed ? ex_subst(mech->graph, eq->r[i], no_unknown, mech)
                          : eq->r[i]);
    }
    for (size_t i = 0; i < n * n; i++)
        outs[told++] = jointed ? zero : eq->K[i];
    for (size_t i = 0; i < n * n_state; i++)
        outs[told++] = jointed ? zero : eq->push[i];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_state; k++)
            outs[told++] = ex_diff(mech->graph, relays->u[i], relays->leaf[k]);
    for (size_t i = 0; i < told; i++)
        outs[i] = relays_in_locals(relays, outs[i]);
    out->now =
        mech_eval_tape(mech, arena_printf(mech->arena, "%s relays now", name),
                       IMP_RELAYS_MAX + 3 * relays->n_felt, outs, told);
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
    struct tape_spec spec = {
        .name = arena_printf(mech->arena, "%s relays", name),
        .outs = outs,
        .n_outs = n_out,
        .states = relays->leaf,
        .rates = eq->rate,
        .n_states = n_state,
        .n_local = eq->n_unknown,
        .residual = eq->residual,
        .jacobian = eq->n_unknown ? eq->residual + eq->n_unknown : NULL,
        .n_unknown = eq->n_unknown,
        .symmetric = IMP_JACOBIAN_RANK};
    out->tape = mech_series_tape(mech, spec, rows);
    out->rows = image_array(mech->image, rows, n_out, sizeof *rows);
}

/* The tape of the unknowns of an instant, of bodies with joints. */
static void
solve_tape(struct relay_equations *eq, const char *name, imp_relays *out)
{
    struct mech *mech = eq->of->mech;
    jointed_equations(eq, false);
    out->solve =
        mech_eval_tape(mech, arena_printf(mech->arena, "%s relays solve", name),
                       eq->n_unknown + 2 * eq->of->n, eq->residual,
                       (size_t)eq->n_unknown * (eq->n_unknown + 1));
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

/* Finds the relays of the rates and takes these apart; false: there are none,
 * or rates are not linear in their shares. discs: with discs; are there any? */
static bool
find_all(struct relays *relays, bool *discs, struct relay_equations *eq)
{
    struct mech *mech = relays->mech;
    uint32_t n_unknown = relays->bodies ? relays->bodies->n_unknown : 0;
    relays->n = 0;
    relays->too_many = false;
    for (size_t k = 0; k < relays->n_rate && relays->n_guard > 0; k++)
        ex_nodes(mech->graph, relays->rate[k], find, relays);
    uint32_t alone = relays->n;
    if (*discs && !relays->too_many)
        relays_find_discs(relays, is_driven);
    *discs = relays->n > alone;
    do {
        if (relays->n == 0 || relays->too_many ||
            n_unknown + relays->n > IMP_UNKNOWN_MAX)
            return false;
        *eq = equations_new(relays);
        relays_in_shares(relays, relays->in_shares);
        if (!take_apart(eq, relays->in_shares))
            return false;
    } while (leave_out_smooth(eq, relays));
    return true;
}

const struct relays *
relays_build(struct mech *mech, imp_block *block, const char *name,
             const struct guard_levels *guards, const expr *const *leaf,
             const expr *const *rate, size_t n,
             const struct relay_bodies *bodies)
{
    assert(mech && block && name && guards && (leaf || !n) && (rate || !n));
    size_t n_rate = n + (bodies ? 2 * (size_t)bodies->n_unknown : 0);
    struct relays *relays = NEW(mech->arena, struct relays);
    *relays = (struct relays){.mech = mech,
                              .leaf = leaf,
                              .n_state = n,
                              .n_rate = n_rate,
                              .bodies = bodies,
                              .level = guards->u,
                              .guard = guards->guard,
                              .n_guard = guards->n,
                              .n_felt = guards->n_felt};
    relays->rate = NEW_N(mech->arena, const expr *, n_rate + 1);
    memcpy(relays->rate, rate, n * sizeof *rate);
    for (size_t k = n; k < n_rate; k++)
        relays->rate[k] = bodies->conditions[k - n];
    relays->in_shares = NEW_N(mech->arena, const expr *, n_rate + 1);
    struct relay_equations eq;
    bool discs = true;
    while (!find_all(relays, &discs, &eq)) {
        if (!discs)
            return NULL;
        discs = false;
    }
    relays->push = eq.push;
    relays->out = (imp_relays){.n = relays->n,
                               .n_state = (uint32_t)n,
                               .modal = IMP_NO_TAPE,
                               .solve = IMP_NO_TAPE};
    now_tape(&eq, name, &relays->out);
    if (is_jointed(relays)) {
        solve_tape(&eq, name, &relays->out);
        jointed_equations(&eq, true);
    } else {
        add_pushes(&eq);
        solve(&eq);
        join(&eq, relays->in_shares);
    }
    series_tape(&eq, name, &relays->out);
    relays->out.guards =
        image_array(mech->image, relays->number, 2 * (size_t)relays->n,
                    sizeof *relays->number);
    relays->out.discs =
        image_array(mech->image, relays->disc, relays->n, sizeof *relays->disc);
    relays->out.frames = image_array(mech->image, relays->frame, relays->n,
                                     sizeof *relays->frame);
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
    for (size_t k = 0; k < relays->n_rate; k++)
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
