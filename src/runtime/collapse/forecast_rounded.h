/* SPDX-License-Identifier: MIT */
/* How well a limit is known whose impacts come in no order. */
#ifndef IMP_RUNTIME_COLLAPSE_FORECAST_ROUNDED_H
#define IMP_RUNTIME_COLLAPSE_FORECAST_ROUNDED_H

#include "runtime/modes/friction_forecast.h"

/* Where points are hit in no order, rounding grows from impact to impact. Asks
 * where a limit leads whose gaps are moved, by two of their roundings and by
 * `blur` of them where the parabola is not the motion, and returns by how much
 * (s) it comes at another time. slid: what leads there, with friction, or NULL.
 * *rates: by how much (m/s) rates at its points differ behind it. Normal
 * impulses come to one sum, but how slips end depends on the order of the
 * impacts. Above `least` (m/s) gaps are moved by less, too: where that makes as
 * much, it is a sample of what any rounding makes. Memory: run->brief. */
double forecast_rounded(struct rt *run,
                        const struct forecast_question *question,
                        struct forecast_memory *lines,
                        const struct forecast_limit *limit,
                        const struct friction_forecast *slid, double blur,
                        double least, double *rates);

#endif
