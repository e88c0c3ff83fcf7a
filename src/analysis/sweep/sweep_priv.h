/* SPDX-License-Identifier: MIT */
/* Inside `sweep`: what is run (sweep.c), the models that are made for
 * structural params (models.c), the threads (threads.c), what they do
 * for several runs at once (batch.c), what is kept of each run
 * (journal_rows.c) and what they had to say (warnings.c), the record
 * (sweep_record.c), the progress line (progress.c).
 *
 * Runs are numbered; what one of them finds is a function of its number alone
 * and stands at its number, so neither the threads nor the order in which they
 * work can show (I7). */
#ifndef IMP_ANALYSIS_SWEEP_SWEEP_PRIV_H
#define IMP_ANALYSIS_SWEEP_SWEEP_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "analysis/command/analysis_priv.h"
#include "output/journal.h"

struct sweep_axis {
    uint32_t param;
    bool random, structural;
    const double *x; /* n values; random: both bounds */
    size_t n;
    imp_range range;
};
/* what is kept of every run: numbers, or the number of a text */
struct sweep_field {
    uint32_t field;  /* of the question's record */
    bool calculated; /* a value of the sweep's `record` (item) instead */
    size_t width;
    double *num; /* per run width of them; NaN: absent */
    uint32_t *text;
};
/* every text that runs found, once; number 0: none */
struct sweep_texts {
    const char **v;
    size_t n;
    uint32_t *bucket; /* 2 n_most of them, a power of two: number or 0 */
    size_t n_most;
    struct arena *arena; /* of its own; NULL: closed */
    pthread_mutex_t lock;
};
/* the text that a thread had last in a column: it mostly comes again, and needs
 * no lock then */
#define SWEEP_LAST 48
struct sweep_last_text {
    const char *lasting; /* where it lay, if nothing else can lie there */
    uint32_t number, n;  /* length; 0: none */
    char s[SWEEP_LAST];
};
enum { SWEEP_NOT, SWEEP_DONE };
/* runs of a thread that the journal has not got yet */
struct sweep_stretch {
    uint64_t first, n;
};
struct sweep_numbers {
    uint32_t *v;
    size_t n, cap;
};
struct sweep_waiting {
    struct sweep_stretch *v;
    size_t n, cap;
    uint64_t runs;
    struct sweep_numbers local; /* per text: its number in the frame, or 0 */
    struct sweep_numbers used;  /* texts of the frame */
};
/* a model that runs are made of */
struct sweep_model {
    double *params; /* all, those of axes that are not structural at default */
    bool made;
    const char *why; /* there is none */
    const imp_image *im;
    const imp_code *code;
    struct rt_tier *tier;
    const imp_command *question;
    const imp_val *kept;   /* items of `record` */
    struct model_made own; /* owner NULL: the model that runs the sweep */
    size_t users;          /* threads that are at it */
    uint64_t left;         /* runs to be done */
};

struct sweep {
    struct analysis *a;
    const imp_command *c, *question;
    struct sweep_axis *axis;
    size_t n_axes;
    uint64_t repeat, total; /* runs */
    bool summary;           /* the record has a row per combination */
    struct sweep_model *model;
    size_t n_models;
    uint64_t per_model; /* runs */
    double seed;
    const double *params; /* of the model; axes go over them */
    struct sweep_field *field;
    bool *wanted;                   /* per field of the question's record */
    bool calculates;                /* some are calculated */
    size_t n_fields, n_num, n_text; /* numbers and texts per run */
    /* per run */
    uint32_t *error;      /* text of the reason, 0: the run gave values */
    unsigned char *state; /* SWEEP_... */
    struct sweep_texts texts;
    const char *save; /* file name or NULL */
    struct journal journal;
    uint64_t resumed;    /* runs that the journal had */
    atomic_int error_io; /* errno of the journal */
    atomic_int no_memory;
    int threads;
    pthread_mutex_t code_lock; /* of models, their code and tiers */
    /* what threads write often, far from what they read */
    char apart[128];
    atomic_uint_fast64_t next, done, failed;
    char apart_too[128];
};

/* warnings of runs: of each code the first, and at how many runs */
struct sweep_warning {
    enum diag_code code;
    imp_range range;
    const char *message;
    uint64_t run, n;
};
struct sweep_warnings {
    struct sweep_warning v[16];
    size_t n;
};

/* -- sweep.c: the value of axis k in run i */
double sweep_axis_value(const struct sweep *sweep, size_t k, uint64_t i);
/* The same in one run after another: which value of each axis, and which of the
 * repetitions. digit has room for all axes, and is zero at first. */
struct sweep_place {
    uint64_t run, turn; /* nothing stands there for run 0, which is all zero */
    size_t *digit;
};
void sweep_place_jump(const struct sweep *sweep, struct sweep_place *place,
                      uint64_t i);
/* to the next run */
static inline void
sweep_place_next(const struct sweep *sweep, struct sweep_place *place)
{
    place->run++;
    if (++place->turn < sweep->repeat)
        return;
    place->turn = 0;
    for (size_t k = sweep->n_axes; k-- > 0;) {
        if (sweep->axis[k].random)
            continue;
        if (++place->digit[k] < sweep->axis[k].n)
            return;
        place->digit[k] = 0;
    }
}
static inline void
sweep_place_move(const struct sweep *sweep, struct sweep_place *place,
                 uint64_t i)
{
    if (i == place->run + 1)
        sweep_place_next(sweep, place);
    else if (i != place->run)
        sweep_place_jump(sweep, place, i);
}
static inline double
sweep_place_value(const struct sweep *sweep, const struct sweep_place *place,
                  size_t k)
{
    const struct sweep_axis *axis = &sweep->axis[k];
    return axis->random ? sweep_axis_value(sweep, k, place->run)
                        : axis->x[place->digit[k]];
}

/* -- sweep_record.c: the columns of the runs that are done, NaN and no text
 * where a run gave none */
void sweep_fill_record(struct sweep *sweep, struct record *record, size_t rows,
                       size_t failed);

/* -- models.c: after the axes; IMP_OK or a diagnostic */
int sweep_models_plan(struct sweep *sweep);
/* runs to be done of each, when the journal has been read */
void sweep_models_count(struct sweep *sweep);
/* number of the v-th run in the order in which they are made */
uint64_t sweep_run_number(const struct sweep *sweep, uint64_t v);
/* the model of that run; leave: `done` runs of it have been made */
struct sweep_model *sweep_model_take(struct sweep *sweep, uint64_t v);
void sweep_model_leave(struct sweep *sweep, struct sweep_model *model,
                       uint64_t done);
void sweep_models_free(struct sweep *sweep);

/* -- journal_rows.c */
void sweep_texts_init(struct sweep_texts *texts);
void sweep_texts_free(struct sweep_texts *texts);
/* what run i found, out of its record, or why not; last: per field */
void sweep_keep_record(struct sweep *sweep, uint64_t i,
                       const struct record *record,
                       struct sweep_last_text *last);
void sweep_keep_error(struct sweep *sweep, uint64_t i, const char *why);
/* run i waits for the journal; about how many bytes it would get */
void sweep_waiting_begin(struct sweep_waiting *waiting, uint64_t i);
static inline void
sweep_waiting_add(struct sweep_waiting *waiting, uint64_t i)
{
    struct sweep_stretch *last =
        waiting->n ? waiting->v + (waiting->n - 1) : NULL;
    if (last && i == last->first + last->n)
        last->n++;
    else
        sweep_waiting_begin(waiting, i);
    waiting->runs++;
}
static inline size_t
sweep_waiting_bytes(const struct sweep *sweep,
                    const struct sweep_waiting *waiting)
{
    return waiting->n * sizeof *waiting->v +
           (size_t)waiting->runs *
               (sweep->n_num * sizeof(double) + sweep->n_text);
}
void sweep_waiting_free(struct sweep_waiting *waiting);
/* runs that waited as a frame of the journal, and back */
void sweep_pack(struct sweep *sweep, struct sweep_waiting *waiting,
                struct buf *buf);
void sweep_unpack(void *sweep, const char *p, size_t n);
/* two bytes-equal sweeps have equal keys */
uint64_t sweep_key(const struct sweep *sweep);

/* -- batch.c */
#define SWEEP_BATCH_RUNS 64 /* runs */
struct sweep_batch {
    struct arena *arena;
    double *params, *e; /* of a run; restitutions of all contacts, per run */
    struct sweep_place place;
    int n, next; /* runs that were looked at; which comes next */
    bool told[SWEEP_BATCH_RUNS];
};
/* Runs from..to - 1 (as they are made) as far as they are such runs; `a` has
 * the run that was made last. The first that was not looked at. */
uint64_t sweep_batch_prepare(const struct sweep *sweep,
                             struct sweep_batch *batch,
                             struct analysis *analysis,
                             const imp_command *question, uint64_t from,
                             uint64_t to);
/* The run after the one that this was asked of last: is it known what it finds?
 * Then r is its record. */
bool sweep_batch_record(struct sweep_batch *batch, struct analysis *analysis,
                        const imp_command *question, struct record *record);

/* -- warnings.c: one more warning, its text into `kept`; those of run i; why
 * a run of model m failed */
void sweep_warning_add(struct sweep_warnings *warnings, struct arena *kept,
                       const struct sweep_warning *warning);
void sweep_warnings_of_run(struct sweep_warnings *warnings, struct arena *kept,
                           const struct diags *ds, uint64_t i);
const char *sweep_failure_reason(const struct sweep_model *model,
                                 const struct diags *ds, int status);

/* -- progress.c: the line on a terminal, while threads run */
struct sweep_progress {
    const struct sweep *s;
    double begun;
    bool made, running, over, drawn;
    pthread_t thread;
    pthread_mutex_t lock; /* of over */
    pthread_cond_t wake;
};
void sweep_progress_begin(struct sweep_progress *progress,
                          const struct sweep *sweep);
void sweep_progress_end(struct sweep_progress *progress);

/* -- threads.c: all runs that are not done; IMP_OK, IMP_STOPPED (Ctrl-C),
 * IMP_FAILED with s->error_io. Memory's end jumps. */
int sweep_run_all(struct sweep *sweep, struct sweep_warnings *warnings);

#endif
