/* SPDX-License-Identifier: MIT */
/* See ray.h. Halley's iteration on f(rho) = G(o + rho d), whose first two
 * derivatives the tape g2 gives exactly, kept inside a bracket: f < 0 at lo,
 * f > 0 (or not a number) at hi. */
#include "runtime/geometry/ray.h"

#include <float.h>
#include <math.h>

#include "base/num.h"

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
ray_level(struct rt *r, uint32_t body, const double x[3])
{
    double g = (double)NAN;
    int s = rt_eval(r, rt_body(r, body)->g0, x, &g);
    return s == IMP_OK || s == IMP_NONFINITE ? g : (double)NAN;
}

struct along {
    double f, df, ddf;
};

/* f, f', f'' at rho; fills hit */
static struct along
level_along(struct rt *r, uint32_t body, const double o[3], const double d[3],
            double rho, struct ray_hit *hit)
{
    double out[10];
    int dim = (int)r->im->dim;
    point_at(o, d, rho, hit->x);
    hit->rho = rho;
    out[0] = (double)NAN;
    rt_eval(r, rt_body(r, body)->g2, hit->x, out);
    struct along a = {out[0], 0, 0};
    hit->g[2] = 0;
    for (int i = 0; i < dim; i++) {
        hit->g[i] = out[1 + i];
        a.df += out[1 + i] * d[i];
    }
    const double *h = out + 1 + dim;
    if (dim == 2)
        a.ddf =
            h[0] * d[0] * d[0] + h[1] * d[1] * d[1] + 2 * h[2] * d[0] * d[1];
    else
        a.ddf =
            h[0] * d[0] * d[0] + h[1] * d[1] * d[1] + h[2] * d[2] * d[2] +
            2 * (h[3] * d[0] * d[1] + h[4] * d[0] * d[2] + h[5] * d[1] * d[2]);
    return a;
}

/* Halley's step, or Newton's where the second derivative is no help; NaN where
 * there is none */
static double
proposal(double rho, struct along a)
{
    if (!isfinite(a.f) || !(a.df > 0) || !isfinite(a.df))
        return (double)NAN;
    double newton = a.f / a.df;
    double q = 1 - 0.5 * newton * a.ddf / a.df;
    return rho - (isfinite(q) && q > 0.2 ? newton / q : newton);
}

enum ray_fault
ray_hit(struct rt *r, uint32_t body, const double o[3], const double d[3],
        double guess, struct ray_hit *out)
{
    double rho = guess > 0 ? guess : 1;
    double lo = 0, hi = (double)INFINITY, far = RAY_FAR * rho;
    bool hi_number = false, inside = false;
    for (int step = 0; step < RAY_STEPS; step++) {
        struct along a = level_along(r, body, o, d, rho, out);
        if (a.f == 0 && a.df > 0)
            return RAY_OK;
        if (a.f < 0) {
            lo = rho;
        } else {
            hi = rho;
            hi_number = isfinite(a.f);
        }
        /* the start must be inside; no evaluation if a guess was inside */
        if (a.f < 0)
            inside = true;
        if (!inside && step == 0) {
            if (!(ray_level(r, body, o) < 0))
                return RAY_OUTSIDE;
            inside = true;
        }
        double next = proposal(rho, a);
        bool usable = next > lo && next < hi && next <= 4 * rho;
        if (usable && fabs(next - rho) <= RAY_EPS * rho) {
            if (next != rho)
                level_along(r, body, o, d, next, out);
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
    struct along a = level_along(r, body, o, d, hi, out);
    return a.df > 0 ? RAY_OK : RAY_TANGENT;
}

enum ray_fault
ray_star(struct rt *r, uint32_t body, const double o[3], const double d[3],
         double rho)
{
    static const double before[] = {0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99};
    static const double after[] = {1.01, 1.05, 1.15, 1.3, 1.6,
                                   2.0,  2.6,  3.5,  5.0, 8.0};
    double x[3];
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        point_at(o, d, before[i] * rho, x);
        if (!(ray_level(r, body, x) < 0))
            return RAY_REENTERS;
    }
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        point_at(o, d, after[i] * rho, x);
        if (ray_level(r, body, x) < 0)
            return RAY_REENTERS;
    }
    return RAY_OK;
}

void
ray_diag(struct rt *r, uint32_t body, enum ray_fault f, const double d[3],
         const char *why)
{
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
                        "move the formula so that the origin lies inside",
        [RAY_NO_END] = "state `mass`, `inertia` and `centre` of the body, or "
                       "close the surface",
        [RAY_UNDEFINED] = "the formula must give numbers inside the body and "
                          "a little beyond its surface",
        [RAY_TANGENT] = "state `volume`, `centre` and `inertia` in the shape",
        [RAY_REENTERS] = "state `volume`, `centre` and `inertia` in the "
                         "shape, or move its origin"};
    const imp_body *b = rt_body(r, body);
    char x[3][NUM_TEXT];
    for (int i = 0; i < 3; i++)
        num_digits(x[i], d[i] == 0 ? 0 : d[i], 4);
    struct diag *g = diag_add(r->ds, codes[f], b->range_shape, "%s`%s`%s",
                              what[f][0], imp_text(r->im, b->name), what[f][1]);
    if (f != RAY_OUTSIDE) {
        if (r->im->dim == 2)
            diag_note(r->ds, g, IMP_NOWHERE, "the direction is (%s, %s)", x[0],
                      x[1]);
        else
            diag_note(r->ds, g, IMP_NOWHERE, "the direction is (%s, %s, %s)",
                      x[0], x[1], x[2]);
    }
    if (why)
        diag_note(r->ds, g, b->range, "the surface is needed for the %s", why);
    diag_help(r->ds, g, "%s", help[f]);
}
