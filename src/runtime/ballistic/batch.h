/* SPDX-License-Identifier: MIT */
/* Body of batch.c and batch_avx2.c: what coast.h does of one run,
 * for several runs from one start that differ in their restitutions alone, a
 * lane for each. No lane waits for another: one whose next event is no single
 * impact of a free system, or that has had as many as coast.h does at
 * once, is noted and makes room for the next run. Every number is that of
 * coast.h, bit for bit; where that would have to choose with care (a gap
 * or a rate that is known better by itself), both are made and picked. */
#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/simd.h"

/* steps whose flights are kept: more than one run has */
#define LOG_STEPS (2 * BALLISTIC_RESCALE)

/* Of each run what struct coast has; contacts in rows. */
struct many {
    lanes gap[BALLISTIC_LANES], rate[BALLISTIC_LANES], big[BALLISTIC_LANES];
    lanes rsize[BALLISTIC_LANES], next[BALLISTIC_LANES], of_z[BALLISTIC_LANES];
    lanes y[BALLISTIC_LANES], z[BALLISTIC_LANES], ys, zs;
    lanes_truth fine;
    lanes e[BALLISTIC_LANES];
    lanes t, t_lo, arrive;
    lanes count;             /* impacts */
    lanes flight[LOG_STEPS]; /* by steps of all lanes together */
    lanes_truth contact[LOG_STEPS];
    long step;
    int run[LANES];                          /* -1: none */
    double of_z0[BALLISTIC_LANES], ys0, zs0; /* at the start */
    /* of the matrices, as far as they are used: K is of each lane's own laws
     * (direct, m x m) or the same in all (m x r), as the rest */
    lanes K[BALLISTIC_LANES * BALLISTIC_LANES],
        F[BALLISTIC_LANES * BALLISTIC_LANES];
    lanes root[BALLISTIC_LANES], rough[BALLISTIC_LANES];
    lanes c0[BALLISTIC_LANES], c0size[BALLISTIC_LANES];
};
/* of one step */
struct many_step {
    lanes s, dt, arrive, up;
    lanes_truth hit[BALLISTIC_LANES], go, opens, fine;
    lanes y[BALLISTIC_LANES], g[BALLISTIC_LANES], most[BALLISTIC_LANES],
        of_y[BALLISTIC_LANES];
};

/* of numbers that are `apart` that of the contact that is hit; any, where it is
 * not one */
LANES_INLINE lanes
picked(int m, const lanes_truth *hit, const lanes *x, int apart)
{
    lanes s = x[0];
    for (int i = 1; i < m; i++)
        s = lanes_select(hit[i], x[i * apart], s);
    return s;
}
/* the same of numbers that all lanes share */
LANES_INLINE lanes
picked_of(int m, const lanes_truth *hit, const double *x, int apart)
{
    lanes s = lanes_of(x[0]);
    for (int i = 1; i < m; i++)
        s = lanes_select(hit[i], lanes_of(x[i * apart]), s);
    return s;
}
/* F y */
LANES_INLINE lanes
seen_from(const lanes *F, int r, const lanes *y)
{
    lanes s = F[0] * y[0];
    for (int j = 1; j < r; j++)
        s += F[j] * y[j];
    return s;
}
/* one lane of rows */
LANES_INLINE double *
lane(lanes *x, int j)
{
    return (double *)x + j;
}

/* -- beginning and end of a run ---------------------------------------------
 */

/* sums of the start that l is at */
LANES_INLINE void
many_starts(struct many *c, const struct ballistic *motion, int m, int r)
{
    c->ys0 = c->zs0 = 0.0;
    for (int j = 0; j < r; j++) {
        c->ys0 += fabs(motion->y[j]);
        c->zs0 += fabs(motion->z[j]);
    }
    for (int i = 0; i < m; i++) {
        c->of_z0[i] = motion->matrices.direct
                          ? motion->rate[i]
                          : dot_of(r, motion->matrices.F + i * r, motion->z);
        c->root[i] = lanes_of(motion->matrices.root[i]);
        c->rough[i] = lanes_of(BALLISTIC_ROUGH * motion->matrices.root[i]);
        c->c0[i] = lanes_of(motion->local.gap_offset[i]);
        c->c0size[i] = lanes_abs(c->c0[i]);
    }
    for (int i = 0; i < m * m && motion->matrices.direct; i++)
        c->K[i] = lanes_of(0.0);
    for (int i = 0; i < m * r && !motion->matrices.direct; i++) {
        c->F[i] = lanes_of(motion->matrices.F[i]);
        c->K[i] = lanes_of(motion->matrices.K[i]);
    }
}

/* run k into lane j, from that start */
LANES_INLINE void
many_begin(struct many *c, const struct ballistic *motion,
           const struct ballistic_batch *batch, int m, int r, bool direct,
           int j, int k)
{
    const double *e = batch->e + k * m;
    c->run[j] = k;
    for (int i = 0; i < r && !direct; i++) {
        lane(c->y + i, j)[0] = motion->y[i];
        lane(c->z + i, j)[0] = motion->z[i];
    }
    lane(&c->ys, j)[0] = c->ys0;
    lane(&c->zs, j)[0] = c->zs0;
    ((int64_t *)&c->fine)[j] = 0;
    for (int i = 0; i < m; i++) {
        double u = motion->rate[i];
        lane(c->gap + i, j)[0] = motion->gap[i];
        lane(c->rate + i, j)[0] = u;
        lane(c->next + i, j)[0] = u;
        lane(c->of_z + i, j)[0] = c->of_z0[i];
        lane(c->big + i, j)[0] = motion->greatest[i];
        lane(c->rsize + i, j)[0] = motion->work->rate_terms[i];
        lane(c->e + i, j)[0] = e[i];
        if (!direct)
            continue;
        wide f = matrices_law(motion, i, e[i]);
        for (int h = 0; h < m; h++)
            lane(c->K + i * m + h, j)[0] =
                (double)(f * motion->work->own.W[i * m + h]);
    }
    lane(&c->t, j)[0] = motion->t;
    lane(&c->t_lo, j)[0] = motion->t_lo;
    lane(&c->count, j)[0] = 0.0;
}

/* notes the run of lane j */
LANES_INLINE void
many_end(struct many *c, struct ballistic_batch *batch, int m, int r,
         bool direct, int j, bool opens, bool over)
{
    struct ballistic_batch_run *to = batch->run + c->run[j];
    double *x = batch->state + c->run[j] * batch->stride, size = 0.0;
    int n = (int)lane(&c->count, j)[0];
    *to = (struct ballistic_batch_run){.n = n,
                                       .all_open = opens,
                                       .over = over,
                                       .gap_carried =
                                           ((int64_t *)&c->fine)[j] != 0,
                                       .arrival = lane(&c->arrive, j)[0],
                                       .t = lane(&c->t, j)[0],
                                       .t_lo = lane(&c->t_lo, j)[0]};
    for (int i = 0; i < m; i++) {
        x[i] = lane(c->gap + i, j)[0];
        x[m + i] = lane(c->rate + i, j)[0];
        x[2 * m + i] = lane(c->big + i, j)[0];
        x[3 * m + i] = lane(c->rsize + i, j)[0];
        size += fabs(x[i]) + fabs(x[m + i]);
    }
    for (int i = 0; i < r; i++) {
        x[4 * m + i] = direct ? x[i] : lane(c->y + i, j)[0];
        x[4 * m + r + i] = direct ? x[m + i] : lane(c->z + i, j)[0];
        size += fabs(x[4 * m + i]) + fabs(x[4 * m + r + i]);
    }
    for (int i = 0; i < n; i++) {
        int s = (int)((c->step - n + i) % LOG_STEPS);
        to->flight[i] = lane(c->flight + s, j)[0];
        to->contact[i] = (int)((int64_t *)(c->contact + s))[j];
    }
    if (!(size < INFINITY)) /* left to coast.h */
        to->n = 0;
}

/* -- one step ---------------------------------------------------------------
 */

/* As first_of of coast.h; the contact that was hit last opens. Times are
 * negative at first, so that none has to change its sign. */
LANES_INLINE void
many_first(const struct many *c, int m, double unit, struct many_step *st)
{
    lanes s[BALLISTIC_LANES], most = {0};
    lanes_truth any = {0}, n = {0};
    for (int i = 0; i < m; i++) {
        lanes_truth closes = c->rate[i] < 0.0;
        s[i] =
            lanes_select(closes, c->gap[i] / c->rate[i], lanes_of(-INFINITY));
        most = i ? lanes_greater(s[i], most) : s[i];
        any |= closes;
    }
    for (int i = 0; i < m; i++) {
        st->hit[i] = s[i] == most;
        n -= st->hit[i];
    }
    st->s = -most;
    st->dt = st->s * unit;
    st->opens = ~any;
    st->go = (n == 1) & (st->s > 0.0) & (st->dt < INFINITY);
}

/* does another gap than that of the impact close within BALLISTIC_CLOSED? */
LANES_INLINE void
many_alone(int i, struct many_step *st)
{
    lanes_truth shut = st->g[i] <= BALLISTIC_CLOSED * st->most[i];
    st->go &= ~lanes_not(st->hit[i], shut);
}

LANES_INLINE void
many_arrive(const struct many *c, int m, struct many_step *st)
{
    st->arrive = picked(m, st->hit, c->rate, 1);
    st->up = -picked(m, st->hit, c->e, 1) * st->arrive;
    st->go &= st->up > DBL_MIN;
}

LANES_INLINE void
fly_direct(const struct many *c, int m, struct many_step *st)
{
    for (int i = 0; i < m; i++) {
        st->g[i] = c->gap[i] + c->rate[i] * st->s;
        st->most[i] = lanes_greater(c->big[i], st->g[i]);
        many_alone(i, st);
    }
}

LANES_INLINE void
fly_general(const struct many *c, int m, int r, struct many_step *st)
{
    for (int j = 0; j < r; j++)
        st->y[j] = c->y[j] + c->z[j] * st->s;
    lanes ys = lanes_sizes(st->y, r), top = ys;
    lanes_truth fallen = ys < BALLISTIC_FALL * c->ys;
    if (SELDOM(lanes_bits(fallen))) {
        st->go &= ~(fallen & c->fine);
        top = lanes_select(fallen, c->ys, ys);
    }
    st->fine = (lanes_truth){0};
    for (int i = 0; i < m; i++) {
        lanes full = ys * c->root[i] + c->c0size[i];
        lanes of_y = seen_from(c->F + i * r, r, st->y) + c->c0[i];
        lanes kept = c->gap[i] + c->rate[i] * st->s;
        lanes_truth known = lanes_abs(kept) < BALLISTIC_MINOR * full;
        st->of_y[i] = st->g[i] = of_y;
        st->most[i] = lanes_greater(c->big[i], top * c->root[i] + c->c0size[i]);
        if (SELDOM(lanes_bits(lanes_not(st->hit[i], known)))) {
            st->g[i] = lanes_select(known, kept, of_y);
            st->most[i] = lanes_select(known, c->big[i], st->most[i]);
            st->fine |= lanes_not(st->hit[i], known);
        }
        st->most[i] = lanes_greater(st->most[i], st->g[i]);
        many_alone(i, st);
    }
}

/* what is the same of both: after the new rates */
LANES_INLINE void
many_hit(struct many *c, int m, struct many_step *st)
{
    for (int i = 0; i < m; i++) {
        c->rate[i] = lanes_select(st->hit[i], st->up, c->next[i]);
        c->gap[i] = lanes_unless(st->hit[i], st->g[i]);
        c->big[i] = lanes_unless(st->hit[i], st->most[i]);
    }
}

LANES_INLINE void
impact_direct(struct many *c, int m, struct many_step *st)
{
    for (int j = 0; j < m; j++) {
        lanes k = picked(m, st->hit, c->K + j, m);
        lanes u = c->next[j] + k * st->arrive;
        c->next[j] = lanes_select(st->hit[j], st->up, u);
        c->rsize[j] = lanes_select(st->hit[j], -st->arrive, c->rsize[j]);
    }
    many_hit(c, m, st);
}

/* rates of the runs where some may be so small that they are known better by
 * themselves */
LANES_INLINE void
many_small(struct many *c, const struct ballistic *motion, int m,
           lanes_truth small, const lanes *was, const struct many_step *st)
{
    const double *W = motion->matrices.W;
    lanes q = (st->up - st->arrive) / picked_of(m, st->hit, W, m + 1);
    for (int i = 0; i < m; i++) {
        lanes full = c->zs * c->root[i];
        lanes u = was[i] + picked_of(m, st->hit, W + i, m) * q;
        u = lanes_select(st->hit[i], st->up, u);
        lanes size = lanes_select(st->hit[i], -st->arrive, c->rsize[i]);
        lanes_truth known = lanes_abs(u) < BALLISTIC_MINOR * c->zs * c->root[i];
        known &= small;
        c->next[i] = lanes_select(known, u, c->of_z[i]);
        c->rsize[i] = lanes_select(known, size, full);
    }
}

LANES_INLINE void
impact_general(struct many *c, const struct ballistic *motion, int m, int r,
               struct many_step *st)
{
    lanes down = picked(m, st->hit, st->of_y, 1), zs_was = c->zs;
    lanes p = st->up - picked(m, st->hit, c->of_z, 1);
    for (int j = 0; j < r; j++) {
        lanes k = picked(m, st->hit, c->K + j, r);
        c->z[j] += k * p;
        c->y[j] = st->y[j] - k * down;
    }
    c->ys = lanes_sizes(c->y, r);
    c->fine = st->fine;
    lanes zs = c->zs = lanes_sizes(c->z, r);
    lanes_truth small = {0};
    for (int i = 0; i < m; i++) {
        c->of_z[i] = seen_from(c->F + i * r, r, c->z);
        small |= lanes_abs(c->of_z[i]) < (zs + zs_was) * c->rough[i];
    }
    if (SELDOM(lanes_bits(small))) {
        lanes was[BALLISTIC_LANES];
        for (int i = 0; i < m; i++)
            was[i] = c->next[i];
        many_small(c, motion, m, small, was, st);
    } else {
        for (int i = 0; i < m; i++) {
            c->next[i] = c->of_z[i];
            c->rsize[i] = zs * c->root[i];
        }
    }
    many_hit(c, m, st);
}

/* (hi, lo) += dt, as time_add */
LANES_INLINE void
many_pass(struct many *c, lanes dt)
{
    lanes s = c->t + dt, back = s - c->t;
    lanes e = (c->t - (s - back)) + (dt - back) + c->t_lo;
    c->t = s + e;
    c->t_lo = e - (c->t - s);
}

LANES_INLINE void
many_log(struct many *c, int m, const struct many_step *st)
{
    lanes_truth contact = {0};
    for (int i = 1; i < m; i++)
        contact |= st->hit[i] & i;
    c->flight[c->step % LOG_STEPS] = st->s;
    c->contact[c->step % LOG_STEPS] = contact;
    c->step++;
}

/* -- all runs ---------------------------------------------------------------
 */

/* notes the runs of these lanes; the lanes that are to begin anew */
LANES_INLINE uint64_t
many_ends(struct many *c, struct ballistic_batch *batch, int m, int r,
          bool direct, uint64_t which, uint64_t opens, bool over)
{
    uint64_t free = 0;
    for (; which; which &= which - 1) {
        int j = __builtin_ctzll(which);
        if (c->run[j] < 0)
            continue;
        many_end(c, batch, m, r, direct, j, opens >> j & 1, over);
        free |= UINT64_C(1) << j;
    }
    return free;
}

/* *next is the first run that has no lane yet; how many lanes have none */
LANES_INLINE int
many_begins(struct many *c, const struct ballistic *motion,
            const struct ballistic_batch *batch, int m, int r, bool direct,
            uint64_t free, int *next)
{
    int idle = 0;
    for (; free; free &= free - 1) {
        int j = __builtin_ctzll(free);
        if (*next < batch->n) {
            many_begin(c, motion, batch, m, r, direct, j, (*next)++);
        } else {
            c->run[j] = -1;
            idle++;
        }
    }
    return idle;
}

/* l: at the start */
LANES_INLINE void
many(struct ballistic *motion, struct ballistic_batch *batch, int m, int r,
     bool direct)
{
    struct many c;
    struct many_step st;
    const uint64_t all = (UINT64_C(1) << LANES) - 1;
    int next = 0, idle;
    memset(&c, 0, offsetof(struct many, K));
    many_starts(&c, motion, m, r);
    idle = many_begins(&c, motion, batch, m, r, direct, all, &next);
    while (idle < LANES) {
        many_first(&c, m, motion->work->units.time, &st);
        many_arrive(&c, m, &st);
        if (direct)
            fly_direct(&c, m, &st);
        else
            fly_general(&c, m, r, &st);
        uint64_t stop = all & ~lanes_bits(st.go), free = 0;
        if (stop) /* before anything has changed */
            free = many_ends(&c, batch, m, r, direct, stop,
                             lanes_bits(st.opens), false);
        if (direct)
            impact_direct(&c, m, &st);
        else
            impact_general(&c, motion, m, r, &st);
        many_pass(&c, st.dt);
        many_log(&c, m, &st);
        c.arrive = st.arrive;
        c.count += 1.0;
        lanes_truth over = (c.count == (double)BALLISTIC_RESCALE) |
                           (-c.arrive < motion->work->units.low_rate);
        uint64_t ended = lanes_bits(over) & ~stop;
        if (ended)
            free |= many_ends(&c, batch, m, r, direct, ended, 0, true);
        if (free)
            idle += many_begins(&c, motion, batch, m, r, direct, free, &next);
    }
}

LANES_INLINE void
many_any(struct ballistic *motion, struct ballistic_batch *batch)
{
    int m = motion->model.m, r = motion->matrices.rank;
    if (m == 2 && motion->matrices.direct)
        many(motion, batch, 2, 2, true);
    else if (m == 3 && motion->matrices.direct)
        many(motion, batch, 3, 3, true);
    else if (motion->matrices.direct)
        many(motion, batch, m, m, true);
    else if (m == 4 && r == 3)
        many(motion, batch, 4, 3, false);
    else
        many(motion, batch, m, r, false);
}
