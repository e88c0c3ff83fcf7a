/* SPDX-License-Identifier: MIT */
/* What local.c (pairs) and local_body.c (the motion of each body) share. */
#ifndef IMP_RUNTIME_LOCAL_LOCAL_PRIV_H
#define IMP_RUNTIME_LOCAL_LOCAL_PRIV_H

#include "runtime/local/local.h"
#include "runtime/motion/motion.h"

/* A body, and its motion since it last changed: pieces of series, each from
 * where the one before ends to rounding, so that where it is at a time does not
 * depend on who has asked before. Of a mechanism, bodies on joints that have one
 * motion, the first body keeps that of all of them: its `leader`. */
struct local_body {
    uint32_t block;  /* IMP_NO_BLOCK: it does not move */
    uint32_t leader; /* itself, but of the other bodies of a mechanism */
    uint32_t at; /* its first entry of the state */
    uint32_t n;  /* entries of the state of its block */
    bool known;     /* it has been looked at */
    bool forced;    /* its motion is not its own (local_body.c) */
    bool pushed;    /* forces of its own move it, beside its weight */
    bool held;      /* that, or others hold it: its motion is not kept here */
    bool changed;   /* at the last look */
    bool hit;       /* it is of an event of the last search */
    bool here;      /* while others are behind: its state is the present one */
    bool made;      /* the series of the present piece is made */
    double start, holds; /* of the piece: since when, for how long (s) */
    double *state, *low; /* at the start of the piece (low NULL: 0); of the
                            first piece: */
    double first, *first_state, *first_low;
    double *later; /* room for the state of later pieces; NULL: none yet */
    bool brief;    /* of the piece: it is this motion, without series */
    struct motion_short *motion;
    double *rows; /* its series, where one piece at least has been longer */
    double *put;  /* the state that was written into env last; NULL: that of the
                     first piece */
    /* It stays in this ball (world axes, m) until the time of its entry of the
     * heap; an infinite radius: nothing is known. */
    double centre[3], radius, since; /* since: from when on it does */
    uint32_t *near, n_near, room; /* its contacts that balls do not exclude */
    /* its cell of the grid, and its neighbours there (local_grid.c) */
    int64_t cell[3];
    uint32_t next, before;
    bool large;
};
/* A ball is at most so many times as large as one that holds the body: larger
 * ones last longer and meet more others. */
#define LOCAL_BALL_MOST 3.0
#define LOCAL_BALL_MADE 2.0 /* where what meets takes room */

struct local_pair {
    uint32_t place; /* in the heap */
    bool event;     /* a touch is known; else nothing happens before `key` */
    enum event_kind kind;
    bool left;  /* its gap has opened since its last touch */
    bool near;  /* the balls of both bodies meet (local_cage.c) */
    double key; /* of a touch: when its gap comes within its tolerance */
    double touch, entry;
};
struct local {
    struct rt *run;
    struct local_body *body; /* per body */
    /* per body: when it leaves its ball; then per contact */
    struct local_pair *pair;
    uint32_t n_body, n;     /* bodies; contacts, whose number may grow */
    uint32_t each;          /* entries of the state of a body */
    uint32_t n_heap, *heap; /* n_body + n entries of `pair` */
    bool balls_held;        /* bodies that are held have balls, too */
    bool makes;             /* contacts are made as bodies come near */
    double ball;            /* CAGE_ROOM, or less where room is short */
    void (*tell)(struct local *local, uint32_t contact); /* local_cage_meet */
    struct local_grid *grid; /* where they are made; else NULL */
    /* room for the series of a piece; of which tape they have been last */
    double *rows;
    uint32_t rows_tape;
    double *gathered; /* the state of a mechanism, and its low parts */
    uint32_t *hit, n_hit;
    enum event_watch *mask;
    enum event_watch *watch; /* per contact, as the last search was asked */
    /* contacts of body i: of[first[i] .. first[i + 1]), with these others */
    uint32_t *first, *of, *with;
    uint32_t *concerned, n_concerned; /* local_concerned */
    uint32_t n_held;                  /* bodies that are held */
    /* those of body[].hit, by number; of body[].here */
    uint32_t *of_event, n_of_event, *here, n_here;
    bool leaves; /* bodies may be left behind (local_leaves_behind) */
    bool behind; /* they are: the state of others is an earlier one */
    int status;  /* of bodies that were brought on; told by the next search */
    bool quiet;  /* the last search found no event */
    double now, end; /* present time; of the run */
    double reach;    /* (m) as local_new */
    double reached;  /* to which the last search came */
    double met;      /* present place of the search, for balls that meet */
};

void local_bodies_new(struct local *local);
/* The bodies that have one motion with this one, which moves: itself, and those
 * of its mechanism. Returns how many. */
uint32_t local_body_members(const struct local *local, uint32_t body,
                            const uint32_t **list);
/* Does the body move in another way than was known? Its motion begins at the
 * present state then. */
bool local_body_look(struct local *local, uint32_t body);
/* Writes its state at the time t into env, no sooner than its motion changed
 * last, and keeps what it wrote. A body that is held, or that does not move,
 * stays. ends: it is not only looked at there, so that joints are to hold to
 * rounding. Status of the tapes. */
int local_body_put(struct local *local, uint32_t body, double t, bool ends);
/* How far points go from where they are at a time, at most: c[1] s + c[2] s^2 +
 * .. (m), for so long a time s. */
struct local_way {
    double c[MOTION_STEP_ORDER + 1], holds;
};
/* Adds the way of the points of a body so far from its mass centre; its state
 * has been put for the time t. Nothing for a body that does not move. */
void local_way_add(struct local *local, uint32_t body, double t, double arm,
                   struct local_way *way);
/* A time before which points that have such a way from the time t on go no
 * further than `room` (m). */
double local_way_stays(const struct local *local, const struct local_way *way,
                       double t, double room);
/* A new ball around a body whose state at this time is in env. */
void local_cage_make(struct local *local, uint32_t body, double t);
/* After that: with which others its ball meets now; those contacts with whom it
 * did not before are told. False: there is no room for another contact. */
bool local_cage_meet(struct local *local, uint32_t body,
                     void (*met)(struct local *local, uint32_t contact));
/* Contact `contact` is one of these bodies from now on, and is near. */
void local_made(struct local *local, uint32_t contact);
/* -- local_grid.c: which balls may meet, without asking all pairs -- */
struct local_grid *local_grid_new(struct local *local);
/* The ball of a body is another one now. */
void local_grid_put(struct local *local, uint32_t body);
/* Calls `each` for all bodies whose balls may meet that of this one. False: it
 * returned false. */
bool local_grid_near(struct local *local, uint32_t body,
                     bool (*each)(struct local *local, uint32_t body,
                                  uint32_t other));
static inline struct local_pair *
local_pair_of(const struct local *local, uint32_t contact)
{
    return local->pair + local->n_body + contact;
}
/* Bodies that are held, whose motion others decide: new balls for those that
 * have come far from the centres of theirs, at the present time of the run. As
 * local_cage_meet. */
bool local_cage_held(struct local *local,
                     void (*met)(struct local *local, uint32_t contact));
/* Lowers *until to a time before which their series of the present state keep
 * them in their balls. The series of the motion must have been made. */
void local_cage_holds(const struct local *local, double *until);
/* A contact that was made now is near. */
void local_cage_join(struct local *local, uint32_t contact);
/* Gives an entry of local->pair its place in the heap by a new time. */
void local_set_key(struct local *local, uint32_t entry, double key);
/* Writes a state that is no number for it, as a body that stands where it was
 * put: who reads it while it is behind is found out. */
void local_body_hide(struct local *local, uint32_t body);
/* local_body_put for all bodies. */
int local_put_all(struct local *local, double t);

#endif
