/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version of Imp, and of the libraries that it was built with. */
#ifndef IMP_CLI_CODE_VERSION_H
#define IMP_CLI_CODE_VERSION_H

#include "base/buf.h"

/* "0.1.0": the version that CMakeLists.txt gives the project */
const char *version_of_imp(void);
/* "19.1.7": that of the LLVM which the code generator was built with */
const char *version_of_llvm(void);
/* Appends what `imp --version` prints. No library is loaded for it: the
 * versions are those of the build. */
void version_print(struct buf *out);

#endif
