/* SPDX-License-Identifier: MIT */
/* Convex polytopes, made at set-up from the points or half-spaces of the image
 * (imp_body.n_point): vertices, edges, faces and how they hang together.
 * Coordinates are body axes about the mass centre. Points inside the hull and
 * half-spaces that bound nothing are left out; faces in one plane are one
 * face. */
#ifndef IMP_RUNTIME_GEOMETRY_POLYTOPE_H
#define IMP_RUNTIME_GEOMETRY_POLYTOPE_H

#include "runtime/instance/run.h"

struct polytope_face {
    double n[3], d; /* outward unit normal; the face lies in n.x = d */
    uint32_t first; /* of its vertices in loop[], counter-clockwise seen */
    uint32_t count; /* from outside; in the plane 2 */
};
struct polytope_edge { /* space only: in the plane the faces are the sides */
    uint32_t v[2], face[2];
    double dir[3]; /* unit, from v[0] to v[1] */
};
struct polytope {
    int dim;
    uint32_t n_vertex, n_edge, n_face; /* a half-space: 0, 0, 1 */
    double (*vertex)[3];
    struct polytope_edge *edge;
    struct polytope_face *face;
    uint32_t *loop;
    /* around vertex v: faces around[at[v]] .. around[at[v + 1] - 1] */
    uint32_t *at, *around;
    double radius; /* of a ball about the mass centre; infinite if unbounded */
    /* Bodies beside each other that state the same numbers have one polytope.
     * The same one before it was moved to the mass centre, where the next body
     * states the same numbers, else NULL; and that centre, shape coordinates.
     */
    struct polytope *stated;
    double centre[3];
};
/* Volume (area in the plane), centroid, and second moments about the centroid
 * for unit density, in the form of IMP_RAW_SINERTIA. Exact up to rounding.
 * Coordinates are those of the polytope. */
void polytope_moments(const struct polytope *polytope, double *volume,
                      double centroid[3], double inertia[6]);
/* two edges are parallel if the sine between them is below this */
#define POLYTOPE_PARALLEL 1e-9
/* Do these edges of two bodies in space cross, or nearly, with their outer
 * sides towards each other? The pose of the other one is its centre and its
 * turn (by rows) in the axes of the first one. *inward: 1 if the product of
 * their directions points into the first one, else 0. */
bool polytope_edges_meet(const struct polytope *polytope,
                         const struct polytope *other, uint32_t of_one,
                         uint32_t of_other, const double centre[3],
                         const double turn[9], int *inward);
/* The polytope of a body is run->polytope[body], NULL for other shapes.
 * polytope_setup makes it of the entries in env, in shape coordinates;
 * polytope_centre moves the origin to the mass centre when that is known.
 * IMP_BADMODEL after a diagnostic: a shape without an inside, an unbounded one
 * that is not a half-space, or a point that is no vertex. */
int polytope_setup(struct rt *run, uint32_t body);
/* Is each point of the polygon that a contact of a system touches a corner
 * (imp_contact.n_corner)? IMP_BADMODEL after a diagnostic. */
int polytope_surface_setup(struct rt *run, uint32_t contact);
void polytope_centre(struct rt *run, uint32_t body);

#endif
