/* SPDX-License-Identifier: MIT */
/* The motion in a run file: per mover the pieces from which it is read at any
 * time. Of the coefficients only those are kept that are more than rounding
 * over the length of their piece.
 *
 * A body whose pose is a formula of time has no Taylor pieces. It gets
 * Chebyshev series, on pieces that are halved until the last terms of the
 * series are rounding. Where a formula has a corner or a jump, the halving ends
 * at PIECE_LEAST of the run. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/trace/run_log_priv.h"
#include "runtime/instance/system.h"

/* A coefficient below this share of the size of its row, an eighth of a
 * rounding error, changes no pose by a rounding error, nor do 24 of them by
 * more than three. */
#define PIECE_KEPT (DBL_EPSILON / 16.0)
#define CHEBYSHEV_ORDER 20
/* The last three coefficients of a smooth function are below this share of its
 * size; rounding alone leaves about one unit in the last place. */
#define CHEBYSHEV_SMALL (8.0 * DBL_EPSILON)
#define PIECE_LEAST 1e-7
#define PIECES_MOST 20000

struct numbers {
    double *v;
    size_t n, cap;
};
struct bytes_list {
    uint8_t *v;
    size_t n, cap;
};
struct mover_pieces {
    struct numbers begin, end, base, c;
    struct bytes_list order; /* per piece and row */
};

/* The order of a row without what is rounding up to `length`. */
static int
needed(const double *row, int order, double length)
{
    double size = 0.0, power[TRACE_ORDER_MOST + 1];
    power[0] = 1.0;
    for (int k = 0; k <= order; k++) {
        if (k)
            power[k] = power[k - 1] * length;
        size = fmax(size, fabs(row[k]) * power[k]);
    }
    while (order > 0 && !(fabs(row[order]) * power[order] > PIECE_KEPT * size))
        order--;
    return order;
}

static void
add(struct arena *arena, struct mover_pieces *to, const struct trace_span *span,
    uint32_t n_rows)
{
    VEC_PUSH_IN(arena, &to->begin, span->begin);
    VEC_PUSH_IN(arena, &to->end, span->end);
    VEC_PUSH_IN(arena, &to->base, span->base);
    for (uint32_t row = 0; row < n_rows; row++) {
        const double *c = span->c + row * (size_t)(span->order + 1);
        int top = needed(c, span->order, span->end - span->base);
        VEC_PUSH_IN(arena, &to->order, (uint8_t)top);
        for (int k = 0; k <= top; k++)
            VEC_PUSH_IN(arena, &to->c, c[k]);
    }
}

/* -- formulas of time -------------------------------------------------------
 */

/* The pose that the formula gives at time t; false: it has no finite value. */
static bool
pose_at(struct rt *run, uint32_t body, double t, uint32_t n_rows, double *pose)
{
    double out[IMP_STATE_SPACE], *time = &run->env[run->im->layout.time];
    double now = *time;
    *time = t;
    int st = rt_eval(run, rt_body(run, body)->refresh, NULL, out);
    *time = now;
    memcpy(pose, out, n_rows * sizeof *pose);
    return st == IMP_OK;
}

/* How far each row of the formula goes in the whole run: what is small is
 * measured by that, because the rounding of a small value next to a zero is
 * that of the terms of its formula. */
#define SIZE_LOOKS 256
static bool
sizes(struct rt *run, uint32_t body, double end, uint32_t n_rows, double *size)
{
    double pose[7];
    for (uint32_t row = 0; row < n_rows; row++)
        size[row] = DBL_MIN;
    for (int i = 0; i <= SIZE_LOOKS; i++) {
        if (!pose_at(run, body, end * i / SIZE_LOOKS, n_rows, pose))
            return false;
        for (uint32_t row = 0; row < n_rows; row++)
            size[row] = fmax(size[row], fabs(pose[row]));
    }
    return true;
}

/* The coefficients of the Chebyshev series from begin to end, n_rows rows of
 * CHEBYSHEV_ORDER + 1. *fine: they end in rounding. */
static bool
chebyshev(struct rt *run, uint32_t body, double begin, double end,
          uint32_t n_rows, const double *size, double *c, bool *fine)
{
    enum { N = CHEBYSHEV_ORDER + 1 };
    const double pi = acos(-1.0);
    double value[N][7];
    *fine = true;
    for (int j = 0; j < N; j++) {
        double x = cos(pi * (j + 0.5) / N);
        if (!pose_at(run, body, 0.5 * (begin + end) + 0.5 * (end - begin) * x,
                     n_rows, value[j]))
            return false;
    }
    for (uint32_t row = 0; row < n_rows; row++) {
        for (int k = 0; k < N; k++) {
            double sum = 0.0;
            for (int j = 0; j < N; j++)
                sum += value[j][row] * cos(pi * k * (j + 0.5) / N);
            c[row * N + (uint32_t)k] = sum * (k ? 2.0 : 1.0) / N;
        }
        for (int k = N - 3; k < N; k++)
            *fine &=
                fabs(c[row * N + (uint32_t)k]) <= CHEBYSHEV_SMALL * size[row];
    }
    return true;
}

static void
formula(struct run_log *log, struct mover_pieces *to, uint32_t body,
        uint32_t n_rows, double begin, double end)
{
    double c[7 * (CHEBYSHEV_ORDER + 1)], size[7], from = begin, least;
    if (!sizes(log->run, body, end, n_rows, size))
        return;
    least = fmax(PIECE_LEAST * (end - begin), 4.0 * DBL_EPSILON * end);
    for (double length = end - begin; from < end && to->begin.n < PIECES_MOST;
         length *= 2.0) {
        bool fine = false;
        double t1;
        for (;; length *= 0.5) {
            t1 = end - from <= length * 1.000001 ? end : from + length;
            if (!chebyshev(log->run, body, from, t1, n_rows, size, c, &fine))
                return;
            if (fine || length <= least)
                break;
        }
        struct trace_span span = {from, t1, from, CHEBYSHEV_ORDER, c};
        VEC_PUSH_IN(log->run->arena, &to->begin, span.begin);
        VEC_PUSH_IN(log->run->arena, &to->end, span.end);
        VEC_PUSH_IN(log->run->arena, &to->base, span.base);
        for (uint32_t row = 0; row < n_rows; row++) {
            const double *of = c + row * (size_t)(CHEBYSHEV_ORDER + 1);
            int top = needed(of, CHEBYSHEV_ORDER, 1.0);
            VEC_PUSH_IN(log->run->arena, &to->order, (uint8_t)top);
            for (int k = 0; k <= top; k++)
                VEC_PUSH_IN(log->run->arena, &to->c, of[k]);
        }
        from = t1;
    }
}

/* -- all movers -------------------------------------------------------------
 */

static void
write(struct run_bytes *bytes, const struct mover_pieces *pieces,
      const char *basis)
{
    run_comma(bytes);
    buf_putc(&bytes->json, '{');
    run_key(bytes, "basis");
    run_text(bytes, basis);
    run_key(bytes, "begin");
    run_f64(bytes, pieces->begin.v, pieces->begin.n);
    run_key(bytes, "end");
    run_f64(bytes, pieces->end.v, pieces->end.n);
    run_key(bytes, "base");
    run_f64(bytes, pieces->base.v, pieces->base.n);
    run_key(bytes, "order");
    run_u8(bytes, pieces->order.v, pieces->order.n);
    run_key(bytes, "c");
    run_f64(bytes, pieces->c.v, pieces->c.n);
    buf_putc(&bytes->json, '}');
}

void
run_pieces(struct run_log *log, struct run_bytes *bytes, double end)
{
    assert(log != NULL && log->run->trace != NULL);
    struct rt *run = log->run;
    uint32_t n_bodies = run->im->bodies.n;
    run_key(bytes, "motion");
    buf_putc(&bytes->json, '[');
    for (uint32_t i = 0; i < n_bodies + run->im->systems.n; i++) {
        uint32_t n_rows = i >= n_bodies       ? rt_system(run, i - n_bodies)->n
                          : run->im->dim == 2 ? 3
                                              : 7;
        struct mover_pieces pieces = {0};
        bool by_formula =
            i < n_bodies && rt_body(run, i)->refresh != IMP_NO_TAPE;
        if (by_formula) {
            formula(log, &pieces, i, n_rows, 0.0, end);
        } else {
            struct trace_span *spans;
            size_t n = trace_spans(run->trace, run->arena, i, end, &spans);
            for (size_t k = 0; k < n; k++)
                add(run->arena, &pieces, &spans[k], n_rows);
        }
        write(bytes, &pieces, by_formula ? "chebyshev" : "power");
    }
    buf_putc(&bytes->json, ']');
}
