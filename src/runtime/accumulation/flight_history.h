/* SPDX-License-Identifier: MIT */
/* The flights between the impacts at one contact of bodies, and what has been
 * predicted of their limit. */
#ifndef IMP_RUNTIME_ACCUMULATION_FLIGHT_HISTORY_H
#define IMP_RUNTIME_ACCUMULATION_FLIGHT_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: no impact yet. */
struct flight_history {
    double last;      /* time of the last impact, s */
    double released;  /* when the contact that was held was let go, s */
    double flight[4]; /* the last flights, newest first, s */
    double meet;      /* time of the limit, as predicted at the last impact */
    double off;       /* the change of this prediction at the last impact */
    double flat;      /* the error (s) of impacts within the tolerance of the
                         gap, since the present decrease began */
    double gap;       /* that was left at the last impact beside others, m */
    double early;     /* how much too early (s) this has made the impacts since
                         a flight that was longer than the three before it, */
    double early_now; /* and the last one */
    double apart;     /* rate (m/s) with which the bodies parted then, */
    double parted;    /* and when that was, s */
    double noise;     /* the greatest of the last changes; INFINITY: none is */
    struct {
        double kept;   /* of all changes, what the impacts round at the most */
        double rounds; /* the greatest change between two that were exact */
        double began;  /* what the impact of the first one could round */
    } change;
    bool exact;   /* the last prediction lay within the time for which the
                     parabola is the motion */
    double ratio; /* of the flights there, as predicted */
    /* the same of the limit of some points that was predicted beside it: its
     * time, the greatest of the last changes, and which points rest there */
    double some_meet, some_noise;
    uint64_t some;
    uint64_t group; /* which points rest at that limit, as a number */
    double first;   /* flight with which the present decrease began */
    bool lost;      /* the last limit was taken because the impacts were smaller
                       than rounding, and no higher flight followed */
    int n_known;    /* flights known */
    int pause, wait; /* impacts until the next prediction is tried */
    double looked;   /* flight at which the last prediction was tried */
    double far;      /* flights longer than this (s) are far from a limit;
                        INFINITY: not known */
    long impacts;
};

/* Notes an impact at this time (s). False: it is the first one since the last
 * limit, and begins a new history. */
bool flight_history_add(struct flight_history *flights, double time);
/* What an impact beside others leaves of a gap. */
struct gap_left {
    double time;     /* of the impact, s */
    double gap;      /* m */
    double before;   /* rate of the gap before the impact, m/s */
    double after;    /* and behind it, m/s */
    double speed;    /* with which the bodies would have come on, m/s */
    double rounding; /* of the gap: what is no more than that is none, m */
};
/* Notes that the coming impact leaves a gap which the bodies would have passed
 * at that speed and with the acceleration of their last flight, or fallen
 * through from rest where they overlap. The impacts that follow keep the gap: a
 * change alone takes time. */
void flight_history_note_gap(struct flight_history *flights,
                             const struct gap_left *left);
/* Have the last flights shrunk by the same ratio? */
bool flight_history_is_geometric(const struct flight_history *flights,
                                 double *ratio);
/* Have the last four flights shrunk by the same ratio, to a share of it? Then
 * *off is what a change (s) of the last flight, or of those before it, may have
 * been at the most. */
bool flight_history_is_steady(const struct flight_history *flights,
                              double *off);
/* The sum (s) of the flights to come at the most, if they go on to shrink by
 * the last ratios, which differ; of one flight, or of flights that grow, the
 * last one; 0: none is known. */
double flight_history_left(const struct flight_history *flights);
/* The same of two points of one contact that are hit in turns, by the last four
 * flights, if the next two take no longer than `next` (s); 0: they do not
 * shrink, or are too few. */
double flight_history_turns_left(const struct flight_history *flights,
                                 double next);
/* How much (s) gaps that are off by `height` (m) may have moved a limit, of
 * which `left` (s) is left after an impact at `speed` (m/s). */
double flight_cut(double left, double speed, double height);
/* Is the time of the limit known to its rounding, and yet to come, as far as
 * the last flight shows? */
bool flight_history_foresees(const struct flight_history *flights);

/* When a limit that is predicted impact by impact is known. Two things make a
 * prediction wrong: the rounding of what it begins with, and what the motion is
 * not the parabola that it follows. Rounding does not become less with further
 * impacts; the other falls with the square of the time that is left. So a limit
 * is known when two predictions in a row agree to the rounding of the time, or
 * come no closer because of that of the gaps; or when the parabola is the
 * motion until the limit, and further impacts would add rounding alone. */

/* Of points that act on each other. */
struct limit_prediction {
    uint64_t mark; /* which points rest at the limit, as a number */
    double now;    /* of the last impact, s */
    double left;   /* from there until the limit, s */
    double noise;  /* the rounding of a gap over the least rate, s */
    double exact;  /* within this time (s) places and directions are those of
                      the parabola, too */
    double window; /* within this time (s) the parabola is the motion */
};
/* The rounding of a gap counts so many times. */
#define LIMIT_KNOWN_NOISE 32.0

/* Is it a prediction of the same limit as the last one of these flights? */
bool limit_known_same(const struct flight_history *flights,
                      const struct limit_prediction *limit);
/* Notes the prediction. Is the limit known? */
bool limit_known_note(struct flight_history *flights,
                      const struct limit_prediction *limit);
/* Is the limit of points that the last impact has not hit known? The last
 * prediction at their own impacts stands. *change: of the prediction since
 * then, or the greatest before (s); INFINITY: it is the first. */
bool limit_known_still(const struct flight_history *flights,
                       const struct limit_prediction *limit, double *change);
/* Notes the prediction of a limit of some points, beside that of all. */
void limit_known_note_some(struct flight_history *flights, uint64_t mark,
                           double now, double left);

#endif
