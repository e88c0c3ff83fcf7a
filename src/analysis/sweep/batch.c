/* SPDX-License-Identifier: MIT */
/* Runs to come that differ in restitutions alone. A question that can do a part
 * of its work for all of them at once is told them (batch_prepare of struct
 * command_functions). The answers are the same as without; they come sooner. */
#include <assert.h>

#include "analysis/sweep/worker.h"
#include "base/arena.h"
#include "runtime/setup/new_run.h"

/* Gives the params of the run that is visited as v-th. Returns false where it
 * is done already. */
static bool
params_of(const struct sweep *sweep, uint64_t v, struct sweep_batch *batch)
{
    uint64_t run = sweep_grid_visit(&sweep->grid, v);
    if (sweep_run_done(sweep, run))
        return false;
    sweep_place_move(&sweep->grid, &batch->place, run);
    for (size_t k = 0; k < sweep->grid.n_axes; k++)
        batch->params[sweep->grid.axis[k].param] =
            sweep_place_value(&sweep->grid, &batch->place, k);
    return true;
}

/* Makes memory for the batch, when it is first needed. */
static void
memory(const struct sweep *sweep, struct sweep_batch *batch,
       const imp_image *im)
{
    if (batch->params)
        return;
    batch->params =
        arena_copy(batch->arena, sweep->models.params,
                   (im->params.n + 1) * sizeof *sweep->models.params);
    batch->place.digit = NEW_N(batch->arena, size_t, sweep->grid.n_axes + 1);
    batch->restitution = NEW_N(batch->arena, double,
                               SWEEP_BATCH_RUNS *(size_t)im->contacts.n + 1);
}

uint64_t
sweep_batch_prepare(struct sweep_worker *worker, uint64_t from, uint64_t to)
{
    const struct sweep *sweep = worker->sweep;
    const imp_command *question = worker->model->question;
    const struct command_functions *functions =
        worker->ask.analysis.commands[question->id];
    struct sweep_batch *batch = &worker->batch;
    const imp_image *im = worker->run->im;
    uint32_t contacts = im->contacts.n;
    uint64_t visit = from;
    int runs = batch->n = batch->next = 0;
    assert(from < to);
    if (!functions->batch_prepare || sweep->models.n > 1)
        return UINT64_MAX;
    memory(sweep, batch, im);
    for (; visit < to && runs < SWEEP_BATCH_RUNS; visit++) {
        if (!params_of(sweep, visit, batch))
            continue;
        if (!rt_laws(worker->run, batch->params,
                     batch->restitution + (size_t)runs * contacts))
            break;
        runs++;
    }
    if (runs > 1) {
        functions->batch_prepare(&worker->ask.analysis, question,
                                 batch->restitution, runs, batch->known);
        batch->n = runs;
    }
    return visit > from ? visit : from + 1;
}

bool
sweep_batch_record(struct sweep_worker *worker)
{
    struct sweep_batch *batch = &worker->batch;
    int k = batch->next++;
    if (k >= batch->n || !batch->known[k])
        return false;
    const struct command_functions *functions =
        worker->ask.analysis.commands[worker->model->question->id];
    record_clear(worker->ask.record);
    return functions->batch_answer(&worker->ask.analysis, k,
                                   worker->ask.record);
}
