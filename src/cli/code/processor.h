/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the processor can do, as bytes for a key. LLVM would tell its name, but
 * takes longer to load than most runs last. */
#ifndef IMP_CLI_CODE_PROCESSOR_H
#define IMP_CLI_CODE_PROCESSOR_H

#include <stdbool.h>

#include "cli/code/sha256.h"

/* Adds what the processor says of itself. False, and adds nothing, where only
 * the code generator can tell processors apart. */
bool processor_add(struct sha256 *sha);

#endif
