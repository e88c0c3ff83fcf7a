/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of bodies that stay closed, and chatter: identities that hold
 * whatever the numbers, and agreement with the same as a system. */
#include "analysis_help.h"

#include <float.h>

#define GRAVITY 9.81

static void
model(struct run *r, const char *text)
{
    run(r, text, false);
    fine(r);
    assert_string_equal(word(r, 0, "status"), "done");
}

static double
last(const struct run *r, const char *name)
{
    const struct field_value *v = field(r, 0, name);
    return v->num[v->n - 1];
}

/* a ball that is dropped on a floor: T = sqrt(2h/g) (1 + e)/(1 - e) */
static void
ball_comes_to_rest(void **state)
{
    static const double e[] = {0.1, 0.3, 0.5, 0.8, 0.9, 0.99};
    (void)state;
    for (size_t i = 0; i < sizeof e / sizeof *e; i++) {
        char text[512];
        struct run r;
        snprintf(text, sizeof text,
                 "use shapes\nworld { gravity = (0, -%.17g) }\n"
                 "body floor : half_plane() { fixed = true }\n"
                 "body ball : circle(0.1) { mass = 1 position = (0, 1.1)\n"
                 "  velocity = (0.5, 0) spin = 2 }\n"
                 "contact c : floor | ball { restitution = %.17g }\n"
                 "simulate { until = 100 at = (0, 100) record = gap(c) }",
                 GRAVITY, e[i]);
        model(&r, text);
        double T = sqrt(2 / GRAVITY) * (1 + e[i]) / (1 - e[i]);
        near(last(&r, "limit_times"), T, 1e-14 * T);
        /* The bound holds, and comes from the ratio of the flights: their sum
         * feels an error of the ratio by 1/(1 - e)^2. */
        double bound = last(&r, "limit_errors");
        assert_true(fabs(last(&r, "limit_times") - T) <= bound);
        assert_true(bound < 100 * DBL_EPSILON * T / ((1 - e[i]) * (1 - e[i])));
        double rest = 0.5 * 0.25 + 0.5 * 0.005 * 4 + GRAVITY * 0.1;
        /* The ball slides 50 m in 100 s. The lever of its weight is known to
         * the rounding of that place, and its torque changes a spin of 2. */
        double rounding = DBL_EPSILON * 50.0 * GRAVITY * 100.0 * 2.0;
        near(number(&r, 0, "energy_after"), rest, rounding);
        near(last(&r, "gap_c"), 0, 1e-14);
        done(&r);
    }
}

/* a disc that slides down a fixed one leaves where its height over the centre
 * is 2/3 of that at the start */
static void
disc_leaves(void **state)
{
    struct run r;
    (void)state;
    model(&r, "use shapes\nlet a = 0.001\n"
              "world { gravity = (0, -9.81) }\n"
              "body drum : circle(1) { fixed = true }\n"
              "body disc : circle(0.25) { mass = 1\n"
              "  position = ((1.25*sin(a)) [m], (1.25*cos(a)) [m]) }\n"
              "contact c : drum | disc { restitution = 0 }\n"
              "simulate { until = 3 at = 0\n"
              "  record = (gap(c), disc.position[1]) }");
    const struct field_value *y = field(&r, 0, "disc_position_1");
    const struct field_value *g = field(&r, 0, "gap_c");
    near(y->num[y->n - 1] / 1.25, 2.0 / 3 * cos(0.001), 1e-12);
    for (size_t i = 0; i < g->n; i++)
        near(g->num[i], 0, 1e-14);
    near(number(&r, 0, "energy_after"), number(&r, 0, "energy_before"), 1e-13);
    done(&r);
}

/* a box on a floor that is inclined by 30 degrees: a parabola */
static void
incline(void **state)
{
    struct run r;
    (void)state;
    model(&r, "use shapes\nworld { gravity = (4.905, -8.495709211125341) }\n"
              "body floor : half_plane() { fixed = true }\n"
              "body box : rectangle(0.4, 0.2) { mass = 1 position = (0, 0.1)\n"
              "  velocity = (-1, 0) }\n"
              "contact c : floor | box { restitution = 0 }\n"
              "simulate { until = 2 at = (0, 1, 2)\n"
              "  record = (box.position[0], gap(c), box.angle) }");
    near(last(&r, "box_position_0"), -2 + 4.905 / 2 * 4, 1e-14);
    near(last(&r, "box_angle"), 0, 1e-14);
    near(last(&r, "gap_c"), 0, 1e-14);
    done(&r);
}

/* an ellipsoid that spins on a floor; a ball that slides over a table's edge */
static void
energy_stays(void **state)
{
    static const char *const text[] = {
        "use shapes\nworld { gravity = (0, 0, -9.81) }\n"
        "body floor : half_space() { fixed = true }\n"
        "body d : ellipsoid(0.3, 0.2, 0.1) { mass = 1\n"
        "  position = (0, 0, 0.2) rotation = ((1, 0.2, 0), 0.5)\n"
        "  velocity = (0.3, 0, 0) spin = (1, 2, 0.3) }\n"
        "contact c : floor | d { restitution = 0 }\n"
        "simulate { until = 1 every = 0.25 record = (gap(c), d.energy) }",
        "use shapes\nworld { gravity = (0, 0, -9.81) }\n"
        "body table : box(2, 2, 1) { fixed = true position = (0, 0, -0.5) }\n"
        "body d : sphere(0.1) { mass = 1 position = (0, 0, 0.1)\n"
        "  velocity = (0.5, 0.1, 0) spin = (1, 2, 0.3) }\n"
        "contact c : table | d { restitution = 0 }\n"
        "simulate { until = 2.1 every = 0.3 record = (gap(c), d.energy) }"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct run r;
        model(&r, text[i]);
        const struct field_value *e = field(&r, 0, "d_energy");
        const struct field_value *g = field(&r, 0, "gap_c");
        for (size_t k = e->n - 3; k < e->n; k++) {
            near(e->num[k], e->num[e->n - 1], 1e-12 * e->num[e->n - 1]);
            near(g->num[k], 0, 1e-14);
        }
        done(&r);
    }
}

/* a rod as a body, and as a system in generalised coordinates */
static void
rod_as_a_system(void **state)
{
    struct run a, b;
    (void)state;
    model(&a, "use shapes\nlet start = -45 [deg]\n"
              "world { gravity = (0, -9.81) }\n"
              "body floor : half_plane() { fixed = true }\n"
              "body stick : polygon((-1, 0), (1, 0), (0, 0.1)) { mass = 1\n"
              "  inertia = 1/9 centre = (0, 0) angle = start\n"
              "  position = (0 [m], (-sin(start)) [m])\n"
              "  velocity = (0, -4) spin = 0.5 }\n"
              "contact c : floor | stick { restitution = 1/3 }\n"
              "simulate { until = 1 }");
    model(&b, "use chatter\nlet l = 1 [m]\nlet start = -45 [deg]\n"
              "system rod : large_rod(1 [kg], l, l/3, 1/3, 9.81 [m/s^2]) {\n"
              "  start { h = -l*sin(start) phi = start h' = -4 [m/s]\n"
              "    phi' = 0.5 [1/s] } }\n"
              "simulate { until = 1 }");
    near(last(&a, "limit_times"), last(&b, "limit_times"), 1e-12);
    const struct field_value *x = field(&a, 0, "event_times");
    const struct field_value *y = field(&b, 0, "event_times");
    for (size_t i = 0; i < 12; i++)
        near(x->num[i], y->num[i], 1e-13);
    done(&a);
    done(&b);
}

/* a box on a box on a floor: forces are not unique, the motion is */
static void
stack(void **state)
{
    struct run r;
    (void)state;
    model(&r, "use shapes\nworld { gravity = (0, 0, -9.81) }\n"
              "body floor : half_space() { fixed = true }\n"
              "body one : box(2, 2, 1) { mass = 5 position = (0, 0, 0.5)\n"
              "  velocity = (0.1, 0, 0) }\n"
              "body two : box(0.5, 0.4, 0.3) { mass = 1\n"
              "  position = (0, 0, 1.15) velocity = (0.2, 0, 0) }\n"
              "contact c : floor | one { restitution = 0 }\n"
              "contact d : one | two { restitution = 0 }\n"
              "simulate { until = 2 at = (0, 2)\n"
              "  record = (gap(c), gap(d), two.position[0]) }");
    near(last(&r, "gap_c"), 0, 1e-14);
    near(last(&r, "gap_d"), 0, 1e-14);
    near(last(&r, "two_position_0"), 0.4, 1e-13);
    near(number(&r, 0, "energy_after"), number(&r, 0, "energy_before"), 1e-12);
    done(&r);
}

/* two plates on a hinge that slide apart on the floor: joints and contacts */
static void
on_a_hinge(void **state)
{
    struct run r;
    (void)state;
    model(&r, "use shapes\nworld { gravity = (0, -9.81) }\n"
              "body floor : half_plane { fixed = true }\n"
              "body one : rectangle(1, 0.1) { mass = 1 angle = 1.2\n"
              "  position = (0.2, 1.2) }\n"
              "body two : rectangle(1, 0.1) { mass = 2 angle = -1.2\n"
              "  position = (0.7, 1.2) }\n"
              "joint pin : hinge(one, two) { at = (0.45, 1.6) }\n"
              "contact c : floor | one { restitution = 0 }\n"
              "contact d : floor | two { restitution = 0 }\n"
              "simulate { until = 0.55 at = (0.4, 0.45, 0.5, 0.55)\n"
              "  record = (gap(c), gap(d), one.energy + two.energy) }");
    const struct field_value *e = field(&r, 0, "one_energy_two_energy");
    const struct field_value *c = field(&r, 0, "gap_c"),
                             *d = field(&r, 0, "gap_d");
    for (size_t i = e->n - 4; i < e->n; i++) {
        near(e->num[i], number(&r, 0, "energy_after"), 1e-12);
        near(c->num[i], 0, 1e-14);
        near(d->num[i], 0, 1e-14);
    }
    assert_true(number(&r, 0, "joint_error") < 1e-14);
    done(&r);
}

/* a hundred boxes on a floor, a ball falls on one of them: what does not touch
 * does not feel each other, and is no matter of how many there are */
static void
crowd(void **state)
{
    struct run r;
    char text[40000];
    size_t n = 0;
    (void)state;
#define ADD(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    ADD("use shapes\nworld { gravity = (0, 0, -9.81) }\n"
        "body floor : half_space { fixed = true }\n"
        "body ball : sphere(0.2) { mass = 1 position = (0.1, 0, 2.2) }\n"
        "contact on : b0 | ball { restitution = 0.5 }\n");
    for (int i = 0; i < 100; i++)
        ADD("body b%d : box(1, 1, 1) { mass = 1 position = (%d, %d, 0.5)\n"
            "  velocity = (0, 0.01, 0) }\n"
            "contact c%d : floor | b%d { restitution = 0 }\n",
            i, 2 * (i % 10), 2 * (i / 10), i, i);
    ADD("simulate { until = 0.7 at = 0.7\n"
        "  record = (gap(c0), gap(c99), b99.position[1], b99.spin[0]) }");
#undef ADD
    assert_true(n < sizeof text);
    model(&r, text);
    near(last(&r, "gap_c0"), 0, 1e-15);
    near(last(&r, "gap_c99"), 0, 1e-15);
    near(last(&r, "b99_position_1"), 18 + 0.7 * 0.01, 1e-13);
    near(last(&r, "b99_spin_0"), 0, 1e-15);
    done(&r);
}

/* two boxes that come to rest, far from each other: as each of them alone */
static void
as_alone(void **state)
{
    static const char *const body[] = {
        "body a : box(1, 0.7, 0.4) { mass = 1 position = (0, 0, 1)\n"
        "  rotation = ((0, 0.6, 0.8), 0.3) spin = (1, 0, 2) }\n"
        "contact p : floor | a { restitution = 0.3 }\n",
        "body b : box(0.5, 0.7, 0.6) { mass = 2 position = (9, 0, 0.8)\n"
        "  rotation = ((1, 0, 0), 0.1) velocity = (1, 0, 0) }\n"
        "contact q : floor | b { restitution = 0.4 }\n"};
    static const char *const ask[] = {
        "simulate { until = 3 at = 3 record = (a.energy, a.position[0],\n"
        "  a.angular_momentum[2]) }",
        "simulate { until = 3 at = 3 record = (b.energy, b.position[0],\n"
        "  b.angular_momentum[2]) }",
        "simulate { until = 3 at = 3 record = (a.energy, a.position[0],\n"
        "  a.angular_momentum[2], b.energy, b.position[0],\n"
        "  b.angular_momentum[2]) }"};
    static const char *const name[] = {
        "a_energy", "a_position_0", "a_angular_momentum_2",
        "b_energy", "b_position_0", "b_angular_momentum_2"};
    double x[6];
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct run r;
        char text[2000];
        snprintf(text, sizeof text,
                 "use shapes\nworld { gravity = (0, 0, -9.81) }\n"
                 "body floor : half_space { fixed = true }\n%s%s%s",
                 i != 1 ? body[0] : "", i != 0 ? body[1] : "", ask[i]);
        model(&r, text);
        for (int k = 0; k < 6; k++)
            if (i == k / 3)
                x[k] = last(&r, name[k]);
            else if (i == 2)
                near(last(&r, name[k]), x[k], 1e-11);
        done(&r);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_comes_to_rest),
        cmocka_unit_test(disc_leaves),
        cmocka_unit_test(incline),
        cmocka_unit_test(energy_stays),
        cmocka_unit_test(rod_as_a_system),
        cmocka_unit_test(stack),
        cmocka_unit_test(on_a_hinge),
        cmocka_unit_test(crowd),
        cmocka_unit_test(as_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
