/* SPDX-License-Identifier: MIT */
/* The proof that there is no effectively invariant cone: the images of the
 * search, each with what it comes from. A sum of velocities of such a cone with
 * weights that are not negative lies in the cone. If it lies in C_j, too, so
 * does its image by flight j. The chain of images begins with the origins and
 * ends where the mean rate of the gaps is positive. So no such cone holds the
 * origins. The velocities that flights start from are pulled a little inside of
 * C_j, so that rounding does not decide whether they lie there. */
#include <string.h>

#include "base/arena.h"
#include "runtime/returnmap/invariant_cone_priv.h"

/* velocities are pulled by this share of the way to the middle of K and C_j */
#define TRACE_PULL 1e-7

struct invariant_cone_trace {
    struct arena *a;
    struct invariant_cone_image *v;
    int n, most, origins;
};

struct invariant_cone_trace *
invariant_cone_trace_new(struct arena *arena, int origins)
{
    assert(arena && origins > 0);
    struct invariant_cone_trace *trace =
        NEW(arena, struct invariant_cone_trace);
    trace->a = arena;
    trace->origins = origins;
    return trace;
}

struct polygon2d_point
invariant_cone_trace_pull(const struct invariant_cone_search *search,
                          struct polygon2d_point point, int count)
{
    double x = 0.0, y = 0.0;
    for (int i = 0; i < count; i++) {
        x += search->clip[0][i].x / count;
        y += search->clip[0][i].y / count;
    }
    point.x += TRACE_PULL * (x - point.x);
    point.y += TRACE_PULL * (y - point.y);
    return point;
}

int
invariant_cone_trace_note(struct invariant_cone_search *search, int contact,
                          struct polygon2d_point point, const double *mapped)
{
    assert(search->trace && mapped);
    assert(contact > 0 && contact < search->p->m);
    struct invariant_cone_trace *trace = search->trace;
    if (trace->n == trace->most) {
        struct invariant_cone_image *old = trace->v;
        trace->most = trace->most ? 2 * trace->most : 64;
        trace->v = NEW_N(trace->a, struct invariant_cone_image, trace->most);
        if (trace->n)
            memcpy(trace->v, old, (size_t)trace->n * sizeof *old);
    }
    struct invariant_cone_image *image = &trace->v[trace->n++];
    *image = (struct invariant_cone_image){
        .j = contact, .of = point, .x = {mapped[0], mapped[1], mapped[2]}};
    invariant_cone_combine(search, (double[]){-1.0, point.x, point.y}, image);
    for (int k = 0; k < 3; k++) {
        image->g[k] = search->v[image->g[k]].id;
        /* corners are scaled to x_0 = -1, images are not */
        if (image->g[k] >= trace->origins)
            image->weight[k] /= -trace->v[image->g[k] - trace->origins].x[0];
    }
    return trace->origins + trace->n - 1;
}

void
invariant_cone_trace_end(struct arena *arena,
                         const struct invariant_cone_search *search,
                         struct invariant_cone_result *result)
{
    assert(search->trace && search->trace->n > 0);
    const struct invariant_cone_trace *trace = search->trace;
    int *to = NEW_N(arena, int, trace->n + 1), kept = 0;
    /* marks what the last image rests on, and gives new numbers */
    to[trace->n - 1] = 1;
    for (int i = trace->n - 1; i >= 0; i--)
        for (int k = 0; k < 3 && to[i]; k++)
            if (trace->v[i].g[k] >= trace->origins &&
                trace->v[i].weight[k] > 0.0)
                to[trace->v[i].g[k] - trace->origins] = 1;
    result->image = NEW_N(arena, struct invariant_cone_image, trace->n);
    for (int i = 0; i < trace->n; i++) {
        if (!to[i])
            continue;
        to[i] = trace->origins + kept;
        result->image[kept] = trace->v[i];
        for (int k = 0; k < 3; k++) {
            int *g = &result->image[kept].g[k];
            if (result->image[kept].weight[k] == 0.0)
                *g = 0;
            else if (*g >= trace->origins)
                *g = to[*g - trace->origins];
        }
        kept++;
    }
    result->n_image = kept;
}
