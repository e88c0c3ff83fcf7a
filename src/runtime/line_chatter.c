/* SPDX-License-Identifier: MIT */
/* Infinitely many impacts in finite time. The impacts of a chatter repeat a
 * pattern of contacts, and the times of successive patterns shrink by a ratio
 * that converges; nothing is compared with an absolute speed or time. Once the
 * ratio is known to rounding the rest of the series is a geometric sum, and the
 * limit follows from the impulses' directions alone: all of them lie in
 * span M^-1 N^T of the group, so velocity and position at the limit are the
 * projections, orthogonal in the metric of M, of what free motion would give:
 *     v* = P (v + a T),   x* = P (x + v T + a T^2/2),   N_group P = 0.
 * A single contact under constant acceleration has the ratio e at once
 * (spec/chatter.md 2.2, 2.6). A limit becomes one entry of the history, so that
 * limits can repeat in a pattern in their turn. */
#include <string.h>

#include "runtime/dense.h"
#include "runtime/line_priv.h"

/* two successive ratios agree to this per impact of the pattern */
#define LINE_CONVERGED (64.0 * DBL_EPSILON)
/* and the limit must be known to this share of what remains */
#define LINE_KNOWN 1e-3
/* other contacts must stay clear of the chatter by this many times what the
 * group's present motion does to them */
#define LINE_CLEAR 4.0

static const struct line_impact *
kept(const struct line_work *w, int back)
{
    return &w->ring[(w->n_ring - 1 - (unsigned long)back) % LINE_KEPT];
}

double
line_flight(const struct line *l, int *exponent)
{
    if (l->w->n_ring == l->w->from)
        return *exponent = 0, 0.0;
    *exponent = kept(l->w, 0)->exponent;
    return kept(l->w, 0)->flight;
}

static int
n_kept(const struct line_work *w)
{
    unsigned long n = w->n_ring - w->from;
    return n < LINE_KEPT ? (int)n : LINE_KEPT - 1;
}

/* impacts in a row equal to those p before, not counted beyond `most` */
static int
matches(const struct line_work *w, int p, int most)
{
    int n = n_kept(w), k = 0;
    n = most < n - p ? most + p : n;
    while (k + p < n && kept(w, k)->contact == kept(w, k + p)->contact)
        k++;
    return k;
}

/* the flights of `period` impacts, `back` ones before the last, in the local
 * time of now */
static double
sum_of(const struct line *l, int period, int back)
{
    double s = 0.0;
    int e = l->ex - l->ev;
    for (int i = back + period - 1; i >= back; i--) {
        const struct line_impact *f = kept(l->w, i);
        s += f->exponent == e ? f->flight : times2(f->flight, f->exponent - e);
    }
    return s;
}

struct pattern {
    int period, match;
    double ratio, error; /* of the ratio; its error is absolute */
    double T;            /* what remains, local */
};

/* A flight under the acceleration that it leaves with takes 2 u/a: the speed
 * that the last impact left tells what remains. */
static bool
bouncing(const struct line *l, struct pattern *p)
{
    const struct line_work *w = l->w;
    int c = kept(w, 0)->contact;
    if (w->run < 3 || c >= l->model.m || !(l->na[c] < 0.0))
        return false;
    p->period = 1;
    p->match = w->run - 1;
    p->ratio = l->model.e[c];
    p->error = 0.0;
    p->T = -2.0 * l->rate[c] / (l->nal[c] * (1.0 - p->ratio));
    return p->ratio < 1.0;
}

/* The ratio of a pattern, and how far it is from converged. The flights are
 * differences of gaps as large as a period ago, so that their rounding is
 * 1/ratio times as large. Convergence may be as slow as 1/k^2 in the number k
 * of periods (a double eigenvalue): then what is still to come is k times the
 * last change. */
enum outcome { NO_PATTERN, PATTERN, CONVERGED };
static enum outcome
converged(const struct line *l, int period, struct pattern *p)
{
    const struct line_work *w = l->w;
    long least = w->least - period;
    for (int i = 0; i < period; i++) /* limits count for as many as they are */
        if (kept(w, i)->contact >= l->model.m)
            least = 0;
    if (least > LINE_KEPT - 1 - period) {
        if ((long)w->n_ring < w->least)
            return NO_PATTERN;
        least = LINE_KEPT - 1 - period;
    }
    if (least < 2 * period)
        least = 2 * period;
    if (n_kept(w) < least + period || matches(w, period, (int)least) < least)
        return NO_PATTERN;
    double now = sum_of(l, period, 0), before = sum_of(l, period, period);
    if (!(now < before && now > 0.0))
        return PATTERN;
    double last = sum_of(l, period, 2 * period);
    double noise = LINE_CONVERGED * period * (1.0 + before / now);
    p->period = period;
    p->ratio = now / before;
    double change = fabs(p->ratio - before / last), rest = 1.0 - p->ratio;
    if (!(before < last &&
          (change <= noise * p->ratio || change <= w->accept * rest)))
        return PATTERN;
    p->match = matches(w, period, LINE_KEPT);
    double n = (double)(p->match / period + 1);
    p->error = n * (change + DBL_EPSILON * period);
    p->T = now * p->ratio / rest;
    if (change > noise * p->ratio && p->error > w->accept * rest)
        return PATTERN;
    return p->error <= LINE_KNOWN * rest ? CONVERGED : PATTERN;
}

/* An order that never repeats: the flights of the last impacts against as many
 * before. The sum that is left is taken when it is lost in the rounding of the
 * time since the start. */
static bool
irregular(const struct line *l, struct pattern *p)
{
    const struct line_work *w = l->w;
    int k = LINE_KEPT / 4;
    if (n_kept(w) < 2 * k || (long)w->n_ring < w->least)
        return false;
    double now = sum_of(l, k, 0), before = sum_of(l, k, k);
    if (!(now < 0.99 * before))
        return false;
    p->period = k;
    p->match = -1;
    p->ratio = now / before;
    p->T = now * p->ratio / (1.0 - p->ratio);
    return times2(p->T, l->ex - l->ev) <=
           0.25 * DBL_EPSILON * (l->t - l->start);
}

/* contacts `sel` into w->index, W of them factored into w->G */
static int
factor(const struct line *l, const bool *sel)
{
    struct line_work *w = l->w;
    int m = l->model.m, k = 0;
    for (int i = 0; i < m; i++)
        if (sel[i])
            w->index[k++] = i;
    for (int i = 0; i < k; i++) {
        w->first[i] = 0;
        for (int j = 0; j < k; j++)
            w->G[i * k + j] = l->k.W[w->index[i] * m + w->index[j]];
    }
    dense_cholesky(k, w->G, k, w->first, NULL, dense_tolerance(k, k), w->rd,
                   &w->rank);
    return k;
}

/* w->f := W^-1 x for the factored contacts */
static void
solve_for(const struct line *l, int k, const double *x)
{
    struct line_work *w = l->w;
    for (int i = 0; i < k; i++)
        w->f[i] = w->rd[i] == 0.0 ? 0.0 : x[w->index[i]];
    dense_forward(k, w->G, k, w->first, w->rd, 0, w->f);
    dense_backward(k, w->G, k, w->first, w->rd, w->f);
}

/* w->f := W^-1 (gaps or rates y of the factored contacts, + off) */
static void
solve(const struct line *l, int k, const double *y, const double *off)
{
    struct line_work *w = l->w;
    for (int i = 0; i < k; i++)
        w->f[i] = w->rd[i] == 0.0 ? 0.0
                                  : line_of(l, w->index[i], y) +
                                        (off ? off[w->index[i]] : 0.0);
    dense_forward(k, w->G, k, w->first, w->rd, 0, w->f);
    dense_backward(k, w->G, k, w->first, w->rd, w->f);
}

/* y := y - H^T W^-1 (gaps + off) for the factored contacts */
static void
project(const struct line *l, int k, double *y, const double *off)
{
    struct line_work *w = l->w;
    int r = l->k.r;
    solve(l, k, y, off);
    for (int j = 0; j < r; j++) {
        double s = 0.0, size = fabs(y[j]);
        for (int i = 0; i < k; i++) {
            double d = l->k.H[w->index[i] * r + j] * w->f[i];
            s += d;
            size += fabs(d);
        }
        y[j] -= s;
        if (fabs(y[j]) <= LINE_NOISE * (k + 1) * DBL_EPSILON * size)
            y[j] = 0.0;
    }
    for (int i = 0; i < k && l->k.direct; i++)
        y[w->index[i]] = off ? -off[w->index[i]] : 0.0;
}

void
line_rest(struct line *l)
{
    int k = factor(l, l->on);
    if (l->w->rank < l->k.r)
        return;
    project(l, k, l->y, l->c0l);
    memset(l->z, 0, (size_t)l->k.r * sizeof *l->z);
    memset(l->ya, 0, (size_t)l->k.r * sizeof *l->ya);
    line_sense(l);
}

void
line_stick(struct line *l, const bool *closed)
{
    int k = factor(l, closed);
    project(l, k, l->y, l->c0l);
    project(l, k, l->z, l->d0l);
    l->n_on = 0;
    for (int i = 0; i < l->model.m; i++) {
        l->on[i] = closed[i];
        l->n_on += closed[i];
    }
    line_sense(l);
}

void
line_average(struct line *l, const struct line *after, double *y, double *z)
{
    bool *sel = l->w->closed;
    for (int i = 0; i < l->model.m; i++)
        sel[i] = after->group[i] || l->on[i];
    int k = factor(l, sel);
    project(l, k, y, l->c0l);
    project(l, k, z, l->d0l);
}

/* least of g + u s + a s^2/2 for s in 0 .. T */
static double
lowest(double g, double u, double a, double T)
{
    double least = fmin(g, g + (u + 0.5 * a * T) * T), s = -u / a;
    if (a > 0.0 && s > 0.0 && s < T)
        least = fmin(least, g + 0.5 * u * s);
    return least;
}

/* Do the contacts outside the group (w->closed) stay open until the limit, T
 * from now? Along the projected parabola, and by what the group's gaps and
 * rates do to them. */
static bool
clear(struct line *l, double T)
{
    struct line_work *w = l->w;
    int m = l->model.m, others = 0;
    for (int i = 0; i < m; i++)
        others += !w->closed[i];
    if (!others)
        return true;
    int k = factor(l, w->closed);
    memset(w->ds, 0, (size_t)m * sizeof *w->ds);
    /* from the gaps, which are known better than y */
    const double *part[] = {l->gap, l->rate, l->nal};
    double *left[] = {w->ys, w->zs, w->as}, unit[] = {1.0, T, 0.5 * T * T};
    for (int s = 0; s < 3; s++) {
        solve_for(l, k, part[s]);
        for (int i = 0; i < m; i++) {
            left[s][i] = part[s][i];
            for (int j = 0; j < k; j++) {
                double d = l->k.W[i * m + w->index[j]] * w->f[j];
                left[s][i] -= d;
                w->ds[i] += fabs(d) * unit[s];
            }
        }
    }
    for (int i = 0; i < m; i++) {
        if (w->closed[i])
            continue;
        double g = w->ys[i], u = w->zs[i], a = w->as[i];
        bool ahead = lowest(g, u, a, T) > LINE_CLEAR * w->ds[i];
        /* closed to rounding, and opening */
        bool opens = g <= 0.0 && u * T > LINE_CLEAR * w->ds[i] &&
                     lowest(0.0, u, a, T) >= 0.0;
        if (!ahead && !opens)
            return false;
    }
    return true;
}

/* The impacts of the chatter become one entry of the history: what was shared
 * with another line is no longer the same. */
static void
collapse(struct line *l, const struct pattern *p, int composite)
{
    struct line_work *w = l->w;
    int n = n_kept(w), gone = p->match < 0 ? n : p->match + p->period;
    double T = p->T;
    if (gone > n)
        gone = n;
    T += sum_of(l, gone, 0);
    unsigned long oldest = w->n_ring - (unsigned long)n;
    if (oldest > w->from)
        w->from = oldest;
    w->n_ring -= (unsigned long)gone;
    w->look = 0;
    w->quiet = w->n_ring;
    w->stamp++;
    w->twin = NULL;
    w->run = 0;
    line_note(l, composite, T);
}

/* small gaps and rates of the contacts outside go on by themselves, as in
 * flights */
static void
take(struct line *l, double T)
{
    struct line_work *w = l->w;
    int m = l->model.m, k = factor(l, w->closed);
    for (int i = 0; i < m; i++) {
        w->ys[i] = l->gap[i] + (l->rate[i] + 0.5 * l->nal[i] * T) * T;
        w->zs[i] = l->rate[i] + l->nal[i] * T;
    }
    double *part[] = {w->ys, w->zs};
    for (int s = 0; s < 2; s++) {
        solve_for(l, k, part[s]);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < k; j++)
                part[s][i] -= l->k.W[i * m + w->index[j]] * w->f[j];
    }
    line_advance(l, T);
    project(l, k, l->y, l->c0l);
    project(l, k, l->z, l->d0l);
    memset(l->fresh, 0, (size_t)m);
    memset(l->impulse, 0, (size_t)m * sizeof *l->impulse);
    memcpy(l->on, w->closed, (size_t)m);
    line_sense(l);
    double ys = 0.0, zs = 0.0;
    for (int j = 0; j < l->k.r; j++) {
        ys += fabs(l->y[j]);
        zs += fabs(l->z[j]);
    }
    for (int i = 0; i < m && !l->k.direct; i++) {
        double size = l->k.root[i];
        if (l->on[i])
            continue;
        if (fabs(w->ys[i]) < LINE_MINOR * (ys * size + fabs(l->c0l[i])))
            l->gap[i] = w->ys[i];
        if (fabs(w->zs[i]) < LINE_MINOR * zs * size)
            l->rate[i] = w->zs[i];
    }
    line_settle(l);
    line_rescale(l);
}

static bool
recognise(const struct line *l, struct pattern *p)
{
    const struct line_work *w = l->w;
    int n = n_kept(w);
    if (bouncing(l, p))
        return p->match + 1 >= w->least;
    enum outcome what = NO_PATTERN;
    for (int period = 1; period <= w->longest && 3 * period <= n; period++) {
        if (kept(w, 0)->contact == kept(w, period)->contact)
            what = converged(l, period, p);
        if (what == CONVERGED)
            return true;
        if (what == PATTERN)
            break; /* longer ones are multiples of it */
    }
    return irregular(l, p);
}

bool
line_limit(struct line *l, double until)
{
    struct line_work *w = l->w;
    struct pattern p;
    int m = l->model.m;
    /* more seldom where no pattern was found for long */
    unsigned long wait = (w->n_ring - w->quiet) / (8 * LINE_LOOK);
    w->look = w->n_ring + LINE_LOOK * (wait < 1 ? 1 : wait < 16 ? wait : 16);
    if (n_kept(w) < 3 || !recognise(l, &p))
        return false;
    double real = times2(p.T, l->ex - l->ev);
    if (!(p.T >= 0.0) || !(l->t + l->t_lo + real <= until))
        return false;
    memset(l->group, 0, (size_t)m);
    for (int i = 0; i < p.period; i++)
        l->group[kept(w, i)->contact % m] = true;
    for (int i = 0; i < m; i++)
        w->closed[i] = l->group[i] || l->on[i];
    if (!clear(l, p.T))
        return false;
    l->hit = kept(w, 0)->contact % m;
    double rest = 1.0 - p.ratio;
    l->chatter = (struct line_chatter){
        .impacts = p.match < 0 || p.match + p.period >= LINE_KEPT - 1
                       ? (long)w->n_ring
                       : p.match + p.period,
        .period = p.match < 0 ? 0 : p.period,
        .ratio = p.match < 0 ? pow(p.ratio, 1.0 / p.period) : p.ratio,
        .remaining = real,
        .error = p.match < 0 ? 1.0 : p.error / rest + 4.0 * DBL_EPSILON};
    if (p.period == 1 && p.match >= 0 && p.error == 0.0)
        l->chatter.impacts = w->run;
    collapse(l, &p, m + l->hit);
    take(l, p.T);
    return true;
}
