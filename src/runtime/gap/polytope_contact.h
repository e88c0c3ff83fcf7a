/* SPDX-License-Identifier: MIT */
/* Contacts in which a polytope takes part: with another polytope, with a half-
 * space, or with a smooth body (IMP_CONTACTF_CORNERS). While the bodies are
 * apart, the gap is the distance of their nearest features; while they
 * overlap, it is minus the least depth over all directions. Its series is that
 * of one pair of features, and holds until another pair takes over. */
#ifndef IMP_RUNTIME_GAP_POLYTOPE_CONTACT_H
#define IMP_RUNTIME_GAP_POLYTOPE_CONTACT_H

#include "runtime/features/nearest_features.h"

/* Nearest features at the present state, in world axes. The search starts at
 * the features of the last call. Status as closest_points_find. */
int polytope_contact_closest(struct rt *run, uint32_t contact,
                             struct nearest_features *out, bool loud);
/* The next search starts from nothing. */
void polytope_contact_forget(struct rt *run);
void polytope_contact_forget_one(struct rt *run, uint32_t contact);
/* The last answers of all contacts, in run->brief; NULL: there is none. */
void *polytope_contact_remember(struct rt *run);
/* n: contacts that there were */
void polytope_contact_recall(struct rt *run, const void *memory, uint32_t n);
/* The same of one contact. */
void *polytope_contact_remember_one(struct rt *run, uint32_t contact);
void polytope_contact_recall_one(struct rt *run, uint32_t contact,
                                 const void *memory);
/* Series of the gap at the present state, gap[0..order], for the nearest
 * features. The series of the motion must have been made to this order. *valid
 * (may be NULL): a lower bound of the time (s) until another pair of features
 * takes over. */
int polytope_contact_series(struct rt *run, uint32_t contact, int order,
                            double *gap, double *valid);
/* Moves the point from which the next search of this contact starts by dt (s)
 * along the series made last. */
void polytope_contact_predict(struct rt *run, uint32_t contact, int order,
                              double dt);
/* Rows of a work array (IMP_ROW_STRIDE): the series of the entries
 * IMP_CONTACT_GAP .. IMP_CONTACT_NORMAL of a contact, in the axes of body 0
 * about its mass centre. The series of the motion must have been made to this
 * order. Status as polytope_contact_closest with `loud`. */
int polytope_contact_rows(struct rt *run, uint32_t contact, int order,
                          double *rows);

/* -- contact points -- */
enum manifold_kind {
    MANIFOLD_POINT, /* one point: a vertex on a face, edges that cross, a smooth
                       body */
    MANIFOLD_LINE,  /* an edge along a face: the two ends of what they share */
    MANIFOLD_AREA,  /* a face on a face: the corners of what they share */
    MANIFOLD_OPEN   /* vertex or edge against vertex or edge: the normal is not
                       unique */
};
#define MANIFOLD_POINTS 64
#define MANIFOLD_CROSSING 2u
/* A direction that keeps the bodies apart where the normal is open: the normal
 * of a face, or the common normal of two edges that cross. */
struct manifold_choice {
    double n[3];   /* world axes */
    uint32_t body; /* whose face it is; MANIFOLD_CROSSING: edges */
    uint32_t face; /* the face, or the edge of body 0 */
    uint32_t edge; /* the edge of body 1 */
    bool foreign;  /* it is the face of a third body that rests beside `body`,
                      as one wall with it */
};
struct contact_manifold {
    enum manifold_kind kind;
    struct feature_pair pair; /* the features that touch, for messages */
    double n[3];  /* the normal; if it is open: the stated one, or zero */
    bool stated;  /* the normal is open, and something settles it: the model
                     states one, or its corners are rounded */
    bool passes;  /* it is open, and the corners are rounded: they pass each
                     other */
    bool corners; /* in the plane: what touches is a corner of each body */
    uint32_t corner[2]; /* these */
    /* they are rounded and slip along a side: a corner goes on on that side */
    bool side;
    int side_body; /* whose side that is, 0 or 1 */
    uint32_t side_face;
    int n_point;
    double P[MANIFOLD_POINTS][3], Q[MANIFOLD_POINTS][3];
    int n_choice;                   /* if the normal is open; else 0 */
    struct manifold_choice *choice; /* n_choice, in run->brief */
};
/* The contact manifold at the present state, where the bodies touch: all
 * features within tol (m) of the touching planes, in world axes. IMP_BADMODEL
 * after a diagnostic if a stated normal would not keep the bodies apart, or if
 * they share too many points. */
int polytope_contact_manifold(struct rt *run, uint32_t contact, double tol,
                              struct contact_manifold *out);
/* Does what touches at this place of the world, within tol (m), touch a face of
 * one body by a corner of the other one that is none of the wall, or of the
 * welded body, to which that one belongs, but lies in a side of it? */
bool polytope_at_seam(struct rt *run, uint32_t contact, const double place[3],
                      double tol);
/* What the run does where corners meet (row of abi/corners.def), from now on.
 */
void polytope_corners_choose(struct rt *run, uint32_t corners);
/* Corners that are rounded (world { corners = rounded }) and that touch now:
 * keeps the normal of this instant, for as long as they stay together. To be
 * called before an impact changes the velocities. Other contacts: nothing. */
void polytope_corners_keep(struct rt *run, uint32_t contact, double tol);
/* Rounded corners that rest on each other: keeps the normal with which their
 * acceleration brings them together. The series of the motion must have been
 * made to order 2. */
void polytope_corners_press(struct rt *run, uint32_t contact, double tol);
/* The settled normal of corners on corners, from body 0 to body 1 in the axes
 * of body 0, as a series while they stay together; turn: that of the relative
 * pose. A stated normal turns with body 0; that of rounded corners rolls on
 * both and turns with the mean. False: none is stated, and none was kept. */
bool polytope_corners_normal(const struct rt *run, uint32_t contact, int order,
                             const struct taylor turn[9],
                             struct taylor normal[3]);
/* Does a corner touch a corner within tol (m), which leaves their normal open?
 */
bool polytope_corners_touch(struct rt *run, uint32_t contact, double tol);
/* Is one stated, or kept for these vertices? */
bool polytope_corners_settled(const struct rt *run, uint32_t contact,
                              const uint32_t vertex[2]);
/* How far (m, by an arm as long as the body) the normal may roll to the right
 * and to the left end of those that are possible. Returns 2; 0: it is not open.
 */
int polytope_corners_roll(struct rt *run, uint32_t contact, int order,
                          const struct taylor turn[9],
                          const struct taylor normal[3], struct taylor side[2]);
/* The face whose normal is at that end. False: the normal is not open within
 * tol (m). */
bool polytope_corners_end(struct rt *run, uint32_t contact, bool left,
                          double tol, int *body, uint32_t *face);
/* Series of the separation along one choice of an open normal (along the stated
 * normal if there is one), at the state of *manifold: the face or the edges
 * that the normal belongs to turn with their bodies. The series of the motion
 * must have been made to this order. IMP_NONFINITE where the edges are
 * parallel. */
int polytope_choice_series(struct rt *run, uint32_t contact, int order,
                           const struct contact_manifold *manifold, int choice,
                           double *gap);

#endif
