/* SPDX-License-Identifier: MIT */
/* coast.h with what every processor has, and the choice. */
#include "runtime/ballistic/coast.h"

static long
narrow(struct ballistic *motion, double until, long most)
{
    return coast_any(motion, until, most);
}

/* -- two contacts -----------------------------------------------------------
 * The one that was hit opens: the other is next, or none. */

struct two {
    double gap[2], rate[2], big[2], rsize[2], t, t_lo;
};

/* the flight to contact c and its impact; h: the one before. False: no such
 * impact, and nothing has changed */
LANES_INLINE bool
two_step(struct two *w, const struct ballistic *motion, int c, int h,
         double until, struct hit *hit)
{
    double arrive = w->rate[c], s = -w->gap[c] / arrive;
    double dt = s * motion->work->units.time, gap = w->gap[h] + w->rate[h] * s;
    double most = w->big[h] > gap ? w->big[h] : gap;
    double up = -motion->model.e[c] * arrive;
    if (SELDOM(!(arrive < 0.0)) || SELDOM(!(s > 0.0)) ||
        SELDOM(!(s < INFINITY)) || SELDOM(!(dt <= until - w->t - w->t_lo)) ||
        SELDOM(gap <= BALLISTIC_CLOSED * most) || SELDOM(!(up > DBL_MIN)))
        return false;
    w->rate[h] +=
        motion->matrices.rows[c * motion->matrices.stride + h] * arrive;
    w->rate[c] = up;
    w->rsize[c] = -arrive;
    w->gap[c] = w->big[c] = 0.0;
    w->gap[h] = gap;
    w->big[h] = most;
    time_add(&w->t, &w->t_lo, dt);
    hit->contact = c;
    hit->arrive = arrive;
    motion->work->history.entry[motion->work->history.n++ % HISTORY_KEPT] =
        (struct impact_entry){
            c, motion->length_exponent - motion->rate_exponent, s};
    return true;
}

static long
two(struct ballistic *motion, double until, long most)
{
    struct hit hit = {.contact = -1};
    struct two w = {.t = motion->t, .t_lo = motion->t_lo};
    double *at[] = {w.gap, w.rate, w.big, w.rsize};
    double *of[] = {motion->gap, motion->rate, motion->greatest,
                    motion->work->rate_terms};
    long n = 0;
    if (!motion->matrices.direct)
        return narrow(motion, until, most);
    if (motion->event.contact < 0)
        return narrow(motion, until, 1);
    for (int i = 0; i < 4; i++)
        memcpy(at[i], of[i], sizeof w.gap);
    bool first = motion->event.contact == 1;
    while ((first ? two_step(&w, motion, 0, 1, until, &hit)
                  : two_step(&w, motion, 1, 0, until, &hit))) {
        first = !first;
        n++;
        if (coast_over(motion, n, most, hit.arrive))
            break;
    }
    if (n == 0) {
        motion->work->flight.all_open = w.rate[first ? 0 : 1] >= 0.0;
        return 0;
    }
    for (int i = 0; i < 4; i++)
        memcpy(of[i], at[i], sizeof w.gap);
    memcpy(motion->y, w.gap, sizeof w.gap);
    memcpy(motion->z, w.rate, sizeof w.rate);
    motion->t = w.t;
    motion->t_lo = w.t_lo;
    ballistic_coasted(motion, hit.contact, hit.arrive, n);
    return n;
}

ballistic_coast_fn *
ballistic_coast(int m)
{
    if (m == 2)
        return two;
#ifdef HAVE_AVX2_FILES
    if (m > 2 && __builtin_cpu_supports("avx2"))
        return ballistic_coast_avx2;
#endif
    return narrow;
}
