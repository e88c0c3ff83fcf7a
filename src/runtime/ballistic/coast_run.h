/* SPDX-License-Identifier: MIT */
/* One motion from single impact to single impact (flight_lanes.h), until
 * something else comes, or limits or units must be looked at.
 *
 * An accumulation whose flights shrink faster than the squares of its rates
 * becomes light: in a flight of time s its accelerations a change no rate u,
 * because |a| s is below half of the last digit of u. Then u^2 - 2 a g rounds
 * to u^2 for each gap g that closes in less than two such flights, whose root
 * is |u|, so that the time 2 g/(2 |u|) of flight.c is the quotient g/|u| of
 * flights without acceleration, and all numbers are theirs to the last bit.
 * Gaps that open stay open for longer than s, and others that close do so
 * later. */
#ifndef IMP_RUNTIME_BALLISTIC_COAST_RUN_H
#define IMP_RUNTIME_BALLISTIC_COAST_RUN_H

#include "runtime/ballistic/flight_lanes.h"

/* Loads the state of the motion into lanes. */
LANES_INLINE void
lanes_load_state(struct lanes_shape sh, struct lanes_state *state,
                 const struct ballistic *motion)
{
    int last = motion->event.contact;
    state->motion = motion;
    state->basis = motion->basis;
    for (int i = 0; i < sh.rows; i++) {
        state->hit[i] = lanes_alone(last - LANES * i);
        state->gap[i] = lanes_row(motion->gap, i);
        state->rate[i] = lanes_row(motion->rate, i);
        state->greatest[i] = lanes_row(motion->greatest, i);
        state->terms[i] = lanes_row(motion->work->rate_terms, i);
    }
}

/* Stores it back, all but the time. */
LANES_INLINE void
lanes_store_state(struct lanes_shape sh, const struct lanes_state *state,
                  struct ballistic *motion)
{
    for (int i = 0; i < sh.rows; i++) {
        lanes_store(motion->gap + LANES * i, state->gap[i]);
        lanes_store(motion->rate + LANES * i, state->rate[i]);
        lanes_store(motion->greatest + LANES * i, state->greatest[i]);
        lanes_store(motion->work->rate_terms + LANES * i, state->terms[i]);
        if (sh.direct) {
            lanes_store(motion->y + LANES * i, state->gap[i]);
            lanes_store(motion->z + LANES * i, state->rate[i]);
        }
    }
    if (sh.direct)
        return;
    motion->basis = state->basis;
    contact_basis_coordinates(motion);
}

/* a motion on its way */
struct coast {
    struct lanes_state state;
    struct lanes_step step;
    double t, t_lo, arrive;
    int contact, exponent;
    long n;
};

/* Do the accelerations change nothing in a flight of this time? */
LANES_INLINE bool
coast_is_light(struct lanes_shape sh, const struct lanes_state *state, lanes s)
{
    const struct ballistic_local *local = &state->motion->local;
    lanes_truth is = lanes_all(true);
    for (int i = 0; i < sh.rows; i++)
        is &= lanes_at_most(lanes_row(local->light_acc, i) * s +
                                lanes_row(local->light_rate, i),
                            lanes_abs(state->rate[i]));
    return lanes_bits(is) == (UINT64_C(1) << LANES) - 1;
}

/* The next flight and its impact: to `contact`, or, where this is negative, to
 * the contact whose gap closes first. False: it is no single impact before
 * `until`, and nothing has changed. */
LANES_INLINE bool
coast_step(struct lanes_shape sh, struct ballistic *motion, struct coast *run,
           int contact, double until)
{
    struct lanes_step *step = &run->step;
    struct impact_history *history = &motion->work->history;
    if (contact < 0)
        lanes_first(sh, &run->state, step);
    else
        lanes_towards(sh, &run->state, contact, step);
    double time = lanes_at(&step->s, 0), dt = time * motion->work->units.time;
    if (SELDOM(!lanes_bits(step->go)) ||
        SELDOM(!(dt <= until - run->t - run->t_lo)) ||
        (sh.light && SELDOM(!coast_is_light(sh, &run->state, step->s))))
        return false;
    lanes_fly(sh, &run->state, step);
    if (SELDOM(!lanes_bits(step->go)))
        return false;
    lanes_impact(sh, &run->state, step);
    TIME_ADD(double, run->t, run->t_lo, dt);
    run->contact = contact < 0 ? step->contact : contact;
    run->arrive = lanes_at(&step->arrive, 0);
    motion->work->flight.up[history->n % BALLISTIC_RESCALE] =
        lanes_at(&step->up, 0);
    history->entry[history->n++ % HISTORY_KEPT] =
        (struct impact_entry){run->contact, run->exponent, time};
    run->n++;
    return true;
}

LANES_INLINE void
coast_begin(struct lanes_shape sh, struct ballistic *motion, struct coast *run)
{
    assert(sh.m <= BALLISTIC_LANES);
    assert(sh.rows * LANES >= sh.m);
    lanes_load_state(sh, &run->state, motion);
    run->t = motion->t;
    run->t_lo = motion->t_lo;
    run->exponent = motion->length_exponent - motion->rate_exponent;
    run->contact = -1;
    run->arrive = 0.0;
    run->n = 0;
}

/* Is it time to stop? */
LANES_INLINE bool
coast_over(struct lanes_shape sh, struct ballistic *motion,
           const struct coast *run, long most)
{
    const struct ballistic_workspace *work = motion->work;
    return run->n >= most || work->history.n % BALLISTIC_RESCALE == 0 ||
           -run->arrive < work->units.low_rate ||
           (work->history.n >= work->history.next_look &&
            (sh.light ||
             impact_history_period_due(motion, motion->impacts + run->n)));
}

/* Returns the number of impacts; all_open: no contact closes. */
LANES_INLINE long
coast_end(struct lanes_shape sh, struct ballistic *motion,
          const struct coast *run, bool all_open)
{
    if (run->n == 0) {
        motion->work->flight.all_open = all_open;
        return 0;
    }
    lanes_store_state(sh, &run->state, motion);
    motion->work->flight.up_exponent = motion->rate_exponent;
    motion->t = run->t;
    motion->t_lo = run->t_lo;
    ballistic_coasted(motion, run->contact, run->arrive, run->n);
    return run->n;
}

LANES_INLINE long
coast(struct lanes_shape sh, struct ballistic *motion, double until, long most)
{
    struct coast run;
    coast_begin(sh, motion, &run);
    while (coast_step(sh, motion, &run, -1, until))
        if (coast_over(sh, motion, &run, most))
            break;
    return coast_end(sh, motion, &run,
                     !sh.light && lanes_at(&run.step.s, 0) == INFINITY);
}

#endif
