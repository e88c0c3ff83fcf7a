/* SPDX-License-Identifier: MIT */
/* The log of a trace while the run goes (trace.h). */
#include "runtime/trace/trace.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/trace/trace_priv.h"

/* Two polynomials are the same motion if over the whole piece they differ by
 * less than this share of the size of their vector: the rounding errors of a
 * step (half a unit in the last place), of the series (4e-16, the truncation
 * of a step) and of the shift of 20 terms. */
#define TRACE_SAME (16.0 * DBL_EPSILON)
/* A polynomial may be followed as long as its last two terms stay below this
 * share: the truncation of the steps of the motion. */
#define TRACE_TRUNCATION 4e-16

struct trace *
trace_new(const struct trace_mover *movers, uint32_t n_movers, size_t limit)
{
    assert(movers != NULL || n_movers == 0);
    struct trace *trace = mem_alloc(sizeof *trace);
    uint32_t widest = 1;
    trace->n_movers = n_movers;
    trace->movers = mem_alloc((n_movers + 1) * sizeof *movers);
    trace->last = mem_alloc((n_movers + 1) * sizeof *trace->last);
    for (uint32_t i = 0; i < n_movers; i++) {
        trace->movers[i] = movers[i];
        trace->last[i] = TRACE_NONE;
        widest = movers[i].n_rows > widest ? movers[i].n_rows : widest;
    }
    trace->room =
        mem_alloc((size_t)widest * (TRACE_ORDER_MOST + 1) * sizeof(double));
    trace->limit = limit;
    trace->widest = widest;
    return trace;
}

void
trace_free(struct trace *trace)
{
    if (!trace)
        return;
    free(trace->movers);
    free(trace->last);
    free(trace->log.v);
    free(trace->numbers.v);
    free(trace->room);
    free(trace);
}

bool
trace_full(const struct trace *trace)
{
    assert(trace != NULL);
    return trace->full;
}

double
trace_full_time(const struct trace *trace)
{
    assert(trace != NULL && trace->full);
    double time = trace->full_time;
    for (uint32_t i = 0; i < trace->n_movers; i++)
        if (trace->last[i] != TRACE_NONE)
            time = fmin(time, trace->log.v[trace->last[i]].t1);
    return time;
}

void
trace_end(struct trace *trace, double time)
{
    assert(trace != NULL && !isnan(time));
    if (!trace->full)
        trace->full_time = time;
    trace->full = true;
}

size_t
trace_size(const struct trace *trace)
{
    assert(trace != NULL);
    return trace->numbers.n * sizeof(double) +
           trace->log.n * sizeof *trace->log.v + trace->other;
}

bool
trace_has_room(const struct trace *trace, size_t pieces)
{
    assert(trace != NULL);
    size_t each = sizeof *trace->log.v + (size_t)trace->widest *
                                             (TRACE_ORDER_MOST + 1) *
                                             sizeof(double);
    return trace_size(trace) + pieces * each <= trace->limit;
}

void
trace_count(struct trace *trace, size_t bytes)
{
    assert(trace != NULL);
    trace->other += bytes;
}

double *
trace_room(struct trace *trace)
{
    assert(trace != NULL);
    return trace->room;
}

void
trace_listen(struct trace *trace, trace_step_fn *step, void *ctx)
{
    assert(trace != NULL);
    trace->step = step;
    trace->ctx = ctx;
}

void
trace_step(struct trace *trace, int order, double ahead)
{
    assert(trace != NULL && order >= 0 && ahead >= 0.0);
    if (trace->step)
        trace->step(trace->ctx, order, ahead);
}

size_t
trace_mark(const struct trace *trace)
{
    assert(trace != NULL);
    return trace->log.n;
}

void
trace_cut(struct trace *trace, size_t mark)
{
    assert(trace != NULL);
    if (mark >= trace->log.n)
        return;
    for (uint32_t i = 0; i < trace->n_movers; i++)
        while (trace->last[i] != TRACE_NONE && trace->last[i] >= mark)
            trace->last[i] = trace->log.v[trace->last[i]].before;
    for (size_t i = mark; i < trace->log.n; i++)
        if (trace->log.v[i].piece == i) {
            trace->numbers.n = trace->log.v[i].at;
            break;
        }
    trace->log.n = mark;
}

/* The size of the vector `group` along a piece: the greatest term of its
 * rows. */
static double
size_of(const struct trace_mover *mover, unsigned char group, const double *c,
        int order, double dt)
{
    double size = 0.0;
    for (uint32_t row = 0; row < mover->n_rows; row++) {
        double power = 1.0;
        if (mover->group[row] != group)
            continue;
        for (int k = 0; k <= order; k++, power *= dt)
            size = fmax(size,
                        fabs(c[row * (size_t)(order + 1) + (size_t)k]) * power);
    }
    return size;
}

/* Moves the origin of a polynomial by s: synthetic division, again and again.
 */
static void
shift(double *c, int order, double s)
{
    for (int from = 0; from < order; from++)
        for (int k = order - 1; k >= from; k--)
            c[k] += c[k + 1] * s;
}

/* Does the old piece, followed to its time offset + dt, say what the new one
 * says in its times up to dt? The origins of both are `offset` apart. */
static bool
continues(const struct trace *trace, const struct trace_entry *old,
          double offset, double dt, int order)
{
    const struct trace_mover *mover = &trace->movers[old->mover];
    const double *a = trace->numbers.v + old->at, *b = trace->room;
    size_t stride = (size_t)old->order + 1;
    for (uint32_t row = 0; row < mover->n_rows; row++) {
        double moved[TRACE_ORDER_MOST + 2] = {0}, off = 0.0, power = 1.0;
        double size = size_of(mover, mover->group[row], b, order, dt);
        memcpy(moved, a + row * stride, stride * sizeof *moved);
        for (int k = old->order > 1 ? old->order - 1 : old->order + 1;
             k <= old->order && old->order >= 6; k++)
            if (fabs(moved[k]) * pow(offset + dt, k) > TRACE_TRUNCATION * size)
                return false;
        shift(moved, old->order, offset);
        int most = order > old->order ? order : old->order;
        for (int k = 0; k <= most; k++, power *= dt)
            off += fabs((k <= old->order ? moved[k] : 0.0) -
                        (k <= order ? b[row * (size_t)(order + 1) + (size_t)k]
                                    : 0.0)) *
                   power;
        if (!(off <= TRACE_SAME * size))
            return false;
    }
    return true;
}

/* The order without the zeros at the end of all rows. */
static int
true_order(const struct trace *trace, uint32_t n_rows, int order)
{
    int top = 0;
    for (uint32_t row = 0; row < n_rows; row++)
        for (int k = order; k > top; k--)
            if (trace->room[row * (size_t)(order + 1) + (size_t)k] != 0.0)
                top = k;
    return top;
}

static void
add(struct trace *trace, struct trace_entry entry)
{
    trace->last[entry.mover] = trace->log.n;
    VEC_PUSH(&trace->log, entry);
}

void
trace_piece(struct trace *trace, uint32_t mover, double base, double t0,
            double t1, int order)
{
    assert(trace != NULL && mover < trace->n_movers);
    assert(order >= 0 && order <= TRACE_ORDER_MOST && base <= t0);
    uint32_t n_rows = trace->movers[mover].n_rows;
    if (!(t1 > t0) || trace->full)
        return;
    struct trace_entry entry = {.t0 = t0,
                                .t1 = t1,
                                .base = base,
                                .piece = trace->log.n,
                                .before = trace->last[mover],
                                .at = trace->numbers.n,
                                .mover = mover};
    if (entry.before != TRACE_NONE) {
        const struct trace_entry *last = &trace->log.v[entry.before];
        const struct trace_entry *old = &trace->log.v[last->piece];
        if (t0 >= old->t0 && t0 <= last->t1 &&
            continues(trace, old, base - old->base, t1 - base, order)) {
            entry.piece = last->piece;
            add(trace, entry);
            return;
        }
    }
    int top = entry.order = true_order(trace, n_rows, order);
    size_t want = n_rows * (size_t)(top + 1);
    if (trace_size(trace) + want * sizeof(double) + sizeof entry > trace->limit) {
        trace_end(trace, t0);
        return;
    }
    for (uint32_t row = 0; row < n_rows; row++)
        for (int k = 0; k <= top; k++)
            VEC_PUSH(&trace->numbers,
                     trace->room[row * (size_t)(order + 1) + (size_t)k]);
    add(trace, entry);
}
