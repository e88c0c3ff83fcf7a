/* SPDX-License-Identifier: MIT */
/* Limits of limits, told from the times of the limits that come before. A body
 * that rocks from corner to corner while each of them bounces to rest has a
 * limit per turn; these come ever faster, and have a limit of their own. */
#ifndef IMP_RUNTIME_ACCUMULATION_LIMIT_SERIES_H
#define IMP_RUNTIME_ACCUMULATION_LIMIT_SERIES_H

#include <stdbool.h>
#include <stdint.h>

/* Five periods of up to four limits. */
#define LIMIT_SERIES_KEPT 17

/* All zero: no limit yet. */
struct limit_series {
    double time[LIMIT_SERIES_KEPT]; /* of the last limits, newest first */
    double blur[LIMIT_SERIES_KEPT]; /* what the rounding of gaps does to them */
    uint32_t who[LIMIT_SERIES_KEPT]; /* the contact that comes to rest there */
    int n;
    bool known;         /* there is a prediction: */
    double meet, error; /* the limit of these limits, and its error, s */
    double ratio;       /* of the times from limit to limit, per period */
    double ratio_error;
    int period;  /* limits in one period */
    bool hidden; /* limits are no longer told from each other: the prediction
                    stands until its time has passed */
};

/* Notes the limit at contact `who`, which comes after those before. blur: the
 * rounding of its gap over the rate of its first impact, and what else is not
 * known of its time, s. early: what is not known of it because contacts were
 * hit before they closed, s. */
void limit_series_add(struct limit_series *series, double time, double blur,
                      double early, uint32_t who);
/* Did this contact come to rest in one of the limits of the last two periods?
 */
bool limit_series_has(const struct limit_series *series, uint32_t who);
/* The longest time (s) between two limits of the last period; INFINITY: there
 * are too few. */
double limit_series_longest(const struct limit_series *series);
/* The time (s) that the last two periods took; 0: they do not repeat. */
double limit_series_turns(const struct limit_series *series);
/* The time (s) from the last limit to the one of all limits, at the most, if
 * they go on to come ever faster as the last ones did; 0: they do not, or are
 * too few. */
double limit_series_left(const struct limit_series *series);

#endif
