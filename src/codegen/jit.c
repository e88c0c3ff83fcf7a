/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads an object into this process with ORC's LLJIT. Runtime symbols come
 * from the caller's table and from nowhere else: the process is not searched.
 */
#include "codegen/emit.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>

struct gen_jit {
    LLVMOrcLLJITRef lljit;
};

/* the message of an LLVMErrorRef, on the heap for good */
static const char *
consume(LLVMErrorRef e)
{
    char *m = LLVMGetErrorMessage(e), *s = strdup(m);

    LLVMDisposeErrorMessage(m);
    return s ? s : "out of memory";
}

static LLVMErrorRef
define_symbols(LLVMOrcLLJITRef j, const struct gen_symbol *symbols)
{
    size_t n = 0;
    LLVMOrcCSymbolMapPairs pairs; /* the one name that all versions have */

    while (symbols[n].name)
        n++;
    pairs = calloc(n + 1, sizeof *pairs);
    if (!pairs)
        return LLVMCreateStringError("out of memory");
    for (size_t i = 0; i < n; i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(j, symbols[i].name);
        pairs[i].Sym.Address =
            (LLVMOrcExecutorAddress)(uintptr_t)symbols[i].address;
        pairs[i].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported |
                                          LLVMJITSymbolGenericFlagsCallable;
    }
    LLVMErrorRef e = NULL;
    if (n)
        e = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(j),
                                  LLVMOrcAbsoluteSymbols(pairs, n));
    free(pairs);
    return e;
}

struct gen_jit *
gen_load_object(const char *object, size_t n, const struct gen_symbol *symbols,
                imp_code *code, const char **error)
{
    struct gen_jit *j = calloc(1, sizeof *j);
    LLVMOrcExecutorAddress at = 0;
    LLVMErrorRef e;

    gen_llvm_init();
    if (!j) {
        *error = "out of memory";
        return NULL;
    }
    e = LLVMOrcCreateLLJIT(&j->lljit, NULL);
    if (!e)
        e = define_symbols(j->lljit, symbols);
    if (!e)
        e = LLVMOrcLLJITAddObjectFile(
            j->lljit, LLVMOrcLLJITGetMainJITDylib(j->lljit),
            LLVMCreateMemoryBufferWithMemoryRangeCopy(object, n, "model"));
    if (!e)
        e = LLVMOrcLLJITLookup(j->lljit, &at, IMP_SYM_CODE);
    if (e) {
        *error = consume(e);
        gen_unload(j);
        return NULL;
    }
    memcpy(code, (const void *)(uintptr_t)at, sizeof *code);
    return j;
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
