/* SPDX-License-Identifier: MIT */
/* Convex polygons in the plane between two polytopes that touch: which points
 * of both bodies they share. Each point carries its places on both bodies. */
#ifndef IMP_RUNTIME_FEATURES_CONTACT_POLYGON_H
#define IMP_RUNTIME_FEATURES_CONTACT_POLYGON_H

#include <stdbool.h>

struct polygon_point {
    double u[2];       /* in the plane (m) */
    double P[3], Q[3]; /* on the first and on the second body */
};
/* the corners, counter-clockwise once polygon_hull has put them in order; two
 * points are a segment, none stand for the whole plane */
struct polygon {
    struct polygon_point *v; /* the caller's memory, for `room` points */
    int n, room;
    bool full; /* a point was left out, because there was no room */
};

/* Adds one more point if there is room; otherwise sets polygon->full. */
void polygon_add(struct polygon *polygon, const struct polygon_point *point);
/* The convex hull of the points, in place. A point within tol (m) of a side or
 * of another point is left out. One or two points remain where there is no
 * area. tmp: room for two points more than the polygon has. */
void polygon_hull(struct polygon *polygon, struct polygon *tmp, double tol);
/* Is the place within tol (m) of the polygon? */
bool polygon_holds(const struct polygon *polygon, const double place[2],
                   double tol);
/* Adds to *out the points at which the sides of both cross. */
void polygon_crossings(const struct polygon *first,
                       const struct polygon *second, struct polygon *out);

#endif
