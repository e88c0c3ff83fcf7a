/* SPDX-License-Identifier: MIT */
/* Fixed bodies beside each other as one wall. */
#ifndef IMP_RUNTIME_FEATURES_WALL_SEAM_H
#define IMP_RUNTIME_FEATURES_WALL_SEAM_H

#include "runtime/features/nearest_features.h"
#include "runtime/geometry/support.h"

/* A body that is touched, and another one that may cover its faces there. The
 * caller sets the first five; the others belong to wall_seam.c. */
struct wall_seam {
    const struct polytope *wall, *cover;
    struct support_body wall_pose, cover_pose;
    double tol;  /* m */
    double sign; /* of the normals of the scene as outward ones of the wall */
    double place[3]; /* where it is touched, in the axes of the wall */
};
/* Body `which` of the scene is the wall, touched at these places, which the
 * normals `choice` would keep apart by `least` (m) at least; all in the axes of
 * body 0. Returns the number of the one normal that wall and cover have
 * together; -1: there are several, or the cover covers no face there. */
int wall_seam_normal(struct wall_seam *seam, const struct polytope_scene *scene,
                     int which, const double (*place)[3], int places,
                     const double (*choice)[3], int choices, double least);

#endif
