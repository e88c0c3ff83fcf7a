/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp build: an image to a standalone simulator, or to object code, IR or
 * assembly. */
#ifndef IMP_CLI_BUILD_H
#define IMP_CLI_BUILD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "abi/image.h"
#include "base/diag.h"

enum build_emit { BUILD_EXE, BUILD_OBJECT, BUILD_LLVM, BUILD_ASM };
struct build_options {
    enum build_emit emit;
    const char *cpu; /* NULL: the baseline, x86-64-v2 (elsewhere "generic") */
    int opt;         /* 0, 1, 2 */
    /* Ctrl-C sets it; NULL: nobody does. The process ends where machine code is
     * being made: nothing has been written then. */
    atomic_int *stop;
};
/* Writes `out` whole or not at all: under a temporary name beside it, which is
 * then renamed. An executable needs neither Imp nor LLVM nor the model to run.
 * Returns enum imp_exit; the diagnostics are in diags. */
int build_simulator(const imp_image *image, const char *out,
                    const struct build_options *options, struct diags *diags);

#endif
