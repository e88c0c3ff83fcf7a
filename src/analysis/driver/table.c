/* SPDX-License-Identifier: MIT */
/* The table of commands, made from abi/commands.def: a command X that is
 * available is the function cmd_X. Those that are not were refused by the
 * checker. */
#include "analysis/command/analysis_priv.h"

#define FN_0(name) NULL
#define FN_1(name) cmd_##name
#define PASTE(avail, name) FN_##avail(name)

static const struct {
    const char *word;
    analysis_fn fn;
} commands[] = {
#define COMMAND(name, args, avail, rules, traits, doc)                         \
    {#name, PASTE(avail, name)},
#include "abi/commands.def"
};

analysis_fn
command_function(uint32_t id)
{
    return id < IMP_CMD_COUNT ? commands[id].fn : NULL;
}

const struct command_batch *
command_batch(uint32_t id)
{
    static const struct command_batch chatter = {chatter_batch_prepare,
                                                 chatter_batch_record};
    return id == IMP_CMD_chatter ? &chatter : NULL;
}

const char *
command_word(uint32_t id)
{
    return id < IMP_CMD_COUNT ? commands[id].word : "?";
}
