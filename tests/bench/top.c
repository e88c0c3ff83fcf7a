/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The free asymmetric top: Euler's equations and the attitude quaternion.
 * Simulated seconds per CPU second, against GSL's rk8pd at 1e-13 with a
 * hand-written right-hand side; both are held to the same error of energy. */
#include <math.h>
#include <string.h>
#include <time.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#include "bench.h"
#include "runtime/motion.h"

#define RUNS 7
static const double I[3] = {1.0, 2.0, 3.0};
static const double w0[3] = {0.9, 0.8, 1.1};

static double
cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double
energy(const double *w)
{
    return 0.5 * (I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2]);
}

static int
rhs(double t, const double *y, double *f, void *ctx)
{
    const double *w = y, *q = y + 3;

    (void)t;
    (void)ctx;
    f[0] = (I[1] - I[2]) / I[0] * w[1] * w[2];
    f[1] = (I[2] - I[0]) / I[1] * w[2] * w[0];
    f[2] = (I[0] - I[1]) / I[2] * w[0] * w[1];
    f[3] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    f[4] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    f[5] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    f[6] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    return GSL_SUCCESS;
}

/* simulated seconds per CPU second; the relative error of energy */
static double
by_gsl(double span, double *error)
{
    gsl_odeiv2_system sys = {rhs, NULL, 7, NULL};
    gsl_odeiv2_driver *d = gsl_odeiv2_driver_alloc_y_new(
        &sys, gsl_odeiv2_step_rk8pd, 0.1, 1e-13, 1e-13);
    double y[7] = {w0[0], w0[1], w0[2], 1, 0, 0, 0}, t = 0, start = cpu();

    gsl_odeiv2_driver_apply(d, &t, span, y);
    double took = cpu() - start;
    *error = fabs(energy(y) / energy(w0) - 1);
    gsl_odeiv2_driver_free(d);
    return span / took;
}

static const char text[] = "body top { mass = 1  inertia = diag(1, 2, 3)\n"
                           "  position = (0, 0, 0)\n"
                           "  spin = (0.9, 0.8, 1.1) }\n";

static double
by_imp(struct model *m, double span, double *error)
{
    struct rt *r = m->rt;
    const double *w = r->env + rt_body(r, 0)->env_state + 10;

    rt_reset(r);
    double start = cpu();
    if (motion_to(r, span))
        *error = INFINITY;
    else
        *error = fabs(energy(w) / energy(w0) - 1);
    return span / (cpu() - start);
}

void
bench_top(void)
{
    double imp[RUNS], gsl[RUNS], ratio[RUNS], eval[3], ei = 0, eg = 0, e;
    struct model m;

    bench_model(&m, text, 1);
    by_imp(&m, 100, &e);
    /* alternating, so that what else the machine does hits both */
    for (int i = 0; i < RUNS; i++) {
        gsl[i] = by_gsl(10000, &e);
        eg = fmax(eg, e);
        imp[i] = by_imp(&m, 40000, &e);
        ei = fmax(ei, e);
        ratio[i] = imp[i] / gsl[i];
    }
    double x = bench_median(ratio, RUNS);
    bench_line("free top, Imp", bench_median(imp, RUNS), "s/s", "", true);
    bench_line("free top, GSL rk8pd 1e-13", bench_median(gsl, RUNS), "s/s", "",
               true);
    bench_line("free top, Imp over GSL", x, "", "at least 3", x >= 3);
    bench_line("free top, energy error of Imp", ei, "", "at most 1e-13",
               ei <= 1e-13);
    bench_note("energy error of GSL %.2g; %g s by Imp, %g s by GSL", eg, 40000.,
               10000.);
    bench_model_free(&m);
    bench_model(&m, text, -1);
    for (int i = 0; i < 3; i++)
        eval[i] = by_imp(&m, 4000, &e);
    bench_line("free top, Imp's evaluator", bench_median(eval, 3), "s/s", "",
               true);
    bench_model_free(&m);
}
