/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts in systems that Taylor series follow.
 *
 * In chatter the flights shrink by a ratio. The limit is taken when two
 * successive predictions of its time agree to rounding. At one contact the
 * prediction follows from the last flights. Where several contacts take turns,
 * the impacts to come are those of the parabola that touches the motion here
 * (ballistic.h); its error falls with the square of the time that is left. The
 * state at the limit is the projection of accumulation.c with the present mass
 * matrix and gradients, moved onto the gaps by Newton's method. The error of
 * this is of the square of a time that is itself below the root of the
 * rounding error. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/flow/flow_taylor_priv.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"

/* A limit is taken from the flights of one contact after this many impacts,
 * one after the other. */
#define TAYLOR_LEAST 8
/* Other contacts must stay away by this many times the way of the chattering
 * gap until its limit. */
#define TAYLOR_CLEAR 4.0
/* A flight whose height is below the rounding of its gap, divided by this, is
 * no flight. */
#define TAYLOR_FAINT 16.0
/* After this many impacts with such flights only, the contacts are at rest. */
#define TAYLOR_FAINTS 8
/* Newton steps onto the gaps at a limit: from 1e-3 of a length to rounding. */
#define TAYLOR_NEWTON 3
/* Several contacts: the prediction looks ahead by this many times the sum of
 * the last flights, and by this many impacts. */
#define TAYLOR_AHEAD 50.0
#define TAYLOR_IMPACTS 4000

/* Do all other contacts stay open until the limit of the last contact,
 * `remaining` from now? Each of the impacts to come changes their rates by no
 * more than it changes the rate of the last contact. */
static bool
clear(const struct flow *flow, double remaining)
{
    const struct taylor_flow *taylor = flow->taylor;
    double reach = TAYLOR_CLEAR * fabs(taylor->g[taylor->last * ROW + 1]) *
                   remaining,
           s;
    for (uint32_t i = 0; i < flow->m; i++) {
        const double *g = taylor->g + i * ROW;
        if (taylor->on[i] || (int)i == taylor->last)
            continue;
        if (!(fmin(g[0], polynomial_value(g, MOTION_STEP_ORDER, remaining)) >
              reach) ||
            polynomial_below(g, MOTION_STEP_ORDER, 0.0, remaining, 0.0, &s))
            return false;
    }
    return true;
}

bool
taylor_accumulation_ahead(const struct flow *flow, double until, double *time)
{
    const struct taylor_flow *taylor = flow->taylor;
    double one = taylor->estimate - taylor->now,
           some = taylor->found - taylor->now;
    if (taylor->faint)
        *time = taylor->now;
    else if (one > 0.0 && taylor->estimate <= until &&
             taylor->same >= TAYLOR_LEAST && one <= taylor->h &&
             clear(flow, one))
        *time = taylor->estimate;
    else if (some > 0.0 && taylor->found <= until && some <= taylor->h)
        *time = taylor->found;
    else
        return false;
    return true;
}

/* The contacts whose impacts the limit ahead sums up. */
static void
limit_group(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    if (taylor->ahead == taylor->found)
        return; /* the group is that of the prediction */
    memset(taylor->group, 0, flow->m);
    taylor->group[taylor->last] = true;
}

/* The impacts are averaged out: the state moves along the parabola from the
 * last impact, and then onto the gaps, from which the parabola departs with
 * the cube of the time. */
void
taylor_accumulation_between(struct flow *flow, double t)
{
    struct taylor_flow *taylor = flow->taylor;
    double *env = flow->run->env, *time = env + flow->run->im->layout.time,
           now = *time;
    limit_group(flow);
    (void)ballistic_instant_impact(taylor->instant, NULL,
                                   0); /* for its accelerations */
    memcpy(taylor->instant->event.group, taylor->group, flow->m);
    ballistic_between(taylor->instant, taylor->instant, t, flow->q, flow->v);
    *time = t;
    memcpy(env + flow->sys->env_state, flow->q, flow->n * sizeof *flow->q);
    memcpy(env + flow->sys->env_state + flow->n, flow->v,
           flow->n * sizeof *flow->v);
    int st = flow_instant(flow);
    *time = now;
    struct ballistic_model model = flow_model(flow);
    bool *closed = taylor->closed;
    for (uint32_t i = 0; i < flow->m; i++)
        closed[i] = taylor->on[i] || taylor->group[i];
    if (st ||
        (!taylor->between &&
         ballistic_new(flow->run->arena, &model, &taylor->between)) ||
        ballistic_instant(taylor->between, &model, t, flow->q, flow->v, closed))
        return;
    ballistic_stick(taylor->between, closed);
    ballistic_state(taylor->between, flow->q, flow->v);
}

/* The error of the second of two predictions of one limit, whose errors go
 * with the squares of the times left. The result is twice the leading term. */
static double
settled(double change, double left, double before)
{
    assert(left >= 0.0 || isnan(left));
    double q = left / before;
    q *= q;
    return q < 1.0 ? 2.0 * change * q / (1.0 - q) : INFINITY;
}

/* an impact at contact c */
static void
one_contact(struct taylor_flow *taylor, int c)
{
    double flight = taylor->now - taylor->at, was = taylor->guess;
    taylor->same = taylor->same > 0 && taylor->last == c ? taylor->same + 1 : 1;
    taylor->last = c;
    taylor->at = taylor->now;
    taylor->flight[2] = taylor->flight[1];
    taylor->flight[1] = taylor->flight[0];
    taylor->flight[0] = flight;
    taylor->guess = taylor->estimate = -INFINITY;
    if (taylor->same < 4 || !(taylor->flight[0] < taylor->flight[1] &&
                              taylor->flight[1] < taylor->flight[2]))
        return;
    double ratio = taylor->flight[0] / taylor->flight[1];
    taylor->guess = taylor->now + flight * ratio / (1.0 - ratio);
    if (fabs(taylor->guess - was) <= 4.0 * DBL_EPSILON * fabs(taylor->guess)) {
        taylor->estimate = taylor->guess;
        /* the flights are differences of rounded times */
        double rest = 1.0 - ratio, left = taylor->guess - taylor->now;
        taylor->off = settled(fabs(taylor->guess - was), left, left + flight) +
                      4.0 * DBL_EPSILON * fabs(taylor->now) / (rest * rest);
    }
}

/* Notes the flight that ends now, at whichever contact. Do the flights shrink?
 */
static bool
shrinks(struct taylor_flow *taylor)
{
    double *a = taylor->any, now = 0.0, before = 0.0;
    memmove(a + 1, a, (TAYLOR_FLIGHTS - 1) * sizeof *a);
    a[0] = taylor->now - taylor->end;
    taylor->end = taylor->now;
    if (++taylor->run <= TAYLOR_FLIGHTS)
        return false;
    for (int i = 0; i < TAYLOR_FLIGHTS / 2; i++) {
        now += a[i];
        before += a[TAYLOR_FLIGHTS / 2 + i];
    }
    /* or the flights are below the rounding of the time already */
    return now < before || now == 0.0;
}

/* Follows the probe until a limit of all contacts that were hit on the way.
 * Limits of some of them can come first. */
static bool
look_ahead(struct flow *flow, double until)
{
    struct taylor_flow *taylor = flow->taylor;
    struct ballistic *ballistic = taylor->probe;
    memset(taylor->group, 0, flow->m);
    ballistic->policy = flow->policy;
    for (int k = 0; k < TAYLOR_IMPACTS; k++) {
        enum ballistic_event what = accumulation_next(ballistic, until);
        if (what == BALLISTIC_IMPACT)
            taylor->group[ballistic->event.contact] = true;
        else if (what == BALLISTIC_ACCUMULATION) {
            bool all = true;
            for (uint32_t i = 0; i < flow->m; i++)
                all &= ballistic->event.group[i] || !taylor->group[i];
            if (all)
                return true;
        } else if (what != BALLISTIC_SEVERAL)
            return false;
        for (uint32_t i = 0; i < flow->m && what == BALLISTIC_SEVERAL; i++)
            taylor->group[i] |= ballistic->event.together[i];
    }
    return false;
}

/* Predicts where the parabola that touches the motion here comes to the limit
 * of its impacts. Accept the predicted limit when two predictions in a row
 * agree to the rounding error of the time or of the gaps. */
static int
predict(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    double was = taylor->meet, most = 0.0, least = INFINITY, sum = 0.0;
    bool shrink = shrinks(taylor);
    taylor->meet = taylor->found = -INFINITY;
    if (!shrink || taylor->same >= TAYLOR_FLIGHTS)
        return IMP_OK;
    int st = taylor_instant(flow, taylor->on);
    if (st)
        return st;
    struct ballistic_model model = flow_model(flow);
    if (taylor->probe ? ballistic_renew(taylor->probe, &model)
                      : ballistic_new(flow->run->arena, &model, &taylor->probe))
        return IMP_OK;
    for (int i = 0; i < TAYLOR_FLIGHTS; i++)
        sum += taylor->any[i];
    for (uint32_t i = 0; i < flow->m; i++)
        if (taylor->on[i] || taylor->fresh[i] ||
            flow->gap[i] < sum * fabs(flow->rate[i])) {
            most = fmax(most, taylor->size[i]);
            /* the rate of a closed contact is rounding */
            least = taylor->on[i] || flow->rate[i] == 0.0
                        ? least
                        : fmin(least, fabs(flow->rate[i]));
        }
    if (!ballistic_start(taylor->probe, taylor->now, taylor->x,
                         taylor->x + flow->n,
                         TAYLOR_NOISE * DBL_EPSILON * most))
        return IMP_OK;
    if (!look_ahead(flow, taylor->now + TAYLOR_AHEAD * sum))
        return IMP_OK;
    double left = taylor->probe->t - taylor->now, before = taylor->left_was;
    taylor->meet = taylor->probe->t;
    taylor->left_was = left;
    memcpy(taylor->group, taylor->probe->event.group, flow->m);
    taylor->chatter = taylor->probe->event.limit;
    if (fabs(taylor->meet - was) <=
        DBL_EPSILON *
            fmax(4.0 * fabs(taylor->meet), TAYLOR_NOISE * most / least))
        taylor->found = taylor->meet;
    double blur = least < INFINITY ? most / least : 0.0;
    /* the difference may be rounding, which does not fall */
    taylor->meet_off =
        settled(fabs(taylor->meet - was), left, before) +
        fabs(taylor->meet - was) +
        taylor->chatter.error * taylor->chatter.remaining +
        2.0 * TAYLOR_NOISE * DBL_EPSILON * (fabs(taylor->meet) + blur);
    return IMP_OK;
}

/* Called after every impact. Do the contacts that were hit fly lower than the
 * rounding of their gaps, or for a shorter time than the rounding of the time,
 * while they are pressed together and their restitution is below 1? Then no
 * further order of impacts could show. After TAYLOR_FAINTS such impacts the
 * contacts are at rest, and what was left counts as error. */
static void
faint(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    const struct ballistic *ballistic = taylor->instant;
    double press = 0.0, left = 0.0, ratio = 0.0;
    double tick = 4.0 * DBL_EPSILON * fabs(taylor->now);
    int before = taylor->faints;
    bool flies = false;
    taylor->faints = 0;
    if (before == 0)
        memset(taylor->faded, 0, flow->m * sizeof *taylor->faded);
    for (uint32_t i = 0; i < flow->m; i++)
        press = fmax(press, fabs(ballistic->matrices.gap_acc[i]));
    for (int k = 0; k < taylor->n_hit; k++) {
        int i = taylor->hit[k];
        double u = fabs(ballistic->rate[i]);
        double low = DBL_EPSILON * taylor->size[i] / TAYLOR_FAINT;
        double time = fmax(tick, 2.0 * sqrt(2.0 * low / press));
        if (taylor->on[i])
            continue; /* this one has been put to rest */
        if (!(2.0 * u <= press * time) || taylor->any[0] > TAYLOR_CLEAR * time)
            return;
        flies = taylor->faded[i] = true;
        ratio = fmax(ratio, flow->e[i]);
        left = fmax(left, 2.0 * u / press);
    }
    if (!flies) {
        taylor->faints = before;
        return;
    }
    if (!(press > 0.0) || !(ratio < 1.0))
        return;
    taylor->faints = before + 1;
    if (taylor->faints < TAYLOR_FAINTS)
        return;
    taylor->faints = 0;
    memcpy(taylor->group, taylor->faded, flow->m * sizeof *taylor->group);
    taylor->faint = true;
    taylor->found = taylor->now;
    taylor->chatter =
        (struct accumulation_limit){.evidence = LIMIT_BELOW_ROUNDING,
                                    .impacts = taylor->run,
                                    .depth = 1,
                                    .ratio = ratio,
                                    .remaining = left / (1.0 - ratio),
                                    .error = 1.0};
}

int
taylor_accumulation_count(struct flow *flow, int c, int together)
{
    assert(together >= 1 && c >= 0 && c < (int)flow->m);
    struct taylor_flow *taylor = flow->taylor;
    uint32_t n = switching_count(flow->run, flow->sys->block);
    memcpy(taylor->was_over, taylor->over, n * sizeof *taylor->over);
    memset(taylor->over, 0, n * sizeof *taylor->over);
    one_contact(flow->taylor, c);
    if (together > 1)
        flow->taylor->same = 0; /* these are not flights of one contact */
    int st = predict(flow);
    if (!st)
        faint(flow);
    return st;
}

int
taylor_accumulation(struct flow *flow, struct flow_event *event)
{
    assert(flow->taylor->ahead >= flow->taylor->now);
    struct taylor_flow *taylor = flow->taylor;
    double remaining = taylor->ahead - taylor->now;
    bool several = taylor->ahead == taylor->found;
    bool *on = NEW_N(flow->run->arena, bool, flow->m + 1);
    limit_group(flow);
    if (taylor->faint) {
        taylor->faint = false;
    } else if (several) {
        taylor->chatter.impacts = taylor->run;
        taylor->chatter.remaining = remaining;
    } else {
        memset(taylor->group, 0, flow->m);
        taylor->group[taylor->last] = true;
        taylor->chatter = (struct accumulation_limit){
            .impacts = taylor->same,
            .evidence = LIMIT_BY_LAW,
            .period = 1,
            .depth = 1,
            .ratio = taylor->flight[0] / taylor->flight[1],
            .remaining = remaining};
    }
    if (remaining > 0.0)
        taylor->chatter.error =
            (several ? taylor->meet_off : taylor->off) / remaining;
    if (!(taylor->chatter.error < 1.0))
        taylor->chatter.error = 1.0; /* nothing better is known */
    for (uint32_t i = 0; i < flow->m; i++)
        on[i] = taylor->on[i] || taylor->group[i];
    taylor_advance(flow, taylor->ahead);
    for (int round = 0; round < TAYLOR_NEWTON; round++) {
        int st = taylor_instant(flow, on);
        if (st)
            return st;
        ballistic_stick(taylor->instant, on);
        ballistic_state(taylor->instant, taylor->x, taylor->x + flow->n);
    }
    memset(taylor->lo, 0, 2 * flow->n * sizeof *taylor->lo);
    enum ballistic_event what =
        ballistic_instant_impact(taylor->instant, NULL, 0);
    flow_report(flow, taylor->instant, what, event);
    event->kind = what == BALLISTIC_JAMMED ? FLOW_JAMMED : FLOW_CHATTER;
    event->time = taylor->now;
    event->impulse = 0.0;
    flow->n_contacts = 0;
    for (uint32_t i = 0; i < flow->m; i++)
        if (taylor->group[i]) {
            flow->contacts[flow->n_contacts] = flow->sys->contact + i;
            flow->impulse[flow->n_contacts++] = 0.0;
        }
    event->n = flow->n_contacts;
    event->contact = flow->contacts[0];
    event->chatter = taylor->chatter;
    taylor_take_back(flow);
    taylor->same = 0;
    taylor->estimate = -INFINITY;
    if (!several)
        return predict(flow);
    taylor_accumulation_forget(taylor);
    return IMP_OK;
}
