/* SPDX-License-Identifier: MIT */
/* The first touch along the free motion (event.h).
 *
 * Each step expands the motion and the gap of every near contact into their
 * time series, takes the longest time for which all hold to rounding, and
 * asks of each gap polynomial when it first enters the band |gap| <= tolerance
 * (polynomial_below: exclusion by bounds, so that no multiplicity of a root can
 * hide it, I3). Where it does, the motion is expanded again at the entry and
 * the touch is told apart (contact_root_in_band) and timed. Contacts that are
 * far, whose gap has no usable series, or that overlap deeply are passed over
 * by bounds (conservative_advancement.c) instead.
 *
 * Invariants: a step is accepted only when the gap at its end agrees with the
 * polynomial; the state returned is reached by one expansion from the last
 * accepted state. */
#include "runtime/events/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/events/event_priv.h"
#include "runtime/geometry/support.h"
#include "runtime/numerics/polynomial.h"

/* the gap at the end of a step may differ from its polynomial by this share
 * of the tolerance: ten times what the truncation allows */
#define EV_CHECK 0.1
/* a gap falls, beyond doubt of the verdict, at this many rates that count as
 * none: the verdict's own tolerance and a little */
#define EV_FALL (2.0 / RT_GAP_SHARE)
/* rounds of expanding again at the time found */
#define EV_ROUNDS 4

struct near {
    enum event_watch mode;
    int sign;    /* +1: closing is looked for, -1: opening */
    bool begun;  /* looked at before in this search */
    bool inside; /* must leave the band before it can touch again */
    bool far;    /* excluded for this step by balls */
    bool series; /* g holds */
    struct closest_points at;
    struct gap_tolerance tol;
    double g[MOTION_STEP_ORDER + 1];
    double h, safe;
    /* candidate of this step, in times from its start */
    bool candidate, refined;
    double entry, s;
    enum event_kind kind;
};
/* what a step back restores */
struct saved {
    double time, *state, *lo, *u;
    unsigned char *warm;
};
struct event_state {
    struct near *near;
    struct saved step, look;
};

static size_t
state_size(const struct rt *r)
{
    return r->im->layout.contact - r->im->layout.state;
}

static void
saved_new(struct rt *r, struct saved *s)
{
    s->state = NEW_N(r->arena, double, state_size(r) + 1);
    s->lo = NEW_N(r->arena, double, state_size(r) + 1);
    s->u = NEW_N(r->arena, double, 8 * (size_t)r->im->contacts.n + 1);
    s->warm = NEW_N(r->arena, unsigned char, r->im->contacts.n + 1);
}

static void
save(const struct rt *r, struct saved *s)
{
    size_t n = state_size(r), c = r->im->contacts.n;
    s->time = rt_time(r);
    memcpy(s->state, r->env + r->im->layout.state, sizeof(double) * n);
    memcpy(s->lo, r->state_lo, sizeof(double) * n);
    memcpy(s->u, r->contact_u, sizeof(double) * 8 * c);
    memcpy(s->warm, r->contact_warm, c);
}

static void
restore(struct rt *r, const struct saved *s)
{
    size_t n = state_size(r), c = r->im->contacts.n;
    r->env[r->im->layout.time] = s->time;
    memcpy(r->env + r->im->layout.state, s->state, sizeof(double) * n);
    memcpy(r->state_lo, s->lo, sizeof(double) * n);
    memcpy(r->contact_u, s->u, sizeof(double) * 8 * c);
    memcpy(r->contact_warm, s->warm, c);
}

void
gap_tolerances(struct rt *r, uint32_t contact, double *gap, double *rate)
{
    struct gap_tolerance t;
    gap_tolerance_get(r, contact, &t);
    *gap = t.gap;
    *rate = t.rate;
}

void
gap_rounding(struct rt *r, uint32_t contact, double *gap, double *rate)
{
    struct gap_tolerance t;
    gap_tolerance_get(r, contact, &t);
    *gap = 8.0 * t.noise;
    *rate = t.quiet;
}

static int
stuck(struct rt *r, uint32_t contact)
{
    const imp_contact *k = rt_contact(r, contact);
    char t[NUM_TEXT];
    struct diag *d =
        diag_add(r->ds, DIAG_E0621, k->range,
                 "the search for the next touch of `%s` does not "
                 "advance beyond t = %s",
                 imp_text(r->im, k->name), num_digits(t, rt_time(r), 9));
    diag_help(r->ds, d,
              "very close bodies face each other with flat or rough points; "
              "turn or shift one of them a little");
    return IMP_FAILED;
}

/* gap of a contact at the present state; a body that is not convex there, or
 * has no surface, ends the search with a diagnostic */
static int
look(struct rt *r, uint32_t c, struct closest_points *out)
{
    int st = closest_points_find(r, c, out, false);
    if (st == IMP_SINGULAR && isfinite(out->gap))
        return IMP_OK;
    if (st == IMP_OK)
        return st;
    st = closest_points_find(r, c, out, true);
    return st == IMP_OK ? IMP_OK : IMP_FAILED;
}

/* kind of a touch from the rate of sign * gap */
static enum event_kind
kind_of(const struct near *w, double rate)
{
    if (rate > -w->tol.rate)
        return EVENT_TANGENT;
    return w->sign > 0 ? EVENT_CROSS : EVENT_OPEN;
}

static void
propose(struct near *w, double entry, double s, enum event_kind kind)
{
    w->candidate = true;
    w->refined = kind != EVENT_NONE;
    w->entry = entry;
    w->s = s;
    w->kind = kind;
}

/* contact c at the start of a step: where it stands, how long its series
 * holds; *h is lowered to what it allows */
static int
expand(struct rt *r, uint32_t c, struct near *w, double hm, double most,
       double *h)
{
    w->candidate = w->far = w->series = false;
    w->h = w->safe = 0.0;
    if (w->sign > 0) {
        double t = advancement_apart(r, c, hm, most);
        if (t > 0.0) {
            w->far = true;
            w->begun = true;
            w->inside = false;
            w->h = t;
            *h = fmin(*h, t);
            return IMP_OK;
        }
    }
    int st = look(r, c, &w->at);
    if (st != IMP_OK)
        return st;
    gap_tolerance_get(r, c, &w->tol);
    double gap = w->sign * w->at.gap;
    if (!w->begun) {
        w->begun = true;
        w->inside = w->mode == WATCH_LEAVE ||
                    (w->mode == WATCH_OPEN && fabs(gap) <= w->tol.gap);
        if (w->mode == WATCH_CLOSE && gap < -w->tol.gap)
            return event_start_check(r, c, &gap);
    }
    if (gap > w->tol.gap)
        w->inside = false;
    if (gap < -w->tol.gap) {
        double rate = w->sign * gap_rate(r, c, &w->at);
        if (w->mode != WATCH_LEAVE || rate <= w->tol.rate) {
            /* through already: closed again at once, or open from the start */
            propose(w, 0.0, 0.0, kind_of(w, rate));
            return IMP_OK;
        }
        w->inside = true; /* on its way out */
    }
    if (gap > w->tol.gap)
        w->safe = advancement_safe(r, c, gap, most);
    bool deep = w->sign < 0 && w->at.deep;
    if (!deep && contact_root_series(r, c, &w->tol, w->g, &w->h) == IMP_OK)
        w->series = w->h > w->safe;
    if (w->series) {
        *h = fmin(*h, w->h);
        return IMP_OK;
    }
    w->h = w->safe;
    if (gap <= w->tol.gap) {
        /* touching where the gap has no series: its rate alone tells */
        double rate = w->sign * gap_rate(r, c, &w->at);
        if (!w->inside && rate <= w->tol.rate) {
            propose(w, 0.0, 0.0, kind_of(w, rate));
            return IMP_OK;
        }
        w->h = rate > w->tol.rate ? 2.0 * w->tol.gap / rate : 1e-3 * hm;
        if (!isfinite(w->h))
            w->h = 1e-3 * most;
    }
    *h = fmin(*h, w->h);
    return IMP_OK;
}

/* first entry of the contact's gap into the band on [0, h] */
static void
scan(struct near *w, double h)
{
    double q[MOTION_STEP_ORDER + 1], neg[MOTION_STEP_ORDER + 1], from = 0.0, up,
                                                                 down, s;
    for (int k = 0; k <= MOTION_STEP_ORDER; k++) {
        q[k] = w->sign * w->g[k];
        neg[k] = -q[k];
    }
    if (w->inside) {
        /* twice the tolerance up: rounding at the edge is no new entry */
        bool rises = polynomial_below(neg, MOTION_STEP_ORDER, 0.0, h,
                                      -2.0 * w->tol.gap, &up);
        double low = q[0] < -w->tol.gap ? q[0] : 0.0;
        bool falls = polynomial_below(q, MOTION_STEP_ORDER, 0.0, h,
                                      low - w->tol.gap, &down);
        if (!rises && !falls)
            return;
        if (falls && (!rises || down < up)) {
            /* closes again without having opened: the known root at 0 is
             * divided out, q - q0 = s (q1 + q2 s + ...) */
            double d[MOTION_STEP_ORDER + 1];
            int n = polynomial_derivative(q, MOTION_STEP_ORDER, d);
            s = 0.0;
            if (q[1] > w->tol.rate &&
                !polynomial_below(q + 1, MOTION_STEP_ORDER - 1, 0.0, down, 0.0,
                                  &s))
                s = down;
            /* pressed together: at once. Otherwise a touch without rate is the
             * one just handled: the next event is where the gap, having
             * risen, is closed again and falls fast enough to be told from
             * it */
            double slow = -EV_FALL * w->tol.rate;
            if (q[1] >= -w->tol.rate && (s > 0.0 || q[2] >= 0.0) &&
                polynomial_value(d, n, s) > slow &&
                (!polynomial_below(d, n, s, down, slow, &s) ||
                 !polynomial_below(q, MOTION_STEP_ORDER, s, down, 0.0, &s)))
                s = down;
            propose(w, s, s, kind_of(w, polynomial_value(d, n, s)));
            return;
        }
        from = up;
    }
    if (polynomial_below(q, MOTION_STEP_ORDER, from, h, w->tol.gap, &s))
        propose(w, s, s, EVENT_NONE);
}

/* tells the touch of contact c, entered at w->entry, apart and times it.
 * *trust is false when the expansion there contradicts the step's. State and
 * series are left somewhere near. */
static int
refine(struct rt *r, uint32_t c, struct near *w, double t0, bool *trust)
{
    double g[MOTION_STEP_ORDER + 1], h, hm, moved = w->entry;
    struct contact_root touch = {EVENT_NONE, 0.0, -1};
    *trust = true;
    w->refined = true;
    for (int round = 0; round < EV_ROUNDS; round++) {
        /* to the place looked at, and expand */
        if (round == 0 ? moved > 0.0 : touch.s != 0.0) {
            double step = round == 0 ? moved : touch.s;
            if (round == 0)
                closest_points_predict(r, c, MOTION_STEP_ORDER, step);
            motion_advance(r, step, t0 + (round == 0 ? moved : moved + step));
            if (round > 0)
                moved += step;
        }
        int st = motion_series_all(r, MOTION_STEP_ORDER, &hm);
        if (st != IMP_OK)
            return st;
        st = look(r, c, &w->at);
        if (st != IMP_OK)
            return st;
        if (contact_root_series(r, c, &w->tol, g, &h) != IMP_OK) {
            /* no series here: the rate decides */
            w->s = moved;
            w->kind = kind_of(w, w->sign * gap_rate(r, c, &w->at));
            return IMP_OK;
        }
        h = fmin(h, hm);
        if (round == 0) {
            double want = 0.0;
            for (int k = MOTION_STEP_ORDER; k >= 0; k--)
                want = want * moved + w->g[k];
            if (fabs(want - g[0]) > EV_CHECK * w->tol.gap + w->tol.noise) {
                *trust = false;
                return IMP_OK;
            }
            contact_root_in_band(g, h, &w->tol, w->sign, &touch);
            w->kind = touch.kind;
            w->s = moved + touch.s;
            if (touch.kind == EVENT_NONE) {
                /* in the band, slowly: look again where this series ends */
                w->s = moved + h;
                return IMP_OK;
            }
            if (touch.order < 0)
                return IMP_OK;
            continue;
        }
        double ds = 0.0;
        if (!contact_root_polish(g, touch.order, fmax(h, fabs(touch.s)), &ds))
            break;
        touch.s = ds;
        w->s = moved + ds;
        if (fabs(ds) <= 4.0 * DBL_EPSILON * (fabs(t0) + fabs(moved)))
            break;
    }
    w->s = fmax(w->s, 0.0);
    return IMP_OK;
}

/* the step is accepted: state moves on by dt, records are told */
static int
accept(struct rt *r, double dt, double t1,
       int (*each_step)(void *, double, double), void *ctx)
{
    double t0 = rt_time(r);
    motion_advance(r, dt, t1);
    return each_step != NULL && t1 > t0 ? each_step(ctx, t0, t1) : IMP_OK;
}

/* Earliest touch of the candidates of this step. Returns its contact in *best
 * (im->contacts.n if none), or lowers *h where the polynomials cannot be
 * trusted or a contact wants another look (*again). */
static int
choose(struct rt *r, struct event_state *ev, double t0, double *h,
       uint32_t *best, bool *again)
{
    uint32_t nc = r->im->contacts.n;
    bool moved = false;
    double hm;
    *best = nc;
    *again = false;
    for (;;) {
        uint32_t next = nc;
        for (uint32_t c = 0; c < nc; c++) {
            struct near *w = &ev->near[c];
            if (w->mode == WATCH_OFF || !w->candidate)
                continue;
            if (w->refined && w->kind != EVENT_NONE &&
                (*best == nc || w->s < ev->near[*best].s))
                *best = c;
            if (!w->refined && (next == nc || w->entry < ev->near[next].entry))
                next = c;
        }
        if (next == nc ||
            (*best != nc && ev->near[next].entry > ev->near[*best].s))
            break;
        struct near *w = &ev->near[next];
        if (moved) {
            restore(r, &ev->look);
            int st = motion_series_all(r, MOTION_STEP_ORDER, &hm);
            if (st != IMP_OK)
                return st;
        } else {
            save(r, &ev->look);
        }
        bool trust;
        moved = true;
        int st = refine(r, next, w, t0, &trust);
        if (st != IMP_OK)
            return st;
        if (!trust) {
            *again = true;
            *h = 0.5 * *h;
            *best = nc;
            break;
        }
        if (w->kind == EVENT_NONE)
            *h = fmin(*h, w->s);
    }
    if (moved) {
        restore(r, &ev->look);
        return motion_series_all(r, MOTION_STEP_ORDER, &hm);
    }
    return IMP_OK;
}

/* does every gap that was followed by its polynomial agree with it at h? */
static int
verify(struct rt *r, struct event_state *ev, double h, bool *good,
       double *least)
{
    *good = true;
    *least = 0.0;
    for (uint32_t c = 0; c < r->im->contacts.n; c++) {
        struct near *w = &ev->near[c];
        if (w->mode == WATCH_OFF || w->far || !w->series || h <= w->safe)
            continue;
        struct closest_points at;
        closest_points_predict(r, c, MOTION_STEP_ORDER, h);
        int st = look(r, c, &at);
        if (st != IMP_OK)
            return st;
        double want = polynomial_value(w->g, MOTION_STEP_ORDER, h);
        if (fabs(want - at.gap) >
            EV_CHECK * w->tol.gap + 1e-13 * fabs(want) + 2.0 * w->tol.noise) {
            *good = false;
            *least = fmax(*least, w->safe);
        }
    }
    return IMP_OK;
}

static struct event_state *
begin(struct rt *r, const enum event_watch *watch)
{
    uint32_t nc = r->im->contacts.n;
    if (r->event == NULL) {
        r->event = NEW(r->arena, struct event_state);
        r->event->near = NEW_N(r->arena, struct near, nc + 1);
        saved_new(r, &r->event->step);
        saved_new(r, &r->event->look);
    }
    for (uint32_t c = 0; c < nc; c++) {
        struct near *w = &r->event->near[c];
        memset(w, 0, sizeof *w);
        w->mode = watch[c];
        w->sign = watch[c] == WATCH_OPEN ? -1 : 1;
    }
    return r->event;
}

int
event_next(struct rt *r, const enum event_watch *watch, double until,
           int (*each_step)(void *ctx, double t0, double t1), void *ctx,
           struct event *out, struct event *more, uint32_t *n_more)
{
    uint32_t nc = r->im->contacts.n;
    struct event_state *ev = begin(r, watch);
    double cap = INFINITY; /* after a step that was not accepted */
    out->kind = EVENT_NONE;
    out->contact = 0;
    *n_more = 0;
    if (!isfinite(until))
        until = rt_time(r) + event_horizon(r);
    for (;;) {
        double t0 = rt_time(r), most = until - t0, hm;
        out->time = t0;
        if (rt_stopped(r))
            return IMP_STOPPED;
        if (most <= 0.0)
            return IMP_OK;
        int st = motion_series_all(r, MOTION_STEP_ORDER, &hm);
        if (st != IMP_OK)
            return st;
        double h = fmin(fmin(hm, most), cap);
        bool excluded = true;
        uint32_t slowest = nc;
        for (uint32_t c = 0; c < nc; c++) {
            struct near *w = &ev->near[c];
            if (w->mode == WATCH_OFF)
                continue;
            double before = h;
            st = expand(r, c, w, hm, most, &h);
            if (st != IMP_OK)
                return st;
            if (h < before)
                slowest = c;
            excluded = excluded && w->far && isinf(w->h);
        }
        if (excluded && each_step == NULL) {
            out->kind = EVENT_EXCLUDED;
            return IMP_OK;
        }
        for (uint32_t c = 0; c < nc; c++) {
            struct near *w = &ev->near[c];
            if (w->mode != WATCH_OFF && w->series && !w->candidate)
                scan(w, h);
        }
        uint32_t best;
        bool again;
        st = choose(r, ev, t0, &h, &best, &again);
        if (st != IMP_OK)
            return st;
        if (again) {
            cap = h;
            if (t0 + cap == t0)
                return stuck(r, slowest < nc ? slowest : 0);
            continue;
        }
        /* an event within this step */
        if (best != nc && ev->near[best].s <= h) {
            double s = ev->near[best].s, t1 = t0 + s;
            st = s > 0.0 ? accept(r, s, t1, each_step, ctx) : IMP_OK;
            if (st != IMP_OK)
                return st;
            out->kind = ev->near[best].kind;
            out->contact = best;
            out->time = t1;
            for (uint32_t c = 0; c < nc; c++) {
                const struct near *w = &ev->near[c];
                if (c == best || w->mode == WATCH_OFF || !w->candidate ||
                    !w->refined || w->kind == EVENT_NONE || w->entry > s)
                    continue;
                /* the band of a touch without rate is entered long before it:
                 * only its own time tells its class */
                if (w->kind == EVENT_TANGENT &&
                    w->s - s > 4.0 * DBL_EPSILON * fabs(t1))
                    continue;
                more[(*n_more)++] = (struct event){w->kind, c, t1};
            }
            return IMP_OK;
        }
        /* none: a whole step, if the gaps agree with their polynomials */
        double t1 = h >= most ? until : t0 + h;
        if (t1 == t0)
            return stuck(r, slowest < nc ? slowest : 0);
        bool good;
        double least;
        save(r, &ev->step);
        motion_advance(r, t1 - t0, t1);
        st = verify(r, ev, t1 - t0, &good, &least);
        if (st != IMP_OK)
            return st;
        if (!good) {
            restore(r, &ev->step);
            cap = fmax(0.5 * h, least);
            if (!(cap < h))
                cap = 0.5 * h;
            continue;
        }
        cap = INFINITY;
        if (each_step != NULL) {
            st = each_step(ctx, t0, t1);
            if (st != IMP_OK)
                return st;
        }
    }
}
