/* SPDX-License-Identifier: MIT */
/* The contact mode of one group at one instant: which closed points push. */
#ifndef IMP_RUNTIME_MODES_MODE_SELECT_H
#define IMP_RUNTIME_MODES_MODE_SELECT_H

#include "runtime/choice/choice.h"
#include "runtime/motion/persistent.h"

struct persistent_group;

/* a point at the present instant */
struct contact_point_state {
    struct contact_point spot;
    double gap, rate; /* m, m/s */
    double speed;     /* size of the terms of the rate */
    double turning;   /* size of those terms that the spins make */
    double free;      /* acceleration of the gap without any force (m/s^2) */
    double jerk;      /* its derivative (m/s^3) */
    double force;     /* N, after mode_select */
    bool on;
};
/* The state of n points, and their Delassus matrix G (n x n, by rows; may be
 * NULL): what a unit force at one point does to the acceleration of the gap at
 * the other, joints included. Status of the tapes. */
int contact_point_states(struct rt *run, const struct contact_point *spot,
                         int n, struct contact_point_state *out, double *G);

/* Rates up to this share of the speeds, or of what the accelerations make of
 * rest over one length, count as none, as in analysis/simulate. */
#define MODE_STILL 1e-9
/* Returns that rate (m/s) for the points of a contact whose gap is accelerated
 * so (m/s^2). */
double mode_still_rate(struct rt *run, uint32_t contact, double acceleration);
/* What rounding leaves of the acceleration (m/s^2) of a gap of the contact
 * where its terms cancel. */
double mode_still_acceleration(struct rt *run, uint32_t contact);
/* What changes at this rate (per s) changes by so much in the rounding of the
 * present time. */
double mode_still_now(const struct rt *run, double rate);
/* The series of n points of a group that is looked at, without forces of
 * contacts, in run->brief; slips: the group has tangential rows. Status of the
 * tapes. */
int mode_later_series(struct rt *run, struct persistent_group *group,
                      const struct contact_point *spot, int n, bool slips,
                      struct choice_later *out);

/* Accelerations of the gaps at `count` points (m/s^2), whose Delassus matrix is
 * G, while the points push that are closed and have no rate (both 0). False if
 * no forces keep them closed. */
bool mode_accelerations(struct rt *run, int count,
                        const struct contact_point_state *states,
                        const double *G, double *acc);

/* `count` points, whose Delassus matrix is G, in groups (group[i] < groups).
 * Finds the share of each point in an impulse at its group, none below 0, so
 * that impulses at any group change the rates of all points of a group alike:
 * all shares of a group are the same, or they go by the place of the mass
 * centre. uneven: the groups of one point at which impulses do not. False:
 * there are no such shares. */
bool mode_even_shares(struct rt *run, int count, const double *G,
                      const int *group, int groups, double *share,
                      bool *uneven);

/* A speed (m/s) above that at which points of both bodies move towards each
 * other within this time (s), unless forces beyond twice their weight act. */
double mode_speeds(struct rt *run, uint32_t contact, double time);

enum mode_choice {
    MODE_FREE,   /* no point pushes */
    MODE_HOLDS,  /* some push; forces and motion are unique */
    MODE_SHARED, /* some push; the motion is unique, the forces are not */
    MODE_JAMMED  /* no forces >= 0 keep the gaps closed */
};
/* From now on these points of one group, which are closed and have no rate,
 * stay closed where that takes a push. The other points are let go, and so is
 * all that was held of their bodies before. left: the index of a point whose
 * force has just ceased, or -1. Status of the tapes. */
int mode_select(struct rt *run, const struct contact_point *spot, int count,
                int left, enum mode_choice *choice);

#endif
