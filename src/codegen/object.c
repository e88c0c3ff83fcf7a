/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One image to one module, optimised by the text of a pipeline, emitted as
 * object, assembly or IR. The object serves the JIT and standalone simulators
 * alike; with_image adds the image itself.
 *
 * Each call has its own LLVM context: several threads may emit at once. */
#include "codegen/emit.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "base/arena.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* By default LLVM ends the process silently or with a signal. Print its
 * message, and end with the status of a failed computation. */
static void
fatal(const char *reason)
{
    fprintf(stderr,
            "imp: LLVM could not go on: %s\n"
            "     Use --backend=eval to run without native code.\n",
            reason);
    _Exit(3);
}

static void
init(void)
{
    LLVMInstallFatalErrorHandler(fatal);
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
}

void
gen_llvm_init(void)
{
    pthread_once(&once, init);
}

static pthread_once_t cpu_once = PTHREAD_ONCE_INIT;
static char cpu_text[2048];

static void
find_cpu(void)
{
    char *name = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();

    snprintf(cpu_text, sizeof cpu_text, "%s %s", name, features);
    LLVMDisposeMessage(name);
    LLVMDisposeMessage(features);
}

/* Name and features of the processor, because code for one must not run on the
 * other. */
const char *
gen_host_cpu(void)
{
    pthread_once(&cpu_once, find_cpu);
    return cpu_text;
}

static void
target(struct gen *gen, const struct gen_options *opt, int how)
{
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    char *name = NULL, *features = NULL;
    LLVMTargetRef found;
    LLVMCodeGenOptLevel level = how == 0   ? LLVMCodeGenLevelNone
                                : how == 1 ? LLVMCodeGenLevelLess
                                           : LLVMCodeGenLevelDefault;

    if (LLVMGetTargetFromTriple(triple, &found, &message)) {
        snprintf(gen->error, sizeof gen->error, "no target for %s: %s", triple,
                 message);
        LLVMDisposeMessage(message);
        LLVMDisposeMessage(triple);
        longjmp(gen->fail, 1);
    }
    if (!opt->cpu || !strcmp(opt->cpu, "host")) {
        name = LLVMGetHostCPUName();
        features = LLVMGetHostCPUFeatures();
    }
    gen->tm = LLVMCreateTargetMachine(
        found, triple, name ? name : opt->cpu, features ? features : "", level,
        opt->pic ? LLVMRelocPIC : LLVMRelocStatic, LLVMCodeModelDefault);
    LLVMSetTarget(gen->mod, triple);
    LLVMDisposeMessage(triple);
    if (name)
        LLVMDisposeMessage(name);
    if (features)
        LLVMDisposeMessage(features);
    if (!gen->tm)
        gen_fail(gen, "LLVM knows no processor named %s", opt->cpu);
    LLVMTargetDataRef dl = LLVMCreateTargetDataLayout(gen->tm);
    LLVMSetModuleDataLayout(gen->mod, dl);
    LLVMDisposeTargetData(dl);
}

/* the three data symbols of abi/image.h */
static void
tables(struct gen *gen, LLVMValueRef *eval, LLVMValueRef *series, bool image)
{
    uint32_t n = gen->im->tapes.n;
    LLVMTypeRef pe = LLVMPointerType(gen->type.eval, 0);
    LLVMTypeRef ps = LLVMPointerType(gen->type.series, 0);
    LLVMValueRef te =
        gen_global(gen, "imp_model_eval", LLVMConstArray(pe, eval, n), false);
    LLVMValueRef ts = gen_global(gen, "imp_model_series",
                                 LLVMConstArray(ps, series, n), false);
    LLVMValueRef f[3] = {LLVMConstBitCast(te, LLVMPointerType(pe, 0)),
                         LLVMConstBitCast(ts, LLVMPointerType(ps, 0)),
                         gen_i32(gen, n)};

    gen_global(gen, IMP_SYM_CODE, LLVMConstStructInContext(gen->cx, f, 3, 0),
               true);
    if (!image)
        return;
    gen_global(gen, IMP_SYM_IMAGE,
               LLVMConstStringInContext(gen->cx, (const char *)gen->im,
                                        gen->im->size, 1),
               true);
    gen_global(gen, IMP_SYM_SIZE, gen_i64(gen, gen->im->size), true);
}

/* A long tape of the set-up runs once per start, and costs more to compile than
 * thousands of its runs by the evaluator, at some nanoseconds per instruction and
 * per output, of which each contact has IMP_CONTACT_OUTS.
 * Code for many runs at once (lanes) has it all the same. */
#define SETUP_LONG 4096

static bool
pays(const struct gen *gen, uint32_t tape)
{
    const imp_tape *of = gen_tape(gen, tape);
    return tape != gen->im->setup || gen->lanes > 1 ||
           of->code.n + of->outs.n <= SETUP_LONG;
}

/* The functions of all tapes, of one of the two types. */
struct entries {
    const char *name;
    LLVMTypeRef type;
    unsigned noalias;
    LLVMValueRef *of, *code; /* per tape; per first one of its code */
};

static struct entries
entries_new(struct gen *gen, const char *name, LLVMTypeRef type,
            unsigned noalias)
{
    uint32_t n = gen->im->tapes.n;

    return (struct entries){name, type, noalias,
                            NEW_N(gen->arena, LLVMValueRef, n + 1),
                            NEW_N(gen->arena, LLVMValueRef, n + 1)};
}

/* Gives tape i its function, which `make` generates where none has its code.
 * NULL: none. */
static void
entry(struct gen *gen, struct entries *entries, uint32_t i,
      LLVMValueRef (*make)(struct gen *, uint32_t))
{
    const struct gen_alike *like = gen->alike + i;
    LLVMValueRef *code = entries->code + like->first;

    if (!make) {
        entries->of[i] = LLVMConstNull(LLVMPointerType(entries->type, 0));
        return;
    }
    if (!*code)
        *code = make(gen, like->first);
    if (!gen->alike[like->first].several)
        entries->of[i] = *code;
    else if (like->same == i)
        entries->of[i] = gen_with_constants(gen, entries->name, entries->type,
                                            entries->noalias, *code, i);
    else
        entries->of[i] = entries->of[like->same];
}

static void
build(struct gen *gen, const struct gen_options *opt)
{
    uint32_t n = gen->im->tapes.n;
    struct entries eval = entries_new(gen, "imp_eval", gen->type.eval, 3);
    struct entries series = entries_new(gen, "imp_series", gen->type.series, 4);
    char *message = NULL;

    for (uint32_t i = 0; i < n; i++) {
        gen_check_tape(gen, gen_tape(gen, i));
        entry(gen, &eval, i, pays(gen, i) ? gen_eval_fn : NULL);
        entry(gen, &series, i,
              gen_tape(gen, i)->series && gen->lanes == 1 ? gen_series_fn
                                                          : NULL);
    }
    tables(gen, eval.of, series.of, opt->with_image);
    if (LLVMVerifyModule(gen->mod, LLVMReturnStatusAction, &message)) {
        snprintf(gen->error, sizeof gen->error, "the module is not valid: %s",
                 message);
        LLVMDisposeMessage(message);
        longjmp(gen->fail, 1);
    }
    LLVMDisposeMessage(message);
}

static void
optimise(struct gen *gen, int level)
{
    /* Level 1 is a part of default<O1> that gives code of the same speed in
     * half the time. The tapes have neither dead code nor common
     * subexpressions, except loads, and the loops need no rotation. */
    static const char *const pipeline[3] = {
        "default<O0>",
        "function(early-cse<memssa>,loop-mssa(licm),simplifycfg)",
        "default<O2>"};
    const char *text = pipeline[level < 0 ? 0 : level > 2 ? 2 : level];
    LLVMPassBuilderOptionsRef po = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(gen->mod, text, gen->tm, po);

    LLVMDisposePassBuilderOptions(po);
    if (e) {
        char *m = LLVMGetErrorMessage(e);
        snprintf(gen->error, sizeof gen->error, "optimisation failed: %s", m);
        LLVMDisposeErrorMessage(m);
        longjmp(gen->fail, 1);
    }
}

static void
write_out(struct gen *gen, enum gen_output kind, struct gen_bytes *out)
{
    LLVMMemoryBufferRef buf;
    char *message = NULL;

    if (kind == GEN_IR) {
        char *text = LLVMPrintModuleToString(gen->mod);
        out->s = strdup(text);
        LLVMDisposeMessage(text);
        if (!out->s)
            oom_raise();
        out->n = strlen(out->s);
        return;
    }
    if (LLVMTargetMachineEmitToMemoryBuffer(gen->tm, gen->mod,
                                            kind == GEN_ASM ? LLVMAssemblyFile
                                                            : LLVMObjectFile,
                                            &message, &buf)) {
        snprintf(gen->error, sizeof gen->error, "no object code: %s", message);
        LLVMDisposeMessage(message);
        longjmp(gen->fail, 1);
    }
    size_t n = LLVMGetBufferSize(buf);
    out->s = malloc(n + 1);
    if (out->s) {
        memcpy(out->s, LLVMGetBufferStart(buf), n);
        out->s[n] = 0;
        out->n = n;
    }
    LLVMDisposeMemoryBuffer(buf);
    if (!out->s)
        oom_raise();
}

static void
dispose(struct gen *gen)
{
    if (gen->b)
        LLVMDisposeBuilder(gen->b);
    if (gen->mod)
        LLVMDisposeModule(gen->mod);
    if (gen->tm)
        LLVMDisposeTargetMachine(gen->tm);
    if (gen->cx)
        LLVMContextDispose(gen->cx);
    arena_free(gen->arena);
}

/* the message, on the heap for good (gen.h) */
__attribute__((noinline)) static const char *
keep(const char *text)
{
    char *s = strdup(text);

    return s ? s : "out of memory";
}

static void
emit(struct gen *gen, const struct gen_options *opt, struct gen_bytes *out)
{
    if (setjmp(gen->fail)) {
        out->error = keep(gen->error);
        return;
    }
    int how = gen_size(gen->im) > GEN_LARGE ? 0 : opt->opt;

    gen->cx = LLVMContextCreate();
    gen->mod = LLVMModuleCreateWithNameInContext("imp", gen->cx);
    gen->b = LLVMCreateBuilderInContext(gen->cx);
    target(gen, opt, how);
    gen_types(gen);
    gen_find_alike(gen);
    build(gen, opt);
    optimise(gen, how);
    write_out(gen, opt->output, out);
}

/* If memory runs out below, control returns here; *g then holds what must be
 * freed. */
static void
emit_guarded(struct gen *gen, const struct gen_options *opt,
             struct gen_bytes *out)
{
    struct oom_guard guard;

    if (setjmp(guard.env)) {
        oom_leave(&guard);
        out->error = "out of memory";
        return;
    }
    oom_enter(&guard);
    gen->arena = arena_new();
    emit(gen, opt, out);
    oom_leave(&guard);
}

struct gen_bytes
gen_emit(const imp_image *image, const struct gen_options *opt)
{
    assert(image && opt && opt->opt >= 0 && opt->opt <= 2);
    struct gen_bytes out = {NULL, 0, NULL};
    struct gen *gen;

    gen_llvm_init();
    if (image->magic != IMP_IMAGE_MAGIC || image->abi != IMP_ABI_VERSION) {
        out.error = "the image is of another version of Imp";
        return out;
    }
    if (opt->lanes > 16) {
        out.error = "at most 16 lanes can be generated";
        return out;
    }
    gen = calloc(1, sizeof *gen);
    if (!gen) {
        out.error = "out of memory";
        return out;
    }
    gen->im = image;
    gen->lanes = opt->lanes > 1 ? (unsigned)opt->lanes : 1u;
    emit_guarded(gen, opt, &out);
    dispose(gen);
    free(gen);
    return out;
}
