/* SPDX-License-Identifier: MIT */
/* What runs of a sweep had to say: of each code of a warning the run with the
 * smallest number, whatever the order in which they were made, and how many
 * said so; why one failed. */
#include "abi/status.h"
#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"

void
sweep_warning_add(struct sweep_warnings *w, struct arena *kept,
                  const struct sweep_warning *x)
{
    size_t k = 0;
    while (k < w->n &&
           (w->v[k].code != x->code ||
            (x->code == DIAG_W0743 && w->v[k].range.lo != x->range.lo)))
        k++; /* columns have their own places */
    if (k == w->n) {
        if (w->n == sizeof w->v / sizeof *w->v)
            return;
        w->v[w->n++] = *x;
        w->v[k].message = arena_strdup(kept, x->message);
        return;
    }
    uint64_t n = w->v[k].n + x->n;
    if (x->run < w->v[k].run) {
        w->v[k] = *x;
        w->v[k].message = arena_strdup(kept, x->message);
    }
    w->v[k].n = n;
}

void
sweep_warnings_of_run(struct sweep_warnings *w, struct arena *kept,
                      const struct diags *ds, uint64_t i)
{
    for (const struct diag *d = ds->first; d; d = d->next)
        if (d->severity == DIAG_WARNING)
            sweep_warning_add(
                w, kept,
                &(struct sweep_warning){d->code, d->range, d->message, i, 1});
}

const char *
sweep_failure_reason(const struct sweep_model *m, const struct diags *ds,
                     int status)
{
    for (const struct diag *d = ds->first; d; d = d->next)
        if (d->severity == DIAG_ERROR)
            return d->message;
    if (m->why)
        return m->why;
    return status == IMP_SINGULAR    ? "surfaces are flat or hollow where they "
                                       "face each other"
           : status == IMP_NONFINITE ? "a value is not a finite number"
                                     : "the search found no answer";
}
