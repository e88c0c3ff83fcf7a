/* SPDX-License-Identifier: MIT */
/* The impacts of a run, and the exponent c of E ~ (t_end - t)^c
 * (chatter.md 3.1 and 3.6). Times of flight and losses of energy are kept
 * as numbers with exponents of their own and compared as logarithms, so that a
 * thousand impacts do not underflow. What remains after an impact is summed
 * from the last impact backwards, never by subtraction. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/chatter/run.h"
#include "base/arena.h"

/* one impact; `flight` and `rate` are NaN where it did not come alone */
struct impact {
    double flight;  /* time before it, times 2^flight_exponent */
    double skipped; /* and the time before that, which a limit has summed up */
    double rate;    /* of the gap after it, times 2^rate_exponent */
    int flight_exponent, rate_exponent;
};
/* What makes of the rate after an impact at a contact the energy that it took
 * away, but for a factor that all contacts share: (rate/e)^2/W. */
struct losing {
    double e, W; /* restitution; N M^-1 N^T */
};
struct chatter_trace {
    struct arena *arena;
    struct chatter_room *room;
    struct losing *losing; /* per contact; NULL before the first impact */
    struct impact *v;
    int *order; /* the contacts of the impacts; also of the outcome */
    size_t n, cap;
    size_t from;    /* the first impact after the last limit */
    double skipped; /* the time that limits since the last impact summed up */
    /* The last limit asks for a line through its impacts: those until n, and
     * from `from` on. */
    struct {
        bool asked, heavy;
        size_t from, n;
    } line;
};

static const double ln2 = 0.69314718055994530942;

static void
grow(struct chatter_trace *trace, struct chatter_run *outcome)
{
    trace->cap = trace->cap ? 2 * trace->cap : 256;
    int *order = arena_alloc(trace->arena, trace->cap * sizeof *order);
    if (trace->n)
        memcpy(order, outcome->order, trace->n * sizeof *order);
    outcome->order = trace->order = order;
    struct chatter_room *room = trace->room;
    if (room->cap < trace->cap) {
        struct impact *v =
            arena_alloc(room->arena, trace->cap * sizeof *trace->v);
        if (trace->n)
            memcpy(v, trace->v, trace->n * sizeof *v);
        room->v = v;
        room->cap = trace->cap;
    }
    trace->v = room->v;
}

/* Appends one more impact at the contact, which the caller fills. */
static inline struct impact *
add(struct chatter_trace *trace, struct chatter_run *outcome, int contact)
{
    assert(contact >= 0 && contact < outcome->m);
    if (trace->n == trace->cap)
        grow(trace, outcome);
    trace->order[trace->n] = contact;
    outcome->n_order = trace->n + 1;
    trace->v[trace->n].skipped = trace->skipped;
    trace->skipped = 0.0;
    return &trace->v[trace->n++];
}

struct chatter_trace *
chatter_trace_new(struct arena *arena, struct chatter_room *room)
{
    struct chatter_trace *trace = NEW(arena, struct chatter_trace);
    trace->arena = arena;
    trace->room = room ? room : NEW(arena, struct chatter_room);
    if (!trace->room->arena)
        trace->room->arena = arena;
    return trace;
}

/* What the trace knows of n contacts. */
static struct losing *
losing_of(struct chatter_trace *trace, int n)
{
    if (!trace->losing) {
        trace->losing = NEW_N(trace->arena, struct losing, (size_t)n);
        for (int contact = 0; contact < n; contact++)
            trace->losing[contact] = (struct losing){1.0, 1.0};
    }
    return trace->losing;
}

/* Appends the impacts that were resolved at once with the last one. */
static void
add_those_before(struct chatter_trace *trace, struct chatter_run *outcome,
                 const struct ballistic *ballistic)
{
    for (long back = ballistic_impacts_before(ballistic); back > 0; back--) {
        struct ballistic_impact before;
        ballistic_impact_before(ballistic, back, &before);
        struct impact *impact = add(trace, outcome, before.contact);
        impact->flight = before.flight;
        impact->rate = before.rate;
        impact->flight_exponent = before.flight_exponent;
        impact->rate_exponent = before.rate_exponent;
    }
}

/* Appends an impact that came alone. */
static inline void
add_alone(struct chatter_trace *trace, struct chatter_run *outcome,
          const struct ballistic *ballistic, int contact)
{
    struct impact *impact = add(trace, outcome, contact);
    impact->flight =
        impact_history_last_flight(ballistic, &impact->flight_exponent);
    impact->rate = ballistic_rate(ballistic, contact, &impact->rate_exponent);
}

void
chatter_trace_ballistic(struct chatter_trace *trace,
                        struct chatter_run *outcome,
                        const struct ballistic *ballistic)
{
    assert(ballistic);
    int contacts = ballistic->model.m, told = ballistic->event.contact,
        hits = 0, last = told;
    bool others = false;
    for (int contact = 0; !trace->n && contact < contacts; contact++)
        losing_of(trace, contacts)[contact] =
            (struct losing){ballistic->model.e[contact],
                            ballistic->matrices.W[contact * (contacts + 1)]};
    add_those_before(trace, outcome, ballistic);
    for (int contact = 0; contact < contacts; contact++)
        others |=
            (contact != told) & (ballistic->event.impulse[contact] != 0.0);
    if (!others) { /* its own impulse may be so small that it is 0 */
        add_alone(trace, outcome, ballistic, told);
        return;
    }
    for (int contact = 0; contact < contacts; contact++)
        if (ballistic->event.impulse[contact] != 0.0) {
            hits++;
            last = contact;
        }
    if (hits == 1) {
        add_alone(trace, outcome, ballistic, last);
        return;
    }
    for (int contact = 0; contact < contacts; contact++)
        if (ballistic->event.impulse[contact] != 0.0) {
            struct impact *impact = add(trace, outcome, contact);
            impact->flight = impact->rate = NAN;
        }
}

void
chatter_trace_impact(struct chatter_trace *trace, struct chatter_run *outcome,
                     int contact, double flight, double approach, double W)
{
    losing_of(trace, outcome->m);
    struct impact *impact = add(trace, outcome, contact);
    impact->flight = flight;
    /* e and W may change on the way: the rate counts as one with 1 and 1 */
    impact->rate = approach / sqrt(W);
    impact->flight_exponent = impact->rate_exponent = 0;
}

/* -- the exponent ---------------------------------------------------------- */

/* Returns the logarithm of the time before impact i. */
static double
flight(const struct chatter_trace *trace, size_t i)
{
    return log(trace->v[i].flight) + trace->v[i].flight_exponent * ln2;
}
/* The energy that impact i took away, times 2^-2 rate_exponent. */
static inline double
lost(const struct chatter_trace *trace, size_t i)
{
    const struct losing *losing = &trace->losing[trace->order[i]];
    double u = trace->v[i].rate / losing->e;
    return u * u / losing->W;
}
static double
loss(const struct chatter_trace *trace, size_t i)
{
    return log(lost(trace, i)) + 2.0 * trace->v[i].rate_exponent * ln2;
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

/* The mean ratios of `periods` periods that end with impact i. */
struct means {
    double ratio, speed, exponent;
};
static struct means
means_of(const struct chatter_trace *trace, size_t i, size_t p, size_t periods)
{
    size_t first = i - periods * p;
    double k = (double)periods;
    struct means means = {
        .ratio = exp((span(trace, i, p) - span(trace, first, p)) / k),
        .speed = exp(0.5 * (loss(trace, i) - loss(trace, first)) / k)};
    means.exponent = 2.0 * log(means.speed) / log(means.ratio);
    return means;
}

/* What is a mean is compared with the means over so many parts. */
#define FIT_PARTS 4

/* The order of the impacts repeats, but the ratios of flights have not settled:
 * takes their means over the last third of the impacts. They converge as
 * 1/k^2 in the number k of periods at the slowest (a double eigenvalue), and
 * are then no farther from the end than the parts of the last half are apart.
 */
static bool
mean_ratios(struct chatter_run *outcome, const struct chatter_trace *trace)
{
    struct accumulation_limit *limit = &outcome->accumulation;
    if (limit->depth > 1)
        return false;
    size_t last = trace->n - 1, impacts = trace->n - trace->from,
           p = pattern(outcome->order, trace->from, trace->n, outcome->m);
    size_t few = p ? impacts / (2 * FIT_PARTS) / p : 0;
    if (!few)
        return false;
    struct means third = means_of(trace, last, p, impacts / 3 / p),
                 least = {INFINITY, INFINITY, INFINITY}, most = {0, 0, 0};
    for (size_t k = 0; k < FIT_PARTS; k++) {
        struct means part = means_of(trace, last - k * few * p, p, few);
        least.ratio = fmin(least.ratio, part.ratio);
        most.ratio = fmax(most.ratio, part.ratio);
        least.exponent = fmin(least.exponent, part.exponent);
        most.exponent = fmax(most.exponent, part.exponent);
    }
    outcome->fitted = true;
    limit->period = (int)p;
    limit->ratio = third.ratio;
    limit->ratio_error = most.ratio - least.ratio;
    outcome->speed_ratio = third.speed;
    outcome->exponent = third.exponent;
    outcome->exponent_error = most.exponent - least.exponent;
    return isfinite(outcome->exponent);
}

/* -- an order that never repeats ------------------------------------------- */

/* A line is fitted to so many impacts at least, in which the logarithm of the
 * time that is left falls by more than this. */
#define FIT_LEAST 16
#define FIT_SPAN 1.0

/* A slope, and a bound of its error. */
struct slope {
    double value, error;
};

/* A sum in parts that do not wait for each other. */
#define LOT 4
struct lot {
    double part[LOT];
};
static inline double
lot_sum(const struct lot *lot)
{
    return (lot->part[0] + lot->part[2]) + (lot->part[1] + lot->part[3]);
}
static double
mean_of(const double *x, size_t n)
{
    struct lot sum = {{0}};
    size_t i = 0;
    for (; i + LOT <= n; i += LOT)
        for (int k = 0; k < LOT; k++)
            sum.part[k] += x[i + (size_t)k];
    for (; i < n; i++)
        sum.part[0] += x[i];
    return lot_sum(&sum) / (double)n;
}

/* Adds point number k of a lot to the sums about the means. */
struct about {
    struct lot xx, xy, reach;
};
static inline void
about_add(struct about *about, int k, double x, double y)
{
    about->xx.part[k] += x * x;
    about->xy.part[k] += x * y;
    about->reach.part[k] += fabs(x);
}

/* The slope of y over x by least squares; its error, if what the points have
 * beside a line is bounded by their greatest distance from it: at worst it has
 * the sign of x - mean x everywhere (not bounded: 0, where nobody asks). */
static struct slope
least_squares(const double *x, const double *y, size_t n, bool bounded)
{
    double mean_x = mean_of(x, n), mean_y = mean_of(y, n), most = 0.0;
    struct about about = {{{0}}, {{0}}, {{0}}};
    size_t i = 0;
    for (; i + LOT <= n; i += LOT)
        for (int k = 0; k < LOT; k++)
            about_add(&about, k, x[i + (size_t)k] - mean_x,
                      y[i + (size_t)k] - mean_y);
    for (; i < n; i++)
        about_add(&about, 0, x[i] - mean_x, y[i] - mean_y);
    double squares = lot_sum(&about.xx), value = lot_sum(&about.xy) / squares;
    for (i = 0; i < n && bounded; i++) {
        double off = fabs(y[i] - mean_y - value * (x[i] - mean_x));
        most = off > most ? off : most;
    }
    return (struct slope){value, most * lot_sum(&about.reach) / squares};
}

/* The same. A slope that changes on the way, or about which the points walk, is
 * known no better than its parts agree. */
static struct slope
slope_of(const double *x, const double *y, size_t n)
{
    struct slope all = least_squares(x, y, n, true);
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < FIT_PARTS; k++) {
        size_t first = k * n / FIT_PARTS, next = (k + 1) * n / FIT_PARTS;
        struct slope part =
            least_squares(x + first, y + first, next - first, false);
        least = fmin(least, part.value);
        most = fmax(most, part.value);
    }
    all.error = fmax(all.error, most - least);
    return all;
}

/* A sum m 2^k of numbers with exponents of their own. */
struct wide {
    double m;
    int k;
};

/* 2^d; beyond the range of sums that count, 0 */
static inline double
power_of_two(int d)
{
    return d < -1000 ? 0.0 : ldexp(1.0, d);
}

/* Adds x 2^k. */
static inline void
wide_add(struct wide *sum, double x, int k)
{
    if (x == 0.0)
        return;
    if (sum->m == 0.0)
        sum->k = k;
    if (k > sum->k) {
        sum->m *= power_of_two(sum->k - k);
        sum->k = k;
    }
    sum->m += k < sum->k ? x * power_of_two(k - sum->k) : x;
}

static inline double
wide_log(struct wide sum)
{
    return log(sum.m) + sum.k * ln2;
}

/* The energy that impact i took away. */
static inline void
add_loss(struct wide *sum, const struct chatter_trace *trace, size_t i)
{
    wide_add(sum, lost(trace, i), 2 * trace->v[i].rate_exponent);
}

/* The energy that is left after the last impact: as much less than that of the
 * last eighth of the impacts as this is less than that of the eighth before. */
static struct wide
energy_left(const struct chatter_trace *trace, size_t from)
{
    size_t part = (trace->n - from) / 8;
    struct wide now = {0}, before = {0}, none = {0};
    for (size_t k = 0; k < part; k++) {
        add_loss(&now, trace, trace->n - 1 - k);
        add_loss(&before, trace, trace->n - 1 - part - k);
    }
    if (now.m == 0.0 || before.m == 0.0)
        return none;
    /* now^2/(before - now) */
    double share = now.m / before.m * power_of_two(now.k - before.k);
    if (!(share < 1.0))
        return none;
    now.m *= share / (1.0 - share);
    return now;
}

/* The slope of log E over log(t_end - t), by least squares: over the second
 * half of many impacts, which is free from what the start has left, or over the
 * middle four fifths of few; never over the last tenth, where what is left is a
 * guess. Where the limit is one of limits, these and what led to them belong to
 * the impacts. */
static bool
fit_line(struct chatter_run *outcome, const struct chatter_trace *trace)
{
    struct accumulation_limit *limit = &outcome->accumulation;
    size_t from = limit->depth > 1 ? 0 : trace->from, n = trace->n - from,
           last = n - n / 10, points = 0,
           first = trace->n >= CHATTER_FITTED ? n / 2 : n / 10;
    double *log_time = NEW_N(trace->arena, double, 3 * n + 3),
           *log_energy = log_time + n + 1, *number = log_energy + n + 1;
    /* both sums grow from the end backwards, so nothing is subtracted */
    struct wide time = {limit->remaining, 0}, energy = energy_left(trace, from);
    for (size_t i = n; i-- > first;) {
        const struct impact *impact = trace->v + from + i;
        add_loss(&energy, trace, from + i);
        if (i <= last) {
            number[points] = (double)i;
            log_time[points] = wide_log(time);
            log_energy[points++] = wide_log(energy);
        }
        wide_add(&time, impact->flight, impact->flight_exponent);
        wide_add(&time, impact->skipped, 0);
    }
    if (points < FIT_LEAST || !(log_time[points - 1] - log_time[0] > FIT_SPAN))
        return false;
    struct slope exponent = slope_of(log_time, log_energy, points);
    outcome->fitted = true;
    outcome->exponent = exponent.value;
    outcome->exponent_error = exponent.error;
    if (limit->depth == 1) {
        struct slope shrinks = slope_of(number, log_time, points);
        limit->ratio = exp(shrinks.value);
        limit->ratio_error = limit->ratio * expm1(shrinks.error);
    }
    return isfinite(outcome->exponent);
}

/* -- the exponent of the limit --------------------------------------------- */

/* By the ratios of the fixed point of a map, or of a law: c = 2 log s/log r. */
static void
by_ratios(struct chatter_run *outcome)
{
    const struct accumulation_limit *limit = &outcome->accumulation;
    double falls = -log(limit->ratio);
    outcome->speed_ratio = limit->speed;
    outcome->exponent = 2.0 * log(limit->speed) / log(limit->ratio);
    outcome->exponent_error =
        (limit->ratio_error / limit->ratio + 2.0 * DBL_EPSILON) *
        (2.0 + outcome->exponent) / falls;
}

/* By the losses of the last two periods. What changed since those before bounds
 * what they lack. */
static void
by_periods(struct chatter_run *outcome, const struct chatter_trace *trace)
{
    const struct accumulation_limit *limit = &outcome->accumulation;
    size_t period = (size_t)limit->period, last = trace->n - 1;
    double log_ratio = 0.5 * (loss(trace, last) - loss(trace, last - period)),
           change = NAN;
    if (last >= trace->from + 2 * period)
        change = log_ratio - 0.5 * (loss(trace, last - period) -
                                    loss(trace, last - 2 * period));
    outcome->speed_ratio = exp(log_ratio);
    if (!isfinite(log_ratio) || !(limit->ratio > 0.0)) {
        outcome->no_exponent = "no speeds to compare";
        return;
    }
    double falls = -log(limit->ratio);
    outcome->exponent = -2.0 * log_ratio / falls;
    outcome->exponent_error =
        (4.0 * fabs(change) +
         (limit->ratio_error / limit->ratio) * outcome->exponent +
         8.0 * DBL_EPSILON * (1.0 + fabs(log_ratio))) /
        falls;
}

/* Fits c of E ~ (t_end - t)^c (thesis (1.3), (4.1)), where E is the energy that
 * the impacts still to come take away. */
static void
fit_exponent(struct chatter_run *outcome, struct chatter_trace *trace)
{
    const struct accumulation_limit *limit = &outcome->accumulation;
    size_t period = (size_t)limit->period;
    trace->line.asked = false;
    if (limit->evidence == LIMIT_BY_MAP ||
        (limit->evidence == LIMIT_BY_LAW && limit->speed > 0.0))
        by_ratios(outcome);
    else if (period && trace->n <= trace->from + period)
        outcome->no_exponent = "the pattern is made of limits itself";
    else if (period)
        by_periods(outcome, trace);
    else
        trace->line.asked = !mean_ratios(outcome, trace);
}

/* Under constant accelerations the motion is the same at every scale (thesis
 * 3.2): within a time that goes with the root of the energy a fixed share of it
 * is lost, so that c is 2 at most (Lemma 10). What a fit has above that is
 * error, and no fit says more than 2. */
#define EXPONENT_HEAVY 2.0

static void
bound_exponent(struct chatter_run *outcome, bool heavy)
{
    if (heavy && outcome->exponent > EXPONENT_HEAVY) {
        outcome->exponent_error =
            fmax(outcome->exponent_error, outcome->exponent - EXPONENT_HEAVY);
        outcome->exponent = EXPONENT_HEAVY;
    }
}

void
chatter_trace_limit(struct chatter_trace *trace, struct chatter_run *outcome,
                    bool heavy)
{
    assert(outcome->limit);
    outcome->no_exponent = NULL;
    outcome->fitted = false;
    outcome->exponent_error = NAN;
    fit_exponent(outcome, trace);
    bound_exponent(outcome, heavy);
    trace->line.heavy = heavy;
    trace->line.from = trace->from;
    trace->line.n = trace->n;
    trace->from = trace->n;
    trace->skipped += outcome->accumulation.remaining;
}

void
chatter_trace_end(struct chatter_trace *trace, struct chatter_run *outcome)
{
    assert(trace != NULL && outcome != NULL);
    if (!outcome->limit || !trace->line.asked)
        return;
    struct chatter_trace then = *trace;
    then.from = trace->line.from;
    then.n = trace->line.n;
    if (!fit_line(outcome, &then))
        outcome->no_exponent = "too few impacts to fit it to";
    bound_exponent(outcome, trace->line.heavy);
}
