/* SPDX-License-Identifier: MIT */
/* What balls.c (state, impacts), balls_search.c (next events) and balls_root.c
 * (times of touches) share. Balls are numbered: those that move, then fixed
 * ones; planes are numbered apart. */
#ifndef IMP_RUNTIME_BALLS_BALLS_PRIV_H
#define IMP_RUNTIME_BALLS_BALLS_PRIV_H

#include "runtime/balls/balls.h"

#define NO_BALL 0xffffffffu

enum balls_event {
    EVENT_NEVER,
    EVENT_HIT,    /* the ball hits the partner */
    EVENT_UNCLEAR /* it touches the partner without a rate, or nearly */
};
/* Two lines of a cache of 64 bytes: the first says how it moves, which all ask
 * that come near; the second is for its own events. */
struct ball {
    /* its motion since its last impact */
    double clock, x[3], v[3];
    double radius; /* of a shape: about its mass centre, with all of it in */
    int64_t cell[3];
    double entered;  /* since when it has been in this cell, no sooner than
                        `clock` */
    uint32_t before; /* in the list of the cell */
    uint32_t epoch;  /* number of its impacts */
    /* whom the last impact hit, and the partner's number of impacts then: they
     * touched at `clock`; NO_BALL: nobody */
    uint32_t hit, hit_epoch;
    uint32_t body, sides; /* of the rules of contacts (imp_body) */
    bool shape;           /* it is no ball: of steps alone */
};
/* The list of a cell: who comes next, and which cell it is of those with the
 * same list. */
struct ball_link {
    uint32_t next, cell;
};
/* What comes next for a ball that moves: the first meeting with those that have
 * been in reach since its last impact (its time is balls.meets), and the end of
 * its time in its cell. The meeting is kept while the ball goes from cell to
 * cell, so that only those that come into reach are asked then. */
struct ball_event {
    double since;  /* of the meeting, since the later of both clocks: without
                      the rounding of the time */
    double leaves; /* when it leaves its cell */
    uint32_t partner, partner_epoch; /* planes: n_ball + number */
    uint8_t kind;                    /* enum balls_event */
    int8_t axis, way; /* it leaves the cell along this axis; 1 up, -1 down */
};
/* An entry of the heap, with the time of its event: to sift asks no balls. */
struct balls_due {
    double when;
    uint32_t ball;
};
/* What an impact changes or needs besides. */
struct ball_spin {
    double attitude[4], spin[3]; /* at the ball's clock; plane: angle, spin */
    double low[3];               /* what was rounded off its place there (m) */
    double invmass, invinertia;
    double told; /* up to this time the run's trace has its motion */
};
struct ball_plane {
    double point[3], normal[3]; /* normal: out of the body */
    uint32_t body;
};
struct balls {
    struct rt *run;
    int dim;
    bool shapes;     /* bodies may have any shape: of steps alone */
    bool all, known; /* known: the state of env is the one that was put */
    bool leads;      /* since `told` the balls' motion has been this room's */
    double *put;     /* that state */
    double gravity[3];
    bool weight; /* gravity is not 0 */
    struct ball *ball;
    struct ball_link *link;
    struct ball_event *event; /* of those that move, as `meets`, `spin` */
    double *meets;            /* when the meeting comes; infinite: there is none
                               */
    struct ball_spin *spin;
    uint32_t n_move, n_ball, n_plane;
    struct ball_plane *plane;
    double now;
    /* contacts by pairs of bodies */
    uint32_t *contact_next, *contact_first, contact_mask;
    bool stated; /* there are such contacts */
    /* the contacts that stand for many pairs, by their numbers; NO_BALL: none
     */
    uint32_t rule[IMP_CONTACT_RULES];
    /* cells */
    double side;
    uint32_t *cell, cell_mask;
    /* heap of the balls that move, each with up to four behind it, and the
     * place of each in it */
    struct balls_due *heap;
    uint32_t *place;
};

struct ball_tolerance {
    double gap, rate;
};
/* When two bodies touch, and how. */
struct ball_meeting {
    enum balls_event kind; /* EVENT_NEVER, EVENT_HIT, EVENT_UNCLEAR */
    double when, since;    /* since the later of both clocks */
};

/* -- balls.c -- */
/* The attitude (a unit quaternion) s after the ball's clock. */
void balls_attitude(const struct ball_spin *spin, double s, double turned[4]);
/* Takes the state of one ball, whose clock is `now`, from env. */
void balls_read(struct balls *balls, uint32_t which, double now);
/* The contact of two bodies, or the one that stands for it; NO_BALL: none. */
uint32_t balls_contact(const struct balls *balls, uint32_t one, uint32_t two);

/* -- balls_trace.c -- */
/* From time t on the motion is this room's, unless it has been before. */
void balls_trace_begin(struct balls *balls, double t);
/* Keeps the motion of one ball up to the time t of its impact. */
void balls_trace_ball(struct balls *balls, uint32_t which, double t);

/* A motion from the time `base` on: along a parabola if it falls, else along a
 * line, with a constant spin. */
struct ball_flight {
    double base, x[3], v[3];
    bool falls;
    double attitude[4], spin[3];
};
/* Keeps a flight of one ball up to the time t. */
void balls_trace_flight(struct balls *balls, uint32_t which,
                        const struct ball_flight *flight, double t);

/* -- balls_root.c -- */
/* c + b s + a s^2 falls to 0 at the first s >= 0; infinite if it never does. A
 * c <= 0 that rises counts as 0 and has been left. */
double balls_first_fall(double c, double b, double a);
struct ball_tolerance balls_tolerance(const struct balls *balls, uint32_t one,
                                      uint32_t two);
/* Have these two just hit each other? */
bool balls_fresh(const struct balls *balls, uint32_t one, uint32_t two);
/* The first meeting of ball `one` with ball or plane `two`, no later than
 * `most`. left: they have just hit each other. */
struct ball_meeting balls_meeting(const struct balls *balls, uint32_t one,
                                  uint32_t two, bool left, double most);
/* Where a ball is at the time t. */
void balls_at(const struct balls *balls, uint32_t one, double t, double x[3]);
/* Do ball `one`, which is at x at the time t, and `two` touch then? */
bool balls_touch_at(const struct balls *balls, uint32_t one, uint32_t two,
                    double t, const double x[3]);
/* The gap so long (s) after the clocks of both, and its rate: `one` is the
 * first number of `after`. */
double balls_gap_after(const struct balls *balls, uint32_t one, uint32_t two,
                       const double after[2], double *rate, double normal[3]);
/* The same at the time t. */
double balls_gap(const struct balls *balls, uint32_t one, uint32_t two,
                 double t, double *rate, double normal[3]);

/* -- balls_search.c -- */
void balls_search_start(struct balls *balls);
/* The next event of a ball whose motion has changed. */
void balls_predict(struct balls *balls, uint32_t one);
/* Does another body touch `one` at the time t, besides `other`? */
bool balls_crowded(const struct balls *balls, uint32_t one, uint32_t other,
                   double t);
/* Deals with going from cell to cell and events that are no more; the next one
 * stands first in the heap then. False: it was stopped. */
bool balls_settle(struct balls *balls, double until);

#endif
