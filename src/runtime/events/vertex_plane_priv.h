/* SPDX-License-Identifier: MIT */
/* Inside vertex_plane.h: a contact, its course on one step, the first vertex
 * that comes down (vertex_plane_search.c). */
#ifndef IMP_RUNTIME_EVENTS_VERTEX_PLANE_PRIV_H
#define IMP_RUNTIME_EVENTS_VERTEX_PLANE_PRIV_H

#include "runtime/events/vertex_plane.h"
#include "runtime/numerics/vec3.h"
#include "runtime/tape/functions.h"

/* of the series: flights of a step or two between touches; costs of steps and
 * of orders balance between 20 and 24 */
#define VERTEX_PLANE_ORDER 22
/* of the tolerances of a gap: what is nearer than this needs a closer look */
#define VERTEX_PLANE_CLEAR 64.0

/* vertices in eights: coordinates, |r|; the last ones are repeated */
#define EIGHT 8
struct vertex_eight {
    double x[3][EIGHT], far[EIGHT];
};
struct vertex_plane {
    uint32_t contact, body, block;
    bool flat;      /* the model is of the plane */
    double n[3], d; /* world; the half-space is n.x <= d */
    /* a plane that is driven: its body, which of the contact it is, n and d in
     * its own axes (n, d as of the start) */
    bool driven;
    uint32_t floor, side;
    double own_n[3], own_d;
    double e, length;
    uint32_t n_vertex, n_eight;
    struct vertex_eight *eight;
    double radius; /* greatest of `far` */
    /* coefficients 0 in r->work[block]: mass centre; quaternion or angle; spin
     */
    uint32_t place[3], turn[4], spin[3];
};
/* one contact on one step */
struct vertex_plane_course {
    const struct vertex_plane *p;
    /* quaternion, or angle; spin, in the plane the third. The others are 0 */
    const double *turn_row[4], *spin_row[4];
    double z[VERTEX_PLANE_ORDER + 2]; /* n.c - d */
    /* over a driven plane: g as a series; turn_row are these */
    double g[3][VERTEX_PLANE_ORDER + 2];
    int degree;        /* of it */
    double clear;      /* heights below need a closer look */
    double fall, turn; /* M_i = fall + |r_i| turn */
    double off, doff;  /* heights over |r|, rates over |r| are off by no
                          more where VERTEX_PLANE_LOW is enough */
};

/* the vertex that is looked at, with its height, rate and M_i at a time */
struct first_vertex {
    uint32_t i;
    double H, D, M;
};
enum found { FOUND_NONE, FOUND_ROOT, FOUND_UNCLEAR, FOUND_MORE };

/* The course of a contact from the present state, the motion's series made to
 * VERTEX_PLANE_ORDER; *h is lowered to what it holds for. False: it has none */
bool vertex_plane_begin(struct rt *run, const struct vertex_plane *plane,
                        double *h, struct vertex_plane_course *course);
/* The first vertex that comes down within *h: f->i, and *h when; else *h may be
 * lowered to what is known. `leaves`: a vertex may stand on the plane at the
 * start, if it rises. */
enum found vertex_plane_search(struct vertex_plane_course *course, bool leaves,
                               double *h, struct first_vertex *f);
/* every vertex well above the plane at s? */
bool vertex_plane_clear_at(const struct vertex_plane_course *course, double s);

/* g = R^T n from the unit quaternion; in the plane from the angle */
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
