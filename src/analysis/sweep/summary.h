/* SPDX-License-Identifier: MIT */
/* What a sweep with `summary` keeps: a row per combination of `over`, into
 * which the values of runs are summed up as soon as they are there. Runs are
 * summed up by blocks, which no two threads share; a row is put together from
 * its blocks in their order, when the last of them is done. So memory does not
 * grow with the number of runs, and what is found does not depend on the order
 * in which they were made (I7). */
#ifndef IMP_ANALYSIS_SWEEP_SUMMARY_H
#define IMP_ANALYSIS_SWEEP_SUMMARY_H

#include "analysis/sweep/sketch.h"
#include "analysis/sweep/sweep_priv.h"

enum { SUMMARY_MEAN, SUMMARY_MIN, SUMMARY_MAX, SUMMARY_DEVIATION, SUMMARY_OF };

/* The columns of one thing that is kept. */
struct summary_field {
    double *number[SUMMARY_OF]; /* per row and entry */
    double *quantile;           /* per row and share; NULL: none */
    uint32_t *text;             /* the commonest, per row; NULL: numbers */
    double *text_share;
};
/* How many runs of each row lie between neighbouring edges. */
struct summary_bins {
    size_t field, n;    /* a number that is kept; bins */
    const double *edge; /* n + 1, rising */
    double *count;      /* per row and bin */
};
struct summary_row; /* one whose runs are being made */
struct sweep_summary {
    uint64_t rows;             /* combinations */
    uint64_t block, per_block; /* blocks of a row; runs of a block, at most */
    unsigned char *done;       /* per block of all rows */
    struct summary_row **open; /* per row; NULL: not begun, or complete */
    pthread_mutex_t lock;
    bool locks; /* the lock is there */
    /* what was found, per row */
    struct summary_field *field;
    unsigned char *some; /* a run of it is done */
    double *runs;        /* that gave values */
    uint32_t *error;     /* reason of the first that gave none, or 0 */
    uint64_t *worst;     /* run in which the field `worst_field` is greatest */
    const double *share; /* n_shares: of the quantiles */
    size_t n_shares, worst_field; /* SIZE_MAX: none is asked for */
    struct summary_bins *bins; /* n_bins */
    size_t n_bins;
    uint64_t failed_run;          /* the first of all; UINT64_MAX: none */
    uint32_t failed_text;
    struct sweep_rows unpacked; /* n_unpacked: of a stretch of the journal */
    uint64_t n_unpacked;
};

/* Plans the blocks, once axes and fields are known. Returns IMP_OK, or a status
 * after a diagnostic. */
int sweep_summary_plan(struct sweep *sweep);
/* Sums up the rows row .. row + runs - 1 of `rows`: the runs of whole blocks,
 * from `run` on. Any thread may call it. */
void sweep_summary_add(struct sweep *sweep, const struct sweep_rows *rows,
                       size_t row, uint64_t run, uint64_t runs);
/* Is the block of this run done? */
bool sweep_summary_done(const struct sweep *sweep, uint64_t run);
/* The runs of a block that begins with this one; 0: none begins with it. */
uint64_t sweep_summary_block(const struct sweep *sweep, uint64_t run);
/* Puts together what is there of rows that are not complete. Returns how many
 * runs were summed up, *failed: those of them that gave no values. */
uint64_t sweep_summary_close(struct sweep *sweep, size_t *failed);
void sweep_summary_free(struct sweep *sweep);
/* Is in summary_record.c. Fills the columns of the record. */
void sweep_fill_summary(struct sweep *sweep, struct record *record,
                        const char *const *texts, size_t failed);

#endif
