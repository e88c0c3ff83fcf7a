/* SPDX-License-Identifier: MIT */
/* A formula of the motion changes its branch (switching.h) in a system that
 * Taylor series follow. A force that jumps is answered by the next series. A
 * gap whose rate jumps (over a table that is stopped at once, say) opens, or
 * closes with an impact. A gap that jumps itself opens, or lies below the
 * ground; from there no motion follows. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/num.h"
#include "runtime/flow/flow_taylor_priv.h"

/* Gap and rate have not jumped if they change by less than this many roundings
 * of their terms; the change of branch is passed by some of them. */
#define SWITCH_NOISE 256.0

static int
below(struct flow *flow, uint32_t i)
{
    const imp_contact *contact = rt_contact(flow->run, flow->sys->contact + i);
    char time_text[NUM_TEXT], gap_text[NUM_TEXT];
    struct diag *diag =
        diag_add(flow->run->ds, DIAG_E0737, contact->range_at,
                 "the gap of `%s` jumps below zero at t = %s, to %s",
                 imp_text(flow->run->im, contact->name),
                 num_digits(time_text, flow->taylor->next.time, 9),
                 num_digits(gap_text, flow->instant.gap[i], 6));
    diag_help(flow->run->ds, diag,
              "nothing says how the system gets out of the ground: let the gap "
              "change at a finite rate");
    return IMP_FAILED;
}

/* The sizes of the terms of gap and rate of contact i, and what these have
 * been; flow_instant comes before. Both may vanish where a branch ends, as the
 * speed of a table does where it turns. */
static void
sizes(const struct flow *flow, uint32_t i, double *gap, double *rate)
{
    const struct taylor_flow *taylor = flow->taylor;
    *gap = fabs(flow->instant.c[i]) + taylor->terms.gap_max[i];
    *rate = fabs(flow->instant.drift[i]) + taylor->terms.rate_max[i];
    for (uint32_t j = 0; j < flow->n; j++) {
        *gap += fabs(flow->instant.N[(size_t)i * flow->n + j] * flow->q[j]);
        *rate += fabs(flow->instant.N[(size_t)i * flow->n + j] * flow->v[j]);
    }
}

int
taylor_switch_ahead(struct flow *flow)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_next_event *next = &taylor->next;
    double *env = flow->run->env, *time = env + flow->run->im->layout.time,
           now = *time;
    const double eps = SWITCH_NOISE * DBL_EPSILON;
    flow->method->at(flow, next->time);
    *time = next->time;
    for (uint32_t j = 0; j < flow->n; j++) {
        env[flow->sys->env_state + j] = flow->q[j];
        env[flow->sys->env_state + flow->n + j] = flow->v[j];
    }
    int st = flow_instant(flow);
    for (uint32_t i = 0; i < flow->m && !st; i++) {
        double gap, rate;
        sizes(flow, i, &gap, &rate);
        if (flow->instant.gap[i] < -eps * gap)
            st = below(flow, i);
        else if (taylor->contacts.closed[i] && next->what == NEXT_NOTHING &&
                 (flow->instant.gap[i] > eps * gap ||
                  flow->instant.rate[i] > eps * rate)) {
            next->what = NEXT_OPENS;
            next->hit[0] = (int)i;
            next->n_hit = 1;
        }
    }
    *time = now;
    return st;
}

int
taylor_switched(struct flow *flow, struct flow_event *event)
{
    assert(flow->taylor->next.guard >= 0);
    struct taylor_flow *taylor = flow->taylor;
    const double eps = SWITCH_NOISE * DBL_EPSILON;
    int which = taylor->next.guard;
    taylor->next.guard = -1;
    /* A limit that was predicted without this change holds no longer. */
    if (!taylor->branches.changed_before[which])
        taylor_accumulation_doubt(taylor);
    taylor->branches.changed[which] = true;
    int st = taylor_instant(flow, taylor->contacts.closed);
    if (st)
        return st;
    flow->last.n_contacts = 0;
    for (uint32_t which_contact = 0; which_contact < flow->m; which_contact++) {
        double gap, rate;
        flow_read_state(flow);
        sizes(flow, which_contact, &gap, &rate);
        bool opens = flow->instant.gap[which_contact] > eps * gap ||
                     flow->instant.rate[which_contact] > eps * rate;
        if (!taylor->contacts.closed[which_contact] ||
            (!opens && flow->instant.rate[which_contact] >= -eps * rate))
            continue;
        /* Either the contact opens, or the body that comes will hit it. */
        taylor->contacts.closed[which_contact] = false;
        taylor->contacts.opening[which_contact] =
            flow->instant.gap[which_contact] <= eps * gap && opens;
        if (!opens || flow->last.n_contacts)
            continue;
        flow->last.contacts[flow->last.n_contacts] =
            flow->sys->contact + which_contact;
        flow->last.impulse[flow->last.n_contacts++] = 0.0;
        event->kind = FLOW_LEAVE;
        event->contact = flow->sys->contact + which_contact;
        event->n = 1;
    }
    return IMP_OK;
}
