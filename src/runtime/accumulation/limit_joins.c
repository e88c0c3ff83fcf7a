/* SPDX-License-Identifier: MIT */
/* See limit_joins.h. */
#include "runtime/accumulation/limit_joins.h"

#include <assert.h>
#include <math.h>

/* Impacts are noted until so many questions have come: what comes before the
 * limit now may keep it from being taken, and be known with the next one. */
#define JOINS_QUESTIONS 2

/* The point as it is followed. */
static int
place_of(const struct limit_joins *joins, int point)
{
    return joins->group ? joins->group[point] : point;
}

/* A point has this gap and rate where the point `hit` comes down. */
static void
note(struct limit_joins *joins, int hit, int point, double gap, double rate)
{
    const double *closed =
        joins->of[hit] == joins->of[point] ? joins->band : joins->near;
    if (joins->part[hit] == joins->part[point] && !joins->low[hit] &&
        gap > 0.0 && gap <= closed[point]) {
        double early = gap / fabs(rate);
        joins->early[point] = fmax(joins->early[point], early);
        joins->most = fmax(joins->most, early);
    }
}

/* The point has been hit, and all others have been noted. */
static void
end(struct limit_joins *joins, int hit)
{
    joins->asked += joins->asks[hit];
    if (!joins->begun || (joins->asks[hit] && joins->asked == 1))
        joins->first = joins->most;
    joins->begun = true;
    joins->ended = joins->asked == JOINS_QUESTIONS;
}

void
limit_joins_begin(struct limit_joins *joins, const int *group)
{
    for (int i = 0; joins && i < joins->n; i++)
        joins->early[i] = 0.0;
    if (joins)
        *joins = (struct limit_joins){.n = joins->n,
                                      .of = joins->of,
                                      .part = joins->part,
                                      .band = joins->band,
                                      .near = joins->near,
                                      .low = joins->low,
                                      .asks = joins->asks,
                                      .group = group,
                                      .early = joins->early};
}

void
limit_joins_note(struct limit_joins *joins, int hit, const double *gap,
                 double scale, const double *rate, const bool *held)
{
    assert(!joins || joins->group == NULL);
    if (!joins || joins->ended)
        return;
    for (int i = 0; i < joins->n; i++)
        if (i != hit && !held[i])
            note(joins, hit, i, gap[i] / scale, rate[2 * i]);
    end(joins, hit);
}

void
limit_joins_event(struct limit_joins *joins, const struct ballistic *line,
                  enum ballistic_event what)
{
    assert(line != NULL);
    bool one = what == BALLISTIC_IMPACT;
    if (!joins || joins->ended || !(one || what == BALLISTIC_SEVERAL))
        return;
    for (int hit = 0; hit < joins->n; hit++) {
        int down = place_of(joins, hit);
        if (one ? down != line->event.contact : !line->event.together[down])
            continue;
        for (int i = 0; i < joins->n; i++) {
            int at = place_of(joins, i);
            if (!line->mode.persistent[at] &&
                !(one ? at == down : line->event.together[at]))
                note(joins, hit, i, ballistic_gap(line, at),
                     ballistic_rate(line, at, NULL));
        }
        end(joins, hit);
    }
}

double
limit_joins_lost(const struct limit_joins *joins, const bool *of)
{
    assert(joins != NULL);
    double most = joins->ended ? joins->most : joins->first, part = 0.0;
    for (int i = 0; i < joins->n && of; i++)
        part = of[i] ? fmax(part, joins->early[i]) : part;
    return of ? fmin(part, most) : most;
}
