/* SPDX-License-Identifier: MIT */
/* The motion through a limit of infinitely many impacts, in a system that
 * Taylor series follow.
 *
 * All impulses act along M^-1 N^T of the contacts that chatter. In coordinates
 * of which some are the gaps of these contacts, such an impulse changes the
 * momenta of the gaps alone, wherever the gaps are. The momenta of the other
 * coordinates are carried by the motion, in which the gaps are of the second
 * order of the time left, and their rates of the first and zero on the average.
 * So the motion that slides along the contacts from the last impact on meets
 * the state at the limit up to the third order, whatever impacts lie between,
 * and what constant of the motion the impacts leave alone it leaves alone too.
 *
 * At one contact the gap is 0 at the impact, and the slide begins there. Of
 * several some are open. An impulse at each sends them to close at one time;
 * the slide begins when they do. To project the state onto the gaps instead
 * would be an error of the second order: momenta about a point change when the
 * place is moved and the velocity is not. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/bounces/bounces.h"
#include "runtime/flow/flow_priv.h"
#include "runtime/impact/friction_law.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/taylor.h"
#include "runtime/trace/trace.h"

/* Rates that let gaps close together: each round leaves the share of the time
 * of the motion that their flight takes, which is below 1e-3. */
#define PATH_AIM 5
/* The terms of a motion beyond the second, near a limit at one contact, are at
 * most this many times the square of the second. */
#define FALL_TERMS 64.0
/* Such a limit is taken soon where the flights that are left are no higher than
 * this share of the highest fall onto the contact. */
#define FALL_LOW 0x1p-30
/* Several contacts: the prediction looks ahead by this many times the sum of
 * the last flights, or from limit to limit by as many times the time between
 * these, and by this many impacts. */
#define TAYLOR_AHEAD 50.0
#define TAYLOR_IMPACTS 4000
/* The impacts of a pattern that a prediction follows one by one at least, once
 * it has come to a limit: the fewest that show a law. Nobody sees the others.
 */
#define TAYLOR_RESOLVE 3
/* To spare the impacts that it follows, a prediction is made only where the
 * next forecast will be compared with it, or is made: at the two impacts
 * between which this share of the time is left that the last forecast saw. The
 * next forecast is made at a half. */
#define PREDICT_AGAIN 0.5005
/* No prediction is made while the last one leaves more than this many times the
 * time at which a forecast may begin, and none looks farther. */
#define PREDICT_FAR 1.5
/* A prediction may miss the limit of its parabola by this share of what the
 * parabola is known to miss. */
#define PREDICT_SHARE 0x1p-10
/* The path is asked for up to the limit, as earlier and later forecasts see it.
 */
#define PATH_SPAN 2.0

/* Copies the rows of the state up to this order. Do they hold for `span`? */
static bool
copy_rows(const struct flow *flow, int order, double span, double *rows)
{
    const struct rt *run = flow->run;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + flow->sys->block;
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    bool holds = true;
    for (uint32_t j = 0; j < 2 * flow->n; j++) {
        const double *from = run->rows.block[flow->sys->block] +
                             (size_t)row[j] * IMP_ROW_STRIDE + IMP_ROW_PAD;
        memset(rows + j * ROW, 0, ROW * sizeof *rows);
        memcpy(rows + j * ROW, from, ((size_t)order + 1) * sizeof *rows);
        holds = holds && (order == MOTION_STEP_ORDER ||
                          series_holds_for(from, order, span));
    }
    return holds;
}

/* The series of the state x at `time`, while the contacts `on` are closed, into
 * the 2n rows. It is asked for up to `span` later. Before a limit that is a
 * small share of the time for which the motion's own series holds, and few
 * orders are enough. */
static int
series_of(struct flow *flow, double time, const double *x, const bool *on,
          double span, double *rows)
{
    struct rt *run = flow->run;
    int order =
        series_order_for(span, flow->taylor->piece.h, MOTION_STEP_ORDER);
    double step;
    run->env[run->im->layout.time] = time;
    memcpy(run->env + flow->sys->env_state, x, 2 * flow->n * sizeof *x);
    flow_set_active(flow, on);
    int st = motion_series(run, flow->sys->block, order, &step);
    if (!st && !copy_rows(flow, order, span, rows)) {
        st = motion_series(run, flow->sys->block, MOTION_STEP_ORDER, &step);
        copy_rows(flow, MOTION_STEP_ORDER, span, rows);
    }
    return st;
}

static void
value(const struct flow *flow, const double *rows, double elapsed, double *x)
{
    for (uint32_t j = 0; j < 2 * flow->n; j++)
        x[j] = polynomial_value(rows + j * ROW, MOTION_STEP_ORDER, elapsed);
}

/* Does what taylor_instant does, at another state than that of the flow. */
static int
instant_at(struct flow *flow, double time, double *x, const bool *on)
{
    struct taylor_flow *taylor = flow->taylor;
    double now = taylor->now, *own = taylor->x;
    taylor->now = time;
    taylor->x = x;
    int st = taylor_instant(flow, on);
    taylor->now = now;
    taylor->x = own;
    return st;
}

static double
open_gap(const struct flow *flow, uint32_t i)
{
    const struct taylor_flow *taylor = flow->taylor;
    double noise = TAYLOR_NOISE * DBL_EPSILON * taylor->terms.gap[i];
    return taylor->contacts.opening[i] || !(flow->instant.gap[i] > noise)
               ? 0.0
               : flow->instant.gap[i];
}

/* The time in which the open gaps of the group are closed, at the rate of the
 * fastest of them (after taylor_instant). 0: all are closed. */
static double
landing_time(const struct flow *flow, const bool *group, double left)
{
    const struct contact_matrices *matrices = &flow->taylor->instant->matrices;
    double high = 0.0, fast = 0.0;
    for (uint32_t i = 0; i < flow->m; i++) {
        double root = matrices->root[i];
        if (!group[i] || !(root > 0.0))
            continue;
        high = fmax(high, open_gap(flow, i) / root);
        fast = fmax(fast, fabs(flow->instant.rate[i]) / root);
    }
    return high > 0.0 && fast > 0.0 ? fmin(high / fast, 0.5 * left) : 0.0;
}

/* Impulses that let all gaps of the group be closed at path->land, and the
 * flight until then (right after taylor_instant). The instant stays the same,
 * and so does the flight when the gaps are closed there to their rounding. */
static int
aim(struct flow *flow, const bool *group)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_path *path = &taylor->path;
    double flight = path->land - path->from, row[ROW];
    double *rate = path->rate;
    bool changed = true;
    for (uint32_t i = 0; i < flow->m; i++)
        rate[i] = group[i]
                      ? -open_gap(flow, i) / flight -
                            0.5 * flight * taylor->instant->matrices.gap_acc[i]
                      : 0.0;
    for (int round = 0; round < PATH_AIM && changed; round++) {
        int st = taylor_instant_on(flow, taylor->contacts.closed);
        if (st)
            return st;
        changed = false;
        ballistic_steer(taylor->instant, path->closed, rate);
        ballistic_state(taylor->instant, path->x, path->x + flow->n);
        if ((st = series_of(flow, path->from, path->x, taylor->contacts.closed,
                            flight, path->landing)))
            return st;
        for (uint32_t i = 0; i < flow->m && !st; i++) {
            if (!group[i])
                continue;
            st = system_gap_series(flow->run, flow->system, i,
                                   MOTION_STEP_ORDER, row);
            double aims =
                rate[i] -
                polynomial_value(row, MOTION_STEP_ORDER, flight) / flight;
            changed |= !(fabs(aims - rate[i]) * flight <=
                         DBL_EPSILON * taylor->terms.gap[i]);
            rate[i] = aims;
        }
        if (st)
            return st;
    }
    value(flow, path->landing, flight, path->x);
    return IMP_OK;
}

static int
make(struct flow *flow, const bool *group, double left)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_path *path = &taylor->path;
    path->from = path->land = taylor->now;
    memcpy(path->x, taylor->x, 2 * flow->n * sizeof *path->x);
    for (uint32_t i = 0; i < flow->m; i++)
        path->closed[i] = taylor->contacts.closed[i] || group[i];
    int st = taylor_instant(flow, taylor->contacts.closed);
    if (st)
        return st;
    path->land += landing_time(flow, group, left);
    if (path->land > path->from && (st = aim(flow, group)))
        return st;
    /* where no gap is open, this is the same instant with other contacts */
    st = path->land > path->from
             ? instant_at(flow, path->land, path->x, path->closed)
             : taylor_instant_on(flow, path->closed);
    if (st)
        return st;
    ballistic_stick(taylor->instant, path->closed);
    ballistic_state(taylor->instant, path->x, path->x + flow->n);
    return series_of(flow, path->land, path->x, path->closed, PATH_SPAN * left,
                     path->sliding);
}

void
taylor_path_new(struct flow *flow)
{
    assert(flow);
    struct arena *arena = flow->run->arena;
    struct taylor_path *path = &flow->taylor->path;
    path->landing = NEW_N(arena, double, 2 * (size_t)flow->n * ROW);
    path->sliding = NEW_N(arena, double, 2 * (size_t)flow->n * ROW);
    path->x = NEW_N(arena, double, 2 * (size_t)flow->n);
    path->rate = NEW_N(arena, double, flow->m + 1);
    path->closed = NEW_N(arena, bool, flow->m + 1);
    flow->taylor->several.rest = -INFINITY;
    flow->taylor->single.highest = NEW_N(arena, double, flow->m + 1);
    flow->taylor->single.rates = NEW_N(arena, double, 2 * (size_t)flow->n);
    struct taylor_predicted *was[] = {&flow->taylor->several.was,
                                      &flow->taylor->several.aside};
    struct taylor_forecast *of[] = {&flow->taylor->forecast,
                                    &flow->taylor->aside};
    for (int i = 0; i < 2; i++) {
        of[i]->group = NEW_N(arena, bool, flow->m + 1);
        was[i]->group = NEW_N(arena, bool, flow->m + 1);
        was[i]->limit = -INFINITY;
        of[i]->placed.x = NEW_N(arena, double, 2 * (size_t)flow->n);
    }
}

bool
taylor_path_make(struct flow *flow, const bool *group, double left)
{
    assert(group != NULL && left >= 0.0);
    struct rt *run = flow->run;
    double *time = &run->env[run->im->layout.time], now = *time;
    struct diags quiet, *ds = run->ds;
    /* what cannot be evaluated there is no mistake of the model: the impacts
     * are followed one by one then */
    diags_init(&quiet, run->arena, ds->sources);
    run->ds = &quiet;
    int st = make(flow, group, left);
    run->ds = ds;
    *time = now;
    taylor_set_active(flow);
    return st == IMP_OK;
}

const double *
taylor_path_rows(const struct flow *flow, double t, double *elapsed)
{
    const struct taylor_path *path = &flow->taylor->path;
    assert(t >= path->from && elapsed != NULL);
    bool lands = t < path->land;
    *elapsed = t - (lands ? path->from : path->land);
    return lands ? path->landing : path->sliding;
}

void
taylor_path_at(const struct flow *flow, double t, double *x)
{
    double elapsed;
    const double *rows = taylor_path_rows(flow, t, &elapsed);
    value(flow, rows, elapsed, x);
}

void
taylor_path_rates(struct flow *flow)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    const double *rates = taylor->single.rates;
    double ratio = taylor->chatter.ratio, more = ratio / (1.0 - ratio);
    if (!taylor->branches.switches || taylor->single.impacts < 3 ||
        !(ratio < 1.0) ||
        memcmp(taylor->forecast.group, taylor->single.group, flow->m))
        return;
    for (size_t i = 0; i < flow->n; i++)
        taylor->x[flow->n + i] =
            rates[i] + (rates[i] - rates[flow->n + i]) * more;
}

void
taylor_rows_trace(struct flow *flow, const double *rows, double base,
                  double from, double t)
{
    assert(flow->run->trace != NULL && rows != NULL && base <= from);
    memcpy(trace_room(flow->run->trace), rows, flow->n * ROW * sizeof *rows);
    trace_piece(flow->run->trace, flow->run->im->bodies.n + flow->system, base,
                from, t, MOTION_STEP_ORDER);
}

void
taylor_path_trace(struct flow *flow, double t)
{
    assert(flow);
    const struct taylor_path *path = &flow->taylor->path;
    double now = fmax(fmax(flow->taylor->now, path->from), flow->traced);
    if (path->land > now)
        taylor_rows_trace(flow, path->landing, path->from, now,
                          fmin(path->land, t));
    if (t > path->land)
        taylor_rows_trace(flow, path->sliding, path->land,
                          fmax(now, path->land), t);
}

/* -- a limit at one contact that is known soon ------------------------------
 */

void
taylor_fall_note(struct taylor_flow *taylor)
{
    assert(taylor->now >= taylor->piece.began);
    struct taylor_single *single = &taylor->single;
    const double *gap = taylor->piece.gap + (size_t)single->contact * ROW;
    double rate[ROW], acc[ROW], elapsed = taylor->now - taylor->piece.began;
    int n = polynomial_derivative(gap, MOTION_STEP_ORDER, rate);
    single->rate = -polynomial_value(rate, n, elapsed);
    n = polynomial_derivative(rate, n, acc);
    single->acc = -polynomial_value(acc, n, elapsed);
    if (single->impacts == 1)
        single->foreseen = -INFINITY;
    if (single->acc > 0.0)
        single->highest[single->contact] =
            fmax(single->highest[single->contact],
                 single->rate * single->rate / (2.0 * single->acc));
}

/* By how much the second term of the motion moves the limit of the parabola:
 * flights s of v s - a s^2/2 + j s^3/6 after impacts that take r (v + v') off
 * a. To the first order in j and r the sum of the flights is
 * 2 v/(a (1 - e)) + (4 j/(3 a^3) + 2 e r/a^2) (v/(1 - e))^2. */
static double
second_term(const struct taylor_single *single, const double *gap,
            double restitution)
{
    double acc = -2.0 * gap[2], rest = gap[1] / (acc * (1.0 - restitution));
    double lost = (single->acc - acc) / (single->rate + gap[1]);
    return (8.0 * gap[3] / acc + 2.0 * restitution * lost) * rest * rest;
}

bool
taylor_fall_known(struct flow *flow, double noise, double scale, double *time)
{
    assert(noise >= 0.0 && scale > 0.0);
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_single *single = &taylor->single;
    const double *gap = taylor->piece.gap + (size_t)single->contact * ROW;
    double before = single->foreseen, off = single->off,
           left = *time - taylor->now;
    double moved = second_term(single, gap, taylor->chatter.ratio),
           share = fmax(fabs(moved) / left, left / scale);
    *time += moved;
    single->foreseen = *time;
    single->off = FALL_TERMS * share * share * left + noise;
    left = *time - taylor->now;
    if (single->impacts < 2 || !(left > 0.0) || !(single->off <= 2.0 * noise) ||
        !(fabs(*time - before) <= single->off + off) ||
        !(gap[1] * gap[1] <=
          -4.0 * gap[2] * FALL_LOW * single->highest[single->contact]))
        return false;
    share = left / scale;
    taylor->chatter.remaining = left;
    taylor->chatter.error = fmin(single->off / left, 1.0);
    taylor->chatter.state_error =
        FALL_TERMS * share * share * share +
        DBL_EPSILON * (TAYLOR_NOISE + (double)single->impacts);
    return true;
}

/* -- a limit at several contacts: that of the parabola that touches the motion
 * at the last impact ---------------------------------------------------------
 */

/* The error of the second of two predictions of one limit, whose errors go
 * with a power of the times left. The result is twice the leading term. */
double
taylor_settled(double change, double left, double before, int power)
{
    assert(left >= 0.0 || isnan(left));
    double q = pow(left / before, power);
    return q < 1.0 ? 2.0 * change * q / (1.0 - q) : INFINITY;
}

static double
last_flights(const struct taylor_flow *taylor)
{
    double sum = 0.0;
    for (int i = 0; i < TAYLOR_FLIGHTS; i++)
        sum += taylor->several.flight[i];
    return sum;
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
    ballistic->law = flow->law;
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
            accumulation_resolve(ballistic, TAYLOR_RESOLVE);
        } else if (what != BALLISTIC_SEVERAL)
            return false;
        for (uint32_t i = 0; i < flow->m && what == BALLISTIC_SEVERAL; i++)
            taylor->several.group[i] |= ballistic->event.together[i];
    }
    return false;
}

/* Is there nothing to be done with a prediction, as the next forecast comes
 * later, or none can begin yet? Flights that are short beside the time that is
 * left tell that the limit comes earlier. */
static bool
predict_later(const struct taylor_flow *taylor)
{
    const struct taylor_forecast *last = &taylor->forecast;
    const struct taylor_next_event *next = &taylor->next;
    bool stands = last->n > 0 && last->time > taylor->now;
    double limit = stands ? last->time : taylor->several.foreseen,
           left = limit - taylor->now;
    if (!(left > 0.0) || left > TAYLOR_AHEAD * last_flights(taylor))
        return false;
    return stands ? next->what == NEXT_CLOSES &&
                        limit - next->time > PREDICT_AGAIN * last->left
                  : left > PREDICT_FAR * FORECAST_BEGIN * taylor->piece.h;
}

/* The error (s) that a prediction may have beside that of its parabola: the
 * rounding of the time, or a small share of what the parabola misses, as far as
 * the prediction before, `was`, tells. */
static double
good_enough(const struct taylor_flow *taylor, double was)
{
    const struct taylor_several *several = &taylor->several;
    double rounding = 0.5 * DBL_EPSILON * fabs(taylor->now),
           share = (was - taylor->now) / several->left_before;
    return was > taylor->now && isfinite(several->error)
               ? fmax(rounding, PREDICT_SHARE * several->error * share * share)
               : rounding;
}

/* Counts the other contacts of the limit in what the rounding of gaps makes of
 * its time: the terms of the gaps over the speeds with which they close, which
 * are *most and *least for the contacts that fly as short as the last ones. Of
 * limits of limits one contact flies on where the other has just come to rest.
 */
static void
count_far(const struct flow *flow, double *most, double *least)
{
    const struct taylor_flow *taylor = flow->taylor;
    const double *acc = taylor->instant->matrices.gap_acc;
    for (uint32_t i = 0; i < flow->m; i++) {
        double gap = flow->instant.gap[i], rate = flow->instant.rate[i];
        if (!taylor->several.group[i] || taylor->contacts.closed[i] ||
            taylor->contacts.opening[i] || !(gap > 0.0))
            continue;
        double closing = sqrt(rate * rate + 2.0 * fmax(-acc[i], 0.0) * gap);
        *most = fmax(*most, taylor->terms.gap[i]);
        *least = closing > 0.0 ? fmin(*least, closing) : *least;
    }
}

/* Takes up the last prediction of the limit of several->group. That of another
 * group stays aside: between limits of limits both are predicted in turns. */
static struct taylor_predicted *
predicted_before(struct taylor_several *several, uint32_t m)
{
    struct taylor_predicted last = several->was;
    if (memcmp(last.group, several->group, m)) {
        several->was = several->aside;
        several->aside = last;
    }
    if (memcmp(several->was.group, several->group, m))
        several->was.limit = -INFINITY;
    memcpy(several->was.group, several->group, m);
    return &several->was;
}

/* Follows the parabola that touches the motion here to the limit of its
 * impacts, within `reach`; gaps are rounded as their terms `most` are. Into
 * several->predicted and group, and taylor->chatter. */
static bool
parabola_limit(struct flow *flow, double reach, double most)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_several *several = &taylor->several;
    struct ballistic_model model = flow_model(flow);
    double was = several->foreseen;
    several->foreseen = -INFINITY;
    if (several->probe
            ? ballistic_renew(several->probe, &model)
            : ballistic_new(flow->run->arena, &model, &several->probe))
        return false;
    if (!ballistic_start(several->probe, taylor->now, taylor->x,
                         taylor->x + flow->n,
                         TAYLOR_NOISE * DBL_EPSILON * most))
        return false;
    accumulation_accept_time(several->probe, good_enough(taylor, was));
    if (!look_ahead(flow, taylor->now + reach))
        return false;
    several->predicted = several->probe->t;
    memcpy(several->group, several->probe->event.group, flow->m);
    taylor->chatter = several->probe->event.limit;
    return true;
}

/* See bounces_friction: there is none. */
static bool
no_friction(struct bounces *bounce, int point, double speed, bool rests,
            double mu[3])
{
    assert(bounce && point < bounce->n && (speed >= 0.0 || rests));
    (void)bounce;
    (void)point;
    (void)speed;
    (void)rests;
    memset(mu, 0, 3 * sizeof *mu);
    return true;
}

/* All contacts of a system without friction right after an impact (after
 * taylor_instant). */
static struct bounces *
smooth_bounces_now(struct flow *flow, double ahead)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct contact_matrices *matrices = &taylor->instant->matrices;
    struct arena *arena = flow->run->brief;
    enum imp_impact_law law = (enum imp_impact_law)flow->run->im->impact_law;
    uint32_t m = flow->m, *contact = NEW_N(arena, uint32_t, m);
    struct bounces *bounce = bounces_new(flow->run, (int)m);
    double *W = NEW_N(arena, double, 4 * (size_t)m * (size_t)m);
    bounce->contact = contact;
    bounce->point = NEW_N(arena, struct friction_point, m);
    bounce->W = W;
    bounce->friction = no_friction;
    bounce->ahead = ahead;
    for (uint32_t i = 0; i < m; i++) {
        uint32_t number = contact[i] = flow->sys->contact + i;
        const imp_contact *of = rt_contact(flow->run, number);
        for (uint32_t j = 0; j < m; j++)
            W[(size_t)2 * i * 2 * m + 2 * j] = matrices->W[i * m + j];
        bounce->law[i] = (struct friction_impact_point){
            .contact = number,
            .varies = friction_varying_law(flow->run, number),
            .own = friction_own_law(flow->run, number, law),
            .law = friction_law_of_point(law, (enum imp_law)of->law,
                                         of->flags & IMP_CONTACTF_LAW),
            .e = flow->instant.e[i],
            .priority = INFINITY};
        bounce->free[2 * i] = matrices->gap_acc[i];
        bounce->terms[2 * i] = matrices->gap_acc_terms[i];
        bounce->gap[i] = bounce->peak[i] =
            taylor->contacts.opening[i] ? 0.0 : fmax(flow->instant.gap[i], 0.0);
        bounce->rate[2 * i] = flow->instant.rate[i];
        bounce->band[i] = bounce->blur[i] =
            TAYLOR_NOISE * DBL_EPSILON * taylor->terms.gap[i];
        bounce->high = fmax(bounce->high, fabs(flow->instant.rate[i]));
    }
    return bounce;
}

/* Follows the impacts of a system without friction one by one, in constant
 * accelerations, to the limit of all contacts that are hit on the way (after
 * taylor_instant, right after an impact): into group (m). Returns false where
 * there is none within `ahead` (s), where rounding decides what is hit
 * together, or a contact is closed. */
static bool
follow_turns(struct flow *flow, double ahead, bool *group,
             struct accumulation_limit *limit)
{
    const struct taylor_flow *taylor = flow->taylor;
    for (uint32_t i = 0; i < flow->m; i++)
        if (taylor->contacts.closed[i])
            return false;
    struct bounces *bounce = smooth_bounces_now(flow, ahead);
    if (!bounces_follow(bounce) || bounce->joined || !(bounce->time > 0.0) ||
        !bounces_independent(bounce, taylor->contacts.closed))
        return false;
    for (uint32_t i = 0; i < flow->m; i++)
        group[i] = bounce->hits[i] > 0;
    const double *flight = taylor->several.flight;
    *limit = (struct accumulation_limit){
        .evidence = LIMIT_BELOW_ROUNDING,
        .impacts = taylor->several.impacts,
        .depth = 1,
        .ratio = sqrt((flight[0] + flight[1]) / (flight[2] + flight[3])),
        .ratio_error = NAN,
        .remaining = bounce->time,
        .error = bounce->error / bounce->time};
    return true;
}

/* The same of contacts in turns whose restitutions go on to change, which no
 * map of a period knows: their impacts are followed one by one. Where they come
 * to no end, the next attempt waits for as many impacts as a share of those
 * that there have been. */
static bool
turns_limit(struct flow *flow, double reach)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_several *several = &taylor->several;
    several->foreseen = -INFINITY;
    if (several->impacts < several->wait)
        return false;
    if (!follow_turns(flow, reach, several->group, &taylor->chatter)) {
        several->wait =
            several->impacts + TAYLOR_FLIGHTS + several->impacts / 4;
        return false;
    }
    several->predicted = taylor->now + taylor->chatter.remaining;
    return true;
}

/* The greatest terms of the gaps that the next impacts close, and the least
 * speed with which they do. */
static void
closing_terms(const struct flow *flow, double *most, double *least)
{
    const struct taylor_flow *taylor = flow->taylor;
    *most = 0.0;
    *least = INFINITY;
    for (uint32_t i = 0; i < flow->m; i++)
        if (taylor->contacts.closed[i] || taylor->contacts.opening[i] ||
            flow->instant.gap[i] <
                last_flights(taylor) * fabs(flow->instant.rate[i])) {
            *most = fmax(*most, taylor->terms.gap[i]);
            /* the rate of a closed contact is rounding */
            *least = taylor->contacts.closed[i] || flow->instant.rate[i] == 0.0
                         ? *least
                         : fmin(*least, fabs(flow->instant.rate[i]));
        }
}

/* Compares the limit that has just been predicted with the prediction before:
 * several->error, and several->limit where both agree to rounding. */
static void
compare_prediction(struct flow *flow, double most, double least)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_several *several = &taylor->several;
    double left = several->predicted - taylor->now;
    several->foreseen = several->predicted;
    several->left_before = left;
    struct taylor_predicted *last = predicted_before(several, flow->m);
    double before = last->left, was = last->limit;
    *last = (struct taylor_predicted){last->group, several->predicted, left};
    count_far(flow, &most, &least);
    double missed = taylor->chatter.error * taylor->chatter.remaining,
           same = DBL_EPSILON * fmax(4.0 * fabs(several->predicted),
                                     TAYLOR_NOISE * most / least);
    if (fabs(several->predicted - was) <= same && missed <= same)
        several->limit = several->predicted;
    double blur = least < INFINITY ? most / least : 0.0;
    /* the difference may be rounding, which does not fall */
    several->error =
        taylor_settled(fabs(several->predicted - was), left, before,
                       taylor->branches.switches ? 1 : 2) +
        fabs(several->predicted - was) + missed +
        2.0 * TAYLOR_NOISE * DBL_EPSILON * (fabs(several->predicted) + blur);
}

/* Predicts where the parabola that touches the motion here comes to the limit
 * of its impacts. Accept the predicted limit when two predictions in a row
 * agree to the rounding error of the time or of the gaps. */
int
taylor_predict(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_several *several = &taylor->several;
    double most, least;
    if (several->shrinks && predict_later(taylor))
        return IMP_OK;
    several->pauses = several->shrinks ? 0 : several->pauses + 1;
    if (!several->shrinks && several->pauses <= TAYLOR_FLIGHTS)
        return IMP_OK;
    double lately = last_flights(taylor);
    if (several->rest == taylor->now)
        lately = fmax(lately, several->round);
    double reach = fmin(TAYLOR_AHEAD * lately,
                        PREDICT_FAR * FORECAST_BEGIN * taylor->piece.h);
    /* or not even the next impact comes so soon */
    if (!several->shrinks || taylor->single.impacts >= TAYLOR_FLIGHTS ||
        taylor->next.time - taylor->now > reach) {
        several->foreseen = -INFINITY;
        return IMP_OK;
    }
    int st = taylor_instant(flow, taylor->contacts.closed);
    if (st)
        return st;
    closing_terms(flow, &most, &least);
    if (several->lawful ? parabola_limit(flow, reach, most)
                        : turns_limit(flow, reach))
        compare_prediction(flow, most, least);
    return IMP_OK;
}

/* -- beside it ------------------------------------------------------------- */

int
flow_touching_parabola(struct flow *flow, struct ballistic **room,
                       struct ballistic **out)
{
    assert(flow && room && out);
    struct taylor_flow *taylor = flow->taylor;
    struct ballistic *ballistic = NULL;
    double most = 0.0;
    int st = IMP_OK;
    *out = NULL;
    if (flow->parabola.now) {
        ballistic =
            ballistic_memory(flow->run->arena, (int)flow->n, (int)flow->m);
        ballistic_copy(ballistic, flow->parabola.now);
    } else {
        double *time = flow->run->env + flow->run->im->layout.time, now = *time;
        st = taylor_instant(flow, taylor->contacts.closed);
        *time = now;
        for (uint32_t i = 0; i < flow->m; i++)
            flow->run->env[rt_contact(flow->run, flow->sys->contact + i)
                               ->env_contact +
                           IMP_CONTACT_ACTIVE] = taylor->contacts.closed[i];
        if (st)
            return st;
        struct ballistic_model model = flow_model(flow);
        for (uint32_t i = 0; i < flow->m; i++)
            if (taylor->contacts.closed[i] || taylor->contacts.opening[i])
                most = fmax(most, taylor->terms.gap[i]);
        ballistic = *room;
        if (ballistic ? ballistic_renew(ballistic, &model)
                      : ballistic_new(flow->run->arena, &model, &ballistic))
            return IMP_OK;
        *room = ballistic;
        if (!ballistic_start(ballistic, taylor->now, taylor->x,
                             taylor->x + flow->n,
                             TAYLOR_NOISE * DBL_EPSILON * most))
            return IMP_OK;
        ballistic->policy = flow->policy;
        ballistic->law = flow->law;
    }
    *out = ballistic;
    return IMP_OK;
}
