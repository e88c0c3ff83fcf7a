/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identities of tangential collisions on random input, through the C API: one
 * model, its axes, poses and motions as params of one compiled object.
 *   - both bodies' discriminants agree: a_P - max_P = a_Q - max_Q = D
 *   - constructed C00 contacts (both roots of D = 0) are found C00, and their
 *     jerk is the same when the bodies change places
 *   - verdict and coefficients do not change with the order of the bodies, under
 *     rigid motions and under a Galilean boost
 * (Palffy-Muhoray et al. 2018; tangential.md 0.C, 0.D). The contacts are
 * constructed here from the support functions, by code that shares nothing with Imp. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "imp/imp.h"


static const char model_text[] =
    "use shapes\n"
    "param a1 = 1 [m]  param b1 = 1 [m]  param c1 = 1 [m]\n"
    "param a2 = 1 [m]  param b2 = 1 [m]  param c2 = 1 [m]\n"
    "param x1 = 0 [m]  param y1 = 0 [m]  param z1 = 0 [m]\n"
    "param x2 = 3 [m]  param y2 = 0 [m]  param z2 = 0 [m]\n"
    "param qw1 = 1 param qx1 = 0 param qy1 = 0 param qz1 = 0\n"
    "param qw2 = 1 param qx2 = 0 param qy2 = 0 param qz2 = 0\n"
    "param ux1 = 0 [m/s] param uy1 = 0 [m/s] param uz1 = 0 [m/s]\n"
    "param ux2 = 0 [m/s] param uy2 = 0 [m/s] param uz2 = 0 [m/s]\n"
    "param wx1 = 0 [1/s] param wy1 = 0 [1/s] param wz1 = 0 [1/s]\n"
    "param wx2 = 0 [1/s] param wy2 = 0 [1/s] param wz2 = 0 [1/s]\n"
    "body one : ellipsoid(a1, b1, c1) {\n"
    "  density = 1  position = (x1, y1, z1)\n"
    "  quaternion = (qw1, qx1, qy1, qz1)\n"
    "  velocity = (ux1, uy1, uz1)  spin = (wx1, wy1, wz1)\n"
    "}\n"
    "body two : ellipsoid(a2, b2, c2) {\n"
    "  density = 1  position = (x2, y2, z2)\n"
    "  quaternion = (qw2, qx2, qy2, qz2)\n"
    "  velocity = (ux2, uy2, uz2)  spin = (wx2, wy2, wz2)\n"
    "}\n"
    "contact touch : one | two\n"
    "let r = classify touch { until = 1 }\n";

/* ---- random input ------------------------------------------------------- */

static uint64_t rng = 88172645463325252u;

static double
uniform(double lo, double hi)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return lo + (hi - lo) * ((double)(rng >> 11) * 0x1p-53);
}

typedef struct {
    double v[3];
} vec;

static vec
add(vec a, vec b, double s)
{
    for (int i = 0; i < 3; i++)
        a.v[i] += s * b.v[i];
    return a;
}

static double
dot(vec a, vec b)
{
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

static vec
cross(vec a, vec b)
{
    return (vec){{a.v[1] * b.v[2] - a.v[2] * b.v[1],
                  a.v[2] * b.v[0] - a.v[0] * b.v[2],
                  a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

static vec
scale(vec a, double s)
{
    return (vec){{a.v[0] * s, a.v[1] * s, a.v[2] * s}};
}

static vec
random_vec(double r)
{
    return (vec){{uniform(-r, r), uniform(-r, r), uniform(-r, r)}};
}

static vec
random_unit(void)
{
    for (;;) {
        vec a = random_vec(1);
        double n = sqrt(dot(a, a));
        if (n > 0.1 && n <= 1)
            return scale(a, 1 / n);
    }
}

struct quat {
    double q[4];
};

static struct quat
random_quat(void)
{
    for (;;) {
        struct quat q;
        double n = 0;
        for (int i = 0; i < 4; i++) {
            q.q[i] = uniform(-1, 1);
            n += q.q[i] * q.q[i];
        }
        if (n > 0.1 && n <= 1) {
            for (int i = 0; i < 4; i++)
                q.q[i] /= sqrt(n);
            return q;
        }
    }
}

static struct quat
quat_mul(struct quat a, struct quat b)
{
    const double *p = a.q, *q = b.q;
    return (struct quat){
        {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
         p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
         p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
         p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]}};
}

/* body to world */
static vec
rotate(struct quat r, vec a)
{
    vec u = {{r.q[1], r.q[2], r.q[3]}};
    vec c = scale(cross(u, a), 2);
    return add(add(a, c, r.q[0]), cross(u, c), 1);
}

static vec
unrotate(struct quat r, vec a)
{
    struct quat i = {{r.q[0], -r.q[1], -r.q[2], -r.q[3]}};
    return rotate(i, a);
}

/* ---- bodies, constructed contacts --------------------------------------- */

struct solid {
    double axes[3];
    vec x, v, w;
    struct quat q;
};
struct scene {
    struct solid s[2];
};

/* support point of an ellipsoid along world direction n, relative to centre */
static vec
support(const struct solid *s, vec n)
{
    vec m = unrotate(s->q, n), p;
    double h = 0;
    for (int i = 0; i < 3; i++)
        h += s->axes[i] * s->axes[i] * m.v[i] * m.v[i];
    h = sqrt(h);
    for (int i = 0; i < 3; i++)
        p.v[i] = s->axes[i] * s->axes[i] * m.v[i] / h;
    return rotate(s->q, p);
}

/* Hess G/|grad G| times e, and third derivatives are zero: an ellipsoid */
static vec
hess(const struct solid *s, vec p, vec e)
{
    vec b = unrotate(s->q, p), f = unrotate(s->q, e);
    double g = 0;
    for (int i = 0; i < 3; i++) {
        double a2 = s->axes[i] * s->axes[i];
        g += b.v[i] * b.v[i] / (a2 * a2);
        f.v[i] /= a2;
    }
    return scale(rotate(s->q, f), 1 / sqrt(g));
}

/* acceleration of the material point at p (relative to the centre): Euler's
 * equations of the homogeneous ellipsoid, no gravity */
static vec
acceleration(const struct solid *s, vec p)
{
    const double *a = s->axes;
    double J[3] = {a[1] * a[1] + a[2] * a[2], a[0] * a[0] + a[2] * a[2],
                   a[0] * a[0] + a[1] * a[1]};
    vec w = unrotate(s->q, s->w), d;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        d.v[i] = (J[j] - J[k]) * w.v[j] * w.v[k] / J[i];
    }
    vec wd = rotate(s->q, d);
    return add(cross(wd, p), cross(s->w, cross(s->w, p)), 1);
}

struct contact {
    vec n, p, q;
};

/* puts body 2 in contact with body 1, normal n */
static struct contact
put_in_contact(struct scene *sc, vec n)
{
    struct contact c;
    c.n = n;
    c.p = support(&sc->s[0], n);
    c.q = support(&sc->s[1], scale(n, -1));
    sc->s[1].x = add(add(sc->s[0].x, c.p, 1), c.q, -1);
    return c;
}

static vec
point_velocity(const struct solid *s, vec p)
{
    return add(s->v, cross(s->w, p), 1);
}

/* D by the corrected formulas, Q side (tangential.md 0.C) */
static double
discriminant(const struct scene *sc, const struct contact *c)
{
    const struct solid *s1 = &sc->s[0], *s2 = &sc->s[1];
    vec n = c->n;
    vec V = add(point_velocity(s2, c->q), point_velocity(s1, c->p), -1);
    vec A = add(acceleration(s2, c->q), acceleration(s1, c->p), -1);
    vec H1V = hess(s1, c->p, V);
    double a = dot(n, A) + 2 * dot(cross(s1->w, n), V) + dot(V, H1V);
    vec b = add(cross(n, add(s2->w, s1->w, -1)), H1V, 1);
    vec t1 = cross(n, fabs(n.v[0]) < 0.6 ? (vec){{1, 0, 0}}
                                         : (vec){{0, 1, 0}});
    t1 = scale(t1, 1 / sqrt(dot(t1, t1)));
    vec t2 = cross(n, t1);
    vec h1 = add(hess(s1, c->p, t1), hess(s2, c->q, t1), 1);
    vec h2 = add(hess(s1, c->p, t2), hess(s2, c->q, t2), 1);
    double s11 = dot(t1, h1), s12 = dot(t1, h2), s22 = dot(t2, h2);
    double b1 = dot(b, t1), b2 = dot(b, t2);
    double det = s11 * s22 - s12 * s12;
    return a - (s22 * b1 * b1 - 2 * s12 * b1 * b2 + s11 * b2 * b2) / det;
}

/* moves body 2 so that the relative velocity of the contact points is V */
static void
set_relative(struct scene *sc, const struct contact *c, vec V)
{
    vec now = add(point_velocity(&sc->s[1], c->q),
                  point_velocity(&sc->s[0], c->p), -1);
    sc->s[1].v = add(add(sc->s[1].v, now, -1), V, 1);
}

static struct scene
random_scene(void)
{
    struct scene sc;
    for (int i = 0; i < 2; i++) {
        struct solid *s = &sc.s[i];
        for (int k = 0; k < 3; k++)
            s->axes[k] = uniform(0.6, 2);
        s->x = random_vec(1);
        s->v = random_vec(1);
        s->w = random_vec(1);
        s->q = random_quat();
    }
    return sc;
}

/* ---- asking Imp ---------------------------------------------------------- */

struct verdict {
    char class[16];
    double v, D, jerk, a_P, a_Q, max_P, max_Q, series[9];
};

static void
set3(imp *h, const char *stem, int body, vec x)
{
    char name[16];
    const char *axis = "xyz";
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%c%d", stem, axis[i], body);
        assert_int_equal(imp_set(h, name, x.v[i]), IMP_FINE);
    }
}

static double
get(imp *h, const char *path)
{
    double x = 0;
    if (imp_get(h, path, &x) != IMP_FINE)
        fail_msg("no number %s", path);
    return x;
}

static struct verdict
ask(imp *h, const struct scene *sc)
{
    char name[16];
    for (int i = 0; i < 2; i++) {
        const struct solid *s = &sc->s[i];
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "%c%d", "abc"[k], i + 1);
            assert_int_equal(imp_set(h, name, s->axes[k]), IMP_FINE);
        }
        for (int k = 0; k < 4; k++) {
            snprintf(name, sizeof name, "q%c%d", "wxyz"[k], i + 1);
            assert_int_equal(imp_set(h, name, s->q.q[k]), IMP_FINE);
        }
        set3(h, "", i + 1, s->x);
        set3(h, "u", i + 1, s->v);
        set3(h, "w", i + 1, s->w);
    }
    int st = imp_run(h);
    if (st != IMP_FINE)
        fail_msg("imp_run: %d\n%s", st, imp_diagnostics(h, NULL));
    struct verdict r;
    const char *class = imp_get_text(h, "r.class");
    assert_non_null(class);
    snprintf(r.class, sizeof r.class, "%s", class);
    r.v = get(h, "r.v");
    r.D = get(h, "r.D");
    r.jerk = get(h, "r.jerk");
    r.a_P = get(h, "r.a_P");
    r.a_Q = get(h, "r.a_Q");
    r.max_P = get(h, "r.max_P");
    r.max_Q = get(h, "r.max_Q");
    for (int k = 0; k <= 8; k++) {
        snprintf(name, sizeof name, "r.gap_series[%d]", k);
        r.series[k] = get(h, name);
    }
    return r;
}

static void
near(double a, double b, double tol, const char *what)
{
    if (!(fabs(a - b) <= tol))
        fail_msg("%s: %.17g against %.17g (off by %g, allowed %g)", what, a, b,
                 a - b, tol);
}

static size_t
cases(size_t n)
{
    const char *s = getenv("IMP_TEST_CASES");
    return s ? (size_t)strtoul(s, NULL, 10) : n;
}

static imp *
load(void)
{
    imp *h = imp_new();
    assert_non_null(h);
    assert_int_equal(imp_option(h, "cache", "0"), IMP_FINE);
    if (imp_load_text(h, "pairs.imp", model_text, sizeof model_text - 1) !=
        IMP_FINE)
        fail_msg("%s", imp_diagnostics(h, NULL));
    return h;
}

/* ---- the identities ------------------------------------------------------ */

/* random spins and relative velocities are of order 1..10, curvatures up to
 * 2/0.36: coefficients are sums of terms up to about 1e3; rounding of the
 * constructed data (16 digits) enters with the condition of S */
#define TOL_D 1e-9

static void
both_discriminants_agree(void **state)
{
    (void)state;
    imp *h = load();
    for (size_t i = 0, n = cases(10000); i < n; i++) {
        struct scene sc = random_scene();
        struct contact c = put_in_contact(&sc, random_unit());
        vec V = random_vec(1);
        set_relative(&sc, &c, add(V, c.n, -dot(V, c.n)));
        struct verdict r = ask(h, &sc);
        double D = discriminant(&sc, &c);
        double size = 1 + fabs(r.max_P) + fabs(r.max_Q);
        near(r.a_P - r.max_P, r.a_Q - r.max_Q, TOL_D * size, "D of P and Q");
        near(r.D, D, TOL_D * size, "D against the formula");
        near(2 * r.series[2], D, TOL_D * size, "D against the jet");
        near(6 * r.series[3], r.jerk, 1e-7 * (size + fabs(r.jerk)), "jerk");
        const char *class = D > 0 ? "C0+" : "C0-";
        if (fabs(D) > 1e-6)
            assert_string_equal(r.class, class);
    }
    imp_free(h);
}

/* scales the relative velocity so that D = 0: D is quadratic in the scale.
 * Returns the number of roots */
static int
roots_of_D(struct scene *sc, const struct contact *c, vec V, double root[2])
{
    double d[3];
    for (int k = 0; k < 3; k++) {
        set_relative(sc, c, scale(V, (double)(k - 1)));
        d[k] = discriminant(sc, c);
    }
    double a = (d[2] + d[0]) / 2 - d[1], b = (d[2] - d[0]) / 2, e = d[1];
    double disc = b * b - 4 * a * e;
    if (fabs(a) < 1e-3 || disc < 1e-2)
        return 0;
    double q = -(b + copysign(sqrt(disc), b)) / 2;
    root[0] = q / a;
    root[1] = e / q;
    return fabs(root[0]) < 20 && fabs(root[1]) < 20 ? 2 : 0;
}

static struct scene
swapped(const struct scene *sc)
{
    struct scene o = {{sc->s[1], sc->s[0]}};
    return o;
}

static void
constructed_c00(void **state)
{
    (void)state;
    imp *h = load();
    for (size_t i = 0, n = cases(5000), done = 0; done < n && i < 100 * n;
         i++) {
        struct scene sc = random_scene();
        struct contact c = put_in_contact(&sc, random_unit());
        vec V = random_vec(1);
        V = add(V, c.n, -dot(V, c.n));
        double root[2];
        if (roots_of_D(&sc, &c, V, root) != 2)
            continue;
        done++;
        for (int k = 0; k < 2; k++) {
            set_relative(&sc, &c, scale(V, root[k]));
            struct verdict r = ask(h, &sc);
            assert_string_equal(r.class, "C00");
            struct scene other = swapped(&sc);
            struct verdict s = ask(h, &other);
            assert_string_equal(s.class, "C00");
            double size = 1 + fabs(r.jerk) + r.max_P + r.max_Q;
            near(r.jerk, s.jerk, 1e-8 * size * size, "jerk of both sides");
            near(r.a_P, s.a_Q, TOL_D * size, "a_P becomes a_Q");
            /* in C00 a_P, a_Q >= 0 always: each equals a maximum */
            assert_true(r.a_P > -TOL_D * size && r.a_Q > -TOL_D * size);
        }
    }
    imp_free(h);
}

static void
frames_do_not_matter(void **state)
{
    (void)state;
    imp *h = load();
    for (size_t i = 0, n = cases(10000); i < n; i++) {
        struct scene sc = random_scene();
        struct contact c = put_in_contact(&sc, random_unit());
        vec V = random_vec(1);
        bool normal = i % 3 == 0; /* one in three approaches */
        V = add(V, c.n, -dot(V, c.n) - (normal ? uniform(0.01, 1) : 0));
        set_relative(&sc, &c, V);
        struct verdict r = ask(h, &sc);
        struct quat turn = random_quat();
        vec shift = random_vec(5), boost = random_vec(5);
        for (int k = 0; k < 2; k++) {
            struct solid *s = &sc.s[k];
            s->x = add(rotate(turn, s->x), shift, 1);
            s->v = add(rotate(turn, s->v), boost, 1);
            s->w = rotate(turn, s->w);
            s->q = quat_mul(turn, s->q);
        }
        struct verdict t = ask(h, &sc);
        double size = 1 + fabs(r.max_P) + fabs(r.max_Q);
        assert_string_equal(r.class, t.class);
        near(r.v, t.v, 1e-12 * size, "v");
        near(r.D, t.D, TOL_D * size, "D");
        near(r.jerk, t.jerk, 1e-7 * size * size, "jerk");
    }
    imp_free(h);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_discriminants_agree),
        cmocka_unit_test(constructed_c00),
        cmocka_unit_test(frames_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
