/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of series, instruction by instruction: order 0, order k, and the
 * corrections of an implicit block (docs/tape.md; runtime/tape is the same in
 * plain C). */
#include "codegen/series_priv.h"

#include <assert.h>

/* True for a state whose rate is constant: its row is known at order 0. */
static bool
is_line(const struct sv *series, uint32_t reg)
{
    const imp_instr *in = series->code + reg;

    return in->op == IMP_OP_STATE &&
           (series->code[in->b].flags & IMP_INSTR_CONST) &&
           series->parts.n == 1;
}

/* Records that a register has this value, and stores it where other functions
 * read it. */
static void
define(struct sv *series, enum sv_class class, uint32_t reg, LLVMValueRef value)
{
    struct gen *gen = series->g;

    series->value.val[class][reg] = value;
    series->value.stamp[class][reg] = series->value.now[class];
    if (class != SV_D && series->code[reg].row != IMP_NO_ROW &&
        series->value.stored[reg] && !(class == SV_K && is_line(series, reg)))
        gen_store(gen, gen->type.f64, value,
                  sv_row(series, reg,
                         class == SV_ZERO ? series->fn.work : series->fn.work_k,
                         0));
    if (series->value.slot[class][reg] != NO_SLOT)
        gen_put(gen, series->fn.scratch, series->value.slot[class][reg], value);
}

void
sv_order_zero(struct sv *series)
{
    assert(series);
    struct gen *gen = series->g;

    for (uint32_t reg = 0; reg < series->t->code.n; reg++) {
        const imp_instr *in = series->code + reg;
        LLVMValueRef value;
        if (series->parts.of[reg] != series->parts.at)
            continue;
        if (gen_is_leaf(in)) {
            value = sv_leaf_zero(series, reg);
        } else if (in->op == IMP_OP_DOT) {
            const uint32_t *p =
                IMP_ARRAY(gen->im, series->t->pool, uint32_t) + in->a;
            value = gen_num(gen, gen->type.f64, 0.0);
            for (uint32_t m = 0; m < in->b; m++, p += 3) {
                LLVMValueRef ab =
                    LLVMBuildFMul(gen->b, sv_value(series, SV_ZERO, p[1]),
                                  sv_value(series, SV_ZERO, p[2]), "");
                value = p[0] ? LLVMBuildFSub(gen->b, value, ab, "")
                             : LLVMBuildFAdd(gen->b, value, ab, "");
            }
        } else if (gen_is_table(in)) {
            value = gen_table_value(gen, gen->type.f64, (enum imp_op)in->op,
                                    sv_value(series, SV_ZERO, in->a),
                                    series->fn.env, series->code[in->b].a,
                                    in->c);
        } else {
            unsigned n = gen_ops[in->op].arity;
            LLVMValueRef a = sv_value(series, SV_ZERO, in->a);
            LLVMValueRef b = n > 1 ? sv_value(series, SV_ZERO, in->b) : a;
            LLVMValueRef c = n > 2 ? sv_value(series, SV_ZERO, in->c) : a;
            value =
                gen_op_value(gen, gen->type.f64, (enum imp_op)in->op, a, b, c);
        }
        define(series, SV_ZERO, reg, value);
    }
    /* The rows of constants, and of states with a constant rate, are complete
     * now: the caller has set all that follows to 0, and nothing writes there
     * again. */
    for (uint32_t reg = 0; reg < series->t->code.n; reg++)
        if (is_line(series, reg) && series->value.stored[reg])
            gen_store(
                gen, gen->type.f64,
                LLVMBuildSelect(gen->b, series->fn.moves,
                                sv_value(series, SV_ZERO, series->code[reg].b),
                                gen_num(gen, gen->type.f64, 0.0), ""),
                sv_row(series, reg, series->fn.work, 1));
    sv_packs_zero(series);
    sv_chains_zero(series);
}

/* v at k == 1, zero beyond */
static LLVMValueRef
only_first(struct sv *series, LLVMValueRef v)
{
    struct gen *gen = series->g;
    LLVMValueRef first =
        LLVMBuildICmp(gen->b, LLVMIntEQ, series->fn.k, gen_i64(gen, 1), "");

    return LLVMBuildSelect(gen->b, first, v, gen_num(gen, gen->type.f64, 0.0),
                           "");
}

static LLVMValueRef
leaf_k(struct sv *series, uint32_t reg)
{
    struct gen *gen = series->g;
    const imp_instr *in = series->code + reg;

    switch (in->op) {
    case IMP_OP_TIME:
        return only_first(series, gen_num(gen, gen->type.f64, 1.0));
    case IMP_OP_STATE: { /* c_k = d_{k-1} * (1/k) */
        /* a constant rate has d_0 only */
        if (series->code[in->b].flags & IMP_INSTR_CONST)
            return only_first(series, sv_value(series, SV_ZERO, in->b));
        if (series->pack.of_state[reg])
            return sv_held_state(series, reg);
        return LLVMBuildFMul(
            gen->b,
            series->rate[in->b]
                ? series->rate[in->b]
                : sv_coef(series, gen->type.f64, in->b, series->fn.work_k, -1),
            series->fn.per_k, "");
    }
    case IMP_OP_ROW: {
        LLVMValueRef src =
            gen_load(gen, gen->type.pf64,
                     gen_at(gen, gen->type.pf64, series->fn.rows,
                            gen_i64(gen, in->a), gen->type.pf64));
        LLVMValueRef at = LLVMBuildAdd(
            gen->b, series->fn.k,
            gen_i64(gen, (uint64_t)in->b * IMP_ROW_STRIDE + IMP_ROW_PAD), "");
        return gen_load(gen, gen->type.f64,
                        gen_at(gen, gen->type.f64, src, at, gen->type.f64));
    }
    default: /* UNKNOWN: 0 until the block is solved */
        return gen_num(gen, gen->type.f64, 0.0);
    }
}

static bool
is_const(const struct sv *series, uint32_t reg)
{
    return series->code[reg].flags & IMP_INSTR_CONST;
}

static LLVMValueRef
helper(struct sv *series, uint32_t reg)
{
    struct gen *gen = series->g;
    const imp_instr *in = series->code + reg;
    LLVMTypeRef par[5] = {gen->type.i32, gen->type.pf64, gen->type.pf64,
                          gen->type.pf64, gen->type.i32};
    LLVMTypeRef type = LLVMFunctionType(gen->type.f64, par, 5, 0);
    LLVMValueRef f = gen_runtime(gen, "imp_series_op", type, false);
    LLVMValueRef a = sv_row(series, in->a, series->fn.work, 0);
    LLVMValueRef b = gen_ops[in->op].arity > 1
                         ? sv_row(series, in->b, series->fn.work, 0)
                         : a;
    LLVMValueRef arg[5] = {
        gen_i32(gen, in->op), a, b, sv_row(series, reg, series->fn.work, 0),
        LLVMBuildTrunc(gen->b, series->fn.k, gen->type.i32, "")};

    return LLVMBuildCall2(gen->b, type, f, arg, 5, "");
}

/* The value of a PICK operator: `if_true` or `if_false`, by the choice at order
 * 0. */
static LLVMValueRef
pick(struct sv *series, const imp_instr *in, LLVMValueRef if_true,
     LLVMValueRef if_false)
{
    struct gen *gen = series->g;
    LLVMValueRef a = sv_value(series, SV_ZERO, in->a);
    LLVMValueRef b = in->op == IMP_OP_MIN || in->op == IMP_OP_MAX
                         ? sv_value(series, SV_ZERO, in->b)
                         : a;

    return LLVMBuildSelect(
        gen->b, gen_op_choice(gen, gen->type.f64, (enum imp_op)in->op, a, b),
        if_true, if_false, "");
}

/* The value of a PICK operator in a class. An operand that has no value in that
 * class counts as +0. */
static LLVMValueRef
pick_class(struct sv *series, enum sv_class class, const imp_instr *in)
{
    struct gen *gen = series->g;
    uint32_t reg[2] = {in->b, in->a}; /* MIN, MAX: true, false */
    LLVMValueRef branch[2];

    if (in->op == IMP_OP_SELECT) {
        reg[0] = in->b;
        reg[1] = in->c;
    } else if (in->op == IMP_OP_ABS) {
        reg[0] = reg[1] = in->a;
    }
    for (int m = 0; m < 2; m++)
        branch[m] = class == SV_D && !sv_in_block(series->code + reg[m])
                        ? gen_num(gen, gen->type.f64, 0.0)
                        : sv_value(series, class, reg[m]);
    if (in->op == IMP_OP_ABS &&
        (class != SV_D || sv_in_block(series->code + in->a)))
        branch[0] = LLVMBuildFNeg(gen->b, branch[0], "");
    return pick(series, in, branch[0], branch[1]);
}

static LLVMValueRef
convolve(struct sv *series, uint32_t reg)
{
    struct gen *gen = series->g;
    const imp_instr *in = series->code + reg;
    uint32_t pair[3] = {0, in->a, in->b};

    if (in->op == IMP_OP_DOT)
        return sv_convolution(
            series, reg, IMP_ARRAY(gen->im, series->t->pool, uint32_t) + in->a,
            in->b);
    if (is_const(series, in->a))
        return LLVMBuildFMul(gen->b, sv_value(series, SV_ZERO, in->a),
                             sv_value(series, SV_K, in->b), "");
    if (is_const(series, in->b))
        return LLVMBuildFMul(gen->b, sv_value(series, SV_ZERO, in->b),
                             sv_value(series, SV_K, in->a), "");
    return sv_convolution(series, reg, pair, 1);
}

static LLVMValueRef
divide(struct sv *series, uint32_t reg)
{
    struct gen *gen = series->g;
    const imp_instr *in = series->code + reg;
    LLVMValueRef a = sv_value(series, SV_K, in->a);
    LLVMValueRef b0 = sv_value(series, SV_ZERO, in->b);

    if (!is_const(series, in->b))
        a = LLVMBuildFSub(gen->b, a, sv_division_sum(series, reg), "");
    return LLVMBuildFDiv(gen->b, a, b0, "");
}

static LLVMValueRef
coefficient(struct sv *series, uint32_t reg)
{
    struct gen *gen = series->g;
    const imp_instr *in = series->code + reg;

    switch (gen_ops[in->op].rule) {
    case SER_LEAF:
        return in->op == IMP_OP_DOT ? convolve(series, reg)
                                    : leaf_k(series, reg);
    case SER_LINEAR: {
        LLVMValueRef a = sv_value(series, SV_K, in->a);
        LLVMValueRef b =
            in->op == IMP_OP_NEG ? a : sv_value(series, SV_K, in->b);
        return gen_op_value(gen, gen->type.f64, (enum imp_op)in->op, a, b, a);
    }
    case SER_CONV:
        return convolve(series, reg);
    case SER_DIV:
        return divide(series, reg);
    case SER_CHAIN:
        return LLVMBuildFDiv(gen->b, sv_chain_sum(series, reg), series->fn.kd,
                             "");
    case SER_HELPER:
        return helper(series, reg);
    case SER_PICK:
        return pick_class(series, SV_K, in);
    default: /* STEP */
        return gen_num(gen, gen->type.f64, 0.0);
    }
}

void
sv_order_k(struct sv *series)
{
    assert(series->fn.k && series->fn.kd);
    sv_packs_inner(series);
    sv_chains_inner(series);
    for (uint32_t reg = 0; reg < series->t->code.n; reg++)
        if (series->parts.of[reg] == series->parts.at &&
            sv_varies(series->code + reg))
            define(series, SV_K, reg, coefficient(series, reg));
}

/* a0 db + da b0, without terms of operands outside the block; NULL if none is
 * left. */
static LLVMValueRef
product_rule(struct sv *series, uint32_t a, uint32_t b)
{
    struct gen *gen = series->g;
    LLVMValueRef left = NULL, right = NULL;

    if (sv_in_block(series->code + b))
        left = LLVMBuildFMul(gen->b, sv_value(series, SV_ZERO, a),
                             sv_value(series, SV_D, b), "");
    if (sv_in_block(series->code + a))
        right = LLVMBuildFMul(gen->b, sv_value(series, SV_D, a),
                              sv_value(series, SV_ZERO, b), "");
    if (left && right)
        return LLVMBuildFAdd(gen->b, left, right, "");
    return left ? left : right;
}

/* The exact differential of an instruction in the implicit block. */
static LLVMValueRef
differential(struct sv *series, const imp_instr *in, uint32_t reg)
{
    struct gen *gen = series->g;
    LLVMValueRef da = NULL, db = NULL, value = NULL;

    if (in->op != IMP_OP_DOT && gen_ops[in->op].arity > 0 &&
        sv_in_block(series->code + in->a))
        da = sv_value(series, SV_D, in->a);
    if (in->op != IMP_OP_DOT && gen_ops[in->op].arity > 1 &&
        sv_in_block(series->code + in->b))
        db = sv_value(series, SV_D, in->b);
    switch (in->op) {
    case IMP_OP_ADD:
        value = da && db ? LLVMBuildFAdd(gen->b, da, db, "") : da ? da : db;
        break;
    case IMP_OP_SUB:
        value = da && db ? LLVMBuildFSub(gen->b, da, db, "")
                : da     ? da
                : db     ? LLVMBuildFNeg(gen->b, db, "")
                         : NULL;
        break;
    case IMP_OP_NEG:
        value = da ? LLVMBuildFNeg(gen->b, da, "") : NULL;
        break;
    case IMP_OP_MUL:
        value = product_rule(series, in->a, in->b);
        break;
    case IMP_OP_DOT: {
        const uint32_t *p =
            IMP_ARRAY(gen->im, series->t->pool, uint32_t) + in->a;
        value = gen_num(gen, gen->type.f64, 0.0);
        for (uint32_t m = 0; m < in->b; m++, p += 3) {
            LLVMValueRef pair = product_rule(series, p[1], p[2]);
            if (pair)
                value = p[0] ? LLVMBuildFSub(gen->b, value, pair, "")
                             : LLVMBuildFAdd(gen->b, value, pair, "");
        }
        break;
    }
    case IMP_OP_DIV:
        if (db) {
            LLVMValueRef cdb =
                LLVMBuildFMul(gen->b, sv_value(series, SV_ZERO, reg), db, "");
            value = da ? LLVMBuildFSub(gen->b, da, cdb, "")
                       : LLVMBuildFNeg(gen->b, cdb, "");
        } else {
            value = da;
        }
        if (value)
            value = LLVMBuildFDiv(gen->b, value,
                                  sv_value(series, SV_ZERO, in->b), "");
        break;
    default:
        if (gen_ops[in->op].rule == SER_CHAIN && da)
            value = sv_unless_zero(
                gen, da,
                LLVMBuildFMul(gen->b, sv_value(series, SV_ZERO, in->c), da,
                              ""));
        else if (gen_ops[in->op].rule == SER_PICK)
            value = pick_class(series, SV_D, in);
        break;
    }
    return value ? value : gen_num(gen, gen->type.f64, 0.0);
}

void
sv_correct(struct sv *series)
{
    assert(series);
    struct gen *gen = series->g;
    const uint32_t *unknown = IMP_ARRAY(gen->im, series->t->unknowns, uint32_t);

    for (uint32_t reg = 0; reg < series->t->code.n; reg++) {
        const imp_instr *in = series->code + reg;
        LLVMValueRef dc, old, new;
        if (series->parts.of[reg] != series->parts.at || !sv_in_block(in))
            continue;
        old = sv_value(series, SV_K, reg);
        if (in->op == IMP_OP_UNKNOWN) {
            uint32_t u = 0;
            while (u < series->layout.nu && unknown[u] != reg)
                u++;
            if (u == series->layout.nu)
                gen_fail(gen, "tape %s: register %u is not in its block",
                         series->name, (unsigned)reg);
            new = dc = gen_get(gen, series->fn.scratch, series->layout.rhs + u);
        } else if (gen_ops[in->op].rule == SER_HELPER) {
            new = helper(series, reg);
            dc = LLVMBuildFSub(gen->b, new, old, "");
        } else {
            dc = differential(series, in, reg);
            new = LLVMBuildFAdd(gen->b, old, dc, "");
        }
        define(series, SV_D, reg, dc);
        define(series, SV_K, reg, new);
    }
}
