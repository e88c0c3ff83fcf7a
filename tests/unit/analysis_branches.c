/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces that begin with a branch: rows of balls that push each other while
 * they overlap, with a force of any power of the overlap (a spring: 1, spheres
 * of Hertz: 1.5). The reference shares nothing with Imp: equations written by
 * hand, GSL's rk8pd, and a new start of the integrator at every change of
 * branch, which bisection finds. */
#include "analysis_help.h"

#ifdef HAVE_GSL
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#define MOST 6
#define STEP (1. / 32)

struct row {
    int n;
    double mass[MOST], stiffness[MOST], power; /* of the potential */
    double radius[MOST], place[MOST], speed[MOST], end;
};

static double
overlap(const struct row *row, const double *y, int i)
{
    return row->radius[i] + (y[i] - y[i + 1]);
}

static int
right_side(double t, const double *y, double *dy, void *ctx)
{
    const struct row *row = ctx;
    (void)t;
    for (int i = 0; i < row->n; i++) {
        dy[i] = y[row->n + i];
        dy[row->n + i] = 0;
    }
    for (int i = 0; i + 1 < row->n; i++) {
        double s = overlap(row, y, i);
        double force =
            s > 0 ? row->power * row->stiffness[i] * pow(s, row->power - 1) : 0;
        dy[row->n + i] -= force / row->mass[i];
        dy[row->n + i + 1] += force / row->mass[i + 1];
    }
    return GSL_SUCCESS;
}

static unsigned
touching(const struct row *row, const double *y)
{
    unsigned set = 0;
    for (int i = 0; i + 1 < row->n; i++)
        set |= (unsigned)(overlap(row, y, i) > 0) << i;
    return set;
}

static void
drive(const struct row *row, double tol, double *y, double from, double to)
{
    gsl_odeiv2_system system = {right_side, NULL, (size_t)(2 * row->n),
                                (void *)row};
    gsl_odeiv2_driver *d = gsl_odeiv2_driver_alloc_y_new(
        &system, gsl_odeiv2_step_rk8pd, 1e-6 * (to - from), tol, tol);
    assert_int_equal(gsl_odeiv2_driver_apply(d, &from, to, y), GSL_SUCCESS);
    gsl_odeiv2_driver_free(d);
}

static void
reference(const struct row *row, double tol, double *y)
{
    double at[2 * MOST], t = 0;
    size_t size = 2 * (size_t)row->n * sizeof *y;
    memcpy(y, row->place, (size_t)row->n * sizeof *y);
    memcpy(y + row->n, row->speed, (size_t)row->n * sizeof *y);
    while (t < row->end) {
        double step = fmin(STEP, row->end - t), lo = 0, hi = step;
        unsigned before = touching(row, y);
        memcpy(at, y, size);
        drive(row, tol, at, t, t + step);
        if (touching(row, at) != before) {
            while (hi - lo > 1e-14) {
                double middle = 0.5 * (lo + hi);
                memcpy(at, y, size);
                drive(row, tol, at, t, t + middle);
                if (touching(row, at) == before)
                    lo = middle;
                else
                    hi = middle;
            }
            memcpy(at, y, size);
            drive(row, tol, at, t, t + hi);
            step = hi;
        }
        memcpy(y, at, size);
        t += step;
    }
}

static size_t
model(const struct row *row, char *text, size_t room)
{
    size_t k = 0;
    k += (size_t)snprintf(text + k, room - k, "system s { coordinate ");
    for (int i = 0; i < row->n; i++)
        k += (size_t)snprintf(text + k, room - k, "%sx%d", i ? ", " : "", i);
    k += (size_t)snprintf(text + k, room - k, "\nkinetic = 0");
    for (int i = 0; i < row->n; i++)
        k += (size_t)snprintf(text + k, room - k, " + %.17g*x%d'^2/2",
                              row->mass[i], i);
    k += (size_t)snprintf(text + k, room - k, "\npotential = (1 [1/s^2])*(0");
    for (int i = 0; i + 1 < row->n; i++)
        k += (size_t)snprintf(
            text + k, room - k, " + %.17g*max(0, %.17g + (x%d - x%d))^%.17g",
            row->stiffness[i], row->radius[i], i, i + 1, row->power);
    k += (size_t)snprintf(text + k, room - k, ")\nstart {");
    for (int i = 0; i < row->n; i++)
        k += (size_t)snprintf(text + k, room - k, " x%d = %.17g x%d' = %.17g",
                              i, row->place[i], i, row->speed[i]);
    k += (size_t)snprintf(text + k, room - k,
                          " } }\nlet r = simulate { until = %.17g at = %.17g "
                          "record = (",
                          row->end, row->end);
    for (int i = 0; i < row->n; i++)
        k += (size_t)snprintf(text + k, room - k, "s.x%d, s.x%d'%s", i, i,
                              i + 1 < row->n ? ", " : ") }\n");
    assert_true(k < room);
    return k;
}

/* The greatest difference of a velocity at the end, as a share of the
 * greatest velocity. */
static double
difference(const struct row *row, double *own)
{
    char text[4096], name[32];
    double y[2 * MOST], coarse[2 * MOST], off = 0, most = 0;
    struct run r;
    model(row, text, sizeof text);
    reference(row, 1e-15, y);
    reference(row, 1e-12, coarse);
    run(&r, text, false);
    if (r.status != IMP_EXIT_OK)
        print_message("%s", text);
    fine(&r);
    *own = 0;
    for (int i = 0; i < row->n; i++) {
        snprintf(name, sizeof name, "s_x%d_dot", i);
        most = fmax(most, fabs(y[row->n + i]));
        off = fmax(off, fabs(field(&r, 0, name)->num[0] - y[row->n + i]));
        *own = fmax(*own, fabs(coarse[row->n + i] - y[row->n + i]));
    }
    double before = number(&r, 0, "energy_before"),
           after = number(&r, 0, "energy_after");
    near(after, before, 1e-13 * fabs(before));
    done(&r);
    *own /= most;
    return off / most;
}

/* balls that touch at rest, and one that comes: 5 and 2 of them */
static void
test_rows_that_touch(void **state)
{
    (void)state;
    static const double powers[] = {2, 2.5, 3, 2.2, 1.8};
    for (size_t k = 0; k < 2 * sizeof powers / sizeof *powers; k++) {
        struct row row = {.n = k % 2 ? 5 : 2, .power = powers[k / 2]};
        row.end = 2;
        for (int i = 0; i < row.n; i++) {
            row.mass[i] = 1;
            row.stiffness[i] = 500;
        }
        row.speed[0] = 1;
        double own, off = difference(&row, &own);
        print_message(
            "%d balls, power %g: off by %.2g, the reference by %.2g\n", row.n,
            row.power, off, own);
        if (!(off <= 1e-11 + own))
            fail_msg("off by %g, the reference by %g", off, own);
    }
}

static unsigned seed = 7;
static double
draw(double lo, double hi)
{
    seed = seed * 1664525u + 1013904223u;
    return lo + (hi - lo) * (seed >> 8) / 16777216.;
}

static void
test_random_rows(void **state)
{
    (void)state;
    const char *wanted = getenv("IMP_TEST_CASES");
    double worst = 0;
    for (int k = 0; k < (wanted ? atoi(wanted) : 12); k++) {
        struct row row = {.n = 2 + (int)draw(0, 4.99), .end = 1.5};
        row.power = draw(0, 1) < 0.4   ? 2.5
                    : draw(0, 1) < 0.4 ? 2
                                       : draw(1.8, 4);
        double place = draw(0, 1) < 0.5 ? 0 : draw(-3, 3);
        for (int i = 0; i < row.n; i++) {
            row.mass[i] = draw(0.2, 3);
            row.stiffness[i] = exp(draw(3, 9));
            row.radius[i] = draw(0, 1) < 0.5 ? 0 : draw(0.05, 0.4);
            row.place[i] = place;
            place += row.radius[i] + (draw(0, 1) < 0.5 ? 0 : draw(0, 0.3));
            row.speed[i] = draw(0, 1) < 0.5 ? 0 : draw(-1, 2);
        }
        row.speed[0] = 1;
        double own, off = difference(&row, &own);
        worst = fmax(worst, off);
        if (!(off <= 1e-10 + 10 * own)) {
            char text[4096];
            model(&row, text, sizeof text);
            fail_msg("case %d: off by %g, the reference by %g:\n%s", k, off,
                     own, text);
        }
    }
    print_message("off by %.2g at most\n", worst);
}
#else
static void
test_rows_that_touch(void **state)
{
    (void)state;
    skip();
}
#define test_random_rows test_rows_that_touch
#endif

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_that_touch),
        cmocka_unit_test(test_random_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
