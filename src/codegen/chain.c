/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of CHAIN operators, four at a time.
 *
 * S_k = sum_{j=1..k} (j u_j) w_{k-j} is added up in the order of j, so each
 * addition waits for the one before. But only the last term needs coefficients
 * of order k: the others are computed before that order, and the sums of four
 * operators, such as the sine and the cosine of one angle, are the lanes of one
 * vector. The factors j u_j are kept as the arrays of pack.c are, and made once
 * per order. Behind the last of them that is not 0 in some lane no term is
 * added: the angle of a body that flies freely has two coefficients. */
#include "codegen/series_priv.h"

#include <assert.h>

#include "base/arena.h"

static bool
is_chain(const struct sv *series, uint32_t reg)
{
    const imp_instr *in = series->code + reg;

    return sv_varies(in) && gen_ops[in->op].rule == SER_CHAIN;
}

uint32_t
sv_count_chains(const struct sv *series)
{
    uint32_t n = 0;

    for (uint32_t reg = 0; reg < series->t->code.n; reg++)
        n += is_chain(series, reg);
    return n;
}

void
sv_plan_chains(struct sv *series)
{
    assert(series->pack.arrays && !series->chain.groups);
    struct arena *arena = series->g->arena;
    uint32_t n = sv_count_chains(series);

    series->chain.groups = NEW_N(arena, struct chain_group, n + 1);
    series->chain.of =
        NEW_N(arena, struct chain_group *, series->t->code.n + 1);
    if (series->parts.n > 1)
        return;
    for (uint32_t reg = 0; reg < series->t->code.n; reg++) {
        if (!is_chain(series, reg))
            continue;
        struct chain_group *group =
            series->chain.groups + series->chain.n_groups;
        series->chain.of[reg] = group;
        group->lane[group->n_lanes++] = reg;
        series->chain.n_groups += group->n_lanes == 4;
    }
    if (series->chain.groups[series->chain.n_groups].n_lanes)
        series->chain.n_groups++;
    for (uint32_t which = 0; which < series->chain.n_groups; which++) {
        struct chain_group *group = series->chain.groups + which;
        struct pack_array inner = {.times_order = true}, outer = {.part = 0};
        for (uint32_t l = 0; l < 4; l++) {
            const imp_instr *in = series->code + group->lane[l];
            bool used = l < group->n_lanes;
            inner.reg[l] = used ? in->a : UINT32_MAX;
            outer.reg[l] = used ? in->c : UINT32_MAX;
        }
        group->until = series->layout.n_slots++;
        group->inner = sv_pack_array(series, &inner);
        group->outer = sv_pack_array(series, &outer);
    }
}

/* The entry of scratch that holds where the factors of a group end. */
static LLVMValueRef
until(const struct sv *series, const struct chain_group *group)
{
    const struct gen *gen = series->g;
    return gen_at(gen, gen->type.f64, series->fn.scratch,
                  gen_i64(gen, group->until), gen->type.i64);
}

void
sv_chains_zero(struct sv *series)
{
    assert(series);
    const struct gen *gen = series->g;
    for (uint32_t which = 0; which < series->chain.n_groups; which++)
        gen_store(gen, gen->type.i64, gen_i64(gen, 1),
                  until(series, series->chain.groups + which));
}

void
sv_chains_push(struct sv *series)
{
    assert(series->fn.k);
    struct gen *gen = series->g;
    LLVMTypeRef four = LLVMIntTypeInContext(gen->cx, 4);
    LLVMValueRef zero = gen_num(gen, gen->type.v4, 0.0),
                 next = LLVMBuildAdd(gen->b, series->fn.k, gen_i64(gen, 1), "");
    for (uint32_t which = 0; which < series->chain.n_groups; which++) {
        const struct chain_group *group = series->chain.groups + which;
        LLVMValueRef ju =
            gen_load(gen, gen->type.v4,
                     sv_pack_entry(series, group->inner, series->fn.k, 0));
        LLVMValueRef any = LLVMBuildICmp(
            gen->b, LLVMIntNE,
            LLVMBuildBitCast(gen->b,
                             LLVMBuildFCmp(gen->b, LLVMRealUNE, ju, zero, ""),
                             four, ""),
            LLVMConstInt(four, 0, 0), "");
        LLVMValueRef end = gen_load(gen, gen->type.i64, until(series, group));
        gen_store(gen, gen->type.i64,
                  LLVMBuildSelect(gen->b, any, next, end, ""),
                  until(series, group));
    }
}

/* The terms j = 1 .. k - 1 of one group. */
static void
sum(struct sv *series, struct chain_group *group)
{
    struct gen *gen = series->g;
    LLVMValueRef zero = gen_num(gen, gen->type.v4, 0.0);
    struct sv_loop loop;
    LLVMValueRef end = gen_load(gen, gen->type.i64, until(series, group));

    end = LLVMBuildSelect(
        gen->b, LLVMBuildICmp(gen->b, LLVMIntSLT, end, series->fn.k, ""), end,
        series->fn.k, "");
    sv_loop_open(series, &loop, 1, 1, zero);
    LLVMValueRef back = LLVMBuildSub(gen->b, series->fn.k, loop.j, "");
    LLVMValueRef ju = gen_load(gen, gen->type.v4,
                               sv_pack_entry(series, group->inner, loop.j, 0));
    LLVMValueRef w = gen_load(gen, gen->type.v4,
                              sv_pack_entry(series, group->outer, back, 0));
    LLVMValueRef acc = LLVMBuildFAdd(
        gen->b, loop.acc[0],
        LLVMBuildSelect(gen->b,
                        LLVMBuildFCmp(gen->b, LLVMRealOEQ, ju, zero, ""), zero,
                        LLVMBuildFMul(gen->b, ju, w, ""), ""),
        "");
    sv_loop_close(series, &loop, &acc, 1, end);
    /* the loop runs once at least, but order 1 has no such term */
    group->sum = LLVMBuildSelect(
        gen->b,
        LLVMBuildICmp(gen->b, LLVMIntEQ, series->fn.k, gen_i64(gen, 1), ""),
        zero, acc, "");
}

void
sv_chains_inner(struct sv *series)
{
    for (uint32_t which = 0; which < series->chain.n_groups; which++)
        sum(series, series->chain.groups + which);
}

LLVMValueRef
sv_chain_sum(struct sv *series, uint32_t reg)
{
    assert(series->fn.k);
    struct gen *gen = series->g;
    const imp_instr *in = series->code + reg;
    const struct chain_group *group = series->chain.of[reg];
    unsigned lane = 0;

    if (!group)
        return sv_chain_loop(series, in->a, in->c);
    while (group->lane[lane] != reg)
        lane++;
    LLVMValueRef u = sv_value(series, SV_K, in->a);
    LLVMValueRef last = sv_unless_zero(
        gen, u,
        LLVMBuildFMul(gen->b, LLVMBuildFMul(gen->b, series->fn.kd, u, ""),
                      sv_value(series, SV_ZERO, in->c), ""));
    return LLVMBuildFAdd(
        gen->b,
        LLVMBuildExtractElement(gen->b, group->sum, gen_i32(gen, lane), ""),
        last, "");
}
