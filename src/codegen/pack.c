/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inner terms of convolutions, four convolutions at a time.
 *
 * S_k = sum_{j=1..k-1} a_j b_{k-j} needs lower orders only. So the inner terms
 * of all convolutions of a part are computed before its order k, in any order:
 * each lane of a vector is one convolution. Their operands are kept a second
 * time, side by side: entry k of an array holds the coefficients k of four
 * registers. So a load reads a whole vector that was stored by one store, which
 * processors forward without delay, and there are no shuffles. The sums are
 * those of docs/tape.md: four accumulators take the terms 1, 5, ...; 2, 6, ...;
 * and so on. */
#include "codegen/series_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static uint32_t
n_products(const struct sv *series, uint32_t reg)
{
    return series->code[reg].op == IMP_OP_DOT ? series->code[reg].b : 1;
}

/* The registers and the sign of product number `which` of a convolution. */
static void
product(const struct sv *series, uint32_t reg, uint32_t which, uint32_t *left,
        uint32_t *right, bool *minus)
{
    const imp_instr *in = series->code + reg;
    const uint32_t *pool = IMP_ARRAY(series->g->im, series->t->pool, uint32_t);

    *minus = false;
    *left = in->a;
    *right = in->b;
    if (in->op == IMP_OP_DIV) {
        *left = in->b;
        *right = reg;
    } else if (in->op == IMP_OP_DOT) {
        pool += in->a + 3 * which;
        *minus = pool[0] != 0;
        *left = pool[1];
        *right = pool[2];
    }
}

uint32_t
sv_pack_array(struct sv *series, const struct pack_array *want)
{
    for (uint32_t i = series->pack.n_arrays;
         i-- > 0 && series->pack.arrays[i].part == want->part;)
        if (series->pack.arrays[i].times_order == want->times_order &&
            !memcmp(series->pack.arrays[i].reg, want->reg, sizeof want->reg) &&
            !memcmp(series->pack.arrays[i].minus, want->minus,
                    sizeof want->minus))
            return i;
    series->pack.arrays[series->pack.n_arrays] = *want;
    return series->pack.n_arrays++;
}

static uint32_t
later(uint32_t ready, uint32_t reg)
{
    return reg == UINT32_MAX || reg < ready ? ready : reg + 1;
}

static void
close_pack(struct sv *series, struct pack *pack)
{
    pack->a = NEW_N(series->g->arena, uint32_t, pack->n_slots);
    pack->b = NEW_N(series->g->arena, uint32_t, pack->n_slots);
    for (uint32_t slot = 0; slot < pack->n_slots; slot++) {
        struct pack_array left = {.part = pack->part},
                          right = {.part = pack->part};
        for (uint32_t l = 0; l < 4; l++) {
            left.reg[l] = right.reg[l] = UINT32_MAX;
            if (l < pack->n_lanes && slot < n_products(series, pack->lane[l]))
                product(series, pack->lane[l], slot, &left.reg[l],
                        &right.reg[l], &left.minus[l]);
        }
        for (uint32_t l = 0; l < 4; l++) {
            pack->ready = later(pack->ready, left.reg[l]);
            pack->ready = later(pack->ready, right.reg[l]);
        }
        pack->a[slot] = sv_pack_array(series, &left);
        series->pack.arrays[pack->a[slot]].upwards = true;
        pack->b[slot] = sv_pack_array(series, &right);
        series->pack.arrays[pack->b[slot]].downwards = true;
    }
    for (uint32_t l = 0; l < pack->n_lanes; l++) {
        series->pack.of[pack->lane[l]] = pack;
        if (pack->lane[l] < pack->ready)
            pack->ready = NO_SLOT;
    }
    if (series->parts.n > 1 || series->layout.nu)
        pack->ready = NO_SLOT;
}

struct conv_ref {
    uint32_t part, n, i;
};

/* Sorts by part, then the longest first, so that the four of a pack have about
 * the same length. */
static int
by_length(const void *x, const void *y)
{
    const struct conv_ref *a = x, *b = y;

    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return a->i < b->i ? -1 : 1;
}

void
sv_plan_packs(struct sv *series)
{
    assert(!series->pack.packs);
    struct arena *arena = series->g->arena;
    uint32_t n_conv = 0, products = 0;
    struct conv_ref *conv =
        NEW_N(arena, struct conv_ref, series->t->code.n + 1);

    for (uint32_t reg = 0; reg < series->t->code.n; reg++)
        if (sv_convolves(series, reg)) {
            uint32_t m = n_products(series, reg);
            conv[n_conv++] = (struct conv_ref){series->parts.of[reg], m, reg};
            products += m;
        }
    qsort(conv, n_conv, sizeof *conv, by_length);
    series->pack.packs = NEW_N(arena, struct pack, n_conv + 1);
    series->pack.arrays = NEW_N(arena, struct pack_array,
                                2 * (products + sv_count_chains(series)) + 1);
    series->pack.of = NEW_N(arena, struct pack *, series->t->code.n + 1);
    series->pack.inner = NEW_N(arena, LLVMValueRef, series->t->code.n + 1);
    for (uint32_t which = 0; which < n_conv; which++) {
        struct pack *pack = series->pack.packs + series->pack.n_packs;
        if (which && pack->n_lanes &&
            (pack->n_lanes == 4 || pack->part != conv[which].part)) {
            close_pack(series, pack++);
            series->pack.n_packs++;
        }
        if (!pack->n_lanes) {
            pack->part = conv[which].part;
            pack->n_slots = conv[which].n;
        }
        pack->lane[pack->n_lanes++] = conv[which].i;
    }
    if (n_conv) {
        close_pack(series, series->pack.packs + series->pack.n_packs);
        series->pack.n_packs++;
    }
    sv_plan_held(series);
    sv_plan_chains(series);
    /* vectors are aligned to their size */
    series->pack.first_array = (series->layout.n_slots + 3) / 4 * 4;
    series->layout.n_slots =
        series->pack.first_array + series->pack.n_arrays * 4 * PACK_STRIDE;
}

LLVMValueRef
sv_pack_entry(struct sv *series, uint32_t array, LLVMValueRef base, int off)
{
    struct gen *gen = series->g;
    uint64_t at = (uint64_t)(array * PACK_STRIDE + PACK_ZEROS) +
                  series->pack.first_array / 4;
    LLVMValueRef p = series->fn.scratch;

    if (base)
        p = gen_at(gen, gen->type.v4, p, base, gen->type.f64);
    return gen_at(gen, gen->type.v4, p,
                  gen_i64(gen, (uint64_t)((int64_t)at + off)), gen->type.v4);
}

static LLVMValueRef
side_by_side(struct sv *series, const struct pack_array *array,
             LLVMValueRef (*coefficient)(struct sv *series, uint32_t reg))
{
    struct gen *gen = series->g;
    LLVMValueRef v = gen_num(gen, gen->type.v4, 0.0);

    for (unsigned l = 0; l < 4; l++) {
        if (array->reg[l] == UINT32_MAX)
            continue;
        LLVMValueRef c = coefficient(series, array->reg[l]);
        if (array->minus[l])
            c = LLVMBuildFNeg(gen->b, c, "");
        v = LLVMBuildInsertElement(gen->b, v, c, gen_i32(gen, l), "");
    }
    return v;
}

/* The vector of order k that an array gets. */
static LLVMValueRef
of_order(struct sv *series, const struct pack_array *array,
         LLVMValueRef coefficients)
{
    struct gen *gen = series->g;
    LLVMValueRef k = gen_num(gen, gen->type.v4, 0.0);

    for (unsigned l = 0; l < 4 && array->times_order; l++)
        k = LLVMBuildInsertElement(gen->b, k, series->fn.kd, gen_i32(gen, l),
                                   "");
    return array->times_order ? LLVMBuildFMul(gen->b, k, coefficients, "")
                              : coefficients;
}

static LLVMValueRef
at_zero(struct sv *series, uint32_t reg)
{
    return sv_value(series, SV_ZERO, reg);
}

static LLVMValueRef
at_k(struct sv *series, uint32_t reg)
{
    return sv_value(series, SV_K, reg);
}

/* coefficient k - 1, from its row */
static LLVMValueRef
before_k(struct sv *series, uint32_t reg)
{
    return sv_coef(series, series->g->type.f64, reg, series->fn.work_k, -1);
}

void
sv_packs_zero(struct sv *series)
{
    assert(series);
    struct gen *gen = series->g;
    LLVMValueRef zero = gen_num(gen, gen->type.v4, 0.0);

    for (uint32_t which = 0; which < series->pack.n_arrays; which++) {
        if (series->pack.arrays[which].part != series->parts.at)
            continue;
        int first = series->pack.arrays[which].downwards ? -PACK_ZEROS : 1;
        int last = series->pack.arrays[which].upwards ? PACK_ZEROS + 1 : -1;
        for (int k = first; k <= last; k++)
            if (k)
                gen_store(gen, gen->type.v4, zero,
                          sv_pack_entry(series, which, NULL, k));
        if (series->parts.n == 1) {
            series->pack.arrays[which].zero =
                series->pack.arrays[which].times_order
                    ? zero
                    : side_by_side(series, series->pack.arrays + which,
                                   at_zero);
            gen_store(gen, gen->type.v4, series->pack.arrays[which].zero,
                      sv_pack_entry(series, which, NULL, 0));
        }
    }
}

static void
push(struct sv *series, int off,
     LLVMValueRef (*coefficient)(struct sv *series, uint32_t reg))
{
    struct gen *gen = series->g;

    for (uint32_t which = 0; which < series->pack.n_arrays; which++) {
        struct pack_array *array = series->pack.arrays + which;
        if (array->part != series->parts.at)
            continue;
        LLVMValueRef all =
            array->k || off ? array->k : sv_held_entry(series, array);
        if (!all)
            all = side_by_side(series, array, coefficient);
        gen_store(gen, gen->type.v4, of_order(series, array, all),
                  sv_pack_entry(series, which, series->fn.k, off));
        array->k = NULL;
        if (array->upwards)
            gen_store(
                gen, gen->type.v4, gen_num(gen, gen->type.v4, 0.0),
                sv_pack_entry(series, which, series->fn.k, off + PACK_ZEROS));
    }
}

static LLVMValueRef
entry_k(struct sv *series, struct pack_array *array)
{
    if (!array->k)
        array->k = sv_held_entry(series, array);
    if (!array->k)
        array->k = side_by_side(series, array, at_k);
    return array->k;
}

LLVMValueRef
sv_packs_sum(struct sv *series, uint32_t reg)
{
    struct gen *gen = series->g;
    struct pack *pack = series->pack.of[reg];
    LLVMValueRef ends = NULL;
    unsigned lane = 0;

    if (!pack || pack->ready == NO_SLOT)
        return NULL;
    for (uint32_t p = 0; !pack->sum && p < pack->n_slots; p++) {
        struct pack_array *array = series->pack.arrays + pack->a[p],
                          *b = series->pack.arrays + pack->b[p];
        LLVMValueRef left =
            LLVMBuildFMul(gen->b, array->zero, entry_k(series, b), "");
        LLVMValueRef right =
            LLVMBuildFMul(gen->b, entry_k(series, array), b->zero, "");
        LLVMValueRef both = LLVMBuildFAdd(gen->b, left, right, "");
        ends = ends ? LLVMBuildFAdd(gen->b, ends, both, "") : both;
    }
    if (!pack->sum)
        pack->sum = LLVMBuildFAdd(gen->b, pack->inner, ends, "");
    while (pack->lane[lane] != reg)
        lane++;
    return LLVMBuildExtractElement(gen->b, pack->sum, gen_i32(gen, lane), "");
}

void
sv_packs_push(struct sv *series)
{
    if (series->parts.n == 1)
        push(series, 0, at_k);
}

/* Adds the terms j .. j + 3 of all lanes of a pack to the four accumulators. */
static void
block(struct sv *series, const struct pack *pack, LLVMValueRef j,
      LLVMValueRef back, LLVMValueRef *acc)
{
    struct gen *gen = series->g;

    for (int l = 0; l < 4; l++) {
        LLVMValueRef sum = NULL;
        for (uint32_t p = 0; p < pack->n_slots; p++) {
            LLVMValueRef x = gen_load(gen, gen->type.v4,
                                      sv_pack_entry(series, pack->a[p], j, l));
            LLVMValueRef y = gen_load(
                gen, gen->type.v4, sv_pack_entry(series, pack->b[p], back, -l));
            LLVMValueRef xy = LLVMBuildFMul(gen->b, x, y, "");
            sum = sum ? LLVMBuildFAdd(gen->b, sum, xy, "") : xy;
        }
        acc[l] = LLVMBuildFAdd(gen->b, acc[l], sum, "");
    }
}

static void
finish(struct sv *series, struct pack *pack, LLVMValueRef *acc)
{
    struct gen *gen = series->g;
    LLVMValueRef sum =
        LLVMBuildFAdd(gen->b, LLVMBuildFAdd(gen->b, acc[0], acc[2], ""),
                      LLVMBuildFAdd(gen->b, acc[1], acc[3], ""), "");

    pack->inner = sum;
    pack->sum = NULL;
    for (unsigned l = 0; pack->ready == NO_SLOT && l < pack->n_lanes; l++)
        series->pack.inner[pack->lane[l]] =
            LLVMBuildExtractElement(gen->b, sum, gen_i32(gen, l), "");
}

void
sv_packs_inner(struct sv *series)
{
    assert(series);
    struct gen *gen = series->g;

    if (series->parts.n > 1)
        push(series, -1, before_k);
    for (uint32_t which = 0; which < series->pack.n_packs;) {
        struct pack *pack = series->pack.packs + which;
        struct sv_loop loop;
        if (pack->part != series->parts.at) {
            which++;
            continue;
        }
        /* two packs share a loop, because eight accumulators fit the registers
         */
        unsigned n_packs =
            which + 1 < series->pack.n_packs && pack[1].part == pack->part ? 2
                                                                           : 1;
        LLVMValueRef acc[SV_LOOP_MAX];
        sv_loop_open(series, &loop, 1, 4 * n_packs,
                     gen_num(gen, gen->type.v4, 0.0));
        LLVMValueRef back = LLVMBuildSub(gen->b, series->fn.k, loop.j, "");
        memcpy(acc, loop.acc, sizeof acc);
        for (unsigned i = 0; i < n_packs; i++)
            block(series, pack + i, loop.j, back, acc + 4 * i);
        sv_loop_close(series, &loop, acc, 4, series->fn.k);
        for (unsigned i = 0; i < n_packs; i++)
            finish(series, pack + i, acc + 4 * i);
        which += n_packs;
    }
}
