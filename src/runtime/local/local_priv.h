/* SPDX-License-Identifier: MIT */
/* What local.c (pairs) and local_body.c (the motion of each body) share. */
#ifndef IMP_RUNTIME_LOCAL_LOCAL_PRIV_H
#define IMP_RUNTIME_LOCAL_LOCAL_PRIV_H

#include "runtime/local/local.h"

/* A body, and its motion since it last changed: pieces of series, each from
 * where the one before ends to rounding, so that where it is at a time does not
 * depend on who has asked before. */
struct local_body {
    uint32_t block; /* IMP_NO_BLOCK: it does not move */
    uint32_t at, n; /* its entries of the state */
    bool known;     /* it has been looked at */
    bool held;      /* other bodies act on it: its motion is not kept here */
    bool changed;   /* at the last look */
    bool hit;       /* it is of an event of the last search */
    bool made;      /* the series of the present piece is made */
    double start, holds; /* of the piece: since when, for how long (s) */
    double *state, *low; /* at the start of the piece */
    double first, *first_state, *first_low; /* of the first piece */
    double *rows;                           /* its series */
    double *put; /* the state that was written into env last */
};
struct local_pair {
    uint32_t place; /* in the heap */
    bool event;     /* a touch is known; else nothing happens before `key` */
    enum event_kind kind;
    bool left;  /* its gap has opened since its last touch */
    double key; /* of a touch: when its gap comes within its tolerance */
    double touch, entry;
};
struct local {
    struct rt *run;
    struct local_body *body; /* per body */
    struct local_pair *pair; /* per contact */
    uint32_t n, *heap;       /* contacts */
    uint32_t *hit, n_hit;
    enum event_watch *mask;
    enum event_watch *watch; /* per contact, as the last search was asked */
    uint32_t *first, *of; /* contacts of body i: of[first[i] .. first[i + 1]) */
    uint32_t *concerned, n_concerned; /* local_concerned */
    uint32_t n_held;                  /* bodies that are held */
    bool quiet;                       /* the last search found no event */
    double now, end;                  /* present time; of the run */
};

void local_bodies_new(struct local *local);
/* Does the body move in another way than was known? Its motion begins at the
 * present state then. */
bool local_body_look(struct local *local, uint32_t body);
/* Writes its state at the time t into env, no sooner than its motion changed
 * last. A body that is held, or that does not move, stays. Status of the tapes.
 */
int local_body_put(struct local *local, uint32_t body, double t);
/* The same for all bodies, whose state is known to be this one then. */
int local_put_all(struct local *local, double t);

#endif
