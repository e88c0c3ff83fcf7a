/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relations between two runs that hold whatever the right answer is. */
#ifndef SOAK_RELATIONS_H
#define SOAK_RELATIONS_H

#include "compare.h"
#include "random.h"

/* A model and another one whose run must tell of the same motion. */
struct trial {
    const struct model *model; /* with its result */
    const struct result *result;
    struct random random; /* what the relation draws */
    struct model other;   /* made by the relation */
    struct frame frame;
    double from, to;   /* times of `model` to compare */
    bool same_energy;  /* at the end */
    bool same_events;  /* to the last bit */
    bool motion_alone; /* the events have other names */
};

struct relation {
    const char *name;
    /* Makes the other model; false if the relation does not apply. */
    bool (*make)(struct trial *trial);
    /* Its run begins on the way, or has other points: of many motions it may
     * follow another one. */
    bool anew;
};

extern const struct relation relation_table[];
extern const int relation_count;

#endif
