/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts in systems that Taylor series follow.
 *
 * In chatter the flights shrink by a ratio. After an impact the limit is
 * forecast: its time is that of the parabola that touches the motion there,
 * whose error falls with the square of the time that is left; the state is that
 * of a path along the contacts (limit_path.c), whose error falls with the cube.
 * Forecasts are made each time when half of the time is left, so the change
 * from one to the next bounds the errors. The limit is taken when both are of
 * the size of rounding. At one contact the parabola has a closed form, and so
 * has its change by the next term of the motion: the limit of flights that are
 * short and low is known after two impacts (limit_path.c). Where several
 * contacts take turns, ballistic.h and accumulation.h follow the parabola, and
 * bounces.h does where their restitutions go on to change. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/flow/flow_priv.h"
#include "runtime/held/held.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"

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
/* A limit is taken only when what is left is this share of that time, or of the
 * longest flight where the motion is a polynomial: rows that are recorded until
 * then show the flights. The heights of the flights at one contact that are
 * summed up are then rounding.
 * Where several contacts take turns, their gaps come to differ in size, and
 * digits are lost from one impact to the next. */
#define SHORT_SINGLE 0x1p-22
#define SHORT_SEVERAL 0x1p-6
/* The state at a limit is not asked for while this many times as much time is
 * left as may be, or while its error is this many times its rounding: three
 * halves of the time before the limit can be taken. */
#define STATE_EARLY 8.0
#define STATE_OFF 512.0
/* ... or so many impacts before it can be taken at one contact, where each of
 * them makes a forecast. */
#define STATE_IMPACTS 2
/* A limit at one contact is taken after this many impacts there, one after the
 * other: those of an order of several contacts may come together. Where flights
 * shrink so fast that they fall below all times before that, after this many
 * that have shrunk by SHORT_SINGLE. */
#define TAYLOR_LEAST 8
#define TAYLOR_FEWEST 3

/* A change of branch is seen in flights of so many least steps. */
#define SWITCHES_SEEN 1024.0

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

/* Returns sqrt(x M x), with the masses of the last instant. */
static double
energy_norm(const struct flow *flow, const double *x)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < flow->n; i++)
        for (uint32_t j = 0; j < flow->n; j++)
            sum += x[i] * flow->instant.mass[(size_t)i * flow->n + j] * x[j];
    return sqrt(fmax(sum, 0.0));
}

/* The time in which the motion changes: that for which its series holds, or the
 * longest flight where it is a polynomial, or ends within each flight. */
static double
time_scale(const struct flow *flow)
{
    const struct taylor_flow *taylor = flow->taylor;
    return isfinite(taylor->piece.h) && !taylor->branches.switches
               ? taylor->piece.h
               : taylor->several.longest;
}

/* The greatest difference of two states near the limit, as a share of what the
 * coordinates and rates are made of: of a rate, what the greatest speed on the
 * way and the free acceleration during the time scale would be in this
 * coordinate alone (after taylor_path_make). At the limit itself the system may
 * be at rest. */
static double
apart(const struct flow *flow, const double *state, const double *other)
{
    double scale = time_scale(flow), most = 0.0;
    double speed = fmax(energy_norm(flow, state + flow->n),
                        flow->taylor->several.fastest) +
                   energy_norm(flow, flow->instant.acc) * scale;
    for (uint32_t i = 0; i < flow->n; i++) {
        double rate =
            speed / sqrt(flow->instant.mass[(size_t)i * (flow->n + 1)]);
        double place = fabs(state[i]) + rate * scale;
        double off = fmax(fabs(state[i] - other[i]) / place,
                          fabs(state[flow->n + i] - other[flow->n + i]) / rate);
        most = fmax(most, off);
    }
    return most;
}

/* What two forecasts of one limit say. */
struct foreseen {
    double time, time_error; /* of the limit, s */
    double noise;            /* the rounding of the time */
    double parabola;         /* the limit of the parabola */
    double share;            /* SHORT_SINGLE or SHORT_SEVERAL */
    bool early;              /* it cannot be taken soon, whatever its state */
};

/* Is this forecast too early to take the limit, and its state therefore not
 * asked for? The error of the state falls with the cube of the time left. */
static bool
state_idle(const struct flow *flow, const struct foreseen *ahead, double left,
           double rounding)
{
    const struct taylor_placed *placed = &flow->taylor->forecast.placed;
    double share = left / placed->left;
    return ahead->early ||
           left > STATE_EARLY * ahead->share * time_scale(flow) ||
           (placed->known && isfinite(placed->off) &&
            placed->off * share * share * share > STATE_OFF * rounding);
}

/* The state at the limit, on the path of this forecast, and its error by that
 * of the forecast before, whose errors go with the cube of the times left.
 * False: there is no path. */
static bool
place(struct flow *flow, const bool *group, const struct foreseen *ahead,
      double left, double *state_error)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_placed *placed = &taylor->forecast.placed;
    double *x = taylor->path.x;
    if (!taylor_path_make(flow, group, left))
        return false;
    if (placed->known) {
        taylor_path_at(flow, placed->time, x);
        *state_error =
            taylor_settled(apart(flow, x, placed->x), left, placed->left,
                           taylor->branches.switches ? 1 : 3);
    }
    taylor_path_at(flow, ahead->time, x);
    memcpy(placed->x, x, 2 * flow->n * sizeof *x);
    placed->known = true;
    placed->left = left;
    placed->time = ahead->time;
    placed->off = *state_error;
    return true;
}

/* Takes up the forecasts of this group. Those of another stay aside, as its
 * turn may come again: at one contact, and at several. */
static void
turn_to(struct flow *flow, const bool *group)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_forecast last = taylor->forecast;
    if (memcmp(last.group, group, flow->m) &&
        (last.n > 0 || !memcmp(taylor->aside.group, group, flow->m))) {
        taylor->forecast = taylor->aside;
        taylor->aside = last;
    }
    if (memcmp(taylor->forecast.group, group, flow->m))
        taylor->forecast.n = 0;
    memcpy(taylor->forecast.group, group, flow->m);
}

/* Compares the forecast with the one before, and keeps it. Is the limit known
 * to rounding, in time and in state? */
static bool
forecast(struct flow *flow, const bool *group, struct foreseen *ahead)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_forecast *last = &taylor->forecast;
    double left = ahead->time - taylor->now;
    turn_to(flow, group);
    bool another = last->n == 0 || !(last->time > taylor->now);
    if (!another && left > 0.5 * last->left)
        return false;
    /* every impact rounds the state once */
    double most =
        DBL_EPSILON *
        (TAYLOR_NOISE + (double)(taylor->several.impacts - last->impacts));
    double state_error = INFINITY;
    last->placed.known =
        last->placed.known && !another && last->placed.time > taylor->now;
    if (!state_idle(flow, ahead, left, most) &&
        !place(flow, group, ahead, left, &state_error)) {
        last->n = 0;
        return false;
    }
    /* the ratio of a pattern changes as the directions of its impulses do */
    if (taylor->chatter.period != 1)
        taylor->chatter.ratio_error +=
            another ? NAN
                    : taylor_settled(fabs(taylor->chatter.ratio - last->ratio),
                                     left, last->left, 1);
    last->n = another ? 1 : last->n + 1;
    last->left = left;
    last->time = ahead->time;
    last->parabola = ahead->parabola;
    last->ratio = taylor->chatter.ratio;
    last->impacts = taylor->several.impacts;
    taylor->chatter.remaining = left;
    taylor->chatter.error = fmin(ahead->time_error / left, 1.0);
    taylor->chatter.state_error = state_error + most;
    return state_error <= most && ahead->time_error <= 2.0 * ahead->noise &&
           left <= ahead->share * time_scale(flow) &&
           ahead->time <= flow->end && !ahead->early;
}

/* The time of a flight as high as the rounding of the gap that was hit. */
static double
rounding_flight(const struct flow *flow, const double *gap)
{
    const struct taylor_flow *taylor = flow->taylor;
    return sqrt(TAYLOR_NOISE * DBL_EPSILON *
                taylor->terms.gap[taylor->single.contact] / (-2.0 * gap[2]));
}

/* Forces change their branches within each flight, as dry friction does at its
 * top, so that flights are no parabolas: what is left of them is told by the
 * ratio of the last two, which goes into *ratio. gap: its series from now
 * on. False: they do not tell. */
static bool
switched_flights(const struct flow *flow, const double *gap,
                 struct foreseen *ahead, double *ratio)
{
    const struct taylor_flow *taylor = flow->taylor;
    const double *flight = taylor->several.flight;
    uint32_t contact = flow->sys->contact + (uint32_t)taylor->single.contact;
    if (taylor->single.impacts < 3 || !(flight[0] < flight[1]) ||
        contact_restitution_varies(flow->run, contact))
        return false;
    *ratio = flight[0] / flight[1];
    ahead->time = ahead->parabola =
        taylor->now + flight[0] * *ratio / (1.0 - *ratio);
    /* of the times, and of the gap over its rate */
    double rounding = taylor->terms.gap[taylor->single.contact];
    ahead->noise = DBL_EPSILON *
                   (4.0 * ahead->time + TAYLOR_NOISE * rounding / gap[1]) /
                   ((1.0 - *ratio) * (1.0 - *ratio));
    /* a piece that begins at the top of a flight that is lower than the
     * rounding of its gap ends at once: near to that the last forecast knows
     * more */
    double low = SWITCHES_HIGH * rounding_flight(flow, gap);
    ahead->share = fmax(SHORT_SINGLE, low / time_scale(flow));
    const struct taylor_forecast *last = &taylor->forecast;
    if (flight[0] < low && last->n > 0 && last->time > taylor->now &&
        last->group[taylor->single.contact]) {
        ahead->time = ahead->parabola = last->time;
        *ratio = last->ratio;
    }
    return true;
}

/* The limit of the parabola that touches the motion, whose gap has this series
 * from now on. *ratio: of its flights. False: it has none. */
static bool
plain_flights(const struct flow *flow, const double *gap,
              struct foreseen *ahead, double *ratio)
{
    const struct taylor_flow *taylor = flow->taylor;
    uint32_t contact = (uint32_t)taylor->single.contact,
             number = flow->sys->contact + contact;
    double acc = -2.0 * gap[2];
    struct flight_sum flights;
    if (contact_restitution_varies(flow->run, number) &&
        !(gap[1] <= FORECAST_BEGIN * taylor->piece.h * acc))
        return false;
    contact_restitution_flights(flow->run, number, gap[1], &flights);
    /* a constant restitution that leaves as much as these flights */
    double rest = 1.0 / flights.sum, restitution = 1.0 - rest;
    if (!contact_restitution_varies(flow->run, number)) {
        restitution = flow->instant.e[contact];
        rest = 1.0 - restitution;
    }
    double left = 2.0 * gap[1] / (acc * rest);
    if (!flights.ends || !(left > 0.0) ||
        !(left <= FORECAST_BEGIN * taylor->piece.h))
        return false;
    ahead->time = ahead->parabola = taylor->now + left;
    ahead->share = SHORT_SINGLE;
    /* The rate is rounded at each impact, and so is the time, during which the
     * rate goes on to change. The impacts to come make these errors smaller,
     * and the sum of the flights is 2/(acc (1 - e)) times the rate. */
    ahead->noise =
        4.0 * DBL_EPSILON *
        (ahead->time + (ahead->time + taylor->terms.rate[contact] / acc) /
                           (rest * sqrt(1.0 - restitution * restitution)));
    if (contact_restitution_varies(flow->run, number)) {
        ahead->noise += flights.error * left;
        /* flights that shrink ever more slowly would be many */
        ahead->share = SHORT_SEVERAL;
        /* the ratio of flights is that of a vanishing speed */
        restitution = contact_restitution_ahead(flow->run, number, 0.0);
    }
    *ratio = restitution;
    return true;
}

/* Of flights at the contact that was hit alone, again and again: their limit.
 * False: it has none. */
static bool
single_parabola(struct flow *flow, struct foreseen *ahead)
{
    struct taylor_flow *taylor = flow->taylor;
    uint32_t contact = (uint32_t)taylor->single.contact;
    if (taylor->single.impacts < 1 || !taylor->contacts.opening[contact])
        return false;
    const double *gap = taylor->piece.gap + contact * ROW;
    double ratio = flow->instant.e[contact];
    if (!(gap[2] < 0.0) || !(gap[1] > 0.0) ||
        !(taylor->branches.switches ? switched_flights
                                    : plain_flights)(flow, gap, ahead, &ratio))
        return false;
    memset(taylor->single.group, 0, flow->m);
    taylor->single.group[contact] = true;
    taylor->chatter.impacts = taylor->single.impacts;
    taylor->chatter.evidence = LIMIT_BY_LAW;
    taylor->chatter.period = taylor->chatter.depth = 1;
    taylor->chatter.ratio = ratio;
    taylor->chatter.ratio_error = taylor->branches.switches
                                      ? ahead->noise / taylor->several.flight[0]
                                      : DBL_EPSILON * ratio;
    return true;
}

/* Is more than half of the time left that the last forecast saw? Another one,
 * which `forecast` would not look at, costs much where the restitution depends
 * on the approach. */
static bool
not_yet_half(const struct flow *flow)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct taylor_forecast *last = &taylor->forecast;
    uint32_t contact = (uint32_t)taylor->single.contact;
    return taylor->single.impacts > 0 && last->n > 0 && last->group[contact] &&
           last->time > taylor->now &&
           last->time - taylor->now > 0.5 * last->left &&
           contact_restitution_varies(flow->run, flow->sys->contact + contact);
}

/* Have there been so many impacts at one contact that a limit may be taken? */
static bool
enough_impacts(int impacts, double ratio)
{
    return impacts >= TAYLOR_LEAST || (impacts >= TAYLOR_FEWEST &&
                                       pow(ratio, impacts - 1) <= SHORT_SINGLE);
}

/* Is the limit at one contact known right after an impact, as what is left is
 * short and low? */
static bool
single_known(struct flow *flow, const struct foreseen *parabola)
{
    struct taylor_flow *taylor = flow->taylor;
    uint32_t contact = (uint32_t)taylor->single.contact;
    double time = parabola->time, scale = time_scale(flow);
    if (!(time - taylor->now <= parabola->share * scale) ||
        contact_restitution_varies(flow->run, flow->sys->contact + contact) ||
        taylor->next.guard >= 0 || taylor->branches.switches ||
        !taylor_fall_known(flow, parabola->noise, scale, &time) ||
        time > flow->end || !clear(flow, time - taylor->now))
        return false;
    turn_to(flow, taylor->single.group);
    taylor->forecast.time = time;
    return taylor_path_make(flow, taylor->single.group, time - taylor->now);
}

static bool
single_ahead(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    const struct taylor_forecast *last = &taylor->forecast;
    struct accumulation_limit other = taylor->chatter;
    struct foreseen ahead;
    if (not_yet_half(flow) || !single_parabola(flow, &ahead))
        return false;
    if (single_known(flow, &ahead))
        return true;
    if (taylor->single.impacts < 2) {
        taylor->chatter = other;
        return false;
    }
    ahead.time_error = INFINITY;
    turn_to(flow, taylor->single.group);
    if (last->n > 0) {
        double left = ahead.time - taylor->now, before = last->left,
               change = ahead.parabola - last->parabola,
               q = left / before * (left / before);
        if (!taylor->branches.switches)
            ahead.time += change * q / (1.0 - q);
        ahead.time_error = taylor->branches.switches ? fabs(change)
                           : last->n == 1
                               ? taylor_settled(fabs(change), left, before, 2)
                               : taylor_settled(fabs(ahead.time - last->time),
                                                left, before, 3);
        ahead.time_error += ahead.noise;
    }
    ahead.early = (taylor->chatter.ratio <= 0.5 &&
                   !enough_impacts(taylor->single.impacts + STATE_IMPACTS,
                                   taylor->chatter.ratio)) ||
                  !(ahead.time > taylor->now) ||
                  !clear(flow, ahead.time - taylor->now);
    if (ahead.time > taylor->now &&
        forecast(flow, taylor->single.group, &ahead) &&
        enough_impacts(taylor->single.impacts, taylor->chatter.ratio))
        return true;
    taylor->chatter = other;
    return false;
}

/* The flights are below rounding. Of those at one contact the sum is known. */
static bool
faint_ahead(struct flow *flow, double *time)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_forecast *last = &taylor->forecast;
    struct accumulation_limit other = taylor->chatter;
    struct foreseen ahead;
    *time = taylor->now;
    if (last->n > 1 && single_parabola(flow, &ahead) &&
        !memcmp(last->group, taylor->single.group, flow->m) &&
        ahead.time <= flow->end && clear(flow, ahead.time - taylor->now)) {
        *time = ahead.time;
        taylor->chatter.remaining = ahead.time - taylor->now;
        taylor->chatter.error =
            fmin((fabs(ahead.time - last->time) + ahead.noise) /
                     taylor->chatter.remaining,
                 1.0);
    } else {
        taylor->chatter = other;
        memcpy(last->group, taylor->several.group, flow->m);
    }
    /* every impact rounds the state once */
    taylor->chatter.state_error =
        DBL_EPSILON *
        (TAYLOR_NOISE +
         (double)(taylor->several.impacts - (last->n > 0 ? last->impacts : 0)));
    /* forces that change their branches within each flight (dry friction) may
     * do the opposite of what they do on the way that is followed */
    if (taylor->branches.switches)
        taylor->chatter.state_error +=
            FAINT_BRANCHES * (*time - taylor->now) / time_scale(flow);
    return taylor_path_make(flow, last->group, *time - taylor->now);
}

/* Is the next flight at the contact that was hit alone too low to be followed,
 * as forces change their branches within it? The last forecasts tell the limit.
 */
static bool
switches_unseen(const struct flow *flow)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct taylor_forecast *last = &taylor->forecast;
    const double *flight = taylor->several.flight;
    if (!taylor->branches.switches || taylor->single.impacts < 3)
        return false;
    const double *gap = taylor->piece.gap + taylor->single.contact * ROW;
    return last->n > 1 && last->time > taylor->now &&
           last->group[taylor->single.contact] && flight[0] < flight[1] &&
           gap[1] > 0.0 && gap[2] < 0.0 &&
           flight[0] * flight[0] <
               SWITCHES_LOW * flight[1] * rounding_flight(flow, gap);
}

/* The limit of impacts at several contacts, from the prediction of predict. */
static bool
several_ahead(struct flow *flow)
{
    struct taylor_flow *taylor = flow->taylor;
    const struct taylor_several *several = &taylor->several;
    struct foreseen ahead = {several->predicted, several->error, 0.0,
                             several->predicted, SHORT_SEVERAL,  false};
    double left = several->predicted - taylor->now;
    if (!(left > 0.0) || !(left <= FORECAST_BEGIN * taylor->piece.h))
        return false;
    /* predictions in a row agree to rounding, or not */
    ahead.noise = several->limit > taylor->now ? several->error : 0.0;
    if (!forecast(flow, several->group, &ahead))
        return false;
    taylor->chatter.impacts = several->impacts;
    return true;
}

void
taylor_accumulation_doubt(struct taylor_flow *taylor)
{
    assert(taylor);
    taylor->several.predicted = taylor->several.foreseen =
        taylor->several.limit = -INFINITY;
    taylor->several.was.limit = taylor->several.aside.limit = -INFINITY;
    taylor->several.rest = -INFINITY;
    taylor->several.round = 0.0;
    taylor->forecast.n = taylor->aside.n = 0;
}

void
taylor_accumulation_forget(struct taylor_flow *taylor)
{
    assert(taylor);
    taylor->single.impacts = 0;
    taylor->several.impacts = taylor->several.wait = 0;
    taylor->several.fastest = 0.0;
    taylor_accumulation_doubt(taylor);
}

/* Makes an impact at contact c. */
static void
one_contact(struct taylor_flow *taylor, int c)
{
    struct taylor_single *single = &taylor->single;
    single->impacts =
        single->impacts > 0 && single->contact == c ? single->impacts + 1 : 1;
    single->contact = c;
    taylor_fall_note(taylor);
}

/* Notes the flight that ends now, at whichever contact. Do the flights shrink?
 */
static bool
shrinks(struct taylor_flow *taylor)
{
    double *flights = taylor->several.flight, now = 0.0, before = 0.0;
    memmove(flights + 1, flights, (TAYLOR_FLIGHTS - 1) * sizeof *flights);
    flights[0] = taylor->now - taylor->several.time;
    taylor->several.time = taylor->now;
    taylor->several.longest = fmax(taylor->several.longest, flights[0]);
    if (++taylor->several.impacts <= TAYLOR_FLIGHTS)
        return false;
    for (int i = 0; i < TAYLOR_FLIGHTS / 2; i++) {
        now += flights[i];
        before += flights[TAYLOR_FLIGHTS / 2 + i];
    }
    if (now > before)
        taylor->several.longest = fmax(flights[0], flights[1]);
    /* or the flights are below the rounding of the time already */
    return now < before || now == 0.0;
}

/* Do the restitutions of the contacts that open stay what they are until the
 * limit? Those of the parabola do. */
static bool
settled_laws(const struct flow *flow)
{
    for (uint32_t i = 0; i < flow->m; i++)
        if (flow->taylor->contacts.opening[i] &&
            !contact_restitution_settled(flow->run, flow->sys->contact + i,
                                         fabs(flow->instant.rate[i])))
            return false;
    return true;
}

/* Notes an impact: its flight, and what a prediction needs to know of it. */
static void
note(struct flow *flow)
{
    struct taylor_several *several = &flow->taylor->several;
    several->shrinks = shrinks(flow->taylor);
    several->lawful = settled_laws(flow);
    several->fastest =
        fmax(several->fastest, energy_norm(flow, flow->taylor->x + flow->n));
    several->predicted = several->limit = -INFINITY;
}

int
taylor_accumulation_first(struct flow *flow)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    double time = taylor->now;
    if (taylor->several.time != taylor->now)
        return IMP_OK; /* the last impact lies behind */
    if (!taylor->several.faint.now && !switches_unseen(flow)) {
        int st = taylor_predict(flow);
        bool single = taylor->single.impacts > 0;
        if (st || !((single && single_ahead(flow)) || several_ahead(flow)))
            return st;
        time = taylor->forecast.time;
    } else if (!faint_ahead(flow, &time)) {
        return IMP_OK;
    }
    taylor->next.time = time;
    taylor->next.what = NEXT_LIMIT;
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
        int contact = taylor->next.hit[k];
        double speed = fabs(ballistic->rate[contact]);
        double low = DBL_EPSILON * taylor->terms.gap[contact] / TAYLOR_FAINT;
        double time = fmax(tick, 2.0 * sqrt(2.0 * low / press));
        if (taylor->contacts.closed[contact])
            continue; /* This contact has been put to rest. */
        if (!(2.0 * speed <= press * time) ||
            several->flight[0] > TAYLOR_CLEAR * time)
            return;
        flies = several->faint.contacts[contact] = true;
        ratio = fmax(ratio, flow->instant.e[contact]);
        left = fmax(left, 2.0 * speed / press);
    }
    if (!flies) {
        several->faint.impacts = before;
        return;
    }
    if (!(press > 0.0) || !(ratio < 1.0))
        return;
    several->faint.impacts = before + 1;
    /* the clock does not show the next flight at one contact */
    bool last = ratio > 0.0 && taylor->single.impacts > 1 && left < tick;
    if (several->faint.impacts < TAYLOR_FAINTS && !last)
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
                                    .ratio = last ? ratio : NAN,
                                    .ratio_error = NAN,
                                    .remaining = left / (1.0 - ratio),
                                    .error = 1.0};
}

void
taylor_branches_note(const struct flow *flow, double flight)
{
    assert(flow && !(flight < 0.0));
    struct taylor_branches *branches = &flow->taylor->branches;
    uint32_t n = switching_count(flow->run, flow->sys->block);
    bool switches = false;
    memcpy(branches->changed_before, branches->changed,
           n * sizeof *branches->changed);
    for (uint32_t i = 0; i < n; i++)
        switches |= branches->changed[i];
    memset(branches->changed, 0, n * sizeof *branches->changed);
    /* in flights that are too short to see it goes on unseen */
    if (switches || flight > SWITCHES_SEEN * switching_least(flow->run))
        branches->switches = switches;
}

void
taylor_accumulation_count(struct flow *flow, int c, int together)
{
    assert(together >= 1 && c >= 0 && c < (int)flow->m);
    taylor_branches_note(flow, flow->taylor->now - flow->taylor->several.time);
    one_contact(flow->taylor, c);
    double *rates = flow->taylor->single.rates;
    memcpy(rates + flow->n, rates, flow->n * sizeof *rates);
    memcpy(rates, flow->taylor->x + flow->n, flow->n * sizeof *rates);
    if (together > 1)
        flow->taylor->single.impacts =
            0; /* The flights are not those of one contact. */
    note(flow);
    faint(flow);
}

/* The state at the limit, on the path, and then exactly on the gaps; the
 * contacts that stay closed from there on. */
static int
settle_at_limit(struct flow *flow, enum ballistic_event *what)
{
    struct taylor_flow *taylor = flow->taylor;
    bool *on = taylor->path.closed, moves = true;
    size_t size = 2 * flow->n * sizeof *taylor->x;
    double *was = NEW_N(flow->run->brief, double, 2 * flow->n + 1);
    taylor_path_at(flow, taylor->next.time, taylor->x);
    taylor_path_rates(flow);
    taylor->now = taylor->next.time;
    taylor->next.known = false;
    for (int round = 0; round < TAYLOR_NEWTON && moves; round++) {
        int st = taylor_instant(flow, on);
        if (st)
            return st;
        memcpy(was, taylor->x, size);
        ballistic_stick(taylor->instant, on);
        ballistic_state(taylor->instant, taylor->x, taylor->x + flow->n);
        moves = memcmp(was, taylor->x, size) != 0;
    }
    memset(taylor->lo, 0, 2 * flow->n * sizeof *taylor->lo);
    const struct held of = {flow->n, flow->m, flow->instant.N,
                            flow->instant.mass};
    bool parts, agree = held_agree(&of, flow->instant.drift,
                                   taylor->x + flow->n, on, &parts);
    if (parts)
        ballistic_stick(taylor->instant, on);
    /* those that exclude each other stay closed for now: taylor_parting tells
     */
    *what = agree ? ballistic_instant_impact(taylor->instant, NULL, 0)
                  : BALLISTIC_END;
    return IMP_OK;
}

int
taylor_accumulation(struct flow *flow, struct flow_event *event)
{
    assert(flow->taylor->next.time >= flow->taylor->now);
    struct taylor_flow *taylor = flow->taylor;
    const bool *group = taylor->forecast.group;
    enum ballistic_event what;
    bool single = taylor->chatter.evidence == LIMIT_BY_LAW;
    taylor->several.faint.now = false;
    int st = settle_at_limit(flow, &what);
    if (st)
        return st;
    flow_report(flow, taylor->instant, what, event);
    event->kind = what == BALLISTIC_JAMMED ? FLOW_JAMMED : FLOW_CHATTER;
    event->time = taylor->now;
    event->impulse = 0.0;
    flow->last.n_contacts = 0;
    for (uint32_t i = 0; i < flow->m; i++)
        if (group[i]) {
            flow->last.contacts[flow->last.n_contacts] = flow->sys->contact + i;
            flow->last.impulse[flow->last.n_contacts++] = 0.0;
        }
    event->n = flow->last.n_contacts;
    event->contact = flow->last.contacts[0];
    event->chatter = taylor->chatter;
    taylor_take_back(flow);
    taylor->single.impacts = 0;
    taylor->forecast.n = 0;
    if (!single) {
        taylor_accumulation_forget(taylor);
        return IMP_OK;
    }
    note(flow);
    taylor->several.round = isfinite(taylor->several.rest)
                                ? taylor->now - taylor->several.rest
                                : 0.0;
    taylor->several.rest = taylor->now;
    return IMP_OK;
}
