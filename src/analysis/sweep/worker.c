/* SPDX-License-Identifier: MIT */
/* One thread of a sweep: the model that it makes runs of, its machine code, and
 * one run from the params to what is kept of it. A worker has a run of its own
 * (struct rt), which is restarted for every number, and an arena for records
 * and messages, which is emptied before every run. */
#include "analysis/sweep/worker.h"
#include "analysis/command/lists.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "runtime/numerics/random.h"
#include "runtime/setup/new_run.h"

#define TIER_STEP 1e5 /* units of work between two reports, at least */

/* -- machine code ---------------------------------------------------------- */

/* Reports the work that was done, and returns the code, if it is made by now.
 */
static const imp_code *
ask_code(struct sweep_tier *tier)
{
    struct rt *run = tier->sweep->analysis->rt;
    struct sweep_model *model = tier->model;
    struct rt_tier *all = model->tier;
    all->spent += tier->tier.spent - tier->reported;
    tier->reported = tier->tier.spent;
    while (!model->code && all->spent >= all->limit) {
        double was = all->limit;
        model->code = all->more(all);
        if (!model->code && !(all->limit > was))
            all->limit = INFINITY;
    }
    if (model->im ==
        run->model) /* The commands after the sweep use the same code. */
        run->code = model->code;
    tier->tier.limit =
        tier->tier.spent +
        fmax(TIER_STEP, (all->limit - all->spent) / tier->sweep->threads);
    return model->code;
}

static const imp_code *
more(struct rt_tier *t)
{
    struct sweep_tier *tier = (struct sweep_tier *)t;
    struct oom_guard guard;
    pthread_mutex_lock(&tier->sweep->models.lock);
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        pthread_mutex_unlock(&tier->sweep->models.lock);
        oom_raise();
    }
    oom_enter(&guard);
    const imp_code *code = ask_code(tier);
    oom_leave(&guard);
    pthread_mutex_unlock(&tier->sweep->models.lock);
    return code;
}

static struct rt *
new_run(struct sweep_worker *worker)
{
    struct sweep *sweep = worker->sweep;
    pthread_mutex_lock(&sweep->models.lock);
    const imp_code *code = worker->model->code;
    pthread_mutex_unlock(&sweep->models.lock);
    worker->tier = (struct sweep_tier){
        .tier = {.limit = TIER_STEP, .more = more, .part = true},
        .sweep = sweep,
        .model = worker->model};
    return rt_new_tier(worker->model->im, code,
                       worker->model->tier ? &worker->tier.tier : NULL,
                       sweep->analysis->rt->given, worker->params,
                       &worker->ask.ds, sweep->analysis->rt->stop);
}

static void
leave_model(struct sweep_worker *worker)
{
    rt_free(worker->run);
    worker->run = NULL;
    if (worker->model)
        sweep_model_leave(worker->sweep, worker->model, worker->runs_of_model);
    worker->model = NULL;
    worker->runs_of_model = 0;
}

void
sweep_worker_take_model(struct sweep_worker *worker, uint64_t v)
{
    struct sweep *sweep = worker->sweep;
    assert(v < sweep->grid.total);
    if (worker->model == &sweep->models.model[v / sweep->grid.per_model])
        return;
    leave_model(worker);
    worker->model = sweep_model_take(sweep, v);
    memcpy(worker->params, worker->model->params,
           sweep->analysis->rt->im->params.n * sizeof *worker->params);
}

double
sweep_seed(const struct sweep *sweep, uint64_t run)
{
    assert(sweep && run < sweep->grid.total);
    return sweep->grid.repeat > 1
               ? (double)(random_bits(sweep->grid.seed, run, UINT32_MAX) >> 11)
               : sweep->grid.seed;
}

/* -- one run --------------------------------------------------------------- */

static int
prepare(struct sweep_worker *worker, uint64_t number)
{
    struct sweep *sweep = worker->sweep;
    sweep_place_move(&sweep->grid, &worker->place, number);
    for (size_t k = 0; k < sweep->grid.n_axes; k++)
        worker->params[sweep->grid.axis[k].param] =
            sweep_place_value(&sweep->grid, &worker->place, k);
    arena_clear(worker->ask.scratch);
    if (worker->ask.ds.first || worker->ask.ds.errors ||
        worker->ask.ds.warnings || !worker->ask.ds.arena)
        diags_init(&worker->ask.ds, worker->ask.scratch,
                   sweep->analysis->ds->sources);
    if (worker->model->why)
        return IMP_FAILED;
    if (!worker->run) {
        worker->ask.analysis.rt = worker->run = new_run(worker);
        if (!worker->run)
            return IMP_FAILED;
    } else {
        int st = rt_restart(worker->run, worker->params);
        if (st)
            return st;
    }
    return rt_seed(worker->run, sweep_seed(sweep, number), number);
}

struct absent_read {
    const struct sweep_worker *worker;
    const struct record *record;
    bool found;
};

static void
note_absent(void *ctx, uint32_t command, uint32_t field)
{
    struct absent_read *read = ctx;
    read->found |= read->worker->ask.records[command] == read->record &&
                   read->record->v[field].why;
}

/* Does a value read a field that this run did not find? Then the value may be
 * absent as well, and nobody wonders. */
static bool
reads_absent(const struct sweep_worker *worker, const imp_val *value,
             const struct record *record)
{
    const imp_image *im = worker->run->im;
    const uint32_t *k = IMP_ARRAY(im, value->slots, uint32_t);
    struct absent_read read = {worker, record, false};
    for (uint32_t i = 0; i < value->slots.n; i++) {
        const imp_slot *x = IMP_ARRAY(im, im->slots, imp_slot) + k[i];
        if (x->kind != IMP_SLOT_PRESENT && x->kind != IMP_SLOT_TEXTEQ)
            slot_reads(im, x, note_absent, &read);
    }
    return read.found;
}

/* Takes back what was said since `was`. */
static void
forget(struct sweep_worker *worker, const struct diags *was)
{
    worker->ask.ds = *was;
    if (worker->ask.ds.last)
        worker->ask.ds.last->next = NULL;
}

/* A value that cannot be calculated, such as log(0) or the third of two
 * entries, is left out with a warning. The other values of the run are kept. */
static void
left_out(struct sweep_worker *worker, uint64_t number, const imp_val *value,
         struct diags *was)
{
    const char *why = "it cannot be calculated", *help = NULL;
    for (const struct diag *diag = was->last ? was->last->next
                                             : worker->ask.ds.first;
         diag; diag = diag->next)
        if (diag->severity == DIAG_ERROR) {
            why = diag->message;
            help = diag->help;
        }
    sweep_warning_add(
        &worker->found.warnings, worker->found.kept,
        &(struct sweep_warning){
            DIAG_W0743, value->range,
            arena_printf(worker->ask.scratch, "`%s` has no value: %s",
                         imp_text(worker->run->im, value->label), why),
            help, number, 1});
    forget(worker, was);
}

/* Computes the calculated columns of run i. */
static void
calculate(struct sweep_worker *worker, uint64_t number, struct record *record)
{
    struct sweep *sweep = worker->sweep;
    const imp_command *command =
        IMP_ARRAY(worker->model->im, worker->model->im->commands, imp_command);
    record->present = true;
    worker->ask.records[worker->model->question - command] = record;
    for (size_t k = 0; k < sweep->rows.n_fields; k++) {
        const struct sweep_field *field = &sweep->rows.field[k];
        if (!field->calculated)
            continue;
        const imp_val *value = &worker->model->kept[k];
        struct diags was = worker->ask.ds;
        if (field->text) {
            uint32_t *to = &worker->rows->field[k].text[worker->row];
            const char *text = "";
            if (arg_text_entry(&worker->ask.analysis, value, &text) != IMP_OK)
                left_out(worker, number, value, &was);
            *to = sweep_text_number(worker->rows->texts, text);
            continue;
        }
        double *x = worker->rows->field[k].numbers + worker->row * field->width;
        if (arg_numbers(&worker->ask.analysis, value, x) == IMP_OK)
            continue;
        if (reads_absent(worker, value, record))
            forget(worker, &was);
        else
            left_out(worker, number, value, &was);
        for (size_t j = 0; j < field->width; j++)
            x[j] = NAN;
    }
}

static struct record *
new_record(struct sweep_worker *worker, const imp_command *question)
{
    bool one = worker->sweep->models.n == 1;
    if (one && worker->ask.record) {
        record_clear(worker->ask.record);
        return worker->ask.record;
    }
    struct record *record =
        record_new(one ? worker->found.kept : worker->ask.scratch,
                   worker->run->im, question);
    record_want(record, worker->sweep->rows.wanted);
    record->arena = worker->ask.scratch;
    return worker->ask.record = record;
}

/* Keeps why a run failed; of a block that is summed up the first reason alone,
 * since reasons may differ in every run. */
static void
keep_error(struct sweep_worker *worker, int st)
{
    struct sweep *sweep = worker->sweep;
    uint32_t known = sweep->summary ? worker->block_error : 0;
    sweep_keep_error(
        sweep, worker->rows, worker->row, known,
        known ? "" : sweep_failure_reason(worker->model, &worker->ask.ds, st));
    worker->block_error = worker->rows->error[worker->row];
}

bool
sweep_worker_make_run(struct sweep_worker *worker, uint64_t number)
{
    struct sweep *sweep = worker->sweep;
    struct record *record = NULL;
    assert(worker->model);
    if (sweep_batch_record(worker) && !sweep->rows.calculates) {
        sweep_keep_record(worker->rows, worker->row, worker->ask.record,
                          worker->found.last);
        return true;
    }
    int st = prepare(worker, number);
    if (st == IMP_OK) {
        const imp_command *question = worker->model->question;
        record = new_record(worker, question);
        st = worker->ask.analysis.commands[question->id]->run(
            &worker->ask.analysis, question, record);
        if (st == IMP_OK)
            st = worker->ask.analysis.rt->law_status;
    }
    if (rt_stopped(sweep->analysis->rt) && st != IMP_OK)
        return false;
    if (worker->ask.ds.first)
        sweep_warnings_of_run(&worker->found.warnings, worker->found.kept,
                              &worker->ask.ds, number);
    if (st == IMP_OK && !worker->ask.ds.errors) {
        if (sweep->rows.calculates)
            calculate(worker, number, record);
        sweep_keep_record(worker->rows, worker->row, record,
                          worker->found.last);
    } else
        keep_error(worker, st);
    return true;
}

/* -- memory ---------------------------------------------------------------- */

/* Lets what the question prints go nowhere. */
static int
nowhere(void *ctx, const char *s, size_t n)
{
    (void)ctx;
    (void)s;
    (void)n;
    return 0;
}

void
sweep_worker_init(struct sweep_worker *worker)
{
    assert(worker);
    const struct sweep *sweep = worker->sweep;
    const imp_image *im = sweep->analysis->rt->im;
    worker->ask.scratch = arena_new();
    worker->found.kept = arena_new();
    worker->params = arena_copy(worker->found.kept, sweep->models.params,
                                (im->params.n + 1) * sizeof(double));
    worker->found.last = NEW_N(worker->found.kept, struct sweep_last_text,
                               sweep->rows.n_fields + 1);
    worker->place.digit =
        NEW_N(worker->found.kept, size_t, sweep->grid.n_axes + 1);
    worker->ask.out = (struct output){.write = nowhere, .width = 80};
    worker->ask.records =
        arena_copy(worker->found.kept, sweep->analysis->recs,
                   (im->commands.n + 1) * sizeof *worker->ask.records);
    worker->batch.arena = worker->found.kept;
    worker->ask.analysis = (struct analysis){
        .out = &worker->ask.out,
        .ds = &worker->ask.ds,
        .recs = worker->ask.records,
        .commands = sweep->analysis->commands,
        .data = sweep->analysis->data,
        .statistics = sweep->summary || sweep->grid.repeat > 1,
        .gsl = sweep->analysis->gsl};
}

void
sweep_worker_end(struct sweep_worker *worker)
{
    assert(worker);
    leave_model(worker);
    arena_free(worker->ask.scratch);
    buf_free(&worker->found.frame);
    sweep_waiting_free(&worker->found.waiting);
}
