/* SPDX-License-Identifier: MIT */
/* Inside rubbing.h: the joints with friction of one block, and the choice of
 * their modes. */
#ifndef IMP_RUNTIME_RUBBING_RUBBING_PRIV_H
#define IMP_RUNTIME_RUBBING_RUBBING_PRIV_H

#include "runtime/rubbing/rubbing.h"
#include "runtime/rubbing/rubbing_beside.h"

/* The most joints with friction that move together. */
#define PINS_MOST 64

/* entries of env that say what mode a joint has */
#define RUBBING_MODE_ENTRIES 9

/* Of one joint with friction, from start to start of a run. */
struct pin {
    const imp_joint *joint;
    double *env;  /* its entries */
    double speed; /* the greatest size of its rate in the last step */
    bool still;   /* it has no rate: its mode is to be chosen */
    bool freed;   /* it cannot stick any more, and slips as its sign says */
    /* beside closed contacts (rubbing_beside.h): others hold it at rest, while
     * its friction is a share of the greatest; its mode has ended; an impact
     * has changed its rate; its mode, while it is let go */
    bool tied;
    /* its slip has begun from rest at this time, and an acceleration of it
     * below this size is rounding */
    double onset, small;
    double struck; /* the time of that impact */
    enum rubbing_end end;
    double kept[RUBBING_MODE_ENTRIES];
    /* in a piece of an impact, per unit of the impulse: of its friction, and
     * the change of its rate */
    double impulse, change;
};
struct pins {
    struct rt *run;
    uint32_t block, n;
    struct pin *pin;
    double open;   /* the time at which the law did not say which modes follow */
    double chosen; /* the time at which modes were chosen beside contacts */
    const double *impulse;   /* NULL, or modes are chosen for this impulse
                                (joint_friction_solve) */
    double *room, *mobility; /* of the choice */
};
enum pin_mode { PIN_STICK, PIN_FORWARD, PIN_BACKWARD };
enum rubbing_verdict {
    RUBBING_ONE,
    RUBBING_NONE,
    RUBBING_SEVERAL,
    RUBBING_TANGLED /* the friction of those that stick is not determined */
};

/* The joints with friction of a block; they belong to the run. */
struct pins *rubbing_pins(struct rt *run, uint32_t block);

/* No mode: neither friction nor rest. */
void rubbing_clear(struct pin *pin);

/* -- rubbing_choice.c ------------------------------------------------------ */

/* Lets all joints that are still stick, as far as their rates depend on each
 * other: none of them moves in this state. False: they are tangled. */
bool rubbing_hold(struct pins *pins);
/* Chooses the modes of those that are still, and leaves them in env, with the
 * last solution. Status of the tapes. */
int rubbing_choose(struct pins *pins, enum rubbing_verdict *verdict);
/* Is the solution in the present modes, of the last joint_friction_solve, the
 * only one? */
int rubbing_unique(struct pins *pins, bool *unique);
/* Has the joint a rate that the present mode keeps, or none to lose? */
static inline bool
pin_rests(const struct pin *pin)
{
    return pin->env[IMP_JOINT_STICK] != 0.0 || pin->tied ||
           pin->env[IMP_JOINT_SHARE] != 0.0 || pin->env[IMP_JOINT_SIGN] == 0.0;
}

#endif
