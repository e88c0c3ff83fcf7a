/* SPDX-License-Identifier: MIT */
/* What both ways of flow.h share. */
#include "runtime/flow/flow.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_priv.h"

/* gaps at the start that are closed by less than this share of the terms they
 * are made of touch: data of 9 digits */
#define FLOW_CLOSED 1e-9

int
flow_jammed(struct rt *r, uint32_t contact, double time)
{
    char t[NUM_TEXT];
    struct diag *d = diag_add(
        r->ds, DIAG_E0731, rt_contact(r, contact)->range,
        "no forces or impulses >= 0 keep the contacts of `%s` closed "
        "at t = %s",
        imp_text(r->im, rt_system(r, rt_contact(r, contact)->system)->name),
        num_digits(t, time, 9));
    diag_help(r->ds, d,
              "gaps that exclude each other hold the system from both sides; "
              "look at their signs");
    return IMP_FAILED;
}

void
flow_read_state(struct flow *f)
{
    memcpy(f->q, f->r->env + f->s->env_state, f->n * sizeof *f->q);
    memcpy(f->v, f->r->env + f->s->env_state + f->n, f->n * sizeof *f->v);
}

int
flow_instant(struct flow *f)
{
    const double *q = f->r->env + f->s->env_state, *v = q + f->n;
    int st = system_mass(f->r, f->system, f->mass);
    for (uint32_t i = 0; i < f->m && !st; i++) {
        double *N = f->N + (size_t)i * f->n;
        st = system_gap(f->r, f->system, i, &f->gap[i], &f->rate[i], N);
        f->c[i] = f->gap[i];
        double drift = f->rate[i], size = fabs(drift);
        for (uint32_t j = 0; j < f->n && !st; j++) {
            f->c[i] -= N[j] * q[j];
            drift -= N[j] * v[j];
            size += fabs(N[j] * v[j]);
        }
        /* rounding of a gap without the time */
        f->drift[i] =
            fabs(drift) <= 4.0 * (f->n + 1) * DBL_EPSILON * size ? 0.0 : drift;
        f->e[i] = f->r->env[rt_contact(f->r, f->s->contact + i)->env_contact +
                            IMP_CONTACT_E];
    }
    return st;
}

struct line_model
flow_model(const struct flow *f)
{
    return (struct line_model){.n = (int)f->n,
                               .m = (int)f->m,
                               .mass = f->mass,
                               .acc = f->acc,
                               .N = f->N,
                               .bias = f->bias,
                               .drift = f->drift,
                               .c = f->c,
                               .e = f->e};
}

void
flow_tell(struct flow *f, const struct line *l, enum line_event what,
          struct flow_event *e)
{
    static const enum flow_kind kinds[] = {[LINE_END] = FLOW_NONE,
                                           [LINE_FREE] = FLOW_NONE,
                                           [LINE_IMPACT] = FLOW_IMPACT,
                                           [LINE_SEVERAL] = FLOW_SEVERAL,
                                           [LINE_UNDECIDED] = FLOW_UNDECIDED,
                                           [LINE_CHATTER] = FLOW_CHATTER,
                                           [LINE_JAMMED] = FLOW_JAMMED};
    e->kind = kinds[what];
    e->time = l->t;
    e->chatter = l->chatter;
    f->n_contacts = 0;
    for (uint32_t i = 0; i < f->m; i++) {
        bool part = what == LINE_CHATTER     ? l->group[i]
                    : what == LINE_UNDECIDED ? l->hits[i]
                                             : l->impulse[i] != 0.0;
        if (!part && (int)i != l->hit)
            continue;
        f->contacts[f->n_contacts] = f->s->contact + i;
        f->impulse[f->n_contacts++] = l->impulse[i];
    }
    e->n = f->n_contacts;
    e->contact = f->s->contact + (uint32_t)(l->hit < 0 ? 0 : l->hit);
    e->impulse = l->hit < 0 ? 0.0 : l->impulse[l->hit];
    f->impacts = l->impacts;
}

/* -- both -------------------------------------------------------------------
 */

int
flow_start_open(struct flow *f)
{
    for (uint32_t i = 0; i < f->m; i++) {
        double size = fabs(f->c[i]), x;
        char g[NUM_TEXT];
        for (uint32_t j = 0; j < f->n; j++) {
            x = fabs(f->N[(size_t)i * f->n + j] * f->q[j]);
            size = x > size ? x : size;
        }
        if (f->gap[i] >= -FLOW_CLOSED * size)
            continue;
        const imp_contact *k = rt_contact(f->r, f->s->contact + i);
        struct diag *d =
            diag_add(f->r->ds, DIAG_E0620, k->range,
                     "`%s` is closed at the start: its gap is %s",
                     imp_text(f->r->im, k->name), num_digits(g, f->gap[i], 6));
        diag_help(f->r->ds, d,
                  "a gap is positive while the bodies are apart; "
                  "look at start { ... } and at its sign");
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

void
flow_memory(struct flow *f, struct rt *r, uint32_t system, struct arena *a)
{
    f->r = r;
    f->system = system;
    f->s = rt_system(r, system);
    f->n = f->s->n;
    f->m = f->s->n_contact;
    size_t n = f->n, m = f->m;
    f->q = NEW_N(a, double, n + 1);
    f->v = NEW_N(a, double, n + 1);
    f->impulse = NEW_N(a, double, m + 1);
    f->contacts = NEW_N(a, uint32_t, m + 1);
    f->mass = NEW_N(a, double, n *n + 1);
    f->acc = NEW_N(a, double, n + 1);
    f->N = NEW_N(a, double, n *m + 1);
    f->c = NEW_N(a, double, m + 1);
    f->bias = NEW_N(a, double, m + 1);
    f->drift = NEW_N(a, double, m + 1);
    f->e = NEW_N(a, double, m + 1);
    f->gap = NEW_N(a, double, m + 1);
    f->rate = NEW_N(a, double, m + 1);
}

struct flow *
flow_new(struct rt *r, uint32_t system, enum line_policy policy)
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

bool
flow_limit(const struct flow *f, double *time)
{
    return f->way->limit(f, time);
}

const uint32_t *
flow_contacts(const struct flow *f, const double **impulse)
{
    *impulse = f->impulse;
    return f->contacts;
}

struct line *
flow_line(struct flow *f)
{
    return f->line;
}

long
flow_impacts(const struct flow *f)
{
    return f->impacts;
}
