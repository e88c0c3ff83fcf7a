/* SPDX-License-Identifier: MIT */
/* The run of the second engine, from event to event. It shares with the first
 * one the model (the right-hand side, gaps as values, the laws of impact) and
 * the record, but neither its flights nor its search for events. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/along/along.h"
#include "analysis/engines/second.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/system.h"
#include "runtime/modes/friction_modes.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/rotors/rotors.h"
#include "runtime/rubbing/rubbing.h"
#include "runtime/setup/new_run.h"

/* The error of the time of a limit, as a share of the run: bounces as low as
 * SECOND_FLOOR are no more exact than the rounding of a gap over their speed.
 */
#define LIMIT_ERROR 1e-10
/* The most functions that are watched: gaps of contacts, forces, vertices and
 * sides of points that are held. */
#define WATCHED_MOST 4096
/* The longest step, as a share of the run. */
#define LONGEST 0.02
/* The most rounds at one time. */
#define IDLE_MOST 200
/* The first step after an event, as a share of the shortest flight that may
 * come. */
#define FIRST_STEP 0.25

int
second_cannot(struct second *second, uint32_t contact, const char *why)
{
    assert(second);
    struct simulation *sim = second->sim;
    char t[NUM_TEXT];
    imp_range where = contact == IMP_WORLD
                          ? sim->command->range
                          : rt_contact(second->run, contact)->range;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0750, where,
        "the second engine cannot follow %s%s%s beyond t = %s s: %s",
        contact == IMP_WORLD ? "the motion" : "`",
        contact == IMP_WORLD ? "" : simulate_contact_name(sim, contact),
        contact == IMP_WORLD ? "" : "`", rt_told(t, rt_time(second->run), 9),
        why);
    diag_help(sim->analysis->ds, diag,
              rt_time(second->run) != 0
                  ? "compare up to an earlier `until`, or leave out `engine = "
                    "gsl`"
                  : "leave out `engine = gsl`");
    return IMP_FAILED;
}

void
second_limit(struct second *second, const uint32_t *contacts, uint32_t n,
             const struct second_end *end, size_t events_before)
{
    assert(second != NULL && end != NULL);
    struct simulation *sim = second->sim;
    struct event_log *log = &sim->log;
    double now = rt_time(second->run),
           remaining = fmax(end->remaining, fmax(DBL_EPSILON * now, DBL_MIN)),
           time = fmin(now + end->remaining, sim->options.until),
           unknown = end->remaining +
                     end->unseen / fmax(1.0 - end->ratio, DBL_EPSILON) +
                     LIMIT_ERROR * sim->options.until;
    long impacts = 0;
    for (uint32_t i = 0; i < n; i++)
        impacts += second->contact[contacts[i]].impacts;
    struct flow_event event = {
        .kind = FLOW_CHATTER,
        .time = time,
        .contact = contacts[0],
        .n = n,
        .chatter = {.evidence = LIMIT_BY_LAW,
                    .impacts = impacts,
                    .period = 1,
                    .depth = 1,
                    .ratio = end->ratio,
                    .remaining = remaining,
                    /* The time that remains is only a forecast, so its error is
                       all of it; to this are added the flights that are too
                       low to be seen, and the errors of gaps. */
                    .error = unknown / remaining,
                    .state_error = NAN}};
    simulate_limit_add(sim, &event, contacts);
    /* Events that the limit brings about come after it in the list, at the same
     * time. */
    size_t added = n, first = log->time.n - added;
    for (size_t k = first; k > events_before; k--)
        for (size_t j = 0; j < added; j++) {
            size_t a = k - 1 + j, b = a + 1;
#define SWAP(list)                                                             \
    do {                                                                       \
        __typeof__(*(list).v) swap = (list).v[a];                              \
        (list).v[a] = (list).v[b];                                             \
        (list).v[b] = swap;                                                    \
    } while (0)
            SWAP(log->kind);
            SWAP(log->class);
            SWAP(log->contact);
            SWAP(log->number);
            SWAP(log->impulse);
        }
    for (size_t k = events_before; k < log->time.n; k++)
        log->time.v[k] = time;
}

/* -- one piece
 * ------------------------------------------------------------------ */

static int
record_row(struct second *second)
{
    second->sim->rows.fresh = false;
    second->sim->rows.asked = true;
    second_tell_held(second, true);
    int st = second->sim->rows.n_items ? simulate_row(second->sim) : IMP_OK;
    second_tell_held(second, false);
    second->sim->rows.asked = false;
    return st;
}

/* What is told of the whole run takes note of the present state. */
static int
look_along(struct second *second)
{
    second_tell_held(second, true);
    int st = simulate_look_along(second->sim);
    second_tell_held(second, false);
    return st;
}

/* What bodies and systems do where the watched function `which` has come to
 * zero. */
static int
handle(struct second *second, size_t which, bool falls)
{
    const struct watched what = second->watched[which];
    switch (what.kind) {
    case WATCHED_GAP:
        return second_bodies_touch(second, what.contact, falls);
    case WATCHED_SYSTEM_GAP:
        return second_system_touch(
            second, rt_contact(second->run, what.contact)->system, what.contact,
            falls);
    case WATCHED_SYSTEM_FORCE:
        return second_system_change(second, what.contact);
    default:
        return second_bodies_change(second, &what);
    }
}

/* The shortest flight that may come now: of gaps that are nearly closed and
 * open. 0: none. */
static void
shortest_flight(struct second *second, double *flight)
{
    struct rt *run = second->run;
    double *value = NEW_N(run->brief, double, 2 * second->motion.n_watch + 1),
           *rate = value + second->motion.n_watch;
    int st = second_look(second, rt_time(run), second->y, value, rate);
    *flight = 0.0;
    if (!st) /* where forces have no second derivative nothing is known */
        st = second_rows(second, 2);
    for (size_t i = 0; i < second->motion.n_watch && !st; i++) {
        const struct watched *one = &second->watched[i];
        double series[3], bend;
        if (value[i] > second->motion.watch[i].touch ||
            (one->kind != WATCHED_GAP && one->kind != WATCHED_SYSTEM_GAP))
            continue;
        if (one->kind == WATCHED_GAP) {
            if (contact_gap_series(run, one->contact, 2, series))
                continue;
        } else {
            uint32_t s = rt_contact(run, one->contact)->system;
            uint32_t c = one->contact - rt_system(run, s)->contact;
            if (system_gap_series(run, s, c, 2, series))
                continue;
        }
        bend = -2.0 * series[2];
        if (bend > 0.0 && series[1] > 0.0) {
            double next = 2.0 * series[1] / bend;
            *flight = *flight > 0.0 ? fmin(*flight, next) : next;
        }
    }
}

/* Moves on to the target time, or to the first event before it, and lets it
 * happen. */
static int
advance_once(struct second *second, double target, bool *eventful)
{
    struct simulation *sim = second->sim;
    struct rt *run = second->run;
    struct diags *ds = run->ds;
    struct gsl_event event;
    double t = rt_time(run), flight;
    *eventful = false;
    rt_brief_end(run);
    second_read(second);
    if (second->motion.n_watch > WATCHED_MOST)
        return second_cannot(second, IMP_WORLD,
                             "more than 4096 gaps, forces and vertices are to "
                             "be watched");
    second->quiet->first = second->quiet->last = NULL;
    second->quiet->errors = 0;
    run->ds = sim->analysis->ds = second->quiet;
    shortest_flight(second, &flight);
    second->motion.first = FIRST_STEP * flight;
    int st = second->api->follow(second->engine, &second->motion, &t, second->y,
                                 target, &event);
    run->ds = sim->analysis->ds = ds;
    if (st == IMP_STOPPED)
        return st;
    int place = second_write(second, t, second->y);
    if (st || place || event.found == GSL_STUCK)
        return second_cannot(
            second, IMP_WORLD,
            second->quiet->last ? second->quiet->last->message
            : event.found == GSL_STUCK && run->relays
                ? "a force jumps where a rate changes its sign, as sign(x') "
                  "does, and may hold it there, which this engine does not see"
            : event.found == GSL_STUCK
                ? "no step is short enough for `gsl_tolerance`; the motion is "
                  "not smooth there"
                : "the model has no value there");
    if (event.found == GSL_NOTHING)
        return IMP_OK;
    *eventful = true;
    return handle(second, event.watch, event.found == GSL_FALLS);
}

static int
too_many(struct second *second)
{
    char text[NUM_TEXT];
    return second_cannot(
        second, IMP_WORLD,
        arena_printf(second->run->arena, "more than %s events (`events`)",
                     num_shortest(text, second->sim->options.events)));
}

static int
advance(struct second *second, double target)
{
    struct simulation *sim = second->sim;
    double last = -INFINITY;
    int idle = 0;
    while (!sim->stopped && rt_time(second->run) < target) {
        bool eventful;
        double next =
            sim->along ? fmin(target, along_reach(sim->along, true)) : target;
        int st = advance_once(second, next, &eventful);
        if (!st && !eventful && sim->along)
            st = look_along(second);
        if (!st && eventful && !sim->stopped)
            st = second_watch(second);
        if (st)
            return st;
        idle = rt_time(second->run) > last ? 0 : idle + 1;
        last = rt_time(second->run);
        if (idle > IDLE_MOST)
            return second_cannot(second, IMP_WORLD,
                                 "contacts close there again and again");
        if ((double)sim->log.time.n > sim->options.events)
            return too_many(second);
        simulate_pairs_look(sim);
    }
    return IMP_OK;
}

/* -- the run
 * -------------------------------------------------------------------- */

static int
check_start(struct second *second)
{
    struct rt *run = second->run;
    for (uint32_t number = 0; number < second->sim->n_contacts; number++) {
        const imp_contact *contact = rt_contact(run, number);
        double gap, rate;
        if (contact->own != IMP_NO_TAPE)
            return second_cannot(second, number,
                                 "the contact has an impact law of its own");
        if (contact->system == IMP_NO_SYSTEM
                ? friction_modes_contact(run, number)
                : (contact->flags & IMP_CONTACTF_FRICTION) != 0)
            return second_cannot(second, number, "the contact has friction");
        if (contact->system == IMP_NO_SYSTEM)
            continue;
        const imp_system *system = rt_system(run, contact->system);
        int st = system_gap(run, contact->system, number - system->contact,
                            &gap, &rate, NULL);
        if (st)
            return st;
        second->contact[number].length = second->contact[number].since =
            fabs(gap);
        if (gap < 0.0 && gap < -1e-9 * fmax(1.0, fabs(gap)))
            return flow_overlaps(run, number, gap);
    }
    return IMP_OK;
}

static int
start(struct second *second)
{
    struct simulation *sim = second->sim;
    struct rt *run = second->run;
    int st = check_start(second);
    for (uint32_t s = 0; s < run->im->systems.n && !st; s++)
        st = second_system_touch(second, s, IMP_WORLD, false);
    if (!st && sim->rows.times.n && sim->rows.times.v[0] == 0.0) {
        st = record_row(second);
        simulate_keep_state(sim);
    }
    sim->begun = true;
    if (!st && !sim->stopped)
        st = second_bodies_touch(second, IMP_WORLD, false);
    simulate_pairs_start(sim);
    return st || sim->stopped ? st : second_watch(second);
}

static int
follow_all(struct second *second)
{
    struct simulation *sim = second->sim;
    const struct numbers *times = &sim->rows.times;
    int st = start(second);
    for (size_t i = 0; i < times->n && !st && !sim->stopped; i++) {
        if (times->v[i] == 0.0)
            continue;
        st = advance(second, times->v[i]);
        if (!st && !sim->stopped) {
            st = record_row(second);
            simulate_keep_state(sim);
        }
    }
    if (!st && !sim->stopped)
        st = advance(second, sim->options.until);
    return st;
}

int
second_run(struct simulation *sim, const struct gsl_api *api, double tolerance)
{
    assert(sim != NULL && api != NULL && tolerance > 0.0);
    struct rt *run = sim->run;
    struct second *second = NEW(run->arena, struct second);
    *second =
        (struct second){.sim = sim,
                        .run = run,
                        .api = api,
                        .contact = NEW_N(run->arena, struct second_contact,
                                         sim->n_contacts + 1),
                        .quiet = NEW(run->arena, struct diags)};
    diags_init(second->quiet, run->arena, run->ds->sources);
    second_systems_new(second);
    second_state_new(second);
    if (second->motion.n == 0)
        return second_cannot(second, IMP_WORLD, "nothing moves");
    if (sim->options.until < 0.0)
        return second_cannot(second, IMP_WORLD, "it goes back in time");
    if (rotors_rub(run))
        return second_cannot(second, IMP_WORLD, "rotors have friction");
    if (rubbing_any(run))
        return second_cannot(second, IMP_WORLD, "joints have friction");
    second->motion.ctx = second;
    second->motion.tolerance = tolerance;
    second->motion.longest = LONGEST * sim->options.until;
    second->motion.rates = second_rates;
    second->motion.place = second_place;
    second->motion.look = second_look;
    second_tell_held(second, false);
    if (sim->options.until <= 0.0)
        return IMP_OK;
    second->engine = api->open(second->motion.n, WATCHED_MOST);
    if (!second->engine)
        return second_cannot(second, IMP_WORLD, "there is no memory for it");
    struct oom_guard guard;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        api->close(second->engine);
        oom_raise();
    }
    oom_enter(&guard);
    int st = follow_all(second);
    if (st == IMP_NONFINITE) /* as those of a root of a speed at rest are */
        st = second_cannot(second, IMP_WORLD,
                           "its forces have no derivatives here");
    oom_leave(&guard);
    api->close(second->engine);
    second_tell_held(second, true);
    return st;
}
