/* SPDX-License-Identifier: MIT */
/* The time and the kind of a touch whose gap has entered its band (event.h):
 * the motion is expanded again there, or its series are taken about that time.
 */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "runtime/events/event_priv.h"
#include "runtime/motion/persistent_group.h"

/* the motion is expanded again at the time found at most this many times */
#define EVENT_ROUNDS 4

int
event_look(struct rt *run, uint32_t contact, struct closest_points *out)
{
    assert(run != NULL && out != NULL);
    int st = closest_points_find(run, contact, out, false);
    if (st == IMP_SINGULAR && isfinite(out->gap))
        return IMP_OK;
    if (st == IMP_OK)
        return st;
    st = closest_points_find(run, contact, out, true);
    return st == IMP_OK ? IMP_OK : IMP_FAILED;
}

enum event_kind
event_kind_of(const struct near *watched, double rate)
{
    assert(watched != NULL);
    if (rate > -watched->tol.rate)
        return EVENT_TANGENT;
    return watched->sign > 0 ? EVENT_CROSS : EVENT_OPEN;
}

/* Is this gap what the series of the step says so long after its start? */
static bool
agrees(const struct near *watched, double moved, double gap)
{
    double want = 0.0;
    for (int k = MOTION_STEP_ORDER; k >= 0; k--)
        want = want * moved + watched->g[k];
    return fabs(want - gap) <=
           EVENT_CHECK * watched->tol.gap + watched->tol.gap_rounding;
}

int
event_refine(const struct event_state *ev, struct rt *run, uint32_t contact,
             double t0, bool *trust)
{
    assert(ev != NULL && run != NULL && trust != NULL);
    struct near *watched = &ev->near[contact];
    double gap[MOTION_STEP_ORDER + 1], horizon, hm, moved = watched->entry;
    struct contact_root touch = {EVENT_NONE, 0.0, -1};
    *trust = true;
    watched->refined = true;
    for (int round = 0; round < EVENT_ROUNDS; round++) {
        /* go to the time in question, and expand the motion there */
        if (round == 0 ? moved > 0.0 : touch.s != 0.0) {
            double step = round == 0 ? moved : touch.s;
            if (round == 0)
                contact_root_predict(run, contact, step);
            event_move(ev, run, step, t0 + (round == 0 ? moved : moved + step));
            if (round > 0)
                moved += step;
        }
        int st = event_expand(ev, run, &hm);
        if (st != IMP_OK)
            return st;
        st = event_look(run, contact, &watched->at);
        if (st != IMP_OK)
            return st;
        if (contact_root_series(run, contact, &watched->tol, gap, &horizon) !=
            IMP_OK) {
            /* the gap has no series here: the rate decides */
            watched->s = moved;
            watched->kind = event_kind_of(
                watched, watched->sign * gap_rate(run, contact, &watched->at));
            return IMP_OK;
        }
        horizon = fmin(horizon, hm);
        if (round == 0) {
            if (!agrees(watched, moved, gap[0])) {
                *trust = false;
                return IMP_OK;
            }
            contact_root_in_band(gap, horizon, &watched->tol, watched->sign,
                                 &touch);
            watched->kind = touch.kind;
            watched->s = moved + touch.s;
            if (touch.kind == EVENT_NONE) {
                /* the gap is in the band and slow: look again where this
                 * series ends */
                watched->s = moved + horizon;
                return IMP_OK;
            }
            if (touch.order < 0)
                return IMP_OK;
            continue;
        }
        double ds = 0.0;
        if (!contact_root_polish(gap, touch.order, fmax(horizon, fabs(touch.s)),
                                 &ds))
            break;
        touch.s = ds;
        watched->s = moved + ds;
        if (fabs(ds) <= 4.0 * DBL_EPSILON * (fabs(t0) + fabs(moved)))
            break;
    }
    /* No touch comes before the entry into the band. Where the gap is rounding
     * for a while (sides that slide along one another), a root of its
     * derivatives may be anywhere. */
    watched->s = fmax(watched->s, watched->entry);
    return IMP_OK;
}

/* The series of the gap so long after `start`, where the step began; *horizon:
 * for how long it holds. The state is left there. False: there is none. */
static bool
gap_along(struct rt *run, uint32_t contact, struct near *watched,
          const struct saved_pair *start, double moved, double *gap,
          double *horizon)
{
    const uint32_t *body = rt_contact(run, contact)->body;
    saved_pair_state(run, contact, start);
    motion_advance_two(run, body, MOTION_STEP_ORDER, moved,
                       start->time + moved);
    motion_ahead_two(run, body, MOTION_STEP_ORDER, moved);
    bool known = event_look(run, contact, &watched->at) == IMP_OK &&
                 contact_root_series(run, contact, &watched->tol, gap,
                                     horizon) == IMP_OK;
    motion_ahead_end(run, body);
    return known;
}

/* Is this a gap that crosses its band? *moved: when, from the start. */
static bool
crosses_along(struct rt *run, uint32_t contact, struct near *watched,
              const struct saved_pair *start, double hm, double *moved)
{
    double gap[MOTION_STEP_ORDER + 1], horizon;
    struct contact_root touch = {EVENT_NONE, 0.0, -1};
    *moved = watched->entry;
    for (int round = 0; round < EVENT_ROUNDS; round++) {
        if (!gap_along(run, contact, watched, start, *moved, gap, &horizon))
            return false;
        horizon = fmin(horizon, hm - *moved);
        if (round == 0) {
            if (!agrees(watched, *moved, gap[0]))
                return false;
            contact_root_in_band(gap, horizon, &watched->tol, watched->sign,
                                 &touch);
            if (touch.kind != EVENT_CROSS || touch.order > 0)
                return false;
            *moved += touch.s;
            if (touch.order < 0 || touch.s == 0.0)
                return true;
            continue;
        }
        double ds = 0.0;
        if (!contact_root_polish(gap, 0, fmax(horizon, fabs(touch.s)), &ds))
            return true;
        touch.s = ds;
        *moved += ds;
        if (fabs(ds) <= 4.0 * DBL_EPSILON * (fabs(start->time) + fabs(*moved)))
            return true;
    }
    return true;
}

/* Is a body held of those that move? */
static bool
holds_any(const struct rt *run)
{
    const struct persistent_set *set = run->persistent;
    for (int i = 0; set && i < set->n; i++)
        if (motion_asks(run, *set->group[i]->moved.block))
            return true;
    return false;
}

bool
event_refine_along(const struct event_state *ev, struct rt *run,
                   uint32_t contact, double hm)
{
    assert(ev != NULL && run != NULL && contact < run->im->contacts.n);
    struct near *watched = &ev->near[contact];
    struct saved_pair start;
    double moved;
    if (ev->body || !holds_any(run) || !motion_by_weight(run))
        return false;
    saved_pair_take(run, contact, &start);
    if (watched->entry > 0.0)
        contact_root_predict(run, contact, watched->entry);
    bool crosses = crosses_along(run, contact, watched, &start, hm, &moved);
    saved_pair_state(run, contact, &start);
    saved_pair_known(run, contact, &start);
    if (!crosses)
        return false;
    watched->refined = true;
    watched->kind = EVENT_CROSS;
    watched->s = fmax(moved, watched->entry);
    return true;
}
