/* SPDX-License-Identifier: GPL-3.0-or-later */
/* States that stay side by side. Where the rates of states are the lanes of one
 * pack of convolutions (pack.c), each times a constant or as it is, the rates
 * are carried from order to order as one vector, times 1/k once, and what the
 * arrays of the packs hold are its permutations: no lane is taken out to be put
 * in again. The numbers are
 * those of the states one by one. */
#include "codegen/series_priv.h"

#include "base/arena.h"

/* the convolution that register d is, or is a constant times; the constant */
static uint32_t
source(const struct sv *s, uint32_t d, uint32_t *scale)
{
    const imp_instr *in = s->code + d;

    *scale = NO_SLOT;
    if (sv_convolves(s, d))
        return d;
    if (in->op != IMP_OP_MUL)
        return NO_SLOT;
    for (int side = 0; side < 2; side++) {
        uint32_t c = side ? in->b : in->a, x = side ? in->a : in->b;
        if ((s->code[c].flags & IMP_INSTR_CONST) && sv_convolves(s, x)) {
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
sv_plan_held(struct sv *s)
{
    s->state_of = NEW_N(s->g->arena, struct pack *, s->t->code.n + 1);
    for (uint32_t p = 0; p < s->n_packs; p++)
        for (int l = 0; l < 4; l++)
            s->packs[p].state[l] = NO_SLOT;
    for (uint32_t i = 0; i < s->t->code.n; i++) {
        const imp_instr *in = s->code + i;
        uint32_t scale, c;
        if (in->op != IMP_OP_STATE || !sv_varies(in) ||
            !sv_varies(s->code + in->b) ||
            (c = source(s, in->b, &scale)) == NO_SLOT)
            continue;
        struct pack *k = s->pack_of[c];
        if (!k || k->ready == NO_SLOT)
            continue;
        unsigned l = lane_of(k->lane, c);
        if (k->state[l] == NO_SLOT) {
            k->state[l] = i;
            k->scale[l] = scale;
        }
    }
    for (uint32_t p = 0; p < s->n_packs; p++) {
        struct pack *k = s->packs + p;
        k->held = k->n_lanes > 1;
        for (unsigned l = 0; l < k->n_lanes; l++)
            k->held = k->held && k->state[l] != NO_SLOT;
        for (unsigned l = 0; l < k->n_lanes && k->held; l++)
            s->state_of[k->state[l]] = k;
    }
}

static LLVMValueRef
gather(struct sv *s, const struct pack *k,
       LLVMValueRef (*lane)(struct sv *s, const struct pack *k, unsigned l))
{
    struct gen *g = s->g;
    LLVMValueRef v = gen_num(g, g->v4, 0.0);

    for (unsigned l = 0; l < k->n_lanes; l++)
        v = LLVMBuildInsertElement(g->b, v, lane(s, k, l), gen_i32(g, l), "");
    return v;
}

static LLVMValueRef
scale(struct sv *s, const struct pack *k, unsigned l)
{
    return k->scale[l] == NO_SLOT ? gen_num(s->g, s->g->f64, 1.0)
                                  : sv_value(s, SV_ZERO, k->scale[l]);
}

static LLVMValueRef
rate(struct sv *s, const struct pack *k, unsigned l)
{
    return sv_value(s, SV_ZERO, s->code[k->state[l]].b);
}

void
sv_held_zero(struct sv *s)
{
    for (uint32_t p = 0; p < s->n_packs; p++) {
        struct pack *k = s->packs + p;
        if (!k->held)
            continue;
        k->by = gather(s, k, scale);
        k->rate_zero = gather(s, k, rate);
    }
}

void
sv_held_open(struct sv *s)
{
    for (uint32_t p = 0; p < s->n_packs; p++) {
        struct pack *k = s->packs + p;
        if (k->held)
            k->rate = LLVMBuildPhi(s->g->b, s->g->v4, "");
        k->now = NULL;
    }
}

void
sv_held_close(struct sv *s, LLVMBasicBlockRef *from)
{
    struct gen *g = s->g;

    for (uint32_t p = 0; p < s->n_packs; p++) {
        struct pack *k = s->packs + p;
        if (!k->held)
            continue;
        LLVMValueRef v[2] = {k->rate_zero,
                             LLVMBuildFMul(g->b, k->by, k->sum, "")};
        LLVMAddIncoming(k->rate, v, from, 2);
    }
}

static LLVMValueRef
now(struct sv *s, struct pack *k)
{
    struct gen *g = s->g;
    LLVMValueRef v = gen_num(g, g->v4, 0.0);

    for (unsigned l = 0; l < 4 && !k->now; l++)
        v = LLVMBuildInsertElement(g->b, v, s->per_k, gen_i32(g, l), "");
    if (!k->now)
        k->now = LLVMBuildFMul(g->b, k->rate, v, "");
    return k->now;
}

LLVMValueRef
sv_held_state(struct sv *s, uint32_t i)
{
    struct pack *k = s->state_of[i];

    return LLVMBuildExtractElement(s->g->b, now(s, k),
                                   gen_i32(s->g, lane_of(k->state, i)), "");
}

LLVMValueRef
sv_held_entry(struct sv *s, const struct pack_array *a)
{
    struct gen *g = s->g;
    struct pack *k = NULL;
    LLVMValueRef lane[4], sign[4];
    LLVMTypeRef bits = LLVMVectorType(g->i64, 4);
    bool minus = false;

    for (unsigned l = 0; l < 4; l++) {
        uint32_t i = a->reg[l];
        sign[l] = gen_i64(g, 0);
        lane[l] = gen_i32(g, 4); /* of the vector of zeros */
        if (i == UINT32_MAX)
            continue;
        if (!s->state_of[i] || (k && s->state_of[i] != k))
            return NULL;
        k = s->state_of[i];
        lane[l] = gen_i32(g, lane_of(k->state, i));
        minus |= a->minus[l];
        if (a->minus[l])
            sign[l] = gen_i64(g, (uint64_t)1 << 63);
    }
    if (!k)
        return NULL;
    LLVMValueRef v = LLVMBuildShuffleVector(
        g->b, now(s, k), gen_num(g, g->v4, 0.0), LLVMConstVector(lane, 4), "");
    if (!minus)
        return v;
    v = LLVMBuildXor(g->b, LLVMBuildBitCast(g->b, v, bits, ""),
                     LLVMConstVector(sign, 4), "");
    return LLVMBuildBitCast(g->b, v, g->v4, "");
}
