/* SPDX-License-Identifier: MIT */
/* What parts (clocks_parts.c), their pieces (clocks_piece.c), which bodies come
 * near each other (clocks_near.c) and their next changes (clocks.c) share. */
#ifndef IMP_RUNTIME_CLOCKS_CLOCKS_PRIV_H
#define IMP_RUNTIME_CLOCKS_CLOCKS_PRIV_H

#include "runtime/clocks/clocks.h"
#include "runtime/motion/motion.h"

/* The piece of a block: one body. */
struct clock_block {
    uint32_t part;                     /* the least block of its part */
    uint32_t first;                    /* of its entries of the state */
    double start[2 * IMP_STATE_SPACE]; /* state and low parts where the piece
                                          begins, and as they were put last */
    double put[2 * IMP_STATE_SPACE];
    double last[2 * IMP_STATE_SPACE]; /* where the search ended the piece */
    bool brief;                       /* it is this motion, without series */
    struct motion_short motion;
    double *rows;    /* else a copy of its series; room for them, or NULL */
    bool fresh;      /* its piece is a new one */
    uint32_t n_near; /* its contacts that are near, with others that move */
    double ask;      /* others of its contacts are asked then, or later (s) */
};
/* By the least of its blocks: a part. */
struct clock_part {
    bool known;
    bool blind;    /* contacts of it are not asked now */
    double from;   /* its clock (s) */
    uint64_t mark; /* of what is held and watched of it, now; of what was when
                      the piece began: */
    uint64_t made;
    bool made_blind;
    struct mode_change change;        /* the next one, or the piece's end */
    const struct persistent_row *row; /* of change.which; NULL: none */
    int order;                        /* of the series of its piece */
    bool closed; /* the search has ended the piece, where it has come to */
    double went; /* where its last piece ended without an event, or NAN (s) */
    double end;  /* of the piece: of the change, or of */
    struct event event; /* the event that comes before it, */
    struct event *more; /* with these at the same time */
    uint32_t n_more, room_more;
    struct clock_force *forces; /* where the motion is kept */
    uint32_t n_forces, room_forces;
    /* its contacts: the least of them, and how many are searched, now */
    uint32_t contact, n_searched;
};
/* The forces of a point that is held, along the piece of its part. */
struct clock_force {
    const struct persistent_row *row;
    struct taylor force, friction;
};
/* The work that friction does at a contact along a piece: a polynomial of the
 * time since it began. */
struct clock_work {
    bool on;
    uint32_t block; /* of the part */
    double base, c[MOTION_STEP_ORDER + 1];
};
/* A contact: the blocks of its bodies that move, the next one of its part, and
 * what is known of its closest points where the piece of its part ends. */
struct clock_contact {
    uint32_t one, two, next;
    bool near;    /* the bodies are near: it joins them to one part */
    double apart; /* else: balls keep them apart until then; infinite: as long
                     as their pieces go on */
    unsigned char warm;
    double u[8];
};
#define NONE UINT32_MAX
struct clocks {
    struct rt *run;
    bool off;        /* not any longer (leaps) */
    bool traced;     /* the motion of the run is kept */
    double end, now; /* of the run; when states were put last */
    struct clock_contact *contact;
    double *left;        /* per contact: as event_of_part */
    struct event *found; /* what clocks_next has found, the first one first */
    uint32_t n_found;
    double reached; /* to where clocks_go came, or no number; contacts of parts
                       whose pieces ended there: */
    uint32_t *concerned, n_concerned;
    struct clock_block *block;
    struct clock_part *part; /* per block */
    struct clock_work *work; /* per contact; NULL: nothing rubs */
    bool *asked;             /* per block */
    /* the contacts of block i with others that move:
       of[first[i] .. first[i + 1]) */
    uint32_t *first, *of;
};

static inline size_t
clocks_state_size(const struct rt *run)
{
    return run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
}

/* The part of a contact of which a body moves; else NULL. */
static inline struct clock_part *
clocks_part_of(const struct clocks *clocks, uint32_t contact)
{
    uint32_t one = clocks->contact[contact].one;
    return one == IMP_NO_BLOCK ? NULL : clocks->part + clocks->block[one].part;
}

/* Which blocks belong together, and what is held and watched of each part. */
void clocks_find_parts(struct clocks *clocks,
                       const struct clocks_question *asked);

/* The state of a block, and its low parts. */
void clocks_read_state(const struct rt *run, const struct clock_block *block,
                       double *to);
void clocks_write_state(struct rt *run, const struct clock_block *block,
                        const double *from);
void clocks_put_all(struct clocks *clocks, double t);
/* Does the block stand where its piece says? */
bool clocks_stands(struct clocks *clocks, uint32_t block);
/* Keeps the piece of the part that clocks->asked lists, which begins at the
 * present state, along the series that have been made. */
void clocks_keep_piece(struct clocks *clocks, uint32_t part);

/* Forces of the part that clocks->asked lists, whose series have been made. */
void clocks_keep_forces(struct clocks *clocks, uint32_t part);
/* Hands to run->trace the way from the present time to the time t, at which the
 * state may stand then. */
void clocks_trace(struct clocks *clocks, double t);

void clocks_near_new(struct clocks *clocks);
/* Before anything else is asked at the present state: which contacts are near
 * from now on, and which are not any longer, of parts whose pieces have ended.
 */
void clocks_near_begin(struct clocks *clocks);
/* After new pieces: until when they keep bodies apart. True: contacts are near
 * now that were not. */
bool clocks_near_look(struct clocks *clocks);
/* Asks contacts again that may come near on the way to the time t. True: one
 * does at *t, which is less now. */
bool clocks_near_pass(struct clocks *clocks, double *t);

#endif
