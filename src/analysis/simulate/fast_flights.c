/* SPDX-License-Identifier: MIT */
/* The fast ways of `simulate`: flights from one impact of a single vertex on a
 * plane to the next (runtime/events/vertex_plane.h), and of discs and spheres
 * (runtime/balls/balls.h). All other events are left, at the state before them,
 * to the general search. */
#include <assert.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "analysis/trace/run_log.h"
#include "base/num.h"
#include "runtime/balls/balls.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/numerics/vec3.h"
#include "runtime/trace/trace.h"

void
simulate_vertex_flights_start(struct simulation *sim)
{
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++)
        if (sim->contacts[contact].through || sim->contacts[contact].overlap)
            return;
    sim->planes = vertex_planes_new(sim->run);
}

static int
bounce(struct simulation *sim, const struct vertex_plane_touch *touch)
{
    int st = simulate_row(sim);
    if (st)
        return st;
    vertex_planes_impact(sim->planes, touch);
    sim->rows.fresh = false;
    simulate_log_event(sim, touch->contact, "impact",
                       touch_class_name[CLASS_MINUS], touch->impulse);
    simulate_watch(sim, touch->contact, WATCH_LEAVE);
    sim->watch[touch->contact] = WATCH_LEAVE;
    if ((st = simulate_row(sim)) ||
        (st = simulate_count_impact(sim, touch->contact)))
        return st;
    double e = sim->run->env[rt_contact(sim->run, touch->contact)->env_contact +
                             IMP_CONTACT_E];
    uint32_t lost;
    return e > 0.0 ? simulate_accumulation(sim, touch->contact)
                   : simulate_persistent_settle(sim, &touch->contact, 1, &lost);
}

int
simulate_vertex_flights(struct simulation *sim, double until, double limit)
{
    assert(sim != NULL && sim->planes != NULL);
    struct rt *run = sim->run;
    while ((double)sim->log.total <= limit && rt_time(run) < until &&
           !persistent_any(run) && !simulate_looks_before(sim, until)) {
        rt_brief_end(run);
        /* Motion up to a limit may have changed what is watched. */
        for (uint32_t contact = 0; contact < sim->n_contacts; contact++)
            sim->watch[contact] = sim->contacts[contact].watch;
        struct vertex_plane_touch touch;
        enum vertex_plane_end end;
        double before = rt_time(run);
        int st =
            vertex_planes_next(sim->planes, sim->watch, until, &end, &touch);
        if (rt_time(run) > before) {
            sim->rows.fresh = false;
            resting_polytopes_leave_faces(sim);
        }
        if (st)
            return st;
        if (end != VERTEX_PLANE_TOUCH)
            break;
        if ((st = bounce(sim, &touch)))
            return st;
    }
    return IMP_OK;
}

/* -- discs and spheres ---------------------------------------------------- */

/* The number of contacts from which local events pay. The search over all
 * pairs follows fewer in milliseconds, and then `search = all` leaves every bit
 * of the motion as it is. */
#define BALL_CONTACTS 32

/* E0756: the pairs are not there that the general search would need. body:
 * those with which it would go on; NULL: it has to follow the whole motion. */
static int
too_many_pairs(struct simulation *sim, const uint32_t *body)
{
    struct rt *run = sim->run;
    char time[NUM_TEXT];
    struct diag *diag;
    if (body)
        diag = diag_add(
            sim->analysis->ds, DIAG_E0756, rt_contact(run, sim->rule)->range,
            "after t = %s s `%s` and `%s` touch without a speed, come to rest, "
            "overlap, or touch others at the same time: there are too many "
            "pairs of bodies to follow that",
            num_digits(time, rt_time(run), 9),
            imp_text(run->im, rt_body(run, body[0])->name),
            imp_text(run->im, rt_body(run, body[1])->name));
    else
        diag = diag_add(
            sim->analysis->ds, DIAG_E0756, rt_contact(run, sim->rule)->range,
            "these contacts are of more than 100000 pairs, and not all bodies "
            "are discs, spheres and fixed planes in free flight");
    diag_note(sim->analysis->ds, diag, sim->command->range,
              "the run is asked for here");
    diag_help(sim->analysis->ds, diag, "%s",
              body ? "use fewer bodies, an earlier `until`, or starts that are "
                     "not symmetric"
                   : "use fewer bodies, or name the contacts that matter; "
                     "`search = all`, `through`, joints and forces "
                     "need fewer pairs, too");
    return IMP_FAILED;
}

int
simulate_ball_flights_start(struct simulation *sim)
{
    assert(sim != NULL && sim->balls == NULL);
    struct rt *run = sim->run;
    bool fast = !sim->options.all && !run->im->systems.n;
    sim->rule = sim->n_contacts;
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++) {
        fast &=
            !sim->contacts[contact].through && !sim->contacts[contact].overlap;
        if (rt_contact(run, contact)->flags & IMP_CONTACTF_RULE)
            sim->rule = contact;
    }
    fast &= sim->rule < sim->n_contacts || sim->n_contacts >= BALL_CONTACTS;
    sim->balls = fast ? balls_new(run, false) : NULL;
    return sim->rule < sim->n_contacts && !sim->balls
               ? too_many_pairs(sim, NULL)
               : IMP_OK;
}

void
simulate_local_start(struct simulation *sim)
{
    assert(sim != NULL && sim->local == NULL);
    if (sim->options.all || sim->n_contacts < BALL_CONTACTS)
        return;
    sim->local = local_new(sim->run, sim->options.until);
    /* Over planes the fast way of polytopes asks all vertices at each event,
     * which pays where bodies fall on planes again and again. */
    if (sim->local && vec3_norm(sim->run->world.gravity) == 0.0)
        sim->planes = NULL;
}

/* The general search must go on. Where one contact stands for all pairs, it
 * cannot. */
static int
leave_to_search(struct simulation *sim)
{
    uint32_t body[2];
    if (rt_stopped(sim->run))
        return IMP_STOPPED;
    if (sim->rule == sim->n_contacts)
        return IMP_OK;
    balls_why(sim->balls, body);
    return too_many_pairs(sim, body);
}

/* A trace keeps the energies at one of so many impacts per body: a sum over all
 * bodies must not be paid at each. */
#define ENERGY_SHARE 8

/* A row of the present instant. All states are needed if something is recorded
 * at it, or if a trace looks at it. */
static int
ball_row(struct simulation *sim, bool looks)
{
    sim->behind =
        !looks && !sim->along && !(sim->rows.n_items && sim->options.keep == 1);
    if (!sim->behind)
        balls_put(sim->balls, rt_time(sim->run));
    int st = simulate_row(sim);
    sim->behind = false;
    return st;
}

/* Does the trace look at the energies before and after this impact? */
static bool
looks_at_energies(struct simulation *sim)
{
    if (!sim->trace ||
        ++sim->unseen * ENERGY_SHARE < (size_t)sim->run->im->bodies.n)
        return false;
    sim->unseen = 0;
    return true;
}

/* Bounces of a ball on what is fixed under it may come to a limit. *taken: they
 * did, and the state has changed. */
static int
ball_limit(struct simulation *sim, uint32_t contact, bool *taken)
{
    struct rt *run = sim->run;
    double now = rt_time(run);
    *taken = false;
    bool looks = simulate_accumulation_looks(sim, contact);
    size_t mark = run->trace ? trace_mark(run->trace) : 0;
    if (looks) {
        balls_put(sim->balls, now);
        balls_trace(sim->balls, now);
    }
    int st = simulate_accumulation(sim, contact);
    *taken = rt_time(run) != now || persistent_any(run) ||
             sim->contacts[contact].flights.impacts == 0;
    if (looks && !*taken)
        balls_trace_back(sim->balls, mark);
    return st;
}

static int
ball_bounce(struct simulation *sim, const struct balls_touch *touch,
            bool *taken)
{
    struct rt *run = sim->run;
    const imp_contact *contact = rt_contact(run, touch->contact);
    double *env = run->env + contact->env_contact, work, e = env[IMP_CONTACT_E],
           mu = env[IMP_CONTACT_MU_IMPACT];
    *taken = false;
    run->env[run->im->layout.time] = touch->time;
    sim->rows.fresh = false;
    bool looks = looks_at_energies(sim);
    int st = ball_row(sim, looks);
    if (st ||
        (st = contact_restitution_at(run, touch->contact, -touch->rate, &e)))
        return st;
    double impulse = balls_bounce(sim->balls, touch, e, mu, &work);
    env[IMP_CONTACT_WORK] += work;
    sim->rows.fresh = false;
    if (sim->trace) {
        double place[3];
        balls_place(sim->balls, touch, place);
        run_log_point(sim->trace, touch->contact, place, touch->normal,
                      impulse);
    }
    simulate_log_pair(sim, touch->contact, touch->body, "impact",
                      touch_class_name[CLASS_MINUS], impulse);
    if (contact->flags & IMP_CONTACTF_RULE)
        return ball_row(sim, looks);
    simulate_watch(sim, touch->contact, WATCH_LEAVE);
    if ((st = ball_row(sim, looks)) ||
        (st = simulate_count_impact(sim, touch->contact)))
        return st;
    bool rests = (rt_body(run, contact->body[0])->flags |
                  rt_body(run, contact->body[1])->flags) &
                 IMP_BODYF_FIXED;
    return rests && vec3_norm(run->world.gravity) > 0.0
               ? ball_limit(sim, touch->contact, taken)
               : IMP_OK;
}

/* Bodies rest on others: the general search follows them, which knows nothing
 * of the pairs that one contact stands for. */
static int
rest_on_others(struct simulation *sim)
{
    bool on;
    return sim->rule == sim->n_contacts
               ? IMP_OK
               : too_many_pairs(
                     sim, rt_contact(
                              sim->run,
                              persistent_point(sim->run, 0, &on, NULL)->contact)
                              ->body);
}

int
simulate_ball_flights(struct simulation *sim, double until, double limit)
{
    assert(sim != NULL && sim->balls != NULL);
    struct rt *run = sim->run;
    double now = rt_time(run);
    bool general = false;
    if (persistent_any(run))
        return rest_on_others(sim);
    if (!balls_begin(sim->balls))
        return leave_to_search(sim);
    while ((double)sim->log.total <= limit) {
        struct balls_touch touch;
        bool taken;
        enum balls_end end = balls_next(sim->balls, until, &touch, &now);
        if (end != BALLS_TOUCH) {
            general = end == BALLS_GENERAL;
            if (!general)
                now = until;
            if (now > rt_time(run))
                sim->rows.fresh = false;
            break;
        }
        int st = ball_bounce(sim, &touch, &taken);
        if (st || taken)
            return st;
        rt_brief_end(run);
        now = touch.time;
        simulate_progress(sim, now);
        if (simulate_looks_before(sim, until))
            break;
    }
    balls_put(sim->balls, now);
    if (!general)
        return IMP_OK;
    balls_trace(sim->balls, now);
    return leave_to_search(sim);
}
