/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code generation: tapes to LLVM IR to object code. It is a shared library of
 * its own (libimpgen.so), which cli/code/load.c loads when it is first needed,
 * so nothing else pays for LLVM. This header includes no header of LLVM. The
 * library exports one symbol, GEN_ENTRY, of type gen_entry_fn. */
#ifndef IMP_CODEGEN_GEN_H
#define IMP_CODEGEN_GEN_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/image.h"

#define GEN_API_VERSION 2
#define GEN_ENTRY "imp_gen_entry"

/* Larger models are generated without optimisation, whatever is asked for,
 * because optimising them takes many times longer than it can save. No choice
 * of the generator changes a bit of a result. */
#define GEN_LARGE 4000u
/* Instructions, those of tapes with the same code once. */
static inline uint32_t
gen_size(const imp_image *image)
{
    const imp_tape *tape = IMP_ARRAY(image, image->tapes, imp_tape);
    uint32_t n = 0, end = 0;

    /* code that an earlier tape has, too, lies before the end */
    for (uint32_t i = 0; i < image->tapes.n; i++)
        if (tape[i].code.off > end) {
            n += tape[i].code.n;
            end = tape[i].code.off;
        }
    return n;
}

enum gen_output { GEN_OBJECT, GEN_IR, GEN_ASM };
struct gen_options {
    int opt;         /* 0, 1, 2 */
    const char *cpu; /* "x86-64-v2", "host", ...; NULL: host */
    bool with_image; /* put image, size and code table into the object */
    bool pic;
    enum gen_output output;
    /* N > 1: eval functions run N instances at once; env, local and out have N
     * doubles per entry (entry i of instance l at [i*N + l]), and there are no
     * series functions. 0 or 1: one instance. At most 16. */
    int lanes;
};
/* bytes on the heap: free() them. On failure s is NULL and error (static or
 * heap, never freed) says why. */
struct gen_bytes {
    char *s;
    size_t n;
    const char *error;
};
struct gen_symbol {
    const char *name;
    void *address;
};
struct gen_jit; /* holds loaded code; the pointers in code live as long */

struct gen_api {
    int version;
    struct gen_bytes (*emit)(const imp_image *im,
                             const struct gen_options *opt);
    /* Loads an object made by emit into this process and fills in code.
     * `symbols` (ended by a NULL name) gives the addresses of the functions of
     * abi/symbols.def. NULL and *error on failure. */
    struct gen_jit *(*load)(const char *object, size_t n,
                            const struct gen_symbol *symbols, imp_code *code,
                            const char **error);
    void (*unload)(struct gen_jit *j);
    /* for cache keys where nobody else knows it; owned by the library */
    const char *(*host_cpu)(void);
};
typedef const struct gen_api *(*gen_entry_fn)(void);

#endif
