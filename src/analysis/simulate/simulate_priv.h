/* SPDX-License-Identifier: MIT */
/* Inside `simulate`: the state of one run, and what its files do for each
 * other. Calls go down this list of files alone:
 *
 *   simulate.c              options, record
 *   event_loop.c            from event to event; hands each event on
 *   fast_flights.c          impacts of vertices on planes, of balls; rows
 *   touches.c               all that happens at contacts that close
 *   vertex_impact.c         an impact at vertices of resting polytopes
 *   accumulation.c, _group.c, _join.c: limits of infinitely many impacts
 *   persistent.c            which closed contacts carry a force
 *   impacts.c, tangency_policy.c, polytope_verdict.c, overlaps.c, systems.c,
 *   paradox.c, resting_polytopes.c, accumulation_record.c, recorded_rows.c */
#ifndef IMP_ANALYSIS_SIMULATE_SIMULATE_PRIV_H
#define IMP_ANALYSIS_SIMULATE_SIMULATE_PRIV_H

#include "analysis/collision/verdict.h"
#include "runtime/accumulation/flight_history.h"
#include "runtime/accumulation/limit_series.h"
#include "runtime/balls/balls.h"
#include "runtime/clocks/clocks.h"
#include "runtime/events/event.h"
#include "runtime/events/vertex_plane.h"
#include "runtime/instance/saved_state.h"
#include "runtime/local/local.h"
#include "runtime/modes/accumulation_forecast.h"
#include "runtime/modes/contact_set.h"
#include "runtime/modes/friction_forecast.h"
#include "runtime/modes/friction_modes.h"
#include "runtime/modes/mode_select.h"
#include "runtime/motion/persistent.h"
#include "runtime/rubbing/rubbing.h"

struct simulated_contact {
    enum event_watch watch;
    bool through, overlap;  /* the option names it; its bodies overlap now */
    double depth_from;      /* the greatest depth is known until this time */
    double touch_time;      /* time of the last touch without impulse, */
    int touches;            /* and how many there were at this time */
    double slid_time;       /* it slid to another feature */
    double left_time, gone; /* it rose, where has_left; friction let it go */
    bool has_left, pressed; /* at this event: no rate, and pressed together */
    double still; /* while pressed: the rate (m/s) that counts as none */
    bool yields;  /* it is pressed in: its modes tell no lift-off */
    struct flight_history flights;
};

/* vectors that grow (VEC_PUSH), in memory of the C library */
struct numbers {
    double *v;
    size_t n, cap;
};
struct texts {
    const char **v;
    size_t n, cap;
};
struct contact_numbers {
    uint32_t *v;
    size_t n, cap;
};

/* the events so far, one entry each, and remarks */
struct event_log {
    struct numbers time, impulse;
    struct texts kind, class, contact;
    struct contact_numbers number; /* the same contacts as numbers */
    struct texts remarks;
    size_t total;    /* events, whether they are listed or not */
    size_t left_out; /* remarks on impacts beyond SIMULATE_REMARKS */
    struct event_tallies *tallies; /* NULL: every event is kept, or none came */
};
/* the choices of modes so far that changed something, one entry each */
struct verdict_log {
    struct numbers time, a, b, p_plus, p_minus, margin;
    struct texts contacts, verdict, cell;
};
/* remarks on impacts that are kept, before those that are alike become one */
#define SIMULATE_REMARKS 4000
/* the expressions of `record` at the times asked for and at events */
struct recorded_rows {
    const imp_val *item; /* the expressions */
    uint32_t n_items;
    size_t width;          /* numbers of one row */
    double *buffer;        /* room for one row */
    struct numbers time;   /* of each row */
    struct numbers values; /* all rows */
    struct numbers times;  /* asked for: ascending, up to `until`, each once */
    struct numbers again;  /* those of `at` that came more than once */
    size_t next;           /* the first of `times` that is still to come */
    bool keeps_states;     /* the whole state is kept at each of these times, */
    struct numbers states; /* state after state */
    bool before; /* the row to come is before an event, one after it follows */
    bool jumped; /* loads have jumped where a row was asked for */
    bool fresh;  /* the last row is of the present state */
    bool asked, only; /* the present time was; no other has rows */
};

/* polytopes that nearly rest, whose points are watched one by one */
struct resting_polytopes {
    struct watched_contact *over;
    struct watched_contact *memory; /* per contact: `room` and `released` of
                                         the last time it was watched */
    uint32_t n;
    bool *is_over; /* per contact: it is one of them; NULL before the start */
};

/* what is reported once in a run, or seldom */
struct already_reported {
    bool law, low, no_pull; /* laws differ; below the tolerance; no pull */
    int laws_compared;      /* impacts for which this was asked */
    double gain[2];         /* the greatest ones that were told: W0721, W0734 */
    bool shared_forces;     /* forces that are not determined, */
    bool *shared_by;        /* and those of contacts of each system */
    bool loads;             /* a motion that depends on how loads are shared */
    bool not_shown;         /* modes that were not shown to be the only ones */
};

/* The options of the command. */
struct simulation_options {
    double until; /* the end of the run, s */
    size_t keep; /* every so many-th event is listed; 0: none. Rows are recorded
                    at events only if it is 1 */
    bool all;    /* search = all: no fast way for discs and spheres */
    double events;  /* the most events */
    double capture; /* m/s; 0: none */
    enum imp_policy policy;
    bool has_policy;
};
/* The limits of infinitely many impacts that were taken. */
struct limits_taken {
    struct limit_table *table;       /* NULL: none so far */
    struct singular_table *singular; /* NULL: the motion has gone on */
    long n;
    bool wordless; /* nobody reads what is said of them */
};
struct overlaps {
    bool any;         /* bodies did overlap */
    double depth_max; /* of all of them, m */
};
struct run_log;
/* Some of all contacts: per contact if it is one of them, and their list. With
 * many contacts it is emptied by its list, not made anew. */
struct marked_contacts {
    bool *on;
    uint32_t *contact, n;
};

struct simulation {
    struct analysis *analysis;
    struct run_log *trace; /* of analysis/trace; NULL: the run is not traced */
    size_t unseen;  /* impacts since the trace has looked at the energies */
    bool behind;    /* the states of the bodies are those of an earlier time */
    struct rt *run; /* analysis->rt */
    const imp_command *command;
    struct simulation_options options;
    double target;       /* the run goes on to this time at once, s */
    double reached;      /* the time that it came to, once it is over, s */
    _Atomic double done; /* share of the time, for the line on a terminal */
    bool stopped; /* by a policy, or where the outcome is not unique (I4) */
    int impacts;  /* so far, without those of fast_flights.c */
    bool loads_told, strain_told, begun; /* warnings, once a run; past start */
    struct collapse *collapse;           /* NULL: nothing has touched yet */
    int errors;                          /* of the program before this run */
    bool has_energy;
    double energy_before; /* total energy at the start, J */
    struct simulated_contact *contacts;
    uint32_t n_contacts;  /* grows where contacts are made (contact_table.h) */
    unsigned long serial; /* of the last contact made that is known here */
    enum event_watch *watch; /* per contact: what the next search looks for */
    /* contacts of body i: of_body[first_of_body[i] .. first_of_body[i + 1]) */
    uint32_t *of_body, *first_of_body;
    struct rewatched {
        /* contacts whose watch may have changed since it was chosen */
        uint32_t *contact, n;
        bool *on;  /* per contact: it is in the list */
        bool only; /* nothing else may have changed what is looked for */
        /* the last choice looked at the first n_chosen of the list alone */
        bool chosen;
        uint32_t n_chosen;
    } rewatched;
    struct {                /* of the present event alone; else empty */
        const char **class; /* per contact: its class, NULL: not of the event */
        struct marked_contacts touches, done;
        unsigned char *part; /* per contact, impacts.c */
        struct marked_contacts asked, listed;
    } touching;
    struct recorded_rows rows;
    struct along *along; /* of analysis/along; NULL: nothing is asked of it */
    struct event_log log;
    struct verdict_log verdicts;
    struct already_reported reported;
    struct flow **flows;          /* per system */
    struct vertex_planes *planes; /* NULL: vertices are left to the search */
    struct balls *balls;          /* NULL: balls are left to the search */
    struct local *local;   /* NULL: the search asks all pairs at each event */
    struct clocks *clocks; /* NULL: all series begin anew at each event */
    struct resting_polytopes resting;
    struct mode_change mode_change; /* the next one of closed contacts */
    /* a rotor, a joint has friction; the next one whose mode changes, when */
    bool rotors, rubbing;
    uint32_t rotor;
    struct rubbing_change rub;
    double rotor_time, rub_time;
    struct saved_state face_end; /* of CHANGE_FACE_END and CHANGE_FEATURE */
    double face_from; /* when that was seen to come, perhaps just after it */
    double *changed;  /* per block: when what acts on it was chosen last (s) */
    struct {          /* where corners have changed over the last time */
        double time;
        uint32_t contact; /* 1 + its number */
    } corner;
    struct {                    /* of the option `capture` */
        double stated, fastest; /* m/s; the greatest one of what sticks */
        double reach;    /* to this gap (m) smooth bodies are of an impact */
        bool now, ended; /* impacts, and ends of slips, at this event */
        long n, rounds;  /* captures; impacts at the time `time` */
        double time, energy, slip; /* J that this took; the fastest, m/s */
        long alike;   /* impacts with several motions, of which one was taken */
        double apart; /* by how much these differ, at most (m/s) */
    } captures;
    const bool *struck; /* NULL, or contacts hit by their ground: not told */
    struct { /* the last point that came down at a contact that is held */
        uint32_t contact; /* and 1 */
        double time;
        size_t events; /* told by then */
    } closing;
    uint32_t found_contact; /* of the last touch; UINT32_MAX: modes changed */
    double slid_time;       /* the last one of all contacts */
    /* changes between stick and slip at one time, and impacts until then */
    double modes_time;
    int modes_changed, modes_impacts;
    bool modes_inner;
    struct accumulation_work *accumulation; /* NULL until it is needed */
    struct forecast_memory lines, moved; /* of forecasts; moved: limit_error */
    struct limits_taken taken;
    struct overlaps overlaps;
    struct pairs_without_contact *pairs; /* NULL: none is watched */
    bool tells;   /* the engine itself has written what contacts tell */
    bool follows; /* of another command, which says until when */
    struct simulation *next; /* one that is given back with it; or NULL */
};

/* the contacts, bodies and contact points of one prediction */
struct limit_group {
    bool *contact, *body;
    bool *follows; /* contacts that are followed on the way alone, or NULL */
    double turn;   /* how fast impulses turn (1/s), of limit_window */
    int n;         /* points: states, Delassus matrix, sizes of terms of gaps */
    struct contact_point *spot;
    struct contact_point_state *point;
    double *G, *e, *place;
    uint32_t *feature; /* of POINT_SMOOTH: which one of the polytope is near */
    bool friction;     /* a point has friction, and `slid` leads to the limit */
    struct friction_forecast slid;
    double apart;            /* of limit_rounded: a share of the speeds */
    struct limit_rows *rows; /* that are asked for before the limit, or NULL */
};

/* simulate.c: a simulation that begins at the present state, in the memory of
 * the run; simulation_free gives its growing lists back. */
struct simulation *simulation_new(struct analysis *analysis,
                                  const imp_command *command);
/* Reads the options. IMP_OK, or a status after a diagnostic. */
int simulation_prepare(struct simulation *sim);
/* The run by Taylor series and closed forms. */
int simulation_by_series(struct simulation *sim);
/* A run by an engine, with a number of its own, that is told and kept. */
typedef int simulation_run_fn(struct simulation *sim, double number);
int simulation_shown(struct simulation *sim, simulation_run_fn *run,
                     double number);
/* Fills the record of a run that ended so; the status of the command. */
int simulation_put(struct simulation *sim, struct record *out, int st);
void simulation_free(struct simulation *sim);
/* For other commands: runs from the start to the time `until`, as `simulate`
 * does. *stopped: it ended before that. Status; errors are told. */
int simulation_follow(struct analysis *analysis, const imp_command *command,
                      double until, bool *stopped);
static inline void
simulate_mark(struct marked_contacts *marked, uint32_t contact)
{
    if (marked->on[contact])
        return;
    marked->on[contact] = true;
    marked->contact[marked->n++] = contact;
}
/* None is marked from now on. */
static inline void
simulate_unmark(struct marked_contacts *marked)
{
    for (uint32_t i = 0; i < marked->n; i++)
        marked->on[marked->contact[i]] = false;
    marked->n = 0;
}
/* Contacts that were made since the last call are open. */
void simulate_contacts_made(struct simulation *sim);
struct marked_contacts simulate_marks_new(struct arena *arena, uint32_t n);
/* What the search looks for at a contact from now on. */
static inline void
simulate_watch(struct simulation *sim, uint32_t contact, enum event_watch watch)
{
    sim->contacts[contact].watch = watch;
    if (watch == WATCH_LEAVE)
        event_handled(sim->run, contact);
    local_touches(sim->local, contact);
    clocks_touches(sim->clocks, contact);
    if (sim->rewatched.on[contact])
        return;
    sim->rewatched.on[contact] = true;
    sim->rewatched.contact[sim->rewatched.n++] = contact;
}

/* What the event loop does after a handler: handlers do not call each other. */
enum next_step {
    STEP_DONE,    /* the event is dealt with */
    STEP_AS_TOUCH /* treat the contact as one that the search found to close */
};

/* A list of contact points that grows, in run->brief; {0}: empty. */
struct point_list {
    struct contact_point *spot;
    int n, room;
};

/* -- recorded_rows.c, the options `record`, `at`, `every`: with a status --- */
int simulate_read_items(struct simulation *sim);
/* The names of some contacts, in a sentence. */
const char *simulate_names(struct simulation *, const uint32_t *, uint32_t n);
void simulate_repeat_rows(struct simulation *sim); /* of `again`, at the end */
void simulate_progress(struct simulation *sim, double now); /* tells how far */
/* Records a row of the present state, unless the last row is of it. */
int simulate_row(struct simulation *sim);
/* At a time that was asked for: keeps the whole state, if that is wanted. */
void simulate_keep_state(struct simulation *sim);
/* How far the run may go at once: states on the way take room. */
double simulate_rows_ahead(const struct simulation *sim, double target);
void simulate_rows_look(struct simulation *sim, struct motion_looks *looks);
void simulate_tell_low(struct simulation *sim, double speed); /* reported.low */
int simulate_asked_row(struct simulation *sim); /* at such a time: both */
/* rows when neither `at` nor `every` is given */
#define SIMULATE_STEPS 200
/* the next time at which a run without them has a row; the last before t */
double simulate_next_step(const struct simulation *sim);
double simulate_last_step(const struct simulation *sim, double t);
void simulate_put_rows(struct simulation *sim, struct record *out);
const char *simulate_contact_name(const struct simulation *sim,
                                  uint32_t contact);
void simulate_remark(struct simulation *sim, const char *text); /* copies it */
struct impact_of_run;
struct impact_solver;
/* Notes where the contacts of an impact touch; NULL: it is of a system. */
void simulate_note_places(struct simulation *sim, struct diag *diag,
                          const struct impact_of_run *problem);
/* Keeps `kind` and `class`, which must outlive the run. impulse in N*s. */
void simulate_log_event(struct simulation *sim, uint32_t contact,
                        const char *kind, const char *class, double impulse);
/* The same of a rotor that begins to stick or to turn; of a joint with
 * friction. */
void simulate_log_rotor(struct simulation *sim, uint32_t rotor,
                        const char *kind);
void simulate_log_joint(struct simulation *sim, uint32_t joint,
                        const char *kind);
int *simulate_joint_modes(struct simulation *sim); /* until the event ends */
/* Logs which joints have another mode now; false: none has. */
bool simulate_log_joint_modes(struct simulation *sim, const int *before);
/* Between two bodies, of whose contact others may be; NULL: its own. */
void simulate_log_pair(struct simulation *sim, uint32_t contact,
                       const uint32_t *body, const char *kind,
                       const char *class, double impulse);

/* -- backward.c: the run to `until` below 0 -------------------------------- */
int simulate_backward(struct simulation *sim);

/* -- overlaps.c ------------------------------------------------------------ */
/* Finds pairs without a contact and a joint that are apart at the start. */
void simulate_pairs_start(struct simulation *sim);
/* Warns of the first that overlap now (W0726); at the end: of how many more. */
void simulate_pairs_look(struct simulation *sim);
void simulate_pairs_end(struct simulation *sim);

/* The field `summary`, a sentence per contact. */
void simulate_put_summary(struct simulation *sim, struct record *out);

/* -- accumulation_record.c -- */
/* Names `engine = steps` at the end of a help where that can run; else "". */
const char *simulate_steps_remedy(const struct simulation *sim);
struct flow_event;
struct limit_points;
void simulate_limit_add(struct simulation *sim, const struct flow_event *event,
                        const uint32_t *contacts);
void simulate_put_limits(struct simulation *sim, struct record *out);
/* Records the end of low flights at those that stick; the rest is its error. */
void simulate_limit_sticks(struct simulation *sim, const uint32_t *contacts,
                           uint32_t n);
/* Keeps a choice of modes at a contact for the record. */
void simulate_verdict(struct simulation *sim, uint32_t contact,
                      const struct painleve_verdict *verdict);
void simulate_put_verdicts(struct simulation *sim, struct record *out);
/* Appends the verdicts of another run from number `from` on. */
void simulate_add_verdicts(struct simulation *sim,
                           const struct simulation *other, size_t from);
void simulate_free_verdicts(struct simulation *sim);
/* Records the limit of the group that is reached now, after those of others on
 * the way. error: of its time, s. contact: where the last impact was. */
void simulate_limits_tell(struct simulation *sim,
                          const struct limit_group *group,
                          const struct forecast_limit *limit, uint32_t contact,
                          double error);

/* Bodies that meet share what the errors of limits before may do to them. */
void simulate_limits_meet(struct simulation *sim, uint32_t contact);
/* the flights before a limit */
/* Was the contact's last flight within the rounding error of its gap? */
bool simulate_short_flight(const struct simulation *sim, uint32_t contact);
/* Counts an impact at `contact` now. IMP_FAILED after E0712 when it belongs to
 * an endless series for which no limit was found. */
int simulate_count_impact(struct simulation *sim, uint32_t contact);
/* E0712: infinitely many impacts whose limit was not found. IMP_FAILED. */
int simulate_report_endless(struct simulation *sim, uint32_t contact,
                            double ratio);

/* Keeps the greatest overlap; E0713 where a touch was passed over (I3). */
int simulate_check_penetration(struct simulation *sim);
/* The bodies of the contact overlap from now on. */
void simulate_begin_overlap(struct simulation *sim, uint32_t contact);

/* -- tangency_policy.c -- */
/* A touch of class C00 with an overlap ahead: follows the model's policy, or
 * stops the run and reports why (I4). */
int simulate_tangency_policy(struct simulation *sim, uint32_t contact,
                             const struct verdict *verdict);

/* -- impacts.c -- */
/* The contacts hit[0..n) close now. Those that share moving bodies, directly,
 * by joints or by other contacts that touch now, are one impact. class: per
 * contact of the model, NULL unless it is of the event. done: set where an
 * impact took the contact. */
int simulate_impacts(struct simulation *sim, const uint32_t *hit,
                     uint32_t n_hit, const char *const *class,
                     struct marked_contacts *done);

/* -- polytope_verdict.c -- */
/* The verdict on a touch of polytopes. rests: nothing happens at all. */
int polytope_verdict(struct simulation *sim, uint32_t contact,
                     struct verdict *verdict, bool *rests);
/* Do bodies with a set-valued normal approach under one of its choices? Rounded
 * corners that have a normal by now are hit next, at this time. */
int polytope_approaches(struct simulation *, uint32_t contact, bool *closing);
/* Before an impact: rounded corners keep the normals of their approach. */
void polytope_keep_corners(struct rt *run, const uint32_t *contact, uint32_t n);
/* Stops the run at bodies that rest where their normal is not unique and are
 * pressed together under some choice of it (I4). */
int polytope_stop_open_normal(struct simulation *sim, uint32_t contact);

/* -- resting_polytopes.c -- */
/* Adds a point unless it is in the list. */
void point_list_add(struct simulation *sim, struct point_list *list,
                    const struct contact_point *at);
/* Finds the contacts to watch at the start of a run. */
void resting_polytopes_start(struct simulation *sim);
/* Watches `contact`, too, if its bodies lie on one another by faces now. */
void resting_polytopes_enter(struct simulation *sim, uint32_t contact);
/* event_takes_part, but that corners which are watched are hit by their own
 * gaps: what is open there to more than rounding is hit later. */
bool resting_polytopes_part(struct simulation *sim, uint32_t contact,
                            double reach, bool *open);
/* What the group's impacts are joined with before `contact` has asked again. */
struct limit_joins *limit_joins_of(const struct simulation *,
                                   const struct limit_group *,
                                   const struct limit_points *, uint32_t);
/* Other features may touch: the contact is left to the search. */
void resting_polytopes_leave_face(struct simulation *sim, uint32_t contact);
/* The bodies have moved while no point over a face was watched: all contacts
 * of faces are left to the search. Those of planes stay, because every vertex
 * is beyond a plane whatever happens. */
void resting_polytopes_leave_faces(struct simulation *sim);
/* Leaves `contact` to the search for touches in general. */
void resting_polytopes_drop(struct simulation *sim, uint32_t contact);
/* Adds the points of bodies of marked blocks that are closed to rounding and
 * are without rate (`still`), or come down (not `still`). Marks what they
 * connect to, too. Status of the tapes. */
int resting_polytopes_points(struct simulation *sim, bool *block, bool still,
                             struct point_list *list);
/* The contacts of bodies that stand beside the two of this one as one wall, or
 * are welded to them, that touch now: a corner that passes the end of its face
 * comes onto the next one there. list has room for all; returns how many. */
uint32_t resting_polytopes_beside(struct simulation *sim, uint32_t contact,
                                  uint32_t *list);
/* Notes that the point was let go at this time; still: it has no rate. */
void resting_polytopes_release(struct simulation *sim,
                               const struct contact_point *point, bool still);
/* Before a choice among points of marked blocks: those that an earlier choice
 * let go at this time are asked again. */
void resting_polytopes_ask_again(struct simulation *sim, const bool *block);
/* After a choice: of the points all[0..n_all), still[0..n) had no rate; notes
 * which of those were let go. */
void resting_polytopes_let_go(struct simulation *sim,
                              const struct contact_point *all, int n_all,
                              const struct contact_point *still, int n);

/* -- persistent.c -- */
/* Chooses which of the contacts contacts[0..n), and of those closed before that
 * are connected to them, carry a force from now on. *lost: a contact that is
 * pressed together in a way that cannot be followed, or UINT32_MAX. */
int simulate_persistent_settle(struct simulation *sim, const uint32_t *contacts,
                               uint32_t n, uint32_t *lost);
/* The same for points that are closed now, and those held together with
 * `contact`, of contacts that are not `out` (per contact; NULL: of all). */
int simulate_persistent_choose(struct simulation *sim, uint32_t contact,
                               const struct contact_point *point, int n,
                               const bool *out);
/* Notes which smooth bodies slide to another feature with sim->mode_change, by
 * the series in which that has been found. */
void simulate_slides(struct simulation *sim);
/* Has a smooth body just slid to another feature? Its point on a marked block:
 * all forces change there at once. If it is let go, it has left at the end. */
bool simulate_slid_now(const struct simulation *sim);
bool simulate_slid_point(const struct simulation *sim, const bool *block,
                         struct contact_point *out);
/* When closed contacts change next, at most `until` (mode_change_next;
 * clocks_next if `clocks`, by which the run goes there): sim->mode_change. */
int simulate_persistent_peek(struct simulation *sim, struct clocks *clocks,
                             double until, const bool *out_of_sight, double *t);
/* The force of the held point `which` has fallen to zero. opens: it had done so
 * before, as those of its contact have, which opens from now on. */
int simulate_persistent_unloaded(struct simulation *sim, int which, bool opens);
/* Can friction keep it closed though nothing presses it, as p < 0 in slip? */
bool simulate_may_push(struct simulation *sim, uint32_t contact);
/* Do two polygons rest corner on corner, held by a vertex on a face each? */
bool simulate_corners_rest(struct simulation *sim, uint32_t contact,
                           struct contact_point out[2]);
/* The held point `which` of `contact` has passed the end of its feature. */
int simulate_persistent_past_end(struct simulation *sim, uint32_t contact,
                                 int which);
/* The slip of point `which` has come to 0 (stops), or its force to its cone. */
int simulate_persistent_friction(struct simulation *sim, int which, bool stops);
/* The mode of a joint, whose bodies contacts hold, has ended (rubbing_note). */
int simulate_persistent_joint(struct simulation *sim, uint32_t joint);
/* What moves the ground below closed contacts has changed its branch. Where the
 * rate of a gap has jumped, the contact opens, or is hit. */
int simulate_persistent_ground(struct simulation *sim);
/* The slip of this point comes to a jam, or to rest just before it. */
int simulate_persistent_jam(struct simulation *sim, int which);

/* -- paradox.c ------------------------------------------------------------- */
double simulate_stored(struct simulation *sim); /* in compliant contacts, J */
/* What a user may do where friction leaves the motion open, as the end of a
 * sentence. policies: paradox_policies. Memory: run->brief. */
const char *simulate_paradox_choices(struct rt *run, uint32_t contact,
                                     unsigned policies);
/* The modes of n points are open: tells what is possible, stops the run. */
int simulate_paradox_undecided(struct simulation *sim,
                               const struct contact_point *spot, int n,
                               const struct friction_modes *modes);
/* Says that the policy of the run, or its `capture`, has chosen. */
void simulate_paradox_policy(struct simulation *sim, uint32_t contact,
                             const struct friction_modes *modes);
/* Is this gain of energy far above all that were told? Notes it then. */
bool simulate_gain_news(struct simulation *sim, double gain, double *told);
/* Tells that an impact of bodies with friction adds energy (W0721), and once
 * that it depends on how points share the impulses (W0733). contact: of it. */
void simulate_tell_friction(struct simulation *sim, uint32_t contact,
                            const struct friction_group_impact *impact);
/* Says once per run that loads decide the motion, or that a motion was found
 * and not shown to be the only one. */
void simulate_paradox_choice(struct simulation *sim, uint32_t contact,
                             const struct friction_choice *choice);
/* `loads = report`: says once between which bounds the forces lie, where the
 * motion does not depend on them; range may be NULL. */
void simulate_paradox_ranges(struct simulation *sim,
                             const struct contact_point *spot, int n,
                             const struct friction_range *range);
/* Tells of the jam. stops: no policy has chosen. */
void simulate_paradox_jam(struct simulation *sim,
                          const struct friction_jam *jam, bool stops);

/* At the start: contacts that yield are rigid, or soft if the run says so. */
int simulate_yield_start(struct simulation *sim);
/* Is the contact soft, and open? Is it pressed in? Has its law no force? */
bool simulate_yields_open(const struct simulation *sim, uint32_t contact);
bool simulate_yields(const struct simulation *sim, uint32_t contact);
bool simulate_yields_slack(const struct simulation *sim, uint32_t contact);
static inline bool
simulate_is_soft(const struct simulation *sim, uint32_t contact)
{
    return simulate_yields_open(sim, contact) || simulate_yields(sim, contact);
}
/* From now on those of these points yield whose contacts say how. */
int simulate_yield_soften(struct simulation *sim,
                          const struct contact_point *spot, int n);
/* A soft contact touches, and is pressed in if it does not open;
 * CHANGE_SLACKENS to _GIVES; a gap has a rate; E0386. */
int simulate_yield_press(struct simulation *sim, uint32_t contact);
int simulate_yield_change(struct simulation *sim,
                          const struct mode_change *change);
void simulate_yield_shaken(struct simulation *, uint32_t, double rate);
int simulate_yield_refuse(struct simulation *, uint32_t, const char *what);

/* -- accumulation_join.c -- */
/* Notes a limit of the group at this contact in `turns`, a series per body. */
void limit_turns_note(const struct simulation *sim, struct limit_series *turns,
                      const struct limit_group *group, uint32_t contact,
                      double error);
/* Flights of the group are below rounding (few), or limits are no longer told
 * from each other. Do these limits tell when the body comes to rest, and do all
 * points rest then? If so *limit comes then. */
bool limit_turns_end(const struct simulation *sim, struct limit_series *turns,
                     const struct limit_group *group, uint32_t contact,
                     bool few, struct forecast_limit *limit, double *error);
/* the time (s) until the limit of limits that are not told apart; 0: none */
double limit_turns_hidden(const struct simulation *sim,
                          struct limit_series *turns, uint32_t contact);
/* Joins what comes to a limit of its own, with friction, at the time of *limit:
 * at the contacts `marked`, where the group does not act, foreseen alone. Times
 * may differ by what hides an impact. See limit_window, limit_time_error. */
void limit_group_join(struct simulation *sim, const bool *marked, double window,
                      const struct forecast_question *ask,
                      struct limit_group *group, struct forecast_limit *limit,
                      double *state_window, double *error);
/* Rows before a limit at the time `meet`, foreseen now: where the flights lead,
 * into group->rows. False: it is not known, and the limit has to wait. */
bool limit_rows_foresee(struct simulation *sim, struct limit_group *group,
                        struct forecast_memory *lines, double meet);
/* Watches others. Returns the clocks by which the run goes, or NULL. */
struct clocks *limit_watch(struct simulation *, const struct limit_group *);
/* Records these rows, from the state `here`. The present state stays. */
int limit_rows_record(struct simulation *sim, struct limit_group *group,
                      const struct saved_state *here);

/* -- accumulation_group.c -------------------------------------------------- */
/* a gap within so many rounding errors of its place is closed */
#define LIMIT_GROUP_NOISE 32.0

/* Gathers the contacts whose impacts may concern the bodies of `contact`: those
 * held, hit within `window`, or touching; and the bodies that joints connect.
 * beside: others that belong to it if hit within `window`; NULL: none. */
void limit_group_gather(struct simulation *sim, uint32_t contact, double window,
                        const bool *beside, struct limit_group *group);
/* Is another mechanism in it hit at this very time, behind this impact? */
bool limit_hit_next(struct simulation *sim, uint32_t contact, double window,
                    const struct limit_group *group);
/* Adds contacts of its bodies that were hit within `window` and fly now. */
void limit_group_follow(const struct simulation *sim, double window,
                        struct limit_group *group);
/* Reads the points that may be hit within `ahead`. False: it cannot be done. */
bool limit_group_points(struct simulation *sim, struct limit_group *group,
                        double ahead);
/* What a forecast of the group asks, but for how far it looks. */
struct forecast_question limit_question(const struct simulation *sim,
                                        const struct limit_group *group);
/* Was the contact hit within the last `window` seconds? */
bool limit_hit_within(const struct simulation *, uint32_t, double window);
/* Do the spins move the point along its normal? */
bool limit_turning(const struct contact_point_state *state);
/* For how long the parabola is the motion to the rounding of the gaps: |K|
 * t^3/6 stays below it, where K is the rate of accelerations. *far: beyond this
 * time it is another motion. *state: for how long the same holds for the state,
 * 0 if that is not known: impulses act along normals or at corners that turn,
 * and those of a squeezed body are far above its free acceleration. */
double limit_window(const struct simulation *sim, struct limit_group *group,
                    double *far, double *state);
bool limit_flat(struct simulation *sim, const struct limit_group *group,
                const struct forecast_limit *limit);
/* Bounds the error of the state at a limit with friction, a share of speeds:
 * what loads change by in `window` s; 0: impulses turn. False: wait. */
bool limit_friction_known(struct simulation *, const struct limit_group *,
                          const struct forecast_limit *, uint32_t contact,
                          double window, double *error);
/* Flights of this point that begin with this speed, in lengths of the first. */
double limit_flights(struct simulation *sim, const struct limit_group *group,
                     int point, double speed);
/* What the last `left` seconds may take from the slip, as a share of speeds. */
double limit_slip_left(const struct simulation *sim,
                       const struct limit_group *group, double left);
/* Slips are lost with impacts below rounding: those that end within that. */
void limit_slips_lost(struct simulation *sim, const struct limit_group *group,
                      const struct forecast_limit *limit);
/* those that a limit of several points does not tell (friction_modes_doubt) */
void limit_slips_open(struct simulation *, const struct limit_group *,
                      const struct forecast_limit *);
/* the blocks of its contacts, and of what is held with them, in run->brief */
bool *limit_group_blocks(struct simulation *sim,
                         const struct limit_group *group);
/* the size (m) of the terms of the contact's gap */
double limit_group_place(const struct rt *run, uint32_t contact);
/* Do its bodies overlap any by more than a closed gap allows? */
bool limit_group_overlaps(struct simulation *sim, const struct limit_group *);
/* Has a point that the limit closes left its face or edges before? */
bool limit_group_past_end(struct simulation *sim,
                          const struct limit_group *group, const bool *closed);
/* Audits the energy at the limit that is reached now (impact_audit_limit). */
int limit_energy_kept(struct simulation *, const struct limit_group *,
                      const struct forecast_limit *, uint32_t contact,
                      const struct saved_state *here);
/* Notes the predictions after an impact at `contact`, now, of the limit of all
 * (true: known well enough) and of some. `window`: see limit_window. */
bool limits_known(struct simulation *sim, uint32_t contact,
                  const struct limit_group *, const struct limit_points *,
                  struct forecast_limit found[2], double window,
                  double state_window, bool enough,
                  const struct limit_joins *joins);
/* the parabola may differ from the motion by so many rounding errors */
#define CHATTER_BLUR 64.0
#define CHATTER_FLAT 8.0 /* flights so many tolerances high are followed */
/* How far (s) rounding moves a limit, and *group its state */
double limit_rounded(struct simulation *, struct limit_group *,
                     const struct forecast_question *, struct forecast_memory *,
                     const struct forecast_limit *);
double limit_error(struct simulation *, struct limit_group *,
                   const struct forecast_question *, struct forecast_memory *,
                   const struct forecast_limit *, uint32_t contact);
/* how much too early (s) its points were hit, within tolerances of gaps */
double limit_early(const struct simulation *, const struct limit_group *,
                   const struct forecast_limit *, uint32_t contact);
/* flights (s) that the gap of a point which falls by `fall` (m/s^2) hides */
double limit_cut(struct simulation *, const struct limit_group *,
                 const struct forecast_limit *, int point, double fall);
/* Has a contact not of the group hit one of these bodies, or let it go? */
bool limit_turns_on(const struct simulation *, const struct limit_group *,
                    uint32_t contact, double within);
/* Flights within the tolerance of the gap make its time uncertain from now. */
void limit_note_flat(struct simulation *sim, const struct limit_group *group);
/* The bodies that this impact solves are hit with a gap beside others. */
void limit_note_early(struct simulation *, uint32_t contact,
                      const struct impact_of_run *,
                      const struct impact_solver *);

/* -- accumulation.c -- */
/* After an impact at `contact`: goes to the limit of its impacts, if known. */
int simulate_accumulation(struct simulation *sim, uint32_t contact);
/* The contact is one of other bodies from now on. */
void simulate_accumulation_forget(struct simulation *sim, uint32_t contact);
/* Would simulate_accumulation look at the state? */
bool simulate_accumulation_looks(const struct simulation *, uint32_t contact);

/* -- vertex_impact.c -- */
/* Do bodies with corners that touch here have no normal of their own? */
bool simulate_open_normal(struct simulation *sim, uint32_t contact);
void simulate_captures(struct simulation *sim, bool hit);
/* Keeps closed what the impact parts more slowly than `capture`. */
int simulate_capture(struct simulation *, const struct contact_point *, int n);
int simulate_capture_slips(struct simulation *, const struct contact_point *,
                           int n, struct friction_modes *);
bool simulate_capture_apart(struct simulation *sim,
                            const struct contact_point *spot, int n);
/* Resolves the impact where point `at` of resting polytopes comes down. */
int simulate_vertex_impact(struct simulation *, const struct contact_point *at,
                           enum next_step *next);

/* -- touches.c: what is told of touches at the end; the contacts at time 0 */
void simulate_tell_touches(struct simulation *sim);
int simulate_start_contacts(struct simulation *sim);
/* The contacts of `event` and of more[0..n_more) close or open now. */
int simulate_touches(struct simulation *sim, const struct event *event,
                     const struct event *more, uint32_t n_more);

/* -- fast_flights.c -- */
/* Do the series of what is told of the whole run end before this time? */
bool simulate_looks_before(const struct simulation *sim, double time);
void simulate_vertex_flights_start(struct simulation *sim);
/* From impact to impact of single vertices on planes, until the time `until`,
 * more than `limit` events, or what needs the general search. */
int simulate_vertex_flights(struct simulation *sim, double until, double limit);
/* Many pairs: their next events are kept. IMP_FAILED after E0756. */
int simulate_local_start(struct simulation *sim);
void simulate_ball_flights_start(struct simulation *sim);
/* The same for discs and spheres. */
int simulate_ball_flights(struct simulation *sim, double until, double limit);
/* Records rows on the way (*changed: modes did), due ones; sim->rub comes */
int simulate_rows_looked(struct simulation *sim, bool *changed);
int simulate_rows_now(struct simulation *sim);
int simulate_rubbing_changes(struct simulation *sim);
/* -- systems.c: systems in generalised coordinates ------------------------- */
/* Has E0602, which was reported last, ended the run at a singularity of a power
 * law? Then that is told instead, and the run has stopped there. */
bool simulate_singular(struct simulation *sim);
void simulate_put_singular(struct simulation *sim, struct record *out);
int simulate_systems_start(struct simulation *sim);
/* Time of the first thing that happens to a system, at most `until`. */
int simulate_systems_peek(struct simulation *sim, double until, double *next);
/* Does what happens at t, which is the present time of the run. */
int simulate_systems_apply(struct simulation *sim, double now);
/* What is told of the whole run (sim->along) takes note of the present state,
 * in which the systems stand. */
int simulate_look_along(struct simulation *sim);
/* When what comes next for a system comes, and is it a limit of chatter? */
int simulate_systems_limit_ahead(struct simulation *sim, double until,
                                 double *next, bool *limit);
/* Puts the states of all systems at time t into run->env. */
int simulate_systems_at(struct simulation *sim, double t);
/* After a step of a traced run: keeps the present energies. At its end the
 * motion of systems since their last events is handed on as well. */
int simulate_traced(struct simulation *sim);
void simulate_traced_end(struct simulation *sim);
/* Notes what the last impacts of systems do, where no limit was found. */
void simulate_systems_trend(struct simulation *sim, struct diag *diag);
/* What acts on marked blocks is chosen now. The second engine asks not when. */
void simulate_motion_changes(struct simulation *sim, const bool *block);
/* event_loop.c: runs to `until`, or to its stop. limit: the most events. */
int simulate_run(struct simulation *sim, double limit);

#endif
