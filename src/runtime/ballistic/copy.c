/* SPDX-License-Identifier: MIT */
/* Copies of a ballistic motion in memory that was made before. Two motions that
 * take turns share their history up to the point where they parted. */
#include <string.h>

#include "runtime/ballistic/workspace.h"

/* history of `from` into `to`: what both have had in common since one was
 * copied from the other need not be copied again */
static void
copy_ring(struct ballistic *to, const struct ballistic *from)
{
    struct ballistic_workspace *work = to->work, *from_work = from->work;
    unsigned long same = 0, n = from_work->history.n;
    if (work->history.twin == from &&
        work->history.twin_stamp == from_work->history.stamp)
        same = work->history.shared;
    else if (from_work->history.twin == to &&
             from_work->history.twin_stamp == work->history.stamp)
        same = from_work->history.shared;
    if (same > n)
        same = n;
    if (n - same >= HISTORY_KEPT)
        memcpy(work->history.entry, from_work->history.entry,
               sizeof work->history.entry);
    /* the one before may have been written over in `to` */
    for (unsigned long i = same ? same - 1 : 0;
         n - same < HISTORY_KEPT && i < n; i++)
        work->history.entry[i % HISTORY_KEPT] =
            from_work->history.entry[i % HISTORY_KEPT];
    work->history.n = n;
    work->history.stamp++;
    work->history.twin = from;
    work->history.twin_stamp = from_work->history.stamp;
    work->history.shared = n;
}

void
ballistic_copy_motion(struct ballistic *to, const struct ballistic *from)
{
    struct ballistic_workspace *work = to->work, *from_work = from->work;
    memcpy(to->block, from->block, from_work->block_bytes);
    memcpy(work->rate_terms, from_work->rate_terms,
           (size_t)from->model.m * sizeof *work->rate_terms);
    work->saved_start.version = 0;
    work->batch_run = NULL;
    work->flight.last = from_work->flight.last;
    work->flight.gap_carried = from_work->flight.gap_carried;
    to->model = from->model;
    to->matrices = from->matrices;
    to->length_exponent = from->length_exponent;
    to->rate_exponent = from->rate_exponent;
    to->t = from->t;
    to->t_lo = from->t_lo;
    to->t_start = from->t_start;
    to->mode.n_persistent = from->mode.n_persistent;
    to->event.contact = from->event.contact;
    to->impacts = from->impacts;
    work->units.time = from_work->units.time;
    work->units.rate = from_work->units.rate;
    work->units.acc = from_work->units.acc;
    work->units.low_rate = from_work->units.low_rate;
    work->flight.unaccelerated = from_work->flight.unaccelerated;
    work->flight.coasts = from_work->flight.coasts;
}

void
ballistic_copy(struct ballistic *to, const struct ballistic *from)
{
    struct ballistic_workspace *work = to->work, *from_work = from->work;
    ballistic_copy_motion(to, from);
    copy_ring(to, from);
    impact_history_copy(to, from);
    to->policy = from->policy;
    to->rough_rates = from->rough_rates;
    to->event.limit = from->event.limit;
    work->history.first = from_work->history.first;
    work->history.last_limit = from_work->history.last_limit;
    work->flight.standing = from_work->flight.standing;
    work->history.next_look = from_work->history.next_look;
    work->history.in_a_row = from_work->history.in_a_row;
    work->history.next_map = from_work->history.next_map;
    work->limits.resolve = from_work->limits.resolve;
    work->limits.accepted_error = from_work->limits.accepted_error;
    work->limits.doubt = from_work->limits.doubt;
    work->limits.skip_rates = from_work->limits.skip_rates;
    work->limits.verdict_only = from_work->limits.verdict_only;
}
