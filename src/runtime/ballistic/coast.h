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
from(const struct ballistic *motion, int r, const lanes *y, int v)
{
    const double *Ft = motion->matrices.Ft;
    lanes s = row(Ft, v) * y[0];
    for (int j = 1; j < r; j++)
        s += row(Ft + j * motion->matrices.stride, v) * y[j];
    return s;
}

LANES_INLINE void
coast_load(struct coast *c, const struct ballistic *motion, int nv, int r,
           bool direct)
{
    double zs = 0.0, u = motion->event.contact < 0
                             ? 0.0
                             : motion->rate[motion->event.contact];
    if (!direct) /* r may be 0 */
        c->y[0] = c->z[0] = lanes_of(0.0);
    for (int j = 0; j < r && !direct; j++) {
        c->y[j] = lanes_of(motion->y[j]);
        c->z[j] = lanes_of(motion->z[j]);
        zs += fabs(motion->z[j]);
    }
    c->zs = lanes_of(zs);
    c->fine = motion->work->flight.gap_carried;
    if (!direct)
        c->ys = lanes_sizes(c->y, r);
    if (!direct && motion->event.contact >= 0 &&
        !(fabs(u) < BALLISTIC_MINOR *
                        (zs * motion->matrices.root[motion->event.contact])))
        u = dot_of(r, motion->matrices.F + motion->event.contact * r,
                   motion->z);
    for (int v = 0; v < nv; v++) {
        c->hit[v] = lanes_alone(motion->event.contact - LANES * v);
        c->gap[v] = row(motion->gap, v);
        c->rate[v] = row(motion->rate, v);
        lanes_store(c->at + LANES * v, c->rate[v]);
        c->big[v] = row(motion->greatest, v);
        c->rsize[v] = row(motion->work->rate_terms, v);
        c->next[v] = lanes_select(c->hit[v], lanes_of(u), c->rate[v]);
        c->of_z[v] = direct ? c->next[v] : from(motion, r, c->z, v);
    }
    c->t = motion->t;
    c->t_lo = motion->t_lo;
}

LANES_INLINE void
coast_store(const struct coast *c, struct ballistic *motion, int nv, int r,
            bool direct)
{
    for (int v = 0; v < nv; v++) {
        lanes_store(motion->gap + LANES * v, c->gap[v]);
        lanes_store(motion->rate + LANES * v, c->rate[v]);
        lanes_store(motion->greatest + LANES * v, c->big[v]);
        lanes_store(motion->work->rate_terms + LANES * v, c->rsize[v]);
        if (direct) {
            lanes_store(motion->y + LANES * v, c->gap[v]);
            lanes_store(motion->z + LANES * v, c->rate[v]);
        }
    }
    for (int j = 0; j < r && !direct; j++) {
        motion->y[j] = c->y[j][0];
        motion->z[j] = c->z[j][0];
    }
    motion->t = c->t;
    motion->t_lo = c->t_lo;
    motion->work->flight.gap_carried = c->fine;
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
impact_direct(struct coast *c, const struct ballistic *motion, int nv,
              const lanes_truth *hit, uint64_t others, struct hit *h)
{
    lanes g[VECTORS], most[VECTORS];
    uint64_t shut = 0;
    const double *K =
        motion->matrices.rows + h->contact * motion->matrices.stride;
    for (int v = 0; v < nv; v++) {
        g[v] = c->gap[v] + c->rate[v] * h->s;
        most[v] = lanes_greater(c->big[v], g[v]);
        shut |= lanes_bits(g[v] <= BALLISTIC_CLOSED * most[v]) << LANES * v;
    }
    h->arrive = c->at[h->contact];
    h->up = -motion->model.e[h->contact] * h->arrive;
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
fly(const struct coast *c, const struct ballistic *motion, int nv, int r,
    lanes s, uint64_t others, lanes *y, double *d, lanes *g, lanes *most,
    bool *fine)
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
        lanes c0 = row(motion->local.gap_offset, v);
        lanes full = ys * row(motion->matrices.root, v) + lanes_abs(c0);
        lanes of_y = from(motion, r, y, v) + c0,
              kept = c->gap[v] + c->rate[v] * s;
        lanes_truth known = lanes_abs(kept) < BALLISTIC_MINOR * full;
        g[v] = of_y;
        most[v] = lanes_greater(c->big[v], top * row(motion->matrices.root, v) +
                                               lanes_abs(c0));
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
small_rates(struct coast *c, const struct ballistic *motion, int nv,
            const lanes_truth *hit, const struct hit *h)
{
    const double *W =
        motion->matrices.rows + h->contact * motion->matrices.stride;
    double q = (h->up - h->arrive) / W[h->contact];
    for (int v = 0; v < nv; v++) {
        lanes full = c->zs * row(motion->matrices.root, v);
        lanes u = c->next[v] + row(W, v) * q;
        u = lanes_select(hit[v], lanes_of(h->up), u);
        lanes size = lanes_select(hit[v], lanes_of(-h->arrive), c->rsize[v]);
        lanes_truth known = lanes_abs(u) < BALLISTIC_MINOR * c->zs *
                                               row(motion->matrices.root, v);
        c->next[v] = lanes_select(known, u, c->of_z[v]);
        c->rsize[v] = lanes_select(known, size, full);
    }
}

LANES_INLINE bool
impact_general(struct coast *c, const struct ballistic *motion, int nv, int r,
               const lanes_truth *hit, uint64_t others, struct hit *h)
{
    lanes g[VECTORS], most[VECTORS], p[VECTORS], y[BALLISTIC_LANES];
    double d[BALLISTIC_LANES];
    int stride = motion->matrices.stride;
    bool fine;
    uint64_t shut = fly(c, motion, nv, r, h->s, others, y, d, g, most, &fine);
    h->arrive = c->at[h->contact];
    h->up = -motion->model.e[h->contact] * h->arrive;
    if (SELDOM(shut & others) || SELDOM(!(h->up > DBL_MIN)))
        return false;
    const double *K = motion->matrices.K + h->contact * r;
    lanes down = lanes_of(d[h->contact]), was = c->zs;
    for (int v = 0; v < nv; v++)
        p[v] = -row(motion->model.e, v) * c->rate[v] - c->of_z[v];
    for (int j = 0; j < r; j++) {
        lanes k = lanes_where(hit[0],
                              row(motion->matrices.Kt + j * stride, 0) * p[0]);
        for (int v = 1; v < nv; v++)
            k = lanes_either(
                k,
                lanes_where(hit[v],
                            row(motion->matrices.Kt + j * stride, v) * p[v]));
        c->z[j] += lanes_spread(k);
        c->y[j] = y[j] - lanes_of(K[j]) * down;
    }
    c->ys = lanes_sizes(c->y, r);
    c->fine = fine;
    lanes zs = c->zs = lanes_sizes(c->z, r);
    uint64_t small = 0;
    for (int v = 0; v < nv; v++) {
        lanes rough =
            (zs + was) * (BALLISTIC_ROUGH * row(motion->matrices.root, v));
        c->of_z[v] = from(motion, r, c->z, v);
        small |= lanes_bits(lanes_abs(c->of_z[v]) < rough);
    }
    if (SELDOM(small))
        small_rates(c, motion, nv, hit, h);
    for (int v = 0; v < nv; v++) {
        if (!small) {
            c->next[v] = c->of_z[v];
            c->rsize[v] = zs * row(motion->matrices.root, v);
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
coast_over(struct ballistic *motion, long n, long most, double arrive)
{
    const struct ballistic_workspace *work = motion->work;
    return n >= most || work->history.n % BALLISTIC_RESCALE == 0 ||
           -arrive < work->units.low_rate ||
           (work->history.n >= work->history.next_look &&
            impact_history_period_due(motion, motion->impacts + n));
}

LANES_INLINE long
coast(struct ballistic *motion, int nv, int r, bool direct, double until,
      long most)
{
    struct ballistic_workspace *work = motion->work;
    struct coast c;
    struct hit h = {.contact = -1}, last = h;
    lanes_truth hit[VECTORS];
    int exponent = motion->length_exponent - motion->rate_exponent;
    long n = 0;
    double unit = work->units.time;
    uint64_t bits, all = ~UINT64_C(0) >> (64 - motion->model.m);
    coast_load(&c, motion, nv, r, direct);
    do {
        h.s = first_of(&c, nv, hit, &bits);
        double dt = h.s[0] * unit;
        if (SELDOM(bits & (bits - 1)) || SELDOM(!(h.s[0] > 0.0)) ||
            SELDOM(!(dt <= until - c.t - c.t_lo))) {
            work->flight.all_open = n == 0 && h.s[0] == INFINITY;
            break;
        }
        h.contact = __builtin_ctzll(bits);
        if (!(direct ? impact_direct(&c, motion, nv, hit, all & ~bits, &h)
                     : impact_general(&c, motion, nv, r, hit, all & ~bits, &h)))
            break;
        time_add(&c.t, &c.t_lo, dt);
        work->history.entry[work->history.n++ % HISTORY_KEPT] =
            (struct impact_entry){h.contact, exponent, h.s[0]};
        last = h;
        n++;
    } while (!coast_over(motion, n, most, h.arrive));
    if (n == 0)
        return 0;
    coast_store(&c, motion, nv, r, direct);
    ballistic_coasted(motion, last.contact, last.arrive, n);
    return n;
}

LANES_INLINE long
coast_any(struct ballistic *motion, double until, long most)
{
    int m = motion->model.m, r = motion->matrices.rank,
        nv = (m + LANES - 1) / LANES;
    bool direct = motion->matrices.direct;
    if (direct && nv == 1)
        return coast(motion, 1, LANES, true, until, most);
    if (direct)
        return coast(motion, nv, m, true, until, most);
    if (r == 3 && nv == 4 / LANES)
        return coast(motion, 4 / LANES, 3, false, until, most);
    if (r == 3 && nv == 8 / LANES)
        return coast(motion, 8 / LANES, 3, false, until, most);
    return coast(motion, nv, r, false, until, most);
}
