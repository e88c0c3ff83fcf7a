/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators of abi/ops.def as IR. + - * / comparisons and choices are
 * instructions, sqrt and fabs intrinsics (both exact), all else is a call of
 * the runtime symbol named in the table's EVAL column; lanes call the scalar
 * function one by one. */
#include "codegen/emit.h"

#include <string.h>

/* declared runtime function of an operator, with the table's arity */
static LLVMValueRef
runtime_symbol(struct gen *g, enum imp_op op, LLVMTypeRef *type)
{
    LLVMTypeRef par[2] = {g->f64, g->f64};
    const char *e = gen_ops[op].eval, *paren = strchr(e, '(');
    char name[32];

    *type = LLVMFunctionType(g->f64, par, gen_ops[op].arity, 0);
    if (g->fn_of_op[op])
        return g->fn_of_op[op];
    if (strncmp(e, "imp_", 4) || !paren || paren - e >= (int)sizeof name ||
        gen_ops[op].arity > 2)
        gen_fail(g, "operator %s has no runtime symbol", gen_ops[op].name);
    memcpy(name, e, (size_t)(paren - e));
    name[paren - e] = 0;
    return g->fn_of_op[op] = gen_runtime(g, name, *type, true);
}

static LLVMValueRef
call_runtime(struct gen *g, LLVMTypeRef num, enum imp_op op, LLVMValueRef a,
             LLVMValueRef b)
{
    LLVMTypeRef type;
    LLVMValueRef f = runtime_symbol(g, op, &type), arg[2] = {a, b};
    unsigned n = gen_ops[op].arity;

    if (num == g->f64)
        return LLVMBuildCall2(g->b, type, f, arg, n, "");
    LLVMValueRef r = LLVMGetUndef(num);
    for (unsigned l = 0; l < LLVMGetVectorSize(num); l++) {
        LLVMValueRef at = gen_i32(g, l);
        for (unsigned i = 0; i < n; i++)
            arg[i] = LLVMBuildExtractElement(g->b, i ? b : a, at, "");
        r = LLVMBuildInsertElement(
            g->b, r, LLVMBuildCall2(g->b, type, f, arg, n, ""), at, "");
    }
    return r;
}

static LLVMValueRef
call_intrinsic(struct gen *g, LLVMTypeRef num, const char *name, LLVMValueRef a)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(g->mod, id, &num, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(g->cx, id, &num, 1);

    return LLVMBuildCall2(g->b, type, f, &a, 1, "");
}

static LLVMValueRef
compare(struct gen *g, LLVMRealPredicate p, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFCmp(g->b, p, a, b, "");
}

static LLVMValueRef
truth(struct gen *g, LLVMTypeRef num, LLVMValueRef i1)
{
    return LLVMBuildSelect(g->b, i1, gen_num(g, num, 1.0), gen_num(g, num, 0.0),
                           "");
}

LLVMValueRef
gen_op_choice(struct gen *g, LLVMTypeRef num, enum imp_op op, LLVMValueRef a,
              LLVMValueRef b)
{
    switch (op) {
    case IMP_OP_ABS:
        return compare(g, LLVMRealOLT, a, gen_num(g, num, 0.0));
    case IMP_OP_MIN:
        return compare(g, LLVMRealOLT, b, a);
    case IMP_OP_MAX:
        return compare(g, LLVMRealOLT, a, b);
    default: /* SELECT */
        return compare(g, LLVMRealUNE, a, gen_num(g, num, 0.0));
    }
}

LLVMValueRef
gen_op_value(struct gen *g, LLVMTypeRef num, enum imp_op op, LLVMValueRef a,
             LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef zero = gen_num(g, num, 0.0);
    LLVMBuilderRef bl = g->b;

    switch (op) {
    case IMP_OP_ADD:
        return LLVMBuildFAdd(bl, a, b, "");
    case IMP_OP_SUB:
        return LLVMBuildFSub(bl, a, b, "");
    case IMP_OP_NEG:
        return LLVMBuildFNeg(bl, a, "");
    case IMP_OP_MUL:
        return LLVMBuildFMul(bl, a, b, "");
    case IMP_OP_DIV:
        return LLVMBuildFDiv(bl, a, b, "");
    case IMP_OP_SQRT:
        return call_intrinsic(g, num, "llvm.sqrt", a);
    case IMP_OP_ABS:
        return call_intrinsic(g, num, "llvm.fabs", a);
    case IMP_OP_MIN:
    case IMP_OP_MAX:
        return LLVMBuildSelect(bl, gen_op_choice(g, num, op, a, b), b, a, "");
    case IMP_OP_SELECT:
        return LLVMBuildSelect(bl, gen_op_choice(g, num, op, a, b), b, c, "");
    case IMP_OP_LT:
        return truth(g, num, compare(g, LLVMRealOLT, a, b));
    case IMP_OP_LE:
        return truth(g, num, compare(g, LLVMRealOLE, a, b));
    case IMP_OP_EQ:
        return truth(g, num, compare(g, LLVMRealOEQ, a, b));
    case IMP_OP_NE:
        return truth(g, num, compare(g, LLVMRealUNE, a, b));
    case IMP_OP_AND:
        return truth(g, num,
                     LLVMBuildAnd(bl, compare(g, LLVMRealUNE, a, zero),
                                  compare(g, LLVMRealUNE, b, zero), ""));
    case IMP_OP_OR:
        return truth(g, num,
                     LLVMBuildOr(bl, compare(g, LLVMRealUNE, a, zero),
                                 compare(g, LLVMRealUNE, b, zero), ""));
    case IMP_OP_NOT:
        return truth(g, num, compare(g, LLVMRealOEQ, a, zero));
    default:
        return call_runtime(g, num, op, a, b);
    }
}

LLVMValueRef
gen_finite_probe(const struct gen *g, LLVMValueRef x)
{
    return LLVMBuildFSub(g->b, x, x, "");
}

LLVMValueRef
gen_finite_status(const struct gen *g, LLVMTypeRef num, LLVMValueRef probe)
{
    LLVMValueRef bad = LLVMBuildFCmp(g->b, LLVMRealUNO, probe, probe, "");

    if (num != g->f64) {
        LLVMValueRef any = LLVMConstInt(g->i1, 0, 0);
        for (unsigned l = 0; l < LLVMGetVectorSize(num); l++)
            any = LLVMBuildOr(
                g->b, any,
                LLVMBuildExtractElement(g->b, bad, gen_i32(g, l), ""), "");
        bad = any;
    }
    return LLVMBuildSelect(g->b, bad, gen_i32(g, IMP_NONFINITE),
                           gen_i32(g, IMP_OK), "");
}
