/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads an object into this process with ORC's LLJIT. Runtime symbols come
 * from the caller's table and from nowhere else: the process is not searched.
 */
#include "codegen/emit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>

struct gen_jit {
    LLVMOrcLLJITRef lljit;
};

/* The message of an LLVMErrorRef, on the heap, never freed. */
static const char *
consume(LLVMErrorRef e)
{
    char *m = LLVMGetErrorMessage(e), *s = strdup(m);

    LLVMDisposeErrorMessage(m);
    return s ? s : "out of memory";
}

static LLVMErrorRef
define_symbols(LLVMOrcLLJITRef jit, const struct gen_symbol *symbols)
{
    size_t count = 0;
    LLVMOrcCSymbolMapPairs pairs; /* this name exists in all versions of LLVM */

    while (symbols[count].name)
        count++;
    pairs = calloc(count + 1, sizeof *pairs);
    if (!pairs)
        return LLVMCreateStringError("out of memory");
    for (size_t i = 0; i < count; i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(jit, symbols[i].name);
        pairs[i].Sym.Address =
            (LLVMOrcExecutorAddress)(uintptr_t)symbols[i].address;
        pairs[i].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported |
                                          LLVMJITSymbolGenericFlagsCallable;
    }
    LLVMErrorRef e = NULL;
    if (count)
        e = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit),
                                  LLVMOrcAbsoluteSymbols(pairs, count));
    free(pairs);
    return e;
}

struct gen_jit *
gen_load_object(const char *object, size_t size,
                const struct gen_symbol *symbols, imp_code *code,
                const char **error)
{
    assert(object && size > 0 && symbols && code && error);
    struct gen_jit *jit = calloc(1, sizeof *jit);
    LLVMOrcExecutorAddress at = 0;
    LLVMErrorRef failure;

    gen_llvm_init();
    if (!jit) {
        *error = "out of memory";
        return NULL;
    }
    failure = LLVMOrcCreateLLJIT(&jit->lljit, NULL);
    if (!failure)
        failure = define_symbols(jit->lljit, symbols);
    if (!failure)
        failure = LLVMOrcLLJITAddObjectFile(
            jit->lljit, LLVMOrcLLJITGetMainJITDylib(jit->lljit),
            LLVMCreateMemoryBufferWithMemoryRangeCopy(object, size, "model"));
    if (!failure)
        failure = LLVMOrcLLJITLookup(jit->lljit, &at, IMP_SYM_CODE);
    if (failure) {
        *error = consume(failure);
        gen_unload(jit);
        return NULL;
    }
    memcpy(code, (const void *)(uintptr_t)at, sizeof *code);
    return jit;
}

void
gen_unload(struct gen_jit *j)
{
    if (!j)
        return;
    if (j->lljit) {
        LLVMErrorRef e = LLVMOrcDisposeLLJIT(j->lljit);
        if (e)
            LLVMConsumeError(e);
    }
    free(j);
}
