/* SPDX-License-Identifier: MIT */
/* The motion of a run, kept as it was calculated: Taylor pieces per mover, a
 * body or a system in generalised coordinates. A run without a trace has NULL
 * in its place and pays for nothing.
 *
 * A piece holds one polynomial per row in the time since its beginning. Rows
 * of one vector, such as the three of a position, form a group; the size of a
 * vector, not that of an entry, measures what is small. */
#ifndef IMP_RUNTIME_TRACE_TRACE_H
#define IMP_RUNTIME_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct trace;

/* rows of one mover at most, and the highest order of a piece */
#define TRACE_ORDER_MOST 24

struct trace_mover {
    uint32_t n_rows;
    const unsigned char *group; /* per row: the number of its vector; kept */
};

/* limit: bytes that the log may take. Owned by the caller, on the heap. */
struct trace *trace_new(const struct trace_mover *movers, uint32_t n_movers,
                        size_t limit);
void trace_free(struct trace *trace); /* NULL is allowed */
/* Nothing more is kept, because the log has reached its limit; the motion of
 * all movers is known up to the time that trace_full_time tells. */
bool trace_full(const struct trace *trace);
double trace_full_time(const struct trace *trace);
/* Keeps no more from this time on, as if the limit had been reached. */
void trace_end(struct trace *trace, double time);
/* Will so many pieces of the greatest size still be kept? */
bool trace_has_room(const struct trace *trace, size_t pieces);
/* Its owner keeps so many bytes more elsewhere: they count, too. */
void trace_count(struct trace *trace, size_t bytes);
/* Bytes of all that is kept so far. */
size_t trace_size(const struct trace *trace);
/* Room for the coefficients of one piece of the widest mover, n_rows rows of
 * `order` + 1 numbers, one after the other. */
double *trace_room(struct trace *trace);
/* The mover goes from time t0 to t1 along the polynomials in trace_room, which
 * are in the time since `base`, at most t0. A piece that goes backward is not
 * kept: one that goes forward follows. */
void trace_piece(struct trace *trace, uint32_t mover, double base, double t0,
                 double t1, int order);
/* Who wants to know of every step of bodies: `step` is called when the series
 * of the motion have just been made, at several times of the step, the first
 * `ahead` = 0 s and the last its length; the state is that of the time.
 * `order`: of the series. */
typedef void trace_step_fn(void *ctx, int order, double ahead);
void trace_listen(struct trace *trace, trace_step_fn *step, void *ctx);
void trace_step(struct trace *trace, int order, double ahead);
/* The length of the log now; cutting it to that length undoes what came since.
 */
size_t trace_mark(const struct trace *trace);
void trace_cut(struct trace *trace, size_t mark);

/* One piece of the motion from `begin` to `end`. */
struct trace_span {
    double begin, end; /* s */
    double base;       /* s: the polynomials are in the time since then */
    int order;
    const double *c; /* n_rows rows of order + 1 numbers; in the log */
};
/* The pieces of a mover up to the time `end`, in the order of time. Memory: the
 * arena, and the log for the coefficients. Returns how many. */
size_t trace_spans(const struct trace *trace, struct arena *arena,
                   uint32_t mover, double end, struct trace_span **spans);
/* The values of all rows at time t, by the piece that contains it; of two, by
 * the later one. False: no piece contains t. */
bool trace_value(const struct trace_span *spans, size_t n, uint32_t n_rows,
                 double t, double *value);

#endif
