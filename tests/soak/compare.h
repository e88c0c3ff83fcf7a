/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares two runs that should tell of the same motion. */
#ifndef SOAK_COMPARE_H
#define SOAK_COMPARE_H

#include "frame.h"
#include "run.h"

/* Where two runs differ, on the clock of the first, and by how much. */
struct difference {
    bool told;     /* it is one of the motion, and all this is known */
    double at;     /* the time */
    double moment; /* of the times of one event; INFINITY: there is another
                      one, or none */
    double place, speed;
    int contact[2]; /* of these events; -1: of any */
};

/* What was found. kind is "" if nothing was; the shrinker looks for the same
 * kind. */
struct finding {
    char kind[40];
    char text[1000];
    double from, to; /* where a sum over rows is missed; else both are 0 */
    struct difference where;
    bool rounding; /* decides it: see rounding.h */
};

void finding_set(struct finding *finding, const char *kind, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* Where the finding is that comes next, if there is none yet. */
void finding_place(struct finding *finding, struct difference where);

/* How far two runs of one model drift apart whose starts differ by
 * PERTURBATION: samples of the greatest differences so far, in order of time.
 */
struct growth {
    int count;
    struct sample {
        double time, place, speed, moment, impulse;
    } * sample;
    double horizon; /* from here on the runs differ in more than numbers */
    /* where events were left out, in one of the runs, that others may tell: how
     * they drift apart there is not known */
    struct window *window;
    int windows;
};

/* The start of the model moved by PERTURBATION, in a direction that follows
 * from `number`. */
void perturb(const struct model *model, uint64_t number, struct model *out);
/* Makes growth cover what the two results differ in as well. Begin with
 * growth = {0} and horizon = INFINITY. */
void growth_add(struct growth *growth, const struct model *model,
                const struct result *a, const struct result *b);
/* By how much times of events that differ by the perturbation alone may differ
 * at that time. */
double growth_moment(const struct growth *growth, double time);
void growth_free(struct growth *growth);

/* What of two results is compared. */
struct comparison {
    const struct model *model; /* that of a */
    const struct result *result_a, *result_b;
    const struct model *other; /* that of b */
    struct frame frame;        /* b is a, seen in this frame */
    double from, to;           /* times of a */
    bool motion_alone;         /* events may have other contacts */
    bool same_energy;          /* both end with the same energy */
    bool anew;                 /* as in struct relation */
};

void compare(const struct comparison *comparison, const struct growth *growth,
             struct finding *finding);

#endif
