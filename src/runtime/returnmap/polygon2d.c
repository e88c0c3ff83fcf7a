/* SPDX-License-Identifier: MIT */
/* Convex polygons of the plane x_0 = -1: hull, edges, clipping, the solid angle
 * of the cone over them. Points and segments are polygons too. In 2 dimensions
 * all points have y = 0. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/returnmap/invariant_cone_priv.h"

/* with no more corners than this, all edges are looked at */
#define FEW 8

/* Returns the area of the parallelogram, 0 within rounding. */
static double
area(struct polygon2d_point o, struct polygon2d_point a,
     struct polygon2d_point b)
{
    double ax = a.x - o.x, ay = a.y - o.y, bx = b.x - o.x, by = b.y - o.y;
    double d = ax * by - ay * bx;
    double size =
        polygon2d_size(o) * (fabs(ax) + fabs(ay) + fabs(bx) + fabs(by));
    return fabs(d) <= INVARIANT_CONE_NOISE / 16.0 * size ? 0.0 : d;
}

static bool
before(struct polygon2d_point a, struct polygon2d_point b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

static bool
same(struct polygon2d_point a, struct polygon2d_point b)
{
    return fabs(a.x - b.x) + fabs(a.y - b.y) <=
           INVARIANT_CONE_NOISE / 16.0 * polygon2d_size(a);
}

/* -- hull -------------------------------------------------------------------
 */

static void
merge(const struct polygon2d_point *a, int count,
      const struct polygon2d_point *b, int m, struct polygon2d_point *out)
{
    int i = 0, j = 0;
    while (i < count || j < m)
        if (j == m || (i < count && !before(b[j], a[i])))
            *out++ = a[i++];
        else
            *out++ = b[j++];
}

/* Puts all points from left to right into search->clip[0]. */
static int
sorted(struct invariant_cone_search *search)
{
    struct polygon2d_point *up = search->clip[0], *all = search->clip[1];
    int n_up = 0, n_low = search->n ? search->low + 1 : 0;
    for (int i = search->n - 1; i >= n_low; i--)
        up[n_up++] = search->v[i];
    merge(search->v, n_low, up, n_up, all);
    for (int i = 1; i < search->n_out; i++) {
        struct polygon2d_point x = search->out[i];
        int j = i;
        for (; j > 0 && before(x, search->out[j - 1]); j--)
            search->out[j] = search->out[j - 1];
        search->out[j] = x;
    }
    merge(all, search->n, search->out, search->n_out, search->clip[0]);
    int count = 0, most = search->n + search->n_out;
    for (int i = 0; i < most; i++)
        if (!count || !same(search->clip[0][i], search->clip[0][count - 1]))
            search->clip[0][count++] = search->clip[0][i];
    return count;
}

/* Adds a point to a chain of k points that turns left. Returns their number
 * afterwards. */
static int
extend(struct polygon2d_point *v, int k, struct polygon2d_point point)
{
    while (k >= 2 && area(v[k - 2], v[k - 1], point) <= 0.0)
        k--;
    v[k] = point;
    return k + 1;
}

/* Is Andrew's monotone chain; points that were sorted stay sorted. */
void
polygon2d_add_points(struct invariant_cone_search *search)
{
    assert(search->n + search->n_out <= search->most);
    int count = sorted(search), kept = 0, upper = 0;
    const struct polygon2d_point *all = search->clip[0];
    struct polygon2d_point *up = search->clip[1];
    search->n_out = 0;
    if (count > 2 && search->p->dim == 2) {
        search->clip[0][1] = all[count - 1];
        count = 2;
    }
    for (int i = 0; i < count; i++)
        kept = extend(search->v, kept, all[i]);
    for (int i = count - 1; i >= 0; i--)
        upper = extend(up, upper, all[i]);
    search->low = kept - 1;
    for (int i = 1; i + 1 < upper; i++)
        search->v[kept++] = up[i];
    search->n = kept;
}

void
polygon2d_thin(struct invariant_cone_search *search)
{
    assert(search->n > 0 && search->low < search->n);
    struct polygon2d_point *corner = search->v;
    int count = 1, low = search->low;
    bool kept = true; /* Of two neighbours only one may be removed. */
    for (int i = 1; i < search->n; i++) {
        struct polygon2d_point a = corner[count - 1], b = corner[i],
                               c = corner[i + 1 < search->n ? i + 1 : 0];
        bool drop = kept && i != low &&
                    area(a, b, c) < search->slack * hypot(c.x - a.x, c.y - a.y);
        kept = !drop;
        if (i == low)
            search->low = count;
        if (kept)
            corner[count++] = b;
    }
    search->n = count;
}

/* -- where a point is -------------------------------------------------------
 */

/* Is the point on the left of the way from a to b? */
static bool
left_of(struct polygon2d_point a, struct polygon2d_point b,
        struct polygon2d_point point, double slack)
{
    double dx = b.x - a.x, dy = b.y - a.y;
    return dx * (point.y - a.y) - dy * (point.x - a.x) >=
           -(INVARIANT_CONE_NOISE * polygon2d_size(point) + slack) *
               (fabs(dx) + fabs(dy));
}

/* The way v[from .. to] goes to the right (direction 1) or to the left (-1). Is
 * x on its left where it passes? Neighbouring edges count, too: next to a steep
 * edge they decide. */
static bool
passes(const struct invariant_cone_search *search, int from, int to,
       int direction, struct polygon2d_point point)
{
    int a = from, b = to;
    while (b - a > 1) {
        int mid = (a + b) / 2;
        bool past = direction > 0 ? point.x >= search->v[mid].x
                                  : point.x <= search->v[mid].x;
        a = past ? mid : a;
        b = past ? b : mid;
    }
    int lo = a > from ? a - 1 : a, hi = b < to ? b + 1 : b;
    for (int i = lo; i < hi; i++)
        if (!left_of(search->v[i], search->v[i + 1 < search->n ? i + 1 : 0],
                     point, search->slack))
            return false;
    return true;
}

bool
polygon2d_contains(const struct invariant_cone_search *search,
                   struct polygon2d_point point)
{
    assert(search->n > 0 && search->low < search->n);
    double tol = INVARIANT_CONE_NOISE * polygon2d_size(point) + search->slack;
    if (point.x < search->v[0].x - tol ||
        point.x > search->v[search->low].x + tol)
        return false;
    if (search->p->dim == 2)
        return true;
    if (search->n > FEW)
        return passes(search, 0, search->low, 1, point) &&
               passes(search, search->low, search->n, -1, point);
    for (int i = 0; i < search->n; i++)
        if (!left_of(search->v[i], search->v[i + 1 < search->n ? i + 1 : 0],
                     point, search->slack))
            return false;
    return true;
}

/* -- clipping ---------------------------------------------------------------
 */

/* Puts the part of the polygon of n points on the side of h into out. */
static int
cut(const struct polygon2d_point *v, int count, const double *c,
    struct polygon2d_point *out)
{
    assert(count > 0);
    int kept = 0;
    struct polygon2d_point last = v[count - 1];
    double last_height = c[1] * last.x + c[2] * last.y - c[0];
    bool was = last_height >= -INVARIANT_CONE_NOISE * polygon2d_size(last);
    for (int i = 0; i < count; i++) {
        struct polygon2d_point corner = v[i];
        double height = c[1] * corner.x + c[2] * corner.y - c[0];
        double tol = INVARIANT_CONE_NOISE * polygon2d_size(corner);
        bool in = height >= -tol;
        if (in != was && fabs(last_height - height) > tol) {
            double t = last_height / (last_height - height);
            out[kept++] = (struct polygon2d_point){
                last.x + t * (corner.x - last.x),
                last.y + t * (corner.y - last.y), false, 0};
        }
        if (in)
            out[kept++] = corner;
        last = corner;
        last_height = height;
        was = in;
    }
    return kept;
}

int
polygon2d_clip(struct invariant_cone_search *search, int j)
{
    assert(j > 0 && j < search->p->m);
    const struct invariant_cone_flight *flight = &search->p->flight[j];
    const struct polygon2d_point *from = search->v;
    int count = search->n, k = search->any_order ? 0 : flight->n_clip;
    search->contact = j;
    if (!k)
        memcpy(search->clip[0], search->v, (size_t)count * sizeof *search->v);
    for (int i = 0; i < k && count; i++) {
        struct polygon2d_point *to = search->clip[(k - 1 - i) % 2];
        count = cut(from, count, flight->h[i].c, to);
        from = to;
    }
    return count;
}

/* -- angle ------------------------------------------------------------------
 */

/* Returns (X_1, X_2) in the plane X_0 = -1. */
static struct polygon2d_point
plain(const struct invariant_cone_problem *problem, struct polygon2d_point v)
{
    const double *r = problem->rates;
    return (struct polygon2d_point){r[4] * v.x + r[5] * v.y - r[3],
                                    r[7] * v.x + r[8] * v.y - r[6], false, 0};
}

/* Van Oosterom and Strackee 1983 for each triangle of a fan; the angles' sum,
 * halved, is the argument of the product. Areas of thin cones are taken in x.
 */
double
polygon2d_solid_angle(const struct invariant_cone_problem *problem,
                      const struct polygon2d_point *corner, int count)
{
    assert(problem != NULL && corner != NULL && count >= 0);
    if (count < problem->dim)
        return 0.0;
    struct polygon2d_point apex = plain(problem, corner[0]),
                           from = plain(problem, corner[1]), to;
    if (problem->dim == 2)
        return atan2(problem->e * (corner[1].x - corner[0].x),
                     1.0 + apex.x * from.x);
    double re = 1.0, im = 0.0;
    double apex_length = sqrt(1.0 + apex.x * apex.x + apex.y * apex.y);
    double from_length = sqrt(1.0 + from.x * from.x + from.y * from.y),
           to_length;
    for (int i = 1; i + 1 < count; i++, from = to, from_length = to_length) {
        to = plain(problem, corner[i + 1]);
        to_length = sqrt(1.0 + to.x * to.x + to.y * to.y);
        double apex_from = 1.0 + apex.x * from.x + apex.y * from.y;
        double from_to = 1.0 + from.x * to.x + from.y * to.y;
        double to_apex = 1.0 + to.x * apex.x + to.y * apex.y;
        double s =
            (corner[i].x - corner[0].x) * (corner[i + 1].y - corner[0].y) -
            (corner[i].y - corner[0].y) * (corner[i + 1].x - corner[0].x);
        s *= problem->e; /* x to X */
        double d = apex_length * from_length * to_length +
                   apex_from * to_length + from_to * apex_length +
                   to_apex * from_length;
        double big = fmax(fabs(s), fabs(d)), x = (re * d - im * s) / big;
        im = (re * s + im * d) / big;
        re = x;
    }
    return 2.0 * atan2(im, re);
}
