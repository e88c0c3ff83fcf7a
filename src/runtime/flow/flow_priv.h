/* SPDX-License-Identifier: MIT */
/* Inside the room: a flow, and the two ways to follow a system. */
#ifndef IMP_RUNTIME_FLOW_FLOW_PRIV_H
#define IMP_RUNTIME_FLOW_FLOW_PRIV_H

#include "runtime/flow/flow.h"
#include "runtime/instance/system.h"

struct flow_way {
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
    const struct flow_way *way;
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
    struct series_way *series;
    struct observe *observe; /* of observers.c; NULL: the system has none */
};

/* mass, N, gap, rate at the present state of env; c = gap - N q */
int flow_instant(struct flow *f);
struct ballistic_model flow_model(const struct flow *f);
/* the last event of l, into e and f's lists */
void flow_tell(struct flow *f, const struct ballistic *l,
               enum ballistic_event what, struct flow_event *e);
/* arrays, system, sizes: the first thing */
void flow_memory(struct flow *f, struct rt *r, uint32_t system,
                 struct arena *a);
/* env into f->q, f->v */
void flow_read_state(struct flow *f);
/* No gap may be closed at the start by more than rounding of its data: f->gap
 * against f->c, f->N, f->q. IMP_OK, or IMP_BADMODEL after a diagnostic */
int flow_start_open(struct flow *f);
/* as flow_new */
struct flow *flow_line_new(struct rt *r, uint32_t system,
                           enum ballistic_policy policy);
int flow_series_new(struct flow *f);

/* -- observers.c: variables that feel the motion ----------------------- */

int flow_observe_new(struct flow *f);
/* their state at t, which way->at may be asked for, into env; the motion's
 * entries there are left with anything */
int flow_observe_at(struct flow *f, double t);
/* before and after the event at t is applied */
int flow_observe_before(struct flow *f, double t);
int flow_observe_after(struct flow *f, const struct flow_event *e);

#endif
