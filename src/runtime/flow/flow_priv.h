/* SPDX-License-Identifier: MIT */
/* Inside the room: a flow, and the two methods to follow a system. Letters: n
 * coordinates q with rates v, m contacts, N the gradients of the gaps (m x n),
 * gap = N q + c. */
#ifndef IMP_RUNTIME_FLOW_FLOW_PRIV_H
#define IMP_RUNTIME_FLOW_FLOW_PRIV_H

#include "runtime/flow/flow.h"
#include "runtime/instance/system.h"

struct flow_method {
    int (*peek)(struct flow *f, double until, double *time);
    int (*apply)(struct flow *f, struct flow_event *e);
    void (*at)(struct flow *f,
               double t); /* writes the state at t into flow->q and flow->v */
    bool (*eventful)(const struct flow *f);
    /* Does the present piece of the motion end at flow->ahead? */
    bool (*ends)(const struct flow *f);
    /* The series of the 2n numbers of the state about time t, rows of
     * IMP_ROW_STRIDE (rows NULL: none). Returns the time until which they are
     * the motion. */
    double (*series)(struct flow *f, double t, double *rows);
    /* Is what comes next a limit of chatter? If so, its time. */
    bool (*limit)(const struct flow *f, double *time);
    /* hands the motion from flow->traced to t to run->trace */
    void (*trace)(struct flow *f, double t);
};
/* What flow_instant found at the present state of env. */
struct flow_matrices {
    double *mass, *acc, *N, *c, *bias, *drift, *e; /* of ballistic_model */
    double *gap, *rate;                            /* m */
};
/* The last event. */
struct flow_last {
    double *impulse;    /* m */
    uint32_t *contacts; /* m: those that took part */
    uint32_t n_contacts;
};
/* A ballistic system; all is NULL where the system is another one. */
struct flow_parabola {
    struct ballistic *now;
    struct ballistic *next; /* after the next event; NULL until it is asked for
                             */
    enum ballistic_event what; /* what leads to `next` */
    bool known;                /* `next` and `what` are */
};
struct flow {
    struct rt *run;
    uint32_t system, n, m;
    const imp_system *sys;
    enum ballistic_policy policy;
    const struct ballistic_law *law; /* of BALLISTIC_BY_LAW; else NULL */
    const struct flow_method *method;
    double end;    /* nobody asks for a time beyond it */
    double ahead;  /* the time that flow_peek gave */
    bool flights;  /* `at` tells the flights on the way to a limit, where the
                      method knows them */
    double traced; /* the motion until then has been handed to run->trace */
    double *q, *v; /* n: the state that `at` writes */
    long impacts;
    struct flow_last last;
    struct flow_matrices instant;
    struct flow_parabola parabola;
    struct taylor_flow *taylor;
    struct flow_audit *audit; /* of flow_audit.c */
    struct observer_run
        *observer; /* of observers.c; NULL where the system has none */
};

/* Mass matrix, gap gradients, gaps and rates at the present state of env, into
 * the arrays of the flow. Returns IMP_OK, or a status after a diagnostic. */
int flow_instant(struct flow *flow);
struct ballistic_model flow_model(const struct flow *flow);
/* Reports the last event of a ballistic motion: into *event and the flow's
 * list of contacts. */
void flow_report(struct flow *flow, const struct ballistic *ballistic,
                 enum ballistic_event what, struct flow_event *event);
/* Gives a flow its arrays and sizes. Every flow begins with this. */
void flow_memory(struct flow *flow, struct rt *run, uint32_t system,
                 struct arena *arena);
/* Reads the state of env into flow->q and flow->v. */
void flow_read_state(struct flow *flow);
/* Checks that no gap is negative at the start by more than the rounding of its
 * data (the gap of the instant against the terms of c, N and q there). Returns
 * IMP_OK, or IMP_BADMODEL after a diagnostic. */
int flow_start_open(struct flow *flow);
/* How a contact is at the start: closed if its gap and its rate are none, to
 * this share of their terms or of the state's size. */
enum flow_start {
    FLOW_START_OPEN, /* also: closed, and approaches */
    FLOW_START_CLOSED,
    FLOW_START_OPENS /* touches, and separates */
};
enum flow_start flow_start_of(const struct flow *flow, uint32_t contact,
                              double share, double gap_terms,
                              double rate_terms);
/* Does as flow_new, for ballistic systems. */
struct flow *flow_ballistic_new(struct rt *run, uint32_t system,
                                enum ballistic_policy policy);
/* The law of the world for the motions of a flow, where runtime/ballistic does
 * not know it: BALLISTIC_BY_LAW. The memory belongs to the arena. */
const struct ballistic_law *flow_law_new(struct arena *arena,
                                         struct flow *flow);
int flow_taylor_new(struct flow *flow);

/* -- flow_audit.c: do events keep the laws? ------------------------------- */

/* Memory for the audits of a flow. */
void flow_audit_new(struct flow *flow, struct arena *arena);
/* At the beginning of a run. */
void flow_audit_begin(struct flow *flow);
/* Keeps the state before the event at flow->ahead. */
void flow_audit_before(struct flow *flow);
/* Compares the state after the event with what its impulses do. Returns IMP_OK,
 * or IMP_FAILED after E0714. */
int flow_audit_after(struct flow *flow, const struct flow_event *event);

/* -- observers.c: variables that feel the motion ----------------------- */

int flow_observer_new(struct flow *flow);
/* Writes the observers' variables at time t into env; method->at must know
 * that time. The entries of the motion in env hold anything afterwards. */
int flow_observer_at(struct flow *flow, double t);
/* Called before, and after, the event at time t, or the end of a piece of the
 * motion there, is applied. */
int flow_observer_before(struct flow *flow, double t);
int flow_observer_after(struct flow *flow, const struct flow_event *event);
/* The same into rows whose other terms are 0 already. */
void flow_parabola_write(const struct flow *flow,
                         const struct ballistic *ballistic, const double *q,
                         const double *v, double *rows);

/* -- what observers tell --------------------------------------------------- */

/* E0734: so many steps until `time`, the last of `step` (s). IMP_FAILED. */
int observer_stiff(struct flow *flow, long steps, double time, double step);
/* E0603: the variables have no series behind `time`. IMP_FAILED. */
int observer_stuck(struct flow *flow, double time);
/* W0731 of the number `which` of the variables, at a limit of chatter. how: its
 * jumps go on; value: whose value it has behind the limit; late: the last jump.
 */
void observer_endless(struct flow *flow, uint32_t which, double time,
                      const char *how, const char *value, double late);

#endif
