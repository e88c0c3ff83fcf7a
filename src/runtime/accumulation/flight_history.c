/* SPDX-License-Identifier: MIT */
/* See flight_history.h. */
#include "runtime/accumulation/flight_history.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

/* The ratio of flights is constant to this share of itself. */
#define FLIGHTS_STEADY 0.05

/* Flights shrink no more slowly than this many times as slowly as they have
 * done since they began to. */
#define FLIGHTS_LONGER 4.0

bool
flight_history_add(struct flight_history *flights, double time)
{
    assert(flights != NULL);
    double flight = time - flights->last, early = flights->early_now,
           flown = time - fmax(flights->last, flights->released);
    flights->last = time;
    flights->early_now = 0.0;
    if (flights->impacts++ == 0) {
        flights->n_known = 0;
        flights->flight[0] = flight;
        flights->meet = -INFINITY;
        flights->off = INFINITY;
        flights->far = INFINITY;
        flights->group = flights->some = 0;
        flights->flat = 0.0;
        flights->early = early;
        return false;
    }
    flights->flight[3] = flights->flight[2];
    flights->flight[2] = flights->flight[1];
    flights->flight[1] = flights->flight[0];
    flights->flight[0] = flight;
    int last = flights->n_known < 3 ? flights->n_known : 3;
    bool longest = true; /* of a pattern that repeats, too */
    for (int i = 1; i <= last; i++)
        longest &= flight >= flights->flight[i];
    if (flights->n_known == 0 || flight >= flights->flight[1])
        flights->first = flown;
    if (longest)
        flights->early = early;
    flights->n_known++;
    return true;
}

/* How fast the gap is accelerated towards 0 (m/s^2), as its last flight shows:
 * since the impact with which that began, or since the contact was let go, its
 * rate has fallen to what it is before the impact. Bodies that lie on others
 * come down by their weight though free ones would not, and the impacts of
 * their neighbours have a part in it. The gap itself does not show it: what is
 * held beside it is brought to 0 and moves it. 0: it is not known. */
static double
brought_down(const struct flight_history *flights, const struct gap_left *left)
{
    double since = fmax(flights->last, flights->released), apart = 0.0;
    if (flights->parted >= since) {
        since = flights->parted;
        apart = fmax(flights->apart, 0.0);
    }
    return left->time > since
               ? fmax((apart - left->before) / (left->time - since), 0.0)
               : 0.0;
}

/* What comes at the speed u and is accelerated by a takes t for a gap h, where
 * h = u t + a t^2/2. An overlap was passed at the speed u in the end, begun at
 * rest at the slowest (2 h/u), or begun at any speed with a (sqrt(2 h/a)). */
void
flight_history_note_gap(struct flight_history *flights,
                        const struct gap_left *left)
{
    assert(flights != NULL && left->speed > 0.0 && left->rounding >= 0.0);
    double change = fabs(left->gap - flights->gap), u = left->speed,
           fall = brought_down(flights, left),
           from_rest = fall > 0.0 ? sqrt(2.0 * change / fall) : INFINITY,
           early = left->gap < 0.0
                       ? fmin(2.0 * change / u, from_rest)
                       : 2.0 * change / (u + sqrt(u * u + 2.0 * fall * change));
    flights->early_now = change > left->rounding ? early : 0.0;
    flights->early += flights->early_now;
    flights->gap = left->gap;
    flights->apart = left->after;
    flights->parted = left->time;
}

bool
flight_history_is_geometric(const struct flight_history *flights, double *ratio)
{
    assert(flights != NULL && ratio != NULL);
    if (flights->n_known < 3 || !(flights->flight[0] < flights->flight[1] &&
                                  flights->flight[1] < flights->flight[2]))
        return false;
    *ratio = flights->flight[0] / flights->flight[1];
    return fabs(*ratio - flights->flight[1] / flights->flight[2]) <=
           FLIGHTS_STEADY * *ratio;
}

bool
flight_history_is_steady(const struct flight_history *flights, double *off)
{
    assert(flights != NULL && off != NULL);
    const double *t = flights->flight;
    double ratio;
    if (flights->n_known < 4 || !flight_history_is_geometric(flights, &ratio) ||
        !(t[2] < t[3] && fabs(ratio - t[2] / t[3]) <= FLIGHTS_STEADY * ratio))
        return false;
    *off = 2.0 * FLIGHTS_STEADY * t[0];
    return true;
}

double
flight_history_left(const struct flight_history *flights)
{
    assert(flights != NULL);
    const double *t = flights->flight;
    int known = flights->impacts > 0 ? flights->n_known : 0;
    double ratio = known > 1 ? t[0] / t[1] : 0.0;
    if (known > 2)
        ratio = fmax(ratio, t[1] / t[2]) + fabs(ratio - t[1] / t[2]);
    return known < 1                    ? 0.0
           : ratio > 0.0 && ratio < 1.0 ? t[0] * ratio / (1.0 - ratio)
                                        : t[0];
}

double
flight_history_turns_left(const struct flight_history *flights, double next)
{
    assert(flights != NULL && next >= 0.0);
    const double *t = flights->flight;
    double ratio = flights->impacts > 0 && flights->n_known >= 4
                       ? (t[0] + t[1]) / (t[2] + t[3])
                       : 1.0,
           all = 1.0, last = fmax(t[0], t[1]);
    if (ratio < 1.0 && last < flights->first)
        all = pow(last / flights->first, 2.0 / (flights->n_known - 1));
    /* two pairs of short flights may be alike, which says little */
    double left = ratio < 1.0 ? ratio / (1.0 - ratio) : 0.0;
    if (all < 1.0)
        left = fmin(left, FLIGHTS_LONGER * all / (1.0 - all));
    return fmin(t[0] + t[1], next) * left;
}

/* An impact at the speed u is off by h/u for a gap that is off by h, but by no
 * more than the time that is left then, since the rounding of lower flights
 * decides their order alone. Time goes with u, so the product of both is the
 * same at all. */
double
flight_cut(double left, double speed, double height)
{
    assert(left >= 0.0 && speed > 0.0 && height >= 0.0);
    return speed * left < height ? sqrt(height * left / speed) : 0.0;
}

bool
flight_history_foresees(const struct flight_history *flights)
{
    assert(flights != NULL);
    double rounding = 4.0 * DBL_EPSILON * fabs(flights->meet);
    return flights->group != 0 && flights->meet >= flights->last &&
           flights->off <= rounding && flights->flight[0] > rounding;
}

/* -- when a limit is known ------------------------------------------------- */

/* A limit is accepted at its first prediction when it is nearer than this share
 * of the time for which the parabola is the motion. */
#define LIMIT_SURE 0.125

/* By which share less earlier changes of a prediction count: they fall with the
 * square of the time that is left. */
static double
fallen(const struct flight_history *flights)
{
    double ratio = flights->flight[0] / flights->flight[1];
    return flights->n_known > 1 ? fmin(ratio * ratio, 1.0) : 1.0;
}

/* The greatest of the last changes of a prediction; INFINITY: there was none
 * (`same` is false). What the parabola is not the motion falls with the square
 * of the time that is left, so that earlier changes count as much less; where
 * it is the motion of both predictions (exact), changes are those that rounding
 * makes, which do not fall: flights->change.rounds is the greatest of them.
 * What does not fall so elsewhere is rounding, too, up to `low`: change.kept is
 * the greatest of it. Of the first change that is as much as the impact could
 * round with which the first prediction began. */
static double
noise_of(struct flight_history *flights, bool same, double change,
         double before, bool exact, double low)
{
    double *kept = &flights->change.kept, *rounds = &flights->change.rounds;
    *rounds = fmax(same ? *rounds : 0.0, same && exact ? change : 0.0);
    if (!same || isinf(before)) {
        *kept = same ? fmin(change, flights->change.began) : 0.0;
        flights->change.began = low;
        return same ? change : INFINITY;
    }
    double falls = fallen(flights);
    *kept = fmax(*kept, fmin(fabs(change - falls * before), low));
    return fmax(fmax(change, *rounds), falls * before);
}

/* The change of the prediction is `off`, and was `before` the last time. */
static bool
settled(const struct limit_prediction *limit, double off, double before)
{
    double meet = limit->now + limit->left;
    if (off <= 4.0 * DBL_EPSILON * fabs(meet) ||
        (before <= off && off <= LIMIT_KNOWN_NOISE * limit->noise))
        return true;
    return limit->left <= limit->window &&
           ((isfinite(off) && off >= before) ||
            limit->left <= LIMIT_SURE * limit->window);
}

bool
limit_known_same(const struct flight_history *flights,
                 const struct limit_prediction *limit)
{
    assert(flights != NULL && limit != NULL);
    /* A prediction whose time has passed was one of an earlier limit. */
    return limit->mark == flights->group &&
           flights->meet >= limit->now - LIMIT_KNOWN_NOISE * limit->noise;
}

bool
limit_known_note(struct flight_history *flights,
                 const struct limit_prediction *limit)
{
    assert(flights != NULL && limit->left >= 0.0);
    bool same = limit_known_same(flights, limit);
    double was = flights->meet, before = flights->off;
    flights->meet = limit->now + limit->left;
    flights->group = limit->mark;
    flights->off = same ? fabs(flights->meet - was) : INFINITY;
    bool exact = limit->left <= limit->exact;
    flights->noise = noise_of(flights, same, flights->off, flights->noise,
                              flights->exact && exact, limit->noise);
    flights->exact = exact;
    return settled(limit, flights->off, before);
}

bool
limit_known_still(const struct flight_history *flights,
                  const struct limit_prediction *limit, double *change)
{
    assert(flights != NULL && change != NULL);
    bool same = limit_known_same(flights, limit);
    double off =
        same ? fabs(limit->now + limit->left - flights->meet) : INFINITY;
    *change = !same                      ? INFINITY
              : isfinite(flights->noise) ? fmax(off, flights->noise)
                                         : off;
    return settled(limit, off, same ? flights->off : INFINITY);
}

void
limit_known_note_some(struct flight_history *flights, uint64_t mark, double now,
                      double left)
{
    assert(flights != NULL && left >= 0.0);
    double meet = now + left, change = fabs(meet - flights->some_meet);
    bool same = flights->some == mark && flights->some_meet >= now;
    flights->some_noise =
        !same ? INFINITY
        : isinf(flights->some_noise)
            ? change
            : fmax(change, fallen(flights) * flights->some_noise);
    flights->some_meet = meet;
    flights->some = mark;
}
