/* SPDX-License-Identifier: MIT */
/* See run.h. Sizes of flights and losses are kept as logarithms, so
 * that a thousand impacts do not underflow; what remains after an impact is
 * summed from the end backwards, never by subtraction (spec/chatter.md 3.6). */
#include "analysis/chatter/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/numerics/vec3.h"

/* sizes as they come; their logarithms are taken where they are asked for */
struct chatter_trace {
    struct arena *a; /* NULL: none is kept */
    struct {
        double flight, rate; /* time before it, rate after it; NaN: not alone */
        int ex, ev;
        double e, W;
    } * v;
    size_t n, cap;
    size_t from; /* after the last limit */
};
/* rates are sums of as many products as there are coordinates */
#define REST_NOISE 64.0

static const char no_limit[] = "no infinite sequence of impacts";
static const double ln2 = 0.69314718055994530942;

static void
grow(struct chatter_trace *trace, struct chatter_run *outcome)
{
    if (trace->n < trace->cap)
        return;
    trace->cap = trace->cap ? 2 * trace->cap : 256;
    void *v = arena_alloc(trace->a, trace->cap * sizeof *trace->v);
    int *o = NEW_N(trace->a, int, trace->cap);
    if (trace->n) {
        memcpy(v, trace->v, trace->n * sizeof *trace->v);
        memcpy(o, outcome->order, trace->n * sizeof *o);
    }
    trace->v = v;
    outcome->order = o;
}

static void
note(struct chatter_trace *trace, struct chatter_run *outcome,
     const struct ballistic *ballistic)
{
    int m = ballistic->model.m, hits = 0;
    for (int i = 0; i < m; i++)
        hits += ballistic->event.impulse[i] != 0.0;
    for (int i = 0; i < m; i++) {
        if (ballistic->event.impulse[i] == 0.0 &&
            !(hits == 0 && i == ballistic->event.contact))
            continue;
        grow(trace, outcome);
        trace->v[trace->n].flight = trace->v[trace->n].rate = NAN;
        if (hits <= 1) { /* 0: below all numbers */
            trace->v[trace->n].flight =
                impact_history_last_flight(ballistic, &trace->v[trace->n].ex);
            trace->v[trace->n].rate =
                ballistic_rate(ballistic, i, &trace->v[trace->n].ev);
            trace->v[trace->n].e = ballistic->model.e[i];
            trace->v[trace->n].W = ballistic->matrices.W[i * (m + 1)];
        }
        outcome->order[trace->n++] = i;
        outcome->n_order = trace->n;
    }
}

/* logarithms of the time before impact i, and of the energy that it took */
static double
flight(const struct chatter_trace *trace, size_t i)
{
    return log(trace->v[i].flight) + trace->v[i].ex * ln2;
}
static double
loss(const struct chatter_trace *trace, size_t i)
{
    double u = trace->v[i].rate / trace->v[i].e;
    return log(u * u / trace->v[i].W) + 2.0 * trace->v[i].ev * ln2;
}

/* are all gaps without rate? on: those that are closed; NULL: none */
static bool
still(const struct ballistic *ballistic, const bool *on, const double *rate,
      const double *z)
{
    double big = 0.0;
    for (int j = 0; j < ballistic->matrices.rank; j++)
        big = fmax(big, fabs(z[j]));
    for (int i = 0; i < ballistic->model.m; i++) {
        double size = ballistic->matrices.direct
                          ? big
                          : big * ballistic->matrices.root[i];
        if (!(on && on[i]) && fabs(rate[i]) > REST_NOISE * DBL_EPSILON * size)
            return false;
    }
    return true;
}
static bool
at_rest(const struct ballistic *ballistic)
{
    return still(ballistic, ballistic->mode.persistent, ballistic->rate,
                 ballistic->z);
}

bool
chatter_accelerates(const struct ballistic *ballistic)
{
    for (int i = 0; i < ballistic->model.m; i++) {
        double s = 0.0, size = 0.0;
        if (ballistic->matrices.gap_acc[i] == 0.0)
            continue;
        for (int j = 0; j < ballistic->model.n; j++) {
            double d = ballistic->model.N[i * ballistic->model.n + j] *
                       ballistic->model.acc[j];
            s += d;
            size += fabs(d);
        }
        if (fabs(s) > REST_NOISE * DBL_EPSILON * size)
            return true;
    }
    return false;
}

/* shortest period of the last half of the impacts; 0: there is none */
static size_t
pattern(const int *order, size_t from, size_t n, int m)
{
    size_t half = (n - from) / 2;
    for (size_t p = 1; p <= 2 * (size_t)m && 2 * p < half; p++) {
        size_t i = n - half;
        while (i < n && order[i] == order[i - p])
            i++;
        if (i == n)
            return p;
    }
    return 0;
}

/* logarithm of the time that p impacts took, the last of them i */
static double
span(const struct chatter_trace *trace, size_t i, size_t p)
{
    double s = -INFINITY;
    for (size_t k = i + 1 - p; k <= i; k++) {
        double f = flight(trace, k);
        s = fmax(s, f) + log1p(exp(-fabs(s - f)));
    }
    return s;
}

/* An order that repeats, but whose flights have not come to one ratio: means
 * over the last third of the impacts. */
static bool
mean_ratios(struct chatter_run *outcome, const struct chatter_trace *trace)
{
    size_t n = trace->n,
           p = pattern(outcome->order, trace->from, n, outcome->m);
    size_t periods = p ? (n - trace->from) / 3 / p : 0;
    if (!periods)
        return false;
    size_t i = n - 1 - periods * p;
    double k = (double)periods;
    outcome->chatter.period = (int)p;
    outcome->chatter.ratio =
        exp((span(trace, n - 1, p) - span(trace, i, p)) / k);
    outcome->speed = exp(0.5 * (loss(trace, n - 1) - loss(trace, i)) / k);
    outcome->exponent = 2.0 * log(outcome->speed) / log(outcome->chatter.ratio);
    return isfinite(outcome->exponent);
}

/* c of E ~ (t_end - t)^c, E the energy that impacts still take away */
static void
exponent(struct chatter_run *outcome, const struct chatter_trace *trace,
         const struct accumulation_limit *c)
{
    size_t p = (size_t)c->period, n = trace->n, from = trace->from;
    if (c->evidence == LIMIT_BY_MAP) {
        outcome->speed = c->speed;
        outcome->exponent = 2.0 * log(c->speed) / log(c->ratio);
        return;
    }
    if (p && n <= from + p) {
        outcome->no_exponent = "the pattern is made of limits itself";
        return;
    }
    if (p) {
        double d = 0.5 * (loss(trace, n - 1) - loss(trace, n - 1 - p));
        outcome->speed = exp(d);
        if (isfinite(d) && c->ratio > 0.0)
            outcome->exponent = 2.0 * d / log(c->ratio);
        else
            outcome->no_exponent = "no speeds to compare";
        return;
    }
    if (mean_ratios(outcome, trace))
        return;
    /* an order that never repeats: least squares over the middle impacts,
     * limits on the way and what led to them among these */
    if (c->depth > 1)
        from = 0;
    double T = log(c->remaining), E = -INFINITY, s[5] = {0};
    for (size_t i = n; i-- > from;) {
        double g = loss(trace, i), f = flight(trace, i);
        E = fmax(E, g) + log1p(exp(-fabs(E - g)));
        size_t k = 10 * (i - from);
        if (k >= n - from && k <= 9 * (n - from)) {
            s[0] += 1.0;
            s[1] += T;
            s[2] += E;
            s[3] += T * T;
            s[4] += T * E;
        }
        T = fmax(T, f) + log1p(exp(-fabs(T - f)));
    }
    const double normal[3] = {s[0], s[1], s[3]}, right[2] = {s[2], s[4]};
    double line[2]; /* value at 0, slope */
    sym2_solve(2, normal, right, line);
    outcome->exponent = line[1];
    if (!isfinite(outcome->exponent))
        outcome->no_exponent = "too few impacts to fit it to";
}

static void
take(struct chatter_run *outcome, const struct chatter_trace *trace,
     const struct ballistic *ballistic)
{
    outcome->limit = true;
    outcome->time = ballistic->t;
    outcome->chatter = ballistic->event.limit;
    memcpy(outcome->group, ballistic->event.group, (size_t)ballistic->model.m);
    if (!trace->a)
        return;
    outcome->no_exponent = NULL;
    exponent(outcome, trace, &ballistic->event.limit);
}

/* Rates of a thousand impacts and more, 2^-900 and less, are below the doubles
 * when the last flight puts them back into true units: that is no rest. */
#define FINISH_EXPONENT -900

/* Impacts that repeat no order are believed never to end after this share of
 * those that are allowed. */
#define DOUBT_SHARE 16

/* Flights that grow for ever come to times beyond which rates of gaps of any
 * size that occurs are no numbers any more: 1e270 s. */
#define TIME_EXPONENT 900

/* Contacts that close together because their rates have fallen below the
 * others' by as much: that is no simultaneous impact. */
static bool
below(const struct ballistic *ballistic, bool resolved)
{
    double big = 0.0;
    int some = 0, hits = 0;
    for (int j = 0; j < ballistic->matrices.rank; j++)
        big = fmax(big, fabs(ballistic->z[j]));
    for (int i = 0; i < ballistic->model.m; i++) {
        if (!ballistic->event.together[i] ||
            (ballistic->mode.persistent[i] && !resolved))
            continue;
        double u = resolved ? ldexp(ballistic->event.impulse[i] *
                                        ballistic->matrices.root[i],
                                    -ballistic->rate_exponent)
                            : ballistic->rate[i];
        hits++;
        some += fabs(u) < ldexp(big, FINISH_EXPONENT);
    }
    return resolved ? hits && some == hits : some > 0;
}

/* ev: exponent of the rates before the last event */
static void
finish(struct chatter_run *outcome, const struct ballistic *ballistic,
       enum ballistic_event what, int ev)
{
    bool lost = what == BALLISTIC_FREE && ev < FINISH_EXPONENT &&
                ballistic->mode.n_persistent == 0;
    if (what == BALLISTIC_JAMMED)
        outcome->verdict = CHATTER_JAMMED;
    else if (what == BALLISTIC_UNDECIDED && below(ballistic, false))
        outcome->verdict = CHATTER_BELOW;
    else if (what == BALLISTIC_UNDECIDED)
        outcome->verdict = CHATTER_SIMULTANEOUS;
    else if (!lost && at_rest(ballistic) && ballistic->impacts)
        outcome->verdict = CHATTER_COMPLETE;
    else
        outcome->verdict =
            outcome->limit ? CHATTER_PARTIAL : CHATTER_INCOMPLETE;
}

bool
chatter_batch_verdict(const struct ballistic *ballistic, int k,
                      struct chatter_run *outcome)
{
    double t;
    const double *rate, *z;
    long n = ballistic_batch_end(ballistic, k, &t, &rate, &z);
    if (n == 0 || ballistic->rate_exponent < FINISH_EXPONENT ||
        still(ballistic, NULL, rate, z))
        return false;
    *outcome = (struct chatter_run){.verdict = CHATTER_INCOMPLETE,
                                    .m = ballistic->model.m,
                                    .impacts = n,
                                    .time = t,
                                    .last = t,
                                    .no_exponent = no_limit};
    return true;
}

static void
follow(struct arena *arena, struct ballistic *ballistic, double until,
       long least, long most, bool history, struct chatter_run *outcome)
{
    accumulation_resolve(ballistic, least);
    accumulation_doubt(ballistic, most / DOUBT_SHARE);
    ballistic->rough_rates = !history;
    int m = ballistic->model.m;
    struct chatter_trace t = {.a = history ? arena : NULL};
    *outcome = (struct chatter_run){.verdict = CHATTER_ENDLESS,
                                    .time = ballistic->t,
                                    .m = m,
                                    .last = NAN,
                                    .no_exponent = no_limit};
    bool partial = false;
    outcome->group = NEW_N(arena, bool, (size_t)m + 1);
    bool gravity = chatter_accelerates(ballistic);
    while (ballistic->impacts < most) {
        if (ballistic->impacts >= most / 2)
            accumulation_accept_error(ballistic, CHATTER_ACCEPT);
        int ev = ballistic->rate_exponent;
        enum ballistic_event what = accumulation_run(
            ballistic, until, history ? 1 : most - ballistic->impacts);
        if (what == BALLISTIC_END &&
            accumulation_next(ballistic, INFINITY) == BALLISTIC_FREE)
            what = BALLISTIC_FREE; /* known before that time */
        if (!partial && !(ballistic->t < ldexp(1.0, TIME_EXPONENT))) {
            outcome->verdict = CHATTER_MOVING;
            outcome->after_time = INFINITY;
            return;
        }
        if (what == BALLISTIC_END) {
            outcome->verdict = partial ? CHATTER_PARTIAL : CHATTER_MOVING;
            outcome->after = partial ? CHATTER_LASTS : CHATTER_NOTHING;
            outcome->after_time = until;
            return;
        }
        bool end = what == BALLISTIC_FREE || what == BALLISTIC_UNDECIDED ||
                   what == BALLISTIC_JAMMED;
        if (partial) {
            /* only what comes next */
            outcome->after = what == BALLISTIC_FREE ? CHATTER_FREE
                             : end                  ? CHATTER_TOGETHER
                                                    : CHATTER_CLOSES;
            outcome->after_time = ballistic->t;
            outcome->after_contact = ballistic->event.contact;
            outcome->verdict = CHATTER_PARTIAL;
            return;
        }
        if (end) {
            finish(outcome, ballistic, what, ev);
            if (outcome->verdict == CHATTER_SIMULTANEOUS) {
                outcome->time = ballistic->t;
                memcpy(outcome->group, ballistic->event.together, (size_t)m);
            }
            return;
        }
        if (what == BALLISTIC_SEVERAL && !gravity && below(ballistic, true)) {
            outcome->verdict = CHATTER_BELOW;
            return;
        }
        if (what == BALLISTIC_ACCUMULATION) {
            take(outcome, &t, ballistic);
            outcome->hoped = !gravity && ballistic->event.limit.evidence ==
                                             LIMIT_BELOW_ROUNDING;
            t.from = t.n;
            /* without acceleration nothing comes to rest later */
            partial = !gravity && !at_rest(ballistic);
        } else {
            if (history)
                note(&t, outcome, ballistic);
            outcome->impacts = ballistic->impacts;
            outcome->last = outcome->time = ballistic->t;
        }
    }
    if (!impact_history_trend(ballistic, &outcome->trend,
                              &outcome->trend_ratio))
        outcome->trend = -1;
    /* the limits on the way are not the end of it */
    outcome->limit = false;
    outcome->no_exponent = no_limit;
    memset(outcome->group, 0, (size_t)m);
}

void
chatter_follow(struct arena *arena, struct ballistic *ballistic, double until,
               long least, long most, struct chatter_run *outcome)
{
    follow(arena, ballistic, until, least, most, true, outcome);
}

void
chatter_decide(struct arena *arena, struct ballistic *ballistic, double until,
               long least, long most, struct chatter_run *outcome)
{
    follow(arena, ballistic, until, least, most, false, outcome);
}

struct chatter_trace *
chatter_trace_new(struct arena *arena)
{
    struct chatter_trace *trace = NEW(arena, struct chatter_trace);
    trace->a = arena;
    return trace;
}

void
chatter_trace_impact(struct chatter_trace *trace, struct chatter_run *outcome,
                     int i, double flight, double u, double e, double W)
{
    grow(trace, outcome);
    trace->v[trace->n].flight = flight;
    trace->v[trace->n].rate = u * e;
    trace->v[trace->n].ex = trace->v[trace->n].ev = 0;
    trace->v[trace->n].e = e;
    trace->v[trace->n].W = W;
    outcome->order[trace->n++] = i;
    outcome->n_order = trace->n;
}

void
chatter_trace_limit(struct chatter_trace *trace, struct chatter_run *outcome)
{
    outcome->no_exponent = NULL;
    exponent(outcome, trace, &outcome->chatter);
    trace->from = trace->n;
}
