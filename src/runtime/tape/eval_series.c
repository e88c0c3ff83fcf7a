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
#include "runtime/tape/eval_priv.h"
#include "runtime/tape/functions.h"

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
    double *reg;              /* coefficient 0 of each register */
    double *cur;              /* coefficient k; 0 for constants */
    double *del;              /* its correction within the implicit block */
    uint32_t *vary, n_vary;   /* instructions with orders >= 1 */
    uint32_t *block, n_block; /* those in the block but its unknowns */
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

/* Four lanes as two pairs of doubles, which compilers keep in registers. */
typedef double pair __attribute__((vector_size(16)));
typedef long long pair_mask __attribute__((vector_size(16)));
struct lanes {
    pair lo, hi;
};

static inline pair
load(const double *p)
{
    pair v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline pair
swapped(pair v)
{
    return (pair){v[1], v[0]};
}

/* Returns v, entry 0 of index j and entry 1 of index j + 1, with that of index
 * k set to 0. */
static inline pair
without(pair v, int j, int k)
{
    pair_mask at = {j, j + 1}, gone = {k, k};
    return (pair)((pair_mask)v & (at != gone));
}

/* Returns the terms j .. j + 3 of a_j b_{k-j}, where a_k counts as 0. */
static inline struct lanes
four_terms(const double *a, const double *b, int j, int k)
{
    pair x = load(a + j), y = load(a + j + 2);
    if (j + 3 >= k) {
        x = without(x, j, k);
        y = without(y, j + 2, k);
    }
    return (struct lanes){x * swapped(load(b + k - j - 1)),
                          y * swapped(load(b + k - j - 3))};
}

static inline double
lanes_sum(struct lanes l)
{
    pair s = l.lo + l.hi;
    return s[0] + s[1];
}

/* Returns coefficient k of a sum of +- products: inner terms j = 1 .. k - 1 in
 * four lanes, then the outer ones, which alone need coefficients k. */
static double
convolve(const struct sweep *sweep, const uint32_t *pool, uint32_t n_pair,
         int k)
{
    struct lanes lane = {{0, 0}, {0, 0}};
    double ends = 0;
    for (int j = 1; j == 1 || j < k; j += 4) {
        struct lanes sum = {{0, 0}, {0, 0}};
        for (uint32_t m = 0; m < n_pair; m++) {
            const uint32_t *product = pool + 3 * m;
            struct lanes sums = four_terms(row_of(sweep, product[1]),
                                           row_of(sweep, product[2]), j, k);
            if (m == 0) {
                sum.lo = product[0] ? -sums.lo : sums.lo;
                sum.hi = product[0] ? -sums.hi : sums.hi;
            } else if (product[0]) {
                sum.lo -= sums.lo;
                sum.hi -= sums.hi;
            } else {
                sum.lo += sums.lo;
                sum.hi += sums.hi;
            }
        }
        lane.lo += sum.lo;
        lane.hi += sum.hi;
    }
    for (uint32_t m = 0; m < n_pair; m++) {
        const uint32_t *product = pool + 3 * m;
        double e = sweep->reg[product[1]] * sweep->cur[product[2]] +
                   sweep->cur[product[1]] * sweep->reg[product[2]];
        ends = m == 0       ? (product[0] ? -e : e)
               : product[0] ? ends - e
                            : ends + e;
    }
    return lanes_sum(lane) + ends;
}

/* Returns the sum over j = 1 .. k - 1 of a_j b_{k-j}. */
static inline double
inner_sum(const double *a, const double *b, int k)
{
    struct lanes lane = {{0, 0}, {0, 0}};
    for (int j = 1; j == 1 || j < k; j += 4) {
        struct lanes p = four_terms(a, b, j, k);
        lane.lo += p.lo;
        lane.hi += p.hi;
    }
    return lanes_sum(lane);
}

/* What does not move has no derivatives, although w may be infinite: the root
 * of a force that is 0 on this side of its branch. */
static double
chain_sum(const double *u, const double *w, int k)
{
    double s = 0, x = 1; /* x = j */
    for (int j = 1; j <= k; j++, x += 1)
        s += u[j] == 0 ? 0 : (x * u[j]) * w[k - j];
    return s / (double)k;
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
    const double *a = row_of(sweep, in->a);
    const double *b = arity_of[in->op] > 1 ? row_of(sweep, in->b) : a;
    return imp_series_op(in->op, a, b, y, k);
}

/* Returns the coefficient of this order (>= 1) of an instruction. */
static double
coefficient(const struct sweep *sweep, uint32_t number, int order)
{
    const imp_instr *in = &sweep->code[number];
    const double *cur = sweep->cur;
    switch ((enum rule)rule_of[in->op]) {
    case RULE_LEAF:
        if (in->op == IMP_OP_TIME)
            return order == 1 ? 1.0 : 0.0;
        if (in->op == IMP_OP_ROW)
            return sweep->rows[in->a][(size_t)in->b * IMP_ROW_STRIDE +
                                      IMP_ROW_PAD + (size_t)order];
        if (in->op == IMP_OP_STATE)
            return row_of(sweep, in->b)[order - 1] * (1.0 / (double)order);
        return 0; /* UNKNOWN: found by the implicit block */
    case RULE_LINEAR:
        if (in->op == IMP_OP_ADD)
            return cur[in->a] + cur[in->b];
        if (in->op == IMP_OP_SUB)
            return cur[in->a] - cur[in->b];
        return -cur[in->a];
    case RULE_CONV:
        if (in->op == IMP_OP_DOT)
            return convolve(sweep, sweep->pool + in->a, in->b, order);
        if (sweep->code[in->a].flags & IMP_INSTR_CONST)
            return sweep->reg[in->a] * cur[in->b];
        if (sweep->code[in->b].flags & IMP_INSTR_CONST)
            return sweep->reg[in->b] * cur[in->a];
        return inner_sum(row_of(sweep, in->a), row_of(sweep, in->b), order) +
               (sweep->reg[in->a] * cur[in->b] +
                cur[in->a] * sweep->reg[in->b]);
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
    case RULE_STEP:
        break;
    }
    return 0;
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

static int
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
    for (uint32_t m = 0; m < sweep->n_block; m++) {
        uint32_t number = sweep->block[m];
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
    return 0;
}

static int
outputs_finite(const imp_image *im, const imp_tape *tape,
               const struct sweep *sweep, int order)
{
    const uint32_t *outs = IMP_ARRAY(im, tape->outs, uint32_t);
    for (uint32_t i = 0; i < tape->outs.n; i++) {
        const double *row = row_of(sweep, outs[i]);
        for (int k = 0; k <= order; k++)
            if (!isfinite(row[k]))
                return 0;
    }
    return 1;
}

/* Begins the rows: coefficients below `from` stand, those right behind are 0.
 */
static void
begin_rows(const imp_tape *tape, struct sweep *sweep, int from, int order)
{
    for (uint32_t i = 0; i < tape->code.n; i++) {
        if (sweep->code[i].row == IMP_NO_ROW)
            continue;
        double *row = row_of(sweep, i);
        if (sweep->code[i].flags & IMP_INSTR_CONST) {
            store(row, 0, sweep->reg[i]);
            memset(row + 1, 0, sizeof *row * (size_t)(order + 3));
        } else if (from > 0) {
            store(row, from - 1, row[from - 1]);
        } else {
            store(row, 0, sweep->reg[i]);
        }
    }
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
    for (uint32_t m = 0; m < sweep->n_vary; m++) {
        uint32_t i = sweep->vary[m];
        if (sweep->cur[i] != 0 || in_block(sweep, i) ||
            !stands_on(sweep, &sweep->code[i], from)) {
            sweep->vary[n++] = i;
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
    sweep->n_vary = n;
}

static int
run(const imp_image *im, const imp_tape *tape, struct sweep *sweep, int from,
    int order, const struct block *bl)
{
    uint32_t nu = tape->unknowns.n;
    begin_rows(tape, sweep, from, order);
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
        for (uint32_t m = 0; m < sweep->n_vary; m++) {
            uint32_t i = sweep->vary[m];
            double c = coefficient(sweep, i, k);
            sweep->cur[i] = c;
            if (sweep->code[i].row != IMP_NO_ROW)
                store(row_of(sweep, i), k, c);
        }
        if (nu)
            solve_unknowns(im, tape, sweep, k, bl);
        if (k <= 2 && k < order && sweep->n_vary >= STILL_LEAST)
            leave_still(sweep, k, order);
    }
    return outputs_finite(im, tape, sweep, order) ? IMP_OK : IMP_NONFINITE;
}

static void
list(struct sweep *sweep, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!varies(&sweep->code[i]))
            continue;
        sweep->vary[sweep->n_vary++] = i;
        if (in_block(sweep, i) && sweep->code[i].op != IMP_OP_UNKNOWN)
            sweep->block[sweep->n_block++] = i;
    }
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
    assert(from >= 0 && from <= order);
    assert(im != NULL && tape != NULL && work != NULL);
    assert(tape->residual.n == tape->unknowns.n);
    assert(tape->jacobian.n == tape->unknowns.n * tape->unknowns.n);
    double stack[4 * EVAL_STACK],
        *numbers = stack; /* The last quarter of the array holds the numbers. */
    double few[UNKNOWN_STACK * (UNKNOWN_STACK + 1)];
    int pivots[UNKNOWN_STACK];
    size_t n_instr = tape->code.n, nu = tape->unknowns.n;
    struct block bl = {few, NULL, pivots};
    if (order > IMP_ORDER_MAX || order < 0)
        return IMP_FAILED;
    size_t n_v = n_instr > EVAL_STACK ? 4 * n_instr : 0;
    size_t n_lu = nu > UNKNOWN_STACK ? nu * (nu + 1) : 0;
    double *heap = NULL;
    if (n_v + n_lu)
        heap =
            mem_alloc((n_v + n_lu) * sizeof *numbers + (nu + 1) * sizeof(int));
    if (n_v)
        numbers = heap;
    if (n_lu) {
        bl.lu = heap + n_v;
        bl.piv = (int *)(bl.lu + n_lu);
    }
    bl.rhs = bl.lu + nu * nu;
    struct sweep sweep = {IMP_ARRAY(im, tape->code, imp_instr),
                          IMP_ARRAY(im, tape->pool, uint32_t),
                          rows,
                          work,
                          numbers,
                          numbers + n_instr,
                          numbers + 2 * n_instr,
                          (uint32_t *)(numbers + 3 * n_instr),
                          0,
                          (uint32_t *)(numbers + 3 * n_instr) + n_instr,
                          0};
    list(&sweep, tape->code.n);
    memset(sweep.cur, 0, 2 * n_instr * sizeof *numbers);
    eval_registers(im, tape, env, local, rows, sweep.reg);
    int status = run(im, tape, &sweep, from, order, &bl);
    free(heap);
    return status;
}
