/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inner terms of convolutions, four convolutions at a time.
 *
 * S_k = sum_{j=1..k-1} a_j b_{k-j} needs lower orders only, so the inner terms
 * of all convolutions of a part are computed before its order k, in any order:
 * each lane of a vector is one convolution. Their operands are kept a second
 * time, side by side: array entry k holds the coefficients k of four
 * registers. Then loads and stores are whole vectors at one and the same
 * place, which processors forward without delay (a load over several younger,
 * narrower stores waits for all of them: that had cost half the time), and
 * there are no shuffles. The sums are those of docs/internals.md: four
 * accumulators take terms 1, 5, ...; 2, 6, ...; and so on. */
#include "codegen/series_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static uint32_t
n_products(const struct sv *s, uint32_t i)
{
    return s->code[i].op == IMP_OP_DOT ? s->code[i].b : 1;
}

/* registers and sign of product p of convolution i */
static void
product(const struct sv *s, uint32_t i, uint32_t p, uint32_t *a, uint32_t *b,
        bool *minus)
{
    const imp_instr *in = s->code + i;
    const uint32_t *pool = IMP_ARRAY(s->g->im, s->t->pool, uint32_t);

    *minus = false;
    *a = in->a;
    *b = in->b;
    if (in->op == IMP_OP_DIV) {
        *a = in->b;
        *b = i;
    } else if (in->op == IMP_OP_DOT) {
        pool += in->a + 3 * p;
        *minus = pool[0] != 0;
        *a = pool[1];
        *b = pool[2];
    }
}

/* number of the array with these registers, made if there is none */
static uint32_t
array_of(struct sv *s, const struct pack_array *want)
{
    for (uint32_t i = s->n_arrays; i-- > 0 && s->arrays[i].part == want->part;)
        if (!memcmp(s->arrays[i].reg, want->reg, sizeof want->reg) &&
            !memcmp(s->arrays[i].minus, want->minus, sizeof want->minus))
            return i;
    s->arrays[s->n_arrays] = *want;
    return s->n_arrays++;
}

static uint32_t
later(uint32_t ready, uint32_t reg)
{
    return reg == UINT32_MAX || reg < ready ? ready : reg + 1;
}

static void
close_pack(struct sv *s, struct pack *k)
{
    k->a = NEW_N(s->g->arena, uint32_t, k->n_slots);
    k->b = NEW_N(s->g->arena, uint32_t, k->n_slots);
    for (uint32_t p = 0; p < k->n_slots; p++) {
        struct pack_array a = {.part = k->part}, b = {.part = k->part};
        for (uint32_t l = 0; l < 4; l++) {
            a.reg[l] = b.reg[l] = UINT32_MAX;
            if (l < k->n_lanes && p < n_products(s, k->lane[l]))
                product(s, k->lane[l], p, &a.reg[l], &b.reg[l], &a.minus[l]);
        }
        for (uint32_t l = 0; l < 4; l++) {
            k->ready = later(k->ready, a.reg[l]);
            k->ready = later(k->ready, b.reg[l]);
        }
        k->a[p] = array_of(s, &a);
        s->arrays[k->a[p]].upwards = true;
        k->b[p] = array_of(s, &b);
        s->arrays[k->b[p]].downwards = true;
    }
    for (uint32_t l = 0; l < k->n_lanes; l++) {
        s->pack_of[k->lane[l]] = k;
        if (k->lane[l] < k->ready)
            k->ready = NO_SLOT;
    }
    if (s->n_parts > 1 || s->nu)
        k->ready = NO_SLOT;
}

struct conv_ref {
    uint32_t part, n, i;
};

/* by part, then the longest first, so that four of a pack are alike */
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
sv_plan_packs(struct sv *s)
{
    struct arena *arena = s->g->arena;
    uint32_t n = 0, products = 0;
    struct conv_ref *v = NEW_N(arena, struct conv_ref, s->t->code.n + 1);

    for (uint32_t i = 0; i < s->t->code.n; i++)
        if (sv_convolves(s, i)) {
            uint32_t m = n_products(s, i);
            v[n++] = (struct conv_ref){s->part[i], m, i};
            products += m;
        }
    qsort(v, n, sizeof *v, by_length);
    s->packs = NEW_N(arena, struct pack, n + 1);
    s->arrays = NEW_N(arena, struct pack_array, 2 * products + 1);
    s->pack_of = NEW_N(arena, struct pack *, s->t->code.n + 1);
    s->inner = NEW_N(arena, LLVMValueRef, s->t->code.n + 1);
    for (uint32_t c = 0; c < n; c++) {
        struct pack *k = s->packs + s->n_packs;
        if (c && k->n_lanes && (k->n_lanes == 4 || k->part != v[c].part)) {
            close_pack(s, k++);
            s->n_packs++;
        }
        if (!k->n_lanes) {
            k->part = v[c].part;
            k->n_slots = v[c].n;
        }
        k->lane[k->n_lanes++] = v[c].i;
    }
    if (n) {
        close_pack(s, s->packs + s->n_packs);
        s->n_packs++;
    }
    sv_plan_held(s);
    /* vectors begin at multiples of their size */
    s->first_array = (s->n_slots + 3) / 4 * 4;
    s->n_slots = s->first_array + s->n_arrays * 4 * PACK_STRIDE;
}

/* pointer to entry (base + off) of an array; base is a vector index or NULL */
static LLVMValueRef
entry(struct sv *s, uint32_t array, LLVMValueRef base, int off)
{
    struct gen *g = s->g;
    uint64_t at =
        (uint64_t)(array * PACK_STRIDE + PACK_ZEROS) + s->first_array / 4;
    LLVMValueRef p = s->scratch;

    if (base)
        p = gen_at(g, g->v4, p, base, g->f64);
    return gen_at(g, g->v4, p, gen_i64(g, (uint64_t)((int64_t)at + off)),
                  g->v4);
}

static LLVMValueRef
side_by_side(struct sv *s, const struct pack_array *a,
             LLVMValueRef (*coefficient)(struct sv *s, uint32_t i))
{
    struct gen *g = s->g;
    LLVMValueRef v = gen_num(g, g->v4, 0.0);

    for (unsigned l = 0; l < 4; l++) {
        if (a->reg[l] == UINT32_MAX)
            continue;
        LLVMValueRef c = coefficient(s, a->reg[l]);
        if (a->minus[l])
            c = LLVMBuildFNeg(g->b, c, "");
        v = LLVMBuildInsertElement(g->b, v, c, gen_i32(g, l), "");
    }
    return v;
}

static LLVMValueRef
at_zero(struct sv *s, uint32_t i)
{
    return sv_value(s, SV_ZERO, i);
}

static LLVMValueRef
at_k(struct sv *s, uint32_t i)
{
    return sv_value(s, SV_K, i);
}

/* coefficient k - 1, from its row */
static LLVMValueRef
before_k(struct sv *s, uint32_t i)
{
    return sv_coef(s, s->g->f64, i, s->work_k, -1);
}

void
sv_packs_zero(struct sv *s)
{
    struct gen *g = s->g;
    LLVMValueRef zero = gen_num(g, g->v4, 0.0);

    for (uint32_t a = 0; a < s->n_arrays; a++) {
        if (s->arrays[a].part != s->at_part)
            continue;
        int first = s->arrays[a].downwards ? -PACK_ZEROS : 1;
        int last = s->arrays[a].upwards ? PACK_ZEROS + 1 : -1;
        for (int k = first; k <= last; k++)
            if (k)
                gen_store(g, g->v4, zero, entry(s, a, NULL, k));
        if (s->n_parts == 1) {
            s->arrays[a].zero = side_by_side(s, s->arrays + a, at_zero);
            gen_store(g, g->v4, s->arrays[a].zero, entry(s, a, NULL, 0));
        }
    }
}

static void
push(struct sv *s, int off,
     LLVMValueRef (*coefficient)(struct sv *s, uint32_t i))
{
    struct gen *g = s->g;

    for (uint32_t a = 0; a < s->n_arrays; a++) {
        struct pack_array *v = s->arrays + a;
        if (v->part != s->at_part)
            continue;
        LLVMValueRef all = v->k || off ? v->k : sv_held_entry(s, v);
        gen_store(g, g->v4, all ? all : side_by_side(s, v, coefficient),
                  entry(s, a, s->k, off));
        v->k = NULL;
        if (v->upwards)
            gen_store(g, g->v4, gen_num(g, g->v4, 0.0),
                      entry(s, a, s->k, off + PACK_ZEROS));
    }
}

static LLVMValueRef
entry_k(struct sv *s, struct pack_array *a)
{
    if (!a->k)
        a->k = sv_held_entry(s, a);
    if (!a->k)
        a->k = side_by_side(s, a, at_k);
    return a->k;
}

LLVMValueRef
sv_packs_sum(struct sv *s, uint32_t i)
{
    struct gen *g = s->g;
    struct pack *k = s->pack_of[i];
    LLVMValueRef ends = NULL;
    unsigned lane = 0;

    if (!k || k->ready == NO_SLOT)
        return NULL;
    for (uint32_t p = 0; !k->sum && p < k->n_slots; p++) {
        struct pack_array *a = s->arrays + k->a[p], *b = s->arrays + k->b[p];
        LLVMValueRef left = LLVMBuildFMul(g->b, a->zero, entry_k(s, b), "");
        LLVMValueRef right = LLVMBuildFMul(g->b, entry_k(s, a), b->zero, "");
        LLVMValueRef both = LLVMBuildFAdd(g->b, left, right, "");
        ends = ends ? LLVMBuildFAdd(g->b, ends, both, "") : both;
    }
    if (!k->sum)
        k->sum = LLVMBuildFAdd(g->b, k->inner, ends, "");
    while (k->lane[lane] != i)
        lane++;
    return LLVMBuildExtractElement(g->b, k->sum, gen_i32(g, lane), "");
}

void
sv_packs_push(struct sv *s)
{
    if (s->n_parts == 1)
        push(s, 0, at_k);
}

/* terms j .. j + 3 of all lanes of a pack, added to the four accumulators */
static void
block(struct sv *s, const struct pack *k, LLVMValueRef j, LLVMValueRef back,
      LLVMValueRef *acc)
{
    struct gen *g = s->g;

    for (int l = 0; l < 4; l++) {
        LLVMValueRef sum = NULL;
        for (uint32_t p = 0; p < k->n_slots; p++) {
            LLVMValueRef x = gen_load(g, g->v4, entry(s, k->a[p], j, l));
            LLVMValueRef y = gen_load(g, g->v4, entry(s, k->b[p], back, -l));
            LLVMValueRef xy = LLVMBuildFMul(g->b, x, y, "");
            sum = sum ? LLVMBuildFAdd(g->b, sum, xy, "") : xy;
        }
        acc[l] = LLVMBuildFAdd(g->b, acc[l], sum, "");
    }
}

static void
finish(struct sv *s, struct pack *k, LLVMValueRef *acc)
{
    struct gen *g = s->g;
    LLVMValueRef sum =
        LLVMBuildFAdd(g->b, LLVMBuildFAdd(g->b, acc[0], acc[2], ""),
                      LLVMBuildFAdd(g->b, acc[1], acc[3], ""), "");

    k->inner = sum;
    k->sum = NULL;
    for (unsigned l = 0; k->ready == NO_SLOT && l < k->n_lanes; l++)
        s->inner[k->lane[l]] =
            LLVMBuildExtractElement(g->b, sum, gen_i32(g, l), "");
}

void
sv_packs_inner(struct sv *s)
{
    struct gen *g = s->g;

    if (s->n_parts > 1)
        push(s, -1, before_k);
    for (uint32_t p = 0; p < s->n_packs;) {
        struct pack *k = s->packs + p;
        struct sv_loop l;
        if (k->part != s->at_part) {
            p++;
            continue;
        }
        /* two packs share a loop: eight accumulators fit the registers */
        unsigned n = p + 1 < s->n_packs && k[1].part == k->part ? 2 : 1;
        LLVMValueRef acc[SV_LOOP_MAX];
        sv_loop_open(s, &l, 1, 4 * n, gen_num(g, g->v4, 0.0));
        LLVMValueRef back = LLVMBuildSub(g->b, s->k, l.j, "");
        memcpy(acc, l.acc, sizeof acc);
        for (unsigned i = 0; i < n; i++)
            block(s, k + i, l.j, back, acc + 4 * i);
        sv_loop_close(s, &l, acc, 4, s->k);
        for (unsigned i = 0; i < n; i++)
            finish(s, k + i, acc + 4 * i);
        p += n;
    }
}
