/* SPDX-License-Identifier: MIT */
/* Inside the method of Taylor series: contacts with Coulomb's friction. Each
 * contact has two rows, the normal one (2 i) and the tangential one (2 i + 1),
 * which is 0 where the contact has no friction (runtime/friction/friction.h).
 */
#ifndef IMP_RUNTIME_FLOW_FLOW_FRICTION_PRIV_H
#define IMP_RUNTIME_FLOW_FLOW_FRICTION_PRIV_H

#include "runtime/accumulation/limit_series.h"
#include "runtime/flow/flow_priv.h"
#include "runtime/friction/friction.h"

/* Other contacts end their modes together with one whose root was found if they
 * are this near to their own, as a share of the terms. */
#define FRICTION_TOGETHER 1e-9
/* how many of the last impacts tell whether flights shrink */
#define FRICTION_FLIGHTS 8
/* Flights that take so many roundings of the time, or less, are rounding. */
#define FRICTION_TICKS 4.0
/* A limit that is known is taken when it leaves less than this share of the
 * time in which the motion changes: the square is rounding. */
#define FRICTION_LAW_SHORT 0x1p-26

/* One instant; 2m rows. */
struct friction_rows {
    double *mass;         /* n x n, factored */
    double *mass_of;      /* the same before */
    bool factored;        /* are these set? */
    int *piv;             /* n */
    double *J, *B;        /* 2m x n: gradients, and M^-1 of them */
    double *W;            /* 2m x 2m: J M^-1 J^T */
    double *free, *terms; /* accelerations without contacts, and sizes */
    double *pull;         /* n: sizes of the terms of accelerations */
    double *parts; /* as `terms`, but of accelerations as they are: margins of
                      verdicts are shares of these */
    double *speed, *speed_terms; /* rates of gaps and slips, and sizes */
    double *drift; /* what these are where the coordinates are at rest */
    double *had;   /* the greatest sizes of speeds at this instant: what impacts
                      and projections leave is rounded as these are */
    struct system_slip *slip; /* m: with the coefficients of friction */
};
/* The series of the present piece, m rows each: slip, friction, and how far the
 * friction is from both sides of its cone. */
struct friction_piece {
    double *slip, *friction, *minus, *plus;
    double *memory; /* 2m rows: impulse and compression of contacts */
};
/* The work of friction on the present piece up to `elapsed` (NAN: not known),
 * of each contact. */
struct friction_worked {
    double elapsed, *sum;
};
/* The last impacts, newest first. */
struct friction_flights {
    double time[2 * FRICTION_FLIGHTS + 1];
    int contact[2 * FRICTION_FLIGHTS + 1];
    double *last; /* m: of each contact */
    long n;
    double longest; /* flight of the last ones */
    double ratio;   /* of flights, the last one that rounding does not blur */
    double fastest; /* rate at which one of these hit, in the energy's norm */
    bool joined;    /* since the last limit the rounding of gaps has made one
                       impact of several, */
    double since;   /* for the first time at this time */
};
/* The limit of the impacts at one contact, where their law says when it comes:
 * they are not followed one by one until then. */
struct friction_limit {
    int contact;       /* -1: there is none ahead */
    double time, left; /* of the last two forecasts: when, and the time left */
    double rough;  /* of the last forecast that summed up flights: their time
                      if they shrank on as at its beginning */
    bool sticks;   /* every impact to come ends the slip */
    bool switched; /* forces change their branches within its flights */
    bool nested;   /* a limit of limits: of all contacts of the group */
    bool several;  /* of several contacts: what the forecast has followed */
    struct accumulation_limit is;
};
/* The last forecast of a limit of several contacts, which their impacts and
 * flights have been followed to. Lists are of m entries, or 2m. */
struct friction_turns {
    bool *group, *hit; /* those that rest there; those that are hit before */
    double *impulse, *moment; /* the sum of the impulses, and of these times the
                                 time left after each (2m) */
    double *slip, *work;
    double time, left; /* when it comes, and the time that was left; 0: there is
                          no forecast */
    double since;      /* the first of the limits that come in turns now */
    long wait;         /* impacts that come before another one is tried */
    bool may_gain;     /* a law that was used may add energy */
};
/* A slip whose p falls to zero: what the piece before began
 * with, m entries each. */
struct friction_watch {
    enum contact_mode *mode;
    double *time, *p, *mu, *normal;
    double *pushed;  /* the normal impulse since the slip began */
    int which;       /* the contact that jams next; -1: none */
    double exponent; /* its normal force grows as (t* - t)^exponent */
    bool by_slip;    /* p comes to 0 with the slip, and b does not */
};
struct taylor_friction {
    int *rub;                /* m: number among those with friction, or -1 */
    enum contact_mode *mode; /* m */
    enum contact_softness *soft; /* m */
    double *scale;               /* m: of its compliance; 0: it has none */
    double *fuzz; /* m: rounding of the force of its law: that of gap and rate,
                     through the law; 0 while the contact is rigid */
    bool *let_go; /* m: the force of its law has just come to zero */
    double *rest; /* 2m: between which forces its law lets it rest */
    double *gave; /* m: when it was held for the last time; NAN: never */
    double *memory; /* 2m: impulse since it touched, and of compression */
    bool *yields;   /* m: the policy makes it compliant now */
    bool *onset;    /* m: the slip begins with this piece, from 0 */
    double *begun;  /* m: what rounding has made of a slip that began with the
                       piece before (m/s); 0: none did */
    bool *still;    /* m: opens with this piece, without a rate */
    bool *zero;     /* m: the last impact, or the start, ended
                       the slip */
    double *normal, *tangential;         /* m: forces at the last choice */
    double *normal_now, *tangential_now; /* m: forces where the piece begins */
    bool struck;      /* an impact has ended these forces at this instant */
    double *work;     /* m */
    double *impulse;  /* 2m: of the last impact */
    double *approach; /* m: speeds of what was hit then, or 0 */
    bool may_gain;    /* a law of it may raise the energy */
    bool shared; /* closed contacts depend on each other: their forces are not
                    unique, and the roots of their series are no events */
    bool *fails; /* m: where these come to an end: what does so */
    bool shares_end; /* no such forces go on from here: what they have held and
                        what carries nothing now is not held by them again */
    double
        *v_size; /* n: the greatest rates on the last piece, by their terms */
    double *n_size; /* m: the same of normal forces */
    struct friction_rows rows;
    struct friction_piece piece;
    struct friction_worked worked;
    double elapsed; /* since the present piece began */
    struct friction_flights flights;
    struct friction_limit limit;
    bool *group; /* m: of a nested limit */
    struct friction_turns several;
    struct limit_series series; /* of the limits at its contacts so far */
    struct friction_watch watch;
    struct flow_change *change; /* 2m: what the last event changed */
    uint32_t n_change;
    struct flow_verdict *told; /* 2m: choices of the last event */
    uint32_t n_told;
    const char *why;      /* nothing has been decided: what is consistent */
    uint32_t why_contact; /* the contact that this is told of, by its number in
                             the model */
    unsigned policies;    /* that have something to choose there */
    int jump;             /* contact at which an impact without collision is to
                             be made; -1: none */
    bool plastic;         /* that one, without restitution */
    const char *open;     /* the policy has chosen: what is possible; or NULL */
    const char
        *loads; /* forces are not unique: what there is to say; or NULL */
    bool loads_matter; /* and the motion depends on them */
    bool loads_open;   /* nothing has been decided: because of that */
    double last_time;  /* of the last change of modes, */
    int repeats;       /* and how many there were at this time */
};

static inline bool
friction_slips(enum contact_mode mode)
{
    return mode == CONTACT_SLIP_POSITIVE || mode == CONTACT_SLIP_NEGATIVE;
}
static inline double
friction_sign(enum contact_mode mode)
{
    return mode == CONTACT_SLIP_POSITIVE   ? 1.0
           : mode == CONTACT_SLIP_NEGATIVE ? -1.0
                                           : 0.0;
}

/* Are the impacts of contact i left out until a limit? */
static inline bool
friction_left_out(const struct taylor_friction *friction, uint32_t i)
{
    return friction && friction->limit.contact >= 0 &&
           (friction->limit.contact == (int)i ||
            (friction->limit.nested && friction->group[i]) ||
            (friction->limit.several && friction->several.hit[i]));
}

/* Is contact i compliant now? It needs no impact, and keeps no gap. */
static inline bool
friction_soft(const struct flow *flow, uint32_t i)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    return friction && friction->soft[i] != CONTACT_RIGID;
}

/* Does it keep its depth, at rest between both branches of its law? */
static inline bool
friction_held(const struct flow *flow, uint32_t i)
{
    return friction_soft(flow, i) &&
           flow->taylor->friction->soft[i] == CONTACT_HELD;
}
/* Is its force that of its law? */
static inline bool
friction_given(const struct flow *flow, uint32_t i)
{
    return friction_soft(flow, i) && !friction_held(flow, i);
}

/* -- friction_soft.c ------------------------------------------------------ */

/* The series of the force that an open contact has by its law. */
const double *friction_soft_row(const struct flow *flow, uint32_t i);
/* A run that keeps contact i compliant begins; `touches`: gap and rate are 0.
 */
void friction_soft_start(struct flow *flow, uint32_t i, bool touches);
/* taylor_state.c. Of contacts that remember: takes the series of their
 * memory from the rows of the system; writes it for time t into env. */
void friction_memory_expand(struct flow *flow);
void friction_memory_tell(struct flow *flow, double t);
/* taylor_state.c. After friction_rows: nothing presses n contacts now. *grows:
 * what presses some of them begins to grow from 0; then accelerations and terms
 * of the instant become first coefficients (choice_presses_later), in
 * run->brief. Status of the tapes. */
int friction_presses_later(struct flow *flow, const int *contact, int n,
                           struct friction_instant *instant, bool *grows);
/* What ends the state of compliant contact i first, before `best`? Where
 * something does, then *best is when. */
void friction_soft_end(struct flow *flow, uint32_t i, double *best);
/* Contact next.hit[0] comes to touch or to push again, to rest, leaves rest, or
 * opens. */
int friction_soft_apply(struct flow *flow, struct flow_event *event,
                        enum taylor_next what);
/* Has its force come to zero together with something else that ends? The roots
 * are those of different series. */
bool friction_soft_ceased(const struct flow *flow, uint32_t i);
/* It has no force any more. */
void friction_soft_release(struct flow *flow, uint32_t i);
/* Takes the state onto what the contacts `on` (m) hold, and chooses their modes
 * there; see friction_choose_modes. */
int friction_settle(struct flow *flow, const bool *on, const bool *ended,
                    struct flow_event *event);
/* Is the law of contact i, which pushes, one of a contact at this gap and rate:
 * does it grow with the depth, and not fall with the speed? Else IMP_BADMODEL,
 * after a diagnostic. */
int friction_soft_check(struct flow *flow, uint32_t i, double gap, double rate);
/* Makes them compliant, as the policy wants it. */
void friction_soften(struct flow *flow, struct flow_event *event);

/* -- friction_rows.c ------------------------------------------------------ */

void friction_rows_new(const struct flow *flow, struct arena *arena,
                       struct friction_rows *rows);
/* Fills the rows at the present state. Returns IMP_OK, or a status after a
 * diagnostic. */
int friction_rows(struct flow *flow);
/* Tells that the coefficient of friction of contact i is `mu` (0: becomes
 * negative) now; returns IMP_FAILED. */
int friction_bad_mu(struct flow *flow, uint32_t i, double mu);
/* Another instant begins: forgets the speeds that there were. */
void friction_fresh(struct flow *flow);
/* Impulses (2m) act on the velocities. */
void friction_push(struct flow *flow, const double *impulse);
/* Takes the rates of these rows (2m), and the gaps of those that are normal
 * ones, to 0 (after friction_rows). */
void friction_project(struct flow *flow, const bool *row);
/* The rows that the present modes hold at 0, into row (2m). */
void friction_held_rows(const struct flow *flow, bool *row);
/* At the end of a piece: takes the state back onto what closed contacts hold.
 */
int friction_hold(struct flow *flow);
/* The rounding of a slip that sticks: of the speeds that friction has held. */
double friction_held_slip(const struct flow *flow, uint32_t i);
/* Memory, and the scales of the contacts that may be compliant. Status of the
 * tapes. */
int friction_soft_new(struct flow *flow);
/* The force of contact i by its law, not negative (after flow_instant). Status
 * of the tape. */
int friction_soft_force(const struct flow *flow, uint32_t i, double *force);
/* Can one of the contacts be compliant? Those that `on` names and that can are
 * marked to be made so. */
bool friction_soft_yields(struct flow *flow, const int *contact, int n);

/* The rate of contact i in the norm of the energy: the speed that an impulse at
 * it alone would have to take away. */
double friction_energy_rate(const struct flow *flow, size_t i);
/* NULL where no contact of the system has friction. */
struct taylor_friction *taylor_friction_new(struct flow *flow);

/* flow_impact.c. After an impact of contacts that bounce in turns: follows them
 * to their limit in constant accelerations. Where that comes so soon that the
 * motion does not change until then, and the last forecast agrees, it becomes
 * the limit that is ahead. */
void friction_foresee_several(struct flow *flow);
/* Takes the places at such a limit (after friction_rows), and leaves out of its
 * impulses what the forces of closed contacts have done on the way. */
void friction_take_moments(struct flow *flow);

/* -- friction_watch.c ----------------------------------------------------- */

/* Forgets what held at the beginning of the piece before. */
void friction_begin_piece(struct flow *flow);
/* Takes the series of contact i from the rows of the system, and asks for how
 * long they hold. */
void friction_expand(struct flow *flow, uint32_t i);
/* After that has been asked: a slip that begins with the piece, or is none,
 * begins with 0. */
void friction_begin_row(struct flow *flow, uint32_t i);
/* What ends a mode first, before `best`: into what, hit. Returns when. */
double friction_first_end(struct flow *flow, double best);

/* After the piece has been expanded: does a slip jam so soon that its limit can
 * be taken, within *end from now? Then *end is when. */
bool friction_jam_ahead(struct flow *flow, double *end);
/* Takes the state to its limit at the jam. The event tells of it. */
int friction_jam(struct flow *flow, struct flow_event *event);

/* -- friction_modes.c ----------------------------------------------------- */

/* Chooses the modes of the contacts `on` (m), after friction_rows. `ended` (m):
 * their mode has just come to its end. Sets event->kind to FLOW_UNDECIDED,
 * and changes nothing, where no motion is singled out. */
int friction_choose_modes(struct flow *flow, const bool *on, const bool *ended,
                          struct flow_event *event);
/* Has the normal force of contact i come to 0 at the end of the piece? A point
 * without a friction force leaves its cone only there. */
bool friction_unloaded(const struct flow *flow, uint32_t i);
/* The slip of contact i (after friction_rows); exactly 0 where it is rounding,
 * or where the contact sticks. */
double friction_present_slip(const struct flow *flow, uint32_t i);
/* Notes a change for flow_changes. */
void friction_note(struct flow *flow, uint32_t i, const char *word);
/* Notes a choice of modes at contact i for flow_verdicts. */
void friction_tell_verdict(struct flow *flow, uint32_t i,
                           struct painleve_verdict verdict);
/* Nothing has been decided, for this reason. */
void friction_undecided(struct flow *flow, struct flow_event *event,
                        const char *why);
/* The modes that would be chosen, and their normal forces (m each; forces are
 * NAN of contacts that are not `on`, and of all where nothing is singled out).
 */
int friction_try_modes(struct flow *flow, const bool *on, const bool *ended,
                       double *normal, enum contact_mode *mode);
/* Is this time on the present piece none, to some roundings of the time? */
bool friction_is_brief(const struct flow *flow, double elapsed);
/* Would the same modes be chosen `elapsed` from now on the present piece? And
 * for how long, if forces fall by these rates (friction_room)? -INFINITY: they
 * would not; fails (m, or NULL): at which contacts, where that can be told of
 * all together; apart: else which do not without those that do not act on them;
 * within > 0: where they would, which come to their cones in this time. */
double friction_stays(struct flow *flow, double elapsed, const double *rate,
                      bool *fails, bool apart, double within);
/* Writes forces, work and modes at time t into env. */
void friction_tell(struct flow *flow, double t);
/* Writes p and b at time t into env, for contacts of which a record asks for
 * them, and forces that contacts share. Status of the tapes. */
int friction_tell_points(struct flow *flow, double t);

/* -- flow_friction.c ------------------------------------------------------ */

/* An impact: who is hit, and how. */
struct struck {
    bool *hits;  /* m */
    bool *stays; /* m, or NULL: closed contacts that are not knocked off */
    enum imp_impact_law law;
    bool plastic;    /* nothing comes back */
    bool may_gain;   /* a law that was used may add energy */
    double *impulse; /* 2m */
};

struct struck friction_new_struck(struct flow *flow);
/* Contact i before the impact; a closed contact does not approach. */
struct friction_impact_point friction_point_of(const struct flow *flow,
                                               uint32_t i,
                                               enum imp_impact_law law,
                                               bool hits, bool plastic);
/* Is contact i closed without a rate, though no force presses it (after
 * friction_rows)? It takes part in impacts as those do that are pressed. */
bool friction_rests(const struct flow *flow, uint32_t i);
/* The same per contact (m, in run->brief) beside those that are hit now. What
 * the impact would close within the rounding of the time rests, too, though its
 * gap may be far above its own rounding, as -c is for c = 1e-19. noise: the
 * rounding of what the impact changes each rate by at the most, m/s. */
bool *friction_resting(const struct flow *flow, const struct struck *struck,
                       double *noise);
/* The contacts that hit, the closed ones and those that rest, with their rows
 * of W (after friction_rows). Returns how many there are; room for all m. */
int friction_read_group(const struct flow *flow, const struct struck *struck,
                        int *contact, double *W,
                        struct friction_impact_point *point);
/* -- friction_limits.c ---------------------------------------------------- */

/* Per contact (m): is it one of the last impacts, or of the last few roundings
 * of the time, across a limit? Closed contacts that a limit would knock off, as
 * one foot does the other, take part in it: they stay closed. In run->brief. */
bool *friction_hit_lately(const struct flow *flow);
/* Notes the impacts that happen now. Is the flight before one of them below the
 * rounding of the time? It comes back with the rate that the clock gives it. */
bool friction_note_impacts(const struct flow *flow);
/* Do contacts that were hit in turns, in flights that shrink, close together
 * now (those of hits, m) for no other reason than that flights have come down
 * to the rounding of the gaps? */
bool friction_hits_merge(const struct flow *flow, const bool *hits);
/* Will the flights go on to shrink, and is the time that they take together
 * below what shows? Then fills *limit and group (m). faint: flights are below
 * the rounding of the time; merged: below that of the gaps. */
bool friction_limit_reached(const struct flow *flow, bool faint, bool merged,
                            bool *group, struct accumulation_limit *limit);
/* After an impact: does the law of the impacts at its contact say when their
 * limit comes, and is that soon? Loads and coefficients change until then by a
 * share of what is left of the time in which the motion changes, so two
 * forecasts in a row differ by as much, and the change bounds the error. */
void friction_foresee_limit(struct flow *flow);

/* -- flow_friction.c ------------------------------------------------------ */

/* contacts that are closed at the start */
int friction_start(struct flow *flow);
/* Applies what ends the piece, at the present time. slid: time has passed, or
 * other contacts opened at this instant. */
int friction_apply(struct flow *flow, struct flow_event *event,
                   enum taylor_next what, bool slid);
/* -- flow_state.c */

/* Says that the forces of these n contacts of the system are not determined,
 * but of those that are free by their modes (NULL: none is). */
const char *flow_open_forces(const struct flow *flow, const int *contact,
                             const enum contact_mode *mode, int n);

#endif
