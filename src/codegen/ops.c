/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators of abi/ops.def as IR. + - * / comparisons and choices are
 * instructions, sqrt and fabs are intrinsics (both exact), and everything else
 * is a call of the runtime function named in the table's EVAL column. A vector
 * calls the scalar function lane by lane. */
#include "codegen/emit.h"

#include <assert.h>
#include <string.h>

/* The runtime function of an operator, declared with the table's arity. */
static LLVMValueRef
runtime_symbol(struct gen *gen, enum imp_op op, LLVMTypeRef *type)
{
    LLVMTypeRef par[2] = {gen->type.f64, gen->type.f64};
    const char *e = gen_ops[op].eval, *paren = strchr(e, '(');
    char name[32];

    *type = LLVMFunctionType(gen->type.f64, par, gen_ops[op].arity, 0);
    if (gen->fn_of_op[op])
        return gen->fn_of_op[op];
    if (strncmp(e, "imp_", 4) || !paren || paren - e >= (int)sizeof name ||
        gen_ops[op].arity > 2)
        gen_fail(gen, "operator %s has no runtime symbol", gen_ops[op].name);
    memcpy(name, e, (size_t)(paren - e));
    name[paren - e] = 0;
    return gen->fn_of_op[op] = gen_runtime(gen, name, *type, true);
}

static LLVMValueRef
call_runtime(struct gen *gen, LLVMTypeRef num, enum imp_op op,
             LLVMValueRef first, LLVMValueRef second)
{
    LLVMTypeRef type;
    LLVMValueRef function = runtime_symbol(gen, op, &type),
                 arg[2] = {first, second};
    unsigned arity = gen_ops[op].arity;

    if (num == gen->type.f64)
        return LLVMBuildCall2(gen->b, type, function, arg, arity, "");
    LLVMValueRef r = LLVMGetUndef(num);
    for (unsigned l = 0; l < LLVMGetVectorSize(num); l++) {
        LLVMValueRef at = gen_i32(gen, l);
        for (unsigned i = 0; i < arity; i++)
            arg[i] =
                LLVMBuildExtractElement(gen->b, i ? second : first, at, "");
        r = LLVMBuildInsertElement(
            gen->b, r, LLVMBuildCall2(gen->b, type, function, arg, arity, ""),
            at, "");
    }
    return r;
}

static LLVMValueRef
call_intrinsic(struct gen *gen, LLVMTypeRef num, const char *name,
               LLVMValueRef a)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(gen->mod, id, &num, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(gen->cx, id, &num, 1);

    return LLVMBuildCall2(gen->b, type, f, &a, 1, "");
}

static LLVMValueRef
compare(struct gen *gen, LLVMRealPredicate p, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFCmp(gen->b, p, a, b, "");
}

static LLVMValueRef
truth(struct gen *gen, LLVMTypeRef num, LLVMValueRef i1)
{
    return LLVMBuildSelect(gen->b, i1, gen_num(gen, num, 1.0),
                           gen_num(gen, num, 0.0), "");
}

LLVMValueRef
gen_op_choice(struct gen *gen, LLVMTypeRef num, enum imp_op op,
              LLVMValueRef first, LLVMValueRef second)
{
    assert(op < IMP_OP_COUNT);
    switch (op) {
    case IMP_OP_ABS:
        return compare(gen, LLVMRealOLT, first, gen_num(gen, num, 0.0));
    case IMP_OP_MIN:
        return compare(gen, LLVMRealOLT, second, first);
    case IMP_OP_MAX:
        return compare(gen, LLVMRealOLT, first, second);
    default: /* SELECT */
        return compare(gen, LLVMRealUNE, first, gen_num(gen, num, 0.0));
    }
}

LLVMValueRef
gen_op_value(struct gen *gen, LLVMTypeRef num, enum imp_op op,
             LLVMValueRef first, LLVMValueRef second, LLVMValueRef third)
{
    assert(op < IMP_OP_COUNT);
    LLVMValueRef zero = gen_num(gen, num, 0.0);
    LLVMBuilderRef bl = gen->b;

    switch (op) {
    case IMP_OP_ADD:
        return LLVMBuildFAdd(bl, first, second, "");
    case IMP_OP_SUB:
        return LLVMBuildFSub(bl, first, second, "");
    case IMP_OP_NEG:
        return LLVMBuildFNeg(bl, first, "");
    case IMP_OP_MUL:
        return LLVMBuildFMul(bl, first, second, "");
    case IMP_OP_DIV:
        return LLVMBuildFDiv(bl, first, second, "");
    case IMP_OP_SQRT:
        return call_intrinsic(gen, num, "llvm.sqrt", first);
    case IMP_OP_ABS:
        return call_intrinsic(gen, num, "llvm.fabs", first);
    case IMP_OP_MIN:
    case IMP_OP_MAX:
        return LLVMBuildSelect(bl, gen_op_choice(gen, num, op, first, second),
                               second, first, "");
    case IMP_OP_SELECT:
        return LLVMBuildSelect(bl, gen_op_choice(gen, num, op, first, second),
                               second, third, "");
    case IMP_OP_LT:
        return truth(gen, num, compare(gen, LLVMRealOLT, first, second));
    case IMP_OP_LE:
        return truth(gen, num, compare(gen, LLVMRealOLE, first, second));
    case IMP_OP_EQ:
        return truth(gen, num, compare(gen, LLVMRealOEQ, first, second));
    case IMP_OP_NE:
        return truth(gen, num, compare(gen, LLVMRealUNE, first, second));
    case IMP_OP_AND:
        return truth(gen, num,
                     LLVMBuildAnd(bl, compare(gen, LLVMRealUNE, first, zero),
                                  compare(gen, LLVMRealUNE, second, zero), ""));
    case IMP_OP_OR:
        return truth(gen, num,
                     LLVMBuildOr(bl, compare(gen, LLVMRealUNE, first, zero),
                                 compare(gen, LLVMRealUNE, second, zero), ""));
    case IMP_OP_NOT:
        return truth(gen, num, compare(gen, LLVMRealOEQ, first, zero));
    default:
        return call_runtime(gen, num, op, first, second);
    }
}

LLVMValueRef
gen_table_value(struct gen *gen, LLVMTypeRef num, enum imp_op op,
                LLVMValueRef a, LLVMValueRef env, uint32_t first, uint32_t n)
{
    assert(op == IMP_OP_PLACE || op == IMP_OP_ENTRY);
    unsigned lanes = num == gen->type.f64 ? 1 : LLVMGetVectorSize(num);
    LLVMTypeRef par[4] = {gen->type.f64, gen->type.pf64, gen->type.i32,
                          gen->type.i32};
    LLVMTypeRef type = LLVMFunctionType(gen->type.f64, par, 4, 0);
    LLVMValueRef function =
        gen_runtime(gen, op == IMP_OP_PLACE ? "imp_place" : "imp_entry", type,
                    false);
    LLVMValueRef arg[4] = {a, NULL, gen_i32(gen, n), gen_i32(gen, lanes)};
    LLVMValueRef result = LLVMGetUndef(num);

    for (unsigned l = 0; l < lanes; l++) {
        arg[1] = gen_at(gen, gen->type.f64, env,
                        gen_i64(gen, (uint64_t)first * lanes + l),
                        gen->type.f64);
        if (lanes == 1)
            return LLVMBuildCall2(gen->b, type, function, arg, 4, "");
        arg[0] = LLVMBuildExtractElement(gen->b, a, gen_i32(gen, l), "");
        result = LLVMBuildInsertElement(
            gen->b, result,
            LLVMBuildCall2(gen->b, type, function, arg, 4, ""),
            gen_i32(gen, l), "");
    }
    return result;
}

LLVMValueRef
gen_finite_probe(const struct gen *gen, LLVMValueRef x)
{
    return LLVMBuildFSub(gen->b, x, x, "");
}

LLVMValueRef
gen_finite_status(const struct gen *gen, LLVMTypeRef num, LLVMValueRef probe)
{
    LLVMValueRef bad = LLVMBuildFCmp(gen->b, LLVMRealUNO, probe, probe, "");

    if (num != gen->type.f64) {
        LLVMValueRef any = LLVMConstInt(gen->type.i1, 0, 0);
        for (unsigned l = 0; l < LLVMGetVectorSize(num); l++)
            any = LLVMBuildOr(
                gen->b, any,
                LLVMBuildExtractElement(gen->b, bad, gen_i32(gen, l), ""), "");
        bad = any;
    }
    return LLVMBuildSelect(gen->b, bad, gen_i32(gen, IMP_NONFINITE),
                           gen_i32(gen, IMP_OK), "");
}
