/* SPDX-License-Identifier: MIT */
/* The first touch along the free motion (event.h).
 * Each step expands the motion and the gap of every near contact into their
 * time series, takes the longest time for which all hold to rounding, and
 * asks of each gap polynomial when it first enters the band |gap| <= tolerance
 * (polynomial_below: exclusion by bounds, so that no multiplicity of a root can
 * hide it, I3). Where it does, the motion is expanded again at the entry and
 * the touch is told apart (contact_root_in_band) and timed. Contacts that are
 * far, whose gap has no usable series, or that overlap deeply are passed over
 * by bounds (conservative_advancement.c) instead.
 * Invariants: a step counts only if the gap at its end agrees with the
 * polynomial; one expansion from the last state leads to what is returned. */
#include "runtime/events/event.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/events/event_priv.h"
#include "runtime/geometry/support.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"

/* As a flat point passes over a face, the series of their gap holds for shares
 * of the time until then, and leads to nothing beyond. Where it holds for less
 * than the square of this share of a step, a bound of what driven bodies do
 * leads on, for this share. (Of others a bound is asked for at each step.) */
#define EXPAND_HOP 0x1p-10

static void
propose(struct near *watched, double entry, double s, enum event_kind kind)
{
    watched->candidate = true;
    watched->refined = kind != EVENT_NONE;
    watched->entry = entry;
    watched->s = s;
    watched->kind = kind;
}

/* The gap has left the band: its next touch is at 0. */
static void
outside(struct rt *run, uint32_t contact, struct near *watched)
{
    watched->inside = false;
    if (watched->sign > 0)
        run->event->kept[contact].inside = false;
}

/* The gap is in the band. A contact that was handled where the gap was g0 is
 * hit again where the gap comes back to g0, also if other events end the search
 * before that: so a gap neither sinks nor rises through flights within its
 * tolerance. What falls, and was not in the band before, has not been handled
 * yet. */
static void
set_floor(struct rt *run, uint32_t contact, struct near *watched)
{
    double gap = watched->sign * watched->at.gap;
    struct kept *kept = &run->event->kept[contact];
    if (watched->sign > 0)
        watched->floor = kept->inside ? kept->floor : NAN;
    if (isnan(watched->floor)) {
        double rate = watched->sign * gap_rate(run, contact, &watched->at);
        watched->floor = rate < -watched->tol.rate ? fmin(gap, 0.0) : gap;
    } else if (gap < watched->floor - watched->tol.gap_rounding) {
        watched->floor = gap;
    }
    if (watched->sign > 0)
        kept->inside = true, kept->floor = watched->floor;
    watched->handled = kept->handled && kept->time == rt_time(run);
    watched->rests = watched->handled && kept->rests;
}

/* Makes the series of the gap, which is signed here, and a bound where it holds
 * too short. */
static void
look_ahead(struct rt *run, uint32_t contact, struct near *watched, double gap,
           double hop)
{
    bool deep = watched->sign < 0 && watched->at.deep;
    if (!deep && contact_root_series(run, contact, &watched->tol, watched->g,
                                     &watched->h) == IMP_OK)
        watched->series = watched->h > watched->safe;
    if (gap <= watched->tol.gap || watched->safe > 0.0 ||
        (watched->series && watched->h > EXPAND_HOP * hop))
        return;
    watched->safe = advancement_safe_driven(run, contact, gap, hop);
    watched->series = watched->series && watched->h > watched->safe;
}

/* One contact at the start of a step: its gap, and the time for which the
 * series of the gap holds. *length is lowered to that time. */
static int
expand(struct rt *run, bool pair, uint32_t contact, struct near *watched,
       double hm, double most, double *length)
{
    watched->candidate = watched->far = watched->series = false;
    watched->h = watched->safe = 0.0;
    watched->rises = INFINITY;
    if (watched->sign > 0) {
        double t = advancement_apart(run, contact, hm, most);
        if (t > 0.0) {
            watched->far = true;
            watched->begun = true;
            outside(run, contact, watched);
            watched->h = t;
            *length = fmin(*length, t);
            return IMP_OK;
        }
    }
    int st = event_look(run, contact, &watched->at);
    if (st != IMP_OK)
        return st;
    gap_tolerance_get(run, contact, &watched->tol);
    double gap = watched->sign * watched->at.gap;
    if (!watched->begun) {
        watched->begun = true;
        watched->inside =
            watched->mode == WATCH_LEAVE ||
            (watched->mode == WATCH_OPEN && fabs(gap) <= watched->tol.gap);
        if (watched->mode == WATCH_CLOSE && gap < -watched->tol.gap)
            return event_start_check(run, contact, &gap);
    }
    if (gap > watched->tol.gap)
        outside(run, contact, watched);
    if (gap < -watched->tol.gap) {
        double rate = watched->sign * gap_rate(run, contact, &watched->at);
        if (watched->mode != WATCH_LEAVE || rate <= watched->tol.rate) {
            /* the band is crossed already: the gap closes again at once, or is
             * open from the start */
            propose(watched, 0.0, 0.0, event_kind_of(watched, rate));
            return IMP_OK;
        }
        watched->inside = true; /* the overlap is on its way out */
    }
    if (watched->inside)
        set_floor(run, contact, watched);
    if (gap > watched->tol.gap)
        watched->safe = advancement_safe(run, contact, gap, most);
    /* Of a pair alone, whose bodies may change their motion before they meet:
     * while they are not near, speeds tell enough. */
    if (pair && watched->mode != WATCH_OPEN && watched->safe > 0.0 &&
        gap > EVENT_NEAR * watched->tol.length) {
        watched->far = true;
        watched->h = watched->safe;
        *length = fmin(*length, watched->h);
        return IMP_OK;
    }
    look_ahead(run, contact, watched, gap, EXPAND_HOP * fmin(hm, most));
    if (watched->series) {
        *length = fmin(*length, watched->h);
        return IMP_OK;
    }
    watched->h = watched->safe;
    if (gap <= watched->tol.gap) {
        /* the bodies touch where the gap has no series: the rate alone decides
         */
        double rate = watched->sign * gap_rate(run, contact, &watched->at);
        if (!watched->inside && rate <= watched->tol.rate) {
            propose(watched, 0.0, 0.0, event_kind_of(watched, rate));
            return IMP_OK;
        }
        watched->h = rate > watched->tol.rate ? 2.0 * watched->tol.gap / rate
                                              : 1e-3 * hm;
        if (!isfinite(watched->h))
            watched->h = 1e-3 * most;
    }
    *length = fmin(*length, watched->h);
    return IMP_OK;
}

/* Finds the first entry of the gap into the band within a step of this length.
 */
static void
scan(struct near *watched, double length)
{
    double signed_gap[MOTION_STEP_ORDER + 1], neg[MOTION_STEP_ORDER + 1],
        from = 0.0, up, down, when;
    for (int k = 0; k <= MOTION_STEP_ORDER; k++) {
        signed_gap[k] = watched->sign * watched->g[k];
        neg[k] = -signed_gap[k];
    }
    if (watched->inside) {
        /* The gap has left the band when it is above twice the tolerance, so
         * that rounding at the edge of the band is no new entry. */
        bool rises = polynomial_below(neg, MOTION_STEP_ORDER, 0.0, length,
                                      -2.0 * watched->tol.gap, &up);
        if (!watched->rests &&
            contact_root_returns(signed_gap, watched->floor, watched->handled,
                                 &watched->tol, rises ? up : length, &when)) {
            propose(watched, when, when,
                    watched->sign > 0 ? EVENT_CROSS : EVENT_OPEN);
            return;
        }
        double low = signed_gap[0] < -watched->tol.gap ? signed_gap[0] : 0.0;
        bool falls = polynomial_below(signed_gap, MOTION_STEP_ORDER, 0.0,
                                      length, low - watched->tol.gap, &down);
        if (!rises && !falls)
            return;
        if (falls && (!rises || down < up)) {
            /* The gap closes again without having opened. The known root at 0
             * is divided out: the gap less its value at 0 is the time times a
             * polynomial of one degree less. */
            double slope[MOTION_STEP_ORDER + 1];
            int slope_degree =
                polynomial_derivative(signed_gap, MOTION_STEP_ORDER, slope);
            when = 0.0;
            if (signed_gap[1] > watched->tol.rate &&
                !polynomial_below(signed_gap + 1, MOTION_STEP_ORDER - 1, 0.0,
                                  down, 0.0, &when))
                when = down;
            /* If the bodies are pressed together, the event is now. Otherwise
             * a touch without rate is the one that was just handled. The next
             * event is then the time at which the gap has risen, is closed
             * again, and falls fast enough to be told from the last event. */
            double slow = -watched->tol.fall;
            if (signed_gap[1] >= -watched->tol.rate &&
                (when > 0.0 || signed_gap[2] >= 0.0) &&
                polynomial_value(slope, slope_degree, when) > slow &&
                (!polynomial_below(slope, slope_degree, when, down, slow,
                                   &when) ||
                 !polynomial_below(signed_gap, MOTION_STEP_ORDER, when, down,
                                   0.0, &when)))
                when = down;
            propose(watched, when, when,
                    event_kind_of(watched,
                                  polynomial_value(slope, slope_degree, when)));
            return;
        }
        from = watched->rises = up;
    }
    if (polynomial_below(signed_gap, MOTION_STEP_ORDER, from, length,
                         watched->tol.gap, &when))
        propose(watched, when, when, EVENT_NONE);
}

/* Before a step to the time t1: states on the way are kept. */
static void
looks(const struct event_state *ev, struct rt *run, double t1)
{
    if (!ev->body && !ev->part)
        motion_looks(run, MOTION_STEP_ORDER, t1);
}

/* Accepts a step: moves the state on by dt, and tells the records. */
static int
accept(const struct event_state *ev, struct rt *run, double dt, double t1,
       int (*each_step)(void *, double, double), void *ctx)
{
    double t0 = rt_time(run);
    looks(ev, run, t1);
    event_move(ev, run, dt, t1);
    return each_step != NULL && t1 > t0 ? each_step(ctx, t0, t1) : IMP_OK;
}

/* Finds the earliest touch among the candidates of this step, and its contact
 * *best (im->contacts.n if there is none). hm: for how long its series hold.
 * *length is lowered where the polynomials cannot be trusted (*again), or where
 * a contact wants another look. */
static int
choose(struct rt *run, struct event_state *ev, double t0, double hm,
       double *length, uint32_t *best, bool *again)
{
    uint32_t nc = run->im->contacts.n;
    bool moved = false;
    *best = nc;
    *again = false;
    for (;;) {
        uint32_t next = nc;
        for (uint32_t i = 0; i < ev->n; i++) {
            uint32_t contact = ev->contact[i];
            struct near *watched = &ev->near[contact];
            if (watched->mode == WATCH_OFF || !watched->candidate)
                continue;
            if (watched->refined && watched->kind != EVENT_NONE &&
                (*best == nc || watched->s < ev->near[*best].s))
                *best = contact;
            if (!watched->refined &&
                (next == nc || watched->entry < ev->near[next].entry))
                next = contact;
        }
        if (next == nc ||
            (*best != nc && ev->near[next].entry > ev->near[*best].s))
            break;
        struct near *earliest = &ev->near[next];
        if (moved) {
            saved_step_restore(run, ev, &ev->look);
            int st = event_expand(ev, run, &hm);
            if (st != IMP_OK)
                return st;
            moved = false;
        }
        if (event_refine_along(ev, run, next, hm))
            continue;
        saved_step_take(run, ev, &ev->look);
        moved = true;
        bool trust;
        int st = event_refine(ev, run, next, t0, &trust);
        if (st != IMP_OK)
            return st;
        if (!trust) {
            *again = true;
            *length = 0.5 * *length;
            *best = nc;
            break;
        }
        if (earliest->kind == EVENT_NONE)
            *length = fmin(*length, earliest->s);
    }
    if (moved) {
        saved_step_restore(run, ev, &ev->look);
        return event_expand(ev, run, &hm);
    }
    return IMP_OK;
}

/* Sets *good: does every gap that was followed by its polynomial agree with it
 * after a step of this length? If not, *least is a step that is safe by bounds.
 */
static int
verify(struct rt *run, struct event_state *ev, double length, bool *good,
       double *least)
{
    *good = true;
    *least = 0.0;
    for (uint32_t i = 0; i < ev->n; i++) {
        uint32_t contact = ev->contact[i];
        struct near *watched = &ev->near[contact];
        if (watched->mode == WATCH_OFF || watched->far || !watched->series ||
            length <= watched->safe)
            continue;
        struct closest_points at;
        contact_root_predict(run, contact, length);
        int st = event_look(run, contact, &at);
        if (st != IMP_OK)
            return st;
        double want = polynomial_value(watched->g, MOTION_STEP_ORDER, length);
        if (fabs(want - at.gap) > EVENT_CHECK * watched->tol.gap +
                                      1e-13 * fabs(want) +
                                      2.0 * watched->tol.gap_rounding) {
            *good = false;
            *least = fmax(*least, watched->safe);
        }
    }
    return IMP_OK;
}

static struct event_state *
state_of(struct rt *run)
{
    uint32_t nc = rt_contact_room(run);
    if (run->event == NULL) {
        run->event = NEW(run->arena, struct event_state);
        run->event->near = NEW_N(run->arena, struct near, nc + 1);
        run->event->all = NEW_N(run->arena, uint32_t, nc + 1);
        run->event->kept = NEW_N(run->arena, struct kept, nc + 1);
        saved_step_new(run, &run->event->step);
        saved_step_new(run, &run->event->look);
    }
    return run->event;
}

void
event_handled(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    struct kept *kept = &state_of(run)->kept[contact];
    *kept = (struct kept){kept->inside, true, kept->floor, rt_time(run), false};
}

void
event_rests(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    event_handled(run, contact);
    state_of(run)->kept[contact].rests = true;
}

void
event_held(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    state_of(run)->kept[contact].inside = false;
}

static void
begin(struct event_state *ev, uint32_t contact, enum event_watch watch)
{
    struct near *watched = &ev->near[contact];
    memset(watched, 0, sizeof *watched);
    watched->mode = watch;
    watched->sign = watch == WATCH_OPEN ? -1 : 1;
    watched->floor = NAN;
    if (watch == WATCH_OPEN)
        ev->kept[contact].inside = false;
}

/* what a step from the present state looks like */
struct step {
    double start, most; /* time of its start; longest step that is asked for */
    double holds;       /* for so long the series of the motion hold */
    double length;      /* longest that the motion and all gaps allow */
    double cap;         /* the same after a step that was not accepted, */
    int tried;          /* of which there were so many for this one */
    bool as_before;     /* the cap is that of a search before */
    uint32_t slowest;   /* the contact that sets the length, or as many as there
                           are */
    bool excluded;      /* no contact can ever touch */
};

/* Expands the motion and all gaps, and looks for entries into the band. */
static int
expand_all(struct rt *run, struct event_state *ev, struct step *step)
{
    double hm;
    int st = event_expand(ev, run, &hm);
    if (st != IMP_OK)
        return st;
    step->holds = hm;
    step->length = fmin(fmin(hm, step->most), step->cap);
    step->excluded = true;
    step->slowest = run->im->contacts.n;
    for (uint32_t i = 0; i < ev->n; i++) {
        uint32_t contact = ev->contact[i];
        struct near *watched = &ev->near[contact];
        if (watched->mode == WATCH_OFF)
            continue;
        double before = step->length;
        st = expand(run, ev->body != NULL, contact, watched, hm, step->most,
                    &step->length);
        if (st != IMP_OK)
            return st;
        if (step->length < before)
            step->slowest = contact;
        step->excluded = step->excluded && watched->far && isinf(watched->h);
    }
    return IMP_OK;
}

/* Which contacts are closed: held, within their bands, or about to be so long
 * after the start of the step. */
static const bool *
closed_by(struct rt *run, const struct event_state *ev, double after)
{
    bool *closed = NEW_N(run->brief, bool, run->im->contacts.n + 1);
    for (uint32_t i = 0; i < ev->n; i++) {
        const struct near *watched = &ev->near[ev->contact[i]];
        closed[ev->contact[i]] =
            watched->mode == WATCH_OFF || watched->inside ||
            (watched->candidate && watched->entry <= after);
    }
    return closed;
}

/* Moves to the event of contact best within the step, and reports it with the
 * other contacts that touch at the same time: that of bodies on which this one
 * does not act comes at its own time. */
static int
arrive(struct rt *run, struct event_state *ev, const struct step *step,
       uint32_t best, int (*each_step)(void *, double, double), void *ctx,
       struct event *out, struct event *more, uint32_t *n_more)
{
    double after = ev->near[best].s, t1 = step->start + after;
    int st = after > 0.0 ? accept(ev, run, after, t1, each_step, ctx) : IMP_OK;
    if (st != IMP_OK)
        return st;
    out->kind = ev->near[best].kind;
    out->contact = best;
    out->time = t1;
    const bool *acted = NULL;
    for (uint32_t i = 0; i < ev->n; i++) {
        uint32_t contact = ev->contact[i];
        const struct near *watched = &ev->near[contact];
        if (contact == best || watched->mode == WATCH_OFF ||
            !watched->candidate || !watched->refined ||
            watched->kind == EVENT_NONE || watched->entry > after)
            continue;
        if (watched->s - after > 4.0 * DBL_EPSILON * fabs(t1)) {
            /* A gap without rate enters the band long before the touch: only
             * the time of the touch tells what class it has. */
            if (watched->kind == EVENT_TANGENT)
                continue;
            if (!acted)
                acted = event_acts_on(run, best, closed_by(run, ev, after));
            if (!acted[contact] ||
                (watched->inside && event_sticks(run, contact)))
                continue;
        }
        more[(*n_more)++] = (struct event){watched->kind, contact, t1};
    }
    return IMP_OK;
}

/* The step comes to no length. Where bodies come to other places at once, at
 * the end of the search at the latest, their gaps are looked at anew beyond
 * that; else the run is stuck. */
static int
beyond(struct rt *run, struct event_state *ev, struct step *step, double until,
       int (*each_step)(void *, double, double), void *ctx)
{
    double t0 = step->start, t1 = fmin(t0 + switching_least(run), until);
    uint32_t slowest = step->slowest < run->im->contacts.n ? step->slowest : 0;
    bool jumps = false;
    saved_step_take(run, ev, &ev->step);
    looks(ev, run, t1);
    event_move(ev, run, t1 - t0, t1);
    for (uint32_t i = 0; i < ev->n; i++) {
        uint32_t contact = ev->contact[i];
        struct near *watched = &ev->near[contact];
        if (watched->mode == WATCH_OFF ||
            !event_place_jumps(run, contact, 2.0 * (t1 - t0)))
            continue;
        jumps = true;
        run->closest.warm[contact] = 0;
        bool opens = watched->mode == WATCH_OPEN;
        begin(ev, contact, opens ? WATCH_OPEN : WATCH_CLOSE);
        int st = event_look(run, contact, &watched->at);
        if (st)
            return st;
        gap_tolerance_get(run, contact, &watched->tol);
        if (watched->sign > 0 && watched->at.gap < -watched->tol.gap)
            return event_jumps_into(run, contact, watched->at.gap);
    }
    if (!jumps) {
        saved_step_restore(run, ev, &ev->step);
        return event_stuck(run, slowest);
    }
    step->cap = INFINITY;
    return each_step != NULL ? each_step(ctx, t0, t1) : IMP_OK;
}

/* A step that is accepted after so many shorter and shorter ones says what the
 * next search begins with: points that depend on each other but for rounding
 * are held by series that are wrong long before their terms say so. */
#define CUT_OFTEN 3
#define CUT_GROWS 2.0

static void
keep_cut(struct event_state *ev, const struct step *step)
{
    if (ev->part)
        ev->kept[ev->contact[0]].cut =
            step->tried >= CUT_OFTEN ||
                    (step->as_before && step->length >= step->cap)
                ? step->length
                : 0.0;
}

/* Takes a whole step without an event, if the gaps at its end agree with their
 * polynomials. Otherwise the state goes back to the start of the step, and
 * step->cap is lowered. */
static int
advance(struct rt *run, struct event_state *ev, struct step *step, double until,
        int (*each_step)(void *, double, double), void *ctx)
{
    double t0 = step->start, length = step->length, least;
    double t1 = length >= step->most ? until : t0 + length;
    bool good;
    size_t mark = looks_mark(run);
    if (t1 == t0)
        return beyond(run, ev, step, until, each_step, ctx);
    saved_step_take(run, ev, &ev->step);
    looks(ev, run, t1);
    event_move(ev, run, t1 - t0, t1);
    int st = verify(run, ev, t1 - t0, &good, &least);
    if (st != IMP_OK)
        return st;
    if (!good) {
        looks_cut(run, mark);
        saved_step_restore(run, ev, &ev->step);
        step->cap = fmax(0.5 * length, least);
        if (!(step->cap < length))
            step->cap = 0.5 * length;
        step->tried++;
        return IMP_OK;
    }
    keep_cut(ev, step);
    step->cap = INFINITY;
    step->tried = 0;
    step->as_before = false;
    /* it may be in the band again already, right before it touches */
    for (uint32_t i = 0; i < ev->n; i++) {
        struct near *watched = &ev->near[ev->contact[i]];
        watched->inside &= !(watched->rises < length);
    }
    return each_step != NULL ? each_step(ctx, t0, t1) : IMP_OK;
}

/* The search from the present time on, until something happens, until the time
 * `until`, or over `steps` steps, without those to the edge of a band. */
static int
search(struct rt *run, struct event_state *ev, double until, uint32_t steps,
       int (*each_step)(void *ctx, double t0, double t1), void *ctx,
       struct event *out, struct event *more, uint32_t *n_more)
{
    uint32_t nc = run->im->contacts.n;
    struct step step = {.cap = INFINITY};
    if (ev->part && ev->kept[ev->contact[0]].cut > 0.0) {
        step.cap = CUT_GROWS * ev->kept[ev->contact[0]].cut;
        step.as_before = true;
    }
    out->kind = EVENT_NONE;
    out->contact = 0;
    *n_more = 0;
    for (;;) {
        step.start = rt_time(run);
        step.most = until - step.start;
        out->time = step.start;
        if (rt_stopped(run))
            return IMP_STOPPED;
        if (step.most <= 0.0 || steps == 0)
            return IMP_OK;
        int st = expand_all(run, ev, &step);
        if (st != IMP_OK)
            return st;
        if (step.excluded && each_step == NULL) {
            out->kind = EVENT_EXCLUDED;
            return IMP_OK;
        }
        for (uint32_t i = 0; i < ev->n; i++) {
            struct near *watched = &ev->near[ev->contact[i]];
            if (watched->mode == WATCH_OFF || !watched->series ||
                watched->candidate)
                continue;
            scan(watched, step.length);
        }
        uint32_t best;
        bool again;
        st = choose(run, ev, step.start, step.holds, &step.length, &best,
                    &again);
        if (st != IMP_OK)
            return st;
        if (again) {
            step.cap = step.length;
            step.as_before = false;
            if (step.start + step.cap == step.start &&
                (st = beyond(run, ev, &step, until, each_step, ctx)))
                return st;
            continue;
        }
        if (best != nc && ev->near[best].s <= step.length)
            return arrive(run, ev, &step, best, each_step, ctx, out, more,
                          n_more);
        st = advance(run, ev, &step, until, each_step, ctx);
        if (st != IMP_OK)
            return st;
        if (isinf(step.cap) && (ev->part || !ev->near[*ev->contact].candidate))
            steps--;
    }
}

void
event_forget(struct rt *run, uint32_t contact)
{
    event_held(run, contact);
    run->event->kept[contact].handled = false;
    closest_points_forget(run, contact);
}

int
event_next(struct rt *run, const enum event_watch *watch, double until,
           int (*each_step)(void *ctx, double t0, double t1), void *ctx,
           struct event *out, struct event *more, uint32_t *n_more)
{
    assert(run != NULL && out != NULL && n_more != NULL);
    assert(run->im->contacts.n == 0 || (watch != NULL && more != NULL));
    struct event_state *ev = state_of(run);
    ev->contact = ev->all;
    ev->n = run->im->contacts.n;
    for (; ev->n_all < ev->n; ev->n_all++)
        ev->all[ev->n_all] = ev->n_all;
    ev->body = NULL;
    for (uint32_t contact = 0; contact < ev->n; contact++)
        begin(ev, contact, watch[contact]);
    if (!isfinite(until))
        until = rt_time(run) + event_horizon(run);
    return search(run, ev, until, UINT32_MAX, each_step, ctx, out, more,
                  n_more);
}

int
event_of_part(struct rt *run, const uint32_t *contact, uint32_t n,
              const enum event_watch *watch, double *left, double until,
              struct event *out, struct event *more, uint32_t *n_more)
{
    assert(run != NULL && n > 0 && contact != NULL && watch != NULL);
    assert(left != NULL && out != NULL && more != NULL && n_more != NULL);
    assert(isfinite(until) && !run->trace);
    struct event_state *ev = state_of(run);
    ev->contact = contact;
    ev->n = n;
    ev->body = NULL;
    ev->part = true;
    for (uint32_t i = 0; i < n; i++) {
        begin(ev, contact[i], watch[contact[i]]);
        ev->near[contact[i]].begun = left[contact[i]] <= rt_time(run);
    }
    int st = search(run, ev, until, 1, NULL, NULL, out, more, n_more);
    for (uint32_t i = 0; i < n; i++) {
        const struct near *watched = &ev->near[contact[i]];
        left[contact[i]] = !watched->begun || watched->inside
                               ? INFINITY
                               : fmin(left[contact[i]], rt_time(run));
    }
    ev->part = false;
    ev->contact = NULL;
    return st;
}

int
event_of_pair(struct rt *run, uint32_t contact, enum event_watch watch,
              double until, uint32_t steps, struct event *out, double *entry,
              bool *open)
{
    assert(run != NULL && out != NULL && entry != NULL && isfinite(until));
    assert(open != NULL);
    assert(contact < run->im->contacts.n && watch != WATCH_OFF);
    struct event_state *ev = state_of(run);
    struct event more;
    uint32_t n_more;
    double start = rt_time(run);
    ev->contact = &contact;
    ev->n = 1;
    ev->body = rt_contact(run, contact)->body;
    begin(ev, contact, watch);
    int st = search(run, ev, until, steps, NULL, NULL, out, &more, &n_more);
    const struct near *watched = &ev->near[contact];
    *open = watched->begun && !watched->inside;
    *entry = out->time;
    if (out->kind != EVENT_NONE && out->kind != EVENT_EXCLUDED &&
        watched->s > watched->entry)
        *entry = fmax(start, out->time - (watched->s - watched->entry));
    ev->contact = NULL;
    ev->body = NULL;
    return st;
}
