/* SPDX-License-Identifier: MIT */
/* The proof that there is an effectively invariant cone. The search has found a
 * cone that differs from the least one by its tolerance. The corners of the
 * least cone are fixed points of maps, so rounded numbers cannot show that it
 * is invariant. Therefore images are moved away from a middle by a small share
 * before they are added. Where the maps contract (as they do towards
 * eigenvectors, in the plane x_0 = -1) this ends with a cone that holds the
 * images themselves with a margin far above the rounding error. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/vec3.h"
#include "runtime/returnmap/invariant_cone_priv.h"

/* the margin that is asked for, as a share of what was added */
#define PROVE_MARGIN 0.25
/* the margin must be greater than its rounding error by this factor */
#define PROVE_SAFE 100.0

static struct polygon2d_point
middle(const struct polygon2d_point *v, int count)
{
    struct polygon2d_point centre = {0.0, 0.0, false, 0};
    for (int i = 0; i < count; i++) {
        centre.x += v[i].x / count;
        centre.y += v[i].y / count;
    }
    return centre;
}

/* Returns the least distance of c from an edge. */
static double
depth(const struct invariant_cone_search *search, struct polygon2d_point centre)
{
    double least = INFINITY;
    if (search->p->dim == 2)
        return fmin(centre.x - search->v[0].x, search->v[1].x - centre.x);
    for (int i = 0; i < search->n; i++) {
        struct polygon2d_point a = search->v[i],
                               b = search->v[(i + 1) % search->n];
        double dx = b.x - a.x, dy = b.y - a.y;
        least = fmin(least, (dx * (centre.y - a.y) - dy * (centre.x - a.x)) /
                                hypot(dx, dy));
    }
    return least;
}

/* The error of an image in the plane: of the products, of the corner (on the
 * edges and on C_j within INVARIANT_CONE_NOISE), and of maps whose cosines
 * deviate from the symmetry. */
static double
error_of(const struct invariant_cone_problem *problem, const double *map,
         struct polygon2d_point point, const double *y, double err)
{
    struct polygon2d_point u = {-y[1] / y[0], -y[2] / y[0], false, 0};
    double big = 0.0;
    for (int i = 0; i < 9; i++)
        big = fmax(big, fabs(map[i]));
    double in = (INVARIANT_CONE_NOISE + 8.0 * problem->deviation) *
                polygon2d_size(point);
    return (err + 3.0 * big * in) / -y[0] * 2.0 * polygon2d_size(u);
}

static struct polygon2d_point
away(struct polygon2d_point point, struct polygon2d_point centre, double by)
{
    return (struct polygon2d_point){point.x + by * (point.x - centre.x),
                                    point.y + by * (point.y - centre.y), false,
                                    0};
}

/* One round over the images of the corners that are new, or of all: those
 * without the margin are to be added. *error: the greatest error of an image.
 * False: an image does not have x_0 < 0. */
static bool
round_of(struct invariant_cone_search *search, struct polygon2d_point centre,
         double by, bool all, double *error)
{
    double image[3];
    search->n_out = 0;
    *error = 0.0;
    for (int j = 1; j < search->p->m; j++) {
        const double *map = search->p->flight[j].map;
        int count = polygon2d_clip(search, j);
        for (int i = 0; i < count; i++) {
            struct polygon2d_point of = search->clip[0][i];
            if (of.old && !all)
                continue;
            double err = invariant_cone_apply(map, of, image);
            if (!(image[0] < -16.0 * err))
                return false;
            if (search->n + search->n_out == search->most)
                return true; /* The other ones are examined in the next round.
                              */
            struct polygon2d_point point = {-image[1] / image[0],
                                            -image[2] / image[0], false, 0};
            *error = fmax(*error, error_of(search->p, map, of, image, err));
            if (!polygon2d_contains(search,
                                    away(point, centre, PROVE_MARGIN * by)))
                search->out[search->n_out++] = away(point, centre, by);
        }
    }
    for (int i = 0; i < search->n; i++)
        search->v[i].old = true;
    return true;
}

bool
invariant_cone_prove(struct invariant_cone_search *search, double by,
                     const struct invariant_cone_options *options,
                     struct invariant_cone_result *result)
{
    assert(by > 0.0);
    assert(polygon2d_is_solid(search));
    struct polygon2d_point centre = middle(search->v, search->n);
    bool all = true;
    /* what the search has found stays inside the cone */
    for (int i = 0; i < search->n; i++)
        search->v[i] = away(search->v[i], centre, by);
    search->slack = 0.125 * by * depth(search, centre);
    polygon2d_thin(search);
    search->slack = 0.0;
    for (int k = 0; k < options->iterations && !invariant_cone_stopped(options);
         k++) {
        double error;
        if (!round_of(search, centre, by, all, &error))
            return false;
        if (!search->n_out && all) {
            double t = PROVE_MARGIN * by;
            result->enlarged = by;
            result->margin = t / (1.0 + t);
            result->rounding = error / depth(search, centre);
            return result->margin > PROVE_SAFE * result->rounding;
        }
        all = !search->n_out;
        polygon2d_add_points(search);
        if (search->n > INVARIANT_CONE_MOST)
            return false;
    }
    return false;
}

/* -- the certificate --------------------------------------------------------
 */

/* Writes x as a weighted sum of corners a, b, c of the polygon (dim 2: a, b; 1:
 * a): x = (-s, X, Y), and a corner is (-1, a.x, a.y). Returns the least weight.
 */
static double
weights(const struct invariant_cone_search *search, const double *x, int dim,
        const int *corner, double *out)
{
    struct polygon2d_point a = search->v[corner[0]], b = search->v[corner[1]];
    double s = -x[0], X = x[1], Y = x[2];
    if (dim < search->p->dim) { /* a point, or a segment */
        double dx = b.x - a.x, dy = b.y - a.y, d2 = dx * dx + dy * dy;
        double along = (X - s * a.x) * dx + (Y - s * a.y) * dy;
        out[1] = dim > 1 ? along / d2 : 0.0;
        out[0] = s - out[1];
        out[2] = 0.0;
        return fmin(out[0], out[1]);
    }
    if (dim == 2) {
        out[1] = (X - s * a.x) / (b.x - a.x);
        out[0] = (s * b.x - X) / (b.x - a.x);
        out[2] = 0.0;
        return fmin(out[0], out[1]);
    }
    struct polygon2d_point c = search->v[corner[2]];
    double bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y;
    double d = bx * cy - by * cx, px = X - s * a.x, py = Y - s * a.y;
    out[1] = (px * cy - py * cx) / d;
    out[2] = (bx * py - by * px) / d;
    out[0] = s - out[1] - out[2];
    return fmin(out[0], fmin(out[1], out[2]));
}

/* Returns the corner farthest from x: triangles with this corner are not thin
 * where x is. */
static int
farthest(const struct invariant_cone_search *search, const double *x)
{
    int far = 0;
    double most = -1.0;
    for (int i = 0; i < search->n; i++) {
        double d =
            hypot(x[1] + x[0] * search->v[i].x, x[2] + x[0] * search->v[i].y);
        if (d > most) {
            most = d;
            far = i;
        }
    }
    return far;
}

/* Gives the part of x that the weighted corners leave. */
static void
rest(const struct invariant_cone_search *search, const double *x,
     const struct invariant_cone_image *im, double *d)
{
    memcpy(d, x, 3 * sizeof *d);
    for (int k = 0; k < search->p->dim; k++) {
        struct polygon2d_point point = search->v[im->g[k]];
        d[0] += im->weight[k];
        d[1] -= im->weight[k] * point.x;
        d[2] -= im->weight[k] * point.y;
    }
}

/* Takes the triangle of a fan in which the vector lies deepest; where the
 * polygon has no inside, the segment or the point. */
void
invariant_cone_combine(const struct invariant_cone_search *search,
                       const double *vector, struct invariant_cone_image *image)
{
    assert(search->n > 0);
    int count = search->n,
        dim = count < search->p->dim ? count : search->p->dim,
        base = farthest(search, vector);
    double best = -INFINITY, weight[3] = {0}, left[3];
    for (int i = 1; i + dim - 2 < count; i++) {
        int g[3] = {base, (base + i) % count,
                    dim == 3 ? (base + i + 1) % count : 0};
        double least = weights(search, vector, dim, g, weight);
        if (!(least > best))
            continue;
        best = least;
        memcpy(image->g, g, sizeof g);
        memcpy(image->weight, weight, sizeof weight);
    }
    image->residual = INFINITY;
    if (!(best > -INFINITY))
        return;
    /* The solution is corrected once by its residual, because weights of
     * corners that are close together have large rounding errors. */
    rest(search, vector, image, left);
    weights(search, left, dim, image->g, weight);
    for (int k = 0; k < 3; k++)
        image->weight[k] = fmax(image->weight[k] + weight[k], 0.0);
    rest(search, vector, image, left);
    image->residual = vec3_norm(left);
}

void
invariant_cone_certificate(struct arena *arena,
                           struct invariant_cone_search *search,
                           struct invariant_cone_result *result)
{
    assert(search != NULL && result != NULL);
    int most = 0;
    for (int j = 1; j < search->p->m; j++)
        most += polygon2d_clip(search, j);
    result->image = NEW_N(arena, struct invariant_cone_image, most + 1);
    for (int j = 1; j < search->p->m; j++) {
        int count = polygon2d_clip(search, j);
        for (int i = 0; i < count; i++) {
            struct invariant_cone_image *image =
                &result->image[result->n_image++];
            image->j = j;
            image->of = search->clip[0][i];
            invariant_cone_apply(search->p->flight[j].map, image->of, image->x);
            invariant_cone_combine(search, image->x, image);
        }
    }
}
