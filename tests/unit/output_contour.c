/* SPDX-License-Identifier: MIT */
/* Level lines: points on the level, lines whole, gaps where values are
 * missing, no lines where the points are no grid. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "output/out.h"

enum { N = 61 };
struct grid {
    double x[N * N], y[N * N], z[N * N];
    struct out_column cx, cy, cz;
};

static void
fill(struct grid *g, double (*f)(double, double))
{
    for (int k = 0; k < N * N; k++) {
        int at = (k * 37) % (N * N); /* the order of rows does not count */
        g->x[at] = -1.5 + 3.0 * (k % N) / (N - 1);
        g->y[at] = -1.5 + 3.0 * (k / N) / (N - 1);
        g->z[at] = f(g->x[at], g->y[at]);
    }
    g->cx = (struct out_column){"x", "", g->x, N * N, NULL};
    g->cy = (struct out_column){"y", "", g->y, N * N, NULL};
    g->cz = (struct out_column){"z", "", g->z, N * N, NULL};
}

static double
circle(double x, double y)
{
    return x * x + y * y;
}
static double
saddle(double x, double y)
{
    return x * y;
}
static double
plane(double x, double y)
{
    return x + 2 * y;
}
static double
holes(double x, double y)
{
    return x > 0.4 && y > 0.4 ? NAN : x + 2 * y;
}

static int
runs(const struct out_curve *c)
{
    int n = 0;
    for (size_t i = 0; i < c->x.n; i++)
        n += !isfinite(c->x.x[i]);
    return n;
}

static void
circles(void **state)
{
    (void)state;
    static struct grid g;
    struct arena *a = arena_new();
    struct out_curve v[3];
    const double level[] = {0.25, 1.0, 9.0};
    fill(&g, circle);
    assert_true(out_contours(a, &g.cx, &g.cy, &g.cz, level, 3, v));
    for (int k = 0; k < 2; k++) {
        assert_int_equal(runs(&v[k]), 1);
        size_t n = v[k].x.n - 1;
        /* linear interpolation of a parabola: h^2/8 times its second
         * derivative, h = 0.05 */
        for (size_t i = 0; i < n; i++)
            assert_true(fabs(circle(v[k].x.x[i], v[k].y.x[i]) - level[k]) <=
                        0.05 * 0.05 / 4 * 1.001);
        /* closed */
        assert_true(fabs(v[k].x.x[0] - v[k].x.x[n - 1]) < 1e-15);
        assert_true(fabs(v[k].y.x[0] - v[k].y.x[n - 1]) < 1e-15);
    }
    assert_string_equal(v[1].y.name, "z = 1");
    assert_string_equal(v[0].level, "0.25");
    assert_int_equal(v[2].x.n, 0);
    arena_free(a);
}

static void
straight(void **state)
{
    (void)state;
    static struct grid g;
    struct arena *a = arena_new();
    struct out_curve v;
    double level = 0.3;
    fill(&g, plane);
    assert_true(out_contours(a, &g.cx, &g.cy, &g.cz, &level, 1, &v));
    assert_int_equal(runs(&v), 1);
    for (size_t i = 0; i + 1 < v.x.n; i++)
        assert_true(fabs(plane(v.x.x[i], v.y.x[i]) - level) < 1e-14);
    level = 1.0; /* cut by what has no value */
    fill(&g, holes);
    assert_true(out_contours(a, &g.cx, &g.cy, &g.cz, &level, 1, &v));
    for (size_t i = 0; i < v.x.n; i++)
        assert_false(v.x.x[i] > 0.45 && v.y.x[i] > 0.45);
    arena_free(a);
}

static void
saddles(void **state)
{
    (void)state;
    static struct grid g;
    struct arena *a = arena_new();
    struct out_curve v[2];
    const double level[] = {0.1, -0.1};
    fill(&g, saddle);
    assert_true(out_contours(a, &g.cx, &g.cy, &g.cz, level, 2, v));
    assert_int_equal(runs(&v[0]), 2);
    assert_int_equal(runs(&v[1]), 2);
    arena_free(a);
}

static void
no_grid(void **state)
{
    (void)state;
    double x[50], y[50], z[50], level = 0.5, round[OUT_LEVELS];
    for (int i = 0; i < 50; i++) {
        x[i] = fmod(0.37 * i, 1.0) + 1e-3 * i;
        y[i] = fmod(0.61 * i, 1.0) + 2e-3 * i;
        z[i] = 0.02 * i;
    }
    struct out_column cx = {"x", "", x, 50, NULL}, cy = {"y", "", y, 50, NULL},
                      cz = {"z", "", z, 50, NULL};
    struct arena *a = arena_new();
    struct out_curve v;
    assert_false(out_contours(a, &cx, &cy, &cz, &level, 1, &v));
    cx.n = cy.n = cz.n = 0;
    assert_false(out_contours(a, &cx, &cy, &cz, &level, 1, &v));
    assert_int_equal(out_levels(&cz, round), 0);
    cz.n = 50;
    assert_int_equal(out_levels(&cz, round), 4);
    assert_true(fabs(round[0] - 0.2) < 1e-15);
    for (int i = 0; i < 50; i++)
        z[i] = 3;
    assert_int_equal(out_levels(&cz, round), 0);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles), cmocka_unit_test(straight),
        cmocka_unit_test(saddles), cmocka_unit_test(no_grid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
