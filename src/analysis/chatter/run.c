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
grow(struct chatter_trace *t, struct chatter_run *r)
{
    if (t->n < t->cap)
        return;
    t->cap = t->cap ? 2 * t->cap : 256;
    void *v = arena_alloc(t->a, t->cap * sizeof *t->v);
    int *o = NEW_N(t->a, int, t->cap);
    if (t->n) {
        memcpy(v, t->v, t->n * sizeof *t->v);
        memcpy(o, r->order, t->n * sizeof *o);
    }
    t->v = v;
    r->order = o;
}

static void
note(struct chatter_trace *t, struct chatter_run *r, const struct ballistic *l)
{
    int m = l->model.m, hits = 0;
    for (int i = 0; i < m; i++)
        hits += l->impulse[i] != 0.0;
    for (int i = 0; i < m; i++) {
        if (l->impulse[i] == 0.0 && !(hits == 0 && i == l->hit))
            continue;
        grow(t, r);
        t->v[t->n].flight = t->v[t->n].rate = NAN;
        if (hits <= 1) { /* 0: below all numbers */
            t->v[t->n].flight = impact_history_last_flight(l, &t->v[t->n].ex);
            t->v[t->n].rate = ballistic_rate(l, i, &t->v[t->n].ev);
            t->v[t->n].e = l->model.e[i];
            t->v[t->n].W = l->k.W[i * (m + 1)];
        }
        r->order[t->n++] = i;
        r->n_order = t->n;
    }
}

/* logarithms of the time before impact i, and of the energy that it took */
static double
flight(const struct chatter_trace *t, size_t i)
{
    return log(t->v[i].flight) + t->v[i].ex * ln2;
}
static double
loss(const struct chatter_trace *t, size_t i)
{
    double u = t->v[i].rate / t->v[i].e;
    return log(u * u / t->v[i].W) + 2.0 * t->v[i].ev * ln2;
}

/* are all gaps without rate? on: those that are closed; NULL: none */
static bool
still(const struct ballistic *l, const bool *on, const double *rate,
      const double *z)
{
    double big = 0.0;
    for (int j = 0; j < l->k.r; j++)
        big = fmax(big, fabs(z[j]));
    for (int i = 0; i < l->model.m; i++) {
        double size = l->k.direct ? big : big * l->k.root[i];
        if (!(on && on[i]) && fabs(rate[i]) > REST_NOISE * DBL_EPSILON * size)
            return false;
    }
    return true;
}
static bool
at_rest(const struct ballistic *l)
{
    return still(l, l->on, l->rate, l->z);
}

bool
chatter_accelerates(const struct ballistic *l)
{
    for (int i = 0; i < l->model.m; i++) {
        double s = 0.0, size = 0.0;
        if (l->k.nf[i] == 0.0)
            continue;
        for (int j = 0; j < l->model.n; j++) {
            double d = l->model.N[i * l->model.n + j] * l->model.acc[j];
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
span(const struct chatter_trace *t, size_t i, size_t p)
{
    double s = -INFINITY;
    for (size_t k = i + 1 - p; k <= i; k++) {
        double f = flight(t, k);
        s = fmax(s, f) + log1p(exp(-fabs(s - f)));
    }
    return s;
}

/* An order that repeats, but whose flights have not come to one ratio: means
 * over the last third of the impacts. */
static bool
mean_ratios(struct chatter_run *r, const struct chatter_trace *t)
{
    size_t n = t->n, p = pattern(r->order, t->from, n, r->m);
    size_t periods = p ? (n - t->from) / 3 / p : 0;
    if (!periods)
        return false;
    size_t i = n - 1 - periods * p;
    double k = (double)periods;
    r->chatter.period = (int)p;
    r->chatter.ratio = exp((span(t, n - 1, p) - span(t, i, p)) / k);
    r->speed = exp(0.5 * (loss(t, n - 1) - loss(t, i)) / k);
    r->exponent = 2.0 * log(r->speed) / log(r->chatter.ratio);
    return isfinite(r->exponent);
}

/* c of E ~ (t_end - t)^c, E the energy that impacts still take away */
static void
exponent(struct chatter_run *r, const struct chatter_trace *t,
         const struct accumulation_limit *c)
{
    size_t p = (size_t)c->period, n = t->n, from = t->from;
    if (c->means == LIMIT_BY_MAP) {
        r->speed = c->speed;
        r->exponent = 2.0 * log(c->speed) / log(c->ratio);
        return;
    }
    if (p && n <= from + p) {
        r->no_exponent = "the pattern is made of limits itself";
        return;
    }
    if (p) {
        double d = 0.5 * (loss(t, n - 1) - loss(t, n - 1 - p));
        r->speed = exp(d);
        if (isfinite(d) && c->ratio > 0.0)
            r->exponent = 2.0 * d / log(c->ratio);
        else
            r->no_exponent = "no speeds to compare";
        return;
    }
    if (mean_ratios(r, t))
        return;
    /* an order that never repeats: least squares over the middle impacts,
     * limits on the way and what led to them among these */
    if (c->depth > 1)
        from = 0;
    double T = log(c->remaining), E = -INFINITY, s[5] = {0};
    for (size_t i = n; i-- > from;) {
        double g = loss(t, i), f = flight(t, i);
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
    double d = s[0] * s[3] - s[1] * s[1];
    r->exponent = (s[0] * s[4] - s[1] * s[2]) / d;
    if (!isfinite(r->exponent))
        r->no_exponent = "too few impacts to fit it to";
}

static void
take(struct chatter_run *r, const struct chatter_trace *t,
     const struct ballistic *l)
{
    r->limit = true;
    r->time = l->t;
    r->chatter = l->chatter;
    memcpy(r->group, l->group, (size_t)l->model.m);
    if (!t->a)
        return;
    r->no_exponent = NULL;
    exponent(r, t, &l->chatter);
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
below(const struct ballistic *l, bool resolved)
{
    double big = 0.0;
    int some = 0, hits = 0;
    for (int j = 0; j < l->k.r; j++)
        big = fmax(big, fabs(l->z[j]));
    for (int i = 0; i < l->model.m; i++) {
        if (!l->hits[i] || (l->on[i] && !resolved))
            continue;
        double u =
            resolved ? ldexp(l->impulse[i] * l->k.root[i], -l->ev) : l->rate[i];
        hits++;
        some += fabs(u) < ldexp(big, FINISH_EXPONENT);
    }
    return resolved ? hits && some == hits : some > 0;
}

/* ev: exponent of the rates before the last event */
static void
finish(struct chatter_run *r, const struct ballistic *l,
       enum ballistic_event what, int ev)
{
    bool lost = what == BALLISTIC_FREE && ev < FINISH_EXPONENT && l->n_on == 0;
    if (what == BALLISTIC_JAMMED)
        r->verdict = CHATTER_JAMMED;
    else if (what == BALLISTIC_UNDECIDED && below(l, false))
        r->verdict = CHATTER_BELOW;
    else if (what == BALLISTIC_UNDECIDED)
        r->verdict = CHATTER_SIMULTANEOUS;
    else if (!lost && at_rest(l) && l->impacts)
        r->verdict = CHATTER_COMPLETE;
    else
        r->verdict = r->limit ? CHATTER_PARTIAL : CHATTER_INCOMPLETE;
}

bool
chatter_batch_verdict(const struct ballistic *l, int k, struct chatter_run *r)
{
    double t;
    const double *rate, *z;
    long n = ballistic_batch_end(l, k, &t, &rate, &z);
    if (n == 0 || l->ev < FINISH_EXPONENT || still(l, NULL, rate, z))
        return false;
    *r = (struct chatter_run){.verdict = CHATTER_INCOMPLETE,
                              .m = l->model.m,
                              .impacts = n,
                              .time = t,
                              .last = t,
                              .no_exponent = no_limit};
    return true;
}

static void
follow(struct arena *a, struct ballistic *l, double until, long least,
       long most, bool history, struct chatter_run *r)
{
    accumulation_resolve(l, least);
    accumulation_doubt(l, most / DOUBT_SHARE);
    l->rough = !history;
    int m = l->model.m;
    struct chatter_trace t = {.a = history ? a : NULL};
    *r = (struct chatter_run){.verdict = CHATTER_ENDLESS,
                              .time = l->t,
                              .m = m,
                              .last = NAN,
                              .no_exponent = no_limit};
    bool partial = false;
    r->group = NEW_N(a, bool, (size_t)m + 1);
    bool gravity = chatter_accelerates(l);
    while (l->impacts < most) {
        if (l->impacts >= most / 2)
            accumulation_accept_error(l, CHATTER_ACCEPT);
        int ev = l->ev;
        enum ballistic_event what =
            accumulation_run(l, until, history ? 1 : most - l->impacts);
        if (what == BALLISTIC_END &&
            accumulation_next(l, INFINITY) == BALLISTIC_FREE)
            what = BALLISTIC_FREE; /* known before that time */
        if (!partial && !(l->t < ldexp(1.0, TIME_EXPONENT))) {
            r->verdict = CHATTER_MOVING;
            r->after_time = INFINITY;
            return;
        }
        if (what == BALLISTIC_END) {
            r->verdict = partial ? CHATTER_PARTIAL : CHATTER_MOVING;
            r->after = partial ? CHATTER_LASTS : CHATTER_NOTHING;
            r->after_time = until;
            return;
        }
        bool end = what == BALLISTIC_FREE || what == BALLISTIC_UNDECIDED ||
                   what == BALLISTIC_JAMMED;
        if (partial) {
            /* only what comes next */
            r->after = what == BALLISTIC_FREE ? CHATTER_FREE
                       : end                  ? CHATTER_TOGETHER
                                              : CHATTER_CLOSES;
            r->after_time = l->t;
            r->after_contact = l->hit;
            r->verdict = CHATTER_PARTIAL;
            return;
        }
        if (end) {
            finish(r, l, what, ev);
            if (r->verdict == CHATTER_SIMULTANEOUS) {
                r->time = l->t;
                memcpy(r->group, l->hits, (size_t)m);
            }
            return;
        }
        if (what == BALLISTIC_SEVERAL && !gravity && below(l, true)) {
            r->verdict = CHATTER_BELOW;
            return;
        }
        if (what == BALLISTIC_ACCUMULATION) {
            take(r, &t, l);
            r->hoped = !gravity && l->chatter.means == LIMIT_BELOW_ROUNDING;
            t.from = t.n;
            /* without acceleration nothing comes to rest later */
            partial = !gravity && !at_rest(l);
        } else {
            if (history)
                note(&t, r, l);
            r->impacts = l->impacts;
            r->last = r->time = l->t;
        }
    }
    if (!impact_history_trend(l, &r->trend, &r->trend_ratio))
        r->trend = -1;
    /* the limits on the way are not the end of it */
    r->limit = false;
    r->no_exponent = no_limit;
    memset(r->group, 0, (size_t)m);
}

void
chatter_follow(struct arena *a, struct ballistic *l, double until, long least,
               long most, struct chatter_run *r)
{
    follow(a, l, until, least, most, true, r);
}

void
chatter_decide(struct arena *a, struct ballistic *l, double until, long least,
               long most, struct chatter_run *r)
{
    follow(a, l, until, least, most, false, r);
}

struct chatter_trace *
chatter_trace_new(struct arena *a)
{
    struct chatter_trace *t = NEW(a, struct chatter_trace);
    t->a = a;
    return t;
}

void
chatter_trace_impact(struct chatter_trace *t, struct chatter_run *r, int i,
                     double flight, double u, double e, double W)
{
    grow(t, r);
    t->v[t->n].flight = flight;
    t->v[t->n].rate = u * e;
    t->v[t->n].ex = t->v[t->n].ev = 0;
    t->v[t->n].e = e;
    t->v[t->n].W = W;
    r->order[t->n++] = i;
    r->n_order = t->n;
}

void
chatter_trace_limit(struct chatter_trace *t, struct chatter_run *r)
{
    r->no_exponent = NULL;
    exponent(r, t, &r->chatter);
    t->from = t->n;
}
