/* SPDX-License-Identifier: MIT */
/* The command `save`: columns as a file under --out. Without --out nothing is
 * written, and a line says so. Columns that a simulation recorded are saved
 * with their times. */
#include <string.h>

#include "abi/status.h"
#include "analysis/command/command.h"
#include "analysis/trace/run_file.h"

/* Returns "NAME.csv": the name is the record's, else the command's. */
static const char *
default_name(struct analysis *analysis, const imp_val *value)
{
    const imp_image *im = analysis->rt->im;
    const char *name = value->name.n ? imp_text(im, value->name) : "values";
    if (value->kind == IMP_VAL_RESULT || value->kind == IMP_VAL_FIELD) {
        const imp_command *command =
            IMP_ARRAY(im, im->commands, imp_command) + value->ref;
        name = command->bound.n ? imp_text(im, command->bound)
                                : imp_command_word(command->id);
    }
    return arena_printf(analysis->rt->arena, "%s%s", name,
                        out_default_ending(OUT_COLUMNS));
}

static int
cmd_save(struct analysis *analysis, const imp_command *command,
         struct record *out)
{
    (void)out;
    const imp_val *value = arg_items(analysis, command);
    const char *file = arg_text(analysis, command, IMP_OPT_save_file, "");
    if (run_file_named(file))
        return run_file_save(analysis, command, file);
    struct columns cols = {.texts = true}, all = {0};
    struct out_column time = {0};
    int st = IMP_OK;
    for (uint32_t i = 0; i < command->args.n && !st; i++)
        st = columns_of_value(analysis, &value[i], &cols, &time);
    if (st)
        return st;
    bool there = !time.x;
    for (size_t j = 0; j < cols.n; j++)
        there = there || cols.v[j].x == time.x || cols.v[j].n != time.n;
    if (!there)
        VEC_PUSH_IN(analysis->rt->arena, &all, time);
    for (size_t j = 0; j < cols.n; j++)
        VEC_PUSH_IN(analysis->rt->arena, &all, cols.v[j]);
    return out_save(analysis->out, analysis->ds, command->range,
                    arg_text(analysis, command, IMP_OPT_save_file,
                             default_name(analysis, &value[0])),
                    all.v, all.n);
}

const struct command_functions command_save = {.run = cmd_save};
