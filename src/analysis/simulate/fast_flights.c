/* SPDX-License-Identifier: MIT */
/* The fast ways of `simulate`: flights from one impact of a single vertex on a
 * plane to the next (runtime/events/vertex_plane.h), and of discs and spheres
 * (runtime/balls/balls.h). All other events are left, at the state before them,
 * to the general search. */
#include <assert.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "runtime/balls/balls.h"
#include "runtime/numerics/vec3.h"

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
    sim->contacts[touch->contact].watch = sim->watch[touch->contact] =
        WATCH_LEAVE;
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
    sim->target = until;
    while ((double)sim->log.total <= limit && rt_time(run) < until &&
           !persistent_any(run)) {
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

void
simulate_ball_flights_start(struct simulation *sim)
{
    assert(sim != NULL && sim->balls == NULL);
    struct rt *run = sim->run;
    if (sim->trace || sim->options.all || run->im->systems.n)
        return;
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++)
        if (sim->contacts[contact].through || sim->contacts[contact].overlap)
            return;
    sim->balls = balls_new(run, false);
}

/* A row of the present instant, for which all states are needed. */
static int
ball_row(struct simulation *sim)
{
    if (sim->rows.n_items && sim->options.keep == 1)
        balls_put(sim->balls, rt_time(sim->run));
    return simulate_row(sim);
}

/* Bounces of a ball on what is fixed under it may come to a limit. *taken: they
 * did, and the state has changed. */
static int
ball_limit(struct simulation *sim, uint32_t contact, bool *taken)
{
    struct rt *run = sim->run;
    double now = rt_time(run);
    *taken = false;
    if (simulate_accumulation_looks(sim, contact))
        balls_put(sim->balls, now);
    int st = simulate_accumulation(sim, contact);
    *taken = rt_time(run) != now || persistent_any(run) ||
             sim->contacts[contact].flights.impacts == 0;
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
    int st = ball_row(sim);
    if (st)
        return st;
    double impulse = balls_bounce(sim->balls, touch, e, mu, &work);
    env[IMP_CONTACT_WORK] += work;
    sim->rows.fresh = false;
    simulate_log_event(sim, touch->contact, "impact",
                       touch_class_name[CLASS_MINUS], impulse);
    sim->contacts[touch->contact].watch = WATCH_LEAVE;
    if ((st = ball_row(sim)) ||
        (st = simulate_count_impact(sim, touch->contact)))
        return st;
    bool rests = (rt_body(run, contact->body[0])->flags |
                  rt_body(run, contact->body[1])->flags) &
                 IMP_BODYF_FIXED;
    return rests && vec3_norm(run->world.gravity) > 0.0
               ? ball_limit(sim, touch->contact, taken)
               : IMP_OK;
}

int
simulate_ball_flights(struct simulation *sim, double until, double limit)
{
    assert(sim != NULL && sim->balls != NULL);
    struct rt *run = sim->run;
    double now = rt_time(run);
    if (persistent_any(run) || !balls_begin(sim->balls))
        return IMP_OK;
    sim->target = until;
    while ((double)sim->log.total <= limit) {
        struct balls_touch touch;
        bool taken;
        enum balls_end end = balls_next(sim->balls, until, &touch, &now);
        if (end != BALLS_TOUCH) {
            if (end == BALLS_UNTIL)
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
        rt_progress(run, fmin(1.0, now / sim->options.until));
    }
    balls_put(sim->balls, now);
    return rt_stopped(run) ? IMP_STOPPED : IMP_OK;
}
