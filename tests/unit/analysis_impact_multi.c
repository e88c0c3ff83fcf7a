/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Impacts at several contacts as events of `simulate`: who belongs to one
 * impact, what every law makes of it, momentum and energy, what stops a run;
 * and one contact of two free bodies by the paper's formula. */
#include "analysis/impact/impact_priv.h"
#include "analysis_help.h"
#include "runtime/geometry/pose.h"
#include "runtime/setup/new_run.h"

static const char *const laws[] = {"newton",     "poisson",
                                   "energetic",  "complementarity",
                                   "sequential", "least_norm"};

static const struct field_value *
column(const struct run *r, const char *name)
{
    return field(r, 0, name);
}
/* entry k of the last row of a recorded pair */
static double
last(const struct run *r, const char *name, size_t k)
{
    const struct field_value *v = column(r, name);
    size_t rows = column(r, "t")->n;
    assert_true(rows > 0);
    return v->num[2 * (rows - 1) + k];
}

static void
with_law(struct run *r, const char *law, const char *text)
{
    char model[4096];
    snprintf(model, sizeof model, "use shapes\nworld { law = %s }\n%s", law,
             text);
    run(r, model, false);
    fine(r);
}

/* Newton's cradle of three equal balls, at rest in touch or apart by exact
 * symmetry */
static void
cradle(void **state)
{
    (void)state;
    for (size_t l = 0; l < 6; l++) {
        struct run r;
        with_law(&r, laws[l],
                 "body a : circle(1) { mass = 1 position = (-3, 0)\n"
                 "  velocity = (1, 0) }\n"
                 "body b : circle(1) { mass = 1 }\n"
                 "body c : circle(1) { mass = 1 position = (2, 0) }\n"
                 "contact ab : a | b {}\ncontact bc : b | c {}\n"
                 "let s = simulate { until = 3 record = (a.velocity, "
                 "b.velocity, c.velocity) }\n");
        assert_string_equal(word(&r, 0, "status"), "done");
        assert_int_equal(column(&r, "event_times")->n, 2);
        assert_string_equal(column(&r, "event_classes")->texts[1], "rest");
        bool one_by_one = !strcmp(laws[l], "sequential");
        near(last(&r, "a_velocity", 0), one_by_one ? 0.0 : -1.0 / 3, 1e-15);
        near(last(&r, "b_velocity", 0), one_by_one ? 0.0 : 2.0 / 3, 1e-15);
        near(last(&r, "c_velocity", 0), one_by_one ? 1.0 : 2.0 / 3, 1e-15);
        near(number(&r, 0, "energy_after"), 0.5, 1e-15);
        done(&r);
        with_law(&r, laws[l],
                 "body a : circle(1) { mass = 1 position = (-3, 0)\n"
                 "  velocity = (1, 0) }\n"
                 "body b : circle(1) { mass = 1 }\n"
                 "body c : circle(1) { mass = 1 position = (3, 0)\n"
                 "  velocity = (-1, 0) }\n"
                 "contact ab : a | b {}\ncontact bc : b | c {}\n"
                 "let s = simulate { until = 3 record = (a.velocity, "
                 "b.velocity, c.velocity) }\n");
        assert_int_equal(column(&r, "event_times")->n, 2);
        near(column(&r, "event_times")->num[1], 1.0, 2.3e-16); /* an ulp */
        near(last(&r, "a_velocity", 0), -1.0, 2e-15);
        near(last(&r, "b_velocity", 0), 0.0, 2e-15);
        near(last(&r, "c_velocity", 0), 1.0, 2e-15);
        done(&r);
    }
}

/* a ball that falls between two walls and reaches both at once, again and
 * again; and one that falls on two balls that touch each other */
static void
between(void **state)
{
    (void)state;
    for (size_t l = 0; l < 6; l++) {
        struct run r;
        with_law(&r, laws[l],
                 "body l : half_plane() { fixed = true angle = 45 [deg] }\n"
                 "body r : half_plane() { fixed = true angle = -45 [deg] }\n"
                 "body b : circle(1) { mass = 2 position = (0, 5)\n"
                 "  force = (0, -2) }\n"
                 "contact lb : l | b {}\ncontact rb : r | b {}\n"
                 "let s = simulate { until = 40 record = energy }\n");
        /* walls at right angles: n.M.n is diagonal, all laws agree */
        double T = sqrt(2 * (5 - sqrt(2)));
        const struct field_value *t = column(&r, "event_times");
        assert_int_equal(t->n, 14);
        for (size_t i = 0; i < t->n; i++) {
            near(t->num[i], (2.0 * (double)(i / 2) + 1.0) * T, 1e-11);
            near(column(&r, "event_impulses")->num[i], 2 * sqrt(2.0) * T,
                 1e-11);
        }
        done(&r);

        with_law(&r, laws[l],
                 "body top : circle(1) { mass = 1 position = (0, sqrt(3)+1)\n"
                 "  velocity = (0, -1) }\n"
                 "body left : circle(1) { mass = 1 position = (-1, 0) }\n"
                 "body right : circle(1) { mass = 1 position = (1, 0) }\n"
                 "contact tl : top | left {}\ncontact tr : top | right {}\n"
                 "contact lr : left | right {}\n"
                 "let s = simulate { until = 4 record = (top.velocity, "
                 "left.velocity, right.velocity) }\n");
        for (size_t k = 0; k < 2; k++)
            near(last(&r, "top_velocity", k) + last(&r, "left_velocity", k) +
                     last(&r, "right_velocity", k),
                 -(double)k, 4e-15);
        near(number(&r, 0, "energy_after"), 0.5, 4e-15);
        if (strcmp(laws[l], "sequential")) {
            near(last(&r, "top_velocity", 1), 0.2, 4e-15);
            near(last(&r, "left_velocity", 0), -sqrt(3.0) / 5, 4e-15);
            near(last(&r, "right_velocity", 1), -0.6, 4e-15);
        }
        done(&r);
    }
}

/* a body at rest in touch is not pulled along, and two groups that share
 * nothing that moves are two impacts */
static void
apart(void **state)
{
    (void)state;
    struct run r;
    with_law(&r, "newton",
             "body a : circle(1) { mass = 1 position = (-2, 0) }\n"
             "body b : circle(1) { mass = 1 }\n"
             "body d : circle(1) { mass = 1 position = (1, -sqrt(8))\n"
             "  velocity = (0, 0.5) }\n"
             "body e : circle(1) { mass = 1 position = (-7, 0.25) \n"
             "  velocity = (-1, 0) }\n"
             "body wall : half_plane() { fixed = true position = (-8.75, 0)\n"
             "  angle = -90 [deg] }\n"
             "contact ab : a | b {}\ncontact bd : b | d {}\n"
             "contact we : wall | e {}\n"
             "let s = simulate { until = 30 record = (a.velocity, "
             "b.velocity, e.velocity) }\n");
    assert_true(last(&r, "a_velocity", 0) <= 0);
    near(last(&r, "e_velocity", 0), 1.0, 0.0);
    near(number(&r, 0, "energy_after"), 0.625, 1e-15);
    done(&r);
}

/* nothing presses them together: no event, no lasting contact */
static void
resting(void **state)
{
    (void)state;
    for (int g = 0; g < 2; g++) {
        struct run r;
        char model[1024];
        snprintf(model, sizeof model,
                 "use shapes\nworld { gravity = (0, 0, %d) }\n"
                 "body a : sphere(1) { mass = 1 velocity = (1, 0.3, 0)\n"
                 "  position = (-2, 0, 0) spin = (0.2, 1, 4) }\n"
                 "body b : sphere(1) { mass = 2 velocity = (1, 0.3, 0) }\n"
                 "body c : sphere(1) { mass = 5 velocity = (1, 0.3, 0)\n"
                 "  position = (0, 0, 2) spin = (0, 0, 3) }\n"
                 "contact ab : a | b {}\ncontact bc : b | c {}\n"
                 "let s = simulate { until = 50 record = (gap(ab), gap(bc)) "
                 "}\n",
                 -10 * g);
        run(&r, model, false);
        fine(&r);
        assert_string_equal(word(&r, 0, "status"), "done");
        assert_int_equal(column(&r, "event_times")->n, 0);
        for (size_t i = 0; i < column(&r, "t")->n; i++)
            near(column(&r, "gap_ab")->num[i], 0.0, g ? 1e-11 : 1e-13);
        done(&r);
    }
}

#define WEDGE                                                                  \
    "body l : half_plane() { fixed = true angle = 45 [deg] }\n"                \
    "body r : half_plane() { fixed = true angle = -45 [deg] }\n"               \
    "body m : half_plane() { fixed = true position = (0, sqrt(2) - 1) }\n"     \
    "body b : circle(1) { mass = 2 position = (0, 5) velocity = (0, -1) }\n"

/* three walls and one ball: G has rank 2 */
static void
singular(void **state)
{
    (void)state;
    struct run r;
    run(&r,
        "use shapes\n" WEDGE
        "contact a : l | b {}\ncontact c : r | b {}\ncontact d : m | b {}\n"
        "let s = simulate { until = 8 record = b.velocity }\n",
        false);
    fine(&r);
    assert_string_equal(word(&r, 0, "status"), "done");
    assert_int_equal(column(&r, "event_times")->n, 3);
    assert_int_equal(column(&r, "warnings")->n, 1);
    near(last(&r, "b_velocity", 1), 1.0, 1e-14);
    done(&r);
    /* unequal restitutions: not determined */
    static const char *const law[] = {"", "world { law = complementarity }\n"};
    for (int i = 0; i < 2; i++) {
        char model[1024];
        snprintf(model, sizeof model,
                 "use shapes\n%s" WEDGE "contact a : l | b {}\n"
                 "contact c : r | b {}\n"
                 "contact d : m | b { restitution = 0 }\n"
                 "let s = simulate { until = 8 record = b.velocity }\n",
                 law[i]);
        run(&r, model, false);
        fine(&r);
        assert_true(has_code(&r, DIAG_W0722) == (i == 0));
        assert_string_equal(word(&r, 0, "status"), i ? "done" : "stopped");
        near(last(&r, "b_velocity", 1), i ? 1.0 : -1.0, 1e-14);
        done(&r);
    }
}

/* unequal restitutions: Newton's law may raise the energy; it is told, and the
 * world may forbid it */
static void
gain(void **state)
{
    (void)state;
    static const char *const world[] = {
        "",
        "world { forbid = gain }\n",
        "world { policy = stop }\n",
        "world { policy = stop forbid = nothing }\n",
        "world { forbid = (separating, negative) }\n",
        "world { forbid = separating }\n"};
    static const bool stops[] = {false, true, true, false, true, false};
    for (int i = 0; i < 6; i++) {
        struct run r;
        char model[1024];
        snprintf(model, sizeof model,
                 "use shapes\n%s"
                 "body l : half_plane() { fixed = true angle = 20 [deg] }\n"
                 "body r : half_plane() { fixed = true angle = -20 [deg] }\n"
                 "body b : circle(1) { mass = 2 position = (0, 3)\n"
                 "  velocity = (0, -1) }\n"
                 "contact lb : l | b { restitution = 0 }\n"
                 "contact rb : r | b { restitution = 1 }\n"
                 "let s = simulate { until = 2.5 record = b.velocity }\n",
                 world[i]);
        run(&r, model, false);
        fine(&r);
        assert_string_equal(word(&r, 0, "status"),
                            stops[i] ? "stopped" : "done");
        assert_true(has_code(&r, DIAG_W0723) == stops[i]);
        assert_true(has_code(&r, DIAG_W0721) == !stops[i]);
        /* P = G^-1 (1 + K) |v0|, gain = -P.(1 - K) |v0|/2 */
        double c = cos(40 * acos(-1.0) / 180), v = cos(20 * acos(-1.0) / 180);
        double P = 2 * v * (1 - 2 * c) / (1 - c * c);
        if (!stops[i]) {
            assert_true(P < 0);
            near(column(&r, "event_impulses")->num[0], P, 1e-13);
            near(number(&r, 0, "energy_after"), 1 - 0.5 * P * v, 1e-13);
        }
        done(&r);
    }
}

/* a double pendulum that swings against a wall, elastic: joint impulses belong
 * to the impact, no energy is lost and the joints hold */
static void
jointed(void **state)
{
    (void)state;
    for (size_t l = 0; l < 6; l++) {
        struct run r;
        char law[64];
        snprintf(law, sizeof law, "%s gravity = (0, -10)", laws[l]);
        with_law(&r, law,
                 "body wall : half_plane() { fixed = true angle = -90 [deg]\n"
                 "  position = (-1.5, 0) }\n"
                 "body upper : ellipse(0.5, 0.1) { mass = 2\n"
                 "  position = (0.5, 0) }\n"
                 "body lower : ellipse(0.7, 0.1) { mass = 1\n"
                 "  position = (1.7, 0) }\n"
                 "joint a : hinge(upper, world) { at = (0, 0) }\n"
                 "joint b : hinge(lower, upper) { at = (1, 0) }\n"
                 "contact c : wall | lower {}\n"
                 "contact d : wall | upper {}\n"
                 "let s = simulate { until = 3 record = (energy, "
                 "upper.velocity, upper.spin, upper.position, lower.velocity, "
                 "lower.spin, lower.position, lower.angle) }\n");
        const struct field_value *vu = column(&r, "upper_velocity"),
                                 *wu = column(&r, "upper_spin"),
                                 *xu = column(&r, "upper_position"),
                                 *vl = column(&r, "lower_velocity"),
                                 *wl = column(&r, "lower_spin"),
                                 *al = column(&r, "lower_angle");
        assert_true(number(&r, 0, "count") >= 2);
        assert_true(number(&r, 0, "joint_error") < 1e-12);
        near(number(&r, 0, "energy_after"), number(&r, 0, "energy_before"),
             1e-11);
        for (size_t i = 0; i < column(&r, "t")->n; i++) {
            const double *u = vu->num + 2 * i, *x = xu->num + 2 * i;
            const double *v = vl->num + 2 * i;
            double w = wu->num[i], h = wl->num[i];
            near(column(&r, "energy")->num[i], number(&r, 0, "energy_before"),
                 1e-11);
            /* the first hinge: v = w x r; the second one: at 2x from both */
            near(u[0] + w * x[1], 0, 1e-12);
            near(u[1] - w * x[0], 0, 1e-12);
            double c = -0.7 * cos(al->num[i]), s = -0.7 * sin(al->num[i]);
            near(u[0] - w * x[1] - (v[0] - h * s), 0, 2e-12);
            near(u[1] + w * x[0] - (v[1] + h * c), 0, 2e-12);
        }
        done(&r);
    }
}

/* a box dropped flat under every law: four points, one impact; sequential says
 * that the order decided */
static void
flat(void **state)
{
    (void)state;
    for (size_t l = 0; l < 6; l++) {
        struct run r;
        with_law(&r, laws[l],
                 "body floor : half_space() { fixed = true }\n"
                 "body crate : box(1, 2, 3) { mass = 2 position = (0, 0, 3)\n"
                 "  force = (0, 0, -20) }\n"
                 "contact c : floor | crate { restitution = 0.5 }\n"
                 "let s = simulate { until = 0.6 record = crate.velocity }\n"
                 "let r = impact c\n");
        assert_string_equal(word(&r, 0, "status"), "done");
        assert_int_equal(field(&r, 1, "points")->n, 4);
        assert_int_equal(field(&r, 1, "point_contacts")->n, 4);
        near(number(&r, 1, "rank"), 3, 0);
        bool order = !strcmp(laws[l], "sequential");
        assert_string_equal(word(&r, 1, "determined"),
                            order ? "no" : "motion only");
        double v = sqrt(2 * 10 * 1.5);
        const double *P = field(&r, 1, "impulses")->num;
        near(column(&r, "event_impulses")->num[0], P[0] + P[1] + P[2] + P[3],
             1e-12);
        if (!order) {
            near(column(&r, "event_impulses")->num[0], 3 * v, 1e-12);
            assert_int_equal(column(&r, "event_times")->n, 1);
        }
        done(&r);
    }
}

/* stated contacts are not watched, and that is said; bodies that only share an
 * edge and part, or slide along it, have no event */
static void
unwatched(void **state)
{
    (void)state;
    struct run r;
    run(&r,
        "use shapes\n"
        "body a : box(1, 1, 1) { mass = 1 }\n"
        "body b : box(1, 1, 1) { mass = 2 position = (1, 1, 0)\n"
        "  velocity = (0.1, 0, 0.1) }\n"
        "body d : box(1, 1, 1) { mass = 2 position = (2, 1, 1)\n"
        "  velocity = (0.1, 0.3, 0.2) }\n"
        "contact ab : a | b {}\ncontact bd : b | d {}\n"
        "contact at : a | b { at = (0.5, 0.5, 0) normal = (1, 0, 0) }\n"
        "let s = simulate { until = 2 record = energy }\n",
        false);
    fine(&r);
    assert_string_equal(word(&r, 0, "status"), "done");
    assert_int_equal(column(&r, "event_times")->n, 0);
    assert_int_equal(column(&r, "warnings")->n, 1);
    assert_non_null(strstr(column(&r, "warnings")->texts[0], "not watched"));
    done(&r);
}

static uint64_t seed = 88172645463325252u;
static double
uniform(double lo, double hi)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return lo + (hi - lo) * ((double)(seed >> 11) * 0x1p-53);
}

/* The inertia about the mass centre in world axes, from the image's numbers. */
static void
inertia_of(struct rt *rt, uint32_t b, const double R[9], long double J[3][3])
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const double *k = rt->env + rt_body(rt, b)->env_body + IMP_BODY_INERTIA;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J[i][j] = 0;
            for (int m = 0; m < 3; m++)
                for (int n = 0; n < 3; n++)
                    J[i][j] += (long double)R[3 * i + m] * k[place[m][n]] *
                               R[3 * j + n];
        }
}

/* x := J^-1 x by Cramer's rule */
static void
spin_of(long double J[3][3], long double x[3])
{
    long double y[3], det = 0;
    for (int i = 0; i < 3; i++) {
        int p = (i + 1) % 3, q = (i + 2) % 3;
        det += J[0][i] * (J[1][p] * J[2][q] - J[1][q] * J[2][p]);
        y[i] = 0;
        for (int j = 0; j < 3; j++) {
            int a = (j + 1) % 3, b = (j + 2) % 3;
            y[i] += (J[a][p] * J[b][q] - J[a][q] * J[b][p]) * x[j];
        }
    }
    for (int i = 0; i < 3; i++)
        x[i] = y[i] / det;
}

/* What a unit impulse does to body b of a contact, and what the body adds to
 * the mobility w and to the normal velocity un */
static void
side_of(struct rt *rt, const struct impact_problem *problem, uint32_t b,
        long double dv[3], long double dw[3], long double *w, long double *un)
{
    const struct impact_contact *k = &problem->contact[0];
    const struct impact_body *body = &problem->body[b];
    double R[9], mass = rt->env[rt_body(rt, b)->env_body];
    long double arm[3], J[3][3], lever[3];
    pose_rotation(rt, b, R);
    inertia_of(rt, b, R, J);
    for (int i = 0; i < 3; i++)
        arm[i] = (long double)(b ? k->q : k->p)[i] - body->centre[i];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        dw[i] = lever[i] = arm[j] * k->dir[l] - arm[l] * k->dir[j];
        dv[i] = k->dir[i] / (long double)mass;
    }
    spin_of(J, dw);
    for (int i = 0; i < 3; i++) {
        *w += lever[i] * dw[i] + dv[i] * k->dir[i];
        *un += (b ? 1 : -1) * (body->vel[i] * (long double)k->dir[i] +
                               body->spin[i] * lever[i]);
    }
}

/* One free contact: the formula of the impulse (Palffy-Muhoray et al. 2018,
 * eqs (7), (8)), and the screws agree to rounding. */
static void
formula(void **state)
{
    (void)state;
    struct run r;
    run(&r,
        "use shapes\n"
        "param a1 = 1 [m] param b1 = 1 [m] param c1 = 1 [m] param e = 1\n"
        "param a2 = 1 [m] param b2 = 1 [m] param c2 = 1 [m] param m = 1 [kg]\n"
        "body one : ellipsoid(a1, b1, c1) { mass = m\n"
        "  inertia = [0.9*m*a1^2, 0.1*m*a1^2, 0; 0.1*m*a1^2, m*a1^2, "
        "-0.2*m*a1^2; 0, -0.2*m*a1^2, 0.8*m*a1^2] }\n"
        "body two : ellipsoid(a2, b2, c2) { density = 3 position = (9, 0, 0) "
        "}\n"
        "contact c : one | two { restitution = e }\n",
        false);
    fine(&r);
    const char *n = getenv("IMP_TEST_CASES");
    long cases = n ? atol(n) : 2000, used = 0;
    struct rt *rt = r.d.run;
    struct analysis a = r.d.analysis;
    a.rt = rt;
    a.ds = &r.ds;
    double *p = NEW_N(r.a, double, driver_n_params(r.im) + 1);
    for (long i = 0; i < cases; i++) {
        /* a1 b1 c1 e a2 b2 c2 m */
        for (int k = 0; k < 8; k++)
            p[k] = k == 3 ? uniform(0, 1) : uniform(0.5, 2);
        assert_int_equal(rt_restart(rt, p), IMP_OK);
        for (uint32_t b = 0; b < 2; b++) {
            double *s = rt->env + rt_body(rt, b)->env_state, q = 0;
            for (int k = 0; k < 13; k++)
                s[k] = uniform(-1, 1);
            s[0] += b ? 6 : 0;
            for (int k = 3; k < 7; k++)
                q += s[k] * s[k];
            for (int k = 3; k < 7; k++)
                s[k] /= sqrt(q);
        }
        struct impact_of_run in;
        struct impact_solver *m;
        uint32_t contact = 0;
        assert_int_equal(impact_read(&a, &contact, 1, &in), IMP_OK);
        assert_int_equal(impact_prepare(&a, &in, &m), IMP_OK);
        double e = in.p.contact[0].e;
        long double w = 0, un = 0, dv[2][3], dw[2][3];
        for (uint32_t b = 0; b < 2; b++)
            side_of(rt, &in.p, b, dv[b], dw[b], &w, &un);
        if (un >= 0)
            continue;
        long double P = -(1 + (long double)e) * un / w;
        impact_solver_solve(m, IMP_IMPACT_NEWTON);
        used++;
        /* about 50 operations on numbers of the size of the terms */
        near(m->impulse.P[0], (double)P, 2e-14 * m->approach.speed / (double)w);
        near(m->delassus.G[0], (double)w, 2e-14 * (double)w);
        near(m->balance.energy[0] - m->balance.energy[1],
             (double)((1 - (long double)e * e) * un * un / (2 * w)),
             2e-14 * m->balance.energy[0]);
        for (int b = 0; b < 2; b++)
            for (int axis = 0; axis < 3; axis++) {
                const struct impact_body *body = &in.p.body[b];
                double size = (double)(P * w), sign = b ? 1 : -1;
                for (int j = 0; j < 3; j++)
                    size += fabs(body->vel[j]) + fabs(body->spin[j]) +
                            (double)(P * fabsl(dw[b][j]));
                near(m->velocity.twist[6 * b + axis],
                     (double)(body->spin[axis] + sign * P * dw[b][axis]),
                     1e-13 * size);
                near(m->velocity.twist[6 * b + 3 + axis],
                     (double)(body->vel[axis] + sign * P * dv[b][axis]),
                     1e-13 * size);
            }
    }
    assert_true(used > cases / 4);
    done(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cradle),    cmocka_unit_test(between),
        cmocka_unit_test(apart),     cmocka_unit_test(resting),
        cmocka_unit_test(singular),  cmocka_unit_test(gain),
        cmocka_unit_test(jointed),   cmocka_unit_test(flat),
        cmocka_unit_test(unwatched), cmocka_unit_test(formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
