/* SPDX-License-Identifier: MIT */
/* The next change of a contact mode along the motion. */
#ifndef IMP_RUNTIME_MODES_MODE_CHANGE_H
#define IMP_RUNTIME_MODES_MODE_CHANGE_H

#include "runtime/modes/watched_faces.h"

/* A contact of polytopes that nearly rest, whose points are watched one by one:
 * each is followed by its own gap, and counts as closed only if that is 0 to
 * rounding. The points that are listed are closed by definition at this time:
 * they rise, or they have no rate and were let go. */
struct watched_contact {
    struct watched_faces faces;
    double time;
    int n, room; /* points that are listed, and room for them */
    struct released_point {
        struct contact_point at;
        bool still; /* has no rate */
    } * released;
};

enum mode_change_kind {
    CHANGE_NONE,   /* the end of the series, or `until` */
    CHANGE_CEASES, /* the force of point `which` falls through 0 */
    CHANGE_LEAVES, /* the points of `contact`, none of which pushes, rise from
                      now on; `which` is one of them */
    CHANGE_CLOSES, /* another point `at` of `contact` comes down */
    CHANGE_SINKS,  /* point `which`, which did not push, has to */
    CHANGE_HITS,   /* the point `at`, one of those watched, comes down */
    CHANGE_BESIDE, /* other features of `contact` may touch than are watched */
    CHANGE_FACE_END,  /* point `which` comes to the end of its face */
    CHANGE_FEATURE,   /* the smooth body of `contact` slides to the next feature
                       */
    CHANGE_SLIP_ENDS, /* the slip velocity of point `which` comes to 0 */
    CHANGE_JAMS, /* the normal force of point `which`, which slips, comes to
                    the end of its motion a little later */
    CHANGE_STICK_ENDS, /* the force of point `which` leaves its cone */
    CHANGE_SLACKENS,   /* the law of point `which`, whose contact yields, has no
                          force any more */
    CHANGE_PRESSES,    /* it has one again */
    CHANGE_OPENS,      /* the gap of that point opens */
    CHANGE_HOLDS,      /* it comes to rest, pressed in, where its law jumps */
    CHANGE_GIVES,      /* its law holds it no longer */
    CHANGE_GROUND /* what moves the ground changes its branch: rates of closed
                     gaps may jump, and are what they are then */
};
struct mode_change {
    enum mode_change_kind what;
    double time;
    int order;          /* of the series that the motion has now */
    double from, holds; /* when the search began, and for how long these hold */
    bool lasts; /* those hold to the end of a step, and few orders did not */
    int which;
    uint32_t contact;
    struct contact_point at; /* of CHANGE_HITS and CHANGE_CLOSES */
    /* of CHANGE_FACE_END and CHANGE_FEATURE: when the point was at the end
     * itself. It is followed a little further, so that what touches from there
     * on can be told apart */
    double face_end;
};
/* The first change at or before `until`, within one expansion of the motion, of
 * what is held and of the contacts over[0..n_over). Contacts that are set in
 * `blind` (NULL: none) are not asked. out->lasts, order, from and holds are
 * those of the last call, zeros if there was none. Status of the tapes. */
int mode_change_next(struct rt *run, double until, const bool *blind,
                     const struct watched_contact *over, uint32_t n_over,
                     struct mode_change *out);
/* Are few orders to be made first? last: of the last search. *enough: for so
 * long (s) they have to hold if nothing changes, or more are made. */
bool mode_change_few(const struct rt *run, const struct mode_change *last,
                     double *enough);

#endif
