/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distances between shapes, computed from support functions alone. Nothing of
 * this is shared with Imp's own search for closest points. */
#ifndef SOAK_SOLID_H
#define SOAK_SOLID_H

#include "run.h"

enum { MAX_FACES = 2 * MAX_CORNERS, MAX_EDGES = 3 * MAX_CORNERS };

/* A shape in axes through its centre of mass. */
struct solid {
    enum shape shape;
    int dimension;
    double size[3];
    int corners;
    double corner[MAX_CORNERS][3];
    int faces, edges;
    double face[MAX_FACES][3]; /* outward unit normals */
    double edge[MAX_EDGES][3]; /* unit directions, in space */
    double radius;             /* of a ball about the centre of mass */
    double area;               /* or volume; 0 if it is not needed */
};

void solid_make(const struct body *body, int dimension, struct solid *out);
/* Sorts the corners of a convex polygon about its centre of mass. */
void solid_sort(struct solid *solid);
/* The distance of two solids; minus the least depth where they overlap. NaN for
 * two half-spaces. `a`, `b`: where they are. */
double solid_separation(const struct solid *a, const struct state *at_a,
                        const struct solid *b, const struct state *at_b);

#endif
