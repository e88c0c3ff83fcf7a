/* SPDX-License-Identifier: MIT */
/* Between flow_taylor.c (expanding, events) and flow_accumulation.c (limits of
 * infinitely many impacts): the way of Taylor series. */
#ifndef IMP_RUNTIME_FLOW_FLOW_TAYLOR_PRIV_H
#define IMP_RUNTIME_FLOW_FLOW_TAYLOR_PRIV_H

#include "runtime/flow/flow_priv.h"
#include "runtime/motion/motion.h"

/* gaps closer than this many roundings of their terms count as closed */
#define TAYLOR_NOISE 32.0
/* A gradient this much smaller than it has been is none: where a gap is a power
 * of a length, its zero is known to a root of the rounding only. */
#define TAYLOR_FLAT 1e-7
/* chatter of several contacts: flights kept */
#define TAYLOR_FLIGHTS 4

/* NEXT_OPENS: the ground is taken away under a contact that slid, where a gap
 * changes its branch */
enum taylor_next {
    NEXT_NOTHING,
    NEXT_CLOSES,
    NEXT_TOUCHES,
    NEXT_CEASES,
    NEXT_OPENS,
    NEXT_LIMIT
};
struct taylor_flow {
    double now, ahead; /* times */
    double *x, *lo;    /* 2n: state at `now`, and its low parts */
    bool known;
    enum taylor_next what;
    double h;
    double *piece;        /* 2n rows of MOTION_STEP_ORDER + 1 */
    double *g, *force;    /* m rows */
    double *size, *speed; /* m: sizes of the terms of gap and rate */
    double *steep;        /* m: greatest length of the gap's gradient so far */
    double *far,
        *quick;   /* m: greatest sizes of the terms of gap, rate so far */
    double *most; /* m: greatest size of the gap since the last impact */
    bool *on, *fresh;
    bool *left; /* its force has just ceased: gap, rate, acceleration are 0 */
    int *hit, n_hit;
    int guard;             /* whose change of branch ends the piece; -1 */
    double passed;         /* length of the last piece that was gone through */
    bool *over, *was_over; /* those since the last impact; in the flight before
                            */
    struct ballistic *instant;
    /* chatter at one contact: flights, newest first, estimate of the limit */
    int same; /* impacts in a row at this contact */
    int last;
    double flight[3], at, guess, estimate, off;
    /* chatter of several */
    struct ballistic *probe; /* the parabola from the last impact on */
    long run;                /* impacts and limits since it may have begun */
    double any[TAYLOR_FLIGHTS],
        end;            /* flights between them; time of the last */
    double meet, found; /* guesses of the limit; -INFINITY: none */
    double left_was;    /* time that was left at the guess before */
    double meet_off;    /* bound of the error of `found` */
    bool *group, *closed;
    bool faint;  /* the limit is now: flights are below rounding */
    int faints;  /* impacts with such flights in a row */
    bool *faded; /* m: contacts that were hit in these */
    struct ballistic *between;
    struct accumulation_limit chatter;
};

#define ROW (MOTION_STEP_ORDER + 1)

/* -- taylor_state.c ------------------------------------------------------- */

/* The state is the flow's own: env holds whatever time was last asked for, so
 * every evaluation begins with this. */
void taylor_to_env(struct flow *flow);
/* which contacts are closed, for the tapes */
void taylor_set_active(struct flow *flow);
/* forgets what looked like chatter */
void taylor_accumulation_forget(struct taylor_flow *taylor);
/* to time t along the present piece */
void taylor_advance(struct flow *flow, double t);
/* The present instant for ballistic.h (w->instant): accelerations of free
 * motion, and what the gaps' accelerations have beyond N a. */
int taylor_instant(struct flow *flow, const bool *on);
/* positions and velocities of that instant back into the state */
void taylor_take_back(struct flow *flow);
/* behind it: what opened at this very instant (fresh, m) opens still */
void taylor_refresh(struct taylor_flow *taylor, const bool *fresh, uint32_t m);

/* -- flow_switching.c --------------------------------------------------------
 */

/* The present piece ends where a formula changes its branch: does a contact
 * open there at once? IMP_OK, or a status after a diagnostic (a gap that jumps
 * below zero). */
int taylor_switch_ahead(struct flow *flow);
/* at that time */
int taylor_switched(struct flow *flow, struct flow_event *event);

/* -- flow_grazing.c ---------------------------------------------------------
 */

/* first s in [0, h] at which a gap, with terms of these sizes at 0, is zero
 * within rounding without a rate */
bool taylor_touch(const double *g, double size, double speed, double h,
                  double *s);
/* at that time: the contact opens again, or slides from here on */
int taylor_touched(struct flow *flow, struct flow_event *event);

/* -- flow_accumulation.c
 * ------------------------------------------------------- */

/* after an impact at contact c, and at `together` contacts in all: looks for a
 * limit ahead */
int taylor_accumulation_count(struct flow *flow, int c, int together);
/* is there a limit at or before `until`, in reach of the present piece? */
bool taylor_accumulation_ahead(const struct flow *flow, double until,
                               double *time);
/* the state at t, before the limit ahead, into f->q, f->v */
void taylor_accumulation_between(struct flow *flow, double t);
/* moves to the limit ahead */
int taylor_accumulation(struct flow *flow, struct flow_event *event);

#endif
