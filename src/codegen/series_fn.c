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

/* Finds which rows must be in work: those of outputs, and those that HELPER
 * reads. Between parts values travel through rows, so with several parts
 * all rows must be there. */
static void
plan_rows(struct sv *series)
{
    const uint32_t *outs = IMP_ARRAY(series->g->im, series->t->outs, uint32_t);

    for (uint32_t reg = 0; reg < series->t->code.n; reg++) {
        const imp_instr *in = series->code + reg;
        enum gen_rule rule = gen_ops[in->op].rule;
        if (series->parts.n > 1)
            series->value.stored[reg] = true;
        if (!sv_varies(in) ||
            (rule != SER_HELPER && (rule != SER_CHAIN || series->parts.n == 1)))
            continue;
        series->value.stored[in->a] = true;
        if (rule == SER_CHAIN)
            series->value.stored[in->c] = true;
        if (rule == SER_HELPER)
            series->value.stored[reg] = series->value.stored[in->b] = true;
    }
    for (uint32_t o = 0; o < series->t->outs.n; o++)
        series->value.stored[outs[o]] = true;
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
            series->parts.n++;
            sum = 0;
        }
        sum += w;
        series->parts.of[i] = series->parts.n;
        series->value.slot[SV_ZERO][i] = series->value.slot[SV_K][i] =
            series->value.slot[SV_D][i] = NO_SLOT;
    }
    series->parts.n++;
    series->layout.nu = series->t->unknowns.n;
    series->layout.jac = 0;
    series->layout.rhs =
        series->layout.jac + series->layout.nu * series->layout.nu;
    series->layout.piv = series->layout.rhs + series->layout.nu;
    series->layout.n_slots = series->layout.piv + (series->layout.nu + 1) / 2;
    plan_rows(series);
    for (uint32_t i = 0; series->parts.n > 1 && i < n_code; i++) {
        if (series->code[i].row == IMP_NO_ROW && !gen_is_leaf(series->code + i))
            series->value.slot[SV_ZERO][i] = series->layout.n_slots++;
        if (series->layout.nu && sv_in_block(series->code + i))
            series->value.slot[SV_D][i] = series->layout.n_slots++;
    }
    sv_plan_packs(series);
}

/* A new LLVM function begins: no value of another function holds in it. */
static void
forget(struct sv *series)
{
    for (int c = 0; c < 3; c++)
        series->value.now[c]++;
}

/* Sets what all rules of order k share. */
static void
at_order(struct sv *series)
{
    struct gen *gen = series->g;

    series->fn.kd = LLVMBuildSIToFP(gen->b, series->fn.k, gen->type.f64, "");
    series->fn.per_k = LLVMBuildFDiv(gen->b, gen_num(gen, gen->type.f64, 1.0),
                                     series->fn.kd, "");
    series->fn.work_k = sv_moved(series, series->fn.work, series->fn.k);
}

static LLVMTypeRef
part_type(const struct sv *series)
{
    const struct gen *gen = series->g;
    LLVMTypeRef par[7] = {gen->type.pf64, gen->type.pf64, gen->type.ppf64,
                          gen->type.pf64, gen->type.pf64, gen->type.i64,
                          gen->type.pf64};

    return LLVMFunctionType(LLVMVoidTypeInContext(gen->cx), par,
                            6 + series->by_constants, 0);
}

/* Parameter number i (from 0) of a function that gets the constants as its
 * last one. */
static LLVMValueRef
constants_of(const struct sv *series, LLVMValueRef function, unsigned i)
{
    return series->by_constants ? LLVMGetParam(function, i) : NULL;
}

static LLVMValueRef
part_fn(struct sv *series, const char *name, const char *what,
        void (*body)(struct sv *), bool order_zero)
{
    struct gen *gen = series->g;
    char text[80];

    snprintf(text, sizeof text, "%s.%s.%u", name, what,
             (unsigned)series->parts.at);
    LLVMValueRef function = gen_function(gen, text, part_type(series), 4, true);
    LLVMPositionBuilderAtEnd(
        gen->b, LLVMAppendBasicBlockInContext(gen->cx, function, ""));
    forget(series);
    series->fn.env = LLVMGetParam(function, 0);
    series->fn.local = LLVMGetParam(function, 1);
    series->fn.rows = LLVMGetParam(function, 2);
    series->fn.work = LLVMGetParam(function, 3);
    series->fn.scratch = LLVMGetParam(function, 4);
    series->fn.constants = constants_of(series, function, 6);
    series->fn.k = order_zero ? NULL : LLVMGetParam(function, 5);
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

    if (series->parts.n == 1) {
        body(series);
        return;
    }
    LLVMValueRef k = series->fn.k ? series->fn.k : gen_i64(gen, 0);
    LLVMValueRef arg[7] = {series->fn.env,      series->fn.local,
                           series->fn.rows,     series->fn.work,
                           series->fn.scratch,  k,
                           series->fn.constants};
    for (uint32_t p = 0; p < series->parts.n; p++)
        LLVMBuildCall2(gen->b, part_type(series), parts[p], arg,
                       6 + series->by_constants, "");
}

static LLVMValueRef
pivots(struct sv *series)
{
    struct gen *gen = series->g;

    return gen_at(gen, gen->type.f64, series->fn.scratch,
                  gen_i64(gen, series->layout.piv), gen->type.i32);
}

/* the functions that factor a Jacobian and solve with it, by enum imp_jacobian
 */
static const char *const factors[][2] = {
    [IMP_JACOBIAN_GENERAL] = {"imp_lu_factor", "imp_lu_solve"},
    [IMP_JACOBIAN_SEMIDEFINITE] = {"imp_ldlt_factor", "imp_ldlt_solve"},
    [IMP_JACOBIAN_SADDLE] = {"imp_saddle_factor", "imp_saddle_solve"},
    [IMP_JACOBIAN_RANK] = {"imp_rank_factor", "imp_rank_solve"}};

/* Puts J at order 0 into scratch and factors it; control goes to `singular` if
 * J has no factors. */
static void
factor(struct sv *series, LLVMBasicBlockRef singular)
{
    struct gen *gen = series->g;
    const uint32_t *jac = IMP_ARRAY(gen->im, series->t->jacobian, uint32_t);
    LLVMTypeRef pi32 = LLVMPointerType(gen->type.i32, 0);
    LLVMTypeRef par[3] = {gen->type.i32, gen->type.pf64, pi32};
    LLVMTypeRef type = LLVMFunctionType(gen->type.i32, par, 3, 0);

    for (uint32_t e = 0; e < series->layout.nu * series->layout.nu; e++)
        gen_put(gen, series->fn.scratch, series->layout.jac + e,
                sv_value(series, SV_ZERO, jac[e]));
    LLVMValueRef arg[3] = {gen_i32(gen, series->layout.nu),
                           gen_at(gen, gen->type.f64, series->fn.scratch,
                                  gen_i64(gen, series->layout.jac),
                                  gen->type.f64),
                           pivots(series)};
    LLVMValueRef bad = LLVMBuildCall2(
        gen->b, type,
        gen_runtime(gen, factors[series->t->symmetric][0], type, false), arg, 3,
        "");
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
    LLVMTypeRef pi32 = LLVMPointerType(gen->type.i32, 0);
    LLVMTypeRef par[4] = {gen->type.i32, gen->type.pf64, pi32, gen->type.pf64};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(gen->cx), par, 4, 0);

    for (uint32_t i = 0; i < series->layout.nu; i++)
        gen_put(gen, series->fn.scratch, series->layout.rhs + i,
                LLVMBuildFNeg(gen->b, sv_value(series, SV_K, res[i]), ""));
    LLVMValueRef arg[4] = {
        gen_i32(gen, series->layout.nu),
        gen_at(gen, gen->type.f64, series->fn.scratch,
               gen_i64(gen, series->layout.jac), gen->type.f64),
        pivots(series),
        gen_at(gen, gen->type.f64, series->fn.scratch,
               gen_i64(gen, series->layout.rhs), gen->type.f64)};
    LLVMBuildCall2(
        gen->b, type,
        gen_runtime(gen, factors[series->t->symmetric][1], type, false), arg, 4,
        "");
}

/* The rates of states are carried from one order to the next in registers. */
static void
carry_rates(struct sv *series)
{
    struct gen *gen = series->g;

    for (uint32_t i = 0; series->parts.n == 1 && i < series->t->code.n; i++) {
        uint32_t d = series->code[i].b;
        if (series->code[i].op == IMP_OP_STATE && sv_varies(series->code + d) &&
            !series->rate[d] && !series->pack.of_state[i])
            series->rate[d] = LLVMBuildPhi(gen->b, gen->type.f64, "");
    }
}

static void
carried_rates(struct sv *series, LLVMBasicBlockRef *from)
{
    for (uint32_t i = 0; i < series->t->code.n; i++)
        if (series->rate[i]) {
            LLVMValueRef v[2] = {series->value.val[SV_ZERO][i],
                                 series->value.val[SV_K][i]};
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
    series->fn.k = LLVMBuildPhi(gen->b, gen->type.i64, "k");
    carry_rates(series);
    sv_held_open(series);
    at_order(series);
    series->value.now[SV_K]++;
    series->value.now[SV_D]++;
    pass(series, step, sv_order_k);
    if (series->layout.nu) {
        solve(series);
        pass(series, correct, sv_correct);
    }
    sv_packs_push(series);
    sv_chains_push(series);
    LLVMValueRef next = LLVMBuildAdd(gen->b, series->fn.k, gen_i64(gen, 1), "");
    LLVMValueRef from[2] = {gen_i64(gen, 1), next};
    LLVMBasicBlockRef blocks[2] = {before, LLVMGetInsertBlock(gen->b)};
    LLVMAddIncoming(series->fn.k, from, blocks, 2);
    carried_rates(series, blocks);
    sv_held_close(series, blocks);
    LLVMBuildCondBr(gen->b, LLVMBuildICmp(gen->b, LLVMIntSLE, next, order, ""),
                    body, after);
    LLVMPositionBuilderAtEnd(gen->b, after);
    series->fn.k = series->fn.kd = NULL;
}

/* Sets the three entries after the last coefficient of an output's row to 0. */
static void
clear_ends(struct sv *series, LLVMValueRef order)
{
    struct gen *gen = series->g;
    const uint32_t *outs = IMP_ARRAY(gen->im, series->t->outs, uint32_t);
    LLVMValueRef end = sv_moved(series, series->fn.work, order);

    for (uint32_t o = 0; o < series->t->outs.n; o++) {
        gen_store(gen, gen->type.v2, gen_num(gen, gen->type.v2, 0.0),
                  sv_row(series, outs[o], end, 1));
        gen_store(gen, gen->type.f64, gen_num(gen, gen->type.f64, 0.0),
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
    LLVMValueRef zero = gen_num(gen, gen->type.v4, 0.0), sum[CHECK_SUMS];
    LLVMValueRef fixed = gen_num(gen, gen->type.f64, 0.0);
    struct sv_loop loop;

    for (uint32_t o = 0; o < series->t->outs.n; o++)
        if (!sv_varies(series->code + outs[o]))
            fixed = LLVMBuildFAdd(
                gen->b, fixed,
                gen_finite_probe(gen, sv_coef(series, gen->type.f64, outs[o],
                                              series->fn.work, 0)),
                "");
    sv_loop_open(series, &loop, 0, CHECK_SUMS, zero);
    memcpy(sum, loop.acc, sizeof sum);
    LLVMValueRef at = sv_moved(series, series->fn.work, loop.j);
    for (uint32_t o = 0, n = 0; o < series->t->outs.n; o++)
        if (sv_varies(series->code + outs[o])) {
            LLVMValueRef *to = sum + n++ % CHECK_SUMS;
            *to = LLVMBuildFAdd(
                gen->b, *to,
                gen_finite_probe(gen,
                                 sv_coef(series, gen->type.v4, outs[o], at, 0)),
                "");
        }
    sv_loop_close(series, &loop, sum, 4,
                  LLVMBuildAdd(gen->b, order, gen_i64(gen, 1), ""));
    for (unsigned i = 1; i < CHECK_SUMS; i++)
        sum[0] = LLVMBuildFAdd(gen->b, sum[0], sum[i], "");
    LLVMValueRef all =
        LLVMBuildInsertElement(gen->b, zero, fixed, gen_i32(gen, 0), "");
    return gen_finite_status(gen, gen->type.v4,
                             LLVMBuildFAdd(gen->b, sum[0], all, ""));
}

static void
new_arrays(struct sv *series)
{
    uint32_t n = series->t->code.n + 1;

    for (int c = 0; c < 3; c++) {
        series->value.val[c] = NEW_N(series->g->arena, LLVMValueRef, n);
        series->value.stamp[c] = NEW_N(series->g->arena, uint32_t, n);
        series->value.slot[c] = NEW_N(series->g->arena, uint32_t, n);
    }
    series->parts.of = NEW_N(series->g->arena, uint32_t, n);
    series->value.stored = NEW_N(series->g->arena, bool, n);
    series->rate = NEW_N(series->g->arena, LLVMValueRef, n);
}

LLVMValueRef
gen_series_fn(struct gen *gen, uint32_t tape)
{
    assert(tape < gen->im->tapes.n);
    const imp_tape *t = gen_tape(gen, tape);
    struct sv series = {.g = gen,
                        .by_constants = gen->alike[tape].several,
                        .t = t,
                        .code = IMP_ARRAY(gen->im, t->code, imp_instr),
                        .name = imp_text(gen->im, t->name)};
    LLVMValueRef *parts[3] = {NULL, NULL, NULL};
    char name[48];

    new_arrays(&series);
    plan(&series);
    snprintf(name, sizeof name,
             series.by_constants ? "imp_series_like_%u" : "imp_series_%u",
             (unsigned)tape);
    if (series.parts.n > 1) {
        for (int c = 0; c < 3; c++)
            parts[c] = NEW_N(gen->arena, LLVMValueRef, series.parts.n);
        for (series.parts.at = 0; series.parts.at < series.parts.n;
             series.parts.at++) {
            uint32_t p = series.parts.at;
            parts[0][p] = part_fn(&series, name, "zero", sv_order_zero, true);
            parts[1][p] = part_fn(&series, name, "order", sv_order_k, false);
            if (series.layout.nu)
                parts[2][p] =
                    part_fn(&series, name, "correct", sv_correct, false);
        }
    }

    LLVMValueRef function = gen_function(
        gen, name,
        series.by_constants ? gen_type_by_constants(gen, gen->type.series)
                            : gen->type.series,
        4, series.by_constants);
    LLVMPositionBuilderAtEnd(
        gen->b, LLVMAppendBasicBlockInContext(gen->cx, function, ""));
    forget(&series);
    series.parts.at = 0;
    series.fn.env = LLVMGetParam(function, 0);
    series.fn.local = LLVMGetParam(function, 1);
    series.fn.rows = LLVMGetParam(function, 2);
    series.fn.work = LLVMGetParam(function, 3);
    series.fn.constants = constants_of(&series, function, 5);
    series.fn.k = NULL;
    series.fn.scratch = LLVMBuildPointerCast(
        gen->b, gen_alloca(gen, gen->type.f64, series.layout.n_slots),
        gen->type.pf64, "");
    LLVMValueRef order = LLVMBuildSExt(gen->b, LLVMGetParam(function, 4),
                                       gen->type.i64, "order");
    LLVMBasicBlockRef singular = NULL;

    series.fn.moves =
        LLVMBuildICmp(gen->b, LLVMIntSGE, order, gen_i64(gen, 1), "moves");
    pass(&series, parts[0], sv_order_zero);
    if (series.layout.nu) {
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
