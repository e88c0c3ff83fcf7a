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
};
struct contact_manifold {
    enum manifold_kind kind;
    struct feature_pair pair; /* the features that touch, for messages */
    double n[3]; /* the normal; if it is open: the stated one, or zero */
    bool stated; /* the normal is open, and the model states one */
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
/* Series of the separation along one choice of an open normal (along the stated
 * normal if there is one), at the state of *manifold: the face or the edges
 * that the normal belongs to turn with their bodies. The series of the motion
 * must have been made to this order. IMP_NONFINITE where the edges are
 * parallel. */
int polytope_choice_series(struct rt *run, uint32_t contact, int order,
                           const struct contact_manifold *manifold, int choice,
                           double *gap);

#endif
