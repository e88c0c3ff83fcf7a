/* SPDX-License-Identifier: MIT */
/* Systems followed by Taylor series. A piece is one expansion: polynomials of
 * the state, of every gap, and of the forces of contacts that slide, with the
 * time for which they hold. What ends it first is the least root of a gap that
 * closes or of a force that ceases, isolated on the polynomials (polynomial.h).
 * A contact that was just hit has gap 0: its polynomial is divided by s, so its
 * impact cannot be found again. Impacts and the choice of sliding contacts are
 * questions to one instant, answered by ballistic.h.
 * Chatter: flow_accumulation.c. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_taylor_priv.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"

/* as MOTION_TRUNCATION: terms left out are below the state's rounding */
#define SERIES_TRUNCATION 4e-16
/* orders before the last that are looked at */
#define SERIES_GAP 7
/* where nothing accelerates several gaps at an instant, in roundings */
#define SERIES_TOGETHER 256.0

/* -- expanding --------------------------------------------------------------
 */

/* Time for which a row's last two terms stay below the truncation of its size,
 * which is what its first terms make of it. Symmetry may make these two 0 (a
 * pendulum let go at 90 degrees: only orders 2, 6, 10 ...), so the terms before
 * are asked for the radius of convergence too. push: what contact forces that
 * may cancel add to the rate of change of order `order` (1: of a rate, 2: of a
 * coordinate): what they leave of rest is rounding, so sizes count at least as
 * what they would make of it alone. */
static double
row_time(const double *c, double push, int order)
{
    double h = push > 0.0 ? 1.0 : INFINITY;
    const double least = log(SERIES_TRUNCATION) / MOTION_STEP_ORDER;
    for (int round = 0; round < 3; round++) {
        double s = fabs(c[0]), hk = h;
        if (isfinite(h)) {
            for (int k = 1; k <= 4; k++, hk *= h)
                s = fmax(s, fabs(c[k]) * hk);
            s = fmax(s, push * h * (order == 1 ? 1.0 : 0.5 * h));
        }
        for (int k = 1; k <= MOTION_STEP_ORDER && s == 0.0; k++)
            s = fabs(c[k]) * (isfinite(h) ? pow(h, k) : 1.0);
        h = INFINITY;
        for (int k = MOTION_STEP_ORDER - 1; k <= MOTION_STEP_ORDER; k++)
            if (c[k] != 0.0)
                h = fmin(h, exp(log(SERIES_TRUNCATION * s / fabs(c[k])) / k));
        for (int k = MOTION_STEP_ORDER - SERIES_GAP; k < MOTION_STEP_ORDER - 1;
             k++)
            if (c[k] != 0.0)
                h = fmin(h, exp(log(s / fabs(c[k])) / k + least));
    }
    return h;
}

/* accelerations of coordinate j that the forces of sliding contacts make, signs
 * aside (the series of the sliding motion before) */
static double
pushed(const struct flow *f, uint32_t j)
{
    const struct series_way *w = f->series;
    double push = 0.0;
    for (uint32_t i = 0; i < f->m && w->instant; i++)
        if (w->on[i])
            push += fabs(system_force(f->r, f->system, i)[0] *
                         w->instant->k.B[(size_t)i * f->n + j]);
    return push;
}

/* length of the gradient of gap i (flow_instant before) */
static double
steepness(const struct flow *f, uint32_t i)
{
    double s = 0.0;
    for (uint32_t j = 0; j < f->n; j++)
        s = hypot(s, f->N[(size_t)i * f->n + j]);
    return s;
}

/* A gap closes: has it a direction there, in which to push? */
static int
directed(struct flow *f)
{
    struct series_way *w = f->series;
    taylor_to_env(f);
    int st = flow_instant(f);
    for (int k = 0; k < w->n_hit && !st; k++) {
        uint32_t i = (uint32_t)w->hit[k];
        if (steepness(f, i) > SERIES_FLAT * w->steep[i])
            continue;
        const imp_contact *c = rt_contact(f->r, f->s->contact + i);
        char t[NUM_TEXT];
        struct diag *d = diag_add(
            f->r->ds, DIAG_E0739, c->range,
            "the gradient of the gap of `%s` vanishes where it closes, at "
            "t = %s",
            imp_text(f->r->im, c->name), num_digits(t, w->now, 9));
        diag_help(f->r->ds, d,
                  "an impulse has no direction there: write the gap as a "
                  "distance, h and not h^3 or abs(h)");
        return IMP_FAILED;
    }
    return st;
}

static int
expand(struct flow *f)
{
    struct series_way *w = f->series;
    struct rt *r = f->r;
    double h, *x = w->x;
    taylor_to_env(f);
    taylor_set_active(f);
    int st = motion_series(r, f->s->block, MOTION_STEP_ORDER, &h);
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
        h = fmin(h, row_time(c, pushed(f, j % f->n), j < f->n ? 2 : 1));
    }
    if ((st = flow_instant(f)))
        return st;
    for (uint32_t i = 0; i < f->m; i++) {
        double *g = w->g + i * ROW, *lam = w->force + i * ROW;
        w->size[i] = fabs(f->c[i]);
        w->speed[i] = 0.0;
        w->steep[i] = fmax(w->steep[i], steepness(f, i));
        for (uint32_t j = 0; j < f->n; j++) {
            w->size[i] += fabs(f->N[(size_t)i * f->n + j] * x[j]);
            w->speed[i] += fabs(f->N[(size_t)i * f->n + j] * x[f->n + j]);
        }
        if ((st = system_gap_series(r, f->system, i, MOTION_STEP_ORDER, g)))
            return st;
        if (w->on[i]) {
            memcpy(lam, system_force(r, f->system, i), ROW * sizeof *lam);
            h = fmin(h, row_time(lam, 0.0, 0));
        } else {
            h = fmin(h, row_time(g, 0.0, 0));
        }
        w->most[i] = fmax(w->most[i], w->size[i]);
        w->far[i] = fmax(w->far[i], w->size[i]);
        w->quick[i] = fmax(w->quick[i], w->speed[i] + fabs(f->drift[i]));
        if (w->fresh[i])
            g[0] = 0.0;
        if (w->left[i])
            g[1] = g[2] = 0.0;
    }
    w->h = h;
    return switching_end(r, f->s->block, MOTION_STEP_ORDER, &w->h, &w->guard);
}

/* -- what comes next --------------------------------------------------------
 */

/* Is there nothing but rounding in 0 .. h? Then a contact is closed and no
 * force is needed for it, or its gap stays closed by itself. */
static bool
none(const double *c, double h, double noise)
{
    double size = 0.0;
    for (int k = MOTION_STEP_ORDER; k >= 0; k--)
        size = size * h + fabs(c[k]);
    return size <= noise;
}

/* what rounds off in a force: a gap's accelerations, where nothing slides, over
 * N M^-1 N^T */
static double
force_noise(const struct flow *f, uint32_t i)
{
    const struct ballistic *l = f->series->instant;
    double W = l->k.W[i * (f->m + 1)];
    return SERIES_NOISE * DBL_EPSILON * l->k.size[i] / W;
}

/* first s in (0, h] at which a polynomial that is positive (or 0 and rising) at
 * first becomes negative; the zeros at 0 are divided out. Noise: coefficients 0
 * and 1 below these count as 0 */
static bool
falls(const double *c, double h, double noise0, double noise1, double *s)
{
    double p[ROW];
    if (none(c, h, noise0))
        return false;
    int drop = fabs(c[0]) <= noise0 ? (fabs(c[1]) <= noise1 ? 2 : 1) : 0;
    drop += drop == 2 && c[2] == 0.0;
    if (drop == 0 && c[0] < 0.0) {
        *s = 0.0;
        return true;
    }
    for (int k = drop; k <= MOTION_STEP_ORDER; k++)
        p[k - drop] = c[k];
    if (p[0] < 0.0) {
        *s = 0.0;
        return true;
    }
    if (!polynomial_below(p, MOTION_STEP_ORDER - drop, 0.0, h, 0.0, s))
        return false;
    polynomial_newton(p, MOTION_STEP_ORDER - drop, h, s);
    return true;
}

static double
rate_at(const double *g, double s)
{
    double d[ROW];
    int n = polynomial_derivative(g, MOTION_STEP_ORDER, d);
    return polynomial_value(d, n, s);
}

static int
stuck(struct flow *f)
{
    char t[NUM_TEXT];
    struct diag *d = diag_add(f->r->ds, DIAG_E0603, f->s->range,
                              "the motion of `%s` cannot be continued "
                              "beyond t = %s",
                              imp_text(f->r->im, f->s->name),
                              num_digits(t, f->series->now, 9));
    diag_help(f->r->ds, d,
              "its time series has no radius of convergence there: a "
              "force or a speed grows without bound, the mass matrix is "
              "singular, or a formula is not smooth");
    return IMP_FAILED;
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
    if (!(best > 0.0) && left > 0.0)
        return stuck(f);
    for (uint32_t i = 0; i < f->m; i++) {
        double s, eps = SERIES_NOISE * DBL_EPSILON;
        const double *c = (w->on[i] ? w->force : w->g) + i * ROW;
        double n0 = w->on[i]      ? force_noise(f, i)
                    : w->fresh[i] ? 0.0
                                  : eps * w->size[i];
        double n1 = w->on[i] ? 0.0 : eps * w->speed[i];
        if (!w->on[i] && !w->fresh[i] && c[0] <= n0 && c[1] > n1)
            n0 = fmax(n0, fabs(c[0])); /* opens out of its rounding */
        enum what how = w->on[i] ? CEASES : CLOSES;
        if (!w->on[i] && !w->fresh[i] && !w->left[i] &&
            series_touch(c, w->size[i], w->speed[i], best, &s))
            how = TOUCHES;
        else if (!falls(c, best, n0, n1, &s) || s > best)
            continue;
        best = s;
        w->what = how;
        w->n_hit = 0;
        w->hit[w->n_hit++] = (int)i;
    }
    /* others that close within rounding of that time */
    for (uint32_t i = 0; i < f->m && w->what == CLOSES; i++) {
        const double *g = w->g + i * ROW;
        if ((int)i == w->hit[0] || w->on[i] || (w->fresh[i] && best == 0.0))
            continue;
        /* what rounded off is of the greatest gap since the last impact */
        double size = w->size[i], sk = 1.0;
        for (int k = 0; k <= MOTION_STEP_ORDER; k++, sk *= best)
            size += fabs(g[k]) * sk;
        w->most[i] = size = fmax(size, w->most[i]);
        if (polynomial_value(g, MOTION_STEP_ORDER, best) <=
                SERIES_NOISE * DBL_EPSILON * size &&
            rate_at(g, best) < 0.0)
            w->hit[w->n_hit++] = (int)i;
    }
    w->ahead = w->now + best;
    if (best == left)
        w->ahead = until;
    double limit;
    if (w->what != CEASES && w->what != TOUCHES &&
        series_limit_ahead(f, until, &limit)) {
        w->ahead = limit;
        w->what = LIMIT;
    }
    if (w->what != NOTHING || w->guard < 0 || best < w->h)
        w->guard = -1; /* it does not come to that */
    else if ((st = series_switch_ahead(f)))
        return st;
    if (w->what == NOTHING && w->ahead == w->now && left > 0.0)
        return stuck(f); /* shorter than the rounding of time */
    w->known = true;
    *time = w->ahead;
    return IMP_OK;
}

/* -- moving -----------------------------------------------------------------
 */

static void
way_at(struct flow *f, double t)
{
    struct series_way *w = f->series;
    double s = w->known ? t - w->now : 0.0;
    if (w->known && w->what == LIMIT && t > w->now) {
        series_between(f, t);
        return;
    }
    if (!w->known) {
        memcpy(f->q, w->x, f->n * sizeof *f->q);
        memcpy(f->v, w->x + f->n, f->n * sizeof *f->v);
        return;
    }
    for (uint32_t j = 0; j < f->n; j++) {
        f->q[j] = polynomial_value(w->piece + j * ROW, MOTION_STEP_ORDER, s);
        f->v[j] =
            polynomial_value(w->piece + (f->n + j) * ROW, MOTION_STEP_ORDER, s);
    }
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
    int st = series_look(f, still);
    if (st)
        return st;
    *jam = ballistic_instant_impact(w->instant, NULL, 0) == BALLISTIC_JAMMED;
    if (*jam)
        return IMP_OK;
    series_take_back(f);
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
    int st = series_look(f, w->on);
    if (st)
        return st;
    enum ballistic_event what =
        ballistic_instant_impact(w->instant, w->hit, w->n_hit);
    long total = f->impacts;
    memset(w->most, 0, f->m * sizeof *w->most);
    flow_tell(f, w->instant, what, e);
    f->impacts = total + w->n_hit;
    e->time = w->now;
    if (what == BALLISTIC_UNDECIDED || what == BALLISTIC_JAMMED)
        return IMP_OK;
    series_take_back(f);
    bool jam;
    if ((st = settle(f, &jam)))
        return st;
    if (jam) {
        e->kind = FLOW_JAMMED;
        return IMP_OK;
    }
    /* below the ground by rounding, but on its way out */
    for (int k = 0; k < w->n_hit; k++)
        if (!w->on[w->hit[k]] && w->instant->rate[w->hit[k]] >= 0.0)
            w->fresh[w->hit[k]] = true;
    return series_count(f, w->hit[0], w->n_hit);
}

/* Is this contact closed, and nothing moves or accelerates its gap (series_look
 * before)? A plate is let go at all its feet at once, and those that carried
 * nothing are let go with them. */
static bool
floats(const struct flow *f, uint32_t i)
{
    const struct series_way *w = f->series;
    const struct ballistic *l = w->instant;
    double eps = SERIES_TOGETHER * DBL_EPSILON;
    return f->gap[i] <= eps * w->most[i] &&
           fabs(f->rate[i]) <= eps * (w->speed[i] + fabs(f->drift[i])) &&
           fabs(l->k.nf[i]) <= eps * (l->k.size[i] + fabs(f->bias[i]));
}

/* a force has become zero, or contacts are closed: which slide from here on? */
static int
change(struct flow *f, struct flow_event *e, bool slid)
{
    struct series_way *w = f->series;
    bool *fresh = NEW_N(f->r->arena, bool, f->m + 1);
    memcpy(fresh, w->fresh, f->m);
    int st = series_look(f, w->on);
    if (st)
        return st;
    enum ballistic_event what = ballistic_instant_impact(w->instant, NULL, 0);
    flow_tell(f, w->instant, what, e);
    e->time = w->now;
    e->contact = f->s->contact + (uint32_t)w->hit[0];
    e->impulse = 0.0;
    e->kind = what == BALLISTIC_JAMMED ? FLOW_JAMMED : FLOW_LEAVE;
    /* forces that have ceased are zero to rounding: they open */
    f->n_contacts = 0;
    for (uint32_t i = 0; i < f->m; i++) {
        if ((int)i != w->hit[0] && !floats(f, i))
            continue;
        if (w->on[i]) {
            f->contacts[f->n_contacts] = f->s->contact + i;
            f->impulse[f->n_contacts++] = 0.0;
        }
        w->instant->on[i] = false;
        w->instant->fresh[i] = fresh[i] = true;
        w->left[i] = slid;
    }
    e->n = f->n_contacts;
    e->contact = f->contacts[0];
    series_take_back(f);
    series_refresh(w, fresh, f->m);
    series_forget(w);
    return IMP_OK;
}

static int
way_apply(struct flow *f, struct flow_event *e)
{
    struct series_way *w = f->series;
    enum what what = w->what;
    if (what == LIMIT)
        return series_limit(f, e);
    bool moved = w->ahead > w->now, slid = moved;
    series_advance(f, w->ahead);
    if (moved) {
        memset(w->fresh, 0, f->m);
        memset(w->left, 0, f->m);
    }
    /* others slid until now, too: several open at once */
    for (uint32_t i = 0; i < f->m; i++)
        slid |= w->left[i];
    e->kind = FLOW_NONE;
    e->time = w->now;
    if (w->guard >= 0)
        return series_switched(f, e);
    int st = what == CLOSES || what == TOUCHES ? directed(f) : IMP_OK;
    if (st)
        return st;
    return what == CLOSES    ? impact(f, e)
           : what == TOUCHES ? series_touched(f, e)
           : what == CEASES  ? change(f, e, slid)
                             : IMP_OK;
}

static bool
way_eventful(const struct flow *f)
{
    return f->series->known && f->series->what != NOTHING;
}

static bool
way_limit(const struct flow *f, double *time)
{
    *time = f->series->ahead;
    return f->series->known && f->series->what == LIMIT;
}

static const struct flow_way series_way = {way_peek, way_apply, way_at,
                                           way_eventful, way_limit};

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
    w->most = NEW_N(a, double, m + 1);
    w->far = NEW_N(a, double, m + 1);
    w->quick = NEW_N(a, double, m + 1);
    w->steep = NEW_N(a, double, m + 1);
    w->on = NEW_N(a, bool, m + 1);
    w->fresh = NEW_N(a, bool, m + 1);
    w->left = NEW_N(a, bool, m + 1);
    w->hit = NEW_N(a, int, m + 1);
    w->over = NEW_N(a, bool, switching_count(f->r, f->s->block) + 1);
    w->was_over = NEW_N(a, bool, switching_count(f->r, f->s->block) + 1);
    w->group = NEW_N(a, bool, m + 1);
    w->closed = NEW_N(a, bool, m + 1);
    w->faded = NEW_N(a, bool, m + 1);
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
    if ((st = series_look(f, on)) || !any)
        return st;
    bool *fresh = NEW_N(a, bool, m + 1);
    memcpy(fresh, w->fresh, m);
    if (ballistic_instant_impact(w->instant, NULL, 0) == BALLISTIC_JAMMED)
        return flow_jammed(f->r, f->s->contact, w->now);
    series_take_back(f);
    for (size_t i = 0; i < m; i++)
        w->fresh[i] |= fresh[i];
    return IMP_OK;
}

const struct ballistic *
flow_at_event(const struct flow *f)
{
    return f->series ? f->series->instant : NULL;
}
