/* SPDX-License-Identifier: MIT */
/* Inside the contacts in which a polytope takes part: what a contact keeps
 * from call to call, and what the parts for two polytopes and for a smooth
 * body with a polytope offer. A contact is one of two polytopes if both bodies
 * have an entry in run->polytope; otherwise the body without an entry is
 * smooth. */
#ifndef IMP_RUNTIME_GAP_POLYTOPE_CONTACT_PRIV_H
#define IMP_RUNTIME_GAP_POLYTOPE_CONTACT_PRIV_H

#include "runtime/gap/polytope_contact.h"
#include "runtime/numerics/taylor.h"

/* What a contact keeps from one call to the next; zero at first. Memory:
 * run->own. An answer does not depend on it beyond rounding. */
struct polytope_contact_memo {
    bool warm; /* `last` holds features to start from */
    struct nearest_features last;
    /* Two polytopes: the time and the state at which `last` holds; room for
     * the vertices of body 1, twice, and for the points of
     * polytope_manifold.c. */
    double time, state[2 * IMP_STATE_SPACE];
    uint32_t room, spot_room;
    double (*point)[3];
    void *spot;
    void *smooth;                      /* for smooth_polytope.c */
    struct polytope_kept_poses *poses; /* of polytope_series.c */
};
struct polytope_contact_memo *polytope_contact_memo(struct rt *run,
                                                    uint32_t contact);

static inline bool
polytope_contact_is_smooth(const struct rt *run,
                           const imp_contact *image_contact)
{
    return run->polytope[image_contact->body[0]] == NULL ||
           run->polytope[image_contact->body[1]] == NULL;
}
/* The scene at the present state. The vertices of body 1 stand in the
 * contact's memory, in its first half or, if `second`, in its second half. */
void polytope_scene_get(struct rt *run, uint32_t contact, bool second,
                        struct polytope_scene *scene);
/* Another pair of features takes over where the series of a gap would be off
 * by this (m): a hundredth of the gap that counts as closed, and ten times
 * less than the check of a step in events/event.c allows. */
double polytope_contact_slack(struct rt *run, uint32_t contact);
/* The pose of body 1 in the axes of body 0 as series: its centre (3 entries)
 * and its turn (by rows); in the plane filled up with the z axis. The series of
 * the motion must have been made to this order. *holds (may be NULL): the time
 * (s) for which the terms left out stay below rounding. Status of rt_series. */
int polytope_relative_pose(struct rt *run, uint32_t contact, int order,
                           struct taylor centre[3], struct taylor turn[9],
                           double *holds);

/* The same for a motion that nobody else will ask about; coefficients below
 * `from` stand. */
int polytope_relative_pose_once(struct rt *run, uint32_t contact, int from,
                                int order, struct taylor centre[3],
                                struct taylor turn[9]);
/* The rows that a pose is made of, for motions that are made order by order. */
struct polytope_pose_work {
    double *rows;
    size_t size;
    uint32_t contact;
    int made; /* coefficients that it has; 0: none */
};
/* The same for a motion whose coefficients below `from` are those of the last
 * call with this work: only later ones are made. All zero at first. */
int polytope_relative_pose_again(struct rt *run, uint32_t contact,
                                 struct polytope_pose_work *work, int from,
                                 int order, struct taylor centre[3],
                                 struct taylor turn[9]);

/* Finds the nearest features of two polytopes at the present state, in world
 * axes. Returns IMP_OK, or IMP_DIVERGED where the poses are not finite
 * (polytope_pair.c). */
int polytope_pair_closest(struct rt *run, uint32_t contact,
                          struct nearest_features *out);
/* Two polytopes: series of the gap from the features `first` on
 * (polytope_series.c; valid may be NULL), and contact manifold
 * (polytope_manifold.c). */
int polytope_pair_series(struct rt *run, uint32_t contact, int order,
                         const struct feature_pair *first, double *gap,
                         double *valid);
/* Makes the gap of one pair of features while body 1 moves along the pose, and
 * gives the time, at most `horizon`, until another pair decides the gap. soon:
 * the bodies a little later. overlap: as in struct feature_validity. */
bool polytope_pair_follow(const struct polytope_scene *scene,
                          const struct polytope_scene *soon,
                          const struct feature_pair *pair,
                          const struct taylor centre[3],
                          const struct taylor turn[9], int order,
                          double horizon, double slack, bool overlap,
                          struct taylor *gap, double *valid);
int polytope_pair_manifold(struct rt *run, uint32_t contact, double tol,
                           struct contact_manifold *out);

/* Adds all corners of the intersection of both cones of normals, in the axes of
 * body 0, to out->choice: directions with a separation of `least` at least. */
void polytope_normal_choices(struct rt *run, const struct polytope_scene *scene,
                             double least, struct contact_manifold *out);
/* In the plane a corner that is further than 2 tol from the end of a side lies
 * on that side, which is then its normal. Where the side beside that end goes
 * on nearly straight, the tolerance of a gap lets its normal keep the bodies
 * apart, too, further along: of such normals the one that does so best is
 * left (polytope_corners.c). */
void polytope_corners_leave_one(const struct polytope_scene *scene, double tol,
                                struct contact_manifold *out);
/* Where a fixed body is touched at n places (axes of body 0), and another fixed
 * body that the same body may touch covers its other side there, both are one
 * wall: the one normal that the wall has is left, if there is one; else, in the
 * plane, both ends of its cone of normals (polytope_manifold.c). */
void polytope_cover_settle(struct rt *run, uint32_t contact,
                           const struct polytope_scene *scene,
                           const double (*place)[3], int n, double least,
                           double tol, struct contact_manifold *out);
/* Says of an open normal which corners touch, and settles it where corners are
 * rounded; *normal is in the axes of body 0. */
void polytope_corners_settle(struct rt *run, uint32_t contact,
                             const struct polytope_scene *scene, double tol,
                             struct contact_manifold *out, double normal[3]);

/* A smooth body (either of the two) against a polytope: these do what the
 * functions of polytope_contact.h do for all contacts. */
int smooth_polytope_closest(struct rt *run, uint32_t contact,
                            struct nearest_features *out, bool loud);
/* Coefficients below `from` are those of the last call at this place. */
int smooth_polytope_series(struct rt *run, uint32_t contact, int from,
                           int order, double *gap, double *valid);
int smooth_polytope_manifold(struct rt *run, uint32_t contact, double tol,
                             struct contact_manifold *out);
/* Of the last smooth_polytope_series that was asked how long it holds: the time
 * until the nearest point is at the end of its feature, where that ends it;
 * else infinite. The series holds a little longer, so that the feature that
 * follows can be told apart. */
double smooth_polytope_end(struct rt *run, uint32_t contact);
/* The same however deep the bodies overlap, where another feature of the
 * polytope may be as near as this one: for how long the series is that of this
 * one. */
double smooth_polytope_stays(struct rt *run, uint32_t contact);
/* Moves the point from which the next search starts by dt along the last
 * series. */
void smooth_polytope_predict(struct rt *run, uint32_t contact, int order,
                             double dt);
/* Point and normal (gradient) of the smooth body in the axes of the polytope,
 * read from the last smooth_polytope_series, to the same or a lower order. */
void smooth_polytope_point_series(struct rt *run, uint32_t contact, int order,
                                  struct taylor point[3],
                                  struct taylor gradient[3]);

#endif
