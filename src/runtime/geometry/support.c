/* SPDX-License-Identifier: MIT */
/* Support points of a level set and the direction of greatest separation of
 * two (closest_points.h). Knows level sets only through their g2 tapes.
 *
 * A support point maximises n.x on G = 0. At a surface point the second-order
 * model of G is made an ellipsoid (the freedom G -> G + c G^2/2 leaves the
 * surface alone and adds c g g^T to its Hessian), whose support point is known
 * in closed form: exact at once for ellipsoids, of second order otherwise. The
 * step is pulled back to the surface along the ray through the origin and
 * halved until n.x grows.
 *
 * Letters: n is the direction that is asked for; N the outward unit normal at a
 * surface point and T the tangents there; symmetric 2 x 2 matrices in these
 * tangents have three numbers (00, 01, 11): K the curvatures, W the radii of
 * curvature (W = K^-1), B the tangents' block of the model's Hessian, M the
 * negative Hessian of the separation; t = B^-1 b_n, b_n the mixed block. */
#include "runtime/geometry/support.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/geometry/pose.h"
#include "runtime/numerics/vec3.h"

/* the least curvature, in units of 1/size, a model ellipsoid is given; only
 * the speed near flat points depends on it */
#define SUPPORT_MODEL_FLAT 1e-6
/* a surface point is good when |G|/|grad G| is below this share of |x|: a few
 * rounding errors of G */
#define SUPPORT_ON_SURFACE 1e-14
/* the surface is looked for out to this many sizes from the origin */
#define SUPPORT_FAR 1e9

void
support_rotate(const struct support_body *body, const double x[3], double w[3])
{
    for (int i = 0; i < 3; i++)
        w[i] = vec3_dot(body->R[i], x);
}

void
support_rotate_back(const struct support_body *body, const double w[3],
                    double x[3])
{
    for (int j = 0; j < 3; j++)
        x[j] =
            body->R[0][j] * w[0] + body->R[1][j] * w[1] + body->R[2][j] * w[2];
}

void
support_to_world(const struct support_body *body, const double x[3],
                 double w[3])
{
    assert(body);
    double d[3] = {x[0] - body->centre[0], x[1] - body->centre[1],
                   x[2] - body->centre[2]};
    support_rotate(body, d, w);
    for (int i = 0; i < 3; i++)
        w[i] += body->c[i];
}

bool
support_is_flat(const imp_body *body)
{
    assert(body);
    return (body->flags & IMP_BODYF_FLAT) != 0 ||
           ((body->flags & IMP_BODYF_POLYTOPE) && body->n_plane == 1);
}

double
support_size(const struct rt *run, const imp_body *body)
{
    assert(run && body);
    double radius = run->env[body->env_body + IMP_BODY_RADIUS];
    return radius > 0.0 && isfinite(radius) ? radius : 0.0;
}

void
support_body_get(struct rt *run, uint32_t body, struct support_body *out)
{
    assert(body < run->im->bodies.n);
    const imp_body *image_body = rt_body(run, body);
    const double *state = run->env + image_body->env_state;
    const double *constants = run->env + image_body->env_body;
    memset(out, 0, sizeof *out);
    out->r = run;
    out->b = image_body;
    out->index = body;
    out->d = (int)run->im->dim;
    out->flat = support_is_flat(image_body);
    for (int i = 0; i < out->d; i++) {
        out->c[i] = state[i];
        out->centre[i] = constants[IMP_BODY_CENTRE + i];
    }
    out->size = support_size(run, image_body);
    double R[9];
    pose_attitude(out->d == 2, state, R);
    memcpy(out->R, R, sizeof R);
}

double
support_length(const struct support_body *a, const struct support_body *body)
{
    assert(a && body);
    double l = a->size + body->size;
    return l > 0.0 ? l : 1.0;
}

enum support_fault
support_level(const struct support_body *body, const double x[3],
              struct support_point *point)
{
    assert(body != NULL && x != NULL && point != NULL);
    double values[10];
    int dim = body->d;
    int st = rt_eval(body->r, body->b->g2, x, values);
    if (st != IMP_OK && st != IMP_NONFINITE)
        return SUPPORT_NONFINITE;
    memset(point, 0, sizeof *point);
    memcpy(point->x, x, sizeof point->x);
    point->G = values[0];
    for (int i = 0; i < dim; i++)
        point->g[i] = values[1 + i];
    point->norm = vec3_norm(point->g);
    if (!isfinite(point->G) || !isfinite(point->norm))
        return SUPPORT_NONFINITE;
    const double *h = values + 1 + dim;
    for (int i = 0; i < dim; i++)
        point->H[i][i] = h[i];
    point->H[0][1] = point->H[1][0] = h[dim];
    if (dim == 3) {
        point->H[0][2] = point->H[2][0] = h[4];
        point->H[1][2] = point->H[2][1] = h[5];
    }
    /* |x|^p with 1 < p < 2 has no second derivative at x = 0: there the
     * surface is sharper than any sphere; a very small one stands for it */
    if (st == IMP_NONFINITE)
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                if (!isfinite(point->H[i][j]))
                    point->H[i][j] =
                        i == j ? 1e8 * point->norm /
                                     (body->size > 0 ? body->size : 1.0)
                               : 0.0;
    return SUPPORT_FINE;
}

bool
support_tell_sharp(const struct support_body *body, const double x[3],
                   const imp_body *other, imp_range where)
{
    assert(body != NULL && x != NULL && other != NULL);
    double values[10];
    if (rt_eval(body->r, body->b->g2, x, values) != IMP_NONFINITE)
        return false;
    for (int i = 0; i <= body->d; i++)
        if (!isfinite(values[i]))
            return false;
    const struct rt *run = body->r;
    struct diag *diag = diag_add(
        run->ds, DIAG_E0613, where,
        "`%s` is sharper than any %s where it is closest to `%s`: its "
        "formula has no second derivative there",
        imp_text(run->im, body->b->name), body->d == 2 ? "circle" : "sphere",
        imp_text(run->im, other->name));
    diag_help(run->ds, diag,
              "turn it a little%s, so that another point is the closest one, "
              "or take exponents of 2 and more: |x|^p with 1 < p < 2 has no "
              "second derivative at x = 0",
              body->d == 2 ? "" : " about an axis that is oblique to its own");
    return true;
}

/* Pulls x along its ray from the origin to the surface. */
static enum support_fault
support_surface(const struct support_body *body, const double start[3],
                struct support_point *point)
{
    double lo = 0.0, hi = INFINITY, scale = 1.0;
    double len = vec3_norm(start), size = body->size > 0.0 ? body->size : 1.0;
    if (!(len > 0.0))
        return SUPPORT_LOST;
    for (int it = 0; it < 200; it++) {
        double y[3] = {scale * start[0], scale * start[1], scale * start[2]};
        enum support_fault fault = support_level(body, y, point);
        if (fault != SUPPORT_FINE) {
            /* not defined out there: the surface is nearer */
            hi = scale;
            scale = 0.5 * (lo + hi);
            if (it > 120)
                return fault;
            continue;
        }
        double slope = vec3_dot(point->g, start); /* dG/ds */
        if (slope > 0.0 &&
            fabs(point->G) <= SUPPORT_ON_SURFACE * point->norm * scale * len)
            return SUPPORT_FINE;
        if (point->G < 0.0)
            lo = scale;
        else
            hi = scale;
        double next = scale - point->G / slope;
        bool inside = slope > 0.0 && next > lo && next < hi;
        if (inside && fabs(next - scale) <= 2.0 * DBL_EPSILON * scale)
            return SUPPORT_FINE;
        if (!inside || (it % 6 == 5 && isfinite(hi))) {
            if (isfinite(hi))
                next = 0.5 * (lo + hi);
            else
                next = 2.0 * scale;
        } else if (!isfinite(hi) && next > 4.0 * scale) {
            next = 4.0 * scale;
        }
        if (next == scale || next == lo || next == hi)
            return SUPPORT_FINE; /* the last two neighbours */
        if (!isfinite(hi) && next * len > SUPPORT_FAR * size)
            return SUPPORT_NO_ROOT;
        if (next * len < 1e-12 * size)
            return SUPPORT_NO_ROOT;
        scale = next;
    }
    return SUPPORT_LOST;
}

void
support_tangents(int dim, const double n[3], double T[2][3])
{
    assert(dim == 2 || dim == 3);
    memset(T, 0, sizeof(double) * 6);
    if (dim == 2) {
        T[0][0] = -n[1];
        T[0][1] = n[0];
        return;
    }
    int k = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    if (fabs(n[2]) < fabs(n[k]))
        k = 2;
    /* the axis least along n, made orthogonal to it */
    for (int i = 0; i < 3; i++)
        T[0][i] = (i == k) - n[k] * n[i];
    double len = vec3_norm(T[0]);
    for (int i = 0; i < 3; i++)
        T[0][i] /= len;
    T[1][0] = n[1] * T[0][2] - n[2] * T[0][1];
    T[1][1] = n[2] * T[0][0] - n[0] * T[0][2];
    T[1][2] = n[0] * T[0][1] - n[1] * T[0][0];
}

static double
form(const double H[3][3], const double a[3], const double b[3])
{
    double s = 0.0;
    for (int i = 0; i < 3; i++)
        s += a[i] * vec3_dot(H[i], b);
    return s;
}

void
support_curvature(const struct support_body *body,
                  const struct support_point *point, double T[2][3],
                  double K[3])
{
    assert(body && point);
    K[0] = form(point->H, T[0], T[0]) / point->norm;
    K[1] = body->d == 3 ? form(point->H, T[0], T[1]) / point->norm : 0.0;
    K[2] = body->d == 3 ? form(point->H, T[1], T[1]) / point->norm : K[0];
}

void
support_principal_curvatures(int dim, const double K[3], double e[2])
{
    assert(dim == 2 || dim == 3);
    if (dim == 2) {
        e[0] = e[1] = K[0];
        return;
    }
    double m = 0.5 * (K[0] + K[2]), q = 0.5 * (K[0] - K[2]);
    double s = sqrt(q * q + K[1] * K[1]);
    e[0] = m - s;
    e[1] = m + s;
}

/* Lifts the eigenvalues of K to at least `least`. */
static void
lift(int dim, double K[3], double least)
{
    double eigenvalue[2];
    support_principal_curvatures(dim, K, eigenvalue);
    if (eigenvalue[0] >= least)
        return;
    if (dim == 2) {
        K[0] = K[2] = least;
        return;
    }
    /* K = e0 u u^T + e1 w w^T; u u^T = (e1 - K)/(e1 - e0) */
    double up0 = least - eigenvalue[0],
           up1 = eigenvalue[1] < least ? least - eigenvalue[1] : 0.0;
    double gap = eigenvalue[1] - eigenvalue[0];
    if (gap <= 1e-14 * (fabs(eigenvalue[0]) + fabs(eigenvalue[1]) + least)) {
        K[0] += up0;
        K[2] += up0;
        return;
    }
    double u = (eigenvalue[1] - K[0]) / gap, v = -K[1] / gap,
           w = (eigenvalue[1] - K[2]) / gap;
    K[0] += up0 * u + up1 * (1.0 - u);
    K[1] += up0 * v - up1 * v;
    K[2] += up0 * w + up1 * (1.0 - w);
}

/* Gives the step from p to the support point of the model ellipsoid at p (file
 * comment) in direction n. */
static void
model_step(const struct support_body *body, const struct support_point *point,
           const double N[3], double T[2][3], const double n[3], double size,
           double step[3])
{
    int dim = body->d;
    double B[3], bn[2], a = form(point->H, N, N), t[2];
    double unit = point->norm / size;
    support_curvature(body, point, T, B);
    for (int i = 0; i < 3; i++)
        B[i] *= point->norm;
    lift(dim, B, SUPPORT_MODEL_FLAT * unit);
    bn[0] = form(point->H, T[0], N);
    bn[1] = dim == 3 ? form(point->H, T[1], N) : 0.0;
    sym2_solve(dim - 1, B, bn, t);
    /* Schur complement of the normal direction: free by the choice of c */
    double schur = a - (bn[0] * t[0] + bn[1] * t[1]);
    if (!(schur >= 0.05 * unit && schur <= 20.0 * unit))
        schur = unit;
    double nn = vec3_dot(n, N);
    double nt[2] = {vec3_dot(n, T[0]), dim == 3 ? vec3_dot(n, T[1]) : 0.0};
    /* centre of the ellipsoid, and H'^-1 n */
    double en = -point->norm / schur;
    double zn = (nn - (t[0] * nt[0] + t[1] * nt[1])) / schur;
    double rhs[2] = {nt[0] - bn[0] * zn, nt[1] - bn[1] * zn}, zt[2];
    sym2_solve(dim - 1, B, rhs, zt);
    double q = nn * zn + nt[0] * zt[0] + nt[1] * zt[1];
    double f = q > 0.0 ? point->norm / sqrt(schur * q) : 0.0;
    double along = en + f * zn;
    double across[2] = {-en * t[0] + f * zt[0], -en * t[1] + f * zt[1]};
    for (int i = 0; i < 3; i++)
        step[i] = along * N[i] + across[0] * T[0][i] + across[1] * T[1][i];
    double len = vec3_norm(step), most = 2.0 * size;
    if (len > most)
        for (int i = 0; i < 3; i++)
            step[i] *= most / len;
}

double
support_steps_share(struct support_steps *steps, int n, const double *step,
                    double move, double rounding)
{
    assert(steps && step && n > 0 && n <= SUPPORT_STEPS);
    double along = 0.0;
    for (int i = 0; i < n; i++) {
        along += step[i] * steps->last[i];
        steps->last[i] = step[i];
    }
    /* One turn is a step too far, as past a flat point. */
    if (along < 0.0 && move > 0.5 * steps->move && move > rounding)
        steps->turns++;
    else
        steps->turns = 0;
    if (steps->turns > 1)
        steps->share = fmax(0.5 * steps->share, 1.0 / 64.0);
    else if (!(along < 0.0))
        steps->share = steps->share > 0.0 ? fmin(2.0 * steps->share, 1.0) : 1.0;
    steps->move = move;
    return steps->share;
}

enum support_fault
support_find(const struct support_body *body, const double n[3], double tol,
             bool warm, struct support_point *point)
{
    assert(tol > 0);
    assert(!(fabs(vec3_norm(n) - 1) > 1e-6));
    enum support_fault fault = SUPPORT_FINE;
    double size = body->size > 0.0 ? body->size : 1.0;
    struct support_steps steps = {0};
    if (!warm) {
        double x[3] = {size * n[0], size * n[1], size * n[2]};
        fault = support_surface(body, x, point);
        if (fault != SUPPORT_FINE)
            return fault;
        size = body->size > 0.0 ? body->size : vec3_norm(point->x);
    }
    for (int it = 0; it < 100; it++) {
        double N[3], T[2][3], step[3];
        if (!(point->norm > 0.0))
            return SUPPORT_NO_ROOT;
        for (int i = 0; i < 3; i++)
            N[i] = point->g[i] / point->norm;
        double cosine = vec3_dot(n, N), side[3];
        for (int i = 0; i < 3; i++)
            side[i] = n[i] - cosine * N[i];
        if (cosine > 0.0 && vec3_norm(side) <= tol)
            return SUPPORT_FINE;
        support_tangents(body->d, N, T);
        model_step(body, point, N, T, n, size, step);
        double height = vec3_dot(n, point->x);
        double share = support_steps_share(&steps, 3, step, vec3_norm(step),
                                           SUPPORT_SETTLED * size);
        bool rose = false;
        for (int half = 0; half < 40 && !rose; half++, share *= 0.5) {
            double x[3];
            struct support_point trial;
            for (int i = 0; i < 3; i++)
                x[i] = point->x[i] + share * step[i];
            /* a step through the origin has no ray */
            if (vec3_norm(x) < 1e-3 * vec3_norm(point->x))
                continue;
            fault = support_surface(body, x, &trial);
            if (fault != SUPPORT_FINE)
                continue;
            double up = vec3_dot(n, trial.x) - height;
            double want = 1e-3 * share * vec3_dot(n, step);
            if (up > 0.0 && up >= want) {
                *point = trial;
                rose = true;
            } else if (half > 3 && fabs(up) <= 4.0 * DBL_EPSILON * size) {
                return SUPPORT_FINE; /* rounding hides any further rise */
            }
        }
        if (!rose)
            /* The loss is of second order in the angle, so a small angle does
             * not matter. */
            return cosine > 0.0 && vec3_norm(side) <= 1e-5 ? SUPPORT_FINE
                   : fault != SUPPORT_FINE                 ? fault
                                                           : SUPPORT_LOST;
    }
    return SUPPORT_FINE;
}

/* Computes sigma(n) = n.(c2 - c1) - h1(n) - h2(-n), with support points. */
enum support_fault
support_separation(struct support_pair *pair, const double n[3])
{
    assert(pair);
    double world[2][3];
    memcpy(pair->n, n, sizeof pair->n);
    /* The point of a half-space is the foot of the point of the other body, so
     * the other body comes first. */
    for (int k = 0; k < 2; k++) {
        int which = pair->b[0].flat ? 1 - k : k;
        const struct support_body *body = &pair->b[which];
        double direction[3], a[3] = {n[0], n[1], n[2]};
        if (which == 1)
            for (int j = 0; j < 3; j++)
                a[j] = -n[j];
        support_rotate_back(body, a, direction);
        if (body->flat) {
            double v[3], y[3];
            for (int j = 0; j < 3; j++)
                v[j] = world[1 - which][j] - body->c[j];
            support_rotate_back(body, v, y);
            for (int j = 0; j < 3; j++)
                y[j] += body->centre[j];
            enum support_fault fault = support_level(body, y, &pair->p[which]);
            if (fault != SUPPORT_FINE || !(pair->p[which].norm > 0.0))
                return fault != SUPPORT_FINE ? fault : SUPPORT_NO_ROOT;
            double off =
                pair->p[which].G / (pair->p[which].norm * pair->p[which].norm);
            for (int j = 0; j < 3; j++)
                pair->p[which].x[j] -= off * pair->p[which].g[j];
        } else {
            enum support_fault fault = support_find(
                body, direction, 1e-8, pair->have[which], &pair->p[which]);
            if (fault != SUPPORT_FINE)
                return fault;
        }
        pair->have[which] = true;
        support_to_world(body, pair->p[which].x, world[which]);
    }
    double d[3] = {world[1][0] - world[0][0], world[1][1] - world[0][1],
                   world[1][2] - world[0][2]};
    pair->sigma = vec3_dot(n, d);
    for (int j = 0; j < 3; j++)
        d[j] -= pair->sigma * n[j];
    pair->slope = vec3_norm(d);
    return SUPPORT_FINE;
}

void
support_radii(int dim, const double K[3], double least, double W[3])
{
    assert(least >= 0);
    double k[3] = {K[0], K[1], K[2]};
    lift(dim, k, least);
    if (dim == 2) {
        W[0] = W[2] = 1.0 / k[0];
        W[1] = 0.0;
        return;
    }
    double det = k[0] * k[2] - k[1] * k[1];
    W[0] = k[2] / det;
    W[1] = -k[1] / det;
    W[2] = k[0] / det;
}

bool
support_first_on_ray(const struct support_body *body, const double *x)
{
    assert(body != NULL && x != NULL);
    static const double share[] = {0.2, 0.5, 0.8, 0.95};
    if (body->flat || body->b->g0 == IMP_NO_TAPE)
        return true;
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
        double G, y[3] = {share[i] * x[0], share[i] * x[1],
                          body->d == 3 ? share[i] * x[2] : 0.0};
        if (rt_eval(body->r, body->b->g0, y, &G) != IMP_OK || G >= 0.0)
            return false;
    }
    return true;
}

/* Makes the matrix of the radii of curvature of body i at its point, in world
 * tangents T. */
static void
radii(const struct support_pair *pair, int i, double T[2][3], double W[3])
{
    const struct support_body *body = &pair->b[i];
    double t[2][3], K[3];
    support_rotate_back(body, T[0], t[0]);
    support_rotate_back(body, T[1], t[1]);
    support_curvature(body, &pair->p[i], t, K);
    support_radii(body->d, K, 1e-7 / pair->length, W);
}

/* Newton's method for the maximum of sigma on the sphere: gradient P w with
 * w = r_Q - r_P, Hessian -(W1 + W2 + sigma) */
enum support_fault
support_separation_maximise(struct support_pair *pair, double tol, int most)
{
    assert(tol > 0 && most > 0);
    int dim = pair->b[0].d;
    for (int it = 0; it < most; it++) {
        if (pair->slope <= tol * pair->length)
            return SUPPORT_FINE;
        double T[2][3], W[2][3], M[3], world[2][3], gradient[2], step[2];
        support_tangents(dim, pair->n, T);
        for (int i = 0; i < 2; i++) {
            radii(pair, i, T, W[i]);
            support_to_world(&pair->b[i], pair->p[i].x, world[i]);
        }
        for (int j = 0; j < 3; j++)
            world[1][j] -= world[0][j];
        for (int j = 0; j < 3; j++)
            M[j] = W[0][j] + W[1][j] + (j == 1 ? 0.0 : pair->sigma);
        lift(dim, M, 0.05 * pair->length);
        gradient[0] = vec3_dot(world[1], T[0]);
        gradient[1] = dim == 3 ? vec3_dot(world[1], T[1]) : 0.0;
        sym2_solve(dim - 1, M, gradient, step);
        double len = sqrt(step[0] * step[0] + step[1] * step[1]);
        double share = len > 0.7 ? 0.7 / len : 1.0;
        double rise = step[0] * gradient[0] + step[1] * gradient[1];
        bool rose = false;
        for (int half = 0; half < 30 && !rose; half++, share *= 0.5) {
            struct support_pair next = *pair;
            double n[3];
            for (int j = 0; j < 3; j++)
                n[j] = pair->n[j] +
                       share * (step[0] * T[0][j] + step[1] * T[1][j]);
            double l = vec3_norm(n);
            for (int j = 0; j < 3; j++)
                n[j] /= l;
            enum support_fault fault = support_separation(&next, n);
            if (fault != SUPPORT_FINE)
                return fault;
            double up = next.sigma - pair->sigma;
            if (up >= 1e-3 * share * rise ||
                (next.slope < 0.5 * pair->slope &&
                 up >= -1e-13 * (pair->length + fabs(pair->sigma)))) {
                *pair = next;
                rose = true;
            }
        }
        if (!rose)
            return pair->slope <= 1e-5 * pair->length ? SUPPORT_FINE
                                                      : SUPPORT_LOST;
    }
    return pair->slope <= 1e-3 * pair->length ? SUPPORT_FINE : SUPPORT_LOST;
}

double
support_ball_radius(struct rt *run, uint32_t body)
{
    assert(run != NULL && body < run->im->bodies.n);
    const imp_body *image_body = rt_body(run, body);
    const double *of = run->env + image_body->env_body;
    double zero[3] = {0.0, 0.0, 0.0}, out[10];
    uint32_t dim = run->im->dim;
    if (!(image_body->flags & IMP_BODYF_BALL))
        return 0.0;
    for (uint32_t i = 0; i < dim; i++)
        if (of[IMP_BODY_CENTRE + i] != 0.0)
            return 0.0;
    if (rt_eval(run, image_body->g2, zero, out) != IMP_OK)
        return 0.0;
    double square = -2.0 * out[0] / out[1 + dim];
    return square > 0.0 && isfinite(square) ? sqrt(square) : 0.0;
}
