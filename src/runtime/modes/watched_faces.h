/* SPDX-License-Identifier: MIT */
/* The points at which two polytopes that nearly rest on one another may touch,
 * each followed by its own gap: vertices over one plane or face; or, where two
 * faces lie on one another, the vertices of each over the other and the
 * crossings of their edges. */
#ifndef IMP_RUNTIME_MODES_WATCHED_FACES_H
#define IMP_RUNTIME_MODES_WATCHED_FACES_H

#include "runtime/motion/contact_point.h"

struct watched_faces {
    uint32_t contact;
    int n_base; /* 1: all vertices over base[0]; 2: the face of base[i] is of
                   body i, and the points are those of both faces */
    struct contact_point base[2]; /* their `vertex` means nothing */
    /* Two faces: while no vertex of one is farther from the plane of the other
     * than this (m), other features of the bodies are out of reach. */
    double high;
    double deep;  /* the same for vertices that lie beside the other face */
    double slack; /* a point this far (m) past the end of its face is on it */
};

/* A vertex beside a face and below its plane is clear of the sides of the body
 * if it is beyond a side by so many times its depth: sides lean out less. */
#define WATCHED_FACES_LEAN 4.0

/* The faces by which the bodies touch within tol (m), if all that touches lies
 * on them. False: there are none. */
bool watched_faces_find(struct rt *run, uint32_t contact, double tol,
                        struct watched_faces *out);
/* Calls `each` with the gap of every point. Points of two faces that are at one
 * place count once; apart: only while they rest, and crossings that
 * are held do not count. *holds (may be NULL): the time (s) up to which they
 * are asked for; then that for which the series hold, and after which other
 * edges may come to touch. Status of the tapes. */
int watched_faces_points(struct rt *run, const struct watched_faces *faces,
                         int order, bool apart,
                         void (*each)(void *ctx, const struct contact_point *at,
                                      const struct taylor *gap),
                         void *ctx, double *holds);
/* How far (m) past the end of its face or edges a point may be: a vertex that
 * is on a side, and a crossing that is at the end of an edge, are one point.
 * rounding (m): of places. */
double watched_faces_past_end(const struct watched_faces *faces,
                              const struct contact_point *at, double rounding);
/* Points that are closed to rounding now and, if `still`, have no rate by the
 * measure of mode_select, else come down faster than rounding; such points are
 * found, too, whose weight would make them fall from high above the gap that
 * is left (points_high). Returns their number, or -1 where the gaps have no
 * series. */
int watched_faces_closed(struct rt *run, const struct watched_faces *faces,
                         bool still, struct contact_point *out, int most);

#endif
