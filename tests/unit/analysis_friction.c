/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems with friction against a program that shares nothing with them: a rod
 * whose tip stands on a moving belt, with equations, modes and impacts written
 * by hand. GSL's rk8pd follows each mode, in the six numbers of the rod; its
 * end is found by bisection, and the next mode by the four rows of Table 1 of
 * Champneys and Varkonyi. Friction falls with the speed of slip. And one box,
 * written in three ways. */
#include "analysis_help.h"

#ifdef HAVE_GSL
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#define STEP (1. / 64)
#define EVENTS 64

enum mode { FREE, STICK, PLUS, MINUS };

/* the half length of the rod is 1, its mass 1, gravity 10 */
struct rod {
    double inertia, spring;      /* the spring pulls the middle to X = 0 */
    double still, moving, speed; /* mu: at rest, at great speed, and how fast it
                                    falls */
    double belt, shake, pace;    /* V(t) = belt + shake sin(pace t) */
    double y[6], end;            /* X, Y, theta and their rates */
    enum mode mode;
};

/* The tip (X + cos, Y - sin): A, B, C, a, b of u' = a + A T + B N and
 * v' = b + B T + C N, and its velocities u (against the belt) and v. */
struct tip {
    double A, B, C, a, b, u, v;
};

static struct tip
tip_of(const struct rod *rod, double t, const double *y)
{
    double s = sin(y[2]), c = cos(y[2]), w = y[5], J = rod->inertia;
    return (struct tip){.A = 1 + s * s / J,
                        .B = s * c / J,
                        .C = 1 + c * c / J,
                        .a = -rod->spring * y[0] - c * w * w -
                             rod->shake * rod->pace * cos(rod->pace * t),
                        .b = s * w * w - 10,
                        .u = y[3] - s * w - rod->belt -
                             rod->shake * sin(rod->pace * t),
                        .v = y[4] - c * w};
}

static double
mu_at(const struct rod *rod, double u)
{
    return rod->moving +
           (rod->still - rod->moving) * exp(-fabs(u) / rod->speed);
}

/* the forces of this mode */
static void
forces(const struct rod *rod, enum mode mode, const struct tip *tip, double *N,
       double *T)
{
    double D = tip->A * tip->C - tip->B * tip->B, mu = mu_at(rod, tip->u);
    *N = *T = 0;
    if (mode == STICK) {
        *T = (tip->b * tip->B - tip->a * tip->C) / D;
        *N = (tip->a * tip->B - tip->A * tip->b) / D;
    } else if (mode != FREE) {
        double side = mode == PLUS ? -1 : 1;
        *N = -tip->b / (tip->C + side * mu * tip->B);
        *T = side * mu * *N;
    }
}

static int
right_side(double t, const double *y, double *dy, void *ctx)
{
    const struct rod *rod = ctx;
    struct tip tip = tip_of(rod, t, y);
    double N, T;
    forces(rod, rod->mode, &tip, &N, &T);
    memcpy(dy, y + 3, 3 * sizeof *dy);
    dy[3] = -rod->spring * y[0] + T;
    dy[4] = N - 10;
    dy[5] = -(N * cos(y[2]) + T * sin(y[2])) / rod->inertia;
    return GSL_SUCCESS;
}

/* What has to stay positive in this mode. */
static double
margin(const struct rod *rod, double t, const double *y)
{
    struct tip tip = tip_of(rod, t, y);
    double N, T;
    forces(rod, rod->mode, &tip, &N, &T);
    switch (rod->mode) {
    case FREE:
        return y[1] - sin(y[2]);
    case STICK:
        return fmin(N, rod->still * N - fabs(T));
    case PLUS:
        return fmin(N, tip.u);
    default:
        return fmin(N, -tip.u);
    }
}

static void
drive(struct rod *rod, double tol, double *y, double from, double to)
{
    gsl_odeiv2_system system = {right_side, NULL, 6, rod};
    gsl_odeiv2_driver *d = gsl_odeiv2_driver_alloc_y_new(
        &system, gsl_odeiv2_step_rk8pd, 0.1 * (to - from), tol, tol);
    assert_int_equal(gsl_odeiv2_driver_apply(d, &from, to, y), GSL_SUCCESS);
    gsl_odeiv2_driver_free(d);
}

/* An impact without restitution: normal impulses until v is 0, while the tip
 * slips, and then sticks or slips back. */
static void
land(struct rod *rod, double t, double *y)
{
    struct tip tip = tip_of(rod, t, y);
    double mu = mu_at(rod, tip.u), P = 0, Q = 0;
    if (tip.u != 0) {
        double side = tip.u > 0 ? -1 : 1, du = tip.B + side * mu * tip.A,
               dv = tip.C + side * mu * tip.B, I = -tip.v / dv;
        if (tip.u * du < 0)
            I = fmin(I, -tip.u / du);
        P = I;
        Q = side * mu * I;
        tip.u = I == -tip.u / du ? 0 : tip.u + du * I;
        tip.v += dv * I;
    }
    if (tip.u == 0 && tip.v < 0) {
        double ratio = -tip.B / tip.A;
        if (fabs(ratio) > mu)
            ratio = copysign(mu, ratio);
        double I = -tip.v / (tip.C + tip.B * ratio);
        P += I;
        Q += ratio * I;
    }
    y[3] += Q;
    y[4] += P;
    y[5] -= (P * cos(y[2]) + Q * sin(y[2])) / rod->inertia;
}

/* The mode in which the closed tip goes on, which stuck until now, rests, or
 * slips. Friction is far too small for a paradox. */
static enum mode
choose(struct rod *rod, double t, const double *y, enum mode before, bool rests)
{
    struct tip tip = tip_of(rod, t, y);
    double N, T;
    if (rests)
        tip.u = 0;
    if (tip.b > 0)
        return FREE;
    if (!rests)
        return tip.u > 0 ? PLUS : MINUS;
    forces(rod, STICK, &tip, &N, &T);
    if (before != STICK && N >= 0 && fabs(T) <= rod->still * N)
        return STICK;
    forces(rod, PLUS, &tip, &N, &T);
    return tip.a + tip.A * T + tip.B * N > 0 ? PLUS : MINUS;
}

struct changes {
    int n;
    double time[EVENTS];
    enum mode mode[EVENTS];
};

/* The end of the present mode is at *t: takes the next one. */
static void
change(struct rod *rod, double t, double *y, struct changes *out)
{
    struct tip tip = tip_of(rod, t, y);
    enum mode before = rod->mode;
    bool rests = before == STICK;
    double N, T;
    forces(rod, before, &tip, &N, &T);
    if (before == FREE) {
        double u = tip.u;
        land(rod, t, y);
        tip = tip_of(rod, t, y);
        rests = fabs(tip.u) < 1e-12 || tip.u * u < 0;
    } else if (before != STICK) {
        rests = fabs(tip.u) < fabs(N) * 1e-3;
    }
    rod->mode =
        before != FREE && N < 1e-9 ? FREE : choose(rod, t, y, before, rests);
    out->time[out->n] = t;
    out->mode[out->n++] = rod->mode;
}

/* False: modes end as soon as they begin, as this program sees it. */
static bool
reference(struct rod *rod, double tol, double *y, struct changes *out)
{
    double at[6], t = 0;
    struct rod own = *rod;
    out->n = 0;
    memcpy(y, rod->y, sizeof at);
    struct tip tip = tip_of(&own, 0, y);
    own.mode = choose(&own, 0, y, FREE, tip.u == 0);
    while (t < own.end) {
        double step = fmin(STEP, own.end - t), lo = 0, hi = step;
        bool ends;
        memcpy(at, y, sizeof at);
        drive(&own, tol, at, t, t + step);
        ends = margin(&own, t + step, at) < 0;
        while (ends && hi - lo > 1e-15) {
            double middle = 0.5 * (lo + hi);
            memcpy(at, y, sizeof at);
            drive(&own, tol, at, t, t + middle);
            if (margin(&own, t + middle, at) < 0)
                hi = middle;
            else
                lo = middle;
            if (middle == lo && hi - lo <= 4e-16 * (t + 1))
                break;
        }
        memcpy(at, y, sizeof at);
        drive(&own, tol, at, t, t + hi);
        memcpy(y, at, sizeof at);
        t += hi;
        if (ends && out->n == EVENTS)
            return false;
        if (ends)
            change(&own, t, y, out);
    }
    return true;
}

static void
model(const struct rod *rod, char *text, size_t room)
{
    int n = snprintf(
        text, room,
        "let l = 1 [m] let m = 1 [kg]\n"
        "system s { coordinate X, Y, theta\n"
        "kinetic = m*(X'^2 + Y'^2)/2 + %.17g*m*l^2*theta'^2/2\n"
        "potential = m*(10 [m/s^2])*Y + (%.17g [N/m])*X^2/2\n"
        "contact tip { gap = Y - l*sin(theta) restitution = 0\n"
        "slide = X + l*cos(theta) - (%.17g [m/s])*t + "
        "(%.17g [m])*cos((%.17g [1/s])*t)\n"
        "friction = %.17g + %.17g*exp(-slip/(%.17g [m/s])) }\n"
        "start { X = %.17g Y = %.17g theta = %.17g X' = %.17g Y' = %.17g "
        "theta' = %.17g } }\n"
        "let r = simulate { until = %.17g at = %.17g record = (s.X, s.Y, "
        "s.theta, s.X', s.Y', s.theta', s.tip.mode) }\n",
        rod->inertia, rod->spring, rod->belt, rod->shake / rod->pace, rod->pace,
        rod->moving, rod->still - rod->moving, rod->speed, rod->y[0], rod->y[1],
        rod->y[2], rod->y[3], rod->y[4], rod->y[5], rod->end, rod->end);
    assert_true(n > 0 && (size_t)n < room);
}

static unsigned seed = 11;
static double
draw(double lo, double hi)
{
    seed = seed * 1664525u + 1013904223u;
    return lo + (hi - lo) * (seed >> 8) / 16777216.;
}

/* The tip touches, sticks at first in one of three, and has no normal speed. */
static struct rod
random_rod(int k)
{
    struct rod rod = {.inertia = draw(0.3, 1),
                      .spring = draw(0, 20),
                      .moving = draw(0.05, 0.4),
                      .speed = draw(0.2, 2),
                      .belt = draw(-1, 1),
                      .shake = draw(-1, 1),
                      .pace = draw(1, 8),
                      .end = 1.2};
    rod.still = rod.moving + draw(0, 0.3);
    double theta = draw(0.9, 2.2), w = draw(-1, 1);
    const double y[6] = {draw(-0.5, 0.5), sin(theta), theta, 0,
                         cos(theta) * w,  w};
    memcpy(rod.y, y, sizeof y);
    rod.y[3] = k % 3 ? draw(-2, 2) : rod.belt + sin(theta) * w;
    return rod;
}

/* The greatest difference of times of changes and of the state at the end.
 * *events: how many changes; -1: the reference has failed. */
static double
compare(const struct rod *rod, int *events)
{
    static const char *const name[] = {"s_X",     "s_Y",     "s_theta",
                                       "s_X_dot", "s_Y_dot", "s_theta_dot"};
    struct changes fine_ones, coarse_ones;
    char text[2048];
    double y[6], coarse[6], off = 0, own = 0;
    struct rod copy = *rod;
    struct run r;
    *events = -1;
    if (!reference(&copy, 1e-14, y, &fine_ones) ||
        !reference(&copy, 1e-11, coarse, &coarse_ones))
        return 0;
    for (int i = 0; i < 6; i++)
        own = fmax(own, fabs(y[i] - coarse[i]));
    model(rod, text, sizeof text);
    run(&r, text, false);
    if (r.status != IMP_EXIT_OK)
        print_message("%s", text);
    fine(&r);
    const struct field_value *times = field(&r, 0, "event_times");
    for (int i = 0; i < 6; i++) {
        const struct field_value *v = field(&r, 0, name[i]);
        off = fmax(off, fabs(v->num[v->n - 1] - y[i]));
    }
    for (int k = 0; k < fine_ones.n; k++) {
        double nearest = INFINITY;
        for (size_t i = 0; i < times->n; i++)
            nearest = fmin(nearest, fabs(times->num[i] - fine_ones.time[k]));
        off = fmax(off, nearest);
    }
    *events = fine_ones.n;
    if (!(off <= 1e-10 + 10 * own)) {
        for (int k = 0; k < fine_ones.n; k++)
            print_message("%.12g: %d\n", fine_ones.time[k], fine_ones.mode[k]);
        fail_msg("off by %g, the reference by %g:\n%s", off, own, text);
    }
    done(&r);
    return off;
}

static void
random_rods(void **state)
{
    (void)state;
    const char *wanted = getenv("IMP_TEST_CASES");
    double worst = 0;
    int all = 0, n = wanted ? atoi(wanted) : 40, failed = 0;
    for (int k = 0; k < n; k++) {
        struct rod rod = random_rod(k);
        int events;
        worst = fmax(worst, compare(&rod, &events));
        all += events > 0 ? events : 0;
        failed += events < 0;
    }
    print_message("off by %.2g at most, %d changes of mode\n", worst, all);
    assert_true((wanted || all > 60) && failed <= n / 50);
}

/* -- one box, three ways ----------------------------------------------------
 */

struct box {
    double width, height, mu, e, place[3], speed[3], end;
    const char *law;
};

static int
begin(const struct box *box, char *text, size_t room)
{
    int n = snprintf(text, room,
                     "use shapes\nworld { gravity = (0, -9.81) law = %s }\n"
                     "let w = %.17g [m] let h = %.17g [m]\n"
                     "let J = (2 [kg])*(w^2 + h^2)/12\n",
                     box->law, box->width, box->height);
    assert_true(n > 0 && (size_t)n < room);
    return n;
}

static void
as_system(const struct box *box, char *text, size_t room)
{
    static const char *const at[] = {"+ +", "+ -", "- +", "- -"};
    int n = begin(box, text, room);
    n += snprintf(text + n, room - (size_t)n,
                  "system s { coordinate X, Y, phi\n"
                  "kinetic = (1 [kg])*(X'^2 + Y'^2) + J*phi'^2/2\n"
                  "potential = (2 [kg])*(9.81 [m/s^2])*Y\n");
    for (int i = 0; i < 4; i++)
        n += snprintf(text + n, room - (size_t)n,
                      "point p%d = (X %c w/2*cos(phi) - (0 %c h/2)*sin(phi), "
                      "Y %c w/2*sin(phi) + (0 %c h/2)*cos(phi))\n"
                      "contact c%d : p%d | half_plane { friction = %.17g "
                      "restitution = %.17g }\n",
                      i, at[i][0], at[i][2], at[i][0], at[i][2], i, i, box->mu,
                      box->e);
    n += snprintf(text + n, room - (size_t)n,
                  "start { X = %.17g Y = %.17g phi = %.17g X' = %.17g Y' = "
                  "%.17g phi' = %.17g } }\nlet r = simulate { until = %.17g "
                  "at = %.17g record = (s.X, s.Y, s.phi, s.X', s.Y', s.phi') "
                  "}\n",
                  box->place[0], box->place[1], box->place[2], box->speed[0],
                  box->speed[1], box->speed[2], box->end, box->end);
    assert_true((size_t)n < room);
}

static void
as_body(const struct box *box, bool level, char *text, size_t room)
{
    int n = begin(box, text, room);
    n += snprintf(
        text + n, room - (size_t)n,
        "shape block(a, b) = max(2*abs(x)/a, 2*abs(y)/b) - 1\n"
        "body floor : half_plane { fixed = true }\n"
        "body s : %s { mass = 2 inertia = J position = (%.17g, %.17g) angle = "
        "%.17g velocity = (%.17g, %.17g) spin = %.17g }\n"
        "contact c : floor | s { friction = %.17g restitution = %.17g }\n"
        "let r = simulate { until = %.17g at = %.17g record = (s.position[0], "
        "s.position[1], s.angle, s.velocity[0], s.velocity[1], s.spin) }\n",
        level ? "block(w, h)"
              : "polygon((-w/2, -h/2), (w/2, -h/2), (w/2, h/2), (-w/2, h/2))",
        box->place[0], box->place[1], box->place[2], box->speed[0],
        box->speed[1], box->speed[2], box->mu, box->e, box->end, box->end);
    assert_true((size_t)n < room);
}

/* The state at the end into y. Returns a bound of what limits of chatter have
 * cost; INFINITY: the record says of one that nothing bounds its error. */
static double
state_of(const char *text, const char *const *name, double *y)
{
    struct run r;
    run(&r, text, false);
    if (r.status != IMP_EXIT_OK)
        print_message("%s", text);
    fine(&r);
    const struct field_value *errors = field(&r, 0, "state_errors");
    double bound = 0;
    for (int i = 0; i < 6; i++) {
        const struct field_value *v = field(&r, 0, name[i]);
        y[i] = v->num[v->n - 1];
    }
    size_t limits = field(&r, 0, "limit_times")->n;
    for (size_t i = 0; i < errors->n; i++)
        bound += errors->num[i];
    bound = errors->n == limits ? bound : INFINITY;
    done(&r);
    return bound;
}

/* Boxes that are thrown on a floor, with and without restitution, end alike as
 * systems of points, as polygons and as bodies of a level set. */
static void
boxes_three_ways(void **state)
{
    (void)state;
    static const char *const of_system[] = {"s_X",     "s_Y",     "s_phi",
                                            "s_X_dot", "s_Y_dot", "s_phi_dot"},
                             *const of_body[] = {"s_position_0", "s_position_1",
                                                 "s_angle",      "s_velocity_0",
                                                 "s_velocity_1", "s_spin"},
                             *const laws[] = {"sequential", "poisson",
                                              "complementarity"};
    const char *wanted = getenv("IMP_TEST_CASES");
    double worst = 0;
    int cases = wanted ? atoi(wanted) : 30, bounded = 0;
    for (int k = 0; k < cases; k++) {
        struct box box = {.width = draw(0.2, 0.6),
                          .height = draw(0.2, 0.6),
                          .mu = draw(0.05, 1),
                          .e = k % 2 ? draw(0.1, 0.6) : 0,
                          .place = {0, draw(0.45, 0.6), draw(-3, 3)},
                          .speed = {draw(-2, 2), 0, draw(-3, 3)},
                          .end = draw(0.3, 0.9),
                          .law = laws[k % 3]};
        char text[4096];
        double one[6], two[6], three[6];
        as_system(&box, text, sizeof text);
        double bound = state_of(text, of_system, one);
        as_body(&box, true, text, sizeof text);
        bound += state_of(text, of_body, three);
        as_body(&box, false, text, sizeof text);
        bound += state_of(text, of_body, two);
        bounded += isfinite(bound) ? 1 : 0;
        for (int i = 0; i < 6; i++) {
            double off = fmax(fabs(one[i] - two[i]), fabs(two[i] - three[i]));
            if (!(off <= 1e-7))
                fail_msg("case %d, number %d: off by %g:\n%s", k, i, off,
                         text);
            if (!(off <= 1e-10 + 30 * bound))
                fail_msg("case %d, number %d: off by %g, bound %g:\n%s", k, i,
                         off, bound, text);
            worst = fmax(worst, off);
        }
    }
    print_message("off by %.2g at most, %d of %d with a bound\n", worst,
                  bounded, cases);
    assert_true(2 * bounded >= cases);
}
#else
static void
random_rods(void **state)
{
    (void)state;
    skip();
}
#define boxes_three_ways random_rods
#endif

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_rods),
                                       cmocka_unit_test(boxes_three_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
