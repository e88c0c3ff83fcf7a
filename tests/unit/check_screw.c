/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screws in the typed model: a unit per entry, what joints of every kind leave
 * free does no work on what they bear (random joints, bodies in random states),
 * T = 1/2 v^T eta M v, names of the user's own, the plane. */
#include "check_common.h"

#include <math.h>

#define TWO                                                                    \
    "body a { mass = 2 inertia = diag(0.5, 0.4, 0.3) }\n"                      \
    "body b { mass = 3 inertia = diag(0.7, 0.6, 0.5) position = (0, 1, 0) }\n"

static void
test_units(void **state)
{
    (void)state;
    static const struct {
        const char *show, *unit;
    } rows[] = {
        {"a.twist", "1/s;1/s;1/s;m/s;m/s;m/s"},
        {"a.momentum_screw", "kg*m/s;kg*m/s;kg*m/s;kg*m^2/s;kg*m^2/s;kg*m^2/s"},
        {"a.twist'", "1/s^2;1/s^2;1/s^2;m/s^2;m/s^2;m/s^2"},
        {"a.twist[0]", "1/s"},
        {"a.twist[4]", "m/s"},
        {"eta*a.twist", "m/s;m/s;m/s;1/s;1/s;1/s"},
        {"transpose(a.twist)*eta*a.momentum_screw", "J"},
        {"transpose(a.twist)*eta*a.M*a.twist", "J"},
        {"inv(a.M)*a.momentum_screw - a.twist", "1/s;1/s;1/s;m/s;m/s;m/s"},
        {"det(a.M)", "kg^6*m^6"},
        {"2*a.twist/(3 [kg])", "1/(kg*s);1/(kg*s);1/(kg*s);m/(kg*s);m/(kg*s);"
                               "m/(kg*s)"},
        {"o.Q", ""},
        {"o.Q*(2 [m/s])", "m/s"},
        {"c.Q", "1;;1;;1;;m;1;m;1;m;1"},
        {"eta", ""},
        {"figures(a.twist)", ""},
        {"norm(figures(a.twist))", ""},
        {"columns(a.twist, b.twist)[0, 1]", "1/s"},
        {"plucker((1, 2, 3), (1, 1, 1))", "1;1;1;m;m;m"},
        {"wrench((1, 2, 3), (4, 5, 6))", "N;N;N;J;J;J"},
        {"wrench((1, 2, 3) [N*s], (4, 5, 6))",
         "kg*m/s;kg*m/s;kg*m/s;kg*m^2/s;kg*m^2/s;kg*m^2/s"},
        {"dot(eta*a.twist, a.momentum_screw)", "J"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct checked c;
        char text[1024];
        snprintf(text, sizeof text,
                 TWO "joint o : slider(a, b) { axis = (1, 1, 1) }\n"
                     "joint c : cylinder(a, b) { at = (1, 2, 3) "
                     "axis = (1, 2, 3) }\nshow %s\n",
                 rows[i].show);
        check_good(&c, text);
        const char *unit = c.m->commands[0].args[0].unit;
        assert_string_equal(unit, rows[i].unit);
        checked_free(&c);
    }
}

/* -- random joints -------------------------------------------------------- */

static uint64_t seed = 20;
static double
rnd(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) / 0x1p52 - 1;
}

static double state_of[2][64];
static double
leaf_value(void *ctx, const expr *leaf)
{
    (void)ctx;
    assert_int_equal(leaf->sym, SYM_BODY);
    uint32_t q = leaf->j / BODYQ_STRIDE, k = leaf->j % BODYQ_STRIDE;
    static const double inertia[6] = {0.5, 0.4, 0.3, 0, 0, 0};
    if (q == BODYQ_INERTIA)
        return inertia[k];
    if (q == BODYQ_MASS)
        return 2;
    if (q == BODYQ_QUATERNION)
        return state_of[leaf->i][k];
    return state_of[leaf->i][4 + (q * 7 + k) % 40];
}
static void
random_state(void)
{
    for (int b = 0; b < 2; b++) {
        double n = 0;
        for (int i = 0; i < 64; i++)
            state_of[b][i] = 3 * rnd();
        for (int i = 0; i < 4; i++)
            n += state_of[b][i] * state_of[b][i];
        for (int i = 0; i < 4; i++)
            state_of[b][i] /= sqrt(n);
    }
}

static void
test_reciprocal(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "ball(%s) { at = (%.17g, %.17g, %.17g) }",
        "hinge(%s) { at = (%.17g, %.17g, %.17g) axis = (%.17g, %.17g, %.17g) }",
        "slider(%s) { at = (%.17g, %.17g, %.17g) axis = (%.17g, %.17g, %.17g) "
        "}",
        "cylinder(%s) { at = (%.17g, %.17g, %.17g) axis = (%.17g, %.17g, "
        "%.17g) }",
        "planar(%s) { at = (%.17g, %.17g, %.17g) axis = (%.17g, %.17g, %.17g) "
        "}",
        "constraint(%s) { at = (%.17g, %.17g, %.17g) screws = "
        "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g; 1, 0, 2, 0, 0, 1; "
        "2, 0, 4, 0, 0, 2; 0, 0, 0, 1, 1, 0] }",
        "universal(%s) { at = (%.17g, %.17g, %.17g) axis = (%.17g, %.17g, "
        "%.17g) axis2 = (%.17g, %.17g, %.17g) }",
    };
    for (size_t i = 0; i < 60 * 7; i++) {
        struct checked c;
        char text[2048], joint[1024];
        double x[9];
        for (int k = 0; k < 9; k++)
            x[k] = 2 * rnd();
        /* one carried frame: universal joints hold to the world */
        bool world = i % 7 == 6 || i % 2;
        snprintf(joint, sizeof joint, kinds[i % 7], world ? "a, world" : "a, b",
                 x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]);
        snprintf(text, sizeof text,
                 "body a { mass = 2 inertia = diag(0.5, 0.4, 0.3) position = "
                 "(1, %.17g, 2) rotation = ((1, 2, %.17g), 0.7) }\n"
                 "body b { mass = 2 inertia = diag(0.5, 0.4, 0.3) }\n"
                 "joint o : %s\n"
                 "show norm(figures(transpose(o.S)*eta*o.Q)), o.Q, o.S\n"
                 "show abs(transpose(a.twist)*eta*a.M*a.twist/2 - "
                 "dot(a.momentum_screw, eta*a.twist)/2)\n",
                 rnd(), rnd(), joint);
        check_good(&c, text);
        const struct tm_val *v = c.m->commands[0].args;
        assert_int_equal(v[1].rows, 6);
        assert_int_equal(v[1].cols + v[2].cols, 6);
        for (int k = 0; k < 5; k++) {
            random_state();
            double off = ex_value(c.m->graph, v[0].e[0], leaf_value, NULL);
            /* columns of size up to 20, 18 products */
            assert_true(off < 1e-12);
            off = ex_value(c.m->graph, c.m->commands[1].args[0].e[0],
                           leaf_value, NULL);
            assert_true(off < 1e-11);
        }
        checked_free(&c);
    }
}

static void
test_plane(void **state)
{
    (void)state;
    struct checked c;
    check_good(&c, "body a { mass = 2 inertia = 3 position = (1, 0) }\n"
                   "body b { mass = 2 inertia = 3 position = (1, 5) }\n"
                   "joint o : hinge(a, world) { at = (0, 0) }\n"
                   "show a.twist, a.Q, a.S, a.M_red, b.Q, b.M_red\n"
                   "show twist(2, (3, 4)), wrench((3, 4), 5)\n");
    const struct tm_val *v = c.m->commands[0].args;
    static const uint32_t rows[] = {6, 6, 6, 1, 6, 3};
    static const uint32_t cols[] = {1, 1, 2, 1, 3, 3};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(v[i].rows, rows[i]);
        assert_int_equal(v[i].cols, cols[i]);
    }
    static const double t[6] = {0, 0, 2, 3, 4, 0}, w[6] = {3, 4, 0, 0, 0, 5};
    v = c.m->commands[1].args;
    for (int i = 0; i < 6; i++) {
        assert_true(ex_is_num(v[0].e[i], t[i]));
        assert_true(ex_is_num(v[1].e[i], w[i]));
    }
    checked_free(&c);
}

static void
test_own_names(void **state)
{
    (void)state;
    struct checked c;
    check_good(&c, TWO "let eta = 3\nlet M = 4\nlet Q = 5\n"
                       "fn G(x) = 2*x\nfn U(x) = 3*x\nfn twist(x) = x\n"
                       "show eta, M, Q, G(1), U(1), twist(7)\n");
    static const double x[] = {3, 4, 5, 2, 3, 7};
    for (int i = 0; i < 6; i++)
        assert_true(ex_is_num(c.m->commands[0].args[i].e[0], x[i]));
    checked_free(&c);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units), cmocka_unit_test(test_reciprocal),
        cmocka_unit_test(test_plane), cmocka_unit_test(test_own_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
