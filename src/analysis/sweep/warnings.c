/* SPDX-License-Identifier: MIT */
/* Warnings of runs. Of each code the run with the smallest number is kept,
 * whatever the order in which the runs were made (I7), and how many runs had
 * that warning. */
#include <assert.h>

#include "abi/status.h"
#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"

static void
copy(struct sweep_warning *to, struct arena *kept,
     const struct sweep_warning *warning)
{
    *to = *warning;
    to->message = arena_strdup(kept, warning->message);
    to->help = warning->help ? arena_strdup(kept, warning->help) : NULL;
}

void
sweep_warning_add(struct sweep_warnings *warnings, struct arena *kept,
                  const struct sweep_warning *warning)
{
    assert(warning->message &&
           warnings->n <= sizeof warnings->v / sizeof *warnings->v);
    size_t which = 0;
    while (which < warnings->n &&
           (warnings->v[which].code != warning->code ||
            (warning->code == DIAG_W0743 &&
             warnings->v[which].range.lo != warning->range.lo)))
        which++; /* warnings about columns are told apart by the column */
    if (which == warnings->n) {
        if (warnings->n == sizeof warnings->v / sizeof *warnings->v)
            return;
        copy(&warnings->v[warnings->n++], kept, warning);
        return;
    }
    uint64_t n = warnings->v[which].n + warning->n;
    if (warning->run < warnings->v[which].run) {
        copy(&warnings->v[which], kept, warning);
    }
    warnings->v[which].n = n;
}

/* Has a warning of its code come before it in this run? */
static bool
again(const struct diags *ds, const struct diag *diag)
{
    const struct diag *before = ds->first;
    while (before != diag && before->code != diag->code)
        before = before->next;
    return before != diag;
}

void
sweep_warnings_of_run(struct sweep_warnings *warnings, struct arena *kept,
                      const struct diags *ds, uint64_t i)
{
    for (const struct diag *diag = ds->first; diag; diag = diag->next)
        if (diag->severity == DIAG_WARNING && !again(ds, diag))
            sweep_warning_add(warnings, kept,
                              &(struct sweep_warning){diag->code, diag->range,
                                                      diag->message, diag->help,
                                                      i, 1});
}

const char *
sweep_failure_reason(const struct sweep_model *model, const struct diags *ds,
                     int status)
{
    assert(model != NULL && ds != NULL && status != 0);
    for (const struct diag *diag = ds->first; diag; diag = diag->next)
        if (diag->severity == DIAG_ERROR)
            return diag->message;
    if (model->why)
        return model->why;
    return status == IMP_SINGULAR    ? "surfaces are flat or hollow where they "
                                       "face each other"
           : status == IMP_NONFINITE ? "a value is not a finite number"
                                     : "the search found no answer";
}
