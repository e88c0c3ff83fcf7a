/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes as support functions: corners, faces and centres of mass. */
#include "solid.h"

#include <math.h>
#include <string.h>

#include "vector.h"

/* Two faces are one if their normals differ by less; random corners do not come
 * so near to one plane unless they are in it. */
static const double SAME_NORMAL = 1e-9;

static void
add_direction(double list[][3], int *count, int space, const double normal[3],
              bool both_ways)
{
    for (int i = 0; i < *count; i++) {
        double cosine = dot(list[i], normal);
        if ((both_ways ? fabs(cosine) : cosine) >
                1 - SAME_NORMAL * SAME_NORMAL ||
            distance(list[i], normal) < SAME_NORMAL)
            return;
    }
    if (*count < space)
        memcpy(list[(*count)++], normal, 3 * sizeof normal[0]);
}

/* Adds the plane through corners i, k, m if no corner lies outside of it. */
static void
add_face(struct solid *solid, const double a[3], const double b[3],
         const double c[3])
{
    double ab[3], ac[3], normal[3];
    add_scaled(b, -1, a, ab);
    add_scaled(c, -1, a, ac);
    cross(ab, ac, normal);
    double size = length(normal), inside = 0, outside = 0;
    if (size == 0)
        return;
    for (int k = 0; k < 3; k++)
        normal[k] /= size;
    for (int i = 0; i < solid->corners; i++) {
        double height = dot(normal, solid->corner[i]) - dot(normal, a);
        inside = fmin(inside, height);
        outside = fmax(outside, height);
    }
    if (outside > SAME_NORMAL && inside < -SAME_NORMAL)
        return;
    for (int k = 0; k < 3 && outside > SAME_NORMAL; k++)
        normal[k] = -normal[k];
    add_direction(solid->face, &solid->faces, MAX_FACES, normal, false);
}

static void
find_faces(struct solid *solid)
{
    static const double up[3] = {0, 0, 1};
    solid->faces = 0;
    for (int i = 0; i < solid->corners; i++)
        for (int k = i + 1; k < solid->corners; k++) {
            double third[3];
            add_scaled(solid->corner[i], 1, up, third);
            if (solid->dimension == 2)
                add_face(solid, solid->corner[i], solid->corner[k], third);
            for (int m = k + 1; solid->dimension == 3 && m < solid->corners;
                 m++)
                add_face(solid, solid->corner[i], solid->corner[k],
                         solid->corner[m]);
        }
}

/* Edges are where two faces share two corners. */
static void
find_edges(struct solid *solid)
{
    for (int i = 0; i < solid->corners; i++)
        for (int k = i + 1; k < solid->corners; k++) {
            int shared = 0;
            double direction[3];
            add_scaled(solid->corner[k], -1, solid->corner[i], direction);
            for (int f = 0; f < solid->faces; f++) {
                double top = -INFINITY;
                for (int m = 0; m < solid->corners; m++)
                    top = fmax(top, dot(solid->face[f], solid->corner[m]));
                shared +=
                    top - dot(solid->face[f], solid->corner[i]) < SAME_NORMAL &&
                    top - dot(solid->face[f], solid->corner[k]) < SAME_NORMAL;
            }
            double size = length(direction);
            for (int m = 0; m < 3; m++)
                direction[m] /= size;
            if (shared >= 2)
                add_direction(solid->edge, &solid->edges, MAX_EDGES, direction,
                              true);
        }
}

/* Sorts the corners of a face about its normal; returns how many. */
static int
face_corners(const struct solid *solid, const double normal[3], double out[][3])
{
    double top = -INFINITY, angle[MAX_CORNERS], across[3], along[3] = {0};
    int count = 0;
    for (int i = 0; i < solid->corners; i++)
        top = fmax(top, dot(normal, solid->corner[i]));
    for (int i = 0; i < solid->corners; i++)
        if (top - dot(normal, solid->corner[i]) < SAME_NORMAL)
            memcpy(out[count++], solid->corner[i], sizeof out[0]);
    double middle[3] = {0};
    for (int i = 0; i < count; i++)
        add_scaled(middle, 1.0 / count, out[i], middle);
    add_scaled(out[0], -1, middle, along);
    cross(normal, along, across);
    for (int i = 0; i < count; i++) {
        double from[3];
        add_scaled(out[i], -1, middle, from);
        angle[i] = atan2(dot(from, across), dot(from, along));
        for (int k = i; k > 0 && angle[k - 1] > angle[k]; k--) {
            double keep = angle[k], corner[3];
            memcpy(corner, out[k], sizeof corner);
            angle[k] = angle[k - 1];
            memcpy(out[k], out[k - 1], sizeof corner);
            angle[k - 1] = keep;
            memcpy(out[k - 1], corner, sizeof corner);
        }
    }
    return count;
}

/* Moves the origin to the centre of mass: sum over simplices from the first
 * corner. */
static void
to_centre(struct solid *solid)
{
    double sum[3] = {0}, volume = 0, base[3], ring[MAX_CORNERS][3];
    static const double up[3] = {0, 0, 1};
    memcpy(base, solid->corner[0], sizeof base);
    int faces = solid->dimension == 3 ? solid->faces : 1;
    for (int f = 0; f < faces; f++) {
        const double *normal = solid->dimension == 3 ? solid->face[f] : up;
        int count = face_corners(solid, normal, ring);
        for (int i = 1; i + 1 < count; i++) {
            double a[3], b[3], c[3], product[3];
            add_scaled(ring[0], -1, base, a);
            add_scaled(ring[i], -1, base, b);
            add_scaled(ring[i + 1], -1, base, c);
            double part;
            if (solid->dimension == 3) {
                cross(b, c, product);
                part = dot(a, product);
            } else {
                add_scaled(b, -1, a, product);
                double other[3], size[3];
                add_scaled(c, -1, a, other);
                cross(product, other, size);
                part = size[2];
            }
            volume += part;
            add_scaled(sum, part, a, sum);
            add_scaled(sum, part, b, sum);
            add_scaled(sum, part, c, sum);
        }
    }
    int points = solid->dimension + 1;
    for (int k = 0; k < 3; k++)
        sum[k] = base[k] + sum[k] / (volume * points);
    for (int i = 0; i < solid->corners; i++)
        add_scaled(solid->corner[i], -1, sum, solid->corner[i]);
    solid->area = fabs(volume) / (solid->dimension == 3 ? 6 : 2);
}

static void
box_corners(struct solid *solid)
{
    solid->corners = solid->dimension == 3 ? 8 : 4;
    for (int i = 0; i < solid->corners; i++)
        for (int k = 0; k < solid->dimension; k++)
            solid->corner[i][k] = (i >> k & 1 ? 0.5 : -0.5) * solid->size[k];
}

void
solid_make(const struct body *body, int dimension, struct solid *out)
{
    *out = (struct solid){.shape = body->shape, .dimension = dimension};
    memcpy(out->size, body->size, sizeof out->size);
    out->radius = INFINITY;
    if (body->shape == SHAPE_HALF)
        return;
    out->radius = body->size[0];
    if (body->shape == SHAPE_ELLIPSE)
        for (int k = 1; k < dimension; k++)
            out->radius = fmax(out->radius, body->size[k]);
    if (body->shape == SHAPE_SUPERELLIPSE)
        out->radius = length(body->size);
    if (body->shape != SHAPE_BOX && body->shape != SHAPE_HULL)
        return;
    if (body->shape == SHAPE_BOX) {
        box_corners(out);
    } else {
        out->corners = body->corners;
        memcpy(out->corner, body->corner, sizeof out->corner);
    }
    find_faces(out);
    if (dimension == 3)
        find_edges(out);
    to_centre(out);
    out->radius = 0;
    for (int i = 0; i < out->corners; i++)
        out->radius = fmax(out->radius, length(out->corner[i]));
}

void
solid_sort(struct solid *solid)
{
    for (int i = 1; i < solid->corners; i++)
        for (int k = i; k > 0; k--) {
            double *a = solid->corner[k - 1], *b = solid->corner[k], keep[3];
            if (atan2(a[1], a[0]) <= atan2(b[1], b[0]))
                break;
            memcpy(keep, a, sizeof keep);
            memcpy(a, b, sizeof keep);
            memcpy(b, keep, sizeof keep);
        }
}
