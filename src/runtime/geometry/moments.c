/* SPDX-License-Identifier: MIT */
/* Moments of a level set by quadrature over directions (moments.h). With
 * rho(d) the distance to the surface along unit d from a point o inside,
 *     volume = int rho^n/n,  first = int rho^(n+1)/(n+1) d,
 *     second = int rho^(n+2)/(n+2) d d^T     (n = 2, 3),
 * over the circle or the sphere. Two families of rules:
 *   smooth   trapezoid rule on the circle; Gauss-Legendre in cos(theta) times
 *            trapezoid on the sphere: geometric convergence for analytic
 *            surfaces;
 *   octants  tanh-sinh in each quadrant or octant: as fast when the surface
 *            has kinks in the coordinate planes (abs, non-integer powers).
 * o starts at the shape's origin and is moved to the centroid when that lies
 * elsewhere, so that both families see a centred body.
 *
 * Error estimate: from the differences of successive levels, by the slower of
 * the two convergence laws they are compatible with, see estimate(). */
#include "runtime/geometry/moments.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/geometry/ray.h"

/* stop when the estimate is below this; rounding is two digits further */
#define MOMENTS_TARGET 5e-12
/* a worse result is none: a surface that runs far away in some direction */
#define MOMENTS_USELESS 0.02
/* what rounding may add: of the level set along the rays, and of the sum */
#define MOMENTS_FLOOR 1e-12

enum { Q_V, Q_C, Q_S = 4, Q_N = 10 }; /* volume, first, second moments */
static const int pair_i[6] = {0, 1, 2, 0, 0, 1};
static const int pair_j[6] = {0, 1, 2, 1, 2, 2};

struct quad {
    struct rt *r;
    uint32_t body;
    int n; /* dimension */
    bool mirror[3];
    double o[3];
    double guess;
    bool check_star;
    double q[Q_N];
    enum ray_fault fault;
    double bad[3];            /* direction of the fault */
    double longest, where[3]; /* the longest ray met */
};

/* adds w times the integrand at direction d. Directions below a mirror plane
 * are left to their images. */
static void
add_ray(struct quad *z, const double d[3], double w)
{
    if (z->fault != RAY_OK)
        return;
    for (int i = 0; i < z->n; i++)
        if (z->mirror[i]) {
            if (d[i] < 0)
                return;
            w *= 2;
        }
    struct ray_hit h;
    enum ray_fault f = ray_hit(z->r, z->body, z->o, d, z->guess, &h);
    if (f == RAY_OK && z->check_star)
        f = ray_star(z->r, z->body, z->o, d, h.rho);
    if (f != RAY_OK) {
        z->fault = f;
        memcpy(z->bad, d, sizeof z->bad);
        return;
    }
    z->guess = h.rho;
    if (h.rho > z->longest) {
        z->longest = h.rho;
        memcpy(z->where, d, sizeof z->where);
    }
    double n = z->n, p = w;
    for (int i = 0; i < z->n; i++)
        p *= h.rho;
    z->q[Q_V] += p / n;
    p *= h.rho / (n + 1);
    for (int i = 0; i < 3; i++)
        z->q[Q_C + i] += p * d[i];
    p *= h.rho * (n + 1) / (n + 2);
    for (int k = 0; k < 6; k++)
        z->q[Q_S + k] += p * d[pair_i[k]] * d[pair_j[k]];
}

/* -- rules --------------------------------------------------------------------
 */

/* node i and weight of the n-point Gauss-Legendre rule on [-1, 1], n even */
static void
gauss_legendre(int n, int i, double *x, double *w)
{
    double z = cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5));
    double dp = 0;
    for (int it = 0; it < 20; it++) {
        double p0 = 1, p1 = z;
        for (int k = 2; k <= n; k++) {
            double p2 = ((2 * k - 1) * z * p1 - (k - 1) * p0) / k;
            p0 = p1;
            p1 = p2;
        }
        dp = n * (z * p1 - p0) / (z * z - 1);
        double step = p1 / dp;
        z -= step;
        if (fabs(step) < 4 * DBL_EPSILON)
            break;
    }
    *x = z;
    *w = 2 / ((1 - z * z) * dp * dp);
}

/* the ring at height c on the unit sphere (the circle itself in the plane,
 * c = 0): m equally spaced directions, none on an axis */
static void
add_ring(struct quad *z, double c, double weight, int m)
{
    const double step = 2 * 3.14159265358979323846 / m;
    double s = sqrt((1 - c) * (1 + c));
    for (int j = 0; j < m; j++) {
        double phi = (j + 0.5) * step;
        double d[3] = {s * cos(phi), s * sin(phi), c};
        add_ray(z, d, weight * step);
    }
}

static void
rule_smooth(struct quad *z, int level)
{
    if (z->n == 2) {
        add_ring(z, 0, 1, 16 << level);
        return;
    }
    int n = 8 << level;
    for (int i = 0; i < n; i++) {
        double c, w;
        gauss_legendre(n, i, &c, &w);
        add_ring(z, c, w, 2 * n);
    }
}

/* tanh-sinh: u in (0, 1) and 1 - u, both without cancellation, and du/dt */
static void
tanh_sinh(double t, double *u, double *v, double *w)
{
    const double half_pi = 1.57079632679489661923;
    double s = half_pi * sinh(t);
    *u = 1 / (1 + exp(-2 * s));
    *v = 1 / (1 + exp(2 * s));
    *w = 2 * *u * *v * half_pi * cosh(t);
}

#define TANH_SINH_END 3.3 /* weights beyond are under 1e-17 */

static void
add_quadrants(struct quad *z, double c, double weight, int level)
{
    const double half_pi = 1.57079632679489661923;
    double h = 0.4 / (1 << level), s = sqrt((1 - c) * (1 + c));
    int m = (int)(TANH_SINH_END / h);
    for (int j = -m; j <= m; j++) {
        double u, v, w;
        tanh_sinh(j * h, &u, &v, &w);
        /* from the nearer end, so that small components are exact */
        double a = s * (u < v ? cos(half_pi * u) : sin(half_pi * v));
        double b = s * (u < v ? sin(half_pi * u) : cos(half_pi * v));
        w *= weight * h * half_pi;
        for (int k = 0; k < 4; k++) {
            double d[3] = {k & 1 ? -a : a, k & 2 ? -b : b, c};
            add_ray(z, d, w);
        }
    }
}

static void
rule_octants(struct quad *z, int level)
{
    if (z->n == 2) {
        add_quadrants(z, 0, 1, level);
        return;
    }
    double h = 0.4 / (1 << level);
    int m = (int)(TANH_SINH_END / h);
    for (int j = -m; j <= m; j++) {
        double u, v, w;
        tanh_sinh(j * h, &u, &v, &w);
        add_quadrants(z, u, w * h, level);
        add_quadrants(z, -u, w * h, level);
    }
}

/* -- from integrals to moments
 * ---------------------------------------------------- */

static bool
finish(struct quad *z, struct moments *m)
{
    double V = z->q[Q_V], c[3], S[6];
    if (z->fault != RAY_OK || !(V > 0) || !isfinite(V))
        return false;
    for (int i = 0; i < 3; i++)
        c[i] = z->mirror[i] ? 0 : z->q[Q_C + i] / V;
    for (int k = 0; k < 6; k++) {
        int i = pair_i[k], j = pair_j[k];
        S[k] = z->q[Q_S + k] - V * c[i] * c[j];
        if (i != j && (z->mirror[i] || z->mirror[j]))
            S[k] = 0;
    }
    m->volume = V;
    for (int i = 0; i < 3; i++)
        m->centre[i] = z->o[i] + c[i];
    memset(m->inertia, 0, sizeof m->inertia);
    if (z->n == 2) {
        m->inertia[0] = S[0] + S[1];
    } else {
        m->inertia[0] = S[1] + S[2];
        m->inertia[1] = S[0] + S[2];
        m->inertia[2] = S[0] + S[1];
        for (int k = 3; k < 6; k++)
            m->inertia[k] = S[k] == 0 ? 0 : -S[k];
    }
    return isfinite(m->inertia[0]) && m->inertia[0] > 0;
}

/* greatest relative difference; lengths by the radius of gyration, inertias by
 * the greatest moment */
static double
difference(const struct moments *a, const struct moments *b)
{
    double big = fmax(a->inertia[0], fmax(a->inertia[1], a->inertia[2]));
    double len = sqrt(big / a->volume);
    double e = fabs(a->volume - b->volume) / a->volume;
    for (int i = 0; i < 3; i++)
        e = fmax(e, fabs(a->centre[i] - b->centre[i]) / len);
    for (int i = 0; i < 6; i++)
        e = fmax(e, fabs(a->inertia[i] - b->inertia[i]) / big);
    return e;
}

/* Bound for the error of the last level from d[0], d[1], d[2]: the differences
 * of the last three pairs of levels, latest first. With error E of the last
 * level: algebraic convergence (halving the step divides the error by 2^p,
 * p >= 1) has E <= d0, and the phase of a kink relative to the nodes can make
 * one difference small by accident, which the earlier two cover. Geometric
 * convergence squares the relative error: E ~ d0^3/d1^2; that law is only
 * believed when two successive ratios show it, and then a square root of the
 * last ratio is all that is taken. Two small differences in a row after a
 * great one are convergence, not an accident. */
static double
estimate(const double d[3], int n)
{
    if (n < 2)
        return n == 1 ? 0.1 + 10 * d[0] : (double)INFINITY;
    double r0 = d[1] > 0 ? d[0] / d[1] : 0;
    double r1 = n > 2 && d[2] > 0 ? d[1] / d[2] : 1;
    double e;
    if (n > 2 && r0 < 1e-2 && r1 < 0.1 && r0 < r1)
        e = 10 * d[0] * sqrt(r0);
    else
        e = 4 * fmax(d[0], fmax(d[1] / 8, r1 > 1e-2 ? d[2] / 64 : 0));
    return e + MOMENTS_FLOOR;
}

/* one family of rules over rising levels about the present o; best result so
 * far into best (error infinite at first) */
static bool
run_levels(struct quad *z, void (*rule)(struct quad *, int), int first,
           int last, struct moments *best)
{
    double d[3] = {0, 0, 0};
    struct moments prev = {0}, now;
    int n = 0;
    for (int level = first; level <= last; level++) {
        memset(z->q, 0, sizeof z->q);
        rule(z, level);
        if (!finish(z, &now))
            return false;
        if (level > first) {
            d[2] = d[1];
            d[1] = d[0];
            d[0] = difference(&now, &prev);
            n++;
        }
        now.error = estimate(d, n);
        if (now.error <= best->error)
            *best = now;
        if (now.error <= MOMENTS_TARGET)
            return true;
        /* slow: leave it to the other family */
        if (rule == rule_smooth && n >= 3 && d[0] > 0.02 * d[1])
            return true;
        prev = now;
    }
    return true;
}

/* moves o to the centroid found so far if that is inside and worth it */
static void
recentre(struct quad *z, const struct moments *m)
{
    if (!(ray_level(z->r, z->body, m->centre) < 0))
        return;
    memcpy(z->o, m->centre, sizeof z->o);
}

static double
offset(const struct quad *z, const struct moments *m)
{
    double s = 0;
    for (int i = 0; i < 3; i++)
        s += (m->centre[i] - z->o[i]) * (m->centre[i] - z->o[i]);
    double len = sqrt(fmax(m->inertia[0], m->inertia[1]) / m->volume);
    return sqrt(s) / len;
}

enum ray_fault
moments_find(struct rt *r, uint32_t body, struct moments *out, double bad[3])
{
    const imp_body *b = rt_body(r, body);
    struct quad z = {.r = r, .body = body, .n = (int)r->im->dim};
    for (int i = 0; i < 3; i++)
        z.mirror[i] = i < z.n && (b->flags & (IMP_BODYF_MIRROR_X << i));

    /* endless cylinders are endless along an axis, most of the time */
    for (int i = 0; i < 2 * z.n; i++) {
        double d[3] = {0, 0, 0};
        d[i / 2] = i % 2 ? -1 : 1;
        struct ray_hit h;
        z.fault = ray_hit(r, body, z.o, d, 0, &h);
        memcpy(z.bad, d, sizeof d);
        if (z.fault == RAY_NO_END || z.fault == RAY_OUTSIDE)
            goto fault;
    }
    z.fault = RAY_OK;

    /* a coarse pass: is it a star, and where is its middle? */
    struct moments m = {.error = (double)INFINITY};
    z.check_star = true;
    if (!run_levels(&z, rule_smooth, 0, 0, &m))
        goto fault;
    z.check_star = false;
    if (offset(&z, &m) > 0.02) {
        for (int k = 0; k < 2; k++) {
            struct moments c = {.error = (double)INFINITY};
            recentre(&z, &m);
            z.check_star = true;
            if (!run_levels(&z, rule_smooth, 1, 1, &c)) {
                /* not a star from there: stay at the origin */
                z.fault = RAY_OK;
                memset(z.o, 0, sizeof z.o);
                break;
            }
            m = c;
        }
        z.check_star = false;
    }
    m.error = (double)INFINITY;
    if (!run_levels(&z, rule_smooth, 0, z.n == 2 ? 9 : 4, &m))
        goto fault;
    if (m.error > MOMENTS_TARGET) {
        /* kinks through the centre need the centre itself: two coarse passes
         * to find it, one fine one */
        struct moments o = m;
        bool centred = z.mirror[0] && z.mirror[1] && (z.n == 2 || z.mirror[2]);
        bool fine = true;
        for (int k = centred ? 2 : 0; k < 3 && fine; k++) {
            if (!centred)
                recentre(&z, &o);
            o.error = (double)INFINITY;
            fine = run_levels(&z, rule_octants, k < 2 ? 1 : 0,
                              z.n == 2 ? 5
                              : k < 2  ? 2
                                       : 3,
                              &o);
        }
        if (fine && o.error < m.error)
            m = o;
        z.fault = RAY_OK;
    }
    if (m.error > MOMENTS_USELESS) {
        z.fault = RAY_NO_END;
        memcpy(z.bad, z.where, sizeof z.bad);
        goto fault;
    }
    *out = m;
    return RAY_OK;
fault:
    if (bad)
        memcpy(bad, z.bad, sizeof z.bad);
    return z.fault == RAY_OK ? RAY_UNDEFINED : z.fault;
}
