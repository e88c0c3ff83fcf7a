/* SPDX-License-Identifier: MIT */
/* Bounding balls. A convex body lies on one side of each of its tangent
 * planes. Tangent planes whose normals are close to plus and minus the axes
 * make a slightly skew box that holds the body; its farthest corner bounds the
 * radius, whatever the small tilt. Where no such box is found (a body that is
 * not convex, or nearly flat) many rays and a factor of two stand in. */
#include <assert.h>
#include <math.h>

#include "runtime/geometry/polytope.h"
#include "runtime/geometry/ray.h"
#include "runtime/numerics/vec3.h"
#include "runtime/setup/setup_priv.h"

/* the sine of the greatest tilt of a side of the box */
#define BOX_TILT 0.2
#define BOX_STEPS 60

struct side { /* n.x <= h */
    double n[3], h;
};

/* A tangent plane whose normal is near `direction`: the ray is turned towards
 * it by as much as the normal at its end still misses it. */
static enum ray_fault
find_side(struct rt *run, uint32_t body, const double direction[3],
          struct side *side)
{
    static const double origin[3] = {0, 0, 0};
    double outward[3] = {direction[0], direction[1], direction[2]}, rate = 1,
           last = 2;
    struct ray_hit hit = {.rho = 0};
    for (int step = 0; step < BOX_STEPS; step++) {
        enum ray_fault f = ray_hit(run, body, origin, outward, hit.rho, &hit);
        if (f != RAY_OK)
            return f;
        double normal[3] = {hit.g[0], hit.g[1], hit.g[2]};
        if (!(vec3_normalise(normal) > 0) ||
            !isfinite(normal[0] + normal[1] + normal[2]))
            return RAY_TANGENT;
        double miss[3], size = 0;
        for (int i = 0; i < 3; i++) {
            miss[i] = direction[i] - normal[i];
            size += miss[i] * miss[i];
        }
        size = sqrt(size);
        if (size <= BOX_TILT) {
            for (int i = 0; i < 3; i++)
                side->n[i] = normal[i];
            side->h = vec3_dot(normal, hit.x);
            return RAY_OK;
        }
        rate = size > last ? 0.5 * rate : fmin(1, 1.2 * rate);
        last = size;
        for (int i = 0; i < 3; i++)
            outward[i] += rate * 0.5 * miss[i];
        vec3_normalise(outward);
    }
    return RAY_TANGENT;
}

/* The point where the first `dim` sides meet. Returns false if they are nearly
 * parallel. */
static bool
corner(int dim, const struct side *const sides[3], double point[3])
{
    const double *first = sides[0]->n, *second = sides[1]->n;
    if (dim == 2) {
        double det = first[0] * second[1] - first[1] * second[0];
        point[0] = (sides[0]->h * second[1] - sides[1]->h * first[1]) / det;
        point[1] = (first[0] * sides[1]->h - second[0] * sides[0]->h) / det;
        point[2] = 0;
        return fabs(det) > 0.5;
    }
    const double *third = sides[2]->n;
    double bc[3], ca[3], ab[3];
    vec3_cross(second, third, bc);
    vec3_cross(third, first, ca);
    vec3_cross(first, second, ab);
    double det = vec3_dot(first, bc);
    for (int i = 0; i < 3; i++)
        point[i] =
            (sides[0]->h * bc[i] + sides[1]->h * ca[i] + sides[2]->h * ab[i]) /
            det;
    return fabs(det) > 0.3;
}

/* The greatest length of rays in many directions; infinite if one of them
 * finds no end. */
static double
by_rays(struct rt *run, uint32_t body, const double centre[3])
{
    static const double origin[3] = {0, 0, 0};
    const int n = run->im->dim == 2 ? 64 : 400;
    double best = 0;
    struct ray_hit hit = {.rho = 0};
    for (int i = 0; i < n; i++) {
        /* equal steps of height and the golden angle */
        double c = run->im->dim == 2 ? 0 : (2 * i + 1.0) / n - 1;
        double phi = run->im->dim == 2 ? 6.283185307179586 * i / n
                                       : 2.399963229728653 * i;
        double q = sqrt(1 - c * c);
        double d[3] = {q * cos(phi), q * sin(phi), c}, s = 0;
        if (ray_hit(run, body, origin, d, hit.rho, &hit) != RAY_OK)
            return (double)INFINITY;
        for (int k = 0; k < 3; k++)
            s += (hit.x[k] - centre[k]) * (hit.x[k] - centre[k]);
        best = fmax(best, sqrt(s));
    }
    return 2 * best;
}

/* The farthest corner from the origin, which is the mass centre, of a body
 * that is its own mirror image in every axis. All normals change sign together
 * with their sides, so the corners are sums of plus and minus the same three
 * vectors. */
static double
mirrored(int dim, struct side side[3][2])
{
    double axes[3][3], best = 0;
    for (int i = 0; i < dim; i++) {
        struct side one[3];
        const struct side *s[3] = {&one[0], &one[1], &one[2]};
        for (int k = 0; k < dim; k++) {
            one[k] = side[k][0];
            if (k != i)
                one[k].h = 0;
        }
        if (!corner(dim, s, axes[i]))
            return -1;
    }
    for (int c = 0; c < 1 << (dim - 1); c++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = axes[0][k] + (c & 1 ? -axes[1][k] : axes[1][k]);
            if (dim == 3)
                x[k] += c & 2 ? -axes[2][k] : axes[2][k];
        }
        best = fmax(best, vec3_dot(x, x));
    }
    return sqrt(best);
}

double
setup_radius(struct rt *run, uint32_t body, const double centre[3])
{
    assert(body < run->im->bodies.n);
    const imp_body *spec = rt_body(run, body);
    int dim = (int)run->im->dim;
    struct side side[3][2];
    if (run->polytope[body])
        return run->polytope[body]->radius;
    if (spec->g2 == IMP_NO_TAPE)
        return 0;
    if (spec->flags & IMP_BODYF_FLAT)
        return (double)INFINITY;
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < 2; k++) {
            if (k == 1 && (spec->flags & (IMP_BODYF_MIRROR_X << i))) {
                side[i][1] = side[i][0];
                side[i][1].n[i] = -side[i][0].n[i];
                continue;
            }
            double m[3] = {0, 0, 0};
            m[i] = k == 0 ? 1 : -1;
            enum ray_fault f = find_side(run, body, m, &side[i][k]);
            if (f == RAY_NO_END)
                return (double)INFINITY;
            if (f != RAY_OK)
                return by_rays(run, body, centre);
        }
    double best = 0;
    const uint32_t all = IMP_BODYF_MIRROR_X | IMP_BODYF_MIRROR_Y |
                         (dim == 3 ? IMP_BODYF_MIRROR_Z : 0);
    if ((spec->flags & all) == all && vec3_dot(centre, centre) == 0) {
        best = mirrored(dim, side);
        return best < 0 ? by_rays(run, body, centre) : best * (1 + 1e-12);
    }
    for (int c = 0; c < 1 << dim; c++) {
        const struct side *s[3] = {&side[0][c & 1], &side[1][c >> 1 & 1],
                                   &side[2 % dim][c >> 2 & 1]};
        double x[3];
        if (!corner(dim, s, x))
            return by_rays(run, body, centre);
        for (int k = 0; k < 3; k++)
            x[k] -= centre[k];
        best = fmax(best, sqrt(vec3_dot(x, x)));
    }
    return best * (1 + 1e-12);
}
