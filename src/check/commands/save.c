/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `save r, "r.csv"`: the name of the file may stand behind what is saved. */
#include <string.h>

#include "check/commands/commands_priv.h"

/* A text behind the first argument is the option `file`. */
static bool
save_argument(struct check *ck, uint32_t command, size_t i,
              const struct ast_expr *node, bool *good)
{
    struct tm_command *cmd = &ck->lists.commands.v[command];
    if (!i || node->kind != AST_TEXT)
        return false;
    *good = file_name(ck, node, node->text, "save");
    struct tm_opt *opts = NEW_N(ck->arena, struct tm_opt, cmd->n_opts + 1);
    memcpy(opts, cmd->opts, cmd->n_opts * sizeof *opts);
    struct value text = check_expr(ck, &ck->modules.top, node);
    opts[cmd->n_opts].id = IMP_OPT_save_file;
    val_of(ck, &text, node, &opts[cmd->n_opts].val);
    cmd->opts = opts;
    cmd->n_opts++;
    return true;
}

/* A run file holds one run. */
static bool
save_arguments(struct check *ck, uint32_t command, const struct ast_item *it)
{
    const struct tm_command *cmd = &ck->lists.commands.v[command];
    for (size_t i = 0; i < cmd->n_opts; i++)
        if (cmd->opts[i].id == IMP_OPT_save_file &&
            file_ends(cmd->opts[i].val.text, ".imprun"))
            return command_of_run(ck, command, it, "a run file",
                                  "save r { file = \"r.imprun\" }");
    return true;
}

const struct command_rules command_rules_save = {
    .argument = save_argument, .recorded = true, .arguments = save_arguments};
