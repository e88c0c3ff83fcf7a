/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints and stated contacts in the typed model: every kind, the plane, rates
 * whose entries have dimensions of their own, normals made unit vectors and
 * directions that keep their length, `compare`, widths of matrices. */
#include "check_common.h"

#include <math.h>

#define TWO                                                                    \
    "body a { mass = 2 inertia = diag(0.5, 0.4, 0.3) }\n"                      \
    "body b { mass = 3 inertia = diag(0.7, 0.6, 0.5) position = (0, 1, 0) }\n"

static double
value(const expr *e)
{
    assert_true(ex_is_const(e));
    return e->num;
}

static void
test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum imp_joint_kind kind;
        uint32_t n_rate, n_user;
    } rows[] = {
        {"ball(a, b) { at = (0, 1, 0)  rate = (1, -2, 3) }", IMP_JOINT_BALL, 3,
         0},
        {"ball(a, world) { at = (0, 1, 0) }", IMP_JOINT_BALL, 0, 0},
        {"hinge(a, b) { at = (0, 1, 0) axis = (0, 0, 2) rate = -1 }",
         IMP_JOINT_HINGE, 1, 0},
        {"slider(a, b) { axis = (0, 0, 2) [mm] rate = 2 [m/s] }",
         IMP_JOINT_SLIDER, 1, 0},
        {"cylinder(a, b) { at = (0, 1, 0) axis = (1, 0, 0) "
         "rate = (1 [1/s], 2 [m/s]) }",
         IMP_JOINT_CYLINDER, 2, 0},
        {"universal(a, b) { at = (0, 1, 0) axis = (1, 0, 0) "
         "axis2 = (0, 1, 0) rate = (1, 2) [1/s] }",
         IMP_JOINT_UNIVERSAL, 2, 0},
        {"planar(a, b) { axis = (0, 0, 1) rate = (1, 2, 3, 0) }",
         IMP_JOINT_PLANAR, 4, 0},
        {"weld(a, world) { }", IMP_JOINT_WELD, 0, 0},
        {"constraint(a, b) { at = (0, 0, 0) "
         "screws = [1, 0, 0, 0, 0, 0; 0, 1, 0, 0, 0, 0.5 [m]] }",
         IMP_JOINT_CONSTRAINT, 0, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct checked c;
        char text[512];
        snprintf(text, sizeof text, TWO "joint o : %s\n", rows[i].text);
        check_good(&c, text);
        assert_int_equal(c.m->n_joints, 1);
        const struct tm_joint *j = &c.m->joints[0];
        assert_int_equal(j->kind, rows[i].kind);
        assert_int_equal(j->rate.n, rows[i].n_rate);
        assert_int_equal(j->n_user, rows[i].n_user);
        assert_int_equal(j->body[0], 0);
        assert_true(j->body[1] == 1 || j->body[1] == IMP_WORLD);
        assert_int_equal(j->at.n, 3);
        checked_free(&c);
    }
}

static void
test_plane(void **state)
{
    (void)state;
    struct checked c;
    check_good(&c,
               "body a { mass = 1 inertia = 1 position = (2, 3) }\n"
               "body b { mass = 1 inertia = 1 position = (0, 1) }\n"
               "joint h : hinge(a, world) { at = (0, 1) rate = 2 }\n"
               "joint s : slider(b, world) { axis = (1, 1) rate = 2 [m/s] }\n"
               "joint w : weld(a, b) { }\n"
               "joint u : constraint(a, b) { at = (0, 0) "
               "screws = [1, 2, 3] }\n");
    assert_int_equal(c.m->n_joints, 4);
    assert_int_equal(c.m->joints[0].axis.n, 0);
    assert_int_equal(c.m->joints[1].axis.n, 2);
    /* a weld without a point: the first body's mass centre */
    assert_true(value(c.m->joints[2].at.e[0]) == 2);
    assert_true(value(c.m->joints[2].at.e[1]) == 3);
    /* (fx, fy, moment) as a screw in space */
    static const double want[] = {1, 2, 0, 0, 0, 3};
    for (int i = 0; i < 6; i++)
        assert_true(value(c.m->joints[3].user[i]) == want[i]);
    checked_free(&c);
}

static void
test_contacts(void **state)
{
    (void)state;
    struct checked c;
    check_good(&c,
               TWO "contact n : a | b { at = (0, 0, 1) normal = (2, 4, 4) }\n"
                   "contact d : a | b { at = (0, 0, 1) direction = (2, 4, 4) "
                   "priority = 2 restitution = poisson(0.5) }\n"
                   "param k = 0\n"
                   "contact p : a | b { at = (0, 0, k) normal = (k, 0, 0) }\n"
                   "contact m : a | b { at = (0, 0, 1) "
                   "normal = (0, 3, 0) [mm] }\n"
                   "world { law = sequential }\n");
    static const double n[] = {1 / 3.0, 2 / 3.0, 2 / 3.0};
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(value(c.m->contacts[0].direction.e[i]) - n[i]) <
                    1e-16);
        assert_true(value(c.m->contacts[1].direction.e[i]) == (i ? 4 : 2));
    }
    assert_true(c.m->contacts[0].priority.e == NULL);
    assert_true(value(c.m->contacts[1].priority.e) == 2);
    assert_int_equal(c.m->contacts[1].law, IMP_LAW_POISSON);
    assert_true(!ex_is_const(c.m->contacts[2].direction.e[0]));
    assert_true(value(c.m->contacts[3].direction.e[1]) == 1);
    assert_int_equal(c.m->world.impact_law, IMP_IMPACT_SEQUENTIAL);
    checked_free(&c);
    check_good(&c, TWO);
    assert_int_equal(c.m->world.impact_law, IMP_IMPACT_UNDECLARED);
    checked_free(&c);
}

static const struct tm_field *
field(const struct tm_command *k, const char *name)
{
    for (size_t i = 0; i < k->n_fields; i++)
        if (!strcmp(k->fields[i].name, name))
            return &k->fields[i];
    fail_msg("no field %s", name);
    return NULL;
}

static void
test_records(void **state)
{
    (void)state;
    struct checked c;
    check_good(&c,
               TWO "contact p : a | b { at = (0, 0, 1) normal = (2, 4, 4) }\n"
                   "contact q : a | b { at = (0, 1, 1) normal = (0, 1, 0) }\n"
                   "let r = impact p, q { law = complementarity }\n"
                   "expect r.G[1, 1] > 0 [1/kg]\n"
                   "expect r.joint_impulses[0, 2] < 1 [N*s]\n"
                   "expect r.joint_impulses[0, 3] < 1 [N*m*s]\n"
                   "expect r.twists_after[1, 2] < 1 [1/s]\n"
                   "expect r.determined == \"yes\" and r.impulses[1] > 0\n");
    const struct tm_command *r = &c.m->commands[0];
    assert_int_equal(field(r, "G")->width, 2);
    assert_int_equal(field(r, "null_space")->width, 2);
    assert_int_equal(field(r, "joint_impulses")->width, 6);
    assert_int_equal(field(r, "twists_peak")->width, 6);
    assert_string_equal(r->opts[0].val.text, "complementarity");
    checked_free(&c);
    check_good(&c,
               TWO "contact p : a | b { at = (0, 0, 1) normal = (2, 4, 4) }\n"
                   "contact q : a | b { at = (0, 1, 1) normal = (0, 1, 0) }\n"
                   "let r = compare impact p, q\n"
                   "expect r.impulses[5, 1] > 0 [N*s]\n"
                   "expect r.laws[0] == \"newton\"\n"
                   "expect r.kinetic_angles[0, 1] > 0\n"
                   "expect not r.order_independent\n");
    r = &c.m->commands[0];
    assert_int_equal(r->id, IMP_CMD_compare);
    assert_int_equal(r->n_args, 2);
    assert_int_equal(field(r, "impulses")->width, 2);
    assert_int_equal(field(r, "kinetic_angles")->width, 2);
    checked_free(&c);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
