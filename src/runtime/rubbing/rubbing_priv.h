/* SPDX-License-Identifier: MIT */
/* Inside rubbing.h: the joints with friction of one block, and the choice of
 * their modes. */
#ifndef IMP_RUNTIME_RUBBING_RUBBING_PRIV_H
#define IMP_RUNTIME_RUBBING_RUBBING_PRIV_H

#include "runtime/numerics/taylor.h"
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
    /* its slip has begun from rest at this time (NAN: it has not), and an
     * acceleration of it below this size is rounding */
    double onset, small;
    double side[2]; /* IMP_JOINT_SIDE where a choice of modes began */
    /* beside closed contacts (rubbing_beside.h): others hold it at rest, while
     * its friction is a share of the greatest; its mode has ended; an impact
     * has changed its rate; its mode, while it is let go */
    bool tied;
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
    double open; /* the time at which the law did not say which modes follow */
    double chosen; /* the time at which modes were chosen beside contacts */
    double force;  /* the greatest in the last steps */
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
/* What a status of the equations of a block says (E0563: they have no solution;
 * E0601 and E0602), after its diagnostic. */
int rubbing_no_solution(struct rt *run, const imp_joint *joint, int st);

/* -- rubbing_rows.c -------------------------------------------------------- */

/* A series of a joint (IMP_RUBROW_...), of the rows of the motion made last. */
void rubbing_row(const struct pins *pins, const struct pin *pin, int which,
                 int order, struct taylor *out);
/* For how long, at most h, the series hold that tell of changes. Loads of what
 * is held, and ground that moves, have series of their own. */
double rubbing_rows_hold(const struct pins *pins, int order, double h);
/* Where the slip of a joint has begun as its cone was met, its rate has no
 * acceleration to rounding, and behind that, in steps that may be short, is
 * none: takes that rounding out of the series of the rate. */
void rubbing_begins(const struct pin *pin, double now, double *rate);

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
