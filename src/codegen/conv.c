/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over products of coefficients: the outer terms of convolutions (their
 * inner terms come from pack.c), and the sums of CHAIN operators in functions
 * of several parts. */
#include "codegen/series_priv.h"

#include <assert.h>

/* acc + x or acc - x; the first term (acc NULL) is x or -x. */
static LLVMValueRef
gather(struct sv *series, LLVMValueRef acc, uint32_t minus, LLVMValueRef x)
{
    LLVMBuilderRef b = series->g->b;

    if (!acc)
        return minus ? LLVMBuildFNeg(b, x, "") : x;
    return minus ? LLVMBuildFSub(b, acc, x, "") : LLVMBuildFAdd(b, acc, x, "");
}

/* Coefficient k of a product or sum of products: the sum over pairs of +-
 * sum_{j=0..k} a_j b_{k-j}. */
LLVMValueRef
sv_convolution(struct sv *series, uint32_t reg, const uint32_t *pool,
               uint32_t n)
{
    assert(n > 0 && sv_convolves(series, reg));
    struct gen *gen = series->g;
    LLVMValueRef ends = NULL, whole = sv_packs_sum(series, reg);

    if (whole)
        return whole;
    for (uint32_t p = 0; p < n; p++, pool += 3) {
        LLVMValueRef left =
            LLVMBuildFMul(gen->b, sv_value(series, SV_ZERO, pool[1]),
                          sv_value(series, SV_K, pool[2]), "");
        LLVMValueRef right =
            LLVMBuildFMul(gen->b, sv_value(series, SV_K, pool[1]),
                          sv_value(series, SV_ZERO, pool[2]), "");
        ends = gather(series, ends, pool[0],
                      LLVMBuildFAdd(gen->b, left, right, ""));
    }
    return LLVMBuildFAdd(gen->b, series->pack.inner[reg], ends, "");
}

/* sum_{j=1..k} b_j c_{k-j} for the quotient c = a/b */
LLVMValueRef
sv_division_sum(struct sv *series, uint32_t reg)
{
    assert(series->code[reg].op == IMP_OP_DIV);
    struct gen *gen = series->g;
    LLVMValueRef end =
        LLVMBuildFMul(gen->b, sv_value(series, SV_K, series->code[reg].b),
                      sv_value(series, SV_ZERO, reg), "");

    return LLVMBuildFAdd(gen->b, series->pack.inner[reg], end, "");
}

LLVMValueRef
sv_unless_zero(struct gen *gen, LLVMValueRef factor, LLVMValueRef product)
{
    LLVMValueRef zero = gen_num(gen, gen->type.f64, 0.0);
    return LLVMBuildSelect(gen->b,
                           LLVMBuildFCmp(gen->b, LLVMRealOEQ, factor, zero, ""),
                           zero, product, "");
}

/* sum_{j=1..k} (j u_j) w_{k-j}, in order of j; terms with u_j = 0 are 0 */
LLVMValueRef
sv_chain_loop(struct sv *series, uint32_t inner, uint32_t outer)
{
    assert(series->fn.k);
    struct gen *gen = series->g;
    struct sv_loop loop;

    sv_loop_open(series, &loop, 1, 1, gen_num(gen, gen->type.f64, 0.0));
    LLVMValueRef from = sv_moved(series, series->fn.work, loop.j);
    LLVMValueRef back = sv_moved(series, series->fn.work_k,
                                 LLVMBuildNeg(series->g->b, loop.j, ""));
    LLVMValueRef u = sv_coef(series, gen->type.f64, inner, from, 0);
    LLVMValueRef ju = LLVMBuildFMul(
        gen->b, LLVMBuildSIToFP(gen->b, loop.j, gen->type.f64, ""), u, "");
    LLVMValueRef wk = sv_coef(series, gen->type.f64, outer, back, 0);
    LLVMValueRef acc = LLVMBuildFAdd(
        gen->b, loop.acc[0],
        sv_unless_zero(gen, u, LLVMBuildFMul(gen->b, ju, wk, "")), "");
    sv_loop_close(series, &loop, &acc, 1,
                  LLVMBuildAdd(gen->b, series->fn.k, gen_i64(gen, 1), ""));
    return acc;
}
