/* SPDX-License-Identifier: MIT */
/* Runs the commands of a model, in order. Every command is a question about
 * the model and starts from the initial state; none changes what a later one
 * sees, but for the records it may read.
 *
 * What is printed: in JSON mode every command's object; in text mode what
 * `show`, `plot` and `save` print, and the record of a question that is not
 * bound to a name (`classify touch` alone). A bound record is printed when it
 * is shown. */
#include <string.h>

#include "abi/status.h"
#include "analysis/command/analysis_priv.h"
#include "analysis/driver/commands.h"
#include "runtime/setup/new_run.h"

static void
print_record(struct analysis *a, const imp_command *c, const struct record *r)
{
    const imp_image *im = a->rt->im;
    if (a->out->json)
        out_record_json(a->out, im, r);
    else if (!c->bound.n)
        out_record_text(a->out, im, r, command_label(a, c));
}

static int
run_command(struct analysis *a, uint32_t i, const imp_command *c)
{
    const struct command_functions *functions = a->commands[c->id];
    bool gives_record = imp_command_has(c->id, IMP_TRAIT_RECORD);
    if (!functions) {
        diag_add(a->ds, DIAG_E0700, c->range,
                 "`%s` is not available in this build",
                 imp_command_word(c->id));
        return IMP_BADMODEL;
    }
    rt_reset(a->rt);
    struct record *r = record_new(record_arena(a), a->rt->im, c);
    int errors = a->ds->errors;
    int st = functions->run(a, c, r);
    if (st == IMP_OK || r->partial || (st == IMP_STOPPED && gives_record)) {
        r->present = true;
        a->recs[i] = r;
        if (gives_record)
            print_record(a, c, r);
    }
    if (st == IMP_STOPPED) {
        diag_add(a->ds, DIAG_E0717, c->range,
                 "`%s` was stopped before it was done",
                 imp_command_word(c->id));
    } else if (st != IMP_OK && st != IMP_BADMODEL && a->ds->errors == errors) {
        /* a failure that nobody has explained */
        if (command_failed(a, st, c->range, imp_command_word(c->id)) ==
                IMP_FAILED &&
            a->ds->errors == errors)
            diag_add(a->ds, DIAG_E0700, c->range, "`%s` failed",
                     imp_command_word(c->id));
        st = IMP_FAILED;
    }
    return st == IMP_SINGULAR || st == IMP_DIVERGED || st == IMP_NONFINITE
               ? IMP_FAILED
               : st;
}

/* A question that failed on its way may leave a record: then the commands
 * behind it are asked too (what there is can be plotted and saved), and the run
 * fails all the same. */
int
commands_run(struct analysis *a)
{
    int failed = IMP_OK;
    const imp_image *im = a->rt->im;
    const imp_command *c = IMP_ARRAY(im, im->commands, imp_command);
    for (uint32_t i = 0; i < im->commands.n; i++) {
        if (c[i].done)
            continue;
        if (rt_stopped(a->rt)) {
            diag_add(a->ds, DIAG_E0717, c[i].range,
                     "stopped before `%s` was begun",
                     imp_command_word(c[i].id));
            return IMP_STOPPED;
        }
        int st = run_command(a, i, &c[i]);
        bool partial = a->recs[i] && a->recs[i]->partial;
        failed = failed ? failed : st;
        if (st && !(partial && st == IMP_FAILED))
            return failed;
        if (a->out->error)
            return failed; /* nobody reads: the driver says why */
    }
    return failed;
}
