/* SPDX-License-Identifier: MIT */
/* Inside `simulate`: the run (simulate.c), what happens at events
 * (event.c), recorded rows and times (rows.c). */
#ifndef IMP_ANALYSIS_SIMULATE_SIMULATE_PRIV_H
#define IMP_ANALYSIS_SIMULATE_SIMULATE_PRIV_H

#include "analysis/collision/verdict.h"
#include "runtime/events/event.h"
#include "runtime/events/vertex_plane.h"
#include "runtime/motion/persistent.h"

/* flights between impacts at one contact, for chatter */
struct flight_history {
    double last;     /* time of the last impact */
    double f[4];     /* the last flights, newest first */
    double meet;     /* the limit as the last impact predicted it, */
    double off;      /* and how far that was from the one before */
    uint64_t group;  /* which points are at rest then */
    double first;    /* flight with which the present decrease began */
    bool lost;       /* the last limit was one of rounding, with no flight above
                        it since */
    int n;           /* flights known */
    int pause, wait; /* impacts until the next look for a limit */
    double looked;   /* the flight before the last one */
    long impacts;
};

struct simulated_contact {
    enum event_watch watch;
    bool through;      /* named in `through` */
    bool overlap;      /* interpenetrating now */
    double depth_from; /* until then its greatest depth is known */
    double touch_time; /* of the last touch without impulse, and how many */
    int touches;       /* there were at this time */
    bool pressed;      /* this event: together without rate */
    struct flight_history fl;
};

struct simulation {
    struct analysis *a;
    const imp_command *c;
    double until;
    struct simulated_contact *ct; /* per contact */
    enum event_watch *watch;      /* handed to event_next */
    uint32_t n_contacts;
    enum imp_policy policy;
    bool has_policy;
    bool stopped; /* by policy */
    bool begun;   /* past the start */
    int errors;   /* of the program before this run */
    /* recorded expressions */
    const imp_val *item;
    uint32_t n_items;
    size_t row_width;
    double *row; /* room for one */
    struct {
        double *v;
        size_t n, cap;
    } t, rows, times;
    bool row_fresh; /* the last row is of the present state */
    /* events */
    struct {
        double *v;
        size_t n, cap;
    } ev_time, ev_impulse;
    struct {
        const char **v;
        size_t n, cap;
    } ev_kind, ev_class, ev_contact, remarks;
    struct flow **flows;          /* per system */
    struct vertex_planes *planes; /* of vertex_plane.c; NULL: nothing for it */
    struct limit_table *limits;   /* of accumulation_record.c; NULL: none */
    long chatters;                /* limits taken */
    struct released_vertices
        *over; /* polytopes over planes, of resting_polytopes.c */
    uint32_t n_over;
    bool *is_over;            /* per contact: one of them */
    struct mode_change slide; /* what comes next of contacts that are closed */
    struct accumulation_work *work; /* of accumulation.c */
    double target;                  /* the run goes on to this time at once */
    double depth_max;
    bool any_overlap;
    bool told_gain;   /* an impact raised the energy, and it was said */
    bool told_shared; /* forces that are not determined were told */
    size_t left_out;  /* remarks beyond SIMULATE_REMARKS */
};
/* remarks of impacts that are kept */
#define SIMULATE_REMARKS 100

/* rows.c */
int simulate_read_items(struct simulation *s); /* option record */
int simulate_read_times(
    struct simulation *s); /* options at, every: ascending, to until */
int simulate_row(struct simulation *s); /* a row of the present state */
void simulate_put_rows(struct simulation *s, struct record *out);
/* event.c */
int simulate_start_contacts(struct simulation *s); /* contacts at time 0 */
int simulate_touches(struct simulation *s, const struct event *e,
                     const struct event *more, uint32_t n_more);
void simulate_remark(struct simulation *s, const char *text);
void simulate_log_event(struct simulation *s, uint32_t c, const char *kind,
                        const char *class, double impulse);
/* an impact at c now: IMP_FAILED after the diagnostic when it is one of an
 * endless series */
int simulate_count_impact(struct simulation *s, uint32_t c);
/* the impact at one contact of two free bodies by its handler; alpha NULL: the
 * law's impulse */
int simulate_apply_handler(struct simulation *s, uint32_t c,
                           const double *alpha, double *impulse, double *nMn);
/* penetration.c: greatest overlap so far; E0713 where a touch was passed over
 */
int simulate_check_penetration(struct simulation *s);
/* impacts.c: the contacts hit[0..n) close now. Those that share moving
 * bodies, directly, by joints or by other contacts that touch now, are one
 * impact. class: per contact of the model, NULL unless it is of the event;
 * done: per contact, set where an impact took it. */
int simulate_impacts(struct simulation *s, const uint32_t *hit, uint32_t n,
                     const char *const *class, bool *done);
/* polytope_verdict.c: the verdict on a touch of bodies with corners */
int polytope_verdict(struct simulation *s, uint32_t c, struct verdict *v,
                     bool *rests);
/* stops the run at bodies that rest where their normal is open and are pressed
 * together under some choice */
int polytope_stop_open_normal(struct simulation *s, uint32_t c);

/* persistent.c: contacts of bodies that stay closed */
struct point_list { /* a list in r->brief; {0}: empty */
    struct contact_point *spot;
    int n, room;
};
/* unless it is in the list */
void point_list_add(struct simulation *s, struct point_list *list,
                    const struct contact_point *at);
bool simulate_persistent_holds(const struct simulation *s, uint32_t c);
/* which of the contacts c[0..n), and of those closed before that are connected
 * to them, push from now on;
 * lost: one that is pressed together in a way that cannot be followed, or
 * UINT32_MAX */
int simulate_persistent_settle(struct simulation *s, const uint32_t *c,
                               uint32_t n, uint32_t *lost);
/* the same for points that are closed now, and those held together with contact
 * c, of contacts that are not `out` (per contact; NULL: of all) */
int simulate_persistent_choose(struct simulation *s, uint32_t c,
                               const struct contact_point *point, int n,
                               const bool *out);
/* time of the first thing that happens to them, at most until; `blind` as in
 * mode_change_next */
int simulate_persistent_peek(struct simulation *s, double until,
                             const bool *blind, double *t);
int simulate_persistent_apply(struct simulation *s); /* what happens there */

/* resting_polytopes.c: polytopes over planes with e < 1, vertex by vertex */
void resting_polytopes_start(struct simulation *s);
/* contact c, too, if a face of the one body lies under the other now */
void resting_polytopes_enter(struct simulation *s, uint32_t c);
int resting_polytopes_beside(struct simulation *s, uint32_t c);
/* contact c is left to the search for touches in general */
void resting_polytopes_drop(struct simulation *s, uint32_t c);
/* a vertex has come down */
int simulate_vertex_impact(struct simulation *s, uint32_t c, uint32_t vertex);
/* Points closed to rounding, without rate (`still`) or that come down, of
 * bodies of marked blocks; what they connect to is marked, too. Status of the
 * tapes */
int resting_polytopes_points(struct simulation *s, bool *block, bool still,
                             struct point_list *list);
/* before a choice among points of marked blocks: those let go at this time by
 * an earlier one are asked again */
void resting_polytopes_ask_again(struct simulation *s, const bool *block);
/* of the points all[0..n_all), still[0..n) had no rate; which push was chosen
 */
void resting_polytopes_let_go(struct simulation *s,
                              const struct contact_point *all, int n_all,
                              const struct contact_point *still, int n);

/* accumulation.c: after an impact at c: goes to the limit of its impacts where
 * that is known */
int simulate_accumulation(struct simulation *s, uint32_t c);

/* systems.c: systems in generalised coordinates */
int simulate_systems_start(struct simulation *s);
/* time of the first thing that happens to a system, at most `until` */
int simulate_systems_peek(struct simulation *s, double until, double *t);
/* what happens at t, the present time of the run */
int simulate_systems_apply(struct simulation *s, double t);
int simulate_systems_at(struct simulation *s,
                        double t); /* their state, into env */

/* vertex_plane.c: from impact to impact of vertices on planes, until more
 * events than the limit, or what is left to the others */
void simulate_vertex_flights_start(struct simulation *s);
int simulate_vertex_flights(struct simulation *s, double until, double limit);

/* what the last impacts of systems do, as notes: no limit was found */
void simulate_systems_trend(struct simulation *s, struct diag *d);

/* accumulation_record.c: a limit of chatter at contacts c[0..e->n) */
struct flow_event;
void simulate_limit_add(struct simulation *s, const struct flow_event *e,
                        const uint32_t *c);
void simulate_put_limits(struct simulation *s, struct record *out);

#endif
