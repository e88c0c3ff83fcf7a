/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chatter in closed form against C written by hand for the one problem:
 * bouncing ball (within 3 times per impact), small-rotation rod and square, to
 * the verdict (within 5 times), and verdicts per second over the (rho, gamma)
 * plane. What is timed is audited: energy, gaps, and the same verdicts. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "bench.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/ballistic/ballistic.h"

#define REPEATS 7
/* a ratio known to this decides on completeness */
#define KNOWN 1e-6

struct problem {
    int n, m;
    double mass[9], acc[3], N[12], c[4], e[4], q[3], v[3];
};

static struct ballistic_model
model_of(const struct problem *p)
{
    return (struct ballistic_model){.n = p->n,
                                    .m = p->m,
                                    .mass = p->mass,
                                    .acc = p->acc,
                                    .N = p->N,
                                    .c = p->c,
                                    .e = p->e};
}

static void
wrong(const char *what)
{
    printf("line: %s\n", what);
    exit(3);
}

static struct ballistic *
ballistic_of(struct arena *a, const struct problem *p)
{
    struct ballistic_model m = model_of(p);
    struct ballistic *l;
    if (ballistic_new(a, &m, &l))
        wrong("mass");
    return l;
}

/* -- ball -------------------------------------------------------------------
 */

#define BOUNCES 1000000L

/* flight from rest on the ground with speed u and a root of the parabola, as
 * one would for any height */
__attribute__((noipa)) static double
ball_by_hand(double h, double u, double g, double e, long n, double *speed)
{
    double t = 0.0;
    for (long i = 0; i < n; i++) {
        double root = sqrt(u * u + 2.0 * g * h), s = (u + root) / g;
        t += s;
        u = e * root;
        h = 0.0;
    }
    *speed = u;
    return t;
}

static void
ball(void)
{
    struct arena *a = arena_new();
    struct problem p = {.n = 1, .m = 1};
    p.mass[0] = p.N[0] = p.e[0] = p.q[0] = 1.0;
    p.acc[0] = -9.81;
    struct ballistic *l = ballistic_of(a, &p);
    double mine[REPEATS], hand[REPEATS], ratio[REPEATS], speed, worst = 0.0;
    for (int k = 0; k < REPEATS; k++) {
        double t0 = bench_now();
        volatile double t = ball_by_hand(1, 0, 9.81, 1, BOUNCES, &speed);
        double t1 = bench_now();
        ballistic_start(l, 0, p.q, p.v, 0);
        for (long i = 0; i < BOUNCES; i++)
            accumulation_next(l, INFINITY);
        double t2 = bench_now(), q, v;
        ballistic_state(l, &q, &v);
        worst = fmax(worst, fabs(0.5 * v * v / 9.81 - 1.0) + fabs(fmin(q, 0)));
        worst = fmax(worst, fabs(l->t / t - 1.0) * 1e-3);
        hand[k] = (t1 - t0) / BOUNCES * 1e9;
        mine[k] = (t2 - t1) / BOUNCES * 1e9;
        ratio[k] = mine[k] / hand[k];
    }
    bench_line("ball, by hand", bench_median(hand, REPEATS), "ns/impact", "",
               true);
    bench_line("ball", bench_median(mine, REPEATS), "ns/impact", "", true);
    double r = bench_median(ratio, REPEATS);
    bench_line("ball / by hand", r, "", "<= 3", r <= 3.0);
    bench_line("ball, energy after 10^6 impacts", worst, "", "<= 1e-12",
               worst <= 1e-12);
    arena_free(a);
}

/* -- rod --------------------------------------------------------------------
 */

static struct problem
rod_problem(double rho, double e)
{
    struct problem p = {.n = 2, .m = 2};
    p.mass[0] = rho * rho;
    p.mass[3] = 1.0;
    p.N[0] = p.N[1] = p.N[3] = 1.0;
    p.N[2] = -1.0;
    p.e[0] = p.e[1] = e;
    p.q[0] = 0.01;
    p.q[1] = 1.0;
    p.v[0] = -0.05;
    p.v[1] = -1.0;
    return p;
}

/* The rule of both peers: from the 16th impact on, the order repeats three
 * times, and the ratio of the times of its periods is known. It is that of
 * accumulation_accept_error(KNOWN) for flights; a map of a period or the law of
 * two contacts may tell the verdict of Imp after fewer impacts, so that ratios
 * are given by verdict and by impact. What they leave out: the time since the
 * start, a bound for impacts that come together, the state at the limit. */
struct history {
    double flight[16];
    int contact[16];
};

static inline bool
known(const struct history *h, long n, int period)
{
    double t[3] = {0};
    for (int i = 0; i < 2 * period; i++)
        if (h->contact[(n - i) & 15] != h->contact[(n - i - period) & 15])
            return false;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < period; i++)
            t[k] += h->flight[(n - k * period - i) & 15];
    double ratio = t[0] / t[1], change = fabs(ratio - t[1] / t[2]);
    return t[0] < t[1] && t[1] < t[2] &&
           change * (double)(n / period) <= KNOWN * (1 - ratio);
}

static void
rescale(struct history *h, double by)
{
    for (int i = 0; i < 16; i++)
        h->flight[i] *= by;
}

/* impacts, and whether it is complete */
__attribute__((noipa)) static long
rod_by_hand(double rho, double e, const double *q, const double *v,
            bool *complete)
{
    double w = (rho * rho - 1) / (rho * rho + 1);
    double h0 = q[1] + q[0], h1 = q[1] - q[0], u0 = v[1] + v[0],
           u1 = v[1] - v[0];
    struct history past = {0};
    for (long k = 0;; k++) {
        double s0 = u0 < 0 && h0 > 0 ? -h0 / u0 : INFINITY;
        double s1 = u1 < 0 && h1 > 0 ? -h1 / u1 : INFINITY;
        double s = s0 < s1 ? s0 : s1;
        *complete = false;
        if (isinf(s))
            return k;
        h0 += u0 * s;
        h1 += u1 * s;
        if (s0 < s1) {
            u1 -= (1 + e) * w * u0;
            u0 *= -e;
            h0 = 0;
        } else {
            u0 -= (1 + e) * w * u1;
            u1 *= -e;
            h1 = 0;
        }
        past.flight[k & 15] = s;
        past.contact[k & 15] = !(s0 < s1);
        *complete = k >= 15 && (k & 3) == 3 && known(&past, k, 2);
        if (*complete)
            return k + 1;
        if (fabs(u0) + fabs(u1) < 0x1p-40) { /* mantissas */
            u0 *= 0x1p40;
            u1 *= 0x1p40;
            rescale(&past, 0x1p-40);
        }
        if (h0 + h1 < 0x1p-200) {
            h0 *= 0x1p200;
            h1 *= 0x1p200;
            rescale(&past, 0x1p200);
        }
    }
}

/* -- square -----------------------------------------------------------------
 */

static struct problem
square_problem(double rho, double e)
{
    static const double N[] = {0, -1, 1, 1, 0, 1, 0, 1, 1, -1, 0, 1};
    struct problem p = {.n = 3, .m = 4};
    p.mass[0] = p.mass[4] = rho * rho;
    p.mass[8] = 1.0;
    memcpy(p.N, N, sizeof N);
    for (int i = 0; i < 4; i++)
        p.e[i] = e;
    double q[] = {0.02, 0.01, 1}, v[] = {0.05, 0.03, -1};
    memcpy(p.q, q, sizeof q);
    memcpy(p.v, v, sizeof v);
    return p;
}

__attribute__((noipa)) static long
square_by_hand(double rho, double e, const double *q0, const double *v0,
               bool *complete)
{
    double x = q0[0], y = q0[1], h = q0[2], a = v0[0], b = v0[1], u = v0[2];
    double k = (1 + e) / (1 + 1 / (rho * rho)), r = 1 / (rho * rho);
    struct history past = {0};
    int hit = -1;
    for (long n = 0;; n++) {
        double g[4] = {h - y, h + x, h + y, h - x};
        double d[4] = {u - b, u + a, u + b, u - a}, s = INFINITY;
        int c = -1;
        for (int i = 0; i < 4; i++) {
            double si = i != hit && d[i] < 0 ? -g[i] / d[i] : INFINITY;
            if (si < s) {
                s = si;
                c = i;
            }
        }
        *complete = false;
        if (c < 0)
            return n;
        x += a * s;
        y += b * s;
        h += u * s;
        double p = -k * d[c], z;
        u += p;
        switch (c) {
        case 0:
            b -= p * r;
            z = (h - y) / (1 + r);
            h -= z;
            y += z * r;
            break;
        case 1:
            a += p * r;
            z = (h + x) / (1 + r);
            h -= z;
            x -= z * r;
            break;
        case 2:
            b += p * r;
            z = (h + y) / (1 + r);
            h -= z;
            y -= z * r;
            break;
        default:
            a -= p * r;
            z = (h - x) / (1 + r);
            h -= z;
            x += z * r;
        }
        hit = c;
        past.flight[n & 15] = s;
        past.contact[n & 15] = c;
        *complete = n >= 15 && (n & 3) == 3 && known(&past, n, 4);
        if (*complete)
            return n + 1;
        if (fabs(a) + fabs(b) + fabs(u) < 0x1p-40) {
            a *= 0x1p40;
            b *= 0x1p40;
            u *= 0x1p40;
            rescale(&past, 0x1p-40);
        }
        if (h < 0x1p-200) {
            x *= 0x1p200;
            y *= 0x1p200;
            h *= 0x1p200;
            rescale(&past, 0x1p200);
        }
    }
}

/* -- the plane --------------------------------------------------------------
 */

#define SIDE 100

/* verdict of one point; the matrices are made here */
static bool
verdict(struct ballistic *l, const struct problem *p, bool renew, long *impacts)
{
    enum ballistic_event what;
    struct ballistic_model m = model_of(p);
    if (renew)
        ballistic_renew(l, &m);
    ballistic_start(l, 0, p->q, p->v, 0);
    while ((what = accumulation_run(l, INFINITY, LONG_MAX)) == BALLISTIC_IMPACT)
        ;
    *impacts += l->impacts;
    return what == BALLISTIC_ACCUMULATION;
}

/* ns per verdict: by hand; the start and what follows; the matrices too */
struct cost {
    double hand, mine, all;
    long n_hand, n_mine, differ, complete;
};
typedef struct problem make_problem(double rho, double e);
typedef long by_hand(double rho, double e, const double *q, const double *v,
                     bool *complete);

static struct cost
cost_of(struct ballistic **l, make_problem *make, by_hand *hand)
{
    struct cost c = {0};
    bool theirs[SIDE], ours[SIDE];
    struct problem p[SIDE];
    long more = 0;
    for (int i = 0; i < SIDE; i++) {
        double rho = 0.02 + 0.6 * i / SIDE;
        for (int j = 0; j < SIDE; j++)
            p[j] = make(rho, 0.005 + 0.8 * j / SIDE);
        double t0 = bench_now();
        for (int j = 0; j < SIDE; j++)
            c.n_hand += hand(rho, p[j].e[0], p[j].q, p[j].v, &theirs[j]);
        double t1 = bench_now();
        for (int j = 0; j < SIDE; j++)
            ours[j] = verdict(l[j], &p[j], true, &c.n_mine);
        double t2 = bench_now();
        for (int j = 0; j < SIDE; j++)
            ours[j] &= verdict(l[j], &p[j], false, &more);
        double t3 = bench_now();
        c.hand += (t1 - t0) * 1e9 / (SIDE * SIDE);
        c.all += (t2 - t1) * 1e9 / (SIDE * SIDE);
        c.mine += (t3 - t2) * 1e9 / (SIDE * SIDE);
        for (int j = 0; j < SIDE; j++) {
            c.differ += ours[j] != theirs[j];
            c.complete += ours[j];
        }
    }
    return c;
}

static void
plane(const char *name, make_problem *make, by_hand *hand)
{
    struct arena *a = arena_new();
    struct problem p = make(0.3, 0.1);
    struct ballistic *l[SIDE];
    double ratio[REPEATS], per[REPEATS], rate[REPEATS], theirs[REPEATS];
    struct cost c = {0};
    char text[80];
    for (int j = 0; j < SIDE; j++) {
        l[j] = ballistic_of(a, &p);
        accumulation_accept_error(l[j], KNOWN);
        accumulation_skip_rates(l[j], true); /* a verdict, no ratios */
        accumulation_verdict_only(l[j], true);
    }
    for (int k = 0; k < REPEATS; k++) {
        c = cost_of(l, make, hand);
        theirs[k] = c.hand * SIDE * SIDE / (double)c.n_hand;
        per[k] = c.mine * SIDE * SIDE / (double)c.n_mine;
        ratio[k] = c.mine / c.hand;
        rate[k] = 1e9 / c.all;
    }
    snprintf(text, sizeof text, "%s, by hand", name);
    bench_line(text, bench_median(theirs, REPEATS), "ns/impact", "", true);
    bench_line(name, bench_median(per, REPEATS), "ns/impact", "", true);
    snprintf(text, sizeof text, "%s / by hand, to the verdict", name);
    double r = bench_median(ratio, REPEATS);
    bench_line(text, r, "", "<= 5", r <= 5.0);
    r = bench_median(per, REPEATS) / bench_median(theirs, REPEATS);
    snprintf(text, sizeof text, "%s / by hand, per impact", name);
    bench_line(text, r, "", "<= 5", r <= 5.0);
    snprintf(text, sizeof text, "%s, verdicts on one core", name);
    double s = bench_median(rate, REPEATS);
    bench_line(text, s, "1/s", ">= 5e5", s >= 5e5);
    snprintf(text, sizeof text, "%s, other verdicts than by hand", name);
    bench_line(text, (double)c.differ, "", "0", c.differ == 0);
    bench_note("%d points, %ld complete, %.1f impacts each (by hand %.1f)",
               SIDE * SIDE, c.complete, (double)c.n_mine / (SIDE * SIDE),
               (double)c.n_hand / (SIDE * SIDE));
    arena_free(a);
}

void
bench_chatter(void)
{
    ball();
    plane("rod", rod_problem, rod_by_hand);
    plane("square", square_problem, square_by_hand);
}
