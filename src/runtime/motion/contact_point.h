/* SPDX-License-Identifier: MIT */
/* One point of a contact that may stay closed: which features of the two bodies
 * meet there, its gap as a time series, and the forces that open it. */
#ifndef IMP_RUNTIME_MOTION_CONTACT_POINT_H
#define IMP_RUNTIME_MOTION_CONTACT_POINT_H

#include "runtime/instance/run.h"
#include "runtime/numerics/taylor.h"

enum contact_point_kind {
    POINT_SURFACE, /* two smooth bodies, or one and a plane
                      (imp_contact.opening) */
    POINT_SMOOTH,  /* a smooth body on the nearest feature of a polytope */
    POINT_VERTEX,  /* a vertex on a plane or on a face */
    POINT_EDGES,   /* edges that cross */
    POINT_CORNERS  /* a corner on a corner, in the plane, along a normal that is
                      stated or that of rounded corners */
};
struct contact_point {
    uint32_t contact;
    enum contact_point_kind kind;
    /* POINT_VERTEX: the body whose face it is, 0 or 1; the vertex is of the
     * other body. POINT_EDGES: `face` and `vertex` are the edges of body 0 and
     * of body 1, with directions d0 and d1; face_of is 1 if their normal is
     * -d0 x d1. POINT_CORNERS: `face` and `vertex` are the vertices of body 0
     * and of body 1; face_of is 0. */
    int face_of;
    uint32_t face, vertex;
};

/* Do both mean the same features of the same contact? */
static inline bool
contact_point_same(const struct contact_point *one,
                   const struct contact_point *two)
{
    return one->contact == two->contact && one->kind == two->kind &&
           one->face == two->face && one->vertex == two->vertex &&
           (one->kind != POINT_VERTEX || one->face_of == two->face_of);
}

struct persistent_group;
struct persistent_row;
/* Makes the rotation R from body to world axes, from the quaternion q in the
 * rows of the motion, from this order on. */
void body_rotation(const struct rt *run, uint32_t body, int from, int order,
                   struct taylor R[9]);
/* Does the body move at all? (False for the world and for fixed bodies.) */
static inline bool
contact_point_body_moves(const struct rt *run, uint32_t body)
{
    return body != IMP_WORLD && !(rt_body(run, body)->flags & IMP_BODYF_FIXED);
}
/* The gap of a point and the forces that open it, as series to `order`;
 * run->rows.block holds the motion. Status of the tapes; IMP_SINGULAR where two
 * edges are parallel. */
int contact_point_series(struct rt *run, struct persistent_group *group,
                         struct persistent_row *row, int order);
/* The same for POINT_SURFACE (ball_point.c). */
int contact_point_surface(struct rt *run, const struct persistent_group *group,
                          struct persistent_row *row, int order);
/* Shortens *step, the length of the series made last, to where those of closed
 * contacts leave the branch of a surface's formula (ball_point.c). `look` moves
 * the state along these series (motion_look). */
typedef void contact_point_look(struct rt *run, int order, double dt, double t);
void contact_point_surfaces_end(struct rt *run, int order, double *step,
                                contact_point_look *look);
/* Are both bodies discs or spheres, or one of them a plane that rests? */
bool contact_point_balls(const struct rt *run, uint32_t contact);
/* The gap of such a pair at the present state. False: it has none by this
 * formula. */
bool contact_point_balls_now(struct rt *run, uint32_t contact, double *gap);
/* Beside what is held: is the gap of such a pair far wider than what takes part
 * in an impact, closed or open by no more than `reach` (m)? */
bool contact_point_balls_apart(struct rt *run, uint32_t contact, double reach);
/* The gap of such a pair as a series, by the formula of its points, without the
 * unknowns of closest points. False: it has none. */
bool contact_point_balls_gap(struct rt *run, uint32_t contact, int order,
                             double *gap);
/* Forgets the poses that points of one contact share: to be called whenever
 * the motion in run->rows.block has changed. */
void contact_point_poses_forget(struct persistent_group *group);
/* Calls `each` with the gap of every vertex over the face of the point `on`, or
 * of those that are `wanted` (NULL: all are).
 * *holds (may be NULL): the time for which these series hold. */
int contact_point_vertices(struct rt *run, const struct contact_point *on,
                           int order,
                           bool (*wanted)(void *ctx, uint32_t vertex),
                           void (*each)(void *ctx, uint32_t vertex,
                                        const struct taylor *gap),
                           void *ctx, double *holds);
/* What comes: asked up to `span` (s) from now, in which no point moves against
 * the other body faster than `speed`; then the first time at which other edges
 * come to cross, and may touch before that span ends. */
struct contact_point_ahead {
    double span, speed;
};
/* Calls `each` with the gap of every pair of edges of both bodies that is
 * `wanted` and that crosses now, or nearly, with the outer sides of the edges
 * towards each other. ahead (may be NULL): when the next of those that are
 * wanted comes to do so. */
int contact_point_crossings(struct rt *run, uint32_t contact, int order,
                            bool (*wanted)(void *ctx,
                                           const struct contact_point *at),
                            void (*each)(void *ctx,
                                         const struct contact_point *at,
                                         const struct taylor *gap),
                            void *ctx, struct contact_point_ahead *ahead);
/* Gives the place of the point, in the axes of body 0 about its mass centre
 * (m). */
int contact_point_place(struct rt *run, const struct contact_point *at,
                        int order, struct taylor out[3]);
/* Distances (m, positive inside) of a vertex to the sides of its face, of a
 * crossing to the ends of its edges, or of corners on corners from where they
 * do not stay so. Returns how many there are. *side: NULL, or room for
 * CONTACT_POINT_SIDES of them, which is used where it is enough; afterwards
 * where they are, there or in run->brief. */
#define CONTACT_POINT_SIDES 4
int contact_point_sides_in(struct rt *run, const struct contact_point *at,
                           int order, struct taylor **side);
/* The same in run->brief. */
static inline int
contact_point_sides(struct rt *run, const struct contact_point *at, int order,
                    struct taylor **side)
{
    *side = NULL;
    return contact_point_sides_in(run, at, order, side);
}

#endif
