/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts of bodies, predicted from one instant. */
#ifndef IMP_RUNTIME_SLIDE_LIMIT_H
#define IMP_RUNTIME_SLIDE_LIMIT_H

#include "runtime/line.h"
#include "runtime/slide.h"

/* memory that predictions share; zeroed at first */
#define SLIDE_LINES 32
struct slide_lines {
    int n;
    struct line *line[SLIDE_LINES];
    double *room, *mass;
};
struct limit_ask {
    int n; /* points, at most SLIDE_MOST */
    const struct slide_point *p;
    const double *G;     /* of slide_look */
    const double *e;     /* restitution */
    const double *place; /* m: sizes of the numbers that the gaps come from */
    enum line_policy policy;
    double ahead; /* no further than this time from now */
};
struct limit_found {
    double remaining; /* time from now */
    bool group[SLIDE_MOST];
    struct line_chatter chatter;
};
/* false: the impacts come to no limit, or others are hit before */
bool slide_limit(struct rt *r, struct slide_lines *lines,
                 const struct limit_ask *ask, struct limit_found *out);

#endif
