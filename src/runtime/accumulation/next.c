/* SPDX-License-Identifier: MIT */
/* The motion from event to event, limits of accumulations included; and what
 * is asked of these limits. */
#include "runtime/accumulation/accumulation.h"

#include "runtime/accumulation/accumulation_priv.h"

void
accumulation_resolve(struct ballistic *l, long least)
{
    l->w->least = least;
    l->w->look = l->w->n_ring ? 0 : impact_history_first_look(l->w);
}

void
accumulation_skip_rates(struct ballistic *l, bool brief)
{
    l->w->brief = brief;
}

void
accumulation_verdict_only(struct ballistic *l, bool alone)
{
    l->w->verdict = alone;
}

void
accumulation_doubt(struct ballistic *l, long least)
{
    l->w->doubt = least;
}

void
accumulation_accept_error(struct ballistic *l, double error)
{
    l->w->accept = error;
}

enum ballistic_event
accumulation_run(struct ballistic *l, double until, long most)
{
    struct ballistic_workspace *w = l->w;
    if (w->n_ring >= w->look && accumulation_take(l, until)) {
        w->coasts = w->ends = false;
        return BALLISTIC_ACCUMULATION;
    }
    return ballistic_run(l, until, most);
}

enum ballistic_event
accumulation_next(struct ballistic *l, double until)
{
    return accumulation_run(l, until, 1);
}
