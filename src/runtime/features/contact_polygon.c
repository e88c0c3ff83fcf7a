/* SPDX-License-Identifier: MIT */
/* See contact_polygon.h. The hull is found by Andrew's method (1979). */
#include "runtime/features/contact_polygon.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* two sides are parallel if the sine between them is below this */
#define POLYGON_PARALLEL 1e-9

void
polygon_add(struct polygon *polygon, const struct polygon_point *point)
{
    assert(polygon->n >= 0);
    if (polygon->n < polygon->room)
        polygon->v[polygon->n++] = *point;
}

/* twice the area of the triangle a, b, c; positive if it turns left */
static double
turn_of(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double
distance_of(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

void
polygon_hull(struct polygon *polygon, struct polygon *tmp, double tol)
{
    assert(tmp->room >= polygon->n && tol >= 0.0);
    int n = 0;
    for (int i = 1; i < polygon->n; i++) {
        struct polygon_point x = polygon->v[i];
        int j = i;
        for (; j > 0 && (polygon->v[j - 1].u[0] > x.u[0] ||
                         (polygon->v[j - 1].u[0] == x.u[0] &&
                          polygon->v[j - 1].u[1] > x.u[1]));
             j--)
            polygon->v[j] = polygon->v[j - 1];
        polygon->v[j] = x;
    }
    for (int pass = 0; pass < 2; pass++) {
        int from = n;
        for (int k = 0; k < polygon->n; k++) {
            const struct polygon_point *x =
                &polygon->v[pass ? polygon->n - 1 - k : k];
            while (n >= from + 2 &&
                   turn_of(tmp->v[n - 2].u, tmp->v[n - 1].u, x->u) <= 0.0)
                n--;
            tmp->v[n++] = *x;
        }
        n--; /* the last point begins the other half */
    }
    if (polygon->n <= 1)
        n = polygon->n;
    /* leave out thin corners, but not the ends of a segment */
    bool gone = true;
    while (gone && n > 1) {
        gone = false;
        for (int i = 0; i < n && n > 1 && !gone; i++) {
            const double *a = tmp->v[(i + n - 1) % n].u, *b = tmp->v[i].u;
            const double *c = tmp->v[(i + 1) % n].u;
            double l = distance_of(a, c);
            gone =
                distance_of(b, c) <= tol ||
                (n > 2 && l > tol && turn_of(a, b, c) <= tol * l &&
                 (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) >
                     0.0);
            if (gone) {
                memmove(&tmp->v[i], &tmp->v[i + 1],
                        sizeof *tmp->v * (size_t)(n - i - 1));
                n--;
            }
        }
    }
    memcpy(polygon->v, tmp->v, sizeof *polygon->v * (size_t)n);
    polygon->n = n;
}

/* distance of x from the segment a, b */
static double
to_segment(const double a[2], const double b[2], const double x[2])
{
    double d[2] = {b[0] - a[0], b[1] - a[1]};
    double l2 = d[0] * d[0] + d[1] * d[1], t = 0.0;
    if (l2 > 0.0)
        t = ((x[0] - a[0]) * d[0] + (x[1] - a[1]) * d[1]) / l2;
    t = fmin(fmax(t, 0.0), 1.0);
    const double y[2] = {a[0] + t * d[0], a[1] + t * d[1]};
    return distance_of(x, y);
}

bool
polygon_holds(const struct polygon *polygon, const double x[2], double tol)
{
    if (polygon->n == 0)
        return true;
    bool in = polygon->n > 2;
    for (int i = 0; i < polygon->n; i++) {
        const double *a = polygon->v[i].u,
                     *b = polygon->v[(i + 1) % polygon->n].u;
        if (to_segment(a, b, x) <= tol)
            return true;
        in = in && turn_of(a, b, x) >= 0.0;
    }
    return in;
}

void
polygon_crossings(const struct polygon *a, const struct polygon *b,
                  struct polygon *out)
{
    int na = a->n == 2 ? 1 : a->n, nb = b->n == 2 ? 1 : b->n;
    if (a->n < 2 || b->n < 2)
        return;
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) {
            const struct polygon_point *p = &a->v[i],
                                       *q = &a->v[(i + 1) % a->n];
            const struct polygon_point *x = &b->v[j],
                                       *y = &b->v[(j + 1) % b->n];
            double s0 = turn_of(x->u, y->u, p->u);
            double s1 = turn_of(x->u, y->u, q->u);
            double t0 = turn_of(p->u, q->u, x->u);
            double t1 = turn_of(p->u, q->u, y->u);
            if (fabs(s1 - s0) <= POLYGON_PARALLEL * distance_of(p->u, q->u) *
                                     distance_of(x->u, y->u) ||
                (s0 > 0.0) == (s1 > 0.0) || (t0 > 0.0) == (t1 > 0.0))
                continue;
            struct polygon_point o;
            double s = s0 / (s0 - s1), t = t0 / (t0 - t1);
            for (int k = 0; k < 3; k++) {
                o.P[k] = p->P[k] + s * (q->P[k] - p->P[k]);
                o.Q[k] = x->Q[k] + t * (y->Q[k] - x->Q[k]);
            }
            for (int k = 0; k < 2; k++)
                o.u[k] = p->u[k] + s * (q->u[k] - p->u[k]);
            polygon_add(out, &o);
        }
}
