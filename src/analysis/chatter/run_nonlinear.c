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
still(const struct follow *w)
{
    const struct ballistic *l = flow_event_matrices(w->f);
    for (int i = 0; i < w->r->m; i++)
        if (!l->on[i] &&
            fabs(l->rate[i]) > STILL_NOISE * DBL_EPSILON * w->speed)
            return false;
    return true;
}

static void
note(struct follow *w, const struct flow_event *e)
{
    const struct ballistic *l = flow_event_matrices(w->f);
    const double *impulse;
    const uint32_t *contact = flow_contacts(w->f, &impulse);
    int m = w->r->m;
    for (uint32_t k = 0; k < e->n; k++) {
        int i = (int)(contact[k] - w->first);
        double W = l->k.W[i * (m + 1)], rest = l->model.e[i];
        double u = impulse[k] * W / (1.0 + rest);
        bool alone = e->n == 1;
        chatter_trace_impact(w->t, w->r, i, alone ? e->time - w->before : NAN,
                             alone ? u : NAN, rest, W);
        w->speed = fmax(w->speed, fabs(u));
    }
    w->before = e->time;
    w->r->last = w->r->time = e->time;
    w->r->impacts = flow_impacts(w->f);
}

static void
limit(struct follow *w, const struct flow_event *e)
{
    struct chatter_run *r = w->r;
    const double *impulse;
    const uint32_t *contact = flow_contacts(w->f, &impulse);
    memset(r->group, 0, (size_t)r->m);
    for (uint32_t k = 0; k < e->n; k++)
        r->group[contact[k] - w->first] = true;
    r->limit = true;
    r->time = w->before = e->time;
    r->chatter = e->chatter;
    chatter_trace_limit(w->t, r);
}

static void
together(struct follow *w, const struct flow_event *e)
{
    const double *impulse;
    const uint32_t *contact = flow_contacts(w->f, &impulse);
    w->r->verdict = CHATTER_SIMULTANEOUS;
    w->r->time = e->time;
    for (uint32_t k = 0; k < e->n; k++)
        w->r->group[contact[k] - w->first] = true;
}

/* Applies one event. False: the run is over. */
static bool
one(struct follow *w, const struct flow_event *e)
{
    switch (e->kind) {
    case FLOW_IMPACT:
    case FLOW_SEVERAL:
        note(w, e);
        return true;
    case FLOW_UNDECIDED:
        together(w, e);
        return false;
    case FLOW_JAMMED:
        w->r->verdict = CHATTER_JAMMED;
        w->r->time = e->time;
        return false;
    case FLOW_CHATTER:
        limit(w, e);
        if (!still(w))
            return true;
        w->r->verdict = CHATTER_COMPLETE;
        return false;
    default:
        return true;
    }
}

/* after a limit that was not the end: partial, if nothing else was found */
static void
ended(struct follow *w, double until)
{
    struct chatter_run *r = w->r;
    if (r->verdict != CHATTER_MOVING || !r->limit)
        return;
    r->verdict = CHATTER_PARTIAL;
    r->after = CHATTER_LASTS;
    r->after_time = until;
}

int
chatter_follow_flow(struct arena *a, struct flow *f, uint32_t first,
                    double until, long most, struct chatter_run *r)
{
    struct follow w = {.f = f, .first = first, .r = r};
    size_t m = (size_t)r->m;
    w.t = chatter_trace_new(a);
    w.before = NAN;
    r->verdict = CHATTER_MOVING;
    r->group = NEW_N(a, bool, m + 1);
    for (long events = 0;; events++) {
        struct flow_event e;
        double t;
        int st = flow_peek(f, until, &t);
        if (st)
            return st;
        if (!flow_eventful(f) && t >= until)
            break;
        if ((st = flow_apply(f, &e)))
            return st;
        if (!one(&w, &e))
            return IMP_OK;
        events -= e.kind == FLOW_NONE; /* the end of a series */
        if (flow_impacts(f) >= most || events >= most) {
            r->verdict = CHATTER_ENDLESS;
            r->limit = false;
            r->no_exponent = "no infinite sequence of impacts";
            memset(r->group, 0, m);
            return IMP_OK;
        }
    }
    ended(&w, until);
    return IMP_OK;
}
