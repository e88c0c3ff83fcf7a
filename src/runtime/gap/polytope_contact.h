/* SPDX-License-Identifier: MIT */
/* Contacts of polytopes: with each other, with half-spaces, with smooth bodies
 * (IMP_CONTACTF_CORNERS). The gap is the distance of the nearest features while
 * the bodies are apart; when they overlap, minus the least depth of all
 * directions. Its series is that of one pair of features, and holds until
 * another pair takes over. */
#ifndef IMP_RUNTIME_GAP_POLYTOPE_CONTACT_H
#define IMP_RUNTIME_GAP_POLYTOPE_CONTACT_H

#include "runtime/geometry/polytope.h"

enum corner_feature {
    CORNER_VERTEX,
    CORNER_EDGE,
    CORNER_FACE,
    CORNER_SURFACE /* a smooth body */
};
struct corner_pair {
    unsigned char kind[2]; /* enum corner_feature, of body 0 and 1 */
    uint32_t index[2];
};
struct corner {
    struct corner_pair pair;
    double gap;
    double P[3], Q[3], n[3]; /* world; n from the first to the second body */
};
/* nearest features at the present state; warm from the last call. IMP_OK, or
 * as closest_points */
int corner_closest(struct rt *r, uint32_t contact, struct corner *out,
                   bool loud);
/* the next call begins anew */
void corner_forget(struct rt *r);
/* Series of the gap at the present state for the features of the last
 * corner_closest of this contact (motion series made to this order); *valid:
 * time until another pair takes over, a lower bound. */
int corner_series(struct rt *r, uint32_t contact, int order, double *gap,
                  double *valid);
/* moves the warm start of a contact by dt along the series made last */
void corner_predict(struct rt *r, uint32_t contact, int order, double dt);
/* rows of a work array (IMP_ROW_STRIDE): series of the entries IMP_CONTACT_GAP
 * .. IMP_CONTACT_NORMAL of a contact, in the axes of body 0 about its mass
 * centre. Motion series made to this order; status as corner_closest, loud */
int corner_rows(struct rt *r, uint32_t contact, int order, double *rows);

/* -- contact points -- */
enum corner_touching {
    CORNER_POINT, /* vertex on face, edges that cross, smooth body: one point */
    CORNER_LINE,  /* edge along a face: its two ends */
    CORNER_AREA,  /* face on face: corners of what they share */
    CORNER_OPEN   /* vertex or edge against vertex or edge: the normal is not
                     unique */
};
#define CORNER_POINTS 64
#define CORNER_CHOICES 16
#define CORNER_CROSS 2u
struct corner_touch {
    enum corner_touching kind;
    struct corner_pair pair; /* what touches, for messages */
    double n[3];             /* the normal; OPEN: the stated one, or zero */
    bool stated;             /* OPEN, and the contact's `normal` decides */
    int n_point;
    double P[CORNER_POINTS][3], Q[CORNER_POINTS][3];
    /* OPEN: normals that keep the bodies apart: those of faces at the corners
     * (choice_body, choice_face say which), and of edges that cross
     * (choice_body CORNER_CROSS; choice_face, choice_edge: the edges of both)
     */
    int n_choice;
    double choice[CORNER_CHOICES][3];
    uint32_t choice_body[CORNER_CHOICES], choice_face[CORNER_CHOICES],
        choice_edge[CORNER_CHOICES];
};
/* Contact points at the present state, which touches: all features within tol
 * (m) of the touching planes. IMP_BADMODEL after a diagnostic when a stated
 * normal lies outside the choices. */
int corner_touch(struct rt *r, uint32_t contact, double tol,
                 struct corner_touch *out);
/* Series of the separation along choice i of an open touch (along the stated
 * normal if there is one), at the state of corner_touch: the face or edges it
 * belongs to turn with their bodies. Motion series made to this order.
 * IMP_NONFINITE where edges are parallel. */
int corner_choice_series(struct rt *r, uint32_t contact, int order,
                         const struct corner_touch *t, int i, double *gap);

#endif
