/* SPDX-License-Identifier: MIT */
/* One run of a system whose motion is a parabola, from its start to the
 * verdict (spec/chatter.md 2.1): it rests after infinitely many impacts
 * (complete), two or more contacts do while the rest moves on (partial), no
 * contact closes again (incomplete), or contacts close together and nothing
 * says what comes of it (simultaneous). Plain struct ballistic: no model. */
#ifndef IMP_ANALYSIS_CHATTER_RUN_H
#define IMP_ANALYSIS_CHATTER_RUN_H

#include "runtime/ballistic/ballistic.h"

struct flow;

/* error of a limit (accumulation_accept_error) that is enough for a verdict: of
 * those who ask for nothing else, and of runs that have had half of their
 * impacts */
#define CHATTER_ACCEPT 1e-6

enum chatter_verdict {
    CHATTER_COMPLETE,
    CHATTER_PARTIAL,
    CHATTER_INCOMPLETE,
    CHATTER_SIMULTANEOUS,
    CHATTER_ENDLESS, /* none within the impacts allowed */
    CHATTER_MOVING,  /* none until the time allowed */
    CHATTER_BELOW,   /* none before impacts are below the numbers */
    CHATTER_JAMMED
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
    int *order;   /* the contacts hit, in order */
    size_t n_order;
    double time; /* of the limit, else of the last impact or of the end */
    double last; /* last impact that was resolved; NaN: none */
    bool limit;  /* a limit was taken; the first, unless the run went on to
                    another that left everything at rest */
    struct accumulation_limit chatter; /* period and ratio are means where the
                                    order repeats and its flights vary still */
    bool hoped;   /* LIMIT_BELOW_ROUNDING without acceleration: that its impacts
                     never end   is not shown, but for those that were followed */
    bool *group;  /* m: contacts of the limit, or those that close together */
    double speed; /* ratio of the approach speeds of successive periods */
    double exponent;
    const char *no_exponent; /* NULL: there is one */
    enum chatter_after after;
    double after_time;
    int after_contact;
    /* ENDLESS: impact_history_trend; period -1: unknown */
    int trend;
    double trend_ratio;
};

/* does a gap accelerate while all contacts are open? */
bool chatter_accelerates(const struct ballistic *ballistic);
/* l: started. until: no longer than to that time; least: impacts of a pattern
 * that are resolved at least (accumulation_resolve); most: impacts before it is
 * given up. Memory: the arena. */
void chatter_follow(struct arena *arena, struct ballistic *ballistic,
                    double until, long least, long most,
                    struct chatter_run *outcome);
/* The same without the history: no order and exponent, and period and ratio as
 * the limit has them. */
void chatter_decide(struct arena *arena, struct ballistic *ballistic,
                    double until, long least, long most,
                    struct chatter_run *outcome);

/* Right after flow_batch_ahead: what chatter_decide would make of run k,
 * allowed at least ACCUMULATION_RESOLVE impacts and all the time, where single
 * impacts in a row end it and nothing else: no contacts of a group, nothing
 * afterwards. False: it is to be followed. */
bool chatter_batch_verdict(const struct ballistic *ballistic, int k,
                           struct chatter_run *outcome);

/* A system whose motion is no parabola, by its flow (run_nonlinear.c). That no
 * contact ever closes again cannot be known there: after `until` the run ends.
 * first: its first contact. m, time, last, no_exponent of r: set before.
 * IMP_OK, or a status after a diagnostic. */
int chatter_follow_flow(struct arena *arena, struct flow *flow, uint32_t first,
                        double until, long most, struct chatter_run *outcome);

/* what the exponent is fitted to, one entry per impact */
struct chatter_trace;
struct chatter_trace *chatter_trace_new(struct arena *arena);
/* Impact at contact i, approach speed u, restitution e, N M^-1 N^T = W, after
 * that flight; NaN: not alone */
void chatter_trace_impact(struct chatter_trace *trace,
                          struct chatter_run *outcome, int i, double flight,
                          double u, double e, double W);
/* a limit: period, ratio, exponent; what follows is another story */
void chatter_trace_limit(struct chatter_trace *trace,
                         struct chatter_run *outcome);

#endif
