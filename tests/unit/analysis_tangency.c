/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paper's formulas on plain arrays: printed examples, the disc on the wall,
 * and identities on random free ellipsoids at contact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/collision/tangency_formulas.h"
#include "runtime/numerics/vec3.h"

#define CASES 10000

static void
near_at(double x, double y, double tol, int line)
{
    if (fabs(x - y) <= tol)
        return;
    fail_msg("line %d: %.17g, not %.17g, off by %g, allowed %g", line, x, y,
             x - y, tol);
}
#define near(x, y, tol) near_at(x, y, tol, __LINE__)

/* splitmix64, in [-1, 1) */
static uint64_t seed = 20181;
static double
rnd(void)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) / 4503599627370496.0 - 1.0;
}
static void
rnd3(double v[3], double size)
{
    for (int i = 0; i < 3; i++)
        v[i] = size * rnd();
}
static void
rnd_rotation(double R[9])
{
    double q[4], l = 0.0;
    for (int i = 0; i < 4; i++)
        q[i] = rnd();
    for (int i = 0; i < 4; i++)
        l += q[i] * q[i];
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(l);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),
                         2 * (x * z + w * y),     2 * (x * y + w * z),
                         1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),
                         1 - 2 * (x * x + y * y)};
    memcpy(R, m, sizeof m);
}
static void
turn(double r[3], const double R[9], const double v[3])
{
    mat3_apply(R, v, r);
}
static void
turn_back(double r[3], const double R[9], const double v[3])
{
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
    vec3_copy(x, r);
}

/* ellipsoid (or ellipse) at `centre`: level set at the world point */
static void
level(struct tangency_body *b, const double axes[3])
{
    double d[3], x[3];
    vec3_sub(b->point, b->centre, d);
    turn_back(x, b->rot, d);
    memset(b->hess, 0, sizeof b->hess);
    memset(b->third, 0, sizeof b->third);
    for (int i = 0; i < 3; i++) {
        double k = axes[i] > 0.0 ? 2.0 / (axes[i] * axes[i]) : 0.0;
        b->grad[i] = k * x[i];
        b->hess[4 * i] = k;
    }
}

/* free motion: spin derivatives by Euler's equations, J in shape axes */
static void
euler(struct tangency_body *b, const double J[3])
{
    double w[3], a[3], j[3];
    turn_back(w, b->rot, b->spin);
    double d[3] = {(J[1] - J[2]) / J[0], (J[2] - J[0]) / J[1],
                   (J[0] - J[1]) / J[2]};
    for (int i = 0; i < 3; i++)
        a[i] = d[i] * w[(i + 1) % 3] * w[(i + 2) % 3];
    for (int i = 0; i < 3; i++)
        j[i] = d[i] * (a[(i + 1) % 3] * w[(i + 2) % 3] +
                       w[(i + 1) % 3] * a[(i + 2) % 3]);
    /* the derivative in world axes of w(t) = R W: R W' (w x w = 0), then
     * R W'' + w x (R W') */
    turn(b->spin1, b->rot, a);
    turn(b->spin2, b->rot, j);
    vec3_add_scaled_cross(1.0, b->spin, b->spin1, b->spin2);
}

struct pair {
    struct tangency_body b[2];
    double axes[2][3], J[2][3];
};

/* two ellipsoids touching with normal n of the first; relative velocity V of
 * the contact points is tangential */
static void
set_up(struct pair *p, const double n[3], const double V[3])
{
    double x[2][3];
    for (int i = 0; i < 2; i++) {
        struct tangency_body *b = &p->b[i];
        double m[3], s = 0.0, loc[3], nn[3];
        for (int k = 0; k < 3; k++)
            nn[k] = i ? -n[k] : n[k];
        turn_back(m, b->rot, nn);
        for (int k = 0; k < 3; k++)
            s += p->axes[i][k] * p->axes[i][k] * m[k] * m[k];
        for (int k = 0; k < 3; k++)
            loc[k] = p->axes[i][k] * p->axes[i][k] * m[k] / sqrt(s);
        turn(x[i], b->rot, loc);
    }
    for (int k = 0; k < 3; k++) {
        p->b[0].point[k] = p->b[1].point[k] = p->b[0].centre[k] + x[0][k];
        p->b[1].centre[k] = p->b[1].point[k] - x[1][k];
    }
    /* v2 = V + v1 + w1 x p - w2 x q */
    vec3_copy(V, p->b[1].vel);
    vec3_add_scaled(1.0, p->b[0].vel, p->b[1].vel);
    vec3_add_scaled_cross(1.0, p->b[0].spin, x[0], p->b[1].vel);
    vec3_add_scaled_cross(-1.0, p->b[1].spin, x[1], p->b[1].vel);
    for (int i = 0; i < 2; i++) {
        level(&p->b[i], p->axes[i]);
        euler(&p->b[i], p->J[i]);
    }
}

static void
random_pair(struct pair *p, double n[3], double V[3])
{
    memset(p, 0, sizeof *p);
    rnd3(n, 1.0);
    double l = vec3_norm(n);
    for (int k = 0; k < 3; k++)
        n[k] /= l;
    rnd3(V, 1.0);
    vec3_add_scaled(-vec3_dot(V, n), n, V);
    for (int i = 0; i < 2; i++) {
        double s = 0.0;
        for (int k = 0; k < 3; k++) {
            p->axes[i][k] = 1.25 + 0.75 * rnd();
            s += p->axes[i][k] * p->axes[i][k];
        }
        for (int k = 0; k < 3; k++)
            p->J[i][k] = s - p->axes[i][k] * p->axes[i][k];
        rnd_rotation(p->b[i].rot);
        rnd3(p->b[i].spin, 1.0);
    }
    rnd3(p->b[0].centre, 1.0);
    rnd3(p->b[0].vel, 1.0);
    set_up(p, n, V);
}

static void
read_pair(const struct pair *p, struct tangency *t)
{
    assert_true(tangency_compute(&p->b[0], &p->b[1], false, t));
    assert_true(t->definite);
    near(t->v, 0.0, 1e-13 * t->v_size);
}

/* D seen from both bodies, eq. (146) */
static void
both_discriminants(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct pair p;
        struct tangency t;
        double n[3], V[3];
        random_pair(&p, n, V);
        read_pair(&p, &t);
        near(t.D_P, t.D_Q, 1e-13 * t.condition * t.D_size);
        /* the true third derivative is one as well */
        near(t.jerk_P, t.jerk_Q, 1e-12 * t.condition * t.condition * t.j_size);
        assert_true(t.max_P >= 0.0 && t.max_Q >= 0.0);
        for (int k = 0; k < 2; k++) {
            double s = t.S[2 * k] * vec3_dot(t.t1, t.V) +
                       t.S[2 * k + 1] * vec3_dot(t.t2, t.V);
            near(t.b_Q[k] - t.b_P[k], s, 1e-13 * t.D_size);
        }
    }
}

/* spin of body 2 such that D = 0: D is quadratic in s along a line of spins */
static int
make_C00(struct pair *p, const double n[3], const double V[3], double roots[2])
{
    double base[3], dir[3], D[3];
    struct tangency t;
    vec3_copy(p->b[1].spin, base);
    rnd3(dir, 2.0);
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++)
            p->b[1].spin[j] = base[j] + (k - 1) * dir[j];
        set_up(p, n, V);
        read_pair(p, &t);
        D[k] = t.D;
    }
    double a = (D[0] + D[2]) / 2.0 - D[1], b = (D[2] - D[0]) / 2.0, c = D[1];
    double disc = b * b - 4.0 * a * c;
    if (!(disc > 1e-2) || fabs(a) < 1e-2)
        return 0;
    double q = -(b + copysign(sqrt(disc), b)) / 2.0;
    roots[0] = q / a;
    roots[1] = c / q;
    for (int k = 0; k < 2; k++) {
        if (!(fabs(roots[k]) < 20.0))
            return 0;
    }
    /* what is left: the spins go into dir, base */
    vec3_copy(base, p->b[1].spin);
    vec3_copy(dir, p->b[1].jerk); /* kept here for the caller */
    return 2;
}

/* in C00 both sides give one j*, and a_P, a_Q are not negative */
static void
one_jerk_in_C00(void **state)
{
    (void)state;
    int cases = 0;
    while (cases < CASES) {
        struct pair p;
        double n[3], V[3], roots[2], base[3], dir[3];
        random_pair(&p, n, V);
        if (!make_C00(&p, n, V, roots))
            continue;
        vec3_copy(p.b[1].spin, base);
        vec3_copy(p.b[1].jerk, dir);
        memset(p.b[1].jerk, 0, sizeof p.b[1].jerk);
        for (int k = 0; k < 2; k++, cases++) {
            struct tangency t;
            for (int j = 0; j < 3; j++)
                p.b[1].spin[j] = base[j] + roots[k] * dir[j];
            set_up(&p, n, V);
            read_pair(&p, &t);
            double c = t.condition;
            near(t.D, 0.0, 1e-12 * c * t.D_size);
            near(t.jerk_P, t.jerk_Q, 1e-12 * c * c * t.j_size);
            assert_true(t.a_P >= -1e-12 * c * t.D_size);
            assert_true(t.a_Q >= -1e-12 * c * t.D_size);
        }
    }
}

/* the same numbers in another inertial frame, turned, and with the bodies
 * named in the other order */
static void
invariance(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct pair p, r;
        struct tangency t, u;
        double n[3], V[3], R[9], shift[3], boost[3];
        random_pair(&p, n, V);
        read_pair(&p, &t);
        double tol = 1e-12 * t.condition * t.condition;

        rnd_rotation(R);
        rnd3(shift, 3.0);
        rnd3(boost, 3.0);
        r = p;
        for (int k = 0; k < 2; k++) {
            struct tangency_body *b = &r.b[k];
            double m[9];
            for (int a = 0; a < 3; a++)
                for (int c = 0; c < 3; c++)
                    m[3 * a + c] = R[3 * a] * b->rot[c] +
                                   R[3 * a + 1] * b->rot[3 + c] +
                                   R[3 * a + 2] * b->rot[6 + c];
            memcpy(b->rot, m, sizeof m);
            turn(b->point, R, b->point);
            turn(b->centre, R, b->centre);
            turn(b->vel, R, b->vel);
            turn(b->spin, R, b->spin);
            turn(b->spin1, R, b->spin1);
            turn(b->spin2, R, b->spin2);
            vec3_add_scaled(1.0, shift, b->point);
            vec3_add_scaled(1.0, shift, b->centre);
            vec3_add_scaled(1.0, boost, b->vel);
        }
        read_pair(&r, &u);
        double size = t.D_size + u.D_size, js = t.j_size + u.j_size;
        near(u.D, t.D, tol * size);
        near(u.a_P, t.a_P, tol * size);
        near(u.a_Q, t.a_Q, tol * size);
        near(u.jerk, t.jerk, tol * js);
        near(u.j_P, t.j_P, tol * js);

        assert_true(tangency_compute(&p.b[1], &p.b[0], false, &u));
        near(u.D, t.D, tol * size);
        near(u.a_Q, t.a_P, tol * size);
        near(u.a_P, t.a_Q, tol * size);
        near(u.jerk, t.jerk, tol * js);
        near(u.j_Q, t.j_P, tol * js);
        near(u.kappa1[0], t.kappa2[0], 1e-12 * t.kappa2[0]);
    }
}

static void
ellipse(struct tangency_body *b, double a, double c, double angle,
        const double centre[2], const double point[2])
{
    memset(b, 0, sizeof *b);
    double C = cos(angle), S = sin(angle);
    const double R[9] = {C, -S, 0, S, C, 0, 0, 0, 1}, axes[3] = {a, c, 0};
    memcpy(b->rot, R, sizeof R);
    memcpy(b->centre, centre, 2 * sizeof *centre);
    memcpy(b->point, point, 2 * sizeof *point);
    level(b, axes);
}

static void
two_ellipses(void **state)
{
    (void)state;
    struct tangency_body one, two;
    struct tangency t;
    const double c1[2] = {0, 0},
                 c2[2] = {-1.4671103616817882, -1.9459065947411789},
                 P[2] = {-1.5118578920369088, -0.6546536707079771};
    ellipse(&one, 2, 1, 0, c1, P);
    ellipse(&two, 2, 1, -atan(1.0), c2, P);
    one.spin[2] = -1;
    two.spin[2] = -0.3787007446061675;
    two.vel[0] = -0.2139701987389151;
    two.vel[1] = 0.9581598646385255;
    assert_true(tangency_compute(&one, &two, true, &t));
    near(t.v, 0, 1e-15);
    near(t.V[0], 0.92968191577532656, 1e-14);
    near(t.V[1], -0.53675210433361207, 1e-14);
    near(t.D, 0, 2e-15);
    near(t.a_Q, 0, 2e-15);
    near(t.max_Q, 0, 2e-15);
    near(t.a_P, 1.0461438128430509, 1e-14);
    near(t.max_P, 1.0461438128430509, 1e-14);
    near(t.jerk, -0.8634952097918813, 1e-13);
    near(t.j_Q, -0.8634952097918813, 1e-13);
    near(t.j_P, -1.3185951160750341, 1e-13);
    near(t.kappa1[0], 0.57875809929538, 1e-14);
    near(t.kappa2[0], 0.32902875209027, 1e-14);
}

/* disc of radius R0 on a wall, mass centre at (rx, ry), spin w, sliding vx:
 * tangential.md 0.E [0.1], closed form */
static void
disc_on_wall(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        double R0 = 1.5 + rnd(), rx = 0.5 * rnd(), ry = R0 + 0.3 * rnd(),
               w = 2.0 * rnd(), vx = rnd();
        struct tangency_body wall = {.rot = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                     .grad = {0, 1, 0}};
        struct tangency_body disc = wall;
        disc.centre[0] = rx;
        disc.centre[1] = ry;
        disc.vel[0] = vx;
        disc.vel[1] = w * rx;
        disc.spin[2] = w;
        /* G = (r/R0)^2 - 1 about (0, R0), at the origin */
        disc.grad[1] = -2.0 / R0;
        disc.hess[0] = disc.hess[4] = 2.0 / (R0 * R0);
        struct tangency t;
        assert_true(tangency_compute(&wall, &disc, true, &t));
        double Vx = vx + w * ry, e = 1e-13 * (t.D_size + t.j_size);
        near(t.v, 0, 1e-14 * t.v_size);
        near(t.a_Q, w * w * ry, e);
        near(t.max_Q, w * w * R0, e);
        near(t.D, w * w * (ry - R0), e);
        near(t.a_P, w * w * ry - 2 * w * Vx + Vx * Vx / R0, e);
        near(t.jerk, w * w * w * rx, e);
    }
}

static void
flat_is_told(void **state)
{
    (void)state;
    struct tangency_body wall = {.rot = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                 .grad = {0, 1, 0}},
                         other = wall;
    struct tangency t;
    other.grad[1] = -1;
    assert_true(tangency_compute(&wall, &other, true, &t));
    assert_false(t.definite);
    other.grad[1] = 0;
    assert_false(tangency_compute(&wall, &other, true, &t));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_ellipses),    cmocka_unit_test(disc_on_wall),
        cmocka_unit_test(flat_is_told),    cmocka_unit_test(both_discriminants),
        cmocka_unit_test(one_jerk_in_C00), cmocka_unit_test(invariance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
