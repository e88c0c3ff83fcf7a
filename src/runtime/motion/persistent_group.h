/* SPDX-License-Identifier: MIT */
/* The memory of persistent contacts: groups of points that are held closed. For
 * the rooms motion and modes, which make and follow them; others ask
 * persistent.h. */
#ifndef IMP_RUNTIME_MOTION_PERSISTENT_GROUP_H
#define IMP_RUNTIME_MOTION_PERSISTENT_GROUP_H

#include "runtime/motion/persistent.h"
#include "runtime/numerics/taylor.h"

/* One point of a group: its gap, and how fast a motion of its two bodies opens
 * it, by velocity (entries 0..2, world axes) and by spin (3..5, body axes; in
 * the plane entry 5). */
struct persistent_row {
    struct contact_point spot;
    bool on; /* the point pushes */
    struct taylor gap, open[2][6];
    struct taylor force; /* N */
    double valid;        /* the time for which the series hold */
};
/* The blocks that a group moves, and all bodies of these blocks that move. */
struct persistent_blocks {
    uint32_t *block, n_block;
    uint32_t *body, n_body;
};
/* The Delassus matrix G of the points that push (n_on x n_on), its singular
 * value decomposition and its rank. */
struct persistent_delassus {
    int rank;
    double *G, *U, *V, *s;
};
/* n_on each: room for what is being solved */
struct persistent_scratch {
    double *a, *b, *c, *x;
};
/* One group: points that move bodies of the same blocks. Groups do not feel
 * each other. Each has its own Delassus matrix, and is chosen, followed and
 * ended by itself. */
struct persistent_group {
    int n, n_on, room;          /* points, those that push, room for points */
    bool steady;                /* forces did not change in the last series */
    struct persistent_row *row; /* those that push come first */
    struct contact_point_poses *poses; /* of contact_point.c */
    double *answer; /* per row and body: 6, what a unit force does */
    struct persistent_blocks moved;
    struct persistent_delassus delassus;
    struct persistent_scratch scratch;
};
/* all groups, and what they share */
struct persistent_set {
    int n, n_spare;
    struct persistent_group *
        *group; /* n that are held, at most one per block */
    struct persistent_group **spare;
    struct persistent_group *
        *of; /* per block: the group that holds it, or NULL */
    struct persistent_group *look; /* points that are only looked at */
    struct persistent_row **row;   /* rows of all groups that are held */
    int n_row, room;
    double **push;   /* per block: rows of accelerations, input of driven */
    double **driven; /* per block: rows of the driven tape */
    double **own; /* per block: stands in for run->rows.block while a group is
                     solved */
};

static inline const imp_block *
persistent_block(const struct rt *run, uint32_t block)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
}

static inline const imp_tape *
persistent_tape(const struct rt *run, uint32_t tape)
{
    return IMP_ARRAY(run->im, run->im->tapes, imp_tape) + tape;
}

/* Returns the number of velocities of a body. */
static inline uint32_t
persistent_per_body(const struct rt *run)
{
    return run->im->dim == 2 ? 3 : 6;
}

/* Returns the entry of `open` that belongs to velocity c of a body. */
static inline uint32_t
persistent_entry(const struct rt *run, uint32_t c)
{
    return run->im->dim == 2 && c == 2 ? 5 : c;
}

/* -- persistent_group.c -- */
/* Returns the group for looking, filled anew with n points, all of which push.
 */
struct persistent_group *
persistent_look_at(struct rt *run, const struct contact_point *spot, int n);
/* Returns a new group of n points that is held; nothing may hold its blocks so
 * far. */
struct persistent_group *
persistent_hold(struct rt *run, const struct contact_point *spot, int n);
/* Returns the group that holds bodies of a contact, or NULL. */
struct persistent_group *persistent_group_of(const struct rt *run,
                                             uint32_t contact);

/* -- persistent.c -- */
/* Sets `out` to M^-1 wrench for one body; entries 0..2 are the velocity, 3..5
 * the spin (plane: 5), or the moment itself where joints hold the spin
 * (IMP_BODYF_HELD): the equations of the joints give the spin, and no inertia
 * is divided by. */
void persistent_by_mass(const struct rt *run, uint32_t body,
                        const double wrench[6], double out[6]);
/* Does what persistent_series does, for one group. */
int persistent_group_series(struct rt *run, struct persistent_group *group,
                            int order, uint32_t block);
/* Makes the rows of all points to `order` without forces, their answers, and G
 * over all points (n x n; may be NULL). */
int persistent_instant(struct rt *run, struct persistent_group *group,
                       int order, double *G);
/* Makes the rows of the points that push, to order 1, with G and its factors,
 * without forces. */
int persistent_rates(struct rt *run, struct persistent_group *group);
/* Finds the least x with G x = -b, n_on entries each. */
void persistent_solve(const struct persistent_group *group, const double *b,
                      double *x);

/* -- constraint_projection.c -- */
/* Moves poses and velocities of a group onto its closed gaps. */
void persistent_project_group(struct rt *run, struct persistent_group *group);

#endif
