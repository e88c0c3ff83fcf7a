/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generator's own vocabulary: types, loads, stores, calls. The one header
 * of this room that knows about versions of LLVM: only functions that exist
 * unchanged in 14 .. 19 are used, every access through memory casts its
 * pointer first (a real bitcast in 14, nothing from 15 on), optimisation runs
 * by the text of a pipeline.
 *
 * The scalar type of eval functions is gen.num: double, or <lanes x double>,
 * one lane per model instance; env, local and out are then arrays of such
 * vectors. Series functions are scalar.
 *
 * Invariants: no fast-math flag is ever set; libm names never occur; one gen
 * is used by one thread, and owns its context. A failure inside the generator
 * longjmps to gen.fail. */
#ifndef IMP_CODEGEN_EMIT_H
#define IMP_CODEGEN_EMIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "abi/image.h"
#include "abi/status.h"
#include "codegen/gen.h"

struct arena;

/* A function is split if it has more operations than this: the time that LLVM
 * takes grows faster than in proportion to the length of a block (10 000
 * operations in one block: some 5 s at level 2). */
#define GEN_CHUNK 1000u
#define GEN_ERROR 256

/* How coefficient k of an operator is made: the SERIES column of abi/ops.def.
 */
enum gen_rule {
    SER_LEAF,
    SER_LINEAR,
    SER_CONV,
    SER_DIV,
    SER_CHAIN,
    SER_HELPER,
    SER_PICK,
    SER_STEP
};
struct gen_op {
    const char *name; /* "SIN" */
    unsigned arity;
    enum gen_rule rule;
    const char *eval; /* the EVAL column as text: names the runtime symbol */
};
extern const struct gen_op gen_ops[IMP_OP_COUNT];

struct gen_types {
    LLVMTypeRef f64, i1, i8, i32, i64, v2, v4;
    LLVMTypeRef num, numbool; /* of eval functions */
    LLVMTypeRef pf64, ppf64;
    LLVMTypeRef eval, series; /* of whole functions */
};
struct gen_constants {
    LLVMValueRef zero, one; /* of type num */
    LLVMValueRef reverse;   /* mask 3 2 1 0 */
};
/* Which tape has the code of this one first, and which has its constants, too;
 * several: of a first one, there are tapes with other constants. */
struct gen_alike {
    uint32_t first, same;
    bool several;
};
struct gen {
    LLVMContextRef cx;
    LLVMModuleRef mod;
    LLVMBuilderRef b;
    LLVMTargetMachineRef tm;
    struct arena *arena;
    const imp_image *im;
    unsigned lanes; /* 1: scalar */
    struct gen_types type;
    struct gen_constants constant;
    struct gen_alike *alike; /* per tape */
    LLVMValueRef *fn_of_op; /* declared runtime symbols, by operator */
    jmp_buf fail;
    char error[GEN_ERROR];
};

/* types.c */
void gen_types(struct gen *gen);
_Noreturn void gen_fail(struct gen *gen, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const imp_tape *gen_tape(const struct gen *gen, uint32_t i);
LLVMValueRef gen_i32(const struct gen *gen, unsigned x);
LLVMValueRef gen_i64(const struct gen *gen, uint64_t x);
LLVMValueRef gen_num(const struct gen *gen, LLVMTypeRef num, double x);
/* pointer to the idx-th `unit` of the array at base, as pointer to `as` */
LLVMValueRef gen_at(const struct gen *gen, LLVMTypeRef unit, LLVMValueRef base,
                    LLVMValueRef idx, LLVMTypeRef as);
LLVMValueRef gen_load(const struct gen *gen, LLVMTypeRef type, LLVMValueRef p);
void gen_store(const struct gen *gen, LLVMTypeRef type, LLVMValueRef v,
               LLVMValueRef p);
/* double at base[idx] */
LLVMValueRef gen_get(const struct gen *gen, LLVMValueRef base, uint64_t idx);
void gen_put(const struct gen *gen, LLVMValueRef base, uint64_t idx,
             LLVMValueRef v);
/* An internal function. Its parameter number `noalias` (from 1) overlaps
 * nothing else that the function reads. A `part` of a split function is never
 * inlined. */
LLVMValueRef gen_function(struct gen *gen, const char *name, LLVMTypeRef type,
                          unsigned noalias, bool part);
/* a runtime function; pure: depends on its arguments only */
LLVMValueRef gen_runtime(struct gen *gen, const char *name, LLVMTypeRef type,
                         bool pure);
/* constant data of the module; shared: seen from outside */
LLVMValueRef gen_global(struct gen *gen, const char *name,
                        LLVMValueRef init_value, bool shared);
LLVMBasicBlockRef gen_block(const struct gen *gen, const char *name);
LLVMValueRef gen_alloca(const struct gen *gen, LLVMTypeRef type, uint64_t n);

/* ops.c: value of an operator of the table (no leaf, no DOT). `num` is the
 * type of its operands: gen->type.num or gen->type.f64 */
LLVMValueRef gen_op_value(struct gen *gen, LLVMTypeRef num, enum imp_op op,
                          LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);
/* value of PLACE or ENTRY: a, and the c entries of env from number `first` on */
LLVMValueRef gen_table_value(struct gen *gen, LLVMTypeRef num, enum imp_op op,
                             LLVMValueRef a, LLVMValueRef env, uint32_t first,
                             uint32_t n);
static inline bool
gen_is_table(const imp_instr *in)
{
    return in->op == IMP_OP_PLACE || in->op == IMP_OP_ENTRY;
}
/* comparison of the operator's choice at order 0 (ABS, MIN, MAX, SELECT):
 * true where operand `b` (for ABS: -a) is taken. i1 or <lanes x i1> */
LLVMValueRef gen_op_choice(struct gen *gen, LLVMTypeRef num, enum imp_op op,
                           LLVMValueRef a, LLVMValueRef b);
/* +0 where x is finite, NaN elsewhere */
LLVMValueRef gen_finite_probe(const struct gen *gen, LLVMValueRef x);
/* i32 status from the sum of such probes */
LLVMValueRef gen_finite_status(const struct gen *gen, LLVMTypeRef num,
                               LLVMValueRef probe);

/* Calls `each` for each operand register that an instruction reads at order 0.
 */
void gen_operands(const struct gen *gen, const imp_tape *tape, uint32_t i,
                  void (*each)(void *ctx, uint32_t operand), void *ctx);
/* Refuses a tape whose references lead outside: that is a mistake of our own,
 * but must not crash. */
void gen_check_tape(struct gen *gen, const imp_tape *tape);
static inline bool
gen_is_leaf(const imp_instr *in)
{
    return in->op <= IMP_OP_UNKNOWN;
}

/* alike.c: tapes that have the same code */
void gen_find_alike(struct gen *gen);
/* the type of functions that get the constants of their tape besides */
LLVMTypeRef gen_type_by_constants(const struct gen *gen, LLVMTypeRef type);
/* NAME_TAPE of that type, which calls `function` with the tape's constants */
LLVMValueRef gen_with_constants(struct gen *gen, const char *name,
                                LLVMTypeRef type, unsigned noalias,
                                LLVMValueRef function, uint32_t tape);

/* eval_fn.c, series_fn.c: one function per tape; the result is the function
 * that the code table points at, or where several tapes have this code with
 * constants of their own, one that gets the constants besides */
LLVMValueRef gen_eval_fn(struct gen *gen, uint32_t tape);
LLVMValueRef gen_series_fn(struct gen *gen, uint32_t tape);

/* object.c: the target, optimisation, emission. All return NULL or an error */
void gen_llvm_init(void);
const char *gen_host_cpu(void);
struct gen_bytes gen_emit(const imp_image *image,
                          const struct gen_options *opt);

/* jit.c */
struct gen_jit *gen_load_object(const char *object, size_t n,
                                const struct gen_symbol *symbols,
                                imp_code *code, const char **error);
void gen_unload(struct gen_jit *j);

#endif
