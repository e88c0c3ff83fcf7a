/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chain from text to results, shared by `imp`, the REPL and the C API. */
#ifndef IMP_CLI_SESSION_H
#define IMP_CLI_SESSION_H

#include "abi/image.h"
#include "base/diag.h"
#include "check/tm.h"

/* loads libimpgen.so from beside this program, from ../lib/imp, or from the
 * install prefix; NULL and *error (static) on failure */
struct gen_api;
const struct gen_api *genload(const char **error);

#endif
