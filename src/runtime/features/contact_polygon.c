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
    else
        polygon->full = true;
}

/* Returns twice the area of the triangle a, b, c; positive if it turns left. */
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
    int count = 0;
    for (int corner = 1; corner < polygon->n; corner++) {
        struct polygon_point moved = polygon->v[corner];
        int j = corner;
        for (; j > 0 && (polygon->v[j - 1].u[0] > moved.u[0] ||
                         (polygon->v[j - 1].u[0] == moved.u[0] &&
                          polygon->v[j - 1].u[1] > moved.u[1]));
             j--)
            polygon->v[j] = polygon->v[j - 1];
        polygon->v[j] = moved;
    }
    for (int pass = 0; pass < 2; pass++) {
        int from = count;
        for (int k = 0; k < polygon->n; k++) {
            const struct polygon_point *moved =
                &polygon->v[pass ? polygon->n - 1 - k : k];
            while (count >= from + 2 &&
                   turn_of(tmp->v[count - 2].u, tmp->v[count - 1].u,
                           moved->u) <= 0.0)
                count--;
            tmp->v[count++] = *moved;
        }
        count--; /* The last point is the first one of the other half. */
    }
    if (polygon->n <= 1)
        count = polygon->n;
    /* leave out thin corners, but not the ends of a segment */
    bool gone = true;
    while (gone && count > 1) {
        gone = false;
        for (int corner = 0; corner < count && count > 1 && !gone; corner++) {
            const double *a = tmp->v[(corner + count - 1) % count].u,
                         *b = tmp->v[corner].u;
            const double *c = tmp->v[(corner + 1) % count].u;
            double l = distance_of(a, c);
            gone =
                distance_of(b, c) <= tol ||
                (count > 2 && l > tol && turn_of(a, b, c) <= tol * l &&
                 (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) >
                     0.0);
            if (gone) {
                memmove(&tmp->v[corner], &tmp->v[corner + 1],
                        sizeof *tmp->v * (size_t)(count - corner - 1));
                count--;
            }
        }
    }
    memcpy(polygon->v, tmp->v, sizeof *polygon->v * (size_t)count);
    polygon->n = count;
}

/* Returns the distance of x from the segment a, b. */
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
polygon_holds(const struct polygon *polygon, const double place[2], double tol)
{
    assert(polygon != NULL && place != NULL && tol >= 0.0);
    if (polygon->n == 0)
        return true;
    bool in = polygon->n > 2;
    for (int i = 0; i < polygon->n; i++) {
        const double *a = polygon->v[i].u,
                     *b = polygon->v[(i + 1) % polygon->n].u;
        if (to_segment(a, b, place) <= tol)
            return true;
        in = in && turn_of(a, b, place) >= 0.0;
    }
    return in;
}

void
polygon_crossings(const struct polygon *first, const struct polygon *second,
                  struct polygon *out)
{
    assert(first);
    int first_sides = first->n == 2 ? 1 : first->n,
        second_sides = second->n == 2 ? 1 : second->n;
    if (first->n < 2 || second->n < 2)
        return;
    for (int i = 0; i < first_sides; i++)
        for (int j = 0; j < second_sides; j++) {
            const struct polygon_point *first_from = &first->v[i],
                                       *first_to =
                                           &first->v[(i + 1) % first->n];
            const struct polygon_point *second_from = &second->v[j],
                                       *second_to =
                                           &second->v[(j + 1) % second->n];
            double s0 = turn_of(second_from->u, second_to->u, first_from->u);
            double s1 = turn_of(second_from->u, second_to->u, first_to->u);
            double t0 = turn_of(first_from->u, first_to->u, second_from->u);
            double t1 = turn_of(first_from->u, first_to->u, second_to->u);
            if (fabs(s1 - s0) <=
                    POLYGON_PARALLEL * distance_of(first_from->u, first_to->u) *
                        distance_of(second_from->u, second_to->u) ||
                (s0 > 0.0) == (s1 > 0.0) || (t0 > 0.0) == (t1 > 0.0))
                continue;
            struct polygon_point crossing;
            double s = s0 / (s0 - s1), t = t0 / (t0 - t1);
            for (int k = 0; k < 3; k++) {
                crossing.P[k] =
                    first_from->P[k] + s * (first_to->P[k] - first_from->P[k]);
                crossing.Q[k] = second_from->Q[k] +
                                t * (second_to->Q[k] - second_from->Q[k]);
            }
            for (int k = 0; k < 2; k++)
                crossing.u[k] =
                    first_from->u[k] + s * (first_to->u[k] - first_from->u[k]);
            polygon_add(out, &crossing);
        }
}
