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
#include "base/num.h"
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

/* -- formulas ---------------------------------------------------------------
 */

/* Numbers that a tape gives at any time of the run: the pose of a body that a
 * formula of time moves, or the drawings of a system, whose coordinates are
 * those of its pieces. */
struct formula {
    struct rt *run;
    uint32_t tape;
    uint32_t first, n_rows;   /* the outputs that are wanted */
    double *out;              /* room for all outputs of the tape */
    double *size;             /* n_rows: how far each goes in the whole run */
    double *c;                /* n_rows rows of CHEBYSHEV_ORDER + 1 */
    double *value;            /* n_rows numbers at each node */
    const imp_system *system; /* NULL: a body */
    const struct trace_span *spans;
    size_t n_spans;
    double *q; /* coordinates of the system */
};

/* The numbers at time t; false: one of those that are wanted is not finite. */
static bool
numbers_at(const struct formula *formula, double t, double *to)
{
    struct rt *run = formula->run;
    double *time = &run->env[run->im->layout.time], now = *time;
    double *state =
        formula->system ? run->env + formula->system->env_state : NULL;
    uint32_t n = formula->system ? formula->system->n : 0;
    if (n && !trace_value(formula->spans, formula->n_spans, n, t, formula->q))
        return false;
    *time = t;
    for (uint32_t j = 0; j < n; j++) {
        double was = state[j];
        state[j] = formula->q[j];
        formula->q[j] = was;
    }
    int st = rt_eval(run, formula->tape, NULL, formula->out);
    if (n)
        memcpy(state, formula->q, n * sizeof *state);
    *time = now;
    if (st != IMP_OK && st != IMP_NONFINITE)
        return false;
    for (uint32_t row = 0; row < formula->n_rows; row++) {
        to[row] = formula->out[formula->first + row];
        if (!isfinite(to[row]))
            return false;
    }
    return true;
}

/* How far the numbers of rows from .. to - 1 go in the whole run, at least
 * `least`. They are entries of one vector, or places in one drawing: what is
 * small is measured by all of them, because the rounding of a value next to a
 * zero is that of the terms of its formula. */
#define SIZE_LOOKS 256
static void
sizes(const struct formula *formula, uint32_t from, uint32_t to, double least,
      double end)
{
    double size = least;
    for (int i = 0; i <= SIZE_LOOKS; i++) {
        if (!numbers_at(formula, end * i / SIZE_LOOKS, formula->value))
            continue;
        for (uint32_t row = from; row < to; row++)
            size = fmax(size, fabs(formula->value[row]));
    }
    for (uint32_t row = from; row < to; row++)
        formula->size[row] = size;
}

/* The coefficients of the Chebyshev series from begin to end, into f->c.
 * *fine: they end in rounding. */
static bool
chebyshev(const struct formula *formula, double begin, double end, bool *fine)
{
    enum { N = CHEBYSHEV_ORDER + 1 };
    const double pi = acos(-1.0);
    *fine = true;
    for (int j = 0; j < N; j++) {
        double x = cos(pi * (j + 0.5) / N);
        if (!numbers_at(formula, 0.5 * (begin + end) + 0.5 * (end - begin) * x,
                        formula->value + (uint32_t)j * formula->n_rows))
            return false;
    }
    for (uint32_t row = 0; row < formula->n_rows; row++) {
        double *c = formula->c + (size_t)row * N;
        for (int k = 0; k < N; k++) {
            double sum = 0.0;
            for (int j = 0; j < N; j++)
                sum += formula->value[(uint32_t)j * formula->n_rows + row] *
                       cos(pi * k * (j + 0.5) / N);
            c[k] = sum * (k ? 2.0 : 1.0) / N;
        }
        for (int k = N - 3; k < N; k++)
            *fine &= fabs(c[k]) <= CHEBYSHEV_SMALL * formula->size[row];
    }
    return true;
}

/* Pieces of the formula from begin to end, of a run that ends at `last`. */
static bool
formula_pieces(const struct formula *formula, struct mover_pieces *to,
               double begin, double end, double last)
{
    struct arena *arena = formula->run->arena;
    double from = begin,
           least = fmax(PIECE_LEAST * last, 4.0 * DBL_EPSILON * end);
    for (double length = end - begin; from < end && to->begin.n < PIECES_MOST;
         length *= 2.0) {
        bool fine = false;
        double t1;
        for (;; length *= 0.5) {
            t1 = end - from <= length * 1.000001 ? end : from + length;
            bool there = chebyshev(formula, from, t1, &fine);
            if (!there && length <= least)
                return false;
            if (there && (fine || length <= least))
                break;
        }
        VEC_PUSH_IN(arena, &to->begin, from);
        VEC_PUSH_IN(arena, &to->end, t1);
        VEC_PUSH_IN(arena, &to->base, from);
        for (uint32_t row = 0; row < formula->n_rows; row++) {
            const double *of = formula->c + row * (size_t)(CHEBYSHEV_ORDER + 1);
            int top = needed(of, CHEBYSHEV_ORDER, 1.0);
            VEC_PUSH_IN(arena, &to->order, (uint8_t)top);
            for (int k = 0; k <= top; k++)
                VEC_PUSH_IN(arena, &to->c, of[k]);
        }
        from = t1;
    }
    return from >= end;
}

static struct formula
formula_new(struct rt *run, uint32_t tape, uint32_t first, uint32_t n_rows)
{
    size_t n = rt_tape(run, tape)->outs.n + 1;
    return (struct formula){
        .run = run,
        .tape = tape,
        .first = first,
        .n_rows = n_rows,
        .out = NEW_N(run->arena, double, n),
        .size = NEW_N(run->arena, double, n),
        .c = NEW_N(run->arena, double, n *(CHEBYSHEV_ORDER + 1)),
        .value = NEW_N(run->arena, double, n *(CHEBYSHEV_ORDER + 1))};
}

/* Drawings of a system that end together: `n_items` of them, whose numbers are
 * n_rows outputs of the tape, from `row` on. */
struct drawn {
    uint32_t system, item, n_items, row, n_rows;
    struct mover_pieces pieces;
};

/* The drawings, piece by piece of the motion of their system. Returns how far
 * they are known. */
static double
drawn_pieces(struct run_log *log, struct drawn *drawn, double end)
{
    struct rt *run = log->run;
    const imp_system *system = rt_system(run, drawn->system);
    struct formula formula =
        formula_new(run, system->draw, drawn->row, drawn->n_rows);
    struct trace_span *spans;
    size_t n = formula.n_spans = trace_spans(
        run->trace, run->arena, run->im->bodies.n + drawn->system, end, &spans);
    formula.system = system;
    formula.q = NEW_N(run->arena, double, system->n + 1);
    formula.spans = spans;
    sizes(&formula, 0, formula.n_rows, DBL_MIN, end);
    formula.n_spans =
        1; /* where two pieces meet, each has a value of its own */
    for (size_t k = 0; k < n; k++) {
        const struct numbers *ends = &drawn->pieces.end;
        formula.spans = spans + k;
        if (!formula_pieces(&formula, &drawn->pieces, spans[k].begin,
                            spans[k].end, end))
            return ends->n ? ends->v[ends->n - 1] : 0.0;
    }
    return end;
}

static void
drawing_ends(const struct run_log *log, const struct drawn *drawn, double last)
{
    const struct rt *run = log->run;
    const imp_system *system = rt_system(run, drawn->system);
    const imp_drawing *item =
        IMP_ARRAY(run->im, system->drawings, imp_drawing) + drawn->item;
    char time[NUM_TEXT];
    struct diag *diag =
        diag_add(log->analysis->ds, DIAG_W0754, item->range,
                 "`%s` in the drawing of `%s` ends at t = %s s: behind that it "
                 "is not finite, or has too many corners",
                 imp_text(run->im, item->name), imp_text(run->im, system->name),
                 rt_told(time, last, 9));
    diag_help(log->analysis->ds, diag,
              "look at roots, quotients and logarithms in its formulas");
}

/* -- all movers -------------------------------------------------------------
 */

static void
write_pieces(struct run_bytes *bytes, const struct mover_pieces *pieces,
             const char *basis)
{
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

static void
put_drawn(struct run_log *log, struct run_bytes *bytes,
          const struct drawn *drawn)
{
    static const char *const kinds[] = {
#define DRAWING(KIND, word, shapes, points, lengths, angles, doc) #word,
#include "abi/drawings.def"
    };
    const struct rt *run = log->run;
    const imp_system *system = rt_system(run, drawn->system);
    const imp_drawing *list = IMP_ARRAY(run->im, system->drawings, imp_drawing);
    run_comma(bytes);
    buf_putc(&bytes->json, '{');
    run_key(bytes, "system");
    run_number(bytes, drawn->system);
    run_key(bytes, "items");
    buf_putc(&bytes->json, '[');
    for (uint32_t k = drawn->item; k < drawn->item + drawn->n_items; k++) {
        run_comma(bytes);
        buf_putc(&bytes->json, '{');
        run_key(bytes, "name");
        run_text(bytes, imp_text(run->im, list[k].name));
        run_key(bytes, "kind");
        run_text(bytes, kinds[list[k].kind]);
        run_key(bytes, "numbers");
        run_number(bytes, list[k].n);
        if (list[k].shape != IMP_NO_TAPE)
            run_outline(log, bytes, system, &list[k]);
        buf_putc(&bytes->json, '}');
    }
    buf_puts(&bytes->json, "], \"motion\": ");
    write_pieces(bytes, &drawn->pieces, "chebyshev");
    buf_putc(&bytes->json, '}');
}

/* What systems look like: their drawings by name and kind, and the numbers of
 * all of them as one mover. Where some of them end before the run, each has
 * pieces of its own. */
static void
drawings(struct run_log *log, struct run_bytes *bytes, double end)
{
    struct rt *run = log->run;
    run_key(bytes, "drawings");
    buf_putc(&bytes->json, '[');
    for (uint32_t i = 0; i < run->im->systems.n; i++) {
        const imp_system *system = rt_system(run, i);
        const imp_drawing *list =
            IMP_ARRAY(run->im, system->drawings, imp_drawing);
        if (system->draw == IMP_NO_TAPE)
            continue;
        struct drawn all = {.system = i,
                            .n_items = system->drawings.n,
                            .n_rows = rt_tape(run, system->draw)->outs.n};
        if (drawn_pieces(log, &all, end) >= end) {
            put_drawn(log, bytes, &all);
            continue;
        }
        for (uint32_t k = 0, row = 0; k < system->drawings.n; k++) {
            struct drawn one = {.system = i,
                                .item = k,
                                .n_items = 1,
                                .row = row,
                                .n_rows = list[k].n};
            double last = drawn_pieces(log, &one, end);
            row += list[k].n;
            if (last < end)
                drawing_ends(log, &one, last);
            if (last > 0.0)
                put_drawn(log, bytes, &one);
        }
    }
    buf_putc(&bytes->json, ']');
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
            struct formula f =
                formula_new(run, rt_body(run, i)->refresh, 0, n_rows);
            /* a place, then an angle (rad) or a unit quaternion */
            sizes(&f, 0, run->im->dim, DBL_MIN, end);
            sizes(&f, run->im->dim, n_rows, 1.0, end);
            (void)formula_pieces(&f, &pieces, 0.0, end, end);
        } else {
            struct trace_span *spans;
            size_t n = trace_spans(run->trace, run->arena, i, end, &spans);
            for (size_t k = 0; k < n; k++)
                add(run->arena, &pieces, &spans[k], n_rows);
        }
        run_comma(bytes);
        write_pieces(bytes, &pieces, by_formula ? "chebyshev" : "power");
    }
    buf_putc(&bytes->json, ']');
    drawings(log, bytes, end);
}
