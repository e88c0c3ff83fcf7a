/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints and stated contacts on their way into the environment: the set-up
 * tape's outputs in the order the image states, params as run-time inputs, no
 * tapes for stated contacts, zero directions told by name. */
#include "model.h"

static void
two_bodies(struct model *o, uint32_t dim)
{
    static const double J[] = {0.5, 0.4, 0.3};
    model_new(o, dim);
    o->m->joints = NEW_N(o->a, struct tm_joint, 8);
    for (int i = 0; i < 2; i++) {
        struct tm_body *b = body(o, i ? "b" : "a", NULL);
        b->stated.mass = scal(o, 2 + i);
        b->stated.inertia = vec(o, dim == 2 ? 1 : 6,
                                (const double[]){J[0], J[1], J[2], 0, 0, 0});
    }
}

static struct tm_joint *
joint(struct model *o, enum imp_joint_kind kind, uint32_t b0, uint32_t b1)
{
    struct tm_joint *j = &o->m->joints[o->m->n_joints++];
    j->name = "o";
    j->kind = kind;
    j->body[0] = b0;
    j->body[1] = b1;
    return j;
}

static const imp_joint *
image_joint(const struct model *o, uint32_t i)
{
    return IMP_ARRAY(o->im, o->im->joints, imp_joint) + i;
}

static void
test_env(void **state)
{
    (void)state;
    struct model o;
    two_bodies(&o, 3);
    struct tm_contact *c = contact(&o, "c", 0, 1, 0.25);
    c->at = vec(&o, 3, (const double[]){1, 2, 3});
    c->direction = vec(&o, 3, (const double[]){0, 0, 2});
    c->priority = scal(&o, 7);
    struct tm_joint *u = joint(&o, IMP_JOINT_UNIVERSAL, 0, 1);
    u->at = vec(&o, 3, (const double[]){4, 5, 6});
    u->axis = vec(&o, 3, (const double[]){1, 0, 0});
    u->axis2 = vec(&o, 3, (const double[]){0, 3, 0});
    u->rate = vec(&o, 2, (const double[]){8, 9});
    struct tm_joint *k = joint(&o, IMP_JOINT_CONSTRAINT, 1, IMP_WORLD);
    k->at = vec(&o, 3, (const double[]){-1, -2, -3});
    k->n_user = 2;
    k->user = NEW_N(o.a, const expr *, 12);
    for (int i = 0; i < 12; i++)
        k->user[i] = par(&o, i + 1);
    o.m->world.impact_law = IMP_IMPACT_SEQUENTIAL;
    model_run(&o);

    const imp_contact *ic = rt_contact(o.r, 0);
    assert_int_equal(ic->flags, IMP_CONTACTF_STATED | IMP_CONTACTF_PRIORITY);
    assert_int_equal(ic->kkt, IMP_NO_TAPE);
    assert_int_equal(ic->event, IMP_NO_TAPE);
    const double *e = o.r->env + ic->env_contact;
    NEAR(e[IMP_CONTACT_E], 0.25, 0);
    for (int i = 0; i < 3; i++) {
        NEAR(e[IMP_CONTACT_AT + i], i + 1, 0);
        NEAR(e[IMP_CONTACT_DIRECTION + i], i == 2 ? 2 : 0, 0);
    }
    NEAR(e[IMP_CONTACT_PRIORITY], 7, 0);

    assert_int_equal(o.im->joints.n, 2);
    assert_int_equal(o.im->impact_law, IMP_IMPACT_SEQUENTIAL);
    const imp_joint *j = image_joint(&o, 0);
    assert_int_equal(j->n_rate, 2);
    e = o.r->env + j->env_joint;
    NEAR(e[IMP_JOINT_AT + 2], 6, 0);
    NEAR(e[IMP_JOINT_AXIS], 1, 0);
    NEAR(e[IMP_JOINT_AXIS2 + 1], 3, 0);
    NEAR(e[IMP_JOINT_RATE + 1], 9, 0);
    j = image_joint(&o, 1);
    assert_int_equal(j->body[1], IMP_WORLD);
    assert_int_equal(j->n_user, 2);
    e = o.r->env + j->env_joint;
    NEAR(e[IMP_JOINT_AT], -1, 0);
    for (int i = 0; i < 12; i++)
        NEAR(e[IMP_JOINT_USER + i], i + 1, 0);
    /* the environment's parts follow one another without a gap */
    assert_int_equal(j->env_joint + IMP_JOINT_SIZE, o.im->layout.poly);
    model_free(&o);
}

static void
test_plane(void **state)
{
    (void)state;
    struct model o;
    two_bodies(&o, 2);
    struct tm_joint *h = joint(&o, IMP_JOINT_HINGE, 0, 1);
    h->at = vec(&o, 2, (const double[]){4, 5});
    struct tm_joint *s = joint(&o, IMP_JOINT_SLIDER, 1, IMP_WORLD);
    s->axis = vec(&o, 2, (const double[]){0, 2});
    model_run(&o);
    const double *e = o.r->env + image_joint(&o, 0)->env_joint;
    NEAR(e[IMP_JOINT_AT + 2], 0, 0);
    NEAR(e[IMP_JOINT_AXIS], 0, 0);
    NEAR(e[IMP_JOINT_AXIS + 2], 1, 0);
    e = o.r->env + image_joint(&o, 1)->env_joint;
    NEAR(e[IMP_JOINT_AXIS + 1], 2, 0);
    NEAR(e[IMP_JOINT_AXIS + 2], 0, 0);
    model_free(&o);
}

/* values that only set-up knows */
static void
test_wrong(void **state)
{
    (void)state;
    static const double zero[6], x[] = {1, 0, 0};
    for (int i = 0; i < 5; i++) {
        struct model o;
        two_bodies(&o, 3);
        if (i == 0) {
            struct tm_contact *c = contact(&o, "c", 0, 1, 1);
            c->at = vec(&o, 3, x);
            c->direction = vec(&o, 3, zero);
        } else if (i == 1) {
            joint(&o, IMP_JOINT_HINGE, 0, 1)->axis = vec(&o, 3, zero);
        } else if (i == 2 || i == 3) {
            struct tm_joint *u = joint(&o, IMP_JOINT_UNIVERSAL, 0, 1);
            u->axis = vec(&o, 3, x);
            u->axis2 = vec(&o, 3, i == 2 ? zero : x);
        } else {
            struct tm_joint *k = joint(&o, IMP_JOINT_CONSTRAINT, 0, 1);
            k->n_user = 1;
            k->user = NEW_N(o.a, const expr *, 6);
            for (int n = 0; n < 6; n++)
                k->user[n] = par(&o, 0);
        }
        assert_string_equal(model_wrong(&o), i == 3 ? "E0541" : "E0540");
        model_free(&o);
    }
}

/* a box is not flat: its formula has edges, though no second derivatives */
static void
test_box(void **state)
{
    (void)state;
    struct model o;
    model_new(&o, 2);
    const expr *x = ex_op(o.g, IMP_OP_ABS, loc(&o, 0), NULL, NULL);
    const expr *y = ex_op(o.g, IMP_OP_ABS, loc(&o, 1), NULL, NULL);
    const expr *box =
        ex_sub(o.g, ex_op(o.g, IMP_OP_MAX, x, y, NULL), num(&o, 1));
    body(&o, "box", box)->stated.density = scal(&o, 3);
    struct tm_body *wall = body(&o, "wall", loc(&o, 1));
    wall->fixed = true;
    model_run(&o);
    assert_false(rt_body(o.r, 0)->flags & IMP_BODYF_FLAT);
    assert_true(rt_body(o.r, 1)->flags & IMP_BODYF_FLAT);
    const double *e = o.r->env + rt_body(o.r, 0)->env_body;
    /* the edges slow the quadrature down (W0501) */
    NEAR(e[IMP_BODY_MASS], 12, 1e-2);
    NEAR(e[IMP_BODY_INERTIA], 8, 1e-2);
    model_free(&o);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_env),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
