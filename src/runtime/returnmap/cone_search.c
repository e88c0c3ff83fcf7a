/* SPDX-License-Identifier: MIT */
/* The search (spec/chatter.md 2.9): from the start the images are added until
 * nothing grows. K_0 in K_1 in ... are in every effectively invariant cone that
 * holds the start, so that a motion with x_0 > 0 in one of them excludes all.
 * What has ceased to grow is not invariant yet: invariant_cone_certificate.c
 * enlarges it.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/returnmap/invariant_cone_priv.h"

/* shares by which the cone is enlarged, one after the other: far above the
 * rounding, and small beside the cone */
static const double enlarge[] = {1e-3, 1e-4, 1e-6, 1e-8};
#define ENLARGE (sizeof enlarge / sizeof *enlarge)
/* of few corners: begin with the second share */
#define FEW 24
/* A round edge of n corners is short of its area by some 7/n^2 of it; so many
 * are kept that this is a tenth of the tolerance, within these bounds */
#define CORNERS_LEAST 32.0
#define CORNERS_MOST 250.0
/* first slack, in widths of the cone */
#define SLACK 1e-8

double
invariant_cone_apply(const double *map, struct polygon2d_point v, double *y)
{
    double size = 0.0;
    for (int i = 0; i < 3; i++) {
        const double *a = map + 3 * i;
        y[i] = a[1] * v.x + a[2] * v.y - a[0];
        size = fmax(size, fabs(a[0]) + fabs(a[1] * v.x) + fabs(a[2] * v.y));
    }
    return 4.0 * DBL_EPSILON * size;
}

static bool
outside(const struct invariant_cone_search *w, struct polygon2d_point v)
{
    if (polygon2d_is_solid(w))
        return !polygon2d_contains(w, v);
    /* no inside yet: whatever is new */
    double tol = INVARIANT_CONE_NOISE * polygon2d_size(v);
    for (int i = 0; i < w->n; i++)
        if (fabs(v.x - w->v[i].x) + fabs(v.y - w->v[i].y) <= tol)
            return false;
    return true;
}

/* Images of K that are out of it; OPEN, or the reason why there is no next. As
 * many as there is room for: the others come next time. */
static enum invariant_cone_verdict
step(struct invariant_cone_search *w)
{
    double y[3];
    w->n_out = 0;
    for (int j = 1; j < w->p->m; j++) {
        int n = polygon2d_clip(w, j);
        for (int i = 0; i < n; i++) {
            struct polygon2d_point of = w->clip[0][i];
            if (of.old)
                continue;
            if (w->trace)
                of = invariant_cone_trace_pull(w, of, n);
            double tol =
                16.0 * invariant_cone_apply(w->p->flight[j].map, of, y);
            if (y[0] > tol) {
                if (w->trace)
                    invariant_cone_trace_note(w, j, of, y);
                return INVARIANT_CONE_NO;
            }
            if (y[0] >= -tol)
                return INVARIANT_CONE_LEVEL;
            struct polygon2d_point v = {-y[1] / y[0], -y[2] / y[0], false, 0};
            if (!outside(w, v))
                continue;
            if (w->n + w->n_out == w->most)
                return INVARIANT_CONE_OPEN;
            if (w->trace)
                v.id = invariant_cone_trace_note(w, j, of, y);
            w->out[w->n_out++] = v;
        }
    }
    for (int i = 0; i < w->n; i++)
        w->v[i].old = true;
    return INVARIANT_CONE_OPEN;
}

static void
room(struct arena *a, struct invariant_cone_search *w, int n_from)
{
    w->most = 2 * INVARIANT_CONE_MOST + n_from;
    size_t most = (size_t)w->most + 8;
    w->v = NEW_N(a, struct polygon2d_point, 4 * most);
    w->clip[0] = w->v + most;
    w->clip[1] = w->clip[0] + most;
    w->out = w->clip[1] + most;
}

static bool
begin(struct invariant_cone_search *w, const struct invariant_cone_options *o)
{
    const double *x = w->p->after;
    w->n = 0;
    w->n_out = o->from ? o->n_from : 1;
    if (o->from)
        memcpy(w->out, o->from, (size_t)o->n_from * sizeof *o->from);
    else if (x[0] < 0.0)
        w->out[0] =
            (struct polygon2d_point){-x[1] / x[0], -x[2] / x[0], false, 0};
    else
        return false;
    for (int i = 0; i < w->n_out; i++)
        w->out[i].id = i;
    return true;
}

/* no more corners than `most`: a round edge is left out by a little */
static void
limit(struct invariant_cone_search *w, double most)
{
    while (w->n > most) {
        double width = w->v[w->low].x - w->v[0].x;
        w->slack = w->slack > 0.0 ? 4.0 * w->slack : SLACK * width;
        polygon2d_thin(w);
    }
}

static void
keep(struct arena *a, const struct invariant_cone_search *w,
     struct invariant_cone_set *s)
{
    s->v = arena_copy(a, w->v, (size_t)w->n * sizeof *w->v);
    s->n = w->n;
    s->low = w->low;
    s->angle = polygon2d_solid_angle(w->p, w->v, w->n);
}

static void
again(struct invariant_cone_search *w, const struct invariant_cone_set *s)
{
    memcpy(w->v, s->v, (size_t)s->n * sizeof *w->v);
    w->n = s->n;
    w->low = s->low;
    w->n_out = 0;
}

/* grows K until a step adds no more than `tolerance` */
static enum invariant_cone_verdict
grow(struct invariant_cone_search *w, double tolerance,
     const struct invariant_cone_options *o, struct invariant_cone_result *r)
{
    double angle = polygon2d_solid_angle(w->p, w->v, w->n);
    double corners =
        fmax(CORNERS_LEAST, fmin(CORNERS_MOST, sqrt(70.0 / tolerance)));
    while (r->iterations < o->iterations) {
        if (invariant_cone_stopped(o))
            return INVARIANT_CONE_STOPPED;
        enum invariant_cone_verdict v = step(w);
        r->iterations++;
        r->growth = 0.0;
        if (v != INVARIANT_CONE_OPEN)
            return v;
        if (!w->n_out)
            return INVARIANT_CONE_YES;
        polygon2d_add_points(w);
        limit(w, corners);
        double now = polygon2d_solid_angle(w->p, w->v, w->n);
        r->growth = now > 0.0 ? (now - angle) / now : 1.0;
        if (now > 0.0 && fabs(r->growth) <= tolerance)
            return INVARIANT_CONE_YES;
        angle = now;
    }
    return INVARIANT_CONE_OPEN;
}

static bool
prove(struct invariant_cone_search *w, const struct invariant_cone_options *o,
      struct invariant_cone_result *r)
{
    for (size_t k = w->n <= FEW; k < ENLARGE && polygon2d_is_solid(w); k++) {
        if (invariant_cone_prove(w, enlarge[k], o, r))
            return true;
        again(w, &r->least);
    }
    return false;
}

/* The search once more, with what each image comes from */
static void
trace(struct arena *a, struct invariant_cone_search *w,
      const struct invariant_cone_options *o, struct invariant_cone_result *r)
{
    struct invariant_cone_result again = {.growth = 1.0};
    begin(w, o);
    polygon2d_add_points(w);
    w->slack = 0.0;
    w->trace = invariant_cone_trace_new(a, r->n_origin);
    if (grow(w, DBL_EPSILON, o, &again) == INVARIANT_CONE_NO)
        invariant_cone_trace_end(a, w, r);
    w->trace = NULL;
}

void
invariant_cone_find(struct arena *a, const struct invariant_cone_problem *p,
                    const struct invariant_cone_options *o, bool certificate,
                    struct invariant_cone_result *r)
{
    struct invariant_cone_search w = {.p = p, .any_order = o->any_order};
    double tolerance = o->tolerance;
    *r = (struct invariant_cone_result){.verdict = INVARIANT_CONE_NO,
                                        .growth = 1.0};
    room(a, &w, o->n_from);
    if (begin(&w, o)) {
        r->n_origin = w.n_out;
        r->origin = arena_copy(a, w.out, (size_t)w.n_out * sizeof *w.out);
        polygon2d_add_points(&w);
        /* a cone that cannot be proven has not grown enough */
        for (;; tolerance *= 0.01) {
            r->verdict = grow(&w, tolerance, o, r);
            keep(a, &w, &r->least);
            r->slack = w.slack;
            if (r->verdict != INVARIANT_CONE_YES)
                break;
            if (prove(&w, o, r)) {
                keep(a, &w, &r->proven);
                break;
            }
            r->verdict = INVARIANT_CONE_LOOSE;
            if (r->growth == 0.0 || tolerance < DBL_EPSILON)
                break;
            w.slack = r->slack;
        }
    }
    r->contact = w.contact;
    if (certificate && r->verdict == INVARIANT_CONE_NO && w.n)
        trace(a, &w, o, r);
    else if (certificate && w.n)
        invariant_cone_certificate(a, &w, r);
}
