/* SPDX-License-Identifier: MIT */
/* See summary.h. */
#include "analysis/sweep/summary.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/lists.h"
#include "base/arena.h"

/* Blocks of all rows together, at most, beside one per row: what a process that
 * is killed may lose is a block per thread, a small share of the sweep; and
 * sums of blocks need little memory. */
#define BLOCKS_MOST 16384

/* Count, mean, and the sum of squares about it, of the numbers of a block. */
struct moments {
    double n, mean, squares;
};
struct extremes {
    double least, greatest;
    uint64_t run; /* the first in which it is greatest */
};
/* How often a text came, and in which run first. */
struct tally {
    uint32_t text;
    uint64_t n, first;
};
struct tallies {
    struct tally *v;
    size_t n, cap;
};
struct summary_row {
    struct arena *arena;
    uint64_t missing; /* blocks */
    uint64_t error_run;
    struct moments *moments;   /* per block, then per entry */
    struct extremes *extremes; /* per entry */
    struct tallies *tallies;   /* per field */
    struct sketch *sketch;     /* per field */
};

static bool
has_quantiles(const struct sweep *sweep, const struct sweep_field *field)
{
    return sweep->summary->n_shares && !field->text && field->width == 1;
}

/* Makes the columns of what is found, in the memory of the record. */
static void
make_columns(struct sweep *sweep)
{
    struct sweep_summary *summary = sweep->summary;
    struct arena *arena = record_arena(sweep->analysis);
    size_t rows = (size_t)summary->rows;
    summary->field =
        NEW_N(arena, struct summary_field, sweep->rows.n_fields + 1);
    for (size_t k = 0; k < sweep->rows.n_fields; k++) {
        const struct sweep_field *field = &sweep->rows.field[k];
        struct summary_field *found = &summary->field[k];
        for (int which = 0; which < SUMMARY_OF && !field->text; which++)
            found->number[which] = NEW_N(arena, double, rows * field->width);
        if (field->text) {
            found->text = NEW_N(arena, uint32_t, rows);
            found->text_share = NEW_N(arena, double, rows);
        }
        if (has_quantiles(sweep, field))
            found->quantile = NEW_N(arena, double, rows * summary->n_shares);
    }
    for (size_t k = 0; k < summary->n_bins; k++)
        summary->bins[k].count = NEW_N(arena, double, rows * summary->bins[k].n);
    summary->some = NEW_N(arena, unsigned char, rows);
    summary->runs = NEW_N(arena, double, rows);
    summary->error = NEW_N(arena, uint32_t, rows);
    summary->worst = NEW_N(arena, uint64_t, rows);
}

int
sweep_summary_plan(struct sweep *sweep)
{
    assert(sweep->summary && sweep->grid.per_row);
    struct sweep_summary *summary = sweep->summary;
    struct arena *arena = sweep->analysis->rt->arena;
    uint64_t per_row = sweep->grid.per_row,
             most = sweep->grid.total / BLOCKS_MOST + 1;
    summary->rows = sweep->grid.total / per_row;
    summary->per_block = per_row < most ? per_row : most;
    summary->block = (per_row + summary->per_block - 1) / summary->per_block;
    summary->done = NEW_N(arena, unsigned char, summary->rows * summary->block);
    summary->open = NEW_N(arena, struct summary_row *, summary->rows);
    summary->failed_run = UINT64_MAX;
    pthread_mutex_init(&summary->lock, NULL);
    summary->locks = true;
    make_columns(sweep);
    return IMP_OK;
}

static uint64_t
block_of(const struct sweep *sweep, uint64_t run)
{
    const struct sweep_summary *summary = sweep->summary;
    assert(run < sweep->grid.total);
    return run / sweep->grid.per_row * summary->block +
           run % sweep->grid.per_row / summary->per_block;
}

bool
sweep_summary_done(const struct sweep *sweep, uint64_t run)
{
    return sweep->summary->done[block_of(sweep, run)];
}

uint64_t
sweep_summary_block(const struct sweep *sweep, uint64_t run)
{
    assert(run < sweep->grid.total);
    uint64_t within = run % sweep->grid.per_row,
             left = sweep->grid.per_row - within;
    if (within % sweep->summary->per_block)
        return 0;
    return left < sweep->summary->per_block ? left : sweep->summary->per_block;
}

/* -- one block ------------------------------------------------------------- */

/* The row that a run belongs to; it is begun with its first block. */
static struct summary_row *
open_row(struct sweep *sweep, uint64_t which)
{
    struct sweep_summary *summary = sweep->summary;
    if (summary->open[which])
        return summary->open[which];
    struct arena *arena = arena_new();
    struct summary_row *row = NEW(arena, struct summary_row);
    size_t entries = sweep->rows.n_numbers;
    *row = (struct summary_row){
        .arena = arena,
        .missing = summary->block,
        .error_run = UINT64_MAX,
        .moments = NEW_N(arena, struct moments, summary->block * entries + 1),
        .extremes = NEW_N(arena, struct extremes, entries + 1),
        .tallies = NEW_N(arena, struct tallies, sweep->rows.n_fields + 1),
        .sketch = NEW_N(arena, struct sketch, sweep->rows.n_fields + 1)};
    for (size_t k = 0; k < sweep->rows.n_fields; k++)
        if (has_quantiles(sweep, &sweep->rows.field[k]))
            sketch_init(&row->sketch[k], sweep->grid.per_row, arena);
    for (size_t k = 0; k < entries; k++)
        row->extremes[k] = (struct extremes){INFINITY, -INFINITY, UINT64_MAX};
    return summary->open[which] = row;
}

/* Adds one number of a run to the moments of its block (Welford's recurrence)
 * and to the extremes of its row. */
static void
add_number(struct moments *moments, struct extremes *extremes, double number,
           uint64_t run)
{
    if (!isfinite(number))
        return;
    double off = number - moments->mean;
    moments->n++;
    moments->mean += off / moments->n;
    moments->squares += off * (number - moments->mean);
    extremes->least = fmin(extremes->least, number);
    if (number > extremes->greatest ||
        (number == extremes->greatest && run < extremes->run)) {
        extremes->greatest = number;
        extremes->run = run;
    }
}

/* Counts a number of a run of row `which` in its bin; the last bin has both its
 * edges. */
static void
add_to_bin(const struct summary_bins *bins, uint64_t which, double number)
{
    size_t at = list_at_most(bins->edge, bins->n + 1, number);
    if (at == bins->n + 1 && number == bins->edge[bins->n])
        at = bins->n;
    if (at > 0 && at <= bins->n)
        bins->count[which * bins->n + at - 1]++;
}

static void
add_text(struct arena *arena, struct tallies *tallies, uint32_t text,
         uint64_t run)
{
    size_t k = 0;
    if (!text)
        return;
    while (k < tallies->n && tallies->v[k].text != text)
        k++;
    if (k == tallies->n)
        VEC_PUSH_IN(arena, tallies, (struct tally){text, 0, run});
    tallies->v[k].n++;
    if (run < tallies->v[k].first)
        tallies->v[k].first = run;
}

static void
add_failure(struct sweep *sweep, struct summary_row *row, uint32_t *error,
            uint64_t run, uint32_t text)
{
    struct sweep_summary *summary = sweep->summary;
    if (run < row->error_run) {
        row->error_run = run;
        *error = text;
    }
    if (run < summary->failed_run) {
        summary->failed_run = run;
        summary->failed_text = text;
    }
}

static void
add_block(struct sweep *sweep, const struct sweep_rows *rows, size_t at,
          uint64_t run, uint64_t runs)
{
    struct sweep_summary *summary = sweep->summary;
    uint64_t which = run / sweep->grid.per_row, block = block_of(sweep, run);
    if (summary->done[block])
        return;
    struct summary_row *row = open_row(sweep, which);
    struct moments *moments =
        row->moments + block % summary->block * sweep->rows.n_numbers;
    struct extremes *extremes = row->extremes;
    for (size_t k = 0; k < rows->n_fields; k++) {
        const struct sweep_field *field = &rows->field[k];
        if (field->text) {
            for (uint64_t i = 0; i < runs; i++)
                add_text(row->arena, &row->tallies[k], field->text[at + i],
                         run + i);
            continue;
        }
        const double *number = field->numbers + at * field->width;
        for (uint64_t i = 0; i < runs; i++, number += field->width) {
            for (size_t j = 0; j < field->width; j++)
                add_number(&moments[j], &extremes[j], number[j], run + i);
            if (row->sketch[k].room && isfinite(*number))
                sketch_add(&row->sketch[k], *number);
        }
        moments += field->width;
        extremes += field->width;
    }
    for (size_t k = 0; k < summary->n_bins; k++)
        for (uint64_t i = 0; i < runs; i++) {
            const struct summary_bins *bins = &summary->bins[k];
            double number = rows->field[bins->field].numbers[at + i];
            if (isfinite(number))
                add_to_bin(bins, which, number);
        }
    for (uint64_t i = 0; i < runs; i++)
        if (rows->error[at + i])
            add_failure(sweep, row, &summary->error[which], run + i,
                        rows->error[at + i]);
        else
            summary->runs[which]++;
    summary->some[which] = 1;
    summary->done[block] = 1;
    row->missing--;
}

/* -- a row of which all is there ------------------------------------------- */

/* Puts the blocks of one entry together, in their order (Chan, Golub, LeVeque
 * 1979). */
static struct moments
all_blocks(const struct moments *block, uint64_t blocks, size_t entries)
{
    struct moments all = {0, 0, 0};
    for (uint64_t i = 0; i < blocks; i++, block += entries) {
        if (!(block->n > 0))
            continue;
        double n = all.n + block->n, off = block->mean - all.mean;
        all.mean += off * (block->n / n);
        all.squares += block->squares + off * off * (all.n * block->n / n);
        all.n = n;
    }
    return all;
}

static void
close_number(struct sweep *sweep, struct summary_row *row, uint64_t which,
             size_t k, size_t first_entry)
{
    const struct sweep_field *field = &sweep->rows.field[k];
    struct summary_field *found = &sweep->summary->field[k];
    size_t entries = sweep->rows.n_numbers;
    for (size_t j = 0; j < field->width; j++) {
        size_t at = (size_t)which * field->width + j, entry = first_entry + j;
        struct moments all =
            all_blocks(row->moments + entry, sweep->summary->block, entries);
        found->number[SUMMARY_MEAN][at] = all.n > 0 ? all.mean : NAN;
        found->number[SUMMARY_MIN][at] =
            all.n > 0 ? row->extremes[entry].least : NAN;
        found->number[SUMMARY_MAX][at] =
            all.n > 0 ? row->extremes[entry].greatest : NAN;
        found->number[SUMMARY_DEVIATION][at] =
            all.n > 1 ? sqrt(all.squares / (all.n - 1)) : NAN;
    }
    for (size_t j = 0; found->quantile && j < sweep->summary->n_shares; j++)
        found->quantile[which * sweep->summary->n_shares + j] =
            sketch_quantile(&row->sketch[k], sweep->summary->share[j]);
    if (k == sweep->summary->worst_field)
        sweep->summary->worst[which] = row->extremes[first_entry].run;
}

/* The text that came most often, of several the first, and its share. */
static void
close_text(struct sweep *sweep, const struct tallies *tallies, uint64_t which,
           size_t k)
{
    struct summary_field *found = &sweep->summary->field[k];
    struct tally best = {0};
    uint64_t all = 0;
    for (size_t i = 0; i < tallies->n; i++) {
        const struct tally *one = &tallies->v[i];
        all += one->n;
        if (one->n > best.n || (one->n == best.n && one->first < best.first))
            best = *one;
    }
    found->text[which] = best.text;
    found->text_share[which] = all ? (double)best.n / (double)all : NAN;
}

static void
close_row(struct sweep *sweep, uint64_t which)
{
    struct summary_row *row = sweep->summary->open[which];
    size_t entry = 0;
    for (size_t k = 0; k < sweep->rows.n_fields; k++)
        if (sweep->rows.field[k].text) {
            close_text(sweep, &row->tallies[k], which, k);
        } else {
            close_number(sweep, row, which, k, entry);
            entry += sweep->rows.field[k].width;
        }
    sweep->summary->open[which] = NULL;
    arena_free(row->arena);
}

static void
add_blocks(struct sweep *sweep, const struct sweep_rows *rows, size_t row,
           uint64_t run, uint64_t runs)
{
    struct summary_row **open = sweep->summary->open;
    for (uint64_t end = run + runs, n; run < end; run += n, row += n) {
        n = sweep_summary_block(sweep, run);
        assert(n && n <= end - run);
        uint64_t which = run / sweep->grid.per_row;
        add_block(sweep, rows, row, run, n);
        if (open[which] && !open[which]->missing)
            close_row(sweep, which);
    }
}

void
sweep_summary_add(struct sweep *sweep, const struct sweep_rows *rows,
                  size_t row, uint64_t run, uint64_t runs)
{
    struct sweep_summary *summary = sweep->summary;
    struct oom_guard guard;
    pthread_mutex_lock(&summary->lock);
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        pthread_mutex_unlock(&summary->lock);
        oom_raise();
    }
    oom_enter(&guard);
    add_blocks(sweep, rows, row, run, runs);
    oom_leave(&guard);
    pthread_mutex_unlock(&summary->lock);
}

uint64_t
sweep_summary_close(struct sweep *sweep, size_t *failed)
{
    const struct sweep_summary *summary = sweep->summary;
    uint64_t per_row = sweep->grid.per_row, runs = 0;
    double good = 0;
    for (uint64_t which = 0; which < summary->rows; which++) {
        if (summary->open[which])
            close_row(sweep, which);
        good += summary->runs[which];
        for (uint64_t block = 0; block < summary->block; block++)
            if (summary->done[which * summary->block + block])
                runs += sweep_summary_block(
                    sweep, which * per_row + block * summary->per_block);
    }
    *failed = (size_t)(runs - (uint64_t)good);
    return runs;
}

void
sweep_summary_free(struct sweep *sweep)
{
    struct sweep_summary *summary = sweep->summary;
    if (!summary || !summary->locks)
        return;
    for (uint64_t which = 0; which < summary->rows; which++)
        if (summary->open[which])
            arena_free(summary->open[which]->arena);
    pthread_mutex_destroy(&summary->lock);
    summary->locks = false;
}
