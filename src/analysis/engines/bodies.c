/* SPDX-License-Identifier: MIT */
/* Events of bodies in the second engine: gaps that come to zero, bounces that
 * become too low to be followed, closed contacts that change. The laws of
 * impact, and which closed points push, are the model's, and are asked of
 * analysis/simulate; when and where that happens is found here. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/engines/second.h"
#include "base/arena.h"
#include "runtime/events/event.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/modes/contact_set.h"
#include "runtime/modes/mode_change.h"
#include "runtime/modes/mode_select.h"
#include "runtime/motion/persistent.h"

/* what happens at an event, per contact of the model */
struct event_of_bodies {
    struct second *second;
    uint32_t *hit, n_hit;
    uint32_t *stay, n_stay; /* contacts of which some may stay closed */
    const char **class;
    struct marked_contacts done;
    bool *held; /* contacts of which a point was held before */
};

static bool
is_watched(const struct second *second, uint32_t c)
{
    const imp_contact *contact = rt_contact(second->run, c);
    return contact->system == IMP_NO_SYSTEM &&
           !(contact->flags & IMP_CONTACTF_STATED);
}

static bool *
held_now(const struct second *second)
{
    bool *held = NEW_N(second->run->brief, bool, second->sim->n_contacts + 1);
    for (uint32_t c = 0; c < second->sim->n_contacts; c++)
        held[c] = persistent_holds(second->run, c);
    return held;
}

static void
log_overlap(struct second *second, uint32_t c, bool begins)
{
    simulate_log_event(second->sim, c,
                       begins ? "overlap begins" : "overlap ends", "", 0.0);
    second->sim->contacts[c].overlap = begins;
}

/* The first coefficient of the gap beyond its rate that is not zero; 0: none up
 * to order 4. */
static int
tendency(struct second *second, uint32_t c, double *first, bool *bends)
{
    double series[5], length = gap_length(second->run, c);
    int st = second_rows(second, 4);
    if (!st)
        st = contact_gap_series(second->run, c, 4, series);
    *first = 0.0;
    *bends = true;
    double scale = length;
    for (int k = 2; k <= 4 && !st && *first == 0.0; k++) {
        for (int i = k; i <= 4; i++)
            scale = fmax(scale, fabs(series[i]));
        if (fabs(series[k]) > 1e-9 * scale) {
            *first = series[k];
            *bends = k == 2;
        }
    }
    /* face on face: some point of it is asked */
    return st == IMP_SINGULAR ? IMP_OK : st;
}

/* C00: the model's policy says what bodies do that touch without a rate and
 * would overlap from then on. */
static int
by_policy(struct second *second, uint32_t c)
{
    const struct simulation_options *options = &second->sim->options;
    if (options->has_policy && options->policy == IMP_POLICY_THROUGH) {
        log_overlap(second, c, true);
        return IMP_OK;
    }
    return second_cannot(second, c,
                         "a tangential touch (C00), after which a policy of "
                         "the model decides");
}

/* A gap without a rate: a touch, or is the contact pressed together? */
static int
tangential(struct event_of_bodies *event, uint32_t contact, bool falls,
           bool due, bool start)
{
    struct second *second = event->second;
    double first;
    bool bends;
    int st = tendency(second, contact, &first, &bends);
    if (st)
        return st;
    if (first < 0.0 && !bends && (due || start))
        return by_policy(second, contact);
    if ((due && !falls) || ((due || start) && first > 0.0)) {
        simulate_log_event(second->sim, contact, "touch", "C0+", 0.0);
        if (first > 0.0) /* the forces of others may press it */
            event->stay[event->n_stay++] = contact;
    } else if (first < 0.0 || (due && falls)) {
        second->sim->contacts[contact].pressed = true;
        event->stay[event->n_stay++] = contact;
    } else if (first == 0.0) { /* the same */
        event->stay[event->n_stay++] = contact;
    }
    return IMP_OK;
}

/* Does a contact that is let through overlap from the start on? */
static int
overlaps_at_start(struct second *second, uint32_t contact, double gap,
                  double tol, double rate, double still)
{
    double first = 0.0;
    bool bends;
    int st = IMP_OK;
    if (fabs(gap) <= tol && fabs(rate) <= still)
        st = tendency(second, contact, &first, &bends);
    if (!st && (gap < -tol || (gap <= tol && (rate < -still || first < 0.0))))
        log_overlap(second, contact, true);
    return st;
}

/* The rate of the gap: of the point that comes down fastest where faces or
 * edges touch at several. */
static int
fastest_rate(struct second *second, uint32_t contact,
             const struct closest_points *points, double tol, double *rate)
{
    struct rt *run = second->run;
    *rate = gap_rate(run, contact, points);
    int room = contact_set_room(run, contact);
    struct contact_point *spot =
        NEW_N(run->brief, struct contact_point, (size_t)room);
    int n = contact_set_points(run, contact, tol, spot, room);
    if (n <= 0)
        return IMP_OK;
    struct contact_point_state *state =
        NEW_N(run->brief, struct contact_point_state, (size_t)n);
    int st = contact_point_states(run, spot, n, state, NULL);
    for (int i = 0; i < n && !st; i++)
        *rate = fmin(*rate, state[i].rate);
    return st;
}

/* Sorts the contacts that touch now: those that approach are hit. */
static int
sort(struct event_of_bodies *event, uint32_t due, bool falls)
{
    struct second *second = event->second;
    struct rt *run = second->run;
    for (uint32_t contact = 0; contact < second->sim->n_contacts; contact++) {
        struct simulated_contact *state = &second->sim->contacts[contact];
        struct closest_points points;
        double tol, still;
        if (!is_watched(second, contact) || persistent_holds(run, contact))
            continue;
        int st = closest_points_find(run, contact, &points, false);
        if (st && st != IMP_SINGULAR) {
            if (contact == due)
                return st;
            continue;
        }
        gap_tolerances(run, contact, &tol, &still);
        if (points.gap > tol && contact != due)
            continue;
        double rate;
        int bad = fastest_rate(second, contact, &points, tol, &rate);
        if (bad)
            return bad;
        if (state->through) {
            if (contact == due && !state->overlap)
                log_overlap(second, contact, true);
            else if (due == IMP_WORLD &&
                     (st = overlaps_at_start(second, contact, points.gap, tol,
                                             rate, still)))
                return st;
            continue;
        }
        if (due == IMP_WORLD && points.gap < -tol &&
            (st = event_start_check(run, contact, &(double){0.0})))
            return st;
        bool approaches =
            rate < -still || (contact == due && falls && st == IMP_SINGULAR);
        if (approaches) {
            event->class[contact] = "C-";
            event->hit[event->n_hit++] = contact;
        } else if (fabs(rate) <= still || contact == due) {
            if ((st = tangential(event, contact, falls, contact == due,
                                 due == IMP_WORLD)))
                return st;
        }
    }
    return IMP_OK;
}

/* -- bounces too low to be followed -------------------------------------------
 */

/* the second derivative of the gap, with the forces of closed contacts */
static int
bend_with_forces(struct second *second, uint32_t c, double *bend)
{
    double series[3] = {0.0, 0.0, 0.0};
    int st = second_rows(second, 2);
    if (!st)
        st = contact_gap_series(second->run, c, 2, series);
    *bend = 2.0 * series[2];
    return st == IMP_SINGULAR ? IMP_OK : st;
}

/* the height of bounces that are not followed */
static double
floor_of(struct rt *run, uint32_t c)
{
    double tol, still;
    gap_tolerances(run, c, &tol, &still);
    return fmax(SECOND_FLOOR * gap_length(run, c), 0.1 * tol);
}

static bool
is_crowded(const struct second *second)
{
    return second->n_impacts >= SECOND_CROWD &&
           rt_time(second->run) - second->impact_time[0] <=
               SECOND_CROWDED * second->sim->options.until;
}

/* In a crowd the flights at this contact are no longer seen. They go on to
 * shrink as the last two did that were: what is left of them, as flights that
 * are not followed, of which second_limit takes the sum. */
static double
unseen_in_crowd(const struct second *second, uint32_t contact, double ratio)
{
    const double *seen = second->contact[contact].seen;
    double left = seen[0] < seen[1] ? seen[0] * seen[0] / (seen[1] - seen[0])
                                    : seen[0] / (1.0 - ratio);
    return left * (1.0 - ratio);
}

/* Are the bounces at this contact that come now too low to be followed? Then
 * its points are in *spot. *end: how they end, if each is e times as long as
 * the one before. */
static int
too_low(struct second *second, uint32_t contact, struct contact_point *spot,
        int *n, struct second_end *end)
{
    struct rt *run = second->run;
    int room = contact_set_room(run, contact);
    struct contact_point_state *state =
        NEW_N(run->brief, struct contact_point_state, (size_t)room);
    double restitution =
        run->env[rt_contact(run, contact)->env_contact + IMP_CONTACT_E];
    double floor = floor_of(run, contact), tol, still;
    gap_tolerances(run, contact, &tol, &still);
    *end = (struct second_end){0.0, restitution, 0.0};
    *n = 0;
    bool varies = contact_restitution_varies(run, contact);
    if (!varies && !(restitution >= 0.0 && restitution < 1.0))
        return IMP_OK;
    int count = contact_set_points(run, contact, 2.0 * floor, spot, room);
    if (count <= 0)
        return IMP_OK;
    double bend;
    int st = contact_point_states(run, spot, count, state, NULL);
    if (!st)
        st = bend_with_forces(second, contact, &bend);
    bool presses = false;
    /* what the forces of other contacts do to the gap */
    for (int i = 0; i < count && !st && persistent_near_held(run, contact); i++)
        state[i].free = bend;
    for (int i = 0; i < count && !st; i++) {
        double height = state[i].rate * state[i].rate /
                        (2.0 * fmax(-state[i].free, 1e-300));
        presses |= state[i].free < 0.0;
        if (state[i].free < 0.0)
            end->unseen = fmax(end->unseen, sqrt(8.0 * floor / -state[i].free));
        if (fabs(state[i].rate) > still && height > floor)
            return IMP_OK;
        if (!(state[i].free < 0.0 && state[i].rate > still))
            continue;
        double left = 2.0 * state[i].rate / (-state[i].free);
        struct flight_sum flights;
        if (varies)
            contact_restitution_flights(run, contact, state[i].rate, &flights);
        if (varies && !flights.ends)
            return IMP_OK;
        end->remaining =
            fmax(end->remaining,
                 varies ? left * flights.sum : left / (1.0 - restitution));
    }
    /* none is longer than the one that has been seen */
    if (second->contact[contact].flight > 0.0)
        end->unseen = fmin(end->unseen, second->contact[contact].flight);
    *n = presses ? count : 0;
    return st;
}

/* The points that are held, but for those that an impact has just opened: they
 * have a rate now, above what the points that are closed lose with their last
 * bounces. Such bounces open what rests beside them by rates of their own size,
 * again and again. Returns how many; -1: a tape failed. */
static int
still_held(struct second *second, const struct contact_point *spot, int n_spot,
           struct contact_point *out)
{
    struct rt *run = second->run;
    int n = persistent_count(run), left = 0;
    struct contact_point_state *state =
        NEW_N(run->brief, struct contact_point_state, (size_t)(n + n_spot) + 1);
    double lost = 0.0;
    bool on;
    for (int i = 0; i < n; i++)
        out[i] = *persistent_point(run, i, &on, NULL);
    memcpy(out + n, spot, (size_t)n_spot * sizeof *spot);
    if (n && contact_point_states(run, out, n + n_spot, state, NULL))
        return -1;
    for (int i = n; i < n + n_spot; i++)
        lost = fmax(lost, fabs(state[i].rate));
    for (int i = 0; i < n; i++) {
        double tol, still;
        gap_tolerances(run, out[i].contact, &tol, &still);
        if (state[i].rate <= fmax(still, lost))
            out[left++] = out[i];
    }
    return left;
}

/* Closes these points and those that are held already, of all bodies that they
 * connect, as one impact without restitution does. */
static int
close_points(struct second *second, struct contact_point *spot, int n)
{
    struct rt *run = second->run;
    struct contact_point *all =
        NEW_N(run->brief, struct contact_point, n + persistent_count(run) + 1);
    int n_all = still_held(second, spot, n, all);
    if (n_all < 0)
        return IMP_FAILED;
    for (int i = 0; i < n; i++) {
        bool listed = false;
        for (int k = 0; k < n_all && !listed; k++)
            listed = !memcmp(&all[k], &spot[i], sizeof *spot);
        if (!listed)
            all[n_all++] = spot[i];
    }
    int *end = NEW_N(run->brief, int, n_all + 1), first = 0, st = IMP_OK;
    int groups = persistent_split(run, all, n_all, end);
    for (int i = 0; i < groups && !st; first = end[i++])
        st = persistent_close(run, all + first, end[i] - first, NULL, NULL,
                              NULL);
    return st;
}

/* After impacts: contacts whose bounces are too low are closed together, and
 * may stay so; also those that impacts leave without a rate. */
static int
settle_low(struct event_of_bodies *event, uint32_t *low, uint32_t *n_low,
           struct second_end *end)
{
    struct second *second = event->second;
    struct rt *run = second->run;
    bool any = false, crowded = is_crowded(second);
    int n_spot = 0;
    size_t room = 1;
    for (uint32_t contact = 0; contact < second->sim->n_contacts; contact++)
        room += (size_t)contact_set_room(run, contact);
    struct contact_point *spot = NEW_N(run->brief, struct contact_point, room);
    *n_low = 0;
    *end = (struct second_end){0.0, 0.0, 0.0};
    for (uint32_t contact = 0; contact < second->sim->n_contacts; contact++)
        any |= event->done.on[contact];
    for (uint32_t contact = 0; contact < second->sim->n_contacts && any;
         contact++) {
        struct second_end own;
        double restitution;
        int n, st;
        if (!is_watched(second, contact) ||
            second->sim->contacts[contact].through ||
            (persistent_holds(run, contact) && !event->done.on[contact]))
            continue;
        restitution =
            run->env[rt_contact(run, contact)->env_contact + IMP_CONTACT_E];
        if ((st = too_low(second, contact, spot + n_spot, &n, &own)))
            return st;
        if (n == 0 && crowded && restitution > 0.0) {
            n = contact_set_points(run, contact, 2.0 * floor_of(run, contact),
                                   spot + n_spot,
                                   contact_set_room(run, contact));
            if (restitution < 1.0)
                own.unseen = fmax(own.unseen, unseen_in_crowd(second, contact,
                                                              restitution));
        }
        /* what rests stays so: a limit has flights */
        bool flies = own.remaining > 0.0 || !event->held[contact];
        if (n > 0 && restitution > 0.0) {
            if (flies)
                low[(*n_low)++] = contact;
            end->remaining = fmax(end->remaining, own.remaining);
            end->ratio = fmax(end->ratio, restitution);
            end->unseen = fmax(end->unseen, own.unseen);
            n_spot += n;
        }
        if (n > 0 ||
            (event->done.on[contact] &&
             (restitution == 0.0 || persistent_near_held(run, contact))))
            event->stay[event->n_stay++] = contact;
    }
    return n_spot ? close_points(second, spot, n_spot) : IMP_OK;
}

/* -- the event ----------------------------------------------------------------
 */

static int
hold(struct event_of_bodies *event)
{
    struct second *second = event->second;
    uint32_t lost;
    if (event->n_stay == 0)
        return IMP_OK;
    int st = simulate_persistent_settle(second->sim, event->stay, event->n_stay,
                                        &lost);
    for (uint32_t i = 0; i < event->n_stay; i++)
        second->sim->contacts[event->stay[i]].pressed = false;
    if (!st && lost != UINT32_MAX)
        return second_cannot(second, lost,
                             "the bodies are pressed together at points that "
                             "cannot be held");
    return st;
}

static void
count_impacts(struct second *second, const struct marked_contacts *done)
{
    double now = rt_time(second->run);
    for (uint32_t c = 0; c < second->sim->n_contacts; c++) {
        struct second_contact *contact = &second->contact[c];
        if (!done->on[c])
            continue;
        contact->flight = contact->impacts++ ? now - contact->last : 0.0;
        if (contact->flight > SECOND_CROWDED * second->sim->options.until) {
            contact->seen[1] = contact->seen[0];
            contact->seen[0] = contact->flight;
        }
        contact->last = now;
        memmove(second->impact_time, second->impact_time + 1,
                (SECOND_CROWD - 1) * sizeof *second->impact_time);
        second->impact_time[SECOND_CROWD - 1] = now;
        second->n_impacts++;
        contact->beside[0] = contact->beside[1] = 0;
    }
}

/* A contact that is closed to rounding and approaches after an impact at
 * others, as balls in a row do: its gap cannot come through zero any more.
 * `done`: those of this impact. IMP_WORLD: there is none. */
static uint32_t
closes_at_once(struct second *second, const struct marked_contacts *done)
{
    struct rt *run = second->run;
    for (uint32_t contact = 0; contact < second->sim->n_contacts; contact++) {
        const struct simulated_contact *state = &second->sim->contacts[contact];
        struct closest_points points;
        double gap, noise, tol, still;
        if (!is_watched(second, contact) || persistent_holds(run, contact) ||
            state->through || state->overlap || done->on[contact] ||
            closest_points_find(run, contact, &points, false))
            continue;
        gap_rounding(run, contact, &gap, &noise);
        gap_tolerances(run, contact, &tol, &still);
        if (points.gap <= gap && gap_rate(run, contact, &points) < -still)
            return contact;
    }
    return IMP_WORLD;
}

/* What bodies do where the gap of the contact `due` has come to zero. *next:
 * the contact that is due at the same time after that, or IMP_WORLD. */
static int
touch_once(struct second *second, uint32_t due, bool falls, uint32_t *next)
{
    struct simulation *sim = second->sim;
    struct arena *brief = second->run->brief;
    uint32_t n = sim->n_contacts + 1, n_low;
    struct event_of_bodies event = {.second = second,
                                    .hit = NEW_N(brief, uint32_t, n),
                                    .stay = NEW_N(brief, uint32_t, 3 * n),
                                    .class = NEW_N(brief, const char *, n),
                                    .done = simulate_marks_new(brief, n),
                                    .held = held_now(second)};
    uint32_t *low = NEW_N(brief, uint32_t, n);
    struct second_end end;
    int st = sort(&event, due, falls);
    *next = IMP_WORLD;
    if (st)
        return st;
    if (event.n_hit) {
        if ((st = simulate_row(sim)))
            return st;
        for (uint32_t c = 0; c < sim->n_contacts; c++)
            sim->contacts[c].flights.impacts = 0; /* this room counts them */
        st = simulate_impacts(sim, event.hit, event.n_hit, event.class,
                              &event.done);
        if (st || sim->stopped)
            return st;
        count_impacts(second, &event.done);
    }
    size_t after = sim->log.time.n;
    if ((st = settle_low(&event, low, &n_low, &end)) || (st = hold(&event)))
        return st;
    if (n_low)
        second_limit(second, low, n_low, &end, after);
    if (event.n_hit && !sim->stopped)
        *next = closes_at_once(second, &event.done);
    return IMP_OK;
}

int
second_bodies_touch(struct second *second, uint32_t due, bool falls)
{
    assert(second);
    struct simulation *sim = second->sim;
    uint32_t next;
    int st = touch_once(second, due, falls, &next);
    while (!st && next != IMP_WORLD && !sim->stopped &&
           (double)sim->log.time.n <= sim->options.events) {
        if (rt_stopped(second->run))
            return IMP_STOPPED;
        st = touch_once(second, next, true, &next);
    }
    return st;
}

/* -- changes of held points
 * ----------------------------------------------------- */

/* Is a point of the contact held where this vertex is? A corner of one body
 * that slides past one of the other gets behind the next face of it, too; what
 * touches from there on is decided where the held point is past its end. */
static bool
held_there(struct rt *run, const struct contact_point *at, double near)
{
    struct taylor here[3], there[3];
    bool on;
    if (contact_point_place(run, at, 0, here))
        return false;
    for (int i = 0; i < persistent_count(run); i++) {
        const struct contact_point *held = persistent_point(run, i, &on, NULL);
        double far = 0.0;
        if (held->contact != at->contact ||
            contact_point_place(run, held, 0, there))
            continue;
        for (int k = 0; k < 3; k++)
            far = fmax(far, fabs(here[k].c[0] - there[k].c[0]));
        if (far <= near)
            return true;
    }
    return false;
}

/* Is this vertex over its face, and not beside it? */
static bool
is_over_face(struct rt *run, const struct contact_point *at, double tol)
{
    struct taylor *side;
    int n = contact_point_sides(run, at, 1, &side);
    for (int i = 0; i < n; i++)
        if (side[i].c[0] < -tol)
            return false;
    return true;
}

/* Does this vertex touch the other body now? It may have come down beside the
 * face. */
static bool
touches(struct second *second, const struct contact_point *at)
{
    struct rt *run = second->run;
    int room = contact_set_room(run, at->contact);
    struct contact_point *spot =
        NEW_N(run->brief, struct contact_point, (size_t)room);
    double tol, still;
    gap_tolerances(run, at->contact, &tol, &still);
    if (held_there(run, at, SECOND_THERE * tol))
        return false;
    int n = contact_set_points(run, at->contact, 2.0 * tol, spot, room);
    for (int i = 0; i < n; i++)
        if (spot[i].kind == POINT_VERTEX && spot[i].face_of == at->face_of &&
            spot[i].face == at->face && spot[i].vertex == at->vertex)
            return true;
    return n < 0 && is_over_face(run, at, tol);
}

/* Does a point of the contact that touches approach? */
static bool
any_approaches(struct second *second, uint32_t contact)
{
    struct rt *run = second->run;
    int room = contact_set_room(run, contact);
    struct contact_point *spot =
        NEW_N(run->brief, struct contact_point, (size_t)room);
    struct contact_point_state *state =
        NEW_N(run->brief, struct contact_point_state, (size_t)room);
    double tol, still;
    gap_tolerances(run, contact, &tol, &still);
    int n = contact_set_points(run, contact, 2.0 * tol, spot, room);
    bool any = false;
    if (n <= 0 || contact_point_states(run, spot, n, state, NULL))
        return false;
    for (int i = 0; i < n; i++)
        any |= state[i].rate < -still;
    return any;
}

/* Something comes down beside the points at which the bodies are held. */
static int
held_is_hit(struct second *second, uint32_t contact)
{
    struct simulation *sim = second->sim;
    struct rt *run = second->run;
    struct event_of_bodies event = {
        .second = second,
        .stay = NEW_N(run->brief, uint32_t, 3 * sim->n_contacts + 1),
        .class = NEW_N(run->brief, const char *, sim->n_contacts + 1),
        .done = simulate_marks_new(run->brief, sim->n_contacts),
        .held = held_now(second)};
    uint32_t *low = NEW_N(run->brief, uint32_t, sim->n_contacts + 1), n_low;
    struct second_end end;
    int st = simulate_row(sim);
    event.class[contact] = "C-";
    for (uint32_t i = 0; i < sim->n_contacts; i++)
        sim->contacts[i].flights.impacts = 0;
    if (!st)
        st = simulate_impacts(sim, &contact, 1, event.class, &event.done);
    if (st || sim->stopped)
        return st;
    count_impacts(second, &event.done);
    size_t after = sim->log.time.n;
    if ((st = settle_low(&event, low, &n_low, &end)) || (st = hold(&event)))
        return st;
    if (n_low)
        second_limit(second, low, n_low, &end, after);
    return IMP_OK;
}

/* A vertex comes down on a face at which the bodies are held, or beside it. In
 * the latter case others of the same edge may come down with it. */
static int
vertex_falls(struct second *second, const struct contact_point *at)
{
    if (at->vertex < 64 && !touches(second, at)) {
        second->contact[at->contact].beside[at->face_of] |= (uint64_t)1
                                                            << at->vertex;
        if (!any_approaches(second, at->contact))
            return IMP_OK;
    }
    return held_is_hit(second, at->contact);
}

/* The force of a held point has fallen to zero. Where its gap begins to open
 * with a higher power of the time, the contact leaves at once. */
static int
unloaded(struct second *second, int point)
{
    struct simulation *sim = second->sim;
    struct mode_change change = {.order = 0};
    int st = simulate_row(sim);
    if (!st)
        st = simulate_persistent_unloaded(sim, point, false);
    while (!st && !sim->stopped && persistent_any(second->run)) {
        st = mode_change_next(second->run, sim->options.until, NULL, NULL, 0,
                              &change);
        if (st || change.what != CHANGE_LEAVES)
            return st;
        st = simulate_persistent_unloaded(sim, change.which, true);
    }
    return st;
}

/* How long ago the held point passed the side that it is past now (s). */
static double
since_side(struct second *second, const struct watched *what)
{
    bool on;
    struct contact_point point =
        *persistent_point(second->run, what->point, &on, NULL);
    struct taylor *side;
    int n = contact_point_sides(second->run, &point, 1, &side);
    if ((int)what->which >= n || !(side[what->which].c[0] < 0.0) ||
        !(side[what->which].c[1] < 0.0))
        return 0.0;
    return side[what->which].c[0] / side[what->which].c[1];
}

/* A held point is past a side, by the lag after which that is told. What
 * follows holds since it passed the side: the state moves on by the difference
 * of both rates, and the events have the time of the passage. */
static int
past_side(struct second *second, const struct watched *what)
{
    struct simulation *sim = second->sim;
    size_t n = second->motion.n, first = sim->log.time.n;
    double *before = NEW_N(second->run->brief, double, 2 * n + 1),
           *after = before + n, t = rt_time(second->run);
    second_read(second);
    int st = second_rates(second, t, second->y, before);
    double late = st ? 0.0 : since_side(second, what);
    second->contact[what->contact].beside[0] = 0;
    second->contact[what->contact].beside[1] = 0;
    if (!st)
        st = simulate_persistent_past_end(sim, what->contact, what->point);
    if (st || sim->stopped)
        return st;
    second_read(second);
    if ((st = second_rates(second, t, second->y, after)))
        return st;
    for (size_t i = 0; i < n; i++)
        second->y[i] += late * (after[i] - before[i]);
    for (size_t i = first; i < sim->log.time.n; i++)
        sim->log.time.v[i] =
            fmax(t - late, first ? sim->log.time.v[first - 1] : 0.0);
    return second_close(second, t, second->y);
}

int
second_bodies_change(struct second *second, const struct watched *what)
{
    assert(second != NULL && what != NULL);
    struct simulation *sim = second->sim;
    switch (what->kind) {
    case WATCHED_OVERLAP:
        log_overlap(second, what->contact, false);
        return simulate_row(sim);
    case WATCHED_FORCE:
        return unloaded(second, what->point);
    case WATCHED_SIDE:
        return past_side(second, what);
    case WATCHED_HELD:
        return held_is_hit(second, what->contact);
    default:
        return vertex_falls(second, &what->at);
    }
}
