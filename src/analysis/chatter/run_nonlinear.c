/* SPDX-License-Identifier: MIT */
/* The run of `chatter` for a system whose mass matrix, accelerations or gaps
 * change with its state, from event to event of its flow (runtime/flow). That
 * no contact ever closes again cannot be known here, so a run without a limit
 * ends at the time that is allowed and has no verdict.
 * "Complete" means here: a limit after which no gap moves. The system may slide
 * on along its contacts. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/run.h"
#include "base/arena.h"
#include "runtime/flow/flow.h"

/* Rates of gaps are sums of as many products as there are coordinates: so many
 * rounding errors count as rest. */
#define STILL_NOISE 64.0

struct follow {
    struct flow *flow;
    uint32_t first; /* number in the model of the system's first contact */
    struct chatter_run *outcome;
    struct chatter_trace *trace;
    double before; /* time of the last impact or limit */
    double speed;  /* the greatest speed of approach so far */
};

static bool
still(const struct follow *follow)
{
    for (int i = 0; i < follow->outcome->m; i++) {
        struct flow_contact contact;
        flow_contact_read(follow->flow, (uint32_t)i, &contact);
        if (!contact.closed &&
            fabs(contact.rate) > STILL_NOISE * DBL_EPSILON * follow->speed)
            return false;
    }
    return true;
}

/* Reads contact k of an impact. A closed one that an impact elsewhere pushes
 * has not been hit. */
static bool
hit(const struct follow *follow, uint32_t k, int *number,
    struct flow_contact *contact)
{
    const double *impulse;
    *number = (int)(flow_contacts(follow->flow, &impulse)[k] - follow->first);
    flow_contact_read(follow->flow, (uint32_t)*number, contact);
    return contact->approach > 0.0;
}

static void
note(struct follow *follow, const struct flow_event *event)
{
    struct flow_contact contact;
    uint32_t hits = 0;
    int i;
    for (uint32_t k = 0; k < event->n; k++)
        hits += hit(follow, k, &i, &contact);
    for (uint32_t k = 0; k < event->n; k++) {
        if (!hit(follow, k, &i, &contact))
            continue;
        bool alone = hits == 1;
        chatter_trace_impact(follow->trace, follow->outcome, i,
                             alone ? event->time - follow->before : NAN,
                             alone ? contact.approach : NAN, contact.W);
        follow->speed = fmax(follow->speed, contact.approach);
    }
    follow->before = event->time;
    follow->outcome->last_impact = follow->outcome->time = event->time;
    follow->outcome->impacts = flow_impacts(follow->flow);
}

static bool
accelerates(const struct follow *follow)
{
    bool any = false;
    for (int i = 0; i < follow->outcome->m; i++) {
        struct flow_contact contact;
        flow_contact_read(follow->flow, (uint32_t)i, &contact);
        any |= contact.pressed;
    }
    return any;
}

static void
limit(struct follow *follow, const struct flow_event *event)
{
    struct chatter_run *outcome = follow->outcome;
    const double *impulse;
    const uint32_t *contact = flow_contacts(follow->flow, &impulse);
    memset(outcome->group, 0, (size_t)outcome->m);
    for (uint32_t k = 0; k < event->n; k++)
        outcome->group[contact[k] - follow->first] = true;
    outcome->limit = true;
    outcome->time = follow->before = event->time;
    outcome->accumulation = event->chatter;
    chatter_trace_limit(follow->trace, outcome, accelerates(follow));
    chatter_trace_end(follow->trace, outcome);
}

static void
together(struct follow *follow, const struct flow_event *event)
{
    const double *impulse;
    const uint32_t *contact = flow_contacts(follow->flow, &impulse);
    follow->outcome->verdict = CHATTER_SIMULTANEOUS;
    follow->outcome->time = event->time;
    for (uint32_t k = 0; k < event->n; k++)
        follow->outcome->group[contact[k] - follow->first] = true;
}

/* Applies one event. False: the run is over. */
static bool
one(struct follow *follow, const struct flow_event *event)
{
    switch (event->kind) {
    case FLOW_IMPACT:
    case FLOW_SEVERAL:
        note(follow, event);
        return true;
    case FLOW_UNDECIDED:
    case FLOW_JAM:
        if (event->why) {
            follow->outcome->verdict = CHATTER_OPEN;
            follow->outcome->why = event->why;
            follow->outcome->time = event->time;
            return false;
        }
        if (event->kind == FLOW_JAM)
            return true;
        together(follow, event);
        return false;
    case FLOW_JAMMED:
        follow->outcome->verdict = CHATTER_JAMMED;
        follow->outcome->time = event->time;
        return false;
    case FLOW_CHATTER:
        limit(follow, event);
        if (!still(follow))
            return true;
        follow->outcome->verdict = CHATTER_COMPLETE;
        return false;
    default:
        return true;
    }
}

/* The time is over. Where a limit was taken that was not the end, the verdict
 * is "partial". */
static void
ended(struct follow *follow, double until)
{
    struct chatter_run *outcome = follow->outcome;
    if (outcome->verdict != CHATTER_MOVING || !outcome->limit)
        return;
    outcome->verdict = CHATTER_PARTIAL;
    outcome->after = CHATTER_LASTS;
    outcome->after_time = until;
}

int
chatter_follow_flow(struct arena *arena, struct flow *flow, uint32_t first,
                    double until, long most, struct chatter_run *outcome)
{
    assert(outcome->m >= 0 && !isnan(until));
    struct follow follow = {.flow = flow, .first = first, .outcome = outcome};
    size_t contacts = (size_t)outcome->m;
    follow.trace = chatter_trace_new(arena, NULL);
    follow.before = NAN;
    outcome->verdict = CHATTER_MOVING;
    outcome->group = NEW_N(arena, bool, contacts + 1);
    for (long events = 0;; events++) {
        struct flow_event event;
        double t;
        if (flow_stopped(flow))
            return IMP_STOPPED;
        int st = flow_peek(flow, until, &t);
        if (st)
            return st;
        if (!flow_eventful(flow) && t >= until)
            break;
        if ((st = flow_apply(flow, &event)))
            return st;
        if (!one(&follow, &event))
            return IMP_OK;
        events -=
            event.kind == FLOW_NONE; /* The end of a Taylor step is no event. */
        if (flow_impacts(flow) >= most || events >= most) {
            outcome->verdict = CHATTER_ENDLESS;
            outcome->limit = false;
            outcome->no_exponent = "no infinite sequence of impacts";
            memset(outcome->group, 0, contacts);
            return IMP_OK;
        }
    }
    ended(&follow, until);
    return IMP_OK;
}
