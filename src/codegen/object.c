/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One image to one module, optimised by the text of a pipeline, emitted as
 * object, assembly or IR. The object serves the JIT and standalone simulators
 * alike; with_image adds the image itself.
 *
 * Each call has its own LLVM context: several threads may emit at once. */
#include "codegen/emit.h"

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

/* LLVM would end the process silently or with a signal: say what it says and
 * end with the status of a failed computation */
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

/* name and features: code for one must not run on the other */
const char *
gen_host_cpu(void)
{
    pthread_once(&cpu_once, find_cpu);
    return cpu_text;
}

static void
target(struct gen *g, const struct gen_options *opt, int how)
{
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    char *name = NULL, *features = NULL;
    LLVMTargetRef t;
    LLVMCodeGenOptLevel level = how == 0   ? LLVMCodeGenLevelNone
                                : how == 1 ? LLVMCodeGenLevelLess
                                           : LLVMCodeGenLevelDefault;

    if (LLVMGetTargetFromTriple(triple, &t, &message)) {
        snprintf(g->error, sizeof g->error, "no target for %s: %s", triple,
                 message);
        LLVMDisposeMessage(message);
        LLVMDisposeMessage(triple);
        longjmp(g->fail, 1);
    }
    if (!opt->cpu || !strcmp(opt->cpu, "host")) {
        name = LLVMGetHostCPUName();
        features = LLVMGetHostCPUFeatures();
    }
    g->tm = LLVMCreateTargetMachine(
        t, triple, name ? name : opt->cpu, features ? features : "", level,
        opt->pic ? LLVMRelocPIC : LLVMRelocStatic, LLVMCodeModelDefault);
    LLVMSetTarget(g->mod, triple);
    LLVMDisposeMessage(triple);
    if (name)
        LLVMDisposeMessage(name);
    if (features)
        LLVMDisposeMessage(features);
    if (!g->tm)
        gen_fail(g, "LLVM knows no processor named %s", opt->cpu);
    LLVMTargetDataRef dl = LLVMCreateTargetDataLayout(g->tm);
    LLVMSetModuleDataLayout(g->mod, dl);
    LLVMDisposeTargetData(dl);
}

static LLVMValueRef
global(struct gen *g, const char *name, LLVMValueRef init_value, bool shared)
{
    LLVMValueRef v = LLVMAddGlobal(g->mod, LLVMTypeOf(init_value), name);

    LLVMSetInitializer(v, init_value);
    LLVMSetGlobalConstant(v, 1);
    if (!shared)
        LLVMSetLinkage(v, LLVMInternalLinkage);
    LLVMSetAlignment(v, 16);
    return v;
}

/* the three data symbols of abi/image.h */
static void
tables(struct gen *g, LLVMValueRef *eval, LLVMValueRef *series, bool image)
{
    uint32_t n = g->im->tapes.n;
    LLVMTypeRef pe = LLVMPointerType(g->eval_ty, 0);
    LLVMTypeRef ps = LLVMPointerType(g->series_ty, 0);
    LLVMValueRef te =
        global(g, "imp_model_eval", LLVMConstArray(pe, eval, n), false);
    LLVMValueRef ts =
        global(g, "imp_model_series", LLVMConstArray(ps, series, n), false);
    LLVMValueRef f[3] = {LLVMConstBitCast(te, LLVMPointerType(pe, 0)),
                         LLVMConstBitCast(ts, LLVMPointerType(ps, 0)),
                         gen_i32(g, n)};

    global(g, IMP_SYM_CODE, LLVMConstStructInContext(g->cx, f, 3, 0), true);
    if (!image)
        return;
    global(g, IMP_SYM_IMAGE,
           LLVMConstStringInContext(g->cx, (const char *)g->im, g->im->size, 1),
           true);
    global(g, IMP_SYM_SIZE, gen_i64(g, g->im->size), true);
}

static void
build(struct gen *g, const struct gen_options *opt)
{
    uint32_t n = g->im->tapes.n;
    LLVMValueRef *eval = NEW_N(g->arena, LLVMValueRef, n + 1);
    LLVMValueRef *series = NEW_N(g->arena, LLVMValueRef, n + 1);
    char *message = NULL;

    gen_types(g);
    for (uint32_t i = 0; i < n; i++) {
        const imp_tape *t = gen_tape(g, i);
        gen_check_tape(g, t);
        eval[i] = gen_eval_fn(g, i);
        series[i] = t->series && g->lanes == 1
                        ? gen_series_fn(g, i)
                        : LLVMConstNull(LLVMPointerType(g->series_ty, 0));
    }
    tables(g, eval, series, opt->with_image);
    if (LLVMVerifyModule(g->mod, LLVMReturnStatusAction, &message)) {
        snprintf(g->error, sizeof g->error, "the module is not valid: %s",
                 message);
        LLVMDisposeMessage(message);
        longjmp(g->fail, 1);
    }
    LLVMDisposeMessage(message);
}

static void
optimise(struct gen *g, int level)
{
    /* Level 1 is what measurement left of default<O1>: as fast a code at half
     * the time. The tapes have no dead code and no common subexpressions but
     * loads; loops are made as they should be. */
    static const char *const pipeline[3] = {
        "default<O0>",
        "function(early-cse<memssa>,loop-mssa(licm),simplifycfg)",
        "default<O2>"};
    const char *text = pipeline[level < 0 ? 0 : level > 2 ? 2 : level];
    LLVMPassBuilderOptionsRef po = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(g->mod, text, g->tm, po);

    LLVMDisposePassBuilderOptions(po);
    if (e) {
        char *m = LLVMGetErrorMessage(e);
        snprintf(g->error, sizeof g->error, "optimisation failed: %s", m);
        LLVMDisposeErrorMessage(m);
        longjmp(g->fail, 1);
    }
}

static void
write_out(struct gen *g, enum gen_output kind, struct gen_bytes *out)
{
    LLVMMemoryBufferRef buf;
    char *message = NULL;

    if (kind == GEN_IR) {
        char *text = LLVMPrintModuleToString(g->mod);
        out->s = strdup(text);
        LLVMDisposeMessage(text);
        if (!out->s)
            oom_raise();
        out->n = strlen(out->s);
        return;
    }
    if (LLVMTargetMachineEmitToMemoryBuffer(
            g->tm, g->mod, kind == GEN_ASM ? LLVMAssemblyFile : LLVMObjectFile,
            &message, &buf)) {
        snprintf(g->error, sizeof g->error, "no object code: %s", message);
        LLVMDisposeMessage(message);
        longjmp(g->fail, 1);
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
dispose(struct gen *g)
{
    if (g->b)
        LLVMDisposeBuilder(g->b);
    if (g->mod)
        LLVMDisposeModule(g->mod);
    if (g->tm)
        LLVMDisposeTargetMachine(g->tm);
    if (g->cx)
        LLVMContextDispose(g->cx);
    arena_free(g->arena);
}

/* the message, on the heap for good (gen.h) */
__attribute__((noinline)) static const char *
keep(const char *text)
{
    char *s = strdup(text);

    return s ? s : "out of memory";
}

static void
emit(struct gen *g, const struct gen_options *opt, struct gen_bytes *out)
{
    if (setjmp(g->fail)) {
        out->error = keep(g->error);
        return;
    }
    int how = gen_size(g->im) > GEN_LARGE ? 0 : opt->opt;

    g->cx = LLVMContextCreate();
    g->mod = LLVMModuleCreateWithNameInContext("imp", g->cx);
    g->b = LLVMCreateBuilderInContext(g->cx);
    target(g, opt, how);
    build(g, opt);
    optimise(g, how);
    write_out(g, opt->output, out);
}

/* out of memory anywhere below ends here; *g then is what there is to free */
static void
emit_guarded(struct gen *g, const struct gen_options *opt,
             struct gen_bytes *out)
{
    struct oom_guard guard;

    if (setjmp(guard.env)) {
        oom_leave(&guard);
        out->error = "out of memory";
        return;
    }
    oom_enter(&guard);
    g->arena = arena_new();
    emit(g, opt, out);
    oom_leave(&guard);
}

struct gen_bytes
gen_emit(const imp_image *im, const struct gen_options *opt)
{
    struct gen_bytes out = {NULL, 0, NULL};
    struct gen *g;

    gen_llvm_init();
    if (im->magic != IMP_IMAGE_MAGIC || im->abi != IMP_ABI_VERSION) {
        out.error = "the image is of another version of Imp";
        return out;
    }
    if (opt->lanes > 16) {
        out.error = "at most 16 lanes can be generated";
        return out;
    }
    g = calloc(1, sizeof *g);
    if (!g) {
        out.error = "out of memory";
        return out;
    }
    g->im = im;
    g->lanes = opt->lanes > 1 ? (unsigned)opt->lanes : 1u;
    emit_guarded(g, opt, &out);
    dispose(g);
    free(g);
    return out;
}
