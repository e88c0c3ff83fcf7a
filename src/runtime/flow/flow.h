/* SPDX-License-Identifier: MIT */
/* The motion of one system in generalised coordinates from event to event:
 * free flight, impacts, contacts that stay closed, limits of infinitely many
 * impacts (chatter). Systems that move along parabolas are followed in closed
 * form (ballistic.h), all others by the Taylor series of their equations. Both
 * methods answer the same questions.
 *
 * A flow looks ahead (flow_peek) before it moves (flow_apply), so that several
 * systems and bodies can go on together: whatever comes first is applied, and
 * all others are asked for their state at that time (flow_at). */
#ifndef IMP_RUNTIME_FLOW_FLOW_H
#define IMP_RUNTIME_FLOW_FLOW_H

#include "runtime/ballistic/ballistic.h"
#include "runtime/friction/painleve.h"
#include "runtime/impact/impact_of_run.h"

enum flow_kind {
    FLOW_NONE,    /* no event: the end of a piece, or `until` */
    FLOW_IMPACT,  /* at one contact, or at several that do not act on each other
                   */
    FLOW_SEVERAL, /* at several contacts at once, resolved by the policy */
    FLOW_UNDECIDED, /* at several contacts at once, and no policy resolves it:
                       nothing has been applied (I4) */
    FLOW_CHATTER,   /* a limit of infinitely many impacts */
    FLOW_TOUCH,     /* a gap comes to zero without a rate and opens again */
    FLOW_SLIDE,     /* a contact stays closed from here on without an impact */
    FLOW_LEAVE,     /* a closed contact opens, because its force is zero */
    FLOW_MODES, /* contacts with friction stick, slip, or open from here on */
    FLOW_WITHOUT_COLLISION, /* an impact without collision, which the policy
                               `paradox = jump` takes */
    FLOW_JAM,   /* p falls to zero in slip; why: not NULL: the run stops there.
                   impulse: of an impact without collision that follows, or 0 */
    FLOW_JAMMED /* no forces and no impulses can keep all contacts closed */
};
struct flow_event {
    enum flow_kind kind;
    double time;
    uint32_t contact; /* its number in the model; the first of several */
    double impulse;   /* at this contact, in N*s or in the system's own units */
    uint32_t n; /* how many contacts took part; flow_contacts lists them */
    struct accumulation_limit chatter; /* of FLOW_CHATTER only */
    bool mixed; /* FLOW_CHATTER of bodies: among its impacts are those at points
                   that have another limit */
    /* FLOW_UNDECIDED with friction: what is consistent; NULL: the outcome
     * depends on the order of the impacts */
    const char *why;
    double gain; /* energy that an impact with friction adds; 0: none */
    bool tie;    /* contacts that act on each other approached alike, and the
                    order given decided which was first (law sequential) */
    bool loads;  /* how contacts share an impact is not unique, and the motion
                    depends on it; the impulses are those of least norm */
    /* the speed of contacts that close together from below the tolerance of
     * their gaps, where the model names no law of several; 0: nothing of it */
    double low;
    bool pushed; /* FLOW_IMPACT without friction: a contact that rests, and was
                    not hit, took an impulse */
    bool open_loads;   /* FLOW_UNDECIDED: because the motion, or an impact,
                          depends on how contacts share their loads */
    unsigned policies; /* FLOW_UNDECIDED, FLOW_JAM: paradox_policies */
};
/* A contact with friction that an event, of any kind, takes into another mode:
 * "stick", "slip", "reverse", "slide" (closed where mu is 0), "liftoff". */
struct flow_change {
    uint32_t contact; /* its number in the model */
    const char *word;
};
/* A choice of modes that changed something, or found no one motion, at one of
 * its contacts, a number in the model. */
struct flow_verdict {
    uint32_t contact;
    struct painleve_verdict is;
};
struct flow;

/* A flow that begins at the present state of the run's environment. NULL after
 * a diagnostic: the mass matrix is not positive definite, or a gap is negative
 * at the start by more than its tolerance. The memory belongs to the run, or
 * to what the runs of one model share; a system has one flow at a time. Nobody
 * asks for a time beyond `end`, which may be infinite. */
struct flow *flow_new(struct rt *run, uint32_t system,
                      enum ballistic_policy policy, double end);
/* The time of what comes next, at most `until`. Returns IMP_OK, or a status
 * after a diagnostic. */
int flow_peek(struct flow *flow, double until, double *time);
/* Has Ctrl-C asked the run of this flow to stop? */
bool flow_stopped(const struct flow *flow);
/* Will that be an event? Otherwise it is only the end of a piece. */
bool flow_eventful(const struct flow *flow);
/* Is what comes next a limit of chatter (after flow_peek)? */
bool flow_limit_ahead(const struct flow *flow);
/* Does anything end at that time, so that flow_apply does something? */
bool flow_ends(const struct flow *flow);
/* Moves to the time that flow_peek gave, and applies what happens there. */
int flow_apply(struct flow *flow, struct flow_event *event);
/* Tells FLOW_JAMMED in a diagnostic and returns IMP_FAILED. */
int flow_jammed(struct rt *run, uint32_t contact, double time);
/* Tells in a diagnostic that the gap of a contact, its number in the model, is
 * negative at the start, and returns IMP_BADMODEL. */
int flow_overlaps(struct rt *run, uint32_t contact, double gap);
/* An impact at n_hit contacts of a system (`hit`: numbers within the system)
 * at the present state, without a motion; all of these contacts approach.
 * n_hit = 0: nothing happens. `rests`: contacts that are closed and can only
 * push. Afterwards *out holds state, impulses and matrices. Returns IMP_OK, or
 * a status after a diagnostic. */
int flow_impact_now(struct rt *run, uint32_t system,
                    enum ballistic_policy policy, const int *hit, int n_hit,
                    const bool *rests, struct ballistic **out,
                    enum ballistic_event *what);
/* An impact of a system as a problem of runtime/impact, and its solver. The
 * problem has no bodies: each contact is a row of numbers, and the products of
 * the rows are the Delassus matrix. */
struct flow_impact {
    struct impact_of_run problem;
    struct impact_solver *solver;
    /* the arrays of the problem */
    struct impact_contact *point;
    double *row, *row_rate;
};

/* Memory for impacts at up to `most` contacts of a system with n coordinates
 * (most is at most IMPACT_CONTACTS_MAX). It belongs to the arena. */
void flow_impact_new(struct arena *arena, uint32_t n, uint32_t most,
                     struct flow_impact *out);
/* The impact at contacts of a system (`contact`: `count` > 0 numbers within the
 * system, whose first contact has the number `first` in the model), with their
 * rates and the sizes of the terms of these, as a problem that the solver has
 * prepared. motion: holds the matrices of the instant. Returns 0, or 1 if an
 * iteration did not converge. */
int flow_impact_read(struct flow_impact *out, struct rt *run, uint32_t first,
                     const struct ballistic *motion, int count,
                     const int *contact, const double *rate,
                     const double *terms);
/* The impact of the last event of a flow, where such a law was asked for it;
 * else NULL. If its solver has applied nothing, the flow has not either. */
const struct flow_impact *flow_last_impact(const struct flow *flow,
                                           const struct flow_event *event);
/* An impact of a system with friction at its present state. */
struct flow_friction_impact {
    int n, *contact; /* those that take part, closed ones too: their numbers
                        within the system, in rising order */
    const double *W; /* 2 n x 2 n */
    struct friction_group_impact group;
    const double *rates; /* of the coordinates, after */
};
/* The impact at n_hit contacts, all of which approach (`hit`: numbers within
 * the system), under the law of the world or of a command, without a motion.
 * Nothing happens for n_hit = 0. Memory: run->brief. Returns IMP_OK, or a
 * status after a diagnostic. */
int flow_friction_impact_now(struct rt *run, uint32_t system,
                             enum imp_impact_law law, const int *hit, int n_hit,
                             struct flow_friction_impact *out);
/* The contacts of the last event: their numbers in the model, and their
 * impulses. */
const uint32_t *flow_contacts(const struct flow *flow, const double **impulse);
/* The changes of modes of the last event, or of the start, *n of them. */
const struct flow_change *flow_changes(const struct flow *flow, uint32_t *n);
/* The choices of modes of the last event, or of the start, *n of them. */
const struct flow_verdict *flow_verdicts(const struct flow *flow, uint32_t *n);
/* What was possible where the last event, or the start, left the motion open
 * and the policy `paradox` has chosen; NULL: it has not. */
const char *flow_resolved(const struct flow *flow);
/* What there is to say where the last event, or the start, left closed
 * contacts whose forces are not unique; NULL: nothing. *matter: the motion
 * depends on them. */
const char *flow_loads(const struct flow *flow, bool *matter);
/* The series of coordinates and rates about time t, into 2n rows of
 * IMP_ROW_STRIDE, where contacts are closed: of the piece that the flow is on.
 * False: there is none, or the motion is free and its own series is at hand. */
bool flow_rows(struct flow *flow, double t, double *rows);
/* When this piece ends because a formula changes its branch, or a relay;
 * INFINITY: it ends otherwise. */
double flow_switch(const struct flow *flow);
/* Writes the state at time t into env; t lies between the last event and the
 * time that flow_peek gave. Returns IMP_OK, or a status after a diagnostic of
 * an observer. */
int flow_at(struct flow *flow, double t);
/* The same for a row of a record: on the way to a limit of impacts, which are
 * averaged out elsewhere, a ballistic system tells its flights. */
int flow_row_at(struct flow *flow, double t);
/* Hands the motion up to time t, as far as it has not been handed on, to
 * run->trace, which is there; t as for flow_at. flow_apply does so by itself.
 */
void flow_trace(struct flow *flow, double t);
/* Of a ballistic system: its matrices with the present params, whatever its
 * state is. They are the ones that its flow uses. Returns IMP_OK, or a status
 * after a diagnostic. */
int flow_matrices(struct rt *run, uint32_t system, struct ballistic **l);
/* Of a ballistic system: announces n runs that differ from the last one in
 * their restitutions alone. `e` holds the restitutions of the system's
 * contacts for each of these runs, `apart` numbers from one run to the next
 * (see ballistic_batch_prepare). Returns the ballistic motion if it stands at
 * the start of the last run and the set-up is still that of this run; else
 * NULL. */
const struct ballistic *flow_batch_ahead(struct rt *run, uint32_t system,
                                         const double *e, int n, int apart);
/* Do the matrices of flow_matrices depend on params alone? Then they are the
 * same as long as rt.start.version is. */
bool flow_by_params(struct rt *run, uint32_t system);
/* Of a ballistic system: its state and matrices, for whoever follows it
 * without a flow. NULL for all other systems. */
struct ballistic *flow_ballistic(struct flow *flow);
/* A contact of a system that Taylor series follow, at its last event. */
struct flow_contact {
    bool closed;
    double rate;     /* of the gap, after the event */
    double approach; /* before the last impact, if it was hit then; else 0 */
    double e, W;     /* restitution; N M^-1 N^T */
    bool pressed;    /* its gap accelerates while all contacts are open */
};
/* Reads contact i (its number within the system), after an event. */
void flow_contact_read(const struct flow *flow, uint32_t i,
                       struct flow_contact *out);
/* The greatest error of momentum, energy or rates at an event so far, as a
 * share of their terms, and its contact. 0: all are right to 1e-12. */
double flow_audit_worst(const struct flow *flow, uint32_t *contact);
/* At the start: is a gap rounded by more than *share of its size, or of the
 * height to which its rate takes it? Then its contact (in the model), its
 * rounding and the share are written, of the worst one. */
void flow_gap_rounding(const struct flow *flow, uint32_t *contact,
                       double *rounding, double *share);
/* The number of impacts that were resolved one by one. */
long flow_impacts(const struct flow *flow);

/* -- motion backward in time, without a flow ------------------------------- */

#define FLOW_NO_CONTACT UINT32_MAX
/* Is a gap of the system closed at the present state of env? Then *contact is
 * its number in the model. IMP_OK, or a status after a diagnostic: a gap is
 * negative. The contacts are open from here on. */
int flow_back_start(struct rt *run, uint32_t system, bool *closed,
                    uint32_t *contact);
/* The motion of the system back from the present state, whose contacts are all
 * open. *back, which comes in as the greatest length of time that is wanted:
 * for how long its series holds, at most up to where a gap was closed; then
 * *contact is its number in the model, else FLOW_NO_CONTACT. */
int flow_back_look(struct rt *run, uint32_t system, double *back,
                   uint32_t *contact);
/* Moves system and observers, but not the time, back by this length of time,
 * after flow_back_look. */
void flow_back_move(struct rt *run, uint32_t system, double back);

#endif
