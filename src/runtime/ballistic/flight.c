/* SPDX-License-Identifier: MIT */
/* Flights and impacts of ballistic.h. The next impact is the least root of the
 * gaps' quadratics; a contact that was just hit has a gap of exactly 0 and the
 * rate of its law, so its impact is never found again and carries no rounding
 * of other contacts. */
#include <string.h>

#include "runtime/ballistic/workspace.h"

/* -- the next impact --------------------------------------------------------
 */

/* local time until a gap g closes with rate u, acceleration al (INFINITY:
 * never) and its rate then */
static inline __attribute__((always_inline)) double
closing(double g, double u, double al, bool fresh, double *arrive)
{
    *arrive = u;
    if (!(g > 0.0)) {
        if (u < 0.0 && !fresh)
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
    if (al > 0.0 && disc <= 8.0 * DBL_EPSILON * u * u)
        return INFINITY; /* a touch without speed, within rounding */
    double root = sqrt(disc);
    *arrive = -root;
    return u > 0.0 ? (u + root) / -al : 2.0 * g / (root - u);
}

/* The gaps and rates s later, by loops of constant length where m and r are
 * known. Where y are not the gaps themselves, these follow from y, so that they
 * stay gaps of one state; but a gap that is small beside y is carried on by
 * itself, and keeps its digits. Returns whether another gap than `first` is
 * closed within BALLISTIC_CLOSED of its size, so that ballistic_together() must
 * look. */
static inline __attribute__((always_inline)) bool
move(struct ballistic *l, int m, int r, bool direct, bool some_on, int first,
     double s)
{
    double *restrict y = l->y, *restrict z = l->z, h = 0.5 * s;
    double *restrict gap = l->gap, *restrict rate = l->rate,
                     *restrict big = l->big;
    const double *F = l->k.F, *nal = l->nal, *size = l->k.root;
    bool other = false, fine = false, slight = false;
    double ys = 0.0, zs = 0.0, was = 0.0;
    for (int j = 0; j < r; j++) {
        double a = l->yal[j];
        was += fabs(y[j]);
        y[j] += (z[j] + a * h) * s;
        z[j] += a * s;
        ys += fabs(y[j]);
        zs += fabs(z[j]);
    }
    bool fallen = !direct && ys < BALLISTIC_FALL * was;
    bool regain = fallen && l->w->fine && first >= 0 && !some_on && l->w->still;
    for (int i = 0; i < m; i++) {
        if (some_on && l->on[i])
            continue;
        double g = y[direct ? i : 0], most = big[i];
        if (!direct) {
            double c = l->c0l[i], full = ys * size[i] + fabs(c);
            double u = rate[i] + nal[i] * s, ufull = zs * size[i];
            double before = fallen ? was * size[i] + fabs(c) : full;
            bool own = regain && i != first &&
                       most + l->w->rsize[i] * s < BALLISTIC_OWN * before;
            g = gap[i] + (rate[i] + nal[i] * h) * s;
            if (own) {
                slight = true;
            } else if (fabs(g) < BALLISTIC_MINOR * full) {
                fine |= i != first;
            } else {
                g = dot_of(r, F + i * r, y) + c;
                most = greater(most, before);
            }
            if (regain)
                l->w->slight[i] = own;
            if (!(fabs(u) < BALLISTIC_MINOR * ufull)) {
                u = dot_of(r, F + i * r, z);
                l->w->rsize[i] = ufull;
            }
            rate[i] = u;
        } else {
            rate[i] = z[i];
        }
        most = greater(most, greater(gap[i], g));
        gap[i] = g;
        big[i] = most;
        /* an infinite gap makes NaN: not closed */
        other |= i != first && g - BALLISTIC_CLOSED * most <= 0.0;
    }
    l->w->fine = fine;
    l->w->regained = false;
    if (slight)
        projection_regain(l, first, was);
    for (int i = 0; i < m && slight; i++)
        other |= i != first && gap[i] - BALLISTIC_CLOSED * big[i] <= 0.0;
    return other;
}

/* impact at contact i alone, after move() */
static inline __attribute__((always_inline)) void
bounce(struct ballistic *l, int m, int r, bool direct, int i, double arrive)
{
    double up = -l->model.e[i] * arrive;
    double *restrict y = l->y, *restrict z = l->z;
    double *restrict gap = l->gap, *restrict rate = l->rate;
    const double *K = l->k.K + i * r, *F = l->k.F, *size = l->k.root;
    if (direct) {
        for (int j = 0; j < r; j++)
            rate[j] = z[j] += K[j] * arrive;
        y[i] = 0.0;
        z[i] = up;
    } else {
        double g = dot_of(r, F + i * r, y) + l->c0l[i], zs = 0.0;
        double p = up - (dot_of(r, F + i * r, z) + l->d0l[i]);
        double q = (up - arrive) / l->k.W[i * (m + 1)];
        for (int j = 0; j < r; j++) {
            y[j] -= K[j] * g;
            z[j] += K[j] * p;
            zs += fabs(z[j]);
        }
        for (int k = 0; k < m; k++) {
            double u = rate[k] + l->k.W[i * m + k] * q;
            rate[k] = fabs(u) < BALLISTIC_MINOR * zs * size[k]
                          ? u
                          : dot_of(r, F + k * r, z) + l->d0l[k];
        }
    }
    gap[i] = l->big[i] = 0.0;
    rate[i] = up;
    l->w->rsize[i] = -arrive;
}

/* -- impacts ----------------------------------------------------------------
 */

/* -- from event to event ----------------------------------------------------
 */

/* One flight and a single impact of a free system; anything else is left to the
 * caller: 1: a flight of s to `first`, 2: moved, not yet hit, 0: done */
struct step {
    double s, arrive;
    int first;
};

static inline __attribute__((always_inline)) int
flight(struct ballistic *l, int m, int r, bool direct, bool some_on,
       double until, struct step *step)
{
    struct ballistic_workspace *w = l->w;
    const double *gap = l->gap, *rate = l->rate, *nal = l->nal;
    double s = INFINITY, arrive = 0.0, u;
    int first = -1;
    w->coasts = false;
    for (int i = 0; i < m; i++) {
        if (some_on && l->on[i])
            continue;
        double si = closing(gap[i], rate[i], nal[i], l->fresh[i], &u);
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
    bool other = move(l, m, r, direct, some_on, first, s);
    ballistic_add_time(l, dt);
    double e = l->model.e[first];
    if (other || some_on || !(e * arrive < -DBL_MIN))
        return 2;
    bounce(l, m, r, direct, first, arrive);
    l->impacts++;
    for (int i = 0; i < m; i++) {
        l->impulse[i] = 0.0;
        l->fresh[i] = false;
    }
    l->impulse[first] =
        -(1.0 + e) * arrive * (w->vunit / l->k.W[first * (m + 1)]);
    l->hit = first;
    l->fresh[first] = true;
    w->coasts = w->still;
    return 0;
}

/* A contact that is the only one and was just hit: it comes back to the gap 0
 * as fast as it left, and nothing of the way is to be known. The numbers are
 * those of flight(). False: not so, and nothing has changed. */
static bool
hop(struct ballistic *l, double until, struct step *step)
{
    struct ballistic_workspace *w = l->w;
    double u = l->rate[0], al = l->nal[0], e = l->model.e[0];
    if (!l->fresh[0] || l->n_on || !l->k.direct || l->gap[0] > 0.0 ||
        !(al < 0.0) || !(u > 0.0))
        return false;
    double s = -2.0 * u / al, dt = s * w->tunit;
    if (!(dt <= until - l->t - l->t_lo) || !(e * -u < -DBL_MIN))
        return false;
    *step = (struct step){s, -u, 0};
    ballistic_add_time(l, dt);
    l->y[0] = l->gap[0] = l->big[0] = 0.0;
    l->z[0] = l->rate[0] = e * u;
    w->rsize[0] = u;
    l->impulse[0] = (1.0 + e) * u * (w->vunit / l->k.W[0]);
    l->hit = 0;
    l->impacts++;
    w->coasts = w->still;
    return true;
}

static __attribute__((noinline)) int
step_of(struct ballistic *l, double until, struct step *s)
{
    int m = l->model.m, r = l->k.r;
    if (l->n_on)
        return flight(l, m, r, l->k.direct, true, until, s);
    if (l->k.direct) {
        switch (m) {
        case 1:
            return flight(l, 1, 1, true, false, until, s);
        case 2:
            return flight(l, 2, 2, true, false, until, s);
        case 3:
            return flight(l, 3, 3, true, false, until, s);
        default:
            return flight(l, m, m, true, false, until, s);
        }
    }
    if (m == 4 && r == 3)
        return flight(l, 4, 3, false, false, until, s);
    return flight(l, m, r, false, false, until, s);
}

static enum ballistic_event
to_end(struct ballistic *l, double until)
{
    double left = until - l->t - l->t_lo;
    if (left > 0.0) {
        move(l, l->model.m, l->k.r, l->k.direct, true, -1,
             times2(left, l->ev - l->ex));
        memset(l->fresh, 0, (size_t)l->model.m);
        l->t = until;
        l->t_lo = 0.0;
        ballistic_rescale(l);
    }
    return BALLISTIC_END;
}

/* no contact closes any more */
static enum ballistic_event
none(struct ballistic *l, double until)
{
    l->w->standing = 0;
    ballistic_plain_units(l);
    return isinf(until) ? BALLISTIC_FREE : to_end(l, until);
}

/* after an impact: the exponents follow the sizes */
static enum ballistic_event
adjust(struct ballistic *l, double arrive)
{
    struct ballistic_workspace *w = l->w;
    if (-arrive < w->low_v || w->n_ring % BALLISTIC_RESCALE == 0) {
        ballistic_rescale(l);
        if (-arrive < w->low_v)
            w->low_v = -arrive * 0x1p-40;
    }
    return BALLISTIC_IMPACT;
}

enum ballistic_event
ballistic_run(struct ballistic *l, double until, long most)
{
    struct ballistic_workspace *w = l->w;
    struct step step;
    bool coasts = w->coasts;
    w->opens = coasts && w->ends;
    w->coasts = w->ends = false;
    if (w->standing >= BALLISTIC_STANDING)
        return ballistic_stand(l);
    if (w->opens)
        return none(l, until);
    if (coasts && ((w->ahead && ballistic_batch_take(l, until, most)) ||
                   w->coast(l, until, most))) {
        w->standing = 0;
        w->coasts = true;
        return adjust(l, w->arrive);
    }
    if (w->opens)
        return none(l, until);
    int way =
        l->model.m == 1 && hop(l, until, &step) ? 0 : step_of(l, until, &step);
    if (way == 1 && ballistic_plain_units(l))
        way = step_of(l, until, &step);
    w->standing = way != 1 && step.s == 0.0 ? w->standing + 1 : 0;
    if (way == 1 && step.first < 0)
        return none(l, until);
    if (way == 1)
        return to_end(l, until);
    if (way == 2) {
        int n = ballistic_together(l, step.s, step.first, w->hit);
        memset(l->fresh, 0, (size_t)l->model.m);
        enum ballistic_event what =
            ballistic_collide(l, w->hit, n, step.arrive);
        if (what != BALLISTIC_IMPACT || n > 1) {
            /* together in one pattern: no time lies between them */
            if (what == BALLISTIC_SEVERAL || what == BALLISTIC_IMPACT) {
                for (int i = 0; i < n; i++)
                    impact_history_note(l, w->hit[i], i ? 0.0 : step.s);
                ballistic_rescale(l);
            }
            w->run = 0;
            return what;
        }
    }
    impact_history_note(l, step.first, step.s);
    return adjust(l, step.arrive);
}
