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
/* What wall and cover leave of the normals `choice`, and which normals they have
 * beside these. */
struct seam_normals {
    bool *keep;     /* of each choice; the caller's room */
    int kept;       /* so many */
    uint32_t *face; /* of the cover; the caller's room for all its faces */
    int faces;      /* so many */
    bool convex;    /* wall and cover are convex together */
};
/* Body `which` of the scene is the wall, touched at these places, which the
 * normals `choice` would keep apart by `least` (m) at least; all in the axes of
 * body 0. False: the cover covers no face there. */
bool wall_seam_normals(struct wall_seam *seam,
                       const struct polytope_scene *scene, int which,
                       const double (*place)[3], int places,
                       const double (*choice)[3], int choices, double least,
                       struct seam_normals *out);
/* Is the place, a corner of the wall, none of wall and cover together, whose
 * faces go on there as if they were one body? */
bool wall_seam_is_even(const struct wall_seam *seam);
/* The normal of a face of the cover, as one of the scene in the axes of body 0.
 */
void wall_seam_face(const struct wall_seam *seam,
                    const struct polytope_scene *scene, int which,
                    uint32_t face, double n[3]);

#endif
