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

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/geometry/ray.h"

/* stop when the estimate is below this; rounding is two digits further */
#define MOMENTS_TARGET 5e-12
/* A result with a greater error does not count: the surface runs far away in
 * some direction. */
#define MOMENTS_USELESS 0.02
/* What rounding may add, along the rays of the level set and in the sum. */
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

/* Adds the integrand at direction d, times the weight w. Directions below a
 * mirror plane are left out, because their images count for them. */
static void
add_ray(struct quad *quad, const double direction[3], double weight)
{
    if (quad->fault != RAY_OK)
        return;
    for (int i = 0; i < quad->n; i++)
        if (quad->mirror[i]) {
            if (direction[i] < 0)
                return;
            weight *= 2;
        }
    struct ray_hit hit;
    enum ray_fault fault =
        ray_hit(quad->r, quad->body, quad->o, direction, quad->guess, &hit);
    if (fault == RAY_OK && quad->check_star)
        fault = ray_star(quad->r, quad->body, quad->o, direction, hit.rho);
    if (fault != RAY_OK) {
        quad->fault = fault;
        memcpy(quad->bad, direction, sizeof quad->bad);
        return;
    }
    quad->guess = hit.rho;
    if (hit.rho > quad->longest) {
        quad->longest = hit.rho;
        memcpy(quad->where, direction, sizeof quad->where);
    }
    double n = quad->n, p = weight;
    for (int i = 0; i < quad->n; i++)
        p *= hit.rho;
    quad->q[Q_V] += p / n;
    p *= hit.rho / (n + 1);
    for (int i = 0; i < 3; i++)
        quad->q[Q_C + i] += p * direction[i];
    p *= hit.rho * (n + 1) / (n + 2);
    for (int k = 0; k < 6; k++)
        quad->q[Q_S + k] += p * direction[pair_i[k]] * direction[pair_j[k]];
}

/* -- rules --------------------------------------------------------------------
 */

/* Makes node i, and its weight, of the Gauss-Legendre rule with an even number
 * of nodes on [-1, 1]. */
static void
gauss_legendre(int n_nodes, int i, double *node, double *weight)
{
    double root = cos(3.14159265358979323846 * (i + 0.75) / (n_nodes + 0.5));
    double dp = 0;
    for (int it = 0; it < 20; it++) {
        double p0 = 1, p1 = root;
        for (int k = 2; k <= n_nodes; k++) {
            double p2 = ((2 * k - 1) * root * p1 - (k - 1) * p0) / k;
            p0 = p1;
            p1 = p2;
        }
        dp = n_nodes * (root * p1 - p0) / (root * root - 1);
        double step = p1 / dp;
        root -= step;
        if (fabs(step) < 4 * DBL_EPSILON)
            break;
    }
    *node = root;
    *weight = 2 / ((1 - root * root) * dp * dp);
}

/* Adds the ring at this height on the unit sphere, in the plane the circle
 * itself (height 0): m equally spaced directions, none of them on an axis. */
static void
add_ring(struct quad *quad, double height, double weight, int m)
{
    const double step = 2 * 3.14159265358979323846 / m;
    double s = sqrt((1 - height) * (1 + height));
    for (int j = 0; j < m; j++) {
        double phi = (j + 0.5) * step;
        double d[3] = {s * cos(phi), s * sin(phi), height};
        add_ray(quad, d, weight * step);
    }
}

static void
rule_smooth(struct quad *quad, int level)
{
    if (quad->n == 2) {
        add_ring(quad, 0, 1, 16 << level);
        return;
    }
    int n = 8 << level;
    for (int i = 0; i < n; i++) {
        double c, w;
        oom_look();
        gauss_legendre(n, i, &c, &w);
        add_ring(quad, c, w, 2 * n);
    }
}

/* A node of the tanh-sinh rule: u in (0, 1) and 1 - u, both without
 * cancellation, and du/dt. */
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
add_quadrants(struct quad *quad, double height, double weight, int level)
{
    const double half_pi = 1.57079632679489661923;
    double step = 0.4 / (1 << level), s = sqrt((1 - height) * (1 + height));
    int m = (int)(TANH_SINH_END / step);
    for (int j = -m; j <= m; j++) {
        double u, v, node_weight;
        oom_look();
        tanh_sinh(j * step, &u, &v, &node_weight);
        /* The angle is taken from the nearer end, so that small components are
         * exact. */
        double a = s * (u < v ? cos(half_pi * u) : sin(half_pi * v));
        double b = s * (u < v ? sin(half_pi * u) : cos(half_pi * v));
        node_weight *= weight * step * half_pi;
        for (int k = 0; k < 4; k++) {
            double d[3] = {k & 1 ? -a : a, k & 2 ? -b : b, height};
            add_ray(quad, d, node_weight);
        }
    }
}

static void
rule_octants(struct quad *quad, int level)
{
    if (quad->n == 2) {
        add_quadrants(quad, 0, 1, level);
        return;
    }
    double h = 0.4 / (1 << level);
    int m = (int)(TANH_SINH_END / h);
    for (int j = -m; j <= m; j++) {
        double u, v, w;
        tanh_sinh(j * h, &u, &v, &w);
        add_quadrants(quad, u, w * h, level);
        add_quadrants(quad, -u, w * h, level);
    }
}

/* -- from integrals to moments
 * ---------------------------------------------------- */

static bool
finish(struct quad *quad, struct moments *moments)
{
    double volume = quad->q[Q_V], centroid[3], second[6];
    if (quad->fault != RAY_OK || !(volume > 0) || !isfinite(volume))
        return false;
    for (int i = 0; i < 3; i++)
        centroid[i] = quad->mirror[i] ? 0 : quad->q[Q_C + i] / volume;
    for (int k = 0; k < 6; k++) {
        int i = pair_i[k], j = pair_j[k];
        second[k] = quad->q[Q_S + k] - volume * centroid[i] * centroid[j];
        if (i != j && (quad->mirror[i] || quad->mirror[j]))
            second[k] = 0;
    }
    moments->volume = volume;
    for (int i = 0; i < 3; i++)
        moments->centre[i] = quad->o[i] + centroid[i];
    memset(moments->inertia, 0, sizeof moments->inertia);
    if (quad->n == 2) {
        moments->inertia[0] = second[0] + second[1];
    } else {
        moments->inertia[0] = second[1] + second[2];
        moments->inertia[1] = second[0] + second[2];
        moments->inertia[2] = second[0] + second[1];
        for (int k = 3; k < 6; k++)
            moments->inertia[k] = second[k] == 0 ? 0 : -second[k];
    }
    return isfinite(moments->inertia[0]) && moments->inertia[0] > 0;
}

/* Returns the greatest relative difference. Lengths are relative to the radius
 * of gyration, inertias to the greatest moment. */
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

/* Applies one family of rules, level by level, about the present o. *best gets
 * the best result so far; its error is infinite at first. */
static bool
run_levels(struct quad *quad, void (*rule)(struct quad *, int), int first,
           int last, struct moments *best)
{
    double direction[3] = {0, 0, 0};
    struct moments prev = {0}, now;
    int differences = 0;
    for (int level = first; level <= last; level++) {
        memset(quad->q, 0, sizeof quad->q);
        rule(quad, level);
        if (!finish(quad, &now))
            return false;
        if (level > first) {
            direction[2] = direction[1];
            direction[1] = direction[0];
            direction[0] = difference(&now, &prev);
            differences++;
        }
        now.error = estimate(direction, differences);
        if (now.error <= best->error)
            *best = now;
        if (now.error <= MOMENTS_TARGET)
            return true;
        /* The convergence is slow, so the other family takes over. */
        if (rule == rule_smooth && differences >= 3 &&
            direction[0] > 0.02 * direction[1])
            return true;
        prev = now;
    }
    return true;
}

/* Moves o to the centroid found so far, if that is inside and far enough away
 * to pay for a new start. */
static void
recentre(struct quad *quad, const struct moments *m)
{
    if (!(ray_level(quad->r, quad->body, m->centre) < 0))
        return;
    memcpy(quad->o, m->centre, sizeof quad->o);
}

static double
offset(const struct quad *quad, const struct moments *m)
{
    double s = 0;
    for (int i = 0; i < 3; i++)
        s += (m->centre[i] - quad->o[i]) * (m->centre[i] - quad->o[i]);
    double len = sqrt(fmax(m->inertia[0], m->inertia[1]) / m->volume);
    return sqrt(s) / len;
}

/* Has the body an end along each axis? One that is not bounded, such as a
 * cylinder, usually has none along an axis. */
static bool
ends_along_axes(struct quad *quad)
{
    for (int i = 0; i < 2 * quad->n; i++) {
        double direction[3] = {0, 0, 0};
        direction[i / 2] = i % 2 ? -1 : 1;
        struct ray_hit hit;
        quad->fault = ray_hit(quad->r, quad->body, quad->o, direction, 0, &hit);
        memcpy(quad->bad, direction, sizeof direction);
        if (quad->fault == RAY_NO_END || quad->fault == RAY_OUTSIDE)
            return false;
    }
    quad->fault = RAY_OK;
    return true;
}

enum ray_fault
moments_find(struct rt *run, uint32_t body, struct moments *out, double bad[3])
{
    assert(body < run->im->bodies.n && out != NULL);
    const imp_body *image_body = rt_body(run, body);
    struct quad quad = {.r = run, .body = body, .n = (int)run->im->dim};
    for (int i = 0; i < 3; i++)
        quad.mirror[i] =
            i < quad.n && (image_body->flags & (IMP_BODYF_MIRROR_X << i));
    if (!ends_along_axes(&quad))
        goto fault;

    /* A coarse pass tells whether the body is star-shaped, and where its middle
     * is. */
    struct moments moments = {.error = (double)INFINITY};
    quad.check_star = true;
    if (!run_levels(&quad, rule_smooth, 0, 0, &moments))
        goto fault;
    quad.check_star = false;
    if (offset(&quad, &moments) > 0.02) {
        for (int k = 0; k < 2; k++) {
            struct moments c = {.error = (double)INFINITY};
            recentre(&quad, &moments);
            quad.check_star = true;
            if (!run_levels(&quad, rule_smooth, 1, 1, &c)) {
                /* It is no star from there, so the origin stays. */
                quad.fault = RAY_OK;
                memset(quad.o, 0, sizeof quad.o);
                break;
            }
            moments = c;
        }
        quad.check_star = false;
    }
    moments.error = (double)INFINITY;
    if (!run_levels(&quad, rule_smooth, 0, quad.n == 2 ? 9 : 4, &moments))
        goto fault;
    if (moments.error > MOMENTS_TARGET) {
        /* Surfaces with kinks in planes through the centre need the centre
         * itself: two coarse passes find it, then a fine one follows. */
        struct moments coarser = moments;
        bool centred =
            quad.mirror[0] && quad.mirror[1] && (quad.n == 2 || quad.mirror[2]);
        bool fine = true;
        for (int k = centred ? 2 : 0; k < 3 && fine; k++) {
            if (!centred)
                recentre(&quad, &coarser);
            coarser.error = (double)INFINITY;
            fine = run_levels(&quad, rule_octants, k < 2 ? 1 : 0,
                              quad.n == 2 ? 5
                              : k < 2     ? 2
                                          : 3,
                              &coarser);
        }
        if (fine && coarser.error < moments.error)
            moments = coarser;
        quad.fault = RAY_OK;
    }
    if (moments.error > MOMENTS_USELESS) {
        quad.fault = RAY_NO_END;
        memcpy(quad.bad, quad.where, sizeof quad.bad);
        goto fault;
    }
    *out = moments;
    return RAY_OK;
fault:
    if (bad)
        memcpy(bad, quad.bad, sizeof quad.bad);
    return quad.fault == RAY_OK ? RAY_UNDEFINED : quad.fault;
}
