/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts in systems that Taylor series follow.
 *
 * Chatter: the flights shrink by a ratio; the limit is taken when two
 * successive estimates of its time agree to rounding. At one contact they
 * follow from the flights; where several take turns, the impacts that are to
 * come are those of the parabola that touches the motion here (ballistic.h),
 * which is wrong by the square of the time that is left. The state there is the
 * projection of accumulation.c with the present mass matrix and gradients, then
 * put on the gaps by Newton's method; what that leaves out is of the square of
 * a time that is below the root of rounding. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/flow/flow_taylor_priv.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"

/* impacts in a row at one contact before a limit is taken from their flights */
#define SERIES_LEAST 8
/* others stay clear of it by this many times its gap's way until the limit */
#define SERIES_CLEAR 4.0
/* flights this much lower than the rounding of their gap are none */
#define SERIES_FAINT 16.0
/* impacts with none but such flights, after which there are no more */
#define SERIES_FAINTS 8
/* steps onto the gaps at a limit: from 1e-3 of a length to rounding */
#define SERIES_NEWTON 3
/* several contacts: what is looked ahead, in the last flights, and impacts */
#define SERIES_AHEAD 50.0
#define SERIES_IMPACTS 4000

/* Do all contacts but the last stay clear of its limit, T from now? Each of the
 * impacts to come changes their rates by no more than they change its own. */
static bool
clear(const struct flow *f, double T)
{
    const struct series_way *w = f->series;
    double reach = SERIES_CLEAR * fabs(w->g[w->last * ROW + 1]) * T, s;
    for (uint32_t i = 0; i < f->m; i++) {
        const double *g = w->g + i * ROW;
        if (w->on[i] || (int)i == w->last)
            continue;
        if (!(fmin(g[0], polynomial_value(g, MOTION_STEP_ORDER, T)) > reach) ||
            polynomial_below(g, MOTION_STEP_ORDER, 0.0, T, 0.0, &s))
            return false;
    }
    return true;
}

bool
series_limit_ahead(const struct flow *f, double until, double *time)
{
    const struct series_way *w = f->series;
    double one = w->estimate - w->now, some = w->found - w->now;
    if (w->faint)
        *time = w->now;
    else if (one > 0.0 && w->estimate <= until && w->same >= SERIES_LEAST &&
             one <= w->h && clear(f, one))
        *time = w->estimate;
    else if (some > 0.0 && w->found <= until && some <= w->h)
        *time = w->found;
    else
        return false;
    return true;
}

/* the contacts whose impacts the limit ahead sums up */
static void
limit_group(struct flow *f)
{
    struct series_way *w = f->series;
    if (w->ahead == w->found)
        return; /* as predicted */
    memset(w->group, 0, f->m);
    w->group[w->last] = true;
}

/* Impacts averaged out: along the parabola from the last one, then onto the
 * gaps, which it leaves by the cube of the time */
void
series_between(struct flow *f, double t)
{
    struct series_way *w = f->series;
    double *env = f->r->env, *time = env + f->r->im->layout.time, now = *time;
    limit_group(f);
    (void)ballistic_instant_impact(w->instant, NULL, 0); /* its accelerations */
    memcpy(w->instant->group, w->group, f->m);
    ballistic_between(w->instant, w->instant, t, f->q, f->v);
    *time = t;
    memcpy(env + f->s->env_state, f->q, f->n * sizeof *f->q);
    memcpy(env + f->s->env_state + f->n, f->v, f->n * sizeof *f->v);
    int st = flow_instant(f);
    *time = now;
    struct ballistic_model m = flow_model(f);
    bool *closed = w->closed;
    for (uint32_t i = 0; i < f->m; i++)
        closed[i] = w->on[i] || w->group[i];
    if (st || (!w->between && ballistic_new(f->r->arena, &m, &w->between)) ||
        ballistic_instant(w->between, &m, t, f->q, f->v, closed))
        return;
    ballistic_stick(w->between, closed);
    ballistic_state(w->between, f->q, f->v);
}

/* Of two guesses of the same limit, wrong by the squares of the times that are
 * left to it: the error of the second, twice what it is to leading order. */
static double
settled(double change, double left, double before)
{
    double q = left / before;
    q *= q;
    return q < 1.0 ? 2.0 * change * q / (1.0 - q) : INFINITY;
}

/* an impact at contact c */
static void
one_contact(struct series_way *w, int c)
{
    double flight = w->now - w->at, was = w->guess;
    w->same = w->same > 0 && w->last == c ? w->same + 1 : 1;
    w->last = c;
    w->at = w->now;
    w->flight[2] = w->flight[1];
    w->flight[1] = w->flight[0];
    w->flight[0] = flight;
    w->guess = w->estimate = -INFINITY;
    if (w->same < 4 ||
        !(w->flight[0] < w->flight[1] && w->flight[1] < w->flight[2]))
        return;
    double ratio = w->flight[0] / w->flight[1];
    w->guess = w->now + flight * ratio / (1.0 - ratio);
    if (fabs(w->guess - was) <= 4.0 * DBL_EPSILON * fabs(w->guess)) {
        w->estimate = w->guess;
        /* the flights are differences of times */
        double rest = 1.0 - ratio, left = w->guess - w->now;
        w->off = settled(fabs(w->guess - was), left, left + flight) +
                 4.0 * DBL_EPSILON * fabs(w->now) / (rest * rest);
    }
}

/* the flight that ends now, at whichever contact */
static bool
shrinks(struct series_way *w)
{
    double *a = w->any, now = 0.0, before = 0.0;
    memmove(a + 1, a, (SERIES_FLIGHTS - 1) * sizeof *a);
    a[0] = w->now - w->end;
    w->end = w->now;
    if (++w->run <= SERIES_FLIGHTS)
        return false;
    for (int i = 0; i < SERIES_FLIGHTS / 2; i++) {
        now += a[i];
        before += a[SERIES_FLIGHTS / 2 + i];
    }
    /* or they are below the rounding of the time already */
    return now < before || now == 0.0;
}

/* Follows the probe until a limit at all contacts that were hit on the way:
 * limits of some of them are on the way, too. */
static bool
look_ahead(struct flow *f, double until)
{
    struct series_way *w = f->series;
    struct ballistic *l = w->probe;
    memset(w->group, 0, f->m);
    l->policy = f->policy;
    for (int k = 0; k < SERIES_IMPACTS; k++) {
        enum ballistic_event what = ballistic_next(l, until);
        if (what == BALLISTIC_IMPACT)
            w->group[l->hit] = true;
        else if (what == BALLISTIC_ACCUMULATION) {
            bool all = true;
            for (uint32_t i = 0; i < f->m; i++)
                all &= l->group[i] || !w->group[i];
            if (all)
                return true;
        } else if (what != BALLISTIC_SEVERAL)
            return false;
        for (uint32_t i = 0; i < f->m && what == BALLISTIC_SEVERAL; i++)
            w->group[i] |= l->hits[i];
    }
    return false;
}

/* Where would the parabola that touches the motion here come to the limit of
 * its impacts? Twice the same, to rounding of the time or of the gaps, and it
 * is the motion's. */
static int
predict(struct flow *f)
{
    struct series_way *w = f->series;
    double was = w->meet, most = 0.0, least = INFINITY, sum = 0.0;
    bool shrink = shrinks(w);
    w->meet = w->found = -INFINITY;
    if (!shrink || w->same >= SERIES_FLIGHTS)
        return IMP_OK;
    int st = series_look(f, w->on);
    if (st)
        return st;
    struct ballistic_model m = flow_model(f);
    if (w->probe ? ballistic_renew(w->probe, &m)
                 : ballistic_new(f->r->arena, &m, &w->probe))
        return IMP_OK;
    for (int i = 0; i < SERIES_FLIGHTS; i++)
        sum += w->any[i];
    for (uint32_t i = 0; i < f->m; i++)
        if (w->on[i] || w->fresh[i] || f->gap[i] < sum * fabs(f->rate[i])) {
            most = fmax(most, w->size[i]);
            /* the rate of what slides is rounding */
            least = w->on[i] || f->rate[i] == 0.0
                        ? least
                        : fmin(least, fabs(f->rate[i]));
        }
    if (!ballistic_start(w->probe, w->now, w->x, w->x + f->n,
                         SERIES_NOISE * DBL_EPSILON * most))
        return IMP_OK;
    if (!look_ahead(f, w->now + SERIES_AHEAD * sum))
        return IMP_OK;
    double left = w->probe->t - w->now, before = w->left_was;
    w->meet = w->probe->t;
    w->left_was = left;
    memcpy(w->group, w->probe->group, f->m);
    w->chatter = w->probe->chatter;
    if (fabs(w->meet - was) <=
        DBL_EPSILON * fmax(4.0 * fabs(w->meet), SERIES_NOISE * most / least))
        w->found = w->meet;
    double blur = least < INFINITY ? most / least : 0.0;
    /* what they differ by may be rounding, which does not fall */
    w->meet_off = settled(fabs(w->meet - was), left, before) +
                  fabs(w->meet - was) +
                  w->chatter.error * w->chatter.remaining +
                  2.0 * SERIES_NOISE * DBL_EPSILON * (fabs(w->meet) + blur);
    return IMP_OK;
}

/* After an impact, again and again: do the contacts that were hit fly lower
 * than the rounding of their gaps, or shorter than that of the time, pressed
 * together and with restitution below 1? Their flights are rounding, too, so
 * that no order could show any more: they are at rest, and what is left counts
 * as error. */
static void
faint(struct flow *f)
{
    struct series_way *w = f->series;
    const struct ballistic *l = w->instant;
    double press = 0.0, left = 0.0, ratio = 0.0;
    double tick = 4.0 * DBL_EPSILON * fabs(w->now);
    int before = w->faints;
    bool flies = false;
    w->faints = 0;
    if (before == 0)
        memset(w->faded, 0, f->m * sizeof *w->faded);
    for (uint32_t i = 0; i < f->m; i++)
        press = fmax(press, fabs(l->k.nf[i]));
    for (int k = 0; k < w->n_hit; k++) {
        int i = w->hit[k];
        double u = fabs(l->rate[i]);
        double low = DBL_EPSILON * w->size[i] / SERIES_FAINT;
        double time = fmax(tick, 2.0 * sqrt(2.0 * low / press));
        if (w->on[i])
            continue; /* put to rest */
        if (!(2.0 * u <= press * time) || w->any[0] > SERIES_CLEAR * time)
            return;
        flies = w->faded[i] = true;
        ratio = fmax(ratio, f->e[i]);
        left = fmax(left, 2.0 * u / press);
    }
    if (!flies) {
        w->faints = before;
        return;
    }
    if (!(press > 0.0) || !(ratio < 1.0))
        return;
    w->faints = before + 1;
    if (w->faints < SERIES_FAINTS)
        return;
    w->faints = 0;
    memcpy(w->group, w->faded, f->m * sizeof *w->group);
    w->faint = true;
    w->found = w->now;
    w->chatter = (struct accumulation_limit){.means = LIMIT_BELOW_ROUNDING,
                                             .impacts = w->run,
                                             .depth = 1,
                                             .ratio = ratio,
                                             .remaining = left / (1.0 - ratio),
                                             .error = 1.0};
}

int
series_count(struct flow *f, int c, int together)
{
    struct series_way *w = f->series;
    uint32_t n = switching_count(f->r, f->s->block);
    memcpy(w->was_over, w->over, n * sizeof *w->over);
    memset(w->over, 0, n * sizeof *w->over);
    one_contact(f->series, c);
    if (together > 1)
        f->series->same = 0; /* no flights of one contact */
    int st = predict(f);
    if (!st)
        faint(f);
    return st;
}

int
series_limit(struct flow *f, struct flow_event *e)
{
    struct series_way *w = f->series;
    double T = w->ahead - w->now;
    bool several = w->ahead == w->found;
    bool *on = NEW_N(f->r->arena, bool, f->m + 1);
    limit_group(f);
    if (w->faint) {
        w->faint = false;
    } else if (several) {
        w->chatter.impacts = w->run;
        w->chatter.remaining = T;
    } else {
        memset(w->group, 0, f->m);
        w->group[w->last] = true;
        w->chatter =
            (struct accumulation_limit){.impacts = w->same,
                                        .means = LIMIT_BY_LAW,
                                        .period = 1,
                                        .depth = 1,
                                        .ratio = w->flight[0] / w->flight[1],
                                        .remaining = T};
    }
    if (T > 0.0)
        w->chatter.error = (several ? w->meet_off : w->off) / T;
    if (!(w->chatter.error < 1.0))
        w->chatter.error = 1.0; /* known no better */
    for (uint32_t i = 0; i < f->m; i++)
        on[i] = w->on[i] || w->group[i];
    series_advance(f, w->ahead);
    for (int round = 0; round < SERIES_NEWTON; round++) {
        int st = series_look(f, on);
        if (st)
            return st;
        ballistic_stick(w->instant, on);
        ballistic_state(w->instant, w->x, w->x + f->n);
    }
    memset(w->lo, 0, 2 * f->n * sizeof *w->lo);
    enum ballistic_event what = ballistic_instant_impact(w->instant, NULL, 0);
    flow_tell(f, w->instant, what, e);
    e->kind = what == BALLISTIC_JAMMED ? FLOW_JAMMED : FLOW_CHATTER;
    e->time = w->now;
    e->impulse = 0.0;
    f->n_contacts = 0;
    for (uint32_t i = 0; i < f->m; i++)
        if (w->group[i]) {
            f->contacts[f->n_contacts] = f->s->contact + i;
            f->impulse[f->n_contacts++] = 0.0;
        }
    e->n = f->n_contacts;
    e->contact = f->contacts[0];
    e->chatter = w->chatter;
    series_take_back(f);
    w->same = 0;
    w->estimate = -INFINITY;
    if (!several)
        return predict(f);
    series_forget(w);
    return IMP_OK;
}
