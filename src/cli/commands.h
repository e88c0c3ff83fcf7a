/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommands of `imp`: one file cmd_X.c each; `repl` is a room of its
 * own. */
#ifndef IMP_CLI_COMMANDS_H
#define IMP_CLI_COMMANDS_H

#include "cli/session/args.h"

extern const struct cli_command cli_run, cli_build, cli_check, cli_fmt,
    cli_test, cli_explain, cli_doc, cli_view, cli_replay, cli_lsp;

#endif
