/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts: conditions of closest points, gap series. */
#include "model.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/numerics/factors.h"
#include "runtime/tape/functions.h"

/* two free bodies in space, random state */
static void
random_space(struct model *o, uint64_t *s, const double *a0, const double *a1)
{
    model_new(o, 3);
    const double *axes[2] = {a0, a1};
    for (int i = 0; i < 2; i++) {
        struct tm_body *b =
            body(o, i ? "two" : "one", superellipsoid(o, axes[i], 2));
        double p[3], v[3], w[3], q[4], J[6] = {0};
        for (int k = 0; k < 3; k++) {
            p[k] = uniform(s, -1, 1) + 6 * i;
            v[k] = uniform(s, -1, 1);
            w[k] = uniform(s, -2, 2);
        }
        for (int k = 0; k < 4; k++)
            q[k] = uniform(s, -1, 1);
        J[0] = uniform(s, 1, 1.9);
        J[1] = uniform(s, 1, 1.9);
        J[2] = uniform(s, 1, 1.9);
        J[3] = uniform(s, -0.1, 0.1);
        J[4] = uniform(s, -0.1, 0.1);
        b->start.position = vec(o, 3, p);
        b->start.velocity = vec(o, 3, v);
        b->start.spin = vec(o, 3, w);
        b->start.orient = vec(o, 4, q);
        b->start.orient_kind = IMP_ORIENT_QUATERNION;
        b->stated.mass = scal(o, uniform(s, 0.5, 3));
        b->stated.inertia = vec(o, 6, J);
    }
}

static void
set_turn(struct tm_body *b, struct model *o, double angle)
{
    const double aa[4] = {0, 0, 1, angle};
    b->start.orient = vec(o, 4, aa);
    b->start.orient_kind = IMP_ORIENT_AXISANGLE;
}

/* tangential.md 0.E [0.5] */
static void
two_ellipsoids(struct model *o, double e)
{
    static const double a0[3] = {1, .8, .6}, a1[3] = {1.2, .7, .9};
    static const double v0[3] = {1, 0, 0}, w0[3] = {.3, -.2, .5};
    static const double v1[3] = {-.5, .2, -.3}, w1[3] = {-.4, .6, .1};
    static const double c1[3] = {1.6834619861496288, 0.73972889508648096,
                                 0.79378592517248991};
    const double *a[2] = {a0, a1}, *v[2] = {v0, v1}, *w[2] = {w0, w1};
    model_new(o, 3);
    for (int i = 0; i < 2; i++) {
        struct tm_body *b =
            body(o, i ? "two" : "one", superellipsoid(o, a[i], 2));
        double m = i ? 3 : 2, J[6] = {0};
        for (int k = 0; k < 3; k++)
            J[k] = m / 5 *
                   (a[i][(k + 1) % 3] * a[i][(k + 1) % 3] +
                    a[i][(k + 2) % 3] * a[i][(k + 2) % 3]);
        b->stated.mass = scal(o, m);
        b->stated.inertia = vec(o, 6, J);
        b->start.velocity = vec(o, 3, v[i]);
        b->start.spin = vec(o, 3, w[i]);
        if (i) {
            b->start.position = vec(o, 3, c1);
            set_turn(b, o, 3.14159265358979323846 / 6);
        }
    }
    contact(o, "touch", 0, 1, e);
    model_run(o);
}

/* v (world) to the axes of a body in state s */
static void
to_body_axes(const double *s, double *v)
{
    const double *q = s + 3;
    double w[3], y[3];
    for (int k = 0; k < 3; k++)
        w[k] = -2 * (q[1 + (k + 1) % 3] * v[(k + 2) % 3] -
                     q[1 + (k + 2) % 3] * v[(k + 1) % 3]);
    for (int k = 0; k < 3; k++)
        y[k] = -(q[1 + (k + 1) % 3] * w[(k + 2) % 3] -
                 q[1 + (k + 2) % 3] * w[(k + 1) % 3]);
    for (int k = 0; k < 3; k++)
        v[k] += q[0] * w[k] + y[k];
}

static void
solve_newton(struct model *o, double *u)
{
    const imp_contact *c = rt_contact(o->r, 0);
    uint32_t n = c->n_unknown;
    double out[8 + 64 + 1];
    for (int it = 0; it < 60; it++) {
        assert_int_equal(rt_eval(o->r, c->kkt, u, out), IMP_OK);
        int piv[8];
        double step[8], big = 0;
        memcpy(step, out, n * sizeof *step);
        assert_int_equal(imp_lu_factor((int)n, out + n, piv), 0);
        imp_lu_solve((int)n, out + n, piv, step);
        for (uint32_t i = 0; i < n; i++) {
            u[i] -= step[i];
            big = fmax(big, fabs(step[i]));
        }
        if (big < 1e-15)
            return;
    }
}

/* momentum, energy, eq (10) and the map of relative velocities on random
 * bodies (I1, I2) */
static void
make_series(struct model *o, uint32_t c, const double *u, int order,
            double *gap)
{
    for (uint32_t b = 0; b < o->im->blocks.n; b++)
        assert_int_equal(
            rt_series(o->r,
                      IMP_ARRAY(o->im, o->im->blocks, imp_block)[b].motion,
                      NULL, NULL, o->r->rows.block[b], order),
            IMP_OK);
    const imp_contact *k = rt_contact(o->r, c);
    const double *rows[2];
    double *work = contact_work(o->r, c);
    contact_bodies_rows(o->r, k, rows);
    contact_bodies_enter(o->r, k);
    assert_int_equal(rt_series(o->r, k->event, u, rows, work, order), IMP_OK);
    const imp_tape *t = IMP_ARRAY(o->im, o->im->tapes, imp_tape) + k->event;
    const imp_instr *code = IMP_ARRAY(o->im, t->code, imp_instr);
    uint32_t reg = IMP_ARRAY(o->im, t->outs, uint32_t)[0];
    const double *row = work + code[reg].row * IMP_ROW_STRIDE + IMP_ROW_PAD;
    memcpy(gap, row, (size_t)(order + 1) * sizeof *gap);
}

/* gap of two spheres: sqrt of a quadratic in t */
static void
sphere_series(void **unused)
{
    (void)unused;
    uint64_t seed = 3;
    for (int t = 0; t < 10; t++) {
        struct model o;
        static const double a0[3] = {1, 1, 1}, a1[3] = {.5, .5, .5};
        random_space(&o, &seed, a0, a1);
        contact(&o, "c", 0, 1, 1);
        model_run(&o);
        const double *s0 = o.r->env + rt_body(o.r, 0)->env_state;
        const double *s1 = o.r->env + rt_body(o.r, 1)->env_state;
        double A = 0, B = 0, C = 0, u[8], d[3], l;
        for (int k = 0; k < 3; k++) {
            double v = s1[7 + k] - s0[7 + k];
            d[k] = s1[k] - s0[k];
            A += d[k] * d[k];
            B += 2 * d[k] * v;
            C += v * v;
        }
        l = sqrt(A);
        /* Newton from the line of centres */
        for (int k = 0; k < 3; k++) {
            u[k] = a0[0] * d[k] / l;
            u[3 + k] = -a1[0] * d[k] / l;
        }
        to_body_axes(s0, u);
        to_body_axes(s1, u + 3);
        u[7] = 0;
        u[6] = (l - 1.5) / 2;
        u[7] = 2;
        solve_newton(&o, u);
        double gap[21], f[21] = {0};
        make_series(&o, 0, u, 20, gap);
        f[0] = sqrt(A);
        for (int k = 1; k <= 20; k++) {
            double r = k == 1 ? B : k == 2 ? C : 0;
            for (int j = 1; j < k; j++)
                r -= f[j] * f[k - j];
            f[k] = r / (2 * f[0]);
        }
        f[0] -= 1.5;
        for (int k = 0; k <= 20; k++)
            NEAR(gap[k], f[k], 1e-12 * (1 + fabs(f[k])));
        model_free(&o);
    }
}

/* a disk with its mass centre off the middle on a fixed half-plane, spec
 * [0.1]: v_Q = 0, D = w^2 (r_My - R0), j* = w^3 r_Mx, sigma(0.1) */
static void
disk_on_wall(void **unused)
{
    (void)unused;
    for (int order = 0; order < 2; order++) {
        struct model o;
        model_new(&o, 2);
        static const double one[2] = {1, 1};
        const double rm[2] = {0.5, 1}, pos[2] = {0.5, 1};
        const double vel[2] = {0.25, -0.5};
        for (int i = 0; i < 2; i++) {
            struct tm_body *b;
            if (i == order) {
                b = body(&o, "wall", loc(&o, 1));
                b->fixed = true;
            } else {
                b = body(&o, "disk", superellipsoid(&o, one, 2));
                /* contact at the origin, middle at (0, 1) */
                double centre[2] = {rm[0], rm[1] - 1};
                b->stated.centre = vec(&o, 2, centre);
                b->start.position = vec(&o, 2, pos);
                b->start.velocity = vec(&o, 2, vel);
                b->stated.mass = scal(&o, 1);
                b->stated.inertia.n = 1;
                *vec_at(o.a, &b->stated.inertia, 0) = par(&o, 0.4);
                *vec_at(o.a, &b->start.spin, 0) = par(&o, -1);
            }
        }
        contact(&o, "c", 0, 1, 1);
        model_run(&o);
        assert_true(rt_body(o.r, order)->flags & IMP_BODYF_FLAT);
        double u[6] = {0};
        u[order ? 1 : 3] = -1;
        u[5] = order ? 0.5 : 2;
        double gap[21], s = 0, out[64], k[18];
        rt_eval(o.r, rt_contact(o.r, 0)->kkt, u, out);
        for (int i = 0; i < 6; i++)
            NEAR(out[i], 0, 1e-15);
        make_series(&o, 0, u, 20, gap);
        NEAR(gap[0], 0, 1e-15);
        NEAR(gap[1], 0, 1e-15);
        NEAR(gap[2], 0, 1e-15);
        NEAR(gap[3], -0.5 / 6, 1e-15);
        for (int i = 20; i >= 0; i--)
            s = s * 0.1 + gap[i];
        NEAR(s, -8.32916765859238e-5, 1e-15);
        s = 0;
        for (int i = 20; i >= 0; i--)
            s = s * -0.1 + gap[i];
        NEAR(s, 8.32916765859238e-5, 1e-15);
        rt_eval(o.r, rt_body(o.r, order)->kinematics, NULL, k);
        for (int i = 0; i < 18; i++)
            NEAR(k[i], 0, 0);
        model_free(&o);
    }
}

/* the cost of a gap series: products that change in time, one convolution
 * each */
static void
count_products(void **unused)
{
    (void)unused;
    struct model o;
    two_ellipsoids(&o, 1);
    const imp_tape *t =
        IMP_ARRAY(o.im, o.im->tapes, imp_tape) + rt_contact(o.r, 0)->event;
    const imp_instr *c = IMP_ARRAY(o.im, t->code, imp_instr);
    const uint32_t *pool = IMP_ARRAY(o.im, t->pool, uint32_t);
    unsigned n = 0;
    for (uint32_t i = 0; i < t->code.n; i++) {
        if (c[i].flags & (IMP_INSTR_CONST | IMP_INSTR_ORDER0))
            continue;
        if (c[i].op == IMP_OP_MUL)
            n += !((c[c[i].a].flags | c[c[i].b].flags) & IMP_INSTR_CONST);
        if (c[i].op == IMP_OP_DIV)
            n += !(c[c[i].b].flags & IMP_INSTR_CONST);
        if (c[i].op == IMP_OP_DOT)
            for (uint32_t p = 0; p < c[i].b; p++)
                n += !((c[pool[c[i].a + 3 * p + 1]].flags |
                        c[pool[c[i].a + 3 * p + 2]].flags) &
                       IMP_INSTR_CONST);
    }
    print_message("event tape of two ellipsoids: %u products, %u instr\n", n,
                  t->code.n);
    assert_true(n <= 150);
    model_free(&o);
}

static void
wrong_contacts(void **unused)
{
    (void)unused;
    struct model o;
    model_new(&o, 2);
    body(&o, "a", loc(&o, 0))->fixed = true;
    struct tm_body *b = body(&o, "b", loc(&o, 1));
    b->stated.mass = scal(&o, 1);
    b->stated.inertia.n = 1;
    *vec_at(o.a, &b->stated.inertia, 0) = par(&o, 1);
    contact(&o, "c", 0, 1, 1);
    assert_string_equal(model_wrong(&o), "E0511");
    model_free(&o);

    model_new(&o, 2);
    static const double one[2] = {1, 1};
    body(&o, "a", superellipsoid(&o, one, 2))->fixed = true;
    body(&o, "b", superellipsoid(&o, one, 2))->fixed = true;
    contact(&o, "c", 0, 1, 1);
    assert_string_equal(model_wrong(&o), "E0512");
    model_free(&o);

    model_new(&o, 2);
    body(&o, "a", superellipsoid(&o, one, 2))->stated.density = scal(&o, 1);
    body(&o, "b", superellipsoid(&o, one, 2))->stated.density = scal(&o, 1);
    contact(&o, "c", 0, 1, 1.5);
    assert_string_equal(model_wrong(&o), "E0517");
    model_free(&o);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_series),
        cmocka_unit_test(disk_on_wall),
        cmocka_unit_test(count_products),
        cmocka_unit_test(wrong_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
