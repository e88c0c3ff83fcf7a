/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See limits.h. An error that is told too small shows nowhere else: the
 * comparison of events allows what limits cannot be known better than. */
#include "limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Of the time itself: what adds it up, step by step. */
static const double ROUNDINGS = 64 * DBL_EPSILON;
/* Gaps of models of the size of 1 at a recorded impact, and how far from it a
 * run begins. */
static const double BEGIN_GAP = 64 * DBL_EPSILON, AT_BEGIN = 1e-6;

/* The earliest limit behind that time; NULL: there is none. */
static const struct limit *
first_limit(const struct result *result, double from)
{
    const struct limit *first = NULL;
    for (int i = 0; i < result->limits; i++)
        if (result->limit[i].time > from &&
            (!first || result->limit[i].time < first->time))
            first = &result->limit[i];
    return first;
}

/* Did the contact come to rest, slip or part before that time, so that the
 * limit is one of another corner, or of another bounce? */
static bool
is_plain(const struct result *result, const struct limit *limit)
{
    for (int i = 0; i < result->events; i++) {
        const struct event *event = &result->event[i];
        if (event->time < limit->time && strcmp(event->kind, "impact") != 0 &&
            (event->contact == limit->contact || event->contact < 0))
            return false;
    }
    return true;
}

/* A run that begins at an impact does so with a gap of some roundings, which is
 * that over the speed in time; no growth of an earlier start tells of it. */
static double
begin_blur(const struct comparison *comparison)
{
    const struct result *result = comparison->result_a;
    double least = INFINITY;
    for (int i = 0; i < result->events && comparison->frame.start > 0; i++) {
        const struct event *event = &result->event[i];
        if (!strcmp(event->kind, "impact") &&
            fabs(event->time - comparison->frame.start) <= AT_BEGIN)
            least = fmin(least, fabs(event->impulse));
    }
    return BEGIN_GAP / least;
}

void
compare_limits(const struct comparison *comparison, double to,
               const struct growth *growth, struct finding *finding)
{
    const struct frame *frame = &comparison->frame;
    const struct limit *a = first_limit(comparison->result_a, comparison->from);
    const struct limit *b = first_limit(comparison->result_b, -INFINITY);
    if (!a || !b || frame->guests || a->contact != b->contact ||
        a->contact < 0 || !is_plain(comparison->result_a, a) ||
        !is_plain(comparison->result_b, b))
        return;
    double time = frame_undo_time(frame, b->time);
    double told =
        a->error + a->before + (b->error + b->before) / fabs(frame->time);
    double within = told + 2 * growth_moment(growth, fmax(a->time, time)) +
                    ROUNDINGS * (1 + fabs(a->time)) + begin_blur(comparison);
    if (fmax(a->time, time) > to || !isfinite(told) ||
        fabs(a->time - time) <= within)
        return;
    finding_place(finding,
                  (struct difference){.told = true,
                                      .at = fmax(a->time, time),
                                      .moment = fabs(a->time - time),
                                      .contact = {a->contact, a->contact}});
    finding_set(
        finding, "limit error",
        "the first limit, of %s, is told to be at %.17g, with an error "
        "of %.3g, in the other run at %.17g, with %.3g: they differ by "
        "%.3g (growth %.1g)",
        comparison->model->contact[a->contact].name, a->time,
        a->error + a->before, time, (b->error + b->before) / fabs(frame->time),
        fabs(a->time - time), growth_moment(growth, fmax(a->time, time)));
}
