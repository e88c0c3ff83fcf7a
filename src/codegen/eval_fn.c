/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of eval tapes: the outputs as straight-line code. The tape must
 * have been checked (gen_check_tape). Only registers that an output depends on
 * are emitted. If there are more than GEN_CHUNK of them, the code is cut into
 * functions of that size. Values that cross a cut go through a scratch array on
 * the stack; an entry is used again after the part that reads it last. Leaves
 * are read again in each part. More outputs than that are stored by functions
 * of their own, too: the code generator takes quadratic time over the stores of
 * one block.
 *   i32 name(env, local, out)             the status
 *   void name.N(env, local, scratch)      part N
 *   num name.out.N(env, local, scratch, out)  outputs N; not finite if one is */
#include "codegen/emit.h"

#include <assert.h>
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
    bool cut; /* into functions */
    bool by_constants;
    LLVMValueRef env, local, scratch;
    LLVMValueRef constants; /* in memory; NULL: they stand in the code */
};

static void
mark(void *ctx, uint32_t operand)
{
    ((struct ev *)ctx)->live[operand] = true;
}

static void
note_read(void *ctx, uint32_t operand)
{
    struct ev *ev = ctx;

    if (ev->last[operand] < ev->part)
        ev->last[operand] = ev->part;
}

/* Finds which registers are needed, which part makes each of them and which
 * reads it last, and the scratch entries of those that cross a cut. */
static void
plan(struct ev *ev)
{
    const uint32_t *outs = IMP_ARRAY(ev->g->im, ev->t->outs, uint32_t);
    uint32_t n_slots = ev->t->code.n, count = 0, n_free = 0;
    uint32_t *free_slot = NEW_N(ev->g->arena, uint32_t, n_slots + 1);

    for (uint32_t out = 0; out < ev->t->outs.n; out++)
        ev->live[outs[out]] = true;
    for (uint32_t i = n_slots; i-- > 0;)
        if (ev->live[i])
            gen_operands(ev->g, ev->t, i, mark, ev);
    for (uint32_t i = 0; i < n_slots; i++) {
        if (!ev->live[i])
            continue;
        ev->chunk[i] = ev->part = count / GEN_CHUNK;
        if (!gen_is_leaf(ev->code + i))
            count++;
        ev->last[i] = ev->part;
        gen_operands(ev->g, ev->t, i, note_read, ev);
    }
    ev->n_parts = count > GEN_CHUNK ? (count - 1) / GEN_CHUNK + 1 : 1;
    ev->cut = ev->n_parts > 1 || ev->t->outs.n > GEN_CHUNK;
    for (uint32_t out = 0; out < ev->t->outs.n; out++)
        ev->last[outs[out]] = ev->n_parts;
    if (!ev->cut)
        return;
    /* an entry becomes free after the part of its last reader */
    uint32_t *dies = NEW_N(ev->g->arena, uint32_t, n_slots + 1);
    uint32_t *head = NEW_N(ev->g->arena, uint32_t, ev->n_parts + 2), part = 0;
    for (uint32_t i = 0; i < n_slots; i++) {
        ev->slot[i] = NO_SLOT;
        if (!ev->live[i] || gen_is_leaf(ev->code + i) ||
            ev->last[i] == ev->chunk[i])
            continue;
        for (; part < ev->chunk[i]; part++)
            for (uint32_t d = head[part]; d; d = dies[d - 1])
                free_slot[n_free++] = ev->slot[d - 1];
        ev->slot[i] = n_free ? free_slot[--n_free] : ev->n_slots++;
        dies[i] = head[ev->last[i]];
        head[ev->last[i]] = i + 1;
    }
}

static LLVMValueRef
entry(struct ev *ev, LLVMValueRef base, uint32_t i)
{
    struct gen *gen = ev->g;

    return gen_load(
        gen, gen->type.num,
        gen_at(gen, gen->type.num, base, gen_i64(gen, i), gen->type.num));
}

static LLVMValueRef
leaf(struct ev *ev, const imp_instr *in)
{
    struct gen *gen = ev->g;

    switch (in->op) {
    case IMP_OP_CONST:
        if (ev->constants)
            return gen_get(gen, ev->constants, in->a);
        return gen_num(gen, gen->type.num,
                       IMP_ARRAY(gen->im, ev->t->consts, double)[in->a]);
    case IMP_OP_LOCAL:
    case IMP_OP_UNKNOWN:
        return entry(ev, ev->local, in->a);
    case IMP_OP_ROW: /* Such an instruction has no value outside a series, so it
                        is NaN. */
        return gen_num(gen, gen->type.num, NAN);
    default: /* ENV, TIME, STATE */
        return entry(ev, ev->env, in->a);
    }
}

static LLVMValueRef
value(struct ev *ev, uint32_t i)
{
    if (ev->stamp[i] == ev->part + 1)
        return ev->val[i];
    if (gen_is_leaf(ev->code + i))
        ev->val[i] = leaf(ev, ev->code + i);
    else
        ev->val[i] = entry(ev, ev->scratch, ev->slot[i]);
    ev->stamp[i] = ev->part + 1;
    return ev->val[i];
}

static LLVMValueRef
dot(struct ev *ev, const imp_instr *in)
{
    struct gen *gen = ev->g;
    const uint32_t *p = IMP_ARRAY(gen->im, ev->t->pool, uint32_t) + in->a;
    LLVMValueRef acc = gen->constant.zero;

    for (uint32_t i = 0; i < in->b; i++, p += 3) {
        LLVMValueRef ab =
            LLVMBuildFMul(gen->b, value(ev, p[1]), value(ev, p[2]), "");
        acc = p[0] ? LLVMBuildFSub(gen->b, acc, ab, "")
                   : LLVMBuildFAdd(gen->b, acc, ab, "");
    }
    return acc;
}

/* Emits the instructions of the present part. */
static void
body(struct ev *ev)
{
    struct gen *gen = ev->g;

    for (uint32_t reg = 0; reg < ev->t->code.n; reg++) {
        const imp_instr *in = ev->code + reg;
        LLVMValueRef result;
        if (!ev->live[reg] || ev->chunk[reg] != ev->part || gen_is_leaf(in))
            continue;
        if (in->op == IMP_OP_DOT) {
            result = dot(ev, in);
        } else if (gen_is_table(in)) {
            result = gen_table_value(gen, gen->type.num, (enum imp_op)in->op,
                                     value(ev, in->a), ev->env,
                                     ev->code[in->b].a, in->c);
        } else {
            unsigned n = gen_ops[in->op].arity;
            LLVMValueRef a = value(ev, in->a);
            LLVMValueRef b = n > 1 ? value(ev, in->b) : a;
            LLVMValueRef c = n > 2 ? value(ev, in->c) : a;
            result =
                gen_op_value(gen, gen->type.num, (enum imp_op)in->op, a, b, c);
        }
        ev->val[reg] = result;
        ev->stamp[reg] = ev->part + 1;
        if (ev->cut && ev->slot[reg] != NO_SLOT)
            gen_store(gen, gen->type.num, result,
                      gen_at(gen, gen->type.num, ev->scratch,
                             gen_i64(gen, ev->slot[reg]), gen->type.num));
    }
}

/* Stores the outputs from..to. Returns a number that is not finite if one of
 * them is not. */
static LLVMValueRef
outputs(struct ev *ev, LLVMValueRef out, uint32_t from, uint32_t to)
{
    struct gen *gen = ev->g;
    const uint32_t *outs = IMP_ARRAY(gen->im, ev->t->outs, uint32_t);
    LLVMValueRef probe = gen->constant.zero;

    for (uint32_t o = from; o < to; o++) {
        LLVMValueRef v = value(ev, outs[o]);
        probe = LLVMBuildFAdd(gen->b, probe, gen_finite_probe(gen, v), "");
        gen_store(
            gen, gen->type.num, v,
            gen_at(gen, gen->type.num, out, gen_i64(gen, o), gen->type.num));
    }
    return probe;
}

/* Parameter number i (from 0) of a function that gets the constants as its
 * last one. */
static LLVMValueRef
constants_of(const struct ev *ev, LLVMValueRef function, unsigned i)
{
    return ev->by_constants ? LLVMGetParam(function, i) : NULL;
}

static LLVMValueRef
part_fn(struct ev *ev, const char *name, LLVMTypeRef type)
{
    struct gen *gen = ev->g;
    char text[64];

    snprintf(text, sizeof text, "%s.%u", name, (unsigned)ev->part);
    LLVMValueRef f = gen_function(gen, text, type, 3, true);
    LLVMPositionBuilderAtEnd(gen->b,
                             LLVMAppendBasicBlockInContext(gen->cx, f, ""));
    ev->env = LLVMGetParam(f, 0);
    ev->local = LLVMGetParam(f, 1);
    ev->scratch = LLVMGetParam(f, 2);
    ev->constants = constants_of(ev, f, 3);
    body(ev);
    LLVMBuildRetVoid(gen->b);
    return f;
}

/* The function that stores the outputs from..to. */
static LLVMValueRef
outputs_fn(struct ev *ev, const char *name, LLVMTypeRef type, uint32_t from,
           uint32_t to)
{
    struct gen *gen = ev->g;
    char text[64];

    snprintf(text, sizeof text, "%s.out.%u", name, (unsigned)from);
    LLVMValueRef f = gen_function(gen, text, type, 4, true);
    LLVMPositionBuilderAtEnd(gen->b,
                             LLVMAppendBasicBlockInContext(gen->cx, f, ""));
    ev->env = LLVMGetParam(f, 0);
    ev->local = LLVMGetParam(f, 1);
    ev->scratch = LLVMGetParam(f, 2);
    ev->constants = constants_of(ev, f, 4);
    LLVMBuildRet(gen->b, outputs(ev, LLVMGetParam(f, 3), from, to));
    return f;
}

/* The functions that store the outputs, GEN_CHUNK each, of a tape that is cut.
 */
static LLVMValueRef *
outputs_of_parts(struct ev *ev, const char *name, LLVMTypeRef type)
{
    uint32_t n = ev->t->outs.n;
    LLVMValueRef *fn = NEW_N(ev->g->arena, LLVMValueRef, n / GEN_CHUNK + 1);
    for (uint32_t k = 0; k * GEN_CHUNK < n; k++) {
        uint32_t from = k * GEN_CHUNK;
        ev->part = ev->n_parts + k;
        fn[k] = outputs_fn(ev, name, type, from,
                           n - from > GEN_CHUNK ? from + GEN_CHUNK : n);
    }
    return fn;
}

LLVMValueRef
gen_eval_fn(struct gen *gen, uint32_t tape)
{
    assert(tape < gen->im->tapes.n);
    const imp_tape *t = gen_tape(gen, tape);
    uint32_t n = t->code.n;
    struct ev ev = {
        .g = gen, .t = t, .code = IMP_ARRAY(gen->im, t->code, imp_instr)};
    char name[48];

    ev.live = NEW_N(gen->arena, bool, n + 1);
    ev.chunk = NEW_N(gen->arena, uint32_t, n + 1);
    ev.last = NEW_N(gen->arena, uint32_t, n + 1);
    ev.slot = NEW_N(gen->arena, uint32_t, n + 1);
    ev.val = NEW_N(gen->arena, LLVMValueRef, n + 1);
    ev.stamp = NEW_N(gen->arena, uint32_t, n + 1);
    plan(&ev);
    snprintf(name, sizeof name,
             gen->alike[tape].several ? "imp_eval_like_%u" : "imp_eval_%u",
             (unsigned)tape);

    LLVMTypeRef p = gen->type.pf64, par[5] = {p, p, p, p, p};
    unsigned more = ev.by_constants = gen->alike[tape].several;
    LLVMTypeRef part_ty =
        LLVMFunctionType(LLVMVoidTypeInContext(gen->cx), par, 3 + more, 0);
    LLVMTypeRef out_ty = LLVMFunctionType(gen->type.num, par, 4 + more, 0);
    LLVMValueRef *parts = NEW_N(gen->arena, LLVMValueRef, ev.n_parts),
                 *stores = NULL;
    for (ev.part = 0; ev.cut && ev.part < ev.n_parts; ev.part++)
        parts[ev.part] = part_fn(&ev, name, part_ty);
    if (ev.cut)
        stores = outputs_of_parts(&ev, name, out_ty);

    LLVMValueRef function = gen_function(
        gen, name,
        more ? gen_type_by_constants(gen, gen->type.eval) : gen->type.eval, 3,
        more);
    LLVMPositionBuilderAtEnd(
        gen->b, LLVMAppendBasicBlockInContext(gen->cx, function, ""));
    ev.env = LLVMGetParam(function, 0);
    ev.local = LLVMGetParam(function, 1);
    ev.constants = constants_of(&ev, function, 3);
    ev.part = 0;
    LLVMValueRef probe = gen->constant.zero, out = LLVMGetParam(function, 2);
    if (ev.cut) {
        ev.scratch = LLVMBuildPointerCast(
            gen->b, gen_alloca(gen, gen->type.num, ev.n_slots + 1), gen->type.pf64,
            "");
        LLVMValueRef arg[5] = {ev.env, ev.local, ev.scratch, ev.constants};
        for (uint32_t k = 0; k < ev.n_parts; k++)
            LLVMBuildCall2(gen->b, part_ty, parts[k], arg, 3 + more, "");
        arg[3] = out;
        arg[4] = ev.constants;
        for (uint32_t k = 0; k * GEN_CHUNK < t->outs.n; k++)
            probe = LLVMBuildFAdd(
                gen->b, probe,
                LLVMBuildCall2(gen->b, out_ty, stores[k], arg, 4 + more, ""),
                "");
    } else {
        body(&ev);
        probe = outputs(&ev, out, 0, t->outs.n);
    }
    LLVMBuildRet(gen->b, gen_finite_status(gen, gen->type.num, probe));
    return function;
}
