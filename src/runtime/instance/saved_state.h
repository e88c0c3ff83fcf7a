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

/* States on the way. Somebody wants to know the state at some times, and the
 * motion does not stop there: whoever moves the run along series reads these
 * states off them (motion_looks), so that the motion is the same whoever looks.
 */
struct motion_looks {
    const double *time; /* n of them, rising, none before the present one */
    size_t n;
    struct { /* the states at the first of these, in run->brief */
        struct saved_state *v;
        size_t n, cap;
    } at;
};

/* From now on states are kept at these times, until run->looks is NULL again.
 */
void looks_begin(struct rt *run, struct motion_looks *looks, const double *time,
                 size_t n);
/* How many are kept; a step is taken back to where there were so many. */
size_t looks_mark(const struct rt *run);
void looks_cut(struct rt *run, size_t mark);
/* Is there one before the time `to`? Then *time is the first of these. */
bool looks_next(const struct rt *run, double to, double *time);
/* Keeps the present state as the one at this time. */
void looks_keep(struct rt *run);

#endif
