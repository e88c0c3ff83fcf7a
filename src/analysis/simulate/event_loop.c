/* SPDX-License-Identifier: MIT */
/* The event loop: the run goes from event to event. The handlers of events do
 * not call each other; each returns to this loop and says what happens next. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/along/along.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/gap/tolerance.h"
#include "runtime/modes/friction_modes.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/vec3.h"
#include "runtime/rotors/rotors.h"

/* The most rounds at one instant in which no event is reported: contacts close
 * and open by rounding alone. */
#define SIMULATE_IDLE 1000

static int
too_many(struct simulation *sim, double limit)
{
    uint32_t worst = 0;
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++)
        if (sim->contacts[contact].flights.impacts >
            sim->contacts[worst].flights.impacts)
            worst = contact;
    const struct flight_history *flights = &sim->contacts[worst].flights;
    char l[NUM_TEXT], t[NUM_TEXT], rest_text[NUM_TEXT];
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_E0712, sim->command->range,
                 "%s events until t = %s s: the run is given up",
                 num_shortest(l, limit), rt_told(t, rt_time(sim->run), 9));
    if (flights->n_known >= 2)
        diag_note(
            sim->analysis->ds, diag, rt_contact(sim->run, worst)->range,
            "most of them here: %ld impacts, the last flights have a "
            "ratio of %s",
            flights->impacts,
            num_digits(rest_text, flights->flight[0] / flights->flight[1], 6));
    simulate_systems_trend(sim, diag);
    diag_help(sim->analysis->ds, diag,
              "raise the limit with `events = ...`, or use an "
              "earlier `until`%s",
              simulate_steps_remedy(sim));
    return IMP_FAILED;
}

static int
stuck(struct simulation *sim)
{
    char t[NUM_TEXT];
    bool modes = sim->found_contact == UINT32_MAX;
    uint32_t contact = modes ? sim->mode_change.contact : sim->found_contact;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0712, sim->command->range,
        "the run does not get beyond t = %s s: %s",
        rt_told(t, rt_time(sim->run), 9),
        modes ? "what points that are closed do ends there again and again as "
                "soon as it has been chosen"
              : "points close there again and again that need no impulse");
    if (contact < sim->n_contacts)
        diag_note(sim->analysis->ds, diag, rt_contact(sim->run, contact)->range,
                  "the last of them at `%s`",
                  simulate_contact_name(sim, contact));
    diag_help(sim->analysis->ds, diag,
              "bodies nearly rest there and rounding decides what %s: use an "
              "earlier `until`, or a lower restitution%s",
              modes ? "pushes" : "touches", simulate_steps_remedy(sim));
    return IMP_FAILED;
}

/* A point of a contact that is held has come down. It is treated as a touch;
 * but where edges are nearly parallel, what touches has no normal of its own or
 * is not the point that closes, and the touch comes to nothing. Then that point
 * is hit, along its normal. */
static int
apply_closing(struct simulation *sim, const struct mode_change *change)
{
    struct event touch = {EVENT_CROSS, change->contact, rt_time(sim->run)};
    enum next_step next = STEP_AS_TOUCH;
    bool again = sim->closing.contact == change->contact + 1 &&
                 sim->closing.time == touch.time &&
                 sim->closing.events == sim->log.total;
    again = again || (persistent_holds(sim->run, change->contact) &&
                      simulate_open_normal(sim, change->contact));
    int st = again ? simulate_vertex_impact(sim, &change->at, &next) : IMP_OK;
    if (!st && next == STEP_AS_TOUCH)
        st = simulate_touches(sim, &touch, &touch, 0);
    sim->closing.contact = change->contact + 1;
    sim->closing.time = touch.time;
    sim->closing.events = sim->log.total;
    return st;
}

/* A change of the contacts that are closed has come: its handler does what
 * happens there, and may ask for the contact to be treated as a touch. */
static int
apply_mode_change(struct simulation *sim)
{
    assert(sim->mode_change.what == CHANGE_NONE ||
           sim->mode_change.contact < sim->n_contacts);
    struct mode_change change = sim->mode_change;
    struct event touch = {EVENT_CROSS, change.contact, rt_time(sim->run)};
    enum next_step next = STEP_DONE;
    int st;
    sim->mode_change.what = CHANGE_NONE;
    if (change.what != CHANGE_NONE && change.what != CHANGE_BESIDE &&
        change.what != CHANGE_FEATURE)
        sim->rows.fresh = false;
    if (change.what != CHANGE_NONE)
        sim->found_contact =
            change.what == CHANGE_HITS || change.what == CHANGE_CLOSES
                ? change.contact
                : UINT32_MAX;
    switch (change.what) {
    case CHANGE_FEATURE:
        sim->contacts[change.contact].slid_time = sim->slid_time =
            rt_time(sim->run);
        return IMP_OK;
    case CHANGE_CEASES:
        if (!simulate_slid_now(sim) && (st = simulate_row(sim)))
            return st;
        return simulate_persistent_unloaded(sim, change.which, false);
    case CHANGE_LEAVES:
        return simulate_persistent_unloaded(sim, change.which, true);
    case CHANGE_SLIP_ENDS:
    case CHANGE_STICK_ENDS:
        if (!simulate_slid_now(sim) && (st = simulate_row(sim)))
            return st;
        return simulate_persistent_friction(sim, change.which,
                                            change.what == CHANGE_SLIP_ENDS);
    case CHANGE_JAMS:
        return simulate_persistent_jam(sim, change.which);
    case CHANGE_SLACKENS:
    case CHANGE_PRESSES:
    case CHANGE_OPENS:
    case CHANGE_HOLDS:
    case CHANGE_GIVES:
        return simulate_yield_change(sim, &change);
    case CHANGE_GROUND:
        return simulate_persistent_ground(sim);
    case CHANGE_SINKS:
        return simulate_persistent_choose(sim, change.contact, NULL, 0, NULL);
    case CHANGE_BESIDE:
        resting_polytopes_leave_face(sim, change.contact);
        return IMP_OK;
    case CHANGE_HITS:
        st = simulate_vertex_impact(sim, &change.at, &next);
        return st || next == STEP_DONE
                   ? st
                   : simulate_touches(sim, &touch, &touch, 0);
    case CHANGE_CLOSES:
        return apply_closing(sim, &change);
    case CHANGE_FACE_END:
        if (simulate_yields(sim, change.contact))
            return simulate_yield_refuse(sim, change.contact,
                                         "slides over the end of a face");
        return simulate_persistent_past_end(sim, change.contact, change.which);
    default:
        return IMP_OK;
    }
}

/* What the next search looks for at a contact. */
static enum event_watch
watched(const struct simulation *sim, uint32_t contact)
{
    bool held = persistent_holds(sim->run, contact);
    if (held)
        event_held(sim->run, contact);
    return held || sim->resting.is_over[contact] ? WATCH_OFF
                                                 : sim->contacts[contact].watch;
}

/* What the next search looks for, per contact. True: it need not look for
 * anything, as all contacts are held or are watched vertex by vertex. */
static bool
choose_watched(struct simulation *sim)
{
    bool held = persistent_any(sim->run) || sim->resting.n > 0 || sim->rotors ||
                sim->rubbing,
         none = held, all = held || !sim->rewatched.only;
    for (uint32_t i = 0; i < sim->rewatched.n; i++) {
        uint32_t contact = sim->rewatched.contact[i];
        sim->rewatched.on[contact] = false;
        if (!all)
            sim->watch[contact] = watched(sim, contact);
    }
    for (uint32_t contact = 0; contact < sim->n_contacts && all; contact++) {
        sim->watch[contact] = watched(sim, contact);
        none = none && sim->watch[contact] == WATCH_OFF;
    }
    sim->rewatched.n_chosen = sim->rewatched.n;
    sim->rewatched.chosen = !all;
    sim->rewatched.n = 0;
    sim->rewatched.only = !held;
    return none;
}

/* When the motion of a body of the contact was last made another one (s). */
static double
last_change(const struct simulation *sim, uint32_t contact)
{
    const imp_contact *of = rt_contact(sim->run, contact);
    double last = 0.0;
    for (int e = 0; e < 2; e++)
        if (contact_point_body_moves(sim->run, of->body[e]))
            last =
                fmax(last, sim->changed[rt_body(sim->run, of->body[e])->block]);
    return last;
}

/* Keeps the state in which the point of sim->mode_change is at the end of its
 * face, from where it leaves if nothing holds it further on, not before what is
 * recorded. The present state stays. What was past that end when the motion
 * became what it is leaves there. Of points that slide the first end is kept.
 */
static int
keep_face_end(struct simulation *sim)
{
    struct rt *run = sim->run;
    const struct numbers *event = &sim->log.time, *row = &sim->rows.time;
    struct saved_state here = saved_state_take(run);
    double step, now = rt_time(run), told = 0.0,
                 end = fmax(sim->mode_change.face_end,
                            last_change(sim, sim->mode_change.contact));
    if (simulate_slid_now(sim) && sim->mode_change.time == now)
        return IMP_OK;
    simulate_slides(sim);
    told = fmax(event->n ? event->v[event->n - 1] : 0.0,
                row->n ? row->v[row->n - 1] : 0.0);
    sim->face_from = fmin(fmax(end, told), now);
    int st = motion_to(run, end);
    sim->face_end = saved_state_keep(run);
    saved_state_restore(run, &here);
    return st ? st : motion_series_all(run, MOTION_STEP_ORDER, &step);
}

/* Weights move joints that rest by rounding: for so long (s) by as little as
 * persistent_read_ahead allows, where arms are the sizes. */
static double
joints_read_ahead(const struct rt *run)
{
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    double arm = 0.0, g = vec3_norm(run->world.gravity);
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        for (int e = 0; e < 2; e++)
            arm = fmax(arm, vec3_norm(run->env + joint[i].env_joint +
                                      IMP_JOINT_ARM + 3 * e));
    return arm > 0.0 && g > 0.0 ? sqrt(PERSISTENT_READ_ROUNDING * 2.0 * arm / g)
                                : INFINITY;
}

/* Does the run stop at each of its steps? Friction that is a formula, which may
 * turn negative, is looked at anew there. */
static bool
stops_at_each(const struct simulation *sim)
{
    return sim->rotors || persistent_varies(sim->run);
}

/* A step of the run may be so long that rounding moves what is held by more
 * than the tolerance of a gap: it is at most so many times as long as states
 * are read ahead, for 4096 times as many roundings; but no run has more of
 * these stretches than HELD_MOST. */
#define HELD_REACH 64.0
#define HELD_MOST 2e4

/* What is held is taken back onto contacts and joints before rounding matters:
 * at the last of the steps of the run before that. */
static void
stop_at_step(struct simulation *sim, double *end)
{
    struct rt *run = sim->run;
    double now = rt_time(run), stop = simulate_next_step(sim),
           least = sim->options.until / HELD_MOST;
    if (*end <= fmin(stop, now + least)) /* as most often */
        return;
    double reach = fmin(persistent_read_ahead(run), joints_read_ahead(run)),
           ahead = stops_at_each(sim) ? 0.0 : reach;
    stop = fmin(stop, now + fmax(HELD_REACH * reach, least));
    double most = now + ahead;
    if (*end <= fmax(stop, most))
        return;
    if (stop < most)
        stop = simulate_last_step(sim, most);
    *end = stop;
    sim->mode_change.what = CHANGE_NONE;
}

/* Searches for events right after changes of what is held: its series stand. */
static int
search(struct simulation *sim, double until, struct event *found,
       struct event *more, uint32_t *n_more)
{
    struct rt *run = sim->run;
    const struct rewatched *changed = &sim->rewatched;
    int st;
    motion_stands(run, true);
    if (sim->local) {
        st = local_next(sim->local, sim->watch,
                        changed->chosen ? changed->contact : NULL,
                        changed->chosen ? changed->n_chosen : sim->n_contacts,
                        until, found, more, n_more);
        simulate_contacts_made(sim);
    } else {
        st =
            event_next(run, sim->watch, until, NULL, NULL, found, more, n_more);
    }
    motion_stands(run, false);
    return st;
}

/* Moves to the next event before the target time. *end: the time at which
 * closed contacts or systems change, at most the target; found: the event that
 * the search has found before *end. */
static int
move_to_event(struct simulation *sim, double target, double *end,
              struct event *found, struct event *more, uint32_t *n_more)
{
    struct rt *run = sim->run;
    /* where contacts are made as bodies come near, others may come */
    bool nothing_watched = choose_watched(sim) && !run->table,
         held = persistent_any(run) || sim->resting.n;
    int order = nothing_watched && !held && !sim->rubbing ? MOTION_ORDER
                                                          : MOTION_STEP_ORDER;
    double before = rt_time(run);
    struct motion_looks looks;
    *end = target;
    int st =
        run->im->systems.n ? simulate_systems_peek(sim, target, end) : IMP_OK;
    *end = fmax(*end, before); /* a limit of bodies came first, by rounding */
    sim->rotor = IMP_NO_ROTOR;
    if (!st && sim->rotors)
        st = rotors_peek(run, order, end, &sim->rotor);
    sim->rotor_time = *end;
    sim->rub.what = RUBBING_NOTHING;
    if (!st && sim->rubbing)
        st = rubbing_peek(run, end, &sim->rub);
    sim->rub_time = *end;
    /* loads have jumped: no row tells forces of behind with modes of before */
    if (run->switching && sim->rub.what != RUBBING_NOTHING && *end == before)
        sim->rows.fresh = true;
    /* each part has a clock of its own; pairs have them where none is held */
    bool all = nothing_watched ? !held : sim->local && !held;
    struct clocks *clocks = all ? NULL : clocks_on(sim->clocks);
    if (!st && !(st = local_all(held ? sim->local : NULL))) {
        /* series need not reach beyond a step at which the run stops anyway */
        double stop = simulate_next_step(sim);
        bool before_it = !clocks && stop < *end && stops_at_each(sim);
        st = simulate_persistent_peek(sim, clocks, before_it ? stop : *end,
                                      NULL, end);
    }
    if (!st && !clocks)
        stop_at_step(sim, end);
    if (!st && (sim->mode_change.what == CHANGE_FACE_END ||
                sim->mode_change.what == CHANGE_FEATURE))
        st = keep_face_end(sim);
    if (!st && (nothing_watched || clocks) && rt_stopped(run))
        st = IMP_STOPPED;
    found->kind = EVENT_NONE;
    if (!st)
        simulate_rows_look(sim, &looks);
    if (!st && clocks) {
        clocks_go(clocks, *end);
        clocks_found(clocks, found, more, n_more);
        local_passed_over(sim->local);
    } else if (!st && nothing_watched) {
        /* the search for changes has already made the series of this motion */
        order = held ? sim->mode_change.order : order;
        motion_looks(run, order, *end);
        motion_advance_by(run, order, *end - before, *end);
    } else if (!st) {
        /* a change may lie behind now by rounding */
        st = search(sim, fmax(*end, before), found, more, n_more);
    }
    if (!st && rt_time(run) < *end &&
        (found->kind == EVENT_NONE || found->kind == EVENT_EXCLUDED))
        st = motion_to(run, *end);
    if (rt_time(run) > before)
        sim->rows.fresh = false;
    bool changed;
    int looked = simulate_rows_looked(sim, &changed);
    if (changed) {
        *end = rt_time(run);
        found->kind = EVENT_NONE;
        sim->mode_change.what = CHANGE_NONE;
        sim->rub.what = RUBBING_NOTHING;
        sim->rotor = IMP_NO_ROTOR;
    }
    if (!st && !looked)
        simulate_pairs_look(sim);
    return st ? st : looked;
}

/* Says once that points nearly depend on each other, and lock what moved. */
static void
tell_strained(struct simulation *sim)
{
    uint32_t contact;
    char time[NUM_TEXT], energy[NUM_TEXT];
    double taken = persistent_strained(sim->run, &contact);
    if (!(taken > 0.0) || sim->strain_told)
        return;
    sim->strain_told = true;
    simulate_remark(
        sim,
        arena_printf(
            sim->run->arena,
            "t = %s s: the points that keep the bodies of `%s` closed nearly "
            "depend on each other, and lock what moved: %s J are lost; the "
            "motion there and from there on is one of several",
            rt_told(time, rt_time(sim->run), 9),
            simulate_contact_name(sim, contact), num_digits(energy, taken, 3)));
}

/* No event comes before `end`: does what closed contacts and systems do there.
 */
static int
finish_piece(struct simulation *sim, double end)
{
    struct rt *run = sim->run;
    int st;
    tell_strained(sim);
    /* a change of bodies records a row, in which systems stand, too */
    if (sim->mode_change.what != CHANGE_NONE && run->im->systems.n &&
        (st = simulate_systems_at(sim, end)))
        return st;
    if ((st = simulate_check_penetration(sim)) || (st = apply_mode_change(sim)))
        return st;
    /* a limit of chatter may have gone on to a later time; nothing happens to
       systems before it */
    return run->im->systems.n && rt_time(run) <= end
               ? simulate_systems_apply(sim, end)
               : IMP_OK;
}

/* The mode of a rotor changes now, and of others that come to rest with it. */
static int
rotor_changes(struct simulation *sim, const bool *stuck)
{
    int st = simulate_row(sim);
    if (st || (st = rotors_change(sim->run, sim->rotor)))
        return st;
    sim->rows.fresh = false;
    sim->rotor = IMP_NO_ROTOR;
    for (uint32_t i = 0; i < sim->run->im->rotors.n; i++)
        if (stuck[i] != rotors_sticks(sim->run, i))
            simulate_log_rotor(sim, i, stuck[i] ? "slip" : "stick");
    return simulate_row(sim);
}

/* The torque has another law now: asks again what stays closed there. */
static int
settle_contacts(struct simulation *sim, const bool *body)
{
    uint32_t *list = NEW_N(sim->run->brief, uint32_t, sim->n_contacts + 1),
             n = 0, lost;
    for (uint32_t i = 0; i < sim->n_contacts; i++) {
        const imp_contact *of = rt_contact(sim->run, i);
        const struct simulated_contact *state = &sim->contacts[i];
        if (of->system == IMP_NO_SYSTEM && !state->through && !state->overlap &&
            (body[of->body[0]] || body[of->body[1]]))
            list[n++] = i;
    }
    return n ? simulate_persistent_settle(sim, list, n, &lost) : IMP_OK;
}

/* After a round of the loop: modes of rotors. */
static int
look_at_rotors(struct simulation *sim, bool event)
{
    struct rt *run = sim->run;
    uint32_t n = run->im->rotors.n;
    const imp_rotor *rotor = IMP_ARRAY(run->im, run->im->rotors, imp_rotor);
    bool *stuck = NEW_N(run->brief, bool, n),
         *body = NEW_N(run->brief, bool, run->im->bodies.n + 1), any = false;
    for (uint32_t i = 0; i < n; i++)
        stuck[i] = rotors_sticks(run, i);
    int st = sim->rotor != IMP_NO_ROTOR && rt_time(run) == sim->rotor_time
                 ? rotor_changes(sim, stuck)
             : event ? rotors_settle(run)
                     : IMP_OK;
    for (uint32_t i = 0; i < n; i++)
        if (stuck[i] != rotors_sticks(run, i))
            any = body[rotor[i].body] = true;
    return st || !any ? st : settle_contacts(sim, body);
}

/* One round of the loop: moves to the next event, and calls its handler. */
static int
advance_once(struct simulation *sim, double target, double limit,
             struct event *more)
{
    assert(rt_time(sim->run) < target);
    struct rt *run = sim->run;
    struct event found;
    uint32_t n_more;
    double end;
    int st;
    if (sim->planes) {
        st = simulate_vertex_flights(sim, target, limit);
        if (st || sim->stopped || rt_time(run) >= target ||
            simulate_looks_before(sim, target))
            return st;
        if ((double)sim->log.total > limit)
            return too_many(sim, limit);
    }
    if (sim->balls) {
        st = simulate_ball_flights(sim, target, limit);
        if (st || sim->stopped || rt_time(run) >= target ||
            simulate_looks_before(sim, target))
            return st;
        if ((double)sim->log.total > limit)
            return too_many(sim, limit);
    }
    if ((st = move_to_event(sim, target, &end, &found, more, &n_more)))
        return st;
    bool event = (found.kind != EVENT_NONE && found.kind != EVENT_EXCLUDED) ||
                 sim->mode_change.what != CHANGE_NONE;
    if (found.kind == EVENT_NONE || found.kind == EVENT_EXCLUDED) {
        if ((st = finish_piece(sim, end)))
            return st;
    } else {
        if (run->im->systems.n && (st = simulate_systems_at(sim, rt_time(run))))
            return st;
        sim->found_contact = found.contact;
        if ((st = simulate_check_penetration(sim)) ||
            (st = simulate_touches(sim, &found, more, n_more)))
            return st;
    }
    if (sim->rotors && (st = look_at_rotors(sim, event)))
        return st;
    if (sim->rub.what != RUBBING_NOTHING && rt_time(run) == sim->rub_time &&
        (st = simulate_rubbing_changes(sim)))
        return st;
    return (double)sim->log.total > limit ? too_many(sim, limit) : IMP_OK;
}

/* What is told of the whole run takes note of the present state. */
static int
look_along(struct simulation *sim)
{
    int st = simulate_systems_at(sim, rt_time(sim->run));
    return st ? st : simulate_look_along(sim);
}

bool
simulate_looks_before(const struct simulation *sim, double time)
{
    assert(sim);
    return sim->along && along_reach(sim->along, false) < time;
}

/* Shortens *next to the time of the next look of what is told of the whole run:
 * sooner before a limit of chatter, whose last impacts are not followed. *due:
 * the look there is due, even if nothing counts until the next event. */
static int
next_look(struct simulation *sim, double *next, bool *due)
{
    double near = along_reach(sim->along, false), time = *next, first;
    bool limit;
    *next = fmin(time, near);
    *due = near < time;
    if (!(near < time) || sim->run->im->bodies.n > 0)
        return IMP_OK;
    int st = simulate_systems_limit_ahead(sim, near, &first, &limit);
    if (st || limit || first < near)
        return st; /* most often an event comes first */
    time = fmin(time, along_reach(sim->along, true));
    st = simulate_systems_limit_ahead(sim, time, &first, &limit);
    *next = limit ? *next : time;
    *due = limit;
    return st;
}

/* Moves from the present time to the target time, event by event. */
static int
advance(struct simulation *sim, double target, double limit)
{
    struct rt *run = sim->run;
    struct event *more =
        NEW_N(run->arena, struct event, rt_contact_room(run) + 1);
    double last = -INFINITY;
    size_t reported = 0;
    sim->target = target;
    for (long idle = 0; !sim->stopped && rt_time(run) < target; idle++) {
        if (rt_time(run) > last || sim->log.total > reported)
            idle = 0;
        if (idle > SIMULATE_IDLE)
            return stuck(sim);
        last = rt_time(run);
        simulate_pairs_look(sim);
        reported = sim->log.total;
        rt_brief_end(run);
        double next = simulate_rows_ahead(sim, target);
        bool due = true;
        int st = sim->along ? next_look(sim, &next, &due) : IMP_OK;
        if (!st)
            st = advance_once(sim, next, limit, more);
        if (!st && sim->along && !sim->rows.fresh &&
            (due || sim->log.total > reported || !along_over(sim->along)))
            st = look_along(sim);
        if (st || (st = run->law_status) ||
            (sim->trace && (st = simulate_traced(sim))))
            return st;
        simulate_progress(sim, rt_time(run));
        if ((st = simulate_rows_now(sim)))
            return st;
    }
    return local_all(sim->local);
}

/* Tells once what accuracy is left where places are far from the origin. */
static void
tell_rounding(struct simulation *sim)
{
    struct rt *run = sim->run;
    uint32_t where = 0;
    double share = run->world.tolerance, rounding = 0.0;
    char length[NUM_TEXT], part[NUM_TEXT];
    for (uint32_t i = 0; i < sim->n_contacts; i++) {
        const imp_contact *contact = rt_contact(run, i);
        struct gap_tolerance tolerance;
        if (contact->system != IMP_NO_SYSTEM ||
            contact->flags & IMP_CONTACTF_STATED)
            continue;
        gap_tolerance_get(run, i, &tolerance);
        if (tolerance.gap_rounding > share * tolerance.length) {
            rounding = tolerance.gap_rounding;
            share = rounding / tolerance.length;
            where = i;
        }
    }
    for (uint32_t i = 0; i < run->im->systems.n && sim->flows; i++)
        flow_gap_rounding(sim->flows[i], &where, &rounding, &share);
    if (rounding == 0.0)
        return;
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_W0749, rt_contact(run, where)->range,
                 "the gap of `%s` is a difference of places far from the "
                 "origin: it is rounded to %s m, %s of its lengths",
                 simulate_contact_name(sim, where),
                 num_digits(length, rounding, 2), num_digits(part, share, 2));
    diag_help(sim->analysis->ds, diag,
              "times of impacts have no more digits: put the origin near the "
              "motion");
}

/* Forces and modes of contacts that rest at the start are chosen after the
 * first row, which tells of an impact at the start what there was before it.
 * Where nothing was hit, they hold in that row, too; branches begin with the
 * row before the instant at which they part. */
static int
renew_first_row(struct simulation *sim)
{
    struct recorded_rows *rows = &sim->rows;
    size_t width = rows->width, last = rows->time.n;
    bool fresh = rows->fresh;
    if (sim->stopped || sim->run->forks || (last && rows->time.v[0] > 0.0))
        return IMP_OK;
    for (size_t i = 0; i < sim->log.impulse.n; i++)
        if (sim->log.impulse.v[i] != 0.0)
            return IMP_OK;
    if (sim->along)
        along_forget(sim->along);
    rows->fresh = false;
    rows->asked = true;
    int st = last ? simulate_row(sim) : IMP_OK;
    rows->asked = false;
    rows->fresh = fresh;
    if (st || !last)
        return st;
    if (width) /* else there may be no values at all */
        memcpy(rows->values.v, rows->values.v + last * width,
               width * sizeof *rows->values.v);
    rows->time.n = last;
    rows->values.n = last * width;
    return IMP_OK;
}

int
simulate_run(struct simulation *sim, double limit)
{
    assert(sim != NULL && sim->options.until >= 0.0);
    struct rt *run = sim->run;
    int st;
    sim->rows.next = 0;
    sim->changed = NEW_N(run->arena, double, run->im->blocks.n + 1);
    run->singular = NULL;
    motion_horizon(run, sim->options.until);
    if (sim->options.until > switching_least(run))
        switching_begin(run);
    /* In a sweep many runs follow one another, and how far the last one was
     * tells nothing of the work to come. */
    rt_progress(run, 0.0);
    /* before the first row, whose accelerations are those of closed contacts */
    if ((st = simulate_systems_start(sim)))
        return st;
    tell_rounding(sim);
    if (sim->rows.times.n && sim->rows.times.v[0] == 0.0) {
        if ((st = simulate_asked_row(sim)))
            return st;
    }
    sim->begun = true;
    if (sim->along && (st = look_along(sim)))
        return st;
    if (run->table && (st = simulate_local_start(sim)))
        return st;
    if ((st = simulate_start_contacts(sim)) || (st = renew_first_row(sim)) ||
        (sim->along && (st = look_along(sim))))
        return st;
    sim->energy_before += simulate_stored(sim);
    sim->rubbing = rubbing_any(run);
    sim->rotors = rotors_rub(run);
    if (sim->rotors && (st = rotors_settle(run)))
        return st;
    if (!sim->options.all)
        sim->clocks = clocks_new(run, sim->options.until);
    simulate_vertex_flights_start(sim);
    resting_polytopes_start(sim);
    if (!run->table && (st = simulate_local_start(sim)))
        return st;
    simulate_pairs_start(sim);
    simulate_ball_flights_start(sim);
    sim->found_contact = UINT32_MAX; /* none yet */
    if (sim->trace && (st = simulate_traced(sim)))
        return st;
    if ((st = simulate_rows_now(sim)))
        return st;
    if (!sim->stopped && rt_time(run) < sim->options.until)
        st = advance(sim, sim->options.until, limit);
    rt_progress(run, 1.0);
    simulate_pairs_look(sim);
    return st;
}
