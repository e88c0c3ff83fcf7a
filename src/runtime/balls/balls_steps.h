/* SPDX-License-Identifier: MIT */
/* Discs and spheres (in the plane all convex bodies) in steps of one length,
 * for piles whose impacts and limits of impacts are too many to follow one by
 * one: Moreau's time stepping (Moreau 1988; Jean 1999). A step looks at what
 * may touch before it ends, and gives each contact the impulse of the whole
 * step: along the normal such that bodies do not come into each other, and part
 * by Newton's law, across it by Coulomb's law in the plane. What is reached
 * before the end of a step takes its whole impact in it. Positions go by the
 * velocities at the end of a step, which are those at its middle where nothing
 * is touched, so that free flights are the parabolas that they are, and bodies
 * at rest stay where they are; a body that lands goes down to what it lands on.
 * What a step leaves out is of the first order in its length; balls_report
 * tells how well its equations were solved.
 *
 * No step adds energy: a group of bodies for which Newton's law with friction
 * would do so takes its impacts without restitution. */
#ifndef IMP_RUNTIME_BALLS_BALLS_STEPS_H
#define IMP_RUNTIME_BALLS_BALLS_STEPS_H

#include "runtime/balls/balls.h"

struct balls_steps;

/* An impact of the last step. */
struct balls_blow {
    uint32_t contact, body[2];
    double approach, impulse; /* m/s before, N s */
};
/* What the steps have done so far. */
struct balls_report {
    long steps, blows, plastic; /* plastic: groups without restitution */
    double overlap;             /* the greatest depth that was seen (m) */
    double residual; /* the greatest velocity that a step was solved to (m/s) */
    double friction, normal; /* work of both (J) */
    double fastest;          /* speed of a body, or of its rim, now (m/s) */
    double still_since;      /* since then none is faster than `still` (s) */
    double still;            /* what a body falls faster by in one step (m/s) */
};

/* The balls at the present state of the run. slow: impacts after which bodies
 * would part more slowly have no restitution (m/s); what they fall faster by in
 * a step is the least. The memory belongs to run->arena. */
struct balls_steps *balls_steps_new(struct balls *balls, double length,
                                    double slow);
/* Two bodies that overlap by more than the tolerance of their gap at the start,
 * the number of their contact, and the depth; 0: there are none. Status: of
 * closest points that are not found. */
int balls_steps_overlap(struct balls_steps *steps, uint32_t body[2],
                        uint32_t *contact, double *depth);
/* Makes the next step. Status: IMP_OK, or of a restitution that has no value.
 */
int balls_step(struct balls_steps *steps);
/* The time at the end of the last step. */
double balls_steps_time(const struct balls_steps *steps);
/* The impacts of the last step. */
const struct balls_blow *balls_steps_blows(const struct balls_steps *steps,
                                           uint32_t *n);
/* After a step: writes the states at a time within it into env, and sets the
 * time. */
void balls_steps_put(struct balls_steps *steps, double t);
/* Hands the motion up to the time of the last balls_steps_put to the run's
 * trace, if it has one. */
void balls_steps_trace(struct balls_steps *steps);
const struct balls_report *balls_steps_report(const struct balls_steps *steps);

#endif
