/* SPDX-License-Identifier: MIT */
/* The log of a trace made into the motion: one list of pieces per mover, in the
 * order of time, without gap and overlap. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/trace/trace_priv.h"

struct spans {
    struct trace_span *v;
    size_t n, cap;
};

/* A piece that begins at t0 takes the place of all that was later. */
static void
drop_from(struct spans *spans, double t0)
{
    while (spans->n && spans->v[spans->n - 1].begin >= t0)
        spans->n--;
    if (spans->n && spans->v[spans->n - 1].end > t0)
        spans->v[spans->n - 1].end = t0;
}

/* Is the span the piece that the entry lengthens? Its beginning stays. */
static bool
lengthens(const struct spans *spans, const struct trace_entry *piece,
          const double *c, const struct trace_entry *entry)
{
    const struct trace_span *last = spans->n ? &spans->v[spans->n - 1] : NULL;
    return last && entry != piece && last->c == c && last->end >= entry->t0;
}

size_t
trace_spans(const struct trace *trace, struct arena *arena, uint32_t mover,
            double end, struct trace_span **spans)
{
    assert(trace != NULL && arena != NULL && spans != NULL);
    assert(mover < trace->n_movers && !isnan(end));
    struct spans all = {0};
    size_t n = 0;
    for (size_t i = trace->last[mover]; i != TRACE_NONE;
         i = trace->log.v[i].before)
        n++;
    size_t *order = NEW_N(arena, size_t, n + 1);
    for (size_t i = trace->last[mover], k = n; k > 0;
         i = trace->log.v[i].before)
        order[--k] = i;
    for (size_t k = 0; k < n; k++) {
        const struct trace_entry *entry = &trace->log.v[order[k]];
        const struct trace_entry *piece = &trace->log.v[entry->piece];
        const double *coefficients = trace->numbers.v + piece->at;
        if (lengthens(&all, piece, coefficients, entry)) {
            all.v[all.n - 1].end = entry->t1;
            continue;
        }
        drop_from(&all, entry->t0);
        VEC_PUSH_IN(arena, &all,
                    (struct trace_span){.begin = entry->t0,
                                        .end = entry->t1,
                                        .base = piece->base,
                                        .order = piece->order,
                                        .c = coefficients});
    }
    drop_from(&all, end);
    *spans = all.v;
    return all.n;
}

bool
trace_value(const struct trace_span *spans, size_t n, uint32_t n_rows, double t,
            double *value)
{
    assert((spans != NULL || n == 0) && value != NULL);
    size_t from = 0, to = n;
    while (from < to) { /* the first piece that begins after t */
        size_t middle = from + (to - from) / 2;
        if (spans[middle].begin <= t)
            from = middle + 1;
        else
            to = middle;
    }
    if (!from || t > spans[from - 1].end)
        return false;
    const struct trace_span *span = &spans[from - 1];
    for (uint32_t row = 0; row < n_rows; row++) {
        const double *c = span->c + row * (size_t)(span->order + 1);
        double x = 0.0;
        for (int k = span->order; k >= 0; k--)
            x = x * (t - span->base) + c[k];
        value[row] = x;
    }
    return true;
}
