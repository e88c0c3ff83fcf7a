/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs whose first impacts were found ahead, many at once
 * (ballistic_batch_prepare), against the same runs one by one: every number of
 * the state after every event is the same to the last bit. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/random.h"

#define MOST 8
#define RUNS 40 /* from one start */
#define EVENTS 30

struct sys {
    int n, m;
    double mass[MOST * MOST], acc[MOST], N[MOST * MOST], c[MOST];
    double q[MOST], v[MOST];
};

static uint64_t drawn;
static double
draw(double lo, double hi)
{
    return lo + (hi - lo) * random_unit(7.0, drawn++, 1);
}

static struct ballistic *
made(struct arena *a, const struct sys *s, const double *e)
{
    struct ballistic_model m = {.n = s->n,
                                .m = s->m,
                                .mass = s->mass,
                                .acc = s->acc,
                                .N = s->N,
                                .c = s->c,
                                .e = e};
    struct ballistic *l;
    assert_int_equal(ballistic_new(a, &m, &l), 0);
    return l;
}

/* feet on a circle, of which some may be nearer to the ground, dropped nearly
 * flat */
static struct sys
feet(int m)
{
    struct sys s = {.n = m == 2 ? 2 : 3, .m = m};
    double rho = draw(0.05, 1.5);
    for (int i = 0; i < s.n; i++)
        s.mass[i * (s.n + 1)] = i < s.n - 1 ? rho * rho : 1.0;
    for (int i = 0; i < m; i++) {
        double w = 2 * 3.14159265358979323846 * i / m;
        double *N = s.N + i * s.n;
        N[0] = m == 2 ? 1.0 - 2.0 * i : sin(w);
        if (s.n == 3)
            N[1] = -cos(w);
        N[s.n - 1] = 1.0;
    }
    for (int j = 0; j < s.n; j++) {
        s.q[j] = j == s.n - 1 ? 1.0 : draw(-0.05, 0.05);
        s.v[j] = j == s.n - 1 ? -1.0 : draw(-0.1, 0.1);
    }
    return s;
}

/* any gaps; open and closing at the start where that can be had by the offsets
 */
static struct sys
any(void)
{
    struct sys s = {.n = 1 + (int)draw(0, 6), .m = 1 + (int)draw(0, 8)};
    for (int i = 0; i < s.n; i++)
        for (int j = 0; j <= i; j++)
            s.mass[i * s.n + j] = s.mass[j * s.n + i] =
                i == j ? draw(1.0, 3.0) : draw(-0.1, 0.1);
    for (int j = 0; j < s.n; j++) {
        s.q[j] = draw(-1, 1);
        s.v[j] = draw(-1, 1);
    }
    for (int i = 0; i < s.m; i++) {
        double g = 0.0, u = 0.0, *N = s.N + i * s.n;
        for (int j = 0; j < s.n; j++) {
            N[j] = draw(-1, 1);
            g += N[j] * s.q[j];
            u += N[j] * s.v[j];
        }
        for (int j = 0; j < s.n && u > 0.0; j++)
            N[j] = -N[j];
        s.c[i] = (u > 0.0 ? g : -g) + draw(0.5, 1.5);
        if (draw(0, 1) < 0.1)
            s.c[i] = 0.0;
    }
    return s;
}

static void
restitutions(int m, double *e)
{
    double one = draw(0.02, 0.98), way = draw(0, 1);
    for (int i = 0; i < m; i++)
        e[i] = way < 0.6 ? one : way < 0.95 ? draw(0.0, 1.0) : i == 0 ? 0.0 : 1;
}

static void
equal(const double *a, const double *b, int n, const char *what)
{
    for (int i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof *a))
            fail_msg("%s %d: %.17g, not %.17g", what, i, a[i], b[i]);
}

static void
same_state(const struct ballistic *a, const struct ballistic *b)
{
    int m = a->model.m, r = a->matrices.rank;
    equal(&a->t, &b->t, 1, "t");
    equal(&a->t_lo, &b->t_lo, 1, "low part of t");
    equal(a->y, b->y, r, "y");
    equal(a->z, b->z, r, "z");
    equal(a->gap, b->gap, m, "gap");
    equal(a->rate, b->rate, m, "rate");
    equal(a->greatest, b->greatest, m, "greatest gap");
    equal(a->work->rate_terms, b->work->rate_terms, m, "size of rates");
    equal(a->event.impulse, b->event.impulse, m, "impulse");
    assert_memory_equal(a->mode.persistent, b->mode.persistent, (size_t)m);
    assert_memory_equal(a->just_hit, b->just_hit, (size_t)m);
    assert_int_equal(a->length_exponent, b->length_exponent);
    assert_int_equal(a->rate_exponent, b->rate_exponent);
    assert_int_equal(a->event.contact, b->event.contact);
    assert_int_equal(a->impacts, b->impacts);
    assert_int_equal(a->work->history.n, b->work->history.n);
    assert_int_equal(a->work->units.low_rate == b->work->units.low_rate, 1);
    for (unsigned long i = 0; i < a->work->history.n && i < HISTORY_KEPT; i++) {
        const struct impact_entry *x = a->work->history.entry + i,
                                  *y = b->work->history.entry + i;
        assert_int_equal(x->contact, y->contact);
        assert_int_equal(x->exponent, y->exponent);
        equal(&x->flight, &y->flight, 1, "flight");
    }
}

/* both to their ends; how many impacts the first had at once */
static long
follow(struct ballistic *a, struct ballistic *b)
{
    enum ballistic_event x, y;
    long first = -1;
    int k = 0;
    do {
        long most = 100000;
        x = accumulation_run(a, INFINITY, most);
        y = accumulation_run(b, INFINITY, most);
        /* of single impacts in a row no more need come at once */
        while (x == BALLISTIC_IMPACT && y == x && b->impacts < a->impacts)
            y = accumulation_run(b, INFINITY, a->impacts - b->impacts);
        while (x == BALLISTIC_IMPACT && y == x && a->impacts < b->impacts)
            x = accumulation_run(a, INFINITY, b->impacts - a->impacts);
        assert_int_equal(x, y);
        same_state(a, b);
        if (first < 0)
            first = a->impacts;
    } while (++k < EVENTS && (x == BALLISTIC_IMPACT || x == BALLISTIC_SEVERAL ||
                              x == BALLISTIC_ACCUMULATION));
    return first;
}

/* the runs of one start; how many were found ahead */
static long
compare(const struct sys *s)
{
    struct arena *arena = arena_new();
    double e[RUNS * MOST], e0[MOST];
    long taken = 0;
    for (int i = 0; i < MOST; i++)
        e0[i] = 0.5;
    struct ballistic *a = made(arena, s, e0), *b = made(arena, s, e0);
    for (int k = 0; k < RUNS; k++)
        restitutions(s->m, e + k * MOST);
    assert_true(ballistic_start(a, 0.0, s->q, s->v, 0.0));
    ballistic_batch_prepare(a, e, RUNS, MOST);
    for (int k = 0; k < RUNS; k++) {
        if (k % 7 == 3) /* a run that never comes */
            continue;
        ballistic_restitutions(a, e + k * MOST);
        ballistic_restitutions(b, e + k * MOST);
        accumulation_resolve(a, ACCUMULATION_RESOLVE);
        accumulation_resolve(b, ACCUMULATION_RESOLVE);
        assert_true(ballistic_start(a, 0.0, s->q, s->v, 0.0));
        assert_true(ballistic_start(b, 0.0, s->q, s->v, 0.0));
        if (k % 5 == 0) /* and one that stops elsewhere */
            (void)(accumulation_run(a, 0.5, 3), accumulation_run(b, 0.5, 3));
        taken += a->work->batch_run && a->work->batch_run->n > 0;
        follow(a, b);
    }
    arena_free(arena);
    return taken;
}

static void
on_feet(void **unused)
{
    (void)unused;
    long taken = 0;
    drawn = 0;
    for (int k = 0; k < 300; k++) {
        struct sys s = feet(2 + k % 7);
        taken += compare(&s);
    }
    /* two to eight feet, of which more than four are left to single runs */
    assert_true(taken > 300 * RUNS / 4);
}

static void
on_anything(void **unused)
{
    (void)unused;
    long taken = 0;
    drawn = 1000000;
    for (int k = 0; k < 1000; k++) {
        struct sys s = any();
        taken += compare(&s);
    }
    assert_true(taken > 1000 * RUNS / 4);
}

/* another start, another matrix: what was found ahead is not taken */
static void
for_other_starts(void **unused)
{
    (void)unused;
    struct arena *arena = arena_new();
    drawn = 2000000;
    struct sys s = feet(4);
    double e[MOST] = {0.2, 0.2, 0.2, 0.2};
    struct ballistic *l = made(arena, &s, e);
    assert_true(ballistic_start(l, 0.0, s.q, s.v, 0.0));
    ballistic_batch_prepare(l, e, 1, MOST);
    s.v[0] += 0.01;
    assert_true(ballistic_start(l, 0.0, s.q, s.v, 0.0));
    assert_null(l->work->batch_run);
    ballistic_batch_prepare(l, e, 1, MOST);
    assert_true(ballistic_start(l, 0.0, s.q, s.v, 0.0));
    assert_non_null(l->work->batch_run);
    s.mass[0] *= 2.0;
    struct ballistic_model m = {.n = s.n,
                                .m = s.m,
                                .mass = s.mass,
                                .acc = s.acc,
                                .N = s.N,
                                .c = s.c,
                                .e = e};
    ballistic_batch_prepare(l, e, 1, MOST);
    assert_int_equal(ballistic_renew(l, &m), 0);
    assert_true(ballistic_start(l, 0.0, s.q, s.v, 0.0));
    assert_null(l->work->batch_run);
    arena_free(arena);
}

/* the last impact of b, against the one `back` before the last of a */
static void
same_impact(const struct ballistic *a, long back, const struct ballistic *b)
{
    struct ballistic_impact told, own = {.contact = b->event.contact};
    own.flight = impact_history_last_flight(b, &own.flight_exponent);
    own.rate = ballistic_rate(b, own.contact, &own.rate_exponent);
    ballistic_impact_before(a, back, &told);
    assert_int_equal(told.contact, own.contact);
    assert_int_equal(told.flight_exponent, own.flight_exponent);
    assert_int_equal(told.rate_exponent, own.rate_exponent);
    equal(&told.flight, &own.flight, 1, "flight");
    equal(&told.rate, &own.rate, 1, "rate");
}

/* Impacts that are resolved at once are told as one by one. */
static void
told_one_by_one(void **unused)
{
    (void)unused;
    long at_once = 0;
    drawn = 2000000;
    for (int k = 0; k < 400; k++) {
        struct arena *arena = arena_new();
        struct sys s = k % 2 ? feet(2 + k % 7) : any();
        double e[MOST];
        restitutions(s.m, e);
        struct ballistic *a = made(arena, &s, e), *b = made(arena, &s, e);
        a->each_told = true;
        assert_true(ballistic_start(a, 0.0, s.q, s.v, 0.0));
        assert_true(ballistic_start(b, 0.0, s.q, s.v, 0.0));
        enum ballistic_event x = BALLISTIC_IMPACT;
        for (int n = 0; n < EVENTS && x == BALLISTIC_IMPACT; n++) {
            x = ballistic_run(a, INFINITY, 1 + (long)draw(0, 40));
            long back = ballistic_impacts_before(a);
            for (at_once += back; back > 0; back--) {
                assert_int_equal(ballistic_run(b, INFINITY, 1),
                                 BALLISTIC_IMPACT);
                assert_int_equal(ballistic_impacts_before(b), 0);
                same_impact(a, back, b);
            }
            assert_int_equal(ballistic_run(b, INFINITY, 1), x);
            same_state(a, b);
        }
        arena_free(arena);
    }
    assert_true(at_once > 1000);
}

/* an accumulation of independent contacts under gravity: the feet, or what
 * accelerates towards some gaps and away from others */
static struct sys
pulled(int k)
{
    struct sys s = feet(2 + k % 2);
    s.acc[s.n - 1] = -draw(0.1, 10);
    for (int j = 0; j < s.n - 1 && k % 4 > 1; j++)
        s.acc[j] = draw(-2, 2);
    return s;
}

/* Flights whose accelerations change no number are followed at once as those
 * without any; every number is that of the flights one by one in place. */
static void
light_as_in_place(void **unused)
{
    (void)unused;
    long at_once = 0;
    drawn = 3000000;
    for (int k = 0; k < 300; k++) {
        struct arena *arena = arena_new();
        struct sys s = pulled(k);
        double e[MOST];
        for (int i = 0; i < s.m; i++)
            e[i] = draw(0.05, 0.4);
        struct ballistic *a = made(arena, &s, e), *b = made(arena, &s, e);
        a->each_told = true;
        assert_true(ballistic_start(a, 0.0, s.q, s.v, 0.0));
        assert_true(ballistic_start(b, 0.0, s.q, s.v, 0.0));
        enum ballistic_event x = BALLISTIC_IMPACT, y = x;
        /* nobody looks for limits */
        a->work->history.next_look = b->work->history.next_look = ULONG_MAX;
        while (x == BALLISTIC_IMPACT && a->impacts < 600) {
            x = ballistic_run(a, k % 3 ? INFINITY : 0.7, 1 + (long)draw(0, 40));
            long back = ballistic_impacts_before(a);
            at_once += back;
            for (; back >= 0 && y == BALLISTIC_IMPACT; back--) {
                b->work->flight.coasts = false;
                y = ballistic_run(b, k % 3 ? INFINITY : 0.7, 1);
                if (back > 0)
                    same_impact(a, back, b);
            }
            assert_int_equal(y, x);
            same_state(a, b);
        }
        arena_free(arena);
    }
    assert_true(at_once > 10000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_feet), cmocka_unit_test(on_anything),
        cmocka_unit_test(for_other_starts), cmocka_unit_test(told_one_by_one),
        cmocka_unit_test(light_as_in_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
