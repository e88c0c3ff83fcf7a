/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first event within one step, by values of the watched functions alone
 * and, where they are known, by their rates. The step is cut into pieces until
 * the cubic through values and rates at both ends of a piece foretells the
 * value in its middle; so functions that close and open again within a step are
 * seen. Roots are bracketed and found by Brent's method. A state within the
 * step is one Runge-Kutta step from its beginning, no interpolation. */
#include <assert.h>
#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <string.h>

#include "gsl/engine.h"

/* The pieces of a step that are looked at in any case. */
#define LOOK_PIECES 4
/* A middle value that the cubic misses by less than this share of the values is
 * foretold: within a piece a root is then simple, and a least value is found by
 * the sign of the rates. */
#define LOOK_FORETOLD 0.02
/* rounds of Brent's method: it halves the bracket at least every third time */
#define ROOT_ROUNDS 200

static int
look_at(struct gsl_engine *engine, double s, struct node *node)
{
    const struct gsl_motion *motion = engine->motion;
    node->s = s;
    if (motion->n_watch == 0)
        return 0;
    int st = step_to(engine, s, engine->y, NULL, NULL);
    return st ? st
              : motion->look(motion->ctx, engine->step.t0 + s, engine->y,
                             node->value, node->rate);
}

/* -- roots ----------------------------------------------------------------- */

struct root {
    struct gsl_engine *engine;
    struct node *at; /* where the function was last asked */
    size_t watch;
    bool of_rate;
    double level; /* the value that is looked for */
    int status;
};

static double
root_function(double s, void *params)
{
    struct root *root = params;
    int st = look_at(root->engine, s, root->at);
    if (st) {
        root->status = st;
        return NAN;
    }
    return root->of_rate ? root->at->rate[root->watch]
                         : root->at->value[root->watch] - root->level;
}

/* The zero of a watched function, or of its rate, between two times at which
 * it has different signs. */
static int
root_between(struct root *root, double low, double high, double *zero)
{
    gsl_function function = {.function = root_function, .params = root};
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    double t0 = root->engine->step.t0;
    if (!solver)
        return GSL_ENOMEM;
    int st = gsl_root_fsolver_set(solver, &function, low, high);
    *zero = high;
    if (st == GSL_EINVAL && !root->status) {
        /* asked again, both ends have one sign: their values are rounding, and
         * either end is the zero */
        gsl_root_fsolver_free(solver);
        return 0;
    }
    for (int round = 0; round < ROOT_ROUNDS && !st && !root->status; round++) {
        st = gsl_root_fsolver_iterate(solver);
        *zero = gsl_root_fsolver_root(solver);
        if (gsl_root_fsolver_x_upper(solver) -
                gsl_root_fsolver_x_lower(solver) <=
            DBL_EPSILON * fmax(fabs(t0 + *zero) * 0.25, *zero))
            break;
    }
    gsl_root_fsolver_free(solver);
    /* numbers of GSL are no statuses of the caller, whose 4 is Ctrl-C */
    return root->status ? root->status : st ? GSL_FAILURE : 0;
}

/* -- one piece ------------------------------------------------------------- */

struct looking {
    struct gsl_engine *engine;
    struct gsl_event *event;
    struct node *spare;
    double s; /* of the first event so far; INFINITY: none */
};

static void
note(struct looking *looking, enum gsl_found found, size_t watch, double s)
{
    if (s >= looking->s)
        return;
    looking->s = s;
    *looking->event = (struct gsl_event){found, watch};
}

static int
falls_between(struct looking *looking, size_t watch, double low, double high,
              double level)
{
    struct root root = {looking->engine, looking->spare, watch,
                        false,           level,          0};
    double s;
    int st = root_between(&root, low, high, &s);
    if (!st)
        note(looking, GSL_FALLS, watch, s);
    return st;
}

/* the time between a and b at which the rate is zero, and the value there */
static int
turning_point(struct looking *looking, size_t watch, const struct node *a,
              const struct node *b, double *s, double *value)
{
    struct root root = {looking->engine, looking->spare, watch, true, 0.0, 0};
    int st = root_between(&root, a->s, b->s, s);
    if (!st)
        st = look_at(looking->engine, *s, looking->spare);
    *value = looking->spare->value[watch];
    return st;
}

/* The function is below zero at the end. */
static int
fallen(struct looking *looking, size_t i, const struct node *begin,
       const struct node *end, bool above)
{
    const struct gsl_watch *watch = &looking->engine->motion->watch[i];
    double s, value;
    if (begin->value[i] > watch->closed || (above && begin->value[i] > 0.0))
        return falls_between(looking, i, begin->s, end->s, 0.0);
    /* the step before ended where the function jumps */
    if (above && begin->value[i] < -watch->closed) {
        note(looking, GSL_FALLS, i, begin->s);
        return 0;
    }
    /* It begins at zero: either it rises and falls, or it sinks. */
    if (begin->rate[i] > 0.0 && end->rate[i] < 0.0) {
        int st = turning_point(looking, i, begin, end, &s, &value);
        if (st)
            return st;
        if (value > watch->closed)
            return falls_between(looking, i, s, end->s, 0.0);
    }
    if (end->value[i] >= -watch->closed || end->value[i] >= begin->value[i])
        return 0;
    if (begin->value[i] > -watch->closed)
        return falls_between(looking, i, begin->s, end->s, -watch->closed);
    note(looking, GSL_FALLS, i, begin->s);
    return 0;
}

/* The function is not below zero at either end, and turns in between. */
static int
dips(struct looking *looking, size_t i, const struct node *begin,
     const struct node *end, bool above)
{
    const struct gsl_watch *watch = &looking->engine->motion->watch[i];
    double s, value;
    int st = turning_point(looking, i, begin, end, &s, &value);
    if (st)
        return st;
    if (value < -watch->touch && begin->value[i] > 0.0)
        return falls_between(looking, i, begin->s, s, 0.0);
    if (value < -watch->touch)
        note(looking, GSL_FALLS, i, begin->s);
    else if (value <= watch->touch && above)
        note(looking, GSL_TOUCHES, i, s);
    return 0;
}

static int
piece(struct looking *looking, const struct node *begin, const struct node *end)
{
    struct gsl_engine *engine = looking->engine;
    for (size_t i = 0; i < engine->motion->n_watch; i++) {
        const struct gsl_watch *watch = &engine->motion->watch[i];
        bool above = engine->above[i] || begin->value[i] > watch->touch;
        int st = 0;
        if (end->value[i] < 0.0)
            st = fallen(looking, i, begin, end, above);
        else if (begin->rate[i] < 0.0 && end->rate[i] >= 0.0)
            st = dips(looking, i, begin, end, above);
        if (st)
            return st;
        engine->above[i] = above || end->value[i] > watch->touch;
    }
    return 0;
}

/* -- pieces ---------------------------------------------------------------- */

/* Is the value in the middle what both ends foretell? */
static bool
foretold(const struct gsl_engine *engine, size_t i, const struct node *begin,
         const struct node *middle, const struct node *end)
{
    const struct gsl_watch *watch = &engine->motion->watch[i];
    double mean = (begin->value[i] + end->value[i]) / 2.0,
           bend = (end->s - begin->s) * (begin->rate[i] - end->rate[i]) / 8.0,
           least = fmin(fabs(begin->value[i]),
                        fmin(fabs(middle->value[i]), fabs(end->value[i]))),
           most = fmax(fabs(begin->value[i]),
                       fmax(fabs(middle->value[i]), fabs(end->value[i])));
    bool one_side =
        begin->value[i] > 0.0 && middle->value[i] > 0.0 && end->value[i] > 0.0;
    bool known = isfinite(begin->rate[i]) && isfinite(middle->rate[i]) &&
                 isfinite(end->rate[i]);
    double off = fabs(middle->value[i] - mean - (known ? bend : 0.0));
    if (!known)
        return off <= watch->closed || off <= 0.25 * least;
    return off <= watch->closed ||
           off <= LOOK_FORETOLD * (one_side ? fmax(least, 0.1 * most) : most);
}

static int
scan(struct looking *looking, const struct node *begin, const struct node *end,
     int depth)
{
    struct gsl_engine *engine = looking->engine;
    struct node *middle = &engine->node[2 + depth];
    int st = look_at(engine, (begin->s + end->s) / 2.0, middle);
    bool plain = depth == LOOK_DEPTH;
    for (size_t i = 0; i < engine->motion->n_watch && !plain && !st; i++) {
        if (!foretold(engine, i, begin, middle, end))
            break;
        plain = i + 1 == engine->motion->n_watch;
    }
    if (!st)
        st = plain ? piece(looking, begin, middle)
                   : scan(looking, begin, middle, depth + 1);
    if (!st && looking->s == (double)INFINITY)
        st = plain ? piece(looking, middle, end)
                   : scan(looking, middle, end, depth + 1);
    return st;
}

int
look_along(struct gsl_engine *engine, struct gsl_event *event, double *elapsed)
{
    assert(engine->step.h > 0.0 && event != NULL && elapsed != NULL);
    struct looking looking = {.engine = engine,
                              .event = event,
                              .spare = &engine->node[LOOK_DEPTH + 3],
                              .s = INFINITY};
    struct node *begin = &engine->node[0], *end = &engine->node[1];
    *event = (struct gsl_event){GSL_NOTHING, 0};
    if (engine->motion->n_watch == 0)
        return 0;
    int st = look_at(engine, 0.0, begin);
    for (int k = 1; k <= LOOK_PIECES && !st; k++) {
        st = look_at(engine, engine->step.h * k / LOOK_PIECES, end);
        if (!st)
            st = scan(&looking, begin, end, 0);
        if (looking.s < (double)INFINITY)
            break;
        struct node *swap = begin;
        begin = end;
        end = swap;
    }
    *elapsed = looking.s;
    return st;
}
