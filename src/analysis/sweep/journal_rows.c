/* SPDX-License-Identifier: MIT */
/* The bytes of runs in the journal. A frame holds the texts of its runs, each
 * with its length before it, then stretches of runs that follow one another:
 * the number of the first, how many, whether some of them failed, then column
 * by column numbers as they are, texts by their place among those of the frame
 * (0: none) in as many bytes as that needs, and the reasons of failures
 * likewise. A frame that is not as it should be is left out from there on. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "abi/lists.h"
#include "analysis/sweep/summary.h"
#include "base/arena.h"
#include "table/table.h"

struct head {
    uint32_t n, size; /* texts; bytes of a number of one */
};
struct stretch {
    uint64_t first, n, failed;
};

void
sweep_waiting_begin(struct sweep_waiting *waiting, uint64_t run, size_t row)
{
    assert(waiting);
    VEC_PUSH(waiting, (struct sweep_stretch){run, 1, row});
}

void
sweep_waiting_free(struct sweep_waiting *waiting)
{
    assert(waiting);
    free(waiting->v);
    free(waiting->local.v);
    free(waiting->used.v);
    *waiting = (struct sweep_waiting){0};
}

/* Gives numbers in the frame to the texts of n runs. */
static void
use(struct sweep_waiting *waiting, const uint32_t *text, uint64_t n)
{
    uint32_t last = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (text[i] == last)
            continue;
        last = text[i];
        while (waiting->local.n <= last)
            VEC_PUSH(&waiting->local, 0);
        if (last && !waiting->local.v[last]) {
            VEC_PUSH(&waiting->used, last);
            waiting->local.v[last] = (uint32_t)waiting->used.n;
        }
    }
}

static void
pack_numbers(const struct sweep_waiting *waiting, const uint32_t *text,
             uint64_t n, uint32_t size, struct buf *buf)
{
    char *to = buf_room(buf, (size_t)n * size);
    for (uint64_t i = 0; i < n; i++, to += size) {
        uint32_t k = text[i] ? waiting->local.v[text[i]] : 0;
        unsigned char one = (unsigned char)k;
        memcpy(to, size == 1 ? (void *)&one : (void *)&k, size);
    }
}

static bool
any_failed(const struct sweep_rows *rows, const struct sweep_stretch *stretch)
{
    uint64_t i = 0;
    while (i < stretch->runs && !rows->error[stretch->row + i])
        i++;
    return i < stretch->runs;
}

void
sweep_pack(struct sweep *sweep, const struct sweep_rows *rows,
           struct sweep_waiting *waiting, struct buf *buf)
{
    assert(sweep != NULL && rows != NULL && waiting != NULL && buf != NULL);
    bool failed = atomic_load(&sweep->shared.failed) > 0;
    for (size_t k = 0; k < waiting->n; k++) {
        const struct sweep_stretch *stretch = &waiting->v[k];
        for (size_t j = 0; j < rows->n_fields; j++)
            if (rows->field[j].text)
                use(waiting, rows->field[j].text + stretch->row, stretch->runs);
        if (failed)
            use(waiting, rows->error + stretch->row, stretch->runs);
    }
    struct head head = {(uint32_t)waiting->used.n,
                        waiting->used.n < 256 ? 1 : 4};
    buf_put(buf, (const char *)&head, sizeof head);
    sweep_texts_put(&sweep->texts, waiting->used.v, waiting->used.n, buf);
    for (size_t k = 0; k < waiting->n; k++) {
        const struct sweep_stretch *stretch = &waiting->v[k];
        struct stretch st = {stretch->first, stretch->runs,
                             failed && any_failed(rows, stretch)};
        buf_put(buf, (const char *)&st, sizeof st);
        for (size_t j = 0; j < rows->n_fields; j++) {
            const struct sweep_field *field = &rows->field[j];
            if (field->text)
                pack_numbers(waiting, field->text + stretch->row, stretch->runs,
                             head.size, buf);
            else
                buf_put(buf,
                        (const char *)(field->numbers +
                                       stretch->row * field->width),
                        (size_t)stretch->runs * field->width *
                            sizeof *field->numbers);
        }
        if (st.failed)
            pack_numbers(waiting, rows->error + stretch->row, stretch->runs,
                         head.size, buf);
    }
    for (size_t k = 0; k < waiting->used.n; k++)
        waiting->local.v[waiting->used.v[k]] = 0;
    waiting->n = waiting->used.n = 0;
    waiting->runs = 0;
}

/* Takes n bytes off *p. NULL: so many are not there. */
static const char *
take(const char **at_byte, const char *end, uint64_t n)
{
    assert(*at_byte <= end);
    const char *at = *at_byte;
    if ((uint64_t)(end - at) < n)
        return NULL;
    *at_byte += n;
    return at;
}

/* Takes the texts of a frame, and returns their numbers. NULL: the frame is not
 * one that this sweep has written. */
static const uint32_t *
take_texts(struct sweep *sweep, const char **at_byte, const char *end,
           const struct head *head)
{
    struct arena *arena = sweep->analysis->rt->arena;
    if (head->n > (uint64_t)(end - *at_byte) ||
        (head->size != 1 && head->size != 4))
        return NULL;
    uint32_t *numbers = NEW_N(arena, uint32_t, (size_t)head->n + 1), n;
    for (uint32_t i = 1; i <= head->n; i++) {
        const char *at = take(at_byte, end, sizeof n);
        if (!at)
            return NULL;
        memcpy(&n, at, sizeof n);
        if (!(at = take(at_byte, end, n)))
            return NULL;
        numbers[i] =
            sweep_text_number(&sweep->texts, arena_strndup(arena, at, n));
    }
    return numbers;
}

static bool
take_numbers(const char **at_byte, const char *end, const struct head *head,
             const uint32_t *text, uint32_t *to, uint64_t n)
{
    const char *at = take(at_byte, end, n * head->size);
    for (uint64_t i = 0; i < n && at; i++, at += head->size) {
        uint32_t k = (unsigned char)*at;
        if (head->size > 1)
            memcpy(&k, at, sizeof k);
        if (k > head->n)
            return false;
        to[i] = text[k];
    }
    return at != NULL;
}

/* Does a stretch of a summary hold whole blocks? */
static bool
whole_blocks(const struct sweep *sweep, const struct stretch *stretch)
{
    uint64_t run = stretch->first, end = run + stretch->n, n = 1;
    for (; run < end && n; run += n)
        n = sweep_summary_block(sweep, run);
    return run == end;
}

/* Returns rows for the runs of a stretch of a summary. */
static struct sweep_rows *
unpacked(struct sweep *sweep, uint64_t runs)
{
    struct sweep_summary *summary = sweep->summary;
    if (summary->n_unpacked < runs) {
        summary->n_unpacked = runs;
        summary->unpacked = sweep_rows_like(&sweep->rows, (size_t)runs,
                                            sweep->analysis->rt->arena);
    }
    memset(summary->unpacked.error, 0, runs * sizeof *summary->unpacked.error);
    return &summary->unpacked;
}

/* Counts the runs of a stretch as done, and sums them up for a summary. */
static void
take_done(struct sweep *sweep, const struct stretch *stretch,
          struct sweep_rows *rows, size_t row)
{
    for (uint64_t i = 0; i < stretch->n; i++) {
        bool fresh = sweep->summary
                         ? !sweep_summary_done(sweep, stretch->first + i)
                         : rows->state[row + i] == SWEEP_NOT;
        sweep->resumed += fresh;
        if (fresh && rows->error[row + i])
            atomic_fetch_add(&sweep->shared.failed, 1);
        rows->state[row + i] = SWEEP_DONE;
    }
    if (sweep->summary)
        sweep_summary_add(sweep, rows, row, stretch->first, stretch->n);
}

static bool
take_stretch(struct sweep *sweep, const char **at_byte, const char *end,
             const struct head *head, const uint32_t *text)
{
    struct stretch stretch;
    const char *at = take(at_byte, end, sizeof stretch);
    if (!at)
        return false;
    memcpy(&stretch, at, sizeof stretch);
    if (stretch.first > sweep->grid.total ||
        stretch.n > sweep->grid.total - stretch.first)
        return false;
    if (sweep->summary && (stretch.n > (uint64_t)(end - *at_byte) ||
                           !whole_blocks(sweep, &stretch)))
        return false;
    struct sweep_rows *rows =
        sweep->summary ? unpacked(sweep, stretch.n) : &sweep->rows;
    size_t row = sweep->summary ? 0 : (size_t)stretch.first;
    for (size_t j = 0; j < rows->n_fields; j++) {
        const struct sweep_field *field = &rows->field[j];
        if (field->text) {
            if (!take_numbers(at_byte, end, head, text, field->text + row,
                              stretch.n))
                return false;
            continue;
        }
        if (!(at = take(at_byte, end,
                        stretch.n * field->width * sizeof *field->numbers)))
            return false;
        memcpy(field->numbers + row * field->width, at,
               (size_t)stretch.n * field->width * sizeof *field->numbers);
    }
    if (stretch.failed &&
        !take_numbers(at_byte, end, head, text, rows->error + row, stretch.n))
        return false;
    take_done(sweep, &stretch, rows, row);
    return true;
}

void
sweep_unpack(void *ctx, const char *frame, size_t n)
{
    assert(frame);
    struct sweep *sweep = ctx;
    const char *end = frame + n, *at;
    struct head head;
    if (!(at = take(&frame, end, sizeof head)))
        return;
    memcpy(&head, at, sizeof head);
    const uint32_t *text = take_texts(sweep, &frame, end, &head);
    while (text && frame < end && take_stretch(sweep, &frame, end, &head, text))
        continue;
}

/* Continues a hash with the data of the model, or those that take their place.
 */
static uint64_t
hash_data(const struct analysis *analysis, uint64_t hash)
{
    const imp_image *im = analysis->rt->im;
    const imp_table *table = IMP_ARRAY(im, im->tables, imp_table);
    for (uint32_t i = 0; i < im->tables.n; i++) {
        const imp_table_column *column =
            IMP_ARRAY(im, table[i].columns, imp_table_column);
        const struct data_columns *other =
            analysis->data ? &analysis->data[i] : NULL;
        for (uint32_t c = 0; c < table[i].columns.n; c++)
            hash = other && other->column
                       ? journal_hash(hash, other->column[c].numbers,
                                      other->rows * sizeof(double))
                       : journal_hash(hash,
                                      IMP_ARRAY(im, column[c].values, double),
                                      column[c].values.n * sizeof(double));
    }
    return hash;
}

/* Everything that a run depends on: the sources, data, params, axes, seed, the
 * sweep's place among the commands, the size of a row. */
uint64_t
sweep_key(const struct sweep *sweep)
{
    assert(sweep);
    const imp_image *im = sweep->analysis->rt->im;
    const imp_source *src = IMP_ARRAY(im, im->sources, imp_source);
    uint64_t hash = JOURNAL_HASH,
             size[] = {IMP_ABI_VERSION,     sweep->grid.total,
                       sweep->grid.repeat,  sweep->rows.n_numbers,
                       sweep->rows.n_texts, (uint64_t)sweep->command->range.lo,
                       im->params.n};
    hash = journal_hash(hash, size, sizeof size);
    for (uint32_t i = 0; i < im->sources.n; i++)
        hash = journal_hash(hash, imp_text(im, src[i].text), src[i].text.n);
    hash = journal_hash(hash, sweep->models.params,
                        im->params.n * sizeof *sweep->models.params);
    hash = journal_hash(hash, &sweep->grid.seed, sizeof sweep->grid.seed);
    hash = hash_data(sweep->analysis, hash);
    for (size_t k = 0; k < sweep->grid.n_axes; k++) {
        uint32_t id[] = {sweep->grid.axis[k].param, sweep->grid.axis[k].random};
        hash = journal_hash(hash, id, sizeof id);
        hash = journal_hash(hash, sweep->grid.axis[k].values,
                            sweep->grid.axis[k].n * sizeof(double));
    }
    return hash;
}
