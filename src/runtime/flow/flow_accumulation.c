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
    double reach = TAYLOR_CLEAR *
                   fabs(taylor->piece.gap[taylor->single.contact * ROW + 1]) *
                   remaining,
           s;
    for (uint32_t i = 0; i < flow->m; i++) {
        const double *g = taylor->piece.gap + i * ROW;
        if (taylor->contacts.closed[i] || (int)i == taylor->single.contact)
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
    double one = taylor->single.limit - taylor->now,
           some = taylor->several.limit - taylor->now;
    if (taylor->several.faint.now)
        *time = taylor->now;
    else if (one > 0.0 && taylor->single.limit <= until &&
             taylor->single.impacts >= TAYLOR_LEAST && one <= taylor->piece.h &&
             clear(flow, one))
        *time = taylor->single.limit;
    else if (some > 0.0 && taylor->several.limit <= until &&
             some <= taylor->piece.h)
        *time = taylor->several.limit;
    else
        return false;
    return true;
}

/* The contacts whose impacts the limit ahead sums up. */
static void
limit_group(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    if (taylor->next.time == taylor->several.limit)
        return; /* the group is that of the prediction */
    memset(taylor->several.group, 0, flow->m);
    taylor->several.group[taylor->single.contact] = true;
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
    memcpy(taylor->instant->event.group, taylor->several.group, flow->m);
    ballistic_between(taylor->instant, taylor->instant, t, flow->q, flow->v);
    *time = t;
    memcpy(env + flow->sys->env_state, flow->q, flow->n * sizeof *flow->q);
    memcpy(env + flow->sys->env_state + flow->n, flow->v,
           flow->n * sizeof *flow->v);
    int st = flow_instant(flow);
    *time = now;
    struct ballistic_model model = flow_model(flow);
    bool *closed = taylor->several.closed;
    for (uint32_t i = 0; i < flow->m; i++)
        closed[i] = taylor->contacts.closed[i] || taylor->several.group[i];
    if (st ||
        (!taylor->several.between &&
         ballistic_new(flow->run->arena, &model, &taylor->several.between)) ||
        ballistic_instant(taylor->several.between, &model, t, flow->q, flow->v,
                          closed))
        return;
    ballistic_stick(taylor->several.between, closed);
    ballistic_state(taylor->several.between, flow->q, flow->v);
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
    struct taylor_single *single = &taylor->single;
    double flight = taylor->now - single->time, was = single->predicted;
    single->impacts =
        single->impacts > 0 && single->contact == c ? single->impacts + 1 : 1;
    single->contact = c;
    single->time = taylor->now;
    single->flight[2] = single->flight[1];
    single->flight[1] = single->flight[0];
    single->flight[0] = flight;
    single->predicted = single->limit = -INFINITY;
    if (single->impacts < 4 || !(single->flight[0] < single->flight[1] &&
                                 single->flight[1] < single->flight[2]))
        return;
    double ratio = single->flight[0] / single->flight[1];
    single->predicted = taylor->now + flight * ratio / (1.0 - ratio);
    if (fabs(single->predicted - was) <=
        4.0 * DBL_EPSILON * fabs(single->predicted)) {
        single->limit = single->predicted;
        /* the flights are differences of rounded times */
        double rest = 1.0 - ratio, left = single->predicted - taylor->now;
        single->error =
            settled(fabs(single->predicted - was), left, left + flight) +
            4.0 * DBL_EPSILON * fabs(taylor->now) / (rest * rest);
    }
}

/* Notes the flight that ends now, at whichever contact. Do the flights shrink?
 */
static bool
shrinks(struct taylor_flow *taylor)
{
    double *a = taylor->several.flight, now = 0.0, before = 0.0;
    memmove(a + 1, a, (TAYLOR_FLIGHTS - 1) * sizeof *a);
    a[0] = taylor->now - taylor->several.time;
    taylor->several.time = taylor->now;
    if (++taylor->several.impacts <= TAYLOR_FLIGHTS)
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
    struct ballistic *ballistic = taylor->several.probe;
    memset(taylor->several.group, 0, flow->m);
    ballistic->policy = flow->policy;
    for (int k = 0; k < TAYLOR_IMPACTS; k++) {
        enum ballistic_event what = accumulation_next(ballistic, until);
        if (what == BALLISTIC_IMPACT)
            taylor->several.group[ballistic->event.contact] = true;
        else if (what == BALLISTIC_ACCUMULATION) {
            bool all = true;
            for (uint32_t i = 0; i < flow->m; i++)
                all &= ballistic->event.group[i] || !taylor->several.group[i];
            if (all)
                return true;
        } else if (what != BALLISTIC_SEVERAL)
            return false;
        for (uint32_t i = 0; i < flow->m && what == BALLISTIC_SEVERAL; i++)
            taylor->several.group[i] |= ballistic->event.together[i];
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
    struct taylor_several *several = &taylor->several;
    double was = several->predicted, most = 0.0, least = INFINITY, sum = 0.0;
    bool shrink = shrinks(taylor);
    several->predicted = several->limit = -INFINITY;
    if (!shrink || taylor->single.impacts >= TAYLOR_FLIGHTS)
        return IMP_OK;
    int st = taylor_instant(flow, taylor->contacts.closed);
    if (st)
        return st;
    struct ballistic_model model = flow_model(flow);
    if (several->probe
            ? ballistic_renew(several->probe, &model)
            : ballistic_new(flow->run->arena, &model, &several->probe))
        return IMP_OK;
    for (int i = 0; i < TAYLOR_FLIGHTS; i++)
        sum += several->flight[i];
    for (uint32_t i = 0; i < flow->m; i++)
        if (taylor->contacts.closed[i] || taylor->contacts.opening[i] ||
            flow->instant.gap[i] < sum * fabs(flow->instant.rate[i])) {
            most = fmax(most, taylor->terms.gap[i]);
            /* the rate of a closed contact is rounding */
            least = taylor->contacts.closed[i] || flow->instant.rate[i] == 0.0
                        ? least
                        : fmin(least, fabs(flow->instant.rate[i]));
        }
    if (!ballistic_start(several->probe, taylor->now, taylor->x,
                         taylor->x + flow->n,
                         TAYLOR_NOISE * DBL_EPSILON * most))
        return IMP_OK;
    if (!look_ahead(flow, taylor->now + TAYLOR_AHEAD * sum))
        return IMP_OK;
    double left = several->probe->t - taylor->now,
           before = several->left_before;
    several->predicted = several->probe->t;
    several->left_before = left;
    memcpy(several->group, several->probe->event.group, flow->m);
    taylor->chatter = several->probe->event.limit;
    if (fabs(several->predicted - was) <=
        DBL_EPSILON *
            fmax(4.0 * fabs(several->predicted), TAYLOR_NOISE * most / least))
        several->limit = several->predicted;
    double blur = least < INFINITY ? most / least : 0.0;
    /* the difference may be rounding, which does not fall */
    several->error =
        settled(fabs(several->predicted - was), left, before) +
        fabs(several->predicted - was) +
        taylor->chatter.error * taylor->chatter.remaining +
        2.0 * TAYLOR_NOISE * DBL_EPSILON * (fabs(several->predicted) + blur);
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
    struct taylor_several *several = &taylor->several;
    const struct ballistic *ballistic = taylor->instant;
    double press = 0.0, left = 0.0, ratio = 0.0;
    double tick = 4.0 * DBL_EPSILON * fabs(taylor->now);
    int before = several->faint.impacts;
    bool flies = false;
    several->faint.impacts = 0;
    if (before == 0)
        memset(several->faint.contacts, 0,
               flow->m * sizeof *several->faint.contacts);
    for (uint32_t i = 0; i < flow->m; i++)
        press = fmax(press, fabs(ballistic->matrices.gap_acc[i]));
    for (int k = 0; k < taylor->next.n_hit; k++) {
        int i = taylor->next.hit[k];
        double u = fabs(ballistic->rate[i]);
        double low = DBL_EPSILON * taylor->terms.gap[i] / TAYLOR_FAINT;
        double time = fmax(tick, 2.0 * sqrt(2.0 * low / press));
        if (taylor->contacts.closed[i])
            continue; /* this one has been put to rest */
        if (!(2.0 * u <= press * time) ||
            several->flight[0] > TAYLOR_CLEAR * time)
            return;
        flies = several->faint.contacts[i] = true;
        ratio = fmax(ratio, flow->instant.e[i]);
        left = fmax(left, 2.0 * u / press);
    }
    if (!flies) {
        several->faint.impacts = before;
        return;
    }
    if (!(press > 0.0) || !(ratio < 1.0))
        return;
    several->faint.impacts = before + 1;
    if (several->faint.impacts < TAYLOR_FAINTS)
        return;
    several->faint.impacts = 0;
    memcpy(several->group, several->faint.contacts,
           flow->m * sizeof *several->group);
    several->faint.now = true;
    several->limit = taylor->now;
    taylor->chatter =
        (struct accumulation_limit){.evidence = LIMIT_BELOW_ROUNDING,
                                    .impacts = several->impacts,
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
    memcpy(taylor->branches.changed_before, taylor->branches.changed,
           n * sizeof *taylor->branches.changed);
    memset(taylor->branches.changed, 0, n * sizeof *taylor->branches.changed);
    one_contact(flow->taylor, c);
    if (together > 1)
        flow->taylor->single.impacts =
            0; /* these are not flights of one contact */
    int st = predict(flow);
    if (!st)
        faint(flow);
    return st;
}

int
taylor_accumulation(struct flow *flow, struct flow_event *event)
{
    assert(flow->taylor->next.time >= flow->taylor->now);
    struct taylor_flow *taylor = flow->taylor;
    double remaining = taylor->next.time - taylor->now;
    bool several = taylor->next.time == taylor->several.limit;
    bool *on = NEW_N(flow->run->arena, bool, flow->m + 1);
    limit_group(flow);
    if (taylor->several.faint.now) {
        taylor->several.faint.now = false;
    } else if (several) {
        taylor->chatter.impacts = taylor->several.impacts;
        taylor->chatter.remaining = remaining;
    } else {
        memset(taylor->several.group, 0, flow->m);
        taylor->several.group[taylor->single.contact] = true;
        taylor->chatter = (struct accumulation_limit){
            .impacts = taylor->single.impacts,
            .evidence = LIMIT_BY_LAW,
            .period = 1,
            .depth = 1,
            .ratio = taylor->single.flight[0] / taylor->single.flight[1],
            .remaining = remaining};
    }
    if (remaining > 0.0)
        taylor->chatter.error =
            (several ? taylor->several.error : taylor->single.error) /
            remaining;
    if (!(taylor->chatter.error < 1.0))
        taylor->chatter.error = 1.0; /* nothing better is known */
    for (uint32_t i = 0; i < flow->m; i++)
        on[i] = taylor->contacts.closed[i] || taylor->several.group[i];
    taylor_advance(flow, taylor->next.time);
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
    flow->last.n_contacts = 0;
    for (uint32_t i = 0; i < flow->m; i++)
        if (taylor->several.group[i]) {
            flow->last.contacts[flow->last.n_contacts] = flow->sys->contact + i;
            flow->last.impulse[flow->last.n_contacts++] = 0.0;
        }
    event->n = flow->last.n_contacts;
    event->contact = flow->last.contacts[0];
    event->chatter = taylor->chatter;
    taylor_take_back(flow);
    taylor->single.impacts = 0;
    taylor->single.limit = -INFINITY;
    if (!several)
        return predict(flow);
    taylor_accumulation_forget(taylor);
    return IMP_OK;
}
