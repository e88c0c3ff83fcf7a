/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polytopes with e < 1 that are thrown onto a plane without friction come to
 * rest on it, whatever their shape, restitution, tilt and spin: the run gets
 * through all impacts and limits to its end, energy never rises, no corner gets
 * below the plane, what the plane cannot change (momentum along it, angular
 * momentum about its normal) stays, and on a level plane nothing but a slide
 * and a spin about the normal is left. */
#include "analysis_help.h"

#define GRAVITY 9.81
/* what counts as closed between two boxes of 2 m: 1e-11 of their length; a
 * point that needed no push is let sink by two of these before it is held
 * again, and is lifted by as much */
#define CLOSED 4e-11

static uint64_t seed = 88172645463325252u;
static double
uniform(double lo, double hi)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return lo + (hi - lo) * ((double)(seed >> 11) * 0x1p-53);
}

static double
normal(void)
{
    double x = 0;
    for (int i = 0; i < 12; i++)
        x += uniform(-0.5, 0.5);
    return x;
}

static long
cases(long usual)
{
    const char *n = getenv("IMP_TEST_CASES");
    return n ? atol(n) : usual;
}

struct text {
    char s[4096];
    size_t n;
};

static void
add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->s + t->n, sizeof t->s - t->n, format, args);
    va_end(args);
    assert_true(t->n < sizeof t->s);
}

static void
shape(struct text *t, int dim)
{
    double u = uniform(0, 1);
    double a = uniform(0.2, 0.8), b = uniform(0.2, 0.8), c = uniform(0.2, 0.8);
    int n = (int)uniform(5, 13);
    if (dim == 2 && u < 0.4) {
        add(t, "rectangle(%.17g, %.17g)", a, b);
    } else if (dim == 2) {
        add(t, "polygon(");
        for (int i = 0; i < n; i++) {
            double phi = 6.283185307179586 * (i + uniform(0.1, 0.9)) / n;
            add(t, "%s(%.17g, %.17g)", i ? ", " : "", a * cos(phi),
                b * sin(phi));
        }
        add(t, ")");
    } else if (u < 0.45) {
        add(t, "box(%.17g, %.17g, %.17g)", a, b, c);
    } else if (u < 0.6) {
        add(t, "tetrahedron(%.17g)", a);
    } else if (u < 0.7) {
        add(t, "octahedron(%.17g)", a);
    } else {
        add(t, "polyhedron(");
        for (int i = 0; i < n; i++) {
            double x = normal(), y = normal(), z = normal();
            double l = sqrt(x * x + y * y + z * z);
            add(t, "%s(%.17g, %.17g, %.17g)", i ? ", " : "", a * x / l,
                b * y / l, c * z / l);
        }
        add(t, ")");
    }
}

static double
model(struct text *t, int dim, double lean)
{
    static const char *const law[] = {"", " law = complementarity",
                                      " law = sequential"};
    double e = uniform(0, 1) < 0.8 ? uniform(0.05, 0.9) : 0.95, g = 9.81;
    double tilt =
        uniform(0, 1) < 0.5 ? uniform(0, 3) : pow(10, uniform(-9, -1));
    double until = lean > 0 ? 6 : 4 + 4 / (1 - e);
    bool plane = dim == 2;
    t->n = 0;
    add(t,
        "use shapes\nworld { gravity = (%.17g, %s%.17g)%s }\n"
        "body floor : %s { fixed = true }\nbody b : ",
        g * sin(lean), plane ? "" : "0, ", -g * cos(lean),
        law[(int)uniform(0, 3)], plane ? "half_plane" : "half_space");
    shape(t, dim);
    if (plane)
        add(t,
            " { mass = 1 position = (0, %.17g) angle = %.17g\n"
            " velocity = (%.17g, %.17g) spin = %.17g }\n",
            uniform(0.9, 2.5), tilt, normal(), normal(), 3 * normal());
    else
        add(t,
            " { mass = 1 position = (0, 0, %.17g)\n"
            " rotation = ((%.17g, %.17g, %.17g), %.17g)\n"
            " velocity = (%.17g, %.17g, %.17g)\n"
            " spin = (%.17g, %.17g, %.17g) }\n",
            uniform(0.9, 2.5), normal(), normal(), normal(), tilt, normal(),
            normal(), normal(), 3 * normal(), 3 * normal(), 3 * normal());
    add(t,
        "contact c : floor | b { restitution = %.17g }\n"
        "simulate { until = %.17g every = %.17g\n"
        "  record = (gap(c), b.energy, b.momentum%s) }\n",
        e, until, until / 50,
        plane ? "[0]" : "[0], b.momentum[1], b.angular_momentum[2]");
    return e;
}

/* how much a column rises, and how far it gets from its first value */
static void
spread(const struct field_value *v, double *rise, double *off, double *most)
{
    *rise = *off = *most = 0;
    for (size_t i = 0; i < v->n; i++) {
        *rise = fmax(*rise, i ? v->num[i] - v->num[i - 1] : 0);
        *off = fmax(*off, fabs(v->num[i] - v->num[0]));
        *most = fmax(*most, fabs(v->num[i]));
    }
}

static void
one(int dim, double lean)
{
    static const char *const kept[] = {"b_momentum_0", "b_momentum_1",
                                       "b_angular_momentum_2"};
    struct text t;
    struct run r;
    double rise, off, most;
    model(&t, dim, lean);
    run(&r, t.s, false);
    if (r.status != IMP_EXIT_OK)
        print_error("%s", t.s);
    fine(&r);
    assert_string_equal(word(&r, 0, "status"), "done");
    const struct field_value *gap = field(&r, 0, "gap_c");
    for (size_t i = 0; i < gap->n; i++)
        if (!(gap->num[i] > -1e-12))
            fail_msg("%s\ngap %g", t.s, gap->num[i]);
    if (lean == 0) {
        spread(field(&r, 0, "b_energy"), &rise, &off, &most);
        if (!(rise <= 1e-12 * most))
            fail_msg("%s\nthe energy rises by %g of %g", t.s, rise, most);
        for (int i = 0; i < (dim == 2 ? 1 : 3); i++) {
            spread(field(&r, 0, kept[i]), &rise, &off, &most);
            if (!(off <= 1e-11 * (1 + most)))
                fail_msg("%s\n%s drifts by %g of %g", t.s, kept[i], off, most);
        }
        const double *v =
            r.d.run->env + r.im->layout.state + (dim == 2 ? 3 : 7);
        near(v[dim - 1], 0, 1e-11);
        near(gap->num[gap->n - 1], 0, 1e-12);
        if (dim == 2)
            near(v[2], 0, 1e-11);
    }
    done(&r);
}

static void
level(void **state)
{
    (void)state;
    for (long i = 0, n = cases(40); i < n; i++)
        one(i % 4 ? 3 : 2, 0);
}

static void
inclined(void **state)
{
    (void)state;
    for (long i = 0, n = cases(40) / 3; i < n; i++)
        one(i % 4 ? 3 : 2, uniform(0, 0.6));
}

/* Boxes that slide and spin on a table without restitution, over its edges and
 * corners too: they go on, tip, fall, and lose energy by impacts alone.
 * (Newton's law would pull at the corners of a small area that is hit far from
 * the mass centre.) */
static void
over_edges(void **state)
{
    (void)state;
    for (long i = 0, n = cases(40); i < n; i++) {
        double a[3], b[3], x[2], rise, off, most;
        struct text t = {.n = 0};
        struct run r;
        for (int k = 0; k < 3; k++) {
            a[k] = uniform(0.3, 1.2);
            b[k] = uniform(0.2, 1.0);
        }
        for (int k = 0; k < 2; k++)
            x[k] = uniform(-0.5, 0.5) * (a[k] + b[k]);
        add(&t,
            "use shapes\nworld { gravity = (0, 0, -9.81)\n"
            " law = complementarity }\n"
            "body table : box(%.17g, %.17g, %.17g) { fixed = true\n"
            " position = (0, 0, %.17g) }\n"
            "body b : box(%.17g, %.17g, %.17g) { mass = 1\n"
            " position = (%.17g, %.17g, %.17g)\n"
            " rotation = ((0, 0, 1), %.17g) velocity = (%.17g, %.17g, 0)\n"
            " spin = (0, 0, %.17g) }\n"
            "contact c : table | b { restitution = 0 }\n"
            "simulate { until = 2 every = 0.04 record = (gap(c), b.energy) }\n",
            a[0], a[1], a[2], -a[2] / 2, b[0], b[1], b[2], x[0], x[1],
            b[2] / 2 + (i % 2 ? uniform(0, 0.5) : 0),
            i % 3 ? uniform(-3, 3) : 0, normal(), normal(),
            i % 4 ? 2 * normal() : 0);
        run(&r, t.s, false);
        if (r.status != IMP_EXIT_OK)
            print_error("%s", t.s);
        fine(&r);
        assert_string_equal(word(&r, 0, "status"), "done");
        spread(field(&r, 0, "b_energy"), &rise, &off, &most);
        if (!(rise <= GRAVITY * 2 * CLOSED))
            fail_msg("%s\nthe energy rises by %g of %g", t.s, rise, most);
        const struct field_value *gap = field(&r, 0, "gap_c");
        for (size_t k = 0; k < gap->n; k++)
            if (!(gap->num[k] > -2 * CLOSED))
                fail_msg("%s\ngap %g", t.s, gap->num[k]);
        done(&r);
    }
}

/* Two and three boxes that fall on each other and on a floor, nearly flat: the
 * run goes on through all that touches there, whatever comes to rest first. */
static void
stacks(void **state)
{
    (void)state;
    for (long i = 0, n = cases(40) / 10; i < n; i++) {
        double e = i % 2 ? uniform(0.05, 0.5) : 0, z = 0, x[2] = {0, 0}, a[3];
        double rise, off, most;
        int m = 3 - (int)(i % 2);
        struct text t = {.n = 0};
        struct run r;
        add(&t, "use shapes\nworld { gravity = (0, 0, -9.81)\n"
                " law = complementarity }\n"
                "body floor : half_space { fixed = true }\n");
        for (int k = 0; k < m; k++) {
            for (int j = 0; j < 3; j++)
                a[j] = uniform(0.3, 1.2);
            for (int j = 0; j < 2 && k; j++)
                x[j] += uniform(-0.4, 0.4) * a[j];
            z += uniform(0.05, 0.2) + a[2];
            add(&t,
                "body b%d : box(%.17g, %.17g, %.17g) { mass = %.17g\n"
                " position = (%.17g, %.17g, %.17g)\n"
                " rotation = ((%.17g, %.17g, %.17g), %.17g) }\n"
                "contact c%d : floor | b%d { restitution = %.17g }\n",
                k, a[0], a[1], a[2], uniform(0.3, 3), x[0], x[1], z - a[2] / 2,
                normal(), normal(), normal(), pow(10, uniform(-9, -2)), k, k,
                e);
            for (int j = 0; j < k; j++)
                add(&t, "contact d%d%d : b%d | b%d { restitution = %.17g }\n",
                    j, k, j, k, e);
        }
        add(&t,
            "simulate { until = 1 every = 0.05 record = (b0.energy +"
            " b1.energy%s, gap(c0), gap(d01)) }\n",
            m > 2 ? " + b2.energy" : "");
        run(&r, t.s, false);
        if (r.status != IMP_EXIT_OK)
            print_error("%s", t.s);
        fine(&r);
        assert_string_equal(word(&r, 0, "status"), "done");
        for (int f = 0; f < 2; f++) {
            const struct field_value *gap =
                field(&r, 0, f ? "gap_c0" : "gap_d01");
            for (size_t k = 0; k < gap->n; k++)
                if (!(gap->num[k] > -2 * CLOSED))
                    fail_msg("%s\ngap %g", t.s, gap->num[k]);
        }
        spread(field(&r, 0,
                     m > 2 ? "b0_energy_b1_energy_b2_energy"
                           : "b0_energy_b1_energy"),
               &rise, &off, &most);
        if (!(rise <= 9 * GRAVITY * 2 * CLOSED))
            fail_msg("%s\nthe energy rises by %g of %g", t.s, rise, most);
        done(&r);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level),
        cmocka_unit_test(inclined),
        cmocka_unit_test(over_edges),
        cmocka_unit_test(stacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
