/* SPDX-License-Identifier: MIT */
/* The impacts of a run, and the exponent c of E ~ (t_end - t)^c
 * (spec/chatter.md 3.1 and 3.6). Times of flight and losses of energy are kept
 * as numbers with exponents of their own and compared as logarithms, so that a
 * thousand impacts do not underflow. What remains after an impact is summed
 * from the last impact backwards, never by subtraction. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/chatter/run.h"
#include "base/arena.h"

/* one impact; `flight` and `rate` are NaN where it did not come alone */
struct impact {
    double flight; /* time before it, times 2^flight_exponent */
    double rate;   /* of the gap after it, times 2^rate_exponent */
    int flight_exponent, rate_exponent;
    double e, W; /* restitution; N M^-1 N^T of the contact */
};
struct chatter_trace {
    struct arena *arena;
    struct impact *v;
    size_t n, cap;
    size_t from; /* the first impact after the last limit */
};

static const double ln2 = 0.69314718055994530942;

static void
grow(struct chatter_trace *trace, struct chatter_run *outcome)
{
    trace->cap = trace->cap ? 2 * trace->cap : 256;
    struct impact *v = arena_alloc(trace->arena, trace->cap * sizeof *trace->v);
    int *order = arena_alloc(trace->arena, trace->cap * sizeof *order);
    if (trace->n) {
        memcpy(v, trace->v, trace->n * sizeof *v);
        memcpy(order, outcome->order, trace->n * sizeof *order);
    }
    trace->v = v;
    outcome->order = order;
}

/* Appends one more impact at the contact, which the caller fills. */
static inline struct impact *
add(struct chatter_trace *trace, struct chatter_run *outcome, int contact)
{
    assert(contact >= 0 && contact < outcome->m);
    if (trace->n == trace->cap)
        grow(trace, outcome);
    outcome->order[trace->n] = contact;
    outcome->n_order = trace->n + 1;
    return &trace->v[trace->n++];
}

struct chatter_trace *
chatter_trace_new(struct arena *arena)
{
    struct chatter_trace *trace = NEW(arena, struct chatter_trace);
    trace->arena = arena;
    return trace;
}

void
chatter_trace_ballistic(struct chatter_trace *trace,
                        struct chatter_run *outcome,
                        const struct ballistic *ballistic)
{
    assert(ballistic);
    int contacts = ballistic->model.m, hits = 0;
    for (int contact = 0; contact < contacts; contact++)
        hits += ballistic->event.impulse[contact] != 0.0;
    for (int contact = 0; contact < contacts; contact++) {
        /* an impulse may be so small that it is 0 */
        if (ballistic->event.impulse[contact] == 0.0 &&
            !(hits == 0 && contact == ballistic->event.contact))
            continue;
        struct impact *impact = add(trace, outcome, contact);
        impact->flight = impact->rate = NAN;
        if (hits > 1)
            continue;
        impact->flight =
            impact_history_last_flight(ballistic, &impact->flight_exponent);
        impact->rate =
            ballistic_rate(ballistic, contact, &impact->rate_exponent);
        impact->e = ballistic->model.e[contact];
        impact->W = ballistic->matrices.W[contact * (contacts + 1)];
    }
}

void
chatter_trace_impact(struct chatter_trace *trace, struct chatter_run *outcome,
                     int contact, double flight, double approach,
                     double restitution, double W)
{
    *add(trace, outcome, contact) =
        (struct impact){.flight = flight,
                        .rate = approach * restitution,
                        .e = restitution,
                        .W = W};
}

/* -- the exponent ---------------------------------------------------------- */

/* Returns the logarithm of the time before impact i. */
static double
flight(const struct chatter_trace *trace, size_t i)
{
    return log(trace->v[i].flight) + trace->v[i].flight_exponent * ln2;
}
static double
loss(const struct chatter_trace *trace, size_t i)
{
    double u = trace->v[i].rate / trace->v[i].e;
    return log(u * u / trace->v[i].W) + 2.0 * trace->v[i].rate_exponent * ln2;
}

/* Returns the shortest period of the order in the last half of the impacts; 0:
 * there is none. */
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

/* Returns the logarithm of the time that p impacts took, the last of them i. */
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

/* The order of the impacts repeats, but the ratios of flights have not settled:
 * takes their means over the last third of the impacts. */
static bool
mean_ratios(struct chatter_run *outcome, const struct chatter_trace *trace)
{
    size_t impacts = trace->n,
           p = pattern(outcome->order, trace->from, impacts, outcome->m);
    size_t periods = p ? (impacts - trace->from) / 3 / p : 0;
    if (!periods)
        return false;
    size_t i = impacts - 1 - periods * p;
    double k = (double)periods;
    outcome->accumulation.period = (int)p;
    outcome->accumulation.ratio =
        exp((span(trace, impacts - 1, p) - span(trace, i, p)) / k);
    outcome->speed_ratio =
        exp(0.5 * (loss(trace, impacts - 1) - loss(trace, i)) / k);
    outcome->exponent =
        2.0 * log(outcome->speed_ratio) / log(outcome->accumulation.ratio);
    return isfinite(outcome->exponent);
}

/* An order that never repeats: the slope of log E over log(t_end - t), by least
 * squares over the middle four fifths of the impacts. Where the limit is one of
 * limits, these and what led to them belong to the impacts. */
static bool
fit_line(struct chatter_run *outcome, const struct chatter_trace *trace)
{
    const struct accumulation_limit *limit = &outcome->accumulation;
    size_t n = trace->n, from = limit->depth > 1 ? 0 : trace->from;
    /* both sums grow from the end backwards, so nothing is subtracted */
    double log_time = log(limit->remaining), log_energy = -INFINITY,
           sums[5] = {0};
    for (size_t i = n; i-- > from;) {
        double g = loss(trace, i), duration = flight(trace, i);
        log_energy = fmax(log_energy, g) + log1p(exp(-fabs(log_energy - g)));
        size_t k = 10 * (i - from);
        if (k >= n - from && k <= 9 * (n - from)) {
            sums[0] += 1.0;
            sums[1] += log_time;
            sums[2] += log_energy;
            sums[3] += log_time * log_time;
            sums[4] += log_time * log_energy;
        }
        log_time =
            fmax(log_time, duration) + log1p(exp(-fabs(log_time - duration)));
    }
    double d = sums[0] * sums[3] - sums[1] * sums[1];
    outcome->exponent = (sums[0] * sums[4] - sums[1] * sums[2]) / d;
    return isfinite(outcome->exponent);
}

/* Fits c of E ~ (t_end - t)^c (thesis (1.3), (4.1)), where E is the energy that
 * the impacts still to come take away. */
static void
fit_exponent(struct chatter_run *outcome, const struct chatter_trace *trace)
{
    const struct accumulation_limit *limit = &outcome->accumulation;
    size_t period = (size_t)limit->period, impacts = trace->n,
           from = trace->from;
    if (limit->evidence == LIMIT_BY_MAP) {
        outcome->speed_ratio = limit->speed;
        outcome->exponent = 2.0 * log(limit->speed) / log(limit->ratio);
        return;
    }
    if (period && impacts <= from + period) {
        outcome->no_exponent = "the pattern is made of limits itself";
        return;
    }
    if (period) {
        double d = 0.5 * (loss(trace, impacts - 1) -
                          loss(trace, impacts - 1 - period));
        outcome->speed_ratio = exp(d);
        if (isfinite(d) && limit->ratio > 0.0)
            outcome->exponent = 2.0 * d / log(limit->ratio);
        else
            outcome->no_exponent = "no speeds to compare";
        return;
    }
    if (mean_ratios(outcome, trace))
        return;
    if (!fit_line(outcome, trace))
        outcome->no_exponent = "too few impacts to fit it to";
}

void
chatter_trace_limit(struct chatter_trace *trace, struct chatter_run *outcome)
{
    assert(outcome->limit);
    outcome->no_exponent = NULL;
    fit_exponent(outcome, trace);
    trace->from = trace->n;
}
