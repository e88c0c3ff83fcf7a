/* SPDX-License-Identifier: MIT */
/* When two edges of polytopes that turn against each other come to cross. */
#ifndef IMP_RUNTIME_FEATURES_EDGE_MEETING_H
#define IMP_RUNTIME_FEATURES_EDGE_MEETING_H

#include "runtime/geometry/polytope.h"
#include "runtime/numerics/taylor.h"

/* The motion of body 1 against body 0 from now on: its point x is at c + R x in
 * the axes of body 0. */
struct edges_moving {
    const struct polytope *p[2];
    const struct taylor *c, *R; /* 3, and 9 by rows */
    int order;
    double span; /* s: up to when it is asked for */
    double
        speed; /* m/s: no point is faster until then against the other body */
    double turned; /* how much R may change until then (edges_moving_begin) */
};
void edges_moving_begin(struct edges_moving *moving);
/* Do these edges come to cross within the span, with their outer sides towards
 * each other, as they do not now, or not any more before that (two that cross
 * now may part, and cross again)? Only where they are so close then that they
 * may touch within the span. *time: when they do; polytope_edges_meet says so
 * there. Or the time after which these series do not tell. */
bool edges_come_to_meet(const struct edges_moving *moving, uint32_t of_one,
                        uint32_t of_other, double *time);

#endif
