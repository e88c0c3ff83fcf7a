/* SPDX-License-Identifier: MIT */
/* What the files of the invariant cones share: convex polygons of the plane x_0
 * = -1 (polygon2d.c), one step of the search (cone_search.c), the proofs
 * (cone_certificate.c, cone_refutation.c). */
#ifndef IMP_RUNTIME_RETURNMAP_INVARIANT_CONE_PRIV_H
#define IMP_RUNTIME_RETURNMAP_INVARIANT_CONE_PRIV_H

#include <assert.h>
#include <float.h>
#include <math.h>

#include "runtime/returnmap/invariant_cone.h"

/* Points are sums of four products and a quotient: a point nearer to an edge
 * than this share of its size is on the edge. */
#define INVARIANT_CONE_NOISE (4096.0 * DBL_EPSILON)

/* cone_refutation.c */
struct invariant_cone_trace;
struct invariant_cone_search {
    const struct invariant_cone_problem *p;
    struct polygon2d_point
        *v;     /* the polygon: the leftmost corner, the lower ones */
    int n, low; /* to the rightmost, v[low], then the upper ones */
    struct polygon2d_point *clip[2];    /* of one flight; room for sorting */
    struct polygon2d_point *out;        /* points to be added */
    int n_out, most;                    /* room for all of these */
    int contact;                        /* flight of the last image */
    bool any_order;                     /* C_j are all velocities */
    struct invariant_cone_trace *trace; /* NULL: none is kept */
    double slack; /* a point outside the polygon by less counts as inside */
};

static inline double
polygon2d_size(struct polygon2d_point v)
{
    return 1.0 + fabs(v.x) + fabs(v.y);
}
/* Has the polygon an inside? */
static inline bool
polygon2d_is_solid(const struct invariant_cone_search *search)
{
    return search->n >= search->p->dim;
}
/* Is v in the polygon, or out of it within INVARIANT_CONE_NOISE or the slack?
 * The polygon has an inside. */
bool polygon2d_contains(const struct invariant_cone_search *search,
                        struct polygon2d_point v);
/* Makes the polygon the hull of itself and the points `out`, and empties these.
 */
void polygon2d_add_points(struct invariant_cone_search *search);
/* Drops corners that stand out by less than the slack. */
void polygon2d_thin(struct invariant_cone_search *search);
/* Puts the corners of the intersection of the polygon and C_j into clip[0],
 * also those out of it within INVARIANT_CONE_NOISE; returns how many. */
int polygon2d_clip(struct invariant_cone_search *search, int j);
static inline bool
invariant_cone_stopped(const struct invariant_cone_options *options)
{
    return options->stop && options->stop(options->stop_arg);
}
/* Returns the solid angle of the cone over the polygon; in 2 dimensions, the
 * angle of the interval. */
double polygon2d_solid_angle(const struct invariant_cone_problem *problem,
                             const struct polygon2d_point *corner, int n);

/* Sets y := map (-1, v), and returns a bound of the rounding error of its
 * entries. */
double invariant_cone_apply(const double *map, struct polygon2d_point v,
                            double *y);

/* Enlarges the polygon by the share `by` until it holds its images with a
 * margin; true: it does. */
bool invariant_cone_prove(struct invariant_cone_search *search, double by,
                          const struct invariant_cone_options *options,
                          struct invariant_cone_result *result);
/* Writes the vector x, with x_0 < 0 and in the polygon, as a sum of three
 * corners with weights >= 0: corners, weights and residual of the image. */
void invariant_cone_combine(const struct invariant_cone_search *search,
                            const double *vector,
                            struct invariant_cone_image *image);
/* Returns a new trace, whose origins have the first `origins` numbers. */
struct invariant_cone_trace *invariant_cone_trace_new(struct arena *arena,
                                                      int origins);
/* Moves v, one of the n corners in clip[0], a little inside of all facets. */
struct polygon2d_point
invariant_cone_trace_pull(const struct invariant_cone_search *search,
                          struct polygon2d_point v, int n);
/* Notes the image `mapped`, by the flight to `contact`, of a point v in the
 * polygon; returns its number. */
int invariant_cone_trace_note(struct invariant_cone_search *search, int contact,
                              struct polygon2d_point v, const double *mapped);
/* Puts what the last noted image rests on into the result. */
void invariant_cone_trace_end(struct arena *arena,
                              const struct invariant_cone_search *search,
                              struct invariant_cone_result *result);
/* Keeps the images of the polygon, with weights. */
void invariant_cone_certificate(struct arena *arena,
                                struct invariant_cone_search *search,
                                struct invariant_cone_result *result);

#endif
