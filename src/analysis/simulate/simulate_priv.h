/* SPDX-License-Identifier: MIT */
/* Inside `simulate`: the run (simulate.c), what happens at events
 * (event.c), recorded rows and times (rows.c). */
#ifndef IMP_ANALYSIS_SIMULATE_SIMULATE_PRIV_H
#define IMP_ANALYSIS_SIMULATE_SIMULATE_PRIV_H

#include "analysis/command/analysis_priv.h"
#include "runtime/events/vertex_plane.h"
#include "runtime/motion/persistent.h"

/* flights between impacts at one contact, for chatter */
struct flights {
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

struct sim_contact {
    enum event_watch watch;
    bool through;      /* named in `through` */
    bool overlap;      /* interpenetrating now */
    double depth_from; /* until then its greatest depth is known */
    double touch_time; /* of the last touch without impulse, and how many */
    int touches;       /* there were at this time */
    bool pressed;      /* this event: together without rate */
    struct flights fl;
};

struct sim {
    struct analysis *a;
    const imp_command *c;
    double until;
    struct sim_contact *ct;  /* per contact */
    enum event_watch *watch; /* handed to event_next */
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
    struct flow **flows;     /* per system */
    struct planes *planes;   /* of vertex_plane.c; NULL: nothing for it */
    struct limits *limits;   /* of accumulation_record.c; NULL: none */
    long chatters;           /* limits taken */
    struct slide_over *over; /* polytopes over planes, of resting_polytopes.c */
    uint32_t n_over;
    bool *is_over;             /* per contact: one of them */
    struct slide_event slide;  /* what comes next of contacts that are closed */
    struct chatter_work *work; /* of accumulation.c */
    double target;             /* the run goes on to this time at once */
    double depth_max;
    bool any_overlap;
    bool told_gain;   /* an impact raised the energy, and it was said */
    bool told_shared; /* forces that are not determined were told */
    size_t left_out;  /* remarks beyond SIM_REMARKS */
};
/* remarks of impacts that are kept */
#define SIM_REMARKS 100

/* rows.c */
int sim_items(struct sim *s); /* option record */
int sim_times(struct sim *s); /* options at, every: ascending, to until */
int sim_row(struct sim *s);   /* a row of the present state */
void sim_put_rows(struct sim *s, struct rec *out);
/* event.c */
int sim_start(struct sim *s); /* contacts at time 0 */
int sim_event(struct sim *s, const struct event *e, const struct event *more,
              uint32_t n_more);
void sim_remark(struct sim *s, const char *text);
void sim_log(struct sim *s, uint32_t c, const char *kind, const char *class,
             double impulse);
/* an impact at c now: IMP_FAILED after the diagnostic when it is one of an
 * endless series */
int sim_count(struct sim *s, uint32_t c);
/* the impact at one contact of two free bodies by its handler; alpha NULL: the
 * law's impulse */
int sim_apply(struct sim *s, uint32_t c, const double *alpha, double *impulse,
              double *nMn);
/* penetration.c: greatest overlap so far; E0713 where a touch was passed over
 */
int sim_watch_depth(struct sim *s);
/* impacts.c: the contacts hit[0..n) close now. Those that share moving
 * bodies, directly, by joints or by other contacts that touch now, are one
 * impact. class: per contact of the model, NULL unless it is of the event;
 * done: per contact, set where an impact took it. */
int sim_impacts(struct sim *s, const uint32_t *hit, uint32_t n,
                const char *const *class, bool *done);
/* polytope_verdict.c: the verdict on a touch of bodies with corners */
int sim_corner(struct sim *s, uint32_t c, struct verdict *v, bool *rests);
/* stops the run at bodies that rest where their normal is open and are pressed
 * together under some choice */
int sim_corner_open(struct sim *s, uint32_t c);

/* persistent.c: contacts of bodies that stay closed */
struct sim_points { /* a list in r->brief; {0}: empty */
    struct slide_spot *spot;
    int n, room;
};
/* unless it is in the list */
void sim_points_add(struct sim *s, struct sim_points *list,
                    const struct slide_spot *at);
bool sim_slide_held(const struct sim *s, uint32_t c);
/* which of the contacts c[0..n), and of those closed before that are connected
 * to them, push from now on;
 * lost: one that is pressed together in a way that cannot be followed, or
 * UINT32_MAX */
int sim_slide_settle(struct sim *s, const uint32_t *c, uint32_t n,
                     uint32_t *lost);
/* the same for points that are closed now, and those held together with contact
 * c, of contacts that are not `out` (per contact; NULL: of all) */
int sim_slide_points(struct sim *s, uint32_t c, const struct slide_spot *point,
                     int n, const bool *out);
/* time of the first thing that happens to them, at most until; `blind` as in
 * slide_next */
int sim_slide_peek(struct sim *s, double until, const bool *blind, double *t);
int sim_slide_apply(struct sim *s); /* what happens there */

/* resting_polytopes.c: polytopes over planes with e < 1, vertex by vertex */
void sim_over_start(struct sim *s);
/* contact c, too, if a face of the one body lies under the other now */
void sim_over_enter(struct sim *s, uint32_t c);
int sim_over_beside(struct sim *s, uint32_t c);
/* contact c is left to the search for touches in general */
void sim_over_drop(struct sim *s, uint32_t c);
/* a vertex has come down */
int sim_over_hit(struct sim *s, uint32_t c, uint32_t vertex);
/* Points closed to rounding, without rate (`still`) or that come down, of
 * bodies of marked blocks; what they connect to is marked, too. Status of the
 * tapes */
int sim_over_points(struct sim *s, bool *block, bool still,
                    struct sim_points *list);
/* before a choice among points of marked blocks: those let go at this time by
 * an earlier one are asked again */
void sim_over_anew(struct sim *s, const bool *block);
/* of the points all[0..n_all), still[0..n) had no rate; which push was chosen
 */
void sim_over_let_go(struct sim *s, const struct slide_spot *all, int n_all,
                     const struct slide_spot *still, int n);

/* accumulation.c: after an impact at c: goes to the limit of its impacts where
 * that is known */
int sim_chatter(struct sim *s, uint32_t c);

/* systems.c: systems in generalised coordinates */
int sim_systems_start(struct sim *s);
/* time of the first thing that happens to a system, at most `until` */
int sim_systems_peek(struct sim *s, double until, double *t);
/* what happens at t, the present time of the run */
int sim_systems_apply(struct sim *s, double t);
int sim_systems_at(struct sim *s, double t); /* their state, into env */

/* vertex_plane.c: from impact to impact of vertices on planes, until more
 * events than the limit, or what is left to the others */
void sim_planes_start(struct sim *s);
int sim_planes(struct sim *s, double until, double limit);

/* what the last impacts of systems do, as notes: no limit was found */
void sim_systems_trend(struct sim *s, struct diag *d);

/* accumulation_record.c: a limit of chatter at contacts c[0..e->n) */
struct flow_event;
void sim_limit(struct sim *s, const struct flow_event *e, const uint32_t *c);
void sim_put_limits(struct sim *s, struct rec *out);

/* penetration_depth.c: the deepest point between lo (gap falling) and hi
 * (rising) */
int depth_refine(struct analysis *a, uint32_t contact, double lo, double hi,
                 double *at, double *depth);

#endif
