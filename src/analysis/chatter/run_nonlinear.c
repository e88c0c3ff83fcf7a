/* SPDX-License-Identifier: MIT */
/* The run of `chatter` for a system whose mass matrix, accelerations or gaps
 * change with its state: from event to event of its flow. What holds of all
 * motions of a linear system (no contact ever closes again) cannot be known
 * here, so a run without a limit ends at the time allowed, without a verdict.
 *
 * complete: a limit after which no gap moves. The system may slide on along its
 * contacts. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/run.h"
#include "base/arena.h"
#include "runtime/flow/flow.h"

/* rates of gaps are sums of as many products as there are coordinates */
#define STILL_NOISE 64.0

struct follow {
    struct flow *f;
    uint32_t first; /* contact of the model */
    struct chatter_run *r;
    struct chatter_trace *t;
    double before; /* time of the impact before */
    double speed;  /* greatest rate of a gap after an impact so far */
};

static bool
still(const struct follow *follow)
{
    const struct ballistic *ballistic = flow_event_matrices(follow->f);
    for (int i = 0; i < follow->r->m; i++)
        if (!ballistic->mode.persistent[i] &&
            fabs(ballistic->rate[i]) >
                STILL_NOISE * DBL_EPSILON * follow->speed)
            return false;
    return true;
}

static void
note(struct follow *follow, const struct flow_event *e)
{
    const struct ballistic *ballistic = flow_event_matrices(follow->f);
    const double *impulse;
    const uint32_t *contact = flow_contacts(follow->f, &impulse);
    int m = follow->r->m;
    for (uint32_t k = 0; k < e->n; k++) {
        int i = (int)(contact[k] - follow->first);
        double W = ballistic->matrices.W[i * (m + 1)],
               rest = ballistic->model.e[i];
        double u = impulse[k] * W / (1.0 + rest);
        bool alone = e->n == 1;
        chatter_trace_impact(follow->t, follow->r, i,
                             alone ? e->time - follow->before : NAN,
                             alone ? u : NAN, rest, W);
        follow->speed = fmax(follow->speed, fabs(u));
    }
    follow->before = e->time;
    follow->r->last = follow->r->time = e->time;
    follow->r->impacts = flow_impacts(follow->f);
}

static void
limit(struct follow *follow, const struct flow_event *e)
{
    struct chatter_run *outcome = follow->r;
    const double *impulse;
    const uint32_t *contact = flow_contacts(follow->f, &impulse);
    memset(outcome->group, 0, (size_t)outcome->m);
    for (uint32_t k = 0; k < e->n; k++)
        outcome->group[contact[k] - follow->first] = true;
    outcome->limit = true;
    outcome->time = follow->before = e->time;
    outcome->chatter = e->chatter;
    chatter_trace_limit(follow->t, outcome);
}

static void
together(struct follow *follow, const struct flow_event *e)
{
    const double *impulse;
    const uint32_t *contact = flow_contacts(follow->f, &impulse);
    follow->r->verdict = CHATTER_SIMULTANEOUS;
    follow->r->time = e->time;
    for (uint32_t k = 0; k < e->n; k++)
        follow->r->group[contact[k] - follow->first] = true;
}

/* Applies one event. False: the run is over. */
static bool
one(struct follow *follow, const struct flow_event *e)
{
    switch (e->kind) {
    case FLOW_IMPACT:
    case FLOW_SEVERAL:
        note(follow, e);
        return true;
    case FLOW_UNDECIDED:
        together(follow, e);
        return false;
    case FLOW_JAMMED:
        follow->r->verdict = CHATTER_JAMMED;
        follow->r->time = e->time;
        return false;
    case FLOW_CHATTER:
        limit(follow, e);
        if (!still(follow))
            return true;
        follow->r->verdict = CHATTER_COMPLETE;
        return false;
    default:
        return true;
    }
}

/* after a limit that was not the end: partial, if nothing else was found */
static void
ended(struct follow *follow, double until)
{
    struct chatter_run *outcome = follow->r;
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
    struct follow w = {.f = flow, .first = first, .r = outcome};
    size_t m = (size_t)outcome->m;
    w.t = chatter_trace_new(arena);
    w.before = NAN;
    outcome->verdict = CHATTER_MOVING;
    outcome->group = NEW_N(arena, bool, m + 1);
    for (long events = 0;; events++) {
        struct flow_event e;
        double t;
        int st = flow_peek(flow, until, &t);
        if (st)
            return st;
        if (!flow_eventful(flow) && t >= until)
            break;
        if ((st = flow_apply(flow, &e)))
            return st;
        if (!one(&w, &e))
            return IMP_OK;
        events -= e.kind == FLOW_NONE; /* the end of a series */
        if (flow_impacts(flow) >= most || events >= most) {
            outcome->verdict = CHATTER_ENDLESS;
            outcome->limit = false;
            outcome->no_exponent = "no infinite sequence of impacts";
            memset(outcome->group, 0, m);
            return IMP_OK;
        }
    }
    ended(&w, until);
    return IMP_OK;
}
