/* SPDX-License-Identifier: MIT */
/* Friction of joints: which of them stick, which slip, and when that changes.
 * All functions but rubbing_tell do nothing where no joint has friction. */
#ifndef IMP_RUNTIME_RUBBING_RUBBING_H
#define IMP_RUNTIME_RUBBING_RUBBING_H

#include "runtime/instance/run.h"

/* Is there a joint with friction? */
bool rubbing_any(const struct rt *run);
/* Has the block of this body one? */
bool rubbing_moves(const struct rt *run, uint32_t body);
/* The modes at the start, after the velocities of the bodies are known.
 * IMP_BADMODEL after E0562 or E0563. */
int rubbing_start(struct rt *run);
/* Back to these modes, with the state of the start; no work has been done. */
void rubbing_reset(struct rt *run);

/* What ends a mode. */
enum rubbing_what {
    RUBBING_NOTHING,
    RUBBING_SLIP_ENDS,  /* a rate has come to 0 */
    RUBBING_STICK_ENDS, /* the friction that holds a joint is at its greatest */
    RUBBING_LOAD,       /* a force of a joint changes its sign, or begins */
    RUBBING_OPEN        /* the law does not determine how the motion goes on */
};
struct rubbing_change {
    enum rubbing_what what;
    uint32_t joint;
    int end;     /* of the bush of a slider, whose force changes its sign; -1 */
    double sign; /* of the friction that holds the joint (or the share), as it
                    gives way */
};
/* Makes the series of all bodies from the present time, to the order
 * MOTION_STEP_ORDER. *end is shortened to where they hold, and to the first
 * change of a mode before it. */
int rubbing_peek(struct rt *run, double *end, struct rubbing_change *change);
/* At that change of a joint whose bodies closed contacts hold: remembers what
 * has ended, until modes are chosen with those of the contacts. False: they
 * have just been. */
bool rubbing_note(struct rt *run, const struct rubbing_change *change);
/* At that change: chooses the modes that follow. Where the law does not say
 * which, change->what is RUBBING_OPEN and change->joint one of those concerned.
 * IMP_FAILED after a diagnostic. */
int rubbing_apply(struct rt *run, struct rubbing_change *change);
/* After an impact that moved bodies (body: per body of the model): the modes
 * under the forces that follow, without contacts. Where the law does not say
 * which, the next rubbing_peek says so, unless modes are chosen with closed
 * contacts before. */
int rubbing_after_impact(struct rt *run, const bool *body);
/* The same for these blocks (per block), where no contact holds them any more,
 * and no modes have been chosen at this time. */
int rubbing_let_alone(struct rt *run, const bool *block);

/* What joint does: the mode as enum contact_mode_told. */
int rubbing_mode(const struct rt *run, uint32_t joint);
/* Writes what the run tells of joints at the present time into env, of those
 * without friction, too. IMP_FAILED after a diagnostic. */
int rubbing_tell(struct rt *run);

#endif
