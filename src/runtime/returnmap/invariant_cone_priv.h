/* SPDX-License-Identifier: MIT */
/* Inside invariant_cone.h: convex polygons of the plane x_0 = -1 (polygon2d.c),
 * one step of the search (cone_search.c), the proof (cone_certificate.c). */
#ifndef IMP_RUNTIME_RETURNMAP_INVARIANT_CONE_PRIV_H
#define IMP_RUNTIME_RETURNMAP_INVARIANT_CONE_PRIV_H

#include <float.h>
#include <math.h>

#include "runtime/returnmap/invariant_cone.h"

/* Points are sums of four products and a quotient: nearer to an edge than this
 * share of their size they are on it. */
#define CONE_NOISE (4096.0 * DBL_EPSILON)

/* cone_refutation.c */
struct cone_trace;
struct cone_work {
    const struct cone_problem *p;
    struct cone_xy *v; /* the polygon: the leftmost corner, the lower ones */
    int n, low;        /* to the rightmost, v[low], then the upper ones */
    struct cone_xy *clip[2];  /* of one flight; room for sorting */
    struct cone_xy *out;      /* points to be added */
    int n_out, most;          /* room for all of these */
    int contact;              /* flight of the last image */
    bool any_order;           /* C_j are all velocities */
    struct cone_trace *trace; /* NULL: none is kept */
    double slack;             /* what is out of the polygon by less is inside */
};

static inline double
cone_size(struct cone_xy v)
{
    return 1.0 + fabs(v.x) + fabs(v.y);
}
/* has the polygon an inside? */
static inline bool
cone_solid(const struct cone_work *w)
{
    return w->n >= w->p->dim;
}
/* is v in the polygon, or out of it within CONE_NOISE or the slack? It is
 * solid. */
bool cone_inside(const struct cone_work *w, struct cone_xy v);
/* the polygon becomes the hull of itself and w->out, which is emptied */
void cone_take(struct cone_work *w);
/* drops corners that stand out by less than the slack */
void cone_thin(struct cone_work *w);
/* corners of polygon and C_j, those out of it within CONE_NOISE too, into
 * w->clip[0]; how many */
int cone_meet(struct cone_work *w, int j);
static inline bool
cone_stopped(const struct cone_options *o)
{
    return o->stop && o->stop(o->stop_arg);
}
/* solid angle of the cone over the polygon; 2: angle of the interval */
double cone_angle(const struct cone_problem *p, const struct cone_xy *v, int n);

/* y := map (-1, v); bound of the rounding of its entries */
double cone_apply(const double *map, struct cone_xy v, double *y);

/* Enlarges the polygon of w by the share `by` until it holds its images with a
 * margin; true: it does. */
bool cone_prove(struct cone_work *w, double by, const struct cone_options *o,
                struct cone_result *r);
/* x (its of x_0 < 0, in the polygon) as a sum of three corners of it, weights
 * >= 0: corners, weights, residual of im */
void cone_combine(const struct cone_work *w, const double *x,
                  struct cone_image *im);
/* a new trace from the first `origins` ids on */
struct cone_trace *cone_trace_new(struct arena *a, int origins);
/* v, one of the n corners in w->clip[0], a little inside of all facets */
struct cone_xy cone_trace_pull(const struct cone_work *w, struct cone_xy v,
                               int n);
/* notes the image y, by flight j, of v in the polygon: its id */
int cone_trace_note(struct cone_work *w, int j, struct cone_xy v,
                    const double *y);
/* what the last image noted rests on, into the result */
void cone_trace_end(struct arena *a, const struct cone_work *w,
                    struct cone_result *r);
/* the images of w's polygon, with weights */
void cone_certificate(struct arena *a, struct cone_work *w,
                      struct cone_result *r);

#endif
