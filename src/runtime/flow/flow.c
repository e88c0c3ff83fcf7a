/* SPDX-License-Identifier: MIT */
/* The questions of flow.h: each goes to the way that follows the system (closed
 * form or Taylor series) and to the observers that feel its motion. */
#include "runtime/flow/flow.h"

#include <string.h>

#include "base/arena.h"
#include "runtime/flow/flow_priv.h"

struct flow *
flow_new(struct rt *r, uint32_t system, enum ballistic_policy policy)
{
    const imp_system *s = rt_system(r, system);
    struct flow *f;
    if (s->flags & IMP_SYSTEMF_LINE) {
        f = flow_line_new(r, system, policy);
        if (f && s->observer == IMP_NO_BLOCK) {
            f->observe = NULL;
            return f;
        }
        return f && !flow_observe_new(f) ? f : NULL;
    }
    f = NEW(r->arena, struct flow);
    flow_memory(f, r, system, r->arena);
    f->policy = policy;
    for (uint32_t i = 0; i < f->m; i++)
        r->env[rt_contact(r, s->contact + i)->env_contact +
               IMP_CONTACT_ACTIVE] = 0.0;
    int st = flow_instant(f);
    flow_read_state(f);
    if (st || flow_start_open(f) || flow_series_new(f))
        return NULL;
    return flow_observe_new(f) ? NULL : f;
}

int
flow_peek(struct flow *f, double until, double *time)
{
    int st = f->way->peek(f, until, time);
    f->ahead = *time;
    return st;
}

bool
flow_eventful(const struct flow *f)
{
    return f->way->eventful(f);
}

int
flow_apply(struct flow *f, struct flow_event *e)
{
    bool observed = f->observe && flow_eventful(f);
    memset(e, 0, sizeof *e);
    int st = observed ? flow_observe_before(f, f->ahead) : IMP_OK;
    if (!st)
        st = f->way->apply(f, e);
    return observed && !st ? flow_observe_after(f, e) : st;
}

int
flow_at(struct flow *f, double t)
{
    double *env = f->r->env + f->s->env_state;
    int st = f->observe ? flow_observe_at(f, t) : IMP_OK;
    f->way->at(f, t);
    memcpy(env, f->q, f->n * sizeof *env);
    memcpy(env + f->n, f->v, f->n * sizeof *env);
    return st;
}

const uint32_t *
flow_contacts(const struct flow *f, const double **impulse)
{
    *impulse = f->impulse;
    return f->contacts;
}

struct ballistic *
flow_line(struct flow *f)
{
    return f->line;
}

long
flow_impacts(const struct flow *f)
{
    return f->impacts;
}
