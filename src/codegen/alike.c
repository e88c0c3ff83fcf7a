/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tapes with the same code. The image holds equal code once (image_shared), so
 * tapes are alike if their arrays begin at the same places. Those that have the
 * same constants, too, are one function. The others are one function that reads
 * its constants from memory, and for each tape a short one that hands them to
 * it. */
#include "codegen/emit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

struct order {
    const imp_tape *tape;
    uint32_t i;
};

static int
compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Those with the same code side by side. */
static int
by_code(const imp_tape *a, const imp_tape *b)
{
    const imp_ref *one[] = {&a->code,     &a->pool,     &a->outs,
                            &a->unknowns, &a->residual, &a->jacobian};
    const imp_ref *two[] = {&b->code,     &b->pool,     &b->outs,
                            &b->unknowns, &b->residual, &b->jacobian};
    for (int i = 0; i < 6; i++) {
        int c = compare(one[i]->off, two[i]->off);
        c = c ? c : compare(one[i]->n, two[i]->n);
        if (c)
            return c;
    }
    int c = compare(a->series, b->series);
    c = c ? c : compare(a->symmetric, b->symmetric);
    return c ? c : compare(a->n_rows, b->n_rows);
}

static int
by_code_and_constants(const void *x, const void *y)
{
    const struct order *a = x, *b = y;
    int c = by_code(a->tape, b->tape);
    c = c ? c : compare(a->tape->consts.off, b->tape->consts.off);
    return c ? c : compare(a->i, b->i);
}

void
gen_find_alike(struct gen *gen)
{
    assert(gen && !gen->alike);
    uint32_t n = gen->im->tapes.n, lead = 0;
    struct order *order = NEW_N(gen->arena, struct order, n + 1);
    struct gen_alike *alike = NEW_N(gen->arena, struct gen_alike, n + 1);

    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct order){gen_tape(gen, i), i};
    qsort(order, n, sizeof *order, by_code_and_constants);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = order[i].i;
        bool new = !i || by_code(order[i - 1].tape, order[i].tape);
        if (new)
            lead = at;
        bool same = !new &&
                    order[i - 1].tape->consts.off == order[i].tape->consts.off;
        alike[at].same = same ? alike[order[i - 1].i].same : at;
        /* numbers in lanes are vectors, which constants in memory are not */
        alike[at].first = gen->lanes > 1 ? alike[at].same : lead;
        alike[alike[at].first].several |= alike[at].first != alike[at].same;
    }
    gen->alike = alike;
}

LLVMTypeRef
gen_type_by_constants(const struct gen *gen, LLVMTypeRef type)
{
    LLVMTypeRef par[8];
    unsigned n = LLVMCountParamTypes(type);

    assert(n < 8);
    LLVMGetParamTypes(type, par);
    par[n] = gen->type.pf64;
    return LLVMFunctionType(LLVMGetReturnType(type), par, n + 1, 0);
}

LLVMValueRef
gen_with_constants(struct gen *gen, const char *name, LLVMTypeRef type,
                   unsigned noalias, LLVMValueRef function, uint32_t tape)
{
    assert(function && tape < gen->im->tapes.n);
    const imp_tape *of = gen_tape(gen, tape);
    const double *x = IMP_ARRAY(gen->im, of->consts, double);
    LLVMValueRef *v = NEW_N(gen->arena, LLVMValueRef, of->consts.n + 1), arg[8];
    unsigned n = LLVMCountParamTypes(type);
    char text[64];

    for (uint32_t i = 0; i < of->consts.n; i++)
        v[i] = gen_num(gen, gen->type.f64, x[i]);
    snprintf(text, sizeof text, "%s_%u", name, (unsigned)tape);
    LLVMValueRef wrapper = gen_function(gen, text, type, noalias, false);
    snprintf(text, sizeof text, "%s_constants_%u", name, (unsigned)tape);
    LLVMValueRef constants = gen_global(
        gen, text, LLVMConstArray(gen->type.f64, v, of->consts.n), false);
    LLVMPositionBuilderAtEnd(
        gen->b, LLVMAppendBasicBlockInContext(gen->cx, wrapper, ""));
    for (unsigned i = 0; i < n; i++)
        arg[i] = LLVMGetParam(wrapper, i);
    arg[n] = LLVMBuildPointerCast(gen->b, constants, gen->type.pf64, "");
    LLVMValueRef call = LLVMBuildCall2(
        gen->b, gen_type_by_constants(gen, type), function, arg, n + 1, "");
    LLVMSetTailCall(call, 1);
    LLVMBuildRet(gen->b, call);
    return wrapper;
}
