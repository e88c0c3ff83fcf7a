/* SPDX-License-Identifier: MIT */
/* What balls_steps.c (the steps), balls_steps_shapes.c (points),
 * balls_steps_solve.c (impulses) and balls_steps_trace.c (their motion as
 * pieces of a trace) share. */
#ifndef IMP_RUNTIME_BALLS_BALLS_STEPS_PRIV_H
#define IMP_RUNTIME_BALLS_BALLS_STEPS_PRIV_H

#include "runtime/balls/balls_priv.h"
#include "runtime/balls/balls_steps.h"

/* A body; the last one stands for all that are fixed. */
struct grain {
    double v[3], spin;          /* spin: in the plane */
    double invmass, invinertia; /* invinertia: in the plane */
    double radius;
    double x[3], angle;
    double before[3], before_spin; /* velocities when the step began */
    double going[3], going_spin;   /* by which its place goes in the step */
    bool held;                     /* an impulse was given in this step */
};
struct grain_contact {
    uint32_t one, two, contact; /* two: n for what is fixed */
    uint32_t body;              /* of what is fixed */
    uint32_t end;               /* which of the points of its pair */
    double n[3], gap;
    /* levers of one and two about their centres: what a spin adds to the rate
     * and to the slip; by these the impulses add to the spins */
    double turn[2], lever[2];
    double turned[2], rolled[2]; /* levers x inverse moment of inertia */
    double e, mu;
    double target; /* the least rate of the gap after the step */
    double inverse, across_inverse; /* of the masses that each row feels */
    double push, across;            /* impulses (N s) */
    double rate, slip;              /* when the step began */
    double approach;                /* of one that bounces */
    double kept[3]; /* push, target and mu of the step, beside its places */
    /* of the search for the impulses: those before the last sweep, and the
     * direction in which the sweeps go */
    double push_before, across_before, push_on, across_on;
    bool bounces;
    bool held, sticks; /* in the last step */
};
struct contact_list {
    struct grain_contact *v;
    size_t n, cap;
};
struct balls_steps {
    struct balls *balls;
    struct arena *arena;
    double length, slow, start, time, known;
    uint32_t n;
    struct grain *grain;   /* n + 1 */
    double (*attitude)[4]; /* in space, at the start */
    struct contact_list now, last;
    uint32_t *first, *first_last; /* n + 1 each: the contacts of each body */
    uint32_t *cell, *next, mask;  /* of fixed balls, too */
    uint32_t *group;
    double *gain, *moved;
    struct {
        struct balls_blow *v;
        size_t n, cap;
    } blows;
    struct balls_report report;
    struct ball_flight *flight; /* what the run's trace has not yet; or NULL */
};

/* A point where two bodies come near, and the normal from the first to the
 * second; point: of each body. */
struct grain_touch {
    double gap, n[3], point[2][3];
    uint32_t end;
};

/* -- balls_steps_shapes.c -- */
/* Is this a body of the plane that steps know although it is no disc? *radius:
 * of a ball about its mass centre that holds it (m). */
bool balls_steps_shape(struct rt *run, uint32_t body, double *radius);
/* The points of two bodies nearer than `reach` (m), at most two, at the state
 * in env, and the normal from body `one` to body `two`. contact: theirs, or the
 * rule that stands for it. Status as closest_points_find with `loud`. */
int balls_steps_touches(struct rt *run, uint32_t contact, uint32_t one,
                        uint32_t two, double reach, struct grain_touch touch[2],
                        uint32_t *n);

/* -- balls_steps_solve.c -- */
/* The rate of the gap (m/s); before: when the step began, else now. */
double balls_steps_rate(const struct grain_contact *contact,
                        const struct grain *one, const struct grain *two,
                        bool before);
/* In the plane: the slip along the normal turned by -90 degrees (m/s). */
double balls_steps_slip(const struct grain_contact *contact,
                        const struct grain *one, const struct grain *two,
                        bool before);
/* The impulses of a step, and the velocities that they leave. Status: IMP_OK,
 * or of a restitution that has no value. */
int balls_steps_solve(struct balls_steps *steps);

/* -- balls_steps_trace.c -- */
/* Keeps the motion of the last step, for the run's trace. */
void balls_steps_trace_last(struct balls_steps *steps);

#endif
