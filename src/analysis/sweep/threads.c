/* SPDX-License-Identifier: MIT */
/* The threads of a sweep. Each takes numbers of runs from one counter, a few at
 * once, makes these runs (worker.c) and hands them to the journal from time to
 * time. The calling thread works too. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/command/progress.h"
#include "analysis/sweep/summary.h"
#include "analysis/sweep/worker.h"
#include "base/arena.h"
#include "base/stack.h"

/* A thread hands its runs to the journal when they come to so many bytes or
 * when so much time has passed: a sweep that is killed has lost no more than
 * that, or one run per thread. */
#define FLUSH_BYTES ((size_t)1 << 14)
#define FLUSH_AFTER 50000000  /* ns */
#define REPORT_AFTER 20000000 /* ns: the progress line moves every 0.1 s */
#define CLAIM_MOST 64         /* runs taken from the counter at once */
#define THREADS_MOST 256

/* The clock is read after every run; a millisecond more or less is no matter.
 */
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

/* Hands the runs that wait to the journal; false: it cannot be written. */
static bool
flush(struct sweep_worker *worker)
{
    struct sweep *sweep = worker->sweep;
    int error = 0;
    if (worker->found.waiting.runs) {
        buf_clear(&worker->found.frame);
        sweep_pack(sweep, worker->rows, &worker->found.waiting,
                   &worker->found.frame);
        error = journal_append(&sweep->journal, buf_str(&worker->found.frame),
                               worker->found.frame.n);
    }
    worker->found.flushed = now();
    if (error)
        atomic_store(&sweep->shared.error_io, error);
    return !error;
}

static bool
halted(const struct sweep *sweep)
{
    return rt_stopped(sweep->analysis->rt) ||
           atomic_load(&sweep->shared.error_io) ||
           atomic_load(&sweep->shared.no_memory);
}

/* What threads take from the counter are units: runs, or the blocks of a
 * summary. Returns how many there are. */
static uint64_t
sweep_units(const struct sweep *sweep)
{
    return sweep->summary ? sweep->summary->rows * sweep->summary->block
                          : sweep->grid.total;
}

/* Returns the place in the order of visits at which a unit begins. The runs of
 * a row of a summary are visited one after another. */
static uint64_t
sweep_unit_begin(const struct sweep *sweep, uint64_t unit)
{
    const struct sweep_summary *summary = sweep->summary;
    return summary ? unit / summary->block * sweep->grid.per_row +
                         unit % summary->block * summary->per_block
                   : unit;
}

static void
report_done(struct sweep_worker *worker)
{
    atomic_fetch_add(&worker->sweep->shared.done, worker->found.done);
    worker->found.done = 0;
}

/* Notes that one more run is done, and that with it the `whole` runs up to it
 * are to be kept: tells the progress line and the journal, in time. Returns
 * false where the journal cannot be written. */
static bool
run_done(struct sweep_worker *worker, uint64_t run, uint64_t whole)
{
    const struct sweep *sweep = worker->sweep;
    int64_t time = now();
    worker->runs_of_model++;
    worker->found.done++;
    if (time - worker->found.reported > REPORT_AFTER) {
        report_done(worker);
        worker->found.reported = time;
    }
    if (sweep->journal.fd < 0)
        return true;
    for (uint64_t back = whole; back-- > 0;)
        sweep_waiting_add(&worker->found.waiting, run - back,
                          worker->row - (size_t)back);
    return !whole ||
           (sweep_waiting_bytes(sweep, &worker->found.waiting) <= FLUSH_BYTES &&
            time - worker->found.flushed <= FLUSH_AFTER) ||
           flush(worker);
}

/* Makes the runs that are visited as from .. to - 1 and are not done. False:
 * the sweep ends here. A run that is summed up counts with its whole block. */
static bool
work_claim(struct sweep_worker *worker, uint64_t from, uint64_t to)
{
    assert(from < to && to <= worker->sweep->grid.total);
    struct sweep *sweep = worker->sweep;
    uint64_t left = 0, block = 1; /* of the block of runs */
    for (uint64_t v = from; v < to; v++) {
        uint64_t run = sweep_grid_visit(&sweep->grid, v);
        if (sweep_run_done(sweep, run))
            continue;
        if (halted(sweep))
            return false;
        sweep_worker_take_model(worker, v);
        if (v >= worker->prepared && worker->run)
            worker->prepared = sweep_batch_prepare(worker, v, to);
        if (sweep->summary && !left) {
            left = block = sweep_summary_block(sweep, run);
            worker->block_error = 0;
        }
        worker->row = (size_t)(sweep->summary ? v - from : run);
        if (!sweep_worker_make_run(worker, run))
            return false;
        if (sweep->summary && !--left)
            sweep_summary_add(sweep, worker->rows,
                              worker->row - (size_t)(block - 1),
                              run - (block - 1), block);
        if (!run_done(worker, run, left ? 0 : block))
            return false;
    }
    return true;
}

static void
work_runs(struct sweep_worker *worker, uint64_t claim)
{
    struct sweep *sweep = worker->sweep;
    uint64_t total = sweep_units(sweep), from;
    bool goes_on = true;
    worker->found.flushed = worker->found.reported = now();
    while (goes_on &&
           (from = atomic_fetch_add(&sweep->shared.next, claim)) < total) {
        uint64_t end = from + claim < total ? from + claim : total;
        goes_on = work_claim(worker, sweep_unit_begin(sweep, from),
                             sweep_unit_begin(sweep, end));
        if (sweep->summary && goes_on) /* its rows are used again */
            goes_on = flush(worker);
    }
    flush(worker);
}

static uint64_t
claim_size(const struct sweep *sweep, int threads)
{
    uint64_t n = sweep_units(sweep) / (16 * (uint64_t)threads),
             most = sweep->summary ? CLAIM_MOST / sweep->summary->per_block
                                   : CLAIM_MOST;
    return n < 1 || most < 1 ? 1 : n > most ? most : n;
}

static void
work(struct sweep_worker *worker, uint64_t claim)
{
    struct oom_guard guard;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        atomic_store(&worker->sweep->shared.no_memory, 1);
        return;
    }
    oom_enter(&guard);
    sweep_worker_init(worker);
    if (worker->sweep->summary)
        worker->own =
            sweep_rows_like(&worker->sweep->rows,
                            (size_t)(claim * worker->sweep->summary->per_block),
                            worker->found.kept);
    worker->rows = worker->sweep->summary ? &worker->own : &worker->sweep->rows;
    work_runs(worker, claim);
    oom_leave(&guard);
}

struct start {
    struct sweep_worker *worker;
    uint64_t claim;
};

static void *
thread_main(void *ctx)
{
    struct start *start = ctx;
    work(start->worker, start->claim);
    return NULL;
}

static int
thread_count(const struct sweep *sweep)
{
    uint64_t left = sweep->grid.total - sweep->resumed;
    long n = sweep->analysis->sweeps.threads;
    if (n < 1)
        n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1)
        n = 1;
    if (n > THREADS_MOST)
        n = THREADS_MOST;
    return left < (uint64_t)n ? (int)(left ? left : 1) : (int)n;
}

/* Collects what the threads did, together. */
static void
collect(struct sweep *sweep, struct sweep_worker *worker, int threads,
        struct sweep_warnings *warnings)
{
    for (int k = 0; k < threads; k++) {
        const struct sweep_warnings *own = &worker[k].found.warnings;
        report_done(&worker[k]);
        sweep_worker_end(&worker[k]);
        for (size_t j = 0; j < own->n && !atomic_load(&sweep->shared.no_memory);
             j++)
            sweep_warning_add(warnings, record_arena(sweep->analysis),
                              &own->v[j]);
        arena_free(worker[k].found.kept);
    }
}

/* How far the sweep is, for its line (progress.h). */
static double
look(void *ctx, double *fresh, char *text, size_t size)
{
    const struct sweep *sweep = ctx;
    uint64_t done = atomic_load(&sweep->shared.done);
    double total = (double)sweep->grid.total;
    *fresh = (double)(done - sweep->resumed) / total;
    snprintf(text, size, "%llu of %llu", (unsigned long long)done,
             (unsigned long long)sweep->grid.total);
    return (double)done / total;
}

int
sweep_run_all(struct sweep *sweep, struct sweep_warnings *warnings)
{
    assert(sweep);
    int threads = thread_count(sweep);
    uint64_t claim = claim_size(sweep, threads);
    struct arena *arena = sweep->analysis->rt->arena;
    struct sweep_worker *worker = NEW_N(arena, struct sweep_worker, threads);
    struct start *start = NEW_N(arena, struct start, threads);
    struct progress progress = {.made = false};
    sweep->threads = threads;
    pthread_mutex_init(&sweep->models.lock, NULL);
    atomic_store(&sweep->shared.done, sweep->resumed);
    for (int k = 0; k < threads; k++) {
        worker[k].sweep = sweep;
        start[k] = (struct start){&worker[k], claim};
    }
    if (sweep->analysis->sweeps.progress)
        progress_begin(&progress, "sweep", 0.1, look, sweep);
    /* where a thread cannot be made, the others do its work */
    for (int k = 1; k < threads; k++)
        worker[k].running =
            stack_thread(&worker[k].thread, thread_main, &start[k]);
    work(&worker[0], claim);
    for (int k = 1; k < threads; k++)
        if (worker[k].running)
            pthread_join(worker[k].thread, NULL);
    progress_end(&progress);
    collect(sweep, worker, threads, warnings);
    pthread_mutex_destroy(&sweep->models.lock);
    if (atomic_load(&sweep->shared.no_memory))
        oom_raise();
    if (atomic_load(&sweep->shared.error_io))
        return IMP_FAILED;
    return atomic_load(&sweep->shared.done) < sweep->grid.total ? IMP_STOPPED
                                                                : IMP_OK;
}
