/* SPDX-License-Identifier: MIT */
/* The table of what runs each command, by the command's number. A row of
 * abi/commands.def that is available stands for the object command_NAME, which
 * the command's own file defines. The checker refuses commands that are not
 * available. */
#include "analysis/driver/commands.h"

#define AVAILABLE_0(name) NULL
#define AVAILABLE_1(name) &command_##name

const struct command_functions *const all_commands[IMP_CMD_COUNT] = {
#define COMMAND(name, args, avail, rules, traits, doc)                         \
    [IMP_CMD_##name] = AVAILABLE_##avail(name),
#include "abi/commands.def"
};
