/* SPDX-License-Identifier: MIT */
/* The plain part of `simulate` on bodies with corners: flights from one vertex
 * on a plane to the next (runtime/events/vertex_plane.h). What is not plain is
 * left, at the state before it, to event_next and simulate_touches. */
#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"

void
simulate_vertex_flights_start(struct simulation *s)
{
    for (uint32_t c = 0; c < s->n_contacts; c++)
        if (s->ct[c].through || s->ct[c].overlap)
            return;
    s->planes = vertex_planes_new(s->a->rt);
}

static int
bounce(struct simulation *s, const struct vertex_plane_touch *t)
{
    int st = simulate_row(s);
    if (st)
        return st;
    vertex_planes_impact(s->planes, t);
    s->row_fresh = false;
    simulate_log_event(s, t->contact, "impact", touch_class_name[CLASS_MINUS],
                       t->impulse);
    s->ct[t->contact].watch = s->watch[t->contact] = WATCH_LEAVE;
    if ((st = simulate_row(s)) || (st = simulate_count_impact(s, t->contact)))
        return st;
    double e = s->a->rt->env[rt_contact(s->a->rt, t->contact)->env_contact +
                             IMP_CONTACT_E];
    uint32_t lost;
    return e > 0.0 ? simulate_accumulation(s, t->contact)
                   : simulate_persistent_settle(s, &t->contact, 1, &lost);
}

int
simulate_vertex_flights(struct simulation *s, double until, double limit)
{
    struct rt *r = s->a->rt;
    s->target = until;
    while ((double)s->ev_time.n <= limit && rt_time(r) < until &&
           !persistent_any(r)) {
        rt_brief_end(r);
        /* on the way to a limit they were others */
        for (uint32_t c = 0; c < s->n_contacts; c++)
            s->watch[c] = s->ct[c].watch;
        struct vertex_plane_touch t;
        enum vertex_plane_end end;
        double before = rt_time(r);
        int st = vertex_planes_next(s->planes, s->watch, until, &end, &t);
        if (rt_time(r) > before)
            s->row_fresh = false;
        if (st)
            return st;
        if (end != VERTEX_PLANE_TOUCH)
            break;
        if ((st = bounce(s, &t)))
            return st;
    }
    return IMP_OK;
}
