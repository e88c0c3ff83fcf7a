/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints in motion: random trees and loops of every kind keep their joints,
 * energy and momenta; closed forms (pendulum, screw of a hinge, Cardan joint,
 * knife edge, slider) and an independent integration of the double pendulum in
 * minimal coordinates; the long runs of the requirement. */
#include <time.h>

#ifdef HAVE_GSL
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_sf_ellint.h>
#endif

#include "analysis_help.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/factors.h"
#include "runtime/setup/new_run.h"
#include "runtime/tape/functions.h"

#define PI 3.14159265358979323846

/* splitmix64 */
static double
between(uint64_t *s, double lo, double hi)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lo + (hi - lo) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}
static int
cases_or(int dflt)
{
    const char *e = getenv("IMP_TEST_CASES");
    return e ? atoi(e) : dflt;
}

static double *
state_of(struct run *r, uint32_t body)
{
    return r->d.run->env + rt_body(r->d.run, body)->env_state;
}

static void
go_to(struct run *r, double t)
{
    if (motion_to(r->d.run, t)) {
        complain(r);
        fail_msg("the motion stops at %.17g", rt_time(r->d.run));
    }
}

static double
energy_of(struct run *r)
{
    struct motion_totals m;
    assert_int_equal(motion_totals(r->d.run, &m), IMP_OK);
    return m.kinetic + m.potential;
}

/* -- the factorisation ------------------------------------------------------
 */

/* J = B B^T of random rank: rank found, J x = b solved for b in its range */
static void
gram(void **state)
{
    (void)state;
    uint64_t s = 77;
    for (int n = 1; n <= 12; n++)
        for (int c = 0; c < cases_or(100); c++) {
            int rank = 1 + (int)between(&s, 0.0, n - 1e-9);
            double B[12][12], J[144], F[144], x[12], b[12], scale[12];
            int piv[12];
            for (int i = 0; i < n; i++) {
                scale[i] = pow(10.0, between(&s, -3.0, 3.0));
                for (int j = 0; j < rank; j++)
                    B[i][j] = between(&s, -1.0, 1.0);
            }
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    J[i * n + j] = 0.0;
                    for (int k = 0; k < rank; k++)
                        J[i * n + j] += B[i][k] * B[j][k];
                    J[i * n + j] *= scale[i] * scale[j];
                }
            for (int i = 0; i < n; i++) {
                b[i] = 0.0;
                for (int j = 0; j < n; j++)
                    b[i] += J[i * n + j] / scale[j];
                x[i] = b[i];
            }
            memcpy(F, J, sizeof F);
            assert_int_equal(imp_ldlt_factor(n, F, piv), 0);
            assert_int_equal(imp_ldlt_rank(n, piv), rank);
            imp_ldlt_solve(n, F, piv, x);
            for (int i = 0; i < n; i++) {
                double sum = 0.0, size = 0.0;
                for (int j = 0; j < n; j++) {
                    sum += J[i * n + j] * x[j];
                    size += fabs(J[i * n + j] * x[j]);
                }
                /* random factors of small rank are ill-conditioned now and
                 * then */
                assert_true(fabs(sum - b[i]) < 1e-8 * (size + fabs(b[i])));
            }
        }
    double bad[4] = {1.0, NAN, NAN, 1.0};
    int piv[2];
    assert_int_not_equal(imp_ldlt_factor(2, bad, piv), 0);
}

/* -- random mechanisms ------------------------------------------------------
 */

struct model {
    char text[6000];
    int n;
    uint64_t s;
};
#define SAY(m, ...)                                                            \
    ((m)->n += snprintf((m)->text + (m)->n, sizeof(m)->text - (size_t)(m)->n,  \
                        __VA_ARGS__))
static double
some(struct model *m, double lo, double hi)
{
    return between(&m->s, lo, hi);
}
static int
one_of(struct model *m, int n)
{
    return (int)some(m, 0.0, n - 1e-9);
}

static const char *
body_name(int i, char name[16], bool carried)
{
    if (i < 0)
        return carried ? "base" : "world";
    snprintf(name, 16, "b%d", i);
    return name;
}

static void
random_joint(struct model *m, int number, int one, int two, const double at[3],
             bool plane, bool rate, bool carried)
{
    static const char *const kinds[] = {"ball",     "hinge",     "slider",
                                        "cylinder", "universal", "planar",
                                        "weld",     "constraint"};
    static const int in_plane[] = {1, 1, 2, 6, 7};
    static const int rates[] = {3, 1, 1, 2, 2, 4, 0, 0};
    char n1[16], n2[16];
    int k = plane ? in_plane[one_of(m, 5)] : one_of(m, 8);
    SAY(m, "joint j%d : %s(%s, %s) {\n  at = (%.17g, %.17g", number, kinds[k],
        body_name(one, n1, carried), body_name(two, n2, carried), at[0], at[1]);
    SAY(m, plane ? ")\n" : ", %.17g)\n", at[2]);
    if (k == 7) {
        int rows = 1 + one_of(m, 2);
        SAY(m, "  screws = [");
        for (int i = 0; i < rows; i++)
            for (int c = 0; c < (plane ? 3 : 6); c++)
                SAY(m, "%s%.3f", c ? ", " : i ? "; " : "", some(m, -1, 1));
        SAY(m, "]");
    } else if (k != 0 && k != 6 && !(plane && k == 1)) {
        SAY(m, "  axis = (%.3f, %.3f", some(m, -1, 1), some(m, 0.2, 1));
        SAY(m, plane ? ")" : ", %.3f)", some(m, -1, 1));
        if (k == 4)
            SAY(m, "  axis2 = (%.3f, %.3f, %.3f)", some(m, 0.2, 1),
                some(m, -1, 0), some(m, -1, 1));
    }
    if (rate && k == 5) /* velocities in the plane are left out: 0 */
        SAY(m, "  rate = (%.3f, 0, 0, 0)", some(m, -1, 1));
    for (int i = 0; rate && k != 5 && i < rates[k]; i++)
        SAY(m, "%s%.3f%s",
            i              ? ", "
            : rates[k] > 1 ? "  rate = ("
                           : "  rate = ",
            some(m, -1, 1),
            i + 1 < rates[k] ? ""
            : rates[k] > 1   ? ")"
                             : "");
    SAY(m, " }\n");
}

enum { FLOATS = 1, LOOP = 2, CARRIED = 4, PLANE = 8 };

/* a tree of n bodies, or one with one more joint between two of them (or one of
 * them and the world); all start velocities from rates, none in loops */
static void
random_mechanism(struct model *m, int n, unsigned what)
{
    bool plane = what & PLANE, carried = what & CARRIED;
    double c[8][3] = {{0}};
    m->n = 0;
    if (!(what & FLOATS))
        SAY(m, plane ? "world { gravity = (0.3, -9.81) }\n"
                     : "world { gravity = (0.3, 0.1, -9.81) }\n");
    if (carried)
        SAY(m,
            "let u = t/(1 [s])\nbody base { fixed = true  %s\n  position = "
            "(0.3*sin(2*u), 0.1*u^2%s\n  %s }\n",
            plane ? "planar = true" : "", plane ? ") [m]" : ", 0.2*cos(u)) [m]",
            plane ? "angle = 0.4*sin(3*u)"
                  : "rotation = ((0.6, 0, 0.8), 0.5*sin(u))");
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < (plane ? 2 : 3); j++)
            c[i][j] = some(m, -1, 1) + (j == 0 ? i : 0);
        SAY(m, "body b%d { mass = %.3f  ", i, some(m, 0.5, 2));
        double in[3] = {some(m, 0.1, 0.3), some(m, 0.1, 0.3),
                        some(m, 0.1, 0.3)};
        if (plane)
            SAY(m, "inertia = %.3f  planar = true\n  angle = %.3f  ", in[0],
                some(m, -3, 3));
        else
            SAY(m,
                "inertia = diag(%.3f, %.3f, %.3f)\n  rotation = ((%.3f, 1, "
                "%.3f), %.3f)  ",
                in[0] + in[1], in[1] + in[2], in[2] + in[0], some(m, -1, 1),
                some(m, -1, 1), some(m, -3, 3));
        SAY(m, "position = (%.17g, %.17g", c[i][0], c[i][1]);
        SAY(m, plane ? ") }\n" : ", %.17g) }\n", c[i][2]);
    }
    int joints = 0;
    for (int i = what & FLOATS ? 1 : 0; i < n; i++) {
        int to = i == 0 ? -1 : one_of(m, i);
        double at[3];
        for (int j = 0; j < 3; j++)
            at[j] = c[i][j] + some(m, -0.5, 0.5);
        random_joint(m, joints++, i, to, at, plane, !(what & LOOP), carried);
    }
    if (what & LOOP) {
        double at[3] = {some(m, -1, 1), some(m, -1, 1), some(m, -1, 1)};
        random_joint(m, joints++, n - 1, what & FLOATS ? 0 : -1, at, plane,
                     false, carried);
    }
    assert_true(m->n < (int)sizeof m->text);
}

struct worst {
    double position, velocity, energy, momentum;
    int stopped, cases;
};

/* every length is about 1, every mass too; bodies on sliders fall away: errors
 * are measured by how far and fast they get */
static void
check_mechanism(const struct model *m, unsigned what, struct worst *w)
{
    struct run r;
    struct motion_totals t0, t;
    double p, v, far = 1.0, fast = 1.0;
    run(&r, m->text, false);
    if (r.status != IMP_EXIT_OK) {
        print_message("%s", m->text);
        fine(&r);
    }
    struct rt *rt = r.d.run;
    rt_reset(rt);
    assert_int_equal(motion_totals(rt, &t0), IMP_OK);
    w->cases++;
    for (int k = 1; k <= 8; k++) {
        if (motion_to(rt, 0.5 * k)) {
            /* a linkage at a change point */
            assert_true(has_code(&r, DIAG_E0604));
            w->stopped++;
            break;
        }
        for (uint32_t b = 0; b < rt->im->bodies.n; b++) {
            const double *s = state_of(&r, b);
            uint32_t d = rt->im->dim, at = d == 2 ? 3 : 7;
            for (uint32_t i = 0; i < d; i++)
                far = fmax(far, fabs(s[i]));
            for (uint32_t i = 0; i < (d == 2 ? 3u : 6u); i++)
                fast = fmax(fast, fabs(s[at + i]));
        }
        assert_int_equal(joints_errors(rt, &p, &v), IMP_OK);
        assert_int_equal(motion_totals(rt, &t), IMP_OK);
        double e = fabs(t.kinetic + t.potential - t0.kinetic - t0.potential);
        double dp = 0.0;
        for (int i = 0; i < 3; i++)
            dp = fmax(dp, fmax(fabs(t.momentum[i] - t0.momentum[i]),
                               fabs(t.angular[i] - t0.angular[i])));
        bool bad = p > 1e-13 * far || v > 1e-13 * far * fast;
        w->position = fmax(w->position, p / far);
        w->velocity = fmax(w->velocity, v / (far * fast));
        if (!(what & CARRIED)) {
            double share = e / (10.0 * far + fast * fast);
            /* loops may pass near a change point, where reactions grow without
             * bound and digits are lost with them; trees have none */
            bool near_point = (what & LOOP) && share > 1e-12;
            if (near_point) {
                bad |= share > 1e-8;
                w->stopped++;
                k = 8;
            } else {
                w->energy = fmax(w->energy, share);
            }
            bad |= !near_point && share > 1e-12;
        }
        if (what & FLOATS) {
            w->momentum = fmax(w->momentum, dp / (far * fast));
            bad |= dp > 1e-12 * far * fast;
        }
        if (bad) {
            print_message("%s", m->text);
            fail_msg("t = %g: position %.3g velocity %.3g energy %.3g momentum "
                     "%.3g (far %g fast %g)",
                     0.5 * k, p, v, e, dp, far, fast);
        }
    }
    done(&r);
}

static void
mechanisms(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned what;
    } sorts[] = {{"trees", 0},
                 {"plane trees", PLANE},
                 {"floating trees", FLOATS},
                 {"floating plane trees", FLOATS | PLANE},
                 {"trees on a moving base", CARRIED},
                 {"plane trees on a moving base", CARRIED | PLANE},
                 {"loops", LOOP},
                 {"plane loops", LOOP | PLANE},
                 {"floating loops", LOOP | FLOATS}};
    int cases = cases_or(25);
    for (size_t k = 0; k < sizeof sorts / sizeof *sorts; k++) {
        struct worst w = {0};
        for (int c = 0; c < cases; c++) {
            struct model m = {.s = 1000 * k + (uint64_t)c + 1};
            random_mechanism(&m, 2 + one_of(&m, 3), sorts[k].what);
            check_mechanism(&m, sorts[k].what, &w);
        }
        print_message("%d %s: position %.1e velocity %.1e energy %.1e momentum "
                      "%.1e; %d at a change point\n",
                      w.cases, sorts[k].name, w.position, w.velocity, w.energy,
                      w.momentum, w.stopped);
        assert_true(w.stopped * 5 <= w.cases);
    }
}

/* -- closed forms -----------------------------------------------------------
 */

#define DOUBLE                                                                 \
    "world { gravity = (0, -9.81) }\n"                                         \
    "body one { planar = true  mass = 1  inertia = 0.1\n"                      \
    "  position = (0.5, 0) }\n"                                                \
    "body two { planar = true  mass = 2  inertia = 0.05\n"                     \
    "  position = (1.3, 0) }\n"                                                \
    "joint a : hinge(one, world) { at = (0, 0) }\n"                            \
    "joint b : hinge(two, one) { at = (1, 0) }\n"

/* a physical pendulum: period by the complete elliptic integral, computed by
 * the arithmetic-geometric mean */
static void
pendulum(void **state)
{
    (void)state;
    struct run r;
    const double m = 2.0, J = 0.3, l = 0.7, g = 9.81, a0 = 2.0;
    run(&r,
        "world { gravity = (0, -9.81) }\n"
        "body one { planar = true  mass = 2  inertia = 0.3\n"
        "  position = (0.7*sin(2), -0.7*cos(2))  angle = 2 }\n"
        "joint a : hinge(one, world) { at = (0, 0) }\n",
        false);
    fine(&r);
    rt_reset(r.d.run);
    double a = 1.0, b = cos(0.5 * a0);
    while (fabs(a - b) > 1e-15) {
        double c = 0.5 * (a + b);
        b = sqrt(a * b);
        a = c;
    }
    double T = 2.0 * PI / a / sqrt(m * g * l / (J + m * l * l));
    for (int k = 1; k <= 10; k++) {
        go_to(&r, k * T);
        const double *s = state_of(&r, 0);
        near(s[2], a0, 1e-10);
        near(s[5], 0.0, 1e-11);
        go_to(&r, (k + 0.25) * T);
        s = state_of(&r, 0);
        near(s[2], 0.0, 1e-11);
        near(fabs(s[5]),
             sqrt(2.0 * m * g * l * (1.0 - cos(a0)) / (J + m * l * l)), 1e-11);
    }
    done(&r);
}

/* a body on a slope's slider: uniform acceleration along it */
static void
slider(void **state)
{
    (void)state;
    struct run r;
    run(&r,
        "world { gravity = (0, 0, -9.81) }\n"
        "body one { mass = 2  inertia = diag(0.1, 0.2, 0.3)\n"
        "  position = (1, 2, 3)  rotation = ((1, 2, 3), 0.4) }\n"
        "joint a : slider(one, world) { axis = (3, 0, -4)  rate = 0.5 }\n",
        false);
    fine(&r);
    rt_reset(r.d.run);
    double q[4];
    memcpy(q, state_of(&r, 0) + 3, sizeof q);
    go_to(&r, 3.0);
    double s = 0.5 * 3.0 + 0.5 * (9.81 * 0.8) * 9.0;
    const double *x = state_of(&r, 0);
    near(x[0], 1.0 + 0.6 * s, 1e-13 * s);
    near(x[1], 2.0, 1e-13 * s);
    near(x[2], 3.0 - 0.8 * s, 1e-13 * s);
    for (int i = 0; i < 4; i++)
        near(x[3 + i], q[i], 1e-15 * 10);
    done(&r);
}

/* Cardan joint between two shafts on hinges at the angle beta, driven by the
 * first: tan(phi2) = tan(phi1)/cos(beta) (or its inverse, by the fork that is
 * in the plane of the shafts at the start) */
static void
cardan(void **state)
{
    (void)state;
    struct run r;
    const double beta = 0.5;
    char text[900];
    snprintf(text, sizeof text,
             "let u = t/(1 [s])\n"
             "body drive { fixed = true  position = (-1, 0, 0)\n"
             "  rotation = ((1, 0, 0), 2*u) }\n"
             "body shaft { mass = 1  inertia = diag(0.3, 0.2, 0.2)\n"
             "  position = (%.17g, %.17g, 0) }\n"
             "joint h : hinge(shaft, world) { at = (%.17g, %.17g, 0)\n"
             "  axis = (%.17g, %.17g, 0)  rate = %.17g }\n"
             "joint cross : universal(drive, shaft) { at = (0, 0, 0)\n"
             "  axis = (0, 0, 1)  axis2 = (%.17g, %.17g, 0) }\n",
             cos(beta), sin(beta), 0.5 * cos(beta), 0.5 * sin(beta), cos(beta),
             sin(beta), 2.0 * cos(beta), -sin(beta), cos(beta));
    run(&r, text, false);
    fine(&r);
    rt_reset(r.d.run);
    for (int k = 1; k <= 40; k++) {
        double t = 0.37 * k, one = 2.0 * t;
        go_to(&r, t);
        const double *q = state_of(&r, 1) + 3;
        double two = 2.0 * atan2(q[1] * cos(beta) + q[2] * sin(beta), q[0]);
        /* z fork on the drive: a = (0, -sin 2t, cos 2t); other fork turned by
         * phi2 about the shaft: b.a = 0 */
        double off = sin(one) * cos(two) * cos(beta) - cos(one) * sin(two);
        near(off, 0.0, 1e-13 * 20);
        near(q[3] * cos(beta), 0.0, 1e-13);
    }
    done(&r);
}

/* Knife edge on an incline (Neimark & Fufaev; Bloch, sec. 1.6): spinning at
 * w0, started at rest at the angle 0 to the slope's horizontal; its centre
 * moves along the edge: u' = g sin(a) sin(w t), a cycloid */
static void
knife_edge(void **state)
{
    (void)state;
    struct run r;
    const double g = 5.0, w = 1.3;
    run(&r,
        "world { gravity = (0, -5) }\n"
        "body skate { planar = true  mass = 2  inertia = 0.3  spin = 1.3 }\n"
        "joint edge : constraint(skate, world) { at = (0, 0)\n"
        "  screws = [0, 1, 0] }\n",
        false);
    fine(&r);
    rt_reset(r.d.run);
    for (int k = 1; k <= 40; k++) {
        double t = 0.5 * k;
        go_to(&r, t);
        const double *s = state_of(&r, 0);
        /* u' = -g sin(wt), x' = u cos(wt), y' = u sin(wt) */
        double u = g / w * (cos(w * t) - 1.0);
        near(s[3], u * cos(w * t), 1e-12);
        near(s[4], u * sin(w * t), 1e-12);
        near(s[2], w * t, 1e-12);
        near(s[0],
             g / (w * w) * (0.5 * w * t + 0.25 * sin(2.0 * w * t) - sin(w * t)),
             2e-12);
        near(s[1], g / (w * w) * (0.5 * pow(sin(w * t), 2) + cos(w * t) - 1.0),
             2e-12);
    }
    done(&r);
}

/* a ball joint, and the same said by three force screws of a constraint */
static void
ball_by_screws(void **state)
{
    (void)state;
    static const char *const joint[] = {
        "ball(one, world) { at = (0, 0.2, 0) }",
        "constraint(one, world) { at = (0, 0.2, 0)  screws = [1, 0, 0, 0, 0, "
        "0; 0, 1, 0, 0, 0, 0; 1, 2, 2, 0, 0, 0] }"};
    double x[2][13];
    for (int i = 0; i < 2; i++) {
        struct run r;
        char text[500];
        snprintf(text, sizeof text,
                 "world { gravity = (0, 0, -9.81) }\n"
                 "body one { mass = 1  inertia = diag(0.1, 0.2, 0.25)\n"
                 "  position = (0.5, 0, 0)  spin = (0.2, -0.3, 1)\n"
                 "  velocity = (0.2, 0.5, 0.11) }\njoint j : %s\n",
                 joint[i]);
        run(&r, text, false);
        fine(&r);
        rt_reset(r.d.run);
        go_to(&r, 5.0);
        memcpy(x[i], state_of(&r, 0), sizeof x[i]);
        done(&r);
    }
    for (int i = 0; i < 13; i++)
        near(x[0][i], x[1][i], 2e-11);
}

#ifdef HAVE_GSL
/* the same double pendulum by its two angles; mass centres at l1, l2 */
static int
two_angles(double t, const double *y, double *f, void *ctx)
{
    (void)t;
    (void)ctx;
    const double m1 = 1, m2 = 2, J1 = 0.1, J2 = 0.05, c1 = 0.5, L = 1, c2 = 0.3;
    const double g = 9.81;
    double d = y[0] - y[1], C = m2 * L * c2 * cos(d), S = m2 * L * c2 * sin(d);
    double A = J1 + m1 * c1 * c1 + m2 * L * L, B = J2 + m2 * c2 * c2;
    double p = -S * y[3] * y[3] - (m1 * c1 + m2 * L) * g * cos(y[0]);
    double q = S * y[2] * y[2] - m2 * c2 * g * cos(y[1]);
    double det = A * B - C * C;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = (B * p - C * q) / det;
    f[3] = (A * q - C * p) / det;
    return GSL_SUCCESS;
}
#endif

static void
double_pendulum(void **state)
{
    (void)state;
#ifdef HAVE_GSL
    struct run r;
    run(&r, DOUBLE, false);
    fine(&r);
    rt_reset(r.d.run);
    gsl_odeiv2_system sys = {two_angles, NULL, 4, NULL};
    gsl_odeiv2_driver *d = gsl_odeiv2_driver_alloc_y_new(
        &sys, gsl_odeiv2_step_rk8pd, 1e-3, 1e-14, 1e-14);
    double y[4] = {0}, t = 0.0, worst = 0.0;
    for (int k = 1; k <= 20; k++) {
        assert_int_equal(gsl_odeiv2_driver_apply(d, &t, 0.25 * k, y),
                         GSL_SUCCESS);
        go_to(&r, 0.25 * k);
        for (int i = 0; i < 2; i++) {
            const double *s = state_of(&r, (uint32_t)i);
            worst = fmax(worst, fabs(s[2] - y[i]));
            worst = fmax(worst, fabs(s[5] - y[2 + i]));
        }
    }
    print_message("double pendulum to 5 s, large swings: off rk8pd by %.1e\n",
                  worst);
    assert_true(worst < 1e-10);
    gsl_odeiv2_driver_free(d);
    done(&r);
#endif
}

/* -- long runs --------------------------------------------------------------
 */

struct drift {
    double position, velocity, energy;
};
static double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct drift
long_run(struct run *r, double until, int looks)
{
    struct drift d = {0};
    rt_reset(r->d.run);
    double e0 = energy_of(r), p, v;
    for (int k = 1; k <= looks; k++) {
        go_to(r, until * k / looks);
        assert_int_equal(joints_errors(r->d.run, &p, &v), IMP_OK);
        d.position = fmax(d.position, p);
        d.velocity = fmax(d.velocity, v);
        d.energy = fmax(d.energy, fabs(energy_of(r) - e0));
    }
    d.position = fmax(d.position, joints_greatest_error(r->d.run));
    return d;
}

/* 10^2 periods of the slower natural mode, small and large swings; 10^3 are
 * run by examples/screws/double_pendulum.imp, and here with IMP_LONG */
static double
how_long(void)
{
    return getenv("IMP_LONG") ? 1.0 : 0.1;
}

static void
thousand_periods(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        struct run r;
        char text[900];
        double a = large ? 0.5 * PI : 0.1;
        snprintf(text, sizeof text,
                 "world { gravity = (0, -9.81) }\n"
                 "body one { planar = true  mass = 1  inertia = 0.1\n"
                 "  position = (%.17g, %.17g)  angle = %.17g }\n"
                 "body two { planar = true  mass = 2  inertia = 0.05\n"
                 "  position = (%.17g, %.17g)  angle = %.17g }\n"
                 "joint a : hinge(one, world) { at = (0, 0) }\n"
                 "joint b : hinge(two, one) { at = (%.17g, %.17g) }\n",
                 0.5 * sin(a), -0.5 * cos(a), a, 1.3 * sin(a), -1.3 * cos(a), a,
                 sin(a), -cos(a));
        run(&r, text, false);
        fine(&r);
        /* det(K - w^2 M) = 0 of the two angles about rest */
        double A = 0.1 + 0.25 + 2.0, B = 0.05 + 2.0 * 0.09, C = 0.6;
        double k1 = 2.5 * 9.81, k2 = 0.6 * 9.81;
        double p = A * k2 + B * k1, det = A * B - C * C;
        double w2 = (p - sqrt(p * p - 4.0 * det * k1 * k2)) / (2.0 * det);
        double T = 2.0 * PI / sqrt(w2), e = 2.5 * 9.81 + 0.6 * 9.81;
        double start = seconds();
        struct drift d = long_run(&r, how_long() * 1000.0 * T, 100);
        print_message("%g natural periods (%.4g s), start at %.2g rad: joints "
                      "%.1e m, %.1e m/s, energy %.1e of %.3g J; %.2f s\n",
                      1000.0 * how_long(), 1000.0 * how_long() * T, a,
                      d.position, d.velocity, d.energy, e, seconds() - start);
        assert_true(d.position < 1e-12);
        assert_true(d.energy < 1e-11 * (large ? e : 1.0));
        done(&r);
    }
}

/* Four-bar linkage, crank 1, coupler 3, rocker 2.5, base 3: the crank turns
 * round (Grashof). In space its four hinges have three redundant conditions. */
static void
four_bar(void **state)
{
    (void)state;
    for (int space = 0; space < 2; space++) {
        struct run r;
        char text[1500], p[3][60], at[4][60], in[3][60];
        /* crank end (0, 1); rocker end where the coupler meets it */
        double ax = 0, ay = 1, bx = 3, by = 0, R1 = 3, R2 = 2.5;
        double dx = bx - ax, dy = by - ay, d = sqrt(dx * dx + dy * dy);
        double x = (R1 * R1 - R2 * R2 + d * d) / (2 * d);
        double h = sqrt(R1 * R1 - x * x);
        double cx = ax + (x * dx - h * dy) / d, cy = ay + (x * dy + h * dx) / d;
        const char *z = space ? ", 0" : "";
        snprintf(p[0], 60, "%.17g, %.17g%s", 0.5 * ax, 0.5 * ay, z);
        snprintf(p[1], 60, "%.17g, %.17g%s", 0.5 * (ax + cx), 0.5 * (ay + cy),
                 z);
        snprintf(p[2], 60, "%.17g, %.17g%s", 0.5 * (bx + cx), 0.5 * (by + cy),
                 z);
        snprintf(at[0], 60, "0, 0%s", z);
        snprintf(at[1], 60, "%.17g, %.17g%s", ax, ay, z);
        snprintf(at[2], 60, "%.17g, %.17g%s", cx, cy, z);
        snprintf(at[3], 60, "%.17g, %.17g%s", bx, by, z);
        const double J[3] = {0.2, 0.8, 0.5};
        for (int i = 0; i < 3; i++)
            if (space)
                snprintf(in[i], 60, "diag(0.5, 0.6, %g)", J[i]);
            else
                snprintf(in[i], 60, "%g", J[i]);
        const char *axis = space ? "  axis = (0, 0, 1)" : "";
        snprintf(text, sizeof text,
                 "world { gravity = (0, -1%s) }\n"
                 "body crank { mass = 1  inertia = %s  position = (%s)%s }\n"
                 "body coupler { mass = 2  inertia = %s  position = (%s)%s }\n"
                 "body rocker { mass = 1.5  inertia = %s  position = (%s)%s }\n"
                 "joint a : hinge(crank, world) { at = (%s)%s  rate = 6 }\n"
                 "joint b : hinge(coupler, crank) { at = (%s)%s }\n"
                 "joint c : hinge(rocker, coupler) { at = (%s)%s }\n"
                 "joint d : hinge(rocker, world) { at = (%s)%s }\n",
                 z, in[0], p[0], space ? "" : "  planar = true", in[1], p[1],
                 space ? "" : "  planar = true", in[2], p[2],
                 space ? "" : "  planar = true", at[0], axis, at[1], axis,
                 at[2], axis, at[3], axis);
        run(&r, text, false);
        fine(&r);
        assert_true(has_code(&r, DIAG_W0503) == (space == 1));
        double e = energy_of(&r), turns, start = seconds();
        /* the evaluator takes half a minute for 10^3 turns in space */
        double until = 1.1e3 * how_long() * (space ? 0.05 : 1.0);
        struct drift dr = long_run(&r, until, 200);
        if (space) {
            /* out of its plane it does not come */
            assert_true(fabs(state_of(&r, 1)[2]) < 1e-12);
            turns = NAN;
        } else {
            turns = state_of(&r, 0)[2] / (2.0 * PI);
            assert_true(fabs(turns) > 1000.0 * how_long());
        }
        print_message("four-bar %s, %g s: %.6g turns, joints %.1e m, %.1e "
                      "m/s, energy %.1e of %.3g J; %.2f s\n",
                      space ? "in space" : "in the plane", until, turns,
                      dr.position, dr.velocity, dr.energy, e,
                      seconds() - start);
        assert_true(dr.position < 1e-12);
        assert_true(dr.energy < 1e-11 * e);
        done(&r);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gram),
                                       cmocka_unit_test(pendulum),
                                       cmocka_unit_test(slider),
                                       cmocka_unit_test(cardan),
                                       cmocka_unit_test(knife_edge),
                                       cmocka_unit_test(ball_by_screws),
                                       cmocka_unit_test(double_pendulum),
                                       cmocka_unit_test(thousand_periods),
                                       cmocka_unit_test(four_bar),
                                       cmocka_unit_test(mechanisms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
