/* SPDX-License-Identifier: MIT */
/* Which points of a contact are closed now, or may close soon. */
#ifndef IMP_RUNTIME_MODES_CONTACT_SET_H
#define IMP_RUNTIME_MODES_CONTACT_SET_H

#include "runtime/motion/contact_point.h"

/* Points of a contact that are closed within tol (m), at most `most`. Returns
 * their number, or -1 where the touch cannot be followed (edges against edges,
 * open normals, contacts of systems). */
int contact_set_points(struct rt *run, uint32_t contact, double tol,
                       struct contact_point *out, int most);
/* Points of a contact that are closer than `reach` (m) and may come to touch:
 * of vertices those over the plane, or over the face that others touch within
 * tol now. Returns as contact_set_points, and -1 if there are more than `most`.
 */
int contact_set_near(struct rt *run, uint32_t contact, double tol, double reach,
                     struct contact_point *out, int most);

/* Points of two polytopes that fly over each other: where a vertex is nearest
 * to a face, the vertices of that face and of the one opposite to it, each over
 * the other face, and the crossings of their edges. Returns as
 * contact_set_near, and 0 where the nearest features are others. */
int contact_set_ahead(struct rt *run, uint32_t contact,
                      struct contact_point *out, int most);

/* The gap (m) up to which points of a contact count as closed: twice its
 * tolerance, since near a change of features gaps are known to two of them. */
double contact_set_closed(struct rt *run, uint32_t contact);
/* Returns room enough for the points of one contact: all vertices, and
 * MANIFOLD_POINTS edges that cross (where there are more, contact_set_near
 * returns -1). */
int contact_set_room(const struct rt *run, uint32_t contact);

/* Is the contact one of a polytope over a plane? Then *base is the plane. */
bool contact_set_plane(const struct rt *run, uint32_t contact,
                       struct contact_point *base);

/* A vertex that slides over the end of its face, in the plane: the vertex and
 * the face that keep the bodies apart from there on, if they stay together. At
 * the end a corner meets a corner, and the next one of the four faces beside
 * them takes over: the one whose normal is the next in the direction over the
 * end. False: there is none, as in space. */
bool contact_set_next_corner(struct rt *run, const struct contact_point *at,
                             struct contact_point *next);

/* The same for a vertex that begins to slip at the end of its face, within tol
 * (m), with this sign of its slip: the slip leads over that end, where the
 * vertex would leave the face, while the next face and corner come to bear. */
bool contact_set_slips_over(struct rt *run, const struct contact_point *at,
                            double tol, double sign,
                            struct contact_point *next);

/* Of corners on corners: how far the second body's corner is past the first
 * one's along the tangent (the normal turned by -90 degrees), and that with its
 * derivatives up to `order`, 1 or 2 (m, m/s, m/s^2). The series of the motion
 * must have been made to this order. False: there is no normal. */
bool contact_set_corners_slip(struct rt *run, const struct contact_point *at,
                              int order, double slip[3]);
/* Corners on corners that begin to slip with this sign: the side onto which
 * they slip, and the corner on it. False: the normal is not open within tol
 * (m). */
bool contact_set_corners_leave(struct rt *run, const struct contact_point *at,
                               double slip, double tol,
                               struct contact_point *next);
/* Where a corner of one polygon meets one of the other: the faces beside them
 * that keep the bodies apart, each with the other corner. Between their normals
 * that of the contact is open. Returns how many, at most two; 0: no corners
 * meet within tol. */
int contact_set_corner(struct rt *run, uint32_t contact, double tol,
                       struct contact_point out[2]);

/* Of the faces of both bodies at a point, the two whose normals are most
 * opposed: base[i] of body i. For a vertex: the face that it is on, and any
 * face of its own body. For edges that cross: the faces beside them. */
void contact_set_opposed(struct rt *run, const struct contact_point *at,
                         struct contact_point base[2]);
/* Returns how many faces both bodies have together. */
size_t contact_set_faces(const struct rt *run, uint32_t contact);
/* Is this one of the points that are held? */
bool contact_set_holds(const struct rt *run, const struct contact_point *at);
/* The faces at which held points of a contact lie, and those around a held
 * vertex: vertices of the other body may come down on them (`vertex` of *base
 * means nothing). Returns how many; base: contact_set_faces. */
int contact_set_held_faces(const struct rt *run, uint32_t contact,
                           struct contact_point *base);
/* Makes the series of the motion of both bodies, to order 1. Status of the
 * tapes. */
int contact_set_series(struct rt *run, uint32_t contact);
/* Is the point between the ends of its face or edges now, or beyond them by at
 * most `out` (m)? */
bool contact_set_between(struct rt *run, const struct contact_point *at,
                         double out);

#endif
