/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rules of series read: values of registers in their three classes,
 * coefficients in rows, and loops over the index of a sum. */
#include "codegen/series_priv.h"

#include <assert.h>

/* Rows of the caller's sources are not read in place: a ROW instruction copies
 * them. */
LLVMValueRef
sv_row(struct sv *series, uint32_t reg, LLVMValueRef base, int off)
{
    assert(reg < series->t->code.n);
    struct gen *gen = series->g;
    uint32_t row = series->code[reg].row;

    if (row == IMP_NO_ROW)
        gen_fail(gen,
                 "tape %s: register %u (%s) is read at higher orders but "
                 "has no row",
                 series->name, (unsigned)reg,
                 gen_ops[series->code[reg].op].name);
    int64_t at = (int64_t)row * IMP_ROW_STRIDE + IMP_ROW_PAD + off;
    return gen_at(gen, gen->type.f64, base, gen_i64(gen, (uint64_t)at),
                  gen->type.f64);
}

LLVMValueRef
sv_moved(struct sv *series, LLVMValueRef base, LLVMValueRef by)
{
    return gen_at(series->g, series->g->type.f64, base, by,
                  series->g->type.f64);
}

LLVMValueRef
sv_coef(struct sv *series, LLVMTypeRef type, uint32_t reg, LLVMValueRef base,
        int off)
{
    return gen_load(series->g, type, sv_row(series, reg, base, off));
}

LLVMValueRef
sv_leaf_zero(struct sv *series, uint32_t reg)
{
    struct gen *gen = series->g;
    const imp_instr *in = series->code + reg;

    switch (in->op) {
    case IMP_OP_CONST:
        if (series->fn.constants)
            return gen_get(gen, series->fn.constants, in->a);
        return gen_num(gen, gen->type.f64,
                       IMP_ARRAY(gen->im, series->t->consts, double)[in->a]);
    case IMP_OP_LOCAL:
    case IMP_OP_UNKNOWN:
        return gen_get(gen, series->fn.local, in->a);
    case IMP_OP_ROW: {
        LLVMValueRef src =
            gen_load(gen, gen->type.pf64,
                     gen_at(gen, gen->type.pf64, series->fn.rows,
                            gen_i64(gen, in->a), gen->type.pf64));
        return gen_get(gen, src,
                       (uint64_t)in->b * IMP_ROW_STRIDE + IMP_ROW_PAD);
    }
    default: /* ENV, TIME, STATE */
        return gen_get(gen, series->fn.env, in->a);
    }
}

LLVMValueRef
sv_value(struct sv *series, enum sv_class class, uint32_t reg)
{
    assert(class <= SV_D && reg < series->t->code.n);
    struct gen *gen = series->g;
    const imp_instr *in = series->code + reg;
    LLVMValueRef value;

    if (class == SV_K && !sv_varies(in))
        return gen_num(gen, gen->type.f64, 0.0);
    if (series->value.stamp[class][reg] == series->value.now[class])
        return series->value.val[class][reg];
    if (class == SV_D || (class == SV_ZERO && in->row == IMP_NO_ROW)) {
        if (class == SV_ZERO && gen_is_leaf(in))
            value = sv_leaf_zero(series, reg);
        else if (series->value.slot[class][reg] != NO_SLOT)
            value = gen_get(gen, series->fn.scratch,
                            series->value.slot[class][reg]);
        else
            gen_fail(gen, "tape %s: register %u is read before it is made",
                     series->name, (unsigned)reg);
    } else {
        value =
            sv_coef(series, gen->type.f64, reg,
                    class == SV_ZERO ? series->fn.work : series->fn.work_k, 0);
    }
    series->value.val[class][reg] = value;
    series->value.stamp[class][reg] = series->value.now[class];
    return value;
}

bool
sv_convolves(const struct sv *series, uint32_t reg)
{
    assert(series);
    const imp_instr *in = series->code + reg;

    if (!sv_varies(in))
        return false;
    switch (in->op) {
    case IMP_OP_DOT:
        return true;
    case IMP_OP_MUL:
        return sv_varies(series->code + in->a) &&
               sv_varies(series->code + in->b);
    case IMP_OP_DIV:
        return !(series->code[in->b].flags & IMP_INSTR_CONST);
    default:
        return false;
    }
}

void
sv_loop_open(struct sv *series, struct sv_loop *loop, uint64_t start,
             unsigned count, LLVMValueRef init)
{
    assert(loop && count > 0 && count <= SV_LOOP_MAX);
    struct gen *gen = series->g;

    loop->before = LLVMGetInsertBlock(gen->b);
    loop->body = gen_block(gen, "sum");
    loop->start = gen_i64(gen, start);
    loop->n = count;
    LLVMBuildBr(gen->b, loop->body);
    LLVMPositionBuilderAtEnd(gen->b, loop->body);
    loop->j = LLVMBuildPhi(gen->b, gen->type.i64, "j");
    for (unsigned i = 0; i < count; i++) {
        loop->init[i] = init;
        loop->acc[i] = LLVMBuildPhi(gen->b, LLVMTypeOf(init), "");
    }
}

void
sv_loop_close(struct sv *series, struct sv_loop *loop, LLVMValueRef *acc,
              unsigned step, LLVMValueRef end)
{
    assert(loop->n > 0 && acc && step > 0);
    struct gen *gen = series->g;
    LLVMValueRef next = LLVMBuildAdd(gen->b, loop->j, gen_i64(gen, step), "");
    LLVMBasicBlockRef from[2] = {loop->before, LLVMGetInsertBlock(gen->b)};
    LLVMBasicBlockRef after = gen_block(gen, "");
    LLVMValueRef js[2] = {loop->start, next};

    LLVMBuildCondBr(gen->b, LLVMBuildICmp(gen->b, LLVMIntSLT, next, end, ""),
                    loop->body, after);
    LLVMAddIncoming(loop->j, js, from, 2);
    for (unsigned i = 0; i < loop->n; i++) {
        LLVMValueRef v[2] = {loop->init[i], acc[i]};
        LLVMAddIncoming(loop->acc[i], v, from, 2);
    }
    LLVMPositionBuilderAtEnd(gen->b, after);
}
