/* SPDX-License-Identifier: MIT */
/* One thread of a sweep, and the runs that it makes. */
#ifndef IMP_ANALYSIS_SWEEP_WORKER_H
#define IMP_ANALYSIS_SWEEP_WORKER_H

#include "analysis/sweep/sweep_priv.h"

/* Machine code is made once for all threads, when the work that they have done
 * together pays for it (runtime/instance/run.h). The tier of a thread reports
 * to that of the model. */
struct sweep_tier {
    struct rt_tier tier; /* first: `more` gets its address */
    struct sweep *sweep;
    struct sweep_model *model;
    double reported; /* of tier.spent */
};

/* batch.c: runs to come that were prepared together */
#define SWEEP_BATCH_RUNS 64
struct sweep_batch {
    struct arena *arena;
    double *params;      /* of one run */
    double *restitution; /* of all contacts, per run of the batch */
    struct sweep_place place;
    int n, next; /* runs of the batch; which comes next */
    bool known[SWEEP_BATCH_RUNS];
};

/* What the question of the sweep is asked with. */
struct sweep_asking {
    struct analysis analysis;
    struct output out;
    struct diags ds;
    struct arena *scratch;   /* emptied before every run */
    struct record *record;   /* of the question, where there is one model */
    struct record **records; /* of earlier commands, and of the question */
};
/* What a worker found, until it hands it over. */
struct sweep_found {
    struct arena *kept;           /* lasts as long as the worker */
    struct sweep_last_text *last; /* per field */
    struct sweep_warnings warnings;
    struct sweep_waiting waiting; /* for the journal */
    struct buf frame;             /* of the journal */
    uint64_t done;                /* runs that sweep->shared.done lacks */
    int64_t flushed, reported;    /* when: the journal, `done` [ns] */
};
struct sweep_worker {
    char before[SWEEP_APART]; /* the threads write to lines of their own */
    struct sweep *sweep;
    /* the model, and the run of it that is restarted for every number */
    struct sweep_model *model; /* NULL: none yet */
    uint64_t runs_of_model;    /* made since it was taken */
    struct sweep_tier tier;
    struct rt *run;
    double *params;
    struct sweep_place place;
    /* where the next run is kept: in the rows of the sweep, or, of a summary,
     * in rows of the worker's own, which are summed up block by block */
    struct sweep_rows *rows, own;
    size_t row;
    uint32_t block_error; /* of the first run of the block that failed, or 0 */
    struct sweep_asking ask;
    struct sweep_batch batch;
    uint64_t prepared; /* runs before this one were looked at for a batch */
    struct sweep_found found;
    pthread_t thread;
    bool running; /* the thread */
    char behind[SWEEP_APART];
};

/* Is in worker.c. Makes memory; may jump where memory ends. */
void sweep_worker_init(struct sweep_worker *worker);
/* Gives the model back, and frees all but `kept`. */
void sweep_worker_end(struct sweep_worker *worker);
/* Takes the model of the run that is visited as v-th. */
void sweep_worker_take_model(struct sweep_worker *worker, uint64_t v);
/* Makes one run and keeps what it found in worker->rows. False: it was stopped,
 * and nothing is known of it. */
bool sweep_worker_make_run(struct sweep_worker *worker, uint64_t run);

/* Is in batch.c. Prepares the runs that are visited as from .. to - 1, as far
 * as they differ in restitutions alone from the run that was made last. Returns
 * the first that was not looked at. */
uint64_t sweep_batch_prepare(struct sweep_worker *worker, uint64_t from,
                             uint64_t to);
/* Is the answer of the run after the one that this was asked of last known?
 * Then worker->ask.record has it. */
bool sweep_batch_record(struct sweep_worker *worker);

#endif
