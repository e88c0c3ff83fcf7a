/* SPDX-License-Identifier: MIT */
/* Inside the room: a flow, and the two ways to follow a system. */
#ifndef IMP_RUNTIME_FLOW_FLOW_PRIV_H
#define IMP_RUNTIME_FLOW_FLOW_PRIV_H

#include "runtime/flow/flow.h"
#include "runtime/instance/system.h"

struct flow_method {
    int (*peek)(struct flow *f, double until, double *time);
    int (*apply)(struct flow *f, struct flow_event *e);
    void (*at)(struct flow *f, double t); /* state into f->q, f->v */
    bool (*eventful)(const struct flow *f);
    /* is what comes next a limit of chatter? its time */
    bool (*limit)(const struct flow *f, double *time);
};
struct flow {
    struct rt *r;
    uint32_t system, n, m;
    const imp_system *s;
    enum ballistic_policy policy;
    const struct flow_method *method;
    double ahead;       /* the time peeked */
    double *q, *v;      /* n: a state to hand over */
    double *impulse;    /* m: of the last event */
    uint32_t *contacts; /* m: that took part */
    uint32_t n_contacts;
    long impacts;
    double *mass, *acc, *N, *c, *bias, *drift, *e, *gap,
        *rate;                     /* at an instant */
    struct ballistic *line, *next; /* parabolas (else NULL): now, and after what
                                 comes (NULL: not asked for yet) */
    enum ballistic_event what;     /* of next */
    bool known;
    struct taylor_flow *taylor;
    struct observer_run
        *observer; /* of observers.c; NULL: the system has none */
};

/* mass, N, gap, rate at the present state of env; c = gap - N q */
int flow_instant(struct flow *flow);
struct ballistic_model flow_model(const struct flow *flow);
/* the last event of l, into e and f's lists */
void flow_report(struct flow *flow, const struct ballistic *ballistic,
                 enum ballistic_event what, struct flow_event *event);
/* arrays, system, sizes: the first thing */
void flow_memory(struct flow *flow, struct rt *run, uint32_t system,
                 struct arena *arena);
/* env into f->q, f->v */
void flow_read_state(struct flow *flow);
/* No gap may be closed at the start by more than rounding of its data: f->gap
 * against f->c, f->N, f->q. IMP_OK, or IMP_BADMODEL after a diagnostic */
int flow_start_open(struct flow *flow);
/* as flow_new */
struct flow *flow_ballistic_new(struct rt *run, uint32_t system,
                                enum ballistic_policy policy);
int flow_taylor_new(struct flow *flow);

/* -- observers.c: variables that feel the motion ----------------------- */

int flow_observer_new(struct flow *flow);
/* their state at t, which way->at may be asked for, into env; the motion's
 * entries there are left with anything */
int flow_observer_at(struct flow *flow, double t);
/* before and after the event at t is applied */
int flow_observer_before(struct flow *flow, double t);
int flow_observer_after(struct flow *flow, const struct flow_event *event);

#endif
