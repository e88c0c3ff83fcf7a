/* SPDX-License-Identifier: MIT */
/* The next change of a contact mode along the motion. */
#ifndef IMP_RUNTIME_MODES_MODE_CHANGE_H
#define IMP_RUNTIME_MODES_MODE_CHANGE_H

#include "runtime/motion/contact_point.h"

/* Vertices over one plane, or over a face whose plane keeps the bodies apart.
 * The gap of each vertex is followed by itself: a vertex counts as closed only
 * if its gap is 0 to rounding. The vertices that are listed are closed by
 * definition at this time: they rise, or they have no rate and were let go. */
struct released_vertices {
    struct contact_point base; /* the plane; its `vertex` means nothing */
    double time;
    int n, room; /* vertices that are listed, and room for them */
    struct released_vertex {
        uint32_t vertex;
        bool still; /* has no rate */
    } * released;
};

enum mode_change_kind {
    CHANGE_NONE,    /* the end of the series, or `until` */
    CHANGE_CEASES,  /* the force of point `which` falls through 0 */
    CHANGE_CLOSES,  /* another vertex of `contact` comes down */
    CHANGE_SINKS,   /* point `which`, which did not push, has to */
    CHANGE_HITS,    /* vertex `which` of `contact`, one of `over`, comes down */
    CHANGE_BESIDE,  /* a vertex of `contact` comes down beside the face */
    CHANGE_FACE_END, /* point `which` comes to the end of its face */
    CHANGE_SLIP_ENDS, /* the slip velocity of point `which` comes to 0 */
    CHANGE_STICK_ENDS /* the force of point `which` leaves its cone */
};
struct mode_change {
    enum mode_change_kind what;
    double time;
    int which;
    uint32_t contact;
};
/* The first change at or before `until`, within one expansion of the motion, of
 * what is held and of the planes over[0..n_over). Contacts that are set in
 * `blind` (NULL: none) are not asked. Status of the tapes. */
int mode_change_next(struct rt *run, double until, const bool *blind,
                     const struct released_vertices *over, uint32_t n_over,
                     struct mode_change *out);

#endif
