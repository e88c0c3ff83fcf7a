/* SPDX-License-Identifier: GPL-3.0-or-later */
/* States that stay in one vector. Where the rates of states are the lanes of
 * one pack of convolutions (pack.c), each as it is or times a constant, the
 * rates are carried from order to order as one vector, which is multiplied by
 * 1/k once. The vectors that the packs read are permutations of it, so no lane
 * is taken out only to be put in again. The numbers are the same as those of
 * the states one by one. */
#include "codegen/series_priv.h"

#include <assert.h>

#include "base/arena.h"

/* The convolution that register d is, or is a constant multiple of; *scale is
 * the register of the constant. NO_SLOT if there is none. */
static uint32_t
source(const struct sv *series, uint32_t d, uint32_t *scale)
{
    const imp_instr *in = series->code + d;

    *scale = NO_SLOT;
    if (sv_convolves(series, d))
        return d;
    if (in->op != IMP_OP_MUL)
        return NO_SLOT;
    for (int side = 0; side < 2; side++) {
        uint32_t c = side ? in->b : in->a, x = side ? in->a : in->b;
        if ((series->code[c].flags & IMP_INSTR_CONST) &&
            sv_convolves(series, x)) {
            *scale = c;
            return x;
        }
    }
    return NO_SLOT;
}

static unsigned
lane_of(const uint32_t *reg, uint32_t i)
{
    unsigned l = 0;

    while (reg[l] != i)
        l++;
    return l;
}

void
sv_plan_held(struct sv *series)
{
    assert(series);
    series->pack.of_state =
        NEW_N(series->g->arena, struct pack *, series->t->code.n + 1);
    for (uint32_t p = 0; p < series->pack.n_packs; p++)
        for (int l = 0; l < 4; l++)
            series->pack.packs[p].state[l] = NO_SLOT;
    for (uint32_t reg = 0; reg < series->t->code.n; reg++) {
        const imp_instr *in = series->code + reg;
        uint32_t scale, conv;
        if (in->op != IMP_OP_STATE || !sv_varies(in) ||
            !sv_varies(series->code + in->b) ||
            (conv = source(series, in->b, &scale)) == NO_SLOT)
            continue;
        struct pack *pack = series->pack.of[conv];
        if (!pack || pack->ready == NO_SLOT)
            continue;
        unsigned l = lane_of(pack->lane, conv);
        if (pack->state[l] == NO_SLOT) {
            pack->state[l] = reg;
            pack->scale[l] = scale;
        }
    }
    for (uint32_t p = 0; p < series->pack.n_packs; p++) {
        struct pack *pack = series->pack.packs + p;
        pack->held = pack->n_lanes > 1;
        for (unsigned l = 0; l < pack->n_lanes; l++)
            pack->held = pack->held && pack->state[l] != NO_SLOT;
        for (unsigned l = 0; l < pack->n_lanes && pack->held; l++)
            series->pack.of_state[pack->state[l]] = pack;
    }
}

static LLVMValueRef
gather(struct sv *series, const struct pack *pack,
       LLVMValueRef (*lane)(struct sv *series, const struct pack *pack,
                            unsigned l))
{
    struct gen *gen = series->g;
    LLVMValueRef v = gen_num(gen, gen->type.v4, 0.0);

    for (unsigned l = 0; l < pack->n_lanes; l++)
        v = LLVMBuildInsertElement(gen->b, v, lane(series, pack, l),
                                   gen_i32(gen, l), "");
    return v;
}

static LLVMValueRef
scale(struct sv *series, const struct pack *pack, unsigned l)
{
    return pack->scale[l] == NO_SLOT
               ? gen_num(series->g, series->g->type.f64, 1.0)
               : sv_value(series, SV_ZERO, pack->scale[l]);
}

static LLVMValueRef
rate(struct sv *series, const struct pack *pack, unsigned l)
{
    return sv_value(series, SV_ZERO, series->code[pack->state[l]].b);
}

void
sv_held_zero(struct sv *series)
{
    for (uint32_t p = 0; p < series->pack.n_packs; p++) {
        struct pack *pack = series->pack.packs + p;
        if (!pack->held)
            continue;
        pack->by = gather(series, pack, scale);
        pack->rate_zero = gather(series, pack, rate);
    }
}

void
sv_held_open(struct sv *series)
{
    for (uint32_t p = 0; p < series->pack.n_packs; p++) {
        struct pack *pack = series->pack.packs + p;
        if (pack->held)
            pack->rate = LLVMBuildPhi(series->g->b, series->g->type.v4, "");
        pack->now = NULL;
    }
}

void
sv_held_close(struct sv *series, LLVMBasicBlockRef *from)
{
    assert(series);
    struct gen *gen = series->g;

    for (uint32_t p = 0; p < series->pack.n_packs; p++) {
        struct pack *pack = series->pack.packs + p;
        if (!pack->held)
            continue;
        LLVMValueRef v[2] = {pack->rate_zero,
                             LLVMBuildFMul(gen->b, pack->by, pack->sum, "")};
        LLVMAddIncoming(pack->rate, v, from, 2);
    }
}

static LLVMValueRef
now(struct sv *series, struct pack *pack)
{
    struct gen *gen = series->g;
    LLVMValueRef v = gen_num(gen, gen->type.v4, 0.0);

    for (unsigned l = 0; l < 4 && !pack->now; l++)
        v = LLVMBuildInsertElement(gen->b, v, series->fn.per_k, gen_i32(gen, l),
                                   "");
    if (!pack->now)
        pack->now = LLVMBuildFMul(gen->b, pack->rate, v, "");
    return pack->now;
}

LLVMValueRef
sv_held_state(struct sv *series, uint32_t reg)
{
    assert(series->pack.of_state[reg]);
    struct pack *pack = series->pack.of_state[reg];

    return LLVMBuildExtractElement(
        series->g->b, now(series, pack),
        gen_i32(series->g, lane_of(pack->state, reg)), "");
}

LLVMValueRef
sv_held_entry(struct sv *series, const struct pack_array *array)
{
    struct gen *gen = series->g;
    struct pack *pack = NULL;
    LLVMValueRef lane[4], sign[4];
    LLVMTypeRef bits = LLVMVectorType(gen->type.i64, 4);
    bool minus = false;

    for (unsigned at = 0; at < 4; at++) {
        uint32_t i = array->reg[at];
        sign[at] = gen_i64(gen, 0);
        lane[at] =
            gen_i32(gen, 4); /* This lane is one of the vector of zeros. */
        if (i == UINT32_MAX)
            continue;
        if (!series->pack.of_state[i] ||
            (pack && series->pack.of_state[i] != pack))
            return NULL;
        pack = series->pack.of_state[i];
        lane[at] = gen_i32(gen, lane_of(pack->state, i));
        minus |= array->minus[at];
        if (array->minus[at])
            sign[at] = gen_i64(gen, (uint64_t)1 << 63);
    }
    if (!pack)
        return NULL;
    LLVMValueRef vector = LLVMBuildShuffleVector(
        gen->b, now(series, pack), gen_num(gen, gen->type.v4, 0.0),
        LLVMConstVector(lane, 4), "");
    if (!minus)
        return vector;
    vector = LLVMBuildXor(gen->b, LLVMBuildBitCast(gen->b, vector, bits, ""),
                          LLVMConstVector(sign, 4), "");
    return LLVMBuildBitCast(gen->b, vector, gen->type.v4, "");
}
