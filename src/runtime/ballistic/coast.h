/* SPDX-License-Identifier: MIT */
/* Body of coast.c and coast_avx2.c. Flights of ballistic.h without
 * acceleration from one single impact to the next, the inner loop of chatter:
 * what flight() of flight.c does, several contacts at once and the state
 * at hand. Rates do not change on the way, so that only the impact makes new
 * ones; every number is that of flight(), bit for bit. Whatever is no single
 * impact of a free system is left to that: the state is then the one after the
 * last impact. Lanes beyond the contacts have an infinite gap without a rate.
 *
 * What counts is the way from the rates through a division, the least time and
 * the impact back to the rates: nothing else may wait on it. So numbers of the
 * contact that is hit are picked out by its mask and not by its index, and what
 * seldom happens is a branch and not a choice. */
#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/simd.h"

#define VECTORS (BALLISTIC_LANES / LANES)

/* The state, of nv vectors; y and z in all lanes. rate: that of the last
 * impact's contact is what the law says until the end of the next flight. */
struct coast {
    lanes gap[VECTORS], rate[VECTORS], big[VECTORS], rsize[VECTORS];
    lanes next[VECTORS]; /* rates that the next impact changes */
    lanes of_z[VECTORS]; /* rates as they come from z */
    lanes y[BALLISTIC_LANES], z[BALLISTIC_LANES];
    lanes ys, zs;             /* sums of |y|, |z| */
    bool fine;                /* see struct ballistic_workspace */
    lanes_truth hit[VECTORS]; /* by the last impact */
    double t, t_lo;
    double at[BALLISTIC_LANES]; /* rate again, to be read one by one */
};
/* one impact */
struct hit {
    lanes s; /* flight */
    double arrive, up;
    int contact;
};

LANES_INLINE lanes
row(const double *x, int v)
{
    return lanes_load(x + LANES * v);
}
/* gaps or rates from y or z, without what is added to them */
LANES_INLINE lanes
from(const struct ballistic *l, int r, const lanes *y, int v)
{
    const double *Ft = l->k.Ft;
    lanes s = row(Ft, v) * y[0];
    for (int j = 1; j < r; j++)
        s += row(Ft + j * l->k.stride, v) * y[j];
    return s;
}

LANES_INLINE void
coast_load(struct coast *c, const struct ballistic *l, int nv, int r,
           bool direct)
{
    double zs = 0.0, u = l->hit < 0 ? 0.0 : l->rate[l->hit];
    if (!direct) /* r may be 0 */
        c->y[0] = c->z[0] = lanes_of(0.0);
    for (int j = 0; j < r && !direct; j++) {
        c->y[j] = lanes_of(l->y[j]);
        c->z[j] = lanes_of(l->z[j]);
        zs += fabs(l->z[j]);
    }
    c->zs = lanes_of(zs);
    c->fine = l->w->fine;
    if (!direct)
        c->ys = lanes_sizes(c->y, r);
    if (!direct && l->hit >= 0 &&
        !(fabs(u) < BALLISTIC_MINOR * (zs * l->k.root[l->hit])))
        u = dot_of(r, l->k.F + l->hit * r, l->z);
    for (int v = 0; v < nv; v++) {
        c->hit[v] = lanes_alone(l->hit - LANES * v);
        c->gap[v] = row(l->gap, v);
        c->rate[v] = row(l->rate, v);
        lanes_store(c->at + LANES * v, c->rate[v]);
        c->big[v] = row(l->big, v);
        c->rsize[v] = row(l->w->rsize, v);
        c->next[v] = lanes_select(c->hit[v], lanes_of(u), c->rate[v]);
        c->of_z[v] = direct ? c->next[v] : from(l, r, c->z, v);
    }
    c->t = l->t;
    c->t_lo = l->t_lo;
}

LANES_INLINE void
coast_store(const struct coast *c, struct ballistic *l, int nv, int r,
            bool direct)
{
    for (int v = 0; v < nv; v++) {
        lanes_store(l->gap + LANES * v, c->gap[v]);
        lanes_store(l->rate + LANES * v, c->rate[v]);
        lanes_store(l->big + LANES * v, c->big[v]);
        lanes_store(l->w->rsize + LANES * v, c->rsize[v]);
        if (direct) {
            lanes_store(l->y + LANES * v, c->gap[v]);
            lanes_store(l->z + LANES * v, c->rate[v]);
        }
    }
    for (int j = 0; j < r && !direct; j++) {
        l->y[j] = c->y[j][0];
        l->z[j] = c->z[j][0];
    }
    l->t = c->t;
    l->t_lo = c->t_lo;
    l->w->fine = c->fine;
}

/* Local time until the first gap closes, and whose it is: mask and bits, more
 * than one when they close at one time or none closes. The contact that was hit
 * last opens. */
LANES_INLINE lanes
first_of(const struct coast *c, int nv, lanes_truth *hit, uint64_t *bits)
{
    lanes s[VECTORS], least = lanes_of(INFINITY);
    for (int v = 0; v < nv; v++) {
        lanes_truth closes = lanes_not(c->hit[v], c->next[v] < 0.0);
        s[v] = lanes_where(closes, -c->gap[v] / c->next[v]);
        s[v] = lanes_either(s[v], lanes_unless(closes, lanes_of(INFINITY)));
        least = v ? lanes_less(s[v], least) : s[v];
    }
    least = lanes_least(least);
    *bits = 0;
    for (int v = 0; v < nv; v++) {
        hit[v] = s[v] == least;
        *bits |= lanes_bits(hit[v]) << LANES * v;
    }
    return least;
}

/* y are the gaps themselves, z the rates; false: no single impact, and nothing
 * has changed */
LANES_INLINE bool
impact_direct(struct coast *c, const struct ballistic *l, int nv,
              const lanes_truth *hit, uint64_t others, struct hit *h)
{
    lanes g[VECTORS], most[VECTORS];
    uint64_t shut = 0;
    const double *K = l->k.P + h->contact * l->k.stride;
    for (int v = 0; v < nv; v++) {
        g[v] = c->gap[v] + c->rate[v] * h->s;
        most[v] = lanes_greater(c->big[v], g[v]);
        shut |= lanes_bits(g[v] <= BALLISTIC_CLOSED * most[v]) << LANES * v;
    }
    h->arrive = c->at[h->contact];
    h->up = -l->model.e[h->contact] * h->arrive;
    if (SELDOM(shut & others) || SELDOM(!(h->up > DBL_MIN)))
        return false;
    for (int v = 0; v < nv; v++) {
        lanes u = c->next[v] + row(K, v) * h->arrive;
        lanes size = lanes_of(-h->arrive);
        c->next[v] = c->rate[v] = lanes_select(hit[v], lanes_of(h->up), u);
        lanes_store(c->at + LANES * v, c->rate[v]);
        c->rsize[v] = lanes_select(hit[v], size, c->rsize[v]);
        c->gap[v] = lanes_unless(hit[v], g[v]);
        c->big[v] = lanes_unless(hit[v], most[v]);
        c->hit[v] = hit[v];
    }
    return true;
}

/* the flight: coordinates, gaps, greatest gaps of the `others` than are hit; d:
 * gaps as they come from y; fine: is one known by itself? Which are closed
 * within BALLISTIC_CLOSED of their size: all, where this flight is not for
 * here. */
LANES_INLINE uint64_t
fly(const struct coast *c, const struct ballistic *l, int nv, int r, lanes s,
    uint64_t others, lanes *y, double *d, lanes *g, lanes *most, bool *fine)
{
    uint64_t shut = 0;
    *fine = false;
    for (int j = 0; j < r; j++)
        y[j] = c->y[j] + c->z[j] * s;
    lanes ys = lanes_sizes(y, r), top = ys;
    if (SELDOM(ys[0] < BALLISTIC_FALL * c->ys[0])) {
        if (c->fine) /* projection_regain */
            shut = others;
        top = c->ys;
    }
    for (int v = 0; v < nv; v++) {
        lanes c0 = row(l->c0l, v);
        lanes full = ys * row(l->k.root, v) + lanes_abs(c0);
        lanes of_y = from(l, r, y, v) + c0, kept = c->gap[v] + c->rate[v] * s;
        lanes_truth known = lanes_abs(kept) < BALLISTIC_MINOR * full;
        g[v] = of_y;
        most[v] =
            lanes_greater(c->big[v], top * row(l->k.root, v) + lanes_abs(c0));
        if (SELDOM(lanes_bits(known) & others >> LANES * v)) {
            g[v] = lanes_select(known, kept, of_y);
            most[v] = lanes_select(known, c->big[v], most[v]);
            *fine = true;
        }
        lanes_store(d + LANES * v, of_y);
        most[v] = lanes_greater(most[v], g[v]);
        shut |= lanes_bits(g[v] <= BALLISTIC_CLOSED * most[v]) << LANES * v;
    }
    return shut;
}

/* rates where some may be so small that they are known better by themselves */
LANES_INLINE void
small_rates(struct coast *c, const struct ballistic *l, int nv,
            const lanes_truth *hit, const struct hit *h)
{
    const double *W = l->k.P + h->contact * l->k.stride;
    double q = (h->up - h->arrive) / W[h->contact];
    for (int v = 0; v < nv; v++) {
        lanes full = c->zs * row(l->k.root, v);
        lanes u = c->next[v] + row(W, v) * q;
        u = lanes_select(hit[v], lanes_of(h->up), u);
        lanes size = lanes_select(hit[v], lanes_of(-h->arrive), c->rsize[v]);
        lanes_truth known =
            lanes_abs(u) < BALLISTIC_MINOR * c->zs * row(l->k.root, v);
        c->next[v] = lanes_select(known, u, c->of_z[v]);
        c->rsize[v] = lanes_select(known, size, full);
    }
}

LANES_INLINE bool
impact_general(struct coast *c, const struct ballistic *l, int nv, int r,
               const lanes_truth *hit, uint64_t others, struct hit *h)
{
    lanes g[VECTORS], most[VECTORS], p[VECTORS], y[BALLISTIC_LANES];
    double d[BALLISTIC_LANES];
    int stride = l->k.stride;
    bool fine;
    uint64_t shut = fly(c, l, nv, r, h->s, others, y, d, g, most, &fine);
    h->arrive = c->at[h->contact];
    h->up = -l->model.e[h->contact] * h->arrive;
    if (SELDOM(shut & others) || SELDOM(!(h->up > DBL_MIN)))
        return false;
    const double *K = l->k.K + h->contact * r;
    lanes down = lanes_of(d[h->contact]), was = c->zs;
    for (int v = 0; v < nv; v++)
        p[v] = -row(l->model.e, v) * c->rate[v] - c->of_z[v];
    for (int j = 0; j < r; j++) {
        lanes k = lanes_where(hit[0], row(l->k.Kt + j * stride, 0) * p[0]);
        for (int v = 1; v < nv; v++)
            k = lanes_either(
                k, lanes_where(hit[v], row(l->k.Kt + j * stride, v) * p[v]));
        c->z[j] += lanes_spread(k);
        c->y[j] = y[j] - lanes_of(K[j]) * down;
    }
    c->ys = lanes_sizes(c->y, r);
    c->fine = fine;
    lanes zs = c->zs = lanes_sizes(c->z, r);
    uint64_t small = 0;
    for (int v = 0; v < nv; v++) {
        lanes rough = (zs + was) * (BALLISTIC_ROUGH * row(l->k.root, v));
        c->of_z[v] = from(l, r, c->z, v);
        small |= lanes_bits(lanes_abs(c->of_z[v]) < rough);
    }
    if (SELDOM(small))
        small_rates(c, l, nv, hit, h);
    for (int v = 0; v < nv; v++) {
        if (!small) {
            c->next[v] = c->of_z[v];
            c->rsize[v] = zs * row(l->k.root, v);
        }
        c->rate[v] = lanes_select(hit[v], lanes_of(h->up), c->next[v]);
        lanes_store(c->at + LANES * v, c->rate[v]);
        c->gap[v] = lanes_unless(hit[v], g[v]);
        c->big[v] = lanes_unless(hit[v], most[v]);
        c->hit[v] = hit[v];
    }
    return true;
}

/* is it time to stop after n impacts, the last at this rate? */
LANES_INLINE bool
coast_over(struct ballistic *l, long n, long most, double arrive)
{
    const struct ballistic_workspace *w = l->w;
    return n >= most || w->n_ring % BALLISTIC_RESCALE == 0 ||
           -arrive < w->low_v ||
           (w->n_ring >= w->look &&
            impact_history_period_due(l, l->impacts + n));
}

LANES_INLINE long
coast(struct ballistic *l, int nv, int r, bool direct, double until, long most)
{
    struct ballistic_workspace *w = l->w;
    struct coast c;
    struct hit h = {.contact = -1}, last = h;
    lanes_truth hit[VECTORS];
    int exponent = l->ex - l->ev;
    long n = 0;
    double unit = w->tunit;
    uint64_t bits, all = ~UINT64_C(0) >> (64 - l->model.m);
    coast_load(&c, l, nv, r, direct);
    do {
        h.s = first_of(&c, nv, hit, &bits);
        double dt = h.s[0] * unit;
        if (SELDOM(bits & (bits - 1)) || SELDOM(!(h.s[0] > 0.0)) ||
            SELDOM(!(dt <= until - c.t - c.t_lo))) {
            w->opens = n == 0 && h.s[0] == INFINITY;
            break;
        }
        h.contact = __builtin_ctzll(bits);
        if (!(direct ? impact_direct(&c, l, nv, hit, all & ~bits, &h)
                     : impact_general(&c, l, nv, r, hit, all & ~bits, &h)))
            break;
        time_add(&c.t, &c.t_lo, dt);
        w->ring[w->n_ring++ % HISTORY_KEPT] =
            (struct impact_entry){h.contact, exponent, h.s[0]};
        last = h;
        n++;
    } while (!coast_over(l, n, most, h.arrive));
    if (n == 0)
        return 0;
    coast_store(&c, l, nv, r, direct);
    ballistic_coasted(l, last.contact, last.arrive, n);
    return n;
}

LANES_INLINE long
coast_any(struct ballistic *l, double until, long most)
{
    int m = l->model.m, r = l->k.r, nv = (m + LANES - 1) / LANES;
    bool direct = l->k.direct;
    if (direct && nv == 1)
        return coast(l, 1, LANES, true, until, most);
    if (direct)
        return coast(l, nv, m, true, until, most);
    if (r == 3 && nv == 4 / LANES)
        return coast(l, 4 / LANES, 3, false, until, most);
    if (r == 3 && nv == 8 / LANES)
        return coast(l, 8 / LANES, 3, false, until, most);
    return coast(l, nv, r, false, until, most);
}
