/* SPDX-License-Identifier: MIT */
/* Tables whose rows become text one after another. The work goes in rounds:
 * while the threads make the text of one round, in pieces of PIECE rows, one of
 * them writes the pieces of the round before, in their order. So the bytes do
 * not depend on the number of threads (I7). */
#include <assert.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/parts.h"
#include "output/writer.h"

enum { PIECE = 2048 /* rows */, PIECES = 8 /* of a round, per thread */ };

struct job {
    const struct out_table *table;
    const struct out_row_writer *writer;
    void *memory;         /* the writer's */
    struct buf *piece[2]; /* of rounds with even and odd numbers */
    size_t pieces, round; /* pieces of a round at most; the round */
    struct out_file *file;
    int error; /* errno of a write */
};

static size_t
pieces_of(const struct job *job, size_t round)
{
    size_t all = (job->table->n_rows + PIECE - 1) / PIECE;
    size_t from = round * job->pieces;
    return from >= all                ? 0
           : all - from < job->pieces ? all - from
                                      : job->pieces;
}

static void
write_round(struct job *job, size_t round)
{
    assert(job->file);
    size_t n = pieces_of(job, round);
    for (size_t k = 0; k < n && !job->error; k++) {
        const struct buf *buf = &job->piece[round % 2][k];
        job->error = out_file_write(job->file, buf->s, buf->n);
    }
}

static void
make_piece(const struct job *job, int thread, size_t k)
{
    struct buf *buf = &job->piece[job->round % 2][k];
    size_t n = job->table->n_rows;
    size_t from = (job->round * job->pieces + k) * PIECE;
    assert(from < n && k < job->pieces);
    buf->n = 0;
    job->writer->rows(buf, job->table, job->memory, thread, from,
                      n - from < PIECE ? n : from + PIECE);
}

/* one part of a round; the first part writes the round before */
static void
part(void *ctx, int thread, size_t k)
{
    struct job *job = ctx;
    if (k || !job->round)
        make_piece(job, thread, job->round ? k - 1 : k);
    else
        write_round(job, job->round - 1);
}

static void
write_head(struct job *job)
{
    struct buf buf = {0};
    job->writer->head(&buf, job->table);
    job->error = out_file_write(job->file, buf.s, buf.n);
    buf_free(&buf);
}

static void
write_all(struct job *job, int threads)
{
    if (job->writer->head)
        write_head(job);
    for (job->round = 0; !job->error && pieces_of(job, job->round);
         job->round++)
        parts_run(threads, pieces_of(job, job->round) + (job->round > 0), part,
                  job);
    if (!job->error && job->round)
        write_round(job, job->round - 1);
}

static void
free_pieces(struct job *job)
{
    for (size_t k = 0; k < job->pieces; k++) {
        buf_free(&job->piece[0][k]);
        buf_free(&job->piece[1][k]);
    }
}

int
out_rows_save(struct output *output, struct diags *ds, imp_range where,
              const char *file, const struct out_table *table,
              const struct out_row_writer *writer)
{
    assert(output->dir && table->n_columns <= SIZE_MAX / 2);
    int threads =
        table->grid && table->grid->threads > 1 ? table->grid->threads : 1;
    struct job job = {.table = table, .writer = writer};
    struct out_file opened;
    struct oom_guard guard;
    job.pieces = PIECES * (size_t)threads;
    job.pieces = pieces_of(&job, 0);
    for (int k = 0; k < 2; k++)
        job.piece[k] = NEW_N(ds->arena, struct buf, job.pieces + 1);
    job.memory =
        writer->begin ? writer->begin(ds->arena, table, threads) : NULL;
    int st = out_file_open(output, ds, where, file, &opened);
    if (st)
        return st;
    job.file = &opened;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        free_pieces(&job);
        (void)out_file_close(&opened, ds, where, file, -1);
        oom_raise();
    }
    oom_enter(&guard);
    write_all(&job, threads);
    oom_leave(&guard);
    free_pieces(&job);
    return out_file_close(&opened, ds, where, file, job.error);
}
