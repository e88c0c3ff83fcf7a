/* SPDX-License-Identifier: MIT */
/* Corners that are rounded by one small radius (rounded_corner.h): where the
 * line of their centres' difference D meets the boundary of what they cannot
 * enter. That is a circle of radius 2 about 0 between the normals at both ends,
 * and beyond it a straight line along each of both sides, n.D = 2. */
#include "runtime/features/rounded_corner.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* What differs by less than this share is one (lengths in radii, cosines):
 * where the centres come exactly to the end of a circle, the normal of the
 * circle and that of the side differ by its square root at most, 1e-6, within
 * which polytope_manifold.c takes directions for one (TOUCH_SAME). */
#define ROUNDED_SAME 1e-12
/* A line that misses the end of a circle by that meets the side beside it, to
 * the rounding of a line that is nearly along both. */
#define ROUNDED_END 1e-9

const char *
corners_word(uint32_t corners)
{
    static const char *const word[] = {
#define CORNERS(ID, word, doc) #word,
#include "abi/corners.def"
    };
    return corners < CORNERS_COUNT ? word[corners] : NULL;
}

static double
dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

void
rounded_corner_centre(const struct polytope *polytope, uint32_t vertex,
                      double centre[2])
{
    assert(polytope != NULL && polytope->dim == 2 && centre != NULL);
    assert(vertex < polytope->n_vertex);
    const uint32_t *face = polytope->around + polytope->at[vertex];
    assert(polytope->at[vertex + 1] - polytope->at[vertex] == 2);
    const double *a = polytope->face[face[0]].n, *b = polytope->face[face[1]].n;
    /* along both normals it is at -1, and so it lies on their bisector */
    double cosine = dot(a, b);
    for (int i = 0; i < 2; i++)
        centre[i] = -(a[i] + b[i]) / (1.0 + cosine);
}

void
rounded_corner_on_side(const double normal[2], double centre[2])
{
    assert(normal != NULL && centre != NULL);
    double lift = 1.0 - dot(normal, centre);
    for (int i = 0; i < 2; i++)
        centre[i] += lift * normal[i];
}

/* Along a side of normal `most[end]`: the direction in which the side goes
 * away from the corner. */
static void
along(const struct rounded_corners *in, int end, double out[2])
{
    const double *n = in->most[end], *other = in->most[1 - end];
    out[0] = -n[1];
    out[1] = n[0];
    double sign = dot(out, other) > 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 2; i++)
        out[i] *= sign;
}

/* Where the line meets the circle of radius 2 first. False: it misses it. */
static bool
on_circle(const struct rounded_corners *in, double normal[2])
{
    double length = hypot(in->path[0], in->path[1]), u[2], beside;
    for (int i = 0; i < 2; i++)
        u[i] = in->path[i] / length;
    beside = u[0] * in->from[1] - u[1] * in->from[0];
    if (!(fabs(beside) < 2.0))
        return false;
    double back = sqrt((2.0 - beside) * (2.0 + beside));
    normal[0] = 0.5 * (-back * u[0] - beside * u[1]);
    normal[1] = 0.5 * (-back * u[1] + beside * u[0]);
    return true;
}

bool
rounded_corners_meet(const struct rounded_corners *in, double normal[2])
{
    assert(in != NULL && normal != NULL);
    assert(in->path[0] != 0.0 || in->path[1] != 0.0);
    double side[2][2], speed = hypot(in->path[0], in->path[1]);
    bool inside = on_circle(in, normal);
    for (int end = 0; end < 2; end++) {
        along(in, end, side[end]);
        inside &= dot(side[end], normal) <= ROUNDED_SAME;
    }
    if (inside)
        return dot(normal, in->path) < -ROUNDED_SAME * speed;
    for (int end = 0; end < 2; end++) {
        const double *n = in->most[end];
        double rate = dot(n, in->path), at[2];
        if (!(rate < -ROUNDED_SAME * speed))
            continue;
        double time = (2.0 - dot(n, in->from)) / rate;
        for (int i = 0; i < 2; i++)
            at[i] = in->from[i] + time * in->path[i];
        if (dot(side[end], at) < -ROUNDED_END)
            continue;
        memcpy(normal, n, 2 * sizeof *normal);
        return true;
    }
    return false;
}
