/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order-0 functions: the outputs of a tape as straight-line code.
 *
 * needs: a checked tape. Only registers that an output depends on are emitted.
 * More than GEN_CHUNK of them: the code is cut into functions of that size;
 * values that cross a cut go through a scratch array on the stack, whose
 * entries are reused after the part that reads them last. Leaves are read
 * again in each part.
 *
 *     i32 name(env, local, out)             status
 *     void name.N(env, local, scratch)      part N */
#include "codegen/emit.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"

#define NO_SLOT UINT32_MAX

struct ev {
    struct gen *g;
    const imp_tape *t;
    const imp_instr *code;
    bool *live;
    uint32_t *chunk, *last; /* part that makes it, last part that reads it */
    uint32_t *slot;
    LLVMValueRef *val;
    uint32_t *stamp; /* part + 1 for which val holds */
    uint32_t part, n_parts, n_slots;
    LLVMValueRef env, local, scratch;
};

static void
mark(void *ctx, uint32_t operand)
{
    ((struct ev *)ctx)->live[operand] = true;
}

static void
note_read(void *ctx, uint32_t operand)
{
    struct ev *e = ctx;

    if (e->last[operand] < e->part)
        e->last[operand] = e->part;
}

/* which registers are live, which part makes them, which reads them last, and
 * scratch entries for those that cross */
static void
plan(struct ev *e)
{
    const uint32_t *outs = IMP_ARRAY(e->g->im, e->t->outs, uint32_t);
    uint32_t n = e->t->code.n, count = 0, n_free = 0;
    uint32_t *free_slot = NEW_N(e->g->arena, uint32_t, n + 1);

    for (uint32_t o = 0; o < e->t->outs.n; o++)
        e->live[outs[o]] = true;
    for (uint32_t i = n; i-- > 0;)
        if (e->live[i])
            gen_operands(e->g, e->t, i, mark, e);
    for (uint32_t i = 0; i < n; i++) {
        if (!e->live[i])
            continue;
        e->chunk[i] = e->part = count / GEN_CHUNK;
        if (!gen_is_leaf(e->code + i))
            count++;
        e->last[i] = e->part;
        gen_operands(e->g, e->t, i, note_read, e);
    }
    e->n_parts = count > GEN_CHUNK ? (count - 1) / GEN_CHUNK + 1 : 1;
    for (uint32_t o = 0; o < e->t->outs.n; o++)
        e->last[outs[o]] = e->n_parts;
    if (e->n_parts == 1)
        return;
    /* entries become free when the part of their last reader is over */
    uint32_t *dies = NEW_N(e->g->arena, uint32_t, n + 1);
    uint32_t *head = NEW_N(e->g->arena, uint32_t, e->n_parts + 2), part = 0;
    for (uint32_t i = 0; i < n; i++) {
        e->slot[i] = NO_SLOT;
        if (!e->live[i] || gen_is_leaf(e->code + i) ||
            e->last[i] == e->chunk[i])
            continue;
        for (; part < e->chunk[i]; part++)
            for (uint32_t d = head[part]; d; d = dies[d - 1])
                free_slot[n_free++] = e->slot[d - 1];
        e->slot[i] = n_free ? free_slot[--n_free] : e->n_slots++;
        dies[i] = head[e->last[i]];
        head[e->last[i]] = i + 1;
    }
}

static LLVMValueRef
entry(struct ev *e, LLVMValueRef base, uint32_t i)
{
    struct gen *g = e->g;

    return gen_load(g, g->num, gen_at(g, g->num, base, gen_i64(g, i), g->num));
}

static LLVMValueRef
leaf(struct ev *e, const imp_instr *in)
{
    struct gen *g = e->g;

    switch (in->op) {
    case IMP_OP_CONST:
        return gen_num(g, g->num,
                       IMP_ARRAY(g->im, e->t->consts, double)[in->a]);
    case IMP_OP_LOCAL:
    case IMP_OP_UNKNOWN:
        return entry(e, e->local, in->a);
    case IMP_OP_ROW: /* has no value outside a series: NaN */
        return gen_num(g, g->num, NAN);
    default: /* ENV, TIME, STATE */
        return entry(e, e->env, in->a);
    }
}

static LLVMValueRef
value(struct ev *e, uint32_t i)
{
    if (e->stamp[i] == e->part + 1)
        return e->val[i];
    if (gen_is_leaf(e->code + i))
        e->val[i] = leaf(e, e->code + i);
    else
        e->val[i] = entry(e, e->scratch, e->slot[i]);
    e->stamp[i] = e->part + 1;
    return e->val[i];
}

static LLVMValueRef
dot(struct ev *e, const imp_instr *in)
{
    struct gen *g = e->g;
    const uint32_t *p = IMP_ARRAY(g->im, e->t->pool, uint32_t) + in->a;
    LLVMValueRef acc = g->zero;

    for (uint32_t i = 0; i < in->b; i++, p += 3) {
        LLVMValueRef ab =
            LLVMBuildFMul(g->b, value(e, p[1]), value(e, p[2]), "");
        acc = p[0] ? LLVMBuildFSub(g->b, acc, ab, "")
                   : LLVMBuildFAdd(g->b, acc, ab, "");
    }
    return acc;
}

/* instructions of the present part, at the builder's position */
static void
body(struct ev *e)
{
    struct gen *g = e->g;

    for (uint32_t i = 0; i < e->t->code.n; i++) {
        const imp_instr *in = e->code + i;
        LLVMValueRef v;
        if (!e->live[i] || e->chunk[i] != e->part || gen_is_leaf(in))
            continue;
        if (in->op == IMP_OP_DOT) {
            v = dot(e, in);
        } else {
            unsigned n = gen_ops[in->op].arity;
            LLVMValueRef a = value(e, in->a);
            LLVMValueRef b = n > 1 ? value(e, in->b) : a;
            LLVMValueRef c = n > 2 ? value(e, in->c) : a;
            v = gen_op_value(g, g->num, (enum imp_op)in->op, a, b, c);
        }
        e->val[i] = v;
        e->stamp[i] = e->part + 1;
        if (e->n_parts > 1 && e->slot[i] != NO_SLOT)
            gen_store(
                g, g->num, v,
                gen_at(g, g->num, e->scratch, gen_i64(g, e->slot[i]), g->num));
    }
}

/* stores the outputs; status: IMP_NONFINITE if one is not finite (I5) */
static void
outputs(struct ev *e, LLVMValueRef out)
{
    struct gen *g = e->g;
    const uint32_t *outs = IMP_ARRAY(g->im, e->t->outs, uint32_t);
    LLVMValueRef probe = g->zero;

    for (uint32_t o = 0; o < e->t->outs.n; o++) {
        LLVMValueRef v = value(e, outs[o]);
        probe = LLVMBuildFAdd(g->b, probe, gen_finite_probe(g, v), "");
        gen_store(g, g->num, v, gen_at(g, g->num, out, gen_i64(g, o), g->num));
    }
    LLVMBuildRet(g->b, gen_finite_status(g, g->num, probe));
}

static LLVMValueRef
part_fn(struct ev *e, const char *name, LLVMTypeRef type)
{
    struct gen *g = e->g;
    char text[64];

    snprintf(text, sizeof text, "%s.%u", name, (unsigned)e->part);
    LLVMValueRef f = gen_function(g, text, type, 3, true);
    LLVMPositionBuilderAtEnd(g->b, LLVMAppendBasicBlockInContext(g->cx, f, ""));
    e->env = LLVMGetParam(f, 0);
    e->local = LLVMGetParam(f, 1);
    e->scratch = LLVMGetParam(f, 2);
    body(e);
    LLVMBuildRetVoid(g->b);
    return f;
}

LLVMValueRef
gen_eval_fn(struct gen *g, uint32_t tape)
{
    const imp_tape *t = gen_tape(g, tape);
    uint32_t n = t->code.n;
    struct ev e = {
        .g = g, .t = t, .code = IMP_ARRAY(g->im, t->code, imp_instr)};
    char name[48];

    e.live = NEW_N(g->arena, bool, n + 1);
    e.chunk = NEW_N(g->arena, uint32_t, n + 1);
    e.last = NEW_N(g->arena, uint32_t, n + 1);
    e.slot = NEW_N(g->arena, uint32_t, n + 1);
    e.val = NEW_N(g->arena, LLVMValueRef, n + 1);
    e.stamp = NEW_N(g->arena, uint32_t, n + 1);
    plan(&e);
    snprintf(name, sizeof name, "imp_eval_%u", (unsigned)tape);

    LLVMTypeRef par[3] = {g->pf64, g->pf64, g->pf64};
    LLVMTypeRef part_ty =
        LLVMFunctionType(LLVMVoidTypeInContext(g->cx), par, 3, 0);
    LLVMValueRef *parts = NEW_N(g->arena, LLVMValueRef, e.n_parts);
    if (e.n_parts > 1)
        for (e.part = 0; e.part < e.n_parts; e.part++)
            parts[e.part] = part_fn(&e, name, part_ty);

    LLVMValueRef f = gen_function(g, name, g->eval_ty, 3, false);
    LLVMPositionBuilderAtEnd(g->b, LLVMAppendBasicBlockInContext(g->cx, f, ""));
    e.env = LLVMGetParam(f, 0);
    e.local = LLVMGetParam(f, 1);
    e.part = 0;
    if (e.n_parts > 1) {
        e.scratch = LLVMBuildPointerCast(g->b, gen_alloca(g, g->num, e.n_slots),
                                         g->pf64, "");
        LLVMValueRef arg[3] = {e.env, e.local, e.scratch};
        for (uint32_t p = 0; p < e.n_parts; p++)
            LLVMBuildCall2(g->b, part_ty, parts[p], arg, 3, "");
        e.part = e.n_parts;
    } else {
        body(&e);
    }
    outputs(&e, LLVMGetParam(f, 2));
    return f;
}
