/* SPDX-License-Identifier: MIT */
/* Overlap in `simulate`: how deep contacts overlap that are let through; and a
 * check that no other contact overlaps, since its touch must have been found
 * (I3). Called at the end of every piece of the run. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/collision/penetration_depth.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/motion.h"

/* places at which the depth is read on a piece of the run */
#define DEPTH_SAMPLES 16
/* I3: an overlap of more tolerances shows that the search has missed a touch */
#define SIMULATE_PASSED 16.0
/* A body that has come to another place within this share of the time is there
 * at once. */
#define SIMULATE_JUMP (64.0 * DBL_EPSILON)

/* Finds the greatest overlap between two times. The state is not changed. */
static int
deepest(struct simulation *sim, uint32_t contact, double lo, double hi)
{
    struct analysis *analysis = sim->analysis;
    struct saved_state here = saved_state_take(analysis->rt);
    double most = -INFINITY, gap, at = lo, step = (hi - lo) / DEPTH_SAMPLES;
    int st = IMP_OK;
    for (int i = 1; i < DEPTH_SAMPLES && !st; i++) {
        if (!(st = motion_to(analysis->rt, hi - i * step)))
            st = touch_gap(analysis, contact, &gap, NULL);
        if (!st && -gap > most) {
            most = -gap;
            at = hi - i * step;
        }
    }
    /* an overlap that is lower than an earlier one need not be refined */
    if (!st && most > 0.5 * sim->overlaps.depth_max) {
        double where, depth;
        st = penetration_depth_refine(analysis, contact, at - step, at + step,
                                      &where, &depth);
        if (!st)
            sim->overlaps.depth_max =
                fmax(sim->overlaps.depth_max, fmax(most, depth));
    }
    saved_state_restore(analysis->rt, &here);
    return st;
}

int
simulate_check_penetration(struct simulation *sim)
{
    assert(sim != NULL);
    struct analysis *analysis = sim->analysis;
    const uint32_t *list = NULL;
    uint32_t n =
        sim->local ? local_concerned(sim->local, &list) : sim->n_contacts;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t contact = list ? list[i] : i;
        struct simulated_contact *state = &sim->contacts[contact];
        double gap, rate, now = rt_time(analysis->rt);
        int st;
        if (state->watch == WATCH_OFF)
            continue;
        if (!state->overlap && sim->local &&
            event_apart(analysis->rt, contact) > 0.0)
            continue;
        if (!state->overlap) {
            struct closest_points closest;
            double tol;
            /* where closest points cannot be found, the search reports it */
            if (closest_points_find(analysis->rt, contact, &closest, false))
                continue;
            gap_tolerances(analysis->rt, contact, &tol, &rate);
            if (closest.gap >= -SIMULATE_PASSED * tol)
                continue;
            if (event_place_jumps(analysis->rt, contact,
                                  SIMULATE_JUMP * fmax(fabs(now), DBL_MIN)))
                return event_jumps_into(analysis->rt, contact, closest.gap);
            char g[NUM_TEXT], at[NUM_TEXT];
            diag_add(analysis->ds, DIAG_E0713,
                     rt_contact(analysis->rt, contact)->range,
                     "`%s` overlaps by %s m at t = %s s, but no touch was "
                     "found before",
                     imp_text(analysis->rt->im,
                              rt_contact(analysis->rt, contact)->name),
                     num_digits(g, -closest.gap, 6), num_digits(at, now, 9));
            return IMP_FAILED;
        }
        if ((st = touch_gap(analysis, contact, &gap, NULL)))
            return st;
        sim->overlaps.depth_max = fmax(sim->overlaps.depth_max, -gap);
        if (state->depth_from < now &&
            (st = deepest(sim, contact, state->depth_from, now)))
            return st;
        state->depth_from = now;
    }
    return IMP_OK;
}

void
simulate_begin_overlap(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    struct simulated_contact *state = &sim->contacts[contact];
    state->overlap = true;
    resting_polytopes_drop(sim, contact);
    state->depth_from = rt_time(sim->run);
    simulate_watch(sim, contact, WATCH_OPEN);
    sim->overlaps.any = true;
}
