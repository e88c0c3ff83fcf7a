/* SPDX-License-Identifier: MIT */
/* Several motions at once, a lane for each (flight_lanes.h): runs from one
 * start that differ in their restitutions alone. No lane waits for another: one
 * whose next event is no single impact of a free system, or that has had as
 * many impacts as ballistic_coast follows at once, is noted and makes room for
 * the next run. */
#ifndef IMP_RUNTIME_BALLISTIC_BATCH_RUN_H
#define IMP_RUNTIME_BALLISTIC_BATCH_RUN_H

#include "runtime/ballistic/flight_lanes.h"

/* steps whose flights are kept: more than one run has */
#define BATCH_LOG (2 * BALLISTIC_RESCALE)

struct batch {
    struct lanes_state state;
    struct lanes_step step;
    struct lanes_matrices own;
    lanes t, t_lo, arrive;
    lanes count;             /* impacts */
    lanes flight[BATCH_LOG]; /* by steps of all lanes together */
    lanes_truth contact[BATCH_LOG];
    long n_steps;
    int run[LANES]; /* the run in each lane; -1: none */
};

/* Returns where one lane of a vector lies. */
LANES_INLINE double *
batch_lane(lanes *x, int lane)
{
    return (double *)x + lane;
}

/* -- beginning and end of a run -------------------------------------------- */

/* Sets what all runs have in common: the start that the motion is at. */
LANES_INLINE void
batch_common(struct batch *lanes_batch, const struct ballistic *motion)
{
    memset(&lanes_batch->state, 0, sizeof lanes_batch->state);
    memset(&lanes_batch->own, 0, sizeof lanes_batch->own);
    lanes_batch->state.motion = motion;
    lanes_batch->state.own = &lanes_batch->own;
    lanes_batch->t = lanes_batch->t_lo = lanes_batch->arrive =
        lanes_batch->count = lanes_of(0.0);
    lanes_batch->n_steps = 0;
}

/* Sets the contact outside the basis of the run in a lane. */
LANES_INLINE void
batch_outside(struct lanes_shape sh, struct batch *lanes_batch, int lane,
              int outside)
{
    const struct ballistic *motion = lanes_batch->state.motion;
    const struct contact_bases *bases = motion->matrices.bases;
    for (int i = 0; i < sh.m; i++) {
        ((int64_t *)&lanes_batch->own.outside[i])[lane] = -(i == outside);
        *batch_lane(lanes_batch->own.share + i, lane) =
            bases->alone[outside * sh.m + i];
    }
    *batch_lane(&lanes_batch->own.offset, lane) =
        bases->alone_offset[outside] * power2(-motion->length_exponent);
}

/* Puts run k of the batch into a lane, at the start. */
LANES_INLINE void
batch_begin(struct lanes_shape sh, struct batch *lanes_batch,
            const struct ballistic_batch *batch, int lane, int k)
{
    assert(k >= 0 && k < batch->n);
    assert(lane >= 0 && lane < LANES);
    struct lanes_state *state = &lanes_batch->state;
    const struct ballistic *motion = state->motion;
    const double *restitution = batch->e + k * sh.m;
    lanes_batch->run[lane] = k;
    if (!sh.direct)
        batch_outside(sh, lanes_batch, lane, motion->basis->outside[0]);
    for (int contact = 0; contact < sh.m; contact++) {
        *batch_lane(state->gap + contact, lane) = motion->gap[contact];
        *batch_lane(state->rate + contact, lane) = motion->rate[contact];
        *batch_lane(state->greatest + contact, lane) =
            motion->greatest[contact];
        *batch_lane(state->terms + contact, lane) =
            motion->work->rate_terms[contact];
        *batch_lane(lanes_batch->own.e + contact, lane) = restitution[contact];
        *batch_lane(lanes_batch->own.law + contact, lane) =
            -(1.0 + restitution[contact]);
        ((int64_t *)&state->hit[contact])[lane] = 0;
        if (!sh.direct)
            continue;
        wide f = matrices_law(motion, contact, restitution[contact]);
        for (int h = 0; h < sh.m; h++)
            *batch_lane(lanes_batch->own.K + contact * sh.m + h, lane) =
                (double)(f * motion->work->own.W[contact * sh.m + h]);
    }
    *batch_lane(&lanes_batch->t, lane) = motion->t;
    *batch_lane(&lanes_batch->t_lo, lane) = motion->t_lo;
    *batch_lane(&lanes_batch->count, lane) = 0.0;
}

/* Notes the run of a lane. */
LANES_INLINE void
batch_end(struct lanes_shape sh, struct batch *lanes_batch,
          struct ballistic_batch *batch, int lane, bool all_open, bool over)
{
    struct lanes_state *state = &lanes_batch->state;
    struct ballistic_batch_run *to = batch->run + lanes_batch->run[lane];
    double *saved = batch->state + lanes_batch->run[lane] * batch->stride,
           size = 0.0;
    int impacts = (int)*batch_lane(&lanes_batch->count, lane), contacts = sh.m;
    *to = (struct ballistic_batch_run){
        .n = impacts,
        .all_open = all_open,
        .over = over,
        .outside = -1,
        .arrival = *batch_lane(&lanes_batch->arrive, lane),
        .t = *batch_lane(&lanes_batch->t, lane),
        .t_lo = *batch_lane(&lanes_batch->t_lo, lane)};
    for (int i = 0; i < contacts; i++) {
        saved[i] = *batch_lane(state->gap + i, lane);
        saved[contacts + i] = *batch_lane(state->rate + i, lane);
        saved[2 * contacts + i] = *batch_lane(state->greatest + i, lane);
        saved[3 * contacts + i] = *batch_lane(state->terms + i, lane);
        size += fabs(saved[i]) + fabs(saved[contacts + i]);
    }
    for (int i = 0; i < contacts && !sh.direct; i++)
        if (((int64_t *)&lanes_batch->own.outside[i])[lane])
            to->outside = i;
    for (int i = 0; i < impacts; i++) {
        int s = (int)((lanes_batch->n_steps - impacts + i) % BATCH_LOG);
        to->flight[i] = *batch_lane(lanes_batch->flight + s, lane);
        to->contact[i] = (int)((int64_t *)(lanes_batch->contact + s))[lane];
    }
    if (!(size < INFINITY)) /* ballistic_coast will follow this run. */
        to->n = 0;
}

/* -- all runs -------------------------------------------------------------- */

/* Notes the runs of these lanes; returns the lanes that are to begin anew. */
LANES_INLINE uint64_t
batch_ends(struct lanes_shape sh, struct batch *lanes_batch,
           struct ballistic_batch *batch, uint64_t which, uint64_t all_open,
           bool over)
{
    uint64_t free = 0;
    for (; which; which &= which - 1) {
        int lane = __builtin_ctzll(which);
        if (lanes_batch->run[lane] < 0)
            continue;
        batch_end(sh, lanes_batch, batch, lane, all_open >> lane & 1, over);
        free |= UINT64_C(1) << lane;
    }
    return free;
}

/* Gives the lanes that are free to the next runs, from *next on, the first run
 * that has no lane yet. Returns how many lanes got none. */
LANES_INLINE int
batch_begins(struct lanes_shape sh, struct batch *lanes_batch,
             const struct ballistic_batch *batch, uint64_t free, int *next)
{
    int idle = 0;
    for (; free; free &= free - 1) {
        int lane = __builtin_ctzll(free);
        if (*next < batch->n) {
            batch_begin(sh, lanes_batch, batch, lane, (*next)++);
        } else {
            lanes_batch->run[lane] = -1;
            idle++;
        }
    }
    return idle;
}

/* Notes the numbers of the contacts hit, and the flights to them. */
LANES_INLINE void
batch_log(int contacts, struct batch *lanes_batch)
{
    lanes_truth contact = {0};
    for (int i = 1; i < contacts; i++)
        contact |= lanes_batch->step.hit[i] & i;
    lanes_batch->flight[lanes_batch->n_steps % BATCH_LOG] = lanes_batch->step.s;
    lanes_batch->contact[lanes_batch->n_steps % BATCH_LOG] = contact;
    lanes_batch->n_steps++;
}

/* Follows all runs; the motion is at their start. */
LANES_INLINE void
batch_follow(struct lanes_shape sh, const struct ballistic *motion,
             struct ballistic_batch *batch)
{
    assert(sh.m <= BALLISTIC_LANES && sh.rows == sh.m);
    struct batch lanes_batch;
    const struct ballistic_units *units = &motion->work->units;
    const uint64_t all = (UINT64_C(1) << LANES) - 1;
    int next = 0, idle;
    batch_common(&lanes_batch, motion);
    idle = batch_begins(sh, &lanes_batch, batch, all, &next);
    while (idle < LANES) {
        lanes_first(sh, &lanes_batch.state, &lanes_batch.step);
        lanes dt = lanes_batch.step.s * units->time;
        lanes_batch.step.go &= dt < INFINITY;
        lanes_fly(sh, &lanes_batch.state, &lanes_batch.step);
        uint64_t stop = all & ~lanes_bits(lanes_batch.step.go), free = 0;
        if (stop) /* This is done before anything of the state changes. */
            free =
                batch_ends(sh, &lanes_batch, batch, stop,
                           lanes_bits(lanes_batch.step.s == INFINITY), false);
        lanes_impact(sh, &lanes_batch.state, &lanes_batch.step);
        TIME_ADD(lanes, lanes_batch.t, lanes_batch.t_lo, dt);
        batch_log(sh.m, &lanes_batch);
        lanes_batch.arrive = lanes_batch.step.arrive;
        lanes_batch.count += 1.0;
        lanes_truth over = (lanes_batch.count == (double)BALLISTIC_RESCALE) |
                           (-lanes_batch.arrive < units->low_rate);
        uint64_t ended = lanes_bits(over) & ~stop;
        if (ended)
            free |= batch_ends(sh, &lanes_batch, batch, ended, 0, true);
        if (free)
            idle += batch_begins(sh, &lanes_batch, batch, free, &next);
    }
}

#endif
