/* SPDX-License-Identifier: MIT */
/* Run files and pages, as commands ask for them (run_file.h). */
#include "analysis/trace/run_file.h"

#include <assert.h>
#include <string.h>

#include "abi/status.h"

bool
run_file_named(const char *file)
{
    assert(file != NULL);
    static const char ending[] = ".imprun";
    size_t n = strlen(file), m = sizeof ending - 1;
    return n > m && !strcmp(file + n - m, ending);
}

/* Does a later command need the motion of this one? */
static bool
needs(const struct analysis *analysis, const imp_command *later,
      const imp_command *command)
{
    const imp_image *im = analysis->rt->im;
    const imp_command *all = IMP_ARRAY(im, im->commands, imp_command);
    const imp_val *value = arg_items(analysis, later);
    bool named = false;
    for (uint32_t i = 0; i < later->args.n; i++)
        named |=
            value[i].kind == IMP_VAL_RESULT && all + value[i].ref == command;
    return named &&
           (arg_option(analysis, later, IMP_OPT_plot_as) ||
            run_file_named(arg_text(analysis, later, IMP_OPT_save_file, "")));
}

/* The other engine of motion has no Taylor pieces. */
static bool
by_gsl(const struct analysis *analysis, const imp_command *command)
{
    return !strcmp(
        arg_text(analysis, command, IMP_OPT_simulate_engine, "series"), "gsl");
}

/* Can the motion of this command be kept? Not of a question of a sweep, or of a
 * fit, which is no command of the model. */
static bool
can_be_kept(const struct analysis *analysis, const imp_command *command)
{
    const imp_image *im = analysis->rt->im;
    const imp_command *all = IMP_ARRAY(im, im->commands, imp_command);
    return command >= all && command < all + im->commands.n &&
           command->done != IMP_DONE_INNER && !by_gsl(analysis, command);
}

bool
run_file_asked(const struct analysis *analysis, const imp_command *command)
{
    assert(analysis != NULL && command != NULL);
    const imp_image *im = analysis->rt->im;
    const imp_command *all = IMP_ARRAY(im, im->commands, imp_command);
    const imp_val *option =
        arg_option(analysis, command, IMP_OPT_simulate_trace);
    double truth;
    if (!can_be_kept(analysis, command))
        return false;
    if (analysis->trace_all)
        return true;
    if (option &&
        !arg_eval((struct analysis *)(uintptr_t)analysis, option, &truth))
        return truth != 0.0;
    for (const imp_command *later = command + 1; later < all + im->commands.n;
         later++)
        if (needs(analysis, later, command))
            return true;
    return false;
}

bool
run_file_wanted(const struct analysis *analysis, const imp_command *command)
{
    assert(analysis != NULL && command != NULL);
    return (analysis->trace_in_case && can_be_kept(analysis, command)) ||
           run_file_asked(analysis, command);
}

/* The record of the result that the command names; NULL after a diagnostic
 * where it has no motion. */
static const struct record *
traced(struct analysis *analysis, const imp_command *command)
{
    const imp_val *value = arg_items(analysis, command);
    const struct record *record = arg_record(analysis, value);
    if (!record || record->motion)
        return record;
    struct diag *diag = diag_add(analysis->ds, DIAG_E0753, command->range,
                                 "the motion of `%s` was not kept",
                                 imp_text(analysis->rt->im, value->label));
    diag_help(analysis->ds, diag,
              by_gsl(analysis, record->command)
                  ? "leave out `engine = gsl`: the series of the other engine "
                    "are what is kept"
                  : "write trace = true in its `simulate` block and run it "
                    "again");
    return NULL;
}

int
run_file_save(struct analysis *analysis, const imp_command *command,
              const char *file)
{
    assert(analysis != NULL && command != NULL && file != NULL);
    const struct record *record = traced(analysis, command);
    return record ? out_save_bytes(analysis->out, analysis->ds, command->range,
                                   file, record->motion, record->n_motion)
                  : IMP_FAILED;
}

int
run_file_view(struct analysis *analysis, const imp_command *command,
              const char *file, const char *title)
{
    assert(analysis != NULL && command != NULL && file != NULL);
    const struct record *record = traced(analysis, command);
    return record ? out_view(analysis->out, analysis->ds, command->range, file,
                             title, record->motion, record->n_motion)
                  : IMP_FAILED;
}
