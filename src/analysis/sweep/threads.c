/* SPDX-License-Identifier: MIT */
/* The threads of a sweep. Each has a run of its own (struct rt), restarted for
 * every number it takes from the common counter, and an arena for records and
 * messages that is emptied before each run. The calling thread works too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"
#include "runtime/numerics/random.h"
#include "runtime/setup/new_run.h"

#define FLUSH_BYTES ((size_t)1 << 14)
/* A killed sweep has lost no more than this, or one run per thread. [ns] */
#define FLUSH_AFTER 50000000
#define TELL_AFTER                                                             \
    20000000          /* ns; the progress line moves 10 times a second         \
                       */
#define CLAIM_MOST 64 /* runs taken from the counter at once */

/* Machine code comes once for all threads, when what they have done together
 * pays for it (run.h): a thread's own tier reports to that of the run. */
struct thread_tier {
    struct rt_tier tier; /* first: `more` gets its address */
    struct sweep *s;
    struct sweep_model *model;
    double told; /* of tier.spent */
};
#define TIER_STEP 1e5 /* units of work between two reports, at least */

/* threads write to their own lines of the cache only while they run: one that
 * two of them write to costs as much as a run. So far from one another: */
#define APART 128
struct worker {
    char apart_before[APART];
    struct sweep *s;
    uint64_t done; /* runs that s->done does not know yet */
    struct thread_tier tier;
    struct arena *arena;
    struct diags ds;
    struct sweep_model *model; /* of rt; NULL: none yet */
    uint64_t made;             /* runs of it */
    struct rt *rt;
    struct record *rec;   /* of the question of a sweep's only model */
    struct record **recs; /* those of earlier commands, and the question's */
    struct analysis an;
    struct output out;
    double *params;
    struct sweep_place place;
    struct sweep_waiting waiting; /* for the journal */
    struct buf journal;           /* a frame of it */
    struct sweep_last_text *last; /* per field */
    int64_t flushed, told;        /* when: the journal, `done` */
    struct sweep_batch ahead;
    uint64_t looked; /* runs before this one were looked at ahead */
    struct sweep_warnings warnings;
    struct arena *kept; /* texts of warnings */
    pthread_t thread;
    bool running;
    char apart_behind[APART];
};

/* it is asked after every run: a millisecond more or less does not count */
#ifdef CLOCK_MONOTONIC_COARSE
#define SWEEP_CLOCK CLOCK_MONOTONIC_COARSE
#else
#define SWEEP_CLOCK CLOCK_MONOTONIC
#endif
static int64_t
now(void)
{
    struct timespec t;
    clock_gettime(SWEEP_CLOCK, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int
nowhere(void *ctx, const char *s, size_t n)
{
    (void)ctx;
    (void)s;
    (void)n;
    return 0;
}

/* -- machine code -----------------------------------------------------------
 */

static const imp_code *
ask_code(struct thread_tier *tier)
{
    struct rt *run = tier->s->a->rt;
    struct sweep_model *model = tier->model;
    struct rt_tier *all = model->tier;
    all->spent += tier->tier.spent - tier->told;
    tier->told = tier->tier.spent;
    while (!model->code && all->spent >= all->limit) {
        double was = all->limit;
        model->code = all->more(all);
        if (!model->code && !(all->limit > was))
            all->limit = INFINITY;
    }
    if (model->im == run->im) /* commands behind the sweep, too */
        run->code = model->code;
    tier->tier.limit =
        tier->tier.spent +
        fmax(TIER_STEP, (all->limit - all->spent) / tier->s->threads);
    return model->code;
}

static const imp_code *
more(struct rt_tier *t)
{
    struct thread_tier *tier = (struct thread_tier *)t;
    struct oom_guard guard;
    pthread_mutex_lock(&tier->s->code_lock);
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        pthread_mutex_unlock(&tier->s->code_lock);
        oom_raise();
    }
    oom_enter(&guard);
    const imp_code *code = ask_code(tier);
    oom_leave(&guard);
    pthread_mutex_unlock(&tier->s->code_lock);
    return code;
}

static struct rt *
new_run(struct worker *worker)
{
    struct sweep *sweep = worker->s;
    pthread_mutex_lock(&sweep->code_lock);
    const imp_code *code = worker->model->code;
    pthread_mutex_unlock(&sweep->code_lock);
    worker->tier =
        (struct thread_tier){.tier = {.limit = TIER_STEP, .more = more},
                             .s = sweep,
                             .model = worker->model};
    return rt_new_tier(worker->model->im, code,
                       worker->model->tier ? &worker->tier.tier : NULL,
                       worker->params, &worker->ds, sweep->a->rt->stop);
}

static void
leave_model(struct worker *worker)
{
    rt_free(worker->rt);
    worker->rt = NULL;
    if (worker->model)
        sweep_model_leave(worker->s, worker->model, worker->made);
    worker->model = NULL;
    worker->made = 0;
}

/* the model of the v-th run, which may be that of the run before */
static void
take_model(struct worker *worker, uint64_t v)
{
    struct sweep *sweep = worker->s;
    if (worker->model ==
        &sweep->model[sweep->n_models == 1 ? 0 : v / sweep->per_model])
        return;
    leave_model(worker);
    worker->model = sweep_model_take(sweep, v);
    memcpy(worker->params, worker->model->params,
           sweep->a->rt->im->params.n * sizeof *worker->params);
}

/* -- one run ----------------------------------------------------------------
 */

static int
prepare(struct worker *worker, uint64_t i)
{
    struct sweep *sweep = worker->s;
    sweep_place_move(sweep, &worker->place, i);
    for (size_t k = 0; k < sweep->n_axes; k++)
        worker->params[sweep->axis[k].param] =
            sweep_place_value(sweep, &worker->place, k);
    arena_clear(worker->arena);
    if (worker->ds.first || worker->ds.errors || worker->ds.warnings ||
        !worker->ds.arena)
        diags_init(&worker->ds, worker->arena, sweep->a->ds->sources);
    if (worker->model->why)
        return IMP_FAILED;
    if (!worker->rt) {
        worker->an.rt = worker->rt = new_run(worker);
        if (!worker->rt)
            return IMP_FAILED;
    } else {
        int st = rt_restart(worker->rt, worker->params);
        if (st)
            return st;
    }
    double seed = sweep->seed;
    if (sweep->repeat > 1) /* a whole number of 53 bits, as users give it */
        seed = (double)(random_bits(sweep->seed, i, UINT32_MAX) >> 11);
    return rt_seed(worker->rt, seed, i);
}

/* Does a value read what this run did not find? Then it is absent, too. */
static bool
reads_absent(const struct worker *worker, const imp_val *value,
             const struct record *record)
{
    const imp_image *im = worker->rt->im;
    const uint32_t *k = IMP_ARRAY(im, value->slots, uint32_t);
    for (uint32_t i = 0; i < value->slots.n; i++) {
        const imp_slot *x = IMP_ARRAY(im, im->slots, imp_slot) + k[i];
        if (worker->recs[x->command] == record && record->v[x->field].why &&
            x->kind != IMP_SLOT_PRESENT && x->kind != IMP_SLOT_TEXTEQ)
            return true;
    }
    return false;
}

/* A value that cannot be calculated, log(0) or the third of two entries, costs
 * no other: it is left out, with a warning. */
static void
left_out(struct worker *worker, uint64_t i, const imp_val *value,
         struct diags *was)
{
    const char *why = "it cannot be calculated";
    for (const struct diag *diag = was->last ? was->last->next
                                             : worker->ds.first;
         diag; diag = diag->next)
        if (diag->severity == DIAG_ERROR)
            why = diag->message;
    sweep_warning_add(
        &worker->warnings, worker->kept,
        &(struct sweep_warning){
            DIAG_W0743, value->range,
            arena_printf(worker->arena, "`%s` has no value: %s",
                         imp_text(worker->rt->im, value->label), why),
            i, 1});
    worker->ds = *was;
    if (worker->ds.last)
        worker->ds.last->next = NULL;
}

/* what is kept and is no field, into the row of run i */
static void
calculate(struct worker *worker, uint64_t i, struct record *record)
{
    struct sweep *sweep = worker->s;
    const imp_command *command =
        IMP_ARRAY(worker->rt->im, worker->rt->im->commands, imp_command);
    record->present = true;
    worker->recs[worker->model->question - command] = record;
    for (size_t k = 0; k < sweep->n_fields; k++) {
        const struct sweep_field *field = &sweep->field[k];
        if (!field->calculated)
            continue;
        double *x = field->num + i * field->width;
        const imp_val *value = &worker->model->kept[k];
        struct diags was = worker->ds;
        if (!reads_absent(worker, value, record)) {
            if (arg_numbers(&worker->an, value, x) == IMP_OK)
                continue;
            left_out(worker, i, value, &was);
        }
        for (size_t j = 0; j < field->width; j++)
            x[j] = NAN;
    }
}

static struct record *
new_record(struct worker *worker, const imp_command *q)
{
    bool one = worker->s->n_models == 1;
    if (one && worker->rec) {
        record_clear(worker->rec);
        return worker->rec;
    }
    struct record *record =
        record_new(one ? worker->kept : worker->arena, worker->rt->im, q);
    record->wanted = worker->s->wanted;
    record->arena = worker->arena;
    return worker->rec = record;
}

/* false: stopped, nothing is known of run i */
static bool
run_one(struct worker *worker, uint64_t i)
{
    struct sweep *sweep = worker->s;
    struct record *record = NULL;
    if (sweep_batch_record(&worker->ahead, &worker->an, worker->model->question,
                           worker->rec) &&
        !sweep->calculates) {
        sweep_keep_record(sweep, i, worker->rec, worker->last);
        return true;
    }
    int st = prepare(worker, i);
    if (st == IMP_OK) {
        const imp_command *q = worker->model->question;
        record = new_record(worker, q);
        st = worker->an.commands[q->id]->run(&worker->an, q, record);
    }
    if (rt_stopped(sweep->a->rt) && st != IMP_OK)
        return false;
    if (worker->ds.first)
        sweep_warnings_of_run(&worker->warnings, worker->kept, &worker->ds, i);
    if (st == IMP_OK && !worker->ds.errors) {
        if (sweep->calculates)
            calculate(worker, i, record);
        sweep_keep_record(sweep, i, record, worker->last);
    } else
        sweep_keep_error(sweep, i,
                         sweep_failure_reason(worker->model, &worker->ds, st));
    return true;
}

/* -- the journal ------------------------------------------------------------
 */

static bool
flush(struct worker *worker)
{
    struct sweep *sweep = worker->s;
    int e = 0;
    if (worker->waiting.runs) {
        buf_clear(&worker->journal);
        sweep_pack(sweep, &worker->waiting, &worker->journal);
        e = journal_append(&sweep->journal, buf_str(&worker->journal),
                           worker->journal.n);
    }
    worker->flushed = now();
    if (e)
        atomic_store(&sweep->error_io, e);
    return !e;
}

/* -- threads ----------------------------------------------------------------
 */

static bool
halted(const struct sweep *sweep)
{
    return rt_stopped(sweep->a->rt) || atomic_load(&sweep->error_io) ||
           atomic_load(&sweep->no_memory);
}

static void
tell_done(struct worker *worker)
{
    atomic_fetch_add(&worker->s->done, worker->done);
    worker->done = 0;
}

static void
work_runs(struct worker *worker, uint64_t claim)
{
    struct sweep *sweep = worker->s;
    worker->flushed = worker->told = now();
    for (;;) {
        uint64_t from = atomic_fetch_add(&sweep->next, claim);
        uint64_t to = from + claim < sweep->total ? from + claim : sweep->total;
        for (uint64_t v = from; v < to; v++) {
            uint64_t i = sweep->n_models == 1 ? v : sweep_run_number(sweep, v);
            if (sweep->resumed && sweep->state[i] == SWEEP_DONE)
                continue;
            if (halted(sweep))
                goto out;
            take_model(worker, v);
            if (v >= worker->looked && worker->rt)
                worker->looked =
                    sweep_batch_prepare(sweep, &worker->ahead, &worker->an,
                                        worker->model->question, v, to);
            if (!run_one(worker, i))
                goto out;
            worker->made++;
            worker->done++;
            int64_t t = now();
            if (t - worker->told > TELL_AFTER) {
                tell_done(worker);
                worker->told = t;
            }
            if (sweep->journal.fd < 0)
                continue;
            sweep_waiting_add(&worker->waiting, i);
            if ((sweep_waiting_bytes(sweep, &worker->waiting) > FLUSH_BYTES ||
                 t - worker->flushed > FLUSH_AFTER) &&
                !flush(worker))
                return;
        }
        if (from >= sweep->total)
            break;
    }
out:
    flush(worker);
}

static uint64_t
claim_size(const struct sweep *sweep, int threads)
{
    uint64_t n = sweep->total / (16 * (uint64_t)threads);
    return n < 1 ? 1 : n > CLAIM_MOST ? CLAIM_MOST : n;
}

static void
work(struct worker *worker, uint64_t claim)
{
    struct oom_guard guard;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        atomic_store(&worker->s->no_memory, 1);
        return;
    }
    oom_enter(&guard);
    worker->arena = arena_new();
    worker->kept = arena_new();
    const imp_image *im = worker->s->a->rt->im;
    worker->params = arena_copy(worker->kept, worker->s->params,
                                (im->params.n + 1) * sizeof(double));
    worker->last =
        NEW_N(worker->kept, struct sweep_last_text, worker->s->n_fields + 1);
    worker->place.digit = NEW_N(worker->kept, size_t, worker->s->n_axes + 1);
    worker->out = (struct output){.write = nowhere, .width = 80};
    worker->recs = arena_copy(worker->kept, worker->s->a->recs,
                              (im->commands.n + 1) * sizeof *worker->recs);
    worker->ahead.arena = worker->kept;
    worker->an = (struct analysis){.out = &worker->out,
                                   .ds = &worker->ds,
                                   .recs = worker->recs,
                                   .commands = worker->s->a->commands};
    work_runs(worker, claim);
    oom_leave(&guard);
}

struct start {
    struct worker *w;
    uint64_t claim;
};

static void *
thread_main(void *ctx)
{
    struct start *st = ctx;
    work(st->w, st->claim);
    return NULL;
}

static int
thread_count(const struct sweep *sweep)
{
    long n = sweep->a->sweeps.threads;
    if (n < 1)
        n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1)
        n = 1;
    if (n > 256)
        n = 256;
    uint64_t left = sweep->total - sweep->resumed;
    return left < (uint64_t)n ? (int)(left ? left : 1) : (int)n;
}

static void
end(struct worker *worker)
{
    leave_model(worker);
    arena_free(worker->arena);
    buf_free(&worker->journal);
    sweep_waiting_free(&worker->waiting);
}

int
sweep_run_all(struct sweep *sweep, struct sweep_warnings *all)
{
    int n = thread_count(sweep);
    struct worker *worker = NEW_N(sweep->a->rt->arena, struct worker, n);
    struct start *st = NEW_N(sweep->a->rt->arena, struct start, n);
    uint64_t claim = claim_size(sweep, n);
    struct sweep_progress progress;
    sweep->threads = n;
    pthread_mutex_init(&sweep->code_lock, NULL);
    atomic_store(&sweep->done, sweep->resumed);
    for (int k = 0; k < n; k++) {
        worker[k].s = sweep;
        st[k] = (struct start){&worker[k], claim};
    }
    sweep_progress_begin(&progress, sweep);
    /* a thread that cannot be made is one fewer */
    for (int k = 1; k < n; k++)
        worker[k].running =
            !pthread_create(&worker[k].thread, NULL, thread_main, &st[k]);
    work(&worker[0], claim);
    for (int k = 1; k < n; k++)
        if (worker[k].running)
            pthread_join(worker[k].thread, NULL);
    sweep_progress_end(&progress);
    for (int k = 0; k < n; k++) {
        tell_done(&worker[k]);
        end(&worker[k]);
        for (size_t j = 0;
             j < worker[k].warnings.n && !atomic_load(&sweep->no_memory); j++)
            sweep_warning_add(all, record_arena(sweep->a),
                              &worker[k].warnings.v[j]);
        arena_free(worker[k].kept);
    }
    pthread_mutex_destroy(&sweep->code_lock);
    if (atomic_load(&sweep->no_memory))
        oom_raise();
    if (atomic_load(&sweep->error_io))
        return IMP_FAILED;
    return atomic_load(&sweep->done) < sweep->total ? IMP_STOPPED : IMP_OK;
}
