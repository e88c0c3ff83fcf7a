/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The double pendulum on hinges, large swings: simulated seconds per CPU
 * second against GSL's rk8pd at 1e-13 on the two angles. Imp follows the six
 * coordinates and the four multipliers, and holds the joints; minimal
 * coordinates are the best case there is, written by hand for this mechanism
 * only. Energy and joints are audited. */
#include <math.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#include "bench.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/setup/new_run.h"

#define RUNS 5
#define SPAN 500.0

static const char text[] =
    "world { gravity = (0, -9.81) }\n"
    "body one { planar = true  mass = 1  inertia = 0.1  position = (0.5, 0) }\n"
    "body two { planar = true  mass = 2  inertia = 0.05  position = (1.3, 0) "
    "}\n"
    "joint a : hinge(one, world) { at = (0, 0) }\n"
    "joint b : hinge(two, one) { at = (1, 0) }\n";

static const double m1 = 1, m2 = 2, J1 = 0.1, J2 = 0.05, c1 = 0.5, L = 1,
                    c2 = 0.3, g = 9.81;

static int
rhs(double t, const double *y, double *f, void *ctx)
{
    double d = y[0] - y[1], C = m2 * L * c2 * cos(d), S = m2 * L * c2 * sin(d);
    double A = J1 + m1 * c1 * c1 + m2 * L * L, B = J2 + m2 * c2 * c2;
    double p = -S * y[3] * y[3] - (m1 * c1 + m2 * L) * g * cos(y[0]);
    double q = S * y[2] * y[2] - m2 * c2 * g * cos(y[1]);

    (void)t;
    (void)ctx;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = (B * p - C * q) / (A * B - C * C);
    f[3] = (A * q - C * p) / (A * B - C * C);
    return GSL_SUCCESS;
}

static double
energy(const double *y)
{
    double A = J1 + m1 * c1 * c1 + m2 * L * L, B = J2 + m2 * c2 * c2;

    return 0.5 * A * y[2] * y[2] + 0.5 * B * y[3] * y[3] +
           m2 * L * c2 * cos(y[0] - y[1]) * y[2] * y[3] +
           (m1 * c1 + m2 * L) * g * sin(y[0]) + m2 * c2 * g * sin(y[1]);
}

static double
by_gsl(double *error)
{
    gsl_odeiv2_system sys = {rhs, NULL, 4, NULL};
    gsl_odeiv2_driver *d = gsl_odeiv2_driver_alloc_y_new(
        &sys, gsl_odeiv2_step_rk8pd, 0.01, 1e-13, 1e-13);
    double y[4] = {0}, t = 0, start = bench_cpu();

    gsl_odeiv2_driver_apply(d, &t, SPAN, y);
    double took = bench_cpu() - start;
    *error = fmax(*error, fabs(energy(y)));
    gsl_odeiv2_driver_free(d);
    return SPAN / took;
}

static double
by_imp(struct model *m, double *error)
{
    struct motion_totals t;

    rt_reset(m->rt);
    double start = bench_cpu();
    int st = motion_to(m->rt, SPAN);
    double took = bench_cpu() - start;
    if (st || motion_totals(m->rt, &t))
        *error = INFINITY;
    else
        *error = fmax(*error, fabs(t.kinetic + t.potential));
    return SPAN / took;
}

void
bench_linkage(void)
{
    double imp[RUNS], gsl[RUNS], ratio[RUNS], ei = 0, eg = 0;
    struct model m;

    bench_model(&m, text, 1);
    by_imp(&m, &ei);
    for (int i = 0; i < RUNS; i++) {
        gsl[i] = by_gsl(&eg);
        imp[i] = by_imp(&m, &ei);
        ratio[i] = imp[i] / gsl[i];
    }
    bench_line("double pendulum on hinges: Imp over rk8pd",
               bench_median(ratio, RUNS), "", "", true);
    bench_note("Imp %.4g s/s, energy %.1g of 30 J after %g s; GSL in minimal "
               "coordinates %.4g s/s, energy %.1g",
               bench_median(imp, RUNS), ei, SPAN, bench_median(gsl, RUNS), eg);
    double joints = joints_greatest_error(m.rt);
    bench_line("    error of its joints", joints, "m", "at most 1e-12",
               joints <= 1e-12);
    bench_line("    energy error of Imp", ei, "J", "at most 1e-11",
               ei <= 1e-11);
    bench_model_free(&m);
}
