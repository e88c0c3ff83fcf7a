/* SPDX-License-Identifier: MIT */
/* Inside persistent.h: contact_point.c (one point: its gap and what opens it),
 * persistent_group.c (who is held, in groups), persistent.c (the series of
 * their motion), constraint_projection.c (onto the gaps), mode_select.c (which
 * push), mode_change.c (what comes next). */
#ifndef IMP_RUNTIME_MOTION_PERSISTENT_PRIV_H
#define IMP_RUNTIME_MOTION_PERSISTENT_PRIV_H

#include "runtime/motion/persistent.h"
#include "runtime/numerics/taylor.h"

/* sine between edges that count as parallel */
#define CONTACT_POINT_PARALLEL 1e-9

/* gap of a point, and how fast the motion of its two bodies opens it: by
 * velocity (world axes), by spin (body axes; plane: entry 5) */
struct persistent_row {
    struct contact_point spot;
    bool on;
    struct taylor gap, open[2][6];
    struct taylor force;
    double valid; /* time for which the row holds */
};
/* One group of points: those that move bodies of the same blocks. Groups do not
 * feel each other; each has its own matrix, and is chosen, followed and ended
 * by itself. */
struct persistent_group {
    int n, n_on, rank, room;
    bool steady;                /* forces did not change in the last series */
    struct persistent_row *row; /* n of room, those that push first */
    struct contact_point_poses *poses; /* of contact_point.c */
    uint32_t *block, n_block;          /* of its bodies */
    uint32_t *body, n_body; /* all bodies of these blocks that move */
    double *answer;         /* per row, body: 6, what a unit force does */
    double *G, *U, *V, *s;  /* n_on x n_on, its SVD */
    double *a, *b, *c, *x;  /* per row */
};
/* all groups, and what they share */
struct persistent_set {
    int n, n_spare;
    struct persistent_group **group; /* n held; at most one per block */
    struct persistent_group **spare;
    struct persistent_group *
        *of; /* per block: the group that holds it, or NULL */
    struct persistent_group *look; /* a look at other points */
    struct persistent_row **row;   /* of all groups that are held */
    int n_row, room;
    double **push;   /* per block: rows of accelerations, source of driven */
    double **driven; /* per block: rows of the driven tape */
    double **own;    /* per block: rows as of r->work while this is solved */
};

static inline const imp_block *
persistent_block(const struct rt *run, uint32_t b)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) + b;
}

static inline const imp_tape *
persistent_tape(const struct rt *run, uint32_t t)
{
    return IMP_ARRAY(run->im, run->im->tapes, imp_tape) + t;
}

/* velocities of a body */
static inline uint32_t
persistent_per_body(const struct rt *run)
{
    return run->im->dim == 2 ? 3 : 6;
}

/* entry of `open` for velocity c of a body */
static inline uint32_t
persistent_entry(const struct rt *run, uint32_t c)
{
    return run->im->dim == 2 && c == 2 ? 5 : c;
}

/* -- contact_point.c --------------------------------------------------------
 */
/* series of a point to `order`; r->work holds the motion */
int contact_point_series(struct rt *run, struct persistent_group *group,
                         struct persistent_row *row, int order);
void contact_point_poses_forget(
    struct persistent_group *group); /* before the rows of a new series */
bool contact_point_body_moves(const struct rt *run, uint32_t body);
/* gaps of the vertices over a face: calls back with each. *holds: for how long
 * they do; may be NULL */
int contact_point_vertices(struct rt *run, const struct contact_point *on,
                           int order,
                           void (*each)(void *ctx, uint32_t vertex,
                                        const struct taylor *gap),
                           void *ctx, double *holds);
/* gaps of edges of both bodies that cross now, or nearly, with their outer
 * sides towards each other: calls back with each that is wanted */
int contact_point_crossings(struct rt *run, uint32_t contact, int order,
                            bool (*wanted)(void *ctx,
                                           const struct contact_point *at),
                            void (*each)(void *ctx,
                                         const struct contact_point *at,
                                         const struct taylor *gap),
                            void *ctx);
/* where the point is, in the axes of body 0 about its mass centre */
int contact_point_place(struct rt *run, const struct contact_point *at,
                        int order, struct taylor out[3]);
/* distances of a vertex to the sides of its face, inwards, or of a crossing to
 * the ends of its edges: how many */
int contact_point_sides(struct rt *run, const struct contact_point *at,
                        int order, struct taylor *side, int most);

/* -- persistent_group.c
 * -------------------------------------------------------- */
/* The memory of a look at points, filled anew; all rows push */
struct persistent_group *
persistent_look_at(struct rt *run, const struct contact_point *spot, int n);
/* a new group that is held; nothing holds its blocks so far */
struct persistent_group *
persistent_hold(struct rt *run, const struct contact_point *spot, int n);
/* the group that a contact's bodies are held in, or NULL */
struct persistent_group *persistent_group_of(const struct rt *run,
                                             uint32_t contact);

/* -- persistent.c
 * -------------------------------------------------------------- */
/* M^-1 of a body: velocity entries 0 .. 2, spin 3 .. 5 (plane: 5) */
void persistent_by_mass(const struct rt *run, uint32_t body, const double f[6],
                        double out[6]);
/* as persistent_series, of one group */
int persistent_group_series(struct rt *run, struct persistent_group *group,
                            int order, uint32_t block);
/* rows to `order` with no forces, answers, G over all rows */
int persistent_instant(struct rt *run, struct persistent_group *group,
                       int order, double *G);
/* rows that push, to order 1, with G and its factors; no forces */
int persistent_rates(struct rt *run, struct persistent_group *group);
/* least x with G x = -b */
void persistent_solve(const struct persistent_group *group, const double *b,
                      double *x);

/* -- constraint_projection.c
 * ------------------------------------------------------ */
/* a group's poses and velocities onto its closed gaps */
void persistent_project_group(struct rt *run, struct persistent_group *group);

#endif
