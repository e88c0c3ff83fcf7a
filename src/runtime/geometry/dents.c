/* SPDX-License-Identifier: MIT */
/* Dents and lobes of a level set: a body is convex if its surface lies on one
 * side of each of its tangent planes. Points of the surface are taken along
 * rays from the origin of the shape. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/geometry/dents.h"
#include "runtime/geometry/ray.h"
#include "runtime/geometry/support.h"

#define SAMPLES_PLANE 120
#define SAMPLES_SPACE 300
/* Beyond a tangent plane by less than this share of the size is rounding, of
 * gradients where the surface is all but flat, too. */
#define DENT_LEAST 1e-5

/* Are the second derivatives of G the same at all places that are asked? Then
 * G = 0 is a quadric. */
static bool
is_quadric(const struct support_body *shape)
{
    static const double place[3][3] = {
        {0.0, 0.0, 0.0}, {0.37, -0.23, 0.31}, {-0.71, 0.59, 0.83}};
    struct support_point at[3];
    double size = shape->size > 0.0 ? shape->size : 1.0;
    for (int k = 0; k < 3; k++) {
        double x[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < shape->d; i++)
            x[i] = size * place[k][i];
        if (support_level(shape, x, &at[k]) != SUPPORT_FINE)
            return false;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 1; k < 3; k++)
                if (fabs(at[k].H[i][j] - at[0].H[i][j]) >
                    RT_TOLERANCE * fabs(at[0].H[i][i]))
                    return false;
    return true;
}

/* The k-th of n directions, spread evenly over the circle or the sphere. */
static void
direction(int dim, int k, int n, double out[3])
{
    const double golden = 2.399963229728653; /* the golden angle */
    double angle = dim == 2 ? 2.0 * M_PI * (k + 0.25) / n : golden * k,
           up = dim == 2 ? 0.0 : 1.0 - (2.0 * k + 1.0) / n,
           across = sqrt(1.0 - up * up);
    out[0] = across * cos(angle);
    out[1] = across * sin(angle);
    out[2] = up;
}

bool
shape_has_dents(struct rt *run, uint32_t body, double *far)
{
    assert(run != NULL && far != NULL && body < run->im->bodies.n);
    const imp_body *of = rt_body(run, body);
    int dim = (int)run->im->dim, count = 0,
        all = dim == 2 ? SAMPLES_PLANE : SAMPLES_SPACE;
    struct ray_hit *hit = NEW_N(run->brief, struct ray_hit, all);
    const double origin[3] = {0.0, 0.0, 0.0};
    struct support_body shape;
    double size = 0.0, guess = 0.0;
    *far = 0.0;
    if (!(of->flags & IMP_BODYF_SHAPE) ||
        of->flags & (IMP_BODYF_FLAT | IMP_BODYF_POLYTOPE | IMP_BODYF_BALL))
        return false;
    support_body_get(run, body, &shape);
    if (is_quadric(&shape))
        return false;
    for (int k = 0; k < all; k++) {
        double along[3];
        direction(dim, k, all, along);
        if (ray_hit(run, body, origin, along, guess, &hit[count]) != RAY_OK)
            continue;
        guess = hit[count].rho;
        size = fmax(size, guess);
        if (vec3_norm(hit[count].g) > 0.0)
            count++;
    }
    for (int i = 0; i < count; i++) {
        double length = vec3_norm(hit[i].g);
        for (int j = 0; j < count; j++) {
            double to[3] = {hit[j].x[0] - hit[i].x[0],
                            hit[j].x[1] - hit[i].x[1],
                            hit[j].x[2] - hit[i].x[2]};
            *far = fmax(*far, vec3_dot(hit[i].g, to) / length);
        }
    }
    return *far > DENT_LEAST * size;
}
