/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Philae's gyroscope, whose friction holds it after 43 minutes: flights of 65
 * minutes per CPU second, against GSL's rk8pd at 1e-12 with the right-hand side
 * and the stop written by hand, once with the spins and the attitude alone,
 * once with the place and its velocity, which Imp always moves. The end states
 * are compared. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#include "analysis/command/command.h"
#include "analysis/driver/commands.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "bench.h"
#include "runtime/instance/record.h"
#include "runtime/numerics/vec3.h"
#include "runtime/setup/new_run.h"

#define REPEATS 9
#define FLIGHTS 20
#define UNTIL 3900.0
#define WHEEL 0.0058 /* kg m^2 */
#define MU0 1e-3     /* N m */
#define MU1 2.68e-6  /* N m s */
#define RATE 865.0   /* 1/s */
#define SPIN 0.0122  /* 1/s */
#define SPEED 0.3    /* m/s */
#define ALL 14       /* spin, rate, attitude, position, velocity */
#define TURNS 8      /* the first three of these */

static const double whole[6] = {13.905, 12.603, 16.523, -0.352, -0.015, 0.007};

/* inertia of what turns as one, and its inverse; does the wheel stick? */
struct lander {
    double I[6], inverse[6];
    bool sticks;
    size_t states;
};

static void
inertia(struct lander *lander, bool sticks)
{
    lander->sticks = sticks;
    memcpy(lander->I, whole, sizeof whole);
    lander->I[2] -= sticks ? 0 : WHEEL;
    sym3_inverse(lander->I, lander->inverse);
}

/* y[3] is the rate of the wheel against the world, while it turns. */
static int
rates(double t, const double *y, double *f, void *ctx)
{
    const struct lander *lander = ctx;
    const double *I = lander->I, *J = lander->inverse, *w = y, *q = y + 4;
    double h = lander->sticks ? 0 : WHEEL * y[3];
    double torque = lander->sticks ? 0 : MU0 + MU1 * (y[3] - w[2]);
    double L[3] = {I[0] * w[0] + I[3] * w[1] + I[4] * w[2],
                   I[3] * w[0] + I[1] * w[1] + I[5] * w[2],
                   I[4] * w[0] + I[5] * w[1] + I[2] * w[2] + h};
    double M[3] = {L[1] * w[2] - L[2] * w[1], L[2] * w[0] - L[0] * w[2],
                   L[0] * w[1] - L[1] * w[0] + torque};

    (void)t;
    f[0] = J[0] * M[0] + J[3] * M[1] + J[4] * M[2];
    f[1] = J[3] * M[0] + J[1] * M[1] + J[5] * M[2];
    f[2] = J[4] * M[0] + J[5] * M[1] + J[2] * M[2];
    f[3] = -torque / WHEEL;
    f[4] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    f[5] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    f[6] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    f[7] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    for (int i = 0; i < 3 && lander->states == ALL; i++) {
        f[8 + i] = y[11 + i];
        f[11 + i] = 0;
    }
    return GSL_SUCCESS;
}

/* Time within a step from `from`, of length h, at which the wheel comes to rest
 * against the lander, by the Illinois method; y: the state there. */
static double
stop(gsl_odeiv2_step *step, const gsl_odeiv2_system *sys, const double *from,
     double h, const double *end, double *y)
{
    double lo = 0, hi = h, flo = from[3] - from[2], fhi = end[3] - end[2];
    double f[ALL], error[ALL], at = h;

    rates(0, from, f, sys->params);
    for (int n = 0, side = 0; n < 60; n++) {
        double next = hi - fhi * (hi - lo) / (fhi - flo);
        if (fabs(next - at) <= 1e-12)
            break;
        at = next;
        memcpy(y, from, sizeof error);
        gsl_odeiv2_step_apply(step, 0, at, y, error, f, NULL, sys);
        double value = y[3] - y[2];
        if (value > 0) {
            lo = at, flo = value;
            fhi *= side == 1 ? 0.5 : 1;
            side = 1;
        } else {
            hi = at, fhi = value;
            flo *= side == -1 ? 0.5 : 1;
            side = -1;
        }
        if (value == 0)
            break;
    }
    return at;
}

/* One flight. Returns when the wheel stuck; y: the state at the end. */
static double
flight(gsl_odeiv2_step *step, gsl_odeiv2_control *control,
       gsl_odeiv2_evolve *evolve, size_t states, double spin, double y[ALL])
{
    struct lander lander = {.states = states};
    gsl_odeiv2_system sys = {rates, NULL, states, &lander};
    double t = 0, h = 0.1, before[ALL], end[ALL], stuck = 0;

    inertia(&lander, false);
    memcpy(y, (double[ALL]){spin, 0, SPIN, RATE + SPIN, 1, [11] = SPEED},
           sizeof before);
    gsl_odeiv2_evolve_reset(evolve);
    gsl_odeiv2_step_reset(step);
    while (t < UNTIL) {
        double t0 = t;
        memcpy(before, y, sizeof before);
        gsl_odeiv2_evolve_apply(evolve, control, step, &sys, &t, UNTIL, &h, y);
        if (lander.sticks || y[3] > y[2])
            continue;
        memcpy(end, y, sizeof end);
        t = stuck = t0 + stop(step, &sys, before, t - t0, end, y);
        inertia(&lander, true);
        y[3] = 0;
        gsl_odeiv2_evolve_reset(evolve);
        gsl_odeiv2_step_reset(step);
    }
    return stuck;
}

/* CPU seconds for one flight. */
static double
by_gsl(size_t states, double spin, double y[ALL], double *stuck)
{
    gsl_odeiv2_step *step =
        gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, states);
    gsl_odeiv2_control *control = gsl_odeiv2_control_y_new(1e-12, 1e-12);
    gsl_odeiv2_evolve *evolve = gsl_odeiv2_evolve_alloc(states);
    double begin = bench_cpu();

    for (int i = 0; i < FLIGHTS; i++)
        *stuck = flight(step, control, evolve, states, spin, y);
    double took = (bench_cpu() - begin) / FLIGHTS;
    gsl_odeiv2_evolve_free(evolve);
    gsl_odeiv2_control_free(control);
    gsl_odeiv2_step_free(step);
    return took;
}

static const char text[] =
    "param wx : 1/s = 0\n"
    "body lander { mass = 97.63\n"
    "  inertia = [13.905, -0.352, -0.015; -0.352, 12.603, 0.007;\n"
    "             -0.015, 0.007, 16.523]\n"
    "  velocity = (0.3, 0, 0)  spin = (wx, 0, 0.0122) }\n"
    "rotor wheel : lander { axis = (0, 0, 1)  inertia = 0.0058  rate = 865\n"
    "  friction = (1.0e-3 [N*m]) + (2.68e-6 [N*m*s])*slip }\n"
    "let bare = simulate { until = 3900  at = 0 }\n"
    "let seen = simulate { until = 3900  at = 3900\n"
    "  record = (lander.body_spin, lander.quaternion) }\n";

/* Runs command 0 or 1. Returns its record, which is in the arena. */
static struct record *
run(struct model *m, struct arena *arena, int command)
{
    struct analysis a = {.rt = m->rt, .ds = &m->s.ds, .commands = all_commands};
    const imp_image *im = m->s.image;
    const imp_command *c = IMP_ARRAY(im, im->commands, imp_command) + command;

    if (rt_restart(m->rt, m->s.params)) /* as each run of a sweep begins */
        exit(3);
    struct record *out = record_new(arena, im, c);
    if (all_commands[c->id]->run(&a, c, out)) {
        driver_print_messages(&m->s.ds, DIAG_TEXT);
        exit(3);
    }
    return out;
}

/* CPU seconds for one flight. */
static double
by_imp(struct model *m)
{
    double begin = bench_cpu();

    for (int i = 0; i < FLIGHTS; i++) {
        struct arena *arena = arena_new();
        run(m, arena, 0);
        arena_free(arena);
    }
    return (bench_cpu() - begin) / FLIGHTS;
}

/* The last row of a column of numbers or of vectors of n entries. */
static const double *
last(const struct record *r, const char *name, size_t n)
{
    int i = record_index(r, name);

    if (i < 0 || r->v[i].n == 0)
        abort();
    return r->v[i].num + (r->v[i].n - 1) * n;
}

static void
one_gyroscope(struct model *m, double spin)
{
    double mine[REPEATS], all[REPEATS], part[REPEATS], y[ALL], stuck = 0;
    double over_all[REPEATS], over_part[REPEATS], error = 0;
    char name[80];

    m->s.params[bench_param(m, "wx")] = spin;
    struct record *seen = run(m, m->s.ds.arena, 1);
    for (int i = 0; i < REPEATS; i++) {
        part[i] = by_gsl(TURNS, spin, y, &stuck);
        mine[i] = by_imp(m);
        all[i] = by_gsl(ALL, spin, y, &stuck);
        over_all[i] = all[i] / mine[i];
        over_part[i] = part[i] / mine[i];
    }
    double x = bench_median(over_all, REPEATS);
    snprintf(name, sizeof name, "gyroscope, precession %g: Imp over rk8pd",
             spin);
    bench_line(name, x, "", "at least 3", x >= 3);
    bench_note(
        "Imp %.4g ms, GSL %.4g ms, without the place %.4g ms (%.3g)",
        1e3 * bench_median(mine, REPEATS), 1e3 * bench_median(all, REPEATS),
        1e3 * bench_median(part, REPEATS), bench_median(over_part, REPEATS));
    error = fabs(*last(seen, "event_times", 1) - stuck);
    for (int i = 0; i < 3; i++)
        error += fabs(last(seen, "lander_body_spin", 3)[i] - y[i]);
    for (int i = 0; i < 4; i++)
        error += fabs(last(seen, "lander_quaternion", 4)[i] - y[4 + i]);
    bench_line("    state at the end against GSL's", error, "", "at most 1e-7",
               error <= 1e-7);
}

void
bench_gyro(void)
{
    struct model m;

    bench_model(&m, text, 2);
    one_gyroscope(&m, 0);
    one_gyroscope(&m, 0.1);
    bench_model_free(&m);
}
