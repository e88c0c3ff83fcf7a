/* SPDX-License-Identifier: MIT */
/* Touches: contacts that close at one time. Impacts are applied, tangential
 * touches reported; a policy chooses at C00. An outcome that is not unique
 * stops the run with a diagnostic (I4): impacts that no law determines
 * (impacts.c), C00 without a policy, contact that lasts and cannot be followed.
 * Energy that is gained is reported with its amount (I2). What rests on ground
 * that changes its speed at once is hit or left behind. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/collapse/collapse.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/tolerance.h"
#include "runtime/impact/impact_of_run.h"
#include "runtime/instance/contact_plain.h"
#include "runtime/instance/saved_state.h"
#include "runtime/modes/friction_forecast.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/motion.h"
#include "runtime/rotors/rotors.h"

/* the most touches without impulse at one time and contact */
#define TOUCHES_AT_ONCE 8

static int
lasting(struct simulation *sim, uint32_t contact, const struct verdict *verdict)
{
    const struct flight_history *flights = &sim->contacts[contact].flights;
    double q;
    if (flight_history_is_geometric(flights, &q))
        return simulate_report_endless(sim, contact, q);
    char discriminant[NUM_TEXT], t[NUM_TEXT];
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0710, rt_contact(sim->run, contact)->range,
        "the bodies of `%s` stay in contact from t = %s "
        "s on",
        simulate_contact_name(sim, contact), rt_told(t, rt_time(sim->run), 9));
    diag_note(sim->analysis->ds, diag, sim->command->range,
              "their normal velocity is zero and the gap's second derivative "
              "is %s m/s^2: they are pressed together (C0-)",
              num_digits(discriminant, verdict->D, 6));
    struct rt_passing pass =
        rt_passing(sim->run, simulate_contact_name(sim, contact));
    diag_help(
        sim->analysis->ds, diag,
        "they touch at none of the points that can be held: use an `until` "
        "before that time, or let them pass with `through = %s`%s",
        pass.name, pass.more);
    return IMP_FAILED;
}

/* Asks higher orders where v, D and j* are zero. Bodies that rest in touch,
 * with nothing that presses them together, have no event at all. */
static int
look_ahead(struct simulation *sim, uint32_t contact, struct verdict *verdict,
           bool *rests)
{
    enum event_ahead ahead;
    int st = event_ahead(sim->run, contact,
                         sim->options.until - rt_time(sim->run), &ahead);
    if (st)
        return st == IMP_NONFINITE ? IMP_OK : st;
    switch (ahead) {
    case AHEAD_RESTS:
        *rests = true;
        break;
    case AHEAD_RISES:
        verdict->class = CLASS_0_PLUS;
        break;
    case AHEAD_DRIFTS:
        verdict->class = CLASS_MINUS;
        break;
    default:
        verdict->falls = true;
        break;
    }
    return IMP_OK;
}

/* A rate of so many tolerances is an approach beyond doubt. */
#define CLEARLY 1e3

/* Do discs, spheres or planes hit each other beyond doubt where bodies are
 * held? The series of all that is held need not be made for that: the rate
 * tells. */
static bool
hits_clearly(struct simulation *sim, const struct touch *touch,
             struct verdict *verdict)
{
    struct rt *run = sim->run;
    uint32_t contact = touch->contact, d = run->im->dim;
    struct closest_points closest;
    if (!persistent_near_held(run, contact) || !motion_by_weight(run) ||
        !contact_point_balls(run, contact) || sim->contacts[contact].through ||
        closest_points_find(run, contact, &closest, false))
        return false;
    double sizes = gap_weight(run, contact) * touch->length, speed = 0.0;
    for (int i = 0; i < 2; i++) {
        const imp_body *body = rt_body(run, rt_contact(run, contact)->body[i]);
        const double *v = run->env + body->env_state + (d == 2 ? 3 : 7);
        for (uint32_t k = 0; k < d && !body_rests(body); k++)
            speed += fabs(v[k]);
        for (uint32_t k = d; k < (d == 2 ? 3 : 6) && !body_rests(body); k++)
            speed += fabs(v[k]) * touch->length;
    }
    *verdict = (struct verdict){.class = CLASS_MINUS};
    verdict->v = gap_rate(run, contact, &closest);
    verdict->v_tol =
        fmax(touch->still, fmax(run->world.tolerance, 64.0 * DBL_EPSILON) *
                               (speed + sqrt(sizes)));
    verdict->margin = -verdict->v / verdict->v_tol;
    return -verdict->v > CLEARLY * verdict->v_tol;
}

/* Gives the verdict on a touch. rests: nothing happens at all. */
static int
judge(struct simulation *sim, uint32_t contact, struct verdict *verdict,
      bool *rests)
{
    struct touch touch = {.contact = contact,
                          .length = gap_length(sim->run, contact)};
    struct gap_tolerance tolerance;
    if (rt_contact(sim->run, contact)->flags & IMP_CONTACTF_CORNERS)
        return polytope_verdict(sim, contact, verdict, rests);
    gap_tolerance_get(sim->run, contact, &tolerance);
    touch.gap_tol = tolerance.gap;
    if (!sim->contacts[contact].through)
        touch.still = GAP_FALL_FOUND * tolerance.fall;
    if (hits_clearly(sim, &touch, verdict))
        return IMP_OK;
    int st = touch_read(sim->analysis, &touch, 6);
    if (st || (st = touch_agree(sim->analysis, &touch)))
        return st;
    touch_verdict(sim->analysis, &touch, verdict);
    return verdict->class == CLASS_00 && verdict->jerk_zero &&
                   !sim->contacts[contact].through
               ? look_ahead(sim, contact, verdict, rests)
               : IMP_OK;
}

/* Counts a touch without impulse; one that comes again at the same time lasts.
 */
static void
rest(struct simulation *sim, uint32_t contact)
{
    struct simulated_contact *state = &sim->contacts[contact];
    state->touches =
        rt_time(sim->run) == state->touch_time ? state->touches + 1 : 0;
    state->touch_time = rt_time(sim->run);
    simulate_watch(sim, contact, WATCH_LEAVE);
}

/* Is a body of the contact held, or pressed to another one now? */
static bool
held_beside(const struct simulation *sim, uint32_t contact)
{
    const uint32_t *a = rt_contact(sim->run, contact)->body;
    for (uint32_t i = 0; i < sim->n_contacts; i++) {
        const uint32_t *b = rt_contact(sim->run, i)->body;
        for (int e = 0; e < 4 && sim->contacts[i].pressed; e++)
            if (i != contact && a[e / 2] == b[e % 2] &&
                contact_point_body_moves(sim->run, a[e / 2]))
                return true;
    }
    return persistent_near_held(sim->run, contact);
}

/* What presses bodies together that others hold, or that move as one, may begin
 * to grow from 0 at this instant. A force that grows with it keeps them apart,
 * as it does where it is there at once; no policy is asked, unless one is
 * stated, or the contact comes again at this time. */
static bool
presses_next(const struct simulation *sim, uint32_t contact,
             const struct verdict *verdict)
{
    const struct simulated_contact *state = &sim->contacts[contact];
    bool again = state->touch_time == rt_time(sim->run) && state->touches > 1;
    return (verdict->jerk_zero ? verdict->falls : verdict->jerk < 0.0) &&
           !sim->options.has_policy && !state->through && !again &&
           (held_beside(sim, contact) ||
            contact_moves_as_one(sim->run, rt_contact(sim->run, contact),
                                 gap_length(sim->run, contact),
                                 verdict->v_tol));
}

/* Is a touch, of n at this instant, told only when modes have been chosen?
 * Friction may hold it together with others, though nothing presses it. */
static bool
told_later(const struct simulation *sim, uint32_t contact,
           const struct verdict *verdict, uint32_t n)
{
    return n > 1 && verdict->class == CLASS_0_PLUS &&
           sim->contacts[contact].touches <= TOUCHES_AT_ONCE &&
           friction_modes_contact(sim->run, contact);
}

static int
touched(struct simulation *sim, uint32_t contact, const struct verdict *verdict,
        uint32_t n)
{
    assert(verdict->class >= CLASS_SEPARATING && verdict->class <= CLASS_00);
    struct simulated_contact *state = &sim->contacts[contact];
    struct contact_point corner[2];
    const char *name = touch_class_name[verdict->class];
    switch (verdict->class) {
    case CLASS_MINUS:
        if (state->through) {
            simulate_log_event(sim, contact, "overlap begins", name, 0.0);
            simulate_begin_overlap(sim, contact);
            return IMP_OK;
        }
        /* simulate_impacts has applied the impact, or has stopped the run */
        return IMP_OK;
    case CLASS_0_MINUS:
        if (state->through) {
            simulate_log_event(sim, contact, "overlap begins", name, 0.0);
            simulate_begin_overlap(sim, contact);
            return IMP_OK;
        }
        state->pressed = true;
        state->still = verdict->v_tol;
        rest(sim, contact);
        return verdict->open && !simulate_corners_rest(sim, contact, corner)
                   ? polytope_stop_open_normal(sim, contact)
               : state->touches > TOUCHES_AT_ONCE
                   ? lasting(sim, contact, verdict)
                   : IMP_OK;
    case CLASS_00:
        if (presses_next(sim, contact, verdict)) {
            state->pressed = true;
            state->still = verdict->v_tol;
            rest(sim, contact);
            return IMP_OK;
        }
        if (verdict->jerk_zero || verdict->jerk < 0.0)
            return simulate_tangency_policy(sim, contact, verdict);
        /* Overlap before and no overlap after: possible at the start of a run
         * alone. */
        /* fall through */
    case CLASS_0_PLUS:
        rest(sim, contact);
        if (state->touches > TOUCHES_AT_ONCE)
            return lasting(sim, contact, verdict);
        if (!told_later(sim, contact, verdict, n))
            simulate_log_event(sim, contact, "touch", name, 0.0);
        return IMP_OK;
    default:
        simulate_watch(sim, contact, WATCH_LEAVE);
        /* a corner that passes the end of the face over which it is watched */
        if (verdict->open && sim->resting.is_over &&
            sim->resting.is_over[contact])
            resting_polytopes_leave_face(sim, contact);
        return IMP_OK;
    }
}

static int
by_number(const void *one, const void *two)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)two;
    return (a > b) - (a < b);
}

/* The contacts of the present event that impacts have taken (done), or that
 * touch and were not pressed together so far (touches), in the order of the
 * model; in run->brief. Returns how many there are. */
static uint32_t
taken(const struct simulation *sim, uint32_t **list)
{
    const struct marked_contacts *done = &sim->touching.done,
                                 *touches = &sim->touching.touches;
    uint32_t n = 0;
    *list = NEW_N(sim->run->brief, uint32_t, done->n + touches->n + 1);
    for (uint32_t i = 0; i < done->n; i++)
        (*list)[n++] = done->contact[i];
    for (uint32_t i = 0; i < touches->n; i++)
        if (!done->on[touches->contact[i]])
            (*list)[n++] = touches->contact[i];
    qsort(*list, n, sizeof **list, by_number);
    return n;
}

/* Has an impact at other contacts taken this one, of vertices that are watched
 * one by one, which was closed and had no rate? It may be pressed now, though
 * nothing held it before, and no search finds how it falls from there. */
static bool
took_part(const struct simulation *sim, uint32_t contact,
          const uint32_t *contacts, uint32_t n_touched)
{
    for (uint32_t i = 0; i < n_touched; i++)
        if (contacts[i] == contact)
            return false;
    return sim->touching.done.on[contact] && sim->resting.n > 0 &&
           sim->resting.is_over[contact];
}

/* Chooses what stays closed after the event at contacts[0..n), and at those
 * that are taken. */
static int
stay(struct simulation *sim, const uint32_t *contacts,
     const struct verdict *verdict, uint32_t n_touched)
{
    uint32_t *others, n = taken(sim, &others);
    uint32_t *all =
        NEW_N(sim->run->brief, uint32_t, 2 * (size_t)n + n_touched + 1);
    uint32_t n_all = 0, lost;
    bool any = sim->captures.now;
    for (uint32_t i = 0; i < n_touched; i++) {
        /* friction may hold at several what nothing presses (a disc between
         * walls that lean inward), or at one, in Painleve's region */
        any |=
            sim->contacts[contacts[i]].pressed ||
            persistent_near_held(sim->run, contacts[i]) ||
            (n_touched > 1 && friction_modes_contact(sim->run, contacts[i])) ||
            simulate_may_push(sim, contacts[i]);
        all[n_all++] = contacts[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t contact = others[i];
        if (sim->touching.touches.on[contact]) {
            any |= persistent_near_held(sim->run, contact) ||
                   friction_modes_contact(sim->run, contact);
            all[n_all++] = contact;
        }
        if (!sim->touching.done.on[contact])
            continue;
        any |= persistent_near_held(sim->run, contact) ||
               took_part(sim, contact, contacts, n_touched) ||
               sim->run->env[rt_contact(sim->run, contact)->env_contact +
                             IMP_CONTACT_E] == 0.0 ||
               !contact_is_plain(sim->run, contact,
                                 CONTACT_LAW_FRICTION | CONTACT_LAW_COMPLIANCE);
        all[n_all++] = contact;
    }
    int st = any ? local_all(sim->local) : IMP_OK;
    if (any && !st)
        st = simulate_persistent_settle(sim, all, n_all, &lost);
    for (uint32_t i = 0; i < n_touched && !st && !sim->stopped; i++)
        if (!sim->touching.done.on[contacts[i]] &&
            told_later(sim, contacts[i], &verdict[i], n_touched) &&
            friction_modes_of(sim->run, contacts[i]) == CONTACT_FREE)
            simulate_log_event(sim, contacts[i], "touch",
                               touch_class_name[verdict[i].class], 0.0);
    for (uint32_t i = 0; i < n_touched && any; i++) {
        if (!st && lost == contacts[i])
            st = lasting(sim, contacts[i], &verdict[i]);
        sim->contacts[contacts[i]].pressed = false;
        sim->contacts[contacts[i]].still = 0.0;
    }
    return st;
}

/* Have joints of the bodies of a contact friction? Limits of chatter are not
 * foreseen there. */
static bool
joints_rub(const struct rt *run, uint32_t contact)
{
    const imp_contact *of = rt_contact(run, contact);
    return rubbing_moves(run, of->body[0]) || rubbing_moves(run, of->body[1]);
}

/* Asks each contact of the event what it does. Those that touch, and their
 * verdicts, into contacts[0..*n_touched). */
static int
judge_all(struct simulation *sim, const struct event *event,
          const struct event *more, uint32_t n_more, uint32_t *contacts,
          struct verdict *verdict, uint32_t *n_touched)
{
    int st = IMP_OK;
    *n_touched = 0;
    for (uint32_t i = 0; i <= n_more && !st; i++) {
        const struct event *one = i ? &more[i - 1] : event;
        struct simulated_contact *state = &sim->contacts[one->contact];
        if (state->overlap) {
            simulate_log_event(sim, one->contact, "overlap ends", "", 0.0);
            state->overlap = false;
            simulate_watch(sim, one->contact, WATCH_LEAVE);
            continue;
        }
        if (simulate_yields(sim, one->contact))
            return simulate_yield_refuse(sim, one->contact,
                                         "touches at a second point");
        if (simulate_yields_open(sim, one->contact)) {
            st = simulate_yield_press(sim, one->contact);
            continue;
        }
        contacts[*n_touched] = one->contact;
        bool rests = false;
        st = judge(sim, one->contact, &verdict[*n_touched], &rests);
        if (!rests)
            ++*n_touched;
        else if (rt_time(sim->run) == state->touch_time &&
                 state->touches > TOUCHES_AT_ONCE)
            return lasting(sim, one->contact, &verdict[*n_touched]);
        else
            rest(sim, one->contact);
        if (rests) {
            simulate_mark(&sim->touching.touches, one->contact);
            event_rests(sim->run, one->contact);
        }
    }
    return st;
}

/* After an impact: vertices at rest that are watched point by point, and limits
 * of chatter. */
static int
after_impacts(struct simulation *sim)
{
    struct rt *run = sim->run;
    double now = rt_time(run);
    uint32_t *list, n = taken(sim, &list);
    int st = IMP_OK;
    for (uint32_t i = 0; i < n; i++)
        if (sim->touching.done.on[list[i]])
            resting_polytopes_enter(sim, list[i]);
    for (uint32_t i = 0; i < n && !st && !sim->stopped; i++)
        if (sim->touching.done.on[list[i]] && rt_time(run) == now &&
            sim->contacts[list[i]].flights.last == now &&
            !joints_rub(run, list[i]))
            st = simulate_accumulation(sim, list[i]);
    return st;
}

/* Does a contact rest, or has a limit ended its flights? */
static bool
settled(const void *ctx, uint32_t contact)
{
    const struct simulation *sim = ctx;
    return persistent_holds(sim->run, contact) ||
           sim->contacts[contact].flights.impacts == 0;
}

/* Warns, once in a run, where bodies that came together for ever hit each other
 * within the tolerance of their gaps, and have parted since. */
static void
tell_collapse(struct simulation *sim, bool over)
{
    uint32_t contact;
    double when;
    char time[NUM_TEXT];
    if (!collapse_look(sim->collapse, over, settled, sim, &contact, &when))
        return;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_W0749, rt_contact(sim->run, contact)->range,
        "bodies come together for ever at `%s`: at t = %s s they hit each "
        "other at gaps below the tolerance",
        simulate_contact_name(sim, contact), rt_told(time, when, 9));
    diag_help(sim->analysis->ds, diag,
              "the velocities behind it depend on the `tolerance` of the "
              "world: compare with another one, or end the run before it");
    simulate_remark(sim, diag->message);
}

/* What closes begins a touch. */
static void
comes(struct simulation *sim, uint32_t contact, double rate)
{
    const struct simulated_contact *state = &sim->contacts[contact];
    collapse_comes(sim->collapse, contact, rate, &state->flights,
                   !state->through);
}

/* What the impact has taken. */
static void
takes(struct simulation *sim)
{
    uint32_t *list, n = taken(sim, &list);
    for (uint32_t i = 0; i < n; i++)
        if (sim->touching.done.on[list[i]])
            collapse_takes(sim->collapse, list[i],
                           &sim->contacts[list[i]].flights);
}

static int
touch_now(struct simulation *sim, const struct event *event,
          const struct event *more, uint32_t n_more)
{
    struct rt *run = sim->run;
    uint32_t n_touched, n_hit = 0,
                        *contacts = NEW_N(run->brief, uint32_t, n_more + 1),
                        *hit = NEW_N(run->brief, uint32_t, n_more + 1);
    struct verdict *verdict = NEW_N(run->brief, struct verdict, n_more + 1);
    const char **class = sim->touching.class;
    int st = simulate_row(sim);
    if (!st)
        st = judge_all(sim, event, more, n_more, contacts, verdict, &n_touched);
    if (st)
        return st;
    if (!sim->collapse)
        sim->collapse = collapse_new(run);
    tell_collapse(sim, false);
    collapse_begin(sim->collapse);
    for (uint32_t i = 0; i < n_touched; i++) {
        class[contacts[i]] = touch_class_name[verdict[i].class];
        if (verdict[i].class != CLASS_MINUS)
            continue;
        comes(sim, contacts[i], verdict[i].v);
        if (!sim->contacts[contacts[i]].through)
            hit[n_hit++] = contacts[i];
    }
    if (n_hit)
        st = simulate_impacts(sim, hit, n_hit, class, &sim->touching.done);
    if (!st && n_hit)
        takes(sim);
    rotors_struck(run);
    simulate_captures(sim, n_hit > 0);
    for (uint32_t i = 0; i < n_touched; i++)
        class[contacts[i]] = NULL;
    for (uint32_t i = 0; i < 2 * n_touched && !st && !sim->stopped; i++) {
        /* whether a force can hold a touch of C00 is seen by the others */
        uint32_t k = i % n_touched;
        bool last = verdict[k].class == CLASS_00;
        if (!sim->touching.done.on[contacts[k]] && last == (i >= n_touched) &&
            !(st = local_all(sim->local)))
            st = touched(sim, contacts[k], &verdict[k], n_touched);
    }
    if (!st && !sim->stopped)
        st = stay(sim, contacts, verdict, n_touched);
    return st || sim->stopped ? st : after_impacts(sim);
}

int
simulate_touches(struct simulation *sim, const struct event *event,
                 const struct event *more, uint32_t n_more)
{
    assert(sim != NULL && event != NULL && (more != NULL || n_more == 0));
    assert(n_more < sim->n_contacts);
    long captured = sim->captures.n;
    int st = touch_now(sim, event, more, n_more);
    if (!st && sim->options.capture > sim->captures.stated &&
        sim->captures.n > captured) {
        uint32_t *list, n = taken(sim, &list);
        simulate_limit_sticks(sim, list, n);
    }
    sim->options.capture = sim->captures.stated;
    sim->captures.now = sim->run->low_impact = false;
    simulate_unmark(&sim->touching.touches);
    simulate_unmark(&sim->touching.done);
    return st;
}

int
simulate_start_contacts(struct simulation *sim)
{
    assert(sim);
    struct rt *run = sim->run;
    struct event *touching =
        NEW_N(run->brief, struct event, sim->n_contacts + 1);
    uint32_t n_touching = 0, stated = 0;
    int yields = simulate_yield_start(sim);
    if (yields)
        return yields;
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++) {
        struct simulated_contact *state = &sim->contacts[contact];
        double gap, tol, rate;
        int st;
        if (rt_contact(run, contact)->system != IMP_NO_SYSTEM)
            continue; /* The flow of its system finds its touches. */
        run->env[rt_contact(run, contact)->env_contact + IMP_CONTACT_WORK] =
            0.0;
        if (rt_contact(run, contact)->flags & IMP_CONTACTF_STATED) {
            stated++;
            continue;
        }
        simulate_watch(sim, contact, WATCH_CLOSE);
        if (state->through || simulate_yields_open(sim, contact)) {
            st = touch_gap(sim->analysis, contact, &gap, NULL);
            if (st)
                return st;
        } else if ((st = event_start_check(run, contact, &gap))) {
            gap_tolerances(run, contact, &tol, &rate);
            return gap < -tol ? IMP_BADMODEL : st;
        }
        gap_tolerances(run, contact, &tol, &rate);
        if (gap < -tol && simulate_yields_open(sim, contact)) {
            if ((st = simulate_yield_press(sim, contact)))
                return st;
        } else if (gap < -tol) {
            simulate_log_event(sim, contact, "overlap begins", "", 0.0);
            simulate_begin_overlap(sim, contact);
        } else if (gap <= tol) {
            touching[n_touching++] =
                (struct event){EVENT_TANGENT, contact, 0.0};
        }
    }
    if (stated)
        simulate_remark(sim,
                        "contacts stated by `at` hold at the start only: they "
                        "are not watched");
    return n_touching ? simulate_touches(sim, &touching[0], touching + 1,
                                         n_touching - 1)
                      : IMP_OK;
}

/* -- ground that changes its speed at once -------------------------------- */

/* a gap of more than so many tolerances of its contact is open */
#define GROUND_CLOSED 2.0

/* Which held contacts are no longer at rest: `off` those whose modes are to be
 * chosen anew, `down` those that are hit, `out` those that have opened. True if
 * there are any. */
static bool
shaken(struct simulation *sim, const struct contact_point_state *p, int n,
       bool *off, bool *down, bool *out)
{
    struct rt *run = sim->run;
    bool any = false;
    for (int i = 0; i < n; i++) {
        uint32_t contact = p[i].spot.contact;
        double tol, rate,
            still = fmax(MODE_STILL * p[i].speed,
                         mode_still_rate(run, contact, p[i].free));
        gap_tolerances(run, contact, &tol, &rate);
        if (simulate_yields(sim, contact))
            continue;
        down[contact] |= p[i].rate < -still;
        out[contact] |= p[i].gap > GROUND_CLOSED * tol;
        /* a slip may have begun */
        off[contact] |= fabs(p[i].rate) > still || out[contact] ||
                        friction_modes_contact(run, contact);
        any |= off[contact];
    }
    return any;
}

int
simulate_persistent_ground(struct simulation *sim)
{
    assert(sim != NULL);
    struct rt *run = sim->run;
    int n = persistent_count(run);
    struct contact_point *spot =
        NEW_N(run->brief, struct contact_point, (size_t)n + 1);
    struct contact_point_state *p =
        NEW_N(run->brief, struct contact_point_state, (size_t)n + 1);
    struct event *hit = NEW_N(run->brief, struct event, sim->n_contacts + 1);
    bool *off = NEW_N(run->brief, bool, 3 * (size_t)sim->n_contacts + 1),
         *down = off + sim->n_contacts, *out = down + sim->n_contacts, on;
    uint32_t n_hit = 0;
    motion_ground_due(run, NAN);
    motion_ground_at(run, INFINITY);
    for (int i = 0; i < n; i++)
        spot[i] = *persistent_point(run, i, &on, NULL);
    int st = n ? contact_point_states(run, spot, n, p, NULL) : IMP_OK;
    if (st)
        return st;
    bool any = shaken(sim, p, n, off, down, out);
    sim->struck = down;
    for (uint32_t contact = 0; any && contact < sim->n_contacts && !st;
         contact++) {
        if (off[contact])
            st = simulate_persistent_choose(sim, contact, NULL, 0, out);
        if (down[contact])
            hit[n_hit++] = (struct event){EVENT_CROSS, contact, rt_time(run)};
    }
    sim->struck = NULL;
    if (!st && persistent_any(run) && n_hit == 0)
        persistent_project(run); /* what stays has moved on by rounding */
    return st || n_hit == 0
               ? st
               : simulate_touches(sim, &hit[0], &hit[1], n_hit - 1);
}

/* A message names so many places. */
enum { PLACES_TOLD = 6 };

void
simulate_note_places(struct simulation *sim, struct diag *diag,
                     const struct impact_of_run *problem)
{
    assert(sim != NULL && diag != NULL);
    struct buf text = {0};
    char digits[NUM_TEXT];
    uint32_t points = problem && problem->p.n_body ? problem->p.n_contact : 0;
    for (uint32_t i = 0; i < points && i < PLACES_TOLD; i++) {
        buf_printf(&text, "%s`%s` at (", i ? ", " : "",
                   simulate_contact_name(sim, problem->contact[i]));
        for (uint32_t k = 0; k < sim->run->im->dim; k++)
            buf_printf(
                &text, "%s%s", k ? ", " : "",
                num_digits(digits,
                           problem->origin[k] + problem->p.contact[i].p[k], 4));
        buf_puts(&text, ") m");
    }
    if (points > PLACES_TOLD)
        buf_printf(&text, ", and %u more", points - PLACES_TOLD);
    if (points)
        diag_note(sim->analysis->ds, diag, IMP_NOWHERE, "touching: %s",
                  buf_str(&text));
    buf_free(&text);
}

/* Impacts of which `capture` has taken one motion of several. */
static void
tell_alike(struct simulation *sim)
{
    char speed[NUM_TEXT];
    if (sim->captures.alike)
        simulate_remark(
            sim, arena_printf(
                     sim->run->arena,
                     "capture: %ld times an impact had several motions, whose "
                     "velocities differ by up to %s m/s; those were taken that "
                     "take most energy",
                     sim->captures.alike,
                     num_digits(speed, sim->captures.apart, 3)));
}

static void
tell_captures(struct simulation *sim)
{
    tell_alike(sim);
    char energy[NUM_TEXT], speed[NUM_TEXT], slip[NUM_TEXT];
    if (sim->captures.n == 0)
        return;
    double fastest = sim->captures.fastest;
    const char *text = arena_printf(
        sim->run->arena,
        "%s: %ld times contacts were kept closed that an impact parted by no "
        "more than %s m/s, which took %s J in all",
        fastest > 0.0 ? "sticking" : "capture", sim->captures.n,
        fastest > sim->options.capture
            ? num_digits(speed, fastest, 3)
            : num_shortest(speed, sim->options.capture),
        num_digits(energy, sim->captures.energy, 6));
    if (sim->captures.slip > sim->options.capture)
        text = arena_printf(sim->run->arena,
                            "%s; where no choice of stick and slip went on, "
                            "slips of up to %s m/s ended",
                            text, num_digits(slip, sim->captures.slip, 3));
    simulate_remark(sim, text);
}

void
simulate_tell_touches(struct simulation *sim)
{
    assert(sim != NULL);
    tell_captures(sim);
    if (sim->collapse)
        tell_collapse(sim, true);
}
