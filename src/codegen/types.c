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
gen_types(struct gen *g)
{
    LLVMContextRef cx = g->cx;

    g->f64 = LLVMDoubleTypeInContext(cx);
    g->i1 = LLVMInt1TypeInContext(cx);
    g->i8 = LLVMInt8TypeInContext(cx);
    g->i32 = LLVMInt32TypeInContext(cx);
    g->i64 = LLVMInt64TypeInContext(cx);
    g->v2 = LLVMVectorType(g->f64, 2);
    g->v4 = LLVMVectorType(g->f64, 4);
    g->num = g->lanes > 1 ? LLVMVectorType(g->f64, g->lanes) : g->f64;
    g->numbool = g->lanes > 1 ? LLVMVectorType(g->i1, g->lanes) : g->i1;
    g->pf64 = LLVMPointerType(g->f64, 0);
    g->ppf64 = LLVMPointerType(g->pf64, 0);
    LLVMTypeRef ev[3] = {g->pf64, g->pf64, g->pf64};
    g->eval_ty = LLVMFunctionType(g->i32, ev, 3, 0);
    LLVMTypeRef se[5] = {g->pf64, g->pf64, g->ppf64, g->pf64, g->i32};
    g->series_ty = LLVMFunctionType(g->i32, se, 5, 0);
    g->zero = gen_num(g, g->num, 0.0);
    g->one = gen_num(g, g->num, 1.0);
    LLVMValueRef m[4] = {gen_i32(g, 3), gen_i32(g, 2), gen_i32(g, 1),
                         gen_i32(g, 0)};
    g->reverse = LLVMConstVector(m, 4);
    g->fn_of_op = NEW_N(g->arena, LLVMValueRef, IMP_OP_COUNT);
}

/* leaves the generator; the message reaches the caller of emit */
void
gen_fail(struct gen *g, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(g->error, sizeof g->error, fmt, ap);
    va_end(ap);
    longjmp(g->fail, 1);
}

const imp_tape *
gen_tape(const struct gen *g, uint32_t i)
{
    return IMP_ARRAY(g->im, g->im->tapes, imp_tape) + i;
}

LLVMValueRef
gen_i32(const struct gen *g, unsigned x)
{
    return LLVMConstInt(g->i32, x, 0);
}

LLVMValueRef
gen_i64(const struct gen *g, uint64_t x)
{
    return LLVMConstInt(g->i64, x, 0);
}

/* the number x, in every lane if `num` is a vector */
LLVMValueRef
gen_num(const struct gen *g, LLVMTypeRef num, double x)
{
    LLVMValueRef c = LLVMConstReal(g->f64, x), v[16];

    if (num == g->f64)
        return c;
    unsigned n = LLVMGetVectorSize(num);
    for (unsigned i = 0; i < n && i < 16; i++)
        v[i] = c;
    return LLVMConstVector(v, n);
}

LLVMValueRef
gen_at(const struct gen *g, LLVMTypeRef unit, LLVMValueRef base,
       LLVMValueRef idx, LLVMTypeRef as)
{
    LLVMValueRef p =
        LLVMBuildPointerCast(g->b, base, LLVMPointerType(unit, 0), "");

    p = LLVMBuildGEP2(g->b, unit, p, &idx, 1, "");
    return LLVMBuildPointerCast(g->b, p, LLVMPointerType(as, 0), "");
}

/* arrays of doubles are aligned to 8 and no more */
LLVMValueRef
gen_load(const struct gen *g, LLVMTypeRef type, LLVMValueRef p)
{
    LLVMValueRef v = LLVMBuildLoad2(
        g->b, type, LLVMBuildPointerCast(g->b, p, LLVMPointerType(type, 0), ""),
        "");

    LLVMSetAlignment(v, 8);
    return v;
}

void
gen_store(const struct gen *g, LLVMTypeRef type, LLVMValueRef v, LLVMValueRef p)
{
    LLVMValueRef s = LLVMBuildStore(
        g->b, v, LLVMBuildPointerCast(g->b, p, LLVMPointerType(type, 0), ""));

    LLVMSetAlignment(s, 8);
}

LLVMValueRef
gen_get(const struct gen *g, LLVMValueRef base, uint64_t idx)
{
    return gen_load(g, g->f64,
                    gen_at(g, g->f64, base, gen_i64(g, idx), g->f64));
}

void
gen_put(const struct gen *g, LLVMValueRef base, uint64_t idx, LLVMValueRef v)
{
    gen_store(g, g->f64, v, gen_at(g, g->f64, base, gen_i64(g, idx), g->f64));
}

static void
attribute(const struct gen *g, LLVMValueRef fn, LLVMAttributeIndex at,
          const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    if (kind)
        LLVMAddAttributeAtIndex(fn, at,
                                LLVMCreateEnumAttribute(g->cx, kind, value));
}

#define AT_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

LLVMValueRef
gen_function(struct gen *g, const char *name, LLVMTypeRef type,
             unsigned noalias, bool part)
{
    LLVMValueRef f = LLVMAddFunction(g->mod, name, type);

    LLVMSetLinkage(f, LLVMInternalLinkage);
    attribute(g, f, AT_FUNCTION, "nounwind", 0);
    if (part)
        attribute(g, f, AT_FUNCTION, "noinline", 0);
    attribute(g, f, noalias, "noalias", 0);
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
gen_runtime(struct gen *g, const char *name, LLVMTypeRef type, bool pure)
{
    assert(is_runtime_symbol(name));
    LLVMValueRef f = LLVMGetNamedFunction(g->mod, name);

    if (f)
        return f;
    f = LLVMAddFunction(g->mod, name, type);
    attribute(g, f, AT_FUNCTION, "nounwind", 0);
    attribute(g, f, AT_FUNCTION, "willreturn", 0);
    if (pure) {
        /* "memory" replaced "readnone" in LLVM 16; its value 0 is none */
        if (LLVMGetEnumAttributeKindForName("memory", 6))
            attribute(g, f, AT_FUNCTION, "memory", 0);
        else
            attribute(g, f, AT_FUNCTION, "readnone", 0);
    }
    return f;
}

LLVMBasicBlockRef
gen_block(const struct gen *g, const char *name)
{
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInsertBlock(g->b));

    return LLVMAppendBasicBlockInContext(g->cx, f, name);
}

LLVMValueRef
gen_alloca(const struct gen *g, LLVMTypeRef type, uint64_t n)
{
    LLVMValueRef p =
        LLVMBuildArrayAlloca(g->b, type, gen_i32(g, n ? (unsigned)n : 1u), "");

    LLVMSetAlignment(p, 32);
    return p;
}

void
gen_operands(const struct gen *g, const imp_tape *t, uint32_t i,
             void (*each)(void *ctx, uint32_t operand), void *ctx)
{
    const imp_instr *in = IMP_ARRAY(g->im, t->code, imp_instr) + i;
    const uint32_t *pool = IMP_ARRAY(g->im, t->pool, uint32_t);

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
gen_check_tape(struct gen *g, const imp_tape *t)
{
    const imp_instr *code = IMP_ARRAY(g->im, t->code, imp_instr);
    const char *name = imp_text(g->im, t->name);

    for (uint32_t i = 0; i < t->code.n; i++) {
        const imp_instr *in = code + i;
        struct order_check c = {g, t, i};
        if (in->op >= IMP_OP_COUNT)
            gen_fail(g, "tape %s: register %u has no known operator", name,
                     (unsigned)i);
        if ((in->op == IMP_OP_CONST && in->a >= t->consts.n) ||
            (in->op == IMP_OP_DOT &&
             (uint64_t)in->a + 3ull * in->b > t->pool.n) ||
            (in->row != IMP_NO_ROW && t->series && in->row >= t->n_rows))
            gen_fail(g, "tape %s: register %u points outside its tables", name,
                     (unsigned)i);
        gen_operands(g, t, i, check_operand, &c);
    }
    for (uint32_t o = 0; o < t->outs.n; o++)
        if (IMP_ARRAY(g->im, t->outs, uint32_t)[o] >= t->code.n)
            gen_fail(g, "tape %s: output %u is no register", name, (unsigned)o);
}
