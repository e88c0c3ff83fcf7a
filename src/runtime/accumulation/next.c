/* SPDX-License-Identifier: MIT */
/* The motion from event to event, with limits of accumulations, and the
 * settings of these limits. */
#include "runtime/accumulation/accumulation.h"

#include "runtime/accumulation/accumulation_priv.h"

/* So many impacts in a row at one contact show a limit there. */
#define ACCUMULATION_BOUNCES 3

void
accumulation_resolve(struct ballistic *motion, long least)
{
    assert(motion && motion->work);
    assert(least > 0);
    motion->work->limits.resolve = least;
    motion->work->history.next_look =
        motion->work->history.n ? 0 : impact_history_first_look(motion->work);
}

void
accumulation_one_by_one(struct ballistic *motion, long least)
{
    assert(motion && motion->work);
    struct ballistic_workspace *work = motion->work;
    work->history.n = work->history.first = work->history.last_limit = 0;
    work->history.in_a_row = 0;
    work->history.next_map = 0;
    work->history.stamp++;
    work->history.twin = NULL;
    impact_history_forget(motion);
    accumulation_resolve(motion, least);
}

void
accumulation_skip_rates(struct ballistic *motion, bool brief)
{
    assert(motion && motion->work);
    motion->work->limits.skip_rates = brief;
}

void
accumulation_verdict_only(struct ballistic *motion, bool alone)
{
    assert(motion && motion->work);
    motion->work->limits.verdict_only = alone;
}

void
accumulation_doubt(struct ballistic *motion, long least)
{
    assert(motion && motion->work);
    assert(least >= 0);
    motion->work->limits.doubt = least;
}

void
accumulation_accept_error(struct ballistic *motion, double error)
{
    assert(motion && motion->work);
    assert(error >= 0.0);
    motion->work->limits.accepted_error = error;
}

void
accumulation_accept_time(struct ballistic *motion, double error)
{
    assert(motion && motion->work);
    assert(error >= 0.0);
    motion->work->limits.accepted_time = error;
}

bool
accumulation_bounces(struct ballistic *motion, double until)
{
    assert(motion && motion->work);
    struct ballistic_workspace *work = motion->work;
    long least = work->limits.resolve;
    if (work->history.in_a_row < ACCUMULATION_BOUNCES)
        return false;
    work->limits.resolve = ACCUMULATION_BOUNCES;
    bool taken = accumulation_take(motion, until);
    work->limits.resolve = least;
    if (taken)
        work->flight.coasts = work->flight.last = false;
    return taken;
}

enum ballistic_event
accumulation_run(struct ballistic *motion, double until, long most)
{
    assert(motion && motion->work);
    assert(!motion->work->instant);
    assert(most > 0);
    struct ballistic_workspace *work = motion->work;
    if (work->history.n >= work->history.next_look &&
        accumulation_take(motion, until)) {
        work->flight.coasts = work->flight.last = false;
        return BALLISTIC_ACCUMULATION;
    }
    return ballistic_run(motion, until, most);
}

enum ballistic_event
accumulation_next(struct ballistic *motion, double until)
{
    return accumulation_run(motion, until, 1);
}
