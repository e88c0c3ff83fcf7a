/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `imp repl`: questions one at a time. */
#ifndef IMP_CLI_REPL_REPL_H
#define IMP_CLI_REPL_REPL_H

#include "cli/session/args.h"

extern const struct cli_command cli_repl;

#endif
