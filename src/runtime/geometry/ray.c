/* SPDX-License-Identifier: MIT */
/* See ray.h. Halley's iteration solves f(rho) = G(o + rho d) = 0. The tape g2
 * gives the first two derivatives of f exactly. The iteration stays inside a
 * bracket: f < 0 at lo; at hi f > 0, or f is not a number. */
#include "runtime/geometry/ray.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "base/num.h"
#include "runtime/numerics/vec3.h"

/* beyond this multiple of the first distance tried the body has no end */
#define RAY_FAR 1e12
#define RAY_STEPS 200
/* two iterates closer than this are one: two ulps either side */
#define RAY_EPS (4 * DBL_EPSILON)

static void
point_at(const double o[3], const double d[3], double rho, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = o[i] + rho * d[i];
}

double
ray_level(struct rt *run, uint32_t body, const double x[3])
{
    assert(body < run->im->bodies.n && x != NULL);
    double g = (double)NAN;
    int s = rt_eval(run, rt_body(run, body)->g0, x, &g);
    return s == IMP_OK || s == IMP_NONFINITE ? g : (double)NAN;
}

struct along {
    double f, df, ddf;
};

/* Computes f, f', f'' at rho, and fills *hit. */
static struct along
level_along(struct rt *run, uint32_t body, const double o[3],
            const double along_ray[3], double rho, struct ray_hit *hit)
{
    double out[10];
    int dim = (int)run->im->dim;
    point_at(o, along_ray, rho, hit->x);
    hit->rho = rho;
    out[0] = (double)NAN;
    rt_eval(run, rt_body(run, body)->g2, hit->x, out);
    struct along along = {out[0], 0, 0};
    hit->g[2] = 0;
    for (int i = 0; i < dim; i++) {
        hit->g[i] = out[1 + i];
        along.df += out[1 + i] * along_ray[i];
    }
    const double *hessian = out + 1 + dim;
    if (dim == 2)
        along.ddf = hessian[0] * along_ray[0] * along_ray[0] +
                    hessian[1] * along_ray[1] * along_ray[1] +
                    2 * hessian[2] * along_ray[0] * along_ray[1];
    else
        along.ddf = hessian[0] * along_ray[0] * along_ray[0] +
                    hessian[1] * along_ray[1] * along_ray[1] +
                    hessian[2] * along_ray[2] * along_ray[2] +
                    2 * (hessian[3] * along_ray[0] * along_ray[1] +
                         hessian[4] * along_ray[0] * along_ray[2] +
                         hessian[5] * along_ray[1] * along_ray[2]);
    return along;
}

/* Returns Halley's step, or Newton's where the second derivative does not help;
 * NaN where there is no step. */
static double
proposal(double rho, struct along along)
{
    if (!isfinite(along.f) || !(along.df > 0) || !isfinite(along.df))
        return (double)NAN;
    double newton = along.f / along.df;
    double q = 1 - 0.5 * newton * along.ddf / along.df;
    return rho - (isfinite(q) && q > 0.2 ? newton / q : newton);
}

enum ray_fault
ray_hit(struct rt *run, uint32_t body, const double origin[3],
        const double along_ray[3], double guess, struct ray_hit *out)
{
    assert(body < run->im->bodies.n && out != NULL);
    assert(!(fabs(vec3_norm(along_ray) - 1) > 1e-6));
    double rho = guess > 0 ? guess : 1;
    double lo = 0, hi = (double)INFINITY, far = RAY_FAR * rho;
    bool hi_number = false, inside = false;
    for (int step = 0; step < RAY_STEPS; step++) {
        struct along along =
            level_along(run, body, origin, along_ray, rho, out);
        if (along.f == 0 && along.df > 0)
            return RAY_OK;
        if (along.f < 0) {
            lo = rho;
        } else {
            hi = rho;
            hi_number = isfinite(along.f);
        }
        /* The start must be inside. If the level set at a guess was negative,
         * this need not be computed. */
        if (along.f < 0)
            inside = true;
        if (!inside && step == 0) {
            if (!(ray_level(run, body, origin) < 0))
                return RAY_OUTSIDE;
            inside = true;
        }
        double next = proposal(rho, along);
        bool usable = next > lo && next < hi && next <= 4 * rho;
        if (usable && fabs(next - rho) <= RAY_EPS * rho) {
            if (next != rho)
                level_along(run, body, origin, along_ray, next, out);
            return RAY_OK;
        }
        if (isinf(hi)) {
            if (!usable)
                next = 2 * rho;
            if (next > far)
                return RAY_NO_END;
        } else if (!usable || step % 8 == 7) {
            if (hi - lo <= RAY_EPS * hi)
                break;
            next = 0.5 * (lo + hi);
        }
        rho = next;
    }
    if (!hi_number)
        return RAY_UNDEFINED;
    struct along a = level_along(run, body, origin, along_ray, hi, out);
    return a.df > 0 ? RAY_OK : RAY_TANGENT;
}

enum ray_fault
ray_star(struct rt *run, uint32_t body, const double origin[3],
         const double along_ray[3], double rho)
{
    assert(body < run->im->bodies.n);
    static const double before[] = {0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99};
    static const double after[] = {1.01, 1.05, 1.15, 1.3, 1.6,
                                   2.0,  2.6,  3.5,  5.0, 8.0};
    double x[3];
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        point_at(origin, along_ray, before[i] * rho, x);
        if (!(ray_level(run, body, x) < 0))
            return RAY_REENTERS;
    }
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        point_at(origin, along_ray, after[i] * rho, x);
        if (ray_level(run, body, x) < 0)
            return RAY_REENTERS;
    }
    return RAY_OK;
}

void
ray_diag(struct rt *run, uint32_t body, enum ray_fault fault,
         const double along_ray[3], const char *why)
{
    assert(fault != RAY_OK && why != NULL);
    static const enum diag_code codes[] = {
        [RAY_OK] = DIAG_NONE,       [RAY_OUTSIDE] = DIAG_E0522,
        [RAY_NO_END] = DIAG_E0523,  [RAY_UNDEFINED] = DIAG_E0526,
        [RAY_TANGENT] = DIAG_E0524, [RAY_REENTERS] = DIAG_E0524};
    static const char *const what[][2] = {
        [RAY_OK] = {"", ""},
        [RAY_OUTSIDE] = {"the origin of ", " is not inside its level set"},
        [RAY_NO_END] = {"the shape of ", " has no end along this direction"},
        [RAY_UNDEFINED] = {"the level set of ", " is not defined on this ray"},
        [RAY_TANGENT] = {"the shape of ",
                         " is not star-shaped about its origin"},
        [RAY_REENTERS] = {"the shape of ",
                          " is not star-shaped about its origin"}};
    static const char *const help[] = {
        [RAY_OK] = "",
        [RAY_OUTSIDE] = "a level set is negative inside: turn its sign, or "
                        "move the formula so that the origin lies inside "
                        "(a ring or a bowl is no body: weld convex ones)",
        [RAY_NO_END] = "state `mass`, `inertia` and `centre` of the body, or "
                       "close the surface",
        [RAY_UNDEFINED] = "the formula must give numbers inside the body and "
                          "a little beyond its surface",
        [RAY_TANGENT] = "state `volume`, `centre` and `inertia` in the shape",
        [RAY_REENTERS] = "state `volume`, `centre` and `inertia` in the "
                         "shape, or move its origin"};
    const imp_body *image_body = rt_body(run, body);
    char text[3][NUM_TEXT];
    for (int i = 0; i < 3; i++)
        num_digits(text[i], along_ray[i] == 0 ? 0 : along_ray[i], 4);
    struct diag *diag = diag_add(
        run->ds, codes[fault], imp_places_of(run->im, image_body)->shape,
        "%s`%s`%s", what[fault][0], imp_text(run->im, image_body->name),
        what[fault][1]);
    if (fault != RAY_OUTSIDE) {
        if (run->im->dim == 2)
            diag_note(run->ds, diag, IMP_NOWHERE, "the direction is (%s, %s)",
                      text[0], text[1]);
        else
            diag_note(run->ds, diag, IMP_NOWHERE,
                      "the direction is (%s, %s, %s)", text[0], text[1],
                      text[2]);
    }
    if (why)
        diag_note(run->ds, diag, image_body->range,
                  "the surface is needed for the %s", why);
    diag_help(run->ds, diag, "%s", help[fault]);
}
