/* SPDX-License-Identifier: MIT */
/* One run from its start to the verdict of the thesis (chatter.md 2.1):
 *
 *   complete      infinitely many impacts bring everything to rest
 *   partial       infinitely many impacts bring two or more contacts to rest,
 *                 and the rest of the system moves on
 *   incomplete    no contact closes again
 *   simultaneous  contacts close together, and the model does not say what
 *                 follows
 *
 * chatter_follow and chatter_decide are for systems whose motion between
 * impacts is a parabola; they know struct ballistic alone and no model. */
#ifndef IMP_ANALYSIS_CHATTER_RUN_H
#define IMP_ANALYSIS_CHATTER_RUN_H

#include "runtime/ballistic/ballistic.h"

struct flow;

/* The relative error of a limit (accumulation_accept_error) that is small
 * enough for a verdict. It is accepted where nothing but the verdict is asked
 * for, and in runs that have had half of the impacts that are allowed. */
#define CHATTER_ACCEPT 1e-6

enum chatter_verdict {
    CHATTER_COMPLETE,
    CHATTER_PARTIAL,
    CHATTER_INCOMPLETE,
    CHATTER_SIMULTANEOUS,
    /* no verdict: */
    CHATTER_ENDLESS, /* within the impacts that are allowed */
    CHATTER_MOVING,  /* until the time that is allowed */
    CHATTER_BELOW,   /* before the impacts are smaller than doubles can be */
    CHATTER_JAMMED,  /* closed contacts admit no motion */
    CHATTER_OPEN,    /* friction leaves the motion open, or ends it in a jam */
    CHATTER_STOPPED  /* before Ctrl-C */
};
/* what comes after a partial limit */
enum chatter_after {
    CHATTER_NOTHING,
    CHATTER_FREE,     /* no contact closes again */
    CHATTER_CLOSES,   /* another contact, alone */
    CHATTER_TOGETHER, /* several, or one that pushes those at rest */
    CHATTER_LASTS     /* nothing until the time allowed */
};

struct chatter_run {
    enum chatter_verdict verdict;
    int m;        /* contacts */
    long impacts; /* resolved one by one */
    int *order;   /* the contacts that were hit, in order; n_order of them */
    size_t n_order;
    size_t order_known; /* so many of them do not depend on the last digits of
                           the start; SIZE_MAX: not known */
    /* of starts that differ in the last digits: does one have another verdict?
     * and the greatest difference of `time` [s] */
    bool verdict_open;
    enum chatter_verdict other_verdict;
    double time_spread;
    double time; /* of the limit, else of the last impact or of the end [s] */
    double last_impact; /* time of the last impact that was resolved; NaN: none
                           [s] */
    /* A limit was taken: the first one, unless the run went on to another one
     * that left everything at rest. Where the order of the impacts repeats and
     * the ratios of its flights vary still, period and ratio are means. */
    bool limit;
    struct accumulation_limit accumulation;
    /* The limit rests on the impacts that were followed: nothing accelerates,
     * no order repeats, and it is not proven that the impacts never end. */
    bool limit_unproven;
    bool *group; /* m: contacts of the limit, or those that close together */
    double speed_ratio; /* ratio of the approach speeds of successive periods */
    double exponent, exponent_error;
    bool fitted;             /* the exponent, to an order that never repeats */
    const char *no_exponent; /* why there is none, or NULL */
    const char *why;         /* CHATTER_OPEN: what is possible there */
    /* after a partial limit */
    enum chatter_after after;
    double after_time;
    int after_contact;
    /* CHATTER_ENDLESS: what impact_history_trend says; -1: nothing */
    int trend;
    double trend_ratio;
};

/* Does some gap accelerate while all contacts are open? */
bool chatter_accelerates(const struct ballistic *ballistic);
/* Memory for the impacts of a run, which the next run takes up: of an arena
 * that outlasts both. Begins with zeros and this arena. */
struct impact;
struct chatter_room {
    struct arena *arena;
    struct impact *v;
    size_t cap;
};
/* Follows a motion that has been started to its verdict, no further than to
 * the time `until` and through at most `most` impacts. `least`: impacts of a
 * period that are resolved before its limit may be taken
 * (accumulation_resolve). All memory of the outcome is the arena's. room: NULL,
 * or memory that is kept from run to run. */
void chatter_follow(struct arena *arena, struct chatter_room *room,
                    struct ballistic *ballistic, double until, long least,
                    long most, struct chatter_run *outcome);
/* The same, faster: without the order of the impacts and the exponent; period
 * and ratio are those of the limit. */
void chatter_decide(struct arena *arena, struct ballistic *ballistic,
                    double until, long least, long most,
                    struct chatter_run *outcome);

/* After flow_batch_ahead has followed several runs at once: the outcome of run
 * k as chatter_decide finds it, when the run ends after single impacts and no
 * time was set. False: chatter_decide must be asked. */
bool chatter_batch_verdict(const struct ballistic *ballistic, int k,
                           struct chatter_run *outcome);

/* The same for a system whose motion is no parabola, by its flow
 * (run_nonlinear.c). It cannot be known there that no contact ever closes
 * again, so the run ends at `until`. `first`: number of the system's first
 * contact. The caller sets m, time, last and no_exponent of the outcome.
 * IMP_OK, or a status after a diagnostic. */
int chatter_follow_flow(struct arena *arena, struct flow *flow, uint32_t first,
                        double until, long most, struct chatter_run *outcome);

/* The impacts of a run, to which the exponent is fitted (trace.c). */
struct chatter_trace;
struct chatter_trace *chatter_trace_new(struct arena *arena,
                                        struct chatter_room *room);
/* Notes the impact that `ballistic` has just resolved, of one contact or
 * several, and those that it has resolved at once with it. */
void chatter_trace_ballistic(struct chatter_trace *trace,
                             struct chatter_run *outcome,
                             const struct ballistic *ballistic);
/* An impact at a contact after this time of flight, with its speed of approach
 * and W = N M^-1 N^T. Flight and approach are NaN where several
 * contacts are hit together. */
void chatter_trace_impact(struct chatter_trace *trace,
                          struct chatter_run *outcome, int contact,
                          double flight, double approach, double W);
/* An order that never repeats: its exponent is fitted to so many impacts. They
 * go on below the rounding of the time, where the motion keeps its law. */
#define CHATTER_FITTED 4096
/* To be called when outcome->chatter is a limit. Sets the exponent and the
 * ratio of speeds; where the order repeats and its flights still vary, period
 * and ratio too, as means; where it never repeats, chatter_trace_end sets them.
 * `heavy`: accelerations act. Impacts after the limit belong to the next one.
 */
void chatter_trace_limit(struct chatter_trace *trace,
                         struct chatter_run *outcome, bool heavy);
/* To be called when no other limit follows: sets the exponent and the mean
 * ratio of an order that never repeats, which take a line through all its
 * impacts. */
void chatter_trace_end(struct chatter_trace *trace,
                       struct chatter_run *outcome);

#endif
