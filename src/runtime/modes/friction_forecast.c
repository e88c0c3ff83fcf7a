/* SPDX-License-Identifier: MIT */
/* See friction_forecast.h. Here bodies say what runtime/bounces follows. */
#include "runtime/modes/friction_forecast.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/tolerance.h"
#include "runtime/impact/friction_law.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/modes/friction_rows.h"
#include "runtime/numerics/vec3.h"

/* See bounces_friction: formulas are asked. */
static bool
coefficients(struct bounces *bounce, int point, double speed, bool rests,
             double mu[3])
{
    uint32_t contact = bounce->contact[point];
    return !contact_friction_now(bounce->run, contact, speed, mu) &&
           (!rests ||
            !contact_friction_at_rest(bounce->run, contact,
                                      rt_time(bounce->run), mu[0], &mu[1]));
}

/* Was it a single impact without rebound, from high above what the tolerance of
 * the gap hides? The run makes it itself. */
static bool
one_impact(const struct bounces *bounce)
{
    int i = bounce->last;
    double fall = fmax(bounce->fall, fabs(bounce->free[2 * i]));
    return bounce->impacts == 1 && !bounce->summed &&
           points_high(-bounce->look[0], fall, bounce->band[i]);
}

/* What forces and impulses have done so far. */
static void
put_sums(const struct bounces *bounce, struct friction_forecast *out)
{
    for (int i = 0; i < bounce->n; i++)
        out->work[i] = bounce->work[i];
    bounces_sums(bounce, out->impulse, out->moment);
}

static void
put(const struct bounces *bounce, struct forecast_limit *all,
    struct friction_forecast *out)
{
    int n = bounce->n;
    for (int i = 0; i < n; i++) {
        all->group[i] = bounce->bounced[i];
        all->closed[i] = bounce->bounced[i] || bounce->held[i];
        all->moved[i] = all->closed[i];
        all->gap[i] = all->rate[i] = all->earlier[i] = 0.0;
        out->slip[i] = bounces_slip(bounce, i);
        out->normal[i] = all->closed[i] ? 0.0 : bounce->rate[2 * i];
    }
    put_sums(bounce, out);
    all->found = true;
    all->remaining = bounce->time;
}

static struct friction_forecast
forecast_room(struct rt *run, int points)
{
    size_t n = (size_t)points;
    return (struct friction_forecast){
        NEW_N(run->brief, double, 2 * n), NEW_N(run->brief, double, 2 * n),
        NEW_N(run->brief, double, n), NEW_N(run->brief, double, n),
        NEW_N(run->brief, double, n)};
}

/* The points at the present instant. NULL: the model has no numbers for it. */
static struct bounces *
begin(struct rt *run, const struct forecast_question *ask,
      const struct contact_point *spot)
{
    size_t n = (size_t)ask->n;
    struct bounces *bounce = bounces_new(run, ask->n);
    struct friction_rows *rows = NEW(run->brief, struct friction_rows);
    uint32_t *contact = NEW_N(run->brief, uint32_t, n);
    *rows = (struct friction_rows){.run = run, .n = ask->n, .spot = spot};
    if (friction_rows_read(rows))
        return NULL;
    if (ask->memory)
        bounce->memory = ask->memory;
    bounce->contact = contact;
    bounce->W = rows->W;
    bounce->free = rows->free;
    bounce->terms = rows->terms;
    bounce->point = rows->point;
    bounce->friction = coefficients;
    bounce->joins = ask->joins;
    bounce->ahead = ask->ahead;
    bounce->fall = vec3_norm(run->world.gravity);
    memcpy(bounce->rate, rows->rate, 2 * n * sizeof *bounce->rate);
    for (size_t i = 0; i < n; i++) {
        contact[i] = spot[i].contact;
        /* a gap below 0 is rounding: the point is closed */
        bounce->gap[i] = fmax(ask->p[i].gap, 0.0);
        bounce->rate[2 * i] = ask->p[i].rate;
        bounce->free[2 * i] = ask->p[i].free;
        friction_forecast_slip(rows, ask, (int)i, &bounce->rate[2 * i + 1]);
        double rate;
        gap_tolerances(run, spot[i].contact, &bounce->band[i], &rate);
        gap_rounding(run, spot[i].contact, &bounce->blur[i], &rate);
        bounce->left_at[i] = ask->bounces[i] ? 0.0 : -INFINITY;
        bounce->peak[i] = bounce->gap[i];
        bounce->held[i] = rows->point[i].held;
        bounce->mode[i] = rows->point[i].before;
        if (friction_law_point(run, spot[i].contact,
                               (enum imp_impact_law)run->im->impact_law, 0.0,
                               bounce->rate[2 * i + 1], &bounce->law[i]))
            return NULL;
        bounce->high = fmax(bounce->high, fabs(bounce->rate[2 * i]));
    }
    return bounce;
}

bool
friction_forecast(struct rt *run, const struct forecast_question *ask,
                  const struct contact_point *spot, struct forecast_limit *all,
                  struct friction_forecast *out)
{
    assert(ask->n > 0 && all->group != NULL);
    all->found = false;
    struct bounces *bounce = begin(run, ask, spot);
    if (!bounce)
        return false;
    *out = forecast_room(run, ask->n);
    if (!bounces_follow(bounce) || !(bounce->time > 0.0) || one_impact(bounce))
        return false;
    if (ask->until > bounce->time)
        bounces_rest_until(bounce, ask->until);
    put(bounce, all, out);
    all->chatter = (struct accumulation_limit){
        .period = bounce->n == 1,
        .depth = 1,
        .ratio =
            bounce->n == 1 ? bounce->approach[0] / bounce->approach[1] : NAN,
        .ratio_error = NAN,
        .evidence = bounce->summed   ? LIMIT_BY_LAW
                    : bounce->n == 1 ? LIMIT_BY_FLIGHTS
                                     : LIMIT_BELOW_ROUNDING,
        .remaining = bounce->time,
        .error = bounce->joined ? 1.0 : bounce->error / bounce->time};
    return true;
}

/* -- the way to the limit -------------------------------------------------- */

struct friction_way {
    struct bounces *bounce;
    bool over; /* a limit of all came before the time that was asked for */
};

struct friction_way *
friction_way_begin(struct rt *run, const struct forecast_question *ask,
                   const struct contact_point *spot)
{
    assert(run != NULL && ask->n > 0);
    struct friction_way *way = NEW(run->brief, struct friction_way);
    way->bounce = begin(run, ask, spot);
    return way->bounce ? way : NULL;
}

bool
friction_way_to(struct friction_way *way, double time,
                struct friction_forecast *out, bool *rests)
{
    assert(way != NULL && out != NULL && rests != NULL);
    struct bounces *bounce = way->bounce;
    int n = bounce->n;
    if (!bounces_until(bounce, time, &way->over))
        return false;
    *out = forecast_room(bounce->run, n);
    put_sums(bounce, out);
    for (int i = 0; i < n; i++) {
        out->slip[i] = bounce->rate[2 * i + 1];
        rests[i] = bounce->gap[i] == 0.0 && bounce->rate[2 * i] == 0.0;
    }
    return true;
}
