/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems whose motion between impacts is a parabola: balls, rods and feet by
 * their mass matrices and gaps, and runs of them (runtime/ballistic). */
#ifndef BALLISTIC_HELP_H
#define BALLISTIC_HELP_H

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

#define MOST 10

struct sys {
    int n, m;
    double mass[MOST * MOST], acc[MOST], N[MOST * MOST], c[MOST], e[MOST];
    double q[MOST], v[MOST];
};

static inline struct ballistic *
made(struct arena *a, const struct sys *s)
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
    return l;
}

static inline void
close_to(double x, double ref, double tol, const char *what)
{
    if (!(fabs(x - ref) <= tol))
        fail_msg("%s: %.17g, not %.17g: off by %.3g > %.3g", what, x, ref,
                 fabs(x - ref), tol);
}

static inline struct sys
ball(double e, double g, double h, double u)
{
    struct sys s = {.n = 1, .m = 1};
    s.mass[0] = 1;
    s.acc[0] = -g;
    s.N[0] = 1;
    s.e[0] = e;
    s.q[0] = h;
    s.v[0] = u;
    return s;
}

/* q = (phi, h), ends at h +- phi; heights and velocities of the ends */
static inline struct sys
rod(double rho, double e, double g, double h0, double h1, double u0, double u1)
{
    struct sys s = {.n = 2, .m = 2};
    s.mass[0] = rho * rho;
    s.mass[3] = 1;
    s.acc[1] = -g;
    s.N[0] = 1;
    s.N[2] = -1;
    s.N[1] = s.N[3] = 1;
    s.e[0] = s.e[1] = e;
    s.q[0] = 0.5 * (h0 - h1);
    s.q[1] = 0.5 * (h0 + h1);
    s.v[0] = 0.5 * (u0 - u1);
    s.v[1] = 0.5 * (u0 + u1);
    return s;
}

/* chatter.md 1.4: q = (phi_x, phi_y, h), f_i = (y_i, -x_i, 1) */
static inline struct sys
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

static inline struct sys
square_reference(double e)
{
    struct sys s = feet(4, 0.3, e, 0);
    static const double N[] = {0, -1, 1, 1, 0, 1, 0, 1, 1, -1, 0, 1};
    memcpy(s.N, N, sizeof N);
    double q[] = {0.02, 0.01, 1}, v[] = {0.05, 0.03, -1};
    memcpy(s.q, q, sizeof q);
    memcpy(s.v, v, sizeof v);
    return s;
}

static inline double
energy(const struct sys *s, const double *q, const double *v)
{
    double E = 0;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++)
            E += s->mass[i * s->n + j] * (0.5 * v[i] * v[j] - q[i] * s->acc[j]);
    return E;
}

static inline double
terms(const struct sys *s, const double *q, const double *v)
{
    double size = 0;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++)
            size += fabs(s->mass[i * s->n + j]) *
                    (fabs(v[i] * v[j]) + fabs(q[i] * s->acc[j]));
    return size;
}

struct run {
    enum ballistic_event what; /* the last */
    long impacts;              /* before it */
    double last;               /* time of the last impact */
    long chatters;
};

/* until something else than impacts; chatters > 0: go on behind so many */
static inline struct run
follow(struct ballistic *l, double until, long most, long chatters)
{
    struct run r = {BALLISTIC_IMPACT, 0, l->t, 0};
    for (long i = 0; i < most; i++) {
        r.what = accumulation_next(l, until);
        if (r.what == BALLISTIC_ACCUMULATION && ++r.chatters <= chatters)
            continue;
        if (r.what != BALLISTIC_IMPACT && r.what != BALLISTIC_SEVERAL)
            break;
        r.last = l->t;
    }
    r.impacts = l->impacts;
    return r;
}

static inline struct run
go(struct ballistic *l, const struct sys *s, double until, long most,
   long chatters)
{
    assert_true(ballistic_start(l, 0, s->q, s->v, 0));
    return follow(l, until, most, chatters);
}

static uint64_t seed = 1;

static inline double
draw(double lo, double hi)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

#endif
