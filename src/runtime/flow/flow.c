/* SPDX-License-Identifier: MIT */
/* The questions of flow.h. Each goes to the method that follows the system
 * (closed form or Taylor series), and to the observers that feel its motion. */
#include "runtime/flow/flow.h"
#include "runtime/instance/contact_restitution.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/relays/relays.h"

/* The normal force of contact i, which is closed, at the time t. */
static double
load_at(const struct flow *flow, uint32_t i, double t)
{
    const struct taylor_flow *taylor = flow->taylor;
    if (!taylor)
        return flow->parabola.now->mode.force[i];
    return taylor->next.known
               ? polynomial_value(taylor->piece.force + i * ROW,
                                  MOTION_STEP_ORDER, t - taylor->now)
               : system_force(flow->run, flow->system, i)[0];
}

/* Tells the normal forces and modes of contacts without friction that a record
 * asks for, but shares of a load that friction_tell_points has told. Right
 * after an event no series stands yet. */
static int
tell_loads(struct flow *flow, double t)
{
    const struct taylor_flow *taylor = flow->taylor;
    const bool *closed =
        taylor ? taylor->contacts.closed : flow->parabola.now->mode.persistent;
    bool asked = false, any = false,
         shares = taylor && taylor->friction && taylor->friction->shared;
    for (uint32_t i = 0; i < flow->m; i++) {
        bool asks = rt_contact(flow->run, flow->sys->contact + i)->flags &
                    IMP_CONTACTF_LOAD;
        asked |= asks;
        any |= asks && closed[i];
    }
    int st = IMP_OK;
    if (any && taylor && !taylor->next.known) {
        double step;
        taylor_set_active(flow);
        st = motion_series(flow->run, flow->sys->block, 2, &step);
    }
    for (uint32_t i = 0; i < flow->m && asked && !st; i++) {
        const imp_contact *contact =
            rt_contact(flow->run, flow->sys->contact + i);
        double *env = flow->run->env + contact->env_contact;
        if (!(contact->flags & IMP_CONTACTF_LOAD))
            continue;
        if (!closed[i] || !shares)
            env[IMP_CONTACT_NORMAL_FORCE] =
                closed[i] ? load_at(flow, i, t) : 0.0;
        env[IMP_CONTACT_MODE] =
            closed[i] ? CONTACT_TOLD_SLIDE : CONTACT_TOLD_FREE;
    }
    return st;
}

struct flow *
flow_new(struct rt *run, uint32_t system, enum ballistic_policy policy,
         double end)
{
    assert(!isnan(end));
    assert(system < run->im->systems.n);
    const imp_system *sys = rt_system(run, system);
    struct flow *flow;
    if (sys->flags & IMP_SYSTEMF_LINE) {
        flow = flow_ballistic_new(run, system, policy);
        if (flow)
            flow->traced = rt_time(run);
        if (flow && sys->observer == IMP_NO_BLOCK) {
            flow->observer = NULL;
            return tell_loads(flow, rt_time(run)) ? NULL : flow;
        }
        return flow && !flow_observer_new(flow) &&
                       !tell_loads(flow, rt_time(run))
                   ? flow
                   : NULL;
    }
    flow = NEW(run->arena, struct flow);
    flow_memory(flow, run, system, run->arena);
    /* each impact of a sequence may have a restitution of its own */
    for (uint32_t i = 0; i < flow->m; i++)
        if (policy == BALLISTIC_SEQUENTIAL &&
            contact_restitution_varies(run, sys->contact + i))
            policy = BALLISTIC_BY_LAW;
    flow->policy = policy;
    if (policy == BALLISTIC_BY_LAW)
        flow->law = flow_law_new(run->arena, flow);
    flow->end = end;
    flow->traced = rt_time(run);
    for (uint32_t i = 0; i < flow->m; i++)
        run->env[rt_contact(run, sys->contact + i)->env_contact +
                 IMP_CONTACT_ACTIVE] = 0.0;
    int st = flow_instant(flow);
    flow_read_state(flow);
    if (st || flow_start_open(flow) || flow_taylor_new(flow) ||
        tell_loads(flow, rt_time(run)))
        return NULL;
    return flow_observer_new(flow) ? NULL : flow;
}

int
flow_peek(struct flow *flow, double until, double *time)
{
    assert(!isnan(until));
    assert(time != NULL);
    int st = flow->method->peek(flow, until, time);
    flow->ahead = *time;
    return st;
}

bool
flow_stopped(const struct flow *flow)
{
    assert(flow != NULL);
    return rt_stopped(flow->run);
}

bool
flow_eventful(const struct flow *flow)
{
    assert(flow);
    return flow->method->eventful(flow);
}

bool
flow_limit_ahead(const struct flow *flow)
{
    assert(flow);
    double time;
    return flow->method->limit(flow, &time);
}

bool
flow_ends(const struct flow *flow)
{
    assert(flow);
    return flow->method->ends(flow) || flow->run->trace != NULL;
}

static int
matrices_now(struct flow *flow)
{
    if (flow->taylor->friction)
        return friction_rows(flow);
    taylor_to_env(flow);
    return flow_instant(flow);
}

int
flow_apply(struct flow *flow, struct flow_event *event)
{
    assert(event != NULL);
    bool eventful = flow_eventful(flow),
         observed = flow->observer && flow->method->ends(flow);
    memset(event, 0, sizeof *event);
    if (flow->run->trace)
        flow_trace(flow, flow->ahead);
    if (eventful)
        flow_audit_before(flow);
    int st = observed ? flow_observer_before(flow, flow->ahead) : IMP_OK;
    if (!st)
        st = flow->method->apply(flow, event);
    if (!st && eventful && flow->taylor && !flow->taylor->friction)
        st = taylor_unload(flow);
    if (!st && eventful)
        st = flow_audit_after(flow, event, matrices_now);
    return observed && !st ? flow_observer_after(flow, event) : st;
}

int
flow_at(struct flow *flow, double t)
{
    assert(!isnan(t));
    double *env = flow->run->env + flow->sys->env_state;
    int st = flow->observer ? flow_observer_at(flow, t) : IMP_OK;
    flow->method->at(flow, t);
    memcpy(env, flow->q, flow->n * sizeof *env);
    memcpy(env + flow->n, flow->v, flow->n * sizeof *env);
    if (flow->taylor && flow->taylor->friction) {
        friction_tell(flow, t);
        friction_tell_stored(flow, t);
        friction_memory_tell(flow, t);
    }
    if (!st && flow->taylor && flow->taylor->friction)
        st = friction_tell_points(flow, t);
    return st ? st : tell_loads(flow, t);
}

int
flow_row_at(struct flow *flow, double t)
{
    assert(flow != NULL);
    flow->flights = true;
    int st = flow_at(flow, t);
    flow->flights = false;
    return st;
}

bool
flow_rows(struct flow *flow, double t, double *rows)
{
    assert(flow != NULL && rows != NULL && !isnan(t));
    const struct taylor_flow *taylor = flow->taylor;
    /* those that an impact has thrown off are held no more; the next piece asks
     * that again */
    if (taylor && !taylor->next.known && taylor->relays)
        (void)relays_settle(flow->run, flow->sys->block,
                            switching_least(flow->run), NULL);
    if (!taylor || !taylor->next.known || taylor->next.what == NEXT_LIMIT ||
        !(t >= taylor->now && t <= taylor->next.time) ||
        (!system_slides(flow->run, flow->system) &&
         !relays_act(flow->run, flow->sys->block)))
        return false;
    flow->method->series(flow, t, rows);
    return true;
}

double
flow_switch(const struct flow *flow)
{
    assert(flow != NULL && flow->taylor != NULL);
    const struct taylor_flow *taylor = flow->taylor;
    double end = taylor->piece.began + taylor->piece.h;
    bool relay =
        taylor->relays && relays_end_time(flow->run, flow->sys->block) == end;
    return relay || taylor->next.guard >= 0 ? end : INFINITY;
}

void
flow_trace(struct flow *flow, double t)
{
    assert(flow->run->trace != NULL && !isnan(t));
    if (t > flow->traced)
        flow->method->trace(flow, t);
    flow->traced = fmax(flow->traced, t);
}

const uint32_t *
flow_contacts(const struct flow *flow, const double **impulse)
{
    assert(impulse != NULL);
    *impulse = flow->last.impulse;
    return flow->last.contacts;
}

const struct flow_change *
flow_changes(const struct flow *flow, uint32_t *n)
{
    assert(n != NULL);
    const struct taylor_friction *friction =
        flow->taylor ? flow->taylor->friction : NULL;
    *n = friction ? friction->n_change : 0;
    return friction ? friction->change : NULL;
}

const struct flow_verdict *
flow_verdicts(const struct flow *flow, uint32_t *n)
{
    assert(n != NULL);
    const struct taylor_friction *friction =
        flow->taylor ? flow->taylor->friction : NULL;
    *n = friction ? friction->n_told : 0;
    return friction ? friction->told : NULL;
}

const char *
flow_resolved(const struct flow *flow)
{
    assert(flow != NULL);
    return flow->taylor && flow->taylor->friction ? flow->taylor->friction->open
                                                  : NULL;
}

struct ballistic *
flow_ballistic(struct flow *flow)
{
    assert(flow);
    return flow->parabola.now;
}

long
flow_impacts(const struct flow *flow)
{
    assert(flow);
    return flow->impacts;
}

/* -- motion backward in time ------------------------------------------------
 */

/* The rounding of the gap of contact i (its number within the system), and of
 * its rate; *gap: the gap. */
static int
back_gap(struct rt *run, uint32_t system, uint32_t i, double *gap,
         double noise[2])
{
    const imp_system *sys = rt_system(run, system);
    const double *q = run->env + sys->env_state, *v = q + sys->n;
    double *gradient = NEW_N(run->brief, double, sys->n + 1), rate;
    int st = system_gap(run, system, i, gap, &rate, gradient);
    noise[0] = fabs(*gap);
    noise[1] = fabs(rate);
    for (uint32_t j = 0; j < sys->n && !st; j++) {
        noise[0] += fabs(gradient[j] * q[j]);
        noise[1] += fabs(gradient[j] * v[j]);
    }
    noise[0] *= TAYLOR_NOISE * DBL_EPSILON;
    noise[1] *= TAYLOR_NOISE * DBL_EPSILON;
    return st;
}

int
flow_back_start(struct rt *run, uint32_t system, bool *closed,
                uint32_t *contact)
{
    assert(run && closed && contact && system < run->im->systems.n);
    const imp_system *sys = rt_system(run, system);
    int st = IMP_OK;
    *closed = false;
    for (uint32_t i = 0; i < sys->n_contact && !st; i++) {
        uint32_t number = sys->contact + i;
        double gap, noise[2];
        run->env[rt_contact(run, number)->env_contact + IMP_CONTACT_ACTIVE] =
            0.0;
        st = back_gap(run, system, i, &gap, noise);
        if (!st && gap < -noise[0])
            return flow_overlaps(run, number, gap);
        if (st || gap > noise[0])
            continue;
        *closed = true;
        *contact = number;
    }
    return st;
}

/* The time for which the rows of a block hold. */
static double
back_holds(const struct rt *run, uint32_t block)
{
    const imp_block *of =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *row = IMP_ARRAY(run->im, of->rows, uint32_t);
    double time = motion_parabola(run, block);
    for (uint32_t j = 0; j < of->state.n; j++)
        time = fmin(time, taylor_row_time(run->rows.block[block] +
                                              (size_t)row[j] * IMP_ROW_STRIDE +
                                              IMP_ROW_PAD,
                                          0.0, 0));
    return time;
}

int
flow_back_look(struct rt *run, uint32_t system, double *back, uint32_t *contact)
{
    assert(run && back && contact && system < run->im->systems.n);
    const imp_system *sys = rt_system(run, system);
    double unused, gap, noise[2], root;
    int st = motion_series(run, sys->block, MOTION_STEP_ORDER, &unused);
    *contact = FLOW_NO_CONTACT;
    if (st)
        return st;
    *back = fmin(*back, back_holds(run, sys->block));
    for (uint32_t i = 0; i < sys->n_contact; i++) {
        double row[ROW], holds;
        st = system_gap_series(run, system, i, MOTION_STEP_ORDER, row);
        if (st || (st = back_gap(run, system, i, &gap, noise)))
            return st;
        holds = taylor_row_time(row, 0.0, 0);
        for (int k = 1; k <= MOTION_STEP_ORDER; k += 2)
            row[k] = -row[k];
        if (holds < *back)
            *contact = FLOW_NO_CONTACT;
        *back = fmin(*back, holds);
        if (taylor_touch(row, noise[0] / (TAYLOR_NOISE * DBL_EPSILON),
                         noise[1] / (TAYLOR_NOISE * DBL_EPSILON), *back,
                         &root) ||
            taylor_falls(row, *back, noise[0], noise[1], &root)) {
            *back = root;
            *contact = sys->contact + i;
        }
    }
    if (sys->observer == IMP_NO_BLOCK)
        return IMP_OK;
    system_feel(run, system, MOTION_STEP_ORDER);
    if ((st = motion_series(run, sys->observer, MOTION_STEP_ORDER, &unused)))
        return st;
    double holds = back_holds(run, sys->observer);
    if (holds < *back) {
        *back = holds;
        *contact = FLOW_NO_CONTACT;
    }
    return IMP_OK;
}

void
flow_back_move(struct rt *run, uint32_t system, double back)
{
    assert(run && system < run->im->systems.n && back >= 0.0);
    const imp_system *sys = rt_system(run, system);
    motion_advance_block(run, sys->block, MOTION_STEP_ORDER, -back);
    if (sys->observer != IMP_NO_BLOCK)
        motion_advance_block(run, sys->observer, MOTION_STEP_ORDER, -back);
}
