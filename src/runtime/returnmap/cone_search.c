/* SPDX-License-Identifier: MIT */
/* The search (chatter.md 2.9): images are added to the start until nothing
 * grows. The cones K_0 in K_1 in ... lie in every effectively invariant cone
 * that holds the start. So a motion with x_0 > 0 in one of them excludes all
 * such cones. A cone that has ceased to grow is not yet invariant:
 * cone_certificate.c enlarges it. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/returnmap/invariant_cone_priv.h"

/* The cone is enlarged by these shares, one after the other: far above the
 * rounding error, and small beside the cone. */
static const double enlarge[] = {1e-3, 1e-4, 1e-6, 1e-8};
#define ENLARGE (sizeof enlarge / sizeof *enlarge)
/* with no more corners than this, begin with the second share */
#define FEW 24
/* A polygon of n corners in a round edge lacks about 7/n^2 of its area. So many
 * corners are kept that this is a tenth of the tolerance, within these bounds.
 */
#define CORNERS_LEAST 32.0
#define CORNERS_MOST 250.0
/* the first slack, as a share of the width of the cone */
#define SLACK 1e-8

double
invariant_cone_apply(const double *map, struct polygon2d_point point, double *y)
{
    assert(map && y);
    double size = 0.0;
    for (int i = 0; i < 3; i++) {
        const double *a = map + 3 * i;
        y[i] = a[1] * point.x + a[2] * point.y - a[0];
        size = fmax(size,
                    fabs(a[0]) + fabs(a[1] * point.x) + fabs(a[2] * point.y));
    }
    return 4.0 * DBL_EPSILON * size;
}

static bool
outside(const struct invariant_cone_search *search,
        struct polygon2d_point point)
{
    if (polygon2d_is_solid(search))
        return !polygon2d_contains(search, point);
    /* As long as the cone has no inside, every new point counts. */
    double tol = INVARIANT_CONE_NOISE * polygon2d_size(point);
    for (int i = 0; i < search->n; i++)
        if (fabs(point.x - search->v[i].x) + fabs(point.y - search->v[i].y) <=
            tol)
            return false;
    return true;
}

/* Finds the images of K that lie outside of it, as many as there is room for;
 * the others come next time. OPEN, or the reason why there is no next step. */
static enum invariant_cone_verdict
step(struct invariant_cone_search *search)
{
    double image[3];
    search->n_out = 0;
    for (int contact = 1; contact < search->p->m; contact++) {
        int count = polygon2d_clip(search, contact);
        for (int i = 0; i < count; i++) {
            struct polygon2d_point of = search->clip[0][i];
            if (of.old)
                continue;
            if (search->trace)
                of = invariant_cone_trace_pull(search, of, count);
            double tol = 16.0 * invariant_cone_apply(
                                    search->p->flight[contact].map, of, image);
            if (image[0] > tol) {
                if (search->trace)
                    invariant_cone_trace_note(search, contact, of, image);
                return INVARIANT_CONE_NO;
            }
            if (image[0] >= -tol)
                return INVARIANT_CONE_LEVEL;
            struct polygon2d_point point = {-image[1] / image[0],
                                            -image[2] / image[0], false, 0};
            if (!outside(search, point))
                continue;
            if (search->n + search->n_out == search->most)
                return INVARIANT_CONE_OPEN;
            if (search->trace)
                point.id =
                    invariant_cone_trace_note(search, contact, of, image);
            search->out[search->n_out++] = point;
        }
    }
    for (int i = 0; i < search->n; i++)
        search->v[i].old = true;
    return INVARIANT_CONE_OPEN;
}

static void
room(struct arena *arena, struct invariant_cone_search *search, int n_from)
{
    search->most = 2 * INVARIANT_CONE_MOST + n_from;
    size_t most = (size_t)search->most + 8;
    search->v = NEW_N(arena, struct polygon2d_point, 4 * most);
    search->clip[0] = search->v + most;
    search->clip[1] = search->clip[0] + most;
    search->out = search->clip[1] + most;
}

static bool
begin(struct invariant_cone_search *search,
      const struct invariant_cone_options *options)
{
    const double *x = search->p->after;
    search->n = 0;
    search->n_out = options->from ? options->n_from : 1;
    if (options->from)
        memcpy(search->out, options->from,
               (size_t)options->n_from * sizeof *options->from);
    else if (x[0] < 0.0)
        search->out[0] =
            (struct polygon2d_point){-x[1] / x[0], -x[2] / x[0], false, 0};
    else
        return false;
    for (int i = 0; i < search->n_out; i++)
        search->out[i].id = i;
    return true;
}

/* Leaves no more corners than `most`: a round edge is cut by a little. */
static void
limit(struct invariant_cone_search *search, double most)
{
    while (search->n > most) {
        double width = search->v[search->low].x - search->v[0].x;
        search->slack =
            search->slack > 0.0 ? 4.0 * search->slack : SLACK * width;
        polygon2d_thin(search);
    }
}

static void
keep(struct arena *arena, const struct invariant_cone_search *search,
     struct invariant_cone_set *s)
{
    s->v = arena_copy(arena, search->v, (size_t)search->n * sizeof *search->v);
    s->n = search->n;
    s->low = search->low;
    s->angle = polygon2d_solid_angle(search->p, search->v, search->n);
}

static void
again(struct invariant_cone_search *search, const struct invariant_cone_set *s)
{
    memcpy(search->v, s->v, (size_t)s->n * sizeof *search->v);
    search->n = s->n;
    search->low = s->low;
    search->n_out = 0;
}

/* Grows K until a step adds no more than `tolerance`. */
static enum invariant_cone_verdict
grow(struct invariant_cone_search *search, double tolerance,
     const struct invariant_cone_options *options,
     struct invariant_cone_result *result)
{
    double angle = polygon2d_solid_angle(search->p, search->v, search->n);
    double corners =
        fmax(CORNERS_LEAST, fmin(CORNERS_MOST, sqrt(70.0 / tolerance)));
    while (result->iterations < options->iterations) {
        if (invariant_cone_stopped(options))
            return INVARIANT_CONE_STOPPED;
        enum invariant_cone_verdict v = step(search);
        result->iterations++;
        result->growth = 0.0;
        if (v != INVARIANT_CONE_OPEN)
            return v;
        if (!search->n_out)
            return INVARIANT_CONE_YES;
        polygon2d_add_points(search);
        limit(search, corners);
        double now = polygon2d_solid_angle(search->p, search->v, search->n);
        result->growth = now > 0.0 ? (now - angle) / now : 1.0;
        if (now > 0.0 && fabs(result->growth) <= tolerance)
            return INVARIANT_CONE_YES;
        angle = now;
    }
    return INVARIANT_CONE_OPEN;
}

static bool
prove(struct invariant_cone_search *search,
      const struct invariant_cone_options *options,
      struct invariant_cone_result *result)
{
    for (size_t k = search->n <= FEW; k < ENLARGE && polygon2d_is_solid(search);
         k++) {
        if (invariant_cone_prove(search, enlarge[k], options, result))
            return true;
        again(search, &result->least);
    }
    return false;
}

/* Makes the search once more, and notes for each image what it comes from. */
static void
trace(struct arena *arena, struct invariant_cone_search *search,
      const struct invariant_cone_options *options,
      struct invariant_cone_result *result)
{
    struct invariant_cone_result again = {.growth = 1.0};
    begin(search, options);
    polygon2d_add_points(search);
    search->slack = 0.0;
    search->trace = invariant_cone_trace_new(arena, result->n_origin);
    if (grow(search, DBL_EPSILON, options, &again) == INVARIANT_CONE_NO)
        invariant_cone_trace_end(arena, search, result);
    search->trace = NULL;
}

void
invariant_cone_find(struct arena *arena,
                    const struct invariant_cone_problem *problem,
                    const struct invariant_cone_options *options,
                    bool certificate, struct invariant_cone_result *result)
{
    assert(arena && problem && options && result);
    assert(options->tolerance > 0.0 && options->iterations >= 0);
    assert(problem->dim == 2 || problem->dim == 3);
    struct invariant_cone_search search = {.p = problem,
                                           .any_order = options->any_order};
    double tolerance = options->tolerance;
    *result = (struct invariant_cone_result){.verdict = INVARIANT_CONE_NO,
                                             .growth = 1.0};
    room(arena, &search, options->n_from);
    if (begin(&search, options)) {
        result->n_origin = search.n_out;
        result->origin = arena_copy(arena, search.out,
                                    (size_t)search.n_out * sizeof *search.out);
        polygon2d_add_points(&search);
        /* a cone that cannot be proven invariant has not grown enough */
        for (;; tolerance *= 0.01) {
            result->verdict = grow(&search, tolerance, options, result);
            keep(arena, &search, &result->least);
            result->slack = search.slack;
            if (result->verdict != INVARIANT_CONE_YES)
                break;
            if (prove(&search, options, result)) {
                keep(arena, &search, &result->proven);
                break;
            }
            result->verdict = INVARIANT_CONE_LOOSE;
            if (result->growth == 0.0 || tolerance < DBL_EPSILON)
                break;
            search.slack = result->slack;
        }
    }
    result->contact = search.contact;
    if (certificate && result->verdict == INVARIANT_CONE_NO && search.n)
        trace(arena, &search, options, result);
    else if (certificate && search.n)
        invariant_cone_certificate(arena, &search, result);
}
