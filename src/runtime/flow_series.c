/* SPDX-License-Identifier: MIT */
/* Systems followed by Taylor series. A piece is one expansion: polynomials of
 * the state, of every gap, and of the forces of contacts that slide, with the
 * time for which they hold. What ends it first is the least root of a gap that
 * closes or of a force that ceases, isolated on the polynomials (poly.h). A
 * contact that was just hit has gap 0: its polynomial is divided by s, so its
 * impact cannot be found again. Impacts and the choice of sliding contacts are
 * questions to one instant, answered by line.h.
 *
 * Chatter: the flights shrink by a ratio; the limit is taken when two
 * successive estimates of its time agree to rounding. At one contact they
 * follow from the flights; where several take turns, the impacts that are to
 * come are those of the parabola that touches the motion here (line.h), which
 * is wrong by the square of the time that is left. The state there is the
 * projection of line_chatter.c with the present mass matrix and gradients, then
 * put on the gaps by Newton's method; what that leaves out is of the square of
 * a time that is below the root of rounding. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow_priv.h"
#include "runtime/motion.h"
#include "runtime/poly.h"
#include "runtime/state.h"

/* as MOTION_TRUNCATION: terms left out are below the state's rounding */
#define SERIES_TRUNCATION 4e-16
/* orders before the last that are looked at */
#define SERIES_GAP 7
/* gaps closer than this many roundings of their terms count as closed */
#define SERIES_NOISE 32.0
/* coefficients of a gap beyond which a root is not looked for in one piece */
#define SERIES_MOST 1e12
/* impacts in a row at one contact before a limit is taken from their flights */
#define SERIES_LEAST 8
/* others stay clear of it by this many times its gap's way until the limit */
#define SERIES_CLEAR 4.0
/* steps onto the gaps at a limit: from 1e-3 of a length to rounding */
#define SERIES_NEWTON 3
/* Several contacts: flights kept, what is looked ahead in them, and impacts */
#define SERIES_FLIGHTS 4
#define SERIES_AHEAD 50.0
#define SERIES_IMPACTS 4000

enum what { NOTHING, CLOSES, CEASES, LIMIT };
struct series_way {
    double now, ahead; /* times */
    double *x, *lo;    /* 2n: state at `now`, and its low parts */
    bool known;
    enum what what;
    double h;
    double *piece;        /* 2n rows of RT_ORDER + 1 */
    double *g, *force;    /* m rows */
    double *size, *speed; /* m: sizes of the terms of gap and rate */
    bool *on, *fresh;
    bool *left; /* its force has just ceased: gap, rate, acceleration are 0 */
    int *hit, n_hit;
    struct line *instant;
    /* chatter at one contact: flights, newest first, estimate of the limit */
    int same; /* impacts in a row at this contact */
    int last;
    double flight[3], at, guess, estimate;
    /* chatter of several */
    struct line *probe; /* the parabola from the last impact on */
    long run;           /* impacts and limits since it may have begun */
    double any[SERIES_FLIGHTS],
        end;            /* flights between them; time of the last */
    double meet, found; /* guesses of the limit; -INFINITY: none */
    bool *group, *closed;
    struct line *between;
    struct line_chatter chatter;
};

#define ROW (RT_ORDER + 1)

/* The state is the flow's own: env holds whatever time was last asked for.
 * Every evaluation begins here. */
static void
to_env(struct flow *f)
{
    const struct series_way *w = f->series;
    f->r->env[f->r->im->layout.time] = w->now;
    memcpy(f->r->env + f->s->env_state, w->x, 2 * f->n * sizeof *w->x);
}

static void
set_active(struct flow *f)
{
    for (uint32_t i = 0; i < f->m; i++)
        f->r->env[rt_contact(f->r, f->s->contact + i)->env_contact +
                  IMP_CONTACT_ACTIVE] = f->series->on[i];
}

/* -- expanding --------------------------------------------------------------
 */

/* Time for which a row's last two terms stay below the truncation of its size,
 * which is what its first terms make of it. Symmetry may make these two 0 (a
 * pendulum let go at 90 degrees: only orders 2, 6, 10 ...), so the terms before
 * are asked for the radius of convergence too. */
static double
row_time(const double *c)
{
    double h = INFINITY, size = fabs(c[0]);
    const double least = log(SERIES_TRUNCATION) / RT_ORDER;
    for (int round = 0; round < 3; round++) {
        double s = size, hk = h;
        if (isfinite(h))
            for (int k = 1; k <= 4; k++, hk *= h)
                s = fmax(s, fabs(c[k]) * hk);
        else
            for (int k = 1; k <= RT_ORDER && s == 0.0; k++)
                s = fabs(c[k]);
        h = INFINITY;
        for (int k = RT_ORDER - 1; k <= RT_ORDER; k++)
            if (c[k] != 0.0)
                h = fmin(h, exp(log(SERIES_TRUNCATION * s / fabs(c[k])) / k));
        for (int k = RT_ORDER - SERIES_GAP; k < RT_ORDER - 1; k++)
            if (c[k] != 0.0)
                h = fmin(h, exp(log(s / fabs(c[k])) / k + least));
    }
    return h;
}

static int
expand(struct flow *f)
{
    struct series_way *w = f->series;
    struct rt *r = f->r;
    double h, *x = w->x;
    to_env(f);
    set_active(f);
    int st = motion_series(r, f->s->block, RT_ORDER, &h);
    if (st)
        return st;
    const imp_block *b =
        IMP_ARRAY(r->im, r->im->blocks, imp_block) + f->s->block;
    const uint32_t *row = IMP_ARRAY(r->im, b->rows, uint32_t);
    h = INFINITY;
    for (uint32_t j = 0; j < 2 * f->n; j++) {
        double *c = w->piece + j * ROW;
        memcpy(c,
               r->work[f->s->block] + (size_t)row[j] * IMP_ROW_STRIDE +
                   IMP_ROW_PAD,
               ROW * sizeof *c);
        h = fmin(h, row_time(c));
    }
    if ((st = flow_instant(f)))
        return st;
    for (uint32_t i = 0; i < f->m; i++) {
        double *g = w->g + i * ROW, *lam = w->force + i * ROW;
        w->size[i] = fabs(f->c[i]);
        w->speed[i] = 0.0;
        for (uint32_t j = 0; j < f->n; j++) {
            w->size[i] += fabs(f->N[(size_t)i * f->n + j] * x[j]);
            w->speed[i] += fabs(f->N[(size_t)i * f->n + j] * x[f->n + j]);
        }
        if ((st = system_gap_series(r, f->system, i, RT_ORDER, g)))
            return st;
        if (w->on[i]) {
            memcpy(lam, system_force(r, f->system, i), ROW * sizeof *lam);
            h = fmin(h, row_time(lam));
        } else {
            h = fmin(h, row_time(g));
        }
        if (w->fresh[i])
            g[0] = 0.0;
        if (w->left[i])
            g[1] = g[2] = 0.0;
    }
    w->h = h;
    return IMP_OK;
}

/* -- what comes next --------------------------------------------------------
 */

/* first s in (0, h] at which a polynomial that is positive (or 0 and rising) at
 * first becomes negative; the zeros at 0 are divided out. Noise: coefficients 0
 * and 1 below these count as 0 */
static bool
falls(const double *c, double h, double noise0, double noise1, double *s)
{
    double p[ROW];
    int drop = fabs(c[0]) <= noise0 ? (fabs(c[1]) <= noise1 ? 2 : 1) : 0;
    drop += drop == 2 && c[2] == 0.0;
    if (drop == 0 && c[0] < 0.0) {
        *s = 0.0;
        return true;
    }
    for (int k = drop; k <= RT_ORDER; k++)
        p[k - drop] = c[k];
    if (p[0] < 0.0) {
        *s = 0.0;
        return true;
    }
    if (!poly_below(p, RT_ORDER - drop, 0.0, h, 0.0, s))
        return false;
    poly_newton(p, RT_ORDER - drop, h, s);
    return true;
}

static double
rate_at(const double *g, double s)
{
    double d[ROW];
    int n = poly_derivative(g, RT_ORDER, d);
    return poly_value(d, n, s);
}

/* Do all contacts but the last stay clear of its limit, T from now? Each of the
 * impacts to come changes their rates by no more than they change its own. */
static bool
clear(const struct flow *f, double T)
{
    const struct series_way *w = f->series;
    double reach = SERIES_CLEAR * fabs(w->g[w->last * ROW + 1]) * T, s;
    for (uint32_t i = 0; i < f->m; i++) {
        const double *g = w->g + i * ROW;
        if (w->on[i] || (int)i == w->last)
            continue;
        if (!(fmin(g[0], poly_value(g, RT_ORDER, T)) > reach) ||
            poly_below(g, RT_ORDER, 0.0, T, 0.0, &s))
            return false;
    }
    return true;
}

static int
way_peek(struct flow *f, double until, double *time)
{
    struct series_way *w = f->series;
    if (w->known && w->ahead <= until) {
        *time = w->ahead;
        return IMP_OK;
    }
    int st = expand(f);
    if (st)
        return st;
    double left = until - w->now, best = fmin(w->h, left);
    w->what = NOTHING;
    w->n_hit = 0;
    if (!(best > 0.0) && left > 0.0) {
        char t[NUM_TEXT];
        struct diag *d =
            diag_add(f->r->ds, DIAG_E0603, f->s->range,
                     "the motion of `%s` cannot be continued "
                     "beyond t = %s",
                     imp_text(f->r->im, f->s->name), num_digits(t, w->now, 9));
        diag_help(f->r->ds, d,
                  "its time series has no radius of convergence there: a "
                  "force or a speed grows without bound, the mass matrix is "
                  "singular, or a formula is not smooth");
        return IMP_FAILED;
    }
    for (uint32_t i = 0; i < f->m; i++) {
        double s, eps = SERIES_NOISE * DBL_EPSILON;
        const double *c = (w->on[i] ? w->force : w->g) + i * ROW;
        double n0 = w->on[i] ? 0.0 : w->fresh[i] ? 0.0 : eps * w->size[i];
        double n1 = w->on[i] ? 0.0 : eps * w->speed[i];
        if (!w->on[i] && !w->fresh[i] && c[0] <= n0 && c[1] > n1)
            n0 = fmax(n0, fabs(c[0])); /* opens out of its rounding */
        if (!falls(c, best, n0, n1, &s) || s > best)
            continue;
        best = s;
        w->what = w->on[i] ? CEASES : CLOSES;
        w->n_hit = 0;
        w->hit[w->n_hit++] = (int)i;
    }
    /* others that close within rounding of that time */
    for (uint32_t i = 0; i < f->m && w->what == CLOSES; i++) {
        const double *g = w->g + i * ROW;
        if ((int)i == w->hit[0] || w->on[i] || w->fresh[i])
            continue;
        if (poly_value(g, RT_ORDER, best) <=
                SERIES_NOISE * DBL_EPSILON * w->size[i] &&
            rate_at(g, best) < 0.0)
            w->hit[w->n_hit++] = (int)i;
    }
    if (w->estimate > w->now && w->estimate <= until &&
        w->same >= SERIES_LEAST && w->what != CEASES &&
        w->estimate - w->now <= w->h && clear(f, w->estimate - w->now)) {
        best = w->estimate - w->now;
        w->what = LIMIT;
    } else if (w->found > w->now && w->found <= until && w->what != CEASES &&
               w->found - w->now <= w->h) {
        best = w->found - w->now;
        w->what = LIMIT;
    }
    w->ahead = w->what != LIMIT            ? w->now + best
               : best == w->found - w->now ? w->found
                                           : w->estimate;
    if (best == left && w->what != LIMIT)
        w->ahead = until;
    w->known = true;
    *time = w->ahead;
    return IMP_OK;
}

/* -- moving -----------------------------------------------------------------
 */

/* the contacts whose impacts the limit ahead sums up */
static void
limit_group(struct flow *f)
{
    struct series_way *w = f->series;
    if (w->ahead == w->found)
        return; /* as predicted */
    memset(w->group, 0, f->m);
    w->group[w->last] = true;
}

/* Impacts averaged out: along the parabola from the last one, then onto the
 * gaps, which it leaves by the cube of the time */
static void
between(struct flow *f, double t)
{
    struct series_way *w = f->series;
    double *env = f->r->env, *time = env + f->r->im->layout.time, now = *time;
    limit_group(f);
    memcpy(w->instant->group, w->group, f->m);
    line_between(w->instant, w->instant, t, f->q, f->v);
    *time = t;
    memcpy(env + f->s->env_state, f->q, f->n * sizeof *f->q);
    memcpy(env + f->s->env_state + f->n, f->v, f->n * sizeof *f->v);
    int st = flow_instant(f);
    *time = now;
    struct line_model m = flow_model(f);
    bool *closed = w->closed;
    for (uint32_t i = 0; i < f->m; i++)
        closed[i] = w->on[i] || w->group[i];
    if (st || (!w->between && line_new(f->r->arena, &m, &w->between)) ||
        line_instant(w->between, &m, t, f->q, f->v, closed))
        return;
    line_stick(w->between, closed);
    line_state(w->between, f->q, f->v);
}

static void
way_at(struct flow *f, double t)
{
    struct series_way *w = f->series;
    double s = w->known ? t - w->now : 0.0;
    if (w->known && w->what == LIMIT && t > w->now) {
        between(f, t);
        return;
    }
    if (!w->known) {
        memcpy(f->q, w->x, f->n * sizeof *f->q);
        memcpy(f->v, w->x + f->n, f->n * sizeof *f->v);
        return;
    }
    for (uint32_t j = 0; j < f->n; j++) {
        f->q[j] = poly_value(w->piece + j * ROW, RT_ORDER, s);
        f->v[j] = poly_value(w->piece + (f->n + j) * ROW, RT_ORDER, s);
    }
}

static void
advance(struct flow *f, double t)
{
    struct series_way *w = f->series;
    double s = t - w->now, *x = w->x, *lo = w->lo;
    for (uint32_t j = 0; j < 2 * f->n; j++) {
        const double *c = w->piece + j * ROW;
        double d = 0.0;
        for (int k = RT_ORDER; k >= 1; k--)
            d = (d + c[k]) * s;
        state_add(&x[j], &lo[j], d);
    }
    w->now = t;
    w->known = false;
}

/* positions and velocities of an instant back into the state */
static void
take_back(struct flow *f)
{
    struct series_way *w = f->series;
    double *x = w->x, *lo = w->lo;
    line_state(w->instant, f->q, f->v);
    for (uint32_t j = 0; j < f->n; j++) {
        if (f->q[j] != x[j]) {
            x[j] = f->q[j];
            lo[j] = 0.0;
        }
        x[f->n + j] = f->v[j];
        lo[f->n + j] = 0.0;
    }
    for (uint32_t i = 0; i < f->m; i++) {
        w->on[i] = w->instant->on[i];
        w->fresh[i] = w->instant->fresh[i];
    }
    set_active(f);
}

/* The present instant for line.h: accelerations of free motion, and what the
 * gaps' accelerations have beyond N a. */
static int
look(struct flow *f, const bool *on)
{
    struct series_way *w = f->series;
    struct rt *r = f->r;
    double h, g[ROW], *x = w->x;
    to_env(f);
    for (uint32_t i = 0; i < f->m; i++)
        r->env[rt_contact(r, f->s->contact + i)->env_contact +
               IMP_CONTACT_ACTIVE] = 0.0;
    int st = motion_series(r, f->s->block, 3, &h);
    if (st || (st = flow_instant(f)))
        return st;
    const imp_block *b =
        IMP_ARRAY(r->im, r->im->blocks, imp_block) + f->s->block;
    const uint32_t *row = IMP_ARRAY(r->im, b->rows, uint32_t);
    for (uint32_t j = 0; j < f->n; j++)
        f->acc[j] =
            r->work[f->s->block]
                   [(size_t)row[f->n + j] * IMP_ROW_STRIDE + IMP_ROW_PAD + 1];
    for (uint32_t i = 0; i < f->m; i++) {
        if ((st = system_gap_series(r, f->system, i, RT_ORDER, g)))
            return st;
        f->bias[i] = 2.0 * g[2];
        for (uint32_t j = 0; j < f->n; j++)
            f->bias[i] -= f->N[(size_t)i * f->n + j] * f->acc[j];
    }
    struct line_model m = flow_model(f);
    if (!w->instant && line_new(r->arena, &m, &w->instant))
        st = 1;
    else
        st = line_instant(w->instant, &m, w->now, x, x + f->n, on);
    if (!st) {
        w->instant->policy = f->policy;
        return IMP_OK;
    }
    char t[NUM_TEXT];
    struct diag *d =
        diag_add(r->ds, DIAG_E0546, f->s->range_mass,
                 "the mass matrix of `%s` is not positive "
                 "definite at t = %s",
                 imp_text(r->im, f->s->name), num_digits(t, w->now, 9));
    diag_help(r->ds, d,
              "every motion of the coordinates must have kinetic energy; look "
              "at the signs of the terms and at the values of params");
    return IMP_FAILED;
}

/* an impact at contact c */
static void
count(struct series_way *w, int c)
{
    double flight = w->now - w->at, was = w->guess;
    w->same = w->same > 0 && w->last == c ? w->same + 1 : 1;
    w->last = c;
    w->at = w->now;
    w->flight[2] = w->flight[1];
    w->flight[1] = w->flight[0];
    w->flight[0] = flight;
    w->guess = w->estimate = -INFINITY;
    if (w->same < 4 ||
        !(w->flight[0] < w->flight[1] && w->flight[1] < w->flight[2]))
        return;
    double ratio = w->flight[0] / w->flight[1];
    w->guess = w->now + flight * ratio / (1.0 - ratio);
    if (fabs(w->guess - was) <= 4.0 * DBL_EPSILON * fabs(w->guess))
        w->estimate = w->guess;
}

static void
forget(struct series_way *w)
{
    w->same = 0;
    w->run = 0;
    w->meet = w->found = -INFINITY;
}

/* the flight that ends now, at whichever contact */
static bool
shrinks(struct series_way *w)
{
    double *a = w->any, now = 0.0, before = 0.0;
    memmove(a + 1, a, (SERIES_FLIGHTS - 1) * sizeof *a);
    a[0] = w->now - w->end;
    w->end = w->now;
    if (++w->run <= SERIES_FLIGHTS)
        return false;
    for (int i = 0; i < SERIES_FLIGHTS / 2; i++) {
        now += a[i];
        before += a[SERIES_FLIGHTS / 2 + i];
    }
    return now < before;
}

/* Where would the parabola that touches the motion here come to the limit of
 * its impacts? Twice the same, to rounding of the time or of the gaps, and it
 * is the motion's. */
static int
predict(struct flow *f)
{
    struct series_way *w = f->series;
    double was = w->meet, most = 0.0, least = INFINITY, sum = 0.0;
    bool shrink = shrinks(w);
    w->meet = w->found = -INFINITY;
    if (!shrink || w->same >= SERIES_FLIGHTS)
        return IMP_OK;
    int st = look(f, w->on);
    if (st)
        return st;
    struct line_model m = flow_model(f);
    if (w->probe ? line_renew(w->probe, &m)
                 : line_new(f->r->arena, &m, &w->probe))
        return IMP_OK;
    for (int i = 0; i < SERIES_FLIGHTS; i++)
        sum += w->any[i];
    for (uint32_t i = 0; i < f->m; i++)
        if (w->on[i] || w->fresh[i] || f->gap[i] < sum * fabs(f->rate[i])) {
            most = fmax(most, w->size[i]);
            least = f->rate[i] == 0.0 ? least : fmin(least, fabs(f->rate[i]));
        }
    if (!line_start(w->probe, w->now, w->x, w->x + f->n,
                    SERIES_NOISE * DBL_EPSILON * most))
        return IMP_OK;
    memset(w->group, 0, f->m);
    enum line_event what = LINE_IMPACT;
    for (int k = 0; k < SERIES_IMPACTS && what == LINE_IMPACT; k++) {
        what = line_next(w->probe, w->now + SERIES_AHEAD * sum);
        if (what == LINE_IMPACT)
            w->group[w->probe->hit] = true;
    }
    if (what != LINE_CHATTER)
        return IMP_OK;
    for (uint32_t i = 0; i < f->m; i++)
        if (w->group[i] && !w->probe->group[i])
            return IMP_OK; /* others are hit before */
    w->meet = w->probe->t;
    memcpy(w->group, w->probe->group, f->m);
    w->chatter = w->probe->chatter;
    if (fabs(w->meet - was) <=
        DBL_EPSILON * fmax(4.0 * fabs(w->meet), SERIES_NOISE * most / least))
        w->found = w->meet;
    return IMP_OK;
}

/* Which closed contacts slide after an impact: accelerations depend on the
 * velocities, so those that the impact left are asked for. false: they jam */
static int
settle(struct flow *f, bool *jam)
{
    struct series_way *w = f->series;
    bool any = false;
    *jam = false;
    bool *still = NEW_N(f->r->arena, bool, 2 * f->m + 1);
    bool *fresh = still + f->m;
    for (uint32_t i = 0; i < f->m; i++) {
        still[i] = w->on[i] || (w->fresh[i] && w->instant->rate[i] == 0.0);
        fresh[i] = w->fresh[i] && !still[i];
        any |= still[i];
    }
    if (!any)
        return IMP_OK;
    int st = look(f, still);
    if (st)
        return st;
    *jam = line_hit(w->instant, NULL, 0) == LINE_JAMMED;
    if (*jam)
        return IMP_OK;
    take_back(f);
    for (uint32_t i = 0; i < f->m; i++)
        w->fresh[i] |= fresh[i];
    return IMP_OK;
}

static int
impact(struct flow *f, struct flow_event *e)
{
    struct series_way *w = f->series;
    bool *before = NEW_N(f->r->arena, bool, f->m + 1);
    memcpy(before, w->on, f->m);
    int st = look(f, w->on);
    if (st)
        return st;
    enum line_event what = line_hit(w->instant, w->hit, w->n_hit);
    long total = f->impacts;
    flow_tell(f, w->instant, what, e);
    f->impacts = total + w->n_hit;
    e->time = w->now;
    if (what == LINE_UNDECIDED || what == LINE_JAMMED)
        return IMP_OK;
    take_back(f);
    bool jam;
    if ((st = settle(f, &jam)))
        return st;
    if (jam) {
        e->kind = FLOW_JAMMED;
        return IMP_OK;
    }
    if (w->n_hit > 1) {
        forget(w);
        return IMP_OK;
    }
    count(w, w->hit[0]);
    return predict(f);
}

/* a force has become zero, or contacts are closed: which slide from here on? */
static int
change(struct flow *f, struct flow_event *e, bool slid)
{
    struct series_way *w = f->series;
    int st = look(f, w->on);
    if (st)
        return st;
    enum line_event what = line_hit(w->instant, NULL, 0);
    flow_tell(f, w->instant, what, e);
    e->time = w->now;
    e->contact = f->s->contact + (uint32_t)w->hit[0];
    e->impulse = 0.0;
    e->kind = what == LINE_JAMMED ? FLOW_JAMMED : FLOW_LEAVE;
    /* the force that ceased is zero to rounding: it opens */
    w->instant->on[w->hit[0]] = false;
    w->instant->fresh[w->hit[0]] = true;
    take_back(f);
    w->left[w->hit[0]] = slid;
    forget(w);
    return IMP_OK;
}

static int
limit(struct flow *f, struct flow_event *e)
{
    struct series_way *w = f->series;
    double T = w->ahead - w->now;
    bool several = w->ahead == w->found;
    bool *on = NEW_N(f->r->arena, bool, f->m + 1);
    limit_group(f);
    if (several) {
        w->chatter.impacts = w->run;
        w->chatter.remaining = T;
    } else {
        memset(w->group, 0, f->m);
        w->group[w->last] = true;
        w->chatter = (struct line_chatter){.impacts = w->same,
                                           .period = 1,
                                           .ratio = w->flight[0] / w->flight[1],
                                           .remaining = T};
    }
    w->chatter.error = 8.0 * DBL_EPSILON * fabs(w->now) / T;
    for (uint32_t i = 0; i < f->m; i++)
        on[i] = w->on[i] || w->group[i];
    advance(f, w->ahead);
    for (int round = 0; round < SERIES_NEWTON; round++) {
        int st = look(f, on);
        if (st)
            return st;
        line_stick(w->instant, on);
        line_state(w->instant, w->x, w->x + f->n);
    }
    memset(w->lo, 0, 2 * f->n * sizeof *w->lo);
    enum line_event what = line_hit(w->instant, NULL, 0);
    flow_tell(f, w->instant, what, e);
    e->kind = what == LINE_JAMMED ? FLOW_JAMMED : FLOW_CHATTER;
    e->time = w->now;
    e->impulse = 0.0;
    f->n_contacts = 0;
    for (uint32_t i = 0; i < f->m; i++)
        if (w->group[i]) {
            f->contacts[f->n_contacts] = f->s->contact + i;
            f->impulse[f->n_contacts++] = 0.0;
        }
    e->n = f->n_contacts;
    e->contact = f->contacts[0];
    e->chatter = w->chatter;
    take_back(f);
    w->same = 0;
    w->estimate = -INFINITY;
    if (!several)
        return predict(f);
    forget(w);
    return IMP_OK;
}

static int
way_apply(struct flow *f, struct flow_event *e)
{
    struct series_way *w = f->series;
    enum what what = w->what;
    if (what == LIMIT)
        return limit(f, e);
    bool moved = w->ahead > w->now;
    advance(f, w->ahead);
    if (moved) {
        memset(w->fresh, 0, f->m);
        memset(w->left, 0, f->m);
    }
    e->kind = FLOW_NONE;
    e->time = w->now;
    return what == CLOSES   ? impact(f, e)
           : what == CEASES ? change(f, e, moved)
                            : IMP_OK;
}

static bool
way_eventful(const struct flow *f)
{
    return f->series->known && f->series->what != NOTHING;
}

static const struct flow_way series_way = {way_peek, way_apply, way_at,
                                           way_eventful};

int
flow_series_new(struct flow *f)
{
    struct arena *a = f->r->arena;
    struct series_way *w = f->series = NEW(a, struct series_way);
    size_t n = f->n, m = f->m;
    w->now = w->at = rt_time(f->r);
    w->guess = w->estimate = w->meet = w->found = -INFINITY;
    w->end = w->now;
    w->last = -1;
    w->x = NEW_N(a, double, 2 * n);
    w->lo = NEW_N(a, double, 2 * n);
    memcpy(w->x, f->r->env + f->s->env_state, 2 * n * sizeof *w->x);
    w->piece = NEW_N(a, double, 2 * n * ROW);
    w->g = NEW_N(a, double, m *ROW + 1);
    w->force = NEW_N(a, double, m *ROW + 1);
    w->size = NEW_N(a, double, m + 1);
    w->speed = NEW_N(a, double, m + 1);
    w->on = NEW_N(a, bool, m + 1);
    w->fresh = NEW_N(a, bool, m + 1);
    w->left = NEW_N(a, bool, m + 1);
    w->hit = NEW_N(a, int, m + 1);
    w->group = NEW_N(a, bool, m + 1);
    w->closed = NEW_N(a, bool, m + 1);
    f->way = &series_way;
    /* contacts that touch at the start without rate slide, or open */
    bool *on = NEW_N(a, bool, m + 1), any = false;
    int st = expand(f);
    if (st)
        return st;
    for (uint32_t i = 0; i < f->m; i++) {
        double eps = SERIES_NOISE * DBL_EPSILON;
        bool near = f->gap[i] <= eps * w->size[i];
        on[i] = near && fabs(f->rate[i]) <= eps * w->speed[i];
        w->fresh[i] = near && f->rate[i] > eps * w->speed[i];
        any |= on[i];
    }
    if ((st = look(f, on)) || !any)
        return st;
    bool *fresh = NEW_N(a, bool, m + 1);
    memcpy(fresh, w->fresh, m);
    if (line_hit(w->instant, NULL, 0) == LINE_JAMMED)
        return flow_jammed(f->r, f->s->contact, w->now);
    take_back(f);
    for (size_t i = 0; i < m; i++)
        w->fresh[i] |= fresh[i];
    return IMP_OK;
}
