/* SPDX-License-Identifier: MIT */
/* Impacts on the way to a limit that the tolerance of gaps makes one with
 * others. Points that are hit while their gaps are open still are hit too
 * early, by the gap over its rate; what follows is another motion. A limit that
 * has been foreseen better than that is not made better known by such an
 * impact. */
#ifndef IMP_RUNTIME_ACCUMULATION_LIMIT_JOINS_H
#define IMP_RUNTIME_ACCUMULATION_LIMIT_JOINS_H

#include <stdint.h>

#include "runtime/ballistic/ballistic.h"

/* All zero but for the lists: nothing has been followed yet. */
struct limit_joins {
    int n;              /* points; of each: */
    const uint32_t *of; /* its contact */
    const int *part;    /* points of one part act on each other */
    const double *band; /* a gap (m) up to this counts as closed, */
    const double *near; /* and this where another contact is hit */
    const bool *low;    /* with it only what is closed to rounding is hit */
    const bool *asks;   /* its impact comes with the next question about a limit
                         */
    const int *group;   /* the points followed as one, as a number; NULL: each
                           is one of its own */
    double *early;      /* of each: how much too early (s) it is hit, */
    double first, most; /* any of them: until the next question, or at the
                           coming impact if none comes; and at all */
    bool begun, ended;  /* impacts have been noted, and all of them */
    int asked;          /* questions that have come meanwhile */
};

/* Begins again: nothing has been followed yet. group: the points followed as
 * one. `joins` may be NULL. */
void limit_joins_begin(struct limit_joins *joins, const int *group);
/* Notes that the point `hit` comes down, while the points that are not held
 * have these gaps (m) and rates (m/s), which stand at every second place. */
void limit_joins_note(struct limit_joins *joins, int hit, const double *gap,
                      double scale, const double *rate, const bool *held);
/* Notes the event of a motion, an impact. */
void limit_joins_event(struct limit_joins *joins, const struct ballistic *line,
                       enum ballistic_event what);
/* By how much (s) points are hit too early until the second question from now;
 * if there is none, until the next; or else at the coming impact. of: these
 * points alone; NULL: all. */
double limit_joins_lost(const struct limit_joins *joins, const bool *of);

#endif
