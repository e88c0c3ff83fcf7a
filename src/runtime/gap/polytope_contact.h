/* SPDX-License-Identifier: MIT */
/* Contacts of polytopes: with each other, with half-spaces, with smooth bodies
 * (IMP_CONTACTF_CORNERS). The gap is the distance of the nearest features while
 * the bodies are apart; when they overlap, minus the least depth of all
 * directions. Its series is that of one pair of features, and holds until
 * another pair takes over. */
#ifndef IMP_RUNTIME_GAP_POLYTOPE_CONTACT_H
#define IMP_RUNTIME_GAP_POLYTOPE_CONTACT_H

#include "runtime/features/nearest_features.h"

/* nearest features at the present state; warm from the last call. IMP_OK, or
 * as closest_points_find */
int polytope_contact_closest(struct rt *run, uint32_t contact,
                             struct nearest_features *out, bool loud);
/* the next call begins anew */
void polytope_contact_forget(struct rt *run);
/* Series of the gap at the present state for the features of the last
 * polytope_contact_closest of this contact (motion series made to this order);
 * *valid: time until another pair takes over, a lower bound. */
int polytope_contact_series(struct rt *run, uint32_t contact, int order,
                            double *gap, double *valid);
/* moves the warm start of a contact by dt along the series made last */
void polytope_contact_predict(struct rt *run, uint32_t contact, int order,
                              double dt);
/* rows of a work array (IMP_ROW_STRIDE): series of the entries IMP_CONTACT_GAP
 * .. IMP_CONTACT_NORMAL of a contact, in the axes of body 0 about its mass
 * centre. Motion series made to this order; status as polytope_contact_closest,
 * loud */
int polytope_contact_rows(struct rt *run, uint32_t contact, int order,
                          double *rows);

/* -- contact points -- */
enum manifold_kind {
    MANIFOLD_POINT, /* vertex on face, edges that cross, smooth body: one point
                     */
    MANIFOLD_LINE,  /* edge along a face: its two ends */
    MANIFOLD_AREA,  /* face on face: corners of what they share */
    MANIFOLD_OPEN   /* vertex or edge against vertex or edge: the normal is not
                     unique */
};
#define MANIFOLD_POINTS 64
#define MANIFOLD_CHOICES 16
#define MANIFOLD_CROSSING 2u
struct contact_manifold {
    enum manifold_kind kind;
    struct feature_pair pair; /* what touches, for messages */
    double n[3];              /* the normal; OPEN: the stated one, or zero */
    bool stated;              /* OPEN, and the contact's `normal` decides */
    int n_point;
    double P[MANIFOLD_POINTS][3], Q[MANIFOLD_POINTS][3];
    /* OPEN: normals that keep the bodies apart: those of faces at the corners
     * (choice_body, choice_face say which), and of edges that cross
     * (choice_body MANIFOLD_CROSSING; choice_face, choice_edge: the edges of
     * both)
     */
    int n_choice;
    double choice[MANIFOLD_CHOICES][3];
    uint32_t choice_body[MANIFOLD_CHOICES], choice_face[MANIFOLD_CHOICES],
        choice_edge[MANIFOLD_CHOICES];
};
/* Contact points at the present state, which touches: all features within tol
 * (m) of the touching planes. IMP_BADMODEL after a diagnostic when a stated
 * normal lies outside the choices. */
int polytope_contact_manifold(struct rt *run, uint32_t contact, double tol,
                              struct contact_manifold *out);
/* Series of the separation along choice i of an open touch (along the stated
 * normal if there is one), at the state of polytope_contact_manifold: the face
 * or edges it belongs to turn with their bodies. Motion series made to this
 * order. IMP_NONFINITE where edges are parallel. */
int polytope_choice_series(struct rt *run, uint32_t contact, int order,
                           const struct contact_manifold *t, int i,
                           double *gap);

#endif
