/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series functions: all rows of a tape up to an order, as loops over the
 * order, so that the size of the code does not depend on it.
 *
 * needs: a checked tape with series rules. The function is
 *
 *     order 0, straight-line
 *     implicit block: gather J, factor it        -> IMP_SINGULAR
 *     for k = 1 .. order
 *         coefficient k of every register that varies
 *         implicit block: d = -J^-1 F_k, corrections
 *     every coefficient of every output finite?  -> IMP_NONFINITE
 *
 * Tapes of more than GEN_CHUNK operations are cut into parts, each with one
 * function for order 0, one for order k, one for corrections. */
#include "codegen/series_priv.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

/* The number of IR operations of one instruction at orders 0 and k, estimated.
 */
static uint32_t
weight(const struct sv *series, const imp_instr *in)
{
    const imp_instr *code = series->code;

    if (!sv_varies(in))
        return gen_is_leaf(in) ? 1 : 2;
    if (in->op == IMP_OP_DOT)
        return 6u + 4u * in->b;
    switch (gen_ops[in->op].rule) {
    case SER_CONV:
        return sv_varies(code + in->a) && sv_varies(code + in->b) ? 10u : 3u;
    case SER_DIV:
        return sv_varies(code + in->b) ? 12u : 3u;
    case SER_CHAIN:
    case SER_HELPER:
        return 16;
    default:
        return 3;
    }
}

/* Finds which rows must be in work: those of outputs, and those that CHAIN and
 * HELPER read. Between parts values travel through rows, so with several parts
 * all rows must be there. */
static void
plan_rows(struct sv *series)
{
    const uint32_t *outs = IMP_ARRAY(series->g->im, series->t->outs, uint32_t);

    for (uint32_t reg = 0; reg < series->t->code.n; reg++) {
        const imp_instr *in = series->code + reg;
        enum gen_rule rule = gen_ops[in->op].rule;
        if (series->n_parts > 1)
            series->stored[reg] = true;
        if (!sv_varies(in) || (rule != SER_CHAIN && rule != SER_HELPER))
            continue;
        series->stored[in->a] = true;
        if (rule == SER_CHAIN)
            series->stored[in->c] = true;
        if (rule == SER_HELPER)
            series->stored[reg] = series->stored[in->b] = true;
    }
    for (uint32_t o = 0; o < series->t->outs.n; o++)
        series->stored[outs[o]] = true;
}

/* Cuts the tape into parts of about GEN_CHUNK operations, and gives scratch
 * entries to values that have no row. */
static void
plan(struct sv *series)
{
    uint32_t n_code = series->t->code.n, sum = 0;

    for (uint32_t i = 0; i < n_code; i++) {
        uint32_t w = weight(series, series->code + i);
        if (sum && sum + w > GEN_CHUNK) {
            series->n_parts++;
            sum = 0;
        }
        sum += w;
        series->part[i] = series->n_parts;
        series->slot[SV_ZERO][i] = series->slot[SV_K][i] =
            series->slot[SV_D][i] = NO_SLOT;
    }
    series->n_parts++;
    series->nu = series->t->unknowns.n;
    series->jac = 0;
    series->rhs = series->jac + series->nu * series->nu;
    series->piv = series->rhs + series->nu;
    series->n_slots = series->piv + (series->nu + 1) / 2;
    plan_rows(series);
    for (uint32_t i = 0; series->n_parts > 1 && i < n_code; i++) {
        if (series->code[i].row == IMP_NO_ROW && !gen_is_leaf(series->code + i))
            series->slot[SV_ZERO][i] = series->n_slots++;
        if (series->nu && sv_in_block(series->code + i))
            series->slot[SV_D][i] = series->n_slots++;
    }
    sv_plan_packs(series);
}

/* A new LLVM function begins: no value of another function holds in it. */
static void
forget(struct sv *series)
{
    for (int c = 0; c < 3; c++)
        series->now[c]++;
}

/* Sets what all rules of order k share. */
static void
at_order(struct sv *series)
{
    struct gen *gen = series->g;

    series->kd = LLVMBuildSIToFP(gen->b, series->k, gen->f64, "");
    series->per_k =
        LLVMBuildFDiv(gen->b, gen_num(gen, gen->f64, 1.0), series->kd, "");
    series->work_k = sv_moved(series, series->work, series->k);
}

static LLVMTypeRef
part_type(const struct gen *gen)
{
    LLVMTypeRef par[6] = {gen->pf64, gen->pf64, gen->ppf64,
                          gen->pf64, gen->pf64, gen->i64};

    return LLVMFunctionType(LLVMVoidTypeInContext(gen->cx), par, 6, 0);
}

static LLVMValueRef
part_fn(struct sv *series, const char *name, const char *what,
        void (*body)(struct sv *), bool order_zero)
{
    struct gen *gen = series->g;
    char text[80];

    snprintf(text, sizeof text, "%s.%s.%u", name, what,
             (unsigned)series->at_part);
    LLVMValueRef function = gen_function(gen, text, part_type(gen), 4, true);
    LLVMPositionBuilderAtEnd(
        gen->b, LLVMAppendBasicBlockInContext(gen->cx, function, ""));
    forget(series);
    series->env = LLVMGetParam(function, 0);
    series->local = LLVMGetParam(function, 1);
    series->rows = LLVMGetParam(function, 2);
    series->work = LLVMGetParam(function, 3);
    series->scratch = LLVMGetParam(function, 4);
    series->k = order_zero ? NULL : LLVMGetParam(function, 5);
    if (!order_zero)
        at_order(series);
    body(series);
    LLVMBuildRetVoid(gen->b);
    return function;
}

/* One pass over the tape: in place, or as calls of its parts. */
static void
pass(struct sv *series, LLVMValueRef *parts, void (*body)(struct sv *))
{
    struct gen *gen = series->g;

    if (series->n_parts == 1) {
        body(series);
        return;
    }
    LLVMValueRef arg[6] = {
        series->env,  series->local,   series->rows,
        series->work, series->scratch, series->k ? series->k : gen_i64(gen, 0)};
    for (uint32_t p = 0; p < series->n_parts; p++)
        LLVMBuildCall2(gen->b, part_type(gen), parts[p], arg, 6, "");
}

static LLVMValueRef
pivots(struct sv *series)
{
    struct gen *gen = series->g;

    return gen_at(gen, gen->f64, series->scratch, gen_i64(gen, series->piv),
                  gen->i32);
}

/* Puts J at order 0 into scratch and factors it; control goes to `singular` if
 * J has no factors. */
static void
factor(struct sv *series, LLVMBasicBlockRef singular)
{
    struct gen *gen = series->g;
    const uint32_t *jac = IMP_ARRAY(gen->im, series->t->jacobian, uint32_t);
    LLVMTypeRef pi32 = LLVMPointerType(gen->i32, 0);
    LLVMTypeRef par[3] = {gen->i32, gen->pf64, pi32};
    LLVMTypeRef type = LLVMFunctionType(gen->i32, par, 3, 0);

    for (uint32_t e = 0; e < series->nu * series->nu; e++)
        gen_put(gen, series->scratch, series->jac + e,
                sv_value(series, SV_ZERO, jac[e]));
    LLVMValueRef arg[3] = {gen_i32(gen, series->nu),
                           gen_at(gen, gen->f64, series->scratch,
                                  gen_i64(gen, series->jac), gen->f64),
                           pivots(series)};
    LLVMValueRef bad = LLVMBuildCall2(
        gen->b, type,
        gen_runtime(gen,
                    series->t->symmetric ? "imp_ldlt_factor" : "imp_lu_factor",
                    type, false),
        arg, 3, "");
    LLVMBasicBlockRef regular = gen_block(gen, "regular");
    LLVMBuildCondBr(gen->b,
                    LLVMBuildICmp(gen->b, LLVMIntNE, bad, gen_i32(gen, 0), ""),
                    singular, regular);
    LLVMPositionBuilderAtEnd(gen->b, regular);
}

/* J d = -F_k */
static void
solve(struct sv *series)
{
    struct gen *gen = series->g;
    const uint32_t *res = IMP_ARRAY(gen->im, series->t->residual, uint32_t);
    LLVMTypeRef pi32 = LLVMPointerType(gen->i32, 0);
    LLVMTypeRef par[4] = {gen->i32, gen->pf64, pi32, gen->pf64};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(gen->cx), par, 4, 0);

    for (uint32_t i = 0; i < series->nu; i++)
        gen_put(gen, series->scratch, series->rhs + i,
                LLVMBuildFNeg(gen->b, sv_value(series, SV_K, res[i]), ""));
    LLVMValueRef arg[4] = {gen_i32(gen, series->nu),
                           gen_at(gen, gen->f64, series->scratch,
                                  gen_i64(gen, series->jac), gen->f64),
                           pivots(series),
                           gen_at(gen, gen->f64, series->scratch,
                                  gen_i64(gen, series->rhs), gen->f64)};
    LLVMBuildCall2(
        gen->b, type,
        gen_runtime(gen,
                    series->t->symmetric ? "imp_ldlt_solve" : "imp_lu_solve",
                    type, false),
        arg, 4, "");
}

/* The rates of states are carried from one order to the next in registers. */
static void
carry_rates(struct sv *series)
{
    struct gen *gen = series->g;

    for (uint32_t i = 0; series->n_parts == 1 && i < series->t->code.n; i++) {
        uint32_t d = series->code[i].b;
        if (series->code[i].op == IMP_OP_STATE && sv_varies(series->code + d) &&
            !series->rate[d] && !series->state_of[i])
            series->rate[d] = LLVMBuildPhi(gen->b, gen->f64, "");
    }
}

static void
carried_rates(struct sv *series, LLVMBasicBlockRef *from)
{
    for (uint32_t i = 0; i < series->t->code.n; i++)
        if (series->rate[i]) {
            LLVMValueRef v[2] = {series->val[SV_ZERO][i], series->val[SV_K][i]};
            LLVMAddIncoming(series->rate[i], v, from, 2);
            series->rate[i] = NULL;
        }
}

/* Emits the loop k = 1 .. order. The builder ends up in the block after the
 * loop. */
static void
orders(struct sv *series, LLVMValueRef order, LLVMValueRef *step,
       LLVMValueRef *correct)
{
    struct gen *gen = series->g;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(gen->b);
    LLVMBasicBlockRef body = gen_block(gen, "order"),
                      after = gen_block(gen, "");

    sv_held_zero(series);
    LLVMBuildCondBr(
        gen->b, LLVMBuildICmp(gen->b, LLVMIntSGE, order, gen_i64(gen, 1), ""),
        body, after);
    LLVMPositionBuilderAtEnd(gen->b, body);
    series->k = LLVMBuildPhi(gen->b, gen->i64, "k");
    carry_rates(series);
    sv_held_open(series);
    at_order(series);
    series->now[SV_K]++;
    series->now[SV_D]++;
    pass(series, step, sv_order_k);
    if (series->nu) {
        solve(series);
        pass(series, correct, sv_correct);
    }
    sv_packs_push(series);
    LLVMValueRef next = LLVMBuildAdd(gen->b, series->k, gen_i64(gen, 1), "");
    LLVMValueRef from[2] = {gen_i64(gen, 1), next};
    LLVMBasicBlockRef blocks[2] = {before, LLVMGetInsertBlock(gen->b)};
    LLVMAddIncoming(series->k, from, blocks, 2);
    carried_rates(series, blocks);
    sv_held_close(series, blocks);
    LLVMBuildCondBr(gen->b, LLVMBuildICmp(gen->b, LLVMIntSLE, next, order, ""),
                    body, after);
    LLVMPositionBuilderAtEnd(gen->b, after);
    series->k = series->kd = NULL;
}

/* Sets the three entries after the last coefficient of an output's row to 0. */
static void
clear_ends(struct sv *series, LLVMValueRef order)
{
    struct gen *gen = series->g;
    const uint32_t *outs = IMP_ARRAY(gen->im, series->t->outs, uint32_t);
    LLVMValueRef end = sv_moved(series, series->work, order);

    for (uint32_t o = 0; o < series->t->outs.n; o++) {
        gen_store(gen, gen->v2, gen_num(gen, gen->v2, 0.0),
                  sv_row(series, outs[o], end, 1));
        gen_store(gen, gen->f64, gen_num(gen, gen->f64, 0.0),
                  sv_row(series, outs[o], end, 3));
    }
}

/* Emits the status from all coefficients of all outputs. Those of constants are
 * read once, the others four in a step, in several sums that do not depend on
 * each other. */
#define CHECK_SUMS 4
static LLVMValueRef
check_outputs(struct sv *series, LLVMValueRef order)
{
    struct gen *gen = series->g;
    const uint32_t *outs = IMP_ARRAY(gen->im, series->t->outs, uint32_t);
    LLVMValueRef zero = gen_num(gen, gen->v4, 0.0), sum[CHECK_SUMS];
    LLVMValueRef fixed = gen_num(gen, gen->f64, 0.0);
    struct sv_loop loop;

    for (uint32_t o = 0; o < series->t->outs.n; o++)
        if (!sv_varies(series->code + outs[o]))
            fixed = LLVMBuildFAdd(
                gen->b, fixed,
                gen_finite_probe(
                    gen, sv_coef(series, gen->f64, outs[o], series->work, 0)),
                "");
    sv_loop_open(series, &loop, 0, CHECK_SUMS, zero);
    memcpy(sum, loop.acc, sizeof sum);
    LLVMValueRef at = sv_moved(series, series->work, loop.j);
    for (uint32_t o = 0, n = 0; o < series->t->outs.n; o++)
        if (sv_varies(series->code + outs[o])) {
            LLVMValueRef *to = sum + n++ % CHECK_SUMS;
            *to = LLVMBuildFAdd(
                gen->b, *to,
                gen_finite_probe(gen, sv_coef(series, gen->v4, outs[o], at, 0)),
                "");
        }
    sv_loop_close(series, &loop, sum, 4,
                  LLVMBuildAdd(gen->b, order, gen_i64(gen, 1), ""));
    for (unsigned i = 1; i < CHECK_SUMS; i++)
        sum[0] = LLVMBuildFAdd(gen->b, sum[0], sum[i], "");
    LLVMValueRef all =
        LLVMBuildInsertElement(gen->b, zero, fixed, gen_i32(gen, 0), "");
    return gen_finite_status(gen, gen->v4,
                             LLVMBuildFAdd(gen->b, sum[0], all, ""));
}

static void
new_arrays(struct sv *series)
{
    uint32_t n = series->t->code.n + 1;

    for (int c = 0; c < 3; c++) {
        series->val[c] = NEW_N(series->g->arena, LLVMValueRef, n);
        series->stamp[c] = NEW_N(series->g->arena, uint32_t, n);
        series->slot[c] = NEW_N(series->g->arena, uint32_t, n);
    }
    series->part = NEW_N(series->g->arena, uint32_t, n);
    series->stored = NEW_N(series->g->arena, bool, n);
    series->rate = NEW_N(series->g->arena, LLVMValueRef, n);
}

LLVMValueRef
gen_series_fn(struct gen *gen, uint32_t tape)
{
    assert(tape < gen->im->tapes.n);
    const imp_tape *t = gen_tape(gen, tape);
    struct sv series = {.g = gen,
                        .t = t,
                        .code = IMP_ARRAY(gen->im, t->code, imp_instr),
                        .name = imp_text(gen->im, t->name)};
    LLVMValueRef *parts[3] = {NULL, NULL, NULL};
    char name[48];

    new_arrays(&series);
    plan(&series);
    snprintf(name, sizeof name, "imp_series_%u", (unsigned)tape);
    if (series.n_parts > 1) {
        for (int c = 0; c < 3; c++)
            parts[c] = NEW_N(gen->arena, LLVMValueRef, series.n_parts);
        for (series.at_part = 0; series.at_part < series.n_parts;
             series.at_part++) {
            uint32_t p = series.at_part;
            parts[0][p] = part_fn(&series, name, "zero", sv_order_zero, true);
            parts[1][p] = part_fn(&series, name, "order", sv_order_k, false);
            if (series.nu)
                parts[2][p] =
                    part_fn(&series, name, "correct", sv_correct, false);
        }
    }

    LLVMValueRef function = gen_function(gen, name, gen->series_ty, 4, false);
    LLVMPositionBuilderAtEnd(
        gen->b, LLVMAppendBasicBlockInContext(gen->cx, function, ""));
    forget(&series);
    series.at_part = 0;
    series.env = LLVMGetParam(function, 0);
    series.local = LLVMGetParam(function, 1);
    series.rows = LLVMGetParam(function, 2);
    series.work = LLVMGetParam(function, 3);
    series.k = NULL;
    series.scratch = LLVMBuildPointerCast(
        gen->b, gen_alloca(gen, gen->f64, series.n_slots), gen->pf64, "");
    LLVMValueRef order =
        LLVMBuildSExt(gen->b, LLVMGetParam(function, 4), gen->i64, "order");
    LLVMBasicBlockRef singular = NULL;

    series.moves =
        LLVMBuildICmp(gen->b, LLVMIntSGE, order, gen_i64(gen, 1), "moves");
    pass(&series, parts[0], sv_order_zero);
    if (series.nu) {
        singular = gen_block(gen, "singular");
        factor(&series, singular);
    }
    orders(&series, order, parts[1], parts[2]);
    clear_ends(&series, order);
    LLVMBuildRet(gen->b, check_outputs(&series, order));
    if (singular) {
        LLVMPositionBuilderAtEnd(gen->b, singular);
        LLVMBuildRet(gen->b, gen_i32(gen, IMP_SINGULAR));
    }
    return function;
}
