/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types, constants, memory access and declarations: the emit helpers. */
#include "codegen/emit.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

#define OP(name, word, arity, dim, series, guard, eval, deriv)                 \
    {#name, arity, SER_##series, #eval},
const struct gen_op gen_ops[IMP_OP_COUNT] = {
#include "abi/ops.def"
};

void
gen_types(struct gen *gen)
{
    assert(gen);
    LLVMContextRef cx = gen->cx;

    gen->type.f64 = LLVMDoubleTypeInContext(cx);
    gen->type.i1 = LLVMInt1TypeInContext(cx);
    gen->type.i8 = LLVMInt8TypeInContext(cx);
    gen->type.i32 = LLVMInt32TypeInContext(cx);
    gen->type.i64 = LLVMInt64TypeInContext(cx);
    gen->type.v2 = LLVMVectorType(gen->type.f64, 2);
    gen->type.v4 = LLVMVectorType(gen->type.f64, 4);
    gen->type.num = gen->lanes > 1 ? LLVMVectorType(gen->type.f64, gen->lanes)
                                   : gen->type.f64;
    gen->type.numbool = gen->lanes > 1
                            ? LLVMVectorType(gen->type.i1, gen->lanes)
                            : gen->type.i1;
    gen->type.pf64 = LLVMPointerType(gen->type.f64, 0);
    gen->type.ppf64 = LLVMPointerType(gen->type.pf64, 0);
    LLVMTypeRef ev[3] = {gen->type.pf64, gen->type.pf64, gen->type.pf64};
    gen->type.eval = LLVMFunctionType(gen->type.i32, ev, 3, 0);
    LLVMTypeRef se[5] = {gen->type.pf64, gen->type.pf64, gen->type.ppf64,
                         gen->type.pf64, gen->type.i32};
    gen->type.series = LLVMFunctionType(gen->type.i32, se, 5, 0);
    gen->constant.zero = gen_num(gen, gen->type.num, 0.0);
    gen->constant.one = gen_num(gen, gen->type.num, 1.0);
    LLVMValueRef m[4] = {gen_i32(gen, 3), gen_i32(gen, 2), gen_i32(gen, 1),
                         gen_i32(gen, 0)};
    gen->constant.reverse = LLVMConstVector(m, 4);
    gen->fn_of_op = NEW_N(gen->arena, LLVMValueRef, IMP_OP_COUNT);
}

/* Leaves the generator by longjmp; the message reaches the caller of emit. */
void
gen_fail(struct gen *gen, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(gen->error, sizeof gen->error, fmt, ap);
    va_end(ap);
    longjmp(gen->fail, 1);
}

const imp_tape *
gen_tape(const struct gen *gen, uint32_t i)
{
    assert(i < gen->im->tapes.n);
    return IMP_ARRAY(gen->im, gen->im->tapes, imp_tape) + i;
}

LLVMValueRef
gen_i32(const struct gen *gen, unsigned x)
{
    return LLVMConstInt(gen->type.i32, x, 0);
}

LLVMValueRef
gen_i64(const struct gen *gen, uint64_t x)
{
    return LLVMConstInt(gen->type.i64, x, 0);
}

/* The number x; in every lane if `num` is a vector. */
LLVMValueRef
gen_num(const struct gen *gen, LLVMTypeRef num, double x)
{
    LLVMValueRef c = LLVMConstReal(gen->type.f64, x), v[16];

    if (num == gen->type.f64)
        return c;
    unsigned n = LLVMGetVectorSize(num);
    for (unsigned i = 0; i < n && i < 16; i++)
        v[i] = c;
    return LLVMConstVector(v, n);
}

LLVMValueRef
gen_at(const struct gen *gen, LLVMTypeRef unit, LLVMValueRef base,
       LLVMValueRef idx, LLVMTypeRef as)
{
    LLVMValueRef p =
        LLVMBuildPointerCast(gen->b, base, LLVMPointerType(unit, 0), "");

    p = LLVMBuildGEP2(gen->b, unit, p, &idx, 1, "");
    return LLVMBuildPointerCast(gen->b, p, LLVMPointerType(as, 0), "");
}

/* arrays of doubles are aligned to 8 bytes only */
LLVMValueRef
gen_load(const struct gen *gen, LLVMTypeRef type, LLVMValueRef p)
{
    LLVMValueRef v = LLVMBuildLoad2(
        gen->b, type,
        LLVMBuildPointerCast(gen->b, p, LLVMPointerType(type, 0), ""), "");

    LLVMSetAlignment(v, 8);
    return v;
}

void
gen_store(const struct gen *gen, LLVMTypeRef type, LLVMValueRef v,
          LLVMValueRef p)
{
    assert(gen);
    LLVMValueRef s = LLVMBuildStore(
        gen->b, v,
        LLVMBuildPointerCast(gen->b, p, LLVMPointerType(type, 0), ""));

    LLVMSetAlignment(s, 8);
}

LLVMValueRef
gen_get(const struct gen *gen, LLVMValueRef base, uint64_t idx)
{
    return gen_load(
        gen, gen->type.f64,
        gen_at(gen, gen->type.f64, base, gen_i64(gen, idx), gen->type.f64));
}

void
gen_put(const struct gen *gen, LLVMValueRef base, uint64_t idx, LLVMValueRef v)
{
    assert(gen);
    gen_store(
        gen, gen->type.f64, v,
        gen_at(gen, gen->type.f64, base, gen_i64(gen, idx), gen->type.f64));
}

static void
attribute(const struct gen *gen, LLVMValueRef fn, LLVMAttributeIndex at,
          const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    if (kind)
        LLVMAddAttributeAtIndex(fn, at,
                                LLVMCreateEnumAttribute(gen->cx, kind, value));
}

#define AT_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

LLVMValueRef
gen_function(struct gen *gen, const char *name, LLVMTypeRef type,
             unsigned noalias, bool part)
{
    LLVMValueRef f = LLVMAddFunction(gen->mod, name, type);

    LLVMSetLinkage(f, LLVMInternalLinkage);
    attribute(gen, f, AT_FUNCTION, "nounwind", 0);
    if (part)
        attribute(gen, f, AT_FUNCTION, "noinline", 0);
    attribute(gen, f, noalias, "noalias", 0);
    return f;
}

#ifndef NDEBUG
/* Is this one of the functions whose address every loader gives? */
static bool
is_runtime_symbol(const char *name)
{
    static const char *const names[] = {
#define SYMBOL(name) #name,
#include "abi/symbols.def"
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}
#endif

LLVMValueRef
gen_runtime(struct gen *gen, const char *name, LLVMTypeRef type, bool pure)
{
    assert(is_runtime_symbol(name));
    LLVMValueRef function = LLVMGetNamedFunction(gen->mod, name);

    if (function)
        return function;
    function = LLVMAddFunction(gen->mod, name, type);
    attribute(gen, function, AT_FUNCTION, "nounwind", 0);
    attribute(gen, function, AT_FUNCTION, "willreturn", 0);
    if (pure) {
        /* "memory" replaced "readnone" in LLVM 16; its value 0 is none */
        if (LLVMGetEnumAttributeKindForName("memory", 6))
            attribute(gen, function, AT_FUNCTION, "memory", 0);
        else
            attribute(gen, function, AT_FUNCTION, "readnone", 0);
    }
    return function;
}

LLVMValueRef
gen_global(struct gen *gen, const char *name, LLVMValueRef init_value,
           bool shared)
{
    LLVMValueRef v = LLVMAddGlobal(gen->mod, LLVMTypeOf(init_value), name);

    LLVMSetInitializer(v, init_value);
    LLVMSetGlobalConstant(v, 1);
    if (!shared)
        LLVMSetLinkage(v, LLVMInternalLinkage);
    LLVMSetAlignment(v, 16);
    return v;
}

LLVMBasicBlockRef
gen_block(const struct gen *gen, const char *name)
{
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInsertBlock(gen->b));

    return LLVMAppendBasicBlockInContext(gen->cx, f, name);
}

LLVMValueRef
gen_alloca(const struct gen *gen, LLVMTypeRef type, uint64_t n)
{
    LLVMValueRef p = LLVMBuildArrayAlloca(
        gen->b, type, gen_i32(gen, n ? (unsigned)n : 1u), "");

    LLVMSetAlignment(p, 32);
    return p;
}

void
gen_operands(const struct gen *gen, const imp_tape *tape, uint32_t i,
             void (*each)(void *ctx, uint32_t operand), void *ctx)
{
    assert(i < tape->code.n && each);
    const imp_instr *in = IMP_ARRAY(gen->im, tape->code, imp_instr) + i;
    const uint32_t *pool = IMP_ARRAY(gen->im, tape->pool, uint32_t);

    if (gen_is_leaf(in))
        return;
    if (in->op == IMP_OP_DOT) {
        for (uint32_t p = 0; p < in->b; p++) {
            each(ctx, pool[in->a + 3 * p + 1]);
            each(ctx, pool[in->a + 3 * p + 2]);
        }
        return;
    }
    if (gen_ops[in->op].arity > 0)
        each(ctx, in->a);
    if (gen_ops[in->op].arity > 1)
        each(ctx, in->b);
    if (gen_ops[in->op].arity > 2)
        each(ctx, in->c);
}

struct order_check {
    struct gen *g;
    const imp_tape *t;
    uint32_t i;
};

static void
check_operand(void *ctx, uint32_t operand)
{
    struct order_check *c = ctx;

    if (operand >= c->i)
        gen_fail(c->g, "tape %s: register %u reads the later register %u",
                 imp_text(c->g->im, c->t->name), (unsigned)c->i,
                 (unsigned)operand);
}

void
gen_check_tape(struct gen *gen, const imp_tape *tape)
{
    assert(gen && tape);
    const imp_instr *code = IMP_ARRAY(gen->im, tape->code, imp_instr);
    const char *name = imp_text(gen->im, tape->name);

    for (uint32_t reg = 0; reg < tape->code.n; reg++) {
        const imp_instr *in = code + reg;
        struct order_check c = {gen, tape, reg};
        if (in->op >= IMP_OP_COUNT)
            gen_fail(gen, "tape %s: register %u has no known operator", name,
                     (unsigned)reg);
        if ((in->op == IMP_OP_CONST && in->a >= tape->consts.n) ||
            (in->op == IMP_OP_DOT &&
             (uint64_t)in->a + 3ull * in->b > tape->pool.n) ||
            (gen_is_table(in) &&
             (in->b >= reg || code[in->b].op != IMP_OP_ENV)) ||
            (in->row != IMP_NO_ROW && tape->series && in->row >= tape->n_rows))
            gen_fail(gen, "tape %s: register %u points outside its tables",
                     name, (unsigned)reg);
        gen_operands(gen, tape, reg, check_operand, &c);
    }
    for (uint32_t o = 0; o < tape->outs.n; o++)
        if (IMP_ARRAY(gen->im, tape->outs, uint32_t)[o] >= tape->code.n)
            gen_fail(gen, "tape %s: output %u is no register", name,
                     (unsigned)o);
}
