/* SPDX-License-Identifier: MIT */
/* Runs the commands of a model in order. Every command starts from the initial
 * state. No command changes what a later one sees, except for the records that
 * it may read.
 * In JSON mode every command prints one object. In text mode `show`, `plot` and
 * `save` print, and the record of a command that is not bound to a name
 * (`classify touch` alone); a bound record is printed when it is shown. */
#include <assert.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/command.h"
#include "analysis/driver/commands.h"
#include "runtime/setup/new_run.h"

static void
print_record(struct analysis *analysis, const imp_command *command,
             const struct record *record)
{
    const imp_image *im = analysis->rt->im;
    if (analysis->out->json)
        out_record_json(analysis->out, im, record);
    else if (!command->bound.n)
        out_record_text(analysis->out, im, record,
                        command_label(analysis, command));
}

static int
run_command(struct analysis *analysis, uint32_t which,
            const imp_command *command)
{
    assert(which < analysis->rt->im->commands.n && command->id < IMP_CMD_COUNT);
    const struct command_functions *functions = analysis->commands[command->id];
    bool gives_record = imp_command_has(command->id, IMP_TRAIT_RECORD);
    if (!functions) {
        diag_add(analysis->ds, DIAG_E0700, command->range,
                 "`%s` is not available in this build",
                 imp_command_word(command->id));
        return IMP_BADMODEL;
    }
    rt_reset(analysis->rt);
    analysis->rt->own_law = 0;
    rt_progress(analysis->rt, 0.0);
    struct record *record =
        record_new(record_arena(analysis), analysis->rt->im, command);
    int errors = analysis->ds->errors;
    int st = functions->run(analysis, command, record);
    if (st == IMP_OK)
        st = analysis->rt->law_status;
    if (st == IMP_OK || record->partial ||
        (st == IMP_STOPPED && gives_record)) {
        record->present = true;
        analysis->recs[which] = record;
        if (gives_record)
            print_record(analysis, command, record);
    }
    if (st == IMP_STOPPED) {
        if (analysis->ds->errors == errors)
            diag_add(analysis->ds, DIAG_E0717, command->range,
                     "`%s` was stopped before it was done",
                     imp_command_word(command->id));
    } else if (st != IMP_OK && st != IMP_BADMODEL &&
               analysis->ds->errors == errors) {
        /* the failure has no diagnostic yet */
        if (command_failed(analysis, st, command->range,
                           imp_command_word(command->id)) == IMP_FAILED &&
            analysis->ds->errors == errors)
            diag_add(analysis->ds, DIAG_E0700, command->range, "`%s` failed",
                     imp_command_word(command->id));
        st = IMP_FAILED;
    }
    return st == IMP_SINGULAR || st == IMP_DIVERGED || st == IMP_NONFINITE
               ? IMP_FAILED
               : st;
}

/* A command that fails may leave a partial record, and one that gives none (a
 * plot without gnuplot) takes nothing from the others. Then the commands behind
 * it run as well, so that what there is can be plotted and saved, and the run
 * fails all the same. */
int
commands_run(struct analysis *analysis)
{
    assert(analysis->rt && analysis->commands && analysis->recs);
    int failed = IMP_OK;
    const imp_image *im = analysis->rt->im;
    const imp_command *command = IMP_ARRAY(im, im->commands, imp_command);
    for (uint32_t number = 0; number < im->commands.n; number++) {
        if (command[number].done)
            continue;
        if (rt_stopped(analysis->rt)) {
            diag_add(analysis->ds, DIAG_E0717, command[number].range,
                     "stopped before `%s` was begun",
                     imp_command_word(command[number].id));
            return IMP_STOPPED;
        }
        int st = run_command(analysis, number, &command[number]);
        bool partial =
            analysis->recs[number] && analysis->recs[number]->partial;
        failed = failed ? failed : st;
        bool ends =
            !partial && imp_command_has(command[number].id, IMP_TRAIT_RECORD);
        if (st && (ends || st != IMP_FAILED))
            return failed;
        if (analysis->out->error)
            return failed; /* the output cannot be written; the driver says why
                            */
    }
    return failed;
}
