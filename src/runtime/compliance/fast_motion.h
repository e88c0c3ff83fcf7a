/* SPDX-License-Identifier: MIT */
/* The fast motion of a compliant contact with friction (specification
 * painleve.md, 7): depth d = -gap/eps, closing speed w, slip u =
 * slip/sqrt(eps), in the time t/sqrt(eps):
 *
 *     d' = w    w' = -b - B T - C f(d, w)    u' = a + A T + B f(d, w)
 *
 * with Coulomb's friction T. The contact pushes where d > 0 and f > 0. A slip
 * that is there at the start counts as one that lasts: an outcome is told of it
 * before it ends. */
#ifndef IMP_RUNTIME_COMPLIANCE_FAST_MOTION_H
#define IMP_RUNTIME_COMPLIANCE_FAST_MOTION_H

#include <stdbool.h>

#include "runtime/friction/painleve.h"

/* Where a law is asked for: depth, speed, and what the contact remembers, its
 * impulse since it touched, and the part of it that came while it was pressed
 * in. */
struct fast_push {
    double depth, speed, impulse, compression;
};
/* The same of a contact that is pressed in without end, and keeps all of it. */
static inline struct fast_push
fast_pressed(double depth, double speed)
{
    return (struct fast_push){depth, speed, 1.0, 1.0};
}
/* The law: force, and its derivatives by depth and by speed. False: it has no
 * value there. */
struct fast_law {
    bool (*force)(void *ctx, const struct fast_push *at, double out[3]);
    void *ctx;
};
struct fast_point {
    double A, B, C, a, b, mu; /* as in struct painleve_point */
    double mu_static;         /* while it sticks, where that is more than mu */
    double slip_sign; /* 1 or -1: the slip is so large that it keeps its sign;
                         0: it is u, and may end */
    struct fast_law law;
};
static inline double
fast_sticking(const struct fast_point *point)
{
    return point->mu_static > point->mu ? point->mu_static : point->mu;
}
enum fast_outcome {
    FAST_LIFTOFF,
    FAST_STICK,
    FAST_SLIP_POSITIVE,
    FAST_SLIP_NEGATIVE,
    FAST_IMPACT,    /* the force grows without bound until the slip ends: an
                       impact without collision */
    FAST_UNSETTLED, /* nothing of it within the time that was followed */
    FAST_NO_VALUE,  /* the law has no value on the way */
    FAST_OUTCOMES
};
const char *fast_outcome_name(enum fast_outcome outcome);
struct fast_state {
    double time, depth, speed, slip, force;
};
/* Is told of each step; may be NULL. */
typedef void fast_follow(void *ctx, const struct fast_state *state);
/* Follows the motion from depth, speed and slip of the start (its time and
 * force are not read). */
enum fast_outcome fast_motion(const struct fast_point *point,
                              const struct fast_state *start,
                              fast_follow *follow, void *ctx);

/* -- equilibria.c -----------------------------------------------------------
 */

enum fast_kind {
    FAST_SADDLE,
    FAST_NODE,     /* both eigenvalues real and negative */
    FAST_FOCUS,    /* complex, decaying */
    FAST_CENTRE,   /* the law takes no energy there */
    FAST_REPELLING /* the law gives energy */
};
const char *fast_kind_name(enum fast_kind kind);
struct fast_equilibrium {
    enum contact_mode mode;
    double depth, force;
    double re[2], im[2]; /* eigenvalues in the fast time */
    enum fast_kind kind;
};
/* The equilibria of the modes that may hold for this slip (slip_sign; 0: stick
 * and both slips that begin). Returns how many there are, at most 3. */
#define FAST_EQUILIBRIA_MOST 3
int fast_equilibria(const struct fast_point *point,
                    struct fast_equilibrium out[FAST_EQUILIBRIA_MOST]);
/* The stable manifold of a saddle between lift-off and impact, from the saddle
 * on to depth 0: follow gets its places. Returns false where it does not come
 * there; *speed: with which closing speed it does. */
bool fast_separatrix(const struct fast_point *point,
                     const struct fast_equilibrium *saddle, double *speed,
                     fast_follow *follow, void *ctx);
/* The depth at which the law gives this force at rest; NAN: at none. */
double fast_depth(const struct fast_law *law, double force);
/* What a law must be (section 4 of the paper), looked at on a grid of depths up
 * to `depth` and of speeds up to `speed`: no force at depth 0 and speed 0;
 * growing with depth, and not falling with speed, where it is positive. Returns
 * NULL, or what does not hold, with the place. */
const char *fast_law_fault(const struct fast_law *law, double depth,
                           double speed, double *at_depth, double *at_speed);

#endif
