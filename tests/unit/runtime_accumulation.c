/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits of chatter (runtime/accumulation/period_map.c, history.c):
 * accumulations within accumulations, ratios from the derivative of a period's
 * map, what is told of each. Falling polygons and random systems come to an end
 * within the default limit of events, but for elastic contacts, which
 * accumulate nothing. */
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
#include "runtime/ballistic/ballistic.h"

#define MOST 32
#define EVENTS 100000

struct sys {
    int n, m;
    double mass[64], acc[8], N[8 * MOST], c[MOST], e[MOST], q[8], v[8];
};

static uint64_t seed;

static double
draw(double lo, double hi)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

static struct ballistic *
made(struct arena *a, const struct sys *s, enum ballistic_policy policy)
{
    struct ballistic_model m = {.n = s->n,
                                .m = s->m,
                                .mass = s->mass,
                                .acc = s->acc,
                                .N = s->N,
                                .c = s->c,
                                .e = s->e};
    struct ballistic *l;
    assert_int_equal(ballistic_new(a, &m, &l), 0);
    l->policy = policy;
    ballistic_start(l, 0, s->q, s->v, 0);
    return l;
}

/* chatter.md 1.4: q = (phi_x, phi_y, h), f_i = (y_i, -x_i, 1) */
static struct sys
feet(int n, double rho, double e, double g)
{
    struct sys s = {.n = 3, .m = n};
    s.mass[0] = s.mass[4] = rho * rho;
    s.mass[8] = 1;
    s.acc[2] = -g;
    for (int i = 0; i < n; i++) {
        double w = 2 * 3.14159265358979323846 * i / n;
        s.N[3 * i] = sin(w);
        s.N[3 * i + 1] = -cos(w);
        s.N[3 * i + 2] = 1;
        s.e[i] = e;
    }
    return s;
}

static void
tilt(struct sys *s)
{
    for (int j = 0; j < 3; j++) {
        s->q[j] = j == 2 ? 1.5 : draw(-0.1, 0.1);
        s->v[j] = draw(-0.1, 0.1);
    }
}

struct end {
    enum ballistic_event what;
    long events;
    int depth;
    double last;   /* time of the last limit */
    long means[4]; /* limits by limit_evidence */
};

static struct end
follow(struct ballistic *l, double until)
{
    struct end o = {.what = BALLISTIC_IMPACT};
    for (; o.events < EVENTS; o.events++) {
        o.what = accumulation_next(l, until);
        if (o.what == BALLISTIC_ACCUMULATION) {
            const struct accumulation_limit *c = &l->event.limit;
            o.depth = c->depth > o.depth ? c->depth : o.depth;
            o.last = l->t;
            o.means[c->evidence]++;
            /* where no order repeats the ratio may be open */
            assert_true(
                (c->evidence == LIMIT_BELOW_ROUNDING && isnan(c->ratio)) ||
                (c->ratio >= 0 && c->ratio < 1 && c->ratio_error >= 0));
            assert_true(c->evidence != LIMIT_BY_MAP || c->contraction < 1);
            assert_true(c->error >= 0 && c->remaining >= 0);
        } else if (o.what != BALLISTIC_IMPACT && o.what != BALLISTIC_SEVERAL) {
            return o;
        }
    }
    return o;
}

static void
falling_polygons(void **state)
{
    (void)state;
    static const enum ballistic_policy policies[] = {
        BALLISTIC_COMPLEMENTARITY, BALLISTIC_SEQUENTIAL, BALLISTIC_REST,
        BALLISTIC_REPORT};
    for (int p = 0; p < 4; p++) {
        int runs = 400, nested = 0, open = 0;
        long means[4] = {0}, events = 0;
        for (int k = 0; k < runs; k++) {
            struct arena *a = arena_new();
            seed = (uint64_t)k * 7919 + 3;
            draw(0, 1);
            int n = 3 + k % 6;
            double rho = draw(0.2, 0.9), e = draw(0.05, 0.8);
            struct sys s = feet(n, rho, e, 1);
            tilt(&s);
            struct ballistic *l = made(a, &s, policies[p]);
            struct end o = follow(l, 1e3);
            nested += o.depth > 1;
            open += o.events == EVENTS;
            events += o.events;
            for (int i = 0; i < 4; i++)
                means[i] += o.means[i];
            if (o.what == BALLISTIC_END &&
                l->mode.n_persistent >= 3) { /* at rest */
                double q[3], v[3];
                ballistic_state(l, q, v);
                for (int j = 0; j < 3; j++)
                    assert_true(fabs(q[j]) < 1e-12 && fabs(v[j]) < 1e-12);
            } else if (o.what == BALLISTIC_END) { /* on two opposite feet */
                assert_int_equal(l->mode.n_persistent, 2);
                assert_int_equal(n % 2, 0);
            } else if (policies[p] == BALLISTIC_REPORT) {
                assert_int_equal(o.what, BALLISTIC_UNDECIDED);
            } else {
                assert_int_equal(o.events, EVENTS);
            }
            arena_free(a);
        }
        print_message("policy %d: %d of %d nested, %d not resolved, %ld events "
                      "each; limits: law %ld map %ld flights %ld average %ld\n",
                      (int)policies[p], nested, runs, open, events / runs,
                      means[0], means[1], means[2], means[3]);
        assert_int_equal(open, 0);
    }
}

/* Foot 1 of three comes back and back to a body that chatters to a limit on the
 * other two in between: projected onto these it is a ball, whose impacts take
 * the mass of the free body. */
static void
ball_on_an_edge(void **state)
{
    (void)state;
    double rho = 0.7228, e = 0.79, r2 = 1 / (rho * rho);
    struct arena *a = arena_new();
    struct sys s = feet(3, rho, e, 1);
    double q[] = {0.01, 0.03, 1.5}, v[] = {0.02, 0, 0};
    memcpy(s.q, q, sizeof q);
    memcpy(s.v, v, sizeof v);
    struct ballistic *l = made(a, &s, BALLISTIC_COMPLEMENTARITY);
    struct end o = follow(l, 1e3);
    assert_int_equal(o.what, BALLISTIC_END);
    /* limits at foot 2 and hits at 0 alternate, limits of these and hits at 1
     */
    assert_int_equal(o.depth, 3);
    assert_int_equal(l->event.limit.evidence, LIMIT_BY_MAP);
    assert_int_equal(l->event.limit.period, 2);
    double W = 1 + r2, w = 1 - 0.5 * r2;
    /* what is left of W_11 when feet 0 and 2 are held */
    double held = W - 2 * w * w / (W + w);
    double ratio = (1 + e) * held / W - 1;
    assert_true(fabs(l->event.limit.ratio - ratio) < 1e-12);
    assert_true(l->event.limit.contraction < 1e-9);
    assert_true(o.events < 3000);
    arena_free(a);
}

/* A disc of 26 feet rolls: a limit at each foot in turn, self-similar, slowly
 * stable. Its ratio per foot is the root of the ratio of a round. */
static void
rolling_disc(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    seed = 16 * 7919 + 3;
    struct sys s = feet(26, 0.88, 0.13, 1);
    double q[] = {0.03, 0.08, 1.5}, v[] = {0.05, 0.02, 0};
    memcpy(s.q, q, sizeof q);
    memcpy(s.v, v, sizeof v);
    struct ballistic *l = made(a, &s, BALLISTIC_COMPLEMENTARITY);
    struct end o = follow(l, 1e3);
    assert_int_equal(o.what, BALLISTIC_END);
    print_message("26 feet: depth %d, period %d, ratio %.12g, contraction %.4g "
                  "after %ld events\n",
                  l->event.limit.depth, l->event.limit.period,
                  l->event.limit.ratio, l->event.limit.contraction, o.events);
    assert_true(o.depth >= 2);
    arena_free(a);
}

/* -- the ratio from the map -------------------------------------------------
 */

/* Is the true ratio within the bound of its error, and the bound small? */
static void
ratio_is(const struct accumulation_limit *limit, double ratio, double rounding)
{
    assert_true(fabs(limit->ratio - ratio) <=
                limit->ratio_error + rounding * ratio);
    assert_true(limit->ratio_error < 1e-9);
}

/* against eigenvalues: speeds of feet in regular order shrink by l1 and gaps by
 * l2 (chatter.md 2.4, 2.8): roots of x^3 - (a-s) x^2 + (s - g a) x + g */
static void
ratios(void **state)
{
    (void)state;
    for (int k = 0; k < 60; k++) {
        seed = (uint64_t)k + 77;
        draw(0, 1);
        int n = 4 + k % 5;
        double rho = draw(0.03, 0.15), g = draw(0.02, 0.2);
        double c = cos(2 * 3.14159265358979323846 / n), b = 1 + 2 * c;
        double t = (1 + g) * (c + rho * rho) / (1 + rho * rho), x[3];
        /* greatest root, then the quadratic that is left */
        x[0] = 1;
        for (int i = 0; i < 200; i++) {
            double p = ((x[0] - (b - t)) * x[0] + (t - g * b)) * x[0] + g;
            double d = (3 * x[0] - 2 * (b - t)) * x[0] + (t - g * b);
            x[0] -= p / d;
        }
        double B = x[0] - (b - t), C = -g / x[0];
        if (!(B * B - 4 * C > 0))
            continue;
        x[1] = 0.5 * (-B + sqrt(B * B - 4 * C));
        x[2] = 0.5 * (-B - sqrt(B * B - 4 * C));
        if (!(x[0] > 0 && x[1] > 0 && x[0] > x[1]))
            continue;
        struct arena *a = arena_new();
        struct sys s = feet(n, rho, g, 0);
        double q[] = {0.02, 0.01, 1}, v[] = {0.05, 0.03, -1};
        memcpy(s.q, q, sizeof q);
        memcpy(s.v, v, sizeof v);
        struct ballistic *l = made(a, &s, BALLISTIC_REPORT);
        struct end o = follow(l, INFINITY);
        assert_int_equal(o.what, BALLISTIC_FREE);
        if (o.means[LIMIT_BY_MAP]) {
            assert_int_equal(l->event.limit.period, n);
            double ratio = pow(x[1] / x[0], n);
            ratio_is(&l->event.limit, ratio, 1e-14);
            assert_true(fabs(l->event.limit.speed / pow(x[0], n) - 1) < 1e-9);
            /* directions: of velocities l2/l1, l3/l1; of gaps l3/l2 and 1/l2
             * times the same */
            double slow = fmax(fabs(x[1] / x[0]), fabs(x[2] / x[1]));
            assert_true(fabs(pow(l->event.limit.contraction, 1.0 / n) / slow -
                             1) < 0.05);
        }
        arena_free(a);
    }
}

/* The rod under gravity within (B.8) comes to the gravity-free fixed point as
 * the weight of accelerations dies out (chatter.md 3.5): its ratio is exact. */
static void
light_rod(void **state)
{
    (void)state;
    static const double cases[][2] = {{.1, .3}, {.2, .3}, {.3, .2}, {.4, .1}};
    for (int k = 0; k < 4; k++) {
        double rho = cases[k][0], g = cases[k][1], r2 = rho * rho;
        double tr = (1 + g) * (1 - r2) / (1 + r2), root;
        root = sqrt(tr * tr - 4 * g);
        double lp = 0.5 * (tr + root), lq = g / lp;
        struct arena *a = arena_new();
        struct sys s = {.n = 2, .m = 2};
        s.mass[0] = r2;
        s.mass[3] = 1;
        s.acc[1] = -1;
        s.N[0] = s.N[1] = s.N[3] = 1;
        s.N[2] = -1;
        s.e[0] = s.e[1] = g;
        s.q[0] = 0.001;
        s.q[1] = 1;
        s.v[0] = 0.05;
        struct ballistic *l = made(a, &s, BALLISTIC_REPORT);
        struct end o = follow(l, 1e3);
        assert_int_equal(o.what, BALLISTIC_END);
        assert_int_equal(l->event.limit.evidence, LIMIT_BY_MAP);
        double ratio = lq / lp;
        ratio *= ratio;
        ratio_is(&l->event.limit, ratio, 1e-14);
        /* the accelerations' share of the rates falls by ratio/speed */
        assert_true(l->event.limit.contraction >=
                    ratio / (lp * lp) * (1 - 1e-9));
        arena_free(a);
    }
}

/* -- random systems ---------------------------------------------------------
 */

static struct sys
random_system(void)
{
    struct sys s = {.n = (int)draw(2, 6.999), .m = (int)draw(1, 8.999)};
    double L[64] = {0};
    for (int i = 0; i < s.n; i++)
        for (int j = 0; j <= i; j++)
            L[i * s.n + j] = i == j ? draw(0.5, 1.5) : draw(-0.5, 0.5);
    for (int i = 0; i < s.n; i++)
        for (int j = 0; j <= i; j++) {
            double x = 0;
            for (int k = 0; k <= j; k++)
                x += L[i * s.n + k] * L[j * s.n + k];
            s.mass[i * s.n + j] = s.mass[j * s.n + i] = x;
        }
    for (int j = 0; j < s.n; j++) {
        s.acc[j] = draw(-1, 1);
        s.q[j] = draw(-1, 1);
        s.v[j] = draw(-1, 1);
    }
    for (int i = 0; i < s.m; i++) {
        double g = 0;
        for (int j = 0; j < s.n; j++) {
            s.N[i * s.n + j] = draw(0, 1) < 0.3 ? 0 : draw(-1, 1);
            g += s.N[i * s.n + j] * s.q[j];
        }
        s.c[i] = draw(0.05, 1) - g;
        s.e[i] = draw(0, 1) < 0.1 ? 0 : draw(0.05, 0.95);
    }
    return s;
}

static void
random_systems(void **state)
{
    (void)state;
    int open = 0, runs = 1500, nested = 0;
    for (int k = 0; k < runs; k++) {
        struct arena *a = arena_new();
        seed = (uint64_t)k * 104729 + 11;
        draw(0, 1);
        struct sys s = random_system();
        struct ballistic *l = made(a, &s, (enum ballistic_policy)(k % 4));
        struct end o = follow(l, 20);
        open += o.events == EVENTS;
        nested += o.depth > 1;
        arena_free(a);
    }
    print_message("random systems: %d of %d nested, %d not resolved\n", nested,
                  runs, open);
    /* in the order of their numbers, one after the other: sequences whose
     * length varies */
    assert_true(open <= 3);
}

/* Limits at one contact are taken where they come by the time that is asked
 * for, after three impacts there, and not later ones. */
static void
bounces_at_one_contact(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct sys s = {.n = 2, .m = 2, .q = {1, 50}};
    s.mass[0] = s.mass[3] = 1;
    s.acc[0] = s.acc[1] = -2;
    s.N[0] = s.N[3] = 1;
    s.e[0] = s.e[1] = 0.5;
    struct ballistic *l = made(a, &s, BALLISTIC_REPORT);
    accumulation_one_by_one(l, EVENTS);
    assert_false(accumulation_bounces(l, INFINITY));
    for (int k = 0; k < 3; k++) {
        assert_false(accumulation_bounces(l, INFINITY));
        assert_int_equal(accumulation_next(l, 100), BALLISTIC_IMPACT);
        assert_int_equal(l->event.contact, 0);
    }
    /* it falls for 1 s, and flies for 1 s, 1/2 s, ... */
    assert_true(fabs(l->t - 2.5) < 1e-15);
    assert_false(accumulation_bounces(l, 2.99));
    assert_true(accumulation_bounces(l, 3.01));
    assert_true(fabs(l->t - 3) < 1e-15);
    assert_true(l->event.group[0] && !l->event.group[1]);
    assert_int_equal(accumulation_next(l, 100), BALLISTIC_IMPACT);
    assert_int_equal(l->event.contact, 1);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_polygons),
        cmocka_unit_test(ball_on_an_edge),
        cmocka_unit_test(rolling_disc),
        cmocka_unit_test(ratios),
        cmocka_unit_test(light_rod),
        cmocka_unit_test(random_systems),
        cmocka_unit_test(bounces_at_one_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
