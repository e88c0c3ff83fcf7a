/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts of runs without acceleration at their borders, where what decides
 * may be lost in rounding: two contacts that are hit in turns against quadruple
 * precision, the borders of partial and complete chatter from both sides, with
 * and without history, from rounding to a tenth away from them; and feet
 * without symmetry, against the same. */
#include <math.h>

#include "analysis/chatter/run.h"
#include "base/arena.h"
#include "impact_help.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/ballistic/workspace.h"
#include "runtime/returnmap/symmetry.h"

#define MOST 12
static const double pi = 3.14159265358979323846;

/* n feet (phi, psi, h), or a rod (phi, h), started */
static struct ballistic *
feet(struct arena *a, int n, double rho, double e, const double *q,
     const double *v)
{
    double mass[9] = {0}, N[3 * MOST], c[MOST] = {0}, acc[3] = {0}, es[MOST];
    int d = n == 2 ? 2 : 3;
    for (int i = 0; i < d; i++)
        mass[i * (d + 1)] = i == d - 1 ? 1.0 : rho * rho;
    for (int i = 0; i < n; i++) {
        double b = 2.0 * pi * i / n, *row = N + i * d;
        row[0] = n == 2 ? 1.0 - 2.0 * i : sin(b);
        if (n > 2)
            row[1] = -cos(b);
        row[d - 1] = 1.0;
        es[i] = e;
    }
    struct ballistic_model m = {
        .n = d, .m = n, .mass = mass, .acc = acc, .N = N, .c = c, .e = es};
    struct ballistic *l = NULL;
    assert_int_equal(ballistic_new(a, &m, &l), 0);
    assert_true(ballistic_start(l, 0.0, q, v, 0.0));
    return l;
}

static struct chatter_run
run(struct arena *a, int n, double rho, double e, const double *q,
    const double *v)
{
    struct chatter_run r, s;
    chatter_follow(a, NULL, feet(a, n, rho, e, q, v), INFINITY, 16, 100000, &r);
    /* as in a sweep that asks for the verdict alone */
    struct ballistic *l = feet(a, n, rho, e, q, v);
    accumulation_accept_error(l, 1e-6);
    accumulation_skip_rates(l, true);
    chatter_decide(a, l, INFINITY, 16, 100000, &s);
    assert_int_equal(r.verdict, s.verdict);
    return r;
}

static void
start(uint64_t *seed, int n, double *q, double *v)
{
    for (int i = 0; i < 3; i++) {
        q[i] = multi_random(seed, -.03, .03);
        v[i] = multi_random(seed, -.06, .06);
    }
    q[n == 2 ? 1 : 2] = 1.0;
    v[n == 2 ? 1 : 2] = -1.0;
}

/* the one that was called complete: its contacts separate within the rounding
 * of the time */
static void
five_feet(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    double q[3], v[3];
    for (int t = 0; t < 200; t++) {
        uint64_t seed = 100 + (uint64_t)t;
        double g = symmetry_critical_restitution(5, .05);
        start(&seed, 5, q, v);
        struct chatter_run r = run(a, 5, .05, g + 1.7e-4, q, v);
        assert_int_equal(r.verdict, CHATTER_INCOMPLETE);
        assert_false(r.limit || r.limit_unproven);
        r = run(a, 5, .05, g - 1.7e-4, q, v);
        assert_int_equal(r.verdict, CHATTER_COMPLETE);
    }
    arena_free(a);
}

/* feet from a tenth to 10^-9 away from the critical restitution: what is said
 * is right, and little is left open */
static void
near_critical(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int open = 0, all = 0;
    for (int t = 0; t < 400; t++) {
        int n = 2 + t % 7;
        double rho = multi_random(&seed, .05, .2), q[3], v[3];
        double g = symmetry_critical_restitution(n, rho);
        double off = pow(10.0, multi_random(&seed, -9.0, -1.0));
        bool below = multi_random(&seed, 0.0, 1.0) < .5;
        start(&seed, n, q, v);
        if (n == 3 || g < .02)
            continue; /* three feet go on beyond it */
        struct arena *a = arena_new();
        struct chatter_run r =
            run(a, n, rho, g * (below ? 1.0 - off : 1.0 + off), q, v);
        enum chatter_verdict right =
            below ? CHATTER_COMPLETE : CHATTER_INCOMPLETE;
        all += off > 1e-6;
        /* impacts grow as the root of the distance */
        open += off > 1e-6 && r.verdict != right;
        assert_true(r.verdict == right || r.verdict == CHATTER_ENDLESS);
        arena_free(a);
    }
    assert_true(all > 100 && open <= all / 25);
}

/* two of three feet: partial below the border, never above it */
static void
partial_border(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int t = 0; t < 150; t++) {
        double rho = multi_random(&seed, .1, .55), q[3], v[3];
        double g = symmetry_partial_restitution(3, rho);
        double off = pow(10.0, multi_random(&seed, -12.0, -1.5));
        start(&seed, 3, q, v);
        struct arena *a = arena_new();
        struct chatter_run r = run(a, 3, rho, g * (1.0 - off), q, v);
        assert_int_equal(r.verdict, CHATTER_PARTIAL);
        assert_int_equal(r.accumulation.evidence, LIMIT_BY_MAP);
        r = run(a, 3, rho, g * (1.0 + off), q, v);
        assert_true(r.verdict != CHATTER_PARTIAL);
        assert_true(r.verdict != CHATTER_INCOMPLETE);
        if (off > 2e-3)
            assert_int_equal(r.verdict, CHATTER_COMPLETE);
        arena_free(a);
    }
}

/* The law of two contacts, of any restitutions and masses, against their
 * impacts one after the other in quadruple precision: until the rates of one
 * contact turn, or what is left is less than rounding. */
static int
in_turns(double w, const double *e, double p0, double s0, double *sum)
{
    __float128 p = p0, s = s0, t = 1, total = 0, before = 0, now = 0;
    for (long k = 0; k < 2000000; k++) {
        double ek = e[(k + 1) % 2];
        total += t;
        now += t;
        __float128 to = (1 + (__float128)ek) * w * s - p;
        if (!(to > 0))
            return -1;
        t = t * p / to;
        p = ek * s / to;
        s = 1;
        if (k % 2) {
            if (now < (__float128)1e-22 * total || (k > 4 && now == before))
                break;
            before = now;
            now = 0;
        }
    }
    *sum = (double)total;
    return 1;
}

static void
pairs(void **state)
{
    (void)state;
    uint64_t seed = 31;
    int ends = 0, never = 0;
    for (int t = 0; t < 3000; t++) {
        struct arena *a = arena_new();
        double e[2], k = multi_random(&seed, .2, 5.0);
        for (int i = 0; i < 2; i++)
            e[i] = multi_random(&seed, .01, .5);
        double least =
            (sqrt(e[0]) + sqrt(e[1])) / sqrt((1.0 + e[0]) * (1.0 + e[1]));
        if (least > .9) {
            arena_free(a);
            continue;
        }
        /* w from 10^-5 beside the least one upwards */
        double w = least + (.999 - least) *
                               pow(10.0, multi_random(&seed, -5.0, 0.0)) *
                               (t % 4 ? 1.0 : -.5);
        double mass[4] = {1.0, 0.0, 0.0, 1.0}, acc[2] = {0}, c[2] = {0};
        double N[4] = {1.0, 0.0, -w * k, sqrt(1.0 - w * w) * k};
        struct ballistic_model m = {
            .n = 2, .m = 2, .mass = mass, .acc = acc, .N = N, .c = c, .e = e};
        struct ballistic *l = NULL;
        assert_int_equal(ballistic_new(a, &m, &l), 0);
        /* contact 0 opens, contact 1 closes */
        double p = multi_random(&seed, .05, 1.0), s = 1.0, T = NAN;
        double u = -s, q[2], v[2];
        q[0] = 0.0;
        q[1] = 1.0 / N[3];
        v[0] = p;
        v[1] = (u * k - N[2] * v[0]) / N[3];
        assert_true(ballistic_start(l, 0.0, q, v, 0.0));
        struct fixed_point f;
        int is = two_contacts_limit(l, 0, 1, &f);
        int should = in_turns(w, e, p, s, &T);
        if (is)
            assert_int_equal(is, should);
        else /* on the border, within rounding */
            assert_true(fabs(w - least) < 1e-9);
        if (is > 0)
            assert_true(fabs(f.remaining * k - T) <= (f.rounding + 1e-13) * T);
        ends += is < 0;
        never += is > 0;
        arena_free(a);
    }
    assert_true(ends > 300 && never > 300);
}

/* impacts of feet (mass diagonal) in quadruple precision, each gap and rate by
 * itself, until none closes; -1: more than `most` */
static int
quadruple(int m, const double *mass, const double *N, const double *e,
          const double *q, const double *v, int most)
{
    __float128 W[MOST][MOST], g[MOST], u[MOST];
    int last = -1;
    for (int i = 0; i < m; i++) {
        g[i] = u[i] = 0;
        for (int j = 0; j < 3; j++) {
            g[i] += (__float128)N[i * 3 + j] * q[j];
            u[i] += (__float128)N[i * 3 + j] * v[j];
        }
        for (int k = 0; k < m; k++) {
            W[i][k] = 0;
            for (int j = 0; j < 3; j++)
                W[i][k] +=
                    (__float128)N[i * 3 + j] * N[k * 3 + j] / mass[j * 4];
        }
    }
    for (int n = 0; n <= most; n++) {
        __float128 s = 0, t, p;
        int hit = -1;
        for (int i = 0; i < m; i++)
            if (i != last && u[i] < 0 && (t = -g[i] / u[i], hit < 0 || t < s)) {
                hit = i;
                s = t;
            }
        if (hit < 0)
            return n;
        for (int i = 0; i < m; i++)
            g[i] += u[i] * s;
        g[hit] = 0;
        p = -(1 + (__float128)e[hit]) * u[hit] / W[hit][hit];
        for (int i = 0; i < m; i++)
            u[i] += W[i][hit] * p;
        last = hit;
    }
    return -1;
}

/* More feet than gaps have dimensions, without symmetry: all of the body may
 * come near to the floor in one flight, several times, and lose digits each
 * time. Of 30 000 such systems 0.9 % came to another verdict than in quadruple
 * precision, which loses them later; those that end had as many impacts. */
static void
uneven(void **unused)
{
    (void)unused;
    uint64_t seed = 17;
    int wrong = 0, ended = 0, runs = 6000;
    for (int k = 0; k < runs; k++) {
        struct arena *a = arena_new();
        int m = 4 + k % 3;
        double mass[9] = {0}, N[3 * MOST], c[MOST] = {0}, acc[3] = {0}, e[MOST];
        double one = exp(multi_random(&seed, log(1e-3), log(0.5)));
        for (int j = 0; j < 2; j++) {
            double rho = multi_random(&seed, 0.05, 0.9);
            mass[4 * j] = rho * rho;
        }
        mass[8] = 1.0;
        for (int i = 0; i < m; i++) {
            double b = 2.0 * pi * (i + multi_random(&seed, -0.3, 0.3)) / m;
            double r = multi_random(&seed, 0.7, 1.3);
            N[3 * i] = r * sin(b);
            N[3 * i + 1] = -r * cos(b);
            N[3 * i + 2] = 1.0;
            e[i] = k % 2 ? one : one * multi_random(&seed, 0.5, 1.5);
        }
        double q[3] = {multi_random(&seed, -0.05, 0.05),
                       multi_random(&seed, -0.05, 0.05), 1.0};
        double v[3] = {multi_random(&seed, -0.1, 0.1),
                       multi_random(&seed, -0.1, 0.1), -1.0};
        struct ballistic_model model = {
            .n = 3, .m = m, .mass = mass, .acc = acc, .N = N, .c = c, .e = e};
        struct ballistic *l = NULL;
        struct chatter_run r;
        assert_int_equal(ballistic_new(a, &model, &l), 0);
        assert_true(ballistic_start(l, 0.0, q, v, 0.0));
        chatter_decide(a, l, INFINITY, 16, 100000, &r);
        int n = quadruple(m, mass, N, e, q, v, 400);
        bool ends = r.verdict == CHATTER_INCOMPLETE;
        ended += n >= 0;
        if (r.verdict == CHATTER_SIMULTANEOUS || ends != (n >= 0))
            wrong++;
        else if (ends)
            assert_int_equal(r.impacts, n);
        arena_free(a);
    }
    print_message("%d of %d end, %d otherwise than in quadruple precision\n",
                  ended, runs, wrong);
    assert_in_range(wrong, 0, runs * 3 / 200);
    assert_in_range(ended, runs / 4, runs * 3 / 4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_feet),      cmocka_unit_test(near_critical),
        cmocka_unit_test(partial_border), cmocka_unit_test(pairs),
        cmocka_unit_test(uneven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
