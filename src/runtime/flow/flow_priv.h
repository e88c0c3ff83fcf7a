/* SPDX-License-Identifier: MIT */
/* Inside the room: a flow, and the two methods to follow a system; then the
 * state of the method of Taylor series, and what its files ask of each other.
 * Letters: n coordinates q with rates v, m contacts, N the gradients of the
 * gaps (m x n), gap = N q + c. */
#ifndef IMP_RUNTIME_FLOW_FLOW_PRIV_H
#define IMP_RUNTIME_FLOW_FLOW_PRIV_H

#include "runtime/flow/flow.h"
#include "runtime/instance/system.h"
#include "runtime/motion/motion.h"

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
/* Puts the matrices of the state taylor->x into the flow, and the rows of its
 * contacts with friction. A status after a diagnostic. */
typedef int flow_matrices_now(struct flow *flow);
/* Compares the state after the event with what its impulses do. now: NULL, or
 * what tells matrices of the state before. Returns IMP_OK, or IMP_FAILED after
 * E0714. */
int flow_audit_after(struct flow *flow, const struct flow_event *event,
                     flow_matrices_now *now);

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

/* -- the method of Taylor series --------------------------------------------
 */

/* A gap counts as closed when it is smaller than this many roundings of its
 * terms. */
#define TAYLOR_NOISE 32.0
/* Flights within which forces change their branches, as dry friction does at
 * its top, tell a limit while they are longer than HIGH times one as high as
 * the rounding of the gap. They cannot be followed when the next one is shorter
 * than LOW of these: a piece that begins within it, at the change, finds its
 * gap closed there. */
#define SWITCHES_HIGH 32.0
#define SWITCHES_LOW 8.0
/* Opposite forces differ by twice their size, for a time that is known by its
 * own size. */
#define FAINT_BRANCHES 4.0
/* A gradient that is smaller than this share of its greatest length counts as
 * zero. Where a gap is a power of a length, its zero is known only to a root
 * of the rounding error. */
#define TAYLOR_FLAT 1e-7
/* how many flights are kept where several contacts chatter */
#define TAYLOR_FLIGHTS 4

/* What ends the present piece. NEXT_OPENS: a gap changes its branch, and the
 * ground is taken away under a closed contact. NEXT_SQUEEZED, NEXT_PARTS: the
 * gap of a closed contact that others hold falls, or rises. */
enum taylor_next {
    NEXT_NOTHING,
    NEXT_CLOSES,
    NEXT_TOUCHES,
    NEXT_CEASES,
    NEXT_OPENS,
    NEXT_SQUEEZED,
    NEXT_PARTS,
    NEXT_LIMIT,
    NEXT_MODE_ENDS, /* a contact with friction sticks or slips no longer */
    NEXT_MU_ENDS,   /* its coefficient of friction becomes negative */
    NEXT_JAMS,      /* its p falls to zero in slip */
    NEXT_RESTS,     /* its impacts come to their limit */
    NEXT_PRESSES,   /* a compliant contact begins to push */
    NEXT_LIFTS,     /* a compliant contact opens */
    NEXT_HOLDS,     /* a compliant contact comes to rest, pressed in */
    NEXT_GIVES,     /* it leaves that rest */
    NEXT_UNDECIDED  /* no motion is singled out from the start */
};
/* What comes next. */
struct taylor_next_event {
    bool known;
    enum taylor_next what;
    double time;
    int *hit, n_hit; /* its contacts */
    int guard;       /* the switching function that ends the piece, or -1 */
    bool switched;   /* what it changes has been looked at */
    bool slow;       /* of NEXT_PARTS: without a rate and an acceleration */
};
/* A row of a piece that is asked for how long it holds (taylor_row_time). */
struct taylor_asked {
    const double *row;
    double push;
    int order;
};
/* The series of the present piece, in rows of MOTION_STEP_ORDER + 1. */
struct taylor_piece {
    double began, h;     /* its beginning and length */
    double *state;       /* 2n rows */
    int order;           /* beyond this they are 0 */
    double *gap, *force; /* m rows each; of a rigid contact one of them: its gap
                            while it is open, its force while it is closed */
    struct taylor_asked *asked;
    uint32_t n_asked;
    const double *tells; /* the row that told the length of the last piece */
};
/* m each: the sizes of the terms that gaps and rates are sums of. Their
 * rounding errors are shares of these. */
struct taylor_terms {
    double *gap, *rate;         /* at the beginning of the piece */
    double *gap_max, *rate_max; /* the greatest so far */
    double *gap_since;          /* the greatest of the gap since the last
                                   impact */
    double *gradient_max; /* the greatest length of the gap's gradient so far */
    /* what the load of a closed contact would have made of gap, rate and, where
     * it sticks, slip on one piece without its force: the greatest so far */
    double *gap_held, *rate_held, *slip_held;
};
/* m each */
struct taylor_contacts {
    bool *closed;
    bool *opening;  /* has just been hit: gap 0, and it opens */
    bool *released; /* its force has just become zero: gap, rate and
                       acceleration are 0 */
};
/* Which switching functions changed their branch: since the last impact, and in
 * the flight before it. */
struct taylor_branches {
    bool *changed, *changed_before;
    bool switches; /* forces have changed their branches in the flight before
                      the last impact: it was no parabola, and errors of
                      forecasts fall as the time that is left does */
};
/* Impacts in a row at one contact. */
struct taylor_single {
    int contact;
    int impacts;
    double rate, acc; /* with which the gap closed at the last */
    /* the limit that was foreseen right after the last, and its error;
     * -INFINITY: none */
    double foreseen, off;
    double *highest; /* m: from where each contact has fallen at most */
    bool *group;     /* m: this contact alone */
    double *rates;   /* 2 x n: behind the last impact, and the one before */
};
/* Impacts at one time. */
struct taylor_again {
    double time;
    int impacts;
};
/* Flights that have become shorter than the rounding of the time. */
struct taylor_faint {
    bool now;       /* there is a limit, and it is now */
    int impacts;    /* with such flights, one after the other */
    bool *contacts; /* m: that were hit in these */
};
/* When the limit of these contacts was predicted last: the limit, and the time
 * that was left. A limit of limits is predicted again after each of these. */
struct taylor_predicted {
    bool *group; /* m */
    double limit, left;
};
/* Chatter at several contacts. */
struct taylor_several {
    struct ballistic
        *probe;   /* the parabola that touches the motion at the last impact */
    long impacts; /* and limits since the chatter may have begun */
    double flight[TAYLOR_FLIGHTS], time; /* the flights between these, and the
                                            time of the last */
    double predicted;                    /* the limit, after this impact */
    double foreseen;    /* the limit, when it was last predicted */
    double limit;       /* the one that was accepted; -INFINITY: none */
    double left_before; /* the time that was left at the prediction before */
    struct taylor_predicted was, aside; /* of `group`, and of another */
    double error;                       /* a bound of the error of `limit` */
    double rest, round; /* the last limit at one contact, which was taken, and
                           the time between the one before and it */
    double longest;     /* flight since the flights began to shrink */
    bool shrinks;       /* the last ones do */
    int pauses;     /* impacts since the last prediction where they did not */
    bool lawful;    /* the restitutions stay what they are until the limit */
    long wait;      /* where they do not: impacts before the next prediction */
    double fastest; /* speed after one of these impacts, in the norm of the
                       energy */
    bool *group;    /* m: the contacts that chatter */
    struct taylor_faint faint;
};
/* The motion from the last impact to a limit, and beyond (limit_path.c). */
struct taylor_path {
    double from, land; /* until `land` gaps close, then it slides */
    double *landing,
        *sliding;     /* 2n rows each, from `from`, and from `land` on */
    bool *closed;     /* m: the contacts along which it slides */
    double *x, *rate; /* 2n and m: for its making */
};
/* What the last forecast of a limit was. The next one is made when at most half
 * of the time is left; what both differ by bounds the error. */
struct taylor_forecast {
    int n;           /* forecasts of this limit so far */
    bool *group;     /* m: its contacts */
    double left;     /* the time that was left */
    double parabola; /* the limit of the parabola that touches the motion */
    double time;     /* the limit */
    double ratio;    /* of the flights there */
    long impacts;    /* until then */
    /* the last of them that was made with its state, which costs much more */
    struct taylor_placed {
        bool known;
        double left, time; /* then, of the limit */
        double *x;         /* 2n: the state there */
        double off;        /* its error; INFINITY: not known */
    } placed;
};
struct taylor_friction;
struct taylor_flow {
    struct taylor_friction *friction; /* NULL where no contact has friction */
    double now;                       /* the time of the state */
    double *x, *lo; /* 2n: the state, and its low parts (compensated.h) */
    double *relays; /* 2n: for relays_settle; NULL: the system has none */
    struct taylor_next_event next;
    struct taylor_piece piece;
    struct taylor_terms terms;
    struct taylor_contacts contacts;
    struct taylor_branches branches;
    struct ballistic *instant; /* the present instant, as taylor_instant made it
                                */
    bool looked_at;            /* flow->instant is that of the present state */
    struct taylor_again again;
    struct taylor_single single;
    struct taylor_several several;
    struct taylor_forecast forecast, aside; /* of this group, of one before */
    struct taylor_path path;
    struct accumulation_limit chatter; /* what the limit ahead rests on */
};

#define ROW (MOTION_STEP_ORDER + 1)
/* the order of the state where all accelerations are constant, and one more */
#define PARABOLA_ORDER 3

/* -- taylor_state.c ------------------------------------------------------- */

/* The acceleration of coordinate j that the forces of closed contacts make,
 * without signs (after the series of the motion with closed contacts). */
double taylor_pushed(const struct flow *flow, uint32_t j);
/* Adds the work of friction until `elapsed` from the beginning of the piece,
 * into work (m); for systems with friction. */
void friction_work(const struct flow *flow, double elapsed, double *work);
/* Tells the energies in compliant contacts at the time t; for systems with
 * friction. */
void friction_tell_stored(struct flow *flow, double t);

/* Writes time and state into env. The state is the flow's own, and env holds
 * whatever time was asked for last, so every evaluation begins with this. */
void taylor_to_env(struct flow *flow);
/* Tells the tapes which contacts are closed: `on` (m; NULL: none), or those of
 * the state. */
void flow_set_active(struct flow *flow, const bool *on);
void taylor_set_active(struct flow *flow);
/* What the load of contact i, if it is closed, would make of gap and rate
 * within `length` from the beginning of the present piece is among
 * terms.gap_held and terms.rate_held from here on. */
void taylor_hold_terms(struct flow *flow, uint32_t i, double length);
/* Moves the state to time t along the present piece. */
void taylor_advance(struct flow *flow, double t);
/* Matrices, gaps and rates at the present state, and the accelerations without
 * contacts (into flow->instant.acc). Status of the tapes. */
int taylor_free_instant(struct flow *flow);
/* The present instant as a problem for ballistic.h (taylor->instant): the
 * accelerations of free motion, and what the accelerations of the gaps have
 * beyond N a. `on`: the contacts that are closed. Returns IMP_OK, or a status
 * after a diagnostic. The tapes are told of the contacts of the state. */
int taylor_instant(struct flow *flow, const bool *on);
/* The same again, right after it and at the same state, for other contacts. */
int taylor_instant_on(struct flow *flow, const bool *on);
/* Takes positions and velocities of that instant back into the state. */
void taylor_take_back(struct flow *flow);
/* The greatest speed of the contacts that close at this instant, if the flight
 * of each has been so low that the tolerance of its gap does not tell it from
 * rest; else 0. rate, acceleration: of all gaps, `stride` apart. */
double taylor_low_speed(const struct flow *flow, const double *rate,
                        const double *acceleration, int stride);
/* The impact at the contacts that close at this instant (after taylor_instant).
 * Where the model names no law of several, low ones go by complementarity. */
enum ballistic_event taylor_instant_impact(struct flow *flow,
                                           struct flow_event *event);
/* After that: contacts that had opened at this very instant (`fresh`, m
 * entries) are still opening. */
void taylor_refresh(struct taylor_flow *taylor, const bool *fresh, uint32_t m);

/* Tells that the mass matrix is not positive definite; returns IMP_FAILED. */
int taylor_no_mass(struct flow *flow);
/* At the end of a piece, with gaps in flow->instant: are those of closed rigid
 * contacts 0 but for what a piece leaves, which is taken back then? IMP_FAILED
 * after a diagnostic: there is no place where all of them are 0, as between
 * walls that have come together. */
int taylor_has_place(struct flow *flow);

/* Chooses which relays are held, and takes their rates to 0 (where
 * taylor->relays is not NULL). */
int taylor_relays_settle(struct flow *flow);

/* -- flow_grazing.c: branches
 * --------------------------------------------------------
 */

/* The present piece ends where a formula changes its branch. Does a contact
 * open there at once? Returns IMP_OK, or a status after a diagnostic (a gap
 * that jumps below zero). */
int taylor_switch_ahead(struct flow *flow);
/* Applies the change of branch, at the time that taylor_switch_ahead looked
 * at. */
int taylor_switched(struct flow *flow, struct flow_event *event);
/* Behind an impact the state has been taken onto the contacts, which may have
 * moved it over a change of branch of a gap, as of ground with a corner: of
 * those that are to stay closed (m) the ones whose rate by the new branch is
 * more than rounding do not. opens (m): these part; the others are hit at once.
 * After taylor_instant; true: there are such contacts. */
bool taylor_gaps_turn(struct flow *flow, bool *still, bool *opens);

/* -- flow_grazing.c ---------------------------------------------------------
 */

/* The time for which a row holds; see there. */
double taylor_row_time(const double *row, double push, int order);
/* The least of such times so far, and powers of it, of its half and of its
 * sixteenth, with which a row that holds for longer is seen at once. */
#define TAYLOR_ASKED 8
struct taylor_limit {
    double time, power[TAYLOR_ASKED], half[TAYLOR_ASKED],
        sixteenth[TAYLOR_ASKED];
};
/* Lets the limit fall to a time. Begins with INFINITY. */
void taylor_limit_by(struct taylor_limit *limit, double time);
/* The row will be asked, too: it is not to change until then. */
void taylor_ask(struct taylor_piece *piece, const double *row, double push,
                int order);
/* Asks them. What told the length of the last piece mostly tells that of this
 * one: asked first, it spares the others their logarithms. The result does not
 * depend on the order. */
void taylor_limit_asked(struct taylor_piece *piece, struct taylor_limit *limit);
/* Is the gap of open contact `which` nothing but rounding for `length` from the
 * beginning of the piece, because closed contacts hold it closed? */
bool taylor_gap_held(const struct flow *flow, uint32_t which, double length);
/* The first root in (0, length] at which a polynomial that is positive at first
 * (or 0 and rising) becomes negative. Zeros at 0 are divided out. Coefficients
 * 0 and 1 count as 0 when they are below noise0 and noise1. */
bool taylor_falls(const double *row, double length, double noise0,
                  double noise1, double *root);
/* The same, but where the row comes to 0 and rises again at once what it
 * belongs to goes on: that is what was consistent until then, and whether the
 * row falls below 0 in between is rounding. */
bool taylor_falls_through(const double *row, double length, double noise0,
                          double noise1, double *root);

/* The first time *touch in [0, length] at which a gap is zero within rounding,
 * without a rate. `size` and `speed` are the sizes of the terms of gap and
 * rate at 0. */
bool taylor_touch(const double *g, double size, double speed, double h,
                  double *s);
/* Applies such a touch: the contact opens again, or stays closed from here on.
 */
int taylor_touched(struct flow *flow, struct flow_event *event);
/* At the end of a piece of this length, in which nothing closes: contacts that
 * were opening still do so where rounding alone tells whether they have left,
 * as where a force changes its branch as soon as they move. No other one is
 * opening, or released, any more. */
void taylor_open_on(struct flow *flow, double length);
/* Is the acceleration of this gap, which opens without a rate, rounding? */
bool taylor_begins_to_open(const struct flow *flow, uint32_t which);

/* -- friction_rows.c: closed contacts on grounds that move ------------------
 */

/* Does the gap of a closed contact that depends on the others leave 0 on the
 * piece from now on, of this length in s? Then that is what comes next, now:
 * NEXT_SQUEEZED or NEXT_PARTS. Asked right after the piece was made. Returns
 * IMP_OK, or a status after a diagnostic. */
int taylor_parting(struct flow *flow, double length);
/* Where forces of closed contacts depend on each other, those of the series are
 * the ones of some of them. Lets go of contacts without friction that would
 * pull there, as others hold their gaps. Asked after an event, whose instant
 * is known. Status of the tapes. */
int taylor_unload(struct flow *flow);
/* Asked at each impact, before it: can impacts at this one time end? They
 * cannot where a moving ground leaves no room. Changes taylor->instant. Returns
 * IMP_OK, or a status after a diagnostic. */
int taylor_impacts_end(struct flow *flow, bool *ends);
/* Applies that: FLOW_JAMMED, or the contact opens. Returns as taylor_parting.
 */
int taylor_part(struct flow *flow, struct flow_event *event);

/* -- flow_accumulation.c
 * ------------------------------------------------------- */

/* At an impact: notes whether forces have changed their branches in the flight
 * before it, which took `flight` (s; INFINITY: it was the first). */
void taylor_branches_note(const struct flow *flow, double flight);
/* Notes an impact at contact c, and at `together` contacts in all. */
void taylor_accumulation_count(struct flow *flow, int c, int together);
/* What ends the piece is known. A limit before the end of the run, within the
 * piece, takes its place. Returns IMP_OK, or a status after a diagnostic. */
int taylor_accumulation_first(struct flow *flow);
/* Forgets all impacts that looked like the beginning of chatter. */
void taylor_accumulation_forget(struct taylor_flow *taylor);
/* Forgets a limit that was predicted. */
void taylor_accumulation_doubt(struct taylor_flow *taylor);
/* Moves to the limit ahead. */
int taylor_accumulation(struct flow *flow, struct flow_event *event);

/* -- limit_path.c --------------------------------------------------------- */
/* The parabola that touches the motion at the last event; *out is NULL if there
 * is none. *room: memory that an earlier one has left, or NULL; it gets that of
 * this one. */
int flow_touching_parabola(struct flow *flow, struct ballistic **room,
                           struct ballistic **out);

void taylor_path_new(struct flow *flow);
/* Notes an impact at taylor->single.contact, on the piece that it ends. */
void taylor_fall_note(struct taylor_flow *taylor);
/* Is the limit at this contact known right after an impact, to the rounding
 * `noise` of its time? *time: that of the parabola, and then with the second
 * term of the motion, which tells all but its square; `scale`: the time in
 * which the motion changes. The forecast after the impact before has told the
 * same limit. Where it is known, taylor->chatter says how well. */
bool taylor_fall_known(struct flow *flow, double noise, double scale,
                       double *time);
/* Makes flow->taylor->path: the motion from now on through a limit of impacts
 * at the contacts `group` (m), `left` seconds from now. False: it cannot be
 * evaluated. */
bool taylor_path_make(struct flow *flow, const bool *group, double left);
/* The state on the path at time t, into x (2n). */
void taylor_path_at(const struct flow *flow, double t, double *x);
/* Replaces the rates at a limit at one contact, in flow->taylor->x, where
 * forces change their branches within each flight: the path knows only one of
 * these. The rates behind impacts come to those at the limit by the ratio of
 * the flights. */
void taylor_path_rates(struct flow *flow);
/* The 2n rows of the path at time t, and the time since they begin. */
const double *taylor_path_rows(const struct flow *flow, double t,
                               double *elapsed);
/* Hands the coordinates along the 2n rows of a state, in the time since `base`,
 * to run->trace, for the times from .. t. */
void taylor_rows_trace(struct flow *flow, const double *rows, double base,
                       double from, double t);
/* The same of the path, from the present time to t. */
void taylor_path_trace(struct flow *flow, double t);
/* Forecasts begin when the time that is left is this share of the time for
 * which the series of the motion holds. */
#define FORECAST_BEGIN 0.125
/* The error of the second of two predictions of one limit, whose errors go
 * with a power of the times left. The result is twice the leading term. */
double taylor_settled(double change, double left, double before, int power);
/* Predicts where the parabola that touches the motion after the last impact
 * comes to the limit of its impacts, where a forecast will ask for it:
 * several.predicted, or -INFINITY. Accepts the limit as several.limit when two
 * predictions in a row agree to the rounding of the time or of the gaps.
 * Returns IMP_OK, or a status after a diagnostic. */
int taylor_predict(struct flow *flow);

#endif
