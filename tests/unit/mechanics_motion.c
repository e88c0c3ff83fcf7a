/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies in motion: kinematics against the motion series, forces that couple
 * bodies, prescribed motion, quantities of bodies. */
#include "model.h"

static const imp_block *
block_of(struct model *o, uint32_t b)
{
    return IMP_ARRAY(o->im, o->im->blocks, imp_block) + rt_body(o->r, b)->block;
}

static void
run_blocks(struct model *o, int order)
{
    for (uint32_t b = 0; b < o->im->blocks.n; b++)
        assert_int_equal(
            rt_series(o->r,
                      IMP_ARRAY(o->im, o->im->blocks, imp_block)[b].motion,
                      NULL, NULL, o->r->rows.block[b], order),
            IMP_OK);
}

/* coefficients of entry i of the state of body b */
static const double *
row_of(struct model *o, uint32_t b, uint32_t i)
{
    const imp_block *k = block_of(o, b);
    const uint32_t *st = IMP_ARRAY(o->im, k->state, uint32_t);
    const uint32_t *rows = IMP_ARRAY(o->im, k->rows, uint32_t);
    for (uint32_t j = 0; j < k->state.n; j++)
        if (st[j] == rt_body(o->r, b)->env_state + i)
            return o->r->rows.block[rt_body(o->r, b)->block] +
                   rows[j] * IMP_ROW_STRIDE + IMP_ROW_PAD;
    fail_msg("no row");
    return NULL;
}

static struct tm_body *
space_body(struct model *o, const char *name, uint64_t *s, bool diagonal)
{
    static const double a[3] = {1, 2, 3};
    struct tm_body *b = body(o, name, superellipsoid(o, a, 2));
    double p[3], v[3], w[3], q[4];
    for (int k = 0; k < 3; k++) {
        p[k] = uniform(s, -1, 1);
        v[k] = uniform(s, -1, 1);
        w[k] = uniform(s, -2, 2);
    }
    for (int k = 0; k < 4; k++)
        q[k] = uniform(s, -1, 1);
    b->start.position = vec(o, 3, p);
    b->start.velocity = vec(o, 3, v);
    b->start.spin = vec(o, 3, w);
    b->start.orient = vec(o, 4, q);
    b->start.orient_kind = IMP_ORIENT_QUATERNION;
    b->stated.mass = scal(o, 2);
    b->stated.inertia.n = 6;
    for (int k = 0; k < 6; k++)
        *vec_at(o->a, &b->stated.inertia, k) = k < 3 ? par(o, 1 + 0.3 * k)
                                               : diagonal
                                                   ? num(o, 0)
                                                   : par(o, 0.1 * (k - 2));
    return b;
}

static const expr *
bq(struct model *o, uint32_t b, uint32_t q, uint32_t c)
{
    return ex_sym(o->g, SYM_BODY, b, q * 8 + c);
}

/* velocity, acceleration, jerk and spins of the kinematics tape are the
 * coefficients of the motion series; spins in the world by R w */
static void
check_kinematics(struct model *o, uint32_t b)
{
    double k[18];
    assert_int_equal(rt_eval(o->r, rt_body(o->r, b)->kinematics, NULL, k), 0);
    for (uint32_t i = 0; i < 3; i++) {
        const double *x = row_of(o, b, i), *v = row_of(o, b, 7 + i);
        double s = 1 + fabs(k[6 + i]);
        NEAR(k[i], v[0], 1e-14 * s);
        NEAR(k[3 + i], v[1], 1e-13 * s);
        NEAR(k[6 + i], 2 * v[2], 1e-13 * s);
        NEAR(x[3] * 6, k[6 + i], 1e-13 * s);
    }
    /* series of R w from the rows of q and w */
    const double *q[4], *w[3];
    for (uint32_t i = 0; i < 4; i++)
        q[i] = row_of(o, b, 3 + i);
    for (uint32_t i = 0; i < 3; i++)
        w[i] = row_of(o, b, 10 + i);
    for (int i = 0; i < 3; i++) {
        double c[3] = {0, 0, 0};
        for (int j = 0; j < 3; j++)
            for (int m = 0; m < 3; m++)
                for (int l = 0; l + m < 3; l++)
                    for (int n = 0; n + l + m < 3; n++) {
                        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
                        double r;
                        const double *w_ = w[j];
                        if (i == j)
                            r = q[0][m] * q[0][l] + q[1 + i][m] * q[1 + i][l] -
                                q[1 + i1][m] * q[1 + i1][l] -
                                q[1 + i2][m] * q[1 + i2][l];
                        else
                            r = 2 * (q[1 + i][m] * q[1 + j][l] +
                                     (j == i1 ? -1 : 1) * q[0][m] *
                                         q[1 + (j == i1 ? i2 : i1)][l]);
                        c[m + l + n] += r * w_[n];
                    }
        double s = 1 + fabs(k[15 + i]);
        NEAR(k[9 + i], c[0], 1e-13 * s);
        NEAR(k[12 + i], c[1], 1e-13 * s);
        NEAR(k[15 + i], 2 * c[2], 1e-12 * s);
    }
}

static void
kinematics_free(void **unused)
{
    (void)unused;
    uint64_t seed = 11;
    for (int t = 0; t < 8; t++) {
        struct model o;
        model_new(&o, 3);
        space_body(&o, "a", &seed, t % 2 == 0);
        o.m->world.gravity.n = 3;
        for (int i = 0; i < 3; i++)
            *vec_at(o.a, &o.m->world.gravity, i) =
                i == 2 ? par(&o, -9.81) : num(&o, 0);
        model_run(&o);
        assert_int_equal(o.im->blocks.n, 1);
        run_blocks(&o, 6);
        check_kinematics(&o, 0);
        model_free(&o);
    }
}

/* a spring between two bodies, a torque that reads the spin and t */
static void
kinematics_forced(void **unused)
{
    (void)unused;
    uint64_t seed = 13;
    struct model o;
    model_new(&o, 3);
    struct tm_body *b[3];
    for (int i = 0; i < 3; i++)
        b[i] = space_body(&o, i ? i == 2 ? "c" : "b" : "a", &seed, i == 0);
    for (uint32_t i = 0; i < 2; i++) {
        b[i]->force.n = b[i]->torque.n = 3;
        for (uint32_t k = 0; k < 3; k++) {
            const expr *d = ex_sub(o.g, bq(&o, 2 - 2 * i, BODYQ_POSITION, k),
                                   bq(&o, i, BODYQ_POSITION, k));
            *vec_at(o.a, &b[i]->force, k) = ex_mul(o.g, par(&o, 3), d);
            *vec_at(o.a, &b[i]->torque, k) = ex_mul(
                o.g,
                ex_op(o.g, IMP_OP_SIN, ex_sym(o.g, SYM_TIME, 0, 0), NULL, NULL),
                bq(&o, i, BODYQ_SPIN, (k + 1) % 3));
        }
    }
    model_run(&o);
    /* a - c (and a reads c, b reads a): one block */
    assert_int_equal(o.im->blocks.n, 1);
    o.r->env[o.im->layout.time] = 0.4;
    run_blocks(&o, 6);
    for (uint32_t i = 0; i < 3; i++)
        check_kinematics(&o, i);
    model_free(&o);
}

/* fixed bodies that move by t: derivatives of the pose by differences of the
 * refreshed state at complex-free, well-spaced times */
static void
prescribed(void **unused)
{
    (void)unused;
    struct model o;
    model_new(&o, 3);
    static const double a[3] = {1, 1, 1};
    struct tm_body *b = body(&o, "crank", superellipsoid(&o, a, 2));
    const expr *t = ex_sym(o.g, SYM_TIME, 0, 0);
    b->fixed = true;
    *vec_at(o.a, &b->start.position, 0) = ex_op(o.g, IMP_OP_COS, t, NULL, NULL);
    *vec_at(o.a, &b->start.position, 1) = ex_op(o.g, IMP_OP_SIN, t, NULL, NULL);
    const double axis[4] = {1, 2, 2, 0};
    b->start.orient = vec(&o, 4, axis);
    *vec_at(o.a, &b->start.orient, 3) =
        ex_mul(o.g, ex_mul(o.g, t, t), num(&o, 0.5));
    b->start.orient_kind = IMP_ORIENT_AXISANGLE;
    model_run(&o);
    const imp_body *k = rt_body(o.r, 0);
    assert_true(k->flags & IMP_BODYF_PRESCRIBED);
    assert_true(k->block == IMP_NO_BLOCK);
    double T = 0.7, kin[18], s[13];
    o.r->env[o.im->layout.time] = T;
    rt_eval(o.r, k->kinematics, NULL, kin);
    const double want[9] = {-sin(T), cos(T), 0,       -cos(T), -sin(T),
                            0,       sin(T), -cos(T), 0};
    for (int i = 0; i < 9; i++)
        NEAR(kin[i], want[i], 1e-15);
    const double n[3] = {1. / 3, 2. / 3, 2. / 3};
    for (int i = 0; i < 3; i++) {
        NEAR(kin[9 + i], T * n[i], 1e-15);
        NEAR(kin[12 + i], n[i], 1e-14);
        NEAR(kin[15 + i], 0, 1e-13);
    }
    assert_int_equal(rt_eval(o.r, k->refresh, NULL, s), 0);
    NEAR(s[0], cos(T), 0);
    NEAR(s[3], cos(T * T / 4), 1e-15);
    for (int i = 0; i < 3; i++) {
        NEAR(s[4 + i], sin(T * T / 4) * n[i], 1e-15);
        NEAR(s[10 + i], T * n[i], 1e-15);
    }
    model_free(&o);
}

/* an ellipsoid of the spec's [0.3]: wdot and wddot of Euler's equations
 * (116), (118) for the ratio diag(13, 10, 5), against the printed formula */
static void
plane_and_potential(void **unused)
{
    (void)unused;
    struct model o;
    model_new(&o, 2);
    static const double a[2] = {2, 1};
    const double p[2] = {3, 4}, v[2] = {1, -2};
    struct tm_body *b = body(&o, "a", superellipsoid(&o, a, 2));
    b->stated.density = scal(&o, 2);
    b->start.position = vec(&o, 2, p);
    b->start.velocity = vec(&o, 2, v);
    *vec_at(o.a, &b->start.spin, 0) = par(&o, 0.5);
    b->start.orient.n = 1;
    *vec_at(o.a, &b->start.orient, 0) = par(&o, 0.3);
    o.m->world.gravity.n = 2;
    *vec_at(o.a, &o.m->world.gravity, 0) = num(&o, 0);
    *vec_at(o.a, &o.m->world.gravity, 1) = par(&o, -10);
    model_run(&o);
    double e[8];
    const double pi = 3.14159265358979323846, m = 4 * pi,
                 J = 2 * 2 * pi * 5 / 4;
    rt_eval(o.r, rt_body(o.r, 0)->energy, NULL, e);
    NEAR(e[0], m * 2.5 + J * 0.125, 1e-11 * m);
    NEAR(e[1], m * 40, 1e-9);
    NEAR(e[2], m, 1e-10);
    NEAR(e[3], -2 * m, 1e-10);
    NEAR(e[7], m * (3 * -2 - 4) + J * 0.5, 1e-9);
    run_blocks(&o, 4);
    NEAR(row_of(&o, 0, 1)[2], -5, 0);
    NEAR(row_of(&o, 0, 1)[3], 0, 0);
    NEAR(row_of(&o, 0, 2)[1], 0.5, 0);
    model_free(&o);
}

/* makes one thing wrong about the body `a`, whose level set is G */
static void
spoil(struct model *o, struct tm_body *b, const expr *G, int what)
{
    static const double bad_axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
    static const double J[6] = {1, 1, 3, 0, 0, 0}, K[6] = {1, -1, 1, 0, 0, 0};
    const expr *x = loc(o, 0), *z = loc(o, 2);
    b->stated.mass = scal(o, 1);
    switch (what) {
    case 0:
        b->stated.mass.e = NULL;
        break;
    case 1:
        b->stated.mass = scal(o, 0);
        break;
    case 2:
        b->stated.inertia = vec(o, 6, J);
        break;
    case 3:
        b->stated.inertia = vec(o, 6, K);
        break;
    case 4:
        b->start.orient_kind = IMP_ORIENT_QUATERNION;
        b->start.orient = vec(o, 4, (double[4]){0});
        break;
    case 5:
        b->start.orient_kind = IMP_ORIENT_AXES;
        b->start.orient = vec(o, 9, bad_axes);
        break;
    case 6:
        b->start.orient_kind = IMP_ORIENT_AXISANGLE;
        b->start.orient = vec(o, 4, (double[4]){0, 0, 0, 1});
        break;
    case 7:
        b->shape.level_set = ex_neg(o->g, G);
        break;
    case 8: /* a cylinder */
        b->shape.level_set =
            ex_add(o->g, ex_mul(o->g, x, x),
                   ex_sub(o->g, ex_mul(o->g, z, z), num(o, 1)));
        break;
    case 9:
        b->fixed = true;
        *vec_at(o->a, &b->start.spin, 1) = par(o, 1);
        break;
    case 10:
        b->shape.level_set = ex_sub(o->g, par(o, 1), num(o, 3));
        break;
    case 11:
        b->shape.level_set = NULL;
        break;
    case 12: /* a torus-like thing about z: x^2+y^2+z^2 - 1 - 3 cos(8x) */
        b->shape.level_set =
            ex_sub(o->g, G,
                   ex_mul(o->g, num(o, 3),
                          ex_op(o->g, IMP_OP_COS, ex_mul(o->g, num(o, 8), x),
                                NULL, NULL)));
        break;
    case 13:
        b->shape.level_set = ex_sub(
            o->g, G,
            ex_op(o->g, IMP_OP_SQRT, ex_sub(o->g, x, num(o, 1)), NULL, NULL));
        break;
    case 14:
        contact(o, "c", 0, 1, 1);
        body(o, "b", G)->stated.mass = scal(o, 1);
        b->force.n = 3;
        *vec_at(o->a, &b->force, 0) =
            ex_sym(o->g, SYM_CONTACT, 0, IMP_CONTACT_GAP);
        *vec_at(o->a, &b->force, 1) = *vec_at(o->a, &b->force, 2) = num(o, 0);
        break;
    case 15:
        *vec_at(o->a, &b->start.position, 0) = bq(o, 0, BODYQ_VELOCITY, 0);
        break;
    }
}

static void
wrong_bodies(void **unused)
{
    (void)unused;
    static const double one[3] = {1, 1, 1};
    static const struct {
        int what;
        const char *code;
    } cases[] = {{0, "E0506"},  {1, "E0514"},  {2, "E0516"},  {3, "E0515"},
                 {4, "E0519"},  {5, "E0520"},  {6, "E0521"},  {7, "E0522"},
                 {8, "E0523"},  {9, "E0505"},  {10, "E0502"}, {11, "E0507"},
                 {12, "E0524"}, {13, "E0526"}, {14, "E0508"}, {15, "E0503"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model o;
        model_new(&o, 3);
        const expr *G = superellipsoid(&o, one, 2);
        spoil(&o, body(&o, "a", G), G, cases[i].what);
        const char *code = model_wrong(&o);
        if (strcmp(code, cases[i].code) != 0)
            fail_msg("case %d: %s, not %s", cases[i].what, code, cases[i].code);
        model_free(&o);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinematics_free),
        cmocka_unit_test(kinematics_forced),
        cmocka_unit_test(prescribed),
        cmocka_unit_test(plane_and_potential),
        cmocka_unit_test(wrong_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
