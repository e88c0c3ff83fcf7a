/* SPDX-License-Identifier: MIT */
/* A saved state: everything of a run that motion changes, kept in order to go
 * back to it after an attempt. */
#ifndef IMP_RUNTIME_INSTANCE_SAVED_STATE_H
#define IMP_RUNTIME_INSTANCE_SAVED_STATE_H

#include "runtime/instance/run.h"

struct saved_state {
    double *v; /* time, state, its low parts, warm starts of closest points,
                  work of friction, normals of rounded corners */
    size_t n;
    size_t trace; /* the length of the log of the motion that is kept */
};

/* Copies the present state. The copy lies in run->brief: it ends with the
 * present event. */
struct saved_state saved_state_take(struct rt *run);
/* The same for later events: the copy lies in run->arena. */
struct saved_state saved_state_keep(struct rt *run);
/* How many numbers a saved state has. */
size_t saved_state_size(const struct rt *run);
/* Copies the work that friction has done so far at each contact and each joint,
 * and what contacts that yield remember; puts it back. saved_work_size: how
 * many numbers these are of so many contacts. */
size_t saved_work_size(const struct rt *run, uint32_t n_contact);
void saved_work_take(const struct rt *run, double *work);
void saved_work_restore(struct rt *run, const double *work);
/* Makes the state that was saved the present one. */
void saved_state_restore(struct rt *run, const struct saved_state *saved);

/* Of one contact: where the search for its closest points begins. All that a
 * look at a contact changes, if nothing moves. */
struct saved_start {
    uint32_t contact;
    double unknowns[8];
    bool warm;
};
struct saved_start saved_start_take(const struct rt *run, uint32_t contact);
void saved_start_restore(struct rt *run, const struct saved_start *saved);

#endif
