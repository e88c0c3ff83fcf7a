/* SPDX-License-Identifier: MIT */
/* Inside vertex_plane.h: one contact, its course within one step, and the
 * search for the first vertex that comes down (vertex_plane_search.c). */
#ifndef IMP_RUNTIME_EVENTS_VERTEX_PLANE_PRIV_H
#define IMP_RUNTIME_EVENTS_VERTEX_PLANE_PRIV_H

#include "runtime/events/vertex_plane.h"
#include "runtime/numerics/vec3.h"
#include "runtime/tape/functions.h"

/* The order of the series. A flight between two touches takes a step or two;
 * the costs of steps and of orders balance between 20 and 24. */
#define VERTEX_PLANE_ORDER 22
/* a vertex needs a closer look if it is nearer to the plane than this many
 * tolerances of the gap */
#define VERTEX_PLANE_CLEAR 64.0

/* eight vertices at a time: coordinates and |r|; the last vertex is repeated
 * to fill up the last eight */
#define EIGHT 8
struct vertex_eight {
    double x[3][EIGHT], far[EIGHT];
};
struct vertex_plane {
    uint32_t contact, body, block;
    bool flat;      /* the model is two-dimensional */
    double n[3], d; /* the half-space n.x <= d, world axes */
    /* A plane that is driven: its body, whether that is body 0 or 1 of the
     * contact, and n and d in its own axes (n and d above are those of the
     * start). */
    bool driven;
    uint32_t floor, side;
    double own_n[3], own_d;
    double e, length;
    uint32_t n_vertex, n_eight;
    struct vertex_eight *eight;
    double radius; /* the greatest |r| */
    /* offsets of coefficient 0 in run->rows.block[block]: mass centre;
     * quaternion or angle; spin */
    uint32_t place[3], turn[4], spin[3];
};
/* one contact within one step */
struct vertex_plane_course {
    const struct vertex_plane *p;
    /* quaternion (or angle) and spin (in the plane the third); the others are
     * 0 */
    const double *turn_row[4], *spin_row[4];
    double z[VERTEX_PLANE_ORDER + 2]; /* n.c - d */
    /* over a driven plane: the series of g, which turn_row points to */
    double g[3][VERTEX_PLANE_ORDER + 2];
    int degree;        /* of it */
    double clear;      /* a vertex below this height needs a closer look */
    double fall, turn; /* M_i = fall + |r_i| turn */
    double off,
        doff; /* With the terms up to VERTEX_PLANE_LOW alone, the height and the
                 rate of a vertex are off by no more than these times |r|. */
};

/* one vertex with its height H, its rate D, and the bound M of its second
 * derivative, at one time */
struct first_vertex {
    uint32_t i;
    double H, D, M;
};
enum found { FOUND_NONE, FOUND_ROOT, FOUND_UNCLEAR, FOUND_MORE };

/* The course of a contact from the present state on. The series of the motion
 * must have been made to VERTEX_PLANE_ORDER. *horizon is lowered to the time
 * for which the course holds. False if it has none. */
bool vertex_plane_begin(struct rt *run, const struct vertex_plane *plane,
                        double *horizon, struct vertex_plane_course *course);
/* The first vertex that comes down within *horizon: first->i, and *horizon is
 * lowered to its time. Otherwise *horizon may be lowered to the time that is
 * known to be free. leaves: a vertex may stand on the plane at the start if it
 * rises. */
enum found vertex_plane_search(struct vertex_plane_course *course, bool leaves,
                               double *horizon, struct first_vertex *first);
/* Is every vertex well above the plane at this time? */
bool vertex_plane_clear_at(const struct vertex_plane_course *course,
                           double time);

/* Sets g = R^T n from the unit quaternion; in the plane from the angle. */
static inline void
vertex_plane_turn_back(bool flat, const double *q, const double *n, double *g)
{
    if (flat) {
        double c = imp_cos(q[0]), s = imp_sin(q[0]);
        g[0] = n[0] * c + n[1] * s;
        g[1] = n[1] * c - n[0] * s;
        g[2] = 0.0;
        return;
    }
    quaternion_rotate_back(q, n, g);
}

#endif
