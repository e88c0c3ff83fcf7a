/* SPDX-License-Identifier: MIT */
/* See limit_series.h.
 *
 * Near the limit of the limits the motion looks the same at every scale but for
 * terms that vanish with the time that is left, so the times go like
 *     t_k = t - c_1 q^k - c_2 q^2k - ...
 * Three of them tell t and q (Aitken), off by the second term; two such
 * predictions, by the square of q, take that out (Richardson). The next one
 * shows how much is left. Gaps of ever lower flights are rounded to a larger
 * share of their height, so later limits tell less: the prediction with the
 * least error is kept, and what contradicts it counts as its error. */
#include "runtime/accumulation/limit_series.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* limits in a period are looked for up to this number */
#define SERIES_PERIODS 4
/* periods that a prediction is made of */
#define SERIES_USED 4
/* the time of a limit is known to so many of its roundings */
#define SERIES_ROUNDING 8.0
/* Where contacts were hit too early by more than this share of what is left,
 * limits say nothing of the order in which those that follow come. */
#define SERIES_HIDDEN 0x1p-10
/* Limits come no more slowly than this many times as slowly as the mean of the
 * last periods tells. */
#define SERIES_LONGER 4.0
/* The change from one prediction to the next, times this, bounds the error. */
#define SERIES_SURE 2.0

/* How many limits come before the contacts repeat? Bodies may rock on two
 * corners of one contact: a period is even. 0: they do not repeat. */
static int
period_of(const struct limit_series *series)
{
    for (int period = 2; period <= SERIES_PERIODS; period += 2) {
        bool same = series->n > SERIES_USED * period;
        for (int i = 0; same && i <= (SERIES_USED - 1) * period; i++)
            same = series->who[i] == series->who[i + period];
        if (same)
            return period;
    }
    return 0;
}

/* Aitken's prediction from three times a period apart, newest first. */
static double
aitken(const double *t, int period, double *ratio)
{
    double last = t[0] - t[period], before = t[period] - t[2 * period];
    *ratio = last / before;
    return t[0] + last * *ratio / (1.0 - *ratio);
}

/* Predicts the limit from times that shrink. False: they do not. */
static bool
predict(const struct limit_series *series, int period, struct limit_series *out)
{
    double first[3], ratio[3], second[2];
    for (int k = 0; k < 3; k++) {
        first[k] = aitken(series->time + k * period, period, &ratio[k]);
        if (!(ratio[k] > 0.0 && ratio[k] < 1.0))
            return false;
    }
    for (int k = 0; k < 2; k++) {
        double q = ratio[k] * ratio[k];
        second[k] = first[k] + (first[k] - first[k + 1]) * q / (1.0 - q);
    }
    out->meet = second[0];
    /* twice the same rounded times would agree without being right */
    out->error = SERIES_SURE * fabs(second[0] - second[1]) +
                 SERIES_ROUNDING *
                     (DBL_EPSILON * fabs(series->time[0]) + series->blur[0]) /
                     ((1.0 - ratio[0]) * (1.0 - ratio[0]));
    out->ratio = ratio[0];
    out->ratio_error = SERIES_SURE * fabs(ratio[0] - ratio[1]);
    return out->meet > series->time[0];
}

void
limit_series_add(struct limit_series *series, double time, double blur,
                 double early, uint32_t who)
{
    assert(series != NULL);
    double left = series->meet - time;
    series->hidden |= series->known && limit_series_has(series, who) &&
                      left > 0.0 && early > SERIES_HIDDEN * left;
    if (series->hidden && series->known && left > -series->error)
        return;
    series->hidden = false;
    memmove(series->time + 1, series->time,
            (LIMIT_SERIES_KEPT - 1) * sizeof *series->time);
    memmove(series->who + 1, series->who,
            (LIMIT_SERIES_KEPT - 1) * sizeof *series->who);
    memmove(series->blur + 1, series->blur,
            (LIMIT_SERIES_KEPT - 1) * sizeof *series->blur);
    series->time[0] = time;
    series->blur[0] = blur;
    series->who[0] = who;
    series->n += series->n < LIMIT_SERIES_KEPT;
    struct limit_series now = {0};
    int period = period_of(series);
    bool found = period > 0 && predict(series, period, &now);
    /* A prediction whose time has passed was one of another motion. */
    series->known =
        series->known && period > 0 && series->meet > time - series->error;
    if (!found)
        return;
    double apart = series->known ? fabs(now.meet - series->meet) : 0.0;
    bool same = apart <= now.error + series->error;
    if (series->known && series->error <= now.error) {
        series->error = same ? series->error : apart;
        return;
    }
    series->known = true;
    series->meet = now.meet;
    series->error = same ? now.error : apart;
    series->ratio = now.ratio;
    series->ratio_error = now.ratio_error;
    series->period = period;
}

bool
limit_series_has(const struct limit_series *series, uint32_t who)
{
    assert(series != NULL);
    for (int i = 0; i < series->n && i < 2 * series->period; i++)
        if (series->who[i] == who)
            return true;
    return false;
}

double
limit_series_longest(const struct limit_series *series)
{
    assert(series != NULL);
    double most = series->n > series->period ? 0.0 : INFINITY;
    for (int i = 0; i < series->period && i + 1 < series->n; i++)
        most = fmax(most, series->time[i] - series->time[i + 1]);
    return most;
}

double
limit_series_turns(const struct limit_series *series)
{
    assert(series != NULL);
    int period = period_of(series);
    return period > 0 ? series->time[0] - series->time[2 * period] : 0.0;
}

double
limit_series_left(const struct limit_series *series)
{
    assert(series != NULL);
    int period = period_of(series);
    const double *t = series->time;
    if (period == 0)
        return 0.0;
    double last = t[0] - t[period], before = t[period] - t[2 * period],
           first = t[2 * period] - t[3 * period], ratio = last / before,
           change = fabs(ratio - before / first);
    ratio = fmax(ratio, before / first) + change;
    /* Where the last periods are alike to their blur, all that repeat tell
     * more. Where they grow, a blow has set limits apart, and they begin anew.
     */
    double longest = t[(SERIES_USED - 1) * period] - t[SERIES_USED * period],
           all = pow(last / longest, 1.0 / (SERIES_USED - 1)),
           left = ratio < 1.0 ? last * ratio / (1.0 - ratio)
                              : fmin(last, SERIES_LONGER * (t[0] - t[1]));
    if (ratio < 1.0 && all < 1.0)
        left = fmin(left, SERIES_LONGER * last * all / (1.0 - all));
    if (series->known)
        left = fmin(left, series->meet + series->error - t[0]);
    return fmax(left, 0.0);
}
