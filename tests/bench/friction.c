/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Friction in the plane. The impact at one point: nanoseconds for one, and no
 * energy gained. A rod that stands almost upright and falls on its rough
 * floor: its tip sticks, slips backward, sticks and slips forward; runs per CPU
 * second, as a system and as a body, against GSL's rk8pd at 1e-13 with modes
 * and events written by hand for this one problem. The end states are compared.
 */
#include <math.h>
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
#include "runtime/friction/friction.h"
#include "runtime/instance/record.h"
#include "runtime/setup/new_run.h"

#define REPEATS 7

/* -- one impact -------------------------------------------------------------
 */

#define IMPACTS 4096
#define PASSES 100

struct impact {
    double A, B, C;
    struct friction_impact_point point;
};

/* Draws a rod of mass 1 and half length 1 that hits the floor with its end. */
static struct impact
draw(struct bench_random *r, enum friction_law law)
{
    double angle = bench_uniform(r, 0, 3.14159), c = cos(angle), s = sin(angle);
    return (struct impact){1 + 3 * s * s,
                           3 * s * c,
                           1 + 3 * c * c,
                           {.mu = bench_uniform(r, 0, 1.5),
                            .e = bench_uniform(r, 0, 1),
                            .law = law,
                            .normal = bench_uniform(r, -2, -0.01),
                            .slip = bench_uniform(r, -2, 2)}};
}

/* Nanoseconds for one impact by this law; *gain: the greatest work done. */
static double
impact_by(enum friction_law law, double *gain)
{
    static struct impact all[IMPACTS];
    struct friction_impact out;
    struct bench_random r = {17};
    double took[REPEATS], sum = 0;

    for (int i = 0; i < IMPACTS; i++)
        all[i] = draw(&r, law);
    for (int k = 0; k < REPEATS; k++) {
        double begin = bench_cpu();
        for (int i = 0; i < PASSES * IMPACTS; i++) {
            const struct impact *in = &all[i % IMPACTS];
            friction_impact_one(in->A, in->B, in->C, &in->point, &out);
            sum += out.after[1];
        }
        took[k] = (bench_cpu() - begin) / (PASSES * IMPACTS) * 1e9;
    }
    for (int i = 0; i < IMPACTS; i++) {
        const struct impact *in = &all[i];
        friction_impact_one(in->A, in->B, in->C, &in->point, &out);
        *gain = fmax(*gain, out.work[0] + out.work[1]);
    }
    if (!isfinite(sum))
        abort();
    return bench_median(took, REPEATS);
}

static void
impacts(void)
{
    static const char *const name[] = {"Newton", "Poisson", "energetic"};
    double gain = 0, newton = 0;

    for (int law = 0; law < 3; law++) {
        char text[80];
        double ns = impact_by(law, law == FRICTION_NEWTON ? &newton : &gain);
        snprintf(text, sizeof text, "impact with friction, %s", name[law]);
        bench_line(text, ns, "ns", "under 60", ns < 60);
    }
    bench_line("    energy gained, Poisson and energetic", gain, "J",
               "at most 1e-15", gain <= 1e-15);
}

/* -- a falling rod by GSL ---------------------------------------------------
 */

/* half length, mass and gravity are 1; inertia 1/3 */
#define MU 0.36
#define UNTIL 6.7
#define START (M_PI / 2 - 0.01)
enum { X, Y, THETA, VX, VY, OMEGA, STATES }; /* centre, angle, their rates */

struct rod {
    int slips; /* sign of the slip; 0: sticks */
};

/* The slip of the tip at X + cos(theta), Y - sin(theta). */
static double
slip(const double *y)
{
    return y[VX] - sin(y[THETA]) * y[OMEGA];
}

/* Forces of the tip, and the rates of all states. */
static void
forces(const struct rod *rod, const double *y, double *f, double *normal,
       double *tangential)
{
    double c = cos(y[THETA]), s = sin(y[THETA]), w2 = y[OMEGA] * y[OMEGA];

    if (rod->slips) {
        *normal = (1 - s * w2) / (1 - 3 * c * (MU * rod->slips * s - c));
        *tangential = -MU * rod->slips * *normal;
    } else {
        double alpha = -0.75 * c;
        *normal = 1 + c * alpha - s * w2;
        *tangential = c * w2 + s * alpha;
    }
    memcpy(f, y + VX, 3 * sizeof *f);
    f[VX] = *tangential;
    f[VY] = *normal - 1;
    f[OMEGA] = -3 * (c * *normal + s * *tangential);
}

static int
rates(double t, const double *y, double *f, void *ctx)
{
    double normal, tangential;

    (void)t;
    forces(ctx, y, f, &normal, &tangential);
    return GSL_SUCCESS;
}

/* What is positive while the mode lasts. */
static double
watched(const struct rod *rod, const double *y)
{
    double f[STATES], normal, tangential;

    if (rod->slips)
        return rod->slips * slip(y);
    forces(rod, y, f, &normal, &tangential);
    return MU * normal - fabs(tangential);
}

/* Chooses the next mode at an event. */
static void
change(struct rod *rod, double *y)
{
    double f[STATES], normal, tangential;
    struct rod stuck = {0};

    forces(&stuck, y, f, &normal, &tangential);
    if (rod->slips) {
        y[VX] = sin(y[THETA]) * y[OMEGA];
        rod->slips = fabs(tangential) <= MU * normal ? 0 : -rod->slips;
    } else {
        rod->slips = tangential > 0 ? -1 : 1;
    }
}

/* Time within a step from `from`, of length h, at which what is watched comes
 * to 0, by the Illinois method; y: the state there. */
static double
root(gsl_odeiv2_step *step, const gsl_odeiv2_system *sys, const double *from,
     double h, double at_end, double *y)
{
    double lo = 0, hi = h, flo = watched(sys->params, from), fhi = at_end;
    double f[STATES], error[STATES], at = h;

    rates(0, from, f, sys->params);
    for (int n = 0, side = 0; n < 60; n++) {
        double next = hi - fhi * (hi - lo) / (fhi - flo);
        if (fabs(next - at) <= 1e-15)
            break;
        at = next;
        memcpy(y, from, sizeof error);
        gsl_odeiv2_step_apply(step, 0, at, y, error, f, NULL, sys);
        double value = watched(sys->params, y);
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

/* One fall; y: the state at its end. Returns how many events it had. */
static int
fall(gsl_odeiv2_step *step, gsl_odeiv2_control *control,
     gsl_odeiv2_evolve *evolve, double y[STATES])
{
    struct rod rod = {0};
    gsl_odeiv2_system sys = {rates, NULL, STATES, &rod};
    double t = 0, h = 1e-2, before[STATES];
    int events = 0;

    memcpy(y, (double[STATES]){[Y] = sin(START), [THETA] = START},
           sizeof before);
    gsl_odeiv2_evolve_reset(evolve);
    gsl_odeiv2_step_reset(step);
    while (t < UNTIL) {
        double t0 = t, first = watched(&rod, y);
        memcpy(before, y, sizeof before);
        gsl_odeiv2_evolve_apply(evolve, control, step, &sys, &t, UNTIL, &h, y);
        double value = watched(&rod, y);
        /* a slip that has just begun is 0 or rounding */
        if (!(value < 0 && first > 0))
            continue;
        t = t0 + root(step, &sys, before, t - t0, value, y);
        change(&rod, y);
        events++;
        gsl_odeiv2_evolve_reset(evolve);
        gsl_odeiv2_step_reset(step);
    }
    return events;
}

#define FALLS 100

/* CPU seconds for one fall. */
static double
by_gsl(double y[STATES], int *events)
{
    gsl_odeiv2_step *step =
        gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, STATES);
    gsl_odeiv2_control *control = gsl_odeiv2_control_y_new(1e-13, 1e-13);
    gsl_odeiv2_evolve *evolve = gsl_odeiv2_evolve_alloc(STATES);
    double begin = bench_cpu();

    for (int i = 0; i < FALLS; i++)
        *events = fall(step, control, evolve, y);
    double took = (bench_cpu() - begin) / FALLS;
    gsl_odeiv2_evolve_free(evolve);
    gsl_odeiv2_control_free(control);
    gsl_odeiv2_step_free(step);
    return took;
}

/* -- the same by Imp --------------------------------------------------------
 */

/* -theta is the angle of the body. */
static const char system_text[] =
    "param at = pi/2 - 0.01\n"
    "param T = 6.7 [s]\n"
    "param l = 1 [m]\n"
    "param g = 1 [m/s^2]\n"
    "param m = 1 [kg]\n"
    "system rod {\n"
    "  coordinate X, Y, theta\n"
    "  kinetic = m*(X'^2 + Y'^2 + l^2*theta'^2/3)/2\n"
    "  potential = m*g*Y\n"
    "  contact tip {\n"
    "    gap = Y - l*sin(theta)  slide = X + l*cos(theta)\n"
    "    friction = 0.36 }\n"
    "  start { theta = at  Y = l*sin(at) } }\n"
    "let bare = simulate { until = T  at = 0 [s] }\n"
    "let seen = simulate { until = T  at = T\n"
    "  record = (rod.theta, rod.theta', rod.tip.slip) }\n";
static const char body_text[] =
    "use shapes\n"
    "param at = pi/2 - 0.01\n"
    "param T = 6.7 [s]\n"
    "world { gravity = (0, -1) }\n"
    "body floor : half_plane { fixed = true }\n"
    "body rod : polygon([-1, 0; 0, -1e-7; 1, 0; 0, 1e-7]) {\n"
    "  mass = 1  inertia = 1/3  position = (0, (sin(at)) [m])  angle = -at }\n"
    "contact tip : floor | rod { friction = 0.36  restitution = 0 }\n"
    "let bare = simulate { until = T  at = 0 [s] }\n"
    "let seen = simulate { until = T  at = T\n"
    "  record = (rod.angle, rod.spin, tip.slip) }\n";

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

/* CPU seconds for one fall. */
static double
by_imp(struct model *m)
{
    double begin = bench_cpu();

    for (int i = 0; i < FALLS; i++) {
        struct arena *arena = arena_new();
        run(m, arena, 0);
        arena_free(arena);
    }
    return (bench_cpu() - begin) / FALLS;
}

/* The last number of a column. */
static double
last(const struct record *r, const char *name)
{
    int i = record_index(r, name);

    if (i < 0)
        abort();
    return r->v[i].num[r->v[i].n - 1];
}

static void
falling_rod(const char *what, const char *text, const char *const name[3],
            double sign)
{
    double mine[REPEATS], theirs[REPEATS], ratio[REPEATS], y[STATES];
    char title[80];
    struct model m;
    int events = 0;

    bench_model(&m, text, 2);
    struct record *seen = run(&m, m.s.ds.arena, 1);
    for (int i = 0; i < REPEATS; i++) {
        theirs[i] = by_gsl(y, &events);
        mine[i] = by_imp(&m);
        ratio[i] = theirs[i] / mine[i];
    }
    double x = bench_median(ratio, REPEATS);
    snprintf(title, sizeof title, "falling rod, %s: Imp over rk8pd", what);
    bench_line(title, x, "", "at least 3", x >= 3);
    bench_note("Imp %.4g us, GSL %.4g us for a fall with %d events",
               1e6 * bench_median(mine, REPEATS),
               1e6 * bench_median(theirs, REPEATS), events);
    double error = fabs(last(seen, name[0]) - sign * y[THETA]) +
                   fabs(last(seen, name[1]) - sign * y[OMEGA]) +
                   fabs(last(seen, name[2]) - slip(y));
    bench_line("    state at the end against GSL's", error, "", "at most 1e-9",
               error <= 1e-9);
    bench_model_free(&m);
}

void
bench_friction(void)
{
    impacts();
    falling_rod(
        "a system", system_text,
        (const char *const[]){"rod_theta", "rod_theta_dot", "rod_tip_slip"}, 1);
    falling_rod("a body", body_text,
                (const char *const[]){"rod_angle", "rod_spin", "tip_slip"}, -1);
}
