/* SPDX-License-Identifier: MIT */
/* Convex hulls of points in the plane and in space: which points are vertices,
 * and how the faces run through them. Also polytopes from points and from
 * half-spaces. All memory belongs to the arena that is given. */
#ifndef IMP_RUNTIME_GEOMETRY_POLYTOPE_HULL_H
#define IMP_RUNTIME_GEOMETRY_POLYTOPE_HULL_H

#include "runtime/geometry/polytope.h"

enum hull_fault {
    HULL_OK,
    HULL_FLAT, /* the points lie in one plane (in the plane: on one line) */
    HULL_SAME, /* two points coincide: bad[] */
    HULL_LOST, /* faces that cannot be told apart within rounding */
    HULL_NO_CORNER, /* a point lies in the hull of the others: bad[0] */
    HULL_UNBOUNDED, /* half-spaces that enclose nothing */
    HULL_EMPTY      /* a half-space without the origin inside: bad[0] */
};
struct hull {
    int dim;
    uint32_t n_face;
    /* vertices of face f, counter-clockwise seen from outside:
     * loop[first[f]] .. loop[first[f + 1] - 1]; in the plane one "face", the
     * polygon, counter-clockwise */
    uint32_t *first, *loop;
    bool *corner; /* per point */
    uint32_t bad[2];
};
/* Finds the hull of n points of `dim` coordinates, of which the third is 0 in
 * the plane. */
enum hull_fault hull_find(struct arena *arena, int dim,
                          const double (*points)[3], uint32_t n_point,
                          struct hull *out);

/* The polytope with the given vertices. */
enum hull_fault polytope_points(struct arena *arena, int dim,
                                const double (*points)[3], uint32_t n_point,
                                struct polytope *out, uint32_t bad[2]);
/* The polytope of half-spaces h[0..2].x <= h[3] with the origin inside all of
 * them. A zero vector states only that h[3] is not negative. One half-space
 * alone stays a half-space. */
enum hull_fault polytope_planes(struct arena *arena, int dim,
                                const double (*h)[4], uint32_t count,
                                struct polytope *out, uint32_t bad[2]);
/* How the loops of faces hang together. twin[i]: where the edge that starts at
 * loop[i] starts in the other face; at, around: as in struct polytope,
 * counter-clockwise */
struct mesh {
    uint32_t *twin, *at, *around;
};

#endif
