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

/* Returns room enough for contact_set_near: all vertices, and
 * CONTACT_POINTS_MOST edges that cross (where there are more, contact_set_near
 * returns -1). */
int contact_set_room(const struct rt *run, uint32_t contact);

/* Is the contact one of a polytope over a plane? Then *base is the plane. */
bool contact_set_plane(const struct rt *run, uint32_t contact,
                       struct contact_point *base);
/* Do the bodies of a contact touch, within tol (m), by vertices of one of them
 * on one face of the other, while all vertices are beyond the plane of that
 * face and those near it between its sides? Then *base is the face. */
bool contact_set_face(struct rt *run, uint32_t contact, double tol,
                      struct contact_point *base);
/* Vertices over *base that are closed to rounding now and, if `still`, have no
 * rate by the measure of mode_select, else come down faster than rounding.
 * Returns their number, or -1 where the gaps have no series. */
int contact_set_closed(struct rt *run, const struct contact_point *base,
                       bool still, struct contact_point *out, int most);

#endif
