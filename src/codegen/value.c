/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rules of series read: values of registers in their three classes,
 * coefficients in rows, and loops over the index of a sum. */
#include "codegen/series_priv.h"

/* pointer to coefficient idx of a register's row; in rows of the caller's
 * sources nothing is read in place: ROW copies */
LLVMValueRef
sv_row(struct sv *s, uint32_t i, LLVMValueRef base, int off)
{
    struct gen *g = s->g;
    uint32_t row = s->code[i].row;

    if (row == IMP_NO_ROW)
        gen_fail(g,
                 "tape %s: register %u (%s) is read at higher orders but "
                 "has no row",
                 s->name, (unsigned)i, gen_ops[s->code[i].op].name);
    int64_t at = (int64_t)row * IMP_ROW_STRIDE + IMP_ROW_PAD + off;
    return gen_at(g, g->f64, base, gen_i64(g, (uint64_t)at), g->f64);
}

LLVMValueRef
sv_moved(struct sv *s, LLVMValueRef base, LLVMValueRef by)
{
    return gen_at(s->g, s->g->f64, base, by, s->g->f64);
}

LLVMValueRef
sv_coef(struct sv *s, LLVMTypeRef type, uint32_t i, LLVMValueRef base, int off)
{
    return gen_load(s->g, type, sv_row(s, i, base, off));
}

LLVMValueRef
sv_leaf_zero(struct sv *s, uint32_t i)
{
    struct gen *g = s->g;
    const imp_instr *in = s->code + i;

    switch (in->op) {
    case IMP_OP_CONST:
        return gen_num(g, g->f64,
                       IMP_ARRAY(g->im, s->t->consts, double)[in->a]);
    case IMP_OP_LOCAL:
    case IMP_OP_UNKNOWN:
        return gen_get(g, s->local, in->a);
    case IMP_OP_ROW: {
        LLVMValueRef src =
            gen_load(g, g->pf64,
                     gen_at(g, g->pf64, s->rows, gen_i64(g, in->a), g->pf64));
        return gen_get(g, src, (uint64_t)in->b * IMP_ROW_STRIDE + IMP_ROW_PAD);
    }
    default: /* ENV, TIME, STATE */
        return gen_get(g, s->env, in->a);
    }
}

LLVMValueRef
sv_value(struct sv *s, enum sv_class c, uint32_t i)
{
    struct gen *g = s->g;
    const imp_instr *in = s->code + i;
    LLVMValueRef v;

    if (c == SV_K && !sv_varies(in))
        return gen_num(g, g->f64, 0.0);
    if (s->stamp[c][i] == s->now[c])
        return s->val[c][i];
    if (c == SV_D || (c == SV_ZERO && in->row == IMP_NO_ROW)) {
        if (c == SV_ZERO && gen_is_leaf(in))
            v = sv_leaf_zero(s, i);
        else if (s->slot[c][i] != NO_SLOT)
            v = gen_get(g, s->scratch, s->slot[c][i]);
        else
            gen_fail(g, "tape %s: register %u is read before it is made",
                     s->name, (unsigned)i);
    } else {
        v = sv_coef(s, g->f64, i, c == SV_ZERO ? s->work : s->work_k, 0);
    }
    s->val[c][i] = v;
    s->stamp[c][i] = s->now[c];
    return v;
}

/* register i at order k is a sum of products of series */
bool
sv_convolves(const struct sv *s, uint32_t i)
{
    const imp_instr *in = s->code + i;

    if (!sv_varies(in))
        return false;
    switch (in->op) {
    case IMP_OP_DOT:
        return true;
    case IMP_OP_MUL:
        return sv_varies(s->code + in->a) && sv_varies(s->code + in->b);
    case IMP_OP_DIV:
        return !(s->code[in->b].flags & IMP_INSTR_CONST);
    default:
        return false;
    }
}

void
sv_loop_open(struct sv *s, struct sv_loop *l, uint64_t start, unsigned n,
             LLVMValueRef init)
{
    struct gen *g = s->g;

    l->before = LLVMGetInsertBlock(g->b);
    l->body = gen_block(g, "sum");
    l->start = gen_i64(g, start);
    l->n = n;
    LLVMBuildBr(g->b, l->body);
    LLVMPositionBuilderAtEnd(g->b, l->body);
    l->j = LLVMBuildPhi(g->b, g->i64, "j");
    for (unsigned i = 0; i < n; i++) {
        l->init[i] = init;
        l->acc[i] = LLVMBuildPhi(g->b, LLVMTypeOf(init), "");
    }
}

void
sv_loop_close(struct sv *s, struct sv_loop *l, LLVMValueRef *acc, unsigned step,
              LLVMValueRef end)
{
    struct gen *g = s->g;
    LLVMValueRef next = LLVMBuildAdd(g->b, l->j, gen_i64(g, step), "");
    LLVMBasicBlockRef from[2] = {l->before, LLVMGetInsertBlock(g->b)};
    LLVMBasicBlockRef after = gen_block(g, "");
    LLVMValueRef js[2] = {l->start, next};

    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntSLT, next, end, ""),
                    l->body, after);
    LLVMAddIncoming(l->j, js, from, 2);
    for (unsigned i = 0; i < l->n; i++) {
        LLVMValueRef v[2] = {l->init[i], acc[i]};
        LLVMAddIncoming(l->acc[i], v, from, 2);
    }
    LLVMPositionBuilderAtEnd(g->b, after);
}
