/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convolutions of series rows, in the order of summation that the evaluator
 * uses too: four lanes, lane l takes terms l, l + 4, ..., then (lane0 + lane2)
 * + (lane1 + lane3). Entries outside a row are zero (IMP_ROW_PAD, and the
 * three entries after the last coefficient), so no block needs a mask.
 *
 * One small loop per convolution; where the number of blocks is known
 * (sv.blocks) the blocks stand in a line. */
#include "codegen/series_priv.h"

/* <4 x double> with the coefficients at base + off, off - 1, off - 2, off - 3
 */
static LLVMValueRef
backwards(struct sv *s, uint32_t i, LLVMValueRef base, int off)
{
    struct gen *g = s->g;
    LLVMValueRef v = sv_coef(s, g->v4, i, base, off - 3);

    return LLVMBuildShuffleVector(g->b, v, LLVMGetUndef(g->v4), g->reverse, "");
}

static LLVMValueRef
sum_lanes(struct sv *s, LLVMValueRef acc)
{
    struct gen *g = s->g;
    LLVMValueRef lo_m[2] = {gen_i32(g, 0), gen_i32(g, 1)};
    LLVMValueRef hi_m[2] = {gen_i32(g, 2), gen_i32(g, 3)};
    LLVMValueRef none = LLVMGetUndef(g->v4);
    LLVMValueRef lo =
        LLVMBuildShuffleVector(g->b, acc, none, LLVMConstVector(lo_m, 2), "");
    LLVMValueRef hi =
        LLVMBuildShuffleVector(g->b, acc, none, LLVMConstVector(hi_m, 2), "");
    LLVMValueRef two = LLVMBuildFAdd(g->b, lo, hi, "");

    return LLVMBuildFAdd(
        g->b, LLVMBuildExtractElement(g->b, two, gen_i32(g, 0), ""),
        LLVMBuildExtractElement(g->b, two, gen_i32(g, 1), ""), "");
}

/* a loop over j = start, start + step, ... while j <= last, that carries one
 * accumulator; between loop_open and loop_close the builder is in its body */
struct loop {
    LLVMBasicBlockRef before, body;
    LLVMValueRef j, acc, start, init;
};

static void
loop_open(struct sv *s, struct loop *l, LLVMValueRef start, LLVMValueRef init)
{
    struct gen *g = s->g;

    l->before = LLVMGetInsertBlock(g->b);
    l->body = gen_block(g, "sum");
    l->start = start;
    l->init = init;
    LLVMBuildBr(g->b, l->body);
    LLVMPositionBuilderAtEnd(g->b, l->body);
    l->j = LLVMBuildPhi(g->b, g->i64, "j");
    l->acc = LLVMBuildPhi(g->b, LLVMTypeOf(init), "");
}

/* returns the accumulator after the loop; body runs at least once */
static LLVMValueRef
loop_close(struct sv *s, struct loop *l, LLVMValueRef acc, unsigned step,
           LLVMValueRef last)
{
    struct gen *g = s->g;
    LLVMBasicBlockRef end = LLVMGetInsertBlock(g->b);
    LLVMValueRef next = LLVMBuildAdd(g->b, l->j, gen_i64(g, step), "");
    LLVMBasicBlockRef after = gen_block(g, "");

    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntSLE, next, last, ""),
                    l->body, after);
    LLVMValueRef js[2] = {l->start, next}, as[2] = {l->init, acc};
    LLVMBasicBlockRef from[2] = {l->before, end};
    LLVMAddIncoming(l->j, js, from, 2);
    LLVMAddIncoming(l->acc, as, from, 2);
    LLVMPositionBuilderAtEnd(g->b, after);
    return acc;
}

/* one block: terms j .. j + 3, where `from` is at coefficient j and `back` at
 * k - j, both less `off` */
static LLVMValueRef
products(struct sv *s, const uint32_t *pool, uint32_t n, LLVMValueRef from,
         LLVMValueRef back, int off, LLVMValueRef acc)
{
    struct gen *g = s->g;

    for (uint32_t i = 0; i < n; i++, pool += 3) {
        LLVMValueRef ab =
            LLVMBuildFMul(g->b, sv_coef(s, g->v4, pool[1], from, off),
                          backwards(s, pool[2], back, -off), "");
        acc = pool[0] ? LLVMBuildFSub(g->b, acc, ab, "")
                      : LLVMBuildFAdd(g->b, acc, ab, "");
    }
    return acc;
}

/* work + j, and work + k - j */
static void
both_ends(struct sv *s, LLVMValueRef j, LLVMValueRef *from, LLVMValueRef *back)
{
    *from = sv_moved(s, s->work, j);
    *back = sv_moved(s, s->work_k, LLVMBuildNeg(s->g->b, j, ""));
}

/* sum over pairs of +- sum_{j=0..k} a_j b_{k-j} */
LLVMValueRef
sv_convolution(struct sv *s, const uint32_t *pool, uint32_t n)
{
    struct gen *g = s->g;
    LLVMValueRef acc = gen_num(g, g->v4, 0.0), from, back;
    struct loop l;

    if (s->blocks) {
        for (unsigned m = 0; m < s->blocks; m++)
            acc = products(s, pool, n, s->work, s->work_k, (int)(4 * m), acc);
        return sum_lanes(s, acc);
    }
    loop_open(s, &l, gen_i64(g, 0), acc);
    both_ends(s, l.j, &from, &back);
    acc = products(s, pool, n, from, back, 0, l.acc);
    return sum_lanes(s, loop_close(s, &l, acc, 4, s->k));
}

/* S = sum_{j=1..k} b_j c_{k-j}; lane (j-1) mod 4 takes j */
LLVMValueRef
sv_division_sum(struct sv *s, uint32_t b, uint32_t c)
{
    struct gen *g = s->g;
    LLVMValueRef from, back;
    struct loop l;

    loop_open(s, &l, gen_i64(g, 1), gen_num(g, g->v4, 0.0));
    both_ends(s, l.j, &from, &back);
    LLVMValueRef bc = LLVMBuildFMul(g->b, sv_coef(s, g->v4, b, from, 0),
                                    backwards(s, c, back, 0), "");
    LLVMValueRef acc = LLVMBuildFAdd(g->b, l.acc, bc, "");
    return sum_lanes(s, loop_close(s, &l, acc, 4, s->k));
}

/* sum_{j=1..k} (j u_j) w_{k-j}, in order of j */
LLVMValueRef
sv_chain_sum(struct sv *s, uint32_t u, uint32_t w)
{
    struct gen *g = s->g;
    LLVMValueRef from, back;
    struct loop l;

    loop_open(s, &l, gen_i64(g, 1), gen_num(g, g->f64, 0.0));
    both_ends(s, l.j, &from, &back);
    LLVMValueRef ju =
        LLVMBuildFMul(g->b, LLVMBuildSIToFP(g->b, l.j, g->f64, ""),
                      sv_coef(s, g->f64, u, from, 0), "");
    LLVMValueRef wk = sv_coef(s, g->f64, w, back, 0);
    LLVMValueRef acc =
        LLVMBuildFAdd(g->b, l.acc, LLVMBuildFMul(g->b, ju, wk, ""), "");
    return loop_close(s, &l, acc, 1, s->k);
}
