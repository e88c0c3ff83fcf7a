/* SPDX-License-Identifier: MIT */
/* What rounding makes of a limit whose impacts come in no order: the same
 * forecast once more, from gaps that are moved. Where it leads elsewhere, the
 * limit is known no better. */
#include "runtime/collapse/forecast_rounded.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"

/* Gaps are moved by so many of their roundings to either side, and what that
 * moves the limit by counts so many times. */
#define MOVED_ROUNDINGS 2.0
#define MOVED_COUNTS 2.0
/* Where the state behind a limit is another one, gaps are moved by less, too.
 */
#define MOVED_LESS 0.25
/* If that moves the state by more than this share of what the greater way does,
 * impacts in no order have made all that they can of any rounding: it is a
 * sample, which counts twice as often. */
#define MOVED_SAMPLE 0.5

/* when (s, from now) a point comes to rest; NAN: it does not */
static double
ends(const struct forecast_limit *limit, int i)
{
    return !limit->found             ? NAN
           : limit->earlier[i] > 0.0 ? limit->earlier[i]
           : limit->group[i]         ? limit->remaining
                                     : NAN;
}

/* Moves each point by `side` times so many roundings of its gap: flying ones,
 * and those that have been hit by what this makes of their speed. Points that
 * count as one are moved alike. */
static void
move_points(const struct forecast_question *ask, const int *as_one, int side,
            double roundings, struct contact_point_state *point)
{
    memcpy(point, ask->p, sizeof *point * (size_t)ask->n);
    for (int i = 0; i < ask->n; i++) {
        double rate = fabs(point[i].rate),
               to = as_one[i] % 2 == 0 ? side : -side,
               off = roundings * DBL_EPSILON * ask->place[i] * to;
        if (point[i].gap != 0.0)
            point[i].gap = fmax(point[i].gap + off, 0.5 * point[i].gap);
        else if (rate > 0.0 && fabs(off * point[i].free) < rate * rate)
            point[i].rate += off * point[i].free / rate;
    }
}

/* The greatest rate at the points by which two forecasts differ (m/s). */
static double
apart(const struct friction_forecast *one,
      const struct friction_forecast *other, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fmax(fabs(one->slip[i] - other->slip[i]),
                               fabs(one->normal[i] - other->normal[i])));
    return most;
}

/* A limit that is foreseen again from other gaps. */
struct moved {
    struct rt *run;
    struct forecast_question ask;
    struct forecast_memory *lines;
    const struct forecast_limit *limit;
    const struct friction_forecast *slid;
    const int *as_one;
    double rates; /* the greatest by which its end differs (m/s) */
};

/* Returns by how much (s) its points come to rest at another time. */
static double
foresee(struct moved *moved)
{
    int n = moved->ask.n;
    struct forecast_limit all = forecast_limit_room(moved->run, n),
                          some = forecast_limit_room(moved->run, n);
    struct friction_forecast slid;
    double most = 0.0;
    if (moved->slid ? !friction_forecast(moved->run, &moved->ask,
                                         moved->ask.spot, &all, &slid)
                    : !accumulation_forecast(moved->run, moved->lines,
                                             &moved->ask, &all, &some))
        return 0.0;
    for (int i = 0; i < n; i++) {
        double end = ends(moved->limit, i), off = fabs(ends(&all, i) - end);
        most = fmax(most, fmin(off, fabs(ends(&some, i) - end)));
    }
    if (moved->slid)
        moved->rates = fmax(moved->rates, apart(moved->slid, &slid, n));
    return most;
}

/* The same where all gaps are moved to either side. */
static double
foresee_both(struct moved *moved, const struct forecast_question *question,
             double roundings)
{
    struct contact_point_state *point =
        NEW_N(moved->run->brief, struct contact_point_state, question->n);
    double most = 0.0;
    moved->ask.p = point;
    for (int side = -1; side < 2; side += 2) {
        if (moved->slid) /* the choices of one way lead no other */
            moved->ask.memory = friction_memory_new(moved->run->brief);
        move_points(question, moved->as_one, side, roundings, point);
        most = fmax(most, foresee(moved));
    }
    return most;
}

double
forecast_rounded(struct rt *run, const struct forecast_question *question,
                 struct forecast_memory *lines,
                 const struct forecast_limit *limit,
                 const struct friction_forecast *slid, double blur,
                 double least, double *rates)
{
    assert(run && question->n > 0 && limit->found && rates);
    int n = question->n,
        several = limit->chatter.evidence == LIMIT_BY_MAP ? -n : 0;
    double far = fmin(limit->remaining / question->window, 1.0),
           roundings = MOVED_ROUNDINGS + blur * far * far * far;
    int *as_one = NEW_N(run->brief, int, n);
    for (int i = 0; i < n; i++) {
        several += !isnan(ends(limit, i));
        as_one[i] = i;
    }
    *rates = 0.0;
    if (several <= 1)
        return 0.0;
    if (!slid)
        forecast_groups(run, question, as_one);
    struct moved moved = {.run = run,
                          .ask = *question,
                          .lines = lines,
                          .limit = limit,
                          .slid = slid,
                          .as_one = as_one};
    moved.ask.joins = NULL;
    double most = foresee_both(&moved, question, roundings),
           most_rates = moved.rates;
    if (most_rates > least) {
        moved.rates = 0.0;
        foresee_both(&moved, question, MOVED_LESS * roundings);
        most_rates = (moved.rates > MOVED_SAMPLE * most_rates ? 2.0 : 1.0) *
                     fmax(most_rates, moved.rates);
    }
    *rates = MOVED_COUNTS * most_rates;
    return fmin(MOVED_COUNTS * most, limit->remaining);
}
