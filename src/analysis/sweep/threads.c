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
#include "analysis/sweep/worker.h"
#include "base/arena.h"

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
        sweep_pack(sweep, &worker->found.waiting, &worker->found.frame);
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

static void
report_done(struct sweep_worker *worker)
{
    atomic_fetch_add(&worker->sweep->shared.done, worker->found.done);
    worker->found.done = 0;
}

/* Notes that one more run is done: tells the progress line and the journal, in
 * time. Returns false where the journal cannot be written. */
static bool
run_done(struct sweep_worker *worker, uint64_t run)
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
    sweep_waiting_add(&worker->found.waiting, run);
    return (sweep_waiting_bytes(sweep, &worker->found.waiting) <= FLUSH_BYTES &&
            time - worker->found.flushed <= FLUSH_AFTER) ||
           flush(worker);
}

/* Makes the runs that are visited as from .. to - 1 and are not done. False:
 * the sweep ends here. */
static bool
work_claim(struct sweep_worker *worker, uint64_t from, uint64_t to)
{
    assert(from < to && to <= worker->sweep->grid.total);
    struct sweep *sweep = worker->sweep;
    for (uint64_t v = from; v < to; v++) {
        uint64_t run = sweep_grid_visit(&sweep->grid, v);
        if (sweep->resumed && sweep->rows.state[run] == SWEEP_DONE)
            continue;
        if (halted(sweep))
            return false;
        sweep_worker_take_model(worker, v);
        if (v >= worker->prepared && worker->run)
            worker->prepared = sweep_batch_prepare(worker, v, to);
        if (!sweep_worker_make_run(worker, run) || !run_done(worker, run))
            return false;
    }
    return true;
}

static void
work_runs(struct sweep_worker *worker, uint64_t claim)
{
    struct sweep *sweep = worker->sweep;
    uint64_t total = sweep->grid.total, from;
    worker->found.flushed = worker->found.reported = now();
    do {
        from = atomic_fetch_add(&sweep->shared.next, claim);
    } while (
        from < total &&
        work_claim(worker, from, from + claim < total ? from + claim : total));
    flush(worker);
}

static uint64_t
claim_size(const struct sweep *sweep, int threads)
{
    uint64_t n = sweep->grid.total / (16 * (uint64_t)threads);
    return n < 1 ? 1 : n > CLAIM_MOST ? CLAIM_MOST : n;
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
            !pthread_create(&worker[k].thread, NULL, thread_main, &start[k]);
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
