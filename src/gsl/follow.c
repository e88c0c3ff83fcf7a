/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From step to step: the length of steps by their error, and the end of the
 * motion at the first event. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "gsl/engine.h"

/* Steps change by the root of order 9 of their error, with a margin, and within
 * these bounds. */
#define STEP_MARGIN 0.9
#define STEP_GROWS 5.0
#define STEP_SHRINKS 0.2
/* the shortest step, as a share of the time */
#define STEP_LEAST (16.0 * DBL_EPSILON)
/* So many steps that lead no further than this share of the longest one are
 * stuck: rates jump there to and fro. */
#define CRAWL_STEPS 5000
#define CRAWL_SHARE 1e-5

/* Returns the longest step from here: the motion states one, and no angle may
 * change in a step by more than its `turn`. */
static double
longest(const struct gsl_engine *engine)
{
    const struct gsl_motion *motion = engine->motion;
    double h = motion->longest;
    for (size_t i = 0; i < engine->n; i++)
        if (fabs(engine->step.f0[i]) * h > motion->number[i].turn)
            h = motion->number[i].turn / fabs(engine->step.f0[i]);
    return h;
}

static double
factor(double error)
{
    double f = error > 0.0 ? STEP_MARGIN * pow(error, -1.0 / 9.0) : STEP_GROWS;
    return fmin(STEP_GROWS, fmax(STEP_SHRINKS, f));
}

/* One step from y at t, as long as its error allows, and the event within it.
 * *reached: how far the motion goes on; *whole: that is the whole step. */
static int
one_step(struct gsl_engine *engine, double t, const double *y, double most,
         struct gsl_event *event, double *reached, bool *whole)
{
    const struct gsl_motion *motion = engine->motion;
    struct step *step = &engine->step;
    double least = STEP_LEAST * fmax(fabs(t), motion->longest);
    memcpy(step->y0, y, engine->n * sizeof *y);
    step->t0 = t;
    int st = motion->rates(motion->ctx, t, y, step->f0);
    if (st)
        return st;
    double h = fmin(most, longest(engine));
    if (engine->length > 0.0)
        h = fmin(h, engine->length);
    for (;;) {
        step->h = h;
        st = step_to(engine, h, step->y1, step->f1, step->error);
        double error = st ? INFINITY : step_error(engine);
        memcpy(engine->above, engine->above_before,
               engine->n_watch * sizeof *engine->above);
        if (!st && error <= 1.0)
            st = look_along(engine, event, reached);
        if (!st && error <= 1.0) {
            /* The error of a step that was cut short does not tell how long the
             * next one may be. */
            if (h < most || engine->length == 0.0)
                engine->length = h * factor(error);
            *whole = event->found == GSL_NOTHING;
            if (*whole)
                *reached = h;
            return 0;
        }
        /* the tolerance is missed, or the motion cannot be followed so far:
         * what lies behind an event may be beyond the model */
        if (h <= least) {
            *event = (struct gsl_event){GSL_STUCK, 0};
            *reached = 0.0;
            *whole = false;
            return st;
        }
        h *= st ? 0.25 : fmin(factor(error), 0.9);
        engine->length = h;
    }
}

/* before the first step: which functions are above zero, and sizes */
static int
begin(struct gsl_engine *engine, const struct gsl_motion *motion, double t,
      const double *y)
{
    struct node *node = &engine->node[0];
    engine->motion = motion;
    if (motion->first > 0.0)
        engine->length = engine->length > 0.0
                             ? fmin(engine->length, motion->first)
                             : motion->first;
    step_sizes(engine, y);
    gsl_odeiv2_step_reset(engine->rk);
    if (motion->n_watch == 0)
        return 0;
    int st = motion->look(motion->ctx, t, y, node->value, node->rate);
    for (size_t i = 0; i < motion->n_watch && !st; i++) {
        motion->watch[i].above |= node->value[i] > motion->watch[i].touch;
        engine->above_before[i] = motion->watch[i].above;
    }
    return st;
}

int
follow(struct gsl_engine *engine, const struct gsl_motion *motion, double *t,
       double *y, double until, struct gsl_event *event)
{
    assert(engine && motion && t && y && event);
    assert(motion->n == engine->n && motion->n_watch <= engine->n_watch);
    double mark = *t;
    int steps = 0, st = begin(engine, motion, *t, y);
    *event = (struct gsl_event){GSL_NOTHING, 0};
    while (!st && event->found == GSL_NOTHING && *t < until) {
        double s = 0.0;
        bool whole;
        if ((st = one_step(engine, *t, y, until - *t, event, &s, &whole)) ||
            event->found == GSL_STUCK)
            break;
        double from = *t;
        *t = whole && s >= until - from ? until : fmin(until, from + s);
        if (whole)
            memcpy(y, engine->step.y1, engine->n * sizeof *y);
        else
            st = step_to(engine, s, y, NULL, NULL);
        if (!st)
            st = motion->place(motion->ctx, *t, y);
        step_sizes(engine, y);
        for (size_t i = 0; i < motion->n_watch; i++)
            motion->watch[i].above = engine->above_before[i] = engine->above[i];
        if (++steps < CRAWL_STEPS || event->found != GSL_NOTHING)
            continue;
        if (*t - mark < CRAWL_SHARE * motion->longest)
            *event = (struct gsl_event){GSL_STUCK, 0};
        mark = *t;
        steps = 0;
    }
    return st;
}
