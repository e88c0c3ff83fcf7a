/* SPDX-License-Identifier: MIT */
/* Runs to come that differ from the one before in restitutions alone: a
 * question that can do a part of its work for all of them at once is told them
 * (command_functions). What it finds changes no run: it is only there sooner.
 */
#include <string.h>

#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"
#include "runtime/setup/new_run.h"

/* the params of the v-th run; false: it is not to be made, or another model's
 */
static bool
params_of(const struct sweep *sweep, uint64_t v, struct sweep_batch *batch)
{
    uint64_t i = sweep_run_number(sweep, v);
    if (sweep->resumed && sweep->state[i] == SWEEP_DONE)
        return false;
    sweep_place_move(sweep, &batch->place, i);
    for (size_t k = 0; k < sweep->n_axes; k++)
        batch->params[sweep->axis[k].param] =
            sweep_place_value(sweep, &batch->place, k);
    return true;
}

static void
memory(const struct sweep *sweep, struct sweep_batch *batch,
       const imp_image *im)
{
    if (batch->params)
        return;
    batch->params = arena_copy(batch->arena, sweep->params,
                               (im->params.n + 1) * sizeof *sweep->params);
    batch->place.digit = NEW_N(batch->arena, size_t, sweep->n_axes + 1);
    batch->e = NEW_N(batch->arena, double,
                     SWEEP_BATCH_RUNS *(size_t)im->contacts.n + 1);
}

uint64_t
sweep_batch_prepare(const struct sweep *sweep, struct sweep_batch *batch,
                    struct analysis *analysis, const imp_command *question,
                    uint64_t from, uint64_t to)
{
    const struct command_functions *functions =
        analysis->commands[question->id];
    const imp_image *im = analysis->rt->im;
    uint32_t m = im->contacts.n;
    uint64_t v = from;
    int n = batch->n = batch->next = 0;
    if (!functions->batch_prepare || sweep->n_models > 1)
        return UINT64_MAX;
    memory(sweep, batch, im);
    for (; v < to && n < SWEEP_BATCH_RUNS; v++) {
        if (!params_of(sweep, v, batch))
            continue;
        if (!rt_laws(analysis->rt, batch->params, batch->e + (size_t)n * m))
            break;
        n++;
    }
    if (n > 1) {
        functions->batch_prepare(analysis, question, batch->e, n, batch->told);
        batch->n = n;
    }
    return v > from ? v : from + 1;
}

bool
sweep_batch_record(struct sweep_batch *batch, struct analysis *analysis,
                   const imp_command *question, struct record *record)
{
    int k = batch->next++;
    if (k >= batch->n || !batch->told[k])
        return false;
    record_clear(record);
    return analysis->commands[question->id]->batch_answer(analysis, k, record);
}
