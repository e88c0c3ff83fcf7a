/* SPDX-License-Identifier: MIT */
/* See run.h. The Zeno limits of a run are taken by accumulation_run
 * (runtime/accumulation); this file goes on from event to event until the
 * verdict is known. */
#include "analysis/chatter/run.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/accumulation/accumulation.h"

/* Rates are sums of as many products as there are coordinates: less than this
 * share of the greatest rate, in rounding errors, counts as none. */
#define REST_NOISE 64.0

/* After a thousand impacts rates are 2^-900 and less of the first ones. Put
 * back into true units by the last flight they would be 0: that is no rest. */
#define FINISH_EXPONENT -900

/* Impacts that repeat no order are believed never to end after this share of
 * those that are allowed. */
#define DOUBT_SHARE 16

/* Flights that grow for ever reach times of 2^900 s (1e270 s). Rates of gaps of
 * any size that occurs are then no numbers any more. */
#define TIME_EXPONENT 900

/* So many impacts are resolved between two looks at the stop flag. */
#define AT_ONCE 65536L

/* From here on a run whose impacts are noted is followed one by one, so that it
 * ends at the first one beyond TIME_EXPONENT. */
static const double own_times = 0x1p450;

static const char no_limit[] = "no infinite sequence of impacts";

/* Has no gap a rate, beyond rounding? `on`: the contacts that are closed, whose
 * gaps do not count; NULL: none is. */
static bool
still(const struct ballistic *ballistic, const bool *on, const double *rate,
      const double *z)
{
    double big = 0.0;
    for (int j = 0; j < ballistic->matrices.rank; j++)
        big = fmax(big, fabs(z[j]));
    for (int i = 0; i < ballistic->model.m; i++) {
        double size = ballistic->matrices.direct
                          ? big
                          : big * ballistic->matrices.root[i];
        if (!(on && on[i]) && fabs(rate[i]) > REST_NOISE * DBL_EPSILON * size)
            return false;
    }
    return true;
}
static bool
at_rest(const struct ballistic *ballistic)
{
    return still(ballistic, ballistic->mode.persistent, ballistic->rate,
                 ballistic->z);
}

bool
chatter_accelerates(const struct ballistic *ballistic)
{
    for (int i = 0; i < ballistic->model.m; i++) {
        double s = 0.0, size = 0.0;
        if (ballistic->matrices.gap_acc[i] == 0.0)
            continue;
        for (int j = 0; j < ballistic->model.n; j++) {
            double d = ballistic->model.N[i * ballistic->model.n + j] *
                       ballistic->model.acc[j];
            s += d;
            size += fabs(d);
        }
        if (fabs(s) > REST_NOISE * DBL_EPSILON * size)
            return true;
    }
    return false;
}

/* Do contacts seem to close together only because their rates have fallen below
 * those of the others by 2^FINISH_EXPONENT? That is no simultaneous impact.
 * `resolved`: the impact has been resolved, and the rates before it follow from
 * its impulses. */
static bool
below(const struct ballistic *ballistic, bool resolved)
{
    double big = 0.0;
    int some = 0, hits = 0;
    for (int j = 0; j < ballistic->matrices.rank; j++)
        big = fmax(big, fabs(ballistic->z[j]));
    for (int i = 0; i < ballistic->model.m; i++) {
        if (!ballistic->event.together[i] ||
            (ballistic->mode.persistent[i] && !resolved))
            continue;
        double u = resolved ? ldexp(ballistic->event.impulse[i] *
                                        ballistic->matrices.root[i],
                                    -ballistic->rate_exponent)
                            : ballistic->rate[i];
        hits++;
        some += fabs(u) < ldexp(big, FINISH_EXPONENT);
    }
    return resolved ? hits && some == hits : some > 0;
}

/* Gives the verdict where nothing follows. ev: the exponent of the rates before
 * the last event. */
static void
finish(struct chatter_run *outcome, const struct ballistic *ballistic,
       enum ballistic_event what, int ev)
{
    bool lost = what == BALLISTIC_FREE && ev < FINISH_EXPONENT &&
                ballistic->mode.n_persistent == 0;
    if (what == BALLISTIC_JAMMED)
        outcome->verdict = CHATTER_JAMMED;
    else if (what == BALLISTIC_UNDECIDED && below(ballistic, false))
        outcome->verdict = CHATTER_BELOW;
    else if (what == BALLISTIC_UNDECIDED)
        outcome->verdict = CHATTER_SIMULTANEOUS;
    else if (!lost && at_rest(ballistic) && ballistic->impacts)
        outcome->verdict = CHATTER_COMPLETE;
    else
        outcome->verdict =
            outcome->limit ? CHATTER_PARTIAL : CHATTER_INCOMPLETE;
}

bool
chatter_batch_verdict(const struct ballistic *ballistic, int k,
                      struct chatter_run *outcome)
{
    assert(k >= 0 && outcome != NULL);
    double time;
    const double *rate, *z;
    long n = ballistic_batch_end(ballistic, k, &time, &rate, &z);
    if (n == 0 || ballistic->rate_exponent < FINISH_EXPONENT ||
        still(ballistic, NULL, rate, z))
        return false;
    *outcome = (struct chatter_run){.verdict = CHATTER_INCOMPLETE,
                                    .m = ballistic->model.m,
                                    .impacts = n,
                                    .time = time,
                                    .last_impact = time,
                                    .no_exponent = no_limit};
    return true;
}

/* a run on its way to the verdict */
struct following {
    struct ballistic *ballistic;
    struct chatter_run *outcome;
    struct chatter_trace *trace; /* NULL: the history is not wanted */
    double until;
    bool gravity; /* some gap accelerates */
    bool partial; /* a partial limit was taken: only what comes next counts */
};

/* Decides what comes after a partial limit. */
static void
after_partial(struct following *following, enum ballistic_event what, bool ends)
{
    struct chatter_run *outcome = following->outcome;
    outcome->after = what == BALLISTIC_FREE ? CHATTER_FREE
                     : ends                 ? CHATTER_TOGETHER
                                            : CHATTER_CLOSES;
    outcome->after_time = following->ballistic->t;
    outcome->after_contact = following->ballistic->event.contact;
    outcome->verdict = CHATTER_PARTIAL;
}

/* Notes that impacts accumulate at one time. */
static void
limit(struct following *following)
{
    const struct ballistic *ballistic = following->ballistic;
    struct chatter_run *outcome = following->outcome;
    outcome->limit = true;
    outcome->time = ballistic->t;
    outcome->accumulation = ballistic->event.limit;
    memcpy(outcome->group, ballistic->event.group, (size_t)ballistic->model.m);
    if (following->trace)
        chatter_trace_limit(following->trace, outcome, following->gravity);
    outcome->limit_unproven =
        !following->gravity &&
        ballistic->event.limit.evidence == LIMIT_BELOW_ROUNDING;
    /* without acceleration nothing comes to rest later */
    following->partial = !following->gravity && !at_rest(ballistic);
}

/* Takes the event into account. True: the verdict is known. ev: exponent of the
 * rates before the event. */
static bool
decided_by(struct following *following, enum ballistic_event what, int ev)
{
    const struct ballistic *ballistic = following->ballistic;
    struct chatter_run *outcome = following->outcome;
    bool ends = what == BALLISTIC_FREE || what == BALLISTIC_UNDECIDED ||
                what == BALLISTIC_JAMMED;
    if (!following->partial && !(ballistic->t < ldexp(1.0, TIME_EXPONENT))) {
        outcome->verdict = CHATTER_MOVING;
        outcome->after_time = INFINITY;
        return true;
    }
    if (what == BALLISTIC_END) {
        outcome->verdict =
            following->partial ? CHATTER_PARTIAL : CHATTER_MOVING;
        outcome->after = following->partial ? CHATTER_LASTS : CHATTER_NOTHING;
        outcome->after_time = following->until;
        return true;
    }
    if (following->partial) {
        after_partial(following, what, ends);
        return true;
    }
    if (ends) {
        finish(outcome, ballistic, what, ev);
        if (outcome->verdict == CHATTER_SIMULTANEOUS) {
            outcome->time = ballistic->t;
            memcpy(outcome->group, ballistic->event.together,
                   (size_t)ballistic->model.m);
        }
        return true;
    }
    if (what == BALLISTIC_SEVERAL && !following->gravity &&
        below(ballistic, true)) {
        outcome->verdict = CHATTER_BELOW;
        return true;
    }
    if (what == BALLISTIC_ACCUMULATION) {
        limit(following);
        return false;
    }
    if (following->trace)
        chatter_trace_ballistic(following->trace, outcome, ballistic);
    outcome->impacts = ballistic->impacts;
    outcome->last_impact = outcome->time = ballistic->t;
    return false;
}

static void
follow(struct following *following, struct arena *arena, long least, long most)
{
    struct ballistic *ballistic = following->ballistic;
    struct chatter_run *outcome = following->outcome;
    int contacts = ballistic->model.m;
    accumulation_resolve(ballistic, least);
    accumulation_doubt(ballistic, most / DOUBT_SHARE);
    ballistic->rough_rates = !following->trace;
    ballistic->each_told = following->trace != NULL;
    *outcome = (struct chatter_run){.verdict = CHATTER_ENDLESS,
                                    .time = ballistic->t,
                                    .m = contacts,
                                    .last_impact = NAN,
                                    .no_exponent = no_limit};
    outcome->group = NEW_N(arena, bool, (size_t)contacts + 1);
    following->gravity = chatter_accelerates(ballistic);
    while (ballistic->impacts < most) {
        if (ballistic->stop &&
            atomic_load_explicit(ballistic->stop, memory_order_relaxed)) {
            outcome->verdict = CHATTER_STOPPED;
            return;
        }
        if (ballistic->impacts >= most / 2)
            accumulation_accept_error(ballistic, CHATTER_ACCEPT);
        int ev = ballistic->rate_exponent;
        /* no further than where more errors are accepted */
        long left = (ballistic->impacts < most / 2 ? most / 2 : most) -
                    ballistic->impacts,
             at_once = following->trace && ballistic->t > own_times ? 1
                       : left < AT_ONCE                             ? left
                                                                    : AT_ONCE;
        enum ballistic_event what =
            accumulation_run(ballistic, following->until, at_once);
        if (what == BALLISTIC_END &&
            accumulation_next(ballistic, INFINITY) == BALLISTIC_FREE)
            what = BALLISTIC_FREE; /* It is known before that time that no
                                      contact will close. */
        if (decided_by(following, what, ev))
            return;
    }
    if (!impact_history_trend(ballistic, &outcome->trend,
                              &outcome->trend_ratio))
        outcome->trend = -1;
    /* limits were taken on the way, and none of them was the end */
    outcome->limit = false;
    outcome->no_exponent = no_limit;
    memset(outcome->group, 0, (size_t)contacts);
}

void
chatter_follow(struct arena *arena, struct chatter_room *room,
               struct ballistic *ballistic, double until, long least, long most,
               struct chatter_run *outcome)
{
    assert(arena && ballistic && outcome && !isnan(until));
    struct following following = {.ballistic = ballistic,
                                  .outcome = outcome,
                                  .trace = chatter_trace_new(arena, room),
                                  .until = until};
    follow(&following, arena, least, most);
    chatter_trace_end(following.trace, outcome);
}

void
chatter_decide(struct arena *arena, struct ballistic *ballistic, double until,
               long least, long most, struct chatter_run *outcome)
{
    assert(arena && ballistic && outcome && !isnan(until));
    struct following following = {
        .ballistic = ballistic, .outcome = outcome, .until = until};
    follow(&following, arena, least, most);
}
