/* SPDX-License-Identifier: MIT */
/* Flights and impacts of line.h. The next impact is the least root of the
 * gaps' quadratics; a contact that was just hit has a gap of exactly 0 and the
 * rate of its law, so its impact is never found again and carries no rounding
 * of other contacts. */
#include <string.h>

#include "runtime/line_priv.h"

/* -- the next impact --------------------------------------------------------
 */

/* local time until gap i closes (INFINITY: never) and its rate then */
static inline double
closing(const struct line *l, int i, double *arrive)
{
    double g = l->gap[i], u = l->rate[i], al = l->nal[i];
    *arrive = u;
    if (!(g > 0.0)) {
        if (u < 0.0 && !l->fresh[i])
            return 0.0;
        if (!(al < 0.0))
            return INFINITY;
        if (u < 0.0)
            u = 0.0; /* rounding of a contact that opens */
        *arrive = -u;
        return -2.0 * u / al;
    }
    if (al == 0.0)
        return u < 0.0 ? -g / u : (double)INFINITY;
    double disc = u * u - 2.0 * al * g;
    if (!(disc >= 0.0) || (al > 0.0 && !(u < 0.0)) || isinf(g))
        return INFINITY;
    double root = sqrt(disc);
    *arrive = -root;
    return u > 0.0 ? (u + root) / -al : 2.0 * g / (root - u);
}

/* The state s later, by loops of constant length where m and r are known.
 * Returns whether another gap than `first` is closed within `coarse` of its
 * size, so that together() must look. */
#define COARSE 1e-12
static inline __attribute__((always_inline)) bool
move(struct line *l, int m, int r, bool direct, int first, double s)
{
    double *y = l->y, *z = l->z, h = 0.5 * s;
    bool other = false;
    for (int j = 0; j < r; j++) {
        y[j] += (z[j] + l->yal[j] * h) * s;
        z[j] += l->yal[j] * s;
    }
    for (int i = 0; i < m; i++) {
        double g = l->gap[i];
        if (l->on[i])
            continue;
        if (direct) {
            l->gap[i] = y[i];
            l->rate[i] = z[i];
        } else {
            l->gap[i] = line_dot(r, l->k.F + i * r, y) + l->c0l[i];
            l->rate[i] = line_dot(r, l->k.F + i * r, z);
        }
        l->big[i] = fmax(l->big[i], fmax(g, l->gap[i]));
        /* an infinite gap makes NaN: not closed */
        other |= i != first && l->gap[i] - COARSE * l->big[i] <= 0.0;
    }
    return other;
}

/* impact at contact i alone: rates before are those of move() */
static inline __attribute__((always_inline)) void
bounce(struct line *l, int m, int r, bool direct, int i, double arrive)
{
    double e = l->model.e[i], *z = l->z, *y = l->y;
    const double *K = l->k.K + i * r;
    if (direct) {
        for (int j = 0; j < r; j++)
            l->rate[j] = z[j] += K[j] * arrive;
        y[i] = 0.0;
        z[i] = -e * arrive;
    } else {
        double g = l->gap[i], p = -e * arrive - l->rate[i];
        for (int j = 0; j < r; j++) {
            y[j] -= K[j] * g;
            z[j] += K[j] * p;
        }
        for (int k = 0; k < m; k++) {
            l->gap[k] = line_dot(r, l->k.F + k * r, y) + l->c0l[k];
            l->rate[k] = line_dot(r, l->k.F + k * r, z);
        }
    }
    l->gap[i] = l->big[i] = 0.0;
    l->rate[i] = -e * arrive;
    l->w->rsize[i] = -arrive;
}

/* contacts that close within rounding of now and approach, beside the first: a
 * gap (and the time to it) is known to its noise only */
static int
together(const struct line *l, double s, int first, int *hit)
{
    int n = 0;
    for (int i = 0; i < l->model.m; i++) {
        if (i == first) {
            hit[n++] = i;
            continue;
        }
        if (l->on[i])
            continue;
        double noise =
            gap_noise(l, i) + LINE_NOISE * DBL_EPSILON *
                                  (fabs(l->rate[i]) + fabs(l->nal[i] * s)) * s;
        if (l->gap[i] <= noise && l->rate[i] < -rate_noise(l, i))
            hit[n++] = i;
    }
    return n;
}

/* -- impacts ----------------------------------------------------------------
 */

/* do none of these contacts feel each other's impulses? */
static bool
strangers(const struct line *l, const int *hit, int n)
{
    int m = l->model.m;
    const double *W = l->k.W;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double size = sqrt(W[hit[i] * (m + 1)] * W[hit[j] * (m + 1)]);
            if (fabs(W[hit[i] * m + hit[j]]) >
                4.0 * l->model.n * DBL_EPSILON * size)
                return false;
        }
    return true;
}

/* puts contact i on its plane */
static void
onto_plane(struct line *l, int i)
{
    int r = l->k.r;
    const double *H = l->k.H + i * r;
    double k = l->gap[i] / l->k.W[i * (l->model.m + 1)];
    if (l->k.direct)
        k = 0.0;
    for (int j = 0; j < r; j++)
        l->y[j] -= H[j] * k;
    if (l->k.direct)
        l->y[i] = 0.0;
}

/* what is closed after an impact: those hit and those that slid; they open, or
 * go on in contact */
static bool
after_impact(struct line *l, const int *hit, int n)
{
    struct line_work *w = l->w;
    int m = l->model.m;
    bool stay = l->n_on > 0;
    memcpy(w->closed, l->on, (size_t)m);
    for (int i = 0; i < n; i++)
        w->closed[hit[i]] = true;
    for (int i = 0; i < m; i++) {
        l->fresh[i] = false;
        if (!w->closed[i])
            continue;
        w->closed[i] = l->rate[i] <= rate_noise(l, i);
        l->fresh[i] = !w->closed[i];
        stay |= w->closed[i];
    }
    return !stay || line_settle(l);
}

/* any impact but that of a single contact with e > 0 and all others open */
static enum line_event
collide(struct line *l, const int *hit, int n, double arrive)
{
    int m = l->model.m;
    l->hit = hit[0];
    memset(l->impulse, 0, (size_t)m * sizeof *l->impulse);
    for (int i = 0; i < n; i++)
        onto_plane(l, hit[i]);
    bool alone = strangers(l, hit, n);
    memset(l->hits, 0, (size_t)m);
    for (int i = 0; i < n; i++)
        l->hits[hit[i]] = true;
    line_sense(l);
    for (int i = 0; i < n; i++)
        l->gap[hit[i]] = l->big[hit[i]] = 0.0;
    if (n > 1 && !alone && l->policy == LINE_REPORT)
        return LINE_UNDECIDED;
    l->impacts += n;
    if (alone && !l->n_on) {
        for (int i = 0; i < n; i++) {
            int c = hit[i];
            double u = n == 1 ? arrive : l->rate[c], W = l->k.W[c * (m + 1)];
            double p = (-l->model.e[c] * u - l->rate[c]) / W;
            for (int j = 0; j < l->k.r; j++)
                l->z[j] += l->k.H[c * l->k.r + j] * p;
            l->w->rsize[c] = fabs(u);
            l->impulse[c] = ldexp(-(1.0 + l->model.e[c]) * u / W, l->ev);
            l->hits[c] = true;
            line_sense(l);
            l->rate[c] = -l->model.e[c] * u;
            if (l->k.direct)
                l->z[c] = l->rate[c];
        }
        for (int i = 0; i < n; i++)
            l->gap[hit[i]] = 0.0;
    } else {
        enum line_policy how =
            n == 1 || alone ? LINE_COMPLEMENTARITY : l->policy;
        if (line_collide(l, how, hit, n))
            return LINE_JAMMED;
    }
    if (!after_impact(l, hit, n))
        return LINE_JAMMED;
    return n == 1 || alone ? LINE_IMPACT : LINE_SEVERAL;
}

enum line_event
line_hit(struct line *l, const int *hit, int n)
{
    struct line_work *w = l->w;
    if (n == 0) {
        memcpy(w->closed, l->on, (size_t)l->model.m);
        return line_settle(l) ? LINE_END : LINE_JAMMED;
    }
    return collide(l, hit, n, l->rate[hit[0]]);
}

/* -- from event to event ----------------------------------------------------
 */

/* one flight and a single impact of a free system; anything else is left to
 * the caller: 1: a flight of s to `first`, 2: moved, not yet hit, 0: done */
struct step {
    double s, arrive;
    int first;
};

static inline __attribute__((always_inline)) int
flight(struct line *l, int m, int r, bool direct, double until,
       struct step *step)
{
    struct line_work *w = l->w;
    double s = INFINITY, arrive = 0.0, u;
    int first = -1;
    for (int i = 0; i < m; i++) {
        if (l->on[i])
            continue;
        double si = closing(l, i, &u);
        if (si < s) {
            s = si;
            first = i;
            arrive = u;
        }
    }
    *step = (struct step){s, arrive, first};
    double dt = s * w->tunit;
    if (first < 0 || !(dt <= until - l->t - l->t_lo))
        return 1;
    bool other = move(l, m, r, direct, first, s);
    line_pass(l, dt);
    if (other || l->n_on || !(l->model.e[first] * arrive < 0.0))
        return 2;
    bounce(l, m, r, direct, first, arrive);
    l->impacts++;
    for (int i = 0; i < m; i++) {
        l->impulse[i] = 0.0;
        l->fresh[i] = false;
    }
    l->impulse[first] = -(1.0 + l->model.e[first]) * arrive * w->vunit /
                        l->k.W[first * (m + 1)];
    l->hit = first;
    l->fresh[first] = true;
    return 0;
}

static int
step_of(struct line *l, double until, struct step *s)
{
    int m = l->model.m, r = l->k.r;
    if (l->k.direct) {
        switch (m) {
        case 1:
            return flight(l, 1, 1, true, until, s);
        case 2:
            return flight(l, 2, 2, true, until, s);
        case 3:
            return flight(l, 3, 3, true, until, s);
        default:
            return flight(l, m, m, true, until, s);
        }
    }
    if (m == 4 && r == 3)
        return flight(l, 4, 3, false, until, s);
    return flight(l, m, r, false, until, s);
}

static enum line_event
to_end(struct line *l, double until)
{
    double left = until - l->t - l->t_lo;
    if (left > 0.0) {
        line_advance(l, ldexp(left, l->ev - l->ex));
        memset(l->fresh, 0, (size_t)l->model.m);
        l->t = until;
        l->t_lo = 0.0;
        line_sense(l);
        line_rescale(l);
    }
    return LINE_END;
}

enum line_event
line_next(struct line *l, double until)
{
    struct line_work *w = l->w;
    struct step step;
    if (w->n_ring >= w->look && line_limit(l, until))
        return LINE_CHATTER;
    int way = step_of(l, until, &step);
    if (way == 1)
        return step.first < 0 && isinf(until) ? LINE_FREE : to_end(l, until);
    if (way == 2) {
        int n = together(l, step.s, step.first, w->index);
        memset(l->fresh, 0, (size_t)l->model.m);
        enum line_event what = collide(l, w->index, n, step.arrive);
        if (what != LINE_IMPACT || n > 1) {
            w->run = 0;
            if (what == LINE_SEVERAL || what == LINE_IMPACT)
                line_rescale(l);
            return what;
        }
    }
    line_note(l, step.first, step.s);
    if (-step.arrive < w->low_v || w->n_ring % 16 == 0) {
        line_rescale(l);
        if (-step.arrive < w->low_v)
            w->low_v = -step.arrive * 0x1p-40;
    }
    return LINE_IMPACT;
}
