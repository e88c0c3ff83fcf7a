/* SPDX-License-Identifier: MIT */
/* The fast way of `simulate` for polytopes: flights from one impact of a single
 * vertex on a plane to the next (runtime/events/vertex_plane.h). All other
 * events are left, at the state before them, to the general search. */
#include <assert.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"

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
    while ((double)sim->log.time.n <= limit && rt_time(run) < until &&
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
