/* SPDX-License-Identifier: MIT */
/* Systems in generalised coordinates within `simulate`: each has a flow of its
 * own (runtime/flow/flow.h), looked ahead to its next event; the run goes from
 * one time to the next over bodies and systems alike. What is not unique stops
 * the run and says so (I4). */
#include <math.h>

#include "abi/status.h"
#include "analysis/command/policy.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/instance/system.h"
#include "runtime/motion/motion.h"

static const char *
name_of(const struct simulation *s, uint32_t contact)
{
    return imp_text(s->a->rt->im, rt_contact(s->a->rt, contact)->name);
}

int
simulate_systems_start(struct simulation *s)
{
    struct rt *r = s->a->rt;
    uint32_t n = r->im->systems.n;
    enum ballistic_policy p = simultaneous_policy(s->a);
    if (!n)
        return IMP_OK;
    s->flows = NEW_N(r->arena, struct flow *, n);
    for (uint32_t i = 0; i < n; i++)
        if (!(s->flows[i] = flow_new(r, i, p)))
            return IMP_BADMODEL;
    return IMP_OK;
}

int
simulate_systems_peek(struct simulation *s, double until, double *t)
{
    struct rt *r = s->a->rt;
    double *time = &r->env[r->im->layout.time], now = *time;
    *t = until;
    for (uint32_t i = 0; i < r->im->systems.n; i++) {
        double ti;
        int st = flow_peek(s->flows[i], *t, &ti);
        *time = now;
        if (st)
            return st;
        *t = fmin(*t, ti);
    }
    return IMP_OK;
}

int
simulate_systems_at(struct simulation *s, double t)
{
    int st = IMP_OK;
    for (uint32_t i = 0; i < s->a->rt->im->systems.n && s->flows && !st; i++)
        st = flow_at(s->flows[i], t);
    return st;
}

static const char *
list(struct simulation *s, const uint32_t *c, uint32_t n)
{
    const char *text = name_of(s, c[0]);
    for (uint32_t i = 1; i < n; i++)
        text = arena_printf(s->a->rt->arena, "%s%s%s", text,
                            i + 1 == n ? " and " : ", ", name_of(s, c[i]));
    return text;
}

static void
undecided(struct simulation *s, const struct flow_event *e, const uint32_t *c)
{
    struct analysis *a = s->a;
    char t[NUM_TEXT];
    const char *who = list(s, c, e->n);
    simulate_log_event(s, e->contact, "stop", "", 0.0);
    s->stopped = true;
    simulate_remark(s,
                    arena_printf(a->rt->arena,
                                 "stopped where %s close together: the outcome "
                                 "depends on their order",
                                 who));
    struct diag *d = diag_add(
        a->ds, DIAG_W0730, rt_contact(a->rt, e->contact)->range,
        "%s close at the same time, t = %s", who, num_digits(t, e->time, 9));
    diag_note(a->ds, d, s->c->range,
              "what follows depends on their order, so the run stops here");
    diag_help(a->ds, d,
              "choose: world { law = sequential } takes one after the other, "
              "complementarity all at once, rest stops them");
}

/* several contacts that were put to rest: what that cost */
static void
rested(struct simulation *s, const struct flow_event *e, const uint32_t *c,
       double before)
{
    char t[NUM_TEXT], lost[NUM_TEXT];
    struct motion_totals m;
    if (simultaneous_policy(s->a) != BALLISTIC_REST ||
        motion_totals(s->a->rt, &m))
        return;
    if (s->remarks.n >= SIMULATE_REMARKS) {
        s->left_out++;
        return;
    }
    simulate_remark(
        s,
        arena_printf(s->a->rt->arena,
                     "%s closed together at t = %s s and were put to rest "
                     "(law rest): the energy falls by %s",
                     list(s, c, e->n), num_digits(t, e->time, 9),
                     num_digits(lost, before - (m.kinetic + m.potential), 6)));
}

static int
happened(struct simulation *s, struct flow *f, const struct flow_event *e,
         double before)
{
    const double *impulse;
    const uint32_t *c = flow_contacts(f, &impulse);
    switch (e->kind) {
    case FLOW_NONE:
        return IMP_OK;
    case FLOW_IMPACT:
    case FLOW_SEVERAL:
        for (uint32_t i = 0; i < e->n; i++)
            simulate_log_event(s, c[i], "impact", "C-", impulse[i]);
        if (e->kind == FLOW_SEVERAL)
            rested(s, e, c, before);
        break;
    case FLOW_UNDECIDED:
        undecided(s, e, c);
        break;
    case FLOW_CHATTER:
        simulate_limit_add(s, e, c);
        break;
    case FLOW_JAMMED:
        return flow_jammed(s->a->rt, e->contact, e->time);
    case FLOW_TOUCH:
        simulate_log_event(s, e->contact, "touch", "", 0.0);
        break;
    case FLOW_SLIDE:
        simulate_log_event(s, e->contact, "slide", "", 0.0);
        break;
    case FLOW_LEAVE:
        for (uint32_t i = 0; i < e->n; i++)
            simulate_log_event(s, c[i], "leave", "", 0.0);
        break;
    }
    s->row_fresh = false;
    return simulate_row(s);
}

int
simulate_systems_apply(struct simulation *s, double t)
{
    struct rt *r = s->a->rt;
    double *time = &r->env[r->im->layout.time];
    for (uint32_t i = 0; i < r->im->systems.n && !s->stopped; i++) {
        double ti;
        int st = flow_peek(s->flows[i], t, &ti);
        *time = t;
        if (st)
            return st;
        if (ti > t)
            continue;
        struct flow_event e;
        struct motion_totals m = {0};
        /* a row before and one after */
        if ((st = simulate_systems_at(s, t)))
            return st;
        s->row_fresh = false;
        if (flow_eventful(s->flows[i]) && (st = simulate_row(s)))
            return st;
        if (simultaneous_policy(s->a) == BALLISTIC_REST &&
            (st = motion_totals(r, &m)))
            return st;
        if ((st = flow_apply(s->flows[i], &e)))
            return st;
        *time = t;
        if ((st = simulate_systems_at(s, t)) ||
            (st = happened(s, s->flows[i], &e, m.kinetic + m.potential)))
            return st;
    }
    return IMP_OK;
}

void
simulate_systems_trend(struct simulation *s, struct diag *d)
{
    struct rt *r = s->a->rt;
    for (uint32_t i = 0; i < r->im->systems.n && s->flows; i++) {
        const struct ballistic *l = flow_ballistic(s->flows[i]);
        const imp_system *sys = rt_system(r, i);
        const char *name = imp_text(r->im, sys->name);
        char q[NUM_TEXT];
        double ratio;
        int period;
        if (!l || !impact_history_trend(l, &period, &ratio))
            continue;
        if (period && fabs(ratio - 1.0) < 1e-9)
            diag_note(s->a->ds, d, sys->range,
                      "in `%s` an order of %d impacts repeats and takes as "
                      "long each time: it accumulates nothing",
                      name, period);
        else if (period)
            diag_note(s->a->ds, d, sys->range,
                      "in `%s` an order of %d impacts repeats, %s times as "
                      "long each time",
                      name, period, num_digits(q, ratio, 6));
        else
            diag_note(s->a->ds, d, sys->range,
                      "the last impacts of `%s` repeat no order", name);
    }
}
