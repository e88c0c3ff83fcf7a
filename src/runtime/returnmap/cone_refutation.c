/* SPDX-License-Identifier: MIT */
/* Why there is no effectively invariant cone: the images of the search, each
 * with what it comes from. Whatever is a sum, with weights that are not
 * negative, of velocities of such a cone lies in it, and if it lies in C_j too,
 * so does its image by flight j. The chain begins with the origins and ends
 * where the mean rate of the gaps is positive, so no such cone holds the
 * origins. What flights are taken from is pulled a little inside of C_j, so
 * that rounding does not decide whether it lies there. */
#include <string.h>

#include "base/arena.h"
#include "runtime/returnmap/invariant_cone_priv.h"

/* share of the way to the middle of K and C_j */
#define TRACE_PULL 1e-7

struct invariant_cone_trace {
    struct arena *a;
    struct invariant_cone_image *v;
    int n, most, origins;
};

struct invariant_cone_trace *
invariant_cone_trace_new(struct arena *a, int origins)
{
    struct invariant_cone_trace *t = NEW(a, struct invariant_cone_trace);
    t->a = a;
    t->origins = origins;
    return t;
}

struct polygon2d_point
invariant_cone_trace_pull(const struct invariant_cone_search *w,
                          struct polygon2d_point v, int n)
{
    double x = 0.0, y = 0.0;
    for (int i = 0; i < n; i++) {
        x += w->clip[0][i].x / n;
        y += w->clip[0][i].y / n;
    }
    v.x += TRACE_PULL * (x - v.x);
    v.y += TRACE_PULL * (y - v.y);
    return v;
}

int
invariant_cone_trace_note(struct invariant_cone_search *w, int j,
                          struct polygon2d_point v, const double *y)
{
    struct invariant_cone_trace *t = w->trace;
    if (t->n == t->most) {
        struct invariant_cone_image *old = t->v;
        t->most = t->most ? 2 * t->most : 64;
        t->v = NEW_N(t->a, struct invariant_cone_image, t->most);
        if (t->n)
            memcpy(t->v, old, (size_t)t->n * sizeof *old);
    }
    struct invariant_cone_image *im = &t->v[t->n++];
    *im =
        (struct invariant_cone_image){.j = j, .of = v, .x = {y[0], y[1], y[2]}};
    invariant_cone_combine(w, (double[]){-1.0, v.x, v.y}, im);
    for (int k = 0; k < 3; k++) {
        im->g[k] = w->v[im->g[k]].id;
        /* corners are scaled to x_0 = -1, images are not */
        if (im->g[k] >= t->origins)
            im->weight[k] /= -t->v[im->g[k] - t->origins].x[0];
    }
    return t->origins + t->n - 1;
}

void
invariant_cone_trace_end(struct arena *a, const struct invariant_cone_search *w,
                         struct invariant_cone_result *r)
{
    const struct invariant_cone_trace *t = w->trace;
    int *to = NEW_N(a, int, t->n + 1), m = 0;
    /* what the last one rests on, and its new number */
    to[t->n - 1] = 1;
    for (int i = t->n - 1; i >= 0; i--)
        for (int k = 0; k < 3 && to[i]; k++)
            if (t->v[i].g[k] >= t->origins && t->v[i].weight[k] > 0.0)
                to[t->v[i].g[k] - t->origins] = 1;
    r->image = NEW_N(a, struct invariant_cone_image, t->n);
    for (int i = 0; i < t->n; i++) {
        if (!to[i])
            continue;
        to[i] = t->origins + m;
        r->image[m] = t->v[i];
        for (int k = 0; k < 3; k++) {
            int *g = &r->image[m].g[k];
            if (r->image[m].weight[k] == 0.0)
                *g = 0;
            else if (*g >= t->origins)
                *g = to[*g - t->origins];
        }
        m++;
    }
    r->n_image = m;
}
