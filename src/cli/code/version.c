/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See version.h. cli.cmake defines the macros; a library without a macro was
 * not there when Imp was built. */
#include "cli/code/version.h"

#include <assert.h>

#ifndef IMP_VERSION
#error "cli.cmake gives the version of the project to this file"
#endif
#ifndef IMP_LLVM_VERSION
#define IMP_LLVM_VERSION "none"
#endif
#ifndef IMP_MUSL_VERSION
#define IMP_MUSL_VERSION "none" /* the functions of the C library serve */
#endif
#ifndef IMP_GSL_VERSION
#define IMP_GSL_VERSION "none"
#endif
#ifndef IMP_HDF5_VERSION
#define IMP_HDF5_VERSION "none"
#endif

const char *
version_of_imp(void)
{
    return IMP_VERSION;
}

const char *
version_of_llvm(void)
{
    return IMP_LLVM_VERSION;
}

void
version_print(struct buf *out)
{
    static const struct {
        const char *purpose, *library, *version;
    } libraries[] = {
        {"machine code", "LLVM", IMP_LLVM_VERSION},
        {".h5 files", "HDF5", IMP_HDF5_VERSION},
        {"engine = gsl", "GSL", IMP_GSL_VERSION},
        {"sin, pow ...", "musl", IMP_MUSL_VERSION},
        {"line editor", "libedit", IMP_EDIT_VERSION},
        {"Unicode", "utf8proc", IMP_UTF8PROC_VERSION},
    };

    assert(out);
    buf_printf(out, "imp %s\n", version_of_imp());
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        buf_printf(out, "  %-14s%s %s\n", libraries[i].purpose,
                   libraries[i].library, libraries[i].version);
}
