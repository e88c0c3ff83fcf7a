/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Friction of joints (runtime/rubbing): two rods that hang on pins with
 * friction, against GSL's Runge-Kutta steps of both angles with events found by
 * bisection, and against impulses in these angles where a ball hits them; and a
 * crank with a rod and a piston in other frames, units, orders and directions.
 */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#include "analysis_help.h"

static uint64_t seed = 20261123;
static double
draw(double lo, double hi)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

/* -- two rods ----------------------------------------------------------------
 */

#define GRAVITY 9.81
struct rods {
    double m[2], l[2], J[2], c[2], rub[2]; /* c: centre; rub: mu radius */
    int mode[2]; /* 0: it sticks; else the sign of its rate */
    double g;    /* gravity; 0 for impulses, */
    double P[2]; /* of which this one acts at the end of the second rod */
};

/* Solves a (4 x 5, with the right-hand side) by Gaussian elimination. */
static void
eliminate(double a[4][5], double x[4])
{
    for (int k = 0; k < 4; k++) {
        int p = k;
        for (int i = k + 1; i < 4; i++)
            if (fabs(a[i][k]) > fabs(a[p][k]))
                p = i;
        for (int j = 0; j < 5; j++) {
            double t = a[k][j];
            a[k][j] = a[p][j];
            a[p][j] = t;
        }
        for (int i = 0; i < 4; i++)
            for (int j = 4; i != k && j >= k; j--)
                a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    }
    for (int k = 0; k < 4; k++)
        x[k] = a[k][4] / a[k][k];
}

/* Accelerations of both angles and the frictions of both pins (x), and the
 * sizes of their forces, at angles y[0], y[1] from the x axis and rates y[2],
 * y[3]. */
static void
solve(const struct rods *r, const double *y, double x[4], double F[2])
{
    double c1 = cos(y[0]), s1 = sin(y[0]), c2 = cos(y[1]), s2 = sin(y[1]);
    double l = r->l[0], m2 = r->m[1], cc = r->c[1];
    double coupling = m2 * l * cc * cos(y[0] - y[1]),
           skew = m2 * l * cc * sin(y[0] - y[1]);
    F[0] = F[1] = 0.0;
    for (int round = 0; round < 60; round++) {
        double a[4][5] = {{r->J[0] + r->m[0] * r->c[0] * r->c[0] + m2 * l * l,
                           coupling, -1, 1,
                           -skew * y[3] * y[3] -
                               r->g * (r->m[0] * r->c[0] + m2 * l) * c1 +
                               l * (c1 * r->P[1] - s1 * r->P[0])},
                          {coupling, r->J[1] + m2 * cc * cc, 0, -1,
                           skew * y[2] * y[2] - r->g * m2 * cc * c2 +
                               r->l[1] * (c2 * r->P[1] - s2 * r->P[0])},
                          {r->mode[0] == 0, 0, r->mode[0] != 0, 0,
                           -r->mode[0] * r->rub[0] * F[0]},
                          {r->mode[1] == 0 ? -1 : 0, r->mode[1] == 0, 0,
                           r->mode[1] != 0, -r->mode[1] * r->rub[1] * F[1]}};
        eliminate(a, x);
        double ax = -r->c[0] * (x[0] * s1 + y[2] * y[2] * c1),
               ay = r->c[0] * (x[0] * c1 - y[2] * y[2] * s1),
               bx = -l * (x[0] * s1 + y[2] * y[2] * c1) -
                    cc * (x[1] * s2 + y[3] * y[3] * c2),
               by = l * (x[0] * c1 - y[2] * y[2] * s1) +
                    cc * (x[1] * c2 - y[3] * y[3] * s2);
        double fx = m2 * bx - r->P[0], fy = m2 * (by + r->g) - r->P[1];
        F[1] = hypot(fx, fy);
        F[0] = hypot(r->m[0] * ax + fx, r->m[0] * (ay + r->g) + fy);
    }
}

static int
rates(double t, const double *y, double *dy, void *ctx)
{
    double x[4], F[2];
    (void)t;
    solve(ctx, y, x, F);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = x[0];
    dy[3] = x[1];
    return GSL_SUCCESS;
}

/* Above 0 while the mode of pin i goes on. */
static double
goes_on(const struct rods *r, int i, const double *y)
{
    double x[4], F[2];
    if (r->mode[i])
        return r->mode[i] * (i ? y[3] - y[2] : y[2]);
    solve(r, y, x, F);
    return r->rub[i] * F[i] - fabs(x[2 + i]);
}

/* What follows the end of the mode of pin i: the other pin keeps its own. */
static void
next_mode(struct rods *r, int i, double *y)
{
    double x[4], F[2];
    if (r->mode[i] == 0) { /* it gives way */
        solve(r, y, x, F);
        r->mode[i] = x[2 + i] > 0 ? -1 : 1;
        return;
    }
    if (i == 0)
        y[2] = 0;
    else
        y[3] = y[2];
    int before = r->mode[i];
    r->mode[i] = 0;
    solve(r, y, x, F);
    if (fabs(x[2 + i]) > r->rub[i] * F[i])
        r->mode[i] = -before;
}

#define TIMES_MOST 64
/* Follows the rods until `until`; the times of their events. */
static int
follow(struct rods *r, double *y, double until, double *time)
{
    gsl_odeiv2_system sys = {rates, NULL, 4, r};
    double t = 0, kept[4], skip[2] = {0, 0};
    int n = 0;
    while (t < until && n < TIMES_MOST) {
        double h = fmin(0.01, until - t);
        int which = -1;
        memcpy(kept, y, sizeof kept);
        for (double lo = 0, hi = h; hi - lo > 1e-14;) {
            gsl_odeiv2_driver *d = gsl_odeiv2_driver_alloc_y_new(
                &sys, gsl_odeiv2_step_rk8pd, 1e-3, 1e-14, 1e-14);
            double s = 0, to = which < 0 ? h : (lo + hi) / 2;
            memcpy(y, kept, sizeof kept);
            assert_int_equal(gsl_odeiv2_driver_apply(d, &s, to, y),
                             GSL_SUCCESS);
            gsl_odeiv2_driver_free(d);
            int ends = -1;
            for (int i = 0; i < 2; i++)
                if (t + to > skip[i] && goes_on(r, i, y) < 0)
                    ends = i;
            if (which < 0 && ends < 0)
                break;
            if (ends >= 0) {
                which = ends;
                hi = to;
            } else {
                lo = to;
            }
            h = hi;
        }
        t += h;
        if (which < 0)
            continue;
        time[n++] = t;
        next_mode(r, which, y);
        skip[which] = t + 1e-7; /* a rate grows from 0 */
    }
    return n;
}

static void
two_rods_as_by_angles(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        struct rods r;
        double y[4], radius[2], mu[2], time[TIMES_MOST], until = 1.5;
        char text[2000];
        for (int i = 0; i < 2; i++) {
            r.m[i] = draw(0.5, 2);
            r.l[i] = draw(0.5, 1.5);
            r.c[i] = r.l[i] * draw(0.3, 0.7);
            r.J[i] = r.m[i] * r.l[i] * r.l[i] * draw(0.05, 0.12);
            radius[i] = draw(0.02, 0.08);
            mu[i] = draw(0.2, 0.8);
            r.rub[i] = mu[i] * radius[i];
            y[i] = draw(-3, 3);
            y[2 + i] = draw(-3, 3);
        }
        r.g = GRAVITY;
        r.P[0] = r.P[1] = 0;
        r.mode[0] = y[2] > 0 ? 1 : -1;
        r.mode[1] = y[3] > y[2] ? 1 : -1;
        snprintf(text, sizeof text,
                 "body one { mass = %.17g inertia = %.17g angle = %.17g "
                 "position = (%.17g, %.17g) }\n"
                 "body two { mass = %.17g inertia = %.17g angle = %.17g "
                 "position = (%.17g, %.17g) }\n"
                 "joint a : hinge(one, world) { at = (0, 0) rate = %.17g "
                 "friction = %.17g radius = %.17g }\n"
                 "joint b : hinge(two, one) { at = (%.17g, %.17g) rate = %.17g "
                 "friction = %.17g radius = %.17g }\n"
                 "world { gravity = (0, -9.81) }\n"
                 "let r = simulate { until = %.17g\n"
                 "record = (one.angle, two.angle, energy, a.work, b.work) }\n",
                 r.m[0], r.J[0], y[0], r.c[0] * cos(y[0]), r.c[0] * sin(y[0]),
                 r.m[1], r.J[1], y[1], r.l[0] * cos(y[0]) + r.c[1] * cos(y[1]),
                 r.l[0] * sin(y[0]) + r.c[1] * sin(y[1]), y[2], mu[0],
                 radius[0], r.l[0] * cos(y[0]), r.l[0] * sin(y[0]), y[3] - y[2],
                 mu[1], radius[1], until);
        struct run by;
        run(&by, text, false);
        fine(&by);
        int n = follow(&r, y, until, time);
        const struct field_value *times = field(&by, 0, "event_times");
        assert_int_equal(times->n, n);
        for (int i = 0; i < n; i++)
            near(times->num[i], time[i], 1e-9);
        /* at the end: the angles, and the energy that friction took */
        const struct field_value *one = field(&by, 0, "one_angle"),
                                 *two = field(&by, 0, "two_angle"),
                                 *energy = field(&by, 0, "energy"),
                                 *a = field(&by, 0, "a_work"),
                                 *b = field(&by, 0, "b_work");
        size_t last = one->n - 1;
        near(one->num[last], y[0], 1e-9);
        near(two->num[last], y[1], 1e-9);
        for (size_t i = 0; i <= last; i++)
            near(energy->num[i] - energy->num[0], a->num[i] + b->num[i],
                 1e-12 * (1 + fabs(energy->num[0])));
        done(&by);
    }
}

/* -- two rods that a ball hits
 * -------------------------------------------------
 */

/* Chooses the modes of pins without a rate under an impulse. */
static void
choose(struct rods *r, const double *angle, const bool *still)
{
    static const int order[3] = {0, 1, -1};
    double zero[4] = {angle[0], angle[1], 0, 0}, x[4], F[2];
    int kept[2] = {r->mode[0], r->mode[1]}, found = 0, good[2] = {0, 0};
    for (int k = 0; k < 9; k++) {
        int mode[2] = {order[k % 3], order[k / 3]};
        bool obeys = true;
        for (int i = 0; i < 2; i++)
            r->mode[i] = still[i] ? mode[i] : kept[i];
        if ((!still[0] && k % 3) || (!still[1] && k / 3))
            continue;
        solve(r, zero, x, F);
        for (int i = 0; i < 2; i++) {
            double change = i ? x[1] - x[0] : x[0];
            if (still[i])
                obeys &= mode[i] ? mode[i] * change > 1e-12
                                 : fabs(x[2 + i]) <= r->rub[i] * F[i];
        }
        if (!obeys)
            continue;
        found++;
        memcpy(good, r->mode, sizeof good);
    }
    assert_int_equal(found, 1);
    memcpy(r->mode, good, sizeof good);
}

/* The impact of a ball of mass `ball` with the approach v along n, the normal
 * from the rod to the ball; w: rates of the rods. */
static void
hit(struct rods *r, const double *angle, double ball, double v, double e,
    const double n[2], double *w)
{
    bool still[2] = {w[0] == 0, w[1] == w[0]}, expands = false;
    double zero[4] = {angle[0], angle[1], 0, 0}, x[4], F[2], rate = -v,
           work = 0, goal = 0;
    r->P[0] = -n[0];
    r->P[1] = -n[1];
    for (;;) {
        choose(r, angle, still);
        solve(r, zero, x, F);
        double tip = n[0] * (-r->l[0] * sin(angle[0]) * x[0] -
                             r->l[1] * sin(angle[1]) * x[1]) +
                     n[1] * (r->l[0] * cos(angle[0]) * x[0] +
                             r->l[1] * cos(angle[1]) * x[1]);
        double a = 1 / ball - tip, most = -rate / a;
        int ends = -1;
        if (expands)
            most = (sqrt(rate * rate + 2 * a * (goal - work)) - rate) / a;
        for (int i = 0; i < 2; i++) {
            double now = i ? w[1] - w[0] : w[0],
                   change = i ? x[1] - x[0] : x[0];
            if (!still[i] && r->mode[i] * change < 0 && -now / change < most) {
                most = -now / change;
                ends = i;
            }
        }
        work += most * (rate + a * most / 2);
        rate += a * most;
        w[0] += x[0] * most;
        w[1] += x[1] * most;
        for (int i = 0; i < 2; i++)
            still[i] = i == ends || (still[i] && r->mode[i] == 0);
        if (ends >= 0)
            continue;
        if (expands)
            return;
        expands = true;
        rate = 0;
        goal = (1 - e * e) * work;
    }
}

static void
two_rods_as_impulses_do(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        struct rods r = {.g = 0};
        double y[2], w[2], radius[2], mu[2],
            e = draw(0, 1), ball = draw(0.3, 3), v = draw(1, 5),
            to = draw(-3.1, 3.1);
        char text[2500];
        for (int i = 0; i < 2; i++) {
            r.m[i] = draw(0.5, 2);
            r.l[i] = draw(0.5, 1.5);
            r.c[i] = r.l[i] * draw(0.3, 0.7);
            r.J[i] = r.m[i] * r.l[i] * r.l[i] * draw(0.05, 0.12);
            radius[i] = draw(0.02, 0.08);
            mu[i] = draw(0.2, 0.8);
            r.rub[i] = mu[i] * radius[i];
            y[i] = draw(-3, 3);
            w[i] = 0;
        }
        if (k % 3) /* else they hang at rest */
            w[0] = draw(-2, 2);
        w[1] = k % 3 == 1 ? w[0] : k % 3 ? draw(-2, 2) : 0;
        r.mode[0] = w[0] > 0 ? 1 : w[0] < 0 ? -1 : 0;
        r.mode[1] = w[1] > w[0] ? 1 : w[1] < w[0] ? -1 : 0;
        double n[2] = {cos(to), sin(to)},
               tip[2] = {r.l[0] * cos(y[0]) + r.l[1] * cos(y[1]),
                         r.l[0] * sin(y[0]) + r.l[1] * sin(y[1])},
               vt[2] = {-r.l[0] * sin(y[0]) * w[0] - r.l[1] * sin(y[1]) * w[1],
                        r.l[0] * cos(y[0]) * w[0] + r.l[1] * cos(y[1]) * w[1]};
        double away = 0.2 + v * 1e-9, along = n[0] * vt[0] + n[1] * vt[1] - v;
        snprintf(
            text, sizeof text,
            "use shapes\n"
            "body one { mass = %.17g inertia = %.17g angle = %.17g "
            "position = (%.17g, %.17g) }\n"
            "body two : circle(0.1) { mass = %.17g inertia = %.17g angle = "
            "%.17g position = (%.17g, %.17g) centre = (%.17g, 0) }\n"
            "body ball : circle(0.1) { mass = %.17g position = (%.17g, %.17g) "
            "velocity = (%.17g, %.17g) }\n"
            "joint a : hinge(one, world) { at = (0, 0) rate = %.17g "
            "friction = %.17g radius = %.17g }\n"
            "joint b : hinge(two, one) { at = (%.17g, %.17g) rate = %.17g "
            "friction = %.17g radius = %.17g }\n"
            "contact c : two | ball { restitution = energetic(%.17g) }\n"
            "let r = simulate { until = 2e-9 record = (one.spin, two.spin, "
            "energy, a.work, b.work) }\n",
            r.m[0], r.J[0], y[0], r.c[0] * cos(y[0]), r.c[0] * sin(y[0]),
            r.m[1], r.J[1], y[1], r.l[0] * cos(y[0]) + r.c[1] * cos(y[1]),
            r.l[0] * sin(y[0]) + r.c[1] * sin(y[1]), r.c[1] - r.l[1], ball,
            tip[0] + away * n[0], tip[1] + away * n[1], along * n[0],
            along * n[1], w[0], mu[0], radius[0], r.l[0] * cos(y[0]),
            r.l[0] * sin(y[0]), w[1] - w[0], mu[1], radius[1], e);
        struct run by;
        run(&by, text, false);
        fine(&by);
        assert_string_equal(field(&by, 0, "event_kinds")->texts[0], "impact");
        hit(&r, y, ball, v, e, n, w);
        const struct field_value *one = field(&by, 0, "one_spin"),
                                 *two = field(&by, 0, "two_spin");
        near(one->num[one->n - 1], w[0], 3e-7);
        near(two->num[two->n - 1], w[1], 3e-7);
        done(&by);
    }
}

/* -- two rods whose end slips over a floor ------------------------------------
 */

/* Beside the rods: a disc at the end of the second one, fixed to it. The floor
 * keeps it at its height, so that the angle of the first rod tells all. */
struct dragged {
    struct rods r;
    double radius, mu, height; /* of the disc and its centre */
    int slips;                 /* the sign of its slip */
    double N;                  /* found */
};

/* The second angle and both rates, of the first ones. */
static void
angles(const struct dragged *d, double angle, double rate, double y[4])
{
    const double *l = d->r.l;
    y[0] = angle;
    y[1] = asin((d->height - l[0] * sin(angle)) / l[1]);
    y[2] = rate;
    y[3] = -l[0] * cos(angle) * rate / (l[1] * cos(y[1]));
}

/* The rates of both pins and of the slip. */
static void
slips_of(const struct dragged *d, const double y[4], double rate[3])
{
    rate[0] = y[2];
    rate[1] = y[3] - y[2];
    rate[2] = -d->r.l[0] * sin(y[0]) * y[2] - d->r.l[1] * sin(y[1]) * y[3] +
              d->radius * y[3];
}

/* The acceleration of the first angle, in the modes that there are. */
static double
drag(struct dragged *d, double angle, double rate)
{
    const struct rods *r = &d->r;
    double y[4], F[2] = {0, 0}, x[4] = {0, 0, 0, 0};
    angles(d, angle, rate, y);
    double c1 = cos(y[0]), s1 = sin(y[0]), c2 = cos(y[1]), s2 = sin(y[1]);
    double l = r->l[0], m2 = r->m[1], cc = r->c[1],
           coupling = m2 * l * cc * cos(y[0] - y[1]),
           skew = m2 * l * cc * sin(y[0] - y[1]);
    double T = -d->mu * d->slips; /* for each unit of N */
    for (int round = 0; round < 100; round++) {
        double M[2] = {-r->mode[0] * r->rub[0] * F[0],
                       -r->mode[1] * r->rub[1] * F[1]};
        /* unknowns: both accelerations, N, nothing */
        double a[4][5] = {{r->J[0] + r->m[0] * r->c[0] * r->c[0] + m2 * l * l,
                           coupling, -l * (c1 - s1 * T), 0,
                           -skew * y[3] * y[3] -
                               r->g * (r->m[0] * r->c[0] + m2 * l) * c1 + M[0] -
                               M[1]},
                          {coupling, r->J[1] + m2 * cc * cc,
                           -r->l[1] * (c2 - s2 * T) - d->radius * T, 0,
                           skew * y[2] * y[2] - r->g * m2 * cc * c2 + M[1]},
                          {l * c1, r->l[1] * c2, 0, 0,
                           l * s1 * y[2] * y[2] + r->l[1] * s2 * y[3] * y[3]},
                          {0, 0, 0, 1, 0}};
        eliminate(a, x);
        double ax = -r->c[0] * (x[0] * s1 + y[2] * y[2] * c1),
               ay = r->c[0] * (x[0] * c1 - y[2] * y[2] * s1),
               bx = -l * (x[0] * s1 + y[2] * y[2] * c1) -
                    cc * (x[1] * s2 + y[3] * y[3] * c2),
               by = l * (x[0] * c1 - y[2] * y[2] * s1) +
                    cc * (x[1] * c2 - y[3] * y[3] * s2);
        double fx = m2 * bx - T * x[2], fy = m2 * (by + r->g) - x[2];
        F[1] = hypot(fx, fy);
        F[0] = hypot(r->m[0] * ax + fx, r->m[0] * (ay + r->g) + fy);
    }
    d->N = x[2];
    return x[0];
}

/* The modes that these rates say. */
static void
modes_of(struct dragged *d, double angle, double rate)
{
    double y[4], slip[3];
    angles(d, angle, rate, y);
    slips_of(d, y, slip);
    for (int i = 0; i < 2; i++)
        d->r.mode[i] = slip[i] > 0 ? 1 : -1;
    d->slips = slip[2] > 0 ? 1 : -1;
}

static int
dragged_rates(double t, const double *y, double *dy, void *ctx)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = drag(ctx, y[0], y[1]);
    return GSL_SUCCESS;
}

/* Which mode has ended: 0 to 2; 3: nothing presses; -1: none. */
static int
dragged_ends(struct dragged *d, const double *y)
{
    double all[4], slip[3];
    angles(d, y[0], y[1], all);
    slips_of(d, all, slip);
    for (int i = 0; i < 3; i++)
        if (slip[i] * (i < 2 ? d->r.mode[i] : d->slips) < 0)
            return i;
    (void)drag(d, y[0], y[1]);
    return d->N < 0 ? 3 : -1;
}

/* Follows it to the first time at which it comes to rest, or nothing presses,
 * or until `until`. Returns that time. */
static double
follow_dragged(struct dragged *d, double *y, double until, double *time, int *n)
{
    gsl_odeiv2_system sys = {dragged_rates, NULL, 2, d};
    double t = 0, skip = 0;
    *n = 0;
    while (t < until) {
        double h = fmin(0.01, until - t), kept[2] = {y[0], y[1]};
        int which = -1;
        for (double lo = 0, hi = h; hi - lo > 1e-14;) {
            gsl_odeiv2_driver *by = gsl_odeiv2_driver_alloc_y_new(
                &sys, gsl_odeiv2_step_rk8pd, 1e-3, 1e-14, 1e-14);
            double s = 0, to = which < 0 ? h : (lo + hi) / 2;
            y[0] = kept[0];
            y[1] = kept[1];
            assert_int_equal(gsl_odeiv2_driver_apply(by, &s, to, y),
                             GSL_SUCCESS);
            gsl_odeiv2_driver_free(by);
            int ends = t + to > skip ? dragged_ends(d, y) : -1;
            if (which < 0 && ends < 0)
                break;
            if (ends >= 0) {
                which = ends;
                hi = to;
            } else {
                lo = to;
            }
            h = hi;
        }
        t += h;
        if (which < 0)
            continue;
        if (which == 0 || which == 3 || *n == TIMES_MOST)
            return t;
        time[(*n)++] = t;
        if (which == 1)
            d->r.mode[1] = -d->r.mode[1];
        else
            d->slips = -d->slips;
        skip = t + 1e-7;
    }
    return until;
}

static void
two_rods_that_drag_a_disc(void **state)
{
    (void)state;
    int turns = 0;
    for (int k = 0; k < 8; k++) {
        struct dragged d = {.radius = draw(0.02, 0.1), .mu = draw(0.05, 0.5)};
        struct rods *r = &d.r;
        double y[4], at[2], radius[2], mu[2], time[TIMES_MOST];
        char text[3000];
        int n;
        for (int i = 0; i < 2; i++) {
            r->m[i] = draw(0.5, 2);
            r->l[i] = i ? draw(0.9, 1.5) : draw(0.2, 0.5);
            r->c[i] = r->l[i] * draw(0.3, 0.7);
            r->J[i] = r->m[i] * r->l[i] * r->l[i] * draw(0.05, 0.12);
            radius[i] = draw(0.01, 0.04);
            mu[i] = draw(0.1, 0.6);
            r->rub[i] = mu[i] * radius[i];
        }
        r->g = GRAVITY;
        d.height = -draw(0.1, 0.3);
        at[0] = draw(-3, 3);
        at[1] = draw(-4, 4);
        angles(&d, at[0], at[1], y);
        modes_of(&d, at[0], at[1]);
        (void)drag(&d, at[0], at[1]);
        if (d.N < 0.1) /* nothing presses at the start */
            continue;
        double until = follow_dragged(&d, at, 1.0, time, &n);
        double slip[3], all[4];
        turns += until < 1.0;
        snprintf(text, sizeof text,
                 "use shapes\n"
                 "body one { mass = %.17g inertia = %.17g angle = %.17g "
                 "position = (%.17g, %.17g) }\n"
                 "body two : circle(%.17g) { mass = %.17g inertia = %.17g "
                 "angle = %.17g position = (%.17g, %.17g) centre = (%.17g, 0) "
                 "}\n"
                 "body floor : half_plane { fixed = true position = (0, %.17g) "
                 "}\n"
                 "joint a : hinge(one, world) { at = (0, 0) rate = %.17g "
                 "friction = %.17g radius = %.17g }\n"
                 "joint b : hinge(two, one) { at = (%.17g, %.17g) rate = %.17g "
                 "friction = %.17g radius = %.17g }\n"
                 "contact c : floor | two { friction = %.17g restitution = 0 "
                 "}\n"
                 "world { gravity = (0, -9.81) }\n"
                 "let r = simulate { until = %.17g\n"
                 "record = (one.angle, two.angle, energy, a.work, b.work, "
                 "c.work) }\n",
                 r->m[0], r->J[0], y[0], r->c[0] * cos(y[0]),
                 r->c[0] * sin(y[0]), d.radius, r->m[1], r->J[1], y[1],
                 r->l[0] * cos(y[0]) + r->c[1] * cos(y[1]),
                 r->l[0] * sin(y[0]) + r->c[1] * sin(y[1]), r->c[1] - r->l[1],
                 d.height - d.radius, y[2], mu[0], radius[0],
                 r->l[0] * cos(y[0]), r->l[0] * sin(y[0]), y[3] - y[2], mu[1],
                 radius[1], d.mu, until - 1e-6);
        struct run by;
        run(&by, text, false);
        fine(&by);
        const struct field_value *times = field(&by, 0, "event_times"),
                                 *one = field(&by, 0, "one_angle"),
                                 *two = field(&by, 0, "two_angle"),
                                 *energy = field(&by, 0, "energy"),
                                 *work[3] = {field(&by, 0, "a_work"),
                                             field(&by, 0, "b_work"),
                                             field(&by, 0, "c_work")};
        int from = 0;
        while (from < (int)times->n && times->num[from] == 0)
            from++;
        assert_int_equal((int)times->n - from, n);
        for (int i = 0; i < n; i++)
            near(times->num[from + i], time[i], 1e-8);
        angles(&d, at[0] - 1e-6 * at[1], at[1], all);
        slips_of(&d, all, slip);
        size_t last = one->n - 1;
        near(one->num[last], all[0], 1e-8);
        near(two->num[last], all[1], 1e-8);
        for (size_t i = 0; i <= last; i++)
            near(energy->num[i] - energy->num[0],
                 work[0]->num[i] + work[1]->num[i] + work[2]->num[i],
                 1e-12 * (1 + fabs(energy->num[0])));
        done(&by);
    }
    assert_true(turns > 1);
}

/* -- one mechanism in many ways ----------------------------------------------
 */

struct way {
    double turn, mirror, mass, length, speed; /* speed: of the whole frame */
    bool swapped; /* joints name their bodies in the other order */
};

static void
place(const struct way *w, double x, double y, char *to, size_t size)
{
    double X = w->length * x, Y = w->length * w->mirror * y;
    snprintf(to, size, "(%.17g, %.17g)", X * cos(w->turn) - Y * sin(w->turn),
             X * sin(w->turn) + Y * cos(w->turn));
}

/* Times of the events of a crank that drives a piston, and work of friction. */
static size_t
crank(const struct way *w, double *time, double *work)
{
    char text[4000], at[6][80], axis[80], weight[80], speed[80];
    struct way direction = *w;
    direction.length = 1;
    place(w, 0, 0, at[0], sizeof at[0]);
    place(w, 0.12, 0.09, at[1], sizeof at[1]);
    place(w, 0.16, 0.12, at[2], sizeof at[2]);
    place(w, 0.41, 0.07, at[3], sizeof at[3]);
    place(w, 0.66, 0.02, at[4], sizeof at[4]);
    place(&direction, 1, 0, axis, sizeof axis);
    place(w, 0, -9.81, weight, sizeof weight);
    place(w, w->speed, 0, speed, sizeof speed);
    const char *ground = w->speed != 0 ? "ground" : "world";
    snprintf(
        text, sizeof text,
        "body ground { fixed = true planar = true position = ((%s) [m/s])*t "
        "}\n"
        "body arm { mass = %.17g inertia = %.17g position = %s }\n"
        "body link { mass = %.17g inertia = %.17g position = %s }\n"
        "body piston { mass = %.17g inertia = %.17g position = %s }\n"
        "joint a : hinge(arm, %s) { at = %s rate = %.17g friction = 0.1 "
        "radius = %.17g }\n"
        "joint b : hinge(%s) { at = %s friction = coulomb(static = 0.3, "
        "dynamic "
        "= 0.2) radius = %.17g }\n"
        "joint c : hinge(%s) { at = %s friction = 0.1 radius = %.17g }\n"
        "joint s : slider(piston, %s) { axis = %s friction = 0.15 length = "
        "%.17g }\n"
        "world { gravity = %s }\n"
        "let r = simulate { until = 6 record = (a.work, b.work, c.work, "
        "s.work) "
        "}\n",
        speed, w->mass, 0.01 * w->mass * w->length * w->length, at[1],
        w->mass * 0.8, 0.03 * w->mass * w->length * w->length, at[3],
        w->mass * 1.5, 0.02 * w->mass * w->length * w->length, at[4], ground,
        at[0], 12.0 * w->mirror, 0.02 * w->length,
        w->swapped ? "arm, link" : "link, arm", at[2], 0.02 * w->length,
        w->swapped ? "link, piston" : "piston, link", at[4], 0.02 * w->length,
        ground, axis, 0.2 * w->length, weight);
    struct run by;
    run(&by, text, false);
    fine(&by);
    const struct field_value *times = field(&by, 0, "event_times");
    size_t n = times->n;
    assert_true(n <= TIMES_MOST);
    memcpy(time, times->num, n * sizeof *time);
    static const char *const of[4] = {"a_work", "b_work", "c_work", "s_work"};
    for (int i = 0; i < 4; i++) {
        const struct field_value *v = field(&by, 0, of[i]);
        work[i] = v->num[v->n - 1] / (w->mass * w->length * w->length);
    }
    done(&by);
    return n;
}

static void
one_crank_in_other_frames(void **state)
{
    (void)state;
    const struct way ways[] = {
        {0, 1, 1, 1, 0, false},    {0.7, 1, 1, 1, 0, false},
        {0, -1, 1, 1, 0, false},   {0, 1, 3.7, 1, 0, false},
        {0, 1, 1, 0.01, 0, false}, {0, 1, 1, 1, 0, true},
        {0.3, 1, 1, 1, 2.5, false}};
    double time[2][TIMES_MOST], work[2][4];
    size_t n = crank(&ways[0], time[0], work[0]);
    assert_true(n > 10);
    for (size_t k = 1; k < sizeof ways / sizeof ways[0]; k++) {
        assert_int_equal(crank(&ways[k], time[1], work[1]), n);
        for (size_t i = 0; i < n; i++)
            near(time[1][i], time[0][i], 1e-10);
        for (int i = 0; i < 4; i++)
            near(work[1][i], work[0][i], 1e-10);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_rods_as_by_angles),
        cmocka_unit_test(two_rods_as_impulses_do),
        cmocka_unit_test(two_rods_that_drag_a_disc),
        cmocka_unit_test(one_crank_in_other_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
