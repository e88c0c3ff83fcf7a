/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distance of two convex bodies is the greatest, over all directions d, of
 * d.(x_b - x_a) - h_a(d) - h_b(-d), where h is the support function. Where they
 * overlap its greatest value is minus the depth. */
#include <math.h>
#include <string.h>

#include "solid.h"
#include "vector.h"

struct pair {
    const struct solid *solid[2];
    const struct state *at[2];
    double between[3];
};

/* greatest d.x over the solid, and where; d in axes of the body */
static double
support(const struct solid *solid, const double d[3], double point[3])
{
    double sum = 0, exponent = solid->shape == SHAPE_SUPERELLIPSE ? 4.0 : 2.0;
    memset(point, 0, 3 * sizeof point[0]);
    if (solid->corners) {
        int best = 0;
        for (int i = 1; i < solid->corners; i++)
            if (dot(d, solid->corner[i]) > dot(d, solid->corner[best]))
                best = i;
        memcpy(point, solid->corner[best], 3 * sizeof point[0]);
        return dot(d, point);
    }
    /* the dual norm: with 1/p + 1/q = 1, x_k = a_k (a_k d_k)^(q-1) / norm */
    double dual = exponent / (exponent - 1);
    for (int k = 0; k < solid->dimension; k++) {
        double size = solid->size[solid->shape == SHAPE_BALL ? 0 : k];
        sum += pow(fabs(size * d[k]), dual);
    }
    double norm = pow(sum, 1 / dual);
    for (int k = 0; k < solid->dimension; k++) {
        double size = solid->size[solid->shape == SHAPE_BALL ? 0 : k];
        point[k] =
            copysign(size * pow(fabs(size * d[k]) / norm, dual - 1), d[k]);
    }
    return norm;
}

static double
support_world(const struct pair *pair, int which, double sign,
              const double d[3], double point[3])
{
    double direction[3], turn[3][3];
    memcpy(turn, pair->at[which]->turn, sizeof turn);
    rotate_back(turn, d, direction);
    for (int k = 0; k < 3; k++)
        direction[k] *= sign;
    double height = support(pair->solid[which], direction, point);
    rotate(turn, point, point);
    return height;
}

static double
along(const struct pair *pair, const double d[3])
{
    double point[3];
    return dot(d, pair->between) - support_world(pair, 0, 1, d, point) -
           support_world(pair, 1, -1, d, point);
}

static double
half_separation(const struct solid *half, const struct state *at_half,
                const struct solid *other, const struct state *at_other)
{
    if (other->shape == SHAPE_HALF)
        return NAN;
    double normal[3] = {0, half->dimension == 2, half->dimension == 3};
    double turn[3][3], point[3];
    struct pair pair = {{half, other}, {at_half, at_other}, {0}};
    memcpy(turn, at_half->turn, sizeof turn);
    rotate(turn, normal, normal);
    add_scaled(at_other->position, -1, at_half->position, pair.between);
    return dot(normal, pair.between) -
           support_world(&pair, 1, -1, normal, point);
}

/* Golden-section search in the plane: the greatest value between two angles. */
static double
refine_angle(const struct pair *pair, double low, double high)
{
    const double golden = (sqrt(5) - 1) / 2;
    double best = -INFINITY;
    for (int i = 0; i < 60; i++) {
        double a = high - golden * (high - low),
               b = low + golden * (high - low);
        double at_a = along(pair, (double[3]){cos(a), sin(a), 0});
        double at_b = along(pair, (double[3]){cos(b), sin(b), 0});
        best = fmax(best, fmax(at_a, at_b));
        if (at_a > at_b)
            high = b;
        else
            low = a;
    }
    return best;
}

/* The greatest value over the normals of the faces of both. */
static double
best_face(const struct pair *pair, double out[3])
{
    double best = -INFINITY;
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < pair->solid[which]->faces; i++) {
            double d[3], turn[3][3];
            memcpy(turn, pair->at[which]->turn, sizeof turn);
            rotate(turn, pair->solid[which]->face[i], d);
            for (int k = 0; k < 3 && which; k++)
                d[k] = -d[k];
            double value = along(pair, d);
            if (value <= best)
                continue;
            best = value;
            memcpy(out, d, sizeof d);
        }
    return best;
}

static double
plane_separation(const struct pair *pair)
{
    enum { STEPS = 360, BEST = 4 };
    double d[3], greatest = best_face(pair, d), value[STEPS];
    double step = 2 * acos(-1) / STEPS;
    for (int i = 0; i < STEPS; i++)
        value[i] = along(pair, (double[3]){cos(i * step), sin(i * step), 0});
    for (int turn = 0; turn < BEST; turn++) {
        int best = 0;
        for (int i = 1; i < STEPS; i++)
            if (value[i] > value[best])
                best = i;
        greatest = fmax(
            greatest, refine_angle(pair, (best - 1) * step, (best + 1) * step));
        value[best] = -INFINITY;
    }
    return greatest;
}

/* The normals of pairs of edges, for two polytopes in space. */
static double
best_edges(const struct pair *pair)
{
    double best = -INFINITY, turn[2][3][3];
    for (int which = 0; which < 2; which++)
        memcpy(turn[which], pair->at[which]->turn, sizeof turn[which]);
    for (int i = 0; i < pair->solid[0]->edges; i++)
        for (int k = 0; k < pair->solid[1]->edges; k++) {
            double a[3], b[3], d[3];
            rotate(turn[0], pair->solid[0]->edge[i], a);
            rotate(turn[1], pair->solid[1]->edge[k], b);
            cross(a, b, d);
            double size = length(d);
            /* parallel edges add nothing to the faces */
            if (size < 1e-7)
                continue;
            for (int m = 0; m < 3; m++)
                d[m] /= size;
            best = fmax(best, along(pair, d));
            for (int m = 0; m < 3; m++)
                d[m] = -d[m];
            best = fmax(best, along(pair, d));
        }
    return best;
}

/* The nearest point to the origin of the hull of up to four points: the best of
 * all faces of the simplex whose weights are positive. Keeps those points. */
static void
nearest_of_simplex(double simplex[4][3], int *count, double out[3])
{
    double best = INFINITY;
    int keep = 0;
    for (int subset = 1; subset < 1 << *count; subset++) {
        int index[4] = {0}, n = 0;
        for (int i = 0; i < *count; i++)
            if (subset >> i & 1)
                index[n++] = i;
        /* minimise |p0 + sum w_i (p_i - p0)|^2 by elimination */
        double matrix[3][4] = {{0}}, edge[3][3], point[3], sum = 0;
        bool fine = true;
        memcpy(point, simplex[index[0]], sizeof point);
        for (int i = 1; i < n; i++)
            add_scaled(simplex[index[i]], -1, point, edge[i - 1]);
        for (int i = 0; i < n - 1; i++) {
            for (int k = 0; k < n - 1; k++)
                matrix[i][k] = dot(edge[i], edge[k]);
            matrix[i][3] = -dot(edge[i], point);
        }
        for (int i = 0; i < n - 1 && fine; i++) {
            fine = matrix[i][i] > 1e-20;
            for (int k = 0; k < n - 1 && fine; k++) {
                double factor = k == i ? 0 : matrix[k][i] / matrix[i][i];
                for (int m = 0; m < 4; m++)
                    matrix[k][m] -= factor * matrix[i][m];
            }
        }
        for (int i = 0; i < n - 1 && fine; i++) {
            double weight = matrix[i][3] / matrix[i][i];
            fine = weight >= 0;
            sum += weight;
            add_scaled(point, weight, edge[i], point);
        }
        if (!fine || sum > 1 || dot(point, point) >= best)
            continue;
        best = dot(point, point);
        keep = subset;
        memcpy(out, point, sizeof point);
    }
    int left = 0;
    for (int i = 0; i < *count; i++)
        if (keep >> i & 1)
            memmove(simplex[left++], simplex[i], sizeof simplex[0]);
    *count = left;
}

/* Gilbert, Johnson and Keerthi 1988. Returns the distance and its direction; 0
 * where the origin is reached. */
static double
gjk(const struct pair *pair, double direction[3])
{
    double simplex[4][3], nearest[3], far = length(pair->between);
    int count = 0;
    memcpy(nearest, pair->between, sizeof nearest);
    for (int step = 0; step < 200; step++) {
        double size = length(nearest), d[3], a[3], b[3], point[3];
        if (size < 1e-12 * far)
            return 0;
        for (int k = 0; k < 3; k++)
            d[k] = nearest[k] / size;
        double height = along(pair, d);
        memcpy(direction, d, sizeof d);
        if (step && size - height < 1e-13 * far)
            return height;
        support_world(pair, 0, 1, d, a);
        support_world(pair, 1, -1, d, b);
        for (int k = 0; k < 3; k++)
            point[k] = pair->between[k] + b[k] - a[k];
        double before[3];
        memcpy(before, nearest, sizeof before);
        memcpy(simplex[count++], point, sizeof point);
        nearest_of_simplex(simplex, &count, nearest);
        if (step && !(length(nearest) < size)) {
            /* Rounding hides the progress in a flat simplex: the nearest point
             * so far and the new one span a simplex of the same body. */
            memcpy(simplex[0], before, sizeof before);
            memcpy(simplex[1], point, sizeof point);
            count = 2;
            nearest_of_simplex(simplex, &count, nearest);
        }
        if (count == 4)
            return 0;
    }
    return along(pair, direction);
}

/* The greatest share by which touching shapes are shrunk first; it grows until
 * they are apart. At this share shapes of a length of 1 that touch are apart by
 * more than what gjk can tell from nothing. */
static const double LEAST_SHRINK = 1e-9;

static void
shrink_solid(struct solid *solid, double share)
{
    for (int k = 0; k < 3; k++)
        solid->size[k] *= 1 - share;
    for (int i = 0; i < solid->corners; i++)
        for (int k = 0; k < 3; k++)
            solid->corner[i][k] *= 1 - share;
}

/* For shapes that touch or overlap: both are shrunk towards their centres of
 * mass until a plane separates them, and the normal of this plane shows the
 * depth of the whole shapes. The value is a lower bound of the separation, off
 * by no more than the step of the shares where the depth is small. */
static double
shrunk_separation(const struct pair *pair)
{
    double best = -INFINITY;
    for (double share = LEAST_SHRINK; share < 0.99; share *= 2) {
        struct solid core[2] = {*pair->solid[0], *pair->solid[1]};
        struct pair shrunk = *pair;
        double direction[3] = {0, 0, 1};
        for (int which = 0; which < 2; which++) {
            shrink_solid(&core[which], share);
            shrunk.solid[which] = &core[which];
        }
        if (gjk(&shrunk, direction) > 0) {
            best = fmax(best, along(pair, direction));
            break;
        }
    }
    return best;
}

/* What gjk finds below this may lack the last of its steps: rounding, 1e-16 of
 * a length, is 1e-10 of it. The planes of faces and edges are exact there. */
static const double NEAR = 1e-6;

static double
space_separation(const struct pair *pair)
{
    double direction[3] = {0, 0, 1};
    double apart = gjk(pair, direction);
    bool polytopes = pair->solid[0]->corners && pair->solid[1]->corners;
    if (apart > 0 && !(polytopes && apart < NEAR))
        return apart;
    double best = best_face(pair, direction);
    if (polytopes)
        return fmax(fmax(best, apart > 0 ? apart : best), best_edges(pair));
    return fmax(best, shrunk_separation(pair));
}

double
solid_separation(const struct solid *a, const struct state *at_a,
                 const struct solid *b, const struct state *at_b)
{
    if (a->shape == SHAPE_HALF)
        return half_separation(a, at_a, b, at_b);
    if (b->shape == SHAPE_HALF)
        return half_separation(b, at_b, a, at_a);
    struct pair pair = {{a, b}, {at_a, at_b}, {0}};
    add_scaled(at_b->position, -1, at_a->position, pair.between);
    if (a->shape == SHAPE_BALL && b->shape == SHAPE_BALL)
        return sqrt(dot(pair.between, pair.between)) - a->size[0] - b->size[0];
    if (a->dimension == 2)
        return plane_separation(&pair);
    /* a ball is its centre and a radius, which keeps small depths exact */
    struct solid core[2] = {*a, *b};
    double radius = 0;
    for (int which = 0; which < 2; which++)
        if (core[which].shape == SHAPE_BALL) {
            radius += core[which].size[0];
            core[which].corners = 1;
            core[which].shape = SHAPE_HULL;
            pair.solid[which] = &core[which];
        }
    return space_separation(&pair) - radius;
}
