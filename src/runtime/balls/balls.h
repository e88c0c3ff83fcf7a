/* SPDX-License-Identifier: MIT */
/* Discs and spheres that fly freely: their impacts with each other, with fixed
 * balls and with fixed planes, one after the other, without the general search.
 *
 * An event is local: only the two bodies that hit change their motion. Each
 * ball has a clock, the time of its last impact, and its next event; a heap has
 * the first of them. Cells whose side is no less than the greatest diameter
 * tell which balls may meet: two that touch lie in the same cell or in
 * neighbours, and going from cell to cell is an event, too. The motion is a
 * parabola, so times are roots in closed form (between a ball and a fixed ball
 * under gravity, of a quartic). A prediction depends on the last impacts of
 * both bodies alone, and not on when it is made: asking again gives the same
 * bits.
 *
 * Whatever is not a single impact at a rate is left to the general search:
 * touches without a rate, several contacts of one body at one time, bodies at
 * rest on others. */
#ifndef IMP_RUNTIME_BALLS_BALLS_H
#define IMP_RUNTIME_BALLS_BALLS_H

#include "runtime/instance/run.h"

struct balls;

enum balls_end {
    BALLS_UNTIL,  /* no impact at or before the given time */
    BALLS_TOUCH,  /* an impact */
    BALLS_GENERAL /* the general search must go on, from the time `now` */
};
struct balls_touch {
    double time;
    double
        after[2]; /* since the clocks of both, without the rounding of `time` */
    uint32_t contact, body[2];
    double rate;       /* of the gap, < 0 */
    uint32_t one, two; /* of balls.c */
    bool fixed;        /* body[1] does not move */
    double normal[3];  /* unit vector from `one` to `two` */
};

/* Why the bodies of a run are no balls. */
struct balls_refusal {
    enum {
        BALLS_FORCES, /* more than a constant weight, joints or systems */
        BALLS_NONE,   /* nothing moves */
        BALLS_SHAPE,  /* body[0] is none of these kinds */
        BALLS_LAW,    /* this contact has another law, or is one of several */
        BALLS_APART   /* body[0] and body[1] have no contact */
    } why;
    uint32_t body[2], contact;
};
/* The balls of a run whose bodies are all of these kinds, or NULL; *refusal (or
 * NULL) says why. all: every event asks all pairs again (for tests). The memory
 * belongs to run->arena. */
struct balls *balls_new(struct rt *run, bool all,
                        struct balls_refusal *refusal);
/* The same for steps (balls_steps.h), which know all convex bodies of the
 * plane; no other function of this page may be asked about them. */
struct balls *balls_of_shapes(struct rt *run, struct balls_refusal *refusal);
/* How many bodies move. */
uint32_t balls_moving(const struct balls *balls);
/* Takes the present state of the run, unless it is the one that balls_put wrote
 * last. False where bodies rest on one another or touch several others: nothing
 * can be done then. */
bool balls_begin(struct balls *balls);
/* Goes to the next impact, at most to `until`. The state in env is not moved.
 * *now: the time up to which the motion is known. */
enum balls_end balls_next(struct balls *balls, double until,
                          struct balls_touch *touch, double *now);
/* The motion after the impact of balls_next, with restitution e and, in the
 * plane, the coefficient mu of Coulomb's friction. *work: of the friction (J),
 * not positive. Returns the normal impulse (N s). Balls are hit along the line
 * to their centres, so a tangential impulse changes no normal velocity: slip
 * ceases within the impact or does not, and the laws of restitution agree. */
double balls_bounce(struct balls *balls, const struct balls_touch *touch,
                    double e, double mu, double *work);
/* Where the bodies of this touch meet (m), behind balls_bounce. */
void balls_place(const struct balls *balls, const struct balls_touch *touch,
                 double place[3]);
/* Hands the motion of all balls up to the time t to the run's trace, if it has
 * one; from then on somebody else may move them. */
void balls_trace(struct balls *balls, double t);
/* Undoes the last balls_trace, before which the trace had the length `mark`:
 * nobody else has moved the balls. */
void balls_trace_back(struct balls *balls, size_t mark);
/* Writes the states of all bodies at the time t into env, and sets the time. */
void balls_put(struct balls *balls, double t);
/* The same for a time on the way to the touch that balls_next has found, and
 * where the balls are stays known. */
void balls_look(struct balls *balls, double t);
#endif
