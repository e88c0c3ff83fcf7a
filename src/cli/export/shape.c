/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of a run file as triangles: polytopes exactly, level sets by the
 * meshes of the file, half-spaces as a part of their plane, shapes of the plane
 * as flat figures. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "cli/export/shape.h"

static uint32_t
corner(struct arena *arena, struct shape_surface *surface, const double at[3],
       const double normal[3])
{
    for (int i = 0; i < 3; i++) {
        VEC_PUSH_IN(arena, &surface->at, (float)at[i]);
        VEC_PUSH_IN(arena, &surface->normal, (float)normal[i]);
    }
    return (uint32_t)(surface->at.n / 3 - 1);
}

static void
triangle(struct arena *arena, struct shape_surface *surface, uint32_t a,
         uint32_t b, uint32_t c)
{
    VEC_PUSH_IN(arena, &surface->triangles, a);
    VEC_PUSH_IN(arena, &surface->triangles, b);
    VEC_PUSH_IN(arena, &surface->triangles, c);
}

/* A plane figure with these corners, in their order, as triangles about its
 * first one. */
static void
fan(struct arena *arena, struct shape_surface *surface, const double (*at)[3],
    size_t n, const double normal[3])
{
    uint32_t first = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t k = corner(arena, surface, at[i], normal);
        first = i ? first : k;
        if (i > 1)
            triangle(arena, surface, first, k - 1, k);
    }
}

static void
point(const struct run_read *run, const struct json *corners, size_t i,
      double at[3])
{
    for (size_t k = 0; k < 3; k++)
        at[k] = run_read_number(run, corners, 3 * i + k);
}

/* The normal of a face by Newell's sum, of length 1. */
static void
face_normal(const double (*at)[3], size_t n, double normal[3])
{
    double length = 0.0;
    memset(normal, 0, 3 * sizeof *normal);
    for (size_t i = 0; i < n; i++) {
        const double *p = at[i], *q = at[(i + 1) % n];
        for (int k = 0; k < 3; k++) {
            int j = (k + 1) % 3, l = (k + 2) % 3;
            normal[k] += (p[j] - q[j]) * (p[l] + q[l]);
        }
    }
    for (int k = 0; k < 3; k++)
        length = hypot(length, normal[k]);
    for (int k = 0; k < 3; k++)
        normal[k] = length > 0.0 ? normal[k] / length : (double)(k == 2);
}

static const char *
polytope(const struct shape_scene *scene, const struct json *shape,
         struct shape_surface *surface)
{
    const struct json *corners = json_get(shape, "corners"),
                      *faces = json_get(shape, "faces");
    size_t n = run_read_count(corners) / 3;
    double centre[3] = {0, 0, 0}, at[3];
    if (!n || !faces || faces->kind != JSON_LIST)
        return "a polytope has no corners or no faces";
    for (size_t i = 0; i < n; i++) {
        point(scene->run, corners, i, at);
        for (int k = 0; k < 3; k++)
            centre[k] += at[k] / (double)n;
    }
    for (const struct json *face = faces->first; face; face = face->next) {
        double(*list)[3] =
            arena_alloc(scene->arena, (face->n + 1) * sizeof *list),
        normal[3], out = 0.0;
        size_t used = 0;
        for (const struct json *c = face->first; c; c = c->next) {
            if (c->kind != JSON_NUMBER ||
                !(c->number >= 0.0 && c->number < (double)n))
                return "a face has a corner that is not there";
            point(scene->run, corners, (size_t)c->number, list[used++]);
        }
        face_normal((const double(*)[3])list, used, normal);
        for (int k = 0; k < 3 && used; k++)
            out += normal[k] * (list[0][k] - centre[k]);
        /* corners run anticlockwise, seen from outside */
        for (size_t i = 0; out < 0.0 && i < used / 2; i++)
            for (int k = 0; k < 3; k++) {
                double swap = list[i][k];
                list[i][k] = list[used - 1 - i][k];
                list[used - 1 - i][k] = swap;
            }
        for (int k = 0; out < 0.0 && k < 3; k++)
            normal[k] = -normal[k];
        fan(scene->arena, surface, (const double(*)[3])list, used, normal);
    }
    return NULL;
}

static const char *
mesh(const struct shape_scene *scene, const struct json *shape,
     struct shape_surface *surface)
{
    const struct json *corners = json_get(shape, "corners"),
                      *normals = json_get(shape, "normals"),
                      *triangles = json_get(scene->run->top, "triangles");
    size_t n = run_read_count(corners) / 3,
           n_triangles = run_read_count(triangles);
    if (run_read_count(normals) != 3 * n || n_triangles % 3)
        return "a mesh has not as many normals as corners";
    for (size_t i = 0; i < n; i++) {
        double at[3], normal[3], length = 0.0;
        point(scene->run, corners, i, at);
        point(scene->run, normals, i, normal);
        for (int k = 0; k < 3; k++)
            length = hypot(length, normal[k]);
        for (int k = 0; k < 3; k++)
            normal[k] = length > 0.0 ? normal[k] / length : (double)(k == 2);
        corner(scene->arena, surface, at, normal);
    }
    for (size_t i = 0; i < n_triangles; i++) {
        double k = run_read_number(scene->run, triangles, i);
        if (!(k < (double)n))
            return "a triangle has a corner that is not there";
        VEC_PUSH_IN(scene->arena, &surface->triangles, (uint32_t)k);
    }
    return NULL;
}

/* -- figures of the plane ----------------------------------------------------
 */

static const double up[3] = {0, 0, 1};

/* Sorts points by their direction from the mean: the order along a convex
 * outline, or along one that all rays from there meet once. */
static void
around(double (*at)[3], size_t n)
{
    double mean[2] = {0, 0};
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            mean[k] += at[i][k] / (double)n;
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0; j--) {
            double a = atan2(at[j - 1][1] - mean[1], at[j - 1][0] - mean[0]),
                   b = atan2(at[j][1] - mean[1], at[j][0] - mean[0]), swap[3];
            if (a <= b)
                break;
            memcpy(swap, at[j], sizeof swap);
            memcpy(at[j], at[j - 1], sizeof swap);
            memcpy(at[j - 1], swap, sizeof swap);
        }
}

/* A flat figure from its corners of `width` numbers, as triangles about their
 * mean. */
static const char *
figure(const struct shape_scene *scene, const struct json *shape, size_t width,
       struct shape_surface *surface)
{
    const struct json *corners = json_get(shape, "corners");
    size_t n = run_read_count(corners) / width;
    double(*at)[3] = arena_alloc(scene->arena, (n + 1) * sizeof *at),
    mean[3] = {0, 0, 0};
    if (n < 3)
        return "an outline has fewer than three corners";
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 2; k++)
            mean[k] += (at[i][k] = run_read_number(scene->run, corners,
                                                   width * i + k)) /
                       (double)n;
        at[i][2] = 0.0;
    }
    if (width == 3)
        around(at, n);
    uint32_t middle = corner(scene->arena, surface, mean, up),
             first = middle + 1;
    for (size_t i = 0; i < n; i++)
        corner(scene->arena, surface, at[i], up);
    for (size_t i = 0; i < n; i++)
        triangle(scene->arena, surface, middle, first + (uint32_t)i,
                 first + (uint32_t)((i + 1) % n));
    return NULL;
}

/* A part of a half-space: of its plane, or in the plane of its inside. */
static const char *
half_space(const struct shape_scene *scene, const struct json *shape,
           struct shape_surface *surface)
{
    const struct json *direction = json_get(shape, "normal"),
                      *offset = json_get(shape, "offset");
    double n[3] = {0, 0, 1}, u[3], v[3], at[4][3];
    int i = 0;
    if (!direction || direction->kind != JSON_LIST || direction->n != 3 ||
        !offset)
        return "a half-space has no normal";
    for (const struct json *x = direction->first; x; x = x->next)
        n[i++] = x->number;
    bool flat = scene->run->dim == 2;
    /* u and v span the plane; u is across the axis that n is farthest from */
    int axis = fabs(n[0]) < 0.6 ? 0 : 1;
    double e[3] = {axis == 0, axis == 1, 0}, length = 0.0;
    for (int k = 0; k < 3; k++)
        v[k] =
            n[(k + 1) % 3] * e[(k + 2) % 3] - n[(k + 2) % 3] * e[(k + 1) % 3];
    if (flat) {
        v[0] = 0.0, v[1] = 0.0, v[2] = 1.0;
    }
    for (int k = 0; k < 3; k++)
        length = hypot(length, v[k]);
    for (int k = 0; k < 3; k++)
        v[k] /= length > 0.0 ? length : 1.0;
    for (int k = 0; k < 3; k++)
        u[k] =
            v[(k + 1) % 3] * n[(k + 2) % 3] - v[(k + 2) % 3] * n[(k + 1) % 3];
    for (int c = 0; c < 4; c++) {
        double along = c == 0 || c == 3 ? -1.0 : 1.0,
               across = c < 2 ? -1.0 : 1.0;
        for (int k = 0; k < 3; k++)
            at[c][k] =
                offset->number * n[k] +
                scene->reach *
                    (along * u[k] + (flat ? (across < 0.0 ? 0.0 : -1.0) * n[k]
                                          : across * v[k]));
    }
    fan(scene->arena, surface, (const double(*)[3])at, 4, flat ? up : n);
    return NULL;
}

const char *
shape_surface(const struct shape_scene *scene, const struct json *body,
              struct shape_surface *surface)
{
    assert(scene && body && surface);
    const struct json *shape = json_get(body, "shape"),
                      *kind = json_get(shape, "kind");
    if (!kind || kind->kind != JSON_TEXT)
        return "a body has no shape, not even `none`";
    if (!strcmp(kind->text, "half-space"))
        return half_space(scene, shape, surface);
    if (!strcmp(kind->text, "outline"))
        return figure(scene, shape, 2, surface);
    if (!strcmp(kind->text, "mesh"))
        return mesh(scene, shape, surface);
    if (!strcmp(kind->text, "polytope"))
        return scene->run->dim == 2 ? figure(scene, shape, 3, surface)
                                    : polytope(scene, shape, surface);
    return NULL; /* `none` and `unknown` show nothing */
}

/* How far bodies with bounds go, at 60 times. */
static double
reach(const struct run_read *run)
{
    double most = 0.0, pose[7];
    const struct json *body = json_get(run->top, "bodies")->first;
    for (size_t i = 0; body; body = body->next, i++) {
        const struct json *radius = json_get(body, "radius");
        for (int k = 0; radius && radius->kind == JSON_NUMBER && k <= 60; k++) {
            double far = 0.0;
            run_read_pose(run, i, run->end * k / 60.0, false, pose, 7);
            for (int j = 0; j < run->dim; j++)
                far = hypot(far, pose[j]);
            most = fmax(most, far + radius->number);
        }
    }
    return most > 0.0 && isfinite(most) ? 2.0 * most : 1.0;
}

struct shape_scene
shape_scene(struct arena *arena, const struct run_read *run)
{
    assert(arena && run);
    return (struct shape_scene){arena, run, reach(run)};
}
