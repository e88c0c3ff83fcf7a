/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start of jointed bodies (runtime/setup/start.c) on random trees and loops
 * of joints: every stated rate is there, all joints hold, groups that float
 * have a body at rest, rates that contradict each other are told. Motions are
 * read from the state and compared with the joints' own geometry, written out
 * here.
 */
#include "analysis_help.h"
#include "runtime/geometry/pose.h"
#include "runtime/impact/impact_of_run.h"
#include "runtime/setup/new_run.h"

#define BODIES 6
#define PARAMS 160

static uint64_t seed = 88172645463325252u;
static double
uniform(double lo, double hi)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return lo + (hi - lo) * ((double)(seed >> 11) * 0x1p-53);
}
static int
below(int n)
{
    return (int)uniform(0, n);
}

/* a model whose numbers are params, so that one is used many times */
struct model {
    struct buf head, body;
    int n_param;
};

static void
vector(struct model *m, int n, const char *unit)
{
    buf_puts(&m->body, n > 1 ? "(" : "");
    for (int i = 0; i < n; i++) {
        buf_printf(&m->head, "param p%d = %.17g%s\n", m->n_param,
                   uniform(-1, 1), unit);
        buf_printf(&m->body, "%sp%d", i ? ", " : "", m->n_param++);
    }
    buf_puts(&m->body, n > 1 ? ")" : "");
}

static void
body(struct model *m, int i)
{
    buf_printf(&m->body,
               "body b%d { mass = %.17g inertia = diag(%.17g, %.17g, %.17g)\n"
               "  position = ",
               i, uniform(0.5, 2), uniform(0.5, 0.6), uniform(0.5, 0.6),
               uniform(0.5, 0.6));
    vector(m, 3, " [m]");
    buf_puts(&m->body, " rotation = ((1, 2, 3), ");
    vector(m, 1, "");
    buf_puts(&m->body, ") }\n");
}

static void
joint(struct model *m, int j, const char *kind, int one, int two, bool rate)
{
    char name[2][16];
    for (int s = 0; s < 2; s++) {
        int b = s ? two : one;
        snprintf(name[s], sizeof name[s], b < 0 ? "world" : "b%d", b);
    }
    buf_printf(&m->body, "joint j%d : %s(%s, %s) {", j, kind, name[0], name[1]);
    if (strcmp(kind, "slider") && strcmp(kind, "weld")) {
        buf_puts(&m->body, " at = ");
        vector(m, 3, " [m]");
    }
    if (strcmp(kind, "ball") && strcmp(kind, "weld")) {
        buf_puts(&m->body, " axis = ");
        vector(m, 3, "");
    }
    if (!strcmp(kind, "universal")) {
        buf_puts(&m->body, " axis2 = ");
        vector(m, 3, "");
    }
    if (rate && strcmp(kind, "weld")) {
        buf_puts(&m->body, " rate = ");
        if (!strcmp(kind, "ball")) {
            vector(m, 3, " [1/s]");
        } else if (!strcmp(kind, "universal")) {
            vector(m, 2, " [1/s]");
        } else if (!strcmp(kind, "cylinder")) {
            buf_puts(&m->body, "(");
            vector(m, 1, " [1/s]");
            buf_puts(&m->body, ", ");
            vector(m, 1, " [m/s]");
            buf_puts(&m->body, ")");
        } else {
            vector(m, 1, strcmp(kind, "slider") ? " [1/s]" : " [m/s]");
        }
    }
    buf_puts(&m->body, " }\n");
}

static int
open_model(struct run *r, struct model *m)
{
    buf_put(&m->head, buf_str(&m->body), m->body.n);
    assert_true(m->n_param <= PARAMS);
    run(r, buf_str(&m->head), false);
    buf_free(&m->head);
    buf_free(&m->body);
    return r->status;
}

/* spin and velocity at x of a body; the world rests */
static void
twist(const struct rt *r, uint32_t b, const double x[3], double t[6])
{
    double R[9], w[3], d[3];
    memset(t, 0, 6 * sizeof *t);
    if (b == IMP_WORLD)
        return;
    const double *s = r->env + rt_body(r, b)->env_state;
    pose_rotation(r, b, R);
    for (int i = 0; i < 3; i++) {
        w[i] = R[3 * i] * s[10] + R[3 * i + 1] * s[11] + R[3 * i + 2] * s[12];
        d[i] = x[i] - s[i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t[i] = w[i];
        t[3 + i] = s[7 + i] + w[j] * d[k] - w[k] * d[j];
    }
}

/* Does joint j hold? `tree`: a rate that is not stated is none. */
static void
check(const struct rt *r, uint32_t j, bool tree)
{
    const imp_joint *k = IMP_ARRAY(r->im, r->im->joints, imp_joint) + j;
    const double *e = r->env + k->env_joint, *at = e + IMP_JOINT_AT;
    const double *q = e + IMP_JOINT_RATE;
    double t[2][6], rel[6], a[2][3], want[6] = {0}, size = 1;
    /* relative velocities of sliders do not depend on the place */
    for (int s = 0; s < 2; s++) {
        double l = 0;
        twist(r, k->body[s], at, t[s]);
        for (int i = 0; i < 3; i++)
            l = hypot(l, e[(s ? IMP_JOINT_AXIS2 : IMP_JOINT_AXIS) + i]);
        for (int i = 0; i < 3; i++)
            a[s][i] =
                l > 0 ? e[(s ? IMP_JOINT_AXIS2 : IMP_JOINT_AXIS) + i] / l : 0;
    }
    for (int i = 0; i < 6; i++) {
        rel[i] = t[0][i] - t[1][i];
        size = fmax(size, fmax(fabs(t[0][i]), fabs(t[1][i])));
    }
    bool rated = k->n_rate || tree;
    for (int i = 0; i < 3; i++)
        switch (k->kind) {
        case IMP_JOINT_BALL:
            want[i] = rated ? (k->n_rate ? q[i] : 0) : rel[i];
            break;
        case IMP_JOINT_HINGE:
            assert_true(rated);
            want[i] = k->n_rate ? q[0] * a[0][i] : 0;
            break;
        case IMP_JOINT_SLIDER:
            want[3 + i] = k->n_rate ? q[0] * a[0][i] : 0;
            break;
        case IMP_JOINT_CYLINDER:
            want[i] = k->n_rate ? q[0] * a[0][i] : 0;
            want[3 + i] = k->n_rate ? q[1] * a[0][i] : 0;
            break;
        case IMP_JOINT_UNIVERSAL:
            want[i] = k->n_rate ? q[0] * a[0][i] + q[1] * a[1][i] : 0;
            break;
        default:
            break;
        }
    for (int i = 0; i < 6; i++)
        near(rel[i], want[i], 1e-12 * size);
}

static void
draw(const struct run *r, double *p)
{
    for (size_t i = 0; i < driver_n_params(r->im); i++)
        p[i] = uniform(-1, 1);
}

static void
trees(void **state)
{
    static const char *const kind[] = {"ball",     "hinge",     "slider",
                                       "cylinder", "universal", "weld"};
    (void)state;
    for (int topology = 0; topology < 40; topology++) {
        struct model m = {.n_param = 0};
        struct run r;
        int n = 2 + below(BODIES - 1), group[BODIES], nj = 0;
        bool floats[BODIES];
        double p[PARAMS];
        buf_puts(&m.head, "# trees\n");
        for (int i = 0; i < n; i++)
            body(&m, i);
        for (int i = 0; i < n; i++) {
            int to = i == 0 ? (below(2) ? -1 : -2) : below(i + 2) - 2;
            group[i] = to >= 0 ? group[to] : i;
            if (to < 0)
                floats[i] = to == -2;
            if (to == -2)
                continue;
            bool swap = to >= 0 && below(2);
            joint(&m, nj++, kind[below(6)], swap ? to : i, swap ? i : to,
                  uniform(0, 1) < 0.7);
        }
        assert_int_equal(open_model(&r, &m), IMP_EXIT_OK);
        struct rt *rt = r.d.run;
        for (int c = 0; c < 25; c++) {
            draw(&r, p);
            assert_int_equal(rt_restart(rt, p), IMP_OK);
            for (uint32_t j = 0; j < rt->im->joints.n; j++)
                check(rt, j, true);
            for (int g = 0; g < n; g++) {
                bool rests = false;
                if (group[g] != g || !floats[g])
                    continue;
                for (int i = g; i < n; i++) {
                    double t[6], most = 0;
                    twist(rt, (uint32_t)i,
                          rt->env + rt_body(rt, (uint32_t)i)->env_state, t);
                    for (int k = 0; k < 6; k++)
                        most = fmax(most, fabs(t[k]));
                    rests |= group[i] == g && most == 0;
                }
                assert_true(rests);
            }
        }
        done(&r);
    }
}

/* a crank with a rate, balls between the bodies of a chain and to the world:
 * what the rates leave open follows, and the loop holds */
static void
loops(void **state)
{
    (void)state;
    for (int topology = 0; topology < 40; topology++) {
        struct model m = {.n_param = 0};
        struct run r;
        int n = 3 + below(BODIES - 3);
        double p[PARAMS];
        buf_puts(&m.head, "# loops\n");
        for (int i = 0; i < n; i++)
            body(&m, i);
        joint(&m, 0, "hinge", 0, -1, true);
        for (int i = 1; i < n; i++)
            joint(&m, i, "ball", i, i - 1, false);
        joint(&m, n, "ball", n - 1, -1, false);
        assert_int_equal(open_model(&r, &m), IMP_EXIT_OK);
        for (int c = 0; c < 25; c++) {
            draw(&r, p);
            assert_int_equal(rt_restart(r.d.run, p), IMP_OK);
            for (uint32_t j = 0; j < r.d.run->im->joints.n; j++)
                check(r.d.run, j, false);
        }
        done(&r);
    }
}

/* two hinges about one axis with rates of their own */
static void
contradict(void **state)
{
    (void)state;
    for (int c = 0; c < 20; c++) {
        char text[1024];
        struct run r;
        double x = uniform(-1, 1), y = uniform(-1, 1), w = uniform(-1, 1);
        snprintf(text, sizeof text,
                 "body a { mass = 1 inertia = diag(0.5, 0.6, 0.7) }\n"
                 "body b { mass = 2 inertia = diag(0.5, 0.6, 0.7)\n"
                 "  position = (%.17g, 1, %.17g) }\n"
                 "joint j : hinge(a, world) { at = (%.17g, 0, 0)\n"
                 "  axis = (0, 1, %.17g) rate = 0.3 }\n"
                 "joint k : hinge(b, a) { at = (0, %.17g, 0)\n"
                 "  axis = (1, %.17g, 0) rate = %.17g }\n"
                 "joint l : hinge(a, b) { at = (0, %.17g, 0)\n"
                 "  axis = (1, %.17g, 0) rate = %.17g }\n",
                 x, y, y, x, x, y, w, x, y, c % 2 ? -w : 1e-6 - w);
        run(&r, text, false);
        assert_int_equal(r.status, c % 2 ? IMP_EXIT_OK : IMP_EXIT_MODEL);
        assert_int_equal(has_code(&r, DIAG_E0542), c % 2 == 0);
        done(&r);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),
        cmocka_unit_test(loops),
        cmocka_unit_test(contradict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
