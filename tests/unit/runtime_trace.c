/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of a trace. A random run goes ahead, comes back to saved states and
 * goes on another way; the pieces must be those of the way it went in the end,
 * without gap and overlap. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "runtime/numerics/random.h"
#include "runtime/trace/trace.h"

static uint64_t drawn;
static double
random_share(void)
{
    return random_unit(7.0, drawn++, 0);
}

/* A body with a place and a velocity, thrown up again and again. */
struct state {
    double t, x, v;
    size_t mark;
};

static void
give(struct trace *trace, uint32_t mover, const struct state *s, double t1)
{
    double *c = trace_room(trace);
    c[0] = s->x;
    c[1] = s->v;
    c[2] = -5.0;
    trace_piece(trace, mover, s->t, s->t, t1, 2);
}

static void
step(struct trace *trace, struct state *s, double t1)
{
    double dt = t1 - s->t;
    give(trace, 0, s, t1);
    s->x += (s->v - 5.0 * dt) * dt;
    s->v -= 10.0 * dt;
    s->t = t1;
}

#define STEPS 400

static void
test_the_way_that_was_gone(void **state)
{
    (void)state;
    static const unsigned char group[1] = {0};
    for (int round = 0; round < 200; round++) {
        struct trace *trace =
            trace_new(&(struct trace_mover){1, group}, 1, 1u << 30);
        struct arena *arena = arena_new();
        struct state now = {0, 1, 0, 0}, way[STEPS + 1];
        int n = 0;
        for (int k = 0; k < STEPS; k++) {
            double what = random_share();
            now.mark = trace_mark(trace);
            way[n++] = now;
            if (what < 0.1) { /* an impact */
                now.v = 3.0 * random_share();
                way[n - 1] = now;
            } else if (what < 0.2 && n > 1) { /* back to a saved state */
                n = (int)(random_share() * n);
                now = way[n];
                trace_cut(trace, now.mark);
                continue;
            } else if (what < 0.3) { /* an attempt, and back without a word */
                struct state try = now;
                step(trace, &try, now.t + random_share());
                step(trace, &try, try.t + random_share());
            }
            step(trace, &now, now.t + 0.1 * random_share());
        }
        struct trace_span *spans;
        size_t m = trace_spans(trace, arena, 0, now.t, &spans);
        if (now.t == 0.0)
            continue;
        assert_true(spans[0].begin == 0.0 && spans[m - 1].end == now.t);
        for (size_t i = 1; i < m; i++)
            assert_true(spans[i].begin == spans[i - 1].end);
        for (int i = 0; i < n; i++) {
            double x;
            assert_true(trace_value(spans, m, 1, way[i].t, &x));
            if (fabs(x - way[i].x) > 1e-13 * (1 + fabs(way[i].x)))
                fail_msg("round %d: %.17g at t = %.17g, and not %.17g", round,
                         x, way[i].t, way[i].x);
        }
        trace_free(trace);
        arena_free(arena);
    }
}

/* Flight without an event is one piece, however often it is interrupted; a
 * change of velocity by 1e-9 is another one. */
static void
test_one_motion_is_one_piece(void **state)
{
    (void)state;
    static const unsigned char group[1] = {0};
    for (int k = 0; k < 2; k++) {
        struct trace *trace =
            trace_new(&(struct trace_mover){1, group}, 1, 1u << 30);
        struct arena *arena = arena_new();
        struct state now = {0, 1, 2, 0};
        struct trace_span *spans;
        for (int i = 0; i < 1000; i++) {
            step(trace, &now, (i + 1) * 0x1p-10); /* without rounding */
            now.v += k && i == 500 ? 1e-9 : 0.0;
        }
        size_t n = trace_spans(trace, arena, 0, now.t, &spans);
        assert_true(k ? n > 1 : n == 1);
        trace_free(trace);
        arena_free(arena);
    }
}

static void
test_the_log_has_an_end(void **state)
{
    (void)state;
    static const unsigned char group[1] = {0};
    struct trace *trace = trace_new(&(struct trace_mover){1, group}, 1, 10000);
    struct arena *arena = arena_new();
    struct state now = {0, 1, 2, 0};
    struct trace_span *spans;
    while (!trace_full(trace) && now.t < 1000) {
        now.v = 1.0 + random_share();
        step(trace, &now, now.t + 1);
    }
    assert_true(now.t < 1000);
    double end = trace_full_time(trace);
    assert_true(end == now.t - 1);
    size_t n = trace_spans(trace, arena, 0, end, &spans);
    assert_true(spans[0].begin == 0.0 && spans[n - 1].end == end);
    trace_free(trace);
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_way_that_was_gone),
        cmocka_unit_test(test_one_motion_is_one_piece),
        cmocka_unit_test(test_the_log_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
