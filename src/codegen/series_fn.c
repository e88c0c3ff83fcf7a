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

#include <stdio.h>
#include <string.h>

#include "base/arena.h"

/* IR operations of one instruction at orders 0 and k, roughly */
static uint32_t
weight(const struct sv *s, const imp_instr *in)
{
    const imp_instr *code = s->code;

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

/* Which rows must be in work: those of outputs, and of what CHAIN and HELPER
 * read. Between parts values travel through rows: then all. */
static void
plan_rows(struct sv *s)
{
    const uint32_t *outs = IMP_ARRAY(s->g->im, s->t->outs, uint32_t);

    for (uint32_t i = 0; i < s->t->code.n; i++) {
        const imp_instr *in = s->code + i;
        enum gen_rule rule = gen_ops[in->op].rule;
        if (s->n_parts > 1)
            s->stored[i] = true;
        if (!sv_varies(in) || (rule != SER_CHAIN && rule != SER_HELPER))
            continue;
        s->stored[in->a] = true;
        if (rule == SER_CHAIN)
            s->stored[in->c] = true;
        if (rule == SER_HELPER)
            s->stored[i] = s->stored[in->b] = true;
    }
    for (uint32_t o = 0; o < s->t->outs.n; o++)
        s->stored[outs[o]] = true;
}

/* parts of about GEN_CHUNK operations; scratch entries of values that are in
 * no row */
static void
plan(struct sv *s)
{
    uint32_t n = s->t->code.n, sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t w = weight(s, s->code + i);
        if (sum && sum + w > GEN_CHUNK) {
            s->n_parts++;
            sum = 0;
        }
        sum += w;
        s->part[i] = s->n_parts;
        s->slot[SV_ZERO][i] = s->slot[SV_K][i] = s->slot[SV_D][i] = NO_SLOT;
    }
    s->n_parts++;
    s->nu = s->t->unknowns.n;
    s->jac = 0;
    s->rhs = s->jac + s->nu * s->nu;
    s->piv = s->rhs + s->nu;
    s->n_slots = s->piv + (s->nu + 1) / 2;
    plan_rows(s);
    for (uint32_t i = 0; s->n_parts > 1 && i < n; i++) {
        if (s->code[i].row == IMP_NO_ROW && !gen_is_leaf(s->code + i))
            s->slot[SV_ZERO][i] = s->n_slots++;
        if (s->nu && sv_in_block(s->code + i))
            s->slot[SV_D][i] = s->n_slots++;
    }
    sv_plan_packs(s);
}

/* a new LLVM function: nothing holds any more */
static void
forget(struct sv *s)
{
    for (int c = 0; c < 3; c++)
        s->now[c]++;
}

/* what all rules of order k share */
static void
at_order(struct sv *s)
{
    struct gen *g = s->g;

    s->kd = LLVMBuildSIToFP(g->b, s->k, g->f64, "");
    s->per_k = LLVMBuildFDiv(g->b, gen_num(g, g->f64, 1.0), s->kd, "");
    s->work_k = sv_moved(s, s->work, s->k);
}

static LLVMTypeRef
part_type(const struct gen *g)
{
    LLVMTypeRef par[6] = {g->pf64, g->pf64, g->ppf64, g->pf64, g->pf64, g->i64};

    return LLVMFunctionType(LLVMVoidTypeInContext(g->cx), par, 6, 0);
}

static LLVMValueRef
part_fn(struct sv *s, const char *name, const char *what,
        void (*body)(struct sv *), bool order_zero)
{
    struct gen *g = s->g;
    char text[80];

    snprintf(text, sizeof text, "%s.%s.%u", name, what, (unsigned)s->at_part);
    LLVMValueRef f = gen_function(g, text, part_type(g), 4, true);
    LLVMPositionBuilderAtEnd(g->b, LLVMAppendBasicBlockInContext(g->cx, f, ""));
    forget(s);
    s->env = LLVMGetParam(f, 0);
    s->local = LLVMGetParam(f, 1);
    s->rows = LLVMGetParam(f, 2);
    s->work = LLVMGetParam(f, 3);
    s->scratch = LLVMGetParam(f, 4);
    s->k = order_zero ? NULL : LLVMGetParam(f, 5);
    if (!order_zero)
        at_order(s);
    body(s);
    LLVMBuildRetVoid(g->b);
    return f;
}

/* one pass over the tape: in place, or as calls of its parts */
static void
pass(struct sv *s, LLVMValueRef *parts, void (*body)(struct sv *))
{
    struct gen *g = s->g;

    if (s->n_parts == 1) {
        body(s);
        return;
    }
    LLVMValueRef arg[6] = {s->env,  s->local,   s->rows,
                           s->work, s->scratch, s->k ? s->k : gen_i64(g, 0)};
    for (uint32_t p = 0; p < s->n_parts; p++)
        LLVMBuildCall2(g->b, part_type(g), parts[p], arg, 6, "");
}

static LLVMValueRef
pivots(struct sv *s)
{
    struct gen *g = s->g;

    return gen_at(g, g->f64, s->scratch, gen_i64(g, s->piv), g->i32);
}

/* J at order 0 into scratch, and its factors; returns to `singular` if it has
 * none */
static void
factor(struct sv *s, LLVMBasicBlockRef singular)
{
    struct gen *g = s->g;
    const uint32_t *jac = IMP_ARRAY(g->im, s->t->jacobian, uint32_t);
    LLVMTypeRef pi32 = LLVMPointerType(g->i32, 0);
    LLVMTypeRef par[3] = {g->i32, g->pf64, pi32};
    LLVMTypeRef type = LLVMFunctionType(g->i32, par, 3, 0);

    for (uint32_t e = 0; e < s->nu * s->nu; e++)
        gen_put(g, s->scratch, s->jac + e, sv_value(s, SV_ZERO, jac[e]));
    LLVMValueRef arg[3] = {
        gen_i32(g, s->nu),
        gen_at(g, g->f64, s->scratch, gen_i64(g, s->jac), g->f64), pivots(s)};
    LLVMValueRef bad = LLVMBuildCall2(
        g->b, type,
        gen_runtime(g, s->t->symmetric ? "imp_ldlt_factor" : "imp_lu_factor",
                    type, false),
        arg, 3, "");
    LLVMBasicBlockRef regular = gen_block(g, "regular");
    LLVMBuildCondBr(g->b,
                    LLVMBuildICmp(g->b, LLVMIntNE, bad, gen_i32(g, 0), ""),
                    singular, regular);
    LLVMPositionBuilderAtEnd(g->b, regular);
}

/* J d = -F_k */
static void
solve(struct sv *s)
{
    struct gen *g = s->g;
    const uint32_t *res = IMP_ARRAY(g->im, s->t->residual, uint32_t);
    LLVMTypeRef pi32 = LLVMPointerType(g->i32, 0);
    LLVMTypeRef par[4] = {g->i32, g->pf64, pi32, g->pf64};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(g->cx), par, 4, 0);

    for (uint32_t i = 0; i < s->nu; i++)
        gen_put(g, s->scratch, s->rhs + i,
                LLVMBuildFNeg(g->b, sv_value(s, SV_K, res[i]), ""));
    LLVMValueRef arg[4] = {
        gen_i32(g, s->nu),
        gen_at(g, g->f64, s->scratch, gen_i64(g, s->jac), g->f64), pivots(s),
        gen_at(g, g->f64, s->scratch, gen_i64(g, s->rhs), g->f64)};
    LLVMBuildCall2(
        g->b, type,
        gen_runtime(g, s->t->symmetric ? "imp_ldlt_solve" : "imp_lu_solve",
                    type, false),
        arg, 4, "");
}

/* the rates of states, carried from one order to the next in registers */
static void
carry_rates(struct sv *s)
{
    struct gen *g = s->g;

    for (uint32_t i = 0; s->n_parts == 1 && i < s->t->code.n; i++) {
        uint32_t d = s->code[i].b;
        if (s->code[i].op == IMP_OP_STATE && sv_varies(s->code + d) &&
            !s->rate[d] && !s->state_of[i])
            s->rate[d] = LLVMBuildPhi(g->b, g->f64, "");
    }
}

static void
carried_rates(struct sv *s, LLVMBasicBlockRef *from)
{
    for (uint32_t i = 0; i < s->t->code.n; i++)
        if (s->rate[i]) {
            LLVMValueRef v[2] = {s->val[SV_ZERO][i], s->val[SV_K][i]};
            LLVMAddIncoming(s->rate[i], v, from, 2);
            s->rate[i] = NULL;
        }
}

/* for k = 1 .. order; the builder ends up in a block after the loop */
static void
orders(struct sv *s, LLVMValueRef order, LLVMValueRef *step,
       LLVMValueRef *correct)
{
    struct gen *g = s->g;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b);
    LLVMBasicBlockRef body = gen_block(g, "order"), after = gen_block(g, "");

    sv_held_zero(s);
    LLVMBuildCondBr(g->b,
                    LLVMBuildICmp(g->b, LLVMIntSGE, order, gen_i64(g, 1), ""),
                    body, after);
    LLVMPositionBuilderAtEnd(g->b, body);
    s->k = LLVMBuildPhi(g->b, g->i64, "k");
    carry_rates(s);
    sv_held_open(s);
    at_order(s);
    s->now[SV_K]++;
    s->now[SV_D]++;
    pass(s, step, sv_order_k);
    if (s->nu) {
        solve(s);
        pass(s, correct, sv_correct);
    }
    sv_packs_push(s);
    LLVMValueRef next = LLVMBuildAdd(g->b, s->k, gen_i64(g, 1), "");
    LLVMValueRef from[2] = {gen_i64(g, 1), next};
    LLVMBasicBlockRef blocks[2] = {before, LLVMGetInsertBlock(g->b)};
    LLVMAddIncoming(s->k, from, blocks, 2);
    carried_rates(s, blocks);
    sv_held_close(s, blocks);
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntSLE, next, order, ""),
                    body, after);
    LLVMPositionBuilderAtEnd(g->b, after);
    s->k = s->kd = NULL;
}

/* the three entries after the last coefficient of an output's row are 0 */
static void
clear_ends(struct sv *s, LLVMValueRef order)
{
    struct gen *g = s->g;
    const uint32_t *outs = IMP_ARRAY(g->im, s->t->outs, uint32_t);
    LLVMValueRef end = sv_moved(s, s->work, order);

    for (uint32_t o = 0; o < s->t->outs.n; o++) {
        gen_store(g, g->v2, gen_num(g, g->v2, 0.0), sv_row(s, outs[o], end, 1));
        gen_store(g, g->f64, gen_num(g, g->f64, 0.0),
                  sv_row(s, outs[o], end, 3));
    }
}

/* status from all coefficients of all outputs: those of constants once, the
 * others four to a step, in several sums that do not wait for each other */
#define CHECK_SUMS 4
static LLVMValueRef
check_outputs(struct sv *s, LLVMValueRef order)
{
    struct gen *g = s->g;
    const uint32_t *outs = IMP_ARRAY(g->im, s->t->outs, uint32_t);
    LLVMValueRef zero = gen_num(g, g->v4, 0.0), sum[CHECK_SUMS];
    LLVMValueRef fixed = gen_num(g, g->f64, 0.0);
    struct sv_loop l;

    for (uint32_t o = 0; o < s->t->outs.n; o++)
        if (!sv_varies(s->code + outs[o]))
            fixed = LLVMBuildFAdd(
                g->b, fixed,
                gen_finite_probe(g, sv_coef(s, g->f64, outs[o], s->work, 0)),
                "");
    sv_loop_open(s, &l, 0, CHECK_SUMS, zero);
    memcpy(sum, l.acc, sizeof sum);
    LLVMValueRef at = sv_moved(s, s->work, l.j);
    for (uint32_t o = 0, n = 0; o < s->t->outs.n; o++)
        if (sv_varies(s->code + outs[o])) {
            LLVMValueRef *to = sum + n++ % CHECK_SUMS;
            *to = LLVMBuildFAdd(
                g->b, *to,
                gen_finite_probe(g, sv_coef(s, g->v4, outs[o], at, 0)), "");
        }
    sv_loop_close(s, &l, sum, 4, LLVMBuildAdd(g->b, order, gen_i64(g, 1), ""));
    for (unsigned i = 1; i < CHECK_SUMS; i++)
        sum[0] = LLVMBuildFAdd(g->b, sum[0], sum[i], "");
    LLVMValueRef all =
        LLVMBuildInsertElement(g->b, zero, fixed, gen_i32(g, 0), "");
    return gen_finite_status(g, g->v4, LLVMBuildFAdd(g->b, sum[0], all, ""));
}

static void
new_arrays(struct sv *s)
{
    uint32_t n = s->t->code.n + 1;

    for (int c = 0; c < 3; c++) {
        s->val[c] = NEW_N(s->g->arena, LLVMValueRef, n);
        s->stamp[c] = NEW_N(s->g->arena, uint32_t, n);
        s->slot[c] = NEW_N(s->g->arena, uint32_t, n);
    }
    s->part = NEW_N(s->g->arena, uint32_t, n);
    s->stored = NEW_N(s->g->arena, bool, n);
    s->rate = NEW_N(s->g->arena, LLVMValueRef, n);
}

LLVMValueRef
gen_series_fn(struct gen *g, uint32_t tape)
{
    const imp_tape *t = gen_tape(g, tape);
    struct sv s = {.g = g,
                   .t = t,
                   .code = IMP_ARRAY(g->im, t->code, imp_instr),
                   .name = imp_text(g->im, t->name)};
    LLVMValueRef *parts[3] = {NULL, NULL, NULL};
    char name[48];

    new_arrays(&s);
    plan(&s);
    snprintf(name, sizeof name, "imp_series_%u", (unsigned)tape);
    if (s.n_parts > 1) {
        for (int c = 0; c < 3; c++)
            parts[c] = NEW_N(g->arena, LLVMValueRef, s.n_parts);
        for (s.at_part = 0; s.at_part < s.n_parts; s.at_part++) {
            uint32_t p = s.at_part;
            parts[0][p] = part_fn(&s, name, "zero", sv_order_zero, true);
            parts[1][p] = part_fn(&s, name, "order", sv_order_k, false);
            if (s.nu)
                parts[2][p] = part_fn(&s, name, "correct", sv_correct, false);
        }
    }

    LLVMValueRef f = gen_function(g, name, g->series_ty, 4, false);
    LLVMPositionBuilderAtEnd(g->b, LLVMAppendBasicBlockInContext(g->cx, f, ""));
    forget(&s);
    s.at_part = 0;
    s.env = LLVMGetParam(f, 0);
    s.local = LLVMGetParam(f, 1);
    s.rows = LLVMGetParam(f, 2);
    s.work = LLVMGetParam(f, 3);
    s.k = NULL;
    s.scratch = LLVMBuildPointerCast(g->b, gen_alloca(g, g->f64, s.n_slots),
                                     g->pf64, "");
    LLVMValueRef order =
        LLVMBuildSExt(g->b, LLVMGetParam(f, 4), g->i64, "order");
    LLVMBasicBlockRef singular = NULL;

    s.moves = LLVMBuildICmp(g->b, LLVMIntSGE, order, gen_i64(g, 1), "moves");
    pass(&s, parts[0], sv_order_zero);
    if (s.nu) {
        singular = gen_block(g, "singular");
        factor(&s, singular);
    }
    orders(&s, order, parts[1], parts[2]);
    clear_ends(&s, order);
    LLVMBuildRet(g->b, check_outputs(&s, order));
    if (singular) {
        LLVMPositionBuilderAtEnd(g->b, singular);
        LLVMBuildRet(g->b, gen_i32(g, IMP_SINGULAR));
    }
    return f;
}
