/* SPDX-License-Identifier: MIT */
/* The normal of a corner that meets a corner in the plane, as the limit of
 * corners that are rounded by one radius r which tends to 0.
 *
 * A corner of a polygon is rounded by the circle of radius r that touches both
 * of its sides. Its centre is at r m from the corner, where n.m = -1 for the
 * outward normals n of both sides. Let D be the vector from the centre of the
 * first body's circle to that of the second body's, in units of r. While the
 * sharp corners are apart by d, D = d/r + m1 - m0. The rounded bodies touch
 * where the greatest n.D over the normals n that both corners allow is 2, and
 * that n is the normal. When the corners meet at a velocity u, bodies turn by
 * nothing in the time r/|u|, so that D moves along a straight line,
 * m1 - m0 + u s. Where both corners lie on the side of a third body, u is along
 * that side, and both centres are at the height r over it. What has no limit:
 * corners that meet, or rest, without a direction in which they came
 * together. */
#ifndef IMP_RUNTIME_FEATURES_ROUNDED_CORNER_H
#define IMP_RUNTIME_FEATURES_ROUNDED_CORNER_H

#include "runtime/geometry/polytope.h"

enum corners_choice {
#define CORNERS(ID, word, doc) CORNERS_##ID,
#include "abi/corners.def"
    CORNERS_COUNT
};
/* The word of a row of abi/corners.def, or NULL for none. */
const char *corners_word(uint32_t corners);

/* Two rounded corners that come together, all in the axes of one body. */
struct rounded_corners {
    double from[2];    /* D when the sharp corners would meet, in radii */
    double path[2];    /* the direction in which D moves; not 0 */
    double most[2][2]; /* the normals at both ends of those that are possible,
                          of sides; less than half a turn apart */
};

/* The centre m of the circle that rounds a vertex by the radius 1, counted from
 * the vertex, in the axes of the polygon. */
void rounded_corner_centre(const struct polytope *polytope, uint32_t vertex,
                           double centre[2]);
/* The same where the vertex lies on a side of a third body: the body is moved
 * along the normal of that side (outward from the third body) until the circle
 * touches it. */
void rounded_corner_on_side(const double normal[2], double centre[2]);
/* Finds the normal at which rounded corners meet. False: they pass each other
 * without a touch, or touch without an approach. */
bool rounded_corners_meet(const struct rounded_corners *in, double normal[2]);

#endif
