/* SPDX-License-Identifier: MIT */
/* Rotors of bodies: stick and slip of their friction (imp_rotor). All functions
 * do nothing where the model has no rotors. */
#ifndef IMP_RUNTIME_ROTORS_ROTORS_H
#define IMP_RUNTIME_ROTORS_ROTORS_H

#include "runtime/instance/run.h"

/* Takes what the set-up tape gives (IMP_ROTOR_RAW entries per rotor), after the
 * masses of the bodies are known. IMP_BADMODEL after diagnostics. */
int rotors_setup(struct rt *run, const double *raw);
/* The rates at the start, after the spins of the bodies are known. */
void rotors_start(struct rt *run);
/* Back to the modes at the start. The state is another matter. */
void rotors_reset(struct rt *run);
/* Has a rotor friction, so that its mode may change? */
bool rotors_rub(const struct rt *run);
/* Is a rotor with friction without a rate, at the start? */
bool rotors_at_rest(const struct rt *run);
/* Do all rotors with friction still turn as their modes say? */
bool rotors_keep_sign(const struct rt *run);
/* Do all rotors that friction slows still turn as their modes say? Not if the
 * state has been moved beyond where one of them sticks. */
bool rotors_turn_on(const struct rt *run);
/* Lets go of all rotors that friction holds: before an impact. */
void rotors_release(struct rt *run);
/* After that impact: those that have a rate now slip against it, and the others
 * are held again, before contacts choose their modes. */
void rotors_struck(struct rt *run);
/* Chooses a mode for all rotors with friction that have no rate, after an
 * event. IMP_FAILED after a diagnostic. */
int rotors_settle(struct rt *run);
/* Does friction hold the rotor now? */
bool rotors_sticks(const struct rt *run, uint32_t rotor);
/* Makes the series of all bodies from the present time, to this order. *end is
 * shortened to where they hold, and to the first change of a mode before it,
 * *which, else IMP_NO_ROTOR. */
#define IMP_NO_ROTOR 0xffffffffu
int rotors_peek(struct rt *run, int order, double *end, uint32_t *which);
/* At that change: the rotor's rate is 0, or its friction gives way. IMP_FAILED
 * after a diagnostic. */
int rotors_change(struct rt *run, uint32_t rotor);

#endif
