/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over products of coefficients: the outer terms of convolutions (their
 * inner terms come from pack.c), and the sums of CHAIN operators. */
#include "codegen/series_priv.h"

/* acc +- x, the first (acc NULL) with its sign */
static LLVMValueRef
gather(struct sv *s, LLVMValueRef acc, uint32_t minus, LLVMValueRef x)
{
    LLVMBuilderRef b = s->g->b;

    if (!acc)
        return minus ? LLVMBuildFNeg(b, x, "") : x;
    return minus ? LLVMBuildFSub(b, acc, x, "") : LLVMBuildFAdd(b, acc, x, "");
}

/* coefficient k of register i, the sum over pairs of +- sum_{j=0..k} a_j
 * b_{k-j} */
LLVMValueRef
sv_convolution(struct sv *s, uint32_t i, const uint32_t *pool, uint32_t n)
{
    struct gen *g = s->g;
    LLVMValueRef ends = NULL, whole = sv_packs_sum(s, i);

    if (whole)
        return whole;
    for (uint32_t p = 0; p < n; p++, pool += 3) {
        LLVMValueRef left = LLVMBuildFMul(g->b, sv_value(s, SV_ZERO, pool[1]),
                                          sv_value(s, SV_K, pool[2]), "");
        LLVMValueRef right = LLVMBuildFMul(g->b, sv_value(s, SV_K, pool[1]),
                                           sv_value(s, SV_ZERO, pool[2]), "");
        ends = gather(s, ends, pool[0], LLVMBuildFAdd(g->b, left, right, ""));
    }
    return LLVMBuildFAdd(g->b, s->inner[i], ends, "");
}

/* sum_{j=1..k} b_j c_{k-j} of the quotient i = a/b */
LLVMValueRef
sv_division_sum(struct sv *s, uint32_t i)
{
    struct gen *g = s->g;
    LLVMValueRef end = LLVMBuildFMul(g->b, sv_value(s, SV_K, s->code[i].b),
                                     sv_value(s, SV_ZERO, i), "");

    return LLVMBuildFAdd(g->b, s->inner[i], end, "");
}

/* sum_{j=1..k} (j u_j) w_{k-j}, in order of j */
LLVMValueRef
sv_chain_sum(struct sv *s, uint32_t u, uint32_t w)
{
    struct gen *g = s->g;
    struct sv_loop l;

    sv_loop_open(s, &l, 1, 1, gen_num(g, g->f64, 0.0));
    LLVMValueRef from = sv_moved(s, s->work, l.j);
    LLVMValueRef back = sv_moved(s, s->work_k, LLVMBuildNeg(s->g->b, l.j, ""));
    LLVMValueRef ju =
        LLVMBuildFMul(g->b, LLVMBuildSIToFP(g->b, l.j, g->f64, ""),
                      sv_coef(s, g->f64, u, from, 0), "");
    LLVMValueRef wk = sv_coef(s, g->f64, w, back, 0);
    LLVMValueRef acc =
        LLVMBuildFAdd(g->b, l.acc[0], LLVMBuildFMul(g->b, ju, wk, ""), "");
    sv_loop_close(s, &l, &acc, 1, LLVMBuildAdd(g->b, s->k, gen_i64(g, 1), ""));
    return acc;
}
