/* SPDX-License-Identifier: MIT */
/* A saved state: everything of a run that motion changes, kept in order to go
 * back to it after an attempt. */
#ifndef IMP_RUNTIME_INSTANCE_SAVED_STATE_H
#define IMP_RUNTIME_INSTANCE_SAVED_STATE_H

#include "runtime/instance/run.h"

struct saved_state {
    double *v; /* time, state, its low parts, warm starts of closest points */
    size_t n;
    size_t trace; /* the length of the log of the motion that is kept */
};

/* Copies the present state. The copy lies in run->arena and needs no release.
 */
struct saved_state saved_state_take(struct rt *run);
/* Makes the state that was saved the present one. */
void saved_state_restore(struct rt *run, const struct saved_state *saved);

#endif
