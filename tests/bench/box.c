/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tumbling box: 13 states, 8 vertices over a floor, gravity, e = 1. Impacts
 * per CPU second of `simulate`, against GSL's rk8pd at 1e-13 with bracketing
 * written by hand for this one problem. A rate without its audit does not
 * count: every impact's energy, and the least height of any vertex on every
 * flight, by a Taylor series of its own (flight_lowest), that shares nothing
 * with either. */
#include <float.h>
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
#include "runtime/instance/record.h"
#include "runtime/setup/new_run.h"

#define RUNS 7
#define IMPACTS 2500
#define STATES 13
enum { X = 0, Q = 3, V = 7, W = 10 }; /* the state, as Imp has it */

/* a box that tumbles about no axis in particular */
static const double edge[3] = {1.0, 0.8, 0.6}, mass = 2.0, g = 9.81;
static const double start[STATES] = {0, 0, 1.6, 1,   0,   0,   0,
                                     0, 0, 0,   1.5, 2.5, -2.0};

static void
inertia(double I[3])
{
    for (int i = 0; i < 3; i++) {
        double b = edge[(i + 1) % 3], c = edge[(i + 2) % 3];
        I[i] = mass * (b * b + c * c) / 12;
    }
}

static double
energy(const double *y)
{
    double I[3], e = mass * g * y[X + 2];

    inertia(I);
    for (int i = 0; i < 3; i++)
        e += 0.5 * (mass * y[V + i] * y[V + i] + I[i] * y[W + i] * y[W + i]);
    return e;
}

static void
corner(int i, double r[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = (i >> k & 1 ? 0.5 : -0.5) * edge[k];
}

/* R^T e_z: the floor's normal in the axes of the box */
static void
upward(const double *q, double n[3])
{
    n[0] = 2 * (q[1] * q[3] - q[0] * q[2]);
    n[1] = 2 * (q[2] * q[3] + q[0] * q[1]);
    n[2] = q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3];
}

/* height of a corner, and its rate */
static double
height(const double *y, int i, double *rate)
{
    double n[3], r[3];

    upward(y + Q, n);
    corner(i, r);
    const double *w = y + W;
    *rate = y[V + 2] + n[0] * (w[1] * r[2] - w[2] * r[1]) +
            n[1] * (w[2] * r[0] - w[0] * r[2]) +
            n[2] * (w[0] * r[1] - w[1] * r[0]);
    return y[X + 2] + n[0] * r[0] + n[1] * r[1] + n[2] * r[2];
}

/* elastic, without friction, at corner i */
static void
bounce(double *y, int i)
{
    double n[3], r[3], I[3], rate, m = 1 / mass;

    inertia(I);
    upward(y + Q, n);
    corner(i, r);
    height(y, i, &rate);
    double rn[3] = {r[1] * n[2] - r[2] * n[1], r[2] * n[0] - r[0] * n[2],
                    r[0] * n[1] - r[1] * n[0]};
    for (int k = 0; k < 3; k++)
        m += rn[k] * rn[k] / I[k];
    double P = -2 * rate / m;
    y[V + 2] += P / mass;
    for (int k = 0; k < 3; k++)
        y[W + k] += P * rn[k] / I[k];
}

/* -- what happened: states before and after every impact --------------------
 */

struct history {
    size_t n;
    double *t, (*before)[STATES], (*after)[STATES];
};

static void
history_new(struct history *h)
{
    h->n = 0;
    h->t = malloc(sizeof *h->t * (IMPACTS + 1));
    h->before = malloc(sizeof *h->before * (IMPACTS + 1));
    h->after = malloc(sizeof *h->after * (IMPACTS + 1));
    memcpy(h->after[0], start, sizeof start);
    h->t[0] = 0;
}

static void
history_free(struct history *h)
{
    free(h->t);
    free(h->before);
    free(h->after);
}

/* -- audit ------------------------------------------------------------------
 */

#define ORDER 26
struct series {
    double w[3][ORDER + 1], q[4][ORDER + 1];
};

static double
product(const double *a, const double *b, int k)
{
    double s = 0;

    for (int j = 0; j <= k; j++)
        s += a[j] * b[k - j];
    return s;
}

static void
expand(const double *y, struct series *s)
{
    double I[3];

    inertia(I);
    for (int i = 0; i < 3; i++)
        s->w[i][0] = y[W + i];
    for (int i = 0; i < 4; i++)
        s->q[i][0] = y[Q + i];
    for (int k = 0; k < ORDER; k++) {
        double p[4][3];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++)
                p[i][j] = 0.5 * product(s->q[i], s->w[j], k);
        const double d[4] = {
            -p[1][0] - p[2][1] - p[3][2], p[0][0] + p[2][2] - p[3][1],
            p[0][1] + p[3][0] - p[1][2], p[0][2] + p[1][1] - p[2][0]};
        for (int i = 0; i < 4; i++)
            s->q[i][k + 1] = d[i] / (k + 1);
        for (int i = 0; i < 3; i++) {
            int a = (i + 1) % 3, b = (i + 2) % 3;
            s->w[i][k + 1] =
                (I[a] - I[b]) / I[i] * product(s->w[a], s->w[b], k) / (k + 1);
        }
    }
}

static double
value(const double *c, double t)
{
    double s = c[ORDER];

    for (int k = ORDER - 1; k >= 0; k--)
        s = s * t + c[k];
    return s;
}

static void
state_at(const double *y, const struct series *s, double t, double *out)
{
    for (int i = 0; i < 3; i++) {
        out[X + i] = y[X + i] + t * y[V + i];
        out[V + i] = y[V + i];
        out[W + i] = value(s->w[i], t);
    }
    out[X + 2] -= 0.5 * g * t * t;
    out[V + 2] -= g * t;
    for (int i = 0; i < 4; i++)
        out[Q + i] = value(s->q[i], t);
}

static double
lowest(const double *y, const struct series *s, double t)
{
    double z[STATES], low = INFINITY, rate;

    state_at(y, s, t, z);
    for (int i = 0; i < 8; i++)
        low = fmin(low, height(z, i, &rate));
    return low;
}

/* least height of any corner within dt of the flight from y, which moves on to
 * its end; golden section about every least sample that is near */
#define SAMPLES 24
static double
flight_lowest(double *y, double dt)
{
    double least = INFINITY;

    while (dt > 0) {
        double w =
            sqrt(y[W] * y[W] + y[W + 1] * y[W + 1] + y[W + 2] * y[W + 2]);
        double h = fmin(dt, 0.4 / w), at[SAMPLES + 1], end[STATES];
        struct series s;
        expand(y, &s);
        for (int i = 0; i <= SAMPLES; i++) {
            at[i] = lowest(y, &s, h * i / SAMPLES);
            least = fmin(least, at[i]);
        }
        for (int i = 1; i < SAMPLES; i++) {
            double lo = h * (i - 1) / SAMPLES, hi = h * (i + 1) / SAMPLES;
            if (at[i] > at[i - 1] || at[i] > at[i + 1] || at[i] > 1e-2)
                continue;
            for (int n = 0; n < 60; n++) {
                double a = lo + 0.382 * (hi - lo), b = lo + 0.618 * (hi - lo);
                if (lowest(y, &s, a) < lowest(y, &s, b))
                    hi = b;
                else
                    lo = a;
            }
            least = fmin(least, lowest(y, &s, 0.5 * (lo + hi)));
        }
        state_at(y, &s, h, end);
        memcpy(y, end, sizeof end);
        dt = h < dt ? dt - h : 0;
    }
    return least;
}

struct audit {
    double energy, lowest, motion, clock;
};

static struct audit
audit(const struct history *h)
{
    struct audit a = {0, INFINITY, 0, 0};
    double e0 = energy(start);

    for (size_t i = 1; i <= h->n; i++) {
        double y[STATES];
        /* differences of times of 1000 s have 12 digits; what gravity makes of
         * the velocity, 16 */
        double dt = (h->after[i - 1][V + 2] - h->before[i][V + 2]) / g;
        a.clock = fmax(a.clock, fabs(dt - (h->t[i] - h->t[i - 1])));
        memcpy(y, h->after[i - 1], sizeof y);
        a.lowest = fmin(a.lowest, flight_lowest(y, dt));
        for (int k = 0; k < STATES; k++)
            a.motion = fmax(a.motion, fabs(y[k] - h->before[i][k]));
        a.energy = fmax(a.energy, fabs(energy(h->after[i]) / e0 - 1));
    }
    return a;
}

/* -- GSL --------------------------------------------------------------------
 */

static int
rhs(double t, const double *y, double *f, void *ctx)
{
    const double *I = ctx, *q = y + Q, *w = y + W;

    (void)t;
    f[0] = y[V];
    f[1] = y[V + 1];
    f[2] = y[V + 2];
    f[3] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    f[4] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    f[5] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    f[6] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    f[7] = f[8] = 0;
    f[9] = -g;
    f[10] = I[0] * w[1] * w[2];
    f[11] = I[1] * w[2] * w[0];
    f[12] = I[2] * w[0] * w[1];
    return GSL_SUCCESS;
}

/* the cubic through heights and rates at both ends of a step, on [0, 1]: its
 * first place at or below 0, or 2; *dip: its least place inside, if there is
 * one */
static double
cubic_meets(double a, double da, double b, double db, double *dip)
{
    double c2 = 3 * (b - a) - 2 * da - db, c3 = 2 * (a - b) + da + db;
    double lo = 0, hi = 1;

    *dip = 2;
    if (da < 0 && db > 0) {
        /* root of da + 2 c2 s + 3 c3 s^2 */
        for (int i = 0; i < 60 && hi - lo > 1e-15; i++) {
            double s = 0.5 * (lo + hi);
            *(da + s * (2 * c2 + 3 * c3 * s) < 0 ? &lo : &hi) = s;
        }
        *dip = hi;
        if (a + hi * (da + hi * (c2 + hi * c3)) > 0)
            return b <= 0 ? 1 : 2;
        lo = 0;
    } else if (b > 0) {
        return 2;
    }
    double s = hi;
    for (int i = 0; i < 60; i++) {
        double p = a + s * (da + s * (c2 + s * c3));
        double d = da + s * (2 * c2 + 3 * c3 * s);
        *(p > 0 ? &lo : &hi) = s;
        double next = s - p / d;
        if (!(next > lo && next < hi))
            next = 0.5 * (lo + hi);
        if (fabs(next - s) < 1e-15)
            break;
        s = next;
    }
    return s;
}

struct gsl {
    gsl_odeiv2_system sys;
    gsl_odeiv2_step *step;
    gsl_odeiv2_control *control;
    gsl_odeiv2_evolve *evolve;
    double I[3], before[STATES], rates[STATES];
};

/* the state dt after that of the last step's beginning */
static void
gsl_at(struct gsl *s, double dt, double *y)
{
    double error[STATES];

    memcpy(y, s->before, sizeof error);
    gsl_odeiv2_step_apply(s->step, 0, dt, y, error, s->rates, NULL, &s->sys);
}

/* Newton's method for the time at which corner i comes down to 0, in (0, h),
 * kept inside by the bracket; y: the state there */
static double
gsl_root(struct gsl *s, int i, double guess, double h, double *y)
{
    double lo = 0, hi = h, at = guess, rate;

    for (int n = 0; n < 60; n++) {
        gsl_at(s, at, y);
        double z = height(y, i, &rate);
        if (fabs(z) <= 5e-15)
            break;
        *(z > 0 ? &lo : &hi) = at;
        double next = at - z / rate;
        if (!(rate < 0 && next > lo && next < hi))
            next = 0.5 * (lo + hi);
        if (next == at)
            break;
        at = next;
    }
    return at;
}

/* One step; does a corner meet the floor in it? Then y, t are those of the
 * first, *which says it. Corners that only dip within the step are looked for
 * where the cubic has them. */
static bool
gsl_step(struct gsl *s, double *t, double *h, double *y, int *which)
{
    double t0 = *t, y1[STATES], first = 2, rate0, rate1;

    memcpy(s->before, y, sizeof s->before);
    gsl_odeiv2_evolve_apply(s->evolve, s->control, s->step, &s->sys, t, 1e9, h,
                            y);
    double dt = *t - t0;
    bool have = false;
    *which = -1;
    for (int i = 0; i < 8; i++) {
        double a = height(s->before, i, &rate0), b = height(y, i, &rate1), dip;
        if (a <= 1e-14 && rate0 > 0)
            a = 0; /* just hit */
        if (!(b <= 0 || (rate0 < 0 && rate1 > 0)))
            continue;
        double at = cubic_meets(a, rate0 * dt, b, rate1 * dt, &dip);
        if (at > 1 && dip < 1 && a + 0.5 * dip * rate0 * dt < 1e-3) {
            /* all but meets: look there */
            if (!have)
                rhs(0, s->before, s->rates, s->I);
            have = true;
            gsl_at(s, dip * dt, y1);
            if (height(y1, i, &rate0) < 0)
                at = dip;
        }
        if (at < first) {
            first = at;
            *which = i;
        }
    }
    if (*which < 0)
        return false;
    if (!have)
        rhs(0, s->before, s->rates, s->I);
    *t = t0 + gsl_root(s, *which, first * dt, dt, y1);
    /* a corner that the cubic has a little later may be first */
    for (int i = 0; i < 8; i++)
        if (i != *which && height(y1, i, &rate1) < -1e-14) {
            *which = i;
            *t = t0 + gsl_root(s, i, *t - t0, dt, y1);
        }
    memcpy(y, y1, sizeof y1);
    return true;
}

/* IMPACTS impacts; seconds */
static double
by_gsl(struct history *h)
{
    struct gsl s = {.sys = {rhs, NULL, STATES, NULL}};
    double I[3], y[STATES], t = 0, dt = 1e-3;
    int which;

    inertia(I);
    for (int i = 0; i < 3; i++)
        s.I[i] = (I[(i + 1) % 3] - I[(i + 2) % 3]) / I[i];
    s.sys.params = s.I;
    s.step = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, STATES);
    s.control = gsl_odeiv2_control_y_new(1e-13, 1e-13);
    s.evolve = gsl_odeiv2_evolve_alloc(STATES);
    memcpy(y, start, sizeof y);
    double begin = bench_cpu();
    for (size_t n = 0; n < IMPACTS;) {
        if (!gsl_step(&s, &t, &dt, y, &which))
            continue;
        n++;
        if (h) {
            h->n = n;
            h->t[n] = t;
            memcpy(h->before[n], y, sizeof y);
        }
        bounce(y, which);
        gsl_odeiv2_evolve_reset(s.evolve);
        gsl_odeiv2_step_reset(s.step);
        if (h)
            memcpy(h->after[n], y, sizeof y);
    }
    double took = bench_cpu() - begin;
    gsl_odeiv2_evolve_free(s.evolve);
    gsl_odeiv2_control_free(s.control);
    gsl_odeiv2_step_free(s.step);
    return took;
}

/* -- Imp --------------------------------------------------------------------
 */

/* time for IMPACTS impacts and some */
#define UNTIL 1200.0

static void
model_text(char *text, size_t n, const char *contact)
{
    const double *y = start;

    snprintf(text, n,
             "use shapes\n"
             "world { gravity = (0, 0, -%.17g) }\n"
             "param T = %g [s]\n"
             "body table : half_space { fixed = true }\n"
             "body die : box(%.17g, %.17g, %.17g) {\n"
             "  mass = %.17g  position = (%.17g, %.17g, %.17g)\n"
             "  velocity = (%.17g, %.17g, %.17g)\n"
             "  spin = (%.17g, %.17g, %.17g) }\n"
             "contact touch : %s { restitution = 1 }\n"
             "let bare = simulate { until = T  at = 0 [s] }\n"
             "let seen = simulate { until = T  at = 0 [s]\n"
             "  record = (die.position, die.quaternion, die.velocity,\n"
             "    die.body_spin) }\n",
             g, UNTIL, edge[0], edge[1], edge[2], mass, y[X], y[X + 1],
             y[X + 2], y[V], y[V + 1], y[V + 2], y[W], y[W + 1], y[W + 2],
             contact);
}

static const struct field_value *
field(const struct record *r, const char *name)
{
    int i = record_index(r, name);

    if (i < 0)
        abort();
    return r->v + i;
}

/* command 0 or 1; its record, seconds */
static double
by_imp(struct model *m, int command, struct record **out)
{
    struct analysis a = {.rt = m->rt, .ds = &m->s.ds, .commands = all_commands};
    const imp_image *im = m->s.image;
    const imp_command *c = IMP_ARRAY(im, im->commands, imp_command) + command;

    rt_reset(m->rt);
    *out = record_new(m->s.ds.arena, im, c);
    double begin = bench_cpu();
    int st = all_commands[c->id]->run(&a, c, *out);
    double took = bench_cpu() - begin;
    if (st) {
        driver_print_messages(&m->s.ds, DIAG_TEXT);
        exit(3);
    }
    return took;
}

/* rows of events come in pairs, after the one of the start */
static void
history_of(const struct record *r, struct history *h)
{
    static const char *const name[] = {"die_position", "die_quaternion",
                                       "die_velocity", "die_body_spin"};
    static const int size[] = {3, 4, 3, 3}, at[] = {X, Q, V, W};
    const double *t = field(r, "t")->num;
    size_t n = (size_t)*field(r, "count")->num;

    if (n < IMPACTS)
        abort();
    h->n = IMPACTS;
    for (int f = 0; f < 4; f++) {
        const double *x = field(r, name[f])->num;
        for (size_t i = 1; i <= h->n; i++) {
            size_t d = (size_t)size[f];
            memcpy(h->before[i] + at[f], x + (2 * i - 1) * d, d * sizeof *x);
            memcpy(h->after[i] + at[f], x + 2 * i * d, d * sizeof *x);
            h->t[i] = t[2 * i - 1];
        }
    }
}

static void
report(const char *who, const struct audit *a, bool promised)
{
    char text[80];

    snprintf(text, sizeof text, "    %s: energy error", who);
    bench_line(text, a->energy, "", promised ? "at most 1e-13" : "",
               !promised || a->energy <= 1e-13);
    snprintf(text, sizeof text, "    %s: least height of a vertex", who);
    bench_line(text, a->lowest, "m", promised ? "at least -1e-12" : "",
               !promised || a->lowest >= -1e-12);
    snprintf(text, sizeof text, "    %s: flights against the audit's", who);
    bench_line(text, a->motion, "", promised ? "at most 1e-12" : "",
               !promised || a->motion <= 1e-12);
    snprintf(text, sizeof text, "    %s: its clock against gravity's", who);
    bench_line(text, a->clock, "s", promised ? "at most 1e-12" : "",
               !promised || a->clock <= 1e-12);
}

static void
one_order(const char *contact, bool gsl_too)
{
    char text[2000], name[80];
    double mine[RUNS], theirs[RUNS], ratio[RUNS];
    struct history h;
    struct audit a;
    struct model m;
    struct record *r, *bare;

    model_text(text, sizeof text, contact);
    bench_model(&m, text, 2);
    by_imp(&m, 1, &r);
    history_new(&h);
    history_of(r, &h);
    a = audit(&h);
    by_imp(&m, 0, &bare);
    const struct field_value *t = field(r, "event_times"),
                             *u = field(bare, "event_times");
    if (t->n != u->n || memcmp(t->num, u->num, t->n * sizeof *t->num))
        abort();
    for (int i = 0; i < RUNS; i++) {
        theirs[i] = IMPACTS / by_gsl(NULL);
        mine[i] = (double)u->n / by_imp(&m, 0, &bare);
        ratio[i] = mine[i] / theirs[i];
    }
    double x = bench_median(ratio, RUNS);
    snprintf(name, sizeof name, "tumbling box, %s: Imp over rk8pd", contact);
    bench_line(name, x, "", "at least 3", x >= 3);
    bench_note("Imp %.4g impacts/s, GSL %.4g impacts/s; %zu impacts in %g s",
               bench_median(mine, RUNS), bench_median(theirs, RUNS), u->n,
               UNTIL);
    report("Imp", &a, true);
    if (gsl_too) {
        by_gsl(&h);
        a = audit(&h);
        report("GSL", &a, false);
    }
    history_free(&h);
    bench_model_free(&m);
}

void
bench_box(void)
{
    one_order("table | die", true);
    one_order("die | table", false);
}
