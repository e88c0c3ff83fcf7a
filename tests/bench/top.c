/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The free asymmetric top in space. Simulated seconds per CPU second, against
 * GSL's rk8pd at 1e-13 with a hand-written right-hand side. Both integrate the
 * 13 state variables of a body (spin, attitude quaternion, position, velocity);
 * a note gives the ratio to rk8pd of the 7 that are not trivial. Energy is
 * audited: a rate without the audit does not count. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#include "bench.h"
#include "runtime/motion/motion.h"
#include "runtime/setup/new_run.h"

#define RUNS 7
#define SPAN_IMP 40000.0
#define SPAN_GSL 8000.0

/* principal moments and spin: a box of edges 3, 4, 5 tumbling about no axis in
 * particular; a wilder top; one beside the unstable axis (Dzhanibekov) */
static const struct top {
    const char *name;
    double I[3], w[3];
} tops[] = {{"box 3:4:5", {25, 34, 41}, {0.6, 1.0, 0.8}},
            {"moments 1:2:3", {1, 2, 3}, {0.9, 0.8, 1.1}},
            {"unstable axis", {1, 2, 3}, {0.01, 1, 0.01}}};

static double
energy(const struct top *top, const double *w)
{
    const double *I = top->I;

    return 0.5 * (I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2]);
}

static int
rhs(double t, const double *y, double *f, void *ctx)
{
    const double *I = ctx, *w = y, *q = y + 3;

    (void)t;
    f[0] = (I[1] - I[2]) / I[0] * w[1] * w[2];
    f[1] = (I[2] - I[0]) / I[1] * w[2] * w[0];
    f[2] = (I[0] - I[1]) / I[2] * w[0] * w[1];
    f[3] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    f[4] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    f[5] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    f[6] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    return GSL_SUCCESS;
}

/* with position and velocity */
static int
rhs_body(double t, const double *y, double *f, void *ctx)
{
    for (int i = 0; i < 3; i++) {
        f[7 + i] = y[10 + i];
        f[10 + i] = 0;
    }
    return rhs(t, y, f, ctx);
}

/* simulated seconds per CPU second; the relative error of energy */
static double
by_gsl(const struct top *top, size_t states, double span, double *error)
{
    gsl_odeiv2_system sys = {states == 7 ? rhs : rhs_body, NULL, states,
                             (void *)(uintptr_t)top->I};
    gsl_odeiv2_driver *d = gsl_odeiv2_driver_alloc_y_new(
        &sys, gsl_odeiv2_step_rk8pd, 0.1, 1e-13, 1e-13);
    const double *w = top->w;
    double y[13] = {w[0], w[1], w[2], 1, [10] = 0.1, 0.2, 0.3}, t = 0;
    double start = bench_cpu();

    gsl_odeiv2_driver_apply(d, &t, span, y);
    double took = bench_cpu() - start;
    *error = fabs(energy(top, y) / energy(top, w) - 1);
    gsl_odeiv2_driver_free(d);
    return span / took;
}

static double
by_imp(const struct top *top, struct model *m, double span, double *error)
{
    struct rt *r = m->rt;
    const double *w = r->env + rt_body(r, 0)->env_state + 10;

    rt_reset(r);
    double start = bench_cpu();
    if (motion_to(r, span))
        *error = INFINITY;
    else
        *error = fabs(energy(top, w) / energy(top, top->w) - 1);
    return span / (bench_cpu() - start);
}

static void
one_top(const struct top *top, int opt)
{
    double imp[RUNS], gsl[RUNS], ratio[RUNS], part[RUNS], ei = 0, eg = 0, e;
    const double *I = top->I, *w = top->w;
    char text[400], name[80];
    struct model m;

    snprintf(text, sizeof text,
             "body top { mass = 1  inertia = diag(%g, %g, %g)\n"
             "  velocity = (0.1, 0.2, 0.3)  spin = (%g, %g, %g) }\n",
             I[0], I[1], I[2], w[0], w[1], w[2]);
    bench_model(&m, text, opt);
    by_imp(top, &m, 100, &e);
    /* alternating, so that what else the machine does hits both */
    for (int i = 0; i < RUNS; i++) {
        part[i] = by_gsl(top, 7, SPAN_GSL, &e);
        gsl[i] = by_gsl(top, 13, SPAN_GSL, &e);
        eg = fmax(eg, e);
        imp[i] = by_imp(top, &m, opt < 0 ? SPAN_GSL : SPAN_IMP, &e);
        ei = fmax(ei, e);
        ratio[i] = imp[i] / gsl[i];
        part[i] = imp[i] / part[i];
    }
    double x = bench_median(ratio, RUNS);
    snprintf(name, sizeof name, "free top, %s: %s over rk8pd", top->name,
             opt < 0 ? "evaluator" : "Imp");
    bench_line(name, x, "", opt < 0 ? "" : "at least 3", opt < 0 || x >= 3);
    bench_note("Imp %.4g s/s, energy %.1g after %g s; GSL %.4g s/s, energy "
               "%.1g after %g s",
               bench_median(imp, RUNS), ei, opt < 0 ? SPAN_GSL : SPAN_IMP,
               bench_median(gsl, RUNS), eg, SPAN_GSL);
    bench_note("over rk8pd without position and velocity: %.3g",
               bench_median(part, RUNS));
    if (opt >= 0)
        bench_line("    energy error of Imp", ei, "", "at most 1e-13",
                   ei <= 1e-13);
    bench_model_free(&m);
}

void
bench_top(void)
{
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        one_top(tops + i, 1);
    one_top(tops, -1);
}
