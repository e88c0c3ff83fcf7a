/* SPDX-License-Identifier: MIT */
/* The reference evaluator, series: one sweep over the instructions per order,
 * implicit blocks included. docs/tape.md fixes the order of every addition.
 * Generated code returns the same bits (I6): change both or neither. */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/factors.h"
#include "runtime/tape/cancelled.h"
#include "runtime/tape/eval_priv.h"
#include "runtime/tape/functions.h"
#include "runtime/tape/series_plan.h"

/* largest implicit block whose matrix lies on the stack: closest points of two
 * bodies in space have 8 unknowns, joints as many as they have conditions */
#define UNKNOWN_STACK 16

enum rule {
    RULE_LEAF,
    RULE_LINEAR,
    RULE_CONV,
    RULE_DIV,
    RULE_CHAIN,
    RULE_HELPER,
    RULE_PICK,
    RULE_STEP
};
static const unsigned char rule_of[] = {
#define OP(name, word, arity, dim, series, guard, eval, deriv) RULE_##series,
#include "abi/ops.def"
};
static const unsigned char arity_of[] = {
#define OP(name, word, arity, dim, series, guard, eval, deriv) arity,
#include "abi/ops.def"
};

struct sweep {
    const imp_instr *code;
    const uint32_t *pool;
    const double *const *rows;
    double *work;
    double *reg; /* coefficient 0 of each register */
    double *cur; /* coefficient k; 0 for constants */
    double *del; /* its correction within the implicit block */
    const struct series_plan *plan;
    const struct series_step *step; /* of instructions with orders >= 1 */
    uint32_t n_step;
    struct series_step *left;       /* room for those that are left */
    const struct series_rest *rest; /* NULL: no variable rests */
    struct cancelled *cancelled;    /* NULL: no power is 0 */
};

static double *
row_of(const struct sweep *sweep, uint32_t r)
{
    assert(sweep->code[r].row != IMP_NO_ROW);
    return sweep->work + (size_t)sweep->code[r].row * IMP_ROW_STRIDE +
           IMP_ROW_PAD;
}

static int
varies(const imp_instr *in)
{
    return !(in->flags & (IMP_INSTR_CONST | IMP_INSTR_ORDER0));
}

static int
in_block(const struct sweep *sweep, uint32_t r)
{
    return (sweep->code[r].flags & IMP_INSTR_IMPLICIT) &&
           varies(&sweep->code[r]);
}

static void
store(double *row, int k, double c)
{
    assert(k >= 0 && k <= IMP_ORDER_MAX);
    row[k] = c;
    row[k + 1] = row[k + 2] = row[k + 3] = 0;
}

/* The operand whose series a PICK takes; *minus: with the opposite sign (abs
 * of a negative number). */
static uint32_t
picked(const struct sweep *sweep, const imp_instr *in, int *minus)
{
    const double *reg = sweep->reg;
    *minus = 0;
    switch (in->op) {
    case IMP_OP_ABS:
        *minus = reg[in->a] < 0;
        return in->a;
    case IMP_OP_MIN:
        return reg[in->b] < reg[in->a] ? in->b : in->a;
    case IMP_OP_MAX:
        return reg[in->a] < reg[in->b] ? in->b : in->a;
    default: /* SELECT */
        return reg[in->a] != 0.0 ? in->b : in->c;
    }
}

static double
helper(const struct sweep *sweep, const imp_instr *in, const double *y, int k)
{
    if (sweep->cancelled && sweep->cancelled->zero[in - sweep->code])
        return 0;
    const double *a = row_of(sweep, in->a);
    const double *b = arity_of[in->op] > 1 ? row_of(sweep, in->b) : a;
    return imp_series_op(in->op, a, b, y, k);
}

/* Returns the coefficient of this order (>= 1) of an instruction that has no
 * step of its own. */
static double
coefficient(const struct sweep *sweep, uint32_t number, int order)
{
    const imp_instr *in = &sweep->code[number];
    const double *cur = sweep->cur;
    switch ((enum rule)rule_of[in->op]) {
    case RULE_LEAF:
        return 0; /* UNKNOWN: found by the implicit block */
    case RULE_DIV:
        if (sweep->code[in->b].flags & IMP_INSTR_CONST)
            return cur[in->a] / sweep->reg[in->b];
        return (cur[in->a] -
                (inner_sum(row_of(sweep, in->b), row_of(sweep, number), order) +
                 cur[in->b] * sweep->reg[number])) /
               sweep->reg[in->b];
    case RULE_CHAIN:
        return chain_sum(row_of(sweep, in->a), row_of(sweep, in->c), order);
    case RULE_HELPER:
        return helper(sweep, in, row_of(sweep, number), order);
    case RULE_PICK: {
        int minus;
        double c = cur[picked(sweep, in, &minus)];
        return minus ? -c : c;
    }
    case RULE_LINEAR: /* these have steps of their own */
    case RULE_CONV:
    case RULE_STEP:
        break;
    }
    return 0;
}

/* Coefficient k of a variable of the state, which c would be if it moves. */
static double
unless_rest(const struct sweep *sweep, uint32_t number, int k, double c)
{
    const struct series_rest *rest = sweep->rest;
    uint32_t row = sweep->code[number].row;
    if (row == IMP_NO_ROW || !rest->row[row] || k > rest->order)
        return c;
    rest->left[(size_t)row * IMP_ROW_STRIDE + IMP_ROW_PAD + (size_t)k] = c;
    return 0.0;
}

/* Makes all steps of the sweep at this order. */
static __attribute__((noinline)) void
sweep_order(const struct sweep *sweep, int k)
{
    const struct series_step *step = sweep->step, *end = step + sweep->n_step;
    double *cur = sweep->cur, *work = sweep->work, c = 0.0,
           part = 1.0 / (double)k;
    const double *x, *y;
    for (; step < end; step++) {
        switch (step->kind) {
        case STEP_ROW:
            c = sweep->rows[step->a][step->x + (uint32_t)k];
            break;
        case STEP_TIME:
            c = k == 1 ? 1.0 : 0.0;
            break;
        case STEP_STATE:
            c = work[step->x + (uint32_t)k - 1] * part;
            if (sweep->rest)
                c = unless_rest(sweep, step->number, k, c);
            break;
        case STEP_ADD:
            c = cur[step->a] + cur[step->b];
            break;
        case STEP_SUB:
            c = cur[step->a] - cur[step->b];
            break;
        case STEP_NEG:
            c = -cur[step->a];
            break;
        case STEP_SCALE:
            c = sweep->reg[step->a] * cur[step->b];
            break;
        case STEP_MUL:
            x = work + step->x;
            y = work + step->y;
            c = inner_sum(x, y, k) + (x[0] * y[k] + x[k] * y[0]);
            break;
        case STEP_DOT:
            c = dot_coefficient(work, sweep->plan->pair + step->a, step->b, k);
            break;
        default:
            c = coefficient(sweep, step->number, k);
            break;
        }
        cur[step->number] = c;
        work[step->row + (uint32_t)k] = c;
    }
}

/* Returns a_0 db + da b_0, with only the terms whose operand is in the block;
 * *any: there is such a term. */
static double
product_change(const struct sweep *sweep, uint32_t a, uint32_t b, int *any)
{
    int ia = in_block(sweep, a), ib = in_block(sweep, b);
    *any = ia || ib;
    if (ia && ib)
        return sweep->reg[a] * sweep->del[b] + sweep->del[a] * sweep->reg[b];
    if (ib)
        return sweep->reg[a] * sweep->del[b];
    return ia ? sweep->del[a] * sweep->reg[b] : 0;
}

/* Returns the change of the coefficient of this order of an instruction when
 * its operands have changed. */
static double
change(const struct sweep *sweep, uint32_t number, int order)
{
    const imp_instr *in = &sweep->code[number];
    const double *del = sweep->del;
    int any, ia, ib;
    double sum = 0;
    switch ((enum rule)rule_of[in->op]) {
    case RULE_LINEAR:
        if (in->op == IMP_OP_NEG)
            return -del[in->a];
        ia = in_block(sweep, in->a);
        ib = in_block(sweep, in->b);
        if (in->op == IMP_OP_ADD)
            return ia && ib ? del[in->a] + del[in->b]
                   : ia     ? del[in->a]
                            : del[in->b];
        return ia && ib ? del[in->a] - del[in->b]
               : ia     ? del[in->a]
                        : -del[in->b];
    case RULE_CONV:
        if (in->op == IMP_OP_MUL)
            return product_change(sweep, in->a, in->b, &any);
        for (uint32_t p = 0; p < in->b; p++) {
            const uint32_t *q = sweep->pool + in->a + 3 * p;
            double d = product_change(sweep, q[1], q[2], &any);
            if (any)
                sum = q[0] ? sum - d : sum + d;
        }
        return sum;
    case RULE_DIV:
        ia = in_block(sweep, in->a);
        ib = in_block(sweep, in->b);
        if (ia && ib)
            return (del[in->a] - sweep->reg[number] * del[in->b]) /
                   sweep->reg[in->b];
        if (ia)
            return del[in->a] / sweep->reg[in->b];
        return -(sweep->reg[number] * del[in->b]) / sweep->reg[in->b];
    case RULE_CHAIN:
        return del[in->a] == 0 ? 0 : sweep->reg[in->c] * del[in->a];
    case RULE_PICK: {
        int minus;
        uint32_t p = picked(sweep, in, &minus);
        if (!in_block(sweep, p))
            return 0;
        return minus ? -del[p] : del[p];
    }
    case RULE_HELPER:
    case RULE_LEAF:
    case RULE_STEP:
        break;
    }
    (void)order;
    return 0;
}

/* matrix, right-hand side and pivots of the implicit block */
struct block {
    double *lu, *rhs;
    int *piv;
};

static void
solve_unknowns(const imp_image *im, const imp_tape *tape, struct sweep *sweep,
               int order, const struct block *bl)
{
    const uint32_t *unknown = IMP_ARRAY(im, tape->unknowns, uint32_t);
    const uint32_t *residual = IMP_ARRAY(im, tape->residual, uint32_t);
    uint32_t unknowns = tape->unknowns.n;
    double *right = bl->rhs;
    for (uint32_t number = 0; number < unknowns; number++)
        right[number] = -sweep->cur[residual[number]];
    if (tape->symmetric == IMP_JACOBIAN_SADDLE)
        imp_saddle_solve((int)unknowns, bl->lu, bl->piv, right);
    else if (tape->symmetric == IMP_JACOBIAN_SEMIDEFINITE)
        imp_ldlt_solve((int)unknowns, bl->lu, bl->piv, right);
    else if (tape->symmetric == IMP_JACOBIAN_RANK)
        imp_rank_solve((int)unknowns, bl->lu, bl->piv, right);
    else
        imp_lu_solve((int)unknowns, bl->lu, bl->piv, right);
    for (uint32_t number = 0; number < unknowns; number++) {
        uint32_t u = unknown[number];
        sweep->cur[u] = sweep->del[u] = right[number];
        store(row_of(sweep, u), order, right[number]);
    }
    for (uint32_t m = 0; m < sweep->plan->n_block; m++) {
        uint32_t number = sweep->plan->block[m];
        const imp_instr *in = &sweep->code[number];
        double delta;
        if (rule_of[in->op] == RULE_HELPER) {
            delta = helper(sweep, in, row_of(sweep, number), order);
            sweep->del[number] = delta - sweep->cur[number];
        } else {
            sweep->del[number] = change(sweep, number, order);
            delta = sweep->cur[number] + sweep->del[number];
        }
        sweep->cur[number] = delta;
        if (in->row != IMP_NO_ROW)
            store(row_of(sweep, number), order, delta);
    }
}

/* After end_rows, whose zeros may be read with the last coefficients. */
typedef double pair __attribute__((vector_size(16)));
static int
outputs_finite(const imp_image *im, const imp_tape *tape,
               const struct sweep *sweep, int order)
{
    const uint32_t *outs = IMP_ARRAY(im, tape->outs, uint32_t);
    pair any = {0.0, 0.0}; /* NaN, if one of them is not finite */
    for (uint32_t i = 0; i < tape->outs.n; i++) {
        const double *row = row_of(sweep, outs[i]);
        for (int k = 0; k <= order; k += 2) {
            pair c;
            memcpy(&c, row + k, sizeof c);
            any += 0.0 * c;
        }
    }
    return any[0] == 0.0 && any[1] == 0.0;
}

/* Begins the rows: coefficients below `from` stand. Those of an order are
 * written when it comes, and nobody reads them before. */
static void
begin_rows(struct sweep *sweep, int from, int order)
{
    const struct series_plan *plan = sweep->plan;
    size_t first = from > 0 ? (size_t)from : 1;
    for (uint32_t i = 0; i < plan->n_row && from == 0; i++)
        sweep->work[plan->row[i][1]] = sweep->reg[plan->row[i][0]];
    for (uint32_t i = 0; i < plan->n_fixed; i++)
        if (sweep->code[plan->fixed[i]].row != IMP_NO_ROW)
            memset(row_of(sweep, plan->fixed[i]) + first, 0,
                   sizeof(double) * ((size_t)order + 4 - first));
}

/* The entries behind the last coefficient of an output are 0. */
static void
end_rows(const imp_image *im, const imp_tape *tape, const struct sweep *sweep,
         int order)
{
    const uint32_t *outs = IMP_ARRAY(im, tape->outs, uint32_t);
    for (uint32_t i = 0; i < tape->outs.n; i++)
        memset(row_of(sweep, outs[i]) + order + 1, 0, 3 * sizeof(double));
}

/* -- what stands still ------------------------------------------------------
 *
 * Of long sums over a table most terms are constant for the whole series, or
 * lines. What has no coefficients from order 1 or 2 on is taken out of the
 * sweep there: the later ones are 0 or -0 as that one is, to the sign. `del`,
 * which is read of the block of unknowns alone, marks from which order on what
 * is outside has none. */

/* Shorter sweeps cost less than the look at what stands. */
#define STILL_LEAST 128

static bool
stands(const struct sweep *sweep, uint32_t r, int from)
{
    return !varies(&sweep->code[r]) ||
           (!in_block(sweep, r) && sweep->del[r] != 0 && sweep->del[r] <= from);
}

/* Does an instruction whose coefficient `from` (1 or 2) is 0 have none of
 * higher orders? Products of two lines end with order 2; what a quotient is
 * divided by, and the argument of a function, have to be constant. */
static bool
stands_on(const struct sweep *sweep, const imp_instr *in, int from)
{
    int minus;
    switch ((enum rule)rule_of[in->op]) {
    case RULE_LEAF:
        return in->op == IMP_OP_TIME && from > 1;
    case RULE_LINEAR:
        return stands(sweep, in->a, from) &&
               (in->op == IMP_OP_NEG || stands(sweep, in->b, from));
    case RULE_CONV:
        if (in->op != IMP_OP_DOT)
            return stands(sweep, in->a, from) && stands(sweep, in->b, from);
        for (uint32_t m = 0; m < in->b; m++) {
            const uint32_t *product = sweep->pool + in->a + 3 * m;
            if (!stands(sweep, product[1], from) ||
                !stands(sweep, product[2], from))
                return false;
        }
        return from == 1;
    case RULE_DIV:
        return stands(sweep, in->a, from) && stands(sweep, in->b, 1);
    case RULE_CHAIN:
        return stands(sweep, in->a, 1);
    case RULE_PICK:
        return stands(sweep, picked(sweep, in, &minus), from);
    case RULE_STEP:
        return true;
    case RULE_HELPER:
        break;
    }
    return false;
}

/* After this order. */
static void
leave_still(struct sweep *sweep, int from, int order)
{
    uint32_t n = 0;
    for (uint32_t m = 0; m < sweep->n_step; m++) {
        uint32_t i = sweep->step[m].number;
        if (sweep->cur[i] != 0 || in_block(sweep, i) ||
            !stands_on(sweep, &sweep->code[i], from)) {
            sweep->left[n++] = sweep->step[m];
            continue;
        }
        sweep->del[i] = from;
        if (sweep->code[i].row == IMP_NO_ROW)
            continue;
        double *row = row_of(sweep, i);
        for (int k = from + 1; k < order; k++)
            row[k] = sweep->cur[i];
        store(row, order, sweep->cur[i]);
    }
    sweep->step = sweep->left;
    sweep->n_step = n;
}

static int
run(const imp_image *im, const imp_tape *tape, struct sweep *sweep, int from,
    int order, const struct block *bl)
{
    uint32_t nu = tape->unknowns.n;
    begin_rows(sweep, from, order);
    if (nu) {
        const uint32_t *jac = IMP_ARRAY(im, tape->jacobian, uint32_t);
        for (uint32_t i = 0; i < nu * nu; i++)
            bl->lu[i] = sweep->reg[jac[i]];
        int bad = tape->symmetric == IMP_JACOBIAN_SADDLE
                      ? imp_saddle_factor((int)nu, bl->lu, bl->piv)
                  : tape->symmetric == IMP_JACOBIAN_SEMIDEFINITE
                      ? imp_ldlt_factor((int)nu, bl->lu, bl->piv)
                  : tape->symmetric == IMP_JACOBIAN_RANK
                      ? imp_rank_factor((int)nu, bl->lu, bl->piv)
                      : imp_lu_factor((int)nu, bl->lu, bl->piv);
        if (bad)
            return IMP_SINGULAR;
    }
    for (int k = from > 1 ? from : 1; k <= order; k++) {
        sweep_order(sweep, k);
        if (nu)
            solve_unknowns(im, tape, sweep, k, bl);
        if (sweep->cancelled &&
            !cancelled_keeps(sweep->cancelled, sweep->cur, k))
            return IMP_NONFINITE;
        if (k <= 2 && k < order && sweep->n_step >= STILL_LEAST)
            leave_still(sweep, k, order);
    }
    end_rows(im, tape, sweep, order);
    return outputs_finite(im, tape, sweep, order) ? IMP_OK : IMP_NONFINITE;
}

int
eval_series(const imp_image *im, const imp_tape *tape, const double *env,
            const double *local, const double *const *rows, double *work,
            int order)
{
    return eval_series_from(im, tape, env, local, rows, work, 0, order);
}

int
eval_series_from(const imp_image *im, const imp_tape *tape, const double *env,
                 const double *local, const double *const *rows, double *work,
                 int from, int order)
{
    struct series_plan plan;
    assert(im != NULL && tape != NULL);
    double *room = mem_alloc(series_plan_room(tape) * sizeof *room);
    series_plan_make(im, tape, &plan, room);
    int status = eval_series_planned(im, tape, &plan, env, local, rows, work,
                                     from, order);
    free(room);
    return status;
}

struct series_plan *
eval_series_plan(const imp_image *im, const imp_tape *tape, struct arena *arena)
{
    assert(im != NULL && tape != NULL && arena != NULL);
    struct series_plan *plan = NEW(arena, struct series_plan);
    series_plan_make(im, tape, plan,
                     NEW_N(arena, double, series_plan_room(tape)));
    return plan;
}

static int
planned(const imp_image *im, const imp_tape *tape,
        const struct series_plan *plan, const double *env, const double *local,
        const double *const *rows, double *work, int from, int order,
        const struct series_rest *rest, bool cancels)
{
    assert(from >= 0 && from <= order);
    assert(im != NULL && tape != NULL && plan != NULL && work != NULL);
    assert(tape->residual.n == tape->unknowns.n);
    assert(tape->jacobian.n == tape->unknowns.n * tape->unknowns.n);
    double stack[3 * EVAL_STACK], *numbers = stack;
    double few[UNKNOWN_STACK * (UNKNOWN_STACK + 1)];
    int pivots[UNKNOWN_STACK];
    struct series_step steps[STILL_LEAST];
    size_t n_instr = tape->code.n, nu = tape->unknowns.n;
    struct block bl = {few, NULL, pivots};
    if (order > IMP_ORDER_MAX || order < 0)
        return IMP_FAILED;
    size_t n_v = n_instr > EVAL_STACK ? 3 * n_instr : 0;
    size_t n_lu = nu > UNKNOWN_STACK ? nu * (nu + 1) : 0;
    size_t n_cancel = cancels ? cancelled_room(n_instr) : 0,
           n_numbers = n_v + n_lu + n_cancel;
    size_t n_left = plan->n > STILL_LEAST ? plan->n : 0;
    char *heap = NULL;
    if (n_numbers + n_left)
        heap = mem_alloc(n_numbers * sizeof *numbers + n_left * sizeof *steps +
                         (nu + 1) * sizeof(int));
    if (n_v)
        numbers = (double *)(void *)heap;
    if (n_lu) {
        bl.lu = (double *)(void *)heap + n_v;
        bl.piv = (int *)(void *)(heap + n_numbers * sizeof *numbers +
                                 n_left * sizeof *steps);
    }
    bl.rhs = bl.lu + nu * nu;
    struct sweep sweep = {
        .code = IMP_ARRAY(im, tape->code, imp_instr),
        .pool = IMP_ARRAY(im, tape->pool, uint32_t),
        .rows = rows,
        .work = work,
        .reg = numbers,
        .cur = numbers + n_instr,
        .del = numbers + 2 * n_instr,
        .plan = plan,
        .step = plan->step,
        .n_step = plan->n,
        .rest = rest,
        .left = n_left ? (void *)(heap + n_numbers * sizeof *numbers) : steps};
    struct cancelled cancelled;
    memset(sweep.cur, 0,
           (plan->n_block || plan->n >= STILL_LEAST ? 2 : 1) * n_instr *
               sizeof *numbers);
    if (from > 0 && plan->plain)
        eval_registers_of(im, tape, plan->fixed, plan->n_fixed, env, local,
                          sweep.reg);
    else
        eval_registers(im, tape, env, local, rows, sweep.reg);
    int status = IMP_OK;
    if (cancels) {
        double *room = (double *)(void *)heap + n_v + n_lu;
        if (cancelled_find(im, tape, sweep.reg, room, &cancelled))
            eval_registers_but(im, tape, cancelled.zero, env, local, rows,
                               sweep.reg);
        else
            status = IMP_NONFINITE;
        sweep.cancelled = &cancelled;
    }
    if (!status)
        status = run(im, tape, &sweep, from, order, &bl);
    free(heap);
    return status;
}

int
eval_series_planned(const imp_image *im, const imp_tape *tape,
                    const struct series_plan *plan, const double *env,
                    const double *local, const double *const *rows,
                    double *work, int from, int order)
{
    return planned(im, tape, plan, env, local, rows, work, from, order, NULL,
                   false);
}

int
eval_series_resting(const imp_image *im, const imp_tape *tape,
                    const struct series_plan *plan, const double *env,
                    const double *local, const double *const *rows,
                    double *work, int order, const struct series_rest *rest)
{
    assert(rest != NULL);
    return planned(im, tape, plan, env, local, rows, work, 0, order, rest,
                   false);
}

int
eval_series_cancelled(const imp_image *im, const imp_tape *tape,
                      const struct series_plan *plan, const double *env,
                      const double *local, const double *const *rows,
                      double *work, int order)
{
    return planned(im, tape, plan, env, local, rows, work, 0, order, NULL,
                   true);
}
