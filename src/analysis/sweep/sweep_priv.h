/* SPDX-License-Identifier: MIT */
/* One sweep, as its files share it: the runs by number (grid.h), the models
 * that are made for structural params (models.c), what is kept of each run
 * (rows.c, texts.c), and what the threads count together. */
#ifndef IMP_ANALYSIS_SWEEP_SWEEP_PRIV_H
#define IMP_ANALYSIS_SWEEP_SWEEP_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "analysis/command/command.h"
#include "analysis/sweep/grid.h"
#include "output/journal.h"

/* -- texts that runs found (texts.c): each is kept once and known by a number;
 * number 0 is the empty text, which stands for none */
struct sweep_texts {
    const char **text; /* n of them */
    size_t n;
    uint32_t *bucket;    /* hash table of 2 n_most numbers, 0: empty */
    size_t n_most;       /* a power of two */
    struct arena *arena; /* of its own; NULL: closed */
    pthread_mutex_t lock;
};
void sweep_texts_init(struct sweep_texts *texts);
void sweep_texts_free(struct sweep_texts *texts);
/* Returns the number of a text; any thread may ask. */
uint32_t sweep_text_number(struct sweep_texts *texts, const char *s);
/* Appends texts with these numbers to buf, each with its length before it. */
void sweep_texts_put(struct sweep_texts *texts, const uint32_t *number,
                     size_t n, struct buf *buf);

/* -- what is kept of each run (rows.c) */

/* One column: numbers, or the numbers of texts. */
struct sweep_field {
    uint32_t field;  /* of the question's record */
    bool calculated; /* a value of the sweep's `record` instead */
    size_t width;    /* numbers per run */
    double *numbers; /* NaN: absent */
    uint32_t *text;  /* NULL: a column of numbers */
};
enum { SWEEP_NOT, SWEEP_DONE };
struct sweep_rows {
    struct sweep_field *field;
    size_t n_fields, n_numbers, n_texts; /* numbers and texts per run */
    bool *wanted;         /* per field of the question's record */
    bool calculates;      /* some column is calculated */
    uint32_t *error;      /* per run: text of the reason, 0: it gave values */
    unsigned char *state; /* per run: SWEEP_NOT or SWEEP_DONE */
    struct sweep_texts *texts;
};
/* Returns memory for n runs with the columns of `like`, whose rows it does not
 * take. */
struct sweep_rows sweep_rows_like(const struct sweep_rows *like, size_t n,
                                  struct arena *arena);

/* -- models (models.c) */

struct sweep_model {
    double *params; /* all; those of axes that are not structural: defaults */
    bool made;
    const char *why; /* why there is none, or NULL */
    const imp_image *im;
    const imp_code *code;
    struct rt_tier *tier;
    const imp_command *question;
    const imp_val *kept;   /* items of the option `record` */
    struct model_made own; /* owner NULL: the model that runs the sweep */
    size_t users;          /* threads that make runs of it */
    uint64_t left;         /* runs to be done */
};
struct sweep_models {
    struct sweep_model *model;
    size_t n;
    const double *params; /* of the model that runs the sweep */
    pthread_mutex_t lock; /* of models, their code and tiers */
};

/* -- the sweep */

/* What threads write often. It lies apart from what they read, because a line
 * of the cache that two processors write to is slow. */
#define SWEEP_APART 128
struct sweep_shared {
    atomic_int error_io; /* errno of the journal; written once at most */
    atomic_int no_memory;
    char before[SWEEP_APART];
    atomic_uint_fast64_t next; /* unit to be taken */
    atomic_uint_fast64_t done, failed;
    char behind[SWEEP_APART];
};
struct sweep_summary;
struct sweep {
    struct analysis *analysis;
    const imp_command *command, *question;
    struct sweep_summary *summary; /* NULL: the record has a row per run */
    int threads;
    const char *save; /* file name or NULL */
    struct journal journal;
    uint64_t resumed; /* runs that the journal had */
    struct sweep_grid grid;
    struct sweep_models models;
    struct sweep_rows rows; /* summary: the columns alone */
    struct sweep_texts texts;
    struct sweep_shared shared;
};

/* Is in models.c. Plans the models, once the axes are known. Returns IMP_OK, or
 * a status after a diagnostic. */
int sweep_models_plan(struct sweep *sweep);
/* Counts the runs to be done of each model, once the journal has been read. */
void sweep_models_count(struct sweep *sweep);
/* The model of the run that is visited as v-th; it is made when it is asked for
 * first. Whoever takes a model leaves it, after `done` of its runs. */
struct sweep_model *sweep_model_take(struct sweep *sweep, uint64_t v);
void sweep_model_leave(struct sweep *sweep, struct sweep_model *model,
                       uint64_t done);
void sweep_models_free(struct sweep *sweep);

/* rows.c: the text that a thread had last in a column. It mostly comes again,
 * and then needs no lock. */
#define SWEEP_LAST 48
struct sweep_last_text {
    const char *lasting; /* its address, if no other text can have this one */
    uint32_t number, n;  /* length; 0: none */
    char s[SWEEP_LAST];
};
/* Keeps what a run found, out of its record; last: per field. */
void sweep_keep_record(struct sweep_rows *rows, size_t row,
                       const struct record *record,
                       struct sweep_last_text *last);
/* Keeps why a run gave no values: the text with the number `known`, or `why`
 * where that is 0. */
void sweep_keep_error(struct sweep *sweep, struct sweep_rows *rows, size_t row,
                      uint32_t known, const char *why);

/* worker.c: the seed of a run. Of several runs per combination each has its
 * own, a whole number of 53 bits, as a user could give it. */
double sweep_seed(const struct sweep *sweep, uint64_t run);

/* Was this run done before the sweep went on? */
bool sweep_run_done(const struct sweep *sweep, uint64_t run);

/* journal_rows.c: runs of one thread that wait for the journal, as stretches of
 * runs that follow one another */
struct sweep_stretch {
    uint64_t first, runs;
    size_t row; /* of the first */
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
void sweep_waiting_begin(struct sweep_waiting *waiting, uint64_t run,
                         size_t row);
static inline void
sweep_waiting_add(struct sweep_waiting *waiting, uint64_t run, size_t row)
{
    struct sweep_stretch *last =
        waiting->n ? waiting->v + (waiting->n - 1) : NULL;
    if (last && run == last->first + last->runs &&
        row == last->row + (size_t)last->runs)
        last->runs++;
    else
        sweep_waiting_begin(waiting, run, row);
    waiting->runs++;
}
/* Returns about how many bytes the journal would get. */
static inline size_t
sweep_waiting_bytes(const struct sweep *sweep,
                    const struct sweep_waiting *waiting)
{
    return waiting->n * sizeof *waiting->v +
           (size_t)waiting->runs *
               (sweep->rows.n_numbers * sizeof(double) + sweep->rows.n_texts);
}
void sweep_waiting_free(struct sweep_waiting *waiting);
/* Appends the runs that waited to buf, as a frame of the journal. */
void sweep_pack(struct sweep *sweep, const struct sweep_rows *rows,
                struct sweep_waiting *waiting, struct buf *buf);
/* Takes the runs of a frame back into `sweep`, a struct sweep; what is not
 * whole is left out. */
void sweep_unpack(void *sweep, const char *frame, size_t n);
/* Everything that a run depends on: the sources, params, axes, seed, the
 * sweep's place among the commands, the size of a row. */
uint64_t sweep_key(const struct sweep *sweep);

/* warnings.c: warnings of runs. Of each code that of the run with the smallest
 * number is kept, and at how many runs it came. */
struct sweep_warning {
    enum diag_code code;
    imp_range range;
    const char *message, *help; /* help: NULL if none */
    uint64_t run, n;
};
struct sweep_warnings {
    struct sweep_warning v[16];
    size_t n;
};
/* Adds one; its text is copied into `kept`. */
void sweep_warning_add(struct sweep_warnings *warnings, struct arena *kept,
                       const struct sweep_warning *warning);
void sweep_warnings_of_run(struct sweep_warnings *warnings, struct arena *kept,
                           const struct diags *ds, uint64_t run);
/* Returns why a run of the model failed with this status. */
const char *sweep_failure_reason(const struct sweep_model *model,
                                 const struct diags *ds, int status);

/* Is in threads.c. Makes all runs that are not done. Returns IMP_OK,
 * IMP_STOPPED (Ctrl-C), or IMP_FAILED with error_io set. Where memory ends it
 * jumps. */
int sweep_run_all(struct sweep *sweep, struct sweep_warnings *warnings);

/* Is in record.c. Fills the columns of the runs that are done (`done` of them,
 * `failed` without values): NaN and no text where a run gave none. */
void sweep_fill_record(struct sweep *sweep, struct record *record, size_t done,
                       size_t failed);

#endif
