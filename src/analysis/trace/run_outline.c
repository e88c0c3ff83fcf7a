/* SPDX-License-Identifier: MIT */
/* The shapes of drawings, as outlines about their own origins. Polygons are
 * exact; a level set becomes the points where rays from its origin leave it.
 * What has no outline is told, and drawn as a mark. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/trace/run_log_priv.h"
#include "runtime/geometry/polytope_hull.h"
#include "runtime/instance/run.h"

#define OUTLINE_CORNERS 360
/* a level set that is negative at this distance (m) has no end */
#define OUTLINE_FAR 1e12
/* two distances closer than this are one: two ulps either side */
#define OUTLINE_EPS (4 * DBL_EPSILON)

/* A level set G(x, y), by its tape. */
struct level {
    struct rt *run;
    uint32_t tape;
};

static double
level_at(const struct level *level, const double ray[2], double far)
{
    double x[2] = {far * ray[0], far * ray[1]}, g = (double)NAN;
    int st = rt_eval(level->run, level->tape, x, &g);
    return st == IMP_OK || st == IMP_NONFINITE ? g : (double)NAN;
}

/* How far along a ray from the origin the level set changes its sign, within a
 * bracket that is halved; 0: it has no end. `guess` is a distance to begin at. */
static double
level_end(const struct level *level, const double ray[2], double guess)
{
    double lo = 0.0, hi = guess;
    while (level_at(level, ray, hi) < 0.0) {
        lo = hi;
        hi *= 2.0;
        if (hi > OUTLINE_FAR)
            return 0.0;
    }
    while (hi - lo > OUTLINE_EPS * hi) {
        double middle = 0.5 * (lo + hi);
        if (level_at(level, ray, middle) < 0.0)
            lo = middle;
        else
            hi = middle;
    }
    return hi;
}

/* Is the ray inside up to its end, and outside behind it, at samples? */
static bool
leaves_once(const struct level *level, const double ray[2], double end)
{
    static const double share[] = {0.1, 0.3,  0.5, 0.7, 0.9, 0.99,
                                   1.01, 1.1, 1.3, 2.0, 4.0, 8.0};
    for (size_t i = 0; i < sizeof share / sizeof *share; i++)
        if ((level_at(level, ray, share[i] * end) < 0.0) != (share[i] < 1.0))
            return false;
    return true;
}

/* Corners of a level set, by rays whose directions are stretched as the shape
 * is. Returns why there are none, or NULL. */
static const char *
level_outline(const struct level *level, double (*to)[2])
{
    double reach[2] = {0}, guess = 1.0;
    const double origin[2] = {0};
    if (!(level_at(level, origin, 0.0) < 0.0))
        return "its origin is not inside its level set";
    for (int side = 0; side < 4; side++) {
        double ray[2] = {side == 0 ? 1.0 : side == 1 ? -1.0 : 0.0,
                         side == 2 ? 1.0 : side == 3 ? -1.0 : 0.0};
        double end = level_end(level, ray, guess);
        if (!(end > 0.0))
            return "it has no end";
        reach[side / 2] = fmax(reach[side / 2], end);
    }
    for (int k = 0; k < OUTLINE_CORNERS; k++) {
        double angle = 2.0 * acos(-1.0) * k / OUTLINE_CORNERS;
        double ray[2] = {reach[0] * cos(angle), reach[1] * sin(angle)};
        double length = hypot(ray[0], ray[1]);
        ray[0] /= length;
        ray[1] /= length;
        guess = level_end(level, ray, guess);
        if (!(guess > 0.0))
            return "it has no end";
        if (!leaves_once(level, ray, guess))
            return "rays from its origin leave it more than once";
        to[k][0] = guess * ray[0];
        to[k][1] = guess * ray[1];
    }
    return NULL;
}

static int
by_angle(const void *one, const void *two)
{
    const double *a = one, *b = two;
    return (a[2] > b[2]) - (a[2] < b[2]);
}

/* The corners of a polygon, in order. */
static void
put_polygon(struct run_bytes *bytes, const struct polytope *polygon,
            double (*to)[2])
{
    uint32_t n = polygon->n_vertex;
    double(*corner)[3] = mem_alloc(n * sizeof *corner), middle[2] = {0};
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            middle[k] += polygon->vertex[i][k] / n;
    for (uint32_t i = 0; i < n; i++) {
        const double *at = polygon->vertex[i];
        corner[i][0] = at[0];
        corner[i][1] = at[1];
        corner[i][2] = atan2(at[1] - middle[1], at[0] - middle[0]);
    }
    qsort(corner, n, sizeof *corner, by_angle);
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            to[i][k] = corner[i][k];
    free(corner);
    run_f64_once(bytes, to[0], 2 * (size_t)n);
}

/* Writes a polygon or a half-plane. Returns why there is none, or NULL. */
static const char *
put_flat(struct run_log *log, struct run_bytes *bytes,
         const imp_drawing *drawing)
{
    struct arena *arena = log->run->brief;
    size_t n = drawing->n_point ? drawing->n_point : drawing->n_plane;
    size_t wide = drawing->n_point ? 2 : 3;
    double *e = NEW_N(arena, double, wide *n);
    double(*x)[3] = arena_alloc(arena, n * sizeof *x);
    double(*h)[4] = arena_alloc(arena, n * sizeof *h);
    struct polytope polygon = {0};
    uint32_t bad[2];
    if (rt_eval(log->run, drawing->shape, NULL, e) != IMP_OK)
        return "its numbers are not finite";
    for (size_t i = 0; i < n; i++)
        if (drawing->n_point) {
            x[i][0] = e[2 * i];
            x[i][1] = e[2 * i + 1];
        } else {
            h[i][0] = e[3 * i];
            h[i][1] = e[3 * i + 1];
            h[i][3] = e[3 * i + 2];
        }
    enum hull_fault fault =
        drawing->n_point
            ? polytope_points(arena, 2, (const double(*)[3])x, (uint32_t)n,
                              &polygon, bad)
            : polytope_planes(arena, 2, (const double(*)[4])h, (uint32_t)n,
                              &polygon, bad);
    if (fault != HULL_OK)
        return fault == HULL_FLAT        ? "its corners lie on one line"
               : fault == HULL_SAME      ? "two of its corners coincide"
               : fault == HULL_NO_CORNER ? "it is not convex"
               : fault == HULL_UNBOUNDED ? "it has no end"
               : fault == HULL_EMPTY ? "its origin is not inside its level set"
                                     : "its sides cannot be told apart";
    run_key(bytes, "shape");
    if (!polygon.n_vertex) {
        buf_puts(&bytes->json, "{\"kind\": \"half-plane\", \"normal\": ");
        run_numbers(bytes, polygon.face[0].n, 2);
        run_key(bytes, "offset");
        run_number(bytes, polygon.face[0].d);
    } else {
        buf_puts(&bytes->json, "{\"kind\": \"outline\", \"corners\": ");
        put_polygon(bytes, &polygon,
                    arena_alloc(arena, polygon.n_vertex * sizeof(double[2])));
    }
    buf_putc(&bytes->json, '}');
    return NULL;
}

static const char *
put_level(struct run_log *log, struct run_bytes *bytes,
          const imp_drawing *drawing)
{
    struct level level = {log->run, drawing->shape};
    double(*corner)[2] = 
        arena_alloc(log->run->brief, OUTLINE_CORNERS * sizeof *corner);
    const char *why = level_outline(&level, corner);
    if (why)
        return why;
    run_key(bytes, "shape");
    buf_puts(&bytes->json, "{\"kind\": \"outline\", \"corners\": ");
    run_f64_once(bytes, corner[0], 2 * (size_t)OUTLINE_CORNERS);
    buf_putc(&bytes->json, '}');
    return NULL;
}

void
run_outline(struct run_log *log, struct run_bytes *bytes,
            const imp_system *system, const imp_drawing *drawing)
{
    assert(log && bytes && system && drawing->shape != IMP_NO_TAPE);
    const imp_image *im = log->run->im;
    const char *why = drawing->n_point || drawing->n_plane
                          ? put_flat(log, bytes, drawing)
                          : put_level(log, bytes, drawing);
    if (!why)
        return;
    struct diag *diag =
        diag_add(log->analysis->ds, DIAG_W0757, drawing->range,
                 "the shape of `%s` in the drawing of `%s` is not drawn: %s",
                 imp_text(im, drawing->name), imp_text(im, system->name), why);
    diag_help(log->analysis->ds, diag,
              drawing->n_point
                  ? "the page shows a mark at its place; state the corners of "
                    "its convex hull"
                  : "the page shows a mark at its place; rays from the origin "
                    "of a level set leave it once");
}
