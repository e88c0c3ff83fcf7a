/* SPDX-License-Identifier: MIT */
/* The motion of one system in generalised coordinates from event to event: free
 * flight, impacts, contacts that slide or rest, chatter. Systems whose motion
 * is a parabola are followed in closed form (ballistic.h), all others by the
 * Taylor series of their equations; both answer the same questions.
 *
 * A flow looks ahead (flow_peek) before it moves (flow_apply), so that several
 * systems and bodies can go on together: whatever comes first is applied, and
 * the state of all others is asked for at that time (flow_at). */
#ifndef IMP_RUNTIME_FLOW_FLOW_H
#define IMP_RUNTIME_FLOW_FLOW_H

#include "runtime/ballistic/ballistic.h"
#include "runtime/instance/run.h"

enum flow_kind {
    FLOW_NONE,      /* the end of what one series tells, or `until` */
    FLOW_IMPACT,    /* one contact, or several that do not feel each other */
    FLOW_SEVERAL,   /* several at one instant, resolved by the policy */
    FLOW_UNDECIDED, /* several at one instant, not resolved: nothing applied */
    FLOW_CHATTER,   /* a limit of infinitely many impacts */
    FLOW_TOUCH,     /* a gap touches zero without rate and opens again */
    FLOW_SLIDE,     /* a contact stays closed from here on without an impact */
    FLOW_LEAVE,     /* a contact that slid opens: its force is zero */
    FLOW_JAMMED     /* no forces or impulses keep the contacts closed */
};
struct flow_event {
    enum flow_kind kind;
    double time;
    uint32_t contact; /* of the model; the first of several */
    double impulse;   /* at it, N*s (or the system's own units) */
    uint32_t n;       /* contacts that took part, their numbers and impulses in
                         flow_contacts order */
    struct accumulation_limit chatter; /* CHATTER */
};
struct flow;

/* at the present state of the run's environment. NULL after a diagnostic (mass
 * matrix not positive definite, a gap that is closed further than its
 * tolerance at the start). Memory: the run's arena, or what the runs of the
 * model share: one flow of a system at a time. */
struct flow *flow_new(struct rt *run, uint32_t system,
                      enum ballistic_policy policy);
/* Time of what comes next, at most `until`. IMP_OK, or a status after a
 * diagnostic. */
int flow_peek(struct flow *flow, double until, double *time);
/* will that be an event, or only the end of a series? */
bool flow_eventful(const struct flow *flow);
/* moves to that time and applies it */
int flow_apply(struct flow *flow, struct flow_event *event);
/* IMP_FAILED after the diagnostic for FLOW_JAMMED */
int flow_jammed(struct rt *run, uint32_t contact, double time);
/* An impact at n contacts of a system (its own numbers) at the present state,
 * without a motion; `rests`: contacts that are closed and only push. The line
 * holds state, impulses and matrices after it. IMP_OK, or a status after a
 * diagnostic. */
int flow_impact_now(struct rt *run, uint32_t system,
                    enum ballistic_policy policy, const int *hit, int n,
                    const bool *rests, struct ballistic **out,
                    enum ballistic_event *what);
/* contacts of the last event: their numbers in the model, and impulses */
const uint32_t *flow_contacts(const struct flow *flow, const double **impulse);
/* writes the state at t, between now and the time peeked, into env. IMP_OK, or
 * a status after a diagnostic of an observer */
int flow_at(struct flow *flow, double t);
/* Of a system whose motion is a parabola: its matrices at the present params,
 * whatever the state; the same line as that of its flow. IMP_OK, or a status
 * after a diagnostic. */
int flow_matrices(struct rt *run, uint32_t system, struct ballistic **l);
/* Of a system whose motion is a parabola: runs to come will differ from the
 * last one in restitutions alone (n times those of its contacts, `apart`
 * numbers from one to the next): see ballistic_batch_prepare. The line, if it
 * is at the start of the last run, which had the set-up of now; else NULL. */
const struct ballistic *flow_batch_ahead(struct rt *run, uint32_t system,
                                         const double *e, int n, int apart);
/* Are the matrices that flow_matrices has given made of params alone? Then they
 * are the same as long as rt.setup_version is. */
bool flow_by_params(struct rt *run, uint32_t system);
/* of a system whose motion is a parabola: its state and matrices (for those who
 * follow it by themselves); NULL for the others */
struct ballistic *flow_ballistic(struct flow *flow);
/* Of a system whose motion is no parabola: its matrices at the last event; NULL
 * before the first look at them, and for parabolas. */
const struct ballistic *flow_event_matrices(const struct flow *flow);
/* impacts resolved one by one */
long flow_impacts(const struct flow *flow);

#endif
